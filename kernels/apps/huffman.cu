// huffman: compression. Canonical Huffman coding: histogram in shared memory, code lengths on the host, bit
// offsets by a decoupled look-back scan on the device, encoding with atomicOr into 32-bit words, then
// parallel decoding of blocks from recorded bit positions with a table in constant memory.
// Exercises: shared atomics, blocks that wait for earlier blocks (threadfence, volatile flags, spinning),
// 64-bit shifts, __constant__ tables, byte loads, funnel shifts, binary search in device code.
// Checked by a bit-at-a-time tree decoder on the host, the exact compressed size and the entropy bound.
#include "../app.h"

#include <queue>

typedef unsigned long long u64;

static const int BLOCK = 128, PER_THREAD = 4, TILE = BLOCK * PER_THREAD, MAX_LENGTH = 15;

struct Code {
    uint16_t bits; // most significant code bit first
    uint8_t length;
};

struct DecodeTable { // canonical code: the first code and the first index of each length
    unsigned first_code[MAX_LENGTH + 2];
    int first_index[MAX_LENGTH + 2];
    uint8_t symbol[256];
};

__constant__ Code code_table[256];
__constant__ DecodeTable decode_table;

__global__ void histogram_kernel(const uint8_t *text, int n, unsigned *counts)
{
    __shared__ unsigned local[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        local[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[text[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        if (local[i])
            atomicAdd(&counts[i], local[i]);
}

// Flag in the top two bits, sum below: 1 the tile's own sum, 2 the sum of all tiles up to it.
static const u64 OWN = 1ull << 62, TOTAL = 2ull << 62, SUM_MASK = OWN - 1;

__device__ u64 look_back(volatile u64 *state, int tile, u64 sum)
{
    if (tile == 0) {
        __threadfence();
        state[0] = TOTAL | sum;
        return 0;
    }
    __threadfence();
    state[tile] = OWN | sum;
    u64 before = 0;
    for (int t = tile - 1;; t--) {
        u64 s = state[t];
        while (s == 0) {
            __threadfence();
            s = state[t];
        }
        before += s & SUM_MASK;
        if (s & TOTAL)
            break;
    }
    __threadfence();
    state[tile] = TOTAL | (before + sum);
    return before;
}

// Each tile takes its number from a counter, so a tile only waits for tiles that have already started.
__global__ void encode_kernel(const uint8_t *text, int n, unsigned *ticket, u64 *state, unsigned *out,
                              u64 *tile_bit)
{
    __shared__ int tile;
    __shared__ unsigned sums[BLOCK];
    __shared__ u64 base;
    int t = threadIdx.x;
    if (t == 0)
        tile = atomicAdd(ticket, 1u);
    __syncthreads();
    int first = tile * TILE + t * PER_THREAD;
    unsigned mine = 0;
    for (int i = first; i < first + PER_THREAD && i < n; i++)
        mine += code_table[text[i]].length;
    sums[t] = mine;
    for (int d = 1; d < BLOCK; d *= 2) {
        __syncthreads();
        unsigned v = t >= d ? sums[t - d] : 0;
        __syncthreads();
        sums[t] += v;
    }
    __syncthreads();
    if (t == 0) {
        base = look_back(state, tile, sums[BLOCK - 1]);
        tile_bit[tile] = base;
    }
    __syncthreads();
    u64 at = base + sums[t] - mine;
    for (int i = first; i < first + PER_THREAD && i < n; i++) {
        Code c = code_table[text[i]];
        // bit 31 of a word comes first; a code spans at most two words
        u64 wide = (u64)c.bits << (64 - c.length - (at & 31));
        atomicOr(&out[at >> 5], (unsigned)(wide >> 32));
        if ((unsigned)wide)
            atomicOr(&out[(at >> 5) + 1], (unsigned)wide);
        at += c.length;
    }
}

// One thread decodes one tile from its recorded position.
__global__ void decode_kernel(const unsigned *in, const u64 *tile_bit, int tiles, uint8_t *text, int n)
{
    int tile = blockIdx.x * blockDim.x + threadIdx.x;
    if (tile >= tiles)
        return;
    u64 at = tile_bit[tile];
    for (int i = tile * TILE; i < min(n, (tile + 1) * TILE); i++) {
        unsigned window = __funnelshift_l(in[(at >> 5) + 1], in[at >> 5], (unsigned)at & 31);
        int low = 1, high = MAX_LENGTH; // the shortest length whose codes reach beyond the window's
        while (low < high) {
            int mid = (low + high) / 2;
            unsigned end = decode_table.first_code[mid] +
                           (decode_table.first_index[mid + 1] - decode_table.first_index[mid]);
            if (window >> (32 - mid) < end)
                high = mid;
            else
                low = mid + 1;
        }
        text[i] = decode_table.symbol[decode_table.first_index[low] +
                                      ((window >> (32 - low)) - decode_table.first_code[low])];
        at += low;
    }
}

struct Tree {
    u64 weight;
    int left, right;
};

static void walk(const std::vector<Tree> &tree, int node, int depth, std::vector<int> &length)
{
    if (tree[node].left < 0) {
        length[node] = depth ? depth : 1;
        return;
    }
    walk(tree, tree[node].left, depth + 1, length);
    walk(tree, tree[node].right, depth + 1, length);
}

static std::vector<int> code_lengths(const std::vector<unsigned> &counts)
{
    std::vector<Tree> tree;
    std::priority_queue<std::pair<u64, int>, std::vector<std::pair<u64, int>>,
                        std::greater<std::pair<u64, int>>>
        heap;
    for (int s = 0; s < 256; s++) {
        tree.push_back(Tree{counts[s], -1, -1});
        if (counts[s])
            heap.push(std::make_pair((u64)counts[s], s));
    }
    while (heap.size() > 1) {
        std::pair<u64, int> a = heap.top();
        heap.pop();
        std::pair<u64, int> b = heap.top();
        heap.pop();
        tree.push_back(Tree{a.first + b.first, a.second, b.second});
        heap.push(std::make_pair(a.first + b.first, (int)tree.size() - 1));
    }
    std::vector<int> length(tree.size(), 0);
    walk(tree, heap.top().second, 0, length);
    length.resize(256);
    return length;
}

static void canonical(const std::vector<int> &length, std::vector<Code> &codes, DecodeTable &d)
{
    unsigned code = 0;
    int index = 0;
    for (int l = 1; l <= MAX_LENGTH; l++) {
        code *= 2;
        d.first_code[l] = code;
        d.first_index[l] = index;
        for (int s = 0; s < 256; s++)
            if (length[s] == l) {
                codes[s] = Code{(uint16_t)code++, (uint8_t)l};
                d.symbol[index++] = (uint8_t)s;
            }
    }
    d.first_code[MAX_LENGTH + 1] = 2 * code;
    d.first_index[MAX_LENGTH + 1] = index;
}

// Follows the bits one at a time, comparing with the code words themselves.
static std::vector<uint8_t> host_decode(const std::vector<unsigned> &words, const std::vector<Code> &codes,
                                        int n)
{
    std::vector<int> next(2, -1); // a binary trie: next[2 * node + bit], leaves as -2 - symbol
    for (int s = 0; s < 256; s++) {
        int node = 0;
        for (int k = codes[s].length - 1; k >= 0; k--) {
            int edge = 2 * node + (codes[s].bits >> k & 1);
            if (k == 0) {
                next[edge] = -2 - s;
            } else {
                if (next[edge] < 0) {
                    int fresh = (int)next.size() / 2;
                    next[edge] = fresh;
                    next.resize(next.size() + 2, -1);
                }
                node = next[edge];
            }
        }
    }
    std::vector<uint8_t> text;
    int node = 0;
    for (u64 bit = 0; (int)text.size() < n && bit < words.size() * 32; bit++) {
        node = next[2 * node + (words[bit / 32] >> (31 - bit % 32) & 1)];
        if (node < -1) {
            text.push_back((uint8_t)(-2 - node));
            node = 0;
        }
        if (node == -1)
            break;
    }
    return text;
}

int main(int argc, char **argv)
{
    int n = app::start(argc, argv, "huffman", 20000, 1000, 4000000);
    app::Lcg rng(11);
    std::vector<uint8_t> text(n);
    for (uint8_t &c : text) { // a skewed source of about 60 symbols
        int s = 0;
        while (s < 60 && rng.below(9) < 8)
            s++;
        c = (uint8_t)(s * 7 + 3);
    }
    int tiles = app::blocks_for(n, TILE);
    app::Buffer<uint8_t> d_text(text), d_back(n);
    app::Buffer<unsigned> d_counts(256), d_ticket(1);
    app::Buffer<u64> d_state(tiles), d_tile_bit(tiles);
    d_counts.fill(0);
    d_ticket.fill(0);
    d_state.fill(0);
    histogram_kernel<<<4, 128>>>(d_text.get(), n, d_counts.get());
    GPU_DONE();
    std::vector<unsigned> counts = d_counts.read(), expected(256, 0);
    for (uint8_t c : text)
        expected[c]++;
    for (int s = 0; s < 256; s++)
        app::equal("histogram", s, expected[s], counts[s]);

    std::vector<int> length = code_lengths(counts);
    std::vector<Code> codes(256, Code{0, 0});
    DecodeTable decode = {};
    canonical(length, codes, decode);
    u64 total = 0;
    double entropy = 0;
    for (int s = 0; s < 256; s++) {
        app::holds("code length in range", s, length[s] <= MAX_LENGTH);
        total += (u64)length[s] * counts[s];
        if (counts[s])
            entropy -= counts[s] * std::log2((double)counts[s] / n);
    }
    GPU(cudaMemcpyToSymbol(code_table, codes.data(), 256 * sizeof(Code)));
    GPU(cudaMemcpyToSymbol(decode_table, &decode, sizeof decode));
    app::Buffer<unsigned> d_out(total / 32 + 2);
    d_out.fill(0);
    encode_kernel<<<tiles, BLOCK>>>(d_text.get(), n, d_ticket.get(), d_state.get(), d_out.get(),
                                    d_tile_bit.get());
    decode_kernel<<<app::blocks_for(tiles, 32), 32>>>(d_out.get(), d_tile_bit.get(), tiles, d_back.get(), n);
    GPU_DONE();

    app::equal("compressed bits", "end", total, d_state.read()[tiles - 1] & SUM_MASK);
    app::holds("size within one bit a symbol of the entropy", "end",
               total >= entropy && total <= entropy + n);
    std::vector<uint8_t> host = host_decode(d_out.read(), codes, n), back = d_back.read();
    app::equal("symbols decoded by the host", "end", (long)n, (long)host.size());
    for (int i = 0; i < n; i++) {
        app::equal("symbol decoded by the host", i, (int)text[i], (int)host[i]);
        app::equal("symbol decoded by the device", i, (int)text[i], (int)back[i]);
    }
    return app::pass();
}
