/* Coverage of the tables of coherence protocols. */
#include <stdio.h>
#include <string.h>

#include "regress/coherence/coverage.h"

struct table {
    const struct coherence *p;
    const struct coverage_excuse *excuses;
    bool home, say;
};

struct tally { unsigned rows, executed, excused, wrong; };

static bool is_name(const char *pattern, const char *name)
{
    return !strcmp(pattern, "*") || !strcmp(pattern, name);
}

static const struct coverage_excuse *excuse_of(const struct table *t, const char *state, const char *event)
{
    for (const struct coverage_excuse *x = t->excuses; x && x->state; x++)
        if (x->home == t->home && is_name(x->state, state) && is_name(x->event, event))
            return x;
    return NULL;
}

static void judge(const struct table *t, const char *state, const char *event, bool executed, struct tally *n)
{
    const struct coverage_excuse *x = excuse_of(t, state, event);
    n->rows++;
    n->executed += executed;
    n->excused += x && !executed;
    n->wrong += !executed && !x;
    if (t->say && !executed)
        printf("%s, %s: (%s, %s) was not executed%s%s\n", t->p->name, t->home ? "home" : "L1", state, event,
               x ? ": " : "", x ? x->reason : "");
}

static unsigned lacks(const struct table *t, const uint64_t *seen)
{
    const struct coherence *p = t->p;
    unsigned states = t->home ? p->home_states : p->l1_states;
    unsigned events = p->messages + (t->home ? (unsigned)HOME_EVENTS : (unsigned)L1_EVENTS);
    struct tally n = { 0 };
    for (unsigned s = 0; s < states; s++)
        for (unsigned e = 0; e < events; e++) {
            const struct coherence_row *row = t->home ? coherence_home(p, s, e) : coherence_l1(p, s, e);
            unsigned first = row->step[0].action;
            if (first && (t->home || first != L1_STALL))
                judge(t, t->home ? p->home_state[s] : p->l1_state[s],
                      t->home ? coherence_home_event(p, e) : coherence_l1_event(p, e), seen[s * events + e], &n);
        }
    if (t->say)
        printf("%s, %s: %u rows of %u executed, %u excused\n", p->name, t->home ? "home" : "L1", n.executed, n.rows,
               n.excused);
    return n.wrong;
}

unsigned coverage_lacks(const struct coherence *p, const uint64_t *l1_seen, const uint64_t *home_seen,
                        const struct coverage_excuse *excuses, bool say)
{
    const struct table l1 = { p, excuses, false, say }, home = { p, excuses, true, say };
    return lacks(&l1, l1_seen) + lacks(&home, home_seen);
}
