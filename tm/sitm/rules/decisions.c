/*
 * From the commit request to the release of the last entry: R9 and R10, publication R13, aborts R15, retention R16.
 */
#include "tm/sitm/rules/manager_impl.h"

/* ---- R9, R15: the end of a warp attempt's reads, and of its lanes ---- */

static void drop_reference(struct sitm_manager *m, struct sitm_group *g)
{
    if (g->referenced)
        sitm_slots_unreference(&m->slots, g->slot);
    g->referenced = false;
}

static void end_reads(struct sitm_manager *m, struct sitm_group *g)
{
    g->reads = false;
    if (m->rules->unreference == SITM_UNREFERENCE_REQUEST || !g->lanes)
        drop_reference(m, g);
}

/* The lanes are over, or no longer needed: the slices remove their entries. */
static void release(struct sitm_manager *m, uint32_t group, uint32_t lanes)
{
    struct sitm_group *g = &m->group[group];
    g->running &= ~lanes;
    g->committed &= ~lanes;
    g->releasing |= lanes;
    sitm_put(m, &(struct sitm_message){ .kind = SITM_RELEASE, .group = group, .lanes = lanes });
    while (lanes) {
        uint32_t lane = sitm_lane(&lanes);
        g->acks[lane] = m->rules->slices;
        sitm_stamps_free(&m->stamps, sitm_id(group, lane));
    }
}

/* ---- R13: seal and publish ---- */

void sitm_seal(struct sitm_manager *m)
{
    if (!m->joined || m->unwritten || m->sealed)
        return;
    m->sealed = true;
    m->acks = m->rules->slices;
    sitm_put(m, &(struct sitm_message){ .kind = SITM_PUBLISH, .version = m->slots.slot[m->slots.open].version });
}

static void publish_warp(struct sitm_manager *m, struct sitm_group *g, uint32_t group)
{
    sitm_put(m, &(struct sitm_message){ .kind = SITM_COMMITTED, .warp = g->warp, .group = group, .lanes = g->lanes });
    g->joined = false;
    g->lanes = g->writers = 0;
    drop_reference(m, g);
}

void sitm_published(struct sitm_manager *m)
{
    sitm_slots_publish(&m->slots);
    m->counts.versions++;
    m->sealed = false;
    m->joined = 0;
    for (uint32_t i = 0; i < m->rules->groups; i++)
        if (m->group[i].joined)
            publish_warp(m, &m->group[i], i);
}

/* ---- R10: decision ---- */

/* The lane is committed in `version` with PrevTS = stamp. */
static void commit_lane(struct sitm_group *g, uint32_t lane, uint32_t version, uint32_t stamp)
{
    uint32_t bit = (uint32_t)1 << lane;
    g->running &= ~bit;
    g->committed |= bit;
    g->version[lane] = version;
    g->stamp[lane] = stamp;
}

/* The lanes that may commit: all, or those that the exact decision accepts. Releases the others. */
static uint32_t decide_lanes(struct sitm_manager *m, uint32_t group, uint32_t lanes, uint32_t version)
{
    uint32_t commit = 0;
    for (uint32_t rest = lanes; rest;) {
        uint32_t lane = sitm_lane(&rest);
        if (!m->decide || m->decide(m->decide_ctx, sitm_id(group, lane), version))
            commit |= (uint32_t)1 << lane;
    }
    if (commit != lanes)
        release(m, group, lanes & ~commit);
    return commit;
}

static void commit_readers(struct sitm_manager *m, uint32_t group, uint32_t lanes)
{
    struct sitm_group *g = &m->group[group];
    while (lanes) {
        uint32_t lane = sitm_lane(&lanes), id = sitm_id(group, lane);
        uint32_t stamp = m->rules->floor == SITM_FLOOR_ON ? g->floor + 1 : m->stamps.of[id].cts;
        sitm_stamps_commit_at(&m->stamps, id, stamp);
        commit_lane(g, lane, g->snapshot, stamp);
        m->counts.readers++;
    }
}

static void commit_writers(struct sitm_manager *m, uint32_t group, uint32_t lanes, struct sitm_slot *open)
{
    while (lanes) {
        uint32_t lane = sitm_lane(&lanes);
        uint32_t stamp = sitm_stamps_commit(&m->stamps, sitm_id(group, lane), m->rules->prevts == SITM_PREVTS_TOP);
        commit_lane(&m->group[group], lane, open->version, stamp);
        open->floor = stamp > open->floor ? stamp : open->floor;
        m->counts.writers++;
    }
}

static void send_commit_ok(struct sitm_manager *m, uint32_t group, uint32_t version, uint32_t slot)
{
    const struct sitm_group *g = &m->group[group];
    struct sitm_message ok = { .kind = SITM_COMMIT_OK, .warp = g->warp, .group = group, .lanes = g->lanes,
                               .writers = g->writers, .version = version, .slot = slot, .epoch = m->epoch };
    for (uint32_t i = 0; i < SITM_LANES; i++)
        ok.stamp[i] = g->stamp[i];
    m->commit_oks += g->lanes != 0;
    sitm_put(m, &ok);
}

/* Ends the commit of a warp of whose committing lanes none has written. */
static void finish_readers(struct sitm_manager *m, uint32_t group)
{
    struct sitm_group *g = &m->group[group];
    m->undecided--;
    send_commit_ok(m, group, g->snapshot, g->slot);
    g->lanes = 0;
    drop_reference(m, g);
}

static void join(struct sitm_manager *m, uint32_t group, uint32_t slot)
{
    struct sitm_group *g = &m->group[group];
    struct sitm_slot *open = &m->slots.slot[slot];
    uint32_t refused = g->writers & ~decide_lanes(m, group, g->writers, open->version);
    g->writers &= ~refused;
    g->lanes &= ~refused;
    if (!g->writers) {
        finish_readers(m, group);
        return;
    }
    commit_writers(m, group, g->writers, open);
    m->undecided--;
    g->joined = true;
    m->joined++;
    m->unwritten++;
    m->counts.joins++;
    send_commit_ok(m, group, open->version, slot);
}

void sitm_decide(struct sitm_manager *m)
{
    uint32_t slot = sitm_open_slot(m);
    while (slot != SITM_NO_SLOT && m->commits.n && !(m->rules->batch == SITM_BATCH_WARP && m->joined)) {
        uint32_t group = *(const uint32_t *)fifo_front(&m->commits);
        fifo_pop(&m->commits);
        join(m, group, slot);
    }
}

void sitm_commit_request(struct sitm_manager *m, const struct sitm_message *request)
{
    struct sitm_group *g = &m->group[request->group];
    uint32_t readers = request->lanes & ~request->writers;
    sitm_end_precedence(m, request);
    uint32_t commit = decide_lanes(m, request->group, readers, g->snapshot);
    g->writers = request->writers;
    g->lanes = commit | g->writers;
    commit_readers(m, request->group, commit);
    end_reads(m, g);
    if (!g->writers) {
        finish_readers(m, request->group);
        return;
    }
    *(uint32_t *)fifo_push(&m->commits) = request->group;
    m->counts.slot_waits += sitm_open_slot(m) == SITM_NO_SLOT;
}

/* ---- R15, R16: release ---- */

void sitm_released(struct sitm_manager *m, const struct sitm_message *ack)
{
    struct sitm_group *g = &m->group[ack->group];
    for (uint32_t lanes = ack->lanes; lanes;) {
        uint32_t lane = sitm_lane(&lanes);
        if (!--g->acks[lane])
            g->releasing &= ~((uint32_t)1 << lane);
    }
}

void sitm_aborted(struct sitm_manager *m, const struct sitm_message *message)
{
    struct sitm_group *g = &m->group[message->group];
    m->counts.aborts[message->reason] += (uint64_t)__builtin_popcount(message->lanes);
    release(m, message->group, message->lanes);
    if (!g->running) {
        end_reads(m, g);
        m->undecided--;
    }
    if (message->reason == SITM_TABLE && !(m->hold & SITM_HOLD_TABLE)) {
        m->hold |= SITM_HOLD_TABLE;
        m->counts.table_holds++;
    }
}

/* Published lanes whose entries no running attempt needs. */
static uint32_t unneeded(const struct sitm_manager *m, const struct sitm_group *g, uint32_t oldest)
{
    uint32_t lanes = 0;
    for (uint32_t rest = g->committed & ~g->writers; rest;) {
        uint32_t lane = sitm_lane(&rest);
        if (m->rules->retain == SITM_RETAIN_NONE || g->version[lane] <= oldest)
            lanes |= (uint32_t)1 << lane;
    }
    return lanes;
}

void sitm_release_unneeded(struct sitm_manager *m)
{
    uint32_t oldest = sitm_manager_oldest(m);
    for (uint32_t i = 0; i < m->rules->groups; i++) {
        uint32_t lanes = m->group[i].committed ? unneeded(m, &m->group[i], oldest) : 0;
        if (lanes)
            release(m, i, lanes);
    }
}
