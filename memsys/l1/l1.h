/*
 * The L1 data cache of an SM. Lines have data. Global stores are written through without allocation, and a line that a
 * store hits is invalidated or updated (l1.store_hit). Private (.local) lines are written back, with a mask of their
 * dirty bytes, or written through. A miss allocates its way at once; accesses to the line wait in its MSHR entry and
 * perform in order when the data arrives.
 *
 * Invariant: a load never returns a value older than a store that its SM sent before it. So a store (or atomic, or
 * volatile load) to a line that is being filled detaches the MSHR entry from the line: the accesses in the entry are
 * served from the entry's own buffer, the line is invalid, and a later load sends a new request, which stays after the
 * store on its path. An acquire does the same to all lines of global memory, since later loads must return what other
 * SMs stored before.
 */
#ifndef MEMSYS_L1_H
#define MEMSYS_L1_H

#include "memsys/cache_stats.h"
#include "memsys/mshr.h"
#include "memsys/lsu/retire.h"
#include "memsys/lsu/sender.h"

/* Beside each MSHR entry. */
struct l1_miss {
    uint32_t index;                  /* way being filled; TAG_NONE: detached, the bytes arrive in `data` */
    uint8_t requested;               /* sectors in flight */
    uint8_t waited;                  /* sectors of all accesses in the entry: later accesses to them wait, too */
    uint8_t valid;                   /* sectors in `data` */
    uint8_t state;                   /* of a coherence protocol, while the line has the entry */
    bool retrying;                   /* its oldest access found no free resource, and is retried */
    uint8_t data[LINE_BYTES];
};

/* A write-back that is not acknowledged, for lsu_private_line. */
struct l1_writeback { uint64_t line, age, mask[2]; uint32_t next; bool busy; uint8_t data[LINE_BYTES]; };

/* States of a line's tag: of .local memory, of global memory, or a coherence protocol's, which follow. */
enum { L1_INVALID, L1_LOCAL, L1_GLOBAL, L1_COHERENT };

struct l1_coherence;

struct l1 {
    const struct l1_cfg *cfg;
    uint32_t segment;                /* bytes: granularity of requests (coalescer.segment) */
    struct l1_coherence *coherence;  /* NULL = none */
    struct sender *send;
    struct retire *retire;
    uint64_t *count;
    struct tags tags;
    uint8_t (*data)[LINE_BYTES];     /* by line */
    uint64_t (*dirty)[2];            /* by line: bytes that have not been written back */
    uint32_t *entry;                 /* by line, when pinned: the MSHR entry that fills it */
    struct mshr mshr;
    struct l1_miss *miss;            /* by MSHR entry */
    uint32_t dirty_lines, cursor;    /* cursor: of the flush */
    bool has_global;                 /* a line of global memory was allocated since all were invalidated */
    struct l1_writeback *writeback;
    uint32_t writebacks, free_writeback;
    uint64_t age;
    uint8_t view[LINE_BYTES];        /* the result of l1_private_line */
};

void l1_init(struct l1 *l, const struct l1_cfg *c, uint32_t segment, struct sender *send, struct retire *retire,
             uint64_t *count);
void l1_end(struct l1 *l);
void l1_set_ways(struct l1 *l, uint32_t ways);           /* empties the cache; at most l1.ways */
/* The counters of an access: base + 0 hits, 1 misses, 2 merged, 3 blocked. */
const struct cache_stats *l1_stats(const struct mem_op *op, enum mem_server s);

/* ---- accesses; not LSU_SERVED: no effect, to be offered again ---- */
enum lsu_result l1_load(struct l1 *l, struct mem_op *op, const struct line_access *a, enum mem_server s, uint64_t now);
enum lsu_result l1_bypass(struct l1 *l, struct mem_op *op, const struct line_access *a, enum mem_server s,
                          uint64_t now);
bool l1_holds(const struct l1 *l, uint64_t line);        /* or is fetching it */
enum lsu_result l1_store_local(struct l1 *l, struct mem_op *op, const struct line_access *a, uint64_t now);
/* A store is sent to L2: updates or invalidates its line. */
void l1_write_through(struct l1 *l, const struct packet *p);
void l1_invalidate_line(struct l1 *l, uint64_t line);    /* an atomic or a volatile load is sent to L2 */
/* Invalidates all lines of global memory, and detaches those that are being filled. */
void l1_invalidate_global(struct l1 *l);
/* Evicts a victim for the line; its way, now invalid, is *index. A write-back takes an entry of the miss queue at once,
 * so with a short queue the line itself may have to wait for the next cycle. */
enum lsu_result l1_make_room(struct l1 *l, uint64_t line, uint32_t *index, uint64_t now);

/* ---- replies ---- */
void l1_fill(struct l1 *l, const struct packet *p, uint64_t now);
void l1_written_back(struct l1 *l, const struct packet *p);

/* ---- l1_writeback.c ---- */
void l1_write_back(struct l1 *l, uint32_t index, uint64_t now);  /* a dirty line; only if sender_has_room */
void l1_drop_dirty(struct l1 *l);                        /* clears every dirty bit */
/* Writes one dirty line back if the miss queue has a free entry; true: more are left. */
bool l1_flush_line(struct l1 *l, uint64_t now);
const uint8_t *l1_private_line(struct l1 *l, uint64_t line);

void l1_clear(struct l1 *l);                             /* empties the cache; nothing is in flight */
void l1_copy_sectors(uint8_t *to, const uint8_t *from, uint8_t sectors);

#endif
