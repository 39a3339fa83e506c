/*
 * The pipeline stage between coalescer and L1 that a memory-ordering policy (consistency/order.h) may own. It receives
 * global accesses line by line in the order of their instructions, may hold them, and offers them to the L1 in an order
 * of its own; the order of accesses of one thread to one address is its responsibility, too. Accesses that it holds
 * count as outstanding, so fences, barriers and exits wait for them. It may exchange messages with the memory
 * partitions, and is notified of every access that performs. Functions that are NULL do nothing; without `accept`
 * accesses go directly to the L1.
 */
#ifndef MEMSYS_STAGE_H
#define MEMSYS_STAGE_H

#include "memsys/xbar/packet.h"

struct lsu;

/* An access of a warp's instruction to a line of global memory; for `shared`, all its accesses to shared memory. */
struct stage_access {
    struct stage_access *next;       /* for the stage */
    uint64_t user;                   /* for the stage */
    uint64_t line, lanes;            /* line: not of shared memory */
    uint64_t instruction;            /* sequence number among the SM's memory instructions */
    uint32_t warp;                   /* slot */
    uint8_t kind;                    /* enum mem_op_kind */
    uint8_t sectors;
    bool strong, acquire, release;
};

struct order_stage {
    uint8_t probe_vns;               /* bit per virtual network with messages that are no replies: handled on arrival */
    /* Called first, with the unit that the functions below need. */
    void (*attach)(void *state, struct lsu *u);
    /* Accepts the access, which the stage holds until `sent`; false: rejects it, and it is offered again. */
    bool (*accept)(void *state, struct stage_access *a, uint64_t now);
    /* The access that the L1 should serve next, called until all ports of the L1 are used; NULL = none. The L1 may
     * reject it; the stage chooses again in a later cycle. */
    struct stage_access *(*choose)(void *state, uint64_t now);
    /* The L1 has accepted the access, which the stage no longer owns. */
    void (*sent)(void *state, struct stage_access *a, uint64_t now);
    /* May the accesses of an instruction to shared memory perform now? */
    bool (*shared)(void *state, const struct stage_access *a, uint64_t now);
    /* An access of the warp has performed; called twice for an atomic, as a load and as a store. */
    void (*performed)(void *state, uint32_t warp, uint64_t line, bool store, uint64_t now);
    /* A message of a kind from MSG_POLICY on. True: the stage keeps the packet or has sent it again; false: it is
     * freed. */
    bool (*message)(void *state, struct packet *p, uint64_t now);
    /* The first cycle > now in which the results of accept, choose or shared may change without an event. */
    uint64_t (*next)(const void *state, uint64_t now);
};

/* ---- for stages ---- */
/* A message to the partition of this line, of the header's size; not in `next`. The partition returns the packet to
 * `message` as its reply; notification: it does not, and frees it with packet_return. vn: not 0. */
struct packet *stage_packet(struct lsu *u, unsigned kind, unsigned vn, uint64_t line, bool notification, uint64_t now);
void stage_send(struct lsu *u, struct packet *p);
/* may_issue of the order policy may have changed for this warp: it is called again. */
void stage_wake(struct lsu *u, uint32_t warp);

#endif
