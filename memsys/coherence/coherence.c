/* What the tables of coherence protocols must obey, and the report when one is left. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "memsys/coherence/coherence.h"
#include "memsys/xbar/port.h"

struct report { const struct coherence *p; char *error; size_t size; };

static const char *l1_event_name(const struct coherence *p, unsigned event)
{
    static const char *const names[] = { "load", "store", "atomic", "evict" };
    return event < L1_EVENTS ? names[event] : p->message[event - L1_EVENTS].name;
}

static const char *home_event_name(const struct coherence *p, unsigned event)
{
    static const char *const names[] = { "evict", "filled", "answered" };
    return event < HOME_EVENTS ? names[event] : p->message[event - HOME_EVENTS].name;
}

static bool wrong(const struct report *r, const char *what, const char *state, const char *event)
{
    snprintf(r->error, r->size, "coherence protocol %s: %s (%s, %s)", r->p->name, what, state, event);
    return false;
}

/* Does the action name a message that goes this way? */
static bool goes(const struct coherence *p, const struct coherence_step *s, enum coherence_way a, enum coherence_way b)
{
    return s->message < p->messages && (p->message[s->message].way == a || p->message[s->message].way == b);
}

static bool l1_message_right(const struct coherence *p, const struct coherence_step *s)
{
    if (s->action == L1_SEND)
        return goes(p, s, WAY_REQUEST, WAY_NOTE);
    return s->action != L1_ANSWER || goes(p, s, WAY_ANSWER, WAY_ANSWER);
}

static bool home_message_right(const struct coherence *p, const struct coherence_step *s)
{
    if (s->action == HOME_CALL || s->action == HOME_CALL_OTHERS)
        return goes(p, s, WAY_CALL, WAY_CALL);
    return (s->action != HOME_REPLY && s->action != HOME_ATOMIC) || goes(p, s, WAY_REPLY, WAY_REPLY);
}

/* What a message makes an L1 do needs no room: it takes all it gets at once. */
static bool needs_room(const struct coherence *p, const struct coherence_step *s)
{
    return s->action == L1_ALLOCATE || s->action == L1_ENTRY || s->action == L1_WAIT || s->action == L1_STALL ||
           (s->action == L1_SEND && p->message[s->message].way == WAY_REQUEST);
}

static bool l1_row_right(const struct report *r, unsigned state, unsigned event)
{
    const struct coherence *p = r->p;
    const struct coherence_row *row = coherence_l1(p, state, event);
    const char *name = p->l1_state[state], *when = l1_event_name(p, event);
    bool answered = false;
    if (row->next >= p->l1_states)
        return wrong(r, "an L1 row leads to no state", name, when);
    for (int i = 0; i < COHERENCE_ACTIONS && row->step[i].action; i++) {
        if (!l1_message_right(p, &row->step[i]))
            return wrong(r, "an L1 row sends what does not go that way", name, when);
        if (event >= L1_EVENTS && needs_room(p, &row->step[i]))
            return wrong(r, "an L1 row needs room for a message", name, when);
        answered |= row->step[i].action == L1_ANSWER;
    }
    if (row->step[0].action && event >= L1_EVENTS && answered != (p->message[event - L1_EVENTS].way == WAY_CALL))
        return wrong(r, "calls are answered, and only they", name, when);
    return true;
}

static bool home_row_right(const struct report *r, unsigned state, unsigned event)
{
    const struct coherence *p = r->p;
    const struct coherence_row *row = coherence_home(p, state, event);
    const char *name = p->home_state[state], *when = home_event_name(p, event);
    if (row->next >= p->home_states)
        return wrong(r, "a home row leads to no state", name, when);
    for (int i = 0; i < COHERENCE_ACTIONS && row->step[i].action; i++)
        if (!home_message_right(p, &row->step[i]))
            return wrong(r, "a home row sends what does not go that way", name, when);
    return true;
}

/* Baseline traffic is in network 0 both ways. */
static bool network_right(const struct report *r, const struct coherence_message *m, uint32_t vns)
{
    const struct coherence *p = r->p;
    if (m->vn >= vns) {
        snprintf(r->error, r->size, "coherence protocol %s: %s goes over virtual network %u, but xbar.vns = %u",
                 p->name, m->name, m->vn, vns);
        return false;
    }
    if (m->way != WAY_REQUEST && m->way != WAY_REPLY && !m->vn)
        return wrong(r, "calls, answers and notes have networks of their own", "network 0", m->name);
    for (uint32_t i = 0; i < p->messages; i++)
        if (m->way == WAY_CALL && p->message[i].way == WAY_REPLY && p->message[i].vn == m->vn)
            return wrong(r, "a call would wait behind replies", p->message[i].name, m->name);
    return true;
}

bool coherence_check(const struct coherence *p, uint32_t vns, char *error, size_t size)
{
    const struct report r = { p, error, size };
    bool ok = true;
    if (p->l1_states > COHERENCE_STATES || p->home_states > COHERENCE_STATES || p->messages > COHERENCE_MESSAGES)
        return wrong(&r, "it has too many states or messages", "states", "messages");
    for (uint32_t i = 0; ok && i < p->messages; i++)
        ok = network_right(&r, &p->message[i], vns);
    for (uint32_t s = 0; ok && s < p->l1_states; s++)
        for (uint32_t e = 0; ok && e < L1_EVENTS + p->messages; e++)
            ok = l1_row_right(&r, s, e);
    for (uint32_t s = 0; ok && s < p->home_states; s++)
        for (uint32_t e = 0; ok && e < HOME_EVENTS + p->messages; e++)
            ok = home_row_right(&r, s, e);
    return ok;
}

_Noreturn static void impossible(const struct coherence *p, const char *where, unsigned number, uint64_t line,
                                 const char *state, const char *event)
{
    fprintf(stderr, "simtx: coherence protocol %s: %s %u, line %#" PRIx64 ": %s in state %s is not in its table\n",
            p->name, where, number, line, event, state);
    abort();
}

_Noreturn void coherence_impossible_l1(const struct coherence *p, unsigned sm, uint64_t line, unsigned state,
                                       unsigned event)
{
    impossible(p, "SM", sm, line, p->l1_state[state], l1_event_name(p, event));
}

_Noreturn void coherence_impossible_home(const struct coherence *p, unsigned slice, uint64_t line, unsigned state,
                                         unsigned event)
{
    impossible(p, "L2 slice", slice, line, p->home_state[state], home_event_name(p, event));
}
