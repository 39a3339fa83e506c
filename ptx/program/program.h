/*
 * A program: linked modules with their variables placed and initialised in device memory and every function decoded
 * for one GPU. Kernels are launched from it.
 */
#ifndef PTX_PROGRAM_H
#define PTX_PROGRAM_H

#include "ptx/exec/exec.h"

/* Memory of the host program for a variable, or NULL: device memory. *written: it has its initial value already. */
typedef void *program_place_fn(void *ctx, const char *name, uint64_t bytes, bool *written);

struct program_options {
    program_place_fn *place;     /* may be NULL */
    void *place_ctx;
    enum lanes_isa isa;
    bool independent;
    uint32_t warp_size;
    uint64_t param_address;      /* buffer of PARAM_MAX bytes in device memory */
    uint32_t const_max;          /* bytes of constant memory */
    bool inverted_carry;         /* sub.cc and subc keep the borrow inverted (gpu.sub_carry) */
    bool combined;               /* neighbouring words are accessed at once (gpu.combine_accesses) */
    bool if_converted;           /* short branches are guarded instructions (gpu.if_conversion) */
    bool scheduled;              /* the instructions of a basic block are scheduled (gpu.instruction_order) */
    bool watched;                /* blocks of its kernels may be watched (ptx/watch/watch.h) */
    uint32_t free_registers;     /* combined: 32-bit registers that each thread of the largest block can have */
    uint32_t resident_registers; /* if_converted, scheduled: those that each thread of a full SM can have */
};

/*
 * Takes ownership of the module (also on failure). NULL on failure; all errors go to d. mem may be NULL: the module is
 * checked and decoded, and variables have no memory (for `simtx ptx check`).
 */
struct program *program_load(struct ptx_module *m, struct devmem *mem, const struct program_options *o,
                             struct diag *d);
void program_free(struct program *p, struct devmem *mem);

/* Resolves externs across several modules and returns one that owns them; NULL with errors in d (link.c). */
struct ptx_module *ptx_link(struct ptx_module **m, int n, struct diag *d);

/*
 * Does the kernel, or a function that it calls, have an instruction inside a transaction whose effect an abort cannot
 * undo? global, shared: the memory that transactions are for. text: the first such instruction with its line
 * (irrevocable.c).
 */
bool program_irrevocable(const struct program *p, const struct ptx_func *kernel, bool global, bool shared, char *text,
                         size_t size);

/* The decoded form of a function with a body. */
static inline const struct code *func_code(const struct ptx_func *f)
{
    return f->def ? f->def->code : f->code;
}

#endif
