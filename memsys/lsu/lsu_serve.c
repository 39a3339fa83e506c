/*
 * The load/store unit's sequence: the oldest instruction is processed, server by server. Its accesses are offered to
 * the caches in order; one that is blocked by a full structure is offered again when an entry may have been freed.
 */
#include "memsys/lsu/access_profile.h"
#include "memsys/lsu/lsu_impl.h"

/* The order in which an instruction's servers are processed. */
const enum mem_server lsu_server_order[SERVERS] = {
    SERVE_SHARED, SERVE_CLUSTER, SERVE_CONST, SERVE_TEXTURE, SERVE_LOCAL, SERVE_GLOBAL
};

void lsu_count_accesses(struct lsu *u, const struct mem_op *op, const struct line_access *access,
                        uint32_t n)
{
    u->count[STAT_COALESCED_INSTS]++;
    u->count[STAT_COALESCED_LINES] += n;
    hist_add(u->hists, HIST_COALESCED, n);
    if (op->profile)
        access_profile_lines(op->profile, access, n);
}

/* ---- the oldest instruction ---- */

static void begin_shared(struct lsu *u, const struct mem_op *op, uint64_t now)
{
    const struct shared_cfg *c = &u->cfg.shared;
    uint32_t passes = c->block ? shared_block_accesses(op, c) : shared_passes(op, c);
    u->step = now + (uint64_t)(passes - 1) * (c->block ? c->latency : 1);
    u->pass_delay = c->block ? 0 : (passes - 1) * (c->pass_latency - 1);
    u->count[STAT_SHARED_INSTS]++;
    u->count[STAT_SHARED_PASSES] += passes;
    hist_add(u->hists, HIST_SHARED_CONFLICTS, passes);
    if (op->profile) {
        op->profile[PROFILE_SHARED_ACCESSES]++;
        op->profile[PROFILE_SHARED_PASSES] += passes;
    }
}

/* The texture units filter quads while the cache reads lines; the results follow the last quad by the hit latency. */
static void begin_fetch(struct lsu *u, struct mem_op *op, unsigned shift, uint64_t now)
{
    struct tex_fetch *f = op->fetch;
    uint32_t passes = (f->quad_bytes + u->cfg.ro.texture_unit_bytes - 1) / u->cfg.ro.texture_unit_bytes;
    uint32_t cycles = (f->quads * passes + u->cfg.ro.texture_units - 1) / u->cfg.ro.texture_units;
    f->shift = shift;
    u->accesses = coalesce_fetch(op, shift, u->others);
    u->filters_free = now + cycles - 1;
    op->ready = u->filters_free + u->cfg.ro.texture.latency - 1;
    u->count[STAT_TEXTURE_FETCHES]++;
    u->count[STAT_TEXTURE_QUADS] += f->quads;
    u->count[STAT_TEXTURE_FILTER_CYCLES] += cycles;
}

/* May its accesses be packets to L2 that are acknowledged? */
static bool remote_kind(const struct lsu *u, const struct mem_op *op, enum mem_server s)
{
    if (op->kind != MOP_STORE && op->kind != MOP_RED)
        return false;
    bool cached = u->cfg.l1.sets && u->cfg.l1.local_writeback && u->cfg.l1.local_allocate;
    return s == SERVE_GLOBAL ? !u->coherence.protocol : !cached;
}

/* A local store that may not allocate, but whose line is there. */
static bool hits_local(const struct lsu *u, const struct line_access *a, enum mem_server s)
{
    return s == SERVE_LOCAL && u->cfg.l1.sets && u->cfg.l1.local_writeback && l1_holds(&u->l1, a->line);
}

static enum lsu_result store_remotely(struct lsu *u, struct mem_op *op, const struct line_access *a, enum mem_server s,
                                      uint32_t track, uint64_t now)
{
    if (!hits_local(u, a, s))
        return remote_store(&u->remote, op, a, s, track, now);
    enum lsu_result r = l1_store_local(&u->l1, op, a, now);
    if (r == LSU_SERVED)
        remote_not_sent(&u->remote, track);
    return r;
}

static uint32_t coalesce_private(const struct lsu *u, const struct mem_op *op, uint32_t group_lanes,
                                 struct line_access *out)
{
    uint32_t n = coalesce(op, SERVE_LOCAL, group_lanes, out);
    for (uint32_t i = 0; i < n; i++)
        out[i].line = private_map_line(&u->private, out[i].line);
    return n;
}

/* Begins with the accesses of one server, to be served from cycle `now` on. */
static void begin_server(struct lsu *u, const struct queued *s, enum mem_server server, uint64_t now)
{
    u->step = now;
    u->next = 0;
    u->access = u->others;
    if (server == SERVE_CLUSTER) {
        u->accesses = 0;
    } else if (server == SERVE_SHARED) {
        begin_shared(u, s->op, now);
    } else if (server == SERVE_CONST) {
        unsigned shift = (unsigned)__builtin_ctz(u->cfg.ro.const_port);
        u->accesses = coalesce_blocks(s->op, server, WARP_LANES, shift, u->others);
    } else if (server == SERVE_TEXTURE) {
        unsigned shift = (unsigned)__builtin_ctz(u->cfg.ro.texture.line);
        if (s->op->fetch)
            begin_fetch(u, s->op, shift, now);
        else
            u->accesses = coalesce_blocks(s->op, server, u->cfg.coalescer.lanes, shift, u->others);
    } else if (server == SERVE_LOCAL) {
        u->accesses = coalesce_private(u, s->op, u->cfg.coalescer.lanes, u->others);
        lsu_count_accesses(u, s->op, u->others, u->accesses);
    } else {
        u->access = s->access;
        u->accesses = s->n;
    }
    if ((server == SERVE_LOCAL || server == SERVE_GLOBAL) && remote_kind(u, s->op, server))
        u->track = remote_begin(&u->remote, s->op, server, u->accesses);
}

/* Begins with the next server that has lanes; false: there is none. */
static bool next_server(struct lsu *u, uint32_t server, uint64_t now)
{
    const struct queued *s = &u->queue[u->first];
    uint32_t left = s->servers >> server;
    u->server = left ? server + (unsigned)__builtin_ctz(left) : SERVERS;
    if (left)
        begin_server(u, s, lsu_server_order[u->server], now);
    return left;
}

/* track: remote_track of stores and reds. */
static enum lsu_result offer_memory(struct lsu *u, struct mem_op *op, const struct line_access *a, enum mem_server s,
                                    uint32_t track, uint64_t now)
{
    if (u->coherence.protocol && s == SERVE_GLOBAL)
        return l1_coherence_access(&u->coherence, op, a, now);
    if (op->kind == MOP_ATOM || op->kind == MOP_RED)
        return remote_atomic(&u->remote, op, a, track, now);
    if (remote_kind(u, op, s))
        return store_remotely(u, op, a, s, track, now);
    if (op->kind == MOP_STORE)
        return l1_store_local(&u->l1, op, a, now);
    if (!u->cfg.l1.sets || (s == SERVE_GLOBAL && (!u->cfg.l1.global || op->path == PATH_L2)))
        return l1_bypass(&u->l1, op, a, s, now);
    return l1_load(&u->l1, op, a, s, now);
}

/* offer_memory, with what the caches count added to the instruction's profile. */
static enum lsu_result offer_profiled(struct lsu *u, struct mem_op *op, const struct line_access *a,
                                      enum mem_server s, uint32_t track, uint64_t now)
{
    struct access_profile p;
    uint64_t *profile = op->profile;                 /* the access may complete op */
    access_profile_begin(&p, u->count);
    enum lsu_result r = offer_memory(u, op, a, s, track, now);
    access_profile_end(&p, u->count, profile);
    return r;
}

/* Offers the access, with its profile and the oracle of program order. */
static enum lsu_result serve_memory(struct lsu *u, struct mem_op *op, const struct line_access *a, enum mem_server s,
                                    uint32_t track, uint64_t now)
{
    const struct order_check *c = u->retire.check;
    bool early = c && s == SERVE_GLOBAL && op->kind != MOP_PREFETCH && !order_check_in_order(c, op);
    enum lsu_result r = op->profile ? offer_profiled(u, op, a, s, track, now) : offer_memory(u, op, a, s, track, now);
    if (early && r == LSU_SERVED)
        order_check_report(c, op, a->line, now);
    return r;
}

enum lsu_result lsu_serve_global(struct lsu *u, struct mem_op *op, const struct line_access *a, uint32_t track,
                                 uint64_t now)
{
    return serve_memory(u, op, a, SERVE_GLOBAL, track, now);
}

/* Does the access pass the stages in front of L1? Atomics do not, nor what bypasses L1. */
static bool through_pipeline(const struct lsu *u, const struct mem_op *op, enum mem_server s)
{
    if (!u->cfg.l1.stages || op->kind == MOP_ATOM || op->kind == MOP_RED)
        return false;
    return s == SERVE_LOCAL || (op->path != PATH_L2 && (u->cfg.l1.global || op->kind == MOP_STORE));
}

static enum lsu_result enter_pipeline(struct lsu *u, struct mem_op *op, const struct line_access *a,
                                      enum mem_server s, uint64_t now)
{
    if (l1_pipeline_full(&u->pipeline))
        return LSU_BLOCKED_PIPELINE;
    l1_pipeline_enter(&u->pipeline, op, a, s, u->track, now);
    return LSU_SERVED;
}

static enum lsu_result load_read_only(struct lsu *u, struct rocache *c, struct mem_op *op, const struct line_access *a,
                                      uint64_t now)
{
    struct access_profile p;
    uint64_t *profile = op->profile;
    if (!profile)
        return rocache_load(c, op, a, now);
    access_profile_begin(&p, u->count);
    enum lsu_result r = rocache_load(c, op, a, now);
    access_profile_end(&p, u->count, profile);
    return r;
}

static enum lsu_result serve(struct lsu *u, struct mem_op *op, const struct line_access *a, enum mem_server s,
                             uint64_t now)
{
    if (s == SERVE_CONST)
        return load_read_only(u, &u->konst, op, a, now);
    if (s == SERVE_TEXTURE)
        return load_read_only(u, &u->texture, op, a, now);
    if (s == SERVE_GLOBAL && staging_holds(&u->staging) && mem_is_waited_for(op))
        return lsu_stage_offer(u, op, a, now);
    if (through_pipeline(u, op, s))
        return enter_pipeline(u, op, a, s, now);
    if (l1_pipeline_has(&u->pipeline, a->line))
        return LSU_BLOCKED_PIPELINE;
    return serve_memory(u, op, a, s, u->track, now);
}

/* The rejection of an access, with the counters of its reason. */
static struct rejection reject(const struct mem_op *op, enum mem_server s, enum lsu_result why, uint64_t now)
{
    static const enum stat reason[] = {
        [LSU_BLOCKED_LINE] = STAT_L1_RESERVE_FAILS, [LSU_BLOCKED_MSHR] = STAT_L1_MSHR_FULL,
        [LSU_BLOCKED_QUEUE] = STAT_L1_QUEUE_FULL, [LSU_BLOCKED_STAGE] = STAT_STAGE_BLOCKED,
        [LSU_BLOCKED_PIPELINE] = STAT_END
    };
    bool cached = s == SERVE_LOCAL || op->kind == MOP_LOAD;
    struct rejection r = { .on = true, .from = now, .by = { STAT_END, STAT_END } };
    r.sending = why == LSU_BLOCKED_QUEUE || why == LSU_BLOCKED_STAGE;
    if (s == SERVE_CONST)
        r.by[0] = STAT_CONST_BLOCKED;
    else if (s == SERVE_TEXTURE)
        r.by[0] = STAT_TEXTURE_BLOCKED;
    else
        r.by[0] = reason[why];
    if (s != SERVE_CONST && s != SERVE_TEXTURE && cached && why < LSU_BLOCKED_STAGE)
        r.by[1] = l1_stats(op, s)->blocked;
    return r;
}

static void settle_rejection(struct lsu *u, struct rejection *r, uint64_t until)
{
    if (!r->on || until <= r->from)
        return;
    for (int i = 0; i < 2; i++)
        if (r->by[i] != STAT_END)
            u->count[r->by[i]] += until - r->from;
    r->from = until;
}

void lsu_settle(struct lsu *u, uint64_t until)
{
    rocache_settle(&u->inst, until);
    l15_settle(&u->l15, until);
    if (!tlb_l1_idle(&u->send.tlb))
        tlb_l1_settle(&u->send.tlb, until);
    settle_rejection(u, &u->rejected, until);
    settle_rejection(u, &u->not_looked_up, until);
}

/* Is the access still rejected? If it may have become acceptable, its rejection ends, and it is offered again. */
static bool still_rejected(struct lsu *u, struct rejection *r, uint64_t now)
{
    if (r->on && !r->retry && !u->changed)
        return true;
    settle_rejection(u, r, now);
    r->on = r->retry = false;
    return false;
}

/* Offers accesses to their server, as many as it serves in a cycle; true when all have been served. */
static bool serve_accesses(struct lsu *u, struct mem_op *op, enum mem_server s, uint64_t now)
{
    uint32_t ports = s == SERVE_GLOBAL && staging_holds(&u->staging) ? u->cfg.l1.ports
                     : s == SERVE_LOCAL || s == SERVE_GLOBAL ? u->ports : 1;
    bool l1 = (s == SERVE_LOCAL || s == SERVE_GLOBAL) && !(s == SERVE_GLOBAL && staging_holds(&u->staging));
    for (; ports && u->next < u->accesses; ports--, u->next++) {
        enum lsu_result r = serve(u, op, &u->access[u->next], s, now);
        if (r != LSU_SERVED) {
            u->rejected = reject(op, s, r, now);
            return false;
        }
        u->served = true;
        u->ports -= l1;
    }
    u->step = now + 1;
    return u->next == u->accesses;
}

/* From the last pass to the result; with blocks a store has completed when its last access begins. */
static uint32_t shared_latency(const struct lsu *u, const struct mem_op *op)
{
    const struct shared_cfg *c = &u->cfg.shared;
    if (op->kind == MOP_STORE)
        return c->block ? 1 : c->latency;
    return u->pass_delay + (op->kind == MOP_ATOM && c->atomic_latency ? c->atomic_latency : c->latency);
}

static bool run_server(struct lsu *u, struct mem_op *op, uint64_t now)
{
    enum mem_server s = lsu_server_order[u->server];
    if (s == SERVE_CLUSTER) {
        op->remote = u->retire.calls.remote_shared(u->retire.calls.ctx, op, now);
        op->pending += op->remote;
        return true;
    }
    if (s != SERVE_SHARED)
        return serve_accesses(u, op, s, now);
    if (u->staging.stage && u->staging.stage->shared && !staging_shared(&u->staging, op, now)) {
        u->rejected = reject(op, s, LSU_BLOCKED_STAGE, now);
        return false;
    }
    uint64_t ready = now + shared_latency(u, op) - 1;
    if (u->banks.perform) {
        u->banks_free = now + u->banks.perform(u->banks.ctx, op, now);
        ready += u->banks_free - now;
    } else {
        mem_perform_shared(op);
    }
    op->ready = ready > op->ready ? ready : op->ready;
    return true;
}

static void start(struct lsu *u, const struct mem_op *op, uint64_t now)
{
    u->started = true;
    u->addresses_free = now + u->address_cycles;
    next_server(u, 0, now);
}

/* The cycle in which the unit that has served the oldest instruction has finished. */
static uint64_t busy_until(const struct lsu *u, uint64_t now)
{
    uint64_t until = u->banks_free > u->filters_free ? u->banks_free : u->filters_free;
    return until > now ? until : now;
}

void lsu_serve_oldest(struct lsu *u, uint64_t now)
{
    if (still_rejected(u, &u->rejected, now) || !u->n)
        return;
    struct mem_op *op = u->queue[u->first].op;
    if (!u->started) {
        if (u->addresses_free > now)
            return;
        start(u, op, now);
    }
    if (u->server < SERVERS) {
        if (u->step > now || !run_server(u, op, now))
            return;
        u->step = busy_until(u, now);
        if (next_server(u, u->server + 1, u->step + 1))
            return;
    }
    if (u->step > now)
        return;
    u->started = false;
    u->n--;
    if (++u->first == u->cfg.queue)
        u->first = 0;
    retire_complete(&u->retire, op, now);
}

/* Accesses whose cycle has come are looked up in L1. */
void lsu_look_up(struct lsu *u, uint64_t now)
{
    struct l1_access *d;
    if (still_rejected(u, &u->not_looked_up, now))
        return;
    for (uint32_t n = u->cfg.l1.ports; n && (d = l1_pipeline_oldest(&u->pipeline)) && d->ready <= now; n--) {
        enum lsu_result r = serve_memory(u, d->op, &d->access, (enum mem_server)d->server, d->track, now);
        if (r != LSU_SERVED) {
            u->not_looked_up = reject(d->op, (enum mem_server)d->server, r, now);
            return;
        }
        l1_pipeline_leave(&u->pipeline);
        u->changed = true;
        retire_complete(&u->retire, d->op, now);
    }
}

/* ---- in the background ---- */

void lsu_background(struct lsu *u, struct mem_op *op, uint64_t now)
{
    struct background *b = &u->background;
    op->next = NULL;
    op->issued = u->clock = now;
    if (b->first)
        b->last->next = op;
    else
        b->first = op;
    b->last = op;
    b->queued++;
    b->retry = true;
    retire_begin(&u->retire, op);
}

uint32_t lsu_background_queued(const struct lsu *u)
{
    return u->background.queued;
}

bool lsu_stores_wait(const struct lsu *u)
{
    return u->retire.stores_wait;
}

static enum mem_server background_server(const struct background *b)
{
    return b->first->served_by[SERVE_GLOBAL] ? SERVE_GLOBAL : SERVE_LOCAL;
}

static void start_background(struct lsu *u, struct background *b)
{
    enum mem_server s = background_server(b);
    b->started = true;
    b->next = 0;
    b->n = s == SERVE_GLOBAL ? coalesce(b->first, s, WARP_LANES, b->access)
                             : coalesce_private(u, b->first, WARP_LANES, b->access);
    if (remote_kind(u, b->first, s))
        b->track = remote_begin(&u->remote, b->first, s, b->n);
}

void lsu_serve_background(struct lsu *u, uint64_t now)
{
    struct background *b = &u->background;
    b->blocked = b->retry = false;
    while (b->first && u->ports) {
        struct mem_op *op = b->first;
        if (!b->started)
            start_background(u, b);
        for (; u->ports && b->next < b->n; b->next++, u->ports--)
            if (l1_pipeline_has(&u->pipeline, b->access[b->next].line) ||
                serve_memory(u, op, &b->access[b->next], background_server(b), b->track, now) != LSU_SERVED) {
                b->blocked = true;
                return;
            }
        if (b->next < b->n)
            return;
        b->first = op->next;
        b->queued--;
        b->started = false;
        retire_complete(&u->retire, op, now);
    }
}
