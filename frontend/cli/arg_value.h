/*
 * Kernel arguments written on the command line: `u32:5`, `f32[1024]:iota`, `f32[]:@file.bin`, `in:FILE`,
 * `out:FILE,BYTES`. A value is the bytes of a scalar parameter, or a buffer whose address is the parameter.
 */
#ifndef FRONTEND_VALUE_H
#define FRONTEND_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "ptx/isa/types.h"

struct value {
    bool buffer;             /* memory on the device; else the bytes themselves */
    enum ptx_type type;      /* of the elements */
    size_t count, bytes;
    char data[8];            /* a scalar's bytes */
    enum { VALUE_LISTED, VALUE_IOTA, VALUE_RANDOM, VALUE_OF_FILE } contents;   /* of a buffer */
    uint64_t seed;
    char *text;              /* the list, or the file's name */
    char *save;              /* out: the file that gets the buffer after the launch, or NULL */
};

/* *why (malloc'ed) says in words what is wrong when this returns false. */
bool value_parse(const char *spec, struct value *out, char **why);
/* Writes a buffer's contents to `to`, bytes of zeros. *why as above. */
bool value_fill(const struct value *v, char *to, char **why);
void value_free(struct value *v);
/* One element as text: integers in decimal, floating point with all its digits. */
void value_print(FILE *f, const struct value *v, const char *data, size_t i);

#endif
