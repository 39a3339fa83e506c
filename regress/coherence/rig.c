/* The bench of several load/store units and partitions. */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <cmocka.h>

#include "base/config/config.h"
#include "ptx/exec/exec.h"
#include "regress/coherence/rig.h"

_Alignas(1 << 14) uint32_t rig_memory[WORDS];

uint32_t rig_random(struct rig *r, uint32_t n)
{
    r->random ^= r->random << 13;
    r->random ^= r->random >> 7;
    r->random ^= r->random << 17;
    return n ? (uint32_t)((r->random >> 11) % n) : 0;
}

static void note(struct rig *r, uint64_t a, uint64_t b)
{
    r->trace = (r->trace ^ a * 8191 ^ b ^ r->now << 32) * UINT64_C(0x100000001b3);
}

/* ---- values ---- */

static uint32_t word_of(uint64_t address)
{
    return (uint32_t)((address - (uint64_t)(uintptr_t)rig_memory) / 4);
}

static void log_write(struct rig *r, uint32_t word, uint32_t value)
{
    assert_true(r->logged < LOG_MAX);
    r->log[r->logged].word = word;
    r->log[r->logged++].value = value;
}

static uint32_t current(const struct rig *r, uint32_t word)
{
    return r->through ? rig_memory[word] : r->shadow[word];
}

/* Was this the word's value at some time since the access was issued? */
static bool was_current(const struct rig *r, const struct access *a, uint32_t word, uint32_t value)
{
    for (uint64_t i = r->logged; i-- > a->logged;)
        if (r->log[i].word == word && r->log[i].value == value)
            return true;
    for (uint64_t i = a->logged; i-- > 0;)
        if (r->log[i].word == word)
            return r->log[i].value == value;
    return value == 0;
}

static uint32_t loaded(const struct node *n, const struct access *a, unsigned lane)
{
    uint32_t v;
    memcpy(&v, n->regs[0][a - n->access] + 4 * lane, 4);
    return v;
}

static void check_load(struct node *n, const struct access *a)
{
    struct rig *r = n->rig;
    bool may_be_late = n->seen[r->late_row] != n->late_before, late = false;
    r->loads++;
    for (uint64_t m = a->op.lanes; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        uint32_t word = word_of(a->op.address[lane]), value = loaded(n, a, lane);
        if (value == current(r, word))
            continue;
        if (!may_be_late || (!r->through && !was_current(r, a, word, value)))
            fail_msg("%s, %s: SM %u loads %u from word %u, which is %u (cycle %llu)", r->protocol->name, r->tight->name,
                     (unsigned)(n - r->node), value, word, current(r, word), (unsigned long long)r->now);
        late = true;
    }
    r->late += late;
}

static void store_performed(struct node *n, const struct access *a)
{
    struct rig *r = n->rig;
    for (uint64_t m = a->op.lanes; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        uint32_t word = word_of(a->op.address[lane]), value;
        memcpy(&value, a->op.data[lane], 4);
        if (r->through) {
            assert_int_equal(rig_memory[word], value);
            continue;
        }
        r->shadow[word] = value;
        log_write(r, word, value);
    }
}

/* Additions to the words of a line, in memory or in an L1. */
static uint32_t add(struct rig *r, uint64_t line, uint8_t *bytes, struct atom_payload *a)
{
    for (uint32_t m = a->lanes[0]; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint32_t old, by, word = word_of(line + a->offset[lane]);
        memcpy(&old, bytes + a->offset[lane], 4);
        memcpy(&by, a->b[lane], 4);
        if (!r->through)
            assert_int_equal(old, r->shadow[word]);
        r->shadow[word] += by;
        log_write(r, word, r->shadow[word]);
        memcpy(a->b[lane], &old, 4);
        old += by;
        memcpy(bytes + a->offset[lane], &old, 4);
    }
    return 1;
}

static uint32_t atomic_at_home(void *ctx, uint32_t slice, struct packet *p)
{
    (void)slice;
    return add(ctx, p->mapped, (uint8_t *)(uintptr_t)p->mapped, p->atom);
}

static void atomic_in_l1(void *ctx, const struct mem_op *op, uint8_t *line, struct atom_payload *a)
{
    struct node *n = ctx;
    unsigned lane = (unsigned)__builtin_ctzll(op->lanes);
    add(n->rig, op->address[lane] / LINE_BYTES * LINE_BYTES, line, a);
}

/* ---- what the units tell ---- */

static void on_done(void *ctx, struct mem_op *op, uint64_t at)
{
    struct node *n = ctx;
    struct access *a = op->owner;
    assert_true(a->busy && at >= n->rig->now);
    a->busy = false;
    note(n->rig, (uint64_t)(n - n->rig->node) * SLOTS + (uint64_t)(a - n->access), at);
}

static void on_performed(void *ctx, uint32_t slot, bool store, uint64_t at)
{
    struct node *n = ctx;
    const struct access *a = &n->access[slot];
    assert_true(a->busy && at == n->rig->now);
    n->told++;
    note(n->rig, slot * 2 + store, at);
    if (a->op.kind == MOP_LOAD)
        check_load(n, a);
    else if (a->op.kind == MOP_STORE)
        store_performed(n, a);
}

static void on_fetched(void *ctx, uint64_t line, uint64_t at)
{
    (void)ctx, (void)line, (void)at;
    fail();
}

/* ---- building ---- */

static void build_lsus(struct rig *r)
{
    const struct tightness *t = r->tight;
    struct simtx_config *config = config_new();
    lsu_configure(&r->lsu, config);
    config_free(config);
    r->lsu.clocks = &r->clocks;
    r->lsu.map = &r->map;
    struct l1_cfg *l1 = &r->lsu.l1;
    l1->sets = t->l1_sets;
    l1->ways = t->l1_ways;
    l1->latency = 3;
    l1->mshrs = t->l1_mshrs;
    l1->merges = t->l1_merges;
    l1->miss_queue = t->miss_queue;
    l1->ports = t->l1_ports;
    l1->coherence = r->protocol;
    r->lsu.request_latency = r->lsu.credit_latency = 2;
    for (uint32_t i = 0; i < t->nodes; i++) {
        struct node *n = &r->node[i];
        const struct lsu_calls calls = { .ctx = n, .done = on_done, .performed = on_performed, .fetched = on_fetched,
                                         .atomic = atomic_in_l1 };
        n->rig = r;
        n->warp.block = &n->block;
        for (int h = 0; h < MAX_HALVES; h++)
            n->warp.half[h].regs = (char *)n->regs[h];
        r->lsu.sm = (uint16_t)i;
        l1->coherence_seen = n->seen;
        n->u = lsu_new(&r->lsu, &calls, &r->sm_out[i], &r->sm_in[i], n->count, &n->hists);
    }
}

static void build_xbars(struct rig *r)
{
    const struct tightness *t = r->tight;
    uint32_t slices = t->channels * t->slices;
    struct xbar_cfg c = {
        .clocks = &r->clocks, .sources = t->nodes, .destinations = slices, .in_share = 1, .out_share = 1,
        .flit_bytes = 32, .vns = 3, .latency_in = 2, .latency_out = 2, .source_clock = CLK_CORE,
        .destination_clock = CLK_L2, .to_slices = true
    };
    r->xbar[0] = xbar_new(&c, r->sm_out, r->slice_in, r->count);
    c.sources = slices;
    c.destinations = t->nodes;
    c.source_clock = CLK_XBAR;
    c.destination_clock = CLK_CORE;
    c.to_slices = false;
    r->xbar[1] = xbar_new(&c, r->slice_out, r->sm_in, r->count);
}

static void build_partitions(struct rig *r)
{
    const struct tightness *t = r->tight;
    struct partition_cfg c = {
        .clocks = &r->clocks, .map = &r->map, .slices = t->slices, .flit_bytes = 32, .reply_latency = 2,
        .credit_latency = 2, .walk = r->walk,
        .l2 = { .sets = t->l2_sets, .ways = t->l2_ways, .mshrs = t->l2_mshrs, .merges = t->l2_merges, .latency = 3,
                .miss_queue = t->l2_miss_queue, .reply_queue = t->reply_queue, .bytes_per_cycle = 64,
                .sectored = t->l2_sets == 1, .atomic_add = 1, .atomic_exch = 1, .atomic_cas = 1, .atomic_float = 1,
                .atomic_warp = 2 },
        .dram = { .latency = 2, .banks = 16, .groups = 4, .queue = 4, .burst_bytes = 32, .burst_cycles = 2, .tCCD = 2,
                  .tRRD = 2, .tRCD = 3, .tRAS = 7, .tRP = 3, .tRC = 10, .tCL = 3, .tWL = 2, .tCDLR = 2, .tWR = 3,
                  .tRTP = 2 },
        .calls = { .ctx = r, .atomic = atomic_at_home },
        .coherence = r->protocol, .sms = t->nodes, .coherence_seen = r->home_seen
    };
    for (c.channel = 0; c.channel < t->channels; c.channel++) {
        struct port *in[SLICES_MAX], *out[SLICES_MAX];
        for (uint32_t i = 0; i < t->slices; i++) {
            in[i] = &r->slice_in[c.channel * t->slices + i];
            out[i] = &r->slice_out[c.channel * t->slices + i];
        }
        r->partition[c.channel] = partition_new(&c, in, out, r->count, &r->hists);
    }
}

void rig_start(struct rig *r, const struct coherence *p, const struct tightness *t, uint64_t seed, bool walk)
{
    char error[200];
    memset(r, 0, sizeof *r);
    memset(rig_memory, 0, sizeof rig_memory);
    *r = (struct rig){ .protocol = p, .tight = t, .random = seed * 88172645463325252u + 1, .walk = walk, .now = 1 };
    r->inst.mod[PG_ATOM] = MOD(ATOM, ADD);
    r->dinst = (struct dinst){ .in = &r->inst, .size = 4, .vec = 1 };
    clocks_set(&r->clocks, t->khz);
    assert_true(coherence_check(p, 3, error, sizeof error));
    assert_true(addrmap_parse(&r->map, "dramid@8;RRRRRRRR.BBBBCCCC.CCCSSSSS", t->channels, t->slices, false,
                              (uintptr_t)rig_memory, error, sizeof error));
    uint32_t slices = t->channels * t->slices;
    r->sm_out = r->port;
    r->slice_in = r->sm_out + t->nodes;
    r->slice_out = r->slice_in + slices;
    r->sm_in = r->slice_out + slices;
    for (uint32_t i = 0; i < 2 * (t->nodes + slices); i++)
        port_init(&r->port[i], 3, t->flits);
    build_lsus(r);
    build_xbars(r);
    build_partitions(r);
}

/* ---- time ---- */

static void cycle(struct rig *r)
{
    const struct tightness *t = r->tight;
    for (uint32_t i = 0; i < t->nodes; i++) {
        struct node *n = &r->node[i];
        n->late_before = n->seen[r->late_row];
        if (r->walk || lsu_next(n->u) <= r->now)
            lsu_run(n->u, r->now);
    }
    r->now++;
    for (int k = 0; k < 2; k++)
        xbar_run(r->xbar[k], clock_convert(&r->clocks, CLK_CORE, CLK_XBAR, r->now));
    for (uint32_t i = 0; i < t->channels; i++)
        partition_run(r->partition[i], clock_convert(&r->clocks, CLK_CORE, CLK_L2, r->now),
                      clock_convert(&r->clocks, CLK_CORE, CLK_MEM, r->now));
}

/* One writer or many readers: states 1 and 2 of MSI are S and M. */
static void check_copies(const struct rig *r)
{
    for (uint32_t line = 0; line < r->tight->lines && !r->through; line++) {
        uint32_t have[3] = { 0 };
        for (uint32_t i = 0; i < r->tight->nodes; i++) {
            unsigned s = lsu_coherence_state(r->node[i].u, (uint64_t)(uintptr_t)&rig_memory[line * LINE_WORDS]);
            have[s < 3 ? s : 0]++;
        }
        assert_true(have[2] == 0 || (have[2] == 1 && have[1] == 0));
    }
}

static void choose_words(struct rig *r, struct node *n, struct access *a)
{
    static const enum mem_op_kind kinds[] = { MOP_LOAD, MOP_LOAD, MOP_LOAD, MOP_STORE, MOP_STORE, MOP_ATOM, MOP_RED };
    uint32_t line = rig_random(r, r->tight->lines), lanes = 1 + rig_random(r, 4), me = (uint32_t)(n - r->node) * SLOTS;
    a->op.kind = (uint8_t)kinds[rig_random(r, sizeof kinds / sizeof *kinds)];
    me += (uint32_t)(a - n->access);
    for (uint32_t k = 0; k < lanes; k++) {
        uint32_t lane = rig_random(r, LANES), word = rig_random(r, LINE_WORDS), value = ++r->next_value;
        if (r->through && a->op.kind == MOP_STORE)
            word = me;                           /* nobody else's */
        else if (r->through && a->op.kind != MOP_LOAD)
            word = LINE_WORDS - 1 - word % 4;    /* nobody stores there */
        a->op.lanes |= UINT64_C(1) << lane;
        a->op.address[lane] = (uint64_t)(uintptr_t)&rig_memory[line * LINE_WORDS + word];
        memcpy(a->op.data[lane], &value, 4);
    }
    if (r->through && a->op.kind == MOP_STORE)   /* several lanes, one word: the last one wins */
        a->op.lanes &= -a->op.lanes;
}

static void begin(struct rig *r, struct node *n, struct access *a)
{
    memset(a, 0, sizeof *a);
    a->busy = true;
    a->logged = r->logged;
    a->op = (struct mem_op){
        .warp = &n->warp, .d = &r->dinst, .size = 4, .count = 1, .width = 4, .stride = MEM_WIDTH_MAX, .reg_bytes = 4,
        .owner = a
    };
}

static void issue(struct rig *r, struct node *n, struct access *a)
{
    uint32_t loads, stores;
    a->op.served_by[SERVE_GLOBAL] = a->op.lanes;
    a->op.reg[0] = (uint32_t)((char *)n->regs[0][a - n->access] - (char *)n->regs[0]);
    a->op.sm_slot = (uint32_t)(a - n->access);
    lsu_issue(n->u, &a->op, r->now - 1, &loads, &stores);
    n->expected += loads + stores;
}

/* True: an access was issued. */
static bool issue_some(struct rig *r, struct node *n)
{
    struct access *a = &n->access[rig_random(r, SLOTS)];
    if (a->busy || lsu_warp_busy(n->u, (uint32_t)(a - n->access)) || !lsu_has_room(n->u))
        return false;
    begin(r, n, a);
    choose_words(r, n, a);
    issue(r, n, a);
    return true;
}

void rig_load(struct rig *r, struct node *n, unsigned slot, unsigned line)
{
    struct access *a = &n->access[slot];
    begin(r, n, a);
    a->op.kind = MOP_LOAD;
    a->op.lanes = 1;
    a->op.address[0] = (uint64_t)(uintptr_t)&rig_memory[line * LINE_WORDS];
    issue(r, n, a);
}

static bool all_over(const struct rig *r)
{
    for (uint32_t i = 0; i < r->tight->nodes; i++) {
        if (!lsu_idle(r->node[i].u))
            return false;
        for (unsigned s = 0; s < SLOTS; s++)
            if (r->node[i].access[s].busy)
                return false;
    }
    return true;
}

void rig_traffic(struct rig *r, unsigned accesses)
{
    unsigned left[NODES_MAX];
    uint64_t limit = r->now + 1000 * (uint64_t)accesses + 10000;
    for (uint32_t i = 0; i < r->tight->nodes; i++)
        left[i] = accesses;
    for (bool more = true; more || !all_over(r);) {
        more = false;
        for (uint32_t i = 0; i < r->tight->nodes; i++) {
            if (left[i] && rig_random(r, 3) && issue_some(r, &r->node[i]))
                left[i]--;
            more |= left[i] > 0;
        }
        cycle(r);
        check_copies(r);
        if (r->now > limit)
            fail_msg("%s, %s: nothing comes to an end", r->protocol->name, r->tight->name);
    }
}

/* ---- the end ---- */

static bool written_back(struct rig *r)
{
    bool clean = true;
    for (uint32_t i = 0; i < r->tight->nodes; i++)
        clean &= lsu_flush(r->node[i].u, r->now);
    return clean;
}

static bool quiet(struct rig *r, bool flush)
{
    bool clean = xbar_empty(r->xbar[0]) && xbar_empty(r->xbar[1]);
    for (uint32_t i = 0; i < r->tight->channels; i++)
        clean &= flush ? partition_flush(r->partition[i], clock_convert(&r->clocks, CLK_CORE, CLK_L2, r->now), true)
                       : partition_idle(r->partition[i]);
    return clean;
}

static void check_memory(const struct rig *r)
{
    for (uint32_t w = 0; w < WORDS; w++)
        if (!r->through || w % LINE_WORDS >= LINE_WORDS - 4)
            assert_int_equal(rig_memory[w], r->shadow[w]);
}

void rig_rest(struct rig *r, bool l2)
{
    uint64_t limit = r->now + 100000;
    while (!written_back(r) && r->now < limit)
        cycle(r);
    while (!quiet(r, false) && r->now < limit)
        cycle(r);
    while (l2 && !quiet(r, true) && r->now < limit)
        cycle(r);
    assert_true(r->now < limit);
    for (uint32_t i = 0; i < r->tight->nodes; i++) {
        lsu_invalidate(r->node[i].u);
        assert_int_equal(r->node[i].told, r->node[i].expected);
    }
    for (uint32_t i = 0; i < 2 * (r->tight->nodes + r->tight->channels * r->tight->slices); i++)
        assert_true(port_idle(&r->port[i]));
    check_memory(r);
}

void rig_end(struct rig *r)
{
    uint64_t requests = 0, replies = 0, notifications = 0;
    for (uint32_t i = 0; i < r->tight->nodes; i++) {
        requests += r->node[i].count[STAT_REQUESTS];
        replies += r->node[i].count[STAT_REPLIES];
        notifications += r->node[i].count[STAT_SM_NOTIFICATIONS];
        lsu_free(r->node[i].u);
    }
    assert_int_equal(requests, replies + notifications);
    for (int k = 0; k < 2; k++)
        xbar_free(r->xbar[k]);
    for (uint32_t i = 0; i < r->tight->channels; i++)
        partition_free(r->partition[i]);
    for (uint32_t i = 0; i < 2 * (r->tight->nodes + r->tight->channels * r->tight->slices); i++)
        port_end(&r->port[i]);
}
