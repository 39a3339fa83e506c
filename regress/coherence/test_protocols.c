/*
 * The protocols of consistency/ under random accesses, with all invariants checked, until the number of loads that is
 * given has performed; at the end every row of their tables must have been executed, but for those that are excused.
 * Usage: test_protocols LOADS mesi|write-through; test_protocols tables NUMBER: prints a protocol's tables (tester.h)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regress/coherence/tables.h"
#include "regress/coherence/tester.h"

static struct tester tester[TESTER_PROTOCOLS];

static void run(struct tester *t, unsigned n, uint64_t loads)
{
    tester_open(t, n);
    for (uint64_t seed = 1; t->loads < loads; seed++)
        tester_run(t, seed);
    printf("%s: %llu runs, %llu loads, %llu of them of lines that were invalidated in flight\n", t->name,
           (unsigned long long)t->runs, (unsigned long long)t->loads, (unsigned long long)t->late);
}

/* Protocols first to last have one home table. */
static bool test(unsigned first, unsigned last, uint64_t loads)
{
    static uint64_t home_seen[ROWS_MAX];
    bool ok = true;
    for (unsigned n = first; n <= last; n++) {
        run(&tester[n], n, loads);
        for (unsigned i = 0; i < ROWS_MAX; i++)
            home_seen[i] += tester[n].home_seen[i];
    }
    for (unsigned n = first; n <= last; n++) {
        const struct tester *t = &tester[n];
        ok &= !coverage_lacks(t->states.p, t->l1_seen, home_seen, t->excuses, true) && t->late;
    }
    return ok;
}

static int print_tables(unsigned n)
{
    tester_open(&tester[n], n);
    tables_print_l1(tester[n].states.p);
    putchar('\n');
    tables_print_home(tester[n].states.p);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    if (!strcmp(argv[1], "tables"))
        return print_tables((unsigned)atoi(argv[2]) % TESTER_PROTOCOLS);
    uint64_t loads = strtoull(argv[1], NULL, 10);
    return !(strcmp(argv[2], "mesi") ? test(2, 2, loads) : test(0, 1, loads));
}
