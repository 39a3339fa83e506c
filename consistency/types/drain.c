/*
 * Draining of a sector at an SM. The right to the sector is removed when the message arrives, so unclassified accesses
 * request it again and receive it after the transition. While an access has a reservation for the right, the message
 * waits, as if it arrived later. An invalidation is acknowledged when the safe accesses to the sector have performed
 * and no record of the synchronization table is for one of its lines. A recall is acknowledged when, in addition, the
 * unsafe accesses to the sector have performed.
 */
#include "base/stats.h"
#include "consistency/types/types.h"

/* Removes the right to the sector. False: an access has a reservation for it. Until the acknowledgement the classifier
 * grants no other one. */
static bool remove_right(struct types *t, uint64_t sector)
{
    struct types_entry *e = types_cache_find(&t->cache, sector);
    if (!e || !e->right)
        return true;
    if (types_is_reserved(e))
        return false;
    e->right = TYPES_NO_RIGHT;
    e->valid = types_is_asked(e);
    t->changed = true;
    return true;
}

void types_drain(struct types *t, struct packet *p)
{
    t->count[p->kind == TYPES_RECALL ? STAT_TYPES_RECALLS : STAT_TYPES_INVALIDATIONS]++;
    packet_push(&t->drains, p);
    types_drained(t);
}

static bool has_record(const struct types *t, uint64_t sector)
{
    for (uint32_t i = 0; i < t->sync.n; i++)
        if (!t->sync.record[i].block && types_sector(t, t->sync.record[i].line) == sector)
            return true;
    return false;
}

static bool is_drained(const struct types *t, const struct packet *p)
{
    uint64_t sector = types_sector(t, p->line);
    uint32_t k = types_counter(sector);
    return !t->safe_in[k] && !has_record(t, sector) && (p->kind == TYPES_INVALIDATE || !t->unsafe_in[k]);
}

void types_drained(struct types *t)
{
    for (uint32_t n = t->drains.n; n; n--) {
        struct packet *p = packet_pop(&t->drains);
        if (!remove_right(t, types_sector(t, p->line)) || !is_drained(t, p)) {
            packet_push(&t->drains, p);
            continue;
        }
        p->kind = TYPES_ACK;
        p->vn = TYPES_VN_UP;
        p->stages = (uint16_t)t->cfg.mac_latency;
        stage_send(t->lsu, p);
    }
}
