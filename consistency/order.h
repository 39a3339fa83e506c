/*
 * Memory-ordering policies: when may a warp's memory instruction issue, when is a fence or a barrier passed. The SM
 * core counts, for every warp, its global accesses that have not performed; a policy is a table of functions over these
 * counts and, if it wants, state of its own per SM and a stage between coalescer and L1. The baseline, rmo-ptx, holds
 * nothing back but fences, barriers, releases and acquires (PTX ISA, memory consistency model).
 */
#ifndef CONSISTENCY_ORDER_H
#define CONSISTENCY_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "memsys/lsu/stage.h"

struct partition;

struct order_warp {
    uint32_t loads, stores;          /* global accesses issued and not performed; atomics count in both */
    uint32_t acquires;               /* of these, loads whose completion later accesses must wait for */
    uint32_t shared;                 /* instructions on shared memory that have not performed */
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

struct order_access { enum order_kind kind; bool acquire, release; };

struct order_policy {
    const char *name;
    void *(*new_state)(uint32_t warps);                       /* per SM; NULL = none */
    void (*free_state)(void *state);
    /* May the instruction issue (a fence: is it passed)? Asked again after every performance of the warp's accesses,
     * and after stage_wake. */
    bool (*may_issue)(void *state, uint32_t warp, const struct order_warp *w, const struct order_access *a);
    uint32_t vns;                    /* virtual networks that its messages need; 0 = it has none */
    /* Between coalescer and L1, with the SM's state; NULL = none. */
    const struct order_stage *stage;
    /* State of a memory partition with so many slices, and its messages: kinds >= MSG_POLICY, for `slice` of all. True:
     * taken; false: offered again in the next cycle. It may send packets with partition_send: the message turned round,
     * or those of partition_packet; those that go no further end with packet_return. */
    void *(*new_partition)(uint32_t slices);
    void (*free_partition)(void *state);
    bool (*message)(void *state, struct partition *p, uint32_t slice, struct packet *k, uint64_t now);
};

extern const struct order_policy order_rmo_ptx;              /* barriers and exits drain, too */
extern const struct order_policy order_rmo_no_drain;         /* barriers do not drain, exits do */

#endif
