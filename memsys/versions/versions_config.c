/* The configuration of versioned memory from the keys, and its rules. */
#include "memsys/versions/versions.h"

void versions_configure(struct versions_cfg *c, const struct simtx_config *config)
{
    *c = (struct versions_cfg){ 0 };
#define CONFIG_ROWS "memsys/versions/config.def"
#include "base/config/config_copy.h"
}

/* A version is a copy, so there are two at least, and a subarray has a row of device memory for its slots. */
void versions_check(const struct simtx_config *config, struct diag *d)
{
    struct versions_cfg c;
    versions_configure(&c, config);
    if (c.slots == 1)
        diag_error(d, 0, 0, "%s: versioned memory has 2 slots at least; 0 = no versioned memory",
                   config_setting(config, KEY_VERSION_SLOTS).text);
    if (c.slots > config_int(config, KEY_DRAM_SUBARRAY_ROWS))
        diag_error(d, 0, 0, "%s is more than %s: the slots of a row lie in one subarray",
                   config_setting(config, KEY_VERSION_SLOTS).text,
                   config_setting(config, KEY_DRAM_SUBARRAY_ROWS).text);
}
