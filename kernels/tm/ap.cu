// Data mining (AP of the KILO TM paper, MICRO 2011, section 5): Apriori (Agrawal and Srikant, Fast Algorithms for
// Mining Association Rules, VLDB 1994). An itemset is large if enough records contain it. Candidates of k items come
// from large itemsets of k-1 items: two that agree in all but the last item are joined, and a candidate with a small
// subset is dropped. Candidates are kept in a hash tree that all threads share.
// The paper evaluates this step, apriori_gen(). Data structures, order of accesses and sizes are those of the authors'
// CUDA version of RMS-TM's Apriori, which is public (HashTree.cu, ListItemset.cu, global_constants.h): each thread has
// an equal share of the list of large itemsets, which it walks from its start; the fan-out of the tree grows with the
// number of large itemsets; nodes come from 64 free lists, chosen by the thread. Large pairs are counted on the host,
// as there. The supports of candidates are, too, which departs from the paper's "support value counting": the authors'
// program counts them on the GPU, in a kernel of its own with atomic additions.
// The insertion is one critical section a level of the tree. In a leaf, the candidate is appended to the list; a leaf
// of more than two becomes an inner node and its candidates move to new leaves, repeatedly if they stay together. A
// leaf as deep as the candidates are long grows without bound. The fine-grained version has one lock per node, held for
// one level.
// Checked in each pass: candidates against a sequential run, and the tree: each candidate in the leaf that its items'
// hashes lead to, small leaves above the last level, no inner node without need.
// args: --version fgl
// args: --version lock
// args: --size 200 --seed 7
#define PROGRAM "ap"
#include "../bench/tm_bench.h"
#include "quest.h"

static const int BLOCKS = 112, BLOCK = 64, LISTS = 64, NODES_PER_LIST = 500, LARGEST_FAN_OUT = 500;
static const int LEAF_ITEMSETS = 2, LONGEST = 20, ITEMS = 500;

// The authors' program allocates each of these on its own, which the runtime aligns to 256 bytes.
static const int ALLOCATION = 256;

struct Candidate {
    int *item; // rising
    int length;
};

struct Element {
    Element *next;
    Candidate *candidate;
};

struct List {
    Element *first, *last;
    int length;
};

struct Node {
    int leaf;
    Node **child;
    int fan_out, depth;
    List *list;
    int count, threshold, lock; // count: set to 0, never read; the authors' node has it
};

struct alignas(ALLOCATION) ItemsAllocation {
    int item[LONGEST];
};

struct alignas(ALLOCATION) CandidateAllocation {
    Candidate candidate;
    ItemsAllocation items;
};

struct alignas(ALLOCATION) ListAllocation {
    List list;
};

// Of each free list, the number of the next node.
static __device__ int *next_nodes;

struct Tree {
    Node *nodes;       // the free lists; the first node of the first is the root
    const int *hash;   // of each item
    Element *elements; // of the candidates
    int *taken, *lock;
    int k;
};

// The list of large itemsets of one length, in lexicographic order, and what threads need to make candidates.
struct Large {
    Element *first;
    int count, length;
    Candidate *joined; // of each thread
    int *start, *end;  // LONGEST positions of each thread
};

// ---- insertion ----

template <Version VERSION>
static __device__ __forceinline__ Node *new_leaf(const Tree &tree, int depth, int fan_out, int threshold) {
    int *next = &next_nodes[(blockIdx.x * blockDim.x + threadIdx.x) % LISTS];
    Node *node = &tree.nodes[VERSION == VERSION_FGL ? atomicAdd(next, 1) : (*next)++];
    node->leaf = 1;
    node->count = 0;
    node->fan_out = fan_out;
    node->depth = depth;
    node->threshold = threshold;
    List *list = node->list;
    list->length = 0;
    list->first = list->last = nullptr;
    node->lock = 0;
    return node;
}

// The number of the child for an element, which is made if there is none.
template <Version VERSION>
static __device__ __forceinline__ int child_for(const Tree &tree, Node *node, const Element *element) {
    int slot = tree.hash[element->candidate->item[node->depth]];
    Node **link = &node->child[slot];
    if (!*link) {
        *link = new_leaf<VERSION>(tree, node->depth + 1, node->fan_out, node->threshold);
    }
    return slot;
}

static __device__ __forceinline__ void append(List *list, Element *element) {
    if (list->first) {
        list->last->next = element;
    } else {
        list->first = element;
    }
    list->last = element;
    element->next = nullptr;
    list->length++;
}

static __device__ __forceinline__ Element *remove_first(List *list) {
    Element *element = list->first;
    if (element == list->last) {
        list->first = list->last = nullptr;
    } else {
        list->first = element->next;
    }
    list->length--;
    return element;
}

// Appends to a leaf. Returns whether the leaf is to become an inner node; one at the last level stays a leaf.
static __device__ __forceinline__ bool overflows(Node *leaf, Element *element, int k) {
    append(leaf->list, element);
    if (leaf->list->length <= leaf->threshold) {
        return false;
    }
    bool last_level = leaf->depth + 1 > k;
    leaf->threshold += last_level;
    return !last_level;
}

template <Version VERSION, typename Body>
static __device__ __forceinline__ void critical(const Tree &tree, Node *node, Body body) {
    if (VERSION == VERSION_TM) {
        as_transaction(body);
    } else {
        under_lock(VERSION == VERSION_FGL ? &node->lock : tree.lock, body);
    }
}

// Within a critical section: the node is still unknown to other threads, but its lock is taken all the same.
template <Version VERSION, typename Body>
static __device__ __forceinline__ void nested(Node *node, Body body) {
    if (VERSION == VERSION_FGL) {
        under_lock(&node->lock, body);
    } else {
        body();
    }
}

// Makes a leaf an inner node. Its elements are one more than fit into a leaf, so at most the last one makes a child
// overflow: that child is returned.
template <Version VERSION>
static __device__ __forceinline__ Node *spread(const Tree &tree, Node *node) {
    Node *large = nullptr;
    node->leaf = 0;
    while (node->list->first) {
        Element *element = remove_first(node->list);
        Node *child = node->child[child_for<VERSION>(tree, node, element)];
        nested<VERSION>(child, [&] { large = overflows(child, element, tree.k) ? child : large; });
    }
    return large;
}

template <Version VERSION>
static __device__ __forceinline__ void insert(const Tree &tree, Element *element) {
    Node *node = tree.nodes;
    int slot;
    do {
        critical<VERSION>(tree, node, [&] {
            slot = -1;
            if (!node->leaf) {
                slot = child_for<VERSION>(tree, node, element);
            } else if (overflows(node, element, tree.k)) {
                for (Node *large = node; large;) {
                    large = spread<VERSION>(tree, large);
                }
            }
        });
        node = slot < 0 ? nullptr : fresh(&node->child[slot]);
    } while (node);
}

// ---- generation of candidates ----

// Compares the first `length` items.
static __device__ int compare(const Candidate *a, const Candidate *b, int length) {
    for (int i = 0; i < length; i++) {
        int difference = a->item[i] - b->item[i];
        if (difference != 0) {
            return difference;
        }
    }
    return 0;
}

// The element, from `from` on, that has the candidate's items at the positions `start`.
static __device__ const Element *find(const Element *from, const Candidate *candidate, const int *start, int length) {
    for (; from; from = from->next) {
        for (int i = 0; i < length; i++) {
            int difference = from->candidate->item[i] - candidate->item[start[i]];
            if (difference < 0) {
                break;
            }
            if (difference > 0) {
                return nullptr;
            }
            if (i == length - 1) {
                return from;
            }
        }
    }
    return nullptr;
}

// The next subset in lexicographic order; returns whether there is one.
static __device__ bool next_subset(int *start, const int *end, int length) {
    for (int i = length - 1; i >= 0; i--) {
        if (++start[i] < end[i]) {
            for (int j = i + 1; j < length; j++) {
                start[j] = start[j - 1] + 1;
            }
            return true;
        }
    }
    return false;
}

// Whether all subsets of `length` items are large. The two without one of the last two items were joined. Subsets and
// large itemsets are in the same order, so each search starts where the one before ended.
static __device__ bool all_subsets_large(const Large &large, const Candidate *candidate, int *start, int *end) {
    int length = large.length;
    for (int i = 0; i < length; i++) {
        start[i] = i;
        end[i] = 2 + i;
    }
    start[length - 2] = length - 1;
    start[length - 1] = length;
    const Element *at = large.first;
    bool more = true;
    while (more) {
        at = find(at, candidate, start, length);
        if (!at) {
            return false;
        }
        more = next_subset(start, end, length);
    }
    return true;
}

static __device__ void join(Candidate *to, const Candidate *head, int last) {
    int k = head->length + 1;
    to->length = k;
    for (int i = 0; i < k - 1; i++) {
        to->item[i] = head->item[i];
    }
    to->item[k - 1] = last;
}

template <Version VERSION>
static __device__ __forceinline__ void join_with_followers(const Large &large, const Tree &tree, const Element *row,
                                                           int thread) {
    int last = large.length - 1;
    for (const Element *other = row->next; other; other = other->next) {
        if (compare(row->candidate, other->candidate, last) < 0) {
            break;
        }
        int item = other->candidate->item[last];
        if (row->candidate->item[last] < item) {
            join(&large.joined[thread], row->candidate, item);
            if (all_subsets_large(large, &large.joined[thread], &large.start[thread * LONGEST],
                                  &large.end[thread * LONGEST])) {
                Element *element = &tree.elements[atomicAdd(tree.taken, 1)];
                join(element->candidate, row->candidate, item);
                insert<VERSION>(tree, element);
            }
        }
    }
}

template <Version VERSION>
static __device__ __forceinline__ void generate(const Large &large, const Tree &tree) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    int each = (large.count + threads - 1) / threads, from = thread * each, to = min(from + each, large.count);
    if (from >= to) {
        return;
    }
    const Element *row = large.first;
    for (int i = 0; i < from; i++) {
        row = row->next;
    }
    for (int i = from; i < to; i++, row = row->next) {
        join_with_followers<VERSION>(large, tree, row, thread);
    }
}

extern "C" __global__ void ap_generate_tm(Large large, Tree tree) {
    generate<VERSION_TM>(large, tree);
}

extern "C" __global__ void ap_generate_fgl(Large large, Tree tree) {
    generate<VERSION_FGL>(large, tree);
}

extern "C" __global__ void ap_generate_lock(Large large, Tree tree) {
    generate<VERSION_LOCK>(large, tree);
}

// ---- the database ----

// Parameters of the paper's input: 1000 records of 10 items on average, out of 500, from 2000 patterns of 6 items on
// average; large is what 0.75 % of the records contain. Another number of records changes that of patterns in
// proportion, and large stays 8 records.
static const int PATTERNS_PER_RECORD = 2, SMALLEST_SUPPORT = 8;

static std::vector<Itemset> make_records(int count, int seed) {
    return Quest().records({ITEMS, count * PATTERNS_PER_RECORD, 10, 6}, count, seed);
}

// ---- the sequential algorithm ----

static bool is_large(const std::vector<Itemset> &large, Itemset itemset, int without) {
    itemset.erase(itemset.begin() + without);
    return std::binary_search(large.begin(), large.end(), itemset);
}

// All joins, and in the second result those of them that pass the pruning.
static int apriori_gen(const std::vector<Itemset> &large, std::vector<Itemset> *candidates) {
    int joins = 0;
    for (size_t i = 0; i < large.size(); i++) {
        for (size_t j = i + 1; j < large.size(); j++) {
            if (!std::equal(large[i].begin(), large[i].end() - 1, large[j].begin())) {
                break;
            }
            Itemset candidate = large[i];
            candidate.push_back(large[j].back());
            bool kept = true;
            for (size_t without = 0; kept && without + 2 < candidate.size(); without++) {
                kept = is_large(large, candidate, (int)without);
            }
            if (kept) {
                candidates->push_back(candidate);
            }
            joins++;
        }
    }
    return joins;
}

static int support_of(const Itemset &itemset, const std::vector<Itemset> &records) {
    int support = 0;
    for (const Itemset &record : records) {
        support += std::includes(record.begin(), record.end(), itemset.begin(), itemset.end());
    }
    return support;
}

static std::vector<int> joined(const std::vector<Itemset> &lists) {
    std::vector<int> items;
    for (const Itemset &list : lists) {
        items.insert(items.end(), list.begin(), list.end());
    }
    return items;
}

// ---- the tree of a pass, and its checks ----

// What all passes share: the nodes, each with its list and its links, and what threads need.
struct Pools {
    Node *nodes, **links;
    int *next, *hash, *taken, *lock, *start, *end;
    Candidate *joined;
    ItemsAllocation *joined_items;
};

static Pools make_pools() {
    const int nodes = LISTS * NODES_PER_LIST, threads = BLOCKS * BLOCK;
    Pools pools;
    pools.links = region_of_zeros<Node *>((size_t)nodes * LARGEST_FAN_OUT);
    ListAllocation *lists = region_of_zeros<ListAllocation>(nodes);
    std::vector<Node> node(nodes);
    for (int i = 0; i < nodes; i++) {
        node[i] = {1, pools.links + (size_t)i * LARGEST_FAN_OUT, 0, 0, &lists[i].list, 0, 0, 0};
    }
    pools.nodes = region_of(node);
    pools.next = region_of_zeros<int>(LISTS);
    CHECK(cudaMemcpyToSymbol(next_nodes, &pools.next, sizeof pools.next));
    pools.hash = region_of_zeros<int>(ITEMS);
    pools.taken = device_zeros<int>(1);
    pools.lock = device_zeros<int>(1);
    pools.start = device_zeros<int>(threads * LONGEST);
    pools.end = device_zeros<int>(threads * LONGEST);
    pools.joined_items = device_zeros<ItemsAllocation>(threads);
    std::vector<Candidate> joined(threads);
    for (int i = 0; i < threads; i++) {
        joined[i] = {pools.joined_items[i].item, 0};
    }
    pools.joined = to_device(joined);
    return pools;
}

// Elements with candidates of `k` items each.
struct Elements {
    Element *elements;
    CandidateAllocation *candidates;

    Elements(const std::vector<Itemset> &contents, size_t most) {
        size_t count = std::max<size_t>(most, 1);
        std::vector<CandidateAllocation> candidate(count);
        std::vector<Element> element(count);
        candidates = as_region(device_buffer<CandidateAllocation>(count), count);
        for (size_t i = 0; i < count; i++) {
            candidate[i] = {};
            candidate[i].candidate.item = candidates[i].items.item;
            element[i] = {nullptr, &candidates[i].candidate};
            if (i < contents.size()) {
                candidate[i].candidate.length = (int)contents[i].size();
                std::copy(contents[i].begin(), contents[i].end(), candidate[i].items.item);
            }
        }
        CHECK(cudaMemcpy(candidates, candidate.data(), count * sizeof candidate[0], cudaMemcpyHostToDevice));
        elements = region_of(element);
    }

    void link(const std::vector<size_t> &order) {
        std::vector<Element> element = to_host(elements, order.size());
        for (size_t i = 0; i + 1 < order.size(); i++) {
            element[order[i]].next = &elements[order[i + 1]];
        }
        CHECK(cudaMemcpy(elements, element.data(), element.size() * sizeof element[0], cudaMemcpyHostToDevice));
    }

    void free() {
        CHECK(cudaFree(elements));
        CHECK(cudaFree(candidates));
    }
};

// The list of large itemsets: in memory in the order in which they were found, linked in lexicographic order.
static Large make_large(const Pools &pools, const Elements &elements, const std::vector<Itemset> &large, size_t first) {
    return {&elements.elements[first], (int)large.size(), (int)large[0].size(), pools.joined, pools.start, pools.end};
}

// The fan-out of a full tree with one leaf for every two pairs of large itemsets: the (levels)th root of pairs / 2.
// There are k levels, in the first pass 2.
static int fan_out_of(size_t large, int k) {
    float pairs = (float)(large * (large - 1) / 2);
    int levels = k == 3 ? 2 : k;
    return std::max(1, (int)std::ceil(std::pow(pairs / LEAF_ITEMSETS, 1.0F / levels)));
}

// Items of large itemsets get the numbers up to the fan-out, then down again, and so on.
static std::vector<int> hashes_of(const std::vector<Itemset> &large, int fan_out) {
    std::vector<int> hash(ITEMS, -1);
    for (const Itemset &itemset : large) {
        for (int item : itemset) {
            hash[item] = 0;
        }
    }
    int count = 0;
    for (int &value : hash) {
        if (value == 0) {
            int position = count++ % (2 * fan_out);
            value = position < fan_out ? position : 2 * fan_out - 1 - position;
        }
    }
    return hash;
}

static Tree make_tree(const Pools &pools, const Elements &elements, const std::vector<Itemset> &large, int k) {
    int fan_out = fan_out_of(large.size(), k);
    expect_true("the fan-out fits a node", fan_out, fan_out <= LARGEST_FAN_OUT);
    std::vector<int> next(LISTS), hash = hashes_of(large, fan_out);
    for (int i = 0; i < LISTS; i++) {
        next[i] = i * NODES_PER_LIST;
    }
    next[0]++;
    Node root = to_host(pools.nodes, 1)[0];
    root.leaf = 1;
    root.depth = root.lock = 0;
    root.fan_out = fan_out;
    root.threshold = LEAF_ITEMSETS;
    CHECK(cudaMemcpy(pools.nodes, &root, sizeof root, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(root.list, 0, sizeof *root.list));
    CHECK(cudaMemcpy(pools.next, next.data(), next.size() * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(pools.hash, hash.data(), hash.size() * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(pools.taken, 0, sizeof(int)));
    return {pools.nodes, pools.hash, elements.elements, pools.taken, pools.lock, k};
}

class TreeCheck {
    const Tree &tree;
    std::vector<int> hash, next;
    std::vector<Element> elements;
    std::vector<CandidateAllocation> candidates;
    std::vector<Node> nodes;
    std::vector<std::vector<Node *>> links; // of the nodes in use
    std::vector<int> seen_nodes, seen_elements;
    std::vector<Itemset> in_order;

    int element(long e, const std::vector<int> &path) {
        expect_true("a link leads to an element", e, e >= 0 && e < (long)elements.size());
        expect_equal("times that an element is reached", e, 1, ++seen_elements[e]);
        const int *item = candidates[e].items.item;
        expect_equal("length of a candidate", e, tree.k, candidates[e].candidate.length);
        for (size_t d = 0; d < path.size(); d++) {
            expect_equal("hash of an item", e, path[d], hash[item[d]]);
        }
        in_order.push_back(Itemset(item, item + tree.k));
        return 1;
    }

    int leaf(const Node &node, const std::vector<int> &path) {
        List list = to_host(node.list, 1)[0];
        int count = 0;
        Element *last = nullptr;
        for (Element *at = list.first; at; at = elements[at - tree.elements].next) {
            count += element(at - tree.elements, path);
            last = at;
        }
        expect_equal("size of a leaf", &node - nodes.data(), list.length, count);
        expect_true("the end of a leaf's list", count, count == 0 || list.last == last);
        expect_true("a leaf above the last level is small", count,
                    count <= LEAF_ITEMSETS || (int)path.size() == tree.k);
        return count;
    }

    // Returns the number of candidates below.
    int subtree(const Node *device_node, std::vector<int> *path) {
        long n = device_node - tree.nodes;
        expect_true("a link leads to a node", n, n >= 0 && n < (long)nodes.size() && n < next[n / NODES_PER_LIST]);
        expect_equal("times that a node is reached", n, 1, ++seen_nodes[n]);
        expect_equal("lock of a node", n, 0, nodes[n].lock);
        expect_equal("depth of a node", n, (int)path->size(), nodes[n].depth);
        if (nodes[n].leaf) {
            return leaf(nodes[n], *path);
        }
        expect_equal("candidates left in an inner node", n, 0, to_host(nodes[n].list, 1)[0].length);
        int count = 0;
        for (int slot = 0; slot < nodes[n].fan_out; slot++) {
            if (links[n][slot]) {
                path->push_back(slot);
                count += subtree(links[n][slot], path);
                path->pop_back();
            }
        }
        expect_true("an inner node has more candidates than a leaf", n, count > LEAF_ITEMSETS);
        return count;
    }

public:
    TreeCheck(const Tree &tree, const Pools &pools, const Elements &all) : tree(tree) {
        int taken = to_host(tree.taken, 1)[0];
        hash = to_host(tree.hash, ITEMS);
        next = to_host(pools.next, LISTS);
        elements = to_host(all.elements, taken);
        candidates = to_host(all.candidates, taken);
        nodes = to_host(tree.nodes, LISTS * NODES_PER_LIST);
        links.resize(nodes.size());
        seen_nodes.resize(nodes.size());
        seen_elements.resize(taken);
        for (int i = 0; i < LISTS; i++) {
            expect_true("nodes of a free list", i, next[i] <= (i + 1) * NODES_PER_LIST);
            for (int n = i * NODES_PER_LIST; n < next[i]; n++) {
                links[n] = to_host(nodes[n].child, LARGEST_FAN_OUT);
                CHECK(cudaMemset(nodes[n].child, 0, LARGEST_FAN_OUT * sizeof(Node *)));
            }
        }
    }

    // The candidates in the order of the tree.
    std::vector<Itemset> check() {
        std::vector<int> path;
        expect_equal("candidates in the tree", 0, (int)elements.size(), subtree(tree.nodes, &path));
        expect_equal("lock of the tree", 0, 0, to_host(tree.lock, 1)[0]);
        return in_order;
    }
};

// ---- the run ----

struct Run {
    Version version;
    std::vector<Itemset> records;
    Pools pools;
    int candidates, large, longest;
};

static std::vector<Itemset> large_pairs(const std::vector<Itemset> &records) {
    std::vector<int> count(ITEMS * ITEMS);
    for (const Itemset &record : records) {
        for (size_t i = 0; i < record.size(); i++) {
            for (size_t j = i + 1; j < record.size(); j++) {
                count[record[i] * ITEMS + record[j]]++;
            }
        }
    }
    std::vector<Itemset> large;
    for (int i = 0; i < ITEMS * ITEMS; i++) {
        if (count[i] >= SMALLEST_SUPPORT) {
            large.push_back({i / ITEMS, i % ITEMS});
        }
    }
    return large;
}

// One pass: from the large itemsets of k - 1 items, in the order in which they were found, to those of k.
static std::vector<Itemset> mine(Run *run, const std::vector<Itemset> &smaller, int k) {
    static void (*const kernels[])(Large, Tree) = {ap_generate_tm, ap_generate_fgl, ap_generate_lock};
    std::vector<Itemset> sorted = smaller, expected;
    std::sort(sorted.begin(), sorted.end());
    int joins = apriori_gen(sorted, &expected);
    std::vector<size_t> order(smaller.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return smaller[a] < smaller[b]; });
    Elements from(smaller, smaller.size()), to({}, joins);
    from.link(order);
    Tree tree = make_tree(run->pools, to, smaller, k);
    kernels[run->version]<<<BLOCKS, BLOCK>>>(make_large(run->pools, from, smaller, order[0]), tree);
    CHECK_KERNEL();
    std::vector<Itemset> found = TreeCheck(tree, run->pools, to).check(), large;
    for (const Itemset &candidate : found) {
        if (support_of(candidate, run->records) >= SMALLEST_SUPPORT) {
            large.push_back(candidate);
        }
    }
    run->candidates += (int)found.size();
    run->large += (int)large.size();
    run->longest = large.empty() ? run->longest : k;
    std::sort(found.begin(), found.end());
    expect_same("candidates", joined(expected), joined(found));
    from.free();
    to.free();
    return large;
}

// The program ends when there are no two large itemsets to join.
int main(int argc, char **argv) {
    // More records have more large pairs than a node of the authors has links for.
    BenchOptions options = bench_options(argc, argv, {"records", 500, 1000, 1, 1200}, 1);
    Run run = {options.version, make_records(options.size, options.seed), make_pools(), 0, 0, 2};
    std::vector<Itemset> large = large_pairs(run.records);
    size_t pairs = large.size();
    for (int k = 3; large.size() > 1; k++) {
        large = mine(&run, large, k);
    }
    printf("AP: %d candidates, of which %d are large, from %zu pairs up to %d items, %zu of %d records have items, "
           "%d x %d threads, version %s\n",
           run.candidates, run.large, pairs, run.longest, run.records.size(), options.size, BLOCKS, BLOCK,
           VERSION_NAMES[options.version]);
    return pass();
}
