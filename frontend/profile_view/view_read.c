/* Reads a profile. A value of a wrong type or sign, or figures of another version of simtx, are errors. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "frontend/profile_view/view.h"

/* The first error, if any. */
struct reader { char *error; size_t size; bool failed; };

static __attribute__((format(printf, 2, 3))) void fail(struct reader *r, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    if (!r->failed)
        vsnprintf(r->error, r->size, fmt, ap);
    r->failed = true;
    va_end(ap);
}

/* ---- values ---- */

/* Absent: 0. */
static uint64_t number(struct reader *r, const json_t *o, const char *key, uint64_t most)
{
    const json_t *v = json_object_get(o, key);
    json_int_t n = json_integer_value(v);
    if (v && (!json_is_integer(v) || n < 0 || (uint64_t)n > most))
        fail(r, "\"%s\" is not a number of 0 to %llu", key, (unsigned long long)most);
    return (uint64_t)n;
}

static const char *text(struct reader *r, const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    if (!s)
        fail(r, "\"%s\" is not a text", key);
    return s ? s : "";
}

static const json_t *array(struct reader *r, const json_t *o, const char *key)
{
    const json_t *a = json_object_get(o, key);
    if (!json_is_array(a))
        fail(r, "\"%s\" is not an array", key);
    return a;
}

/* ---- kernels ---- */

static void read_instruction(struct reader *r, struct view_inst *in, const json_t *function, const json_t *o)
{
    in->ptx_file = text(r, function, "ptx_file");
    in->file = json_object_get(o, "file") ? text(r, o, "file") : NULL;
    in->text = text(r, o, "ptx");
    in->ptx_line = (uint32_t)number(r, o, "ptx_line", UINT32_MAX - 1);
    in->line = (uint32_t)number(r, o, "line", UINT32_MAX - 1);
    for (int i = 0; i < PROFILE_FIGURES; i++)
        in->row[i] = number(r, o, profile_table[i].name, INT64_MAX);
}

static void read_kernel(struct reader *r, struct view_kernel *k, const json_t *o)
{
    const json_t *functions = array(r, o, "functions"), *function, *in;
    uint32_t n = 0;
    size_t i, j;
    *k = (struct view_kernel){ .name = text(r, o, "name") };
    k->launches = number(r, o, "launches", INT64_MAX);
    k->cycles = number(r, o, "cycles", INT64_MAX);
    json_array_foreach(functions, i, function)
        n += (uint32_t)json_array_size(array(r, function, "instructions"));
    k->inst = mem_zero(n, sizeof *k->inst, "a profile");
    json_array_foreach(functions, i, function)
        json_array_foreach(json_object_get(function, "instructions"), j, in)
            read_instruction(r, &k->inst[k->n++], function, in);
    for (i = 0; i < k->n; i++) {
        k->has_lines |= k->inst[i].file != NULL;
        for (int f = 0; f < PROFILE_FIGURES; f++)
            k->total[f] += k->inst[i].row[f];
    }
}

static void check_figures(struct reader *r, const json_t *root)
{
    const json_t *figures = array(r, root, "figures");
    bool same = json_array_size(figures) == PROFILE_FIGURES;
    for (size_t i = 0; same && i < PROFILE_FIGURES; i++)
        same = !strcmp(text(r, json_array_get(figures, i), "name"), profile_table[i].name);
    if (!same)
        fail(r, "its figures are those of another version of simtx");
}

static void read_profile(struct reader *r, struct view_profile *p, json_t *root)
{
    *p = (struct view_profile){ .root = root };
    if (json_is_object(json_object_get(root, "total"))) {
        fail(r, "it has statistics (--stats); a profile is written by --profile");
        return;
    }
    p->gpu = text(r, root, "gpu");
    const json_t *kernels = array(r, root, "kernels"), *kernel;
    check_figures(r, root);
    if (r->failed)
        return;
    size_t i;
    p->kernel = mem_zero(json_array_size(kernels), sizeof *p->kernel, "a profile");
    json_array_foreach(kernels, i, kernel)
        read_kernel(r, &p->kernel[p->n++], kernel);
}

/* ---- the file ---- */

bool view_read(struct view_profile *p, const char *path, char *error, size_t size)
{
    json_error_t e;
    size_t bytes;
    char why[400];
    struct reader r = { .error = why, .size = sizeof why };
    char *content = file_read(path, &bytes);
    json_t *root = content && bytes ? json_loadb(content, bytes, 0, &e) : NULL;
    if (!content)
        snprintf(error, size, "%s: %s", path, strerror(errno));
    else if (!bytes)
        snprintf(error, size, "%s: the profile is empty: the run has not ended, or was not in timing mode (--timing)",
                 path);
    else if (!root)
        snprintf(error, size, "%s:%d:%d: not a profile of simtx: %s", path, e.line, e.column, e.text);
    free(content);
    if (!root)
        return false;
    read_profile(&r, p, root);
    if (r.failed) {
        snprintf(error, size, "%s: not a profile of simtx: %s", path, why);
        view_free(p);
    }
    return !r.failed;
}

void view_free(struct view_profile *p)
{
    for (uint32_t i = 0; i < p->n; i++)
        free(p->kernel[i].inst);
    free(p->kernel);
    json_decref(p->root);
}
