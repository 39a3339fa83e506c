/*
 * The linker of the driver API. Each input is PTX text or a fat binary with PTX. The result of a link is not machine
 * code but the texts of the inputs, which load as one module; that they link is checked when the link is completed, by
 * a load. Programs store the result in files, so it has no pointers.
 */
#include "frontend/libcuda/cu.h"
#include "frontend/libcuda/jit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct CUlinkState_st {
    struct rt_texts texts;
    char *names[RT_MAX_LINKED];
    void *image;                         /* the result */
    size_t image_size;
    struct jit_logs logs;                /* of cuLinkCreate */
};

CU_API CUresult cuLinkCreate(unsigned n, CUjit_option *options, void **values, CUlinkState *out)
{
    struct jit_logs logs;
    cudaError_t e = rt_enter_context();
    if (!e && (!out || !jit_logs(&logs, n, options, values)))
        e = cudaErrorInvalidValue;
    CUlinkState s = e ? NULL : calloc(1, sizeof *s);
    if (!e && !s)
        e = cudaErrorMemoryAllocation;
    if (!e) {
        s->logs = logs;
        *out = s;
    }
    return cu_leave(e);
}

/* Not terminated text becomes terminated; containers keep their bytes. */
static void *copy_input(const void *data, size_t size)
{
    char *p = malloc(size + 1);
    if (p) {
        memcpy(p, data, size);
        p[size] = 0;
    }
    return p;
}

static cudaError_t add(CUlinkState s, const void *data, size_t size, const char *name)
{
    char why[512] = "";
    void *image = copy_input(data, size);
    int i = s->texts.n;
    if (!image)
        return cudaErrorMemoryAllocation;
    bool ok = size >= 4 && rt_add_text(&s->texts, image, size, "", why, sizeof why);
    free(image);
    if (!ok) {
        jit_report(&s->logs, true, *why ? why : "the input is empty");
        return cudaErrorNoKernelImageForDevice;
    }
    s->names[i] = strdup(name && *name ? name : "input.ptx");
    for (int k = i; k < s->texts.n; k++)         /* the result of another link has several texts */
        s->texts.name[k] = s->names[i] ? s->names[i] : "input.ptx";
    return cudaSuccess;
}

static const char unknown[] = "simtx links PTX, fat binaries with PTX and libcudadevrt, not machine code or NVVM";

static bool is_ptx(CUjitInputType type)
{
    return type == CU_JIT_INPUT_PTX || type == CU_JIT_INPUT_FATBINARY;
}

/* Its functions are in simtx (ptx/text/device_runtime.c). */
static bool is_device_runtime(CUjitInputType type, const char *path)
{
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    return type == CU_JIT_INPUT_LIBRARY && !strncmp(file, "libcudadevrt.", 13);
}

CU_API CUresult cuLinkAddData(CUlinkState s, CUjitInputType type, void *data, size_t size, const char *name,
                              unsigned n, CUjit_option *options, void **values)
{
    cudaError_t e = rt_enter_context();
    if (!e && (!s || !data || !size))
        e = cudaErrorInvalidValue;
    if (!e && !is_ptx(type)) {
        jit_report(&s->logs, true, unknown);
        e = cudaErrorNoKernelImageForDevice;
    }
    return cu_leave(e ? e : add(s, data, size, name));
}

static cudaError_t add_file(CUlinkState s, const char *path)
{
    char why[512] = "";
    struct rt_texts *file = calloc(1, sizeof *file);
    if (!file)
        return cudaErrorMemoryAllocation;
    cudaError_t e = rt_read_text(file, path, why, sizeof why) ? cudaSuccess : cudaErrorFileNotFound;
    if (e)
        jit_report(&s->logs, true, why);
    else
        e = add(s, file->text[0], file->length[0], path);
    rt_free_texts(file);
    free(file);
    return e;
}

CU_API CUresult cuLinkAddFile(CUlinkState s, CUjitInputType type, const char *path, unsigned n, CUjit_option *options,
                              void **values)
{
    cudaError_t e = rt_enter_context();
    if (!e && (!s || !path))
        e = cudaErrorInvalidValue;
    if (!e && access(path, R_OK))
        e = cudaErrorFileNotFound;
    if (!e && is_device_runtime(type, path))
        return cu_leave(e);
    if (!e && !is_ptx(type)) {
        jit_report(&s->logs, true, unknown);
        e = cudaErrorNoKernelImageForDevice;
    }
    return cu_leave(e ? e : add_file(s, path));
}

static cudaError_t complete(CUlinkState s)
{
    CUmodule m;
    cudaError_t e = rt_module_load(&m, &s->texts);
    jit_report(&s->logs, e != cudaSuccess, e ? simtx_last_message(rt_current()->gpu) : "");
    if (e)
        return e;
    rt_module_unload(m);
    free(s->image);
    s->image = rt_pack_texts(&s->texts, &s->image_size);
    return s->image ? cudaSuccess : cudaErrorMemoryAllocation;
}

CU_API CUresult cuLinkComplete(CUlinkState s, void **out, size_t *size)
{
    cudaError_t e = rt_enter_context();
    if (!e && (!s || !out || !s->texts.n))
        e = cudaErrorInvalidValue;
    if (!e)
        e = complete(s);
    if (!e) {
        *out = s->image;
        if (size)
            *size = s->image_size;
    }
    return cu_leave(e);
}

CU_API CUresult cuLinkDestroy(CUlinkState s)
{
    cudaError_t e = rt_enter_context();
    if (!e && !s)
        e = cudaErrorInvalidValue;
    if (!e) {
        for (int i = 0; i < s->texts.n; i++)
            free(s->names[i]);
        rt_free_texts(&s->texts);
        free(s->image);
        free(s);
    }
    return cu_leave(e);
}
