/* Reads the PTX files of commands. A file of another kind gets one message about the kind instead of one for every byte
 * that PTX cannot contain. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "frontend/cli/cmd.h"

static bool ends_with(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);
    return n > m && !strcmp(path + n - m, end);
}

static bool starts_with(const char *text, size_t size, const char *start, size_t n)
{
    return size >= n && !memcmp(text, start, n);
}

/* The kind of a file that is not PTX, with the step that leads to PTX; NULL for a file that may be PTX. */
static const char *other_kind(const char *path, const char *text, size_t size)
{
    static const char *const sources[] = {".cu", ".cuh", ".cpp", ".cc", ".cxx", ".c", ".h", ".hpp"};
    if (starts_with(text, size, "\177ELF", 4))
        return "an ELF file (a program, object or cubin), not PTX; compile its source with simtx-cc -ptx";
    if (starts_with(text, size, "\x50\xed\x55\xba", 4))
        return "a fat binary, not PTX; compile its source with simtx-cc -ptx instead of -fatbin";
    if (starts_with(text, size, "BC\xc0\xde", 4))
        return "LLVM bitcode, not PTX; compile its source with simtx-cc -ptx";
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        if (ends_with(path, sources[i]))
            return "a source, not PTX; compile it with simtx-cc -ptx, or as a program for simtx run";
    return NULL;
}

char *cmd_read_ptx(const char *command, const char *path, size_t *size)
{
    char *text = file_read(path, size);
    const char *kind = text ? other_kind(path, text, *size) : strerror(errno);
    if (!kind)
        return text;
    fprintf(stderr, "%s: %s: %s%s\n", command, path, text ? "this is " : "", kind);
    free(text);
    return NULL;
}
