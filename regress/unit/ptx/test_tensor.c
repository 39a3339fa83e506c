/*
 * Tensor copies (cp.async.bulk.tensor) against plain loops over the indices of the box, for random maps: 1 to 5
 * dimensions, element sizes, steps, swizzles, boxes that cross the edges of the tensor on all sides or miss it. The
 * place of an element in shared memory is computed from the PTX ISA's description of the swizzling modes (5.5.6): its
 * tables of 16-byte chunks in lines of 128 bytes. Every case runs in functional and in timing mode.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "frontend/lib/config_load.h"
#include "frontend/lib/simtx.h"
#include "ptx/memory/tensor_map.h"

enum { TILE = 16384, TENSOR = 1 << 18, ORIGIN = 1 << 16, BLOCKS = 4 };

/* What the kernels read: the map, the coordinates, the bytes of the box. */
struct args { struct tensor_map map; int32_t at[TENSOR_DIMS]; uint32_t bytes; uint32_t blocks; };

#define HEAD \
    ".version 8.6\n.target sm_90\n.address_size 64\n" \
    ".visible .entry k(.param .u64 out, .param .u64 args)\n{\n" \
    "    .shared .align 1024 .b8 tile[16384];\n    .shared .align 8 .b64 bar;\n" \
    "    .reg .pred %p, %first;\n    .reg .b16 %h1;\n    .reg .b32 %r<24>;\n    .reg .b64 %rd<16>;\n" \
    "    ld.param.u64 %rd1, [out];\n    ld.param.u64 %rd2, [args];\n    mov.u32 %r1, %tid.x;\n" \
    "    setp.eq.u32 %first, %r1, 0;\n" \
    "    ld.global.s32 %r10, [%rd2+128];\n    ld.global.s32 %r11, [%rd2+132];\n    ld.global.s32 %r12, [%rd2+136];\n" \
    "    ld.global.s32 %r13, [%rd2+140];\n    ld.global.s32 %r14, [%rd2+144];\n    ld.global.u32 %r15, [%rd2+148];\n" \
    "    ld.global.u16 %h1, [%rd2+152];\n    mov.u32 %r6, %cluster_ctarank;\n" \
    "    @%first mbarrier.init.shared.b64 [bar], 1;\n    fence.mbarrier_init.release.cluster;\n" \
    "    mov.u32 %r2, %r1;\nF:\n    shl.b32 %r3, %r2, 2;\n    mov.u32 %r4, tile;\n    add.u32 %r4, %r4, %r3;\n" \
    "    mul.lo.u32 %r5, %r2, 0x9e3779b1;\n    st.shared.u32 [%r4], %r5;\n    add.u32 %r2, %r2, 128;\n" \
    "    setp.lt.u32 %p, %r2, 4096;\n    @%p bra F;\n    fence.proxy.async;\n" \
    "    barrier.cluster.arrive.aligned;\n    barrier.cluster.wait.aligned;\n"
#define WAIT \
    "W: mbarrier.try_wait.parity.shared.b64 %p, [bar], 0;\n    @!%p bra W;\n"
/* The tile of block n goes to out + 16384 n. */
#define SHOW \
    "    mul.wide.u32 %rd3, %r6, 16384;\n    add.u64 %rd1, %rd1, %rd3;\n" \
    "    mov.u32 %r2, %r1;\nS:\n    mul.wide.u32 %rd4, %r2, 4;\n    add.u64 %rd4, %rd4, %rd1;\n" \
    "    shl.b32 %r3, %r2, 2;\n    mov.u32 %r4, tile;\n    add.u32 %r4, %r4, %r3;\n    ld.shared.u32 %r5, [%r4];\n" \
    "    st.global.u32 [%rd4], %r5;\n    add.u32 %r2, %r2, 128;\n    setp.lt.u32 %p, %r2, 4096;\n    @%p bra S;\n" \
    "    barrier.cluster.arrive.aligned;\n    barrier.cluster.wait.aligned;\n    ret;\n}\n"
#define DONE ".tile.mbarrier::complete_tx::bytes"
#define EXPECT "    @%first mbarrier.arrive.expect_tx.shared.b64 _, [bar], %r15;\n"

static const char *const coordinates[TENSOR_DIMS] = {
    "{%r10}", "{%r10, %r11}", "{%r10, %r11, %r12}", "{%r10, %r11, %r12, %r13}", "{%r10, %r11, %r12, %r13, %r14}",
};

/* ---- numbers ---- */

static uint32_t random_state;

static uint32_t random_below(uint32_t n)
{
    random_state = random_state * 1664525 + 1013904223;
    return (random_state >> 8) % n;
}

static uint8_t tensor_byte(uint32_t i)
{
    return (uint8_t)(i * 0x9e3779b1u >> 24 ^ i);
}

static uint8_t tile_byte(uint32_t i)
{
    return (uint8_t)(i / 4 * 0x9e3779b1u >> 8 * (i % 4));
}

/* ---- the machine ---- */

struct machine { simtx_gpu *gpu; uint8_t *tensor, *tiles; struct args *args; };

static struct machine machine_new(bool timing, uint32_t threads, const char *extra)
{
    char *message = NULL, assignments[200];
    struct machine x;
    void *p[3];
    simtx_config *c = simtx_config_new();
    snprintf(assignments, sizeof assignments, "gpu.sms=4;sim.mode=%s;sim.threads=%u;%s",
             timing ? "timing" : "functional", threads, extra);
    if (simtx_config_build(c, "v100", assignments, "the test", &message))
        fail_msg("%s", message);
    x.gpu = simtx_gpu_new(c, 0, NULL);
    assert_non_null(x.gpu);
    simtx_config_free(c);
    assert_int_equal(simtx_malloc(x.gpu, TENSOR, SIMTX_MEM_DEVICE, &p[0]), SIMTX_OK);
    assert_int_equal(simtx_malloc(x.gpu, BLOCKS * TILE, SIMTX_MEM_DEVICE, &p[1]), SIMTX_OK);
    assert_int_equal(simtx_malloc(x.gpu, sizeof *x.args, SIMTX_MEM_DEVICE, &p[2]), SIMTX_OK);
    x.tensor = p[0];
    x.tiles = p[1];
    x.args = p[2];
    for (uint32_t i = 0; i < TENSOR; i++)
        x.tensor[i] = tensor_byte(i);
    return x;
}

static simtx_status machine_run(struct machine *x, const char *text, uint32_t blocks)
{
    simtx_module *m;
    if (simtx_module_load(x->gpu, text, strlen(text), "k.ptx", &m))
        fail_msg("%s", simtx_last_message(x->gpu));
    const void *args[] = { &x->tiles, &x->args };
    simtx_launch_params p = { .grid = { blocks, 1, 1 }, .block = { 128, 1, 1 }, .cluster = { blocks, 1, 1 },
                              .args = args };
    return simtx_launch(simtx_module_kernel(m, "k"), &p, NULL, NULL);
}

/* ---- random maps ---- */

struct box { struct args a; uint32_t element, count[TENSOR_DIMS]; };

static const struct { uint8_t type, bytes; } integers[] = {
    { TENSOR_U8, 1 }, { TENSOR_U16, 2 }, { TENSOR_S32, 4 }, { TENSOR_U64, 8 }, { TENSOR_F16, 2 }, { TENSOR_F32, 4 },
    { TENSOR_F64, 8 }, { TENSOR_BF16, 2 },
};

/* The box has at most TILE bytes, the tensor lies between ORIGIN and the end of the memory. */
static struct box random_box(struct machine *x, int32_t type)
{
    struct box b = { .a.map = { .magic = TENSOR_MAP_MAGIC } };
    struct tensor_map *m = &b.a.map;
    uint32_t kind = random_below(8), rank = 1 + random_below(5), left, bytes, span = random_below(4);
    for (kind = type < 0 ? kind : 0; type >= 0 && integers[kind].type != type; kind++)
        ;
    b.element = integers[kind].bytes;
    m->type = integers[kind].type;
    m->rank = (uint8_t)rank;
    m->span = (uint8_t)(span ? 16u << span : 0);
    m->nan = m->type >= TENSOR_F16 && random_below(2);
    m->address = (uint64_t)(uintptr_t)x->tensor + ORIGIN + 16 * random_below(100);
    bytes = m->span ? m->span : 16 * (1 + random_below(256 * b.element / 16 < 20 ? 256 * b.element / 16 : 20));
    m->box[0] = (uint16_t)(bytes / b.element);
    m->last[0] = random_below(2 * m->box[0]) + (random_below(2) ? 100 : 0);
    left = TILE / bytes;
    uint64_t stride = ((m->last[0] + 1) * b.element + 15) / 16 * 16 + 16 * random_below(3);
    for (uint32_t i = 0; i < TENSOR_DIMS; i++) {
        m->step[i] = (uint8_t)(i && random_below(3) == 0 ? 1 + random_below(8) : 1);
        if (i) {
            uint32_t most = left < 6 ? left : 6;
            uint32_t n = i < rank ? 1 + random_below(most) : 1;
            left /= n;
            m->box[i] = (uint16_t)((n - 1) * m->step[i] + 1 + random_below(m->step[i]));
            m->last[i] = i < rank ? random_below(i < 3 ? 8 : 3) : 0;
            m->stride[i - 1] = i < rank ? stride : 0;
            stride = stride * (m->last[i] + 1) + 16 * random_below(2);
        }
        b.count[i] = i < rank ? (m->box[i] + m->step[i] - 1u) / m->step[i] : 1;
        uint32_t span_of_box = m->box[i] + m->last[i] + 1;
        b.a.at[i] = (int32_t)random_below(span_of_box + 2) - m->box[i] - 1;
        if (random_below(4) == 0)
            b.a.at[i] = 0;
    }
    b.a.bytes = bytes;
    for (uint32_t i = 1; i < rank; i++)
        b.a.bytes *= b.count[i];
    return b;
}

/* ---- the model ---- */

/* Chunk c of line l lies at these chunks of the line, by the span of the swizzle. */
static uint32_t swizzled(uint32_t offset, uint32_t span)
{
    uint32_t line = offset / 128, chunk = offset / 16 % 8, place = chunk;
    switch (span) {
    case 128: place = chunk ^ line % 8; break;
    case 64: place = chunk / 4 * 4 + (chunk % 4 ^ line % 4); break;
    case 32: place = chunk / 2 * 2 + (chunk % 2 ^ line % 2); break;
    default: break;
    }
    return line * 128 + place * 16 + offset % 16;
}

/* Calls visit for each element of the box with its place in shared memory; tensor: its offset in the memory, or -1 when
 * it is outside the tensor. */
typedef void visit_fn(const struct box *b, uint32_t shared, int64_t tensor, uint8_t *out);

static void each_element(const struct machine *x, const struct box *b, visit_fn *visit, uint8_t *out)
{
    const struct tensor_map *m = &b->a.map;
    uint32_t j[TENSOR_DIMS], n = 0;
    for (j[4] = 0; j[4] < b->count[4]; j[4]++)
        for (j[3] = 0; j[3] < b->count[3]; j[3]++)
            for (j[2] = 0; j[2] < b->count[2]; j[2]++)
                for (j[1] = 0; j[1] < b->count[1]; j[1]++)
                    for (j[0] = 0; j[0] < b->count[0]; j[0]++, n++) {
                        int64_t at = (int64_t)(m->address - (uint64_t)(uintptr_t)x->tensor);
                        bool inside = true;
                        for (uint32_t i = 0; i < m->rank; i++) {
                            int64_t c = b->a.at[i] + (int64_t)j[i] * m->step[i];
                            inside &= c >= 0 && c <= m->last[i];
                            at += c * (i ? (int64_t)m->stride[i - 1] : b->element);
                        }
                        visit(b, swizzled(n * b->element, m->span), inside ? at : -1, out);
                    }
}

static void loaded(const struct box *b, uint32_t shared, int64_t tensor, uint8_t *tile)
{
    for (uint32_t k = 0; k < b->element; k++)
        tile[shared + k] = tensor >= 0      ? tensor_byte((uint32_t)tensor + k)
                           : !b->a.map.nan  ? 0
                           : k == b->element - 1 ? 0x7f
                                            : 0xff;
}

static void stored(const struct box *b, uint32_t shared, int64_t tensor, uint8_t *memory)
{
    for (uint32_t k = 0; tensor >= 0 && k < b->element; k++)
        memory[tensor + k] = tile_byte(shared + k);
}

static void added(const struct box *b, uint32_t shared, int64_t tensor, uint8_t *memory)
{
    uint32_t sum, more = 0;
    if (tensor < 0)
        return;
    for (uint32_t k = 0; k < 4; k++)
        more |= (uint32_t)tile_byte(shared + k) << 8 * k;
    memcpy(&sum, memory + tensor, sizeof sum);
    sum += more;
    memcpy(memory + tensor, &sum, sizeof sum);
}

static void compare(const char *what, uint32_t number, const struct box *b, const uint8_t *got, const uint8_t *want,
                    uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (got[i] != want[i])
            fail_msg("%s %u: rank %d, type %d, span %d, box %d %d %d %d %d at %d %d %d %d %d: byte %u is 0x%x, not "
                     "0x%x", what, number, b->a.map.rank, b->a.map.type, b->a.map.span, b->a.map.box[0],
                     b->a.map.box[1], b->a.map.box[2], b->a.map.box[3], b->a.map.box[4], b->a.at[0], b->a.at[1],
                     b->a.at[2], b->a.at[3], b->a.at[4], i, got[i], want[i]);
}

/* ---- tests ---- */

static char text[1 << 14];

/* Loads a box; exists: its tensor lies in an allocation, else nothing is written. */
static void load(struct machine *x, uint32_t number, bool exists)
{
    static uint8_t want[TILE];
    struct box b = random_box(x, -1);
    for (uint32_t i = 0; i < TILE; i++)
        want[i] = tile_byte(i);
    if (exists)
        each_element(x, &b, loaded, want);
    *x->args = b.a;
    if (!exists) {
        x->args->map.address = 4096;
        memset(x->args->at, 0, sizeof x->args->at);
    }
    snprintf(text, sizeof text, "%s    @%%first cp.async.bulk.tensor.%dd.shared::%s.global" DONE
             " [tile], [%%rd2, %s], [bar];\n%s", HEAD EXPECT, b.a.map.rank, number % 2 ? "cluster" : "cta",
             coordinates[b.a.map.rank - 1], WAIT SHOW);
    if (machine_run(x, text, 1))
        fail_msg("%s", simtx_last_message(x->gpu));
    compare("load", number, &b, x->tiles, want, TILE);
}

static void check_load(struct machine *x, uint32_t number)
{
    load(x, number, true);
}

static void check_store(struct machine *x, uint32_t number, bool adds)
{
    static uint8_t want[TENSOR];
    struct box b = random_box(x, adds ? TENSOR_S32 : -1);
    memcpy(want, x->tensor, TENSOR);
    each_element(x, &b, adds ? added : stored, want);
    *x->args = b.a;
    snprintf(text, sizeof text, "%s    @%%first cp.async.bulk.prefetch.tensor.%dd.L2.global [%%rd2, %s];\n"
             "    @%%first cp.%sasync.bulk.tensor.%dd.global.shared::cta%s.tile.bulk_group [%%rd2, %s], [tile];\n"
             "    cp.async.bulk.commit_group;\n    cp.async.bulk.wait_group 0;\n%s", HEAD, b.a.map.rank,
             coordinates[b.a.map.rank - 1], adds ? "reduce." : "", b.a.map.rank, adds ? ".add" : "",
             coordinates[b.a.map.rank - 1], SHOW);
    if (machine_run(x, text, 1))
        fail_msg("%s", simtx_last_message(x->gpu));
    compare(adds ? "addition" : "store", number, &b, x->tensor, want, TENSOR);
    for (uint32_t i = 0; i < TENSOR; i++)
        x->tensor[i] = tensor_byte(i);
}

static void both_modes(void (*check)(struct machine *x, uint32_t number), uint32_t n)
{
    for (int timing = 0; timing < 2; timing++) {
        struct machine x = machine_new(timing, 1, "");
        random_state = 7;
        for (uint32_t i = 0; i < (timing ? n / 3 : n); i++)
            check(&x, i);
        simtx_gpu_free(x.gpu);
    }
}

static void check_stored(struct machine *x, uint32_t number)
{
    check_store(x, number, false);
}

static void check_added(struct machine *x, uint32_t number)
{
    check_store(x, number, true);
}

static void loads_are_those_of_the_model(void **state)
{
    both_modes(check_load, 240);
}

static void stores_are_clipped(void **state)
{
    both_modes(check_stored, 120);
}

static void reductions_are_those_of_the_model(void **state)
{
    both_modes(check_added, 60);
}

/* Block 1 of four loads a box for the blocks of a mask; each of these gets it, and no other. */
static void multicast(struct machine *x, uint32_t number, uint32_t blocks)
{
    static uint8_t want[TILE];
    struct box b = random_box(x, -1);
    b.a.blocks = blocks;
    *x->args = b.a;
    snprintf(text, sizeof text, "%s    cvt.u32.u16 %%r16, %%h1;\n    shr.u32 %%r16, %%r16, %%r6;\n"
             "    and.b32 %%r16, %%r16, 1;\n    mul.lo.u32 %%r15, %%r15, %%r16;\n%s"
             "    setp.eq.and.u32 %%p, %%r6, 1, %%first;\n"
             "    @%%p cp.async.bulk.tensor.%dd.shared::cluster.global" DONE
             ".multicast::cluster [tile], [%%rd2, %s], [bar], %%h1;\n%s", HEAD, EXPECT, b.a.map.rank,
             coordinates[b.a.map.rank - 1], WAIT SHOW);
    if (machine_run(x, text, BLOCKS))
        fail_msg("%s", simtx_last_message(x->gpu));
    for (uint32_t block = 0; block < BLOCKS; block++) {
        for (uint32_t i = 0; i < TILE; i++)
            want[i] = tile_byte(i);
        if (b.a.blocks >> block & 1)
            each_element(x, &b, loaded, want);
        compare("multicast", number, &b, x->tiles + block * TILE, want, TILE);
    }
}

static void check_multicast(struct machine *x, uint32_t number)
{
    multicast(x, number, 1 + random_below(15));
}

static void blocks_of_a_mask_get_the_box(void **state)
{
    both_modes(check_multicast, 45);
}

/* L2 reads the same sectors for one block and for four. */
static void l2_is_read_once(void **state)
{
    long sectors[2];
    for (int i = 0; i < 2; i++) {
        struct machine x = machine_new(true, 1, "");
        random_state = 3;
        multicast(&x, 0, i ? 15 : 1);
        char *stats = simtx_stats_json(x.gpu), *at = strstr(stats, "\"sectors_read\": ");
        assert_non_null(at);
        sectors[i] = strtol(at + strlen("\"sectors_read\": "), NULL, 10);
        free(stats);
        simtx_gpu_free(x.gpu);
    }
    assert_true(sectors[0] > 0);
    assert_int_equal(sectors[0], sectors[1]);
}

/* The figures of two launches, with one and with four host threads, are the same. */
static void host_threads_do_not_matter(void **state)
{
    char *stats[2];
    for (int i = 0; i < 2; i++) {
        struct machine x = machine_new(true, i ? 4 : 1, "");
        random_state = 99;
        check_load(&x, 0);
        check_multicast(&x, 1);
        stats[i] = simtx_stats_json(x.gpu);
        simtx_gpu_free(x.gpu);
    }
    char *cycles[2] = { strstr(stats[0], "\"cycles\""), strstr(stats[1], "\"cycles\"") };
    assert_non_null(cycles[0]);
    assert_non_null(cycles[1]);
    assert_memory_equal(cycles[0], cycles[1], 20);
    free(stats[0]);
    free(stats[1]);
}

/* Wavefronts of 64 lanes, and lanes that progress independently. */
static void other_machines_load_the_same(void **state)
{
    static const char *const settings[] = { "gpu.warp_size=64", "gpu.simt=independent" };
    for (int timing = 0; timing < 2; timing++)
        for (int i = 0; i < 2; i++) {
            struct machine x = machine_new(timing, 1, settings[i]);
            random_state = 11;
            for (uint32_t k = 0; k < 5; k++)
                check_load(&x, k);
            simtx_gpu_free(x.gpu);
        }
}

/* ---- misuse ---- */

/* With check.memory = off a copy of a tensor that does not exist writes nothing, and the wait for its bytes ends. */
static void a_tolerated_copy_completes_its_bytes(void **state)
{
    for (int timing = 0; timing < 2; timing++) {
        struct machine x = machine_new(timing, 1, "check.memory=off");
        random_state = 5;
        load(&x, 0, false);
        simtx_gpu_free(x.gpu);
    }
}

struct misuse { const char *says; void (*change)(struct args *a); const char *map; };

static void other_bytes(struct args *a) { a->map.magic = 1; }
static void other_rank(struct args *a) { a->map.rank = 1; }
static void no_memory(struct args *a) { a->map.address = 4096; }
static void large_box(struct args *a) { a->map.box[1] = 256; }
static void other_type(struct args *a) { a->map.type = TENSOR_U8; }
static void nothing(struct args *a) { (void)a; }

static void faults_name_what_is_wrong(void **state)
{
    static const struct misuse cases[] = {
        { "are no tensor map that cuTensorMapEncodeTiled made", other_bytes, "%rd2" },
        { "has 1 dimension, and the instruction copies 2", other_rank, "%rd2" },
        { "a tensor map must be aligned to 64 bytes", nothing, "%rd10" },
        { "there is no memory for a tensor map at", nothing, "%rd9" },
        { "0x1000", no_memory, "%rd2" },
        { "shared memory", large_box, "%rd2" },
        { "the reduction does not take the element type", other_type, "%rd2" },
    };
    for (int timing = 0; timing < 2; timing++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            struct machine x = machine_new(timing, 1, "");
            *x.args = (struct args){ .map = { .magic = TENSOR_MAP_MAGIC, .rank = 2, .type = TENSOR_U32,
                                              .address = (uint64_t)(uintptr_t)x.tensor, .stride = { 256 },
                                              .last = { 63, 63 }, .box = { 64, 32 }, .step = { 1, 1 } } };
            cases[i].change(x.args);
            snprintf(text, sizeof text, "%s    mov.u64 %%rd9, 64;\n    add.u64 %%rd10, %%rd2, 8;\n"
                     "    @%%first cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group"
                     " [%s, {%%r10, %%r11}], [tile];\n    ret;\n}\n", HEAD, cases[i].map);
            assert_int_equal(machine_run(&x, text, 1), SIMTX_FAULT);
            if (!strstr(simtx_last_message(x.gpu), cases[i].says))
                fail_msg("'%s' is not in: %s", cases[i].says, simtx_last_message(x.gpu));
            simtx_gpu_free(x.gpu);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_are_those_of_the_model), cmocka_unit_test(stores_are_clipped),
        cmocka_unit_test(reductions_are_those_of_the_model), cmocka_unit_test(blocks_of_a_mask_get_the_box),
        cmocka_unit_test(l2_is_read_once), cmocka_unit_test(other_machines_load_the_same),
        cmocka_unit_test(a_tolerated_copy_completes_its_bytes),
        cmocka_unit_test(host_threads_do_not_matter), cmocka_unit_test(faults_name_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
