/*
 * The interface of the instruction table. ops.def has one place per PTX opcode: its name, modifiers, operands, unit and
 * latency class (OP row), the legal combinations of types and modifiers (FORM rows), and what it computes or how it is
 * decoded (semantic rows). The parser's checks, decoding, the choice of the executing function, the pipelines of timing
 * mode, `simtx ptx ops`, the disassembly and the manual's list are generated from it.
 */
#ifndef PTX_OPS_H
#define PTX_OPS_H

#include "ptx/isa/types.h"

/*
 * The functional unit that executes an opcode in timing mode. Of the units from TYPED to SFU the operand types choose
 * the pipeline: integer, single precision (and half), double precision.
 */
enum ptx_unit {
    PTX_UNIT_INT,            /* the integer pipeline for every type: moves, selection, logic, bit fields */
    PTX_UNIT_WARP,           /* the integer pipeline; a lane's result depends on other lanes */
    PTX_UNIT_TENSOR,
    PTX_UNIT_TYPED,          /* by the first type */
    PTX_UNIT_SOURCE,         /* by the second type, that of the sources */
    PTX_UNIT_CONVERT,        /* by both types: a conversion between integers is a move */
    PTX_UNIT_SFU,            /* special functions and division; double precision goes to its own pipeline */
    PTX_UNIT_LDST,
    PTX_UNIT_FENCE, PTX_UNIT_BARRIER, PTX_UNIT_BRANCH, PTX_UNIT_CALL, PTX_UNIT_RETURN, PTX_UNIT_EXIT,
    PTX_UNIT_SLEEP, PTX_UNIT_TM,
    PTX_UNIT_COPY,           /* groups of asynchronous copies: commits one, or waits */
    PTX_UNIT_NONE            /* issues, and nothing else */
};

/*
 * The latency class: with the pipeline's types it names the configuration keys `latency.` and `interval.`
 * (timing/core/tinst.c). CTRL delays the warp's next instruction. NONE: no pipeline decides the latency.
 */
enum ptx_latency {
    PTX_LATENCY_SIMPLE, PTX_LATENCY_BITS, PTX_LATENCY_ABS, PTX_LATENCY_ADD, PTX_LATENCY_MAX, PTX_LATENCY_MUL,
    PTX_LATENCY_MAD, PTX_LATENCY_DIV, PTX_LATENCY_SQRT, PTX_LATENCY_SPECIAL, PTX_LATENCY_CVT, PTX_LATENCY_SHFL,
    PTX_LATENCY_TENSOR, PTX_LATENCY_MATRIX, PTX_LATENCY_CTRL, PTX_LATENCY_NONE
};

/* What a memory instruction does; MOP_NONE: it is none. */
enum mem_op_kind { MOP_LOAD, MOP_STORE, MOP_ATOM, MOP_RED, MOP_PREFETCH,
                   MOP_BULK,         /* a bulk copy (ptx/memory/bulk_async.h): its accesses follow it */
                   MOP_NONE };

/* Rounding words that a form takes. */
enum {
    R_RN = 1, R_RZ = 2, R_RM = 4, R_RP = 8, R_RNA = 16,
    R_RNI = 32, R_RZI = 64, R_RMI = 128, R_RPI = 256,
    R_FLOAT = R_RN | R_RZ | R_RM | R_RP, R_INT = R_RNI | R_RZI | R_RMI | R_RPI
};

enum ptx_op {
    OP_NONE,
#define OP(id, text, groups, sig, unit, lat, doc) OP_##id,
#define FORM(id, t1, t2, t3, groups, need, rnd)
#include "ptx/isa/ops.def"
#undef OP
#undef FORM
    OP_COUNT
};

struct ptx_op_info {
    const char *text;        /* as written: "add" */
    ptx_groupset groups;     /* modifier groups that some form takes */
    /*
     * Operands in order, comma separated; one letter each, '?' after it = may be missing, '|' = a pair as in
     * %r1|%p1 whose second half may be missing (the second half takes the next position of opd[]):
     *   d destination of the first type          D destination of twice the width (mul.wide, mad.wide)
     *   a source of the first type               A source of twice the width
     *   b source of the second type              c source of the third type
     *   p predicate destination ('_' allowed)    q predicate source, may be negated with '!'
     *   u 32-bit unsigned source                 e 32-bit destination
     *   m memory operand [..]                    v data of the first type, scalar or vector {..} (source)
     *   V the same as destination                l label
     *   f call target, table or prototype        i immediate
     *   x 64-bit source                          s symbol or register of the first type (mov)
     *   t texture or surface [a, {coordinates}], perhaps with a sampler [a, b, {coordinates}]: a vector of a, b and
     *     the coordinates                        F, n  fragment of a matrix: destination, source (ptx/matrix)
     *   W fragment that is source and destination   N  fragment or 64-bit source
     *   k bytes to copy, 32 bits, or predicate   r single-precision source
     *   o level, gradient or offset: 32 bits, scalar or vector
     *   h 16-bit source                          y, w  [map, {coordinates}] of a tensor: two operands
     *   z offsets of im2col: a vector of 16 bits
     */
    const char *sig;
    enum ptx_unit unit;
    enum ptx_latency latency;
    const char *doc;         /* what it computes, in words */
};

struct ptx_form {
    uint16_t op;
    ptx_typeset type[3];     /* legal first, second and third types; 0 = the instruction has no such type */
    ptx_groupset groups;     /* modifier groups that this form takes */
    ptx_groupset need;       /* at least one of these groups must be written; 0 = none need be */
    uint16_t rnd;            /* which rounding words, when G(RND) is in groups */
};

extern const struct ptx_op_info ptx_ops[OP_COUNT];
extern const struct ptx_form ptx_forms[];
extern const int ptx_form_count;

enum ptx_op ptx_op_find(const char *text, int len);    /* OP_NONE when unknown */
enum mem_op_kind ptx_mem_kind(enum ptx_op op);         /* from the MEMORY rows */
bool ptx_has_lane_functions(enum ptx_op op);           /* no MEMORY, CONTROL, REDUCED or STEP row */
/* Has a type for each of D, A, B and C? */
static inline bool ptx_is_matrix_product(enum ptx_op op)
{
    return op == OP_MMA || op == OP_WMMA_MMA || op == OP_MMA_SP || op == OP_MMA_SP_ORDERED;
}
/* Is half of A stored, with metadata? */
static inline bool ptx_is_sparse_product(enum ptx_op op)
{
    return op == OP_MMA_SP || op == OP_MMA_SP_ORDERED || op == OP_WGMMA_SP;
}
static inline bool ptx_is_warpgroup_product(enum ptx_op op)
{
    return op == OP_WGMMA || op == OP_WGMMA_SP;
}
/* The position of the predicate of a product of a warpgroup. */
static inline int ptx_wgmma_predicate(enum ptx_op op)
{
    return op == OP_WGMMA_SP ? 5 : 3;
}
/* Uses the stack of a lane (ptx/exec/stack.c). */
static inline bool ptx_uses_stack(enum ptx_op op)
{
    return op >= OP_ALLOCA && op <= OP_STACKRESTORE;
}
/* Operates on a barrier object (ptx/memory/mbarrier.c). */
static inline bool ptx_is_mbarrier(enum ptx_op op)
{
    return op >= OP_MBARRIER_INIT && op <= OP_MBARRIER_TRY_PARITY;
}
/* cp.async.mbarrier.arrive. */
static inline bool ptx_is_copies_arrive(enum ptx_op op)
{
    return op == OP_CP_ARRIVE || op == OP_CP_ARRIVE_NOINC;
}
static inline bool ptx_is_proxy_fence(enum ptx_op op)
{
    return op >= OP_FENCE_PROXY_ALIAS && op <= OP_FENCE_PROXY_RELEASE;
}
/* Tests a phase of a barrier object, and changes nothing. */
static inline bool ptx_is_mbarrier_test(enum ptx_op op)
{
    return op >= OP_MBARRIER_TEST && op <= OP_MBARRIER_TRY_PARITY;
}
/* st.async and red.async (ptx/memory/async_store.c). */
static inline bool ptx_is_async_store(enum ptx_op op)
{
    return op >= OP_ST_ASYNC && op <= OP_RED_ASYNC;
}
/* The name includes the spaces of its memory operands. */
static inline bool ptx_names_spaces(enum ptx_op op)
{
    return op >= OP_BULK_LOAD && op <= OP_RED_ASYNC;
}
/* tensormap.replace. */
static inline bool ptx_is_map_field(enum ptx_op op)
{
    return op >= OP_MAP_ADDRESS && op <= OP_MAP_FILL;
}
/* Copies a box of a tensor (ptx/memory/tensor_async.c). */
static inline bool ptx_is_tensor_copy(enum ptx_op op)
{
    return op >= OP_TENSOR_LOAD && op <= OP_TENSOR_PREFETCH;
}
/* Waits for groups of copies or products, an immediate of which may be outstanding. */
static inline bool ptx_waits_for_groups(enum ptx_op op)
{
    return op == OP_CP_WAIT || op == OP_BULK_WAIT || op == OP_BULK_WAIT_READ || op == OP_WGMMA_WAIT;
}
/* Of a warpgroup (ptx/matrix/warpgroup.c). */
static inline bool ptx_is_warpgroup(enum ptx_op op)
{
    return op >= OP_WGMMA_FENCE && op <= OP_WGMMA_WAIT;
}
bool ptx_is_control(enum ptx_op op);                   /* from the CONTROL rows */

#endif
