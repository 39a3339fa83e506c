/*
 * Programs with transactions for tests, on a small GPU (regress/witness/lab.h): blocks of 32 threads, each of which
 * repeats its transaction some times; what they leave in memory does not depend on the order.
 */
#ifndef REGRESS_TM_PROGRAMS_H
#define REGRESS_TM_PROGRAMS_H

#include "regress/witness/lab.h"

enum tx_program { TX_BANK, TX_HASH, TX_COUNT, TX_PAIRS, TX_MIXED, TX_ALONE, TX_PROGRAMS };
/* TX_MIXED: with atomics beside; TX_ALONE: without conflicts. At most: */
enum { TX_MAX_TIMES = 8, TX_MAX_BLOCKS = 16 };

extern const char tx_programs[];                 /* PTX */
extern const char *const tx_names[TX_PROGRAMS];

/* The message of a failing launch; NULL = it went well. */
const char *tx_run(struct lab *l, enum tx_program p, uint32_t blocks, uint32_t times);
/* Is in memory what must be after such a run? */
bool tx_is_right(const struct lab *l, enum tx_program p, uint32_t blocks, uint32_t times);

#endif
