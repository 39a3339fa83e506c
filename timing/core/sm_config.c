/* The configuration of an SM and its rules. */
#include "configs/gpu.h"
#include "consistency/protocols.h"
#include "memsys/lsu/lsu.h"
#include "timing/core/sm_config.h"

static void copy_rows(struct sm_cfg *c, const struct simtx_config *config)
{
#define CONFIG_ROWS "timing/core/config.def"
#include "base/config/config_copy.h"
#define CONFIG_ROWS "timing/core/operands.def"
#include "base/config/config_copy.h"
#define CONFIG_ROWS "timing/core/thread_states.def"
#include "base/config/config_copy.h"
#define CONFIG_ROWS "timing/core/classes.def"
#include "base/config/config_copy.h"
#define CONFIG_ROWS "timing/core/sequences.def"
#include "base/config/config_copy.h"
}

void sm_configure(struct sm_cfg *c, const struct simtx_config *config, uint16_t index)
{
    struct gpu_cfg gpu;
    struct readonly_cfg caches;
    gpu_configure(&gpu, config);
    readonly_configure(&caches, config);
    *c = (struct sm_cfg){
        .index = index, .warps = gpu.max_threads_per_sm / gpu.warp_size, .blocks = gpu.max_blocks_per_sm,
        .warp_size = gpu.warp_size, .core_mhz = gpu.core_mhz,
        .combine_atomics = gpu.combine_atomics,
        .inst_bytes = caches.inst_bytes, .inst_line = caches.inst.line,
        .order = order_policy_of(config), .config = config
    };
    copy_rows(c, config);
    cnet_configure(&c->cluster, config);
    c->shared_latency = (uint32_t)config_int(config, KEY_SHARED_LATENCY);
    if (!c->barrier_latency)
        c->barrier_latency = c->class[LC_CTRL].latency;
    if (c->mem_stages < 0)
        c->mem_stages = c->stages;
    if (!c->issue_interval)
        c->issue_interval = c->schedulers == 1 ? (c->warp_size + c->simd_width - 1) / c->simd_width : 1;
}

/* The warps of a scheduler are bits of a word. Scalar instructions take the time of a front end that has one
 * instruction of a warp at a time: another would execute them beside the warp's other instructions. */
void sm_check(const struct simtx_config *config, struct diag *d)
{
    enum { WARPS = 64 };
    int64_t warps = config_int(config, KEY_GPU_MAX_THREADS_PER_SM) / config_int(config, KEY_GPU_WARP_SIZE);
    if (warps > WARPS * config_int(config, KEY_CORE_SCHEDULERS))
        diag_error(d, 0, 0, "%s and %s make %lld warps, more than %d for each of %s",
                   config_setting(config, KEY_GPU_MAX_THREADS_PER_SM).text,
                   config_setting(config, KEY_GPU_WARP_SIZE).text, (long long)warps, WARPS,
                   config_setting(config, KEY_CORE_SCHEDULERS).text);
    if (config_bool(config, KEY_CORE_EXEC_MASK) && !config_int(config, KEY_CORE_REFETCH))
        diag_error(d, 0, 0, "%s needs core.refetch of at least 1, but %s",
                   config_setting(config, KEY_CORE_EXEC_MASK).text, config_setting(config, KEY_CORE_REFETCH).text);
}

void sm_warn(const struct simtx_config *config, struct diag *d)
{
    static const enum config_key combined[] = { KEY_SLOTS_ATOMIC_SUM, KEY_SLOTS_ATOMIC_REDUCE, KEY_SLOTS_ATOMIC_RANK };
    if (config_bool(config, KEY_GPU_COMBINE_ATOMICS))
        return;
    for (size_t i = 0; i < sizeof combined / sizeof *combined; i++)
        config_warn_unused(config, combined[i], KEY_GPU_COMBINE_ATOMICS, d);
}
