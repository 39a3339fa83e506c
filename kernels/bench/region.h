// Memory for the data of transactions: each array is a region that the program declares, so that memory with versions
// keeps versions of it. Other systems ignore the declaration.
#ifndef KERNELS_BENCH_REGION_H
#define KERNELS_BENCH_REGION_H

#include "../check.h"

#include <simtx_tm.h>

// Declares an array of the device; returns it.
template <typename T>
static inline T *as_region(T *words, size_t count) {
    CHECK(simtx_version_region(words, count * sizeof(T)));
    return words;
}

template <typename T>
static inline T *region_of(const std::vector<T> &values) {
    return as_region(to_device(values), values.size());
}

template <typename T>
static inline T *region_of_zeros(size_t count) {
    return as_region(device_zeros<T>(count), count);
}

template <typename T>
static inline std::vector<T> region_to_host(volatile T *words, size_t count) {
    return to_host(const_cast<const T *>(words), count);
}

#endif
