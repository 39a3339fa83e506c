/*
 * Device memory: one reserved range of host addresses per GPU, with a table of its allocations. A device address is a
 * host address; an access is a bounds check and a load. Addresses are allocated upwards and not reused until the range
 * is exhausted, so they are the same in every run and a use after free is detected.
 */
#ifndef PTX_DEVMEM_H
#define PTX_DEVMEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Generic addresses of the block's shared memory and of a lane's private memory lie above all host addresses. */
#define WINDOW_SHARED 0x1000000000000000ull
#define WINDOW_LOCAL  0x2000000000000000ull
#define WINDOW_BITS   60
/* Addresses that functions have when a program takes them: index of the function, from 1, above this base. */
#define FUNCTION_BASE 0x3000000000000000ull

enum mem_kind {
    MEM_DEVICE, MEM_HOST, MEM_MANAGED, MEM_VARIABLE, MEM_CONSTANT, MEM_HEAP, MEM_EXTERNAL,
    MEM_PARAMETERS           /* of kernels */
};

struct mem_range {
    uint64_t lo, hi;         /* [lo, hi) */
    const char *name;        /* module variable, or NULL; the caller keeps it alive */
    uint8_t kind;
    bool freed;
};

struct devmem;
struct region_table;

/* index: which GPU; capacity: bytes of all allocations. NULL with errno when the range is not available. */
struct devmem *devmem_new(int index, uint64_t capacity);
uint64_t devmem_least_range(void);       /* bytes of addresses that a GPU reserves at least */
/* From now on the allocations of programs follow each other at multiples of 256 bytes, from a round address on and
 * without gaps, wherever modules and launches put what they need: an access that overruns may hit the next one. */
void devmem_pack(struct devmem *m);
void devmem_free(struct devmem *m);
/* Zeroed memory, at least 256-byte aligned (align: power of two); NULL when the capacity is exhausted. 0 bytes -> 1. */
void *devmem_alloc(struct devmem *m, size_t bytes, size_t align, enum mem_kind kind, const char *name);
bool devmem_release(struct devmem *m, void *p);                 /* false: not the start of a live allocation */
bool devmem_register(struct devmem *m, void *p, size_t bytes);  /* host memory outside the range */
bool devmem_unregister(struct devmem *m, void *p);
/* The live allocation that holds addr; NULL when none does. Valid until the next allocation or release. */
const struct mem_range *devmem_find(const struct devmem *m, uint64_t addr);
/* For reports: the last allocation (live or freed) that starts at or below addr, and the first above; may be NULL. */
void devmem_around(const struct devmem *m, uint64_t addr, const struct mem_range **below,
                   const struct mem_range **above);
/*
 * The uppermost `bytes` of the range, accessible: memory that is no allocation, which programs cannot access (private
 * memory in timing mode). Later calls may ask for more; NULL when it would overlap the allocations. Zero at first.
 */
void *devmem_upper(struct devmem *m, uint64_t bytes);
/*
 * CRC-32 (zlib's) of all memory that kernels can write: freed allocations in the order of their release, with their
 * contents then (only with devmem_hash_freed), then the live allocations in the order of their addresses. Registered
 * host memory is left out, and freed blocks of the device heap, whose order is not defined.
 */
uint32_t devmem_hash(const struct devmem *m);
void devmem_hash_freed(struct devmem *m);                       /* includes what is freed after this call */
/* The part of the hash that freed allocations have made so far; saved states keep it. */
uint32_t devmem_freed_hash(const struct devmem *m);
void devmem_set_freed_hash(struct devmem *m, uint32_t hash);
/* The i-th allocation in the order of addresses, freed ones included; NULL after the last. Valid as with
 * devmem_find. */
const struct mem_range *devmem_at(const struct devmem *m, size_t i);
/* Sets [p, p + bytes) to a byte; whole pages of the range that become zero are given back to the host. */
void devmem_fill(struct devmem *m, void *p, int value, size_t bytes);
/* The regions that programs have declared as versioned; a release removes those of its allocation. */
struct region_table *devmem_regions(struct devmem *m);
/*
 * From now on the bytes that nothing has written are known (check.uninitialised; else all count as written): those of
 * allocations that are marked unwritten, until a kernel or a copy or fill of the host writes them.
 */
void devmem_watch(struct devmem *m);
void devmem_mark(struct devmem *m, uint64_t address, uint64_t bytes, bool unwritten);   /* outside the range: nothing */
bool devmem_is_unwritten(const struct devmem *m, uint64_t address, uint64_t bytes);     /* any of them */
uint64_t devmem_base(const struct devmem *m);
bool devmem_has(const struct devmem *m, uint64_t addr);          /* is there memory that the host can access? */
bool devmem_in_range(const struct devmem *m, uint64_t addr);
uint64_t devmem_used(const struct devmem *m);
uint64_t devmem_capacity(const struct devmem *m);

#endif
