/* The bench of several load/store units and partitions. */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <cmocka.h>

#include "base/config/config.h"
#include "memsys/l2/l2.h"
#include "ptx/exec/exec.h"
#include "regress/coherence/rig.h"

_Alignas(1 << 14) uint32_t rig_memory[WORDS];

#define EVEN { 1000, 1000, 1000, 1000 }
const struct tightness rig_sizes[RIG_SIZES] = {
    /*               L1                       L2                                     */
    { "wide",        4, 10, 4, 2, 8, 8, 8, 1, 1, 2, 4, 4, 8, 8, 8, 8, 64, 32, EVEN },
    { "one way",     4, 6, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 5, 32, EVEN },
    { "two ways",    4, 6, 1, 2, 2, 1, 1, 1, 1, 1, 1, 2, 2, 1, 1, 1, 5, 32, EVEN },
    { "small L2",    6, 8, 2, 2, 4, 4, 4, 2, 1, 1, 1, 2, 4, 2, 2, 2, 12, 32, { 1400, 700, 650, 924 } },
    { "small L1",    3, 4, 1, 1, 2, 2, 2, 1, 2, 2, 2, 2, 4, 4, 2, 2, 8, 32, { 700, 1300, 900, 1848 } },
    { "one line",    6, 1, 1, 1, 4, 4, 4, 2, 1, 1, 1, 1, 2, 8, 4, 4, 16, 32, EVEN },
    { "two lines",   3, 2, 1, 1, 2, 4, 2, 2, 1, 1, 1, 1, 3, 4, 4, 2, 9, 32, { 1000, 500, 2000, 800 } },
    { "late lines",  6, 10, 1, 2, 4, 4, 8, 2, 1, 1, 1, 9, 8, 8, 8, 8, 20, 8, EVEN },
};

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
        if (!may_be_late || !was_current(r, a, word, value))
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

/* Logs what the cycle has written to memory. */
static void log_memory(struct rig *r)
{
    for (uint32_t w = 0; w < r->tight->lines * LINE_WORDS; w++)
        if (rig_memory[w] != r->logged_memory[w])
            log_write(r, w, r->logged_memory[w] = rig_memory[w]);
}

/* ---- the engine of a slice: an access now and then, of a line or, with one writer, of a word ---- */

struct rig_engine { struct rig *rig; struct engine_home home; uint64_t random, next; uint32_t outstanding; };

static uint32_t draw(struct rig_engine *e, uint32_t n)
{
    e->random = e->random * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)((e->random >> 33) % n);
}

static void *new_engine(void *shared, const struct engine_home *home)
{
    struct rig *r = shared;
    struct rig_engine *e = calloc(1, sizeof *e);
    assert_non_null(e);
    *e = (struct rig_engine){ .rig = r, .home = *home, .random = r->seed + r->engines, .next = NEVER };
    r->engine[r->engines++] = e;
    return e;
}

static void begin_access(struct rig_engine *e, uint64_t now)
{
    struct rig *r = e->rig;
    uint32_t line = draw(e, r->tight->lines), word = LINE_WORDS - 8 + draw(e, 4), value = ++r->next_value;
    uint64_t address = (uint64_t)(uintptr_t)&rig_memory[line * LINE_WORDS];
    if (addrmap_slice(&r->map, address) != e->home.slice)
        return;
    struct packet *k = engine_packet(&e->home, draw(e, 2), address, (uint8_t)(1u << 4 * word / SECTOR_BYTES));
    memcpy(k->data + 4 * word, &value, 4);
    k->mask[word / 16] = UINT64_C(15) << word % 16 * 4;
    k->token = word;
    e->outstanding++;
    engine_access(&e->home, k, now);
}

static void engine_performed(void *engine, struct packet *k, uint64_t now)
{
    struct rig_engine *e = engine;
    struct rig *r = e->rig;
    uint32_t word = word_of(k->line) + (uint32_t)k->token, value;
    memcpy(&value, k->data + 4 * k->token, 4);
    (void)now;
    if (k->kind == MSG_READ && value != current(r, word))
        fail_msg("%s, %s: slice %u reads %u from word %u, which is %u (cycle %llu)", r->protocol->name, r->tight->name,
                 e->home.slice, value, word, current(r, word), (unsigned long long)r->now);
    if (k->kind == MSG_WRITE && !r->through) {
        r->shadow[word] = value;
        log_write(r, word, value);
    }
    e->outstanding--;
    packet_return(k);
}

static uint64_t engine_run(void *engine, uint64_t now)
{
    struct rig_engine *e = engine;
    if (now < e->next)
        return e->next;
    e->next = e->rig->busy ? now + 1 + draw(e, 60) : NEVER;
    if (e->rig->busy)
        begin_access(e, now);
    return e->next;
}

static bool engine_take(void *engine, struct packet *k, uint64_t now)
{
    (void)engine, (void)k, (void)now;
    fail();
    return false;
}

static bool engine_idle(const void *engine)
{
    return !((const struct rig_engine *)engine)->outstanding;
}

static const struct engine_kind engine_kind = {
    .new_engine = new_engine, .free_engine = free, .take = engine_take, .performed = engine_performed,
    .run = engine_run, .idle = engine_idle
};

static void wake_engines(struct rig *r)
{
    r->busy = true;
    for (uint32_t i = 0; i < r->engines; i++) {
        r->engine[i]->next = clock_convert(&r->clocks, CLK_CORE, CLK_L2, r->now);
        engine_runs(&r->engine[i]->home, r->engine[i]->next);
    }
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
    r->lsu.flit_bytes = t->flit_bytes;
    r->lsu.map = &r->map;
    struct l1_cfg *l1 = &r->lsu.l1;
    l1->sets = t->l1_sets;
    l1->ways = t->l1_ways;
    l1->latency = 3;
    l1->mshrs = t->l1_mshrs;
    l1->merges = t->l1_merges;
    l1->miss_queue = t->miss_queue;
    l1->ports = t->l1_ports;
    l1->set_waits = r->seed & 1;
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
        .flit_bytes = t->flit_bytes, .vns = 3, .latency_in = 2, .latency_out = 2, .source_clock = CLK_CORE,
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
        .clocks = &r->clocks, .map = &r->map, .slices = t->slices, .flit_bytes = t->flit_bytes, .reply_latency = 2,
        .credit_latency = 2, .walk = r->walk,
        .l2 = { .sets = t->l2_sets, .ways = t->l2_ways, .mshrs = t->l2_mshrs, .merges = t->l2_merges, .latency = 3,
                .miss_queue = t->l2_miss_queue, .reply_queue = t->reply_queue, .bytes_per_cycle = 64,
                .sectored = t->l2_sets == 1, .atomic_add = 1, .atomic_exch = 1, .atomic_cas = 1, .atomic_float = 1,
                .atomic_warp = 2 },
        .dram = { .latency = 2, .banks = 16, .groups = 4, .queue = 4, .burst_bytes = 32, .burst_cycles = 2, .tCCD = 2,
                  .tRRD = 2, .tRCD = 3, .tRAS = 7, .tRP = 3, .tRC = 10, .tCL = 3, .tWL = 2, .tCDLR = 2, .tWR = 3,
                  .tRTP = 2 },
        .calls = { .ctx = r, .atomic = atomic_at_home },
        .coherence = r->protocol, .sms = t->nodes, .coherence_seen = r->home_seen,
        .engine = r->states.others ? &engine_kind : NULL, .engine_shared = r, .all_slices = t->channels * t->slices
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

void rig_start(struct rig *r, const struct rig_protocol *p, const struct tightness *t, uint64_t seed, bool walk)
{
    char error[200];
    memset(r, 0, sizeof *r);
    memset(rig_memory, 0, sizeof rig_memory);
    *r = (struct rig){ .protocol = p->p, .states = *p, .tight = t, .random = seed * 88172645463325252u + 1,
                       .seed = seed, .walk = walk, .now = 1, .through = p->through };
    r->late_row = p->late_state * (L1_EVENTS + p->p->messages) + L1_EVENTS + p->late_message;
    r->inst.mod[PG_ATOM] = MOD(ATOM, ADD);
    r->dinst = (struct dinst){ .in = &r->inst, .size = 4, .vec = 1 };
    clocks_set(&r->clocks, t->khz);
    assert_true(coherence_check(p->p, 3, error, sizeof error));
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

/* The line's way in the tags of its slice, *s; TAG_NONE: none has it. */
static uint32_t way_of(const struct rig *r, uint64_t line, const struct l2_slice **s)
{
    uint32_t slice = addrmap_slice(&r->map, line);
    *s = &r->partition[slice / r->tight->slices]->slice[slice % r->tight->slices];
    return tags_find(&(*s)->tags, line);
}

static void check_listed(const struct rig *r, uint64_t line, uint32_t sm)
{
    const struct l2_slice *s;
    uint32_t i = way_of(r, line, &s);
    if (i == TAG_NONE || !(s->directory[(size_t)i * s->directory_words + 1] >> sm & 1))
        fail_msg("%s, %s: SM %u has line %#llx, but is not listed (cycle %llu)", r->protocol->name, r->tight->name, sm,
                 (unsigned long long)line, (unsigned long long)r->now);
}

/* One writer or many readers; all copies are listed. */
static void check_copies(const struct rig *r, uint64_t line)
{
    uint32_t readers = 0, owners = 0;
    for (uint32_t i = 0; i < r->tight->nodes; i++) {
        uint64_t s = UINT64_C(1) << lsu_coherence_state(r->node[i].u, line);
        readers += (r->states.readers & s) != 0;
        owners += (r->states.owners & s) != 0;
        if ((r->states.readers | r->states.owners) & s)
            check_listed(r, line, i);
    }
    if (owners > 1 || (owners && readers))
        fail_msg("%s, %s: line %#llx has %u owners and %u readers (cycle %llu)", r->protocol->name, r->tight->name,
                 (unsigned long long)line, owners, readers, (unsigned long long)r->now);
}

/* A line has one way. */
static void check_way(const struct rig *r, uint64_t line)
{
    const struct l2_slice *s;
    uint32_t n = 0;
    way_of(r, line, &s);
    for (uint32_t i = 0; i < s->tags.sets * s->tags.ways; i++)
        n += s->tags.tag[i].state && s->tags.tag[i].line == line;
    assert_true(n <= 1);
}

/* The L2's bytes. */
static void check_value(const struct rig *r, uint64_t line)
{
    const struct l2_slice *s;
    uint32_t i = way_of(r, line, &s), first = word_of(line);
    bool is_current = i != TAG_NONE && r->states.current >> s->directory[(size_t)i * s->directory_words] & 1;
    for (uint32_t w = first; is_current && w < first + LINE_WORDS; w++)
        assert_int_equal(rig_memory[w], r->shadow[w]);
}

static void check_cycle(struct rig *r)
{
    uint64_t first = (uint64_t)(uintptr_t)rig_memory;
    for (uint32_t line = 0; line < r->tight->lines; line++)
        check_copies(r, first + line * LINE_BYTES);
    check_value(r, first + r->now % r->tight->lines * LINE_BYTES);
    check_way(r, first + r->now % r->tight->lines * LINE_BYTES);
    if (r->through)
        log_memory(r);
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

static void print_line(void *ctx, const char *text)
{
    (void)ctx;
    print_message("%s\n", text);
}

static void fail_hang(const struct rig *r)
{
    for (uint32_t i = 0; i < r->tight->nodes; i++) {
        print_message("SM %u\n", i);
        lsu_dump(r->node[i].u, print_line, NULL);
    }
    for (uint32_t i = 0; i < r->tight->channels; i++)
        partition_dump(r->partition[i], print_line, NULL);
    fail_msg("%s, %s: nothing comes to an end", r->protocol->name, r->tight->name);
}

void rig_traffic(struct rig *r, unsigned accesses)
{
    unsigned left[NODES_MAX];
    uint64_t limit = r->now + 1000 * (uint64_t)accesses + 10000;
    wake_engines(r);
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
        check_cycle(r);
        if (r->now > limit)
            fail_hang(r);
    }
    r->busy = false;
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
