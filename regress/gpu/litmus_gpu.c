/*
 * Litmus tests on a real GPU, judged by the memory models of `simtx litmus`. An outcome that the GPU shows and the
 * model PTX forbids is an error of our model (or of NVIDIA's compiler or chip). The kernels have the instructions
 * of `simtx litmus --ptx`; around them stands the harness of litmus_harness.c.
 *
 * As in litmus_run.c each launch draws how the instances of a test are arranged and disturbed, from the seed and the
 * test's name; what the GPU makes of it differs from run to run.
 *   - which threads of the test share a block (where the test leaves it open), the places of warps and blocks; a warp
 *     holds 1, 4 or 32 instances of one thread, or all threads of some instances in its lanes
 *   - how many instances share a line, the distance of lines, whether locations of an instance share one
 *   - which locations a warp reads beforehand, through L1 or past it; delays
 *   - whether the warps of an instance wait for each other, and blocks of noise
 * All blocks fit on the GPU together. Tests with loops are launched so that they must; their loops have a bound, too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/random.h"
#include "frontend/litmus/litmus_report.h"
#include "regress/gpu/library.h"
#include "regress/gpu/litmus_harness.h"
#include "regress/litmus/generate.h"

enum {
    LINE = 128, BATCH = 16,                      /* tests of a module */
    WARPS_MAX = 16, INSTANCES_MAX = 1 << 15, OFFSET_LINES = 64, STRIDE_LINES = 4, MEMORY_THREADS = 256,
    POLLS = 256, FUEL = 4096, NOISE_PASSES = 256,
    LEAST_ROWS = LITMUS_THREADS * LITMUS_LANES * WARPS_MAX * LITMUS_LANES,   /* if few instances fill the GPU */
    FIXED_ARGS = 17                              /* parameters of the kernel before those of the locations */
};

static const char USAGE[] =
    "usage: litmus_gpu [FILE.litmus...] [options]\n\n"
    "Runs litmus tests on the GPU of libcuda.so.1 (or of the library that LIBCUDA names), and compares the outcomes\n"
    "with those that a memory model allows. Exit code: 0 none is forbidden, 1 one is, 2 invalid usage, no GPU, a file\n"
    "that cannot be read, or a launch that fails.\n\n"
    "  --generated N     also N of the generated tests, spread evenly; all if N is large\n"
    "  --only TEXT       only tests whose names contain it\n"
    "  --part I/N        only tests I, I + N, I + 2N ... (I from 1): several processes share the tests\n"
    "  --model NAME      sc, tso or ptx (ptx)\n"
    "  --runs N          outcomes of each test (100000)\n"
    "  --seconds N       time for all tests; each has an equal share and at least one launch\n"
    "  --seed N          seed of arrangements and disturbances (1)\n"
    "  --out FILE        a table, fields separated by tabs\n"
    "  --ptx             print a module with all kernels; run nothing\n";

struct options {
    enum litmus_model model;
    uint64_t runs, seed;
    double seconds;
    unsigned generated, part, parts;
    bool ptx;
    const char *out, *only;
};

/* A test with what is known of it. trouble: why it was not run, NULL = it was. */
struct job {
    struct litmus_test *t;
    char *source, *trouble;
    struct litmus_result result;
    uint64_t unfinished;
    simtx_kernel *kernel;
};

struct tool {
    struct options o;
    struct job *job;
    uint32_t n, cap;
    unsigned offered;                            /* tests before --part */
    uint64_t generated, next_generated;          /* tests of the generator before --generated */
    int unreadable;
    simtx_gpu *gpu;
    simtx_gpu_info info;
    simtx_kernel *set, *get;
    uint64_t memory, results, rows, noise, counters, unfinished;     /* on the GPU */
    size_t memory_bytes, row_count;
    double end;                                  /* of the time for all tests */
    FILE *out;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- options ---- */

_Noreturn static void usage_error(const char *what, const char *value)
{
    fprintf(stderr, "litmus_gpu: %s%s%s\n\n%s", what, value ? ": " : "", value ? value : "", USAGE);
    exit(2);
}

static double number(const char *option, const char *value)
{
    char *end;
    double n = value ? strtod(value, &end) : 0;
    if (!value || end == value || *end || n < 0 || n > 1e18)
        usage_error("expected a number", option);
    return n;
}

static enum litmus_model model_named(const char *name)
{
    for (int m = LITMUS_MODEL_SC; m <= LITMUS_MODEL_PTX; m++)
        if (name && !strcmp(name, litmus_model_name((enum litmus_model)m)))
            return (enum litmus_model)m;
    usage_error("--model: expected sc, tso or ptx", name);
}

/* Reads one option; the number of arguments it takes, 0: it is a file. */
static int read_option(struct options *o, char **argv)
{
    const char *name = argv[0], *value = argv[1];
    if (name[0] != '-')
        return 0;
    if (!strcmp(name, "--ptx"))
        return o->ptx = true;
    if (!strcmp(name, "--generated"))
        o->generated = (unsigned)number(name, value);
    else if (!strcmp(name, "--runs"))
        o->runs = (uint64_t)number(name, value);
    else if (!strcmp(name, "--seconds"))
        o->seconds = number(name, value);
    else if (!strcmp(name, "--seed"))
        o->seed = (uint64_t)number(name, value);
    else if (!strcmp(name, "--model"))
        o->model = model_named(value);
    else if (!strcmp(name, "--only") && value)
        o->only = value;
    else if (!strcmp(name, "--out") && value)
        o->out = value;
    else if (strcmp(name, "--part") || !value || sscanf(value, "%u/%u", &o->part, &o->parts) != 2 || !o->part ||
             o->part > o->parts)
        usage_error("invalid option or value", name);
    return 2;
}

/* ---- the tests ---- */

/* Takes over t and source, which names its file; frees them if the test is not wanted or of another part. */
static void add_job(struct tool *x, struct litmus_test *t, char *source)
{
    bool wanted = !x->o.only || strstr(t->name, x->o.only);
    if (!wanted || x->offered++ % x->o.parts != x->o.part - 1) {
        litmus_free(t);
        free(source);
        return;
    }
    x->job = mem_grow(x->job, x->n, &x->cap, sizeof *x->job, "litmus tests");
    x->job[x->n++] = (struct job){ .t = t, .source = source };
}

static void read_test(struct tool *x, const char *name, const char *text, size_t size)
{
    struct diag d = { .file = name, .source = text, .source_len = size };
    struct litmus_test *t = litmus_parse(text, size, &d);
    if (t) {
        add_job(x, t, mem_string(name));
    } else {
        fputs(d.text ? d.text : "", stderr);
        x->unreadable++;
    }
    diag_free(&d);
}

static void read_test_file(struct tool *x, const char *path)
{
    size_t size;
    char *text = file_read(path, &size);
    if (!text) {
        perror(path);
        exit(2);
    }
    read_test(x, path, text, size);
    free(text);
}

static void count_generated(void *ctx, const struct generated *g)
{
    (void)ctx, (void)g;
}

/* Test i of n is taken if i * wanted / n, the number of tests taken before, grows at it. */
static void take_generated(void *ctx, const struct generated *g)
{
    struct tool *x = ctx;
    uint64_t n = x->generated, i = x->next_generated++, wanted = x->o.generated < n ? x->o.generated : n;
    if (i * wanted / n != (i + 1) * wanted / n)
        read_test(x, g->name, g->text, strlen(g->text));
}

static void add_generated(struct tool *x)
{
    x->generated = (uint64_t)generate_tests(count_generated, NULL);
    if (x->o.generated)
        generate_tests(take_generated, x);
}

static bool has_barriers(const struct litmus_test *t)
{
    for (int i = 0; i < t->nthreads; i++)
        for (int k = 0; k < t->thread[i].nops; k++)
            if (t->thread[i].op[k].kind == LITMUS_BARRIER)
                return true;
    return false;
}

/* The test is not run; the reason in one line. */
static void refuse(struct job *j, const char *why)
{
    j->trouble = mem_string(why);
    for (char *c = j->trouble; *c; c++)
        *c = *c == '\n' || *c == '\t' ? ' ' : *c;
}

/* The outcomes that the models allow. */
static void judge_before(struct tool *x, struct job *j)
{
    struct diag d = { .file = j->source };
    struct litmus_result *r = &j->result;
    *r = (struct litmus_result){ .t = j->t, .file = j->source, .policy = "gpu", .model = x->o.model, .judged = true };
    litmus_outcomes_init(&r->run.seen, j->t->nobserved);
    if (!litmus_allowed(j->t, LITMUS_MODEL_SC, &r->sc, &d) || !litmus_allowed(j->t, x->o.model, &r->allowed, &d))
        refuse(j, d.text ? d.text : "the model cannot judge it");
    else if (!r->allowed.n)
        refuse(j, "no execution ends under the model");
    else if (j->t->loops && has_barriers(j->t))
        refuse(j, "loops together with barriers are not supported");
    diag_free(&d);
}

/* ---- modules ---- */

static char *module_text(struct job *j, uint32_t n)
{
    char *text, name[40];
    size_t size;
    FILE *f = mem_file(&text, &size);
    fputs(LITMUS_PTX_HEADER, f);
    for (uint32_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, "litmus%u", i);
        if (!j[i].trouble)
            litmus_emit_kernel(f, j[i].t, name, &gpu_harness);
    }
    fclose(f);
    return text;
}

static simtx_module *load_text(struct tool *x, const char *text)
{
    simtx_module *m = NULL;
    return simtx_module_load(x->gpu, text, strlen(text), "litmus", &m) ? NULL : m;
}

/* Loads the kernels of n tests as one module. NULL: the compiler rejects one of them. */
static simtx_module *load_batch(struct tool *x, struct job *j, uint32_t n)
{
    char *text = module_text(j, n), name[40];
    simtx_module *m = load_text(x, text);
    free(text);
    for (uint32_t i = 0; i < n && m; i++) {
        snprintf(name, sizeof name, "litmus%u", i);
        if (!j[i].trouble && !(j[i].kernel = simtx_module_kernel(m, name)))
            refuse(&j[i], "the module has no such kernel");
    }
    return m;
}

/* ---- what a launch draws ---- */

struct launch {
    struct tool *x;
    struct job *j;
    const struct litmus_test *t;
    uint64_t random, spread_seed;
    uint32_t instances, blocks, block_warps, shift, slot, stride, width, entries, step, polls, expected, unit_shift;
    uint64_t offset[LITMUS_LOCATIONS];
    int group[LITMUS_THREADS], ngroups;          /* by role; groups are blocks */
    bool lanes, barriers;                        /* lanes: the roles are lanes of one warp */
    uint32_t noise_blocks, noise_work;
    struct { uint32_t always, maybe; } warmth;   /* masks of locations; maybe: drawn for each warp */
    struct litmus_lane *row;
};

static uint32_t draw(struct launch *l, uint32_t n)
{
    return (uint32_t)(random_next(&l->random) % n);
}

static bool same_block(const struct litmus_test *t, int a, int b)
{
    return t->thread[a].cta == t->thread[b].cta && t->thread[a].gpu == t->thread[b].gpu;
}

/* The block of a role: as the test specifies; dialects other than PTX do not specify it. */
static void draw_groups(struct launch *l)
{
    const struct litmus_test *t = l->t;
    bool free_choice = t->arch != LITMUS_PTX, apart = draw(l, 3), one = true;
    l->ngroups = 0;
    for (int i = 0; i < t->nthreads; i++) {
        l->group[i] = -1;
        for (int k = 0; k < i; k++)
            if (free_choice ? !apart : same_block(t, i, k))
                l->group[i] = l->group[k];
        if (l->group[i] < 0)
            l->group[i] = l->ngroups++;
        one = one && (free_choice || same_block(t, i, 0));
    }
    l->lanes = one && !t->loops && !l->barriers && draw(l, 8) == 0;
}

/* Barriers are of whole warps. A lane that loops would hold up the other lanes of its warp. */
static void draw_width(struct launch *l)
{
    static const uint32_t shifts[] = { 0, 2, 5, 5 };
    uint32_t shift = shifts[draw(l, 4)];
    l->unit_shift = l->t->loops ? 0 : l->barriers ? 5 : shift;
    l->width = l->lanes ? LITMUS_LANES / (uint32_t)l->t->nthreads : 1u << l->unit_shift;
    l->entries = l->lanes ? LITMUS_LANES : l->width;
    l->expected = l->width * (uint32_t)l->t->nthreads;
    l->polls = l->lanes || draw(l, 4) == 0 ? 0 : POLLS;
}

static uint32_t group_size(const struct launch *l, int group)
{
    uint32_t n = 0;
    for (int i = 0; i < l->t->nthreads; i++)
        n += l->group[i] == group;
    return l->lanes ? 1 : n;
}

/* Units of a block of the group: warps with all its roles of `width` instances. */
static uint32_t group_units(const struct launch *l, int group)
{
    return l->barriers ? 1 : l->block_warps / group_size(l, group);
}

static uint32_t group_blocks(const struct launch *l, int group)
{
    uint32_t each = group_units(l, group) * l->width;
    return (l->instances + each - 1) / each;
}

static uint32_t test_blocks(const struct launch *l)
{
    uint32_t n = 0;
    for (int g = 0; g < (l->lanes ? 1 : l->ngroups); g++)
        n += group_blocks(l, g);
    return n;
}

/* A multiple of 32 instances: as many as drawn, fewer if their blocks and those of noise do not fit on the GPU. */
static void draw_size(struct launch *l, uint64_t wanted)
{
    static const uint32_t sizes[] = { 512, 4096, 1 << 14, INSTANCES_MAX };
    uint32_t warps = 1, n = sizes[draw(l, 4)];
    for (int g = 0; g < l->ngroups; g++)
        warps = group_size(l, g) > warps ? group_size(l, g) : warps;
    while (!l->barriers && warps * 2 <= WARPS_MAX && draw(l, 3))
        warps *= 2;
    l->block_warps = warps;
    uint32_t room = simtx_occupancy(l->j->kernel, warps * LITMUS_LANES, 0, NULL) * l->x->info.sms;
    l->noise_blocks = draw(l, 2) ? 0 : 1 + draw(l, room / 2 ? room / 2 : 1);
    n = n < wanted ? n : (uint32_t)wanted;
    l->instances = (n + LITMUS_LANES - 1) / LITMUS_LANES * LITMUS_LANES;
    while (l->instances > LITMUS_LANES && test_blocks(l) + l->noise_blocks > room)
        l->instances = (l->instances / 2 + LITMUS_LANES - 1) / LITMUS_LANES * LITMUS_LANES;
    if (test_blocks(l) + l->noise_blocks > room)
        l->noise_blocks = 0;
}

/* Slots of 8 bytes; in one launch of four the locations of an instance share its line, if they fit. */
static void draw_layout(struct launch *l)
{
    uint32_t n = (uint32_t)l->t->nlocations;
    bool share = draw(l, 4) == 0;
    l->shift = draw(l, 2) ? 0 : draw(l, 5);
    l->slot = share ? 8 * n : 8;
    while (l->shift && (l->slot << l->shift) > LINE)
        l->shift--;
    l->stride = LINE * (1 + draw(l, STRIDE_LINES));
    uint64_t region = (uint64_t)((l->instances >> l->shift) + 1) * l->stride + LINE * OFFSET_LINES;
    for (uint32_t i = 0; i < n; i++)
        l->offset[i] = share ? 8 * i : i * region + LINE * draw(l, OFFSET_LINES);
}

static void draw_warmth(struct launch *l)
{
    uint32_t all = (1u << l->t->nlocations) - 1, random = (uint32_t)random_next(&l->random);
    l->warmth.always = l->warmth.maybe = 0;
    switch (draw(l, 6)) {
    case 0: l->warmth.always = all; break;
    case 1: l->warmth.always = all << LITMUS_LOCATIONS; break;
    case 2: l->warmth.always = random & (all | all << LITMUS_LOCATIONS); break;
    case 3: l->warmth.maybe = all | all << LITMUS_LOCATIONS; break;
    }
}

static void draw_launch(struct launch *l, uint64_t wanted)
{
    static const uint32_t steps[] = { 0, 1, 4, 32 };
    draw_groups(l);
    draw_width(l);
    draw_size(l, wanted);
    draw_layout(l);
    draw_warmth(l);
    l->step = steps[draw(l, 4)];
    l->spread_seed = random_next(&l->random);
    l->noise_work = (1 + draw(l, 15)) << 16 | (1 + draw(l, NOISE_PASSES));
}

/* ---- the table of threads ---- */

static void fill_warp(struct launch *l, uint32_t warp, int role, uint32_t instance)
{
    static const uint32_t spreads[] = { 1, 1, 50, 200, 600, 2000 };      /* cycles */
    struct litmus_lane *row = l->row + (size_t)warp * l->entries;
    uint64_t unit = l->spread_seed ^ (uint64_t)instance << 32;   /* the same for all roles of the instance */
    uint32_t delay = draw(l, spreads[random_next(&unit) % (sizeof spreads / sizeof *spreads)]);
    uint32_t warm = l->warmth.always | (l->warmth.maybe & (uint32_t)random_next(&l->random));
    uint32_t roles = (uint32_t)l->t->nthreads, each = LITMUS_LANES / roles;
    for (uint32_t i = 0; i < l->entries; i++) {
        row[i] = (struct litmus_lane){ (uint32_t)role, instance + i, delay, warm };
        if (!l->lanes)
            continue;
        row[i].instance = instance + i / roles;
        row[i].role = i < each * roles && row[i].instance < l->instances ? i % roles : roles + 1;
    }
}

static void shuffle(struct launch *l, uint32_t *order, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    for (uint32_t i = n; i > 1; i--) {
        uint32_t k = draw(l, i), keep = order[i - 1];
        order[i - 1] = order[k];
        order[k] = keep;
    }
}

/* One block of a group: its units, their warps in a random order; warps that are not needed end at once. */
static void fill_block(struct launch *l, uint32_t block, int group, uint32_t instance)
{
    uint32_t place[WARPS_MAX], used = 0, first = block * l->block_warps;
    shuffle(l, place, l->block_warps);
    for (uint32_t u = 0; u < group_units(l, group); u++, instance += l->width)
        for (int role = 0; role < l->t->nthreads && instance < l->instances; role++)
            if (l->lanes ? role == 0 : l->group[role] == group)
                fill_warp(l, first + place[used++], role, instance);
    for (; used < l->block_warps; used++)
        for (uint32_t i = 0; i < l->entries; i++)
            l->row[(size_t)(first + place[used]) * l->entries + i].role = (uint32_t)l->t->nthreads + 1;
}

/* Noise: from a line of the warp's own on, the same one or others. */
static void fill_noise(struct launch *l, uint32_t block)
{
    for (uint32_t w = 0; w < l->block_warps; w++) {
        uint32_t line = draw(l, GPU_NOISE_LINES), advance = draw(l, 2) ? 0 : draw(l, 64);
        for (uint32_t i = 0; i < l->entries; i++)
            l->row[((size_t)block * l->block_warps + w) * l->entries + i] =
                (struct litmus_lane){ (uint32_t)l->t->nthreads, line, advance, l->noise_work };
    }
}

static void fill_table(struct launch *l)
{
    l->blocks = test_blocks(l) + l->noise_blocks;
    uint32_t *order = mem_alloc(l->blocks, sizeof *order, "blocks of a litmus test"), block = 0;
    l->row = mem_alloc((size_t)l->blocks * l->block_warps * l->entries, sizeof *l->row, "the table of threads");
    shuffle(l, order, l->blocks);
    for (int g = 0; g < (l->lanes ? 1 : l->ngroups); g++)
        for (uint32_t i = 0; i < group_blocks(l, g); i++)
            fill_block(l, order[block++], g, i * group_units(l, g) * l->width);
    while (block < l->blocks)
        fill_noise(l, order[block++]);
    free(order);
}

/* ---- launches ---- */

static uint64_t address(const struct launch *l, int location, uint32_t instance)
{
    uint32_t line = instance >> l->shift, slot = instance - (line << l->shift);
    return l->x->memory + l->offset[location] + (uint64_t)line * l->stride + (uint64_t)slot * l->slot;
}

static simtx_status start_memory_kernel(struct launch *l, simtx_kernel *k, int location, int64_t value, uint64_t array)
{
    uint64_t at = l->x->memory + l->offset[location];
    uint32_t size = l->t->location[location].size;
    const void *args[] = { &at, &array, &l->instances, &l->shift, &l->slot, &l->stride, &size, &value };
    simtx_launch_params p = { .grid = { (l->instances + MEMORY_THREADS - 1) / MEMORY_THREADS, 1, 1 },
                              .block = { MEMORY_THREADS, 1, 1 }, .args = args };
    return gpu_start(k, &p, false);
}

/* Memory as at the start of the test, counters 0. */
static simtx_status reset(struct launch *l)
{
    struct tool *x = l->x;
    uint64_t last = 0;
    for (int i = 0; i < l->t->nlocations; i++)
        last = l->offset[i] > last ? l->offset[i] : last;
    size_t bytes = last + (size_t)((l->instances >> l->shift) + 1) * l->stride + LINE;
    simtx_status s = gpu_fill(x->gpu, x->memory, 0, bytes / 4);
    for (int i = 0; i < l->t->nlocations && !s; i++)
        if (l->t->location[i].init)
            s = start_memory_kernel(l, x->set, i, l->t->location[i].init, 0);
    if (!s && l->polls)
        s = gpu_fill(x->gpu, x->counters, 0, (size_t)((l->instances >> l->unit_shift) + 1) * GPU_COUNTER_BYTES / 4);
    if (!s && l->t->loops)
        s = gpu_fill(x->gpu, x->unfinished, 0, l->instances);
    return s ? s : gpu_copy_to(x->gpu, x->rows, l->row,
                               (size_t)l->blocks * l->block_warps * l->entries * sizeof *l->row);
}

static simtx_status start_test(struct launch *l)
{
    struct tool *x = l->x;
    uint32_t zero = 0, fuel = FUEL;
    const void *args[FIXED_ARGS + LITMUS_LOCATIONS] = {
        &x->rows, &x->memory, &x->results, &x->noise, &l->instances, &l->shift, &l->slot, &l->stride, &l->entries,
        &l->step, &x->counters, &x->unfinished, &l->unit_shift, &l->expected, &l->polls, &zero, &fuel
    };
    for (int i = 0; i < l->t->nlocations; i++)
        args[FIXED_ARGS + i] = &l->offset[i];
    simtx_launch_params p = { .grid = { l->blocks, 1, 1 }, .block = { l->block_warps * LITMUS_LANES, 1, 1 },
                              .args = args };
    return gpu_start(l->j->kernel, &p, l->t->loops);
}

/* Last values of locations, signed, beside the registers that the threads have stored. */
static simtx_status start_gathering(struct launch *l)
{
    simtx_status s = SIMTX_OK;
    for (int k = 0; k < l->t->nobserved && !s; k++)
        if (l->t->observed[k].thread < 0)
            s = start_memory_kernel(l, l->x->get, l->t->observed[k].index, 0,
                                    l->x->results + (uint64_t)k * l->instances * 8);
    return s;
}

/* A register's value; an address of this instance as the models have it. */
static int64_t observed_value(const struct launch *l, int k, uint32_t instance, int64_t v)
{
    const struct litmus_observed *o = &l->t->observed[k];
    if (o->thread >= 0 && l->t->thread[o->thread].reg[o->index].wide)
        for (int i = 0; i < l->t->nlocations; i++)
            if (v == (int64_t)address(l, i, instance))
                return LITMUS_ADDRESS(i);
    return v;
}

static simtx_status collect(struct launch *l)
{
    const struct litmus_test *t = l->t;
    struct litmus_run *run = &l->j->result.run;
    size_t bytes = (size_t)t->nobserved * l->instances * 8;
    int64_t *values = mem_alloc(bytes + 8, 1, "outcomes of a launch"), outcome[LITMUS_OBSERVED];
    uint32_t *unfinished = mem_zero(l->instances, sizeof *unfinished, "unfinished instances");
    simtx_status s = gpu_copy_from(l->x->gpu, values, l->x->results, bytes ? bytes : 8);
    if (!s && t->loops)
        s = gpu_copy_from(l->x->gpu, unfinished, l->x->unfinished, l->instances * sizeof *unfinished);
    for (uint32_t i = 0; i < l->instances && !s; i++) {
        l->j->unfinished += unfinished[i];
        run->outcomes += !unfinished[i];
        for (int k = 0; k < t->nobserved; k++)
            outcome[k] = observed_value(l, k, i, values[(size_t)k * l->instances + i]);
        if (!unfinished[i] && litmus_counts(t, outcome))
            litmus_outcomes_add(&run->seen, outcome, 1);
    }
    run->launches++;
    free(values);
    free(unfinished);
    return s;
}

static simtx_status run_launch(struct launch *l)
{
    fill_table(l);
    simtx_status s = reset(l);
    if (!s)
        s = start_test(l);
    if (!s)
        s = start_gathering(l);
    if (!s)
        s = collect(l);
    free(l->row);
    return s;
}

/* Instances that do not finish count as run, so that a test of which none does comes to an end. */
static simtx_status run_test(struct tool *x, struct job *j, double end)
{
    struct launch l = { .x = x, .j = j, .t = j->t, .barriers = has_barriers(j->t) };
    l.random = x->o.seed ^ hash_bytes(HASH_START, j->t->name, strlen(j->t->name));
    simtx_status s = SIMTX_OK;
    uint64_t done = 0;
    do {
        draw_launch(&l, x->o.runs - done);
        s = run_launch(&l);
        done += l.instances;
    } while (!s && done < x->o.runs && now() < end);
    litmus_outcomes_sort(&j->result.run.seen);
    return s;
}

/* ---- results ---- */

static void print_forbidden(const struct litmus_result *r)
{
    char text[1000];
    for (uint32_t i = 0; i < r->run.seen.n; i++)
        if (litmus_forbidden(r, i)) {
            litmus_describe(r->t, r->run.seen.value + (size_t)i * (size_t)r->run.seen.width, text, sizeof text);
            printf("    forbidden by %s: %s (%llu times)\n", litmus_model_name(r->model), text,
                   (unsigned long long)r->run.seen.count[i]);
        }
}

/* How many states of SC were seen. */
static uint32_t sc_seen(const struct litmus_result *r)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->sc.n; i++)
        n += r->run.seen.n &&
             litmus_outcomes_find(&r->run.seen, r->sc.value + (size_t)i * (size_t)r->sc.width) >= 0;
    return n;
}

static const char TABLE_HEAD[] = "test\tmodel\tcondition\tseen\toutcomes\tsatisfy\tforbidden\tforbidden_outcomes\t"
                                 "weak_allowed\tweak_seen\tsc_states\tsc_seen\tunfinished\tnot_run\n";

static void write_row(const struct tool *x, const struct job *j, const struct litmus_figures *f)
{
    const struct litmus_result *r = &j->result;
    fprintf(x->out, "%s\t%s\t%s\t%s\t%llu\t%llu\t%u\t%llu\t%u\t%u\t%u\t%u\t%llu\t%s\n", j->t->name,
            litmus_model_name(r->model), f->expected, f->seen, (unsigned long long)r->run.outcomes,
            (unsigned long long)f->positive, f->forbidden, (unsigned long long)f->forbidden_count, f->weak,
            f->weak_seen,
            r->sc.n, sc_seen(r), (unsigned long long)j->unfinished, j->trouble ? j->trouble : "");
}

static void report(const struct tool *x, const struct job *j)
{
    const struct litmus_result *r = &j->result;
    struct litmus_figures f = litmus_figures(r);
    if (j->trouble)
        printf("%-44s not run: %s\n", j->t->name, j->trouble);
    else
        printf("%-44s %s %-9s seen %-9s outcomes %llu weak %u/%u sc %u/%u%s forbidden %u\n", j->t->name,
               litmus_model_name(r->model), f.expected, f.seen, (unsigned long long)r->run.outcomes, f.weak_seen,
               f.weak,
               sc_seen(r), r->sc.n, j->unfinished ? " (some unfinished)" : "", f.forbidden);
    print_forbidden(r);
    fflush(stdout);
    if (x->out) {
        write_row(x, j, &f);
        fflush(x->out);
    }
}

/* The last line; the exit code. */
static int summarize(const struct tool *x)
{
    uint64_t outcomes = 0, forbidden = 0;
    unsigned weak = 0, weak_seen = 0, refused = 0;
    for (uint32_t i = 0; i < x->n; i++) {
        struct litmus_figures f = litmus_figures(&x->job[i].result);
        refused += x->job[i].trouble != NULL;
        if (x->job[i].trouble)
            continue;
        outcomes += x->job[i].result.run.outcomes;
        forbidden += f.forbidden_count;
        weak += f.weak;
        weak_seen += f.weak_seen;
    }
    if (refused)
        printf("litmus-gpu: %u tests not run\n", refused);
    printf("litmus-gpu: %u tests, %llu outcomes, %llu forbidden; %u of %u weak outcomes seen\n", x->n - refused,
           (unsigned long long)outcomes, (unsigned long long)forbidden, weak_seen, weak);
    return forbidden ? 1 : x->unreadable ? 2 : 0;
}

/* ---- everything ---- */

_Noreturn static void gpu_failed(const struct tool *x, const char *what)
{
    fflush(stdout);
    fprintf(stderr, "litmus_gpu: %s: %s\n", what, simtx_last_message(x->gpu));
    exit(2);
}

static void open_gpu(struct tool *x)
{
    char *message = NULL;
    int observed = 1, locations = 0;
    x->gpu = simtx_gpu_new(NULL, 0, &message);
    if (!x->gpu) {
        fprintf(stderr, "no GPU: %s\n", message);
        exit(2);
    }
    simtx_gpu_get_info(x->gpu, &x->info);
    for (uint32_t i = 0; i < x->n; i++) {
        observed = x->job[i].t->nobserved > observed ? x->job[i].t->nobserved : observed;
        locations = x->job[i].t->nlocations > locations ? x->job[i].t->nlocations : locations;
    }
    uint32_t most = x->o.runs < INSTANCES_MAX ? (uint32_t)x->o.runs + LITMUS_LANES : INSTANCES_MAX;
    size_t region = (size_t)(most + 1) * STRIDE_LINES * LINE + (size_t)LINE * OFFSET_LINES;
    x->memory_bytes = region * (size_t)locations + LINE;
    x->row_count = (size_t)x->info.sms * x->info.max_threads_per_sm + LEAST_ROWS;
    if (gpu_alloc(x->gpu, x->memory_bytes, &x->memory) ||
        gpu_alloc(x->gpu, (size_t)observed * most * 8, &x->results) ||
        gpu_alloc(x->gpu, x->row_count * sizeof(struct litmus_lane), &x->rows) ||
        gpu_alloc(x->gpu, (size_t)GPU_NOISE_LINES * LINE, &x->noise) ||
        gpu_alloc(x->gpu, (size_t)(most + 1) * GPU_COUNTER_BYTES, &x->counters) ||
        gpu_alloc(x->gpu, (size_t)most * 4, &x->unfinished))
        gpu_failed(x, "memory");
    simtx_module *m = load_text(x, gpu_memory_kernels);
    if (!m || !(x->set = simtx_module_kernel(m, "set")) || !(x->get = simtx_module_kernel(m, "get")))
        gpu_failed(x, "the kernels for memory");
}

/* Loads a batch, or each of its tests alone, so that the one that is rejected is known. */
static void run_batch(struct tool *x, uint32_t first, uint32_t n)
{
    simtx_module *m = load_batch(x, x->job + first, n);
    if (!m && n > 1) {
        for (uint32_t i = 0; i < n; i++)
            run_batch(x, first + i, 1);
        return;
    }
    struct job *j = x->job + first;
    if (!m && !j->trouble)
        refuse(j, simtx_last_message(x->gpu));
    for (uint32_t i = 0; i < n; i++) {
        double left = x->end - now(), share = left > 0 ? left / (x->n - first - i) : 0;
        if (!j[i].trouble && run_test(x, &j[i], now() + share))
            gpu_failed(x, j[i].source);
        report(x, &j[i]);
    }
    simtx_module_unload(m);
}

static int run_all(struct tool *x)
{
    double start = now();
    open_gpu(x);
    x->end = x->o.seconds > 0 ? start + x->o.seconds : 1e30;
    for (uint32_t i = 0; i < x->n; i += BATCH)
        run_batch(x, i, x->n - i < BATCH ? x->n - i : BATCH);
    printf("litmus-gpu: %s, %u SMs, sm_%u%u; %.1f s\n", x->info.name, x->info.sms, x->info.cc_major, x->info.cc_minor,
           now() - start);
    int code = summarize(x);
    simtx_gpu_free(x->gpu);
    return code;
}

static void open_table(struct tool *x)
{
    if (x->o.out && !(x->out = fopen(x->o.out, "w"))) {
        perror(x->o.out);
        exit(2);
    }
    if (x->out)
        fputs(TABLE_HEAD, x->out);
}

static void free_jobs(struct tool *x)
{
    for (uint32_t i = 0; i < x->n; i++) {
        struct job *j = &x->job[i];
        litmus_outcomes_free(&j->result.sc);
        litmus_outcomes_free(&j->result.allowed);
        litmus_outcomes_free(&j->result.run.seen);
        litmus_free(j->t);
        free(j->source);
        free(j->trouble);
    }
    free(x->job);
}

int main(int argc, char **argv)
{
    struct tool x = { .o = { .model = LITMUS_MODEL_PTX, .runs = 100000, .seed = 1, .part = 1, .parts = 1 } };
    int files = 0;
    for (int i = 1, taken; i < argc; i += taken ? taken : 1)
        if (!(taken = read_option(&x.o, argv + i)))
            argv[1 + files++] = argv[i];
    if (!files && !x.o.generated)
        usage_error("no test given", NULL);
    for (int i = 0; i < files; i++)
        read_test_file(&x, argv[1 + i]);
    add_generated(&x);
    for (uint32_t i = 0; i < x.n; i++)
        judge_before(&x, &x.job[i]);
    int code = 0;
    if (x.o.ptx) {
        char *text = module_text(x.job, x.n);
        printf("%s%s", text, gpu_memory_kernels + strlen(LITMUS_PTX_HEADER));
        free(text);
    } else {
        open_table(&x);
        code = run_all(&x);
        if (x.out && fclose(x.out)) {
            perror(x.o.out);
            code = 2;
        }
    }
    free_jobs(&x);
    return code;
}
