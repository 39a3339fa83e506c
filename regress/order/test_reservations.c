/*
 * Reservations of type-aware sequential consistency: the stage of one SM alone, event by event. The test is the
 * load/store unit (the linker replaces the functions that stages call by those below: --wrap) and the classifiers: it
 * grants and drains when it chooses. Sectors are lines, so that each test has exactly the rights, records and queues
 * that it names.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <setjmp.h>
#include <cmocka.h>

#include "base/config/config.h"
#include "base/stats.h"
#include "consistency/types/types.h"

enum { WARPS = 4, ACCESSES = 16 };
enum { LINE_A = 8 * LINE_BYTES, LINE_B = 9 * LINE_BYTES, LINE_C = 10 * LINE_BYTES, LINE_D = 11 * LINE_BYTES };

extern const struct order_policy order_sc_types;
static const struct order_stage *stage;
static struct simtx_config *config;
static struct packet_pool pool;
static struct packet_queue out;      /* messages of the stage */
static uint64_t count[STAT_END], now;
static struct stage_access accesses[ACCESSES];
static uint32_t issued;
static void *sm;

/* ---- the load/store unit ---- */

struct packet *__wrap_stage_packet(struct lsu *u, unsigned kind, unsigned vn, uint64_t line, bool notification,
                                   uint64_t at)
{
    struct packet *p = packet_new(&pool);
    p->kind = (uint8_t)kind;
    p->vn = (uint8_t)vn;
    p->line = line;
    return p;
}

void __wrap_stage_send(struct lsu *u, struct packet *p)
{
    packet_push(&out, p);
}

bool __wrap_stage_has_port(const struct lsu *u)
{
    return false;                    /* so every access passes the queues */
}

void __wrap_stage_wake(struct lsu *u, uint32_t warp)
{
}

const void *__wrap_stage_block(const struct stage_access *a)
{
    return NULL;
}

uint32_t __wrap_stage_shared_lines(const struct stage_access *a, uint64_t *line)
{
    return 0;
}

/* ---- an SM ---- */

/* settings: texts KEY, VALUE, ..., NULL. */
static void open_sm(const char *const *settings)
{
    config = config_new();
    assert_true(config_set(config, "types.sector", "128", "test", NULL, NULL, 0));
    for (; *settings; settings += 2)
        assert_true(config_set(config, settings[0], settings[1], "test", NULL, NULL, 0));
    for (unsigned i = 0; i < STAT_END; i++)
        count[i] = 0;
    packet_pool_init(&pool, 0);
    issued = 0;
    now = 1;
    sm = order_sc_types.new_state(&(struct order_site){ .config = config, .count = count, .warps = WARPS });
    stage = order_sc_types.stage;
}

static void close_sm(void)
{
    for (struct packet *p; (p = packet_pop(&out));)
        packet_free(&pool, p);
    order_sc_types.free_state(sm);
    assert_int_equal(packet_pool_used(&pool), 0);
    packet_pool_end(&pool);
    config_free(config);
}

/* The next instruction of the SM. */
static struct stage_access *issue(uint32_t warp, enum mem_op_kind kind, uint64_t line)
{
    struct stage_access *a = &accesses[issued];
    *a = (struct stage_access){ .line = line, .instruction = ++issued, .warp = warp, .kind = (uint8_t)kind };
    assert_int_equal(stage->accept(sm, a, ++now), STAGE_HELD);
    return a;
}

static struct stage_access *choice(void)
{
    return stage->choose(sm, ++now);
}

/* The L1 accepts the access, which the stage must offer. */
static void send(struct stage_access *a)
{
    assert_ptr_equal(choice(), a);
    stage->sent(sm, a, now);
}

static void perform(const struct stage_access *a)
{
    const struct stage_performed p = { a->warp, a->kind != MOP_LOAD, a->line, a->instruction };
    stage->performed(sm, &p, ++now);
    choice();
}

/* ---- the classifiers ---- */

/* Takes a message of the stage about the line. */
static struct packet *take(unsigned kind, uint64_t line)
{
    struct packet *found = NULL;
    for (uint32_t n = out.n; n; n--) {
        struct packet *p = packet_pop(&out);
        if (!found && p->kind == kind && p->line == line)
            found = p;
        else
            packet_push(&out, p);
    }
    return found;
}

static bool has_sent(unsigned kind, uint64_t line)
{
    struct packet *p = take(kind, line);
    if (p)
        packet_free(&pool, p);
    return p;
}

/* Answers the request for the line with this right. */
static void grant(uint64_t line, enum types_right right)
{
    struct packet *p = take(TYPES_REQUEST, line);
    assert_non_null(p);
    p->kind = TYPES_GRANT;
    p->token |= (uint32_t)right << 2;
    assert_false(stage->message(sm, p, ++now));
    packet_free(&pool, p);
    assert_true(has_sent(TYPES_UNBLOCK, line));
    choice();
}

static void invalidate(uint64_t line)
{
    struct packet *p = __wrap_stage_packet(NULL, TYPES_INVALIDATE, TYPES_VN_DOWN, line, false, now);
    assert_true(stage->message(sm, p, ++now));
    choice();
}

/* An unsafe store of the warp that waits in its queue. */
static struct stage_access *unsafe_store(uint32_t warp, uint64_t line)
{
    uint64_t before = count[STAT_TYPES_UNSAFE];
    struct stage_access *a = issue(warp, MOP_STORE, line);
    grant(line, TYPES_UNSAFE);
    assert_int_equal(count[STAT_TYPES_UNSAFE], before + 1);
    return a;
}

/* ---- tests ---- */

/* A store of warp 1 with the right to A waits for an entry of the safe queue, which the store of warp 2 to C has. */
static struct stage_access *fill_safe_queue(struct stage_access **full)
{
    *full = issue(2, MOP_STORE, LINE_C);
    grant(LINE_C, TYPES_WRITE);
    struct stage_access *head = issue(1, MOP_STORE, LINE_A);
    grant(LINE_A, TYPES_WRITE);
    assert_int_equal(count[STAT_TYPES_SAFE_FULL], 1);
    return head;
}

static void a_reserved_right_is_not_evicted(void **state)
{
    struct stage_access *full;
    open_sm((const char *const[]){ "types.cache", "1", "types.cache_ways", "1", "types.safe_queue", "1", NULL });
    struct stage_access *head = fill_safe_queue(&full);
    issue(0, MOP_LOAD, LINE_B);
    assert_false(has_sent(TYPES_REQUEST, LINE_B));
    send(full);
    send(head);
    assert_true(has_sent(TYPES_REQUEST, LINE_B));
    perform(full);
    perform(head);
    close_sm();
}

static void a_drain_waits_for_a_reservation(void **state)
{
    struct stage_access *full;
    open_sm((const char *const[]){ "types.safe_queue", "1", NULL });
    struct stage_access *head = fill_safe_queue(&full);
    invalidate(LINE_A);
    assert_false(has_sent(TYPES_ACK, LINE_A));
    send(full);
    send(head);
    assert_int_equal(count[STAT_TYPES_SAFE], 2);
    assert_false(has_sent(TYPES_ACK, LINE_A));
    perform(head);
    assert_true(has_sent(TYPES_ACK, LINE_A));
    issue(3, MOP_LOAD, LINE_A);
    assert_true(has_sent(TYPES_REQUEST, LINE_A));
    perform(full);
    close_sm();
}

/* Without a reservation the right is removed before the acknowledgement. */
static void a_drain_removes_an_unreserved_right_at_once(void **state)
{
    open_sm((const char *const[]){ NULL });
    struct stage_access *used = issue(1, MOP_STORE, LINE_A);
    grant(LINE_A, TYPES_WRITE);
    send(used);
    invalidate(LINE_A);
    assert_false(has_sent(TYPES_ACK, LINE_A));
    issue(0, MOP_STORE, LINE_A);
    assert_true(has_sent(TYPES_REQUEST, LINE_A));
    assert_int_equal(count[STAT_TYPES_SAFE], 1);
    perform(used);
    assert_true(has_sent(TYPES_ACK, LINE_A));
    close_sm();
}

/* The second load of warp 1 has the right to B, but must wait for the first. */
static void only_heads_have_reservations(void **state)
{
    open_sm((const char *const[]){ NULL });
    issue(1, MOP_LOAD, LINE_A);
    issue(1, MOP_LOAD, LINE_B);
    grant(LINE_B, TYPES_READ);
    invalidate(LINE_B);
    assert_true(has_sent(TYPES_ACK, LINE_B));
    grant(LINE_A, TYPES_READ);
    assert_true(has_sent(TYPES_REQUEST, LINE_B));
    assert_int_equal(count[STAT_TYPES_SAFE], 1);
    close_sm();
}

/* Warps 1 and 0 wait for the one entry of the safe queue; warp 1 has the older access, warp 0 the lower slot. */
static void the_oldest_head_is_classified_first(void **state)
{
    struct stage_access *full;
    open_sm((const char *const[]){ "types.safe_queue", "1", NULL });
    struct stage_access *older = fill_safe_queue(&full), *younger = issue(0, MOP_STORE, LINE_B);
    grant(LINE_B, TYPES_WRITE);
    send(full);
    send(older);
    send(younger);
    perform(full);
    perform(older);
    perform(younger);
    close_sm();
}

/* Warps 1 and 0 wait for the way that warp 2 has; the next access of warp 2 waits for it, too. */
static void the_oldest_head_obtains_the_way(void **state)
{
    open_sm((const char *const[]){ "types.cache", "1", "types.cache_ways", "1", NULL });
    struct stage_access *first = issue(2, MOP_STORE, LINE_C);
    issue(1, MOP_STORE, LINE_A);
    issue(0, MOP_STORE, LINE_B);
    issue(2, MOP_STORE, LINE_D);
    assert_false(has_sent(TYPES_REQUEST, LINE_A));
    grant(LINE_C, TYPES_WRITE);
    assert_int_equal(count[STAT_TYPES_SAFE], 1);
    assert_false(has_sent(TYPES_REQUEST, LINE_B));
    assert_false(has_sent(TYPES_REQUEST, LINE_D));
    grant(LINE_A, TYPES_WRITE);
    grant(LINE_B, TYPES_WRITE);
    grant(LINE_D, TYPES_WRITE);
    assert_int_equal(count[STAT_TYPES_SAFE], 4);
    send(first);
    perform(first);
    close_sm();
}

/* Warps 1 and 0 have reservations for one right: the drain waits for the older access, and removes the right then. */
static void the_oldest_head_has_the_reservation(void **state)
{
    struct stage_access *full;
    open_sm((const char *const[]){ "types.safe_queue", "1", NULL });
    full = issue(2, MOP_STORE, LINE_C);
    grant(LINE_C, TYPES_WRITE);
    struct stage_access *older = issue(1, MOP_STORE, LINE_A);
    issue(0, MOP_STORE, LINE_A);
    grant(LINE_A, TYPES_WRITE);
    invalidate(LINE_A);
    send(full);
    send(older);
    choice();
    assert_int_equal(count[STAT_TYPES_SAFE], 2);
    assert_true(has_sent(TYPES_REQUEST, LINE_A));
    perform(older);
    assert_true(has_sent(TYPES_ACK, LINE_A));
    perform(full);
    close_sm();
}

/* The load of warp 0 has a record for A, and the store of warp 1 waits for it. */
static struct stage_access *wait_for_record(struct stage_access **passed)
{
    *passed = unsafe_store(0, LINE_B);
    issue(0, MOP_LOAD, LINE_A);
    grant(LINE_A, TYPES_READ);
    assert_int_equal(count[STAT_TYPES_SYNC], 1);
    struct stage_access *head = issue(1, MOP_STORE, LINE_A);
    grant(LINE_A, TYPES_WRITE);
    assert_int_equal(count[STAT_TYPES_CONFLICTS], 1);
    return head;
}

static void a_younger_access_makes_no_record_that_delays_an_older_head(void **state)
{
    struct stage_access *passed;
    open_sm((const char *const[]){ NULL });
    struct stage_access *other = unsafe_store(2, LINE_C);
    wait_for_record(&passed);
    issue(2, MOP_LOAD, LINE_A);
    assert_int_equal(count[STAT_TYPES_CONFLICTS], 2);
    assert_int_equal(count[STAT_TYPES_SYNC], 1);
    uint64_t safe = count[STAT_TYPES_SAFE];
    send(passed);
    perform(passed);
    choice();
    assert_int_equal(count[STAT_TYPES_SAFE], safe + 2);  /* the head, then the younger access */
    assert_int_equal(count[STAT_TYPES_SYNC], 2);
    send(other);
    perform(other);
    close_sm();
}

/* Accesses that make no record, loads for which an older load waits, and accesses to other lines are not delayed. */
static void other_accesses_pass_a_head_that_waits(void **state)
{
    struct stage_access *passed;
    open_sm((const char *const[]){ NULL });
    unsafe_store(2, LINE_C);
    wait_for_record(&passed);
    uint64_t safe = count[STAT_TYPES_SAFE];
    issue(3, MOP_LOAD, LINE_A);
    assert_int_equal(count[STAT_TYPES_SAFE], safe + 1);
    issue(2, MOP_LOAD, LINE_D);
    grant(LINE_D, TYPES_READ);
    assert_int_equal(count[STAT_TYPES_SAFE], safe + 2);
    assert_int_equal(count[STAT_TYPES_SYNC], 2);
    close_sm();
}

/* The store of warp 1 with the right to D waits for the table, whose record waits for warp 0. */
static void a_reservation_ends_while_the_synchronization_table_is_full(void **state)
{
    open_sm((const char *const[]){ "types.sync_table", "1", NULL });
    unsafe_store(0, LINE_B);
    issue(0, MOP_LOAD, LINE_A);
    grant(LINE_A, TYPES_READ);
    unsafe_store(1, LINE_C);
    issue(1, MOP_STORE, LINE_D);
    grant(LINE_D, TYPES_WRITE);
    assert_int_equal(count[STAT_TYPES_SYNC_FULL], 1);
    invalidate(LINE_D);
    assert_true(has_sent(TYPES_ACK, LINE_D));
    assert_true(has_sent(TYPES_REQUEST, LINE_D));
    close_sm();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reserved_right_is_not_evicted),
        cmocka_unit_test(a_drain_waits_for_a_reservation),
        cmocka_unit_test(a_drain_removes_an_unreserved_right_at_once),
        cmocka_unit_test(only_heads_have_reservations),
        cmocka_unit_test(the_oldest_head_is_classified_first),
        cmocka_unit_test(the_oldest_head_obtains_the_way),
        cmocka_unit_test(the_oldest_head_has_the_reservation),
        cmocka_unit_test(a_younger_access_makes_no_record_that_delays_an_older_head),
        cmocka_unit_test(other_accesses_pass_a_head_that_waits),
        cmocka_unit_test(a_reservation_ends_while_the_synchronization_table_is_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
