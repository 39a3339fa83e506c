/* The part of a document that a test writes (document.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "regress/machines/document.h"

static void die(const char *path, const char *what)
{
    fprintf(stderr, "%s: %s\n", path, what);
    exit(1);
}

bool document_has(const char *path, const char *begin, const char *end, const char *text, bool write)
{
    char *document = file_read(path, NULL);
    char *from = document ? strstr(document, begin) : NULL, *to = from ? strstr(from, end) : NULL;
    if (!to)
        die(path, "cannot be read, or lacks the lines between which a table stands");
    from += strlen(begin);
    bool same = strlen(text) == (size_t)(to - from) && !strncmp(text, from, strlen(text));
    if (write && !same) {
        FILE *f = fopen(path, "w");
        if (!f || fprintf(f, "%.*s%s%s", (int)(from - document), document, text, to) < 0 || fclose(f))
            die(path, "cannot be written");
    }
    free(document);
    return same || write;
}
