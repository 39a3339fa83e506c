/* The SM core: what it costs to issue, wait, fetch, synchronise; that every cycle has a reason; and that results are those of functional mode. */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <cmocka.h>

#include "regress/unit/sm_rig.h"

#define HEAD ".version 7.8\n.target sm_70\n.address_size 64\n"

static const struct rig_lsu memory = { .latency = 100, .room = 8 };

static void test_chain(void **state)
{
    (void)state;
    struct sm_rig r;
    sm_rig_open(&r, HEAD ".visible .entry k(.param .u64 out) { .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<2>;\n"
                "ld.param.u64 %rd1, [out]; mov.u32 %r1, 0; mov.u32 %r2, 100;\n"
                "L: add.u32 %r1, %r1, 3; add.u32 %r1, %r1, %r2; sub.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra L;\n"
                "st.global.u32 [%rd1], %r1; ret; }",
                &(struct step_shape){ .grid = 4, .block = 96, .warp_size = 32 });
    uint32_t *out = step_gpu_alloc(&r.gpu, 64);
    *(uint64_t *)(void *)r.gpu.param = (uint64_t)(uintptr_t)out;
    sm_rig_build(&r, &memory);
    uint64_t n = sm_rig_run(&r, 100000);
    printf("%lu cycles, out %u fault %p\n", n, *out, (const void *)sm_fault(r.sm));
    for (int i = 0; i < STAT_END; i++)
        if (r.count[i])
            printf("%s %lu\n", stat_table[i].name, r.count[i]);
    sm_rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_chain) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
