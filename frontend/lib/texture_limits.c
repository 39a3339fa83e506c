/*
 * The largest textures and surfaces, by compute capability: CUDA C++ Programming Guide, Technical Specifications per
 * Compute Capability (3.5 and later: release 11; before: release 8). Alignments of bound memory are those of
 * allocations (256 bytes) and of the smallest pitch that devices report (32 bytes).
 */
#include "frontend/lib/texture_impl.h"

#define COMMON .alignment = 256, .pitch_alignment = 32, .surface_alignment = 512

static const struct { uint32_t from_major; simtx_texture_limits limits; } rows[] = {
    { 6, { .tex_1d = 131072, .tex_1d_linear = 1 << 28, .tex_1d_layered = { 32768, 2048 }, .tex_2d = { 131072, 65536 },
           .tex_2d_linear = { 131072, 65000, 2097120 }, .tex_2d_gather = { 32768, 32768 },
           .tex_2d_layered = { 32768, 32768, 2048 }, .tex_3d = { 16384, 16384, 16384 }, .tex_cube = 32768,
           .tex_cube_layered = { 32768, 2046 }, .surf_1d = 32768, .surf_1d_layered = { 32768, 2048 },
           .surf_2d = { 131072, 65536 }, .surf_2d_layered = { 32768, 32768, 2048 }, .surf_3d = { 16384, 16384, 16384 },
           .surf_cube = 32768, .surf_cube_layered = { 32768, 2046 }, COMMON } },
    { 5, { .tex_1d = 65536, .tex_1d_linear = 1 << 27, .tex_1d_layered = { 16384, 2048 }, .tex_2d = { 65536, 65536 },
           .tex_2d_linear = { 65536, 65536, 1048544 }, .tex_2d_gather = { 16384, 16384 },
           .tex_2d_layered = { 16384, 16384, 2048 }, .tex_3d = { 4096, 4096, 4096 }, .tex_cube = 16384,
           .tex_cube_layered = { 16384, 2046 }, .surf_1d = 16384, .surf_1d_layered = { 16384, 2048 },
           .surf_2d = { 65536, 65536 }, .surf_2d_layered = { 16384, 16384, 2048 }, .surf_3d = { 4096, 4096, 4096 },
           .surf_cube = 16384, .surf_cube_layered = { 16384, 2046 }, COMMON } },
    { 3, { .tex_1d = 65536, .tex_1d_linear = 1 << 27, .tex_1d_layered = { 16384, 2048 }, .tex_2d = { 65536, 65536 },
           .tex_2d_linear = { 65000, 65000, 1048544 }, .tex_2d_gather = { 16384, 16384 },
           .tex_2d_layered = { 16384, 16384, 2048 }, .tex_3d = { 4096, 4096, 4096 }, .tex_cube = 16384,
           .tex_cube_layered = { 16384, 2046 }, .surf_1d = 65536, .surf_1d_layered = { 65536, 2048 },
           .surf_2d = { 65536, 32768 }, .surf_2d_layered = { 65536, 32768, 2048 }, .surf_3d = { 65536, 32768, 2048 },
           .surf_cube = 32768, .surf_cube_layered = { 32768, 2046 }, COMMON } },
    { 2, { .tex_1d = 65536, .tex_1d_linear = 1 << 27, .tex_1d_layered = { 16384, 2048 }, .tex_2d = { 65536, 65535 },
           .tex_2d_linear = { 65000, 65000, 1048544 }, .tex_2d_gather = { 16384, 16384 },
           .tex_2d_layered = { 16384, 16384, 2048 }, .tex_3d = { 2048, 2048, 2048 }, .tex_cube = 16384,
           .tex_cube_layered = { 16384, 2046 }, .surf_1d = 65536, .surf_1d_layered = { 65536, 2048 },
           .surf_2d = { 65536, 32768 }, .surf_2d_layered = { 65536, 32768, 2048 }, .surf_3d = { 65536, 32768, 2048 },
           .surf_cube = 32768, .surf_cube_layered = { 32768, 2046 }, COMMON } },
    { 0, { .tex_1d = 8192, .tex_1d_linear = 1 << 27, .tex_1d_layered = { 8192, 512 }, .tex_2d = { 65536, 32768 },
           .tex_2d_linear = { 65000, 65000, 1048544 }, .tex_2d_layered = { 8192, 8192, 512 },
           .tex_3d = { 2048, 2048, 2048 }, COMMON } },
};

void simtx_texture_get_limits(const simtx_gpu *g, simtx_texture_limits *out)
{
    unsigned i = 0;
    while (rows[i].from_major > g->info.cc_major)
        i++;
    *out = rows[i].limits;
}
