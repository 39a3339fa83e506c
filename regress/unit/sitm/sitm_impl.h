/* The model's state and events, which its files share. */
#ifndef SITM_IMPL_H
#define SITM_IMPL_H

#include "regress/unit/sitm/sitm_model.h"
#include "tm/sitm/rules/attempt.h"
#include "tm/sitm/rules/dependency_graph.h"
#include "tm/sitm/rules/manager.h"
#include "tm/sitm/rules/slice_rules.h"

enum { MODEL_NODES = 4 * SITM_MOST_TXNS };

/* What happens where. */
enum event_kind {
    SM_MESSAGE, SM_REPLY, SM_ISSUE, SM_BEGIN, MANAGER_MESSAGE, SLICE_ACCESS, SLICE_PERFORM, SLICE_PASS, SLICE_WRITE,
    SLICE_CONTROL, SLICE_REMOVE, SLICE_ROW, L2_EVICT
};

struct event {
    uint64_t time, sequence;
    uint8_t kind;
    bool write;                      /* SLICE_ACCESS, SLICE_PERFORM, SM_REPLY: of TX_WRITE */
    uint32_t warp, slice, slot, row;
    struct sitm_message m;
    struct sitm_access access;
    struct sitm_reply reply;
    uint32_t value[SITM_MOST_LANES];
    struct sitm_edge edge[8], *edges;   /* edges: of m.edge, allocated if there are more than 8 */
};

/* A lane's attempt. */
struct lane {
    uint32_t position, seed;         /* accesses done; what it has read, hashed */
    bool waits;                      /* for DATA */
    bool done;                       /* with all its transactions */
    uint32_t number;                 /* of its transaction */
    uint32_t node, entered;          /* in the graph of dependencies; exact decision: how many had been entered */
    struct sitm_txn txn;
};

enum warp_state { WARP_IDLE, WARP_BEGINS, WARP_RUNS, WARP_COMMITS };

struct warp {
    struct sitm_attempt attempt;
    struct lane lane[SITM_MOST_LANES];
    uint8_t state;
    bool issuing;                    /* an SM_ISSUE is scheduled */
    uint32_t want;                   /* lanes of the transaction that have not committed */
    uint32_t committing, passes;     /* lanes; CU_DONE outstanding */
};

/* A word of a version slot in L2. */
struct line { bool valid, dirty; uint32_t value; };

struct slice {
    struct sitm_slice rules;
    bool removing;                   /* a SLICE_REMOVE is scheduled */
    uint32_t rows;                   /* of a copy: not yet copied */
};

struct model {
    const struct sitm_setup *setup;
    struct sitm_result *result;
    struct sitm_manager manager;
    struct slice slice[SITM_MOST_SLICES];
    struct warp warp[SITM_MOST_WARPS];
    struct sitm_history history;
    struct sitm_graph graph;         /* exact decision: of committed attempts; shadow: of all */
    uint32_t epoch;                  /* of the graph's version numbers */
    uint32_t entered, left;          /* exact decision: transactions that have entered the graph, and left it */
    uint32_t entry_of[MODEL_NODES], place[MODEL_NODES];      /* by node: its entry; by entry: when it left */
    struct line l2[SITM_MOST_SLOTS][SITM_MOST_WORDS];
    uint32_t memory[SITM_MOST_SLOTS][SITM_MOST_WORDS];
    uint64_t now, sequence, random;
    uint64_t down[SITM_MOST_SLICES], up[SITM_MOST_SLICES], ask[SITM_MOST_WARPS];   /* last arrivals of FIFO links */
    struct event **heap;
    uint32_t n, cap, live;           /* live: without the evictions */
};

/* ---- sitm_events.c ---- */
void model_fail(struct model *m, const char *what, uint32_t number);
uint32_t model_draw(struct model *m, uint32_t n);
uint32_t model_delay(struct model *m, uint32_t slice);
struct event *model_event(struct model *m, enum event_kind kind, uint64_t time);
void model_push(struct model *m, struct event *e);
uint64_t model_in_order(struct model *m, uint64_t *last, uint32_t slice);
struct event *model_pop(struct model *m);
void model_free_event(struct event *e);
uint32_t model_slice(const struct model *m, uint32_t word);
void model_from_warp(struct model *m, const struct sitm_message *message);
void model_from_slice(struct model *m, uint32_t slice, const struct sitm_message *message);
void model_manager_message(struct model *m, const struct sitm_message *message);

/* ---- sitm_slices.c ---- */
uint32_t model_load(struct model *m, uint32_t slot, uint32_t word);
void model_evict(struct model *m);
void model_slice_access(struct model *m, const struct event *e);
void model_slice_perform(struct model *m, const struct event *e);
void model_slice_pass(struct model *m, const struct event *e);
void model_slice_row(struct model *m, const struct event *e);
void model_slice_control(struct model *m, const struct event *e);
void model_slice_remove(struct model *m, const struct event *e);
void model_slice_write(struct model *m, const struct event *e);

/* ---- sitm_warps.c ---- */
void model_start_warp(struct model *m, uint32_t warp);
void model_begin(struct model *m, uint32_t warp);
void model_issue(struct model *m, uint32_t warp);
void model_sm_reply(struct model *m, const struct event *e);
void model_sm_message(struct model *m, uint32_t warp, const struct sitm_message *message);

/* ---- sitm_dependencies.c ---- */
void model_graph_start(struct model *m);
void model_graph_end(struct model *m);
/* Exact decision: a sitm_decision, and the place of a transaction in the serial order, when all have left. */
bool model_graph_decide(void *ctx, uint32_t id, uint32_t version);
void model_graph_places(struct model *m);
/* Shadow: what attempts do. */
void model_graph_begin(struct model *m, uint32_t warp);
void model_graph_access(struct model *m, const struct event *e, uint32_t lanes);
void model_graph_abort(struct model *m, uint32_t warp, uint32_t lanes);
void model_graph_commit(struct model *m, uint32_t warp, const struct sitm_message *ok);

#endif
