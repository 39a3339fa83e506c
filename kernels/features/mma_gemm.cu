// A product of matrices as CUTLASS and flash attention write it: tiles copied with cp.async, fragments read with ldmatrix,
// products with mma.sync m16n8k16 of half and bfloat16. Also one product of every other type. Where the values are small
// integers the sums are exact; with random values the host repeats the order and roundings that the manual documents.
#define PROGRAM "mma_gemm"
#include "../check.h"

#include <cmath>
#include <cstring>

enum { M = 64, N = 64, K = 96, STEP = 16, ROW = STEP + 8 };

static __device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

// C = A B^T: A is M x K, B is N x K, both by rows. 4 warps, each 32 x 32 of C.
template <bool BF16>
__global__ void gemm(const unsigned short *a, const unsigned short *b, float *c) {
    __shared__ alignas(16) unsigned short tile_a[2][M][ROW], tile_b[2][N][ROW];
    int t = threadIdx.x, lane = t % 32, top = t / 64 * 32, left = t / 32 % 2 * 32;
    float sum[2][4][4] = {};
    auto fetch = [&](int k) {
        for (int i = t; i < M * STEP / 8 && k < K; i += 128) {
            int row = i / (STEP / 8), at = i % (STEP / 8) * 8;
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(&tile_a[k / STEP % 2][row][at])),
                         "l"(__cvta_generic_to_global(a + row * K + k + at)));
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(&tile_b[k / STEP % 2][row][at])),
                         "l"(__cvta_generic_to_global(b + row * K + k + at)));
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    fetch(0);
    for (int k = 0; k < K; k += STEP) {
        fetch(k + STEP);
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        for (int s = 0; s < STEP; s += 16) {
            unsigned fa[2][4], fb[4][2];
            for (int i = 0; i < 2; i++) {
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                             : "=r"(fa[i][0]), "=r"(fa[i][1]), "=r"(fa[i][2]), "=r"(fa[i][3])
                             : "r"(shared_address(&tile_a[k / STEP % 2][top + 16 * i + lane % 16][s + lane / 16 * 8])));
            }
            for (int j = 0; j < 4; j++) {
                asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                             : "=r"(fb[j][0]), "=r"(fb[j][1])
                             : "r"(shared_address(&tile_b[k / STEP % 2][left + 8 * j + lane % 8][s + lane / 8 % 2 * 8])));
            }
            for (int i = 0; i < 2; i++) {
                for (int j = 0; j < 4; j++) {
                    float *d = sum[i][j];
                    if (BF16) {
                        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
                                     "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                                     : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]), "r"(fb[j][0]),
                                       "r"(fb[j][1]));
                    } else {
                        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                                     "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                                     : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]), "r"(fb[j][0]),
                                       "r"(fb[j][1]));
                    }
                }
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 4; j++) {
            for (int e = 0; e < 4; e++) {
                int row = top + 16 * i + lane / 4 + e / 2 * 8, column = left + 8 * j + lane % 4 * 2 + e % 2;
                c[row * N + column] = sum[i][j][e];
            }
        }
    }
}

// The host's value of a half or bfloat16.
static float value(unsigned short v, bool bf16) {
    unsigned bits = (unsigned)v << 16;
    float f;
    std::memcpy(&f, &bits, sizeof f);
    if (bf16) {
        return f;
    }
    int exponent = v >> 10 & 31, fraction = v & 1023;
    f = exponent ? std::ldexp((float)(fraction + 1024), exponent - 25) : std::ldexp((float)fraction, -24);
    return v >> 15 ? -f : f;
}

// Finite values of moderate size: random sign and fraction, exponents near that of 1.
static unsigned short random_value(Lcg &random, bool bf16) {
    unsigned r = random.below(1 << 20);
    return bf16 ? (r & 1) << 15 | (120 + (r >> 1) % 12) << 7 | (r >> 5 & 127) : (r & 1) << 15 | (8 + (r >> 1) % 12) << 10 | (r >> 5 & 1023);
}

template <bool BF16>
static void check_gemm(const char *what) {
    Lcg random(5 + BF16);
    std::vector<unsigned short> a(M * K), b(N * K);
    for (auto &v : a) {
        v = random_value(random, BF16);
    }
    for (auto &v : b) {
        v = random_value(random, BF16);
    }
    float *c = device_zeros<float>(M * N);
    gemm<BF16><<<1, 128>>>(to_device(a), to_device(b), c);
    CHECK_KERNEL();
    auto got = to_host(c, M * N);
    for (int i = 0; i < M * N; i++) {
        float sum = 0;
        for (int k = 0; k < K; k++) {
            sum = std::fma(value(a[i / N * K + k], BF16), value(b[i % N * K + k], BF16), sum);
        }
        expect_equal(what, i, sum, got[i]);
    }
}

// One mma of each other type. Element (i, k) of A is a(i, k), of B b(k, j), small integers; the lanes' registers are
// made by the layouts of the PTX ISA, elements of `bits` bits, E = 32 / bits in a register.
__host__ __device__ static int a_of(int i, int k, int limit) { return (i * 7 + k * 3) % limit; }
__host__ __device__ static int b_of(int k, int j, int limit) { return (k * 5 + j * 11 + 1) % limit; }

__device__ static unsigned element(int v, int bits, bool real) {
    return real ? __float_as_uint((float)v) : (unsigned)v & (bits == 32 ? ~0u : (1u << bits) - 1);
}

__device__ static unsigned part_a(int r, int rows, int bits, int limit, bool real) {
    int lane = threadIdx.x, e = 32 / bits, i = lane / 4 + 8 * (r % (rows / 8)), k = 4 * e * (r / (rows / 8)) + e * (lane % 4);
    unsigned v = 0;
    for (int n = 0; n < e; n++) {
        v |= element(a_of(i, k + n, limit), bits, real) << (n * bits % 32);
    }
    return v;
}

__device__ static unsigned part_b(int r, int bits, int limit, bool real) {
    int lane = threadIdx.x, e = 32 / bits, j = lane / 4, k = 4 * e * r + e * (lane % 4);
    unsigned v = 0;
    for (int n = 0; n < e; n++) {
        v |= element(b_of(k + n, j, limit), bits, real) << (n * bits % 32);
    }
    return v;
}

#define PRODUCT16(NAME, TEXT, BITS, REAL)                                                                            \
    __global__ void NAME(unsigned *d, int limit) {                                                                   \
        unsigned a[4], b[2], c[4] = {0, 0, 0, 0};                                                                    \
        for (int r = 0; r < 4; r++) {                                                                                \
            a[r] = part_a(r, 16, BITS, limit, REAL);                                                                 \
        }                                                                                                            \
        for (int r = 0; r < 2; r++) {                                                                                \
            b[r] = part_b(r, BITS, limit, REAL);                                                                     \
        }                                                                                                            \
        asm volatile("mma.sync.aligned." TEXT " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"     \
                     : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])                                                \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));                            \
        for (int i = 0; i < 4; i++) {                                                                                \
            d[(threadIdx.x / 4 + i / 2 * 8) * 8 + threadIdx.x % 4 * 2 + i % 2] = c[i];                               \
        }                                                                                                            \
    }
PRODUCT16(product_tf32, "m16n8k8.row.col.f32.tf32.tf32.f32", 32, true)
PRODUCT16(product_s8, "m16n8k32.row.col.s32.s8.u8.s32", 8, false)
PRODUCT16(product_s4, "m16n8k64.row.col.satfinite.s32.s4.u4.s32", 4, false)
PRODUCT16(product_and, "m16n8k256.row.col.s32.b1.b1.s32.and.popc", 1, false)
PRODUCT16(product_xor, "m16n8k256.row.col.s32.b1.b1.s32.xor.popc", 1, false)

__global__ void product_f64(double *d) {
    int lane = threadIdx.x;
    double a = a_of(lane / 4, lane % 4, 100), b = b_of(lane % 4, lane / 4, 100), c[2] = {0.5, 0.25};
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(c[0]), "+d"(c[1])
                 : "d"(a), "d"(b));
    d[lane / 4 * 8 + lane % 4 * 2] = c[0];
    d[lane / 4 * 8 + lane % 4 * 2 + 1] = c[1];
}

// kind: 0 product, 1 and, 2 xor.
static void check_product(const char *what, void (*kernel)(unsigned *, int), int depth, int limit, int sign_bit, int kind,
                          bool real) {
    unsigned *d = device_zeros<unsigned>(128);
    kernel<<<1, 32>>>(d, limit);
    CHECK_KERNEL();
    auto got = to_host(d, 128);
    for (int i = 0; i < 128; i++) {
        int sum = 0;
        for (int k = 0; k < depth; k++) {
            int a = a_of(i / 8, k, limit), b = b_of(k, i % 8, limit);
            a -= sign_bit && a >= sign_bit ? 2 * sign_bit : 0;
            sum += kind == 2 ? a ^ b : a * b;
        }
        float f = (float)sum;
        unsigned bits;
        std::memcpy(&bits, &f, sizeof bits);
        expect_equal(what, i, real ? bits : (unsigned)sum, got[i]);
    }
}

// Transposes an 8 x 8 matrix in three ways: movmatrix, ldmatrix.trans, stmatrix.trans.
__global__ void transpose(const unsigned *in, unsigned *out) {
    __shared__ alignas(16) unsigned rows[32], moved[32];
    int t = threadIdx.x;
    unsigned v = in[t], a, b;
    rows[t] = v;
    __syncwarp();
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(a) : "r"(v));
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
                 : "=r"(b)
                 : "r"(shared_address(&rows[t % 8 * 4])));
    asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(shared_address(&moved[t % 8 * 4])), "r"(v)
                 : "memory");
    __syncwarp();
    out[t] = a;
    out[32 + t] = b;
    out[64 + t] = moved[t];
}

static void check_transpose() {
    std::vector<unsigned> in;
    for (unsigned i = 0; i < 32; i++) {
        in.push_back(2 * i | (2 * i + 1) << 16);
    }
    unsigned *d = device_zeros<unsigned>(96);
    transpose<<<1, 32>>>(to_device(in), d);
    CHECK_KERNEL();
    auto got = to_host(d, 96);
    for (unsigned i = 0; i < 96; i++) {
        unsigned row = i % 32 / 4, column = i % 4 * 2, want = (column * 8 + row) | ((column + 1) * 8 + row) << 16;
        expect_equal("a transposed matrix, word", i, want, got[i]);
    }
}

int main() {
    check_gemm<false>("half");
    check_gemm<true>("bfloat16");
    check_product("tf32", product_tf32, 8, 100, 0, 0, true);
    check_product("signed and unsigned bytes", product_s8, 32, 256, 128, 0, false);
    check_product("signed and unsigned 4 bits", product_s4, 64, 16, 8, 0, false);
    check_product("bits, and", product_and, 256, 2, 0, 1, false);
    check_product("bits, xor", product_xor, 256, 2, 0, 2, false);
    double *d = device_zeros<double>(64);
    product_f64<<<1, 32>>>(d);
    CHECK_KERNEL();
    auto got = to_host(d, 64);
    for (int i = 0; i < 64; i++) {
        double sum = i % 2 ? 0.25 : 0.5;
        for (int k = 0; k < 4; k++) {
            sum += a_of(i / 8, k, 100) * b_of(k, i % 8, 100);
        }
        expect_equal("double", i, sum, got[i]);
    }
    check_transpose();
    return pass();
}
