// A cooperative launch whose blocks exchange data through grid-wide barriers: one step of a stencil after each, and a
// reduction by halving distances. Kernels with different grids follow one another.
#define PROGRAM "grid_sync"
#include "../check.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// Each step replaces an element by the sum of itself and both neighbours (a ring), from one buffer to the other.
__global__ void steps(unsigned *a, unsigned *b, int n, int count) {
    cg::grid_group grid = cg::this_grid();
    for (int s = 0; s < count; s++) {
        for (int i = (int)grid.thread_rank(); i < n; i += (int)grid.size()) {
            b[i] = a[i] + a[(i + 1) % n] + a[(i + n - 1) % n];
        }
        grid.sync();
        unsigned *t = a;
        a = b;
        b = t;
    }
}

__global__ void sum(unsigned *a, int n) {
    cg::grid_group grid = cg::this_grid();
    for (int d = n / 2; d; d /= 2) {
        for (int i = (int)grid.thread_rank(); i < d; i += (int)grid.size()) {
            a[i] += a[i + d];
        }
        grid.sync();
    }
}

int main() {
    const int n = 2048, count = 9;
    std::vector<unsigned> host(n), next(n);
    Lcg random(3);
    for (unsigned &x : host) {
        x = random.below(1000);
    }
    unsigned *a = to_device(host), *b = device_zeros<unsigned>(n);
    int size = n, number = count;
    void *args[] = {&a, &b, &size, &number};
    CHECK(cudaLaunchCooperativeKernel((const void *)steps, dim3(7), dim3(96), args, 0, nullptr));
    CHECK_KERNEL();
    for (int s = 0; s < count; s++) {
        for (int i = 0; i < n; i++) {
            next[i] = host[i] + host[(i + 1) % n] + host[(i + n - 1) % n];
        }
        host.swap(next);
    }
    expect_same("after the steps", host, to_host(count % 2 ? b : a, n));
    unsigned *result = count % 2 ? b : a;
    void *sum_args[] = {&result, &size};
    CHECK(cudaLaunchCooperativeKernel((const void *)sum, dim3(4), dim3(64), sum_args, 0, nullptr));
    CHECK_KERNEL();
    unsigned total = 0;
    for (unsigned x : host) {
        total += x;
    }
    expect_equal("sum", 0, total, to_host(result, 1)[0]);
    return pass();
}
