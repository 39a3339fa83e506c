/* Streams: handles with flags and a priority.  Each call completes its work, so a stream is always idle. */
#include "frontend/rt/graph/graph.h"

#include <stdlib.h>

/* The streams that exist without cudaStreamCreate: the legacy default stream and the calling thread's. */
bool rt_stream_builtin(cudaStream_t s)
{
    return !s || s == cudaStreamLegacy || s == cudaStreamPerThread;
}

bool rt_stream_ok(cudaStream_t s)
{
    return rt_stream_builtin(s) || ptrmap_get(&rt.streams, s);
}

struct CUstream_st *rt_stream_state(cudaStream_t s)
{
    static struct CUstream_st legacy = {.policy = cudaSyncPolicyAuto, .id = 1};
    if (!rt_stream_builtin(s))
        return s;
    if (s != cudaStreamPerThread)
        return &legacy;
    rt_thread.stream.policy = cudaSyncPolicyAuto;
    rt_thread.stream.id = 2;
    return &rt_thread.stream;
}

rt_context rt_stream_context(cudaStream_t s)
{
    return rt_stream_builtin(s) ? rt_context_current() : s->context;
}

static void free_stream(cudaStream_t s)
{
    ptrmap_remove(&rt.streams, s);
    rt_capture_leave(s);
    free(s);
}

void rt_destroy_streams(int device, rt_context c)
{
    for (size_t i = 0; i < rt.streams.cap; i++)
        while (rt.streams.slots[i].key && rt_belongs(((cudaStream_t)rt.streams.slots[i].value)->context, device, c))
            free_stream(rt.streams.slots[i].value);
}

cudaError_t rt_stream_create(cudaStream_t *out, unsigned flags, int priority)
{
    static unsigned long long last_id = 2;
    if (!out || (flags & ~(unsigned)cudaStreamNonBlocking))
        return cudaErrorInvalidValue;
    cudaStream_t s = calloc(1, sizeof *s);
    if (!s || !ptrmap_put(&rt.streams, s, s)) {
        free(s);
        return cudaErrorMemoryAllocation;
    }
    s->context = rt_context_current();
    s->flags = flags;
    s->priority = priority < RT_GREATEST_PRIORITY ? RT_GREATEST_PRIORITY : priority > 0 ? 0 : priority;
    s->policy = cudaSyncPolicyAuto;
    s->id = ++last_id;
    *out = s;
    return cudaSuccess;
}

cudaError_t rt_stream_destroy(cudaStream_t s)
{
    if (!rt_stream_ok(s) || rt_stream_builtin(s))
        return cudaErrorInvalidResourceHandle;
    free_stream(s);
    return cudaSuccess;
}

cudaError_t rt_stream_wait(cudaStream_t s, cudaEvent_t event, unsigned flags)
{
    cudaError_t e = cudaSuccess;
    if (!rt_stream_ok(s) || !rt_event_ok(event))
        return cudaErrorInvalidResourceHandle;
    if (flags & ~(unsigned)cudaEventWaitExternal)
        return cudaErrorInvalidValue;
    struct rt_op op = {.kind = RT_OP_WAIT, .event = event};
    if (flags & cudaEventWaitExternal && rt_captured(s, &op, &e))
        return e;
    rt_capture_wait(s, event, &e);
    return e;
}

cudaError_t rt_stream_sync(cudaStream_t s)
{
    return rt_stream_ok(s) ? rt_capture_forbids(s) : cudaErrorInvalidResourceHandle;
}

bool rt_stream_capturing(cudaStream_t s)
{
    return rt_stream_ok(s) && rt_stream_state(s)->capture;
}

cudaError_t rt_host_function(cudaStream_t s, cudaHostFn_t fn, void *data)
{
    cudaError_t e;
    struct rt_op op = {.kind = RT_OP_HOST, .host = {fn, data}};
    if (!rt_stream_ok(s))
        return cudaErrorInvalidResourceHandle;
    if (!fn)
        return cudaErrorInvalidValue;
    return rt_captured(s, &op, &e) ? e : rt_op_run(&op, s, 0);
}
