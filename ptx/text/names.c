/*
 * Words and scopes of the parser. A word is hashed once, when it is scanned. Its bindings form a stack at the word
 * itself, so a look-up is a pointer, and closing a scope pops the scope's bindings. Registers declared as a range
 * (`%r<20000>`) are created when they are first named.
 */
#include <stdio.h>
#include <string.h>

#include "base/strmap.h"
#include "ptx/grammar.tab.h"
#include "ptx/text/parser.h"

static const uint8_t group_of[PTX_MODIFIER_COUNT] = {
#define X(g, e, s) [g##_##e] = PG_##g,
    PTX_MODIFIERS(X)
#undef X
};

uint8_t modifier_group(uint8_t mod)
{
    return group_of[mod - 1];
}

static struct name **slot(const struct parser *p, const char *s, size_t len, uint32_t h)
{
    uint32_t i = h & (p->names_cap - 1);
    while (p->names[i]) {
        struct name *n = p->names[i];
        if (n->hash == h && n->len == len && !memcmp(n->s, s, len))
            break;
        i = (i + 1) & (p->names_cap - 1);
    }
    return &p->names[i];
}

static void grow_table(struct parser *p)
{
    struct name **old = p->names;
    uint32_t cap = p->names_cap;
    p->names_cap = cap ? cap * 2 : 1024;
    p->names = arena_alloc(p->scratch, p->names_cap * sizeof *p->names);
    for (uint32_t i = 0; i < cap; i++)
        if (old[i])
            *slot(p, old[i]->s, old[i]->len, old[i]->hash) = old[i];
}

struct name *name_find(const struct parser *p, const char *s, size_t len)
{
    return *slot(p, s, len, strmap_hash(s, len));
}

struct name *name_intern(struct parser *p, const char *s, size_t len)
{
    uint32_t h = strmap_hash(s, len);
    struct name **at = slot(p, s, len, h);
    if (*at)
        return *at;
    if (p->names_count * 2 >= p->names_cap) {
        grow_table(p);
        at = slot(p, s, len, h);
    }
    struct name *n = arena_alloc(p->scratch, sizeof *n);
    n->s = arena_strndup(p->arena, s, len);
    n->len = (uint32_t)len;
    n->hash = h;
    n->token = s[0] == '.' ? DOTWORD : WORD;
    p->names_count++;
    return *at = n;
}

static struct name *word(struct parser *p, const char *prefix, const char *s)
{
    char buf[128];
    size_t np = strlen(prefix), ns = strlen(s);
    char *text = np + ns < sizeof buf ? buf : arena_alloc(p->scratch, np + ns);
    memcpy(text, prefix, np);
    memcpy(text + np, s, ns);
    return name_intern(p, text, np + ns);
}

static void init_dotted(struct parser *p)
{
    static const struct { const char *word; uint16_t token; } directives[] = {
        { "version", VERSION }, { "target", TARGET }, { "address_size", ADDRESS_SIZE }, { "file", FILE_ },
        { "loc", LOC }, { "pragma", PRAGMA }, { "entry", ENTRY }, { "func", FUNC }, { "reg", REG },
        { "align", ALIGN }, { "ptr", PTR }, { "attribute", ATTRIBUTE }, { "callprototype", CALLPROTOTYPE },
        { "calltargets", CALLTARGETS }, { "branchtargets", BRANCHTARGETS }, { "alias", ALIAS },
        { "maxntid", PERF }, { "reqntid", PERF }, { "minnctapersm", PERF }, { "maxnctapersm", PERF },
        { "maxnreg", PERF }, { "noreturn", PERF }, { "abi_preserve", PERF }, { "abi_preserve_control", PERF },
        { "explicitcluster", PERF }, { "reqnctapercluster", PERF }, { "maxclusterrank", PERF },
        { "blocksareclusters", PERF },
    };
    static const struct { const char *word; uint8_t linkage; } linkages[] = {
        { "visible", LINK_VISIBLE }, { "extern", LINK_EXTERN }, { "weak", LINK_WEAK }, { "common",
                                                                                         LINK_COMMON },
    };
    static const char *const vecs[] = { "v2", "v4", "v8" };
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++)
        word(p, ".", directives[i].word)->token = directives[i].token;
    for (size_t i = 0; i < sizeof linkages / sizeof *linkages; i++) {
        struct name *n = word(p, ".", linkages[i].word);
        n->token = LINKAGE;
        n->linkage = linkages[i].linkage;
    }
    for (int i = 0; i < 3; i++) {
        struct name *n = word(p, ".", vecs[i]);
        n->token = VEC;
        n->vec = (uint8_t)(2 << i);
    }
    for (int t = 1; t < T_COUNT; t++) {
        struct name *n = word(p, ".", ptx_type_name((enum ptx_type)t));
        n->token = TYPE;
        n->type = (uint8_t)t;
    }
    for (int s = SP_SREG; s < SP_COUNT; s++) {
        struct name *n = word(p, ".", ptx_space_name((enum ptx_space)s));
        n->token = SPACE;
        n->space = (uint8_t)s;
    }
    for (int i = 0; i < 8; i++) {
        char s[2] = { "xyzwrgba"[i], 0 };
        word(p, ".", s)->comp = (uint8_t)(1 + (i & 3));
    }
}

static void init_modifiers(struct parser *p)
{
    for (int mod = 1; mod <= PTX_MODIFIER_COUNT; mod++) {
        struct name *n = word(p, ".", ptx_modifier_name((uint8_t)mod));
        if (n->nmod < PARSE_MAX_WORD_GROUPS)
            n->mod[n->nmod++] = (uint8_t)mod;
    }
}

static void init_sregs(struct parser *p)
{
    for (int s = 1; s < SR_COUNT; s++) {
        const char *text = ptx_sreg_name((enum ptx_sreg)s);
        char buf[40];
        int count = s == SR_ENVREG ? 32 : s == SR_PM || s == SR_PM64 ? 8 : 0;
        for (int i = 0; i < (count ? count : 1); i++) {
            if (s == SR_PM64)
                snprintf(buf, sizeof buf, "pm%d_64", i);
            else if (count)
                snprintf(buf, sizeof buf, "%s%d", text, i);
            else
                snprintf(buf, sizeof buf, "%s", text);
            struct name *n = word(p, "%", buf);
            n->sreg = (uint8_t)s;
            n->sreg_index = (uint8_t)i;
        }
    }
}

void names_init(struct parser *p)
{
    grow_table(p);
    init_dotted(p);
    init_modifiers(p);
    init_sregs(p);
    for (int op = 1; op < OP_COUNT; op++) {
        const char *text = ptx_ops[op].text, *dot = strchr(text, '.');
        word(p, "", text)->op = (uint16_t)op;
        if (dot)
            name_intern(p, text, (size_t)(dot - text))->begins_op = true;
    }
}

/* ---- scopes ---- */

void scope_open(struct parser *p, struct ptx_loc loc)
{
    if (p->depth >= PARSE_MAX_SCOPES) {
        diag_error(p->d, loc.line, loc.col, "scopes are nested more than %d deep", PARSE_MAX_SCOPES);
        p->too_deep = true;
        return;
    }
    p->scopes[++p->depth] = (struct scope){ .line = loc.line };
}

struct binding *name_bind(struct parser *p, struct name *n, enum binding_kind kind, struct ptx_loc loc)
{
    struct binding *b = n->sym;
    if (b && b->depth == p->depth) {
        diag_error(p->d, loc.line, loc.col, "'%s' is declared twice in this scope", n->s);
        diag_note(p->d, b->loc.line, b->loc.col, "the first is here");
        return NULL;
    }
    b = arena_alloc(p->scratch, sizeof *b);
    b->outer = n->sym;
    b->name = n;
    b->kind = (uint8_t)kind;
    b->depth = p->depth;
    b->loc = loc;
    b->in_scope = p->scopes[p->depth].bindings;
    p->scopes[p->depth].bindings = b;
    return n->sym = b;
}

static void resolve_use(struct parser *p, const struct label_use *u)
{
    struct label *l = u->name->label;
    struct binding *b = u->name->sym;
    struct ptx_table *t = b && b->kind == BIND_TABLE ? b->table : NULL;
    if (u->how == LABEL_USE_TABLE)
        u->table->labels[u->index] = l->inst;
    else if (u->how == LABEL_USE_BRA)
        p->insts[u->inst].opd[0].label = l->inst;
    else if (u->how == LABEL_USE_BRX)
        p->insts[u->inst].opd[1].table = t;
    else
        p->insts[u->inst].call->table = t;
}

static bool use_known(const struct parser *p, const struct label_use *u)
{
    if (u->how == LABEL_USE_BRA || u->how == LABEL_USE_TABLE)
        return u->name->label && u->name->label->depth == p->depth;
    return u->name->sym && u->name->sym->kind == BIND_TABLE && u->name->sym->depth == p->depth;
}

static void report_unresolved(struct parser *p, const struct label_use *u)
{
    bool label = u->how == LABEL_USE_BRA || u->how == LABEL_USE_TABLE;
    const char *what = label ? "label" : u->how == LABEL_USE_BRX ? ".branchtargets list"
        : "prototype or .calltargets list";
    const char *near = name_nearest(p, u->name->s, label);
    if (near)
        diag_error(p->d, u->loc.line, u->loc.col, "undefined %s '%s'; did you mean '%s'?", what, u->name->s,
                   near);
    else
        diag_error(p->d, u->loc.line, u->loc.col, "undefined %s '%s'", what, u->name->s);
}

/* Resolves the uses of labels of this scope; the others move to the enclosing scope. */
static void close_uses(struct parser *p)
{
    struct scope *s = &p->scopes[p->depth], *outer = &p->scopes[p->depth - 1];
    for (struct label_use *u = s->uses, *next; u; u = next) {
        next = u->next;
        if (use_known(p, u)) {
            resolve_use(p, u);
        } else if (p->depth == 1) {
            report_unresolved(p, u);
        } else {
            u->next = NULL;
            if (outer->uses)
                outer->uses_tail->next = u;
            else
                outer->uses = u;
            outer->uses_tail = u;
        }
    }
}

void scope_close(struct parser *p)
{
    struct scope *s = &p->scopes[p->depth];
    if (p->depth > 0)
        close_uses(p);
    for (struct binding *b = s->bindings; b; b = b->in_scope)
        b->name->sym = b->outer;
    for (struct label *l = s->labels; l; l = l->in_scope)
        l->name->label = l->outer;
    for (struct range *r = s->ranges; r; r = r->in_scope) {
        r->name->range = r->outer;
        p->nested_ranges -= p->depth > 1;
    }
    p->depth--;
}

struct ptx_reg *reg_new(struct parser *p, const char *name, enum ptx_type type, struct ptx_loc loc)
{
    struct ptx_reg *r = arena_alloc(p->arena, sizeof *r);
    r->name = name;
    r->type = (uint8_t)type;
    r->id = (int)p->nregs;
    r->loc = loc;
    if (p->nregs == p->regs_cap) {
        size_t cap = p->regs_cap ? p->regs_cap * 2 : 1024;
        struct ptx_reg **regs = arena_alloc(p->scratch, cap * sizeof *regs);
        if (p->nregs)
            memcpy(regs, p->regs, p->nregs * sizeof *regs);
        p->regs = regs;
        p->regs_cap = cap;
    }
    p->regs[p->nregs++] = r;
    return r;
}

/* The innermost range that has the word as a member, deeper than `depth`. */
static const struct range *find_range(const struct parser *p, const struct name *n, int depth)
{
    const struct range *best = NULL;
    uint64_t number = 0, scale = 1;
    for (uint32_t k = n->len; k > 1 && n->len - k < 7;) {
        char c = n->s[--k];
        if (c < '0' || c > '9')
            break;
        number += (uint64_t)(c - '0') * scale;
        scale *= 10;
        if (c == '0' && k + 1 < n->len)
            continue;            /* members have no leading zero */
        const struct name *prefix = name_find(p, n->s, k);
        const struct range *r = prefix ? prefix->range : NULL;
        if (r && number < r->count && r->depth > depth && (!best || r->depth > best->depth))
            best = r;
    }
    return best;
}

static struct binding *bind_at(struct parser *p, struct name *n, enum binding_kind kind,
                               const struct range *r)
{
    struct binding *b = arena_alloc(p->scratch, sizeof *b);
    b->name = n;
    b->kind = (uint8_t)kind;
    b->depth = r->depth;
    b->loc = r->loc;
    b->outer = n->sym;
    b->in_scope = p->scopes[r->depth].bindings;
    p->scopes[r->depth].bindings = b;
    return n->sym = b;
}

struct binding *name_lookup(struct parser *p, struct name *n)
{
    struct binding *b = n->sym;
    if (b && !p->nested_ranges)
        return b;
    const struct range *r = find_range(p, n, b ? b->depth : 0);
    if (!r)
        return b;
    if (!r->vec) {
        b = bind_at(p, n, BIND_REG, r);
        b->reg = reg_new(p, n->s, (enum ptx_type)r->type, r->loc);
        b->reg->shared = p->module_regs && r->depth == 1;
        return b;
    }
    b = bind_at(p, n, BIND_VECREG, r);
    b->n = r->vec;
    b->vec = arena_alloc(p->scratch, r->vec * sizeof *b->vec);
    for (int i = 0; i < r->vec; i++) {
        char suffix[3] = { '.', "xyzw"[i & 3], 0 };
        struct name *c = word(p, n->s, suffix);
        b->vec[i] = reg_new(p, c->s, (enum ptx_type)r->type, r->loc);
        b->vec[i]->shared = p->module_regs && r->depth == 1;
    }
    return b;
}

/* ---- labels ---- */

void label_define(struct parser *p, struct name *n, struct ptx_loc loc)
{
    if (n->label && n->label->depth == p->depth) {
        diag_error(p->d, loc.line, loc.col, "label '%s' is defined twice in this scope", n->s);
        diag_note(p->d, n->label->loc.line, n->label->loc.col, "the first is here");
        return;
    }
    struct label *l = arena_alloc(p->scratch, sizeof *l);
    *l = (struct label){ n->label, p->scopes[p->depth].labels, n, p->depth, (uint32_t)p->ninsts, loc };
    p->scopes[p->depth].labels = l;
    n->label = l;
    if (p->nlabels == p->labels_cap) {
        size_t cap = p->labels_cap ? p->labels_cap * 2 : 256;
        struct ptx_label *labels = arena_alloc(p->scratch, cap * sizeof *labels);
        if (p->nlabels)
            memcpy(labels, p->labels, p->nlabels * sizeof *labels);
        p->labels = labels;
        p->labels_cap = cap;
    }
    p->labels[p->nlabels++] = (struct ptx_label){ n->s, l->inst, loc };
}

void label_use_add(struct parser *p, struct label_use use)
{
    struct scope *s = &p->scopes[p->depth];
    struct label_use *u = arena_alloc(p->scratch, sizeof *u);
    *u = use;
    if (s->uses)
        s->uses_tail->next = u;
    else
        s->uses = u;
    s->uses_tail = u;
}

/* The visible name whose spelling is nearest; at most a few thousand candidates are tried. */
const char *name_nearest(struct parser *p, const char *wanted, bool labels)
{
    enum { MAX = 4000 };
    if (diag_full(p->d))
        return NULL;
    const char **all = arena_alloc(p->scratch, MAX * sizeof *all);
    size_t n = 0;
    for (uint32_t i = 0; i < p->names_cap && n < MAX; i++) {
        const struct name *c = p->names[i];
        if (c && (labels ? c->label != NULL : c->sym || c->sreg))
            all[n++] = c->s;
    }
    return diag_nearest(wanted, all, n);
}

/* The range with this prefix and fewer members than the word's number needs. */
static const struct range *short_range(const struct parser *p, const struct name *n)
{
    uint32_t k = n->len;
    while (k > 1 && n->s[k - 1] >= '0' && n->s[k - 1] <= '9')
        k--;
    const struct name *prefix = k < n->len ? name_find(p, n->s, k) : NULL;
    return prefix ? prefix->range : NULL;
}

const char *name_hint(struct parser *p, const struct name *n, char *text, size_t size)
{
    const struct range *r = short_range(p, n);
    const char *near = r ? NULL : name_nearest(p, n->s, false);
    *text = 0;
    if (r)
        snprintf(text, size, "; line %d declares %s0 to %s%u", r->loc.line, r->name->s, r->name->s, r->count - 1);
    else if (near && strcmp(near, n->s))
        snprintf(text, size, "; did you mean '%s'?", near);
    return text;
}

/* The type, or the directive or other token, whose spelling is nearest. */
const char *name_nearest_dotted(struct parser *p, const char *wanted, bool types)
{
    enum { MAX = 200 };
    const char *all[MAX];
    size_t n = 0;
    for (uint32_t i = 0; i < p->names_cap && n < MAX && !diag_full(p->d); i++) {
        const struct name *c = p->names[i];
        if (c && c->s[0] == '.' && (types ? c->type != T_NONE : c->token != DOTWORD))
            all[n++] = c->s;
    }
    return diag_nearest(wanted, all, n);
}
