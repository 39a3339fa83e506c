/*
 * Each deliberate fault of the commit unit (mutate.h) is found by the random machine's oracle within a few thousand
 * transactions, but for those whose outcomes are serial executions too: the tests of the rules find these. A fault may
 * crash or hang, so each run is a process of its own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "regress/unit/cu_rig.h"

#define main rules_main
#include "regress/unit/test_cu_rules.c"
#undef main

enum { MOST_TRANSACTIONS = 4000, SECONDS = 20 };

/* A history in which every set and bucket is full of aliases, and buffers that hold two words. */
static struct cu_rig_setup narrow(void)
{
    struct cu_rig_setup s = cu_rig_default();
    s.cfg.lwh_sets = 2;
    s.cfg.lwh_ways = 1;
    s.cfg.lwh_buckets = 16;
    s.cfg.lwh_arrays = 2;
    s.cfg.read_buffer = s.cfg.write_buffer = 2;
    return s;
}

/* Exact hazard detection, so that nothing but the outcomes can show a fault of the pipeline. */
static struct cu_rig_setup exact(void)
{
    struct cu_rig_setup s = cu_rig_default();
    s.cfg.hazards = HAZARD_PERFECT;
    s.words = 24;
    return s;
}

/* 0 = the oracle finds nothing; else how the fault shows: by a message, by an abort or by a hang. */
static int found(struct cu_rig_setup s, const struct cu_fault *f, uint32_t transactions, uint64_t seed)
{
    static struct cu_rig_result r;
    int status = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        alarm(SECONDS);
        if (!freopen("/dev/null", "w", stderr))
            _exit(2);
        s.cfg.fault = f;
        s.transactions = transactions;
        s.seed = seed;
        cu_rig_run(&s, &r);
        _exit(r.error[0] != 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

/* The same for the tests of the rules. */
static int found_by_rules(enum cu_fault_kind kind)
{
    int status = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        alarm(SECONDS);
        if (!freopen("/dev/null", "w", stderr) || !freopen("/dev/null", "w", stdout))
            _exit(2);
        fault.kind = kind;
        _exit(rules_main() != 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

/* Transactions within which one of the machines finds the fault; 0 = none does. */
static uint32_t needed(enum cu_fault_kind kind)
{
    struct cu_fault f = { kind };
    struct cu_rig_setup setup[] = { exact(), narrow() };
    for (uint32_t n = 125; n <= MOST_TRANSACTIONS; n *= 2)
        for (unsigned i = 0; i < 2; i++)
            if (found(setup[i], &f, n, n + i))
                return n;
    return 0;
}

static void every_fault_is_found(void **state)
{
    for (enum cu_fault_kind kind = NO_FAULT + 1; kind < FAULTS; kind++) {
        uint32_t n = needed(kind);
        print_message("fault %d: %s %u\n", kind, n ? "found, transactions at most:" : "only by its rule's test:", n);
        if (kind == FAULT_STALE_CLEARED)             /* what is read again is current, so the outcome may stand */
            assert_int_not_equal(found_by_rules(kind), 0);
        else
            assert_int_not_equal(n, 0);
    }
}

static void no_fault_is_not_found(void **state)
{
    struct cu_fault none = { NO_FAULT };
    assert_int_equal(found(exact(), &none, MOST_TRANSACTIONS, 1), 0);
    assert_int_equal(found(narrow(), &none, MOST_TRANSACTIONS, 2), 0);
    assert_int_equal(found_by_rules(NO_FAULT), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(no_fault_is_not_found),
                                        cmocka_unit_test(every_fault_is_found) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
