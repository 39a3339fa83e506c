/*
 * The load/store unit of an SM: takes captured memory instructions in order, coalesces them, and serves them from shared memory, L1, the
 * constant and texture caches, or the memory behind the crossbar. Values are bound here: a load gets the bytes of the L1 line that it hits or
 * of the reply that fills it, at that cycle. All of it lives in the SM's clock domain.
 */
#ifndef MEMSYS_LSU_H
#define MEMSYS_LSU_H

#include "base/hist.h"
#include "base/stats.h"
#include "memsys/addrmap.h"
#include "memsys/coalesce.h"
#include "memsys/port.h"
#include "memsys/tags.h"

struct simtx_config;

struct cache_cfg { uint32_t sets, ways, line, latency, mshrs, merges; };

struct lsu_cfg {
    const struct clocks *clocks;
    const struct addrmap *map;
    uint16_t sm;
    uint32_t queue;                  /* instructions between issue and coalescer */
    uint32_t group_lanes, segment, ldst_width;
    struct shared_cfg shared;
    uint32_t shared_latency;
    struct cache_cfg l1, konst, texture, inst;
    uint32_t l1_ports, miss_queue;
    bool l1_exists, l1_sectored, l1_global, l1_store_update, l1_local_writeback, l1_hash, texture_nc;
    enum replacement l1_replacement;
    uint32_t inst_bytes, inst_prefetch;
    uint32_t flit_bytes, request_latency;    /* crossbar cycles from here to the request crossbar (its latency_in) */
    uint32_t credit_latency;                 /* crossbar cycles until freed reply buffers are known there */
    bool has_bytes_inst;             /* instruction lines have no bytes */
};

/* How the load/store unit calls back into the SM core (never later than the cycle it is told). */
struct lsu_calls {
    void *ctx;
    /* Every register of a load or atomic is written; dependent instructions may issue from cycle `at`. Also for stores and reds, when their data
     * has left the registers (at = now): the op is the caller's again after this call for loads and atomics only. */
    void (*done)(void *ctx, struct mem_op *op, uint64_t at);
    /* One access of the warp has performed: globally visible (store acknowledged, atomic performed, load bound). */
    void (*performed)(void *ctx, uint32_t sm_slot, bool store, uint64_t at);
    /* An instruction line asked for by lsu_fetch is there. */
    void (*fetched)(void *ctx, uint64_t line, uint64_t at);
};

struct lsu;
void lsu_configure(struct lsu_cfg *c, const struct simtx_config *config);
bool lsu_check(const struct lsu_cfg *c, char *error, size_t size);
/* out: port to the request crossbar (this side sends); in: port of the reply crossbar (this side receives). */
struct lsu *lsu_new(const struct lsu_cfg *c, const struct lsu_calls *calls, struct port *out, struct port *in,
                    uint64_t *count, struct hists *hists);
void lsu_free(struct lsu *u);

bool lsu_has_room(const struct lsu *u);              /* for one more instruction */
/* Takes the op over. Returns the number of accesses that will be reported by `performed` as (loads, stores) of global memory. */
void lsu_issue(struct lsu *u, struct mem_op *op, uint64_t now, uint32_t *loads, uint32_t *stores);
/* Is the instruction at this code address there? If not it is asked for (once); `fetched` tells. */
bool lsu_fetch(struct lsu *u, uint64_t address, uint64_t now);
/* Executes cycle `now` (replies, look-ups, sending). Returns the next cycle at which it can act, NEVER = only a message or an issue. Look-ups
 * blocked by a full structure are counted by reason for every cycle, skipped ones included. */
uint64_t lsu_run(struct lsu *u, uint64_t now);
uint64_t lsu_next(const struct lsu *u);              /* with ports: replies that arrive, credits that return */

/* Bytes that a thread of this SM would read now from its private memory, for functions of the host: NULL = device memory has them. */
const uint8_t *lsu_private_line(struct lsu *u, uint64_t line);
/* Writes dirty lines back at their cost; true when none is left and every write is acknowledged. */
bool lsu_flush(struct lsu *u, uint64_t now);
void lsu_invalidate(struct lsu *u);                  /* all caches empty */
bool lsu_idle(const struct lsu *u);                  /* nothing queued, missing or unacknowledged */
void lsu_dump(const struct lsu *u, void (*line)(void *ctx, const char *text), void *ctx);

#endif
