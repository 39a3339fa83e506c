/*
 * The same result whatever the host does: each program runs with several numbers of host threads, quanta,
 * vector widths, again and again, and with another program running on another GPU of the process at the same
 * time. Memory, device output, faults and statistics (all but the "host" parts) must be those of the first
 * run.
 *
 *   determinism FILE.ptx...      A file says in its first comments:   grid N  block N
 *   "varies with quantum": the order of warps shows, so quanta are not compared;  "faults": ends in a fault,
 * where only the report is the same;  "deadlocks": in a deadlock, where memory and statistics are the same, too.
 */
#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/lib/simtx.h"

enum { TEXT_MAX = 1 << 14, BUFFER = 1 << 14, PRINTED = 1 << 14, SETTINGS = 4 };

struct program { const char *path; char text[TEXT_MAX]; unsigned grid, block; bool quantum_shows, faults, deadlocks; };

struct result {
    bool made;                       /* false: this machine cannot */
    simtx_status status;
    uint32_t in[BUFFER / 4], out[BUFFER / 4];
    char printed[PRINTED];
    size_t nprinted;
    char report[4096];
    json_t *stats;
    unsigned host_threads;
};

static int passed, failed;

static bool read_program(struct program *p, const char *path)
{
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(p->text, 1, sizeof p->text - 1, f) : 0;
    if (f)
        fclose(f);
    p->path = path;
    p->text[n] = 0;
    p->quantum_shows = strstr(p->text, "\n// varies with quantum\n");
    p->faults = strstr(p->text, "\n// faults\n");
    p->deadlocks = strstr(p->text, "\n// deadlocks\n");
    const char *shape = strstr(p->text, "\n// grid ");
    return shape && sscanf(shape, "\n// grid %u  block %u", &p->grid, &p->block) == 2;
}

/* ---- one run ---- */

static void gather(void *ctx, const char *text, size_t len)
{
    struct result *r = ctx;
    if (r->nprinted + len < PRINTED) {
        memcpy(r->printed + r->nprinted, text, len);
        r->nprinted += len;
    }
}

/* Takes out what may differ: "host" objects, and the configuration, which the variants change on purpose. */
static void strip(json_t *j)
{
    const char *key;
    json_t *v;
    void *next;
    size_t i;
    json_object_del(j, "config");
    json_object_del(j, "host");
    json_object_foreach_safe(j, next, key, v)
        strip(v);
    json_array_foreach(j, i, v)
        strip(v);
}

static void launch(simtx_gpu *g, const struct program *p, struct result *r)
{
    simtx_module *m = NULL;
    simtx_fault fault = { 0 };
    simtx_launch_stats stats = { 0 };
    void *in = NULL, *out = NULL;
    const void *args[] = { &in, &out };
    simtx_launch_params lp = { .grid = { p->grid, 1, 1 }, .block = { p->block, 1, 1 }, .args = args };
    r->status = simtx_malloc(g, BUFFER, SIMTX_MEM_DEVICE, &in);
    if (!r->status)
        r->status = simtx_malloc(g, BUFFER, SIMTX_MEM_DEVICE, &out);
    if (!r->status)
        r->status = simtx_module_load(g, p->text, strlen(p->text), p->path, &m);
    if (r->status) {
        snprintf(r->report, sizeof r->report, "%s", simtx_last_message(g));
        return;
    }
    for (uint32_t i = 0, x = 1; i < BUFFER / 4; i++) {
        x = x * 1664525 + 1013904223;
        ((uint32_t *)in)[i] = i ? x ^ x >> 13 : 0;
    }
    r->status = simtx_launch(simtx_module_kernel(m, "k"), &lp, &stats, &fault);
    snprintf(r->report, sizeof r->report, "%s", fault.report);
    memcpy(r->in, in, BUFFER);
    memcpy(r->out, out, BUFFER);
    r->host_threads = stats.host_threads;
}

static void run(const struct program *p, int index, const char *const *settings, struct result *r)
{
    simtx_config *c = simtx_config_new();
    char *message = NULL;
    bool fine = true;
    memset(r, 0, sizeof *r);
    for (int i = 0; i < SETTINGS && settings[i]; i++)
        fine &= simtx_config_set(c, settings[i], &message) == SIMTX_OK;
    simtx_gpu *g = fine ? simtx_gpu_new(c, index, &message) : NULL;
    r->made = g;
    if (g) {
        simtx_set_printf(g, gather, r);
        launch(g, p, r);
        char *text = simtx_stats_json(g);
        r->stats = text ? json_loads(text, 0, NULL) : NULL;
        strip(r->stats);
        free(text);
    } else
        snprintf(r->report, sizeof r->report, "%s", message ? message : "no GPU");
    free(message);
    simtx_gpu_free(g);
    simtx_config_free(c);
}

/* ---- comparing ---- */

static const char *difference(const struct program *p, const struct result *a, const struct result *b)
{
    if (a->status != b->status)
        return "another status";
    if (strcmp(a->report, b->report))
        return "another report";
    if (p->faults)
        return a->status == SIMTX_FAULT ? NULL : "no fault";
    if (a->status != (p->deadlocks ? SIMTX_FAULT : SIMTX_OK))
        return p->deadlocks ? "no fault" : "does not run";
    if (memcmp(a->in, b->in, BUFFER) || memcmp(a->out, b->out, BUFFER))
        return "other memory";
    if (a->nprinted != b->nprinted || memcmp(a->printed, b->printed, a->nprinted))
        return "other device output";
    return a->stats && b->stats && json_equal(a->stats, b->stats) ? NULL : "other statistics";
}

static void verdict(const struct program *p, const char *how, const struct result *a, const struct result *b)
{
    const char *wrong = difference(p, a, b);
    if (!wrong) {
        passed++;
        return;
    }
    failed++;
    printf("%s, %s: %s\n%s%s%s", p->path, how, wrong, a->report, *b->report ? "--\n" : "", b->report);
}

/* A reference says nothing when the program did nothing. */
static bool did_something(const struct program *p, const struct result *r)
{
    uint32_t any = 0;
    for (size_t i = 0; i < BUFFER / 4; i++)
        any |= r->out[i];
    return any || p->faults;
}

static const struct variant { const char *name, *settings[SETTINGS]; bool quantum; } variants[] = {
    { "again", { "functional.threads=1" }, false },
    { "as many threads as cores", { NULL }, false },
    { "2 threads", { "functional.threads=2", "functional.threads_after=0" }, false },
    { "3 threads", { "functional.threads=3", "functional.threads_after=0" }, false },
    { "3 threads again", { "functional.threads=3", "functional.threads_after=0" }, false },
    { "quantum 1", { "functional.quantum=1" }, true },
    { "quantum 7", { "functional.quantum=7" }, true },
    { "quantum 1000000, 2 threads",
      { "functional.quantum=1000000", "functional.threads=2", "functional.threads_after=0" }, true },
    { "base", { "host.isa=base" }, false },
    { "base, 2 threads", { "host.isa=base", "functional.threads=2", "functional.threads_after=0" }, false },
    { "avx2", { "host.isa=avx2" }, false },
    { "avx512", { "host.isa=avx512" }, false },
};

static void run_variants(const struct program *p, const struct result *first)
{
    static struct result other;
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        if (variants[i].quantum && p->quantum_shows)
            continue;
        run(p, 0, variants[i].settings, &other);
        if (other.made)
            verdict(p, variants[i].name, first, &other);
        else if (strncmp(variants[i].name, "avx", 3)) {
            failed++;
            printf("%s, %s: %s", p->path, variants[i].name, other.report);
        }
        json_decref(other.stats);
    }
}

/* ---- two GPUs of one process at the same time ---- */

struct job {
    const struct program *p;
    int index;
    const char *settings[SETTINGS];
    struct result *r;
    int times;
};

static void *run_job(void *arg)
{
    struct job *j = arg;
    for (int i = 0; i < j->times; i++) {
        if (i)
            json_decref(j->r->stats);
        run(j->p, j->index, j->settings, j->r);
    }
    return NULL;
}

static void run_beside(const struct program *p, const struct result *first, const struct program *q,
                       const struct result *q_first)
{
    static struct result a, b;
    struct job mine = { p, 2, { "functional.threads=2", "functional.threads_after=0" }, &a, 3 },
               other = { q, 5, { "host.isa=base" }, &b, 3 };
    pthread_t t;
    if (pthread_create(&t, NULL, run_job, &other)) {
        failed++;
        printf("%s: no second thread\n", p->path);
        return;
    }
    run_job(&mine);
    pthread_join(t, NULL);
    verdict(p, "beside another GPU", first, &a);
    verdict(q, "on another GPU", q_first, &b);
    json_decref(a.stats);
    json_decref(b.stats);
}

int main(int argc, char **argv)
{
    int n = argc - 1, parallel = 0;
    struct program *p = calloc((size_t)n + 1, sizeof *p);
    struct result *first = calloc((size_t)n + 1, sizeof *first), threads;
    static const char *const one[SETTINGS] = { "functional.threads=1" },
                             *const two[SETTINGS] = { "functional.threads=2", "functional.threads_after=0" };
    if (!p || !first)
        return 1;
    for (int i = 0; i < n; i++) {
        bool fine = read_program(&p[i], argv[i + 1]);
        if (fine)
            run(&p[i], 0, one, &first[i]);
        if (!fine || !did_something(&p[i], &first[i])) {
            failed++;
            printf("%s: announces no launch, or does nothing\n%s", argv[i + 1], first[i].report);
            continue;
        }
        run_variants(&p[i], &first[i]);
        run(&p[i], 0, two, &threads);
        parallel += threads.host_threads == 2;
        json_decref(threads.stats);
    }
    for (int i = 0; i + 1 < n; i++)
        run_beside(&p[i], &first[i], &p[i + 1], &first[i + 1]);
    if (parallel < 4) {
        failed++;
        printf("only %d programs ran on two host threads\n", parallel);
    }
    for (int i = 0; i < n; i++)
        json_decref(first[i].stats);
    free(first);
    free(p);
    printf("determinism: %d passed, %d failed\n", passed, failed);
    return failed || !passed;
}
