/* Declaring versioned regions: what is accepted, each error, what cudaFree removes; modes without versioned memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "frontend/lib/gpu.h"
#include "ptx/memory/region_table.h"

static simtx_gpu *new_gpu(const char *mode, const char *slots)
{
    char text[64], *message = NULL;
    simtx_config *c = simtx_config_new();
    assert_int_equal(simtx_config_load(c, "gtx480", &message), SIMTX_OK);
    snprintf(text, sizeof text, "sim.mode=%s", mode);
    assert_int_equal(simtx_config_set(c, text, &message), SIMTX_OK);
    snprintf(text, sizeof text, "version.slots=%s", slots);
    assert_int_equal(simtx_config_set(c, text, &message), SIMTX_OK);
    assert_int_equal(simtx_config_set(c, "version.regions=3", &message), SIMTX_OK);
    simtx_gpu *g = simtx_gpu_new(c, 3, &message);
    assert_non_null(g);
    simtx_config_free(c);
    return g;
}

static char *allocate(simtx_gpu *g, size_t bytes)
{
    void *p;
    assert_int_equal(simtx_malloc(g, bytes, SIMTX_MEM_DEVICE, &p), SIMTX_OK);
    return p;
}

static void refused(simtx_gpu *g, void *p, size_t bytes, simtx_status s, const char *why)
{
    assert_int_equal(simtx_declare_versions(g, p, bytes), s);
    if (!strstr(simtx_last_message(g), why))
        fail_msg("%s instead of %s", simtx_last_message(g), why);
}

static void errors_name_what_is_wrong(void **state)
{
    simtx_gpu *g = new_gpu("timing", "8");
    char *a = allocate(g, 1000), *b = allocate(g, 1000), host[8];
    const struct region_table *t = devmem_regions(g->mem);
    refused(g, host, sizeof host, SIMTX_INVALID_ADDRESS, "does not lie in one allocation");
    refused(g, NULL, 8, SIMTX_INVALID_ADDRESS, "does not lie in one allocation");
    refused(g, a, 0, SIMTX_INVALID_ADDRESS, "does not lie in one allocation");
    refused(g, a + 8, 993, SIMTX_INVALID_ADDRESS, "does not lie in one allocation");
    refused(g, a + 8, SIZE_MAX, SIMTX_INVALID_ADDRESS, "does not lie in one allocation");
    assert_int_equal(t->n, 0);
    assert_int_equal(simtx_declare_versions(g, a, 100), SIMTX_OK);
    refused(g, a + 99, 10, SIMTX_INVALID_ARGUMENT, "overlaps the versioned region");
    assert_int_equal(simtx_declare_versions(g, a + 100, 10), SIMTX_OK);
    assert_int_equal(simtx_declare_versions(g, b, 1000), SIMTX_OK);
    refused(g, a + 500, 10, SIMTX_OUT_OF_MEMORY, "3 entries (version.regions)");
    assert_int_equal(simtx_free(g, a), SIMTX_OK);
    assert_int_equal(t->n, 1);
    assert_true(t->region[0].lo == (uint64_t)(uintptr_t)b && t->region[0].hi == t->region[0].lo + 1000);
    refused(g, a, 8, SIMTX_INVALID_ADDRESS, "does not lie in one allocation");
    a = allocate(g, 64);
    assert_int_equal(simtx_declare_versions(g, a, 64), SIMTX_OK);
    simtx_gpu_free(g);
}

/* Without versioned memory there is no table that could be full; the other errors stay. */
static void others_accept_any_number(void **state)
{
    static const char *const modes[][2] = { { "functional", "8" }, { "timing", "0" } };
    for (int i = 0; i < 2; i++) {
        simtx_gpu *g = new_gpu(modes[i][0], modes[i][1]);
        char *a = allocate(g, 1000);
        for (int k = 0; k < 10; k++)
            assert_int_equal(simtx_declare_versions(g, a + 100 * k, 100), SIMTX_OK);
        refused(g, a, 1, SIMTX_INVALID_ARGUMENT, "overlaps");
        simtx_gpu_free(g);
    }
}

static const char ADD[] =
    ".version 7.0\n.target sm_20\n.address_size 64\n"
    ".visible .entry add(.param .u64 p) {\n"
    " .reg .u64 %a, %b; .reg .u32 %t, %v;\n"
    " ld.param.u64 %a, [p]; mov.u32 %t, %tid.x; mul.wide.u32 %b, %t, 4; add.u64 %a, %a, %b;\n"
    " ld.global.u32 %v, [%a]; add.u32 %v, %v, %t; st.global.u32 [%a], %v;\n"
    " atom.global.add.u32 %v, [%a], 5; ret; }\n";

/* The kernel's cycles; *wrong counts words that are not what it computes. */
static uint64_t run_add(const char *slots, bool declare, unsigned *wrong)
{
    enum { N = 256 };
    simtx_gpu *g = new_gpu("timing", slots);
    simtx_module *m;
    simtx_launch_stats stats;
    uint32_t *words = (uint32_t *)allocate(g, 4 * N);
    void *arg = words;
    const void *args[] = { &arg };
    simtx_launch_params p = { .grid = { 1, 1, 1 }, .block = { N, 1, 1 }, .args = args };
    if (declare)
        assert_int_equal(simtx_declare_versions(g, words, 4 * N), SIMTX_OK);
    assert_int_equal(simtx_module_load(g, ADD, strlen(ADD), "add", &m), SIMTX_OK);
    for (uint32_t i = 0; i < N; i++)
        words[i] = 1000 * i;
    *wrong = 0;
    assert_int_equal(simtx_launch(simtx_module_kernel(m, "add"), &p, &stats, NULL), SIMTX_OK);
    for (uint32_t i = 0; i < N; i++)
        *wrong += words[i] != 1001 * i + 5;
    simtx_gpu_free(g);
    return stats.cycles;
}

/* A program that declares regions and has no transactions runs as it would without. */
static void regions_alone_change_nothing(void **state)
{
    unsigned wrong;
    uint64_t cycles = run_add("0", false, &wrong);
    assert_int_equal(wrong, 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(run_add(i == 0 ? "0" : "8", i < 2, &wrong), cycles);
        assert_int_equal(wrong, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_name_what_is_wrong),
        cmocka_unit_test(others_accept_any_number),
        cmocka_unit_test(regions_alone_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
