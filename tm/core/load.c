/*
 * Loads inside a transaction. Words that the lane has not written itself are fetched from memory, past the L1, as whole
 * words, since conflicts are detected by word. Bytes of the lane's own writes replace the fetched ones. The registers
 * are written when the fetch and all parts that the protocol added have completed.
 */
#include <stdlib.h>
#include <string.h>

#include "tm/core/tm_impl.h"

enum { LOADS_IN_CHUNK = 16 };

struct load {
    struct tm_load l;
    uint32_t own_bytes[TM_LANES];    /* bytes of the access that the lane had written when it was issued */
    uint64_t note[TM_LANES][2];      /* with protocol->notes */
};

void tm_load_pool(struct pool *p)
{
    pool_init(p, sizeof(struct load), LOADS_IN_CHUNK, "loads in transactions");
}

/* A mask of the bytes of the access that the lane has written; their values are copied to op->data. */
static uint32_t own_of(const struct tm_set *writes, struct mem_op *op, unsigned lane)
{
    uint64_t from = op->address[lane], end = from + op->width;
    uint32_t own = 0;
    for (uint64_t a = from & ~UINT64_C(3); writes->n && a < end; a += 4) {
        uint32_t value = 0;
        uint8_t have = tm_set_find(writes, a, &value);
        for (unsigned b = 0; b < 4; b++)
            if (have >> b & 1 && a + b >= from && a + b < end) {
                own |= UINT32_C(1) << (a + b - from);
                mem_data(op, lane)[a + b - from] = (uint8_t)(value >> 8 * b);
            }
    }
    return own;
}

static void find_own(struct tm_core *c, struct load *x)
{
    struct mem_op *op = x->l.op;
    uint32_t all = op->width == 32 ? UINT32_MAX : (UINT32_C(1) << op->width) - 1;
    for (uint64_t m = x->l.lanes; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        uint32_t own = own_of(&c->warp[op->sm_slot].lane[lane].writes, op, lane);
        x->own_bytes[lane] = own;
        x->l.own |= own ? m & -m : 0;
        x->l.covered |= own == all ? m & -m : 0;
    }
}

bool tm_word_is_own(const struct tm_load *l, unsigned lane, unsigned n)
{
    uint32_t own = ((const struct load *)l)->own_bytes[lane];
    return l->op->width < 4 ? own == (UINT32_C(1) << l->op->width) - 1 : (own >> 4 * n & 15) == 15;
}

const uint64_t *tm_load_note(const struct tm_load *l, unsigned lane)
{
    return ((const struct load *)l)->note[lane];
}

/* The same access as whole words, which are loaded into its own op->data. */
static struct mem_op *fetch_of(struct tm_core *c, struct load *x, uint64_t lanes)
{
    const struct mem_op *op = x->l.op;
    struct mem_op *f = c->calls.op_new(c->calls.ctx);
    memcpy(f, op, offsetof(struct mem_op, address));
    memset(f->served_by, 0, sizeof f->served_by);
    f->lanes = f->served_by[SERVE_GLOBAL] = lanes;
    f->path = PATH_L2;
    f->to_data = true;
    f->role = TM_ROLE_FETCH;
    f->sm_slot = op->sm_slot;
    f->owner = x;
    f->width = op->width < 4 ? 4 : op->width;
    f->stride = MEM_WIDTH_MAX;
    f->pattern = op->width < 4 ? MEM_PATTERN_SCATTERED : op->pattern;
    f->order_acquire = false;
    f->noted = c->tm->notes;
    f->note = x->note;
    for (uint64_t m = lanes; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        f->address[lane] = op->address[lane] & ~UINT64_C(3);
        x->note[lane][0] = UINT64_MAX;
        x->note[lane][1] = 0;
    }
    return f;
}

/* Issues the lanes that are not in global memory as an ordinary access, which is another part of the load. */
static void issue_rest(struct tm_core *c, struct load *x, uint64_t rest)
{
    struct mem_op *r = c->calls.op_new(c->calls.ctx);
    *r = *x->l.op;
    r->lanes = rest;
    r->served_by[SERVE_GLOBAL] = r->served_by[SERVE_TEXTURE] = 0;
    r->role = TM_ROLE_REST;
    r->owner = x;
    x->l.waits++;
    c->calls.issue(c->calls.ctx, r->sm_slot, r);
}

bool tm_load_begin(struct tm_core *c, struct mem_op *op, uint64_t lanes, uint64_t now)
{
    struct load *x = pool_take(&c->load);
    uint64_t rest = op->lanes & ~lanes;
    x->l = (struct tm_load){ .op = op, .slot = op->sm_slot, .lanes = lanes, .waits = 1 };
    c->loads++;
    if (op->stride != MEM_WIDTH_MAX)
        op->stride = MEM_WIDTH_MAX;
    find_own(c, x);
    if (x->l.lanes & ~x->l.covered)
        x->l.fetch = fetch_of(c, x, lanes & ~x->l.covered);
    c->tm->protocol->load(c->protocol, &x->l, now);
    if (rest)
        issue_rest(c, x, rest);
    x->l.waits += x->l.fetch != NULL;
    if (x->l.fetch && !x->l.held)
        tm_fetch(c, &x->l);
    tm_load_part_done(c, &x->l, now);
    return true;
}

void tm_fetch(struct tm_core *c, struct tm_load *l)
{
    c->calls.issue(c->calls.ctx, l->slot, l->fetch);
}

void tm_fetched(struct tm_core *c, struct tm_load *l, uint64_t now)
{
    tm_load_fetched(c, l->fetch, now);
}

/* Adds the fetched words to the read set, and copies to the load the bytes that the lane has not written itself. */
static void merge(struct tm_core *c, struct load *x, unsigned lane)
{
    struct mem_op *op = x->l.op, *f = x->l.fetch;
    const uint8_t *from = mem_data(f, lane);
    uint64_t skip = op->address[lane] - f->address[lane];
    uint32_t own = x->own_bytes[lane];
    struct tm_set *reads = &c->warp[op->sm_slot].lane[lane].reads;
    for (unsigned b = 0; b < op->width; b++)
        if (!(own >> b & 1))
            mem_data(op, lane)[b] = from[b + skip];
    for (unsigned n = 0; n < f->width / 4u; n++) {
        uint32_t value;
        memcpy(&value, from + 4 * n, 4);
        if (!tm_word_is_own(&x->l, lane, n))
            tm_set_add(reads, f->address[lane] + 4 * n, value, 15);
        else
            c->count[STAT_TX_OWN_READS]++;
    }
}

void tm_load_fetched(struct tm_core *c, struct mem_op *op, uint64_t now)
{
    struct load *x = op->owner;
    if (op->role == TM_ROLE_FETCH) {
        for (uint64_t m = op->lanes; m; m &= m - 1)
            merge(c, x, (unsigned)__builtin_ctzll(m));
        if (c->tm->protocol->loaded)
            c->tm->protocol->loaded(c->protocol, &x->l, now);
        x->l.fetch = NULL;
    }
    c->calls.op_free(c->calls.ctx, op);
    tm_load_part_done(c, &x->l, now);
}

void tm_load_part_done(struct tm_core *c, struct tm_load *l, uint64_t now)
{
    struct mem_op *op = l->op;
    if (--l->waits)
        return;
    mem_load_data(op, l->lanes);
    pool_give(&c->load, l);
    c->loads--;
    c->now = now;
    c->calls.loaded(c->calls.ctx, op);
}
