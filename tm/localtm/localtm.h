/*
 * GPU-LocalTM: transactional memory at the banks of shared memory (Villegas, Asenjo, Navarro, Plata and Kaeli,
 * "GPU-LocalTM"; Villegas, Navarro, Asenjo and Plata, "Memoria Transaccional Hardware en Memoria Local de GPU").
 * Conflict detection is eager: each bank looks each access up in the bloom filters of all threads of the block
 * (detect.c). Version management is eager: at the first access to a word its old value and its owner are saved in
 * shadow memory, which is shared memory of the block itself (shadow_memory.c). A lane that hits another thread's filter
 * has a conflict and is rolled back at once. A warp without progress is serialised, first its lanes, then the block
 * (serialisation.c).
 *
 * Terms: a thread is a work-item of the block; the owner byte holds its number. The index of a word in its bank is the
 * word's number div banks; its bit in the filters is this index mod localtm.filter_bits.
 */
#ifndef TM_LOCALTM_LOCALTM_H
#define TM_LOCALTM_LOCALTM_H

#include "memsys/clock.h"
#include "tm/core/shared_protocol.h"

enum { LOCALTM_BANKS = 64, LOCALTM_BITS = 64, LOCALTM_OWNERS = 256 };
#define LOCALTM_NO_WORD UINT32_MAX
#define LOCALTM_NO_SLOT UINT32_MAX

/* Without localtm.read_write_filters every access is looked up as a write. */
enum localtm_filter { LOCALTM_FILTER_READ, LOCALTM_FILTER_WRITE, LOCALTM_FILTERS };
/* An attempt runs all lanes of the warp, one of them, or one of them alone in its block. */
enum localtm_mode { LOCALTM_ALL, LOCALTM_WAVEFRONT, LOCALTM_GROUP };

/* State of a thread in a bank. */
struct localtm_cell {
    uint64_t filter[LOCALTM_FILTERS];
    uint32_t first;                  /* head of the list of its words (localtm_block.next); LOCALTM_NO_WORD = empty */
    uint32_t entries;                /* length of the list */
};

struct localtm_block {
    struct localtm_block *next_block;        /* list of the SM's blocks, resident or not */
    const struct tm_block *b;        /* NULL = not resident */
    uint8_t *shared;
    uint32_t words;                  /* of the kernel, rounded up to whole rows of the banks */
    uint32_t threads, capacity;      /* sizes of `cell`; of `next` and `owned`, in words */
    struct localtm_cell *cell;       /* thread x banks + bank */
    uint64_t filter_banks[LOCALTM_OWNERS];       /* by thread: banks in which its filter has a bit set */
    uint32_t *next;                  /* by word: the next word of the same owner in the bank */
    uint64_t *owned;                 /* a bit for each word: its owner byte is valid */
    uint16_t threads_with[LOCALTM_FILTERS][LOCALTM_BANKS][LOCALTM_BITS];     /* threads whose filter has the bit set */
    /* serialisation.c */
    uint32_t runner, requests;       /* slot that runs alone, LOCALTM_NO_SLOT; warps that request it */
    uint32_t resuming;               /* slot whose attempt must end before the next waiting warp resumes */
    uint64_t arbitrate_at;           /* cycle in which a request may be granted; NEVER */
};

struct localtm_warp {
    struct localtm_block *block;     /* NULL = no warp of a kernel with transactions */
    uint32_t first;                  /* thread of lane 0 */
    enum localtm_mode mode;          /* of the attempt, or the next one */
    bool ended_before;               /* an attempt of this transaction has ended, with tcm_old */
    uint32_t failures;               /* attempts of one lane in a row that had a conflict */
    uint64_t tcm_old;                /* TCM_OLD: lanes that retried after the last attempt */
    uint64_t rolled_back;            /* lanes of the attempt whose memory has been restored */
    bool preempted;                  /* all lanes are rolled back, since another warp runs alone */
    bool requested;                  /* work-group serialisation, in cycle requested_at */
    bool stalled;                    /* at tx_begin: another warp runs alone, or the request has not been granted */
    bool waits;                      /* at its first tx_begin: another warp runs alone, or resumes before this one */
    bool at_commit, missed_commit;   /* has reached tx_commit; the last attempt aborted before it */
    uint64_t requested_at, runs_at;  /* runs_at: cycle in which the warp that runs alone leaves tx_begin */
};

struct localtm_cfg {
#define CONFIG_ROWS "tm/localtm/config.def"
#include "base/config/config_fields.h"
    uint32_t banks, lanes, shared_per_sm;        /* of an SM's shared memory; lanes of a pass; its bytes */
    uint32_t add;                    /* core cycles of an integer add of a warp */
};
void localtm_configure(struct localtm_cfg *c, const struct simtx_config *config);

/* Cycles, see config.def. own: of an access to an own word; alias, new_word: of a new access. */
struct localtm_costs { uint32_t base, begin, commit, filter, own, alias, new_word, entry; };

struct localtm_core {
    struct tm_core *c;
    uint64_t *count;                 /* by enum stat */
    struct localtm_cfg cfg;
    uint32_t lanes, slots;
    struct localtm_costs cost;
    struct localtm_warp *warp;       /* by slot */
    struct localtm_block *blocks;
};

/* Numbers of entries of shadow memory, by bank. */
struct localtm_entries { uint32_t n[LOCALTM_BANKS]; };

static inline struct localtm_cell *localtm_cell(const struct localtm_core *k, const struct localtm_block *b,
                                                uint32_t thread, uint32_t bank)
{
    return &b->cell[(size_t)thread * k->cfg.banks + bank];
}

/* ---- shadow_memory.c ---- */
bool localtm_is_owned(const struct localtm_block *b, uint32_t word);
uint8_t localtm_owner(const struct localtm_block *b, uint32_t word);     /* of an owned word */
void localtm_save(struct localtm_block *b, uint32_t word);               /* copies its value to shadow memory */
/* The thread becomes the owner of a word of this bank, and its value is saved. */
void localtm_own(struct localtm_core *k, struct localtm_block *b, uint32_t thread, uint32_t bank, uint32_t word);
/* Clears the thread's filter and entries in a bank; restore: with the old values. Returns the number of entries. */
uint32_t localtm_clear(struct localtm_core *k, struct localtm_block *b, uint32_t thread, uint32_t bank, bool restore);
/* The same in all banks, for lanes of a warp; adds the numbers of entries to e. */
void localtm_clear_lanes(struct localtm_core *k, const struct localtm_warp *x, uint64_t lanes, bool restore,
                         struct localtm_entries *e);
void localtm_add_entries(const struct localtm_core *k, const struct localtm_warp *x, uint64_t lanes,
                         struct localtm_entries *e);
uint32_t localtm_slowest(const struct localtm_core *k, const struct localtm_entries *e);

/* ---- detect.c ---- */
struct tm_access_result localtm_access(void *core, uint32_t slot, const struct mem_op *op, uint64_t lanes,
                                       uint64_t now);
void localtm_plain(void *core, uint32_t slot, const struct mem_op *op, uint64_t lanes, uint64_t now);

/* ---- serialisation.c ---- */
/* Returns and counts the cycles of tx_begin, which clears so many entries of the slowest bank. */
uint32_t localtm_begin(struct localtm_core *k, uint32_t entries);
bool localtm_may_begin(void *core, uint32_t slot);
bool localtm_may_run(void *core, uint32_t slot);
bool localtm_serialise(void *core, uint32_t slot, uint64_t lanes, uint64_t lost, uint64_t now);
void localtm_ended(void *core, uint32_t slot, uint64_t now);
uint64_t localtm_run(void *core, uint64_t now);

/* ---- block_state.c ---- */
void localtm_block_starts(void *core, struct tm_block *b);
void localtm_block_ends(void *core, struct tm_block *b);
void localtm_blocks_free(struct localtm_core *k);

/* ---- block_resources.c ---- */
void localtm_resources(const struct simtx_config *c, uint32_t shared, uint32_t warps, struct tm_block_resources *n);
void localtm_explain_limit(const struct simtx_config *c, enum tm_block_limit limit,
                           const struct tm_block_resources *n, char *text, size_t size);

/* ---- localtm_describe.c ---- */
void localtm_describe(const void *core, uint32_t slot, char *text, size_t size);
void localtm_dump(const void *core, void (*line)(void *ctx, const char *text), void *ctx);

#endif
