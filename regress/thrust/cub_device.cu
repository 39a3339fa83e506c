// CUB: device-wide algorithms.
#include <cub/cub.cuh>

#include "cub_call.h"
#include "suite.h"

struct even {
    __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};

static std::vector<int> keys, other;

static void selections() {
    int n = (int)keys.size(), count = 0;
    Device<int> in(keys), out(n), number(1);
    std::vector<char> flag_values(n);
    std::vector<int> expected;
    for (int i = 0; i < n; i++)
        flag_values[i] = other[i] % 3 == 0;
    Device<char> flags(flag_values);
    run([&](void *t, size_t &b) { return cub::DeviceSelect::Flagged(t, b, in.p, flags.p, out.p, number.p, n); });
    for (int i = 0; i < n; i++)
        if (flag_values[i])
            expected.push_back(keys[i]);
    count = number.host()[0];
    report("DeviceSelect::Flagged", count == (int)expected.size() && out.host(count) == expected);
    run([&](void *t, size_t &b) { return cub::DeviceSelect::If(t, b, in.p, out.p, number.p, n, even()); });
    expected.clear();
    std::copy_if(keys.begin(), keys.end(), std::back_inserter(expected), even());
    count = number.host()[0];
    report("DeviceSelect::If", count == (int)expected.size() && out.host(count) == expected);
    run([&](void *t, size_t &b) { return cub::DevicePartition::If(t, b, in.p, out.p, number.p, n, even()); });
    std::vector<int> rest, all = expected; // those not selected follow in reverse order
    std::remove_copy_if(keys.begin(), keys.end(), std::back_inserter(rest), even());
    all.insert(all.end(), rest.rbegin(), rest.rend());
    report("DevicePartition::If", number.host()[0] == (int)expected.size() && out.host() == all);
}

static void runs() {
    std::vector<int> h = small_ints(keys.size(), 3, 33), values, lengths;
    int n = (int)h.size();
    Device<int> in(h), unique(n), length(n), number(1);
    for (int i = 0; i < n; i++) {
        if (i && h[i] == h[i - 1]) {
            lengths.back()++;
        } else {
            values.push_back(h[i]);
            lengths.push_back(1);
        }
    }
    run([&](void *t, size_t &b) {
        return cub::DeviceRunLengthEncode::Encode(t, b, in.p, unique.p, length.p, number.p, n);
    });
    int count = number.host()[0];
    report("DeviceRunLengthEncode", count == (int)values.size() && unique.host(count) == values &&
                                        length.host(count) == lengths);
}

static void histograms() {
    int n = (int)keys.size();
    std::vector<float> samples(n);
    std::vector<int> expected(10), bounds = {0, 3, 10, 50, 90, 1000};
    for (int i = 0; i < n; i++)
        samples[i] = (float)(keys[i] % 100) + 0.5f;
    Device<float> in(samples);
    Device<int> counts(10), limits(bounds), ints(keys);
    run([&](void *t, size_t &b) {
        return cub::DeviceHistogram::HistogramEven(t, b, in.p, counts.p, 11, 0.0f, 100.0f, n);
    });
    for (float x : samples)
        expected[(int)(x / 10)]++;
    report("DeviceHistogram::HistogramEven", counts.host() == expected);
    run([&](void *t, size_t &b) {
        return cub::DeviceHistogram::HistogramRange(t, b, ints.p, counts.p, 6, limits.p, n);
    });
    expected.assign(5, 0);
    for (int x : keys)
        for (int i = 0; i < 5; i++)
            expected[i] += x >= bounds[i] && x < bounds[i + 1];
    report("DeviceHistogram::HistogramRange", counts.host(5) == expected);
}

static void segments() {
    int n = (int)keys.size(), parts = 40;
    std::vector<int> bounds(1, 0), sums(parts, 0), sorted = keys;
    for (int i = 1; i < parts; i++)
        bounds.push_back(i * i * n / parts / parts);
    bounds.push_back(n);
    for (int i = 0; i < parts; i++) {
        sums[i] = std::accumulate(keys.begin() + bounds[i], keys.begin() + bounds[i + 1], 0);
        std::sort(sorted.begin() + bounds[i], sorted.begin() + bounds[i + 1]);
    }
    Device<int> in(keys), out(n), edges(bounds), totals(parts);
    run([&](void *t, size_t &b) {
        return cub::DeviceSegmentedReduce::Sum(t, b, in.p, totals.p, parts, edges.p, edges.p + 1);
    });
    report("DeviceSegmentedReduce", totals.host() == sums);
    run([&](void *t, size_t &b) {
        return cub::DeviceSegmentedRadixSort::SortKeys(t, b, in.p, out.p, n, parts, edges.p, edges.p + 1);
    });
    report("DeviceSegmentedRadixSort", out.host() == sorted);
    run([&](void *t, size_t &b) {
        return cub::DeviceSegmentedSort::SortKeys(t, b, in.p, out.p, n, parts, edges.p, edges.p + 1);
    });
    report("DeviceSegmentedSort", out.host() == sorted);
}

static void sums() {
    int n = (int)keys.size();
    std::vector<int> expected(n);
    Device<int> in(keys), out(n), total(1);
    run([&](void *t, size_t &b) { return cub::DeviceScan::ExclusiveSum(t, b, in.p, out.p, n); });
    for (int i = 1; i < n; i++)
        expected[i] = expected[i - 1] + keys[i - 1];
    report("DeviceScan::ExclusiveSum", out.host() == expected);
    run([&](void *t, size_t &b) { return cub::DeviceReduce::Max(t, b, in.p, total.p, n); });
    report("DeviceReduce::Max", total.host()[0] == *std::max_element(keys.begin(), keys.end()));
    Device<cub::KeyValuePair<int, int>> least(1);
    run([&](void *t, size_t &b) { return cub::DeviceReduce::ArgMin(t, b, in.p, least.p, n); });
    int at = (int)(std::min_element(keys.begin(), keys.end()) - keys.begin());
    report("DeviceReduce::ArgMin", least.host()[0].key == at && least.host()[0].value == keys[at]);
}

int main() {
    keys = small_ints(3333, 1000, 31);
    other = small_ints(3333, 1000, 32);
    selections();
    runs();
    histograms();
    segments();
    sums();
    return suite_end("cub_device");
}
