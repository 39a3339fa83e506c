/*
 * Lanes at one place or in a row (enum mem_pattern) take short ways through the coalescer, bank conflicts, loads and
 * stores: each must come out as it does for the same addresses without a pattern.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "memsys/lsu/coalesce.h"

enum { RUNS = 5000, BASE = 1 << 20 };

static uint64_t seed = 1;
static struct mem_op with, without;
static struct warp warp;
static char regs[2][MAX_HALVES][LANES * 8];          /* what each op loads into */

static uint32_t any(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

static uint64_t any_lanes(void)
{
    uint64_t run = mask_all(1 + any(64)) << any(64), sparse = (uint64_t)any(1u << 31) << 32 | any(1u << 31) | 1;
    return any(2) ? run : any(2) ? UINT32_MAX : sparse;
}

/* The same access twice, with the pattern and without. */
static void make(enum mem_server s, enum mem_op_kind kind, unsigned size)
{
    uint8_t pattern = any(2) ? MEM_PATTERN_SAME : MEM_PATTERN_CONSECUTIVE;
    uint64_t start = BASE + (uint64_t)any(4096 / size) * size;
    memset(&with, 0, sizeof with);
    with.warp = &warp;
    with.kind = (uint8_t)kind;
    with.size = with.reg_bytes = with.width = with.stride = (uint8_t)size;
    with.count = 1;
    with.lanes = with.served_by[s] = any_lanes();
    for (unsigned i = 0; i < WARP_LANES; i++)
        with.address[i] = with.lanes >> i & 1 ? start + (pattern == MEM_PATTERN_SAME ? 0 : i * size) : any(BASE);
    uint8_t *data = (uint8_t *)with.data;
    for (unsigned i = 0; i < sizeof with.data; i++)
        data[i] = (uint8_t)any(256);
    without = with;
    with.pattern = pattern;
}

static void lines_come_out_the_same(void **state)
{
    struct line_access a[COALESCE_MAX], b[COALESCE_MAX];
    for (int k = 0; k < RUNS; k++) {
        unsigned group = 16u << any(3), shift = any(2) ? 7 : 2 + any(6);
        make(SERVE_GLOBAL, MOP_LOAD, 1u << any(6));
        uint32_t n = coalesce_blocks(&with, SERVE_GLOBAL, group, shift, a);
        assert_int_equal(n, coalesce_blocks(&without, SERVE_GLOBAL, group, shift, b));
        for (uint32_t i = 0; i < n; i++) {
            assert_int_equal(a[i].line, b[i].line);
            assert_int_equal(a[i].lanes, b[i].lanes);
            assert_int_equal(a[i].sectors, b[i].sectors);
            assert_int_equal(a[i].piece, 0);
        }
    }
}

static void bank_conflicts_come_out_the_same(void **state)
{
    static const struct shared_cfg cfg[] = {
        { .banks = 32, .lanes = 32, .broadcast = true }, { .banks = 16, .lanes = 16, .broadcast = true },
        { .banks = 32, .lanes = 32 }, { .banks = 10, .lanes = 8, .broadcast = true }
    };
    for (int k = 0; k < RUNS; k++) {
        make(SERVE_SHARED, any(2) ? MOP_LOAD : MOP_ATOM, 1u << any(6));
        assert_int_equal(shared_passes(&with, &cfg[k % 4]), shared_passes(&without, &cfg[k % 4]));
    }
}

static void stored_bytes_come_out_the_same(void **state)
{
    for (int k = 0; k < RUNS; k++) {
        struct line_access a[COALESCE_MAX];
        make(SERVE_GLOBAL, MOP_STORE, 1u << any(4));
        for (uint32_t n = coalesce(&with, SERVE_GLOBAL, 64, a); n--;) {
            uint8_t line[2][LINE_BYTES] = { { 0 } };
            uint64_t mask[2][2] = { { 0 } };
            mem_store_line(&with, a[n].lanes, 0, line[0], mask[0]);
            mem_store_line(&without, a[n].lanes, 0, line[1], mask[1]);
            assert_memory_equal(line[0], line[1], LINE_BYTES);
            assert_memory_equal(mask[0], mask[1], sizeof mask[0]);
        }
    }
}

static void point_at(int which)
{
    for (int h = 0; h < MAX_HALVES; h++)
        warp.half[h].regs = regs[which][h];
}

static void loaded_registers_come_out_the_same(void **state)
{
    memset(regs, 0, sizeof regs);
    for (int k = 0; k < RUNS; k++) {
        struct line_access a[COALESCE_MAX];
        uint8_t line[LINE_BYTES];
        make(SERVE_GLOBAL, MOP_LOAD, 2u << any(3));
        memcpy(line, with.data, sizeof line);
        for (uint32_t n = coalesce(&with, SERVE_GLOBAL, 64, a); n--;) {
            point_at(0);
            mem_load_line(&with, a[n].lanes, 0, line);
            point_at(1);
            mem_load_line(&without, a[n].lanes, 0, line);
        }
        assert_memory_equal(regs[0], regs[1], sizeof regs[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_come_out_the_same),
        cmocka_unit_test(bank_conflicts_come_out_the_same),
        cmocka_unit_test(stored_bytes_come_out_the_same),
        cmocka_unit_test(loaded_registers_come_out_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
