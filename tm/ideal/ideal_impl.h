/*
 * The inside of ideal TM: ideal.c (accesses, commits), ideal_detect.c (signatures and record ring).
 */
#ifndef TM_IDEAL_IMPL_H
#define TM_IDEAL_IMPL_H

#include "tm/ideal/ideal.h"
#include "tm/core/signature.h"

struct ideal_cfg {
#define CONFIG_ROWS "tm/ideal/config.def"
#include "base/config_fields.h"
};

/* Numbers of words in device memory. */
struct words { uint32_t *w, n, cap; };

/* What the signatures know of a lane's attempt. */
struct ideal_lane {
    struct words read, write;
    uint64_t checked;                /* number of the first record that its reads have not been checked against */
};

/* Asked of the serial step. */
struct ideal_request { uint64_t at; struct ideal_core *core; uint32_t slot; uint64_t lanes; bool validate; };

struct ideal_core {
    struct tm_core *c;
    struct ideal *shared;
    struct ideal_request *request;
    uint32_t requests, requests_cap, stores;     /* stores: under way */
    /* with signatures */
    struct ideal_lane *lane;         /* by slot x lanes of a warp */
    uint32_t lanes;                  /* of a warp */
    uint64_t *running;               /* by slot: lanes in attempts that are not decided */
    uint64_t *committing;            /* by slot: asked to commit, not decided */
    uint64_t *lost;                  /* by slot: found in conflict, will abort */
    struct signatures table;
    uint32_t *hit;                   /* [table.columns] */
};

struct ideal {
    struct tm_gpu *gpu;
    struct ideal_cfg cfg;
    uint64_t commits;
    struct ideal_request *queue;     /* of a step */
    uint32_t queue_cap;
    struct signature signature;
    struct record_ring ring;
};

void detect_new_core(struct ideal_core *k);
void detect_free_core(struct ideal_core *k);
/* An attempt of these lanes begins; it is over for them. */
void detect_attempt(struct ideal_core *k, uint32_t slot, uint64_t lanes);
void detect_forget(struct ideal_core *k, uint32_t slot, uint64_t lanes);
/* They are about to access these words: first number, how many. */
void detect_access(struct ideal_core *k, uint32_t slot, const struct mem_op *op, uint64_t lanes, bool write,
                   uint64_t now);
/* Serial: may the lane commit, as far as signatures say? */
bool detect_may_commit(struct ideal_core *k, uint32_t slot, unsigned lane);
/* Serial: the lane has committed, all other attempts are to know. */
void detect_committed(struct ideal_core *k, uint32_t slot, unsigned lane, void *const *cores, uint32_t n, uint64_t now);

#endif
