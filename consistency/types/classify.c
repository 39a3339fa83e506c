/*
 * Classification of accesses, in program order of their warp. A safe access leaves its type-wait queue if no record of
 * another warp conflicts with it; if it passes unsafe accesses of its warp, it makes a record itself. An atomic is
 * ordered as an unsafe access, also on a safe sector. There it conflicts with records as a safe store does, and has a
 * record until it has performed: a later safe access of another warp to its line must not overtake it. While an older
 * access waits for a record of its line, no younger one makes a record there that it would have to wait for, too.
 */
#include "base/stats.h"
#include "consistency/types/types.h"

static bool is_atomic(const struct stage_access *a)
{
    return a->kind == MOP_ATOM || a->kind == MOP_RED;
}

static enum types_right needed(const struct stage_access *a)
{
    return a->kind == MOP_LOAD ? TYPES_READ : TYPES_WRITE;
}

static struct types_record record_of(const struct stage_access *a)
{
    return (struct types_record){ .line = a->line, .warp = a->warp, .write = a->kind != MOP_LOAD };
}

/* The instruction of the warp's youngest unsafe access. */
static uint64_t youngest_unsafe(const struct types_warp *w)
{
    return w->unsafe.n ? w->unsafe.tail->instruction : w->sent.instruction;
}

static bool queue_has_line(const struct order_queue *q, uint64_t line)
{
    for (const struct stage_access *a = q->n ? q->head : NULL; a; a = a->next)
        if (a->line == line)
            return true;
    return false;
}

/* ---- global memory ---- */

static bool unsafe_full(const struct types *t, const struct types_warp *w)
{
    return w->unsafe.n + (t->cfg.markers ? w->markers : 0) >= t->cfg.unsafe_queue;
}

/* Would the access make a record that conflicts with an older access, which waits for another record already? */
static bool delays_older(const struct types *t, const struct stage_access *a)
{
    if (!t->blocked || !(is_atomic(a) || types_unsafe_pending(&t->warp[a->warp])))
        return false;
    for (uint32_t w = 0; w < t->warps; w++) {
        const struct stage_access *k = t->warp[w].blocked && w != a->warp ? t->warp[w].waiting.head : NULL;
        if (k && k->line == a->line && k->instruction < a->instruction && (k->kind != MOP_LOAD || a->kind != MOP_LOAD))
            return true;
    }
    return false;
}

static bool conflicts(const struct types *t, const struct stage_access *a)
{
    const struct types_record r = record_of(a);
    return (t->sync.n && types_sync_conflicts(&t->sync, &r)) || delays_older(t, a);
}

/* The access, and its record, need room. An atomic of the warp to the line must leave the unsafe queue first. */
static enum types_class classify_safe(const struct types *t, const struct stage_access *a)
{
    const struct types_warp *w = &t->warp[a->warp];
    const struct types_record r = record_of(a);
    if (t->safe.n == t->cfg.safe_queue || queue_has_line(&w->unsafe, a->line))
        return TYPES_SAFE_FULL;
    if (!types_unsafe_pending(w))
        return TYPES_IS_SAFE;
    if (!types_sync_has_room(&t->sync, &r))
        return TYPES_SYNC_FULL;
    return t->cfg.markers && unsafe_full(t, w) ? TYPES_UNSAFE_FULL : TYPES_IS_SAFE;
}

static enum types_class classify_unsafe(const struct types *t, const struct stage_access *a)
{
    return unsafe_full(t, &t->warp[a->warp]) ? TYPES_UNSAFE_FULL : TYPES_IS_UNSAFE;
}

static enum types_class classify_atomic(const struct types *t, const struct stage_access *a)
{
    const struct types_record r = record_of(a);
    return types_sync_has_room(&t->sync, &r) ? classify_unsafe(t, a) : TYPES_SYNC_FULL;
}

enum types_class types_classify(struct types *t, const struct stage_access *a)
{
    struct types_entry *e = types_cache_find(&t->cache, types_sector(t, a->line));
    if (!e || e->right < needed(a))
        return TYPES_UNKNOWN;
    types_cache_touch(&t->cache, e);
    if (e->right == TYPES_UNSAFE)
        return classify_unsafe(t, a);
    if (conflicts(t, a))
        return TYPES_CONFLICTS;
    return is_atomic(a) ? classify_atomic(t, a) : classify_safe(t, a);
}

static enum types_right right_of(const struct types *t, const struct stage_access *a)
{
    return (enum types_right)types_cache_find(&t->cache, types_sector(t, a->line))->right;
}

static void add_record(struct types *t, const struct types_record *r)
{
    if (!types_sync_add(&t->sync, r))
        return;
    t->warp[r->warp].markers += r->marker;
    t->count[STAT_TYPES_SYNC]++;
}

void types_record(struct types *t, const struct stage_access *a, enum types_class class)
{
    const struct types_warp *w = &t->warp[a->warp];
    struct types_record r = record_of(a);
    r.marker = class == TYPES_IS_SAFE;
    r.instruction = r.marker ? youngest_unsafe(w) : a->instruction;
    if (r.marker ? types_unsafe_pending(w) : right_of(t, a) != TYPES_UNSAFE)
        add_record(t, &r);
}

/* ---- rights ---- */

static struct packet *message(struct types *t, unsigned kind, unsigned vn, uint64_t sector, uint64_t now)
{
    struct packet *p = stage_packet(t->lsu, kind, vn, sector << t->cfg.shift, kind == TYPES_UNBLOCK, now);
    p->slice = (uint16_t)(sector % t->cfg.slices);
    p->stages = (uint16_t)t->cfg.mac_latency;
    return p;
}

static void reserve(struct types_entry *e, const struct stage_access *a)
{
    uint64_t *c = &e->reservation[needed(a)];
    if (!*c || a->instruction + 1 < *c)
        *c = a->instruction + 1;
}

void types_end_reservation(struct types *t, const struct stage_access *a)
{
    struct types_entry *e = types_cache_find(&t->cache, types_sector(t, a->line));
    if (!e || e->reservation[needed(a)] != a->instruction + 1)
        return;
    e->reservation[needed(a)] = 0;
    t->changed = true;                           /* another access may need the way */
    if (t->drains.n)
        types_drained(t);
}

void types_ask(struct types *t, const struct stage_access *a, bool head, uint64_t now)
{
    uint64_t sector = types_sector(t, a->line);
    enum types_right need = needed(a);
    struct types_entry *e = types_cache_take(&t->cache, sector, &t->count[STAT_TYPES_EVICTIONS]);
    if (!e || e->right >= need)
        return;
    if (head)
        reserve(e, a);
    if (e->asked[need])
        return;
    e->asked[need] = true;
    struct packet *p = message(t, TYPES_REQUEST, TYPES_VN_REQUEST, sector, now);
    p->token = need;
    stage_send(t->lsu, p);
    t->count[STAT_TYPES_REQUESTS]++;
}

/* Bits 0 and 1 of the token: the right that was requested; above them: the right that was granted. */
void types_granted(struct types *t, const struct packet *p, uint64_t now)
{
    uint64_t sector = types_sector(t, p->line);
    struct types_entry *e = types_cache_find(&t->cache, sector);
    e->asked[p->token & 3] = false;
    e->right = (uint8_t)(p->token >> 2);
    types_cache_touch(&t->cache, e);
    stage_send(t->lsu, message(t, TYPES_UNBLOCK, TYPES_VN_UP, sector, now));
}

/* ---- shared memory ---- */

/* The instruction of the warp's youngest global access that is unclassified or unsafe. False: there is none. */
static bool youngest_pending(const struct types_warp *w, uint64_t *instruction)
{
    *instruction = w->waiting.n ? w->waiting.tail->instruction : youngest_unsafe(w);
    return w->waiting.n || types_unsafe_pending(w);
}

enum types_class types_shared(struct types *t, const struct stage_access *a)
{
    uint64_t line[WARP_LANES];
    struct types_record r = { .block = stage_block(a), .warp = a->warp, .write = a->kind != MOP_LOAD };
    bool passes = youngest_pending(&t->warp[a->warp], &r.instruction);
    uint32_t n = passes || t->sync.n ? stage_shared_lines(a, line) : 0;
    for (uint32_t i = 0; i < n; i++) {
        r.line = line[i];
        if (types_sync_conflicts(&t->sync, &r))
            return TYPES_CONFLICTS;
    }
    if (passes && t->sync.n + n > t->sync.entries)       /* passes when nothing is pending, at the latest */
        return TYPES_SYNC_FULL;
    for (uint32_t i = 0; passes && i < n; i++) {
        r.line = line[i];
        add_record(t, &r);
    }
    return TYPES_IS_SAFE;
}

/* ---- ends of records ---- */

/* The warp's oldest unsafe access that has not performed; UINT64_MAX = none. */
static uint64_t oldest_unsafe(const struct types_warp *w)
{
    return w->sent.n ? w->sent.instruction : w->unsafe.n ? w->unsafe.head->instruction : UINT64_MAX;
}

/* A record of shared memory also waits for accesses that are not classified. */
static bool is_over(const struct types_warp *w, const struct types_record *r)
{
    return oldest_unsafe(w) > r->instruction &&
           (!r->block || !w->waiting.n || w->waiting.head->instruction > r->instruction);
}

void types_release(struct types *t, uint32_t warp)
{
    struct types_warp *w = &t->warp[warp];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < t->sync.n; i++) {
        struct types_record *r = &t->sync.record[i];
        if (r->warp == warp && is_over(w, r))
            w->markers -= r->marker;
        else
            t->sync.record[kept++] = *r;
    }
    t->changed |= kept < t->sync.n;
    t->sync.n = kept;
}
