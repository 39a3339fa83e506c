/*
 * Litmus tests from cycles of relations between events (Alglave, Maranget: diy). A cycle alternates threads and
 * communications: each thread has two events joined by program order, a fence or a dependency, to another location, or
 * one write; from the last event of a thread to the first of the next leads Rfe (a write is read), Fre (a read sees the
 * value before a write) or Wse (a write overwrites one). The condition is the outcome in which all relations
 * hold, which no interleaving has: SC forbids every test.
 */
#ifndef REGRESS_LITMUS_GENERATE_H
#define REGRESS_LITMUS_GENERATE_H

struct generated {
    const char *name, *text;
    const char *sc, *tso, *ptx;      /* what the models must say of the condition; "?" = the cycle does not tell */
};

/* Calls `take` for every test; returns their number. */
int generate_tests(void (*take)(void *ctx, const struct generated *g), void *ctx);

#endif
