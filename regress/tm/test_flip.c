/*
 * Logs are memory: a bit that turns over in a log, in a packet or in a word that a commit unit reads changes what
 * happens, and is noticed: the lane aborts, the oracle or the program finds a wrong value, or the simulator says that
 * an address cannot be. It never crashes or hangs.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <cmocka.h>
#include <jansson.h>

#include "regress/tm/programs.h"

enum { BLOCKS = 1, TIMES = 2 };

enum noticed { NOTHING, ABORTS, ORACLE, ASTRAY, OTHER_ERROR, WRONG };
static const char *const noticed_names[] = { "nothing", "aborts", "oracle", "astray", "another error", "wrong result" };

static long long aborts_of(const struct lab *l)
{
    char *text = simtx_stats_json(l->gpu);
    json_t *j = json_loads(text, 0, NULL), *tm = json_object_get(json_object_get(j, "total"), "tm");
    json_t *aborts = json_object_get(tm, "aborts");
    assert_true(json_is_integer(aborts));
    long long n = json_integer_value(aborts);
    json_decref(j);
    free(text);
    return n;
}

static enum noticed noticed_with(const char *where, unsigned at, unsigned bit, const char *more, char *text,
                                 size_t size)
{
    char flip[64], number[64], which[64];
    struct lab l;
    snprintf(flip, sizeof flip, "kilotm.test_flip=%s", where);
    snprintf(number, sizeof number, "kilotm.test_flip_at=%u", at);
    snprintf(which, sizeof which, "kilotm.test_flip_bit=%u", bit);
    lab_open(&l, tx_programs, (const char *const[]){ "tm.global=kilotm", "l1.local_writeback=true", flip, number, which,
                                                     more, NULL }, NULL);
    const char *message = tx_run(&l, TX_ALONE, BLOCKS, TIMES);
    enum noticed n = message ? strstr(message, "replay") || strstr(message, "oracle") ? ORACLE
                               : strstr(message, "log entry for") ? ASTRAY : OTHER_ERROR
                     : !tx_is_right(&l, TX_ALONE, BLOCKS, TIMES) ? WRONG : aborts_of(&l) ? ABORTS : NOTHING;
    snprintf(text, size, "%s", message ? message : "");
    lab_close(&l);
    return n;
}

static void flips_are_noticed(void **state)
{
    /* Lines in the order of the program: read, write, write, and the same again; packets: first those of the reads. The
     * third line's value is overwritten unread. */
    static const struct { const char *where; unsigned at, bit; enum noticed expected; } CASES[] = {
        { "none", 1, 0, NOTHING },
        { "log_value", 1, 7, ABORTS }, { "log_value", 4, 31, ABORTS },
        { "log_value", 2, 7, ORACLE }, { "log_value", 6, 0, ORACLE }, { "log_value", 3, 0, NOTHING },
        { "log_address", 4, 3, ABORTS }, { "log_address", 2, 3, ORACLE }, { "log_address", 6, 9, ORACLE },
        { "log_address", 1, 31, ASTRAY }, { "log_address", 3, 31, ASTRAY },
        { "packet_value", 1, 7, ABORTS }, { "reply", 1, 7, ABORTS },
        { "packet_address", 1, 31, ASTRAY }, { "packet_address", 1, 26, ASTRAY },
    };
    for (unsigned i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char text[400];
        enum noticed n = noticed_with(CASES[i].where, CASES[i].at, CASES[i].bit, "tm.oracle=on", text, sizeof text);
        if (n != CASES[i].expected)
            fail_msg("%s %u, bit %u: %s %s", CASES[i].where, CASES[i].at, CASES[i].bit, noticed_names[n], text);
    }
}

/* Lane 0 does not find its own write, since the log has another address, and stores what it reads. */
static void own_writes_are_read_from_the_log(void **state)
{
    static const char *const whole[] = { "tm.global=kilotm", "l1.local_writeback=true", "tm.oracle=off", NULL };
    static const char *const flipped[] = { "tm.global=kilotm", "l1.local_writeback=true", "tm.oracle=off",
                                           "kilotm.test_flip=log_address", "kilotm.test_flip_at=5",
                                           "kilotm.test_flip_bit=3", NULL };
    for (int flips = 0; flips < 2; flips++) {
        struct lab l;
        lab_open(&l, tx_programs, flips ? flipped : whole, NULL);
        assert_null(tx_run(&l, TX_ALONE, BLOCKS, TIMES));
        assert_int_equal(l.words[1], flips ? 0 : 2);
        lab_close(&l);
    }
}

/* Whatever bit of whatever word it is, the run ends; values are always noticed. */
static void no_flip_harms_the_simulator(void **state)
{
    static const char *const kinds[] = { "log_address", "log_value", "packet_address", "packet_value", "reply" };
    static const char *const more[] = { "tm.oracle=on", "kilotm.ideal_validation=true", "kilotm.ideal_commit=true",
                                        "kilotm.write_buffer=1", "kilotm.group=false" };
    unsigned count[sizeof noticed_names / sizeof *noticed_names] = { 0 };
    for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (unsigned at = 1; at <= 6; at++)
            for (unsigned bit = 0; bit < 32; bit += 1 + (bit + at) % 6) {
                char text[400];
                enum noticed n = noticed_with(kinds[k], at, bit, more[(at + bit) % 5], text, sizeof text);
                count[n]++;
                if (!n && strstr(kinds[k], "value") && (k == 1 ? at != 3 : at == 1))
                    fail_msg("%s %u, bit %u, %s is not noticed", kinds[k], at, bit, more[(at + bit) % 5]);
                if (n == OTHER_ERROR && !strstr(text, "internal error"))
                    fail_msg("%s %u, bit %u, %s: %s", kinds[k], at, bit, more[(at + bit) % 5], text);
            }
    for (unsigned n = 0; n < sizeof count / sizeof *count; n++)
        print_message("%s: %u\n", noticed_names[n], count[n]);
}

/* Addresses behind the first 4 GiB, which log entries cannot hold, are refused. */
static void far_addresses_are_refused(void **state)
{
    enum { EACH = 48 << 20, MANY = 100 };
    struct lab l;
    lab_open(&l, tx_programs, (const char *const[]){ "tm.global=kilotm", "l1.local_writeback=true", NULL }, NULL);
    for (int i = 0; i < MANY; i++) {
        void *p;
        assert_int_equal(simtx_malloc(l.gpu, EACH, SIMTX_MEM_DEVICE, &p), SIMTX_OK);
        assert_int_equal(simtx_free(l.gpu, p), SIMTX_OK);
    }
    assert_int_equal(simtx_malloc(l.gpu, LAB_WORDS * 4, SIMTX_MEM_DEVICE, (void **)&l.words), SIMTX_OK);
    const char *message = tx_run(&l, TX_ALONE, BLOCKS, TIMES);
    assert_true(message ? strstr(message, "first 4 GiB") != NULL : tx_is_right(&l, TX_ALONE, BLOCKS, TIMES));
    print_message("%s\n", message ? message : "addresses are used again");
    lab_close(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flips_are_noticed),
        cmocka_unit_test(own_writes_are_read_from_the_log),
        cmocka_unit_test(no_flip_harms_the_simulator),
        cmocka_unit_test(far_addresses_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
