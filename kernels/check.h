// What every program in this folder needs besides CUDA itself: calls that stop with file and line on an
// error, device buffers from vectors and back, a small generator for reproducible inputs, and comparisons
// that print what differed, where, the expected value and the actual one. A program defines PROGRAM before including
// this and ends with pass(), which prints the one line "PROGRAM: PASS".
#ifndef KERNELS_CHECK_H
#define KERNELS_CHECK_H

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#define CHECK(call) check_cuda((call), #call, __FILE__, __LINE__)

// Checks a launch: first that it was accepted, then that it completed without a fault.
#define CHECK_KERNEL()                                                                                       \
    do {                                                                                                     \
        CHECK(cudaGetLastError());                                                                           \
        CHECK(cudaDeviceSynchronize());                                                                      \
    } while (0)

static inline void check_cuda(cudaError_t error, const char *call, const char *file, int line) {
    if (error == cudaSuccess) {
        return;
    }
    printf("%s: FAIL (%s:%d: %s, expected cudaSuccess, got %s: %s)\n", PROGRAM, file, line, call,
           cudaGetErrorName(error), cudaGetErrorString(error));
    fflush(stdout);
    exit(1);
}

static inline std::string shown(double value) {
    char text[40];
    snprintf(text, sizeof text, "%.9g", value);
    return text;
}

static inline std::string shown(long long value) {
    return std::to_string(value);
}

static inline std::string shown(unsigned long long value) {
    return std::to_string(value);
}

static inline std::string shown(int value) {
    return std::to_string(value);
}

static inline std::string shown(unsigned value) {
    return std::to_string(value);
}

static inline std::string shown(long value) {
    return std::to_string(value);
}

static inline std::string shown(unsigned long value) {
    return std::to_string(value);
}

static inline std::string shown(const std::string &value) {
    return "\"" + value + "\"";
}

template <typename E, typename G>
static inline void fail(const char *what, long where, const E &expected, const G &got) {
    printf("%s: FAIL (%s, at %ld, expected %s, got %s)\n", PROGRAM, what, where, shown(expected).c_str(),
           shown(got).c_str());
    fflush(stdout);
    exit(1);
}

// The two must be the same value (a NaN equals nothing).
template <typename E, typename G>
static inline void expect_equal(const char *what, long where, const E &expected, const G &got) {
    if (!(expected == got)) {
        fail(what, where, expected, got);
    }
}

// The two may differ by at most `relative` times the larger magnitude, or by `absolute`.
static inline void expect_near(const char *what, long where, double expected, double got, double relative,
                               double absolute = 0.0) {
    double scale = std::fmax(std::fabs(expected), std::fabs(got));
    if (!(std::fabs(expected - got) <= std::fmax(relative * scale, absolute))) {
        fail(what, where, expected, got);
    }
}

static inline void expect_true(const char *what, long where, bool holds) {
    if (!holds) {
        fail(what, where, std::string("true"), std::string("false"));
    }
}

template <typename T>
static inline void expect_same(const char *what, const std::vector<T> &expected, const std::vector<T> &got) {
    expect_equal(what, -1, expected.size(), got.size());
    for (size_t i = 0; i < expected.size(); i++) {
        expect_equal(what, (long)i, expected[i], got[i]);
    }
}

// The call must return exactly this error code.
static inline void expect_error(const char *what, cudaError_t expected, cudaError_t got) {
    if (expected != got) {
        fail(what, 0, std::string(cudaGetErrorName(expected)), std::string(cudaGetErrorName(got)));
    }
}

static inline int pass() {
    printf("%s: PASS\n", PROGRAM);
    return 0;
}

// A 64-bit linear congruential generator (Knuth's MMIX constants); the high half is the output.
struct Lcg {
    uint64_t state;

    explicit Lcg(uint64_t seed) : state(seed * 2862933555777941757ull + 3037000493ull) {}

    uint32_t next() {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        return (uint32_t)(state >> 32);
    }

    uint32_t below(uint32_t limit) { return (uint32_t)(((uint64_t)next() * limit) >> 32); }

    float unit() { return (float)(next() >> 8) * (1.0f / 16777216.0f); }

    float between(float low, float high) { return low + (high - low) * unit(); }
};

template <typename T>
static inline T *device_buffer(size_t count) {
    T *pointer = nullptr;
    CHECK(cudaMalloc((void **)&pointer, count * sizeof(T)));
    return pointer;
}

template <typename T>
static inline T *device_zeros(size_t count) {
    T *pointer = device_buffer<T>(count);
    CHECK(cudaMemset(pointer, 0, count * sizeof(T)));
    return pointer;
}

template <typename T>
static inline T *to_device(const std::vector<T> &values) {
    T *pointer = device_buffer<T>(values.size());
    CHECK(cudaMemcpy(pointer, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return pointer;
}

template <typename T>
static inline std::vector<T> to_host(const T *pointer, size_t count) {
    std::vector<T> values(count);
    CHECK(cudaMemcpy(values.data(), pointer, count * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
}

// The optional first argument is the problem's size.
static inline int size_argument(int argc, char **argv, int fallback, int least, int most) {
    if (argc < 2) {
        return fallback;
    }
    char *end = nullptr;
    long value = strtol(argv[1], &end, 10);
    if (*end != '\0' || value < least || value > most) {
        fprintf(stderr, "%s: the size must be a number from %d to %d\n", PROGRAM, least, most);
        exit(2);
    }
    return (int)value;
}

static inline int blocks_for(int items, int per_block) {
    return (items + per_block - 1) / per_block;
}

#endif
