/*
 * Reads of own writes (KILO TM, 4.3, 4.4). The log unit reads the address words of the whole write log, then the values
 * of the entries for the load's words, and overwrites the fetched bytes with them in the order of the log. The whole
 * warp waits.
 */
#include <string.h>

#include "base/arena.h"
#include "tm/kilo/log_unit.h"

struct kilo_walk {
    struct kilo_walk *next;
    struct tm_load *load;
    uint32_t entries, left;          /* of the log; lines that have not arrived */
    uint32_t cap, hits;
    uint64_t *match;                 /* by entry: lanes that load its word */
    struct kilo_entry (*entry)[KILO_LANES];      /* by entry */
};

static struct kilo_walk *take(struct kilo_core *k, uint32_t entries)
{
    struct kilo_walk *x = k->free_walk;
    if (x)
        k->free_walk = x->next;
    else
        x = arena_alloc(k->arena, sizeof *x);
    if (x->cap < k->cfg.write_log_words && x->cap < entries) {
        x->cap = k->cfg.write_log_words;
        x->match = arena_alloc(k->arena, x->cap * sizeof *x->match);
        x->entry = arena_alloc(k->arena, x->cap * sizeof *x->entry);
    }
    return x;
}

/* Lanes whose bloom filter hits for a word of the load; without filters, lanes with own writes to it. */
static uint64_t lanes_to_walk(const struct kilo_core *k, const struct tm_load *l)
{
    const struct kilo_warp *w = &k->warp[l->slot];
    uint64_t lanes = 0;
    if (!w->filter)
        return l->own;
    for (uint64_t m = l->lanes; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        const uint64_t *f = w->filter + (size_t)lane * k->filter_words;
        uint64_t from = (l->op->address[lane] & ~UINT64_C(3)) - k->base;
        uint64_t end = l->op->address[lane] + l->op->width - k->base;
        for (uint64_t a = from; a < end; a += 4) {
            uint32_t bit = kilo_filter_bit(k, a);
            lanes |= f[bit / 64] >> bit % 64 & 1 ? m & -m : 0;
        }
    }
    return lanes;
}

void kilo_walk_begin(struct kilo_core *k, struct tm_load *l, uint64_t now)
{
    struct kilo_warp *w = &k->warp[l->slot];
    if (!w->writes || !lanes_to_walk(k, l))
        return;
    struct kilo_walk *x = take(k, w->writes);
    x->load = l;
    x->entries = x->left = w->writes;
    x->hits = 0;
    w->walking = true;
    l->waits++;
    tm_count(k->tm)[STAT_LOG_WALKS]++;
    tm_count(k->tm)[STAT_LOG_WALKED] += w->writes;
    tm_count(k->tm)[STAT_LOG_FALSE_WALKS] += !l->own;
    for (uint32_t e = 0; e < x->entries; e++)
        kilo_log_read(k, l->slot, 2 * (k->cfg.read_log_words + e), KILO_LOG_WALK_ADDRESS, x, e, false, now);
}

/* The lanes whose load includes the word of this entry. */
static uint64_t matches(const struct kilo_core *k, const struct kilo_walk *x, uint32_t e)
{
    const struct mem_op *op = x->load->op;
    uint64_t lanes = 0;
    for (uint64_t m = x->load->own; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        struct kilo_entry w = x->entry[e][lane];
        uint64_t at = k->base + (w.address & ~UINT32_C(3));
        if (kilo_size(w) != KILO_VOID && at + 4 > op->address[lane] && at < op->address[lane] + op->width)
            lanes |= m & -m;
    }
    return lanes;
}

static void put_bytes(const struct kilo_core *k, const struct kilo_walk *x, uint32_t e, unsigned lane)
{
    struct mem_op *op = x->load->op;
    uint32_t value;
    unsigned bytes = kilo_bytes(x->entry[e][lane], &value);
    uint64_t at = k->base + (x->entry[e][lane].address & ~UINT32_C(3)), from = op->address[lane];
    for (unsigned b = 0; b < 4; b++)
        if (bytes >> b & 1 && at + b >= from && at + b < from + op->width)
            mem_data(op, lane)[at + b - from] = (uint8_t)(value >> 8 * b);
}

/* Copies the bytes of own writes to the load, oldest first. They come from the log: the values from the exact sets are
 * cleared before. */
static void finish(struct kilo_core *k, struct kilo_walk *x, uint64_t now)
{
    struct tm_load *l = x->load;
    for (uint64_t m = l->covered; m; m &= m - 1)
        memset(mem_data(l->op, (unsigned)__builtin_ctzll(m)), 0, l->op->width);
    for (uint32_t e = 0; e < x->entries; e++)
        for (uint64_t m = x->match[e]; m; m &= m - 1)
            put_bytes(k, x, e, (unsigned)__builtin_ctzll(m));
    k->warp[l->slot].walking = false;
    x->next = k->free_walk;
    k->free_walk = x;
    tm_wake(k->tm, l->slot);
    tm_load_part_done(k->tm, l, now);
}

static void read_values(struct kilo_core *k, struct kilo_walk *x, uint64_t now)
{
    for (uint32_t e = 0; e < x->entries; e++) {
        x->match[e] = matches(k, x, e);
        x->left += x->match[e] != 0;
    }
    for (uint32_t e = 0; e < x->entries; e++)
        if (x->match[e])
            kilo_log_read(k, x->load->slot, 2 * (k->cfg.read_log_words + e) + 1, KILO_LOG_WALK_VALUE, x, e, false, now);
    tm_count(k->tm)[STAT_LOG_WALKED] += x->left;
}

void kilo_walk_line(struct kilo_core *k, const struct kilo_log_op *o, struct mem_op *op, uint64_t now)
{
    struct kilo_walk *x = o->of;
    const uint32_t *words = (const uint32_t *)(const void *)op->data;
    for (uint32_t i = 0; i < k->lanes; i++)
        if (o->use == KILO_LOG_WALK_ADDRESS)
            x->entry[o->index][i].address = words[i];
        else
            x->entry[o->index][i].value = words[i];
    if (--x->left)
        return;
    if (o->use == KILO_LOG_WALK_ADDRESS)
        read_values(k, x, now);
    if (!x->left)
        finish(k, x, now);
}
