/* -cuda: the host's part of a CUDA source as C++. nvcc writes the source as its host compiler reads it; clang has no
 * such form, so the file contains clang's code, with the device code, as the text of an asm statement. Any host
 * compiler for the same machine compiles it to the object that -c writes. */
#include "cc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Ends in the section where the host compiler's own code continues. */
static void write_statement(FILE *in, FILE *out, const char *source)
{
    fprintf(out, "// The host code of %s, for g++ -c or clang++ -c; link the object with -lcudart.\nasm(\n\"", source);
    for (int c; (c = getc(in)) != EOF;) {
        if (c == '\n')
            fputs("\\n\"\n\"", out);
        else if (c == '"' || c == '\\' || c == '?')      /* ?: no trigraphs */
            fprintf(out, "\\%c", c);
        else
            putc(c, out);
    }
    fputs(".text\\n\");\n", out);
}

void cc_host_text(const char *assembly, const char *source, const char *output)
{
    FILE *in = fopen(assembly, "r"), *out = in ? fopen(output, "w") : NULL;
    if (!in || !out)
        cc_fail("%s: %s", in ? output : assembly, strerror(errno));
    write_statement(in, out, source);
    bool failed = ferror(in) || ferror(out);
    fclose(in);
    if (fclose(out) || failed)
        cc_fail("%s cannot be written", output);
}
