/*
 * One slice of the L2, inside its partition (partition.h). A request goes
 *
 *   port -> input queue -> pipeline of l2.latency stages -> tags -+-> performed -> reply queue -> port
 *                                                                 +-> MSHR, miss queue -> DRAM -> fill -> performed
 *
 * The input queue holds the port's credits; one request a cycle leaves it for the pipeline, which has a place per
 * stage and closes up when its head is blocked. Each cycle one request looks up its line, and the data array serves
 * one access, waiting requests whose fill has come before those that hit. All requests for a line with an MSHR entry
 * wait in it and perform in the order of their coming, so accesses to one line are never reordered. The way to the
 * DRAM queue is a pipeline as well, of dram.latency stages, which ends in the places of the miss queue.
 *
 * A slice is visited in the cycles for which it asks. A visit in any other cycle would change nothing.
 */
#ifndef MEMSYS_L2_H
#define MEMSYS_L2_H

#include "memsys/cache_stats.h"
#include "memsys/coherence/coherence.h"
#include "memsys/mshr.h"
#include "memsys/l2/partition.h"
#include "memsys/l2/engine.h"

/* What became of a request at the tags: it is served, or waits for something. */
enum l2_blocked {
    L2_SERVED,
#define L2_REASON(id, text) L2_BLOCKED_##id,
#include "memsys/l2/blocked.def"
};

struct l2_now { uint64_t l2, core, xbar; };          /* one L2 edge: the same instant in three clocks, rounded up */

struct l2_slot { struct packet *p; uint64_t ready; };

/* A virtual network's way to the tags. */
struct l2_input {
    struct packet_queue wait;
    struct l2_slot *pipe;            /* ring of l2.latency places */
    uint32_t head, n;
    bool mapped;                     /* the head has its address */
    enum l2_blocked why;             /* the head is blocked, and by what */
    uint64_t since;                  /* first cycle of that which is not counted yet */
};

/* Sectors of a line on their way to the DRAM queue. */
struct l2_transfer {
    uint64_t line, ready;            /* ready: L2 cycle at which the DRAM queue may take it */
    uint32_t entry;                  /* MSHR entry that waits for it; MSHR_NONE = nobody does */
    uint8_t sectors;                 /* still to be sent */
    bool write;
};

/* Beside each MSHR entry. */
struct l2_missing {
    uint64_t queued, filled;         /* core cycles: last at the DRAM queue, last fill */
    uint32_t outstanding;            /* DRAM requests under way or waiting for the DRAM queue */
    uint32_t arrived;                /* without tags: DRAM requests that are back and not used by a target yet */
    uint32_t next;                   /* in the list of entries that can perform */
    bool listed;
};

/* Numbers of MSHR entries, each at most once. */
struct l2_ring { uint32_t *e, first, n, places; };

/* Beside each MSHR entry, under a coherence protocol. */
struct l2_transaction {
    struct packet *request;          /* that the line is busy with; NULL: it leaves, or the request is answered */
    uint64_t *uncalled;              /* bit per SM: to be called still */
    uint32_t awaited;                /* answers to come */
    uint8_t call;                    /* message of the calls */
    uint8_t event;                   /* 1 + the home event that is to be worked; 0 = none */
    bool coherent;                   /* false: the entry is the baseline's */
    bool leaves;                     /* the line is to make room for another */
    bool listed;
};

struct slice {
    struct partition *part;
    uint32_t number, id;             /* in the partition; over all channels */
    struct port *request, *reply;
    uint64_t next;                   /* next L2 cycle in which it acts, if no message or credit comes */
    uint64_t due;                    /* the same with them, while the partition runs */

    struct l2_input in[VNS_MAX + 1]; /* networks, then the unit's own accesses */
    uint32_t inputs;
    uint32_t turn;                   /* network that looks up next */
    struct tags tags;                /* tags.tag NULL: no L2 */
    uint64_t *protocol;              /* by line: state in a coherence protocol, a bit per SM that shares it; or NULL */
    uint32_t words;                  /* of a line of that */
    struct l2_transaction *busy;     /* by MSHR entry; NULL = no protocol */
    struct l2_ring work, calling;    /* entries with something to be worked; with calls to be sent */
    uint32_t parked;                 /* entries whose lines wait for a place */
    struct packet_pool pool;         /* of packets that answer nothing */
    void *unit;                      /* NULL = none */
    uint64_t unit_next;              /* L2 cycle in which it acts next */
    bool unit_busy;                  /* it has turned a message away */
    uint64_t *dirty;                 /* bit per line */
    uint32_t dirty_lines, flush_at;
    bool flushing;

    struct mshr mshr;
    struct l2_missing *miss;
    uint32_t list_head, list_tail;   /* entries whose oldest target can perform */
    bool list_stuck;
    struct l2_transfer *transfer;    /* ring */
    uint32_t transfer_head, transfers, transfer_places;

    uint64_t data_free;              /* first cycle in which the data array is free */
    struct packet *atomic;           /* in the atomic unit, until: */
    uint64_t atomic_free;
    struct packet_queue out[VNS_MAX], unasked;
    uint64_t unasked_at;             /* cycle of the last partition_send */
    uint32_t places[VNS_MAX];        /* of the reply queue that are taken or promised */
    uint32_t out_turn, no_credit;    /* network that sends next; networks that wait for credits */
};

struct partition {
    struct partition_cfg cfg;
    uint64_t *count;
    struct hists *hists;
    struct dram *dram;
    uint64_t l2_from;                /* first L2 cycle not run yet */
    uint64_t mem_next, drained;      /* next memory cycle to run; the last one whose finished requests were collected */
    uint32_t dram_waiters;           /* slices for which the DRAM queue was full */
    uint32_t first;                  /* slice that may use the DRAM queue first */
    uint32_t data_cycles[LINE_SECTORS + 1];          /* of the data array, by number of sectors */
    struct slice *slice;
};

/* ---- l2_build.c ---- */
void l2_init(struct slice *s, struct partition *part, uint32_t number, struct port *request, struct port *reply);
void l2_end(struct slice *s);
void l2_clear(struct slice *s);                      /* no lines */
/* ---- l2.c: cycles ---- */
/* Executes a cycle and sets s->next. */
void l2_run(struct slice *s, const struct l2_now *t);
/* The next cycle at which it acts, messages and credits of its ports included. */
uint64_t l2_next(const struct slice *s);
/* Counts the cycles before `until` in which heads have been blocked. */
void l2_settle(struct slice *s, uint64_t until);
bool l2_idle(const struct slice *s);
/* ---- l2_engine.c: the unit beside the slice ---- */
void l2_unit_init(struct slice *s);
void l2_unit_end(struct slice *s);
void l2_unit_take(struct slice *s, const struct l2_now *t);      /* messages at the heads of the input queues */
void l2_unit_run(struct slice *s, const struct l2_now *t);
void l2_unit_performed(struct slice *s, struct packet *p, const struct l2_now *t);
bool l2_unit_before(struct slice *s, const struct packet *p, const struct l2_now *t);
void l2_unit_accessed(struct slice *s, const struct packet *p, const struct l2_now *t);
bool l2_unit_idle(const struct slice *s);
void l2_unit_settle(struct slice *s, uint64_t until);
/* ---- l2_dump.c ---- */
void l2_dump(const struct slice *s, void (*line)(void *ctx, const char *text), void *ctx);

/* ---- l2_perform.c: accesses, replies, the atomic unit ---- */
/* What keeps p from being performed in this cycle, NULL = nothing. */
enum l2_blocked l2_cannot_perform(const struct slice *s, const struct packet *p, uint64_t now);
/* i: its line, TAG_NONE without tags. */
void l2_perform(struct slice *s, uint32_t i, struct packet *p, const struct l2_now *t);
void l2_start_atomic(struct slice *s, struct packet *p, uint64_t now);       /* its place in the reply queue is taken */
bool l2_finish_atomic(struct slice *s, uint64_t now);
void l2_mark_dirty(struct slice *s, uint32_t i, uint8_t sectors);
bool l2_send_reply(struct slice *s, const struct l2_now *t);

/* ---- l2_miss.c: lines, MSHRs, the way to DRAM ---- */
/* Sectors that must be valid before p is performed. */
uint8_t l2_needs(const struct slice *s, const struct packet *p);
/* Gives a line that has none a place; its victim's dirty sectors are sent off. NULL = done, else what blocks. */
enum l2_blocked l2_make_room(struct slice *s, uint64_t line, uint32_t *i, const struct l2_now *t);
bool l2_write_back(struct slice *s, uint32_t i, uint64_t now);   /* a dirty line; false when the miss queue is full */
void l2_forget_dirty(struct slice *s, uint32_t i);               /* its bytes need no write-back */
void l2_stamp_dram(struct packet *p, const struct l2_missing *m);    /* when its line came */
/* The request waits in an entry that there is, in a new one. */
enum l2_blocked l2_join(struct slice *s, uint32_t e, struct packet *p, const struct l2_now *t);
enum l2_blocked l2_miss(struct slice *s, uint32_t i, struct packet *p, const struct l2_now *t);
bool l2_perform_waiting(struct slice *s, const struct l2_now *t);
void l2_fill(struct slice *s, uint32_t e, uint8_t sectors, uint64_t core);
bool l2_to_dram(struct slice *s, const struct l2_now *t);
bool l2_flush_line(struct slice *s, uint64_t now);
/* Requests that a transfer of these sectors makes to DRAM: neighbouring sectors go together. */
uint32_t l2_pieces(const struct slice *s, uint8_t sectors);
bool l2_send_line(struct slice *s, uint64_t line, uint8_t sectors, uint32_t entry, bool write, uint64_t now);

/* ---- l2_coherence.c: the home of a coherence protocol ---- */
void l2_coherence_init(struct slice *s);
void l2_coherence_end(struct slice *s);
/* A message of the protocol. L2_SERVED: it is taken, else what blocks it. */
enum l2_blocked l2_coherence_message(struct slice *s, struct packet *p, const struct l2_now *t);
/* A request of the baseline for a line with an entry of the protocol's. */
enum l2_blocked l2_coherence_beside(struct slice *s, uint32_t e, struct packet *p, const struct l2_now *t);
/* The line at i gives its place up: L2_SERVED = it may, else what it waits for. */
enum l2_blocked l2_coherence_evict(struct slice *s, uint32_t i, const struct l2_now *t);
void l2_coherence_filled(struct slice *s, uint32_t e);           /* all of the entry's DRAM requests are back */
bool l2_coherence_work(struct slice *s, const struct l2_now *t); /* one event, or one request that waited */
bool l2_coherence_call(struct slice *s, const struct l2_now *t); /* one call goes to the reply queue */
unsigned l2_coherence_state(const struct slice *s, uint64_t line);

/* Something happens to the slice that it must look at in L2 cycle n. */
static inline void l2_wake(struct slice *s, uint64_t n)
{
    s->next = n < s->next ? n : s->next;
    s->due = n < s->due ? n : s->due;
}

static inline uint32_t l2_sectors(uint8_t sectors)
{
    return (UINT64_C(0x4332322132212110) >> 4 * (sectors & ALL_SECTORS)) & 7;    /* bits set in a mask of four */
}

static inline const struct cache_stats *l2_stats(const struct packet *p)
{
    return &cache_stats[p->kind == MSG_READ    ? CACHE_STATS_L2_READ
                        : p->kind == MSG_WRITE ? CACHE_STATS_L2_WRITE
                                               : CACHE_STATS_L2_ATOMIC];
}

#endif
