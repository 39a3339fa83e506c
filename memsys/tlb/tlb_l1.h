/*
 * The TLB of an SM. The L1 data cache has virtual addresses, L2 physical ones (Jia et al., Dissecting the NVIDIA Volta
 * GPU Architecture via Microbenchmarking, 2018, section 3.8), so requests are translated in the miss queue, before
 * the crossbar. They are looked up in order, `ports` a cycle, each at least `latency` cycles after its arrival.
 * One that hits goes on to the crossbar. One that misses waits in an entry for its page, with the later requests of
 * that page, and others pass it (hit under miss: Pichai, Hsu and Bhattacharjee, Architectural support for address
 * translation on GPUs, ASPLOS 2014). When every entry is in use, or the page's has `merges` requests, the request
 * blocks those after it, and the miss queue fills.
 *
 * The requests of a page, so those of a line, leave in the order of their arrival. Messages to engines in L2
 * (transactional memory) carry no address to translate, but stay in order: one waits until all requests before it have
 * been translated, and those after it wait for it. Translation changes no address: virtual and physical addresses are
 * equal.
 */
#ifndef MEMSYS_TLB_L1_H
#define MEMSYS_TLB_L1_H

#include "memsys/clock.h"
#include "memsys/tags.h"
#include "memsys/tlb/tlb_config.h"
#include "memsys/xbar/packet.h"

/* A request of an SM's TLB to the shared one. count: the statistics of the SM. */
struct tlb_request { uint64_t at, page; uint64_t *count; uint32_t sm; };

/* A page that is missing, and the requests that wait for it. at: the cycle in which the translation arrives. */
struct tlb_miss { uint64_t page, at; struct packet_queue waiting; };

struct tlb_l1 {
    struct tlb_l1_cfg cfg;
    struct packet_queue asked;       /* requests that have not been looked up */
    struct packet_queue *out;        /* translated */
    bool blocked;                    /* the oldest of `asked` waits for an entry, or for those before it */
    uint32_t misses;
    uint32_t waiting;                /* requests in all entries */
    struct tlb_miss *miss;           /* entries in use, oldest first */
    struct tlb_request *sent;        /* not yet collected */
    uint32_t nsent;
    uint64_t settled;                /* waiting and blocked cycles before this one have been counted */
    uint64_t *count;
    uint32_t sm;
    struct tags tags;
};

void tlb_l1_init(struct tlb_l1 *t, const struct tlb_l1_cfg *cfg, uint32_t sm, struct packet_queue *out,
                 uint64_t *count);
void tlb_l1_end(struct tlb_l1 *t);
void tlb_l1_clear(struct tlb_l1 *t);                         /* empties it; nothing is in flight */
/* Requests that have passed leave through `out` in this cycle. True: fewer than before wait for the look-up. */
bool tlb_l1_run(struct tlb_l1 *t, uint64_t now);
uint64_t tlb_l1_next(const struct tlb_l1 *t, uint64_t after);    /* its next event > after */
/* The requests to the shared TLB since the last call. */
const struct tlb_request *tlb_l1_sent(struct tlb_l1 *t, uint32_t *n);
void tlb_l1_translated(struct tlb_l1 *t, uint64_t page, uint64_t at);    /* the reply, which arrives in cycle `at` */
void tlb_l1_settle(struct tlb_l1 *t, uint64_t until);        /* counts cycles of waiting */

static inline bool tlb_l1_idle(const struct tlb_l1 *t)
{
    return !t->asked.n && !t->misses;
}

#endif
