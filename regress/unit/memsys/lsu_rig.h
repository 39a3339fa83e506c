/*
 * A load/store unit alone on the bench: its ports end in a small memory that performs requests slice by slice in the
 * order of their arrival, after delays that the test chooses, and its instructions are made by hand. Device
 * addresses are addresses of `memory`. With address translation there is a shared TLB.
 */
#ifndef REGRESS_LSU_RIG_H
#define REGRESS_LSU_RIG_H

#include "base/config/config.h"
#include "memsys/lsu/lsu.h"
#include "memsys/tlb/tlb_l2.h"
#include "ptx/exec/exec.h"

enum { RIG_MEMORY = 1 << 16, RIG_SHARED = 1 << 13, RIG_OPS = 24, RIG_SLICES = 2, RIG_SLOTS = 8, RIG_WAITING = 512 };

struct rig_op {
    struct mem_op op;
    bool busy, done;
    uint64_t at;                     /* what `done` said */
    uint8_t expect[WARP_LANES][MEM_WIDTH_MAX];
};

struct rig_slice {
    struct { struct packet *p; uint64_t perform, send; bool performed; } waiting[RIG_WAITING];
    uint32_t head, next, tail;       /* of the ring: to be sent, to be performed, free */
};

struct rig {
    struct lsu_cfg cfg;
    struct simtx_config *config;
    struct clocks clocks;
    struct addrmap map;
    struct port out, in;
    struct lsu *u;
    struct tlb_l2 *tlb;
    uint64_t count[STAT_END];
    struct hists hists;
    uint64_t now;                    /* core cycle to be run next; instructions issue in the one before it */
    bool walk;                       /* visit every cycle */
    uint64_t visits;
    uint64_t random;
    /* the far side */
    uint32_t delay, jitter;          /* crossbar cycles between arrival and reply: delay + up to jitter, twice */
    uint32_t port_flits;
    uint64_t xbar;                   /* next crossbar cycle to run */
    struct rig_slice slice[RIG_SLICES];
    uint64_t reads[ACCESS_TYPES], read_sectors[ACCESS_TYPES], writes[ACCESS_TYPES], atomics;
    uint64_t last_performed, last_sent;
    /* instructions */
    struct worker worker;
    struct warp warp;
    struct block block;
    struct dinst dinst;
    struct ptx_inst inst;
    struct rig_op op[RIG_OPS];
    _Alignas(64) char regs[MAX_HALVES][RIG_OPS][MEM_PIECES][LANES * 8];
    uint64_t told_loads[RIG_SLOTS], told_stores[RIG_SLOTS], loads[RIG_SLOTS], stores[RIG_SLOTS];
    uint64_t fetched_line, fetched_at;
    uint64_t trace;                  /* hash of everything that the unit said, with its cycle */
};

extern uint8_t rig_memory[RIG_MEMORY], rig_shared[RIG_SHARED];

void rig_start(struct rig *r);                                   /* defaults; then change r->cfg, and */
void rig_build(struct rig *r);
void rig_end(struct rig *r);
uint32_t rig_random(struct rig *r, uint32_t n);                  /* 0 .. n - 1 */

/* A free instruction of `count` elements of `size` bytes, its lanes still to be given. */
struct rig_op *rig_op(struct rig *r, enum mem_op_kind kind, unsigned size, unsigned count);
void rig_lane(struct rig_op *o, enum mem_server s, unsigned lane, uint64_t address);
/* n lanes from `address` on, `stride` bytes apart. */
void rig_lanes(struct rig_op *o, enum mem_server s, unsigned n, uint64_t address, int64_t stride);
void rig_issue(struct rig *r, struct rig_op *o, uint32_t slot);
void rig_cycle(struct rig *r);                                   /* everything but issue */
void rig_until_done(struct rig *r, struct rig_op *o);            /* and frees it */
void rig_drain(struct rig *r);                                   /* until the unit is idle, with a limit */
/* Issues, waits; cycles from issue to dependent issue. */
uint64_t rig_latency(struct rig *r, struct rig_op *o);
uint64_t rig_value(const struct rig *r, const struct rig_op *o, unsigned lane, unsigned element);
void random_traffic_returns_what_was_written(void **state);      /* lsu_random.c */
static inline uint64_t rig_address(uint32_t offset)
{
    return (uint64_t)(uintptr_t)rig_memory + offset;
}

#endif
