/* The cases: reading them, their inputs, their launches. */
#include "base/alloc.h"
#include "base/file.h"
#include "regress/correlation/cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void die(const char *what, const char *why)
{
    fprintf(stderr, "correlation: %s: %s\n", what, why ? why : "failed");
    exit(1);
}

static char *read_file(const char *dir, const char *name, const char *ending)
{
    char *path = mem_format("%s/%s%s", dir, name, ending), *text = file_read(path, NULL);
    if (!text)
        die(path, "cannot be read");
    free(path);
    return text;
}

/* ---- the tables ---- */

static bool read_arg(struct correlation_arg *a, const char *word)
{
    *a = (struct correlation_arg){ .kind = word[0] };
    return strchr("ZFQDIRSPHif", word[0]) && sscanf(word + 1, ":%lf:%lf", &a->a, &a->b) >= 1;
}

static void read_shape(struct correlation_case *c, char *line)
{
    int at = 0;
    char *rest = NULL;
    if (sscanf(line, "%31s %31s %u %u %u %u %u %n", c->name, c->kernel, &c->grid[0], &c->grid[1], &c->block[0],
               &c->block[1], &c->registers, &at) != 7)
        die("shapes.txt", line);
    for (char *word = strtok_r(line + at, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (c->nargs == ARGS_MAX || !read_arg(&c->arg[c->nargs++], word))
            die("shapes.txt", word);
}

static bool read_cycles(struct correlation_case *c, const char *line)
{
    char name[32];
    unsigned long long instructions, warm, cold;
    struct correlation_case got = *c;
    if (sscanf(line, "%31[^\t]\t%63[^\t]\t%*u\t%llu\t%llu\t%llu\t%lf\t%lf", name, got.character, &instructions, &warm,
               &cold, &got.incumbent_seconds, &got.simtx_seconds) != 7 || strcmp(name, c->name))
        return false;
    got.thread_instructions = instructions;
    got.warm_cycles = warm;
    got.cold_cycles = cold;
    *c = got;
    return true;
}

uint32_t cases_read(const char *dir, struct correlation_case *out)
{
    char *shapes = read_file(dir, "shapes", ".txt"), *cycles = read_file(dir, "cycles", ".tsv"), *rest;
    uint32_t n = 0;
    for (char *line = strtok_r(shapes, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (*line == '#')
            continue;
        if (n == CASES_MAX)
            die("shapes.txt", "too many cases");
        out[n] = (struct correlation_case){ 0 };
        read_shape(&out[n++], line);
    }
    for (char *line = strtok_r(cycles, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        for (uint32_t i = 0; i < n && !read_cycles(&out[i], line); i++)
            ;
    for (uint32_t i = 0; i < n; i++)
        if (!out[i].thread_instructions)
            die("cycles.tsv has no row for", out[i].name);
    free(shapes);
    free(cycles);
    return n;
}

/* ---- inputs ---- */

struct run { simtx_gpu *gpu; uint64_t random; };

static uint64_t next_random(struct run *r)
{
    r->random = r->random * 6364136223846793005u + 1442695040888963407u;
    return r->random >> 33;
}

/* Sattolo: a permutation that is one cycle. */
static void shuffle(struct run *r, int32_t *v, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        v[i] = (int32_t)i;
    for (uint64_t i = n - 1; i > 0; i--) {
        uint64_t j = next_random(r) % i;
        int32_t x = v[i];
        v[i] = v[j];
        v[j] = x;
    }
}

static int32_t integer(struct run *r, const struct correlation_arg *a, uint64_t i, int32_t before)
{
    uint64_t m = (uint64_t)a->b;
    switch (a->kind) {
    case 'I': return (int32_t)(i % m);
    case 'R': return (int32_t)(next_random(r) % m);
    case 'S': return i ? before + 1 + (int32_t)(next_random(r) % (2 * m - 1)) : 0;
    default: return (int32_t)(i * 7919 + 1);
    }
}

static double real(struct run *r, const struct correlation_arg *a, uint64_t i)
{
    uint64_t v = a->kind == 'Q' ? next_random(r) : i;
    return (double)(v % (uint64_t)a->b) / 16;
}

static void fill(struct run *r, const struct correlation_arg *a, void *to, uint64_t n)
{
    if (a->kind == 'P')
        shuffle(r, to, n);
    for (uint64_t i = 0; i < n && a->kind != 'P'; i++)
        if (a->kind == 'D')
            ((double *)to)[i] = real(r, a, i);
        else if (a->kind == 'F' || a->kind == 'Q')
            ((float *)to)[i] = (float)real(r, a, i);
        else
            ((int32_t *)to)[i] = integer(r, a, i, i ? ((int32_t *)to)[i - 1] : 0);
}

/* A buffer with the argument's input. Z is not copied in: memory is zero. */
static void *buffer(struct run *r, const struct correlation_arg *a)
{
    uint64_t n = (uint64_t)a->a, bytes = a->kind == 'Z' ? n : a->kind == 'D' ? n * 8 : n * 4;
    void *device;
    if (simtx_malloc(r->gpu, bytes, SIMTX_MEM_DEVICE, &device))
        die("allocation", simtx_last_message(r->gpu));
    if (a->kind == 'Z')
        return device;
    fill(r, a, device, n);
    if (simtx_after_copy_to_device(r->gpu, device, bytes))
        die("copy", simtx_last_message(r->gpu));
    return device;
}

/* ---- launches ---- */

static simtx_gpu *open_gpu(const struct correlation_case *c, const char *preset, const char *const *config)
{
    simtx_config *k = simtx_config_new();
    char *message = NULL, registers[64];
    snprintf(registers, sizeof registers, "kernel.%s.registers=%u", c->kernel, c->registers);
    const char *own[] = { preset, "sim.mode=timing", registers };
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (*own[i] == '+' ? simtx_config_load(k, own[i] + 1, &message) : simtx_config_set(k, own[i], &message))
            die(own[i], message);
    for (; *config; config++)
        if (**config == '+' ? simtx_config_load(k, *config + 1, &message) : simtx_config_set(k, *config, &message))
            die(*config, message);
    simtx_gpu *g = simtx_gpu_new(k, 0, &message);
    if (!g)
        die("GPU", message);
    simtx_config_free(k);
    return g;
}

static simtx_kernel *load(simtx_gpu *g, const struct correlation_case *c, const char *dir)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/ptx", dir);
    char *text = read_file(path, c->kernel, ".ptx");
    simtx_module *m;
    if (simtx_module_load(g, text, strlen(text), c->kernel, &m))
        die(c->kernel, simtx_last_message(g));
    free(text);
    simtx_kernel *k = simtx_module_kernel(m, c->kernel);
    if (!k)
        die(c->kernel, "no such kernel");
    return k;
}

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct correlation_outcome case_run_on(const struct correlation_case *c, const char *dir, const char *preset,
                                       const char *const *config, void (*ended)(simtx_gpu *, void *), void *context)
{
    struct run r = { .gpu = open_gpu(c, preset, config), .random = 12345 };
    simtx_kernel *k = load(r.gpu, c, dir);
    union { void *buffer; int32_t i; float f; } value[ARGS_MAX];
    const void *args[ARGS_MAX];
    for (uint32_t i = 0; i < c->nargs; i++) {
        const struct correlation_arg *a = &c->arg[i];
        if (a->kind == 'i')
            value[i].i = (int32_t)a->a;
        else if (a->kind == 'f')
            value[i].f = (float)a->a;
        else
            value[i].buffer = buffer(&r, a);
        args[i] = &value[i];
    }
    simtx_launch_stats s;
    simtx_launch_params p = { .grid = { c->grid[0], c->grid[1], 1 }, .block = { c->block[0], c->block[1], 1 },
                              .args = args };
    double start = cpu_seconds();
    if (simtx_launch(k, &p, &s, NULL))
        die(c->name, simtx_last_message(r.gpu));
    double seconds = cpu_seconds() - start;
    if (ended)
        ended(r.gpu, context);
    simtx_gpu_free(r.gpu);
    return (struct correlation_outcome){ s.cycles, s.thread_instructions, seconds };
}

struct correlation_outcome case_run(const struct correlation_case *c, const char *dir, const char *const *config)
{
    return case_run_on(c, dir, "+gtx480-reference", config, NULL, NULL);
}
