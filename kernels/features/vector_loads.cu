// Vector types in memory: loads and stores of 2 and 4 elements of 1, 2, 4 and 8 bytes, from global, shared,
// constant and local memory, through the read-only path and by reinterpreting scalar arrays, and arrays of
// structs that contain vectors. Sizes and alignments must be the same on host and device; data are exact
// integers.
#define PROGRAM "vector_loads"
#include "../check.h"

template <typename V>
struct Elements;

#define VECTOR_2(V, T)                                                                                       \
    template <>                                                                                              \
    struct Elements<V> {                                                                                     \
        typedef T type;                                                                                      \
        enum { COUNT = 2 };                                                                                  \
        __host__ __device__ static V turned(V v) { return make_##V((T)(v.y + (T)1), (T)(v.x + (T)2)); }      \
    };

#define VECTOR_4(V, T)                                                                                       \
    template <>                                                                                              \
    struct Elements<V> {                                                                                     \
        typedef T type;                                                                                      \
        enum { COUNT = 4 };                                                                                  \
        __host__ __device__ static V turned(V v) {                                                           \
            return make_##V((T)(v.w + (T)1), (T)(v.z + (T)2), (T)(v.y + (T)3), (T)(v.x + (T)4));             \
        }                                                                                                    \
    };

VECTOR_2(char2, signed char)
VECTOR_2(uchar2, unsigned char)
VECTOR_2(short2, short)
VECTOR_2(ushort2, unsigned short)
VECTOR_2(int2, int)
VECTOR_2(uint2, unsigned)
VECTOR_2(float2, float)
VECTOR_2(longlong2, long long)
VECTOR_2(ulonglong2, unsigned long long)
VECTOR_2(double2, double)
VECTOR_4(char4, signed char)
VECTOR_4(uchar4, unsigned char)
VECTOR_4(short4, short)
VECTOR_4(ushort4, unsigned short)
VECTOR_4(int4, int)
VECTOR_4(uint4, unsigned)
VECTOR_4(float4, float)
VECTOR_4(longlong4, long long)
VECTOR_4(double4, double)

static const int BLOCK = 64;

// Global to shared to a neighbour's registers and back to global, each step one vector access.
template <typename V>
__global__ void turn(const V *__restrict__ in, V *out, int n, unsigned *sizes) {
    __shared__ V tile[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    tile[threadIdx.x] = i < n ? in[i] : in[0];
    __syncthreads();
    V local[2] = {tile[threadIdx.x ^ 1], tile[threadIdx.x]};
    if (i < n) {
        out[i] = Elements<V>::turned(local[i % 3 == 0]);
    }
    if (i == 0) {
        sizes[0] = sizeof(V);
        sizes[1] = alignof(V);
    }
}

template <typename V>
static void check_vector(const char *name, int n) {
    typedef typename Elements<V>::type T;
    const int count = Elements<V>::COUNT;
    Lcg random(35);
    std::vector<V> in(n), expected(n);
    for (V &vector : in) {
        T parts[count];
        for (T &part : parts) {
            part = (T)random.below(100);
        }
        memcpy(&vector, parts, sizeof parts);
    }
    for (int i = 0; i < n; i++) {
        int block = i / BLOCK * BLOCK, other = block + ((i - block) ^ 1);
        V from = i % 3 == 0 ? in[i] : other < n ? in[other] : in[0];
        T parts[count], turned[count];
        memcpy(parts, &from, sizeof parts);
        for (int k = 0; k < count; k++) {
            turned[k] = (T)(parts[count - 1 - k] + (T)(k + 1));
        }
        memcpy(&expected[i], turned, sizeof turned);
    }
    V *in_device = to_device(in), *out = device_zeros<V>(n);
    unsigned *sizes = device_zeros<unsigned>(2);
    turn<V><<<blocks_for(n, BLOCK), BLOCK>>>(in_device, out, n, sizes);
    CHECK_KERNEL();
    std::vector<unsigned> got_sizes = to_host(sizes, 2);
    expect_equal(name, -2, (unsigned)sizeof(V), got_sizes[0]);
    expect_equal(name, -1, (unsigned)alignof(V), got_sizes[1]);
    std::vector<V> got = to_host(out, n);
    for (int i = 0; i < n; i++) {
        expect_true(name, i, memcmp(&expected[i], &got[i], sizeof(V)) == 0);
    }
    CHECK(cudaFree(in_device));
    CHECK(cudaFree(out));
    CHECK(cudaFree(sizes));
}

struct Particle {
    float4 position;
    float2 charge;
    char flag;
    int3 cell;
};

__constant__ float4 shifts[2];

__global__ void move_particles(Particle *particles, const int *raw, long long *sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    Particle p = particles[i];
    float4 shift = shifts[i % 2];
    p.position.x += shift.x;
    p.position.w *= shift.w;
    p.charge = make_float2(p.charge.y, p.charge.x);
    p.cell.z += p.flag;
    particles[i] = p;
    int4 four = __ldg(reinterpret_cast<const int4 *>(raw) + i);
    int2 two = reinterpret_cast<const int2 *>(raw)[2 * i + 1];
    sums[i] = (long long)four.x + 10 * four.y + 100 * two.x + 1000 * two.y;
}

static void check_structs(int n) {
    Lcg random(36);
    std::vector<Particle> particles(n);
    std::vector<int> raw(4 * n);
    for (int &value : raw) {
        value = (int)random.below(1000);
    }
    for (int i = 0; i < n; i++) {
        particles[i].position = make_float4((float)i, 2.0f, 3.0f, (float)random.below(50));
        particles[i].charge = make_float2((float)random.below(50), (float)random.below(50));
        particles[i].flag = (char)((int)random.below(100) - 50);
        particles[i].cell = make_int3(i, -i, 2 * i);
    }
    float4 host_shifts[2] = {make_float4(1.0f, 0.0f, 0.0f, 2.0f), make_float4(-3.0f, 0.0f, 0.0f, 0.5f)};
    CHECK(cudaMemcpyToSymbol(shifts, host_shifts, sizeof host_shifts));
    Particle *device = to_device(particles);
    long long *sums = device_zeros<long long>(n);
    move_particles<<<blocks_for(n, 96), 96>>>(device, to_device(raw), sums, n);
    CHECK_KERNEL();
    std::vector<Particle> got = to_host(device, n);
    std::vector<long long> got_sums = to_host(sums, n);
    for (int i = 0; i < n; i++) {
        const Particle &before = particles[i];
        expect_equal("position", i, before.position.x + (i % 2 ? -3.0f : 1.0f), got[i].position.x);
        expect_equal("untouched position", i, before.position.y + before.position.z,
                     got[i].position.y + got[i].position.z);
        expect_equal("weight", i, before.position.w * (i % 2 ? 0.5f : 2.0f), got[i].position.w);
        expect_equal("charges exchanged", i, before.charge.y * 100 + before.charge.x,
                     got[i].charge.x * 100 + got[i].charge.y);
        expect_equal("cell", i, before.cell.z + before.flag, got[i].cell.z);
        expect_equal("untouched cell", i, 0, got[i].cell.x + got[i].cell.y);
        const int *four = &raw[4 * i];
        expect_equal("reinterpreted loads", i, four[0] + 10LL * four[1] + 100LL * four[2] + 1000LL * four[3],
                     got_sums[i]);
    }
}

int main(int argc, char **argv) {
    int n = size_argument(argc, argv, 300, 1, 1 << 20);
    check_vector<char2>("char2", n);
    check_vector<uchar2>("uchar2", n);
    check_vector<short2>("short2", n);
    check_vector<ushort2>("ushort2", n);
    check_vector<int2>("int2", n);
    check_vector<uint2>("uint2", n);
    check_vector<float2>("float2", n);
    check_vector<longlong2>("longlong2", n);
    check_vector<ulonglong2>("ulonglong2", n);
    check_vector<double2>("double2", n);
    check_vector<char4>("char4", n);
    check_vector<uchar4>("uchar4", n);
    check_vector<short4>("short4", n);
    check_vector<ushort4>("ushort4", n);
    check_vector<int4>("int4", n);
    check_vector<uint4>("uint4", n);
    check_vector<float4>("float4", n);
    check_vector<longlong4>("longlong4", n);
    check_vector<double4>("double4", n);
    check_structs(n);
    return pass();
}
