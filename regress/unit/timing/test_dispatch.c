/* The block dispatcher, block by block: who gets which block in which cycle, and what an SM has room for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "timing/machine/dispatch.h"

enum { SMS = 3, DELAY = 4, STARTS_MAX = 64 };

static const struct dispatch_cfg CFG = {
    .sms = SMS, .per_cycle = 1, .delay = DELAY, .warp_size = 32,
    .sm = { .blocks = 8, .warps = 48, .threads = 1536, .registers = 32768, .shared = 49152 },
};

struct start { uint32_t sm; struct block_start b; };
static struct start starts[STARTS_MAX];
static unsigned nstarts;

static void note_start(void *ctx, uint32_t sm, const struct block_start *b)
{
    assert_true(nstarts < STARTS_MAX);
    starts[nstarts++] = (struct start){ sm, *b };
}

static struct grid grid_of(uint64_t blocks, uint32_t threads, uint32_t registers, uint32_t shared, uint32_t resident)
{
    struct grid g = { .registers = registers * ((threads + 31) / 32 * 32), .shared = shared, .resident = resident };
    g.launch.nblocks = blocks;
    g.launch.threads_per_block = threads;
    return g;
}

static void run(struct dispatcher *d, uint64_t from, uint64_t until)
{
    dispatcher_run(d, from, until, note_start, NULL);
}

static struct dispatcher *launch(const struct dispatch_cfg *c, struct grid *grids, uint32_t n, uint64_t now)
{
    struct dispatcher *d = dispatcher_new(c);
    nstarts = 0;
    dispatcher_launch(d, grids, n, now);
    return d;
}

static void end_block(struct dispatcher *d, struct grid *g, uint16_t sm, uint64_t at)
{
    dispatcher_ended(d, &(struct block_end){ .at = at, .grid = g, .sm = sm }, 1);
}

/* One block a cycle, round robin; each starts a delay later. */
static void blocks_go_round(void **state)
{
    struct grid g = grid_of(7, 32, 1, 0, 8);
    struct dispatcher *d = launch(&CFG, &g, 1, 100);
    assert_int_equal(dispatcher_next(d), 100);
    run(d, 100, 200);
    assert_int_equal(nstarts, 7);
    for (unsigned i = 0; i < 7; i++) {
        assert_int_equal(starts[i].sm, i % SMS);
        assert_int_equal(starts[i].b.at, 100 + i + DELAY);
        assert_int_equal(starts[i].b.linear, i);
    }
    assert_true(dispatcher_next(d) == NEVER);
    dispatcher_free(d);
}

/* Several a cycle, but one to an SM. */
static void several_a_cycle(void **state)
{
    struct dispatch_cfg c = CFG;
    c.per_cycle = 5;
    struct grid g = grid_of(6, 32, 1, 0, 8);
    struct dispatcher *d = launch(&c, &g, 1, 0);
    run(d, 0, 100);
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(starts[i].b.at, i / SMS + DELAY);
    dispatcher_free(d);
}

static unsigned resident_of(uint32_t threads, uint32_t registers, uint32_t shared, uint32_t resident)
{
    struct grid g = grid_of(60, threads, registers, shared, resident);
    struct dispatcher *d = launch(&CFG, &g, 1, 0);
    run(d, 0, 1000);
    dispatcher_free(d);
    return nstarts / SMS;
}

static void every_limit_counts(void **state)
{
    assert_int_equal(resident_of(32, 1, 0, 99), 8);          /* blocks */
    assert_int_equal(resident_of(256, 1, 0, 99), 6);         /* threads */
    assert_int_equal(resident_of(257, 1, 0, 99), 5);         /* whole warps: 9 of 48 */
    assert_int_equal(resident_of(256, 43, 0, 2), 2);         /* registers: 43 x 256 of 32768 */
    assert_int_equal(resident_of(32, 1, 16384, 3), 3);       /* shared memory */
    assert_int_equal(resident_of(32, 1, 0, 5), 5);           /* pinned below */
    assert_int_equal(resident_of(64, 200, 30000, 7), 7);     /* pinned above what registers and shared memory allow */
}

/* Blocks that start in all when a block of the first grid is on every SM and the second grid takes what is left. */
static unsigned started_beside(const struct grid *first, uint32_t registers, uint32_t shared)
{
    struct grid g[2] = { *first, grid_of(3, 256, registers, shared, 1) };
    struct dispatcher *d = launch(&CFG, g, 2, 0);
    run(d, 0, 1000);
    dispatcher_free(d);
    return nstarts;
}

/* Blocks of two grids on one SM share its registers and its shared memory. */
static void grids_share_an_sm(void **state)
{
    struct grid first = grid_of(3, 256, 72, 40000, 1);       /* 18432 of 32768 registers, 40000 of 49152 bytes */
    assert_int_equal(started_beside(&first, 56, 9152), 6);
    assert_int_equal(started_beside(&first, 57, 9152), 3);
    assert_int_equal(started_beside(&first, 56, 9153), 3);
}

/* A block that ended makes room for the next one when its message is there. */
static void ends_make_room(void **state)
{
    struct grid g = grid_of(4, 32, 1, 0, 1);
    struct dispatcher *d = launch(&CFG, &g, 1, 0);
    run(d, 0, 50);
    assert_int_equal(nstarts, 3);
    assert_true(dispatcher_finish(d) == NEVER);
    end_block(d, &g, 1, 60);
    assert_int_equal(dispatcher_next(d), 60 + DELAY);
    run(d, 50, 60 + DELAY);
    assert_int_equal(nstarts, 3);
    run(d, 60 + DELAY, 100);
    assert_int_equal(nstarts, 4);
    assert_int_equal(starts[3].sm, 1);
    assert_int_equal(starts[3].b.at, 60 + 2 * DELAY);
    end_block(d, &g, 2, 103);
    end_block(d, &g, 0, 101);
    end_block(d, &g, 1, 102);
    assert_int_equal(dispatcher_finish(d), 103 + DELAY);
    run(d, 100, 200);
    assert_int_equal(g.end, 103 + DELAY);
    assert_int_equal(g.done, 4);
    dispatcher_free(d);
}

/* The next grid starts when the one before has no block left to hand out, beside what still runs of it. */
static void grids_follow_in_order(void **state)
{
    struct grid g[2] = { grid_of(5, 768, 1, 0, 2), grid_of(3, 32, 1, 0, 8) };
    struct dispatcher *d = launch(&CFG, g, 2, 0);
    run(d, 0, 100);
    assert_int_equal(nstarts, 8);
    for (unsigned i = 0; i < 5; i++)
        assert_ptr_equal(starts[i].b.grid, &g[0]);
    for (unsigned i = 5; i < 8; i++) {
        assert_ptr_equal(starts[i].b.grid, &g[1]);
        assert_int_equal(starts[i].sm, 2);                   /* the others are full of the first */
        assert_int_equal(starts[i].b.at, i + DELAY);
    }
    dispatcher_free(d);
}

static void an_earlier_grid_without_room_holds_later_ones(void **state)
{
    struct grid g[2] = { grid_of(7, 768, 1, 0, 2), grid_of(3, 32, 1, 0, 8) };
    struct dispatcher *d = launch(&CFG, g, 2, 0);
    run(d, 0, 100);
    assert_int_equal(nstarts, 6);
    assert_int_equal(g[1].next_block, 0);
    end_block(d, &g[0], 0, 100);
    run(d, 100, 200);
    assert_ptr_equal(starts[6].b.grid, &g[0]);
    dispatcher_free(d);
}

static void the_launch_takes_its_time(void **state)
{
    struct dispatch_cfg c = CFG;
    c.launch_cycles = 1000;
    struct grid g = grid_of(1, 32, 1, 0, 1);
    struct dispatcher *d = launch(&c, &g, 1, 7);
    run(d, 7, 1007);
    assert_int_equal(nstarts, 0);
    run(d, 1007, 1008);
    assert_int_equal(starts[0].b.at, 1007 + DELAY);
    dispatcher_free(d);
}

/* However the cycles are cut into windows. */
static void windows_do_not_matter(void **state)
{
    struct start first[STARTS_MAX];
    for (uint64_t window = 1; window <= DELAY; window++) {
        struct grid g = grid_of(20, 512, 1, 0, 3);
        struct dispatcher *d = launch(&CFG, &g, 1, 0);
        unsigned told = 0;
        for (uint64_t t = 0; t < 400; t += window) {
            for (; told < nstarts && starts[told].b.at + 10 + starts[told].sm < t + window; told++)
                end_block(d, &g, (uint16_t)starts[told].sm, starts[told].b.at + 10 + starts[told].sm);
            run(d, t, t + window);
        }
        assert_int_equal(nstarts, 20);
        if (window == 1)
            memcpy(first, starts, sizeof first);
        for (unsigned i = 0; i < nstarts; i++) {
            assert_int_equal(starts[i].sm, first[i].sm);
            assert_int_equal(starts[i].b.at, first[i].b.at);
            assert_int_equal(starts[i].b.linear, first[i].b.linear);
        }
        dispatcher_free(d);
    }
}

/* Both blocks of a cluster start together, on SMs of one group, or none; groups take turns, and SMs in a group. */
static void clusters_start_whole(void **state)
{
    static const unsigned sm[] = { 0, 1, 3, 4 };
    struct dispatch_cfg c = CFG;
    c.sms = 6;
    c.group = 3;
    struct grid g = grid_of(8, 32, 1, 0, 1);
    g.launch.grid[0] = 8;
    g.launch.grid[1] = g.launch.grid[2] = 1;
    g.launch.cluster[0] = g.launch.cluster_blocks = 2;
    g.launch.cluster[1] = g.launch.cluster[2] = 1;
    struct dispatcher *d = launch(&c, &g, 1, 100);
    run(d, 100, 200);
    assert_int_equal(nstarts, 4);                    /* the SMs 2 and 5 are of different groups */
    for (unsigned i = 0; i < nstarts; i++) {
        assert_int_equal(starts[i].sm, sm[i]);
        assert_int_equal(starts[i].b.linear, i);
        assert_int_equal(starts[i].b.at, 100 + i / 2 * 2 + DELAY);       /* one block a cycle */
        for (unsigned rank = 0; rank < 2; rank++)
            assert_int_equal(starts[i].b.cluster_sm[rank], sm[i / 2 * 2 + rank]);
    }
    end_block(d, &g, 0, 200);
    run(d, 200, 300);
    assert_int_equal(nstarts, 6);
    assert_int_equal(starts[4].sm, 2);               /* after SM 1 */
    assert_int_equal(starts[5].sm, 0);
    assert_int_equal(starts[4].b.at, starts[5].b.at);
    end_block(d, &g, 4, 300);
    run(d, 300, 400);
    assert_int_equal(nstarts, 8);
    assert_int_equal(starts[6].sm, 5);
    assert_int_equal(starts[7].sm, 4);
    dispatcher_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_go_round),
        cmocka_unit_test(several_a_cycle),
        cmocka_unit_test(every_limit_counts),
        cmocka_unit_test(grids_share_an_sm),
        cmocka_unit_test(ends_make_room),
        cmocka_unit_test(grids_follow_in_order),
        cmocka_unit_test(an_earlier_grid_without_room_holds_later_ones),
        cmocka_unit_test(the_launch_takes_its_time),
        cmocka_unit_test(windows_do_not_matter),
        cmocka_unit_test(clusters_start_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
