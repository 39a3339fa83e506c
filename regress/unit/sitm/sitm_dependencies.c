/*
 * The graph of dependencies in the model: for the exact decision, whose transactions must leave it in a serial order;
 * or as a shadow of all attempts, which counts loops.
 */
#include "regress/unit/sitm/sitm_impl.h"

static void leaves(void *ctx, uint32_t node)
{
    struct model *m = ctx;
    if (m->setup->exact)
        m->place[m->entry_of[node]] = ++m->left;
}

void model_graph_start(struct model *m)
{
    sitm_graph_init(&m->graph);
    m->graph.leaves = leaves;
    m->graph.ctx = m;
    if (m->setup->exact)
        m->manager.decide = model_graph_decide;
    m->manager.decide_ctx = m;
}

void model_graph_end(struct model *m)
{
    m->result->loops = m->graph.loops;
    sitm_graph_end(&m->graph);
}

static void prune(struct model *m)
{
    if (m->epoch != m->manager.epoch)
        sitm_graph_prune(&m->graph, SITM_GRAPH_ALL);
    else if (!m->setup->unpruned)
        sitm_graph_prune(&m->graph, sitm_manager_undecided_oldest(&m->manager));
    m->epoch = m->manager.epoch;
}

/* ---- exact decision ---- */

static bool listed(const uint32_t *word, uint32_t n, uint32_t w)
{
    for (uint32_t i = 0; i < n; i++)
        if (word[i] == w)
            return true;
    return false;
}

static enum sitm_verdict decide(struct model *m, struct lane *l, uint32_t version)
{
    uint32_t read[SITM_MOST_ACCESSES], write[SITM_MOST_ACCESSES];
    struct sitm_sets sets = { .read = read, .write = write };
    for (uint32_t i = 0; i < l->txn.n; i++) {
        struct sitm_access_done a = l->txn.access[i];
        if (a.write && !listed(write, sets.writes, a.word))
            write[sets.writes++] = a.word;
        else if (!a.write && !listed(write, sets.writes, a.word) && !listed(read, sets.reads, a.word))
            read[sets.reads++] = a.word;
    }
    return sitm_graph_decide(&m->graph, (uint32_t)l->txn.snapshot, version, &sets, &l->node);
}

bool model_graph_decide(void *ctx, uint32_t id, uint32_t version)
{
    struct model *m = ctx;
    uint32_t warp = 0;
    while (m->warp[warp].state != WARP_COMMITS || m->warp[warp].attempt.group != id / SITM_LANES)
        warp++;
    struct lane *l = &m->warp[warp].lane[id % SITM_LANES];
    prune(m);
    enum sitm_verdict verdict = decide(m, l, version);
    m->result->aborts[SITM_WRITE] += verdict == SITM_VERDICT_WRITE;
    m->result->aborts[SITM_LOOP] += verdict == SITM_VERDICT_LOOP;
    if (verdict != SITM_VERDICT_COMMIT)
        return false;
    l->entered = m->entry_of[l->node] = m->entered++;
    return true;
}

void model_graph_places(struct model *m)
{
    if (!m->setup->exact)
        return;
    sitm_graph_prune(&m->graph, SITM_GRAPH_ALL);
    for (uint32_t i = 0; i < m->history.n; i++) {
        m->history.txn[i].epoch = 0;
        m->history.txn[i].stamp = m->place[m->history.txn[i].stamp];
    }
}

/* ---- shadow ---- */

void model_graph_begin(struct model *m, uint32_t warp)
{
    struct sitm_attempt *a = &m->warp[warp].attempt;
    prune(m);
    for (uint32_t lanes = m->setup->shadow ? a->lanes : 0; lanes;)
        m->warp[warp].lane[sitm_lane(&lanes)].node = sitm_graph_begin(&m->graph, a->snapshot);
}

void model_graph_access(struct model *m, const struct event *e, uint32_t lanes)
{
    while (m->setup->shadow && lanes) {
        uint32_t lane = sitm_lane(&lanes);
        (e->write ? sitm_graph_write : sitm_graph_read)(&m->graph, m->warp[e->warp].lane[lane].node,
                                                        e->access.word[lane]);
    }
}

void model_graph_abort(struct model *m, uint32_t warp, uint32_t lanes)
{
    while (m->setup->shadow && lanes)
        sitm_graph_abort(&m->graph, m->warp[warp].lane[sitm_lane(&lanes)].node);
}

void model_graph_commit(struct model *m, uint32_t warp, const struct sitm_message *ok)
{
    for (uint32_t lanes = m->setup->shadow ? ok->lanes : 0; lanes;)
        sitm_graph_commit(&m->graph, m->warp[warp].lane[sitm_lane(&lanes)].node, ok->version);
}
