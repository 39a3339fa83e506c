// aes_ctr: cryptography. AES-128 in counter mode, one 16-byte block a thread, with the combined
// SubBytes/MixColumns table in constant memory and the round keys in shared memory (FIPS 197, SP 800-38A).
// Exercises: __constant__ arrays indexed per lane, byte permutes, 128-bit vector loads and stores, structs
// by value, two streams, a grid-stride loop.
// Checked against the published vectors and a byte-wise AES on the host that uses no tables.
#include "../app.h"

#include <cstring>

struct Counter {
    uint32_t w[4]; // big-endian words
};

__constant__ uint32_t te_table[256];
__constant__ uint8_t sbox_table[256];

__device__ __forceinline__ uint32_t byte_swap(uint32_t x)
{
    return __byte_perm(x, 0, 0x0123);
}

// The four T-tables are rotations of one: rotate right by 8 * n.
template <int N> __device__ __forceinline__ uint32_t te(uint32_t word)
{
    uint32_t t = te_table[(word >> (24 - 8 * N)) & 255];
    return N == 0 ? t : __funnelshift_r(t, t, 8 * N);
}

__device__ uint32_t round_column(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t key)
{
    return te<0>(a) ^ te<1>(b) ^ te<2>(c) ^ te<3>(d) ^ key;
}

__device__ uint32_t last_column(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t key)
{
    uint32_t r = (uint32_t)sbox_table[a >> 24] << 24;
    r |= (uint32_t)sbox_table[(b >> 16) & 255] << 16;
    r |= (uint32_t)sbox_table[(c >> 8) & 255] << 8;
    r |= (uint32_t)sbox_table[d & 255];
    return r ^ key;
}

__device__ void encrypt(uint32_t s[4], const uint32_t *rk)
{
    for (int i = 0; i < 4; i++)
        s[i] ^= rk[i];
    for (int round = 1; round < 10; round++) {
        rk += 4;
        uint32_t t0 = round_column(s[0], s[1], s[2], s[3], rk[0]);
        uint32_t t1 = round_column(s[1], s[2], s[3], s[0], rk[1]);
        uint32_t t2 = round_column(s[2], s[3], s[0], s[1], rk[2]);
        uint32_t t3 = round_column(s[3], s[0], s[1], s[2], rk[3]);
        s[0] = t0;
        s[1] = t1;
        s[2] = t2;
        s[3] = t3;
    }
    rk += 4;
    uint32_t t0 = last_column(s[0], s[1], s[2], s[3], rk[0]);
    uint32_t t1 = last_column(s[1], s[2], s[3], s[0], rk[1]);
    uint32_t t2 = last_column(s[2], s[3], s[0], s[1], rk[2]);
    uint32_t t3 = last_column(s[3], s[0], s[1], s[2], rk[3]);
    s[0] = t0;
    s[1] = t1;
    s[2] = t2;
    s[3] = t3;
}

__device__ void advance(Counter &c, uint32_t by)
{
    uint64_t sum = (uint64_t)c.w[3] + by;
    c.w[3] = (uint32_t)sum;
    for (int i = 2; i >= 0; i--) {
        sum = (uint64_t)c.w[i] + (sum >> 32);
        c.w[i] = (uint32_t)sum;
    }
}

__global__ void ctr_kernel(const uint4 *in, uint4 *out, int blocks, int first, Counter start,
                           const uint32_t *round_keys)
{
    __shared__ uint32_t rk[44];
    if (threadIdx.x < 44)
        rk[threadIdx.x] = round_keys[threadIdx.x];
    __syncthreads();
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < blocks; i += stride) {
        Counter c = start;
        advance(c, first + i);
        encrypt(c.w, rk);
        uint4 v = in[first + i];
        v.x ^= byte_swap(c.w[0]);
        v.y ^= byte_swap(c.w[1]);
        v.z ^= byte_swap(c.w[2]);
        v.w ^= byte_swap(c.w[3]);
        out[first + i] = v;
    }
}

// --- host: everything derived from the field GF(2^8), nothing shared with the device code ---

static uint8_t gf_mul(uint8_t a, uint8_t b)
{
    uint8_t r = 0;
    while (b) {
        if (b & 1)
            r ^= a;
        a = (uint8_t)((a << 1) ^ (a & 0x80 ? 0x1b : 0));
        b >>= 1;
    }
    return r;
}

static std::vector<uint8_t> make_sbox()
{
    std::vector<uint8_t> s(256);
    for (int x = 0; x < 256; x++) {
        uint8_t inv = 0;
        for (int y = 1; y < 256 && x; y++)
            if (gf_mul((uint8_t)x, (uint8_t)y) == 1)
                inv = (uint8_t)y;
        uint8_t r = 0x63;
        for (int k = 0; k < 5; k++)
            r ^= (uint8_t)((inv << k) | (inv >> (8 - k)));
        s[x] = r;
    }
    return s;
}

static std::vector<uint8_t> expand_key(const uint8_t key[16], const std::vector<uint8_t> &sbox)
{
    std::vector<uint8_t> w(key, key + 16);
    uint8_t rcon = 1;
    for (int i = 4; i < 44; i++) {
        uint8_t t[4] = {w[4 * i - 4], w[4 * i - 3], w[4 * i - 2], w[4 * i - 1]};
        if (i % 4 == 0) {
            std::rotate(t, t + 1, t + 4);
            for (int k = 0; k < 4; k++)
                t[k] = sbox[t[k]];
            t[0] ^= rcon;
            rcon = gf_mul(rcon, 2);
        }
        for (int k = 0; k < 4; k++)
            w.push_back(w[4 * (i - 4) + k] ^ t[k]);
    }
    return w;
}

static void host_encrypt(uint8_t s[16], const std::vector<uint8_t> &rk, const std::vector<uint8_t> &sbox)
{
    for (int i = 0; i < 16; i++)
        s[i] ^= rk[i];
    for (int round = 1; round <= 10; round++) {
        uint8_t t[16];
        for (int c = 0; c < 4; c++)
            for (int r = 0; r < 4; r++)
                t[4 * c + r] = sbox[s[4 * ((c + r) % 4) + r]];
        for (int c = 0; c < 4; c++)
            for (int r = 0; r < 4; r++) {
                const uint8_t *col = t + 4 * c;
                uint8_t x2 = (uint8_t)((col[r] << 1) ^ (col[r] >> 7) * 0x1b);
                uint8_t y = col[(r + 1) % 4];
                uint8_t y3 = (uint8_t)((y << 1) ^ (y >> 7) * 0x1b ^ y);
                uint8_t mixed = x2 ^ y3 ^ col[(r + 2) % 4] ^ col[(r + 3) % 4];
                s[4 * c + r] = (round == 10 ? col[r] : mixed) ^ rk[16 * round + 4 * c + r];
            }
    }
}

static std::vector<uint8_t> run_device(const std::vector<uint8_t> &text, const uint8_t iv[16],
                                       const std::vector<uint8_t> &rk_bytes)
{
    int blocks = (int)text.size() / 16;
    std::vector<uint32_t> rk(44);
    for (int i = 0; i < 44; i++)
        for (int k = 0; k < 4; k++)
            rk[i] = rk[i] << 8 | rk_bytes[4 * i + k];
    Counter start = {};
    for (int i = 0; i < 16; i++)
        start.w[i / 4] = start.w[i / 4] << 8 | iv[i];
    app::Buffer<uint8_t> in(text), out(text.size());
    app::Buffer<uint32_t> keys(rk);
    int half = blocks / 2;
    cudaStream_t streams[2];
    for (int i = 0; i < 2; i++) {
        GPU(cudaStreamCreate(&streams[i]));
        int count = i ? blocks - half : half;
        if (count == 0)
            continue;
        ctr_kernel<<<app::blocks_for(count, 4 * 64), 64, 0, streams[i]>>>(
            (const uint4 *)in.get(), (uint4 *)out.get(), count, i ? half : 0, start, keys.get());
    }
    for (int i = 0; i < 2; i++) {
        GPU(cudaStreamSynchronize(streams[i]));
        GPU(cudaStreamDestroy(streams[i]));
    }
    GPU_DONE();
    return out.read();
}

static std::vector<uint8_t> from_hex(const char *hex)
{
    std::vector<uint8_t> v;
    for (; *hex; hex += 2) {
        unsigned byte = 0;
        std::sscanf(hex, "%2x", &byte);
        v.push_back((uint8_t)byte);
    }
    return v;
}

int main(int argc, char **argv)
{
    int blocks = app::start(argc, argv, "aes_ctr", 4096, 1, 1 << 20);
    std::vector<uint8_t> sbox = make_sbox();
    std::vector<uint32_t> te_host(256);
    for (int x = 0; x < 256; x++) {
        uint32_t s = sbox[x];
        te_host[x] = (uint32_t)gf_mul(sbox[x], 2) << 24 | s << 16 | s << 8 | gf_mul(sbox[x], 3);
    }
    GPU(cudaMemcpyToSymbol(te_table, te_host.data(), 1024));
    GPU(cudaMemcpyToSymbol(sbox_table, sbox.data(), 256));

    // SP 800-38A, F.5.1
    std::vector<uint8_t> key = from_hex("2b7e151628aed2a6abf7158809cf4f3c");
    std::vector<uint8_t> iv = from_hex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff");
    std::vector<uint8_t> plain = from_hex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
                                          "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710");
    std::vector<uint8_t> cipher =
        from_hex("874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"
                 "5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee");
    std::vector<uint8_t> got = run_device(plain, iv.data(), expand_key(key.data(), sbox));
    for (size_t i = 0; i < cipher.size(); i++)
        app::equal("SP 800-38A vector", (long)i, (int)cipher[i], (int)got[i]);

    app::Lcg rng(1);
    std::vector<uint8_t> text(16 * (size_t)blocks);
    for (uint8_t &b : text)
        b = (uint8_t)rng.next();
    for (uint8_t &b : key)
        b = (uint8_t)rng.next();
    std::memset(iv.data(), 0xff, 16); // the 128-bit counter wraps after one block
    std::vector<uint8_t> rk = expand_key(key.data(), sbox);
    std::vector<uint8_t> sealed = run_device(text, iv.data(), rk);
    uint8_t counter[16];
    std::memcpy(counter, iv.data(), 16);
    for (int b = 0; b < blocks; b++) {
        uint8_t s[16];
        std::memcpy(s, counter, 16);
        host_encrypt(s, rk, sbox);
        for (int i = 0; i < 16; i++)
            app::equal("cipher text", 16l * b + i, s[i] ^ text[16 * b + i], (int)sealed[16 * b + i]);
        for (int i = 15; i >= 0 && ++counter[i] == 0; i--) {
        }
    }
    std::vector<uint8_t> opened = run_device(sealed, iv.data(), rk);
    for (size_t i = 0; i < text.size(); i++)
        app::equal("decrypted text", (long)i, (int)text[i], (int)opened[i]);
    return app::pass();
}
