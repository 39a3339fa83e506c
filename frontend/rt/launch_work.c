/* Launches: checks that CUDA makes at the call, and the error code of each fault. */
#include "frontend/rt/graph/graph.h"
#include "frontend/session/session.h"

#include <stdio.h>
#include <string.h>

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
    case SIMTX_FAULT_WARP:
    case SIMTX_FAULT_TEXTURE:
    case SIMTX_FAULT_RACE:
    case SIMTX_FAULT_UNINITIALISED: return cudaErrorLaunchFailure;
    }
    return cudaErrorLaunchFailure;
}

/* The launch ran and failed.  The report is printed at once; the next call returns the error. */
static cudaError_t launch_failed(struct rt_device *d, cudaError_t e, const char *report)
{
    size_t n = strlen(report);
    fflush(stdout);
    fprintf(stderr, "%s%s", report, n && report[n - 1] == '\n' ? "" : "\n");
    rt_log(report);
    d->pending = e;
    if (!rt.blocking)
        return cudaSuccess;
    d->sticky = e;
    return e;
}

/* The launch did not start; the message is the library's.  CUDA classifies too much dynamic shared memory as
 * an invalid value, not as an invalid configuration. */
static cudaError_t launch_error(struct rt_device *d, const simtx_kernel *kernel, size_t dynamic, simtx_status s)
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

/* The queue of a launch: launches in different queues may run concurrently. */
static uint64_t queue_of(const struct rt_launch_config *c)
{
    if (rt.blocking)
        return 0;
    return c->queue ? c->queue : c->stream == cudaStreamLegacy ? 0 : (uint64_t)(uintptr_t)c->stream;
}

static cudaError_t run(struct CUfunc_st *f, const struct rt_launch_config *c, const struct rt_args *args)
{
    struct rt_device *d = &rt.device[f->device];
    simtx_fault fault = {.kind = SIMTX_FAULT_NONE};
    simtx_launch_params p = {
        .grid = {c->grid.x, c->grid.y, c->grid.z},
        .block = {c->block.x, c->block.y, c->block.z},
        .cluster = {c->cluster.x, c->cluster.y, c->cluster.z},
        .dynamic_shared = c->shared,
        .args = args->each,
        .arg_buffer = args->buffer,
        .arg_buffer_bytes = args->bytes,
        .stream = queue_of(c),
    };
    rt_prefer_shared(f, &c->carveout);
    session_launch_begin(d->gpu);
    simtx_status s = simtx_launch_async(f->kernel, &p, &fault);
    session_launch_end(d->gpu, s);
    d->queued |= p.stream && simtx_timing(d->gpu);
    return began(s) ? outcome(d, s, &fault) : launch_error(d, f->kernel, c->shared, s);
}

static bool captured(struct CUfunc_st *f, const struct rt_launch_config *c, const struct rt_args *args,
                     bool cooperative, cudaError_t *e)
{
    struct rt_op op = {.kind = RT_OP_KERNEL,
                       .kernel = {.f = f, .config = *c, .cooperative = cooperative, .args = *args}};
    return rt_captured(c->stream, &op, e);
}

/* A kernel of the runtime API runs in every context of its device, one of a module only in the module's. */
static bool runs_in(const struct CUfunc_st *f, rt_context c)
{
    return f->module ? f->module->context == c : f->device == c->device;
}

static cudaError_t check_and_run(struct CUfunc_st *f, const struct rt_launch_config *c, const struct rt_args *args,
                                 bool cooperative)
{
    if (!rt_stream_ok(c->stream) || !runs_in(f, rt_stream_context(c->stream)))
        return cudaErrorInvalidResourceHandle;
    cudaError_t e;
    return captured(f, c, args, cooperative, &e) ? e : run(f, c, args);
}

/* Before the first launch of a kernel that is not cooperative. Here the barrier works while all blocks are resident. */
static void warn_of_grid_barrier(struct CUfunc_st *f)
{
    simtx_kernel_info k;
    if (f->launched)
        return;
    f->launched = true;
    simtx_kernel_get_info(f->kernel, &k);
    if (k.grid_barrier)
        rt_say("warning: %s uses the barrier of the grid (this_grid().sync()), but its launch is not cooperative, "
               "which CUDA requires (cudaLaunchCooperativeKernel)", k.name);
}

cudaError_t rt_launch(struct CUfunc_st *f, const struct rt_launch_config *c, const struct rt_args *args)
{
    warn_of_grid_barrier(f);
    return check_and_run(f, c, args, false);
}

cudaError_t rt_launch_cooperative(struct CUfunc_st *f, const struct rt_launch_config *c, const struct rt_args *args)
{
    uint64_t most = rt_resident_blocks(f, c);
    if (most && (unsigned __int128)c->grid.x * c->grid.y * c->grid.z > most)
        return cudaErrorCooperativeLaunchTooLarge;
    return check_and_run(f, c, args, true);
}

/* ---- launches with attributes ---- */

static cudaError_t add_event(struct rt_launch_attributes *a, cudaEvent_t event)
{
    if (!rt_event_ok(event))
        return cudaErrorInvalidResourceHandle;
    if (!(event->flags & cudaEventDisableTiming) || a->n == sizeof a->events / sizeof *a->events)
        return cudaErrorInvalidValue;
    a->events[a->n++] = event;
    return cudaSuccess;
}

static cudaError_t set_carveout(struct rt_launch_attributes *a, unsigned percent)
{
    a->carveout = (struct rt_carveout){true, (int)percent};
    return percent <= cudaSharedmemCarveoutMaxShared || (int)percent == cudaSharedmemCarveoutDefault
               ? cudaSuccess : cudaErrorInvalidValue;
}

/* An event of a launch is recorded when its blocks have started, or trigger it; simtx records it when the kernel has
 * ended, which is later and thus allowed. */
static cudaError_t read_attribute(struct rt_launch_attributes *a, const cudaLaunchAttribute *of)
{
    const union cudaLaunchAttributeValue *v = &of->val;
    switch (of->id) {
    case cudaLaunchAttributeCooperative: a->cooperative = v->cooperative != 0; return cudaSuccess;
    case cudaLaunchAttributeClusterDimension:
        a->cluster = (dim3){v->clusterDim.x, v->clusterDim.y, v->clusterDim.z};
        return v->clusterDim.x && v->clusterDim.y && v->clusterDim.z ? cudaSuccess : cudaErrorInvalidValue;
    case cudaLaunchAttributeProgrammaticEvent: return add_event(a, v->programmaticEvent.event);
    case cudaLaunchAttributeLaunchCompletionEvent: return add_event(a, v->launchCompletionEvent.event);
    case cudaLaunchAttributeDeviceUpdatableKernelNode:
        return v->deviceUpdatableKernelNode.deviceUpdatable ? cudaErrorNotSupported : cudaSuccess;
    case cudaLaunchAttributeIgnore:
    case cudaLaunchAttributeAccessPolicyWindow:
    case cudaLaunchAttributeSynchronizationPolicy:
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
    case cudaLaunchAttributeProgrammaticStreamSerialization:
    case cudaLaunchAttributePriority:
    case cudaLaunchAttributeMemSyncDomainMap:
    case cudaLaunchAttributeMemSyncDomain:
    case cudaLaunchAttributePreferredClusterDimension: return cudaSuccess;
    case cudaLaunchAttributePreferredSharedMemoryCarveout: return set_carveout(a, v->sharedMemCarveout);
    }
    return cudaErrorInvalidValue;
}

cudaError_t rt_read_attributes(struct rt_launch_attributes *out, const cudaLaunchAttribute *list, unsigned n)
{
    cudaError_t e = n && !list ? cudaErrorInvalidValue : cudaSuccess;
    *out = (struct rt_launch_attributes){0};
    for (unsigned i = 0; !e && i < n; i++)
        e = read_attribute(out, &list[i]);
    return e;
}

cudaError_t rt_launch_with(struct CUfunc_st *f, const struct rt_launch_config *c, const struct rt_args *args,
                           const struct rt_launch_attributes *a)
{
    struct rt_launch_config with = *c;
    with.carveout = a->carveout;
    with.cluster = a->cluster;
    cudaError_t e = a->cooperative ? rt_launch_cooperative(f, &with, args) : rt_launch(f, &with, args);
    if (a->n)
        rt_run_queued();
    for (int i = 0; !e && i < a->n; i++)
        e = rt_event_record(a->events[i], c->stream, 0);
    return e;
}
