/*
 * The load/store unit's sequence: the oldest instruction is processed, server by server. Its accesses are offered to
 * the caches in order; one that is blocked by a full structure is offered again when an entry may have been freed.
 */
#include <stdio.h>
#include <string.h>

#include "base/huge.h"
#include "memsys/lsu/access_profile.h"
#include "memsys/lsu/lsu_impl.h"
#include "memsys/xbar/xbar.h"

/* The order in which an instruction's servers are processed. */
static const enum mem_server server_order[SERVERS] = {
    SERVE_SHARED, SERVE_CLUSTER, SERVE_CONST, SERVE_TEXTURE, SERVE_LOCAL, SERVE_GLOBAL
};

static uint8_t networks_of_probes(const struct coherence *p)
{
    uint8_t vns = 0;
    for (uint32_t i = 0; p && i < p->messages; i++)
        vns |= (uint8_t)((p->message[i].class == COHERENCE_PROBE) << p->message[i].vn);
    return vns;
}

struct lsu *lsu_new(const struct lsu_cfg *c, const struct lsu_calls *calls, struct port *out, struct port *in,
                    uint64_t *count, struct hists *hists)
{
    struct lsu *u = huge_alloc(1, sizeof *u, "a load/store unit");
    memset(u, 0, offsetof(struct lsu, background.access));       /* the arrays after it need no initial values */
    u->cfg = *c;
    u->in = in;
    u->count = count;
    u->hists = hists;
    u->address_cycles = (c->warp_lanes + c->ldst_width - 1) / c->ldst_width;
    u->cfg.queue++;                  /* one entry more, for the second part of an instruction in a transaction */
    u->queue = huge_zero(u->cfg.queue, sizeof *u->queue, "the queue of a load/store unit");
    u->send = (struct sender){ .cfg = &u->cfg, .out = out, .count = count };
    packet_pool_init(&u->send.pool, 0);
    retire_init(&u->retire, calls, hists);
    l1_init(&u->l1, &u->cfg.l1, c->coalescer.segment, &u->send, &u->retire, count);
    l1_pipeline_init(&u->pipeline, c->l1.stages);
    rocache_init(&u->konst, &c->ro.konst, ACCESS_CONST, &u->send, &u->retire, count);
    rocache_init(&u->texture, &c->ro.texture, ACCESS_TEXTURE, &u->send, &u->retire, count);
    rocache_init(&u->inst, &c->ro.inst, ACCESS_INST, &u->send, &u->retire, count);
    l15_init(&u->l15, &c->ro.l15, &u->send, &u->konst, &u->inst, count);
    remote_init(&u->remote, &u->cfg, &u->send, &u->retire, &u->l1, count);
    l1_coherence_init(&u->coherence, &u->cfg.l1, &u->l1, &u->remote);
    u->probe_vns = networks_of_probes(c->l1.coherence);
    u->retire.stores_wait = c->l1.coherence;
    return u;
}

void lsu_check_order(struct lsu *u, struct order_check *c)
{
    u->retire.check = c;
}

void lsu_record_order(struct lsu *u, struct order_history *h)
{
    u->retire.history = h;
}

void lsu_fence(struct lsu *u, const struct order_fence *f)
{
    struct order_fence numbered = *f;
    if (!u->retire.history || !u->retire.history->fences)
        return;
    numbered.instruction = u->instructions++;
    order_history_fence(u->retire.history, &numbered);
}

void lsu_report_writes(struct lsu *u, const struct retire_observer *o)
{
    u->retire.observer = *o;
}

uint64_t lsu_bound_from(const struct lsu *u, uint64_t now)
{
    return order_check_oldest(u->retire.check, now);
}

void lsu_banks(struct lsu *u, const struct lsu_banks *b)
{
    u->banks = *b;
}

void lsu_free(struct lsu *u)
{
    if (!u)
        return;
    staging_end(&u->staging);
    order_check_free(u->retire.check);
    l1_coherence_end(&u->coherence);
    remote_end(&u->remote);
    l15_end(&u->l15);
    rocache_end(&u->inst);
    rocache_end(&u->texture);
    rocache_end(&u->konst);
    l1_pipeline_end(&u->pipeline);
    l1_end(&u->l1);
    retire_end(&u->retire);
    packet_pool_end(&u->send.pool);
    huge_free(u->queue);
    huge_free(u);
}

/* ---- from the SM core ---- */

bool lsu_has_room(const struct lsu *u)
{
    return u->n + 1 < u->cfg.queue;
}

static void count_lines(struct lsu *u, const struct mem_op *op, const struct line_access *access, uint32_t n)
{
    u->count[STAT_COALESCED_INSTS]++;
    u->count[STAT_COALESCED_LINES] += n;
    hist_add(u->hists, HIST_COALESCED, n);
    if (op->profile)
        access_profile_lines(op->profile, access, n);
}

void lsu_issue(struct lsu *u, struct mem_op *op, uint64_t now, uint32_t *loads, uint32_t *stores)
{
    uint32_t at = u->first + u->n++;
    struct queued *s = &u->queue[at < u->cfg.queue ? at : at - u->cfg.queue];
    if (!u->cfg.ro.texture_nc && op->served_by[SERVE_TEXTURE] && !op->fetch) {
        op->served_by[SERVE_GLOBAL] |= op->served_by[SERVE_TEXTURE];
        op->served_by[SERVE_TEXTURE] = 0;
    }
    s->op = op;
    s->n = 0;
    s->servers = 0;
    for (uint32_t i = 0; i < SERVERS; i++)
        s->servers |= (uint32_t)(op->served_by[server_order[i]] != 0) << i;
    op->sequence = u->instructions++;
    if (op->served_by[SERVE_GLOBAL]) {
        s->n = coalesce(op, SERVE_GLOBAL, u->cfg.coalescer.lanes, s->access);
        count_lines(u, op, s->access, s->n);
    }
    *loads = op->kind == MOP_STORE || !mem_is_waited_for(op) ? 0 : s->n;
    *stores = op->kind == MOP_LOAD || !mem_is_waited_for(op) ? 0 : s->n;
    op->issued = u->clock = now;
    if (u->retire.check)
        order_check_issued(u->retire.check, op, *loads, *stores);
    *loads += op->served_by[SERVE_CLUSTER] && op->kind != MOP_STORE;
    *stores += op->served_by[SERVE_CLUSTER] && op->kind != MOP_LOAD;
    retire_begin(&u->retire, op);
}

void lsu_cluster_reply(struct lsu *u, struct mem_op *op, uint64_t lanes, uint64_t ready)
{
    const struct lsu_calls *c = &u->retire.calls;
    mem_cluster_reply(op, lanes);
    u->changed = true;
    if (!--op->remote) {
        if (op->kind != MOP_STORE)
            c->performed(c->ctx, op->sm_slot, false, ready);
        if (op->kind != MOP_LOAD)
            c->performed(c->ctx, op->sm_slot, true, ready);
    }
    retire_complete(&u->retire, op, ready);
}

bool lsu_warp_busy(const struct lsu *u, uint32_t sm_slot)
{
    return sm_slot < u->retire.slots && u->retire.busy[sm_slot];
}

bool lsu_all_sent(const struct lsu *u, uint32_t sm_slot, uint32_t loads, uint32_t stores)
{
    struct remote_warp w = remote_warp(&u->remote, sm_slot);
    uint32_t busy = sm_slot < u->retire.slots ? u->retire.busy[sm_slot] : 0;
    return busy == w.instructions && loads == w.loads && stores == w.stores;
}

void lsu_warp_ended(struct lsu *u, uint32_t sm_slot)
{
    remote_warp_ended(&u->remote, sm_slot);
}

void lsu_acquire(struct lsu *u)
{
    u->changed = true;
    if (u->cfg.l1.acquire)
        l1_invalidate_global(&u->l1);
}

void lsu_invalidate_line(struct lsu *u, uint64_t address)
{
    u->changed = true;
    if (!u->coherence.protocol)
        l1_invalidate_line(&u->l1, address / LINE_BYTES * LINE_BYTES);
}

bool lsu_fetch(struct lsu *u, uint64_t address, uint64_t now)
{
    u->clock = now;
    return rocache_fetch(&u->inst, address, u->cfg.ro.inst_prefetch, now);
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
        count_lines(u, s->op, u->others, u->accesses);
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
        begin_server(u, s, server_order[u->server], now);
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
    enum mem_server s = server_order[u->server];
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

static void run_oldest(struct lsu *u, uint64_t now)
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
static void look_up(struct lsu *u, uint64_t now)
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

static void run_background(struct lsu *u, uint64_t now)
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

/* ---- replies ---- */

static void add_interval(struct lsu *u, enum hist_id h, uint64_t from, uint64_t to)
{
    hist_add(u->hists, h, to > from ? to - from : 0);
}

/* The latency breakdown of a request. */
static void count_intervals(struct lsu *u, const struct packet *p)
{
    const uint64_t *t = p->stamp;
    uint64_t dram = t[STAMP_DRAM] > t[STAMP_DRAM_QUEUE] ? t[STAMP_DRAM] - t[STAMP_DRAM_QUEUE] : 0;
    add_interval(u, HIST_REQUEST_L1, t[STAMP_ISSUE], t[STAMP_SENT]);
    add_interval(u, HIST_REQUEST_XBAR, t[STAMP_SENT], t[STAMP_L2_QUEUE]);
    add_interval(u, HIST_REQUEST_L2, t[STAMP_L2_QUEUE] + dram, t[STAMP_REPLY]);
    if (t[STAMP_DRAM_QUEUE])
        hist_add(u->hists, HIST_REQUEST_DRAM, dram);
    add_interval(u, HIST_REQUEST_REPLY, t[STAMP_REPLY], t[STAMP_FILL]);
}

static void forward_reply(struct lsu *u, struct packet *p, uint64_t now)
{
    switch ((enum reply_to)(p->token >> REPLY_SHIFT)) {
    case REPLY_L1: l1_fill(&u->l1, p, now); break;
    case REPLY_STORE: remote_acknowledged(&u->remote, p, now); break;
    case REPLY_ATOM: remote_replied(&u->remote, p, now); break;
    case REPLY_WRITEBACK: l1_written_back(&u->l1, p); break;
    case REPLY_CONST: rocache_fill(&u->konst, p, now); break;
    case REPLY_TEXTURE: rocache_fill(&u->texture, p, now); break;
    case REPLY_INST: rocache_fill(&u->inst, p, now); break;
    case REPLY_L15: l15_fill(&u->l15, p, now); break;
    }
}

/* Does a warp wait for the reply's data? */
static bool is_awaited(const struct lsu *u, const struct packet *p)
{
    uint32_t to = p->token >> REPLY_SHIFT;
    if (p->kind >= MSG_PROTOCOL)
        return u->coherence.protocol->message[p->kind - MSG_PROTOCOL].payload != COHERENCE_NO_PAYLOAD;
    return to != REPLY_STORE && to != REPLY_WRITEBACK && p->type != ACCESS_INST;
}

static void handle_reply(struct lsu *u, struct packet *p, uint64_t now)
{
    p->stamp[STAMP_FILL] = now;
    if (is_awaited(u, p))
        count_intervals(u, p);
    if (u->retire.calls.replied)
        u->retire.calls.replied(u->retire.calls.ctx, p);
    if (p->kind >= MSG_PROTOCOL)
        l1_coherence_message(&u->coherence, p, now);
    else
        forward_reply(u, p, now);
    packet_free(&u->send.pool, p);
}

static void handle(struct lsu *u, struct packet *p, uint64_t now)
{
    uint32_t flits = xbar_flits(p->bytes, u->cfg.flit_bytes);
    port_return(u->in, clock_convert(u->cfg.clocks, CLK_CORE, CLK_XBAR, now) + u->cfg.credit_latency, p->vn, flits);
    u->count[STAT_REPLIES]++;
    if (p->kind == MSG_SECTOR) {
        u->count[STAT_L2_NOTIFICATIONS]++;
        packet_return(p);
        return;
    }
    u->changed = true;
    if (p->kind >= MSG_ENGINE) {
        u->count[STAT_L2_NOTIFICATIONS]++;
        u->retire.calls.message(u->retire.calls.ctx, p, now);
    } else if (p->kind >= MSG_POLICY)
        lsu_stage_message(u, p, now);
    else if (u->probe_vns >> p->vn & 1)
        l1_coherence_message(&u->coherence, p, now);
    else
        handle_reply(u, p, now);
}

/* The oldest reply of the next network, round robin. */
static struct packet *next_reply(struct lsu *u)
{
    for (uint32_t k = 0; u->narrived && k < u->in->vns; k++) {
        uint32_t vn = (u->reply_vn + k) % u->in->vns;
        if (u->arrived[vn].n) {
            u->reply_vn = vn + 1;
            u->narrived--;
            return packet_pop(&u->arrived[vn]);
        }
    }
    return NULL;
}

/* Handles all probes; of the other networks' packets one a cycle is handled, as with a single network. */
static struct packet *sort_networks(struct lsu *u, uint64_t now)
{
    for (struct packet *p; (p = port_receive(u->in, now));) {
        if (u->probe_vns >> p->vn & 1) {
            handle(u, p, now);
        } else {
            packet_push(&u->arrived[p->vn], p);
            u->narrived++;
        }
    }
    return next_reply(u);
}

static void receive(struct lsu *u, uint64_t now)
{
    struct packet *p = u->in->vns > 1 ? sort_networks(u, now) : port_receive(u->in, now);
    if (p)
        handle(u, p, now);
}

/* ---- time ---- */

/* Is a rejected access offered again in the next cycle? sent: a request has left in this one. */
static bool offered_again(const struct lsu *u, const struct rejection *r, bool sent)
{
    return u->served || (sent && (r->sending || u->coherence.protocol));
}

uint64_t lsu_run(struct lsu *u, uint64_t now)
{
    u->changed |= u->coherence.protocol || u->staging.stage;
    receive(u, now);
    if (u->cfg.ro.l15.sets)
        u->changed |= l15_run(&u->l15, now);
    if (l1_coherence_retries(&u->coherence))
        l1_coherence_retry(&u->coherence, now);
    u->ports = u->cfg.l1.ports;
    if (u->staging.stage)
        lsu_stage_run(u, now);
    if (u->pipeline.n)
        look_up(u, now);
    u->served = false;
    run_oldest(u, now);
    u->served |= u->background.first || u->flushing;
    if (u->background.first)
        run_background(u, now);
    if (u->flushing)
        u->flushing = l1_flush_line(&u->l1, now) || l1_coherence_flush_line(&u->coherence, now);
    bool sent = sender_run(&u->send, now);
    u->changed = false;
    u->rejected.retry = offered_again(u, &u->rejected, sent);
    u->not_looked_up.retry = offered_again(u, &u->not_looked_up, sent);
    u->background.retry = sent && u->background.blocked;
    u->clock = now;
    return lsu_next(u);
}

/* The cycle after u->clock at which the oldest instruction continues. A blocked one waits for a reply, and is offered
 * again in its cycle, or for the miss queue, and is offered again in the next. */
static uint64_t next_step(const struct lsu *u)
{
    if (!u->n || (u->rejected.on && !u->rejected.retry))
        return NEVER;
    uint64_t step = u->started ? u->step : u->addresses_free;
    return u->rejected.on || step <= u->clock ? u->clock + 1 : step;
}

/* The same for the access at the end of the pipeline. When it leaves, the oldest instruction has its turn, too. */
static uint64_t next_look_up(const struct lsu *u)
{
    const struct l1_access *d = l1_pipeline_oldest(&u->pipeline);
    if (!d || (u->not_looked_up.on && !u->not_looked_up.retry))
        return NEVER;
    return d->ready > u->clock ? d->ready : u->clock + 1;
}

uint64_t lsu_next(const struct lsu *u)
{
    uint64_t reply = port_next(u->in);
    uint64_t next = clock_earlier(clock_earlier(next_step(u), next_look_up(u)), sender_next(&u->send, u->clock));
    if ((u->flushing && sender_has_room(&u->send)) || u->narrived || l1_coherence_retries(&u->coherence))
        next = clock_earlier(next, u->clock + 1);
    if (u->staging.stage)
        next = clock_earlier(next, lsu_stage_next(u));
    if (u->cfg.ro.l15.sets)
        next = clock_earlier(next, l15_next(&u->l15, u->clock));
    if (u->background.first && (!u->background.blocked || u->background.retry))
        next = clock_earlier(next, u->clock + 1);
    return clock_earlier(next, reply > u->clock ? reply : u->clock + 1);
}

/* ---- messages to engines ---- */

struct packet *lsu_packet(struct lsu *u, struct packet_pool *pool, unsigned kind, uint32_t slice, uint32_t bytes,
                          uint64_t now)
{
    struct packet *p = packet_new(pool);
    p->kind = (uint8_t)kind;
    p->type = ACCESS_GLOBAL_LOAD;
    p->sm = u->cfg.sm;
    p->slice = (uint16_t)slice;
    p->bytes = (uint16_t)(PACKET_HEADER + bytes);
    p->warp = UINT16_MAX;
    p->stamp[STAMP_ISSUE] = p->stamp[STAMP_L1] = now;
    return p;
}

bool lsu_can_send(const struct lsu *u)
{
    return sender_has_room(&u->send);
}

bool lsu_has_credits(const struct lsu *u, uint64_t now)
{
    const struct packet *p = u->send.data.head;
    bool known = p && u->send.out->vns == 1;     /* else the next packet may be any */
    uint32_t flits = known ? xbar_flits(p->bytes, u->cfg.flit_bytes) : u->cfg.largest_packet;
    return port_has_credits(u->send.out, now, flits);
}

void lsu_send(struct lsu *u, struct packet *p)
{
    u->changed = true;
    u->count[STAT_SM_NOTIFICATIONS]++;
    if (p->vn)
        sender_push_vn(&u->send, p);
    else
        sender_push(&u->send, p);
}

uint32_t lsu_slice(const struct lsu *u, uint64_t address)
{
    return addrmap_slice(u->cfg.map, address);
}

/* ---- ends of kernels, reports ---- */

void lsu_private_map(struct lsu *u, const struct private_map *m)
{
    u->private = *m;
}

const uint8_t *lsu_private_line(struct lsu *u, uint64_t line)
{
    uint64_t mapped = private_map_line(&u->private, line);
    const uint8_t *there = l1_private_line(&u->l1, mapped);
    return there || mapped == line ? there : (const uint8_t *)(uintptr_t)mapped;
}

void lsu_probe(struct lsu *u, struct packet *p, uint64_t now)
{
    l1_coherence_probe(&u->coherence, p, now);
    u->rejected.retry = u->not_looked_up.retry = u->background.retry = true;
}

const uint8_t *lsu_coherent_copy(const struct lsu *u, uint64_t line)
{
    return l1_coherence_copy(&u->coherence, line);
}

unsigned lsu_coherence_state(const struct lsu *u, uint64_t line)
{
    return l1_coherence_state(&u->coherence, line);
}

bool lsu_idle(const struct lsu *u)
{
    return !u->n && !u->pipeline.n && !u->background.first && !u->staging.held && !packet_pool_used(&u->send.pool) &&
           !u->send.vn_queued && !u->inst.nwanted;
}

bool lsu_flush(struct lsu *u, uint64_t now)
{
    if (u->cfg.l1.local_drop)
        l1_drop_dirty(&u->l1);
    u->flushing = u->l1.dirty_lines || u->coherence.to_write_back;
    return !u->flushing && lsu_idle(u);
}

void lsu_set_l1_ways(struct lsu *u, uint32_t ways)
{
    l1_set_ways(&u->l1, ways);
}

void lsu_invalidate(struct lsu *u)
{
    l1_clear(&u->l1);
    rocache_clear(&u->konst);
    rocache_clear(&u->texture);
    rocache_clear(&u->inst);
    l15_clear(&u->l15);
}

void lsu_preload_code(struct lsu *u, uint64_t address, uint64_t bytes)
{
    uint64_t most = (uint64_t)u->cfg.ro.inst_launch_kb << 10, end = address + (bytes < most ? bytes : most);
    for (uint64_t line = address / LINE_BYTES * LINE_BYTES; line < end; line += LINE_BYTES)
        l15_preload(&u->l15, line);
}

static const char *waits_for(const struct lsu *u)
{
    const struct rejection *r = u->not_looked_up.on ? &u->not_looked_up : &u->rejected;
    if (!r->on)
        return "";
    switch (r->by[0]) {
    case STAT_L1_RESERVE_FAILS:
        return u->coherence.protocol ? ", its L1 line or every way of its set has a request in flight"
                                     : ", every way of its L1 set waits for a fill";
    case STAT_L1_MSHR_FULL: return ", waits for an L1 MSHR entry or merge";
    case STAT_L1_QUEUE_FULL: return ", waits for an entry of the miss queue";
    case STAT_STAGE_BLOCKED: return ", waits for the order policy's stage";
    case STAT_CONST_BLOCKED: return ", waits at the constant cache";
    case STAT_TEXTURE_BLOCKED: return ", waits at the texture cache";
    default: return ", waits for an earlier access in front of the look-up in L1";
    }
}

/* What the head of the miss queue waits for. */
static void dump_sender(const struct lsu *u, void (*line)(void *ctx, const char *text), void *ctx)
{
    const struct packet *p = u->send.inst.n ? u->send.inst.head : u->send.data.head;
    uint32_t have = p ? u->send.out->have[p->vn] : 0, flits = p ? xbar_flits(p->bytes, u->cfg.flit_bytes) : 0;
    char text[200];
    if (have >= flits)
        return;
    snprintf(text, sizeof text, "  the miss queue waits for credits of the crossbar: it has %u, line 0x%llx takes %u",
             have, (unsigned long long)p->line, flits);
    line(ctx, text);
}

void lsu_dump(const struct lsu *u, void (*line)(void *ctx, const char *text), void *ctx)
{
    static const char *const names[SERVERS] = {
        [SERVE_GLOBAL] = "global", [SERVE_SHARED] = "shared", [SERVE_LOCAL] = "local", [SERVE_CONST] = "const",
        [SERVE_TEXTURE] = "texture", [SERVE_CLUSTER] = "cluster"
    };
    char text[240];
    uint32_t queued = u->send.data.n + u->send.inst.n;
    if (lsu_idle(u))
        return;
    snprintf(text, sizeof text, "load/store unit: %u instructions queued, %u requests in the miss queue, %u in flight, "
             "%u L1 MSHR entries of %u in use, %u accesses held in the stage", u->n, queued,
             (uint32_t)packet_pool_used(&u->send.pool) - queued,
             u->l1.mshr.n, u->l1.mshr.entries, u->staging.held);
    line(ctx, text);
    dump_sender(u, line, ctx);
    if (u->n && u->started && u->server < SERVERS) {
        snprintf(text, sizeof text, "  oldest: warp slot %u, %s, access %u of %u%s", u->queue[u->first].op->sm_slot,
                 names[server_order[u->server]], u->next + 1, u->accesses, waits_for(u));
        line(ctx, text);
    }
    if (u->coherence.protocol)
        l1_coherence_dump(&u->coherence, line, ctx);
}
