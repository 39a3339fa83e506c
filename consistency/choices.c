/* The choices of order.policy and coherence.protocol, and their meanings, from the rows of consistency/registry.def. */
#include "consistency/protocols.h"

/* Each name follows a separator; the key's choices begin after the first. */
const char order_policy_choices[] = ""
#define ORDER_POLICY(symbol, name, meaning) "|" name
#include "consistency/registry.def"
#undef ORDER_POLICY
    ;

const char order_policy_meanings[] = "when a warp's memory instruction may issue"
#define ORDER_POLICY(symbol, name, meaning) "; " name ": " meaning
#include "consistency/registry.def"
#undef ORDER_POLICY
    ;

const char coherence_choices[] = "none"
#define COHERENCE_PROTOCOL(symbol, name, meaning) "|" name
#include "consistency/registry.def"
#undef COHERENCE_PROTOCOL
    ;

const char coherence_meanings[] = "what keeps the global lines of the L1s coherent; none: nothing, stores are written "
                                  "through, and copies become stale"
#define COHERENCE_PROTOCOL(symbol, name, meaning) "; " name ": " meaning
#include "consistency/registry.def"
#undef COHERENCE_PROTOCOL
    ;
