/*
 * PTX as nvcc writes it (nvvm7.ptx, nvvm20.ptx), run on warps of both widths and with independent lanes, and
 * compared with what plain C says the kernels compute. Which forms nvcc 13 prints is known from public
 * programs compiled with it; docs/coverage.md has the counts.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "frontend/lib/simtx.h"

enum { BLOCK = 128, THREADS = 2 * BLOCK };

typedef struct { uint32_t word[4]; } quad;
typedef unsigned __int128 wide;

static float float_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static uint32_t bits_of(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static void want_wide_numbers(const quad *in, int i, quad *out)
{
    const uint32_t *w = in[i].word;
    uint64_t a = w[0] | (uint64_t)w[1] << 32, b = w[2] | (uint64_t)w[3] << 32;
    wide own = (wide)b << 64 | a, taken = (wide)7 << 64 | (uint64_t)w[2] << 32 | w[3];
    wide result = (wide)a * b + own - taken;
    for (int k = 0; k < 4; k++)
        out->word[k] = (uint32_t)(result >> 32 * k);
}

static uint32_t byte_of(uint32_t w, int k)
{
    return w >> 8 * k & 255;
}

static void want_bytes(const quad *in, int i, quad *out)
{
    uint32_t a = in[i].word[0], b = in[i].word[1], c = in[i].word[2], d = in[i].word[3];
    uint32_t sad = 100, picked = 0, dot, greater = 0, selector = 25923;     /* 0x6543 */
    for (int k = 0; k < 4; k++) {
        int which = selector >> 4 * k & 7;
        uint32_t x = byte_of(a, k), y = byte_of(b, k);
        int8_t p = (int8_t)byte_of(c, k), q = (int8_t)byte_of(d, k);
        sad += x > y ? x - y : y - x;
        picked |= byte_of(which < 4 ? a : b, which & 3) << 8 * k;
        greater |= (uint32_t)(uint8_t)(p > q ? p : q) << 8 * k;
    }
    uint32_t left = d << 13 | c >> 19, right = c >> 7 | c << 25;
    uint32_t low = a & 0xffff, high = b >> 16;
    uint64_t inserted = c, field = 0xffffffffull << 20;
    inserted = (inserted & ~field) | (uint64_t)d << 20;
    int zeros = 0, ones = 0, shift = 0;
    while (zeros < 64 && !(inserted >> (63 - zeros) & 1))
        zeros++;
    uint32_t reversed = 0;
    for (int k = 0; k < 32; k++)
        reversed |= (uint32_t)(inserted >> k & 1) << (31 - k);
    for (int k = 0; k < 32; k++)
        ones += reversed >> k & 1;
    while (shift < 32 && !(reversed >> (31 - shift) & 1))
        shift++;
    dot = (uint32_t)zeros;
    for (int k = 0; k < 4; k++)
        dot += byte_of(greater, k) * byte_of(a, k);
    uint32_t amount = shift == 32 ? 0xffffffffu : (uint32_t)shift, mask = 0;
    for (int k = ones; k < ones + 9 && k < 32; k++)
        mask |= 1u << k;
    out->word[0] = picked ^ left ^ right ^ sad;
    out->word[1] = low * high + (uint32_t)(int16_t)(low * high);
    out->word[2] = dot;
    out->word[3] = ((amount << 8 & ~255u) | (uint32_t)ones) ^ mask;
}

static void want_reduce(const quad *in, int i, quad *out)
{
    int block = i / BLOCK * BLOCK, warp = i / 32 * 32;
    uint32_t sum = 0, negative = 0, block_negative = 0;
    for (int k = 0; k < BLOCK; k++) {
        sum += in[block + k].word[0];
        block_negative |= in[block + k].word[0] >> 31;
    }
    for (int k = 0; k < 32; k++)
        negative += in[warp + k].word[0] >> 31;
    out->word[0] = sum;
    out->word[1] = negative | (negative ? 256 : 0) | (negative == 32 ? 512 : 0);
    out->word[2] = (1u << (i - warp)) + block_negative;
    out->word[3] = in[warp + 5].word[0];
}

static void want_calls(const quad *in, int i, quad *out)
{
    static const uint32_t primes[] = { 2, 3, 5, 7 };
    uint32_t a = in[i].word[0], b = in[i].word[1];
    const uint32_t branch[] = { 2000, b, 0u - a, 1000 };
    out->word[0] = 3 * a;
    out->word[1] = b & 1 ? b * b : 3 * b;
    out->word[2] = branch[a & 3];
    out->word[3] = primes[a & 3] * 5 + (uint32_t)i;
}

static void want_numbers(const quad *in, int i, quad *out)
{
    double x = (int16_t)in[i].word[0] / 512.0, y = (double)(int32_t)in[i].word[1];
    double limited = x < 0 ? 0 : x > 1 ? 1 : x, half = (int8_t)in[i].word[2];
    /* f16 rounds h/2 + 1/2 + h nowhere for |h| <= 128: a multiple of 1/2 below 256 */
    double sum = half * 0.5 + 0.5 + half, same = half == half * 0.5 + 0.5 ? 1000 : 0;
    out->word[0] = bits_of((float)exp2(x));
    out->word[1] = bits_of((float)(2147483647.0 / (y * y + 1)));
    out->word[2] = bits_of((float)((x < 0 ? -limited : limited) + same + sum));
    out->word[3] = bits_of((float)(4194304 / (in[i].word[3] | 1)));
}

static void want_memory(const quad *in, int i, quad *out)
{
    int block = i / BLOCK * BLOCK;
    const uint32_t *w = in[i].word;
    int32_t most = 0;
    uint32_t bits = 0;
    uint32_t b0 = byte_of(w[0], 0), b1 = byte_of(w[0], 1), b2 = byte_of(w[0], 2), b3 = byte_of(w[0], 3);
    for (int k = 0; k < BLOCK; k++) {
        uint32_t a = in[block + k].word[0];
        most = (int32_t)a > most ? (int32_t)a : most;
        bits |= 1u << (a >> 27);
    }
    uint32_t low = w[1] & 0xffff, high = w[1] >> 16;
    double least = fmin((int32_t)w[2] / 8.0, (int32_t)w[3] / 8.0);
    uint64_t both = (uint64_t)(uint32_t)most << 32 | bits;
    both = (both + (uint64_t)(int64_t)nearbyint(least)) ^ 0x123456789abcdef0ull;
    /* three times inc below 1: 1, 0, 1; then dec twice: 0, and 9 by wrapping */
    out->word[0] = 9 + ((int16_t)low > (int16_t)high ? (low < high ? low : high) : low);
    out->word[1] = ((b0 + b1) & 255) | (b1 ^ b2) << 8 | (b2 > b3 ? b2 : b3) << 16 | ((0u - b3) & 255) << 24;
    out->word[2] = (uint32_t)both;
    out->word[3] = (uint32_t)(both >> 32);
}

static uint32_t to_bf16(double value)
{
    /* Each value here is exact in float. */
    uint32_t bits = bits_of((float)value), rest = bits & 0xffff, kept = bits >> 16;
    return kept + (rest > 0x8000 || (rest == 0x8000 && (kept & 1)));
}

static double from_bf16(uint32_t bits)
{
    return float_of(bits << 16);
}

static void want_packed(const quad *in, int i, quad *out)
{
    uint32_t a = in[i].word[0], b = in[i].word[1], c = in[i].word[2], least = 0;
    for (int at = 0; at < 32; at += 16) {
        int16_t x = (int16_t)(a >> at), y = (int16_t)(b >> at), z = (int16_t)(c >> at);
        int16_t sum = (int16_t)(x + y);
        int16_t m = sum > z ? sum : z;
        m = m > x ? m : x;
        m = m > 0 ? m : 0;
        least |= (uint32_t)((uint16_t)m < (uint16_t)y ? (uint16_t)m : (uint16_t)y) << at;
    }
    int32_t field = (int32_t)(a >> 5 & 2047), small = (int8_t)(b >> 9 & 255);
    int32_t greater = small > field ? small : field;
    double high = from_bf16(to_bf16(small)), low = from_bf16(to_bf16(field));
    uint32_t high_fma = to_bf16(high * high + high), low_fma = to_bf16(low * low + low);
    out->word[0] = least;
    out->word[1] = (uint32_t)(small < 0 ? -greater : greater);
    out->word[2] = high_fma << 16;
    out->word[3] = to_bf16(from_bf16(low_fma) * 0.5);
}

static void want_locked(const quad *in, int i, quad *out)
{
    int block = i / BLOCK * BLOCK;
    float sum = 2;
    for (int k = 0; k < BLOCK; k++)
        sum += (float)(in[block + k].word[0] & 255);          /* exact in any order */
    uint32_t own = in[i].word[0] & 255, most = own, exchanged = 0;
    /* the output begins as zeros; the third word becomes max(0, own), its old value goes into the fourth */
    out->word[0] = bits_of(sum);
    out->word[1] = own + 1000;
    out->word[2] = most;
    out->word[3] = (most + exchanged) ^ most ^ 0;
}

static const struct {
    const char *file, *kernel;
    void (*want)(const quad *in, int i, quad *out);
    double tolerance;                    /* 0: the bits; otherwise the words are floats, this close */
} cases[] = {
    { "nvvm7.ptx", "wide_numbers", want_wide_numbers, 0 },
    { "nvvm7.ptx", "bytes", want_bytes, 0 },
    { "nvvm7.ptx", "reduce", want_reduce, 0 },
    { "nvvm7.ptx", "calls", want_calls, 0 },
    { "nvvm7.ptx", "numbers", want_numbers, 1e-6 },
    { "nvvm7.ptx", "memory", want_memory, 0 },
    { "nvvm20.ptx", "packed", want_packed, 0 },
    { "nvvm20.ptx", "locked", want_locked, 0 },
};

static char *read_text(const char *folder, const char *file)
{
    char *path = mem_format("%s/%s", folder, file), *text = file_read(path, NULL);
    free(path);
    return text;
}

/* Words that are all different in kind: small, large, negative, equal, zero. */
static void fill(quad *in)
{
    uint64_t state = 88172645463325252ull;
    for (int i = 0; i < THREADS; i++)
        for (int k = 0; k < 4; k++) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            uint32_t w = (uint32_t)(state >> 16);
            in[i].word[k] = i % 8 == 1 ? w % 9 : i % 8 == 2 ? 0u - w % 9 : w;
        }
    for (int i = 64; i < 96; i++)
        in[i].word[0] |= 0x80000000u;     /* a warp where all are negative */
    for (int i = BLOCK; i < THREADS; i++)
        in[i].word[0] &= 0x7fffffffu;     /* a block where none is */
}

static bool same(uint32_t wanted, uint32_t got, double tolerance)
{
    if (tolerance == 0)
        return wanted == got;
    double w = float_of(wanted), g = float_of(got);
    return fabs(w - g) <= tolerance * fabs(w);
}

static const char *const settings[] = { "gpu.warp_size=32", "gpu.warp_size=64", "gpu.simt=independent" };

static bool run_case(size_t c, const char *setting, const char *folder, const quad *in)
{
    static quad out[THREADS];
    int n = THREADS;
    char *text = read_text(folder, cases[c].file), *message = NULL;
    memset(out, 0, sizeof out);
    simtx_arg args[] = { { SIMTX_ARG_IN, (void *)in, sizeof out }, { SIMTX_ARG_INOUT, out, sizeof out },
                         { SIMTX_ARG_VALUE, &n, sizeof n } };
    simtx_config *config = simtx_config_new();
    simtx_status status = text ? simtx_config_set(config, setting, &message) : SIMTX_NOT_FOUND;
    if (status == SIMTX_OK)
        status = simtx_run_ptx(config, text, cases[c].kernel, (simtx_dim3){ THREADS / BLOCK, 1, 1 },
                               (simtx_dim3){ BLOCK, 1, 1 }, 0, args, 3, NULL, &message);
    free(text);
    simtx_config_free(config);
    if (status != SIMTX_OK)
        printf("FAILED: %s of %s:\n%s\n", cases[c].kernel, cases[c].file, message ? message : "no such file");
    free(message);
    for (int i = 0; status == SIMTX_OK && i < THREADS * 4; i++) {
        quad wanted;
        cases[c].want(in, i / 4, &wanted);
        if (!same(wanted.word[i % 4], out[i / 4].word[i % 4], cases[c].tolerance)) {
            printf("FAILED: %s of %s, %s: thread %d, word %d: 0x%08x, expected 0x%08x\n", cases[c].kernel,
                   cases[c].file, setting, i / 4, i % 4, out[i / 4].word[i % 4], wanted.word[i % 4]);
            return false;
        }
    }
    return status == SIMTX_OK;
}

int main(int argc, char **argv)
{
    static quad in[THREADS];
    int passed = 0, failed = 0;
    fill(in);
    for (size_t c = 0; argc == 2 && c < sizeof cases / sizeof *cases; c++)
        for (size_t s = 0; s < sizeof settings / sizeof *settings; s++)
            if (run_case(c, settings[s], argv[1], in))
                passed++;
            else
                failed++;
    printf("coverage-nvcc: %d passed, %d failed\n", passed, failed);
    return failed || !passed;
}
