/*
 * Random kernels of transactions (gen.h) in timing mode, each in some of many configurations of transactional memory,
 * with the oracle. A kernel that goes wrong is printed with its seed.
 *
 *   random [--seed N] [--count N] [--all] [--shared]
 *
 * --all: every configuration for every kernel; --shared: words in shared memory, or some in each.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/simtx.h"
#include "regress/tm/random/gen.h"

enum { PER_KERNEL = 5, LINE = 400 };

struct machine {
    const char *presets, *keys;
    unsigned shared;                 /* what its kernels have in shared memory */
    simtx_gpu *gpu;
    struct words *words;             /* device memory, the host's as well */
};

/* A process has at most 16 GPUs. */
static struct machine in_global[] = {
    { .presets = "functional", .keys = "" },
    { .presets = "kilotm", .keys = "" },
    { .presets = "kilotm tm-unlimited", .keys = "tm.backoff=0 kilotm.granularity=32" },
    { .presets = "kilotm", .keys = "tm.serial=true tm.warps=1 kilotm.cid_latency=150" },
    { .presets = "kilotm", .keys = "gpu.sms=1 tm.threads=20 tm.warps=0 l1.kb=2 l1.ways=2 kilotm.own_filter_bits=64" },
    { .presets = "kilotm", .keys = "kilotm.lwh_sets=1 kilotm.lwh_ways=1 kilotm.lwh_buckets=4 gpu.sms=2 tm.backoff=50" },
    { .presets = "kilotm bf-array", .keys = "gpu.sms=2 kilotm.bf_bits=64 kilotm.group=false" },
    { .presets = "kilotm finite-units", .keys = "gpu.sms=2 kilotm.ring=64 kilotm.read_buffer=1 kilotm.write_buffer=1" },
    { .presets = "kilotm finite-units", .keys = "gpu.sms=3 kilotm.ring=64 kilotm.allocate=true kilotm.cid_bits=8" },
    { .presets = "kilotm", .keys = "kilotm.fail_at_hazard=true tm.watchdog=400 sim.threads=2" },
    { .presets = "kilotm", .keys = "kilotm.watchdog_ideal=true tm.watchdog=400 kilotm.pass_waiting=true" },
    { .presets = "gtx480", .keys = "tm.global=kilotm gpu.warp_size=64 core.collector=true gpu.sms=3 tm.watchdog=600" },
    { .presets = "gtx480 tiny ideal-validation", .keys = "tm.global=kilotm gpu.sms=2 kilotm.ideal_commit=true" },
    { .presets = "kilotm tm-ideal", .keys = "tm.watchdog=500" },
    { .presets = "kilotm tm-ideal", .keys = "tm.ideal_detection=signature tm.signature_bits=64" },
    { .presets = "gtx480", .keys = "tm.global=ideal tm.ideal_detection=ring gpu.warp_size=64 gpu.sms=2" },
};

static struct machine in_shared[] = {
    { .presets = "functional", .keys = "", .shared = ALL_SHARED },
    { .presets = "localtm", .keys = "", .shared = ALL_SHARED },
    { .presets = "localtm localtm-es", .keys = "gpu.warp_size=32 tm.warps=2", .shared = ALL_SHARED },
    { .presets = "localtm localtm-rw", .keys = "gpu.warp_size=32", .shared = ALL_SHARED },
    { .presets = "localtm", .keys = "localtm.filter_bits=1 shared.banks=2 localtm.entry_cycles=30",
      .shared = ALL_SHARED },
    { .presets = "localtm localtm-rw", .keys = "localtm.step_on=true localtm.group_after=2 tm.threads=80",
      .shared = ALL_SHARED },
    { .presets = "localtm multi2sim", .keys = "tm.serial=true sim.threads=2", .shared = ALL_SHARED },
    { .presets = "gtx480 tm-localtm", .keys = "localtm.perfect=true core.collector=true", .shared = ALL_SHARED },
    { .presets = "kilotm tm-localtm", .keys = "", .shared = TABLE_SHARED },
    { .presets = "kilotm tm-localtm", .keys = "tm.warps=1 tm.backoff=0", .shared = COUNTERS_SHARED },
    { .presets = "kilotm tm-localtm localtm-rw", .keys = "tm.watchdog=400 gpu.warp_size=64", .shared = TABLE_SHARED },
    { .presets = "kilotm finite-units tm-localtm", .keys = "localtm.filter_bits=2 tm.warps=3",
      .shared = COUNTERS_SHARED },
    { .presets = "kilotm tm-ideal tm-localtm", .keys = "localtm.step_on=true", .shared = COUNTERS_SHARED },
    { .presets = "functional", .keys = "", .shared = TABLE_SHARED },
};

static struct machine *machines = in_global;
static int nmachines = sizeof in_global / sizeof *in_global;

static void give_up(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why ? why : "");
    exit(2);
}

static void apply(simtx_config *c, const char *list, int (*set)(simtx_config *c, const char *text, char **message))
{
    char *message = NULL, *copy = strdup(list), *next = copy, *word;
    while ((word = strsep(&next, " ")))
        if (*word && set(c, word, &message))
            give_up(word, message);
    free(copy);
}

static int preset(simtx_config *c, const char *text, char **message)
{
    return simtx_config_load(c, text, message);
}

static int key(simtx_config *c, const char *text, char **message)
{
    return simtx_config_set(c, text, message);
}

static void open_machine(struct machine *m, int index)
{
    char *message = NULL;
    void *words;
    simtx_config *c = simtx_config_new();
    bool functional = !strcmp(m->presets, "functional");
    if (!functional)
        apply(c, m->presets, preset);
    apply(c, functional ? "" : "sim.mode=timing stats.thread_states=true", key);
    apply(c, m->keys, key);
    m->gpu = simtx_gpu_new(c, index, &message);
    if (!m->gpu || simtx_malloc(m->gpu, sizeof *m->words, SIMTX_MEM_DEVICE, &words))
        give_up(m->keys, message);
    m->words = words;
    simtx_config_free(c);
}

/* ---- a kernel ---- */

static bool as_expected(const struct kernel *k, const struct words *w, char *what)
{
    uint32_t sum = 0, start = 0;
    for (int i = 0; i < TABLE; i++) {
        sum += w->table[i];
        start += k->start.table[i];
    }
    if (sum != start)
        snprintf(what, LINE, "the table's sum is %u, expected %u", sum, start);
    else if (w->wrong)
        snprintf(what, LINE, "%u audits saw another sum", w->wrong);
    else if (memcmp(w->counter, k->end.counter, sizeof w->counter))
        snprintf(what, LINE, "counters of 4 bytes: %u %u %u %u, expected %u %u %u %u", w->counter[0], w->counter[1],
                 w->counter[2], w->counter[3], k->end.counter[0], k->end.counter[1], k->end.counter[2],
                 k->end.counter[3]);
    else if (memcmp(w->byte, k->end.byte, sizeof w->byte))
        snprintf(what, LINE, "counters of a byte: %u %u %u %u, expected %u %u %u %u", w->byte[0], w->byte[1],
                 w->byte[2], w->byte[3], k->end.byte[0], k->end.byte[1], k->end.byte[2], k->end.byte[3]);
    else if (memcmp(w->wide, k->end.wide, sizeof w->wide))
        snprintf(what, LINE, "a counter of 8 bytes is wrong");
    else
        return true;
    return false;
}

static bool runs(const struct machine *m, const struct kernel *k, char *what)
{
    simtx_module *module;
    if (simtx_module_load(m->gpu, k->text, k->length, "random", &module)) {
        snprintf(what, LINE, "%s", simtx_last_message(m->gpu));
        return false;
    }
    *m->words = k->start;
    const void *args[] = { &m->words };
    simtx_launch_params p = { .grid = { k->grid, 1, 1 }, .block = { k->block, 1, 1 }, .args = args };
    bool ok = !simtx_launch(simtx_module_kernel(module, "k"), &p, NULL, NULL);
    if (!ok)
        snprintf(what, LINE, "%s", simtx_last_message(m->gpu));
    simtx_module_unload(module);
    return ok && as_expected(k, m->words, what);
}

static bool run_seed(uint64_t seed, bool all)
{
    static struct kernel kernels[PLACES];
    char what[LINE];
    for (unsigned i = 0; i < PLACES; i++)
        gen_kernel(&kernels[i], seed, i);
    for (uint64_t i = 0; i < (all ? (uint64_t)nmachines : PER_KERNEL); i++) {
        const struct machine *m = &machines[(seed * PER_KERNEL + i) % (uint64_t)nmachines];
        const struct kernel *k = &kernels[m->shared];
        if (!runs(m, k, what)) {
            printf("FAILED: seed %llu on %s %s, grid %u, block %u: %s\n%s", (unsigned long long)seed, m->presets,
                   m->keys, k->grid, k->block, what, k->text);
            return false;
        }
    }
    return true;
}

/* Transactions of all machines that the oracle has checked. */
static long long checked(void)
{
    long long n = 0;
    for (int i = 0; i < nmachines; i++) {
        char *text = simtx_stats_json(machines[i].gpu);
        json_t *o = text ? json_loads(text, 0, NULL) : NULL;
        const json_t *tm = json_object_get(json_object_get(o, "total"), "tm");
        n += json_integer_value(json_object_get(json_object_get(tm, "oracle"), "transactions"));
        json_decref(o);
        free(text);
    }
    return n;
}

int main(int argc, char **argv)
{
    uint64_t seed = 1, count = 50, passed = 0;
    bool all = false;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--all"))
            all = true;
        else if (!strcmp(argv[i], "--shared")) {
            machines = in_shared;
            nmachines = sizeof in_shared / sizeof *in_shared;
        }
        else if (!strcmp(argv[i], "--seed") && i + 1 < argc)
            seed = strtoull(argv[++i], NULL, 0);
        else if (!strcmp(argv[i], "--count") && i + 1 < argc)
            count = strtoull(argv[++i], NULL, 0);
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 0; i < nmachines; i++)
        open_machine(&machines[i], i);
    for (uint64_t i = 0; i < count; i++)
        passed += run_seed(seed + i, all);
    printf("%lld transactions checked\n", checked());
    for (int i = 0; i < nmachines; i++)
        simtx_gpu_free(machines[i].gpu);
    printf("random-tm: %llu passed, %llu failed\n", (unsigned long long)passed, (unsigned long long)(count - passed));
    return passed != count;
}
