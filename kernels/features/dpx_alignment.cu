// DPX functions: each against plain comparisons on random and extreme words, and a global alignment of two strings with
// affine gaps whose inner loop they are.
#define PROGRAM "dpx_alignment"
#include "../check.h"

#include <algorithm>

enum { WORDS = 64, LENGTH = 48, RESULTS = 16 };

__host__ __device__ static void all_functions(unsigned a, unsigned b, unsigned c, unsigned *r) {
    bool high, low, first;
    int x = (int)a, y = (int)b, z = (int)c;
    r[0] = (unsigned)__vimax3_s32(x, y, z);
    r[1] = __vimin3_u32(a, b, c);
    r[2] = (unsigned)__vimax3_s32_relu(x, y, z);
    r[3] = (unsigned)__viaddmax_s32(x, y, z);
    r[4] = __viaddmin_u32(a, b, c);
    r[5] = (unsigned)__viaddmin_s32_relu(x, y, z);
    r[6] = __vimax3_s16x2(a, b, c);
    r[7] = __vimin3_u16x2(a, b, c);
    r[8] = __viaddmax_s16x2(a, b, c);
    r[9] = __viaddmax_s16x2_relu(a, b, c);
    r[10] = __vimin_s16x2_relu(a, b);
    r[11] = __vibmax_s16x2(a, b, &high, &low);
    r[12] = (unsigned)high << 1 | (unsigned)low;
    r[13] = (unsigned)__vibmin_s32(x, y, &first);
    r[14] = first;
    r[15] = __viaddmin_u16x2(a, b, c);
}

__global__ void apply(const unsigned *words, unsigned *out) {
    int i = (int)threadIdx.x;
    all_functions(words[i], words[(i * 7 + 3) % WORDS], words[(i * 5 + 1) % WORDS], out + RESULTS * i);
}

static int half(unsigned a, int k, bool is_signed) {
    unsigned h = a >> 16 * k & 0xffff;
    return is_signed ? (int)(short)h : (int)h;
}

template <class F> static unsigned halves(F f) {
    return ((unsigned)f(0) & 0xffff) | (unsigned)f(1) << 16;
}

static void reference(unsigned a, unsigned b, unsigned c, unsigned *r) {
    int x = (int)a, y = (int)b, z = (int)c, sum = (int)(a + b);
    auto s = [](unsigned v, int k) { return half(v, k, true); };
    auto u = [](unsigned v, int k) { return half(v, k, false); };
    auto added = [&](int k) { return (int)(short)(s(a, k) + s(b, k)); };
    r[0] = (unsigned)std::max({x, y, z});
    r[1] = std::min({a, b, c});
    r[2] = (unsigned)std::max({x, y, z, 0});
    r[3] = (unsigned)std::max(sum, z);
    r[4] = std::min(a + b, c);
    r[5] = (unsigned)std::max(std::min(sum, z), 0);
    r[6] = halves([&](int k) { return std::max({s(a, k), s(b, k), s(c, k)}); });
    r[7] = halves([&](int k) { return std::min({u(a, k), u(b, k), u(c, k)}); });
    r[8] = halves([&](int k) { return std::max(added(k), s(c, k)); });
    r[9] = halves([&](int k) { return std::max({added(k), s(c, k), 0}); });
    r[10] = halves([&](int k) { return std::max(std::min(s(a, k), s(b, k)), 0); });
    r[11] = halves([&](int k) { return std::max(s(a, k), s(b, k)); });
    r[12] = (s(a, 1) >= s(b, 1)) * 2u + (s(a, 0) >= s(b, 0));
    r[13] = (unsigned)std::min(x, y);
    r[14] = x <= y;
    r[15] = halves([&](int k) { return std::min((u(a, k) + u(b, k)) & 0xffff, u(c, k)); });
}

// Gotoh's recurrences along antidiagonals: h best score, e and f best scores that end in a gap.
__global__ void align(const char *p, const char *q, int *score) {
    __shared__ int h[LENGTH + 1][LENGTH + 1], e[LENGTH + 1][LENGTH + 1], f[LENGTH + 1][LENGTH + 1];
    int i = (int)threadIdx.x;
    const int open = -3, extend = -1, never = -1000000;
    h[i][0] = h[0][i] = i ? open + extend * (i - 1) : 0;
    e[i][0] = e[0][i] = f[i][0] = f[0][i] = never;
    for (int d = 2; d <= 2 * LENGTH; d++) {
        __syncthreads();
        int j = d - i;
        if (i < 1 || j < 1 || j > LENGTH) {
            continue;
        }
        e[i][j] = __viaddmax_s32(e[i][j - 1], extend, h[i][j - 1] + open);
        f[i][j] = __viaddmax_s32(f[i - 1][j], extend, h[i - 1][j] + open);
        h[i][j] = __vimax3_s32(h[i - 1][j - 1] + (p[i - 1] == q[j - 1] ? 2 : -1), e[i][j], f[i][j]);
    }
    __syncthreads();
    if (i == 0) {
        *score = h[LENGTH][LENGTH];
    }
}

// The same score by trying every gap length.
static int host_score(const std::string &p, const std::string &q) {
    std::vector<std::vector<int>> h(LENGTH + 1, std::vector<int>(LENGTH + 1));
    for (int i = 0; i <= LENGTH; i++) {
        for (int j = 0; j <= LENGTH; j++) {
            int best = i || j ? -1000000 : 0;
            if (i && j) {
                best = h[i - 1][j - 1] + (p[i - 1] == q[j - 1] ? 2 : -1);
            }
            for (int g = 1; g <= i; g++) {
                best = std::max(best, h[i - g][j] - 3 - (g - 1));
            }
            for (int g = 1; g <= j; g++) {
                best = std::max(best, h[i][j - g] - 3 - (g - 1));
            }
            h[i][j] = best;
        }
    }
    return h[LENGTH][LENGTH];
}

int main() {
    Lcg random(12);
    std::vector<unsigned> words(WORDS);
    for (unsigned &w : words) {
        w = random.next();
    }
    const unsigned extreme[6] = {0, ~0u, 0x80000000u, 0x7fffffffu, 0x80007fffu, 0x7fff8000u};
    std::copy(extreme, extreme + 6, words.begin());
    unsigned *out = device_buffer<unsigned>(WORDS * RESULTS);
    apply<<<1, WORDS>>>(to_device(words), out);
    CHECK_KERNEL();
    std::vector<unsigned> got = to_host(out, WORDS * RESULTS);
    for (int i = 0; i < WORDS; i++) {
        unsigned expected[RESULTS], host[RESULTS], a = words[i], b = words[(i * 7 + 3) % WORDS],
                                                   c = words[(i * 5 + 1) % WORDS];
        reference(a, b, c, expected);
        all_functions(a, b, c, host);
        for (int k = 0; k < RESULTS; k++) {
            expect_equal("on the device", RESULTS * i + k, expected[k], got[RESULTS * i + k]);
            expect_equal("on the host", RESULTS * i + k, expected[k], host[k]);
        }
    }
    std::string p, q;
    for (int i = 0; i < LENGTH; i++) {
        p += "ACGT"[random.below(4)];
        q += i % 9 == 4 ? "ACGT"[random.below(4)] : p[random.below(2) ? i : i / 2];
    }
    int *score = device_zeros<int>(1);
    align<<<1, LENGTH + 1>>>(to_device(std::vector<char>(p.begin(), p.end())),
                             to_device(std::vector<char>(q.begin(), q.end())), score);
    CHECK_KERNEL();
    expect_equal("alignment", 0, host_score(p, q), to_host(score, 1)[0]);
    return pass();
}
