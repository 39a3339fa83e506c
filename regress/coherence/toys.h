/*
 * Coherence protocols for tests: MSI with write-back L1s, with atomics in L1 or at the home; and write-through L1s with
 * invalidation. The tables of Sorin, Hill and Wood, A Primer on Memory Consistency and Cache Coherence, chapter 8,
 * made smaller by a home that collects acknowledgements and serves one request of a line at a time.
 */
#ifndef REGRESS_COHERENCE_TOYS_H
#define REGRESS_COHERENCE_TOYS_H

#include "memsys/coherence/coherence.h"

extern const struct coherence toy_msi, toy_msi_home_atomics, toy_through;

/* L1 states of toy_msi; ISI: a missing line that was invalidated, DATA_S to come. Home states. */
enum { MSI_S = 1, MSI_M, MSI_ISI = 4 };
enum { MSI_HOME_V = 1, MSI_HOME_S };
enum { MSI_DATA_S = 5, MSI_INV = 9, MSI_INV_ACK = 12 };
enum { THROUGH_V = 1, THROUGH_IVI = 3, THROUGH_DATA = 3 };

#endif
