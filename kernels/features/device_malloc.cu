// malloc and free in device code: threads build linked lists of nodes from the device heap and push them onto
// shared heads with compare-and-swap; a second launch walks the lists built by the first, a third frees them,
// many times over, so that the heap must be reused. Blocks must not overlap, and a request beyond the heap's
// size must give a null pointer.
#define PROGRAM "device_malloc"
#include "../check.h"

struct Node {
    Node *next;
    int value;
    unsigned char guard[20];
};

__global__ void push(Node **heads, int lists, int n, int *failures) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    Node *node = (Node *)malloc(sizeof(Node));
    if (!node || (unsigned long long)node % 8 != 0) {
        atomicAdd(failures, 1);
        return;
    }
    node->value = i;
    memset(node->guard, i & 0xff, sizeof node->guard);
    unsigned long long *head = (unsigned long long *)&heads[i % lists],
                       seen = *(volatile unsigned long long *)head;
    unsigned long long expected;
    do {
        expected = seen;
        node->next = (Node *)expected;
        __threadfence();
        seen = atomicCAS(head, expected, (unsigned long long)node);
    } while (seen != expected);
}

__global__ void walk(Node **heads, int lists, int *times_seen, int *wrong) {
    int list = blockIdx.x * blockDim.x + threadIdx.x;
    if (list >= lists) {
        return;
    }
    for (const Node *node = heads[list]; node; node = node->next) {
        atomicAdd(&times_seen[node->value], 1);
        if (node->value % lists != list) {
            atomicAdd(wrong, 1);
        }
        for (unsigned char byte : node->guard) {
            if (byte != (node->value & 0xff)) {
                atomicAdd(wrong, 1);
            }
        }
    }
}

__global__ void release(Node **heads, int lists) {
    int list = blockIdx.x * blockDim.x + threadIdx.x;
    if (list < lists) {
        Node *node = heads[list];
        while (node) {
            Node *next = node->next;
            free(node);
            node = next;
        }
        heads[list] = nullptr;
    }
}

__global__ void ask_too_much(size_t bytes, void **got) {
    *got = malloc(bytes);
    free(nullptr);
}

int main(int argc, char **argv) {
    int n = size_argument(argc, argv, 2000, 1, 20000), lists = 37, rounds = 6;
    size_t heap = 2u << 20;
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, heap));
    size_t limit = 0;
    CHECK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
    expect_true("the heap has at least the size asked for", 0, limit >= heap);
    Node **heads = device_zeros<Node *>(lists);
    int *seen = device_zeros<int>(n), *failures = device_zeros<int>(1), *wrong = device_zeros<int>(1);
    for (int round = 0; round < rounds; round++) {
        push<<<blocks_for(n, 128), 128>>>(heads, lists, n, failures);
        walk<<<2, 32>>>(heads, lists, seen, wrong);
        release<<<2, 32>>>(heads, lists);
        CHECK_KERNEL();
        expect_equal("failed allocations", round, 0, to_host(failures, 1)[0]);
        expect_equal("damaged or misplaced nodes", round, 0, to_host(wrong, 1)[0]);
        expect_same("times each value was seen", std::vector<int>(n, round + 1), to_host(seen, n));
    }
    void **got = to_device(std::vector<void *>(1, (void *)seen));
    ask_too_much<<<1, 1>>>(limit + 1, got);
    CHECK_KERNEL();
    expect_true("a request beyond the heap gives null", 0, to_host(got, 1)[0] == nullptr);
    return pass();
}
