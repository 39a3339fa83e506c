/* Streams of the runtime API. */
#include "frontend/rt/graph/graph.h"

RT_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t *out, unsigned flags, int priority)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_stream_create(out, flags, priority));
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
        *greatest = RT_GREATEST_PRIORITY;
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
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_stream_destroy(s));
}

RT_API cudaError_t cudaStreamSynchronize(cudaStream_t s)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_stream_sync(s));
}

RT_API cudaError_t cudaStreamQuery(cudaStream_t s)
{
    return cudaStreamSynchronize(s);
}

RT_API cudaError_t cudaStreamGetPriority(cudaStream_t s, int *priority)
{
    cudaError_t e = enter_stream(s);
    if (!e && !priority)
        e = cudaErrorInvalidValue;
    if (!e)
        *priority = rt_stream_state(s)->priority;
    return rt_leave(e);
}

RT_API cudaError_t cudaStreamGetFlags(cudaStream_t s, unsigned *flags)
{
    cudaError_t e = enter_stream(s);
    if (!e && !flags)
        e = cudaErrorInvalidValue;
    if (!e)
        *flags = rt_stream_state(s)->flags;
    return rt_leave(e);
}

RT_API cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t event, unsigned flags)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_stream_wait(s, event, flags));
}

static cudaError_t set_attribute(cudaStream_t s, enum cudaStreamAttrID attr,
                                 const union cudaStreamAttrValue *v)
{
    if (!v || rt_stream_builtin(s))
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
    const struct CUstream_st *from = rt_stream_state(s);
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
    if (!e && (rt_stream_builtin(dst) || rt_stream_builtin(src) || !rt_stream_ok(src)))
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
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_host_function(s, fn, data));
}

RT_API cudaError_t cudaStreamAddCallback(cudaStream_t s, cudaStreamCallback_t callback, void *data,
                                         unsigned flags)
{
    cudaError_t e = enter_stream(s);
    if (!e && (!callback || flags))
        e = cudaErrorInvalidValue;
    if (!e)
        e = rt_capture_forbids(s);
    rt_leave(e);
    if (!e)
        callback(s, cudaSuccess, data);
    return e;
}
