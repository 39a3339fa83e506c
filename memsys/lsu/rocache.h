/*
 * A read-only cache of an SM; constants, texture (ld.global.nc) and instructions are three instances. Lines are
 * allocated when their data arrives. No line is ever dirty, and stores do not invalidate, so a line keeps its bytes
 * until it is evicted or the cache is emptied. The instruction cache has tags only.
 */
#ifndef MEMSYS_ROCACHE_H
#define MEMSYS_ROCACHE_H

#include "memsys/cache_stats.h"
#include "memsys/mshr.h"
#include "memsys/lsu/l15.h"
#include "memsys/lsu/retire.h"
#include "memsys/lsu/sender.h"

struct rocache {
    struct rocache_cfg cfg;
    enum access_type type;
    enum reply_to reply;
    enum mem_server server;
    const struct cache_stats *stats;
    struct sender *send;
    struct retire *retire;
    uint64_t *count;
    struct tags tags;
    uint8_t *data;                   /* lines, after LINE_BYTES of padding: see line_of; NULL: tags only */
    struct mshr mshr;
    uint64_t *wanted;                /* instruction lines that wait for an MSHR entry, oldest first */
    uint32_t nwanted, wanted_cap;
    uint64_t wanted_since;           /* first cycle of waiting that is not counted */
    struct l15 *l15;                 /* the second level; NULL: misses are sent to L2 */
};

/* type: which of the three instances. */
void rocache_init(struct rocache *c, const struct rocache_cfg *cfg, enum access_type type, struct sender *send,
                  struct retire *retire, uint64_t *count);
void rocache_end(struct rocache *c);
enum lsu_result rocache_load(struct rocache *c, struct mem_op *op, const struct line_access *a, uint64_t now);
/* Instructions: true on a hit; a miss requests the line and prefetches the `ahead` lines after it. */
bool rocache_fetch(struct rocache *c, uint64_t address, uint32_t ahead, uint64_t now);
void rocache_settle(struct rocache *c, uint64_t until);          /* counts cycles of waiting for an MSHR entry */
void rocache_fill(struct rocache *c, const struct packet *p, uint64_t now);
void rocache_clear(struct rocache *c);

#endif
