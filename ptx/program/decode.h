/*
 * Decoding, shared by its files: the decoder of one function, the steps and operands that it makes, and one decoder
 * for each kind of instruction.
 *
 *   decode.c          a whole function: its steps in order, join markers, branch targets
 *   decode_operand.c  registers, immediates, addresses; guards; destinations; width changes
 *   decode_constant.c the pool of constants
 *   decode_special.c  special registers and clocks
 *   decode_lanes.c    arithmetic and warp-level instructions
 *   decode_memory.c   loads, stores, atomics, prefetches, tests of addresses
 *   decode_texture.c  textures and surfaces; ptx/matrix: matrices; ptx/memory/async_copy.c: asynchronous copies,
 *                     bulk_async.c, tensor_async.c, async_store.c: bulk and tensor copies, asynchronous stores
 *   decode_control.c  branches, calls, barriers, transactions
 *   decode_pairs.c    instructions that the run loop executes as one step
 *   decode_links.c    which step the run loop executes next
 */
#ifndef PTX_DECODE_H
#define PTX_DECODE_H

#include "ptx/exec/exec.h"
#include "ptx/isa/ops_check.h"

struct decoder {
    struct program *p;
    struct ptx_func *f;
    struct code *code;
    struct diag *d;
    const struct ptx_inst *in;       /* the instruction being decoded */
    uint32_t step_cap;
    uint32_t scratch;                /* SCRATCH_AREA bytes at the frame's end */
    uint32_t temps;                  /* width-change temporaries used by the instruction being decoded */
    char *konst;                     /* the constants so far; moved to the arena at the end */
    uint32_t konst_cap;
    uint32_t *konst_hash;            /* offset + 1 of a constant, open addressing */
    uint32_t konst_hash_cap, nkonst;
};

/* Appends a step of the current instruction; its destinations are the scratch slot. */
struct dinst *decoder_add_step(struct decoder *x);
/* The same for the step that executes the instruction, and counts it. */
struct dinst *decoder_add_counting_step(struct decoder *x);
/* Reports the current instruction with what is wrong. */
void decoder_error(struct decoder *x, const char *what);

/* ---- decode_constant.c ---- */

/* A constant of `width` bytes a lane; width 0 is a predicate mask (4 bytes in all). */
operand decoder_constant(struct decoder *x, uint64_t value, int width);
operand decoder_constant128(struct decoder *x, uint64_t lo, uint64_t hi);

/* ---- decode_special.c ---- */

operand decoder_special(struct decoder *x, const struct ptx_operand *o, int *bytes);

/* ---- decode_operand.c ---- */

int decoder_storage_bytes(enum ptx_type t);           /* a lane's bytes of a register of this type; 0: a predicate */
int decoder_reg_bytes(const struct ptx_reg *r);       /* the same of a register */
operand decoder_reg(const struct decoder *x, const struct ptx_reg *r);
operand decoder_temporary(struct decoder *x);
operand decoder_immediate(struct decoder *x, const struct ptx_operand *o, enum ptx_type t);
operand decoder_resize(struct decoder *x, operand from, int from_bytes, int to_bytes, bool sign);
/* A source operand read as type t: adds the steps that compute or widen it. */
operand decoder_source(struct decoder *x, const struct ptx_operand *o, enum ptx_type t);
operand decoder_negated_predicate(struct decoder *x, const struct ptx_operand *o);
/* The type that a letter of the signature stands for. */
enum ptx_type decoder_letter_type(const struct ptx_inst *in, char letter);

const struct ptx_var *decoder_definition(const struct ptx_var *v);
bool decoder_is_private(const struct ptx_func *f, const struct ptx_var *v);
bool decoder_is_of_module(const struct ptx_var *v);   /* a .local variable of module scope: its address is the same */

/* A destination whose register is wider than the type: the step writes `at`, decoder_widen adds the copy to `final`. */
struct decoder_destination { operand at, final; int bytes, want; bool sign; };
struct decoder_destination decoder_destination(struct decoder *x, const struct ptx_operand *o, enum ptx_type t);
void decoder_widen(struct decoder *x, const struct decoder_destination *r);

/* The registers of the elements of a load or store, and their width, which is the same for all. */
operand *decoder_elements(struct decoder *x, const struct ptx_operand *o, bool load, int *n, int *bytes);

/* The step of an access to `count` elements of `size` bytes, in the instruction's state space. */
struct dinst *decoder_add_access(struct decoder *x, const struct ptx_operand *address, int size, int count);
/* The same with an address of 64 bits: one in a register of 32 bits is widened first. */
struct dinst *decoder_add_wide_access(struct decoder *x, const struct ptx_operand *address, int size, int count);

/* An address as an operand of 64 bits, and what is to be added to it. */
operand decoder_address(struct decoder *x, const struct ptx_operand *o, int64_t *displacement);

/* Sets the guard of a step that executes lane by lane; reports a step that has no executing function. */
void decoder_guard(struct decoder *x, struct dinst *d);
/* The same with the lanes that an earlier step has computed. */
void decoder_guard_by(struct dinst *d, operand lanes);
/* Sets the guard of a step that the run loop executes for the whole warp. */
void decoder_warp_guard(struct decoder *x, struct dinst *d);

/* ---- instructions ---- */

void decode_lanes(struct decoder *x);                 /* every opcode that has lane functions */
ptx_fn *decode_control_fn(enum ptx_op op);            /* returns op to the run loop */
int decode_run_nothing(struct lanes *l, const struct dinst *d);
int decode_run_warpsync(struct lanes *l, const struct dinst *d);
/* Adds check.warp to a step whose src[d->target] is this member mask. */
void decode_member_check(struct dinst *d, const struct ptx_operand *member);

#define MEMORY(id, kind, decode) void decode_##decode(struct decoder *x);
#define CONTROL(id, decode, execute) void decode_##decode(struct decoder *x);
#define STEP(id, decode) void decode_##decode(struct decoder *x);
#include "ptx/isa/ops.def"

/* ---- frame.c: where registers and private variables lie ---- */

/* Sets class_base of the code; returns the bytes of its registers. */
uint32_t frame_place_registers(struct code *c);
/* Parameters and results of a prototype lie where those of a function with the same declaration do. */
void frame_place_prototype(struct ptx_var *params, struct ptx_var *rets);
/* Places the .local variables of a module after `at` bytes of others; returns the bytes in total. */
uint64_t frame_place_module(struct ptx_var *vars, uint64_t at);
void frame_check_parameters(const struct ptx_func *f, struct diag *d);

/* ---- decode_pairs.c ---- */

/* Sets `run` and `covers` of all steps. */
void decode_pairs(struct decoder *x);

/* ---- decode_links.c ---- */

/* Sets `next` and `next_control` of all steps. */
void decode_links(struct decoder *x);

#endif
