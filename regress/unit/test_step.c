/*
 * Stepping (ptx/step.h, ptx/access.h) against functional mode: the same programs must leave the same memory, print the same, count the
 * same instructions and fault with the same words.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <mpfr.h>

#include "regress/random/gen.h"
#include "regress/unit/step_cases.h"
#include "regress/unit/step_driver.h"

enum { OUT_BYTES = 512 * GEN_OUT_BYTES, RANDOM_PROGRAMS = 60 };

struct outcome {
    bool ok;
    char *out, sum[GEN_SUM_BYTES];
    struct launch_counts counts;
    char *printed;
    char fault[sizeof((struct fault *)0)->text];
};

static void fill(char *at, size_t bytes, uint64_t seed)
{
    for (size_t i = 0; i < bytes; i += 8) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        memcpy(at + i, (uint64_t[]){ seed ^ seed >> 29 }, 8);
    }
}

static struct outcome run(const char *ptx, const struct step_shape *s, uint64_t seed, bool stepped)
{
    struct outcome r = { 0 };
    struct step_gpu g;
    char *why;
    if (!step_gpu_open(&g, ptx, "k", s, &why)) {
        print_message("%s", why);
        fail();
    }
    char *in = step_gpu_alloc(&g, GEN_IN_BYTES), *out = step_gpu_alloc(&g, OUT_BYTES), *sum = step_gpu_alloc(&g, GEN_SUM_BYTES);
    fill(in, GEN_IN_BYTES, seed);
    fill(sum, GEN_SUM_BYTES, seed + 1);
    memcpy(g.param, (char *[]){ in, out, sum }, 3 * sizeof in);
    r.ok = stepped ? step_run(&g) : grid_run(&g.launch);
    r.out = malloc(OUT_BYTES);
    assert_non_null(r.out);
    memcpy(r.out, out, OUT_BYTES);
    memcpy(r.sum, sum, GEN_SUM_BYTES);
    r.counts = g.launch.counts;
    r.printed = g.printed ? strdup(g.printed) : strdup("");
    memcpy(r.fault, g.launch.fault.text, sizeof r.fault);
    step_gpu_close(&g);
    free(why);
    return r;
}

static void forget(struct outcome *r)
{
    free(r->out);
    free(r->printed);
}

/* Runs it both ways; what differs is said in words. */
static bool same(const char *ptx, const struct step_shape *s, uint64_t seed, struct outcome *want)
{
    *want = run(ptx, s, seed, false);
    struct outcome got = run(ptx, s, seed, true);
    bool ended = got.ok && want->ok;             /* how far other warps came before a fault is open */
    const char *differs = got.ok != want->ok || strcmp(got.fault, want->fault)          ? "fault"
                          : strcmp(got.printed, want->printed)                         ? "printed text"
                          : ended && memcmp(got.sum, want->sum, sizeof got.sum)         ? "sums"
                          : ended && memcmp(got.out, want->out, OUT_BYTES)              ? "output"
                          : ended && memcmp(&got.counts, &want->counts, sizeof got.counts) ? "counts"
                                                                                       : NULL;
    if (differs)
        print_message("%s differs (%u lanes, %s): stepped %llu/%llu instructions, %llu barriers, '%s' '%s'; functional %llu/%llu, %llu, "
                      "'%s' '%s'\n",
                      differs, s->warp_size, s->independent ? "independent" : "stack", (unsigned long long)got.counts.warp_instructions,
                      (unsigned long long)got.counts.thread_instructions, (unsigned long long)got.counts.barriers, got.fault,
                      got.printed, (unsigned long long)want->counts.warp_instructions,
                      (unsigned long long)want->counts.thread_instructions, (unsigned long long)want->counts.barriers, want->fault,
                      want->printed);
    for (unsigned i = 0; differs && i < OUT_BYTES; i += 4)
        if (memcmp(got.out + i, want->out + i, 4)) {
            print_message("output byte %u: 0x%x, functional 0x%x\n", i, *(unsigned *)(void *)(got.out + i),
                          *(unsigned *)(void *)(want->out + i));
            break;
        }
    forget(&got);
    return !differs;
}

static void test_random(void **state)
{
    (void)state;
    for (uint64_t seed = 1, n = 0; n < RANDOM_PROGRAMS; seed++) {
        struct gen_program *p = gen_make(seed);
        char *text = gen_text(p, NULL);
        if (strstr(text, "tx_begin")) {          /* stepping leaves transactions to a protocol */
            free(text);
            gen_free(p);
            continue;
        }
        n++;
        struct step_shape s = { .grid = p->grid, .block = p->block, .warp_size = seed % 2 ? 32 : 64, .independent = seed / 2 % 2,
                                .quantum = 1ull << 40 };     /* turns of independent lanes depend on who comes last to a barrier */
        struct outcome want;
        if (!same(text, &s, seed, &want)) {
            print_message("random program %llu\n", (unsigned long long)seed);
            fail();
        }
        assert_true(want.ok && want.counts.warp_instructions > 0);
        forget(&want);
        free(text);
        gen_free(p);
    }
    mpfr_free_cache();
}

static void test_case(void **state)
{
    const struct step_case *c = *state;
    for (int shape = 0; shape < 4; shape++) {
        struct step_shape s = { .grid = 2, .block = c->block ? c->block : 64, .warp_size = shape % 2 ? 64 : 32, .independent = shape / 2 };
        struct outcome want;
        if (!same(c->ptx, &s, 7, &want))
            fail();
        assert_int_equal(want.ok, !c->fault);
        if (c->fault && !strstr(want.fault, c->fault))
            fail_msg("fault: %s", want.fault);
        if (c->prints && !strstr(want.printed, c->prints))
            fail_msg("printed: %s", want.printed);
        forget(&want);
    }
}

/* ---- single instructions ---- */

#define HEAD ".version 8.3\n.target sm_90\n.address_size 64\n"
#define KERNEL                                                                                              \
    ".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 sum)\n"                                 \
    "{ .reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<16>; .reg .b64 %rd<16>;\n"                           \
    "  .shared .align 8 .b8 s[256]; .local .align 8 .b8 l[32];\n"                                           \
    "  ld.param.u64 %rd1, [in]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 8; add.u64 %rd2, %rd1, %rd2;\n"

/* A block of one kernel that a test steps by hand; in: the memory behind the first parameter. */
struct bench {
    struct step_gpu gpu;
    struct worker worker[2];
    struct block *block;
    char *in, *local;
    struct mem_op op;
    struct step step;
};

static void bench_open(struct bench *b, const char *ptx, const struct step_shape *s)
{
    char *why;
    memset(b, 0, sizeof *b);
    if (!step_gpu_open(&b->gpu, ptx, "k", s, &why))
        fail_msg("%s", why);
    b->in = step_gpu_alloc(&b->gpu, GEN_IN_BYTES);
    b->local = step_gpu_alloc(&b->gpu, 1 << 20);
    for (unsigned i = 0; i < GEN_IN_BYTES; i++)
        b->in[i] = (char)(i * 7);
    memcpy(b->gpu.param, &b->in, sizeof b->in);
    b->gpu.launch.timed = true;
    b->gpu.launch.clock_khz = 1500000;
    b->worker[0].launch = b->worker[1].launch = &b->gpu.launch;
    b->block = block_new(b->worker);
    for (uint32_t i = 0; i < b->block->nwarps * MAX_HALVES; i++)
        b->block->warps[i / MAX_HALVES].half[i % MAX_HALVES].local_device = (uint64_t)(uintptr_t)b->local + i * 8192;
    block_start(b->block, 0, 5);
}

static void bench_close(struct bench *b)
{
    block_free(b->block);
    step_gpu_close(&b->gpu);
}

/* One instruction of warp w; a captured access is performed. */
static enum step_result bench_step(struct bench *b, unsigned w)
{
    b->op.lanes = 0;
    enum step_result r = warp_step(&b->block->warps[w], &b->step, &b->op);
    if (b->op.lanes)
        step_perform(&b->worker[1], &b->op);
    return r;
}

/* Steps warp 0 until an instruction of opcode `op` is the next. */
static void bench_go_to(struct bench *b, enum ptx_op op)
{
    const struct code *c;
    const struct dinst *d;
    while ((d = warp_peek(&b->block->warps[0], &c)) && !(d->in && d->in->op == op))
        assert_int_not_equal(bench_step(b, 0), STEP_FAULT);
    assert_non_null(d);
}

static const struct step_shape one_warp = { .grid = 1, .block = 32, .warp_size = 32 };

/* What each access says of itself. Its PTX goes in text; the kernel is all of them in a row. */
static const struct access_row {
    const char *text;
    enum mem_op_kind kind;
    enum mem_path path;
    enum mem_server server;
    unsigned width, order;                       /* order: 1 strong, 2 acquire, 4 release */
    unsigned atomic_class;
} access_rows[] = {
    { "ld.global.u32 %r2, [%rd2];", MOP_LOAD, PATH_CACHED, SERVE_GLOBAL, 4, 0, 0 },
    { "ld.global.cg.v2.u32 {%r2, %r3}, [%rd2];", MOP_LOAD, PATH_L2, SERVE_GLOBAL, 8, 0, 0 },
    { "ld.global.cv.u8 %r2, [%rd2];", MOP_LOAD, PATH_L2, SERVE_GLOBAL, 1, 0, 0 },
    { "ld.global.cs.u16 %h1, [%rd2];", MOP_LOAD, PATH_CACHED, SERVE_GLOBAL, 2, 0, 0 },
    { "ld.global.nc.u32 %r2, [%rd2];", MOP_LOAD, PATH_CACHED, SERVE_TEXTURE, 4, 0, 0 },
    { "ld.volatile.global.u32 %r2, [%rd2];", MOP_LOAD, PATH_L2, SERVE_GLOBAL, 4, 1, 0 },
    { "ld.relaxed.gpu.global.u64 %rd3, [%rd2];", MOP_LOAD, PATH_L2, SERVE_GLOBAL, 8, 1, 0 },
    { "ld.acquire.gpu.global.u32 %r2, [%rd2];", MOP_LOAD, PATH_L2, SERVE_GLOBAL, 4, 3, 0 },
    { "ld.weak.global.u32 %r2, [%rd2];", MOP_LOAD, PATH_CACHED, SERVE_GLOBAL, 4, 0, 0 },
    { "st.global.u32 [%rd2], %r1;", MOP_STORE, PATH_CACHED, SERVE_GLOBAL, 4, 0, 0 },
    { "st.global.wt.u32 [%rd2], %r1;", MOP_STORE, PATH_L2, SERVE_GLOBAL, 4, 0, 0 },
    { "st.release.gpu.global.u32 [%rd2], %r1;", MOP_STORE, PATH_L2, SERVE_GLOBAL, 4, 5, 0 },
    { "ld.shared.u32 %r2, [s];", MOP_LOAD, PATH_CACHED, SERVE_SHARED, 4, 0, 0 },
    { "st.local.v2.u32 [l+8], {%r1, %r1};", MOP_STORE, PATH_CACHED, SERVE_LOCAL, 8, 0, 0 },
    { "ld.local.u8 %r2, [l+9];", MOP_LOAD, PATH_CACHED, SERVE_LOCAL, 1, 0, 0 },
    { "ld.const.u32 %r2, [c];", MOP_LOAD, PATH_CACHED, SERVE_CONST, 4, 0, 0 },
    { "ld.param.u64 %rd4, [sum];", MOP_LOAD, PATH_CACHED, SERVE_CONST, 8, 0, 0 },
    { "atom.global.add.u32 %r2, [%rd2], 1;", MOP_ATOM, PATH_L2, SERVE_GLOBAL, 4, 1, 0 },
    { "atom.acq_rel.gpu.global.exch.b32 %r2, [%rd2], 1;", MOP_ATOM, PATH_L2, SERVE_GLOBAL, 4, 7, 1 },
    { "atom.acquire.gpu.global.cas.b64 %rd3, [%rd2], 1, %rd2;", MOP_ATOM, PATH_L2, SERVE_GLOBAL, 8, 3, 2 },
    { "red.release.gpu.global.add.f32 [%rd2], %r1;", MOP_RED, PATH_L2, SERVE_GLOBAL, 4, 5, 3 },
    { "red.shared.max.u32 [s+4], %r1;", MOP_RED, PATH_L2, SERVE_SHARED, 4, 1, 0 },
    { "prefetch.global.L1 [%rd2];", MOP_PREFETCH, PATH_CACHED, SERVE_GLOBAL, 1, 0, 0 },
    { "prefetch.global.L2 [%rd2];", MOP_PREFETCH, PATH_L2, SERVE_GLOBAL, 1, 0, 0 },
    { "prefetch.local.L1 [l+4];", MOP_PREFETCH, PATH_CACHED, SERVE_LOCAL, 1, 0, 0 },
};

static void test_access_rows(void **state)
{
    enum { N = sizeof access_rows / sizeof *access_rows };
    char text[8192] = HEAD ".const .b32 c[4];\n" KERNEL "  membar.cta;\n";
    struct bench b;
    (void)state;
    for (unsigned i = 0; i < N; i++)
        strcat(strcat(text, access_rows[i].text), "\n");
    strcat(text, "ret; }\n");
    bench_open(&b, text, &one_warp);
    bench_go_to(&b, OP_MEMBAR);
    bench_step(&b, 0);
    for (unsigned i = 0; i < N; i++) {
        const struct access_row *r = &access_rows[i];
        assert_int_equal(bench_step(&b, 0), STEP_OK);
        unsigned order = b.op.order_strong | b.op.order_acquire << 1 | b.op.order_release << 2;
        if (b.op.kind != r->kind || b.op.path != r->path || b.op.served_by[r->server] != UINT32_MAX || b.op.lanes != UINT32_MAX ||
            b.op.width != r->width || order != r->order || b.op.atomic_class != r->atomic_class)
            fail_msg("%s kind %u path %u lanes %llx width %u order %u class %u", r->text, b.op.kind, b.op.path,
                     (unsigned long long)b.op.served_by[r->server], b.op.width, order, b.op.atomic_class);
    }
    bench_close(&b);
}

/* Interleaved by word: 8 bytes at byte 8 of l are words 2 and 3 of every lane's private memory. */
static void test_local_addresses(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, HEAD KERNEL "  st.local.v2.u32 [l+8], {%r1, 9}; ld.local.u8 %r2, [l+14]; ret; }\n", &one_warp);
    bench_go_to(&b, OP_ST);
    bench_step(&b, 0);
    assert_int_equal(mem_pieces(&b.op, SERVE_LOCAL), 2);
    for (unsigned i = 0; i < 32; i++) {
        uint32_t word[2];
        assert_int_equal(b.op.address[i], (uint64_t)(uintptr_t)b.local + (2 * 32 + i) * 4);
        memcpy(&word[0], b.local + (2 * 32 + i) * 4, 4);
        memcpy(&word[1], b.local + (3 * 32 + i) * 4, 4);
        assert_int_equal(word[0], i);
        assert_int_equal(word[1], 9);
    }
    bench_step(&b, 0);
    assert_int_equal(mem_pieces(&b.op, SERVE_LOCAL), 1);
    assert_int_equal(b.op.address[3], (uint64_t)(uintptr_t)b.local + (3 * 32 + 3) * 4 + 2);
    bench_close(&b);
}

/* Later instructions may overwrite the registers of an access that is still on its way. */
static void test_captured_values(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, HEAD KERNEL "  st.global.u32 [%rd2], %r1; atom.global.cas.b32 %r2, [%rd2], %r1, 77; ret; }\n", &one_warp);
    bench_go_to(&b, OP_ST);
    struct half *h = &b.block->warps[0].half[0];
    char *kept = malloc(b.block->warps[0].regs_cap);
    assert_non_null(kept);
    for (int i = 0; i < 2; i++) {
        memcpy(kept, h->regs, b.block->warps[0].regs_cap);
        assert_int_equal(warp_step(&b.block->warps[0], &b.step, &b.op), STEP_OK);
        memset(h->regs, 0xee, b.block->warps[0].regs_cap);
        step_perform(&b.worker[1], &b.op);
        for (unsigned k = 0; k < 32; k++)
            assert_int_equal(*(uint32_t *)(void *)(b.in + 8 * k), i ? 77 : k);
        for (unsigned k = 0; k < 32 && i; k++)
            assert_int_equal(*(uint32_t *)(void *)(h->regs + b.op.reg[0] + 4 * k), k);
        memcpy(h->regs, kept, b.block->warps[0].regs_cap);
    }
    free(kept);
    bench_close(&b);
}

static void test_step_says(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, HEAD KERNEL
               "  setp.lt.u32 %p1, %r1, 9; @%p1 add.u32 %r2, %r1, 1; @!%p1 st.shared.u32 [s], %r1; @%p1 bra A; mov.u32 %r3, 1; bra B;\n"
               "A: mov.u32 %r3, 2;\nB: mov.u32 %r4, 3; setp.eq.u32 %p2, %r1, 99; @%p2 ld.global.u32 %r5, [%rd2]; bra.uni C;\nC: ret; }\n",
               &one_warp);
    bench_go_to(&b, OP_SETP);
    static const struct { enum ptx_op op; uint32_t active, lanes; bool diverged, jumped; enum step_result r; } want[] = {
        { OP_SETP, ~0u, ~0u, false, false, STEP_OK }, { OP_ADD, ~0u, 0x1ff, false, false, STEP_OK },
        { OP_ST, ~0u, ~0x1ffu, false, false, STEP_OK }, { OP_BRA, ~0u, 0x1ff, true, true, STEP_OK },
        { OP_MOV, 0x1ff, 0x1ff, false, true, STEP_OK }, { OP_MOV, ~0x1ffu, ~0x1ffu, false, false, STEP_OK },
        { OP_BRA, ~0x1ffu, ~0x1ffu, false, true, STEP_OK }, { OP_MOV, ~0u, ~0u, false, false, STEP_OK },
        { OP_SETP, ~0u, ~0u, false, false, STEP_OK }, { OP_LD, ~0u, 0, false, false, STEP_OK },
        { OP_BRA, ~0u, ~0u, false, false, STEP_OK }, { OP_RET, ~0u, ~0u, false, false, STEP_ENDED },
    };
    for (unsigned i = 0; i < sizeof want / sizeof *want; i++) {
        enum step_result r = bench_step(&b, 0);
        if (r != want[i].r || b.step.d->in->op != want[i].op || b.step.active != want[i].active || b.step.lanes != want[i].lanes ||
            b.step.diverged != want[i].diverged || b.step.jumped != want[i].jumped)
            fail_msg("step %u: result %u op %u active %llx lanes %llx diverged %u jumped %u", i, r, b.step.d->in->op,
                     (unsigned long long)b.step.active, (unsigned long long)b.step.lanes, b.step.diverged, b.step.jumped);
        if (b.step.d->in->op == OP_LD)
            assert_int_equal(b.op.lanes, 0);
    }
    assert_int_equal(bench_step(&b, 0), STEP_ENDED);
    assert_int_equal(b.worker[0].counts.warp_instructions, 16);
    bench_close(&b);
}

static void test_released(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, HEAD KERNEL "  bar.sync 0; ret; }\n", &(struct step_shape){ .grid = 1, .block = 96, .warp_size = 32 });
    for (unsigned w = 0; w < 3; w++) {
        enum step_result r;
        assert_int_equal(b.block->released, 0);
        while ((r = bench_step(&b, w)) == STEP_OK && b.step.d->in->op != OP_BAR)
            ;
        assert_int_equal(r, w < 2 ? STEP_WAITS : STEP_OK);
        assert_int_equal(b.block->warps[w].state, w < 2 ? WARP_BARRIER : WARP_READY);
    }
    assert_int_equal(b.block->released, 7);
    assert_int_equal(bench_step(&b, 0), STEP_ENDED);
    bench_close(&b);
}

static void test_clock(void **state)
{
    struct bench b;
    uint64_t now = 3000000000001;
    (void)state;
    bench_open(&b, HEAD KERNEL
               "  mov.u64 %rd3, %clock64; mov.u64 %rd4, %globaltimer; mov.u32 %r3, %clock_hi; mov.u32 %r2, %smid;\n"
               "  st.global.u64 [%rd1], %rd3; st.global.u64 [%rd1+8], %rd4; st.global.u32 [%rd1+16], %r3; st.global.u32 [%rd1+20], %r2; ret; }\n",
               &one_warp);
    b.worker[0].clock = &now;
    while (bench_step(&b, 0) == STEP_OK)
        ;
    uint64_t *out = (uint64_t *)(void *)b.in;
    assert_int_equal(out[0], now);
    assert_int_equal(out[1], 2000000000000);     /* at 1.5 GHz */
    assert_int_equal((uint32_t)out[2], now >> 32);
    assert_int_equal(out[2] >> 32, 5);
    bench_close(&b);
}

/* A launch may keep its parameters in a buffer of its own; the addresses that the program takes of them mean that one. */
static void test_own_parameters(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, HEAD KERNEL "  mov.u64 %rd3, out; cvta.param.u64 %rd3, %rd3; ld.u64 %rd4, [%rd3]; st.global.u64 [%rd1], %rd4; ret; }\n",
               &one_warp);
    char *own = devmem_alloc(b.gpu.mem, PARAM_MAX, 256, MEM_CONSTANT, "own");
    memcpy(own, (uint64_t[]){ (uint64_t)(uintptr_t)b.in, 4711 }, 16);
    memset(b.gpu.param, 0xee, 64);
    b.gpu.launch.param = own;
    while (bench_step(&b, 0) == STEP_OK)
        ;
    assert_int_equal(*(uint64_t *)(void *)b.in, 4711);
    bench_close(&b);
}

/* A cache line of private memory that is newer than device memory: built-in functions read that. */
static const uint8_t *cached_line(void *ctx, uint64_t line)
{
    struct bench *b = ctx;
    static const uint32_t words[32] = { 42 };
    return line == (uint64_t)(uintptr_t)b->local ? (const uint8_t *)words : NULL;
}

static void test_private_line(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, HEAD
               ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
               ".global .align 1 .b8 fmt[] = {37, 100, 32, 37, 100, 10, 0};\n" KERNEL
               "  setp.ne.u32 %p1, %r1, 0; @%p1 bra E; st.local.u32 [l], 1; st.local.u32 [l+4], 2; mov.u64 %rd3, l; cvta.local.u64 %rd3, %rd3;\n"
               "  { .param .b64 f; .param .b64 a; .param .b32 r; mov.u64 %rd4, fmt; st.param.b64 [f], %rd4; st.param.b64 [a], %rd3;\n"
               "  call (r), vprintf, (f, a); }\nE: ret; }\n", &one_warp);
    b.worker[0].private_line = cached_line;
    b.worker[0].private_ctx = &b;
    while (bench_step(&b, 0) == STEP_OK)
        ;
    assert_string_equal(b.gpu.printed, "42 2\n");
    bench_close(&b);
}

static void test_meeting_lanes(void **state)
{
    struct bench b;
    struct atom_payload a;
    (void)state;
    bench_open(&b, HEAD KERNEL "  shr.u32 %r2, %r1, 2; mul.wide.u32 %rd3, %r2, 8; add.u64 %rd3, %rd3, %rd1; red.global.add.u64 [%rd3], 3; ret; }\n",
               &one_warp);
    bench_go_to(&b, OP_RED);
    uint64_t *cells = (uint64_t *)(void *)b.in, before = cells[7];
    warp_step(&b.block->warps[0], &b.step, &b.op);
    mem_atomic_request(&b.op, b.op.lanes, &a);
    assert_int_equal(mem_atomic_perform(&b.worker[1], (uint64_t)(uintptr_t)b.in, &a), 4);
    assert_int_equal(cells[7], before + 12);
    mem_atomic_request(&b.op, 0x10, &a);
    assert_int_equal(mem_atomic_perform(&b.worker[1], (uint64_t)(uintptr_t)b.in, &a), 1);
    assert_int_equal(cells[7], before + 12);
    bench_close(&b);
}

/* Prefetches of nowhere, of shared memory and of parameters of calls are ignored. */
static void test_prefetch(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, HEAD KERNEL
               "  .param .b64 arg; st.param.b64 [arg], %rd1; mov.u64 %rd3, s; cvta.shared.u64 %rd3, %rd3; mov.u64 %rd4, l; cvta.local.u64 %rd4, %rd4;\n"
               "  and.b32 %r2, %r1, 3; setp.eq.u32 %p1, %r2, 1; selp.u64 %rd5, %rd3, %rd2, %p1; setp.eq.u32 %p1, %r2, 2;\n"
               "  selp.u64 %rd5, %rd4, %rd5, %p1; setp.eq.u32 %p1, %r2, 3; selp.u64 %rd5, 64, %rd5, %p1;\n"
               "  prefetch.L1 [%rd5]; prefetch.local.L1 [%rd5]; ret; }\n", &one_warp);
    bench_go_to(&b, OP_PREFETCH);
    assert_int_equal(bench_step(&b, 0), STEP_OK);
    assert_int_equal(b.op.served_by[SERVE_GLOBAL], 0x11111111);
    assert_int_equal(b.op.served_by[SERVE_LOCAL], 0x44444444);
    assert_int_equal(b.op.lanes, 0x55555555);
    assert_int_equal(bench_step(&b, 0), STEP_OK);
    assert_int_equal(b.op.lanes, 0);             /* as local addresses only lanes 3, 7 .. would do, and 64 is the call's parameter's or beyond */
    bench_close(&b);
}

/* Lanes of a warp take turns with a lock: those that hold it must come to run while the others spin. */
static void test_lock_in_warp(void **state)
{
    struct step_shape s = { .grid = 1, .block = 64, .warp_size = 32, .independent = true };
    struct outcome r = run(HEAD KERNEL
                           "  ld.param.u64 %rd3, [sum]; ld.param.u64 %rd4, [out];\n"
                           "L: atom.global.cas.b32 %r2, [%rd4], 0, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra L;\n"
                           "  ld.global.cg.u32 %r3, [%rd4+4]; add.u32 %r3, %r3, 1; st.global.cg.u32 [%rd4+4], %r3; membar.gl;\n"
                           "  atom.global.exch.b32 %r2, [%rd4], 0; ret; }\n", &s, 1, true);
    (void)state;
    assert_true(r.ok);
    assert_int_equal(*(uint32_t *)(void *)(r.out + 4), 64);
    assert_true(r.counts.warp_instructions < 20000);
    forget(&r);
}

int main(void)
{
    struct CMUnitTest tests[16 + 64] = {
        cmocka_unit_test(test_random), cmocka_unit_test(test_access_rows), cmocka_unit_test(test_local_addresses),
        cmocka_unit_test(test_captured_values), cmocka_unit_test(test_step_says), cmocka_unit_test(test_released),
        cmocka_unit_test(test_clock), cmocka_unit_test(test_own_parameters), cmocka_unit_test(test_private_line),
        cmocka_unit_test(test_meeting_lanes), cmocka_unit_test(test_prefetch), cmocka_unit_test(test_lock_in_warp),
    };
    enum { SINGLE = 12 };
    for (unsigned i = 0; i < step_ncases; i++)
        tests[SINGLE + i] = (struct CMUnitTest){ step_cases[i].name, test_case, NULL, NULL, (void *)(uintptr_t)&step_cases[i] };
    return _cmocka_run_group_tests("step", tests, SINGLE + step_ncases, NULL, NULL);
}
