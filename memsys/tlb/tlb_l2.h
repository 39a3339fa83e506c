/*
 * The TLB that all SMs share, and its page walkers (Power, Hill and Wood, Supporting x86-64 address translation for
 * 100s of GPU lanes, HPCA 2014; Ausavarungnirun et al., MASK, ASPLOS 2018). It looks up `ports` requests a core cycle,
 * in the order of their cycles and, in the same cycle, of their SMs. A hit reaches its SM `latency` cycles after the
 * look-up. A miss starts a page walk of walk_latency cycles when one of the `walkers` is free, and a miss in a page
 * that is being walked waits for that walk. The walk fills the TLB, and its translation reaches the SMs `latency`
 * cycles later. Walks access no cache and no memory.
 *
 * It runs between two windows of the machine, so its replies must arrive after the window: `latency` is at least the
 * length of a window (tlb_check). Because walks take equally long, the cycle of each reply is known at the look-up.
 */
#ifndef MEMSYS_TLB_L2_H
#define MEMSYS_TLB_L2_H

#include "memsys/tlb/tlb_l1.h"

struct tlb_l2;
struct tlb_l2 *tlb_l2_new(const struct tlb_l2_cfg *cfg);
void tlb_l2_free(struct tlb_l2 *t);
void tlb_l2_clear(struct tlb_l2 *t);                         /* empties it; nothing is in flight */
/* A request, which is served by the next tlb_l2_run; of the requests of one SM, an earlier one comes first. */
void tlb_l2_receive(struct tlb_l2 *t, const struct tlb_request *r);
/* Serves what it has received. No later request may have an earlier cycle. at: of the reply. */
void tlb_l2_run(struct tlb_l2 *t, void (*reply)(void *ctx, const struct tlb_request *r, uint64_t at), void *ctx);

#endif
