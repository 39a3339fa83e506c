/*
 * Snapshot isolation with versioned memory and post-dating (Chen, Peng, Irving, "Accelerating GPU Hardware
 * Transactional Memory with Snapshot Isolation", ISCA 2017): the rules without timing. This folder knows nothing of
 * cycles, packets or memory. Its state machines consume and produce the messages of messages.h:
 *
 *   manager.h      beside slice 0: version numbers and slots, transaction IDs, logical timestamps, decisions
 *   slice_rules.h  beside each L2 slice: Writer Table, Reader List, map from versions to slots
 *   attempt.h      in the SM, for each warp: what is outstanding, what may be sent
 *
 * The words. An attempt is one execution of a transaction by one lane; a warp attempt is those of the lanes that began
 * together. Snapshot s: the version that it reads. Commit version c: the version that contains its writes. Version
 * slot: one of N physical copies of the versioned regions. Edge P -> S: P precedes S in the serial order.
 *
 * Where the paper's rules lose updates, commit write skew or deadlock, the default is the repaired rule; the keys below
 * select the printed one. R1 to R18 in comments number the rules:
 *
 *   R1 begin                 R7 first committer wins   R13 seal and publish
 *   R2 snapshot read         R8 edge                   R14 next version
 *   R3 reader registration   R9 commit request         R15 abort
 *   R4 write                 R10 decision              R16 retention
 *   R5 writer registration   R11 write-back            R17 exclusive mode
 *   R6 full table            R12 floor                 R18 drain and reset
 */
#ifndef TM_SITM_RULES_H
#define TM_SITM_RULES_H

#include <stdbool.h>
#include <stdint.h>

enum { SITM_LANES = 32, SITM_MOST_GROUPS = 32, SITM_MOST_IDS = SITM_LANES * SITM_MOST_GROUPS, SITM_MOST_SLOTS = 32 };

/* The readings of a rule: the repaired one first, then those that are printed. */
enum sitm_retain { SITM_RETAIN_NEEDED, SITM_RETAIN_NONE };
enum sitm_fcw { SITM_FCW_TABLE, SITM_FCW_UNCOMMITTED };
enum sitm_postdating { SITM_POSTDATING_REPAIRED, SITM_POSTDATING_UNSIGNED, SITM_POSTDATING_PRINTED };
enum sitm_floor { SITM_FLOOR_ON, SITM_FLOOR_OFF };
enum sitm_prevts { SITM_PREVTS_TOP, SITM_PREVTS_CTS };
enum sitm_unreference { SITM_UNREFERENCE_REQUEST, SITM_UNREFERENCE_COMMIT };
enum sitm_batch { SITM_BATCH_OPEN, SITM_BATCH_WARP };

/* What the rules depend on. The configuration fills it (values of the paper in brackets). */
struct sitm_rules {
    uint32_t retain;                 /* committed entries stay in the tables: as long as needed (R16), not at all */
    uint32_t fcw;                    /* a write is refused because of: all newer writers (R7), uncommitted ones only */
    uint32_t postdating;             /* rule of an edge: R8; Figure 7 with -1 as greatest number; Figure 7, signed */
    uint32_t floor;                  /* attempts start above all transactions of their snapshot (R12); with CTS = 1 */
    uint32_t prevts;                 /* PrevTS of a committed writer: top of its interval (R10), its CTS */
    uint32_t unreference;            /* when a warp attempt drops its snapshot: commit request (R9); after the commit */
    uint32_t batch;                  /* a version contains: all decided while it is open, those of one warp */
    bool edges;                      /* false: no dependencies between readers and writers, plain snapshot isolation */
    uint32_t slices;
    uint32_t slots;                  /* physical copies, 2 to 32 [8] */
    uint32_t groups;                 /* of transaction IDs, 1 to 32; the IDs of a warp attempt are in one group [32] */
    uint32_t writer_entries;         /* of one slice's Writer Table [3000 / 6] */
    uint32_t reader_entries;         /* of one slice's Reader List [87,856 / 6] */
    uint32_t delta;                  /* by which post-dating sets PDTS above CTS [10] */
    uint32_t stamp_bits;             /* of logical timestamps, 4 to 24; the greatest number means infinite [24] */
    uint32_t version_bits;           /* of version numbers, 2 to 32 [32] */
    uint32_t precedence_after;       /* attempts without progress until other warps' begins wait (R17); 0 = never, and
                                      * lanes of a warp that runs alone are not serialised */
    uint32_t exclusive_after;        /* aborts in a row until a lane begins exclusively (R17); 0 = never */
};

struct sitm_rules sitm_rules_default(void);
/* NULL, or what is wrong with the sizes (one clause, without a full stop). */
const char *sitm_rules_check(const struct sitm_rules *r);

/* A transaction ID: group x 32 + lane. */
static inline uint32_t sitm_id(uint32_t group, uint32_t lane)
{
    return group * SITM_LANES + lane;
}

/* The lowest lane of a mask that is not 0, which is removed from it. */
static inline uint32_t sitm_lane(uint32_t *lanes)
{
    uint32_t lane = (uint32_t)__builtin_ctz(*lanes);
    *lanes &= *lanes - 1;
    return lane;
}

#endif
