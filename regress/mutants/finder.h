/*
 * What the finders share: programs that look for a deliberate fault of the product that they are linked with. A finder
 * prints one line (finder_tells) and ends with 0. Any other test program is one as well: it finds what it fails at.
 */
#ifndef REGRESS_MUTANTS_FINDER_H
#define REGRESS_MUTANTS_FINDER_H

#include <stdbool.h>

enum { FINDING_TEXT = 200 };

/* Which check found the fault ("" = none did), in which program or setup, within how many transactions or the like. */
struct finding { char check[FINDING_TEXT], where[FINDING_TEXT], count[FINDING_TEXT]; };

/* The check of a message: the first row of `kinds` (words, check) whose words stand in it; the last row's are "". */
const char *finder_check(const char *const kinds[][2], const char *message);
/*
 * Runs it in a process of its own, since a fault may crash or hang the simulator: so many seconds of processor time, at
 * most, or since finder_clock was called last. It fills in what it finds, in memory that both processes have. Did it,
 * or did it die?
 */
bool finder_try(void (*run)(void *ctx, struct finding *found), void *ctx, unsigned seconds, struct finding *found);
void finder_clock(unsigned seconds);
/* Prints what was found, or that nothing was; returns main's result. */
int finder_tells(const struct finding *found);
/* The outcome is not the one that the fault must have. */
int finder_tells_wrong(const char *why);

#endif
