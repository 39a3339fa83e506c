/* Expressions are evaluated while their text is parsed, by recursive descent (the language: expr.h). */
#include "frontend/paper/expr.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "frontend/paper/expr_functions.h"

enum { NAME_MAX_LENGTH = 96, DEPTH_MAX = 40 };

struct reader {
    struct expr_env *env;
    const char *at, *text;
    int depth;
};

static double conjunction(struct reader *r);

__attribute__((format(printf, 2, 3))) static double set_error(struct reader *r, const char *fmt, ...)
{
    struct expr_env *e = r->env;
    va_list ap;
    if (e->error[0])
        return NAN;
    va_start(ap, fmt);
    int n = vsnprintf(e->error, sizeof e->error, fmt, ap);
    va_end(ap);
    if (n >= 0 && n < (int)sizeof e->error)
        snprintf(e->error + n, sizeof e->error - (size_t)n, " in '%s'", r->text);
    return NAN;
}

static void skip_blanks(struct reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

static bool accept(struct reader *r, const char *token)
{
    skip_blanks(r);
    size_t n = strlen(token);
    if (strncmp(r->at, token, n))
        return false;
    r->at += n;
    return true;
}

static bool expect(struct reader *r, const char *token)
{
    if (accept(r, token))
        return true;
    set_error(r, "'%s' is missing", token);
    return false;
}

/* Characters of `set`, after blanks; false when there are none. */
static bool word(struct reader *r, const char *set, char out[NAME_MAX_LENGTH])
{
    skip_blanks(r);
    size_t n = strspn(r->at, set);
    if (n == 0 || n >= NAME_MAX_LENGTH)
        return false;
    memcpy(out, r->at, n);
    out[n] = 0;
    r->at += n;
    return true;
}

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
static const char NAMES[] = LETTERS ".", LISTS[] = LETTERS ".+-", CONFIGS[] = LETTERS, TEXTS[] = LETTERS ".-";

/* ---- comparisons as text ---- */

static void add_relation(struct expr_env *e, double a, const char *sign, double b)
{
    if (e->relations)
        text_append(e->relations, e->relations_size, "%s%.4g %s %.4g", *e->relations ? " and " : "", a, sign, b);
}

/* ---- functions ---- */

/* "LIST: e)": e is evaluated for each member. */
static double call_list_function(struct reader *r, const char *name, expr_function *function)
{
    struct expr_env *e = r->env;
    int bench = e->bench, config = e->config, n = 0, more;
    char list[NAME_MAX_LENGTH], *relations = e->relations;
    double v[EXPR_LIST_MAX];
    if (!word(r, LISTS, list) || !expect(r, ":"))
        return set_error(r, "%s( takes a list and ':'", name);
    const char *body = r->at;
    e->relations = NULL;
    while ((more = e->member(e, list, n)) > 0 && n < EXPR_LIST_MAX && !e->error[0]) {
        r->at = body;
        v[n++] = conjunction(r);
        e->bench = bench;
        e->config = config;
    }
    e->relations = relations;
    if (more < 0 || n == 0)
        return set_error(r, "'%s' is no list", list);
    if (more > 0 && !e->error[0])
        return set_error(r, "'%s' is too long a list", list);
    return expect(r, ")") ? function(v, n) : NAN;
}

static double key_is_text(struct reader *r)
{
    char key[NAME_MAX_LENGTH], text[NAME_MAX_LENGTH];
    if (!word(r, NAMES, key) || !expect(r, ",") || !word(r, TEXTS, text) || !expect(r, ")"))
        return set_error(r, "is( takes a key and a value");
    const char *value = r->env->key(r->env, key);
    if (value && r->env->relations)
        text_append(r->env->relations, r->env->relations_size, "%s%s is %s", *r->env->relations ? " and " : "", key,
                    value);
    return value ? !strcmp(value, text) : NAN;
}

static double call(struct reader *r, const char *name)
{
    expr_function *function = expr_list_function(name);
    if (function)
        return call_list_function(r, name, function);
    if (!strcmp(name, "is"))
        return key_is_text(r);
    double v[EXPR_ARGUMENTS_MAX];
    int n = 0;
    do
        v[n++] = conjunction(r);
    while (n < EXPR_ARGUMENTS_MAX && accept(r, ","));
    if (!(function = expr_value_function(name, n)))
        return set_error(r, "no function %s of %d values", name, n);
    if (!strcmp(name, "near"))
        add_relation(r->env, v[0], "near", v[1]);
    return expect(r, ")") ? function(v, n) : NAN;
}

/* ---- grammar ---- */

static double key_number(struct reader *r)
{
    char key[NAME_MAX_LENGTH], *end;
    if (!word(r, NAMES, key))
        return set_error(r, "$ without a key");
    const char *text = r->env->key(r->env, key);
    if (!text)
        return NAN;
    if (!strcmp(text, "true") || !strcmp(text, "false"))
        return text[0] == 't';
    double v = strtod(text, &end);
    return *end ? set_error(r, "%s is no number", key) : v;
}

static double atom(struct reader *r)
{
    char name[NAME_MAX_LENGTH], *end;
    skip_blanks(r);
    if (accept(r, "(")) {
        double v = conjunction(r);
        return expect(r, ")") ? v : NAN;
    }
    if (accept(r, "$"))
        return key_number(r);
    if (isdigit((unsigned char)*r->at)) {
        double v = strtod(r->at, &end);
        r->at = end;
        return v;
    }
    if (!word(r, NAMES, name))
        return set_error(r, "a value is missing at '%s'", r->at);
    return accept(r, "(") ? call(r, name) : r->env->name(r->env, name);
}

/* The end of the primary that begins at `at`: after its parentheses, or after its name or number. */
static const char *primary_end(const char *at)
{
    int open = 0;
    at += strspn(at, " ");
    at += strspn(at, LETTERS ".$");
    if (*at != '(')
        return at;
    do {
        open += *at == '(';
        open -= *at == ')';
        at++;
    } while (*at && open);
    return at;
}

/* The configuration after '@' is selected before the primary in front of it is evaluated. */
static double primary(struct reader *r)
{
    struct expr_env *e = r->env;
    int config = e->config;
    char name[NAME_MAX_LENGTH];
    struct reader ahead = *r;
    ahead.at = primary_end(r->at);
    if (*ahead.at != '@')
        return atom(r);
    ahead.at++;
    if (!word(&ahead, CONFIGS, name) || !e->select(e, name))
        return set_error(r, "no configuration after '@'");
    double v = atom(r);
    e->config = config;
    r->at = ahead.at;
    return v;
}

static double product(struct reader *r)
{
    double v = primary(r);
    for (;;) {
        if (accept(r, "*"))
            v *= primary(r);
        else if (accept(r, "/")) {
            double by = primary(r);
            v = by == 0 ? NAN : v / by;
        } else
            return v;
    }
}

static double sum(struct reader *r)
{
    double v = product(r);
    for (;;) {
        if (accept(r, "+"))
            v += product(r);
        else if (accept(r, "-"))
            v -= product(r);
        else
            return v;
    }
}

static double comparison(struct reader *r)
{
    static const char *const signs[] = { "<=", ">=", "==", "<", ">" };
    double a = sum(r);
    for (int i = 0; i < 5; i++)
        if (accept(r, signs[i])) {
            double b = sum(r);
            add_relation(r->env, a, signs[i], b);
            bool holds[] = { a <= b, a >= b, a == b, a < b, a > b };
            return isnan(a) || isnan(b) ? NAN : holds[i];
        }
    return a;
}

static double conjunction(struct reader *r)
{
    if (++r->depth > DEPTH_MAX)
        return set_error(r, "nested too deeply");
    double v = comparison(r);
    while (accept(r, "&")) {
        double b = comparison(r);
        v = isnan(v) || isnan(b) ? NAN : v != 0 && b != 0;
    }
    r->depth--;
    return v;
}

double expr_value(struct expr_env *e, const char *text)
{
    struct reader r = { .env = e, .at = text, .text = text };
    double v = conjunction(&r);
    skip_blanks(&r);
    if (*r.at && !e->error[0])
        set_error(&r, "unexpected '%s'", r.at);
    return e->error[0] ? NAN : v;
}
