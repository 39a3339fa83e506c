/*
 * The memory functions of one vector width, by memory size, register size, sign extension and space; and the function
 * that computes the lanes' addresses of a captured access (access.h).
 */
#ifndef PTX_MEM_TABLE_H
#define PTX_MEM_TABLE_H

#include "ptx/memory/access.h"

enum mem_place { MEM_GLOBAL, MEM_SHARED, MEM_PARAM, MEM_PRIVATE, MEM_PLACES };

struct mem_row {
    uint8_t mem_bytes, reg_bytes;
    bool sign, store;
    ptx_fn *fn[MEM_PLACES];
};

extern const struct mem_row mem_table_base[], mem_table_avx2[], mem_table_avx512[];

/* Addresses of all lanes, plus `offset`; returns the pattern of those in mask, which is not 0. */
typedef enum mem_pattern mem_addresses_fn(const struct lanes *x, const struct dinst *d, uint64_t offset, uint32_t mask,
                                          uint64_t *address);
extern mem_addresses_fn mem_addresses_base, mem_addresses_avx2, mem_addresses_avx512;
extern mem_addresses_fn *const mem_addresses[ISA_COUNT];

#endif
