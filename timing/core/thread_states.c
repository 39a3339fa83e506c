/*
 * Thread states (Fung et al., MICRO 2011, figure 9): each resident thread is in one state in each cycle. Cycles of an
 * attempt are counted as useful (TU) or aborted (TA) when its outcome is known; cycles for which a warp is held before
 * a new attempt count as concurrency control (TC). Only with stats.thread_states.
 */
#include "timing/core/sm_impl.h"

static uint32_t lanes(uint64_t mask)
{
    return (uint32_t)__builtin_popcountll(mask);
}

static enum stat outside(const struct slot *w)
{
    if (w->hold == SM_STALL_BARRIER || w->warp->state == WARP_BARRIER)
        return STAT_STATE_BA;
    if (w->controlled && !w->in_tx)
        return STAT_STATE_TC;
    return w->atomics || w->locked ? STAT_STATE_AT : STAT_STATE_NL;
}

static void update(struct slot *w)
{
    struct thread_states *t = &w->states;
    const struct warp *x = w->warp;
    *t = (struct thread_states){ .since = t->since, .run_from = t->run_from, .run_to = t->run_to,
                                 .out = outside(w), .exist = lanes(x->exist) };
    if (w->in_tx) {
        bool committing = x->state == WARP_TX;
        uint32_t running = lanes(txn_lanes(x)), waiting = lanes(txn_waiting(x));
        t->passed = lanes(txn_passed(x));
        *(committing ? &t->committing : &t->running) = running;
        *(committing ? &t->committing : &t->passed) += waiting;
    }
}

void thread_states_count(struct sm *s, struct slot *w)
{
    struct thread_states *t = &w->states;
    uint64_t n = s->now - t->since;
    uint32_t in = t->committing + t->passed + t->running;
    s->count[STAT_STATE_TO] += n * t->committing;
    s->count[STAT_STATE_TW] += n * t->passed;
    s->count[t->out] += n * (t->exist - in);
    s->count[STAT_STATE_THREADS] += n * t->exist;
    t->since = s->now;
    bool was_running = t->running;
    update(w);
    if (was_running && !t->running)
        t->run_to = s->now;
}

void thread_states_locked(struct sm *s, struct slot *w, bool locked)
{
    if (locked == w->locked)
        return;
    w->locked = locked;
    thread_states_account(s, w);
}

void thread_states_attempt(struct sm *s, struct slot *w, uint64_t held)
{
    struct thread_states *t = &w->states;
    if (!s->cfg.thread_states)
        return;
    thread_states_account(s, w);
    s->count[STAT_STATE_TC] += held * t->running;
    t->run_from = s->now + held;
    t->run_to = 0;
}

void thread_states_decided(struct sm *s, struct slot *w, uint64_t commits, uint64_t aborts)
{
    struct thread_states *t = &w->states;
    if (!s->cfg.thread_states)
        return;
    thread_states_account(s, w);
    uint64_t n = (t->running ? s->now : t->run_to) - t->run_from;
    s->count[STAT_STATE_TU] += n * lanes(commits);
    s->count[STAT_STATE_TA] += n * lanes(aborts);
}
