/*
 * The x86 dialect, in the notation of herd: MOV [x],$1; MOV EAX,[x]; XCHG, XADD, CMPXCHG, locked ADD, INC, DEC, AND, OR
 * and XOR; MFENCE, SFENCE, LFENCE; CMP and jumps. Accesses are relaxed. MFENCE is fence.sc. SFENCE and LFENCE order
 * nothing that TSO does not order anyway: fence.acq_rel. What is locked, and XCHG, is one atomic with .acq_rel.
 */
#include "frontend/litmus/litmus_impl.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char *const names[] = { "X86", NULL };

static bool reg(const char *name, char out[LITMUS_NAME])
{
    static const char *const regs[] = { "EAX", "EBX", "ECX", "EDX", "ESI", "EDI", "ESP", "EBP", "R8D", "R9D", "R10D",
                                        "R11D", "R12D", "R13D", "R14D", "R15D" };
    for (int i = 0; i < LITMUS_NAME; i++)
        if (!(out[i] = (char)toupper((unsigned char)name[i])))
            break;
    for (unsigned i = 0; i < sizeof regs / sizeof *regs; i++)
        if (!strcmp(out, regs[i]))
            return true;
    return false;
}

/* An operand: a register, $value, [location] or [register]. */
struct operand { bool memory; struct litmus_operand o; };

static struct litmus_operand register_or_location(struct litmus_parser *p, bool memory)
{
    char name[LITMUS_NAME], canonical[LITMUS_NAME];
    struct litmus_token k = p->token;
    litmus_text(&k, name);
    if (k.kind != LITMUS_T_WORD || k.len >= LITMUS_NAME)
        litmus_error(p, &k, "expected an operand, found '%.*s'", k.len < 40 ? k.len : 40, k.at);
    litmus_next(p);
    if (reg(name, canonical))
        return litmus_reg_operand(litmus_register_at(p, p->thread, canonical, &k));
    if (!memory)
        litmus_error(p, &k, "'%s' is not a register", name);
    return litmus_loc_operand(litmus_location_at(p, name, &k));
}

static struct operand operand(struct litmus_parser *p)
{
    struct operand o = { 0 };
    if (litmus_take(p, "$") || p->token.kind == LITMUS_T_NUMBER || litmus_is(p, "-")) {
        o.o = litmus_value_operand(litmus_number(p));
        return o;
    }
    o.memory = litmus_take(p, "[");
    o.o = register_or_location(p, o.memory);
    if (o.memory)
        litmus_expect(p, "]");
    return o;
}

static void two(struct litmus_parser *p, struct operand o[2])
{
    o[0] = operand(p);
    litmus_expect(p, ",");
    o[1] = operand(p);
}

static int destination(struct litmus_parser *p, const struct operand *o, const struct litmus_token *at)
{
    if (o->memory || o->o.kind != LITMUS_REG)
        litmus_error(p, at, "the destination must be a register here");
    return o->o.index;
}

static void mov(struct litmus_parser *p, const struct litmus_token *at)
{
    struct operand o[2];
    two(p, o);
    if (o[0].memory && o[1].memory)
        litmus_error(p, at, "both operands are in memory");
    struct litmus_op *n = litmus_add_op(p, o[0].memory ? LITMUS_STORE : o[1].memory ? LITMUS_LOAD : LITMUS_MOV, at);
    n->address = o[0].memory ? o[0].o : o[1].o;
    n->a = o[1].o;
    if (!o[0].memory)
        n->dst = destination(p, &o[0], at);
}

static struct litmus_op *atomic(struct litmus_parser *p, enum litmus_fn fn, struct litmus_operand address, int dst,
                                struct litmus_operand a, const struct litmus_token *at)
{
    struct litmus_op *n = litmus_add_op(p, LITMUS_RMW, at);
    n->fn = fn;
    n->sem = LITMUS_ACQ_REL;
    n->address = address;
    n->dst = dst;
    n->a = a;
    return n;
}

/* XCHG, XADD: register and memory; x86 takes the operands of XCHG in either order. */
static void exchange(struct litmus_parser *p, enum litmus_fn fn, const struct litmus_token *at)
{
    struct operand o[2];
    two(p, o);
    struct operand *m = o[0].memory ? &o[0] : &o[1], *r = o[0].memory ? &o[1] : &o[0];
    if (!m->memory)
        litmus_error(p, at, "one operand must be in memory here");
    int dst = destination(p, r, at);
    atomic(p, fn, m->o, dst, r->o, at);
}

static struct litmus_operand keep(struct litmus_parser *p, struct litmus_operand a, int i,
                                  const struct litmus_token *at)
{
    int *kept = &p->kept[p->thread][i];
    if (*kept < 0)
        *kept = litmus_hidden_register(p, at);
    struct litmus_op *n = litmus_add_op(p, LITMUS_MOV, at);
    n->dst = *kept;
    n->a = a;
    return litmus_reg_operand(*kept);
}

/* CMPXCHG [x],reg: compares with EAX, which gets the old value. ZF is the comparison of both. */
static void compare_exchange(struct litmus_parser *p, const struct litmus_token *at)
{
    struct operand o[2];
    two(p, o);
    if (!o[0].memory)
        litmus_error(p, at, "the first operand must be in memory here");
    struct litmus_operand eax = litmus_reg_operand(litmus_register_at(p, p->thread, "EAX", at));
    keep(p, eax, 0, at);
    struct litmus_op *n = atomic(p, LITMUS_CAS, o[0].o, eax.index, litmus_reg_operand(p->kept[p->thread][0]), at);
    n->b = o[1].o;
    keep(p, eax, 1, at);
}

/* ADD and the like on a register, or locked on memory. */
static void arithmetic(struct litmus_parser *p, enum litmus_fn fn, bool locked, bool unary,
                       const struct litmus_token *at)
{
    struct operand o[2] = { 0 };
    if (unary) {
        o[0] = operand(p);
        o[1].o = litmus_value_operand(1);
    } else
        two(p, o);
    if (o[1].memory)
        litmus_error(p, at, "an operand in memory is not supported here");
    if (o[0].memory && !locked)
        litmus_error(p, at, "an arithmetic instruction on memory without LOCK is not supported");
    if (o[0].memory) {
        if (fn == LITMUS_SUB && o[1].o.kind == LITMUS_REG)
            litmus_error(p, at, "a locked SUB of a register is not supported");
        struct litmus_operand a = o[1].o;
        a.value = fn == LITMUS_SUB ? -a.value : a.value;
        atomic(p, fn == LITMUS_SUB ? LITMUS_ADD : fn, o[0].o, -1, a, at);
        return;
    }
    int dst = destination(p, &o[0], at);
    struct litmus_op *n = litmus_add_op(p, LITMUS_ALU, at);
    n->fn = fn;
    n->dst = dst;
    n->a = o[0].o;
    n->b = o[1].o;
}

static void fence(struct litmus_parser *p, enum litmus_sem sem, const struct litmus_token *at)
{
    litmus_add_op(p, LITMUS_FENCE, at)->sem = sem;
}

static void compare(struct litmus_parser *p, const struct litmus_token *at)
{
    struct operand o[2];
    two(p, o);
    if (o[0].memory || o[1].memory)
        litmus_error(p, at, "an operand in memory is not supported here");
    keep(p, o[0].o, 0, at);
    keep(p, o[1].o, 1, at);
}

static void jump(struct litmus_parser *p, enum litmus_fn fn, const struct litmus_token *at)
{
    const int *kept = p->kept[p->thread];
    if (fn != LITMUS_ALWAYS && kept[1] < 0)
        litmus_error(p, at, "a conditional jump needs a CMP before it");
    if (fn == LITMUS_ALWAYS)
        litmus_add_branch(p, fn, litmus_value_operand(0), litmus_value_operand(0), at);
    else
        litmus_add_branch(p, fn, litmus_reg_operand(kept[0]), litmus_reg_operand(kept[1]), at);
}

static const struct { const char *name; enum { ARITHMETIC, UNARY, JUMP, FENCE, EXCHANGE } form; int what; } table[] = {
    { "add", ARITHMETIC, LITMUS_ADD }, { "sub", ARITHMETIC, LITMUS_SUB }, { "and", ARITHMETIC, LITMUS_AND },
    { "or", ARITHMETIC, LITMUS_OR }, { "xor", ARITHMETIC, LITMUS_XOR }, { "inc", UNARY, LITMUS_ADD },
    { "dec", UNARY, LITMUS_SUB }, { "je", JUMP, LITMUS_EQ }, { "jz", JUMP, LITMUS_EQ }, { "jne", JUMP, LITMUS_NE },
    { "jnz", JUMP, LITMUS_NE }, { "jl", JUMP, LITMUS_LT }, { "jle", JUMP, LITMUS_LE }, { "jg", JUMP, LITMUS_GT },
    { "jge", JUMP, LITMUS_GE }, { "jmp", JUMP, LITMUS_ALWAYS }, { "mfence", FENCE, LITMUS_SC },
    { "sfence", FENCE, LITMUS_ACQ_REL }, { "lfence", FENCE, LITMUS_ACQ_REL }, { "xchg", EXCHANGE, LITMUS_EXCH },
    { "xadd", EXCHANGE, LITMUS_ADD },
};

static void instruction(struct litmus_parser *p)
{
    struct litmus_token at = p->token;
    bool locked = litmus_take(p, "lock");
    char name[LITMUS_NAME];
    if (locked)
        litmus_take(p, ";");
    litmus_text(&p->token, name);
    for (char *c = name; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    litmus_next(p);
    if (!strcmp(name, "mov")) {
        mov(p, &at);
        return;
    }
    if (!strcmp(name, "cmp")) {
        compare(p, &at);
        return;
    }
    if (!strcmp(name, "cmpxchg") && locked) {
        compare_exchange(p, &at);
        return;
    }
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
        if (strcmp(table[i].name, name))
            continue;
        switch (table[i].form) {
        case ARITHMETIC: arithmetic(p, (enum litmus_fn)table[i].what, locked, false, &at); return;
        case UNARY: arithmetic(p, (enum litmus_fn)table[i].what, locked, true, &at); return;
        case JUMP: jump(p, (enum litmus_fn)table[i].what, &at); return;
        case FENCE: fence(p, (enum litmus_sem)table[i].what, &at); return;
        case EXCHANGE:
            if (table[i].what == LITMUS_EXCH || locked) {
                exchange(p, (enum litmus_fn)table[i].what, &at);
                return;
            }
        }
    }
    litmus_error(p, &at, "the instruction '%s' is not supported", name);
}

const struct litmus_dialect litmus_x86 = { names, NULL, reg, instruction };
