/*
 * The engine of bulk copies (cp.async.bulk, tensor copies among them) of an SM. A copy begins when its instruction has
 * passed the load/store unit, so after the earlier accesses of the SM to shared memory. The engine works on one copy
 * after the other, in parts of lines of 128 bytes, a cycle each: global memory is read and written through the
 * load/store unit's path to L2, past L1, in cycles in which a port of L1 is free; shared memory of other blocks through
 * the network of the cluster. The banks of shared memory are not occupied, as for cp.async.
 *
 * A tensor copy reads its map when it begins, at no cost. Its parts lie in one row of the box; one without any byte
 * inside the tensor takes a cycle, too. A copy with .multicast::cluster reads each part once, and sends it to each of
 * its blocks.
 *
 * A part that arrives in shared memory completes its bytes at the barrier object. A copy to global memory has read its
 * source when its last part has left, and is complete when L2 has acknowledged all.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/num.h"
#include "ptx/memory/tensor_async.h"
#include "timing/core/sm_impl.h"

enum { AHEAD = 4,                    /* parts that wait for the load/store unit at once */
       COPIES_IN_CHUNK = 32 };

/* lane: addresses and size of the bytes not sent yet; a tensor copy changes only the size. refused: a block has exited
 * before its bytes have arrived. */
struct bulk_copy {
    struct bulk_copy *next;
    const struct dinst *d;
    struct bulk_lane lane;
    struct tensor_copy tensor;
    uint32_t parts;                  /* in flight */
    uint16_t slot;
    uint8_t group, direction, of_lane;
    bool tiled, multicast;           /* a tensor copy; its bytes go to several blocks */
    bool refused;
};

struct bulk_engine {
    struct pool copies;
    struct bulk_copy *first, *last;  /* those with bytes to send */
    uint32_t outstanding;            /* copies that are not complete */
    bool scheduled;                  /* an EVENT_BULK will come */
};

void bulk_free(struct sm *s)
{
    if (!s->bulk)
        return;
    pool_end(&s->bulk->copies);
    free(s->bulk);
}

/* ---- copies ---- */

void bulk_issued(struct sm *s, const struct slot *w, struct mem_op *op)
{
    if (!s->bulk) {
        s->bulk = mem_zero(1, sizeof *s->bulk, "the bulk copies of an SM");
        pool_init(&s->bulk->copies, sizeof(struct bulk_copy), COPIES_IN_CHUNK, "bulk copies");
    }
    bool of_group = bulk_direction((enum ptx_op)op->d->in->op) == BULK_SHARED_TO_GLOBAL;
    op->bulk_group = copies_begin_bulk(s, w, num_ones(op->lanes), of_group);
    s->count[STAT_BULK_COPIES] += num_ones(op->lanes);
}

/* All its bytes have been read from their source, or requested. */
static bool all_sent(const struct bulk_copy *c)
{
    return !c->lane.bytes;
}

static void check_complete(struct sm *s, struct bulk_copy *c)
{
    uint32_t group = c->group;
    struct slot *w = &s->slot[c->slot];
    if (c->parts || !all_sent(c))
        return;
    pool_give(&s->bulk->copies, c);
    s->bulk->outstanding--;
    copies_bulk_end(s, w, group);
}

static void part_over(struct sm *s, struct bulk_copy *c)
{
    c->parts--;
    check_complete(s, c);
}

static void append(struct bulk_engine *e, struct bulk_copy *c)
{
    c->next = NULL;
    if (e->first)
        e->last->next = c;
    else
        e->first = c;
    e->last = c;
}

/* The copy of a lane. False: a fault, which ends the kernel. */
static bool read_lane(struct sm *s, struct bulk_copy *c, const struct mem_op *op)
{
    enum ptx_op opcode = (enum ptx_op)op->d->in->op;
    c->tiled = ptx_is_tensor_copy(opcode);
    c->multicast = bulk_is_multicast(opcode);
    if (!c->tiled)
        memcpy(&c->lane, op->data[c->of_lane], sizeof c->lane);
    else if (!tensor_copy_begin(&c->tensor, &c->lane, op, c->of_lane)) {
        sm_take_fault(s, &s->slot[c->slot]);
        return false;
    }
    return true;
}

void bulk_begin(struct sm *s, struct mem_op *op)
{
    for (uint64_t m = op->lanes; m && !s->fault; m &= m - 1) {
        struct bulk_copy *c = pool_take(&s->bulk->copies);
        *c = (struct bulk_copy){ .d = op->d, .slot = (uint16_t)op->sm_slot, .group = (uint8_t)op->bulk_group,
                                 .direction = (uint8_t)bulk_direction((enum ptx_op)op->d->in->op),
                                 .of_lane = (uint8_t)__builtin_ctzll(m) };
        if (!read_lane(s, c, op)) {
            pool_give(&s->bulk->copies, c);
            continue;
        }
        append(s->bulk, c);
        s->bulk->outstanding++;
    }
    sm_give_op(s, op);
}

/* ---- parts ---- */

static struct mem_op *empty_part(struct sm *s, struct bulk_copy *c)
{
    struct mem_op *op = pool_take(&s->ops);
    memset(op, 0, offsetof(struct mem_op, address));
    op->warp = s->slot[c->slot].warp;
    op->path = PATH_L2;
    op->role = MEM_ROLE_BULK;
    op->sm_slot = c->slot;
    op->owner = c;
    op->bulk_to = c->lane.to;
    op->remote = 0;
    op->sequence = 0;
    c->parts++;
    s->count[STAT_BULK_PARTS]++;
    return op;
}

/* A part of n bytes, with the addresses of its destination. */
static struct mem_op *new_part(struct sm *s, struct bulk_copy *c, uint32_t n)
{
    struct mem_op *op = empty_part(s, c);
    bulk_part(op, c->d, c->lane.to, n);
    return op;
}

static void read_source(const struct sm *s, const struct bulk_copy *c, struct mem_op *op)
{
    bulk_part_data(op, s->slot[c->slot].warp->block->shared + (c->lane.from & CLUSTER_OFFSET_MASK));
}

static bool is_remote(const struct sm *s, const struct mem_op *op, uint64_t to)
{
    const struct block *b = s->slot[op->sm_slot].warp->block;
    return cluster_rank(b, to) != b->rank;
}

void bulk_part_at(struct sm *s, struct mem_op *op, uint64_t at)
{
    if (at <= s->now) {
        bulk_part_arrived(s, op);
        return;
    }
    calendar_add(&s->calendar, s->now, &(struct event){ .at = at, .address = (uint64_t)(uintptr_t)op,
                                                        .kind = EVENT_BULK_PART, .warp = (uint16_t)op->sm_slot });
}

/* Writes the bytes of a part, or sends them to another block. */
static void deliver_to_block(struct sm *s, struct bulk_copy *c, struct mem_op *op)
{
    if (is_remote(s, op, op->address[__builtin_ctzll(op->lanes)])) {
        op->remote = sm_cluster_access(s, op, s->now);
        return;
    }
    mem_cluster_perform(op, op->lanes, s->slot[op->sm_slot].warp->block);
    sm_give_op(s, op);
    part_over(s, c);
}

/* A copy of the part for the block of this rank. */
static struct mem_op *copy_part(struct sm *s, struct bulk_copy *c, const struct mem_op *op, uint32_t rank)
{
    struct mem_op *one = pool_take(&s->ops);
    *one = *op;
    for (uint64_t m = op->lanes; m; m &= m - 1)
        one->address[__builtin_ctzll(m)] = cluster_map(op->address[__builtin_ctzll(m)], rank);
    c->parts++;
    return one;
}

static void deliver_to_blocks(struct sm *s, struct bulk_copy *c, struct mem_op *op)
{
    for (uint32_t m = c->lane.blocks; m; m &= m - 1)
        deliver_to_block(s, c, copy_part(s, c, op, (uint32_t)__builtin_ctz(m)));
    sm_give_op(s, op);
    part_over(s, c);
}

/* The bytes of a part that goes to shared memory have arrived at this SM. */
static void deliver(struct sm *s, struct bulk_copy *c, struct mem_op *op)
{
    if (c->lane.empty)
        bulk_part_empty(op, &c->lane);
    else {
        if (c->tiled)
            tensor_part_arrived(&c->tensor, op, op->box_part.at, op->box_part.bytes);
        else
            bulk_part(op, c->d, op->bulk_to, num_ones(op->lanes) * op->width);
        bulk_part_completes(op, c->lane.object);
    }
    op->served_by[SERVE_GLOBAL] = 0;
    op->served_by[SERVE_CLUSTER] = op->lanes;
    if (c->multicast)
        deliver_to_blocks(s, c, op);
    else
        deliver_to_block(s, c, op);
}

void bulk_part_arrived(struct sm *s, struct mem_op *op)
{
    struct bulk_copy *c = op->owner;
    bool to_shared = c->direction == BULK_GLOBAL_TO_SHARED || c->direction == BULK_SHARED_TO_SHARED;
    if (to_shared && !op->remote) {
        deliver(s, c, op);
        return;
    }
    sm_give_op(s, op);
    part_over(s, c);
}

void bulk_part_refused(struct sm *s, struct mem_op *op)
{
    struct bulk_copy *c = op->owner;
    struct slot *w = &s->slot[c->slot];
    if (c->refused || s->fault)
        return;
    c->refused = true;
    if (fault_memory(&w->warp->half[c->of_lane / LANES], c->d, c->of_lane % LANES,
                     op->address[__builtin_ctzll(op->lanes)] | WINDOW_SHARED, BULK_GRAIN, true))
        sm_take_fault(s, w);
}

void bulk_part_done(struct sm *s, struct mem_op *op, uint64_t at)
{
    struct bulk_copy *c = op->owner;
    if (op->kind == MOP_LOAD) {
        bulk_part_at(s, op, at + (uint64_t)s->cfg.mem_stages);
        return;
    }
    sm_give_op(s, op);
    if (lsu_stores_wait(s->lsu))
        part_over(s, c);
}

void bulk_part_acknowledged(void *sm, void *copy, uint64_t at)
{
    (void)at;
    part_over(sm, copy);
}

/* ---- the engine ---- */

static void wake_at(struct sm *s, uint64_t at)
{
    if (!s->bulk->scheduled)
        calendar_add(&s->calendar, s->now, &(struct event){ .at = at, .kind = EVENT_BULK });
    s->bulk->scheduled = true;
}

/* Bytes of the next part: up to the end of a line of global memory, or else of the destination. */
static uint32_t next_part(const struct bulk_copy *c)
{
    bool by_source = c->direction == BULK_GLOBAL_TO_SHARED || c->direction == BULK_GLOBAL_TO_L2;
    uint32_t rest = BULK_PART - (uint32_t)((by_source ? c->lane.from : c->lane.to) & (BULK_PART - 1));
    return c->lane.bytes < rest ? c->lane.bytes : rest;
}

/* It reads global memory first. */
static void make_load(const struct bulk_copy *c, struct mem_op *op)
{
    op->kind = MOP_LOAD;
    op->to_data = true;
    for (uint64_t m = op->lanes; m; m &= m - 1)
        op->address[__builtin_ctzll(m)] = c->lane.from + (unsigned)__builtin_ctzll(m) * op->width;
}

static void send_global(struct sm *s, struct bulk_copy *c, uint32_t n)
{
    struct mem_op *op = new_part(s, c, n);
    if (c->direction == BULK_SHARED_TO_GLOBAL)
        read_source(s, c, op);
    else
        make_load(c, op);
    op->served_by[SERVE_GLOBAL] = op->lanes;
    lsu_background(s->lsu, op, s->now);
    s->lsu_at = s->now;
}

/* To the own block it takes as long as a load from shared memory. */
static void send_shared(struct sm *s, struct bulk_copy *c, uint32_t n)
{
    struct mem_op *op = new_part(s, c, n);
    read_source(s, c, op);
    if (is_remote(s, op, op->bulk_to))
        deliver(s, c, op);
    else
        bulk_part_at(s, op, s->now + (uint64_t)config_int(s->cfg.config, KEY_SHARED_LATENCY));
    wake_at(s, s->port.out_free > s->now + 1 ? s->port.out_free : s->now + 1);
}

/* A part of a box: through the load/store unit, unless it has no byte inside the tensor. Returns its bytes. */
static uint32_t send_tensor(struct sm *s, struct bulk_copy *c)
{
    const struct tensor_copy *t = &c->tensor;
    struct mem_op *op = empty_part(s, c);
    uint32_t at = t->bytes - c->lane.bytes, n = tensor_part(t, op, at);
    op->box_part.at = at;
    op->box_part.bytes = n;
    op->to_data = op->kind == MOP_LOAD;
    op->served_by[SERVE_GLOBAL] = op->lanes;
    if (c->direction == BULK_SHARED_TO_GLOBAL)
        tensor_part_data(t, op, at, s->slot[c->slot].warp->block->shared);
    if (op->lanes) {
        lsu_background(s->lsu, op, s->now);
        s->lsu_at = s->now;
        return n;
    }
    wake_at(s, s->now + 1);
    bulk_part_arrived(s, op);
    return n;
}

/* Sends the next part of the oldest copy. */
static void send_part(struct sm *s, struct bulk_copy *c)
{
    if (c->tiled && !c->lane.empty) {
        uint32_t n = send_tensor(s, c);
        c->lane.bytes -= n;
        return;
    }
    uint32_t n = next_part(c);
    if (c->lane.empty) {
        deliver(s, c, new_part(s, c, 0));
        c->lane.bytes = 0;
        return;
    }
    if (c->direction == BULK_SHARED_TO_SHARED)
        send_shared(s, c, n);
    else
        send_global(s, c, n);
    c->lane.bytes -= n;
    c->lane.from += n;
    c->lane.to += n;
}

/* May it send its next part in this cycle? */
static bool may_send(const struct sm *s, const struct bulk_copy *c)
{
    if (c->tiled && s->bulk->scheduled)
        return false;
    return c->direction == BULK_SHARED_TO_SHARED ? !s->bulk->scheduled : lsu_background_queued(s->lsu) < AHEAD;
}

void bulk_run(struct sm *s)
{
    struct bulk_engine *e = s->bulk;
    struct bulk_copy *c;
    while ((c = e->first) && (all_sent(c) || may_send(s, c))) {
        if (!all_sent(c))
            send_part(s, c);
        if (!all_sent(c))
            continue;
        e->first = c->next;
        copies_bulk_read(s, &s->slot[c->slot], c->group);
        check_complete(s, c);
    }
}

void bulk_wake(struct sm *s)
{
    s->bulk->scheduled = false;
    bulk_run(s);
}

/* ---- hang reports ---- */

bool bulk_describe(const struct sm *s, char *buf, size_t size)
{
    uint32_t queued = 0;
    if (!s->bulk || !s->bulk->outstanding)
        return false;
    for (const struct bulk_copy *c = s->bulk->first; c; c = c->next)
        queued++;
    snprintf(buf, size, "bulk copies: %u queued, %u in flight", queued, s->bulk->outstanding - queued);
    return true;
}
