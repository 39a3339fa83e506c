/* The tests' machine with GPU-LocalTM. They run in the root of the repository. */
#include "regress/localtm/rig.h"

#include <unistd.h>

static const char *const machine[] = { "sim.mode=timing", "gpu.sms=1", "gpu.memory_mb=64", "core.perfect_fetch=true",
                                       NULL };

char *rig_read(const char *path)
{
    FILE *f = fopen(path, "r");
    if (!f)
        fail_msg("no file %s", path);
    fseek(f, 0, SEEK_END);
    size_t n = (size_t)ftell(f);
    char *text = calloc(n + 1, 1);
    rewind(f);
    assert_int_equal(fread(text, 1, n, f), n);
    fclose(f);
    return text;
}

static void load(simtx_config *c, const char *presets)
{
    char *list = strdup(presets), *rest = NULL, *message = NULL, path[100];
    for (char *name = strtok_r(list, "+", &rest); name; name = strtok_r(NULL, "+", &rest)) {
        snprintf(path, sizeof path, "configs/%s.cfg", name);
        if (access(path, R_OK))
            snprintf(path, sizeof path, "configs/tm/%s.cfg", name);
        if (simtx_config_load(c, path, &message))
            fail_msg("%s", message);
    }
    free(list);
}

static void set_all(simtx_config *c, const char *const *settings)
{
    char *message = NULL;
    for (; settings && *settings; settings++)
        if (simtx_config_set(c, *settings, &message))
            fail_msg("%s: %s", *settings, message);
}

void rig_open(struct rig *r, const char *presets, const char *const *settings, const char *file,
              const struct tm_protocol *tm)
{
    char path[100], *text, *message = NULL;
    simtx_config *c = simtx_config_new();
    load(c, presets);
    set_all(c, machine);
    set_all(c, settings);
    r->gpu = simtx_gpu_new(c, 0, &message);
    if (!r->gpu)
        fail_msg("%s", message);
    simtx_config_free(c);
    r->gpu->plugins.tm = tm;
    snprintf(path, sizeof path, "regress/localtm/%s", file);
    text = rig_read(path);
    if (simtx_module_load(r->gpu, text, strlen(text), file, &r->module) ||
        simtx_malloc(r->gpu, RIG_WORDS * sizeof *r->words, SIMTX_MEM_DEVICE, (void **)&r->words))
        fail_msg("%s", simtx_last_message(r->gpu));
    free(text);
}

void rig_close(struct rig *r)
{
    simtx_gpu_free(r->gpu);
}

void rig_run(struct rig *r, const char *kernel, uint32_t blocks, uint32_t threads)
{
    const void *args[] = { &r->words };
    simtx_launch_params p = { .grid = { blocks, 1, 1 }, .block = { threads, 1, 1 }, .args = args };
    simtx_launch_stats stats;
    memset(r->words, 0, RIG_WORDS * sizeof *r->words);
    if (simtx_launch(simtx_module_kernel(r->module, kernel), &p, &stats, NULL))
        fail_msg("%s: %s", kernel, simtx_last_message(r->gpu));
    r->cycles = stats.cycles;
}

uint64_t rig_count(const struct rig *r, enum stat s)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < r->gpu->ntotals; i++)
        sum += r->gpu->totals[i].counters.count[s];
    return sum;
}
