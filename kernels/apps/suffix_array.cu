// suffix_array: text processing. Suffix array by prefix doubling with a least-significant-digit radix sort
// of (rank, rank) pairs, the longest-common-prefix array, pattern search by binary search, and an Aho-
// Corasick automaton run over overlapping pieces of the text.
// Exercises: one-bit split sorts by ballot and block scan, gather and scatter, kernels that loop on a device
// flag copied back, state machines over bytes, __ldg, a persistent block-wide scan with __syncthreads_or.
// Checked against std::sort of the suffixes, a direct character comparison and std::string::find.
#include "../app.h"

#include <cstring>
#include <queue>

static const int BLOCK = 128, DIGITS = 16;

// Counts of each 4-bit digit by block, digit-major, ready for one scan.
__global__ void count_kernel(const unsigned *keys, const int *order, int n, int shift, int *counts)
{
    __shared__ int local[DIGITS];
    if (threadIdx.x < DIGITS)
        local[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        atomicAdd(&local[keys[order[i]] >> shift & (DIGITS - 1)], 1);
    __syncthreads();
    if (threadIdx.x < DIGITS)
        counts[threadIdx.x * gridDim.x + blockIdx.x] = local[threadIdx.x];
}

// Inclusive scan across a block; every thread also learns the total.
__device__ int block_scan(int v, int *total)
{
    __shared__ int warp_total[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    for (int d = 1; d < 32; d *= 2) {
        int up = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d)
            v += up;
    }
    __syncthreads();
    if (lane == 31)
        warp_total[warp] = v;
    __syncthreads();
    int before = 0, sum = 0;
    for (int w = 0; w < warps; w++) {
        before += w < warp ? warp_total[w] : 0;
        sum += warp_total[w];
    }
    *total = sum;
    return v + before;
}

// One block scans any length: in place, exclusive or inclusive.
__global__ void scan_kernel(int *data, int n, bool exclusive)
{
    int carry = 0;
    for (int base = 0; __syncthreads_or(base < n); base += blockDim.x) {
        int i = base + threadIdx.x, v = i < n ? data[i] : 0, total;
        int sum = block_scan(v, &total);
        if (i < n)
            data[i] = carry + sum - (exclusive ? v : 0);
        carry += total;
    }
}

// Stable: the place within the block is the rank among equal digits, found digit bit by digit bit in shared
// memory.
__global__ void scatter_kernel(const unsigned *keys, const int *order, int n, int shift, const int *starts,
                               int *out)
{
    __shared__ int digit_first[DIGITS];
    __shared__ int item[BLOCK], digit[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t, here = min(BLOCK, n - (int)blockIdx.x * BLOCK);
    int mine = i < n ? order[i] : 0, d = i < n ? (int)(keys[mine] >> shift & (DIGITS - 1)) : DIGITS;
    for (int bit = 0; bit < 5; bit++) { // five bits: the idle threads' 16 sorts last
        int total, ones = block_scan(d >> bit & 1, &total), zeros = BLOCK - total;
        int place = d >> bit & 1 ? zeros + ones - 1 : t - ones;
        item[place] = mine;
        digit[place] = d;
        __syncthreads();
        mine = item[t];
        d = digit[t];
        __syncthreads();
    }
    if (t < here && (t == 0 || digit[t - 1] != d))
        digit_first[d] = t;
    __syncthreads();
    if (t < here)
        out[starts[d * gridDim.x + blockIdx.x] + t - digit_first[d]] = mine;
}

__global__ void iota_kernel(int *order, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        order[i] = i;
}

__global__ void first_rank_kernel(const uint8_t *text, unsigned *rank, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        rank[i] = text[i] + 1u;
}

// Second key: the rank of the suffix h further on, 0 past the end.
__global__ void second_key_kernel(const unsigned *rank, unsigned *key, int n, int h)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        key[i] = i + h < n ? rank[i + h] : 0;
}

__global__ void mark_kernel(const int *order, const unsigned *rank, const unsigned *key, int *fresh, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        fresh[i] = i == 0 || rank[order[i]] != rank[order[i - 1]] || key[order[i]] != key[order[i - 1]];
}

__global__ void rank_kernel(const int *order, const int *fresh, unsigned *rank, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        rank[order[i]] = (unsigned)fresh[i];
}

__global__ void lcp_kernel(const uint8_t *text, const int *order, int *lcp, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int length = 0;
    if (i > 0)
        while (max(order[i], order[i - 1]) + length < n &&
               text[order[i] + length] == text[order[i - 1] + length])
            length++;
    lcp[i] = length;
}

struct Pattern {
    char text[16];
    int length;
};

__device__ int compare(const uint8_t *text, int n, int at, const Pattern &p)
{
    for (int k = 0; k < p.length; k++) {
        if (at + k >= n)
            return -1;
        int difference = (int)text[at + k] - (uint8_t)p.text[k];
        if (difference)
            return difference;
    }
    return 0;
}

// The number of suffixes that start with the pattern: two binary searches.
__global__ void search_kernel(const uint8_t *text, const int *order, int n, const Pattern *patterns,
                              int *found, int count)
{
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= count)
        return;
    int bound[2];
    for (int side = 0; side < 2; side++) {
        int low = 0, high = n;
        while (low < high) {
            int mid = (low + high) / 2, c = compare(text, n, order[mid], patterns[q]);
            if (c < 0 || (side == 1 && c == 0))
                low = mid + 1;
            else
                high = mid;
        }
        bound[side] = low;
    }
    found[q] = bound[1] - bound[0];
}

struct Automaton {
    const short *go;      // state * 256 + byte
    const short *output;  // pattern that ends here, or -1
    const short *shorter; // next state on the failure chain with an output, or 0
};

// Each thread owns 32 bytes and starts early enough to be in the right state when it gets there.
__global__ void automaton_kernel(const uint8_t *text, int n, Automaton a, int longest, int *found)
{
    int begin = (blockIdx.x * blockDim.x + threadIdx.x) * 32, end = min(n, begin + 32), state = 0;
    for (int i = max(0, begin - longest + 1); i < end; i++) {
        state = __ldg(&a.go[state * 256 + text[i]]);
        if (i < begin)
            continue;
        for (int s = state; s > 0; s = a.shorter[s])
            if (a.output[s] >= 0)
                atomicAdd(&found[a.output[s]], 1);
    }
}

class Sorter {
    int n_, blocks_;
    app::Buffer<int> spare_, counts_;

public:
    explicit Sorter(int n) : n_(n), blocks_(app::blocks_for(n, BLOCK)), spare_(n), counts_(DIGITS * blocks_)
    {
    }
    void sort(const unsigned *keys, int *order, unsigned bound)
    {
        int *from = order, *to = spare_.get();
        int passes = 0;
        for (int shift = 0; shift < 32 && bound >> shift; shift += 4, passes++) {
            count_kernel<<<blocks_, BLOCK>>>(keys, from, n_, shift, counts_.get());
            scan_kernel<<<1, 256>>>(counts_.get(), DIGITS * blocks_, true);
            scatter_kernel<<<blocks_, BLOCK>>>(keys, from, n_, shift, counts_.get(), to);
            std::swap(from, to);
        }
        if (passes % 2)
            GPU(cudaMemcpy(order, from, n_ * sizeof(int), cudaMemcpyDeviceToDevice));
    }
};

static void build_suffix_array(const uint8_t *text, int *order, int n)
{
    int blocks = app::blocks_for(n, BLOCK);
    app::Buffer<unsigned> rank(n), key(n);
    app::Buffer<int> fresh(n);
    Sorter sorter(n);
    iota_kernel<<<blocks, BLOCK>>>(order, n);
    first_rank_kernel<<<blocks, BLOCK>>>(text, rank.get(), n);
    unsigned bound = 256;
    for (int h = 0, classes = 0; classes < n && h < 2 * n; h = h ? 2 * h : 1) {
        second_key_kernel<<<blocks, BLOCK>>>(rank.get(), key.get(), n, h);
        sorter.sort(key.get(), order, bound);
        sorter.sort(rank.get(), order, bound);
        mark_kernel<<<blocks, BLOCK>>>(order, rank.get(), key.get(), fresh.get(), n);
        scan_kernel<<<1, 256>>>(fresh.get(), n, false);
        rank_kernel<<<blocks, BLOCK>>>(order, fresh.get(), rank.get(), n);
        GPU(cudaMemcpy(&classes, fresh.get() + n - 1, sizeof(int), cudaMemcpyDeviceToHost));
        bound = (unsigned)classes;
    }
    GPU_DONE();
}

struct HostAutomaton {
    std::vector<short> go, output, shorter;
    int longest = 0;

    explicit HostAutomaton(const std::vector<Pattern> &patterns) : go(256, -1), output(1, -1)
    {
        for (size_t p = 0; p < patterns.size(); p++) {
            int s = 0;
            longest = std::max(longest, patterns[p].length);
            for (int k = 0; k < patterns[p].length; k++) {
                int edge = s * 256 + (uint8_t)patterns[p].text[k];
                if (go[edge] < 0) {
                    go[edge] = (short)output.size();
                    output.push_back(-1);
                    go.resize(go.size() + 256, -1);
                }
                s = go[edge];
            }
            output[s] = (short)p;
        }
        std::vector<int> fail(output.size(), 0);
        shorter.assign(output.size(), 0);
        std::queue<int> queue;
        queue.push(0);
        for (; !queue.empty(); queue.pop()) {
            int s = queue.front();
            for (int c = 0; c < 256; c++) {
                int t = go[s * 256 + c], back = s ? go[fail[s] * 256 + c] : 0;
                if (t < 0) {
                    go[s * 256 + c] = (short)back;
                    continue;
                }
                fail[t] = back;
                shorter[t] = (short)(output[back] >= 0 ? back : shorter[back]);
                queue.push(t);
            }
        }
    }
};

int main(int argc, char **argv)
{
    int n = app::start(argc, argv, "suffix_array", 800, 64, 200000);
    app::Lcg rng(19);
    std::string text;
    const char *words[6] = {"abra", "cadabra", "banana", "ssi", "mississippi", "\xff\x01"};
    while ((int)text.size() < n) // much repetition, so that several doublings are needed
        text +=
            rng.below(5) ? words[rng.below(6)] : std::string(1 + rng.below(20), (char)('a' + rng.below(3)));
    text.resize(n);
    app::Buffer<uint8_t> d_text(std::vector<uint8_t>(text.begin(), text.end()));
    app::Buffer<int> d_order(n), d_lcp(n);
    build_suffix_array(d_text.get(), d_order.get(), n);
    lcp_kernel<<<app::blocks_for(n, BLOCK), BLOCK>>>(d_text.get(), d_order.get(), d_lcp.get(), n);

    std::vector<Pattern> patterns;
    for (int i = 0; i < 60; i++) {
        Pattern p = {};
        p.length = 1 + (int)rng.below(12);
        int at = (int)rng.below(n - p.length);
        std::memcpy(p.text, text.data() + at, p.length);
        if (i % 5 == 4) // many of these occur nowhere
            p.text[rng.below(p.length)] = "xabs"[rng.below(4)];
        bool known = false;
        for (const Pattern &q : patterns)
            known = known || (q.length == p.length && std::memcmp(q.text, p.text, p.length) == 0);
        if (!known)
            patterns.push_back(p);
    }
    int count = (int)patterns.size();
    HostAutomaton host(patterns);
    app::Buffer<Pattern> d_patterns(patterns);
    app::Buffer<int> d_searched(count), d_matched(count);
    app::Buffer<short> d_go(host.go), d_output(host.output), d_shorter(host.shorter);
    d_matched.fill(0);
    search_kernel<<<app::blocks_for(count, 64), 64>>>(d_text.get(), d_order.get(), n, d_patterns.get(),
                                                      d_searched.get(), count);
    Automaton a = {d_go.get(), d_output.get(), d_shorter.get()};
    automaton_kernel<<<app::blocks_for(n, 32 * 64), 64>>>(d_text.get(), n, a, host.longest, d_matched.get());
    GPU_DONE();

    std::vector<int> expected(n), order = d_order.read(), lcp = d_lcp.read();
    for (int i = 0; i < n; i++)
        expected[i] = i;
    std::sort(expected.begin(), expected.end(),
              [&](int x, int y) { return text.compare(x, n, text, y, n) < 0; });
    for (int i = 0; i < n; i++) {
        app::equal("suffix", i, expected[i], order[i]);
        int length = 0;
        while (i > 0 && std::max(expected[i], expected[i - 1]) + length < n &&
               text[expected[i] + length] == text[expected[i - 1] + length])
            length++;
        app::equal("common prefix", i, length, lcp[i]);
    }
    std::vector<int> searched = d_searched.read(), matched = d_matched.read();
    for (int p = 0; p < count; p++) {
        int times = 0;
        std::string needle(patterns[p].text, patterns[p].length);
        for (size_t at = text.find(needle); at != std::string::npos; at = text.find(needle, at + 1))
            times++;
        app::equal("occurrences by binary search", p, times, searched[p]);
        app::equal("occurrences by automaton", p, times, matched[p]);
    }
    return app::pass();
}
