/*
 * Checks against the instruction table: which operand signature an instruction has, and whether its types and
 * modifiers go together. Used by the checker after the grammar has resolved words to types and modifiers.
 */
#ifndef PTX_OPS_CHECK_H
#define PTX_OPS_CHECK_H

#include "ptx/program/ir.h"

/* The operand signature (letters as in ptx_op_info.sig) for this opcode with these modifiers. */
const char *ptx_sig(enum ptx_op op, const uint8_t mod[PG_COUNT]);

/* The first FORM row that the instruction fits, or NULL. Looks at op, type and mod only. */
const struct ptx_form *ptx_form_find(const struct ptx_inst *in);

/*
 * True when the instruction fits a FORM row and the rules that rows cannot say (which comparison for which
 * type, which atomic operation for which type ...). Otherwise false and a sentence for people in *why.
 * Looks at op, type, mod, and at opd where the number of operands depends on types; operands must have been
 * matched to the signature.
 */
bool ptx_form_ok(const struct ptx_inst *in, const char **why);

/*
 * Visits every legal combination of types and modifiers of the opcodes that have lane functions, as an
 * instruction whose operands are registers. Stops when visit returns false; returns the number of visits.
 */
int ptx_table_walk(bool (*visit)(const struct ptx_inst *in, void *arg), void *arg);

/*
 * Every legal combination of type and modifiers of every arithmetic, logic, conversion, comparison, move
 * and warp-level opcode has a function for every vector width of this host. Returns the number of
 * combinations, or -1 and what is missing in `why`.
 */
int ptx_table_selftest(char *why, size_t n);

#endif
