/*
 * The speed of timing mode (make bench): the reference workloads on one host thread against the incumbent's measured
 * rates, a pointer chase by one warp, two host threads against what this machine gives two runs at once, and CPU time
 * of a simulated cycle and memory with 15 to 160 SMs. Each run is a process of its own, so that memory and caches start
 * alike. Adds its figures to the object in build/bench.json.
 *
 *     bench_timing DIR_OF_PTX OUT.json
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "regress/reference/workloads.h"

enum { REPEATS = 3, CONFIG_MAX = 16 };

static const char *dir;
static json_t *result;

struct outcome { struct workload_result r; double rss_mb, cpu_s; };

static void put(const char *key, double value)
{
    json_object_set_new(result, key, json_real(value));
}

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

/* Starts a child that runs a workload ("chase" or a reference one) and leaves what came out in shared memory. */
static pid_t start(const char *name, const char *const *config, struct outcome *out)
{
    pid_t pid = fork();
    if (pid)
        return pid;
    out->r = strcmp(name, "chase") ? workload_run(name, dir, config, NULL) : chase_run(4096, 4096, 20000, config, NULL);
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    out->rss_mb = (double)u.ru_maxrss / 1024;
    out->cpu_s = seconds_of(u.ru_utime) + seconds_of(u.ru_stime);
    _exit(out->r.correct ? 0 : 1);
}

static void finish(pid_t pid, const char *name)
{
    int status = 1;
    if (pid < 0 || waitpid(pid, &status, 0) < 0 || status) {
        fprintf(stderr, "bench: %s in timing mode failed\n", name);
        exit(1);
    }
}

static struct outcome run(const char *name, const char *const *config, struct outcome *shared)
{
    finish(start(name, config, shared), name);
    return *shared;
}

static struct outcome best_of(const char *name, const char *const *config, struct outcome *shared)
{
    struct outcome best = run(name, config, shared);
    for (int i = 1; i < REPEATS; i++) {
        struct outcome o = run(name, config, shared);
        if (o.r.seconds < best.r.seconds)
            best = o;
    }
    return best;
}

static void bench_reference(struct outcome *shared)
{
    static const char *const config[] = { "+gtx480-reference", "sim.mode=timing", "kernel.gemm.registers=24",
                                          "kernel.gemm.ctas_per_sm=5", NULL };
    double log_sum = 0;
    printf("\n%-8s %10s %14s %16s %12s\n", "timing", "cycles", "M inst/s", "kilo cycles/s", "x incumbent");
    for (int i = 0; i < WORKLOADS; i++) {
        const struct workload *w = &workloads[i];
        struct workload_result r = best_of(w->name, config, shared).r;
        double speed = (double)r.thread_instructions / r.seconds;
        char key[80];
        printf("%-8s %10llu %14.2f %16.0f %12.0f\n", w->name, (unsigned long long)r.cycles, speed * 1e-6,
               (double)r.cycles / r.seconds * 1e-3, speed / w->gtx480_inst_per_s);
        snprintf(key, sizeof key, "timing.%s.thread_inst_per_s", w->name);
        put(key, speed);
        snprintf(key, sizeof key, "timing.%s.cycles", w->name);
        put(key, (double)r.cycles);
        log_sum += log(speed / w->gtx480_inst_per_s);
    }
    printf("geometric mean over the incumbent's rate: %.0f\n", exp(log_sum / WORKLOADS));
    put("timing.speed_over_incumbent", exp(log_sum / WORKLOADS));
}

static void bench_chase(struct outcome *shared)
{
    static const char *const config[] = { "+gtx480-reference", "sim.mode=timing", NULL };
    struct workload_result r = best_of("chase", config, shared).r;
    printf("pointer chase in DRAM, one warp: %.1f M cycles/s\n", (double)r.cycles / r.seconds * 1e-6);
    put("timing.chase.cycles_per_s", (double)r.cycles / r.seconds);
}

/* Two host threads on one run, against two runs side by side on this machine. */
static void bench_threads(const char *preset, const char *name, struct outcome *shared)
{
    char load[64], key[80];
    const char *const one[] = { load, "sim.mode=timing", "sim.threads=1", NULL };
    const char *const two[] = { load, "sim.mode=timing", "sim.threads=2", NULL };
    double best_one = 1e9, best_two = 1e9, best_pair = 1e9;
    snprintf(load, sizeof load, "+%s", preset);
    for (int i = 0; i < REPEATS; i++) {
        best_one = fmin(best_one, run(name, one, shared).r.seconds);
        best_two = fmin(best_two, run(name, two, shared).r.seconds);
        pid_t p = start(name, one, shared), q = start(name, one, shared + 1);
        finish(p, name);
        finish(q, name);
        best_pair = fmin(best_pair, fmax(shared[0].r.seconds, shared[1].r.seconds));
    }
    double speedup = best_one / best_two, ceiling = 2 * best_one / best_pair;
    printf("%-16s %-8s %10.2f %10.2f %10.2f\n", preset, name, speedup, ceiling, speedup / ceiling);
    snprintf(key, sizeof key, "timing.threads2.%s.%s.speedup", preset, name);
    put(key, speedup);
    snprintf(key, sizeof key, "timing.threads2.%s.%s.ceiling", preset, name);
    put(key, ceiling);
}

static void bench_all_threads(struct outcome *shared)
{
    static const char *const preset[] = { "gtx480-reference", "gtx480" };
    printf("\ntwo host threads beside two runs at once\n%-16s %-8s %10s %10s %10s\n", "preset", "", "threads", "runs",
           "ratio");
    for (size_t k = 0; k < sizeof preset / sizeof *preset; k++)
        for (int i = 0; i < WORKLOADS; i++)
            bench_threads(preset[k], workloads[i].name, shared);
}

/* The same kernel on larger machines: CPU time of a simulated cycle, and memory of the process. */
static void bench_scaling(struct outcome *shared)
{
    static const int sms[] = { 15, 30, 80, 160 };
    printf("\n%-10s %10s %12s %18s %10s\n", "vadd, SMs", "cycles", "ns/cycle", "ns/(cycle and SM)", "MB");
    for (size_t i = 0; i < sizeof sms / sizeof *sms; i++) {
        char set[32], key[80];
        snprintf(set, sizeof set, "gpu.sms=%d", sms[i]);
        const char *const config[] = { "+gtx480", "sim.mode=timing", set, NULL };
        struct outcome best = run("vadd", config, shared);
        for (int k = 1; k < REPEATS; k++) {
            struct outcome o = run("vadd", config, shared);
            best = o.cpu_s < best.cpu_s ? o : best;
        }
        double ns = best.cpu_s * 1e9 / (double)best.r.cycles;
        printf("%-10d %10llu %12.0f %18.1f %10.0f\n", sms[i], (unsigned long long)best.r.cycles, ns, ns / sms[i],
               best.rss_mb);
        snprintf(key, sizeof key, "timing.sms%d.ns_per_cycle", sms[i]);
        put(key, ns);
        snprintf(key, sizeof key, "timing.sms%d.rss_mb", sms[i]);
        put(key, best.rss_mb);
    }
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: bench_timing DIR_OF_PTX OUT.json\n");
        return 2;
    }
    dir = argv[1];
    result = json_load_file(argv[2], 0, NULL);
    if (!result)
        result = json_object();
    struct outcome *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return 1;
    bench_reference(shared);
    bench_chase(shared);
    bench_all_threads(shared);
    bench_scaling(shared);
    if (json_dump_file(result, argv[2], JSON_INDENT(2) | JSON_SORT_KEYS)) {
        fprintf(stderr, "bench: cannot write %s\n", argv[2]);
        return 1;
    }
    json_decref(result);
    return 0;
}
