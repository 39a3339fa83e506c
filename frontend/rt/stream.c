/* Streams: handles with flags and a priority.  Each call completes its work, so a stream is always idle. */
#include "frontend/rt/rt.h"

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

const struct CUstream_st *rt_stream_state(cudaStream_t s)
{
    static const struct CUstream_st legacy = {.policy = cudaSyncPolicyAuto, .id = 1},
                                    per_thread = {.policy = cudaSyncPolicyAuto, .id = 2};
    if (!rt_stream_builtin(s))
        return s;
    return s == cudaStreamPerThread ? &per_thread : &legacy;
}

void rt_destroy_streams(int device, rt_context c)
{
    for (size_t i = 0; i < rt.streams.cap; i++)
        while (rt.streams.slots[i].key && rt_belongs(((cudaStream_t)rt.streams.slots[i].value)->context, device, c))
            free(ptrmap_remove(&rt.streams, rt.streams.slots[i].key));
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
    free(ptrmap_remove(&rt.streams, s));
    return cudaSuccess;
}

cudaError_t rt_stream_wait(cudaStream_t s, cudaEvent_t event, unsigned flags)
{
    if (!rt_stream_ok(s) || !rt_event_ok(event))
        return cudaErrorInvalidResourceHandle;
    return flags & ~(unsigned)cudaEventWaitExternal ? cudaErrorInvalidValue : cudaSuccess;
}
