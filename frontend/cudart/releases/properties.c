/* Functions whose structures or results differ in CUDA 12 and 13. The libraries libcudart.so.12 and .13 give them their
 * public names (renamed.txt). */
#include <string.h>

#include "frontend/cudart/cudart.h"

/* The structure of release 13 has its own order, and the same fields at its end as that of release 12. */
enum { ADDED = offsetof(struct cudaDeviceProp, hostRegisterSupported) };

struct properties13 {
#define FIELD(type, name, extent) type name extent;
#include "frontend/cudart/releases/properties13.def"
#undef FIELD
    char added[sizeof(struct cudaDeviceProp) - ADDED];
};

/* __cudaSimtx...: renamed.txt has the public names. */
RT_API cudaError_t __cudaSimtxGetDeviceProperties13(struct properties13 *p, int device);
RT_API cudaError_t __cudaSimtxFuncGetAttributes12(void *attr, const void *func);
RT_API cudaError_t __cudaSimtxGetVersion12(int *version);
RT_API cudaError_t __cudaSimtxGetVersion13(int *version);

cudaError_t __cudaSimtxGetDeviceProperties13(struct properties13 *p, int device)
{
    struct cudaDeviceProp from;
    cudaError_t e = cudaGetDeviceProperties_v2(p ? &from : NULL, device);
    if (e)
        return e;
    memset(p, 0, sizeof *p);
#define FIELD(type, name, extent) memcpy(&p->name, &from.name, sizeof p->name);
#include "frontend/cudart/releases/properties13.def"
#undef FIELD
    memcpy(p->added, (const char *)&from + ADDED, sizeof p->added);
    return e;
}

/* Release 12 has six figures about clusters and 16 reserved ones after those of release 11; all are 0. */
cudaError_t __cudaSimtxFuncGetAttributes12(void *attr, const void *func)
{
    enum { OLD = offsetof(struct cudaFuncAttributes, preferredShmemCarveout) + sizeof(int), NEW = 22 * sizeof(int) };
    struct cudaFuncAttributes a;
    cudaError_t e = cudaFuncGetAttributes(attr ? &a : NULL, func);
    if (!e) {
        memcpy(attr, &a, OLD);
        memset((char *)attr + OLD, 0, NEW);
    }
    return e;
}

static cudaError_t give(int *version, int release)
{
    cudaError_t e = cudaRuntimeGetVersion(version);
    if (!e)
        *version = release;
    return e;
}

cudaError_t __cudaSimtxGetVersion12(int *version)
{
    return give(version, RT_RELEASE_12);
}

cudaError_t __cudaSimtxGetVersion13(int *version)
{
    return give(version, RT_RELEASE_13);
}
