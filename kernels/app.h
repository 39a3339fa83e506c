// app.h: what the application programs share: a deterministic input generator, device buffers that free
// themselves, checks that print the first difference, and the one verdict line each program ends with.
#ifndef SIMTX_KERNELS_APP_H
#define SIMTX_KERNELS_APP_H

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace app {

inline std::string &name()
{
    static std::string n = "app";
    return n;
}

inline std::string text(double v)
{
    char b[64];
    std::snprintf(b, sizeof b, "%.17g", v);
    return b;
}

inline std::string text(float v)
{
    return text((double)v);
}

inline std::string text(const std::string &v)
{
    return v;
}

inline std::string text(const char *v)
{
    return v;
}

template <class Integer> inline std::string text(Integer v)
{
    return std::to_string(v);
}

// The verdict of a failed program; it never returns.
template <class W, class E, class G>
[[noreturn]] inline void fail(const char *what, const W &where, const E &expected, const G &got)
{
    std::printf("%s: FAIL (%s, at %s, expected %s, got %s)\n", name().c_str(), what, text(where).c_str(),
                text(expected).c_str(), text(got).c_str());
    std::exit(1);
}

inline int pass()
{
    std::printf("%s: PASS\n", name().c_str());
    return 0;
}

// Names the program and reads its size from the command line.
inline int start(int argc, char **argv, const char *program, int size, int least, int most)
{
    name() = program;
    if (argc > 1) {
        char *end = nullptr;
        long v = std::strtol(argv[1], &end, 10);
        if (argc > 2 || *argv[1] == '\0' || *end != '\0' || v < least || v > most) {
            std::fprintf(stderr, "usage: %s [SIZE]   (%d to %d, default %d)\n", program, least, most, size);
            std::exit(2);
        }
        size = (int)v;
    }
    return size;
}

inline void require(cudaError_t e, const char *call, int line)
{
    if (e != cudaSuccess)
        fail(call, "line " + std::to_string(line), "success", cudaGetErrorString(e));
}

template <class A, class B, class W>
inline void equal(const char *what, const W &where, const A &expected, const B &got)
{
    if (!(expected == got))
        fail(what, where, expected, got);
}

// Absolute tolerance; a NaN on either side fails.
template <class W>
inline void close_to(const char *what, const W &where, double expected, double got, double tolerance)
{
    if (!(std::fabs(expected - got) <= tolerance))
        fail(what, where, expected, got);
}

template <class W> inline void holds(const char *what, const W &where, bool condition)
{
    if (!condition)
        fail(what, where, "true", "false");
}

// 64-bit linear congruential generator (Knuth's MMIX constants); the high half is the output.
class Lcg {
    uint64_t s_;

public:
    explicit Lcg(uint64_t seed) : s_(seed * 2862933555777941757ull + 3037000493ull) {}
    uint32_t next()
    {
        s_ = s_ * 6364136223846793005ull + 1442695040888963407ull;
        return (uint32_t)(s_ >> 32);
    }
    uint32_t below(uint32_t n) { return (uint32_t)(((uint64_t)next() * n) >> 32); }
    double unit() { return next() * (1.0 / 4294967296.0); }
    double between(double a, double b) { return a + (b - a) * unit(); }
};

// Device memory with a length; it belongs to one owner and is freed with it.
template <class T> class Buffer {
    T *p_ = nullptr;
    size_t n_;

public:
    explicit Buffer(size_t n) : n_(n) { require(cudaMalloc(&p_, n * sizeof(T)), "cudaMalloc", __LINE__); }
    explicit Buffer(const std::vector<T> &v) : Buffer(v.size()) { write(v); }
    Buffer(Buffer &&o) noexcept : p_(o.p_), n_(o.n_) { o.p_ = nullptr; }
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;
    ~Buffer() { cudaFree(p_); }
    T *get() const { return p_; }
    size_t size() const { return n_; }
    void write(const std::vector<T> &v)
    {
        require(cudaMemcpy(p_, v.data(), n_ * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy", __LINE__);
    }
    std::vector<T> read() const
    {
        std::vector<T> v(n_);
        require(cudaMemcpy(v.data(), p_, n_ * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy", __LINE__);
        return v;
    }
    void fill(int byte) { require(cudaMemset(p_, byte, n_ * sizeof(T)), "cudaMemset", __LINE__); }
};

inline int blocks_for(long n, int block)
{
    return (int)((n + block - 1) / block);
}

} // namespace app

#define GPU(call) app::require((call), #call, __LINE__)
#define GPU_DONE() (app::require(cudaGetLastError(), "launch", __LINE__), GPU(cudaDeviceSynchronize()))

#endif
