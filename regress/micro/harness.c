/* Making, running and reading a microbenchmark. */
#include "regress/micro/harness.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/lib/simtx.h"

enum { OUT_BYTES = 4 << 20 };

static const char head[] =
    ".version 7.0\n.target sm_80\n.address_size 64\n.const .align 64 .b8 table[16384];\n"
    ".visible .entry k(.param .u64 data_param, .param .u64 out_param)\n{\n"
    "    .reg .b64 %a<10>, %data, %out, %wide;\n    .reg .b32 %r<64>, %me, %t<4>;\n"
    "    .reg .f32 %f<64>;\n    .reg .f64 %d<64>;\n"
    "    .reg .pred %p<4>;\n    .shared .align 16 .b8 mem[16384];\n"
    "    ld.param.u64 %data, [data_param];\n    ld.param.u64 %out, [out_param];\n"
    "    mov.u32 %t0, %ctaid.x;\n    mov.u32 %t1, %ntid.x;\n    mov.u32 %t2, %tid.x;\n"
    "    mad.lo.u32 %me, %t0, %t1, %t2;\n    cvt.u64.u32 %wide, %me;\n";

struct text *text_new(void)
{
    struct text *t = calloc(1, sizeof *t);
    t->at = malloc(TEXT_MAX);
    text_add(t, "%s", head);
    return t;
}

void text_add(struct text *t, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    t->len += (size_t)vsnprintf(t->at + t->len, TEXT_MAX - t->len, format, ap);
    va_end(ap);
    if (t->len >= TEXT_MAX) {
        fprintf(stderr, "micro: kernel too long\n");
        exit(1);
    }
}

static simtx_config *configure(const char *const *settings)
{
    simtx_config *c = simtx_config_new();
    char *message = NULL;
    for (; *settings; settings++)
        if (**settings == '+' ? simtx_config_load(c, *settings + 1, &message)
                              : simtx_config_set(c, *settings, &message)) {
            fprintf(stderr, "micro: %s: %s\n", *settings, message ? message : "");
            exit(1);
        }
    return c;
}

double config_value(const char *const *settings, const char *key)
{
    simtx_config *c = configure(settings);
    const char *text = simtx_config_get(c, key);
    double v = !text ? 0 : !strcmp(text, "true") ? 1 : strtod(text, NULL);
    simtx_config_free(c);
    return v;
}

static bool launch(simtx_gpu *g, const struct text *t, struct shape s, uint64_t bytes,
                   void (*fill)(char *, uint64_t), uint64_t result[4])
{
    simtx_module *m;
    void *data, *out;
    if (simtx_module_load(g, t->at, t->len, "micro.ptx", &m) || simtx_malloc(g, bytes, SIMTX_MEM_DEVICE, &data) ||
        simtx_malloc(g, OUT_BYTES, SIMTX_MEM_DEVICE, &out))
        return false;
    if (fill)
        fill(data, bytes);
    const void *args[] = { &data, &out };
    simtx_launch_params p = { .grid = { s.blocks, 1, 1 }, .block = { s.threads, 1, 1 }, .args = args };
    if (simtx_launch(simtx_module_kernel(m, "k"), &p, NULL, NULL))
        return false;
    memcpy(result, out, 4 * sizeof *result);
    return true;
}

struct run run_kernel(struct text *t, struct shape s, uint64_t bytes, void (*fill)(char *, uint64_t),
                      const char *const *settings)
{
    struct run r = { 0 };
    text_add(t, "    ret;\n}\n");
    simtx_config *c = configure(settings);
    simtx_gpu *g = NULL;
    if (simtx_config_set(c, "sim.mode=timing", &r.message) == SIMTX_OK)
        g = simtx_gpu_new(c, 0, &r.message);
    if (g && !launch(g, t, s, bytes, fill, r.out))
        r.message = strdup(simtx_last_message(g));
    if (g && !r.message) {
        char *text = simtx_stats_json(g);
        r.stats = json_loads(text, 0, NULL);
        r.cycles = run_stat(&r, "cycles");
        free(text);
    }
    simtx_gpu_free(g);
    simtx_config_free(c);
    free(t->at);
    free(t);
    return r;
}

double figure_of(const json_t *stats, const char *name)
{
    char part[200];
    const json_t *at = json_object_get(stats, "total");
    snprintf(part, sizeof part, "%s", name);
    for (char *p = strtok(part, "."); p; p = strtok(NULL, "."))
        at = json_object_get(at, p);
    return json_number_value(at);
}

double run_stat(const struct run *r, const char *name)
{
    return figure_of(r->stats, name);
}

void run_end(struct run *r)
{
    json_decref(r->stats);
    free(r->message);
    r->stats = NULL;
    r->message = NULL;
}
