/* The bench for the load/store unit. */
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <cmocka.h>

#include "memsys/xbar/xbar.h"
#include "regress/unit/memsys/lsu_rig.h"

_Alignas(1 << 16) uint8_t rig_memory[RIG_MEMORY];
_Alignas(64) uint8_t rig_shared[RIG_SHARED];

uint32_t rig_random(struct rig *r, uint32_t n)
{
    r->random ^= r->random << 13;
    r->random ^= r->random >> 7;
    r->random ^= r->random << 17;
    return n ? (uint32_t)((r->random >> 11) % n) : 0;
}

static void note(struct rig *r, uint64_t a, uint64_t b)
{
    r->trace = (r->trace ^ a * 8191 ^ b) * UINT64_C(0x100000001b3);
}

static void on_done(void *ctx, struct mem_op *op, uint64_t at)
{
    struct rig *r = ctx;
    struct rig_op *o = op->owner;
    assert_true(o->busy && !o->done);
    assert_true(at >= r->now);
    o->done = true;
    o->at = at;
    note(r, (uint64_t)(o - r->op), at);
}

static void on_performed(void *ctx, uint32_t slot, bool store, uint64_t at)
{
    struct rig *r = ctx;
    assert_int_equal(at, r->now);
    (store ? r->told_stores : r->told_loads)[slot]++;
    note(r, 100 + slot * 2 + store, at);
}

static void on_fetched(void *ctx, uint64_t line, uint64_t at)
{
    struct rig *r = ctx;
    r->fetched_line = line;
    r->fetched_at = at;
    note(r, line - rig_address(0), at);
}

void rig_start(struct rig *r)
{
    char error[200];
    memset(r, 0, sizeof *r);
    r->random = 88172645463325252u;
    r->config = config_new();
    clocks_set(&r->clocks, (const uint64_t[CLK_COUNT]){ 1000, 1000, 1000, 1000 });
    assert_true(addrmap_parse(&r->map, "dramid@8;RRRRRRRR.BBBBCCCC.CCCSSSSS", RIG_SLICES, 1, false, rig_address(0),
                              error, sizeof error));
    lsu_configure(&r->cfg, r->config);
    r->cfg.clocks = &r->clocks;
    r->cfg.map = &r->map;
    r->cfg.sm = 3;
    r->cfg.request_latency = r->cfg.credit_latency = 4;
    r->port_flits = 64;
    r->delay = 10;
    r->walk = true;
    r->block.shared = (char *)rig_shared;
    r->warp.block = &r->block;
    r->warp.half[0].worker = &r->worker;
    r->inst.mod[PG_ATOM] = MOD(ATOM, ADD);
    r->dinst = (struct dinst){ .in = &r->inst, .size = 4, .vec = 1 };
    for (int h = 0; h < MAX_HALVES; h++)
        r->warp.half[h].regs = (char *)r->regs[h];
}

void rig_build(struct rig *r)
{
    const struct lsu_calls calls = { .ctx = r, .done = on_done, .performed = on_performed, .fetched = on_fetched };
    port_init(&r->out, 1, r->port_flits);
    port_init(&r->in, 1, r->port_flits);
    r->u = lsu_new(&r->cfg, &calls, &r->out, &r->in, r->count, &r->hists);
    r->tlb = r->cfg.tlb.l1.entries ? tlb_l2_new(&r->cfg.tlb.l2) : NULL;
    r->now = 1;
}

void rig_end(struct rig *r)
{
    lsu_free(r->u);
    tlb_l2_free(r->tlb);
    port_end(&r->out);
    port_end(&r->in);
    config_free(r->config);
}

/* ---- the far side ---- */

static void perform_atomic(struct packet *p)
{
    for (unsigned h = 0; h < MAX_HALVES; h++)
        for (uint32_t m = p->atom->lanes[h]; m; m &= m - 1) {
            unsigned lane = LANES * h + (unsigned)__builtin_ctz(m);
            uint8_t *at = (uint8_t *)(uintptr_t)p->line + p->atom->offset[lane];
            uint32_t old, add;
            memcpy(&old, at, 4);
            memcpy(&add, p->atom->b[lane], 4);
            add += old;
            memcpy(at, &add, 4);
            memcpy(p->atom->b[lane], &old, 4);
        }
}

/* Requests become replies; bytes that nobody asked for are made wrong. */
static void perform(struct rig *r, struct packet *p)
{
    uint8_t *line = (uint8_t *)(uintptr_t)p->line;
    r->last_performed = r->xbar;
    assert_true(p->sectors > 0 && p->sectors <= ALL_SECTORS && p->line % LINE_BYTES == 0);
    switch (p->kind) {
    case MSG_READ:
        assert_int_equal(p->bytes, 8);
        r->reads[p->type]++;
        r->read_sectors[p->type] += (uint64_t)__builtin_popcount(p->sectors);
        memset(p->data, 0xee, LINE_BYTES);
        for (unsigned s = 0; s < LINE_SECTORS && p->type != ACCESS_INST; s++)
            if (p->sectors >> s & 1)
                memcpy(p->data + s * SECTOR_BYTES, line + s * SECTOR_BYTES, SECTOR_BYTES);
        p->kind = MSG_READ_REPLY;
        p->bytes = (uint16_t)(PACKET_HEADER + SECTOR_BYTES * __builtin_popcount(p->sectors));
        break;
    case MSG_WRITE:
        assert_int_equal(p->sectors, line_sectors(p->mask));
        assert_int_equal(p->bytes, 8 + 32 * __builtin_popcount(p->sectors));
        r->writes[p->type]++;
        line_merge(line, p->data, p->mask);
        p->kind = MSG_WRITE_ACK;
        p->bytes = PACKET_HEADER;
        break;
    default:
        assert_int_equal(p->kind, MSG_ATOMIC);
        r->atomics++;
        perform_atomic(p);
        p->kind = MSG_ATOMIC_REPLY;
        p->bytes = p->reply_bytes;
        break;
    }
}

static void arrive(struct rig *r)
{
    struct packet *p = port_receive(&r->out, r->xbar);
    if (!p)
        return;
    struct rig_slice *s = &r->slice[p->slice];
    assert_int_equal(p->slice, addrmap_slice(&r->map, p->line));
    assert_int_equal(p->sm, 3);
    port_return(&r->out, clock_convert(&r->clocks, CLK_XBAR, CLK_CORE, r->xbar) + 2, p->vn,
                xbar_flits(p->bytes, r->cfg.flit_bytes));
    assert_true(s->tail - s->head < RIG_WAITING);
    uint32_t i = s->tail++ % RIG_WAITING;
    s->waiting[i].p = p;
    s->waiting[i].perform = r->xbar + r->delay + rig_random(r, r->jitter + 1);
    s->waiting[i].send = s->waiting[i].perform + rig_random(r, r->jitter + 1);
    s->waiting[i].performed = false;
}

static void answer(struct rig *r, struct rig_slice *s)
{
    while (s->next != s->tail && s->waiting[s->next % RIG_WAITING].perform <= r->xbar)
        perform(r, s->waiting[s->next++ % RIG_WAITING].p);
    if (s->head == s->next || s->waiting[s->head % RIG_WAITING].send > r->xbar)
        return;
    struct packet *p = s->waiting[s->head % RIG_WAITING].p;
    uint32_t flits = xbar_flits(p->bytes, r->cfg.flit_bytes);
    uint64_t at = clock_convert(&r->clocks, CLK_XBAR, CLK_CORE, r->xbar) + 3;
    if (!port_can_send(&r->in, r->xbar, p->vn, flits))
        return;
    port_send(&r->in, at, p->vn, flits, p);
    r->last_sent = at;
    s->head++;
}

static void on_translated(void *ctx, const struct tlb_request *q, uint64_t at)
{
    struct rig *r = ctx;
    assert_true(q->sm == 3 && at > r->now);
    lsu_translated(r->u, q->page, at);
}

static void translate(struct rig *r)
{
    uint32_t n;
    const struct tlb_request *sent = lsu_tlb_sent(r->u, &n);
    for (uint32_t i = 0; i < n; i++)
        tlb_l2_receive(r->tlb, &sent[i]);
    tlb_l2_run(r->tlb, on_translated, r);
}

void rig_cycle(struct rig *r)
{
    if (r->walk || lsu_next(r->u) <= r->now) {
        uint64_t next = lsu_run(r->u, r->now);
        assert_true(next > r->now);
        assert_int_equal(next, lsu_next(r->u));
        r->visits++;
    }
    if (r->tlb)
        translate(r);
    r->now++;
    for (uint64_t end = clock_convert(&r->clocks, CLK_CORE, CLK_XBAR, r->now); r->xbar < end; r->xbar++) {
        arrive(r);
        for (unsigned i = 0; i < RIG_SLICES; i++)
            answer(r, &r->slice[(i + r->xbar) % RIG_SLICES]);
    }
}

/* ---- instructions ---- */

struct rig_op *rig_op(struct rig *r, enum mem_op_kind kind, unsigned size, unsigned count)
{
    uint32_t i = 0;
    while (r->op[i].busy)
        assert_true(++i < RIG_OPS);
    struct rig_op *o = &r->op[i];
    memset(o, 0, sizeof *o);
    o->busy = true;
    o->op = (struct mem_op){
        .warp = &r->warp, .d = &r->dinst, .kind = (uint8_t)kind, .size = (uint8_t)size, .count = (uint8_t)count,
        .width = (uint8_t)(size * count), .stride = MEM_WIDTH_MAX, .reg_bytes = size == 8 ? 8 : 4, .owner = o
    };
    for (unsigned e = 0; e < count; e++)
        o->op.reg[e] = (uint32_t)((char *)r->regs[0][i][e] - (char *)r->regs[0]);
    return o;
}

void rig_lane(struct rig_op *o, enum mem_server s, unsigned lane, uint64_t address)
{
    o->op.lanes |= UINT64_C(1) << lane;
    o->op.served_by[s] |= UINT64_C(1) << lane;
    o->op.address[lane] = address;
}

void rig_lanes(struct rig_op *o, enum mem_server s, unsigned n, uint64_t address, int64_t stride)
{
    for (unsigned lane = 0; lane < n; lane++)
        rig_lane(o, s, lane, address + (uint64_t)(stride * (int64_t)lane));
}

void rig_issue(struct rig *r, struct rig_op *o, uint32_t slot)
{
    uint32_t loads, stores;
    assert_true(lsu_has_room(r->u));
    o->op.sm_slot = slot;
    lsu_issue(r->u, &o->op, r->now - 1, &loads, &stores);
    r->loads[slot] += loads;
    r->stores[slot] += stores;
    assert_true(lsu_warp_busy(r->u, slot));
}

void rig_until_done(struct rig *r, struct rig_op *o)
{
    for (int i = 0; i < 100000 && !o->done; i++)
        rig_cycle(r);
    assert_true(o->done);
    o->busy = false;
}

void rig_drain(struct rig *r)
{
    for (int i = 0; i < 100000 && !lsu_idle(r->u); i++)
        rig_cycle(r);
    assert_true(lsu_idle(r->u));
}

uint64_t rig_latency(struct rig *r, struct rig_op *o)
{
    uint64_t from = r->now - 1;
    rig_issue(r, o, 0);
    rig_until_done(r, o);
    return o->at - from;
}

uint64_t rig_value(const struct rig *r, const struct rig_op *o, unsigned lane, unsigned element)
{
    uint64_t v = 0;
    memcpy(&v, r->warp.half[lane / LANES].regs + o->op.reg[element] + lane % LANES * o->op.reg_bytes, o->op.reg_bytes);
    return v;
}
