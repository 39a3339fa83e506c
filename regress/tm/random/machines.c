/* Machines of random kernels: configurations of transactional memory, and the checks behind a run (machines.h). */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regress/drop_host.h"
#include "regress/tm/random/machines.h"

#define COHERENT "xbar.vns=5 order.check=full coherence.protocol="
#define TRANSLATED "tlb.l1.entries=1 tlb.l1.page_kb=4 tlb.l2.page_kb=4 tlb.l2.entries=2 tlb.walk_latency=200"
#define ALWAYS "sim.mode=timing stats.thread_states=true sim.hang_cycles=200000"

struct random_machine random_machines[MEMORIES][MACHINES_MOST] = {
    [GLOBAL] = {
        { .presets = "functional", .keys = "" },
        { .presets = "kilotm", .keys = "" },
        { .presets = "kilotm tm-unlimited", .keys = "tm.backoff=0 kilotm.granularity=32" },
        { .presets = "kilotm", .keys = "tm.serial=true tm.warps=1 kilotm.cid_latency=150" },
        { .presets = "kilotm",
          .keys = "gpu.sms=1 tm.threads=20 tm.warps=0 l1.kb=2 l1.ways=2 kilotm.own_filter_bits=64" },
        { .presets = "kilotm",
          .keys = "kilotm.lwh_sets=1 kilotm.lwh_ways=1 kilotm.lwh_buckets=4 gpu.sms=2 tm.backoff=50" },
        { .presets = "kilotm bf-array", .keys = "gpu.sms=2 kilotm.bf_bits=64 kilotm.group=false" },
        { .presets = "kilotm finite-units",
          .keys = "gpu.sms=2 kilotm.ring=64 kilotm.read_buffer=1 kilotm.write_buffer=1" },
        { .presets = "kilotm finite-units", .keys = "gpu.sms=3 kilotm.ring=64 kilotm.allocate=true kilotm.cid_bits=8" },
        { .presets = "kilotm", .keys = "kilotm.fail_at_hazard=true tm.watchdog=400 sim.threads=2" },
        { .presets = "kilotm", .keys = "kilotm.watchdog_ideal=true tm.watchdog=400 kilotm.pass_waiting=true" },
        { .presets = "gtx480",
          .keys = "tm.global=kilotm gpu.warp_size=64 core.collector=true gpu.sms=3 tm.watchdog=600" },
        { .presets = "gtx480 tiny ideal-validation", .keys = "tm.global=kilotm gpu.sms=2 kilotm.ideal_commit=true" },
        { .presets = "kilotm tm-ideal", .keys = "tm.watchdog=500" },
        { .presets = "kilotm tm-ideal", .keys = "tm.ideal_detection=signature tm.signature_bits=64" },
        { .presets = "gtx480", .keys = "tm.global=ideal tm.ideal_detection=ring gpu.warp_size=64 gpu.sms=2" },
        { .presets = "warptm", .keys = "gpu.sms=3" },
        { .presets = "warptm",
          .keys = "gpu.sms=1 warptm.tcd=ideal warptm.resolution=two_phase_bloom warptm.ownership=1024 tm.warps=0 "
                  "tm.backoff=0 tm.watchdog=500 warptm.tables=1" },
        { .presets = "kilotm tm-warptm tm-unlimited",
          .keys = "tm.backoff=0 warptm.resolution=perfect kilotm.lwh_sets=1 kilotm.lwh_ways=1 kilotm.lwh_buckets=4 "
                  "kilotm.granularity=32 warptm.tcd_entries=16" },
        { .presets = "warptm",
          .keys = "gpu.sms=2 gpu.warp_size=64 warptm.resolution=mark warptm.resolution_cost=sum warptm.tables=1 "
                  "warptm.ownership=0 kilotm.ring=1024 tm.warps=8 warptm.group_outcomes=false" },
        { .presets = "warptm bf-array",
          .keys = "gpu.sms=4 warptm.access_bytes=4 warptm.tcd_aborts=true kilotm.pass_waiting=true tm.warps=8 "
                  "warptm.resolution_cost=free sim.threads=2" },
        { .presets = "warptm", .keys = "gpu.sms=2 warptm.resolution=none warptm.group_replies=false tm.warps=8 "
                                       "warptm.group_outcomes=false warptm.access_bytes=4 warptm.tcd_bytes=4" },
        { .presets = "sitm", .keys = "gpu.sms=3" },
        { .as_before = true, .presets = "sitm", .keys = "gpu.sms=3 sim.threads=2" },
        { .presets = "sitm", .keys = "gpu.sms=2 tm.warps=0 tm.backoff=0 version.slots=2" },
        { .presets = "sitm tiny", .keys = "gpu.sms=2 version.slots=2 sitm.writer_entries=1 sitm.reader_entries=1" },
        { .presets = "sitm", .keys = "gpu.sms=2 sitm.groups=1 sitm.stamp_bits=8 sitm.delta=1 sitm.version_bits=4" },
        { .presets = "sitm", .keys = "gpu.sms=4 tm.warps=8 sitm.stamp_bits=8 sitm.granularity=32 "
                                     "sitm.exclusive_after=2" },
        { .presets = "sitm", .keys = "gpu.sms=3 sitm.batch=warp version.copy=stale version.slots=3 sitm.version_bits=3 "
                                     "sitm.link_latency=200 sitm.prevts=cts" },
        { .presets = "sitm sitm-noloop tiny", .keys = "gpu.sms=2 tm.warps=4 sitm.cu_words=4 sitm.access_bytes=4" },
        { .presets = "sitm", .keys = "gpu.sms=4 version.slots=32 tm.warps=4 dram.clone_parallel=subarray "
                                     "sim.threads=2" },
        { .presets = "sitm sitm-oracle", .keys = "gpu.sms=3 tm.warps=0 tm.backoff=0 version.slots=3 sitm.groups=5 "
                                                "sitm.version_bits=4 sitm.exclusive_after=3 sim.threads=2" },
        { .presets = "sitm", .keys = "gpu.sms=3 sitm.precedence_after=1 sitm.count_loops=true tm.backoff=0" },
        { .presets = "sitm", .keys = "gpu.sms=1 tm.warps=1 tm.backoff=0 sitm.precedence_after=1048576 "
                                     "sitm.exclusive_after=0 sitm.link_latency=100" },
        { .presets = "sitm", .keys = "gpu.sms=3 order.policy=sc" },
        { .presets = "sitm", .keys = "gpu.sms=2 order.policy=tso-store-buffer version.slots=3" },
        { .presets = "sitm tiny", .keys = "gpu.sms=4 order.policy=sc-types xbar.vns=5 sitm.writer_entries=20" },
        { .presets = "sitm", .keys = "gpu.sms=2 order.policy=tso tm.warps=8 sim.threads=2" },
        { .presets = "kilotm", .keys = COHERENT "mesi gpu.sms=3" },
        { .presets = "kilotm", .keys = COHERENT "write-through order.policy=sc tm.watchdog=400 " TRANSLATED },
        { .presets = "kilotm", .keys = COHERENT "mesi order.policy=sc-types gpu.sms=3 l1.kb=4 l1.ways=4 tm.backoff=0" },
        { .presets = "kilotm finite-units",
          .keys = COHERENT "mesi mesi.atomics=l2 order.policy=tso gpu.sms=2 kilotm.ring=64 l1.mshrs=4" },
        { .presets = "gtx480 tiny",
          .keys = COHERENT "write-through tm.global=kilotm order.policy=tso-store-buffer gpu.sms=2" },
        { .presets = "gtx480 tiny", .keys = COHERENT "mesi tm.global=kilotm order.policy=sc-prefetch gpu.sms=4" },
        { .presets = "kilotm tm-ideal", .keys = COHERENT "mesi tm.watchdog=500 gpu.sms=3" },
        { .presets = "gtx480 tiny", .keys = COHERENT "write-through tm.global=ideal order.policy=sc gpu.sms=2" },
        { .presets = "kilotm tm-ideal",
          .keys = COHERENT "mesi mesi.atomics=l2 tm.ideal_detection=ring order.policy=tso-store-buffer" },
        { .presets = "kilotm", .keys = TRANSLATED " tm.warps=8 tm.backoff=0" },
    },
    [SHARED] = {
        { .presets = "functional", .keys = "" },
        { .presets = "localtm", .keys = "gpu.sms=1" },
        { .presets = "gtx480 tm-localtm", .keys = "gpu.sms=1" },
        { .presets = "gtx480 tm-localtm", .keys = "gpu.sms=2 l1.local_writeback=true localtm.read_write_filters=true" },
        { .presets = "localtm localtm-perfect", .keys = "gpu.sms=2 tm.oracle=on" },
        { .presets = "localtm localtm-es", .keys = "gpu.sms=1 gpu.warp_size=32" },
        { .presets = "localtm localtm-rw", .keys = "gpu.sms=1" },
        { .presets = "localtm localtm-rw", .keys = "gpu.sms=1 localtm.filter_bits=1 localtm.step_on=true" },
        { .presets = "localtm", .keys = "gpu.sms=2 localtm.step_on=true localtm.group_after=3" },
        { .presets = "localtm", .keys = "gpu.sms=1 localtm.filter_bits=1" },
        { .presets = "localtm", .keys = "gpu.sms=1 localtm.filter_bits=2 tm.serial=true" },
        { .presets = "localtm", .keys = "gpu.sms=2 localtm.filter_bits=64 localtm.group_after=3 shared.banks=16" },
        { .presets = "localtm", .keys = "localtm.filter_bits=1 shared.banks=2 localtm.entry_cycles=30 tm.warps=1" },
        { .presets = "localtm", .keys = "gpu.sms=1 tm.warps=2 tm.backoff=40 shared.banks=64" },
        { .presets = "localtm multi2sim", .keys = "gpu.sms=1" },
        { .presets = "localtm", .keys = "gpu.sms=2 tm.threads=40 tm.global_warps=3 tm.watchdog=300" },
        { .presets = "localtm localtm-rw multi2sim", .keys = "gpu.sms=4 tm.restore_cycles=2" },
        { .as_before = true, .presets = "localtm localtm-rw multi2sim",
          .keys = "gpu.sms=4 tm.restore_cycles=2 sim.threads=2" },
    },
    [BOTH] = {
        { .presets = "functional", .keys = "" },
        { .presets = "kilotm tm-localtm", .keys = "" },
        { .presets = "kilotm tm-localtm finite-units", .keys = "gpu.sms=1 kilotm.ring=64" },
        { .presets = "kilotm tm-localtm finite-units", .keys = "gpu.sms=2 kilotm.ring=64 kilotm.allocate=true" },
        { .presets = "kilotm tm-localtm lwh-512 tm-unlimited", .keys = "gpu.sms=2 tm.watchdog=400" },
        { .presets = "kilotm tm-localtm tm-unlimited localtm-rw",
          .keys = "gpu.sms=1 tm.watchdog=400 gpu.warp_size=64" },
        { .presets = "kilotm tm-localtm",
          .keys = "gpu.sms=2 tm.warps=1 localtm.step_on=true kilotm.pass_waiting=true" },
        { .presets = "kilotm tm-localtm", .keys = "gpu.sms=1 tm.threads=20 tm.warps=0 tm.global_warps=2" },
        { .presets = "kilotm tm-localtm",
          .keys = "gpu.sms=2 tm.serial=true localtm.filter_bits=1 kilotm.cid_latency=150" },
        { .presets = "kilotm tm-localtm bf-array", .keys = "gpu.sms=2 tm.backoff=0 localtm.group_after=3 tm.warps=4" },
        { .presets = "micro2013 tm-localtm", .keys = "gpu.sms=2" },
        { .presets = "localtm", .keys = "tm.global=kilotm l1.local_writeback=true gpu.sms=2 localtm.filter_bits=2" },
        { .presets = "localtm localtm-perfect",
          .keys = "tm.global=kilotm l1.local_writeback=true gpu.sms=1 kilotm.fail_at_hazard=true" },
        { .presets = "localtm localtm-es multi2sim", .keys = "tm.global=ideal gpu.sms=2" },
        { .presets = "kilotm tm-localtm tm-ideal", .keys = "gpu.sms=2 tm.watchdog=500" },
        { .presets = "gtx480 tm-localtm",
          .keys = "gpu.sms=1 tm.global=ideal tm.ideal_detection=ring tm.global_warps=2" },
        { .presets = "gtx480 tm-localtm", .keys = "gpu.sms=1 tm.global=ideal tm.ideal_detection=signature" },
        { .presets = "warptm tm-localtm", .keys = "gpu.sms=2 tm.warps=4" },
        { .presets = "warptm tm-localtm localtm-rw",
          .keys = "gpu.sms=1 tm.watchdog=400 kilotm.ideal_commit=true warptm.resolution=mark_bloom" },
        { .presets = "sitm tm-localtm sitm-ts", .keys = "gpu.sms=2 tm.warps=8" },
        { .presets = "sitm tm-localtm sitm-noloop", .keys = "gpu.sms=2 tm.warps=4 localtm.group_after=3" },
        { .presets = "sitm tm-localtm sitm-oracle", .keys = "gpu.sms=2 tm.warps=0 version.slots=3" },
        { .presets = "sitm tm-localtm tiny",
          .keys = "gpu.sms=2 version.slots=2 sitm.writer_entries=1 sitm.reader_entries=1 tm.warps=4" },
        { .presets = "sitm tm-localtm",
          .keys = "gpu.sms=2 sitm.groups=1 sitm.stamp_bits=8 sitm.delta=1 sitm.version_bits=4 tm.warps=0" },
        { .presets = "sitm tm-localtm localtm-rw",
          .keys = "gpu.sms=1 sitm.precedence_after=1 sitm.exclusive_after=3 tm.backoff=0 tm.warps=0" },
        { .presets = "kilotm tm-localtm", .keys = "gpu.sms=4 tm.global_warps=5" },
        { .as_before = true, .presets = "kilotm tm-localtm", .keys = "gpu.sms=4 tm.global_warps=5 sim.threads=2" },
    },
};

int machines_of(enum memory memory)
{
    int n = 0;
    while (n < MACHINES_MOST && random_machines[memory][n].presets)
        n++;
    return n;
}

/* ---- opened and closed ---- */

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

/* A number that no open machine has. */
static int free_index(void)
{
    int index = 0;
    for (struct random_machine *m = random_machines[0], *end = m + MEMORIES * MACHINES_MOST; m < end;)
        if (m->gpu && m->index == index) {
            index++;
            m = random_machines[0];
        } else
            m++;
    return index;
}

static void open_machine(struct random_machine *m)
{
    char *message = NULL;
    void *words;
    simtx_config *c = simtx_config_new();
    bool functional = !strcmp(m->presets, "functional");
    if (!functional) {
        apply(c, m->presets, preset);
        apply(c, ALWAYS " tm.oracle=full", key);
    }
    apply(c, m->keys, key);
    m->index = free_index();
    m->gpu = simtx_gpu_new(c, m->index, &message);
    if (!m->gpu || simtx_malloc(m->gpu, sizeof *m->words, SIMTX_MEM_DEVICE, &words))
        give_up(m->keys, message);
    if (simtx_declare_versions(m->gpu, words, sizeof *m->words))
        give_up(m->keys, simtx_last_message(m->gpu));
    m->words = words;
    simtx_config_free(c);
}

void machine_close(struct random_machine *m)
{
    if (m->gpu)
        simtx_gpu_free(m->gpu);
    m->gpu = NULL;
}

/* ---- a kernel ---- */

static bool list_is(const char *name, const uint64_t *is, const uint64_t *expected, int n, char *what)
{
    int length = snprintf(what, MACHINE_LINE, "%s:", name);
    if (!memcmp(is, expected, (size_t)n * sizeof *is))
        return true;
    for (int i = 0; i < n && length < MACHINE_LINE; i++)
        length += snprintf(what + length, (size_t)(MACHINE_LINE - length), " %llu%s", (unsigned long long)is[i],
                           is[i] == expected[i] ? "" : "(!)");
    return false;
}

#define SAME(name, is, expected, count) do { \
        uint64_t a_[count], b_[count]; \
        for (int i_ = 0; i_ < (count); i_++) { \
            a_[i_] = (is)[i_]; \
            b_[i_] = (expected)[i_]; \
        } \
        if (!list_is(name, a_, b_, count, what)) \
            return false; \
    } while (0)

static uint32_t sum_of(const uint32_t *table)
{
    uint32_t sum = 0;
    for (int i = 0; i < TABLE; i++)
        sum += table[i];
    return sum;
}

static bool near_is_right(const struct kernel *k, const struct words *w, uint32_t block, char *what)
{
    const struct near *is = &w->near[block], *end = &k->end.first;
    if (sum_of(is->table) + w->left[block] != sum_of(k->start.first.table)) {
        snprintf(what, MACHINE_LINE, "the table of block %u has %u, and %u has left it; expected %u in all", block,
                 sum_of(is->table), w->left[block], sum_of(k->start.first.table));
        return false;
    }
    SAME("counters of a block, 4 bytes", is->counter, end->counter, COUNTERS);
    SAME("counters of a block, 2 bytes", is->half, end->half, HALVES);
    SAME("counters of a block, 1 byte", is->byte, end->byte, BYTES);
    SAME("counters of a block, 8 bytes", is->wide, end->wide, WIDE);
    SAME("counters of a block, not of transactions", is->plain, end->plain, 2);
    SAME("counters of the threads of a block", is->own, end->own, MOST_THREADS);
    return true;
}

static bool as_expected(const struct kernel *k, const struct words *w, char *what)
{
    uint32_t start = sum_of(k->start.table), sum = sum_of(w->table);
    for (uint32_t b = 0; b < k->grid; b++)
        start += w->left[b];
    if (sum != start)
        snprintf(what, MACHINE_LINE, "the table's sum is %u, expected %u", sum, start);
    else if (w->wrong)
        snprintf(what, MACHINE_LINE, "%u audits saw another sum, or threads lost count", w->wrong);
    if (sum != start || w->wrong)
        return false;
    SAME("counters of 4 bytes", w->counter, k->end.counter, COUNTERS);
    SAME("counters of 1 byte", w->byte, k->end.byte, BYTES);
    SAME("counters of 8 bytes", w->wide, k->end.wide, WIDE);
    SAME("purses", w->purse, k->end.purse, PURSES);
    for (uint32_t b = 0; b < k->grid && k->memory != GLOBAL; b++)
        if (!near_is_right(k, w, b, what))
            return false;
    return true;
}

bool machine_runs(struct random_machine *m, const struct kernel *k, char what[MACHINE_LINE])
{
    simtx_module *module;
    if (!m->gpu)
        open_machine(m);
    if (simtx_module_load(m->gpu, k->text, k->length, "random", &module)) {
        snprintf(what, MACHINE_LINE, "%s", simtx_last_message(m->gpu));
        return false;
    }
    *m->words = k->start;
    const void *args[] = { &m->words };
    simtx_launch_params p = { .grid = { k->grid, 1, 1 }, .block = { k->block, 1, 1 }, .args = args };
    bool ok = !simtx_launch(simtx_module_kernel(module, "k"), &p, NULL, NULL);
    if (!ok)
        snprintf(what, MACHINE_LINE, "%s", simtx_last_message(m->gpu));
    simtx_module_unload(module);
    m->transactions += k->transactions;
    return ok && as_expected(k, m->words, what);
}

/* ---- statistics ---- */

static json_t *statistics(const struct random_machine *m)
{
    char *text = simtx_stats_json(m->gpu);
    json_t *o = text ? json_loads(text, 0, NULL) : NULL;
    free(text);
    if (!o)
        give_up(m->keys, "no statistics");
    return o;
}

static bool same_as(const struct random_machine *m, const struct random_machine *before)
{
    json_t *a = statistics(m), *b = statistics(before);
    drop_host(a);
    drop_host(b);
    bool same = json_equal(a, b);
    json_decref(a);
    json_decref(b);
    return same;
}

/* Purses are accessed inside and outside transactions, by one thread each. Under snapshot isolation a plain store
 * writes every version of its word in the machine, but only the newest one in the oracle, which allows the mismatch. */
static bool may_mismatch(const struct random_machine *m)
{
    return strstr(m->presets, "sitm");
}

bool machine_is_right(struct random_machine *m, long long *checked, char what[MACHINE_LINE])
{
    if (!m->gpu || !strcmp(m->presets, "functional"))
        return true;
    json_t *o = statistics(m);
    json_t *tm = json_object_get(json_object_get(o, "total"), "tm"), *oracle = json_object_get(tm, "oracle");
    long long commits = json_integer_value(json_object_get(tm, "commits"));
    long long weak = json_integer_value(json_object_get(oracle, "weak_isolation"));
    *checked += json_integer_value(json_object_get(oracle, "transactions"));
    json_decref(o);
    snprintf(what, MACHINE_LINE, "%lld commits of %llu transactions; the oracle allowed %lld mismatches", commits,
             (unsigned long long)m->transactions, weak);
    if (commits != (long long)m->transactions || (weak && !may_mismatch(m)))
        return false;
    snprintf(what, MACHINE_LINE, "other statistics than the machine before it");
    return !m->as_before || same_as(m, m - 1);
}
