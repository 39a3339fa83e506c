// What the two search trees share: the command line, operations whose result does not depend on their order, and the
// kernels of the three versions. The keys of the tree are even, inserted ones are odd, deleted ones distinct.
#ifndef KERNELS_SI_TREE_BENCH_H
#define KERNELS_SI_TREE_BENCH_H

#include "held_locks.h"
#include "si_bench.h"

struct Operation {
    int key;
    int node; // to insert; 0: the key is to be deleted
};

// Of the inputs quick, 1 and 2.
struct TreeSizes {
    int keys[3], inserts[3], deletes[3];
};

struct TreeOptions {
    Version version;
    int keys, inserts, deletes, placement, seed;
};

static inline TreeOptions tree_options(int argc, char **argv, const TreeSizes &sizes) {
    int input = 0, keys = -1, inserts = -1, deletes = -1, placement = 0;
    BenchOptions options = bench_options(argc, argv, {}, 2017,
                                         {input_option(&input),
                                          {"keys", "of the tree, instead of the input's", &keys, nullptr, 1, 1 << 16},
                                          {"inserts", "instead of the input's", &inserts, nullptr, 0, 1 << 16},
                                          {"deletes", "instead of the input's", &deletes, nullptr, 0, 1 << 16},
                                          placement_option(&placement)});
    keys = keys >= 0 ? keys : sizes.keys[input];
    inserts = std::min(keys, inserts >= 0 ? inserts : sizes.inserts[input]);
    deletes = std::min(keys, deletes >= 0 ? deletes : sizes.deletes[input]);
    return {options.version, keys, inserts, deletes, placement, options.seed};
}

struct TreeInput {
    std::vector<int> keys; // of the tree, in the order in which it is built
    std::vector<Operation> operations;
    int inserts;
    std::vector<int> expected; // for each key: how often it is in the tree in the end
};

// Insertions and deletions alternate. Nodes from `first` on are those of the tree's keys, then those to insert.
static inline TreeInput tree_input(const TreeOptions &options, int first) {
    Lcg random(options.seed);
    TreeInput input = {shuffled(random, options.keys), {}, options.inserts, std::vector<int>(2 * options.keys, 0)};
    for (int &key : input.keys) {
        key *= 2;
        input.expected[key] = 1;
    }
    std::vector<int> deleted = shuffled(random, options.keys), inserted = shuffled(random, options.keys);
    for (int i = 0; i < std::max(options.inserts, options.deletes); i++) {
        if (i < options.deletes) {
            input.operations.push_back({2 * deleted[i], 0});
            input.expected[2 * deleted[i]] = 0;
        }
        if (i < options.inserts) {
            input.operations.push_back({2 * inserted[i] + 1, first + options.keys + i});
            input.expected[2 * inserted[i] + 1] = 1;
        }
    }
    return input;
}

// A search tree in device memory. Kind: of tree, with
//   Node
//   operate(nodes, operation)                 performs it
//   try_operation(nodes, held, operation)     the same under locks; false: it has changed nothing and must be repeated
template <typename Kind> struct SearchTree {
    volatile typename Kind::Node *nodes;
    const Operation *operations;
    int count;
    int *locks; // one for each node
    int *lock;
};

template <typename Kind>
static SearchTree<Kind> search_tree(const TreeInput &input, const std::vector<typename Kind::Node> &nodes) {
    return {region_of(nodes), to_device(input.operations), (int)input.operations.size(),
            device_zeros<int>(nodes.size()), device_zeros<int>(1)};
}

// Calls `step` with this thread's operation, which it has read.
template <typename Kind, typename Step>
static __device__ __forceinline__ void with_operation(const SearchTree<Kind> &tree, Step step) {
    int thread = thread_number();
    if (thread < tree.count) {
        Operation operation = tree.operations[thread];
        step(operation);
    }
}

template <typename Kind> static __device__ __forceinline__ void operate_in_transaction(const SearchTree<Kind> &tree) {
    with_operation(tree, [&](const Operation &operation) {
        as_transaction([&] { Kind::operate(tree.nodes, operation); });
    });
}

template <typename Kind> static __device__ __forceinline__ void operate_under_locks(const SearchTree<Kind> &tree) {
    with_operation(tree, [&](const Operation &operation) {
        with_held_locks(tree.locks, [&](HeldLocks &held) {
            return Kind::try_operation(tree.nodes, held, operation);
        });
    });
}

template <typename Kind> static __device__ __forceinline__ void operate_under_lock(const SearchTree<Kind> &tree) {
    with_operation(tree, [&](const Operation &operation) {
        under_lock(tree.lock, [&] { Kind::operate(tree.nodes, operation); });
    });
}

static inline int tree_verdict(const char *name, const TreeOptions &options, Geometry launch, int count) {
    printf("%s: %d transactions, %d x %d threads, %d keys, version %s\n", name, count, launch.blocks, launch.block,
           options.keys, VERSION_NAMES[options.version]);
    return pass();
}

#endif
