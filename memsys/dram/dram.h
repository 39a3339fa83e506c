/*
 * One DRAM channel: banks in groups, and a controller that translates requests into commands (ACT, PRE, RD, WR, REF).
 * Timing constraints are rows of a table: after this command, at this level (bank, bank group, channel), that command
 * waits so many cycles. Each cycle the controller issues at most one command: for the oldest request whose row is open
 * and whose command is ready (FR-FCFS: Rixner et al., Memory Access Scheduling, ISCA 2000), or for the oldest request
 * (FCFS). Cycles are of the memory clock.
 */
#ifndef MEMSYS_DRAM_H
#define MEMSYS_DRAM_H

#include "base/config/config.h"
#include "base/stats.h"
#include "memsys/dram/addrmap.h"
#include "memsys/clock.h"
#include "memsys/xbar/packet.h"

/* DRAM_EXTRA, DRAM_EXTRA + 1: commands of an extended device, to a closed bank, which stays closed (copies of rows). */
enum dram_command { DRAM_ACT, DRAM_PRE, DRAM_RD, DRAM_WR, DRAM_REF, DRAM_COMMANDS, DRAM_EXTRA = DRAM_COMMANDS,
                    DRAM_ALL = DRAM_EXTRA + 2 };
enum dram_level { DRAM_BANK, DRAM_GROUP, DRAM_CHANNEL, DRAM_LEVELS };
enum { DRAM_MAX_BANKS = 256 };

/* Command `after` waits so many memory cycles after `before` to the same bank, group, or channel. */
struct dram_rule { enum dram_command before, after; enum dram_level level; uint32_t cycles; };

struct dram_cfg {
#define CONFIG_ROWS "memsys/dram/config.def"
#include "base/config/config_fields.h"
    const struct dram_rule *rule;    /* additional constraints, for the extra commands; not copied */
    uint32_t rules;
};

struct dram_request { struct dram_address at; uint32_t bytes; bool write; uint64_t token; };

struct dram;
void dram_configure(struct dram_cfg *c, const struct simtx_config *config);

/* c obeys the rules of its keys. count: the owner's counters, indexed by enum stat. */
struct dram *dram_new(const struct dram_cfg *c, uint64_t *count);
void dram_free(struct dram *d);
bool dram_full(const struct dram *d);
/* Only when not full; now never decreases. All bursts of a request are in one row. */
void dram_push(struct dram *d, uint64_t now, const struct dram_request *r);
/*
 * Executes all cycles up to `now`. Returns the next cycle with an event, NEVER when idle without refresh. Commands and
 * counters do not depend on the cycles in which it is called, as long as none of the returned ones is skipped.
 */
uint64_t dram_run(struct dram *d, uint64_t now);
/* Counts the cycles before `now` that have not been counted; all commands due before then have been executed. */
void dram_settle(struct dram *d, uint64_t now);
/* The next request, in the order of the data bus, whose last data has been transferred by `now`; false: none. */
bool dram_done(struct dram *d, uint64_t now, uint64_t *token, bool *write);
uint32_t dram_pending(const struct dram *d);         /* requests pushed and not returned by dram_done */
uint32_t dram_queued(const struct dram *d);          /* of these, in the scheduler's queue */
bool dram_row_waits(const struct dram *d, uint32_t bank, uint32_t row);      /* is a write to the row queued? */
/* First cycle >= now at which the command may be issued to this bank; NEVER: its state forbids the command. */
uint64_t dram_ready_at(const struct dram *d, enum dram_command c, uint32_t bank, uint64_t now);
void dram_issue(struct dram *d, enum dram_command c, uint32_t bank, uint32_t row, uint64_t now);   /* when ready */
/* Called for every command when it is issued. */
typedef void dram_observer(void *ctx, uint64_t cycle, enum dram_command c, uint32_t bank, uint32_t row);
void dram_observe(struct dram *d, dram_observer *sent, void *ctx);
void dram_dump(const struct dram *d, void (*line)(void *ctx, const char *text), void *ctx);   /* for hang reports */

#endif
