/*
 * The load/store unit's side of the stage of an order policy: offers accesses to the stage, and to the L1 what the
 * stage chooses; the functions that stages call.
 */
#include "memsys/lsu/lsu_impl.h"
#include "memsys/xbar/xbar.h"

void lsu_stage(struct lsu *u, const struct order_stage *stage, void *state)
{
    u->probe_vns |= stage->probe_vns;
    u->retire.stage = stage;
    u->retire.stage_state = state;
    staging_init(&u->staging, stage, state, &u->retire);
    if (stage->attach)
        stage->attach(state, u);
}

uint32_t lsu_count_lines(const struct lsu *u, const struct warp *w, const struct dinst *d, uint64_t lanes)
{
    uint64_t line[WARP_LANES];
    uint32_t n = 0, first = 0;       /* first: line of the group of lanes that are coalesced */
    for (unsigned group = 0; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(lanes);
        if (lane / u->cfg.coalescer.lanes != group) {
            group = lane / u->cfg.coalescer.lanes;
            first = n;
        }
        line[n] = mem_lane_address(w, d, (int)lane) / LINE_BYTES;
        uint32_t i = n;
        while (i > first && line[i - 1] != line[n])
            i--;
        n += i == first;
    }
    return n;
}

/* ---- calls of the stage ---- */

/* Offers an access that the stage lets pass to the L1, if a port is free; if none is, again in the next cycle. */
static enum lsu_result pass_stage(struct lsu *u, struct mem_op *op, const struct line_access *a, uint64_t now)
{
    if (!u->ports) {
        u->staging.rejected = true;
        return LSU_BLOCKED_STAGE;
    }
    enum lsu_result r = lsu_serve_global(u, op, a, u->track, now);
    if (r == LSU_SERVED) {
        u->ports--;
        staging_passed(&u->staging, op, a, now);
    }
    return r;
}

enum lsu_result lsu_stage_offer(struct lsu *u, struct mem_op *op, const struct line_access *a, uint64_t now)
{
    switch (staging_offer(&u->staging, op, a, u->track, now)) {
    case STAGE_REJECTED: return LSU_BLOCKED_STAGE;
    case STAGE_PASSES: return pass_stage(u, op, a, now);
    default: return LSU_SERVED;
    }
}

void lsu_stage_run(struct lsu *u, uint64_t now)
{
    struct staging *g = &u->staging;
    g->rejected = false;
    while (g->held && u->ports && !g->rejected) {
        struct staged *d = (struct staged *)g->stage->choose(g->state, now);
        if (!d)
            return;
        g->rejected = lsu_serve_global(u, d->op, &d->access, d->track, now) != LSU_SERVED;
        if (!g->rejected) {
            u->ports--;
            staging_sent(g, d, now);
        }
    }
}

void lsu_stage_message(struct lsu *u, struct packet *p, uint64_t now)
{
    if (u->staging.stage->message(u->staging.state, p, now))
        return;
    if (p->home == &u->send.pool) {
        packet_free(p->home, p);
        return;
    }
    u->count[STAT_L2_NOTIFICATIONS]++;
    packet_return(p);
}

uint64_t lsu_stage_next(const struct lsu *u)
{
    const struct staging *g = &u->staging;
    uint64_t at = g->rejected ? u->clock + 1 : g->stage->next ? g->stage->next(g->state, u->clock) : NEVER;
    return at > u->clock ? at : u->clock + 1;
}

/* ---- functions for the stage (memsys/lsu/stage.h) ---- */

struct packet *stage_packet(struct lsu *u, unsigned kind, unsigned vn, uint64_t line, bool notification, uint64_t now)
{
    struct packet *p = sender_packet(&u->send, MSG_POLICY, ACCESS_GLOBAL_LOAD, line, 0, now, now);
    p->kind = (uint8_t)kind;
    p->vn = (uint8_t)vn;
    u->count[STAT_SM_NOTIFICATIONS] += notification;
    return p;
}

void stage_send(struct lsu *u, struct packet *p)
{
    sender_push_vn(&u->send, p);
}

enum stage_overlap stage_forward(struct lsu *u, struct stage_access *load, struct stage_access *const *stores,
                                 uint32_t n, uint64_t now)
{
    return staging_forward(&u->staging, load, stores, n, now, now + u->cfg.l1.latency - 1);
}

bool stage_has_port(const struct lsu *u)
{
    return u->ports;
}

enum stage_line stage_line(const struct lsu *u, uint64_t line)
{
    uint32_t i = u->cfg.l1.sets ? tags_find(&u->l1.tags, line) : TAG_NONE;
    if (i != TAG_NONE)
        return u->l1.tags.tag[i].pinned ? STAGE_LINE_IN_FLIGHT : STAGE_LINE_PRESENT;
    return mshr_find(&u->l1.mshr, line) == MSHR_NONE ? STAGE_LINE_ABSENT : STAGE_LINE_IN_FLIGHT;
}

/* Are loads of this kind served from L1, so that a line can be fetched ahead of them? */
static bool prefetches_loads(const struct lsu *u, const struct staged *d)
{
    return u->cfg.l1.sets && d->op->kind == MOP_LOAD && u->cfg.l1.global && d->op->path != PATH_L2;
}

bool stage_prefetch(struct lsu *u, const struct stage_access *a, uint32_t spare, uint64_t now)
{
    const struct staged *d = (const struct staged *)a;
    const struct mshr *m = &u->l1.mshr;
    if (!u->ports || m->entries - m->n < spare || !sender_has_room(&u->send))
        return false;
    struct mem_op op = { .kind = MOP_PREFETCH, .path = d->op->path, .sm_slot = a->warp, .issued = now };
    bool sent = false;
    if (u->coherence.protocol)
        sent = l1_coherence_prefetch(&u->coherence, &op, &d->access, a->kind != MOP_LOAD, now);
    else if (prefetches_loads(u, d) && stage_line(u, a->line) == STAGE_LINE_ABSENT)
        sent = l1_load(&u->l1, &op, &d->access, SERVE_GLOBAL, now) == LSU_SERVED &&
               stage_line(u, a->line) == STAGE_LINE_IN_FLIGHT;
    u->ports -= sent;
    return sent;
}

void stage_wake(struct lsu *u, uint32_t warp)
{
    u->retire.calls.wake(u->retire.calls.ctx, warp);
}
