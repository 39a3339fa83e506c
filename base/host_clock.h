/* The host's clock. */
#ifndef BASE_HOST_CLOCK_H
#define BASE_HOST_CLOCK_H

#include <time.h>

/* Seconds since some point in the past. */
static inline double host_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
