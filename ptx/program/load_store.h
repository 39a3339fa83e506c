/* Loads and stores (ld, ldu, st): their operands, and which of them may access the same bytes. */
#ifndef PTX_LOAD_STORE_H
#define PTX_LOAD_STORE_H

#include "ptx/program/ir.h"

/* Bytes relative to some address. */
struct load_store_range { int64_t from, to; };

int load_store_address(const struct ptx_inst *in);      /* positions of operands */
int load_store_data(const struct ptx_inst *in);
int load_store_elements(const struct ptx_inst *in);     /* of a vector, else 1 */

/* Of an access whose first byte is `from`. */
struct load_store_range load_store_range(const struct ptx_inst *in, int64_t from);
bool load_store_overlap(struct load_store_range a, struct load_store_range b);

/* May addresses of two state spaces (INST_SPACE) be of the same memory? */
bool load_store_same_memory(uint8_t a, uint8_t b);

#endif
