/* A run: events until all threads have ended; then the checks. Random setups. */
#include <stdlib.h>

#include "base/num.h"
#include "base/random.h"
#include "regress/unit/sitm/sitm_impl.h"

enum { MOST_EVENTS = 400000 };

/* ---- the run ---- */

static void act(struct model *m, const struct event *e)
{
    switch ((enum event_kind)e->kind) {
    case SM_MESSAGE: model_sm_message(m, e->warp, &e->m); break;
    case SM_REPLY: model_sm_reply(m, e); break;
    case SM_ISSUE: model_issue(m, e->warp); break;
    case SM_BEGIN: model_begin(m, e->warp); break;
    case MANAGER_MESSAGE: model_manager_message(m, &e->m); break;
    case SLICE_ACCESS: model_slice_access(m, e); break;
    case SLICE_PERFORM: model_slice_perform(m, e); break;
    case SLICE_PASS: model_slice_pass(m, e); break;
    case SLICE_WRITE: model_slice_write(m, e); break;
    case SLICE_CONTROL: model_slice_control(m, e); break;
    case SLICE_REMOVE: model_slice_remove(m, e); break;
    case SLICE_ROW: model_slice_row(m, e); break;
    case L2_EVICT: model_evict(m); break;
    }
}

static void start(struct model *m, const struct sitm_setup *setup, struct sitm_result *result)
{
    *result = (struct sitm_result){ 0 };
    *m = (struct model){ .setup = setup, .result = result, .random = setup->seed };
    m->history.words = setup->words;
    sitm_manager_init(&m->manager, &setup->rules);
    model_graph_start(m);
    for (uint32_t i = 0; i < setup->rules.slices; i++)
        sitm_slice_init(&m->slice[i].rules, &setup->rules);
    for (uint32_t i = 0; i < setup->warps; i++)
        model_start_warp(m, i);
    model_push(m, model_event(m, L2_EVICT, model_draw(m, setup->delay)));
}

/* (e) tables, references and IDs are as at first, memory has the last writes. */
static void check_end(struct model *m)
{
    uint32_t newest = m->manager.slots.newest;
    if (!sitm_manager_quiet(&m->manager))
        model_fail(m, "end: the manager is not quiet; groups", m->setup->rules.groups);
    for (uint32_t i = 0; i < m->setup->rules.slices; i++)
        if (!sitm_slice_empty(&m->slice[i].rules))
            model_fail(m, "end: entries are left in slice", i);
    for (uint32_t i = 0; i < m->setup->rules.slots; i++)
        if (m->manager.slots.slot[i].references)
            model_fail(m, "end: references to slot", i);
    for (uint32_t word = 0; word < m->setup->words; word++)
        if (model_load(m, newest, word) != sitm_history_last(&m->history, word))
            model_fail(m, "memory: wrong value of word", word);
}

static void check(struct model *m)
{
    bool ended = true;
    for (uint32_t i = 0; i < m->setup->warps; i++)
        ended = ended && !m->warp[i].want;
    if (m->result->error[0])
        return;
    model_graph_places(m);
    sitm_history_check(&m->history, m->setup->check, m->result->error);
    if (!ended && m->live)
        model_fail(m, "livelock: events", MOST_EVENTS);
    else if (!ended)
        model_fail(m, "deadlock: commits", m->history.n);
    else
        check_end(m);
}

void sitm_model_run(const struct sitm_setup *setup, struct sitm_result *result)
{
    static struct model model;
    struct model *m = &model;
    start(m, setup, result);
    while (m->live && result->events < MOST_EVENTS && !result->error[0]) {
        struct event *e = model_pop(m);
        m->now = e->time;
        result->events++;
        act(m, e);
        model_free_event(e);
    }
    check(m);
    result->resets = m->manager.counts.resets;
    result->edges = m->manager.counts.edges;
    while (m->n)
        model_free_event(m->heap[--m->n]);
    free(m->heap);
    model_graph_end(m);
    sitm_manager_end(&m->manager);
    for (uint32_t i = 0; i < setup->rules.slices; i++)
        sitm_slice_end(&m->slice[i].rules);
}

/* ---- random setups ---- */

static uint32_t choose(uint64_t *state, const uint32_t *of, uint32_t n)
{
    return of[(random_next(state) >> 20) % n];
}

static uint32_t between(uint64_t *state, uint32_t low, uint32_t high)
{
    return low + (uint32_t)((random_next(state) >> 20) % (high - low + 1));
}

#define CHOOSE(state, ...) \
    choose(state, (const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))

static struct sitm_rules random_rules(uint64_t *state, enum sitm_size size, uint32_t warps)
{
    struct sitm_rules r = sitm_rules_default();
    r.slices = between(state, 1, size == SITM_CROWD ? 4 : 3);
    r.slots = CHOOSE(state, 2, 2, 3, 4, 8);
    r.groups = size == SITM_TINY ? between(state, 1, warps + 1) : between(state, warps, warps + 4);
    r.writer_entries = size == SITM_TINY ? CHOOSE(state, 1, 2, 3, 5, 99) : 99;
    r.reader_entries = size == SITM_TINY ? CHOOSE(state, 1, 2, 3, 5, 8, 99) : 99;
    r.delta = CHOOSE(state, 1, 2, 10);
    r.stamp_bits = r.delta == 10 ? CHOOSE(state, 6, 7, 8, 24) : CHOOSE(state, 4, 5, 7, 8, 24);
    r.version_bits = CHOOSE(state, 2, 3, 32, 32);
    r.precedence_after = 0;
    r.exclusive_after = CHOOSE(state, 2, 4, 16);
    return r;
}

struct sitm_setup sitm_setup_random(uint64_t seed, enum sitm_size size)
{
    uint64_t state = seed * 2 + 1;
    bool crowd = size == SITM_CROWD;
    struct sitm_setup s = { .seed = seed, .lanes = CHOOSE(&state, 1, 1, 2, 3) };
    uint32_t threads = crowd ? between(&state, 5, 10) : between(&state, 2, 5);
    s.warps = num_most((threads + s.lanes - 1) / s.lanes, 2);
    s.transactions = crowd ? between(&state, 2, 4) : between(&state, 1, 3);
    s.accesses = between(&state, 2, crowd ? 8 : 5);
    s.words = crowd ? between(&state, 3, 8) : between(&state, 2, 5);
    s.delay = CHOOSE(&state, 1, 5, 20, 60);
    s.slow = CHOOSE(&state, 1, 1, 10);
    s.rules = random_rules(&state, size, s.warps);
    return s;
}
