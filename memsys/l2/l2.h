/*
 * One slice of the L2, inside its partition (partition.h). A request goes
 *
 *   port -> input queue -> pipeline of l2.latency stages -> tags -+-> performed -> reply queue -> port
 *                                                                 +-> MSHR, miss queue -> DRAM -> fill -> performed
 *
 * A request in the input queue occupies the port's buffer. One request a cycle enters the pipeline, which has an entry
 * per stage and compacts when its head is blocked. Each cycle one request looks up its line, and the data array serves
 * one access; requests whose fill has arrived have priority over hits. All requests for a line with an MSHR entry wait
 * in it and perform in order of arrival, so accesses to one line are never reordered. The path to the DRAM queue is a
 * pipeline, too, of dram.latency stages, which ends in the entries of the miss queue.
 *
 * A slice is visited in the cycles that it has announced (l2_next). A visit in another cycle has no effect.
 */
#ifndef MEMSYS_L2_H
#define MEMSYS_L2_H

#include "memsys/cache_stats.h"
#include "memsys/coherence/coherence.h"
#include "memsys/mshr.h"
#include "memsys/l2/partition.h"
#include "memsys/l2/engine.h"
#include "memsys/order/order_history.h"
#include "memsys/versions/vmem.h"

/* The result of offering a request to the tags: served, or blocked by this resource and to be offered again. */
enum l2_result {
    L2_SERVED,
#define L2_REASON(id, name, text) L2_BLOCKED_##id,
#include "memsys/l2/blocked.def"
};

struct l2_now { uint64_t l2, core, xbar; };          /* one L2 edge: the same instant in three clocks, rounded up */

struct l2_pipe_entry { struct packet *p; uint64_t ready; };

/* The path of a virtual network's requests to the tags. */
struct l2_input {
    struct packet_queue wait;
    struct l2_pipe_entry *pipe;      /* ring of l2.latency entries */
    uint32_t head, n;
    bool mapped;                     /* the head's `mapped` is set */
    enum l2_result blocked_by;       /* of the head; L2_SERVED = not blocked */
    uint64_t counted_to;             /* first blocked cycle that is not counted */
};

/* Sectors of a line on the path to the DRAM queue. */
struct l2_transfer {
    uint64_t line, ready;            /* ready: first L2 cycle in which it may enter the DRAM queue */
    uint32_t entry;                  /* MSHR entry that waits for it, or MSHR_NONE */
    uint8_t sectors;                 /* not sent yet */
    uint8_t first;                   /* of these, to be sent before the others */
    uint8_t block;                   /* without l2.merge_fills a request is for an aligned block of 1, 2 or 4 sectors */
    bool write;
};

/* Beside each MSHR entry. */
struct l2_missing {
    uint64_t queued[LINE_SECTORS];   /* core cycle of a sector's last DRAM request */
    uint64_t filled[LINE_SECTORS];   /* core cycle of a sector's last fill */
    uint32_t outstanding;            /* DRAM requests in flight, those that wait for the DRAM queue included */
    uint32_t arrived;                /* without tags: completed DRAM requests that no target has used */
    uint32_t next;                   /* in the list of performable entries */
    uint8_t awaited;                 /* sectors that the requests have needed that have performed */
    bool listed;
};

/* A queue of numbers of MSHR entries, each at most once. */
struct l2_ring { uint32_t *e, first, n, capacity; };

/* Beside each MSHR entry, under a coherence protocol. */
struct l2_transaction {
    struct packet *request;          /* that the line is busy with; NULL: an eviction, or the reply has been sent */
    uint64_t *unprobed;              /* bit per SM: a probe must still be sent to it */
    uint32_t pending_acks;           /* acknowledgements that have not arrived */
    uint8_t probe;                   /* message of the probes */
    uint8_t event;                   /* 1 + the home event that is next; 0 = none */
    bool coherent;                   /* false: the entry is of a line that is not coherent */
    bool evicting;                   /* the line is evicted for another one */
    bool listed;                     /* in the slice's queue `ready` */
    bool without_way;                /* requests wait, and the line has no way */
};

struct l2_slice {
    struct partition *part;
    uint32_t number, id;             /* in the partition; over all channels */
    struct port *request, *reply;
    uint64_t next;                   /* next L2 cycle with an event, if no message or credit arrives */
    uint64_t due;                    /* the same with messages and credits, while the partition runs */

    struct l2_input in[VNS_MAX + 1]; /* virtual networks, then the engine's accesses */
    uint32_t inputs;
    uint32_t next_input;             /* round robin: first input to look up */
    struct tags tags;                /* tags.tag NULL: no L2 */
    uint64_t *directory;             /* by line: state in the protocol, a bit per sharer; NULL = no protocol */
    uint32_t directory_words;        /* of a line */
    uint32_t turns;                  /* replies of the protocol and accesses of the engine so far */
    struct order_history *history;   /* of the engine's accesses, for the ordering oracle; NULL = not recorded */
    struct l2_transaction *transaction;     /* by MSHR entry; NULL = no protocol */
    struct l2_ring ready, probing;   /* MSHR entries with an event or a waiting request; with probes to send */
    uint32_t without_way;            /* MSHR entries whose lines wait for a way */
    struct packet_pool pool;         /* of packets that are no replies */
    void *engine;                    /* NULL = none */
    uint64_t engine_next;            /* L2 cycle of its next event */
    bool engine_blocked;             /* it has rejected a message */
    struct l2_copier *copier;        /* NULL = no versioned memory */
    bool copying;                    /* versioned rows from slot to slot */
    uint64_t *dirty;                 /* bit per line */
    uint32_t dirty_lines, flush_at;
    bool flushing;

    struct mshr mshr;
    struct l2_missing *miss;
    uint32_t performable_head, performable_tail;   /* list of MSHR entries whose oldest target can perform */
    bool performable_blocked;
    struct l2_transfer *transfer;    /* ring */
    uint32_t transfer_head, transfers, transfer_capacity;

    uint64_t data_free, fill_free;   /* first cycles in which the data array, and the port for fills, are free */
    struct packet *atomic;           /* in the atomic unit */
    uint64_t atomic_free;            /* L2 cycle in which it leaves */
    struct packet_queue out[VNS_MAX], unsolicited;
    uint64_t unsolicited_at;         /* cycle of the last partition_send */
    uint32_t replies[VNS_MAX];       /* entries of the reply queue in use or reserved, by virtual network */
    uint32_t next_output, no_credit; /* round robin: first network to send; bit per network: lacks credits */
};

struct partition {
    struct partition_cfg cfg;
    uint64_t *count;
    struct hists *hists;
    struct dram *dram;
    uint64_t l2_from;                /* first L2 cycle that has not been run */
    uint64_t credits_until;          /* of partition_set_horizon */
    uint64_t mem_next, drained;      /* next memory cycle to run; last one whose completed requests were collected */
    uint32_t dram_waiters;           /* bit per slice: waits for an entry of the DRAM queue */
    uint32_t next_slice;             /* round robin: first slice to access the DRAM queue */
    uint32_t data_cycles[LINE_SECTORS + 1];          /* of the data array, by number of sectors */
    struct l2_slice *slice;
    partition_served *served;        /* observer; NULL = none */
    void *served_ctx;
};

/* ---- l2_build.c ---- */
void l2_init(struct l2_slice *s, struct partition *part, uint32_t number, struct port *request, struct port *reply);
void l2_end(struct l2_slice *s);
void l2_clear(struct l2_slice *s);                      /* invalidates all lines */
/* ---- l2.c: cycles ---- */
/* Executes a cycle and sets s->next. */
void l2_run(struct l2_slice *s, const struct l2_now *t);
/* The next cycle with an event, messages and credits of its ports included. */
uint64_t l2_next(const struct l2_slice *s);
/* Counts the cycles before `until` in which heads were blocked. */
void l2_settle(struct l2_slice *s, uint64_t until);
bool l2_idle(const struct l2_slice *s);
/* ---- l2_engine.c: the engine beside the slice ---- */
void l2_engine_init(struct l2_slice *s);
void l2_engine_end(struct l2_slice *s);
/* Its messages at the heads of the input queues. */
void l2_engine_receive(struct l2_slice *s, const struct l2_now *t);
void l2_engine_run(struct l2_slice *s, const struct l2_now *t);
void l2_engine_performed(struct l2_slice *s, struct packet *p, const struct l2_now *t);
bool l2_engine_before(struct l2_slice *s, const struct packet *p, const struct l2_now *t);
void l2_engine_accessed(struct l2_slice *s, const struct packet *p, const struct l2_now *t);
void l2_engine_note(struct l2_slice *s, struct packet *p, const struct l2_now *t);
bool l2_engine_idle(const struct l2_slice *s);
void l2_engine_settle(struct l2_slice *s, uint64_t until);
void l2_engine_copied(struct l2_slice *s, const struct l2_now *t);
/* ---- l2_copy.c: versioned memory ---- */
struct l2_copier;
void l2_copier_init(struct l2_slice *s);
void l2_copier_end(struct l2_slice *s);
/* Copies the slice's versioned rows from one slot to another. */
void l2_copy_begin(struct l2_slice *s, uint32_t from, uint32_t to, uint64_t now);
void l2_copy_at_once(struct l2_slice *s, uint32_t from, uint32_t to);
void l2_copy_run(struct l2_slice *s, const struct l2_now *t);       /* a cycle, while it copies */
void l2_copy_done(struct l2_slice *s, uint32_t bank);               /* the bank's CLONE has completed */
void l2_copy_dump(const struct l2_slice *s, void (*line)(void *ctx, const char *text), void *ctx);
/* Does p wait for the copy of its row? */
bool l2_held(const struct l2_slice *s, const struct packet *p);
/* A write or atomic has performed on the bytes of p->mask: those that are plain reach other slots, too. */
void l2_version_written(struct l2_slice *s, const struct packet *p, uint64_t now);
void l2_version_read(struct l2_slice *s, const struct packet *p);   /* counts plain loads */
void l2_version_patched(struct l2_slice *s, struct packet *p);      /* a second access has performed */
/* ---- l2_dump.c ---- */
void l2_dump(const struct l2_slice *s, void (*line)(void *ctx, const char *text), void *ctx);

/* ---- l2_perform.c: accesses, replies, the atomic unit ---- */
/* What prevents p from performing in this cycle; L2_SERVED = nothing. port_free: first cycle in which its port, the
 * data array's or that for fills, is free. */
enum l2_result l2_cannot_perform(const struct l2_slice *s, const struct packet *p, uint64_t port_free, uint64_t now);
/* i: its way; TAG_NONE without tags. */
void l2_perform(struct l2_slice *s, uint64_t *port_free, uint32_t i, struct packet *p, const struct l2_now *t);
/* Its entry of the reply queue is reserved. */
void l2_start_atomic(struct l2_slice *s, struct packet *p, uint64_t now);
bool l2_finish_atomic(struct l2_slice *s, uint64_t now);
void l2_mark_dirty(struct l2_slice *s, uint32_t i, uint8_t sectors);
bool l2_send_reply(struct l2_slice *s, const struct l2_now *t);

/* ---- l2_miss.c: lines, MSHRs, the path to DRAM ---- */
/* Sectors that must be valid before p performs. */
uint8_t l2_needs(const struct l2_slice *s, const struct packet *p);
/* Allocates a way, *i, for a line; dirty sectors of the victim are written back. */
enum l2_result l2_make_room(struct l2_slice *s, uint64_t line, uint32_t *i, const struct l2_now *t);
bool l2_write_back(struct l2_slice *s, uint32_t i, uint64_t now);   /* a dirty line; false: the miss queue is full */
void l2_clear_dirty(struct l2_slice *s, uint32_t i);               /* without a write-back */
/* Sets STAMP_DRAM to when the last of these sectors arrived. */
void l2_stamp_dram(struct packet *p, const struct l2_missing *m, uint8_t sectors);
/* p waits in the MSHR entry e; in a new one. */
enum l2_result l2_merge_miss(struct l2_slice *s, uint32_t e, struct packet *p, const struct l2_now *t);
enum l2_result l2_miss(struct l2_slice *s, uint32_t i, struct packet *p, const struct l2_now *t);
bool l2_perform_waiting(struct l2_slice *s, const struct l2_now *t);
void l2_fill(struct l2_slice *s, uint32_t e, uint8_t sectors, uint64_t core);
bool l2_send_to_dram(struct l2_slice *s, const struct l2_now *t);
bool l2_flush_line(struct l2_slice *s, uint64_t now);
bool l2_send_line(struct l2_slice *s, uint64_t line, uint8_t sectors, uint32_t entry, bool write, uint64_t now);

/* ---- l2_coherence.c: the home of a coherence protocol ---- */
void l2_coherence_init(struct l2_slice *s);
void l2_coherence_end(struct l2_slice *s);
/* A message of the protocol. */
enum l2_result l2_coherence_message(struct l2_slice *s, struct packet *p, const struct l2_now *t);
/* Is p, an access that is not the protocol's, for a line with a state or an MSHR entry of the protocol? Its path. */
bool l2_coherence_has(const struct l2_slice *s, const struct packet *p);
enum l2_result l2_coherence_other(struct l2_slice *s, struct packet *p, const struct l2_now *t);
/* Begins to evict the line at i, if it has sharers. L2_SERVED: it may be replaced now. */
enum l2_result l2_coherence_evict(struct l2_slice *s, uint32_t i, const struct l2_now *t);
void l2_coherence_filled(struct l2_slice *s, uint32_t e);           /* all DRAM requests of the entry have completed */
bool l2_coherence_run(struct l2_slice *s, const struct l2_now *t); /* one event, or one waiting request */
bool l2_coherence_probe(struct l2_slice *s, const struct l2_now *t); /* queues one probe */
unsigned l2_coherence_state(const struct l2_slice *s, uint64_t line);
/* Accesses in no time, between cycles (partition_stable, partition_holder, partition_take). */
bool l2_coherence_stable(const struct l2_slice *s, uint64_t line);
int l2_coherence_holder(const struct l2_slice *s, uint64_t line);
void l2_coherence_take(struct l2_slice *s, uint64_t line, const struct partition_probe *probe);

/* The bytes of a mapped line; NULL: it has none. */
static inline uint8_t *l2_bytes(const struct l2_slice *s, uint64_t mapped)
{
    const struct partition_calls *calls = &s->part->cfg.calls;
    return calls->bytes ? calls->bytes(calls->ctx, mapped) : (uint8_t *)(uintptr_t)mapped;
}

/* The row that DRAM commands name, of a decoded mapped address. */
static inline uint32_t l2_dram_row(const struct partition *p, uint32_t row)
{
    return p->cfg.versions ? layout_dram_row(vmem_layout(p->cfg.versions), row) : row;
}

/* Schedules a visit of the slice in L2 cycle n. */
static inline void l2_wake(struct l2_slice *s, uint64_t n)
{
    s->next = n < s->next ? n : s->next;
    s->due = n < s->due ? n : s->due;
}

static inline uint32_t l2_sectors(uint8_t sectors)
{
    return (UINT64_C(0x4332322132212110) >> 4 * (sectors & ALL_SECTORS)) & 7;    /* bits set in a mask of four */
}

/* A request reads and writes so many sectors of the data array. */
static inline void l2_count_sectors(struct l2_slice *s, uint32_t read, uint32_t written)
{
    s->part->count[STAT_L2_SECTORS_READ] += read;
    s->part->count[STAT_L2_SECTORS_WRITTEN] += written;
}

static inline const struct cache_stats *l2_stats(const struct packet *p)
{
    return &cache_stats[p->kind == MSG_READ    ? CACHE_STATS_L2_READ
                        : p->kind == MSG_WRITE ? CACHE_STATS_L2_WRITE
                                               : CACHE_STATS_L2_ATOMIC];
}

#endif
