/*
 * Conflict detection of ideal TM by signatures. An access enters them when it is issued. Signature: a commit looks up
 * the words that it writes in the signatures of all running attempts, and the attempts with a hit abort. Ring: an
 * attempt looks up the words that it has read in the write signatures of the commits since its last check, at each load
 * and at its commit. The exact sets tell whether such a conflict is true.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tm/ideal/ideal_impl.h"
#include "tm/oracle/shadow_words.h"

void ideal_detect_new_core(struct ideal_core *k)
{
    uint32_t slots = tm_slots(k->c);
    k->lanes = tm_warp_lanes(k->c);
    k->lane = mem_zero((size_t)slots * k->lanes, sizeof *k->lane, "sets of lanes");
    k->running = mem_zero(slots, sizeof *k->running, "lanes that run");
    k->committing = mem_zero(slots, sizeof *k->committing, "lanes that commit");
    k->lost = mem_zero(slots, sizeof *k->lost, "lanes that abort");
    if (k->shared->cfg.detection == IDEAL_BY_SIGNATURE)
        signatures_init(&k->table, &k->shared->signature, slots * k->lanes);
    k->hit = mem_zero(k->table.columns + 1, sizeof *k->hit, "matches of signatures");
}

void ideal_detect_free_core(struct ideal_core *k)
{
    for (uint32_t i = 0; k->lane && i < tm_slots(k->c) * k->lanes; i++) {
        free(k->lane[i].read.w);
        free(k->lane[i].write.w);
    }
    free(k->lane);
    free(k->running);
    free(k->committing);
    free(k->lost);
    free(k->hit);
    signatures_free(&k->table);
}

static void remove_words(struct ideal_core *k, uint32_t lane, struct ideal_words *s, bool write)
{
    for (uint32_t i = 0; k->table.row && i < s->n; i++)
        signatures_remove(&k->table, lane, s->w[i], write);
    s->n = 0;
}

void ideal_detect_clear(struct ideal_core *k, uint32_t slot, uint64_t lanes)
{
    for (uint64_t m = lanes; m; m &= m - 1) {
        uint32_t lane = slot * k->lanes + (uint32_t)__builtin_ctzll(m);
        remove_words(k, lane, &k->lane[lane].read, false);
        remove_words(k, lane, &k->lane[lane].write, true);
    }
    k->running[slot] &= ~lanes;
    k->committing[slot] &= ~lanes;
}

void ideal_detect_attempt(struct ideal_core *k, uint32_t slot, uint64_t lanes)
{
    ideal_detect_clear(k, slot, lanes);
    k->running[slot] |= lanes;
    k->lost[slot] &= ~lanes;
    for (uint64_t m = lanes; m; m &= m - 1)
        k->lane[slot * k->lanes + (uint32_t)__builtin_ctzll(m)].checked = signature_ring_end(&k->shared->ring);
}

static void add_word(struct ideal_core *k, uint32_t lane, uint32_t word, bool write)
{
    struct ideal_words *s = write ? &k->lane[lane].write : &k->lane[lane].read;
    s->w = mem_grow(s->w, s->n, &s->cap, sizeof *s->w, "a set of words");
    s->w[s->n++] = word;
    if (k->table.row)
        signatures_add(&k->table, lane, word, write);
}

/* ---- ring ---- */

/* Does the ring hold a conflict with what the lane has read? */
static bool ring_conflict(struct ideal_core *k, uint32_t slot, unsigned lane)
{
    struct ideal_lane *l = &k->lane[slot * k->lanes + lane];
    const struct signature_ring *r = &k->shared->ring;
    uint64_t from = l->checked;
    l->checked = signature_ring_end(r);
    if (from == l->checked)
        return false;
    enum signature_conflict found = signature_ring_check(r, from, l->read.w, l->read.n);
    if (found == SIGNATURE_FALSE_CONFLICT)
        tm_count(k->c)[STAT_TX_FALSE_CONFLICTS]++;
    return found != SIGNATURE_NO_CONFLICT;
}

static void check_reads(struct ideal_core *k, uint32_t slot, uint64_t lanes, uint64_t now)
{
    uint64_t lost = 0;
    for (uint64_t m = lanes & ~k->lost[slot]; m; m &= m - 1)
        if (ring_conflict(k, slot, (unsigned)__builtin_ctzll(m)))
            lost |= m & -m;
    k->lost[slot] |= lost;
    if (lost)
        tm_abort(k->c, slot, lost, tm_attempt(k->c, slot), TM_SIGNATURE, now);
}

/* The oldest record that a running attempt has not been compared with. */
static uint64_t oldest_needed(const struct ideal *s, void *const *cores, uint32_t n)
{
    uint64_t oldest = signature_ring_end(&s->ring);
    for (uint32_t i = 0; i < n; i++) {
        const struct ideal_core *k = cores[i];
        for (uint32_t slot = 0; slot < tm_slots(k->c); slot++)
            for (uint64_t m = k->running[slot]; m; m &= m - 1) {
                uint64_t checked = k->lane[slot * k->lanes + (uint32_t)__builtin_ctzll(m)].checked;
                oldest = checked < oldest ? checked : oldest;
            }
    }
    return oldest;
}

/* ---- signatures ---- */

static bool common(const struct ideal_words *a, const struct ideal_words *b)
{
    for (uint32_t i = 0; i < a->n; i++)
        for (uint32_t j = 0; j < b->n; j++)
            if (a->w[i] == b->w[j])
                return true;
    return false;
}

/* Aborts lanes of a warp whose signatures match the words of a commit. */
static void abort_matches(struct ideal_core *k, uint32_t slot, uint64_t lanes, const struct ideal_words *wrote,
                          uint64_t now)
{
    lanes &= k->running[slot] & ~k->lost[slot];
    for (uint64_t m = lanes; m; m &= m - 1) {
        const struct ideal_lane *l = &k->lane[slot * k->lanes + (uint32_t)__builtin_ctzll(m)];
        if (!common(wrote, &l->read) && !common(wrote, &l->write))
            tm_count(k->c)[STAT_TX_FALSE_CONFLICTS]++;
    }
    k->lost[slot] |= lanes;
    lanes &= ~k->committing[slot];
    if (lanes)
        tm_abort(k->c, slot, lanes, tm_attempt(k->c, slot), TM_SIGNATURE, now);
}

static void match_core(struct ideal_core *k, const struct ideal_words *wrote, uint64_t now)
{
    uint32_t bit[SIGNATURE_PARTS], columns = k->table.columns, each = k->lanes / 32;
    bool any = false;
    memset(k->hit, 0, columns * sizeof *k->hit);
    for (uint32_t i = 0; i < wrote->n; i++) {
        signature_indices(&k->shared->signature, wrote->w[i], bit);
        any |= signatures_match(&k->table, bit, k->hit);
    }
    for (uint32_t i = 0; any && i < columns; i++)
        if (k->hit[i])
            abort_matches(k, i / each, (uint64_t)k->hit[i] << i % each * 32, wrote, now);
}

/* ---- interface ---- */

void ideal_detect_access(struct ideal_core *k, uint32_t slot, const struct mem_op *op, uint64_t lanes, bool write,
                   uint64_t now)
{
    uint64_t base = tm_memory_base(k->c);
    if (k->shared->cfg.detection == IDEAL_BY_RING && !write)
        check_reads(k, slot, lanes, now);
    for (uint64_t m = lanes; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        uint64_t from = op->address[lane] - base, end = from + op->width;
        for (uint64_t a = from / 4; a < (end + 3) / 4; a++)
            add_word(k, slot * k->lanes + lane, (uint32_t)a, write);
    }
}

bool ideal_detect_may_commit(struct ideal_core *k, uint32_t slot, unsigned lane)
{
    if (k->lost[slot] >> lane & 1)
        return false;
    return k->shared->cfg.detection != IDEAL_BY_RING || !ring_conflict(k, slot, lane);
}

void ideal_detect_committed(struct ideal_core *k, uint32_t slot, unsigned lane, void *const *cores, uint32_t n,
                            uint64_t now)
{
    struct ideal *s = k->shared;
    const struct ideal_words *wrote = &k->lane[slot * k->lanes + lane].write;
    k->running[slot] &= ~(UINT64_C(1) << lane);
    if (!wrote->n)
        return;
    if (s->cfg.detection == IDEAL_BY_RING) {
        if (signature_ring_full(&s->ring))
            signature_ring_drop(&s->ring, oldest_needed(s, cores, n));
        signature_ring_add(&s->ring, wrote->w, wrote->n);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        match_core(cores[i], wrote, now);
}
