/* The end of a checker: a message on stdout, exit status 1. */
#ifndef REGRESS_FAIL_H
#define REGRESS_FAIL_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noreturn, format(printf, 1, 2))) static inline void fail(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    vprintf(format, ap);
    va_end(ap);
    putchar('\n');
    exit(1);
}

#endif
