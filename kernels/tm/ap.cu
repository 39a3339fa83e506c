// Data mining (AP of the KILO TM paper, MICRO 2011, section 5): Apriori (Agrawal and Srikant, Fast Algorithms for
// Mining Association Rules, VLDB 1994). An itemset is large if enough records contain it. Candidates of k items come
// from large itemsets of k-1 items: two that agree in all but the last item are joined, and a candidate with a small
// subset is dropped. Candidates are kept in a hash tree that all threads share; then each thread counts the candidates
// in one record by atomic additions.
// The insertion is one critical section a level of the tree. In a leaf, the candidate is appended to the list; a leaf
// of more than two becomes an inner node and its candidates move to new leaves, repeatedly if they stay together.
// At the depth limit leaves grow without bound. Nodes come from 64 free lists, chosen by the thread. The fine-grained
// version has one lock per node, held for one level: no other thread reaches the new nodes below before its release.
// Checked in each pass: candidates and supports against a sequential run, and the tree: each candidate in the leaf that
// its items' hashes lead to, small leaves above the depth limit, no inner node without need.
// args: --version fgl
// args: --version lock
// args: --size 200 --seed 7
#define PROGRAM "ap"
#include "../bench/tm_bench.h"

#include <algorithm>

static const int BLOCKS = 112, BLOCK = 64, LISTS = 64;
static const int LEAF_ITEMSETS = 2, FAN_OUT = 24, DEPTH = 2, LONGEST = 40;
static const int NODES_PER_LIST = (FAN_OUT + FAN_OUT * FAN_OUT + LISTS - 1) / LISTS;

struct Element {
    Element *next;
    int support;
    int item[LONGEST]; // rising
};

struct Node {
    Element *first;
    int count, inner; // elements of a leaf; 1 for an inner node
    int lock;
    Node *child[FAN_OUT];
};

struct Tree {
    Node *nodes; // the root, then the free lists
    int *used;   // nodes taken from each free list
    Element *elements;
    int *taken, *sections, *lock;
    int k;
};

// Itemsets of the same length, in lexicographic order.
struct Large {
    const int *items;
    int count, length;
};

// Record r has the items from first[r] to before first[r + 1], in rising order.
struct Records {
    const int *items, *first;
    int count;
};

static __host__ __device__ __forceinline__ int hash_of(int item) {
    return item % FAN_OUT;
}

// ---- insertion ----

// A joined candidate: the items of one large itemset and the last item of another.
struct Candidate {
    const int *head, *last;
    int k;

    __device__ __forceinline__ int item(int i) const { return i < k - 1 ? head[i] : *last; }
};

template <Version VERSION>
static __device__ __forceinline__ int take(int *counter) {
    if (VERSION == VERSION_FGL) {
        return atomicAdd(counter, 1);
    }
    return (*counter)++;
}

// The lists hold more nodes than a tree can have.
template <Version VERSION>
static __device__ __forceinline__ Node *new_leaf(const Tree &tree) {
    int list = threadIdx.x % LISTS, number = take<VERSION>(&tree.used[list]);
    while (number >= NODES_PER_LIST) {
        list = (list + 1) % LISTS;
        number = take<VERSION>(&tree.used[list]);
    }
    Node *node = &tree.nodes[1 + list * NODES_PER_LIST + number];
    node->first = nullptr;
    node->count = node->inner = 0;
    return node;
}

template <Version VERSION>
static __device__ __forceinline__ Node *child_of(const Tree &tree, Node *node, int item) {
    Node **link = &node->child[hash_of(item)];
    if (!*link) {
        *link = new_leaf<VERSION>(tree);
    }
    return *link;
}

static __device__ __forceinline__ void append(Node *leaf, Element *element) {
    Element **link = &leaf->first;
    while (*link) {
        link = &(*link)->next;
    }
    element->next = nullptr;
    *link = element;
    leaf->count++;
}

// Makes a leaf an inner node; returns the child that has become too large.
template <Version VERSION>
static __device__ __forceinline__ Node *spread(const Tree &tree, Node *node, int depth) {
    Element *element = node->first;
    Node *large = nullptr;
    node->first = nullptr;
    node->inner = 1;
    Node *volatile *links = node->child; // volatile: clang makes memset of the loop otherwise, byte by byte
    for (int i = 0; i < FAN_OUT; i++) {
        links[i] = nullptr;
    }
    while (element) {
        Element *next = element->next;
        Node *child = child_of<VERSION>(tree, node, element->item[depth]);
        append(child, element);
        if (child->count > LEAF_ITEMSETS) {
            large = child;
        }
        element = next;
    }
    return large;
}

template <Version VERSION>
static __device__ __forceinline__ void put(const Tree &tree, const Candidate &candidate, Element *element, Node *node,
                                           int depth) {
    for (int i = 0; i < candidate.k; i++) {
        element->item[i] = candidate.item(i);
    }
    element->support = 0;
    append(node, element);
    if (node->count > LEAF_ITEMSETS) {
        for (; node && depth < DEPTH; depth++) {
            node = spread<VERSION>(tree, node, depth);
        }
    }
}

template <Version VERSION, typename Body>
static __device__ __forceinline__ void critical(const Tree &tree, Node *node, Body body) {
    if (VERSION == VERSION_TM) {
        as_transaction(body);
    } else {
        under_lock(VERSION == VERSION_FGL ? &node->lock : tree.lock, body);
    }
}

// Returns the number of critical sections.
template <Version VERSION>
static __device__ __forceinline__ int insert(const Tree &tree, const Candidate &candidate) {
    Element *element = &tree.elements[atomicAdd(tree.taken, 1)];
    Node *node = tree.nodes;
    int depth = 0;
    for (; node; depth++) {
        Node *next;
        critical<VERSION>(tree, node, [&] {
            next = nullptr;
            if (node->inner) {
                next = child_of<VERSION>(tree, node, candidate.item(depth));
            } else {
                put<VERSION>(tree, candidate, element, node, depth);
            }
        });
        node = next;
    }
    return depth;
}

// ---- generation of candidates ----

// Compares a candidate without one of its items with a large itemset.
static __device__ int compare_subset(const Candidate &candidate, int without, const int *itemset) {
    for (int i = 0; i < candidate.k - 1; i++) {
        int difference = candidate.item(i < without ? i : i + 1) - itemset[i];
        if (difference != 0) {
            return difference;
        }
    }
    return 0;
}

// The list of large itemsets is walked from its start, as in the sequential program.
static __device__ bool subset_is_large(const Large &large, const Candidate &candidate, int without) {
    int order = 1;
    for (int row = 0; row < large.count && order > 0; row++) {
        order = compare_subset(candidate, without, &large.items[row * large.length]);
    }
    return order == 0;
}

// The subsets without one of the last two items are the two that were joined.
static __device__ bool all_subsets_large(const Large &large, const Candidate &candidate) {
    for (int without = 0; without < candidate.k - 2; without++) {
        if (!subset_is_large(large, candidate, without)) {
            return false;
        }
    }
    return true;
}

static __device__ __forceinline__ bool same_head(const int *a, const int *b, int length) {
    for (int i = 0; i < length - 1; i++) {
        if (a[i] != b[i]) {
            return false;
        }
    }
    return true;
}

template <Version VERSION>
static __device__ __forceinline__ void generate(const Large &large, const Tree &tree) {
    int threads = gridDim.x * blockDim.x, each = (large.count + threads - 1) / threads;
    int from = (blockIdx.x * blockDim.x + threadIdx.x) * each, to = min(from + each, large.count);
    int sections = 0, length = large.length;
    for (int row = from; row < to; row++) {
        const int *head = &large.items[row * length];
        for (int other = row + 1; other < large.count; other++) {
            const int *follower = &large.items[other * length];
            if (!same_head(head, follower, length)) {
                break;
            }
            Candidate candidate = {head, &follower[length - 1], tree.k};
            if (all_subsets_large(large, candidate)) {
                sections += insert<VERSION>(tree, candidate);
            }
        }
    }
    if (sections) {
        atomicAdd(tree.sections, sections);
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

// ---- counting of supports ----

// The first two passes need no candidates: all pairs are counted, and single items as pairs with themselves.
extern "C" __global__ void ap_count_pairs(Records records, int items, int *count) {
    int record = blockIdx.x * blockDim.x + threadIdx.x;
    if (record >= records.count) {
        return;
    }
    for (int i = records.first[record]; i < records.first[record + 1]; i++) {
        for (int j = i; j < records.first[record + 1]; j++) {
            atomicAdd(&count[records.items[i] * items + records.items[j]], 1);
        }
    }
}

// How a thread went down the tree: at[d] was reached over the record's items at position[0] to position[d - 1].
struct Path {
    const Node *at[DEPTH + 1];
    int position[DEPTH + 1];
};

// Does the record contain the itemset, and is this the one path to it?
static __device__ bool contains(const int *record, int length, const Path &path, int depth, const int *itemset, int k) {
    for (int i = 0; i < depth; i++) {
        if (record[path.position[i]] != itemset[i]) {
            return false;
        }
    }
    int matched = depth;
    for (int i = depth ? path.position[depth - 1] + 1 : 0; i < length && matched < k; i++) {
        matched += record[i] == itemset[matched];
    }
    return matched == k;
}

static __device__ void count_leaf(const int *record, int length, const Path &path, int depth, int k) {
    for (Element *element = path.at[depth]->first; element; element = element->next) {
        if (contains(record, length, path, depth, element->item, k)) {
            atomicAdd(&element->support, 1);
        }
    }
}

static __device__ void count_record(const Tree &tree, const int *record, int length) {
    Path path;
    int depth = 0;
    path.at[0] = tree.nodes;
    path.position[0] = -1;
    while (depth >= 0) {
        const Node *node = path.at[depth];
        if (!node->inner) {
            count_leaf(record, length, path, depth, tree.k);
            depth--;
        } else if (++path.position[depth] < length) {
            const Node *child = node->child[hash_of(record[path.position[depth]])];
            if (child) {
                path.at[depth + 1] = child;
                path.position[depth + 1] = path.position[depth];
                depth++;
            }
        } else {
            depth--;
        }
    }
}

extern "C" __global__ void ap_count(Records records, Tree tree) {
    int record = blockIdx.x * blockDim.x + threadIdx.x;
    if (record < records.count) {
        int first = records.first[record];
        count_record(tree, &records.items[first], records.first[record + 1] - first);
    }
}

// ---- the database ----

typedef std::vector<int> Itemset;

// Synthetic records as in Agrawal and Srikant, section 4.1: records are filled from potentially large itemsets
// ("patterns"), of which some are much more likely than others, each pattern shares items with the one before, and a
// pattern often comes with items missing. Parameters of the paper's input: 1000 records of 10 items on average, out of
// 500, from 2000 patterns of 6 items on average; large is what 0.75 % of the records contain. Another number of records
// changes that of patterns in proportion, and large stays 8 records. Few likely patterns make most candidates, so
// that their number varies much with the seed. The default seed, and fan-out and depth of the tree above, come near the
// paper's Table 2: 4651 critical sections, 14.2 words read (at most 148) and 4.9 written (at most 124) by each on
// average, 41 million instructions (paper: 4550, 15.7 and 174, 6.2 and 109, 39 million).
static const int ITEMS = 500, PATTERNS_PER_RECORD = 2, SMALLEST_SUPPORT = 8;
static const double RECORD_LENGTH = 10, PATTERN_LENGTH = 6, CORRELATION = 0.5; // means
static const double CORRUPTION = 0.5, CORRUPTION_VARIANCE = 0.1;

struct Pattern {
    Itemset items;
    double up_to; // sum of the weights up to this pattern's
    double corruption;
};

class Quest {
    Lcg random;
    std::vector<Pattern> patterns;
    Itemset left_over;

    double exponential() { return -std::log(1.0 - random.unit()); }

    int poisson(double mean) {
        int events = -1;
        for (double time = 0; time < mean; events++) {
            time += exponential();
        }
        return std::max(events, 0);
    }

    double normal(double mean, double variance) { // the sum of 12 uniform numbers
        double sum = -6;
        for (int i = 0; i < 12; i++) {
            sum += random.unit();
        }
        return mean + std::sqrt(variance) * sum;
    }

    int length(double mean) { return std::min(1 + poisson(mean - 1), LONGEST / 2); }

    void drop_one(Itemset *items) { items->erase(items->begin() + random.below((uint32_t)items->size())); }

    static void include(Itemset *items, int item) {
        if (std::find(items->begin(), items->end(), item) == items->end()) {
            items->push_back(item);
        }
    }

    // Some items of the pattern before, the others at random.
    Itemset pattern_items(const Itemset &before) {
        size_t size = length(PATTERN_LENGTH);
        Itemset items = before;
        size_t common = (size_t)(std::fmin(1, CORRELATION * exponential()) * size + 0.5);
        while (items.size() > common) {
            drop_one(&items);
        }
        while (items.size() < size) {
            include(&items, random.below(ITEMS));
        }
        return items;
    }

    void make_patterns(int count) {
        double sum = 0;
        Itemset before;
        for (int i = 0; i < count; i++) {
            before = pattern_items(before);
            sum += exponential();
            double corruption = normal(CORRUPTION, CORRUPTION_VARIANCE);
            patterns.push_back({before, sum, std::fmin(0.95, std::fmax(0, corruption))});
        }
    }

    // The items that a pattern contributes to one record.
    Itemset corrupted_pattern() {
        double at = random.unit() * patterns.back().up_to;
        auto later = [](double value, const Pattern &pattern) { return value < pattern.up_to; };
        const Pattern &pattern = *std::upper_bound(patterns.begin(), patterns.end() - 1, at, later);
        Itemset items = pattern.items;
        while (!items.empty() && random.unit() < pattern.corruption) {
            drop_one(&items);
        }
        return items;
    }

public:
    Quest(int seed, int pattern_count) : random(seed) { make_patterns(pattern_count); }

    // A pattern that does not fit is added nevertheless in half of the cases, and otherwise kept for the next record.
    Itemset record() {
        Itemset record;
        size_t size = length(RECORD_LENGTH);
        while (record.size() < size) {
            Itemset items = left_over.empty() ? corrupted_pattern() : left_over;
            left_over.clear();
            bool fits = record.empty() || record.size() + items.size() <= size;
            if (!fits && random.below(2)) {
                left_over = items;
                break;
            }
            for (int item : items) {
                include(&record, item);
            }
        }
        std::sort(record.begin(), record.end());
        return record;
    }
};

static std::vector<Itemset> make_records(int count, int seed) {
    Quest quest(seed, count * PATTERNS_PER_RECORD);
    std::vector<Itemset> records(count);
    for (Itemset &record : records) {
        record = quest.record();
    }
    return records;
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

// ---- the tree of a pass, and its checks ----

static Tree make_tree(int k, int joins, int *sections) {
    Tree tree;
    tree.nodes = region_of_zeros<Node>(1 + LISTS * NODES_PER_LIST);
    tree.used = region_of_zeros<int>(LISTS);
    tree.elements = as_region(device_buffer<Element>(joins), joins);
    tree.taken = device_zeros<int>(1);
    tree.sections = sections;
    tree.lock = device_zeros<int>(1);
    tree.k = k;
    return tree;
}

static void free_tree(const Tree &tree) {
    CHECK(cudaFree(tree.nodes));
    CHECK(cudaFree(tree.used));
    CHECK(cudaFree(tree.elements));
    CHECK(cudaFree(tree.taken));
    CHECK(cudaFree(tree.lock));
}

class TreeCheck {
    const Tree &tree;
    std::vector<Node> nodes;
    std::vector<Element> elements;
    std::vector<int> seen_nodes, seen_elements;

    int leaf(const Node &node, const std::vector<int> &hashes) {
        int count = 0;
        for (Element *at = node.first; at; count++) {
            long e = at - tree.elements;
            expect_true("a link leads to an element", count, e >= 0 && e < (long)elements.size());
            expect_equal("times that an element is reached", e, 1, ++seen_elements[e]);
            for (size_t d = 0; d < hashes.size(); d++) {
                expect_equal("hash of an item", e, hashes[d], hash_of(elements[e].item[d]));
            }
            at = elements[e].next;
        }
        expect_equal("size of a leaf", &node - nodes.data(), node.count, count);
        expect_true("a leaf above the depth limit is small", count, count <= LEAF_ITEMSETS || hashes.size() == DEPTH);
        return count;
    }

    // Returns the number of candidates below.
    int subtree(const Node *device_node, std::vector<int> *hashes) {
        long n = device_node - tree.nodes;
        expect_true("a link leads to a node", n, n >= 0 && n < (long)nodes.size());
        expect_equal("times that a node is reached", n, 1, ++seen_nodes[n]);
        expect_equal("lock of a node", n, 0, nodes[n].lock);
        if (!nodes[n].inner) {
            return leaf(nodes[n], *hashes);
        }
        expect_true("a node at the depth limit is a leaf", n, hashes->size() < DEPTH);
        int count = 0;
        for (int hash = 0; hash < FAN_OUT; hash++) {
            if (nodes[n].child[hash]) {
                hashes->push_back(hash);
                count += subtree(nodes[n].child[hash], hashes);
                hashes->pop_back();
            }
        }
        expect_true("an inner node has more candidates than a leaf", n, count > LEAF_ITEMSETS);
        return count;
    }

public:
    explicit TreeCheck(const Tree &tree) : tree(tree) {
        nodes = to_host(tree.nodes, 1 + LISTS * NODES_PER_LIST);
        elements = to_host(tree.elements, to_host(tree.taken, 1)[0]);
        seen_nodes.resize(nodes.size());
        seen_elements.resize(elements.size());
    }

    void check() {
        std::vector<int> hashes;
        expect_equal("candidates in the tree", 0, (int)elements.size(), subtree(tree.nodes, &hashes));
        expect_equal("lock of the tree", 0, 0, to_host(tree.lock, 1)[0]);
    }

    // The candidates that were found, in order, each followed by its support.
    std::vector<Itemset> found() const {
        std::vector<Itemset> result;
        for (const Element &element : elements) {
            Itemset itemset(element.item, element.item + tree.k);
            itemset.push_back(element.support);
            result.push_back(itemset);
        }
        std::sort(result.begin(), result.end());
        return result;
    }
};

// ---- the run ----

struct Run {
    Version version;
    std::vector<Itemset> host_records;
    Records records;
    int *sections;
    int candidates, large, longest;
};

static std::vector<int> joined(const std::vector<Itemset> &lists) {
    std::vector<int> items;
    for (const Itemset &list : lists) {
        items.insert(items.end(), list.begin(), list.end());
    }
    return items;
}

static Records copy_records(const std::vector<Itemset> &records) {
    std::vector<int> first(1, 0);
    for (const Itemset &record : records) {
        first.push_back(first.back() + (int)record.size());
    }
    return {to_device(joined(records)), to_device(first), (int)records.size()};
}

// The large pairs; the others are not needed.
static std::vector<Itemset> large_pairs(const Run &run) {
    int *device_count = device_zeros<int>(ITEMS * ITEMS);
    ap_count_pairs<<<blocks_for(run.records.count, BLOCK), BLOCK>>>(run.records, ITEMS, device_count);
    CHECK_KERNEL();
    std::vector<int> count = to_host(device_count, ITEMS * ITEMS), expected(ITEMS * ITEMS, 0);
    for (const Itemset &record : run.host_records) {
        for (size_t i = 0; i < record.size(); i++) {
            for (size_t j = i; j < record.size(); j++) {
                expected[record[i] * ITEMS + record[j]]++;
            }
        }
    }
    expect_same("support of a pair", expected, count);
    std::vector<Itemset> large;
    for (int i = 0; i < ITEMS * ITEMS; i++) {
        if (count[i] >= SMALLEST_SUPPORT && i / ITEMS != i % ITEMS) {
            large.push_back({i / ITEMS, i % ITEMS});
        }
    }
    CHECK(cudaFree(device_count));
    return large;
}

// Checks the candidates of a pass; returns those that are large.
static std::vector<Itemset> check_pass(Run *run, const Tree &tree, std::vector<Itemset> expected) {
    TreeCheck check(tree);
    check.check();
    for (Itemset &candidate : expected) {
        candidate.push_back(support_of(candidate, run->host_records));
    }
    std::vector<Itemset> found = check.found(), large;
    expect_same("candidates and their supports", joined(expected), joined(found));
    for (Itemset &candidate : found) {
        int support = candidate.back();
        candidate.pop_back();
        if (support >= SMALLEST_SUPPORT) {
            large.push_back(candidate);
        }
    }
    run->candidates += (int)found.size();
    run->large += (int)large.size();
    return large;
}

// One pass: from the large itemsets of k - 1 items to those of k. Without a pair to join there is nothing to do.
static std::vector<Itemset> mine(Run *run, const std::vector<Itemset> &smaller, int k) {
    static void (*const kernels[])(Large, Tree) = {ap_generate_tm, ap_generate_fgl, ap_generate_lock};
    std::vector<Itemset> expected;
    int joins = apriori_gen(smaller, &expected);
    if (joins == 0) {
        return {};
    }
    int *items = region_of(joined(smaller));
    Tree tree = make_tree(k, joins, run->sections);
    kernels[run->version]<<<BLOCKS, BLOCK>>>({items, (int)smaller.size(), k - 1}, tree);
    CHECK_KERNEL();
    ap_count<<<blocks_for(run->records.count, BLOCK), BLOCK>>>(run->records, tree);
    CHECK_KERNEL();
    std::vector<Itemset> large = check_pass(run, tree, expected);
    free_tree(tree);
    CHECK(cudaFree(items));
    run->longest = large.empty() ? run->longest : k;
    return large;
}

int main(int argc, char **argv) {
    BenchOptions options = bench_options(argc, argv, {"records", 650, 1000, 1, 20000}, 57);
    Run run = {options.version, make_records(options.size, options.seed), {}, device_zeros<int>(1), 0, 0, 2};
    run.records = copy_records(run.host_records);
    std::vector<Itemset> large = large_pairs(run);
    size_t pairs = large.size();
    for (int k = 3; !large.empty(); k++) {
        large = mine(&run, large, k);
    }
    printf("AP: %d critical sections for %d candidates, of which %d are large, from %zu pairs up to %d items, "
           "%d records, %d x %d threads, version %s\n",
           to_host(run.sections, 1)[0], run.candidates, run.large, pairs, run.longest, options.size, BLOCKS, BLOCK,
           VERSION_NAMES[options.version]);
    return pass();
}
