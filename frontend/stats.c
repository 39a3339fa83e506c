/* Statistics of a GPU as JSON (jansson) and as a table for people, both from the tables of base/. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "frontend/config.h"
#include "frontend/gpu.h"

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
    const struct launch_record sum = { .kernel = t->kernel, .stats = t->sum };
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

/* An object of the figures that appear at this place, those of the host in an object of their own. */
static json_t *row_json(const struct stats_row *s, int place)
{
    json_t *o = json_object(), *host = json_object();
    for (int i = 0; i < STAT_END; i++)
        if (stat_table[i].place & place)
            json_object_set_new(stat_table[i].place & STAT_OF_HOST ? host : o, stat_table[i].name,
                                value_json(stat_table[i].kind, &s->v[i]));
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
        struct stats_row r = row_of(&g->records[i], warp_size(g));
        json_array_append_new(list, row_json(&r, STAT_IN_LAUNCH));
    }
    return list;
}

char *simtx_stats_json(const simtx_gpu *g)
{
    struct stats_row total = total_of(g);
    json_t *host = config_json(g->config, CONFIG_HOST);
    json_object_set_new(host, "isa", json_string(lanes_isa_name(g->isa)));
    json_t *root = json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "simtx", SIMTX_VERSION, "mode", "functional",
                             "total",
                             row_json(&total, STAT_IN_TOTAL), "config", config_json(g->config, CONFIG_MODEL),
                             "kernels", kernels_json(g), "host", host);
    char *text = root ? json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) : NULL;
    json_decref(root);
    return text;
}

/* ---- the table for people ---- */

/* 1234567 as 1 234 567. */
static void print_grouped(FILE *f, int width, uint64_t n)
{
    char digits[32], out[48];
    int len = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n), k = 0;
    for (int i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0)
            out[k++] = ' ';
        out[k++] = digits[i];
    }
    out[k] = 0;
    fprintf(f, "%*s", width, out);
}

static void print_row(FILE *f, const char *name, const struct stats_row *s)
{
    fprintf(f, "%-28.28s", name);
    print_grouped(f, 9, s->v[STAT_LAUNCHES].count);
    print_grouped(f, 13, s->v[STAT_BLOCKS].count);
    print_grouped(f, 15, s->v[STAT_THREADS].count);
    print_grouped(f, 20, s->v[STAT_THREAD_INSTRUCTIONS].count);
    fprintf(f, "%8.1f %%%12.3f%12.1f\n", 100 * s->v[STAT_LANE_UTILISATION].real, s->v[STAT_SECONDS].real,
            s->v[STAT_THREAD_INST_PER_S].real / 1e6);
}

char *simtx_stats_text(const simtx_gpu *g)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    if (!f)
        return NULL;
    fprintf(f, "%-28s%9s%13s%15s%20s%10s%12s%12s\n", "kernel", "launches", "blocks", "threads",
            "thread instructions", "lanes", "seconds", "M inst/s");
    for (size_t i = 0; i < g->ntotals; i++) {
        struct stats_row s = kernel_row(g, &g->totals[i]);
        print_row(f, g->totals[i].kernel, &s);
    }
    struct stats_row total = total_of(g);
    print_row(f, "total", &total);
    fclose(f);
    return text;
}
