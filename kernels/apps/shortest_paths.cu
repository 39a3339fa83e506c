// shortest_paths: dynamic programming. All-pairs shortest paths by the blocked Floyd-Warshall scheme
// (diagonal tile, row and column tiles, the rest) with successor matrices for path reconstruction; then the
// longest common subsequence of two texts bit-parallel with carries, and a 0/1 knapsack in double-buffered
// rows.
// Exercises: shared-memory tiles with barriers in data-independent loops, saturating integer addition, 2D
// grids, 64-bit words with carry chains between lanes by ballot, ping-pong kernels, template tile roles.
// Checked against Dijkstra from every vertex, walks along the reconstructed paths, and row-by-row tables.
#include "../app.h"

#include <queue>

typedef unsigned long long u64;

static const int TILE = 16, FAR = 1 << 28;

enum Role { DIAGONAL, CROSS, REST };

// d(i,j) = min(d(i,j), d(i,k) + d(k,j)) for the 16 k of a round; the role says which tiles are this block's
// own.
template <Role ROLE> __global__ void round_kernel(int *dist, int *next, int n, int round)
{
    __shared__ int own[TILE][TILE + 1], left[TILE][TILE + 1], above[TILE][TILE + 1];
    int tx = threadIdx.x, ty = threadIdx.y, bx, by;
    if (ROLE == DIAGONAL) {
        bx = by = round;
    } else if (ROLE == CROSS) { // blockIdx.y = 0: row of the round, 1: column
        int other = blockIdx.x + (blockIdx.x >= (unsigned)round);
        bx = blockIdx.y == 0 ? other : round;
        by = blockIdx.y == 0 ? round : other;
    } else {
        bx = blockIdx.x + (blockIdx.x >= (unsigned)round);
        by = blockIdx.y + (blockIdx.y >= (unsigned)round);
    }
    int row = by * TILE + ty, col = bx * TILE + tx, k0 = round * TILE;
    own[ty][tx] = dist[row * n + col];
    left[ty][tx] = dist[row * n + k0 + tx];
    above[ty][tx] = dist[(k0 + ty) * n + col];
    int hop = next[row * n + col];
    for (int k = 0; k < TILE; k++) {
        __syncthreads();
        int a = ROLE == REST || (ROLE == CROSS && bx != round) ? left[ty][k] : own[ty][k];
        int b = ROLE == REST || (ROLE == CROSS && by != round) ? above[k][tx] : own[k][tx];
        int through = a + b;
        bool better = through < own[ty][tx];
        __syncthreads();
        if (better) {
            own[ty][tx] = through;
            hop = next[row * n + k0 + k];
        }
        if (ROLE != REST && better) // others of this block read the successor of the paths found just now
            next[row * n + col] = hop;
    }
    dist[row * n + col] = own[ty][tx];
    next[row * n + col] = hop;
}

static std::vector<int> dijkstra(const std::vector<std::vector<std::pair<int, int>>> &edges, int from)
{
    std::vector<int> d(edges.size(), FAR);
    std::priority_queue<std::pair<int, int>> heap;
    d[from] = 0;
    heap.push(std::make_pair(0, from));
    while (!heap.empty()) {
        std::pair<int, int> top = heap.top();
        heap.pop();
        if (-top.first > d[top.second])
            continue;
        for (const std::pair<int, int> &e : edges[top.second])
            if (d[top.second] + e.second < d[e.first]) {
                d[e.first] = d[top.second] + e.second;
                heap.push(std::make_pair(-d[e.first], e.first));
            }
    }
    return d;
}

static void check_paths(int n, app::Lcg &rng)
{
    std::vector<std::vector<std::pair<int, int>>> edges(n);
    std::vector<int> dist((size_t)n * n, FAR), next((size_t)n * n, -1);
    for (int v = 0; v < n; v++) {
        dist[v * n + v] = 0;
        next[v * n + v] = v;
        for (int k = 0; k < 3 && v % 13 != 7; k++) { // every 13th vertex has no way out
            int w = k == 0 ? (v + 1) % n : (int)rng.below(n), cost = 1 + (int)rng.below(k == 0 ? 60 : 300);
            if (w != v && cost < dist[v * n + w]) {
                dist[v * n + w] = cost;
                next[v * n + w] = w;
                edges[v].push_back(std::make_pair(w, cost));
            }
        }
    }
    std::vector<int> weight = dist;
    app::Buffer<int> d_dist(dist), d_next(next);
    int tiles = n / TILE;
    dim3 block(TILE, TILE);
    for (int r = 0; r < tiles; r++) {
        round_kernel<DIAGONAL><<<1, block>>>(d_dist.get(), d_next.get(), n, r);
        if (tiles > 1) {
            round_kernel<CROSS><<<dim3(tiles - 1, 2), block>>>(d_dist.get(), d_next.get(), n, r);
            round_kernel<REST><<<dim3(tiles - 1, tiles - 1), block>>>(d_dist.get(), d_next.get(), n, r);
        }
    }
    GPU_DONE();
    dist = d_dist.read();
    next = d_next.read();
    long unreachable = 0;
    for (int v = 0; v < n; v++) {
        std::vector<int> expected = dijkstra(edges, v);
        for (int w = 0; w < n; w++) {
            bool apart = expected[w] == FAR;
            unreachable += apart;
            app::equal("distance", v * n + w, expected[w],
                       apart && dist[v * n + w] >= FAR ? FAR : dist[v * n + w]);
            int length = 0, steps = 0;
            for (int at = v; at != w && !apart && steps <= n; steps++) {
                int hop = next[at * n + w];
                app::holds("path has a next hop", v * n + w, hop >= 0 && weight[at * n + hop] < FAR);
                length += weight[at * n + hop];
                at = hop;
            }
            if (!apart)
                app::equal("length of the path", v * n + w, expected[w], length);
        }
    }
    app::holds("some pairs are apart", "graph", unreachable > 0);
}

// --- longest common subsequence: one warp, each lane 64 columns of the bit vector ---

// Adds the 2048-bit numbers spread over the lanes: generate and propagate masks make the carries of all lanes
// at once.
__device__ u64 wide_add(u64 a, u64 b, int lane)
{
    u64 sum = a + b;
    unsigned generate = __ballot_sync(0xffffffffu, sum < a),
             propagate = __ballot_sync(0xffffffffu, sum == ~0ull);
    unsigned carries = ((generate << 1) + propagate) ^ propagate;
    return sum + (carries >> lane & 1);
}

__global__ void lcs_kernel(const u64 *masks, const uint8_t *b, int b_length, int a_length, int *result)
{
    int lane = threadIdx.x;
    u64 v = ~0ull;
    for (int j = 0; j < b_length; j++) {
        u64 m = masks[b[j] * 32 + lane], u = v & m;
        v = wide_add(v, u, lane) | (v & ~m);
    }
    int used = min(max(a_length - 64 * lane, 0), 64);
    int zeros = used == 0 ? 0 : __popcll(~v & (~0ull >> (64 - used)));
    for (int d = 16; d > 0; d /= 2)
        zeros += __shfl_xor_sync(0xffffffffu, zeros, d);
    if (lane == 0)
        *result = zeros;
}

static void check_lcs(int length_a, int length_b, app::Lcg &rng)
{
    std::vector<uint8_t> a(length_a), b(length_b);
    for (uint8_t &c : a)
        c = (uint8_t)rng.below(4);
    for (uint8_t &c : b)
        c = (uint8_t)rng.below(4);
    std::vector<u64> masks(4 * 32, 0);
    for (int i = 0; i < length_a; i++)
        masks[a[i] * 32 + i / 64] |= 1ull << (i % 64);
    app::Buffer<u64> d_masks(masks);
    app::Buffer<uint8_t> d_b(b);
    app::Buffer<int> d_result(1);
    lcs_kernel<<<1, 32>>>(d_masks.get(), d_b.get(), length_b, length_a, d_result.get());
    GPU_DONE();
    std::vector<int> row(length_b + 1, 0);
    for (int i = 0; i < length_a; i++)
        for (int j = 0, diagonal = 0; j < length_b; j++) {
            int old = row[j + 1];
            row[j + 1] = a[i] == b[j] ? diagonal + 1 : std::max(row[j], old);
            diagonal = old;
        }
    app::equal("longest common subsequence", length_a, row[length_b], d_result.read()[0]);
}

// --- knapsack: one launch an item, capacity across the grid ---

__global__ void item_kernel(const u64 *before, u64 *after, int weight, u64 value, int capacity)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c > capacity)
        return;
    u64 best = before[c];
    if (c >= weight)
        best = max(best, before[c - weight] + value);
    after[c] = best;
}

static void check_knapsack(int items, int capacity, app::Lcg &rng)
{
    app::Buffer<u64> a(capacity + 1), b(capacity + 1);
    a.fill(0);
    u64 *now = a.get(), *then = b.get();
    std::vector<u64> table(capacity + 1, 0);
    for (int i = 0; i < items; i++) {
        int weight = 5 + (int)rng.below(60);
        u64 value = ((u64)weight << 33) + rng.next(); // needs 64 bits
        item_kernel<<<app::blocks_for(capacity + 1, 128), 128>>>(now, then, weight, value, capacity);
        std::swap(now, then);
        for (int c = capacity; c >= weight; c--)
            table[c] = std::max(table[c], table[c - weight] + value);
    }
    GPU_DONE();
    std::vector<u64> got = (now == a.get() ? a : b).read();
    for (int c = 0; c <= capacity; c++)
        app::equal("knapsack of capacity", c, table[c], got[c]);
}

int main(int argc, char **argv)
{
    int n = (app::start(argc, argv, "shortest_paths", 80, 16, 512) + TILE - 1) / TILE * TILE;
    app::Lcg rng(16);
    check_paths(n, rng);
    check_lcs(1000, 700, rng);
    check_lcs(2048, 300, rng);
    check_lcs(64, 65, rng);
    check_knapsack(40, 900, rng);
    return app::pass();
}
