/* Streams: handles with flags and a priority.  Each call completes its work, so a stream is always idle. */
#include "frontend/cudart/rt.h"

#include <stdlib.h>

#define GREATEST_PRIORITY (-5)

struct CUstream_st {
    int device;
    unsigned flags;
    int priority;
    enum cudaSynchronizationPolicy policy;
    struct cudaAccessPolicyWindow window;
};

/* The streams that exist without cudaStreamCreate: the legacy default stream and the calling thread's. */
static bool is_builtin(cudaStream_t s)
{
    return !s || s == cudaStreamLegacy || s == cudaStreamPerThread;
}

bool rt_stream_ok(cudaStream_t s)
{
    return is_builtin(s) || ptrmap_get(&rt.streams, s);
}

void rt_destroy_streams(int device)
{
    for (size_t i = 0; i < rt.streams.cap; i++)
        while (rt.streams.slots[i].key && ((cudaStream_t)rt.streams.slots[i].value)->device == device)
            free(ptrmap_remove(&rt.streams, rt.streams.slots[i].key));
}

static cudaError_t create(cudaStream_t *out, unsigned flags, int priority)
{
    if (!out || (flags & ~(unsigned)cudaStreamNonBlocking))
        return cudaErrorInvalidValue;
    cudaStream_t s = calloc(1, sizeof *s);
    if (!s || !ptrmap_put(&rt.streams, s, s)) {
        free(s);
        return cudaErrorMemoryAllocation;
    }
    s->device = rt_thread.device;
    s->flags = flags;
    s->priority = priority < GREATEST_PRIORITY ? GREATEST_PRIORITY : priority > 0 ? 0 : priority;
    s->policy = cudaSyncPolicyAuto;
    *out = s;
    return cudaSuccess;
}

RT_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t *out, unsigned flags, int priority)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : create(out, flags, priority));
}

RT_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags)
{
    return cudaStreamCreateWithPriority(out, flags, 0);
}

RT_API cudaError_t cudaStreamCreate(cudaStream_t *out)
{
    return cudaStreamCreateWithPriority(out, cudaStreamDefault, 0);
}

RT_API cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    cudaError_t e = rt_enter();
    if (!e && least)
        *least = 0;
    if (!e && greatest)
        *greatest = GREATEST_PRIORITY;
    return rt_leave(e);
}

/* rt_enter_gpu, then checks that the stream exists. */
static cudaError_t enter_stream(cudaStream_t s)
{
    cudaError_t e = rt_enter_gpu();
    return e ? e : rt_stream_ok(s) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

RT_API cudaError_t cudaStreamDestroy(cudaStream_t s)
{
    cudaError_t e = enter_stream(s);
    if (!e && is_builtin(s))
        e = cudaErrorInvalidResourceHandle;
    if (!e)
        free(ptrmap_remove(&rt.streams, s));
    return rt_leave(e);
}

RT_API cudaError_t cudaStreamSynchronize(cudaStream_t s)
{
    return rt_leave(enter_stream(s));
}

RT_API cudaError_t cudaStreamQuery(cudaStream_t s)
{
    return rt_leave(enter_stream(s));
}

RT_API cudaError_t cudaStreamGetPriority(cudaStream_t s, int *priority)
{
    cudaError_t e = enter_stream(s);
    if (!e && !priority)
        e = cudaErrorInvalidValue;
    if (!e)
        *priority = is_builtin(s) ? 0 : s->priority;
    return rt_leave(e);
}

RT_API cudaError_t cudaStreamGetFlags(cudaStream_t s, unsigned *flags)
{
    cudaError_t e = enter_stream(s);
    if (!e && !flags)
        e = cudaErrorInvalidValue;
    if (!e)
        *flags = is_builtin(s) ? cudaStreamDefault : s->flags;
    return rt_leave(e);
}

RT_API cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t event, unsigned flags)
{
    cudaError_t e = enter_stream(s);
    if (!e && !ptrmap_get(&rt.events, event))
        e = cudaErrorInvalidResourceHandle;
    if (!e && flags & ~(unsigned)cudaEventWaitExternal)
        e = cudaErrorInvalidValue;
    return rt_leave(e);
}

RT_API cudaError_t cudaStreamIsCapturing(cudaStream_t s, enum cudaStreamCaptureStatus *status)
{
    cudaError_t e = enter_stream(s);
    if (!e && !status)
        e = cudaErrorInvalidValue;
    if (!e)
        *status = cudaStreamCaptureStatusNone;
    return rt_leave(e);
}

RT_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t s, enum cudaStreamCaptureStatus *status,
                                            unsigned long long *id)
{
    return cudaStreamIsCapturing(s, status);
}

static cudaError_t set_attribute(cudaStream_t s, enum cudaStreamAttrID attr,
                                 const union cudaStreamAttrValue *v)
{
    if (!v || is_builtin(s))
        return cudaErrorInvalidValue;
    switch (attr) {
    case cudaStreamAttributeAccessPolicyWindow: s->window = v->accessPolicyWindow; return cudaSuccess;
    case cudaStreamAttributeSynchronizationPolicy: s->policy = v->syncPolicy; return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

RT_API cudaError_t cudaStreamSetAttribute(cudaStream_t s, enum cudaStreamAttrID attr,
                                          const union cudaStreamAttrValue *value)
{
    cudaError_t e = enter_stream(s);
    return rt_leave(e ? e : set_attribute(s, attr, value));
}

static cudaError_t get_attribute(cudaStream_t s, enum cudaStreamAttrID attr, union cudaStreamAttrValue *v)
{
    static const struct CUstream_st builtin = {.policy = cudaSyncPolicyAuto};
    const struct CUstream_st *from = is_builtin(s) ? &builtin : s;
    if (!v)
        return cudaErrorInvalidValue;
    switch (attr) {
    case cudaStreamAttributeAccessPolicyWindow: v->accessPolicyWindow = from->window; return cudaSuccess;
    case cudaStreamAttributeSynchronizationPolicy: v->syncPolicy = from->policy; return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

RT_API cudaError_t cudaStreamGetAttribute(cudaStream_t s, enum cudaStreamAttrID attr,
                                          union cudaStreamAttrValue *value)
{
    cudaError_t e = enter_stream(s);
    return rt_leave(e ? e : get_attribute(s, attr, value));
}

RT_API cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src)
{
    cudaError_t e = enter_stream(dst);
    if (!e && (is_builtin(dst) || is_builtin(src) || !rt_stream_ok(src)))
        e = cudaErrorInvalidResourceHandle;
    if (!e) {
        dst->window = src->window;
        dst->policy = src->policy;
    }
    return rt_leave(e);
}

/* ---- host functions in a stream: called within the API call, without the lock ---- */

RT_API cudaError_t cudaLaunchHostFunc(cudaStream_t s, cudaHostFn_t fn, void *data)
{
    cudaError_t e = enter_stream(s);
    if (!e && !fn)
        e = cudaErrorInvalidValue;
    rt_leave(e);
    if (!e)
        fn(data);
    return e;
}

RT_API cudaError_t cudaStreamAddCallback(cudaStream_t s, cudaStreamCallback_t callback, void *data,
                                         unsigned flags)
{
    cudaError_t e = enter_stream(s);
    if (!e && (!callback || flags))
        e = cudaErrorInvalidValue;
    rt_leave(e);
    if (!e)
        callback(s, cudaSuccess, data);
    return e;
}
