/*
 * A combination: an opcode with types and modifiers that the instruction table allows, and how to write it in
 * PTX. The list comes from the table's FORM rows, so that a new row is tested without being asked for.
 */
#ifndef REGRESS_CONFORMANCE_COMBO_H
#define REGRESS_CONFORMANCE_COMBO_H

#include <stdio.h>

#include "ptx/program/ir.h"

struct combo {
    struct ptx_inst in;          /* op, type, mod; operands only as far as selectors, negation, tables go */
    uint8_t nsrc;
    uint8_t src_type[4];         /* type of each source operand in the text */
    uint8_t dst_type;            /* T_PRED for predicates */
    bool pair;                   /* a second predicate destination is written */
    bool set_carry, use_carry;   /* writes, reads CC.CF */
    const struct ptx_form *form;
};

struct combo_list { struct combo *at; int n, cap; };

/*
 * All combinations of opcodes that compute on lanes alone; others are counted by behaviour tests (behave.c).
 */
void combo_list_build(struct combo_list *list);
bool combo_is_video(uint16_t op);
/* Opcodes whose vectors are made here: not memory, control, warp-wide or address instructions. */
bool combo_has_vectors(uint16_t op);
/* "setp.lt.and.f32" */
void combo_print_name(const struct combo *c, FILE *f);
/* The register class letter: p, h (16 bits), r (32), d (64), and the type of its declaration. */
char combo_class(uint8_t type);
/*
 * One instruction with its operands: dst and q are register names, src[] register names or immediates.
 * Selectors and signs of the combination are added.
 */
void combo_print_inst(const struct combo *c, FILE *f, const char *dst, const char *q, const char *const *src);

#endif
