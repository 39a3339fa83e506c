/*
 * Finder of faults of WarpTM: a program whose readers would see commits in part, and random kernels
 * (regress/tm/random/gen.h) in WarpTM's configurations, until a check fails.
 */
#include <stdio.h>
#include <string.h>

#include "regress/mutants/random_kernels.h"

enum { SECONDS = 4, PROGRAMS = 120, PTX_BYTES = 1 << 14, TORN_WORDS = 8193 };

static bool is_warptm(int machine)
{
    return strstr(random_machines[GLOBAL][machine].presets, "warptm");
}

/* Launches regress/tm/ptx/torn.ptx as its comment says; returns the message of a failure, NULL = none. */
static const char *torn(simtx_gpu *gpu)
{
    static char text[PTX_BYTES];
    simtx_module *module;
    void *words;
    FILE *f = fopen("regress/tm/ptx/torn.ptx", "r");
    size_t length = f ? fread(text, 1, PTX_BYTES, f) : 0;
    if (f)
        fclose(f);
    if (simtx_module_load(gpu, text, length, "torn", &module) ||
        simtx_malloc(gpu, TORN_WORDS * sizeof(uint32_t), SIMTX_MEM_DEVICE, &words))
        return simtx_last_message(gpu);
    memset(words, 0, TORN_WORDS * sizeof(uint32_t));
    const void *args[] = { &words };
    simtx_launch_params p = { .grid = { 12, 1, 1 }, .block = { 64, 1, 1 }, .args = args };
    return simtx_launch(simtx_module_kernel(module, "k"), &p, NULL, NULL) ? simtx_last_message(gpu)
           : ((uint32_t *)words)[TORN_WORDS - 1] ? "a reader has seen two values" : NULL;
}

static bool torn_fails(struct finding *found)
{
    char *message = NULL;
    simtx_config *c = simtx_config_new();
    simtx_config_load(c, "warptm", &message);
    simtx_config_set(c, "sim.mode=timing", &message);
    simtx_gpu *gpu = simtx_gpu_new(c, 0, &message);
    snprintf(found->where, FINDING_TEXT, "torn.ptx");
    snprintf(found->count, FINDING_TEXT, "1 kernel, 6144 transactions");
    const char *wrong = gpu ? torn(gpu) : message;
    if (wrong)
        snprintf(found->check, FINDING_TEXT, strstr(wrong, "replay") ? "oracle" : "fault of the kernel");
    simtx_gpu_free(gpu);
    simtx_config_free(c);
    return wrong;
}

static void run(void *ctx, struct finding *found)
{
    int machine = 0;
    if (torn_fails(found))
        return;
    for (unsigned i = 0; i < PROGRAMS; i++) {
        do
            machine = (machine + 1) % machines_of(GLOBAL);
        while (!is_warptm(machine));
        if (random_kernel_fails(GLOBAL, machine, i, SECONDS, found))
            return;
    }
    found->where[0] = 0;
}

int main(void)
{
    struct finding found;
    finder_try(run, NULL, SECONDS, &found);
    return finder_tells(&found);
}
