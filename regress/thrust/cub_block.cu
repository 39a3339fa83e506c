// CUB: primitives of blocks and warps.
#include <cub/cub.cuh>

#include "cub_call.h"
#include "suite.h"

enum { THREADS = 96, ITEMS = 5, N = THREADS * ITEMS };

struct results {
    int scanned[N], sorted[N], ranked[N], differences[N], total, histogram[16], shuffled[THREADS], exchanged[N];
    int warp_sum[THREADS / 32], warp_scan[THREADS], warp_max_of_head[THREADS], blocked_sum[3], ballot[4];
};

__global__ void block_primitives(const int *in, results *r) {
    typedef cub::BlockLoad<int, THREADS, ITEMS, cub::BLOCK_LOAD_TRANSPOSE> Load;
    typedef cub::BlockStore<int, THREADS, ITEMS, cub::BLOCK_STORE_WARP_TRANSPOSE> Store;
    typedef cub::BlockScan<int, THREADS> Scan;
    typedef cub::BlockRadixSort<int, THREADS, ITEMS, int> Sort;
    typedef cub::BlockHistogram<unsigned char, THREADS, ITEMS, 16> Histogram;
    typedef cub::BlockHistogram<unsigned char, THREADS, ITEMS, 16, cub::BLOCK_HISTO_ATOMIC> AtomicHistogram;
    typedef cub::BlockAdjacentDifference<int, THREADS> Difference;
    typedef cub::BlockExchange<int, THREADS, ITEMS> Exchange;
    __shared__ union {
        Load::TempStorage load;
        Store::TempStorage store;
        Scan::TempStorage scan;
        Sort::TempStorage sort;
        Histogram::TempStorage histogram;
        AtomicHistogram::TempStorage atomic_histogram;
        Difference::TempStorage difference;
        Exchange::TempStorage exchange;
        typename cub::BlockReduce<int, THREADS>::TempStorage reduce;
        typename cub::BlockReduce<int, THREADS, cub::BLOCK_REDUCE_RAKING>::TempStorage raking;
        typename cub::BlockReduce<int, THREADS, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>::TempStorage commutative;
    } temporary;
    __shared__ int counts[16];
    int items[ITEMS], scanned[ITEMS], keys[ITEMS], values[ITEMS], differences[ITEMS];
    unsigned char bins[ITEMS];
    Load(temporary.load).Load(in, items);
    __syncthreads();
    Scan(temporary.scan).InclusiveSum(items, scanned);
    __syncthreads();
    Store(temporary.store).Store(r->scanned, scanned);
    __syncthreads();
    for (int i = 0; i < ITEMS; i++) {
        keys[i] = items[i];
        values[i] = (int)threadIdx.x * ITEMS + i;
        bins[i] = (unsigned char)(items[i] % 16);
    }
    Sort(temporary.sort).SortDescending(keys, values);
    __syncthreads();
    Store(temporary.store).Store(r->sorted, keys);
    __syncthreads();
    Store(temporary.store).Store(r->ranked, values);
    __syncthreads();
    Difference(temporary.difference).SubtractLeft(items, differences, cub::Difference());
    __syncthreads();
    Store(temporary.store).Store(r->differences, differences);
    __syncthreads();
    for (int i = 0; i < ITEMS; i++)
        values[i] = items[i];
    Exchange(temporary.exchange).BlockedToStriped(values);
    for (int i = 0; i < ITEMS; i++)
        r->exchanged[i * THREADS + (int)threadIdx.x] = values[i];
    __syncthreads();
    int sum = cub::BlockReduce<int, THREADS>(temporary.reduce).Sum(items);
    __syncthreads();
    int raked = cub::BlockReduce<int, THREADS, cub::BLOCK_REDUCE_RAKING>(temporary.raking).Sum(items);
    __syncthreads();
    int any_order =
        cub::BlockReduce<int, THREADS, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>(temporary.commutative).Sum(items);
    __syncthreads();
    if (threadIdx.x == 0) {
        r->total = sum;
        r->blocked_sum[0] = raked;
        r->blocked_sum[1] = any_order;
    }
    Histogram(temporary.histogram).Histogram(bins, counts);
    __syncthreads();
    if (threadIdx.x < 16)
        r->histogram[threadIdx.x] = counts[threadIdx.x];
    __syncthreads();
    AtomicHistogram(temporary.atomic_histogram).Histogram(bins, counts);
    __syncthreads();
    if (threadIdx.x < 16)
        r->histogram[threadIdx.x] = r->histogram[threadIdx.x] == counts[threadIdx.x] ? counts[threadIdx.x] : -1;
}

__global__ void warp_primitives(const int *in, results *r) {
    typedef cub::WarpReduce<int> Reduce;
    typedef cub::WarpScan<int> Scan;
    __shared__ Reduce::TempStorage reduce[THREADS / 32];
    __shared__ Scan::TempStorage scan[THREADS / 32];
    int warp = (int)threadIdx.x / 32, x = in[threadIdx.x], scanned;
    int sum = Reduce(reduce[warp]).Sum(x);
    __syncwarp();
    Scan(scan[warp]).ExclusiveSum(x, scanned);
    r->warp_scan[threadIdx.x] = scanned;
    __syncwarp();
    int most = Reduce(reduce[warp]).HeadSegmentedReduce(x, threadIdx.x % 7 == 0, cub::Max());
    r->warp_max_of_head[threadIdx.x] = most;
    if (threadIdx.x % 32 == 0)
        r->warp_sum[warp] = sum;
    r->shuffled[threadIdx.x] = cub::ShuffleDown<32>(x, 3, 31, 0xffffffffu);
}

int main() {
    std::vector<int> h = small_ints(N, 5000, 41);
    Device<int> in(h);
    Device<results> out(1);
    block_primitives<<<1, THREADS>>>(in.p, out.p);
    must(cudaDeviceSynchronize());
    warp_primitives<<<1, THREADS>>>(in.p, out.p);
    must(cudaDeviceSynchronize());
    static results r;
    must(cudaMemcpy(&r, out.p, sizeof r, cudaMemcpyDeviceToHost));

    bool same = true;
    for (int i = 0, sum = 0; i < N; i++)
        same = same && r.scanned[i] == (sum += h[i]);
    report("BlockLoad, BlockScan, BlockStore", same);
    std::vector<std::pair<int, int>> order;
    for (int i = 0; i < N; i++)
        order.push_back({h[i], i});
    std::stable_sort(order.begin(), order.end(),
                     [](const std::pair<int, int> &a, const std::pair<int, int> &b) { return a.first > b.first; });
    same = true;
    for (int i = 0; i < N; i++)
        same = same && r.sorted[i] == order[i].first && r.ranked[i] == order[i].second;
    report("BlockRadixSort, descending pairs", same);
    same = r.differences[0] == h[0];
    for (int i = 1; i < N; i++)
        same = same && r.differences[i] == h[i] - h[i - 1];
    report("BlockAdjacentDifference", same);
    report("BlockExchange", std::equal(h.begin(), h.end(), r.exchanged));
    int total = std::accumulate(h.begin(), h.end(), 0);
    report("BlockReduce, three algorithms", r.total == total && r.blocked_sum[0] == total && r.blocked_sum[1] == total);
    int counts[16] = {0};
    for (int x : h)
        counts[x % 16]++;
    report("BlockHistogram, both algorithms", std::equal(counts, counts + 16, r.histogram));
    same = true;
    for (int w = 0; w < THREADS / 32; w++)
        same = same && r.warp_sum[w] == std::accumulate(h.begin() + 32 * w, h.begin() + 32 * w + 32, 0);
    report("WarpReduce", same);
    same = true;
    for (int i = 0; i < THREADS; i++)
        same = same && r.warp_scan[i] == std::accumulate(h.begin() + i / 32 * 32, h.begin() + i, 0);
    report("WarpScan", same);
    same = true;
    for (int i = 0; i < THREADS; i++) {
        bool head = i % 7 == 0 || i % 32 == 0;
        int end = i + 1;
        while (end % 32 && end % 7)
            end++;
        same = same && (!head || r.warp_max_of_head[i] == *std::max_element(h.begin() + i, h.begin() + end));
    }
    report("WarpReduce, segments by heads", same);
    same = true;
    for (int i = 0; i < THREADS; i++)
        same = same && r.shuffled[i] == (i % 32 + 3 < 32 ? h[i + 3] : h[i]);
    report("ShuffleDown", same);
    return suite_end("cub_block");
}
