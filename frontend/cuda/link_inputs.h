/* The inputs of nvlink: objects and archive members with relocatable device code. */
#ifndef SIMTX_CUDA_LINK_INPUTS_H
#define SIMTX_CUDA_LINK_INPUTS_H

#include <stdbool.h>

#include "ptx/program/ir.h"

struct link_module {
    char *id;                            /* what follows __cudaRegisterLinkedBinary in the object's symbol */
    char *file;                          /* for messages */
    bool taken;                          /* part of the program: every object, an archive's members by need */
    struct ptx_module **parsed;          /* its PTX */
    int images;
};

struct link_inputs {
    struct link_module *module;
    int n, cap, images;
    char **known;                        /* IDs whose registration an earlier device link defines */
    int n_known, cap_known;
};

/* Reads an object or archive; other files have no relocatable device code and are skipped. */
void link_inputs_add(struct link_inputs *in, const char *path);

/* Removes the modules that an earlier device link registers. */
void link_inputs_finish(struct link_inputs *in);
void link_inputs_free(struct link_inputs *in);

#endif
