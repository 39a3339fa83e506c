/* The configuration of an L2 slice from the keys, and its rules. */
#include "memsys/cache_size.h"
#include "memsys/l2/partition.h"

void l2_configure(struct l2_cfg *c, const struct simtx_config *config)
{
    *c = (struct l2_cfg){ 0 };
#define CONFIG_ROWS "memsys/l2/config.def"
#include "base/config/config_copy.h"
    c->sets = cache_sets(c->slice_kb, c->ways, LINE_BYTES) / c->replicas;
}

void l2_check(const struct simtx_config *config, struct diag *d)
{
    cache_check_size(config, KEY_L2_SLICE_KB, KEY_L2_WAYS, KEY_NONE, d);
    uint32_t sets = cache_sets((uint32_t)config_int(config, KEY_L2_SLICE_KB), (uint32_t)config_int(config, KEY_L2_WAYS),
                               LINE_BYTES);
    if (sets % config_int(config, KEY_L2_REPLICAS))
        diag_error(d, 0, 0, "%s must divide the %u sets of a slice (%s, %s)",
                   config_setting(config, KEY_L2_REPLICAS).text, sets, config_setting(config, KEY_L2_SLICE_KB).text,
                   config_setting(config, KEY_L2_WAYS).text);
}

/* Programs read the size of L2 from gpu.l2_kb. */
void l2_warn(const struct simtx_config *config, struct diag *d)
{
    int64_t slices = config_int(config, KEY_DRAM_CHANNELS) * config_int(config, KEY_L2_SLICES);
    int64_t kb = slices * config_int(config, KEY_L2_SLICE_KB);
    if (config_int(config, KEY_GPU_L2_KB) != kb)
        diag_warn(d, 0, 0, "programs are told %s, simulated are %lld KiB: %lld slices with %s",
                  config_setting(config, KEY_GPU_L2_KB).text, (long long)kb, (long long)slices,
                  config_setting(config, KEY_L2_SLICE_KB).text);
}
