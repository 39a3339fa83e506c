/* Figures computed from others: evaluated while the text is read (see expr.h). */
#include "frontend/paper/expr.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_LENGTH = 96, LIST_MAX = 64, DEPTH_MAX = 40 };

struct reader {
    struct expr_env *env;
    const char *at, *text;
    int depth;
};

static double sum(struct reader *r);
static double whole(struct reader *r);

__attribute__((format(printf, 2, 3))) static double wrong(struct reader *r, const char *fmt, ...)
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

static void blanks(struct reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

static bool take(struct reader *r, const char *token)
{
    blanks(r);
    size_t n = strlen(token);
    if (strncmp(r->at, token, n))
        return false;
    r->at += n;
    return true;
}

static bool need(struct reader *r, const char *token)
{
    if (take(r, token))
        return true;
    wrong(r, "'%s' is missing", token);
    return false;
}

/* Characters of `set`, after blanks; false when there are none. */
static bool word(struct reader *r, const char *set, char out[NAME_MAX_LENGTH])
{
    blanks(r);
    size_t n = strspn(r->at, set);
    if (n == 0 || n >= NAME_MAX_LENGTH)
        return false;
    memcpy(out, r->at, n);
    out[n] = 0;
    r->at += n;
    return true;
}

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
static const char NAMES[] = LETTERS ".", LISTS[] = LETTERS ".+-", CONFIGS[] = LETTERS;

/* ---- functions ---- */

double expr_mean(enum expr_mean_kind kind, const double *v, int n)
{
    double total = 0;
    for (int i = 0; i < n; i++)
        total += kind == EXPR_MEAN_GEOMETRIC ? log(v[i]) : kind == EXPR_MEAN_HARMONIC ? 1 / v[i] : v[i];
    if (n == 0)
        return NAN;
    return kind == EXPR_MEAN_GEOMETRIC ? exp(total / n) : kind == EXPR_MEAN_HARMONIC ? n / total : total / n;
}

static double of_arithmetic(const double *v, int n) { return expr_mean(EXPR_MEAN_ARITHMETIC, v, n); }
static double of_geometric(const double *v, int n) { return expr_mean(EXPR_MEAN_GEOMETRIC, v, n); }
static double of_harmonic(const double *v, int n) { return expr_mean(EXPR_MEAN_HARMONIC, v, n); }
static double of_sum(const double *v, int n) { return n * expr_mean(EXPR_MEAN_ARITHMETIC, v, n); }

static double of_argmax(const double *v, int n)
{
    int best = 0;
    for (int i = 0; i < n; i++) {
        if (isnan(v[i]))
            return NAN;
        best = v[i] > v[best] ? i : best;
    }
    return n ? best : NAN;
}

static double of_most(const double *v, int n)
{
    double at = of_argmax(v, n);
    return isnan(at) ? NAN : v[(int)at];
}

static double of_least(const double *v, int n)
{
    double negative[LIST_MAX];
    for (int i = 0; i < n; i++)
        negative[i] = -v[i];
    return -of_most(negative, n);
}

static const struct over { const char *name; double (*of)(const double *v, int n); } overs[] = {
    { "mean", of_arithmetic }, { "gmean", of_geometric }, { "hmean", of_harmonic }, { "sum", of_sum },
    { "most", of_most }, { "least", of_least }, { "argmax", of_argmax },
};

/* LIST: e) with e evaluated for every member. */
static double over_list(struct reader *r, const struct over *f)
{
    struct expr_env *e = r->env;
    int bench = e->bench, config = e->config, n = 0, more;
    char list[NAME_MAX_LENGTH];
    double v[LIST_MAX];
    if (!word(r, LISTS, list) || !need(r, ":"))
        return wrong(r, "%s( takes a list and ':'", f->name);
    const char *body = r->at;
    while ((more = e->member(e, list, n)) > 0 && n < LIST_MAX && !e->error[0]) {
        r->at = body;
        v[n++] = whole(r);
        e->bench = bench;
        e->config = config;
    }
    if (more < 0 || n == 0)
        return wrong(r, "'%s' is no list", list);
    return need(r, ")") ? f->of(v, n) : NAN;
}

static double is_text(struct reader *r)
{
    char key[NAME_MAX_LENGTH], text[NAME_MAX_LENGTH];
    if (!word(r, NAMES, key) || !need(r, ",") || !word(r, NAMES, text) || !need(r, ")"))
        return wrong(r, "is( takes a key and a value");
    const char *value = r->env->key(r->env, key);
    return value ? !strcmp(value, text) : NAN;
}

static double of_arguments(const char *name, const double *v, int n, bool *known)
{
    *known = true;
    if (!strcmp(name, "abs") && n == 1)
        return fabs(v[0]);
    if (!strcmp(name, "floor") && n == 1)
        return floor(v[0]);
    if (!strcmp(name, "near") && n == 3)
        return isnan(v[0] + v[1]) ? NAN : fabs(v[0] - v[1]) <= v[2] * fabs(v[1]);
    if (n == 2 && (!strcmp(name, "max") || !strcmp(name, "min")))
        return isnan(v[0] + v[1]) ? NAN : (v[0] > v[1]) == (name[1] == 'a') ? v[0] : v[1];
    *known = false;
    return NAN;
}

static double call(struct reader *r, const char *name)
{
    for (size_t i = 0; i < sizeof overs / sizeof *overs; i++)
        if (!strcmp(name, overs[i].name))
            return over_list(r, &overs[i]);
    if (!strcmp(name, "is"))
        return is_text(r);
    double v[3];
    int n = 0;
    bool known;
    do
        v[n++] = whole(r);
    while (n < 3 && take(r, ","));
    double result = of_arguments(name, v, n, &known);
    if (!known)
        return wrong(r, "no function %s of %d values", name, n);
    return need(r, ")") ? result : NAN;
}

/* ---- grammar ---- */

static double key_number(struct reader *r)
{
    char key[NAME_MAX_LENGTH], *end;
    if (!word(r, NAMES, key))
        return wrong(r, "$ without a key");
    const char *text = r->env->key(r->env, key);
    if (!text)
        return NAN;
    if (!strcmp(text, "true") || !strcmp(text, "false"))
        return text[0] == 't';
    double v = strtod(text, &end);
    return *end ? wrong(r, "%s is no number", key) : v;
}

static double bare(struct reader *r)
{
    char name[NAME_MAX_LENGTH], *end;
    blanks(r);
    if (take(r, "(")) {
        double v = whole(r);
        return need(r, ")") ? v : NAN;
    }
    if (take(r, "$"))
        return key_number(r);
    if (isdigit((unsigned char)*r->at)) {
        double v = strtod(r->at, &end);
        r->at = end;
        return v;
    }
    if (!word(r, NAMES, name))
        return wrong(r, "a value is missing at '%s'", r->at);
    return take(r, "(") ? call(r, name) : r->env->name(r->env, name);
}

/* The end of a primary that begins at `at`: behind its parentheses, or its name or number. */
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

/* What stands after '@' is needed before what stands in front of it. */
static double primary(struct reader *r)
{
    struct expr_env *e = r->env;
    int config = e->config;
    char name[NAME_MAX_LENGTH];
    struct reader ahead = *r;
    ahead.at = primary_end(r->at);
    if (*ahead.at != '@')
        return bare(r);
    ahead.at++;
    if (!word(&ahead, CONFIGS, name) || !e->select(e, name))
        return wrong(r, "no configuration after '@'");
    double v = bare(r);
    e->config = config;
    r->at = ahead.at;
    return v;
}

static double product(struct reader *r)
{
    double v = primary(r);
    for (;;) {
        if (take(r, "*"))
            v *= primary(r);
        else if (take(r, "/")) {
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
        if (take(r, "+"))
            v += product(r);
        else if (take(r, "-"))
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
        if (take(r, signs[i])) {
            double b = sum(r);
            bool holds[] = { a <= b, a >= b, a == b, a < b, a > b };
            return isnan(a) || isnan(b) ? NAN : holds[i];
        }
    return a;
}

static double whole(struct reader *r)
{
    if (++r->depth > DEPTH_MAX)
        return wrong(r, "nested too deeply");
    double v = comparison(r);
    while (take(r, "&")) {
        double b = comparison(r);
        v = isnan(v) || isnan(b) ? NAN : v != 0 && b != 0;
    }
    r->depth--;
    return v;
}

double expr_value(struct expr_env *e, const char *text)
{
    struct reader r = { .env = e, .at = text, .text = text };
    double v = whole(&r);
    blanks(&r);
    if (*r.at && !e->error[0])
        wrong(&r, "'%s' is too much", r.at);
    return e->error[0] ? NAN : v;
}
