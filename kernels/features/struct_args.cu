// Kernel arguments by value: every scalar type between others that force padding, structs nested in structs,
// arrays, bit-fields, empty and one-byte structs, over-aligned members, pointers inside, and one of several
// kilobytes indexed at run time. The kernel writes each field out; the host compares with what it passed in.
#define PROGRAM "struct_args"
#include "../check.h"

struct Inner {
    char tag;
    double weight;
    short pair[2];
};

struct Outer {
    bool flag;
    Inner inners[3];
    float *target;
    long long wide;
    unsigned low : 5, high : 20;
    int : 0;
    signed char last;
};

struct Empty {};

struct Tiny {
    unsigned char value;
};

struct __align__(16) Aligned {
    float x, y, z;
};

struct Large {
    int header;
    int items[700];
    double tail;
};

struct Derived : Inner {
    Aligned aligned;
    Tiny tiny;
};

static const int FIELDS = 30;

__global__ void scalars(char a, short b, char c, int d, bool e, long long f, unsigned char g, float h,
                        double i, unsigned short j, unsigned long long k, double *out) {
    const double values[] = {(double)a, (double)b, (double)c, (double)d, (double)e, (double)f,
                             (double)g, (double)h, i,         (double)j, (double)k};
    for (int n = 0; n < 11; n++) {
        out[n] = values[n];
    }
}

__global__ void structures(Tiny tiny, Outer outer, Empty, Aligned aligned, Derived derived, float3 three,
                           double *out) {
    int n = 0;
    out[n++] = tiny.value;
    out[n++] = outer.flag;
    for (const Inner &inner : outer.inners) {
        out[n++] = inner.tag;
        out[n++] = inner.weight;
        out[n++] = inner.pair[0] * 1000 + inner.pair[1];
    }
    *outer.target = 2.5f;
    out[n++] = (double)outer.wide;
    out[n++] = outer.low;
    out[n++] = outer.high;
    out[n++] = outer.last;
    out[n++] = aligned.x + 10 * aligned.y + 100 * aligned.z;
    out[n++] = derived.weight;
    out[n++] = derived.aligned.z;
    out[n++] = derived.tiny.value;
    out[n++] = three.x + 10 * three.y + 100 * three.z;
    out[n++] = sizeof(Outer);
    out[n++] = sizeof(Derived);
    out[n++] = sizeof(Large);
    out[n++] = alignof(Aligned);
}

// Indexing a parameter at run time needs its address; a change must not be visible to other threads or launches.
__global__ void large(Large large, int *items, double *tail) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    large.items[i] += large.header;
    large.items[(i + 1) % 700] = -1;
    items[i] = large.items[i];
    if (i == 0) {
        *tail = large.tail;
    }
}

template <typename T>
__global__ void pass_through(T value, T *out) {
    *out = value;
}

template <typename T>
static void check_pass_through(const char *what, T value) {
    T *out = device_zeros<T>(1);
    pass_through<<<1, 1>>>(value, out);
    CHECK_KERNEL();
    T got;
    CHECK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
    expect_true(what, 0, got == value);
    CHECK(cudaFree(out));
}

int main() {
    double *out = device_zeros<double>(FIELDS);
    scalars<<<1, 1>>>('q', -321, -7, 123456789, true, -1234567890123ll, 250, 0.375f, -1e200, 65000,
                      1ull << 60, out);
    CHECK_KERNEL();
    std::vector<double> got = to_host(out, FIELDS);
    const double scalar_values[] = {
        'q', -321, -7, 123456789, 1, -1234567890123.0, 250, 0.375, -1e200, 65000, 1152921504606846976.0};
    for (int i = 0; i < 11; i++) {
        expect_equal("scalar argument", i, scalar_values[i], got[i]);
    }

    float *target = device_zeros<float>(1);
    Outer outer = {};
    outer.flag = true;
    for (int i = 0; i < 3; i++) {
        outer.inners[i] = {(char)('x' + i), 1.5 * i - 1.0, {(short)(i + 1), (short)-i}};
    }
    outer.target = target;
    outer.wide = -(1ll << 50);
    outer.low = 21;
    outer.high = 777777;
    outer.last = -100;
    Aligned aligned = {1.0f, 2.0f, 3.0f};
    Derived derived = {};
    derived.weight = 0.0625;
    derived.aligned.z = -9.0f;
    derived.tiny.value = 99;
    structures<<<1, 1>>>(Tiny{200}, outer, Empty(), aligned, derived, make_float3(4.0f, 5.0f, 6.0f), out);
    CHECK_KERNEL();
    got = to_host(out, FIELDS);
    std::vector<double> expected = {200, 1};
    for (int i = 0; i < 3; i++) {
        expected.push_back('x' + i);
        expected.push_back(1.5 * i - 1.0);
        expected.push_back((i + 1) * 1000 - i);
    }
    const double rest[] = {-1125899906842624.0,
                           21,
                           777777,
                           -100,
                           321,
                           0.0625,
                           -9,
                           99,
                           654,
                           (double)sizeof(Outer),
                           (double)sizeof(Derived),
                           (double)sizeof(Large),
                           (double)alignof(Aligned)};
    expected.insert(expected.end(), rest, rest + sizeof rest / sizeof *rest);
    for (size_t i = 0; i < expected.size(); i++) {
        expect_equal("structure field", (long)i, expected[i], got[i]);
    }
    expect_equal("pointer inside a structure", 0, 2.5f, to_host(target, 1)[0]);

    Large big;
    big.header = 1000000;
    big.tail = 3.25;
    for (int i = 0; i < 700; i++) {
        big.items[i] = i * i;
    }
    int *items = device_zeros<int>(700);
    double *tail = device_zeros<double>(1);
    for (int launch = 0; launch < 2; launch++) {
        large<<<14, 50>>>(big, items, tail);
        CHECK_KERNEL();
        std::vector<int> items_got = to_host(items, 700);
        for (int i = 0; i < 700; i++) {
            expect_equal("large structure", i, i * i + 1000000, items_got[i]);
        }
        expect_equal("tail of the large structure", launch, 3.25, to_host(tail, 1)[0]);
    }

    check_pass_through<char>("char", 'z');
    check_pass_through<short>("short", -12345);
    check_pass_through<int>("int", INT32_MIN);
    check_pass_through<long long>("long long", INT64_MIN);
    check_pass_through<unsigned long>("unsigned long", ~0ul);
    check_pass_through<float>("float", 1e-40f);
    check_pass_through<double>("double", 4.9e-324);
    check_pass_through<bool>("bool", true);
    check_pass_through<void *>("pointer", (void *)0x123456789abcull);
    return pass();
}
