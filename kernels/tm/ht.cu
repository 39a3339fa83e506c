// Hash table (HT of the KILO TM paper, MICRO 2011, section 5): each thread inserts one key into a chained table, four
// words written and one read: the node's key, value and link, and the head of the slot's chain, which it also reads.
// The size of the table sets the contention: 8192 slots for 23040 keys (HT-H), or 80000 (HT-L).
// The fine-grained lock of a slot lies beside the head.
// Checked by a walk of every chain: each key exactly once, in its slot, and no cycle.
// args: --version fgl
// args: --version lock --size 1000
// args: --table low --seed 7
#define PROGRAM "ht"
#include "../bench/tm_bench.h"

static const int BLOCK = 192, PAPER_KEYS = 120 * BLOCK, QUICK_KEYS = 20 * BLOCK;

struct Node {
    unsigned key;
    int value;
    int next; // number of a node; 0 ends the chain
};

struct Slot {
    int head, lock;
};

struct Table {
    Slot *slots;
    Node *nodes; // node i + 1 belongs to key i
    const unsigned *keys;
    int count;
    unsigned slot_count;
    int *lock;
};

// What one thread inserts: read before the critical section begins.
struct Item {
    unsigned key;
    int value;
    Node *node;
    Slot *slot;
};

static __device__ __forceinline__ bool item_of_thread(const Table &table, Item *item) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= table.count) {
        return false;
    }
    item->key = table.keys[thread];
    item->value = thread;
    item->node = &table.nodes[thread + 1];
    item->slot = &table.slots[item->key % table.slot_count];
    return true;
}

// `head` loads the head of the slot's chain.
template <typename Head>
static __device__ __forceinline__ void insert(const Item &item, Head head) {
    item.node->key = item.key;
    item.node->value = item.value;
    item.node->next = head();
    item.slot->head = item.value + 1;
}

extern "C" __global__ void ht_tm(Table table) {
    Item item;
    if (item_of_thread(table, &item)) {
        as_transaction([&] { insert(item, [&] { return item.slot->head; }); });
    }
}

extern "C" __global__ void ht_fgl(Table table) {
    Item item;
    if (item_of_thread(table, &item)) {
        under_lock<LineOrder>(&item.slot->lock, [&] { insert(item, [&] { return fresh(&item.slot->head); }); });
    }
}

extern "C" __global__ void ht_lock(Table table) {
    Item item;
    if (item_of_thread(table, &item)) {
        under_lock(table.lock, [&] { insert(item, [&] { return item.slot->head; }); });
    }
}

static void check_slot(unsigned slot, const Slot &got, const std::vector<Node> &nodes,
                       const std::vector<unsigned> &keys, unsigned slot_count, std::vector<int> &seen) {
    expect_equal("lock of a slot", slot, 0, got.lock);
    for (int i = got.head; i != 0; i = nodes[i].next) {
        expect_true("a link leads to a node", slot, i >= 1 && i <= (int)keys.size());
        expect_equal("times that a node is reached", i, 1, ++seen[i]);
        expect_equal("value of a node", i, i - 1, nodes[i].value);
        expect_equal("key of a node", i, keys[i - 1], nodes[i].key);
        expect_equal("slot of a node", i, slot, keys[i - 1] % slot_count);
    }
}

static void check_table(const Table &table, const std::vector<unsigned> &keys) {
    std::vector<Slot> slots = to_host(table.slots, table.slot_count);
    std::vector<Node> nodes = to_host(table.nodes, keys.size() + 1);
    std::vector<int> seen(keys.size() + 1, 0);
    for (unsigned slot = 0; slot < table.slot_count; slot++) {
        check_slot(slot, slots[slot], nodes, keys, table.slot_count, seen);
    }
    for (size_t i = 1; i < seen.size(); i++) {
        expect_equal("times that a node is in the table", (long)i, 1, seen[i]);
    }
}

int main(int argc, char **argv) {
    static const char *const TABLES[] = {"high", "low", nullptr};
    static const long PAPER_SLOTS[] = {8192, 80000};
    int table_choice = 0;
    BenchOptions options = bench_options(
        argc, argv, {"keys", QUICK_KEYS, PAPER_KEYS, 1, 1 << 22}, 2011,
        {{"table", "contention: HT-H or HT-L (high)", &table_choice, TABLES, 0, 0}});
    Lcg random(options.seed);
    std::vector<unsigned> keys(options.size);
    for (unsigned &key : keys) {
        key = random.next();
    }
    Table table;
    table.count = options.size;
    table.slot_count = (unsigned)std::max(1l, PAPER_SLOTS[table_choice] * options.size / PAPER_KEYS);
    table.slots = region_of_zeros<Slot>(table.slot_count);
    table.nodes = region_of_zeros<Node>(keys.size() + 1);
    table.keys = to_device(keys);
    table.lock = device_zeros<int>(1);

    void (*const kernels[])(Table) = {ht_tm, ht_fgl, ht_lock};
    int blocks = blocks_for(options.size, BLOCK);
    kernels[options.version]<<<blocks, BLOCK>>>(table);
    CHECK_KERNEL();

    check_table(table, keys);
    printf("HT-%s: %d transactions, %d x %d threads, %u slots, version %s\n", table_choice ? "L" : "H", options.size,
           blocks, BLOCK, table.slot_count, VERSION_NAMES[options.version]);
    return pass();
}
