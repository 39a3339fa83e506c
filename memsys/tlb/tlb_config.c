/* The configuration of address translation from the keys, and its rules. */
#include "memsys/tlb/tlb_config.h"

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

/* SMs and the shared TLB exchange messages between two windows, and a window is half a path through a crossbar. */
static void check_latency(const struct simtx_config *config, struct diag *d)
{
    double half = (double)(config_int(config, KEY_XBAR_LATENCY) / 2);
    double least = half * (double)config_int(config, KEY_GPU_CORE_MHZ) / config_real(config, KEY_XBAR_MHZ);
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
