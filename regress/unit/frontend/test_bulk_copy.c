/*
 * Copies between device addresses and fills that take simulated time (dram.bulk): the times of clones, by formula; the
 * least time of what passes the data buses; which rows are cloned; the bytes; the counters.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "frontend/lib/gpu.h"
#include "memsys/dram/bulk.h"

/* Rows of 4 KiB; of the next row the low bits are bank, then channel 0. One channel: 16 banks, a row over all 64
 * KiB. */
enum { ROW = 4096, BANKS = 16, STRIDE = ROW * BANKS, CLONE = 63, RRD = 6, BASE = 1 << 20 };

static void machine(struct bulk_cfg *c, struct addrmap *m, bool clone)
{
    char error[200];
    *c = (struct bulk_cfg){ .clone = clone, .dram = {
        .banks = BANKS, .groups = 4, .queue = 32, .burst_bytes = 32, .burst_cycles = 2, .tCCD = 2, .tRRD = RRD,
        .tRCD = 12, .tRAS = 28, .tRP = 12, .tRC = 40, .tCL = 12, .tWL = 4, .tCDLR = 5, .tWR = 12, .tRTP = 2,
        .tREFI = 4000, .tRFC = 100, .clone_cycles = CLONE } };
    assert_true(addrmap_parse(m, "RRRRRRRRRR.BBBBCCCC.CCCSSSSS", 1, 1, false, 0, error, sizeof error));
    layout_init(&c->layout, m, 0, 64, clone);
}

static struct bulk_result run(bool clone, uint64_t to, uint64_t from, uint64_t bytes)
{
    struct bulk_cfg c;
    struct addrmap m;
    machine(&c, &m, clone);
    return bulk_copy(&c, to, from, bytes);
}

static void clones_take_their_time(void **state)
{
    struct bulk_result r = run(true, BASE, BULK_ZERO, ROW);
    assert_int_equal(r.cycles, CLONE);
    assert_int_equal(r.rows_cloned, 1);
    assert_int_equal(r.reads + r.writes + r.bytes_over_bus, 0);
    r = run(true, BASE, BASE + STRIDE, ROW);
    assert_int_equal(r.cycles, CLONE);
    r = run(true, BASE, BULK_ZERO, 4 * ROW);             /* four banks, two activates each */
    assert_int_equal(r.cycles, 3 * 2 * RRD + CLONE);
    r = run(true, BASE, BASE + 8 * STRIDE, 3 * STRIDE);  /* three rows of every bank, bound by activates */
    assert_int_equal(r.rows_cloned, 3 * BANKS);
    assert_int_equal(r.cycles, (3 * BANKS - 1) * 2 * RRD + CLONE);
    assert_int_equal(r.bytes_cloned, 3 * STRIDE);
}

static void the_rest_passes_the_bus(void **state)
{
    static const struct { uint64_t to, from, bytes, over_bus; } rows[] = {
        { BASE, BULK_FILL, ROW, ROW },                   /* not zeros */
        { BASE, BASE + ROW, ROW, ROW },                  /* another bank */
        { BASE, BASE + STRIDE + 128, ROW, ROW },         /* other columns */
        { BASE, BASE + 64 * STRIDE, ROW, ROW },          /* another subarray */
        { BASE + 128, BULK_ZERO, ROW - 128, ROW - 128 }, /* a part of a row */
        { BASE, BULK_ZERO, ROW + 40, 40 },
        { BASE + 100, BASE + STRIDE + 100, 2 * ROW - 100, ROW - 100 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bulk_result r = run(true, rows[i].to, rows[i].from, rows[i].bytes);
        bool copies = rows[i].from > BULK_ZERO;
        assert_int_equal(r.bytes_over_bus, rows[i].over_bus);
        assert_int_equal(r.bytes_cloned, rows[i].bytes - rows[i].over_bus);
        assert_true(r.writes * 32 >= rows[i].over_bus && (r.reads == 0) == !copies);
        struct bulk_result bus = run(false, rows[i].to, rows[i].from, rows[i].bytes);
        assert_int_equal(bus.bytes_over_bus, rows[i].bytes);
        assert_true(bus.cycles >= (rows[i].bytes + 31) / 32 * 2 * (copies ? 2 : 1));
        assert_true(bus.cycles >= r.cycles);
    }
}

/* 64 rows: clones take a small part of the time; RowClone reports 11.6 for one row. */
static void clones_are_faster(void **state)
{
    struct bulk_result bus = run(false, BASE, BASE + 4 * STRIDE, 4 * STRIDE);
    struct bulk_result clone = run(true, BASE, BASE + 4 * STRIDE, 4 * STRIDE);
    assert_true(clone.cycles * 20 < bus.cycles);
    bus = run(false, BASE, BASE + STRIDE, ROW);
    assert_true(CLONE * 8 < bus.cycles);
}

static simtx_gpu *new_gpu(const char *bulk)
{
    char text[64], *message = NULL;
    simtx_config *c = simtx_config_new();
    assert_int_equal(simtx_config_load(c, "gtx480", &message), SIMTX_OK);
    assert_int_equal(simtx_config_set(c, "sim.mode=timing", &message), SIMTX_OK);
    snprintf(text, sizeof text, "dram.bulk=%s", bulk);
    assert_int_equal(simtx_config_set(c, text, &message), SIMTX_OK);
    simtx_gpu *g = simtx_gpu_new(c, 4, &message);
    assert_non_null(g);
    simtx_config_free(c);
    return g;
}

/* Zeroes and copies a buffer; the time that it took. Half of it is copied to where rows of the same subarrays lie. */
static uint64_t program(const char *bulk, struct bulk_total *total)
{
    enum { CHANNELS = 6, BLOCK = 2 * CHANNELS * (1 << 16), BYTES = 8 * BLOCK };
    simtx_gpu *g = new_gpu(bulk);
    void *p;
    assert_int_equal(simtx_malloc(g, BYTES, SIMTX_MEM_DEVICE, &p), SIMTX_OK);
    unsigned char *a = p;
    memset(a, 7, BYTES);
    uint64_t begin = simtx_time(g);
    simtx_mem_fill(g, a, 0, BYTES / 2);
    for (uint32_t i = 0; i < BYTES; i++)
        assert_int_equal(a[i], i < BYTES / 2 ? 0 : 7);
    for (uint32_t i = BYTES / 2; i < BYTES; i++)
        a[i] = (unsigned char)(i * 31 >> 4);
    simtx_mem_copy(g, a, a + BYTES / 2, BYTES / 2);
    for (uint32_t i = 0; i < BYTES / 2; i++)
        assert_int_equal(a[i], (unsigned char)((i + BYTES / 2) * 31 >> 4));
    uint64_t ns = simtx_time(g) - begin;
    *total = g->bulk;
    char *json = simtx_stats_json(g), *text = simtx_stats_text(g);
    assert_true((strstr(json, "\"bulk\": {") != NULL) == (strcmp(bulk, "none") != 0));
    assert_true((strstr(text, "bulk copies: 1 copies and 1 fills") != NULL) == (strcmp(bulk, "none") != 0));
    free(json);
    free(text);
    simtx_gpu_free(g);
    return ns;
}

static void programs_see_the_time(void **state)
{
    struct bulk_total none, bus, clone;
    uint64_t in_bus, in_clone;
    assert_int_equal(program("none", &none), 0);
    in_bus = program("bus", &bus);
    in_clone = program("clone", &clone);
    assert_int_equal(in_bus, bus.ns);
    assert_int_equal(in_clone, clone.ns);
    assert_true(none.ns == 0 && bus.rows_cloned == 0 && clone.rows_cloned > 1000);
    assert_int_equal(clone.bytes_cloned + clone.bytes_over_bus, bus.bytes_over_bus);
    assert_true(in_clone * 4 < in_bus);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clones_take_their_time),
        cmocka_unit_test(the_rest_passes_the_bus),
        cmocka_unit_test(clones_are_faster),
        cmocka_unit_test(programs_see_the_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
