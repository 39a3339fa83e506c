/*
 * Memory-ordering policies: when may a warp's memory instruction issue, when is a fence or a barrier passed. The SM
 * core counts, for every warp, its global accesses that have not performed. A policy is a table of functions of these
 * counts; it may have state of its own in every SM and memory partition, exchange messages between them, and own a
 * stage between coalescer and L1 (memsys/lsu/stage.h). Functions that are NULL do nothing, but for may_issue, which
 * every policy has. consistency/registry.def lists the policies; the default, rmo-ptx, holds back nothing but fences,
 * barriers, releases and acquires (PTX ISA, memory consistency model).
 */
#ifndef CONSISTENCY_ORDER_H
#define CONSISTENCY_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "memsys/order/order_check.h"
#include "memsys/lsu/stage.h"

struct hists;
struct partition;
struct simtx_config;

struct order_warp {
    uint32_t loads, stores;          /* global accesses issued and not performed; atomics count in both */
    uint32_t acquires;               /* loads and atomics that later accesses must wait for; also on shared memory */
    uint32_t block_acquires;         /* of these, acquires of CTA scope */
    uint32_t shared;                 /* instructions on shared memory that have not performed */
    uint32_t next_lines;             /* lines of the access that would issue next, of kinds that the policy counts */
};

enum order_kind {
    ORDER_LOAD,
    ORDER_STORE,
    ORDER_ATOMIC,
    ORDER_SHARED,
    ORDER_FENCE,
    ORDER_FENCE_CTA,
    ORDER_BARRIER,
    ORDER_EXIT
};

/* block: of CTA scope. reads, writes: of an access, those to shared memory included; an atomic does both. */
struct order_access { enum order_kind kind; bool acquire, release, block, reads, writes; };

/* Where a policy's state lives: an SM or a memory partition. */
struct order_site {
    const struct simtx_config *config;
    uint64_t *count;                 /* its counters, by enum stat */
    struct hists *hists;
    uint32_t warps;                  /* slots of an SM; 0 in a partition */
    uint32_t slices;                 /* of a partition; 0 in an SM */
};

struct order_policy {
    const char *name;
    enum order_model model;          /* that its accesses to global memory obey; an oracle checks it (order.check) */
    /* State of an SM, which the functions below and those of `stage` receive. */
    void *(*new_state)(const struct order_site *site);
    void (*free_state)(void *state);
    /* May the instruction issue; has the warp passed the fence, barrier or exit? Called again after every access of the
     * warp that performs, and after stage_wake. */
    bool (*may_issue)(void *state, uint32_t warp, const struct order_warp *w, const struct order_access *a);
    uint32_t counts_lines;           /* bit per order_kind: next_lines is set before may_issue */
    /* Has the warp accesses that delay its later ones? core.policy = gto_unsafe_last. */
    bool (*unsafe_pending)(const void *state, uint32_t warp);
    const struct order_stage *stage; /* between coalescer and L1; NULL = none */
    uint32_t vns;                    /* virtual networks that its messages need; 0 = it sends none */
    uint32_t control_vns;            /* bit per network on which partitions receive only what follows requests */
    /* State of a memory partition. */
    void *(*new_partition)(const struct order_site *site);
    void (*free_partition)(void *state);
    /* A message, of a kind from MSG_POLICY on, for `slice` of all. True: the partition owns the packet, and sends it
     * back with partition_send or frees it with packet_return; false: it is offered again in the next cycle. Further
     * packets come from partition_packet. */
    bool (*message)(void *state, struct partition *p, uint32_t slice, struct packet *k, uint64_t now);
};

extern const struct order_policy order_rmo_ptx;              /* barriers and exits drain, too */
extern const struct order_policy order_rmo_no_drain;         /* barriers do not drain, exits do */

/* ---- for policies ---- */
static inline bool order_none_outstanding(const struct order_warp *w)
{
    return !w->loads && !w->stores;
}

/* Is it an access to memory, rather than a fence, a barrier or an exit? */
static inline bool order_is_access(const struct order_access *a)
{
    return a->kind <= ORDER_SHARED;
}

#endif
