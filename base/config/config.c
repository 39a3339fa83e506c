/* Configuration: the table of keys, values with their origin, and setting by text. */
#include "base/config/config.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define CHOICES(array) extern const char array[];
#define CONFIG_ROWS "configs/keys.def"
#include "base/config/config_rows.h"

#define CHOICE_TEXT(enumerator, text) "|" text
#define INT_KEY(id, field, name, def, lo, hi, unit, scope, help, source) \
    [KEY_##id] = { name, #def, CONFIG_INT, CONFIG_##scope, lo, hi, NULL, unit, help, source },
#define REAL_KEY(id, field, name, def, lo, hi, unit, scope, help, source) \
    [KEY_##id] = { name, #def, CONFIG_REAL, CONFIG_##scope, lo, hi, NULL, unit, help, source },
#define BOOL_KEY(id, field, name, def, scope, help, source) \
    [KEY_##id] = { name, #def, CONFIG_BOOL, CONFIG_##scope, 0, 1, NULL, "", help, source },
#define ENUM_KEY(id, field, name, def, tag, LIST, scope, help, source) \
    [KEY_##id] = { name, def, CONFIG_ENUM, CONFIG_##scope, 0, 0, LIST(CHOICE_TEXT) + 1, "", help, source },
#define CHOICE_KEY(id, field, name, def, choices, scope, help, source) \
    [KEY_##id] = { name, def, CONFIG_ENUM, CONFIG_##scope, 0, 0, choices, "", help, source },
#define TEXT_KEY(id, field, name, def, scope, help, source) \
    [KEY_##id] = { name, def, CONFIG_TEXT, CONFIG_##scope, 0, 0, NULL, "", help, source },
const struct config_key_info config_keys[KEY_COUNT] = {
#define CONFIG_ROWS "configs/keys.def"
#include "base/config/config_rows.h"
};
#undef CHOICE_TEXT

#define KERNEL_KEY(id, name, lo, hi, unit, help) \
    [KEY_##id] = { name, NULL, CONFIG_INT, CONFIG_MODEL, lo, hi, NULL, unit, help, "" },
const struct config_key_info config_kernel_keys[KERNEL_KEY_COUNT] = {
#define CONFIG_ROWS "configs/keys.def"
#include "base/config/config_rows.h"
};

struct value {
    char *text, *origin, *source;    /* origin, source: NULL = the table's */
    int64_t number;                  /* integer, truth value, position among the choices */
    double real;
    bool preset;                     /* set by a preset */
};

struct kernel_value {
    char *name;                      /* of the kernel */
    enum kernel_key key;
    struct value value;
};

struct simtx_config {
    struct value value[KEY_COUNT];
    struct kernel_value *kernel;
    size_t nkernel;
};

static char *copy_text(const char *s)
{
    return s ? mem_string(s) : NULL;
}

static void value_free(struct value *v)
{
    free(v->text);
    free(v->origin);
    free(v->source);
}

static void value_copy(struct value *to, const struct value *from)
{
    *to = *from;
    to->text = copy_text(from->text);
    to->origin = copy_text(from->origin);
    to->source = copy_text(from->source);
}

/* ---- text to value ---- */

static bool complain(struct diag *d, int line, const char *origin, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* An error at a line of d's file, or, when there is no line, with the origin in words. Always false. */
static bool complain(struct diag *d, int line, const char *origin, const char *fmt, ...)
{
    char text[800];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (line)
        diag_error(d, line, 1, "%s", text);
    else if (origin)
        diag_error(d, 0, 0, "%s: %s", origin, text);
    else
        diag_error(d, 0, 0, "%s", text);
    return false;
}

static int find_choice(const char *choices, const char *text)
{
    size_t n = strlen(text);
    for (int i = 0; choices; i++) {
        const char *end = strchr(choices, '|');
        size_t len = end ? (size_t)(end - choices) : strlen(choices);
        if (len == n && !memcmp(choices, text, n))
            return i;
        choices = end ? end + 1 : NULL;
    }
    return -1;
}

static int find_truth(const char *text)
{
    static const char *const words[] = { "false", "true", "no", "yes", "off", "on", "0", "1" };
    for (int i = 0; i < (int)(sizeof words / sizeof *words); i++)
        if (!strcmp(text, words[i]))
            return i & 1;
    return -1;
}

/* Numbers are shown without noise; a whole real number keeps its ".0". */
static char *number_text(const struct config_key_info *k, const struct value *v)
{
    char buf[64];
    if (k->type == CONFIG_INT)
        snprintf(buf, sizeof buf, "%lld", (long long)v->number);
    else
        snprintf(buf, sizeof buf, v->real == floor(v->real) && fabs(v->real) < 1e15 ? "%.1f" : "%.15g",
                 v->real);
    return copy_text(buf);
}

void config_range_text(const struct config_key_info *k, char *buf, size_t size)
{
    if (k->type == CONFIG_INT)
        snprintf(buf, size, "%lld to %lld", (long long)k->min, (long long)k->max);
    else
        snprintf(buf, size, "%.15g to %.15g", k->min, k->max);
}

static bool parse_number(const struct config_key_info *k, const char *name, const char *text,
                         struct value *out,
                         struct diag *d, const char *origin, int line)
{
    char *end = NULL;
    bool whole = k->type == CONFIG_INT;
    errno = 0;
    if (whole)
        out->number = strtoll(text, &end, 0), out->real = (double)out->number;
    else
        out->real = strtod(text, &end), out->number = (int64_t)(fabs(out->real) < 9e18 ? out->real : 0);
    if (end == text || *end || isspace((unsigned char)text[0]) || !isfinite(out->real))
        return complain(d, line, origin, "%s = %s: expected %s", name, text,
                        whole ? "an integer" : "a number");
    if (errno == ERANGE || out->real < k->min || out->real > k->max) {
        char range[64];
        config_range_text(k, range, sizeof range);
        return complain(d, line, origin, "%s = %s: out of range, %s%s%s", name, text, range, k->unit[0] ? " " : "",
                        k->unit);
    }
    out->text = number_text(k, out);
    return true;
}

/* Fills number, real and text of *out. */
static bool parse_value(const struct config_key_info *k, const char *name, const char *text,
                        struct value *out,
                        struct diag *d, const char *origin, int line)
{
    memset(out, 0, sizeof *out);
    if (k->type == CONFIG_INT || k->type == CONFIG_REAL)
        return parse_number(k, name, text, out, d, origin, line);
    if (k->type == CONFIG_BOOL) {
        int truth = find_truth(text);
        if (truth < 0)
            return complain(d, line, origin, "%s = %s: expected true or false", name, text);
        out->number = truth;
        out->text = copy_text(truth ? "true" : "false");
        return true;
    }
    if (k->type == CONFIG_ENUM) {
        out->number = find_choice(k->choices, text);
        if (out->number < 0)
            return complain(d, line, origin, "%s = %s: expected one of %s", name, text, k->choices);
    }
    out->text = copy_text(text);
    return true;
}

/* ---- start and end ---- */

struct simtx_config *config_new(void)
{
    struct simtx_config *c = mem_zero(1, sizeof *c, "the configuration");
    struct diag d = { 0 };
    for (int i = 0; i < KEY_COUNT; i++)
        if (!parse_value(&config_keys[i], config_keys[i].name, config_keys[i].fallback, &c->value[i], &d,
                         "default", 0)) {
            fputs(d.text, stderr);
            abort();
        }
    return c;
}

struct simtx_config *config_copy(const struct simtx_config *c)
{
    struct simtx_config *n = mem_zero(1, sizeof *n, "the configuration");
    for (int i = 0; i < KEY_COUNT; i++)
        value_copy(&n->value[i], &c->value[i]);
    n->kernel = mem_zero(c->nkernel, sizeof *n->kernel, "keys of kernels");
    for (n->nkernel = 0; n->nkernel < c->nkernel; n->nkernel++) {
        const struct kernel_value *from = &c->kernel[n->nkernel];
        struct kernel_value *to = &n->kernel[n->nkernel];
        *to = (struct kernel_value){ .name = copy_text(from->name), .key = from->key };
        value_copy(&to->value, &from->value);
    }
    return n;
}

void config_free(struct simtx_config *c)
{
    if (!c)
        return;
    for (int i = 0; i < KEY_COUNT; i++)
        value_free(&c->value[i]);
    for (size_t i = 0; i < c->nkernel; i++) {
        free(c->kernel[i].name);
        value_free(&c->kernel[i].value);
    }
    free(c->kernel);
    free(c);
}

void config_reset_machine(struct simtx_config *c)
{
    struct simtx_config *fresh = config_new();
    for (int i = 0; i < KEY_COUNT; i++)
        if (config_keys[i].scope == CONFIG_MODEL) {
            struct value old = c->value[i];
            c->value[i] = fresh->value[i];
            fresh->value[i] = old;
        }
    config_free(fresh);
}

/* ---- reading ---- */

int64_t config_int(const struct simtx_config *c, enum config_key k)
{
    return c->value[k].number;
}

double config_real(const struct simtx_config *c, enum config_key k)
{
    return c->value[k].real;
}

bool config_bool(const struct simtx_config *c, enum config_key k)
{
    return c->value[k].number != 0;
}

int config_choice(const struct simtx_config *c, enum config_key k)
{
    return (int)c->value[k].number;
}

const char *config_text(const struct simtx_config *c, enum config_key k)
{
    return c->value[k].text;
}

const char *config_origin(const struct simtx_config *c, enum config_key k)
{
    return c->value[k].origin;
}

const char *config_place(const struct simtx_config *c, enum config_key k)
{
    return c->value[k].origin ? c->value[k].origin : "default";
}

void config_mark_preset(struct simtx_config *c, enum config_key k)
{
    c->value[k].preset = true;
}

bool config_is_own(const struct simtx_config *c, enum config_key k)
{
    return c->value[k].origin && !c->value[k].preset;
}

struct config_setting config_setting(const struct simtx_config *c, enum config_key k)
{
    struct config_setting s;
    snprintf(s.text, sizeof s.text, "%s = %s (%s)", config_keys[k].name, config_text(c, k), config_place(c, k));
    return s;
}

const char *config_source(const struct simtx_config *c, enum config_key k)
{
    const struct value *v = &c->value[k];
    return v->source ? v->source : v->origin ? "" : config_keys[k].source;
}

/*
 * The identifier that a mangled name ends its (possibly nested) name with: gemm of _Z4gemmPKf and
 * _ZN3lib4gemmEi (Itanium C++ ABI, 5.1: <length><identifier>, N .. E around nested names, I .. E template
 * arguments).
 */
static bool plain_name(const char *mangled, const char **name, size_t *len)
{
    if (strncmp(mangled, "_Z", 2))
        return false;
    const char *p = mangled + 2;
    if (*p == 'N')
        p++;
    if (*p == 'L')
        p++;
    *len = 0;
    while (isdigit((unsigned char)*p)) {
        char *end;
        unsigned long n = strtoul(p, &end, 10);
        if (n == 0 || n > strlen(end))
            break;
        *name = end;
        *len = n;
        p = end + n;
    }
    return *len > 0;
}

bool config_kernel_matches(const char *pattern, const char *kernel)
{
    const char *plain;
    size_t len;
    if (!strcmp(pattern, kernel))
        return true;
    return plain_name(kernel, &plain, &len) && strlen(pattern) == len && !memcmp(pattern, plain, len);
}

static const struct value *kernel_value(const struct simtx_config *c, const char *kernel, enum kernel_key k)
{
    for (size_t i = c->nkernel; i-- > 0;)
        if (c->kernel[i].key == k && config_kernel_matches(c->kernel[i].name, kernel))
            return &c->kernel[i].value;
    return NULL;
}

bool config_kernel_int(const struct simtx_config *c, const char *kernel, enum kernel_key k, int64_t *value)
{
    const struct value *v = kernel_value(c, kernel, k);
    if (v)
        *value = v->number;
    return v != NULL;
}

bool config_kernel_at(const struct simtx_config *c, size_t i, const char **kernel, enum kernel_key *k,
                      const char **text, const char **origin)
{
    if (i >= c->nkernel)
        return false;
    *kernel = c->kernel[i].name;
    *k = c->kernel[i].key;
    *text = c->kernel[i].value.text;
    *origin = c->kernel[i].value.origin;
    return true;
}

/* ---- by name ---- */

enum config_key config_find(const char *name)
{
    for (int i = 0; i < KEY_COUNT; i++)
        if (!strcmp(config_keys[i].name, name))
            return (enum config_key)i;
    return KEY_NONE;
}

/* Splits kernel.NAME.key at its last dot; false when the name is none of that form. */
static bool split_kernel(const char *name, char kernel[512], const char **key)
{
    const char *dot = strrchr(name, '.');
    if (strncmp(name, "kernel.", 7) || !dot || dot <= name + 7 || dot - (name + 7) >= 512)
        return false;
    size_t n = (size_t)(dot - (name + 7));
    memcpy(kernel, name + 7, n);
    kernel[n] = 0;
    *key = dot + 1;
    return true;
}

static int find_kernel_key(const char *key)
{
    for (int i = 0; i < KERNEL_KEY_COUNT; i++)
        if (!strcmp(config_kernel_keys[i].name, key))
            return i;
    return -1;
}

const char *config_get(const struct simtx_config *c, const char *name)
{
    char kernel[512];
    const char *key;
    enum config_key k = config_find(name);
    if (k != KEY_NONE)
        return c->value[k].text;
    if (!split_kernel(name, kernel, &key) || find_kernel_key(key) < 0)
        return NULL;
    const struct value *v = kernel_value(c, kernel, (enum kernel_key)find_kernel_key(key));
    return v ? v->text : NULL;
}

static bool unknown_key(const char *name, const char *origin, struct diag *d, int line)
{
    const char *names[KEY_COUNT];
    for (int i = 0; i < KEY_COUNT; i++)
        names[i] = config_keys[i].name;
    const char *near = diag_nearest(name, names, KEY_COUNT);
    if (near)
        return complain(d, line, origin, "unknown key %s, did you mean %s?", name, near);
    return complain(d, line, origin, "unknown key %s (`simtx config list` shows all)", name);
}

static bool unknown_kernel_key(const char *name, const char *key, const char *origin, struct diag *d,
                               int line)
{
    const char *names[KERNEL_KEY_COUNT];
    for (int i = 0; i < KERNEL_KEY_COUNT; i++)
        names[i] = config_kernel_keys[i].name;
    const char *near = diag_nearest(key, names, KERNEL_KEY_COUNT);
    return complain(d, line, origin, "unknown key %s of a kernel%s%s%s", name, near ? ", did you mean " : "",
                    near ? near : "", near ? "?" : " (`simtx config list` shows all)");
}

static bool set_kernel(struct simtx_config *c, const char *name, const char *kernel, const char *key,
                       const char *text, struct value v, struct diag *d, int line)
{
    int k = find_kernel_key(key);
    struct value parsed;
    if (k < 0)
        return unknown_kernel_key(name, key, v.origin, d, line);
    if (!parse_value(&config_kernel_keys[k], name, text, &parsed, d, v.origin, line))
        return false;
    parsed.origin = copy_text(v.origin);
    parsed.source = copy_text(v.source);
    c->kernel = mem_resize(c->kernel, c->nkernel + 1, sizeof *c->kernel, "keys of kernels");
    c->kernel[c->nkernel++] = (struct kernel_value){ copy_text(kernel), (enum kernel_key)k, parsed };
    return true;
}

bool config_set(struct simtx_config *c, const char *name, const char *text, const char *origin,
                const char *source,
                struct diag *d, int line)
{
    char kernel[512];
    const char *key;
    struct value v = { .origin = (char *)origin, .source = (char *)source };
    if (split_kernel(name, kernel, &key))
        return set_kernel(c, name, kernel, key, text, v, d, line);
    enum config_key k = config_find(name);
    if (k == KEY_NONE)
        return unknown_key(name, origin, d, line);
    if (!parse_value(&config_keys[k], name, text, &v, d, origin, line))
        return false;
    v.origin = copy_text(origin);
    v.source = copy_text(source);
    value_free(&c->value[k]);
    c->value[k] = v;
    return true;
}
