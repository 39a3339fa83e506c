// Checks of libraries on the device against the host's standard library: each case prints its name when it differs, the
// program ends with the line "NAME: N passed, N failed".
#ifndef REGRESS_THRUST_SUITE_H
#define REGRESS_THRUST_SUITE_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

static int suite_passed, suite_failed;

static void report(const std::string &name, bool right) {
    (right ? suite_passed : suite_failed)++;
    if (!right)
        printf("FAILED: %s\n", name.c_str());
}

static int suite_end(const char *program) {
    cudaError_t e = cudaDeviceSynchronize();
    report(std::string("no error at the end: ") + cudaGetErrorString(e), e == cudaSuccess);
    printf("%s: %d passed, %d failed\n", program, suite_passed, suite_failed);
    return suite_failed != 0;
}

// A 64-bit linear congruential generator (Knuth's MMIX constants).
struct Draws {
    uint64_t state;
    explicit Draws(uint64_t seed) : state(seed) {}
    uint64_t next() {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        return state >> 24 ^ state << 40;
    }
    uint32_t below(uint32_t limit) { return (uint32_t)(next() % limit); }
};

// Random bits as T; no NaN, whose order the standard library does not define, and one zero, because sorts of bits and
// of values order -0 and 0 differently.
template <class T> static T draw(Draws &d) {
    for (;;) {
        uint64_t bits = d.next();
        T value;
        memcpy(&value, &bits, sizeof value);
        if (value == value && !(value == T(0)))
            return value;
    }
}

template <> bool draw<bool>(Draws &d) {
    return d.below(2);
}

template <class T> static std::vector<T> draws(size_t n, uint64_t seed) {
    Draws d(seed);
    std::vector<T> v(n);
    for (size_t i = 0; i < n; i++)
        v[i] = draw<T>(d);
    return v;
}

static std::vector<int> small_ints(size_t n, int limit, uint64_t seed) {
    Draws d(seed);
    std::vector<int> v(n);
    for (int &x : v)
        x = (int)d.below((uint32_t)limit);
    return v;
}

#endif
