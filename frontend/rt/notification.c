/* Notifications of devices: a device reports that other processes need memory of it. A simulated device belongs to one
 * process, so a registered function is never called. */
#include "frontend/rt/rt.h"

#include <stdlib.h>

struct cudaAsyncCallbackEntry {
    int device;
};

cudaError_t rt_notification_register(int device, const void *function, struct cudaAsyncCallbackEntry **out)
{
    cudaError_t e = function && out ? rt_open_device(device) : cudaErrorInvalidValue;
    if (e)
        return e;
    struct cudaAsyncCallbackEntry *entry = malloc(sizeof *entry);
    if (!entry || !ptrmap_put(&rt.notifications, entry, entry)) {
        free(entry);
        return cudaErrorMemoryAllocation;
    }
    entry->device = device;
    *out = entry;
    return cudaSuccess;
}

cudaError_t rt_notification_unregister(int device, struct cudaAsyncCallbackEntry *entry)
{
    if (!ptrmap_get(&rt.notifications, entry) || entry->device != device)
        return cudaErrorInvalidValue;
    ptrmap_remove(&rt.notifications, entry);
    free(entry);
    return cudaSuccess;
}
