/* Texture and surface references of modules: state of the host, and an object that the variable of the module is bound
 * to. */
#include "frontend/libcuda/cu_array.h"

#include <stdlib.h>
#include <string.h>

struct CUtexref_st {
    CUmodule module;
    void *variable;
    bool surface;
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC sampler;
    CUarray_format format;               /* of linear memory */
    unsigned channels;
    bool bound;
    uint64_t object;                     /* 0: none */
    struct CUtexref_st *next;
};

static struct CUtexref_st *references;

/* A reference of a module on the current device. */
static bool live(const struct CUtexref_st *r)
{
    for (struct CUtexref_st *i = references; i; i = i->next)
        if (i == r)
            return r->module->context->device == rt_thread.device;
    return false;
}

static cudaError_t enter_reference(const struct CUtexref_st *r, bool surface)
{
    cudaError_t e = rt_enter_context();
    return e ? e : live(r) && r->surface == surface ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

static struct CUtexref_st *find_reference(CUmodule m, void *variable)
{
    for (struct CUtexref_st *i = references; i; i = i->next)
        if (i->module == m && i->variable == variable)
            return i;
    return NULL;
}

static void remove_references(CUmodule m)
{
    for (struct CUtexref_st **p = &references; *p;) {
        struct CUtexref_st *r = *p;
        if (r->module != m) {
            p = &r->next;
            continue;
        }
        *p = r->next;
        rt_object_free(m->context->device, r->object, r->surface);
        free(r);
    }
}

static cudaError_t get_reference(struct CUtexref_st **out, CUmodule m, const char *name, bool surface)
{
    void *variable = simtx_module_texref(m->module, name, surface);
    if (!variable)
        return cudaErrorSymbolNotFound;
    *out = find_reference(m, variable);
    if (*out)
        return cudaSuccess;
    struct CUtexref_st *r = calloc(1, sizeof *r);
    if (!r)
        return cudaErrorMemoryAllocation;
    r->module = m;
    r->variable = variable;
    r->surface = surface;
    for (int i = 0; i < 3; i++)
        r->sampler.addressMode[i] = CU_TR_ADDRESS_MODE_CLAMP;
    r->next = references;
    references = r;
    rt_unload_references = remove_references;
    *out = r;
    return cudaSuccess;
}

CU_API CUresult cuModuleGetTexRef(CUtexref *out, CUmodule m, const char *name)
{
    cudaError_t e = cu_enter_module(m);
    if (!e && (!out || !name))
        e = cudaErrorInvalidValue;
    return cu_leave(e ? e : get_reference(out, m, name, false));
}

CU_API CUresult cuModuleGetSurfRef(CUsurfref *out, CUmodule m, const char *name)
{
    cudaError_t e = cu_enter_module(m);
    if (!e && (!out || !name))
        e = cudaErrorInvalidValue;
    return cu_leave(e ? e : get_reference((struct CUtexref_st **)(void *)out, m, name, true));
}

/* The variable gets this object in place of the previous one. */
static cudaError_t replace(struct CUtexref_st *r, uint64_t object)
{
    cudaError_t e = rt_status_error(simtx_texref_bind(rt_current()->gpu, r->variable, object));
    rt_object_free(rt_thread.device, e ? object : r->object, r->surface);
    if (!e)
        r->object = object;
    return e;
}

/* Makes the object of the reference anew. */
static cudaError_t rebind(struct CUtexref_st *r)
{
    CUtexObject object;
    CUDA_RESOURCE_DESC d = r->resource;
    if (!r->bound)
        return cudaSuccess;
    if (d.resType == CU_RESOURCE_TYPE_LINEAR) {
        d.res.linear.format = r->format;
        d.res.linear.numChannels = r->channels;
    }
    cudaError_t e = cu_texture_create(&object, &d, &r->sampler, NULL);
    return e ? e : replace(r, object);
}

static CUresult bind_resource(CUtexref r, const CUDA_RESOURCE_DESC *d)
{
    cudaError_t e = enter_reference(r, false);
    if (!e) {
        r->resource = *d;
        r->bound = true;
        e = rebind(r);
    }
    return cu_leave(e);
}

/* The format of the reference becomes that of the array. */
static CUresult bind_array(CUtexref r, const CUDA_RESOURCE_DESC *d, simtx_array *a, unsigned flags)
{
    simtx_array_desc desc;
    CUresult result = flags != CU_TRSA_OVERRIDE_FORMAT ? CUDA_ERROR_INVALID_VALUE : bind_resource(r, d);
    if (result == CUDA_SUCCESS && rt_array_get(a, &desc)) {
        r->format = cu_format(&desc.texel);
        r->channels = desc.texel.channels;
    }
    return result;
}

CU_API CUresult cuTexRefSetArray(CUtexref r, CUarray a, unsigned flags)
{
    CUDA_RESOURCE_DESC d = {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = a};
    return bind_array(r, &d, cu_array(a), flags);
}

CU_API CUresult cuTexRefSetMipmappedArray(CUtexref r, CUmipmappedArray a, unsigned flags)
{
    CUDA_RESOURCE_DESC d = {.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, .res.mipmap.hMipmappedArray = a};
    return bind_array(r, &d, (simtx_array *)(void *)a, flags);
}

CU_API CUresult cuTexRefSetAddress(size_t *offset, CUtexref r, CUdeviceptr p, size_t bytes)
{
    if (offset)
        *offset = 0;
    CUDA_RESOURCE_DESC d = {.resType = CU_RESOURCE_TYPE_LINEAR};
    d.res.linear.devPtr = p;
    d.res.linear.sizeInBytes = bytes;
    return bind_resource(r, &d);
}

CU_API CUresult cuTexRefSetAddress2D(CUtexref r, const CUDA_ARRAY_DESCRIPTOR *a, CUdeviceptr p, size_t pitch)
{
    if (!a)
        return CUDA_ERROR_INVALID_VALUE;
    CUDA_RESOURCE_DESC d = {.resType = CU_RESOURCE_TYPE_PITCH2D};
    d.res.pitch2D.devPtr = p;
    d.res.pitch2D.format = a->Format;
    d.res.pitch2D.numChannels = a->NumChannels;
    d.res.pitch2D.width = a->Width;
    d.res.pitch2D.height = a->Height;
    d.res.pitch2D.pitchInBytes = pitch;
    return bind_resource(r, &d);
}

/* For linear memory; an array has its own format. */
CU_API CUresult cuTexRefSetFormat(CUtexref r, CUarray_format format, int channels)
{
    simtx_texel t;
    cudaError_t e = enter_reference(r, false);
    if (!e && !cu_texel(&t, format, (unsigned)channels))
        e = cudaErrorInvalidValue;
    if (!e) {
        r->format = format;
        r->channels = (unsigned)channels;
    }
    return cu_leave(e ? e : rebind(r));
}

CU_API CUresult cuTexRefSetAddressMode(CUtexref r, int dimension, CUaddress_mode mode)
{
    cudaError_t e = enter_reference(r, false);
    if (!e && (dimension < 0 || dimension > 2 || mode > CU_TR_ADDRESS_MODE_BORDER))
        e = cudaErrorInvalidValue;
    if (!e)
        r->sampler.addressMode[dimension] = mode;
    return cu_leave(e ? e : rebind(r));
}

CU_API CUresult cuTexRefSetFilterMode(CUtexref r, CUfilter_mode mode)
{
    cudaError_t e = enter_reference(r, false);
    if (!e && mode > CU_TR_FILTER_MODE_LINEAR)
        e = cudaErrorInvalidValue;
    if (!e)
        r->sampler.filterMode = mode;
    return cu_leave(e ? e : rebind(r));
}

CU_API CUresult cuTexRefSetFlags(CUtexref r, unsigned flags)
{
    cudaError_t e = enter_reference(r, false);
    if (!e)
        r->sampler.flags = flags;
    return cu_leave(e ? e : rebind(r));
}

CU_API CUresult cuTexRefSetMaxAnisotropy(CUtexref r, unsigned most)
{
    cudaError_t e = enter_reference(r, false);
    if (!e)
        r->sampler.maxAnisotropy = most;
    return cu_leave(e ? e : rebind(r));
}

CU_API CUresult cuTexRefSetBorderColor(CUtexref r, float *color)
{
    cudaError_t e = enter_reference(r, false);
    if (!e && !color)
        e = cudaErrorInvalidValue;
    if (!e)
        memcpy(r->sampler.borderColor, color, sizeof r->sampler.borderColor);
    return cu_leave(e ? e : rebind(r));
}

CU_API CUresult cuTexRefSetMipmapFilterMode(CUtexref r, CUfilter_mode mode)
{
    cudaError_t e = enter_reference(r, false);
    if (!e && mode > CU_TR_FILTER_MODE_LINEAR)
        e = cudaErrorInvalidValue;
    if (!e)
        r->sampler.mipmapFilterMode = mode;
    return cu_leave(e ? e : rebind(r));
}

CU_API CUresult cuTexRefSetMipmapLevelBias(CUtexref r, float bias)
{
    cudaError_t e = enter_reference(r, false);
    if (!e)
        r->sampler.mipmapLevelBias = bias;
    return cu_leave(e ? e : rebind(r));
}

CU_API CUresult cuTexRefSetMipmapLevelClamp(CUtexref r, float least, float most)
{
    cudaError_t e = enter_reference(r, false);
    if (!e) {
        r->sampler.minMipmapLevelClamp = least;
        r->sampler.maxMipmapLevelClamp = most;
    }
    return cu_leave(e ? e : rebind(r));
}

/* ---- queries ---- */

/* enter_reference, with a place for the answer, of a reference to this kind of resource. */
static cudaError_t enter_bound(CUtexref r, CUresourcetype a, CUresourcetype b, const void *out)
{
    cudaError_t e = enter_reference(r, false);
    bool bound = !e && out && r->bound && (r->resource.resType == a || r->resource.resType == b);
    return e ? e : bound ? cudaSuccess : cudaErrorInvalidValue;
}

CU_API CUresult cuTexRefGetAddress(CUdeviceptr *out, CUtexref r)
{
    cudaError_t e = enter_bound(r, CU_RESOURCE_TYPE_LINEAR, CU_RESOURCE_TYPE_PITCH2D, out);
    if (!e)
        *out = r->resource.resType == CU_RESOURCE_TYPE_LINEAR ? r->resource.res.linear.devPtr
                                                              : r->resource.res.pitch2D.devPtr;
    return cu_leave(e);
}

CU_API CUresult cuTexRefGetArray(CUarray *out, CUtexref r)
{
    cudaError_t e = enter_bound(r, CU_RESOURCE_TYPE_ARRAY, CU_RESOURCE_TYPE_ARRAY, out);
    if (!e)
        *out = r->resource.res.array.hArray;
    return cu_leave(e);
}

CU_API CUresult cuTexRefGetMipmappedArray(CUmipmappedArray *out, CUtexref r)
{
    cudaError_t e = enter_bound(r, CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, out);
    if (!e)
        *out = r->resource.res.mipmap.hMipmappedArray;
    return cu_leave(e);
}

CU_API CUresult cuTexRefGetFormat(CUarray_format *format, int *channels, CUtexref r)
{
    cudaError_t e = enter_reference(r, false);
    if (!e && format)
        *format = r->format;
    if (!e && channels)
        *channels = (int)r->channels;
    return cu_leave(e);
}

CU_API CUresult cuTexRefGetAddressMode(CUaddress_mode *out, CUtexref r, int dimension)
{
    cudaError_t e = enter_reference(r, false);
    if (!e && (!out || dimension < 0 || dimension > 2))
        e = cudaErrorInvalidValue;
    if (!e)
        *out = r->sampler.addressMode[dimension];
    return cu_leave(e);
}

CU_API CUresult cuTexRefGetBorderColor(float *out, CUtexref r)
{
    cudaError_t e = enter_reference(r, false);
    if (!e && !out)
        e = cudaErrorInvalidValue;
    if (!e)
        memcpy(out, r->sampler.borderColor, sizeof r->sampler.borderColor);
    return cu_leave(e);
}

CU_API CUresult cuTexRefGetMipmapLevelClamp(float *least, float *most, CUtexref r)
{
    cudaError_t e = enter_reference(r, false);
    if (!e && (!least || !most))
        e = cudaErrorInvalidValue;
    if (!e) {
        *least = r->sampler.minMipmapLevelClamp;
        *most = r->sampler.maxMipmapLevelClamp;
    }
    return cu_leave(e);
}

/* Functions that give one setting of the sampler. */
#define GET(name, type, member)                      \
    CU_API CUresult name(type *out, CUtexref r)      \
    {                                                \
        cudaError_t e = enter_reference(r, false);   \
        if (!e && !out)                              \
            e = cudaErrorInvalidValue;               \
        if (!e)                                      \
            *out = (type)r->sampler.member;          \
        return cu_leave(e);                          \
    }
GET(cuTexRefGetFilterMode, CUfilter_mode, filterMode)
GET(cuTexRefGetFlags, unsigned, flags)
GET(cuTexRefGetMaxAnisotropy, int, maxAnisotropy)
GET(cuTexRefGetMipmapFilterMode, CUfilter_mode, mipmapFilterMode)
GET(cuTexRefGetMipmapLevelBias, float, mipmapLevelBias)
#undef GET

/* ---- surfaces ---- */

CU_API CUresult cuSurfRefSetArray(CUsurfref surface, CUarray a, unsigned flags)
{
    CUtexref r = (CUtexref)(void *)surface;
    uint64_t object;
    cudaError_t e = enter_reference(r, true);
    if (!e && flags)
        e = cudaErrorInvalidValue;
    if (!e)
        e = rt_surface_new(cu_array(a), &object);
    return cu_leave(e ? e : replace(r, object));
}

CU_API CUresult cuSurfRefGetArray(CUarray *out, CUsurfref surface)
{
    CUtexref r = (CUtexref)(void *)surface;
    simtx_array *a;
    cudaError_t e = enter_reference(r, true);
    if (!e && (!out || !simtx_surface_get(rt_current()->gpu, r->object, &a)))
        e = cudaErrorInvalidValue;
    if (!e)
        *out = (CUarray)(void *)a;
    return cu_leave(e);
}
