/*
 * Behaviour of texture and surface instructions: every geometry of tex, tld4, suld, sust and sured, levels and
 * gradients, queries, samplers, boundary modes, wrong handles. Texel (x, y, z) of every array has the value
 * 1000 z + 100 y + x, plus 10000 times its level, so that a fetch tells where it was made. Filters and address modes
 * are tested in regress/unit/ptx/test_sampler.c.
 */
#include "regress/conformance/behave/behave.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/lib/simtx_texture.h"

enum { WIDTH = 8, HEIGHT = 8, DEPTH = 6, LEVELS = 4 };

/* The arrays that a module's references may name. */
struct resource { const char *name; uint32_t height, depth, levels; bool layered, cube, surface, normalized, real; };
static const struct resource resources[] = {
    { .name = "t1", .real = true },
    { .name = "t2", .height = HEIGHT, .real = true },
    { .name = "t2i", .height = HEIGHT },
    { .name = "t3", .height = HEIGHT, .depth = DEPTH, .real = true },
    { .name = "ta1", .depth = DEPTH, .layered = true, .real = true },
    { .name = "ta2", .height = HEIGHT, .depth = DEPTH, .layered = true, .real = true },
    { .name = "tc", .height = HEIGHT, .depth = 6, .cube = true, .normalized = true, .real = true },
    { .name = "tac", .height = HEIGHT, .depth = 12, .cube = true, .layered = true, .normalized = true, .real = true },
    { .name = "tm", .height = HEIGHT, .levels = LEVELS, .normalized = true, .real = true },
    { .name = "s1", .surface = true },
    { .name = "s2", .height = HEIGHT, .surface = true },
    { .name = "s3", .height = HEIGHT, .depth = DEPTH, .surface = true },
    { .name = "sa1", .depth = DEPTH, .layered = true, .surface = true },
    { .name = "sa2", .height = HEIGHT, .depth = DEPTH, .layered = true, .surface = true },
};
enum { RESOURCES = sizeof resources / sizeof *resources };

static const char module[] =
    ".global .texref t1, t2, t2i, t3, ta1, ta2, tc, tac, tm, linear, unbound;\n"
    ".global .surfref s1, s2, s3, sa1, sa2;\n"
    ".global .samplerref edge = { addr_mode_0 = clamp_to_edge, addr_mode_1 = mirror, filter_mode = nearest };\n"
    ".global .samplerref smooth = { filter_mode = linear, addr_mode_0 = clamp_to_border };\n";

static struct { simtx_array *array; uint64_t handle; } made[RESOURCES];
static uint64_t linear_handle;

static void write_level(simtx_gpu *gpu, simtx_array *a, uint32_t level, bool real)
{
    simtx_array_desc d;
    simtx_array_get(gpu, a, &d);
    size_t h = d.height ? d.height : 1, slices = d.depth ? d.depth : 1;
    uint32_t *texel = malloc(d.width * h * slices * 4);
    for (size_t z = 0; z < slices; z++)
        for (size_t y = 0; y < h; y++)
            for (size_t x = 0; x < d.width; x++) {
                uint32_t v = (uint32_t)(10000 * level + 1000 * z + 100 * y + x);
                float f = (float)v;
                memcpy(&texel[(z * h + y) * d.width + x], real ? (void *)&f : (void *)&v, 4);
            }
    simtx_box b = { 0, 0, 0, d.width, h, slices };
    simtx_array_write(gpu, a, &b, texel, d.width * 4, d.width * 4 * h);
    free(texel);
}

static void make(simtx_gpu *gpu, simtx_module *m, int i)
{
    const struct resource *r = &resources[i];
    simtx_array_desc d = { .width = WIDTH, .height = r->height, .depth = r->depth, .layered = r->layered,
                           .cubemap = r->cube, .surface = r->surface, .levels = r->levels,
                           .texel = { r->real ? SIMTX_CHANNEL_FLOAT : SIMTX_CHANNEL_UNSIGNED, 32, 1 } };
    simtx_resource of = { .kind = SIMTX_RESOURCE_ARRAY };
    simtx_sampler s = { .address = { SIMTX_ADDRESS_CLAMP, SIMTX_ADDRESS_CLAMP, SIMTX_ADDRESS_CLAMP },
                        .normalized_coords = r->normalized, .mip_max = LEVELS };
    simtx_array *level;
    if (simtx_array_new(gpu, &d, &made[i].array))
        return;
    for (uint32_t k = 0; k < r->levels && !simtx_array_level(gpu, made[i].array, k, &level); k++)
        write_level(gpu, level, k, r->real);
    if (!r->levels)
        write_level(gpu, made[i].array, 0, r->real);
    of.array = made[i].array;
    simtx_status status = r->surface ? simtx_surface_new(gpu, of.array, &made[i].handle)
                                     : simtx_texture_new(gpu, &of, &s, &made[i].handle);
    if (!status)
        simtx_texref_bind(gpu, simtx_module_texref(m, r->name, r->surface), made[i].handle);
}

static void prepare(simtx_gpu *gpu, simtx_module *m, void *buf, bool end)
{
    simtx_resource r = { .kind = SIMTX_RESOURCE_LINEAR, .pointer = buf, .width = 64,
                         .texel = { SIMTX_CHANNEL_UNSIGNED, 32, 1 } };
    simtx_sampler s = { .border = { 1, 1, 1, 1 } };
    for (int i = 0; i < RESOURCES; i++) {
        if (!end) {
            make(gpu, m, i);
            continue;
        }
        if (resources[i].surface)
            simtx_surface_free(gpu, made[i].handle);
        else
            simtx_texture_free(gpu, made[i].handle);
        simtx_array_free(gpu, made[i].array);
    }
    if (end)
        simtx_texture_free(gpu, linear_handle);
    else if (!simtx_texture_new(gpu, &r, &s, &linear_handle))
        simtx_texref_bind(gpu, simtx_module_texref(m, "linear", false), linear_handle);
}

/* Thread i uses x = i % 8, y = i / 8: %r10, %r11; %r12 = i % 6; as floats at the centres of texels %f10, %f11, %f12. */
#define PLACES                                                                                             \
    "  and.b32 %r10, %i, 7;\n  shr.u32 %r11, %i, 3;\n  rem.u32 %r12, %i, 6;\n"                              \
    "  cvt.rn.f32.u32 %f10, %r10;\n  cvt.rn.f32.u32 %f11, %r11;\n  cvt.rn.f32.u32 %f12, %r12;\n"            \
    "  add.f32 %f10, %f10, 0.5;\n  add.f32 %f11, %f11, 0.5;\n  add.f32 %f12, %f12, 0.5;\n"
#define STORE_F "  cvt.rzi.u32.f32 %r20, %f20;\n  cvt.u64.u32 %d20, %r20;\n"
#define STORE_R "  cvt.u64.u32 %d20, %r20;\n"
#define OUT(k) "  st.global.u64 [%o+" k "], %d20;\n"
#define F4 "{%f20, %f21, %f22, %f23}"
#define R4 "{%r20, %r21, %r22, %r23}"

static uint64_t texel(uint32_t x, uint32_t y, uint32_t z) { return 1000 * z + 100 * y + x; }

static bool expect_geometries(uint32_t i, uint32_t k, uint64_t *w)
{
    uint32_t x = i & 7, y = i >> 3, z = i % 6;
    const uint64_t words[] = { x, texel(x, y, 0), texel(x, y, z), texel(x, 0, z), texel(x, y, z), texel(x, y, 0), x,
                               texel(x, y, z) };
    *w = words[k];
    return true;
}

static uint32_t filled(uint32_t at)
{
    uint32_t v = 0;
    for (uint32_t b = 0; b < 4; b++)
        v |= (uint32_t)behave_fill(at + b) << 8 * b;
    return v;
}

/* Memory is read by number; outside it is 0, whatever the border colour and the sampler are. */
static bool expect_linear(uint32_t i, uint32_t k, uint64_t *w)
{
    *w = k == 0 ? filled(4 * i) : k == 1 && i + 40 < 64 ? filled(4 * (i + 40)) : k == 3 ? 1 : 0;
    return true;
}

/* The centre of a face of a cube map is the corner of four texels; it belongs to texel (4, 4). Faces can be read as
 * layers. */
static bool expect_cubes(uint32_t i, uint32_t k, uint64_t *w)
{
    *w = k == 0 ? texel(4, 4, i % 6) : k == 1 ? texel(4, 4, 6 + i % 6)
       : k == 2 ? texel(i & 7, i >> 3, i % 6) : k == 3 ? texel(i & 7, i >> 3, 6 + i % 6) : 0;
    return true;
}

static bool expect_levels(uint32_t i, uint32_t k, uint64_t *w)
{
    uint32_t x = i & 7, y = i >> 3, level = i % 4;
    const uint64_t at_level = 10000 * level + texel(x >> level, y >> level, 0);
    const uint64_t words[] = { texel(x, y, 0), at_level, at_level, texel(x, y, 0), 0, 0, 0, 0 };
    *w = words[k];
    return true;
}

static bool expect_gather(uint32_t i, uint32_t k, uint64_t *w)
{
    uint32_t x = i & 7, y = i >> 3, right = x < 7 ? x + 1 : 7, below = y < 7 ? y + 1 : 7;
    const uint64_t words[] = { texel(x, below, 0), texel(right, below, 0), texel(right, y, 0), texel(x, y, 0),
                               0, 1, 2, 0 };
    *w = words[k];
    return k < 6 || k == 7;
}

static bool expect_samplers(uint32_t i, uint32_t k, uint64_t *w)
{
    uint32_t x = i & 7, y = i >> 3, next = x < 7 ? x + 1 : 0;
    uint64_t between = x < 7 ? (2 * texel(x, y, 0) + next - x) / 2 : texel(7, y, 0) / 2;
    const uint64_t words[] = { texel(7, y, 0), between, 1, 0, 3, 0, 1, 2 };
    *w = words[k];
    return true;
}

static bool expect_queries(uint32_t i, uint32_t k, uint64_t *w)
{
    static const uint64_t words[] = { 8 + 8 * 100, 6 + 6 * 100, 4 + 4 * 100, 4, 0x10de, 0x10b0, 1,
                                      8 + 8 * 100 + 6 * 10000 };
    (void)i;
    *w = words[k];
    return true;
}

static bool expect_halves(uint32_t i, uint32_t k, uint64_t *w)
{
    uint32_t x = i & 7;
    _Float16 h = (_Float16)x, one = 1;
    uint16_t b, o;
    memcpy(&b, &h, 2);
    memcpy(&o, &one, 2);
    *w = k == 0 ? b : k == 1 ? b : k == 2 ? (uint32_t)o << 16 : 0;
    return true;
}

static bool expect_loads(uint32_t i, uint32_t k, uint64_t *w)
{
    uint32_t x = i & 7, y = i >> 3, z = i % 6, even = x & ~1u;
    const uint64_t words[] = { x, texel(x, y, 0), texel(x, y, z), texel(x, 0, z), texel(x, y, z),
                               texel(even, y, 0) & 0xff, texel(even, y, 0) | texel(even + 1, y, 0) << 32,
                               texel(x & ~3u, y, 0) + texel(x | 3, y, 0) };
    *w = words[k];
    return true;
}

/* Threads store to their own texels and read them back; edges and outside as the modes say. */
static bool expect_stores(uint32_t i, uint32_t k, uint64_t *w)
{
    const uint64_t words[] = { i + 1000, i + 2000, i + 3000, i & 0xff, 0, 63 + 5, i + 4000, i + 5000 };
    *w = words[k];
    return k != 5 || i == 63;
}

static bool expect_reductions(uint32_t i, uint32_t k, uint64_t *w)
{
    static const uint64_t words[] = { 64, 63, 0, 0xffffffff, 0, 64 + 7, 0, 0 };
    (void)i;
    *w = words[k];
    return k < 6;
}

#define FETCH(what, store, out) "  " what "\n" store OUT(out)
#define TRAPS(text, kind) .module = module, .prepare = prepare, .fault = kind, .body = PLACES text OUT("0")

static const struct behave_test tests[] = {
    { .name = "tex of every geometry", .module = module, .prepare = prepare, .expect = expect_geometries,
      .body = PLACES
      FETCH("tex.1d.v4.f32.f32 " F4 ", [t1, {%f10}];", STORE_F, "0")
      FETCH("tex.2d.v4.f32.f32 " F4 ", [t2, {%f10, %f11}];", STORE_F, "8")
      FETCH("tex.3d.v4.f32.f32 " F4 ", [t3, {%f10, %f11, %f12, %f12}];", STORE_F, "16")
      FETCH("tex.a1d.v4.f32.f32 " F4 ", [ta1, {%r12, %f10}];", STORE_F, "24")
      FETCH("tex.a2d.v4.f32.f32 " F4 ", [ta2, {%r12, %f10, %f11, %f11}];", STORE_F, "32")
      FETCH("tex.2d.v4.u32.f32 " R4 ", [t2i, {%f10, %f11}];", STORE_R, "40")
      FETCH("mov.u64 %d5, t1;\n  tex.1d.v4.f32.s32 " F4 ", [%d5, %r10];", STORE_F, "48")
      FETCH("tex.3d.v4.f32.s32 " F4 ", [t3, {%r10, %r11, %r12, %r12}];", STORE_F, "56") },
    { .name = "tex of linear memory", .module = module, .prepare = prepare, .expect = expect_linear,
      .body = PLACES "  add.u32 %r13, %i, 40;\n  mov.u32 %r14, -1;\n"
      FETCH("tex.1d.v4.u32.s32 " R4 ", [linear, {%i}];", STORE_R, "0")
      FETCH("tex.1d.v4.s32.s32 " R4 ", [linear, {%r13}];", STORE_R, "8")
      FETCH("tex.1d.v4.u32.s32 " R4 ", [linear, {%r14}];", STORE_R, "16")
      FETCH("tex.1d.v4.u32.s32 {_, _, _, %r20}, [linear, {%i}];", STORE_R, "24")
      FETCH("tex.1d.v4.u32.s32 " R4 ", [linear, edge, {%r14}];", STORE_R, "32")
      FETCH("tex.1d.v4.u32.s32 " R4 ", [linear, smooth, {%r14}];", STORE_R, "40") },
    { .name = "tex of cube maps", .module = module, .prepare = prepare, .expect = expect_cubes,
      .body = PLACES
      "  mov.f32 %f1, 0.0; mov.f32 %f2, 0.0; mov.f32 %f3, 0.0; mov.b32 %r1, 1;\n"
      "  setp.eq.u32 %p1, %r12, 0; @%p1 mov.f32 %f1, 2.0;\n  setp.eq.u32 %p1, %r12, 1; @%p1 mov.f32 %f1, -2.0;\n"
      "  setp.eq.u32 %p1, %r12, 2; @%p1 mov.f32 %f2, 2.0;\n  setp.eq.u32 %p1, %r12, 3; @%p1 mov.f32 %f2, -2.0;\n"
      "  setp.eq.u32 %p1, %r12, 4; @%p1 mov.f32 %f3, 2.0;\n  setp.eq.u32 %p1, %r12, 5; @%p1 mov.f32 %f3, -2.0;\n"
      FETCH("tex.cube.v4.f32.f32 " F4 ", [tc, {%f1, %f2, %f3, %f3}];", STORE_F, "0")
      FETCH("tex.acube.v4.f32.f32 " F4 ", [tac, {%r1, %f1, %f2, %f3}];", STORE_F, "8")
      "  mul.f32 %f1, %f10, 0.125;\n  mul.f32 %f2, %f11, 0.125;\n  add.u32 %r1, %r12, 6;\n"
      FETCH("tex.a2d.v4.f32.f32 " F4 ", [tc, {%r12, %f1, %f2, %f2}];", STORE_F, "16")
      FETCH("tex.a2d.v4.f32.f32 " F4 ", [tac, {%r1, %f1, %f2, %f2}];", STORE_F, "24") },
    { .name = "tex at levels and with gradients", .module = module, .prepare = prepare, .expect = expect_levels,
      .body = PLACES
      "  mul.f32 %f1, %f10, 0.125;\n  mul.f32 %f2, %f11, 0.125;\n  and.b32 %r1, %i, 3;\n  cvt.rn.f32.u32 %f3, %r1;\n"
      "  ex2.approx.f32 %f4, %f3;\n  mul.f32 %f4, %f4, 0.125;\n  mov.f32 %f5, 0.0;\n"
      FETCH("tex.2d.v4.f32.f32 " F4 ", [tm, {%f1, %f2}];", STORE_F, "0")
      FETCH("tex.level.2d.v4.f32.f32 " F4 ", [tm, {%f1, %f2}], %f3;", STORE_F, "8")
      FETCH("tex.grad.2d.v4.f32.f32 " F4 ", [tm, {%f1, %f2}], {%f4, %f5}, {%f5, %f5};", STORE_F, "16")
      FETCH("tex.base.2d.v4.f32.f32 " F4 ", [tm, {%f1, %f2}];", STORE_F, "24") },
    { .name = "tld4 of every component", .module = module, .prepare = prepare, .expect = expect_gather,
      .body = PLACES "  add.f32 %f1, %f10, 0.25;\n  add.f32 %f2, %f11, 0.25;\n"
      FETCH("tld4.r.2d.v4.f32.f32 " F4 ", [t2, {%f1, %f2}];", STORE_F, "0")
      "  mov.f32 %f20, %f21;\n" STORE_F OUT("8") "  mov.f32 %f20, %f22;\n" STORE_F OUT("16")
      "  mov.f32 %f20, %f23;\n" STORE_F OUT("24")
      FETCH("tld4.g.2d.v4.f32.f32 " F4 ", [t2, {%f1, %f2}];", STORE_F, "32")
      FETCH("tld4.a.2d.v4.f32.f32 " F4 ", [t2, {%f1, %f2}];", STORE_F, "40")
      FETCH("tld4.b.a2d.v4.f32.f32 " F4 ", [ta2, {%r12, %f1, %f2, %f2}];", STORE_F, "56") },
    { .name = "separate samplers", .module = module, .prepare = prepare, .expect = expect_samplers,
      .body = PLACES "  add.f32 %f1, %f10, 100.0;\n  add.f32 %f2, %f10, 0.5;\n"
      FETCH("tex.2d.v4.f32.f32 " F4 ", [t2, edge, {%f1, %f11}];", STORE_F, "0")
      FETCH("tex.2d.v4.f32.f32 " F4 ", [t2, smooth, {%f2, %f11}];", STORE_F, "8")
      FETCH("txq.filter_mode.b32 %r20, [smooth];", STORE_R, "16")
      FETCH("txq.filter_mode.b32 %r20, [edge];", STORE_R, "24")
      FETCH("txq.addr_mode_0.b32 %r20, [smooth];", STORE_R, "32")
      FETCH("txq.force_unnormalized_coords.b32 %r20, [smooth];", STORE_R, "40")
      FETCH("txq.addr_mode_2.b32 %r20, [t2];", STORE_R, "48")
      FETCH("txq.addr_mode_1.b32 %r20, [edge];", STORE_R, "56") },
    { .name = "txq and suq", .module = module, .prepare = prepare, .expect = expect_queries,
      .body = PLACES "  mov.u32 %r9, 100;\n"
      FETCH("txq.width.b32 %r1, [t2];\n  txq.height.b32 %r2, [t2];\n  mad.lo.u32 %r20, %r2, %r9, %r1;", STORE_R, "0")
      FETCH("txq.depth.b32 %r1, [t3];\n  txq.array_size.b32 %r2, [ta2];\n  mad.lo.u32 %r20, %r2, %r9, %r1;", STORE_R,
            "8")
      FETCH("txq.level.width.b32 %r1, [tm], 1;\n  txq.level.height.b32 %r2, [tm], 1;\n"
            "  mad.lo.u32 %r20, %r2, %r9, %r1;", STORE_R, "16")
      FETCH("txq.num_mipmap_levels.b32 %r20, [tm];", STORE_R, "24")
      FETCH("txq.channel_data_type.b32 %r20, [t2];", STORE_R, "32")
      FETCH("suq.channel_order.b32 %r20, [s2];", STORE_R, "40")
      FETCH("txq.normalized_coords.b32 %r20, [tm];", STORE_R, "48")
      FETCH("suq.width.b32 %r1, [s3];\n  suq.height.b32 %r2, [s3];\n  mad.lo.u32 %r1, %r2, %r9, %r1;\n"
            "  suq.depth.b32 %r2, [s3];\n  mad.lo.u32 %r20, %r2, 10000, %r1;", STORE_R, "56") },
    { .name = "tex into halves", .module = module, .prepare = prepare, .expect = expect_halves,
      .body = PLACES
      "  tex.1d.v4.f16.f32 {%h1, %h2, %h3, %h4}, [t1, {%f10}];\n  cvt.u64.u16 %d20, %h1;\n" OUT("0")
      "  tex.1d.v2.f16x2.s32 {%r20, %r21}, [t1, {%r10}];\n" STORE_R OUT("8")
      "  cvt.u64.u32 %d20, %r21;\n" OUT("16") },
    { .name = "suld of every geometry and width", .module = module, .prepare = prepare, .expect = expect_loads,
      .body = PLACES "  shl.b32 %r1, %r10, 2;\n  and.b32 %r2, %r1, 24;\n  and.b32 %r3, %r1, 16;\n"
      FETCH("suld.b.1d.b32.trap %r20, [s1, {%r1}];", STORE_R, "0")
      FETCH("suld.b.2d.b32.trap %r20, [s2, {%r1, %r11}];", STORE_R, "8")
      FETCH("suld.b.3d.b32.zero %r20, [s3, {%r1, %r11, %r12, %r12}];", STORE_R, "16")
      FETCH("suld.b.a1d.b32.clamp %r20, [sa1, {%r12, %r1}];", STORE_R, "24")
      FETCH("suld.b.a2d.cg.b32.trap %r20, [sa2, {%r12, %r1, %r11, %r11}];", STORE_R, "32")
      "  suld.b.2d.b8.trap %h1, [s2, {%r2, %r11}];\n  cvt.u64.u16 %d20, %h1;\n" OUT("40")
      "  suld.b.2d.b64.trap %d20, [s2, {%r2, %r11}];\n" OUT("48")
      "  suld.b.2d.v4.b32.trap {%r20, %r21, %r22, %r23}, [s2, {%r3, %r11}];\n  add.u32 %r20, %r20, %r23;\n" STORE_R
      OUT("56") },
    { .name = "sust of every geometry and boundary mode", .module = module, .prepare = prepare, .expect = expect_stores,
      .body = PLACES "  shl.b32 %r1, %r10, 2;\n  mov.u32 %r2, -4;\n  mov.u32 %r3, 9;\n  mov.u32 %r20, 77;\n"
      "  add.u32 %r4, %i, 1000;\n  sust.b.2d.b32.trap [s2, {%r1, %r11}], %r4;\n"
      FETCH("suld.b.2d.b32.trap %r20, [s2, {%r1, %r11}];", STORE_R, "0")
      "  add.u32 %r4, %i, 2000;\n  shr.u32 %r5, %r11, 1;\n  sust.p.2d.b32.trap [s2, {%r10, %r11}], %r4;\n"
      FETCH("suld.b.2d.b32.clamp %r20, [s2, {%r1, %r11}];", STORE_R, "8")
      "  add.u32 %r4, %i, 3000;\n  sust.b.a2d.b32.zero [sa2, {%r11, %r1, %r11, %r11}], %r4;\n"
      "  suld.b.a2d.b32.zero %r20, [sa2, {%r11, %r1, %r11, %r11}];\n"
      /* layers 6 and 7 are outside: they read 0 */
      "  setp.gt.u32 %p1, %r11, 5;\n  @%p1 add.u32 %r20, %r20, %r4;\n" STORE_R OUT("16")
      "  cvt.u16.u32 %h1, %i;\n  sust.b.2d.b8.trap [s2, {%r1, %r11}], %h1;\n"
      "  suld.b.2d.b8.trap %h2, [s2, {%r1, %r11}];\n"
      "  cvt.u64.u16 %d20, %h2;\n" OUT("24")
      "  suld.b.2d.b32.zero %r20, [s2, {%r2, %r11}];\n" STORE_R OUT("32")
      "  add.u32 %r4, %i, 5;\n  setp.eq.u32 %p1, %i, 63;\n  @%p1 sust.b.2d.b32.clamp [s2, {100, %r3}], %r4;\n"
      "  @%p1 suld.b.2d.b32.clamp %r20, [s2, {28, 7}];\n" STORE_R OUT("40")
      "  add.u32 %r4, %i, 4000;\n  shl.b32 %r5, %r12, 1;\n  sust.b.3d.b32.trap [s3, {%r1, %r11, 2, 2}], %r4;\n"
      FETCH("suld.b.3d.b32.trap %r20, [s3, {%r1, %r11, 2, 2}];", STORE_R, "48")
      "  add.u32 %r4, %i, 5000;\n  setp.lt.u32 %p2, %r11, 6;\n  @%p2 sust.b.a1d.b32.trap [sa1, {%r11, %r1}], %r4;\n"
      "  mov.u32 %r20, %r4;\n  @%p2 suld.b.a1d.b32.trap %r20, [sa1, {%r11, %r1}];\n" STORE_R OUT("56") },
    { .name = "sured of every operation", .module = module, .prepare = prepare, .expect = expect_reductions,
      .body = PLACES "  mov.u32 %r1, 0;\n  mov.b32 %r2, -1;\n  shl.b32 %r3, 1, %t;\n  mov.u64 %d5, s1;\n"
      "  setp.eq.u32 %p1, %t, 0;\n"
      "  @%p1 sust.b.1d.v4.b32.trap [s1, {0}], {%r1, %r1, %r2, %r1};\n"
      "  @%p1 sust.b.1d.v4.b32.trap [s1, {16}], {%r2, %r1, %r1, %r1};\n  bar.sync 0;\n"
      "  sured.b.add.1d.u32.trap [s1, {0}], 1;\n  sured.b.max.1d.s32.trap [s1, {4}], %t;\n"
      "  sured.b.min.1d.u32.trap [s1, {8}], %t;\n  sured.b.or.1d.b32.trap [%d5, {12}], %r3;\n"
      "  not.b32 %r4, %r3;\n  sured.b.and.1d.b32.trap [s1, {16}], %r4;\n  cvt.u64.u32 %d6, 1;\n"
      "  sured.b.add.1d.u64.trap [s1, {24}], %d6;\n  sured.p.add.1d.b32.zero [s1, {9}], 1;\n"
      "  @%p1 sured.b.add.1d.u32.clamp [s1, {100}], 0;\n  @%p1 sured.p.add.1d.b32.trap [s1, {6}], 7;\n  bar.sync 0;\n"
      FETCH("suld.b.1d.b32.trap %r20, [s1, {0}];", STORE_R, "0")
      FETCH("suld.b.1d.b32.trap %r20, [s1, {4}];", STORE_R, "8")
      FETCH("suld.b.1d.b32.trap %r20, [s1, {8}];", STORE_R, "16")
      FETCH("suld.b.1d.b32.trap %r20, [s1, {12}];", STORE_R, "24")
      FETCH("suld.b.1d.b32.trap %r20, [s1, {16}];", STORE_R, "32")
      "  suld.b.1d.b64.trap %d20, [s1, {24}];\n" OUT("40") },
    { .name = "an unbound texture reference",
      TRAPS("  tex.2d.v4.f32.f32 " F4 ", [unbound, {%f10, %f11}];\n", SIMTX_FAULT_TEXTURE) },
    { .name = "a handle that is none",
      TRAPS("  mov.b64 %d5, 0x4000000000000777;\n  tex.2d.v4.f32.f32 " F4 ", [%d5, {%f10, %f11}];\n",
            SIMTX_FAULT_TEXTURE) },
    { .name = "a sampler that is none",
      TRAPS("  mov.b64 %d5, 0x4000000000000777;\n  tex.2d.v4.f32.f32 " F4 ", [t2, %d5, {%f10, %f11}];\n",
            SIMTX_FAULT_TEXTURE) },
    { .name = "an address that is no reference",
      TRAPS("  tex.2d.v4.f32.f32 " F4 ", [%b, {%f10, %f11}];\n", SIMTX_FAULT_TEXTURE) },
    { .name = "a texture of other dimensions",
      TRAPS("  tex.3d.v4.f32.f32 " F4 ", [t2, {%f10, %f11, %f12, %f12}];\n", SIMTX_FAULT_TEXTURE) },
    { .name = "a surface where a texture is read",
      TRAPS("  mov.u64 %d5, s2;\n  tex.2d.v4.f32.f32 " F4 ", [%d5, {%f10, %f11}];\n", SIMTX_FAULT_TEXTURE) },
    { .name = "a surface access outside", TRAPS("  suld.b.2d.b32.trap %r20, [s2, {32, 0}];\n", SIMTX_FAULT_TEXTURE) },
    { .name = "a surface store outside", TRAPS("  sust.b.2d.b32.trap [s2, {0, 8}], %r20;\n", SIMTX_FAULT_TEXTURE) },
    { .name = "a misaligned surface access",
      TRAPS("  suld.b.2d.b32.trap %r20, [s2, {2, 0}];\n", SIMTX_FAULT_MISALIGNED) },
    { .name = "a trap that the guard turns off", .module = module, .prepare = prepare,
      .body = "  setp.ne.u32 %p1, %i, %i;\n  @%p1 suld.b.2d.b32.trap %r20, [s2, {320, 0}];\n" },
    { .name = "a texture with several samples is refused", .module = module,
      .body = "  tex.2dms.v4.f32.s32 " F4 ", [t2, {%r1, %r2, %r3, %r4}];\n", .refused = "tex.2dms" },
};

void behave_texture(struct behave_ctx *x)
{
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        behave_one(x, &tests[i]);
}
