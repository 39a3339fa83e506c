/*
 * Versioned memory on a partition: two versions of a line by timestamp, through a map before the look-up; and what L2
 * has of source and target of a row copy.
 */
#include "memsys/l2/l2.h"
#include "regress/unit/memsys/partition_bench.h"

/* An address in row `row` of bank 0: the bench's map has rows of 2 KiB in runs of 256 bytes of a channel. */
static uint64_t row_address(const struct bench *b, uint32_t row, uint32_t column)
{
    const struct dram_address a = { .channel = b->cfg.channel, .row = row, .bank = 0, .column = column };
    return addrmap_encode(&b->map, &a);
}

/* ---- two versions ---- */

static const struct bench *mapped_bench;

/* From time 10 on, row 1 holds the version of what lies in row 0. The packet's payload is its timestamp. */
static uint64_t version_at(void *ctx, const struct packet *p)
{
    struct dram_address a = addrmap_decode(&mapped_bench->map, p->line);
    (void)ctx;
    if (a.row == 0 && (uintptr_t)p->payload >= 10)
        a.row = 1;
    return addrmap_encode(&mapped_bench->map, &a);
}

static struct packet *at_time(struct packet *p, uintptr_t time)
{
    p->payload = (void *)time;
    return p;
}

static uint8_t byte_read(struct bench *b, uint64_t line, uintptr_t time)
{
    struct packet *p = at_time(bench_packet(b, MSG_READ, line, 1), time);
    bench_ask(b, p);
    assert_int_equal(p->line, line);
    uint8_t v = p->data[0];
    bench_drop(b, p);
    return v;
}

static void a_line_has_two_versions(void **state)
{
    struct bench b;
    struct atom_payload a;
    const uint8_t zero = 0;
    bench_init(&b, 1, 2);
    mapped_bench = &b;
    b.cfg.calls.map = version_at;
    bench_start(&b);
    uint64_t line = row_address(&b, 0, 0), other = row_address(&b, 1, 0);
    bench_do(&b, at_time(bench_write(&b, line, 0, 4, 0x11), 3));
    bench_do(&b, at_time(bench_write(&b, line, 0, 4, 0x22), 12));
    assert_int_equal(byte_read(&b, line, 9), 0x11);
    assert_int_equal(byte_read(&b, line, 10), 0x22);
    bench_do(&b, at_time(bench_add(&b, &a, line, 1, &zero), 20));
    assert_int_equal(byte_read(&b, line, 4), 0x11);
    assert_int_equal(byte_read(&b, line, 20), 0x23);
    assert_int_equal(*(uint8_t *)(uintptr_t)line, 0x11);
    assert_int_equal(*(uint8_t *)(uintptr_t)other, 0x23);
    assert_int_equal(partition_row_dirty(b.p, line), 1);         /* a line of the L2 for each */
    assert_int_equal(partition_row_dirty(b.p, other), 1);
    bench_flush(&b, true);
    assert_int_equal(b.count[STAT_DRAM_ACTS], 2);                /* and a row of DRAM */
    bench_end(&b);
}

/* ---- row copy ---- */

static uint64_t l2_cycle(const struct bench *b)
{
    return clock_convert(&b->clocks, CLK_CORE, CLK_L2, b->core);
}

/* Source lines are written back before, target lines forgotten; then the target reads as the source. */
static void a_copy_sees_to_the_l2(void **state)
{
    struct bench b;
    bench_init(&b, 1, 2);
    bench_start(&b);
    uint64_t from = row_address(&b, 2, 0), to = row_address(&b, 3, 0), beside = row_address(&b, 1, 0);
    enum { LINES = 6 };
    for (uint32_t i = 0; i < LINES; i++)
        bench_do(&b, bench_write(&b, row_address(&b, 2, 4 * i), 0, 32, (uint8_t)(i + 1)));
    bench_do(&b, bench_write(&b, beside, 0, 32, 0x99));
    bench_do(&b, bench_write(&b, row_address(&b, 3, 4), 0, 32, 0x77));
    assert_int_equal(partition_row_dirty(b.p, from), LINES);
    assert_int_equal(partition_row_dirty(b.p, to), 1);
    assert_false(partition_row_clean(b.p, from, l2_cycle(&b)));
    assert_int_equal(partition_row_dirty(b.p, from), 0);
    int asked = 0;
    for (; !partition_row_clean(b.p, from, l2_cycle(&b)); asked++)
        bench_run(&b, b.core + 1, 1);
    assert_true(asked > (int)b.cfg.dram.latency);
    assert_int_equal(b.count[STAT_DRAM_WRITES], LINES);
    assert_int_equal(partition_row_dirty(b.p, beside), 1);
    for (uint32_t c = 0; c < 64; c += 4)                         /* what the command does */
        memcpy((void *)(uintptr_t)row_address(&b, 3, c), (void *)(uintptr_t)row_address(&b, 2, c), LINE_BYTES);
    assert_true(partition_row_drop(b.p, to));
    assert_int_equal(partition_row_dirty(b.p, to), 0);
    uint64_t misses = b.count[STAT_L2_READ_MISSES];
    assert_int_equal(byte_read(&b, row_address(&b, 3, 4), 0), 2);
    assert_int_equal(b.count[STAT_L2_READ_MISSES], misses + 1);
    bench_flush(&b, true);
    assert_int_equal(b.count[STAT_DRAM_WRITES], LINES + 1);      /* not the target's old line */
    bench_end(&b);
}

/* A line that is being fetched cannot be forgotten yet. */
static void lines_in_use_are_not_dropped(void **state)
{
    struct bench b;
    uint64_t at;
    bench_init(&b, 1, 1);
    bench_start(&b);
    uint64_t line = row_address(&b, 2, 0);
    struct packet *p = bench_packet(&b, MSG_READ, line, 1);
    bench_send(&b, l2_cycle(&b) + 1, p);
    bench_run(&b, b.core + 40, 8);
    assert_false(partition_row_drop(b.p, line));
    bench_run(&b, b.core + 400, 8);
    assert_ptr_equal(bench_reply(&b, 0, &at), p);
    bench_drop(&b, p);
    assert_true(partition_row_drop(b.p, line));
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_has_two_versions),
        cmocka_unit_test(a_copy_sees_to_the_l2),
        cmocka_unit_test(lines_in_use_are_not_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
