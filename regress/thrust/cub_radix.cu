// CUB: radix sort of every key type, in both orders, of keys and of pairs. KEYS selects the types: 0 those of make
// test.
#include <cub/cub.cuh>

#include "cub_call.h"
#include "suite.h"

#ifndef KEYS
#define KEYS 0
#endif

template <class T> struct less {
    bool operator()(const std::pair<T, int> &a, const std::pair<T, int> &b) const { return a.first < b.first; }
};

template <class T> struct greater {
    bool operator()(const std::pair<T, int> &a, const std::pair<T, int> &b) const { return a.first > b.first; }
};

// The pairs' values are the positions, so an unstable sort shows.
template <class T> static void sort(const char *type) {
    const int n = 2777;
    std::vector<T> h = draws<T>(n, 51);
    std::vector<std::pair<T, int>> up;
    for (int i = 0; i < n; i++) {
        if (i % 5 == 0 && i)
            h[i] = h[i / 2];
        up.push_back({h[i], i});
    }
    std::vector<std::pair<T, int>> down = up;
    std::stable_sort(up.begin(), up.end(), less<T>());
    std::stable_sort(down.begin(), down.end(), greater<T>());
    std::vector<int> positions(n);
    std::iota(positions.begin(), positions.end(), 0);
    Device<T> in(n), out(n);
    T *plain = (T *)malloc(n * sizeof(T));
    std::copy(h.begin(), h.end(), plain);
    must(cudaMemcpy(in.p, plain, n * sizeof(T), cudaMemcpyHostToDevice));
    Device<int> values(positions), moved(n);
    run([&](void *t, size_t &b) { return cub::DeviceRadixSort::SortPairs(t, b, in.p, out.p, values.p, moved.p, n); });
    must(cudaMemcpy(plain, out.p, n * sizeof(T), cudaMemcpyDeviceToHost));
    std::vector<int> order = moved.host();
    bool same = true;
    for (int i = 0; i < n; i++)
        same = same && plain[i] == up[i].first && order[i] == up[i].second;
    report(std::string("DeviceRadixSort::SortPairs ") + type, same);
    run([&](void *t, size_t &b) { return cub::DeviceRadixSort::SortKeysDescending(t, b, in.p, out.p, n); });
    must(cudaMemcpy(plain, out.p, n * sizeof(T), cudaMemcpyDeviceToHost));
    same = true;
    for (int i = 0; i < n; i++)
        same = same && plain[i] == down[i].first;
    report(std::string("DeviceRadixSort::SortKeysDescending ") + type, same);
    free(plain);
}

int main() {
#if KEYS == 0
    sort<float>("float");
    sort<unsigned char>("unsigned char");
#elif KEYS == 1
    sort<bool>("bool");
    sort<char>("char");
    sort<signed char>("signed char");
    sort<short>("short");
    sort<unsigned short>("unsigned short");
#else
    sort<int>("int");
    sort<unsigned>("unsigned");
    sort<long>("long");
    sort<unsigned long long>("unsigned long long");
    sort<double>("double");
#endif
    return suite_end("cub_radix");
}
