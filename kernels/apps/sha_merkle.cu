// sha_merkle: authenticated data. SHA-256 (FIPS 180-4) of messages of different lengths, one a thread, then
// a Merkle tree over the digests, level by level, then inclusion proofs checked in parallel.
// Exercises: 32-bit rotates and logic, a 16-word rolling schedule in local memory, lane-divergent trip
// counts, __constant__ data, a class with state in registers, byte loads at any alignment, atomicAdd.
// Checked against the published digests and a streaming byte-oriented SHA-256 on the host whose constants
// come from the cube roots of the primes.
#include "../app.h"

#include <cstring>

struct Digest {
    uint32_t w[8];
};

__constant__ uint32_t round_constant[64];
__constant__ Digest initial_state;

class Sha256 {
    uint32_t h_[8];

    __device__ static uint32_t rotate(uint32_t x, int n) { return __funnelshift_r(x, x, n); }

public:
    __device__ Sha256()
    {
        for (int i = 0; i < 8; i++)
            h_[i] = initial_state.w[i];
    }

    // One 64-byte block; the schedule lives in a ring of 16 words.
    __device__ void block(uint32_t w[16])
    {
        uint32_t a = h_[0], b = h_[1], c = h_[2], d = h_[3], e = h_[4], f = h_[5], g = h_[6], h = h_[7];
        for (int t = 0; t < 64; t++) {
            uint32_t x;
            if (t < 16) {
                x = w[t];
            } else {
                uint32_t w15 = w[(t + 1) & 15], w2 = w[(t + 14) & 15];
                uint32_t s0 = rotate(w15, 7) ^ rotate(w15, 18) ^ (w15 >> 3);
                uint32_t s1 = rotate(w2, 17) ^ rotate(w2, 19) ^ (w2 >> 10);
                x = w[t & 15] += s0 + w[(t + 9) & 15] + s1;
            }
            uint32_t big1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
            uint32_t t1 = h + big1 + ((e & f) ^ (~e & g)) + round_constant[t] + x;
            uint32_t big0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
            uint32_t t2 = big0 + ((a & b) ^ (a & c) ^ (b & c));
            h = g;
            g = f;
            f = e;
            e = d + t1;
            d = c;
            c = b;
            b = a;
            a = t1 + t2;
        }
        h_[0] += a;
        h_[1] += b;
        h_[2] += c;
        h_[3] += d;
        h_[4] += e;
        h_[5] += f;
        h_[6] += g;
        h_[7] += h;
    }

    __device__ Digest digest() const
    {
        Digest r;
        for (int i = 0; i < 8; i++)
            r.w[i] = h_[i];
        return r;
    }
};

__device__ Digest hash_bytes(const uint8_t *p, uint32_t n)
{
    Sha256 sha;
    uint32_t blocks = (n + 8) / 64 + 1;
    for (uint32_t b = 0; b < blocks; b++) {
        uint32_t w[16];
        for (int i = 0; i < 16; i++) {
            uint32_t x = 0;
            for (int k = 0; k < 4; k++) {
                uint32_t at = b * 64 + i * 4 + k;
                uint32_t byte = at < n ? p[at] : at == n ? 0x80 : 0;
                x = x << 8 | byte;
            }
            w[i] = x;
        }
        if (b == blocks - 1) {
            w[14] = n >> 29;
            w[15] = n << 3;
        }
        sha.block(w);
    }
    return sha.digest();
}

// Inner node: the hash of the two children's 64 bytes (one data block and one of padding).
__device__ Digest hash_pair(const Digest &l, const Digest &r)
{
    uint32_t w[16];
    for (int i = 0; i < 8; i++) {
        w[i] = l.w[i];
        w[i + 8] = r.w[i];
    }
    Sha256 sha;
    sha.block(w);
    for (int i = 0; i < 16; i++)
        w[i] = i == 0 ? 0x80000000u : i == 15 ? 512u : 0u;
    sha.block(w);
    return sha.digest();
}

__global__ void leaf_kernel(const uint8_t *data, const uint32_t *offset, Digest *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = hash_bytes(data + offset[i], offset[i + 1] - offset[i]);
}

__global__ void level_kernel(const Digest *below, Digest *above, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        above[i] = hash_pair(below[2 * i], below[2 * i + 1]);
}

// Node 1 is the root, node i has the children 2i and 2i + 1; lanes walk from their leaf to the root.
__global__ void proof_kernel(const Digest *tree, const Digest *claimed, int leaves, unsigned *accepted)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= leaves)
        return;
    Digest d = claimed[i];
    for (int node = leaves + i; node > 1; node >>= 1) {
        Digest sibling = tree[node ^ 1];
        d = node & 1 ? hash_pair(sibling, d) : hash_pair(d, sibling);
    }
    bool good = true;
    for (int k = 0; k < 8; k++)
        good = good && d.w[k] == tree[1].w[k];
    if (good)
        atomicAdd(accepted, 1u);
}

// --- host ---

static uint32_t root_bits(int prime, bool cube)
{
    long double r = cube ? std::cbrt((long double)prime) : std::sqrt((long double)prime);
    return (uint32_t)(uint64_t)((r - std::floor(r)) * 4294967296.0L);
}

static void first_primes(std::vector<int> &primes, int count)
{
    for (int n = 2; (int)primes.size() < count; n++) {
        bool prime = true;
        for (int p : primes)
            prime = prime && n % p != 0;
        if (prime)
            primes.push_back(n);
    }
}

class HostSha {
    std::vector<uint32_t> k_, h_;

public:
    HostSha(const std::vector<uint32_t> &k, const std::vector<uint32_t> &h) : k_(k), h_(h) {}

    Digest operator()(std::vector<uint8_t> m) const
    {
        uint64_t bits = m.size() * 8;
        m.push_back(0x80);
        while (m.size() % 64 != 56)
            m.push_back(0);
        for (int i = 7; i >= 0; i--)
            m.push_back((uint8_t)(bits >> (8 * i)));
        auto rot = [](uint32_t x, int n) { return x >> n | x << (32 - n); };
        std::vector<uint32_t> h = h_;
        for (size_t at = 0; at < m.size(); at += 64) {
            uint32_t w[64];
            for (int t = 0; t < 64; t++)
                if (t < 16)
                    w[t] = (uint32_t)m[at + 4 * t] << 24 | m[at + 4 * t + 1] << 16 | m[at + 4 * t + 2] << 8 |
                           m[at + 4 * t + 3];
                else
                    w[t] = w[t - 16] + w[t - 7] + (rot(w[t - 15], 7) ^ rot(w[t - 15], 18) ^ w[t - 15] >> 3) +
                           (rot(w[t - 2], 17) ^ rot(w[t - 2], 19) ^ w[t - 2] >> 10);
            std::vector<uint32_t> v = h;
            for (int t = 0; t < 64; t++) {
                uint32_t ch = v[6] ^ (v[4] & (v[5] ^ v[6])), maj = (v[0] & v[1]) | (v[2] & (v[0] | v[1]));
                uint32_t t1 = v[7] + (rot(v[4], 6) ^ rot(v[4], 11) ^ rot(v[4], 25)) + ch + k_[t] + w[t];
                uint32_t t2 = (rot(v[0], 2) ^ rot(v[0], 13) ^ rot(v[0], 22)) + maj;
                std::rotate(v.begin(), v.end() - 1, v.end());
                v[0] = t1 + t2;
                v[4] += t1;
            }
            for (int i = 0; i < 8; i++)
                h[i] += v[i];
        }
        Digest d;
        std::copy(h.begin(), h.end(), d.w);
        return d;
    }
};

static void same(const char *what, long where, const Digest &expected, const Digest &got)
{
    for (int i = 0; i < 8; i++)
        app::equal(what, where, expected.w[i], got.w[i]);
}

static void append(std::vector<uint8_t> &v, const Digest &d)
{
    for (uint32_t w : d.w)
        for (int s = 24; s >= 0; s -= 8)
            v.push_back((uint8_t)(w >> s));
}

int main(int argc, char **argv)
{
    int levels = app::start(argc, argv, "sha_merkle", 7, 3, 14);
    int leaves = 1 << levels;
    std::vector<int> primes;
    first_primes(primes, 64);
    std::vector<uint32_t> k, h0;
    for (int i = 0; i < 64; i++)
        k.push_back(root_bits(primes[i], true));
    for (int i = 0; i < 8; i++)
        h0.push_back(root_bits(primes[i], false));
    GPU(cudaMemcpyToSymbol(round_constant, k.data(), 256));
    GPU(cudaMemcpyToSymbol(initial_state, h0.data(), 32));
    HostSha sha(k, h0);

    std::vector<std::vector<uint8_t>> messages(leaves);
    const char *known[3] = {"", "abc", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"};
    const Digest known_digest[3] = {
        {{0xe3b0c442, 0x98fc1c14, 0x9afbf4c8, 0x996fb924, 0x27ae41e4, 0x649b934c, 0xa495991b, 0x7852b855}},
        {{0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223, 0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad}},
        {{0x248d6a61, 0xd20638b8, 0xe5c02693, 0x0c3e6039, 0xa33ce459, 0x64ff2167, 0xf6ecedd4, 0x19db06c1}}};
    app::Lcg rng(2);
    std::vector<uint8_t> data;
    std::vector<uint32_t> offset(1, 0);
    for (int i = 0; i < leaves; i++) {
        if (i < 3)
            messages[i].assign(known[i], known[i] + std::strlen(known[i]));
        else
            for (uint32_t n = rng.below(200); n > 0; n--)
                messages[i].push_back((uint8_t)rng.next());
        data.insert(data.end(), messages[i].begin(), messages[i].end());
        offset.push_back((uint32_t)data.size());
    }

    app::Buffer<uint8_t> d_data(data);
    app::Buffer<uint32_t> d_offset(offset);
    app::Buffer<Digest> d_tree(2 * leaves);
    app::Buffer<unsigned> d_count(std::vector<unsigned>(1, 0));
    leaf_kernel<<<app::blocks_for(leaves, 64), 64>>>(d_data.get(), d_offset.get(), d_tree.get() + leaves,
                                                     leaves);
    for (int n = leaves / 2; n >= 1; n /= 2)
        level_kernel<<<app::blocks_for(n, 64), 64>>>(d_tree.get() + 2 * n, d_tree.get() + n, n);
    GPU_DONE();
    std::vector<Digest> tree = d_tree.read();

    for (int i = 0; i < 3; i++)
        same("FIPS 180-4 digest", i, known_digest[i], tree[leaves + i]);
    std::vector<Digest> expected(2 * leaves);
    for (int i = 2 * leaves - 1; i >= 1; i--) {
        std::vector<uint8_t> m;
        if (i >= leaves) {
            m = messages[i - leaves];
        } else {
            append(m, expected[2 * i]);
            append(m, expected[2 * i + 1]);
        }
        expected[i] = sha(m);
        same("tree node", i, expected[i], tree[i]);
    }

    std::vector<Digest> claimed(tree.begin() + leaves, tree.end());
    unsigned forged = 0;
    for (int i = 0; i < leaves; i += 5, forged++)
        claimed[i].w[i % 8] ^= 1u << (i % 32);
    app::Buffer<Digest> d_claimed(claimed);
    proof_kernel<<<app::blocks_for(leaves, 64), 64>>>(d_tree.get(), d_claimed.get(), leaves, d_count.get());
    GPU_DONE();
    app::equal("accepted proofs", "all leaves", (unsigned)leaves - forged, d_count.read()[0]);
    return app::pass();
}
