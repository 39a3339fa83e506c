/* The configuration of an L1 data cache from the keys, and its rules. */
#include "memsys/cache_size.h"
#include "memsys/l1/l1_config.h"
#include "memsys/xbar/packet.h"

void l1_configure(struct l1_cfg *c, const struct simtx_config *config)
{
    *c = (struct l1_cfg){ 0 };
#define CONFIG_ROWS "memsys/l1/config.def"
#include "base/config/config_copy.h"
    c->sets = cache_sets(c->kb, c->ways, LINE_BYTES);
    if (c->pipelined && c->sets && c->latency > 1) {
        c->stages = c->latency;
        c->latency = 1;
    }
}

/* The simulator keeps the bytes of all L1 caches. */
static void check_memory(const struct simtx_config *config, struct diag *d)
{
    enum { MOST_MB = 2048 };
    int64_t mb = config_int(config, KEY_GPU_SMS) * config_int(config, KEY_L1_KB) / 1024;
    if (mb > MOST_MB)
        diag_error(d, 0, 0, "%s and %s make %lld MiB of L1 in all, more than %d",
                   config_setting(config, KEY_GPU_SMS).text, config_setting(config, KEY_L1_KB).text, (long long)mb,
                   MOST_MB);
}

static void check_index(const struct simtx_config *config, struct diag *d)
{
    struct l1_cfg c;
    l1_configure(&c, config);
    if (c.sets && c.hash == TAGS_FERMI && c.sets != 32 && c.sets != 64)
        diag_error(d, 0, 0, "%s is known for 32 and 64 sets, not for the %u of %s and %s",
                   config_setting(config, KEY_L1_HASH).text, c.sets, config_setting(config, KEY_L1_KB).text,
                   config_setting(config, KEY_L1_WAYS).text);
}

void l1_check(const struct simtx_config *config, struct diag *d)
{
    cache_check_size(config, KEY_L1_KB, KEY_L1_WAYS, KEY_NONE, d);
    check_memory(config, d);
    check_index(config, d);
}
