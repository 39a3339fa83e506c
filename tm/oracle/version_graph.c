/*
 * The version graph: flat arrays that grow while a kernel runs, and are searched after a violation.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "tm/oracle/version_graph.h"

enum edge { EDGE_WR, EDGE_WW, EDGE_RW, EDGES };

/* ---- construction ---- */

void version_graph_free(struct version_graph *g)
{
    free(g->version);
    free(g->reader);
    free(g->current);
    free(g->op);
    free(g->start);
}

void version_graph_clear(struct version_graph *g, uint64_t first)
{
    g->versions = g->readers = g->lines = g->ops = g->starts = 0;
    g->first = first;
}

void version_graph_txn(struct version_graph *g, uint64_t key)
{
    while (g->first + g->starts <= key) {
        g->start = mem_grow(g->start, g->starts, &g->starts_cap, sizeof *g->start, "the oracle's graph");
        g->start[g->starts++] = g->ops;
    }
}

static void add_op(struct version_graph *g, uint32_t version, bool wrote)
{
    g->op = mem_grow(g->op, g->ops, &g->ops_cap, sizeof *g->op, "the oracle's graph");
    g->op[g->ops++] = 2 * version + wrote;
}

static uint32_t *current_of(struct version_graph *g, uint32_t line, uint64_t address)
{
    while (g->lines <= line) {
        g->current = mem_grow(g->current, g->lines, &g->lines_cap, sizeof *g->current, "the oracle's graph");
        memset(g->current[g->lines++], 0, sizeof *g->current);
    }
    return &g->current[line][shadow_word(address)];
}

static uint32_t add_version(struct version_graph *g, uint32_t *current, uint64_t address, uint64_t writer,
                            uint32_t value)
{
    uint32_t old = *current;
    if (!g->versions)
        g->versions = 1;
    g->version = mem_grow(g->version, g->versions, &g->versions_cap, sizeof *g->version, "the oracle's graph");
    uint32_t v = *current = g->versions++;
    g->version[v] = (struct version_node){ .address = address, .writer = writer, .value = value, .older = old };
    if (old)
        g->version[old].newer = v;
    return v;
}

/* The word's version in the replay. A value that no transaction wrote is the initial one, or that of a plain store. */
static uint32_t version_now(struct version_graph *g, uint32_t line, uint64_t address, uint32_t value)
{
    uint32_t *current = current_of(g, line, address);
    if (!*current || g->version[*current].value != value)
        return add_version(g, current, address, *current ? VERSION_GRAPH_PLAIN : 0, value);
    return *current;
}

static uint32_t version_with(const struct version_graph *g, uint32_t v, uint32_t value, uint64_t not_by)
{
    while (v && (g->version[v].value != value || g->version[v].writer == not_by))
        v = g->version[v].older;
    return v;
}

void version_graph_read(struct version_graph *g, uint64_t key, uint64_t address, uint32_t line, uint32_t value,
                        uint32_t current)
{
    uint32_t v = version_with(g, version_now(g, line, address, current), value, key);
    if (!v)
        return;
    if (!g->readers)
        g->readers = 1;
    g->reader = mem_grow(g->reader, g->readers, &g->readers_cap, sizeof *g->reader, "the oracle's graph");
    g->reader[g->readers] = (struct version_reader){ .key = key, .next = g->version[v].readers };
    g->version[v].readers = g->readers++;
    add_op(g, v, false);
}

void version_graph_write(struct version_graph *g, uint64_t key, uint64_t address, uint32_t line, uint32_t value,
                         uint32_t before)
{
    version_now(g, line, address, before);
    add_op(g, add_version(g, current_of(g, line, address), address, key, value), true);
}

/* ---- search ---- */

/* The edge by which the search reached a key: its source, and the word of the version. */
struct reached { uint64_t from, address; uint8_t edge; bool seen; };

struct search {
    const struct version_graph *g;
    uint64_t low, high;              /* keys */
    struct reached *by;              /* by key - low */
    uint64_t *queue, n;
};

static uint32_t ops_end(const struct version_graph *g, uint64_t key)
{
    uint64_t i = key - g->first + 1;
    return i < g->starts ? g->start[i] : g->ops;
}

static void reach(struct search *s, uint64_t from, uint64_t to, enum edge e, uint64_t address)
{
    if (to < s->low || to > s->high || s->by[to - s->low].seen)
        return;
    s->by[to - s->low] = (struct reached){ from, address, (uint8_t)e, true };
    s->queue[s->n++] = to;
}

static void follow(struct search *s, uint64_t key, enum edge e)
{
    const struct version_graph *g = s->g;
    for (uint32_t i = g->start[key - g->first]; i < ops_end(g, key); i++) {
        const struct version_node *v = &g->version[g->op[i] / 2];
        bool wrote = g->op[i] & 1;
        if (wrote != (e != EDGE_RW))
            continue;
        if (e == EDGE_WR)
            for (uint32_t r = v->readers; r; r = g->reader[r].next)
                reach(s, key, g->reader[r].key, e, v->address);
        else if (v->newer)
            reach(s, key, g->version[v->newer].writer, e, v->address);
    }
}

/* Finds the shortest path from `low` to `high`; false: none. The caller frees `by` and `queue`. */
static bool find_path(struct search *s)
{
    uint64_t n = s->high - s->low + 1;
    s->by = mem_zero(n, sizeof *s->by, "the oracle's search for a cycle");
    s->queue = mem_alloc(n, sizeof *s->queue, "the oracle's search for a cycle");
    s->n = 0;
    s->by[0].seen = true;
    s->queue[s->n++] = s->low;
    for (uint64_t i = 0; i < s->n && !s->by[n - 1].seen; i++)
        for (int e = 0; e < EDGES; e++)
            follow(s, s->queue[i], (enum edge)e);
    return s->by[n - 1].seen;
}

static void describe_edge(char *text, size_t size, enum edge e, uint64_t address, uint64_t to)
{
    static const char *const name[EDGES] = { "wr", "ww", "rw" };
    text_append(text, size, " -%s 0x%llx-> key %llu", name[e], (unsigned long long)address, (unsigned long long)to);
}

/* Follows the search back from its end, and prints the path forwards. */
static void describe_path(const struct search *s, char *text, size_t size)
{
    enum { MOST = 32 };
    uint64_t path[MOST];
    unsigned n = 0;
    for (uint64_t k = s->high; k != s->low && n < MOST; k = s->by[k - s->low].from)
        path[n++] = k;
    while (n--) {
        const struct reached *r = &s->by[path[n] - s->low];
        describe_edge(text, size, (enum edge)r->edge, r->address, path[n]);
    }
}

static bool touches(const struct version_graph *g, uint64_t key, uint64_t address, bool wrote, uint32_t not_version)
{
    for (uint32_t i = g->start[key - g->first]; i < ops_end(g, key); i++)
        if ((g->op[i] & 1) == wrote && g->op[i] / 2 != not_version && g->version[g->op[i] / 2].address == address)
            return true;
    return false;
}

static const char *name_of_cycle(const struct search *s)
{
    const struct reached *last = &s->by[s->high - s->low];
    switch (last->edge) {
    case EDGE_WR: return "inconsistent snapshot";
    case EDGE_WW: return "stale read and a later write";
    default: return last->from == s->low ? "write skew" : "write skew of several transactions";
    }
}

/* `key` read version v, which `next` had replaced. */
static void explain_stale(const struct version_graph *g, uint64_t key, uint32_t v, uint64_t next, char *text,
                          size_t size)
{
    uint64_t address = g->version[v].address;
    struct search s = { .g = g, .low = next, .high = key };
    bool again = touches(g, key, address, false, v), update = touches(g, key, address, true, 0);
    bool cycle = !again && !update && find_path(&s);
    text_append(text, size, "anomaly: %s",
                again ? "non-repeatable read" : update ? "lost update" : cycle ? name_of_cycle(&s)
                : "stale read; the history is serialisable, but not in the order of commits");
    if (again || update || cycle) {
        text_append(text, size, "\ncycle: key %llu", (unsigned long long)key);
        describe_edge(text, size, EDGE_RW, address, next);
    }
    if (again || update)
        describe_edge(text, size, again ? EDGE_WR : EDGE_WW, address, key);
    if (cycle)
        describe_path(&s, text, size);
    free(s.by);
    free(s.queue);
}

void version_graph_explain(const struct version_graph *g, uint64_t key, uint64_t address, uint32_t line, uint32_t value,
                           uint64_t later, char *text, size_t size)
{
    uint32_t v = version_with(g, g->current[line][shadow_word(address)], value, key);
    *text = 0;
    if (v && g->version[v].newer && g->version[g->version[v].newer].writer != VERSION_GRAPH_PLAIN)
        explain_stale(g, key, v, g->version[g->version[v].newer].writer, text, size);
    else if (later)
        text_append(text, size, "anomaly: read from a later commit\ncycle: key %llu -wr 0x%llx-> key %llu "
                    "-order of commits-> key %llu", (unsigned long long)later, (unsigned long long)address,
                    (unsigned long long)key, (unsigned long long)later);
    else
        text_append(text, size, "anomaly: dirty read: no transaction that has committed wrote this value");
}

void version_graph_explain_memory(const struct version_graph *g, uint64_t address, uint32_t line, uint32_t value,
                                  char *text, size_t size)
{
    uint32_t now = line < g->lines ? g->current[line][shadow_word(address)] : 0;
    uint32_t v = version_with(g, now, value, VERSION_GRAPH_PLAIN);
    *text = 0;
    if (v && g->version[v].newer)
        text_append(text, size, "anomaly: lost write: memory has the version of key %llu, not the later one of key "
                    "%llu", (unsigned long long)g->version[v].writer,
                    (unsigned long long)g->version[g->version[v].newer].writer);
    else
        text_append(text, size, "anomaly: dirty write: no transaction that has committed wrote this value");
}
