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
    int next; // number of a node; 0 ends the chain; node i + 1 belongs to key i
};

struct Slot {
    int head, lock;
};

// Inserts this thread's key under `critical`, which executes its second argument; `head` loads the head of a chain.
template <typename Critical, typename Head>
static __device__ __forceinline__ void insert(Slot *slots, unsigned slot_count, Node *nodes, const unsigned *keys,
                                              int count, Critical critical, Head head) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= count) {
        return;
    }
    unsigned key = keys[thread];
    Node *node = &nodes[thread + 1];
    Slot *slot = &slots[key % slot_count];
    critical(slot, [&] {
        node->key = key;
        node->value = thread;
        node->next = head(slot);
        slot->head = thread + 1;
    });
}

extern "C" __global__ void ht_tm(Slot *slots, unsigned slot_count, Node *nodes, const unsigned *keys, int count) {
    insert(slots, slot_count, nodes, keys, count, [](Slot *, auto body) { as_transaction(body); },
           [](Slot *slot) { return slot->head; });
}

extern "C" __global__ void ht_fgl(Slot *slots, unsigned slot_count, Node *nodes, const unsigned *keys, int count) {
    insert(
        slots, slot_count, nodes, keys, count,
        [](Slot *slot, auto body) { under_lock<LineOrder>(&slot->lock, body); },
        [](Slot *slot) { return fresh(&slot->head); });
}

extern "C" __global__ void ht_lock(Slot *slots, unsigned slot_count, Node *nodes, const unsigned *keys, int count,
                                   int *lock) {
    insert(slots, slot_count, nodes, keys, count, [=](Slot *, auto body) { under_lock(lock, body); },
           [](Slot *slot) { return slot->head; });
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

static void check_table(const std::vector<Slot> &slots, const std::vector<Node> &nodes,
                        const std::vector<unsigned> &keys) {
    std::vector<int> seen(keys.size() + 1, 0);
    for (size_t slot = 0; slot < slots.size(); slot++) {
        check_slot((unsigned)slot, slots[slot], nodes, keys, (unsigned)slots.size(), seen);
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
    int count = options.size, blocks = blocks_for(count, BLOCK);
    unsigned slot_count = (unsigned)std::max(1l, PAPER_SLOTS[table_choice] * count / PAPER_KEYS);
    Slot *slots = region_of_zeros<Slot>(slot_count);
    Node *nodes = region_of_zeros<Node>(keys.size() + 1);
    const unsigned *device_keys = to_device(keys);
    switch (options.version) {
    case VERSION_FGL: ht_fgl<<<blocks, BLOCK>>>(slots, slot_count, nodes, device_keys, count); break;
    case VERSION_LOCK:
        ht_lock<<<blocks, BLOCK>>>(slots, slot_count, nodes, device_keys, count, device_zeros<int>(1));
        break;
    default: ht_tm<<<blocks, BLOCK>>>(slots, slot_count, nodes, device_keys, count);
    }
    CHECK_KERNEL();

    check_table(to_host(slots, slot_count), to_host(nodes, keys.size() + 1), keys);
    printf("HT-%s: %d transactions, %d x %d threads, %u slots, version %s\n", table_choice ? "L" : "H", count,
           blocks, BLOCK, slot_count, VERSION_NAMES[options.version]);
    return pass();
}
