// Recursive device functions whose depth differs from lane to lane: Fibonacci, Ackermann, mutually recursive
// parity, quicksort with a local frame, and a binary search tree that is walked in order. Exercises call,
// ret, parameter passing and the local stack under divergence. Checked against closed forms and host sorting.
// also: --set gpu.warp_size=64
#define PROGRAM "recursion"
#include "../check.h"

#include <algorithm>

__device__ __noinline__ unsigned fib(unsigned n) {
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

__device__ __noinline__ unsigned ackermann(unsigned m, unsigned n) {
    if (m == 0) {
        return n + 1;
    }
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

__device__ bool is_odd(unsigned n);

__device__ __noinline__ bool is_even(unsigned n) {
    return n == 0 ? true : is_odd(n - 1);
}

__device__ __noinline__ bool is_odd(unsigned n) {
    return n == 0 ? false : is_even(n - 1);
}

__global__ void numbers(unsigned *fibs, unsigned *ackermanns, int *even, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        fibs[i] = fib(i % 14);
        ackermanns[i] = ackermann(i % 3, i % 7);
        even[i] = is_even(i % 50);
    }
}

__device__ __noinline__ void quicksort(int *items, int count) {
    if (count < 2) {
        return;
    }
    int pivot = items[count / 2], i = 0, j = count - 1;
    while (i <= j) {
        while (items[i] < pivot) {
            i++;
        }
        while (items[j] > pivot) {
            j--;
        }
        if (i <= j) {
            int kept = items[i];
            items[i++] = items[j];
            items[j--] = kept;
        }
    }
    quicksort(items, j + 1);
    quicksort(items + i, count - i);
}

static const int LIST = 24;

__global__ void sort_lists(int *items, int lists) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < lists) {
        quicksort(items + i * LIST, LIST);
    }
}

struct Node {
    int key, left, right;
};

__device__ __noinline__ int insert(Node *nodes, int root, int node) {
    if (root < 0) {
        return node;
    }
    if (nodes[node].key < nodes[root].key) {
        nodes[root].left = insert(nodes, nodes[root].left, node);
    } else {
        nodes[root].right = insert(nodes, nodes[root].right, node);
    }
    return root;
}

__device__ __noinline__ int walk(const Node *nodes, int root, int *out, int at) {
    if (root < 0) {
        return at;
    }
    at = walk(nodes, nodes[root].left, out, at);
    out[at++] = nodes[root].key;
    return walk(nodes, nodes[root].right, out, at);
}

__global__ void tree_sort(int *items, int lists) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= lists) {
        return;
    }
    Node nodes[LIST];
    int root = -1;
    for (int k = 0; k < LIST; k++) {
        nodes[k].key = items[i * LIST + k];
        nodes[k].left = nodes[k].right = -1;
        root = insert(nodes, root, k);
    }
    walk(nodes, root, items + i * LIST, 0);
}

static unsigned host_ackermann(unsigned m, unsigned n) {
    return m == 0 ? n + 1 : m == 1 ? n + 2 : 2 * n + 3;
}

int main(int argc, char **argv) {
    int n = size_argument(argc, argv, 200, 1, 1 << 16), blocks = blocks_for(n, 64);
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 16 * 1024));
    unsigned *fibs = device_zeros<unsigned>(n), *ackermanns = device_zeros<unsigned>(n);
    int *even = device_zeros<int>(n);
    numbers<<<blocks, 64>>>(fibs, ackermanns, even, n);
    CHECK_KERNEL();
    std::vector<unsigned> fib_got = to_host(fibs, n), ackermann_got = to_host(ackermanns, n);
    std::vector<int> even_got = to_host(even, n);
    for (int i = 0; i < n; i++) {
        // Binet's formula, exact after rounding for such small indices.
        double golden = (1.0 + std::sqrt(5.0)) / 2.0;
        unsigned fib_expected = (unsigned)std::lround(std::pow(golden, i % 14) / std::sqrt(5.0));
        expect_equal("Fibonacci", i, fib_expected, fib_got[i]);
        expect_equal("Ackermann", i, host_ackermann(i % 3, i % 7), ackermann_got[i]);
        expect_equal("parity", i, i % 50 % 2 == 0, even_got[i] != 0);
    }

    Lcg random(27);
    std::vector<int> items((size_t)n * LIST);
    for (int &item : items) {
        item = (int)random.below(100);
    }
    std::vector<int> expected(items);
    for (int i = 0; i < n; i++) {
        std::sort(expected.begin() + i * LIST, expected.begin() + (i + 1) * LIST);
    }
    int *quick = to_device(items), *tree = to_device(items);
    sort_lists<<<blocks, 64>>>(quick, n);
    tree_sort<<<blocks, 64>>>(tree, n);
    CHECK_KERNEL();
    expect_same("quicksort", expected, to_host(quick, items.size()));
    expect_same("tree sort", expected, to_host(tree, items.size()));
    return pass();
}
