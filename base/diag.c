/* Diagnostics: collected messages with position, caret line and nearest-name hints. */
#include "base/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { MAX_ERRORS = 200, CARET_WIDTH = 160 };

static void append(struct diag *d, const char *s, size_t n)
{
    if (d->len + n + 1 > d->cap) {
        d->cap = (d->len + n + 1) * 2;
        d->text = mem_resize(d->text, d->cap, 1, "messages");
    }
    memcpy(d->text + d->len, s, n);
    d->len += n;
    d->text[d->len] = 0;
}

static void append_source_line(struct diag *d, int line, int col)
{
    const char *p = d->source, *end = d->source + d->source_len;
    for (int l = 1; l < line && p; l++) {
        p = memchr(p, '\n', (size_t)(end - p));
        if (p)
            p++;
    }
    if (!p || p >= end)
        return;
    const char *nl = memchr(p, '\n', (size_t)(end - p));
    size_t n = (size_t)((nl ? nl : end) - p);
    if (n > CARET_WIDTH)
        n = CARET_WIDTH;
    append(d, "    ", 4);
    for (size_t i = 0; i < n; i++)
        append(d, (unsigned char)p[i] < 32 ? " " : p + i, 1);
    append(d, "\n", 1);
    if (col < 1 || (size_t)col > n + 1)
        return;
    append(d, "    ", 4);
    for (int i = 1; i < col; i++)
        append(d, " ", 1);
    append(d, "^\n", 2);
}

static void message(struct diag *d, const char *kind, int line, int col, const char *fmt, va_list ap)
{
    char buf[1024], head[512];
    int n = 0;
    if (d->file && line > 0)
        n = snprintf(head, sizeof head, "%s:%d:%d: ", d->file, line, col);
    else if (d->file)
        n = snprintf(head, sizeof head, "%s: ", d->file);
    if (n >= (int)sizeof head)
        n = (int)sizeof head - 1;
    append(d, head, (size_t)n);
    append(d, kind, strlen(kind));
    n = vsnprintf(buf, sizeof buf, fmt, ap);
    if (n >= (int)sizeof buf)
        n = (int)sizeof buf - 1;
    append(d, buf, (size_t)n);
    append(d, "\n", 1);
    if (d->source && line > 0)
        append_source_line(d, line, col);
}

void diag_error(struct diag *d, int line, int col, const char *fmt, ...)
{
    d->errors++;
    if (d->errors > MAX_ERRORS)
        return;
    va_list ap;
    va_start(ap, fmt);
    message(d, "error: ", line, col, fmt, ap);
    va_end(ap);
    if (d->errors == MAX_ERRORS) {
        const char *s = "(further errors are not shown)\n";
        append(d, s, strlen(s));
    }
}

void diag_warn(struct diag *d, int line, int col, const char *fmt, ...)
{
    va_list ap;
    d->warnings++;
    va_start(ap, fmt);
    message(d, "warning: ", line, col, fmt, ap);
    va_end(ap);
}

void diag_note(struct diag *d, int line, int col, const char *fmt, ...)
{
    if (diag_full(d))
        return;
    va_list ap;
    va_start(ap, fmt);
    message(d, "note: ", line, col, fmt, ap);
    va_end(ap);
}

bool diag_full(const struct diag *d)
{
    return d->errors >= MAX_ERRORS;
}

void diag_free(struct diag *d)
{
    free(d->text);
    d->text = NULL;
    d->len = d->cap = 0;
}

static int distance(const char *a, const char *b)
{
    enum { MAX = 64 };
    int row[MAX + 1];
    int na = (int)strlen(a), nb = (int)strlen(b);
    if (na > MAX || nb > MAX)
        return MAX;
    for (int j = 0; j <= nb; j++)
        row[j] = j;
    for (int i = 1; i <= na; i++) {
        int diag = row[0];
        row[0] = i;
        for (int j = 1; j <= nb; j++) {
            int best = diag + (a[i - 1] != b[j - 1]);
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            diag = row[j];
            row[j] = best;
        }
    }
    return row[nb];
}

const char *diag_nearest(const char *word, const char *const *candidates, size_t n)
{
    const char *best = NULL;
    int least = 2 * ((int)strlen(word) / 3 + 2);
    for (size_t i = 0; i < n; i++) {
        int dist = 2 * distance(word, candidates[i]) + (*word != *candidates[i]);
        if (dist < least) {
            least = dist;
            best = candidates[i];
        }
    }
    return best;
}
