/*
 * The ideal TM system of the KILO TM paper (section 5): no logs, no messages, and commits take no time; the
 * instructions of attempts, retries included, cost what they cost anywhere. Conflicts are detected by value
 * (tm.ideal_detection = value), or earlier, by the signatures of the paper's section 3.1.3 or the ring of signatures of
 * 4.2.
 */
#ifndef TM_IDEAL_H
#define TM_IDEAL_H

#include "tm/tm.h"

extern const struct tm_protocol tm_ideal;

#endif
