/* The policies and protocols of registry.h, indexed by the choices of their keys. */
#include "consistency/protocols.h"

#include <stddef.h>

#include "consistency/registry.h"

#define REFERENCE(symbol, name) &symbol,
const struct order_policy *const order_policies[] = { ORDER_POLICIES(REFERENCE) };
const struct coherence *const coherence_protocols[] = { NULL, COHERENCE_PROTOCOLS(REFERENCE) };
