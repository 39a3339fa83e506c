/*
 * The L1 data cache of an SM. Lines carry their bytes. Global stores are written through without allocation, and a line
 * that a store hits is dropped or updated; private (.local) lines are written back, with a mask of their dirty bytes,
 * or written through. A missing line is reserved at once; accesses to it wait in its MSHR entry and are performed in
 * order when the data comes.
 *
 * A load must not return a value older than a store that its SM sent before it. So a store (atomic, volatile load) to a
 * line that is being filled cuts the entry off from the line: its accesses are still served, in the entry's own
 * buffer, but the line is invalid, and a later load makes a new request that follows the store on its way. An acquire
 * does the same to all lines of global memory, since loads behind it must see what other SMs stored before.
 */
#ifndef MEMSYS_L1_H
#define MEMSYS_L1_H

#include "memsys/cache_stats.h"
#include "memsys/mshr.h"
#include "memsys/lsu/retire.h"
#include "memsys/lsu/sender.h"

/* What an MSHR entry waits for. */
struct miss {
    uint32_t index;                  /* line being filled; TAG_NONE: none, the bytes come into `data` */
    uint8_t wait;                    /* sectors asked for that have not come */
    uint8_t touch;                   /* sectors that accesses in the entry may touch: later ones queue behind them */
    uint8_t have;                    /* sectors in `data` */
    uint8_t state;                   /* a coherence protocol's, while the line has the entry */
    bool retrying;                   /* its oldest access found no free resource, and is retried */
    uint8_t data[LINE_BYTES];
};

/* A write-back that is not acknowledged, for lsu_private_line. */
struct writeback { uint64_t line, age, mask[2]; uint32_t next; bool busy; uint8_t data[LINE_BYTES]; };

/* States of a line's tag: of .local memory, of global memory, or a coherence protocol's, which follow. */
enum { L1_INVALID, L1_LOCAL, L1_GLOBAL, L1_COHERENT };

struct l1_coherence;

struct l1 {
    const struct lsu_cfg *cfg;
    struct l1_coherence *coherence;  /* NULL = none */
    struct sender *send;
    struct retire *retire;
    uint64_t *count;
    struct tags tags;
    uint8_t (*data)[LINE_BYTES];     /* by line */
    uint64_t (*dirty)[2];            /* by line: bytes that memory does not have yet */
    uint32_t *entry;                 /* by line, when pinned: the MSHR entry that fills it */
    struct mshr mshr;
    struct miss *miss;               /* by MSHR entry */
    uint32_t dirty_lines, cursor;    /* cursor: of the flush */
    bool has_global;                 /* lines of global memory were placed since they were forgotten last */
    struct writeback *writeback;
    uint32_t writebacks, free_writeback;
    uint64_t age;
    uint8_t view[LINE_BYTES];        /* what l1_private_line returned */
};

void l1_init(struct l1 *l, const struct lsu_cfg *c, struct sender *send, struct retire *retire, uint64_t *count);
void l1_end(struct l1 *l);
/* The counters of an access: base + 0 hits, 1 misses, 2 merged, 3 blocked. */
const struct cache_stats *l1_stats(const struct mem_op *op, enum mem_server s);

/* ---- accesses; not SERVED: nothing has happened, to be offered again ---- */
enum served l1_load(struct l1 *l, struct mem_op *op, const struct line_access *a, enum mem_server s, uint64_t now);
enum served l1_load_past(struct l1 *l, struct mem_op *op, const struct line_access *a, enum mem_server s, uint64_t now);
enum served l1_store_local(struct l1 *l, struct mem_op *op, const struct line_access *a, uint64_t now);
/* A store is on its way to L2: the line, if it is here, gets its bytes, or goes. */
void l1_written_through(struct l1 *l, const struct packet *p);
void l1_drop(struct l1 *l, uint64_t line);               /* an atomic or a volatile load is on its way */
/* All lines of global memory go, those under way as well. */
void l1_forget_global(struct l1 *l);
/* A place for the line, invalid, at *index: what is there leaves. That takes a place of the miss queue at once when it
 * must be written back, so with a short queue the line itself may have to wait for the next cycle. */
enum served l1_make_room(struct l1 *l, uint64_t line, uint32_t *index, uint64_t now);

/* ---- replies ---- */
void l1_fill(struct l1 *l, const struct packet *p, uint64_t now);
void l1_written_back(struct l1 *l, const struct packet *p);

/* ---- l1_writeback.c ---- */
void l1_write_back(struct l1 *l, uint32_t index, uint64_t now);  /* a dirty line; check sender_has_room first */
/* Writes one dirty line back if the miss queue has room; true: more are left. */
bool l1_flush_line(struct l1 *l, uint64_t now);
const uint8_t *l1_private_line(struct l1 *l, uint64_t line);

void l1_clear(struct l1 *l);                             /* empty; nothing is under way */
void l1_copy_sectors(uint8_t *to, const uint8_t *from, uint8_t sectors);

#endif
