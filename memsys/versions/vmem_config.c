/* The configuration of versioned memory from the keys, and its rules. */
#include "memsys/versions/vmem.h"

void vmem_configure(struct vmem_cfg *c, const struct simtx_config *config)
{
    *c = (struct vmem_cfg){ 0 };
#define CONFIG_ROWS "memsys/versions/config.def"
#include "base/config/config_copy.h"
}

/* A version is a copy, so there are two at least, and a subarray has a row of device memory for its slots. */
void vmem_check(const struct simtx_config *config, struct diag *d)
{
    struct vmem_cfg c;
    vmem_configure(&c, config);
    if (c.slots == 1)
        diag_error(d, 0, 0, "%s: versioned memory has 2 slots at least; 0 = no versioned memory",
                   config_setting(config, KEY_VERSION_SLOTS).text);
    int64_t reserved = config_choice(config, KEY_DRAM_BULK) == DRAM_BULK_CLONE;
    if (c.slots > config_int(config, KEY_DRAM_SUBARRAY_ROWS) - reserved)
        diag_error(d, 0, 0, "%s is more than %s%s: the slots of a row lie in one subarray",
                   config_setting(config, KEY_VERSION_SLOTS).text,
                   config_setting(config, KEY_DRAM_SUBARRAY_ROWS).text,
                   reserved ? ", less a row of zeros (dram.bulk = clone)" : "");
}
