// Hash table in shared memory (HT of the GPU-LocalTM papers, local_bench.h): each of a block's 256 threads inserts its
// number into bucket `number mod N`, which has exactly as many slots as numbers. It searches for an empty slot from the
// first one on. For a slot that looks empty, reading it again, and writing the number if it is still empty, is one
// critical section of one word. A look may see the number of a transaction that aborts later; then that thread, or
// another one of the same bucket, fills the slot. 2 buckets have the most conflicts, 256 none.
// Checked: each number once, in its bucket; where threads come one after another, in their order.
// args: --version fgl
// args: --version lock
// args: --version serial
// args: --version turns --size 3
// args: --buckets 2 --size 2
// args: --buckets 256 --version fgl
// also: --timing --config southern-islands --set tm.shared=localtm --check full
// also: --timing --config southern-islands --set tm.shared=localtm --check full -- --buckets 8 --size 3
// also: --timing --config southern-islands -- --version fgl
// also: --timing --config southern-islands -- --version lock
// also: --timing --config southern-islands -- --version serial
// also: --timing --config southern-islands -- --version turns
#define PROGRAM "lht"
#include "local_bench.h"

static const int EMPTY = -1;

struct Table {
    LocalMemory memory; // slot s of bucket b is word b * depth + s
    int buckets, depth;
    int *slots; // of all blocks
};

// Calls `probe` with the slots of this thread's bucket that look empty, in order, until it returns true: it took the
// slot. The number of buckets is a power of two.
template <typename Probe>
static __device__ __forceinline__ void insert(const Table &table, Probe probe) {
    int first = (threadIdx.x & (table.buckets - 1)) * table.depth, end = first + table.depth;
    for (int slot = first; slot < end; slot++) {
        if (((volatile int *)shared_words)[slot] == EMPTY && probe(slot)) {
            break;
        }
    }
}

// Takes the slot if it is empty, in one critical section. Returns whether it was empty.
template <typename Critical>
static __device__ __forceinline__ bool take(int slot, Critical critical) {
    bool empty = false;
    critical([&] {
        empty = shared_words[slot] == EMPTY;
        if (empty) {
            shared_words[slot] = threadIdx.x;
        }
    });
    return empty;
}

// The whole kernel around `insertion`.
template <typename Insertion>
static __device__ __forceinline__ void fill(const Table &table, Insertion insertion) {
    set_shared(0, BLOCK, EMPTY);
    set_shared(BLOCK, table.memory.locks, 0);
    __syncthreads();
    insertion();
    __syncthreads();
    copy_out(table.slots, 0, BLOCK);
}

// The insertion with one critical section per probe: `critical` receives the slot and the body.
template <typename Critical>
static __device__ __forceinline__ void fill_by_probes(const Table &table, Critical critical) {
    fill(table, [&] {
        insert(table, [&](int slot) { return take(slot, [&](auto body) { critical(slot, body); }); });
    });
}

static __device__ __forceinline__ void insert_alone(const Table &table) {
    insert(table, [](int slot) { return take(slot, [](auto body) { body(); }); });
}

extern "C" __global__ void lht_tm(Table table) {
    fill_by_probes(table, [](int, auto body) { as_transaction(body); });
}

extern "C" __global__ void lht_fgl(Table table) {
    fill_by_probes(table, [&](int slot, auto body) { under_lock<BlockScope>(table.memory.lock(slot), body); });
}

extern "C" __global__ void lht_lock(Table table) {
    fill_by_probes(table, [&](int, auto body) { under_lock<BlockScope>(table.memory.lock(0), body); });
}

extern "C" __global__ void lht_serial(Table table) {
    fill(table, [&] { one_by_one([&] { insert_alone(table); }); });
}

extern "C" __global__ void lht_turns(Table table) {
    fill(table, [&] { in_turn(table.memory.lock(0), threadIdx.x, [&] { insert_alone(table); }); });
}

static void check_block(const int *slots, int buckets, bool ordered) {
    int depth = BLOCK / buckets;
    std::vector<int> seen(BLOCK, 0);
    for (int word = 0; word < BLOCK; word++) {
        int number = slots[word], bucket = word / depth;
        expect_true("a slot holds a number", word, number >= 0 && number < BLOCK);
        expect_equal("bucket of a number", word, bucket, number % buckets);
        expect_equal("times that a number is in the table", number, 1, ++seen[number]);
        if (ordered) {
            expect_equal("number in a slot", word, bucket + word % depth * buckets, number);
        }
    }
}

int main(int argc, char **argv) {
    static const char *const BUCKETS[] = {"2", "4", "8", "16", "32", "64", "128", "256", nullptr};
    int choice = 4;
    BenchOptions options = bench_options(argc, argv, LOCAL_SIZES, 0,
                                         {{"buckets", "of the table (32)", &choice, BUCKETS, 0, 0}}, LOCAL_VERSIONS);
    int words = options.size * BLOCK, buckets = 2 << choice;
    Table table = {local_memory(options.version, BLOCK, BLOCK), buckets, BLOCK / buckets, device_zeros<int>(words)};

    void (*const kernels[])(Table) = {lht_tm, lht_fgl, lht_lock, lht_serial, lht_turns};
    kernels[options.version]<<<options.size, BLOCK, table.memory.bytes()>>>(table);
    CHECK_KERNEL();

    std::vector<int> slots = to_host(table.slots, words);
    for (int block = 0; block < options.size; block++) {
        check_block(&slots[block * BLOCK], buckets, options.version >= VERSION_SERIAL);
    }
    print_banks(BLOCK);
    printf("HT%d: %d x %d threads, version %s\n", buckets, options.size, BLOCK, LOCAL_VERSIONS[options.version]);
    return pass();
}
