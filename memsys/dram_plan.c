/*
 * Which DRAM command is next: of all that could be sent, the one that is ready first; at the same cycle a read or write
 * goes before an activate or precharge, and the older request before the younger. The plan stands until its cycle comes
 * or a request arrives, so cycles without a command cost nothing.
 *
 * FR-FCFS serves one direction at a time, since the data bus loses some ten cycles by turning round. Reads go first,
 * and writes gather; when they fill half the queue, or nothing else is left, they are drained (Lee et al., DRAM-Aware
 * Last-Level Cache Writeback, UT Austin TR-HPS-2010-002). A row is closed only for a request of the direction being
 * served or, where the bank has none, of the other one, and not while requests of that direction hit it.
 */
#include "memsys/dram_state.h"

/* A request that so many column commands, times the places of the queue, have passed goes before all others. */
enum { PATIENCE = 16 };

/*
 * A row command that has been ready for so many cycles goes before column commands. Where a burst takes two cycles it
 * never comes to that; where it takes one, columns would otherwise use up every cycle and no row be opened in time.
 */
enum { ROW_PATIENCE = 4 };

static const struct dram_plan NO_PLAN = { .at = NEVER, .slot = NONE };
static const uint64_t RANK_IDLE = 1ull << 63;        /* above all ages */

static inline void offer(struct dram *d, struct dram_plan *best, uint64_t rank, enum dram_command c, uint32_t bank,
                         uint32_t slot)
{
    uint64_t ready = dram_timing_ready(&d->timing, c, bank);
    uint64_t at = ready > d->from ? ready : d->from;
    if (at < best->at || (at == best->at && rank < best->rank))
        *best = (struct dram_plan){ at, ready, rank, bank, slot, c };
}

/* The row command that brings a request which is no hit nearer to its row. */
static inline void offer_row(struct dram *d, struct dram_plan *best, uint32_t bank, uint32_t i)
{
    offer(d, best, d->slot[i].age, dram_is_open(&d->timing, bank) ? DRAM_PRE : DRAM_ACT, bank, i);
}

static void plan_columns(struct dram *d, struct dram_plan *best)
{
    enum dram_command c = d->direction == WRITE ? DRAM_WR : DRAM_RD;
    for (uint32_t w = 0; w < d->words; w++)
        for (uint64_t m = d->hits[d->direction][w]; m; m &= m - 1) {
            uint32_t bank = w * 64 + (uint32_t)__builtin_ctzll(m), i = d->list[bank][d->direction].hit;
            offer(d, best, d->slot[i].age, c, bank, i);
        }
}

static void plan_rows(struct dram *d, struct dram_plan *best)
{
    int own = d->direction, other = !own;
    for (uint32_t w = 0; w < d->words; w++) {
        uint64_t theirs = d->any[other][w] & ~d->any[own][w] & ~d->hits[other][w];
        for (uint64_t m = (d->any[own][w] & ~d->hits[own][w]) | theirs; m; m &= m - 1) {
            uint32_t bit = (uint32_t)__builtin_ctzll(m), bank = w * 64 + bit;
            offer_row(d, best, bank, d->list[bank][theirs >> bit & 1 ? other : own].head);
        }
    }
}

/* close_page: rows that no request waits for. */
static void plan_idle_rows(struct dram *d, struct dram_plan *best)
{
    for (uint32_t w = 0; w < d->words; w++)
        for (uint64_t m = d->timing.open[w] & ~d->hits[READ][w] & ~d->hits[WRITE][w]; m; m &= m - 1) {
            uint32_t bank = w * 64 + (uint32_t)__builtin_ctzll(m);
            offer(d, best, RANK_IDLE | bank, DRAM_PRE, bank, NONE);
        }
}

static void plan_oldest(struct dram *d, struct dram_plan *best)
{
    uint32_t i = d->oldest;
    if (i == NONE)
        return;
    const struct dram_slot *s = &d->slot[i];
    uint32_t bank = s->r.at.bank;
    if (dram_is_open(&d->timing, bank) && d->timing.bank[bank].row == s->r.at.row)
        offer(d, best, s->age, s->r.write ? DRAM_WR : DRAM_RD, bank, i);
    else
        offer_row(d, best, bank, i);
}

/* Every row is closed, then the channel is refreshed; requests wait. */
static struct dram_plan plan_refresh(struct dram *d)
{
    struct dram_plan best = NO_PLAN;
    uint64_t from = d->from;
    if (from < d->refresh_due)
        d->from = d->refresh_due;
    for (uint32_t w = 0; w < d->words; w++)
        for (uint64_t m = d->timing.open[w]; m; m &= m - 1) {
            uint32_t bank = w * 64 + (uint32_t)__builtin_ctzll(m);
            offer(d, &best, bank, DRAM_PRE, bank, NONE);
        }
    if (best.at == NEVER)
        offer(d, &best, 0, DRAM_REF, 0, NONE);
    d->from = from;
    return best;
}

/* Depends on nothing but the queue and what has been sent, so asking again changes nothing. */
static void choose_direction(struct dram *d)
{
    bool hits = false;
    for (uint32_t w = 0; w < d->words; w++)
        hits |= d->hits[WRITE][w] != 0;
    if (d->direction == READ && d->waiting[WRITE] &&
        (!d->waiting[READ] || (d->waiting[WRITE] >= d->high && d->batch >= d->high)))
        dram_turn_to(d, WRITE);
    else if (d->direction == WRITE && d->waiting[READ] &&
             (!d->waiting[WRITE] || (d->waiting[WRITE] <= d->low && !hits) || d->batch >= d->cfg.queue))
        dram_turn_to(d, READ);
}

static bool oldest_first(const struct dram *d)
{
    return !d->cfg.frfcfs || (d->oldest != NONE &&
                              d->columns - d->slot[d->oldest].columns >= (uint64_t)PATIENCE * d->cfg.queue);
}

static struct dram_plan plan_requests(struct dram *d)
{
    struct dram_plan column = NO_PLAN, row = NO_PLAN;
    if (oldest_first(d)) {
        plan_oldest(d, &row);
    } else {
        choose_direction(d);
        plan_columns(d, &column);
        plan_rows(d, &row);
    }
    if (d->cfg.close_page)
        plan_idle_rows(d, &row);
    bool row_first = row.at < column.at || (row.at == column.at && row.at - row.ready >= ROW_PATIENCE);
    return row_first ? row : column;
}

void dram_plan(struct dram *d)
{
    d->stale = false;
    d->plan = d->from < d->refresh_due ? plan_requests(d) : NO_PLAN;
    if (d->plan.at >= d->refresh_due)
        d->plan = d->refresh_due == NEVER ? NO_PLAN : plan_refresh(d);
}
