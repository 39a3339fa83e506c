/*
 * Texts for reports of hangs: what warps wait for in KILO TM. It is a walk of the write log, ring entries, commit IDs,
 * log transfer, or replies; for these, the commit units, the lanes and the states of their entries.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"
#include "tm/kilo/log_unit.h"

/* Lanes whose outcome waits for this slice. */
static uint64_t waiting(const struct kilo_core *k, uint32_t slot, uint32_t slice)
{
    const struct kilo_warp *w = &k->warp[slot];
    uint64_t lanes = 0;
    for (uint64_t m = w->batch->left; m; m &= m - 1)
        lanes |= w->replies[__builtin_ctzll(m)] >> slice & 1 ? m & -m : 0;
    return lanes;
}

static void describe_replies(const struct kilo_core *k, uint32_t slot, char *text, size_t size)
{
    text_append(text, size, ": no reply from");
    const char *before = " ";
    for (uint32_t s = 0; s < k->slices; s++) {
        uint64_t lanes = waiting(k, slot, s);
        if (!lanes)
            continue;
        text_append(text, size, "%scommit unit %u for ", before, s);
        tm_append_lanes(text, size, lanes);
        before = "; ";
    }
}

/* The transfer of the warp's logs, and the number of those before it. NULL = none. */
static const struct kilo_transfer *transfer_of(const struct kilo_core *k, uint32_t slot, uint32_t *before)
{
    *before = 0;
    for (const struct kilo_transfer *t = k->first; t; t = t->next, ++*before)
        if (t->slot == slot)
            return t;
    return NULL;
}

static void describe_transfer(const struct kilo_core *k, const struct kilo_transfer *t, uint32_t before, char *text,
                              size_t size)
{
    if (before)
        text_append(text, size, ": log transfer, after %u others", before);
    else if (t->ready > tm_now(k->tm))
        text_append(text, size, ": commit IDs, until cycle %" PRIu64, t->ready);
    else
        text_append(text, size, ": log transfer, %u of %u entries are sent, %u read ahead", t->sent, t->end,
                  t->requested - t->sent);
}

/* Number of warps before this one that wait for credits; -1 = it does not wait. */
static int credit_position(const struct kilo_core *k, uint32_t slot)
{
    for (uint32_t i = 0; i < k->credit_waits; i++)
        if (k->credit_queue[(k->credit_first + i) % k->slots] == slot)
            return (int)i;
    return -1;
}

/* Ring entries and commit IDs, before the log transfer. False: the warp does not wait for these. */
static bool describe_allocation(const struct kilo_core *k, uint32_t slot, char *text, size_t size)
{
    const struct kilo_warp *w = &k->warp[slot];
    if (!w->batch->left)
        return false;
    if (credit_position(k, slot) >= 0)
        text_append(text, size, ": %d credits for ring entries; the SM has %u, a ring %u entries; %d warps are ahead",
                  __builtin_popcountll(w->batch->b.lanes), k->credits, k->ring, credit_position(k, slot));
    else if (w->allocating) {
        text_append(text, size, ": entries in the rings of commit units ");
        for (uint64_t m = w->allocating; m; m &= m - 1)
            text_append(text, size, m & (m - 1) ? "%d, " : "%d", __builtin_ctzll(m));
    } else if (w->batch->last == UINT64_MAX)
        text_append(text, size, ": commit IDs, which wrap around when the commit units are empty (kilotm.cid_bits)");
    else
        return false;
    return true;
}

void kilo_describe(const void *core, uint32_t slot, char *text, size_t size)
{
    const struct kilo_core *k = core;
    const struct kilo_warp *w = &k->warp[slot];
    uint32_t before;
    const struct kilo_transfer *t = transfer_of(k, slot, &before);
    if (w->walking)
        text_append(text, size, ": the walk of its write log of %u entries", w->writes);
    else if (t)
        describe_transfer(k, t, before, text, size);
    else if (w->batch && describe_allocation(k, slot, text, size))
        return;
    else if (w->batch && w->batch->left)
        describe_replies(k, slot, text, size);
    else
        text_append(text, size, ": L1 must first accept %u lines of logs", tm_logs_queued(k->tm));
}

/* The state of the entry of the lowest of these lanes. Watchdog validation has no commit IDs. */
static const char *state_of(const struct kilo_batch *b, const struct commit_unit *u, uint64_t lanes)
{
    return b->first_cid ? cu_state_name(u, kilo_cid(b, (unsigned)__builtin_ctzll(lanes))) : "validation";
}

/* The lanes that wait for a slice, grouped by the state of their entries. */
static void dump_slice(const struct kilo_core *k, uint32_t slot, uint32_t slice, char *text, size_t size)
{
    const struct kilo_batch *b = &k->warp[slot].batch->b;
    const struct commit_unit *u = k->gpu->unit[slice];
    uint64_t left = waiting(k, slot, slice);
    while (left) {
        const char *state = state_of(b, u, left);
        uint64_t same = 0;
        for (uint64_t m = left; m; m &= m - 1)
            if (state_of(b, u, m) == state)
                same |= m & -m;
        tm_append_lanes(text, size, same);
        left &= ~same;
        text_append(text, size, " (%s)%s", state, left ? ", " : "");
    }
}

static void dump_warp(const struct kilo_core *k, uint32_t slot, void (*line)(void *ctx, const char *text), void *ctx)
{
    const struct kilo_core_batch *b = k->warp[slot].batch;
    char text[300] = "";
    uint32_t before;
    text_append(text, sizeof text, "  warp slot %u: ", slot);
    if (b->b.first_cid)
        text_append(text, sizeof text, "commit IDs from %" PRIu64 " on, ", b->b.first_cid);
    text_append(text, sizeof text, "%d of %d lanes have no outcome", __builtin_popcountll(b->left),
              __builtin_popcountll(b->b.lanes));
    if (b->retiring && !b->left)
        text_append(text, sizeof text, ", %u units have not retired it", b->retiring);
    line(ctx, text);
    for (uint32_t s = 0; s < k->slices && !transfer_of(k, slot, &before); s++) {
        if (!waiting(k, slot, s))
            continue;
        snprintf(text, sizeof text, "    commit unit %u: ", s);
        dump_slice(k, slot, s, text, sizeof text);
        line(ctx, text);
    }
}

void kilo_dump(const void *core, void (*line)(void *ctx, const char *text), void *ctx)
{
    const struct kilo_core *k = core;
    for (uint32_t i = 0; i < k->slots; i++)
        if (k->warp[i].batch && k->warp[i].batch->busy)
            dump_warp(k, i, line, ctx);
}
