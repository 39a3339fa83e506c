/*
 * Random loads, stores, atomics and private accesses of a few warps through the load/store unit, with every limit as
 * small as it goes, against a reference memory that is updated when an instruction issues. Every byte belongs to one
 * lane, though lines are shared by lanes of several warps, so what each load must return is known exactly: one SM sees
 * its own accesses to one address in order. Each run is made twice, visiting every cycle and visiting only cycles that
 * lsu_next names, and both must count the same and say the same at the same cycles.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "regress/unit/memsys/lsu_rig.h"

enum { WARPS = 3, CELL = 16, CELLS = 4, GLOBAL = 0, PRIVATE = 32 << 10, PRIVATE_BYTES = 32, CONSTANTS = 60 << 10,
       CONSTANT_BYTES = 1024, INSTRUCTIONS = 61 << 10, OPS = 300 };

static struct rig rig;
static uint8_t model[RIG_MEMORY], model_shared[RIG_SHARED];

/* What makes one run different from another. */
struct setting {
    const char *name;
    uint32_t sets, ways, mshrs, merges, miss_queue, queue, ports, segment, group, lanes, flits, jitter, ro_mshrs;
    bool sectored, update, writeback, global, exists, texture, spread, clocks, streaming;
    bool no_allocate, drop, by_word;
    uint32_t stages, const_port, l15;    /* 0 = l1.pipelined is false; a word; none, else ways and MSHR entries */
    uint32_t tlb;                        /* 0 = none, else pages and entries for missing ones */
};

/* ---- who owns what ---- */

static uint32_t cell_offset(const struct setting *s, uint32_t warp, uint32_t lane, uint32_t cell)
{
    uint32_t owner = s->spread ? lane * WARPS + warp : warp * s->lanes + lane;
    return GLOBAL + (cell * WARPS * s->lanes + owner) * CELL;
}

static uint32_t private_offset(uint32_t warp, uint32_t lane, uint32_t byte)
{
    uint32_t half = warp * MAX_HALVES + lane / LANES;
    return PRIVATE + half * PRIVATE_BYTES * LANES + (byte / 4 * LANES + lane % LANES) * 4 + byte % 4;
}

static uint32_t shared_offset(uint32_t warp, uint32_t lane)
{
    return (warp * WARP_LANES + lane) * CELL;
}

static const struct private_map *private_map(const struct setting *s)
{
    static struct private_map map;
    map = (struct private_map){ .base = rig_address(PRIVATE), .bytes = MAX_HALVES * PRIVATE_BYTES * LANES, .sms = 1,
                                .warps = WARPS, .block = s->by_word ? 2 : 0 };
    return &map;
}

/* A line of private memory, by its offset when laid out by warp. */
static uint8_t *private_memory(const struct setting *s, uint32_t offset)
{
    return (uint8_t *)(uintptr_t)private_map_line(private_map(s), rig_address(offset));
}

/* ---- making an instruction ---- */

/* Byte b of a lane's access, in the reference. */
static uint8_t *model_byte(const struct mem_op *op, unsigned lane, unsigned b)
{
    uint64_t bit = UINT64_C(1) << lane;
    if (op->served_by[SERVE_SHARED] & bit)
        return &model_shared[op->address[lane] + b];
    uint32_t offset = (uint32_t)(op->address[lane] - rig_address(0));
    return &model[op->served_by[SERVE_LOCAL] & bit ? offset + b / 4 * 128 + b % 4 : offset + b];
}

static void reference(struct rig_op *o)
{
    struct mem_op *op = &o->op;
    for (uint64_t m = op->lanes; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        uint32_t old = 0, add;
        for (unsigned b = 0; b < op->width && op->kind != MOP_PREFETCH; b++) {
            uint8_t *at = model_byte(op, lane, b);
            o->expect[lane][b] = *at;
            if (op->kind == MOP_STORE)
                *at = op->data[lane][b];
        }
        if (op->kind != MOP_ATOM && op->kind != MOP_RED)
            continue;
        memcpy(&old, o->expect[lane], 4);
        memcpy(&add, op->data[lane], 4);
        add += old;
        for (unsigned b = 0; b < 4; b++)
            *model_byte(op, lane, b) = (uint8_t)(add >> 8 * b);
    }
}

static void place_lane(const struct setting *s, struct rig_op *o, enum mem_server server, uint32_t warp, uint32_t lane,
                       uint32_t cell, uint32_t within)
{
    within &= ~(o->op.width - 1u);
    switch (server) {
    case SERVE_SHARED: rig_lane(o, server, lane, shared_offset(warp, lane) + within); break;
    case SERVE_LOCAL:
        rig_lane(o, server, lane, rig_address(private_offset(warp, lane, cell % 2 * CELL + within)));
        break;
    case SERVE_GLOBAL: rig_lane(o, server, lane, rig_address(cell_offset(s, warp, lane, cell) + within)); break;
    default:
        rig_lane(o, server, lane, rig_address(CONSTANTS + (cell * CELL + lane % 3 * 192 + within) % CONSTANT_BYTES));
    }
}

static enum mem_server random_server(enum mem_op_kind kind)
{
    static const enum mem_server table[] = {
        SERVE_GLOBAL, SERVE_GLOBAL, SERVE_GLOBAL, SERVE_LOCAL, SERVE_LOCAL, SERVE_SHARED, SERVE_CONST, SERVE_TEXTURE
    };
    if (kind == MOP_ATOM || kind == MOP_RED)
        return SERVE_GLOBAL;
    return table[rig_random(&rig, kind == MOP_LOAD ? 8 : kind == MOP_PREFETCH ? 5 : 6)];
}

static enum mem_op_kind random_kind(void)
{
    static const enum mem_op_kind table[] = {
        MOP_LOAD, MOP_LOAD, MOP_LOAD, MOP_LOAD, MOP_LOAD, MOP_STORE, MOP_STORE, MOP_STORE, MOP_STORE, MOP_ATOM, MOP_RED,
        MOP_PREFETCH
    };
    return table[rig_random(&rig, 12)];
}

/* All, some here and there, or neighbours that fill whole sectors. */
static uint64_t random_lanes(void)
{
    uint64_t lanes = 0;
    uint32_t how = rig_random(&rig, 4), from = rig_random(&rig, 8) * 8;
    if (how < 2)
        return UINT64_MAX;
    if (how == 2)
        return mask_all(8 + 8 * rig_random(&rig, 3)) << from | 1;
    for (unsigned lane = 0; lane < WARP_LANES; lane++)
        lanes |= (uint64_t)!rig_random(&rig, 3) << lane;
    return lanes;
}

static struct rig_op *random_op(const struct setting *s, uint32_t warp)
{
    static const uint8_t shapes[][2] = {
        { 4, 1 }, { 4, 1 }, { 4, 2 }, { 4, 4 }, { 8, 1 }, { 8, 2 }, { 1, 1 }, { 2, 1 }, { 1, 4 }
    };
    enum mem_op_kind kind = random_kind();
    enum mem_server server = random_server(kind);
    bool atomic = kind == MOP_ATOM || kind == MOP_RED, mixed = !atomic && kind != MOP_PREFETCH && !rig_random(&rig, 6);
    uint32_t shape = atomic ? 0 : rig_random(&rig, 9), cell = rig_random(&rig, CELLS), within = rig_random(&rig, CELL);
    struct rig_op *o = rig_op(&rig, kind, shapes[shape][0], shapes[shape][1]);
    uint64_t lanes = random_lanes();
    bool same = rig_random(&rig, 2);
    o->op.path = server == SERVE_GLOBAL && !rig_random(&rig, 5) ? PATH_L2 : PATH_CACHED;
    for (uint32_t lane = 0; lane < s->lanes; lane++) {
        if (!(lanes >> lane & 1))
            continue;
        if (!same) {
            cell = rig_random(&rig, CELLS);
            within = rig_random(&rig, CELL);
        }
        place_lane(s, o, mixed ? random_server(kind) : server, warp, lane, cell, within);
        for (unsigned b = 0; b < MEM_WIDTH_MAX; b++)
            o->op.data[lane][b] = (uint8_t)rig_random(&rig, 256);
    }
    return o;
}

/* ---- checking ---- */

static void check_values(const struct rig_op *o)
{
    const struct mem_op *op = &o->op;
    if (op->kind != MOP_LOAD && op->kind != MOP_ATOM)
        return;
    for (uint64_t m = op->lanes; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        for (unsigned e = 0; e < op->count; e++) {
            uint64_t want = 0;
            memcpy(&want, o->expect[lane] + e * op->size, op->size);
            assert_int_equal(rig_value(&rig, o, lane, e), want);
        }
    }
}

static void check_private(const struct setting *s, uint32_t warp)
{
    if (lsu_warp_busy(rig.u, warp))
        return;
    for (uint32_t line = 0; line < MAX_HALVES * PRIVATE_BYTES / 4; line++) {
        uint32_t offset = PRIVATE + warp * MAX_HALVES * PRIVATE_BYTES * LANES + line * LINE_BYTES;
        const uint8_t *now = lsu_private_line(rig.u, rig_address(offset));
        assert_memory_equal(now ? now : private_memory(s, offset), model + offset, LINE_BYTES);
    }
}

static void collect(void)
{
    for (int i = 0; i < RIG_OPS; i++)
        if (rig.op[i].busy && rig.op[i].done && rig.op[i].at < rig.now) {
            check_values(&rig.op[i]);
            rig.op[i].busy = false;
        }
}

static uint32_t outstanding(void)
{
    uint32_t n = 0;
    for (int i = 0; i < RIG_OPS; i++)
        n += rig.op[i].busy;
    return n;
}

static void check_memory(const struct setting *s)
{
    uint32_t bytes = WARPS * MAX_HALVES * PRIVATE_BYTES * LANES;
    uint32_t end = PRIVATE + (uint32_t)private_bytes(private_map(s));
    assert_memory_equal(rig_memory, model, PRIVATE);
    assert_memory_equal(rig_memory + end, model + end, RIG_MEMORY - end);
    for (uint32_t at = PRIVATE; !s->drop && at < PRIVATE + bytes; at += LINE_BYTES)
        assert_memory_equal(private_memory(s, at), model + at, LINE_BYTES);
}

static void check_end(const struct setting *s)
{
    rig_drain(&rig);
    for (int i = 0; i < 60; i++)
        rig_cycle(&rig);
    collect();
    assert_int_equal(outstanding(), 0);
    for (int i = 0; i < 10000 && !lsu_flush(rig.u, rig.now); i++)
        rig_cycle(&rig);
    for (int i = 0; i < 60; i++)
        rig_cycle(&rig);
    assert_true(lsu_idle(rig.u) && port_idle(&rig.out) && port_idle(&rig.in));
    check_memory(s);
    assert_memory_equal(rig_shared, model_shared, RIG_SHARED);
    assert_int_equal(rig.count[STAT_REQUESTS], rig.count[STAT_REPLIES]);
    assert_int_equal(rig.count[STAT_TLB_L1_HITS] + rig.count[STAT_TLB_L1_MISSES] + rig.count[STAT_TLB_L1_MERGED],
                     s->tlb ? rig.count[STAT_REQUESTS] - rig.reads[ACCESS_CONST] - rig.reads[ACCESS_INST] : 0);
    for (uint32_t w = 0; w < WARPS; w++) {
        assert_false(lsu_warp_busy(rig.u, w));
        assert_int_equal(rig.told_loads[w], rig.loads[w]);
        assert_int_equal(rig.told_stores[w], rig.stores[w]);
    }
}

/* ---- runs ---- */

static void configure(const struct setting *s, bool walk, uint64_t seed)
{
    rig_start(&rig);
    rig.cfg.l1.sets = s->exists ? s->sets : 0;
    rig.cfg.l1.ways = s->ways;
    rig.cfg.l1.mshrs = s->mshrs;
    rig.cfg.l1.merges = s->merges;
    rig.cfg.l1.miss_queue = s->miss_queue;
    rig.cfg.queue = s->queue;
    rig.cfg.l1.ports = s->ports;
    rig.cfg.coalescer.segment = s->segment;
    rig.cfg.coalescer.lanes = s->group;
    rig.cfg.warp_lanes = s->lanes;
    rig.cfg.ro.konst.sets = rig.cfg.ro.texture.sets = rig.cfg.ro.konst.ways = rig.cfg.ro.texture.ways = 1;
    rig.cfg.ro.konst.mshrs = rig.cfg.ro.texture.mshrs = s->ro_mshrs;
    rig.cfg.ro.texture.line = s->spread ? 32 : 128;
    rig.cfg.l1.sectored = s->sectored;
    rig.cfg.l1.store_hit = s->update ? L1_STORE_UPDATE : L1_STORE_EVICT;
    rig.cfg.l1.local_writeback = s->writeback;
    rig.cfg.l1.global = s->global;
    rig.cfg.l1.streaming = s->streaming;
    rig.cfg.l1.local_allocate = !s->no_allocate;
    rig.cfg.l1.local_drop = s->drop;
    rig.cfg.l1.stages = s->stages;
    rig.cfg.l1.latency = s->stages ? 1 : rig.cfg.l1.latency;
    rig.cfg.ro.const_port = s->const_port ? s->const_port : 4;
    rig.cfg.ro.texture_nc = s->texture;
    rig.cfg.ro.inst.sets = rig.cfg.ro.inst.ways = rig.cfg.ro.inst.mshrs = s->ro_mshrs;
    rig.cfg.ro.inst_prefetch = 1;
    if (s->l15)
        rig.cfg.ro.l15 = (struct l15_cfg){ .ways = s->l15, .sets = 2, .mshrs = s->l15, .look_up = 7,
                                           .latency = 6 + s->l15 };
    if (s->tlb)
        rig.cfg.tlb = (struct tlb_cfg){
            .l1 = { .entries = s->tlb, .ways = s->tlb, .page_kb = 4, .latency = s->tlb - 1, .ports = 1,
                    .misses = s->tlb, .merges = 2 * s->tlb },
            .l2 = { .entries = 2, .ways = 2, .page_kb = 8, .ports = 1, .latency = 9, .walkers = 1, .walk_latency = 31 }
        };
    rig.cfg.l1.miss_cycles = s->clocks ? 5 : 0;
    if (s->clocks)
        clocks_set(&rig.clocks, (const uint64_t[CLK_COUNT]){ 1300, 700, 700, 900 });
    rig.port_flits = s->flits;
    rig.jitter = s->jitter;
    rig.walk = walk;
    rig.random ^= seed * UINT64_C(0x9e3779b97f4a7c15);
    for (uint32_t i = 0; i < RIG_MEMORY; i++)
        rig_memory[i] = (uint8_t)(i * 11 + i / 256);
    memset(rig_shared, 0, RIG_SHARED);
    memcpy(model, rig_memory, RIG_MEMORY);
    memcpy(model_shared, rig_shared, RIG_SHARED);
    for (uint32_t at = 0; at < WARPS * MAX_HALVES * PRIVATE_BYTES * LANES; at += LINE_BYTES)
        memcpy(private_memory(s, PRIVATE + at), model + PRIVATE + at, LINE_BYTES);
    rig_build(&rig);
    lsu_private_map(rig.u, private_map(s));
}

static void run(const struct setting *s, bool walk, uint64_t seed)
{
    configure(s, walk, seed);
    uint32_t made = 0, pause = 0;
    for (int cycle = 0; made < OPS; cycle++) {
        assert_true(cycle < 400000);
        rig_cycle(&rig);
        collect();
        if (!rig_random(&rig, 6))
            lsu_fetch(rig.u, rig_address(INSTRUCTIONS + rig_random(&rig, 2048)), rig.now - 1);
        if (pause) {
            pause--;
        } else if (lsu_has_room(rig.u) && outstanding() < RIG_OPS - 1) {
            uint32_t warp = rig_random(&rig, WARPS);
            struct rig_op *o = random_op(s, warp);
            reference(o);
            rig_issue(&rig, o, warp);
            made++;
            pause = rig_random(&rig, 3) ? 0 : rig_random(&rig, 40);
        }
        if (cycle % 64 == 0)
            check_private(s, (uint32_t)cycle / 64 % WARPS);
    }
    check_end(s);
}

static const struct setting settings[] = {
    { "tiny", 2, 1, 1, 1, 1, 1, 1, 32, 32, 32, 17, 30, 1, .sectored = true, .writeback = true, .global = true,
      .exists = true, .spread = true },
    { "tiny, L1.5", 2, 1, 1, 1, 1, 1, 1, 32, 32, 32, 17, 30, 1, .sectored = true, .writeback = true, .global = true,
      .exists = true, .spread = true, .l15 = 1 },
    { "L1.5", 8, 4, 64, 16, 8, 8, 4, 32, 32, 32, 64, 100, 8, .sectored = true, .update = true, .writeback = true,
      .global = true, .exists = true, .spread = true, .clocks = true, .l15 = 4 },
    { "tiny, whole lines", 2, 1, 1, 1, 1, 1, 1, 128, 32, 32, 17, 30, 1, .writeback = true, .global = true,
      .exists = true, .texture = true, .spread = true },
    { "one line", 1, 1, 4, 2, 2, 2, 1, 64, 16, 32, 20, 20, 2, .sectored = true, .update = true, .writeback = true,
      .global = true, .exists = true, .texture = true },
    { "sectors, update", 4, 2, 8, 4, 4, 4, 2, 32, 32, 32, 64, 60, 2, .sectored = true, .update = true,
      .writeback = true, .global = true, .exists = true, .spread = true },
    { "whole lines, update, write-through", 4, 2, 8, 4, 4, 4, 2, 128, 32, 32, 64, 60, 2, .update = true,
      .global = true, .exists = true, .texture = true, .clocks = true },
    { "one line, streaming", 1, 1, 8, 2, 4, 4, 2, 32, 32, 32, 32, 40, 2, .sectored = true, .update = true,
      .writeback = true, .global = true, .exists = true, .streaming = true },
    { "sectors, write-through", 8, 2, 3, 8, 4, 4, 4, 64, 32, 32, 64, 5, 4, .sectored = true, .global = true,
      .exists = true, .spread = true },
    { "L1 for private memory only", 2, 2, 4, 4, 2, 4, 1, 32, 32, 32, 64, 30, 2, .writeback = true, .exists = true },
    { "no L1", 0, 0, 4, 4, 2, 4, 1, 64, 16, 32, 64, 30, 2, .spread = true },
    { "wavefronts of 64", 4, 4, 16, 8, 8, 4, 1, 32, 64, 64, 64, 40, 2, .sectored = true, .writeback = true,
      .global = true, .exists = true, .texture = true },
    { "roomy", 8, 4, 64, 16, 8, 8, 1, 32, 32, 32, 64, 100, 8, .sectored = true, .update = true, .writeback = true,
      .global = true, .exists = true, .spread = true, .clocks = true },
    { "stages in front of L1, by word", 8, 4, 64, 16, 8, 8, 1, 32, 32, 32, 64, 100, 8, .writeback = true,
      .global = true, .exists = true, .spread = true, .clocks = true, .stages = 35, .no_allocate = true, .drop = true,
      .by_word = true, .const_port = 16 },
    { "tiny, two stages", 2, 1, 1, 1, 1, 1, 1, 32, 32, 32, 17, 30, 1, .sectored = true, .writeback = true,
      .global = true, .exists = true, .spread = true, .stages = 2, .no_allocate = true, .const_port = 32 },
    { "four stages, two ports, update", 4, 2, 8, 4, 4, 4, 2, 32, 32, 32, 64, 60, 2, .sectored = true, .update = true,
      .writeback = true, .global = true, .exists = true, .streaming = true, .stages = 4, .by_word = true },
    { "tiny, TLB", 2, 1, 1, 1, 1, 1, 1, 32, 32, 32, 17, 30, 1, .sectored = true, .writeback = true, .global = true,
      .exists = true, .spread = true, .tlb = 1 },
    { "roomy, TLB", 8, 4, 64, 16, 8, 8, 2, 32, 32, 32, 64, 100, 8, .sectored = true, .update = true, .writeback = true,
      .global = true, .exists = true, .texture = true, .spread = true, .clocks = true, .tlb = 3 },
    { "no L1, TLB", 0, 0, 4, 4, 2, 4, 1, 64, 16, 32, 64, 30, 2, .spread = true, .tlb = 2 },
    { "stages, TLB", 4, 2, 8, 4, 4, 4, 2, 32, 32, 32, 64, 60, 2, .sectored = true, .update = true, .writeback = true,
      .global = true, .exists = true, .streaming = true, .stages = 4, .by_word = true, .tlb = 2 },
    { "stages for private memory only", 2, 2, 4, 4, 2, 4, 1, 32, 32, 32, 64, 30, 2, .writeback = true, .exists = true,
      .stages = 9, .no_allocate = true, .by_word = true },
};

void random_traffic_returns_what_was_written(void **state)
{
    static uint64_t count[STAT_END];
    static struct hists hists;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        for (uint64_t seed = 1; seed <= 6; seed++) {
            run(&settings[i], true, seed);
            uint64_t trace = rig.trace, visits = rig.visits;
            memcpy(count, rig.count, sizeof count);
            hists = rig.hists;
            rig_end(&rig);
            run(&settings[i], false, seed);
            assert_int_equal(rig.trace, trace);
            assert_memory_equal(rig.count, count, sizeof count);
            assert_memory_equal(&rig.hists, &hists, sizeof hists);
            assert_true(rig.visits < visits);
            rig_end(&rig);
        }
}
