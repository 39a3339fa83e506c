// big_integers: arithmetic on large numbers. Montgomery multiplication and modular exponentiation with
// 32-bit limbs, one number a thread, with carry chains in inline PTX (add.cc, addc.cc, mad.lo.cc,
// madc.hi.cc); and a product of two long numbers whose columns are summed by a warp and whose carries are
// resolved with shuffles.
// Exercises: extended-precision instructions, inline assembly with several outputs, template limb counts,
// local arrays that stay in registers, 64-bit and 128-bit products and divergent exponents.
// Checked with Fermat's theorem on known primes, textbook arithmetic in 16-bit digits on the host, and
// identities.
#include "../app.h"

typedef unsigned long long u64;

template <int N> struct Big {
    uint32_t w[N]; // least significant first
};

// acc (three words) += a * b
__device__ __forceinline__ void mac(uint32_t &c0, uint32_t &c1, uint32_t &c2, uint32_t a, uint32_t b)
{
    asm("mad.lo.cc.u32 %0, %3, %4, %0;\n\t"
        "madc.hi.cc.u32 %1, %3, %4, %1;\n\t"
        "addc.u32 %2, %2, 0;"
        : "+&r"(c0), "+&r"(c1), "+r"(c2)
        : "r"(a), "r"(b));
}

// Two limbs a step: the carry goes from one assembly block to the next through a register.
template <int N> __device__ uint32_t add_to(Big<N> &a, const Big<N> &b)
{
    uint32_t carry = 0;
#pragma unroll
    for (int i = 0; i < N; i += 2)
        asm("add.cc.u32 %2, %2, 0xffffffff;\n\t" // sets the carry flag when the carry is 1
            "addc.cc.u32 %0, %0, %3;\n\t"
            "addc.cc.u32 %1, %1, %4;\n\t"
            "addc.u32 %2, 0, 0;"
            : "+&r"(a.w[i]), "+r"(a.w[i + 1]), "+&r"(carry)
            : "r"(b.w[i]), "r"(b.w[i + 1]));
    return carry;
}

template <int N> __device__ uint32_t subtract_from(Big<N> &a, const Big<N> &b)
{
    uint32_t borrow = 0; // 0 or 0xffffffff
#pragma unroll
    for (int i = 0; i < N; i += 2)
        asm("sub.cc.u32 %2, 0, %2;\n\t"
            "subc.cc.u32 %0, %0, %3;\n\t"
            "subc.cc.u32 %1, %1, %4;\n\t"
            "subc.u32 %2, 0, 0;"
            : "+&r"(a.w[i]), "+r"(a.w[i + 1]), "+&r"(borrow)
            : "r"(b.w[i]), "r"(b.w[i + 1]));
    return borrow;
}

template <int N> struct Modulus {
    Big<N> m, r_squared; // r = 2^(32 N)
    uint32_t inverse;    // -m^-1 mod 2^32
};

template <int N> __device__ void reduce_once(Big<N> &a, uint32_t overflow, const Big<N> &m)
{
    Big<N> t = a;
    uint32_t borrow = subtract_from(t, m);
    if (overflow || !borrow)
        a = t;
}

// Finely integrated product scanning: column sums of a*b and q*m in a three-word accumulator.
template <int N> __device__ Big<N> montgomery(const Big<N> &a, const Big<N> &b, const Modulus<N> &mod)
{
    uint32_t q[N], c0 = 0, c1 = 0, c2 = 0;
    Big<N> r;
#pragma unroll
    for (int i = 0; i < N; i++) {
#pragma unroll
        for (int j = 0; j < i; j++) {
            mac(c0, c1, c2, a.w[j], b.w[i - j]);
            mac(c0, c1, c2, q[j], mod.m.w[i - j]);
        }
        mac(c0, c1, c2, a.w[i], b.w[0]);
        q[i] = c0 * mod.inverse;
        mac(c0, c1, c2, q[i], mod.m.w[0]);
        c0 = c1;
        c1 = c2;
        c2 = 0;
    }
#pragma unroll
    for (int i = N; i < 2 * N; i++) {
#pragma unroll
        for (int j = i - N + 1; j < N; j++) {
            mac(c0, c1, c2, a.w[j], b.w[i - j]);
            mac(c0, c1, c2, q[j], mod.m.w[i - j]);
        }
        r.w[i - N] = c0;
        c0 = c1;
        c1 = c2;
        c2 = 0;
    }
    reduce_once(r, c0, mod.m);
    return r;
}

template <int N> __global__ void power_kernel(const Big<N> *base, const Big<N> *exponent, Big<N> *result,
                                              Modulus<N> mod, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Big<N> one = {{1}}, x = montgomery(base[i], mod.r_squared, mod), r = montgomery(one, mod.r_squared, mod);
    int top = N - 1;
    while (top > 0 && exponent[i].w[top] == 0)
        top--;
    for (int limb = top; limb >= 0; limb--) {
        uint32_t e = exponent[i].w[limb];
        for (int bit = 31; bit >= 0; bit--) {
            r = montgomery(r, r, mod);
            if (e >> bit & 1)
                r = montgomery(r, x, mod);
        }
    }
    result[i] = montgomery(r, one, mod);
}

// (a + b, a - b) mod m
template <int N> __global__ void sum_kernel(const Big<N> *a, const Big<N> *b, Big<N> *sum, Big<N> *difference,
                                            Modulus<N> mod, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Big<N> s = a[i], d = a[i];
    reduce_once(s, add_to(s, b[i]), mod.m);
    if (subtract_from(d, b[i]))
        add_to(d, mod.m);
    sum[i] = s;
    difference[i] = d;
}

// One warp: lane l sums the columns l, l + 32, ... of the product of two long numbers; carries run through
// the lanes.
__global__ void product_kernel(const uint32_t *a, const uint32_t *b, int limbs, uint32_t *product)
{
    u64 carry = 0; // into the next group of 32 columns
    for (int base = 0; base < 2 * limbs; base += 32) {
        int column = base + threadIdx.x;
        uint32_t c0 = 0, c1 = 0, c2 = 0;
        for (int i = max(0, column - limbs + 1); i <= min(column, limbs - 1); i++)
            mac(c0, c1, c2, a[i], b[column - i]);
        // column value = c0 + 2^32 c1 + 2^64 c2: each part belongs to another lane
        uint32_t from1 = __shfl_up_sync(0xffffffffu, c1, 1), from2 = __shfl_up_sync(0xffffffffu, c2, 2);
        uint32_t spill = __shfl_sync(0xffffffffu, c2, 30), out1 = __shfl_sync(0xffffffffu, c1, 31);
        uint32_t out2 = __shfl_sync(0xffffffffu, c2, 31);
        u64 v = c0;
        if (threadIdx.x >= 1)
            v += from1;
        if (threadIdx.x >= 2)
            v += from2;
        if (threadIdx.x == 0)
            v += (uint32_t)carry;
        if (threadIdx.x == 1)
            v += carry >> 32;
        u64 out = 0;
        while (__any_sync(0xffffffffu, v >> 32)) { // a carry moves one lane a round
            uint32_t up = (uint32_t)(v >> 32), arriving = __shfl_up_sync(0xffffffffu, up, 1);
            out += __shfl_sync(0xffffffffu, up, 31);
            v = (uint32_t)v;
            if (threadIdx.x > 0)
                v += arriving;
        }
        product[column] = (uint32_t)v;
        carry = out + spill + out1 + ((u64)out2 << 32);
    }
}

// --- host: digits of 16 bits, schoolbook, long division bit by bit where needed ---

typedef std::vector<uint32_t> Digits; // each below 65536, least significant first

template <int N> static Digits digits_of(const Big<N> &b)
{
    Digits d;
    for (uint32_t w : b.w) {
        d.push_back(w & 0xffff);
        d.push_back(w >> 16);
    }
    return d;
}

template <int N> static Big<N> big_of(const Digits &d)
{
    Big<N> b = {};
    for (size_t i = 0; i < d.size() && i < 2 * N; i++)
        b.w[i / 2] |= d[i] << (16 * (i % 2));
    return b;
}

static Digits multiply(const Digits &a, const Digits &b)
{
    std::vector<u64> column(a.size() + b.size(), 0);
    for (size_t i = 0; i < a.size(); i++)
        for (size_t j = 0; j < b.size(); j++)
            column[i + j] += (u64)a[i] * b[j];
    Digits r;
    u64 carry = 0;
    for (u64 c : column) {
        carry += c;
        r.push_back(carry & 0xffff);
        carry >>= 16;
    }
    return r;
}

static bool subtract_if_not_less(Digits &a, const Digits &b, size_t shift)
{
    for (size_t i = a.size(); i-- > 0;) {
        uint32_t v = i < shift || i - shift >= b.size() ? 0 : b[i - shift];
        if (a[i] != v) {
            if (a[i] < v)
                return false;
            break;
        }
    }
    int borrow = 0;
    for (size_t i = shift; i < a.size(); i++) {
        int v = (int)a[i] - borrow - (int)(i - shift < b.size() ? b[i - shift] : 0);
        borrow = v < 0;
        a[i] = (uint32_t)(v + (borrow ? 65536 : 0));
    }
    return true;
}

// Remainder by subtraction of b * 2^k, k falling.
static Digits remainder(Digits a, const Digits &b)
{
    std::vector<Digits> shifted;
    for (int k = 0; k < 16; k++) {
        Digits s(b.size() + 1, 0);
        for (size_t i = 0; i < b.size(); i++) {
            s[i] |= (b[i] << k) & 0xffff;
            s[i + 1] |= b[i] << k >> 16;
        }
        shifted.push_back(s);
    }
    a.resize(std::max(a.size(), b.size()) + 2, 0);
    for (size_t shift = a.size() - b.size(); shift-- > 0;)
        for (int k = 15; k >= 0; k--)
            subtract_if_not_less(a, shifted[k], shift);
    a.resize(b.size());
    return a;
}

static Digits power(const Digits &base, const Digits &exponent, const Digits &m)
{
    Digits r(1, 1);
    for (size_t i = exponent.size() * 16; i-- > 0;) {
        r = remainder(multiply(r, r), m);
        if (exponent[i / 16] >> (i % 16) & 1)
            r = remainder(multiply(r, base), m);
    }
    r.resize(m.size(), 0);
    return r;
}

template <int N> static void same(const char *what, int where, const Big<N> &expected, const Big<N> &got)
{
    for (int i = 0; i < N; i++)
        app::equal(what, where * 100 + i, expected.w[i], got.w[i]);
}

template <int N> static Modulus<N> make_modulus(const Big<N> &m)
{
    Modulus<N> mod = {m, {}, 0};
    Digits r2(4 * N + 1, 0);
    r2[4 * N] = 1; // 2^(64 N)
    mod.r_squared = big_of<N>(remainder(r2, digits_of(m)));
    uint32_t inverse = 1;
    for (int i = 0; i < 5; i++)
        inverse *= 2 - m.w[0] * inverse;
    mod.inverse = 0 - inverse;
    return mod;
}

template <int N> static void check_powers(const char *what, const Big<N> &prime, int count, app::Lcg &rng)
{
    Modulus<N> mod = make_modulus(prime);
    Digits p = digits_of(prime);
    std::vector<Big<N>> base(count), exponent(count);
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < N; k++)
            base[i].w[k] = rng.next();
        base[i] = big_of<N>(remainder(digits_of(base[i]), p));
        exponent[i] = prime; // Fermat: a^(p-1) = 1, except for every third, whose exponent has 40 bits
        exponent[i].w[0] -= 1;
        if (i % 3 == 2) {
            exponent[i] = Big<N>{{rng.next()}};
            exponent[i].w[1] = rng.below(256);
        }
    }
    app::Buffer<Big<N>> d_base(base), d_exponent(exponent), d_result(count), d_sum(count),
        d_difference(count);
    int blocks = app::blocks_for(count, 32);
    power_kernel<N><<<blocks, 32>>>(d_base.get(), d_exponent.get(), d_result.get(), mod, count);
    sum_kernel<N><<<blocks, 32>>>(d_base.get(), d_result.get(), d_sum.get(), d_difference.get(), mod, count);
    GPU_DONE();
    std::vector<Big<N>> got = d_result.read(), sum = d_sum.read(), difference = d_difference.read();
    Big<N> one = {{1}};
    for (int i = 0; i < count; i++) {
        if (i % 3 == 2)
            same(what, i, big_of<N>(power(digits_of(base[i]), digits_of(exponent[i]), p)), got[i]);
        else
            same(what, i, one, got[i]);
        Digits a = digits_of(base[i]), b = digits_of(got[i]), s(2 * N + 1, 0), d = a;
        for (int k = 0; k < 2 * N; k++)
            s[k] = a[k] + b[k];
        for (int k = 0; k < 2 * N; k++) {
            s[k + 1] += s[k] >> 16;
            s[k] &= 0xffff;
        }
        same("modular sum", i, big_of<N>(remainder(s, p)), sum[i]);
        if (!subtract_if_not_less(d, b, 0)) { // a + p - b
            Digits up(2 * N + 1, 0);
            for (int k = 0; k < 2 * N; k++) {
                up[k] += a[k] + p[k];
                up[k + 1] = up[k] >> 16;
                up[k] &= 0xffff;
            }
            subtract_if_not_less(up, b, 0);
            d = up;
        }
        same("modular difference", i, big_of<N>(d), difference[i]);
    }
}

static void check_product(int limbs, bool ones, app::Lcg &rng)
{
    std::vector<uint32_t> a(limbs), b(limbs);
    Digits da, db;
    for (int i = 0; i < limbs; i++) {
        a[i] = ones ? 0xffffffffu : rng.next();
        b[i] = ones ? 0xffffffffu : rng.next();
        for (int half = 0; half < 2; half++) {
            da.push_back(a[i] >> (16 * half) & 0xffff);
            db.push_back(b[i] >> (16 * half) & 0xffff);
        }
    }
    app::Buffer<uint32_t> d_a(a), d_b(b), d_product(2 * limbs);
    product_kernel<<<1, 32>>>(d_a.get(), d_b.get(), limbs, d_product.get());
    GPU_DONE();
    std::vector<uint32_t> got = d_product.read();
    Digits expected = multiply(da, db);
    for (int i = 0; i < 2 * limbs; i++)
        app::equal(ones ? "limb of the square" : "limb of the product", i,
                   expected[2 * i] | expected[2 * i + 1] << 16, got[i]);
}

int main(int argc, char **argv)
{
    int count = app::start(argc, argv, "big_integers", 32, 3, 4096);
    app::Lcg rng(20);
    Big<8> p25519, p256 = {{~0u, ~0u, ~0u, 0, 0, 0, 1, ~0u}}; // 2^255 - 19; NIST P-256
    for (uint32_t &w : p25519.w)
        w = ~0u;
    p25519.w[0] = 0u - 19;
    p25519.w[7] = 0x7fffffff;
    Big<4> mersenne = {{~0u, ~0u, ~0u, 0x7fffffff}}; // 2^127 - 1
    check_powers<8>("power modulo 2^255 - 19", p25519, count, rng);
    check_powers<8>("power modulo P-256", p256, count / 2, rng);
    check_powers<4>("power modulo 2^127 - 1", mersenne, count, rng);
    check_product(64, false, rng);
    check_product(64, true, rng);
    return app::pass();
}
