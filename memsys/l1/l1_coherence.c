/*
 * The coherence controller of an L1 (l1_coherence.h). Every event, which is an access, a message or an eviction,
 * selects the row of its line's state in the protocol's table. The row's actions are executed if the way and the
 * entries that they need are free; otherwise an access is rejected, or waits in its MSHR entry and is retried.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/huge.h"
#include "memsys/l1/l1_coherence.h"

/* A line with its way in the tags (or TAG_NONE) and its MSHR entry (or MSHR_NONE). */
struct line_at { uint64_t line; uint32_t index, entry; };

/* The origin of an event: an access, a message, or, with neither, an eviction. */
struct cause {
    struct mem_op *op;
    struct line_access access;
    struct packet *packet;
    bool waits;                      /* the access is the oldest in the line's MSHR entry */
    bool at_once;                    /* the probe's acknowledgement is not sent: the caller reads it */
    uint64_t now;
};

void l1_coherence_init(struct l1_coherence *c, const struct l1_cfg *cfg, struct l1 *l1, struct remote *remote)
{
    const struct coherence *p = cfg->coherence;
    *c = (struct l1_coherence){ .protocol = p, .cfg = cfg, .l1 = l1, .remote = remote };
    if (!p)
        return;
    l1->coherence = c;
    mshr_init(&c->buffer, cfg->mshrs, 1);
    c->retry = mem_zero(cfg->mshrs, sizeof *c->retry, "MSHR entries of an L1");
    huge_free(l1->miss);
    l1->miss = huge_zero(2 * (size_t)cfg->mshrs, sizeof *l1->miss, "MSHR entries of an L1");
    for (uint32_t s = 1; s < p->l1_stable; s++)
        c->writes_back[s] = coherence_l1(p, s, L1_EVICT)->next != 0;
}

void l1_coherence_end(struct l1_coherence *c)
{
    if (c->protocol)
        mshr_end(&c->buffer);
    free(c->retry);
}

/* ---- lines ---- */

static bool in_buffer(const struct l1_coherence *c, uint32_t entry)
{
    return entry != MSHR_NONE && entry >= c->cfg->mshrs;
}

static struct line_at find(const struct l1_coherence *c, uint64_t line)
{
    const struct l1 *l = c->l1;
    struct line_at x = { line, tags_find(&l->tags, line), MSHR_NONE };
    if (x.index != TAG_NONE) {
        x.entry = l->tags.tag[x.index].pinned ? l->entry[x.index] : MSHR_NONE;
        return x;
    }
    x.entry = mshr_find(&l->mshr, line);
    if (x.entry == MSHR_NONE && c->buffer.n) {
        x.entry = mshr_find(&c->buffer, line);
        x.entry += x.entry == MSHR_NONE ? 0 : c->cfg->mshrs;
    }
    return x;
}

/* The line as messages mean it: an access that waits while the line is written back has sent nothing. */
static struct line_at find_in_flight(const struct l1_coherence *c, uint64_t line)
{
    uint32_t e = c->buffer.n ? mshr_find(&c->buffer, line) : MSHR_NONE;
    return e == MSHR_NONE ? find(c, line) : (struct line_at){ line, TAG_NONE, c->cfg->mshrs + e };
}

/* Does an access wait in the MSHR entry while the line is written back? Its request must not overtake the line. */
static bool written_back(const struct l1_coherence *c, const struct line_at *x)
{
    return x->entry != MSHR_NONE && x->index == TAG_NONE && c->buffer.n &&
           mshr_find(&c->buffer, x->line) != MSHR_NONE;
}

static unsigned state_of(const struct l1_coherence *c, const struct line_at *x)
{
    if (x->entry != MSHR_NONE)
        return c->l1->miss[x->entry].state;
    return x->index == TAG_NONE ? 0 : c->l1->tags.tag[x->index].state - (L1_COHERENT - 1u);
}

unsigned l1_coherence_state(const struct l1_coherence *c, uint64_t line)
{
    struct line_at x = find(c, line);
    return state_of(c, &x);
}

static uint8_t *bytes_of(const struct l1_coherence *c, const struct line_at *x)
{
    return x->index == TAG_NONE ? c->l1->miss[x->entry].data : c->l1->data[x->index];
}

/* Sets the tag of a line that has no MSHR entry. */
static void retag(struct l1_coherence *c, uint32_t index, unsigned state)
{
    struct tag *t = &c->l1->tags.tag[index];
    t->state = (uint8_t)(state ? state + L1_COHERENT - 1 : L1_INVALID);
    c->freed |= t->pinned;
    t->pinned = false;
    c->to_write_back += c->writes_back[state];
}

static void pin(struct l1_coherence *c, const struct line_at *x)
{
    c->l1->tags.tag[x->index].pinned = true;
    c->l1->entry[x->index] = x->entry;
}

static void invalidate(struct l1_coherence *c, struct line_at *x)
{
    if (x->index == TAG_NONE)
        return;
    if (x->entry == MSHR_NONE)
        c->to_write_back -= c->writes_back[state_of(c, x)];
    else
        c->l1->miss[x->entry].index = TAG_NONE;
    retag(c, x->index, 0);
    x->index = TAG_NONE;
}

static void allocate_mshr(struct l1_coherence *c, struct line_at *x)
{
    unsigned state = state_of(c, x);
    if (x->entry != MSHR_NONE)
        return;
    x->entry = mshr_new(&c->l1->mshr, x->line);
    c->l1->miss[x->entry] = (struct l1_miss){ .index = x->index, .state = (uint8_t)state };
    if (x->index != TAG_NONE) {
        c->to_write_back -= c->writes_back[state];
        pin(c, x);
    }
}

/* An MSHR entry and a way; room_for has made sure that both are free. */
static void allocate(struct l1_coherence *c, struct line_at *x)
{
    struct l1 *l = c->l1;
    allocate_mshr(c, x);
    if (x->index != TAG_NONE)
        return;
    x->index = tags_victim(&l->tags, x->line);
    tags_allocate(&l->tags, x->index, x->line, L1_COHERENT);
    l->miss[x->entry].index = x->index;
    pin(c, x);
}

static void buffer_line(struct l1_coherence *c, struct line_at *x)
{
    uint32_t e = c->cfg->mshrs + mshr_new(&c->buffer, x->line);
    c->l1->miss[e].index = TAG_NONE;
    memcpy(c->l1->miss[e].data, bytes_of(c, x), LINE_BYTES);
    invalidate(c, x);
    x->entry = e;
}

static void free_entry(struct l1_coherence *c, struct line_at *x)
{
    unsigned state = state_of(c, x);
    c->freed |= in_buffer(c, x->entry);
    if (in_buffer(c, x->entry))
        mshr_free(&c->buffer, x->entry - c->cfg->mshrs);
    else
        mshr_free(&c->l1->mshr, x->entry);
    if (x->index != TAG_NONE)
        retag(c, x->index, state);
}

/* ---- actions ---- */

static enum access_type type_of(const struct mem_op *op)
{
    if (!op)
        return ACCESS_LOCAL_WRITEBACK;
    if (op->kind == MOP_STORE)
        return ACCESS_GLOBAL_STORE;
    return op->kind == MOP_ATOM || op->kind == MOP_RED ? ACCESS_ATOMIC : ACCESS_GLOBAL_LOAD;
}

static void send(struct l1_coherence *c, const struct line_at *x, unsigned message, const struct cause *k)
{
    const struct coherence_message *m = &c->protocol->message[message];
    struct sender *s = c->l1->send;
    uint64_t issued = k->op ? k->op->issued : k->now;
    struct packet *p = sender_packet(s, MSG_PROTOCOL, type_of(k->op), x->line, 0, issued, k->now);
    p->kind = (uint8_t)(MSG_PROTOCOL + message);
    p->vn = m->vn;
    p->sectors = ALL_SECTORS;
    p->bytes = coherence_bytes(m);
    if (m->payload == COHERENCE_LINE)
        memcpy(p->data, bytes_of(c, x), LINE_BYTES);
    else if (m->payload == COHERENCE_STORE)
        remote_bytes(p, k->op, &k->access);
    else if (m->payload == COHERENCE_ATOMIC)
        remote_operands(c->remote, p, k->op, &k->access);
    if (k->op)
        p->warp = (uint16_t)k->op->sm_slot;
    if (m->class == COHERENCE_NOTIFICATION)
        sender_push_vn(s, p);
    else
        sender_push(s, p);
    c->l1->count[STAT_L1_ATOMICS] += m->payload == COHERENCE_ATOMIC;
    c->l1->count[STAT_L1_WRITEBACKS] += m->payload == COHERENCE_LINE;
    c->l1->count[STAT_SM_NOTIFICATIONS] += m->class == COHERENCE_NOTIFICATION;
}

static void acknowledge(struct l1_coherence *c, const struct line_at *x, unsigned message, const struct cause *k)
{
    const struct coherence_message *m = &c->protocol->message[message];
    struct packet *p = k->packet;
    p->kind = (uint8_t)(MSG_PROTOCOL + message);
    p->vn = m->vn;
    p->bytes = coherence_bytes(m);
    if (m->payload == COHERENCE_LINE)
        memcpy(p->data, bytes_of(c, x), LINE_BYTES);
    if (!k->at_once)
        sender_push_vn(c->l1->send, p);
}

static void perform_atomic(struct l1_coherence *c, const struct line_at *x, struct mem_op *op, uint64_t lanes)
{
    struct retire *r = c->l1->retire;
    struct atom_payload *a = pool_take(&c->remote->payloads);
    mem_atomic_request(op, lanes, a);
    r->calls.atomic(r->calls.ctx, op, bytes_of(c, x), a);
    if (op->kind == MOP_ATOM)
        mem_atomic_reply(op, lanes, a);
    pool_give(&c->remote->payloads, a);
}

/* ---- records for the ordering oracle ---- */

/* When the home has read or written the line. */
static struct order_time at_home(const struct packet *p)
{
    return (struct order_time){ p->stamp[STAMP_L2], p->turn };
}

static void record_load(struct l1_coherence *c, const struct mem_op *op, const struct line_access *a,
                        const struct order_time *bound, const uint8_t *bytes)
{
    if (c->l1->retire->history && mem_is_waited_for(op))
        order_history_load(c->l1->retire->history, op, a->line, a->lanes, bound, bytes);
}

/* The bytes that the lanes access. */
static void mask_of(const struct mem_op *op, uint64_t lanes, uint64_t mask[2])
{
    for (; lanes; lanes &= lanes - 1) {
        unsigned at = (unsigned)(op->address[__builtin_ctzll(lanes)] % LINE_BYTES);
        for (unsigned b = at; b < at + (unsigned)op->width; b++)
            mask[b / 64] |= UINT64_C(1) << b % 64;
    }
}

/* A store or atomic performs on a copy: for the oracles. */
static void record_write(struct l1_coherence *c, const struct cause *k, const uint8_t *before, const uint8_t *after)
{
    const struct retire *r = c->l1->retire;
    const struct order_time bound = { k->now, 0 };
    uint64_t mask[2] = { 0 };
    if (r->history)
        order_history_performed(r->history, k->op, k->access.line, k->access.lanes, &bound, before, after);
    if (!r->observer.written)
        return;
    mask_of(k->op, k->access.lanes, mask);
    r->observer.written(r->observer.ctx, k->access.line, mask, before, after, k->now);
}

static void perform_write(struct l1_coherence *c, const struct line_at *x, const struct cause *k)
{
    const struct retire *r = c->l1->retire;
    bool recorded = (r->history || r->observer.written) && !k->op->no_data;
    uint64_t mask[2] = { 0 };
    uint8_t before[LINE_BYTES], *bytes = bytes_of(c, x);
    if (recorded)
        memcpy(before, bytes, LINE_BYTES);
    if (k->op->kind != MOP_STORE)
        perform_atomic(c, x, k->op, k->access.lanes);
    else if (!k->op->no_data)
        mem_store_line(k->op, k->access.lanes, k->access.piece, bytes, mask);
    if (recorded)
        record_write(c, k, before, bytes);
}

/* Performs the access on the line's bytes; its registers are written at `ready`. */
static void hit(struct l1_coherence *c, const struct line_at *x, const struct cause *k, uint64_t ready)
{
    struct retire *r = c->l1->retire;
    struct mem_op *op = k->op;
    const struct order_time bound = { k->now, 0 };
    tags_touch(&c->l1->tags, x->index);
    switch (op->kind) {
    case MOP_LOAD:
        record_load(c, op, &k->access, &bound, bytes_of(c, x));
        retire_load(r, op, &k->access, SERVE_GLOBAL, bytes_of(c, x), k->now, ready);
        break;
    case MOP_STORE:
        perform_write(c, x, k);
        retire_op_performed(r, op, x->line, true, k->now);
        break;
    case MOP_ATOM:
    case MOP_RED:
        perform_write(c, x, k);
        op->ready = ready > op->ready ? ready : op->ready;
        retire_op_performed(r, op, x->line, false, k->now);
        retire_op_performed(r, op, x->line, true, k->now);
        break;
    default: break;
    }
}

static void append(struct l1_coherence *c, const struct line_at *x, const struct cause *k)
{
    if (k->waits || k->op->kind == MOP_PREFETCH)
        return;
    mshr_add(&c->l1->mshr, x->entry, retire_waiter(c->l1->retire, k->op, SERVE_GLOBAL, &k->access));
}

/* Removes the oldest access from the MSHR entry: it has performed. */
static void finish_oldest(struct l1_coherence *c, const struct line_at *x, uint64_t now)
{
    struct retire_waiter *w = mshr_take(&c->l1->mshr, x->entry);
    struct mem_op *op = w->op;
    pool_give(&c->l1->retire->waiters, w);
    retire_complete(c->l1->retire, op, now);
}

/* The loads at the head of the line's MSHR entry read the bytes of the message. */
static void serve_loads(struct l1_coherence *c, const struct line_at *x, const struct cause *k)
{
    for (struct retire_waiter *w; (w = mshr_first(&c->l1->mshr, x->entry)) && w->op->kind == MOP_LOAD;) {
        const struct order_time bound = at_home(k->packet);
        record_load(c, w->op, &w->access, &bound, k->packet->data);
        retire_load(c->l1->retire, w->op, &w->access, SERVE_GLOBAL, k->packet->data, k->now, k->now + 1);
        finish_oldest(c, x, k->now);
    }
}

/* The home has performed the oldest access of the MSHR entry, a store or atomic; a copy here gets a store's bytes. */
static void performed_at_home(struct l1_coherence *c, const struct line_at *x, const struct cause *k)
{
    struct retire *r = c->l1->retire;
    struct retire_waiter *w = mshr_first(&c->l1->mshr, x->entry);
    struct mem_op *op = w->op;
    uint64_t mask[2] = { 0 };
    const struct order_time bound = at_home(k->packet);
    if (r->history && !op->no_data)
        order_history_at_home(r->history, op, x->line, w->access.lanes, &bound, k->packet->atom);
    if (op->kind == MOP_STORE && !op->no_data && x->index != TAG_NONE)
        mem_store_line(op, w->access.lanes, w->access.piece, bytes_of(c, x), mask);
    if (op->kind == MOP_ATOM) {
        mem_atomic_reply(op, w->access.lanes, k->packet->atom);
        op->ready = k->now + 1;
    }
    if (k->packet->atom)
        pool_give(&c->remote->payloads, k->packet->atom);
    if (op->kind != MOP_STORE)
        retire_op_performed(r, op, x->line, false, k->now);
    retire_op_performed(r, op, x->line, true, k->now);
    finish_oldest(c, x, k->now);
}

static void act(struct l1_coherence *c, struct line_at *x, const struct coherence_step *s, const struct cause *k)
{
    switch ((enum l1_action)s->action) {
    case L1_ALLOCATE: allocate(c, x); break;
    case L1_MSHR: allocate_mshr(c, x); break;
    case L1_WAIT: append(c, x, k); break;
    case L1_SEND: send(c, x, s->operand, k); break;
    case L1_ACK: acknowledge(c, x, s->operand, k); break;
    case L1_HIT: hit(c, x, k, k->now + (k->waits ? 1 : c->cfg->latency - 1)); break;
    case L1_FILL:
        memcpy(bytes_of(c, x), k->packet->data, LINE_BYTES);
        c->l1->tags.tag[x->index].valid = ALL_SECTORS;
        break;
    case L1_SERVE_LOADS: serve_loads(c, x, k); break;
    case L1_PERFORMED: performed_at_home(c, x, k); break;
    case L1_INVALIDATE: invalidate(c, x); break;
    case L1_BUFFER: buffer_line(c, x); break;
    case L1_COUNT: c->l1->count[c->protocol->counter[s->operand]]++; break;
    case L1_NOP:
    case L1_STALL: break;
    }
}

/* ---- rows ---- */

/* Are the way, MSHR entry and queue entries free that the row needs? A victim in the way is evicted at once. */
static enum lsu_result room_for(struct l1_coherence *c, const struct line_at *x, const struct coherence_row *row,
                                const struct cause *k)
{
    struct l1 *l = c->l1;
    uint32_t sends = 0, index;
    bool way = false, entry = false, wait = false;
    for (int i = 0; i < COHERENCE_ACTIONS; i++) {
        unsigned a = row->step[i].action;
        if (a == L1_STALL || (a == L1_BUFFER && mshr_full(&c->buffer)))
            return LSU_BLOCKED_LINE;
        way |= a == L1_ALLOCATE;
        entry |= a == L1_MSHR;
        wait |= a == L1_WAIT && !k->waits;
        sends += a == L1_SEND && c->protocol->message[row->step[i].operand].class == COHERENCE_REQUEST;
    }
    if (written_back(c, x))
        return LSU_BLOCKED_LINE;
    if (x->entry == MSHR_NONE ? (way || entry) && mshr_full(&l->mshr) : wait && !mshr_mergeable(&l->mshr, x->entry))
        return LSU_BLOCKED_MSHR;
    enum lsu_result r = way && x->index == TAG_NONE ? l1_make_room(l, x->line, &index, k->now) : LSU_SERVED;
    return r != LSU_SERVED || !sends || sender_has_room_for(l->send, sends) ? r : LSU_BLOCKED_QUEUE;
}

static const struct coherence_row *row_of(struct l1_coherence *c, const struct line_at *x, unsigned event)
{
    const struct coherence *p = c->protocol;
    unsigned state = state_of(c, x);
    const struct coherence_row *row = coherence_l1(p, state, event);
    if (!row->step[0].action)
        coherence_impossible_l1(p, c->l1->send->cfg->sm, x->line, state, event);
    return row;
}

static void execute(struct l1_coherence *c, struct line_at *x, const struct coherence_row *row, const struct cause *k)
{
    if (c->cfg->coherence_seen)
        c->cfg->coherence_seen[row - c->protocol->l1]++;
    for (int i = 0; i < COHERENCE_ACTIONS && row->step[i].action; i++)
        act(c, x, &row->step[i], k);
    if (x->entry != MSHR_NONE) {
        c->l1->miss[x->entry].state = row->next;
    } else if (!row->next) {
        invalidate(c, x);
    } else {
        c->to_write_back -= c->writes_back[state_of(c, x)];
        retag(c, x->index, row->next);
    }
}

static unsigned event_of(const struct mem_op *op)
{
    if (op->kind == MOP_STORE)
        return L1_STORE;
    return op->kind == MOP_ATOM || op->kind == MOP_RED ? L1_ATOMIC : L1_LOAD;
}

/* The oldest access of the entry found no free resource: one that `freed` reports, or one that is polled. */
static void retry_later(struct l1_coherence *c, uint32_t entry, enum lsu_result reason)
{
    struct l1_miss *m = &c->l1->miss[entry];
    c->poll |= !c->cfg->set_waits || reason != LSU_BLOCKED_LINE;
    if (!m->retrying)
        c->retry[c->retries++] = entry;
    m->retrying = true;
}

/* While the state is stable, the waiting accesses are events, oldest first. Frees the MSHR entry after the last. */
static void serve_waiting(struct l1_coherence *c, struct line_at *x, uint64_t now)
{
    struct l1 *l = c->l1;
    while (l->miss[x->entry].state < c->protocol->l1_stable) {
        struct retire_waiter *w = in_buffer(c, x->entry) ? NULL : mshr_first(&l->mshr, x->entry);
        if (!w) {
            free_entry(c, x);
            return;
        }
        const struct cause k = { .op = w->op, .access = w->access, .waits = true, .now = now };
        const struct coherence_row *row = row_of(c, x, event_of(w->op));
        enum lsu_result r = room_for(c, x, row, &k);
        if (r != LSU_SERVED) {
            retry_later(c, x->entry, r);
            return;
        }
        execute(c, x, row, &k);
        if (coherence_does(row, L1_HIT))
            finish_oldest(c, x, now);
    }
}

/* ---- events ---- */

static void count(struct l1_coherence *c, const struct mem_op *op, const struct coherence_row *row, bool merged)
{
    const struct cache_stats *loads = &cache_stats[CACHE_STATS_L1_GLOBAL_LOAD];
    uint64_t *n = c->l1->count;
    bool hits = row && coherence_does(row, L1_HIT);
    if (op->kind == MOP_STORE)
        n[hits ? STAT_L1_STORE_HITS : STAT_L1_STORE_MISSES]++;
    else if (event_of(op) == L1_LOAD)
        n[hits ? loads->hits : merged ? loads->merged : loads->misses]++;
}

/* May the access wait in an MSHR entry of its own? */
static bool may_wait(const struct l1_coherence *c, const struct line_at *x, const struct cause *k)
{
    return c->cfg->set_waits && (x->entry == MSHR_NONE || in_buffer(c, x->entry)) && k->op->kind != MOP_PREFETCH &&
           !mshr_full(&c->l1->mshr);
}

/* The entry has no way. It sends its request when a way of the set is free, and the line is not being written back. */
static void wait_for_way(struct l1_coherence *c, struct line_at *x, const struct cause *k)
{
    x->entry = MSHR_NONE;
    allocate_mshr(c, x);
    append(c, x, k);
    retry_later(c, x->entry, LSU_BLOCKED_LINE);
    c->l1->count[STAT_L1_WAY_WAITS]++;
}

static enum lsu_result access(struct l1_coherence *c, const struct cause *k)
{
    struct line_at x = find(c, k->access.line);
    bool merges = x.entry != MSHR_NONE;
    if (merges && state_of(c, &x) < c->protocol->l1_stable) {        /* older accesses are retried first */
        if (!mshr_mergeable(&c->l1->mshr, x.entry))
            return LSU_BLOCKED_MSHR;
        append(c, &x, k);
        count(c, k->op, NULL, true);
        return LSU_SERVED;
    }
    const struct coherence_row *row = row_of(c, &x, event_of(k->op));
    enum lsu_result r = room_for(c, &x, row, k);
    if (r == LSU_BLOCKED_LINE && may_wait(c, &x, k))
        wait_for_way(c, &x, k);
    else if (r != LSU_SERVED)
        return r;
    else
        execute(c, &x, row, k);
    count(c, k->op, row, merges);
    return LSU_SERVED;
}

enum lsu_result l1_coherence_access(struct l1_coherence *c, struct mem_op *op, const struct line_access *a,
                                    uint64_t now)
{
    const struct cause k = { .op = op, .access = *a, .now = now };
    enum lsu_result r = access(c, &k);
    return op->kind == MOP_PREFETCH ? LSU_SERVED : r;        /* a prefetch that finds no free resource is dropped */
}

/* Does the row send a request for the line alone? */
static bool requests_line(const struct coherence *p, const struct coherence_row *row)
{
    bool sends = false;
    for (int i = 0; i < COHERENCE_ACTIONS && row->step[i].action; i++) {
        const struct coherence_message *m = &p->message[row->step[i].operand];
        if (row->step[i].action == L1_HIT || row->step[i].action == L1_STALL)
            return false;
        if (row->step[i].action == L1_SEND && m->payload != COHERENCE_NO_PAYLOAD)
            return false;
        sends |= row->step[i].action == L1_SEND && m->class == COHERENCE_REQUEST;
    }
    return sends && (coherence_does(row, L1_ALLOCATE) || coherence_does(row, L1_MSHR));
}

bool l1_coherence_prefetch(struct l1_coherence *c, struct mem_op *op, const struct line_access *a, bool write,
                           uint64_t now)
{
    const struct cause k = { .op = op, .access = *a, .now = now };
    struct line_at x = find(c, a->line);
    if (x.entry != MSHR_NONE)
        return false;
    const struct coherence_row *row = row_of(c, &x, write ? L1_STORE : L1_LOAD);
    if (!requests_line(c->protocol, row) || room_for(c, &x, row, &k) != LSU_SERVED)
        return false;
    execute(c, &x, row, &k);
    return true;
}

enum lsu_result l1_coherence_evict(struct l1_coherence *c, uint32_t index, uint64_t now)
{
    struct line_at x = { c->l1->tags.tag[index].line, index, MSHR_NONE };
    const struct cause k = { .now = now };
    const struct coherence_row *row = row_of(c, &x, L1_EVICT);
    enum lsu_result r = room_for(c, &x, row, &k);
    if (r != LSU_SERVED)
        return r;
    execute(c, &x, row, &k);
    c->l1->count[STAT_L1_EVICTIONS]++;
    return LSU_SERVED;
}

static void message(struct l1_coherence *c, const struct cause *k)
{
    struct packet *p = k->packet;
    struct line_at x = find_in_flight(c, p->line);
    execute(c, &x, row_of(c, &x, L1_EVENTS + p->kind - (unsigned)MSG_PROTOCOL), k);
    if (x.entry != MSHR_NONE && !c->l1->miss[x.entry].retrying)
        serve_waiting(c, &x, k->now);
}

void l1_coherence_message(struct l1_coherence *c, struct packet *p, uint64_t now)
{
    message(c, &(struct cause){ .packet = p, .now = now });
}

void l1_coherence_probe(struct l1_coherence *c, struct packet *p, uint64_t now)
{
    message(c, &(struct cause){ .packet = p, .at_once = true, .now = now });
}

const uint8_t *l1_coherence_copy(const struct l1_coherence *c, uint64_t line)
{
    struct line_at x = find_in_flight(c, line);
    return x.index == TAG_NONE && x.entry == MSHR_NONE ? NULL : bytes_of(c, &x);
}

void l1_coherence_retry(struct l1_coherence *c, uint64_t now)
{
    uint32_t n = c->retries;
    c->retries = 0;
    c->freed = c->poll = false;
    for (uint32_t i = 0; i < n; i++) {
        struct l1_miss *m = &c->l1->miss[c->retry[i]];
        struct line_at x = { c->l1->mshr.entry[c->retry[i]].line, m->index, c->retry[i] };
        m->retrying = false;
        serve_waiting(c, &x, now);
    }
}

bool l1_coherence_flush_line(struct l1_coherence *c, uint64_t now)
{
    const struct tags *t = &c->l1->tags;
    if (!c->to_write_back)
        return false;
    while (t->tag[c->cursor].state < L1_COHERENT || t->tag[c->cursor].pinned ||
           !c->writes_back[t->tag[c->cursor].state - (L1_COHERENT - 1)])
        c->cursor = c->cursor + 1 == t->sets * t->ways ? 0 : c->cursor + 1;
    l1_coherence_evict(c, c->cursor, now);
    return c->to_write_back > 0;
}

static void dump_entries(const struct l1_coherence *c, const struct mshr *m, uint32_t first,
                         void (*line)(void *ctx, const char *text), void *ctx)
{
    char text[160];
    for (uint32_t e = 0; e < m->touched; e++) {
        if (!m->entry[e].busy)
            continue;
        snprintf(text, sizeof text, "  L1 line %#" PRIx64 " in state %s: %u accesses wait", m->entry[e].line,
                 c->protocol->l1_state[c->l1->miss[first + e].state], m->entry[e].n);
        line(ctx, text);
    }
}

void l1_coherence_dump(const struct l1_coherence *c, void (*line)(void *ctx, const char *text), void *ctx)
{
    dump_entries(c, &c->l1->mshr, 0, line, ctx);
    dump_entries(c, &c->buffer, c->cfg->mshrs, line, ctx);
}
