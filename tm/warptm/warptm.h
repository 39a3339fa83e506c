/*
 * WarpTM (Fung and Aamodt: "Energy Efficient GPU Transactional Memory via Space-Time Optimizations", MICRO 2013), the
 * baseline of the snapshot-isolation paper: KILO TM (tm/kilo) with
 *   - resolution of conflicts inside a warp before the commit: resolution.c (which lanes abort), resolve.c (at the SM);
 *   - temporal conflict detection, by which read-only transactions commit without messages: temporal.c,
 *     last_written.c (at the slices), protocol.c (at tx_commit);
 *   - messages and accesses of a warp's lanes together: tm/kilo/unit/cu_group.c, tm/kilo/outcome.c.
 */
#ifndef TM_WARPTM_WARPTM_H
#define TM_WARPTM_WARPTM_H

#include "tm/core/recency.h"
#include "tm/kilo/log_unit.h"
#include "tm/warptm/resolution.h"
#include "tm/warptm/temporal.h"

struct warptm_cfg {
#define CONFIG_ROWS "tm/warptm/config.def"
#include "base/config/config_fields.h"
};

/* A write that the table of the whole GPU does not have yet. */
struct warptm_write { uint32_t chunk; uint64_t stamp; };

/* At kilo_gpu.own. */
struct warptm_gpu {
    struct warptm_cfg cfg;
    struct recency *table;           /* by chunks of memory: one, or one for each slice */
    uint32_t tables;
    struct {
        struct warptm_write *write;
        uint32_t n, cap;
    } *since;                        /* by slice, with one table: writes since the last step */
    uint32_t slices;
};

/* The resolution of a warp. Entries of its logs are processed in order: the write log, the read log, the write log. */
struct warptm_resolution {
    bool waits, runs;                /* for a table; with one */
    uint64_t lanes, losers;
    uint32_t reads, writes;          /* entries of the logs */
    uint32_t requested, done;        /* entries whose addresses have been requested from L1; processed */
    uint32_t arrived;                /* a bit for each of the next entries from `done` on: its addresses have arrived */
    uint64_t free_at;                /* core cycle in which the next entry can be processed */
    uint64_t asked, began;           /* core cycles: tx_commit; of the table */
};

struct warptm_warp {
    struct temporal_reads read[KILO_LANES];
    struct warptm_resolution resolution;
};

/* At kilo_core.own. */
struct warptm_core {
    struct warptm_cfg cfg;
    struct warptm_warp *warp;
    struct ownership table;
    uint32_t used, waiting;          /* ownership tables in use; warps that wait for one */
    uint32_t *queue, first;          /* slots of these: a ring, its head */
};

static inline struct warptm_core *warptm_core(const struct kilo_core *k)
{
    return k->own;
}


/* ---- last_written.c ---- */
extern const struct kilo_watch warptm_watch;
void warptm_tables_new(struct warptm_gpu *g, const struct simtx_config *c);
void warptm_tables_free(struct warptm_gpu *g);
/* One table: enters the writes since the last step. */
void warptm_tables_step(struct warptm_gpu *g);
void warptm_tables_clear(struct warptm_gpu *g);

/* ---- resolve.c ---- */
/* Resolves the conflicts of these lanes, which commit; then those that stay commit as in KILO TM. */
void warptm_resolve(struct kilo_core *k, uint32_t slot, uint64_t lanes, uint64_t now);
void warptm_resolution_line(struct kilo_core *k, const struct kilo_log_op *o, uint64_t now);
uint64_t warptm_resolution_run(struct kilo_core *k, uint64_t now);

#endif
