/*
 * Checks the .ptx files of this folder against the messages that they announce in comments:
 *   // expect-error: LINE:COLUMN fragment of the message      (likewise expect-warning)
 *   // expect-ok                                              no error
 * Every announced message must come, and no error or warning that is not announced.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "ptx/program/program.h"

struct expectation { char kind[8]; int line, col; char text[256]; bool met; };

enum { MAX_EXPECTED = 64 };

static int read_expectations(const char *text, struct expectation *e, bool *ok)
{
    int n = 0;
    *ok = strstr(text, "// expect-ok") != NULL;
    for (const char *p = text; (p = strstr(p, "// expect-")) && n < MAX_EXPECTED; p++) {
        e[n] = (struct expectation){ 0 };
        if (sscanf(p, "// expect-%7[a-z]: %d:%d %255[^\n]", e[n].kind, &e[n].line, &e[n].col, e[n].text) >= 3)
            n++;
    }
    return n;
}

/* One line of the diagnostics: is it announced? Lines that are no message are fine. */
static bool announced(const char *line, struct expectation *e, int n)
{
    for (int pass = 0; pass < 2; pass++) {
        const char *kind = pass ? "warning" : "error";
        char head[64];
        snprintf(head, sizeof head, ": %s: ", kind);
        if (!strstr(line, head))
            continue;
        for (int i = 0; i < n; i++) {
            snprintf(head, sizeof head, ":%d:%d: %s: ", e[i].line, e[i].col, kind);
            const char *at = strstr(line, head);
            if (!strcmp(e[i].kind, kind) && !e[i].met && at && strstr(at, e[i].text)) {
                e[i].met = true;
                return true;
            }
        }
        return false;
    }
    return true;
}

static bool check_messages(const char *path, char *messages, struct expectation *e, int n)
{
    bool good = true;
    for (char *line = messages, *next; line && *line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        if (!announced(line, e, n)) {
            printf("%s: not announced: %s\n", path, line);
            good = false;
        }
    }
    for (int i = 0; i < n; i++)
        if (!e[i].met) {
            printf("%s: missing: %d:%d %s: %s\n", path, e[i].line, e[i].col, e[i].kind, e[i].text);
            good = false;
        }
    return good;
}

static bool check_file(const char *path)
{
    struct expectation e[MAX_EXPECTED];
    struct diag d = { 0 };
    size_t len;
    bool ok;
    char *text = file_read(path, &len);
    if (!text) {
        printf("%s: cannot be read\n", path);
        return false;
    }
    int n = read_expectations(text, e, &ok);
    struct ptx_module *m = ptx_parse(text, len, path, &d);
    d.file = path;
    d.source = text;
    d.source_len = len;
    if (m)
        m = ptx_link(&m, 1, &d);
    bool good = check_messages(path, d.text, e, n);
    if (ok != (m != NULL) || (m != NULL) != (d.errors == 0) || (!ok && !n)) {
        printf("%s: %s\n", path, m ? "accepted" : "rejected");
        good = false;
    }
    ptx_module_free(m);
    diag_free(&d);
    free(text);
    return good;
}

int main(int argc, char **argv)
{
    int passed = 0, failed = 0;
    for (int i = 1; i < argc; i++)
        if (check_file(argv[i]))
            passed++;
        else
            failed++;
    printf("errors: %d passed, %d failed\n", passed, failed);
    return failed || !passed;
}
