/* Write-through stores and atomics. */
#include <stdlib.h>

#include "base/alloc.h"
#include "memsys/lsu/remote.h"

enum { PAYLOADS_IN_CHUNK = 8 };

void remote_init(struct remote *r, const struct lsu_cfg *c, struct sender *send, struct retire *retire, struct l1 *l1,
                 uint64_t *count)
{
    *r = (struct remote){ .cfg = c, .send = send, .retire = retire, .l1 = l1, .count = count, .free = UINT32_MAX };
    pool_init(&r->payloads, sizeof(struct atom_payload), PAYLOADS_IN_CHUNK, "operands of atomics");
}

void remote_end(struct remote *r)
{
    pool_end(&r->payloads);
    free(r->track);
    free(r->warp);
    *r = (struct remote){ 0 };
}

static uint32_t track_new(struct remote *r)
{
    if (r->free == UINT32_MAX)
        r->track = mem_grow_linked(r->track, &r->tracks, &r->free, sizeof *r->track,
                                   offsetof(struct remote_track, next), "outstanding stores and atomics");
    uint32_t i = r->free;
    r->free = r->track[i].next;
    return i;
}

static void track_free(struct remote *r, uint32_t i)
{
    r->track[i].next = r->free;
    r->free = i;
}

void remote_operands(struct remote *r, struct packet *p, const struct mem_op *op, const struct line_access *a)
{
    unsigned bytes = (unsigned)__builtin_popcountll(a->lanes) * op->width;
    p->atom = pool_take(&r->payloads);
    mem_atomic_request(op, a->lanes, p->atom);
    p->sectors = a->sectors;
    p->bytes = (uint16_t)(PACKET_HEADER + bytes * (op->atomic_class == ATOMIC_CAS ? 2 : 1));
    p->reply_bytes = (uint16_t)(PACKET_HEADER + (op->kind == MOP_ATOM ? bytes : 0));
    p->atomic_class = op->atomic_class;
    p->warp = (uint16_t)op->sm_slot;
}

void remote_bytes(struct packet *p, const struct mem_op *op, const struct line_access *a)
{
    mem_store_line(op, a->lanes, a->piece, p->data, p->mask);
    p->sectors = line_sectors(p->mask);
    p->bytes = sender_write_bytes(p->sectors);
    if (op->no_data)
        p->mask[0] = p->mask[1] = 0;
    p->warp = (uint16_t)op->sm_slot;
}

static struct remote_warp *warp_of(struct remote *r, uint32_t slot)
{
    r->warp = mem_grow_zero(r->warp, slot, &r->warps, sizeof *r->warp, "stores of warps");
    return &r->warp[slot];
}

uint32_t remote_begin(struct remote *r, const struct mem_op *op, enum mem_server s, uint32_t n)
{
    struct remote_warp *w = warp_of(r, op->sm_slot);
    uint32_t i = track_new(r);
    bool waited = mem_is_waited_for(op);
    r->track[i] = (struct remote_track){
        .issued = op->issued, .instruction = op->sequence, .pending = n, .slot = op->sm_slot, .ended = w->ended,
        .copy = op->role == MEM_ROLE_BULK ? op->owner : NULL,
        .counts_load = op->kind == MOP_RED && waited, .counts_store = s == SERVE_GLOBAL && waited
    };
    w->instructions++;
    w->loads += r->track[i].counts_load ? n : 0;
    w->stores += r->track[i].counts_store ? n : 0;
    retire_hold(r->retire, op->sm_slot);
    return i;
}

struct remote_warp remote_warp(const struct remote *r, uint32_t slot)
{
    return slot < r->warps ? r->warp[slot] : (struct remote_warp){ 0 };
}

void remote_warp_ended(struct remote *r, uint32_t slot)
{
    struct remote_warp *w = warp_of(r, slot);
    for (; w->instructions; w->instructions--)
        retire_release(r->retire, slot);
    w->loads = w->stores = 0;
    w->ended++;
}

enum lsu_result remote_store(struct remote *r, const struct mem_op *op, const struct line_access *a, enum mem_server s,
                             uint32_t number, uint64_t now)
{
    if (!sender_has_room(r->send))
        return LSU_BLOCKED_QUEUE;
    struct packet *p = sender_packet(r->send, MSG_WRITE, s == SERVE_LOCAL ? ACCESS_LOCAL_STORE : ACCESS_GLOBAL_STORE,
                                     a->line, sender_token(REPLY_STORE, number), op->issued, now);
    remote_bytes(p, op, a);
    l1_write_through(r->l1, p);
    sender_push(r->send, p);
    return LSU_SERVED;
}

enum lsu_result remote_atomic(struct remote *r, struct mem_op *op, const struct line_access *a, uint32_t number,
                              uint64_t now)
{
    if (!sender_has_room(r->send))
        return LSU_BLOCKED_QUEUE;
    bool result = op->kind == MOP_ATOM;
    if (result) {
        number = track_new(r);
        r->track[number] = (struct remote_track){ .op = op, .lanes = a->lanes };
        op->pending++;
    }
    struct packet *p = sender_packet(r->send, MSG_ATOMIC, ACCESS_ATOMIC, a->line,
                                     sender_token(result ? REPLY_ATOM : REPLY_STORE, number), op->issued, now);
    remote_operands(r, p, op, a);
    l1_invalidate_line(r->l1, a->line);
    sender_push(r->send, p);
    r->count[STAT_L1_ATOMICS]++;
    return LSU_SERVED;
}

static bool warp_has_ended(const struct remote *r, const struct remote_track *t)
{
    return t->ended != r->warp[t->slot].ended;
}

/* Reports the access as a performed load, as a performed store, or as both, as it counts. ended: its warp has ended. */
static void report_performed(struct remote *r, const struct remote_track *t, bool ended, uint64_t line, uint64_t now)
{
    const bool counts[] = { t->counts_load, t->counts_store };
    for (unsigned store = 0; store < 2; store++) {
        struct stage_performed p = { t->slot, store, line, t->instruction };
        if (counts[store] && ended)
            retire_performed_of_ended(r->retire, &p);
        else if (counts[store])
            retire_performed(r->retire, &p, now);
    }
}

/* The report may end the warp. */
static void report_acknowledged(struct remote *r, const struct remote_track *t, uint64_t line, uint64_t now)
{
    bool ended = warp_has_ended(r, t);
    if (!ended) {
        r->warp[t->slot].loads -= t->counts_load;
        r->warp[t->slot].stores -= t->counts_store;
    }
    report_performed(r, t, ended, line, now);
}

static void part_over(struct remote *r, uint32_t i)
{
    const struct remote_track *t = &r->track[i];
    if (--r->track[i].pending)
        return;
    if (!warp_has_ended(r, t)) {
        r->warp[t->slot].instructions--;
        retire_release(r->retire, t->slot);
    }
    track_free(r, i);
}

void remote_not_sent(struct remote *r, uint32_t number)
{
    part_over(r, number);
}

void remote_acknowledged(struct remote *r, struct packet *p, uint64_t now)
{
    uint32_t i = p->token & ((UINT32_C(1) << REPLY_SHIFT) - 1);
    const struct remote_track *t = &r->track[i];
    if (p->atom)
        pool_give(&r->payloads, p->atom);
    report_acknowledged(r, t, p->line, now);
    if (t->pending == 1 && t->counts_store && !t->counts_load)
        hist_add(r->retire->hists, HIST_STORE_LATENCY, now - t->issued);
    void *copy = t->pending == 1 ? t->copy : NULL;
    part_over(r, i);
    if (copy)
        r->retire->calls.bulk_part_acknowledged(r->retire->calls.ctx, copy, now);
}

void remote_replied(struct remote *r, struct packet *p, uint64_t now)
{
    uint32_t i = p->token & ((UINT32_C(1) << REPLY_SHIFT) - 1);
    struct mem_op *op = r->track[i].op;
    const struct remote_track t = {
        .slot = op->sm_slot, .instruction = op->sequence, .counts_load = true, .counts_store = true
    };
    mem_atomic_reply(op, r->track[i].lanes, p->atom);
    pool_give(&r->payloads, p->atom);
    track_free(r, i);
    op->ready = now + 1;
    report_performed(r, &t, false, p->line, now);
    retire_complete(r->retire, op, now);
}
