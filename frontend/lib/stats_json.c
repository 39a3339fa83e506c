/* Statistics of a GPU as JSON (jansson) and as a table for people (stats_text.c), both from the tables of base/. */
#include <jansson.h>
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
    };
    return (size_t)f < sizeof names / sizeof *names && names[f] ? names[f] : "unknown";
}

/* ---- rows ---- */

static void add_timed(struct stats_row *s, const struct timed_row *t)
{
    for (int i = 0; i < STAT_END; i++)
        if (stat_table[i].place & STAT_OF_TIMING && stat_table[i].kind == STAT_KIND_COUNT)
            s->v[i].count = t->count[i];
}

static struct stats_row row_of(const struct launch_record *r, unsigned warp_size)
{
    struct stats_row s = { 0 };
    s.v[STAT_LAUNCHES].count = 1;
    s.v[STAT_NAME].text = r->kernel;
    s.v[STAT_LAUNCH].count = r->index;
    memcpy(s.v[STAT_GRID].size3, &r->grid, sizeof r->grid);
    memcpy(s.v[STAT_BLOCK].size3, &r->block, sizeof r->block);
    s.v[STAT_DYNAMIC_SHARED].count = r->dynamic_shared;
    s.v[STAT_BLOCKS].count = r->stats.blocks;
    s.v[STAT_THREADS].count = r->stats.threads;
    s.v[STAT_WARP_INSTRUCTIONS].count = r->stats.warp_instructions;
    s.v[STAT_THREAD_INSTRUCTIONS].count = r->stats.thread_instructions;
    s.v[STAT_BARRIERS].count = r->stats.barriers;
    s.v[STAT_TRANSACTIONS].count = r->stats.transactions;
    s.v[STAT_REGISTERS].count = r->registers;
    s.v[STAT_SHARED_BYTES].count = r->shared_bytes;
    s.v[STAT_LOCAL_BYTES].count = r->local_bytes;
    s.v[STAT_RESIDENT_BLOCKS].count = r->resident_per_sm;
    s.v[STAT_RESIDENT_LIMIT].text = r->limit ? r->limit : "";
    s.v[STAT_SERIAL].flag = r->serial;
    s.v[STAT_THREADS_RELAXED].flag = r->relaxed;
    s.v[STAT_STATUS].text = simtx_status_name(r->status);
    s.v[STAT_FAULT].text = fault_name(r->fault);
    s.v[STAT_SECONDS].real = r->stats.seconds;
    s.v[STAT_HOST_THREADS].count = r->stats.host_threads;
    if (r->timed)
        add_timed(&s, r->timed);
    stats_ratios(&s, warp_size);
    return s;
}

static unsigned warp_size(const simtx_gpu *g)
{
    return (unsigned)config_int(g->config, KEY_GPU_WARP_SIZE);
}

/* The figures that add up are the same for a launch and for many. */
static struct stats_row kernel_row(const simtx_gpu *g, const struct kernel_total *t)
{
    const struct launch_record sum = { .kernel = t->kernel, .stats = t->sum, .timed = t->timed };
    struct stats_row s = row_of(&sum, warp_size(g));
    s.v[STAT_LAUNCHES].count = t->launches;
    return s;
}

static struct stats_row total_of(const simtx_gpu *g)
{
    struct stats_row total = { 0 };
    for (size_t i = 0; i < g->ntotals; i++) {
        struct stats_row r = kernel_row(g, &g->totals[i]);
        stats_add(&total, &r);
    }
    stats_ratios(&total, warp_size(g));
    return total;
}

/* ---- JSON ---- */

static json_t *value_json(enum stat_kind kind, const union stat_value *v)
{
    switch (kind) {
    case STAT_KIND_COUNT: return json_integer((json_int_t)v->count);
    case STAT_KIND_REAL: return json_real(v->real);
    case STAT_KIND_TEXT: return json_string(v->text);
    case STAT_KIND_SIZE3: return json_pack("[iii]", (int)v->size3[0], (int)v->size3[1], (int)v->size3[2]);
    case STAT_KIND_FLAG: return json_boolean(v->flag);
    }
    return json_null();
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

/* An object of the figures that appear at this place, those of the host in an object of their own; hists: NULL in
 * functional mode, which has no figures of timing mode. */
static json_t *row_json(const struct stats_row *s, int place, const struct hists *hists)
{
    json_t *o = json_object(), *host = json_object();
    for (int i = 0; i < STAT_END; i++) {
        const struct stat_info *t = &stat_table[i];
        if (t->place & place && (hists || !(t->place & STAT_OF_TIMING)))
            set_nested(t->place & STAT_OF_HOST ? host : o, t->name, value_json(t->kind, &s->v[i]));
    }
    if (hists)
        json_object_set_new(o, "histograms", histograms_json(hists));
    json_object_set_new(o, "host", host);
    return o;
}

static json_t *config_json(const simtx_config *c, enum config_scope scope)
{
    json_t *o = json_object();
    for (int i = 0; i < KEY_COUNT; i++)
        if (config_keys[i].scope == scope)
            json_object_set_new(o, config_keys[i].name, config_value_json(c, (enum config_key)i));
    const char *kernel, *text, *origin;
    enum kernel_key key;
    for (size_t i = 0; scope == CONFIG_MODEL && config_kernel_at(c, i, &kernel, &key, &text, &origin); i++) {
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
        const struct timed_row *timed = g->records[i].timed;
        struct stats_row r = row_of(&g->records[i], warp_size(g));
        json_array_append_new(list, row_json(&r, STAT_IN_LAUNCH, timed ? &timed->hists : NULL));
    }
    return list;
}

static uint64_t timed_launches(const simtx_gpu *g, uint64_t *all)
{
    uint64_t timed = 0;
    *all = 0;
    for (size_t i = 0; i < g->ntotals; i++) {
        *all += g->totals[i].launches;
        timed += g->totals[i].timed_launches;
    }
    return timed;
}

static const char *mode_of(const simtx_gpu *g)
{
    uint64_t all, timed = timed_launches(g, &all);
    if (!all)
        return g->timing ? "timing" : "functional";
    return timed == all ? "timing" : timed ? "mixed" : "functional";
}

/* False: nothing ran in timing mode. */
static bool total_hists(const simtx_gpu *g, struct hists *sum)
{
    bool timed = false;
    for (size_t i = 0; i < g->ntotals; i++)
        if (g->totals[i].timed) {
            hists_merge(sum, &g->totals[i].timed->hists);
            timed = true;
        }
    return timed;
}

static json_t *total_json(const simtx_gpu *g)
{
    struct stats_row total = total_of(g);
    struct hists hists = { 0 };
    bool timed = total_hists(g, &hists);
    return row_json(&total, STAT_IN_TOTAL, timed ? &hists : NULL);
}

static const char *hash_text(const simtx_gpu *g, char text[16])
{
    snprintf(text, 16, "%08x", devmem_hash(g->mem));
    return text;
}

char *simtx_stats_json(const simtx_gpu *g)
{
    json_t *host = config_json(g->config, CONFIG_HOST);
    json_object_set_new(host, "isa", json_string(lanes_isa_name(g->isa)));
    json_t *root = json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "simtx", SIMTX_VERSION, "mode", mode_of(g), "total",
                             total_json(g), "config", config_json(g->config, CONFIG_MODEL),
                             "kernels", kernels_json(g), "host", host);
    char hash[16];
    if (g->hash)
        json_object_set_new(root, "memory_hash", json_string(hash_text(g, hash)));
    char *text = root ? json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) : NULL;
    json_decref(root);
    return text;
}

/* ---- the table for people ---- */

char *simtx_stats_text(const simtx_gpu *g)
{
    struct stats_line *lines = mem_zero(g->ntotals + 1, sizeof *lines, "the table of statistics");
    char hash[16], *out;
    for (size_t i = 0; i < g->ntotals; i++) {
        const struct kernel_total *k = &g->totals[i];
        lines[i] = (struct stats_line){ .name = k->kernel, .row = kernel_row(g, k), .timed = k->timed != NULL };
        if (k->timed)
            lines[i].hists = k->timed->hists;
    }
    struct stats_line *total = &lines[g->ntotals];
    *total = (struct stats_line){ .name = "total", .row = total_of(g) };
    total->timed = total_hists(g, &total->hists);
    out = stats_text(lines, g->ntotals + 1, g->hash ? hash_text(g, hash) : NULL);
    free(lines);
    return out;
}
