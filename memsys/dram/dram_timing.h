/*
 * When DRAM commands may be issued, and the state of the banks that determines it. Used by the controller only.
 */
#ifndef MEMSYS_DRAM_TIMING_H
#define MEMSYS_DRAM_TIMING_H

#include "memsys/dram/dram.h"

enum { DRAM_BANK_WORDS = DRAM_MAX_BANKS / 64, DRAM_MAX_EFFECTS = 16 };

extern const char *const dram_command_names[DRAM_COMMANDS];

/* The effect of an issued command on the ready time of a later one. */
struct dram_effect { uint8_t level, command, window; uint32_t latency; };

struct dram_bank {
    uint64_t earliest[DRAM_COMMANDS];
    uint32_t group;
    uint32_t row;                    /* when open */
};

struct dram_timing {
    struct dram_effect effect[DRAM_COMMANDS][DRAM_MAX_EFFECTS];
    unsigned effects[DRAM_COMMANDS];
    struct dram_bank *bank;
    uint64_t (*group)[DRAM_COMMANDS];
    uint64_t channel[DRAM_COMMANDS];
    uint64_t act[4];                 /* cycles of the last four ACTs, a ring */
    uint64_t acts;
    uint32_t second;                 /* cycles from CLONE to its second activate, as tRRD and tFAW count it */
    uint64_t open[DRAM_BANK_WORDS];  /* bit per bank: a row is open */
};

void dram_timing_init(struct dram_timing *t, const struct dram_cfg *c);
void dram_timing_end(struct dram_timing *t);
/* Records that the command is issued at `now`, which must not be before dram_timing_ready. */
void dram_timing_issue(struct dram_timing *t, enum dram_command c, uint32_t bank, uint32_t row, uint64_t now);

static inline bool dram_is_open(const struct dram_timing *t, uint32_t bank)
{
    return t->open[bank / 64] >> bank % 64 & 1;
}

/* The first cycle that the constraints allow; the state of the bank is not considered. */
static inline uint64_t dram_timing_ready(const struct dram_timing *t, enum dram_command c, uint32_t bank)
{
    const struct dram_bank *b = &t->bank[bank];
    uint64_t at = t->channel[c] > b->earliest[c] ? t->channel[c] : b->earliest[c];
    uint64_t group = t->group[b->group][c];
    return at > group ? at : group;
}

/* Least cycles from a column command to one in the other direction. */
uint32_t dram_read_to_write(const struct dram_cfg *c);
uint32_t dram_write_to_read(const struct dram_cfg *c);

#endif
