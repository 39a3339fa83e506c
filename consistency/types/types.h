/*
 * Type-aware sequential consistency (Singh, Aga and Narayanasamy, Efficiently Enforcing Strong Memory Ordering in GPUs,
 * MICRO 2015, section 4). Memory consists of sectors. A sector is safe while one SM alone accesses it, or while no SM
 * writes it. Accesses to a safe sector keep only the order within each line, since no other SM can observe a different
 * order. Accesses to other sectors, and atomics, are unsafe: those of a warp perform in the order of its instructions.
 *
 * At each memory partition a classifier (mac.c) keeps the states of sectors and grants rights; each SM keeps rights in
 * its type-cache (type_cache.c). The stage of an SM (stage.c) classifies accesses in program order and queues them;
 * classify.c decides. The synchronization table (sync_table.c) orders threads of one SM: it records the safe accesses
 * that have passed unsafe accesses of their warp. Until these unsafe accesses have performed, conflicting accesses of
 * other warps wait. Before a sector becomes unsafe, all SMs that may have a right to it are drained (drain.c).
 *
 * Deadlock freedom: draining waits only for classified accesses and for those with a reservation for the sector, these
 * wait only for L1 and L2, and neither of them waits for a classifier. Acknowledgements reach a classifier on another
 * network than requests.
 *
 * Livelock freedom: an access at the head of its type-wait queue has a reservation for the right that it requests. The
 * right is neither evicted nor removed by a drain before the access has used it. Heads are classified, request rights
 * and obtain ways of the type-cache in the order of their age, and no access makes a record that an older head would
 * have to wait for. So the oldest head of an SM leaves its queue, whatever the other warps repeat.
 */
#ifndef CONSISTENCY_TYPES_TYPES_H
#define CONSISTENCY_TYPES_TYPES_H

#include "consistency/order.h"
#include "consistency/queue.h"
#include "consistency/sc/sc.h"

struct simtx_config;

/* Messages about the sector of their `line`. The token of a request is the right that it requests; that of a grant has
 * the granted right above it. */
enum { TYPES_REQUEST = MSG_POLICY, TYPES_GRANT, TYPES_INVALIDATE, TYPES_RECALL, TYPES_ACK, TYPES_UNBLOCK };
/* Their virtual networks; probes and grants share one, acknowledgements and unblocks another. */
enum { TYPES_VN_DOWN = 1, TYPES_VN_UP, TYPES_VN_REQUEST, TYPES_VNS };

/* The right of an SM to a sector. UNSAFE: the SM may read and write it, and all these accesses are unsafe. */
enum types_right { TYPES_NO_RIGHT, TYPES_READ, TYPES_WRITE, TYPES_UNSAFE };

struct types_cfg {
#define CONFIG_ROWS "consistency/types/config.def"
#include "base/config/config_fields.h"
    unsigned shift;                  /* log2 of a sector's bytes */
    uint32_t slices;                 /* of the machine: homes of sectors */
    uint32_t sms;
};
void types_configure(struct types_cfg *c, const struct simtx_config *config);

/* ---- type_cache.c ---- */

/* reservation: of each right that can be requested, the oldest head (its instruction + 1) that has requested it and is
 * not classified; 0: none. */
struct types_entry {
    uint64_t sector, used, reservation[TYPES_UNSAFE];
    uint8_t right;
    bool valid, asked[TYPES_UNSAFE];
};
struct types_cache { uint32_t sets, ways; uint64_t clock; struct types_entry *entry; };

void types_cache_init(struct types_cache *c, uint32_t entries, uint32_t ways);
struct types_entry *types_cache_find(const struct types_cache *c, uint64_t sector);
/* The sector's entry, allocated if it is absent; NULL: every way of its set waits for a reply or has a reservation. */
struct types_entry *types_cache_take(struct types_cache *c, uint64_t sector, uint64_t *evictions);
void types_cache_touch(struct types_cache *c, struct types_entry *e);
static inline bool types_is_asked(const struct types_entry *e)
{
    return e->asked[TYPES_READ] || e->asked[TYPES_WRITE];
}

/* Has an access a reservation for a right that was granted? */
static inline bool types_is_reserved(const struct types_entry *e)
{
    return (e->reservation[TYPES_READ] && !e->asked[TYPES_READ]) ||
           (e->reservation[TYPES_WRITE] && !e->asked[TYPES_WRITE]);
}

/* ---- sync_table.c ---- */

/* A safe access that has passed unsafe accesses of its warp, the youngest of them of `instruction`; or the atomic of
 * `instruction`, on a safe sector. block: owner of the shared memory; NULL: global memory. marker: the record also
 * occupies an entry of the unsafe queue. */
struct types_record { const void *block; uint64_t line, instruction; uint32_t warp; bool write, marker; };
struct types_sync { uint32_t n, entries; struct types_record *record; };

void types_sync_init(struct types_sync *t, uint32_t entries);
/* Has another warp a record for the line, and is the record or the access a write? */
bool types_sync_conflicts(const struct types_sync *t, const struct types_record *r);
bool types_sync_has_room(const struct types_sync *t, const struct types_record *r);
/* Adds a record, or updates the record of its warp and line. False: updated. */
bool types_sync_add(struct types_sync *t, const struct types_record *r);

/* ---- of an SM ---- */

struct types_warp {
    struct order_queue waiting;      /* type-wait queue */
    struct order_queue unsafe;       /* unsafe queue */
    uint32_t markers;                /* in the unsafe queue */
    struct order_outstanding sent;   /* unsafe accesses in L1 that have not performed */
    uint64_t line[2 * WARP_LANES];   /* their lines, that of an atomic twice */
    uint32_t lines;
    int32_t safe;                    /* calls of `performed` due for safe accesses */
    bool blocked;                    /* the head of `waiting` conflicts: TYPES_CONFLICTS */
};

enum { TYPES_COUNTERS = 1024 };      /* of accesses by a hash of their sector */

struct types {
    struct sc sc;
    struct types_cfg cfg;
    struct lsu *lsu;
    uint64_t *count;
    uint32_t warps, turn, held, stores;
    uint32_t blocked;                /* warps that are */
    uint32_t *order;                 /* warps by the age of their heads, while these are classified */
    uint64_t rejected;               /* instruction + 1 whose rejection has been counted */
    bool changed;                    /* an access that waits may have become classifiable */
    struct types_warp *warp;
    struct order_queue safe;
    struct types_cache cache;
    struct types_sync sync;
    int32_t safe_in[TYPES_COUNTERS], unsafe_in[TYPES_COUNTERS];  /* accesses that are queued or outstanding */
    struct packet_queue drains;      /* invalidations and recalls that are not acknowledged */
    /* The access that is offered to the L1. early: calls of `performed` for it before `sent`, in the same cycle.
     * counted: `safe` of its warp includes it already. Then `performed` decrements `safe` at once, because the SM has
     * decremented its count of accesses, which may_issue compares with `safe` at a barrier. */
    struct { uint64_t instruction, line, at; bool unsafe, counted; uint32_t early; } offered;
};

static inline uint64_t types_sector(const struct types *t, uint64_t line)
{
    return line >> t->cfg.shift;
}

static inline uint32_t types_counter(uint64_t sector)
{
    return (uint32_t)(sector * UINT64_C(0x9e3779b97f4a7c15) >> 54);
}

/* Are unsafe accesses of the warp queued or outstanding? */
static inline bool types_unsafe_pending(const struct types_warp *w)
{
    return w->unsafe.n || w->sent.n;
}

/* ---- classify.c ---- */

/* The class of a warp's oldest unclassified access; below TYPES_IS_SAFE, why it cannot leave now. */
enum types_class {
    TYPES_UNKNOWN, TYPES_CONFLICTS, TYPES_SYNC_FULL, TYPES_UNSAFE_FULL, TYPES_SAFE_FULL, TYPES_IS_SAFE, TYPES_IS_UNSAFE
};
enum types_class types_classify(struct types *t, const struct stage_access *a);
/* Makes the record of a safe access that passes unsafe ones, or of an atomic on a safe sector. */
void types_record(struct types *t, const struct stage_access *a, enum types_class class);
/* Requests the right that the access needs, unless it is there or requested. head: of its type-wait queue; it has a
 * reservation for the right. */
void types_ask(struct types *t, const struct stage_access *a, bool head, uint64_t now);
/* Ends the access's reservation, if it has one. */
void types_end_reservation(struct types *t, const struct stage_access *a);
void types_granted(struct types *t, const struct packet *p, uint64_t now);
/* May the accesses of an instruction to shared memory perform? If so, makes their records; else the reason. */
enum types_class types_shared(struct types *t, const struct stage_access *a);
/* After unsafe accesses of the warp have performed, or accesses have left its type-wait queue: removes records. */
void types_release(struct types *t, uint32_t warp);

/* ---- drain.c ---- */

/* Accepts an invalidation or recall: removes the right to its sector, or does so when the last reservation ends. */
void types_drain(struct types *t, struct packet *p);
/* Acknowledges the invalidations and recalls whose sectors are drained. */
void types_drained(struct types *t);

/* ---- mac.c ---- */

void *types_mac_new(const struct order_site *site);
void types_mac_free(void *state);
bool types_mac_message(void *state, struct partition *p, uint32_t slice, struct packet *k, uint64_t now);

#endif
