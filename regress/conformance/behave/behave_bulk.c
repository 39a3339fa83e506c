/*
 * Behaviour of bulk copies and asynchronous stores (PTX ISA, cp.async.bulk, st.async, red.async): every direction,
 * parts of lines, the completion at barrier objects and of bulk groups, and misuse. Each test runs in both modes.
 */
#include <string.h>

#include "ptx/memory/tensor_map.h"
#include "regress/conformance/behave/behave.h"

enum { BLOCK = 64, CLUSTER = 4, GRID = 2 * CLUSTER };

#define SYNC "  barrier.cluster.arrive.release.aligned;\n  barrier.cluster.wait.acquire.aligned;\n"
#define MEMORY ".shared .align 128 .b8 tile[4096];\n.shared .align 8 .b64 bar;\n"
#define DONE ".mbarrier::complete_tx::bytes"
#define LOAD "cp.async.bulk.shared::cluster.global" DONE
#define SEND "cp.async.bulk.shared::cluster.shared::cta" DONE
#define REDUCE "cp.reduce.async.bulk.global.shared::cta.bulk_group"
#define STORE "cp.async.bulk.global.shared::cta.bulk_group"
/* %p1: thread 0; %r1, %r2: tile and object; the object expects one arrival. */
#define BEGIN                                                                                                \
    "  setp.eq.u32 %p1, %t, 0;\n  mov.u32 %r1, tile;\n  mov.u32 %r2, bar;\n"                                 \
    "  @%p1 mbarrier.init.shared.b64 [%r2], 1;\n  fence.mbarrier_init.release.cluster;\n" SYNC
#define EXPECT(BYTES) "  @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], " #BYTES ";\n"
#define WAIT(LABEL, PARITY)                                                                                  \
    LABEL ":\n  mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [%r2], " #PARITY ";\n"         \
    "  @!%p2 bra " LABEL ";\n"
/* Word 0 = the thread's 8 bytes of the tile. */
#define SHOW "  mad.lo.u32 %r3, %t, 8, %r1;\n  ld.shared.u64 %d1, [%r3];\n  st.global.u64 [%o], %d1;\n"

static uint64_t filled(uint32_t at)
{
    uint64_t v = 0;
    for (uint32_t i = 0; i < 8; i++)
        v |= (uint64_t)behave_fill(at + i) << 8 * i;
    return v;
}

/* ---- global to shared memory ---- */

static bool first_bytes(uint32_t i, uint32_t k, uint64_t *word)
{
    *word = filled(8 * (i % BLOCK));
    return k == 0;
}

/* 304 bytes from 80 on lie in four lines; the bytes after them are what the tile had. */
static bool unaligned(uint32_t i, uint32_t k, uint64_t *word)
{
    *word = i % BLOCK < 38 ? filled(80 + 8 * (i % BLOCK)) : i % BLOCK;
    return k == 0;
}

/* Lane t copies 16 bytes from 48 t to 16 t. */
static bool each_lane(uint32_t i, uint32_t k, uint64_t *word)
{
    *word = filled(48 * (i / 2) + 8 * (i % 2));
    return k == 0 && i < BLOCK;
}

/* Phase n copies 512 bytes from 512 n. */
static bool phases(uint32_t i, uint32_t k, uint64_t *word)
{
    *word = filled(512 * k + 8 * i);
    return k < 3;
}

/* The tile of each block is loaded by the block before: 512 bytes from 512 x its rank. */
static bool by_the_block_before(uint32_t i, uint32_t k, uint64_t *word)
{
    uint32_t rank = i / BLOCK % CLUSTER;
    *word = filled(512 * ((rank + CLUSTER - 1) % CLUSTER) + 8 * (i % BLOCK));
    return k == 0;
}

static void load_tests(struct behave_ctx *x)
{
    static const struct behave_test tests[] = {
        { .name = "bulk load", .module = MEMORY, .grid = 3, .cluster = 1, .expect = first_bytes, .body =
          BEGIN EXPECT(512) "  @%p1 " LOAD " [%r1], [%b], 512, [%r2];\n" WAIT("W", 0) SHOW },
        { .name = "bulk load to .shared::cta, with a hint", .module = MEMORY, .cluster = 1, .expect = first_bytes,
          .body =
          BEGIN EXPECT(512) "  createpolicy.fractional.L2::evict_last.b64 %d2, 1.0;\n  mov.u32 %r4, 512;\n  @%p1 "
          "cp.async.bulk.shared::cta.global" DONE ".L2::cache_hint [tile], [%b], %r4, [bar], %d2;\n"
          WAIT("W", 0) SHOW },
        { .name = "bulk load of parts of lines", .module = MEMORY, .cluster = 1, .expect = unaligned, .body =
          BEGIN "  mad.lo.u32 %r3, %t, 8, %r1;\n  cvt.u64.u32 %d1, %t;\n  st.shared.u64 [%r3], %d1;\n"
          "  fence.proxy.async.shared::cta;\n  bar.sync 0;\n" EXPECT(304)
          "  @%p1 " LOAD " [%r1], [%b+80], 304, [%r2];\n"
          WAIT("W", 0) SHOW },
        { .name = "every lane copies", .module = MEMORY, .cluster = 1, .expect = each_lane, .body =
          BEGIN "  setp.lt.u32 %p3, %t, 32;\n  mul.wide.u32 %d2, %t, 48;\n  add.u64 %d2, %d2, %b;\n"
          "  mad.lo.u32 %r4, %t, 16, %r1;\n" EXPECT(512)
          "  @%p3 " LOAD " [%r4], [%d2], 16, [%r2];\n" WAIT("W", 0) SHOW },
        { .name = "phases of one object", .module = MEMORY, .cluster = 1, .expect = phases, .body =
          BEGIN EXPECT(512) "  @%p1 " LOAD " [%r1], [%b], 512, [%r2];\n" WAIT("W0", 0) SHOW "  bar.sync 0;\n"
          EXPECT(512) "  @%p1 " LOAD " [%r1], [%b+512], 256, [%r2];\n"
          "  @%p1 " LOAD " [%r1+256], [%b+768], 256, [%r2];\n" WAIT("W1", 1)
          "  ld.shared.u64 %d1, [%r3];\n  st.global.u64 [%o+8], %d1;\n  bar.sync 0;\n"
          EXPECT(512) "  @%p1 " LOAD " [%r1], [%b+1024], 512, [%r2];\n" WAIT("W2", 0)
          "  ld.shared.u64 %d1, [%r3];\n  st.global.u64 [%o+16], %d1;\n" },
        { .name = "the bytes before the expectation, and none", .module = MEMORY, .cluster = 1, .expect = first_bytes,
          .body =
          BEGIN "  mov.u32 %r4, 0;\n  @%p1 " LOAD " [%r1], [%b], %r4, [%r2];\n"
          "  @%p1 " LOAD " [%r1], [%b], 512, [%r2];\n"
          "  @%p1 nanosleep.u32 5000;\n" EXPECT(512) WAIT("W", 0) SHOW },
        { .name = "bulk load to the next block", .module = MEMORY, .grid = GRID, .cluster = CLUSTER,
          .expect = by_the_block_before, .body =
          BEGIN EXPECT(512) "  mov.u32 %r4, %cluster_ctarank;\n  mul.wide.u32 %d2, %r4, 512;\n  add.u64 %d2, %d2, %b;\n"
          "  add.u32 %r5, %r4, 1;\n  rem.u32 %r5, %r5, 4;\n  mapa.shared::cluster.u32 %r6, %r1, %r5;\n"
          "  mapa.shared::cluster.u32 %r7, %r2, %r5;\n" SYNC "  @%p1 " LOAD " [%r6], [%d2], 512, [%r7];\n" WAIT("W", 0)
          SHOW SYNC },
        { .name = "bulk prefetch", .module = MEMORY, .cluster = 1, .expect = first_bytes, .body =
          "  cp.async.bulk.prefetch.L2.global [%b], 8192;\n  mov.u64 %d2, 4096;\n"
          "  cp.async.bulk.prefetch.L2.global [%d2], 32;\n"
          BEGIN EXPECT(512) "  @%p1 " LOAD " [%r1], [%b], 512, [%r2];\n" WAIT("W", 0) SHOW },
    };
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        behave_one(x, &tests[i]);
}

/* ---- shared to global memory, groups ---- */

/* Bytes 0x1010 .. 0x1140 are the first 304 of the tile, whose byte n is that of 4096 + n; the rest is as before. */
static void stored(const unsigned char *buf, bool *ok)
{
    for (uint32_t i = 0; i < BEHAVE_BUFFER; i++)
        *ok &= buf[i] == (i >= 0x1010 && i < 0x1140 ? (unsigned char)(i - 0x1010) : behave_fill(i));
}

/* 256 bytes from 4096 on are the first of the buffer, and those from 8192 on, too. */
static void moved(const unsigned char *buf, bool *ok)
{
    for (uint32_t i = 0; i < BEHAVE_BUFFER; i++) {
        bool second = (i >= 4096 && i < 4352) || (i >= 8192 && i < 8448);
        *ok &= buf[i] == behave_fill(second ? i % 4096 : i);
    }
}

static bool read_back(uint32_t i, uint32_t k, uint64_t *word)
{
    *word = 0x0101010101010101 * (uint64_t)(i % BLOCK);
    return k == 0;
}

/* The tile's byte n becomes n. */
#define BYTES                                                                                                \
    "  mul.lo.u32 %r4, %t, 8;\n  add.u32 %r3, %r1, %r4;\n  mov.u32 %r5, 0;\n"                               \
    "Fill:\n  add.u32 %r6, %r4, %r5;\n  add.u32 %r7, %r3, %r5;\n  st.shared.u8 [%r7], %r6;\n"                \
    "  add.u32 %r5, %r5, 1;\n  setp.lt.u32 %p3, %r5, 8;\n  @%p3 bra Fill;\n"                                \
    "  fence.proxy.async;\n  bar.sync 0;\n"
#define COMMIT "  cp.async.bulk.commit_group;\n"

static void store_tests(struct behave_ctx *x)
{
    static const struct behave_test tests[] = {
        { .name = "bulk store of parts of lines", .module = MEMORY, .cluster = 1, .check_buffer = stored, .body =
          BEGIN BYTES "  @%p1 " STORE " [%b+0x1010], [%r1], 304;\n" COMMIT "  cp.async.bulk.wait_group 0;\n" },
        { .name = "a source that is written after it was read", .module = MEMORY, .cluster = 1, .check_buffer = stored,
          .body =
          BEGIN BYTES "  @%p1 " STORE " [%b+0x1010], [%r1], 160;\n" COMMIT
          "  @%p1 " STORE " [%b+0x10b0], [%r1+160], 144;\n" COMMIT "  cp.async.bulk.wait_group.read 0;\n  bar.sync 0;\n"
          "  mov.u64 %d1, -1;\n  st.shared.u64 [%r3], %d1;\n" },
        { .name = "what a group has written is read back", .module = MEMORY, .cluster = 1, .expect = read_back, .body =
          BEGIN "  mul.lo.u32 %r3, %t, 8;\n  add.u32 %r3, %r3, %r1;\n  cvt.u64.u32 %d1, %t;\n"
          "  mul.lo.u64 %d1, %d1, 0x0101010101010101;\n  st.shared.u64 [%r3], %d1;\n  mul.wide.u32 %d3, %t, 8;\n"
          "  add.u64 %d3, %d3, %b;\n  ld.global.u64 %d4, [%d3];\n  fence.proxy.async.shared::cta;\n  bar.sync 0;\n"
          "  @%p1 " STORE " [%b], [%r1], 512;\n" COMMIT "  cp.async.bulk.wait_group 0;\n  fence.proxy.async;\n"
          "  bar.sync 0;\n  ld.volatile.global.u64 %d2, [%d3];\n  st.global.u64 [%o], %d2;\n" },
        { .name = "both directions", .module = MEMORY, .cluster = 1, .check_buffer = moved, .body =
          BEGIN EXPECT(256) "  @%p1 " LOAD " [%r1], [%b], 256, [%r2];\n" WAIT("W", 0)
          "  @%p1 " STORE " [%b+4096], [%r1], 256;\n" COMMIT "  @%p1 " STORE " [%b+8192], [%r1], 256;\n" COMMIT
          "  cp.async.bulk.wait_group 1;\n  cp.async.bulk.wait_group 0;\n" },
        { .name = "more groups than are counted", .module = MEMORY, .cluster = 1, .check_buffer = moved, .body =
          BEGIN EXPECT(256) "  @%p1 " LOAD " [%r1], [%b], 256, [%r2];\n" WAIT("W", 0)
          "  mov.u32 %r4, 0;\nNext:\n  mul.wide.u32 %d2, %r4, 16;\n  add.u64 %d2, %d2, %b;\n  shl.b32 %r5, %r4, 4;\n"
          "  add.u32 %r5, %r5, %r1;\n  @%p1 " STORE " [%d2+4096], [%r5], 16;\n" COMMIT
          "  @%p1 " STORE " [%d2+8192], [%r5], 16;\n" COMMIT
          "  add.u32 %r4, %r4, 1;\n  setp.lt.u32 %p3, %r4, 16;\n  @%p3 bra Next;\n  cp.async.bulk.wait_group 2;\n" },
    };
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        behave_one(x, &tests[i]);
}

/* ---- reductions in global memory ---- */

/* Of the 304 bytes from 0x1010 on, whose counterpart in the tile is the byte's number, 32-bit words are added. */
static void added(const unsigned char *buf, bool *ok)
{
    for (uint32_t i = 0; i < BEHAVE_BUFFER; i += 4) {
        uint32_t was = (uint32_t)filled(i), now, n = i - 0x1010, more = 0;
        for (uint32_t b = 0; i >= 0x1010 && i < 0x1140 && b < 4; b++)
            more |= (uint32_t)(unsigned char)(n + b) << 8 * b;
        memcpy(&now, buf + i, 4);
        *ok &= now == was + more;
    }
}

/* 64-bit words: the smaller of both as signed numbers. */
static void least(const unsigned char *buf, bool *ok)
{
    for (uint32_t i = 0; i < BEHAVE_BUFFER; i += 8) {
        int64_t was = (int64_t)filled(i), now, tile = 0;
        bool in = i >= 0x1010 && i < 0x1140;
        for (uint32_t b = 0; b < 8; b++)
            tile |= (int64_t)((uint64_t)(unsigned char)(i - 0x1010 + b) << 8 * b);
        memcpy(&now, buf + i, 8);
        *ok &= now == (in && tile < was ? tile : was);
    }
}

/* t + t / 2 as f64; 3 and 5 as f16, added: 8, in all halves of a word; f32: t - 2 t. */
static bool floats(uint32_t i, uint32_t k, uint64_t *word)
{
    double sum = 1.5 * i;
    float less = (float)i - 2 * (float)i;
    uint32_t low = 0;
    memcpy(word, &sum, sizeof sum);
    memcpy(&low, &less, sizeof low);
    *word = k == 0 ? *word : k == 1 ? 0x4800480048004800 : low;
    return k < 3;
}

static void reduce_tests(struct behave_ctx *x)
{
    static const struct behave_test tests[] = {
        { .name = "bulk addition of parts of lines", .module = MEMORY, .cluster = 1, .check_buffer = added, .body =
          BEGIN BYTES "  @%p1 " REDUCE ".add.u32 [%b+0x1010], [%r1], 304;\n" COMMIT "  cp.async.bulk.wait_group 0;\n" },
        { .name = "bulk minimum", .module = MEMORY, .cluster = 1, .check_buffer = least, .body =
          BEGIN BYTES "  @%p1 " REDUCE ".min.s64 [%b+0x1010], [%r1], 304;\n" COMMIT "  cp.async.bulk.wait_group 0;\n" },
        { .name = "bulk additions of floating point", .module = MEMORY, .cluster = 1, .expect = floats, .body =
          BEGIN "  mul.lo.u32 %r3, %t, 8;\n  add.u32 %r4, %r3, %r1;\n  cvt.u64.u32 %d2, %r3;\n  add.u64 %d3, %b, %d2;\n"
          "  cvt.rn.f64.u32 %e1, %t;\n  mul.f64 %e2, %e1, 0d3fe0000000000000;\n  st.global.f64 [%d3], %e1;\n"
          "  st.shared.f64 [%r4], %e2;\n  mov.u64 %d4, 0x4200420042004200;\n  mov.u64 %d5, 0x4500450045004500;\n"
          "  st.global.u64 [%d3+4096], %d4;\n  st.shared.u64 [%r4+1024], %d5;\n"
          "  mul.wide.u32 %d6, %t, 4;\n  add.u64 %d6, %d6, %b;\n  mad.lo.u32 %r5, %t, 4, %r1;\n"
          "  cvt.rn.f32.u32 %f1, %t;\n  add.f32 %f2, %f1, %f1;\n  neg.f32 %f2, %f2;\n"
          "  st.global.f32 [%d6+8192], %f1;\n  st.shared.f32 [%r5+2048], %f2;\n  fence.proxy.async;\n  bar.sync 0;\n"
          "  @%p1 " REDUCE ".add.f64 [%b], [%r1], 512;\n  @%p1 " REDUCE ".add.noftz.f16 [%b+4096], [%r1+1024], 512;\n"
          "  @%p1 " REDUCE ".add.f32 [%b+8192], [%r1+2048], 256;\n" COMMIT "  cp.async.bulk.wait_group 0;\n"
          "  fence.proxy.async;\n  bar.sync 0;\n  ld.volatile.global.u64 %d7, [%d3];\n"
          "  ld.volatile.global.u64 %d8, [%d3+4096];\n  ld.volatile.global.u32 %r6, [%d6+8192];\n"
          "  st.global.u64 [%o], %d7;\n  st.global.u64 [%o+8], %d8;\n  st.global.u32 [%o+16], %r6;\n" },
    };
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        behave_one(x, &tests[i]);
}

/* ---- to other blocks ---- */

/* Of the four numbers of the threads at one place of the cluster: their sum, at rank 0. */
static bool sums(uint32_t i, uint32_t k, uint64_t *word)
{
    uint64_t first = i / (BLOCK * CLUSTER) * (BLOCK * CLUSTER) + i % BLOCK;
    *word = 4 * first + (0 + 1 + 2 + 3) * BLOCK;
    return k == 0 && i / BLOCK % CLUSTER == 0;
}

/* The first bytes; rank 2 is not in the mask. */
static bool all_but_one(uint32_t i, uint32_t k, uint64_t *word)
{
    *word = i / BLOCK % CLUSTER == 2 ? 0 : filled(8 * (i % BLOCK));
    return k == 0;
}

/* The bytes of the thread at the same place of the block before. */
static bool from_before(uint32_t i, uint32_t k, uint64_t *word)
{
    uint32_t block = i / BLOCK, rank = block % CLUSTER;
    *word = (uint64_t)(block - rank + (rank + CLUSTER - 1) % CLUSTER) * BLOCK + i % BLOCK;
    return k == 0;
}

static bool own_bytes(uint32_t i, uint32_t k, uint64_t *word)
{
    *word = i;
    return k == 0;
}

/* st.async.v4 by 32 threads, of 16 bytes: 4 t, 4 t + 1, ... + 1000 x rank of the block before. */
static bool async_vectors(uint32_t i, uint32_t k, uint64_t *word)
{
    uint64_t before = (i / BLOCK + CLUSTER - 1) % CLUSTER * 1000, low = before + 2 * (i % BLOCK);
    *word = low | (low + 1) << 32;
    return k == 0;
}

/* All blocks reduce in rank 0: add of u32 and u64, max, or, inc of the 256 numbers 0 .. 255. */
static bool reductions(uint32_t i, uint32_t k, uint64_t *word)
{
    static const uint64_t want[5] = { 255 * 128, 255 * 128 * 3ull, 255, 255, 256 };
    *word = want[k % 5];
    return k < 5 && i / BLOCK % CLUSTER == 0;
}

#define NEXT                                                                                                 \
    "  mov.u32 %r4, %cluster_ctarank;\n  add.u32 %r5, %r4, 1;\n  rem.u32 %r5, %r5, 4;\n"                    \
    "  mapa.shared::cluster.u32 %r6, %r1, %r5;\n  mapa.shared::cluster.u32 %r7, %r2, %r5;\n"
#define NUMBERS "  mad.lo.u32 %r3, %t, 8, %r1;\n  cvt.u64.u32 %d1, %i;\n  st.shared.u64 [%r3+1024], %d1;\n"  \
    "  fence.proxy.async.shared::cta;\n  bar.sync 0;\n"
#define RED "red.async.relaxed.cluster.shared::cluster" DONE

static void cluster_tests(struct behave_ctx *x)
{
    static const struct behave_test tests[] = {
        { .name = "bulk copy to the next block", .module = MEMORY, .grid = GRID, .cluster = CLUSTER,
          .expect = from_before,
          .body =
          BEGIN EXPECT(512) NUMBERS NEXT SYNC
          "  @%p1 " SEND " [%r6], [%r1+1024], 512, [%r7];\n" WAIT("W", 0) SHOW SYNC },
        { .name = "bulk load for the blocks of a mask", .module = MEMORY, .grid = GRID, .cluster = CLUSTER,
          .expect = all_but_one, .body =
          BEGIN "  mov.u32 %r4, %cluster_ctarank;\n  setp.ne.and.u32 %p4, %r4, 2, %p1;\n"
          "  @%p4 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 512;\n"
          "  mad.lo.u32 %r3, %t, 8, %r1;\n  mov.u64 %d1, 0;\n  st.shared.u64 [%r3], %d1;\n  fence.proxy.async;\n" SYNC
          "  mov.u16 %h1, 11;\n  setp.eq.and.u32 %p5, %r4, 1, %p1;\n"
          "  @%p5 " LOAD ".multicast::cluster [%r1], [%b], 512, [%r2], %h1;\n"
          "  setp.eq.u32 %p6, %r4, 2;\n  @%p6 bra Show;\n" WAIT("W", 0) "Show:\n" SYNC SHOW SYNC },
        { .name = "bulk copy in the own block", .module = MEMORY, .grid = 2, .cluster = 1, .expect = own_bytes, .body =
          BEGIN EXPECT(512) NUMBERS "  @%p1 " SEND " [%r1], [%r1+1024], 512, [%r2];\n" WAIT("W", 0) SHOW },
        { .name = "bulk addition in another block", .module = MEMORY, .grid = GRID, .cluster = CLUSTER, .expect = sums,
          .body =
          BEGIN "  mov.u32 %r4, %cluster_ctarank;\n  setp.eq.and.u32 %p4, %r4, 0, %p1;\n"
          "  @%p4 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 2048;\n" NUMBERS
          "  mov.u64 %d2, 0;\n  st.shared.u64 [%r3], %d2;\n  mapa.shared::cluster.u32 %r6, %r1, 0;\n"
          "  mapa.shared::cluster.u32 %r7, %r2, 0;\n" SYNC
          "  @%p1 cp.reduce.async.bulk.shared::cluster.shared::cta" DONE ".add.u64 [%r6], [%r1+1024], 512, [%r7];\n"
          "  setp.ne.u32 %p5, %r4, 0;\n  @%p5 bra End;\n" WAIT("W", 0) SHOW "End:\n" SYNC },
        { .name = "st.async of vectors", .module = MEMORY, .grid = GRID, .cluster = CLUSTER, .expect = async_vectors,
          .body =
          BEGIN EXPECT(512) NEXT "  setp.lt.u32 %p3, %t, 32;\n  mad.lo.u32 %r8, %t, 16, %r6;\n"
          "  mul.lo.u32 %r9, %r4, 1000;\n  mad.lo.u32 %r9, %t, 4, %r9;\n  add.u32 %r10, %r9, 1;\n"
          "  add.u32 %r11, %r9, 2;\n  add.u32 %r12, %r9, 3;\n" SYNC
          "  @%p3 st.async.weak.shared::cluster" DONE ".v4.b32 [%r8], {%r9, %r10, %r11, %r12}, [%r7];\n" WAIT("W", 0)
          SHOW SYNC },
        { .name = "st.async in the own block", .module = MEMORY, .grid = 2, .cluster = 1, .expect = own_bytes, .body =
          BEGIN EXPECT(512) "  mad.lo.u32 %r8, %t, 8, %r1;\n  cvt.u64.u32 %d2, %i;\n"
          "  st.async.shared::cluster" DONE ".u64 [%r8], %d2, [bar];\n" WAIT("W", 0) SHOW },
        { .name = "red.async", .module = MEMORY, .grid = CLUSTER, .cluster = CLUSTER, .expect = reductions, .body =
          BEGIN "  mov.u32 %r4, %cluster_ctarank;\n  setp.eq.and.u32 %p4, %r4, 0, %p1;\n"
          "  @%p4 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 6144;\n"
          "  mul.lo.u32 %r3, %t, 8;\n  add.u32 %r3, %r3, %r1;\n  mov.u64 %d1, 0;\n  st.shared.u64 [%r3], %d1;\n" SYNC
          "  mapa.shared::cluster.u32 %r6, %r1, 0;\n  mapa.shared::cluster.u32 %r7, %r2, 0;\n"
          "  mul.wide.u32 %d2, %i, 3;\n"
          "  " RED ".add.u32 [%r6], %i, [%r7];\n  " RED ".add.u64 [%r6+8], %d2, [%r7];\n"
          "  " RED ".max.u32 [%r6+16], %i, [%r7];\n  " RED ".or.b32 [%r6+24], %i, [%r7];\n"
          "  " RED ".inc.u32 [%r6+32], 1000, [%r7];\n"
          "  setp.ne.u32 %p5, %r4, 0;\n  @%p5 bra End;\n" WAIT("W", 0)
          "  ld.shared.u64 %d1, [tile];\n  ld.shared.u64 %d2, [tile+8];\n  ld.shared.u64 %d3, [tile+16];\n"
          "  ld.shared.u64 %d4, [tile+24];\n  ld.shared.u64 %d5, [tile+32];\n  st.global.u64 [%o], %d1;\n"
          "  st.global.u64 [%o+8], %d2;\n  st.global.u64 [%o+16], %d3;\n  st.global.u64 [%o+24], %d4;\n"
          "  st.global.u64 [%o+32], %d5;\nEnd:\n" SYNC },
    };
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        behave_one(x, &tests[i]);
}

/* ---- tensors ---- */

/* `map`: 8 rows of 16 words at the start of the buffer, and a box of all of them. All shapes:
 * regress/unit/ptx/test_tensor.c. */
#define TENSOR MEMORY ".global .align 64 .b8 map[128];\n"
#define MAP                                                                                                  \
    "  mov.u64 %d9, map;\n  fence.proxy.tensormap::generic.acquire.gpu [%d9], 128;\n  prefetch.tensormap [%d9];\n"
#define TENSOR_LOAD(TO) "cp.async.bulk.tensor.2d.shared::" TO ".global.tile" DONE

static void make_map(simtx_gpu *gpu, simtx_module *m, void *buf, bool end)
{
    void *map;
    if (!end && simtx_module_symbol(m, "map", &map, NULL))
        *(struct tensor_map *)map = (struct tensor_map){
            .magic = TENSOR_MAP_MAGIC, .address = (uint64_t)(uintptr_t)buf, .rank = 2, .type = TENSOR_U32,
            .stride = { 64 }, .last = { 15, 7 }, .box = { 16, 8 }, .step = { 1, 1 }
        };
}

/* A map of another tensor. */
static void make_other_map(simtx_gpu *gpu, simtx_module *m, void *buf, bool end)
{
    void *map;
    if (!end && simtx_module_symbol(m, "map", &map, NULL))
        *(struct tensor_map *)map = (struct tensor_map){
            .magic = TENSOR_MAP_MAGIC, .address = (uint64_t)(uintptr_t)buf + 4096, .rank = 1, .type = TENSOR_BF16,
            .stride = { 4096 }, .last = { 999, 3 }, .box = { 64, 1 }, .step = { 1, 2 }, .span = 128, .nan = 1
        };
}

/* Two rows of 4 pixels of 16 channels, and a box of all of them. */
static void make_pictures(simtx_gpu *gpu, simtx_module *m, void *buf, bool end)
{
    void *map;
    if (!end && simtx_module_symbol(m, "map", &map, NULL))
        *(struct tensor_map *)map = (struct tensor_map){
            .magic = TENSOR_MAP_MAGIC, .address = (uint64_t)(uintptr_t)buf, .rank = 3, .type = TENSOR_U32,
            .stride = { 64, 256 }, .last = { 15, 3, 1 }, .box = { 16, 8 }, .step = { 1, 1, 1 }, .im2col = 1
        };
}

#define REPLACE(FIELD) "  tensormap.replace.tile." FIELD " "
/* The map of make_map, in a copy in shared memory, which goes back to `map`. */
#define REPLACE_ALL                                                                                          \
    "  mov.u64 %d9, map;\n  mov.u32 %r20, changed;\n  cvt.u64.u32 %d10, %r20;\n  and.b32 %r21, %t, 31;\n"    \
    "  mad.lo.u32 %r22, %r21, 4, %r20;\n  mul.wide.u32 %d11, %r21, 4;\n  add.u64 %d11, %d11, %d9;\n"         \
    "  ld.global.u32 %r23, [%d11];\n  st.shared.u32 [%r22], %r23;\n" SYNC "  mov.u32 %r24, 8;\n"            \
    REPLACE("global_address.shared::cta.b1024.b64") "[%d10], %b;\n"                                         \
    REPLACE("rank.shared::cta.b1024.b32") "[%r20], 1;\n"                                                    \
    REPLACE("box_dim.shared::cta.b1024.b32") "[changed], 0, 16;\n"                                          \
    REPLACE("box_dim.shared::cta.b1024.b32") "[%r20], 1, %r24;\n"                                           \
    REPLACE("global_dim.shared::cta.b1024.b32") "[%r20], 0, 16;\n"                                          \
    REPLACE("global_dim.shared::cta.b1024.b32") "[%r20], 1, %r24;\n"                                        \
    REPLACE("global_stride.shared::cta.b1024.b64") "[%r20], 0, 64;\n"                                       \
    REPLACE("element_stride.shared::cta.b1024.b32") "[%r20], 1, 1;\n"                                       \
    REPLACE("elemtype.shared::cta.b1024.b32") "[%r20], 2;\n"                                                \
    REPLACE("interleave_layout.shared::cta.b1024.b32") "[%r20], 0;\n"                                       \
    REPLACE("swizzle_mode.shared::cta.b1024.b32") "[%r20], 0;\n"                                            \
    REPLACE("fill_mode.shared::cta.b1024.b32") "[%r20], 0;\n" SYNC                                          \
    "  tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%d9], [%r20], 128;\n" \
    SYNC "  fence.proxy.tensormap::generic.acquire.gpu [%d9], 128;\n"

/* The first 512 bytes of the buffer are those of the tile. */
static void tile_stored(const unsigned char *buf, bool *ok)
{
    for (uint32_t i = 0; i < BEHAVE_BUFFER; i++)
        *ok &= buf[i] == (i < 512 ? (unsigned char)i : behave_fill(i));
}

static void tile_added(const unsigned char *buf, bool *ok)
{
    for (uint32_t i = 0; i < BEHAVE_BUFFER; i += 4) {
        uint32_t now, more = i < 512 ? (i & 255) * 0x01010101u + 0x03020100u : 0;
        memcpy(&now, buf + i, 4);
        *ok &= now == (uint32_t)filled(i) + more;
    }
}

static void tensor_tests(struct behave_ctx *x)
{
    static const struct behave_test tests[] = {
        { .name = "tensor load", .module = TENSOR, .prepare = make_map,
          .simulated = true, .grid = 3, .cluster = 1, .expect = first_bytes,
          .body =
          BEGIN MAP EXPECT(512) "  @%p1 " TENSOR_LOAD("cluster") " [%r1], [%d9, {0, 0}], [%r2];\n" WAIT("W", 0) SHOW },
        { .name = "tensor load to .shared::cta, with a hint", .module = TENSOR, .prepare = make_map,
          .simulated = true, .cluster = 1,
          .expect = first_bytes, .body =
          BEGIN MAP EXPECT(512) "  createpolicy.fractional.L2::evict_last.b64 %d2, 1.0;\n  mov.u32 %r4, 0;\n"
          "  cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%d9, {%r4, 0}];\n"
          "  @%p1 " TENSOR_LOAD("cta") ".L2::cache_hint [tile], [map, {%r4, 0}], [bar], %d2;\n" WAIT("W", 0) SHOW },
        { .name = "tensor load of pixels", .module = TENSOR, .prepare = make_pictures, .simulated = true, .cluster = 1,
          .expect = first_bytes, .body =
          BEGIN MAP EXPECT(512) "  @%p1 cp.async.bulk.tensor.3d.shared::cluster.global.im2col" DONE
          " [%r1], [%d9, {0, 0, 0}], [%r2], {0};\n" WAIT("W", 0) SHOW },
        { .name = "tensor load by a map of which all has been replaced", .prepare = make_other_map,
          .module = TENSOR ".shared .align 128 .b8 changed[128];\n", .simulated = true, .cluster = 1,
          .expect = first_bytes, .body =
          BEGIN REPLACE_ALL EXPECT(512) "  @%p1 " TENSOR_LOAD("cta") " [%r1], [%d9, {0, 0}], [%r2];\n" WAIT("W", 0)
          SHOW },
        { .name = "tensor load for the blocks of a mask", .module = TENSOR, .prepare = make_map,
          .simulated = true, .grid = GRID,
          .cluster = CLUSTER, .expect = all_but_one, .body =
          BEGIN MAP "  mov.u32 %r4, %cluster_ctarank;\n  setp.ne.and.u32 %p4, %r4, 2, %p1;\n"
          "  @%p4 mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 512;\n"
          "  mad.lo.u32 %r3, %t, 8, %r1;\n  mov.u64 %d1, 0;\n  st.shared.u64 [%r3], %d1;\n  fence.proxy.async;\n" SYNC
          "  mov.u16 %h1, 11;\n  setp.eq.and.u32 %p5, %r4, 1, %p1;\n"
          "  @%p5 " TENSOR_LOAD("cluster") ".multicast::cluster [%r1], [%d9, {0, 0}], [%r2], %h1;\n"
          "  setp.eq.u32 %p6, %r4, 2;\n  @%p6 bra Show;\n" WAIT("W", 0) "Show:\n" SYNC SHOW SYNC },
        { .name = "tensor store", .module = TENSOR, .prepare = make_map,
          .simulated = true, .cluster = 1, .check_buffer = tile_stored,
          .body =
          BEGIN MAP BYTES "  @%p1 cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%d9, {0, 0}], [%r1];\n"
          COMMIT "  cp.async.bulk.wait_group 0;\n" },
        { .name = "tensor addition", .module = TENSOR, .prepare = make_map,
          .simulated = true, .cluster = 1, .check_buffer = tile_added,
          .body =
          BEGIN MAP BYTES
          "  @%p1 cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%d9, {0, 0}], [%r1];\n"
          COMMIT "  cp.async.bulk.wait_group 0;\n" },
    };
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        behave_one(x, &tests[i]);
}

/* ---- misuse ---- */

static void fault_tests(struct behave_ctx *x)
{
    static const struct behave_test tests[] = {
        { .name = "a size of 24", .module = MEMORY, .cluster = 1, .fault = SIMTX_FAULT_MISALIGNED, .body =
          BEGIN "  mov.u32 %r4, 24;\n  @%p1 " LOAD " [%r1], [%b], %r4, [%r2];\n" },
        { .name = "a misaligned source", .module = MEMORY, .cluster = 1, .fault = SIMTX_FAULT_MISALIGNED, .body =
          BEGIN "  @%p1 " LOAD " [%r1], [%b+8], 32, [%r2];\n" },
        { .name = "a misaligned destination", .module = MEMORY, .cluster = 1, .fault = SIMTX_FAULT_MISALIGNED, .body =
          BEGIN "  @%p1 " LOAD " [%r1+8], [%b], 32, [%r2];\n" },
        { .name = "a misaligned object", .module = MEMORY, .cluster = 1, .fault = SIMTX_FAULT_MISALIGNED, .body =
          BEGIN "  @%p1 " LOAD " [%r1], [%b], 32, [%r2+4];\n" },
        { .name = "past the allocation", .module = MEMORY, .cluster = 1, .fault = SIMTX_FAULT_OUT_OF_BOUNDS, .body =
          BEGIN "  @%p1 " STORE " [%b+65520], [%r1], 32;\n" },
        { .name = "past shared memory", .module = MEMORY, .cluster = 1, .fault = SIMTX_FAULT_OUT_OF_BOUNDS, .body =
          BEGIN "  @%p1 " STORE " [%b], [%r1+4096], 256;\n" },
        { .name = "a generic address as the destination", .module = MEMORY, .cluster = 1,
          .fault = SIMTX_FAULT_WRONG_SPACE,
          .body =
          BEGIN "  cvt.u64.u32 %d1, %r1;\n  cvta.shared.u64 %d1, %d1;\n  @%p1 " LOAD " [%d1], [%b], 32, [%r2];\n" },
        { .name = "shared memory as the global source", .module = MEMORY, .cluster = 1,
          .fault = SIMTX_FAULT_WRONG_SPACE, .body =
          BEGIN "  cvt.u64.u32 %d1, %r1;\n  cvta.shared.u64 %d1, %d1;\n  @%p1 " LOAD " [%r1], [%d1], 32, [%r2];\n" },
        { .name = "the object of another block", .module = MEMORY, .grid = 2, .cluster = 2,
          .fault = SIMTX_FAULT_WRONG_SPACE,
          .body = BEGIN "  mov.u32 %r4, %cluster_ctarank;\n  xor.b32 %r4, %r4, 1;\n"
          "  mapa.shared::cluster.u32 %r5, %r2, %r4;\n  @%p1 " LOAD " [%r1], [%b], 32, [%r5];\n" SYNC },
        { .name = "another block as the source", .module = MEMORY, .grid = 2, .cluster = 2,
          .fault = SIMTX_FAULT_WRONG_SPACE,
          .body = BEGIN "  mov.u32 %r4, %cluster_ctarank;\n  xor.b32 %r4, %r4, 1;\n"
          "  mapa.shared::cluster.u32 %r5, %r1, %r4;\n  @%p1 " STORE " [%b], [%r5], 32;\n" SYNC },
        { .name = "st.async with the object of another block", .module = MEMORY, .grid = 2, .cluster = 2,
          .fault = SIMTX_FAULT_WRONG_SPACE, .body = BEGIN "  mov.u32 %r4, %cluster_ctarank;\n  xor.b32 %r4, %r4, 1;\n"
          "  mapa.shared::cluster.u32 %r5, %r2, %r4;\n"
          "  st.async.shared::cluster" DONE ".u32 [%r1], %i, [%r5];\n" SYNC },
        { .name = "a constant size of 40", .module = MEMORY, .refused = "a multiple of 16", .body =
          "  cp.async.bulk.prefetch.L2.global [%b], 40;\n" },
        { .name = "a global variable as the destination", .module = MEMORY ".global .align 16 .b8 far[64];\n",
          .refused = "'far' is in .global, not in .shared", .body = "  " LOAD " [far], [%b], 16, [bar];\n" },
        { .name = "multicast to a block that the cluster lacks", .module = MEMORY, .grid = 2, .cluster = 2,
          .fault = SIMTX_FAULT_WRONG_SPACE,
          .body = BEGIN "  mov.u16 %h1, 6;\n  @%p1 " LOAD ".multicast::cluster [%r1], [%b], 16, [%r2], %h1;\n" SYNC },
        { .name = "an object of another block in a multicast", .module = MEMORY, .grid = 2, .cluster = 2,
          .fault = SIMTX_FAULT_WRONG_SPACE,
          .body = BEGIN "  mov.u16 %h1, 3;\n  mov.u32 %r4, %cluster_ctarank;\n  xor.b32 %r4, %r4, 1;\n"
          "  mapa.shared::cluster.u32 %r5, %r2, %r4;\n"
          "  @%p1 " LOAD ".multicast::cluster [%r1], [%b], 16, [%r5], %h1;\n" SYNC },
        { .name = "a mask of 32 bits", .module = MEMORY, .refused = "needs .u16 here", .body =
          "  " LOAD ".multicast::cluster [tile], [%b], 16, [bar], %r1;\n" },
        { .name = "im2col along one dimension", .module = MEMORY, .refused = ".im2col::w' is not supported", .body =
          "  cp.async.bulk.tensor.3d.shared::cluster.global.im2col::w" DONE
          " [tile], [%b, {%r1, %r1, %r1}], [bar], {1};\n" },
        { .name = "coordinates of another rank", .module = MEMORY,
          .refused = "a tensor of 2 dimensions has 2 coordinates, not 3", .body =
          "  cp.async.bulk.tensor.2d.shared::cluster.global.tile" DONE " [tile], [%b, {%r1, %r1, %r1}], [bar];\n" },
        { .name = "a tensor without a map", .module = MEMORY, .refused = "[map, {coordinates}] is expected", .body =
          "  cp.async.bulk.tensor.1d.shared::cluster.global.tile" DONE " [tile], [%b], [bar];\n" },
        { .name = "a tensor map in shared memory", .module = MEMORY, .refused = "a tensor map is given by a register",
          .body =
          "  cp.async.bulk.tensor.1d.shared::cluster.global.tile" DONE " [tile], [tile, {%r1}], [bar];\n" },
        { .name = "a tensor map with an offset", .module = MEMORY, .refused = "has no offset here", .body =
          "  cp.async.bulk.tensor.1d.shared::cluster.global.tile" DONE " [tile], [%b+128, {%r1}], [bar];\n" },
        { .name = "a tensor of a cube", .module = MEMORY, .refused = "has no modifier '.cube'", .body =
          "  cp.async.bulk.tensor.cube.shared::cluster.global.tile" DONE " [tile], [%b, {%r1}], [bar];\n" },
        { .name = "bulk reduction of f16 without .noftz", .module = MEMORY, .refused = ".noftz is for .add", .body =
          "  " REDUCE ".add.f16 [%b], [tile], 16;\n" },
        { .name = "bulk reduction past the allocation", .module = MEMORY, .cluster = 1,
          .fault = SIMTX_FAULT_OUT_OF_BOUNDS, .body = BEGIN "  @%p1 " REDUCE ".xor.b64 [%b+65504], [%r1], 48;\n" },
        { .name = "a compare-and-swap in a tensor", .module = MEMORY, .refused = "a reduction is one of .add", .body =
          "  cp.reduce.async.bulk.tensor.1d.global.shared::cta.cas.tile.bulk_group [%b, {%r1}], [tile];\n" },
        { .name = "a tensor map's fence of 64 bytes", .refused = "the size must be 128", .body =
          "  fence.proxy.tensormap::generic.acquire.gpu [%b], 64;\n" },
        { .name = "red.async.min.u64", .module = MEMORY, .refused = "this atomic operation is not for this type",
          .body =
          "  " RED ".min.u64 [tile], 1, [bar];\n" },
    };
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        behave_one(x, &tests[i]);
}

void behave_bulk(struct behave_ctx *x)
{
    static const struct behave_test fences = {
        .name = "fences of proxies", .cluster = 1, .body =
        "  fence.proxy.alias;\n  membar.proxy.alias;\n"
        "  fence.proxy.async;\n  fence.proxy.async.global;\n  fence.proxy.async.shared::cta;\n"
        "  fence.proxy.async.shared::cluster;\n"
        "  fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;\n"
        "  fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;\n"
        "  fence.proxy.tensormap::generic.release.gpu;\n  fence.proxy.tensormap::generic.acquire.gpu [%b], 128;\n"
        "  prefetch.tensormap [%b];\n" };
    behave_one(x, &fences);
    load_tests(x);
    store_tests(x);
    reduce_tests(x);
    cluster_tests(x);
    tensor_tests(x);
    fault_tests(x);
}
