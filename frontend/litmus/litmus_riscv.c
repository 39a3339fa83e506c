/*
 * The RISC-V dialect: loads and stores of words and doublewords, their .aq and .rl, AMOs, lr and sc, fences, ALU
 * instructions, branches. Accesses are relaxed, .aq is .acquire, .rl .release, both .acq_rel. Every fence is fence.sc,
 * fence.i included: fence.acq_rel only orders with a matching acquire or release pattern of another thread, while
 * `fence w,w` alone forbids 2+2W. sc is a compare-and-swap with the value that lr has read.
 */
#include "frontend/litmus/litmus_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = { "RISCV", NULL };

static const char *const abi[] = {
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5",
    "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"
};

static bool reg(const char *name, char out[LITMUS_NAME])
{
    char *end;
    for (int i = 0; i < 32; i++)
        if (!strcmp(name, abi[i])) {
            snprintf(out, LITMUS_NAME, "x%d", i);
            return true;
        }
    if (name[0] != 'x' || name[1] < '0' || name[1] > '9' || strtoul(name + 1, &end, 10) > 31 || *end)
        return false;
    snprintf(out, LITMUS_NAME, "%s", name);
    return true;
}

/* "0(x6)" or "(x6)" */
static struct litmus_operand address(struct litmus_parser *p)
{
    struct litmus_token k = p->token;
    if (!litmus_is(p, "(") && litmus_number(p))
        litmus_error(p, &k, "an offset other than 0 is not supported");
    litmus_expect(p, "(");
    k = p->token;
    struct litmus_operand o = litmus_reg_or_number(p);
    if (o.kind != LITMUS_REG)
        litmus_error(p, &k, "expected a register with an address");
    litmus_expect(p, ")");
    return o;
}

/* ---- memory ---- */

static uint8_t width(struct litmus_parser *p, const char *text, const struct litmus_token *at)
{
    if (!strcmp(text, "w"))
        return 4;
    if (!strcmp(text, "d"))
        return 8;
    litmus_error(p, at, "accesses of type '%s' are not supported", text);
}

static enum litmus_sem order(struct litmus_parser *p, char *const *part, int n, const struct litmus_token *at)
{
    bool aq = false, rl = false;
    for (int i = 0; i < n; i++) {
        bool both = !strcmp(part[i], "aqrl");
        if (!both && strcmp(part[i], "aq") && strcmp(part[i], "rl"))
            litmus_error(p, at, "the suffix '.%s' is not supported", part[i]);
        aq |= both || part[i][0] == 'a';
        rl |= both || part[i][0] == 'r';
    }
    return aq && rl ? LITMUS_ACQ_REL : aq ? LITMUS_ACQUIRE : rl ? LITMUS_RELEASE : LITMUS_RELAXED;
}

/* An acquire is no order of a store, nor a release of a load: a fence beside the access does at least as much. */
static void fence_beside(struct litmus_parser *p, enum litmus_sem sem, bool store, bool before,
                         const struct litmus_token *at)
{
    bool fits = sem == LITMUS_RELAXED || sem == (store ? LITMUS_RELEASE : LITMUS_ACQUIRE);
    bool wanted = before ? sem != LITMUS_ACQUIRE : sem != LITMUS_RELEASE;
    if (!fits && wanted)
        litmus_add_op(p, LITMUS_FENCE, at)->sem = LITMUS_SC;
}

static void load(struct litmus_parser *p, uint8_t size, enum litmus_sem sem, const struct litmus_token *at)
{
    int dst = litmus_destination(p);
    litmus_expect(p, ",");
    struct litmus_operand a = address(p);
    fence_beside(p, sem, false, true, at);
    struct litmus_op *o = litmus_add_op(p, LITMUS_LOAD, at);
    *o = (struct litmus_op){ .kind = LITMUS_LOAD, .dst = dst, .address = a, .size = size,
                             .sem = sem == LITMUS_RELAXED ? LITMUS_RELAXED : LITMUS_ACQUIRE, .scope = LITMUS_GPU,
                             .line = at->line, .col = at->col };
    fence_beside(p, sem, false, false, at);
}

static void store(struct litmus_parser *p, uint8_t size, enum litmus_sem sem, const struct litmus_token *at)
{
    struct litmus_operand value = litmus_reg_or_number(p);
    litmus_expect(p, ",");
    struct litmus_operand a = address(p);
    fence_beside(p, sem, true, true, at);
    struct litmus_op *o = litmus_add_op(p, LITMUS_STORE, at);
    o->a = value;
    o->address = a;
    o->size = size;
    o->sem = sem == LITMUS_RELAXED ? LITMUS_RELAXED : LITMUS_RELEASE;
    fence_beside(p, sem, true, false, at);
}

static struct litmus_op *atomic(struct litmus_parser *p, enum litmus_fn fn, uint8_t size, enum litmus_sem sem,
                                const struct litmus_token *at)
{
    struct litmus_op *o = litmus_add_op(p, LITMUS_RMW, at);
    o->fn = fn;
    o->size = size;
    o->sem = sem;
    return o;
}

static void amo(struct litmus_parser *p, const char *what, uint8_t size, enum litmus_sem sem,
                const struct litmus_token *at)
{
    static const struct { const char *name; enum litmus_fn fn; } table[] = {
        { "add", LITMUS_ADD }, { "and", LITMUS_AND }, { "or", LITMUS_OR }, { "xor", LITMUS_XOR },
        { "min", LITMUS_MIN }, { "max", LITMUS_MAX }, { "swap", LITMUS_EXCH },
    };
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
        if (strcmp(what, table[i].name))
            continue;
        int dst = litmus_destination(p);
        litmus_expect(p, ",");
        struct litmus_operand value = litmus_reg_or_number(p);
        litmus_expect(p, ",");
        struct litmus_operand a = address(p);
        struct litmus_op *o = atomic(p, table[i].fn, size, sem, at);
        o->dst = dst;
        o->a = value;
        o->address = a;
        return;
    }
    litmus_error(p, at, "the instruction 'amo%s' is not supported", what);
}

static void copy(struct litmus_parser *p, int dst, struct litmus_operand a, const struct litmus_token *at)
{
    struct litmus_op *o = litmus_add_op(p, LITMUS_MOV, at);
    o->dst = dst;
    o->a = a;
}

/* The value goes through a hidden register, so that sc can compare with it whatever becomes of the other one. */
static void load_reserved(struct litmus_parser *p, uint8_t size, enum litmus_sem sem, const struct litmus_token *at)
{
    int *kept = p->kept[p->thread];
    struct litmus_thread *t = &p->t->thread[p->thread];
    int first = t->nops;
    load(p, size, sem, at);
    while (t->op[first].kind != LITMUS_LOAD)
        first++;
    int dst = t->op[first].dst;
    if (kept[0] < 0)
        kept[0] = litmus_hidden_register(p, at);
    kept[1] = t->op[first].address.index;
    if (dst == kept[1])
        litmus_error(p, at, "lr to its own address register is not supported");
    t->op[first].dst = kept[0];
    if (dst >= 0)
        copy(p, dst, litmus_reg_operand(kept[0]), at);
}

/* The address must be that of the lr before it, unchanged. */
static void check_reservation(struct litmus_parser *p, struct litmus_operand a, const struct litmus_token *at)
{
    const int *kept = p->kept[p->thread];
    const struct litmus_thread *t = &p->t->thread[p->thread];
    if (kept[0] < 0)
        litmus_error(p, at, "sc without an lr before it is not supported");
    if (a.index != kept[1])
        litmus_error(p, at, "sc with another address register than the lr before it is not supported");
    for (int i = t->nops - 1; i >= 0 && t->op[i].dst != kept[0]; i--)
        if (t->op[i].dst == kept[1])
            litmus_error(p, at, "the address register changes between lr and sc: not supported");
}

/* dst = 0 on success, else 1. The reservation ends: another sc before the next lr fails. */
static void store_conditional(struct litmus_parser *p, uint8_t size, enum litmus_sem sem,
                              const struct litmus_token *at)
{
    int *kept = p->kept[p->thread];
    int dst = litmus_destination(p);
    litmus_expect(p, ",");
    struct litmus_operand value = litmus_reg_or_number(p);
    litmus_expect(p, ",");
    struct litmus_operand a = address(p);
    if (kept[0] >= 0 && kept[1] < 0) {
        if (dst >= 0)
            copy(p, dst, litmus_value_operand(1), at);
        return;
    }
    check_reservation(p, a, at);
    kept[1] = -1;
    int old = litmus_hidden_register(p, at);
    struct litmus_op *o = atomic(p, LITMUS_CAS, size, sem, at);
    o->dst = old;
    o->address = a;
    o->a = litmus_reg_operand(kept[0]);
    o->b = value;
    if (dst < 0)
        return;
    struct litmus_op *n = litmus_add_op(p, LITMUS_ALU, at);
    n->fn = LITMUS_NE;
    n->dst = dst;
    n->a = litmus_reg_operand(old);
    n->b = litmus_reg_operand(kept[0]);
}

/* ---- others ---- */

static bool accesses_of_fence(const struct litmus_token *t)
{
    for (int i = 0; i < t->len; i++)                         /* the text may end with the token */
        if (!memchr("iorw", t->at[i], 4))
            return false;
    return true;
}

static void fence(struct litmus_parser *p, int n, char *const *part, const struct litmus_token *at)
{
    if (n == 2 && strcmp(part[1], "tso") != 0 && strcmp(part[1], "i") != 0)
        litmus_error(p, at, "the instruction 'fence.%s' is not supported", part[1]);
    while (n == 1 && p->token.kind == LITMUS_T_WORD) {
        if (!accesses_of_fence(&p->token))
            litmus_expected(p, &p->token, "expected r, w or rw");
        litmus_next(p);
        if (!litmus_take(p, ","))
            break;
    }
    litmus_add_op(p, LITMUS_FENCE, at)->sem = LITMUS_SC;
}

static void alu(struct litmus_parser *p, enum litmus_fn fn, const struct litmus_token *at)
{
    int dst = litmus_destination(p);
    litmus_expect(p, ",");
    struct litmus_operand a = litmus_reg_or_number(p);
    litmus_expect(p, ",");
    struct litmus_operand b = litmus_reg_or_number(p);
    if (dst < 0)
        return;
    struct litmus_op *o = litmus_add_op(p, LITMUS_ALU, at);
    o->fn = fn;
    o->dst = dst;
    o->a = a;
    o->b = b;
}

static void move(struct litmus_parser *p, const struct litmus_token *at)
{
    int dst = litmus_destination(p);
    litmus_expect(p, ",");
    struct litmus_operand a = litmus_reg_or_number(p);
    if (dst >= 0)
        copy(p, dst, a, at);
}

static void branch(struct litmus_parser *p, enum litmus_fn fn, bool zero, const struct litmus_token *at)
{
    struct litmus_operand a = litmus_value_operand(0), b = a;
    if (fn != LITMUS_ALWAYS) {
        a = litmus_reg_or_number(p);
        litmus_expect(p, ",");
        if (!zero) {
            b = litmus_reg_or_number(p);
            litmus_expect(p, ",");
        }
    }
    litmus_add_branch(p, fn, a, b, at);
}

static const struct { const char *name; enum { ALU, MOVE, BRANCH, BRANCH_ZERO } form; enum litmus_fn fn; } table[] = {
    { "add", ALU, LITMUS_ADD }, { "addi", ALU, LITMUS_ADD }, { "sub", ALU, LITMUS_SUB }, { "and", ALU, LITMUS_AND },
    { "andi", ALU, LITMUS_AND }, { "or", ALU, LITMUS_OR }, { "ori", ALU, LITMUS_OR }, { "xor", ALU, LITMUS_XOR },
    { "xori", ALU, LITMUS_XOR }, { "li", MOVE, 0 }, { "mv", MOVE, 0 }, { "beq", BRANCH, LITMUS_EQ },
    { "bne", BRANCH, LITMUS_NE }, { "blt", BRANCH, LITMUS_LT }, { "bge", BRANCH, LITMUS_GE },
    { "beqz", BRANCH_ZERO, LITMUS_EQ }, { "bnez", BRANCH_ZERO, LITMUS_NE }, { "j", BRANCH, LITMUS_ALWAYS },
};

/* False: not an instruction of the table. */
static bool plain(struct litmus_parser *p, const char *name, const struct litmus_token *at)
{
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
        if (strcmp(table[i].name, name))
            continue;
        switch (table[i].form) {
        case ALU: alu(p, table[i].fn, at); break;
        case MOVE: move(p, at); break;
        default: branch(p, table[i].fn, table[i].form == BRANCH_ZERO, at);
        }
        return true;
    }
    return false;
}

static void memory(struct litmus_parser *p, int n, char *const *part, const struct litmus_token *at)
{
    bool short_load = !strcmp(part[0], "lw") || !strcmp(part[0], "ld");
    bool short_store = !strcmp(part[0], "sw") || !strcmp(part[0], "sd");
    if (short_load || short_store) {
        uint8_t size = width(p, part[0] + 1, at);
        enum litmus_sem sem = order(p, part + 1, n - 1, at);
        if (short_load)
            load(p, size, sem, at);
        else
            store(p, size, sem, at);
        return;
    }
    bool sync = !strncmp(part[0], "amo", 3) || !strcmp(part[0], "lr") || !strcmp(part[0], "sc");
    if (!sync || n < 2)
        litmus_error(p, at, "the instruction '%s' is not supported", part[0]);
    uint8_t size = width(p, part[1], at);
    enum litmus_sem sem = order(p, part + 2, n - 2, at);
    if (part[0][0] == 'a')
        amo(p, part[0] + 3, size, sem, at);
    else if (part[0][0] == 'l')
        load_reserved(p, size, sem, at);
    else
        store_conditional(p, size, sem, at);
}

static void instruction(struct litmus_parser *p)
{
    struct litmus_token at = p->token;
    char buffer[80], *part[8];
    int n = litmus_split(p, &at, buffer, part);
    litmus_next(p);
    if (!strcmp(part[0], "fence"))
        fence(p, n, part, &at);
    else if (n == 1 && !strcmp(part[0], "nop"))
        return;
    else if (n > 1 || !plain(p, part[0], &at))
        memory(p, n, part, &at);
}

const struct litmus_dialect litmus_riscv = { names, "x0", reg, instruction };
