/*
 * The coherence protocols and memory-ordering policies that a configuration can name. A new one is a file of its own
 * with its table, a line in protocols.c, and its name among the choices of the key.
 */
#ifndef CONSISTENCY_PROTOCOLS_H
#define CONSISTENCY_PROTOCOLS_H

#include "memsys/coherence.h"

/* coherence.protocol: by choice; NULL = none, L1s are not kept coherent. */
extern const struct coherence *const coherence_protocols[];

#endif
