/*
 * A warp attempt in the SM: what is outstanding, which lanes must stop, what may be sent (R9, R15). Accesses and edges
 * have counters of their own, since an EDGE_ACK can arrive before the DATA or WRITE_ACK that announces its edges: the
 * counter of edges may be negative.
 *
 * Course: send BEGIN; SNAPSHOT -> sitm_attempt_begin. For each packet of loads or first writes: sitm_attempt_send for
 * its lanes; for each reply: sitm_attempt_reply; for each EDGE_ACK: sitm_attempt_edges. A lane stops issuing when it
 * is in `doomed`. After each of these calls the SM calls sitm_attempt_aborted until it returns false, and sends
 * ABORTED each time. When all lanes are at the commit point or doomed: sitm_attempt_may_commit (asked again after
 * each reply) and COMMIT_REQ with sitm_attempt_commit. A warp attempt whose lanes have all aborted sends none, and is
 * over. Then COMMIT_OK; with writers: PASS and CU_DONE, WRITTEN, COMMITTED. Then, if lanes have aborted, BEGIN for
 * them with the old group.
 *
 * Exclusive attempts and precedence (R17): sitm_attempt_next gives the lanes of the next BEGIN. Loads of an exclusive
 * attempt carry access.exclusive, its stores send no TX_WRITE. Two counts decide. The failures of a lane bound its
 * aborts, whatever other warps do. The repetitions of a warp detect a livelock: conflicts with other warps end when
 * these commit; if none has committed since the last attempt, the next attempt would end as the last one did. Commits
 * of the own warp do not count: its lanes run in lockstep, so the lanes that are left would have the same conflicts
 * again.
 *
 * If no lane of an attempt committed, and the lowest lane that has aborted did so because of a second writer or a loop,
 * BEGIN also names this lane, which is to begin first. The SM does not know whether
 * other warps ran; the manager does, and if none did it lets this lane begin without the others of its warp.
 */
#ifndef TM_SITM_ATTEMPT_H
#define TM_SITM_ATTEMPT_H

#include "tm/sitm/rules/messages.h"

struct sitm_attempt {
    uint32_t warp, group, snapshot, slot, epoch;
    uint32_t lanes;                  /* that began */
    uint32_t refused[SITM_REASONS];  /* lanes that must abort; of a lane with two reasons the first counts */
    uint32_t doomed;                 /* all of them */
    uint32_t aborted;                /* of those: ABORTED has been sent */
    uint32_t committed;              /* named by COMMIT_OK */
    uint32_t outstanding;            /* lanes with a counter that is not 0 */
    bool exclusive;
    uint8_t commits;                 /* of the whole GPU when it began, modulo 256 */
    uint32_t repetitions;            /* attempts before this one since another warp has committed */
    uint16_t accesses[SITM_LANES];   /* without a reply */
    int32_t edges[SITM_LANES];       /* announced and not acknowledged */
    uint16_t failures[SITM_LANES];   /* aborts in a row; kept from attempt to attempt */
};

/* SNAPSHOT has arrived. */
void sitm_attempt_begin(struct sitm_attempt *a, const struct sitm_message *snapshot);
void sitm_attempt_send(struct sitm_attempt *a, uint32_t lanes);
void sitm_attempt_reply(struct sitm_attempt *a, const struct sitm_reply *r);
void sitm_attempt_edges(struct sitm_attempt *a, const struct sitm_message *edge_ack);
/* These lanes must abort, for a reason outside the rules: the two functions above enter those of the rules. */
void sitm_attempt_doom(struct sitm_attempt *a, uint32_t lanes, enum sitm_reason reason);
/* The next ABORTED: doomed lanes that have the same reason and nothing outstanding. False: none is to be sent. */
bool sitm_attempt_aborted(struct sitm_attempt *a, struct sitm_message *m);
/* R9. at_commit: lanes at the commit point. */
bool sitm_attempt_may_commit(const struct sitm_attempt *a, uint32_t at_commit);
/* COMMIT_REQ; writers: lanes whose write log is not empty. */
void sitm_attempt_commit(const struct sitm_attempt *a, uint32_t writers, struct sitm_message *m);
/* COMMIT_OK has arrived: these lanes start from 0 failures. */
void sitm_attempt_committed(struct sitm_attempt *a, uint32_t lanes);
/* COMMIT_OK of an exact decision does not name these lanes of the COMMIT_REQ: they have failed once more. */
void sitm_attempt_refused(struct sitm_attempt *a, uint32_t lanes);
/* BEGIN for the lanes that wait to run. A lane that has failed exclusive_after times begins alone and exclusively.
 * BEGIN names the lane that needs precedence, the lane that is to begin first if its warp ran alone, and the group of
 * the last warp attempt unless all lanes of that committed. */
void sitm_attempt_next(const struct sitm_attempt *a, uint32_t lanes, const struct sitm_rules *r,
                       struct sitm_message *m);

#endif
