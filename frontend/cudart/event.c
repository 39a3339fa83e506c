/* Events.  All earlier work is complete when an event is recorded, so an event is a time stamp.  In timing mode the
 * clock is the simulated GPU's.  In functional mode it is the host's monotonic clock: an elapsed time is the run time
 * of the simulator, not that of a GPU. */
#include "frontend/cudart/rt.h"

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define EVENT_FLAGS (cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess)

struct CUevent_st {
    unsigned flags;
    bool recorded;
    uint64_t nanoseconds;
};

static uint64_t now(void)
{
    const simtx_gpu *gpu = rt_current()->gpu;
    struct timespec t;
    if (simtx_timing(gpu))
        return simtx_time(gpu);
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static cudaError_t create(cudaEvent_t *out, unsigned flags)
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
    e->flags = flags;
    *out = e;
    return cudaSuccess;
}

RT_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : create(out, flags));
}

RT_API cudaError_t cudaEventCreate(cudaEvent_t *out)
{
    return cudaEventCreateWithFlags(out, cudaEventDefault);
}

/* rt_enter_gpu, then checks that the event exists. */
static cudaError_t enter_event(cudaEvent_t event)
{
    cudaError_t e = rt_enter_gpu();
    return e ? e : ptrmap_get(&rt.events, event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

RT_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
    cudaError_t e = enter_event(event);
    if (!e && !rt_stream_ok(stream))
        e = cudaErrorInvalidResourceHandle;
    if (!e && flags & ~(unsigned)cudaEventRecordExternal)
        e = cudaErrorInvalidValue;
    if (!e) {
        event->recorded = true;
        event->nanoseconds = now();
    }
    return rt_leave(e);
}

RT_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

/* An event that was never recorded counts as complete. */
RT_API cudaError_t cudaEventQuery(cudaEvent_t event)
{
    return rt_leave(enter_event(event));
}

RT_API cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return rt_leave(enter_event(event));
}

RT_API cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    cudaError_t e = enter_event(event);
    if (!e)
        free(ptrmap_remove(&rt.events, event));
    return rt_leave(e);
}

RT_API cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    cudaError_t e = enter_event(start);
    if (!e && !ms)
        e = cudaErrorInvalidValue;
    if (!e && !ptrmap_get(&rt.events, end))
        e = cudaErrorInvalidResourceHandle;
    if (!e && ((start->flags | end->flags) & cudaEventDisableTiming || !start->recorded || !end->recorded))
        e = cudaErrorInvalidResourceHandle;
    if (!e)
        *ms = (float)((double)(int64_t)(end->nanoseconds - start->nanoseconds) * 1e-6);
    return rt_leave(e);
}
