/*
 * Which DRAM command is next: of all that could be sent, the one that is ready first. At the same cycle an activate or
 * precharge goes before a read or write, since it costs these one cycle and opens the way for many, and the older
 * request before the younger. The plan stands until its cycle comes or a request arrives, so cycles without a command
 * cost nothing.
 *
 * FR-FCFS serves one direction at a time, since the data bus loses some ten cycles by turning round. Reads go first,
 * and writes gather; when they fill half the queue, or nothing else is left, they are drained (Lee et al., DRAM-Aware
 * Last-Level Cache Writeback, UT Austin TR-HPS-2010-002). A row is closed only for a request of the direction being
 * served or, where the bank has none, of the other one, and not while requests of that direction hit it.
 */
#include "memsys/dram/dram_state.h"

/* A request that so many column commands, times the places of the queue, have passed goes before all others. */
enum { PATIENCE = 16 };

static const struct dram_plan NO_PLAN = { .at = NEVER, .slot = NONE };

/* The best of some commands: the least number made of the cycles until it is ready and, below, its rank. */
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

/* Rank of a request: by age, from the oldest one's. */
static inline uint32_t rank_of(const struct dram *d, uint32_t i)
{
    return (uint32_t)(d->slot[i].age - d->slot[d->oldest].age);
}

static inline enum dram_command row_command(const struct dram *d, uint32_t bank)
{
    return dram_is_open(&d->timing, bank) ? DRAM_PRE : DRAM_ACT;
}

/* The request for which a bank would change its row: the direction being served first. */
static inline uint32_t row_request(const struct dram *d, uint32_t bank)
{
    uint32_t own = d->list[bank][d->direction].head;
    return own != NONE ? own : d->list[bank][!d->direction].head;
}

static struct choice choose_column(const struct dram *d)
{
    struct choice best = NO_CHOICE;
    enum dram_command c = d->direction == WRITE ? DRAM_WR : DRAM_RD;
    for (uint32_t w = 0; w < d->words; w++)
        for (uint64_t m = d->hits[d->direction][w]; m; m &= m - 1) {
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
        for (; m; m &= m - 1) {
            uint32_t bank = w * 64 + (uint32_t)__builtin_ctzll(m);
            consider(d, &best, row_command(d, bank), bank, rank_of(d, row_request(d, bank)));
        }
    }
    return best;
}

/* close_page: rows that no request waits for. */
static struct choice choose_idle_row(const struct dram *d)
{
    struct choice best = NO_CHOICE;
    for (uint32_t w = 0; w < d->words; w++)
        for (uint64_t m = d->timing.open[w] & ~d->hits[READ][w] & ~d->hits[WRITE][w]; m; m &= m - 1) {
            uint32_t bank = w * 64 + (uint32_t)__builtin_ctzll(m);
            consider(d, &best, DRAM_PRE, bank, bank);
        }
    return best;
}

static struct dram_plan plan_column(const struct dram *d, const struct choice *k)
{
    return (struct dram_plan){ d->from + (k->key >> RANK_BITS), k->bank, d->list[k->bank][d->direction].hit,
                               d->direction == WRITE ? DRAM_WR : DRAM_RD };
}

static struct dram_plan plan_row(const struct dram *d, const struct choice *k)
{
    return (struct dram_plan){ d->from + (k->key >> RANK_BITS), k->bank, row_request(d, k->bank),
                               row_command(d, k->bank) };
}

static struct dram_plan plan_oldest(const struct dram *d)
{
    const struct dram_slot *s = &d->slot[d->oldest];
    uint32_t bank = s->r.at.bank;
    bool hit = dram_is_open(&d->timing, bank) && d->timing.bank[bank].row == s->r.at.row;
    enum dram_command c = !hit ? row_command(d, bank) : s->r.write ? DRAM_WR : DRAM_RD;
    uint64_t ready = dram_timing_ready(&d->timing, c, bank);
    return (struct dram_plan){ ready > d->from ? ready : d->from, bank, d->oldest, c };
}

/* Every row is closed, then the channel is refreshed; requests wait. */
static struct dram_plan plan_refresh(const struct dram *d)
{
    struct dram_plan best = NO_PLAN;
    uint64_t from = d->from > d->refresh_due ? d->from : d->refresh_due;
    for (uint32_t w = 0; w < d->words; w++)
        for (uint64_t m = d->timing.open[w]; m; m &= m - 1) {
            uint32_t bank = w * 64 + (uint32_t)__builtin_ctzll(m);
            uint64_t ready = dram_timing_ready(&d->timing, DRAM_PRE, bank), at = ready > from ? ready : from;
            if (at < best.at)
                best = (struct dram_plan){ at, bank, NONE, DRAM_PRE };
        }
    if (best.at != NEVER)
        return best;
    uint64_t ready = dram_timing_ready(&d->timing, DRAM_REF, 0);
    return (struct dram_plan){ ready > from ? ready : from, 0, NONE, DRAM_REF };
}

/* The direction that the state of the queue asks for; having turned there, it asks for no other. */
static int direction(const struct dram *d)
{
    bool hits = false;
    for (uint32_t w = 0; w < d->words; w++)
        hits |= d->hits[WRITE][w] != 0;
    if (d->direction == READ)
        return d->waiting[WRITE] && (!d->waiting[READ] || (d->waiting[WRITE] >= d->high && d->batch >= d->high));
    return !(d->waiting[READ] &&
             (!d->waiting[WRITE] || (d->waiting[WRITE] <= d->low && !hits) || d->batch >= d->cfg.queue));
}

static bool oldest_first(const struct dram *d)
{
    return !d->cfg.frfcfs || d->columns - d->slot[d->oldest].columns >= (uint64_t)PATIENCE * d->cfg.queue;
}

static struct dram_plan first_ready(struct dram *d)
{
    dram_turn_to(d, direction(d));
    struct choice column = choose_column(d), row = choose_row(d);
    if (column.key >> RANK_BITS < row.key >> RANK_BITS)
        return plan_column(d, &column);
    return row.key == NEVER ? NO_PLAN : plan_row(d, &row);
}

static struct dram_plan plan_requests(struct dram *d)
{
    struct dram_plan p = !d->queued ? NO_PLAN : oldest_first(d) ? plan_oldest(d) : first_ready(d);
    if (!d->cfg.close_page)
        return p;
    struct choice idle = choose_idle_row(d);
    uint64_t at = d->from + (idle.key >> RANK_BITS);
    return idle.key == NEVER || at >= p.at ? p : (struct dram_plan){ at, idle.bank, NONE, DRAM_PRE };
}

void dram_plan(struct dram *d)
{
    d->stale = false;
    d->plan = d->from < d->refresh_due ? plan_requests(d) : NO_PLAN;
    if (d->plan.at >= d->refresh_due)
        d->plan = d->refresh_due == NEVER ? NO_PLAN : plan_refresh(d);
}

bool dram_plan_stands(const struct dram *d, uint32_t i)
{
    const struct dram_slot *s = &d->slot[i];
    const struct dram_list *l = &d->list[s->r.at.bank][s->r.write];
    return l->head != i && l->hit != i;
}
