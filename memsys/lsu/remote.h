/*
 * Accesses that L2 performs: stores that are written through, and atomics. Their bytes or operands leave in the packet,
 * so a store or red is over for its warp when the last packet is made; it has performed when L2's answer is back.
 */
#ifndef MEMSYS_REMOTE_H
#define MEMSYS_REMOTE_H

#include "memsys/l1/l1.h"

/* Packets of one instruction that wait for their answers; for atomics with a result, of one access. */
struct track {
    struct mem_op *op;               /* atomics with a result */
    uint64_t lanes, issued;
    uint32_t pending, slot;
    uint32_t next;                   /* free ones */
    bool counts_load, counts_store;  /* what the SM is told */
};

struct remote {
    const struct lsu_cfg *cfg;
    struct sender *send;
    struct retire *retire;
    struct l1 *l1;
    uint64_t *count;
    struct track *track;
    uint32_t tracks, free;
    struct pool payloads;            /* struct atom_payload */
};

void remote_init(struct remote *r, const struct lsu_cfg *c, struct sender *send, struct retire *retire, struct l1 *l1,
                 uint64_t *count);
void remote_end(struct remote *r);
/* Puts an atomic's operands into its packet, and a store's bytes. */
void remote_operands(struct remote *r, struct packet *p, const struct mem_op *op, const struct line_access *a);
void remote_bytes(struct packet *p, const struct mem_op *op, const struct line_access *a);
/* Before the first of n stores or reds of an instruction: the number that goes with them. */
uint32_t remote_begin(struct remote *r, const struct mem_op *op, enum mem_server s, uint32_t n);
enum served remote_store(struct remote *r, const struct mem_op *op, const struct line_access *a, enum mem_server s,
                         uint32_t number, uint64_t now);
/* number: of a red. */
enum served remote_atomic(struct remote *r, struct mem_op *op, const struct line_access *a, uint32_t number,
                          uint64_t now);
void remote_acknowledged(struct remote *r, struct packet *p, uint64_t now);      /* stores and reds */
void remote_replied(struct remote *r, struct packet *p, uint64_t now);           /* atomics with a result */

#endif
