/* Parts of libnvrtc.so: the program, its options, the run of the compiler. */
#ifndef NVRTC_IMPL_H
#define NVRTC_IMPL_H

#include <stdbool.h>
#include <stddef.h>

#include "frontend/cuda/include/nvrtc.h"

/* A list of texts that it owns. */
struct text_list {
    char **text;
    int n;
};

bool text_list_add(struct text_list *l, const char *text);
void text_list_free(struct text_list *l);

struct _nvrtcProgram {
    char *source, *name;
    struct text_list headers, include_names;
    struct text_list expressions, lowered;   /* name expressions, and their lowered names after compilation */
    bool compiled, real;                     /* real: the architecture is sm_NN */
    char *ptx, *log;
    size_t ptx_bytes, log_bytes;             /* with the terminating 0 */
};

/* options.c: the arguments of simtx-cc for options of NVRTC. False with a message in *why (malloc'ed). */
bool nvrtc_options(struct text_list *arguments, int n, const char *const *options, bool *real, char **why);

/* compile.c: runs the compiler; sets ptx and log. False when it failed. */
bool nvrtc_compile(struct _nvrtcProgram *p, const struct text_list *arguments, bool *out_of_memory);

#define NVRTC_NAME_VARIABLE "__simtx_lowered_name_"

#endif
