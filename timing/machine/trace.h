/*
 * The timeline: launches, blocks, instructions and waits of every warp, transactions, the path of every memory
 * request, accesses of L2 slices and commands of DRAM banks, in the trace-event format of browsers' trace viewers
 * (Google, "Trace Event Format", 2016). There is one process for the launches, one per SM, in it two threads per warp
 * slot, for the warp and for its transactions; one for L2 with a thread per slice; one per DRAM channel with a thread
 * per bank. Requests are asynchronous events of their SM. A core cycle is shown as a microsecond. Each SM and each
 * memory partition writes into its own buffer while it runs. Between windows the buffers are written to the file in a
 * fixed order, so the file is the same for every number of host threads. A file that has reached trace.max_bytes lacks
 * later events and says so in otherData.
 */
#ifndef TIMING_TRACE_H
#define TIMING_TRACE_H

#include "base/config/config.h"
#include "memsys/clock.h"
#include "memsys/dram/dram.h"
#include "memsys/xbar/packet.h"
#include "ptx/exec/exec.h"

struct trace;
struct trace_sm;
struct trace_memory;

struct trace_cfg {
#define CONFIG_ROWS "timing/machine/trace.def"
#include "base/config/config_fields.h"
};
void trace_configure(struct trace_cfg *c, const struct simtx_config *config);

/* Opens the file; it is compressed if its name ends in .gz. NULL with a message in error when it cannot be written. */
struct trace *trace_open(const struct trace_cfg *c, char *error, size_t size);
/* Is the file as large as trace.max_bytes allows, and therefore lacks events? */
bool trace_is_full(const struct trace *t);
/* The buffer of an SM with so many warp slots; NULL = the SM is not in the timeline. It is freed with the trace. */
struct trace_sm *trace_sm_new(struct trace *t, uint16_t sm, uint32_t slots);
/* The buffer of a memory partition; NULL = it is not in the timeline. first_slice: the number of its first L2 slice. It
 * is freed with the trace; the clocks must exist as long. */
struct trace_memory *trace_memory_new(struct trace *t, uint32_t channel, uint32_t first_slice, uint32_t slices,
                                      const struct clocks *clocks, const struct dram_cfg *dram);
/* From now on, cycle 0 of recorded events is this cycle of the timeline. */
void trace_origin(struct trace *t, uint64_t cycle);
/* A launch ran in the cycles [from, to); row: different for concurrent launches. */
void trace_launch(struct trace *t, const char *kernel, uint64_t launch, uint32_t row, uint64_t from, uint64_t to);
void trace_drain(struct trace *t);                   /* writes the buffers to the file; no SM may be running */
/* False with a message in error when something could not be written. */
bool trace_close(struct trace *t, char *error, size_t size);

/* ---- events of an SM, while it runs; only the configured range of cycles is recorded ---- */
void trace_block(struct trace_sm *w, uint32_t slot, const char *kernel, uint64_t block, uint64_t from, uint64_t to);
void trace_state(struct trace_sm *w, uint32_t slot, const char *state, uint64_t from, uint64_t to);
void trace_issue(struct trace_sm *w, uint32_t slot, const struct dinst *d, uint64_t lanes, uint64_t at);
/* Transactions of a warp: an attempt of these lanes begins, which ends the attempt before; its lanes have reached
 * tx_commit; the outcome of a lane, with the words of its sets; the transaction has ended, or the run is aborted. */
void trace_tx_attempt(struct trace_sm *w, uint32_t slot, uint64_t lanes, uint64_t at);
void trace_tx_commit(struct trace_sm *w, uint32_t slot, uint64_t at);
void trace_tx_committed(struct trace_sm *w, uint32_t slot, uint32_t reads, uint32_t writes);
void trace_tx_aborted(struct trace_sm *w, uint32_t slot, unsigned lane, uint32_t reads, uint32_t writes,
                      const char *reason, uint64_t at);
void trace_tx_end(struct trace_sm *w, uint32_t slot, uint64_t at);
void trace_request(struct trace_sm *w, const struct packet *p);      /* p: the reply; all its time stamps are set */

/* ---- events of a memory partition, while it runs ---- */
/* A slice (its number in the partition) has served a request of this kind in this L2 cycle. */
void trace_access(struct trace_memory *w, uint32_t slice, uint64_t now, unsigned kind, const struct packet *p);
void trace_command(struct trace_memory *w, uint64_t now, enum dram_command c, uint32_t bank, uint32_t row);
/* Open rows are shown up to this core cycle, and from there on again when they are closed. */
void trace_memory_pause(struct trace_memory *w, uint64_t core);

#endif
