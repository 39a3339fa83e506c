// Chained hash table filled by all threads, one spin lock per bucket: lanes of one warp often need the same
// lock. The loop is the SIMT-safe form (try, work, release inside the loop body), kept in that form by
// SIMTX_LOCK_DONE from simtx_tm.h. Every key must be in its bucket's chain exactly once, and nothing else.
// also: --set gpu.warp_size=64
#define PROGRAM "lock_hash"
#include "../check.h"
#include <simtx_tm.h>

struct Table {
    int *locks, *heads, *lengths;
    int *next;
    unsigned *keys;
    int buckets;
};

__host__ __device__ unsigned bucket_of(unsigned key, int buckets) {
    return (key * 2654435769u >> 7) % (unsigned)buckets;
}

__global__ void insert(Table table, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    unsigned bucket = bucket_of(table.keys[i], table.buckets);
    int done = 0;
    while (!done) {
        if (atomicCAS(&table.locks[bucket], 0, 1) == 0) {
            __threadfence();
            volatile int *head = &table.heads[bucket], *length = &table.lengths[bucket];
            table.next[i] = *head;
            *head = i;
            *length = *length + 1;
            __threadfence();
            atomicExch(&table.locks[bucket], 0);
            done = 1;
        }
        SIMTX_LOCK_DONE(done);
    }
}

int main(int argc, char **argv) {
    int n = size_argument(argc, argv, 3000, 1, 1 << 20), buckets = 101;
    Lcg random(23);
    std::vector<unsigned> keys(n);
    for (unsigned &key : keys) {
        key = random.next();
    }
    Table table;
    table.locks = device_zeros<int>(buckets);
    table.lengths = device_zeros<int>(buckets);
    table.heads = to_device(std::vector<int>(buckets, -1));
    table.next = to_device(std::vector<int>(n, -2));
    table.keys = to_device(keys);
    table.buckets = buckets;
    insert<<<blocks_for(n, 96), 96>>>(table, n);
    CHECK_KERNEL();

    std::vector<int> heads = to_host(table.heads, buckets), next = to_host(table.next, n);
    std::vector<int> lengths = to_host(table.lengths, buckets), locks = to_host(table.locks, buckets);
    std::vector<int> seen(n, 0), expected_lengths(buckets, 0);
    for (unsigned key : keys) {
        expected_lengths[bucket_of(key, buckets)]++;
    }
    for (int b = 0; b < buckets; b++) {
        int length = 0;
        for (int i = heads[b]; i != -1; i = next[i]) {
            expect_true("a link leads to an entry", b, i >= 0 && i < n);
            expect_equal("bucket of an entry", i, (unsigned)b, bucket_of(keys[i], buckets));
            expect_equal("times seen", i, 1, ++seen[i]);
            length++;
        }
        expect_equal("chain length", b, expected_lengths[b], length);
        expect_equal("counted length", b, expected_lengths[b], lengths[b]);
        expect_equal("lock", b, 0, locks[b]);
    }
    return pass();
}
