/*
 * Reads the frame of a litmus test: header, initial state, columns of threads, scopes, condition. Instructions are read
 * by the test's dialect.
 */
#include "frontend/litmus/litmus_impl.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static const struct litmus_dialect *const dialects[] = {
    [LITMUS_PTX] = &litmus_ptx, [LITMUS_X86] = &litmus_x86, [LITMUS_X86_64] = &litmus_x86_64,
    [LITMUS_RISCV] = &litmus_riscv
};

/* ---- header ---- */

static void choose_dialect(struct litmus_parser *p, const struct litmus_token *k)
{
    for (unsigned i = 0; i < sizeof dialects / sizeof *dialects; i++)
        for (const char *const *n = dialects[i]->names; *n; n++)
            if ((size_t)k->len == strlen(*n) && !memcmp(k->at, *n, (size_t)k->len)) {
                p->t->arch = (enum litmus_arch)i;
                p->dialect = dialects[i];
                return;
            }
    litmus_expected(p, k, "expected a dialect (PTX, X86, X86_64 or RISCV)");
}

/* The rest of the line, without the space around it. */
static void rest_of_line(struct litmus_parser *p, char *out, size_t size)
{
    const char *eol = memchr(p->p, '\n', (size_t)(p->end - p->p)), *from = p->p;
    eol = eol ? eol : p->end;
    while (from < eol && isspace((unsigned char)*from))
        from++;
    p->p = eol;
    while (eol > from && isspace((unsigned char)eol[-1]))
        eol--;
    snprintf(out, size, "%.*s", (int)(eol - from), from);
}

/* "key=value": only tools read these lines, except for those that change what a test means. */
static void header_line(struct litmus_parser *p)
{
    char value[8];
    struct litmus_token key = p->token;
    if (key.kind != LITMUS_T_WORD || p->p == p->end || *p->p != '=')
        litmus_expected(p, &key, "expected a line KEY=VALUE or '{'");
    if (litmus_is(p, "variant"))
        litmus_error(p, &key, "variants are not supported");
    rest_of_line(p, value, sizeof value);
    litmus_next(p);
}

static void parse_header(struct litmus_parser *p)
{
    litmus_next(p);
    choose_dialect(p, &p->token);
    rest_of_line(p, p->t->name, sizeof p->t->name);
    if (!*p->t->name)
        litmus_error(p, &p->token, "the test has no name");
    litmus_next(p);
    while (!litmus_is(p, "{")) {
        if (p->token.kind == LITMUS_T_STRING)
            litmus_next(p);
        else
            header_line(p);
    }
    litmus_next(p);
}

/* ---- names of threads, registers and locations ---- */

/* "0", "P0" or "T0". */
static int thread_number(struct litmus_parser *p, const struct litmus_token *k)
{
    char name[LITMUS_NAME], *end;
    litmus_text(k, name);
    const char *digits = name + (k->kind == LITMUS_T_WORD);
    bool named = k->kind == LITMUS_T_WORD && (toupper((unsigned char)*name) == 'P' || *name == 'T');
    if ((!named && k->kind != LITMUS_T_NUMBER) || !isdigit((unsigned char)*digits))
        litmus_expected(p, k, "expected a thread");
    unsigned long n = strtoul(digits, &end, 10);
    if (*end || k->len >= LITMUS_NAME || n >= LITMUS_THREADS)
        litmus_error(p, k, "threads are numbered from 0 to %d", LITMUS_THREADS - 1);
    return (int)n;
}

static struct litmus_token register_name(struct litmus_parser *p, char canonical[LITMUS_NAME])
{
    char name[LITMUS_NAME];
    struct litmus_token k = p->token;
    litmus_text(&k, name);
    if (k.kind != LITMUS_T_WORD || !p->dialect->reg(name, canonical))
        litmus_expected(p, &k, "expected a register");
    litmus_next(p);
    return k;
}

/* A register of an outcome. As in herd, one that nothing else names is 0, with a warning: it may be mistyped. */
static int outcome_register(struct litmus_parser *p, int thread)
{
    char name[LITMUS_NAME];
    struct litmus_token k = register_name(p, name);
    bool zero = p->dialect->zero && !strcmp(name, p->dialect->zero);
    if (litmus_find_register(&p->t->thread[thread], name) < 0 && !zero)
        diag_warn(p->d, k.line, k.col, "no instruction of P%d and no initial value names the register '%.*s': it is 0 "
                  "in every outcome", thread, k.len, k.at);
    return litmus_register_at(p, thread, name, &k);
}

static struct litmus_token location_text(struct litmus_parser *p, char name[LITMUS_NAME])
{
    bool bracket = litmus_take(p, "[");
    struct litmus_token k = p->token;
    if (k.kind != LITMUS_T_WORD || k.len >= LITMUS_NAME)
        litmus_expected(p, &k, "expected the name of a location");
    litmus_text(&k, name);
    litmus_next(p);
    if (bracket)
        litmus_expect(p, "]");
    return k;
}

static int location_name(struct litmus_parser *p)
{
    char name[LITMUS_NAME];
    struct litmus_token k = location_text(p, name);
    return litmus_location_at(p, name, &k);
}

/* A location of an outcome, with the same rule. */
static int outcome_location(struct litmus_parser *p)
{
    char name[LITMUS_NAME];
    struct litmus_token k = location_text(p, name);
    if (litmus_find_location(p->t, name) < 0)
        diag_warn(p->d, k.line, k.col, "no instruction and no initial value names the location '%s': it is 0 in every "
                  "outcome", name);
    return litmus_location_at(p, name, &k);
}

/* A location whose address is compared with a register. */
static int known_location(struct litmus_parser *p)
{
    char name[LITMUS_NAME];
    struct litmus_token k = location_text(p, name);
    int l = litmus_find_location(p->t, name);
    if (l < 0)
        litmus_error(p, &k, "no instruction and no initial value names the location '%s'", name);
    return l;
}

/* ---- operands of dialects ---- */

struct litmus_operand litmus_reg_or_number(struct litmus_parser *p)
{
    char name[LITMUS_NAME], canonical[LITMUS_NAME];
    struct litmus_token k = p->token;
    if (k.kind == LITMUS_T_NUMBER || litmus_is(p, "-"))
        return litmus_value_operand(litmus_number(p));
    litmus_text(&k, name);
    if (k.kind != LITMUS_T_WORD || !p->dialect->reg(name, canonical))
        litmus_expected(p, &k, "expected a register or a number");
    litmus_next(p);
    if (p->dialect->zero && !strcmp(canonical, p->dialect->zero))
        return litmus_value_operand(0);
    return litmus_reg_operand(litmus_register_at(p, p->thread, canonical, &k));
}

int litmus_destination(struct litmus_parser *p)
{
    struct litmus_token k = p->token;
    struct litmus_operand o = litmus_reg_or_number(p);
    if (k.kind != LITMUS_T_WORD)
        litmus_expected(p, &k, "expected a register");
    return o.kind == LITMUS_REG ? o.index : -1;
}

/* ---- initial state ---- */

static uint8_t type_size(struct litmus_parser *p, const struct litmus_token *k)
{
    static const struct { const char *name; uint8_t size; } types[] = {
        { "int", 4 }, { "int32_t", 4 }, { "uint32_t", 4 }, { ".s32", 4 }, { ".u32", 4 }, { ".b32", 4 },
        { "int64_t", 8 }, { "uint64_t", 8 }, { "long", 8 }, { ".s64", 8 }, { ".u64", 8 }, { ".b64", 8 },
    };
    char name[LITMUS_NAME];
    litmus_text(k, name);
    for (unsigned i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i].name, name))
            return types[i].size;
    litmus_error(p, k, "the type '%s' is not supported", name);
}

/* The value of a register: a number, or the address of a location. */
static int64_t register_value(struct litmus_parser *p)
{
    litmus_take(p, "&");
    if (p->token.kind == LITMUS_T_WORD)
        return LITMUS_ADDRESS(location_name(p));
    return litmus_number(p);
}

/* A second initial value must be the first one. set: the bits of those that have one. */
static void set_init(struct litmus_parser *p, const struct litmus_token *at, uint64_t *set, int bit, int64_t *init,
                     int64_t value)
{
    if (*set >> bit & 1 && *init != value)
        litmus_error(p, at, "'%.*s' has another initial value already", at->len, at->at);
    *set |= (uint64_t)1 << bit;
    *init = value;
}

static void note_init_thread(struct litmus_parser *p, const struct litmus_token *at, int thread)
{
    if (thread <= p->init_thread)
        return;
    p->init_thread = thread;
    p->init_at = *at;
}

/* "0:EAX=1", "P1:r0=x", "0:.reg .s32 r0" after the number of the thread. */
static void init_register(struct litmus_parser *p, const struct litmus_token *first)
{
    char name[LITMUS_NAME];
    int thread = thread_number(p, first);
    note_init_thread(p, first, thread);
    litmus_expect(p, ":");
    if (litmus_take(p, ".reg")) {
        type_size(p, &p->token);
        litmus_next(p);
    }
    struct litmus_token at = register_name(p, name);
    int r = litmus_register_at(p, thread, name, &at);
    p->register_at[thread][r] = at;
    if (litmus_take(p, "="))
        set_init(p, &at, &p->register_set[thread], r, &p->t->thread[thread].reg[r].init, register_value(p));
}

static bool colon_follows(const struct litmus_parser *p)
{
    return p->p < p->end && *p->p == ':';
}

static void init_location(struct litmus_parser *p, uint8_t size)
{
    struct litmus_token name = p->token;
    int l = location_name(p);
    struct litmus_token at = p->token;
    if (litmus_is(p, "["))
        litmus_error(p, &at, "arrays are not supported");
    if (litmus_is(p, "@"))
        litmus_error(p, &at, "aliases of locations are not supported");
    p->t->location[l].size = size;
    p->location_at[l] = name;
    if (!litmus_take(p, "="))
        return;
    at = p->token;
    if (at.kind == LITMUS_T_WORD || litmus_is(p, "&"))
        litmus_error(p, &at, "a location whose value is an address is not supported");
    set_init(p, &name, &p->location_set, l, &p->t->location[l].init, litmus_number(p));
}

static void init_entry(struct litmus_parser *p)
{
    struct litmus_token first = p->token;
    if (colon_follows(p)) {
        litmus_next(p);
        init_register(p, &first);
        return;
    }
    uint8_t size = 0;
    if (first.kind == LITMUS_T_WORD) {           /* a type, if another name follows */
        struct litmus_parser saved = *p;
        litmus_next(p);
        if (litmus_is(p, "*"))
            litmus_error(p, &p->token, "pointers are not supported");
        if (litmus_is(p, "aliases"))
            litmus_error(p, &p->token, "aliases of locations are not supported");
        if (p->token.kind == LITMUS_T_WORD || p->token.kind == LITMUS_T_NUMBER)
            size = type_size(p, &first);
        else {
            p->p = saved.p;
            p->line = saved.line;
            p->line_start = saved.line_start;
            p->token = first;
        }
    }
    if (colon_follows(p)) {
        first = p->token;
        litmus_next(p);
        init_register(p, &first);
    } else
        init_location(p, size);
}

static void parse_init(struct litmus_parser *p)
{
    while (!litmus_take(p, "}")) {
        if (litmus_take(p, ";"))
            continue;
        init_entry(p);
        if (!litmus_is(p, "}"))
            litmus_expect(p, ";");
    }
    litmus_take(p, ";");
}

/* ---- columns ---- */

static int scope_number(struct litmus_parser *p)
{
    struct litmus_token at = p->token;
    int64_t n = litmus_number(p);
    if (n < 0 || n > INT32_MAX)
        litmus_error(p, &at, "scopes are numbered from 0 to %d", INT32_MAX);
    return (int)n;
}

/* "@cta 0,gpu 0" after the name of a column. */
static void column_scopes(struct litmus_parser *p, struct litmus_thread *t)
{
    do {
        struct litmus_token k = p->token;
        if (litmus_take(p, "cta"))
            t->cta = scope_number(p);
        else if (litmus_take(p, "gpu"))
            t->gpu = scope_number(p);
        else if (litmus_take(p, "sys"))
            scope_number(p);
        else
            litmus_expected(p, &k, "expected cta or gpu");
    } while (litmus_take(p, ","));
    p->scoped |= 1u << p->t->nthreads;
}

/* Either all threads have scopes or none: there is no other rule for which blocks they share. */
static void check_all_scoped(struct litmus_parser *p, const struct litmus_token *at, const char *without)
{
    for (int i = 0; i < p->t->nthreads; i++)
        if (p->scoped && !(p->scoped >> i & 1))
            litmus_error(p, at, "P%d %s", i, without);
}

static void parse_columns(struct litmus_parser *p)
{
    struct litmus_test *t = p->t;
    struct litmus_token first = p->token;
    do {
        struct litmus_token k = p->token;
        if (t->nthreads == LITMUS_THREADS)
            litmus_error(p, &k, "more than %d threads", LITMUS_THREADS);
        if (thread_number(p, &k) != t->nthreads)
            litmus_error(p, &k, "expected P%d", t->nthreads);
        t->thread[t->nthreads].cta = t->nthreads;
        litmus_next(p);
        if (litmus_take(p, "@"))
            column_scopes(p, &t->thread[t->nthreads]);
        t->nthreads++;
    } while (litmus_take(p, "|"));
    litmus_expect(p, ";");
    if (p->init_thread >= t->nthreads)
        litmus_error(p, &p->init_at, "there is no thread %d", p->init_thread);
    check_all_scoped(p, &first, "has no scopes, but other threads have");
}

static void add_label(struct litmus_parser *p)
{
    struct litmus_token k = p->token;
    struct litmus_label *l = &p->label[p->nlabels];
    if (p->nlabels == LITMUS_OPS)
        litmus_error(p, &k, "more than %d labels", LITMUS_OPS);
    if (k.len >= LITMUS_NAME)
        litmus_error(p, &k, "the label has more than %d characters", LITMUS_NAME - 1);
    *l = (struct litmus_label){ .thread = p->thread, .at = p->t->thread[p->thread].nops };
    litmus_text(&k, l->name);
    for (int i = 0; i < p->nlabels; i++)
        if (p->label[i].thread == l->thread && !strcmp(p->label[i].name, l->name))
            litmus_error(p, &k, "the label %s exists already", l->name);
    p->nlabels++;
    litmus_next(p);
    litmus_next(p);
}

static void parse_cell(struct litmus_parser *p)
{
    while (p->token.kind == LITMUS_T_WORD && colon_follows(p))
        add_label(p);
    if (!litmus_is(p, "|") && !litmus_is(p, ";"))
        p->dialect->instruction(p);
}

static void parse_row(struct litmus_parser *p)
{
    for (p->thread = 0;; p->thread++) {
        if (p->thread == p->t->nthreads)
            litmus_error(p, &p->token, "the row has more columns than there are threads");
        parse_cell(p);
        if (litmus_take(p, ";"))
            return;
        litmus_expect(p, "|");
    }
}

static bool code_ends(const struct litmus_parser *p)
{
    static const char *const ends[] = { "exists", "~", "forall", "final", "locations", "scopetree", "filter" };
    for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++)
        if (litmus_is(p, ends[i]))
            return true;
    return p->token.kind == LITMUS_T_END;
}

static void resolve_labels(struct litmus_parser *p)
{
    for (const struct litmus_jump *j = p->jump; j < p->jump + p->njumps; j++) {
        char name[LITMUS_NAME];
        struct litmus_op *o = &p->t->thread[j->thread].op[j->op];
        litmus_text(&j->to, name);
        o->target = -1;
        for (int i = 0; i < p->nlabels; i++)
            if (p->label[i].thread == j->thread && !strcmp(p->label[i].name, name))
                o->target = p->label[i].at;
        if (o->target < 0)
            litmus_error(p, &j->to, "P%d has no label '%s'", j->thread, name);
        p->t->loops |= o->target <= j->op;
    }
}

/* ---- scope trees ---- */

static bool is_level(const struct litmus_parser *p, const char *const *names)
{
    for (; *names; names++)
        if (litmus_is(p, *names))
            return true;
    return false;
}

static void scope_thread(struct litmus_parser *p, int gpu, int cta)
{
    struct litmus_token k = p->token;
    int t = thread_number(p, &k);
    if (t >= p->t->nthreads)
        litmus_error(p, &k, "there is no thread %d", t);
    if (cta < 0)
        litmus_error(p, &k, "P%d is in no cta of the scope tree", t);
    if (p->scoped >> t & 1)
        litmus_error(p, &k, "P%d has scopes already", t);
    p->scoped |= 1u << t;
    p->t->thread[t].cta = cta;
    p->t->thread[t].gpu = gpu;
    litmus_next(p);
}

/* Levels and threads up to the parenthesis that closes; a level holds for what follows it. cta: -1 = none yet. */
static void scope_items(struct litmus_parser *p, int ids[2], int gpu, int cta)
{
    static const char *const gpus[] = { "device", "gpu", "grid", "kernel", NULL };
    static const char *const ctas[] = { "cta", "block", "wg", NULL }, *const none[] = { "warp", "system", "sys", NULL };
    for (;;) {
        if (litmus_take(p, "(")) {
            scope_items(p, ids, gpu, cta);
            litmus_expect(p, ")");
        } else if (is_level(p, gpus)) {
            gpu = ids[0]++;
            litmus_next(p);
        } else if (is_level(p, ctas)) {
            cta = ids[1]++;
            litmus_next(p);
        } else if (is_level(p, none))
            litmus_next(p);
        else if (p->token.kind == LITMUS_T_WORD && !code_ends(p) && !colon_follows(p)) {
            scope_thread(p, gpu, cta);
        } else
            return;
    }
}

/* "x: global, y: global" after a scope tree. */
static void memory_map(struct litmus_parser *p)
{
    while (p->token.kind == LITMUS_T_WORD && colon_follows(p)) {
        location_name(p);
        litmus_expect(p, ":");
        if (!litmus_is(p, "global"))
            litmus_error(p, &p->token, "only global memory is supported");
        litmus_next(p);
        if (!litmus_take(p, ",") && !litmus_take(p, ";"))
            return;
    }
}

static void parse_scopes(struct litmus_parser *p)
{
    int ids[2] = { 0, 0 };
    struct litmus_token tree = p->token;
    if (litmus_take(p, "scopetree")) {
        litmus_take(p, "=");
        scope_items(p, ids, 0, -1);
        check_all_scoped(p, &tree, "is not in the scope tree");
        litmus_take(p, ";");
        memory_map(p);
    }
}

/* ---- condition ---- */

static int observe(struct litmus_parser *p, int thread, int index)
{
    struct litmus_test *t = p->t;
    for (int i = 0; i < t->nobserved; i++)
        if (t->observed[i].thread == thread && t->observed[i].index == index)
            return i;
    if (t->nobserved == LITMUS_OBSERVED)
        litmus_error(p, &p->token, "more than %d registers and locations are observed", LITMUS_OBSERVED);
    t->observed[t->nobserved] = (struct litmus_observed){ thread, index };
    return t->nobserved++;
}

/* "0:r1", "P0:r1", "x" or "[x]". */
static int parse_observable(struct litmus_parser *p)
{
    if (!colon_follows(p))
        return observe(p, -1, outcome_location(p));
    struct litmus_token k = p->token;
    int thread = thread_number(p, &k);
    if (thread >= p->t->nthreads)
        litmus_error(p, &k, "there is no thread %d", thread);
    litmus_next(p);
    litmus_expect(p, ":");
    return observe(p, thread, outcome_register(p, thread));
}

/* An operand of a comparison. On the right side a name can be that of a location whose address is compared. */
static int parse_side(struct litmus_parser *p, int64_t *value, bool right)
{
    *value = 0;
    if (!colon_follows(p) && (p->token.kind == LITMUS_T_NUMBER || litmus_is(p, "-"))) {
        *value = litmus_number(p);
        return -1;
    }
    if (right && !colon_follows(p) && p->token.kind == LITMUS_T_WORD) {
        *value = LITMUS_ADDRESS(known_location(p));
        return -1;
    }
    return parse_observable(p);
}

static int add_node(struct litmus_parser *p, enum litmus_node_kind kind, int left, int right)
{
    struct litmus_test *t = p->t;
    if (t->nnodes == LITMUS_NODES)
        litmus_error(p, &p->token, "the condition is too long");
    t->node[t->nnodes] = (struct litmus_node){ .kind = kind, .left = left, .right = right };
    return t->nnodes++;
}

static enum litmus_fn parse_comparison(struct litmus_parser *p)
{
    if (litmus_take(p, "=")) {
        litmus_take(p, "=");
        return LITMUS_EQ;
    }
    if (litmus_take(p, "!")) {
        litmus_expect(p, "=");
        return LITMUS_NE;
    }
    if (litmus_take(p, "<"))
        return litmus_take(p, "=") ? LITMUS_LE : litmus_take(p, ">") ? LITMUS_NE : LITMUS_LT;
    if (litmus_take(p, ">"))
        return litmus_take(p, "=") ? LITMUS_GE : LITMUS_GT;
    litmus_expected(p, &p->token, "expected a comparison");
}

static int parse_either(struct litmus_parser *p);

static int parse_atom(struct litmus_parser *p)
{
    if (litmus_take(p, "~") || litmus_take(p, "not")) {
        int inner = parse_atom(p);
        return add_node(p, LITMUS_NOT, inner, -1);
    }
    if (litmus_take(p, "(")) {
        int inner = parse_either(p);
        litmus_expect(p, ")");
        return inner;
    }
    if (litmus_take(p, "true"))
        return add_node(p, LITMUS_TRUE, -1, -1);
    int64_t left_value, right_value;
    struct litmus_token at = p->token;
    int left = parse_side(p, &left_value, false);
    enum litmus_fn fn = parse_comparison(p);
    int right = parse_side(p, &right_value, true);
    int n = add_node(p, LITMUS_COMPARE, left, right);
    p->t->node[n].fn = fn;
    p->t->node[n].left_value = left_value;
    p->t->node[n].right_value = right_value;
    p->t->node[n].line = at.line;
    p->t->node[n].col = at.col;
    return n;
}

static bool take_two(struct litmus_parser *p, const char *first, const char *second)
{
    if (!litmus_is(p, first) || p->p == p->end || *p->p != *second)
        return false;
    litmus_next(p);
    litmus_next(p);
    return true;
}

static int parse_both(struct litmus_parser *p)
{
    int left = parse_atom(p);
    while (take_two(p, "/", "\\") || take_two(p, "&", "&")) {
        int right = parse_atom(p);
        left = add_node(p, LITMUS_BOTH, left, right);
    }
    return left;
}

static int parse_either(struct litmus_parser *p)
{
    int left = parse_both(p);
    while (take_two(p, "\\", "/") || take_two(p, "|", "|")) {
        int right = parse_both(p);
        left = add_node(p, LITMUS_EITHER, left, right);
    }
    return left;
}

static void parse_locations(struct litmus_parser *p)
{
    litmus_expect(p, "[");
    while (!litmus_take(p, "]")) {
        parse_observable(p);
        if (!litmus_is(p, "]"))
            litmus_expect(p, ";");
    }
}

/* The text from `from` to the last token, with single spaces. */
static char *one_line(const char *from, const char *to)
{
    char *text = mem_alloc((size_t)(to - from) + 1, 1, "a condition");
    size_t n = 0;
    for (; from < to; from++) {
        bool space = isspace((unsigned char)*from);
        if (!space)
            text[n++] = *from;
        else if (n && text[n - 1] != ' ')
            text[n++] = ' ';
    }
    while (n && text[n - 1] == ' ')
        n--;
    text[n] = 0;
    return text;
}

/* Old suites add what tools are to do with the test: "with tso: ~exists; ...", "<< show 0 >>". */
static void skip_notes(struct litmus_parser *p)
{
    litmus_take(p, ";");
    if (litmus_is(p, "with") || (litmus_is(p, "<") && p->p < p->end && *p->p == '<')) {
        p->p = p->end;
        litmus_next(p);
    }
}

static void parse_condition(struct litmus_parser *p)
{
    struct litmus_test *t = p->t;
    const char *from = p->token.at;
    t->quantifier = LITMUS_EXISTS;
    if (litmus_take(p, "~")) {
        t->quantifier = LITMUS_NOT_EXISTS;
        litmus_expect(p, "exists");
    } else if (litmus_take(p, "forall"))
        t->quantifier = LITMUS_FORALL;
    else if (!litmus_take(p, "final"))
        litmus_expect(p, "exists");
    t->condition = parse_either(p);
    t->condition_text = one_line(from, p->token.at);
    skip_notes(p);
    if (p->token.kind != LITMUS_T_END)
        litmus_expected(p, &p->token, "expected the end of the file");
}

/* ---- checks of the whole test ---- */

static bool is_access(const struct litmus_op *o)
{
    return o->kind == LITMUS_LOAD || o->kind == LITMUS_STORE || o->kind == LITMUS_RMW;
}

static struct litmus_token position(const struct litmus_op *o)
{
    return (struct litmus_token){ .line = o->line, .col = o->col };
}

/* All accesses have one size, which is that of every location. */
static void check_sizes(struct litmus_parser *p)
{
    uint8_t size = 0;
    for (int i = 0; i < p->t->nthreads; i++)
        for (const struct litmus_op *o = p->t->thread[i].op; o < p->t->thread[i].op + p->t->thread[i].nops; o++) {
            struct litmus_token at = position(o);
            if (!is_access(o))
                continue;
            if (size && o->size != size)
                litmus_error(p, &at, "accesses of different sizes are not supported");
            size = o->size;
        }
    for (int l = 0; l < p->t->nlocations; l++) {
        struct litmus_location *at = &p->t->location[l];
        if (at->size && size && at->size != size)
            litmus_error(p, &p->location_at[l], "%s has %d bytes, and is accessed as %d: different sizes are not "
                         "supported", at->name, at->size, size);
        at->size = size ? size : 4;
    }
}

static bool same_block(const struct litmus_thread *a, const struct litmus_thread *b)
{
    return a->cta == b->cta && a->gpu == b->gpu;
}

static bool has_barrier(const struct litmus_thread *t, int id)
{
    for (int i = 0; i < t->nops; i++)
        if (t->op[i].kind == LITMUS_BARRIER && t->op[i].id == id)
            return true;
    return false;
}

/* A barrier waits for all threads of the block. */
static void check_barriers(struct litmus_parser *p)
{
    for (int i = 0; i < p->t->nthreads; i++)
        for (int k = 0; k < p->t->thread[i].nops; k++) {
            const struct litmus_op *o = &p->t->thread[i].op[k];
            struct litmus_token at = position(o);
            for (int j = 0; o->kind == LITMUS_BARRIER && j < p->t->nthreads; j++)
                if (same_block(&p->t->thread[i], &p->t->thread[j]) && !has_barrier(&p->t->thread[j], o->id))
                    litmus_error(p, &at, "P%d is in the same block and has no barrier %d: the barrier never ends", j,
                                 o->id);
        }
}

/* A test whose condition names nothing observes what its loads return. */
static void observe_loads(struct litmus_parser *p)
{
    for (int i = 0; i < p->t->nthreads; i++)
        for (const struct litmus_op *o = p->t->thread[i].op; o < p->t->thread[i].op + p->t->thread[i].nops; o++)
            if (is_access(o) && o->dst >= 0 && !p->t->thread[i].reg[o->dst].hidden)
                observe(p, i, o->dst);
}

/* ---- widths of registers ---- */

static bool wide_operand(const struct litmus_thread *t, const struct litmus_operand *a)
{
    return a->kind == LITMUS_LOC || (a->kind == LITMUS_REG && t->reg[a->index].wide);
}

static bool widen(struct litmus_thread *t, int reg)
{
    bool new = !t->reg[reg].wide;
    t->reg[reg].wide = true;
    return new;
}

/* True if another register has become wide. Where accesses have 8 bytes, all are whose instructions do not tell. */
static bool widen_once(const struct litmus_test *test, struct litmus_thread *t)
{
    bool changed = false;
    for (int r = 0; r < t->nregs; r++)
        if (litmus_location_of(test, t->reg[r].init) >= 0 || t->reg[r].size == 8 ||
            (test->nlocations && test->location[0].size == 8 && t->reg[r].size != 4))
            changed |= widen(t, r);
    for (const struct litmus_op *o = t->op; o < t->op + t->nops; o++) {
        if (is_access(o) && o->address.kind == LITMUS_REG)
            changed |= widen(t, o->address.index);
        bool wide = is_access(o) ? o->size == 8 : wide_operand(t, &o->a) || wide_operand(t, &o->b);
        if (o->dst >= 0 && wide)
            changed |= widen(t, o->dst);
    }
    return changed;
}

/* ---- values ---- */

static void fit_initial_values(struct litmus_parser *p)
{
    for (int l = 0; l < p->t->nlocations; l++)
        if (p->t->location[l].size == 4)
            litmus_fit(p, &p->location_at[l], &p->t->location[l].init);
    for (int i = 0; i < p->t->nthreads; i++)
        for (int r = 0; r < p->t->thread[i].nregs; r++)
            if (!p->t->thread[i].reg[r].wide)
                litmus_fit(p, &p->register_at[i][r], &p->t->thread[i].reg[r].init);
}

static void fit_operands(struct litmus_parser *p, const struct litmus_thread *t, struct litmus_op *o)
{
    struct litmus_token at = position(o);
    bool wide = is_access(o) ? o->size == 8 : o->dst >= 0 ? t->reg[o->dst].wide
                                                          : wide_operand(t, &o->a) || wide_operand(t, &o->b);
    if (!wide && o->a.kind == LITMUS_VALUE)
        litmus_fit(p, &at, &o->a.value);
    if (!wide && o->b.kind == LITMUS_VALUE)
        litmus_fit(p, &at, &o->b.value);
}

static bool wide_observed(const struct litmus_test *t, int i)
{
    const struct litmus_observed *o = &t->observed[i];
    return o->thread < 0 ? t->location[o->index].size == 8 : t->thread[o->thread].reg[o->index].wide;
}

/* The value that is compared with an observable of 4 bytes, unless it is an address. */
static void fit_comparison(struct litmus_parser *p, struct litmus_node *n)
{
    struct litmus_token at = { .line = n->line, .col = n->col };
    int observed = n->left >= 0 ? n->left : n->right;
    int64_t *value = n->left >= 0 ? &n->right_value : &n->left_value;
    bool constant = n->left < 0 || n->right < 0;
    if (observed >= 0 && constant && !wide_observed(p->t, observed) && litmus_location_of(p->t, *value) < 0)
        litmus_fit(p, &at, value);
}

static void fit_values(struct litmus_parser *p)
{
    fit_initial_values(p);
    for (int i = 0; i < p->t->nthreads; i++)
        for (int k = 0; k < p->t->thread[i].nops; k++)
            fit_operands(p, &p->t->thread[i], &p->t->thread[i].op[k]);
    for (int n = 0; n < p->t->nnodes; n++)
        if (p->t->node[n].kind == LITMUS_COMPARE)
            fit_comparison(p, &p->t->node[n]);
}

static void parse_test(struct litmus_parser *p)
{
    parse_header(p);
    parse_init(p);
    parse_columns(p);
    while (!code_ends(p))
        parse_row(p);
    resolve_labels(p);
    parse_scopes(p);
    if (litmus_take(p, "locations"))
        parse_locations(p);
    p->t->filter = litmus_take(p, "filter") ? parse_either(p) : -1;
    parse_condition(p);
    if (!p->t->nobserved)
        observe_loads(p);
    check_sizes(p);
    check_barriers(p);
    for (int i = 0; i < p->t->nthreads; i++)
        while (widen_once(p->t, &p->t->thread[i]))
            continue;
    fit_values(p);
}

struct litmus_test *litmus_parse(const char *text, size_t len, struct diag *d)
{
    struct litmus_parser *p = mem_zero(1, sizeof *p, "a parser of litmus tests");
    *p = (struct litmus_parser){ .d = d, .p = text, .end = text + len, .line_start = text, .line = 1,
                                   .init_thread = -1 };
    struct litmus_test *t = p->t = mem_zero(1, sizeof *t, "a litmus test");
    memset(p->kept, -1, sizeof p->kept);
    bool ok = !setjmp(p->failed);
    if (ok)
        parse_test(p);
    free(p);
    if (ok)
        return t;
    litmus_free(t);
    return NULL;
}

void litmus_free(struct litmus_test *t)
{
    if (t)
        free(t->condition_text);
    free(t);
}
