/* The log of messages of the runtime API (13). */
#include "frontend/rt/rt.h"

static cudaError_t leave(cudaError_t e)
{
    rt_unlock();
    return e;
}

RT_API cudaError_t cudaLogsRegisterCallback(cudaLogsCallback_t function, void *data, cudaLogsCallbackHandle *out)
{
    rt_lock();
    return leave(rt_log_register(function, data, out));
}

RT_API cudaError_t cudaLogsUnregisterCallback(cudaLogsCallbackHandle handle)
{
    rt_lock();
    return leave(rt_log_unregister(handle));
}

RT_API cudaError_t cudaLogsCurrent(cudaLogIterator *iterator, unsigned flags)
{
    rt_lock();
    return leave(rt_log_current(iterator, flags));
}

RT_API cudaError_t cudaLogsDumpToFile(cudaLogIterator *iterator, const char *path, unsigned flags)
{
    rt_lock();
    return leave(rt_log_to_file(iterator, path, flags));
}

RT_API cudaError_t cudaLogsDumpToMemory(cudaLogIterator *iterator, char *buffer, size_t *size, unsigned flags)
{
    rt_lock();
    return leave(rt_log_to_memory(iterator, buffer, size, flags));
}
