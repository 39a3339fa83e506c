/*
 * Internals of the machine: machine_config.c configures it, machine.c builds it, machine_run.c runs it in windows,
 * machine_window.c runs its components in a window, machine_count.c sums and checks the counters, machine_watch.c
 * reports progress, timeline and time series, machine_hang.c detects and reports hangs, machine_wait_graph.c explains
 * them.
 */
#ifndef TIMING_MACHINE_IMPL_H
#define TIMING_MACHINE_IMPL_H

#include "memsys/l1/carveout.h"
#include "memsys/l2/partition.h"
#include "memsys/order/order_oracle.h"
#include "memsys/tlb/tlb_l2.h"
#include "memsys/versions/vmem.h"
#include "memsys/xbar/xbar.h"
#include "timing/machine/dispatch.h"
#include "timing/cluster/network.h"
#include "timing/machine/machine.h"
#include "timing/machine/series.h"
#include "timing/machine/thread_pool.h"
#include "timing/machine/trace.h"
#include "tm/core/tm_core.h"

enum { MACHINE_XBAR_REQUEST, MACHINE_XBAR_REPLY, MACHINE_XBARS };

struct machine_cfg {
    uint32_t sms, channels, slices;      /* slices: of all channels */
    uint32_t step;                       /* core cycles that all components can run without communication; also the
                                            latency of dispatcher messages */
    uint32_t longest;                    /* longest window, in core cycles */
    uint32_t xbar_ports;                 /* ports of the crossbars on the side of the SMs */
    struct clocks clocks;
    struct addrmap map;
    struct sim_cfg sim;
    struct tm_cfg tm;
    struct xbars_cfg xbars;
    struct sm_cfg sm;                    /* the index is set for each SM */
    struct lsu_cfg lsu;
    struct xbar_cfg xbar[MACHINE_XBARS];
    struct partition_cfg partition;
    struct vmem_cfg versions;
    struct dispatch_cfg dispatch;
    struct carveouts carveouts;
};

/* The kinds of components in the order of the path of a request and its reply; the last one sends to the first. */
enum machine_component_kind {
    MACHINE_SM, MACHINE_REQUEST_XBAR, MACHINE_PARTITION, MACHINE_REPLY_XBAR, MACHINE_KINDS
};
struct machine_component { uint16_t kind, index; };

/* The components that run in a phase of a round: those that one host thread runs first, before it takes components of
 * the other threads. */
struct machine_worklist {
    struct machine_component *component;
    uint64_t *next;                      /* by component: core cycle of its next event when it was last examined */
    uint8_t *doorbell;                   /* by component: 1 = it was sent a message or a credit */
    uint8_t *lacking;                       /* by component: 1 = it might lack credits */
    uint32_t n;
};

/* What one host thread found in a phase. */
struct machine_thread_result {
    _Alignas(HOST_CACHE_LINE) uint64_t step;     /* of the thread pool */
    bool ran, pending;                   /* a component had an event; an SM has ended blocks or a fault */
    bool lacking[MACHINE_KINDS];            /* a component of the kind might lack credits */
    uint64_t next[MACHINE_KINDS];        /* core cycle of the next event of the components of the kind */
};

/* How far the components of each kind are and may get, in core cycles. */
struct machine_horizon {
    uint64_t link[MACHINE_KINDS];        /* latency of the link to the next kind, and of credits on their way back */
    uint64_t reached[MACHINE_KINDS];     /* no component of the kind has an event before this cycle */
    uint64_t limit[MACHINE_KINDS];       /* all messages that arrive before this cycle have been sent */
    uint64_t credits[MACHINE_KINDS];     /* all credits that return before this cycle have been sent */
    uint64_t next[MACHINE_KINDS];        /* the next event when last visited */
    uint64_t unanswered;                 /* an SM runs so many cycles after its first message; NEVER = to the limit */
};

/* The timing code of a program. */
struct machine_code { const struct program *program; struct tprogram *timed; };

struct machine {
    struct machine_cfg cfg;
    const struct simtx_config *config;
    struct devmem *mem;
    /* components, rebuilt after an aborted run */
    struct port *ports;                  /* SMs to crossbar, crossbar to slices, slices to crossbar, crossbar to SMs */
    struct port *sm_out, *slice_in, *slice_out, *sm_in;
    struct sm **sm;
    struct xbar *xbar[MACHINE_XBARS];
    struct partition **partition;
    struct worker *worker;               /* by slice: performs its atomics */
    void **order;                        /* by partition: state of the order policy; NULL = none */
    struct counters *counters;           /* crossbars, then partitions, then SMs */
    struct counters *partition_counters, *sm_counters;
    uint32_t ncounters;
    struct order_oracle *oracle;         /* of memory ordering; NULL = none */
    struct tlb_l2 *tlb;                  /* that all SMs share; NULL = addresses are not translated */
    struct vmem *versions;           /* NULL = no versioned memory */
    struct tm_gpu *tm;                   /* NULL = no transactional memory */
    const struct tm_protocol *protocol;  /* replaces the configured protocol; NULL = the configured one */
    bool transactions;                   /* a grid of this run has transactions */
    struct dispatcher *dispatcher;
    struct cnet_barriers *barriers;   /* of clusters */
    bool clusters;                       /* a grid of this run has clusters */
    /* code */
    struct machine_code *code;
    uint32_t ncode;
    uint64_t code_next;                  /* instruction address of the next program */
    /* the run */
    struct thread_pool *pool;
    struct machine_worklist *worklist;   /* [phase][host thread] */
    uint32_t phases;
    struct machine_thread_result *result;
    uint32_t threads;
    bool *pending;                       /* by SM: it has ended blocks or a fault that have not been processed */
    struct grid *grids;
    uint32_t ngrids;
    uint64_t now;                        /* start of the window: all components are there */
    struct machine_horizon horizon;
    uint64_t dispatched;                 /* the dispatcher has run the cycles before this one */
    uint64_t past;                       /* cycles simulated before the components were rebuilt */
    uint32_t longest, width;             /* longest windows of this run; current length of windows */
    bool replies_only;                   /* an SM receives only replies to its own messages */
    uint32_t busy_sm;                    /* whose warps ran longest when last examined */
    bool dead;                           /* no component will ever have an event */
    uint64_t last;                       /* cycle after which the run is aborted (sim.max_cycles); NEVER = none */
    uint64_t fault_at;                   /* cycle of the first fault; NEVER = none */
    const struct fault *fault;
    uint32_t fault_grid, fault_sm;
    char *report;
    /* progress, timeline, time series */
    uint64_t windows;                    /* since the run began: some work is done every so many windows */
    double started, shown;               /* host time of the start of the run and of the last progress report */
    void (*progress)(void *ctx, const struct machine_progress *p);
    void *progress_ctx;
    struct trace *trace;                 /* NULL = none */
    struct trace_sm **sm_trace;          /* by SM */
    struct trace_memory **memory_trace;  /* by channel */
    struct series *series;               /* NULL = none */
    uint64_t row_at;                     /* core cycle at which the next row of the series ends; NEVER = none */
};

/* ---- machine_config.c ---- */
/* base: start of the device addresses. */
void machine_configure(struct machine_cfg *c, const struct simtx_config *config, const struct machine_plugins *plugins,
                       uint64_t base);

/* ---- machine.c ---- */
const struct tprogram *machine_code(struct machine *m, const struct program *p);
void machine_build(struct machine *m);
void machine_dismantle(struct machine *m);
/* The front end launches a kernel: with l2.parameters it has written the parameters through L2. */
void machine_write_parameters(struct machine *m, const struct launch *la);
/* Are all components idle: no queued or outstanding request, no message in flight? */
bool machine_idle(struct machine *m);

/* ---- machine_window.c ---- */
/* Distributes the components over the host threads of a run, whose pool it starts. */
void machine_start_pool(struct machine *m);
void machine_stop_pool(struct machine *m);
void machine_run_dispatcher(struct machine *m, uint64_t until);
/* Keeps the fault of this SM, if it is the one with the lowest (cycle, SM). */
void machine_keep_fault(struct machine *m, uint32_t sm);
/* Something other than a message has given the components events. */
void machine_ring_doorbells(struct machine *m);
/* The end of the next window: at most m->width long, not after `stop` nor after the end of the run. */
uint64_t machine_window_end(struct machine *m, uint64_t stop);
/* Runs all components up to cycle `until`. False when none had an event; *next is then the cycle of their next
 * event. */
bool machine_window_run(struct machine *m, uint64_t until, uint64_t *next);

/* ---- machine_run.c ---- */
bool machine_overdue(const struct machine *m);   /* has the run exceeded sim.max_cycles? */

/* ---- machine_words.c ---- */
/* With a coherence protocol: lets transactional memory access words in no time. */
void machine_give_words(struct machine *m);

/* ---- machine_count.c ---- */
/* Sets all counters to 0. */
void machine_count_clear(struct machine *m);
/* A counter, summed over the components. */
uint64_t machine_count_of(const struct machine *m, enum stat figure);
/* Sums the counters of the components for the core cycles [from, until); count must be 0 before. */
void machine_count_sum(struct machine *m, uint64_t from, uint64_t until, uint64_t *count);
void machine_count_hists(const struct machine *m, struct hists *sum);
/* Checks the conservation laws when all components are idle; count: of the run. False with violations in m->report. */
bool machine_count_check(struct machine *m, const uint64_t *count);
/* Appends a line to m->report (printf style). */
void machine_report_add(struct machine *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- machine_watch.c ---- */
void machine_watch_attach(struct machine *m);    /* connects the timeline to rebuilt SMs */
void machine_watch_begin(struct machine *m);
/* After each window: sometimes reports progress and writes the timeline to its file. */
void machine_watch_window(struct machine *m);
/* Writes the rows of the time series up to m->now. Every component has run to the end of the row, or has no event
 * before it. */
void machine_watch_rows(struct machine *m);
void machine_watch_counted(struct machine *m);   /* no more rows: later counts do not belong to the run */
/* count: of the whole run. aborted: the run was aborted, and warps are still resident. */
void machine_watch_end(struct machine *m, const uint64_t *count, bool aborted);

/* ---- machine_hang.c ---- */
struct hang_detector;
struct hang_detector *hang_detector_new(struct machine *m);
void hang_detector_free(struct hang_detector *w);
/* The cycle of the next call of hang_detector_check. */
uint64_t hang_detector_next(const struct hang_detector *w);
/* True when the run will never make progress. */
bool hang_detector_check(struct hang_detector *w);
/* Core cycles for which the warp in a slot has executed no instruction, as far as checked; 0 = it executes. */
uint64_t hang_detector_stalled(const struct hang_detector *w, uint32_t sm, uint32_t slot);
/* Writes the report on a hang. w: NULL when all blocks have ended. */
void hang_report(struct machine *m, const struct hang_detector *w);
/* Adds to the report where most warps of an interrupted run are. */
void interrupt_report(struct machine *m);

/* ---- machine_wait_graph.c ---- */
/* Adds to the report which warps wait for which, as far as this can be determined. */
void hang_explain(struct machine *m, const struct hang_detector *w);

#endif
