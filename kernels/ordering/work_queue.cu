// Dynamic load balance with work queues (DLB of Singh, Shriraman, Fung, O'Connor and Aamodt, Cache Coherence for GPU
// Architectures, HPCA 2013, after Cederman and Tsigas, On Dynamic Load Balancing on Graphics Processors, 2008). The
// work is an unbalanced tree (as in UTS; Olivier and others, LCPC 2006) that begins in the queue of block 0. A block
// takes nodes from the end of its own queue, or steals from the front of another's; each thread visits one node and
// makes its children; the block appends them to its queue. A lock guards each queue; a counter of nodes that exist and
// are not yet visited says when all work is done.
// Communication: what blocks exchange is read and written volatile, after the fence of whoever took the lock and before
// the fence of whoever releases it; inside a block, barriers hand on what thread 0 has seen.
// Checked: number and sum of the nodes, against a walk on the host; queues are empty and unlocked.
// also: --timing --config gtx480-sc
#define PROGRAM "work_queue"
#include "../bench/options.h"

static const int BLOCK = 64, BLOCKS = 48, MOST_CHILDREN = 4, DEPTH = 60;

struct Node {
    unsigned name; // random, and the source of the children's names
    int depth;
};

struct Queue {
    int lock;
    int first, end; // of the nodes
};

struct Work {
    Queue *queues;
    Node *nodes;  // `capacity` for each queue
    int *pending; // nodes in queues or being visited
    unsigned *visited, *sum;
    int capacity;
};

static __host__ __device__ unsigned mixed(unsigned x) {
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
}

// Below the root, 0 to 4 children, 0.98 on average.
static __host__ __device__ int children_of(Node node) {
    unsigned draw = mixed(node.name ^ 0x9e3779b9u) % 100;
    return node.depth >= DEPTH ? 0 : draw < 44 ? 0 : draw < 70 ? 1 : draw < 90 ? 2 : draw < 98 ? 3 : 4;
}

static __host__ __device__ Node child_of(Node node, int i) {
    return {mixed(node.name + 0x632be5abu * (unsigned)(i + 1)), node.depth + 1};
}

static __device__ __forceinline__ int fresh(const int *word) {
    return *(const volatile int *)word;
}

static __device__ __forceinline__ void publish(int *word, int value) {
    *(volatile int *)word = value;
}

static __device__ __forceinline__ Node load_node(const Node *node) {
    const volatile Node *from = node;
    return {from->name, from->depth};
}

static __device__ __forceinline__ void store_node(Node *node, Node value) {
    volatile Node *to = node;
    to->name = value.name;
    to->depth = value.depth;
}

static __device__ __forceinline__ void lock_queue(Queue *queue) {
    while (atomicCAS(&queue->lock, 0, 1) != 0) {
    }
    __threadfence();
}

static __device__ __forceinline__ void unlock_queue(Queue *queue) {
    __threadfence();
    atomicExch(&queue->lock, 0);
}

// For thread 0: looks for a queue with nodes, its own first, and locks it. Returns its number, or -1 when no node is
// left.
static __device__ __forceinline__ int find_work(const Work &work) {
    int at = blockIdx.x;
    while (fresh(work.pending) > 0) {
        Queue *queue = &work.queues[at];
        if (fresh(&queue->end) > fresh(&queue->first)) {
            lock_queue(queue);
            if (fresh(&queue->end) > fresh(&queue->first)) {
                return at;
            }
            unlock_queue(queue);
        }
        at = at + 1 == gridDim.x ? 0 : at + 1;
    }
    return -1;
}

// For thread 0: takes up to a block's nodes, the last ones of its own queue, or half of another's, the first ones.
static __device__ __forceinline__ int take_range(Queue *queue, bool own, int *from) {
    int first = fresh(&queue->first), end = fresh(&queue->end), count = own ? end - first : (end - first + 1) / 2;
    count = min(count, BLOCK);
    *from = own ? end - count : first;
    if (own) {
        publish(&queue->end, end - count);
    } else {
        publish(&queue->first, first + count);
    }
    return count;
}

// Appends the block's new nodes to its queue, which is empty or has all its nodes before `end`.
static __device__ __forceinline__ void append(const Work &work, const Node *made, int count) {
    __shared__ int from;
    Queue *own = &work.queues[blockIdx.x];
    if (threadIdx.x == 0) {
        lock_queue(own);
        from = fresh(&own->end);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += BLOCK) {
        store_node(&work.nodes[blockIdx.x * work.capacity + from + i], made[i]);
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        publish(&own->end, from + count);
        unlock_queue(own);
    }
}

// The node of this thread, if it has one, goes into the totals, its children into `made`.
static __device__ __forceinline__ void visit(const Work &work, bool mine, Node node, Node *made, int *made_count) {
    if (!mine) {
        return;
    }
    int children = children_of(node), at = atomicAdd(made_count, children);
    for (int i = 0; i < children; i++) {
        made[at + i] = child_of(node, i);
    }
    atomicAdd(work.visited, 1u);
    atomicAdd(work.sum, node.name);
}

static __global__ void balance(Work work) {
    __shared__ Node made[BLOCK * MOST_CHILDREN];
    __shared__ int source, from, count, made_count;
    while (true) {
        if (threadIdx.x == 0) {
            made_count = 0;
            source = find_work(work);
            count = source < 0 ? 0 : take_range(&work.queues[source], source == blockIdx.x, &from);
        }
        __syncthreads();
        if (source < 0) {
            return;
        }
        bool mine = threadIdx.x < count;
        Node node = mine ? load_node(&work.nodes[source * work.capacity + from + threadIdx.x]) : Node{0, 0};
        __syncthreads();
        if (threadIdx.x == 0) {
            unlock_queue(&work.queues[source]);
        }
        visit(work, mine, node, made, &made_count);
        __syncthreads();
        if (threadIdx.x == 0) {
            atomicAdd(work.pending, made_count - count);
        }
        append(work, made, made_count);
        __syncthreads();
    }
}

struct Totals {
    unsigned visited, sum;
};

static Totals host_walk(const std::vector<Node> &roots) {
    std::vector<Node> stack = roots;
    Totals totals = {0, 0};
    while (!stack.empty()) {
        Node node = stack.back();
        stack.pop_back();
        totals.visited++;
        totals.sum += node.name;
        for (int i = 0; i < children_of(node); i++) {
            stack.push_back(child_of(node, i));
        }
    }
    return totals;
}

int main(int argc, char **argv) {
    int count = read_options(argc, argv, {"roots in the first queue", 100, 1200, 1, 20000});
    std::vector<Node> roots(count);
    for (int i = 0; i < count; i++) {
        roots[i] = {mixed((unsigned)i + 119), 0};
    }
    Totals expected = host_walk(roots);
    // A queue's nodes never move, so that it needs room for all that are ever appended to it.
    Work work = {device_zeros<Queue>(BLOCKS), nullptr, to_device(std::vector<int>(1, count)), device_zeros<unsigned>(1),
                 device_zeros<unsigned>(1), (int)expected.visited};
    work.nodes = device_buffer<Node>((size_t)BLOCKS * work.capacity);
    CHECK(cudaMemcpy(work.nodes, roots.data(), count * sizeof(Node), cudaMemcpyHostToDevice));
    Queue first = {0, 0, count};
    CHECK(cudaMemcpy(work.queues, &first, sizeof first, cudaMemcpyHostToDevice));
    balance<<<BLOCKS, BLOCK>>>(work);
    CHECK_KERNEL();
    expect_equal("nodes visited", 0, expected.visited, to_host(work.visited, 1)[0]);
    expect_equal("sum of names", 0, expected.sum, to_host(work.sum, 1)[0]);
    expect_equal("pending nodes", 0, 0, to_host(work.pending, 1)[0]);
    std::vector<Queue> queues = to_host(work.queues, BLOCKS);
    for (int i = 0; i < BLOCKS; i++) {
        expect_equal("lock of a queue", i, 0, queues[i].lock);
        expect_equal("end of an empty queue", i, queues[i].first, queues[i].end);
    }
    return pass();
}
