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

/* What is loaded: a module of the current context, or a library. */
struct jit_load {
    CUmodule *module;                    /* NULL: a library */
    CUlibrary *library;
};
/* The image, or the file when path is set; messages go to the logs. */
cudaError_t jit_load(const struct jit_load *what, const void *image, const char *path, const struct jit_logs *l);

#endif
