/* A list in device memory to which kernels append numbers, so that a test sees the order in which they ran. */
#ifndef REGRESS_CUDART_LIST_H
#define REGRESS_CUDART_LIST_H

#include "regress/cudart/test.h"

enum { LIST_MOST = 63, LIST_BYTES = (1 + LIST_MOST) * 4 };

/* The list: the number of its entries, then these. */
static int *list;

/* PTX that appends the parameter `value` to the list at the parameter `list`. It needs the registers %r1, %r2 and %rd1
 * to %rd3, and leaves the number of entries in %r2. */
#define APPEND                                                                                                     \
    "    ld.param.u64 %rd1, [list];\n    ld.param.u32 %r1, [value];\n    ld.global.u32 %r2, [%rd1];\n"            \
    "    add.u32 %r2, %r2, 1;\n    st.global.u32 [%rd1], %r2;\n    mul.wide.u32 %rd2, %r2, 4;\n"                  \
    "    add.s64 %rd3, %rd1, %rd2;\n    st.global.u32 [%rd3], %r1;\n"

static inline cudaError_t new_list(void)
{
    cudaError_t e = cudaMalloc((void **)&list, LIST_BYTES);
    return e ? e : cudaMemset(list, 0, LIST_BYTES);
}

/* Compares the list with n numbers and makes it empty. */
static inline void check_list(int n, const int *expected)
{
    int got[1 + LIST_MOST];
    OK(cudaMemcpy(got, list, LIST_BYTES, cudaMemcpyDeviceToHost));
    assert_int_equal(got[0], n);
    for (int i = 0; i < n; i++)
        assert_int_equal(got[i + 1], expected[i]);
    OK(cudaMemset(list, 0, LIST_BYTES));
}

#define LIST(...) check_list(sizeof((int[]){__VA_ARGS__}) / sizeof(int), (int[]){__VA_ARGS__})

#endif
