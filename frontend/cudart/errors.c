/* Error names, texts and the calling thread's last error. */
#include "frontend/rt/rt.h"
#include "frontend/cudart/unsupported.h"

struct error_text {
    cudaError_t code;
    const char *name, *text;
};

static const struct error_text *find_error(cudaError_t code)
{
    static const struct error_text table[] = {
#define ERROR(name, text) {name, #name, text},
#include "frontend/cudart/errors.def"
#undef ERROR
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].code == code)
            return &table[i];
    return NULL;
}

RT_API const char *cudaGetErrorName(cudaError_t error)
{
    const struct error_text *t = find_error(error);
    return t ? t->name : "unrecognized error code";
}

RT_API const char *cudaGetErrorString(cudaError_t error)
{
    const struct error_text *t = find_error(error);
    return t ? t->text : "unrecognized error code";
}

/* Neither function returns a pending error; a pending error is reported by the next synchronising call. */
RT_API cudaError_t cudaPeekAtLastError(void)
{
    rt_lock();
    cudaError_t sticky = rt_current()->sticky, e = sticky ? sticky : rt_thread.last;
    rt_unlock();
    return e;
}

RT_API cudaError_t cudaGetLastError(void)
{
    cudaError_t e = cudaPeekAtLastError();
    rt_thread.last = cudaSuccess;
    return e;
}

int rt_unsupported(const char *name, bool *said)
{
    cudaError_t e = rt_enter();
    return rt_leave(e ? e : rt_not_supported(name, said));
}

/* A descriptor is plain data: no device is needed. */
RT_API struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                          enum cudaChannelFormatKind f)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, f};
}
