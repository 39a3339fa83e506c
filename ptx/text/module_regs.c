/*
 * Registers at module scope, which PTX before 3.0 allows (PTX ISA 5.1.1): a thread has one that all its functions
 * share. Each function has registers of its own for them, in a scope around its body. Where functions may call each
 * other, the value lies in a .local variable of the module: loads precede an instruction that names the register, and
 * stores follow one that writes it.
 */
#include <stdio.h>
#include <string.h>

#include "ptx/text/parser.h"

struct module_reg {
    struct module_reg *next;
    struct name *name;
    struct quals quals;
    struct node *range;              /* NULL: one register */
    struct ptx_loc loc;
};

/* ---- declarations ---- */

static const struct module_reg *find(const struct parser *p, const struct name *n)
{
    for (const struct module_reg *r = p->module_regs; r; r = r->next)
        if (r->name == n)
            return r;
    return NULL;
}

void module_reg_declare(struct parser *p, struct name *n, struct node *range, struct ptx_loc loc)
{
    const struct module_reg *old = find(p, n);
    if (p->m->version_major >= 3) {
        diag_error(p->d, loc.line, loc.col, "a register must be declared inside a function; only PTX before 3.0 has "
                   "registers at module scope");
        return;
    }
    if (old) {
        diag_error(p->d, loc.line, loc.col, "'%s' is declared twice in this scope", n->s);
        diag_note(p->d, old->loc.line, old->loc.col, "the first is here");
        return;
    }
    struct module_reg *r = arena_alloc(p->scratch, sizeof *r);
    *r = (struct module_reg){ .name = n, .quals = p->q, .loc = loc };
    if (range) {                     /* nodes live for one statement */
        r->range = arena_alloc(p->scratch, sizeof *range);
        *r->range = *range;
    }
    struct module_reg **end = &p->module_regs;
    while (*end)
        end = &(*end)->next;
    *end = r;
}

void module_regs_open(struct parser *p, struct ptx_loc loc)
{
    if (!p->module_regs)
        return;
    scope_open(p, loc);
    for (const struct module_reg *r = p->module_regs; r; r = r->next) {
        p->q = r->quals;
        declare_reg(p, r->name, r->range, r->loc);
    }
    for (size_t i = 0; i < p->nregs; i++)
        p->regs[i]->shared = true;
}

/* ---- the registers that an instruction names ---- */

enum { NAMED_MAX = 64 };
struct named { struct ptx_reg *reg[NAMED_MAX]; bool written[NAMED_MAX]; int n; };

static void add(struct named *l, struct ptx_reg *r, bool written)
{
    int i = 0;
    if (!r || !r->shared)
        return;
    while (i < l->n && l->reg[i] != r)
        i++;
    if (i == NAMED_MAX)
        return;
    l->reg[i] = r;
    l->written[i] = written || (i < l->n && l->written[i]);
    l->n += i == l->n;
}

static void add_operand(struct named *l, const struct ptx_operand *o, bool written)
{
    if (o->kind == OPD_VEC)
        for (int i = 0; i < o->n; i++)
            add_operand(l, &o->elem[i], written);
    else if (o->kind == OPD_REG)
        add(l, o->reg, written);
    else if (o->kind == OPD_MEM && o->has_reg)
        add(l, o->reg, false);
}

/* The first two operands of some opcodes are results; to store a register that is not written has no effect. */
static void collect(struct named *l, const struct ptx_inst *in)
{
    l->n = 0;
    add(l, in->guard, false);
    for (int k = 0; k < in->nopd; k++)
        add_operand(l, &in->opd[k], k < 2);
    for (int i = 0; in->call && i < in->call->narg; i++)
        add_operand(l, &in->call->arg[i], false);
    for (int i = 0; in->call && i < in->call->nret; i++)
        add_operand(l, &in->call->ret[i], true);
    if (in->call)
        add_operand(l, &in->call->target, false);
}

/* ---- their variables ---- */

static struct ptx_var *new_home(struct parser *p, const char *name, const struct ptx_reg *r)
{
    struct ptx_var *v = arena_alloc(p->arena, sizeof *v);
    struct ptx_symbol *s = arena_alloc(p->arena, sizeof *s);
    uint8_t type = r->type == T_PRED ? T_B32 : r->type;
    uint32_t bytes = (uint32_t)ptx_type_size((enum ptx_type)type);
    *v = (struct ptx_var){ .name = name, .loc = r->loc, .space = SP_LOCAL, .type = type, .vec = 1, .align = bytes,
                           .size = bytes };
    *s = (struct ptx_symbol){ .kind = SYM_VAR, .var = v };
    strmap_put(&p->m->symbols, name, strlen(name), s);
    *p->module_vars_end = v;
    p->module_vars_end = &v->next;
    return v;
}

static struct ptx_var *home_of(struct parser *p, const struct ptx_reg *r)
{
    size_t size = strlen(r->name) + sizeof "simtx_register_";
    char *name = arena_alloc(p->arena, size);
    snprintf(name, size, "simtx_register_%s", r->name);
    struct ptx_symbol *s = strmap_get(&p->m->symbols, name, size - 1);
    return s ? s->var : new_home(p, name, r);
}

/* ---- the body of a function ---- */

/* May this function be called, or call others? Functions are declared before calls of them. */
static bool has_calls(const struct parser *p)
{
    if (!p->func->is_entry)
        return true;
    for (const struct ptx_func *f = p->m->funcs; f; f = f->next)
        if (!f->is_entry)
            return true;
    return false;
}

static bool leaves(const struct ptx_inst *in)
{
    return in->op == OP_BRA || in->op == OP_BRX || in->op == OP_RET || in->op == OP_EXIT || in->op == OP_TRAP;
}

static void copy_with_accesses(struct parser *p, const struct ptx_inst *in)
{
    struct named l;
    collect(&l, in);
    for (int i = 0; i < l.n; i++)
        inst_emit_move(p, l.reg[i], home_of(p, l.reg[i]), false, in);
    *inst_append(p) = *in;
    for (int i = 0; i < l.n && !leaves(in); i++)
        if (l.written[i])
            inst_emit_move(p, l.reg[i], home_of(p, l.reg[i]), true, in);
}

/* The labels of branches and tables; tables of this function lie in `insts` from 0 on. */
static void move_labels(struct parser *p, const uint32_t *to)
{
    for (size_t i = 0; i < p->nlabels; i++)
        p->labels[i].inst = to[p->labels[i].inst];
    for (size_t i = 0; i < p->ninsts; i++) {
        struct ptx_inst *in = &p->insts[i];
        if (in->op == OP_BRA)
            in->opd[0].label = to[in->opd[0].label];
        struct ptx_table *t = in->op == OP_BRX ? in->opd[1].table : NULL;
        if (!t || t->moved)
            continue;
        t->moved = true;
        for (int k = 0; k < t->n; k++)
            t->labels[k] = to[t->labels[k]];
    }
}

void module_regs_share(struct parser *p)
{
    if (!p->module_regs || !has_calls(p) || p->d->errors)
        return;
    const struct ptx_inst *old = p->insts;
    size_t n = p->ninsts;
    uint32_t *to = arena_alloc(p->scratch, (n + 1) * sizeof *to);
    p->insts = NULL;
    p->ninsts = p->insts_cap = 0;
    for (size_t i = 0; i < n; i++) {
        to[i] = (uint32_t)p->ninsts;
        copy_with_accesses(p, &old[i]);
    }
    to[n] = (uint32_t)p->ninsts;
    move_labels(p, to);
}
