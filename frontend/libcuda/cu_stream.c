/* Streams and events of the driver API. */
#include "frontend/libcuda/cu.h"
#include "frontend/rt/graph/graph.h"

#include <string.h>

cudaError_t cu_enter_stream(CUstream s)
{
    cudaError_t e = rt_enter_context();
    return e ? e : rt_stream_ok(s) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

CU_API CUresult cuStreamCreateWithPriority(CUstream *out, unsigned flags, int priority)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_stream_create(out, flags, priority));
}

CU_API CUresult cuStreamCreate(CUstream *out, unsigned flags)
{
    return cuStreamCreateWithPriority(out, flags, 0);
}

CU_API CUresult cuStreamDestroy(CUstream s)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_stream_destroy(s));
}

CU_API CUresult cuStreamSynchronize(CUstream s)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_stream_sync(s));
}

CU_API CUresult cuStreamQuery(CUstream s)
{
    return cuStreamSynchronize(s);
}

CU_API CUresult cuStreamWaitEvent(CUstream s, CUevent event, unsigned flags)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_stream_wait(s, event, flags));
}

CU_API CUresult cuStreamGetPriority(CUstream s, int *priority)
{
    cudaError_t e = cu_enter_stream(s);
    if (!e && !priority)
        e = cudaErrorInvalidValue;
    if (!e)
        *priority = rt_stream_state(s)->priority;
    return cu_leave(e);
}

CU_API CUresult cuStreamGetFlags(CUstream s, unsigned *flags)
{
    cudaError_t e = cu_enter_stream(s);
    if (!e && !flags)
        e = cudaErrorInvalidValue;
    if (!e)
        *flags = rt_stream_state(s)->flags;
    return cu_leave(e);
}

CU_API CUresult cuStreamGetId(CUstream s, unsigned long long *id)
{
    cudaError_t e = cu_enter_stream(s);
    if (!e && !id)
        e = cudaErrorInvalidValue;
    if (!e)
        *id = rt_stream_state(s)->id;
    return cu_leave(e);
}

CU_API CUresult cuStreamGetCtx(CUstream s, CUcontext *out)
{
    cudaError_t e = cu_enter_stream(s);
    if (!e && !out)
        e = cudaErrorInvalidValue;
    if (!e)
        *out = rt_stream_builtin(s) ? rt_context_current() : s->context;
    return cu_leave(e);
}

/* No stream belongs to a green context. */
CU_API CUresult cuStreamGetCtx_v2(CUstream s, CUcontext *out, CUgreenCtx *green)
{
    CUresult r = cuStreamGetCtx(s, out);
    if (green)
        *green = NULL;
    return r;
}

CU_API CUresult cuStreamGetDevice(CUstream s, CUdevice *out)
{
    cudaError_t e = cu_enter_stream(s);
    if (!e && !out)
        e = cudaErrorInvalidValue;
    if (!e)
        *out = rt_stream_builtin(s) ? rt_thread.device : s->context->device;
    return cu_leave(e);
}

/* The values have the layout of those of the runtime API. */
static cudaError_t get_attribute(CUstream s, CUstreamAttrID id, CUstreamAttrValue *v)
{
    const struct CUstream_st *state = rt_stream_state(s);
    if (id == CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW)
        memcpy(v, &state->window, sizeof state->window);
    else if (id == CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY)
        v->syncPolicy = (CUsynchronizationPolicy)state->policy;
    else
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

static cudaError_t set_attribute(CUstream s, CUstreamAttrID id, const CUstreamAttrValue *v)
{
    struct CUstream_st *state = rt_stream_state(s);
    if (id == CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW)
        memcpy(&state->window, v, sizeof state->window);
    else if (id == CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY)
        state->policy = (enum cudaSynchronizationPolicy)v->syncPolicy;
    else
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

CU_API CUresult cuStreamGetAttribute(CUstream s, CUstreamAttrID id, CUstreamAttrValue *v)
{
    cudaError_t e = cu_enter_stream(s);
    return cu_leave(e ? e : v ? get_attribute(s, id, v) : cudaErrorInvalidValue);
}

CU_API CUresult cuStreamSetAttribute(CUstream s, CUstreamAttrID id, const CUstreamAttrValue *v)
{
    cudaError_t e = cu_enter_stream(s);
    return cu_leave(e ? e : v ? set_attribute(s, id, v) : cudaErrorInvalidValue);
}

CU_API CUresult cuStreamCopyAttributes(CUstream dst, CUstream src)
{
    cudaError_t e = cu_enter_stream(dst);
    if (!e && (rt_stream_builtin(dst) || rt_stream_builtin(src) || !rt_stream_ok(src)))
        e = cudaErrorInvalidResourceHandle;
    if (!e) {
        dst->window = src->window;
        dst->policy = src->policy;
    }
    return cu_leave(e);
}

CU_API CUresult cuStreamAttachMemAsync(CUstream s, CUdeviceptr p, size_t bytes, unsigned flags)
{
    cudaError_t e = cu_enter_stream(s);
    return cu_leave(e ? e : rt_attach(cu_pointer(p), bytes, flags));
}

/* ---- host functions: called within the API call, without the lock ---- */

CU_API CUresult cuLaunchHostFunc(CUstream s, CUhostFn fn, void *data)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_host_function(s, fn, data));
}

CU_API CUresult cuStreamAddCallback(CUstream s, CUstreamCallback callback, void *data, unsigned flags)
{
    cudaError_t e = cu_enter_stream(s);
    if (!e && (!callback || flags))
        e = cudaErrorInvalidValue;
    if (!e)
        e = rt_capture_forbids(s);
    CUresult r = cu_leave(e);
    if (!r)
        callback(s, CUDA_SUCCESS, data);
    return r;
}

/* ---- events ---- */

CU_API CUresult cuEventCreate(CUevent *out, unsigned flags)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_event_create(out, flags));
}

CU_API CUresult cuEventRecordWithFlags(CUevent event, CUstream s, unsigned flags)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_event_record(event, s, flags));
}

CU_API CUresult cuEventRecord(CUevent event, CUstream s)
{
    return cuEventRecordWithFlags(event, s, 0);
}

CU_API CUresult cuEventQuery(CUevent event)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_event_sync(event));
}

CU_API CUresult cuEventSynchronize(CUevent event)
{
    return cuEventQuery(event);
}

CU_API CUresult cuEventDestroy(CUevent event)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_event_destroy(event));
}

CU_API CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end)
{
    cudaError_t e = rt_enter_context();
    return cu_leave(e ? e : rt_event_elapsed(ms, start, end));
}

CU_API CUresult cuEventElapsedTime_v2(float *ms, CUevent start, CUevent end)
{
    return cuEventElapsedTime(ms, start, end);
}
