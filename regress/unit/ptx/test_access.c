/*
 * What a step says of an instruction and what a captured access says of itself and takes along (ptx/exec/step.h,
 * ptx/memory/access.h), instruction by instruction. That the values are right is test_step.c's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "regress/unit/ptx/step_driver.h"

enum { IN_BYTES = 4096 };

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
    b->in = step_gpu_alloc(&b->gpu, IN_BYTES);
    b->local = step_gpu_alloc(&b->gpu, 1 << 20);
    for (unsigned i = 0; i < IN_BYTES; i++)
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
        bool all = b.op.served_by[r->server] == UINT32_MAX && b.op.lanes == UINT32_MAX;
        if (!all || b.op.kind != r->kind || b.op.path != r->path ||
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

/* Two functions whose frames lie at the same place: where one has parameters the other has a .local variable. */
static void test_frames_over_each_other(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, HEAD
               ".func f(.param .align 8 .b8 a[64]) { .reg .b32 %r<2>; ld.param.u32 %r1, [a+20];"
               " st.param.u32 [a+24], %r1; ret; }\n"
               ".func g() { .reg .b32 %r<2>; .local .align 8 .b8 own[64]; st.local.u32 [own+20], 7;"
               " ld.local.u32 %r1, [own+20]; ret; }\n" KERNEL
               "  { .param .align 8 .b8 a[64]; st.param.u32 [a+20], %r1; call f, (a); } call g, (); ret;"
               " }\n", &one_warp);
    unsigned local = 0, param = 0;
    for (enum step_result r = STEP_OK; r == STEP_OK;) {
        r = bench_step(&b, 0);
        local += !!b.op.lanes && b.op.served_by[SERVE_LOCAL] == UINT32_MAX;
        param += !b.op.lanes && (b.step.d->in->op == OP_LD || b.step.d->in->op == OP_ST);
    }
    assert_int_equal(local, 2);
    assert_int_equal(param, 3);
    bench_close(&b);
}

/* Later instructions may overwrite the registers of an access that is still on its way. */
static void test_captured_values(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, HEAD KERNEL "  st.global.u32 [%rd2], %r1; atom.global.cas.b32 %r2, [%rd2], %r1, 77; ret;"
    " }\n", &one_warp);
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
               "  setp.lt.u32 %p1, %r1, 9; @%p1 add.u32 %r2, %r1, 1; @!%p1 st.shared.u32 [s], %r1; @%p1 bra A;"
               " mov.u32 %r3, 1; bra B;\n"
               "A: mov.u32 %r3, 2;\nB: mov.u32 %r4, 3; setp.eq.u32 %p2, %r1, 99; @%p2 ld.global.u32 %r5, [%rd2];"
               " bra.uni C;\nC: ret; }\n",
               &one_warp);
    bench_go_to(&b, OP_SETP);
    static const struct {
        enum ptx_op op;
        uint32_t active, lanes;
        bool diverged, jumped;
        enum step_result r;
    } want[] = {
        { OP_SETP, ~0u, ~0u, false, false, STEP_OK }, { OP_ADD, ~0u, 0x1ff, false, false, STEP_OK },
        { OP_ST, ~0u, ~0x1ffu, false, false, STEP_OK }, { OP_BRA, ~0u, 0x1ff, true, true, STEP_OK },
        { OP_MOV, 0x1ff, 0x1ff, false, true, STEP_OK }, { OP_MOV, ~0x1ffu, ~0x1ffu, false, false, STEP_OK },
        { OP_BRA, ~0x1ffu, ~0x1ffu, false, true, STEP_OK }, { OP_MOV, ~0u, ~0u, false, false, STEP_OK },
        { OP_SETP, ~0u, ~0u, false, false, STEP_OK }, { OP_LD, ~0u, 0, false, false, STEP_OK },
        { OP_BRA, ~0u, ~0u, false, false, STEP_OK }, { OP_RET, ~0u, ~0u, false, false, STEP_ENDED },
    };
    for (unsigned i = 0; i < sizeof want / sizeof *want; i++) {
        enum step_result r = bench_step(&b, 0);
        if (r != want[i].r || b.step.d->in->op != want[i].op || b.step.active != want[i].active ||
            b.step.lanes != want[i].lanes || b.step.diverged != want[i].diverged || b.step.jumped != want[i].jumped)
            fail_msg("step %u: result %u op %u active %llx lanes %llx diverged %u jumped %u", i, r, b.step.d->in->op,
                     (unsigned long long)b.step.active, (unsigned long long)b.step.lanes, b.step.diverged,
                     b.step.jumped);
        if (b.step.d->in->op == OP_LD)
            assert_int_equal(b.op.lanes, 0);
    }
    assert_int_equal(bench_step(&b, 0), STEP_ENDED);
    assert_int_equal(b.worker[0].count[STAT_WARP_INSTRUCTIONS], 16);
    bench_close(&b);
}

static void test_released(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, HEAD KERNEL "  bar.sync 0; ret; }\n",
               &(struct step_shape){ .grid = 1, .block = 96, .warp_size = 32 });
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
               "  st.global.u64 [%rd1], %rd3; st.global.u64 [%rd1+8], %rd4; st.global.u32 [%rd1+16], %r3;"
               " st.global.u32 [%rd1+20], %r2; ret; }\n",
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

/* A launch may keep its parameters in a buffer of its own: the addresses that a program takes of them mean that. */
static void test_own_parameters(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, HEAD KERNEL "  mov.u64 %rd3, out; cvta.param.u64 %rd3, %rd3; ld.u64 %rd4, [%rd3];"
    " st.global.u64 [%rd1], %rd4; ret; }\n",
               &one_warp);
    char *own = devmem_alloc(b.gpu.mem, PARAM_MAX, 256, MEM_PARAMETERS, "own");
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
               "  setp.ne.u32 %p1, %r1, 0; @%p1 bra E; st.local.u32 [l], 1; st.local.u32 [l+4], 2;"
               " mov.u64 %rd3, l; cvta.local.u64 %rd3, %rd3;\n"
               "  { .param .b64 f; .param .b64 a; .param .b32 r; mov.u64 %rd4, fmt; st.param.b64 [f], %rd4;"
               " st.param.b64 [a], %rd3;\n"
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
    bench_open(&b, HEAD KERNEL "  shr.u32 %r2, %r1, 2; mul.wide.u32 %rd3, %r2, 8; add.u64 %rd3, %rd3, %rd1;"
    " red.global.add.u64 [%rd3], 3; ret; }\n",
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
               "  .param .b64 arg; st.param.b64 [arg], %rd1; mov.u64 %rd3, s; cvta.shared.u64 %rd3, %rd3;"
               " mov.u64 %rd4, l; cvta.local.u64 %rd4, %rd4;\n"
               "  and.b32 %r2, %r1, 3; setp.eq.u32 %p1, %r2, 1; selp.u64 %rd5, %rd3, %rd2, %p1;"
               " setp.eq.u32 %p1, %r2, 2;\n"
               "  selp.u64 %rd5, %rd4, %rd5, %p1; setp.eq.u32 %p1, %r2, 3; selp.u64 %rd5, 64, %rd5, %p1;\n"
               "  prefetch.L1 [%rd5]; prefetch.local.L1 [%rd5]; ret; }\n", &one_warp);
    bench_go_to(&b, OP_PREFETCH);
    assert_int_equal(bench_step(&b, 0), STEP_OK);
    assert_int_equal(b.op.served_by[SERVE_GLOBAL], 0x11111111);
    assert_int_equal(b.op.served_by[SERVE_LOCAL], 0x44444444);
    assert_int_equal(b.op.lanes, 0x55555555);
    assert_int_equal(bench_step(&b, 0), STEP_OK);
    assert_int_equal(b.op.lanes, 0);             /* 64 lies behind the frame */
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_access_rows),
        cmocka_unit_test(test_local_addresses),
        cmocka_unit_test(test_frames_over_each_other),
        cmocka_unit_test(test_captured_values),
        cmocka_unit_test(test_step_says),
        cmocka_unit_test(test_released),
        cmocka_unit_test(test_clock),
        cmocka_unit_test(test_own_parameters),
        cmocka_unit_test(test_private_line),
        cmocka_unit_test(test_meeting_lanes),
        cmocka_unit_test(test_prefetch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
