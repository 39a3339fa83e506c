// Counts the placements of n queens on an n x n board: the host lays out the first rows, each thread searches
// one prefix depth-first with an explicit stack in local memory and bit masks. Deep divergence and local
// memory. The counts must be those that are known for every n up to the one asked for.
// also: --set gpu.warp_size=64
#define PROGRAM "nqueens"
#include "../check.h"

struct Prefix {
    unsigned columns, left, right;
};

static const int MOST = 14;

__global__ void count_placements(const Prefix *prefixes, int count, int n, int placed,
                                 unsigned long long *total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }
    unsigned all = (1u << n) - 1, solutions = 0;
    Prefix stack[MOST];
    unsigned open[MOST];
    int depth = 0;
    stack[0] = prefixes[i];
    open[0] = all & ~(stack[0].columns | stack[0].left | stack[0].right);
    while (depth >= 0) {
        if (placed + depth == n) {
            solutions++;
            depth--;
            continue;
        }
        if (open[depth] == 0) {
            depth--;
            continue;
        }
        unsigned bit = open[depth] & -open[depth];
        open[depth] ^= bit;
        Prefix at = stack[depth];
        depth++;
        stack[depth].columns = at.columns | bit;
        stack[depth].left = (at.left | bit) << 1;
        stack[depth].right = (at.right | bit) >> 1;
        open[depth] = all & ~(stack[depth].columns | stack[depth].left | stack[depth].right);
    }
    atomicAdd(total, (unsigned long long)solutions);
}

static void lay_out(std::vector<Prefix> &prefixes, Prefix at, int n, int rows) {
    if (rows == 0) {
        prefixes.push_back(at);
        return;
    }
    for (int column = 0; column < n; column++) {
        unsigned bit = 1u << column;
        if (!((at.columns | at.left | at.right) & bit)) {
            Prefix next = {at.columns | bit, (at.left | bit) << 1, (at.right | bit) >> 1};
            lay_out(prefixes, next, n, rows - 1);
        }
    }
}

int main(int argc, char **argv) {
    // The number of solutions for n = 1, 2, ... (OEIS A000170).
    const unsigned long long known[MOST] = {1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596};
    int most = size_argument(argc, argv, 9, 1, MOST);
    for (int n = 1; n <= most; n++) {
        int rows = n < 4 ? 0 : 3;
        std::vector<Prefix> prefixes;
        lay_out(prefixes, Prefix{0, 0, 0}, n, rows);
        Prefix *prefixes_device = to_device(prefixes);
        unsigned long long *total = device_zeros<unsigned long long>(1);
        int count = (int)prefixes.size();
        count_placements<<<blocks_for(count, 64), 64>>>(prefixes_device, count, n, rows, total);
        CHECK_KERNEL();
        expect_equal("placements", n, known[n - 1], to_host(total, 1)[0]);
        CHECK(cudaFree(prefixes_device));
        CHECK(cudaFree(total));
    }
    return pass();
}
