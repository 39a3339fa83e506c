/*
 * The timeline: launches, what every warp did and waited for, its transactions, blocks, and memory requests with their
 * stages, in the trace-event format that browsers' trace viewers load (Google, "Trace Event Format", 2016): one process
 * for the launches and one per SM, in it one thread per warp slot, requests as asynchronous events; a core cycle is
 * shown as a microsecond. Each SM writes into a buffer of its own while it runs; the buffers go to the file, in the
 * order of the SMs, when all SMs rest, so the file is the same for every number of host threads.
 */
#ifndef TIMING_TRACE_H
#define TIMING_TRACE_H

#include "base/config.h"
#include "memsys/xbar/packet.h"
#include "ptx/exec/exec.h"

struct trace;
struct sm_watch;

struct trace_cfg {
#define CONFIG_ROWS "timing/machine/trace.def"
#include "base/config_fields.h"
};
void trace_configure(struct trace_cfg *c, const struct simtx_config *config);

/* A name that ends in .gz: compressed. NULL with a message in error when the file cannot be written. */
struct trace *trace_open(const struct trace_cfg *c, char *error, size_t size);
/* The buffer of an SM with so many warp slots; NULL when the timeline leaves it out. Lives as long as the trace. */
struct sm_watch *trace_watch(struct trace *t, uint16_t sm, uint32_t slots);
/* Cycle 0 of the clock in which events are told from now on is this cycle of the timeline. */
void trace_origin(struct trace *t, uint64_t cycle);
/* A launch ran in the cycles [from, to); row: launches that ran side by side have different ones. */
void trace_launch(struct trace *t, const char *kernel, uint64_t launch, uint32_t row, uint64_t from, uint64_t to);
void trace_drain(struct trace *t);                   /* buffers to the file, while all SMs rest */
/* False with a message in error when something could not be written. */
bool trace_close(struct trace *t, char *error, size_t size);

/* ---- while an SM runs; what lies outside the range is cut off ---- */
void watch_block(struct sm_watch *w, uint32_t slot, const char *kernel, uint64_t block, uint64_t from, uint64_t to);
void watch_state(struct sm_watch *w, uint32_t slot, const char *state, uint64_t from, uint64_t to);
void watch_issue(struct sm_watch *w, uint32_t slot, const struct dinst *d, uint64_t lanes, uint64_t at);
/* Transactions of a warp: an attempt of these lanes begins, behind the last one's end; its lanes have come to their
 * commit; a lane's outcome, with the words of its sets; the transaction is over, or the run is given up. */
void watch_attempt(struct sm_watch *w, uint32_t slot, uint64_t lanes, uint64_t at);
void watch_commit(struct sm_watch *w, uint32_t slot, uint64_t at);
void watch_committed(struct sm_watch *w, uint32_t slot, uint32_t reads, uint32_t writes);
void watch_aborted(struct sm_watch *w, uint32_t slot, unsigned lane, uint32_t reads, uint32_t writes, const char *why,
                   uint64_t at);
void watch_transaction_over(struct sm_watch *w, uint32_t slot, uint64_t at);
void watch_request(struct sm_watch *w, const struct packet *p);      /* when its reply has come: all stamps are set */

#endif
