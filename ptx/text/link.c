/*
 * Linking resolves every extern function and variable to its definition in one of the modules (`def`). A strong
 * definition takes precedence over weak and common ones; two strong definitions of a name are an error. An undefined
 * symbol is an error at its first use, except the functions that the executor provides (builtin.c) and those of the
 * device runtime, which are linked as an additional module.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ptx/program/program.h"
#include "ptx/text/device_runtime.h"

/* Entries of C++ virtual tables for functions that must not be called. */
static const char *const trapping[] = { "__cxa_pure_virtual", "__cxa_deleted_virtual" };

struct linker {
    struct ptx_module **m;
    int n;
    struct diag *d;
    struct strmap exported;          /* name -> struct definition */
    struct arena *arena;
};

struct definition {
    struct ptx_func *func;           /* one of the two */
    struct ptx_var *var;
    const struct ptx_module *module;
    uint8_t linkage;
};

/* Messages name the module's file; the text for a caret line is available for one module only. */
static void message(struct linker *l, const struct ptx_module *m, struct ptx_loc loc, bool note,
                    const char *text,
                    const char *name)
{
    const char *file = l->d->file, *source = l->d->source;
    if (!file || strcmp(file, m->file))
        l->d->source = NULL;
    l->d->file = m->file;
    if (note)
        diag_note(l->d, loc.line, loc.col, "%s", text);
    else
        diag_error(l->d, loc.line, loc.col, "'%s' %s", name, text);
    l->d->file = file;
    l->d->source = source;
}

static void error(struct linker *l, const struct ptx_module *m, struct ptx_loc loc, const char *name,
                  const char *text)
{
    message(l, m, loc, false, text, name);
}

static struct ptx_loc place(const struct definition *d)
{
    return d->func ? d->func->loc : d->var->loc;
}

static void note_other(struct linker *l, const struct definition *d)
{
    message(l, d->module, place(d), true, "the other definition is here", NULL);
}

/* Precedence of a linkage: of two the higher defines the name, two of the highest are an error. */
static int rank(uint8_t linkage)
{
    return linkage == LINK_VISIBLE ? 2 : linkage == LINK_COMMON ? 1 : 0;
}

static void export_name(struct linker *l, const char *name, struct definition d)
{
    struct definition *old = strmap_get(&l->exported, name, strlen(name));
    if (!old) {
        struct definition *copy = arena_alloc(l->arena, sizeof *copy);
        *copy = d;
        strmap_put(&l->exported, name, strlen(name), copy);
        return;
    }
    if (!old->func != !d.func) {
        error(l, d.module, place(&d), name, "is a function in one module and a variable in another");
        note_other(l, old);
    } else if (rank(old->linkage) == 2 && rank(d.linkage) == 2) {
        error(l, d.module, place(&d), name, "is defined in two modules");
        note_other(l, old);
    } else if (rank(d.linkage) > rank(old->linkage) ||
               (d.linkage == LINK_COMMON && old->linkage == LINK_COMMON && d.var->size > old->var->size)) {
        *old = d;
    }
}

static bool var_is_definition(const struct ptx_var *v)
{
    return v->linkage != LINK_EXTERN && v->linkage != LINK_LOCAL;
}

static void collect(struct linker *l)
{
    for (int i = 0; i < l->n; i++) {
        for (struct ptx_func *f = l->m[i]->funcs; f; f = f->next)
            if (f->has_body && f->linkage != LINK_LOCAL)
                export_name(l, f->name, (struct definition){ .func = f, .module = l->m[i],
                                                             .linkage = f->linkage });
        for (struct ptx_var *v = l->m[i]->vars; v; v = v->next)
            if (var_is_definition(v))
                export_name(l, v->name, (struct definition){ .var = v, .module = l->m[i],
                                                             .linkage = v->linkage });
    }
}

static bool same_sizes(const struct ptx_var *a, const struct ptx_var *b)
{
    for (; a && b; a = a->next, b = b->next)
        if (a->size != b->size && !a->unsized && !b->unsized)
            return false;
    return a == b;
}

/* A chain of .alias ends at a body; a cycle has none. */
static struct ptx_func *follow_alias(struct ptx_func *f)
{
    for (int hops = 0; hops < 64 && f->def && f->def != f && !f->has_body; hops++)
        f = f->def;
    return f;
}

static bool is_one_of(const char *name, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(name, list[i]))
            return true;
    return false;
}

static void give_trapping_body(struct ptx_module *m, struct ptx_func *f)
{
    f->ninsts = 2;
    f->insts = arena_alloc(m->arena, f->ninsts * sizeof *f->insts);
    f->insts[0].op = OP_TRAP;
    f->insts[1].op = OP_RET;
    f->insts[0].loc = f->insts[1].loc = f->loc;
    f->regs = arena_alloc(m->arena, sizeof *f->regs);
    f->has_body = true;
    f->def = f;
}

/* A kernel may be declared as a function where only its address is taken. */
static void resolve_func(struct linker *l, struct ptx_module *m, struct ptx_func *f)
{
    if (f->has_body && f->linkage == LINK_LOCAL) {
        f->def = f;
        return;
    }
    if (f->def && !f->has_body) {
        struct ptx_func *end = follow_alias(f);
        f->def = end->has_body ? end : NULL;
    }
    if (f->def)
        return;
    struct definition *d = strmap_get(&l->exported, f->name, strlen(f->name));
    if (!d) {
        if (is_one_of(f->name, trapping, sizeof trapping / sizeof *trapping))
            give_trapping_body(m, f);
        return;
    }
    bool other_kind = !d->func || (f->is_entry && !d->func->is_entry);
    if (other_kind || !same_sizes(f->params, d->func->params) ||
        !same_sizes(f->rets, d->func->rets)) {
        error(l, m, f->loc, f->name, "is declared with other parameters than it is defined with");
        note_other(l, d);
        return;
    }
    f->def = d->func;
}

static void resolve_var(struct linker *l, struct ptx_module *m, struct ptx_var *v)
{
    if (v->linkage == LINK_LOCAL) {
        v->def = v;
        return;
    }
    struct definition *d = strmap_get(&l->exported, v->name, strlen(v->name));
    if (!d)
        return;
    bool sized = d->var && !v->unsized && !d->var->unsized;
    bool smaller_common = v->linkage == LINK_COMMON && d->var && v->size <= d->var->size;
    if (!d->var || d->var->space != v->space || (sized && v->size != d->var->size && !smaller_common)) {
        error(l, m, v->loc, v->name, "is declared with another type or space than it is defined with");
        note_other(l, d);
        return;
    }
    v->def = d->var;
}

/* ---- undefined symbols ---- */

static void use_func(struct linker *l, const struct ptx_module *m, struct strmap *reported,
                     const struct ptx_func *f,
                     struct ptx_loc loc)
{
    if (f->has_body || f->def || builtin_find(f->name) || strmap_get(reported, f->name, strlen(f->name)))
        return;
    strmap_put(reported, f->name, strlen(f->name), l);
    error(l, m, loc, f->name, "is declared, but no module defines this function");
}

static void use_var(struct linker *l, const struct ptx_module *m, struct strmap *reported,
                    const struct ptx_var *v,
                    struct ptx_loc loc)
{
    bool dynamic_shared = v->space == SP_SHARED && v->unsized;
    if (v->linkage != LINK_EXTERN || v->def || dynamic_shared || strmap_get(reported, v->name, strlen(v->name)))
        return;
    strmap_put(reported, v->name, strlen(v->name), l);
    error(l, m, loc, v->name, "is declared, but no module defines this variable");
}

static void use_operand(struct linker *l, const struct ptx_module *m, struct strmap *reported,
                        const struct ptx_operand *o)
{
    for (int i = 0; o->kind == OPD_VEC && i < o->n; i++)
        use_operand(l, m, reported, &o->elem[i]);
    if (o->kind == OPD_FUNC)
        use_func(l, m, reported, o->func, o->loc);
    if (o->kind == OPD_VAR || (o->kind == OPD_MEM && o->has_var))
        use_var(l, m, reported, o->var, o->loc);
}

static void refuse_kernel(struct linker *l, const struct ptx_module *m, const struct ptx_operand *target)
{
    if (target->kind == OPD_FUNC && target->func->def && target->func->def->is_entry)
        error(l, m, target->loc, target->func->name, "is a kernel of another module, which cannot be called");
}

static void check_uses(struct linker *l, const struct ptx_module *m)
{
    struct strmap reported = { 0 };
    for (const struct ptx_func *f = m->funcs; f; f = f->next)
        for (uint32_t i = 0; i < f->ninsts; i++) {
            const struct ptx_inst *in = &f->insts[i];
            for (int k = 0; k < in->nopd; k++)
                use_operand(l, m, &reported, &in->opd[k]);
            if (!in->call)
                continue;
            use_operand(l, m, &reported, &in->call->target);
            refuse_kernel(l, m, &in->call->target);
            for (int k = 0; in->call->table && in->call->table->kind == TABLE_CALL &&
                 k < in->call->table->n; k++)
                use_func(l, m, &reported, in->call->table->funcs[k], in->call->table->loc);
        }
    for (const struct ptx_var *v = m->vars; v; v = v->next)
        for (const struct ptx_reloc *r = v->relocs; r; r = r->next) {
            if (r->func)
                use_func(l, m, &reported, r->func, v->loc);
            if (r->var)
                use_var(l, m, &reported, r->var, v->loc);
        }
    strmap_free(&reported);
}

/* ---- the result ---- */

/* The symbol table of the first module gets the definitions of all modules. */
static void merge_symbols(struct linker *l)
{
    struct ptx_module *first = l->m[0];
    for (int i = 1; i < l->n; i++) {
        l->m[i - 1]->next = l->m[i];
        struct strmap *s = &l->m[i]->symbols;
        for (size_t k = 0; k < s->cap; k++)
            if (s->slots[k].key && !strmap_get(&first->symbols, s->slots[k].key, s->slots[k].len))
                strmap_put(&first->symbols, s->slots[k].key, s->slots[k].len, s->slots[k].value);
    }
    for (size_t k = 0; k < first->symbols.cap; k++) {
        struct ptx_symbol *s = first->symbols.slots[k].value;
        if (!first->symbols.slots[k].key)
            continue;
        if (s->kind == SYM_FUNC && s->func->def)
            s->func = s->func->def;
        if (s->kind == SYM_VAR && s->var->def)
            s->var = s->var->def;
    }
}

static void resolve(struct linker *l)
{
    collect(l);
    for (int i = 0; i < l->n; i++) {
        for (struct ptx_func *f = l->m[i]->funcs; f; f = f->next)
            resolve_func(l, l->m[i], f);
        for (struct ptx_var *v = l->m[i]->vars; v; v = v->next)
            resolve_var(l, l->m[i], v);
    }
    for (int i = 0; i < l->n; i++)
        check_uses(l, l->m[i]);
}

struct ptx_module *ptx_link(struct ptx_module **m, int n, struct diag *d)
{
    struct ptx_module **all = mem_alloc((size_t)n + 1, sizeof *all, "the modules of a link"), *linked = NULL;
    memcpy(all, m, (size_t)n * sizeof *all);
    all[n] = device_runtime_for(m, n, d);
    struct linker l = { .m = all, .n = n + (all[n] != NULL), .d = d, .arena = arena_new() };
    int errors = d->errors;
    resolve(&l);
    strmap_free(&l.exported);
    arena_free(l.arena);
    if (d->errors == errors) {
        merge_symbols(&l);
        linked = all[0];
    }
    for (int i = 0; i < l.n && !linked; i++)
        ptx_module_free(all[i]);
    free(all);
    return linked;
}
