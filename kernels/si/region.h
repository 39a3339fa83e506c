// Memory for the data of transactions: each array is a region that the program declares, so that memory with versions
// keeps versions of it. Other systems ignore the declaration.
#ifndef KERNELS_SI_REGION_H
#define KERNELS_SI_REGION_H

#include "../check.h"

#include <simtx_tm.h>

template <typename T>
static inline volatile T *region_of(const std::vector<T> &values) {
    T *words = to_device(values);
    CHECK(simtx_version_region(words, values.size() * sizeof(T)));
    return words;
}

template <typename T>
static inline std::vector<T> region_to_host(volatile T *words, size_t count) {
    return to_host(const_cast<const T *>(words), count);
}

#endif
