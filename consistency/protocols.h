/* The memory-ordering policies and coherence protocols that a configuration can name (consistency/registry.def). */
#ifndef CONSISTENCY_PROTOCOLS_H
#define CONSISTENCY_PROTOCOLS_H

#include "base/config/config.h"
#include "consistency/order.h"
#include "memsys/coherence/coherence.h"

/* What order.policy chooses. */
const struct order_policy *order_policy_of(const struct simtx_config *c);
/* What coherence.protocol chooses; NULL = none, L1s are not kept coherent. */
const struct coherence *coherence_of(const struct simtx_config *c);

/* The choices and meanings of both keys, for consistency/config.def. */
extern const char order_policy_choices[], order_policy_meanings[], coherence_choices[], coherence_meanings[];

#endif
