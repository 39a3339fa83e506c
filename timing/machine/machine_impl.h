/*
 * The inside of the machine, for the files that make it up: machine_config.c configures it, machine.c builds it,
 * machine_run.c runs it, machine_count.c adds up and checks what was counted, machine_watch.c shows what goes on,
 * machine_hang.c finds out and reports that nothing moves.
 */
#ifndef TIMING_MACHINE_PARTS_H
#define TIMING_MACHINE_PARTS_H

#include "memsys/l2/partition.h"
#include "memsys/xbar/xbar.h"
#include "timing/machine/dispatch.h"
#include "timing/machine/machine.h"
#include "timing/machine/thread_pool.h"
#include "timing/machine/series.h"
#include "timing/machine/trace.h"
#include "tm/core/tm_core.h"

enum { XBAR_REQUEST, XBAR_REPLY, XBARS };

struct machine_cfg {
    uint32_t sms, channels, slices;      /* slices: of all channels */
    uint32_t window;                     /* core cycles that the latencies allow; messages of blocks take as long */
    uint32_t xbar_ports;                 /* to the SMs */
    struct clocks clocks;
    struct addrmap map;
    struct sim_cfg sim;
    struct tm_cfg tm;
    struct xbars_cfg xbars;
    struct sm_cfg sm;                    /* index: filled in for each */
    struct lsu_cfg lsu;
    struct xbar_cfg xbar[XBARS];
    struct partition_cfg partition;
    struct dispatch_cfg dispatch;
};

/* A component with its own next event. */
enum part_kind { PART_SM, PART_XBAR, PART_PARTITION };
struct part { uint64_t next; uint16_t kind, index; };     /* next: core cycle, as of the last look */

/* The parts that one host thread runs first, before it helps the others. */
struct share {
    struct part *part;
    uint8_t *doorbell;                   /* by part: 1 = something was sent to it since the last look */
    uint32_t n;
};

/* What one host thread saw in a window. */
struct seen_by {
    _Alignas(HOST_CACHE_LINE) uint64_t step;     /* of the crew */
    bool ran, news;                      /* anything had an event; an SM has ended blocks or a fault */
    uint64_t next;                       /* core cycle of the next event of those that had none */
};

/* What code was prepared for, one entry a program. */
struct code_home { const struct program *program; struct tprogram *code; };

struct machine {
    struct machine_cfg cfg;
    const struct simtx_config *config;
    struct devmem *mem;
    /* components, rebuilt after a run that was given up */
    struct port *ports;                  /* SMs to crossbar, crossbar to slices, slices to crossbar, crossbar to SMs */
    struct port *sm_out, *slice_in, *slice_out, *sm_in;
    struct sm **sm;
    struct xbar *xbar[XBARS];
    struct partition **partition;
    struct worker *worker;               /* by slice: who performs atomics */
    void **order;                        /* by partition: state of the order policy; NULL = it has none there */
    struct counters *counters;           /* crossbars, then partitions, then SMs */
    struct counters *partition_counters, *sm_counters;
    uint32_t ncounters;
    struct tm_gpu *tm;                   /* NULL = no transactional memory */
    const struct tm_protocol *protocol;  /* instead of what the configuration names; NULL = that */
    bool transactions;                   /* a grid of this run has some */
    struct dispatcher *dispatcher;
    /* code */
    struct code_home *home;
    uint32_t nhomes;
    uint64_t code_next;                  /* where the next program goes */
    /* the run */
    struct crew *crew;
    struct share *share;                 /* by member of the crew */
    struct seen_by *seen;
    uint32_t members;
    bool *news;                          /* by SM */
    struct grid *grids;
    uint32_t ngrids;
    uint64_t now, until;                 /* the window */
    uint64_t past;                       /* cycles of machines that were rebuilt */
    uint32_t width;                      /* of windows now */
    bool dead;                           /* no event is left */
    uint64_t fault_at;                   /* NEVER = none */
    const struct fault *fault;
    uint32_t fault_grid;
    char *report;
    /* what users look at */
    uint64_t windows;                    /* since the run began, for the pace of what is done now and then */
    double started, shown;               /* host time */
    void (*progress)(void *ctx, const struct machine_progress *p);
    void *progress_ctx;
    struct trace *trace;                 /* NULL = none */
    struct sm_watch **observer;          /* by SM */
    struct series *series;               /* NULL = none */
    uint64_t row_at;                     /* core cycle at which its next row ends; NEVER = none */
};

/* ---- machine_config.c ---- */
/* base: start of the device addresses. */
void machine_configure(struct machine_cfg *c, const struct simtx_config *config, const struct machine_plugins *plugins,
                       uint64_t base);

/* ---- machine.c ---- */
const struct tprogram *machine_code(struct machine *m, const struct program *p);
void machine_build(struct machine *m);
void machine_dismantle(struct machine *m);
/* Are all components idle: nothing queued, missing or on its way? */
bool machine_quiet(struct machine *m);

/* ---- machine_count.c ---- */
/* Clears what was counted. */
void count_clear(struct machine *m);
/* Brings the components' counters up to this core cycle. */
void count_settle(struct machine *m, uint64_t until);
/* A figure, summed over the components. */
uint64_t count_of(const struct machine *m, enum stat figure);
/* Sums what the components counted in the core cycles [from, until); the figures in count start at 0. */
void count_sum(struct machine *m, uint64_t from, uint64_t until, uint64_t *count);
void count_hists(const struct machine *m, struct hists *sum);
/* The conservation laws, with everything idle; count: of the run. False with the violations in m->report. */
bool count_check(struct machine *m, const uint64_t *count);
/* A line of m->report (printf style). */
void report_add(struct machine *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- machine_watch.c ---- */
void watch_attach(struct machine *m);    /* to SMs that were rebuilt */
void watch_begin(struct machine *m);
/* A window is over: progress, and the timeline to its file, now and then. */
void watch_window(struct machine *m);
/* Rows of the time series up to m->now; all components have been run to the row's end or have nothing to do before. */
void watch_rows(struct machine *m);
void watch_counted(struct machine *m);   /* the run's counters have been added up: what follows is counted apart */
/* count: of the whole run. given_up: warps are still there. */
void watch_end(struct machine *m, const uint64_t *count, bool given_up);

/* ---- machine_hang.c ---- */
struct hang_watch;
struct hang_watch *hang_watch_new(struct machine *m);
void hang_watch_free(struct hang_watch *w);
/* The next cycle at which hang_look wants to be called. */
uint64_t hang_watch_next(const struct hang_watch *w);
/* Is there no progress, nor any to be expected? */
bool hang_look(struct hang_watch *w);
/* Core cycles since the warp in a slot was seen to execute an instruction; 0 = it does. */
uint64_t hang_still(const struct hang_watch *w, uint32_t sm, uint32_t slot);
/* w: NULL when the blocks had ended. */
void hang_report(struct machine *m, const struct hang_watch *w);

/* ---- machine_wait_graph.c ---- */
/* Adds to the report who waits for whom, as far as that can be told. */
void hang_explain(struct machine *m, const struct hang_watch *w);

#endif
