/*
 * The PTX dialect: ld, st, atom, red, fence, membar, bar.sync, mov, ALU instructions, setp, branches, with names of
 * locations or registers with addresses as operands; `plus`, `minus`, `beq`, `goto` and the like are the spellings of
 * published suites. A ld or st without an order is weak, an atom or red is relaxed at gpu scope.
 */
#include "frontend/litmus/litmus_impl.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char *const names[] = { "PTX", "GPU_PTX", NULL };

/* r0, %r0, rd1, p0 */
static bool reg(const char *name, char out[LITMUS_NAME])
{
    const char *n = name + (*name == '%'), *c = n;
    if (*c != 'r' && *c != 'p')
        return false;
    while (islower((unsigned char)*c))
        c++;
    if (!isdigit((unsigned char)*c) || c - n > 2)
        return false;
    while (isdigit((unsigned char)*c))
        c++;
    snprintf(out, LITMUS_NAME, "%s", n);
    return !*c;
}

/* ---- operands ---- */

/* x, [x], r1 or [r1]: a name that is a location is one. */
static struct litmus_operand address(struct litmus_parser *p)
{
    char name[LITMUS_NAME], canonical[LITMUS_NAME];
    bool bracket = litmus_take(p, "[");
    struct litmus_token k = p->token;
    litmus_text(&k, name);
    if (k.kind != LITMUS_T_WORD || k.len >= LITMUS_NAME)
        litmus_expected(p, &k, "expected an address");
    litmus_next(p);
    if (bracket)
        litmus_expect(p, "]");
    if (litmus_find_location(p->t, name) < 0 && reg(name, canonical))
        return litmus_reg_operand(litmus_register_at(p, p->thread, canonical, &k));
    return litmus_loc_operand(litmus_location_at(p, name, &k));
}

/* ---- suffixes ---- */

struct suffixes {
    enum litmus_sem sem;
    enum litmus_scope scope;
    enum litmus_fn fn;
    uint8_t size;
    bool sem_given, scope_given, fn_given;
};

enum what { SEM, SCOPE, FN, SIZE, IGNORED };

static const struct { const char *name; enum what what; int value; } table[] = {
    { "weak", SEM, LITMUS_WEAK }, { "relaxed", SEM, LITMUS_RELAXED }, { "acquire", SEM, LITMUS_ACQUIRE },
    { "release", SEM, LITMUS_RELEASE }, { "acq_rel", SEM, LITMUS_ACQ_REL }, { "sc", SEM, LITMUS_SC },
    { "cta", SCOPE, LITMUS_CTA }, { "gpu", SCOPE, LITMUS_GPU }, { "gl", SCOPE, LITMUS_GPU },
    { "sys", SCOPE, LITMUS_SYS }, { "add", FN, LITMUS_ADD }, { "plus", FN, LITMUS_ADD }, { "minus", FN, LITMUS_SUB },
    { "sub", FN, LITMUS_SUB }, { "and", FN, LITMUS_AND }, { "or", FN, LITMUS_OR }, { "xor", FN, LITMUS_XOR },
    { "min", FN, LITMUS_MIN }, { "max", FN, LITMUS_MAX }, { "exch", FN, LITMUS_EXCH }, { "cas", FN, LITMUS_CAS },
    { "eq", FN, LITMUS_EQ }, { "ne", FN, LITMUS_NE }, { "lt", FN, LITMUS_LT }, { "le", FN, LITMUS_LE },
    { "gt", FN, LITMUS_GT }, { "ge", FN, LITMUS_GE }, { "u32", SIZE, 4 }, { "b32", SIZE, 4 }, { "s32", SIZE, 4 },
    { "u64", SIZE, 8 }, { "b64", SIZE, 8 }, { "s64", SIZE, 8 }, { "global", IGNORED, 0 }, { "ca", IGNORED, 0 },
    { "wb", IGNORED, 0 },
};

static void take_suffix(struct litmus_parser *p, struct suffixes *s, const char *name, const struct litmus_token *at)
{
    if (!strcmp(name, "volatile")) {             /* PTX ISA: as relaxed at system scope */
        s->sem = LITMUS_RELAXED;
        s->scope = LITMUS_SYS;
        s->sem_given = s->scope_given = true;
        return;
    }
    if (!strcmp(name, "cg")) {
        s->sem = s->sem_given ? s->sem : LITMUS_WEAK_CG;
        return;
    }
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
        if (strcmp(table[i].name, name))
            continue;
        switch (table[i].what) {
        case SEM: s->sem = (enum litmus_sem)table[i].value; s->sem_given = true; break;
        case SCOPE: s->scope = (enum litmus_scope)table[i].value; s->scope_given = true; break;
        case FN: s->fn = (enum litmus_fn)table[i].value; s->fn_given = true; break;
        case SIZE: s->size = (uint8_t)table[i].value; break;
        case IGNORED: break;
        }
        return;
    }
    litmus_error(p, at, "the suffix '.%s' is not supported", name);
}

static struct suffixes suffixes(struct litmus_parser *p, char *const *part, int n, const struct litmus_token *at)
{
    struct suffixes s = { .sem = LITMUS_WEAK, .scope = LITMUS_GPU, .size = 4 };
    for (int i = 1; i < n; i++)
        take_suffix(p, &s, part[i], at);
    return s;
}

static void check_order(struct litmus_parser *p, const struct suffixes *s, bool store, const struct litmus_token *at)
{
    bool strong = s->sem != LITMUS_WEAK && s->sem != LITMUS_WEAK_CG;
    if (s->fn_given || s->sem == LITMUS_ACQ_REL || s->sem == LITMUS_SC ||
        s->sem == (store ? LITMUS_ACQUIRE : LITMUS_RELEASE))
        litmus_error(p, at, "'%.*s' is no PTX instruction", at->len, at->at);
    if (strong != s->scope_given)
        litmus_error(p, at, strong ? "'%.*s' has no scope" : "'%.*s' is weak and has a scope", at->len, at->at);
}

/* ---- instructions ---- */

static struct litmus_op *access(struct litmus_parser *p, enum litmus_kind kind, const struct suffixes *s,
                                const struct litmus_token *at)
{
    struct litmus_op *o = litmus_add_op(p, kind, at);
    o->sem = s->sem;
    o->scope = s->scope;
    o->size = s->size;
    o->fn = s->fn;
    return o;
}

static void load(struct litmus_parser *p, const struct suffixes *s, const struct litmus_token *at)
{
    check_order(p, s, false, at);
    int dst = litmus_destination(p);
    litmus_expect(p, ",");
    if (p->token.kind == LITMUS_T_NUMBER) {      /* "ld r0, 1": published suites load constants so */
        struct litmus_op *m = litmus_add_op(p, LITMUS_MOV, at);
        m->dst = dst;
        m->a = litmus_value_operand(litmus_number(p));
        return;
    }
    struct litmus_operand a = address(p);
    struct litmus_op *o = access(p, LITMUS_LOAD, s, at);
    o->dst = dst;
    o->address = a;
}

static void store(struct litmus_parser *p, const struct suffixes *s, const struct litmus_token *at)
{
    check_order(p, s, true, at);
    struct litmus_operand a = address(p);
    litmus_expect(p, ",");
    struct litmus_operand v = litmus_reg_or_number(p);
    struct litmus_op *o = access(p, LITMUS_STORE, s, at);
    o->address = a;
    o->a = v;
}

/* A subtraction is the addition of the negative number. */
static void negate(struct litmus_parser *p, struct litmus_op *o, const struct litmus_token *at)
{
    if (o->a.kind != LITMUS_VALUE)
        litmus_error(p, at, "an atomic subtraction of a register is not supported");
    o->fn = LITMUS_ADD;
    o->a.value = litmus_negated(o->a.value);
}

/* PTX has no red that acquires; in published suites it is an atom whose result is dropped. */
static void atomic(struct litmus_parser *p, struct suffixes *s, bool result, const struct litmus_token *at)
{
    s->sem = s->sem_given ? s->sem : LITMUS_RELAXED;
    if (!s->fn_given || s->fn > LITMUS_CAS || s->sem == LITMUS_WEAK || s->sem == LITMUS_SC)
        litmus_error(p, at, "'%.*s' is no PTX instruction", at->len, at->at);
    int dst = -1;
    if (result) {
        dst = litmus_destination(p);
        litmus_expect(p, ",");
    }
    struct litmus_operand where = address(p);
    litmus_expect(p, ",");
    struct litmus_operand a = litmus_reg_or_number(p), b = { 0 };
    if (s->fn == LITMUS_CAS) {
        litmus_expect(p, ",");
        b = litmus_reg_or_number(p);
    }
    struct litmus_op *o = access(p, LITMUS_RMW, s, at);
    o->dst = dst;
    o->address = where;
    o->a = a;
    o->b = b;
    if (o->fn == LITMUS_SUB)
        negate(p, o, at);
}

static void fence(struct litmus_parser *p, const struct suffixes *s, bool membar, const struct litmus_token *at)
{
    if (!s->scope_given || s->fn_given)
        litmus_error(p, at, "'%.*s' has no scope", at->len, at->at);
    if (!membar && s->sem != LITMUS_SC && s->sem != LITMUS_ACQ_REL && s->sem_given)
        litmus_error(p, at, "'%.*s' is not supported", at->len, at->at);
    struct litmus_op *o = litmus_add_op(p, LITMUS_FENCE, at);
    o->scope = s->scope;
    o->sem = membar ? LITMUS_SC : s->sem_given ? s->sem : LITMUS_ACQ_REL;
}

static void barrier(struct litmus_parser *p, int n, char *const *part, const struct litmus_token *at)
{
    bool cta = n == 3 && !strcmp(part[1], "cta");
    struct litmus_token id = p->token;
    if ((n != 2 && !cta) || strcmp(part[n - 1], "sync"))
        litmus_error(p, at, "'%.*s' is not supported", at->len, at->at);
    int64_t number = litmus_number(p);
    if (number < 0 || number > 15)
        litmus_error(p, &id, "barriers are numbered from 0 to 15");
    if (litmus_is(p, ","))
        litmus_error(p, &p->token, "a barrier of some threads only is not supported; without the second operand all "
                     "threads of the block take part");
    litmus_add_op(p, LITMUS_BARRIER, at)->id = (int)number;
}

static void alu(struct litmus_parser *p, enum litmus_kind kind, enum litmus_fn fn, const struct litmus_token *at)
{
    int dst = litmus_destination(p);
    litmus_expect(p, ",");
    char name[LITMUS_NAME];
    litmus_text(&p->token, name);
    bool location = kind == LITMUS_MOV && litmus_find_location(p->t, name) >= 0;
    struct litmus_operand a = location ? address(p) : litmus_reg_or_number(p), b = { 0 };
    if (kind == LITMUS_ALU) {
        litmus_expect(p, ",");
        b = litmus_reg_or_number(p);
    }
    struct litmus_op *o = litmus_add_op(p, kind, at);
    o->fn = fn;
    o->dst = dst;
    o->a = a;
    o->b = b;
}

static void compare_and_branch(struct litmus_parser *p, enum litmus_fn fn, const struct litmus_token *at)
{
    struct litmus_operand a = litmus_reg_or_number(p);
    litmus_expect(p, ",");
    struct litmus_operand b = litmus_reg_or_number(p);
    litmus_expect(p, ",");
    litmus_add_branch(p, fn, a, b, at);
}

static void jump(struct litmus_parser *p, const struct litmus_token *at)
{
    litmus_add_branch(p, LITMUS_ALWAYS, litmus_value_operand(0), litmus_value_operand(0), at);
}

/* "@p0 bra L" */
static void predicated(struct litmus_parser *p, const struct litmus_token *at)
{
    bool negated = litmus_take(p, "!");
    struct litmus_operand o = litmus_reg_operand(litmus_destination(p));
    if (!litmus_is(p, "bra"))
        litmus_expected(p, &p->token, "only branches can have a predicate");
    litmus_next(p);
    litmus_add_branch(p, negated ? LITMUS_EQ : LITMUS_NE, o, litmus_value_operand(0), at);
}

static const struct { const char *name; enum litmus_fn fn; } plain[] = {
    { "add", LITMUS_ADD }, { "sub", LITMUS_SUB }, { "and", LITMUS_AND }, { "or", LITMUS_OR }, { "xor", LITMUS_XOR },
}, branches[] = {
    { "beq", LITMUS_EQ }, { "bne", LITMUS_NE }, { "blt", LITMUS_LT }, { "ble", LITMUS_LE }, { "bgt", LITMUS_GT },
    { "bge", LITMUS_GE },
};

/* False: none of the table. */
static bool from_tables(struct litmus_parser *p, const char *name, const struct litmus_token *at)
{
    for (unsigned i = 0; i < sizeof plain / sizeof *plain; i++)
        if (!strcmp(plain[i].name, name)) {
            alu(p, LITMUS_ALU, plain[i].fn, at);
            return true;
        }
    for (unsigned i = 0; i < sizeof branches / sizeof *branches; i++)
        if (!strcmp(branches[i].name, name)) {
            compare_and_branch(p, branches[i].fn, at);
            return true;
        }
    return false;
}

static void instruction(struct litmus_parser *p)
{
    struct litmus_token at = p->token;
    char buffer[80], *part[8];
    if (litmus_take(p, "@")) {
        predicated(p, &at);
        return;
    }
    int n = litmus_split(p, &at, buffer, part);
    litmus_next(p);
    const char *name = part[0];
    if (!strcmp(name, "bar") || !strcmp(name, "barrier")) {
        barrier(p, n, part, &at);
        return;
    }
    if (!strcmp(name, "goto") || !strcmp(name, "bra")) {
        jump(p, &at);
        return;
    }
    struct suffixes s = suffixes(p, part, n, &at);
    if (!strcmp(name, "ld"))
        load(p, &s, &at);
    else if (!strcmp(name, "st"))
        store(p, &s, &at);
    else if (!strcmp(name, "atom") || !strcmp(name, "red"))
        atomic(p, &s, *name == 'a', &at);
    else if (!strcmp(name, "fence") || !strcmp(name, "membar"))
        fence(p, &s, *name == 'm', &at);
    else if (!strcmp(name, "mov"))
        alu(p, LITMUS_MOV, LITMUS_ADD, &at);
    else if (!strcmp(name, "setp") && s.fn_given && s.fn >= LITMUS_EQ)
        alu(p, LITMUS_ALU, s.fn, &at);
    else if (!from_tables(p, name, &at))
        litmus_error(p, &at, "the instruction '%.*s' is not supported", at.len, at.at);
}

const struct litmus_dialect litmus_ptx = { names, NULL, reg, instruction };
