/*
 * The PTX kernel of a litmus test. Every thread of a launch reads its part from a table: its role (a thread of the
 * test), its instance of the test, a delay, the locations to read beforehand. The table has `entries` rows for each
 * warp; lanes beyond them end, or take part in noise. After the preparation it waits as the harness says. Then it
 * executes the role's instructions, between which no other access stands, and stores the observed registers. Registers
 * hold 64 bits where the test has addresses in them, else 32: results of loads are not converted, which would wait for
 * them.
 *
 * The simulator's harness waits for the next multiple of 2^START_SHIFT cycles plus the delay, so that the threads of an
 * instance start together although their preparations take different times.
 */
#include "frontend/litmus/litmus_kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct emitter {
    FILE *f;
    const struct litmus_test *t;
    const struct litmus_harness *harness;
    int thread, temps;
    const struct litmus_thread *p;
};

/* ---- operands ---- */

enum { OPERAND_TEXT = 40 };

static void reg_text(const struct emitter *m, int reg, char out[OPERAND_TEXT])
{
    snprintf(out, OPERAND_TEXT, "%%%c%d_%d", m->p->reg[reg].wide ? 'w' : 'n', m->thread, reg);
}

/* The operand with this width; converts a register of the other one. */
static void operand_text(struct emitter *m, const struct litmus_operand *o, bool wide, char out[OPERAND_TEXT])
{
    if (o->kind == LITMUS_LOC)
        snprintf(out, OPERAND_TEXT, "%%loc%d", o->index);
    else if (o->kind != LITMUS_REG)
        snprintf(out, OPERAND_TEXT, "%lld", (long long)o->value);
    else
        reg_text(m, o->index, out);
    bool is_wide = o->kind == LITMUS_LOC || (o->kind == LITMUS_REG && m->p->reg[o->index].wide);
    if ((o->kind != LITMUS_REG && o->kind != LITMUS_LOC) || is_wide == wide)
        return;
    char from[OPERAND_TEXT];
    memcpy(from, out, sizeof from);
    snprintf(out, OPERAND_TEXT, "%%%s%d", wide ? "tw" : "tn", m->temps++ % LITMUS_TEMPS);
    fprintf(m->f, "    %s %s, %s;\n", wide ? "cvt.s64.s32" : "cvt.u32.u64", out, from);
}

static bool reg_is_wide(const struct emitter *m, int reg)
{
    return reg >= 0 && m->p->reg[reg].wide;
}

/* ---- operations ---- */

/* A store that is never executed, perhaps to the same location: the optimizer does not merge the weak loads before and
 * after it. */
static void separate_weak(struct emitter *m, const struct litmus_op *o)
{
    if (m->harness->optimized && o->sem < LITMUS_RELAXED)
        fputs("    @%never st.global.b32 [%result], 1;\n", m->f);
}

static const char *const scopes[] = { "cta", "gpu", "sys" };
static const char *const sems[] = { [LITMUS_RELAXED] = "relaxed", [LITMUS_ACQUIRE] = "acquire",
                                    [LITMUS_RELEASE] = "release", [LITMUS_ACQ_REL] = "acq_rel", [LITMUS_SC] = "sc" };

static void emit_order(struct emitter *m, const char *name, const struct litmus_op *o)
{
    fprintf(m->f, "    %s", name);
    if (o->sem >= LITMUS_RELAXED)
        fprintf(m->f, ".%s.%s", sems[o->sem], scopes[o->scope]);
    fprintf(m->f, ".global%s", o->sem == LITMUS_WEAK_CG ? ".cg" : "");
}

static void emit_load(struct emitter *m, const struct litmus_op *o)
{
    char dst[OPERAND_TEXT] = "%tw0", address[OPERAND_TEXT];
    operand_text(m, &o->address, true, address);
    if (o->dst >= 0)
        reg_text(m, o->dst, dst);
    separate_weak(m, o);
    emit_order(m, "ld", o);
    fprintf(m->f, ".s%d %s, [%s];\n", o->size * 8, dst, address);
}

static void emit_store(struct emitter *m, const struct litmus_op *o)
{
    char value[OPERAND_TEXT], address[OPERAND_TEXT];
    operand_text(m, &o->address, true, address);
    operand_text(m, &o->a, o->size == 8, value);
    emit_order(m, "st", o);
    fprintf(m->f, ".b%d [%s], %s;\n", o->size * 8, address, value);
}

/* With a result, or with an order that red does not have, an atomic is atom, else red. */
static void emit_rmw(struct emitter *m, const struct litmus_op *o)
{
    static const char *const ops[] = { "add.u", "", "and.b", "or.b", "xor.b", "min.s", "max.s", "exch.b", "cas.b" };
    char address[OPERAND_TEXT], a[OPERAND_TEXT], b[OPERAND_TEXT], dst[OPERAND_TEXT];
    bool wide = o->size == 8, result = o->dst >= 0 || o->fn >= LITMUS_EXCH || o->sem == LITMUS_ACQUIRE ||
                                       o->sem == LITMUS_ACQ_REL;
    operand_text(m, &o->address, true, address);
    operand_text(m, &o->a, wide, a);
    operand_text(m, &o->b, wide, b);
    bool direct = o->dst >= 0 && reg_is_wide(m, o->dst) == wide;
    if (direct)
        reg_text(m, o->dst, dst);
    else
        snprintf(dst, sizeof dst, "%%%s%d", wide ? "tw" : "tn", m->temps++ % LITMUS_TEMPS);
    emit_order(m, result ? "atom" : "red", o);
    fprintf(m->f, ".%s%d ", ops[o->fn], o->size * 8);
    fprintf(m->f, result ? "%s, [%s], %s" : "%.0s[%s], %s", dst, address, a);
    fprintf(m->f, o->fn == LITMUS_CAS ? ", %s;\n" : ";%.0s\n", b);
    if (o->dst >= 0 && !direct) {
        reg_text(m, o->dst, b);
        fprintf(m->f, "    %s %s, %s;\n", wide ? "cvt.u32.u64" : "cvt.s64.s32", b, dst);
    }
}

static const char *comparison(enum litmus_fn fn)
{
    static const char *const names[] = { "eq", "ne", "lt", "le", "gt", "ge" };
    return names[fn - LITMUS_EQ];
}

static bool is_wide(const struct emitter *m, const struct litmus_operand *o)
{
    return o->kind == LITMUS_LOC || (o->kind == LITMUS_REG && m->p->reg[o->index].wide);
}

static void emit_compare(struct emitter *m, const struct litmus_op *o)
{
    char a[OPERAND_TEXT], b[OPERAND_TEXT];
    bool wide = is_wide(m, &o->a) || is_wide(m, &o->b);
    operand_text(m, &o->a, wide, a);
    operand_text(m, &o->b, wide, b);
    fprintf(m->f, "    setp.%s.s%d %%p, %s, %s;\n", comparison(o->fn), wide ? 64 : 32, a, b);
}

/* Zero whatever the first operand is, as for a dependency without an effect. */
static bool is_always_zero(const struct litmus_op *o)
{
    bool same = o->a.kind == LITMUS_REG && o->b.kind == LITMUS_REG && o->a.index == o->b.index;
    return (same && (o->fn == LITMUS_XOR || o->fn == LITMUS_SUB)) ||
           (o->fn == LITMUS_AND && o->b.kind == LITMUS_VALUE && !o->b.value);
}

static void emit_alu(struct emitter *m, const struct litmus_op *o)
{
    static const char *const ops[] = { "add.s", "sub.s", "and.b", "or.b", "xor.b", "min.s", "max.s" };
    char dst[OPERAND_TEXT], a[OPERAND_TEXT], b[OPERAND_TEXT];
    bool wide = reg_is_wide(m, o->dst);
    reg_text(m, o->dst, dst);
    if (o->fn >= LITMUS_EQ) {
        emit_compare(m, o);
        fprintf(m->f, "    selp.b%d %s, 1, 0, %%p;\n", wide ? 64 : 32, dst);
        return;
    }
    operand_text(m, &o->a, wide, a);
    if (m->harness->optimized && is_always_zero(o)) {
        fprintf(m->f, "    and.b%d %s, %s, %%zero%d;\n", wide ? 64 : 32, dst, a, wide ? 64 : 32);
        return;
    }
    operand_text(m, &o->b, wide, b);
    fprintf(m->f, "    %s%d %s, %s, %s;\n", ops[o->fn], wide ? 64 : 32, dst, a, b);
}

static void emit_mov(struct emitter *m, int reg, const struct litmus_operand *from)
{
    char dst[OPERAND_TEXT], a[OPERAND_TEXT];
    bool wide = reg_is_wide(m, reg);
    operand_text(m, from, wide, a);
    reg_text(m, reg, dst);
    fprintf(m->f, "    mov.b%d %s, %s;\n", wide ? 64 : 32, dst, a);
}

static void emit_branch(struct emitter *m, const struct litmus_op *o)
{
    if (m->harness->optimized && o->target <= o - m->p->op)
        fputs("    sub.u32 %fuel, %fuel, 1;\n    setp.eq.u32 %p, %fuel, 0;\n    @%p bra UNFINISHED;\n", m->f);
    if (o->fn != LITMUS_ALWAYS)
        emit_compare(m, o);
    if (o->fn != LITMUS_ALWAYS && m->harness->optimized)
        fputs("    and.pred %q, %p, %never;\n    @%q bra END;\n", m->f);
    fprintf(m->f, "    %sbra L%d_%d;\n", o->fn == LITMUS_ALWAYS ? "" : "@%p ", m->thread, o->target);
}

/* The threads of this block with the same instance, in lanes: each role is a warp. */
static int barrier_threads(const struct emitter *m)
{
    int n = 0;
    for (int i = 0; i < m->t->nthreads; i++)
        n += m->t->thread[i].cta == m->p->cta && m->t->thread[i].gpu == m->p->gpu;
    return n * LITMUS_LANES;
}

static void emit_op(struct emitter *m, const struct litmus_op *o)
{
    switch (o->kind) {
    case LITMUS_MOV: emit_mov(m, o->dst, &o->a); break;
    case LITMUS_ALU: emit_alu(m, o); break;
    case LITMUS_LOAD: emit_load(m, o); break;
    case LITMUS_STORE: emit_store(m, o); break;
    case LITMUS_RMW: emit_rmw(m, o); break;
    case LITMUS_FENCE: fprintf(m->f, "    fence.%s.%s;\n", sems[o->sem], scopes[o->scope]); break;
    case LITMUS_BARRIER: fprintf(m->f, "    bar.sync %d, %d;\n", o->id, barrier_threads(m)); break;
    case LITMUS_BRANCH: emit_branch(m, o); break;
    default: break;
    }
}

/* ---- roles ---- */

static bool is_target(const struct litmus_thread *p, int at)
{
    for (int i = 0; i < p->nops; i++)
        if (p->op[i].kind == LITMUS_BRANCH && p->op[i].target == at)
            return true;
    return false;
}

static void emit_registers(struct emitter *m)
{
    for (int r = 0; r < m->p->nregs; r++) {
        char name[OPERAND_TEXT];
        reg_text(m, r, name);
        int l = litmus_location_of(m->t, m->p->reg[r].init);
        struct litmus_operand init = { .kind = l < 0 ? LITMUS_VALUE : LITMUS_LOC, .index = l,
                                       .value = m->p->reg[r].init };
        fprintf(m->f, "    .reg .b%d %s;\n", m->p->reg[r].wide ? 64 : 32, name);
        emit_mov(m, r, &init);
    }
}

static void emit_results(struct emitter *m)
{
    for (int i = 0; i < m->t->nobserved; i++) {
        if (m->t->observed[i].thread != m->thread)
            continue;
        struct litmus_operand o = { .kind = LITMUS_REG, .index = m->t->observed[i].index };
        char value[OPERAND_TEXT];
        operand_text(m, &o, true, value);
        fprintf(m->f, "    mad.wide.u32 %%a, %%instances, %d, %%result;\n    st.global.b64 [%%a], %s;\n", i * 8, value);
    }
}

static void emit_role(struct emitter *m)
{
    fprintf(m->f, "R%d:\n", m->thread);
    m->harness->wait(m->f, m->thread);
    for (int i = 0; i <= m->p->nops; i++) {
        if (is_target(m->p, i))
            fprintf(m->f, "L%d_%d:\n", m->thread, i);
        if (i < m->p->nops)
            emit_op(m, &m->p->op[i]);
    }
    emit_results(m);
    fputs("    ret;\n", m->f);
}

/* ---- preparation ---- */

static void emit_head(struct emitter *m, const char *name)
{
    fprintf(m->f, ".visible .entry %s(\n    .param .u64 threads, "
            ".param .u64 memory, .param .u64 results, .param .u64 noise,\n    .param .u32 instances, "
            ".param .u32 shift, .param .u32 slot, .param .u32 stride, .param .u32 entries, .param .u32 step%s",
            name, m->harness->parameters);
    for (int l = 0; l < m->t->nlocations; l++)
        fprintf(m->f, ",\n    .param .u64 offset%d", l);
    fprintf(m->f, ")\n{\n    .reg .pred %%p;\n    .reg .b32 %%role, %%instance, %%delay, %%warm, %%instances, %%wait, "
            "%%lane, %%entries, %%t<4>, %%tn<%d>;\n    .reg .b64 %%a, %%base, %%result, %%loc<%d>, %%tw<%d>;\n%s",
            LITMUS_TEMPS, m->t->nlocations + 1, LITMUS_TEMPS, m->harness->registers);
    fputs("    mov.u32 %t0, %ctaid.x;\n    mov.u32 %t1, %ntid.x;\n    mov.u32 %t2, %tid.x;\n"
          "    mad.lo.u32 %t0, %t0, %t1, %t2;\n    shr.u32 %t1, %t0, 5;\n    and.b32 %lane, %t0, 31;\n"
          "    ld.param.u32 %entries, [entries];\n    sub.u32 %t2, %entries, 1;\n    min.u32 %t2, %t2, %lane;\n"
          "    mad.lo.u32 %t0, %t1, %entries, %t2;\n    ld.param.u64 %a, [threads];\n"
          "    mad.wide.u32 %a, %t0, 16, %a;\n"
          "    ld.global.v4.u32 {%role, %instance, %delay, %warm}, [%a];\n    ld.param.u32 %instances, [instances];\n"
          "    ld.param.u64 %result, [results];\n    mad.wide.u32 %result, %instance, 8, %result;\n", m->f);
    fprintf(m->f, "%s    setp.gt.u32 %%p, %%role, %d;\n    @%%p bra END;\n    setp.eq.u32 %%p, %%role, %d;\n"
            "    @%%p bra START;\n    setp.ge.u32 %%p, %%lane, %%entries;\n    @%%p bra END;\n", m->harness->head,
            m->t->nthreads, m->t->nthreads);
}

/* The address of a location: a line for each group of 2^shift instances, a slot in it for each. */
static void emit_addresses(struct emitter *m)
{
    fputs("    ld.param.u32 %t0, [shift];\n    shr.u32 %t1, %instance, %t0;\n    shl.b32 %t2, %t1, %t0;\n"
          "    sub.u32 %t2, %instance, %t2;\n    ld.param.u32 %t3, [stride];\n    ld.param.u64 %base, [memory];\n"
          "    mad.wide.u32 %base, %t1, %t3, %base;\n    ld.param.u32 %t3, [slot];\n"
          "    mad.wide.u32 %base, %t2, %t3, %base;\n", m->f);
    for (int l = 0; l < m->t->nlocations; l++)
        fprintf(m->f, "    ld.param.u64 %%loc%d, [offset%d];\n    add.u64 %%loc%d, %%loc%d, %%base;\n", l, l, l, l);
}

/* Bit l of %warm: read location l through L1; bit 16 + l: past it. */
static void emit_warming(struct emitter *m)
{
    fputs("    setp.eq.u32 %p, %warm, 0;\n    @%p bra COLD;\n", m->f);
    for (int i = 0; i < 2 * LITMUS_LOCATIONS; i++)
        if (i % LITMUS_LOCATIONS < m->t->nlocations)
            fprintf(m->f, "    and.b32 %%t0, %%warm, %u;\n    setp.ne.u32 %%p, %%t0, 0;\n    @%%p ld%s.global.b%d "
                    "%%tw0, [%%loc%d];\n%s", 1u << i, i < LITMUS_LOCATIONS ? "" : ".relaxed.gpu",
                    m->t->location[i % LITMUS_LOCATIONS].size * 8, i % LITMUS_LOCATIONS,
                    m->harness->optimized ? "    @%never st.global.b64 [%result], %tw0;\n" : "");
    fputs("COLD:\n", m->f);
}

static void emit_start(struct emitter *m)
{
    fprintf(m->f, "START:\n%s", m->harness->start);
    for (int i = 1; i <= m->t->nthreads; i++)
        fprintf(m->f, "    setp.eq.u32 %%p, %%role, %d;\n    @%%p bra R%d;\n", i, i);
}

void litmus_emit_kernel(FILE *f, const struct litmus_test *t, const char *name, const struct litmus_harness *harness)
{
    struct emitter m = { .t = t, .f = f, .harness = harness };
    emit_head(&m, name);
    emit_addresses(&m);
    emit_warming(&m);
    for (m.thread = 0; m.thread < t->nthreads; m.thread++) {
        m.p = &t->thread[m.thread];
        emit_registers(&m);
    }
    emit_start(&m);
    for (m.thread = 0; m.thread < t->nthreads; m.thread++) {
        m.p = &t->thread[m.thread];
        emit_role(&m);
    }
    harness->noise(f, t->nthreads);
    fputs("END:\n    ret;\n}\n", f);
}

/* ---- the simulator's harness ---- */

/* Waits for the next multiple of 2^START_SHIFT cycles and the thread's delay. Each role reads the clock after its
 * branch, so that the number of branches before a role does not delay it. */
static void simulator_wait(FILE *f, int thread)
{
    fprintf(f, "    mov.u32 %%t0, %%clock;\n    shr.u32 %%t1, %%t0, %d;\n    add.u32 %%t1, %%t1, 1;\n"
            "    shl.b32 %%t1, %%t1, %d;\n    sub.u32 %%t1, %%t1, %%t0;\n    add.u32 %%t1, %%t1, %%delay;\n"
            "    mul.lo.u32 %%t1, %%t1, %%t2;\n    shr.u32 %%wait, %%t1, 16;\n    nanosleep.u32 %%wait;\n",
            LITMUS_START_SHIFT, LITMUS_START_SHIFT);
}

/* Stores to %warm words of a line, in the way of the tests' accesses; the lines of the lanes are `step` apart. */
static void simulator_noise(FILE *f, int role)
{
    fprintf(f, "R%d:\n    ld.param.u64 %%a, [noise];\n    ld.param.u32 %%t0, [step];\n"
            "    mad.lo.u32 %%t0, %%t0, %%lane, %%instance;\n    and.b32 %%t0, %%t0, %d;\n"
            "    mad.wide.u32 %%a, %%t0, 128, %%a;\n", role, LITMUS_NOISE_LINES - 1);
    simulator_wait(f, role);
    fputs("NEXT:\n    setp.eq.u32 %p, %warm, 0;\n    @%p bra END;\n    st.global.u32 [%a], %warm;\n"
          "    add.u64 %a, %a, 4;\n    sub.u32 %warm, %warm, 1;\n    bra NEXT;\n", f);
}

static const struct litmus_harness simulator = {
    .parameters = ", .param .u32 scale", .registers = "", .head = "", .start = "    ld.param.u32 %t2, [scale];\n",
    .wait = simulator_wait, .noise = simulator_noise
};

char *litmus_emit(const struct litmus_test *t)
{
    char *text;
    size_t size;
    FILE *f = mem_file(&text, &size);
    fputs(LITMUS_PTX_HEADER, f);
    litmus_emit_kernel(f, t, "litmus", &simulator);
    fclose(f);
    return text;
}
