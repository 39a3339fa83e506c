/*
 * The inside of an SM core, shared by the files that make it up: sm.c (life cycle, cycle loop, accounting), sm_blocks.c
 * (blocks), fetch.c, warp_waits.c (what the next instruction waits for), issue.c, pipes.c (pipelines, operand collector),
 * tx.c, tx_report.c and thread_states.c (transactions), sm_dump.c.
 */
#ifndef TIMING_SM_IMPL_H
#define TIMING_SM_IMPL_H

#include "base/fifo.h"
#include "base/pool.h"
#include "timing/core/calendar.h"
#include "timing/core/sched.h"
#include "timing/machine/trace.h"
#include "tm/core/tm_core.h"

enum { SCHEDULERS_MAX = 8, UNITS_MAX = 16, SLOTS_MAX = SCHEDULERS_MAX * 64, NO_HOLD = STALLS };

/* What an SM keeps for a grid: the worker that its blocks run on, and contexts of ended blocks to use again. */
struct sm_grid {
    const struct grid *grid;
    struct worker worker;
    struct block **spare;
    uint32_t nspare, cap;
};

struct resident {                    /* a resident block */
    struct block *block;             /* NULL = free */
    struct sm_grid *grid;
    uint64_t start;                  /* core cycle */
    uint32_t alive;                  /* warps that have not ended */
    uint16_t slot[MAX_BLOCK_THREADS / LANES];    /* warp slots, by warp of the block */
};

/* What the threads of a warp are at, since when (thread_states.c). */
struct thread_states {
    uint64_t since, run_from, run_to;            /* of the attempt: its start; cycle at which it came to its commit */
    uint32_t exist, committing, passed, running; /* lanes; the others are at `out` */
    enum stat out;
};

struct slot {                        /* a warp slot: two cache lines of the host */
    _Alignas(128) struct warp *warp; /* NULL = free */
    const struct tinst *inst;        /* the next instruction; NULL = waits at a barrier, or has ended */
    uint64_t bit;                    /* in its scheduler's sets */
    uint64_t *pending;               /* scoreboard: [words] results of arithmetic, [words] of memory */
    const struct tcode *code;        /* function of the next instruction */
    const struct tcode *names;       /* function whose registers are pending */
    uint16_t nalu, nmem;             /* instructions whose results are pending */
    uint16_t buffered, coming;       /* instructions in the buffer, and on their way to it */
    uint8_t sched, place, hold;      /* hold: what keeps the warp from being looked at, or NO_HOLD */
    bool missing;                    /* an instruction line is under way */
    bool waking;                     /* an EV_WAKE is filed */
    bool ended;
    uint16_t index;                  /* of this slot */
    uint32_t seq;                    /* of the next instruction in its function */
    uint32_t fetch;                  /* of the next instruction to fetch */
    uint32_t epoch;                  /* of the fetch: changes when it starts anew */
    uint32_t collecting;             /* memory instructions in operand collectors */
    struct order_warp order;
    struct resident *block;
    const struct dinst *step;
    uint64_t since;                  /* cycle at which it came to its place */
    /* transactions */
    bool tm, in_tx;                  /* of a kernel with transactions; inside one */
    bool doomed, validate, validating;           /* lanes to be aborted; reads to be validated; being validated */
    bool has_local;                  /* .local memory is used: a transaction's accesses to it go one by one */
    bool controlled, locked;         /* waits for its turn at tx_begin; in a lock loop */
    uint8_t tx_wait;                 /* enum tx_wait, for the timeline: of the time at ST_TX */
    uint16_t atomics;                /* outstanding */
    uint32_t attempt;                /* as txn_attempt says */
    int fault_lane;                  /* of a held fault that is to be validated; -1 = none */
    const struct dinst *tx_begin;    /* of the transaction, in: */
    const struct code *tx_code;
    struct thread_states states;
};

/* What a warp at ST_TX waits for: its turn at tx_begin, outcomes, the end of a back-off or of saving registers, the
 * answer to whether its reads are current, what it has under way, the protocol. */
enum tx_wait { TX_TURN, TX_OUTCOME, TX_PAUSE, TX_VALIDATION, TX_QUIET, TX_PROTOCOL };

struct unit { uint64_t free, lanes; };           /* when it can take an instruction; when it has taken in all lanes */

struct pipeline {
    struct unit unit[UNITS_MAX];
    uint32_t n;
    bool pinned;                     /* unit i is scheduler i's own */
};

struct collected { struct mem_op *op; uint64_t at; uint32_t unit; };

struct collector {
    uint64_t *unit, *bank;           /* cycle from which each is free */
    uint32_t *idle, nidle;           /* units known to be free */
    struct collected *queue;         /* memory instructions on their way to the load/store unit, in order: a ring */
    uint32_t head, n, cap;
};

struct sm {
    struct sm_cfg cfg;
    struct lsu *lsu;
    uint64_t now;                    /* the cycle being executed; what %clock shows */
    uint64_t upto;                   /* all cycles before are over */
    uint64_t lsu_at, core_at;        /* when the load/store unit and the rest act next */
    uint64_t fetch_at, dispatch_at;  /* when fetch and the operand collectors' memory queue act next */
    bool mem_blocked;                /* a memory instruction waits for room in the load/store unit */
    uint8_t first;                   /* scheduler that comes first in the next cycle */
    struct scheduler sched[SCHEDULERS_MAX];
    struct slot *slot;
    struct pipeline pipe[PIPES];
    struct collector collector;
    struct calendar calendar;
    uint64_t *pending;               /* scoreboards of all slots */
    uint32_t pending_words;          /* of one set of one slot */
    /* fetch */
    uint32_t line_insts, fetch_most; /* instructions of a line, and the most that one fetch brings */
    uint64_t want[SLOTS_MAX / 64];
    uint32_t fetched_last;
    /* blocks */
    struct resident *block;
    uint64_t *free_slots;            /* bit set */
    uint32_t nfree_slots, live;      /* live: warps that have not ended */
    uint32_t blocks, ending;         /* resident blocks; of these, those whose warps all ended */
    uint32_t hosts;                  /* warps that wait to call a function of the host */
    bool tx_waits;                   /* some warp may wait until nothing of it is under way */
    struct sm_grid **grid;
    uint32_t ngrids;
    struct fifo start;               /* struct block_start: blocks that wait for room */
    struct block_end *ended;
    uint32_t nended, ended_cap;
    void *order_state;
    struct pool ops;                 /* struct mem_op: memory instructions */
    const struct fault *fault;
    const struct grid *fault_grid;
    struct sm_watch *watch;          /* the timeline, or NULL */
    struct tm_core *tm;              /* NULL = none */
    uint64_t tm_at;                  /* when it acts next */
    struct { struct mem_op *first, *last; } parked;  /* accesses of transactions that found no room */
    uint32_t restoring;              /* slot of the warp whose private memory is being put back */
    uint64_t settled;                /* cycles before are in the counters of the SM as a whole */
    uint64_t *count;                 /* [STAT_END] */
    struct hists *hists;
};

/* ---- sm.c ---- */
void sm_settle(struct sm *s, uint64_t until);    /* books resident warps and cycles up to here, before they change */

/* A warp's worker has raised a fault, or not. */
static inline void sm_take_fault(struct sm *s, const struct slot *w)
{
    const struct sm_grid *g = w->block->grid;
    if (g->worker.fault) {
        s->fault = g->worker.fault;
        s->fault_grid = g->grid;
    }
}

static inline const struct block_start *cta_next(const struct sm *s)
{
    return fifo_front(&s->start);
}

/* Is a block queued, and is there room for it? */
static inline bool cta_fits(const struct sm *s)
{
    return s->start.n && s->blocks < s->cfg.blocks && cta_next(s)->grid->launch.nwarps <= s->nfree_slots;
}

static inline void sm_event(struct sm *s, uint64_t at, enum event_kind kind, const struct slot *w)
{
    calendar_add(&s->calendar, s->now, &(struct event){ .at = at, .kind = (uint8_t)kind, .warp = w->index });
}

/* Will registers be written when the op is performed, even such as nobody reads? Its frame must stay until then. */
static inline bool sm_op_writes(const struct mem_op *op)
{
    return op->kind == MOP_LOAD || op->kind == MOP_ATOM;
}

/* kind: EV_ALU, EV_MEM or EV_ACQUIRE */
static inline void sm_result(struct sm *s, uint64_t at, enum event_kind kind, const struct slot *w,
                             const struct tinst *t)
{
    struct event e = { .at = at, .inst = t, .kind = (uint8_t)kind, .warp = w->index };
    calendar_add(&s->calendar, s->now, &e);
}

/* ---- warp_waits.c ---- */
/* Into the timeline, which there is: the place at which the warp has been, up to this cycle. */
void warp_watch(struct sm *s, const struct slot *w, uint64_t until);
void warp_move(struct sm *s, struct slot *w, unsigned place);
void warp_renew(struct sm *s, struct slot *w);   /* what it waits for at its place has become something else */
void warp_consider(struct sm *s, struct slot *w);            /* after anything happened that it may have waited for */
void warp_hold(struct sm *s, struct slot *w, enum stall why, uint64_t until);    /* NEVER: until warp_wake */
void warp_wake(struct sm *s, struct slot *w);
/* Goes on to the next instruction. Ends the warp, or holds it at a barrier, when it has none. */
void warp_advance(struct sm *s, struct slot *w);
void warp_set_pending(struct slot *w, const struct tinst *t, uint32_t words, bool memory);
void warp_clear_pending(struct sm *s, struct slot *w, const struct tinst *t, bool memory);
void warp_performed(struct sm *s, struct slot *w, uint32_t loads, uint32_t stores, uint32_t acquires);

/* ---- fetch.c ---- */
void fetch_start(struct sm *s, struct slot *w, uint32_t seq);    /* anew from here; the buffer is empty */
void fetch_consider(struct sm *s, struct slot *w);               /* does it have room for more? */
void fetch_arrived(struct sm *s, struct slot *w, const struct event *e);
void fetch_line(struct sm *s, uint64_t line);
void fetch_run(struct sm *s);

/* ---- issue.c ---- */
bool issue_run(struct sm *s, unsigned k);        /* a cycle of scheduler k: did it issue? */
/* Books a scheduler's reason for the cycles since it was looked at. */
void issue_book(struct sm *s, struct scheduler *c, uint64_t until);
void issue_memory(struct sm *s, struct slot *w, struct mem_op *op);  /* hands it to the load/store unit */

/* ---- pipes.c ---- */
void pipes_init(struct sm *s);
void pipes_end(struct sm *s);
/* Can an instruction of scheduler k go to pipeline p now? If not: why (bits), and when to look again. */
bool pipe_offers(struct sm *s, unsigned k, enum pipe p, uint32_t *why, uint64_t *again);
/* Sends it there. Returns the cycle in which the pipeline takes it. */
uint64_t pipe_take(struct sm *s, unsigned k, const struct slot *w, const struct tinst *t);
/* A memory instruction: at once, or through an operand collector. */
void pipe_memory(struct sm *s, struct slot *w, const struct tinst *t, struct mem_op *op);
void pipe_dispatch(struct sm *s);                /* collected memory instructions whose cycle has come */

/* ---- tx.c: transactions ---- */
/* What transactional memory calls (struct tm_calls), with the SM as ctx. */
struct mem_op *tx_op_new(void *ctx);
void tx_op_free(void *ctx, struct mem_op *op);
void tx_issue(void *ctx, uint32_t slot, struct mem_op *op);
void tx_loaded(void *ctx, struct mem_op *op);
void tx_decided(void *ctx, uint32_t slot, uint64_t commits, uint64_t aborts);
void tx_doomed(void *ctx, uint32_t slot);
void tx_ask(void *ctx, uint32_t slot);
void tx_fault_again(void *ctx, uint32_t slot);
void tx_impossible(void *ctx, uint32_t slot, unsigned lane, const char *text);
void tx_at(void *ctx, uint64_t cycle);
void tx_private_write(void *ctx, uint64_t address, const void *bytes, unsigned n);   /* of a worker (ptx/exec/exec.h) */
/* May the next instruction issue, as far as transactions go? */
bool tx_may_issue(struct sm *s, struct slot *w, const struct tinst *t);
void tx_begun(struct sm *s, struct slot *w, const struct tcode *code, const struct dinst *d);    /* behind a tx_begin */
void tx_committing(struct sm *s, struct slot *w);                /* all lanes of its attempt have come to tx_commit */
void tx_executed(struct sm *s, struct slot *w, uint64_t lanes);  /* an instruction inside */
bool tx_fault(struct sm *s, struct slot *w);                     /* a step has faulted; true: the fault is held */
/* Aborts, or begins to validate, what waits for that, if nothing is under way. False: not now, or nothing waits. */
bool tx_try(struct sm *s, struct slot *w);
void tx_op_done(struct sm *s, struct mem_op *op, uint64_t at);   /* an op with a role will be over at this cycle */
void tx_op_over(struct sm *s, struct mem_op *op);
void tx_poll(struct sm *s);
void tx_unpark(struct sm *s);        /* accesses that found the load/store unit full */
bool tx_quiet(const struct sm *s, const struct slot *w);         /* nothing of the warp is under way in memory */

/* ---- tx_report.c: what transactions look like from outside ---- */
enum tx_wait tx_waits_for(const struct sm *s, const struct slot *w);     /* of a warp at ST_TX */
extern const char *const tx_wait_name[];         /* in the timeline */
void tx_say(const struct sm *s, const struct slot *w, char *buf, size_t size);       /* in words, of a warp at ST_TX */
/* Into the timeline, if there is one: an attempt has begun; the transaction is over. */
void tx_watch_attempt(struct sm *s, struct slot *w);
void tx_watch_over(struct sm *s, struct slot *w);
void tx_watch_outcome(struct sm *s, const struct slot *w, uint64_t commits, uint64_t aborts);    /* there is one */

/* ---- thread_states.c ---- */
void states_book(struct sm *s, struct slot *w);                  /* behind any change of what its threads are at */
void states_locked(struct sm *s, struct slot *w, bool locked);   /* the instruction issued is in a lock loop, or not */
void states_attempt(struct sm *s, struct slot *w, uint64_t held);    /* an attempt begins, after so many cycles */
void states_decided(struct sm *s, struct slot *w, uint64_t commits, uint64_t aborts);    /* before they are applied */

/* ---- sm_blocks.c ---- */
void cta_start(struct sm *s);                    /* the oldest queued block */
void cta_warp_ended(struct sm *s, struct slot *w);
void cta_check_end(struct sm *s, struct resident *r);
void cta_release_barrier(struct sm *s, struct resident *r, uint64_t at);     /* warps that a completed barrier let go */

#endif
