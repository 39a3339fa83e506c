/* The GPU as a whole: the values of gpu.def. */
#ifndef CONFIGS_GPU_H
#define CONFIGS_GPU_H

#include "base/config/config.h"

struct gpu_cfg {
#define CONFIG_ROWS "configs/gpu.def"
#include "base/config/config_fields.h"
};

static inline void gpu_configure(struct gpu_cfg *c, const struct simtx_config *config)
{
#define CONFIG_ROWS "configs/gpu.def"
#include "base/config/config_copy.h"
}

#endif
