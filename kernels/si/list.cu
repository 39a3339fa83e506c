// Linked list (Linked List 1 and 2): a sorted list, empty at the start, into which each thread inserts one key. The
// keys are distinct and in random order. A node has a key and a link of 64 bits, the number of the next node: a step of the
// walk loads both, three words, and an insertion writes two links, four words. A thread's node is that of its number;
// node 0 is the head, and the last node has a key greater than all.
// Fine-grained locks: a thread walks without locks, and locks the node before the position. The lock of a node guards
// its link. Nodes are never removed, so a walk goes on where it was when another thread has inserted there first.
// Checked: the list holds every key once, in order.
// args: --version fgl
// args: --version lock
#define PROGRAM "list"
#include "si_bench.h"

#include <climits>

struct Node {
    int key, unused; // unused: the link is aligned to 8 bytes
    long long next;
};

struct List {
    volatile Node *nodes; // the head, one for each thread, the last
    int threads;
    int *locks; // one for each node
    int *lock;
};

// From `at`, whose key is less than `key`: the last node with a smaller key.
static __device__ __forceinline__ long long node_before(volatile Node *nodes, long long at, int key) {
    long long prev = at;
    for (; nodes[at].key < key; at = nodes[at].next) {
        prev = at;
    }
    return prev;
}

static __device__ __forceinline__ void insert(volatile Node *nodes, int node, int key) {
    long long prev = node_before(nodes, 0, key);
    nodes[node].next = nodes[prev].next;
    nodes[prev].next = node;
}

// Calls `step` with this thread's node and its key.
template <typename Step>
static __device__ __forceinline__ void with_node(const List &list, Step step) {
    int thread = thread_number();
    if (thread < list.threads) {
        step(thread + 1, list.nodes[thread + 1].key);
    }
}

extern "C" __global__ void list_tm(List list) {
    with_node(list, [&](int node, int key) { as_transaction([&] { insert(list.nodes, node, key); }); });
}

// Inserts the node after `prev`, unless another thread has inserted a smaller key there. Returns whether it has.
static __device__ __forceinline__ int insert_after(volatile Node *nodes, long long prev, int node, int key) {
    long long next = nodes[prev].next;
    if (nodes[next].key < key) {
        return 0;
    }
    nodes[node].next = next;
    nodes[prev].next = node;
    return 1;
}

extern "C" __global__ void list_fgl(List list) {
    with_node(list, [&](int node, int key) {
        int done = 0;
        long long prev = 0;
        simtx_lock_begin();
        while (!done) {
            prev = node_before(list.nodes, prev, key);
            try_lock<GpuScope>(&list.locks[prev], [&] { done = insert_after(list.nodes, prev, node, key); });
            SIMTX_LOCK_DONE(done);
        }
        simtx_lock_end();
    });
}

extern "C" __global__ void list_lock(List list) {
    with_node(list, [&](int node, int key) { under_lock(list.lock, [&] { insert(list.nodes, node, key); }); });
}

static std::vector<Node> nodes_with_keys(Lcg &random, int count) {
    std::vector<Node> nodes = {{-1, 0, count + 1}};
    for (int key : shuffled(random, count)) {
        nodes.push_back({key, 0, 0});
    }
    nodes.push_back({INT_MAX, 0, 0});
    return nodes;
}

static void check_list(const std::vector<Node> &nodes) {
    int last = (int)nodes.size() - 1, at = 0;
    for (int key = 0; key < last - 1; key++) {
        long long next = nodes[at].next;
        expect_true("a link leads to a node", at, next > 0 && next < last);
        expect_equal("key of the next node", at, key, nodes[next].key);
        at = (int)next;
    }
    expect_true("the last node follows the greatest key", at, nodes[at].next == last);
}

int main(int argc, char **argv) {
    static const int THREADS[] = {40, 100, 200};
    int input = 0, threads = 0, placement = 0;
    BenchOptions options = bench_options(argc, argv, {}, 2017,
                                         {input_option(&input),
                                          {"threads", "instead of the input's", &threads, nullptr, 1, 1 << 16},
                                          placement_option(&placement)});
    threads = threads ? threads : THREADS[input];
    Lcg random(options.seed);
    std::vector<Node> nodes = nodes_with_keys(random, threads);
    List list = {region_of(nodes), threads, device_zeros<int>(nodes.size()), device_zeros<int>(1)};

    void (*const kernels[])(List) = {list_tm, list_fgl, list_lock};
    Geometry launch = geometry(threads, placement);
    kernels[options.version]<<<launch.blocks, launch.block>>>(list);
    CHECK_KERNEL();

    check_list(region_to_host(list.nodes, nodes.size()));
    expect_same("locks", std::vector<int>(nodes.size(), 0), to_host(list.locks, nodes.size()));
    printf("Linked list: %d transactions, %d x %d threads, version %s\n", threads, launch.blocks, launch.block,
           VERSION_NAMES[options.version]);
    return pass();
}
