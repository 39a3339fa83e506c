/* The rules for tables of coherence protocols, and the report of an event that has no row. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "memsys/coherence/coherence.h"
#include "memsys/xbar/port.h"

struct report { const struct coherence *p; char *error; size_t size; };

const char *coherence_l1_event(const struct coherence *p, unsigned event)
{
    static const char *const names[] = { "load", "store", "atomic", "evict" };
    return event < L1_EVENTS ? names[event] : p->message[event - L1_EVENTS].name;
}

const char *coherence_home_event(const struct coherence *p, unsigned event)
{
    static const char *const names[] = { "evict", "filled", "filled again", "acknowledged", "read", "write" };
    return event < HOME_EVENTS ? names[event] : p->message[event - HOME_EVENTS].name;
}

static bool broken(const struct report *r, const char *what, const char *state, const char *event)
{
    snprintf(r->error, r->size, "coherence protocol %s: %s (%s, %s)", r->p->name, what, state, event);
    return false;
}

/* Does the action name a message of one of these classes? */
static bool is_class(const struct coherence *p, const struct coherence_step *s, enum coherence_class a,
                     enum coherence_class b)
{
    return s->operand < p->messages && (p->message[s->operand].class == a || p->message[s->operand].class == b);
}

static bool l1_operand_valid(const struct coherence *p, const struct coherence_step *s)
{
    if (s->action == L1_COUNT)
        return s->operand < p->counters;
    if (s->action == L1_SEND)
        return is_class(p, s, COHERENCE_REQUEST, COHERENCE_NOTIFICATION);
    return s->action != L1_ACK || is_class(p, s, COHERENCE_ACK, COHERENCE_ACK);
}

static bool home_operand_valid(const struct coherence *p, const struct coherence_step *s)
{
    if (s->action == HOME_COUNT)
        return s->operand < p->counters;
    if (s->action == HOME_PROBE || s->action == HOME_PROBE_OTHERS)
        return is_class(p, s, COHERENCE_PROBE, COHERENCE_PROBE);
    return (s->action != HOME_REPLY && s->action != HOME_ATOMIC) || is_class(p, s, COHERENCE_REPLY, COHERENCE_REPLY);
}

/* Actions that need a free entry or buffer: not for messages, which an L1 handles when they arrive. */
static bool needs_room(const struct coherence *p, const struct coherence_step *s)
{
    return s->action == L1_ALLOCATE || s->action == L1_MSHR || s->action == L1_WAIT || s->action == L1_STALL ||
           (s->action == L1_SEND && p->message[s->operand].class == COHERENCE_REQUEST);
}

static bool l1_row_valid(const struct report *r, unsigned state, unsigned event)
{
    const struct coherence *p = r->p;
    const struct coherence_row *row = coherence_l1(p, state, event);
    const char *name = p->l1_state[state], *when = coherence_l1_event(p, event);
    bool probe = event >= L1_EVENTS && p->message[event - L1_EVENTS].class == COHERENCE_PROBE, acknowledges = false;
    if (row->next >= p->l1_states)
        return broken(r, "an L1 row has no next state", name, when);
    for (int i = 0; i < COHERENCE_ACTIONS && row->step[i].action; i++) {
        if (!l1_operand_valid(p, &row->step[i]))
            return broken(r, "an L1 row names a message of the wrong class, or no counter", name, when);
        if (event >= L1_EVENTS && needs_room(p, &row->step[i]))
            return broken(r, "an L1 row needs a free entry or buffer to handle a message", name, when);
        acknowledges |= row->step[i].action == L1_ACK;
    }
    if (row->step[0].action && event >= L1_EVENTS && acknowledges != probe)
        return broken(r, "probes must be acknowledged, and nothing else", name, when);
    return true;
}

static bool home_row_valid(const struct report *r, unsigned state, unsigned event)
{
    const struct coherence *p = r->p;
    const struct coherence_row *row = coherence_home(p, state, event);
    const char *name = p->home_state[state], *when = coherence_home_event(p, event);
    if (row->next >= p->home_states)
        return broken(r, "a home row has no next state", name, when);
    for (int i = 0; i < COHERENCE_ACTIONS && row->step[i].action; i++)
        if (!home_operand_valid(p, &row->step[i]))
            return broken(r, "a home row names a message of the wrong class, or no counter", name, when);
    return true;
}

static uint32_t networks(const struct coherence *p)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->messages; i++)
        n = p->message[i].vn + 1u > n ? p->message[i].vn + 1u : n;
    return n;
}

/* Requests and replies of lines that are not coherent use network 0. */
static bool network_valid(const struct report *r, const struct coherence_message *m, uint32_t vns)
{
    const struct coherence *p = r->p;
    if (m->vn >= vns) {
        snprintf(r->error, r->size, "the coherence protocol %s needs %u virtual networks, but xbar.vns = %u", p->name,
                 networks(p), vns);
        return false;
    }
    if (m->class != COHERENCE_REQUEST && m->class != COHERENCE_REPLY && !m->vn)
        return broken(r, "probes, acknowledgements and notifications must not use network 0", "network 0", m->name);
    for (uint32_t i = 0; i < p->messages; i++)
        if (m->class == COHERENCE_PROBE && p->message[i].class == COHERENCE_REPLY && p->message[i].vn == m->vn)
            return broken(r, "a probe shares its network with replies", p->message[i].name, m->name);
    return true;
}

bool coherence_check(const struct coherence *p, uint32_t vns, char *error, size_t size)
{
    const struct report r = { p, error, size };
    bool ok = true;
    if (p->l1_states > COHERENCE_STATES || p->home_states > COHERENCE_STATES || p->messages > COHERENCE_MESSAGES)
        return broken(&r, "too many states or messages", "states", "messages");
    for (uint32_t i = 0; ok && i < p->messages; i++)
        ok = network_valid(&r, &p->message[i], vns);
    for (uint32_t s = 0; ok && s < p->l1_states; s++)
        for (uint32_t e = 0; ok && e < L1_EVENTS + p->messages; e++)
            ok = l1_row_valid(&r, s, e);
    for (uint32_t s = 0; ok && s < p->home_states; s++)
        for (uint32_t e = 0; ok && e < HOME_EVENTS + p->messages; e++)
            ok = home_row_valid(&r, s, e);
    return ok;
}

uint32_t coherence_control_vns(const struct coherence *p)
{
    uint32_t requests = 0, answers = 0;
    for (uint32_t i = 0; p && i < p->messages; i++) {
        const struct coherence_message *m = &p->message[i];
        requests |= m->class == COHERENCE_REQUEST ? UINT32_C(1) << m->vn : 0;
        answers |= m->class == COHERENCE_ACK || m->class == COHERENCE_NOTIFICATION ? UINT32_C(1) << m->vn : 0;
    }
    return answers & ~requests;
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
    impossible(p, "SM", sm, line, p->l1_state[state], coherence_l1_event(p, event));
}

_Noreturn void coherence_impossible_home(const struct coherence *p, unsigned slice, uint64_t line, unsigned state,
                                         unsigned event)
{
    impossible(p, "L2 slice", slice, line, p->home_state[state], coherence_home_event(p, event));
}
