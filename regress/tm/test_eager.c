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

enum { BLOCKS = 12, TIMES = 3, THREADS = BLOCKS * 32 };

static void open_eager(struct lab *l, enum eager_bug bug, const char *setting)
{
    const char *const settings[] = { "xbar.vns=2", setting, NULL };
    struct machine_plugins plugins = { .tm = &toy_eager[bug] };
    lab_open(l, tx_programs, settings, &plugins);
}

/* The message of a failing launch; NULL = it went well. */
static const char *try_run(struct lab *l, const char *kernel, uint32_t times)
{
    uint32_t params[LAB_PARAMS] = { times };
    const void *args[LAB_PARAMS + 2] = { &l->words, &l->seen };
    for (int i = 0; i < LAB_PARAMS; i++)
        args[i + 2] = &params[i];
    simtx_launch_params p = { .grid = { BLOCKS, 1, 1 }, .block = { 32, 1, 1 }, .args = args };
    memset(l->words, 0, LAB_WORDS * 4);
    memset(l->seen, 0, LAB_SEEN * 4);
    return simtx_launch(simtx_module_kernel(l->module, kernel), &p, NULL, NULL) ? simtx_last_message(l->gpu) : NULL;
}

/* ---- what programs leave ---- */

static uint32_t draw(uint32_t thread, uint32_t time)
{
    return ((thread * 747796405u + time) * 277803737u + 2891336453u) >> 8;
}

static bool bank_is_right(const struct lab *l)
{
    uint32_t account[ACCOUNTS] = { 0 };
    for (uint32_t t = 0; t < THREADS; t++)
        for (uint32_t i = 0; i < TIMES; i++) {
            uint32_t r = draw(t, i);
            account[r % 48] -= r % 100 + 1;
            account[(uint32_t)((uint64_t)r * 805306368 >> 32) % 48] += r % 100 + 1;
        }
    return !memcmp(account, l->words, sizeof account);
}

/* Lists have every node once, and lengths that count. */
static bool hash_is_right(const struct lab *l)
{
    uint32_t nodes = 0;
    for (uint32_t h = 0; h < HEADS; h++)
        for (uint32_t n = l->words[h], left = 0; n; n = l->words[n], nodes++) {
            left = left ? left - 1 : l->words[n + 1];
            if (l->words[n + 1] != left || (n - NODES) / 2 % HEADS != h)
                return false;
        }
    return nodes == THREADS * TIMES;
}

static bool count_is_right(const struct lab *l)
{
    uint32_t counter[COUNTERS + 8] = { 0 };
    const uint8_t *bytes = (const uint8_t *)l->words + BYTES;
    for (uint32_t t = 0; t < THREADS; t++)
        for (uint32_t i = 0; i < TIMES; i++) {
            uint32_t c = draw(t, i) % 24;
            counter[t & 1 ? c : c & 30] += t & 1 ? 3 : 1;
            counter[(c & 30) + 1] += t & 1 ? 0 : 1;
        }
    return !memcmp(counter, l->words, sizeof counter) && bytes[0] == (uint8_t)(THREADS / 4 * TIMES) &&
           bytes[2] == bytes[0] && !bytes[1] && !l->seen[0];
}

static bool pairs_are_right(const struct lab *l)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < PAIRS; i++) {
        if (l->words[i] != l->words[65 * i + 64])
            return false;
        sum += l->words[i];
    }
    return sum == THREADS * TIMES && !l->seen[0];
}

static bool mixed_is_right(const struct lab *l)
{
    uint32_t counter[COUNTERS] = { 0 };
    for (uint32_t t = 0; t < THREADS; t++)
        for (uint32_t i = 0; i < TIMES; i++)
            counter[draw(t, i) % 24]++;
    return !memcmp(counter, l->words, sizeof counter);
}

static const struct { const char *name; bool (*is_right)(const struct lab *l); } programs[] = {
    { "bank", bank_is_right }, { "hash", hash_is_right }, { "count", count_is_right }, { "pairs", pairs_are_right },
    { "mixed", mixed_is_right }
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

/* ---- tests ---- */

static void programs_give_what_they_must(void **state)
{
    static const char *const settings[] = {
        "sim.seed=1", "tm.watchdog=300", "tm.watchdog=40", "tm.serial=true", "l2.reply_queue=1", "tm.restore_cycles=2"
    };
    for (unsigned s = 0; s < sizeof settings / sizeof *settings; s++) {
        struct lab l;
        open_eager(&l, EAGER_SOUND, settings[s]);
        for (unsigned p = 0; p < PROGRAMS; p++) {
            const char *message = try_run(&l, programs[p].name, TIMES);
            if (message || !programs[p].is_right(&l))
                fail_msg("%s with %s: %s", programs[p].name, settings[s], message ? message : "wrong result");
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

static char *run_all(const char *host)
{
    struct lab l;
    open_eager(&l, EAGER_SOUND, host);
    for (unsigned p = 0; p < PROGRAMS; p++)
        assert_null(try_run(&l, programs[p].name, TIMES));
    char *text = lab_statistics(&l);
    lab_close(&l);
    return text;
}

static void statistics_do_not_depend_on_the_host(void **state)
{
    static const char *const ways[] = { "sim.threads=2", "sim.threads=3", "sim.no_skip=true", "sim.sync_window=1" };
    char *one = run_all("sim.threads=1");
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
        char *text = run_all(ways[i]);
        if (strcmp(text, one))
            fail_msg("%s gives other statistics", ways[i]);
        free(text);
    }
    free(one);
}

static bool finds(enum eager_bug bug, const char *program)
{
    struct lab l;
    open_eager(&l, bug, "tm.oracle=on");
    const char *message = try_run(&l, program, TIMES);
    bool found = message && strstr(message, "transaction");
    if (message)
        print_message("%s: %.300s\n", program, message);
    lab_close(&l);
    return found;
}

static void the_oracle_finds_bugs(void **state)
{
    assert_false(finds(EAGER_SOUND, "bank"));
    assert_true(finds(EAGER_BLIND, "bank"));
    assert_true(finds(EAGER_BLIND, "count"));
    assert_true(finds(EAGER_FORGETS, "bank"));
    assert_true(finds(EAGER_READS_EARLY, "bank"));
}

/* Plain accesses that nobody watches lose updates; the oracle calls that weak isolation, not an error. */
static void plain_accesses_need_before(void **state)
{
    struct lab l;
    open_eager(&l, EAGER_PLAIN_PASSES, "tm.oracle=on");
    assert_null(try_run(&l, "mixed", TIMES));
    assert_false(mixed_is_right(&l));
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
