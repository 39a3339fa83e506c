/*
 * Modules of the driver API, from text, fat binaries and files. The logs of the options of a load get simtx's own
 * diagnostics; without an error log, errors go to stderr. The other options concern machine code and have no effect.
 */
#include "frontend/libcuda/cu.h"
#include "frontend/libcuda/jit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME_OF_IMAGE "image.ptx"

cudaError_t cu_enter_module(CUmodule m)
{
    cudaError_t e = rt_enter_context();
    return e ? e : rt_module_ok(m) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

/* ---- logs ---- */

static bool valid_options(unsigned n, const CUjit_option *options, void *const *values)
{
    return !n || (options && values);
}

bool jit_logs(struct jit_logs *l, unsigned n, const CUjit_option *options, void **values)
{
    *l = (struct jit_logs){0};
    if (!valid_options(n, options, values))
        return false;
    for (unsigned i = 0; i < n; i++)
        switch ((int)options[i]) {
        case CU_JIT_INFO_LOG_BUFFER: l->info.text = values[i]; break;
        case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES: l->info.size = &values[i]; break;
        case CU_JIT_ERROR_LOG_BUFFER: l->error.text = values[i]; break;
        case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES: l->error.size = &values[i]; break;
        case CU_JIT_WALL_TIME: {
            float none = 0;
            memcpy(&values[i], &none, sizeof none);
        }
        }
    return true;
}

/* The size option holds the room on entry and the bytes used on return. */
static void write_log(const struct jit_log *l, const char *text)
{
    if (!l->size)
        return;
    size_t room = (size_t)(unsigned)(uintptr_t)*l->size, n = strlen(text) + 1;
    if (n > room)
        n = room;
    if (l->text && n) {
        memcpy(l->text, text, n);
        l->text[n - 1] = 0;
    }
    *l->size = (void *)(uintptr_t)(l->text ? n : 0);
}

static void print_errors(const char *message)
{
    fflush(stdout);
    fprintf(stderr, "%s%s", message, *message && message[strlen(message) - 1] == '\n' ? "" : "\n");
    rt_log(message);
}

void jit_report(const struct jit_logs *l, bool failed, const char *message)
{
    write_log(&l->info, failed ? "" : message);
    write_log(&l->error, failed ? message : "");
    if (failed && !(l->error.text && l->error.size))
        print_errors(message);
}

/* ---- loading ---- */

cudaError_t jit_load(const struct jit_load *what, const void *image, const char *path, const struct jit_logs *l)
{
    char why[512] = "";
    struct rt_texts *t = calloc(1, sizeof *t), *file = path ? calloc(1, sizeof *file) : NULL;
    cudaError_t e = t && (!path || file) ? cudaSuccess : cudaErrorMemoryAllocation;
    if (!e && path && !rt_read_text(file, path, why, sizeof why)) {
        jit_report(l, true, why);
        e = cudaErrorFileNotFound;
    }
    if (!e && !(path ? rt_add_text(t, file->text[0], file->length[0], path, why, sizeof why)
                     : rt_add_text(t, image, 0, NAME_OF_IMAGE, why, sizeof why))) {
        jit_report(l, true, why);
        e = cudaErrorNoKernelImageForDevice;
    }
    if (!e) {
        e = what->module ? rt_module_load(what->module, t) : rt_library_load(what->library, t, path);
        jit_report(l, e != cudaSuccess, e ? simtx_last_message(rt_current()->gpu) : "");
    }
    if (t)
        rt_free_texts(t);
    if (file)
        rt_free_texts(file);
    free(t);
    free(file);
    return e;
}

CU_API CUresult cuModuleLoadDataEx(CUmodule *out, const void *image, unsigned n, CUjit_option *options, void **values)
{
    struct jit_logs l;
    cudaError_t e = rt_enter_context();
    if (!e && (!out || !image || !jit_logs(&l, n, options, values)))
        e = cudaErrorInvalidValue;
    return cu_leave(e ? e : jit_load(&(struct jit_load){.module = out}, image, NULL, &l));
}

CU_API CUresult cuModuleLoadData(CUmodule *out, const void *image)
{
    return cuModuleLoadDataEx(out, image, 0, NULL, NULL);
}

CU_API CUresult cuModuleLoadFatBinary(CUmodule *out, const void *image)
{
    return cuModuleLoadDataEx(out, image, 0, NULL, NULL);
}

CU_API CUresult cuModuleLoad(CUmodule *out, const char *path)
{
    struct jit_logs l = {0};
    cudaError_t e = rt_enter_context();
    if (!e && (!out || !path))
        e = cudaErrorInvalidValue;
    return cu_leave(e ? e : jit_load(&(struct jit_load){.module = out}, NULL, path, &l));
}

CU_API CUresult cuModuleUnload(CUmodule m)
{
    cudaError_t e = cu_enter_module(m);
    return cu_leave(e ? e : rt_module_unload(m));
}

/* ---- contents ---- */

CU_API CUresult cuModuleGetFunction(CUfunction *out, CUmodule m, const char *name)
{
    cudaError_t e = cu_enter_module(m);
    if (!e && (!out || !name))
        e = cudaErrorInvalidValue;
    return cu_leave(e ? e : rt_module_function(m, name, out));
}

CU_API CUresult cuModuleGetFunctionCount(unsigned *count, CUmodule m)
{
    cudaError_t e = cu_enter_module(m);
    if (!e && !count)
        e = cudaErrorInvalidValue;
    if (!e)
        *count = (unsigned)m->count;
    return cu_leave(e);
}

CU_API CUresult cuModuleEnumerateFunctions(CUfunction *out, unsigned n, CUmodule m)
{
    cudaError_t e = cu_enter_module(m);
    if (!e && (!out || !n))
        e = cudaErrorInvalidValue;
    for (unsigned i = 0; !e && i < n && i < (unsigned)m->count; i++)
        out[i] = &m->functions[i];
    return cu_leave(e);
}

CU_API CUresult cuModuleGetGlobal(CUdeviceptr *address, size_t *bytes, CUmodule m, const char *name)
{
    void *p;
    size_t n;
    cudaError_t e = cu_enter_module(m);
    if (!e && !name)
        e = cudaErrorInvalidValue;
    if (!e && !simtx_module_symbol(m->module, name, &p, &n))
        e = cudaErrorSymbolNotFound;
    if (!e && address)
        *address = cu_address(p);
    if (!e && bytes)
        *bytes = n;
    return cu_leave(e);
}
