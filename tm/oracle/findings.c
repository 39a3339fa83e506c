/* Violations found by an oracle. */
#include "tm/oracle/findings.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool findings_add(struct findings *f, const char *format, ...)
{
    if (f->n++)
        return false;
    va_list ap;
    va_start(ap, format);
    vsnprintf(f->text, sizeof f->text, format, ap);
    va_end(ap);
    return true;
}

void findings_explain(struct findings *f, const char *more)
{
    size_t n = strlen(f->text);
    snprintf(f->text + n, sizeof f->text - n, "\n%s", more);
}

bool findings_describe(const struct findings *f, char *text, size_t size)
{
    if (f->n)
        snprintf(text, size, "%s\n%" PRIu64 " violations in all", f->text, f->n);
    return f->n != 0;
}
