// Thrust: fancy iterators, transformations, sequences, complex numbers, random numbers, universal vectors, policies,
// futures.
#include <thrust/async/reduce.h>
#include <thrust/async/transform.h>
#include <thrust/complex.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/for_each.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/logical.h>
#include <thrust/random.h>
#include <thrust/reduce.h>
#include <thrust/replace.h>
#include <thrust/reverse.h>
#include <thrust/sequence.h>
#include <thrust/tabulate.h>
#include <thrust/transform.h>
#include <thrust/universal_vector.h>

#include "suite.h"

typedef thrust::device_vector<int> ints;

struct triple {
    __host__ __device__ int operator()(int x) const { return 3 * x; }
};

struct product {
    template <class Tuple> __host__ __device__ int operator()(Tuple t) const {
        return thrust::get<0>(t) * thrust::get<1>(t);
    }
};

struct minstd {
    __host__ __device__ unsigned operator()(int n) const {
        thrust::minstd_rand r;
        r.discard((unsigned long long)n);
        return r();
    }
};

struct less_than {
    int limit;
    __host__ __device__ bool operator()(int x) const { return x < limit; }
};

static bool equals(const ints &d, const std::vector<int> &h) {
    return d.size() == h.size() && thrust::equal(d.begin(), d.end(), ints(h.begin(), h.end()).begin());
}

int main() {
    const int n = 1777;
    std::vector<int> h = small_ints(n, 1000, 21), g = small_ints(n, 1000, 22), expected(n);
    ints d(h.begin(), h.end()), e(g.begin(), g.end()), out(n);
    thrust::counting_iterator<int> first(0);

    report("counting_iterator", thrust::reduce(first, first + n) == n * (n - 1) / 2);
    long long sum = 0;
    for (int x : h)
        sum += 3 * x;
    report("transform_iterator", thrust::reduce(thrust::make_transform_iterator(d.begin(), triple()),
                                                thrust::make_transform_iterator(d.end(), triple())) == (int)sum);
    auto zipped = thrust::make_zip_iterator(thrust::make_tuple(d.begin(), e.begin()));
    thrust::transform(zipped, zipped + n, out.begin(), product());
    for (int i = 0; i < n; i++)
        expected[i] = h[i] * g[i];
    report("zip_iterator", equals(out, expected));
    ints order(n);
    thrust::sequence(order.begin(), order.end(), n - 1, -1);
    auto permuted = thrust::make_permutation_iterator(d.begin(), order.begin());
    thrust::copy(permuted, permuted + n, out.begin());
    expected.assign(h.rbegin(), h.rend());
    report("permutation_iterator and sequence", equals(out, expected));
    thrust::copy(thrust::make_reverse_iterator(d.end()), thrust::make_reverse_iterator(d.begin()), out.begin());
    report("reverse_iterator", equals(out, expected));
    thrust::reverse(out.begin(), out.end());
    report("reverse", equals(out, h));
    thrust::transform(d.begin(), d.end(), thrust::constant_iterator<int>(10), out.begin(), thrust::plus<int>());
    for (int i = 0; i < n; i++)
        expected[i] = h[i] + 10;
    report("constant_iterator", equals(out, expected));
    ints values(n);
    auto ends = thrust::reduce_by_key(thrust::constant_iterator<int>(1), thrust::constant_iterator<int>(1) + n,
                                      d.begin(), thrust::make_discard_iterator(), values.begin());
    report("discard_iterator",
           ends.second - values.begin() == 1 && values[0] == std::accumulate(h.begin(), h.end(), 0));
    thrust::fill(out.begin(), out.end(), 4);
    thrust::tabulate(out.begin(), out.begin() + 100, triple());
    for (int i = 0; i < n; i++)
        expected[i] = i < 100 ? 3 * i : 4;
    report("fill and tabulate", equals(out, expected));
    out = d;
    thrust::replace_if(out.begin(), out.end(), less_than{500}, -1);
    expected = h;
    std::replace_if(expected.begin(), expected.end(), less_than{500}, -1);
    report("replace_if", equals(out, expected));
    report("all_of, any_of, none_of", thrust::all_of(d.begin(), d.end(), less_than{1000}) &&
                                          !thrust::any_of(d.begin(), d.end(), less_than{0}) &&
                                          thrust::none_of(d.begin(), d.end(), less_than{0}));
    auto both = thrust::minmax_element(d.begin(), d.end());
    auto host_both = std::minmax_element(h.begin(), h.end());
    report("minmax_element", *both.first == *host_both.first && *both.second == *host_both.second);

    thrust::device_vector<unsigned> random(200);
    thrust::transform(first, first + 200, random.begin(), minstd());
    unsigned long long state = 1;
    bool same = true;
    for (int i = 0; i < 200; i++) {
        state = state * 48271 % 2147483647;
        same = same && random[i] == state;
    }
    report("minstd_rand with discard", same);
    thrust::device_vector<thrust::complex<double>> z(64, thrust::complex<double>(1, 2));
    thrust::complex<double> total = thrust::reduce(z.begin(), z.end(), thrust::complex<double>(0, 0));
    report("complex", total.real() == 64 && total.imag() == 128);
    thrust::universal_vector<int> u(50, 3);
    thrust::for_each(thrust::device, u.begin(), u.end(), [] __device__(int &x) { x *= 7; });
    cudaDeviceSynchronize();
    report("universal_vector, for_each with a lambda", u[49] == 21);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    int on_stream = thrust::reduce(thrust::cuda::par.on(stream), d.begin(), d.end());
    report("policy of a stream", on_stream == std::accumulate(h.begin(), h.end(), 0));
    cudaStreamDestroy(stream);
    auto tripled = thrust::async::transform(d.begin(), d.end(), out.begin(), triple());
    auto largest = thrust::async::reduce(thrust::device.after(tripled), out.begin(), out.end(), 0,
                                         thrust::maximum<int>());
    report("futures", largest.extract() == 3 * *std::max_element(h.begin(), h.end()));
    return suite_end("thrust_iterators");
}
