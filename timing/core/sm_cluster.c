/*
 * Clusters at an SM: accesses to the shared memory of other blocks leave as messages, those of other SMs are performed
 * in the cycle in which they arrive, and blocks report to the barrier of their cluster.
 */
#include <string.h>

#include "timing/core/sm_impl.h"

enum { HEADER_BYTES = 8 };               /* of a message: the address and what is to be done */

static const struct launch *launch_of(const struct resident_block *r)
{
    return &r->grid->grid->launch;
}

static bool has_cluster(const struct resident_block *r)
{
    return cluster_blocks(launch_of(r)) > 1;
}

/* Data that the access sends: none of a load or of an arrival without a count; both operands of a compare-and-swap. */
static uint64_t request_bytes(const struct mem_op *op, uint64_t lanes)
{
    bool atomic = op->kind == MOP_ATOM || op->kind == MOP_RED;
    const struct ptx_operand *first = &op->d->in->opd[op->kind == MOP_ATOM ? 2 : 1];
    uint64_t operands = op->kind == MOP_LOAD              ? 0
                        : op->atomic_class == ATOMIC_CAS  ? 2
                        : atomic                          ? first->kind != OPD_NONE
                                                          : 1;
    return num_ones(lanes) * op->width * operands;
}

/* Data of the reply: what is loaded, or an old value that goes to a register. */
static uint64_t reply_bytes(const struct mem_op *op, uint64_t lanes)
{
    bool old = op->kind == MOP_ATOM && op->d->in->opd[0].kind != OPD_SINK;
    return op->kind == MOP_LOAD || old ? num_ones(lanes) * op->width : 0;
}

static void post(struct sm *s, struct cnet_message *m, uint64_t bytes, uint64_t now, uint32_t latency)
{
    m->from = s->cfg.index;
    m->at = cnet_transfer(&s->cfg.cluster, &s->port.out_free, HEADER_BYTES + bytes, now) + latency;
    s->count[STAT_CLUSTER_BYTES] += bytes;
    cnet_post(&s->port, m);
}

/* The cycle at which a message with so many bytes of data, which arrives now, has passed the port. */
static uint64_t receive(struct sm *s, uint64_t bytes)
{
    return cnet_transfer(&s->cfg.cluster, &s->port.in_free, HEADER_BYTES + bytes, s->now);
}

/* ---- accesses of this SM ---- */

uint32_t sm_cluster_access(void *ctx, struct mem_op *op, uint64_t now)
{
    struct sm *s = ctx;
    const struct resident_block *r = s->slot[op->sm_slot].block;
    uint32_t blocks = cluster_blocks(launch_of(r)), n = 0;
    for (uint64_t left = op->served_by[SERVE_CLUSTER]; left; n++) {
        uint32_t rank = cluster_rank(r->block, op->address[__builtin_ctzll(left)]);
        uint64_t same = 0;
        for (uint64_t m = left; m; m &= m - 1)
            if (cluster_rank(r->block, op->address[__builtin_ctzll(m)]) == rank)
                same |= m & -m;
        left &= ~same;
        struct cnet_message m = { .grid = r->grid->grid, .block = r->block->order / blocks * blocks + rank, .op = op,
                                     .lanes = same, .sent = now, .to = r->cluster_sm[rank], .kind = CNET_ACCESS };
        post(s, &m, request_bytes(op, same), now, cnet_request_cycles(&s->cfg.cluster));
        s->count[STAT_CLUSTER_REQUESTS]++;
    }
    return n;
}

static void refused(struct sm *s, const struct cnet_message *m)
{
    struct slot *w = &s->slot[m->op->sm_slot];
    const struct dinst *d = m->op->d;
    bool write = m->op->kind != MOP_LOAD;
    for (uint64_t l = mem_legal(m->op, m->lanes); l && !s->fault; l &= l - 1) {
        int lane = __builtin_ctzll(l);
        uint64_t address = m->op->address[lane] | (d->space == SP_GENERIC ? WINDOW_SHARED : 0);
        memset(mem_data(m->op, (unsigned)lane), 0, m->op->width);
        if (fault_memory(&w->warp->half[lane / LANES], d, lane % LANES, address, m->op->width, write))
            sm_take_fault(s, w);
    }
}

static void replied(struct sm *s, const struct cnet_message *m)
{
    uint64_t ready = receive(s, reply_bytes(m->op, m->lanes));
    bool bulk = m->op->role == MEM_ROLE_BULK;
    if (m->refused && bulk)
        bulk_part_refused(s, m->op);
    else if (m->refused)
        refused(s, m);
    s->count[STAT_CLUSTER_REPLIES]++;
    s->count[STAT_CLUSTER_CYCLES] += ready - m->sent;
    if (bulk) {
        bulk_part_at(s, m->op, ready);
        return;
    }
    lsu_cluster_reply(s->lsu, m->op, m->lanes, ready);
    s->lsu_at = s->now;
}

/* ---- accesses of other SMs ---- */

static struct resident_block *find_block(struct sm *s, const struct grid *grid, uint64_t order)
{
    for (uint32_t i = 0; i < s->cfg.blocks; i++) {
        struct resident_block *r = &s->block[i];
        if (r->block && r->grid->grid == grid && r->block->order == order)
            return r;
    }
    return NULL;
}

static void accessed(struct sm *s, const struct cnet_message *m)
{
    struct resident_block *r = find_block(s, m->grid, m->block);
    uint64_t ready = receive(s, request_bytes(m->op, m->lanes));
    struct cnet_message reply = *m;
    if (r && r->alive)
        mem_cluster_perform(m->op, m->lanes, r->block);
    reply.refused = !r || !r->alive;
    reply.kind = CNET_REPLY;
    reply.to = m->from;
    uint32_t latency = (uint32_t)s->cfg.cluster.latency - cnet_request_cycles(&s->cfg.cluster);
    post(s, &reply, reply_bytes(m->op, m->lanes), ready, latency);
}

/* ---- barriers ---- */

static void report(struct sm *s, struct resident_block *r, enum cnet_message_kind kind)
{
    struct cnet_message m = { .at = s->now, .grid = r->grid->grid, .block = r->block->order, .from = s->cfg.index,
                                 .kind = (uint8_t)kind };
    cnet_post(&s->port, &m);
}

void sm_cluster_complete(struct sm *s, struct resident_block *r)
{
    if (r->arrived)
        return;
    r->arrived = true;
    report(s, r, CNET_ARRIVED);
}

void sm_cluster_exited(struct sm *s, struct resident_block *r)
{
    if (has_cluster(r))
        report(s, r, CNET_EXITED);
}

static void released(struct sm *s, const struct cnet_message *m)
{
    struct resident_block *r = find_block(s, m->grid, m->block);
    if (!r || !r->arrived)
        return;
    r->arrived = false;
    cluster_release(r->block);
    lsu_acquire(s->lsu);
    s->lsu_at = s->now;
    sm_block_release_barrier(s, r, s->now + 1);
}

/* ---- messages ---- */

void sm_cluster_receive(struct sm *s, const struct cnet_message *m)
{
    cnet_deliver(&s->port, m);
    uint64_t at = cnet_first(&s->port)->at;
    s->core_at = at < s->core_at ? at : s->core_at;
}

void sm_cluster_run(struct sm *s)
{
    const struct cnet_message *first;
    while (!s->fault && (first = cnet_first(&s->port)) && first->at <= s->now) {
        struct cnet_message m = *first;
        s->port.first++;
        switch (m.kind) {
        case CNET_ACCESS: accessed(s, &m); break;
        case CNET_REPLY: replied(s, &m); break;
        default: released(s, &m); break;
        }
    }
}

const struct cnet_message *sm_cluster_sent(struct sm *s, uint32_t *n)
{
    *n = s->port.nout;
    s->port.nout = 0;
    return s->port.out;
}

bool sm_cluster_idle(const struct sm *s)
{
    return !cnet_first(&s->port) && !s->port.nout;
}
