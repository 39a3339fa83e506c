/*
 * A stage between the coalescer and the L1, which a memory-ordering policy may own: global accesses come to it line by
 * line in the order of their instructions, it holds them as long as it wants, and gives them to the L1 in an order of
 * its own. That of accesses of one thread to one place is its business, too. What it holds counts as outstanding, so
 * fences, barriers and exits need not know of it. It may send messages to the memory partitions, and is told of every
 * access that performs. Functions that are NULL do nothing; without a stage accesses go straight to the L1.
 */
#ifndef MEMSYS_STAGE_H
#define MEMSYS_STAGE_H

#include "memsys/xbar/packet.h"

struct lsu;

/* A line of a warp's global instruction; or, for `shared`, its shared memory part. */
struct stage_access {
    struct stage_access *next;       /* the stage's own */
    uint64_t user;                   /* the stage's own */
    uint64_t line, lanes;            /* shared memory: no line */
    uint64_t instruction;            /* number of the SM's memory instructions before it */
    uint32_t warp;                   /* slot */
    uint8_t kind;                    /* enum mem_op_kind */
    uint8_t sectors;
    bool strong, acquire, release;
};

struct order_stage {
    uint8_t call_vns;                /* networks on which messages come unasked: taken in as they come */
    /* Before anything else. */
    void (*attach)(void *state, struct lsu *u);
    /* Takes the access over until it is sent; false: not now, it is offered again. */
    bool (*accept)(void *state, struct stage_access *a, uint64_t now);
    /* The access that the L1 should serve next, asked until all the L1's ports are used; NULL = none now. The L1 may
     * turn it away, and is then offered what is chosen in a later cycle. */
    struct stage_access *(*choose)(void *state, uint64_t now);
    void (*sent)(void *state, struct stage_access *a, uint64_t now);     /* the L1 took it; it is the stage's no more */
    /* May the shared memory part of an instruction be performed now? */
    bool (*shared)(void *state, const struct stage_access *a, uint64_t now);
    /* An access of the warp has performed; an atomic is told as a load and as a store. */
    void (*performed)(void *state, uint32_t warp, uint64_t line, bool store, uint64_t now);
    /* A message of kind >= MSG_POLICY; true: it is on its way again, or kept. */
    bool (*message)(void *state, struct packet *p, uint64_t now);
    /* The first cycle > now in which accept, choose or shared may say otherwise if nothing happens until then. */
    uint64_t (*next)(const void *state, uint64_t now);
};

/* ---- for stages ---- */
/* A message to the partition of this line, of the header's size; only in the functions above but `next`. The
 * partition may answer it: then the same packet comes to `message`. note: it does not, and ends it with
 * packet_return. vn: not 0. */
struct packet *stage_packet(struct lsu *u, unsigned kind, unsigned vn, uint64_t line, bool note, uint64_t now);
void stage_send(struct lsu *u, struct packet *p);
/* may_issue of the order policy may say otherwise for this warp. */
void stage_wake(struct lsu *u, uint32_t warp);

#endif
