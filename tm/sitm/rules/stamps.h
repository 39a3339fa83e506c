/*
 * The Logical Timestamp Table: for each transaction ID the interval [CTS, PDTS] in which the attempt may be placed, and
 * PrevTS, its place once it is committed (section 4 of the paper). An edge is one atomic step on two entries.
 */
#ifndef TM_SITM_STAMPS_H
#define TM_SITM_STAMPS_H

#include "tm/sitm/rules/rules.h"

enum sitm_stamp_state { SITM_STAMP_FREE, SITM_STAMP_RUN, SITM_STAMP_COMMITTED };

struct sitm_stamp { uint32_t cts, pdts, prevts; uint8_t state; };

struct sitm_stamps {
    uint32_t infinite;               /* the greatest number of the stamps' bits */
    uint32_t delta, postdating;
    struct sitm_stamp of[SITM_MOST_IDS];
};

/* OK: no action. LOOP: the edge closes a loop. OVERFLOW: a stamp left its range. In both cases the accessor aborts. */
enum sitm_edge_result { SITM_EDGE_OK, SITM_EDGE_LOOP, SITM_EDGE_OVERFLOW };

void sitm_stamps_init(struct sitm_stamps *t, const struct sitm_rules *r);
/* The attempt runs, from CTS = cts on. */
void sitm_stamps_begin(struct sitm_stamps *t, uint32_t id, uint32_t cts);
/* Returns PrevTS = top of the interval, or its bottom (sitm_prevts). */
uint32_t sitm_stamps_commit(struct sitm_stamps *t, uint32_t id, bool top);
/* The attempt is committed at this place. */
void sitm_stamps_commit_at(struct sitm_stamps *t, uint32_t id, uint32_t prevts);
/* The attempt is over, or no longer needed. */
void sitm_stamps_free(struct sitm_stamps *t, uint32_t id);
/* R8. */
enum sitm_edge_result sitm_stamps_edge(struct sitm_stamps *t, uint32_t before, uint32_t after);

#endif
