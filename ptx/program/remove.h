/* Removes instructions that another pass has made superfluous (combine_accesses.c, if_convert.c). */
#ifndef PTX_REMOVE_H
#define PTX_REMOVE_H

#include "ptx/program/ir.h"

/* Removes every instruction i of a function with a body that has removed[i]. A label of one moves to the next
 * instruction that stays. */
void remove_instructions(struct ptx_func *f, const bool *removed);

#endif
