/*
 * One DRAM channel: banks in groups, rows, and a controller that turns requests into commands. A command is a row of
 * a table (ACT, PRE, RD, WR, REF; a row copy later) and a constraint is a row too: after this command, at this level
 * (bank, bank group, channel), that command waits so many cycles. The scheduler picks the first request whose row is open (FR-FCFS) or
 * the oldest (FCFS). Cycles are of the memory clock.
 */
#ifndef MEMSYS_DRAM_H
#define MEMSYS_DRAM_H

#include "base/stats.h"
#include "memsys/addrmap.h"
#include "memsys/clock.h"
#include "memsys/packet.h"

struct simtx_config;

enum dram_command { DRAM_ACT, DRAM_PRE, DRAM_RD, DRAM_WR, DRAM_REF, DRAM_COMMANDS };
enum dram_level { DRAM_BANK, DRAM_GROUP, DRAM_CHANNEL, DRAM_LEVELS };

struct dram_cfg {
    uint32_t banks, groups;
    uint32_t queue;                  /* requests that wait for the scheduler */
    uint32_t burst_bytes;            /* bytes one RD or WR moves */
    uint32_t burst_cycles;           /* cycles of the data bus for that (tCCD is at least this) */
    bool frfcfs, refresh, close_page;
    /* memory cycles, 0 = no such constraint */
    uint32_t tCCD, tCCDL, tRRD, tRRDL, tRCD, tRCDW, tRAS, tRP, tRC, tCL, tWL, tCDLR, tWR, tRTP, tRTPL, tRTW, tFAW, tREFI, tRFC;
};

struct dram_request { struct dram_address at; uint32_t bytes; bool write; uint64_t token; };

struct dram;
void dram_configure(struct dram_cfg *c, const struct simtx_config *config);
/* count: the owner's counters, indexed by enum stat. */
struct dram *dram_new(const struct dram_cfg *c, uint64_t *count);
void dram_free(struct dram *d);
bool dram_full(const struct dram *d);
void dram_push(struct dram *d, uint64_t now, const struct dram_request *r);   /* not when full; several bursts are one request */
/* Executes cycle `now` (commands, completions). Returns the next cycle at which anything can happen, NEVER when idle. Cycles left
 * out are accounted (bus idle, queue depth) as if they had been walked. */
uint64_t dram_run(struct dram *d, uint64_t now);
bool dram_done(struct dram *d, uint64_t now, uint64_t *token, bool *write);   /* a request whose last data moved by now */
uint32_t dram_pending(const struct dram *d);
/* For tests and for planning: first cycle >= now at which the command may go to this bank. */
uint64_t dram_ready_at(const struct dram *d, enum dram_command c, uint32_t bank, uint64_t now);
void dram_issue(struct dram *d, enum dram_command c, uint32_t bank, uint32_t row, uint64_t now);
void dram_dump(const struct dram *d, void (*line)(void *ctx, const char *text), void *ctx);   /* for hang reports */

#endif
