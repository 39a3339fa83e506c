/* The configuration of address translation: a TLB of each SM (l1), one that they share, and its page walkers (l2). */
#ifndef MEMSYS_TLB_CONFIG_H
#define MEMSYS_TLB_CONFIG_H

#include "base/config/config.h"

struct tlb_l1_cfg { uint32_t entries, ways, page_kb, latency, ports, misses, merges; };
struct tlb_l2_cfg { uint32_t entries, ways, page_kb, latency, ports, walkers, walk_latency; };
struct tlb_cfg {
    struct tlb_l1_cfg l1;            /* entries = 0: addresses are not translated */
    struct tlb_l2_cfg l2;            /* entries = 0: page walkers without a TLB */
    bool flush;
};

void tlb_configure(struct tlb_cfg *c, const struct simtx_config *config);    /* no ways = all entries */

#endif
