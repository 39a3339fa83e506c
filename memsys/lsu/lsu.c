/*
 * The load/store unit as its users see it (lsu.h): how it is made, the queue of instructions, its cycle, the end of a
 * kernel, and reports. lsu_serve.c has the instructions' accesses, lsu_receive.c what arrives from the crossbar.
 */
#include <stdio.h>
#include <string.h>

#include "base/huge.h"
#include "memsys/lsu/lsu_impl.h"
#include "memsys/xbar/xbar.h"

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
    tlb_l1_init(&u->send.tlb, &c->tlb.l1, c->sm, &u->send.data, count);
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
    tlb_l1_end(&u->send.tlb);
    packet_pool_end(&u->send.pool);
    huge_free(u->queue);
    huge_free(u);
}

/* ---- from the SM core ---- */

bool lsu_has_room(const struct lsu *u)
{
    return u->n + 1 < u->cfg.queue;
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
        s->servers |= (uint32_t)(op->served_by[lsu_server_order[i]] != 0) << i;
    op->sequence = u->instructions++;
    if (op->served_by[SERVE_GLOBAL]) {
        s->n = coalesce(op, SERVE_GLOBAL, u->cfg.coalescer.lanes, s->access);
        lsu_count_accesses(u, op, s->access, s->n);
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

/* ---- time ---- */

/* Is a rejected access offered again in the next cycle? sent: a request has left in this one. */
static bool offered_again(const struct lsu *u, const struct rejection *r, bool sent)
{
    return u->served || (sent && (r->sending || u->coherence.protocol));
}

/* True: the miss queue has become shorter. */
static __attribute__((noinline)) bool translate_and_send(struct sender *s, uint64_t now)
{
    bool shorter = !tlb_l1_idle(&s->tlb) && tlb_l1_run(&s->tlb, now);
    return sender_run(s, now) || shorter;
}

uint64_t lsu_run(struct lsu *u, uint64_t now)
{
    u->changed |= u->coherence.protocol || u->staging.stage;
    lsu_receive(u, now);
    if (u->cfg.ro.l15.sets)
        u->changed |= l15_run(&u->l15, now);
    if (l1_coherence_retries(&u->coherence))
        l1_coherence_retry(&u->coherence, now);
    u->ports = u->cfg.l1.ports;
    if (u->staging.stage)
        lsu_stage_run(u, now);
    if (u->pipeline.n)
        lsu_look_up(u, now);
    u->served = false;
    lsu_serve_oldest(u, now);
    u->served |= u->background.first || u->flushing;
    if (u->background.first)
        lsu_serve_background(u, now);
    if (u->flushing)
        u->flushing = l1_flush_line(&u->l1, now) || l1_coherence_flush_line(&u->coherence, now);
    bool sent = u->send.tlb.cfg.entries ? translate_and_send(&u->send, now) : sender_run(&u->send, now);
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
    if (u->send.tlb.cfg.entries)
        next = clock_earlier(next, tlb_l1_next(&u->send.tlb, u->clock));
    if (u->background.first && (!u->background.blocked || u->background.retry))
        next = clock_earlier(next, u->clock + 1);
    return clock_earlier(next, reply > u->clock ? reply : u->clock + 1);
}

/* ---- address translation ---- */

const struct tlb_request *lsu_tlb_sent(struct lsu *u, uint32_t *n)
{
    return tlb_l1_sent(&u->send.tlb, n);
}

void lsu_translated(struct lsu *u, uint64_t page, uint64_t at)
{
    tlb_l1_translated(&u->send.tlb, page, at);
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
           !u->send.vn_queued && !u->inst.nwanted && tlb_l1_idle(&u->send.tlb);
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
    if (u->cfg.tlb.flush)
        tlb_l1_clear(&u->send.tlb);
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
    uint32_t queued = u->send.data.n + u->send.inst.n + u->send.tlb.asked.n;
    if (lsu_idle(u))
        return;
    snprintf(text, sizeof text, "load/store unit: %u instructions queued, %u requests in the miss queue, %u in flight, "
             "%u L1 MSHR entries of %u in use, %u accesses held in the stage", u->n, queued,
             (uint32_t)packet_pool_used(&u->send.pool) - queued,
             u->l1.mshr.n, u->l1.mshr.entries, u->staging.held);
    line(ctx, text);
    dump_sender(u, line, ctx);
    if (!tlb_l1_idle(&u->send.tlb)) {
        snprintf(text, sizeof text, "  TLB: %u requests before the look-up, %u wait for %u pages",
                 u->send.tlb.asked.n, u->send.tlb.waiting, u->send.tlb.misses);
        line(ctx, text);
    }
    if (u->n && u->started && u->server < SERVERS) {
        snprintf(text, sizeof text, "  oldest: warp slot %u, %s, access %u of %u%s", u->queue[u->first].op->sm_slot,
                 names[lsu_server_order[u->server]], u->next + 1, u->accesses, waits_for(u));
        line(ctx, text);
    }
    if (u->coherence.protocol)
        l1_coherence_dump(&u->coherence, line, ctx);
}
