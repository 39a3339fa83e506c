/*
 * The x86 dialects in the notations of herd. X86: MOV [x],$1; MOV EAX,[x]. X86_64, in the order of AT&T: movl $1,(x);
 * movq (x),%rax. Both: XCHG, XADD, CMPXCHG, locked ADD, INC, DEC, AND, OR and XOR; MFENCE, SFENCE, LFENCE; CMP and
 * jumps. Accesses are relaxed. MFENCE is fence.sc. SFENCE and LFENCE order nothing that TSO does not order anyway:
 * fence.acq_rel. What is locked, and XCHG, is one atomic with .acq_rel.
 */
#include "frontend/litmus/litmus_impl.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = { "X86", NULL }, *const names_64[] = { "X86_64", NULL };

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

/* Bytes of a register of x86-64, 0 = it is none. %eax and %rax are one register, "rax". */
static uint8_t reg_64_size(const char *name, char out[LITMUS_NAME])
{
    static const char *const letters[] = { "ax", "bx", "cx", "dx", "si", "di", "sp", "bp" };
    const char *n = name + (*name == '%');
    char lower[LITMUS_NAME] = "";
    for (int i = 0; i < LITMUS_NAME - 1 && n[i]; i++)
        lower[i] = (char)tolower((unsigned char)n[i]);
    for (unsigned i = 0; i < sizeof letters / sizeof *letters; i++)
        if ((*lower == 'r' || *lower == 'e') && !strcmp(lower + 1, letters[i])) {
            snprintf(out, LITMUS_NAME, "r%s", letters[i]);
            return *lower == 'r' ? 8 : 4;
        }
    char *end = lower;
    unsigned long number = *lower == 'r' && isdigit((unsigned char)lower[1]) ? strtoul(lower + 1, &end, 10) : 0;
    if (number < 8 || number > 15 || (*end && strcmp(end, "d") != 0))
        return 0;
    snprintf(out, LITMUS_NAME, "r%lu", number);
    return *end ? 4 : 8;
}

static bool reg_64(const char *name, char out[LITMUS_NAME])
{
    return reg_64_size(name, out) != 0;
}

/* ---- operands ---- */

/* A register, a value, [location] or [register]; size: of the register, 0 = it is none. */
struct operand { bool memory; uint8_t size; struct litmus_operand o; };

/* The operands in the order of X86, the destination first; the bytes of an access. */
struct operands { struct operand o[2]; int n; uint8_t size; };

static bool att(const struct litmus_parser *p)
{
    return p->dialect == &litmus_x86_64;
}

/* One register of x86-64 has one size in a thread: that a write of 32 bits clears the other half is in no model. */
static void use_register(struct litmus_parser *p, int reg, uint8_t size, const struct litmus_token *at)
{
    struct litmus_register *r = &p->t->thread[p->thread].reg[reg];
    if ((r->size && r->size != size) || (size == 4 && r->init != (int32_t)r->init))
        litmus_error(p, at, "%s is used with 32 and with 64 bits: this is not supported", r->name);
    r->size = size;
}

static struct operand register_or_location(struct litmus_parser *p, bool memory)
{
    char name[LITMUS_NAME], canonical[LITMUS_NAME];
    struct litmus_token k = p->token;
    struct operand o = { .memory = memory, .size = 4 };
    litmus_text(&k, name);
    if (k.kind != LITMUS_T_WORD || k.len >= LITMUS_NAME)
        litmus_expected(p, &k, "expected an operand");
    litmus_next(p);
    bool sigil = *name == '%' || !att(p);
    if (sigil && p->dialect->reg(name, canonical)) {
        uint8_t size = att(p) ? reg_64_size(name, canonical) : 4;
        if (memory && att(p) && size != 8)
            litmus_error(p, &k, "an address needs a register of 64 bits");
        o.size = memory ? 0 : size;
        o.o = litmus_reg_operand(litmus_register_at(p, p->thread, canonical, &k));
        if (att(p))
            use_register(p, o.o.index, size, &k);
        return o;
    }
    if (!memory || *name == '%')
        litmus_error(p, &k, "'%s' is not a register", name);
    o.size = 0;
    o.o = litmus_loc_operand(litmus_location_at(p, name, &k));
    return o;
}

/* What stands in parentheses, after an offset that must be 0. */
static struct operand att_memory(struct litmus_parser *p)
{
    litmus_expect(p, "(");
    struct operand o = register_or_location(p, true);
    if (litmus_is(p, ","))
        litmus_error(p, &p->token, "an address with an index is not supported");
    litmus_expect(p, ")");
    return o;
}

static struct operand operand(struct litmus_parser *p)
{
    struct operand o = { 0 };
    struct litmus_token at = p->token;
    const char *open = att(p) ? "(" : "[";
    if (litmus_take(p, "$") || at.kind == LITMUS_T_NUMBER || litmus_is(p, "-")) {
        o.o = litmus_value_operand(litmus_number(p));
        if (*at.at == '$' || !litmus_is(p, "(") || !att(p))
            return o;
        if (o.o.value)
            litmus_error(p, &at, "an offset other than 0 is not supported");
    }
    if (att(p) && litmus_is(p, "("))
        return att_memory(p);
    bool memory = litmus_take(p, open);
    o = register_or_location(p, memory);
    if (memory)
        litmus_expect(p, "]");
    return o;
}

/* size: that of the mnemonic's suffix, 0 = the registers tell it. */
static struct operands operands(struct litmus_parser *p, int n, uint8_t size, const struct litmus_token *at)
{
    struct operands all = { .n = n, .size = size };
    for (int i = 0; i < n; i++) {
        if (i)
            litmus_expect(p, ",");
        struct operand o = operand(p);
        all.o[att(p) ? n - 1 - i : i] = o;
        if (o.size && all.size && o.size != all.size)
            litmus_error(p, at, "the size of a register is not that of '%.*s'", at->len, at->at);
        all.size = o.size ? o.size : all.size;
    }
    all.size = all.size ? all.size : 4;
    for (int i = 0; i < n && all.size == 4; i++)
        if (!all.o[i].memory && all.o[i].o.kind == LITMUS_VALUE)
            litmus_fit(p, at, &all.o[i].o.value);
    return all;
}

static int destination(struct litmus_parser *p, const struct operand *o, const struct litmus_token *at)
{
    if (o->memory || o->o.kind != LITMUS_REG)
        litmus_error(p, at, "the destination must be a register here");
    return o->o.index;
}

static void mov(struct litmus_parser *p, uint8_t size, const struct litmus_token *at)
{
    struct operands all = operands(p, 2, size, at);
    const struct operand *o = all.o;
    if (o[0].memory && o[1].memory)
        litmus_error(p, at, "both operands are in memory");
    struct litmus_op *n = litmus_add_op(p, o[0].memory ? LITMUS_STORE : o[1].memory ? LITMUS_LOAD : LITMUS_MOV, at);
    n->size = all.size;
    n->address = o[0].memory ? o[0].o : o[1].o;
    n->a = o[1].o;
    if (!o[0].memory)
        n->dst = destination(p, &o[0], at);
}

static struct litmus_op *atomic(struct litmus_parser *p, enum litmus_fn fn, uint8_t size,
                                struct litmus_operand address, int dst, struct litmus_operand a,
                                const struct litmus_token *at)
{
    struct litmus_op *n = litmus_add_op(p, LITMUS_RMW, at);
    n->size = size;
    n->fn = fn;
    n->sem = LITMUS_ACQ_REL;
    n->address = address;
    n->dst = dst;
    n->a = a;
    return n;
}

/* XCHG, XADD: register and memory; x86 takes the operands of XCHG in either order. */
static void exchange(struct litmus_parser *p, enum litmus_fn fn, uint8_t size, const struct litmus_token *at)
{
    struct operands all = operands(p, 2, size, at);
    const struct operand *m = &all.o[!all.o[0].memory], *r = &all.o[all.o[0].memory];
    if (!m->memory)
        litmus_error(p, at, "one operand must be in memory here");
    int dst = destination(p, r, at);
    atomic(p, fn, all.size, m->o, dst, r->o, at);
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
static void compare_exchange(struct litmus_parser *p, uint8_t size, const struct litmus_token *at)
{
    struct operands all = operands(p, 2, size, at);
    if (!all.o[0].memory || all.o[1].memory)
        litmus_error(p, at, "one operand must be in memory here, and the other one in a register");
    struct litmus_operand eax = litmus_reg_operand(litmus_register_at(p, p->thread, att(p) ? "rax" : "EAX", at));
    if (att(p))
        use_register(p, eax.index, all.size, at);
    keep(p, eax, 0, at);
    struct litmus_operand expected = litmus_reg_operand(p->kept[p->thread][0]);
    struct litmus_op *n = atomic(p, LITMUS_CAS, all.size, all.o[0].o, eax.index, expected, at);
    n->b = all.o[1].o;
    keep(p, eax, 1, at);
}

/* ADD and the like on a register, or locked on memory. */
static void arithmetic(struct litmus_parser *p, enum litmus_fn fn, bool locked, bool unary, uint8_t size,
                       const struct litmus_token *at)
{
    struct operands all = operands(p, unary ? 1 : 2, size, at);
    struct operand *o = all.o;
    if (unary)
        o[1].o = litmus_value_operand(1);
    if (o[1].memory)
        litmus_error(p, at, "an operand in memory is not supported here");
    if (o[0].memory && !locked)
        litmus_error(p, at, "an arithmetic instruction on memory without LOCK is not supported");
    if (o[0].memory) {
        if (fn == LITMUS_SUB && o[1].o.kind == LITMUS_REG)
            litmus_error(p, at, "a locked SUB of a register is not supported");
        struct litmus_operand a = o[1].o;
        a.value = fn == LITMUS_SUB ? litmus_negated(a.value) : a.value;
        atomic(p, fn == LITMUS_SUB ? LITMUS_ADD : fn, all.size, o[0].o, -1, a, at);
        return;
    }
    if (locked)
        litmus_error(p, at, "LOCK needs a destination in memory");
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

static void compare(struct litmus_parser *p, uint8_t size, const struct litmus_token *at)
{
    struct operands all = operands(p, 2, size, at);
    const struct operand *o = all.o;
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

enum form { MOVE, COMPARE, COMPARE_EXCHANGE, ARITHMETIC, UNARY, JUMP, FENCE, EXCHANGE, NOTHING };

/* A locked instruction, and XCHG, which always is, may access memory. */
static const struct row { const char *name; enum form form; int what; bool locked; } table[] = {
    { "mov", MOVE, 0, false }, { "cmp", COMPARE, 0, false }, { "cmpxchg", COMPARE_EXCHANGE, 0, true },
    { "add", ARITHMETIC, LITMUS_ADD, false }, { "sub", ARITHMETIC, LITMUS_SUB, false },
    { "and", ARITHMETIC, LITMUS_AND, false }, { "or", ARITHMETIC, LITMUS_OR, false },
    { "xor", ARITHMETIC, LITMUS_XOR, false }, { "inc", UNARY, LITMUS_ADD, false },
    { "dec", UNARY, LITMUS_SUB, false }, { "je", JUMP, LITMUS_EQ, false }, { "jz", JUMP, LITMUS_EQ, false },
    { "jne", JUMP, LITMUS_NE, false }, { "jnz", JUMP, LITMUS_NE, false }, { "jl", JUMP, LITMUS_LT, false },
    { "jle", JUMP, LITMUS_LE, false }, { "jg", JUMP, LITMUS_GT, false }, { "jge", JUMP, LITMUS_GE, false },
    { "jmp", JUMP, LITMUS_ALWAYS, false }, { "mfence", FENCE, LITMUS_SC, false },
    { "sfence", FENCE, LITMUS_ACQ_REL, false }, { "lfence", FENCE, LITMUS_ACQ_REL, false },
    { "xchg", EXCHANGE, LITMUS_EXCH, false }, { "xadd", EXCHANGE, LITMUS_ADD, true },
    { "nop", NOTHING, 0, false }, { "endbr64", NOTHING, 0, false },
};

static const struct row *find(const char *name)
{
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].name, name))
            return &table[i];
    return NULL;
}

/* The row of a mnemonic; that of AT&T may end with the size. */
static const struct row *find_sized(const struct litmus_parser *p, char name[LITMUS_NAME], uint8_t *size)
{
    const struct row *r = find(name);
    size_t n = strlen(name);
    *size = 0;
    if (r || !att(p) || n < 2 || !strchr("lq", name[n - 1]))
        return r;
    char last = name[n - 1];
    name[n - 1] = 0;
    r = find(name);
    name[n - 1] = last;
    *size = last == 'q' ? 8 : 4;
    return r && r->form != JUMP && r->form != FENCE && r->form != NOTHING ? r : NULL;
}

static bool lockable(const struct row *r)
{
    return r->form == COMPARE_EXCHANGE || r->form == ARITHMETIC || r->form == UNARY || r->form == EXCHANGE;
}

static void instruction(struct litmus_parser *p)
{
    struct litmus_token at = p->token;
    bool locked = litmus_take(p, "lock");
    char name[LITMUS_NAME];
    uint8_t size;
    if (locked)
        litmus_take(p, ";");
    litmus_text(&p->token, name);
    for (char *c = name; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    const struct row *r = find_sized(p, name, &size);
    if (!r || (r->locked && !locked) || p->token.len >= LITMUS_NAME)
        litmus_error(p, &at, "the instruction '%s' is not supported", name);
    if (locked && !lockable(r))
        litmus_error(p, &at, "'%s' cannot have LOCK", name);
    litmus_next(p);
    enum litmus_fn fn = (enum litmus_fn)r->what;
    switch (r->form) {
    case MOVE: mov(p, size, &at); break;
    case COMPARE: compare(p, size, &at); break;
    case COMPARE_EXCHANGE: compare_exchange(p, size, &at); break;
    case ARITHMETIC: arithmetic(p, fn, locked, false, size, &at); break;
    case UNARY: arithmetic(p, fn, locked, true, size, &at); break;
    case JUMP: jump(p, fn, &at); break;
    case FENCE: fence(p, (enum litmus_sem)r->what, &at); break;
    case EXCHANGE: exchange(p, fn, size, &at); break;
    case NOTHING: break;
    }
}

const struct litmus_dialect litmus_x86 = { names, NULL, reg, instruction };
const struct litmus_dialect litmus_x86_64 = { names_64, NULL, reg_64, instruction };
