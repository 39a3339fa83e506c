/*
 * The second level of an SM's read-only caches: one cache for constants and instructions between their first levels and
 * the crossbar ("L1.5" of NVIDIA's chips: Jia et al., Dissecting the NVIDIA Volta GPU Architecture via
 * Microbenchmarking, 2018). The cache looks up one miss of a first level in a cycle, in order, each `look_up` cycles
 * after the miss or later. A hit reaches the first level `latency` cycles after the miss there. A miss requests the
 * whole line of 128 bytes from L2, with priority over data, as instruction fetches have. Requests for a line in flight
 * are merged. The MSHRs of the first levels bound the number of requests that wait here. A line has constants or
 * instructions, never both, because instructions have addresses that no data has (timing/machine/machine.c). So a
 * request finds only lines of its own kind, and lines of instructions need no data.
 */
#ifndef MEMSYS_L15_H
#define MEMSYS_L15_H

#include "memsys/cache_stats.h"
#include "memsys/lsu/sender.h"
#include "memsys/mshr.h"

struct rocache;

struct l15 {
    struct l15_cfg cfg;
    struct sender *send;
    struct rocache *konst, *inst;    /* the first levels */
    uint64_t *count;
    struct tags tags;
    uint8_t *data;                   /* lines of constants */
    struct mshr mshr;                /* targets: packets of the first levels */
    struct packet_queue asked, hits; /* requests before the look-up; hits on their way to a first level */
    bool blocked;                    /* the oldest request waits for an MSHR entry */
    uint64_t blocked_from;           /* first cycle of waiting that is not counted yet */
};

void l15_init(struct l15 *c, const struct l15_cfg *cfg, struct sender *send, struct rocache *konst,
              struct rocache *inst, uint64_t *count);
void l15_end(struct l15 *c);
void l15_clear(struct l15 *c);
void l15_request(struct l15 *c, struct packet *p);       /* a read of a first level, which missed at STAMP_L1 */
bool l15_run(struct l15 *c, uint64_t now);               /* true: a first level has received a line */
void l15_preload(struct l15 *c, uint64_t line);          /* inserts a line of instructions without a request */
void l15_fill(struct l15 *c, const struct packet *p, uint64_t now);      /* the reply of L2 */
void l15_settle(struct l15 *c, uint64_t until);          /* counts cycles of waiting for an MSHR entry */
uint64_t l15_next(const struct l15 *c, uint64_t after);  /* the next cycle > after in which it has something to do */

#endif
