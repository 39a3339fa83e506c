/*
 * Selects the next DRAM command: of all candidates, the one that is ready first. Among those ready in the same cycle,
 * an activate or precharge has priority over a read or write, since it delays that by one cycle and enables several,
 * and older requests have priority over younger ones. The plan remains valid until its cycle or the arrival of a
 * request, so cycles without a command cost nothing.
 *
 * FR-FCFS serves one direction at a time, since a turnaround of the data bus costs some ten cycles. Reads have
 * priority; writes are drained when they fill half the queue, or no read is queued (Lee et al., DRAM-Aware Last-Level
 * Cache Writeback, UT Austin TR-HPS-2010-002). A row is closed only for a request of the direction being served or,
 * where the bank has none, of the other one, and not while requests of that direction hit it.
 *
 * A copy of a row claims its bank when the bank's requests of that direction are younger, or after as many column
 * commands as let the oldest request go first: the bank is closed for it then, and serves nothing before it.
 */
#include "memsys/dram/dram_state.h"

/* A request that has been bypassed by this many column commands per queue entry has priority over all others. */
enum { BYPASS_LIMIT = 16 };

static const struct dram_plan NO_PLAN = { .at = NEVER, .entry = DRAM_NONE };

/* The best candidate so far: the least key, which is the cycles until it is ready above its rank. */
struct choice { uint64_t key; uint32_t bank; };
enum { RANK_BITS = 32 };
static const struct choice NO_CHOICE = { .key = NEVER };

static inline void consider(const struct dram *d, struct choice *best, enum dram_command c, uint32_t bank,
                            uint32_t rank)
{
    uint64_t ready = dram_timing_ready(&d->timing, c, bank), wait = ready > d->from ? ready - d->from : 0;
    uint64_t key = wait << RANK_BITS | rank;
    best->bank = key < best->key ? bank : best->bank;
    best->key = key < best->key ? key : best->key;
}

/* Rank of a request: its age relative to the oldest one. */
static inline uint32_t rank_of(const struct dram *d, uint32_t i)
{
    return (uint32_t)(d->entry[i].age - d->entry[d->oldest].age);
}

static inline enum dram_command row_command(const struct dram *d, uint32_t bank)
{
    return dram_is_open(&d->timing, bank) ? DRAM_PRE : DRAM_ACT;
}

/* The request for which a bank would open another row: of the direction being served, else of the other. */
static inline uint32_t row_request(const struct dram *d, uint32_t bank)
{
    uint32_t own = d->list[bank][d->direction].head;
    return own != DRAM_NONE ? own : d->list[bank][!d->direction].head;
}

static struct choice choose_column(const struct dram *d)
{
    struct choice best = NO_CHOICE;
    enum dram_command c = d->direction == DRAM_WRITES ? DRAM_WR : DRAM_RD;
    for (uint32_t w = 0; w < d->words; w++)
        for (uint64_t m = d->hits[d->direction][w] & ~d->claimed[w]; m; m &= m - 1) {
            uint32_t bank = w * 64 + (uint32_t)__builtin_ctzll(m);
            consider(d, &best, c, bank, rank_of(d, d->list[bank][d->direction].hit));
        }
    return best;
}

static struct choice choose_row(const struct dram *d)
{
    struct choice best = NO_CHOICE;
    int own = d->direction, other = !own;
    for (uint32_t w = 0; w < d->words; w++) {
        uint64_t m = (d->any[own][w] & ~d->hits[own][w]) | (d->any[other][w] & ~d->any[own][w] & ~d->hits[other][w]);
        for (m &= ~d->claimed[w]; m; m &= m - 1) {
            uint32_t bank = w * 64 + (uint32_t)__builtin_ctzll(m);
            consider(d, &best, row_command(d, bank), bank, rank_of(d, row_request(d, bank)));
        }
    }
    return best;
}

/* close_page: rows without queued requests. */
static struct choice choose_idle_row(const struct dram *d)
{
    struct choice best = NO_CHOICE;
    for (uint32_t w = 0; w < d->words; w++)
        for (uint64_t m = d->timing.open[w] & ~d->hits[DRAM_READS][w] & ~d->hits[DRAM_WRITES][w]; m; m &= m - 1) {
            uint32_t bank = w * 64 + (uint32_t)__builtin_ctzll(m);
            consider(d, &best, DRAM_PRE, bank, bank);
        }
    return best;
}

static struct dram_plan plan_column(const struct dram *d, const struct choice *k)
{
    return (struct dram_plan){ d->from + (k->key >> RANK_BITS), k->bank, d->list[k->bank][d->direction].hit,
                               d->direction == DRAM_WRITES ? DRAM_WR : DRAM_RD };
}

static struct dram_plan plan_row(const struct dram *d, const struct choice *k)
{
    return (struct dram_plan){ d->from + (k->key >> RANK_BITS), k->bank, row_request(d, k->bank),
                               row_command(d, k->bank) };
}

static struct dram_plan plan_oldest(const struct dram *d)
{
    const struct dram_entry *s = &d->entry[d->oldest];
    uint32_t bank = s->r.at.bank;
    bool hit = dram_is_open(&d->timing, bank) && d->timing.bank[bank].row == s->r.at.row;
    enum dram_command c = !hit ? row_command(d, bank) : s->r.write ? DRAM_WR : DRAM_RD;
    uint64_t ready = dram_timing_ready(&d->timing, c, bank);
    return (struct dram_plan){ ready > d->from ? ready : d->from, bank, d->oldest, c };
}

/* Closes every row, then refreshes the channel; requests wait. */
static struct dram_plan plan_refresh(const struct dram *d)
{
    struct dram_plan best = NO_PLAN;
    uint64_t from = d->from > d->refresh_due ? d->from : d->refresh_due;
    for (uint32_t w = 0; w < d->words; w++)
        for (uint64_t m = d->timing.open[w]; m; m &= m - 1) {
            uint32_t bank = w * 64 + (uint32_t)__builtin_ctzll(m);
            uint64_t ready = dram_timing_ready(&d->timing, DRAM_PRE, bank), at = ready > from ? ready : from;
            if (at < best.at)
                best = (struct dram_plan){ at, bank, DRAM_NONE, DRAM_PRE };
        }
    if (best.at != NEVER)
        return best;
    uint64_t ready = dram_timing_ready(&d->timing, DRAM_REF, 0);
    return (struct dram_plan){ ready > from ? ready : from, 0, DRAM_NONE, DRAM_REF };
}

/* The direction that the queue requires; a change of direction does not change the result. */
static int direction(const struct dram *d)
{
    uint32_t reads = d->waiting[DRAM_READS], writes = d->waiting[DRAM_WRITES];
    bool hits = false;
    for (uint32_t w = 0; w < d->words; w++)
        hits |= d->hits[DRAM_WRITES][w] != 0;
    if (d->direction == DRAM_READS)
        return writes && (!reads || (writes >= d->high && d->batch >= d->high));
    return !(reads && (!writes || (writes <= d->low && !hits) || d->batch >= d->cfg.queue));
}

/* Has it been bypassed by too many column commands? columns: their number when it arrived. */
static bool overdue(const struct dram *d, uint64_t columns)
{
    return d->columns - columns >= (uint64_t)BYPASS_LIMIT * d->cfg.queue;
}

static bool oldest_first(const struct dram *d)
{
    return d->cfg.scheduler == DRAM_FCFS || overdue(d, d->entry[d->oldest].columns);
}

static struct dram_plan first_ready(struct dram *d)
{
    dram_set_direction(d, direction(d));
    struct choice column = choose_column(d), row = choose_row(d);
    if (column.key >> RANK_BITS < row.key >> RANK_BITS)
        return plan_column(d, &column);
    return row.key == NEVER ? NO_PLAN : plan_row(d, &row);
}

/* ---- copies of rows ---- */

/* Does the copy of this bank go before the bank's requests? */
static bool claims(const struct dram *d, uint32_t bank)
{
    const struct dram_copy *k = &d->copy[bank];
    int own = d->queued ? direction(d) : d->direction;
    uint32_t first = d->cfg.scheduler == DRAM_FCFS ? d->oldest : d->list[bank][own].head;
    return first == DRAM_NONE || k->age < d->entry[first].age || overdue(d, k->columns);
}

/* Sets d->claimed. The first command that is ready for a claiming copy; of these, the oldest copy's. */
static struct dram_plan plan_copy(struct dram *d)
{
    struct dram_plan best = NO_PLAN;
    uint64_t age = NEVER;
    for (uint32_t w = 0; w < d->words; w++) {
        d->claimed[w] = 0;
        for (uint64_t m = d->copying[w]; m; m &= m - 1) {
            uint32_t bank = w * 64 + (uint32_t)__builtin_ctzll(m);
            if (!claims(d, bank))
                continue;
            enum dram_command c = dram_is_open(&d->timing, bank) ? DRAM_PRE : DRAM_CLONE;
            uint64_t ready = dram_timing_ready(&d->timing, c, bank), at = ready > d->from ? ready : d->from;
            d->claimed[w] |= UINT64_C(1) << bank % 64;
            if (at > best.at || (at == best.at && d->copy[bank].age > age))
                continue;
            best = (struct dram_plan){ at, bank, DRAM_NONE, c };
            age = d->copy[bank].age;
        }
    }
    return best;
}

/* A copy that is overdue, or older than all requests under FCFS, goes before other banks' requests, too. */
static bool copy_first(const struct dram *d, const struct dram_plan *p)
{
    return p->at != NEVER && (d->cfg.scheduler == DRAM_FCFS || overdue(d, d->copy[p->bank].columns));
}

static struct dram_plan plan_requests(struct dram *d)
{
    struct dram_plan copy = d->copies ? plan_copy(d) : NO_PLAN;
    if (copy_first(d, &copy))
        return copy;
    struct dram_plan p = !d->queued ? NO_PLAN : oldest_first(d) ? plan_oldest(d) : first_ready(d);
    p = copy.at <= p.at ? copy : p;
    if (!d->cfg.close_page)
        return p;
    struct choice idle = choose_idle_row(d);
    uint64_t at = d->from + (idle.key >> RANK_BITS);
    return idle.key == NEVER || at >= p.at ? p : (struct dram_plan){ at, idle.bank, DRAM_NONE, DRAM_PRE };
}

void dram_plan(struct dram *d)
{
    d->stale = false;
    d->plan = d->from < d->refresh_due ? plan_requests(d) : NO_PLAN;
    if (d->plan.at >= d->refresh_due)
        d->plan = d->refresh_due == NEVER ? NO_PLAN : plan_refresh(d);
}

bool dram_plan_valid(const struct dram *d, uint32_t i)
{
    const struct dram_entry *s = &d->entry[i];
    const struct dram_list *l = &d->list[s->r.at.bank][s->r.write];
    return l->head != i && l->hit != i;
}
