/*
 * Fetches of a warp: what the decoder makes of the instruction, and, in timing mode, the fetch between issue and
 * completion. The texels are read one line at a time through the texture cache; when the last one has arrived, the
 * results are computed and written to the registers of the lanes.
 */
#ifndef PTX_TEXTURE_FETCH_H
#define PTX_TEXTURE_FETCH_H

#include "ptx/exec/exec.h"
#include "ptx/memory/access.h"
#include "ptx/texture/texture.h"

/* tex and tld4: d->extra. Operands are arrays over the lanes. */
struct tex_operands {
    operand result[4];               /* first: access.c reads them as those of a load */
    operand texture, sampler;        /* handles */
    operand layer, at[3], level, dx[3], dy[3], offset[3];
    bool has_sampler, has_offset;
    uint8_t type;                    /* enum ptx_type of the results */
    struct tex_request request;      /* the fields that are the same in all lanes */
};

/* A fetch in flight. The SM lends it to the op (mem_op.fetch). */
struct tex_fetch {
    uint32_t left;                   /* texels that have not arrived */
    uint32_t quads;                  /* of all lanes: four texels of a filter, or fewer */
    uint32_t quad_bytes;             /* of four of the largest texels */
    unsigned shift;                  /* of the texture cache's lines; set by the load/store unit */
    uint64_t lanes;
    const struct tex_object *object[WARP_LANES];
    struct tex_sampler sampler[WARP_LANES];
    struct tex_plan plan[WARP_LANES];
    uint8_t texel[WARP_LANES][TEX_TAPS][TEX_TEXEL_MAX];
};

/* The handle itself, or what the variable at this address is bound to; *variable is its name, or NULL. */
uint64_t tex_handle_at(const struct half *h, uint64_t handle, const char **variable);

/* Functional mode. */
int tex_run_fetch(struct lanes *l, const struct dinst *d);
/* Timing mode. */
static inline void tex_begin(struct tex_fetch *f)
{
    f->left = f->quads = f->quad_bytes = 0;
    f->lanes = 0;
}
/* Plans the fetches of these lanes of a half. False: a fault. */
bool tex_capture(struct mem_op *op, struct half *h, const struct dinst *d, uint32_t mask);
/* All lanes are captured: if no texel is to be read, writes the results. */
void tex_captured(struct mem_op *op);
/* The block of 2^shift bytes at `block` has arrived; line: the 128 bytes around it. */
void tex_arrived(struct mem_op *op, uint64_t block, unsigned shift, const uint8_t *line);

/*
 * suld, sust, sured: a step before the access computes the addresses, then it is an access to global memory. The step
 * faults where the instruction traps, and with .zero removes the lanes outside from the access's guard.
 */
struct surf_operands {
    operand surface, at[3], layer;
    uint8_t dims, bytes, bound;      /* bytes of an access, 0: of a texel; bound: MOD(BOUND, ...) */
    bool layered, texels;            /* texels: x counts texels, not bytes */
    operand value[4], packed;        /* sust.p: channels of 32 bits, and where the step puts the texel */
    bool formatted;
    operand guard;                   /* of the instruction; with `guarded` */
    bool guarded, guard_negated;
    operand result[8];               /* suld: set to 0 in the lanes outside */
    uint8_t nresult, result_bytes;
};
int tex_run_surface_address(struct lanes *l, const struct dinst *d);    /* dst: addresses; dst2: the lanes inside */
/* sust.p: one step for each size of a texel; the image decides which executes. */
struct surf_stores { struct dinst of_bytes[5]; };                        /* 1, 2, 4, 8, 16 */
int tex_run_formatted_store(struct lanes *l, const struct dinst *d);
const struct dinst *tex_formatted_store(struct warp *w, const struct dinst *d, uint64_t lanes);

/* txq and suq: src[0] the handle, src[1] the level; imm: the MOD(QUERY, ...). */
int tex_run_query(struct lanes *l, const struct dinst *d);

/* The object that a handle, or the address of a reference's variable, names; NULL after a fault. */
const struct tex_object *tex_find(struct half *h, const struct dinst *d, int lane, uint64_t handle, bool surface);

#endif
