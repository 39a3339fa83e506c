/* Texture and surface objects of the driver API, and texture references of modules. */
#include "frontend/libcuda/cu_array.h"

#include <stdlib.h>
#include <string.h>

/* ---- descriptions ---- */

static bool linear(simtx_resource *r, const CUDA_RESOURCE_DESC *d)
{
    *r = (simtx_resource){.kind = SIMTX_RESOURCE_LINEAR, .pointer = cu_pointer(d->res.linear.devPtr)};
    if (!cu_texel(&r->texel, d->res.linear.format, d->res.linear.numChannels))
        return false;
    r->width = d->res.linear.sizeInBytes / (r->texel.bits / 8 * r->texel.channels);
    return true;
}

static bool pitched(simtx_resource *r, const CUDA_RESOURCE_DESC *d)
{
    *r = (simtx_resource){.kind = SIMTX_RESOURCE_PITCH2D, .pointer = cu_pointer(d->res.pitch2D.devPtr),
                          .width = d->res.pitch2D.width, .height = d->res.pitch2D.height,
                          .pitch = d->res.pitch2D.pitchInBytes};
    return cu_texel(&r->texel, d->res.pitch2D.format, d->res.pitch2D.numChannels);
}

static bool resource(simtx_resource *r, const CUDA_RESOURCE_DESC *d)
{
    switch (d->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        *r = (simtx_resource){.kind = SIMTX_RESOURCE_ARRAY, .array = cu_array(d->res.array.hArray)};
        return true;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        *r = (simtx_resource){.kind = SIMTX_RESOURCE_ARRAY,
                              .array = (simtx_array *)(void *)d->res.mipmap.hMipmappedArray};
        return true;
    case CU_RESOURCE_TYPE_LINEAR: return linear(r, d);
    case CU_RESOURCE_TYPE_PITCH2D: return pitched(r, d);
    }
    return false;
}

/* 32-bit integers are never read as fractions. What is read as an integer is not filtered: unlike the runtime API, the
 * driver API accepts a linear filter for it. */
static void sampler(simtx_sampler *s, const CUDA_TEXTURE_DESC *d, const simtx_texel *t)
{
    bool fractions = !(d->flags & CU_TRSF_READ_AS_INTEGER) && t->kind != SIMTX_CHANNEL_FLOAT && t->bits < 32;
    bool real = fractions || t->kind == SIMTX_CHANNEL_FLOAT;
    *s = (simtx_sampler){
        .linear = real && d->filterMode == CU_TR_FILTER_MODE_LINEAR,
        .mip_linear = real && d->mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR,
        .normalized_coords = d->flags & CU_TRSF_NORMALIZED_COORDINATES,
        .read_normalized = fractions,
        .srgb = d->flags & CU_TRSF_SRGB,
        .mip_bias = d->mipmapLevelBias, .mip_min = d->minMipmapLevelClamp, .mip_max = d->maxMipmapLevelClamp,
        .max_anisotropy = d->maxAnisotropy,
    };
    for (int i = 0; i < 3; i++)
        s->address[i] = (simtx_address)d->addressMode[i];
    memcpy(s->border, d->borderColor, sizeof s->border);
}

static const simtx_texel *texel_of(simtx_resource *r)
{
    simtx_array_desc d;
    if (r->kind == SIMTX_RESOURCE_ARRAY && rt_array_get(r->array, &d))
        r->texel = d.texel;
    return &r->texel;
}

/* Views change the range of levels and layers; views with another format are not supported. */
static cudaError_t add_view(simtx_resource *r, const CUDA_RESOURCE_VIEW_DESC *v)
{
    if (!v)
        return cudaSuccess;
    if (v->format != CU_RES_VIEW_FORMAT_NONE)
        return cudaErrorNotSupported;
    r->view = true;
    r->view_texel = r->texel;
    r->first_level = v->firstMipmapLevel;
    r->last_level = v->lastMipmapLevel;
    r->first_layer = v->firstLayer;
    r->last_layer = v->lastLayer;
    return cudaSuccess;
}

static cudaError_t create(CUtexObject *out, const CUDA_RESOURCE_DESC *rd, const CUDA_TEXTURE_DESC *td,
                          const CUDA_RESOURCE_VIEW_DESC *vd)
{
    simtx_resource r;
    simtx_sampler s;
    uint64_t handle;
    if (!resource(&r, rd))
        return cudaErrorInvalidValue;
    sampler(&s, td, texel_of(&r));
    cudaError_t e = add_view(&r, vd);
    if (!e)
        e = rt_texture_new(&r, &s, &handle);
    if (!e)
        *out = handle;
    return e;
}

CU_API CUresult cuTexObjectCreate(CUtexObject *out, const CUDA_RESOURCE_DESC *rd, const CUDA_TEXTURE_DESC *td,
                                  const CUDA_RESOURCE_VIEW_DESC *vd)
{
    cudaError_t e = rt_enter_context();
    if (!e && (!out || !rd || !td))
        e = cudaErrorInvalidValue;
    return cu_leave(e ? e : create(out, rd, td, vd));
}

CU_API CUresult cuTexObjectDestroy(CUtexObject t)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_object_free(rt_thread.device, t, false));
}

/* ---- queries ---- */

static void describe_array(CUDA_RESOURCE_DESC *d, simtx_array *a)
{
    simtx_array_desc desc;
    bool mipmapped = rt_array_get(a, &desc) && desc.levels;
    d->resType = mipmapped ? CU_RESOURCE_TYPE_MIPMAPPED_ARRAY : CU_RESOURCE_TYPE_ARRAY;
    d->res.array.hArray = (CUarray)(void *)a;
}

static void describe_resource(CUDA_RESOURCE_DESC *d, const simtx_resource *r)
{
    memset(d, 0, sizeof *d);
    if (r->kind == SIMTX_RESOURCE_ARRAY) {
        describe_array(d, r->array);
    } else if (r->kind == SIMTX_RESOURCE_LINEAR) {
        d->resType = CU_RESOURCE_TYPE_LINEAR;
        d->res.linear.devPtr = cu_address(r->pointer);
        d->res.linear.format = cu_format(&r->texel);
        d->res.linear.numChannels = r->texel.channels;
        d->res.linear.sizeInBytes = r->width * (r->texel.bits / 8 * r->texel.channels);
    } else {
        d->resType = CU_RESOURCE_TYPE_PITCH2D;
        d->res.pitch2D.devPtr = cu_address(r->pointer);
        d->res.pitch2D.format = cu_format(&r->texel);
        d->res.pitch2D.numChannels = r->texel.channels;
        d->res.pitch2D.width = r->width;
        d->res.pitch2D.height = r->height;
        d->res.pitch2D.pitchInBytes = r->pitch;
    }
}

static void describe_sampler(CUDA_TEXTURE_DESC *d, const simtx_sampler *s)
{
    *d = (CUDA_TEXTURE_DESC){
        .filterMode = s->linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT,
        .mipmapFilterMode = s->mip_linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT,
        .flags = (s->normalized_coords ? CU_TRSF_NORMALIZED_COORDINATES : 0u) |
                 (s->read_normalized ? 0u : CU_TRSF_READ_AS_INTEGER) | (s->srgb ? CU_TRSF_SRGB : 0u),
        .mipmapLevelBias = s->mip_bias, .minMipmapLevelClamp = s->mip_min, .maxMipmapLevelClamp = s->mip_max,
        .maxAnisotropy = s->max_anisotropy,
    };
    for (int i = 0; i < 3; i++)
        d->addressMode[i] = (CUaddress_mode)s->address[i];
    memcpy(d->borderColor, s->border, sizeof d->borderColor);
}

CU_API CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *d, CUtexObject t)
{
    simtx_resource r;
    simtx_sampler s;
    cudaError_t e = rt_enter_context();
    if (!e && (!d || !simtx_texture_get(rt_current()->gpu, t, &r, &s)))
        e = cudaErrorInvalidValue;
    if (!e)
        describe_resource(d, &r);
    return cu_leave(e);
}

CU_API CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *d, CUtexObject t)
{
    simtx_resource r;
    simtx_sampler s;
    cudaError_t e = rt_enter_context();
    if (!e && (!d || !simtx_texture_get(rt_current()->gpu, t, &r, &s)))
        e = cudaErrorInvalidValue;
    if (!e)
        describe_sampler(d, &s);
    return cu_leave(e);
}

/* ---- surfaces ---- */

CU_API CUresult cuSurfObjectCreate(CUsurfObject *out, const CUDA_RESOURCE_DESC *d)
{
    uint64_t handle;
    cudaError_t e = rt_enter_context();
    if (!e && (!out || !d || d->resType != CU_RESOURCE_TYPE_ARRAY))
        e = cudaErrorInvalidValue;
    if (!e)
        e = rt_surface_new(cu_array(d->res.array.hArray), &handle);
    if (!e)
        *out = handle;
    return cu_leave(e);
}

CU_API CUresult cuSurfObjectDestroy(CUsurfObject s)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_object_free(rt_thread.device, s, true));
}

CU_API CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *d, CUsurfObject s)
{
    simtx_array *a;
    cudaError_t e = rt_enter_context();
    if (!e && (!d || !simtx_surface_get(rt_current()->gpu, s, &a)))
        e = cudaErrorInvalidValue;
    if (!e) {
        memset(d, 0, sizeof *d);
        describe_array(d, a);
    }
    return cu_leave(e);
}

/* ---- references: host state, and an object that the variable of the module is bound to ---- */

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
    cudaError_t e = create(&object, &d, &r->sampler, NULL);
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

CU_API CUresult cuTexRefSetArray(CUtexref r, CUarray a, unsigned flags)
{
    CUDA_RESOURCE_DESC d = {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = a};
    return flags != CU_TRSA_OVERRIDE_FORMAT ? CUDA_ERROR_INVALID_VALUE : bind_resource(r, &d);
}

CU_API CUresult cuTexRefSetMipmappedArray(CUtexref r, CUmipmappedArray a, unsigned flags)
{
    CUDA_RESOURCE_DESC d = {.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY, .res.mipmap.hMipmappedArray = a};
    return flags != CU_TRSA_OVERRIDE_FORMAT ? CUDA_ERROR_INVALID_VALUE : bind_resource(r, &d);
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
