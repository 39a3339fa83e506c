/*
 * The load/store unit of an SM: receives captured memory instructions in order, coalesces them, and serves them from
 * shared memory, L1, the constant and texture caches, or L2. Values are bound here: a load reads the bytes of the L1
 * line that it hits, or of the reply that fills it, in that cycle. It runs in the core clock domain. Within a cycle
 * lsu_run is called first; instructions and fetches that are issued in a cycle are processed from the next one on.
 */
#ifndef MEMSYS_LSU_H
#define MEMSYS_LSU_H

#include "base/hist.h"
#include "base/stats.h"
#include "memsys/dram/addrmap.h"
#include "memsys/l1/l1_config.h"
#include "memsys/lsu/coalesce.h"
#include "memsys/lsu/private_map.h"
#include "memsys/tlb/tlb_l1.h"
#include "memsys/xbar/port.h"
#include "memsys/tags.h"

struct order_check;
struct order_history;
struct order_fence;
struct order_stage;
struct atom_payload;

/* The read-only caches. latency: from the issue of an access that hits until dependent instructions may issue. */
struct rocache_cfg { uint32_t kb, ways, line, latency, mshrs, sets; };
/* The second level of constants and instructions; look_up, latency: core cycles from a miss in the first level. */
struct l15_cfg { uint32_t kb, ways, look_up, latency, mshrs, sets; };
struct readonly_cfg {
    struct rocache_cfg konst, texture, inst;
    struct l15_cfg l15;              /* sets = 0: none */
    bool texture_nc;
    uint32_t texture_units, texture_unit_bytes;
    uint32_t const_port, inst_bytes, inst_prefetch, inst_launch_kb;
};

struct lsu_cfg {
    const struct clocks *clocks;
    const struct addrmap *map;
    uint16_t sm;
#define CONFIG_ROWS "memsys/lsu/config.def"
#include "base/config/config_fields.h"
    uint32_t warp_lanes;
    struct coalescer_cfg coalescer;
    struct shared_cfg shared;
    struct l1_cfg l1;
    struct readonly_cfg ro;
    struct tlb_cfg tlb;
    uint32_t flit_bytes, request_latency;    /* crossbar cycles from here to the request crossbar (its latency_in) */
    uint32_t credit_latency;                 /* crossbar cycles until the credits of received replies arrive there */
    uint32_t largest_packet;                 /* flits */
};

/* Calls into the SM core. */
struct lsu_calls {
    void *ctx;
    /* The op has completed and is the SM's again. Load or atomic: every register is written, and dependent instructions
     * may issue from cycle `at`. Store or red: its data has left the op (at = now), though it may not have performed;
     * under a coherence protocol it has. */
    void (*done)(void *ctx, struct mem_op *op, uint64_t at);
    /* A global access of the warp has performed: a load is bound, a store acknowledged. Called twice for an atomic or
     * red, as a load and as a store. */
    void (*performed)(void *ctx, uint32_t sm_slot, bool store, uint64_t at);
    /* An instruction line that lsu_fetch requested has arrived. */
    void (*fetched)(void *ctx, uint64_t line, uint64_t at);
    /* Performs an atomic on the bytes of a line in L1, and stores the old values in *a: for coherence protocols. */
    void (*atomic)(void *ctx, const struct mem_op *op, uint8_t *line, struct atom_payload *a);
    /* may_issue of the order policy may have changed for this warp. Only with a stage. */
    void (*wake)(void *ctx, uint32_t sm_slot);
    /* A reply has arrived, all its stamps are set: for timelines. May be NULL. */
    void (*replied)(void *ctx, const struct packet *p);
    /* A message of an L2 slice's engine (memsys/l2/engine.h); the SM owns the packet. */
    void (*message)(void *ctx, struct packet *p, uint64_t now);
    /* Sends an access to the shared memory of other blocks of the cluster; returns the number of its messages. The
     * replies come by lsu_cluster_reply. Only for launches with clusters. */
    uint32_t (*remote_shared)(void *ctx, struct mem_op *op, uint64_t now);
    /* L2 has acknowledged a part of the bulk copy `copy` (a store or reduction). Not under a coherence protocol, where
     * `done` reports it. */
    void (*bulk_part_acknowledged)(void *ctx, void *copy, uint64_t now);
};

struct lsu;
/* From the configuration. The caller sets clocks, map, sm and the latencies of the crossbar. */
void lsu_configure(struct lsu_cfg *c, const struct simtx_config *config);
void readonly_configure(struct readonly_cfg *c, const struct simtx_config *config);
/* out: port to the request crossbar (this side sends); in: port of the reply crossbar (this side receives). */
struct lsu *lsu_new(const struct lsu_cfg *c, const struct lsu_calls *calls, struct port *out, struct port *in,
                    uint64_t *count, struct hists *hists);
void lsu_free(struct lsu *u);
/* The reply to a message of remote_shared has arrived, for these lanes. It completes in cycle `ready`, now or later; no
 * later reply is ready earlier. */
void lsu_cluster_reply(struct lsu *u, struct mem_op *op, uint64_t lanes, uint64_t ready);
/* Inserts the stage of an order policy, with its state, between coalescer and L1. Before the first cycle. */
void lsu_stage(struct lsu *u, const struct order_stage *stage, void *state);

/* The oracle of program order, which the unit frees. */
void lsu_check_order(struct lsu *u, struct order_check *c);
/* Records accesses to global memory that perform under a coherence protocol. Needs lsu_check_order. */
void lsu_record_order(struct lsu *u, struct order_history *h);
/* A fence issues; f has all but its number in the order of the program. */
void lsu_fence(struct lsu *u, const struct order_fence *f);
/* Reports plain stores and atomics that perform on a copy in L1, under a coherence protocol: the bytes of the line that
 * they write, and the line before and after. */
struct retire_observer {
    void (*written)(void *ctx, uint64_t line, const uint64_t mask[2], const uint8_t *before, const uint8_t *after,
                    uint64_t now);
    void *ctx;
};
void lsu_report_writes(struct lsu *u, const struct retire_observer *o);
/* Every access that has not performed binds its value in this cycle or later. */
uint64_t lsu_bound_from(const struct lsu *u, uint64_t now);

/* A replacement for the plain banks of shared memory: `perform` executes an instruction after its passes, and returns
 * the further core cycles for which it occupies the banks. */
struct lsu_banks { void *ctx; uint32_t (*perform)(void *ctx, struct mem_op *op, uint64_t now); };
void lsu_banks(struct lsu *u, const struct lsu_banks *b);

bool lsu_has_room(const struct lsu *u);              /* for one more instruction */
/* Lines that these lanes of the instruction would access if it issued now: the registers of its addresses are ready. */
uint32_t lsu_count_lines(const struct lsu *u, const struct warp *w, const struct dinst *d, uint64_t lanes);
/* Issues the op, whose sm_slot is set; the unit owns it until `done`. *loads, *stores: the numbers of `performed` calls
 * that will follow, which is those of its global accesses; a prefetch has none. */
void lsu_issue(struct lsu *u, struct mem_op *op, uint64_t now, uint32_t *loads, uint32_t *stores);
/* Issues an op on private memory, or a part of a bulk copy on global memory, in the background: in order among such
 * ops, in cycles in which a port of L1 is free. It ends with `done` like any other. */
void lsu_background(struct lsu *u, struct mem_op *op, uint64_t now);
uint32_t lsu_background_queued(const struct lsu *u);
bool lsu_stores_wait(const struct lsu *u);           /* `done` of a store comes when it has performed */
/* Between two windows: the requests to the shared TLB since the last call, and a reply, which arrives in cycle `at`. */
const struct tlb_request *lsu_tlb_sent(struct lsu *u, uint32_t *n);
void lsu_translated(struct lsu *u, uint64_t page, uint64_t at);
/* A packet for a message to a slice's engine, from the caller's pool; lsu_send queues it among the requests. */
struct packet *lsu_packet(struct lsu *u, struct packet_pool *pool, unsigned kind, uint32_t slice, uint32_t bytes,
                          uint64_t now);
bool lsu_can_send(const struct lsu *u);
bool lsu_has_credits(const struct lsu *u, uint64_t now);         /* for the next packet, whatever it is */
void lsu_send(struct lsu *u, struct packet *p);
uint32_t lsu_slice(const struct lsu *u, uint64_t address);
/* Does this warp slot have an access outstanding, private and unacknowledged ones included? */
bool lsu_warp_busy(const struct lsu *u, uint32_t sm_slot);
/* True: each outstanding access of the warp slot is a store or red that has been sent to L2. loads, stores: the
 * calls of `performed` that the warp expects. */
bool lsu_all_sent(const struct lsu *u, uint32_t sm_slot, uint32_t loads, uint32_t stores);
/* The warp has ended, with lsu_all_sent: its slot is no longer busy; `performed` is not called for these accesses. */
void lsu_warp_ended(struct lsu *u, uint32_t sm_slot);
/* Is the instruction at this code address in the instruction cache? If not its line is requested, and `fetched` is
 * called when it has arrived. Every call counts as an access. */
bool lsu_fetch(struct lsu *u, uint64_t address, uint64_t now);
/* After an acquire or fence: later loads of global memory return values no older than what has performed now. */
void lsu_acquire(struct lsu *u);
/* The word was written in L2: invalidates its line. */
void lsu_invalidate_line(struct lsu *u, uint64_t address);
/* Executes cycle `now` (replies, look-ups, sending) and returns lsu_next. */
uint64_t lsu_run(struct lsu *u, uint64_t now);
/* The next cycle with an event, arriving replies and returning credits included; NEVER = none without a further
 * message, issue or fetch. Changes with lsu_issue and lsu_fetch. */
uint64_t lsu_next(const struct lsu *u);
/* Counts the cycles before `until` in which a look-up was blocked, by reason: before counters are read. */
void lsu_settle(struct lsu *u, uint64_t until);

/* The line of private memory as a thread of this SM would read it now, for functions of the host; valid until the next
 * call. NULL = it is in device memory. */
const uint8_t *lsu_private_line(struct lsu *u, uint64_t line);
/* Between launches: empties L1 and sets its associativity, at most l1.ways. */
void lsu_set_l1_ways(struct lsu *u, uint32_t ways);
/* The place of the next kernel's private memory. */
void lsu_private_map(struct lsu *u, const struct private_map *m);
/* Makes lsu_run write dirty lines back, one a cycle. Called after every cycle until it returns true: no line is dirty
 * and every write is acknowledged. */
bool lsu_flush(struct lsu *u, uint64_t now);
void lsu_invalidate(struct lsu *u);                  /* empties all caches */
/* A kernel whose code begins at `address` is launched: the first inst.launch_kb of these bytes are in L1.5. */
void lsu_preload_code(struct lsu *u, uint64_t address, uint64_t bytes);
/* For an agent that accesses lines in no time, between cycles: a probe, which becomes its acknowledgement; the bytes of
 * a coherent copy, NULL = none. */
void lsu_probe(struct lsu *u, struct packet *p, uint64_t now);
const uint8_t *lsu_coherent_copy(const struct lsu *u, uint64_t line);
/* The line's state in the coherence protocol's L1 table; only with a protocol. */
unsigned lsu_coherence_state(const struct lsu *u, uint64_t line);
bool lsu_idle(const struct lsu *u);                  /* nothing queued, missing or unacknowledged */
void lsu_dump(const struct lsu *u, void (*line)(void *ctx, const char *text), void *ctx);

#endif
