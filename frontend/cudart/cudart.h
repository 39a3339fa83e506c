/* The runtime API: what its files share beside the layer below (frontend/rt/rt.h). */
#ifndef CUDART_CUDART_H
#define CUDART_CUDART_H

#include "frontend/rt/rt.h"

/* register.c: a kernel or variable by its address in the host program, on the current device */
cudaError_t rt_kernel(const void *host_function, struct CUfunc_st **out);
/* On any device that is open; not those of libraries. */
cudaError_t rt_kernel_of(const void *handle, int device, struct CUfunc_st **out);
cudaError_t rt_symbol(const void *host_variable, void **address, size_t *bytes);
/* A texture or surface reference, a variable that has more than an address. */
struct rt_reference {
    bool texture, surface;
    bool normalized;                    /* integers are read as fractions */
    uint64_t handle[RT_MAX_DEVICES];    /* of the object that it is bound to; 0: none */
    size_t offset;                      /* from the bound object's memory to the address that the program bound */
};
struct rt_reference *rt_reference(const void *host_variable, bool surface);    /* NULL: there is none */
/* copy_api.c: the sides of a copy in three dimensions. */
cudaError_t rt_copy_parameters(struct rt_side *dst, struct rt_side *src, const struct cudaMemcpy3DParms *p);

#endif
