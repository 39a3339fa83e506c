/* The load/store unit's settings from the configuration keys, and the rules between them. */
#include <stdio.h>

#include "base/config.h"
#include "memsys/lsu/lsu.h"

static uint32_t get(const struct simtx_config *c, enum config_key k)
{
    return (uint32_t)config_int(c, k);
}

static struct cache_cfg cache(const struct simtx_config *c, enum config_key kb, enum config_key ways, uint32_t line,
                              enum config_key mshrs)
{
    struct cache_cfg r = {
        .bytes = get(c, kb) * 1024, .ways = get(c, ways), .line = line, .mshrs = get(c, mshrs), .merges = UINT32_MAX
    };
    r.sets = r.bytes / (r.ways * line);
    return r;
}

static void configure_l1(struct lsu_cfg *c, const struct simtx_config *config)
{
    c->l1 = cache(config, KEY_L1_KB, KEY_L1_WAYS, LINE_BYTES, KEY_L1_MSHRS);
    c->l1.latency = get(config, KEY_L1_LATENCY);
    c->l1.merges = get(config, KEY_L1_MERGES);
    c->l1_ports = get(config, KEY_L1_PORTS);
    c->miss_queue = get(config, KEY_L1_MISS_QUEUE);
    c->miss_cycles = get(config, KEY_L1_MISS_CYCLES);
    c->l1_exists = get(config, KEY_L1_KB) > 0;
    c->l1_sectored = config_bool(config, KEY_L1_SECTORED);
    c->l1_global = config_bool(config, KEY_L1_GLOBAL);
    c->l1_store_update = config_choice(config, KEY_L1_STORE_HIT) == 1;
    c->l1_local_writeback = config_bool(config, KEY_L1_LOCAL_WRITEBACK);
    c->l1_replacement = config_choice(config, KEY_L1_REPLACEMENT) == 1 ? TAGS_FIFO : TAGS_LRU;
    c->l1_streaming = config_bool(config, KEY_L1_STREAMING);
    c->l1_acquire = config_bool(config, KEY_L1_ACQUIRE);
    c->l1_hash = config_bool(config, KEY_L1_HASH);
}

static void configure_read_only(struct lsu_cfg *c, const struct simtx_config *config)
{
    c->konst = cache(config, KEY_CONST_KB, KEY_CONST_WAYS, get(config, KEY_CONST_LINE), KEY_CONST_MSHRS);
    c->konst.latency = get(config, KEY_CONST_LATENCY);
    c->texture = cache(config, KEY_TEXTURE_KB, KEY_TEXTURE_WAYS, get(config, KEY_TEXTURE_LINE), KEY_TEXTURE_MSHRS);
    c->texture.latency = get(config, KEY_TEXTURE_LATENCY);
    c->texture_nc = config_bool(config, KEY_TEXTURE_NC);
    c->inst = cache(config, KEY_INST_KB, KEY_INST_WAYS, get(config, KEY_INST_LINE), KEY_INST_MSHRS);
    c->inst_bytes = get(config, KEY_INST_BYTES);
    c->inst_prefetch = get(config, KEY_INST_PREFETCH);
}

void lsu_configure(struct lsu_cfg *c, const struct simtx_config *config)
{
    *c = (struct lsu_cfg){
        .queue = get(config, KEY_CORE_MEM_QUEUE), .warp_lanes = get(config, KEY_GPU_WARP_SIZE),
        .group_lanes = get(config, KEY_COALESCER_LANES), .segment = get(config, KEY_COALESCER_SEGMENT),
        .ldst_width = get(config, KEY_CORE_LDST_WIDTH),
        .shared = {
            .banks = get(config, KEY_SHARED_BANKS), .lanes_per_pass = get(config, KEY_SHARED_LANES),
            .broadcast = config_bool(config, KEY_SHARED_BROADCAST)
        },
        .shared_latency = get(config, KEY_SHARED_LATENCY),
        .flit_bytes = get(config, KEY_XBAR_FLIT)
    };
    configure_l1(c, config);
    configure_read_only(c, config);
}

/* A cache has at least one set, and its size is a whole number of sets. */
static bool check_cache(const struct cache_cfg *c, const char *name, char *error, size_t size)
{
    if (c->line < SECTOR_BYTES || c->line > LINE_BYTES || (c->line & (c->line - 1)))
        snprintf(error, size, "%s.line = %u: a line has 32, 64 or 128 bytes", name, c->line);
    else if (!c->sets || c->sets * c->ways * c->line != c->bytes)
        snprintf(error, size, "%s.kb, %s.ways: %u bytes are not a whole number of sets of %u lines of %u bytes", name,
                 name, c->bytes, c->ways, c->line);
    else
        return true;
    return false;
}

bool lsu_check(const struct lsu_cfg *c, char *error, size_t size)
{
    if (c->segment != 32 && c->segment != 64 && c->segment != 128)
        snprintf(error, size, "coalescer.segment = %u: 32, 64 or 128 bytes", c->segment);
    else if (c->warp_lanes % c->group_lanes && c->group_lanes < c->warp_lanes)
        snprintf(error, size, "coalescer.lanes = %u does not divide a warp of %u lanes", c->group_lanes, c->warp_lanes);
    else
        return (!c->l1_exists || check_cache(&c->l1, "l1", error, size)) &&
               check_cache(&c->konst, "const", error, size) && check_cache(&c->texture, "texture", error, size) &&
               check_cache(&c->inst, "inst", error, size);
    return false;
}
