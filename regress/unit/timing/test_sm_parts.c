/* Parts of the SM core: scheduler policies, calendar, what instructions are to the pipelines, reports on what warps
 * wait for. */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <setjmp.h>
#include <cmocka.h>

#include "regress/unit/timing/sm_rig.h"
#include "timing/core/calendar.h"
#include "timing/core/sched.h"
#include "timing/machine/trace.h"

/* ---- policies ---- */

static void move(struct scheduler *c, uint64_t warps, unsigned from, unsigned to)
{
    for (uint64_t m = warps; m; m &= m - 1)
        sched_move(c, m & -m, from, to);
}

static void test_lrr(void **state)
{
    (void)state;
    struct scheduler c;
    sched_init(&c, SCHED_LRR, 8, 4);
    assert_int_equal(sched_pick(&c, 0x8000000000000105), 0);
    assert_int_equal(sched_pick(&c, 0x8000000000000105), 2);
    assert_int_equal(sched_pick(&c, 0x8000000000000105), 8);
    assert_int_equal(sched_pick(&c, 0x8000000000000105), 63);
    assert_int_equal(sched_pick(&c, 0x8000000000000105), 0);
    assert_int_equal(sched_pick(&c, 1), 0);
    sched_end(&c);
}

/* The same warp while it can; then the oldest block's first, wherever its slots are. */
static void test_gto(void **state)
{
    (void)state;
    struct scheduler c;
    sched_init(&c, SCHED_GTO, 8, 4);
    sched_add(&c, 0x30);
    sched_add(&c, 0x03);
    sched_add(&c, 0x0c);
    assert_int_equal(sched_pick(&c, 0x3f), 4);
    assert_int_equal(sched_pick(&c, 0x3f), 4);
    assert_int_equal(sched_pick(&c, 0x2f), 5);
    assert_int_equal(sched_pick(&c, 0x0f), 0);
    assert_int_equal(sched_pick(&c, 0x3f), 0);
    assert_int_equal(sched_pick(&c, 0x0e), 1);
    sched_remove(&c, 0x03);
    assert_int_equal(sched_pick(&c, 0x0c), 2);
    sched_remove(&c, 0x30);
    sched_add(&c, 0x30);
    assert_int_equal(sched_pick(&c, 0x38), 3);
    sched_end(&c);
}

/* What a scheduler looks at before it comes to the one that it picks. */
static void test_passed(void **state)
{
    (void)state;
    struct scheduler c;
    sched_init(&c, SCHED_GTO, 8, 4);
    sched_add(&c, 0x30);
    sched_add(&c, 0x03);
    sched_add(&c, 0x0c);
    assert_int_equal(sched_passed(&c, 4, 4), 0);                 /* greedy: the same one again */
    assert_int_equal(sched_passed(&c, 4, 2), 0x04);
    assert_int_equal(sched_passed(&c, 1, 4), 0x31);              /* older blocks, and the older warp of its own */
    assert_int_equal(sched_passed(&c, 3, 3), 0);
    assert_int_equal(sched_passed(&c, 3, 0), 0x37);
    sched_end(&c);
    sched_init(&c, SCHED_LRR, 8, 4);
    assert_int_equal(sched_passed(&c, 5, 2), 0x18);
    assert_int_equal(sched_passed(&c, 3, 2), 0);
    assert_int_equal(sched_passed(&c, 1, 61), UINT64_C(3) << 62 | 1);
    assert_int_equal(sched_passed(&c, 0, 63), 0);
    assert_int_equal(sched_passed(&c, 2, 2), ~UINT64_C(4));      /* all the way round */
    sched_end(&c);
    sched_init(&c, SCHED_READY_FIRST, 8, 4);
    assert_int_equal(sched_passed(&c, 3, 2), ~UINT64_C(8));      /* it compares all, whichever issued last */
    assert_int_equal(sched_passed(&c, 2, 3), ~UINT64_C(4));
    sched_end(&c);
}

/* Two warps that could issue in every cycle starve the third under every policy's order, until it has waited a period;
 * what has just come, and what passes while nobody issues, is no waiting. */
static void test_patience(void **state)
{
    (void)state;
    struct scheduler c;
    sched_init(&c, SCHED_GTO, 8, 4);
    c.patience = 100;
    sched_add(&c, 0x03);
    assert_int_equal(sched_first(&c, 0x03, 5000), 0x03);       /* a period begins */
    assert_int_equal(sched_pick(&c, 0x03), 0);
    assert_int_equal(sched_first(&c, 0x02, 5099), 0x02);
    assert_int_equal(sched_pick(&c, 0x02), 1);
    sched_add(&c, 0x04);
    assert_int_equal(sched_first(&c, 0x07, 5100), 0x07);       /* warp 2 has just come */
    assert_int_equal(sched_pick(&c, 0x07), 1);
    assert_int_equal(sched_first(&c, 0x05, 5199), 0x05);
    assert_int_equal(sched_pick(&c, 0x05), 0);
    assert_int_equal(sched_first(&c, 0x03, 5200), 0x03);       /* warp 2 is owed, but cannot issue now */
    assert_int_equal(sched_pick(&c, 0x03), 0);
    assert_int_equal(sched_first(&c, 0x07, 5201), 0x04);
    assert_int_equal(sched_pick(&c, 0x04), 2);
    assert_int_equal(sched_first(&c, 0x03, 5202), 0x03);       /* once */
    assert_int_equal(sched_pick(&c, 0x03), 0);
    assert_int_equal(sched_first(&c, 0x07, 9000), 0x07);       /* nobody was passed over meanwhile */
    c.patience = 0;
    assert_int_equal(sched_first(&c, 0x07, 20000), 0x07);
    sched_end(&c);
}

static void test_two_level(void **state)
{
    (void)state;
    struct scheduler c;
    sched_init(&c, SCHED_TWO_LEVEL, 2, 4);
    sched_add(&c, 0x1f);
    move(&c, 0x1f, SCHED_NONE, PIPE_SP);
    assert_int_equal(sched_among(&c), 0x03);
    assert_int_equal(sched_pick(&c, 0x03), 0);
    assert_int_equal(sched_pick(&c, 0x03), 1);
    move(&c, 0x01, PIPE_SP, SCHED_WAIT + SM_STALL_SCOREBOARD_ALU);
    assert_int_equal(sched_among(&c), 0x03);                   /* a short wait: it stays */
    move(&c, 0x01, SCHED_WAIT + SM_STALL_SCOREBOARD_ALU, SCHED_WAIT + SM_STALL_SCOREBOARD_MEM);
    assert_int_equal(sched_among(&c), 0x06);                   /* the next one has its place */
    move(&c, 0x06, PIPE_SP, SCHED_WAIT + SM_STALL_BARRIER);
    assert_int_equal(sched_among(&c), 0x18);
    move(&c, 0x18, PIPE_SP, SCHED_WAIT + SM_STALL_DRAIN);
    assert_int_equal(sched_among(&c), ~0ull);                  /* nobody is left: all count for the reason */
    assert_int_equal(sched_reason(&c, ~0ull, 0), SM_STALL_SCOREBOARD_MEM);
    move(&c, 0x01, SCHED_WAIT + SM_STALL_SCOREBOARD_MEM, PIPE_SP);
    assert_int_equal(sched_among(&c), 0x01);
    move(&c, 0x01, PIPE_SP, SCHED_NONE);
    sched_ended(&c, 0x01);
    assert_int_equal(sched_among(&c), ~0ull);
    sched_end(&c);
}

static void test_reason(void **state)
{
    (void)state;
    struct scheduler c;
    sched_init(&c, SCHED_GTO, 8, 4);
    assert_int_equal(sched_reason(&c, ~0ull, 0), SM_STALL_NO_WARP);
    move(&c, 0x01, SCHED_NONE, SCHED_WAIT + SM_STALL_BARRIER);
    move(&c, 0x06, SCHED_NONE, SCHED_WAIT + SM_STALL_FETCH);
    assert_int_equal(sched_reason(&c, ~0ull, 0), SM_STALL_FETCH);
    assert_int_equal(sched_reason(&c, 0x01, 0), SM_STALL_BARRIER);
    move(&c, 0x02, SCHED_WAIT + SM_STALL_FETCH, SCHED_WAIT + SM_STALL_SCOREBOARD_ALU);
    assert_int_equal(sched_reason(&c, ~0ull, 0), SM_STALL_SCOREBOARD_ALU);
    assert_int_equal(sched_reason(&c, ~0ull, 1u << SM_STALL_UNIT_SFU | 1u << SM_STALL_MEM_QUEUE), SM_STALL_UNIT_SFU);
    move(&c, 0x02, SCHED_WAIT + SM_STALL_SCOREBOARD_ALU, PIPE_SP);
    move(&c, 0x04, SCHED_WAIT + SM_STALL_FETCH, PIPE_SP);
    assert_int_equal(c.held, 1u << PIPE_SP | 1u << (SCHED_WAIT + SM_STALL_BARRIER));
    assert_int_equal(c.set[PIPE_SP], 0x06);
    sched_end(&c);
}

/* Two sequences of three further slots each, 4 and 3 cycles apart: the first to be ready issues first, one in a cycle,
 * and a late one delays those that follow it. */
static void test_rest(void **state)
{
    (void)state;
    struct scheduler c;
    sched_init(&c, SCHED_GTO, 8, 4);
    assert_true(c.rest_at == UINT64_MAX);
    sched_begin_sequence(&c, 4, 4, 10);
    sched_begin_sequence(&c, 4, 3, 11);
    c.issue_free = 12;
    assert_int_equal(c.rest_at, 14);
    sched_run_sequences(&c, 1, 13);
    assert_int_equal(c.issue_free, 12);
    sched_run_sequences(&c, 1, 14);                              /* the first one; both were ready */
    assert_int_equal(c.issue_free, 15);
    assert_int_equal(c.rest_at, 14);
    sched_run_sequences(&c, 1, 15);                              /* the second one, a cycle late */
    assert_int_equal(c.issue_free, 16);
    assert_int_equal(c.rest_at, 18);
    sched_run_sequences(&c, 1, 21);                              /* both at 18: 18, 19 */
    assert_int_equal(c.issue_free, 20);
    assert_int_equal(c.rest_at, 22);
    c.issue_free = 40;
    sched_run_sequences(&c, 1, 39);
    assert_int_equal(c.nrest, 2);
    sched_run_sequences(&c, 1, 100);                             /* 40, 41 */
    assert_int_equal(c.issue_free, 42);
    assert_int_equal(c.nrest, 0);
    assert_true(c.rest_at == UINT64_MAX);
    sched_end(&c);
}

/* ---- calendar ---- */

static uint32_t random_number(uint64_t *seed, uint32_t n)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % n;
}

/* Every event is met at its cycle, near or far, and the next one is never later than said. */
static void test_calendar(void **state)
{
    (void)state;
    enum { EVENTS = 3000 };
    static uint64_t due[EVENTS];
    struct calendar c;
    uint64_t seed = 1, now = 77;
    uint32_t added = 0, met = 0, visits = 0;
    calendar_init(&c);
    while (met < EVENTS) {
        for (uint32_t n = random_number(&seed, 4); n && added < EVENTS; n--) {
            due[added] = now + 1 + random_number(&seed, random_number(&seed, 4) ? 30 : 5000);
            struct event e = { .at = due[added], .address = added };
            calendar_add(&c, now, &e);
            added++;
        }
        uint64_t next = calendar_next(&c, now), first = NEVER;
        for (uint32_t i = 0; i < added; i++)
            if (due[i] > now && due[i] < first)
                first = due[i];
        assert_true(next > now && next <= first);
        visits++;
        now = next == NEVER ? now + 1 : next;
        struct event e;
        for (uint32_t i = calendar_take(&c, now); i;) {
            i = calendar_read(&c, i, &e);
            if (e.at > now) {
                calendar_add(&c, now, &e);
                continue;
            }
            assert_int_equal(e.at, now);
            assert_int_equal(due[e.address], now);
            due[e.address] = 0;
            met++;
        }
    }
    assert_int_equal(calendar_next(&c, now), NEVER);
    assert_true(visits < 3 * EVENTS);
    calendar_end(&c);
}

/* ---- instructions ---- */

struct row { const char *text; enum pipe pipe, pipe_few; uint32_t latency, interval; enum tinst_kind kind; };

/* pipe_few: on a machine with SP, SFU and memory pipelines only. Latencies are those set below; SP, INT 16 lanes,
 * SFU 4, DP 8. */
static const struct row rows[] = {
    { "add.u32 %r1, %r2, %r3;", PIPE_INT, PIPE_SP, 101, 2, TINST_ALU },
    { "add.f32 %f1, %f2, %f3;", PIPE_SP, PIPE_SP, 111, 2, TINST_ALU },
    { "add.f64 %d1, %d2, %d3;", PIPE_DP, PIPE_SFU, 123, 4, TINST_ALU },
    { "mov.f64 %d1, %d2;", PIPE_INT, PIPE_SP, 91, 2, TINST_ALU },
    { "selp.f32 %f1, %f2, %f3, %p1;", PIPE_INT, PIPE_SP, 91, 2, TINST_ALU },
    { "setp.lt.f64 %p1, %d2, %d3;", PIPE_DP, PIPE_SFU, 123, 4, TINST_ALU },
    { "set.lt.u32.f32 %r1, %f2, %f3;", PIPE_SP, PIPE_SP, 91, 2, TINST_ALU },
    { "neg.f32 %f1, %f2;", PIPE_SP, PIPE_SP, 91, 2, TINST_ALU },
    { "mad.lo.u32 %r1, %r2, %r3, %r1;", PIPE_INT, PIPE_SP, 103, 6, TINST_ALU },
    { "fma.rn.f32 %f1, %f2, %f3, %f1;", PIPE_SP, PIPE_SP, 113, 2, TINST_ALU },
    { "div.u32 %r1, %r2, %r3;", PIPE_SFU, PIPE_SFU, 111, 64, TINST_ALU },
    { "abs.s32 %r1, %r2;", PIPE_INT, PIPE_SP, 102, 2, TINST_ALU },
    { "rcp.approx.f32 %f1, %f2;", PIPE_SFU, PIPE_SFU, 137, 8, TINST_ALU },
    { "rcp.rn.f32 %f1, %f2;", PIPE_SFU, PIPE_SFU, 123, 40, TINST_ALU },
    { "sqrt.rn.f32 %f1, %f2;", PIPE_SFU, PIPE_SFU, 123, 40, TINST_ALU },
    { "div.rn.f32 %f1, %f2, %f3;", PIPE_SFU, PIPE_SFU, 121, 32, TINST_ALU },
    { "sqrt.rn.f64 %d1, %d2;", PIPE_DP, PIPE_SFU, 132, 64, TINST_ALU },
    { "cvt.u64.u32 %l1, %r2;", PIPE_INT, PIPE_SP, 91, 2, TINST_ALU },
    { "cvt.rn.f32.s32 %f1, %r2;", PIPE_SP, PIPE_SP, 141, 8, TINST_ALU },
    { "cvt.rn.f64.s32 %d1, %r2;", PIPE_DP, PIPE_SFU, 148, 8, TINST_ALU },
    { "cvt.f32.f16 %f1, %h1;", PIPE_SP, PIPE_SP, 141, 8, TINST_ALU },
    { "popc.b32 %r1, %r2;", PIPE_INT, PIPE_SP, 96, 6, TINST_ALU },
    { "fma.rn.f16x2 %r1, %r2, %r3, %r1;", PIPE_SP, PIPE_SP, 119, 4, TINST_ALU },
    { "add.rn.bf16 %h1, %h1, %h1;", PIPE_SP, PIPE_SP, 119, 4, TINST_ALU },
    { "shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1;", PIPE_INT, PIPE_SP, 151, 4, TINST_ALU },
    { "dp4a.u32.u32 %r1, %r2, %r3, %r1;", PIPE_TENSOR, PIPE_SP, 161, 4, TINST_ALU },
    { "ld.global.u32 %r1, [%l1];", PIPE_MEM, PIPE_MEM, 0, 1, TINST_MEMORY },
    { "red.shared.add.u32 [%r2], %r1;", PIPE_MEM, PIPE_MEM, 0, 1, TINST_MEMORY },
    { "membar.gl;", PIPE_CTRL, PIPE_CTRL, 1, 1, TINST_FENCE },
    { "bar.sync 0;", PIPE_CTRL, PIPE_CTRL, 170, 1, TINST_BARRIER },
    { "bar.warp.sync -1;", PIPE_CTRL, PIPE_CTRL, 1, 1, TINST_ALU },
    { "nanosleep.u32 5;", PIPE_CTRL, PIPE_CTRL, 1, 1, TINST_SLEEP },
    { "tx_begin; tx_commit;", PIPE_CTRL, PIPE_CTRL, 1, 1, TINST_TX },
    { "exit;", PIPE_CTRL, PIPE_CTRL, 170, 1, TINST_EXIT },
};
enum { ROWS = sizeof rows / sizeof *rows };

static const char *const row_keys[] = {
    "core.simd_width", "16", "core.sfu_width", "4", "core.dp_width", "8", "latency.logic", "90",
    "latency.int_add", "100", "latency.int_max", "101", "latency.int_mad", "102", "interval.int_mad", "3",
    "latency.int_div", "104", "latency.fp_add", "110", "latency.fp_mad", "112", "latency.fp_div", "114",
    "latency.fp_sqrt", "116", "interval.fp_sqrt", "5", "latency.dp_add", "120", "latency.dp_div", "129",
    "latency.sfu", "130", "latency.cvt", "140", "interval.cvt", "4", "latency.dp_cvt", "145", "interval.dp_cvt", "2",
    "latency.bits", "95", "interval.bits", "3", "latency.half", "118", "interval.half", "2",
    "latency.shfl", "150", "interval.shfl", "2", "latency.tensor", "160", "latency.ctrl", "170", NULL
};

static struct tprogram *program_of(struct sm_rig *r, const char *const *keys)
{
    for (int i = 0; keys[i]; i += 2)
        sm_rig_set(r, keys[i], keys[i + 1]);
    struct sm_cfg cfg;
    sm_configure(&cfg, r->config, 0);
    return tprogram_new(r->gpu.program, &cfg, 0);
}

static const struct tinst *inst_of(const struct tprogram *p, const struct sm_rig *r, uint32_t i)
{
    return &p->of_func[r->gpu.launch.code->func->index]->inst[i];
}

static void test_instructions(void **state)
{
    (void)state;
    char text[4096];
    int n = sprintf(text, ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() {\n"
                          ".reg .b16 %%h<2>; .reg .b32 %%r<4>; .reg .b64 %%l<3>; .reg .f32 %%f<4>; .reg .f64 %%d<4>;\n"
                          ".reg .pred %%p<2>;\n");
    for (int i = 0; i < ROWS; i++)
        n += sprintf(text + n, "%s\n", rows[i].text);
    sprintf(text + n, "}");
    struct sm_rig r;
    sm_rig_open(&r, text, &(struct step_shape){ .grid = 1, .block = 32, .warp_size = 32 });
    sm_rig_set(&r, "core.tensor", "1");
    struct tprogram *all = program_of(&r, row_keys), *few;
    few = program_of(&r, (const char *const[]){ "core.tensor", "0", "core.int", "0", "core.dp", "0", NULL });
    for (uint32_t i = 0, at = 0; i < ROWS; i++, at++) {
        const struct tinst *t = inst_of(all, &r, at);
        if (t->kind != rows[i].kind || t->pipe != rows[i].pipe || inst_of(few, &r, at)->pipe != rows[i].pipe_few)
            fail_msg("%s kind %d, pipeline %d or %d", rows[i].text, t->kind, t->pipe, inst_of(few, &r, at)->pipe);
        if (t->interval != rows[i].interval || (rows[i].latency && t->latency != rows[i].latency))
            fail_msg("%s latency %u, interval %u", rows[i].text, t->latency, t->interval);
        at += rows[i].kind == TINST_TX;                             /* two in that row */
    }
    tprogram_free(all);
    tprogram_free(few);
    config_free(r.config);
    step_gpu_close(&r.gpu);
}

/* ---- order ---- */

static void test_order(void **state)
{
    (void)state;
    const struct order_warp idle = { .loads = 0 }, loads = { .loads = 2 }, stores = { .stores = 1 };
    const struct order_warp acquiring = { .loads = 1, .acquires = 1 };
    const struct order_policy *p = &order_rmo_ptx, *q = &order_rmo_no_drain;
    struct order_access load = { .kind = ORDER_LOAD }, release = { .kind = ORDER_STORE, .release = true };
    assert_true(p->may_issue(NULL, 0, &stores, &load) && p->may_issue(NULL, 0, &loads, &load));
    assert_false(p->may_issue(NULL, 0, &acquiring, &load));
    assert_false(p->may_issue(NULL, 0, &loads, &release) || p->may_issue(NULL, 0, &stores, &release));
    assert_true(p->may_issue(NULL, 0, &idle, &release));
    for (int k = ORDER_FENCE; k <= ORDER_EXIT; k++) {
        struct order_access a = { .kind = (enum order_kind)k };
        assert_true(p->may_issue(NULL, 0, &idle, &a));
        assert_false(p->may_issue(NULL, 0, &loads, &a) || p->may_issue(NULL, 0, &stores, &a));
        assert_int_equal(q->may_issue(NULL, 0, &stores, &a), k == ORDER_BARRIER);
    }
}

/* ---- reports ---- */

struct said { char text[8192]; };

static void say(void *ctx, const char *line)
{
    struct said *s = ctx;
    strncat(s->text, line, sizeof s->text - strlen(s->text) - 2);
    strcat(s->text, "\n");
}

static struct said dump(const char *body, uint32_t threads, uint64_t limit)
{
    char text[2048];
    struct said said = { "" };
    struct sm_rig r;
    snprintf(text, sizeof text, ".version 7.8\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out) {\n"
             ".reg .b32 %%r<9>; .reg .b64 %%rd<4>; .reg .pred %%p<2>; mov.u32 %%r1, %%tid.x;\n%s\nret; }", body);
    sm_rig_open(&r, text, &(struct step_shape){ .grid = 1, .block = threads, .warp_size = 32 });
    uint64_t out = (uint64_t)(uintptr_t)step_gpu_alloc(&r.gpu, 4096);
    memcpy(r.gpu.param, &out, sizeof out);
    sm_rig_build(&r, &(struct rig_lsu){ .latency = 1000, .room = 8 });
    sm_rig_run(&r, limit);
    sm_dump(r.sm, &(struct sm_told){ .n = 0 }, say, &said);
    sm_rig_close(&r);
    return said;
}

static void has(const struct said *s, const char *what)
{
    if (!strstr(s->text, what))
        fail_msg("'%s' is not in:\n%s", what, s->text);
}

static void test_dump(void **state)
{
    (void)state;
    struct said s = dump("ld.param.u64 %rd1, [out]; ld.global.u32 %r2, [%rd1]; add.u32 %r3, %r2, %r2;", 32, 1500);
    has(&s, "warp slot 0: block 0 (0,0,0), warp 0 of 1, 32 lanes at test:6:");
    has(&s, "add.u32 %r3, %r2, %r2;: waits since cycle");
    has(&s, "for register %r2, which is still being loaded");
    s = dump("setp.lt.u32 %p1, %r1, 32; @%p1 bar.sync 3;  bar.sync 3, 96;", 64, 3000);
    has(&s, "barrier 3: 32 of 64 threads have arrived");
    has(&s, "bar.sync 3");
    s = dump("ld.param.u64 %rd1, [out]; st.global.u32 [%rd1], %r1; membar.gl;", 32, 1500);
    has(&s, "membar.gl;: waits since cycle");
    has(&s, "its accesses before the fence: 0 loads and 1 stores have not performed");
    s = dump("nanosleep.u32 900000;", 32, 3000);
    has(&s, "for nanosleep");
    s = dump("nanosleep.u32 900000;", 96, 3000);
    has(&s, "warp slot 0: ");
    has(&s, "2 more warps wait like one above");
}

/* ---- timeline ---- */

static uint64_t number_behind(const char *line, const char *key)
{
    const char *at = strstr(line, key);
    assert_non_null(at);
    return strtoull(at + strlen(key), NULL, 10);
}

/* What a warp does and waits for lies end to end from its start to its end; every instruction is there once. */
static void test_timeline(void **state)
{
    (void)state;
    char path[] = "/tmp/simtx_timeline_XXXXXX", error[300], line[1024];
    close(mkstemp(path));
    struct trace *t = trace_open(&(struct trace_cfg){ .file = path, .to = UINT64_MAX - 1, .sm = -1 }, error,
                                 sizeof error);
    assert_non_null(t);
    struct sm_rig r;
    sm_rig_open(&r, ".version 7.8\n.target sm_70\n.address_size 64\n.visible .entry k() {\n"
                ".reg .b32 %r<4>; .reg .pred %p<2>; .shared .b32 sh; mov.u32 %r1, %tid.x; mov.u32 %r2, 20;\n"
                "L: st.shared.u32 [sh], %r1; bar.sync 0; ld.shared.u32 %r3, [sh]; add.u32 %r1, %r1, %r3;\n"
                "sub.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra L; nanosleep.u32 100; ret; }",
                &(struct step_shape){ .grid = 1, .block = 96, .warp_size = 32 });
    sm_rig_build(&r, &(struct rig_lsu){ .latency = 20, .room = 2 });
    sm_set_trace(r.sm, trace_sm_new(t, 0, r.cfg.warps));
    sm_rig_run(&r, 100000);
    uint64_t at[3] = { 0 }, issued = 0, blocks = 0, insts = r.gpu.count[STAT_WARP_INSTRUCTIONS];
    sm_rig_close(&r);
    assert_true(trace_close(t, error, sizeof error));
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        bool state_of = strstr(line, "\"cat\":\"wait\""), issue = strstr(line, "\"cat\":\"issue\"");
        blocks += strstr(line, "\"cat\":\"block\"") != NULL;
        issued += issue;
        if (!state_of && !issue)
            continue;
        uint64_t slot = number_behind(line, "\"tid\":") - 1, ts = number_behind(line, "\"ts\":");
        assert_true(slot < 3);
        assert_int_equal(ts, at[slot]);
        at[slot] = ts + number_behind(line, "\"dur\":");
    }
    fclose(f);
    remove(path);
    assert_int_equal(issued, insts);
    assert_int_equal(blocks, 3);
}

/* A fault stops the SM at its cycle; the report is functional mode's. */
static void test_fault(void **state)
{
    (void)state;
    struct sm_rig r;
    sm_rig_open(&r, ".version 7.8\n.target sm_70\n.address_size 64\n"
                ".visible .entry k() { .reg .b64 %rd<2>; .reg .b32 %r<2>;\n"
                "mov.u64 %rd1, 64; ld.global.u32 %r1, [%rd1]; ret; }",
                &(struct step_shape){ .grid = 3, .block = 64, .warp_size = 32 });
    sm_rig_build(&r, &(struct rig_lsu){ .latency = 10, .room = 8 });
    assert_int_equal(sm_fault_cycle(r.sm), NEVER);
    sm_rig_run(&r, 1000);
    assert_non_null(sm_fault(r.sm));
    assert_int_equal(sm_fault(r.sm)->kind, FAULT_BOUNDS);
    assert_true(sm_fault_cycle(r.sm) < 100);
    assert_int_equal(sm_next(r.sm), NEVER);
    sm_rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lrr),      cmocka_unit_test(test_gto),          cmocka_unit_test(test_two_level),
        cmocka_unit_test(test_patience), cmocka_unit_test(test_passed),       cmocka_unit_test(test_reason),
        cmocka_unit_test(test_rest),     cmocka_unit_test(test_calendar),     cmocka_unit_test(test_instructions),
        cmocka_unit_test(test_order),    cmocka_unit_test(test_dump),         cmocka_unit_test(test_fault),
        cmocka_unit_test(test_timeline),
    };
    return _cmocka_run_group_tests("sm parts", tests, sizeof tests / sizeof *tests, NULL, NULL);
}
