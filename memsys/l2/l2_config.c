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

/* Without sectors lines are fetched whole, and so is global memory under a coherence protocol. */
static void warn_of_unused(const struct simtx_config *config, struct diag *d)
{
    if (!config_bool(config, KEY_L2_SECTORED))
        config_warn_unused(config, KEY_L2_FETCH_BYTES, KEY_L2_SECTORED, d);
    else if (config_choice(config, KEY_COHERENCE_PROTOCOL) && config_is_own(config, KEY_L2_FETCH_BYTES))
        diag_warn(d, 0, 0, "%s has no effect on global memory with %s", config_setting(config, KEY_L2_FETCH_BYTES).text,
                  config_setting(config, KEY_COHERENCE_PROTOCOL).text);
    if (config_bool(config, KEY_L2_PARAMETERS) && !config_int(config, KEY_L2_SLICE_KB))
        config_warn_unused(config, KEY_L2_PARAMETERS, KEY_L2_SLICE_KB, d);
}

/* Programs read the size of L2 from gpu.l2_kb. */
void l2_warn(const struct simtx_config *config, struct diag *d)
{
    warn_of_unused(config, d);
    int64_t slices = config_int(config, KEY_DRAM_CHANNELS) * config_int(config, KEY_L2_SLICES);
    int64_t kb = slices * config_int(config, KEY_L2_SLICE_KB);
    if (config_int(config, KEY_GPU_L2_KB) != kb)
        diag_warn(d, 0, 0, "programs are told %s, simulated are %lld KiB: %lld slices with %s",
                  config_setting(config, KEY_GPU_L2_KB).text, (long long)kb, (long long)slices,
                  config_setting(config, KEY_L2_SLICE_KB).text);
}
