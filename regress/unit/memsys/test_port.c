/* Packets and ports: pools, queues, byte masks; messages and credits in order and in time, also between two threads. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "memsys/xbar/port.h"

static void packets_come_back_zeroed(void **state)
{
    struct packet_pool pool;
    struct packet *all[200];
    packet_pool_init(&pool, 0);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 200; i++) {
            struct packet *p = all[i] = packet_new(&pool);
            assert_true(!p->next && !p->line && !p->kind && !p->bytes && !p->atom && !p->mask[0] && !p->mask[1]);
            for (int s = 0; s < STAMPS; s++)
                assert_true(!p->stamp[s]);
            memset(p, 0xa5, sizeof *p);
            p->token = (uint32_t)i;
        }
        assert_int_equal(pool.out, 200);
        for (int i = 0; i < 200; i++) {
            assert_int_equal(all[i]->token, i);
            packet_free(&pool, all[i]);
        }
        assert_int_equal(pool.out, 0);
    }
    packet_pool_end(&pool);
    assert_null(pool.pool.chunks);
}

static void queues_keep_order(void **state)
{
    struct packet k[5];
    struct packet_queue q = { 0 };
    assert_null(packet_pop(&q));
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 5; i++)
            packet_push(&q, &k[i]);
        assert_int_equal(q.n, 5);
        for (int i = 0; i < 5; i++)
            assert_ptr_equal(packet_pop(&q), &k[i]);
        assert_null(packet_pop(&q));
        assert_int_equal(q.n, 0);
    }
}

static void masks_name_bytes_and_sectors(void **state)
{
    static const uint64_t MASKS[][2] = {
        { 0, 0 }, { UINT64_MAX, UINT64_MAX }, { UINT64_MAX, 0 }, { 1, 0 }, { 0, UINT64_C(1) << 63 },
        { 0xff00f0f000000001u, 0x00000000ffffffffu }, { 0x8000000000000000u, 0x0000000100000000u },
    };
    for (size_t m = 0; m < sizeof MASKS / sizeof *MASKS; m++) {
        uint8_t from[LINE_BYTES], to[LINE_BYTES], sectors = 0;
        for (int i = 0; i < LINE_BYTES; i++) {
            from[i] = (uint8_t)(i + 1);
            to[i] = 0xee;
        }
        line_merge(to, from, MASKS[m]);
        for (int i = 0; i < LINE_BYTES; i++) {
            bool named = MASKS[m][i / 64] >> i % 64 & 1;
            assert_int_equal(to[i], named ? i + 1 : 0xee);
            sectors |= (uint8_t)(named << i / SECTOR_BYTES);
        }
        assert_int_equal(line_sectors(MASKS[m]), sectors);
    }
}

static void messages_are_there_in_their_cycle(void **state)
{
    struct port t;
    struct packet a = { 0 }, b = { 0 };
    uint8_t doorbell = 0;
    port_init(&t, 1, 8);
    t.doorbell = &doorbell;
    assert_true(port_idle(&t));
    assert_true(port_next(&t) == NEVER);
    port_send(&t, 10, 0, 5, &a);
    assert_int_equal(doorbell, 1);
    port_send(&t, 12, 0, 3, &b);
    assert_true(port_next(&t) == 10);
    assert_null(port_receive(&t, 9));
    assert_ptr_equal(port_receive(&t, 10), &a);
    assert_null(port_receive(&t, 11));
    assert_false(port_idle(&t));
    assert_ptr_equal(port_receive(&t, 20), &b);
    assert_null(port_receive(&t, 20));
    assert_true(port_next(&t) == NEVER);
    assert_false(port_idle(&t));
    port_end(&t);
}

static void credits_are_back_in_their_cycle(void **state)
{
    struct port t;
    struct packet a = { 0 };
    port_init(&t, 2, 8);
    assert_true(port_can_send(&t, 0, 0, 8));
    assert_false(port_can_send(&t, 0, 0, 9));
    port_send(&t, 1, 0, 6, &a);
    assert_true(port_can_send(&t, 0, 0, 2));
    assert_false(port_can_send(&t, 0, 0, 3));
    assert_true(port_can_send(&t, 0, 1, 8));
    assert_true(port_credit_next(&t) == NEVER);
    assert_ptr_equal(port_receive(&t, 1), &a);
    port_return(&t, 30, 0, 4);
    port_return(&t, 31, 0, 2);
    assert_true(port_credit_next(&t) == 30);
    assert_true(port_idle(&t));
    assert_false(port_can_send(&t, 29, 0, 3));
    assert_true(port_can_send(&t, 30, 0, 6));
    assert_false(port_can_send(&t, 30, 0, 7));
    assert_true(port_credit_next(&t) == 31);
    assert_true(port_can_send(&t, 31, 0, 8));
    assert_true(port_credit_next(&t) == NEVER);
    port_end(&t);
}

/* The counters of the rings pass 2^32 in a long run. */
static void rings_wrap(void **state)
{
    struct port t;
    struct packet k[3] = { 0 };
    port_init(&t, 1, 3);
    t.msg_head = t.msg_tail = t.credit_head = t.credit_tail = UINT32_MAX - 4;
    for (uint64_t now = 0; now < 20; now += 2) {
        for (int i = 0; i < 3; i++) {
            assert_true(port_can_send(&t, now, 0, 1));
            port_send(&t, now + 1, 0, 1, &k[i]);
        }
        assert_false(port_can_send(&t, now, 0, 1));
        for (int i = 0; i < 3; i++) {
            assert_ptr_equal(port_receive(&t, now + 1), &k[i]);
            port_return(&t, now + 2, 0, 1);
        }
        assert_true(port_idle(&t));
    }
    port_end(&t);
}

enum { MESSAGES = 30000 };

static void *receiver(void *port)
{
    struct port *t = port;
    uint64_t wrong = 0;
    for (uint64_t n = 0; n < MESSAGES;) {
        struct packet *p = port_receive(t, UINT64_MAX - 1);
        if (!p) {
            sched_yield();
            continue;
        }
        wrong += p->line != n * LINE_BYTES;
        port_return(t, n, p->vn, p->bytes);
        n++;
    }
    return (void *)(uintptr_t)wrong;
}

static void two_threads_share_a_port(void **state)
{
    static struct packet k[64];
    struct port t;
    pthread_t thread;
    void *wrong;
    port_init(&t, 2, 16);
    assert_int_equal(pthread_create(&thread, NULL, receiver, &t), 0);
    for (uint64_t n = 0; n < MESSAGES;) {
        unsigned vn = n % 2, flits = (unsigned)(n % 5 + 1);
        if (!port_can_send(&t, UINT64_MAX - 1, vn, flits)) {
            sched_yield();
            continue;
        }
        struct packet *p = &k[n % 64];
        p->line = n * LINE_BYTES;
        p->vn = (uint8_t)vn;
        p->bytes = (uint16_t)flits;
        port_send(&t, n++, vn, flits, p);
    }
    pthread_join(thread, &wrong);
    assert_null(wrong);
    assert_true(port_idle(&t));
    port_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_come_back_zeroed),
        cmocka_unit_test(queues_keep_order),
        cmocka_unit_test(masks_name_bytes_and_sectors),
        cmocka_unit_test(messages_are_there_in_their_cycle),
        cmocka_unit_test(credits_are_back_in_their_cycle),
        cmocka_unit_test(rings_wrap),
        cmocka_unit_test(two_threads_share_a_port),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
