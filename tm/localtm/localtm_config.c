/* The configuration of GPU-LocalTM from the keys. */
#include "tm/localtm/localtm.h"

static uint32_t number(const struct simtx_config *config, enum config_key key)
{
    return (uint32_t)config_int(config, key);
}

void localtm_configure(struct localtm_cfg *c, const struct simtx_config *config)
{
    uint32_t lanes = number(config, KEY_GPU_WARP_SIZE), width = number(config, KEY_CORE_SIMD_WIDTH);
#define CONFIG_ROWS "tm/localtm/config.def"
#include "base/config/config_copy.h"
    c->banks = number(config, KEY_SHARED_BANKS);
    c->lanes = number(config, KEY_SHARED_LANES);
    c->shared_per_sm = number(config, KEY_GPU_SHARED_PER_SM);
    c->add = number(config, KEY_LAT_INT_ADD) + (lanes + width - 1) / width - 1;
}
