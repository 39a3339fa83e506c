/*
 * A read-only cache of an SM: constants, texture (ld.global.nc) and instructions are three instances. Lines are placed
 * when their data comes; nothing is ever dirty, and stores do not reach it, so a line keeps its bytes until it is
 * evicted or the cache is emptied. The instruction cache has tags only.
 */
#ifndef MEMSYS_ROCACHE_H
#define MEMSYS_ROCACHE_H

#include "memsys/cache_stats.h"
#include "memsys/mshr.h"
#include "memsys/lsu/retire.h"
#include "memsys/lsu/sender.h"

struct rocache {
    struct cache_cfg cfg;
    enum access_type type;
    enum reply_to reply;
    enum mem_server server;
    const struct cache_stats *stats;
    struct sender *send;
    struct retire *retire;
    uint64_t *count;
    struct tags tags;
    uint8_t *data;                   /* lines, behind LINE_BYTES of nothing: see line_of; NULL: tags only */
    struct mshr mshr;
    uint64_t *wanted;                /* instruction lines that wait for an MSHR entry, oldest first */
    uint32_t nwanted, wanted_cap;
    uint64_t wanted_since;           /* cycles of waiting are counted up to here */
};

/* type says which of the three. */
void rocache_init(struct rocache *c, const struct cache_cfg *cfg, enum access_type type, struct sender *send,
                  struct retire *retire, uint64_t *count);
void rocache_end(struct rocache *c);
enum served rocache_load(struct rocache *c, struct mem_op *op, const struct line_access *a, uint64_t now);
/* Instructions: true when the line is there; else it is asked for, and with it the `ahead` lines behind it. */
bool rocache_fetch(struct rocache *c, uint64_t address, uint32_t ahead, uint64_t now);
void rocache_settle(struct rocache *c, uint64_t until);          /* counts cycles in which lines waited for an MSHR */
void rocache_fill(struct rocache *c, const struct packet *p, uint64_t now);
void rocache_clear(struct rocache *c);

#endif
