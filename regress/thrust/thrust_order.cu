// Thrust: sorting, searching, merging, set operations.
#include <thrust/binary_search.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/functional.h>
#include <thrust/merge.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>

#include "suite.h"

template <class T> static std::vector<T> host(const thrust::device_vector<T> &d) {
    std::vector<T> h(d.size());
    thrust::copy(d.begin(), d.end(), h.begin());
    return h;
}

template <class T> static void sort_keys(const char *type) {
    std::vector<T> h = draws<T>(3001, 7);
    thrust::device_vector<T> d(h.begin(), h.end());
    thrust::sort(d.begin(), d.end());
    std::sort(h.begin(), h.end());
    report(std::string("sort ") + type, host(d) == h);
}

struct by_tens {
    __host__ __device__ bool operator()(int a, int b) const { return a / 10 < b / 10; }
};

// A comparison that Thrust does not know, so it merges instead of sorting by radix.
static void sorts() {
    std::vector<int> keys = small_ints(2500, 500, 3), values(keys.size());
    std::iota(values.begin(), values.end(), 0);
    std::vector<std::pair<int, int>> pairs;
    for (size_t i = 0; i < keys.size(); i++)
        pairs.push_back({keys[i], values[i]});
    thrust::device_vector<int> k(keys.begin(), keys.end()), v(values.begin(), values.end());
    thrust::stable_sort_by_key(k.begin(), k.end(), v.begin(), by_tens());
    std::stable_sort(pairs.begin(), pairs.end(), [](const std::pair<int, int> &a, const std::pair<int, int> &b) {
        return a.first / 10 < b.first / 10;
    });
    bool same = true;
    for (size_t i = 0; i < pairs.size(); i++)
        same = same && k[i] == pairs[i].first && v[i] == pairs[i].second;
    report("stable_sort_by_key, own comparison", same);
    report("is_sorted", thrust::is_sorted(k.begin(), k.end(), by_tens()) && !thrust::is_sorted(v.begin(), v.end()));

    k.assign(keys.begin(), keys.end());
    v.assign(values.begin(), values.end());
    thrust::sort_by_key(k.begin(), k.end(), v.begin(), thrust::greater<int>());
    std::sort(keys.begin(), keys.end(), std::greater<int>());
    report("sort_by_key, descending", host(k) == keys);
}

static void sets() {
    std::vector<int> a = small_ints(700, 300, 5), b = small_ints(900, 300, 6);
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    thrust::device_vector<int> da(a.begin(), a.end()), db(b.begin(), b.end()), out(a.size() + b.size());
    std::vector<int> expected;
    auto check = [&](const char *name, thrust::device_vector<int>::iterator end) {
        std::vector<int> got(end - out.begin());
        thrust::copy(out.begin(), end, got.begin());
        report(name, got == expected);
        expected.clear();
    };
    std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected));
    check("merge", thrust::merge(da.begin(), da.end(), db.begin(), db.end(), out.begin()));
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected));
    check("set_union", thrust::set_union(da.begin(), da.end(), db.begin(), db.end(), out.begin()));
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected));
    check("set_intersection", thrust::set_intersection(da.begin(), da.end(), db.begin(), db.end(), out.begin()));
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected));
    check("set_difference", thrust::set_difference(da.begin(), da.end(), db.begin(), db.end(), out.begin()));
    std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected));
    check("set_symmetric_difference",
          thrust::set_symmetric_difference(da.begin(), da.end(), db.begin(), db.end(), out.begin()));
}

static void searches() {
    std::vector<int> sorted = small_ints(1000, 400, 8), keys = small_ints(300, 500, 9);
    std::sort(sorted.begin(), sorted.end());
    thrust::device_vector<int> s(sorted.begin(), sorted.end()), k(keys.begin(), keys.end()), at(keys.size());
    std::vector<int> expected(keys.size());
    thrust::lower_bound(s.begin(), s.end(), k.begin(), k.end(), at.begin());
    for (size_t i = 0; i < keys.size(); i++)
        expected[i] = (int)(std::lower_bound(sorted.begin(), sorted.end(), keys[i]) - sorted.begin());
    report("lower_bound of many", host(at) == expected);
    thrust::upper_bound(s.begin(), s.end(), k.begin(), k.end(), at.begin());
    for (size_t i = 0; i < keys.size(); i++)
        expected[i] = (int)(std::upper_bound(sorted.begin(), sorted.end(), keys[i]) - sorted.begin());
    report("upper_bound of many", host(at) == expected);
    std::vector<int> mixed = small_ints(1500, 1 << 30, 10);
    thrust::device_vector<int> m(mixed.begin(), mixed.end());
    report("min_element", thrust::min_element(m.begin(), m.end()) - m.begin() ==
                              std::min_element(mixed.begin(), mixed.end()) - mixed.begin());
    report("max_element", thrust::max_element(m.begin(), m.end()) - m.begin() ==
                              std::max_element(mixed.begin(), mixed.end()) - mixed.begin());
}

int main() {
    sort_keys<int>("int");
    sort_keys<double>("double");
    sorts();
    sets();
    searches();
    return suite_end("thrust_order");
}
