/* Functions shared by ptxas and fatbinary: reading and writing whole files, the folder of the running
 * program, options of the form `--name value` and `--name=value`. */
#ifndef SIMTX_CUDA_TOOL_H
#define SIMTX_CUDA_TOOL_H

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const char tool_name[];

__attribute__((noreturn, format(printf, 1, 2))) static inline void tool_fail(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fprintf(stderr, "%s: error: ", tool_name);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    exit(1);
}

/* The file's bytes, followed by a NUL that `size` excludes. */
static inline char *tool_read(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    size_t n = 0, cap = 0;
    if (!f)
        tool_fail("cannot read '%s': %s", path, strerror(errno));
    for (;;) {
        if (n + 1 >= cap) {
            cap = cap ? cap * 2 : 1 << 16;
            text = realloc(text, cap);
            if (!text)
                tool_fail("out of memory while reading '%s'", path);
        }
        size_t got = fread(text + n, 1, cap - n - 1, f);
        if (!got)
            break;
        n += got;
    }
    if (ferror(f))
        tool_fail("cannot read '%s': %s", path, strerror(errno));
    fclose(f);
    text[n] = 0;
    *size = n;
    return text;
}

static inline FILE *tool_create(const char *path)
{
    FILE *f = fopen(path, "wb");
    if (!f)
        tool_fail("cannot write '%s': %s", path, strerror(errno));
    return f;
}

static inline void tool_close(FILE *f, const char *path)
{
    if (fclose(f))
        tool_fail("cannot write '%s': %s", path, strerror(errno));
}

/* True when argv[*i] is the option `name`.  The value follows '=' or is the next argument, which is consumed. */
static inline bool tool_option(char **argv, int argc, int *i, const char *name, const char **value)
{
    size_t n = strlen(name);
    if (strncmp(argv[*i], name, n))
        return false;
    if (argv[*i][n] == '=') {
        *value = argv[*i] + n + 1;
        return true;
    }
    if (argv[*i][n])
        return false;
    if (*i + 1 >= argc)
        tool_fail("option '%s' needs a value", name);
    *value = argv[++*i];
    return true;
}

#endif
