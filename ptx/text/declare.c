/*
 * Declarations of registers, variables and parameters (PTX ISA 5.1, 5.2, 5.4): qualifiers in any order,
 * arrays, vectors, ranges, alignment and linkage.
 */
#include <stdio.h>
#include <string.h>

#include "ptx/text/parser.h"

enum { MAX_DIMS = 15 };
static const uint64_t max_bytes = 1ull << 40;
static const uint64_t max_align = 1u << 16;

void decl_quals_start(struct parser *p, struct name *space, struct ptx_loc loc)
{
    p->q = (struct quals){ .loc = loc, .vec = 1, .space = space->space };
    p->q.is_reg = space->space == 0;     /* .reg is no state space of the grammar */
    if (p->q.space == SP_SREG) {
        diag_error(p->d, loc.line, loc.col, ".sreg variables cannot be declared");
        p->q.bad = true;
    }
}

void decl_quals_word(struct parser *p, struct name *n, struct ptx_loc loc)
{
    struct quals *q = &p->q;
    if (!strcmp(n->s, ".ptr")) {
        q->ptr = true;
    } else if (n->space && q->ptr) {
        /* what the pointer points to; nothing depends on it */
    } else if (n->type == T_U4 || n->type == T_S4 || n->type == T_U2 || n->type == T_S2 ||
               n->type == T_E4M3X2 || n->type == T_E5M2X2 || n->type == T_E4M3 || n->type == T_E5M2) {
        diag_error(p->d, loc.line, loc.col, "'%s' is a type of cvt or mma alone; a register for it is .b16 or .b32",
                   n->s);
        q->bad = true;
    } else if (n->type == T_B1024) {
        diag_error(p->d, loc.line, loc.col, "'%s' is a type of tensormap.replace alone", n->s);
        q->bad = true;
    } else if (n->type && !q->type) {
        q->type = n->type;
    } else if (n->vec && q->vec == 1 && n->vec <= 4) {
        q->vec = n->vec;
    } else {
        const char *near = n->type || n->vec || n->space ? NULL : name_nearest_dotted(p, n->s, true);
        if (near)
            diag_error(p->d, loc.line, loc.col, "'%s' is no type; did you mean '%s'?", n->s, near);
        else
            diag_error(p->d, loc.line, loc.col, "'%s' cannot stand in this declaration", n->s);
        q->bad = true;
    }
}

void decl_quals_align(struct parser *p, struct node *n)
{
    if (p->q.ptr)
        return;                  /* alignment of what the pointer points to */
    if (n->u == 0 || (n->u & (n->u - 1)) || n->u > max_align)
        diag_error(p->d, n->loc.line, n->loc.col, "alignment must be a power of two, at most %u",
                   (unsigned)max_align);
    else
        p->q.align = n->u;
}

void decl_quals_attribute(struct parser *p, struct name *n, struct ptx_loc loc)
{
    if (!strcmp(n->s, ".managed"))
        p->q.managed = true;
    else if (strcmp(n->s, ".unified"))
        diag_error(p->d, loc.line, loc.col, "unknown attribute '%s'", n->s);
}

static bool decl_quals_ok(struct parser *p, struct ptx_loc loc)
{
    if (!p->q.bad && !p->q.type) {
        diag_error(p->d, loc.line, loc.col, "declaration without a type, such as .b32");
        p->q.bad = true;
    }
    return !p->q.bad;
}

/* ---- registers ---- */

static void declare_reg_range(struct parser *p, struct name *n, uint64_t count, struct ptx_loc loc)
{
    if (count > PARSE_MAX_REG_RANGE) {
        diag_error(p->d, loc.line, loc.col, "range of %llu registers is too large (limit %d)",
                   (unsigned long long)count, PARSE_MAX_REG_RANGE);
        return;
    }
    if (n->range && n->range->depth == p->depth) {
        diag_error(p->d, loc.line, loc.col, "'%s<..>' is declared twice in this scope", n->s);
        return;
    }
    struct range *r = arena_alloc(p->scratch, sizeof *r);
    *r = (struct range){ .outer = n->range, .in_scope = p->scopes[p->depth].ranges, .name = n,
                         .depth = p->depth,
                         .count = (uint32_t)count, .type = p->q.type, .vec = p->q.vec > 1 ? p->q.vec : 0,
                         .loc = loc };
    p->scopes[p->depth].ranges = r;
    n->range = r;
    p->nested_ranges += p->depth > 1;
}

/* Registers of the components of a vector register. */
static void bind_components(struct parser *p, struct binding *b, int n, enum ptx_type type, struct ptx_loc loc)
{
    b->n = n;
    b->vec = arena_alloc(p->scratch, (size_t)n * sizeof *b->vec);
    for (int i = 0; i < n; i++) {
        char *name = arena_alloc(p->arena, b->name->len + 3);
        memcpy(name, b->name->s, b->name->len);
        name[b->name->len] = '.';
        name[b->name->len + 1] = "xyzw"[i];
        b->vec[i] = reg_new(p, name, type, loc);
    }
}

void declare_reg_param(struct parser *p, struct reg_param *r)
{
    const struct ptx_var *v = r->var;
    struct binding *b = name_bind(p, r->name, v->vec > 1 ? BIND_VECREG : BIND_REG, v->loc);
    enum ptx_type type = r->is_predicate ? T_PRED : (enum ptx_type)v->type;
    if (b && v->vec > 1)
        bind_components(p, b, v->vec, type, v->loc);
    else if (b)
        b->reg = reg_new(p, r->name->s, type, v->loc);
    for (int i = 0; b && i < v->vec; i++)
        r->reg[i] = v->vec > 1 ? b->vec[i] : b->reg;
    r->declared = b != NULL;
}

static void declare_one_reg(struct parser *p, struct name *n, struct ptx_loc loc)
{
    struct binding *old = name_lookup(p, n);
    if (n->sreg && !old) {
        diag_error(p->d, loc.line, loc.col, "'%s' is a special register", n->s);
        return;
    }
    struct binding *b = name_bind(p, n, p->q.vec > 1 ? BIND_VECREG : BIND_REG, loc);
    if (!b)
        return;
    if (p->q.vec == 1) {
        b->reg = reg_new(p, n->s, (enum ptx_type)p->q.type, loc);
        return;
    }
    bind_components(p, b, p->q.vec, (enum ptx_type)p->q.type, loc);
}

void declare_reg(struct parser *p, struct name *n, struct node *range, struct ptx_loc loc)
{
    if (!decl_quals_ok(p, loc))
        return;
    if (ptx_type_class((enum ptx_type)p->q.type) == 'o') {
        diag_error(p->d, loc.line, loc.col, "a register cannot have type .%s",
                   ptx_type_name((enum ptx_type)p->q.type));
        return;
    }
    if (p->depth == 0)
        module_reg_declare(p, n, range, loc);
    else if (range)
        declare_reg_range(p, n, range->u, loc);
    else
        declare_one_reg(p, n, loc);
}

/* ---- variables ---- */

/* Sizes of the dimensions, the product in *total; a first dimension may be empty (0 in dims[0]). */
static int read_dims(struct parser *p, struct list l, uint64_t *dims, uint64_t *total, bool *unsized)
{
    int n = 0;
    *total = 1;
    *unsized = false;
    for (struct node *e = l.first; e; e = e->next, n++) {
        int64_t size = 0;
        if (n == MAX_DIMS) {
            diag_error(p->d, e->loc.line, e->loc.col, "an array has at most %d dimensions", MAX_DIMS);
            return -1;
        }
        if (e->kind == NODE_BAD && n == 0) {
            *unsized = true;
            dims[0] = 0;
            continue;
        }
        if (e->kind == NODE_BAD) {
            diag_error(p->d, e->loc.line, e->loc.col, "only the first dimension can be left out");
            return -1;
        }
        if (!node_eval_int(p, e, &size, "array size"))
            return -1;
        if (size < 0 || (uint64_t)size > max_bytes || (size && *total > max_bytes / (uint64_t)size)) {
            diag_error(p->d, e->loc.line, e->loc.col, "array size is out of range");
            return -1;
        }
        dims[n] = (uint64_t)size;
        *total *= (uint64_t)size;
    }
    return n;
}

static struct ptx_var *new_var(struct parser *p, const char *name, struct ptx_loc loc, uint64_t elements,
                               bool array)
{
    struct ptx_var *v = arena_alloc(p->arena, sizeof *v);
    uint64_t elem = (uint64_t)ptx_type_size((enum ptx_type)p->q.type) * p->q.vec;
    v->name = name;
    v->loc = loc;
    v->space = p->q.is_reg ? SP_PARAM : p->q.space;
    v->type = p->q.type;
    v->linkage = p->q.linkage;
    v->vec = p->q.vec;
    v->is_array = array;
    v->managed = p->q.managed;
    v->ptr = p->q.ptr;
    v->align = (uint32_t)(p->q.align ? p->q.align : elem ? elem : 1);
    v->size = elem * elements;
    v->func = p->func;
    return v;
}

static bool space_allowed(struct parser *p, struct ptx_loc loc)
{
    struct quals *q = &p->q;
    const char *space = ptx_space_name((enum ptx_space)q->space);
    bool local = q->space == SP_LOCAL;
    if (p->depth == 0 && (q->space == SP_PARAM || (local && p->m->version_major >= 3))) {
        diag_error(p->d, loc.line, loc.col, "a .%s variable must be inside a function%s", space,
                   local ? "; only PTX before 3.0 has them at module scope" : "");
        return false;
    }
    if (q->space == SP_TEX) {
        q->space = SP_GLOBAL;    /* PTX 1.x declares textures in .tex */
        q->type = T_TEXREF;
    }
    if (q->type == T_PRED) {
        diag_error(p->d, loc.line, loc.col, "a variable cannot have type .pred");
        return false;
    }
    if (q->linkage == LINK_COMMON && q->space != SP_GLOBAL) {
        diag_error(p->d, loc.line, loc.col, ".common is for .global variables");
        return false;
    }
    if (q->managed && q->space != SP_GLOBAL) {
        diag_error(p->d, loc.line, loc.col, ".managed is for .global variables");
        return false;
    }
    return true;
}

static void add_to_module(struct parser *p, struct name *n, struct ptx_var *v)
{
    struct ptx_symbol *s = arena_alloc(p->arena, sizeof *s);
    s->kind = SYM_VAR;
    s->var = v;
    strmap_put(&p->m->symbols, n->s, n->len, s);
    *p->module_vars_end = v;
    p->module_vars_end = &v->next;
}

/* A module variable may be declared again when at most one of the two declarations defines it. */
static struct ptx_var *redeclared(struct parser *p, struct name *n, const struct ptx_var *v,
                                  struct ptx_loc loc)
{
    struct binding *b = n->sym;
    if (p->depth > 0 || !b || b->kind != BIND_VAR)
        return NULL;
    struct ptx_var *old = b->var;
    if (old->linkage != LINK_EXTERN && v->linkage != LINK_EXTERN)
        return NULL;
    bool sized = !old->unsized && !v->unsized;
    if (old->space != v->space || (sized && old->size != v->size)) {
        diag_error(p->d, loc.line, loc.col, "'%s' is declared with another type or space before", n->s);
        diag_note(p->d, old->loc.line, old->loc.col, "the first declaration is here");
        return old;
    }
    if (v->linkage != LINK_EXTERN) {
        struct ptx_var *next = old->next;
        *old = *v;
        old->next = next;
    } else if (v->align > old->align) {
        old->align = v->align;
    }
    return old;
}

static void add_var(struct parser *p, struct name *n, struct ptx_var *v, struct ptx_loc loc)
{
    if (redeclared(p, n, v, loc))
        return;
    struct binding *b = name_bind(p, n, BIND_VAR, loc);
    if (!b)
        return;
    b->var = v;
    if (p->depth > 0) {
        *p->vars_end = v;
        p->vars_end = &v->next;
    } else {
        add_to_module(p, n, v);
    }
}

void declare_var(struct parser *p, struct name *n, struct list dims, struct node *init, struct ptx_loc loc)
{
    uint64_t size[MAX_DIMS], total;
    bool unsized;
    if (!decl_quals_ok(p, loc) || !space_allowed(p, loc))
        return;
    if (n->s[0] == '_' && n->len == 1) {
        diag_error(p->d, loc.line, loc.col, "'_' is not a name");
        return;
    }
    int ndims = read_dims(p, dims, size, &total, &unsized);
    if (ndims < 0)
        return;
    if (unsized && init && init->kind == NODE_VEC) {
        uint64_t inner = 1;
        for (int i = 1; i < ndims; i++)
            inner *= size[i];
        bool nested = ndims == 1 || (init->first && init->first->kind == NODE_VEC);
        size[0] = nested || !inner ? init->n : (init->n + inner - 1) / inner;
        total = size[0] * inner;
        unsized = false;
    }
    struct ptx_var *v = new_var(p, n->s, loc, unsized ? 0 : total, ndims > 0);
    v->unsized = unsized;
    if (v->size > max_bytes) {
        diag_error(p->d, loc.line, loc.col, "variable '%s' is too large", n->s);
        return;
    }
    if (unsized && p->q.linkage != LINK_EXTERN && p->q.space != SP_PARAM) {
        diag_error(p->d, loc.line, loc.col, "array '%s' needs a size%s", n->s,
                   p->q.space == SP_SHARED ? ", or .extern for dynamic shared memory" : "");
        return;
    }
    if (init && p->q.linkage == LINK_EXTERN) {
        diag_error(p->d, loc.line, loc.col, "an .extern variable has no initialiser");
        return;
    }
    if (!init || init_variable(p, v, size, ndims, init))
        add_var(p, n, v, loc);
}

void declare_var_range(struct parser *p, struct name *n, struct node *range, struct ptx_loc loc)
{
    if (!decl_quals_ok(p, loc) || !space_allowed(p, loc))
        return;
    p->expanded += range->u > PARSE_MAX_EXPANDED ? PARSE_MAX_EXPANDED : range->u;
    if (p->expanded >= PARSE_MAX_EXPANDED) {
        diag_error(p->d, loc.line, loc.col, "range of variables is too large");
        return;
    }
    for (unsigned i = 0; i < range->u; i++) {
        char number[16];
        size_t digits = (size_t)snprintf(number, sizeof number, "%u", i);
        char *text = arena_alloc(p->scratch, n->len + digits);
        memcpy(text, n->s, n->len);
        memcpy(text + n->len, number, digits);
        struct name *one = name_intern(p, text, n->len + digits);
        add_var(p, one, new_var(p, one->s, loc, 1, false), loc);
    }
}

/* ---- parameters ---- */

static void register_param(struct parser *p, struct name *n, struct ptx_var *v, bool predicate)
{
    const char *stem = n->s[0] == '%' ? n->s + 1 : n->s;
    size_t len = strlen(stem) + sizeof "simtx_param_";
    char *name = arena_alloc(p->arena, len);
    snprintf(name, len, "simtx_param_%s", stem);
    v->name = name;
    struct reg_param *r = arena_alloc(p->scratch, sizeof *r);
    *r = (struct reg_param){ .next = p->reg_params, .name = n, .var = v, .is_predicate = predicate };
    p->reg_params = r;
}

void declare_param(struct parser *p, struct name *n, struct list dims, struct ptx_loc loc)
{
    uint64_t size[MAX_DIMS], total;
    bool unsized;
    if (!decl_quals_ok(p, loc))
        return;
    int ndims = read_dims(p, dims, size, &total, &unsized);
    if (ndims < 0)
        return;
    if (!p->q.is_reg && p->q.space != SP_PARAM) {
        diag_error(p->d, loc.line, loc.col, "a parameter is in .param or .reg");
        return;
    }
    bool predicate = p->q.type == T_PRED;
    if ((predicate && (!p->q.is_reg || p->q.vec > 1)) || (p->q.is_reg && ndims)) {
        diag_error(p->d, loc.line, loc.col, "a parameter cannot have this type");
        return;
    }
    if (predicate)
        p->q.type = T_B32;       /* passed as 0 or 1 */
    struct ptx_var *v = new_var(p, n ? n->s : "_", loc, unsized ? 0 : total, ndims > 0);
    v->unsized = unsized;
    v->func = NULL;
    if (p->q.is_reg && n)
        register_param(p, n, v, predicate);
    *p->plist_end = v;
    p->plist_end = &v->next;
    p->nplist++;
}

/* The list read so far has the return parameters; the parameters follow. */
void func_returns_end(struct parser *p)
{
    p->rlist = p->plist;
    p->nrlist = p->nplist;
    for (struct reg_param *r = p->reg_params; r; r = r->next)
        r->is_return = true;
    func_params_start(p);
}
