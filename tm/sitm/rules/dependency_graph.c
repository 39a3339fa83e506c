/*
 * The graph: nodes, edges and accesses in arrays with free lists. A path is searched with each edge that is entered, so
 * the graph has no cycle, apart from the edges that are marked as closing one. A committed attempt gets no further
 * edges to it once all undecided snapshots contain it; if it has none then, it is on no loop and leaves.
 */
#include <stddef.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "tm/sitm/rules/dependency_graph.h"

static const char WHAT[] = "the graph of dependencies";

void sitm_graph_init(struct sitm_graph *g)
{
    *g = (struct sitm_graph){ .nodes_free = SITM_NONE, .edges_free = SITM_NONE, .accesses_free = SITM_NONE };
    sitm_word_map_init(&g->first);
}

void sitm_graph_end(struct sitm_graph *g)
{
    sitm_word_map_end(&g->first);
    free(g->node);
    free(g->edge);
    free(g->access);
    free(g->stack);
}

/* ---- nodes ---- */

uint32_t sitm_graph_begin(struct sitm_graph *g, uint32_t snapshot)
{
    if (g->nodes_free == SITM_NONE)
        g->node = mem_grow_linked(g->node, &g->nodes, &g->nodes_free, sizeof *g->node,
                                  offsetof(struct sitm_graph_node, next), WHAT);
    uint32_t n = g->nodes_free;
    g->nodes_free = g->node[n].next;
    g->node[n] = (struct sitm_graph_node){ .serial = ++g->serial, .snapshot = snapshot, .version = SITM_NO_VERSION,
                                           .out = SITM_NONE, .access = SITM_NONE };
    return n;
}

static void remove_edges(struct sitm_graph *g, uint32_t n)
{
    for (uint32_t e = g->node[n].out, next; e != SITM_NONE; e = next) {
        struct sitm_graph_node *to = &g->node[g->edge[e].to];
        to->in -= !g->edge[e].loop && to->serial == g->edge[e].serial;
        next = g->edge[e].next;
        g->edge[e].next = g->edges_free;
        g->edges_free = e;
    }
}

static void unlink_access(struct sitm_graph *g, uint32_t a)
{
    uint32_t before = SITM_NONE, word = g->access[a].word;
    for (uint32_t at = sitm_word_map_get(&g->first, word); at != a; at = g->access[at].next_of_word)
        before = at;
    if (before == SITM_NONE)
        sitm_word_map_set(&g->first, word, g->access[a].next_of_word);
    else
        g->access[before].next_of_word = g->access[a].next_of_word;
}

static void remove_accesses(struct sitm_graph *g, uint32_t n)
{
    for (uint32_t a = g->node[n].access, next; a != SITM_NONE; a = next) {
        unlink_access(g, a);
        next = g->access[a].next_of_node;
        g->access[a].next_of_node = g->accesses_free;
        g->accesses_free = a;
    }
}

void sitm_graph_abort(struct sitm_graph *g, uint32_t node)
{
    remove_edges(g, node);
    remove_accesses(g, node);
    g->node[node].serial = 0;
    g->node[node].next = g->nodes_free;
    g->nodes_free = node;
}

void sitm_graph_commit(struct sitm_graph *g, uint32_t node, uint32_t version)
{
    g->node[node].version = version;
}

static bool on_no_loop(const struct sitm_graph_node *n, uint32_t oldest)
{
    return n->serial && n->version != SITM_NO_VERSION && !n->in && (!n->writes || n->version <= oldest);
}

void sitm_graph_prune(struct sitm_graph *g, uint32_t oldest)
{
    for (bool removed = true; removed;) {
        removed = false;
        for (uint32_t n = 0; n < g->nodes; n++)
            if (on_no_loop(&g->node[n], oldest)) {
                if (g->leaves)
                    g->leaves(g->ctx, n);
                sitm_graph_abort(g, n);
                removed = true;
            }
    }
}

/* ---- edges ---- */

static bool has_edge(const struct sitm_graph *g, uint32_t before, uint32_t after)
{
    for (uint32_t e = g->node[before].out; e != SITM_NONE; e = g->edge[e].next)
        if (g->edge[e].to == after && g->edge[e].serial == g->node[after].serial)
            return true;
    return false;
}

/* Pushes the nodes after n that the search has not reached. */
static uint32_t push_next(struct sitm_graph *g, uint32_t n, uint32_t depth)
{
    for (uint32_t e = g->node[n].out; e != SITM_NONE; e = g->edge[e].next) {
        struct sitm_graph_node *to = &g->node[g->edge[e].to];
        if (g->edge[e].loop || to->serial != g->edge[e].serial || to->reached == g->search)
            continue;
        to->reached = g->search;
        g->stack = mem_grow(g->stack, depth, &g->stack_cap, sizeof *g->stack, WHAT);
        g->stack[depth++] = g->edge[e].to;
    }
    return depth;
}

static bool has_path(struct sitm_graph *g, uint32_t from, uint32_t to)
{
    g->search++;
    uint32_t depth = push_next(g, from, 0);
    while (depth && g->node[to].reached != g->search)
        depth = push_next(g, g->stack[depth - 1], depth - 1);
    return g->node[to].reached == g->search;
}

/* True: the edge closes a path. It is kept, so that the pair counts once, but no path contains it. */
static bool add_edge(struct sitm_graph *g, uint32_t before, uint32_t after)
{
    if (has_edge(g, before, after))
        return false;
    bool loop = has_path(g, after, before);
    if (g->edges_free == SITM_NONE)
        g->edge = mem_grow_linked(g->edge, &g->edges, &g->edges_free, sizeof *g->edge,
                                  offsetof(struct sitm_graph_edge, next), WHAT);
    uint32_t e = g->edges_free;
    g->edges_free = g->edge[e].next;
    g->edge[e] = (struct sitm_graph_edge){ g->node[after].serial, after, g->node[before].out, loop };
    g->node[before].out = e;
    g->node[after].in += !loop;
    g->loops += loop;
    return loop;
}

/* ---- accesses ---- */

static void add_access(struct sitm_graph *g, uint32_t node, uint32_t word, bool write)
{
    if (g->accesses_free == SITM_NONE)
        g->access = mem_grow_linked(g->access, &g->accesses, &g->accesses_free, sizeof *g->access,
                                    offsetof(struct sitm_graph_access, next_of_node), WHAT);
    uint32_t a = g->accesses_free;
    g->accesses_free = g->access[a].next_of_node;
    g->access[a] = (struct sitm_graph_access){ word, node, sitm_word_map_get(&g->first, word), g->node[node].access,
                                               write };
    g->node[node].access = a;
    sitm_word_map_set(&g->first, word, a);
}

static bool accessed(const struct sitm_graph *g, uint32_t node, uint32_t word, bool write)
{
    for (uint32_t a = sitm_word_map_get(&g->first, word); a != SITM_NONE; a = g->access[a].next_of_word)
        if (g->access[a].node == node && g->access[a].write == write)
            return true;
    return false;
}

/* The writer of the word in the snapshot, or SITM_NONE. */
static uint32_t writer_in(const struct sitm_graph *g, uint32_t word, uint32_t snapshot)
{
    uint32_t best = SITM_NONE;
    for (uint32_t a = sitm_word_map_get(&g->first, word); a != SITM_NONE; a = g->access[a].next_of_word) {
        const struct sitm_graph_node *n = &g->node[g->access[a].node];
        if (g->access[a].write && n->version <= snapshot &&
            (best == SITM_NONE || n->version > g->node[best].version))
            best = g->access[a].node;
    }
    return best;
}

/* ww or wr: after the writer in the snapshot. */
static bool follow_writer(struct sitm_graph *g, uint32_t node, uint32_t word)
{
    uint32_t writer = writer_in(g, word, g->node[node].snapshot);
    return writer != SITM_NONE && writer != node && add_edge(g, writer, node);
}

bool sitm_graph_read(struct sitm_graph *g, uint32_t node, uint32_t word)
{
    if (accessed(g, node, word, false))
        return false;
    bool loop = follow_writer(g, node, word);
    for (uint32_t a = sitm_word_map_get(&g->first, word); a != SITM_NONE; a = g->access[a].next_of_word) {
        uint32_t other = g->access[a].node;
        if (g->access[a].write && other != node && g->node[other].version > g->node[node].snapshot)
            loop |= add_edge(g, node, other);
    }
    add_access(g, node, word, false);
    return loop;
}

bool sitm_graph_write(struct sitm_graph *g, uint32_t node, uint32_t word)
{
    if (accessed(g, node, word, true))
        return false;
    bool loop = follow_writer(g, node, word);
    for (uint32_t a = sitm_word_map_get(&g->first, word); a != SITM_NONE; a = g->access[a].next_of_word)
        if (!g->access[a].write && g->access[a].node != node)
            loop |= add_edge(g, g->access[a].node, node);
    g->node[node].writes = true;
    add_access(g, node, word, true);
    return loop;
}

bool sitm_graph_overwritten(const struct sitm_graph *g, uint32_t word, uint32_t snapshot)
{
    for (uint32_t a = sitm_word_map_get(&g->first, word); a != SITM_NONE; a = g->access[a].next_of_word) {
        uint32_t version = g->node[g->access[a].node].version;
        if (g->access[a].write && version != SITM_NO_VERSION && version > snapshot)
            return true;
    }
    return false;
}

/* ---- the exact decision ---- */

static bool enter(struct sitm_graph *g, uint32_t node, const struct sitm_sets *sets)
{
    bool loop = false;
    for (uint32_t i = 0; i < sets->reads && !loop; i++)
        loop = sitm_graph_read(g, node, sets->read[i]);
    for (uint32_t i = 0; i < sets->writes && !loop; i++)
        loop = sitm_graph_write(g, node, sets->write[i]);
    return !loop;
}

static bool overwritten(const struct sitm_graph *g, uint32_t snapshot, const struct sitm_sets *sets)
{
    for (uint32_t i = 0; i < sets->writes; i++)
        if (sitm_graph_overwritten(g, sets->write[i], snapshot))
            return true;
    return false;
}

/* Loops first, as a graph that is kept while attempts run would find them: versions are compared at the commit. */
enum sitm_verdict sitm_graph_decide(struct sitm_graph *g, uint32_t snapshot, uint32_t version,
                                    const struct sitm_sets *sets, uint32_t *node)
{
    enum sitm_verdict verdict = SITM_VERDICT_COMMIT;
    *node = sitm_graph_begin(g, snapshot);
    if (!enter(g, *node, sets))
        verdict = SITM_VERDICT_LOOP;
    else if (overwritten(g, snapshot, sets))
        verdict = SITM_VERDICT_WRITE;
    if (verdict == SITM_VERDICT_COMMIT)
        sitm_graph_commit(g, *node, version);
    else
        sitm_graph_abort(g, *node);
    return verdict;
}
