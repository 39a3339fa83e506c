/*
 * Random kernels in the simulator against the evaluator: stack and independent lanes, 32 and 64 to a wavefront, every
 * vector width of this machine, one and two host threads, scheduled instructions. A program whose memory differs is
 * made smaller by leaving out groups and lines as long as it still differs, and printed with its seed. Or, with
 * --timing, cycle by cycle on machines whose queues and caches are so small that everything fills, waits and is
 * evicted; these programs have no transactions, which need a protocol there.
 *
 *   random [--timing] [--seed N] [--count N] [--all] [--gpu]
 *
 * --all: every configuration for every program; --gpu: programs without transactions on one GPU (regress/gpu).
 */
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/lib/simtx.h"
#include "regress/conformance/values.h"
#include "regress/random/eval.h"
#include "regress/random/gen.h"

enum {
    MAX_CONFIGS = 16, PER_PROGRAM = 5, TIMED_PER_PROGRAM = 3, MINIMISE_TRIES = 1500, MAX_THREADS = 512, NUMBER = 40503
};

struct config { simtx_gpu *gpu; char name[256]; char *in, *out, *sum; };

struct memory { char *in, *out, *sum; };

struct run {
    struct config at[MAX_CONFIGS];
    int n;
    bool timing, gpu;
    uint64_t refused;                            /* programs that a GPU does not load */
    struct memory start, want;
};

static void *need(void *p)
{
    if (!p) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    return p;
}

enum { PRESET, KEY };

/* Presets separated by '+', or assignments separated by blanks. */
static void apply(simtx_config *conf, const char *text, const char *separator, int kind)
{
    char *message = NULL, *list = need(strdup(text)), *next = list, *word;
    while ((word = strsep(&next, separator)))
        if (kind == PRESET ? simtx_config_load(conf, word, &message) : simtx_config_set(conf, word, &message)) {
            fprintf(stderr, "%s\n", message);
            exit(2);
        }
    free(list);
}

static void add_config(struct run *run, const char *presets, const char *keys)
{
    char *message = NULL;
    struct config *c = &run->at[run->n];
    simtx_config *conf = simtx_config_new();
    apply(conf, presets, "+", PRESET);
    apply(conf, keys, " ", KEY);
    c->gpu = run->n < MAX_CONFIGS ? simtx_gpu_new(conf, run->n, &message) : NULL;
    simtx_config_free(conf);
    if (!c->gpu && !(message && strstr(message, "host.isa"))) {
        fprintf(stderr, "%s %s: %s\n", presets, keys, message ? message : "");
        exit(2);
    }
    free(message);
    if (!c->gpu)
        return;                                  /* this machine has no such instructions */
    snprintf(c->name, sizeof c->name, "%s %s", presets, keys);
    void *p[3];
    size_t bytes[] = { GEN_IN_BYTES, (size_t)MAX_THREADS * GEN_OUT_BYTES, GEN_SUM_BYTES };
    for (int i = 0; i < 3; i++)
        if (simtx_malloc(c->gpu, bytes[i], SIMTX_MEM_DEVICE, &p[i]))
            need(NULL);
    c->in = p[0];
    c->out = p[1];
    c->sum = p[2];
    run->n++;
}

static void add_functional(struct run *run, const char *isa, int warp, const char *simt, int threads, const char *order)
{
    char keys[200];
    snprintf(keys, sizeof keys,
             "host.isa=%s gpu.warp_size=%d gpu.simt=%s functional.threads=%d functional.threads_after=0 "
             "gpu.instruction_order=%s gpu.combine_accesses=%s gpu.if_conversion=%s", isa, warp, simt, threads, order,
             threads > 1 ? "true" : "false", threads > 1 ? "true" : "false");
    add_config(run, "default", keys);
}

static void open_functional(struct run *run)
{
    static const char *const isas[] = { "base", "avx2", "avx512" }, *const simts[] = { "stack",
                                                                                       "independent" };
    for (int i = 0; i < 3; i++)
        for (int w = 32; w <= 64; w += 32)
            for (int s = 0; s < 2; s++)
                add_functional(run, isas[i], w, simts[s], 1, "text");
    for (int w = 32; w <= 64; w += 32)
        for (int s = 0; s < 2; s++)
            add_functional(run, "auto", w, simts[s], 2, (w == 64) != s ? "scheduled" : "text");
}

/* Every scheduling policy, dual issue, collectors, both kinds of lanes, both widths of warps, and in the memory system
 * every choice that decides where and when an access is performed; SC, TSO and the default order. */
static void open_timing(struct run *run)
{
    static const struct { const char *preset, *keys; } machines[] = {
        { "gtx480+sc+tiny", "gpu.sms=2 gpu.combine_atomics=true" },
        { "gtx480+tso+tiny+l1on", "gpu.sms=2 core.policy=lrr core.issue=2" },
        { "gtx480+tiny+l1on", "gpu.sms=3 core.policy=two_level core.active_warps=2 core.collector=true sim.threads=2" },
        { "gtx480-sc+tso-store-buffer+tiny", "gpu.sms=2 l1.ways=2 l1.store_hit=update l1.streaming=true "
                                             "gpu.simt=independent" },
        { "gtx480-reference", "gpu.sms=2 gpu.max_blocks_per_sm=1 sim.threads=3" },
        { "quadro-fx5800+tiny", "gpu.sms=1" },
        { "quadro-fx5800", "gpu.sms=2 l1.kb=0 l2.slice_kb=0 const.kb=1 dram.scheduler=fcfs" },
        { "southern-islands+multi2sim+tiny", "gpu.sms=2 gpu.combine_accesses=true gpu.if_conversion=true" },
        { "southern-islands", "gpu.sms=2 gpu.simt=independent core.policy=gto sim.no_skip=true "
                              "gpu.combine_atomics=true" },
        { "v100+tiny", "gpu.sms=4 l1.sectored=false sim.threads=2 gpu.combine_atomics=true" },
        { "v100", "gpu.sms=2 gpu.instruction_order=scheduled core.collector=true core.issue=2 "
                  "core.dual_different=false core.schedulers=2 gpu.combine_atomics=true" },
        { "default+tiny", "gpu.sms=2 gpu.warp_size=64 core.collector=true core.pinned=true core.perfect_fetch=true "
                          "xbar.input_flits=65 xbar.output_flits=65 gpu.combine_atomics=true" },
        { "default", "gpu.sms=2 gpu.warp_size=64 core.simd_width=64 core.policy=two_level core.active_warps=1" },
        { "default+tiny+l1off", "gpu.sms=2 l2.write_fetch=true l2.merge_fills=false coalescer.segment=128 "
                                "tlb.l1.entries=1 tlb.l1.page_kb=4 tlb.l1.misses=1 tlb.l2.page_kb=8 tlb.l2.entries=2" },
        { "default", "gpu.sms=2 dram.close_page=true dram.refresh=true sim.flush=false coalescer.lanes=16" },
        { "default+tiny", "gpu.sms=2 l2.sectored=false l1.local_writeback=false l1.replacement=fifo xbar.vns=2 "
                          "core.mem_queue=8" },
    };
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        char keys[256];
        snprintf(keys, sizeof keys, "sim.mode=timing %s", machines[i].keys);
        add_config(run, machines[i].preset, keys);
    }
}

static size_t out_bytes(const struct gen_program *g) { return (size_t)g->grid * g->block * GEN_OUT_BYTES; }

static void fill_start(struct run *run, uint64_t seed)
{
    struct values_random r = { seed };
    static const uint8_t types[] = { T_F32, T_F64, T_S32, T_U64, T_F16X2 };
    for (int i = 0; i < GEN_IN_BYTES; i += 8) {
        uint64_t v = values_next(&r);
        if (values_next(&r) % 2) {
            uint8_t t = types[v % 5];
            v = values_pick(t, &r);
            if (ptx_type_size(t) == 4)
                v |= values_pick(t, &r) << 32;
        }
        memcpy(run->start.in + i, &v, 8);
    }
    for (int i = 0; i < GEN_SUM_BYTES; i += 8)
        memcpy(run->start.sum + i, (uint64_t[]){ values_next(&r) }, 8);
}

/* The right answer into run->want. */
static bool evaluate(struct run *run, const struct gen_program *g, const char *text, char *why, size_t n)
{
    struct diag d = { 0 };
    struct ptx_module *m = ptx_parse(text, strlen(text), "random", &d);
    if (!m) {
        snprintf(why, n, "%s", d.text ? d.text : "does not parse");
        diag_free(&d);
        return false;
    }
    memset(run->want.out, 0, out_bytes(g));
    memcpy(run->want.sum, run->start.sum, GEN_SUM_BYTES);
    uint64_t args[] = { (uint64_t)(uintptr_t)run->start.in, (uint64_t)(uintptr_t)run->want.out,
                        (uint64_t)(uintptr_t)run->want.sum, NUMBER };
    struct eval_launch l = { g->grid, g->block, args, 4 };
    bool ok = eval_run(m, "k", &l, why, n);
    ptx_module_free(m);
    diag_free(&d);
    return ok;
}

/* Does this configuration give the answer in run->want? what: the difference in words. */
static bool agrees(struct run *run, const struct config *c, const struct gen_program *g, const char *text,
                   char *what, size_t n)
{
    simtx_module *m;
    if (simtx_module_load(c->gpu, text, strlen(text), "random", &m)) {
        snprintf(what, n, "does not load: %s", simtx_last_message(c->gpu));
        return false;
    }
    memcpy(c->in, run->start.in, GEN_IN_BYTES);
    memcpy(c->sum, run->start.sum, GEN_SUM_BYTES);
    memset(c->out, 0, out_bytes(g));
    const void *args[] = { &c->in, &c->out, &c->sum, &(uint32_t){ NUMBER } };
    simtx_launch_params p = { .grid = { g->grid, 1, 1 }, .block = { g->block, 1, 1 }, .args = args };
    bool ok = !simtx_launch(simtx_module_kernel(m, "k"), &p, NULL, NULL);
    if (!ok)
        snprintf(what, n, "%s", simtx_last_message(c->gpu));
    simtx_module_unload(m);
    for (size_t i = 0; ok && i < out_bytes(g); i += 8)
        if (memcmp(c->out + i, run->want.out + i, 8)) {
            uint64_t got, want;
            memcpy(&got, c->out + i, 8);
            memcpy(&want, run->want.out + i, 8);
            snprintf(what, n, "thread %zu, output byte %zu: 0x%llx, expected 0x%llx", i / GEN_OUT_BYTES,
                     i % GEN_OUT_BYTES, (unsigned long long)got, (unsigned long long)want);
            ok = false;
        }
    for (int i = 0; ok && i < GEN_SUM_BYTES; i += 8)
        if (memcmp(c->sum + i, run->want.sum + i, 8)) {
            snprintf(what, n, "atomic cell at byte %d", i);
            ok = false;
        }
    return ok;
}

/* ---- making a failing program smaller ---- */

static bool still_fails(struct run *run, const struct config *c, const struct gen_program *g,
                        const bool *gone)
{
    char why[4096], *text = gen_text(g, gone);
    bool fails = evaluate(run, g, text, why, sizeof why) && !agrees(run, c, g, text, why, sizeof why);
    free(text);
    return fails;
}

/* The end of what starts at line i: a droppable line, a group, or i - 1 when it cannot go. */
static int span_end(const struct gen_program *g, int i)
{
    int depth = 0;
    if (g->line[i].kind == LINE_DROP)
        return i;
    if (g->line[i].kind != LINE_OPEN)
        return i - 1;
    for (int j = i; j < g->n; j++) {
        depth += g->line[j].kind == LINE_OPEN;
        depth -= g->line[j].kind == LINE_CLOSE;
        if (!depth)
            return j;
    }
    return i - 1;
}

static void minimise(struct run *run, const struct config *c, const struct gen_program *g, bool *gone)
{
    bool *trial = need(malloc((size_t)g->n * sizeof *trial));
    int tries = MINIMISE_TRIES;
    for (bool progress = true; progress && tries > 0;) {
        progress = false;
        for (int i = 0; i < g->n && tries > 0; i++) {
            int end = gone[i] ? i - 1 : span_end(g, i);
            if (end < i)
                continue;
            memcpy(trial, gone, (size_t)g->n * sizeof *trial);
            for (int j = i; j <= end; j++)
                trial[j] = true;
            tries--;
            if (still_fails(run, c, g, trial)) {
                memcpy(gone, trial, (size_t)g->n * sizeof *trial);
                progress = true;
            }
        }
    }
    free(trial);
}

static void report(struct run *run, const struct config *c, const struct gen_program *g, uint64_t seed,
                   const char *what)
{
    char now[4096];
    bool *gone = need(calloc((size_t)g->n, sizeof *gone));
    printf("FAILED: seed %llu (%s; grid %u, block %u): %s\n", (unsigned long long)seed, c->name, g->grid,
           g->block, what);
    minimise(run, c, g, gone);
    char *text = gen_text(g, gone);
    if (evaluate(run, g, text, now, sizeof now))
        agrees(run, c, g, text, now, sizeof now);
    printf("made smaller, it fails with: %s\n%s\n", now, text);
    free(text);
    free(gone);
}

static bool run_seed(struct run *run, uint64_t seed, bool all)
{
    struct gen_program *g = run->timing || run->gpu ? gen_make_plain(seed) : gen_make(seed);
    char what[4096], *text = gen_text(g, NULL);
    fill_start(run, seed);
    bool ok = evaluate(run, g, text, what, sizeof what);
    if (!ok)
        printf("FAILED: seed %llu: the evaluator: %s\n%s", (unsigned long long)seed, what,
               getenv("RANDOM_SHOW") ? text : "");
    uint64_t some = run->timing ? TIMED_PER_PROGRAM : PER_PROGRAM, n = (uint64_t)run->n;
    for (uint64_t k = 0; ok && k < (all ? n : some); k++) {
        const struct config *c = &run->at[(seed * some + k) % n];
        ok = agrees(run, c, g, text, what, sizeof what);
        if (!ok && run->gpu && !strncmp(what, "does not load", 13)) {
            run->refused++;
            ok = true;
        }
        if (!ok)
            report(run, c, g, seed, what);
    }
    free(text);
    gen_free(g);
    return ok;
}

int main(int argc, char **argv)
{
    struct run run = { 0 };
    uint64_t seed = 1, count = 300;
    bool all = false;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--all"))
            all = true;
        else if (!strcmp(argv[i], "--gpu"))
            run.gpu = true;
        else if (!strcmp(argv[i], "--timing"))
            run.timing = true;
        else if (!strcmp(argv[i], "--seed") && i + 1 < argc)
            seed = strtoull(argv[++i], NULL, 0);
        else if (!strcmp(argv[i], "--count") && i + 1 < argc)
            count = strtoull(argv[++i], NULL, 0);
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (run.gpu)
        add_config(&run, "default", "gpu.warp_size=32");
    else if (run.timing)
        open_timing(&run);
    else
        open_functional(&run);
    if (!run.n) {
        fprintf(stderr, "no GPU could be made\n");
        return 2;
    }
    run.start = (struct memory){ need(calloc(1, GEN_IN_BYTES)), NULL, need(calloc(1, GEN_SUM_BYTES)) };
    run.want = (struct memory){ NULL, need(calloc(MAX_THREADS, GEN_OUT_BYTES)),
                                need(calloc(1, GEN_SUM_BYTES)) };
    uint64_t passed = 0;
    for (uint64_t i = 0; i < count; i++)
        passed += run_seed(&run, seed + i, all);
    for (int i = 0; i < run.n; i++)
        simtx_gpu_free(run.at[i].gpu);
    free(run.start.in);
    free(run.start.sum);
    free(run.want.out);
    free(run.want.sum);
    mpfr_free_cache();
    if (run.gpu)
        printf("random: %llu programs were not loaded\n", (unsigned long long)run.refused);
    printf("random: %llu passed, %llu failed\n", (unsigned long long)passed,
           (unsigned long long)(count - passed));
    return passed != count;
}
