/* Tokens of litmus tests, errors at their positions, and what the dialects share. */
#include "frontend/litmus/litmus_impl.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void litmus_error(struct litmus_parser *p, const struct litmus_token *at, const char *fmt, ...)
{
    char text[300];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    diag_error(p->d, at->line, at->col, "%s", text);
    longjmp(p->failed, 1);
}

void litmus_expected(struct litmus_parser *p, const struct litmus_token *found, const char *expected)
{
    if (found->kind == LITMUS_T_END)
        litmus_error(p, found, "%s, found the end of the file", expected);
    litmus_error(p, found, "%s, found '%.*s'", expected, found->len < 40 ? found->len : 40, found->at);
}

/* ---- tokens ---- */

static void advance(struct litmus_parser *p)
{
    if (*p->p++ == '\n') {
        p->line++;
        p->line_start = p->p;
    }
}

static struct litmus_token here(const struct litmus_parser *p, enum litmus_token_kind kind)
{
    return (struct litmus_token){ .kind = kind, .at = p->p, .line = p->line, .col = (int)(p->p - p->line_start) + 1 };
}

static bool starts_comment(const struct litmus_parser *p)
{
    return p->end - p->p > 1 && p->p[0] == '(' && p->p[1] == '*';
}

static void skip_comment(struct litmus_parser *p)
{
    struct litmus_token start = here(p, LITMUS_T_SYMBOL);
    while (p->p < p->end && !(p->p[0] == '*' && p->end - p->p > 1 && p->p[1] == ')'))
        advance(p);
    if (p->p == p->end)
        litmus_error(p, &start, "the comment has no end");
    p->p += 2;
}

static void skip_space(struct litmus_parser *p)
{
    while (p->p < p->end && (isspace((unsigned char)*p->p) || starts_comment(p))) {
        if (starts_comment(p))
            skip_comment(p);
        else
            advance(p);
    }
}

static bool word_start(int c)
{
    return isalpha(c) || c == '_' || c == '%' || c == '.';
}

static void lex_string(struct litmus_parser *p, struct litmus_token *k)
{
    advance(p);
    while (p->p < p->end && *p->p != '"')
        advance(p);
    if (p->p == p->end)
        litmus_error(p, k, "the string has no end");
    advance(p);
}

static void lex_number(struct litmus_parser *p, struct litmus_token *k)
{
    char digits[24];
    int n = 0;
    while (p->p < p->end && isalnum((unsigned char)*p->p)) {
        if (n == sizeof digits - 1)
            litmus_error(p, k, "the number is too long");
        digits[n++] = *p->p++;
    }
    digits[n] = 0;
    char *rest;
    errno = 0;
    k->number = (int64_t)strtoull(digits, &rest, 0);
    if (*rest)
        litmus_error(p, k, "'%s' is not a number", digits);
    if (errno)
        litmus_error(p, k, "the number is larger than 64 bits");
}

void litmus_next(struct litmus_parser *p)
{
    skip_space(p);
    struct litmus_token k = here(p, LITMUS_T_END);
    if (p->p < p->end) {
        unsigned char c = (unsigned char)*p->p;
        if (c == '"') {
            k.kind = LITMUS_T_STRING;
            lex_string(p, &k);
        } else if (isdigit(c)) {
            k.kind = LITMUS_T_NUMBER;
            lex_number(p, &k);
        } else if (word_start(c)) {
            k.kind = LITMUS_T_WORD;
            while (p->p < p->end && (isalnum((unsigned char)*p->p) || word_start((unsigned char)*p->p)))
                p->p++;
        } else {
            k.kind = LITMUS_T_SYMBOL;
            advance(p);
        }
    }
    k.len = (int)(p->p - k.at);
    p->token = k;
}

bool litmus_is(const struct litmus_parser *p, const char *text)
{
    return p->token.kind != LITMUS_T_END && p->token.kind != LITMUS_T_STRING && (size_t)p->token.len == strlen(text) &&
           !strncasecmp(p->token.at, text, (size_t)p->token.len);
}

bool litmus_take(struct litmus_parser *p, const char *text)
{
    if (!litmus_is(p, text))
        return false;
    litmus_next(p);
    return true;
}

void litmus_expect(struct litmus_parser *p, const char *text)
{
    if (litmus_take(p, text))
        return;
    char expected[40];
    snprintf(expected, sizeof expected, "expected '%s'", text);
    litmus_expected(p, &p->token, expected);
}

void litmus_text(const struct litmus_token *k, char out[LITMUS_NAME])
{
    snprintf(out, LITMUS_NAME, "%.*s", k->len, k->at);
}

int64_t litmus_negated(int64_t value)
{
    return (int64_t)(0 - (uint64_t)value);
}

int64_t litmus_number(struct litmus_parser *p)
{
    bool minus = litmus_take(p, "-");
    struct litmus_token k = p->token;
    if (k.kind != LITMUS_T_NUMBER)
        litmus_expected(p, &k, "expected a number");
    litmus_next(p);
    return minus ? litmus_negated(k.number) : k.number;
}

void litmus_fit(struct litmus_parser *p, const struct litmus_token *at, int64_t *value)
{
    if (*value < INT32_MIN || *value > UINT32_MAX)
        litmus_error(p, at, "the value %" PRId64 " needs more than 4 bytes", *value);
    *value = (int32_t)*value;
}

int litmus_split(struct litmus_parser *p, const struct litmus_token *k, char buffer[80], char *part[8])
{
    int n = 0;
    if (k->kind != LITMUS_T_WORD || k->len >= 80)
        litmus_expected(p, k, "expected an instruction");
    for (int i = 0; i <= k->len; i++)
        buffer[i] = i < k->len ? (char)tolower((unsigned char)k->at[i]) : 0;
    for (char *s = buffer; s; n++) {
        if (n == 8)
            litmus_error(p, k, "'%.*s' has too many parts", k->len, k->at);
        part[n] = strsep(&s, ".");
    }
    return n;
}

/* ---- names ---- */

int litmus_find_register(const struct litmus_thread *t, const char *name)
{
    for (int i = 0; i < t->nregs; i++)
        if (!t->reg[i].hidden && !strcmp(t->reg[i].name, name))
            return i;
    return -1;
}

int litmus_register_at(struct litmus_parser *p, int thread, const char *name, const struct litmus_token *at)
{
    struct litmus_thread *t = &p->t->thread[thread];
    int i = litmus_find_register(t, name);
    if (i >= 0)
        return i;
    if (t->nregs == LITMUS_REGISTERS)
        litmus_error(p, at, "more than %d registers in a thread", LITMUS_REGISTERS);
    snprintf(t->reg[t->nregs].name, LITMUS_NAME, "%s", name);
    return t->nregs++;
}

int litmus_hidden_register(struct litmus_parser *p, const struct litmus_token *at)
{
    struct litmus_thread *t = &p->t->thread[p->thread];
    if (t->nregs == LITMUS_REGISTERS)
        litmus_error(p, at, "more than %d registers in a thread", LITMUS_REGISTERS);
    t->reg[t->nregs].hidden = true;
    return t->nregs++;
}

int litmus_find_location(const struct litmus_test *t, const char *name)
{
    for (int i = 0; i < t->nlocations; i++)
        if (!strcmp(t->location[i].name, name))
            return i;
    return -1;
}

int litmus_location_at(struct litmus_parser *p, const char *name, const struct litmus_token *at)
{
    struct litmus_test *t = p->t;
    int i = litmus_find_location(t, name);
    if (i >= 0)
        return i;
    if (t->nlocations == LITMUS_LOCATIONS)
        litmus_error(p, at, "more than %d locations", LITMUS_LOCATIONS);
    snprintf(t->location[t->nlocations].name, LITMUS_NAME, "%s", name);
    return t->nlocations++;
}

/* ---- operations ---- */

struct litmus_operand litmus_reg_operand(int reg)
{
    return (struct litmus_operand){ .kind = LITMUS_REG, .index = reg };
}

struct litmus_operand litmus_value_operand(int64_t value)
{
    return (struct litmus_operand){ .kind = LITMUS_VALUE, .value = value };
}

struct litmus_operand litmus_loc_operand(int location)
{
    return (struct litmus_operand){ .kind = LITMUS_LOC, .index = location, .value = LITMUS_ADDRESS(location) };
}

struct litmus_op *litmus_add_op(struct litmus_parser *p, enum litmus_kind kind, const struct litmus_token *at)
{
    struct litmus_thread *t = &p->t->thread[p->thread];
    if (t->nops == LITMUS_OPS)
        litmus_error(p, at, "more than %d operations in a thread", LITMUS_OPS);
    struct litmus_op *o = &t->op[t->nops++];
    *o = (struct litmus_op){ .kind = kind, .dst = -1, .sem = LITMUS_RELAXED, .scope = LITMUS_GPU, .size = 4,
                             .line = at->line, .col = at->col };
    return o;
}

void litmus_add_branch(struct litmus_parser *p, enum litmus_fn fn, struct litmus_operand a, struct litmus_operand b,
                       const struct litmus_token *at)
{
    struct litmus_op *o = litmus_add_op(p, LITMUS_BRANCH, at);
    o->fn = fn;
    o->a = a;
    o->b = b;
    if (p->token.kind != LITMUS_T_WORD)
        litmus_expected(p, &p->token, "expected a label");
    if (p->njumps == LITMUS_OPS)
        litmus_error(p, at, "more than %d branches", LITMUS_OPS);
    p->jump[p->njumps++] = (struct litmus_jump){ p->token, p->thread, p->t->thread[p->thread].nops - 1 };
    litmus_next(p);
}
