/*
 * The inside of ideal TM: ideal.c (accesses, commits), ideal_detect.c (signatures).
 */
#ifndef TM_IDEAL_IMPL_H
#define TM_IDEAL_IMPL_H

#include "tm/ideal/ideal.h"
#include "tm/core/signature.h"

struct ideal_cfg {
#define CONFIG_ROWS "tm/ideal/config.def"
#include "base/config/config_fields.h"
};

/* Indices of words in device memory. */
struct ideal_words { uint32_t *w, n, cap; };

/* The words of a lane's attempt that its signatures contain. */
struct ideal_lane {
    struct ideal_words read, write;
    uint64_t checked;                /* number of the first record that its reads have not been compared with */
};

/* A request to the serial step: commit, or validate, lanes. waited: a word has not been ready. */
struct ideal_request { uint64_t at; struct ideal_core *core; uint32_t slot; uint64_t lanes; bool validate, waited; };

struct ideal_core {
    struct tm_core *c;
    struct ideal *shared;
    struct ideal_request *request;
    uint32_t requests, requests_cap, stores;     /* stores: in flight */
    /* with signatures */
    struct ideal_lane *lane;         /* by slot x lanes of a warp */
    uint32_t lanes;                  /* of a warp */
    uint64_t *running;               /* by slot: lanes of attempts without outcome */
    uint64_t *committing;            /* by slot: of these, lanes that have requested to commit */
    uint64_t *lost;                  /* by slot: lanes with a conflict, which will abort */
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
    struct signature_ring ring;
};

void ideal_detect_new_core(struct ideal_core *k);
void ideal_detect_free_core(struct ideal_core *k);
/* An attempt of these lanes starts; ends. */
void ideal_detect_attempt(struct ideal_core *k, uint32_t slot, uint64_t lanes);
void ideal_detect_clear(struct ideal_core *k, uint32_t slot, uint64_t lanes);
/* Adds the words of an access that is being issued, and checks loads for conflicts (ring). */
void ideal_detect_access(struct ideal_core *k, uint32_t slot, const struct mem_op *op, uint64_t lanes, bool write,
                   uint64_t now);
/* Serial: may the lane commit according to the signatures? */
bool ideal_detect_may_commit(struct ideal_core *k, uint32_t slot, unsigned lane);
/* Serial: the lane has committed; checks the other attempts for conflicts with its writes. */
void ideal_detect_committed(struct ideal_core *k, uint32_t slot, unsigned lane, void *const *cores, uint32_t n,
                            uint64_t now);

#endif
