/*
 * The resolution of conflicts inside a warp at the SM. Its ownership table is in shared memory, of which a core has
 * room for a few; other warps wait. The log unit clears the table, then reads the addresses of the write log through L1
 * and marks entries, and reads those of the read log and again of the write log and checks entries. An access to the
 * table takes a cycle, as does the start of each read of a log; a miss in L1 makes the warp wait for its line.
 */
#include "tm/warptm/warptm.h"

enum { TABLE_BYTES_A_CYCLE = 128, MARK_CYCLES = 3, CHECK_CYCLES = 2 };

static struct warptm_resolution *resolution_of(struct kilo_core *k, uint32_t slot)
{
    return &warptm_core(k)->warp[slot].resolution;
}

/* ---- which lanes abort ---- */

static uint64_t losers_of(struct kilo_core *k, uint32_t slot, uint64_t lanes)
{
    struct warptm_core *x = warptm_core(k);
    struct tm_lane *lane[KILO_LANES];
    enum resolution_kind kind = x->cfg.resolution;
    bool priority = kind == RESOLUTION_TWO_PHASE || kind == RESOLUTION_TWO_PHASE_BLOOM;
    bool bloom = kind == RESOLUTION_MARK_BLOOM || kind == RESOLUTION_TWO_PHASE_BLOOM;
    for (uint64_t m = lanes; m; m &= m - 1)
        lane[__builtin_ctzll(m)] = tm_lane(k->tm, slot, (unsigned)__builtin_ctzll(m));
    uint64_t losers = kind == RESOLUTION_PERFECT
                          ? resolution_perfect(lane, lanes)
                          : resolution_by_table(&x->table, priority, bloom, lane, lanes, k->base);
    uint64_t false_losers = losers ? losers & ~resolution_true(lane, lanes) : 0;
    tm_count(k->tm)[STAT_TX_RESOLVED_FALSE] += (unsigned)__builtin_popcountll(false_losers);
    return losers;
}

/* ---- time ---- */

static uint32_t entries(const struct warptm_resolution *r)
{
    return 2 * r->writes + r->reads;
}

/* Word of the warp's private words with the addresses of an entry. */
static uint32_t word_of(const struct kilo_core *k, const struct warptm_resolution *r, uint32_t e)
{
    if (e >= r->writes && e < r->writes + r->reads)
        return 2 * (e - r->writes);
    return 2 * (k->cfg.read_log_words + (e < r->writes ? e : e - r->writes - r->reads));
}

static void request_lines(struct kilo_core *k, uint32_t slot, uint64_t now)
{
    struct warptm_resolution *r = resolution_of(k, slot);
    for (; r->requested < entries(r) && r->requested < r->done + KILO_READ_AHEAD; r->requested++)
        kilo_log_read(k, slot, word_of(k, r, r->requested), KILO_LOG_OWN, r, r->requested, false, now);
}

void warptm_resolution_line(struct kilo_core *k, const struct kilo_log_op *o, uint64_t now)
{
    struct warptm_resolution *r = o->of;
    r->arrived |= UINT32_C(1) << (o->index - r->done);
    tm_run_at(k->tm, now);
}

static void begin(struct kilo_core *k, uint32_t slot, uint64_t now)
{
    struct warptm_core *x = warptm_core(k);
    struct warptm_resolution *r = resolution_of(k, slot);
    r->runs = true;
    r->began = now;
    r->free_at = now + (x->cfg.ownership + TABLE_BYTES_A_CYCLE - 1) / TABLE_BYTES_A_CYCLE;
    x->used++;
    if (x->cfg.cost == RESOLUTION_DETAILED) {
        request_lines(k, slot, now);
    } else {
        r->done = r->requested = entries(r);
        r->free_at += (MARK_CYCLES + CHECK_CYCLES) * r->writes + CHECK_CYCLES * r->reads;
    }
    tm_run_at(k->tm, now);
}

static void finish(struct kilo_core *k, uint32_t slot, uint64_t now)
{
    struct warptm_resolution r = *resolution_of(k, slot);
    *resolution_of(k, slot) = (struct warptm_resolution){ 0 };
    tm_count(k->tm)[STAT_TX_RESOLVED]++;
    tm_count(k->tm)[STAT_TX_RESOLUTION_CYCLES] += now - r.asked;
    tm_count(k->tm)[STAT_TX_RESOLUTION_WAIT] += r.began - r.asked;
    for (uint64_t m = r.losers; m; m &= m - 1)
        tm_decide(k->tm, slot, (unsigned)__builtin_ctzll(m), false, 0, TM_INTRA_WARP, now);
    tm_no_backoff(k->tm, slot);
    kilo_commit(k, slot, r.lanes & ~r.losers, now);
}

void warptm_resolve(struct kilo_core *k, uint32_t slot, uint64_t lanes, uint64_t now)
{
    struct warptm_core *x = warptm_core(k);
    struct warptm_resolution *r = resolution_of(k, slot);
    *r = (struct warptm_resolution){ .lanes = lanes, .losers = losers_of(k, slot, lanes), .asked = now, .began = now,
                                     .reads = k->warp[slot].reads, .writes = k->warp[slot].writes };
    if (x->cfg.cost == RESOLUTION_FREE) {
        finish(k, slot, now);
    } else if (x->used < x->cfg.tables) {
        begin(k, slot, now);
    } else {
        r->waits = true;
        x->queue[(x->first + x->waiting++) % k->slots] = slot;
    }
}

/* Processes the entries whose time has come. Returns the cycle of the next one, NEVER = when its line arrives. */
static uint64_t process(struct kilo_core *k, uint32_t slot, uint64_t now)
{
    struct warptm_resolution *r = resolution_of(k, slot);
    while (r->done < entries(r) && r->arrived & 1 && r->free_at <= now) {
        r->free_at = now + (r->done < r->writes ? MARK_CYCLES : CHECK_CYCLES);
        r->done++;
        r->arrived >>= 1;
    }
    request_lines(k, slot, now);
    if (r->free_at > now)
        return r->free_at;
    return NEVER;
}

static void next_waiting(struct kilo_core *k, uint64_t now)
{
    struct warptm_core *x = warptm_core(k);
    x->used--;
    if (!x->waiting)
        return;
    uint32_t slot = x->queue[x->first];
    x->first = (x->first + 1) % k->slots;
    x->waiting--;
    resolution_of(k, slot)->waits = false;
    begin(k, slot, now);
}

uint64_t warptm_resolution_run(struct kilo_core *k, uint64_t now)
{
    struct warptm_core *x = warptm_core(k);
    uint64_t next = NEVER;
    for (uint32_t slot = 0; x->used && slot < k->slots; slot++) {
        const struct warptm_resolution *r = resolution_of(k, slot);
        if (!r->runs)
            continue;
        uint64_t at = process(k, slot, now);
        if (r->done == entries(r) && r->free_at <= now) {
            next_waiting(k, now);
            finish(k, slot, now);
            at = now + 1;
        }
        next = at < next ? at : next;
    }
    return next;
}
