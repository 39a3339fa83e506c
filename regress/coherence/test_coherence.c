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

#include "regress/coherence/rig.h"
#include "regress/coherence/toys.h"

#define EVEN { 1000, 1000, 1000, 1000 }
static const struct tightness TIGHT[] = {
    /*               L1                       L2                                     */
    { "wide",        4, 10, 4, 2, 8, 8, 8, 1, 1, 2, 4, 4, 8, 8, 8, 8, 64, EVEN },
    { "one way",     4, 6, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 5, EVEN },
    { "two ways",    4, 6, 1, 2, 2, 1, 1, 1, 1, 1, 1, 2, 2, 1, 1, 1, 5, EVEN },
    { "small L2",    6, 8, 2, 2, 4, 4, 4, 2, 1, 1, 1, 2, 4, 2, 2, 2, 12, { 1400, 700, 650, 924 } },
    { "small L1",    3, 4, 1, 1, 2, 2, 2, 1, 2, 2, 2, 2, 4, 4, 2, 2, 8, { 700, 1300, 900, 1848 } },
    { "one line",    6, 1, 1, 1, 4, 4, 4, 2, 1, 1, 1, 1, 2, 8, 4, 4, 16, EVEN },
    { "two lines",   3, 2, 1, 1, 2, 4, 2, 2, 1, 1, 1, 1, 3, 4, 4, 2, 9, { 1000, 500, 2000, 800 } },
};
enum { SIZES = sizeof TIGHT / sizeof *TIGHT };

struct suite { const struct coherence *p; bool through; unsigned late_state, late_message; };
static const struct suite SUITES[] = {
    { &toy_msi, false, MSI_ISI, MSI_DATA_S },
    { &toy_msi_home_atomics, false, MSI_ISI, MSI_DATA_S },
    { &toy_through, true, THROUGH_IVI, THROUGH_DATA },
};

static struct rig rig;
static uint64_t l1_seen[2][ROWS_MAX], home_seen[ROWS_MAX];

static void start(const struct suite *s, const struct tightness *t, uint64_t seed, bool walk)
{
    rig_start(&rig, s->p, t, seed, walk);
    rig.through = s->through;
    rig.late_row = s->late_state * (L1_EVENTS + s->p->messages) + L1_EVENTS + s->late_message;
}

/* Two kernels, the second one on L2s that the first one left as they were. */
static void run(const struct suite *s, const struct tightness *t, uint64_t seed, bool walk, uint64_t *seen)
{
    start(s, t, seed, walk);
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

static const char *event_name(const struct coherence *p, unsigned e, unsigned own)
{
    static const char *const names[][4] = {
        { "evict", "filled", "acknowledged" }, { "load", "store", "atomic", "evict" }
    };
    return e < own ? names[own == L1_EVENTS][e] : p->message[e - own].name;
}

struct table { const struct coherence_row *row; const char *const *names; uint32_t states; unsigned own; };

/* Rows that were not used, of those that do something; say: names them. */
static unsigned missing(const struct coherence *p, const struct table *t, const uint64_t *seen, bool say)
{
    unsigned events = t->own + p->messages, rows = 0, used = 0;
    for (uint32_t i = 0; i < t->states * events; i++) {
        unsigned first = t->row[i].step[0].action;
        if (!first || (t->own == L1_EVENTS && first == L1_STALL))
            continue;
        rows++;
        used += seen[i] != 0;
        if (say && !seen[i])
            print_message("%s: (%s, %s) was not reached\n", p->name, t->names[i / events],
                          event_name(p, i % events, t->own));
    }
    if (say)
        print_message("%s, %s: %u rows of %u were used\n", p->name, t->own == L1_EVENTS ? "L1" : "home", used, rows);
    return rows - used;
}

static unsigned missing_l1(const struct suite *s, const uint64_t *seen, bool say)
{
    const struct table t = { s->p->l1, s->p->l1_state, s->p->l1_states, L1_EVENTS };
    return missing(s->p, &t, seen, say);
}

static unsigned missing_home(const struct suite *s, bool say)
{
    const struct table t = { s->p->home, s->p->home_state, s->p->home_states, HOME_EVENTS };
    return missing(s->p, &t, home_seen, say);
}

/* Runs suites that share a home table, until every row has been used, at most so often. */
static void check_suites(const struct suite *s, unsigned n)
{
    enum { LEAST = 3, MOST = 120 };
    uint64_t loads = 0, late = 0;
    bool more = true;
    memset(home_seen, 0, sizeof home_seen);
    memset(l1_seen, 0, sizeof l1_seen);
    for (uint64_t seed = 1; seed <= LEAST || (more && seed <= MOST); seed++) {
        more = false;
        for (unsigned k = 0; k < n; k++) {
            for (unsigned t = 0; t < SIZES; t++) {
                run(&s[k], &TIGHT[t], seed, false, l1_seen[k]);
                loads += rig.loads;
                late += rig.late;
            }
            more |= missing_l1(&s[k], l1_seen[k], false) || missing_home(&s[k], false);
        }
    }
    print_message("%u loads, %u of them of data that was invalidated in flight\n", (unsigned)loads, (unsigned)late);
    for (unsigned k = 0; k < n; k++) {
        assert_int_equal(missing_l1(&s[k], l1_seen[k], true), 0);
        assert_int_equal(missing_home(&s[k], true), 0);
    }
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
        for (unsigned t = 0; t < SIZES; t++) {
            run(&SUITES[s], &TIGHT[t], 9, false, l1_seen[0]);
            uint64_t trace = rig.trace, now = rig.now;
            run(&SUITES[s], &TIGHT[t], 9, true, l1_seen[0]);
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
    start(&SUITES[0], &TIGHT[0], 1, true);
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
    start(&SUITES[0], &TIGHT[0], 1, false);
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
    assert_string_equal(error, "coherence protocol msi: DATA_S goes over virtual network 2, but xbar.vns = 2");
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
