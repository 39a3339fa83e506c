/*
 * The order in which the manager of versions takes messages: that of their arrival, whether they come from slices over
 * control links (mail) or from SMs over the crossbars (requests). The rules' sitm_manager_receive is replaced by one
 * that records what it is given (test_sitm_arrivals.mk), so that nothing is sent.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tm/sitm/sitm.h"

enum { MOST = 16 };

static struct clocks clocks;
static struct packet_pool pool;
static struct sitm_gpu gpu;
static struct sitm_unit unit;
static struct sitm_manager_unit *manager;
static uint64_t cycle;
static struct { uint32_t name; uint64_t at; } taken[MOST];
static uint32_t takes;

void __wrap_sitm_manager_receive(struct sitm_manager *m, const struct sitm_message *message);

/* The name of a message is its `version`. */
void __wrap_sitm_manager_receive(struct sitm_manager *m, const struct sitm_message *message)
{
    assert_true(takes < MOST);
    taken[takes].name = message->version;
    taken[takes++].at = cycle;
}

/* Core and L2 have one clock. */
static int start(void **state)
{
    uint64_t khz[CLK_COUNT];
    for (unsigned i = 0; i < CLK_COUNT; i++)
        khz[i] = 1000000;
    clocks_set(&clocks, khz);
    gpu = (struct sitm_gpu){ .rules = sitm_rules_default(), .slices = 1 };
    unit = (struct sitm_unit){ .gpu = &gpu, .home = { .clocks = &clocks } };
    packet_pool_init(&pool, sizeof(union sitm_payload));
    manager = sitm_manager_unit_new(&unit);
    takes = 0;
    return 0;
}

static int end(void **state)
{
    sitm_manager_unit_free(manager);
    packet_pool_end(&pool);
    return 0;
}

/* edges: cycles for which the manager is busy. */
static void mail(uint32_t name, uint32_t edges, uint64_t at)
{
    struct sitm_edge edge[MOST] = { 0 };
    struct sitm_message m = { .kind = SITM_EDGE, .version = name, .edges = edges, .edge = edge };
    sitm_mail_add(sitm_manager_in(manager), &m, at, 0, false);
}

static void request(uint32_t name, uint64_t at)
{
    struct packet *k = packet_new(&pool);
    ((union sitm_payload *)k->payload)->message = (struct sitm_message){ .kind = SITM_COMMIT_REQ, .version = name };
    sitm_manager_take(manager, k, at);
}

/* The cycles that the manager names itself, from `from` on. */
static void run(uint64_t from)
{
    for (cycle = from; cycle != NEVER;) {
        uint64_t next = sitm_manager_run(manager, cycle);
        assert_true(next > cycle);
        cycle = next;
    }
    assert_true(sitm_manager_idle(manager));
}

static void was_taken(uint32_t i, uint32_t name, uint64_t at)
{
    assert_true(i < takes);
    assert_int_equal(taken[i].name, name);
    assert_int_equal(taken[i].at, at);
}

static void mail_that_arrives_later_waits_for_a_request(void **state)
{
    mail(1, 5, 10);
    mail(3, 1, 13);
    request(2, 12);
    run(10);
    assert_int_equal(takes, 3);
    was_taken(0, 1, 10);
    was_taken(1, 2, 15);
    was_taken(2, 3, 16);
}

static void a_request_that_arrives_later_waits_for_mail(void **state)
{
    mail(1, 5, 10);
    mail(2, 4, 12);
    request(3, 13);
    run(10);
    assert_int_equal(takes, 3);
    was_taken(0, 1, 10);
    was_taken(1, 2, 15);
    was_taken(2, 3, 19);
}

static void mail_is_first_in_the_same_cycle(void **state)
{
    request(2, 10);
    mail(1, 1, 10);
    run(10);
    assert_int_equal(takes, 2);
    was_taken(0, 1, 10);
    was_taken(1, 2, 11);
}

static void mail_is_not_taken_before_it_arrives(void **state)
{
    mail(2, 1, 20);
    request(1, 10);
    run(10);
    assert_int_equal(takes, 2);
    was_taken(0, 1, 10);
    was_taken(1, 2, 20);
}

static void requests_are_not_overtaken_by_an_unbroken_sequence_of_mail(void **state)
{
    for (uint32_t i = 0; i < 8; i++)
        mail(10 + i, 2, 10 + i);
    request(1, 11);
    run(10);
    assert_int_equal(takes, 9);
    was_taken(1, 11, 12);
    was_taken(2, 1, 14);
    was_taken(3, 12, 15);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)
    const struct CMUnitTest tests[] = {
        TEST(mail_that_arrives_later_waits_for_a_request),
        TEST(a_request_that_arrives_later_waits_for_mail),
        TEST(mail_is_first_in_the_same_cycle),
        TEST(mail_is_not_taken_before_it_arrives),
        TEST(requests_are_not_overtaken_by_an_unbroken_sequence_of_mail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
