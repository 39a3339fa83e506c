/* The configuration of a commit unit from the keys, and its rules. */
#include <stdio.h>

#include "base/config/config.h"
#include "base/num.h"
#include "tm/kilo/unit/cu_state.h"

/* Lanes of the whole GPU that concurrency control allows in transactions at once; 0 = no limit. */
static uint64_t concurrency(const struct simtx_config *config)
{
    uint64_t sms = (uint64_t)config_int(config, KEY_GPU_SMS), warp = (uint64_t)config_int(config, KEY_GPU_WARP_SIZE);
    uint64_t limits[] = { (uint64_t)config_int(config, KEY_TM_WARPS) * warp * sms,
                          (uint64_t)config_int(config, KEY_TM_THREADS) * sms,
                          (uint64_t)config_int(config, KEY_TM_GLOBAL_WARPS) * warp };
    uint64_t least = 0;
    for (int i = 0; i < 3; i++)
        if (limits[i] && (!least || limits[i] < least))
            least = limits[i];
    return least;
}

void cu_configure(struct cu_cfg *c, const struct simtx_config *config)
{
    *c = (struct cu_cfg){ .limit = concurrency(config), .seed = (uint64_t)config_int(config, KEY_SIM_SEED) };
#define CONFIG_ROWS "tm/kilo/unit/config.def"
#include "base/config/config_copy.h"
    c->ideal_latency = c->latency + (c->l2_latency ? c->l2_latency : (uint32_t)config_int(config, KEY_L2_LATENCY));
}

/* Hashes index the parts, so each must have a power of two of entries. */
static bool splits(uint32_t all, uint32_t parts)
{
    return parts && all % parts == 0 && num_power_of_two(all / parts);
}

bool cu_check(const struct cu_cfg *c, char *error, size_t size)
{
    const char *what =
        !num_power_of_two(c->lwh_sets) ? "kilotm.lwh_sets is no power of two"
        : !splits(c->lwh_buckets, c->lwh_arrays) ? "kilotm.lwh_buckets / kilotm.lwh_arrays is no power of two"
        : !num_power_of_two(c->granularity) || c->granularity < 4 ? "kilotm.granularity is no power of two from 4 on"
        : !splits(c->bf_bits, c->bf_functions) ? "kilotm.bf_bits / kilotm.bf_functions is no power of two"
        : c->ring && c->ring < KILO_LANES ? "kilotm.ring is neither 0 nor at least 64, the lanes of the widest warp"
        : c->buffers == 1 ? "kilotm.buffers is 1: a transaction that reads and writes needs two" : NULL;
    if (what)
        snprintf(error, size, "%s", what);
    return !what;
}
