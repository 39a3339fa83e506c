/* Events.  All earlier work is complete when an event is recorded, so an event is a time stamp.  In timing mode the
 * clock is the simulated GPU's.  In functional mode it is the host's monotonic clock: an elapsed time is the run time
 * of the simulator, not that of a GPU. */
#include "frontend/rt/graph/graph.h"

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define EVENT_FLAGS (cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess)

static uint64_t now(const simtx_gpu *gpu)
{
    struct timespec t;
    if (simtx_timing(gpu))
        return simtx_time(gpu);
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

bool rt_event_ok(cudaEvent_t e)
{
    return ptrmap_get(&rt.events, e) != NULL;
}

cudaError_t rt_event_create(cudaEvent_t *out, unsigned flags)
{
    if (!out || (flags & ~(unsigned)EVENT_FLAGS))
        return cudaErrorInvalidValue;
    if ((flags & cudaEventInterprocess) && !(flags & cudaEventDisableTiming))
        return cudaErrorInvalidValue;
    cudaEvent_t e = calloc(1, sizeof *e);
    if (!e || !ptrmap_put(&rt.events, e, e)) {
        free(e);
        return cudaErrorMemoryAllocation;
    }
    e->context = rt_context_current();
    e->flags = flags;
    *out = e;
    return cudaSuccess;
}

static void free_event(cudaEvent_t e)
{
    ptrmap_remove(&rt.events, e);
    rt_capture_forget_event(e);
    free(e);
}

cudaError_t rt_event_sync(cudaEvent_t e)
{
    if (!rt_event_ok(e))
        return cudaErrorInvalidResourceHandle;
    return e->capture ? cudaErrorCapturedEvent : cudaSuccess;
}

cudaError_t rt_event_destroy(cudaEvent_t event)
{
    if (!rt_event_ok(event))
        return cudaErrorInvalidResourceHandle;
    free_event(event);
    return cudaSuccess;
}

void rt_destroy_events(int device, rt_context c)
{
    for (size_t i = 0; i < rt.events.cap; i++)
        while (rt.events.slots[i].key && rt_belongs(((cudaEvent_t)rt.events.slots[i].value)->context, device, c))
            free_event(rt.events.slots[i].value);
}

cudaError_t rt_event_record(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
    cudaError_t e = cudaSuccess;
    if (!rt_event_ok(event) || !rt_stream_ok(stream) || event->context != rt_stream_context(stream))
        return cudaErrorInvalidResourceHandle;
    if (flags & ~(unsigned)cudaEventRecordExternal)
        return cudaErrorInvalidValue;
    struct rt_op op = {.kind = RT_OP_RECORD, .event = event};
    if (flags & cudaEventRecordExternal && rt_captured(stream, &op, &e))
        return e;
    if (rt_capture_record(event, stream, &e))
        return e;
    event->recorded = true;
    event->nanoseconds = now(rt.device[event->context->device].gpu);
    return cudaSuccess;
}

cudaError_t rt_event_elapsed(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    if (!rt_event_ok(start) || !rt_event_ok(end) || start->context->device != end->context->device)
        return cudaErrorInvalidResourceHandle;
    if (!ms)
        return cudaErrorInvalidValue;
    if (start->capture || end->capture)
        return cudaErrorCapturedEvent;
    if ((start->flags | end->flags) & cudaEventDisableTiming || !start->recorded || !end->recorded)
        return cudaErrorInvalidResourceHandle;
    *ms = (float)((double)(int64_t)(end->nanoseconds - start->nanoseconds) * 1e-6);
    return cudaSuccess;
}
