/* The registry of coherence protocols. */
#include <stddef.h>

#include "consistency/protocols.h"

const struct coherence *const coherence_protocols[] = { NULL };
