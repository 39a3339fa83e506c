/*
 * Building the module: version and target, source files, functions with their headers and bodies (PTX ISA
 * 5.4, 7.1, 11). Instructions are built in inst.c, variables in declare.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/grammar.tab.h"
#include "ptx/text/parser.h"

enum { MAX_SM = 121, MAX_FILE_NUMBER = 1 << 20 };

/* ---- module directives ---- */

void module_version(struct parser *p, struct text t, struct ptx_loc loc)
{
    int major = 0, minor = 0;
    char buf[16];
    snprintf(buf, sizeof buf, "%.*s", t.len > 15 ? 15 : (int)t.len, t.s);
    if (p->seen_version)
        diag_error(p->d, loc.line, loc.col, ".version is given twice");
    p->seen_version = true;
    if (sscanf(buf, "%d.%d", &major, &minor) != 2 || major < 1 || major > 9 || minor < 0 || minor > 9) {
        diag_error(p->d, loc.line, loc.col, "PTX version %s is not supported (1.0 to 9.x)", buf);
        return;
    }
    p->m->version_major = major;
    p->m->version_minor = minor;
    if (strtod(buf, NULL) > strtod(PTX_NEWEST_VERSION, NULL))
        diag_warn(p->d, loc.line, loc.col, "PTX version %s is newer than " PTX_NEWEST_VERSION
                  ", the newest known here", buf);
}

static void target_sm(struct parser *p, const struct name *n, struct ptx_loc loc)
{
    char *end;
    long sm = strtol(n->s + 3, &end, 10);
    bool suffix = *end == 0 || ((*end == 'a' || *end == 'f') && end[1] == 0);
    if (end == n->s + 3 || !suffix || sm < 10 || sm > MAX_SM) {
        diag_error(p->d, loc.line, loc.col, "target '%s' is not supported (sm_10 to sm_%d)", n->s, MAX_SM);
        return;
    }
    p->m->sm = (int)sm;
    snprintf(p->m->target, sizeof p->m->target, "%s", n->s);
}

void module_target(struct parser *p, struct name *n, struct ptx_loc loc)
{
    static const char *const options[] = { "texmode_unified", "texmode_independent", "debug", "map_f64_to_f32" };
    p->seen_target = true;
    if (!strncmp(n->s, "sm_", 3)) {
        target_sm(p, n, loc);
        return;
    }
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (!strcmp(options[i], n->s))
            return;
    diag_error(p->d, loc.line, loc.col, "target option '%s' is not supported", n->s);
}

void module_address_size(struct parser *p, struct node *n)
{
    if (n->u == 32)
        diag_error(p->d, n->loc.line, n->loc.col, ".address_size 32 is not supported: 32 bits do not hold a device "
                   "address; compile the program for 64 bits (-m64)");
    else if (n->u != 64)
        diag_error(p->d, n->loc.line, n->loc.col, "the address size is 32 or 64");
}

void module_file(struct parser *p, struct node *number, struct text t)
{
    struct ptx_module *m = p->m;
    if (number->u >= MAX_FILE_NUMBER) {
        diag_error(p->d, number->loc.line, number->loc.col, "file number is too large");
        return;
    }
    uint32_t k = (uint32_t)number->u;
    if (k >= m->nsrc_files) {
        uint32_t room = k + 1 > m->nsrc_files * 2 ? k + 1 : m->nsrc_files * 2;
        const char **files = arena_alloc(p->arena, room * sizeof *files);
        if (m->nsrc_files)
            memcpy(files, m->src_files, m->nsrc_files * sizeof *files);
        m->src_files = files;
        m->nsrc_files = room;
    }
    m->src_files[k] = arena_strndup(p->arena, t.s, t.len);
}

void module_loc(struct parser *p, struct node *file, struct node *line)
{
    p->src_file = file->u > UINT32_MAX ? 0 : (uint32_t)file->u;
    p->src_line = line->u > UINT32_MAX ? 0 : (uint32_t)line->u;
}

void module_alias(struct parser *p, struct name *a, struct name *b, struct ptx_loc loc)
{
    struct binding *ba = a->sym, *bb = b->sym;
    if (!ba || ba->kind != BIND_FUNC || !bb || bb->kind != BIND_FUNC) {
        diag_error(p->d, loc.line, loc.col, ".alias names two functions that are declared above");
        return;
    }
    if (ba->func->has_body || ba->func == bb->func)
        diag_error(p->d, loc.line, loc.col, "'%s' cannot be an alias of '%s'", a->s, b->s);
    else
        ba->func->def = bb->func;
}

/* ---- function headers ---- */

void func_params_start(struct parser *p)
{
    p->plist = NULL;
    p->plist_end = &p->plist;
    p->nplist = 0;
}

void func_attrs_start(struct parser *p)
{
    p->attrs = (struct func_attrs){ 0 };
    p->reg_params = NULL;
    p->rlist = NULL;
    p->nrlist = 0;
    p->src_file = p->src_line = 0;
}

static void attr_dim3(struct parser *p, const struct name *n, struct list values, uint32_t out[3])
{
    int k = 0;
    out[0] = out[1] = out[2] = 1;
    for (struct node *v = values.first; v; v = v->next, k++) {
        if (v->u == 0 || v->u > UINT32_MAX || k == 3) {
            diag_error(p->d, v->loc.line, v->loc.col, "%s takes one to three positive numbers", n->s);
            return;
        }
        out[k] = (uint32_t)v->u;
    }
}

static bool attr_one(struct parser *p, const struct name *n, struct list values, struct ptx_loc loc,
                     uint32_t *out)
{
    if (values.n != 1 || values.first->u > UINT32_MAX) {
        diag_error(p->d, loc.line, loc.col, "%s takes one number", n->s);
        return false;
    }
    *out = (uint32_t)values.first->u;
    return true;
}

void func_attr_add(struct parser *p, struct name *n, struct list values, struct ptx_loc loc)
{
    uint32_t ignored;
    const char *w = n->s;
    if (!strcmp(w, ".noreturn"))
        p->attrs.noreturn = true;
    else if (!strcmp(w, ".explicitcluster"))
        p->attrs.explicit_cluster = true;
    else if (!strcmp(w, ".blocksareclusters"))
        diag_error(p->d, loc.line, loc.col, "%s is not supported", w);
    else if (!strcmp(w, ".maxclusterrank"))
        attr_one(p, n, values, loc, &p->attrs.max_cluster_rank);
    else if (!strcmp(w, ".abi_preserve") || !strcmp(w, ".abi_preserve_control"))
        attr_one(p, n, values, loc, &ignored);
    else if (!strcmp(w, ".maxnreg"))
        attr_one(p, n, values, loc, &p->attrs.maxnreg);
    else if (!strcmp(w, ".minnctapersm"))
        attr_one(p, n, values, loc, &p->attrs.minnctapersm);
    else if (!strcmp(w, ".maxnctapersm"))
        attr_one(p, n, values, loc, &p->attrs.maxnctapersm);
    else if (values.n == 0)
        diag_error(p->d, loc.line, loc.col, "%s takes one to three positive numbers", w);
    else
        attr_dim3(p, n, values, !strcmp(w, ".maxntid")   ? p->attrs.maxntid
                                : !strcmp(w, ".reqntid") ? p->attrs.reqntid
                                                         : p->attrs.cluster);
}

static bool same_params(const struct ptx_var *a, const struct ptx_var *b)
{
    for (; a && b; a = a->next, b = b->next)
        if (a->size != b->size || a->unsized != b->unsized)
            return false;
    return a == b;
}

static struct ptx_func *new_func(struct parser *p, struct name *n, bool entry, struct ptx_loc loc)
{
    struct binding *b = name_bind(p, n, BIND_FUNC, loc);
    struct ptx_func *f = arena_alloc(p->arena, sizeof *f);
    f->name = n->s;
    f->loc = loc;
    f->is_entry = entry;
    f->module = p->m;
    if (!b)
        return f;                /* reported; the body is still parsed */
    b->func = f;
    f->index = (uint32_t)p->m->nfuncs++;
    *p->funcs_end = f;
    p->funcs_end = &f->next;
    struct ptx_symbol *s = arena_alloc(p->arena, sizeof *s);
    s->kind = SYM_FUNC;
    s->func = f;
    strmap_put(&p->m->symbols, n->s, n->len, s);
    return f;
}

static void apply_attrs(struct parser *p, struct ptx_func *f)
{
    for (int i = 0; i < 3; i++) {
        if (p->attrs.maxntid[i])
            f->maxntid[i] = p->attrs.maxntid[i];
        if (p->attrs.reqntid[i])
            f->reqntid[i] = p->attrs.reqntid[i];
        if (p->attrs.cluster[i])
            f->cluster[i] = p->attrs.cluster[i];
    }
    if (p->attrs.minnctapersm)
        f->minnctapersm = p->attrs.minnctapersm;
    if (p->attrs.maxnctapersm)
        f->maxnctapersm = p->attrs.maxnctapersm;
    if (p->attrs.maxnreg)
        f->maxnreg = p->attrs.maxnreg;
    if (p->attrs.max_cluster_rank)
        f->max_cluster_rank = p->attrs.max_cluster_rank;
    f->explicit_cluster |= p->attrs.explicit_cluster;
    f->noreturn |= p->attrs.noreturn;
}

void func_header(struct parser *p, bool entry, uint8_t linkage, struct name *n, struct ptx_loc loc)
{
    struct binding *b = n->sym;
    struct ptx_func *f;
    if (b && b->kind == BIND_FUNC && b->func->is_entry == entry) {
        f = b->func;
        if (!same_params(f->params, p->plist) || !same_params(f->rets, p->rlist)) {
            diag_error(p->d, loc.line, loc.col, "'%s' is declared with other parameters before", n->s);
            diag_note(p->d, f->loc.line, f->loc.col, "the first declaration is here");
        }
    } else {
        f = new_func(p, n, entry, loc);
        f->params = p->plist;
        f->nparams = p->nplist;
        f->rets = p->rlist;
        f->nrets = p->nrlist;
        f->linkage = linkage;
    }
    if (linkage == LINK_COMMON)
        diag_error(p->d, loc.line, loc.col, ".common is for variables");
    p->header_linkage = linkage;
    p->func = f;
    p->header_loc = loc;
}

/* After a syntax error between functions, which may have separated a header from its body. */
void module_recover(struct parser *p)
{
    inst_abandon(p);
    p->func = NULL;
    nodes_reset(p);
}

void func_prototype(struct parser *p)
{
    apply_attrs(p, p->func);
    p->func = NULL;
    nodes_reset(p);
}

/* ---- bodies ---- */

/* One string of a .pragma in a body. simtx-cc writes "simtx.cluster X, Y, Z" for __cluster_dims__; it has the effect of
 * .reqnctapercluster. Other pragmas have no effect. */
void func_pragma(struct parser *p, struct text string, struct ptx_loc loc)
{
    static const char cluster[] = "simtx.cluster ";
    unsigned long long n[3];
    int end = -1;
    char buf[80];
    snprintf(buf, sizeof buf, "%.*s", string.len < sizeof buf ? (int)string.len : 0, string.s);
    if (strncmp(buf, cluster, sizeof cluster - 1))
        return;
    const char *shape = buf + sizeof cluster - 1;
    if (!p->func->is_entry) {
        diag_error(p->d, loc.line, loc.col, "simtx.cluster is for kernels (.entry)");
        return;
    }
    sscanf(shape, "%llu, %llu, %llu%n", &n[0], &n[1], &n[2], &end);
    for (int i = 0; i < 3; i++) {
        if (end < 0 || shape[end] || !n[i] || n[i] > UINT32_MAX) {
            diag_error(p->d, loc.line, loc.col, "simtx.cluster takes three positive numbers");
            return;
        }
        p->func->cluster[i] = (uint32_t)n[i];
    }
}

static void bind_params(struct parser *p, struct ptx_func *f, struct ptx_var *list)
{
    for (struct ptx_var *v = list; v; v = v->next) {
        v->func = f;
        bool unnamed = !strcmp(v->name, "_");
        bool in_register = false;
        for (struct reg_param *r = p->reg_params; r; r = r->next)
            in_register |= r->var == v;
        if (unnamed || in_register)
            continue;
        struct binding *b = name_bind(p, name_intern(p, v->name, strlen(v->name)), BIND_VAR, v->loc);
        if (b)
            b->var = v;
    }
}

static void bind_reg_params(struct parser *p)
{
    for (struct reg_param *r = p->reg_params; r; r = r->next) {
        declare_reg_param(p, r);
        if (r->declared && !r->is_return)
            inst_emit_param_move(p, r, NULL);
    }
}

void func_begin(struct parser *p, struct ptx_loc loc)
{
    struct ptx_func *f = p->func;
    apply_attrs(p, f);
    if (f->has_body) {
        diag_error(p->d, p->header_loc.line, p->header_loc.col, "function '%s' is defined twice", f->name);
        diag_note(p->d, f->loc.line, f->loc.col, "the first definition is here");
        f = arena_alloc(p->arena, sizeof *f);
        *f = (struct ptx_func){ .name = p->func->name, .is_entry = p->func->is_entry, .module = p->m };
        p->func = f;
    }
    if (p->header_linkage == LINK_EXTERN)
        diag_error(p->d, p->header_loc.line, p->header_loc.col, "extern function '%s' has a body", f->name);
    f->has_body = true;
    f->loc = p->header_loc;
    f->linkage = p->header_linkage;
    f->params = p->plist;
    f->nparams = p->nplist;
    f->rets = p->rlist;
    f->nrets = p->nrlist;
    p->ninsts = p->nregs = p->nlabels = 0;
    p->vars_end = &f->vars;
    module_regs_open(p, loc);
    scope_open(p, loc);
    bind_params(p, f, f->params);
    bind_params(p, f, f->rets);
    bind_reg_params(p);
}

/* Appends ret to a body that can run past its end, so that every label is before an instruction. */
static void end_with_return(struct parser *p, struct ptx_loc loc)
{
    const struct ptx_inst *last = p->ninsts ? &p->insts[p->ninsts - 1] : NULL;
    bool open = !last || last->guard || (last->op != OP_RET && last->op != OP_EXIT && last->op != OP_BRA &&
                                         last->op != OP_TRAP && last->op != OP_BRX);
    if (p->nlabels && p->labels[p->nlabels - 1].inst == p->ninsts)
        open = true;
    if (!open)
        return;
    inst_emit_return_values(p, NULL);
    struct ptx_inst *in = inst_append(p);
    in->op = OP_RET;
    in->loc = loc;
}

static void *copied(struct parser *p, const void *from, size_t bytes)
{
    void *to = arena_alloc(p->arena, bytes + !bytes);
    if (bytes)
        memcpy(to, from, bytes);
    return to;
}

void func_end(struct parser *p, struct ptx_loc loc)
{
    struct ptx_func *f = p->func;
    end_with_return(p, loc);
    while (p->depth > 0)
        scope_close(p);
    module_regs_share(p);
    f->insts = copied(p, p->insts, p->ninsts * sizeof *p->insts);
    f->ninsts = (uint32_t)p->ninsts;
    f->regs = copied(p, p->regs, p->nregs * sizeof *p->regs);
    f->nregs = (int)p->nregs;
    f->labels = copied(p, p->labels, p->nlabels * sizeof *p->labels);
    f->nlabels = (uint32_t)p->nlabels;
    p->func = NULL;
    check_function(p, f);
    regions_find(p, f);
}

/* ---- tables ---- */

static struct ptx_table *new_table(struct parser *p, struct name *n, int kind, struct ptx_loc loc)
{
    struct ptx_table *t = arena_alloc(p->arena, sizeof *t);
    struct binding *b = name_bind(p, n, BIND_TABLE, loc);
    t->name = n->s;
    t->loc = loc;
    t->kind = kind;
    if (b)
        b->table = t;
    return t;
}

/* A prototype inside a body: its parameters are no registers of the function, whose own list is saved meanwhile. */
void table_proto_start(struct parser *p)
{
    p->body_reg_params = p->reg_params;
    p->reg_params = NULL;
    p->rlist = NULL;
    p->nrlist = 0;
}

void table_proto(struct parser *p, struct name *n, struct ptx_loc loc)
{
    p->reg_params = p->body_reg_params;
    struct ptx_table *t = new_table(p, n, TABLE_PROTO, loc);
    t->params = p->plist;
    t->nparams = p->nplist;
    t->rets = p->rlist;
    t->nrets = p->nrlist;
    nodes_reset(p);
}

/* `L<5>` in a list of labels stands for L0 .. L4. */
static struct list expand_range(struct parser *p, struct list l)
{
    const struct node *r = l.first;
    struct list out = { 0 };
    p->expanded += r->u > PARSE_MAX_EXPANDED ? PARSE_MAX_EXPANDED : r->u;
    if (p->expanded >= PARSE_MAX_EXPANDED) {
        diag_error(p->d, r->loc.line, r->loc.col, "range of labels is too large");
        return out;
    }
    for (uint64_t i = 0; i < r->u; i++) {
        char number[24];
        size_t digits = (size_t)snprintf(number, sizeof number, "%llu", (unsigned long long)i);
        char *text = arena_alloc(p->scratch, r->name->len + digits);
        memcpy(text, r->name->s, r->name->len);
        memcpy(text + r->name->len, number, digits);
        struct node *e = node_new(p, NODE_NAME, r->loc);
        e->name = name_intern(p, text, r->name->len + digits);
        out = node_list_add(out, e);
    }
    return out;
}

void table_list(struct parser *p, struct name *n, bool calls, struct list l, struct ptx_loc loc)
{
    if (l.first->is_unsigned)
        l = expand_range(p, l);
    struct ptx_table *t = new_table(p, n, calls ? TABLE_CALL : TABLE_BRANCH, loc);
    t->n = (int)l.n;
    if (!calls)
        t->labels = arena_alloc(p->arena, l.n * sizeof *t->labels + 1);
    else
        t->funcs = arena_alloc(p->arena, l.n * sizeof *t->funcs + 1);
    int k = 0;
    for (struct node *e = l.first; e; e = e->next, k++) {
        if (!calls) {
            label_use_add(p, (struct label_use){ .name = e->name, .loc = e->loc, .how = LABEL_USE_TABLE, .table = t,
                                                 .index = k });
            continue;
        }
        struct binding *b = e->name->sym;
        if (b && b->kind == BIND_FUNC)
            t->funcs[k] = b->func;
        else
            diag_error(p->d, e->loc.line, e->loc.col, "'%s' is not a function", e->name->s);
    }
}

/* ---- the whole text ---- */

static void run(struct parser *p, const char *text, size_t len)
{
    if (!ptx_scanner_open(p, text, len)) {
        diag_error(p->d, 0, 0, "out of memory");
        return;
    }
    int rc = ptx_yyparse(p);
    ptx_scanner_close(p);
    while (p->depth > 0)
        scope_close(p);
    if (rc && !p->d->errors)
        diag_error(p->d, 0, 0, "the text cannot be read");
    if (!p->d->errors && !p->seen_version)
        diag_error(p->d, 1, 1, "no .version directive: this is not PTX");
    else if (!p->d->errors && !p->seen_target)
        diag_error(p->d, 1, 1, "no .target directive: write one after .version, such as .target sm_70");
}

/* A kernel may be declared before its definition, but not without one. */
static void check_kernels(const struct parser *p)
{
    for (const struct ptx_func *f = p->m->funcs; f; f = f->next)
        if (f->is_entry && !f->has_body && f->linkage != LINK_EXTERN)
            diag_error(p->d, f->loc.line, f->loc.col, "kernel '%s' has no body", f->name);
}

struct ptx_module *ptx_parse(const char *text, size_t len, const char *file, struct diag *d)
{
    struct arena *arena = arena_new();
    struct ptx_module *m = arena_alloc(arena, sizeof *m);
    m->arena = arena;
    m->file = arena_strndup(arena, file ? file : "", file ? strlen(file) : 0);
    m->address_size = 64;
    while (len && text[len - 1] == 0)    /* texts in fat binaries end in padding */
        len--;
    if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) {      /* a UTF-8 byte-order mark */
        text += 3;
        len -= 3;
    }
    int errors = d->errors;
    const char *old_file = d->file, *old_source = d->source;
    size_t old_len = d->source_len;
    d->file = m->file;
    d->source = text;
    d->source_len = len;
    struct arena *scratch = arena_new();
    struct parser *p = arena_alloc(scratch, sizeof *p);
    p->m = m;
    p->arena = arena;
    p->scratch = scratch;
    p->d = d;
    p->module_vars_end = &m->vars;
    p->funcs_end = &m->funcs;
    p->plist_end = &p->plist;
    names_init(p);
    d->errors = 0;
    if (len > INT32_MAX - 16)
        diag_error(d, 0, 0, "the text is longer than 2 GiB");
    else
        run(p, text, len);
    if (!d->errors)
        check_kernels(p);
    bool failed = d->errors > 0;
    d->errors += errors;
    arena_free(scratch);
    d->file = old_file;
    d->source = old_source;
    d->source_len = old_len;
    if (!failed)
        return m;
    ptx_module_free(m);
    return NULL;
}

void ptx_module_free(struct ptx_module *m)
{
    while (m) {
        struct ptx_module *next = m->next;
        strmap_free(&m->symbols);
        arena_free(m->arena);
        m = next;
    }
}

struct ptx_func *ptx_find_func(const struct ptx_module *m, const char *name)
{
    struct ptx_symbol *s = strmap_get(&m->symbols, name, strlen(name));
    return s && s->kind == SYM_FUNC ? s->func : NULL;
}

struct ptx_var *ptx_find_var(const struct ptx_module *m, const char *name)
{
    struct ptx_symbol *s = strmap_get(&m->symbols, name, strlen(name));
    return s && s->kind == SYM_VAR ? s->var : NULL;
}
