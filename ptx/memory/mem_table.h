/*
 * The memory functions of one vector width, by memory size, register size, sign extension and space; and the functions
 * that compute the lanes' addresses of a captured access (access.h) and of an atomic.
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

/* Loads with a loaded index (indexed.h), by [the index is signed][elements have 8 bytes, not 4]. */
extern ptx_fn *const mem_indexed_base[2][2], *const mem_indexed_avx2[2][2], *const mem_indexed_avx512[2][2];

/* Addresses of all lanes, plus `offset`; returns the pattern of those in mask, which is not 0. */
typedef enum mem_pattern mem_addresses_fn(const struct lanes *x, const struct dinst *d, uint64_t offset, uint32_t mask,
                                          uint64_t *address);
extern mem_addresses_fn mem_addresses_base, mem_addresses_avx2, mem_addresses_avx512;
extern mem_addresses_fn *const mem_addresses[ISA_COUNT];

/* The addresses of a load, store or atomic in one space. */
struct mem_access {
    _Alignas(64) uint64_t addr[LANES];   /* by lane; of lanes that do not execute: that of the first that does */
    uint32_t mask;
    int first, last;                     /* lanes that execute */
    unsigned width;                      /* bytes of all elements of a lane */
    uint64_t imm;
    uint64_t from, to;                   /* the addresses of the first and the last lane */
    const uint64_t *at;                  /* plus imm: address by lane */
    uint64_t host;                       /* the host address of the space's address 0 */
};

/*
 * Sets `a` for an access of one element in global or shared memory. False: not all lanes' addresses are aligned and in
 * the region that the instruction last accessed.
 */
typedef bool mem_inside_fn(struct lanes *x, const struct dinst *d, struct mem_access *a);
extern mem_inside_fn mem_inside_base, mem_inside_avx2, mem_inside_avx512;
extern mem_inside_fn *const mem_inside[ISA_COUNT];

#endif
