/*
 * What the finders share. A finder is a program that is linked with a deliberate fault of the product and looks for it;
 * it prints one line (finder_tells) and ends with 0. Any other test program can be one, too: it finds the fault if it
 * fails.
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
 * Calls `run` in a child process, since a fault may crash or hang the simulator, for at most so many seconds of
 * processor time; finder_clock sets the limit anew. `run` fills in what it finds, in memory that both processes share.
 * True: it has found something, or the process died.
 */
bool finder_try(void (*run)(void *ctx, struct finding *found), void *ctx, unsigned seconds, struct finding *found);
void finder_clock(unsigned seconds);
/* Prints what was found, or that nothing was; returns main's result. */
int finder_tells(const struct finding *found);
/* Prints that the outcome is not the one that the fault must have. */
int finder_tells_wrong(const char *why);

#endif
