/*
 * Registration by compiler-generated constructors: images of device code, and the host addresses that
 * identify kernels and variables.  Registration reads no image, so that a program starts fast: an image is
 * parsed and loaded on a device at the first use of one of its kernels or variables there.  If loading fails,
 * each later use returns the same error.  With SIMTX_PTX the code of one file replaces that of every image.
 */
#include "base/alloc.h"
#include "frontend/cudart/cluster_dims.h"
#include "frontend/cudart/cudart.h"
#include "frontend/session/env.h"
#include "frontend/fatbin/fatbin.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Device code of one image, or of the file that SIMTX_PTX names (shared by all images). */
struct code {
    simtx_module *module[RT_MAX_DEVICES];
    cudaError_t failed;                       /* error of a failed load */
};

struct image {
    const struct fatbin_wrapper *wrapper;
    int number;                               /* in order of registration, from 1 */
    struct code *code, own;                   /* code: &own, or &replaced */
    bool has_managed;
    struct image *next;
};

struct rt_function {
    struct image *image;
    const char *name;
    struct CUfunc_st kernel[RT_MAX_DEVICES];
};

struct variable {
    struct image *image;
    const char *name;
    void **managed;                           /* host pointer that loading sets, or NULL */
    struct rt_reference reference;            /* of a texture or surface reference */
    void *shared;                             /* the host's variable, which is the device's too, or NULL */
    bool written;                             /* shared: a load has initialised it */
};

static struct image *images;
static int image_count;
static struct code replaced;
static struct ptrmap functions, variables;

/* ---- loading ---- */

static void set_managed(const struct code *code, simtx_module *m)
{
    for (size_t i = 0; i < variables.cap; i++) {
        struct variable *v = variables.slots[i].key ? variables.slots[i].value : NULL;
        if (v && v->image->code == code && v->managed)
            simtx_module_symbol(m, v->name, v->managed, NULL);
    }
}

/* Variables with __managed__: clang places the host's copies in one section, whose bounds the program announces. */
static struct section { const char *start, *stop; } *section;
static uint32_t sections, section_cap;

RT_API void __cudaSimtxManagedSection(const void *start, const void *stop)
{
    rt_lock();
    bool known = false;
    for (uint32_t i = 0; i < sections; i++)
        known |= section[i].start == start;
    if (!known) {
        section = mem_grow(section, sections, &section_cap, sizeof *section, "the sections of managed variables");
        section[sections++] = (struct section){start, stop};
    }
    rt_unlock();
}

static bool is_shared(const void *host)
{
    for (uint32_t i = 0; i < sections; i++)
        if ((const char *)host >= section[i].start && (const char *)host < section[i].stop)
            return true;
    return false;
}

/* The host's variable of this name in the code that is loaded. */
static void *shared_variable(void *ctx, const char *name, uint64_t bytes, bool *written)
{
    for (size_t i = 0; i < variables.cap; i++) {
        struct variable *v = variables.slots[i].key ? variables.slots[i].value : NULL;
        if (!v || v->image->code != ctx || !v->shared || strcmp(v->name, name))
            continue;
        *written = v->written;
        v->written = true;
        return v->shared;
    }
    return NULL;
}

/* Loads the PTX; on failure prints all messages of the library to stderr. */
static cudaError_t load_texts(const struct rt_texts *t, simtx_gpu *gpu, struct code *code, simtx_module **out)
{
    simtx_module_place(gpu, sections ? shared_variable : NULL, code);
    simtx_status s = rt_load_texts(t, gpu, out);
    simtx_module_place(gpu, NULL, NULL);
    if (s == SIMTX_OK)
        return cudaSuccess;
    fflush(stdout);
    const char *message = simtx_last_message(gpu);
    fprintf(stderr, "%s%s", message, *message && message[strlen(message) - 1] == '\n' ? "" : "\n");
    rt_log(message);
    rt_say("device code of %s cannot be loaded", program_invocation_short_name);
    return rt_status_error(s);
}

/* The PTX of the image, or of the file that SIMTX_PTX names. */
static bool find_texts(const struct image *image, struct rt_texts *t, char *why, size_t size)
{
    if (image->code == &replaced)
        return rt_read_text(t, getenv(SIMTX_ENV_PTX), why, size);
    if (image->number == 1)
        snprintf(t->made_up, sizeof t->made_up, "%s.ptx", program_invocation_short_name);
    else
        snprintf(t->made_up, sizeof t->made_up, "%s.%d.ptx", program_invocation_short_name, image->number);
    return rt_add_text(t, image->wrapper, 0, t->made_up, why, size);
}

static cudaError_t load_image(struct image *image)
{
    struct rt_device *d = rt_current();
    struct code *code = image->code;
    simtx_module **module = &code->module[rt_thread.device];
    char why[PATH_MAX + 64] = "";
    if (*module || code->failed)
        return *module ? cudaSuccess : code->failed;
    struct rt_texts *t = calloc(1, sizeof *t);
    if (!t)
        return cudaErrorMemoryAllocation;
    if (find_texts(image, t, why, sizeof why)) {
        code->failed = load_texts(t, d->gpu, code, module);
    } else {
        rt_say("device code of %s cannot be loaded: %s%s", program_invocation_short_name,
               code == &replaced ? SIMTX_ENV_PTX ": " : "", why);
        code->failed = cudaErrorNoKernelImageForDevice;
    }
    rt_free_texts(t);
    free(t);
    if (*module)
        set_managed(code, *module);
    return code->failed;
}

/* The shape that the kernel's __cluster_dims__ gives. */
static cudaError_t set_cluster(struct CUfunc_st *k, const char *name)
{
    simtx_dim3 shape;
    char text[100];
    if (!cluster_dims_of(k->symbol, &shape, text, sizeof text))
        return cudaSuccess;
    if (shape.x) {
        simtx_kernel_set_cluster(k->kernel, shape);
        return cudaSuccess;
    }
    rt_say("kernel %s: __cluster_dims__(%s) is not one to three positive numbers; write them as numbers or macros",
           name, text);
    k->kernel = NULL;
    return cudaErrorInvalidClusterSize;
}

static cudaError_t load_kernel(struct rt_function *f, const void *symbol, struct CUfunc_st *k)
{
    cudaError_t e = load_image(f->image);
    if (e)
        return e;
    *k = (struct CUfunc_st){.kernel = simtx_module_kernel(f->image->code->module[rt_thread.device], f->name),
                            .symbol = symbol, .device = rt_thread.device, .carveout = cudaSharedmemCarveoutDefault};
    if (k->kernel)
        return set_cluster(k, f->name);
    rt_say("kernel %s is not in %s", f->name, f->image->code == &replaced ? getenv(SIMTX_ENV_PTX) : "its device code");
    return cudaErrorInvalidDeviceFunction;
}

static cudaError_t use(struct rt_function *f, const void *host_function, struct CUfunc_st **out)
{
    *out = &f->kernel[rt_thread.device];
    return (*out)->kernel ? cudaSuccess : load_kernel(f, host_function, *out);
}

static cudaError_t find_registered(const void *host_function, struct CUfunc_st **out)
{
    struct rt_function *f = ptrmap_get(&functions, host_function);
    return f ? use(f, host_function, out) : cudaErrorInvalidDeviceFunction;
}

/* The driver API's handles of functions and kernels are accepted, too. */
cudaError_t rt_kernel(const void *host_function, struct CUfunc_st **out)
{
    struct rt_function *f = ptrmap_get(&functions, host_function);
    return f ? use(f, host_function, out) : rt_resolve(host_function, out);
}

cudaError_t rt_kernel_of(const void *handle, int device, struct CUfunc_st **out)
{
    int current = rt_thread.device;
    rt_thread.device = device;                      /* images are loaded on the current device */
    cudaError_t e = rt_kernel(handle, out);
    rt_thread.device = current;
    return e ? e : (*out)->device == device ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t rt_symbol(const void *host_variable, void **address, size_t *bytes)
{
    struct variable *v = ptrmap_get(&variables, host_variable);
    void *a;
    size_t n;
    if (!v)
        return cudaErrorInvalidSymbol;
    cudaError_t e = load_image(v->image);
    if (e)
        return e;
    if (!simtx_module_symbol(v->image->code->module[rt_thread.device], v->name, &a, &n))
        return cudaErrorInvalidSymbol;
    if (address)
        *address = a;
    if (bytes)
        *bytes = n;
    return cudaSuccess;
}

struct rt_reference *rt_reference(const void *host_variable, bool surface)
{
    struct variable *v = ptrmap_get(&variables, host_variable);
    return v && (surface ? v->reference.surface : v->reference.texture) ? &v->reference : NULL;
}

static void drop_binding(struct rt_reference *r, int device)
{
    if (r->handle[device])
        rt_object_free(device, r->handle[device], r->surface);
    r->handle[device] = 0;
}

static void drop_bindings(int device)
{
    for (size_t i = 0; i < variables.cap; i++)
        if (variables.slots[i].key)
            drop_binding(&((struct variable *)variables.slots[i].value)->reference, device);
}

static void drop_kernels(int device)
{
    for (size_t i = 0; i < functions.cap; i++)
        if (functions.slots[i].key) {
            struct CUfunc_st *f = &((struct rt_function *)functions.slots[i].value)->kernel[device];
            free(f->old);
            *f = (struct CUfunc_st){0};
        }
}

static void unload(struct code *code, int device)
{
    simtx_module_unload(code->module[device]);
    code->module[device] = NULL;
}

static void unload_images(int device)
{
    drop_kernels(device);
    drop_bindings(device);
    unload(&replaced, device);
    for (struct image *i = images; i; i = i->next)
        unload(&i->own, device);
}

static bool owns_function(const struct CUfunc_st *f)
{
    for (size_t i = 0; i < functions.cap; i++) {
        const struct rt_function *r = functions.slots[i].key ? functions.slots[i].value : NULL;
        if (r && f >= r->kernel && f < r->kernel + RT_MAX_DEVICES)
            return f->kernel != NULL;
    }
    return false;
}

/* ---- registration ---- */

static void add(struct ptrmap *m, const void *host, void *value)
{
    if (!ptrmap_put(m, host, value))
        mem_failed(m->cap * 2 * sizeof *m->slots, "the list of device functions and variables");
}

static struct image *image_of(void **handle)
{
    return (struct image *)(void *)handle;
}

RT_API void **__cudaRegisterFatBinary(void *wrapper)
{
    rt_lock();
    rt_unload_images = unload_images;
    rt_owns_function = owns_function;
    rt_find_registered = find_registered;
    struct image *image = mem_zero(1, sizeof *image, "device code");
    const char *path = getenv(SIMTX_ENV_PTX);
    image->code = path && *path ? &replaced : &image->own;
    image->wrapper = wrapper;
    image->number = ++image_count;
    image->next = images;
    images = image;
    rt_unlock();
    return (void **)(void *)image;
}

/* Host code reads managed variables through pointers, without an API call, so an image that has some is loaded
 * here.  Code that images share is loaded with the first of them. */
RT_API void __cudaRegisterFatBinaryEnd(void **handle)
{
    if (!image_of(handle)->has_managed)
        return;
    cudaError_t e = rt_enter_gpu();
    if (!e)
        e = load_image(image_of(handle));
    if (!e)
        set_managed(image_of(handle)->code, image_of(handle)->code->module[rt_thread.device]);
    rt_leave(e);
}

/* Removes the entries of the image from a map.  A removal moves other entries, so the scan restarts after it. */
static void drop_entries(struct ptrmap *m, struct image *image, struct image *(*owner)(void *))
{
    for (size_t i = 0; i < m->cap; i++)
        while (m->slots[i].key && owner(m->slots[i].value) == image)
            free(ptrmap_remove(m, m->slots[i].key));
}

static struct image *function_owner(void *f)
{
    return ((struct rt_function *)f)->image;
}

static struct image *variable_owner(void *v)
{
    return ((struct variable *)v)->image;
}

/* Called at the end of the program, or when a shared object with device code is closed. */
RT_API void __cudaUnregisterFatBinary(void **handle)
{
    struct image *image = image_of(handle);
    rt_lock();
    for (struct image **p = &images; *p; p = &(*p)->next) {
        if (*p != image)
            continue;
        *p = image->next;
        drop_entries(&functions, image, function_owner);
        drop_entries(&variables, image, variable_owner);
        for (int i = 0; i < RT_MAX_DEVICES; i++)
            unload(&image->own, i);
        free(image);
        break;
    }
    rt_unlock();
}

RT_API int __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                                  int thread_limit, uint3 *tid, uint3 *bid, dim3 *block_dim, dim3 *grid_dim,
                                  int *warp_size)
{
    rt_lock();
    struct rt_function *f = mem_zero(1, sizeof *f, "a device function");
    *f = (struct rt_function){.image = image_of(handle), .name = name};
    add(&functions, host, f);
    rt_unlock();
    return 0;
}

static void register_variable(void **handle, const void *host, const char *name, void **managed,
                              struct rt_reference reference)
{
    rt_lock();
    struct variable *v = mem_zero(1, sizeof *v, "a device variable");
    bool shared = is_shared(host);
    *v = (struct variable){.image = image_of(handle), .name = name, .managed = managed, .reference = reference,
                           .shared = shared ? (void *)host : NULL};
    add(&variables, host, v);
    image_of(handle)->has_managed |= managed != NULL || shared;
    rt_unlock();
}

RT_API void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external,
                              size_t size, int constant, int global)
{
    register_variable(handle, host, name, NULL, (struct rt_reference){0});
}

RT_API void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int external,
                                     size_t size, int constant, int global)
{
    register_variable(handle, host, name, host, (struct rt_reference){0});
}

RT_API void __cudaRegisterTexture(void **handle, const void *host, const void **device, const char *name,
                                  int dim, int normalised, int external)
{
    register_variable(handle, host, name, NULL, (struct rt_reference){.texture = true, .normalized = normalised});
}

RT_API void __cudaRegisterSurface(void **handle, const void *host, const void **device, const char *name,
                                  int dim, int external)
{
    register_variable(handle, host, name, NULL, (struct rt_reference){.surface = true});
}
