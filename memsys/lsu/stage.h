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

/* What becomes of an access that is offered to the stage. */
enum stage_answer {
    STAGE_REJECTED,                  /* it is offered again */
    STAGE_HELD,                      /* the stage holds it until `sent` */
    STAGE_PASSES,                    /* it is offered to the L1 in this cycle; if the L1 rejects it, it comes again */
    STAGE_FORWARDED                  /* stage_forward has bound the load */
};

/* A global access of the warp's instruction to this line that has performed: as a load, or as a store. */
struct stage_performed { uint32_t warp; bool store; uint64_t line, instruction; };

struct order_stage {
    uint8_t probe_vns;               /* bit per virtual network with messages that are no replies: handled on arrival */
    /* Called first, with the unit that the functions below need. */
    void (*attach)(void *state, struct lsu *u);
    enum stage_answer (*accept)(void *state, struct stage_access *a, uint64_t now);
    /* The access that the L1 should serve next, called until all ports of the L1 are used; NULL = none. The L1 may
     * reject it; the stage chooses again in a later cycle. */
    struct stage_access *(*choose)(void *state, uint64_t now);
    /* The L1 has accepted the access, which the stage no longer owns; if it hit, `performed` has been called before. */
    void (*sent)(void *state, struct stage_access *a, uint64_t now);
    /* May the accesses of an instruction to shared memory perform now? */
    bool (*shared)(void *state, const struct stage_access *a, uint64_t now);
    /* Called twice for an atomic, as a load and as a store. */
    void (*performed)(void *state, const struct stage_performed *p, uint64_t now);
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
/* Binds a load with the bytes of stores of its warp to its line, which the stage holds, given youngest first. It is
 * bound if the youngest store to each byte is of the same lane. STAGE_APART: the stores write none of its bytes. */
enum stage_overlap { STAGE_APART, STAGE_BOUND, STAGE_OVERLAPS };
enum stage_overlap stage_forward(struct lsu *u, struct stage_access *load, struct stage_access *const *stores,
                                 uint32_t n, uint64_t now);
/* Requests the access's line, with permission to write for a store, without performing the access. False: the line is
 * present with that permission or in flight, fewer than `spare` MSHR entries are free, the L1's ports or the miss queue
 * are occupied, or such lines are not cached. */
bool stage_prefetch(struct lsu *u, const struct stage_access *a, uint32_t spare, uint64_t now);
/* Has the L1 a free port in this cycle? */
bool stage_has_port(const struct lsu *u);
/* Where a global line is. */
enum stage_line { STAGE_LINE_ABSENT, STAGE_LINE_IN_FLIGHT, STAGE_LINE_PRESENT };
enum stage_line stage_line(const struct lsu *u, uint64_t line);
/* Of the access that `shared` is called with: its block, for comparisons; and the lines of the block's shared memory,
 * at most WARP_LANES. Returns their number. */
const void *stage_block(const struct stage_access *a);
uint32_t stage_shared_lines(const struct stage_access *a, uint64_t *line);
/* may_issue of the order policy may have changed for this warp: it is called again. */
void stage_wake(struct lsu *u, uint32_t warp);

#endif
