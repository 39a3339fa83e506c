/*
 * Internals of an SM, shared by its files: sm.c (construction, cycle loop, accounting), sm_blocks.c (blocks), fetch.c,
 * warp_waits.c (what the next instruction waits for), issue.c, pipes.c (pipelines, operand collectors), tx.c,
 * tx_report.c and thread_states.c (transactions), sm_profile.c, sm_dump.c.
 */
#ifndef TIMING_SM_IMPL_H
#define TIMING_SM_IMPL_H

#include "base/fifo.h"
#include "base/pool.h"
#include "base/profile.h"
#include "timing/cluster/network.h"
#include "timing/core/calendar.h"
#include "timing/core/sched.h"
#include "timing/machine/trace.h"
#include "tm/core/tm_core.h"

enum { SM_SCHEDULERS_MAX = 8, SM_UNITS_MAX = 16, SM_SLOTS_MAX = SM_SCHEDULERS_MAX * 64, SM_NO_HOLD = SM_STALLS,
       SM_COPY_GROUPS = 16,              /* of a warp, of asynchronous copies or products in flight */
       SM_NO_GROUP = 255 };

/* State of an SM for a grid: the worker that executes its blocks, and contexts of ended blocks for reuse. */
struct sm_grid {
    const struct grid *grid;
    struct worker worker;
    struct block **spare;
    uint32_t nspare, cap;
    struct profile profile;          /* empty without profile.file */
};

struct resident_block {
    struct block *block;             /* NULL = free */
    struct sm_grid *grid;
    uint64_t start;                  /* core cycle */
    uint32_t alive;                  /* warps that have not ended */
    uint16_t cluster_sm[CLUSTER_MAX];    /* SMs of its cluster, by rank */
    bool arrived;                    /* it has reported its arrival at the barrier of the cluster */
    uint16_t slot[MAX_BLOCK_THREADS / LANES];    /* warp slots, by warp of the block */
};

/* States of the threads of a warp since cycle `since` (thread_states.c). */
struct thread_states {
    uint64_t since, run_from, run_to;            /* of the attempt: its first cycle; the cycle at which it commits */
    uint32_t exist, committing, passed, running; /* lanes in these states; the other lanes are in state `out` */
    enum stat out;
};

/* What is fetched: the instructions that follow; those after a branch that goes elsewhere, on their way or in the
 * buffer. */
enum fetch_path { FETCH_RIGHT_PATH, FETCH_WRONG_PATH, FETCH_TO_FLUSH };

struct slot {                        /* a warp slot: two cache lines of the host */
    _Alignas(128) struct warp *warp; /* NULL = free */
    const struct tinst *inst;        /* the next instruction; NULL = waits at a barrier, or has ended */
    uint64_t bit;                    /* of this slot in the sets of its scheduler */
    uint64_t *pending;               /* scoreboard: [words] results of arithmetic, [words] of memory */
    uint64_t *guards_from;           /* core.guard_latency: by predicate, the cycle from which guards may read it */
    const struct tcode *code;        /* function of the next instruction */
    const struct tcode *pending_code;            /* function whose registers are pending */
    uint16_t nalu, nmem;             /* instructions whose results are pending */
    uint16_t buffered, coming;       /* instructions in the instruction buffer; fetched, but not yet in the buffer */
    uint8_t path;                    /* enum fetch_path */
    uint8_t sched, set, hold;        /* scheduler, its set; hold: stall until warp_wake, SM_NO_HOLD = none */
    bool missing;                    /* a miss in the instruction cache is outstanding */
    bool waking;                     /* an EVENT_WAKE is scheduled */
    bool ended;
    bool combining;                  /* the sequence of the next instruction has begun (combine.c) */
    uint16_t index;                  /* of this slot */
    uint32_t seq;                    /* index of the next instruction in its function */
    uint32_t fetch;                  /* index of the next instruction to fetch */
    uint32_t epoch;                  /* changes when fetch restarts */
    uint32_t collecting;             /* memory instructions in operand collectors */
    struct order_warp order;
    struct resident_block *block;
    const struct dinst *step;        /* the next instruction, decoded */
    uint64_t since;                  /* cycle at which it came into its set */
    /* transactions */
    bool tm, in_tx;                  /* its kernel has transactions; it is in one */
    bool doomed, validate, validating;           /* has lanes to abort; needs a validation; validation in progress */
    bool has_local;                  /* uses .local memory: accesses to it in a transaction go one by one */
    bool controlled, locked;         /* stalled at tx_begin by concurrency control; in a lock loop */
    uint8_t tx_wait;                 /* enum tx_wait of the current SM_STALL_TX, for the timeline */
    uint16_t atomics;                /* outstanding */
    uint16_t stops;                  /* instructions in flight until whose results the warp does not issue */
    uint32_t scalars;                /* instructions on the scalar unit that precede the next one */
    uint32_t attempt;                /* txn_attempt of the current attempt */
    int fault_lane;                  /* lane of a deferred fault, raised after a successful validation; -1 = none */
    const struct dinst *tx_begin;    /* instruction that began the transaction, and its code */
    const struct code *tx_code;
    struct thread_states states;
};

/* What a warp at SM_STALL_TX waits for: concurrency control at tx_begin; the outcome of its commit; the end of a
 * back-off or of saving registers; the result of a validation; its outstanding accesses; the protocol. */
enum tx_wait {
    TX_WAIT_BEGIN, TX_WAIT_OUTCOME, TX_WAIT_BACKOFF, TX_WAIT_VALIDATION, TX_WAIT_ACCESSES, TX_WAIT_PROTOCOL
};

/* A functional unit of a pipeline; cycles: when it accepts the next instruction; when all lanes have entered it. */
struct unit { uint64_t free, lanes; };

struct pipeline {
    struct unit unit[SM_UNITS_MAX];
    uint32_t n;
    bool pinned;                     /* unit i belongs to scheduler i */
};

struct collected { struct mem_op *op; uint64_t at; uint32_t unit; };

struct collector {
    uint64_t *unit, *bank;           /* cycle from which each is free */
    uint32_t bank_mask;              /* number of banks - 1 when that number is a power of two, else 0 */
    uint32_t *idle, nidle;           /* units known to be free */
    struct collected *queue;         /* ring of memory instructions that go to the load/store unit, in order */
    uint32_t head, n, cap;
};

struct sm {
    struct sm_cfg cfg;
    struct lsu *lsu;
    uint64_t now;                    /* the current cycle, also the value of %clock */
    uint64_t upto;                   /* all cycles before this one are simulated */
    uint64_t lsu_at, core_at;        /* next events of the load/store unit and of everything else */
    struct sm_horizon horizon;
    bool has_credits;                /* enough at the horizon, until the load/store unit runs */
    uint64_t fetch_at, dispatch_at;  /* next events of fetch and of the collectors' queue of memory instructions */
    bool mem_blocked;                /* a memory instruction waits for space in the load/store unit */
    uint8_t first;                   /* scheduler that issues first in the next cycle */
    struct scheduler sched[SM_SCHEDULERS_MAX];
    struct slot *slot;
    struct pipeline pipe[PIPES];
    struct collector collector;
    struct calendar calendar;
    struct copies *copies;               /* by slot; NULL: no copies */
    struct bulk_engine *bulk;        /* NULL: no bulk copies */
    uint64_t *pending;               /* scoreboards of all slots */
    uint32_t pending_words;          /* of one set of one slot */
    uint64_t *guards_from;           /* of all slots */
    uint32_t predicates;             /* of one slot */
    /* fetch */
    uint64_t want[SM_SLOTS_MAX / 64];            /* slots that need a fetch */
    uint32_t want_words;             /* of `want` that are used */
    uint32_t fetched_last;           /* slot of the last fetch, for the round robin */
    /* blocks */
    struct resident_block *block;
    uint64_t free_slots[SM_SCHEDULERS_MAX];      /* of each scheduler: bits as struct slot.bit */
    uint32_t nfree_slots, live;      /* live: warps that have not ended */
    uint32_t blocks, ending;         /* resident blocks; of these, blocks whose warps have all ended */
    uint64_t barrier_free;           /* cycle from which the barrier unit accepts the next arrival */
    uint32_t hosts;                  /* warps that wait because of tinst.drains */
    bool tx_waits;                   /* a warp may wait until none of its accesses is outstanding */
    struct sm_grid **grid;
    uint32_t ngrids;
    struct fifo start;               /* struct block_start: queued blocks */
    struct cnet_port port;        /* to the other SMs */
    struct block_end *ended;
    uint32_t nended, ended_cap;
    void *order_state;
    struct pool ops;                 /* struct mem_op: memory instructions */
    struct pool fetches;             /* struct tex_fetch: the texture fetches among them */
    const struct fault *fault;
    const struct grid *fault_grid;
    struct trace_sm *trace;          /* the timeline, or NULL */
    struct sm_profile *profile;      /* NULL = none */
    bool observed;                   /* there is a timeline or a profile */
    struct tm_core *tm;              /* NULL = none */
    uint64_t tm_at;                  /* its next event */
    struct { struct mem_op *first, *last; } parked;  /* accesses of transactions that wait for the load/store unit */
    uint32_t restoring;              /* slot of the warp whose private memory is being restored */
    uint64_t accounted;              /* cycles before this one are in the counters */
    uint64_t *count;                 /* [STAT_END] */
    struct hists *hists;
};

/* ---- sm.c ---- */
void sm_account(struct sm *s, uint64_t until);   /* counts cycles and resident warps; call before these change */

/* Takes over a fault that the worker of the warp may have raised. */
static inline void sm_take_fault(struct sm *s, const struct slot *w)
{
    const struct sm_grid *g = w->block->grid;
    if (g->worker.fault) {
        s->fault = g->worker.fault;
        s->fault_grid = g->grid;
    }
}

/* The oldest queued block. */
static inline const struct block_start *sm_block_next(const struct sm *s)
{
    return fifo_front(&s->start);
}

/* The schedulers that take the warps of the next block (bit set): all, or with core.block_on_one_scheduler the one that
 * follows from the block's place in the SM, or the next one with enough free slots; 0 = the block has to wait. */
uint32_t sm_block_schedulers(const struct sm *s);

/* Is a block queued, and are there slots for it? */
static inline bool sm_block_fits(const struct sm *s)
{
    return s->start.n && s->blocks < s->cfg.blocks && sm_block_next(s)->grid->launch.nwarps <= s->nfree_slots &&
           (!s->cfg.block_on_one_scheduler || sm_block_schedulers(s));
}

static inline void sm_event(struct sm *s, uint64_t at, enum event_kind kind, const struct slot *w)
{
    calendar_add(&s->calendar, s->now, &(struct event){ .at = at, .kind = (uint8_t)kind, .warp = w->index });
}

/* Does the access write registers when it is performed? The frame must exist until then, even if nothing reads them. */
static inline bool sm_op_writes(const struct mem_op *op)
{
    return (op->kind == MOP_LOAD && !op->to_shared) || op->kind == MOP_ATOM;
}

/* Must later accesses wait for it? An acquire of block scope on shared memory orders no access to global memory:
 * threads of a block have one L1. */
static inline bool sm_op_acquires(const struct tinst *t, const struct mem_op *op)
{
    uint64_t shared = op->served_by[SERVE_SHARED] | op->served_by[SERVE_CLUSTER];
    return op->order_acquire && (op->served_by[SERVE_GLOBAL] || (shared && t->acquires));
}

/* kind: EVENT_ALU, EVENT_MEM or EVENT_ACQUIRE */
static inline void sm_result(struct sm *s, uint64_t at, enum event_kind kind, const struct slot *w,
                             const struct tinst *t)
{
    struct event e = { .at = at, .inst = t, .kind = (uint8_t)kind, .warp = w->index };
    calendar_add(&s->calendar, s->now, &e);
}

/* ---- warp_waits.c ---- */
/* Writes the state of the warp up to this cycle to the timeline, which must exist. */
void warp_trace(struct sm *s, const struct slot *w, uint64_t until);
void warp_move(struct sm *s, struct slot *w, unsigned set);
void warp_restart_wait(struct sm *s, struct slot *w);        /* it waits for something else without changing its set */
void warp_consider(struct sm *s, struct slot *w);            /* call after any event that it may have waited for */
/* Stalls the warp until this cycle; NEVER = until warp_wake. */
void warp_hold(struct sm *s, struct slot *w, enum sm_stall why, uint64_t until);
void warp_wake(struct sm *s, struct slot *w);
/* Stalls the warp for the scalar instructions that precede its next instruction, if there are any. */
void warp_run_scalars(struct sm *s, struct slot *w);
/* Advances the warp to its next instruction. Without one, ends the warp, starts its commit, or holds it at a
 * barrier. */
void warp_advance(struct sm *s, struct slot *w);
void warp_set_pending(struct slot *w, const struct tinst *t, uint32_t words, bool memory);
void warp_clear_pending(struct sm *s, struct slot *w, const struct tinst *t, bool memory);
/* core.guard_latency: guards may read the predicates that t writes from cycle `at` on, that of EVENT_GUARDS. */
void warp_delay_guards(struct sm *s, struct slot *w, const struct tinst *t, uint64_t at);
void warp_guards_available(struct sm *s, struct slot *w);    /* EVENT_GUARDS */
void warp_performed(struct sm *s, struct slot *w, uint32_t loads, uint32_t stores, uint32_t acquires);

/* ---- fetch.c ---- */
void fetch_start(struct sm *s, struct slot *w, uint32_t seq);    /* restarts at this instruction with an empty buffer */
/* The next instruction is seq, not `next`, which follows the last one in the code. */
void fetch_redirect(struct sm *s, struct slot *w, uint32_t next, uint32_t seq);
void fetch_flush(struct sm *s, unsigned k, uint64_t warps);      /* scheduler k considers these of its warps */
void fetch_consider(struct sm *s, struct slot *w);               /* requests a fetch if the buffer has space */
void fetch_arrived(struct sm *s, struct slot *w, const struct event *e);
void fetch_line(struct sm *s, uint64_t line);
void fetch_run(struct sm *s);

/* ---- issue.c ---- */
bool issue_run(struct sm *s, unsigned k);        /* runs a cycle of scheduler k; true = it issued */
/* Counts the cycles since the scheduler's last cycle under its current stall reason. */
static inline void issue_account(struct sm *s, struct scheduler *c, uint64_t until)
{
    if (until > c->since) {
        s->count[sm_stall_table[c->reason].stat] += until - c->since;
        if (c->charged)
            c->charged[PROFILE_STALL_ISSUE_WIDTH + c->reason] += until - c->since;
        c->since = until;
    }
}
void issue_memory(struct sm *s, struct slot *w, struct mem_op *op);  /* to the load/store unit */

/* ---- pipes.c ---- */
void pipes_init(struct sm *s);
void pipes_end(struct sm *s);
/* Has scheduler k a unit of pipeline p that accepts an instruction now? */
static inline bool pipe_accepts(const struct sm *s, unsigned k, enum pipe p)
{
    const struct pipeline *q = &s->pipe[p];
    bool accepts = q->unit[q->pinned ? k : 0].free <= s->now;
    for (unsigned i = 1; !q->pinned && i < q->n; i++)
        accepts |= q->unit[i].free <= s->now;
    return accepts;
}
/* Can scheduler k issue to pipeline p now? If not: *why gets the stall reasons (bits), *again the cycle to retry. */
bool pipe_offers(struct sm *s, unsigned k, enum pipe p, uint32_t *why, uint64_t *again);
/* Issues an instruction to its pipeline. Returns the cycle in which the pipeline accepts it. */
uint64_t pipe_take(struct sm *s, unsigned k, const struct slot *w, const struct tinst *t);
/* The same for an asynchronous product, which does not wait for the pipeline to be free: it is queued. */
uint64_t pipe_queue(struct sm *s, unsigned k, const struct tinst *t);
/* Issues a memory instruction, directly or through an operand collector. */
void pipe_memory(struct sm *s, struct slot *w, const struct tinst *t, struct mem_op *op);
void pipe_dispatch(struct sm *s);                /* sends a collected memory instruction to the load/store unit */

/* A memory instruction of the program has completed or been dropped. */
static inline void sm_give_op(struct sm *s, struct mem_op *op)
{
    if (op->fetch)
        pool_give(&s->fetches, op->fetch);
    pool_give(&s->ops, op);
}

/* ---- tx.c: transactions ---- */
/* Functions that transactional memory calls (struct tm_calls), with the SM as ctx. */
struct mem_op *tx_op_new(void *ctx);
void tx_op_free(void *ctx, struct mem_op *op);
void tx_issue(void *ctx, uint32_t slot, struct mem_op *op);
void tx_loaded(void *ctx, struct mem_op *op);
void tx_decided(void *ctx, uint32_t slot, uint64_t commits, uint64_t aborts);
void tx_doomed(void *ctx, uint32_t slot);
void tx_reconsider(void *ctx, uint32_t slot);
void tx_fault_again(void *ctx, uint32_t slot);
uint32_t tx_cycles_to_commit(void *ctx, uint32_t slot);
void tx_impossible(void *ctx, uint32_t slot, unsigned lane, const struct dinst *at, const char *text);
void tx_at(void *ctx, uint64_t cycle);
void tx_private_write(void *ctx, uint64_t address, const void *bytes, unsigned n);   /* of a worker (ptx/exec/exec.h) */
/* Does transactional memory allow the next instruction to issue? */
bool tx_may_issue(struct sm *s, struct slot *w, const struct tinst *t);
void tx_begun(struct sm *s, struct slot *w, const struct tcode *code, const struct dinst *d);    /* after a tx_begin */
void tx_committing(struct sm *s, struct slot *w);                /* all lanes of its attempt have reached tx_commit */
void tx_executed(struct sm *s, struct slot *w, uint64_t lanes);  /* after an instruction of a transaction */
bool tx_fault(struct sm *s, struct slot *w);                     /* a step has faulted; true = the fault is deferred */
/* If no access of the warp is outstanding, aborts its doomed lanes or begins a needed validation. False = neither. */
bool tx_try(struct sm *s, struct slot *w);
void tx_op_done(struct sm *s, struct mem_op *op, uint64_t at);   /* an access with a role completes in this cycle */
void tx_op_over(struct sm *s, struct mem_op *op);                /* it has completed */
void tx_poll(struct sm *s);          /* tries warps that wait until none of their accesses is outstanding */
void tx_unpark(struct sm *s);        /* issues accesses that found the load/store unit's queue full */
bool tx_no_accesses(const struct sm *s, const struct slot *w);   /* no access of the warp is outstanding */

/* ---- tx_report.c: transactions in the timeline and in reports ---- */
enum tx_wait tx_waits_for(const struct sm *s, const struct slot *w);     /* of a warp at SM_STALL_TX */
extern const char *const tx_wait_name[];         /* in the timeline */
void tx_describe(const struct sm *s, const struct slot *w, char *buf, size_t size);  /* what such a warp waits for */
/* Write to the timeline, if there is one: an attempt has begun; the transaction has ended; lanes have an outcome. */
void tx_trace_attempt(struct sm *s, struct slot *w);
void tx_trace_end(struct sm *s, struct slot *w);
void tx_trace_outcome(struct sm *s, const struct slot *w, uint64_t commits, uint64_t aborts);

/* ---- copies.c ---- */
void copies_begin(struct sm *s, const struct slot *w, struct mem_op *op);
bool copies_pending(const struct sm *s, const struct slot *w);
void copies_commit(struct sm *s, const struct slot *w, const struct tinst *t);
/* May the instruction, a TINST_COPY, issue? */
bool copies_allow(const struct sm *s, const struct slot *w, const struct tinst *t);
void copies_arrived(struct sm *s, struct slot *w, struct mem_op *op, uint64_t at);
/* cp.async.mbarrier.arrive has been issued; it has performed. */
void copies_arrive(struct sm *s, const struct slot *w, struct mem_op *op);
void copies_arrive_performed(struct sm *s, struct slot *w, struct mem_op *op);
void copies_end(struct sm *s, struct slot *w, uint64_t number);      /* that copy_number is complete */
/* n bulk copies have been issued: returns their group, or SM_NO_GROUP if barrier objects count them. Each of them calls
 * copies_bulk_read when its last byte has been read, and copies_bulk_end when it is complete. */
uint32_t copies_begin_bulk(struct sm *s, const struct slot *w, uint32_t n, bool of_group);
void copies_bulk_read(struct sm *s, struct slot *w, uint32_t group);
void copies_bulk_end(struct sm *s, struct slot *w, uint32_t group);
/* A product of the warp's warpgroup completes in cycle `at`; it has completed. */
void copies_begin_product(struct sm *s, const struct slot *w, uint64_t at);
void copies_product_end(struct sm *s, struct slot *w, uint32_t group);

/* ---- bulk_engine.c ---- */
/* The bulk copies of a warp instruction have been issued to the load/store unit; the instruction has passed it. */
void bulk_issued(struct sm *s, const struct slot *w, struct mem_op *op);
void bulk_begin(struct sm *s, struct mem_op *op);
void bulk_run(struct sm *s);                     /* sends parts while there is room; after the load/store unit */
void bulk_wake(struct sm *s);                    /* EVENT_BULK */
/* ---- a part of a copy: each function names what has become of it ---- */
/* The load/store unit has completed it in cycle `at`: a load has its bytes, a store has been sent. */
void bulk_part_done(struct sm *s, struct mem_op *op, uint64_t at);
/* Its bytes have arrived in this SM, or the other block of the cluster has acknowledged them; _at: they do in cycle
 * `at`. */
void bulk_part_arrived(struct sm *s, struct mem_op *op);
void bulk_part_at(struct sm *s, struct mem_op *op, uint64_t at);
/* The other block has exited. Reports it as an illegal access, once for each copy. */
void bulk_part_refused(struct sm *s, struct mem_op *op);
/* L2 has acknowledged all packets of a store of the copy (lsu_calls). */
void bulk_part_acknowledged(void *sm, void *copy, uint64_t at);
bool bulk_describe(const struct sm *s, char *buf, size_t size);      /* for hang reports; false: there are no copies */
void bulk_free(struct sm *s);

/* ---- sm_profile.c: the profile of instructions; all but begin, end and clear_charges need s->profile ---- */
void sm_profile_begin(struct sm *s);
void sm_profile_end(struct sm *s);
void sm_profile_start(struct sm *s, const struct slot *w);               /* the warp starts in this cycle */
void sm_profile_move(struct sm *s, const struct slot *w, unsigned set);  /* before the warp moves to the set */
void sm_profile_issue(struct sm *s, const struct slot *w);               /* before its next instruction issues */
void sm_profile_sequence(struct sm *s, const struct slot *w);            /* its next instruction begins as a sequence */
void sm_profile_next(struct sm *s, const struct slot *w);                /* after the issue, when it has its next one */
uint64_t *sm_profile_row(const struct sm *s, const struct slot *w);      /* the row of its last issued instruction */
/* From this cycle on the scheduler's stalls are charged to a warp: one of `among` with the reason `why`; one of `warps`
 * (0 = none). */
void sm_profile_stall_reason(struct sm *s, unsigned k, uint64_t among, enum sm_stall why);
void sm_profile_stall_of(struct sm *s, unsigned k, uint64_t warps);
/* To be called before the rows of a grid are freed: clears all pointers to rows. */
void sm_profile_clear_charges(struct sm *s);

/* ---- thread_states.c ---- */
void thread_states_count(struct sm *s, struct slot *w);
/* Call after any change of the states. */
static inline void thread_states_account(struct sm *s, struct slot *w)
{
    if (s->cfg.thread_states && w->warp)
        thread_states_count(s, w);
}
void thread_states_locked(struct sm *s, struct slot *w, bool locked);    /* locked: the warp is in a lock loop */
/* An attempt begins after `held` cycles. */
void thread_states_attempt(struct sm *s, struct slot *w, uint64_t held);
/* Call before the outcomes are applied. */
void thread_states_decided(struct sm *s, struct slot *w, uint64_t commits, uint64_t aborts);

/* ---- sm_blocks.c ---- */
void sm_block_start(struct sm *s);               /* starts the oldest queued block */
void sm_block_warp_ended(struct sm *s, struct slot *w);
void sm_block_check_end(struct sm *s, struct resident_block *r);         /* frees the block if it has ended */
/* Wakes the warps that a completed barrier has released. */
void sm_block_release_barrier(struct sm *s, struct resident_block *r, uint64_t at);

/* ---- sm_cluster.c ---- */
uint32_t sm_cluster_access(void *sm, struct mem_op *op, uint64_t now);   /* lsu_calls.remote_shared */
void sm_cluster_complete(struct sm *s, struct resident_block *r);        /* all threads of the block have arrived */
void sm_cluster_exited(struct sm *s, struct resident_block *r);          /* all its warps have ended */
void sm_cluster_run(struct sm *s);                                       /* handles the messages of this cycle */

#endif
