/* Launching: the configuration of <<<>>>, checks that CUDA makes at the call, and the error code of each fault. */
#include "frontend/cudart/rt.h"
#include "frontend/session/session.h"

#include <stdio.h>
#include <string.h>

/* ---- kernel<<<grid, block, shared, stream>>> ---- */

RT_API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream)
{
    if (rt_thread.configs == RT_CONFIG_DEPTH) {
        rt_thread.last = cudaErrorInvalidConfiguration;
        return cudaErrorInvalidConfiguration;
    }
    rt_thread.config[rt_thread.configs++] = (struct rt_launch_config){grid, block, shared, stream};
    return 0;
}

RT_API cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    if (!rt_thread.configs) {
        rt_thread.last = cudaErrorMissingConfiguration;
        return cudaErrorMissingConfiguration;
    }
    const struct rt_launch_config *c = &rt_thread.config[--rt_thread.configs];
    *grid = c->grid;
    *block = c->block;
    *shared = c->shared;
    *(cudaStream_t *)stream = c->stream;
    return cudaSuccess;
}

/* ---- faults and rejected launches ---- */

static cudaError_t fault_error(simtx_fault_kind kind)
{
    switch (kind) {
    case SIMTX_FAULT_OUT_OF_BOUNDS:
    case SIMTX_FAULT_USE_AFTER_FREE:
    case SIMTX_FAULT_READ_ONLY: return cudaErrorIllegalAddress;
    case SIMTX_FAULT_MISALIGNED: return cudaErrorMisalignedAddress;
    case SIMTX_FAULT_WRONG_SPACE: return cudaErrorInvalidAddressSpace;
    case SIMTX_FAULT_BARRIER:
    case SIMTX_FAULT_DEADLOCK: return cudaErrorLaunchTimeout;
    case SIMTX_FAULT_STACK_OVERFLOW: return cudaErrorHardwareStackError;
    case SIMTX_FAULT_ASSERT: return cudaErrorAssert;
    case SIMTX_FAULT_BAD_CALL: return cudaErrorInvalidPc;
    case SIMTX_FAULT_NONE:
    case SIMTX_FAULT_TRAP:
    case SIMTX_FAULT_TRANSACTION:
    case SIMTX_FAULT_MALLOC:
    case SIMTX_FAULT_WARP: return cudaErrorLaunchFailure;
    }
    return cudaErrorLaunchFailure;
}

/* The launch ran and failed.  The report is printed at once; the next call returns the error. */
static cudaError_t launch_failed(struct rt_device *d, cudaError_t e, const char *report)
{
    size_t n = strlen(report);
    fflush(stdout);
    fprintf(stderr, "%s%s", report, n && report[n - 1] == '\n' ? "" : "\n");
    d->pending = e;
    if (!rt.blocking)
        return cudaSuccess;
    d->sticky = e;
    return e;
}

/* The launch did not start; the message is the library's.  CUDA classifies too much dynamic shared memory as
 * an invalid value, not as an invalid configuration. */
static cudaError_t launch_error(struct rt_device *d, simtx_kernel *kernel, size_t dynamic, simtx_status s)
{
    simtx_kernel_info k;
    simtx_kernel_get_info(kernel, &k);
    rt_say("launch rejected: %s", simtx_last_message(d->gpu));
    if (s == SIMTX_INVALID_LAUNCH && dynamic + k.shared_bytes > d->info.shared_per_block)
        return cudaErrorInvalidValue;
    return rt_status_error(s);
}

/* The error code of a launch that ended with status s. */
static cudaError_t outcome(struct rt_device *d, simtx_status s, const simtx_fault *fault)
{
    switch (s) {
    case SIMTX_FAULT: return launch_failed(d, fault_error(fault->kind), fault->report);
    case SIMTX_HANG:
    case SIMTX_INTERNAL: return launch_failed(d, rt_status_error(s), simtx_last_message(d->gpu));
    default: return rt_status_error(s);
    }
}

static bool began(simtx_status s)
{
    return s == SIMTX_OK || s == SIMTX_FAULT || s == SIMTX_HANG || s == SIMTX_INTERNAL;
}

void rt_run_queued(void)
{
    for (int i = 0; i < rt.device_count; i++) {
        struct rt_device *d = &rt.device[i];
        simtx_fault fault;
        if (!d->queued)
            continue;
        d->queued = false;
        session_launch_begin(d->gpu);
        simtx_status s = simtx_synchronize(d->gpu, &fault);
        session_launch_end(d->gpu, s);
        if (began(s))
            outcome(d, s, &fault);
        else
            launch_failed(d, rt_status_error(s), simtx_last_message(d->gpu));
    }
}

/* The number that identifies a stream among concurrent ones. */
static uint64_t stream_number(cudaStream_t s)
{
    return s == cudaStreamLegacy || rt.blocking ? 0 : (uint64_t)(uintptr_t)s;
}

static cudaError_t run(simtx_kernel *kernel, const struct rt_launch_config *c, void **args)
{
    struct rt_device *d = rt_current();
    simtx_fault fault = {.kind = SIMTX_FAULT_NONE};
    simtx_launch_params p = {
        .grid = {c->grid.x, c->grid.y, c->grid.z},
        .block = {c->block.x, c->block.y, c->block.z},
        .dynamic_shared = c->shared,
        .args = (const void *const *)args,
        .stream = stream_number(c->stream),
    };
    session_launch_begin(d->gpu);
    simtx_status s = simtx_launch_async(kernel, &p, &fault);
    session_launch_end(d->gpu, s);
    d->queued |= p.stream && simtx_timing(d->gpu);
    return began(s) ? outcome(d, s, &fault) : launch_error(d, kernel, c->shared, s);
}

static cudaError_t launch(const void *func, const struct rt_launch_config *c, void **args)
{
    simtx_kernel *kernel;
    if (!rt_stream_ok(c->stream))
        return cudaErrorInvalidResourceHandle;
    cudaError_t e = rt_kernel(func, &kernel);
    return e ? e : run(kernel, c, args);
}

RT_API cudaError_t cudaLaunchKernel(const void *func, dim3 grid, dim3 block, void **args, size_t shared,
                                    cudaStream_t stream)
{
    struct rt_launch_config c = {grid, block, shared, stream};
    cudaError_t e = rt_enter_launch();
    return rt_leave(e ? e : launch(func, &c, args));
}

/* Called by code that was compiled for per-thread default streams. */
RT_API cudaError_t cudaLaunchKernel_ptsz(const void *func, dim3 grid, dim3 block, void **args, size_t shared,
                                         cudaStream_t stream)
{
    return cudaLaunchKernel(func, grid, block, args, shared, stream);
}
