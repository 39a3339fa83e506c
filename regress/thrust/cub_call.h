// CUB's calls in two steps, device arrays.
#ifndef REGRESS_THRUST_CUB_CALL_H
#define REGRESS_THRUST_CUB_CALL_H

#include <cstdio>
#include <cstdlib>
#include <vector>

static void must(cudaError_t e) {
    if (e == cudaSuccess)
        return;
    printf("FAILED: %s\n", cudaGetErrorString(e));
    exit(1);
}

template <class T> struct Device {
    T *p = nullptr;
    size_t n;
    explicit Device(size_t count) : n(count) { must(cudaMalloc(&p, n * sizeof(T) + 1)); }
    explicit Device(const std::vector<T> &v) : Device(v.size()) {
        must(cudaMemcpy(p, v.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    }
    Device(const Device &) = delete;
    ~Device() { cudaFree(p); }
    std::vector<T> host(size_t count) const {
        std::vector<T> v(count);
        must(cudaMemcpy(v.data(), p, count * sizeof(T), cudaMemcpyDeviceToHost));
        return v;
    }
    std::vector<T> host() const { return host(n); }
};

// The first call of a CUB function returns the size of its temporary memory, the second works.
template <class F> static void run(F call) {
    size_t bytes = 0;
    must(call(nullptr, bytes));
    Device<char> temporary(bytes);
    must(call(temporary.p, bytes));
    must(cudaDeviceSynchronize());
}

#endif
