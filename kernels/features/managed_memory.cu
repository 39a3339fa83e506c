// One address for host and device: a tree of managed allocations built by the host and transformed by a
// kernel that follows its pointers, mapped pinned memory through its device alias, a registered std::vector,
// and the runtime's answers about what kind of memory a pointer is.
#define PROGRAM "managed_memory"
#include "../check.h"

struct Tree {
    Tree *left, *right;
    long value, sum;
};

static Tree *build(Lcg &random, int depth, long *total) {
    Tree *tree = nullptr;
    CHECK(cudaMallocManaged(&tree, sizeof(Tree)));
    tree->value = (long)random.below(1000);
    tree->sum = -1;
    *total += tree->value;
    tree->left = depth > 0 ? build(random, depth - 1, total) : nullptr;
    tree->right = depth > 0 ? build(random, depth - 1, total) : nullptr;
    return tree;
}

// Each thread takes the subtree that the bits of its number lead to.
__global__ void sum_subtrees(Tree *root, int levels) {
    int path = blockIdx.x * blockDim.x + threadIdx.x;
    if (path >= 1 << levels) {
        return;
    }
    Tree *top = root;
    for (int level = 0; level < levels; level++) {
        top = path >> level & 1 ? top->right : top->left;
    }
    Tree *stack[24];
    int depth = 0;
    long sum = 0;
    stack[depth++] = top;
    while (depth > 0) {
        Tree *tree = stack[--depth];
        sum += tree->value;
        tree->value = -tree->value;
        if (tree->left) {
            stack[depth++] = tree->left;
            stack[depth++] = tree->right;
        }
    }
    top->sum = sum;
}

static long collect(const Tree *tree, int level, int levels) {
    return level == levels ? tree->sum
                           : collect(tree->left, level + 1, levels) + collect(tree->right, level + 1, levels);
}

static long values(const Tree *tree, int level, int stop) {
    return !tree || level == stop
               ? 0
               : tree->value + values(tree->left, level + 1, stop) + values(tree->right, level + 1, stop);
}

static void release(Tree *tree) {
    if (tree) {
        release(tree->left);
        release(tree->right);
        CHECK(cudaFree(tree));
    }
}

__global__ void square(int *values, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        values[i] *= values[i];
    }
}

static void check_squares(const char *what, int *host, int *device, int n) {
    for (int i = 0; i < n; i++) {
        host[i] = i % 1000 - 500;
    }
    square<<<blocks_for(n, 128), 128>>>(device, n);
    CHECK_KERNEL();
    for (int i = 0; i < n; i++) {
        expect_equal(what, i, (i % 1000 - 500) * (i % 1000 - 500), host[i]);
    }
}

static void expect_kind(const char *what, const void *pointer, cudaMemoryType kind) {
    cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, pointer));
    expect_equal(what, 0, (int)kind, (int)attributes.type);
}

int main(int argc, char **argv) {
    int depth = size_argument(argc, argv, 8, 4, 16), levels = 3;
    Lcg random(28);
    long total = 0;
    Tree *root = build(random, depth, &total);
    sum_subtrees<<<1, 32>>>(root, levels);
    CHECK_KERNEL();
    long above = values(root, 0, levels);
    expect_equal("sum over the tree", 0, total, above + collect(root, 0, levels));
    expect_equal("values negated below", 0, above - (total - above), values(root, 0, 100));

    int n = 3001, *managed = nullptr, *mapped = nullptr, *alias = nullptr, *device = device_zeros<int>(n);
    CHECK(cudaMallocManaged((void **)&managed, n * sizeof(int), cudaMemAttachGlobal));
    check_squares("managed array", managed, managed, n);
    CHECK(cudaHostAlloc((void **)&mapped, n * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer((void **)&alias, mapped, 0));
    check_squares("mapped array", mapped, alias, n);

    std::vector<int> own(n);
    CHECK(cudaHostRegister(own.data(), n * sizeof(int), cudaHostRegisterMapped));
    CHECK(cudaHostGetDevicePointer((void **)&alias, own.data(), 0));
    check_squares("registered array", own.data(), alias, n);
    CHECK(cudaHostUnregister(own.data()));

    expect_kind("managed memory", managed + 5, cudaMemoryTypeManaged);
    expect_kind("pinned memory", mapped + 5, cudaMemoryTypeHost);
    expect_kind("device memory", device + 5, cudaMemoryTypeDevice);
    int plain = 0;
    expect_kind("unknown memory", &plain, cudaMemoryTypeUnregistered);

    CHECK(cudaMemcpy(device, managed, n * sizeof(int), cudaMemcpyDefault));
    CHECK(cudaMemset(managed, 0, n * sizeof(int)));
    CHECK(cudaMemcpy(managed, device, n * sizeof(int), cudaMemcpyDefault));
    for (int i = 0; i < n; i++) {
        expect_equal("copied there and back", i, (i % 1000 - 500) * (i % 1000 - 500), managed[i]);
    }
    CHECK(cudaFreeHost(mapped));
    CHECK(cudaFree(managed));
    release(root);
    return pass();
}
