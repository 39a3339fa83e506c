/*
 * If-conversion. PTX is not machine code: instead of a branch over a few instructions NVIDIA's assembler guards them by
 * the branch's predicate, which saves the time of the branch, of divergence and of reconvergence, and leaves longer
 * basic blocks. The rules were read from machine code of ptxas 13.0 for sm_75 and sm_90:
 *
 *     @p bra L;  THEN  L:                     up to 8 instructions (6 if the branch is uniform)
 *     @p bra E;  THEN  bra L;  E: ELSE  L:    up to 7 on each side
 *
 * Arithmetic, plain loads and stores are converted. Atomics, fences, barriers, texture fetches, exchanges between
 * lanes, calls, and instructions that have a guard are not; nor are divisions and square roots, which are long
 * sequences. Arithmetic whose results only the converted instructions use, for instance addresses, has no guard: all
 * lanes compute it. ptxas goes further: it also converts up to 20 instructions if few of them depend on each other, and
 * finds that some branches without `.uni` are uniform.
 *
 * If a function would need more registers, rounded up to a multiple of 8, only shorter branches are converted, or none.
 * A function may always have as many registers as each thread of a full SM can have.
 */
#include "ptx/program/if_convert.h"

#include "base/num.h"
#include "ptx/program/remove.h"
#include "ptx/program/schedule.h"

enum { THEN_MAX = 8, UNIFORM_MAX = 6, SIDE_MAX = 7 };

struct converter {
    struct ptx_func *f;
    const struct flow *flow;
    uint32_t reach;                  /* most instructions of a side, in this try */
    bool *removed;                   /* by instruction: the branches and jumps of converted code */
    const struct ptx_reg *guard;     /* of the branch */
    uint32_t first, end;             /* the instructions that are being converted */
    bool used_elsewhere;             /* result of note_use_elsewhere */
};

static bool is_simple(const struct ptx_inst *in)
{
    if (schedule_is_arithmetic(in))
        return ptx_ops[in->op].latency != PTX_LATENCY_DIV && ptx_ops[in->op].latency != PTX_LATENCY_SQRT;
    return schedule_crossing(in) == SCHEDULE_ACCESS;
}

static bool may_guard(const struct converter *c, const struct ptx_inst *in)
{
    return is_simple(in) && schedule_crossing(in) != SCHEDULE_NEVER && !in->guard && !in->tx &&
           !ptx_inst_writes(in, c->guard);
}

/* May all instructions of the block before `end` be guarded? Only its one predecessor may enter it. */
static bool may_guard_all(struct converter *c, uint32_t block, uint32_t end, uint32_t most)
{
    const struct flow_block *b = &c->flow->blocks[block];
    if (b->npred != 1 || end - b->first > num_least(most, c->reach))
        return false;
    for (uint32_t i = b->first; i < end; i++)
        if (!may_guard(c, &c->f->insts[i]) || c->f->insts[i].lock != c->f->insts[b->first - 1].lock)
            return false;
    return true;
}

static void note_use_elsewhere(void *ctx, struct ptx_reg *r, bool write)
{
    struct converter *c = ctx;
    c->used_elsewhere |= write && (c->flow->live_from[r->id] < c->first || c->flow->live_to[r->id] >= c->end);
}

/* Do only the instructions [first, end) use its results? */
static bool is_private(struct converter *c, const struct ptx_inst *in)
{
    c->used_elsewhere = false;
    ptx_inst_visit_regs(in, note_use_elsewhere, c);
    return !c->used_elsewhere;
}

/* Arithmetic with private results needs no guard, unless it writes the carry flag. */
static void guard_all(struct converter *c, uint32_t first, uint32_t end, const struct ptx_inst *branch, bool negated)
{
    c->first = first;
    c->end = end;
    for (uint32_t i = first; i < end; i++) {
        struct ptx_inst *in = &c->f->insts[i];
        bool private = is_private(c, in);
        if (private && schedule_crossing(in) == SCHEDULE_FREE && !in->mod[PG_CC])
            continue;
        in->guard = branch->guard;
        in->guard_negated = negated;
        in->guard_covers = private;
    }
}

static bool is_jump(const struct ptx_inst *in)
{
    return in->op == OP_BRA && !in->guard;
}

/* The branch skips the block `then`, which follows it. */
static void convert_then(struct converter *c, uint32_t then, const struct ptx_inst *branch)
{
    const struct flow_block *b = &c->flow->blocks[then];
    uint32_t most = branch->mod[PG_UNI] ? UNIFORM_MAX : THEN_MAX;
    if (!may_guard_all(c, then, b->end, most))
        return;
    guard_all(c, b->first, b->end, branch, !branch->guard_negated);
    c->removed[b->first - 1] = true;
}

/* `then` ends with a jump past the block after it, to which the branch leads. */
static void convert_else(struct converter *c, uint32_t then, const struct ptx_inst *branch)
{
    const struct flow_block *t = &c->flow->blocks[then], *e = &c->flow->blocks[then + 1];
    uint32_t jump = t->end - 1;
    if (c->f->insts[jump].opd[0].label != e->end || is_jump(&c->f->insts[e->end - 1]) ||
        !may_guard_all(c, then, jump, SIDE_MAX) || !may_guard_all(c, then + 1, e->end, SIDE_MAX))
        return;
    guard_all(c, t->first, jump, branch, !branch->guard_negated);
    guard_all(c, e->first, e->end, branch, branch->guard_negated);
    c->removed[t->first - 1] = c->removed[jump] = true;
}

static void convert_block(struct converter *c, uint32_t block)
{
    uint32_t then = block + 1;
    const struct ptx_inst *branch = &c->f->insts[c->flow->blocks[block].end - 1];
    if (branch->op != OP_BRA || !branch->guard || branch->tx || then == c->flow->nblocks)
        return;
    c->guard = branch->guard;
    uint32_t end = c->flow->blocks[then].end;
    if (branch->opd[0].label != end)
        return;
    if (is_jump(&c->f->insts[end - 1]) && then + 1 < c->flow->nblocks)
        convert_else(c, then, branch);
    else
        convert_then(c, then, branch);
}

static void convert_all(void *ctx, uint32_t reach, bool *removed)
{
    struct converter *c = ctx;
    c->reach = reach;
    c->removed = removed;
    for (uint32_t b = 0; b < c->flow->nblocks; b++)
        convert_block(c, b);
}

void if_convert(struct ptx_func *f, uint32_t allowed_registers)
{
    static const uint32_t reach[] = { THEN_MAX, THEN_MAX / 2, THEN_MAX / 4, THEN_MAX / 8, 0 };
    if (!f->ninsts)
        return;
    struct arena *scratch = arena_new();
    struct converter c = { .f = f, .flow = flow_analyse(f, scratch) };
    struct remove_pass pass = { convert_all, &c, reach };
    remove_by_pass(f, &pass, schedule_register_limit(f, c.flow->registers, allowed_registers));
    arena_free(scratch);
}
