/*
 * Options of NVRTC, translated for simtx-cc. A row says how an option is written, whether a value follows, and what
 * simtx-cc gets. A value may be joined by '=' or be the next option.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/nvrtc/nvrtc_impl.h"

enum value { NONE, VALUE, JOINED };      /* JOINED: also without a separator, as -DNAME */

struct option {
    const char *name;
    enum value value;
    const char *to;                      /* with %s for the value; NULL: accepted, without effect */
};

static const struct option table[] = {
    {"--gpu-architecture", VALUE, "-arch=%s"}, {"-arch", VALUE, "-arch=%s"},
    {"--define-macro", VALUE, "-D%s"}, {"-D", JOINED, "-D%s"},
    {"--undefine-macro", VALUE, "-U%s"}, {"-U", JOINED, "-U%s"},
    {"--include-path", VALUE, "-I%s"}, {"-I", JOINED, "-I%s"},
    {"--pre-include", VALUE, "-include%s"}, {"-include", VALUE, "-include%s"},
    {"--std", VALUE, "-std=%s"}, {"-std", VALUE, "-std=%s"},
    {"--use_fast_math", NONE, "-use_fast_math"}, {"-use_fast_math", NONE, "-use_fast_math"},
    {"--ftz", VALUE, "-ftz=%s"}, {"-ftz", VALUE, "-ftz=%s"},
    {"--prec-sqrt", VALUE, "-prec-sqrt=%s"}, {"-prec-sqrt", VALUE, "-prec-sqrt=%s"},
    {"--prec-div", VALUE, "-prec-div=%s"}, {"-prec-div", VALUE, "-prec-div=%s"},
    {"--fmad", VALUE, "-fmad=%s"}, {"-fmad", VALUE, "-fmad=%s"},
    {"--device-debug", NONE, "-G"}, {"-G", NONE, "-G"},
    {"--generate-line-info", NONE, "-lineinfo"}, {"-lineinfo", NONE, "-lineinfo"},
    {"--disable-warnings", NONE, "-w"}, {"-w", NONE, "-w"},
    {"--relocatable-device-code", VALUE, NULL}, {"-rdc", VALUE, NULL},
    {"--device-c", NONE, NULL}, {"-dc", NONE, NULL}, {"--device-w", NONE, NULL}, {"-dw", NONE, NULL},
    {"--maxrregcount", VALUE, NULL}, {"-maxrregcount", VALUE, NULL},
    {"--dopt", VALUE, NULL}, {"-dopt", VALUE, NULL},
    {"--ptxas-options", VALUE, NULL}, {"-Xptxas", VALUE, NULL},
    {"--extensible-whole-program", NONE, NULL}, {"-ewp", NONE, NULL},
    {"--extra-device-vectorization", NONE, NULL}, {"-extra-device-vectorization", NONE, NULL},
    {"--restrict", NONE, NULL}, {"-restrict", NONE, NULL},
    {"--no-source-include", NONE, NULL}, {"-no-source-include", NONE, NULL},
    {"--modify-stack-limit", VALUE, NULL}, {"-modify-stack-limit", VALUE, NULL},
    {"--builtin-move-forward", VALUE, NULL}, {"-builtin-move-forward", VALUE, NULL},
    {"--builtin-initializer-list", VALUE, NULL}, {"-builtin-initializer-list", VALUE, NULL},
    {"--version-ident", VALUE, NULL}, {"-version-ident", VALUE, NULL},
    {"--display-error-number", NONE, NULL}, {"-err-no", NONE, NULL},
    {"--no-display-error-number", NONE, NULL}, {"-no-err-no", NONE, NULL},
    {"--diag-error", VALUE, NULL}, {"-diag-error", VALUE, NULL},
    {"--diag-suppress", VALUE, NULL}, {"-diag-suppress", VALUE, NULL},
    {"--diag-warn", VALUE, NULL}, {"-diag-warn", VALUE, NULL},
    {"--device-as-default-execution-space", NONE, "-D__SIMTX_RTC_DEVICE_DEFAULT"},
    {"-default-device", NONE, "-D__SIMTX_RTC_DEVICE_DEFAULT"},
    {"--device-int128", NONE, NULL}, {"-device-int128", NONE, NULL},
    {"--minimal", NONE, NULL}, {"-minimal", NONE, NULL},
};

bool text_list_add(struct text_list *l, const char *text)
{
    char **more = realloc(l->text, ((size_t)l->n + 1) * sizeof *more), *copy = strdup(text);
    if (more)
        l->text = more;
    if (!more || !copy) {
        free(copy);
        return false;
    }
    l->text[l->n++] = copy;
    return true;
}

void text_list_free(struct text_list *l)
{
    for (int i = 0; i < l->n; i++)
        free(l->text[i]);
    free(l->text);
    *l = (struct text_list){0};
}

/* Whether `given` is this option; *value is set to a joined value, or NULL. */
static bool matches(const struct option *o, const char *given, const char **value)
{
    size_t n = strlen(o->name);
    *value = NULL;
    if (strncmp(given, o->name, n))
        return false;
    if (!given[n])
        return true;
    if (o->value != NONE && given[n] == '=')
        *value = given + n + 1;
    else if (o->value == JOINED)
        *value = given + n;
    return *value != NULL;
}

static const struct option *find(const char *given, const char **value)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (matches(&table[i], given, value))
            return &table[i];
    return NULL;
}

/* Options are often given with blanks around them. */
static char *trimmed(const char *s)
{
    while (isspace((unsigned char)*s))
        s++;
    char *t = strdup(s);
    for (size_t n = t ? strlen(t) : 0; n && isspace((unsigned char)t[n - 1]); n--)
        t[n - 1] = 0;
    return t;
}

static bool add_translated(struct text_list *arguments, const struct option *o, const char *value)
{
    char *text = NULL;
    if (!o->to)
        return true;
    if (!strncmp(o->to, "-include", 8))
        return text_list_add(arguments, "-include") && text_list_add(arguments, value);
    if (asprintf(&text, o->to, value ? value : "") < 0)
        return false;
    bool ok = text_list_add(arguments, text);
    free(text);
    return ok;
}

static bool fail(char **why, const char *what, const char *option)
{
    if (asprintf(why, "nvrtc: error: %s '%s'\n", what, option) < 0)
        *why = NULL;
    return false;
}

/* Translates options[*i] and, if a value follows, steps over it. */
static bool add_option(struct text_list *arguments, int *i, int n, const char *const *options, bool *real, char **why)
{
    const char *value;
    char *given = trimmed(options[*i]), *next = NULL;
    const struct option *o = given ? find(given, &value) : NULL;
    bool ok = o != NULL;
    if (!o)
        fail(why, "unrecognized option", given ? given : "");
    if (o && o->value != NONE && !value) {
        next = *i + 1 < n ? trimmed(options[++*i]) : NULL;
        value = next;
        ok = value || fail(why, "missing value of option", given);
    }
    if (ok && !strcmp(o->to ? o->to : "", "-arch=%s"))
        *real = !strncmp(value, "sm_", 3);
    ok = ok && add_translated(arguments, o, value);
    free(given);
    free(next);
    return ok;
}

bool nvrtc_options(struct text_list *arguments, int n, const char *const *options, bool *real, char **why)
{
    *real = false;
    *why = NULL;
    for (int i = 0; i < n; i++) {
        if (!options[i] || !add_option(arguments, &i, n, options, real, why))
            return false;
    }
    return true;
}
