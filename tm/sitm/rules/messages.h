/*
 * The messages of snapshot isolation, and their bytes on the crossbar. "Model" marks fields that the hardware's message
 * does not carry; the receiver knows them from elsewhere, or statistics and the oracle use them.
 *
 *   kind        from, to           fields beside `kind`
 *   BEGIN       SM, manager        warp, group (of the attempt that is repeated; a new transaction: SITM_NO_GROUP),
 *                                  lanes, exclusive, starving, first
 *   SNAPSHOT    manager, SM        warp, group, lanes, exclusive, version (s), slot (of s), commits; model: epoch
 *   TX_READ     SM, slice          struct sitm_access; answer DATA: struct sitm_reply
 *   TX_WRITE    SM, slice          struct sitm_access; answer WRITE_ACK: struct sitm_reply
 *   EDGE        slice, manager     edge, edges: all those of one TX_READ or TX_WRITE; no edges: no message
 *   EDGE_ACK    manager, SM        warp, group, lanes (accessors), done[lane], loops, overflows (lanes that must abort)
 *   COMMIT_REQ  SM, manager        warp, group, lanes (all that have not aborted), writers (those of them that wrote)
 *   COMMIT_OK   manager, SM        warp, group, lanes (that commit), writers (of them), version (c), slot (of c);
 *                                  without writers, version is s; model: epoch, stamp[lane] (PrevTS)
 *   PASS        SM, slice          group, lanes, version, slot: to each slice that has words of these lanes
 *   FAIL        SM, slice          group, lanes: drop the words that WRITE_SET brought; no message to the tables
 *   CU_DONE     slice, SM          warp: the words of a PASS are performed in the version slot
 *   WRITTEN     SM, manager        group: all CU_DONE have arrived. Only if COMMIT_OK had writers
 *   COMMITTED   manager, SM        warp, group, lanes: their version is published, they go on. After WRITTEN
 *   ABORTED     SM, manager        group, lanes, reason
 *   YIELD       SM, manager        warp: it is stalled before its next attempt and gives up precedence
 *   COPY        manager, slices    version, from, slot: copy version slot `from` to `slot`, which becomes `version`
 *   PUBLISH     manager, slices    version: now the newest
 *   RELEASE     manager, slices    group, lanes: remove their entries
 *   RESET       manager, slices    slot (of the newest version, now number 0), from (of the open version, now number 1,
 *                                  or SITM_NO_SLOT)
 *   COPIED, PUBLISHED, RELEASED, RESET_DONE: slice, manager; with the fields of the message that they acknowledge
 *
 * Each lane of a SNAPSHOT is in one ABORTED, or in the COMMIT_REQ; ABORTED is sent before COMMIT_REQ. A lane of the
 * COMMIT_REQ that COMMIT_OK does not name aborts without a further message to the manager (exact decision only).
 * WRITE_SET and DONE_FILL are those of WarpTM; the rules do not see them.
 *
 * The link between the manager and a slice is FIFO in each direction. Messages between an SM and the manager, and
 * between an SM and a slice, may pass each other, except that those of one warp to the manager arrive in order.
 */
#ifndef TM_SITM_MESSAGES_H
#define TM_SITM_MESSAGES_H

#include "tm/sitm/rules/rules.h"

enum sitm_kind {
    SITM_BEGIN, SITM_SNAPSHOT, SITM_TX_READ, SITM_DATA, SITM_TX_WRITE, SITM_WRITE_ACK, SITM_EDGE, SITM_EDGE_ACK,
    SITM_COMMIT_REQ, SITM_COMMIT_OK, SITM_PASS, SITM_FAIL, SITM_CU_DONE, SITM_WRITTEN, SITM_COMMITTED, SITM_ABORTED,
    SITM_YIELD, SITM_COPY, SITM_PUBLISH, SITM_RELEASE, SITM_RESET, SITM_COPIED, SITM_PUBLISHED, SITM_RELEASED,
    SITM_RESET_DONE, SITM_KINDS
};

/* Why a lane aborts. SITM_STAMPS: its logical timestamps left their range (R8, step 7). */
enum sitm_reason { SITM_WRITE, SITM_TABLE, SITM_LOOP, SITM_STAMPS, SITM_REASONS };

#define SITM_NO_WARP UINT32_MAX
#define SITM_NO_GROUP UINT32_MAX
#define SITM_NO_SLOT UINT32_MAX
#define SITM_NO_VERSION UINT32_MAX
enum { SITM_HEADER_BYTES = 8 };

/* The manager sends it to every slice. */
static inline bool sitm_for_slices(enum sitm_kind k)
{
    return k == SITM_COPY || k == SITM_PUBLISH || k == SITM_RELEASE || k == SITM_RESET;
}

/* `before` precedes `after` (IDs); the accessor is the attempt whose access made the edge. */
struct sitm_edge { uint16_t before, after; bool after_accesses; };

struct sitm_message {
    uint8_t kind, reason;
    bool exclusive;
    uint8_t commits;                 /* SNAPSHOT: COMMIT_OKs so far that named lanes, modulo 256 */
    uint32_t warp;                   /* number that the SM chose; replies return it */
    uint32_t group, lanes;
    union {
        uint32_t writers, loops;
        uint32_t starving;           /* BEGIN: the lane, as a mask, that needs precedence; 0 = none */
    };
    uint32_t version, slot, from;
    union {
        uint32_t overflows;          /* EDGE_ACK: accessors whose logical timestamps left their range */
        uint32_t overwritten;        /* COMMIT_OK of an exact decision: lanes that it refuses because of a write */
        uint32_t first;              /* BEGIN: the lane, as a mask, that begins without the others if no other warp has
                                      * run since the last SNAPSHOT; 0 = none. SNAPSHOT has the lanes that begin */
    };
    uint32_t epoch;                  /* model: resets so far; orders transactions before the stamps */
    uint32_t edges;
    const struct sitm_edge *edge;    /* borrowed: valid until the sender's next call */
    union {
        uint16_t done[SITM_LANES];   /* edges that were entered; EDGE_ACK */
        uint32_t stamp[SITM_LANES];  /* COMMIT_OK */
    };
};

/* TX_READ and TX_WRITE: one word of each lane. Words are numbers (address / granularity), not addresses. */
struct sitm_access {
    uint32_t group, lanes, snapshot;
    bool exclusive;                  /* of an exclusive attempt: nothing is registered (R17) */
    uint32_t word[SITM_LANES];
};

/* DATA and WRITE_ACK: refused lanes abort (their data is not used); edges: EDGEs sent for a lane's access. */
struct sitm_reply {
    uint32_t lanes, refused_write, refused_table;
    uint16_t edges[SITM_LANES];
};

/* Bytes on the crossbar, header included. n: lanes of TX_READ, TX_WRITE and EDGE_ACK, edges of EDGE, else ignored.
 * TX_READ and DATA: their header is that of the load request and its reply; the caller adds the sectors. */
uint32_t sitm_message_bytes(enum sitm_kind kind, uint32_t n);

#endif
