/* What each mechanism is worth: the comparison again, with one of them left out at a time. */
#ifndef REGRESS_CORRELATION_WITHOUT_H
#define REGRESS_CORRELATION_WITHOUT_H

#include "regress/correlation/summary.h"

void print_without(const struct comparison *all, const char *dir, bool markdown);

#endif
