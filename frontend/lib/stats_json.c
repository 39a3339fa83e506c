/* Statistics of a GPU as JSON (jansson) and as a table (stats_text.c), both from the rows of base/stats.def. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/stats.h"
#include "frontend/lib/config_load.h"
#include "frontend/lib/gpu.h"
#include "frontend/lib/stats_text.h"

static const char *fault_name(simtx_fault_kind f)
{
    static const char *const names[] = {
        [SIMTX_FAULT_NONE] = "none",
        [SIMTX_FAULT_OUT_OF_BOUNDS] = "out of bounds",
        [SIMTX_FAULT_USE_AFTER_FREE] = "use after free",
        [SIMTX_FAULT_MISALIGNED] = "misaligned",
        [SIMTX_FAULT_WRONG_SPACE] = "wrong space",
        [SIMTX_FAULT_READ_ONLY] = "read only",
        [SIMTX_FAULT_BARRIER] = "barrier",
        [SIMTX_FAULT_DEADLOCK] = "deadlock",
        [SIMTX_FAULT_STACK_OVERFLOW] = "stack overflow",
        [SIMTX_FAULT_TRAP] = "trap",
        [SIMTX_FAULT_ASSERT] = "assert",
        [SIMTX_FAULT_BAD_CALL] = "bad call",
        [SIMTX_FAULT_TRANSACTION] = "transaction",
        [SIMTX_FAULT_MALLOC] = "malloc",
        [SIMTX_FAULT_WARP] = "warp",
        [SIMTX_FAULT_TEXTURE] = "texture",
        [SIMTX_FAULT_RACE] = "race",
        [SIMTX_FAULT_UNINITIALISED] = "uninitialised",
    };
    return (size_t)f < sizeof names / sizeof *names && names[f] ? names[f] : "unknown";
}

static unsigned warp_size(const simtx_gpu *g)
{
    return (unsigned)config_int(g->config, KEY_GPU_WARP_SIZE);
}

/* ---- JSON ---- */

static json_t *size_json(simtx_dim3 d)
{
    return json_pack("[iii]", (int)d.x, (int)d.y, (int)d.z);
}

/* A figure of a launch that is not a counter. */
static json_t *property_json(const struct launch_record *r, enum stat s)
{
    switch (s) {
    case STAT_NAME: return json_string(r->kernel);
    case STAT_GRID: return size_json(r->grid);
    case STAT_BLOCK: return size_json(r->block);
    case STAT_CLUSTER: return size_json(r->cluster);
    case STAT_RESIDENT_LIMIT: return json_string(r->limit ? r->limit : "");
    case STAT_STATUS: return json_string(simtx_status_name(r->status));
    case STAT_FAULT: return json_string(fault_name(r->fault));
    default: return json_null();
    }
}

/* "l1.hits": "hits" in the object "l1". */
static void set_nested(json_t *o, const char *name, json_t *value)
{
    const char *dot;
    while ((dot = strchr(name, '.'))) {
        char part[64];
        snprintf(part, sizeof part, "%.*s", (int)(dot - name), name);
        json_t *inner = json_object_get(o, part);
        if (!inner) {
            inner = json_object();
            json_object_set_new(o, part, inner);
        }
        o = inner;
        name = dot + 1;
    }
    json_object_set_new(o, name, value);
}

static json_t *histogram_json(const struct hist *h)
{
    int last = HIST_BUCKETS;
    while (last && !h->bucket[last - 1])
        last--;
    json_t *buckets = json_array();
    for (int i = 0; i < last; i++)
        json_array_append_new(buckets, json_integer((json_int_t)h->bucket[i]));
    double mean = h->n ? (double)h->sum / (double)h->n : 0;
    return json_pack("{s:I, s:f, s:I, s:o}", "n", (json_int_t)h->n, "mean", mean, "max", (json_int_t)h->max, "buckets",
                     buckets);
}

static json_t *histograms_json(const struct hists *hists)
{
    json_t *o = json_object();
    for (int i = 0; i < HIST_COUNT; i++)
        set_nested(o, hist_table[i].name, histogram_json(&hists->h[i]));
    return o;
}

/* A row of the statistics. launch: NULL in the total; timed: include the figures of timing mode. */
struct row { const struct counters *counters; const struct launch_record *launch; bool timed; unsigned warp_size; };

static json_t *value_json(const struct row *r, enum stat s)
{
    const uint64_t *n = r->counters->count;
    switch (stat_table[s].kind) {
    case STAT_KIND_COUNT: return json_integer((json_int_t)n[s]);
    case STAT_KIND_FLAG: return json_boolean(n[s]);
    case STAT_KIND_TIME:
    case STAT_KIND_MILLI:
    case STAT_KIND_PRODUCT:
    case STAT_KIND_RATIO: return json_real(stats_value(n, s, r->warp_size));
    case STAT_KIND_TEXT:
    case STAT_KIND_SIZE3: break;
    }
    return property_json(r->launch, s);
}

/* The figures of a launch or of the total; figures of the host are in an object "host". */
static json_t *row_json(const struct row *r)
{
    json_t *o = json_object(), *host = json_object();
    int place = r->launch ? STAT_IN_LAUNCH : STAT_IN_TOTAL;
    for (int i = 0; i < STAT_END; i++) {
        const struct stat_info *t = &stat_table[i];
        if (t->place & place && (r->timed || !(t->place & STAT_OF_TIMING)))
            set_nested(t->place & STAT_OF_HOST ? host : o, t->name, value_json(r, (enum stat)i));
    }
    if (r->timed)
        json_object_set_new(o, "histograms", histograms_json(&r->counters->hists));
    json_object_set_new(o, "host", host);
    return o;
}

/* error: of the cycles, as a ratio. */
static json_t *sample_json(const struct stats_sample *s)
{
    return json_pack("{s:I, s:I, s:I, s:f, s:f}", "launches", (json_int_t)s->launches, "blocks", (json_int_t)s->blocks,
                     "of", (json_int_t)s->of, "cycles", round(s->cycles), "error", sqrt(s->variance) / s->cycles);
}

static json_t *config_json(const simtx_config *c, bool host)
{
    json_t *o = json_object();
    for (int i = 0; i < KEY_COUNT; i++)
        if ((config_keys[i].scope == CONFIG_HOST) == host)
            json_object_set_new(o, config_keys[i].name, config_value_json(c, (enum config_key)i));
    const char *kernel, *text, *origin;
    enum kernel_key key;
    for (size_t i = 0; !host && config_kernel_at(c, i, &kernel, &key, &text, &origin); i++) {
        char name[600];
        snprintf(name, sizeof name, "kernel.%s.%s", kernel, config_kernel_keys[key].name);
        json_object_set_new(o, name, json_integer(strtoll(text, NULL, 10)));
    }
    return o;
}

static json_t *kernels_json(const simtx_gpu *g)
{
    json_t *list = json_array();
    for (size_t i = 0; i < g->nrecords; i++) {
        const struct launch_record *r = g->records[i];
        const struct row row = { &r->counters, r, r->timed, warp_size(g) };
        json_t *launch = row_json(&row);
        const struct sample_estimate *e = &r->sample;
        if (e->of)
            json_object_set_new(launch, "sample", sample_json(&(struct stats_sample){
                1, e->blocks, e->of, e->cycles, e->error * e->error }));
        json_array_append_new(list, launch);
    }
    return list;
}

static uint64_t timed_launches(const simtx_gpu *g, uint64_t *all)
{
    uint64_t timed = 0;
    *all = 0;
    for (size_t i = 0; i < g->ntotals; i++) {
        *all += g->totals[i].counters.count[STAT_LAUNCHES];
        timed += g->totals[i].timed_launches;
    }
    return timed;
}

static struct stats_sample sum_samples(const simtx_gpu *g)
{
    struct stats_sample sum = { 0 };
    for (size_t i = 0; i < g->ntotals; i++)
        stats_sample_add(&sum, &g->totals[i].sample);
    return sum;
}

static const char *mode_of(const simtx_gpu *g)
{
    uint64_t all, timed = timed_launches(g, &all);
    if (!all)
        return simtx_timing(g) ? "timing" : "functional";
    if (sum_samples(g).launches)
        return timed == all ? "timing, sampled" : "mixed, sampled";
    return timed == all ? "timing" : timed ? "mixed" : "functional";
}

/* All kernels' counters. Returns whether anything ran in timing mode. */
static bool sum_kernels(const simtx_gpu *g, struct counters *sum)
{
    bool timed = false;
    for (size_t i = 0; i < g->ntotals; i++) {
        counters_add(sum, &g->totals[i].counters);
        timed |= g->totals[i].timed_launches > 0;
    }
    return timed;
}

static json_t *total_json(const simtx_gpu *g)
{
    struct counters sum = { 0 };
    struct row row = { .counters = &sum, .timed = sum_kernels(g, &sum), .warp_size = warp_size(g) };
    struct stats_sample sample = sum_samples(g);
    json_t *total = row_json(&row);
    if (sample.launches)
        json_object_set_new(total, "sample", sample_json(&sample));
    return total;
}

static const char *hash_text(const simtx_gpu *g, char text[16])
{
    snprintf(text, 16, "%08x", devmem_hash(g->mem));
    return text;
}

static json_t *bulk_json(const struct bulk_total *b)
{
    const struct { const char *name; uint64_t value; } rows[] = {
        { "copies", b->copies }, { "fills", b->fills }, { "rows_cloned", b->rows_cloned },
        { "bytes_cloned", b->bytes_cloned }, { "bytes_over_bus", b->bytes_over_bus }, { "reads", b->reads },
        { "writes", b->writes }, { "ns", b->ns },
    };
    json_t *o = json_object();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        json_object_set_new(o, rows[i].name, json_integer((json_int_t)rows[i].value));
    return o;
}

char *simtx_stats_json(const simtx_gpu *g)
{
    json_t *host = config_json(g->config, true);
    json_object_set_new(host, "isa", json_string(lanes_isa_name(g->isa)));
    json_t *root = json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "simtx", SIMTX_VERSION, "mode", mode_of(g), "total",
                             total_json(g), "config", config_json(g->config, false),
                             "kernels", kernels_json(g), "host", host);
    char hash[16];
    if (bulk_timed(g))
        json_object_set_new(root, "bulk", bulk_json(&g->bulk));
    if (g->cfg.hash)
        json_object_set_new(root, "memory_hash", json_string(hash_text(g, hash)));
    char *text = root ? json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) : NULL;
    json_decref(root);
    return text;
}

/* ---- the table ---- */

char *simtx_stats_text(const simtx_gpu *g)
{
    struct stats_line *lines = mem_zero(g->ntotals + 1, sizeof *lines, "the table of statistics");
    struct counters sum = { 0 };
    char hash[16], bulk[200], *out;
    for (size_t i = 0; i < g->ntotals; i++) {
        const struct kernel_total *k = &g->totals[i];
        lines[i] = (struct stats_line){ k->kernel, k->timed_launches > 0, &k->counters, k->sample };
    }
    bool timed = sum_kernels(g, &sum);
    lines[g->ntotals] = (struct stats_line){ "total", timed, &sum, sum_samples(g) };
    out = stats_text(lines, g->ntotals + 1, warp_size(g), g->cfg.hash ? hash_text(g, hash) : NULL);
    if (bulk_timed(g))
        mem_append(&out, "%s", bulk_text(g, bulk, sizeof bulk));
    free(lines);
    return out;
}
