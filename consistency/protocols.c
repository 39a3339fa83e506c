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

const struct order_policy *order_policy_of(const struct simtx_config *c)
{
    return policies[config_choice(c, KEY_ORDER_POLICY)];
}

const struct coherence *coherence_of(const struct simtx_config *c)
{
    const struct coherence *p = protocols[config_choice(c, KEY_COHERENCE_PROTOCOL)];
    return p && p->variant ? p->variant(c) : p;
}
