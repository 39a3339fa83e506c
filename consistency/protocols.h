/* The coherence protocols and memory-ordering policies that a configuration can name (registry.h). */
#ifndef CONSISTENCY_PROTOCOLS_H
#define CONSISTENCY_PROTOCOLS_H

#include "consistency/order.h"
#include "memsys/coherence/coherence.h"

/* Indexed by the choice of order.policy. */
extern const struct order_policy *const order_policies[];

/* Indexed by the choice of coherence.protocol; NULL = none, L1s are not kept coherent. */
extern const struct coherence *const coherence_protocols[];

#endif
