/*
 * Decoding: the checked instructions of a function become an array of steps with operand offsets resolved. A PTX
 * instruction is a join marker if diverged lanes may meet before it, steps that change the width of operands, one step
 * that executes and counts it, and steps that widen its results.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ptx/memory/access.h"
#include "ptx/program/decode.h"
#include "ptx/watch/watch.h"

struct dinst *decoder_add_step(struct decoder *x)
{
    struct code *c = x->code;
    c->insts = mem_grow(c->insts, c->ninsts, &x->step_cap, sizeof *c->insts, "the instructions of a function");
    struct dinst *d = &c->insts[c->ninsts++];
    memset(d, 0, sizeof *d);
    d->in = x->in;
    d->reconverge = UINT32_MAX;
    d->seq = x->in ? (uint32_t)(x->in - x->f->insts) : 0;
    d->dst = d->dst2 = x->scratch;
    return d;
}

struct dinst *decoder_add_counting_step(struct decoder *x)
{
    struct dinst *d = decoder_add_step(x);
    d->counts = 1;
    return d;
}

void decoder_error(struct decoder *x, const char *what)
{
    char text[256];
    ptx_print_inst(x->f, x->in, text, sizeof text);
    diag_error(x->d, x->in->loc.line, x->in->loc.col, "%s: %s", what, text);
}

/* ---- instructions ---- */

typedef void decode_fn(struct decoder *x);

static decode_fn *const decoders[OP_COUNT] = {
#define MEMORY(id, kind, decode) [OP_##id] = decode_##decode,
#define CONTROL(id, decode, execute) [OP_##id] = decode_##decode,
#define STEP(id, decode) [OP_##id] = decode_##decode,
#include "ptx/isa/ops.def"
};

static bool joins_here(const struct decoder *x, uint32_t i)
{
    const struct flow_block *b = &x->code->flow->blocks[x->code->flow->block_of[i]];
    return b->first == i && (b->joins || x->p->independent);
}

static int run_join(struct lanes *l, const struct dinst *d)
{
    (void)l;
    (void)d;
    return CONTROL_JOIN;
}

static void add_join(struct decoder *x)
{
    struct dinst *join = decoder_add_step(x);
    join->fn = run_join;
    join->stepping = STEPS_JOIN;
}

/* Sets what timing mode reads of the instruction just decoded, whose steps begin at `from`. */
static void mark_stepping(struct decoder *x, uint32_t from)
{
    bool memory = ptx_mem_kind((enum ptx_op)x->in->op) != MOP_NONE;
    uint8_t marks = STEPS_HERE | (memory ? STEPS_MEMORY : 0);
    for (uint32_t k = from; k < x->code->ninsts; k++) {
        struct dinst *d = &x->code->insts[k];
        if (!d->counts)
            continue;
        d->stepping = marks | (x->in->guard || d->guarded ? STEPS_GUARDED : 0);
        if (memory) {
            struct mem_shape *shape = arena_alloc(x->p->arena, sizeof *shape);
            mem_describe(shape, d);
            d->shape = shape;
            shape->unwatched = NULL;
            if (x->p->watched)
                watch_step(d, shape);
        }
    }
}

static void decode_instruction(struct decoder *x, uint32_t i)
{
    struct code *c = x->code;
    x->in = &x->f->insts[i];
    x->temps = 0;
    c->of_inst[i] = c->ninsts;
    if (joins_here(x, i))
        add_join(x);
    decode_fn *decode = decoders[x->in->op];
    (decode ? decode : decode_lanes)(x);
    mark_stepping(x, c->of_inst[i]);
}

/* ---- functions ---- */

/* A function that runs past its last instruction returns. */
static void add_return(struct decoder *x)
{
    x->in = NULL;
    struct dinst *d = decoder_add_step(x);
    d->fn = decode_control_fn(OP_RET);
    d->seq = x->f->ninsts;
    d->stepping = STEPS_HERE;
    d->guard = decoder_constant(x, 0xffffffffu, 0);
}

/* Turns instruction indices of branch targets into step indices. */
static void resolve_targets(struct decoder *x)
{
    struct code *c = x->code;
    for (uint32_t i = 0; i < c->ninsts; i++) {
        struct dinst *d = &c->insts[i];
        if (!d->in || !d->counts)
            continue;
        if (d->in->op == OP_BRA)
            d->target = c->of_inst[d->target];
        if (d->in->op == OP_BRA || d->in->op == OP_BRX) {
            uint32_t r = flow_reconvergence(c->flow, (uint32_t)(d->in - x->f->insts));
            d->reconverge = r == FLOW_NONE ? UINT32_MAX : c->of_inst[r];
        }
    }
}

static void decode_body(struct decoder *x)
{
    struct code *c = x->code;
    c->of_inst = arena_alloc(x->p->arena, (x->f->ninsts + 1) * sizeof *c->of_inst);
    for (uint32_t i = 0; i < x->f->ninsts; i++)
        decode_instruction(x, i);
    c->of_inst[x->f->ninsts] = c->ninsts;
    add_return(x);
    resolve_targets(x);
    decode_pairs(x);
    decode_links(x);
}

/* Steps and constants move from the heap to the program's arena. */
static void move_to_arena(struct decoder *x)
{
    struct arena *arena = x->p->arena;
    struct code *c = x->code;
    struct dinst *insts = arena_alloc(arena, c->ninsts * sizeof *insts);
    memcpy(insts, c->insts, c->ninsts * sizeof *insts);
    free(c->insts);
    c->insts = insts;
    char *pool = arena_alloc(arena, c->konst_bytes + 64);
    pool += -(uintptr_t)pool & 63;
    memcpy(pool, x->konst, c->konst_bytes);
    c->konst = pool;
    free(x->konst);
    free(x->konst_hash);
}

bool code_decode(struct program *p, struct ptx_func *f, struct diag *diag)
{
    int errors = diag->errors;
    frame_check_parameters(f, diag);
    struct decoder x = { .p = p, .f = f, .d = diag };
    x.code = arena_alloc(p->arena, sizeof *x.code);
    x.code->func = f;
    x.code->flow = flow_analyse(f, p->arena);
    x.scratch = frame_place_registers(x.code);
    x.code->frame_bytes = x.scratch + SCRATCH_AREA;
    decode_body(&x);
    move_to_arena(&x);
    f->code = x.code;
    return diag->errors == errors;
}
