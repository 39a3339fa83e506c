/*
 * Log transfer (KILO TM, 4.4, 4.5). The log unit walks the read log and then the write log of a warp that commits, line
 * by line through L1, and sends the entries of its lanes to the commit units of their partitions, those for one unit in
 * one message. Then it sends every unit a message that tells which lanes have no further entries, or none at all. One
 * warp at a time is sent; the others wait in the order of their commits. The read sets of a warp that is validated take
 * the same path.
 */
#include <string.h>

#include "tm/kilo/log_unit.h"

enum { OUT = 4 };                    /* queued messages, above which no further entry is sent */

static struct kilo_transfer *transfer_new(struct kilo_core *k, struct kilo_transfer x)
{
    struct kilo_transfer *t = pool_take(&k->transfers);
    *t = x;
    tm_run_at(k->tm, t->ready > tm_now(k->tm) ? t->ready : tm_now(k->tm));
    return t;
}

static void add_last(struct kilo_core *k, struct kilo_transfer *t)
{
    if (k->first)
        k->last->next = t;
    else
        k->first = t;
    k->last = t;
}

static void clear_sent(struct kilo_warp *w, uint64_t lanes)
{
    for (uint64_t m = lanes; m; m &= m - 1)
        w->sent[__builtin_ctzll(m)] = w->wrote[__builtin_ctzll(m)] = w->failing[__builtin_ctzll(m)] = 0;
}

void kilo_transfer_begin(struct kilo_core *k, uint32_t slot, uint64_t lanes, uint64_t ready)
{
    struct kilo_warp *w = &k->warp[slot];
    uint32_t writes = w->fault_validation ? 0 : w->writes;
    clear_sent(w, lanes);
    add_last(k, transfer_new(k, (struct kilo_transfer){
        .kind = KILO_TRANSFER_COMMIT, .slot = slot, .lanes = lanes, .ready = ready, .end = w->reads + writes }));
}

void kilo_transfer_validation(struct kilo_core *k, uint32_t slot, uint64_t lanes)
{
    struct kilo_warp *w = &k->warp[slot];
    clear_sent(w, lanes);
    add_last(k, transfer_new(k, (struct kilo_transfer){
        .kind = KILO_TRANSFER_VALIDATION, .slot = slot, .lanes = lanes, .end = w->reads }));
}

/* Resent entries are transferred next. */
void kilo_transfer_again(struct kilo_core *k, uint32_t slot, unsigned lane, uint32_t slice, bool writes)
{
    const struct kilo_warp *w = &k->warp[slot];
    uint32_t from = writes ? w->reads : 0;
    struct kilo_transfer *t = transfer_new(k, (struct kilo_transfer){
        .kind = writes ? KILO_TRANSFER_WRITES : KILO_TRANSFER_READS, .slot = slot, .slice = slice,
        .lanes = UINT64_C(1) << lane, .requested = from, .sent = from,
        .end = writes ? w->reads + w->writes : w->reads });
    if (!k->first) {
        add_last(k, t);
        return;
    }
    t->next = k->first->next;
    k->first->next = t;
    k->last = t->next ? k->last : t;
}

void kilo_transfer_line(struct kilo_core *k, const struct kilo_log_op *o, struct mem_op *op, uint64_t now)
{
    struct kilo_transfer *t = o->of;
    struct kilo_ahead *a = &t->ahead[o->index % KILO_READ_AHEAD];
    const uint32_t *words = (const uint32_t *)(const void *)op->data;
    for (uint32_t i = 0; i < k->lanes; i++)
        if (o->use == KILO_LOG_ADDRESS)
            a->entry[i].address = words[i];
        else
            a->entry[i].value = words[i];
    a->lines++;
    tm_run_at(k->tm, now);
}

static void read_ahead(struct kilo_core *k, struct kilo_transfer *t, uint64_t now)
{
    const struct kilo_warp *w = &k->warp[t->slot];
    for (; t->requested < t->end && t->requested < t->sent + KILO_READ_AHEAD; t->requested++) {
        uint32_t e = t->requested, word = 2 * (e < w->reads ? e : k->cfg.read_log_words + e - w->reads);
        bool last = k->last_use && t->kind == KILO_TRANSFER_COMMIT && !w->fault_validation;
        t->ahead[e % KILO_READ_AHEAD].lines = 0;
        kilo_log_read(k, t->slot, word, KILO_LOG_ADDRESS, t, e, last, now);
        kilo_log_read(k, t->slot, word + 1, KILO_LOG_VALUE, t, e, last, now);
        tm_count(k->tm)[STAT_LOG_READS] += 2;
    }
}

static const struct kilo_batch *batch_of(const struct kilo_core *k, const struct kilo_transfer *t)
{
    return &k->warp[t->slot].batch->b;
}

/* One message: the entries of these lanes for a slice. */
static void send_entries(struct kilo_core *k, const struct kilo_transfer *t, const struct kilo_ahead *a, uint32_t slice,
                         uint64_t lanes)
{
    static const enum kilo_kind reads[] = { KILO_READ_SET, KILO_VALIDATE, KILO_RESENT_READ, KILO_RESENT_WRITE };
    enum kilo_kind kind = reads[t->kind];
    if (t->kind == KILO_TRANSFER_COMMIT && t->sent >= k->warp[t->slot].reads)
        kind = KILO_WRITE_SET;
    struct packet *p = kilo_message(k, kind, slice, lanes, true, batch_of(k, t));
    struct kilo_payload *x = p->payload;
    memcpy(x->entry, a->entry, k->lanes * sizeof *a->entry);
}

static void send_entry(struct kilo_core *k, struct kilo_transfer *t)
{
    struct kilo_warp *w = &k->warp[t->slot];
    struct kilo_ahead *a = &t->ahead[t->sent % KILO_READ_AHEAD];
    uint64_t of_slice[KILO_LANES] = { 0 }, slices = 0;
    for (uint64_t m = t->lanes; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        if (kilo_size(a->entry[lane]) == KILO_VOID)
            continue;
        uint32_t s = tm_slice(k->tm, k->base + (a->entry[lane].address & ~UINT32_C(3)));
        if (t->kind >= KILO_TRANSFER_READS && s != t->slice)
            continue;
        of_slice[s] |= m & -m;
        slices |= UINT64_C(1) << s;
        w->sent[lane] |= UINT64_C(1) << s;
        if (t->sent >= w->reads)
            w->wrote[lane] |= UINT64_C(1) << s;
    }
    for (uint64_t m = slices; m; m &= m - 1) {
        uint32_t s = (uint32_t)__builtin_ctzll(m);
        if (k->cfg.group)
            send_entries(k, t, a, s, of_slice[s]);
        else
            for (uint64_t l = of_slice[s]; l; l &= l - 1)
                send_entries(k, t, a, s, l & -l);
    }
    t->sent++;
}

/* Sent after the entries: which lanes have some at this slice, and that these were all. */
static void send_end(struct kilo_core *k, const struct kilo_transfer *t, uint32_t slice)
{
    const struct kilo_warp *w = &k->warp[t->slot];
    uint64_t with = 0;
    for (uint64_t m = t->lanes; m; m &= m - 1)
        if (w->sent[__builtin_ctzll(m)] >> slice & 1)
            with |= m & -m;
    if (!with && k->no_skip)
        return;
    if (t->kind == KILO_TRANSFER_COMMIT) {
        kilo_message(k, with ? KILO_DONE_FILL : KILO_SKIP, slice, with ? with : t->lanes, false, batch_of(k, t));
        return;
    }
    if (!with)
        return;
    struct kilo_payload *p = kilo_message(k, KILO_VALIDATE, slice, with, false, batch_of(k, t))->payload;
    for (uint32_t i = 0; i < k->lanes; i++)
        p->entry[i] = KILO_VOID_ENTRY;
}

/* Lanes of a batch have accessed memory, so their logs have entries unless memory has lost them. */
static void end_all(struct kilo_core *k, const struct kilo_transfer *t)
{
    struct kilo_warp *w = &k->warp[t->slot];
    for (uint64_t m = t->lanes; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        w->replies[lane] = w->sent[lane];
        if (!w->sent[lane])
            tm_impossible(k->tm, t->slot, lane, NULL, "internal error: the log of a transaction that accessed memory "
                          "has no entry");
    }
    for (uint32_t s = 0; s < k->slices; s++)
        send_end(k, t, s);
}

static void finish(struct kilo_core *k, struct kilo_transfer *t, uint64_t now)
{
    uint32_t slot = t->slot;
    if (t->kind >= KILO_TRANSFER_READS)
        kilo_message(k, KILO_RESENT_DONE, t->slice, t->lanes, false, batch_of(k, t));
    else
        end_all(k, t);
    k->first = t->next;
    pool_give(&k->transfers, t);
    if (k->filled)
        k->filled(k, slot, now);
}

/* Advances the first transfer. Returns the next cycle in which it can advance without an event. */
static uint64_t work(struct kilo_core *k, struct kilo_transfer *t, uint64_t now)
{
    if (t->ready > now)
        return t->ready;
    read_ahead(k, t, now);
    if (k->out.n > OUT)
        return now + 1;
    if (t->sent < t->requested) {
        if (t->ahead[t->sent % KILO_READ_AHEAD].lines < 2)
            return NEVER;
        send_entry(k, t);
        return now + 1;
    }
    finish(k, t, now);
    return k->first ? now + 1 : NEVER;
}

uint64_t kilo_transfer_run(struct kilo_core *k, uint64_t now)
{
    uint64_t next = k->first ? work(k, k->first, now) : NEVER;
    if (k->out.n && tm_can_send(k->tm))
        tm_send(k->tm, packet_pop(&k->out));
    return k->out.n ? now + 1 : next;
}
