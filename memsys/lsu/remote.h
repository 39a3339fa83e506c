/*
 * Accesses that L2 performs: stores that are written through, and atomics. The packet carries their bytes or operands,
 * so a store or red completes for its warp when its last packet is queued; it has performed when L2's reply arrives.
 * The warp may have ended by then, and its slot may have another warp (core.exit_past_stores): the reply is then
 * counted, but reported to no warp.
 */
#ifndef MEMSYS_REMOTE_H
#define MEMSYS_REMOTE_H

#include "memsys/l1/l1.h"

/* The outstanding packets of one instruction; for atomics with a result, of one access. */
struct remote_track {
    struct mem_op *op;               /* atomics with a result */
    void *copy;                      /* the bulk copy that a store is a part of; NULL = none */
    uint64_t lanes, issued, instruction;
    uint32_t pending, slot;
    uint32_t ended;                  /* as in remote_warp, when it was sent; if they differ, its warp has ended */
    uint32_t next;                   /* free list */
    bool counts_load, counts_store;  /* it is reported to the SM as performed: as a load, as a store */
};

/* By warp slot, of the warp in it. */
struct remote_warp {
    uint32_t instructions;           /* stores and reds with outstanding packets */
    uint32_t loads, stores;          /* of these packets: reports that will follow, as a load and as a store */
    uint32_t ended;                  /* earlier warps of the slot, of which packets may still be outstanding */
};

struct remote {
    const struct lsu_cfg *cfg;
    struct sender *send;
    struct retire *retire;
    struct l1 *l1;
    uint64_t *count;
    struct remote_track *track;
    uint32_t tracks, free;
    struct remote_warp *warp;        /* by slot, as many as have had a store or red */
    uint32_t warps;
    struct pool payloads;            /* struct atom_payload */
};

void remote_init(struct remote *r, const struct lsu_cfg *c, struct sender *send, struct retire *retire, struct l1 *l1,
                 uint64_t *count);
void remote_end(struct remote *r);
/* Copy an atomic's operands, and a store's bytes, into its packet. */
void remote_operands(struct remote *r, struct packet *p, const struct mem_op *op, const struct line_access *a);
void remote_bytes(struct packet *p, const struct mem_op *op, const struct line_access *a);
/* Before the first of n stores or reds of an instruction: the number of their remote_track. */
uint32_t remote_begin(struct remote *r, const struct mem_op *op, enum mem_server s, uint32_t n);
enum lsu_result remote_store(struct remote *r, const struct mem_op *op, const struct line_access *a, enum mem_server s,
                             uint32_t number, uint64_t now);
/* One of the n is not sent: L1 served it. */
void remote_not_sent(struct remote *r, uint32_t number);
/* number: of a red's remote_track. */
enum lsu_result remote_atomic(struct remote *r, struct mem_op *op, const struct line_access *a, uint32_t number,
                              uint64_t now);
void remote_acknowledged(struct remote *r, struct packet *p, uint64_t now);      /* stores and reds */
void remote_replied(struct remote *r, struct packet *p, uint64_t now);           /* atomics with a result */
struct remote_warp remote_warp(const struct remote *r, uint32_t slot);
/* The warp's outstanding stores and reds are no longer its own: retire does not count them, nor report them. */
void remote_warp_ended(struct remote *r, uint32_t slot);

#endif
