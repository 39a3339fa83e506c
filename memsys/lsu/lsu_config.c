/* The load/store unit's configuration from the keys, and the rules of its read-only caches and shared memory. */
#include "memsys/cache_size.h"
#include "memsys/lsu/lsu.h"

static void coalescer_configure(struct coalescer_cfg *c, const struct simtx_config *config)
{
#define CONFIG_ROWS "memsys/lsu/coalesce.def"
#include "base/config/config_copy.h"
}

static void shared_configure(struct shared_cfg *c, const struct simtx_config *config)
{
#define CONFIG_ROWS "memsys/lsu/shared.def"
#include "base/config/config_copy.h"
}

void readonly_configure(struct readonly_cfg *c, const struct simtx_config *config)
{
#define CONFIG_ROWS "memsys/lsu/rocache.def"
#include "base/config/config_copy.h"
    struct rocache_cfg *caches[] = { &c->konst, &c->texture, &c->inst };
    for (int i = 0; i < 3; i++)
        caches[i]->sets = cache_sets(caches[i]->kb, caches[i]->ways, caches[i]->line);
    c->l15.sets = cache_sets(c->l15.kb, c->l15.ways, LINE_BYTES);
}

void lsu_configure(struct lsu_cfg *c, const struct simtx_config *config)
{
    *c = (struct lsu_cfg){ 0 };
#define CONFIG_ROWS "memsys/lsu/config.def"
#include "base/config/config_copy.h"
    coalescer_configure(&c->coalescer, config);
    shared_configure(&c->shared, config);
    l1_configure(&c->l1, config);
    readonly_configure(&c->ro, config);
    tlb_configure(&c->tlb, config);
    c->warp_lanes = (uint32_t)config_int(config, KEY_GPU_WARP_SIZE);
    c->flit_bytes = (uint32_t)config_int(config, KEY_XBAR_FLIT);
}

void readonly_check(const struct simtx_config *config, struct diag *d)
{
    cache_check_size(config, KEY_CONST_KB, KEY_CONST_WAYS, KEY_CONST_LINE, d);
    cache_check_size(config, KEY_TEXTURE_KB, KEY_TEXTURE_WAYS, KEY_TEXTURE_LINE, d);
    cache_check_size(config, KEY_INST_KB, KEY_INST_WAYS, KEY_INST_LINE, d);
    cache_check_size(config, KEY_L15_KB, KEY_L15_WAYS, KEY_NONE, d);
    if (config_int(config, KEY_INST_LAUNCH_KB) && !config_int(config, KEY_L15_KB))
        diag_error(d, 0, 0, "%s needs an L1.5: set l15.kb",
                   config_setting(config, KEY_INST_LAUNCH_KB).text);
}

void shared_check(const struct simtx_config *config, struct diag *d)
{
    enum { LEAST = 4 };
    int64_t block = config_int(config, KEY_SHARED_BLOCK);
    if (block && (block < LEAST || (block & (block - 1))))
        diag_error(d, 0, 0, "%s: must be 0 or a power of two from %d to 4096",
                   config_setting(config, KEY_SHARED_BLOCK).text, LEAST);
}

/* Groups of lanes share passes over the banks, when lanes share words. */
void shared_warn(const struct simtx_config *config, struct diag *d)
{
    if (config_choice(config, KEY_SHARED_MERGE) == SHARED_MERGE_NONE)
        return;
    if (config_int(config, KEY_SHARED_BLOCK))
        config_warn_unused(config, KEY_SHARED_MERGE, KEY_SHARED_BLOCK, d);
    else if (!config_bool(config, KEY_SHARED_BROADCAST))
        config_warn_unused(config, KEY_SHARED_MERGE, KEY_SHARED_BROADCAST, d);
}
