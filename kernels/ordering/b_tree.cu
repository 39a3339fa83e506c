// Look-ups in a B+ tree, after the two kernels of Rodinia's b+tree (Fix, Wilkes and Skadron, Accelerating Braided B+ Tree
// Searches on a GPU with CUDA, 2011): one block for each query, one thread for each key of a node. The thread whose key
// is the last one not above the query names the child; all read it after a barrier. `find` looks up a key, `find_range`
// the first and the last record of a range. As in the original, the node that a block stands at and the child that it
// found are words in global memory, neighbours of other blocks' words: the blocks share nothing but the lines, and so
// every one of these accesses is to a line that other SMs write. Queries are read again on every level.
// Checked: the records that each query finds, or that there is none, against the sorted keys.
// also: --timing --config gtx480-sc
#define PROGRAM "b_tree"
#include "../bench/options.h"

#include <algorithm>

static const int ORDER = 256, FILLED = ORDER / 2, BLOCKS_AT_ONCE = 65535;

// A node has the children's lowest keys, unused ones INT_MAX, and the children: nodes, or records in the lowest level.
// The original's layout: its other members are not read.
struct Node {
    int location;
    int children[ORDER + 1];
    int keys[ORDER + 1];
    bool is_leaf;
    int used;
};

static __global__ void find(long height, const Node *nodes, long count, const int *records, long *current, long *next,
                            const int *queries, int *answer) {
    int block = blockIdx.x, lane = threadIdx.x;
    for (int level = 0; level < height; level++) {
        if (nodes[current[block]].keys[lane] <= queries[block] &&
            queries[block] < nodes[current[block]].keys[lane + 1] && nodes[next[block]].children[lane] < count) {
            next[block] = nodes[next[block]].children[lane];
        }
        __syncthreads();
        if (lane == 0) {
            current[block] = next[block];
        }
        __syncthreads();
    }
    if (nodes[current[block]].keys[lane] == queries[block]) {
        answer[block] = records[nodes[current[block]].children[lane]];
    }
}

static __global__ void find_range(long height, const Node *nodes, long count, long *first, long *next_first, long *last,
                                  long *next_last, const int *starts, const int *ends, int *record, int *length) {
    int block = blockIdx.x, lane = threadIdx.x;
    for (int level = 0; level < height; level++) {
        if (nodes[first[block]].keys[lane] <= starts[block] && starts[block] < nodes[first[block]].keys[lane + 1] &&
            nodes[first[block]].children[lane] < count) {
            next_first[block] = nodes[first[block]].children[lane];
        }
        if (nodes[last[block]].keys[lane] <= ends[block] && ends[block] < nodes[last[block]].keys[lane + 1] &&
            nodes[last[block]].children[lane] < count) {
            next_last[block] = nodes[last[block]].children[lane];
        }
        __syncthreads();
        if (lane == 0) {
            first[block] = next_first[block];
            last[block] = next_last[block];
        }
        __syncthreads();
    }
    if (nodes[first[block]].keys[lane] == starts[block]) {
        record[block] = nodes[first[block]].children[lane];
    }
    __syncthreads();
    if (nodes[last[block]].keys[lane] == ends[block]) {
        length[block] = nodes[last[block]].children[lane] - record[block] + 1;
    }
}

struct Tree {
    std::vector<Node> nodes;
    std::vector<int> lowest; // the lowest key below each node
    int height = 0;          // levels above the lowest
};

// Adds a level of nodes over `children`, whose lowest keys are `lowest`; returns the new nodes. They are filled by half,
// as insertion in ascending order leaves them.
static std::vector<int> add_level(Tree &tree, const std::vector<int> &children, const std::vector<int> &lowest) {
    std::vector<int> level;
    for (size_t first = 0; first < children.size(); first += FILLED) {
        Node node = {};
        std::fill(node.keys, node.keys + ORDER + 1, INT32_MAX);
        for (size_t i = first; i < std::min(children.size(), first + FILLED); i++) {
            node.keys[i - first] = lowest[i];
            node.children[i - first] = children[i];
        }
        level.push_back((int)tree.nodes.size());
        tree.nodes.push_back(node);
        tree.lowest.push_back(lowest[first]);
    }
    return level;
}

// Record i has the key keys[i]; the root is the last node.
static Tree build(const std::vector<int> &keys) {
    Tree tree;
    std::vector<int> level(keys.size()), lowest = keys;
    for (size_t i = 0; i < level.size(); i++) {
        level[i] = (int)i;
    }
    level = add_level(tree, level, lowest);
    while (level.size() > 1) {
        lowest.clear();
        for (int node : level) {
            lowest.push_back(tree.lowest[node]);
        }
        level = add_level(tree, level, lowest);
        tree.height++;
    }
    return tree;
}

// The blocks' words, at the root.
static long *at_root(int blocks, const Tree &tree) {
    return to_device(std::vector<long>(blocks, (long)tree.nodes.size() - 1));
}

static void look_up(const Tree &tree, const Node *nodes, const std::vector<int> &keys, int count, Lcg &random) {
    std::vector<int> queries(count), expected(count), values(keys.size());
    for (size_t i = 0; i < values.size(); i++) {
        values[i] = (int)i * 3 + 1;
    }
    for (int i = 0; i < count; i++) {
        queries[i] = (int)random.below((uint32_t)keys.back() + 1);
        auto found = std::lower_bound(keys.begin(), keys.end(), queries[i]);
        expected[i] = *found == queries[i] ? values[found - keys.begin()] : -1;
    }
    int *answer = to_device(std::vector<int>(count, -1));
    find<<<count, ORDER>>>(tree.height, nodes, (long)tree.nodes.size(), to_device(values), at_root(count, tree),
                           at_root(count, tree), to_device(queries), answer);
    CHECK_KERNEL();
    expect_same("record", expected, to_host(answer, count));
}

static void look_up_ranges(const Tree &tree, const Node *nodes, const std::vector<int> &keys, int count, int length,
                           Lcg &random) {
    std::vector<int> starts(count), ends(count), first(count);
    for (int i = 0; i < count; i++) {
        first[i] = (int)random.below((uint32_t)keys.size() - length + 1);
        starts[i] = keys[first[i]];
        ends[i] = keys[first[i] + length - 1];
    }
    int *record = device_zeros<int>(count), *lengths = device_zeros<int>(count);
    find_range<<<count, ORDER>>>(tree.height, nodes, (long)tree.nodes.size(), at_root(count, tree),
                                 at_root(count, tree), at_root(count, tree), at_root(count, tree), to_device(starts),
                                 to_device(ends), record, lengths);
    CHECK_KERNEL();
    expect_same("first record", first, to_host(record, count));
    expect_same("length", std::vector<int>(count, length), to_host(lengths, count));
}

int main(int argc, char **argv) {
    int count = read_options(argc, argv, {"keys to look up, 0.6 times as many ranges, in 100 times as many records", 50,
                                          10000, 2, BLOCKS_AT_ONCE});
    Lcg random(110);
    std::vector<int> keys;
    for (int i = 0, key = 0; i < count * 100; i++) {
        keys.push_back(key);
        key += 1 + (int)random.below(3);
    }
    Tree tree = build(keys);
    const Node *nodes = to_device(tree.nodes);
    look_up_ranges(tree, nodes, keys, count * 3 / 5, std::max(1, (int)keys.size() * 3 / 1000), random);
    look_up(tree, nodes, keys, count, random);
    return pass();
}
