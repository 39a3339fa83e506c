/*
 * Checks against the instruction table: the operand signature of an instruction, and the legality of its types and
 * modifiers together. The parser calls them when words are resolved to types and modifiers.
 */
#ifndef PTX_OPS_CHECK_H
#define PTX_OPS_CHECK_H

#include "ptx/program/ir.h"

/* The operand signature (letters as in ptx_op_info.sig) for this opcode with these modifiers. */
const char *ptx_sig(enum ptx_op op, const uint8_t mod[PG_COUNT]);

/* The state space of a memory operand; SP_GENERIC when none is written. */
enum ptx_space ptx_inst_space(const struct ptx_inst *in);
/* Dimensions of the tensor of a tensor copy, 1 to 5; 0: its geometry is not one of a tensor. */
int ptx_tensor_dims(const struct ptx_inst *in);
/* Has the opcode this word of a group that it takes? Tensors and textures have different geometries. */
bool ptx_takes_word(enum ptx_op op, uint8_t mod);
/* The memory ordering, MOD(SEM, ...), and whether its scope is the block; that of barrier objects has a default. */
uint8_t ptx_inst_sem(const struct ptx_inst *in);
bool ptx_inst_of_block(const struct ptx_inst *in);

/* The first FORM row that the instruction fits, or NULL. Reads op, type and mod only. */
const struct ptx_form *ptx_form_find(const struct ptx_inst *in);

/* The first target and PTX version (78 = 7.8) that have the instruction, from the SINCE rows; 0 = all; only: no later
 * target has it, and this one's name ends in a. Reads in->op and in->mod only. */
struct ptx_since { uint8_t sm, version; bool only; };
struct ptx_since ptx_since(const struct ptx_inst *in);

/*
 * Does the instruction fit a FORM row and the rules that rows cannot express (which comparison for which type, which
 * atomic operation for which type ...)? If not, *why is a sentence for the message. Reads op, type, mod, and opd where
 * the number of operands depends on types; operands must have been matched to the signature.
 */
bool ptx_form_ok(const struct ptx_inst *in, const char **why);

/*
 * Does the instruction compute each lane's result of that lane's operands alone, without the carry flag? True only by a
 * semantic row of its opcode that has no other inputs; an opcode without such a row is not.
 */
bool ptx_is_of_own_lane(const struct ptx_inst *in);

/*
 * Visits every legal combination of types and modifiers of the opcodes that have lane functions, as an
 * instruction whose operands are registers. Stops when visit returns false; returns the number of visits.
 */
int ptx_table_walk(bool (*visit)(const struct ptx_inst *in, void *arg), void *arg);

/*
 * Checks that every legal combination of types and modifiers of these opcodes has a function for every vector width of
 * this host. Returns the number of combinations, or -1 and the first without a function in `why`.
 */
int ptx_table_selftest(char *why, size_t n);

#endif
