/* The log of messages of the driver API (12.9). */
#include "frontend/libcuda/cu.h"

CU_API CUresult cuLogsRegisterCallback(CUlogsCallback function, void *data, CUlogsCallbackHandle *out)
{
    rt_lock();
    return cu_leave(rt_log_register((rt_log_function)(void *)function, data, (struct rt_log_reader **)(void *)out));
}

CU_API CUresult cuLogsUnregisterCallback(CUlogsCallbackHandle handle)
{
    rt_lock();
    return cu_leave(rt_log_unregister((struct rt_log_reader *)(void *)handle));
}

CU_API CUresult cuLogsCurrent(CUlogIterator *iterator, unsigned flags)
{
    rt_lock();
    return cu_leave(rt_log_current(iterator, flags));
}

CU_API CUresult cuLogsDumpToFile(CUlogIterator *iterator, const char *path, unsigned flags)
{
    rt_lock();
    return cu_leave(rt_log_to_file(iterator, path, flags));
}

CU_API CUresult cuLogsDumpToMemory(CUlogIterator *iterator, char *buffer, size_t *size, unsigned flags)
{
    rt_lock();
    return cu_leave(rt_log_to_memory(iterator, buffer, size, flags));
}
