/* The instruction table as data: the rows of ops.def as arrays, and look-ups in them. */
#include "ptx/isa/ops_check.h"

#include <string.h>

const struct ptx_op_info ptx_ops[OP_COUNT] = {
    [OP_NONE] = { "", 0, "", PTX_UNIT_NONE, PTX_LATENCY_NONE, "" },
#define OP(id, text, groups, sig, unit, lat, doc)                                             \
    [OP_##id] = { text, groups, sig, PTX_UNIT_##unit, PTX_LATENCY_##lat, doc },
#include "ptx/isa/ops.def"
};

/* Rows that contradict each other do not compile. */
enum {
#define OP(id, text, groups, sig, unit, lat, doc) UNIT_OF_##id = PTX_UNIT_##unit,
#include "ptx/isa/ops.def"
};
#define MEMORY(id, kind, decode) _Static_assert((int)UNIT_OF_##id == PTX_UNIT_LDST, #id " is not of the LDST unit");
#define CONTROL(id, decode, execute) _Static_assert((int)UNIT_OF_##id > PTX_UNIT_LDST, #id " uses a pipeline");
#include "ptx/isa/ops.def"

const struct ptx_form ptx_forms[] = {
#define FORM(id, t1, t2, t3, groups, need, rnd) { OP_##id, { t1, t2, t3 }, groups, need, rnd },
#include "ptx/isa/ops.def"
};

const int ptx_form_count = sizeof ptx_forms / sizeof *ptx_forms;

static const struct { uint16_t op; uint8_t group, word; const char *sig; } sigs[] = {
#define SIG(id, group, word, sig) { OP_##id, PG_##group, MOD(group, word), sig },
#include "ptx/isa/ops.def"
};

static const struct { uint16_t op; uint8_t group, word; enum ptx_type type; struct ptx_since since; } since[] = {
#define SINCE(id, sm, version) { OP_##id, 0, 0, T_NONE, { sm, version, false } },
#define SINCE_ONLY(id, sm, version) { OP_##id, 0, 0, T_NONE, { sm, version, true } },
#define SINCE_WORD(id, group, word, sm, version) \
    { OP_##id, PG_##group, MOD(group, word), T_NONE, { sm, version, false } },
#define SINCE_TYPE(id, type, sm, version) { OP_##id, 0, 0, T_##type, { sm, version, false } },
#include "ptx/isa/ops.def"
};

static bool has_type(const struct ptx_inst *in, enum ptx_type t)
{
    for (size_t i = 0; i < sizeof in->type / sizeof *in->type; i++)
        if (in->type[i] == t)
            return true;
    return false;
}

struct ptx_since ptx_since(const struct ptx_inst *in)
{
    struct ptx_since s = { 0, 0, false };
    for (size_t i = 0; i < sizeof since / sizeof *since; i++) {
        if (since[i].op != in->op || (since[i].word && in->mod[since[i].group] != since[i].word) ||
            (since[i].type && !has_type(in, since[i].type)))
            continue;
        s.sm = since[i].since.sm > s.sm ? since[i].since.sm : s.sm;
        s.version = since[i].since.version > s.version ? since[i].since.version : s.version;
        s.only |= since[i].since.only;
    }
    return s;
}

enum ptx_op ptx_op_find(const char *text, int len)
{
    for (int i = 1; i < OP_COUNT; i++) {
        const char *t = ptx_ops[i].text;
        if (t[0] == text[0] && !strncmp(t, text, (size_t)len) && t[len] == 0)
            return (enum ptx_op)i;
    }
    return OP_NONE;
}

/* How an opcode is decoded; a memory instruction: MEMORY_STEP + its kind. */
enum { LANE_FUNCTIONS, CONTROL_STEP, OTHER_STEP, NO_STEP, MEMORY_STEP };
static const uint8_t steps[OP_COUNT] = {
#define MEMORY(id, kind, decode) [OP_##id] = MEMORY_STEP + MOP_##kind,
#define CONTROL(id, decode, execute) [OP_##id] = CONTROL_STEP,
#define REDUCED(id, reduce) [OP_##id] = NO_STEP,
#define STEP(id, decode) [OP_##id] = OTHER_STEP,
#include "ptx/isa/ops.def"
};

enum mem_op_kind ptx_mem_kind(enum ptx_op op)
{
    return steps[op] >= MEMORY_STEP ? (enum mem_op_kind)(steps[op] - MEMORY_STEP) : MOP_NONE;
}

bool ptx_is_control(enum ptx_op op)
{
    return steps[op] == CONTROL_STEP;
}

bool ptx_has_lane_functions(enum ptx_op op)
{
    return op != OP_NONE && steps[op] == LANE_FUNCTIONS;
}

/* Opcodes with a row whose lane functions see the operands of one lane only; not those of carries, which see more. */
static const uint16_t own_lane[] = {
#define INT1(op, TD, TA, sel, fl, expr) OP_##op,
#define INT2(op, TD, TA, sel, fl, expr) OP_##op,
#define INT3(op, TD, TA, sel, fl, expr) OP_##op,
#define INT2N(op, bits, sel, fl, expr) OP_##op,
#define INT3N(op, bits, sel, fl, expr) OP_##op,
#define INT4(op, T, expr) OP_##op,
#define INT_UU(op, T, expr) OP_##op,
#define PACKED2(op, T, TE, sel, fl, expr) OP_##op,
#define DOT(op, TA, TB, sel, expr) OP_##op,
#define PRED1(op, expr) OP_##op,
#define PRED2(op, expr) OP_##op,
#define BIT1(op, bits, expr) OP_##op,
#define BIT2(op, bits, expr) OP_##op,
#define BIT3(op, sel, fl, expr) OP_##op,
#define SHIFT(op, T, expr) OP_##op,
#define SELECT(op, bits) OP_##op,
#define FLT32(n, op, fl, expr) OP_##op,
#define FLT32S(n, op, fl, expr) OP_##op,
#define FLT64(n, op, fl, expr) OP_##op,
#define FBIT32(n, op, expr) OP_##op,
#define FBIT64(n, op, expr) OP_##op,
#define HALF(n, op, expr) OP_##op,
#define LOGIC_FN(op, t1, t2, sel, fl, fn) OP_##op,
#define CVT1(TD, TA, sel, fl, expr) OP_CVT,
#include "ptx/isa/ops.def"
};

bool ptx_is_of_own_lane(const struct ptx_inst *in)
{
    if (in->mod[PG_CC])
        return false;
    for (size_t i = 0; i < sizeof own_lane / sizeof *own_lane; i++)
        if (own_lane[i] == in->op)
            return true;
    return false;
}

const char *ptx_sig(enum ptx_op op, const uint8_t mod[PG_COUNT])
{
    for (size_t i = 0; i < sizeof sigs / sizeof *sigs; i++)
        if (sigs[i].op == op && mod[sigs[i].group] == sigs[i].word)
            return sigs[i].sig;
    return ptx_ops[op].sig;
}
