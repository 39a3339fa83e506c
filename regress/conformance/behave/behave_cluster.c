/*
 * Behaviour of clusters of blocks (PTX ISA 2.2.2, 5.1.7.1, barrier.cluster, mapa, getctarank): special registers,
 * distributed shared memory, the barrier of the cluster, barrier objects of other blocks, and misuse.
 */
#include "regress/conformance/behave/behave.h"

enum { BLOCK = 64, CLUSTER = 4, CLUSTERS = 3, GRID = CLUSTER * CLUSTERS };

#define SYNC "  barrier.cluster.arrive.release.aligned;\n  barrier.cluster.wait.acquire.aligned;\n"
/* %r2 = rank, %r3 = the next rank, %r4 = address of the thread's word of `box`, %r5 the same place of the next block */
#define PLACES "  mov.u32 %r2, %cluster_ctarank;\n  add.u32 %r3, %r2, 1;\n  mov.u32 %r6, %cluster_nctarank;\n" \
               "  rem.u32 %r3, %r3, %r6;\n  mov.u32 %r4, box;\n  mad.lo.u32 %r4, %t, 16, %r4;\n"             \
               "  mapa.shared::cluster.u32 %r5, %r4, %r3;\n"
#define BOX ".shared .align 16 .b8 box[1024];\n"

static uint32_t rank_of(uint32_t i)
{
    return i / BLOCK % CLUSTER;
}

/* The thread at the same place of the block whose rank is `ranks` higher. */
static uint32_t neighbour(uint32_t i, uint32_t ranks)
{
    return i / (BLOCK * CLUSTER) * (BLOCK * CLUSTER) + (rank_of(i) + ranks) % CLUSTER * BLOCK + i % BLOCK;
}

static bool registers(uint32_t i, uint32_t k, uint64_t *word)
{
    const uint64_t want[8] = { i / BLOCK / CLUSTER, CLUSTERS, rank_of(i), CLUSTER, rank_of(i), CLUSTER, 1, 0 };
    *word = want[k];
    return true;
}

static bool registers_alone(uint32_t i, uint32_t k, uint64_t *word)
{
    const uint64_t want[8] = { i / BLOCK, GRID, 0, 1, 0, 1, 0, 0 };
    *word = want[k];
    return true;
}

#define REGISTERS                                                                                            \
    "  mov.u32 %r2, %clusterid.x;\n  mov.u32 %r3, %nclusterid.x;\n  mov.u32 %r4, %cluster_ctaid.x;\n"       \
    "  mov.u32 %r5, %cluster_nctaid.x;\n  mov.u32 %r6, %cluster_ctarank;\n  mov.u32 %r7, %cluster_nctarank;\n" \
    "  mov.pred %p1, %is_explicit_cluster;\n  selp.u32 %r8, 1, 0, %p1;\n  mov.u32 %r9, %clusterid.y;\n"      \
    "  st.global.u32 [%o], %r2;\n  st.global.u32 [%o+8], %r3;\n  st.global.u32 [%o+16], %r4;\n"             \
    "  st.global.u32 [%o+24], %r5;\n  st.global.u32 [%o+32], %r6;\n  st.global.u32 [%o+40], %r7;\n"         \
    "  st.global.u32 [%o+48], %r8;\n  st.global.u32 [%o+56], %r9;\n"

/* ---- distributed shared memory ---- */

/* Words 0 .. 3: the neighbour's number as u32, its low byte, minus it as s16, the generic load of it. */
static bool loads(uint32_t i, uint32_t k, uint64_t *word)
{
    uint64_t n = neighbour(i, 1);
    *word = k == 0 ? n : k == 1 ? (n & 0xff) : k == 2 ? (uint64_t)-(int64_t)n : n << 32 | n;
    return k < 4;
}

/* Word 0, 1: the number of the block before, and twice that. */
static bool stores(uint32_t i, uint32_t k, uint64_t *word)
{
    uint64_t n = neighbour(i, CLUSTER - 1);
    *word = k == 0 ? n : k == 1 ? 2 * n : 3 * n;
    return k < 3;
}

/* Each thread of the cluster adds rank + 1 to a word of rank 0, and its number to a generic one; maximum of numbers. */
static bool sums(uint32_t i, uint32_t k, uint64_t *word)
{
    uint64_t first = i / (BLOCK * CLUSTER) * (BLOCK * CLUSTER), n = BLOCK * CLUSTER, ranks = 0;
    for (uint32_t r = 0; r < CLUSTER; r++)
        ranks += (uint64_t)BLOCK * (r + 1);
    *word = k == 0 ? ranks : k == 1 ? first * n + n * (n - 1) / 2 : first + n - 1;
    return k < 3;
}

/* Bits: isspacep.shared::cluster and isspacep.shared of an address of the next block, and of the own one; two ranks. */
static bool addresses(uint32_t i, uint32_t k, uint64_t *word)
{
    *word = k == 0 ? 1 | 4 | 8 : k == 1 ? (rank_of(i) + 1) % CLUSTER : rank_of(i);
    return k < 4;
}

static void memory_tests(struct behave_ctx *x)
{
    static const struct behave_test tests[] = {
        { .name = "loads from other blocks", .module = BOX, .grid = GRID, .cluster = CLUSTER, .expect = loads, .body =
          PLACES "  cvt.u64.u32 %d1, %i;\n  shl.b64 %d2, %d1, 32;\n  or.b64 %d1, %d1, %d2;\n  neg.s32 %r7, %i;\n"
          "  st.shared.u64 [%r4], %d1;\n  st.shared.u16 [%r4+8], %r7;\n" SYNC
          "  ld.shared::cluster.u32 %r8, [%r5];\n  ld.shared::cluster.u8 %r9, [%r5];\n"
          "  ld.shared::cluster.s16 %d3, [%r5+8];\n  cvt.u64.u32 %d4, %r4;\n  cvta.shared.u64 %d4, %d4;\n"
          "  mapa.u64 %d5, %d4, %r3;\n  ld.relaxed.cluster.u64 %d6, [%d5];\n  st.global.u32 [%o], %r8;\n"
          "  st.global.u32 [%o+8], %r9;\n  st.global.u64 [%o+16], %d3;\n  st.global.u64 [%o+24], %d6;\n" SYNC },
        { .name = "stores to other blocks", .module = BOX, .grid = GRID, .cluster = CLUSTER, .expect = stores, .body =
          PLACES "  add.u32 %r7, %i, %i;\n  mul.lo.u32 %r8, %i, 3;\n" SYNC
          "  st.shared::cluster.v2.u32 [%r5], {%i, %r7};\n  cvt.u64.u32 %d4, %r5;\n"
          "  cvta.shared::cluster.u64 %d4, %d4;\n  st.u32 [%d4+8], %r8;\n  fence.acq_rel.cluster;\n" SYNC
          "  ld.shared.v2.u32 {%r9, %r10}, [%r4];\n  ld.shared.u32 %r11, [%r4+8];\n  st.global.u32 [%o], %r9;\n"
          "  st.global.u32 [%o+8], %r10;\n  st.global.u32 [%o+16], %r11;\n" },
        { .name = "atomics on other blocks", .module = BOX, .grid = GRID, .cluster = CLUSTER, .expect = sums, .body =
          "  mov.u32 %r2, %cluster_ctarank;\n  mov.u32 %r4, box;\n  mapa.shared::cluster.u32 %r5, %r4, 0;\n"
          "  cvt.u64.u32 %d1, %r5;\n  cvta.shared::cluster.u64 %d1, %d1;\n  cvt.u64.u32 %d2, %i;\n"
          "  add.u32 %r3, %r2, 1;\n" SYNC "  atom.shared::cluster.add.u32 %r6, [%r5], %r3;\n"
          "  red.relaxed.cluster.add.u64 [%d1+8], %d2;\n  red.shared::cluster.max.u32 [%r5+16], %i;\n" SYNC
          "  ld.shared::cluster.u32 %r7, [%r5];\n  ld.u64 %d3, [%d1+8];\n  ld.shared::cluster.u32 %r8, [%r5+16];\n"
          "  st.global.u32 [%o], %r7;\n  st.global.u64 [%o+8], %d3;\n  st.global.u32 [%o+16], %r8;\n" SYNC },
        { .name = "addresses of other blocks", .module = BOX, .grid = GRID, .cluster = CLUSTER, .expect = addresses,
          .body = PLACES "  cvt.u64.u32 %d1, %r5;\n  cvta.shared::cluster.u64 %d1, %d1;\n  cvt.u64.u32 %d2, %r4;\n"
          "  cvta.shared.u64 %d2, %d2;\n  isspacep.shared::cluster %p1, %d1;\n  isspacep.shared::cta %p2, %d1;\n"
          "  isspacep.shared::cluster %p3, %d2;\n  isspacep.shared %p4, %d2;\n  selp.u32 %r7, 1, 0, %p1;\n"
          "  @%p2 or.b32 %r7, %r7, 2;\n  @%p3 or.b32 %r7, %r7, 4;\n  @%p4 or.b32 %r7, %r7, 8;\n"
          "  getctarank.shared::cluster.u32 %r8, %r5;\n  getctarank.u64 %r9, %d2;\n  mapa.u64 %d3, %d2, %r2;\n"
          "  getctarank.u64 %r10, %d3;\n  st.global.u32 [%o], %r7;\n  st.global.u32 [%o+8], %r8;\n"
          "  st.global.u32 [%o+16], %r9;\n  st.global.u32 [%o+24], %r10;\n" },
    };
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        behave_one(x, &tests[i]);
}

/* ---- barriers ---- */

/* What the neighbour had stored before it arrived, though it stores something else after its wait. */
static bool phases(uint32_t i, uint32_t k, uint64_t *word)
{
    *word = (uint64_t)neighbour(i, 1) + k;
    return k < 2;
}

/* Lane 0 of each warp passes the first phase and arrives for the second; then all lanes execute one wait; then the
 * others arrive. */
#define TWO_PHASES                                                                                              \
    "  and.b32 %r3, %t, 31;\n  setp.ne.u32 %p1, %r3, 0;\n  barrier.cluster.arrive;\n  @%p1 bra Together;\n"    \
    "  barrier.cluster.wait;\n  barrier.cluster.arrive;\nTogether:\n  barrier.cluster.wait;\n"                  \
    "  @!%p1 bra Last;\n  barrier.cluster.arrive;\n  barrier.cluster.wait;\nLast:\n  add.u32 %r4, %i, 1;\n"    \
    "  st.global.u32 [%o], %r4;\n"

static bool its_number(uint32_t i, uint32_t k, uint64_t *word)
{
    *word = i + 1;
    return k == 0;
}

static bool mine(uint32_t i, uint32_t k, uint64_t *word)
{
    *word = rank_of(i) == 3 ? 0 : i + 1;
    return k == 0;
}

/* Arrivals and bytes of the other blocks at the object of rank 0; the words that they stored before. */
static bool object_of_rank_0(uint32_t i, uint32_t k, uint64_t *word)
{
    uint32_t first = i / (BLOCK * CLUSTER) * (BLOCK * CLUSTER);
    *word = rank_of(i) || i % BLOCK ? 0 : first + (k + 1) * BLOCK;
    return k < 3;
}

static void barrier_tests(struct behave_ctx *x)
{
    static const struct behave_test tests[] = {
        { .name = "arrive and wait apart", .module = BOX, .grid = GRID, .cluster = CLUSTER, .expect = phases, .body =
          PLACES "  st.shared.u32 [%r4], %i;\n" SYNC "  barrier.cluster.arrive;\n  ld.shared::cluster.u32 %r7, [%r5];\n"
          "  st.global.u32 [%o], %r7;\n  barrier.cluster.wait;\n  add.u32 %r8, %i, 1;\n  st.shared.u32 [%r4], %r8;\n"
          "  barrier.cluster.arrive;\n  barrier.cluster.wait;\n  ld.shared::cluster.u32 %r7, [%r5];\n"
          "  st.global.u32 [%o+8], %r7;\n" SYNC },
        { .name = "lanes arrive at different places", .grid = GRID, .cluster = CLUSTER, .expect = mine, .body =
          "  mov.u32 %r2, %cluster_ctarank;\n  setp.eq.u32 %p2, %r2, 3;\n  @%p2 bra Quit;\n"
          "  and.b32 %r3, %t, 1;\n  setp.eq.u32 %p1, %r3, 0;\n  @%p1 bra Even;\n  barrier.cluster.arrive.relaxed;\n"
          "  bra.uni Both;\nEven:\n  barrier.cluster.arrive;\nBoth:\n  barrier.cluster.wait;\n  add.u32 %r4, %i, 1;\n"
          "  st.global.u32 [%o], %r4;\nQuit:\n" },
        { .name = "lanes of a warp in two phases", .grid = GRID, .cluster = CLUSTER, .expect = its_number, .body =
          TWO_PHASES },
        { .name = "the same without clusters", .grid = GRID, .expect = its_number, .body =
          TWO_PHASES },
        { .name = "a predicated wait", .grid = GRID, .cluster = CLUSTER, .expect = its_number, .body =
          "  and.b32 %r3, %t, 31;\n  setp.eq.u32 %p1, %r3, 0;\n  barrier.cluster.arrive;\n"
          "  @%p1 barrier.cluster.wait;\n  @%p1 barrier.cluster.arrive;\n  @!%p1 barrier.cluster.wait;\n"
          "  @!%p1 barrier.cluster.arrive;\n  barrier.cluster.wait;\n  add.u32 %r4, %i, 1;\n"
          "  st.global.u32 [%o], %r4;\n" },
        { .name = "a barrier object of another block", .module = BOX ".shared .align 8 .b64 object;\n", .grid = GRID,
          .cluster = CLUSTER, .expect = object_of_rank_0, .body =
          "  mov.u32 %r2, %cluster_ctarank;\n  mov.u32 %r3, object;\n  mov.u32 %r4, box;\n"
          "  setp.eq.u32 %p1, %t, 0;\n  setp.eq.and.u32 %p2, %r2, 0, %p1;\n"
          "  @%p2 mbarrier.init.shared.b64 [%r3], 4;\n  @%p2 mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 12;\n"
          "  fence.mbarrier_init.release.cluster;\n" SYNC
          "  mapa.shared::cluster.u32 %r5, %r3, 0;\n  mapa.shared::cluster.u32 %r6, %r4, 0;\n"
          "  mad.lo.u32 %r6, %r2, 4, %r6;\n  setp.ne.and.u32 %p3, %r2, 0, %p1;\n"
          "  @%p3 st.shared::cluster.u32 [%r6], %i;\n"
          "  @%p3 mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r5], 4;\n"
          "  @%p3 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5];\n"
          "  @!%p2 bra End;\nAgain:\n  mbarrier.try_wait.acquire.cluster.shared::cta.b64 %p4, [%r3], 0;\n"
          "  @!%p4 bra Again;\n  ld.shared.u32 %r7, [%r4+4];\n  ld.shared.u32 %r8, [%r4+8];\n"
          "  ld.shared.u32 %r9, [%r4+12];\n  st.global.u32 [%o], %r7;\n  st.global.u32 [%o+8], %r8;\n"
          "  st.global.u32 [%o+16], %r9;\nEnd:\n  barrier.cluster.arrive;\n  barrier.cluster.wait;\n" },
    };
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        behave_one(x, &tests[i]);
}

/* ---- misuse ---- */

static void fault_tests(struct behave_ctx *x)
{
    static const struct behave_test tests[] = {
        { .name = "a rank that the cluster has not", .module = BOX, .grid = GRID, .cluster = CLUSTER,
          .fault = SIMTX_FAULT_OUT_OF_BOUNDS, .body =
          "  mov.u32 %r4, box;\n  mapa.shared::cluster.u32 %r5, %r4, 4;\n  ld.shared::cluster.u32 %r6, [%r5];\n" SYNC },
        { .name = "past the shared memory of another block", .module = BOX, .grid = GRID, .cluster = CLUSTER,
          .fault = SIMTX_FAULT_OUT_OF_BOUNDS, .body =
          PLACES "  st.shared::cluster.u32 [%r5+1024], %i;\n" SYNC },
        { .name = "a block that has exited", .module = BOX, .grid = CLUSTER, .cluster = CLUSTER,
          .fault = SIMTX_FAULT_OUT_OF_BOUNDS, .body =
          PLACES "  setp.eq.u32 %p1, %r2, 1;\n  @%p1 bra End;\n" SYNC "  ld.shared::cluster.u32 %r7, [%r5];\n" SYNC
          "End:\n" },
        { .name = "misaligned in another block", .module = BOX, .grid = GRID, .cluster = CLUSTER,
          .fault = SIMTX_FAULT_MISALIGNED, .body = PLACES "  atom.shared::cluster.add.u32 %r7, [%r5+2], 1;\n" SYNC },
        { .name = "another block's address in .shared::cta", .module = BOX, .grid = GRID, .cluster = CLUSTER,
          .fault = SIMTX_FAULT_OUT_OF_BOUNDS, .body = PLACES "  ld.shared::cta.u32 %r7, [%r5];\n" SYNC },
        { .name = "arrives twice", .grid = GRID, .cluster = CLUSTER, .fault = SIMTX_FAULT_BARRIER, .body =
          "  barrier.cluster.arrive;\n  barrier.cluster.arrive;\n  barrier.cluster.wait;\n" },
        { .name = "waits without having arrived", .grid = GRID, .cluster = CLUSTER, .fault = SIMTX_FAULT_BARRIER,
          .body = "  barrier.cluster.wait;\n" },
        { .name = "a block never arrives", .module = BOX, .grid = CLUSTER, .cluster = CLUSTER, .functional = true,
          .fault = SIMTX_FAULT_BARRIER, .body =
          "  mov.u32 %r2, %cluster_ctarank;\n  setp.eq.u32 %p1, %r2, 2;\n  @%p1 bra Never;\n" SYNC "  bra.uni End;\n"
          "Never:\n  ld.volatile.shared.u32 %r3, [box];\n  setp.eq.u32 %p2, %r3, 0;\n  @%p2 bra Never;\nEnd:\n" },
        { .name = "mapa of .shared::cta", .refused = "it takes .shared::cluster", .body =
          "  mapa.shared::cta.u32 %r1, %r2, 0;\n" },
        { .name = "barrier.cluster.wait.release", .refused = "it takes .acquire", .body =
          "  barrier.cluster.wait.release;\n" },
    };
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        behave_one(x, &tests[i]);
}

void behave_cluster(struct behave_ctx *x)
{
    static const struct behave_test tests[] = {
        { .name = "registers of a cluster", .grid = GRID, .cluster = CLUSTER, .expect = registers, .body = REGISTERS },
        { .name = "the same without clusters", .grid = GRID, .expect = registers_alone, .body = REGISTERS },
    };
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        behave_one(x, &tests[i]);
    memory_tests(x);
    barrier_tests(x);
    fault_tests(x);
}
