/* The messages of clang, with notes on errors whose cause a user of nvcc cannot guess: what simtx does not have, and
 * what nvcc accepts and clang rejects. */
#include "cc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

struct hint { const char *error, *note; };

static const struct hint hints[] = {
    {"reference to __global__ function",
     "a kernel that launches kernels (dynamic parallelism) is not supported; launch them from the host"},
    {"that is neither visible in the template definition nor found by argument-dependent lookup",
     "nvcc accepts templates that call functions declared after them; -fdelayed-template-parsing makes clang accept "
     "them"},
    {"Cannot cast between two non-generic address spaces",
     "clang takes the pointers in a kernel's struct parameters for global; a kernel that stores the address of a "
     "shared variable in one must store it in a copy of the parameter (docs/nvcc.md); with -O0 or -G, destructors of "
     "classes with virtual bases cause this error, too: compile with -O1"},
    {"is declared, but no module defines this function",
     "device code of several source files needs -rdc=true, or -dc for each file and a link by simtx-cc"},
    {"in the global namespace", "if a library expects nvcc's global functions (Eigen does), compile with -U__NVCC__"},
};

/* The text of an open file, with a NUL; it ends early if the file cannot be read. */
static char *read_all(int file)
{
    off_t size = lseek(file, 0, SEEK_END);
    char *text = mem_alloc((size_t)(size < 0 ? 0 : size) + 1, 1, "messages");
    ssize_t got = size > 0 ? pread(file, text, (size_t)size, 0) : 0;
    text[got < 0 ? 0 : got] = 0;
    return text;
}

/* ... fatal error: 'NAME' file not found: the name of the file in `name`. */
static bool missing_file(const char *text, char *name, size_t size)
{
    const char *end = strstr(text, "' file not found"), *start = end;
    if (!end)
        return false;
    while (start > text && start[-1] != '\'' && start[-1] != '\n')
        start--;
    snprintf(name, size, "%.*s", (int)(end - start), start);
    return true;
}

static void explain_missing(const char *text)
{
    char name[256];
    const char *library = missing_file(text, name, sizeof name) ? cc_absent_library(name) : NULL;
    if (library)
        cc_note("%s: simtx has no %s, as it cannot run compiled machine code; docs/nvcc.md, \"Rejected\", says what "
                "takes its place",
                name, library);
}

void cc_explain(int messages, bool failed)
{
    char *text = read_all(messages);
    close(messages);
    fputs(text, stderr);
    if (failed) {
        explain_missing(text);
        for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
            if (strstr(text, hints[i].error))
                cc_note("%s", hints[i].note);
    }
    free(text);
}
