/*
 * Libraries: device code that belongs to no context. A context that uses a library gets a module of its own, which ends
 * with the context or with the library. A kernel of a library stands for the function of that name in the module of the
 * current context; its attributes belong to a device and hold in the modules of all contexts of that device.
 */
#include "frontend/rt/rt.h"

#include <stdlib.h>
#include <string.h>

struct CUkern_st {
    struct CUlib_st *library;
    int index;                               /* of the function in each module of the library */
    char *name;
    struct { int max_dynamic, carveout; } set[RT_MAX_DEVICES];
};

struct CUlib_st {
    struct rt_texts *texts;
    char *path;                              /* of its file, the name of the text; NULL: loaded from memory */
    struct CUkern_st *kernels;
    int count;
};

bool rt_library_ok(struct CUlib_st *l)
{
    return ptrmap_get(&rt.libraries, l) != NULL;
}

bool rt_library_kernel_ok(const struct CUkern_st *k)
{
    return ptrmap_get(&rt.kernels, k) != NULL;
}

/* ---- modules of a library ---- */

static rt_module module_in(const struct CUlib_st *l, rt_context c)
{
    for (rt_module m = rt.modules; m; m = m->next)
        if (m->library == l && m->context == c)
            return m;
    return NULL;
}

static rt_module module_on(const struct CUlib_st *l, int device)
{
    for (rt_module m = rt.modules; m; m = m->next)
        if (m->library == l && m->context->device == device)
            return m;
    return NULL;
}

static cudaError_t apply(const struct CUkern_st *k, rt_module m)
{
    int device = m->context->device;
    struct CUfunc_st *f = &m->functions[k->index];
    cudaError_t e = cudaSuccess;
    if (k->set[device].max_dynamic != f->max_dynamic)
        e = rt_function_set(f, cudaFuncAttributeMaxDynamicSharedMemorySize, k->set[device].max_dynamic);
    return e ? e : rt_function_set(f, cudaFuncAttributePreferredSharedMemoryCarveout, k->set[device].carveout);
}

cudaError_t rt_library_module(struct CUlib_st *l, rt_module *out)
{
    rt_context c = rt_context_current();
    if (!c)
        return cudaErrorDeviceUninitialized;
    *out = module_in(l, c);
    if (*out)
        return cudaSuccess;
    cudaError_t e = rt_module_load(out, l->texts);
    if (e)
        return e;
    (*out)->library = l;
    for (int i = 0; !e && i < l->count; i++)
        e = apply(&l->kernels[i], *out);
    return e;
}

/* A module on the device: of the current context if it is one of the device, else the first, else the primary one's. */
static cudaError_t module_for(struct CUlib_st *l, int device, rt_module *out)
{
    rt_context c = rt_context_current();
    if (c && c->device == device)
        return rt_library_module(l, out);
    *out = module_on(l, device);
    if (*out)
        return cudaSuccess;
    cudaError_t e = rt_open_device(device);
    if (!e)
        e = rt_context_push(&rt.device[device].primary);
    if (e)
        return e;
    e = rt_library_module(l, out);
    rt_context_pop(NULL);
    return e;
}

/* ---- loading ---- */

static void free_library(struct CUlib_st *l)
{
    for (int i = 0; i < l->count; i++) {
        ptrmap_remove(&rt.kernels, &l->kernels[i]);
        free(l->kernels[i].name);
    }
    rt_free_texts(l->texts);
    free(l->texts);
    free(l->kernels);
    free(l->path);
    free(l);
}

static bool add_kernel(struct CUlib_st *l, const struct CUfunc_st *f)
{
    simtx_kernel_info info;
    struct CUkern_st *k = &l->kernels[l->count];
    simtx_kernel_get_info(f->kernel, &info);
    *k = (struct CUkern_st){.library = l, .index = l->count, .name = strdup(info.name)};
    for (int i = 0; i < RT_MAX_DEVICES; i++)
        k->set[i].carveout = cudaSharedmemCarveoutDefault;
    l->count++;
    return k->name && ptrmap_put(&rt.kernels, k, k);
}

static cudaError_t list_kernels(struct CUlib_st *l)
{
    rt_module m;
    cudaError_t e = module_for(l, rt_thread.device, &m);
    if (e)
        return e;
    l->kernels = calloc((size_t)m->count + 1, sizeof *l->kernels);
    bool ok = l->kernels != NULL;
    for (int i = 0; ok && i < m->count; i++)
        ok = add_kernel(l, &m->functions[i]);
    return ok ? cudaSuccess : cudaErrorMemoryAllocation;
}

static void unload_modules(const struct CUlib_st *l)
{
    for (rt_module m = rt.modules, next; m; m = next) {
        next = m->next;
        if (m->library == l)
            rt_module_unload(m);
    }
}

cudaError_t rt_library_load(struct CUlib_st **out, struct rt_texts *t, const char *path)
{
    struct CUlib_st *l = calloc(1, sizeof *l);
    struct rt_texts *texts = calloc(1, sizeof *texts);
    if (!l || !texts) {
        free(l);
        free(texts);
        return cudaErrorMemoryAllocation;
    }
    *texts = *t;
    t->n = 0;
    l->texts = texts;
    if (path)
        texts->name[0] = l->path = strdup(path);
    cudaError_t e = path && !l->path ? cudaErrorMemoryAllocation : list_kernels(l);
    if (!e && !ptrmap_put(&rt.libraries, l, l))
        e = cudaErrorMemoryAllocation;
    if (!e) {
        *out = l;
        return cudaSuccess;
    }
    unload_modules(l);
    free_library(l);
    return e;
}

cudaError_t rt_library_unload(struct CUlib_st *l)
{
    if (!ptrmap_remove(&rt.libraries, l))
        return cudaErrorInvalidResourceHandle;
    unload_modules(l);
    free_library(l);
    return cudaSuccess;
}

/* ---- contents ---- */

cudaError_t rt_library_count(const struct CUlib_st *l, unsigned *count)
{
    if (!count)
        return cudaErrorInvalidValue;
    *count = (unsigned)l->count;
    return cudaSuccess;
}

cudaError_t rt_library_kernels(struct CUlib_st *l, struct CUkern_st **out, unsigned n)
{
    if (!out || !n)
        return cudaErrorInvalidValue;
    for (unsigned i = 0; i < n && i < (unsigned)l->count; i++)
        out[i] = &l->kernels[i];
    return cudaSuccess;
}

cudaError_t rt_library_kernel(struct CUlib_st *l, const char *name, struct CUkern_st **out)
{
    if (!name || !out)
        return cudaErrorInvalidValue;
    for (int i = 0; i < l->count; i++)
        if (!strcmp(l->kernels[i].name, name)) {
            *out = &l->kernels[i];
            return cudaSuccess;
        }
    return cudaErrorSymbolNotFound;
}

cudaError_t rt_library_variable(struct CUlib_st *l, const char *name, bool managed, void **address, size_t *bytes)
{
    rt_module m;
    void *p;
    size_t n;
    cudaError_t e = rt_library_module(l, &m);
    if (e)
        return e;
    if (!simtx_module_symbol(m->module, name, &p, &n) || (managed && !rt_managed(p, n)))
        return cudaErrorSymbolNotFound;
    if (address)
        *address = p;
    if (bytes)
        *bytes = n;
    return cudaSuccess;
}

/* ---- kernels ---- */

struct CUlib_st *rt_kernel_library(const struct CUkern_st *k)
{
    return k->library;
}

cudaError_t rt_kernel_on(struct CUkern_st *k, int device, struct CUfunc_st **out)
{
    rt_module m;
    cudaError_t e = module_for(k->library, device, &m);
    if (!e)
        *out = &m->functions[k->index];
    return e;
}

cudaError_t rt_kernel_set(struct CUkern_st *k, int attribute, int value, int device)
{
    struct CUfunc_st *f;
    cudaError_t e = rt_kernel_on(k, device, &f);
    if (!e)
        e = rt_function_set(f, attribute, value);
    if (e)
        return e;
    k->set[device].max_dynamic = f->max_dynamic;
    k->set[device].carveout = f->carveout;
    for (rt_module m = rt.modules; !e && m; m = m->next)
        if (m->library == k->library && m->context->device == device)
            e = apply(k, m);
    return e;
}

cudaError_t rt_resolve(const void *handle, struct CUfunc_st **out)
{
    struct CUkern_st *k = ptrmap_get(&rt.kernels, handle);
    rt_module m;
    if (k) {
        cudaError_t e = rt_library_module(k->library, &m);
        if (!e)
            *out = &m->functions[k->index];
        return e;
    }
    *out = (struct CUfunc_st *)handle;
    if (rt_function_ok(*out))
        return cudaSuccess;
    return rt_find_registered ? rt_find_registered(handle, out) : cudaErrorInvalidDeviceFunction;
}
