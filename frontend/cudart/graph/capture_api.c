/* Stream capture of the runtime API. */
#include "frontend/rt/graph/graph.h"

RT_API cudaError_t cudaStreamBeginCapture(cudaStream_t s, enum cudaStreamCaptureMode mode)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_capture_begin(s, (int)mode));
}

RT_API cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t s, cudaGraph_t g, const cudaGraphNode_t *deps,
                                                 const cudaGraphEdgeData *data, size_t n,
                                                 enum cudaStreamCaptureMode mode)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && !rt_plain_edges(data, n))
        e = rt_other_edges();
    return rt_leave(e ? e : rt_capture_begin_to(s, g, deps, n, (int)mode));
}

RT_API cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *out)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_capture_end(s, out));
}

RT_API cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    int m = mode ? (int)*mode : -1;
    cudaError_t e = rt_enter();
    if (!e)
        e = rt_capture_exchange_mode(&m);
    if (!e)
        *mode = (enum cudaStreamCaptureMode)m;
    return rt_leave(e);
}

RT_API cudaError_t cudaStreamIsCapturing(cudaStream_t s, enum cudaStreamCaptureStatus *status)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_capture_status(s, status, NULL, NULL, NULL, NULL));
}

RT_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t s, enum cudaStreamCaptureStatus *status,
                                            unsigned long long *id)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_capture_status(s, status, id, NULL, NULL, NULL));
}

RT_API cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t s, enum cudaStreamCaptureStatus *status,
                                               unsigned long long *id, cudaGraph_t *graph,
                                               const cudaGraphNode_t **deps, size_t *n)
{
    cudaError_t e = rt_enter_gpu();
    return rt_leave(e ? e : rt_capture_status(s, status, id, graph, deps, n));
}

RT_API cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t s, cudaGraphNode_t *deps, size_t n, unsigned flags)
{
    cudaError_t e = rt_enter_gpu();
    if (!e && flags > cudaStreamSetCaptureDependencies)
        e = cudaErrorInvalidValue;
    return rt_leave(e ? e : rt_capture_dependencies(s, deps, n, flags == cudaStreamSetCaptureDependencies));
}
