/* The configuration of address translation from the keys, and its rules. */
#include "memsys/tlb/tlb_config.h"

#include <math.h>

void tlb_configure(struct tlb_cfg *c, const struct simtx_config *config)
{
#define CONFIG_ROWS "memsys/tlb/config.def"
#include "base/config/config_copy.h"
    c->l1.ways = c->l1.ways ? c->l1.ways : c->l1.entries;
    c->l2.ways = c->l2.ways ? c->l2.ways : c->l2.entries;
}

static void check_sets(const struct simtx_config *config, enum config_key entries, enum config_key ways,
                       struct diag *d)
{
    int64_t n = config_int(config, entries), in_set = config_int(config, ways);
    if (in_set && n % in_set)
        diag_error(d, 0, 0, "%s does not divide into sets of %s", config_setting(config, entries).text,
                   config_setting(config, ways).text);
}

/* SMs and the shared TLB exchange messages between two windows, and the shortest window is half of xbar.latency. */
static void check_latency(const struct simtx_config *config, struct diag *d)
{
    double half = (double)(config_int(config, KEY_XBAR_LATENCY) / 2);
    double least = floor(half * (double)config_int(config, KEY_GPU_CORE_MHZ) / config_real(config, KEY_XBAR_MHZ));
    if ((double)config_int(config, KEY_TLB_L2_LATENCY) < least)
        diag_error(d, 0, 0, "%s is less than the %.0f core cycles of half of %s",
                   config_setting(config, KEY_TLB_L2_LATENCY).text, least,
                   config_setting(config, KEY_XBAR_LATENCY).text);
}

void tlb_check(const struct simtx_config *config, struct diag *d)
{
    if (!config_int(config, KEY_TLB_L1_ENTRIES))
        return;
    check_sets(config, KEY_TLB_L1_ENTRIES, KEY_TLB_L1_WAYS, d);
    check_sets(config, KEY_TLB_L2_ENTRIES, KEY_TLB_L2_WAYS, d);
    check_latency(config, d);
}

void tlb_warn(const struct simtx_config *config, struct diag *d)
{
    static const enum config_key others[] = {
        KEY_TLB_L1_WAYS, KEY_TLB_L1_PAGE_KB, KEY_TLB_L1_LATENCY, KEY_TLB_L1_PORTS, KEY_TLB_L1_MISSES,
        KEY_TLB_L1_MERGES, KEY_TLB_L2_ENTRIES, KEY_TLB_L2_WAYS, KEY_TLB_L2_PAGE_KB, KEY_TLB_L2_LATENCY,
        KEY_TLB_L2_PORTS, KEY_TLB_WALKERS, KEY_TLB_WALK_LATENCY, KEY_TLB_FLUSH
    };
    for (size_t i = 0; i < sizeof others / sizeof *others && !config_int(config, KEY_TLB_L1_ENTRIES); i++)
        config_warn_unused(config, others[i], KEY_TLB_L1_ENTRIES, d);
    if (config_int(config, KEY_TLB_L1_ENTRIES) && !config_int(config, KEY_TLB_L2_ENTRIES))
        config_warn_unused(config, KEY_TLB_L2_WAYS, KEY_TLB_L2_ENTRIES, d);
}
