/*
 * The load/store unit of an SM: takes captured memory instructions in order, coalesces them, and serves them from
 * shared memory, L1, the constant and texture caches, or the memory behind the crossbar. Values are bound here: a load
 * gets the bytes of the L1 line that it hits or of the reply that fills it, at that cycle. All of it lives in the SM's
 * clock domain. Within a cycle lsu_run comes first; what is issued or fetched in it is worked from the next one on.
 */
#ifndef MEMSYS_LSU_H
#define MEMSYS_LSU_H

#include "base/hist.h"
#include "base/stats.h"
#include "memsys/dram/addrmap.h"
#include "memsys/lsu/coalesce.h"
#include "memsys/xbar/port.h"
#include "memsys/tags.h"

struct simtx_config;
struct coherence;
struct order_stage;
struct atom_payload;

/* latency: from the issue of an access that hits until dependent instructions may issue, when idle */
struct cache_cfg { uint32_t bytes, sets, ways, line, latency, mshrs, merges; };

struct lsu_cfg {
    const struct clocks *clocks;
    const struct addrmap *map;
    uint16_t sm;
    uint32_t queue;                  /* instructions between issue and coalescer */
    uint32_t warp_lanes, group_lanes, segment, ldst_width;
    struct shared_cfg shared;
    uint32_t shared_latency;
    struct cache_cfg l1, konst, texture, inst;
    uint32_t l1_ports, miss_queue;
    uint32_t miss_cycles;            /* core cycles between the miss queue and the way to the crossbar */
    bool l1_exists, l1_sectored, l1_global, l1_store_update, l1_local_writeback, l1_streaming, l1_hash, texture_nc;
    bool l1_acquire;                 /* an acquire makes L1 forget global memory */
    enum replacement l1_replacement;
    uint32_t inst_bytes, inst_prefetch;
    uint32_t flit_bytes, request_latency;    /* crossbar cycles from here to the request crossbar (its latency_in) */
    uint32_t credit_latency;                 /* crossbar cycles until freed reply buffers are known there */
    const struct coherence *coherence;       /* protocol of global lines; NULL = none: they are written through */
    uint64_t *coherence_seen;                /* how often each row of its L1 table was used, for tests; or NULL */
};

/* How the load/store unit calls back into the SM core (never later than the cycle it is told). */
struct lsu_calls {
    void *ctx;
    /* The op is over: every register of a load or atomic is written, and dependent instructions may issue from cycle
     * `at`; the data of a store or red has left the op (at = now), though it may not have performed. In every case the
     * op is the caller's again. Under a coherence protocol a store or red is over when it has performed. */
    void (*done)(void *ctx, struct mem_op *op, uint64_t at);
    /* One global access of the warp has performed: globally visible (store acknowledged, load bound). An atomic or red
     * is told twice, as a load and as a store. */
    void (*performed)(void *ctx, uint32_t sm_slot, bool store, uint64_t at);
    /* An instruction line asked for by lsu_fetch is there. */
    void (*fetched)(void *ctx, uint64_t line, uint64_t at);
    /* Performs an atomic on the bytes of a line in L1, filling in old values: for protocols that have L1 do so. */
    void (*atomic)(void *ctx, const struct mem_op *op, uint8_t *line, struct atom_payload *a);
    /* The order policy may say otherwise for this warp. Only with a stage. */
    void (*wake)(void *ctx, uint32_t sm_slot);
    /* A request's reply has come, all its stages are stamped: for timelines. May be NULL. */
    void (*replied)(void *ctx, const struct packet *p);
    /* A message of a unit (unit.h), which is the caller's now. Only with units. */
    void (*message)(void *ctx, struct packet *p, uint64_t now);
};

struct lsu;
/* From the configuration; clocks, map, sm and the latencies of the crossbar are the caller's to set. */
void lsu_configure(struct lsu_cfg *c, const struct simtx_config *config);
/* False with a message in error (at most size bytes) when the sizes do not fit together. */
bool lsu_check(const struct lsu_cfg *c, char *error, size_t size);
/* out: port to the request crossbar (this side sends); in: port of the reply crossbar (this side receives). */
struct lsu *lsu_new(const struct lsu_cfg *c, const struct lsu_calls *calls, struct port *out, struct port *in,
                    uint64_t *count, struct hists *hists);
void lsu_free(struct lsu *u);
/* Puts the stage of an order policy, with its state, between coalescer and L1: before anything else. */
void lsu_stage(struct lsu *u, const struct order_stage *stage, void *state);

/* What stands beside the banks of shared memory: performs their instructions, once the passes are over, and returns
 * the core cycles that the banks are busy with it behind them. */
struct lsu_banks { void *ctx; uint32_t (*perform)(void *ctx, struct mem_op *op, uint64_t now); };
void lsu_banks(struct lsu *u, const struct lsu_banks *b);

bool lsu_has_room(const struct lsu *u);              /* for one more instruction */
/* Takes the op over (op->sm_slot is set). *loads, *stores: the accesses that `performed` will tell; only global memory
 * counts, and prefetches do not. */
void lsu_issue(struct lsu *u, struct mem_op *op, uint64_t now, uint32_t *loads, uint32_t *stores);
/* Takes over an op on private memory that works in the background: behind those given before, in cycles in which L1 has
 * a port free. It ends with `done` like any other. */
void lsu_background(struct lsu *u, struct mem_op *op, uint64_t now);
uint32_t lsu_background_queued(const struct lsu *u);
/* A message to a slice's unit, from a pool of the caller's: addressed, and sent in its turn among the requests. */
struct packet *lsu_packet(struct lsu *u, struct packet_pool *pool, unsigned kind, uint32_t slice, uint32_t bytes,
                          uint64_t now);
bool lsu_can_send(const struct lsu *u);
void lsu_send(struct lsu *u, struct packet *p);
uint32_t lsu_slice(const struct lsu *u, uint64_t address);
/* Is any access of this warp slot outstanding, private and unacknowledged ones included? */
bool lsu_warp_busy(const struct lsu *u, uint32_t sm_slot);
/* Is the instruction at this code address there? If not its line is asked for, and `fetched` tells when to look again
 * (every call counts as an access). */
bool lsu_fetch(struct lsu *u, uint64_t address, uint64_t now);
/* Loads of global memory from now on see what has performed anywhere: behind an acquire, or a fence. */
void lsu_acquire(struct lsu *u);
/* Loads of this word's line from now on see what has performed: it was written past the L1. */
void lsu_forget(struct lsu *u, uint64_t address);
/* Executes cycle `now` (replies, look-ups, sending) and returns lsu_next. Look-ups blocked by a full structure are
 * counted by reason for every cycle, skipped ones included. */
uint64_t lsu_run(struct lsu *u, uint64_t now);
/* The next cycle at which it can act, replies that arrive and credits that return included; NEVER = only a message, an
 * issue or a fetch can wake it. To be asked again after lsu_issue and lsu_fetch. */
uint64_t lsu_next(const struct lsu *u);
/* Counts the blocked cycles before `until` that no lsu_run has counted yet: before counters are looked at. */
void lsu_settle(struct lsu *u, uint64_t until);

/* The 128 bytes that a thread of this SM would read now from its private memory, for functions of the host; valid until
 * the next call. NULL = device memory has them. */
const uint8_t *lsu_private_line(struct lsu *u, uint64_t line);
/* Has lsu_run write dirty lines back, one a cycle; true when none is left and every write is acknowledged. To be asked
 * again while lsu_run goes on. */
bool lsu_flush(struct lsu *u, uint64_t now);
void lsu_invalidate(struct lsu *u);                  /* all caches empty */
/* The line's state in the coherence protocol's L1 table; only with a protocol. */
unsigned lsu_coherence_state(const struct lsu *u, uint64_t line);
bool lsu_idle(const struct lsu *u);                  /* nothing queued, missing or unacknowledged */
void lsu_dump(const struct lsu *u, void (*line)(void *ctx, const char *text), void *ctx);

#endif
