/* The reference workloads: inputs, launches, and what must come out. */
#include "base/alloc.h"
#include "base/file.h"
#include "regress/reference/workloads.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/lib/simtx.h"

const struct workload workloads[WORKLOADS] = {
    { "vadd", 22020096, 85737, 0.491e6 },
    { "gemm", 21676032, 60882, 0.931e6 },
    { "bfs", 5846196, 120554, 0.207e6 },
    { "reduce", 10879488, 18440, 0.781e6 },
};

struct run {
    simtx_gpu *gpu;
    simtx_module *module;
    double seconds;
};

static void die(const char *what, const char *why)
{
    fprintf(stderr, "reference: %s: %s\n", what, why ? why : "failed");
    exit(1);
}

static char *read_file(const char *dir, const char *name, size_t *len)
{
    char *path = mem_format("%s/%s.ptx", dir, name), *text = file_read(path, len);
    if (!text)
        die(path, "cannot be read");
    free(path);
    return text;
}

static void open_gpu(struct run *r, const char *text, size_t len, const char *name, const char *const *config)
{
    simtx_config *c = simtx_config_new();
    char *message = NULL;
    for (; *config; config++)
        if (**config == '+' ? simtx_config_load(c, *config + 1, &message) : simtx_config_set(c, *config, &message))
            die(*config, message);
    r->gpu = simtx_gpu_new(c, 0, &message);
    if (!r->gpu)
        die("GPU", message);
    simtx_config_free(c);
    if (simtx_module_load(r->gpu, text, len, name, &r->module))
        die(name, simtx_last_message(r->gpu));
    r->seconds = 0;
}

static void *device(struct run *r, size_t bytes)
{
    void *p;
    if (simtx_malloc(r->gpu, bytes, SIMTX_MEM_DEVICE, &p))
        die("allocation", simtx_last_message(r->gpu));
    return p;
}

/* The host has filled these bytes by a copy. */
static void copied(struct run *r, const void *p, size_t bytes)
{
    if (simtx_after_copy_to_device(r->gpu, p, bytes))
        die("copy", simtx_last_message(r->gpu));
}

static void launch(struct run *r, const char *kernel, simtx_dim3 grid, simtx_dim3 block, const void *const *args)
{
    simtx_launch_stats s;
    simtx_launch_params p = { .grid = grid, .block = block, .args = args };
    simtx_kernel *k = simtx_module_kernel(r->module, kernel);
    if (!k || simtx_launch(k, &p, &s, NULL))
        die(kernel, k ? simtx_last_message(r->gpu) : "no such kernel");
    r->seconds += s.seconds;
}

static struct workload_result close_gpu(struct run *r, bool correct, char **stats)
{
    char *text = simtx_stats_json(r->gpu);
    json_t *root = json_loads(text, 0, NULL), *total = json_object_get(root, "total");
    struct workload_result w = {
        .cycles = (uint64_t)json_integer_value(json_object_get(total, "cycles")),
        .thread_instructions = (uint64_t)json_integer_value(json_object_get(total, "thread_instructions")),
        .seconds = r->seconds,
        .correct = correct,
    };
    json_decref(root);
    if (stats)
        *stats = text;
    else
        free(text);
    simtx_gpu_free(r->gpu);
    return w;
}

static bool run_vadd(struct run *r)
{
    int n = 1 << 20;
    float *a = device(r, (size_t)n * 4), *b = device(r, (size_t)n * 4), *c = device(r, (size_t)n * 4);
    for (int i = 0; i < n; i++) {
        a[i] = (float)i;
        b[i] = 2.0f * (float)(i % 1000);
    }
    copied(r, a, (size_t)n * 4);
    copied(r, b, (size_t)n * 4);
    const void *args[] = { &a, &b, &c, &n };
    launch(r, "vecadd", (simtx_dim3){ 4096, 1, 1 }, (simtx_dim3){ 256, 1, 1 }, args);
    bool ok = true;
    for (int i = 0; i < n; i++)
        ok = ok && c[i] == a[i] + b[i];
    return ok;
}

static bool run_gemm(struct run *r)
{
    int n = 128;
    size_t bytes = (size_t)n * (size_t)n * 4;
    float *a = device(r, bytes), *b = device(r, bytes), *c = device(r, bytes), alpha = 1.5f, beta = 0.5f;
    for (int i = 0; i < n * n; i++) {
        a[i] = (float)(i % 7);
        b[i] = (float)(i % 5);
        c[i] = (float)(i % 3);
    }
    copied(r, a, bytes);
    copied(r, b, bytes);
    copied(r, c, bytes);
    const void *args[] = { &a, &b, &c, &alpha, &beta, &n, &n, &n };
    launch(r, "gemm", (simtx_dim3){ 4, 16, 1 }, (simtx_dim3){ 32, 8, 1 }, args);
    bool ok = true;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = (float)((i * n + j) % 3) * beta;
            for (int k = 0; k < n; k++)
                sum = fmaf(a[i * n + k] * alpha, b[k * n + j], sum);
            ok = ok && c[i * n + j] == sum;
        }
    return ok;
}

struct graph { int n, *start, *edge; };

static unsigned next_random(unsigned *x)
{
    *x = *x * 1664525 + 1013904223;
    return *x >> 8;
}

static struct graph make_graph(struct run *r, int n)
{
    unsigned x = 12345;
    struct graph g = { .n = n, .start = device(r, ((size_t)n + 1) * 4) };
    for (int i = 0; i < n; i++)
        g.start[i + 1] = g.start[i] + 2 + (int)(next_random(&x) % 9);
    g.edge = device(r, (size_t)g.start[n] * 4);
    for (int i = 0; i < g.start[n]; i++)
        g.edge[i] = (int)(next_random(&x) % (unsigned)n);
    return g;
}

static bool levels_are_right(const struct graph *g, const int *cost)
{
    int *want = malloc((size_t)g->n * 4), *queue = malloc((size_t)g->n * 4), head = 0, tail = 0;
    memset(want, 0xff, (size_t)g->n * 4);
    want[0] = 0;
    queue[tail++] = 0;
    while (head < tail) {
        int t = queue[head++];
        for (int e = g->start[t]; e < g->start[t + 1]; e++)
            if (want[g->edge[e]] < 0) {
                want[g->edge[e]] = want[t] + 1;
                queue[tail++] = g->edge[e];
            }
    }
    bool ok = !memcmp(want, cost, (size_t)g->n * 4);
    free(want);
    free(queue);
    return ok;
}

static bool run_bfs(struct run *r)
{
    struct graph g = make_graph(r, 16384);
    char *mask = device(r, (size_t)g.n), *update = device(r, (size_t)g.n), *visited = device(r, (size_t)g.n);
    int *cost = device(r, (size_t)g.n * 4), *over = device(r, 4);
    memset(cost, 0xff, (size_t)g.n * 4);
    mask[0] = visited[0] = 1;
    cost[0] = 0;
    copied(r, g.start, ((size_t)g.n + 1) * 4);
    copied(r, g.edge, (size_t)g.start[g.n] * 4);
    copied(r, mask, (size_t)g.n);
    copied(r, update, (size_t)g.n);
    copied(r, visited, (size_t)g.n);
    copied(r, cost, (size_t)g.n * 4);
    const simtx_dim3 grid = { (uint32_t)g.n / 256, 1, 1 }, block = { 256, 1, 1 };
    do {
        const void *one[] = { &g.start, &g.edge, &mask, &update, &visited, &cost, &g.n };
        const void *two[] = { &mask, &update, &visited, &over, &g.n };
        *over = 0;
        copied(r, over, 4);
        launch(r, "bfs1", grid, block, one);
        launch(r, "bfs2", grid, block, two);
    } while (*over);
    return levels_are_right(&g, cost);
}

static bool run_reduce(struct run *r)
{
    int n = 1 << 18, blocks = 512;
    float *in = device(r, (size_t)n * 4), *out = device(r, (size_t)blocks * 4);
    for (int i = 0; i < n; i++)
        in[i] = (float)(i % 11);
    copied(r, in, (size_t)n * 4);
    const void *args[] = { &in, &out, &n };
    launch(r, "reduce", (simtx_dim3){ (uint32_t)blocks, 1, 1 }, (simtx_dim3){ 256, 1, 1 }, args);
    bool ok = true;
    for (int b = 0; b < blocks; b++) {
        float sum = 0;
        for (int i = 0; i < 512; i++)
            sum += in[b * 512 + i];
        ok = ok && out[b] == sum;
    }
    return ok;
}

struct workload_result workload_run(const char *name, const char *dir, const char *const *config, char **stats)
{
    static bool (*const run[WORKLOADS])(struct run *) = { run_vadd, run_gemm, run_bfs, run_reduce };
    struct run r;
    size_t len;
    char *text = read_file(dir, name, &len);
    open_gpu(&r, text, len, name, config);
    bool correct = false;
    for (int i = 0; i < WORKLOADS; i++)
        if (!strcmp(workloads[i].name, name))
            correct = run[i](&r);
    free(text);
    return close_gpu(&r, correct, stats);
}

struct workload_result chase_run(uint64_t n, uint64_t stride, uint64_t steps, const char *const *config, char **stats)
{
    static const char text[] =
        ".version 6.0\n.target sm_30\n.address_size 64\n"
        ".visible .entry chase(.param .u64 first, .param .u64 steps, .param .u64 out)\n"
        "{\n"
        "    .reg .b64 %p, %n, %o;\n    .reg .pred %q;\n"
        "    ld.param.u64 %p, [first];\n    ld.param.u64 %n, [steps];\n    ld.param.u64 %o, [out];\n"
        "again:\n"
        "    ld.global.u64 %p, [%p];\n    add.s64 %n, %n, -1;\n    setp.ne.s64 %q, %n, 0;\n    @%q bra again;\n"
        "    st.global.u64 [%o], %p;\n    ret;\n"
        "}\n";
    struct run r;
    open_gpu(&r, text, sizeof text - 1, "chase.ptx", config);
    char *first = device(&r, n * stride);
    uint64_t *out = device(&r, 8);
    for (uint64_t i = 0; i < n; i++)
        *(uint64_t *)(void *)(first + i * stride) = (uint64_t)(uintptr_t)(first + (i + 1) % n * stride);
    const void *args[] = { &first, &steps, &out };
    launch(&r, "chase", (simtx_dim3){ 1, 1, 1 }, (simtx_dim3){ 1, 1, 1 }, args);
    return close_gpu(&r, *out == (uint64_t)(uintptr_t)(first + steps % n * stride), stats);
}
