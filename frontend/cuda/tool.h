/* Functions shared by ptxas, fatbinary, nvlink and bin2c: messages, reading and writing whole files, options of the
 * form `--name value` and `--name=value`. */
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

#include "base/file.h"

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

/* --help, --version: prints the text and ends the process. */
static inline void tool_information(const char *arg, const char *help)
{
    bool version = !strcmp(arg, "--version") || !strcmp(arg, "-V");
    if (!version && strcmp(arg, "--help") && strcmp(arg, "-h"))
        return;
    if (version)
        printf("%s, release 11.5, V11.5.0\n", tool_name);
    else
        fputs(help, stdout);
    exit(0);
}

/* The file's bytes, followed by a NUL that `size` excludes. */
static inline char *tool_read(const char *path, size_t *size)
{
    char *text = file_read(path, size);
    if (!text)
        tool_fail("cannot read '%s': %s", path, strerror(errno));
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
