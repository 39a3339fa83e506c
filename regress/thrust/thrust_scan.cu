// Thrust: scans, reductions, selection, movement.
#include <thrust/adjacent_difference.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/find.h>
#include <thrust/gather.h>
#include <thrust/inner_product.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

#include "suite.h"

typedef thrust::device_vector<int> ints;

static std::vector<int> host(const ints &d) {
    std::vector<int> h(d.size());
    thrust::copy(d.begin(), d.end(), h.begin());
    return h;
}

static std::vector<int> host(const ints &d, ints::const_iterator end) {
    std::vector<int> h(end - d.begin());
    thrust::copy(d.begin(), end, h.begin());
    return h;
}

struct even {
    __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};

struct square {
    __host__ __device__ long long operator()(int x) const { return (long long)x * x; }
};

static void scans(const std::vector<int> &h, const ints &d) {
    std::vector<int> expected(h.size());
    ints out(h.size());
    thrust::inclusive_scan(d.begin(), d.end(), out.begin());
    std::partial_sum(h.begin(), h.end(), expected.begin());
    report("inclusive_scan", host(out) == expected);
    thrust::exclusive_scan(d.begin(), d.end(), out.begin(), 17);
    for (size_t i = 0, sum = 17; i < h.size(); sum += h[i], i++)
        expected[i] = (int)sum;
    report("exclusive_scan", host(out) == expected);
    thrust::inclusive_scan(d.begin(), d.end(), out.begin(), thrust::maximum<int>());
    std::partial_sum(h.begin(), h.end(), expected.begin(), [](int a, int b) { return std::max(a, b); });
    report("inclusive_scan, maximum", host(out) == expected);
    std::vector<int> keys = small_ints(h.size(), 3, 12);
    ints k(keys.begin(), keys.end());
    thrust::inclusive_scan_by_key(k.begin(), k.end(), d.begin(), out.begin());
    for (size_t i = 0; i < h.size(); i++)
        expected[i] = h[i] + (i && keys[i] == keys[i - 1] ? expected[i - 1] : 0);
    report("inclusive_scan_by_key", host(out) == expected);
    thrust::adjacent_difference(d.begin(), d.end(), out.begin());
    std::adjacent_difference(h.begin(), h.end(), expected.begin());
    report("adjacent_difference", host(out) == expected);
}

static void reductions(const std::vector<int> &h, const ints &d) {
    report("reduce", thrust::reduce(d.begin(), d.end(), 5) == std::accumulate(h.begin(), h.end(), 5));
    long long squares = 0;
    for (int x : h)
        squares += (long long)x * x;
    report("transform_reduce", thrust::transform_reduce(d.begin(), d.end(), square(), 0ll, thrust::plus<long long>()) ==
                                   squares);
    std::vector<int> other = small_ints(h.size(), 100, 13);
    ints o(other.begin(), other.end());
    report("inner_product", thrust::inner_product(d.begin(), d.end(), o.begin(), 3) ==
                                std::inner_product(h.begin(), h.end(), other.begin(), 3));
    report("count", thrust::count(d.begin(), d.end(), 7) == std::count(h.begin(), h.end(), 7));
    report("count_if", thrust::count_if(d.begin(), d.end(), even()) == std::count_if(h.begin(), h.end(), even()));
    report("find", thrust::find(d.begin(), d.end(), 93) - d.begin() == std::find(h.begin(), h.end(), 93) - h.begin());
    std::vector<int> keys = small_ints(h.size(), 4, 14), ek, ev;
    ints k(keys.begin(), keys.end()), rk(h.size()), rv(h.size());
    auto ends = thrust::reduce_by_key(k.begin(), k.end(), d.begin(), rk.begin(), rv.begin());
    for (size_t i = 0; i < h.size(); i++) {
        if (i && keys[i] == keys[i - 1]) {
            ev.back() += h[i];
        } else {
            ek.push_back(keys[i]);
            ev.push_back(h[i]);
        }
    }
    report("reduce_by_key", host(rk, ends.first) == ek && host(rv, ends.second) == ev);
}

static void selections(const std::vector<int> &h, const ints &d) {
    std::vector<int> expected;
    ints out(h.size()), rest(h.size());
    ints::iterator end = thrust::copy_if(d.begin(), d.end(), out.begin(), even());
    std::copy_if(h.begin(), h.end(), std::back_inserter(expected), even());
    report("copy_if", host(out, end) == expected);
    out = d;
    end = thrust::remove_if(out.begin(), out.end(), even());
    expected = h;
    expected.erase(std::remove_if(expected.begin(), expected.end(), even()), expected.end());
    report("remove_if", host(out, end) == expected);
    out = d;
    end = thrust::stable_partition(out.begin(), out.end(), even());
    expected = h;
    size_t split = std::stable_partition(expected.begin(), expected.end(), even()) - expected.begin();
    report("stable_partition", host(out) == expected && (size_t)(end - out.begin()) == split);
    std::vector<int> repeated = small_ints(h.size(), 3, 15), values = h, seen;
    ints r(repeated.begin(), repeated.end()), v(d);
    expected.clear();
    for (size_t i = 0; i < h.size(); i++)
        if (!i || repeated[i] != repeated[i - 1]) {
            seen.push_back(repeated[i]);
            expected.push_back(values[i]);
        }
    auto ends = thrust::unique_by_key(r.begin(), r.end(), v.begin());
    report("unique_by_key", host(r, ends.first) == seen && host(v, ends.second) == expected);
    r.assign(repeated.begin(), repeated.end());
    report("unique", host(r, thrust::unique(r.begin(), r.end())) == seen);
}

static void movement(const std::vector<int> &h, const ints &d) {
    std::vector<int> map(h.size()), expected(h.size());
    std::iota(map.begin(), map.end(), 0);
    Draws order(16);
    for (size_t i = map.size() - 1; i > 0; i--)
        std::swap(map[i], map[order.below((uint32_t)i + 1)]);
    ints m(map.begin(), map.end()), out(h.size());
    thrust::gather(m.begin(), m.end(), d.begin(), out.begin());
    for (size_t i = 0; i < h.size(); i++)
        expected[i] = h[map[i]];
    report("gather", host(out) == expected);
    thrust::scatter(d.begin(), d.end(), m.begin(), out.begin());
    for (size_t i = 0; i < h.size(); i++)
        expected[map[i]] = h[i];
    report("scatter", host(out) == expected);
}

int main() {
    std::vector<int> h = small_ints(4321, 100, 11);
    ints d(h.begin(), h.end());
    scans(h, d);
    reductions(h, d);
    selections(h, d);
    movement(h, d);
    return suite_end("thrust_scan");
}
