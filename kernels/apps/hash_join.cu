// hash_join: data bases. `select o.region, count, sum, min, max from orders o join lines l on key group by
// region`: a hash table built with 64-bit compare-and-swap, a probe that writes the matches through a warp-
// aggregated counter, and a group-by in shared memory followed by atomics of every kind on the groups in
// global memory. A radix partition of the probe side comes first.
// Exercises: atomicCAS on 64 bits, atomicAdd of 32 and 64 bits, atomicMin and Max of signed and unsigned 64
// bits, atomicOr, ballots with popc, open addressing with divergent loops, histogram, scan and scatter.
// Checked against a sort-merge join on the host.
#include "../app.h"

#include <map>

typedef unsigned long long u64;

struct Order {
    uint32_t key;
    int region;
};

struct Line {
    uint32_t key;
    int price;
};

struct Group {
    u64 count, keys; // keys: a 64-bit sketch of the keys seen
    long long sum, min, max;
};

static const u64 EMPTY = ~0ull;
static const int PARTS = 16, REGIONS = 10;

__host__ __device__ inline uint32_t mix(uint32_t k)
{
    k ^= k >> 16;
    k *= 0x7feb352du;
    k ^= k >> 15;
    k *= 0x846ca68bu;
    return k ^ (k >> 16);
}

__global__ void histogram_kernel(const Line *lines, int n, int *counts)
{
    __shared__ int local[PARTS];
    if (threadIdx.x < PARTS)
        local[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&local[mix(lines[i].key) % PARTS], 1);
    __syncthreads();
    if (threadIdx.x < PARTS)
        counts[threadIdx.x * gridDim.x + blockIdx.x] = local[threadIdx.x];
}

// One warp: exclusive scan of all (part, block) counts.
__global__ void scan_kernel(int *counts, int n)
{
    int carry = 0;
    for (int base = 0; base < n; base += 32) {
        int i = base + threadIdx.x, mine = i < n ? counts[i] : 0, v = mine;
        for (int d = 1; d < 32; d *= 2) {
            int up = __shfl_up_sync(0xffffffffu, v, d);
            if ((int)threadIdx.x >= d)
                v += up;
        }
        if (i < n)
            counts[i] = carry + v - mine;
        carry += __shfl_sync(0xffffffffu, v, 31);
    }
}

// Stable within a block: the rank within the warp by ballots, across the warps of the block by shared counts.
__global__ void scatter_kernel(const Line *lines, int n, const int *start, Line *out)
{
    __shared__ int used[PARTS];
    if (threadIdx.x < PARTS)
        used[threadIdx.x] = start[threadIdx.x * gridDim.x + blockIdx.x];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    Line mine = i < n ? lines[i] : Line{0, 0};
    int part = i < n ? (int)(mix(mine.key) % PARTS) : PARTS;
    for (int turn = 0; turn < (int)blockDim.x / 32; turn++) {
        __syncthreads();
        if (turn != warp)
            continue;
        for (int p = 0; p < PARTS; p++) {
            unsigned members = __ballot_sync(0xffffffffu, part == p);
            int base = used[p];
            __syncwarp();
            if (part == p)
                out[base + __popc(members & ((1u << lane) - 1))] = mine;
            if (lane == 0)
                used[p] = base + __popc(members);
            __syncwarp();
        }
    }
}

__global__ void build_kernel(const Order *orders, int n, u64 *table, unsigned mask, int *duplicates)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    u64 entry = (u64)orders[i].key << 32 | (uint32_t)i;
    for (unsigned slot = mix(orders[i].key) & mask;; slot = (slot + 1) & mask) {
        u64 old = atomicCAS(&table[slot], EMPTY, entry);
        if (old == EMPTY)
            return;
        if ((uint32_t)(old >> 32) == orders[i].key) {
            atomicAdd(duplicates, 1);
            return;
        }
    }
}

__global__ void probe_kernel(const Line *lines, int n, const u64 *table, unsigned mask, int2 *matches,
                             int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    int found = -1;
    if (i < n) {
        uint32_t key = lines[i].key;
        unsigned slot = mix(key) & mask;
        for (u64 e = table[slot]; e != EMPTY; e = table[slot]) {
            if ((uint32_t)(e >> 32) == key) {
                found = (int)(uint32_t)e;
                break;
            }
            slot = (slot + 1) & mask;
        }
    }
    unsigned hits = __ballot_sync(0xffffffffu, found >= 0);
    int base = 0;
    if (lane == 0 && hits)
        base = atomicAdd(count, __popc(hits));
    base = __shfl_sync(0xffffffffu, base, 0);
    if (found >= 0)
        matches[base + __popc(hits & ((1u << lane) - 1))] = make_int2(i, found);
}

__global__ void group_kernel(const int2 *matches, const int *count, const Line *lines, const Order *orders,
                             Group *groups)
{
    __shared__ Group local[REGIONS];
    for (int r = threadIdx.x; r < REGIONS; r += blockDim.x)
        local[r] = Group{0, 0, 0, INT64_MAX, INT64_MIN};
    __syncthreads();
    for (int m = blockIdx.x * blockDim.x + threadIdx.x; m < *count; m += gridDim.x * blockDim.x) {
        const Line l = lines[matches[m].x];
        Group *g = &local[orders[matches[m].y].region];
        atomicAdd(&g->count, 1ull);
        atomicOr(&g->keys, 1ull << (mix(l.key) >> 26));
        atomicAdd((u64 *)&g->sum,
                  (u64)(long long)l.price); // two's complement: signed sums add as unsigned ones
        atomicMin(&g->min, (long long)l.price);
        atomicMax(&g->max, (long long)l.price);
    }
    __syncthreads();
    for (int r = threadIdx.x; r < REGIONS; r += blockDim.x) {
        atomicAdd(&groups[r].count, local[r].count);
        atomicOr(&groups[r].keys, local[r].keys);
        atomicAdd((u64 *)&groups[r].sum, (u64)local[r].sum);
        atomicMin(&groups[r].min, local[r].min);
        atomicMax(&groups[r].max, local[r].max);
    }
}

static std::vector<Group> host_join(std::vector<Order> o, std::vector<Line> l, int &matches)
{
    std::vector<Group> groups(REGIONS, Group{0, 0, 0, INT64_MAX, INT64_MIN});
    std::sort(o.begin(), o.end(), [](const Order &a, const Order &b) { return a.key < b.key; });
    std::sort(l.begin(), l.end(), [](const Line &a, const Line &b) { return a.key < b.key; });
    size_t i = 0;
    for (const Line &e : l) {
        while (i < o.size() && o[i].key < e.key)
            i++;
        if (i == o.size() || o[i].key != e.key)
            continue;
        Group &g = groups[o[i].region];
        g.count++;
        g.keys |= 1ull << (mix(e.key) >> 26);
        g.sum += e.price;
        g.min = std::min<long long>(g.min, e.price);
        g.max = std::max<long long>(g.max, e.price);
        matches++;
    }
    return groups;
}

static void check_partition(const std::vector<Line> &before, const std::vector<Line> &after)
{
    std::vector<Line> expected = before;
    std::stable_sort(expected.begin(), expected.end(),
                     [](const Line &a, const Line &b) { return mix(a.key) % PARTS < mix(b.key) % PARTS; });
    for (size_t i = 0; i < expected.size(); i++) {
        app::equal("partitioned key", (long)i, expected[i].key, after[i].key);
        app::equal("partitioned price", (long)i, expected[i].price, after[i].price);
    }
}

int main(int argc, char **argv)
{
    int n_lines = app::start(argc, argv, "hash_join", 10000, 100, 1000000), n_orders = n_lines / 4;
    app::Lcg rng(10);
    std::vector<Order> orders;
    std::vector<Line> lines;
    std::map<uint32_t, int> seen;
    while ((int)orders.size() < n_orders) {
        uint32_t key = rng.below(8 * n_orders);
        if (seen.insert(std::make_pair(key, 0)).second)
            orders.push_back(Order{key, (int)rng.below(REGIONS)});
    }
    for (int i = 0; i < n_lines; i++) {
        uint32_t key = rng.below(3) ? orders[rng.below(n_orders)].key : rng.below(8 * n_orders);
        lines.push_back(Line{key, (int)rng.next() / 1024});
    }
    unsigned capacity = 1;
    while (capacity < 2u * n_orders)
        capacity *= 2;

    int line_blocks = app::blocks_for(n_lines, 128);
    app::Buffer<Order> d_orders(orders);
    app::Buffer<Line> d_lines(lines), d_parts(n_lines);
    app::Buffer<int> d_counts(PARTS * line_blocks), d_duplicates(1), d_matched(1);
    app::Buffer<u64> d_table(capacity);
    app::Buffer<int2> d_matches(n_lines);
    app::Buffer<Group> d_groups(std::vector<Group>(REGIONS, Group{0, 0, 0, INT64_MAX, INT64_MIN}));
    d_table.fill(0xff);
    d_duplicates.fill(0);
    d_matched.fill(0);
    histogram_kernel<<<line_blocks, 128>>>(d_lines.get(), n_lines, d_counts.get());
    scan_kernel<<<1, 32>>>(d_counts.get(), PARTS * line_blocks);
    scatter_kernel<<<line_blocks, 128>>>(d_lines.get(), n_lines, d_counts.get(), d_parts.get());
    build_kernel<<<app::blocks_for(n_orders, 128), 128>>>(d_orders.get(), n_orders, d_table.get(),
                                                          capacity - 1, d_duplicates.get());
    probe_kernel<<<line_blocks, 128>>>(d_parts.get(), n_lines, d_table.get(), capacity - 1, d_matches.get(),
                                       d_matched.get());
    group_kernel<<<4, 128>>>(d_matches.get(), d_matched.get(), d_parts.get(), d_orders.get(), d_groups.get());
    GPU_DONE();

    int matches = 0;
    std::vector<Group> expected = host_join(orders, lines, matches), got = d_groups.read();
    check_partition(lines, d_parts.read());
    app::equal("duplicate keys", "build", 0, d_duplicates.read()[0]);
    app::equal("matches", "probe", matches, d_matched.read()[0]);
    app::holds("some lines match and some do not", "input", matches > n_lines / 2 && matches < n_lines);
    for (int r = 0; r < REGIONS; r++) {
        app::equal("count of region", r, expected[r].count, got[r].count);
        app::equal("sum of region", r, expected[r].sum, got[r].sum);
        app::equal("min of region", r, expected[r].min, got[r].min);
        app::equal("max of region", r, expected[r].max, got[r].max);
        app::equal("key sketch of region", r, expected[r].keys, got[r].keys);
    }
    std::vector<u64> table = d_table.read();
    app::equal("entries in the table", "build", (long)n_orders,
               (long)(table.size() - std::count(table.begin(), table.end(), EMPTY)));
    return app::pass();
}
