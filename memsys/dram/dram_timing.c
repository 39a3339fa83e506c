/*
 * DRAM timing: the table of constraints. A row says: after command `before`, command `after` to the same bank, to any
 * bank of its group, or to any bank of the channel waits `latency` cycles. Issuing a command raises the ready times of
 * the commands `after` in its rows, so the ready time of a command is the maximum of three numbers (bank, group,
 * channel). The constraints have the names of the GDDR5 standard (JEDEC JESD212).
 */
#include <assert.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/num.h"
#include "memsys/dram/dram_timing.h"

const char *const dram_command_names[DRAM_COMMANDS] = { "ACT", "PRE", "RD", "WR", "REF", "CLONE" };

typedef const struct dram_cfg *cfg;

static uint32_t grouped(cfg c, uint32_t within, uint32_t plain) { return c->groups > 1 && within ? within : plain; }

static uint32_t row_to_read(cfg c) { return c->tRCD; }
static uint32_t row_to_write(cfg c) { return c->tRCDW ? c->tRCDW : c->tRCD; }
static uint32_t row_open(cfg c) { return c->tRAS; }
static uint32_t row_cycle(cfg c) { return c->tRC; }
static uint32_t row_to_row(cfg c) { return c->tRRD; }
static uint32_t row_to_row_group(cfg c) { return grouped(c, c->tRRDL, c->tRRD); }
static uint32_t four_rows(cfg c) { return c->tFAW; }
static uint32_t precharge(cfg c) { return c->tRP; }
static uint32_t column(cfg c) { return c->tCCD; }
static uint32_t column_group(cfg c) { return grouped(c, c->tCCDL, c->tCCD); }
static uint32_t read_to_precharge(cfg c) { return grouped(c, c->tRTPL, c->tRTP); }
static uint32_t write_to_precharge(cfg c) { return c->tWL + c->burst_cycles + c->tWR; }
static uint32_t refresh(cfg c) { return c->tRFC; }

uint32_t dram_read_to_write(cfg c)
{
    uint32_t last = c->tCL + c->burst_cycles + 2;
    uint32_t turn = c->tRTW ? c->tRTW : last > c->tWL ? last - c->tWL : 0;
    return num_most(turn, c->tCCD);
}

uint32_t dram_write_to_read(cfg c)
{
    return num_most(c->tWL + c->burst_cycles + c->tCDLR, c->tCCD);
}

/* Of CLONE; 0 where the device has no row copies. Its second activate counts as following the first at tRRD. */
static uint32_t if_clone(cfg c, uint32_t cycles) { return c->clone_cycles ? cycles : 0; }
static uint32_t clone(cfg c) { return c->clone_cycles; }
static uint32_t row_to_clone(cfg c) { return if_clone(c, c->tRC); }
static uint32_t row_to_clone_group(cfg c) { return if_clone(c, row_to_row_group(c)); }
static uint32_t row_to_clone_channel(cfg c) { return if_clone(c, c->tRRD); }
static uint32_t clone_to_row_group(cfg c) { return if_clone(c, 2 * row_to_row_group(c)); }
static uint32_t clone_to_row(cfg c) { return if_clone(c, 2 * c->tRRD); }
static uint32_t precharge_to_clone(cfg c) { return if_clone(c, c->tRP); }
static uint32_t refresh_to_clone(cfg c) { return if_clone(c, c->tRFC); }
static uint32_t clone_four_rows(cfg c) { return if_clone(c, c->tFAW); }
static uint32_t clone_three_rows(cfg c) { return if_clone(c, c->tFAW > c->tRRD ? c->tFAW - c->tRRD : 0); }

static const struct constraint {
    enum dram_command before, after;
    enum dram_level level;
    unsigned window;                 /* counted from the last such command (1) or the fourth last (4) */
    uint32_t (*latency)(cfg c);
} constraints[] = {
    { DRAM_ACT, DRAM_RD,  DRAM_BANK,    1, row_to_read },
    { DRAM_ACT, DRAM_WR,  DRAM_BANK,    1, row_to_write },
    { DRAM_ACT, DRAM_PRE, DRAM_BANK,    1, row_open },
    { DRAM_ACT, DRAM_ACT, DRAM_BANK,    1, row_cycle },
    { DRAM_ACT, DRAM_ACT, DRAM_GROUP,   1, row_to_row_group },
    { DRAM_ACT, DRAM_ACT, DRAM_CHANNEL, 1, row_to_row },
    { DRAM_ACT, DRAM_ACT, DRAM_CHANNEL, 4, four_rows },
    { DRAM_ACT, DRAM_REF, DRAM_CHANNEL, 1, row_cycle },
    { DRAM_PRE, DRAM_ACT, DRAM_BANK,    1, precharge },
    { DRAM_PRE, DRAM_REF, DRAM_CHANNEL, 1, precharge },
    { DRAM_RD,  DRAM_RD,  DRAM_GROUP,   1, column_group },
    { DRAM_RD,  DRAM_RD,  DRAM_CHANNEL, 1, column },
    { DRAM_RD,  DRAM_WR,  DRAM_CHANNEL, 1, dram_read_to_write },
    { DRAM_RD,  DRAM_PRE, DRAM_BANK,    1, read_to_precharge },
    { DRAM_WR,  DRAM_WR,  DRAM_GROUP,   1, column_group },
    { DRAM_WR,  DRAM_WR,  DRAM_CHANNEL, 1, column },
    { DRAM_WR,  DRAM_RD,  DRAM_CHANNEL, 1, dram_write_to_read },
    { DRAM_WR,  DRAM_PRE, DRAM_BANK,    1, write_to_precharge },
    { DRAM_REF, DRAM_ACT, DRAM_CHANNEL, 1, refresh },
    { DRAM_REF, DRAM_REF, DRAM_CHANNEL, 1, refresh },
    { DRAM_ACT,   DRAM_CLONE, DRAM_BANK,    1, row_to_clone },
    { DRAM_ACT,   DRAM_CLONE, DRAM_GROUP,   1, row_to_clone_group },
    { DRAM_ACT,   DRAM_CLONE, DRAM_CHANNEL, 1, row_to_clone_channel },
    { DRAM_ACT,   DRAM_CLONE, DRAM_CHANNEL, 4, clone_four_rows },
    { DRAM_ACT,   DRAM_CLONE, DRAM_CHANNEL, 3, clone_three_rows },
    { DRAM_PRE,   DRAM_CLONE, DRAM_BANK,    1, precharge_to_clone },
    { DRAM_REF,   DRAM_CLONE, DRAM_CHANNEL, 1, refresh_to_clone },
    { DRAM_CLONE, DRAM_ACT,   DRAM_BANK,    1, clone },
    { DRAM_CLONE, DRAM_CLONE, DRAM_BANK,    1, clone },
    { DRAM_CLONE, DRAM_REF,   DRAM_CHANNEL, 1, clone },
    { DRAM_CLONE, DRAM_ACT,   DRAM_GROUP,   1, clone_to_row_group },
    { DRAM_CLONE, DRAM_CLONE, DRAM_GROUP,   1, clone_to_row_group },
    { DRAM_CLONE, DRAM_ACT,   DRAM_CHANNEL, 1, clone_to_row },
    { DRAM_CLONE, DRAM_CLONE, DRAM_CHANNEL, 1, clone_to_row },
    { DRAM_CLONE, DRAM_ACT,   DRAM_CHANNEL, 4, clone_four_rows },
    { DRAM_CLONE, DRAM_CLONE, DRAM_CHANNEL, 4, clone_four_rows },
    { DRAM_CLONE, DRAM_CLONE, DRAM_CHANNEL, 3, clone_three_rows },
};

static void add_effect(struct dram_timing *t, const struct constraint *k, uint32_t cycles)
{
    if (!cycles)
        return;
    assert(t->effects[k->before] < DRAM_MAX_EFFECTS);
    t->effect[k->before][t->effects[k->before]++] =
        (struct dram_effect){ (uint8_t)k->level, (uint8_t)k->after, (uint8_t)k->window, cycles };
}

void dram_timing_init(struct dram_timing *t, const struct dram_cfg *c)
{
    *t = (struct dram_timing){ .second = c->tRRD };
    for (size_t i = 0; i < sizeof constraints / sizeof *constraints; i++)
        add_effect(t, &constraints[i], constraints[i].latency(c));
    t->bank = mem_zero(c->banks, sizeof *t->bank, "DRAM banks");
    t->group = mem_zero(c->groups, sizeof *t->group, "DRAM bank groups");
    for (uint32_t b = 0; b < c->banks; b++)
        t->bank[b].group = c->group_bits == DRAM_GROUP_HIGH ? b / (c->banks / c->groups) : b % c->groups;
}

void dram_timing_end(struct dram_timing *t)
{
    free(t->bank);
    free(t->group);
}

/* Cycle of the n-th last ACT, the current one included; false when there were fewer. */
static bool past_act(const struct dram_timing *t, unsigned n, uint64_t *cycle)
{
    *cycle = t->act[(t->acts - n) % 4];
    return t->acts >= n;
}

static void apply(struct dram_timing *t, const struct dram_effect *e, uint32_t bank, uint64_t now)
{
    uint64_t *at = e->level == DRAM_BANK    ? &t->bank[bank].earliest[e->command]
                   : e->level == DRAM_GROUP ? &t->group[t->bank[bank].group][e->command]
                                            : &t->channel[e->command];
    if (e->window > 1 && !past_act(t, e->window, &now))
        return;
    if (now + e->latency > *at)
        *at = now + e->latency;
}

void dram_timing_issue(struct dram_timing *t, enum dram_command c, uint32_t bank, uint32_t row, uint64_t now)
{
    assert(now >= dram_timing_ready(t, c, bank));
    if (c == DRAM_ACT) {
        t->act[t->acts++ % 4] = now;
        t->bank[bank].row = row;
        t->open[bank / 64] |= 1ull << bank % 64;
    } else if (c == DRAM_PRE) {
        t->open[bank / 64] &= ~(1ull << bank % 64);
    } else if (c == DRAM_CLONE) {
        t->act[t->acts++ % 4] = now;
        t->act[t->acts++ % 4] = now + t->second;
    }
    for (unsigned i = 0; i < t->effects[c]; i++)
        apply(t, &t->effect[c][i], bank, now);
}
