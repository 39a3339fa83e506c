/* Shared by the tests of libcudart: cmocka, checks of error codes that show both names. */
#ifndef REGRESS_CUDART_TEST_H
#define REGRESS_CUDART_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/cuda/include/cuda_runtime_api.h"

static inline void check_error(cudaError_t got, cudaError_t expected, const char *what, int line)
{
    if (got != expected)
        fail_msg("line %d: %s gives %s, expected %s", line, what, cudaGetErrorName(got),
                 cudaGetErrorName(expected));
}

#define OK(call) check_error(call, cudaSuccess, #call, __LINE__)
#define GIVES(call, error) check_error(call, error, #call, __LINE__)

/* Each test starts with a device as new. */
static inline int fresh_device(void **state)
{
    cudaSetDevice(0);
    return cudaDeviceReset() != cudaSuccess;
}

#define TEST(f) cmocka_unit_test_setup(f, fresh_device)

static inline int finish(const char *name, int tests, int failed)
{
    printf("cudart %s: %d passed, %d failed\n", name, tests - failed, failed);
    return failed != 0;
}

#endif
