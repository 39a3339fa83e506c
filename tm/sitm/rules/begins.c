/*
 * Begins and what holds them: R1, precedence and exclusive mode R17, drain and reset R18. A begin that waits holds no
 * resource, so it is in no cycle of waits.
 *
 * There are three guards. Precedence is the guard against livelock between warps. When precedence_after attempts of a
 * warp have aborted lanes and no other warp has committed meanwhile, a lane of the warp gets precedence: begins of
 * other warps wait until this lane requests its commit. Attempts that run continue, and table entries are made as
 * always. So other warps wait at most for the attempts of the preferred warp.
 *
 * Serialising is the guard against livelock inside a warp. If no other warp ran during an attempt and no lane of it
 * committed, its lanes aborted each other, and the next attempt would end in the same way. So one lane begins the next
 * attempt without the others. No other warp waits for it.
 *
 * Neither helps a lane that needs more entries than the tables have. Exclusive mode is the guard against starvation:
 * after exclusive_after aborts in a row a lane runs alone, without table entries, so every transaction commits.
 */
#include "base/alloc.h"
#include "tm/sitm/rules/manager_impl.h"

/* Another warp attempt could run out of stamps or version numbers (R18): each may need a version of its own. */
static bool needs_reset(const struct sitm_manager *m)
{
    const struct sitm_slot *newest = &m->slots.slot[m->slots.newest];
    uint32_t used = newest->version + (m->joined > 0);
    bool stamps = m->rules->floor == SITM_FLOOR_ON &&
                  (uint64_t)newest->floor + 4 * (uint64_t)m->rules->delta + 6 > m->stamps.infinite;
    return stamps || m->undecided + 1 > sitm_last_version(m) - used;
}

/* ---- R1: begin ---- */

/* The group that the BEGIN may have now, or SITM_NO_GROUP. It is the old group if that still has lanes of this warp. */
static uint32_t group_for(const struct sitm_manager *m, const struct sitm_message *begin)
{
    if (begin->group != SITM_NO_GROUP) {
        const struct sitm_group *old = &m->group[begin->group];
        if (old->warp == begin->warp && sitm_group_used(old)) {
            bool busy = old->running || old->writers || (old->committed | old->releasing) & begin->lanes;
            return busy ? SITM_NO_GROUP : begin->group;
        }
    }
    for (uint32_t i = 0; i < m->rules->groups; i++)
        if (!sitm_group_used(&m->group[i]))
            return i;
    return SITM_NO_GROUP;
}

/* A warp other than that of the group has an attempt, or entries in the tables. */
static bool others_run(const struct sitm_manager *m, uint32_t group)
{
    for (uint32_t i = 0; i < m->rules->groups; i++)
        if (sitm_group_used(&m->group[i]) && m->group[i].warp != m->group[group].warp)
            return true;
    return false;
}

/* R17: the lane that is to begin first, if no other warp ran during the warp's last attempt; else all lanes. */
static uint32_t lanes_of(struct sitm_manager *m, const struct sitm_message *begin)
{
    if (!begin->first || m->sole != begin->warp)
        return begin->lanes;
    m->counts.serialised++;
    return begin->first;
}

static void send_snapshot(struct sitm_manager *m, const struct sitm_message *begin, uint32_t group)
{
    const struct sitm_group *g = &m->group[group];
    sitm_put(m, &(struct sitm_message){ .kind = SITM_SNAPSHOT, .warp = g->warp, .group = group, .lanes = g->running,
                                    .exclusive = begin->exclusive, .version = g->snapshot, .slot = g->slot,
                                    .commits = m->commit_oks, .epoch = m->epoch });
}

static void begin_in(struct sitm_manager *m, const struct sitm_message *begin, uint32_t group)
{
    struct sitm_group *g = &m->group[group];
    const struct sitm_slot *newest = &m->slots.slot[m->slots.newest];
    g->warp = begin->warp;
    g->snapshot = newest->version;
    g->slot = m->slots.newest;
    g->floor = newest->floor;
    g->running = lanes_of(m, begin);
    g->lanes = g->writers = 0;
    g->reads = g->referenced = true;
    sitm_slots_reference(&m->slots, g->slot);
    m->sole = others_run(m, group) ? SITM_NO_WARP : g->warp;
    for (uint32_t lanes = g->running; lanes;)
        sitm_stamps_begin(&m->stamps, sitm_id(group, sitm_lane(&lanes)),
                          m->rules->floor == SITM_FLOOR_ON ? g->floor + 2 : 1);
    m->undecided++;
    m->counts.begins++;
    m->counts.exclusive += begin->exclusive;
    send_snapshot(m, begin, group);
}

/* ---- R17: precedence ---- */

/* No other warp has precedence. */
static bool precedes(const struct sitm_manager *m, const struct sitm_message *begin)
{
    return !m->starving || m->preferred == begin->warp;
}

static void give_precedence(struct sitm_manager *m, const struct sitm_message *begin)
{
    m->preferred = begin->warp;
    m->starving = begin->starving;
    m->counts.precedences++;
}

/* Gives precedence to the first waiting begin that names a starving lane, if there is one. */
static void next_precedence(struct sitm_manager *m)
{
    m->starving = 0;
    for (uint32_t i = 0; i < m->begins && !m->starving; i++)
        if (m->begin[i].m.starving)
            give_precedence(m, &m->begin[i].m);
}

void sitm_end_precedence(struct sitm_manager *m, const struct sitm_message *request)
{
    if (request->warp != m->preferred || !(request->lanes & m->starving))
        return;
    next_precedence(m);
}

/* The warp's waiting begin, if there is one, also loses its request for precedence. */
void sitm_yield(struct sitm_manager *m, uint32_t warp)
{
    for (uint32_t i = 0; i < m->begins; i++)
        if (m->begin[i].m.warp == warp)
            m->begin[i].m.starving = 0;
    if (m->starving && m->preferred == warp)
        next_precedence(m);
}

/* ---- R1, R17: begin ---- */

static void count_wait(struct sitm_manager *m, struct sitm_begin *b)
{
    if (b->counted)
        return;
    b->counted = true;
    if (m->hold)
        m->counts.hold_waits[__builtin_ctz(m->hold)]++;
    else if (precedes(m, &b->m))
        m->counts.group_waits++;
    else
        m->counts.precedence_waits++;
}

/* False: it waits. */
static bool try_begin(struct sitm_manager *m, const struct sitm_message *begin)
{
    if (needs_reset(m))
        m->hold |= SITM_HOLD_RESET;
    bool held = m->hold & ~SITM_HOLD_EXCLUSIVE || !(begin->exclusive || precedes(m, begin));
    uint32_t group = held ? SITM_NO_GROUP : group_for(m, begin);
    if (group == SITM_NO_GROUP)
        return false;
    begin_in(m, begin, group);
    return true;
}

static void remove_begin(struct sitm_manager *m, uint32_t i)
{
    m->begins--;
    for (; i < m->begins; i++)
        m->begin[i] = m->begin[i + 1];
}

/* Accepts begins in order of arrival: of the exclusive ones the first that can begin, of the others all that can. */
static uint32_t accept(struct sitm_manager *m, bool exclusive)
{
    uint32_t accepted = 0;
    for (uint32_t i = 0; i < m->begins && !(exclusive && accepted);)
        if (m->begin[i].m.exclusive == exclusive && try_begin(m, &m->begin[i].m)) {
            remove_begin(m, i);
            accepted++;
        } else {
            count_wait(m, &m->begin[i++]);
        }
    return accepted;
}

static bool exclusive_waits(const struct sitm_manager *m)
{
    for (uint32_t i = 0; i < m->begins; i++)
        if (m->begin[i].m.exclusive)
            return true;
    return false;
}

void sitm_accept_begins(struct sitm_manager *m)
{
    if (m->hold && sitm_drained(m))
        m->hold &= ~(uint32_t)SITM_HOLD_TABLE;
    if (m->hold & SITM_HOLD_EXCLUSIVE && sitm_drained(m)) {
        if (exclusive_waits(m)) {
            accept(m, true);
            return;
        }
        m->hold &= ~(uint32_t)SITM_HOLD_EXCLUSIVE;
    }
    if (!(m->hold & SITM_HOLD_EXCLUSIVE))
        accept(m, false);
}

void sitm_add_begin(struct sitm_manager *m, const struct sitm_message *begin)
{
    m->begin = mem_grow(m->begin, m->begins, &m->begins_cap, sizeof *m->begin, "begins of the manager");
    m->begin[m->begins++] = (struct sitm_begin){ .m = *begin };
    if (begin->exclusive)
        m->hold |= SITM_HOLD_EXCLUSIVE;
    if (begin->starving && !m->starving)
        give_precedence(m, begin);
}

/* ---- R18: drain and reset ---- */

void sitm_reset(struct sitm_manager *m)
{
    if (!(m->hold & SITM_HOLD_RESET) || !sitm_drained(m))
        return;
    sitm_slots_reset(&m->slots);
    m->epoch++;
    m->counts.resets++;
    m->acks = m->rules->slices;
    sitm_put(m, &(struct sitm_message){ .kind = SITM_RESET, .slot = m->slots.newest, .from = m->slots.open });
}
