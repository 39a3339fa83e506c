// Linked list (Linked List 1 and 2): a sorted, doubly linked list, empty at the start, into which each thread inserts
// one key. The keys are distinct and in random order. A transaction walks from the head to the position, three loads a
// step (the link, the next key, the link again), and writes four links. A thread's node is that of its number; node 0 is
// the head, and the last node has a key greater than all.
// Fine-grained locks: a thread walks without locks, and locks the node before the position. The lock of a node guards
// its link to the next node and that node's link back. Nodes are never removed, so a walk goes on where it was when
// another thread has inserted there first.
// Checked: the list holds every key once, in order, and links back are the inverse of links forth.
// args: --version fgl
// args: --version lock
#define PROGRAM "list"
#include "si_bench.h"

#include <climits>

struct Node {
    int key, next, prev;
};

struct List {
    volatile Node *nodes; // the head, one for each thread, the last
    int threads;
    int *locks; // one for each node
    int *lock;
};

// From `at`, whose key is less than `key`: the last node with a smaller key.
static __device__ __forceinline__ int node_before(volatile Node *nodes, int at, int key) {
    while (nodes[nodes[at].next].key < key) {
        at = nodes[at].next;
    }
    return at;
}

// Three of the four links: walks do not reach the node before its predecessor's link leads there.
static __device__ __forceinline__ void link_to_neighbours(volatile Node *nodes, int prev, int node, int next) {
    nodes[node].next = next;
    nodes[node].prev = prev;
    nodes[next].prev = node;
}

static __device__ __forceinline__ void insert(volatile Node *nodes, int node, int key) {
    int prev = node_before(nodes, 0, key);
    link_to_neighbours(nodes, prev, node, nodes[prev].next);
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

// Inserts the node after `prev`, unless another thread has inserted a smaller key there. Returns whether it has. Who
// finds the node may lock it at once and insert after it, so its other links are in memory before.
static __device__ __forceinline__ int insert_after(volatile Node *nodes, int prev, int node, int key) {
    int next = nodes[prev].next;
    if (nodes[next].key < key) {
        return 0;
    }
    link_to_neighbours(nodes, prev, node, next);
    GpuScope::fence();
    nodes[prev].next = node;
    return 1;
}

extern "C" __global__ void list_fgl(List list) {
    with_node(list, [&](int node, int key) {
        int done = 0, prev = 0;
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
    int last = count + 1;
    std::vector<Node> nodes = {{-1, last, 0}};
    for (int key : shuffled(random, count)) {
        nodes.push_back({key, 0, 0});
    }
    nodes.push_back({INT_MAX, last, 0});
    return nodes;
}

static void check_list(const std::vector<Node> &nodes) {
    int last = (int)nodes.size() - 1, at = 0;
    for (int key = 0; key < last - 1; key++) {
        int next = nodes[at].next;
        expect_true("a link leads to a node", at, next > 0 && next < last);
        expect_equal("key of the next node", at, key, nodes[next].key);
        expect_equal("link back", next, at, nodes[next].prev);
        at = next;
    }
    expect_equal("the last node follows the greatest key", at, last, nodes[at].next);
    expect_equal("link back", last, at, nodes[last].prev);
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
