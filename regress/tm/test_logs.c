/* Logs are memory: own writes are read from there, and addresses that an entry cannot hold are refused. */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <setjmp.h>
#include <cmocka.h>

#include "regress/tm/programs.h"

enum { BLOCKS = 1, TIMES = 2 };

static void own_writes_are_read_from_the_log(void **state)
{
    struct lab l;
    lab_open(&l, tx_programs, (const char *const[]){ "tm.global=kilotm", "l1.local_writeback=true", "tm.oracle=off",
                                                     NULL }, NULL);
    assert_null(tx_run(&l, TX_ALONE, BLOCKS, TIMES));
    assert_int_equal(l.words[1], 2);
    lab_close(&l);
}

/* Addresses beyond the first 4 GiB, which log entries cannot hold, are refused. */
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
        cmocka_unit_test(own_writes_are_read_from_the_log),
        cmocka_unit_test(far_addresses_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
