/* Copies and fills of the driver API. A function without a stream works on the default stream. */
#include "frontend/libcuda/cu.h"
#include "frontend/rt/graph/graph.h"

/* ---- linear ---- */

static CUresult copy(const void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind, CUstream s)
{
    struct rt_box to = rt_line(dst, bytes), from = rt_line(src, bytes);
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_copy(&to, &from, kind, s));
}

CU_API CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream s)
{
    return copy(cu_pointer(dst), cu_pointer(src), bytes, cudaMemcpyDefault, s);
}

CU_API CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t bytes)
{
    return cuMemcpyAsync(dst, src, bytes, NULL);
}

CU_API CUresult cuMemcpyHtoDAsync(CUdeviceptr dst, const void *src, size_t bytes, CUstream s)
{
    return copy(cu_pointer(dst), src, bytes, cudaMemcpyHostToDevice, s);
}

CU_API CUresult cuMemcpyHtoD(CUdeviceptr dst, const void *src, size_t bytes)
{
    return cuMemcpyHtoDAsync(dst, src, bytes, NULL);
}

CU_API CUresult cuMemcpyDtoHAsync(void *dst, CUdeviceptr src, size_t bytes, CUstream s)
{
    return copy(dst, cu_pointer(src), bytes, cudaMemcpyDeviceToHost, s);
}

CU_API CUresult cuMemcpyDtoH(void *dst, CUdeviceptr src, size_t bytes)
{
    return cuMemcpyDtoHAsync(dst, src, bytes, NULL);
}

CU_API CUresult cuMemcpyDtoDAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream s)
{
    return copy(cu_pointer(dst), cu_pointer(src), bytes, cudaMemcpyDeviceToDevice, s);
}

CU_API CUresult cuMemcpyDtoD(CUdeviceptr dst, CUdeviceptr src, size_t bytes)
{
    return cuMemcpyDtoDAsync(dst, src, bytes, NULL);
}

CU_API CUresult cuMemcpyPeerAsync(CUdeviceptr dst, CUcontext dst_context, CUdeviceptr src, CUcontext src_context,
                                  size_t bytes, CUstream s)
{
    struct rt_box to = rt_line(cu_pointer(dst), bytes), from = rt_line(cu_pointer(src), bytes);
    cudaError_t e = rt_enter_context();
    if (!e && (!rt_context_known(dst_context) || !rt_context_known(src_context)))
        e = cudaErrorDeviceUninitialized;
    return cu_leave(e ? e : rt_copy(&to, &from, cudaMemcpyDeviceToDevice, s));
}

CU_API CUresult cuMemcpyPeer(CUdeviceptr dst, CUcontext dst_context, CUdeviceptr src, CUcontext src_context,
                             size_t bytes)
{
    return cuMemcpyPeerAsync(dst, dst_context, src, src_context, bytes, NULL);
}

/* ---- boxes ---- */

/* One side of a copy. */
struct side {
    CUmemorytype type;
    const void *host;
    CUdeviceptr device;
    CUarray array;
    size_t x, y, z, pitch, height;
};

static cudaError_t side_of(struct rt_side *out, const struct side *s, const CUDA_MEMCPY3D *c)
{
    struct cudaExtent extent = {c->WidthInBytes, c->Height, c->Depth};
    struct cudaPos pos = {s->x, s->y, s->z};
    *out = (struct rt_side){.pos = pos};
    if (s->type < CU_MEMORYTYPE_HOST || s->type > CU_MEMORYTYPE_UNIFIED)
        return cudaErrorInvalidValue;
    if (s->type == CU_MEMORYTYPE_ARRAY) {
        out->array = (simtx_array *)(void *)s->array;
        out->box = (struct rt_box){NULL, 0, 0, extent.width, extent.height, extent.depth};
        return out->array ? cudaSuccess : cudaErrorInvalidValue;
    }
    void *p = s->type == CU_MEMORYTYPE_HOST ? (void *)s->host : cu_pointer(s->device);
    struct cudaPitchedPtr from = {p, s->pitch ? s->pitch : s->x + extent.width, extent.width,
                                  s->height ? s->height : s->y + extent.height};
    return rt_pitched_box(&out->box, from, pos, extent) ? cudaSuccess : cudaErrorInvalidValue;
}

/* The kind that checks what the types of memory promise. */
static enum cudaMemcpyKind kind_of(CUmemorytype to, CUmemorytype from)
{
    bool any = to == CU_MEMORYTYPE_UNIFIED || from == CU_MEMORYTYPE_UNIFIED;
    if (any)
        return cudaMemcpyDefault;
    if (from == CU_MEMORYTYPE_HOST)
        return to == CU_MEMORYTYPE_HOST ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
    return to == CU_MEMORYTYPE_HOST ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}

cudaError_t cu_copy_parameters(struct rt_side *to, struct rt_side *from, enum cudaMemcpyKind *kind,
                               const CUDA_MEMCPY3D *c)
{
    struct side dst = {c->dstMemoryType, c->dstHost, c->dstDevice, c->dstArray, c->dstXInBytes, c->dstY, c->dstZ,
                       c->dstPitch, c->dstHeight};
    struct side src = {c->srcMemoryType, c->srcHost, c->srcDevice, c->srcArray, c->srcXInBytes, c->srcY, c->srcZ,
                       c->srcPitch, c->srcHeight};
    if (c->srcLOD || c->dstLOD)
        return cudaErrorInvalidValue;
    *kind = kind_of(c->dstMemoryType, c->srcMemoryType);
    cudaError_t e = side_of(to, &dst, c);
    return e ? e : side_of(from, &src, c);
}

/* The type of the memory on one side, so that a copy with these parameters has the same checks. */
static CUmemorytype type_of(const struct rt_side *s, enum cudaMemcpyKind kind, bool to)
{
    if (s->array)
        return CU_MEMORYTYPE_ARRAY;
    if (kind == cudaMemcpyDefault)
        return CU_MEMORYTYPE_UNIFIED;
    bool host = kind == cudaMemcpyHostToHost || kind == (to ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice);
    return host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
}

void cu_copy_of(CUDA_MEMCPY3D *c, const struct rt_side *dst, const struct rt_side *src, enum cudaMemcpyKind kind)
{
    struct cudaPitchedPtr to = {0}, from = {0};
    if (!dst->array)
        rt_side_memory(dst, &to);
    if (!src->array)
        rt_side_memory(src, &from);
    *c = (CUDA_MEMCPY3D){
        .srcMemoryType = type_of(src, kind, false), .srcHost = from.ptr, .srcDevice = cu_address(from.ptr),
        .srcArray = (CUarray)(void *)src->array, .srcPitch = from.pitch, .srcHeight = from.ysize,
        .dstMemoryType = type_of(dst, kind, true), .dstHost = to.ptr, .dstDevice = cu_address(to.ptr),
        .dstArray = (CUarray)(void *)dst->array, .dstPitch = to.pitch, .dstHeight = to.ysize,
        .WidthInBytes = dst->box.width, .Height = dst->box.height, .Depth = dst->box.depth,
    };
    if (src->array)
        c->srcXInBytes = src->pos.x, c->srcY = src->pos.y, c->srcZ = src->pos.z;
    if (dst->array)
        c->dstXInBytes = dst->pos.x, c->dstY = dst->pos.y, c->dstZ = dst->pos.z;
}

static cudaError_t copy_3d(const CUDA_MEMCPY3D *c, CUstream s)
{
    struct rt_side to, from;
    enum cudaMemcpyKind kind;
    cudaError_t e = cu_copy_parameters(&to, &from, &kind, c);
    return e ? e : rt_copy_sides(&to, &from, kind, s);
}

CU_API CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *c, CUstream s)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : c ? copy_3d(c, s) : cudaErrorInvalidValue);
}

CU_API CUresult cuMemcpy3D(const CUDA_MEMCPY3D *c)
{
    return cuMemcpy3DAsync(c, NULL);
}

/* The contexts take the places that are reserved in CUDA_MEMCPY3D. */
_Static_assert(sizeof(CUDA_MEMCPY3D_PEER) == sizeof(CUDA_MEMCPY3D), "copies between contexts");

CU_API CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *c, CUstream s)
{
    return cuMemcpy3DAsync((const CUDA_MEMCPY3D *)(const void *)c, s);
}

CU_API CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *c)
{
    return cuMemcpy3DPeerAsync(c, NULL);
}

static CUDA_MEMCPY3D with_depth(const CUDA_MEMCPY2D *c)
{
    return (CUDA_MEMCPY3D){
        .srcXInBytes = c->srcXInBytes, .srcY = c->srcY, .srcMemoryType = c->srcMemoryType, .srcHost = c->srcHost,
        .srcDevice = c->srcDevice, .srcArray = c->srcArray, .srcPitch = c->srcPitch,
        .dstXInBytes = c->dstXInBytes, .dstY = c->dstY, .dstMemoryType = c->dstMemoryType, .dstHost = c->dstHost,
        .dstDevice = c->dstDevice, .dstArray = c->dstArray, .dstPitch = c->dstPitch,
        .WidthInBytes = c->WidthInBytes, .Height = c->Height, .Depth = 1,
    };
}

CU_API CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *c, CUstream s)
{
    CUDA_MEMCPY3D whole = c ? with_depth(c) : (CUDA_MEMCPY3D){0};
    return cuMemcpy3DAsync(c ? &whole : NULL, s);
}

CU_API CUresult cuMemcpy2D(const CUDA_MEMCPY2D *c)
{
    return cuMemcpy2DAsync(c, NULL);
}

CU_API CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *c)
{
    return cuMemcpy2DAsync(c, NULL);
}

/* ---- linear copies with arrays of one dimension: offsets in bytes ---- */

static CUresult copy_array(CUarray dst, size_t dst_offset, CUarray src, size_t src_offset, const void *memory,
                           CUmemorytype type, size_t bytes, CUstream s)
{
    CUDA_MEMCPY3D c = {.srcXInBytes = src_offset, .dstXInBytes = dst_offset, .srcArray = src, .dstArray = dst,
                       .srcMemoryType = src ? CU_MEMORYTYPE_ARRAY : type, .srcHost = memory,
                       .srcDevice = cu_address(memory), .dstMemoryType = dst ? CU_MEMORYTYPE_ARRAY : type,
                       .dstHost = (void *)memory, .dstDevice = cu_address(memory), .WidthInBytes = bytes, .Height = 1,
                       .Depth = 1};
    return cuMemcpy3DAsync(&c, s);
}

CU_API CUresult cuMemcpyHtoAAsync(CUarray dst, size_t offset, const void *src, size_t bytes, CUstream s)
{
    return copy_array(dst, offset, NULL, 0, src, CU_MEMORYTYPE_HOST, bytes, s);
}

CU_API CUresult cuMemcpyHtoA(CUarray dst, size_t offset, const void *src, size_t bytes)
{
    return cuMemcpyHtoAAsync(dst, offset, src, bytes, NULL);
}

CU_API CUresult cuMemcpyAtoHAsync(void *dst, CUarray src, size_t offset, size_t bytes, CUstream s)
{
    return copy_array(NULL, 0, src, offset, dst, CU_MEMORYTYPE_HOST, bytes, s);
}

CU_API CUresult cuMemcpyAtoH(void *dst, CUarray src, size_t offset, size_t bytes)
{
    return cuMemcpyAtoHAsync(dst, src, offset, bytes, NULL);
}

CU_API CUresult cuMemcpyDtoA(CUarray dst, size_t offset, CUdeviceptr src, size_t bytes)
{
    return copy_array(dst, offset, NULL, 0, cu_pointer(src), CU_MEMORYTYPE_DEVICE, bytes, NULL);
}

CU_API CUresult cuMemcpyAtoD(CUdeviceptr dst, CUarray src, size_t offset, size_t bytes)
{
    return copy_array(NULL, 0, src, offset, cu_pointer(dst), CU_MEMORYTYPE_DEVICE, bytes, NULL);
}

CU_API CUresult cuMemcpyAtoA(CUarray dst, size_t dst_offset, CUarray src, size_t src_offset, size_t bytes)
{
    return copy_array(dst, dst_offset, src, src_offset, NULL, CU_MEMORYTYPE_ARRAY, bytes, NULL);
}

/* ---- fills of n elements, or of rows of them ---- */

static CUresult fill(CUdeviceptr p, size_t pitch, unsigned value, unsigned element, size_t width, size_t height,
                     CUstream s)
{
    struct rt_box b = {cu_pointer(p), pitch, 0, width * element, height, 1};
    cudaError_t e = rt_enter_context();
    bool too_wide = width > SIZE_MAX / element;
    bool wrong_rows = height > 1 && (width > RT_MAX_PITCH / element || pitch > RT_MAX_PITCH || pitch < b.width);
    if (!e && (too_wide || wrong_rows))
        e = cudaErrorInvalidValue;
    return cu_leave(e ? e : rt_fill(&b, value, element, s));
}

CU_API CUresult cuMemsetD8Async(CUdeviceptr p, unsigned char value, size_t n, CUstream s)
{
    return fill(p, n, value, 1, n, 1, s);
}

CU_API CUresult cuMemsetD16Async(CUdeviceptr p, unsigned short value, size_t n, CUstream s)
{
    return fill(p, 2 * n, value, 2, n, 1, s);
}

CU_API CUresult cuMemsetD32Async(CUdeviceptr p, unsigned value, size_t n, CUstream s)
{
    return fill(p, 4 * n, value, 4, n, 1, s);
}

CU_API CUresult cuMemsetD2D8Async(CUdeviceptr p, size_t pitch, unsigned char value, size_t width, size_t height,
                                  CUstream s)
{
    return fill(p, pitch, value, 1, width, height, s);
}

CU_API CUresult cuMemsetD2D16Async(CUdeviceptr p, size_t pitch, unsigned short value, size_t width, size_t height,
                                   CUstream s)
{
    return fill(p, pitch, value, 2, width, height, s);
}

CU_API CUresult cuMemsetD2D32Async(CUdeviceptr p, size_t pitch, unsigned value, size_t width, size_t height,
                                   CUstream s)
{
    return fill(p, pitch, value, 4, width, height, s);
}

CU_API CUresult cuMemsetD8(CUdeviceptr p, unsigned char value, size_t n)
{
    return cuMemsetD8Async(p, value, n, NULL);
}

CU_API CUresult cuMemsetD16(CUdeviceptr p, unsigned short value, size_t n)
{
    return cuMemsetD16Async(p, value, n, NULL);
}

CU_API CUresult cuMemsetD32(CUdeviceptr p, unsigned value, size_t n)
{
    return cuMemsetD32Async(p, value, n, NULL);
}

CU_API CUresult cuMemsetD2D8(CUdeviceptr p, size_t pitch, unsigned char value, size_t width, size_t height)
{
    return cuMemsetD2D8Async(p, pitch, value, width, height, NULL);
}

CU_API CUresult cuMemsetD2D16(CUdeviceptr p, size_t pitch, unsigned short value, size_t width, size_t height)
{
    return cuMemsetD2D16Async(p, pitch, value, width, height, NULL);
}

CU_API CUresult cuMemsetD2D32(CUdeviceptr p, size_t pitch, unsigned value, size_t width, size_t height)
{
    return cuMemsetD2D32Async(p, pitch, value, width, height, NULL);
}
