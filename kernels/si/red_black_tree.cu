// Red-black tree (Red Black Tree 1 and 2; rb.h) with 1000 keys, in which each thread inserts one key or deletes one, as
// many as Table 3 of the paper has threads; its text has half as many (`--inserts`, `--deletes`).
// Checked: the tree holds the keys that it had, with those inserted, without those deleted; order, colours, numbers of
// black nodes, and links to parents.
// args: --version fgl
// args: --version lock
// args: --input 1 --version fgl
#define PROGRAM "red_black_tree"
#include "rb.h"
#include "tree_bench.h"

static const int TOP = 1;

// A key that is there is not inserted again, one that is not there is not deleted.
static __device__ __forceinline__ void operate_at(volatile RbNode *nodes, RbPlace at, const Operation &operation) {
    bool there = rb_at(nodes, at) != RB_NONE;
    if (operation.node == RB_NONE && there) {
        rb_remove(nodes, TOP, at);
    } else if (operation.node != RB_NONE && !there) {
        rb_insert(nodes, TOP, at, operation.node, operation.key);
    }
}

struct RedBlackTree {
    typedef RbNode Node;

    static __device__ __forceinline__ void operate(volatile Node *nodes, const Operation &operation) {
        operate_at(nodes, rb_find(nodes, TOP, operation.key), operation);
    }

    static __device__ __forceinline__ bool try_operation(volatile Node *nodes, HeldLocks &held,
                                                         const Operation &operation) {
        RbPlace at;
        if (!rb_lock(nodes, held, operation.node != RB_NONE ? RB_INSERT : RB_REMOVE, TOP, operation.key, &at)) {
            return false;
        }
        operate_at(nodes, at, operation);
        return true;
    }
};

typedef SearchTree<RedBlackTree> Tree;

extern "C" __global__ void red_black_tree_tm(Tree tree) { operate_in_transaction(tree); }
extern "C" __global__ void red_black_tree_fgl(Tree tree) { operate_under_locks(tree); }
extern "C" __global__ void red_black_tree_lock(Tree tree) { operate_under_lock(tree); }

static std::vector<RbNode> nodes_of(const TreeInput &input) {
    std::vector<RbNode> nodes(TOP + 1 + input.keys.size() + input.inserts);
    int node = TOP + 1;
    for (int key : input.keys) {
        rb_insert(nodes.data(), TOP, rb_find(nodes.data(), TOP, key), node++, key);
    }
    return nodes;
}

int main(int argc, char **argv) {
    TreeSizes sizes = {{60, 1000, 1000}, {20, 100, 200}, {20, 100, 200}};
    TreeOptions options = tree_options(argc, argv, sizes);
    TreeInput input = tree_input(options, TOP + 1);
    std::vector<RbNode> nodes = nodes_of(input);
    Tree tree = search_tree<RedBlackTree>(input, nodes);

    void (*const kernels[])(Tree) = {red_black_tree_tm, red_black_tree_fgl, red_black_tree_lock};
    Geometry launch = geometry(tree.count, options.placement);
    kernels[options.version]<<<launch.blocks, launch.block>>>(tree);
    CHECK_KERNEL();

    std::vector<RbNode> after = region_to_host(tree.nodes, nodes.size());
    std::vector<int> seen(input.expected.size(), 0);
    rb_check(after, TOP, (int)seen.size(), [&](int node) { seen[after[node].key]++; });
    expect_same("times that a key is in the tree", input.expected, seen);
    expect_all_free(to_host(tree.locks, nodes.size()));
    return tree_verdict("Red-black tree", options, launch, tree.count);
}
