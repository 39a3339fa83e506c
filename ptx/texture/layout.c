/*
 * Where the texels of an image lie. Linear memory has rows of bytes. A CUDA array with two or three dimensions is
 * block-linear: 64 bytes x 8 rows are a GOB of 512 bytes, in which 16 bytes x 2 rows share a sector and 32 bytes x 4
 * rows a line of 128 bytes; 1 to 16 GOBs, one above the other, are a block, and blocks follow each other in rows (Tegra
 * X1 Technical Reference Manual, block-linear surfaces). The height of blocks, that of the level up to 16 GOBs, and
 * slices one after another are ours.
 */
#include "ptx/texture/texture.h"

enum { GOB_WIDTH = 64, GOB_HEIGHT = 8, GOB_BYTES = 512, BLOCK_MOST = 16, LINEAR_ALIGN = 32 };

static uint32_t divide_up(uint32_t n, uint32_t by)
{
    return n / by + (n % by != 0);
}

uint64_t tex_level_place(struct tex_level *l, uint32_t texel_bytes, bool tiled)
{
    uint32_t align = tiled ? GOB_WIDTH : LINEAR_ALIGN, gobs = divide_up(l->height, GOB_HEIGHT);
    l->pitch = divide_up(l->width * texel_bytes, align) * align;
    l->block = tiled;
    while (tiled && l->block < gobs && l->block < BLOCK_MOST)
        l->block *= 2;
    uint32_t rows = tiled ? divide_up(gobs, l->block) * l->block * GOB_HEIGHT : l->height;
    l->slice_bytes = (uint64_t)l->pitch * rows;
    return l->slice_bytes * l->slices;
}

/* Bits 0 to 8 of the offset in a GOB: x0-x3 y0 x4 y1 y2 x5. */
static uint32_t in_gob(uint32_t x, uint32_t y)
{
    return (x & 15) | (y & 1) << 4 | (x & 16) << 1 | (y & 6) << 5 | (x & 32) << 3;
}

uint64_t tex_address(const struct tex_level *l, uint32_t x, uint32_t y, uint32_t slice)
{
    uint64_t at = l->base + slice * l->slice_bytes;
    if (!l->block)
        return at + (uint64_t)y * l->pitch + x;
    uint32_t gob = y / GOB_HEIGHT, rows = gob / l->block;
    uint64_t block = (uint64_t)rows * (l->pitch / GOB_WIDTH) + x / GOB_WIDTH;
    return at + (block * l->block + gob % l->block) * GOB_BYTES + in_gob(x, y);
}
