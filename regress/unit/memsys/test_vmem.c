/*
 * Versioned memory. The layout, exhaustively on small devices and by samples on every preset's address map; the
 * Version Index Table; and partitions with a tiny L2 under random traffic with copies, commits and publications of
 * slots. The model beside the partition has the bytes of every slot: it changes them when an access performs and when
 * a CLONE that it has observed must have completed. At every CLONE it looks at tags, miss queues and the DRAM queue for
 * what a copy inside DRAM would miss or lose.
 */
#include "frontend/lib/config_load.h"
#include "memsys/l2/l2.h"
#include "memsys/dram/dram_state.h"
#include "memsys/versions/version_index.h"
#include "ptx/memory/region_table.h"
#include "regress/unit/memsys/partition_bench.h"

static uint64_t next_random(uint64_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return *x;
}

/* ---- layout ---- */

/* Slot p of device row r, by the text: subarrays of S rows, R = S / N of them device rows, slot p at p x R. */
static uint32_t expected_row(uint32_t slots, uint32_t subarray, uint32_t r, uint32_t p)
{
    uint32_t device = subarray / slots;
    return r / device * subarray + p * device + r % device;
}

/* Every line of a small device in every slot: another address, the same channel, bank, column and subarray. */
static void layout_is_one_to_one(void **state)
{
    enum { BYTES = 1 << 17, ROWS = 64 };
    static const struct { const char *map; uint32_t channels, slots, subarray; bool hash; } rows[] = {
        { "RRRRRR.DBBCCC.CCCCSSSSS", 2, 2, 8, false }, { "dramid@8;RRRRR.BBCCC.CCCCSSSSS", 3, 3, 8, false },
        { "RRRRR.DDBBCCC.CCCCSSSSS", 4, 8, 8, true },  { "RRRRRRR.BBCCC.CCCCSSSSS", 1, 32, 64, false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static bool seen[4][4][ROWS * 32][128];
        struct addrmap m;
        struct layout l;
        char error[200];
        assert_true(addrmap_parse(&m, rows[i].map, rows[i].channels, 1, rows[i].hash, 1 << 20, error, sizeof error));
        layout_init(&l, &m, rows[i].slots, rows[i].subarray, 0);
        memset(seen, 0, sizeof seen);
        for (uint64_t a = m.base; a < m.base + BYTES; a += 32)
            for (uint32_t p = 0; p < rows[i].slots; p++) {
                uint32_t slot;
                uint64_t mapped = layout_map(&l, a, p);
                struct dram_address d = addrmap_decode(&m, a), at = addrmap_decode(&m, mapped);
                uint32_t row = layout_dram_row(&l, at.row);
                assert_int_equal(row, expected_row(rows[i].slots, rows[i].subarray, d.row, p));
                assert_true(at.channel == d.channel && at.bank == d.bank && at.column == d.column);
                assert_true(layout_same_subarray(&l, d.row, at.row));
                assert_int_equal(row / rows[i].subarray, layout_dram_row(&l, d.row) / rows[i].subarray);
                assert_int_equal(layout_unmap(&l, mapped, &slot), a);
                assert_int_equal(slot, p);
                assert_true(p || mapped == a);
                assert_false(seen[at.channel][at.bank][row][at.column]);
                seen[at.channel][at.bank][row][at.column] = true;
            }
    }
}

/* Random lines of 2^40 bytes, with every number of slots. */
static void check_map(const struct addrmap *m, uint32_t subarray)
{
    uint64_t x = 3;
    for (uint32_t slots = 2; slots <= 32 && slots <= subarray; slots++) {
        struct layout l;
        layout_init(&l, m, slots, subarray, 0);
        for (int k = 0; k < 200; k++) {
            uint64_t a = m->base + next_random(&x) % (1ull << 40) / 128 * 128;
            uint32_t p = (uint32_t)(next_random(&x) % slots), slot;
            uint64_t mapped = layout_map(&l, a, p);
            struct dram_address d = addrmap_decode(m, a), at = addrmap_decode(m, mapped);
            assert_int_equal(layout_dram_row(&l, at.row), expected_row(slots, subarray, d.row, p));
            assert_true(at.channel == d.channel && at.bank == d.bank && at.slice == d.slice && at.column == d.column);
            assert_true(layout_unmap(&l, mapped, &slot) == a && slot == p);
            assert_true(p ? mapped >= l.limit : mapped == a);
            assert_true(mapped < 0x1000000000000000ull);
        }
    }
}

/* The address map of every preset and overlay, by its own keys: the map, channels, slices, hash, rows of a subarray. */
static void layout_holds_on_every_preset(void **state)
{
    const uint64_t base = 0x200000000000ull;
    char **names = simtx_config_presets(), error[200];
    uint32_t presets = 0;
    for (uint32_t n = 0; names[n]; n++, presets++) {
        struct simtx_config *c = simtx_config_new();
        struct dram_cfg dram;
        struct addrmap m;
        char *message = NULL;
        if (simtx_config_load(c, names[n], &message))
            fail_msg("%s: %s", names[n], message);
        dram_configure(&dram, c);
        assert_true(addrmap_parse(&m, dram.map, dram.channels, (uint32_t)config_int(c, KEY_L2_SLICES), dram.hash, base,
                                  error, sizeof error));
        check_map(&m, dram.subarray_rows);
        simtx_config_free(c);
        free(names[n]);
    }
    free(names);
    assert_true(presets >= 20);
}

/* Figure 6: versions of times 17, 123, 193, 255; a timestamp of 123 to 192 finds the second one (S-128). */
static void version_index_finds_the_latest(void **state)
{
    static const uint32_t times[] = { 17, 123, 193, 255 };
    struct version_index x = { 0 };
    for (uint32_t i = 0; i < 4; i++)
        version_index_set(&x, 3 - i, times[i]);
    for (uint32_t t = 0; t < 300; t++) {
        uint32_t slot = t < 17 ? VERSION_INDEX_NONE : t < 123 ? 3 : t < 193 ? 2 : t < 255 ? 1 : 0;
        assert_int_equal(version_index_at(&x, t), slot);
        bool is = t == 17 || t == 123 || t == 193 || t == 255;
        assert_int_equal(version_index_find(&x, t), is ? slot : VERSION_INDEX_NONE);
    }
    version_index_clear(&x, 2);
    assert_int_equal(version_index_at(&x, 150), 3);
    assert_int_equal(version_index_find(&x, 123), VERSION_INDEX_NONE);
}

/* ---- random traffic ---- */

enum { SLOTS = 4, SUBARRAY = 16, LINES = 60, OUTSTANDING = 12, MAX_SLICES = BENCH_SLICES };

struct request { struct packet *p; uint32_t newest; uint8_t expected[LINE_BYTES]; bool performed;
                 struct atom_payload atom; };

/* A CLONE that must complete at L2 cycle `at`; from, to: slots. */
struct running { uint64_t at, row; uint32_t bank, from, to; };

/* readable: slots of published versions, a bit each. */
struct slice_state { uint32_t newest, next, from, readable; bool copying, copied; };

struct world {
    struct bench b;
    struct vmem *v;
    struct layout layout;
    struct region_table regions;
    uint64_t line[LINES];
    uint8_t bytes[SLOTS][LINES][LINE_BYTES];      /* of unversioned lines: slot 0 */
    bool versioned[LINES], row_copied[LINES];
    bool unsaved[SLOTS][LINES];                   /* stored to since DRAM's last write to its row */
    struct request request[OUTSTANDING];
    struct slice_state slice[MAX_SLICES];
    struct running running[64];
    uint32_t nrunning, reading[SLOTS], writes, commits, copies;
    uint64_t x;
};

static struct world *world;

struct tester { struct engine_home home; uint32_t slice; };

static uint32_t line_number(uint64_t address)
{
    for (uint32_t i = 0; i < LINES; i++)
        if (world->line[i] == address)
            return i;
    fail_msg("no such line");
    return 0;
}

static struct dram_address place(uint64_t address)
{
    return addrmap_decode(&world->b.map, address);
}

/* Moves the bytes of copies that must be complete in this L2 cycle. */
static void complete_clones(uint64_t now)
{
    uint32_t k = 0;
    for (uint32_t i = 0; i < world->nrunning; i++) {
        const struct running *r = &world->running[i];
        if (r->at > now) {
            world->running[k++] = *r;
            continue;
        }
        for (uint32_t n = 0; n < LINES; n++)
            if (world->versioned[n] && place(world->line[n]).bank == r->bank && place(world->line[n]).row == r->row) {
                memcpy(world->bytes[r->to][n], world->bytes[r->from][n], LINE_BYTES);
                world->row_copied[n] = true;
                world->unsaved[r->to][n] = false;
            }
    }
    world->nrunning = k;
}

/* What is in the way of a copy of a row: dirty lines of the source, lines of the target, write-backs to either. */
static void look_for_lines(uint32_t bank, uint32_t source, uint32_t target)
{
    const struct partition *p = world->b.p;
    const struct l2_slice *s = &p->slice[bank % p->cfg.slices];
    for (uint32_t i = 0; i < s->tags.sets * s->tags.ways; i++) {
        const struct tag *g = &s->tags.tag[i];
        struct dram_address at = place(g->line);
        uint32_t row = layout_dram_row(&world->layout, at.row);
        if (!g->state || at.bank != bank)
            continue;
        assert_false(row == source && g->dirty);
        assert_int_not_equal(row, target);
    }
    for (uint32_t k = 0; k < s->transfers; k++) {
        const struct l2_transfer *x = &s->transfer[(s->transfer_head + k) % s->transfer_capacity];
        struct dram_address at = place(x->line);
        uint32_t row = layout_dram_row(&world->layout, at.row);
        assert_false(x->write && at.bank == bank && (row == source || row == target));
    }
    for (uint32_t i = p->dram->list[bank][DRAM_WRITES].head; i != DRAM_NONE; i = p->dram->entry[i].next)
        assert_false(p->dram->entry[i].r.at.row == source || p->dram->entry[i].r.at.row == target);
}

/* The first row of a subarray that has not been copied; UINT32_MAX = there is none. */
static uint32_t first_row(uint32_t bank, uint32_t subarray)
{
    uint32_t first = UINT32_MAX;
    for (uint32_t n = 0; n < LINES; n++) {
        struct dram_address d = place(world->line[n]);
        if (world->versioned[n] && !world->row_copied[n] && d.bank == bank && d.row / (SUBARRAY / SLOTS) == subarray)
            first = d.row < first ? d.row : first;
    }
    return first;
}

static void copy_row(uint64_t at, uint32_t bank, uint32_t row, const struct slice_state *s)
{
    assert_true(world->nrunning < 64);
    look_for_lines(bank, expected_row(SLOTS, SUBARRAY, row, s->from), expected_row(SLOTS, SUBARRAY, row, s->next));
    for (uint32_t n = 0; n < LINES; n++)
        if (place(world->line[n]).bank == bank && place(world->line[n]).row == row)
            assert_false(world->unsaved[s->from][n]);
    world->running[world->nrunning++] = (struct running){ at, row, bank, s->from, s->next };
    world->copies++;
}

/* DRAM writes to a row. */
static void save(uint32_t bank, uint32_t row)
{
    for (uint32_t n = 0; n < LINES; n++)
        for (uint32_t slot = 0; slot < SLOTS; slot++) {
            struct dram_address d = place(world->line[n]);
            if (d.bank == bank && expected_row(SLOTS, SUBARRAY, d.row, slot) == row)
                world->unsaved[slot][n] = false;
        }
}

/* A CLONE copies the bank's first row, or with dram.clone_parallel = subarray the first of every subarray. */
static void observe(void *ctx, uint64_t cycle, enum dram_command c, uint32_t bank, uint32_t row)
{
    enum { SUBARRAYS = 4 };
    const struct bench *b = &world->b;
    const struct slice_state *s = &world->slice[bank % b->cfg.slices];
    uint64_t at = clock_convert(&b->clocks, CLK_MEM, CLK_L2, cycle + b->cfg.dram.clone_cycles);
    bool group = b->cfg.dram.clone_parallel == DRAM_CLONE_SUBARRAY, found = false;
    if (c == DRAM_WR)
        save(bank, row);
    if (c != DRAM_CLONE)
        return;
    complete_clones(clock_convert(&b->clocks, CLK_MEM, CLK_L2, cycle));
    assert_true(s->copying);
    assert_int_equal(row % SUBARRAY / (SUBARRAY / SLOTS), s->from);
    for (uint32_t k = 0; k < SUBARRAYS; k++) {
        uint32_t first = first_row(bank, k);
        bool named = first != UINT32_MAX && expected_row(SLOTS, SUBARRAY, first, s->from) == row;
        found |= named;
        if (first != UINT32_MAX && (group || named))
            copy_row(at, bank, first, s);
    }
    assert_true(found);
}

static void merge(uint32_t slot, uint32_t n, const struct packet *p)
{
    line_merge(world->bytes[slot][n], p->data, p->mask);
}

static void add_lanes(uint32_t slot, uint32_t n, const struct atom_payload *a)
{
    for (uint32_t m = a->lanes[0]; m; m &= m - 1) {
        uint32_t word, add, lane = (uint32_t)__builtin_ctz(m);
        memcpy(&word, world->bytes[slot][n] + a->offset[lane], 4);
        memcpy(&add, a->b[lane], 4);
        word += add;
        memcpy(world->bytes[slot][n] + a->offset[lane], &word, 4);
    }
}

/* The words of an atomic's lanes are in another slot what they are in the slot where it performed. */
static void same_words(uint32_t to, uint32_t from, uint32_t n, const struct atom_payload *a)
{
    for (uint32_t m = a->lanes[0]; m; m &= m - 1) {
        uint32_t at = a->offset[__builtin_ctz(m)];
        memcpy(world->bytes[to][n] + at, world->bytes[from][n] + at, 4);
    }
}

static struct request *request_of(const struct packet *p)
{
    for (int i = 0; i < OUTSTANDING; i++)
        if (world->request[i].p == p)
            return &world->request[i];
    return NULL;
}

/* An access performs; the bytes have not changed yet. */
static void accessed(void *engine, const struct packet *p, uint64_t now)
{
    const struct tester *t = engine;
    const struct slice_state *s = &world->slice[t->slice];
    uint32_t n = line_number(p->line), slot = place(p->mapped).row >> LAYOUT_ROW_BITS;
    struct request *r = request_of(p);
    complete_clones(now);
    if (!world->versioned[n])
        assert_int_equal(slot, 0);
    else if (p->slot)
        assert_int_equal(slot, p->slot - 1u);
    else
        assert_true(r->newest >> slot & 1);
    for (uint32_t i = 0; i < world->nrunning && p->kind != MSG_READ; i++)
        assert_false(place(p->line).bank == world->running[i].bank && place(p->line).row == world->running[i].row);
    if (r) {
        r->performed = true;
        memcpy(r->expected, world->bytes[slot][n], LINE_BYTES);
    }
    const struct l2_slice *l2 = &world->b.p->slice[t->slice];
    assert_int_not_equal(tags_find(&l2->tags, p->mapped), TAG_NONE);
    if (p->kind == MSG_READ)
        return;
    bool plain = world->versioned[n] && !p->slot, open = plain && s->next != VMEM_NONE && world->row_copied[n];
    if (p->kind == MSG_WRITE)
        merge(slot, n, p);
    else
        add_lanes(slot, n, p->atom);
    uint32_t targets = plain ? 1u << s->newest | (open ? 1u << s->next : 0) : 0;
    for (uint32_t to = 0; to < SLOTS; to++)
        world->unsaved[to][n] |= (targets | 1u << slot) >> to & 1;
    targets |= plain ? s->readable : 0;
    for (uint32_t to = 0; to < SLOTS; to++)
        if (targets >> to & 1 && to != slot && p->kind == MSG_WRITE)
            merge(to, n, p);
        else if (targets >> to & 1 && to != slot)
            same_words(to, slot, n, p->atom);
}

static void *new_tester(void *shared, const struct engine_home *home)
{
    struct tester *t = calloc(1, sizeof *t);
    t->home = *home;
    t->slice = home->slice;
    (*(struct tester ***)shared)[home->slice] = t;
    return t;
}

static bool take(void *engine, struct packet *k, uint64_t now) { return false; }

static void performed(void *engine, struct packet *k, uint64_t now)
{
    world->writes--;
    packet_return(k);
}

static uint64_t run_tester(void *engine, uint64_t now) { return NEVER; }

static void copied(void *engine, uint64_t now)
{
    struct slice_state *s = &world->slice[((struct tester *)engine)->slice];
    complete_clones(now);
    assert_true(s->copying);
    s->copying = false;
    s->copied = true;
}

static bool tester_idle(const void *engine) { return true; }

static const struct engine_kind tester_kind = {
    .new_engine = new_tester, .free_engine = free, .take = take, .performed = performed, .run = run_tester,
    .accessed = accessed, .copied = copied, .idle = tester_idle
};

static uint64_t map(void *ctx, const struct packet *p)
{
    return vmem_map(world->v, p);
}

static uint8_t *bytes(void *ctx, uint64_t mapped)
{
    return vmem_bytes(world->v, mapped);
}

static uint32_t atomic(void *ctx, uint32_t slice, struct packet *p)
{
    struct packet at = *p;
    at.mapped = (uint64_t)(uintptr_t)vmem_bytes(world->v, p->mapped);
    p->mask[0] = p->mask[1] = 0;
    for (uint32_t m = p->atom->lanes[0]; m; m &= m - 1)
        for (uint32_t i = 0; i < 4; i++) {
            uint32_t byte = p->atom->offset[__builtin_ctz(m)] + i;
            p->mask[byte / 64] |= UINT64_C(1) << byte % 64;
        }
    return bench_atomic(ctx, slice, &at);
}

/* ---- a run ---- */

struct variant { uint32_t slices, sets, ways, mshrs, miss_queue; bool fetch, sectored, refresh, stale, subarray; };

static void choose_lines(struct world *w)
{
    for (uint32_t i = 0; i < LINES; i++) {
        bool again = true;
        while (again) {
            struct dram_address d = { .row = (uint32_t)(next_random(&w->x) % 12),
                                      .bank = (uint32_t)(next_random(&w->x) % 3),
                                      .column = (uint32_t)(next_random(&w->x) % 4) * 4 };
            w->line[i] = addrmap_encode(&w->b.map, &d);
            again = false;
            for (uint32_t k = 0; k < i; k++)
                again |= w->line[k] == w->line[i];
        }
    }
    for (uint32_t i = 0; i < LINES; i += 6)
        region_add(&w->regions, w->line[i] + 40, w->line[i] + 44);
    for (uint32_t i = 0; i < LINES; i++)
        for (uint32_t k = 0; k < LINES; k += 6)
            w->versioned[i] |= place(w->line[i]).row == place(w->line[k]).row &&
                               place(w->line[i]).bank == place(w->line[k]).bank;
}

static void start(struct world *w, const struct variant *a, struct tester ***testers)
{
    struct bench *b = &w->b;
    const struct vmem_cfg vc = { .slots = SLOTS, .regions = 64, .copy = a->stale ? VMEM_STALE : VMEM_ALL };
    bench_init(b, 1, a->slices);
    b->cfg.l2.sets = a->sets;
    b->cfg.l2.ways = a->ways;
    b->cfg.l2.mshrs = a->mshrs;
    b->cfg.l2.miss_queue = a->miss_queue;
    b->cfg.l2.write_fetch = a->fetch;
    b->cfg.l2.sectored = a->sectored;
    b->cfg.l2.hash = false;
    b->cfg.dram.refresh = a->refresh;
    b->cfg.dram.clone_cycles = 63;
    b->cfg.dram.clone_parallel = a->subarray ? DRAM_CLONE_SUBARRAY : DRAM_CLONE_BANK;
    for (uint32_t i = 0; i < BENCH_BYTES; i++)
        b->memory[i] = (uint8_t)next_random(&w->x);
    b->cfg.dram.subarray_rows = SUBARRAY;
    w->v = vmem_new(&vc, &b->map, NULL, &b->cfg.dram);
    choose_lines(w);
    vmem_begin(w->v, &w->regions);
    layout_init(&w->layout, &b->map, SLOTS, SUBARRAY, 0);
    for (uint32_t i = 0; i < LINES; i++)
        memcpy(w->bytes[0][i], (void *)(uintptr_t)w->line[i], LINE_BYTES);
    for (uint32_t i = 0; i < a->slices; i++)
        w->slice[i] = (struct slice_state){ .next = VMEM_NONE, .readable = 1 };
    b->cfg.versions = w->v;
    b->cfg.engine = &tester_kind;
    b->cfg.engine_shared = testers;
    b->cfg.all_slices = a->slices;
    b->cfg.calls = (struct partition_calls){ .ctx = b, .atomic = atomic, .map = map, .bytes = bytes };
    bench_start(b);
    dram_observe(b->p->dram, observe, NULL);
}

static uint64_t l2_now(const struct bench *b)
{
    return clock_convert(&b->clocks, CLK_CORE, CLK_L2, b->core);
}

/* A slot that a snapshot read may name: the newest of all slices. */
static uint32_t common_slot(const struct world *w)
{
    for (uint32_t i = 1; i < w->b.cfg.slices; i++)
        if (w->slice[i].newest != w->slice[0].newest)
            return VMEM_NONE;
    return w->slice[0].newest;
}

static void send_request(struct world *w, struct request *r)
{
    static const uint8_t offsets[4] = { 0, 4, 4, 64 };
    struct bench *b = &w->b;
    uint32_t n = (uint32_t)(next_random(&w->x) % LINES), what = (uint32_t)(next_random(&w->x) % 8);
    uint32_t slot = common_slot(w);
    *r = (struct request){ 0 };
    if (what < 3)
        r->p = bench_packet(b, MSG_READ, w->line[n], (uint8_t)(next_random(&w->x) % 15 + 1));
    else if (what < 7)
        r->p = bench_write(b, w->line[n], (unsigned)(next_random(&w->x) % 124), (unsigned)(next_random(&w->x) % 4 + 1),
                           (uint8_t)next_random(&w->x));
    else
        r->p = bench_add(b, &r->atom, w->line[n], 4, offsets);
    r->newest = 1u << w->slice[bench_slice(b, r->p)].newest;
    if (what < 1 && slot != VMEM_NONE && w->versioned[n]) {
        r->p->slot = (uint8_t)(slot + 1);
        w->reading[slot]++;
    }
    if (port_can_send(&b->request[bench_slice(b, r->p)], clock_convert(&b->clocks, CLK_CORE, CLK_XBAR, b->core), 0,
                      xbar_flits(r->p->bytes, b->cfg.flit_bytes))) {
        bench_send(b, l2_now(b) + 1, r->p);
        return;
    }
    if (r->p->slot)
        w->reading[slot]--;
    bench_drop(b, r->p);
    r->p = NULL;
}

static void receive_replies(struct world *w)
{
    struct bench *b = &w->b;
    uint64_t at;
    for (uint32_t i = 0; i < b->cfg.slices; i++)
        for (struct packet *p; (p = bench_reply(b, i, &at));) {
            struct request *r = request_of(p);
            assert_true(r && r->performed);
            if (p->kind == MSG_READ_REPLY)
                assert_memory_equal(p->data, r->expected, LINE_BYTES);
            if (p->slot)
                w->reading[p->slot - 1]--;
            bench_drop(b, p);
            r->p = NULL;
        }
}

static void begin_copy(struct world *w, struct tester **testers, uint32_t slice, uint32_t to)
{
    struct slice_state *s = &w->slice[slice];
    s->from = s->newest;
    s->next = to;
    s->readable &= ~(1u << to);
    s->copying = true;
    s->copied = false;
    engine_copy_slot(&testers[slice]->home, s->from, to, l2_now(&w->b));
}

/* A slot that is no slice's newest and that no snapshot read names. */
static uint32_t free_slot(const struct world *w)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < w->b.cfg.slices; i++)
        used |= 1u << w->slice[i].newest;
    for (uint32_t p = 0; p < SLOTS; p++)
        if (!(used >> p & 1) && !w->reading[p])
            return p;
    return VMEM_NONE;
}

static bool all(const struct world *w, bool copied)
{
    for (uint32_t i = 0; i < w->b.cfg.slices; i++)
        if (copied ? !w->slice[i].copied : w->slice[i].next != VMEM_NONE)
            return false;
    return true;
}

static void publish(struct world *w, struct tester **testers)
{
    for (uint32_t i = 0; i < w->b.cfg.slices; i++) {
        struct slice_state *s = &w->slice[i];
        s->newest = s->next;
        s->readable |= 1u << s->newest;
        s->next = VMEM_NONE;
        s->copied = false;
        engine_publish_slot(&testers[i]->home, s->newest);
    }
    for (int i = 0; i < OUTSTANDING; i++)
        w->request[i].newest |= 1u << w->slice[0].newest;
    memset(w->row_copied, 0, sizeof w->row_copied);
    w->commits = 0;
}

/* A write of a commit to the open slot. */
static void commit_word(struct world *w, struct tester **testers)
{
    uint32_t n = (uint32_t)(next_random(&w->x) % LINES), slice = addrmap_slice(&w->b.map, w->line[n]);
    struct packet *k = engine_packet(&testers[slice]->home, true, w->line[n], 0);
    uint32_t at = (uint32_t)(next_random(&w->x) % 32) * 4;
    if (!w->versioned[n]) {
        packet_return(k);
        return;
    }
    k->mask[at / 64] = UINT64_C(15) << at % 64;
    for (uint32_t i = 0; i < 4; i++)
        k->data[at + i] = (uint8_t)next_random(&w->x);
    k->sectors = line_sectors(k->mask);
    k->slot = (uint8_t)(w->slice[slice].next + 1);
    w->writes++;
    w->commits++;
    engine_access(&testers[slice]->home, k, l2_now(&w->b));
}

/* With copy = stale, rows that are skipped count as copied at once; their bytes must be the same. */
static void skipped_rows(struct world *w, uint64_t skipped)
{
    const struct slice_state *s = w->slice;
    if (w->b.count[STAT_VERSION_SKIPPED] == skipped)
        return;
    for (uint32_t i = 0; i < LINES; i++)
        if (w->versioned[i] && vmem_row(w->v, w->line[i])->copied) {
            assert_memory_equal(w->bytes[s->next][i], w->bytes[s->from][i], LINE_BYTES);
            w->row_copied[i] = true;
        }
}

static void begin_copies(struct world *w, struct tester **testers, uint32_t to)
{
    uint64_t skipped = w->b.count[STAT_VERSION_SKIPPED];
    memset(w->row_copied, 0, sizeof w->row_copied);
    for (uint32_t i = 0; i < w->b.cfg.slices; i++)
        begin_copy(w, testers, i, to);
    skipped_rows(w, skipped);
}

static void step_versions(struct world *w, struct tester **testers)
{
    uint32_t to = free_slot(w);
    if (all(w, false) && to != VMEM_NONE && next_random(&w->x) % 8 == 0)
        begin_copies(w, testers, to);
    else if (all(w, true) && w->commits < 6 && next_random(&w->x) % 2)
        commit_word(w, testers);
    else if (all(w, true) && !w->writes && next_random(&w->x) % 3 == 0)
        publish(w, testers);
}

static void run(struct world *w, uint64_t cycles)
{
    bench_run(&w->b, w->b.core + cycles, 1 + next_random(&w->x) % 7);
    receive_replies(w);
}

/* Ends all requests and copies; the newest version goes to slot 0. */
static void finish(struct world *w, struct tester **testers)
{
    for (int i = 0; i < 4000 && !(all(w, true) || all(w, false)); i++)
        run(w, 8);
    for (int i = 0; i < 4000 && (w->writes || !partition_idle(w->b.p)); i++)
        run(w, 8);
    if (all(w, true))
        publish(w, testers);
    if (w->slice[0].newest) {
        begin_copies(w, testers, 0);
        for (int i = 0; i < 4000 && !all(w, true); i++)
            run(w, 8);
        assert_true(all(w, true));
        publish(w, testers);
    }
    run(w, 200);
    bench_flush(&w->b, true);
    for (uint32_t i = 0; i < LINES; i++)
        assert_memory_equal((void *)(uintptr_t)w->line[i], w->bytes[0][i], LINE_BYTES);
}

static uint32_t random_run(const struct variant *a, uint64_t seed, uint32_t steps)
{
    struct world *w = calloc(1, sizeof *w);
    struct tester *tester[MAX_SLICES], **testers = tester;
    world = w;
    w->x = seed * 0x9E3779B97F4A7C15ull + 5;
    start(w, a, &testers);
    for (uint32_t i = 0; i < steps; i++) {
        struct request *r = &w->request[next_random(&w->x) % OUTSTANDING];
        if (!r->p)
            send_request(w, r);
        step_versions(w, testers);
        run(w, 1 + next_random(&w->x) % 40);
    }
    finish(w, testers);
    uint32_t copies = w->copies;
    assert_int_equal(w->b.count[STAT_VERSION_BYTES], w->b.count[STAT_VERSION_COPIES] * 4096);
    assert_true(w->b.count[STAT_VERSION_PATCHES] > 0);
    bench_end(&w->b);
    vmem_free(w->v);
    region_table_end(&w->regions);
    free(w);
    return copies;
}

static const struct variant variants[] = {
    { 2, 4, 2, 4, 4, false, true, true, false, false }, { 1, 2, 2, 2, 2, true, true, false, false, false },
    { 2, 2, 1, 2, 2, true, false, true, true, false },  { 1, 8, 4, 8, 8, false, true, false, true, true },
    { 4, 2, 2, 4, 1, true, true, true, false, true },
};

static void slots_keep_their_bytes(void **state)
{
    enum { SEEDS = 6, STEPS = 1500 };
    for (uint32_t i = 0; i < sizeof variants / sizeof *variants; i++)
        for (uint64_t seed = 1; seed <= SEEDS; seed++)
            assert_true(random_run(&variants[i], seed + 100 * i, STEPS) > 20);
}

static void gather(void *ctx, const char *text)
{
    strncat(ctx, text, 4000 - strlen(ctx));
}

/* A report of a hang says what a copy waits for. */
static void dump_names_copies(void **state)
{
    struct world *w = calloc(1, sizeof *w);
    struct tester *tester[MAX_SLICES], **testers = tester;
    char text[4096] = "";
    world = w;
    w->x = 9;
    start(w, &variants[0], &testers);
    begin_copies(w, testers, 2);
    run(w, 4);
    partition_dump(w->b.p, gather, text);
    assert_non_null(strstr(text, "copies versions from slot 0 to slot 2: "));
    assert_non_null(strstr(text, ": waits for CLONE"));
    finish(w, testers);
    bench_end(&w->b);
    vmem_free(w->v);
    region_table_end(&w->regions);
    free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layout_is_one_to_one),
        cmocka_unit_test(layout_holds_on_every_preset),
        cmocka_unit_test(version_index_finds_the_latest),
        cmocka_unit_test(slots_keep_their_bytes),
        cmocka_unit_test(dump_names_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
