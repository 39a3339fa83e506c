/*
 * The speed benchmark (make bench): functional mode on one core against plain C compiled by gcc -O2, in one run on one
 * machine; the cost of a launch; how fast PTX text loads; how long a program takes to start; the simulator's own
 * memory. Times are processor time of this thread, the least of several, so that a loaded machine changes them little.
 * Prints a table and writes build/bench.json, a flat object. Every result is compared with the plain C one.
 *
 *     bench KERNELS.ptx STARTUP_PROGRAM OUT.json
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "frontend/lib/simtx.h"
#include "regress/bench/reference.h"

enum { REPEATS = 10, EMPTY_LAUNCHES = 100000 };

static json_t *result;
static clockid_t clock_id = CLOCK_MONOTONIC;
static simtx_gpu *gpu;
static simtx_module *module;

static double now(void)
{
    struct timespec t;
    clock_gettime(clock_id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void die(const char *what)
{
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

static void *device(size_t bytes)
{
    void *p;
    if (simtx_malloc(gpu, bytes, SIMTX_MEM_DEVICE, &p))
        die(simtx_last_message(gpu));
    return p;
}

static simtx_launch_stats launch(const char *kernel, simtx_dim3 grid, simtx_dim3 block, const void *const *args)
{
    simtx_launch_stats s;
    simtx_launch_params p = { .grid = grid, .block = block, .args = args };
    simtx_kernel *k = simtx_module_kernel(module, kernel);
    double t = now();
    if (!k || simtx_launch(k, &p, &s, NULL))
        die(simtx_last_message(gpu));
    s.seconds = now() - t;
    return s;
}

static void put(const char *key, double value)
{
    json_object_set_new(result, key, json_real(value));
}

static void row(const char *name, double insts, double seconds, double c_seconds, bool same)
{
    char key[80];
    printf("%-10s %10.1f %14.0f %12.2f %12.2f %9.2f  %s\n", name, insts * 1e-6, insts / seconds * 1e-6, seconds * 1e3,
           c_seconds * 1e3, seconds / c_seconds, same ? "same result" : "RESULTS DIFFER");
    snprintf(key, sizeof key, "functional.%s.thread_inst_per_s", name);
    put(key, insts / seconds);
    snprintf(key, sizeof key, "functional.%s.time_over_c", name);
    put(key, seconds / c_seconds);
    if (!same)
        die("a kernel and its plain C counterpart disagree");
}

static void bench_alu(void)
{
    int threads = 1 << 15, rounds = 1000;
    size_t bytes = (size_t)threads * 4;
    unsigned *out = device(bytes), *ref = malloc(bytes);
    float *fout = device(bytes), *fref = malloc(bytes);
    double best = 1e9, c = 1e9, insts = 0;
    for (int k = 0; k < REPEATS; k++) {
        const void *args[] = { &out, &fout, &rounds };
        simtx_launch_stats s = launch("alu", (simtx_dim3){ (uint32_t)threads / 256, 1, 1 }, (simtx_dim3){ 256, 1, 1 },
                                      args);
        insts = (double)s.thread_instructions;
        best = s.seconds < best ? s.seconds : best;
        double t = now();
        c_alu(ref, fref, threads, rounds);
        t = now() - t;
        c = t < c ? t : c;
    }
    /* the kernel's compiler fuses x * 0.999f + 1.0f and C's does not, so the floats agree only closely */
    bool same = !memcmp(out, ref, bytes);
    for (int t = 0; t < threads; t++)
        same = same && fabsf(fout[t] - fref[t]) <= 1e-4f * fabsf(fref[t]);
    row("alu", insts, best, c, same);
    free(ref);
    free(fref);
}

static void bench_gemm(void)
{
    int n = 256;
    size_t bytes = (size_t)n * (size_t)n * sizeof(float);
    float *a = device(bytes), *b = device(bytes), *c = device(bytes), *ref = malloc(bytes), alpha = 2, beta = 1;
    double best = 1e9, c_best = 1e9, insts = 0;
    for (int i = 0; i < n * n; i++) {
        a[i] = (float)(i % 7);
        b[i] = (float)(i % 5);
    }
    for (int k = 0; k < REPEATS; k++) {
        const void *args[] = { &a, &b, &c, &alpha, &beta, &n };
        memset(c, 0, bytes);
        memset(ref, 0, bytes);
        simtx_launch_stats s = launch("gemm", (simtx_dim3){ (uint32_t)n / 32, (uint32_t)n / 8, 1 },
                                      (simtx_dim3){ 32, 8, 1 }, args);
        insts = (double)s.thread_instructions;
        best = s.seconds < best ? s.seconds : best;
        double t = now();
        c_gemm(a, b, ref, alpha, beta, n);
        t = now() - t;
        c_best = t < c_best ? t : c_best;
    }
    row("gemm", insts, best, c_best, !memcmp(c, ref, bytes));
    free(ref);
}

static void bench_bfs(void)
{
    int n = 1 << 17;
    unsigned x = 12345;
    int *row_start = device(((size_t)n + 1) * 4), *cost = device((size_t)n * 4), *more = device(4);
    int *ref = malloc((size_t)n * 4);
    for (int i = 0; i < n; i++) {
        x = x * 1664525 + 1013904223;
        row_start[i + 1] = row_start[i] + 2 + (int)((x >> 8) % 9);
    }
    int *col = device((size_t)row_start[n] * 4);
    for (int i = 0; i < row_start[n]; i++) {
        x = x * 1664525 + 1013904223;
        col[i] = (int)((x >> 8) % (unsigned)n);
    }
    double best = 1e9, c_best = 1e9, insts = 0;
    for (int k = 0; k < REPEATS; k++) {
        double seconds = 0;
        insts = 0;
        memset(cost, 0xff, (size_t)n * 4);
        memset(ref, 0xff, (size_t)n * 4);
        cost[0] = ref[0] = 0;
        *more = 1;
        for (int level = 0; *more; level++) {
            const void *args[] = { &row_start, &col, &cost, &level, &more, &n };
            *more = 0;
            simtx_launch_stats s = launch("bfs", (simtx_dim3){ (uint32_t)n / 256, 1, 1 }, (simtx_dim3){ 256, 1, 1 },
                                          args);
            insts += (double)s.thread_instructions;
            seconds += s.seconds;
        }
        best = seconds < best ? seconds : best;
        double t = now();
        c_bfs(row_start, col, ref, n);
        t = now() - t;
        c_best = t < c_best ? t : c_best;
    }
    row("bfs", insts, best, c_best, !memcmp(cost, ref, (size_t)n * 4));
    free(ref);
}

static void bench_atomic(void)
{
    int n = 1 << 22;
    unsigned *in = device((size_t)n * 4), *bins = device(1024), ref[256], x = 1;
    double best = 1e9, c_best = 1e9, insts = 0;
    for (int i = 0; i < n; i++) {
        x = x * 1664525 + 1013904223;
        in[i] = x >> 8;
    }
    for (int k = 0; k < REPEATS; k++) {
        const void *args[] = { &in, &bins, &n };
        memset(bins, 0, 1024);
        memset(ref, 0, sizeof ref);
        simtx_launch_stats s = launch("histogram", (simtx_dim3){ 160, 1, 1 }, (simtx_dim3){ 256, 1, 1 }, args);
        insts = (double)s.thread_instructions;
        best = s.seconds < best ? s.seconds : best;
        double t = now();
        c_histogram(in, ref, n);
        t = now() - t;
        c_best = t < c_best ? t : c_best;
    }
    row("atomic", insts, best, c_best, !memcmp(bins, ref, sizeof ref));
}

/* A kernel of one thread that returns at once. */
static void bench_empty(void)
{
    double best = 1e9;
    simtx_launch_params p = { .grid = { 1, 1, 1 }, .block = { 1, 1, 1 } };
    simtx_kernel *k = simtx_module_kernel(module, "empty");
    for (int r = 0; r < REPEATS; r++) {
        double t = now();
        for (int i = 0; i < EMPTY_LAUNCHES; i++)
            if (simtx_launch(k, &p, NULL, NULL))
                die(simtx_last_message(gpu));
        t = (now() - t) / EMPTY_LAUNCHES;
        best = t < best ? t : best;
    }
    printf("\nan empty launch: %.0f ns\n", best * 1e9);
    put("functional.empty_launch_ns", best * 1e9);
}

/* The module's text over and over with the kernels renamed, up to about 5 MB. */
static void bench_load(const char *ptx, size_t len)
{
    enum { BYTES = 5 << 20 };
    char *text = malloc(BYTES + len * 2), *body = strstr(ptx, ".visible");
    size_t at = body ? (size_t)(body - ptx) : 0;
    if (!text || !body)
        die("the kernels' PTX has no kernel");
    memcpy(text, ptx, at);
    for (int copy = 0; at < BYTES; copy++)
        for (const char *p = body; *p;) {
            static const char *const names[] = { "alu", "gemm", "bfs", "histogram", "empty" };
            size_t n = 0;
            for (size_t i = 0; i < sizeof names / sizeof *names; i++)
                if (!strncmp(p, names[i], strlen(names[i])) && (p[-1] == ' ' || p[-1] == '[' || p[-1] == '\t'))
                    n = strlen(names[i]);
            if (n)
                at += (size_t)sprintf(text + at, "%.*s_%d", (int)n, p, copy);
            else
                text[at++] = *p;
            p += n ? n : 1;
        }
    text[at] = 0;
    simtx_module *m;
    double best = 1e9;
    for (int k = 0; k < REPEATS; k++) {
        double t = now();
        if (simtx_module_load(gpu, text, at, "big.ptx", &m))
            die(simtx_last_message(gpu));
        t = now() - t;
        simtx_module_unload(m);
        best = t < best ? t : best;
    }
    printf("\nloading PTX: %.1f MB in %.0f ms, %.1f MB/s\n", (double)at * 1e-6, best * 1e3, (double)at * 1e-6 / best);
    put("ptx.load.mb_per_s", (double)at * 1e-6 / best);
    put("ptx.load.5mb_ms", 5e6 / ((double)at / best) * 1e3);
    free(text);
}

/* A whole program with one small kernel, from exec to exit, best of ten. */
static void bench_startup(const char *program)
{
    double best = 1e9;
    for (int k = 0; k < 10; k++) {
        double t = now();
        pid_t pid = fork();
        if (pid == 0) {
            setenv("SIMTX_QUIET", "1", 1);
            execl(program, program, (char *)NULL);
            _exit(127);
        }
        int status = 1;
        if (pid < 0 || waitpid(pid, &status, 0) < 0 || status)
            die("the start-up program failed");
        t = now() - t;
        best = t < best ? t : best;
    }
    printf("starting a program with one small kernel: %.1f ms\n", best * 1e3);
    put("run.startup_ms", best * 1e3);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        die("usage: bench KERNELS.ptx STARTUP_PROGRAM OUT.json");
    size_t len;
    char *ptx = file_read(argv[1], &len), *message = NULL;
    if (!ptx)
        die(argv[1]);
    simtx_config *config = simtx_config_new();
    simtx_config_set(config, "functional.threads=1", NULL);
    result = json_object();
    bench_startup(argv[2]);              /* of another process, so by the clock */
    clock_id = CLOCK_THREAD_CPUTIME_ID;
    gpu = simtx_gpu_new(config, 0, &message);
    if (!gpu || simtx_module_load(gpu, ptx, len, argv[1], &module))
        die(gpu ? simtx_last_message(gpu) : message);
    printf("\n%-10s %10s %14s %12s %12s %9s\n", "kernel", "M inst", "M inst/s", "simtx ms", "gcc -O2 ms", "ratio");
    bench_alu();
    bench_gemm();
    bench_bfs();
    bench_atomic();
    bench_empty();
    bench_load(ptx, len);
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    printf("peak memory of this process: %.0f MB\n", (double)u.ru_maxrss / 1024);
    put("run.rss_mb", (double)u.ru_maxrss / 1024);
    if (json_dump_file(result, argv[3], JSON_INDENT(2) | JSON_SORT_KEYS))
        die("cannot write the result file");
    json_decref(result);
    simtx_gpu_free(gpu);
    simtx_config_free(config);
    free(ptx);
    return 0;
}
