// C++ on the device: templates over types and values, functors, lambdas with and without captures, variadic
// templates, operator overloading, constexpr, static dispatch, and a small fixed-size matrix class. Each
// result is compared with the same expression evaluated by the host's compiler on exact integers, or with a
// closed form.
#define PROGRAM "templates"
#include "../check.h"

template <typename T, typename Operation>
__global__ void transform(const T *in, T *out, int n, Operation operation) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        out[i] = operation(in[i]);
    }
}

template <typename T, int BLOCK, typename Combine>
__global__ void fold(const T *in, T *out, int n, T neutral, Combine combine) {
    __shared__ T partial[BLOCK];
    T sum = neutral;
    for (int i = threadIdx.x; i < n; i += BLOCK) {
        sum = combine(sum, in[i]);
    }
    partial[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < BLOCK; i++) {
            sum = combine(sum, partial[i]);
        }
        *out = sum;
    }
}

template <typename T>
struct Polynomial {
    T a, b, c;
    __host__ __device__ T operator()(T x) const { return (a * x + b) * x + c; }
};

struct Maximum {
    template <typename T>
    __host__ __device__ T operator()(const T &a, const T &b) const {
        return a > b ? a : b;
    }
};

// A power known while compiling: the recursion is over the template's value.
template <unsigned N>
struct Power {
    template <typename T>
    __host__ __device__ static constexpr T of(T x) {
        return N % 2 ? x * Power<N / 2>::of(x * x) : Power<N / 2>::of(x * x);
    }
};

template <>
struct Power<0> {
    template <typename T>
    __host__ __device__ static constexpr T of(T) {
        return T(1);
    }
};

template <typename T>
__host__ __device__ constexpr T sum_of(T only) {
    return only;
}

template <typename T, typename... Rest>
__host__ __device__ constexpr T sum_of(T first, Rest... rest) {
    return first + sum_of<T>(rest...);
}

template <typename T, int N>
struct Matrix {
    T at[N][N];

    __host__ __device__ Matrix operator*(const Matrix &other) const {
        Matrix product;
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++) {
                T sum = T();
                for (int k = 0; k < N; k++) {
                    sum += at[i][k] * other.at[k][j];
                }
                product.at[i][j] = sum;
            }
        }
        return product;
    }

    __host__ __device__ static Matrix identity() {
        Matrix one = {};
        for (int i = 0; i < N; i++) {
            one.at[i][i] = T(1);
        }
        return one;
    }
};

// Fibonacci numbers are the powers of [[1, 1], [1, 0]].
__global__ void fibonacci(unsigned long long *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    Matrix<unsigned long long, 2> base = {{{1, 1}, {1, 0}}},
                                  power = Matrix<unsigned long long, 2>::identity();
    for (int exponent = i; exponent > 0; exponent /= 2) {
        if (exponent % 2) {
            power = power * base;
        }
        base = base * base;
    }
    out[i] = power.at[0][1];
}

template <typename T, typename Operation>
static void check_transform(const char *what, const std::vector<T> &input, Operation operation,
                            const std::vector<T> &expected) {
    T *in = to_device(input), *out = device_zeros<T>(input.size());
    transform<<<7, 96>>>(in, out, (int)input.size(), operation);
    CHECK_KERNEL();
    expect_same(what, expected, to_host(out, input.size()));
}

int main(int argc, char **argv) {
    int n = size_argument(argc, argv, 3000, 1, 1 << 22);
    Lcg random(25);
    std::vector<long long> numbers(n), polynomial(n), power(n), shifted(n), summed(n);
    std::vector<short> small(n), halved(n);
    long long largest = INT64_MIN, total = 0, offset = 12345, scale = -7;
    for (int i = 0; i < n; i++) {
        long long x = (long long)random.below(2000) - 1000;
        numbers[i] = x;
        small[i] = (short)x;
        halved[i] = (short)(x / 2);
        polynomial[i] = 3 * x * x - 5 * x + 11;
        power[i] = x * x * x * x * x;
        shifted[i] = x * scale + offset;
        summed[i] = x + 1 + x + 2 + 3;
        largest = x > largest ? x : largest;
        total += x;
    }
    check_transform("functor", numbers, Polynomial<long long>{3, -5, 11}, polynomial);
    check_transform(
        "compile-time power", numbers, [] __device__(long long x) { return Power<5>::of(x); }, power);
    check_transform(
        "capturing lambda", numbers, [=] __device__(long long x) { return x * scale + offset; }, shifted);
    check_transform(
        "variadic sum", numbers, [] __device__(long long x) { return sum_of<long long>(x, 1, x, 2, 3); },
        summed);
    check_transform(
        "16-bit elements", small, [] __device__(short x) { return (short)(x / 2); }, halved);

    long long *in = to_device(numbers), *out = device_zeros<long long>(1);
    fold<long long, 128><<<1, 128>>>(in, out, n, (long long)INT64_MIN, Maximum());
    CHECK_KERNEL();
    expect_equal("maximum", 0, largest, to_host(out, 1)[0]);
    fold<long long, 64>
        <<<1, 64>>>(in, out, n, 0LL, [] __device__(long long a, long long b) { return a + b; });
    CHECK_KERNEL();
    expect_equal("sum", 0, total, to_host(out, 1)[0]);

    const int terms = 90;
    unsigned long long *fib = device_zeros<unsigned long long>(terms);
    fibonacci<<<2, 64>>>(fib, terms);
    CHECK_KERNEL();
    std::vector<unsigned long long> got = to_host(fib, terms);
    unsigned long long a = 0, b = 1;
    for (int i = 0; i < terms; i++) {
        expect_equal("Fibonacci number", i, a, got[i]);
        unsigned long long next = a + b;
        a = b;
        b = next;
    }
    return pass();
}
