/*
 * Kernel arguments on the command line: `u32:5`, `f32[1024]:iota`, `f32[]:@file.bin`, `in:FILE`, `out:FILE,BYTES`. A
 * value is a scalar, or a device buffer whose address is the kernel parameter.
 */
#ifndef FRONTEND_ARG_VALUE_H
#define FRONTEND_ARG_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "ptx/isa/types.h"

struct arg_value {
    bool buffer;             /* a device buffer; else a scalar */
    enum ptx_type type;      /* of the elements */
    size_t count, bytes;
    char data[8];            /* bytes of a scalar */
    enum { ARG_VALUE_LISTED, ARG_VALUE_IOTA, ARG_VALUE_RANDOM, ARG_VALUE_OF_FILE } contents;   /* of a buffer */
    uint64_t seed;
    char *text;              /* the list, or the file name */
    char *save;              /* out: the file to which the buffer is saved after the launch, or NULL */
};

/* False with the reason in *why (malloc'ed). */
bool arg_value_parse(const char *spec, struct arg_value *out, char **why);
/* Writes the contents of the buffer to `to`, whose bytes are zero. *why as above. */
bool arg_value_fill(const struct arg_value *v, char *to, char **why);
void arg_value_free(struct arg_value *v);
/* Prints one element: integers in decimal, bit types in hexadecimal, floating point with all significant digits. */
void arg_value_print(FILE *f, const struct arg_value *v, const char *data, size_t i);

#endif
