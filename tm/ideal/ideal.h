/*
 * The ideal TM system of the KILO TM paper (section 5): no logs, no messages of its own, a commit takes no time; its
 * attempts pay for what they execute, and for executing it again. Conflicts are found by values (tm.ideal_detection =
 * value), and before that by the signatures of the paper's section 3.1.3 or the record ring of 4.2.
 */
#ifndef TM_IDEAL_H
#define TM_IDEAL_H

#include "tm/tm.h"

extern const struct tm_protocol tm_ideal;

#endif
