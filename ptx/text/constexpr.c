/*
 * Expressions: the trees that the grammar builds, and the value of constant expressions (PTX ISA 4.5).
 * Integers are 64 bits, signed unless a literal says U or does not fit; an operation is unsigned when one
 * of its operands is. The same evaluation serves operands: a register or symbol plus a constant is an
 * address value.
 */
#include <math.h>
#include <string.h>

#include "ptx/text/parser.h"

/* ---- trees ---- */

struct node *node_new(struct parser *p, enum node_kind kind, struct ptx_loc loc)
{
    enum { PER_CHUNK = sizeof p->chunk->nodes / sizeof *p->chunk->nodes };
    if (!p->chunk || p->chunk_used == PER_CHUNK) {
        struct node_chunk *next = p->chunk ? p->chunk->next : p->chunks;
        if (!next) {
            next = arena_alloc(p->scratch, sizeof *next);
            if (p->chunk)
                p->chunk->next = next;
            else
                p->chunks = next;
        }
        p->chunk = next;
        p->chunk_used = 0;
    }
    struct node *n = &p->chunk->nodes[p->chunk_used++];
    memset(n, 0, sizeof *n);
    n->kind = (uint8_t)kind;
    n->loc = loc;
    return n;
}

void nodes_reset(struct parser *p)
{
    p->chunk = p->chunks;
    p->chunk_used = 0;
}

static void set_depth(struct parser *p, struct node *n, unsigned inner)
{
    n->depth = (uint16_t)(inner + 1);
    if (n->depth <= PARSE_MAX_DEPTH)
        return;
    if (n->depth == PARSE_MAX_DEPTH + 1)
        diag_error(p->d, n->loc.line, n->loc.col, "expression is nested more than %d deep", PARSE_MAX_DEPTH);
    n->kind = NODE_BAD;             /* drops what is inside, so that no tree is deeper than the limit */
    n->depth = PARSE_MAX_DEPTH + 1;
}

struct node *node_op(struct parser *p, int op, struct node *a, struct node *b, struct ptx_loc loc)
{
    struct node *n = node_new(p, b ? NODE_BINARY : NODE_UNARY, loc);
    n->op = (uint16_t)op;
    n->kid[0] = a;
    n->kid[1] = b;
    set_depth(p, n, b && b->depth > a->depth ? b->depth : a->depth);
    return n;
}

struct node *node_list(struct parser *p, enum node_kind kind, struct list l, struct ptx_loc loc)
{
    struct node *n = node_new(p, kind, loc);
    n->first = l.first;
    n->n = l.n;
    set_depth(p, n, l.depth);
    return n;
}

struct list node_list_add(struct list l, struct node *n)
{
    if (l.last)
        l.last->next = n;
    else
        l.first = n;
    l.last = n;
    l.n++;
    if (n->depth > l.depth)
        l.depth = n->depth;
    return l;
}

/* ---- values ---- */

static struct value bad(void)
{
    return (struct value){ .kind = VALUE_BAD };
}

static struct value fail(struct parser *p, const struct node *n, const char *msg)
{
    diag_error(p->d, n->loc.line, n->loc.col, "%s", msg);
    return bad();
}

static struct value int_value(uint64_t u, bool is_unsigned)
{
    return (struct value){ .kind = VALUE_INT, .u = u, .is_unsigned = is_unsigned };
}

static struct value float_value(double f)
{
    struct value v = { .kind = VALUE_FLOAT, .f = f };
    memcpy(&v.u, &f, 8);
    return v;
}

static struct value literal_float(const struct node *n)
{
    struct value v = { .kind = VALUE_FLOAT, .u = n->u, .is_f32 = n->is_f32, .hex = n->hex };
    if (n->is_f32) {
        uint32_t bits = (uint32_t)n->u;
        float f;
        memcpy(&f, &bits, 4);
        v.f = (double)f;
    } else {
        memcpy(&v.f, &n->u, 8);
    }
    return v;
}

static struct value unknown_name(struct parser *p, const struct node *n)
{
    char hint[300];
    diag_error(p->d, n->loc.line, n->loc.col, "undefined name '%s'%s", n->name->s,
               name_hint(p, n->name, hint, sizeof hint));
    return bad();
}

static struct value sreg_value(struct parser *p, const struct node *n)
{
    static const bool vector[SR_COUNT] = {
#define X(e, s, t, v) [SR_##e] = v,
        PTX_SREGS(X)
#undef X
    };
    struct value v = { .kind = VALUE_SREG, .sreg = n->name->sreg, .u = n->name->sreg_index };
    if (n->suffix) {
        if (!vector[v.sreg] || !n->suffix->comp)
            return fail(p, n, "special register has no such component");
        v.comp = n->suffix->comp;
    } else if (vector[v.sreg]) {
        return fail(p, n, "special register needs a component .x, .y or .z");
    }
    return v;
}

static struct value vector_register(struct parser *p, const struct node *n, const struct binding *b)
{
    if (!n->suffix)
        return (struct value){ .kind = VALUE_VECREG, .vec = b };
    if (!n->suffix->comp || n->suffix->comp > b->n)
        return fail(p, n, "vector register has no such component");
    return (struct value){ .kind = VALUE_ADDR, .reg = b->vec[n->suffix->comp - 1] };
}

static struct value eval_name(struct parser *p, const struct node *n)
{
    struct name *name = n->name;
    if (name->len == 1 && name->s[0] == '_')
        return (struct value){ .kind = VALUE_SINK };
    struct binding *b = name_lookup(p, name);
    if (!b) {
        if (name->sreg)
            return sreg_value(p, n);
        if (name->len == 7 && !memcmp(name->s, "WARP_SZ", 7))
            return int_value(32, false);
        return unknown_name(p, n);
    }
    if (b->kind == BIND_VECREG)
        return vector_register(p, n, b);
    if (n->suffix)
        return fail(p, n,
                    b->kind == BIND_REG ? "a scalar register has no components"
                        : "unexpected word after a symbol");
    switch (b->kind) {
    case BIND_REG: return (struct value){ .kind = VALUE_ADDR, .reg = b->reg };
    case BIND_VAR: return (struct value){ .kind = VALUE_ADDR, .var = b->var };
    case BIND_FUNC: return (struct value){ .kind = VALUE_ADDR, .func = b->func };
    default: return (struct value){ .kind = VALUE_TABLE, .table = b->table };
    }
}

static double as_double(const struct value *v)
{
    if (v->kind == VALUE_FLOAT)
        return v->f;
    return v->is_unsigned ? (double)v->u : (double)(int64_t)v->u;
}

static bool is_true(const struct value *v)
{
    return v->kind == VALUE_FLOAT ? v->f != 0 : v->u != 0;
}

static struct value float_op(struct parser *p, const struct node *n, double a, double b)
{
    switch (n->op) {
    case '+': return float_value(a + b);
    case '-': return float_value(a - b);
    case '*': return float_value(a * b);
    case '/': return float_value(a / b);
    case '<': return int_value(a < b, false);
    case '>': return int_value(a > b, false);
    case NODE_OP_LE: return int_value(a <= b, false);
    case NODE_OP_GE: return int_value(a >= b, false);
    case NODE_OP_EQ: return int_value(a == b, false);
    case NODE_OP_NE: return int_value(a != b, false);
    default: return fail(p, n, "this operator is not for floating-point constants");
    }
}

static struct value divide(struct parser *p, const struct node *n, uint64_t a, uint64_t b, bool u)
{
    if (b == 0)
        return fail(p, n, "division by zero in a constant expression");
    if (u)
        return int_value(n->op == '/' ? a / b : a % b, true);
    if (b == UINT64_MAX)         /* by -1: no overflow trap */
        return int_value(n->op == '/' ? 0 - a : 0, false);
    int64_t sa = (int64_t)a, sb = (int64_t)b;
    return int_value((uint64_t)(n->op == '/' ? sa / sb : sa % sb), false);
}

static struct value compare(int op, uint64_t a, uint64_t b, bool u)
{
    int order = u ? (a > b) - (a < b) : ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b);
    switch (op) {
    case '<': return int_value(order < 0, false);
    case '>': return int_value(order > 0, false);
    case NODE_OP_LE: return int_value(order <= 0, false);
    case NODE_OP_GE: return int_value(order >= 0, false);
    case NODE_OP_EQ: return int_value(order == 0, false);
    default: return int_value(order != 0, false);
    }
}

static struct value shift(int op, const struct value *a, uint64_t by)
{
    if (op == NODE_OP_SHL)
        return int_value(by > 63 ? 0 : a->u << by, a->is_unsigned);
    if (a->is_unsigned)
        return int_value(by > 63 ? 0 : a->u >> by, true);
    return int_value((uint64_t)((int64_t)a->u >> (by > 63 ? 63 : by)), false);
}

static struct value int_op(struct parser *p, const struct node *n, const struct value *a,
                           const struct value *b)
{
    bool u = a->is_unsigned || b->is_unsigned;
    switch (n->op) {
    case '+': return int_value(a->u + b->u, u);
    case '-': return int_value(a->u - b->u, u);
    case '*': return int_value(a->u * b->u, u);
    case '/': case '%': return divide(p, n, a->u, b->u, u);
    case '&': return int_value(a->u & b->u, u);
    case '|': return int_value(a->u | b->u, u);
    case '^': return int_value(a->u ^ b->u, u);
    case NODE_OP_SHL: case NODE_OP_SHR: return shift(n->op, a, b->u);
    case NODE_OP_AND: return int_value(a->u && b->u, false);
    case NODE_OP_OR: return int_value(a->u || b->u, false);
    default: return compare(n->op, a->u, b->u, u);
    }
}

/* symbol + constant, register + constant, symbol + register */
static struct value address_op(struct parser *p, const struct node *n, const struct value *a,
                               const struct value *b)
{
    struct value v = *a;
    bool minus = n->op == '-';
    bool both = a->kind == VALUE_ADDR && b->kind == VALUE_ADDR;
    if ((n->op != '+' && !minus) || (minus && b->kind == VALUE_ADDR))
        return fail(p, n, "an address takes only + and - of a constant");
    if (a->kind == VALUE_INT || (both && a->reg))
        v = *b;
    const struct value *other = a->kind == VALUE_INT || (both && a->reg) ? a : b;
    if (both) {
        bool fits = v.var && !v.reg && other->reg && !other->var && !v.generic && !v.mask;
        if (!fits)
            return fail(p, n, "an address has at most one symbol and one register");
        v.reg = other->reg;
    } else if (other->kind != VALUE_INT) {
        return fail(p, n, "an address offset must be an integer constant");
    }
    v.u = minus ? v.u - other->u : v.u + other->u;
    return v;
}

static struct value eval_binary(struct parser *p, const struct node *n)
{
    struct value a = node_eval(p, n->kid[0]), b = node_eval(p, n->kid[1]);
    if (a.kind == VALUE_BAD || b.kind == VALUE_BAD)
        return bad();
    if (a.kind == VALUE_ADDR || b.kind == VALUE_ADDR)
        return address_op(p, n, &a, &b);
    if ((a.kind != VALUE_INT && a.kind != VALUE_FLOAT) || (b.kind != VALUE_INT && b.kind != VALUE_FLOAT))
        return fail(p, n, "this is not a constant expression");
    if (a.kind == VALUE_FLOAT || b.kind == VALUE_FLOAT)
        return float_op(p, n, as_double(&a), as_double(&b));
    return int_op(p, n, &a, &b);
}

static struct value eval_unary(struct parser *p, const struct node *n)
{
    struct value a = node_eval(p, n->kid[0]);
    if (a.kind == VALUE_BAD)
        return a;
    if (a.kind == VALUE_FLOAT && n->op == '-') {
        a.f = -a.f;
        a.u ^= a.is_f32 ? 1ull << 31 : 1ull << 63;
        return a;
    }
    if (a.kind == VALUE_FLOAT && (n->op == '+' || n->op == '!'))
        return n->op == '+' ? a : int_value(a.f == 0, false);
    if (a.kind != VALUE_INT)
        return fail(p, n, "this operator takes a constant");
    switch (n->op) {
    case '-': return int_value(0 - a.u, a.is_unsigned && a.u != 1ull << 63);
    case '~': return int_value(~a.u, a.is_unsigned);
    case '!': return int_value(!a.u, false);
    default: return a;
    }
}

static struct value eval_cast(struct parser *p, const struct node *n)
{
    struct value a = node_eval(p, n->kid[0]);
    if (a.kind == VALUE_BAD)
        return a;
    if (n->op == T_F64 && (a.kind == VALUE_INT || a.kind == VALUE_FLOAT))
        return float_value(as_double(&a));
    if (n->op != T_S64 && n->op != T_U64)
        return fail(p, n, "a cast in a constant expression is to .s64, .u64 or .f64");
    if (a.kind == VALUE_FLOAT) {
        if (!(fabs(a.f) < 0x1p63))
            return fail(p, n, "value does not fit 64 bits");
        return int_value((uint64_t)(int64_t)a.f, n->op == T_U64);
    }
    if (a.kind != VALUE_INT)
        return fail(p, n, "this is not a constant expression");
    return int_value(a.u, n->op == T_U64);
}

static struct value eval_apply(struct parser *p, const struct node *n)
{
    if (n->n != 1)
        return fail(p, n, "one operand is expected in the parentheses");
    struct value v = node_eval(p, n->first);
    if (v.kind == VALUE_BAD)
        return v;
    if (v.kind != VALUE_ADDR || v.reg)
        return fail(p, n, "a symbol is expected in the parentheses");
    if (n->kind == NODE_MASK) {
        v.mask = n->mask;
        return v;
    }
    if (strcmp(n->name->s, "generic"))
        return fail(p, n, "only generic(symbol) is known here");
    v.generic = true;
    return v;
}

/* name[constant]: the address of an element of an array. */
static struct value eval_subscript(struct parser *p, const struct node *n)
{
    struct binding *b = name_lookup(p, n->name);
    if (!b)
        return unknown_name(p, n);
    if (b->kind != BIND_VAR || n->n != 1)
        return fail(p, n, "only a variable takes one subscript");
    struct value i = node_eval(p, n->first);
    if (i.kind == VALUE_BAD)
        return i;
    if (i.kind != VALUE_INT)
        return fail(p, n, "a subscript must be a constant");
    struct value v = { .kind = VALUE_ADDR, .var = b->var };
    v.u = i.u * (uint64_t)ptx_type_size((enum ptx_type)b->var->type) * b->var->vec;
    return v;
}

struct value node_eval(struct parser *p, const struct node *n)
{
    switch (n->kind) {
    case NODE_NAME: return eval_name(p, n);
    case NODE_INT: return int_value(n->u, n->is_unsigned);
    case NODE_FLOAT: return literal_float(n);
    case NODE_UNARY: return eval_unary(p, n);
    case NODE_BINARY: return eval_binary(p, n);
    case NODE_CAST: return eval_cast(p, n);
    case NODE_APPLY: case NODE_MASK: return eval_apply(p, n);
    case NODE_SUBSCRIPT: return eval_subscript(p, n);
    case NODE_COND: {
        struct value c = node_eval(p, n->kid[0]);
        if (c.kind != VALUE_BAD && c.kind != VALUE_INT && c.kind != VALUE_FLOAT)
            return fail(p, n, "this is not a constant expression");
        return c.kind == VALUE_BAD ? c : node_eval(p, n->kid[is_true(&c) ? 1 : 2]);
    }
    case NODE_LIST:
        if (n->n == 1)
            return node_eval(p, n->first);
        return fail(p, n, "a list in parentheses is not expected here");
    case NODE_BAD: return bad();
    default: return fail(p, n, "a value is expected here");
    }
}

bool node_eval_int(struct parser *p, const struct node *n, int64_t *out, const char *what)
{
    struct value v = node_eval(p, n);
    if (v.kind != VALUE_BAD && v.kind != VALUE_INT)
        diag_error(p->d, n->loc.line, n->loc.col, "%s must be an integer constant", what);
    *out = (int64_t)v.u;
    return v.kind == VALUE_INT;
}
