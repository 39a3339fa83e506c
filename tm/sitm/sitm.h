/*
 * Snapshot isolation on GPUs (Chen, Peng and Irving: "Accelerating GPU Hardware Transactional Memory with Snapshot
 * Isolation", ISCA 2017) as a timing protocol. The rules (rules/) make all decisions and have no timing. This folder
 * adds their timing: packets, links, look-ups of tables, write-back of words.
 *
 *   attempts.c  at the SM: BEGIN, commit, aborts         unit.c      beside each slice: messages, snapshot reads
 *   accesses.c  at the SM: loads, stores                 writeback.c beside each slice: write sets
 *   protocol.c  table of functions, checks, life         manager.c   beside slice 0
 *   describe.c  reports of hangs                         link.c      control links between manager and slices
 *   exact.c     the exact decision (sitm.decision)       instant.c   the manager without time (sitm.instant)
 *   loops.c     possible loops, counted (sitm.count_loops)
 *
 * Write logs, their transfer and reads of own writes are those of KILO TM (tm/kilo), without a read log.
 */
#ifndef TM_SITM_SITM_H
#define TM_SITM_SITM_H

#include "base/fifo.h"
#include "tm/kilo/log_unit.h"
#include "tm/oracle/oracle.h"
#include "tm/sitm/rules/attempt.h"
#include "tm/sitm/rules/manager.h"
#include "tm/sitm/rules/slice_rules.h"

struct sitm_cfg {
#define CONFIG_ROWS "tm/sitm/config.def"
#include "base/config/config_fields.h"
};
void sitm_configure(struct sitm_cfg *c, const struct simtx_config *config);

enum {
    SITM_WORDS_MOST = 8,             /* of a lane in one instruction: 32 bytes */
    SITM_WIRE = MSG_ENGINE + 64,     /* kind of a packet: SITM_WIRE + enum sitm_kind; below are KILO TM's */
    SITM_NO_WORD = 255
};

/* Content of TX_READ and TX_WRITE, which become DATA and WRITE_ACK: at packet->payload. The line: packet->line. */
struct sitm_lines {
    uint32_t group, snapshot, lanes;
    bool exclusive;
    uint8_t words;                   /* of a lane, at most */
    uint8_t word[SITM_WORDS_MOST][SITM_LANES];       /* by number and lane: word of the line, or SITM_NO_WORD */
    struct tm_load *load;            /* of TX_READ */
    struct sitm_reply reply;
};

/* Content of a packet; of those that KILO TM's log unit sends: struct kilo_payload. */
union sitm_payload { struct sitm_lines lines; struct sitm_message message; struct kilo_payload log; };

/* A message on a control link. */
struct sitm_mail {
    uint64_t at;                     /* core cycle of its arrival */
    uint32_t source;                 /* slice; of the manager: all slices */
    bool end;                        /* the COPY at the end of a kernel (protocol.c); the rules do not receive it */
    struct sitm_message m;
    struct sitm_edge *edge;          /* copy of m.edge; the receiver frees it */
};

struct sitm_unit;
struct sitm_core;
struct sitm_exact;
struct sitm_loops;
struct sitm_event;

/* Events of an SM or a slice since the last serial step (loops.c). */
struct sitm_events { struct sitm_event *event; uint32_t n, cap; };

struct sitm_gpu {
    const struct simtx_config *config;
    struct sitm_cfg cfg;
    struct sitm_rules rules;
    struct kilo_gpu *kilo;
    struct tm_gpu *tm;
    struct sitm_unit **unit;         /* by slice */
    uint32_t slices, slots, link;    /* warp slots of an SM; core cycles of a control link */
    struct sitm_core **core;         /* by SM */
    struct sitm_manager *manager;
    struct sitm_exact *exact;        /* NULL: the rules decide */
    struct sitm_loops *loops;        /* NULL: they are not counted */
    uint64_t possible_loops;         /* of the last kernel */
    uint64_t *floor;                 /* by warp number: least place of its running attempt for the oracle; UINT64_MAX =
                                      * none. Set by the manager, reset at the SM */
    uint32_t warps, steps;
    bool ending;                     /* the newest version is being copied to slot 0 */
    uint64_t end_from, end_cycles;   /* of the last kernel */
};

/* ---- at an SM ---- */

enum sitm_state {
    SITM_STATE_NONE, SITM_STATE_WAIT,        /* lanes wait to begin: their last attempt has replies outstanding, or
                                              * the protocol for shared memory stalls them */
    SITM_STATE_BEGIN,                        /* BEGIN has been sent */
    SITM_STATE_RUN, SITM_STATE_COMMIT,       /* all lanes are at tx_commit; replies are outstanding */
    SITM_STATE_REQUEST,                      /* COMMIT_REQ has been sent */
    SITM_STATE_WRITE,                        /* PASS */
    SITM_STATE_PUBLISH                       /* WRITTEN */
};

struct sitm_warp {
    struct sitm_attempt a;
    enum sitm_state state;
    uint32_t lanes;                  /* of the core's attempt */
    uint32_t number;                 /* tm_attempt */
    uint32_t at_commit, writers;
    uint32_t done;                   /* slices whose CU_DONE is outstanding */
    uint64_t wrote;                  /* slices with words of the write sets */
    bool cancelled;                  /* the attempt for which BEGIN was sent has aborted */
    bool starving;                   /* BEGIN named a lane that needs precedence */
    bool filled, decided;            /* the write sets have been sent; COMMIT_OK has arrived */
    struct sitm_message ok;          /* COMMIT_OK */
    uint32_t reported;               /* doomed lanes for which tm_abort has been called */
};

struct sitm_core {
    struct kilo_core *kilo;
    struct tm_core *tm;
    struct sitm_gpu *gpu;
    struct sitm_warp *warp;
    uint32_t replies;                /* TX_READ and TX_WRITE in flight */
    struct tm_load **empty_load;     /* loads whose lanes all abort: they complete without data */
    uint32_t empty_loads, empty_cap;
    struct fifo requests;            /* struct sitm_message: to the manager (instant.c) */
    struct sitm_events loops;        /* accesses that may form loops, and the attempts that make them */
};

static inline struct sitm_core *sitm_core(const struct kilo_core *k)
{
    return k->own;
}

static inline uint32_t sitm_warp_number(const struct sitm_core *x, uint32_t slot)
{
    return tm_sm(x->tm) * x->gpu->slots + slot;
}

/* ---- attempts.c ---- */
void sitm_attempt_wanted(void *core, uint32_t slot, uint64_t lanes, uint64_t now);
void sitm_may_run(void *core, uint32_t slot, uint64_t now);
uint64_t sitm_snapshot(const void *core, uint32_t slot);
void sitm_commit(void *core, uint32_t slot, uint64_t lanes, uint64_t now);
void sitm_lanes_aborted(void *core, uint32_t slot, uint64_t lanes, uint64_t now);
/* The write sets of the warp have been sent. */
void sitm_filled(struct kilo_core *k, uint32_t slot, uint64_t now);
void sitm_receive(void *core, struct packet *p, uint64_t now);
/* The counters of the attempt have changed: sends ABORTED and COMMIT_REQ, aborts doomed lanes. */
void sitm_progress(struct sitm_core *x, uint32_t slot, uint64_t now);
/* A message of the manager has arrived. */
void sitm_message_arrived(struct sitm_core *x, const struct sitm_message *m, uint64_t now);
/* A packet with the payload; queued. bytes: without the header. */
struct packet *sitm_packet(struct sitm_core *x, enum sitm_kind kind, uint32_t slice, uint32_t bytes);

/* ---- accesses.c ---- */
bool sitm_may_issue(void *core, uint32_t slot, bool commit);
void sitm_load(void *core, struct tm_load *l, uint64_t now);
void sitm_store(void *core, uint32_t slot, const struct mem_op *op, uint64_t lanes, uint64_t now);
void sitm_finish_empty_loads(struct sitm_core *x, uint64_t now);
/* DATA, WRITE_ACK. */
void sitm_reply(struct sitm_core *x, struct packet *p, uint64_t now);

/* ---- at a slice ---- */

/* A word of a write set. */
struct sitm_entry { uint32_t warp, lane; struct kilo_entry e; };

/* A word to be written back to a slot. */
struct sitm_word { uint64_t address; uint32_t value, pass; uint8_t bytes, slot; };

/* A PASS, at its number, until all its words have performed; request NULL: the number is free. left: words that are not
 * in an access yet, and accesses in flight. */
struct sitm_pass { struct packet *request; uint32_t left; };

struct sitm_unit {
    struct engine_home home;
    struct sitm_gpu *gpu;
    struct oracle_events *events;
    struct sitm_slice rules;
    uint64_t free_at;                /* L2 cycle from which the tables accept an access */
    struct packet **read;            /* TX_READs whose data is being read, by token */
    uint32_t reads, reads_cap, reads_left;
    struct packet_queue out;         /* replies that wait for room */
    struct fifo in;                  /* struct sitm_mail: from the manager */
    struct fifo mail;                /* to the manager, until the serial step */
    struct sitm_message copy;        /* the COPY that is being performed */
    bool copying, copy_ends, ended;  /* copy_ends: it is the copy at the end of a kernel; ended: that is done */
    uint64_t removed_at;             /* L2 cycle of the last removal */
    /* write-back */
    struct sitm_entry *entry;        /* write sets that wait for PASS */
    uint32_t entries, entries_cap;
    struct fifo words;               /* struct sitm_word: of the PASSes so far, in order */
    struct sitm_pass *pass;
    uint32_t passes, passes_cap;
    uint32_t writing;                /* accesses in flight */
    uint64_t write_at;               /* L2 cycle of the next access */
    struct sitm_slice_counts counted;
    struct sitm_manager_unit *manager;       /* of slice 0 */
    struct sitm_events loops;        /* accesses that may form loops */
    char error[200];                 /* an invariant that was violated; empty: none */
};

extern const struct engine_kind sitm_engine;

void sitm_send(struct sitm_unit *u, struct packet *k, uint64_t now);     /* to an SM, at once or when there is room */
/* Between kernels: slot 0 has the newest version. */
void sitm_unit_end_kernel(struct sitm_unit *u);

/* ---- writeback.c ---- */
void sitm_write_set(struct sitm_unit *u, const struct kilo_payload *p);
void sitm_take_pass(struct sitm_unit *u, struct packet *k, uint64_t now);
uint64_t sitm_write_back(struct sitm_unit *u, uint64_t now);             /* a cycle; returns the next one, or NEVER */
void sitm_written(struct sitm_unit *u, struct packet *k, uint64_t now);
void sitm_writeback_end(struct sitm_unit *u);

/* ---- manager.c ---- */
struct sitm_manager_unit *sitm_manager_unit_new(struct sitm_unit *u);
void sitm_manager_unit_free(struct sitm_manager_unit *x);
void sitm_manager_take(struct sitm_manager_unit *x, struct packet *k, uint64_t now);
uint64_t sitm_manager_run(struct sitm_manager_unit *x, uint64_t now);    /* L2 cycles */
/* Enters into a message of the manager what the oracle and the exact decision need. Called before it leaves. */
void sitm_manager_label(struct sitm_manager_unit *x, struct sitm_message *m);
bool sitm_manager_idle(const struct sitm_manager_unit *x);
void sitm_manager_settle(struct sitm_manager_unit *x);
void sitm_manager_restart(struct sitm_manager_unit *x);                  /* the next kernel */

/* ---- exact.c ---- */
struct sitm_exact *sitm_exact_new(struct sitm_gpu *g);
void sitm_exact_free(struct sitm_exact *e);
void sitm_exact_start(struct sitm_exact *e);                      /* a kernel: the manager has been initialised */
/* COMMIT_OK: enters tickets, as stamps, and the lanes that have been overwritten. */
void sitm_exact_label(const struct sitm_exact *e, struct sitm_message *ok);
/* Serial: reports the serial order as far as it is known. all: the kernel has ended. */
void sitm_exact_report(struct sitm_exact *e, bool all);

/* ---- instant.c ---- */
void sitm_instant_send(struct sitm_core *x, const struct sitm_message *m);          /* to the manager */
void sitm_instant_step(struct sitm_gpu *g, void *const *cores, uint32_t n, uint64_t now);

/* ---- loops.c ---- */
struct sitm_loops *sitm_loops_new(struct sitm_gpu *g);
void sitm_loops_free(struct sitm_loops *l);
/* At an SM: attempts of these lanes begin, commit, abort; without a count of loops they do nothing. */
void sitm_loops_begin(struct sitm_core *x, uint32_t slot, const struct sitm_message *snapshot);
void sitm_loops_commit(struct sitm_core *x, uint32_t slot, uint32_t lanes, uint32_t version);
void sitm_loops_abort(struct sitm_core *x, uint32_t slot, uint32_t lanes);
/* A store that no slice registers, if loops are counted. */
void sitm_loops_store(struct sitm_core *x, uint32_t slot, uint32_t lane, uint64_t address);
/* At a slice, in core cycle `at`: words of these lanes of a warp, which the tables have accepted. */
void sitm_loops_register(struct sitm_unit *u, uint32_t warp, const struct sitm_access *a, uint32_t lanes, bool write,
                         uint64_t at);
void sitm_loops_step(struct sitm_loops *l, void *const *cores, uint32_t n);
uint64_t sitm_loops_end_kernel(struct sitm_loops *l);                               /* the kernel's loops */

/* ---- link.c ---- */
/* Serial: delivers the mail of the last window. */
void sitm_links_step(struct sitm_gpu *g);
void sitm_mail_add(struct fifo *f, const struct sitm_message *m, uint64_t at, uint32_t source, bool end);
void sitm_wake(struct sitm_gpu *g, uint32_t slice, uint64_t at);         /* in the serial step; core cycle */
void sitm_mail_end(struct fifo *f);                                      /* frees it and its edges */
struct fifo *sitm_manager_in(struct sitm_manager_unit *x);
/* Mail to the slices: by slice. */
struct fifo *sitm_manager_mail(struct sitm_manager_unit *x, uint32_t slice);

/* ---- describe.c ---- */
void sitm_describe(const void *core, uint32_t slot, char *text, size_t size);
void sitm_dump(const void *core, void (*line)(void *ctx, const char *text), void *ctx);
void sitm_unit_dump(const void *engine, void (*line)(void *ctx, const char *text), void *ctx);

#endif
