// Binary search tree (Binary Tree 1 and 2), unbalanced, with links to parents, filled in random order. Input 1: each
// key is deleted, by a thread of its own. Input 2: half of the threads insert a key, half delete one. A step of the
// descent loads the link, and the key twice: for equality, and for the side. A node with two
// children is replaced by its successor. A deleted node is cleared. Node 0 is above the root, which is its right child;
// as a child, 0 is none.
// Fine-grained locks (held_locks.h): of the node and its parent, and, where a node with two children is deleted, of the
// path to its successor, below which fewer keys may lie then.
// Checked: the tree holds the keys that it had, with those inserted, without those deleted, each at its place, and
// links to parents are the inverse of links to children.
// args: --version fgl
// args: --version lock
// args: --input 2 --version fgl
#define PROGRAM "binary_tree"
#include "tree_bench.h"

static const int TOP = 0, NONE = 0, CLEARED = -1;

struct Node {
    int key, parent, child[2];
};

static __host__ __device__ __forceinline__ void link_child(volatile Node *nodes, int node, int side, int child) {
    nodes[node].child[side] = child;
    if (child != NONE) {
        nodes[child].parent = node;
    }
}

struct Place {
    int parent, side;
};

static __host__ __device__ __forceinline__ int node_at(volatile Node *nodes, Place at) {
    return nodes[at.parent].child[at.side];
}

// Where the key is, or would be.
static __host__ __device__ __forceinline__ Place place_of(volatile Node *nodes, int key) {
    Place at = {TOP, 1};
    for (int node = node_at(nodes, at); node != NONE; node = node_at(nodes, at)) {
        if (nodes[node].key == key) {
            break;
        }
        at = {node, key > nodes[node].key};
    }
    return at;
}

static __host__ __device__ __forceinline__ void insert(volatile Node *nodes, Place at, int node, int key) {
    nodes[node].key = key;
    nodes[node].child[0] = NONE;
    nodes[node].child[1] = NONE;
    link_child(nodes, at.parent, at.side, node);
}

// `other` (or none) replaces `node` as child of its parent, which is read from the node.
static __device__ __forceinline__ void transplant(volatile Node *nodes, int node, int other) {
    int parent = nodes[node].parent;
    link_child(nodes, parent, nodes[parent].child[1] == node, other);
}

// Takes the successor of `node`, which has two children, from its place, and gives it the node's children.
static __device__ __forceinline__ int detach_successor(volatile Node *nodes, int node) {
    int right = nodes[node].child[1], next = right;
    while (nodes[next].child[0] != NONE) {
        next = nodes[next].child[0];
    }
    if (next != right) {
        transplant(nodes, next, nodes[next].child[1]);
        link_child(nodes, next, 1, right);
    }
    link_child(nodes, next, 0, nodes[node].child[0]);
    return next;
}

static __device__ __forceinline__ void clear(volatile Node *nodes, int node) {
    nodes[node].key = CLEARED;
    nodes[node].parent = NONE;
    nodes[node].child[0] = NONE;
    nodes[node].child[1] = NONE;
}

static __device__ __forceinline__ void remove(volatile Node *nodes, int node) {
    int left = nodes[node].child[0], right = nodes[node].child[1];
    int other = left == NONE ? right : right == NONE ? left : detach_successor(nodes, node);
    transplant(nodes, node, other);
    clear(nodes, node);
}

// A key that is there is not inserted again, one that is not there is not deleted.
static __device__ __forceinline__ void operate_at(volatile Node *nodes, Place at, const Operation &operation) {
    bool there = node_at(nodes, at) != NONE;
    if (operation.node == NONE && there) {
        remove(nodes, node_at(nodes, at));
    } else if (operation.node != NONE && !there) {
        insert(nodes, at, operation.node, operation.key);
    }
}

// Locks the parent and the node at the key's place.
static __device__ __forceinline__ bool lock_place(volatile Node *nodes, HeldLocks &held, int key, Place *at) {
    *at = {TOP, 1};
    if (!held.visit(TOP)) {
        return false;
    }
    for (int node = node_at(nodes, *at); node != NONE; node = node_at(nodes, *at)) {
        if (!held.visit(node)) {
            return false;
        }
        held.keep_last(2);
        if (nodes[node].key == key) {
            break;
        }
        *at = {node, key > nodes[node].key};
    }
    return held.lock_noted();
}

// Locks the path from `node`, which is to be deleted, to its successor, if it has two children.
static __device__ __forceinline__ bool lock_successor(volatile Node *nodes, HeldLocks &held, int node) {
    if (nodes[node].child[0] == NONE) {
        return true;
    }
    for (int next = nodes[node].child[1]; next != NONE; next = nodes[next].child[0]) {
        if (held.count == HeldLocks::MOST || !held.lock(next)) {
            return false;
        }
    }
    return true;
}

struct BinaryTree {
    typedef ::Node Node;

    static __device__ __forceinline__ void operate(volatile Node *nodes, const Operation &operation) {
        operate_at(nodes, place_of(nodes, operation.key), operation);
    }

    static __device__ __forceinline__ bool try_operation(volatile Node *nodes, HeldLocks &held,
                                                         const Operation &operation) {
        Place at;
        if (!lock_place(nodes, held, operation.key, &at) ||
            (operation.node == NONE && !lock_successor(nodes, held, node_at(nodes, at)))) {
            return false;
        }
        operate_at(nodes, at, operation);
        return true;
    }
};

typedef SearchTree<BinaryTree> Tree;

extern "C" __global__ void binary_tree_tm(Tree tree) { operate_in_transaction(tree); }
extern "C" __global__ void binary_tree_fgl(Tree tree) { operate_under_locks(tree); }
extern "C" __global__ void binary_tree_lock(Tree tree) { operate_under_lock(tree); }

static std::vector<Node> nodes_of(const TreeInput &input) {
    std::vector<Node> nodes(1 + input.keys.size() + input.inserts);
    int node = 1;
    for (int key : input.keys) {
        insert(nodes.data(), place_of(nodes.data(), key), node++, key);
    }
    return nodes;
}

// Checks the tree below `parent`, whose keys are from `least` to `most`, and marks them.
static void check_child(const std::vector<Node> &nodes, int parent, int side, int least, int most,
                        std::vector<int> &seen) {
    int node = nodes[parent].child[side];
    if (node == NONE) {
        return;
    }
    expect_true("a link leads to a node", parent, node > 0 && node < (int)nodes.size());
    expect_equal("parent of a node", node, parent, nodes[node].parent);
    int key = nodes[node].key;
    expect_true("a key is at its place", node, key >= least && key <= most);
    seen[key]++;
    check_child(nodes, node, 0, least, key - 1, seen);
    check_child(nodes, node, 1, key + 1, most, seen);
}

int main(int argc, char **argv) {
    TreeSizes sizes = {{60, 1000, 1000}, {20, 0, 50}, {20, 1000, 50}};
    TreeOptions options = tree_options(argc, argv, sizes);
    TreeInput input = tree_input(options, 1);
    std::vector<Node> nodes = nodes_of(input);
    Tree tree = search_tree<BinaryTree>(input, nodes);

    void (*const kernels[])(Tree) = {binary_tree_tm, binary_tree_fgl, binary_tree_lock};
    Geometry launch = geometry(tree.count, options.placement);
    kernels[options.version]<<<launch.blocks, launch.block>>>(tree);
    CHECK_KERNEL();

    std::vector<int> seen(input.expected.size(), 0);
    check_child(region_to_host(tree.nodes, nodes.size()), TOP, 1, 0, (int)seen.size() - 1, seen);
    expect_same("times that a key is in the tree", input.expected, seen);
    expect_all_free(to_host(tree.locks, nodes.size()));
    return tree_verdict("Binary tree", options, launch, tree.count);
}
