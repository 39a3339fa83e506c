/* The configuration of an L1 data cache from the keys, and its rules. */
#include "memsys/cache_size.h"
#include "memsys/l1/l1_config.h"
#include "memsys/xbar/packet.h"

void l1_configure(struct l1_cfg *c, const struct simtx_config *config)
{
    *c = (struct l1_cfg){ 0 };
#define CONFIG_ROWS "memsys/l1/config.def"
#include "base/config_copy.h"
    c->sets = cache_sets(c->kb, c->ways, LINE_BYTES);
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

void l1_check(const struct simtx_config *config, struct diag *d)
{
    cache_check_size(config, KEY_L1_KB, KEY_L1_WAYS, KEY_NONE, d);
    check_memory(config, d);
}
