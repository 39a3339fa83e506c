/* The witnesses' GPU: four SMs, four slices, short ways. */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <cmocka.h>
#include <jansson.h>

#include "regress/drop_host.h"
#include "regress/witness/lab.h"

static const char *const machine[] = {
    "sim.mode=timing", "gpu.sms=4", "gpu.memory_mb=64", "dram.channels=4", "l2.slices=1", "l2.latency=20",
    "dram.latency=20", "xbar.cluster=1", "core.perfect_fetch=true", NULL
};

static void set_all(simtx_config *c, const char *const *settings)
{
    char *message = NULL;
    for (; *settings; settings++)
        if (simtx_config_set(c, *settings, &message))
            fail_msg("%s: %s", *settings, message);
}

void lab_open(struct lab *l, const char *text, const char *const *settings, const struct machine_plugins *plugins)
{
    simtx_config *c = simtx_config_new();
    char *message = NULL;
    l->threads = 32;
    set_all(c, machine);
    set_all(c, settings);
    l->gpu = simtx_gpu_new(c, 0, &message);
    if (!l->gpu)
        fail_msg("%s", message);
    simtx_config_free(c);
    if (plugins)
        l->gpu->plugins = *plugins;
    if (simtx_module_load(l->gpu, text, strlen(text), "witness", &l->module) ||
        simtx_malloc(l->gpu, LAB_WORDS * 4, SIMTX_MEM_DEVICE, (void **)&l->words) ||
        simtx_malloc(l->gpu, LAB_SEEN * 4, SIMTX_MEM_DEVICE, (void **)&l->seen))
        fail_msg("%s", simtx_last_message(l->gpu));
}

void lab_close(struct lab *l)
{
    simtx_gpu_free(l->gpu);
}

void lab_run(struct lab *l, const char *kernel, uint32_t blocks, const uint32_t params[LAB_PARAMS])
{
    const void *args[LAB_PARAMS + 2] = { &l->words, &l->seen };
    for (int i = 0; i < LAB_PARAMS; i++)
        args[i + 2] = &params[i];
    simtx_launch_stats stats;
    simtx_launch_params p = { .grid = { blocks, 1, 1 }, .block = { l->threads, 1, 1 }, .args = args };
    memset(l->words, 0, LAB_WORDS * 4);
    memset(l->seen, 0, LAB_SEEN * 4);
    if (simtx_launch(simtx_module_kernel(l->module, kernel), &p, &stats, NULL))
        fail_msg("%s", simtx_last_message(l->gpu));
    l->cycles = stats.cycles;
}

char *lab_statistics(const struct lab *l)
{
    char *all = simtx_stats_json(l->gpu);
    json_t *j = json_loads(all, 0, NULL);
    assert_true(json_is_object(j));
    drop_host(j);
    char *text = json_dumps(j, JSON_INDENT(1));
    json_decref(j);
    free(all);
    return text;
}

void lab_check_host(char *(*run)(const char *host, const void *arg), const void *arg)
{
    static const char *const ways[] = { "sim.no_skip=true", "sim.threads=2", "sim.sync_window=1" };
    char *usual = run("sim.no_skip=false", arg);
    assert_non_null(strstr(usual, "\"cycles\""));
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
        char *other = run(ways[i], arg);
        if (strcmp(other, usual))
            fail_msg("%s changes statistics", ways[i]);
        free(other);
    }
    free(usual);
}
