/*
 * A protocol with eager conflict detection (eager.h) on the machine, for what tm/tm.h promises to such: programs give
 * what they must, under the oracle, however they are simulated; and the oracle finds protocols that are broken.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <cmocka.h>

#include "regress/tm/eager.h"
#include "regress/tm/programs.h"

enum { BLOCKS = 12, TIMES = 3 };

static void open_eager(struct lab *l, enum eager_bug bug, const char *setting)
{
    const char *const settings[] = { "xbar.vns=2", setting, NULL };
    struct machine_plugins plugins = { .tm = &toy_eager[bug] };
    lab_open(l, tx_programs, settings, &plugins);
}

/* ---- tests ---- */

static void programs_give_what_they_must(void **state)
{
    static const char *const settings[] = {
        "sim.seed=1", "tm.watchdog=300", "tm.watchdog=40", "tm.serial=true", "tm.global_warps=3", "gpu.warp_size=64",
        "l1.miss_queue=1", "l2.reply_queue=1", "tm.restore_cycles=2"
    };
    for (unsigned s = 0; s < sizeof settings / sizeof *settings; s++) {
        struct lab l;
        open_eager(&l, EAGER_SOUND, settings[s]);
        for (unsigned p = 0; p < TX_PROGRAMS; p++) {
            const char *message = tx_run(&l, p, BLOCKS, TIMES);
            if (message || !tx_is_right(&l, p, BLOCKS, TIMES))
                fail_msg("%s with %s: %s", tx_names[p], settings[s], message ? message : "wrong result");
        }
        lab_close(&l);
    }
}

/* The tests above would prove little if nothing of what is special had happened. */
static void everything_happened(void **state)
{
    print_message("late answers %u, validations %u, aborts told %u, of these at random %u, cycles of plain accesses "
                  "held back %u, plain accesses %u\n", (unsigned)eager_seen.late, (unsigned)eager_seen.checks,
                  (unsigned)eager_seen.unasked, (unsigned)eager_seen.killed, (unsigned)eager_seen.held_back,
                  (unsigned)eager_seen.plain);
    assert_true(eager_seen.late && eager_seen.checks && eager_seen.unasked > eager_seen.killed && eager_seen.killed);
    assert_true(eager_seen.held_back && eager_seen.plain);
}

static char *run_all(const char *host, const void *arg)
{
    struct lab l;
    open_eager(&l, EAGER_SOUND, host);
    for (unsigned p = 0; p < TX_PROGRAMS; p++)
        assert_null(tx_run(&l, p, BLOCKS, TIMES));
    char *text = lab_statistics(&l);
    lab_close(&l);
    return text;
}

static void statistics_do_not_depend_on_the_host(void **state)
{
    lab_check_host(run_all, NULL);
}

static bool finds(enum eager_bug bug, enum tx_program program)
{
    struct lab l;
    open_eager(&l, bug, "tm.oracle=on");
    const char *message = tx_run(&l, program, BLOCKS, TIMES);
    bool found = message && strstr(message, "transaction");
    if (message)
        print_message("%s: %.300s\n", tx_names[program], message);
    lab_close(&l);
    return found;
}

static void the_oracle_finds_bugs(void **state)
{
    assert_false(finds(EAGER_SOUND, TX_BANK));
    assert_true(finds(EAGER_BLIND, TX_BANK));
    assert_true(finds(EAGER_BLIND, TX_COUNT));
    assert_true(finds(EAGER_FORGETS, TX_BANK));
    assert_true(finds(EAGER_READS_EARLY, TX_BANK));
}

/* Plain accesses that nobody watches lose updates; the oracle calls that weak isolation, not an error. */
static void plain_accesses_need_before(void **state)
{
    struct lab l;
    open_eager(&l, EAGER_PLAIN_PASSES, "tm.oracle=on");
    assert_null(tx_run(&l, TX_MIXED, BLOCKS, TIMES));
    assert_false(tx_is_right(&l, TX_MIXED, BLOCKS, TIMES));
    lab_close(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_give_what_they_must),
        cmocka_unit_test(everything_happened),
        cmocka_unit_test(statistics_do_not_depend_on_the_host),
        cmocka_unit_test(the_oracle_finds_bugs),
        cmocka_unit_test(plain_accesses_need_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
