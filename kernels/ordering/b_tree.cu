// Look-ups in a B+ tree (findK of Rodinia's b+tree; Fix, Wilkes and Skadron, Accelerating Braided B+ Tree Searches on a
// GPU with CUDA, 2011): one block for each query, one thread for each key of a node. The thread whose key is the last
// one not above the query names the child; all read it after a barrier. As in the original, the node that a block
// stands at and the child that it found are words in global memory, neighbours of other blocks' words: the blocks
// share nothing but the lines, and so every one of these accesses is to a line that other SMs write.
// Checked: the record that each query finds, or that there is none, against the sorted keys.
// also: --timing --config gtx480-sc
#define PROGRAM "b_tree"
#include "../bench/options.h"

#include <algorithm>

static const int ORDER = 128, BLOCKS_AT_ONCE = 65535;

// A node has the children's lowest keys, unused ones INT_MAX, and the children: nodes, or records in the lowest level.
struct Node {
    int keys[ORDER + 1];
    int children[ORDER];
};

static __global__ void find(const Node *nodes, int height, const int *queries, int *current, int *next, int *answer) {
    int query = queries[blockIdx.x], lane = threadIdx.x;
    for (int level = 0; level < height; level++) {
        const Node *node = &nodes[current[blockIdx.x]];
        if (node->keys[lane] <= query && query < node->keys[lane + 1]) {
            next[blockIdx.x] = node->children[lane];
        }
        __syncthreads();
        if (lane == 0 && level < height - 1) {
            current[blockIdx.x] = next[blockIdx.x];
        }
        __syncthreads();
    }
    const Node *leaf = &nodes[current[blockIdx.x]];
    if (leaf->keys[lane] == query) {
        answer[blockIdx.x] = leaf->children[lane];
    }
}

struct Tree {
    std::vector<Node> nodes;
    std::vector<int> lowest; // the lowest key below each node
    int height = 0;
};

// Adds a level of nodes over `children`, whose lowest keys are `lowest`; returns the new nodes.
static std::vector<int> add_level(Tree &tree, const std::vector<int> &children, const std::vector<int> &lowest) {
    std::vector<int> level;
    for (size_t first = 0; first < children.size(); first += ORDER) {
        Node node;
        std::fill(node.keys, node.keys + ORDER + 1, INT32_MAX);
        std::fill(node.children, node.children + ORDER, 0);
        for (size_t i = first; i < std::min(children.size(), first + ORDER); i++) {
            node.keys[i - first] = lowest[i];
            node.children[i - first] = children[i];
        }
        level.push_back((int)tree.nodes.size());
        tree.nodes.push_back(node);
        tree.lowest.push_back(lowest[first]);
    }
    tree.height++;
    return level;
}

// Record i has the key keys[i]; the root is the last node.
static Tree build(const std::vector<int> &keys) {
    Tree tree;
    std::vector<int> level(keys.size()), lowest = keys;
    for (size_t i = 0; i < level.size(); i++) {
        level[i] = (int)i;
    }
    do {
        level = add_level(tree, level, lowest);
        lowest.clear();
        for (int node : level) {
            lowest.push_back(tree.lowest[node]);
        }
    } while (level.size() > 1);
    return tree;
}

int main(int argc, char **argv) {
    int count = read_options(argc, argv, {"queries, and 20 times as many keys", 100, 6000, 1, BLOCKS_AT_ONCE});
    Lcg random(110);
    std::vector<int> keys, queries(count), expected(count);
    for (int i = 0, key = 0; i < count * 20; i++) {
        keys.push_back(key);
        key += 1 + (int)random.below(3);
    }
    for (int i = 0; i < count; i++) {
        queries[i] = (int)random.below((uint32_t)keys.back() + 1);
        auto found = std::lower_bound(keys.begin(), keys.end(), queries[i]);
        expected[i] = *found == queries[i] ? (int)(found - keys.begin()) : -1;
    }
    Tree tree = build(keys);
    int root = (int)tree.nodes.size() - 1;
    int *answer = to_device(std::vector<int>(count, -1));
    find<<<count, ORDER>>>(to_device(tree.nodes), tree.height, to_device(queries),
                           to_device(std::vector<int>(count, root)), device_zeros<int>(count), answer);
    CHECK_KERNEL();
    expect_same("record", expected, to_host(answer, count));
    return pass();
}
