/* Events of the runtime API. */
#include "frontend/rt/rt.h"

RT_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_event_create(out, flags));
}

RT_API cudaError_t cudaEventCreate(cudaEvent_t *out)
{
    return cudaEventCreateWithFlags(out, cudaEventDefault);
}

RT_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_event_record(event, stream, flags));
}

RT_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

/* An event that was never recorded counts as complete. */
RT_API cudaError_t cudaEventQuery(cudaEvent_t event)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_event_sync(event));
}

RT_API cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    return cudaEventQuery(event);
}

RT_API cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_event_destroy(event));
}

RT_API cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_event_elapsed(ms, start, end));
}
