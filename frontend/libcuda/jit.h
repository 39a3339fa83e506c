/* The log buffers among the options of a load or link. */
#ifndef LIBCUDA_JIT_H
#define LIBCUDA_JIT_H

#include "frontend/libcuda/cu.h"

struct jit_log {
    char *text;
    void **size;                         /* the option's value: room, then bytes used; NULL: no log */
};

struct jit_logs {
    struct jit_log info, error;
};

/* False when options or values are missing. */
bool jit_logs(struct jit_logs *l, unsigned n, const CUjit_option *options, void **values);
/* Writes the message to the log for errors or for information; an error without a log goes to stderr. */
void jit_report(const struct jit_logs *l, bool failed, const char *message);

#endif
