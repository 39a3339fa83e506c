/* Ports of the network between SMs, and the coordinator of the barriers of clusters (network.h). */
#include "timing/cluster/network.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/config/config.h"

void cnet_configure(struct cnet_cfg *c, const struct simtx_config *config)
{
#define CONFIG_ROWS "timing/cluster/cluster.def"
#include "base/config/config_copy.h"
}

uint32_t cnet_request_cycles(const struct cnet_cfg *c)
{
    return c->latency / 2;
}

uint32_t cnet_shortest(const struct cnet_cfg *c)
{
    return c->latency / 2 < c->barrier_cycles ? c->latency / 2 : c->barrier_cycles;
}

/* ---- ports ---- */

void cnet_port_end(struct cnet_port *p)
{
    free(p->out);
    free(p->in);
    *p = (struct cnet_port){ 0 };
}

void cnet_post(struct cnet_port *p, const struct cnet_message *m)
{
    p->out = mem_grow(p->out, p->nout, &p->out_cap, sizeof *p->out, "messages of an SM");
    p->out[p->nout++] = *m;
}

/* Messages that arrive in the same cycle are handled in the order of their senders, whenever they were passed on. Those
 * of one SM keep their order; the coordinator's have that of the blocks. */
static bool after(const struct cnet_message *a, const struct cnet_message *b)
{
    if (a->at != b->at || a->from != b->from)
        return a->at != b->at ? a->at > b->at : a->from > b->from;
    return a->from == CNET_COORDINATOR && a->block > b->block;
}

void cnet_deliver(struct cnet_port *p, const struct cnet_message *m)
{
    if (p->first) {
        p->nin -= p->first;
        memmove(p->in, p->in + p->first, p->nin * sizeof *p->in);
        p->first = 0;
    }
    p->in = mem_grow(p->in, p->nin, &p->in_cap, sizeof *p->in, "messages to an SM");
    uint32_t i = p->nin++;
    for (; i && after(&p->in[i - 1], m); i--)
        p->in[i] = p->in[i - 1];
    p->in[i] = *m;
}

uint64_t cnet_transfer(const struct cnet_cfg *c, uint64_t *free, uint64_t bytes, uint64_t now)
{
    uint64_t from = *free > now ? *free : now;
    *free = from + (bytes + (uint64_t)c->port_bytes - 1) / (uint64_t)c->port_bytes;
    return *free;
}

/* ---- barriers ---- */

/* A cluster of which a block has arrived, or some have exited. */
struct arrivals {
    const struct grid *grid;
    uint64_t cluster;
    uint64_t latest;                     /* cycle of the last arrival */
    uint32_t arrived;                    /* ranks (bits) */
    uint32_t exited;                     /* ranks (bits) */
    uint16_t sm[CLUSTER_MAX];            /* by rank */
};

struct cnet_barriers {
    struct cnet_cfg cfg;
    struct arrivals *list;
    uint32_t n, cap;
};

struct cnet_barriers *cnet_barriers_new(const struct cnet_cfg *c)
{
    struct cnet_barriers *b = mem_zero(1, sizeof *b, "the barriers of clusters");
    b->cfg = *c;
    return b;
}

void cnet_barriers_free(struct cnet_barriers *b)
{
    if (!b)
        return;
    free(b->list);
    free(b);
}

static struct arrivals *find(struct cnet_barriers *b, const struct grid *grid, uint64_t cluster)
{
    for (uint32_t i = 0; i < b->n; i++)
        if (b->list[i].grid == grid && b->list[i].cluster == cluster)
            return &b->list[i];
    b->list = mem_grow(b->list, b->n, &b->cap, sizeof *b->list, "the barriers of clusters");
    b->list[b->n] = (struct arrivals){ .grid = grid, .cluster = cluster };
    return &b->list[b->n++];
}

void cnet_arrival(struct cnet_barriers *b, const struct cnet_message *m, uint32_t blocks,
                     void (*release)(void *ctx, const struct cnet_message *m), void *ctx)
{
    struct arrivals *a = find(b, m->grid, m->block / blocks);
    uint32_t rank = (uint32_t)(m->block % blocks), all = (1u << blocks) - 1;
    a->sm[rank] = m->from;
    a->latest = m->at > a->latest ? m->at : a->latest;
    if (m->kind == CNET_ARRIVED)
        a->arrived |= 1u << rank;
    else {
        a->exited |= 1u << rank;
        a->arrived &= ~(1u << rank);
    }
    if ((a->arrived | a->exited) != all)
        return;
    for (uint32_t r = 0; r < blocks; r++)
        if (a->arrived >> r & 1)
            release(ctx, &(struct cnet_message){
                .at = a->latest + (uint64_t)b->cfg.barrier_cycles, .grid = m->grid, .kind = CNET_RELEASE,
                .from = CNET_COORDINATOR,
                .block = m->block / blocks * blocks + r, .to = a->sm[r] });
    a->arrived = 0;
    if (a->exited == all)
        *a = b->list[--b->n];
}
