/*
 * One DRAM channel: banks in groups, rows, and a controller that turns requests into commands. A command is a row of
 * a table (ACT, PRE, RD, WR, REF) and a constraint is a row too: after this command, at this level (bank, bank group,
 * channel), that command waits so many cycles. Each cycle the controller sends at most one command: for the first
 * request whose row is open and whose command is ready (FR-FCFS: Rixner et al., Memory Access Scheduling, ISCA 2000),
 * or for the oldest (FCFS). Cycles are of the memory clock.
 */
#ifndef MEMSYS_DRAM_H
#define MEMSYS_DRAM_H

#include "base/stats.h"
#include "memsys/dram/addrmap.h"
#include "memsys/clock.h"
#include "memsys/xbar/packet.h"

struct simtx_config;

/* DRAM_OWN and the next: whatever a device can do besides, with a bank that is closed and stays so (a copy of rows). */
enum dram_command { DRAM_ACT, DRAM_PRE, DRAM_RD, DRAM_WR, DRAM_REF, DRAM_COMMANDS, DRAM_OWN = DRAM_COMMANDS,
                    DRAM_ALL = DRAM_OWN + 2 };
enum dram_level { DRAM_BANK, DRAM_GROUP, DRAM_CHANNEL, DRAM_LEVELS };
enum { DRAM_MAX_BANKS = 256 };

/* After `before`, `after` waits so many memory cycles: to the same bank, its group, or the channel. */
struct dram_rule { enum dram_command before, after; enum dram_level level; uint32_t cycles; };

struct dram_cfg {
    uint32_t banks, groups;
    bool group_high;                 /* bank group = upper bits of the bank; false: lower bits */
    uint32_t queue;                  /* requests that wait for the scheduler */
    uint32_t burst_bytes;            /* bytes one RD or WR moves */
    uint32_t burst_cycles;           /* cycles of the data bus for that (tCCD is at least this) */
    bool frfcfs, refresh, close_page;
    /* memory cycles, 0 = no such constraint; tRCDW = 0 is tRCD; with 0, or one group, tCCDL is tCCD and so on */
    uint32_t tCCD, tCCDL, tRRD, tRRDL, tRCD, tRCDW, tRAS, tRP, tRC, tCL, tWL, tCDLR, tWR, tRTP, tRTPL, tRTW, tFAW;
    uint32_t tREFI, tRFC;
    const struct dram_rule *rule;    /* more rows of the table of constraints, for own commands; not copied */
    uint32_t rules;
};

struct dram_request { struct dram_address at; uint32_t bytes; bool write; uint64_t token; };

struct dram;
void dram_configure(struct dram_cfg *c, const struct simtx_config *config);
/* False with a message in error (at most size bytes) when no device works that way, or data would meet on the bus. */
bool dram_check(const struct dram_cfg *c, char *error, size_t size);
/* False with a message when the address map names other banks or bursts than the channel has. */
bool dram_check_map(const struct dram_cfg *c, const struct addrmap *m, char *error, size_t size);

/* A channel, with a configuration that dram_check accepts. count: the owner's counters, indexed by enum stat. */
struct dram *dram_new(const struct dram_cfg *c, uint64_t *count);
void dram_free(struct dram *d);
bool dram_full(const struct dram *d);
/* Not when full; now never decreases. A request of several bursts lies in one row and is one request. */
void dram_push(struct dram *d, uint64_t now, const struct dram_request *r);
/*
 * Executes all cycles up to `now`. Returns the next cycle at which anything can happen, NEVER when idle without
 * refresh. Cycles left out, and cycles in which it is called for nothing, change neither commands nor counters.
 */
uint64_t dram_run(struct dram *d, uint64_t now);
/* Counts the cycles before `now` that no call has counted yet; all commands due before have been executed. */
void dram_settle(struct dram *d, uint64_t now);
/* A request whose last data has moved by `now`, in the order in which the data bus served them; false: no more. */
bool dram_done(struct dram *d, uint64_t now, uint64_t *token, bool *write);
uint32_t dram_pending(const struct dram *d);         /* requests pushed and not yet given back by dram_done */
uint32_t dram_queued(const struct dram *d);          /* of these, requests that still wait for commands */
bool dram_row_waits(const struct dram *d, uint32_t bank, uint32_t row);      /* does a write to the row wait? */
/* For planning and tests: first cycle >= now at which the command may go to this bank; NEVER in the bank's state. */
uint64_t dram_ready_at(const struct dram *d, enum dram_command c, uint32_t bank, uint64_t now);
void dram_issue(struct dram *d, enum dram_command c, uint32_t bank, uint32_t row, uint64_t now);   /* when ready */
/* Is told every command when it is sent. */
typedef void dram_observer(void *ctx, uint64_t cycle, enum dram_command c, uint32_t bank, uint32_t row);
void dram_observe(struct dram *d, dram_observer *sent, void *ctx);
void dram_dump(const struct dram *d, void (*line)(void *ctx, const char *text), void *ctx);   /* for hang reports */

#endif
