/*
 * Occupancy with allocation units: blocks that fit on an SM, as the CUDA occupancy calculator has them, worked out by
 * hand for several compute capabilities; the blocks that are resident in timing mode must be as many. `exact` is what
 * would fit without rounding.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "frontend/lib/simtx.h"

#define CC_11 "default gpu.registers_per_sm=8192 gpu.max_threads_per_sm=768 gpu.max_threads_per_block=512 " \
              "gpu.max_blocks_per_sm=8 gpu.shared_per_sm=16384 gpu.shared_per_block_optin=16384 " \
              "gpu.shared_per_block=16384 gpu.register_unit=256 gpu.register_granularity=block gpu.warp_unit=2 " \
              "gpu.shared_unit=512"
#define CC_13 "quadro-fx5800"
#define CC_20 "gtx480+shared48"
#define CC_35 "default gpu.max_blocks_per_sm=16 gpu.shared_per_sm=49152 gpu.shared_per_block_optin=49152"
#define CC_60 "default gpu.warp_unit=2 gpu.shared_per_sm=65536 gpu.shared_per_block_optin=49152"
#define CC_70 "v100"
#define CC_75 "default gpu.max_threads_per_sm=1024 gpu.max_blocks_per_sm=16 gpu.shared_per_sm=65536 " \
              "gpu.shared_per_block_optin=65536"
#define CC_80 "a100"
#define CC_90 "h100"
#define REFERENCE "gtx480-reference"
/* 40 warp slots, ten for each of four schedulers. */
#define ONE_SCHEDULER "southern-islands core.block_on_one_scheduler=true gpu.max_blocks_per_sm=40"

struct row { const char *machine; uint32_t threads, registers, shared, blocks, exact; const char *limit; };

static const struct row rows[] = {
    /* 1.x: registers to blocks, warps in twos. 18 x 64 = 1152 -> 1280; 8192 / 1280 = 6.4. */
    { CC_11, 64, 18, 0, 6, 7, "registers" },
    { CC_11, 96, 16, 0, 4, 5, "registers" },             /* 4 warps: 2048 */
    { CC_11, 32, 8, 2049, 6, 7, "shared memory" },       /* 2560; 16384 / 2560 = 6.4 */
    { CC_13, 64, 33, 0, 6, 7, "registers" },             /* 2112 -> 2560; 16384 / 2560 = 6.4 */
    { CC_13, 96, 21, 0, 5, 8, "registers" },             /* 4 warps: 2688 -> 3072; 5.3 */
    { CC_13, 32, 8, 2100, 6, 7, "shared memory" },       /* 2560 */
    { CC_13, 256, 10, 100, 4, 4, "threads per SM" },
    /* 2.0: registers to warps, of which an SM has a multiple of 2. 47 x 32 = 1504 -> 1536; 21 -> 20 warps; 20 / 3. */
    { CC_20, 96, 47, 0, 6, 7, "registers" },
    { CC_20, 224, 29, 0, 4, 5, "registers" },            /* 928 -> 960; 34 warps; 4.9 */
    { CC_20, 160, 25, 0, 7, 8, "registers" },            /* 800 -> 832; 39 -> 38 warps; 7.6 */
    { CC_20, 128, 20, 6200, 7, 7, "shared memory" },     /* 6272; 7.8 */
    { CC_20, 32, 8, 6100, 8, 8, "blocks per SM" },       /* 6144: exactly 8 */
    { CC_20, 32, 8, 6145, 7, 7, "shared memory" },       /* 6272 */
    /* 3.5 and 7.0: units of 256 registers and 4 warps. 34 x 32 = 1088 -> 1280; 51 -> 48 warps. */
    { CC_35, 256, 34, 0, 6, 7, "registers" },
    { CC_35, 352, 37, 0, 4, 5, "registers" },            /* 1184 -> 1280; 48 warps of 11; 4.4 */
    { CC_35, 64, 16, 3073, 14, 15, "shared memory" },    /* 3328; 14.8 */
    { CC_60, 64, 33, 0, 25, 31, "registers" },           /* 1280; 51 -> 50 warps: 25 of 2, with 4 parts 24 */
    { CC_60, 192, 35, 0, 8, 9, "registers" },            /* 1280; 50 / 6 = 8.3 */
    { CC_70, 64, 33, 0, 24, 31, "registers" },
    { CC_70, 128, 37, 0, 12, 13, "registers" },          /* 1184 -> 1280; 48 / 4 */
    { CC_70, 96, 40, 0, 16, 17, "registers" },           /* 1280; 48 / 3 */
    { CC_70, 1024, 64, 0, 1, 1, "registers" },           /* all registers: 32 warps of 2048 */
    { CC_70, 128, 16, 6150, 15, 15, "shared memory" },   /* 6400; 15.4 */
    { CC_70, 128, 16, 7500, 12, 13, "shared memory" },   /* 7680; 12.8 */
    { CC_75, 128, 80, 0, 6, 6, "registers" },            /* 2560; 25 -> 24 warps */
    { CC_75, 64, 73, 0, 12, 14, "registers" },           /* 2336 -> 2560; 24 / 2 */
    { CC_75, 64, 16, 4400, 14, 14, "shared memory" },    /* 4608; 14.2 */
    /* 8.0: 1 KB of each block is the system's. 10241 + 1024 -> 11392; 14.7. */
    { CC_80, 128, 16, 10241, 14, 16, "shared memory" },
    { CC_80, 256, 41, 0, 5, 6, "registers" },            /* 1312 -> 1536; 42 -> 40 warps; 5 */
    /* 9.0: as 8.0, with 228 KB. 11392; 20.5. */
    { CC_90, 64, 16, 10241, 20, 22, "shared memory" },
    /* The incumbent: registers of a thread in fours, nothing else is rounded. */
    { REFERENCE, 256, 24, 0, 5, 5, "registers" },
    { REFERENCE, 256, 26, 0, 4, 4, "registers" },
    { REFERENCE, 256, 21, 0, 5, 6, "registers" },        /* as 24 */
    { ONE_SCHEDULER, 256, 16, 0, 8, 8, "warps of a scheduler" },     /* two of 4 warps on each */
    { ONE_SCHEDULER, 192, 16, 0, 12, 12, "warps of a scheduler" },   /* three of 3 */
    { ONE_SCHEDULER, 128, 16, 0, 20, 20, "threads per SM" },         /* five of 2: all slots */
};

/* machine: presets and overlays, then keys; registers: " kernel.k.registers=N", or "" for simtx's own count. */
static simtx_config *configure(const char *machine, const char *registers, bool exact)
{
    simtx_config *c = simtx_config_new();
    char text[1000], *message = NULL, *save = NULL;
    snprintf(text, sizeof text, "%s gpu.sms=1 sim.mode=timing%s%s", machine, registers,
             exact ? " gpu.register_unit=1 gpu.register_granularity=warp gpu.warp_unit=1 gpu.shared_unit=1 "
                     "gpu.shared_reserved=0" : "");
    for (char *t = strtok_r(text, " +", &save); t; t = strtok_r(NULL, " +", &save)) {
        simtx_status s = strchr(t, '=') ? simtx_config_set(c, t, &message) : simtx_config_load(c, t, &message);
        if (s)
            print_error("%s: %s", t, message);
        assert_int_equal(s, SIMTX_OK);
    }
    return c;
}

/*
 * A block counts itself in, notes the count, sleeps until all that fit beside it have started, and counts itself out:
 * out[1] is the largest number of blocks resident at once.
 */
static const char *const ptx =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry k(.param .u64 out_param)\n{\n"
    "    .extern .shared .align 4 .b8 dynamic[];\n"
    "    .reg .b64 %out;\n    .reg .b32 %t, %n;\n    .reg .pred %p;\n"
    "    ld.param.u64 %out, [out_param];\n    mov.u32 %t, %tid.x;\n"
    "    setp.ne.u32 %p, %t, 0;\n    @%p bra WAIT;\n"
    "    atom.global.add.u32 %n, [%out], 1;\n    add.u32 %n, %n, 1;\n    red.global.max.u32 [%out+4], %n;\n"
    "WAIT:\n    nanosleep.u32 20000;\n"
    "    setp.ne.u32 %p, %t, 0;\n    @%p bra END;\n    red.global.add.u32 [%out], -1;\n"
    "END:\n    ret;\n}\n";

/* Resident blocks that the library gives; *machine: those that the machine has. */
static uint32_t measure(const struct row *r, bool exact, uint32_t *machine, const char **limit)
{
    char registers[40];
    snprintf(registers, sizeof registers, " kernel.k.registers=%u", r->registers);
    simtx_config *c = configure(r->machine, registers, exact);
    simtx_gpu *g = simtx_gpu_new(c, 0, NULL);
    simtx_module *m;
    void *out;
    assert_non_null(g);
    assert_int_equal(simtx_module_load(g, ptx, strlen(ptx), "k.ptx", &m), SIMTX_OK);
    assert_int_equal(simtx_malloc(g, 8, SIMTX_MEM_DEVICE, &out), SIMTX_OK);
    memset(out, 0, 8);
    simtx_kernel *k = simtx_module_kernel(m, "k");
    const void *args[] = { &out };
    simtx_launch_params p = { .grid = { 40, 1, 1 }, .block = { r->threads, 1, 1 }, .dynamic_shared = r->shared,
                              .args = args };
    uint32_t blocks = simtx_occupancy(k, r->threads, r->shared, limit);
    assert_int_equal(simtx_launch(k, &p, NULL, NULL), SIMTX_OK);
    *machine = ((uint32_t *)out)[1];
    simtx_gpu_free(g);
    simtx_config_free(c);
    return blocks;
}

static void calculator_and_machine_agree(void **state)
{
    for (const struct row *r = rows; r < rows + sizeof rows / sizeof *rows; r++) {
        const char *limit = "";
        uint32_t machine = 0, blocks = measure(r, false, &machine, &limit);
        if (blocks != r->blocks || machine != r->blocks || strcmp(limit, r->limit))
            print_error("row %d: %u blocks, in the machine %u, limit %s\n", (int)(r - rows), blocks, machine, limit);
        assert_int_equal(blocks, r->blocks);
        assert_int_equal(machine, r->blocks);
        assert_string_equal(limit, r->limit);
    }
}

static void without_units_more_fit(void **state)
{
    for (const struct row *r = rows; r < rows + sizeof rows / sizeof *rows; r++) {
        const char *limit;
        uint32_t machine, blocks = measure(r, true, &machine, &limit);
        if (blocks != r->exact)
            print_error("row %d: %u blocks\n", (int)(r - rows), blocks);
        assert_int_equal(blocks, r->exact);
        assert_int_equal(machine, r->exact);
    }
}

/* A kernel with more registers than fit keeps as many as the largest block allows, in whole units. */
static void registers_are_limited(void **state)
{
    static const struct { const char *machine; uint32_t threads, registers; } blocks[] = {
        { CC_70, 1024, 64 }, { CC_70, 992, 64 }, { CC_70, 896, 72 }, { CC_70, 768, 80 },
        { CC_20, 1024, 32 }, { CC_20, 544, 56 }, { CC_20, 512, 63 }, { CC_13, 512, 32 }, { CC_13, 352, 42 },
    };
    static char text[8000];
    size_t n = (size_t)snprintf(text, sizeof text, ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(\n"
                                ".param .u64 p)\n{\n    .reg .b64 %%p;\n    .reg .b32 %%r<100>;\n"
                                "    ld.param.u64 %%p, [p];\n");
    for (int i = 0; i < 100; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "    ld.global.u32 %%r%d, [%%p+%d];\n", i, 4 * i);
    for (int i = 0; i < 100; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "    st.global.u32 [%%p+%d], %%r%d;\n", 396 - 4 * i, i);
    snprintf(text + n, sizeof text - n, "    ret;\n}\n");
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        simtx_config *c = configure(blocks[i].machine, "", false);
        simtx_gpu *g = simtx_gpu_new(c, 0, NULL);
        simtx_module *m;
        void *data;
        assert_int_equal(simtx_module_load(g, text, strlen(text), "k.ptx", &m), SIMTX_OK);
        assert_int_equal(simtx_malloc(g, 400, SIMTX_MEM_DEVICE, &data), SIMTX_OK);
        const void *args[] = { &data };
        simtx_launch_params p = { .grid = { 1, 1, 1 }, .block = { blocks[i].threads, 1, 1 }, .args = args };
        assert_int_equal(simtx_launch(simtx_module_kernel(m, "k"), &p, NULL, NULL), SIMTX_OK);
        char *stats = simtx_stats_json(g), *at = strstr(stats, "\"registers\": ");
        assert_non_null(at);
        if (strtoul(at + 13, NULL, 10) != blocks[i].registers)
            print_error("block %zu: %.20s\n", i, at);
        assert_int_equal(strtoul(at + 13, NULL, 10), blocks[i].registers);
        free(stats);
        simtx_gpu_free(g);
        simtx_config_free(c);
    }
}

/* A grid of no blocks is rejected; the message names the limit if no block of the kernel fits. */
static void empty_grids(void **state)
{
    static const struct { const char *machine; uint32_t shared; const char *message; } grids[] = {
        { "gtx480", 20000, "do not fit on an SM: a block needs 20000 bytes of dynamic and 0 of static shared memory, "
                           "but may have 16384 in all; the overlay shared48 raises this to 49152" },
        { CC_20, 20000, "grid.x = 0 is not in 1 .. " },
    };
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
        simtx_config *c = configure(grids[i].machine, "", false);
        simtx_gpu *g = simtx_gpu_new(c, 0, NULL);
        simtx_module *m;
        static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }\n";
        assert_int_equal(simtx_module_load(g, text, strlen(text), "k.ptx", &m), SIMTX_OK);
        simtx_launch_params p = { .grid = { 0, 1, 1 }, .block = { 64, 1, 1 }, .dynamic_shared = grids[i].shared };
        assert_int_equal(simtx_launch(simtx_module_kernel(m, "k"), &p, NULL, NULL), SIMTX_INVALID_LAUNCH);
        assert_non_null(strstr(simtx_last_message(g), grids[i].message));
        simtx_gpu_free(g);
        simtx_config_free(c);
    }
}

/*
 * Shared variables of a module: the need of a block is that of the variables that its kernel names, whatever other
 * kernels name, and none of them overlap. Each kernel stores a different number into the first and the last word of its
 * variables, and then adds what these contain.
 */
static const struct { const char *kernel, *variables; uint32_t bytes; } sharers[] = {
    { "first", "a", 3000 }, { "both", "ab", 5000 }, { "other", "bc", 3000 }, { "last", "c", 1000 },
    { "own", "d", 2000 },   { "far", "ad", 5000 },  { "all", "abcd", 8000 }, { "none", "", 0 },
};

static const uint32_t variable_bytes[] = { 3000, 2000, 1000, 2000 };

static size_t sharer(char *t, size_t size, size_t i)
{
    size_t n = (size_t)snprintf(t, size, ".visible .entry %s(.param .u64 p)\n{\n    .reg .b64 %%p;\n"
                                "    .reg .b32 %%n, %%sum;\n    ld.param.u64 %%p, [p];\n    mov.u32 %%sum, 0;\n",
                                sharers[i].kernel);
    for (const char *v = sharers[i].variables; *v; v++)
        n += (size_t)snprintf(t + n, size - n, "    st.shared.u32 [%c], %d;\n    st.shared.u32 [%c+%u], %d;\n", *v,
                              *v, *v, variable_bytes[*v - 'a'] - 4, *v);
    for (const char *v = sharers[i].variables; *v; v++)
        n += (size_t)snprintf(t + n, size - n, "    ld.shared.u32 %%n, [%c];\n    add.u32 %%sum, %%sum, %%n;\n"
                              "    ld.shared.u32 %%n, [%c+%u];\n    add.u32 %%sum, %%sum, %%n;\n", *v, *v,
                              variable_bytes[*v - 'a'] - 4);
    return n + (size_t)snprintf(t + n, size - n, "    st.global.u32 [%%p], %%sum;\n    ret;\n}\n");
}

static void shared_variables_of_other_kernels_cost_nothing(void **state)
{
    static char text[10000];
    size_t n = (size_t)snprintf(text, sizeof text, ".version 7.0\n.target sm_70\n.address_size 64\n");
    for (size_t v = 0; v < sizeof variable_bytes / sizeof *variable_bytes; v++)
        n += (size_t)snprintf(text + n, sizeof text - n, ".shared .align 8 .b8 %c[%u];\n", (int)('a' + v),
                              variable_bytes[v]);
    for (size_t i = 0; i < sizeof sharers / sizeof *sharers; i++)
        n += sharer(text + n, sizeof text - n, i);
    simtx_config *c = configure(CC_70, "", false);
    simtx_gpu *g = simtx_gpu_new(c, 0, NULL);
    simtx_module *m;
    void *out;
    assert_int_equal(simtx_module_load(g, text, strlen(text), "shared.ptx", &m), SIMTX_OK);
    assert_int_equal(simtx_malloc(g, 4, SIMTX_MEM_DEVICE, &out), SIMTX_OK);
    for (size_t i = 0; i < sizeof sharers / sizeof *sharers; i++) {
        simtx_kernel *k = simtx_module_kernel(m, sharers[i].kernel);
        simtx_kernel_info info;
        simtx_kernel_get_info(k, &info);
        assert_int_equal(info.shared_bytes, sharers[i].bytes);
        const void *args[] = { &out };
        simtx_launch_params p = { .grid = { 1, 1, 1 }, .block = { 1, 1, 1 }, .args = args };
        assert_int_equal(simtx_launch(k, &p, NULL, NULL), SIMTX_OK);
        uint32_t sum = 0;
        for (const char *v = sharers[i].variables; *v; v++)
            sum += 2 * (uint32_t)*v;
        assert_int_equal(*(uint32_t *)out, sum);
    }
    simtx_gpu_free(g);
    simtx_config_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calculator_and_machine_agree), cmocka_unit_test(without_units_more_fit),
        cmocka_unit_test(registers_are_limited), cmocka_unit_test(empty_grids),
        cmocka_unit_test(shared_variables_of_other_kernels_cost_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
