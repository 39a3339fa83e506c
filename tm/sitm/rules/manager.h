/*
 * The manager, beside slice 0: owner of version numbers, version slots, transaction IDs and logical timestamps. It
 * receives one message at a time and puts its own into a queue in a fixed order:
 *
 *   sitm_manager_receive(m, &message);
 *   while (sitm_manager_send(m, &message))
 *       ... COPY, PUBLISH, RELEASE, RESET: to every slice; all others: to the SM of message.warp
 *
 * One EDGE is one step for each of its edges; in the timing each takes a cycle. The manager acts only in
 * sitm_manager_receive.
 */
#ifndef TM_SITM_MANAGER_H
#define TM_SITM_MANAGER_H

#include "base/fifo.h"
#include "tm/sitm/rules/messages.h"
#include "tm/sitm/rules/slots.h"
#include "tm/sitm/rules/stamps.h"

/* Why begins wait. Bits: several at once. */
enum sitm_hold { SITM_HOLD_TABLE = 1, SITM_HOLD_RESET = 2, SITM_HOLD_EXCLUSIVE = 4 };
enum { SITM_HOLDS = 3 };

/* A group of IDs, and the warp attempt that it runs. It is free when all masks are 0. */
struct sitm_group {
    uint32_t warp;
    uint32_t snapshot, slot, floor;  /* of the warp attempt: s, its version slot, F(s) */
    uint32_t running;                /* lanes: neither committed nor aborted */
    uint32_t committed;              /* lanes: committed, their entries are retained */
    uint32_t releasing;              /* lanes: RELEASED of some slices is missing */
    uint32_t lanes, writers;         /* of the commit request; those that wrote, until they are published */
    bool reads;                      /* no commit request yet: counts for retention (R16) */
    bool referenced;                 /* counted in the references of its snapshot's slot */
    bool joined;                     /* in the open version */
    uint32_t version[SITM_LANES];    /* of committed lanes: c, of read-only ones s */
    uint32_t stamp[SITM_LANES];      /* of committed lanes: PrevTS */
    uint32_t acks[SITM_LANES];       /* of releasing lanes: RELEASED outstanding */
};

struct sitm_manager_counts {
    uint64_t begins, group_waits;    /* warp attempts; begins that waited for a group of IDs */
    uint64_t hold_waits[SITM_HOLDS]; /* begins that waited for a hold, by its bit */
    uint64_t edges, loops, overflows;
    uint64_t copies, versions, joins, slot_waits;      /* slot_waits: warps whose commit waited for a version */
    uint64_t table_holds, resets, exclusive;
    uint64_t precedences, precedence_waits;  /* lanes that were given precedence; begins that waited for one */
    uint64_t serialised;             /* begins of one lane, without the others of its warp */
    uint64_t readers, writers, aborts[SITM_REASONS];   /* lanes */
};

/* A BEGIN that waits; counted: as a wait. */
struct sitm_begin { struct sitm_message m; bool counted; };

/* Exact decision (sitm-oracle; dependency_graph.h): may this lane commit in `version`? If so, it enters the commit. It
 * is called in the order of decisions, for the lanes of a warp in ascending order. */
typedef bool sitm_decision(void *ctx, uint32_t id, uint32_t version);

struct sitm_manager {
    const struct sitm_rules *rules;
    struct sitm_stamps stamps;
    struct sitm_slots slots;
    struct sitm_group group[SITM_MOST_GROUPS];
    struct sitm_begin *begin;        /* in order of arrival */
    uint32_t begins, begins_cap;
    struct fifo commits;             /* groups that wait for an open version (uint32_t), in order of arrival */
    struct fifo out;                 /* struct sitm_message */
    uint32_t hold;                   /* enum sitm_hold */
    uint32_t preferred, starving;    /* warp with precedence, and its starving lane as a mask; 0: no warp has it */
    uint32_t joined, unwritten;      /* warps in the open version; those of them whose WRITTEN is outstanding */
    uint32_t undecided;              /* warp attempts that run or wait for a version */
    bool sealed;                     /* PUBLISH has been sent */
    uint32_t acks;                   /* of COPY, PUBLISH or RESET: outstanding */
    uint32_t epoch;                  /* resets so far */
    uint8_t commit_oks;              /* COMMIT_OKs that named lanes, modulo 256 */
    uint32_t sole;                   /* warp of the last begin, if no other warp had an attempt or table entries then;
                                      * else SITM_NO_WARP */
    sitm_decision *decide;           /* NULL: all that request it commit */
    void *decide_ctx;
    struct sitm_manager_counts counts;
};

/* rules must outlive the manager. The first BEGIN starts the first COPY. */
void sitm_manager_init(struct sitm_manager *m, const struct sitm_rules *rules);
void sitm_manager_end(struct sitm_manager *m);
void sitm_manager_receive(struct sitm_manager *m, const struct sitm_message *message);
/* The next message to send; false: there is none. */
bool sitm_manager_send(struct sitm_manager *m, struct sitm_message *message);
/* No attempt runs, nothing is retained or waits, no copy runs, the open version has no joiner (the end of a kernel). */
bool sitm_manager_quiet(const struct sitm_manager *m);
/* The least snapshot that running attempts may still read; the newest version if none runs (w of R16). */
uint32_t sitm_manager_oldest(const struct sitm_manager *m);
/* The least snapshot of attempts that are neither committed nor aborted; the newest version if there are none. */
uint32_t sitm_manager_undecided_oldest(const struct sitm_manager *m);
/* One line for reports of hangs: holds, free groups, slots with references, copy, joined warps. */
void sitm_manager_describe(const struct sitm_manager *m, char *text, uint32_t size);

#endif
