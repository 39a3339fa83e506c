/*
 * Runs a litmus test: launches of many instances in timing mode. Each launch draws how the instances are arranged and
 * disturbed; everything follows from the seed and the test's name.
 *   - which threads of the test share a block (where the test leaves it open), where the block's warps and the blocks
 *     are; a warp holds 1 to 32 instances of one thread, or all threads of some instances in its lanes
 *   - how many instances share a line, whether locations of an instance do, on which lines and slices they are
 *   - which locations each warp reads beforehand, through L1 or past it
 *   - delays of warps, and warps that store to other lines
 * The crossbar also delays packets (xbar.disturb). Launches are small and large: with many instances the
 * accesses of all queue, with few the delays determine which of them meet.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/config/config.h"
#include "base/hash.h"
#include "base/random.h"
#include "frontend/lib/simtx.h"
#include "frontend/litmus/litmus_kernel.h"

enum { LINE = 128, WARPS_MAX = 8, SLACK_LINES = 64, OFFSET_LINES = 16, EARLY_MAX = 800, NOISE_WARPS = 12,
       CAMP_LINES = 16,                          /* 8 channels, 2 lines after another in each */
       CAMP_MAX = 512,
       FIXED_ARGS = 11 };                        /* parameters of the kernel before those of the locations */

struct unit { int first, count; uint32_t instance; };        /* roles of a group, 32 instances */

struct runner {
    const struct litmus_test *t;
    struct litmus_run *r;
    simtx_gpu *gpu;
    simtx_module *module;
    simtx_kernel *kernel;
    simtx_gpu_info info;
    uint64_t random;
    uint32_t instances_max, threads_max;
    uint8_t *memory;
    size_t memory_bytes;
    int64_t *results;
    struct litmus_lane *lane;
    void *noise;
    bool barriers;
    /* of the launch */
    uint32_t instances, blocks, block_warps, shift, slot, stride;
    uint64_t offset[LITMUS_LOCATIONS];
    int group[LITMUS_THREADS], ngroups;              /* by role; groups are blocks */
    bool lanes;                                      /* the roles are lanes of one warp */
    uint32_t width, entries;                         /* of a warp: instances, rows of the table */
    uint32_t step;                                   /* lines between the stores of lanes of noise */
};

static uint32_t draw(struct runner *x, uint32_t n)
{
    return (uint32_t)(random_next(&x->random) % n);
}

/* ---- what a launch draws ---- */

static bool one_block(const struct litmus_test *t)
{
    for (int i = 1; i < t->nthreads; i++)
        if (t->thread[i].cta != t->thread[0].cta || t->thread[i].gpu != t->thread[0].gpu)
            return false;
    return true;
}

/* The block of a role: as the test specifies; dialects other than PTX do not specify it. */
static void draw_groups(struct runner *x)
{
    const struct litmus_test *t = x->t;
    bool free_choice = t->arch != LITMUS_PTX, apart = draw(x, 3);
    x->ngroups = 0;
    for (int i = 0; i < t->nthreads; i++) {
        x->group[i] = -1;
        for (int k = 0; k < i; k++)
            if (free_choice ? !apart : t->thread[i].cta == t->thread[k].cta && t->thread[i].gpu == t->thread[k].gpu)
                x->group[i] = x->group[k];
        if (x->group[i] < 0)
            x->group[i] = x->ngroups++;
    }
    bool can = !t->loops && !x->barriers && (free_choice || one_block(t));
    x->lanes = can && draw(x, 8) == 0;
}

/* A fence waits for the slowest of its warp's instances: with few of them in a warp an access can take longer than the
 * fences of other threads. Barriers are of whole warps. A lane that loops would hold up the other lanes of its warp,
 * for which the thread that it waits for may be waiting. */
static void draw_width(struct runner *x)
{
    static const uint32_t widths[] = { 1, 1, 4, LITMUS_LANES };
    uint32_t width = widths[draw(x, 4)];
    x->width = x->lanes         ? LITMUS_LANES / (uint32_t)x->t->nthreads
               : x->t->loops    ? 1
               : x->barriers    ? LITMUS_LANES
                                : width;
    x->entries = x->lanes ? LITMUS_LANES : x->width;
}

static int group_size(const struct runner *x, int group)
{
    int n = 0;
    for (int i = 0; i < x->t->nthreads; i++)
        n += x->group[i] == group;
    return n;
}

static int largest_group(const struct runner *x)
{
    int most = 0;
    for (int g = 0; g < x->ngroups; g++)
        most = group_size(x, g) > most ? group_size(x, g) : most;
    return most;
}

/* Warps of a block; as many instances as are resident at once, and no more than a quarter of all, so that every test
 * has several arrangements. */
static void draw_size(struct runner *x, uint64_t wanted)
{
    static const uint32_t sizes[] = { 128, 512, 2048, 8192 };
    uint32_t warps = (uint32_t)(x->lanes ? 1 : largest_group(x)), n = sizes[draw(x, 4)];
    if (!x->barriers)
        while (warps < WARPS_MAX && draw(x, 2))
            warps *= 2;
    x->block_warps = warps < WARPS_MAX ? warps : WARPS_MAX;
    uint32_t resident = simtx_occupancy(x->kernel, x->block_warps * LITMUS_LANES, 0, NULL) * x->info.sms;
    uint32_t fit = resident * x->block_warps * (x->lanes ? LITMUS_LANES : x->width) / (uint32_t)x->t->nthreads / 2;
    n = n < fit ? n : fit;
    n = n < x->r->runs / 4 ? n : (uint32_t)(x->r->runs / 4);
    n = n < x->instances_max ? n : x->instances_max;
    n = n < wanted ? n : (uint32_t)wanted;
    x->instances = n > LITMUS_LANES ? (n + LITMUS_LANES - 1) / LITMUS_LANES * LITMUS_LANES : LITMUS_LANES;
}

/* Slots of 8 bytes; in one launch of four the locations of an instance share its line, if they fit. In some launches
 * the instances of a location all go to one DRAM channel, where they queue. */
static void draw_layout(struct runner *x)
{
    uint32_t n = (uint32_t)x->t->nlocations;
    bool share = draw(x, 4) == 0;
    x->shift = draw(x, 5);
    x->slot = share ? 8 * n : 8;
    while (x->shift && (x->slot << x->shift) > LINE)
        x->shift--;
    bool camp = (x->instances >> x->shift) <= CAMP_MAX && draw(x, 2);
    x->stride = LINE * (camp ? CAMP_LINES : 1 + draw(x, 3));
    uint64_t region = (uint64_t)((x->instances >> x->shift) + 1) * x->stride + LINE * OFFSET_LINES;
    for (uint32_t l = 0; l < n; l++)
        x->offset[l] = share ? 8 * l : l * region + LINE * draw(x, OFFSET_LINES);
}

static void draw_launch(struct runner *x, uint64_t wanted)
{
    draw_groups(x);
    draw_width(x);
    draw_size(x, wanted);
    draw_layout(x);
}

/* ---- the table of threads ---- */

struct warmth { uint32_t always, maybe; };           /* masks of locations; maybe: drawn for each warp */

static struct warmth draw_warmth(struct runner *x)
{
    uint32_t all = (1u << x->t->nlocations) - 1, random = (uint32_t)random_next(&x->random);
    switch (draw(x, 6)) {
    case 0: return (struct warmth){ all, 0 };
    case 1: return (struct warmth){ all << LITMUS_LOCATIONS, 0 };
    case 2: return (struct warmth){ random & (all | all << LITMUS_LOCATIONS), 0 };
    case 3: return (struct warmth){ 0, all | all << LITMUS_LOCATIONS };
    default: return (struct warmth){ 0, 0 };
    }
}

/* seed: of the spreads of delays, each of width instances; noise: stores of a thread; phase: they go to the channel of
 * one of the locations. */
struct disturbance { uint64_t seed; struct warmth warmth; uint32_t width, noise, step, phase; };

static struct disturbance draw_disturbance(struct runner *x)
{
    static const uint32_t steps[] = { 1, CAMP_LINES, CAMP_LINES, CAMP_LINES };
    struct disturbance m = { .seed = random_next(&x->random), .warmth = draw_warmth(x), .width = x->width,
                             .noise = draw(x, 2) ? 0 : 1 + draw(x, LITMUS_NOISE_STORES), .step = steps[draw(x, 4)] };
    uint32_t location = x->t->nlocations ? draw(x, (uint32_t)x->t->nlocations) : 0;
    uint64_t target = x->offset[location] + (uintptr_t)x->memory - (uintptr_t)x->noise;
    m.phase = (uint32_t)(target / LINE % CAMP_LINES);
    return m;
}

/* All roles of whole instances, in lanes; the last warp may have fewer instances, and lanes without a role end. */
static void fill_lanes(const struct runner *x, struct litmus_lane *lane, uint32_t instance)
{
    uint32_t roles = (uint32_t)x->t->nthreads, each = LITMUS_LANES / roles;
    for (uint32_t i = 0; i < LITMUS_LANES; i++) {
        lane[i].instance = instance + i / roles;
        lane[i].role = i < each * roles && lane[i].instance < x->instances ? i % roles : roles + 1;
    }
}

/* The longest delay of the warps of an instance: the same for all its roles, so that late accesses of one thread meet
 * early ones of another after a fence, or their first accesses meet. */
static uint32_t spread_of(const struct disturbance *m, uint32_t instance)
{
    static const uint32_t spreads[] = { 1, 60, 250, 600, 1000, 2000 };
    uint64_t unit = m->seed ^ (uint64_t)(instance / m->width) << 32;
    return spreads[random_next(&unit) % (sizeof spreads / sizeof *spreads)];
}

static void fill_warp(struct runner *x, struct litmus_lane *lane, int role, uint32_t instance,
                      const struct disturbance *m)
{
    uint32_t delay = draw(x, spread_of(m, instance));
    uint32_t warm = m->warmth.always | (m->warmth.maybe & (uint32_t)random_next(&x->random));
    for (uint32_t i = 0; i < x->entries; i++)
        lane[i] = (struct litmus_lane){ (uint32_t)role, instance + i, delay, warm };
    if (x->lanes)
        fill_lanes(x, lane, instance);
}

/* A warp that is not needed ends at once. */
static void fill_spare(struct runner *x, struct litmus_lane *lane)
{
    for (uint32_t i = 0; i < x->entries; i++)
        lane[i] = (struct litmus_lane){ .role = (uint32_t)x->t->nthreads + 1 };
}

/* A warp whose stores go to lines `step` apart: to all slices, or to one. */
static void fill_noise(struct runner *x, struct litmus_lane *lane, const struct disturbance *m)
{
    uint32_t line = draw(x, LITMUS_NOISE_LINES) / m->step * m->step + m->phase, delay = draw(x, EARLY_MAX);
    for (uint32_t i = 0; i < x->entries; i++)
        lane[i] = (struct litmus_lane){ (uint32_t)x->t->nthreads, line, delay, m->noise };
}

static struct litmus_lane *warp_at(struct runner *x, const uint32_t *order, uint32_t block, uint32_t warp)
{
    return x->lane + ((size_t)order[block] * x->block_warps + warp) * x->entries;
}

static void shuffle(struct runner *x, uint32_t *order, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    for (uint32_t i = n; i > 1; i--) {
        uint32_t k = draw(x, i), keep = order[i - 1];
        order[i - 1] = order[k];
        order[k] = keep;
    }
}

/* Units of a block of the group: the warps with all its roles of some instances. */
static uint32_t group_units(const struct runner *x, int group)
{
    uint32_t warps = x->lanes ? 1 : (uint32_t)group_size(x, group);
    return x->barriers ? 1 : x->block_warps / warps;
}

static uint32_t group_blocks(const struct runner *x, int group)
{
    uint32_t each = group_units(x, group) * x->width;
    return (x->instances + each - 1) / each;
}

/* One block of a group: its units, their warps in a random order. */
static void fill_block(struct runner *x, const uint32_t *order, uint32_t block, int group, uint32_t instance,
                       const struct disturbance *m)
{
    uint32_t place[WARPS_MAX], used = 0;
    shuffle(x, place, x->block_warps);
    for (uint32_t u = 0; u < group_units(x, group); u++, instance += x->width)
        for (int role = 0; role < x->t->nthreads && instance < x->instances; role++)
            if (x->lanes ? role == 0 : x->group[role] == group)
                fill_warp(x, warp_at(x, order, block, place[used++]), role, instance, m);
    while (used < x->block_warps)
        fill_spare(x, warp_at(x, order, block, place[used++]));
}

static void fill_table(struct runner *x)
{
    struct disturbance m = draw_disturbance(x);
    int groups = x->lanes ? 1 : x->ngroups;
    uint32_t noisy = m.noise ? 1 + draw(x, NOISE_WARPS) / x->block_warps : 0;
    x->blocks = noisy;
    x->step = m.step;
    for (int g = 0; g < groups; g++)
        x->blocks += group_blocks(x, g);
    uint32_t *order = mem_alloc(x->blocks, sizeof *order, "blocks of a litmus test"), block = 0;
    shuffle(x, order, x->blocks);
    for (int g = 0; g < groups; g++)
        for (uint32_t i = 0; i < group_blocks(x, g); i++)
            fill_block(x, order, block++, g, i * group_units(x, g) * x->width, &m);
    for (; block < x->blocks; block++)
        for (uint32_t i = 0; i < x->block_warps; i++)
            fill_noise(x, warp_at(x, order, block, i), &m);
    free(order);
}

/* ---- memory and outcomes ---- */

static uint8_t *address(const struct runner *x, int location, uint32_t instance)
{
    uint32_t line = instance >> x->shift, slot = instance - (line << x->shift);
    return x->memory + x->offset[location] + (size_t)line * x->stride + (size_t)slot * x->slot;
}

static void reset_memory(struct runner *x)
{
    const struct litmus_test *t = x->t;
    uint64_t last = 0;
    for (int l = 0; l < t->nlocations; l++)
        last = x->offset[l] > last ? x->offset[l] : last;
    size_t bytes = last + (size_t)((x->instances >> x->shift) + 1) * x->stride + LINE;
    memset(x->memory, 0, bytes < x->memory_bytes ? bytes : x->memory_bytes);
    simtx_mem_written(x->gpu, x->memory, x->memory_bytes);
    for (int l = 0; l < t->nlocations; l++)
        for (uint32_t i = 0; t->location[l].init && i < x->instances; i++)
            memcpy(address(x, l, i), &t->location[l].init, t->location[l].size);
}

static int64_t memory_value(const struct runner *x, int location, uint32_t instance)
{
    int64_t v8;
    int32_t v4;
    const uint8_t *at = address(x, location, instance);
    if (x->t->location[location].size == 8) {
        memcpy(&v8, at, sizeof v8);
        return v8;
    }
    memcpy(&v4, at, sizeof v4);
    return v4;
}

/* A register's value; an address of this instance as the models have it. */
static int64_t register_value(const struct runner *x, int observed, uint32_t instance)
{
    const struct litmus_observed *o = &x->t->observed[observed];
    int64_t v = x->results[(size_t)observed * x->instances + instance];
    if (x->t->thread[o->thread].reg[o->index].wide)
        for (int l = 0; l < x->t->nlocations; l++)
            if (v == (int64_t)(intptr_t)address(x, l, instance))
                return LITMUS_ADDRESS(l);
    return v;
}

static void collect(struct runner *x)
{
    int64_t outcome[LITMUS_OBSERVED];
    for (uint32_t i = 0; i < x->instances; i++) {
        for (int k = 0; k < x->t->nobserved; k++) {
            const struct litmus_observed *o = &x->t->observed[k];
            outcome[k] = o->thread < 0 ? memory_value(x, o->index, i) : register_value(x, k, i);
        }
        if (litmus_counts(x->t, outcome))
            litmus_outcomes_add(&x->r->seen, outcome, 1);
    }
}

/* ---- launches ---- */

/* Processor time, which does not depend on what else the host does. */
static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* For a launch that is too long only the report's first line: the state of the machine after it explains nothing. */
static char *failure(const struct runner *x, const char *report)
{
    int first_line = (int)strcspn(report, "\n");
    const char *key = strstr(report, "sim.max_cycles");
    if (!key || key > report + first_line)
        return mem_format("launch %llu: %s", (unsigned long long)x->r->launches, report);
    return mem_format("launch %llu: %.*s; can loops of its threads keep each other from ending? --runs 0 judges the "
                      "model alone", (unsigned long long)x->r->launches, first_line, report);
}

static bool launch(struct runner *x, char **message)
{
    uint32_t scale = 65536000u / x->info.core_mhz;
    const void *args[FIXED_ARGS + LITMUS_LOCATIONS] = { &x->lane, &x->memory, &x->results, &x->noise, &x->instances,
                                                        &x->shift, &x->slot, &x->stride, &x->entries, &x->step,
                                                        &scale };
    for (int l = 0; l < x->t->nlocations; l++)
        args[FIXED_ARGS + l] = &x->offset[l];
    simtx_launch_params p = { .grid = { x->blocks, 1, 1 }, .block = { x->block_warps * LITMUS_LANES, 1, 1 },
                              .args = args };
    simtx_launch_stats stats;
    simtx_fault fault = { .kind = SIMTX_FAULT_NONE };
    double start = cpu_seconds();
    simtx_status s = simtx_launch(x->kernel, &p, &stats, &fault);
    x->r->seconds += cpu_seconds() - start;
    if (s) {
        *message = failure(x, s == SIMTX_FAULT ? fault.report : simtx_last_message(x->gpu));
        return false;
    }
    x->r->cycles += stats.cycles;
    return true;
}

static bool run_launch(struct runner *x, char **message)
{
    draw_launch(x, x->r->runs - x->r->outcomes);
    fill_table(x);
    reset_memory(x);
    if (!launch(x, message))
        return false;
    collect(x);
    x->r->outcomes += x->instances;
    x->r->launches++;
    return true;
}

/* ---- start and end ---- */

static bool has_barriers(const struct litmus_test *t)
{
    for (int i = 0; i < t->nthreads; i++)
        for (int k = 0; k < t->thread[i].nops; k++)
            if (t->thread[i].op[k].kind == LITMUS_BARRIER)
                return true;
    return false;
}

static bool allocate(struct runner *x, size_t bytes, void *out)
{
    return !simtx_malloc(x->gpu, bytes, SIMTX_MEM_DEVICE, out);
}

static bool prepare(struct runner *x, char **message)
{
    const struct litmus_test *t = x->t;
    x->gpu = simtx_gpu_new(x->r->config, 0, message);
    if (!x->gpu)
        return false;
    simtx_gpu_get_info(x->gpu, &x->info);
    char *text = litmus_emit(t);
    simtx_status s = simtx_module_load(x->gpu, text, strlen(text), t->name, &x->module);
    free(text);
    x->threads_max = x->info.sms * x->info.max_threads_per_sm;
    x->instances_max = (x->threads_max / (uint32_t)t->nthreads + LITMUS_LANES - 1) / LITMUS_LANES * LITMUS_LANES;
    size_t lines = (size_t)(x->instances_max + 1) * 3, camp_lines = (CAMP_MAX + 1) * CAMP_LINES;
    size_t region = (lines > camp_lines ? lines : camp_lines) * LINE + (size_t)LINE * OFFSET_LINES;
    x->memory_bytes = region * (size_t)(t->nlocations + 1) + (size_t)LINE * SLACK_LINES;
    size_t lanes = (size_t)x->threads_max * WARPS_MAX * sizeof *x->lane;
    if (s || !allocate(x, x->memory_bytes, &x->memory) || !allocate(x, lanes, &x->lane) ||
        !allocate(x, (size_t)(t->nobserved + 1) * x->instances_max * 8, &x->results) ||
        !allocate(x, (size_t)LINE * LITMUS_NOISE_LINES, &x->noise)) {
        *message = mem_string(simtx_last_message(x->gpu));
        return false;
    }
    x->kernel = simtx_module_kernel(x->module, "litmus");
    x->barriers = has_barriers(t);
    return true;
}

/* Each test has arrangements of its own. */
static uint64_t hash_of(const char *name)
{
    return hash_bytes(HASH_START, name, strlen(name));
}

bool litmus_run(const struct litmus_test *t, struct litmus_run *r, char **message)
{
    struct runner x = { .t = t, .r = r, .random = r->seed ^ hash_of(t->name) };
    litmus_outcomes_init(&r->seen, t->nobserved);
    bool ok = prepare(&x, message);
    while (ok && r->outcomes < r->runs) {
        ok = run_launch(&x, message);
        if (ok && r->progress && !r->progress(r->ctx, r))
            break;
    }
    simtx_gpu_free(x.gpu);
    litmus_outcomes_sort(&r->seen);
    return ok;
}
