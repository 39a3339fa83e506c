/*
 * The network between the SMs of a cluster. It carries accesses to the shared memory of other blocks, their replies,
 * and the arrivals and releases of the barriers of clusters. Every SM has a port that sends and one that receives; each
 * transfers so many bytes per cycle, and messages of an SM leave in order. In a window an SM collects what it sends;
 * between windows the machine passes it on. So no path may be shorter than a window.
 */
#ifndef TIMING_CLUSTER_NETWORK_H
#define TIMING_CLUSTER_NETWORK_H

#include "ptx/exec/cluster.h"
#include "ptx/memory/access.h"
#include "timing/cluster/cluster_config.h"

enum cnet_message_kind {
    CNET_ACCESS, CNET_REPLY,
    CNET_ARRIVED, CNET_EXITED,     /* all threads of a block; to the coordinator */
    CNET_RELEASE                      /* from the coordinator */
};

enum { CNET_COORDINATOR = UINT16_MAX };

struct grid;
struct cnet_message {
    uint64_t at;                         /* core cycle of arrival */
    const struct grid *grid;
    uint64_t block;                      /* its order: for ACCESS and RELEASE the receiver's, else the sender's */
    struct mem_op *op;                   /* ACCESS, REPLY: of the SM that accesses */
    uint64_t lanes;                      /* ACCESS, REPLY: of the op */
    uint64_t sent;                       /* ACCESS, REPLY: core cycle in which the access was sent */
    uint16_t from;                       /* SM, or CNET_COORDINATOR */
    uint16_t to;                         /* SM; none of messages to the coordinator */
    uint8_t kind;
    bool refused;                        /* REPLY: the block is not resident */
};

/* The two ports of an SM. */
struct cnet_port {
    struct cnet_message *out;            /* collected in this window */
    uint32_t nout;
    uint32_t out_cap;
    struct cnet_message *in;             /* by cycle of arrival, then by sender, then as sent */
    uint32_t first;                      /* of `in` that has not been handled */
    uint32_t nin;
    uint32_t in_cap;
    uint64_t out_free;                   /* cycle at which the port that sends has transferred everything */
    uint64_t in_free;                    /* the same of the port that receives */
};
void cnet_port_end(struct cnet_port *p);
void cnet_post(struct cnet_port *p, const struct cnet_message *m);
void cnet_deliver(struct cnet_port *p, const struct cnet_message *m);
/* The message that arrives first; NULL = none. Valid until the next delivery. */
static inline const struct cnet_message *cnet_first(const struct cnet_port *p)
{
    return p->first < p->nin ? &p->in[p->first] : NULL;
}
/* The cycle at which so many bytes have passed a port that is free from *free on. */
uint64_t cnet_transfer(const struct cnet_cfg *c, uint64_t *free, uint64_t bytes, uint64_t now);

/* ---- the coordinator of the barriers, between windows ---- */

struct cnet_barriers;
struct cnet_barriers *cnet_barriers_new(const struct cnet_cfg *c);
void cnet_barriers_free(struct cnet_barriers *b);
/* A block has arrived or exited. release: is called for each block to release, if the cluster is complete. */
void cnet_arrival(struct cnet_barriers *b, const struct cnet_message *m, uint32_t blocks,
                     void (*release)(void *ctx, const struct cnet_message *m), void *ctx);

#endif
