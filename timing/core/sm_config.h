/* The configuration of an SM. */
#ifndef TIMING_SM_CONFIG_H
#define TIMING_SM_CONFIG_H

#include "base/config/config.h"
#include "timing/cluster/cluster_config.h"

struct order_policy;

enum lat_class {
#define CLASS(id, ...) LC_##id,
#include "timing/core/classes.def"
    LAT_CLASSES
};

/* Instructions that are several machine instructions. */
enum sequence {
#define SEQUENCE(id, ...) SEQ_##id,
#include "timing/core/sequences.def"
    SEQ_NONE
};

struct sm_cfg {
    uint16_t index;
#define CONFIG_ROWS "timing/core/config.def"
#include "base/config/config_fields.h"
#define CONFIG_ROWS "timing/core/operands.def"
#include "base/config/config_fields.h"
#define CONFIG_ROWS "timing/core/thread_states.def"
#include "base/config/config_fields.h"
    struct { uint32_t latency, interval; } class[LAT_CLASSES];
    uint32_t slots[SEQ_NONE];        /* issue slots, by kind of sequence */
    uint32_t chain[SEQ_NONE];        /* result latency of the first lanes; 0 = that of the latency class */
    struct cnet_cfg cluster;
    uint32_t warps, blocks;          /* slots */
    uint32_t warp_size, core_mhz;
    bool combine_atomics;
    uint32_t shared_latency;         /* of the load/store unit */
    uint32_t inst_bytes, inst_line;  /* of the instruction cache */
    const struct order_policy *order;
    const struct simtx_config *config;       /* for the policy's own keys */
};

void sm_configure(struct sm_cfg *c, const struct simtx_config *config, uint16_t index);

#endif
