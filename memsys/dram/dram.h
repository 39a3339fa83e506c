/*
 * One DRAM channel: banks in groups, and a controller that translates requests into commands (ACT, PRE, RD, WR, REF),
 * and copies of rows into CLONE: a row is copied to another row of its subarray by two activates and a precharge
 * without use of the data bus (Seshadri et al., RowClone: fast and energy-efficient in-DRAM bulk data copy and
 * initialization, MICRO 2013). CLONE needs a closed bank, which is unusable until the copy has completed, and closed
 * again then.
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

enum dram_command { DRAM_ACT, DRAM_PRE, DRAM_RD, DRAM_WR, DRAM_REF, DRAM_CLONE, DRAM_COMMANDS };
enum dram_level { DRAM_BANK, DRAM_GROUP, DRAM_CHANNEL, DRAM_LEVELS };
enum { DRAM_MAX_BANKS = 256 };

struct dram_cfg {
#define CONFIG_ROWS "memsys/dram/config.def"
#include "base/config/config_fields.h"
    uint32_t clone_cycles;           /* memory cycles of a row copy; 0 = the device has none */
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
/*
 * Copies a row of a bank to another one of its subarray; `row` is the source, for observers. One copy at a time for
 * each bank, and requests of the bank that are older, in the direction being served, go first. The bytes are the
 * caller's: it moves them when dram_clone_done returns the token.
 */
void dram_clone(struct dram *d, uint64_t now, uint32_t bank, uint32_t row, uint64_t token);
/* The next copy that has completed by `now`; false: none. */
bool dram_clone_done(struct dram *d, uint64_t now, uint64_t *token);
uint32_t dram_pending(const struct dram *d);         /* requests and copies that have not been returned as done */
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
