/*
 * The second level of an SM's read-only caches: one cache for constants and instructions between their first levels and
 * the crossbar ("L1.5" of NVIDIA's chips: Jia et al., Dissecting the NVIDIA Volta GPU Architecture via
 * Microbenchmarking, 2018). A miss in a first level is looked up `look_up` cycles later, one in a cycle, in order. What
 * hits reaches the first level `latency` cycles after the miss there; what misses is requested from L2, as a whole line
 * of 128 bytes, with priority over data as instructions have it. Requests of one line in flight are merged. The number
 * of requests that wait here is bounded by the MSHRs of the first levels.
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
    struct packet_queue asked, hits; /* before the look-up; after it, on their way back */
    bool blocked;                    /* the oldest request waits for an MSHR entry */
    uint64_t blocked_from;           /* first cycle of waiting that is not counted */
};

void l15_init(struct l15 *c, const struct l15_cfg *cfg, struct sender *send, struct rocache *konst,
              struct rocache *inst, uint64_t *count);
void l15_end(struct l15 *c);
void l15_clear(struct l15 *c);
void l15_request(struct l15 *c, struct packet *p);       /* a read of a first level, which missed at STAMP_L1 */
bool l15_run(struct l15 *c, uint64_t now);               /* true: a first level has received a line */
void l15_fill(struct l15 *c, const struct packet *p, uint64_t now);      /* the reply of L2 */
void l15_settle(struct l15 *c, uint64_t until);          /* counts cycles of waiting for an MSHR entry */
uint64_t l15_next(const struct l15 *c, uint64_t after);  /* the next cycle > after in which it has something to do */

#endif
