/* The configuration of an L1 data cache. */
#ifndef MEMSYS_L1_CONFIG_H
#define MEMSYS_L1_CONFIG_H

#include "base/config/config.h"

struct coherence;

struct l1_cfg {
#define CONFIG_ROWS "memsys/l1/config.def"
#include "base/config/config_fields.h"
    uint32_t sets;                   /* 0 = no L1 */
    uint32_t stages;                 /* that an access passes before its look-up, at least 2; 0 = looked up at once */
    const struct coherence *coherence;       /* protocol of global lines; NULL = none: they are written through */
    uint64_t *coherence_seen;                /* how often each row of its L1 table was used, for tests; or NULL */
};

void l1_configure(struct l1_cfg *c, const struct simtx_config *config);

#endif
