/*
 * Protocols over the coherence interface, under random traffic in structures of all sizes: every load returns the last
 * performed write, one writer or many readers, nothing is lost, all comes to rest; every row of the tables is used.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <cmocka.h>

#include "regress/coherence/coverage.h"
#include "regress/coherence/rig.h"
#include "regress/coherence/toys.h"

static const struct rig_protocol SUITES[] = {
    { .p = &toy_msi, .late_state = MSI_ISI, .late_message = MSI_DATA_S, .readers = 1 << MSI_S, .owners = 1 << MSI_M,
      .current = 1 << MSI_HOME_V | 1 << MSI_HOME_S },
    { .p = &toy_msi_home_atomics, .late_state = MSI_ISI, .late_message = MSI_DATA_S, .readers = 1 << MSI_S,
      .owners = 1 << MSI_M, .current = 1 << MSI_HOME_V | 1 << MSI_HOME_S },
    { .p = &toy_through, .through = true, .late_state = THROUGH_IVI, .late_message = THROUGH_DATA,
      .readers = 1 << THROUGH_V },
};

static struct rig rig;
static uint64_t l1_seen[2][ROWS_MAX], home_seen[ROWS_MAX];

/* Two kernels, the second one on L2s that the first one left as they were. */
static void run(const struct rig_protocol *s, const struct tightness *t, uint64_t seed, bool walk, uint64_t *seen)
{
    rig_start(&rig, s, t, seed, walk);
    rig_traffic(&rig, 150);
    rig_rest(&rig, false);
    rig_traffic(&rig, 50);
    rig_rest(&rig, true);
    for (unsigned k = 0; k < ROWS_MAX; k++) {
        home_seen[k] += rig.home_seen[k];
        for (uint32_t i = 0; i < t->nodes; i++)
            seen[k] += rig.node[i].seen[k];
    }
    rig_end(&rig);
}

/* Runs suites that share a home table, until every row has been used, at most so often. */
static void check_suites(const struct rig_protocol *s, unsigned n)
{
    enum { LEAST = 3, MOST = 120 };
    uint64_t loads = 0, late = 0;
    bool more = true;
    memset(home_seen, 0, sizeof home_seen);
    memset(l1_seen, 0, sizeof l1_seen);
    for (uint64_t seed = 1; seed <= LEAST || (more && seed <= MOST); seed++) {
        more = false;
        for (unsigned k = 0; k < n; k++) {
            for (unsigned t = 0; t < RIG_SIZES; t++) {
                run(&s[k], &rig_sizes[t], seed, false, l1_seen[k]);
                loads += rig.loads;
                late += rig.late;
            }
            more |= coverage_lacks(s[k].p, l1_seen[k], home_seen, NULL, false);
        }
    }
    print_message("%u loads, %u of them of data that was invalidated in flight\n", (unsigned)loads, (unsigned)late);
    for (unsigned k = 0; k < n; k++)
        assert_int_equal(coverage_lacks(s[k].p, l1_seen[k], home_seen, NULL, true), 0);
    assert_true(late > 0);
}

static void msi_is_coherent(void **state)
{
    check_suites(&SUITES[0], 2);
}

static void write_through_is_coherent(void **state)
{
    check_suites(&SUITES[2], 1);
}

static void skipped_cycles_change_nothing(void **state)
{
    for (unsigned s = 0; s < 3; s++)
        for (unsigned t = 0; t < RIG_SIZES; t++) {
            run(&SUITES[s], &rig_sizes[t], 9, false, l1_seen[0]);
            uint64_t trace = rig.trace, now = rig.now;
            run(&SUITES[s], &rig_sizes[t], 9, true, l1_seen[0]);
            assert_int_equal(rig.trace, trace);
            assert_int_equal(rig.now, now);
        }
}

/* Runs the first load/store unit alone, its ports in the test's hands, to cycle `until`. */
static void run_alone(uint64_t until)
{
    for (; rig.now < until; rig.now++)
        lsu_run(rig.node[0].u, rig.now);
}

static void send(struct packet *p, unsigned message, uint64_t at)
{
    const struct coherence_message *m = &toy_msi.message[message];
    p->kind = (uint8_t)(MSG_PROTOCOL + message);
    p->vn = m->vn;
    p->bytes = coherence_bytes(m);
    memset(p->data, 0, LINE_BYTES);
    port_send(&rig.sm_in[0], at, p->vn, xbar_flits(p->bytes, 32), p);
}

static struct packet *invalidation(struct packet_pool *pool, unsigned line)
{
    struct packet *p = packet_new(pool);
    p->line = (uint64_t)(uintptr_t)&rig_memory[line * LINE_WORDS];
    return p;
}

static void expect_ack(struct packet *p, uint64_t left)
{
    assert_int_equal(port_next(&rig.sm_out[0]), left + rig.lsu.request_latency);
    assert_ptr_equal(port_receive(&rig.sm_out[0], NEVER - 1), p);
    assert_int_equal(p->kind, MSG_PROTOCOL + MSI_INV_ACK);
}

/* Four replies and two probes arrive in one cycle: both probes are acknowledged, one reply a cycle is handled. */
static void probes_are_handled_on_arrival(void **state)
{
    struct packet_pool pool;
    struct node *n = &rig.node[0];
    packet_pool_init(&pool, 0);
    rig_start(&rig, &SUITES[0], &rig_sizes[0], 1, true);
    for (unsigned i = 0; i < SLOTS; i++)
        rig_load(&rig, n, i, i);
    run_alone(40);
    for (unsigned i = 0; i < SLOTS; i++)
        send(port_receive(&rig.sm_out[0], NEVER - 1), MSI_DATA_S, 50);
    struct packet *absent = invalidation(&pool, 7), *missing_line = invalidation(&pool, SLOTS - 1);
    send(absent, MSI_INV, 50);
    send(missing_line, MSI_INV, 50);
    run_alone(50);
    for (unsigned i = 1; i <= SLOTS; i++) {
        run_alone(50 + i);
        assert_int_equal(n->told, i);
        assert_int_equal(lsu_coherence_state(n->u, missing_line->line), i < SLOTS ? MSI_ISI : 0);
    }
    expect_ack(absent, 50);
    expect_ack(missing_line, 51);
    packet_pool_end(&pool);
    rig_end(&rig);
}

static void acknowledgements_pass_requests_without_credits(void **state)
{
    struct packet_pool pool;
    packet_pool_init(&pool, 0);
    rig_start(&rig, &SUITES[0], &rig_sizes[0], 1, false);
    rig.sm_out[0].have[0] = 0;
    rig_load(&rig, &rig.node[0], 0, 0);
    run_alone(40);
    assert_int_equal(port_next(&rig.sm_out[0]), NEVER);
    struct packet *p = invalidation(&pool, 0);
    send(p, MSI_INV, 50);
    run_alone(51);
    expect_ack(p, 50);
    assert_int_equal(lsu_coherence_state(rig.node[0].u, p->line), MSI_ISI);
    packet_pool_end(&pool);
}

/* Copies of MSI's tables, each with one fault. */
static void tables_that_break_the_rules_are_named(void **state)
{
    static struct coherence_message message[COHERENCE_MESSAGES];
    static struct coherence_row l1[ROWS_MAX];
    struct coherence p = toy_msi;
    char error[200];
    memcpy(message, p.message, p.messages * sizeof *message);
    memcpy(l1, p.l1, p.l1_states * (L1_EVENTS + p.messages) * sizeof *l1);
    p.message = message;
    p.l1 = l1;
    assert_true(coherence_check(&p, 3, error, sizeof error));
    assert_false(coherence_check(&p, 2, error, sizeof error));
    assert_string_equal(error, "the coherence protocol msi needs 3 virtual networks, but xbar.vns = 2");
    message[MSI_INV].vn = 2;
    assert_false(coherence_check(&p, 3, error, sizeof error));
    assert_string_equal(error, "coherence protocol msi: a probe shares its network with replies (DATA_S, INV)");
    message[MSI_INV].vn = 1;
    l1[L1_EVENTS + MSI_INV].step[0].action = L1_INVALIDATE;
    assert_false(coherence_check(&p, 3, error, sizeof error));
    assert_string_equal(error, "coherence protocol msi: probes must be acknowledged, and nothing else (I, INV)");
    l1[L1_EVENTS + MSI_INV].step[0] = (struct coherence_step){ L1_ACK, MSI_INV };
    assert_false(coherence_check(&p, 3, error, sizeof error));
    assert_string_equal(error, "coherence protocol msi: an L1 row names a message of the wrong class, or no counter "
                               "(I, INV)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(msi_is_coherent),
        cmocka_unit_test(write_through_is_coherent),
        cmocka_unit_test(skipped_cycles_change_nothing),
        cmocka_unit_test(probes_are_handled_on_arrival),
        cmocka_unit_test(acknowledgements_pass_requests_without_credits),
        cmocka_unit_test(tables_that_break_the_rules_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
