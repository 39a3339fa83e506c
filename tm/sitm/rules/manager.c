/*
 * The manager: a message changes the state, then every rule that may now act does so, in a fixed order (act): seal,
 * decide, release, begin, reset, copy.
 */
#include <stdlib.h>

#include "base/text.h"
#include "tm/sitm/rules/manager_impl.h"

void sitm_manager_init(struct sitm_manager *m, const struct sitm_rules *rules)
{
    *m = (struct sitm_manager){ .rules = rules, .sole = SITM_NO_WARP };
    sitm_stamps_init(&m->stamps, rules);
    sitm_slots_init(&m->slots, rules->slots);
    fifo_init(&m->commits, sizeof(uint32_t), "commits of the manager");
    fifo_init(&m->out, sizeof(struct sitm_message), "messages of the manager");
}

void sitm_manager_end(struct sitm_manager *m)
{
    free(m->begin);
    fifo_end(&m->commits);
    fifo_end(&m->out);
}

void sitm_put(struct sitm_manager *m, const struct sitm_message *message)
{
    *(struct sitm_message *)fifo_push(&m->out) = *message;
}

bool sitm_manager_send(struct sitm_manager *m, struct sitm_message *message)
{
    if (!m->out.n)
        return false;
    *message = *(const struct sitm_message *)fifo_front(&m->out);
    fifo_pop(&m->out);
    return true;
}

/* ---- predicates ---- */

bool sitm_group_used(const struct sitm_group *g)
{
    return g->running | g->committed | g->releasing | g->writers;
}

/* No attempt runs, nothing is retained, no copy runs, the open version has no joiner. */
bool sitm_drained(const struct sitm_manager *m)
{
    for (uint32_t i = 0; i < m->rules->groups; i++)
        if (sitm_group_used(&m->group[i]))
            return false;
    return !m->acks && !m->joined;
}

bool sitm_manager_quiet(const struct sitm_manager *m)
{
    return !m->begins && sitm_drained(m);
}

uint32_t sitm_manager_oldest(const struct sitm_manager *m)
{
    uint32_t oldest = m->slots.slot[m->slots.newest].version;
    for (uint32_t i = 0; i < m->rules->groups; i++)
        if (m->group[i].reads && m->group[i].snapshot < oldest)
            oldest = m->group[i].snapshot;
    return oldest;
}

uint32_t sitm_manager_undecided_oldest(const struct sitm_manager *m)
{
    uint32_t oldest = m->slots.slot[m->slots.newest].version;
    for (uint32_t i = 0; i < m->rules->groups; i++)
        if (m->group[i].running && m->group[i].snapshot < oldest)
            oldest = m->group[i].snapshot;
    return oldest;
}

/* The version that accepts writers, or SITM_NO_SLOT. */
uint32_t sitm_open_slot(const struct sitm_manager *m)
{
    uint32_t open = m->slots.open;
    return open != SITM_NO_SLOT && m->slots.slot[open].state == SITM_SLOT_OPEN && !m->sealed ? open : SITM_NO_SLOT;
}

uint32_t sitm_last_version(const struct sitm_manager *m)
{
    return (uint32_t)((UINT64_C(1) << m->rules->version_bits) - 1) - (m->rules->version_bits == 32);
}

/* ---- R14: next version ---- */

void sitm_copy(struct sitm_manager *m)
{
    const struct sitm_slot *newest = &m->slots.slot[m->slots.newest];
    if (m->slots.open != SITM_NO_SLOT || m->acks || !m->counts.begins || newest->version == sitm_last_version(m))
        return;
    uint32_t slot = sitm_slots_copy(&m->slots);
    if (slot == SITM_NO_SLOT)
        return;
    m->acks = m->rules->slices;
    m->counts.copies++;
    sitm_put(m, &(struct sitm_message){ .kind = SITM_COPY, .version = m->slots.slot[slot].version, .slot = slot,
                                    .from = m->slots.newest });
}

/* ---- R8: edges ---- */

static void enter_edge(struct sitm_manager *m, const struct sitm_edge *e, struct sitm_message *ack)
{
    uint32_t accessor = e->after_accesses ? e->after : e->before, lane = accessor % SITM_LANES;
    uint32_t bit = (uint32_t)1 << lane;
    enum sitm_edge_result result = sitm_stamps_edge(&m->stamps, e->before, e->after);
    ack->group = accessor / SITM_LANES;
    ack->lanes |= bit;
    ack->done[lane]++;
    ack->loops |= result == SITM_EDGE_LOOP ? bit : 0;
    ack->overflows |= result == SITM_EDGE_OVERFLOW ? bit : 0;
    m->counts.loops += result == SITM_EDGE_LOOP;
    m->counts.overflows += result == SITM_EDGE_OVERFLOW;
}

static void edges(struct sitm_manager *m, const struct sitm_message *message)
{
    struct sitm_message ack = { .kind = SITM_EDGE_ACK };
    for (uint32_t i = 0; i < message->edges; i++)
        enter_edge(m, &message->edge[i], &ack);
    m->counts.edges += message->edges;
    ack.warp = m->group[ack.group].warp;
    if (ack.overflows)
        m->hold |= SITM_HOLD_RESET;
    sitm_put(m, &ack);
}

/* ---- messages ---- */

static void acknowledged(struct sitm_manager *m, enum sitm_kind kind)
{
    if (--m->acks)
        return;
    if (kind == SITM_COPIED)
        sitm_slots_copied(&m->slots);
    else if (kind == SITM_PUBLISHED)
        sitm_published(m);
    else
        m->hold &= ~(uint32_t)SITM_HOLD_RESET;
}

static void act(struct sitm_manager *m)
{
    sitm_seal(m);
    sitm_decide(m);
    sitm_release_unneeded(m);
    sitm_accept_begins(m);
    sitm_reset(m);
    sitm_copy(m);
}

void sitm_manager_receive(struct sitm_manager *m, const struct sitm_message *message)
{
    switch (message->kind) {
    case SITM_EDGE:
        edges(m, message);
        return;
    case SITM_BEGIN:
        sitm_add_begin(m, message);
        break;
    case SITM_COMMIT_REQ:
        sitm_commit_request(m, message);
        break;
    case SITM_WRITTEN:
        m->unwritten--;
        break;
    case SITM_YIELD:
        sitm_yield(m, message->warp);
        break;
    case SITM_ABORTED:
        sitm_aborted(m, message);
        break;
    case SITM_RELEASED:
        sitm_released(m, message);
        break;
    default:
        acknowledged(m, message->kind);
    }
    act(m);
}

/* ---- reports ---- */

void sitm_manager_describe(const struct sitm_manager *m, char *text, uint32_t size)
{
    uint32_t free_groups = 0;
    for (uint32_t i = 0; i < m->rules->groups; i++)
        free_groups += !sitm_group_used(&m->group[i]);
    text_append(text, size, "hold%s%s%s%s, %u begins wait, %u free groups of IDs, newest version %u",
                m->hold & SITM_HOLD_TABLE ? " table" : "", m->hold & SITM_HOLD_RESET ? " reset" : "",
                m->hold & SITM_HOLD_EXCLUSIVE ? " exclusive" : "", m->hold ? "" : " none", m->begins, free_groups,
                m->slots.slot[m->slots.newest].version);
    if (m->starving)
        text_append(text, size, ", warp %u has precedence", m->preferred);
    for (uint32_t i = 0; i < m->rules->slots; i++)
        if (m->slots.slot[i].references)
            text_append(text, size, ", version %u has %u references", m->slots.slot[i].version,
                        m->slots.slot[i].references);
    text_append(text, size, ", %s, %u warps joined, %u of them write, %u commits wait, %u acks outstanding",
                m->slots.open == SITM_NO_SLOT ? "no version slot for writers" :
                sitm_open_slot(m) == SITM_NO_SLOT ? "next version is copied or published" : "next version is open",
                m->joined, m->unwritten, m->commits.n, m->acks);
}
