/* Device properties and attributes, derived from the simulated GPU's configuration.  Features that simtx lacks
 * (ECC, peers) are 0. */
#include "frontend/rt/rt.h"

#include <stdio.h>

static void fill_limits(struct cudaDeviceProp *p, const simtx_gpu_info *g)
{
    p->totalGlobalMem = g->memory_bytes;
    p->sharedMemPerBlock = g->shared_per_block;
    p->sharedMemPerBlockOptin = g->shared_per_block_optin;
    p->sharedMemPerMultiprocessor = g->shared_per_sm;
    p->reservedSharedMemPerBlock = g->shared_reserved;
    p->regsPerBlock = (int)g->registers_per_block;
    p->regsPerMultiprocessor = (int)g->registers_per_sm;
    p->warpSize = RT_WARP_SIZE;
    p->memPitch = RT_MAX_PITCH;
    p->maxThreadsPerBlock = (int)g->max_threads_per_block;
    p->maxThreadsPerMultiProcessor = (int)g->max_threads_per_sm;
    p->maxBlocksPerMultiProcessor = (int)g->max_blocks_per_sm;
    for (int i = 0; i < 3; i++) {
        p->maxThreadsDim[i] = (int)g->max_block[i];
        p->maxGridSize[i] = g->max_grid[i] > INT_MAX ? INT_MAX : (int)g->max_grid[i];
    }
    p->totalConstMem = g->const_bytes;
    p->multiProcessorCount = (int)g->sms;
}

static void fill_rates(struct cudaDeviceProp *p, const simtx_gpu_info *g)
{
    p->major = (int)g->cc_major;
    p->minor = (int)g->cc_minor;
    p->clusterLaunch = g->cc_major >= 9;
    p->clockRate = (int)g->core_mhz * 1000;
    p->memoryClockRate = (int)g->memory_mhz * 1000;
    p->memoryBusWidth = (int)g->memory_bus_bits;
    p->l2CacheSize = (int)g->l2_bytes;
    p->singleToDoublePrecisionPerfRatio = 2;
}

static void fill_abilities(struct cudaDeviceProp *p)
{
    p->deviceOverlap = 1;
    p->asyncEngineCount = 1;
    p->concurrentKernels = 1;
    p->canMapHostMemory = 1;
    p->unifiedAddressing = 1;
    p->computeMode = cudaComputeModeDefault;
    p->streamPrioritiesSupported = 1;
    p->globalL1CacheSupported = 1;
    p->localL1CacheSupported = 1;
    p->managedMemory = 1;
    p->concurrentManagedAccess = 1;
    p->directManagedMemAccessFromHost = 1;
    p->canUseHostPointerForRegisteredMem = 1;
    p->cooperativeLaunch = 1;
    p->hostRegisterSupported = 1;
    p->hostRegisterReadOnlySupported = 1;
    p->memoryPoolsSupported = 1;
}

static void copy_extents(int *to, const uint32_t *from, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        to[i] = (int)from[i];
}

/* Mipmapped textures have the extents of arrays. */
static void fill_textures(struct cudaDeviceProp *p, const simtx_gpu *gpu)
{
    simtx_texture_limits l;
    simtx_texture_get_limits(gpu, &l);
    p->textureAlignment = l.alignment;
    p->texturePitchAlignment = l.pitch_alignment;
    p->surfaceAlignment = l.surface_alignment;
    p->maxTexture1D = p->maxTexture1DMipmap = (int)l.tex_1d;
    p->maxTexture1DLinear = (int)l.tex_1d_linear;
    copy_extents(p->maxTexture2D, l.tex_2d, 2);
    copy_extents(p->maxTexture2DMipmap, l.tex_2d, 2);
    copy_extents(p->maxTexture2DLinear, l.tex_2d_linear, 3);
    copy_extents(p->maxTexture2DGather, l.tex_2d_gather, 2);
    copy_extents(p->maxTexture3D, l.tex_3d, 3);
    copy_extents(p->maxTexture3DAlt, l.tex_3d, 3);
    p->maxTextureCubemap = (int)l.tex_cube;
    copy_extents(p->maxTexture1DLayered, l.tex_1d_layered, 2);
    copy_extents(p->maxTexture2DLayered, l.tex_2d_layered, 3);
    copy_extents(p->maxTextureCubemapLayered, l.tex_cube_layered, 2);
    p->maxSurface1D = (int)l.surf_1d;
    copy_extents(p->maxSurface2D, l.surf_2d, 2);
    copy_extents(p->maxSurface3D, l.surf_3d, 3);
    copy_extents(p->maxSurface1DLayered, l.surf_1d_layered, 2);
    copy_extents(p->maxSurface2DLayered, l.surf_2d_layered, 3);
    p->maxSurfaceCubemap = (int)l.surf_cube;
    copy_extents(p->maxSurfaceCubemapLayered, l.surf_cube_layered, 2);
}

void rt_properties(struct cudaDeviceProp *p, int device)
{
    const simtx_gpu_info *g = &rt.device[device].info;
    *p = (struct cudaDeviceProp){.pciBusID = device + 1};
    snprintf(p->name, sizeof p->name, "%s", g->name);
    snprintf(p->uuid.bytes, sizeof p->uuid.bytes, "simtx-gpu-%d", device);
    fill_limits(p, g);
    fill_rates(p, g);
    fill_abilities(p);
    fill_textures(p, rt.device[device].gpu);
}

/* ---- attributes: fields of the properties by number, and constants ---- */

enum source { FIELD_INT, FIELD_SIZE, CONSTANT };

struct attribute {
    enum cudaDeviceAttr number;
    enum source source;
    int value;                                   /* offset of the field, or the constant */
};

#define FIELD(attr, field) {cudaDevAttr##attr, FIELD_INT, (int)offsetof(struct cudaDeviceProp, field)}
#define SIZE(attr, field) {cudaDevAttr##attr, FIELD_SIZE, (int)offsetof(struct cudaDeviceProp, field)}
#define VALUE(attr, v) {cudaDevAttr##attr, CONSTANT, v}

static const struct attribute attributes[] = {
    FIELD(MaxThreadsPerBlock, maxThreadsPerBlock),
    FIELD(MaxBlockDimX, maxThreadsDim[0]),
    FIELD(MaxBlockDimY, maxThreadsDim[1]),
    FIELD(MaxBlockDimZ, maxThreadsDim[2]),
    FIELD(MaxGridDimX, maxGridSize[0]),
    FIELD(MaxGridDimY, maxGridSize[1]),
    FIELD(MaxGridDimZ, maxGridSize[2]),
    SIZE(MaxSharedMemoryPerBlock, sharedMemPerBlock),
    SIZE(TotalConstantMemory, totalConstMem),
    FIELD(WarpSize, warpSize),
    SIZE(MaxPitch, memPitch),
    FIELD(MaxRegistersPerBlock, regsPerBlock),
    FIELD(ClockRate, clockRate),
    SIZE(TextureAlignment, textureAlignment),
    FIELD(GpuOverlap, deviceOverlap),
    FIELD(MultiProcessorCount, multiProcessorCount),
    FIELD(KernelExecTimeout, kernelExecTimeoutEnabled),
    FIELD(Integrated, integrated),
    FIELD(CanMapHostMemory, canMapHostMemory),
    FIELD(ComputeMode, computeMode),
    SIZE(SurfaceAlignment, surfaceAlignment),
    FIELD(ConcurrentKernels, concurrentKernels),
    FIELD(EccEnabled, ECCEnabled),
    FIELD(PciBusId, pciBusID),
    FIELD(PciDeviceId, pciDeviceID),
    FIELD(TccDriver, tccDriver),
    FIELD(MemoryClockRate, memoryClockRate),
    FIELD(GlobalMemoryBusWidth, memoryBusWidth),
    FIELD(L2CacheSize, l2CacheSize),
    FIELD(MaxThreadsPerMultiProcessor, maxThreadsPerMultiProcessor),
    FIELD(AsyncEngineCount, asyncEngineCount),
    FIELD(UnifiedAddressing, unifiedAddressing),
    FIELD(PciDomainId, pciDomainID),
    SIZE(TexturePitchAlignment, texturePitchAlignment),
    FIELD(ComputeCapabilityMajor, major),
    FIELD(ComputeCapabilityMinor, minor),
    FIELD(StreamPrioritiesSupported, streamPrioritiesSupported),
    FIELD(GlobalL1CacheSupported, globalL1CacheSupported),
    FIELD(LocalL1CacheSupported, localL1CacheSupported),
    SIZE(MaxSharedMemoryPerMultiprocessor, sharedMemPerMultiprocessor),
    FIELD(MaxRegistersPerMultiprocessor, regsPerMultiprocessor),
    FIELD(ManagedMemory, managedMemory),
    FIELD(IsMultiGpuBoard, isMultiGpuBoard),
    FIELD(MultiGpuBoardGroupID, multiGpuBoardGroupID),
    FIELD(HostNativeAtomicSupported, hostNativeAtomicSupported),
    FIELD(SingleToDoublePrecisionPerfRatio, singleToDoublePrecisionPerfRatio),
    FIELD(PageableMemoryAccess, pageableMemoryAccess),
    FIELD(ConcurrentManagedAccess, concurrentManagedAccess),
    FIELD(ComputePreemptionSupported, computePreemptionSupported),
    FIELD(CanUseHostPointerForRegisteredMem, canUseHostPointerForRegisteredMem),
    FIELD(CooperativeLaunch, cooperativeLaunch),
    FIELD(CooperativeMultiDeviceLaunch, cooperativeMultiDeviceLaunch),
    SIZE(MaxSharedMemoryPerBlockOptin, sharedMemPerBlockOptin),
    FIELD(MaxTexture1DWidth, maxTexture1D),
    FIELD(MaxTexture2DWidth, maxTexture2D[0]),
    FIELD(MaxTexture2DHeight, maxTexture2D[1]),
    FIELD(MaxTexture3DWidth, maxTexture3D[0]),
    FIELD(MaxTexture3DHeight, maxTexture3D[1]),
    FIELD(MaxTexture3DDepth, maxTexture3D[2]),
    FIELD(MaxTexture2DLayeredWidth, maxTexture2DLayered[0]),
    FIELD(MaxTexture2DLayeredHeight, maxTexture2DLayered[1]),
    FIELD(MaxTexture2DLayeredLayers, maxTexture2DLayered[2]),
    FIELD(MaxTexture1DLayeredWidth, maxTexture1DLayered[0]),
    FIELD(MaxTexture1DLayeredLayers, maxTexture1DLayered[1]),
    FIELD(MaxTexture2DGatherWidth, maxTexture2DGather[0]),
    FIELD(MaxTexture2DGatherHeight, maxTexture2DGather[1]),
    FIELD(MaxTexture3DWidthAlt, maxTexture3DAlt[0]),
    FIELD(MaxTexture3DHeightAlt, maxTexture3DAlt[1]),
    FIELD(MaxTexture3DDepthAlt, maxTexture3DAlt[2]),
    FIELD(MaxTextureCubemapWidth, maxTextureCubemap),
    FIELD(MaxTextureCubemapLayeredWidth, maxTextureCubemapLayered[0]),
    FIELD(MaxTextureCubemapLayeredLayers, maxTextureCubemapLayered[1]),
    FIELD(MaxSurface1DWidth, maxSurface1D),
    FIELD(MaxSurface2DWidth, maxSurface2D[0]),
    FIELD(MaxSurface2DHeight, maxSurface2D[1]),
    FIELD(MaxSurface3DWidth, maxSurface3D[0]),
    FIELD(MaxSurface3DHeight, maxSurface3D[1]),
    FIELD(MaxSurface3DDepth, maxSurface3D[2]),
    FIELD(MaxSurface1DLayeredWidth, maxSurface1DLayered[0]),
    FIELD(MaxSurface1DLayeredLayers, maxSurface1DLayered[1]),
    FIELD(MaxSurface2DLayeredWidth, maxSurface2DLayered[0]),
    FIELD(MaxSurface2DLayeredHeight, maxSurface2DLayered[1]),
    FIELD(MaxSurface2DLayeredLayers, maxSurface2DLayered[2]),
    FIELD(MaxSurfaceCubemapWidth, maxSurfaceCubemap),
    FIELD(MaxSurfaceCubemapLayeredWidth, maxSurfaceCubemapLayered[0]),
    FIELD(MaxSurfaceCubemapLayeredLayers, maxSurfaceCubemapLayered[1]),
    FIELD(MaxTexture1DLinearWidth, maxTexture1DLinear),
    FIELD(MaxTexture2DLinearWidth, maxTexture2DLinear[0]),
    FIELD(MaxTexture2DLinearHeight, maxTexture2DLinear[1]),
    FIELD(MaxTexture2DLinearPitch, maxTexture2DLinear[2]),
    FIELD(MaxTexture2DMipmappedWidth, maxTexture2DMipmap[0]),
    FIELD(MaxTexture2DMipmappedHeight, maxTexture2DMipmap[1]),
    FIELD(MaxTexture1DMipmappedWidth, maxTexture1DMipmap),
    VALUE(Reserved92, 0),
    VALUE(Reserved93, 0),
    VALUE(Reserved94, 0),
    VALUE(CanFlushRemoteWrites, 0),
    FIELD(HostRegisterSupported, hostRegisterSupported),
    FIELD(PageableMemoryAccessUsesHostPageTables, pageableMemoryAccessUsesHostPageTables),
    FIELD(DirectManagedMemAccessFromHost, directManagedMemAccessFromHost),
    FIELD(MaxBlocksPerMultiprocessor, maxBlocksPerMultiProcessor),
    FIELD(MaxPersistingL2CacheSize, persistingL2CacheMaxSize),
    FIELD(MaxAccessPolicyWindowSize, accessPolicyMaxWindowSize),
    SIZE(ReservedSharedMemoryPerBlock, reservedSharedMemPerBlock),
    VALUE(SparseCudaArraySupported, 0),
    FIELD(HostRegisterReadOnlySupported, hostRegisterReadOnlySupported),
    VALUE(TimelineSemaphoreInteropSupported, 0),
    FIELD(MemoryPoolsSupported, memoryPoolsSupported),
    VALUE(GPUDirectRDMASupported, 0),
    VALUE(GPUDirectRDMAFlushWritesOptions, 0),
    VALUE(GPUDirectRDMAWritesOrdering, 0),
    VALUE(MemoryPoolSupportedHandleTypes, 0),
    FIELD(ClusterLaunch, clusterLaunch),
    VALUE(DeferredMappingCudaArraySupported, 0),
    VALUE(Reserved122, 0),                       /* memory operations of streams */
    VALUE(Reserved123, 0),
    VALUE(Reserved124, 0),                       /* buffers shared with other drivers */
    VALUE(IpcEventSupport, 0),
    VALUE(MemSyncDomainCount, 1),
    FIELD(Reserved127, clusterLaunch),           /* tensor maps, as clusters since 9.0 */
    VALUE(Reserved128, 0),                       /* handles of a fabric */
    VALUE(Reserved129, 0),                       /* functions with one address for host and device */
    VALUE(NumaConfig, 0),                        /* the device is no node of the host's memory */
    VALUE(NumaId, -1),
    VALUE(Reserved132, 0),                       /* multicast */
    VALUE(MpsEnabled, 0),
    VALUE(HostNumaId, -1),                       /* no node is closest */
    VALUE(D3D12CigSupported, 0),
    VALUE(VulkanCigSupported, 0),
    VALUE(GpuPciDeviceId, 0),                    /* of no vendor */
    VALUE(GpuPciSubsystemId, 0),
    VALUE(Reserved141, 0),
    VALUE(HostNumaMemoryPoolsSupported, 0),
    VALUE(HostNumaMultinodeIpcSupported, 0),
};

#undef FIELD
#undef SIZE
#undef VALUE

cudaError_t rt_device_attribute(int *value, int number, int device)
{
    struct cudaDeviceProp prop;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        const struct attribute *a = &attributes[i];
        if ((int)a->number != number)
            continue;
        rt_properties(&prop, device);
        if (a->source == FIELD_INT)
            *value = *(const int *)((const char *)&prop + a->value);
        else if (a->source == FIELD_SIZE)
            *value = (int)*(const size_t *)((const char *)&prop + a->value);
        else
            *value = a->value;
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}
