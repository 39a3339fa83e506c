/*
 * The rules of snapshot isolation (tm/sitm/rules) in a machine of warps, slices and a manager with random delays of
 * messages, an L2 that writes back at random, and copies row by row. Addresses and values of a transaction depend on
 * what it has read. A run ends when all threads have ended, or with an error.
 */
#ifndef SITM_MODEL_H
#define SITM_MODEL_H

#include "regress/unit/sitm/sitm_history.h"
#include "tm/sitm/rules/rules.h"

enum { SITM_MOST_WARPS = 10, SITM_MOST_LANES = 4, SITM_MOST_SLICES = 4 };

/* Sizes of random runs: small tables and few threads, few threads with large tables, more threads. */
enum sitm_size { SITM_TINY, SITM_ROOMY, SITM_CROWD, SITM_SIZES };

struct sitm_setup {
    struct sitm_rules rules;
    uint32_t warps, lanes;           /* lanes of a warp */
    uint32_t transactions;           /* of a thread */
    uint32_t accesses;               /* of a transaction, at most */
    uint32_t words, delay;           /* delay of a message, at most */
    uint32_t slow;                   /* messages of slice 0 take that many times longer */
    uint64_t seed;
    enum sitm_check check;
    bool exact;                      /* the exact decision in place of tables and edges (sitm-oracle) */
    bool unpruned;                   /* attempts stay in the graph of dependencies */
    bool shadow;                     /* a graph of all attempts counts loops */
};

struct sitm_result {
    char error[SITM_ERROR];          /* empty: all is well */
    uint64_t commits, aborts[4], resets, exclusive, edges, events, loops;
};

struct sitm_setup sitm_setup_random(uint64_t seed, enum sitm_size size);
void sitm_model_run(const struct sitm_setup *setup, struct sitm_result *result);

#endif
