/* Instructions that a change of the code makes superfluous (combine_accesses.c, if_convert.c). */
#ifndef PTX_REMOVE_H
#define PTX_REMOVE_H

#include "ptx/program/ir.h"

/* Removes the instructions with gone[i], of a function with a body; labels move to the next one that stays. */
void remove_instructions(struct ptx_func *f, const bool *gone);

#endif
