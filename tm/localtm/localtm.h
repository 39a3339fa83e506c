/*
 * GPU-LocalTM: transactional memory at the banks of shared memory (Villegas, Asenjo, Navarro, Plata and Kaeli,
 * "GPU-LocalTM"; Villegas, Navarro, Asenjo and Plata, "Memoria Transaccional Hardware en Memoria Local de GPU"). Eager
 * in both senses: every bank looks each access up in the bloom filters of all threads of the block (detect.c), and
 * keeps the old value of a word that is accessed for the first time, with its owner, in shadow memory, which is memory
 * of the block itself (shadow_memory.c). A lane that meets another thread's filter loses and is put back at once; a
 * warp that makes no progress is serialised, first its lanes, then the block (serialisation.c).
 *
 * Names: a thread is a work-item of the block, its number is what the owner byte holds. The place of a word in its bank
 * is the word's number div banks; its bit in the filters is the place mod localtm.filter_bits.
 */
#ifndef TM_LOCALTM_LOCALTM_H
#define TM_LOCALTM_LOCALTM_H

#include "memsys/clock.h"
#include "tm/core/shared_protocol.h"

enum { LOCAL_BANKS = 64, LOCAL_BITS = 64, LOCAL_OWNERS = 256 };
#define NO_WORD UINT32_MAX
#define NO_SLOT UINT32_MAX

/* Without localtm.read_write_filters every access is looked up as a write. */
enum local_filter { FILTER_READ, FILTER_WRITE, FILTERS };
/* What an attempt runs: all lanes of the warp, one of them, one of them alone in its block. */
enum local_mode { LOCAL_ALL, LOCAL_WAVEFRONT, LOCAL_GROUP };

/* What a thread has in a bank. */
struct local_cell {
    uint64_t filter[FILTERS];
    uint32_t first;                  /* of the words that it owns, by the block's `next`; NO_WORD = none */
    uint32_t entries;                /* how many */
};

struct local_block {
    struct local_block *chain;       /* all of the SM's, resident or not */
    const struct tm_block *b;        /* NULL = none is resident */
    uint8_t *shared;
    uint32_t words;                  /* of the kernel's own bytes, the last row of the banks filled up */
    uint32_t threads, capacity;      /* of `next` and `owned`, in words */
    struct local_cell *cell;         /* thread x banks + bank */
    uint64_t in[LOCAL_OWNERS];       /* banks in which the thread has set a bit of its filter */
    uint32_t *next;                  /* by word: the next word of the same owner in the bank */
    uint64_t *owned;                 /* a bit a word: does its owner byte name one? 256 numbers leave none for "no" */
    uint16_t known[FILTERS][LOCAL_BANKS][LOCAL_BITS];    /* threads that have set the bit */
    /* serialisation.c */
    uint32_t runner, wanting;        /* slot that runs alone, NO_SLOT; warps that want to */
    uint64_t choose;                 /* cycle in which one of them is chosen, if it may be; NEVER */
};

struct local_warp {
    struct local_block *block;       /* NULL = none with transactions */
    uint32_t first;                  /* thread of lane 0 */
    enum local_mode mode;            /* of the attempt, or the next one */
    bool ended_before;               /* an attempt of this transaction has ended, with `mask` */
    uint32_t failures;               /* wavefront-serial attempts in a row whose lane lost */
    uint64_t mask;                   /* TCM_OLD: lanes that went on */
    uint64_t gone;                   /* lanes of the attempt that have been put back */
    bool out;                        /* all of them, as another warp runs alone */
    bool wants;                      /* to run alone, since then */
    bool stalled;                    /* at tx_begin: another runs alone, or it wants to and may not yet */
    bool at_commit, skipped;         /* has come to tx_commit; the last attempt lost its lanes before that */
    uint64_t since, starts;          /* starts: cycle in which the one that runs alone is behind tx_begin */
};

struct local_cfg {
#define CONFIG_ROWS "tm/localtm/config.def"
#include "base/config_fields.h"
    uint32_t banks, shared_per_sm;   /* of an SM's shared memory; its bytes */
    uint32_t add, stages;            /* core cycles of an integer add of a warp; core.stages */
};
void local_configure(struct local_cfg *c, const struct simtx_config *config);

/* Cycles, see config.def. */
struct local_costs { uint32_t base, begin, commit, filter, again, alias, fresh, entry; };

struct local_core {
    struct tm_core *c;
    uint64_t *count;                 /* by enum stat */
    struct local_cfg cfg;
    uint32_t lanes, slots;
    uint32_t step;                   /* cycles of an instruction without lanes, on the way to tx_commit */
    struct local_costs cost;
    struct local_warp *warp;         /* by slot */
    struct local_block *blocks;
};

/* Entries by bank: of the shadow memory. */
struct local_entries { uint32_t n[LOCAL_BANKS]; };

static inline struct local_cell *local_cell(const struct local_core *k, const struct local_block *b, uint32_t thread,
                                            uint32_t bank)
{
    return &b->cell[(size_t)thread * k->cfg.banks + bank];
}

/* ---- shadow_memory.c ---- */
bool local_is_owned(const struct local_block *b, uint32_t word);
uint8_t local_owner(const struct local_block *b, uint32_t word);     /* of a word that is */
void local_save(struct local_block *b, uint32_t word);               /* its value becomes the old one */
/* The thread becomes the owner of a word of this bank, and its value is kept. */
void local_keep(struct local_core *k, struct local_block *b, uint32_t thread, uint32_t bank, uint32_t word);
/* The thread lets go of what it has in a bank; restore: values are put back. Returns the entries. */
uint32_t local_clear(struct local_core *k, struct local_block *b, uint32_t thread, uint32_t bank, bool restore);
/* The same in all banks, for lanes of a warp; adds the entries to e. */
void local_clear_lanes(struct local_core *k, const struct local_warp *x, uint64_t lanes, bool restore,
                       struct local_entries *e);
void local_add_entries(const struct local_core *k, const struct local_warp *x, uint64_t lanes,
                       struct local_entries *e);
uint32_t local_slowest(const struct local_core *k, const struct local_entries *e);

/* ---- detect.c ---- */
struct banks_result local_access(void *core, uint32_t slot, const struct mem_op *op, uint64_t lanes, uint64_t now);
void local_plain(void *core, uint32_t slot, const struct mem_op *op, uint64_t lanes, uint64_t now);

/* ---- serialisation.c ---- */
/* The cycles of tx_begin when so many entries of the slowest bank are cleared; counted. */
uint32_t local_begin(struct local_core *k, uint32_t entries);
bool local_may_begin(void *core, uint32_t slot);
bool local_may_run(void *core, uint32_t slot);
bool local_alone(void *core, uint32_t slot, uint64_t lanes, uint64_t lost, uint64_t now);
void local_ended(void *core, uint32_t slot, uint64_t now);
uint64_t local_run(void *core, uint64_t now);

/* ---- block_state.c ---- */
void local_block_starts(void *core, struct tm_block *b);
void local_block_ends(void *core, struct tm_block *b);
void local_blocks_free(struct local_core *k);

/* ---- local_config.c ---- */
bool local_check(const struct simtx_config *c, char *error, size_t size);

/* ---- block_resources.c ---- */
void local_need(const struct simtx_config *c, uint32_t shared, uint32_t warps, struct banks_need *n);
void local_explain(const struct simtx_config *c, enum banks_limit limit, const struct banks_need *n, char *text,
                   size_t size);

/* ---- localtm_describe.c ---- */
void local_say(const void *core, uint32_t slot, char *text, size_t size);
void local_dump(const void *core, void (*line)(void *ctx, const char *text), void *ctx);

#endif
