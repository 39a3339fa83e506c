/* The configuration of a commit unit from the keys, and its rules. */
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

void cu_check(const struct simtx_config *config, struct diag *d)
{
    struct cu_cfg c;
    cu_configure(&c, config);
    if (!splits(c.lwh_buckets, c.lwh_arrays))
        diag_error(d, 0, 0, "%s: each sub-array of %s must have a power of two of buckets",
                   config_setting(config, KEY_KILO_LWH_BUCKETS).text, config_setting(config, KEY_KILO_LWH_ARRAYS).text);
    if (!splits(c.bf_bits, c.bf_functions))
        diag_error(d, 0, 0, "%s: each sub-signature of %s must have a power of two of bits",
                   config_setting(config, KEY_KILO_BF_BITS).text, config_setting(config, KEY_KILO_BF_FUNCTIONS).text);
    if (c.ring && c.ring < KILO_LANES)
        diag_error(d, 0, 0, "%s is neither 0 nor at least %d, the lanes of the widest warp",
                   config_setting(config, KEY_KILO_RING).text, KILO_LANES);
    if (c.buffers == 1)
        diag_error(d, 0, 0, "%s: a transaction that reads and writes needs two",
                   config_setting(config, KEY_KILO_BUFFERS).text);
}
