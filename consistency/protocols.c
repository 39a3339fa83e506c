/* The policies and protocols of consistency/registry.def, in the order of the choices of their keys. */
#include "consistency/protocols.h"

#include <stddef.h>

#define ORDER_POLICY(symbol, name, meaning) extern const struct order_policy symbol;
#include "consistency/registry.def"
#undef ORDER_POLICY
#define COHERENCE_PROTOCOL(symbol, name, meaning) extern const struct coherence symbol;
#include "consistency/registry.def"
#undef COHERENCE_PROTOCOL

static const struct order_policy *const policies[] = {
#define ORDER_POLICY(symbol, name, meaning) &symbol,
#include "consistency/registry.def"
#undef ORDER_POLICY
};

static const struct coherence *const protocols[] = {
    NULL,
#define COHERENCE_PROTOCOL(symbol, name, meaning) &symbol,
#include "consistency/registry.def"
#undef COHERENCE_PROTOCOL
};

struct consistency_cfg {
#define CONFIG_ROWS "consistency/config.def"
#include "base/config/config_fields.h"
};

static void configure(struct consistency_cfg *c, const struct simtx_config *config)
{
#define CONFIG_ROWS "consistency/config.def"
#include "base/config/config_copy.h"
}

const struct order_policy *order_policy_of(const struct simtx_config *config)
{
    struct consistency_cfg c;
    configure(&c, config);
    return policies[c.policy];
}

const struct coherence *coherence_of(const struct simtx_config *config)
{
    struct consistency_cfg c;
    configure(&c, config);
    const struct coherence *p = protocols[c.protocol];
    return p && p->variant ? p->variant(config) : p;
}
