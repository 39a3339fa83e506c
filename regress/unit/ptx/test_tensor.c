/*
 * Tensor copies (cp.async.bulk.tensor) against plain loops over the indices of the box, for random maps: 1 to 5
 * dimensions, element sizes, steps, swizzles, boxes that cross the edges of the tensor on all sides or miss it. The
 * place of an element in shared memory is computed from the PTX ISA's description of the swizzling modes (5.5.6): its
 * tables of 16-byte chunks in lines of 128 bytes. Floating-point numbers are rounded and added in double precision.
 * Every case runs in functional and in timing mode.
 */
#include <float.h>
#include <math.h>
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
#include "regress/drop_host.h"

enum { TILE = 16384, TENSOR = 1 << 18, ORIGIN = 1 << 16, BLOCKS = 4 };

/* What the kernels read: the map, the coordinates, the bytes of the box. */
struct args { struct tensor_map map; int32_t at[TENSOR_DIMS]; uint32_t bytes; uint16_t blocks, offset[3]; };

#define HEAD \
    ".version 8.6\n.target sm_90\n.address_size 64\n" \
    ".visible .entry k(.param .u64 out, .param .u64 args)\n{\n" \
    "    .shared .align 1024 .b8 tile[16384];\n    .shared .align 8 .b64 bar;\n" \
    "    .reg .pred %p, %first;\n    .reg .b16 %h<5>;\n    .reg .b32 %r<24>;\n    .reg .b64 %rd<16>;\n" \
    "    ld.param.u64 %rd1, [out];\n    ld.param.u64 %rd2, [args];\n    mov.u32 %r1, %tid.x;\n" \
    "    setp.eq.u32 %first, %r1, 0;\n" \
    "    ld.global.s32 %r10, [%rd2+128];\n    ld.global.s32 %r11, [%rd2+132];\n    ld.global.s32 %r12, [%rd2+136];\n" \
    "    ld.global.s32 %r13, [%rd2+140];\n    ld.global.s32 %r14, [%rd2+144];\n    ld.global.u32 %r15, [%rd2+148];\n" \
    "    ld.global.u16 %h2, [%rd2+154];\n    ld.global.u16 %h3, [%rd2+156];\n    ld.global.u16 %h4, [%rd2+158];\n" \
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
#define DONE ".mbarrier::complete_tx::bytes"
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

struct reduction { const char *op; enum tensor_type type; uint64_t (*result)(uint64_t old, uint64_t b); };

struct box { struct args a; uint32_t element, count[TENSOR_DIMS]; const struct reduction *reduction; };

/* Bytes by enum tensor_type. */
static const uint8_t elements[TENSOR_TYPE_COUNT] = {
    [TENSOR_U8] = 1, [TENSOR_U16] = 2, [TENSOR_U32] = 4, [TENSOR_S32] = 4, [TENSOR_U64] = 8, [TENSOR_S64] = 8,
    [TENSOR_F16] = 2, [TENSOR_F32] = 4, [TENSOR_F64] = 8, [TENSOR_BF16] = 2, [TENSOR_F32_FTZ] = 4, [TENSOR_TF32] = 4,
    [TENSOR_TF32_FTZ] = 4,
};

static bool is_inside(const struct box *b, uint32_t i, uint32_t j)
{
    int64_t x = b->a.at[i] + (int64_t)j * b->a.map.step[i];
    return x >= 0 && x <= b->a.map.last[i];
}

/* Are any of the indices of dimension i inside the tensor? */
static bool crosses(const struct box *b, uint32_t i)
{
    for (uint32_t j = 0; j < b->count[i]; j++)
        if (is_inside(b, i, j))
            return true;
    return false;
}

/* The box crosses the tensor, but in one case of eight may be beside it. */
static void draw_place(struct box *b)
{
    const struct tensor_map *m = &b->a.map;
    bool anywhere = random_below(8) == 0;
    for (uint32_t i = 0; i < m->rank; i++)
        do {
            uint32_t places = m->box[i] + m->last[i] + 1;
            b->a.at[i] = random_below(4) ? (int32_t)random_below(places + 2) - m->box[i] - 1 : 0;
        } while (!anywhere && !crosses(b, i));
}

/* The box has at most TILE bytes. */
static struct box draw_tiled(struct machine *x, int32_t type)
{
    struct box b = { .a.map = { .magic = TENSOR_MAP_MAGIC } };
    struct tensor_map *m = &b.a.map;
    uint32_t rank = 1 + random_below(5), left, bytes, span = random_below(4);
    m->type = (uint8_t)(type < 0 ? random_below(TENSOR_TYPE_COUNT) : (uint32_t)type);
    b.element = elements[m->type];
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
    }
    b.a.bytes = bytes;
    for (uint32_t i = 1; i < rank; i++)
        b.a.bytes *= b.count[i];
    return b;
}

/* ---- im2col (PTX ISA 5.5.3.2): pixels of a window of each picture, one after the other ---- */

static bool pictures;                /* maps are of im2col */

/* The end of the window in dimension i. */
static int64_t end_of(const struct tensor_map *m, uint32_t i)
{
    return m->last[i] + INT64_C(1) + m->upper[i - 1];
}

static void draw_window(struct box *b)
{
    struct tensor_map *m = &b->a.map;
    for (uint32_t i = 1; i < m->rank - 1u; i++)
        do {
            m->lower[i - 1] = (int16_t)((int)random_below(5) - 3);
            m->upper[i - 1] = (int16_t)((int)random_below(6) - 3);
        } while (end_of(m, i) <= m->lower[i - 1]);
}

/* Most copies begin at a pixel of the window. */
static void draw_pixel(struct box *b)
{
    const struct tensor_map *m = &b->a.map;
    bool anywhere = random_below(8) == 0;
    b->a.at[0] = random_below(3) ? 0 : (int32_t)random_below(m->last[0] + 2u) - 1;
    for (uint32_t i = 1; i < m->rank; i++) {
        bool picture = i < m->rank - 1u;
        uint32_t length = picture ? (uint32_t)(end_of(m, i) - m->lower[i - 1]) : 0;
        if (!picture)
            b->a.at[i] = (int32_t)random_below(m->last[i] + 2u) - (random_below(8) == 0);
        else if (anywhere)
            b->a.at[i] = m->lower[i - 1] + (int32_t)random_below(length + 2);
        else
            b->a.at[i] = m->lower[i - 1] + (int32_t)(random_below((length + m->step[i] - 1) / m->step[i]) * m->step[i]);
        if (picture)
            b->a.offset[i - 1] = (uint16_t)random_below(3);
    }
}

static struct box draw_pictures(struct machine *x, int32_t type)
{
    struct box b;
    do
        b = draw_tiled(x, type);
    while (b.a.map.rank < 3);
    struct tensor_map *m = &b.a.map;
    uint32_t row = m->box[0] * b.element, most = TILE / row < TENSOR_PIXELS_MAX ? TILE / row : TENSOR_PIXELS_MAX;
    m->im2col = 1;
    m->box[1] = (uint16_t)(1 + random_below(random_below(4) ? most < 40 ? most : 40 : most));
    b.a.bytes = row * m->box[1];
    for (uint32_t i = 1; i < TENSOR_DIMS; i++)
        b.count[i] = i == 1 ? m->box[1] : 1;
    draw_window(&b);
    draw_pixel(&b);
    return b;
}

static struct box draw_box(struct machine *x, int32_t type)
{
    return pictures ? draw_pictures(x, type) : draw_tiled(x, type);
}

/* The next pixel of the window, of the window of the next picture after the last one. */
static void next_pixel(const struct tensor_map *m, int64_t *at)
{
    uint32_t i = 1;
    while (i < m->rank - 1u && (at[i] += m->step[i]) >= end_of(m, i)) {
        at[i] = m->lower[i - 1];
        i++;
    }
    if (i == m->rank - 1u)
        at[i]++;
}

/* The words of an instruction for the mode of the map. */
static const char *mode_of(const struct box *b, bool stores)
{
    return !b->a.map.im2col ? ".tile" : stores ? ".im2col_no_offs" : ".im2col";
}

static const char *offsets_of(const struct box *b)
{
    static const char *const offsets[] = { ", {%h2}", ", {%h2, %h3}", ", {%h2, %h3, %h4}" };
    return b->a.map.im2col ? offsets[b->a.map.rank - 3] : "";
}

/* The offset of the last element of the tensor in the memory. */
static uint64_t last_element(const struct machine *x, const struct box *b)
{
    const struct tensor_map *m = &b->a.map;
    uint64_t at = m->address - (uint64_t)(uintptr_t)x->tensor + (uint64_t)m->last[0] * b->element;
    for (uint32_t i = 1; i < m->rank; i++)
        at += m->last[i] * m->stride[i - 1];
    return at;
}

/* The tensor lies between ORIGIN and the end of the memory. */
static struct box random_box(struct machine *x, int32_t type)
{
    struct box b;
    do
        b = draw_box(x, type);
    while (last_element(x, &b) >= TENSOR);
    if (!pictures)
        draw_place(&b);
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

/* tensor: the offset of the element in the memory, or -1 when it is outside the tensor. */
typedef void visit_fn(const struct machine *x, const struct box *b, uint32_t shared, int64_t tensor, uint8_t *out);

static uint32_t each_of_pixels(const struct machine *x, const struct box *b, visit_fn *visit, uint8_t *out)
{
    const struct tensor_map *m = &b->a.map;
    uint32_t bytes = 0, n = 0;
    int64_t pixel[TENSOR_DIMS];
    for (uint32_t i = 0; i < m->rank; i++)
        pixel[i] = b->a.at[i];
    for (uint32_t p = 0; p < m->box[1]; p++, next_pixel(m, pixel))
        for (uint32_t channel = 0; channel < m->box[0]; channel++, n++) {
            int64_t at = (int64_t)(m->address - (uint64_t)(uintptr_t)x->tensor);
            bool inside = true;
            for (uint32_t i = 0; i < m->rank; i++) {
                int64_t c = pixel[i] + (!i ? channel : i < m->rank - 1u ? b->a.offset[i - 1] : 0);
                inside &= c >= 0 && c <= m->last[i];
                at += c * (i ? (int64_t)m->stride[i - 1] : b->element);
            }
            visit(x, b, swizzled(n * b->element, m->span), inside ? at : -1, out);
            bytes += inside ? b->element : 0;
        }
    return bytes;
}

/* Calls visit for each element of the box with its place in shared memory. Returns the bytes inside the tensor. */
static uint32_t each_element(const struct machine *x, const struct box *b, visit_fn *visit, uint8_t *out)
{
    if (b->a.map.im2col)
        return each_of_pixels(x, b, visit, out);
    const struct tensor_map *m = &b->a.map;
    uint32_t j[TENSOR_DIMS], n = 0, bytes = 0;
    for (j[4] = 0; j[4] < b->count[4]; j[4]++)
        for (j[3] = 0; j[3] < b->count[3]; j[3]++)
            for (j[2] = 0; j[2] < b->count[2]; j[2]++)
                for (j[1] = 0; j[1] < b->count[1]; j[1]++)
                    for (j[0] = 0; j[0] < b->count[0]; j[0]++, n++) {
                        int64_t at = (int64_t)(m->address - (uint64_t)(uintptr_t)x->tensor);
                        bool inside = true;
                        for (uint32_t i = 0; i < m->rank; i++) {
                            int64_t c = b->a.at[i] + (int64_t)j[i] * m->step[i];
                            inside &= is_inside(b, i, j[i]);
                            at += c * (i ? (int64_t)m->stride[i - 1] : b->element);
                        }
                        visit(x, b, swizzled(n * b->element, m->span), inside ? at : -1, out);
                        bytes += inside ? b->element : 0;
                    }
    return bytes;
}

/* The nearest number with 11 bits, ties to even; below 2^least it has fewer. */
static double nearest(double v, int least)
{
    int exponent = v != 0 && ilogb(v) > least ? ilogb(v) : least;
    double last = ldexp(1, exponent - 10);
    return nearbyint(v / last) * last;
}

/* What a load makes of an element of single precision. */
static void change(enum tensor_type type, uint8_t *element)
{
    float v;
    memcpy(&v, element, sizeof v);
    if (isnan(v) || isinf(v))
        return;
    if (type != TENSOR_TF32 && fabsf(v) < FLT_MIN)
        v = copysignf(0, v);
    if (type != TENSOR_F32_FTZ)
        v = (float)nearest(v, -126);
    memcpy(element, &v, sizeof v);
}

static void loaded(const struct machine *x, const struct box *b, uint32_t shared, int64_t tensor, uint8_t *tile)
{
    memset(tile + shared, b->a.map.nan ? 0xff : 0, b->element);
    if (tensor >= 0)
        memcpy(tile + shared, x->tensor + tensor, b->element);
    else if (b->a.map.nan)
        tile[shared + b->element - 1] = 0x7f;
    if (tensor >= 0 && b->a.map.type >= TENSOR_F32_FTZ)
        change((enum tensor_type)b->a.map.type, tile + shared);
}

static void stored(const struct machine *x, const struct box *b, uint32_t shared, int64_t tensor, uint8_t *memory)
{
    for (uint32_t k = 0; tensor >= 0 && k < b->element; k++)
        memory[tensor + k] = tile_byte(shared + k);
}

/* Before a reduction: of four elements one equals that of the tile, and one is zero. */
static void prepared(const struct machine *x, const struct box *b, uint32_t shared, int64_t tensor, uint8_t *memory)
{
    uint32_t kind = shared / b->element % 4;
    if (kind == 0)
        stored(x, b, shared, tensor, memory);
    else if (kind == 1 && tensor >= 0)
        memset(memory + tensor, 0, b->element);
}

static void reduced(const struct machine *x, const struct box *b, uint32_t shared, int64_t tensor, uint8_t *memory)
{
    uint64_t result, old = 0, more = 0;
    if (tensor < 0)
        return;
    for (uint32_t k = 0; k < b->element; k++)
        more |= (uint64_t)tile_byte(shared + k) << 8 * k;
    memcpy(&old, memory + tensor, b->element);
    result = b->reduction->result(old, more);
    memcpy(memory + tensor, &result, b->element);
}

/* ---- reductions ---- */

static double half_value(uint64_t half)
{
    int exponent = half >> 10 & 31, mantissa = half & 0x3ff;
    double v = exponent == 31 ? (mantissa ? NAN : INFINITY)
                              : ldexp(exponent ? 1024 + mantissa : mantissa, (exponent ? exponent : 1) - 25);
    return half >> 15 & 1 ? -v : v;
}

static uint64_t half_bits(double v)
{
    uint64_t sign = signbit(v) ? 0x8000 : 0;
    if (isnan(v))
        return 0x7fff;
    v = fabs(isinf(v) ? v : nearest(v, -14));
    if (v >= 65536)
        return sign | 0x7c00;
    if (v < ldexp(1, -14))
        return sign | (uint64_t)ldexp(v, 24);
    int exponent = ilogb(v);
    return sign | (uint64_t)((exponent + 14) * 1024 + (int)ldexp(v, 10 - exponent));
}

static uint64_t add_half(uint64_t old, uint64_t b) { return half_bits(half_value(old) + half_value(b)); }
static uint64_t add(uint64_t old, uint64_t b) { return old + b; }
static uint64_t min_unsigned(uint64_t old, uint64_t b) { return old < b ? old : b; }
static uint64_t max_unsigned(uint64_t old, uint64_t b) { return old < b ? b : old; }
static uint64_t min_signed(uint64_t old, uint64_t b) { return (int32_t)old < (int32_t)b ? old : b; }
static uint64_t max_signed(uint64_t old, uint64_t b) { return (int32_t)old < (int32_t)b ? b : old; }
static uint64_t increment(uint64_t old, uint64_t b) { return old >= b ? 0 : old + 1; }
static uint64_t decrement(uint64_t old, uint64_t b) { return old == 0 || old > b ? b : old - 1; }
static uint64_t and(uint64_t old, uint64_t b) { return old & b; }
static uint64_t or(uint64_t old, uint64_t b) { return old | b; }
static uint64_t xor(uint64_t old, uint64_t b) { return old ^ b; }

static const struct reduction reductions[] = {
    { "add", TENSOR_S32, add }, { "add", TENSOR_U64, add }, { "add", TENSOR_F16, add_half },
    { "min", TENSOR_U32, min_unsigned }, { "min", TENSOR_S32, min_signed }, { "max", TENSOR_U32, max_unsigned },
    { "max", TENSOR_S32, max_signed }, { "inc", TENSOR_U32, increment }, { "dec", TENSOR_U32, decrement },
    { "and", TENSOR_U32, and }, { "and", TENSOR_S32, and }, { "or", TENSOR_U32, or }, { "or", TENSOR_S32, or },
    { "xor", TENSOR_U32, xor }, { "xor", TENSOR_S32, xor },
};
enum { REDUCTIONS = sizeof reductions / sizeof *reductions };

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

/* Loads a box. type: enum tensor_type; -1: any. exists: its tensor lies in an allocation, else nothing is written. */
static void load(struct machine *x, uint32_t number, int32_t type, bool exists)
{
    static uint8_t want[TILE];
    struct box b = random_box(x, type);
    for (uint32_t i = 0; i < TILE; i++)
        want[i] = tile_byte(i);
    if (exists)
        each_element(x, &b, loaded, want);
    *x->args = b.a;
    if (!exists) {
        x->args->map.address = 4096;
        memset(x->args->at, 0, sizeof x->args->at);
    }
    snprintf(text, sizeof text, "%s    @%%first cp.async.bulk.tensor.%dd.shared::%s.global%s" DONE
             " [tile], [%%rd2, %s], [bar]%s;\n%s", HEAD EXPECT, b.a.map.rank, number % 2 ? "cluster" : "cta",
             mode_of(&b, false), coordinates[b.a.map.rank - 1], offsets_of(&b), WAIT SHOW);
    if (machine_run(x, text, 1))
        fail_msg("%s", simtx_last_message(x->gpu));
    compare("load", number, &b, x->tiles, want, TILE);
}

static void check_load(struct machine *x, uint32_t number)
{
    load(x, number, -1, true);
}

/* Subnormal numbers, infinities, NaN, and numbers near the middle between two of tf32, near the largest one, too. */
static uint32_t special_number(void)
{
    uint32_t sign = random_below(2) << 31, bits = random_below(1 << 24) << 7 | random_below(1 << 7);
    uint32_t middle = (bits & 0x7fffe000) + 0xfff + random_below(3);
    switch (random_below(6)) {
    case 0: return sign | (bits & 0x7fffff);
    case 1: return sign | 0x7f800000;
    case 2: return sign | 0x7f800001 | bits;
    case 3: return sign | (0x7f7fe000 + 0xfff + random_below(3));
    case 4: return sign | (middle & 0x7fffff);
    default: return sign | middle;
    }
}

static void check_special(struct machine *x, uint32_t number)
{
    for (uint32_t i = 0; i < TENSOR; i += sizeof(uint32_t)) {
        uint32_t word = special_number();
        memcpy(x->tensor + i, &word, sizeof word);
    }
    load(x, number, TENSOR_F32_FTZ + (int32_t)(number % 3), true);
}

/* r: NULL: a store. */
static void check_store(struct machine *x, uint32_t number, const struct reduction *r)
{
    static uint8_t want[TENSOR];
    struct box b = random_box(x, r ? (int32_t)r->type : -1);
    b.reduction = r;
    memset(b.a.offset, 0, sizeof b.a.offset);
    if (r)
        each_element(x, &b, prepared, x->tensor);
    memcpy(want, x->tensor, TENSOR);
    each_element(x, &b, r ? reduced : stored, want);
    *x->args = b.a;
    snprintf(text, sizeof text, "%s    @%%first cp.async.bulk.prefetch.tensor.%dd.L2.global%s [%%rd2, %s]%s;\n"
             "    @%%first cp.%sasync.bulk.tensor.%dd.global.shared::cta%s%s%s.bulk_group [%%rd2, %s], [tile];\n"
             "    cp.async.bulk.commit_group;\n    cp.async.bulk.wait_group 0;\n%s", HEAD, b.a.map.rank,
             mode_of(&b, false), coordinates[b.a.map.rank - 1], offsets_of(&b), r ? "reduce." : "", b.a.map.rank,
             r ? "." : "", r ? r->op : "", mode_of(&b, true), coordinates[b.a.map.rank - 1], SHOW);
    if (machine_run(x, text, 1))
        fail_msg("%s", simtx_last_message(x->gpu));
    compare(r ? r->op : "store", number, &b, x->tensor, want, TENSOR);
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
    check_store(x, number, NULL);
}

static void check_reduced(struct machine *x, uint32_t number)
{
    check_store(x, number, &reductions[number % REDUCTIONS]);
}

static void loads_are_those_of_the_model(void **state)
{
    both_modes(check_load, 240);
}

static void loads_flush_and_round(void **state)
{
    both_modes(check_special, 60);
}

static void stores_are_clipped(void **state)
{
    both_modes(check_stored, 120);
}

static void reductions_are_those_of_the_model(void **state)
{
    both_modes(check_reduced, 6 * REDUCTIONS);
}

/* Block 1 of four loads a box for the blocks of a mask; each of these gets it, and no other. Returns the bytes of the
 * box inside the tensor. */
static uint32_t multicast(struct machine *x, uint32_t number, uint32_t blocks)
{
    static uint8_t want[TILE];
    uint32_t inside = 0;
    struct box b = random_box(x, -1);
    b.a.blocks = (uint16_t)blocks;
    *x->args = b.a;
    snprintf(text, sizeof text, "%s    cvt.u32.u16 %%r16, %%h1;\n    shr.u32 %%r16, %%r16, %%r6;\n"
             "    and.b32 %%r16, %%r16, 1;\n    mul.lo.u32 %%r15, %%r15, %%r16;\n%s"
             "    setp.eq.and.u32 %%p, %%r6, 1, %%first;\n"
             "    @%%p cp.async.bulk.tensor.%dd.shared::cluster.global%s" DONE
             ".multicast::cluster [tile], [%%rd2, %s], [bar]%s, %%h1;\n%s", HEAD, EXPECT, b.a.map.rank,
             mode_of(&b, false), coordinates[b.a.map.rank - 1], offsets_of(&b), WAIT SHOW);
    if (machine_run(x, text, BLOCKS))
        fail_msg("%s", simtx_last_message(x->gpu));
    for (uint32_t block = 0; block < BLOCKS; block++) {
        for (uint32_t i = 0; i < TILE; i++)
            want[i] = tile_byte(i);
        if (b.a.blocks >> block & 1)
            inside = each_element(x, &b, loaded, want);
        compare("multicast", number, &b, x->tiles + block * TILE, want, TILE);
    }
    return inside;
}

static void check_multicast(struct machine *x, uint32_t number)
{
    multicast(x, number, 1 + random_below(15));
}

static void blocks_of_a_mask_get_the_box(void **state)
{
    both_modes(check_multicast, 45);
}

/* The sectors that L2 reads in a multicast of the box that this seed draws. */
static long sectors_read(uint32_t seed, uint32_t blocks, uint32_t *inside)
{
    struct machine x = machine_new(true, 1, "");
    random_state = seed;
    *inside = multicast(&x, 0, blocks);
    char *stats = simtx_stats_json(x.gpu), *at = strstr(stats, "\"sectors_read\": ");
    assert_non_null(at);
    long sectors = strtol(at + strlen("\"sectors_read\": "), NULL, 10);
    free(stats);
    simtx_gpu_free(x.gpu);
    return sectors;
}

/* L2 reads the same sectors for one block and for four: those of the box, and what a box beside the tensor needs. */
static void l2_is_read_once(void **state)
{
    enum { MOST_INSIDE = 2695, BESIDE = 10, SECTOR = 32 };
    uint32_t inside, none;
    long one = sectors_read(MOST_INSIDE, 1, &inside), all = sectors_read(MOST_INSIDE, 15, &inside);
    long least = sectors_read(BESIDE, 1, &none);
    assert_true(inside > TILE / 4 && none == 0);
    assert_true((one - least) * SECTOR >= (long)inside);
    assert_int_equal(one, all);
}

/* The statistics of two launches, with one and with four host threads, are the same. */
static void host_threads_do_not_matter(void **state)
{
    json_t *stats[2];
    for (int i = 0; i < 2; i++) {
        struct machine x = machine_new(true, i ? 4 : 1, "");
        random_state = 99;
        check_load(&x, 0);
        check_multicast(&x, 1);
        char *s = simtx_stats_json(x.gpu);
        stats[i] = json_loads(s, 0, NULL);
        assert_non_null(stats[i]);
        drop_host(stats[i]);
        free(s);
        simtx_gpu_free(x.gpu);
    }
    assert_true(json_equal(stats[0], stats[1]));
    json_decref(stats[0]);
    json_decref(stats[1]);
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
        load(&x, 0, -1, false);
        simtx_gpu_free(x.gpu);
    }
}

/* ---- im2col ---- */

static void check_picture_multicast(struct machine *x, uint32_t number)
{
    multicast(x, number, 1 + random_below(15));
}

static void pictures_are_those_of_the_model(void **state)
{
    pictures = true;
    both_modes(check_load, 240);
    both_modes(check_stored, 90);
    both_modes(check_reduced, 2 * REDUCTIONS);
    both_modes(check_picture_multicast, 24);
    pictures = false;
}

/* ---- tensormap.replace ---- */

/* Where the map is changed, and how: by constants or registers. */
struct change { const char *space, *map; bool registers; FILE *f; };

/* One field; ord: of a dimension, or -1. */
static void print_field(const struct change *c, const char *field, int ord, bool wide, uint64_t v)
{
    const char *reg = wide ? "%rd11" : "%r17";
    if (c->registers)
        fprintf(c->f, "    mov.b%d %s, 0x%llx;\n", wide ? 64 : 32, reg, (unsigned long long)v);
    fprintf(c->f, "    @%%first tensormap.replace.tile.%s%s.b1024.b%d [%s]", field, c->space, wide ? 64 : 32, c->map);
    if (ord >= 0)
        fprintf(c->f, ", %d", ord);
    if (c->registers)
        fprintf(c->f, ", %s;\n", reg);
    else
        fprintf(c->f, ", 0x%llx;\n", (unsigned long long)v);
}

static void print_constant(const struct change *c, const char *field, uint32_t v)
{
    fprintf(c->f, "    @%%first tensormap.replace.tile.%s%s.b1024.b32 [%s], %u;\n", field, c->space, c->map, v);
}

/* Sets all fields that the instruction can set; the numbers of types are those of PTX. */
static void print_changes(const struct change *c, const struct tensor_map *m)
{
    static const uint8_t types[TENSOR_TYPE_COUNT] = {
        [TENSOR_U8] = 0, [TENSOR_U16] = 1, [TENSOR_U32] = 2, [TENSOR_S32] = 3, [TENSOR_U64] = 4, [TENSOR_S64] = 5,
        [TENSOR_F16] = 6, [TENSOR_F32] = 7, [TENSOR_F32_FTZ] = 8, [TENSOR_F64] = 9, [TENSOR_BF16] = 10,
        [TENSOR_TF32] = 11, [TENSOR_TF32_FTZ] = 12,
    };
    print_field(c, "global_address", -1, true, m->address);
    print_field(c, "rank", -1, false, m->rank - 1u);
    for (int i = 0; i < m->rank; i++) {
        print_field(c, "box_dim", i, false, m->box[i]);
        print_field(c, "global_dim", i, false, m->last[i] + 1u);
        print_field(c, "element_stride", i, false, m->step[i]);
        if (i)
            print_field(c, "global_stride", i - 1, true, m->stride[i - 1]);
    }
    print_constant(c, "elemtype", types[m->type]);
    print_constant(c, "interleave_layout", 0);
    print_constant(c, "swizzle_mode", m->span == 128 ? 3 : m->span / 32);
    print_constant(c, "fill_mode", m->nan);
}

/* Loads a box by a map that the kernel has made of the map of another tensor: in place, or in shared memory, from where
 * it is copied to %rd9. */
static void load_replaced(struct machine *x, uint32_t number)
{
    static uint8_t want[TILE];
    static const char *const scopes[] = { "cta", "cluster", "gpu", "sys" };
    struct box other = random_box(x, -1), b = random_box(x, -1);
    bool shared = number % 3;
    for (uint32_t i = 0; i < TILE; i++)
        want[i] = tile_byte(i);
    each_element(x, &b, loaded, want);
    *x->args = b.a;
    x->args->map = other.a.map;
    FILE *f = fmemopen(text, sizeof text, "w");
    fprintf(f, "%s    .shared .align 128 .b8 scratch[128];\n    add.u64 %%rd9, %s;\n    mov.u32 %%r16, scratch;\n"
            "    cvt.u64.u32 %%rd12, %%r16;\n    setp.lt.u32 %%p, %%r1, 32;\n    shl.b32 %%r18, %%r1, 2;\n"
            "    add.u32 %%r19, %%r16, %%r18;\n    cvt.u64.u32 %%rd10, %%r18;\n    add.u64 %%rd10, %%rd10, %%rd2;\n"
            "    @%%p ld.global.u32 %%r17, [%%rd10];\n    @%%p st.shared.u32 [%%r19], %%r17;\n    bar.sync 0;\n", HEAD,
            shared ? "%rd1, 49152" : "%rd2, 0");
    struct change c = { shared ? ".shared::cta" : number % 2 ? ".global" : "", shared ? "%rd12" : "%rd2", number % 2,
                        f };
    print_changes(&c, &b.a.map);
    fputs("    bar.sync 0;\n", f);
    if (shared)
        fprintf(f, "    @%%p tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.%s.sync.aligned "
                "[%%rd9], [%%%s], 128;\n", scopes[number / 2 % 4], number % 3 == 1 ? "rd12" : "r16");
    else
        fputs("    fence.proxy.tensormap::generic.release.gpu;\n", f);
    fprintf(f, "    bar.sync 0;\n    fence.proxy.tensormap::generic.acquire.gpu [%%rd9], 128;\n%s"
            "    @%%first cp.async.bulk.tensor.%dd.shared::cluster.global.tile" DONE " [tile], [%%rd9, %s], [bar];\n%s",
            EXPECT, b.a.map.rank, coordinates[b.a.map.rank - 1], WAIT SHOW);
    fclose(f);
    if (machine_run(x, text, 1))
        fail_msg("%s", simtx_last_message(x->gpu));
    compare("replaced", number, &b, x->tiles, want, TILE);
}

static void replaced_maps_are_those_of_their_fields(void **state)
{
    for (int timing = 0; timing < 2; timing++) {
        struct machine x = machine_new(timing, 1, "");
        random_state = 41;
        for (uint32_t i = 0; i < 60; i++)
            load_replaced(&x, i);
        simtx_gpu_free(x.gpu);
    }
}

struct misuse { const char *says; void (*change)(struct args *a); const char *map, *instruction; };

static void other_bytes(struct args *a) { a->map.magic = 1; }
static void other_rank(struct args *a) { a->map.rank = 1; }
static void no_memory(struct args *a) { a->map.address = 4096; }
static void large_box(struct args *a) { a->map.box[1] = 256; }
static void huge_box(struct args *a) { a->map.rank = 3, a->map.step[2] = 1, a->map.box[1] = a->map.box[2] = 256; }
static void of_pictures(struct args *a) { a->map.rank = 3, a->map.step[2] = a->map.im2col = 1; }
static void no_window(struct args *a) { of_pictures(a), a->map.lower[0] = 3, a->map.upper[0] = -61; }
static void three_dimensions(struct args *a) { a->map.rank = 3, a->map.step[2] = a->map.box[2] = 1; }
static void nothing(struct args *a) { (void)a; }
static void type_u8(struct args *a) { a->map.type = TENSOR_U8; }
static void type_s32(struct args *a) { a->map.type = TENSOR_S32; }
static void type_f32(struct args *a) { a->map.type = TENSOR_F32; }

#define REDUCE(dims, op) "cp.reduce.async.bulk.tensor." dims ".global.shared::cta." op ".tile.bulk_group"
#define REDUCE_PICTURES "cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.im2col_no_offs.bulk_group"
#define OTHER_MODE "the mode of the instruction is not that of the tensor map"
#define REFUSED "the reduction does not take the element type of the tensor map"

/* The box has the first 8192 of the 16392 bytes of shared memory, which end with the barrier object. */
static void faults_name_what_is_wrong(void **state)
{
    static const struct misuse cases[] = {
        { "are no valid tensor map", other_bytes, "%rd2", REDUCE("2d", "add") },
        { "has 1 dimension, and the instruction copies 2", other_rank, "%rd2", REDUCE("2d", "add") },
        { "a tensor map must be aligned to 64 bytes", nothing, "%rd10", REDUCE("2d", "add") },
        { "there is no memory for a tensor map at", nothing, "%rd9", REDUCE("2d", "add") },
        { "a tensor map cannot be in shared memory", nothing, "%rd12", REDUCE("2d", "add") },
        { "0x1000", no_memory, "%rd2", REDUCE("2d", "add") },
        { "reads 128 bytes at 0x4000 of shared memory; the block has 16392 bytes", large_box, "%rd2",
          REDUCE("2d", "add") },
        { "no shared memory has room for the box", huge_box, "%rd2", REDUCE("3d", "add") },
        { OTHER_MODE, of_pictures, "%rd2", REDUCE("3d", "add") },
        { OTHER_MODE, three_dimensions, "%rd2", REDUCE_PICTURES },
        { "are no valid tensor map", no_window, "%rd2", REDUCE_PICTURES },
        { REFUSED, type_u8, "%rd2", REDUCE("2d", "add") }, { REFUSED, type_s32, "%rd2", REDUCE("2d", "inc") },
        { REFUSED, type_f32, "%rd2", REDUCE("2d", "min") }, { REFUSED, type_f32, "%rd2", REDUCE("2d", "and") },
    };
    for (int timing = 0; timing < 2; timing++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            struct machine x = machine_new(timing, 1, "");
            *x.args = (struct args){ .map = { .magic = TENSOR_MAP_MAGIC, .rank = 2, .type = TENSOR_U32,
                                              .address = (uint64_t)(uintptr_t)x.tensor, .stride = { 256 },
                                              .last = { 63, 63 }, .box = { 64, 32 }, .step = { 1, 1 } } };
            cases[i].change(x.args);
            snprintf(text, sizeof text, "%s    mov.u64 %%rd9, 64;\n    add.u64 %%rd10, %%rd2, 8;\n"
                     "    mov.u64 %%rd11, tile;\n    cvta.shared.u64 %%rd12, %%rd11;\n"
                     "    @%%first %s [%s, %s], [tile];\n    ret;\n}\n", HEAD, cases[i].instruction, cases[i].map,
                     coordinates[strstr(cases[i].instruction, "3d") ? 2 : 1]);
            assert_int_equal(machine_run(&x, text, 1), SIMTX_FAULT);
            if (!strstr(simtx_last_message(x.gpu), cases[i].says))
                fail_msg("'%s' is not in: %s", cases[i].says, simtx_last_message(x.gpu));
            simtx_gpu_free(x.gpu);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_are_those_of_the_model), cmocka_unit_test(loads_flush_and_round),
        cmocka_unit_test(stores_are_clipped),
        cmocka_unit_test(reductions_are_those_of_the_model), cmocka_unit_test(blocks_of_a_mask_get_the_box),
        cmocka_unit_test(l2_is_read_once), cmocka_unit_test(other_machines_load_the_same),
        cmocka_unit_test(a_tolerated_copy_completes_its_bytes),
        cmocka_unit_test(host_threads_do_not_matter),
        cmocka_unit_test(pictures_are_those_of_the_model),
        cmocka_unit_test(replaced_maps_are_those_of_their_fields), cmocka_unit_test(faults_name_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
