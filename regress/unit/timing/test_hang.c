/*
 * Hang reports of faults that programs cannot make: a policy that never lets an instruction issue, credits and messages
 * that get lost. The machine is taken apart for it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "frontend/lib/gpu.h"
#include "memsys/l2/l2.h"
#include "timing/machine/machine_impl.h"

static const char PTX[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry add(.param .u64 p)\n{\n"
    "  .reg .b32 %r<3>; .reg .b64 %d<4>;\n"
    "  ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.u64 %d3, %d1, %d2;\n"
    "  ld.global.u32 %r2, [%d3];\n"
    "  add.u32 %r2, %r2, %r1;\n"
    "  st.global.u32 [%d3], %r2;\n"
    "  ret;\n}\n";

enum { THREADS = 64 };

struct session { simtx_config *config; simtx_gpu *gpu; simtx_module *module; uint32_t *memory; };

static simtx_status launch(struct session *s)
{
    const void *args[] = { &s->memory };
    simtx_launch_params p = { .grid = { 2, 1, 1 }, .block = { THREADS, 1, 1 }, .args = args };
    return simtx_launch(simtx_module_kernel(s->module, "add"), &p, NULL, NULL);
}

/* A GPU whose machine has run once. */
static void open_gpu(struct session *s)
{
    static const char *const settings[] = { "sim.mode=timing", "gpu.sms=2", "dram.channels=1", "l2.slices=1",
                                            "sim.hang_cycles=3000" };
    s->config = simtx_config_new();
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        assert_int_equal(simtx_config_set(s->config, settings[i], NULL), SIMTX_OK);
    s->gpu = simtx_gpu_new(s->config, 0, NULL);
    assert_non_null(s->gpu);
    assert_int_equal(simtx_module_load(s->gpu, PTX, sizeof PTX - 1, "hang.ptx", &s->module), SIMTX_OK);
    assert_int_equal(simtx_malloc(s->gpu, THREADS * 4, SIMTX_MEM_DEVICE, (void **)&s->memory), SIMTX_OK);
    memset(s->memory, 0, THREADS * 4);
    assert_int_equal(launch(s), SIMTX_OK);
}

static void close_gpu(struct session *s)
{
    simtx_gpu_free(s->gpu);
    simtx_config_free(s->config);
}

/* The launch hangs, the report has the words, the statistics say so; afterwards the GPU works. */
static void hangs(struct session *s, const char *const *words)
{
    assert_int_equal(launch(s), SIMTX_HANG);
    for (; *words; words++)
        if (!strstr(simtx_last_message(s->gpu), *words))
            fail_msg("'%s' is not in\n%s", *words, simtx_last_message(s->gpu));
    char *text = simtx_stats_json(s->gpu);
    assert_non_null(strstr(text, "\"status\": \"hang\""));
    free(text);
}

static bool never(void *state, uint32_t warp, const struct order_warp *w, const struct order_access *a)
{
    (void)state, (void)warp, (void)w;
    return a->kind != ORDER_STORE;
}

static void a_policy_that_never_answers(void **state)
{
    static const struct order_policy policy = { .name = "never", .may_issue = never };
    struct session s;
    open_gpu(&s);
    struct machine *m = s.gpu->machine;
    const struct order_policy *usual = m->cfg.sm.order;
    m->cfg.sm.order = &policy;
    machine_dismantle(m);
    machine_build(m);
    hangs(&s, (const char *const[]){ "hang in kernel add", "nothing is in flight",
                                     "hang.ptx:10:3: st.global.u32 [%d3], %r2;",
                                     "for the consistency policy never", NULL });
    m->cfg.sm.order = usual;
    machine_dismantle(m);
    machine_build(m);
    assert_int_equal(launch(&s), SIMTX_OK);
    close_gpu(&s);
    (void)state;
}

/* Those in the sender's hands, and those on their way back. */
static void lose_credits(struct port *t)
{
    t->have[0] = 0;
    atomic_store(&t->credit_tail, atomic_load(&t->credit_head));
}

/* A few lost ones do not stop anything, but do not go unnoticed. */
static void some_credits_are_lost(void **state)
{
    struct session s;
    open_gpu(&s);
    s.gpu->machine->sm_out[0].have[0]--;
    assert_int_equal(launch(&s), SIMTX_INTERNAL);
    assert_non_null(strstr(simtx_last_message(s.gpu), "credits or messages are missing"));
    assert_int_equal(launch(&s), SIMTX_OK);
    close_gpu(&s);
    (void)state;
}

static void credits_of_an_sm_are_lost(void **state)
{
    struct session s;
    open_gpu(&s);
    lose_credits(&s.gpu->machine->sm_out[0]);
    hangs(&s, (const char *const[]){ "SM 0", "waits for credits of the crossbar", "block 0 (0,0,0)", NULL });
    assert_int_equal(launch(&s), SIMTX_OK);
    close_gpu(&s);
    (void)state;
}

static void credits_of_a_slice_are_lost(void **state)
{
    struct session s;
    open_gpu(&s);
    lose_credits(&s.gpu->machine->slice_out[0]);
    hangs(&s, (const char *const[]){ "memory partition 0", "replies without credits", "to be sent: read reply", NULL });
    assert_int_equal(launch(&s), SIMTX_OK);
    close_gpu(&s);
    (void)state;
}

static void credits_of_the_crossbar_are_lost(void **state)
{
    struct session s;
    open_gpu(&s);
    lose_credits(&s.gpu->machine->slice_in[0]);
    hangs(&s, (const char *const[]){ "crossbar to L2", NULL });
    assert_int_equal(launch(&s), SIMTX_OK);
    close_gpu(&s);
    (void)state;
}

/* A line that counts as dirty and is not. The report does not wait for the limit of 2^28 cycles. */
static void a_flush_that_never_ends(void **state)
{
    struct session s;
    open_gpu(&s);
    struct machine *m = s.gpu->machine;
    uint64_t before = m->past + m->now;
    m->partition[0]->slice[0].dirty_lines++;
    hangs(&s, (const char *const[]){ "hang in kernel add", "the write-back of caches", NULL });
    assert_true(m->past - before < 100000);
    assert_int_equal(launch(&s), SIMTX_OK);
    close_gpu(&s);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_policy_that_never_answers),
        cmocka_unit_test(some_credits_are_lost),
        cmocka_unit_test(credits_of_an_sm_are_lost),
        cmocka_unit_test(credits_of_a_slice_are_lost),
        cmocka_unit_test(credits_of_the_crossbar_are_lost),
        cmocka_unit_test(a_flush_that_never_ends),
    };
    return cmocka_run_group_tests_name("hang reports", tests, NULL, NULL);
}
