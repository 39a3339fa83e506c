// Bank transfers as transactions: every thread moves amounts between two random accounts between tx_begin()
// and tx_commit(). The total is conserved, no account is overdrawn, the counters kept inside the transactions
// agree with what each thread reports, and a replay of the transfers that succeeded gives every balance.
// also: --set gpu.warp_size=64
#define PROGRAM "tx_bank"
#include "../bench/region.h"

static const int TRANSFERS = 4;

__global__ void transfer(int *balance, int accounts, unsigned *done, int *succeeded, int threads) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= threads) {
        return;
    }
    unsigned random = (unsigned)thread * 747796405u + 2891336453u;
    for (int t = 0; t < TRANSFERS; t++) {
        random = random * 1664525u + 1013904223u;
        int from = (int)((random >> 8) % (unsigned)accounts);
        random = random * 1664525u + 1013904223u;
        int to = (int)((random >> 8) % (unsigned)accounts);
        int amount = (int)(random % 200u), moved = 0;
        tx_begin();
        int available = balance[from];
        if (available >= amount && from != to) {
            balance[from] = available - amount;
            balance[to] += amount;
            done[0]++;
            moved = 1;
        } else {
            done[1]++;
        }
        tx_commit();
        succeeded[thread * TRANSFERS + t] = moved;
    }
}

int main(int argc, char **argv) {
    int threads = size_argument(argc, argv, 1500, 1, 1 << 20), accounts = 64;
    std::vector<int> start(accounts, 1000);
    int *balance = region_of(start), *succeeded = device_zeros<int>((size_t)threads * TRANSFERS);
    unsigned *done = region_of_zeros<unsigned>(2);
    transfer<<<blocks_for(threads, 128), 128>>>(balance, accounts, done, succeeded, threads);
    CHECK_KERNEL();

    std::vector<int> got = to_host(balance, accounts),
                     moved = to_host(succeeded, (size_t)threads * TRANSFERS);
    std::vector<unsigned> counted = to_host(done, 2);
    std::vector<int> expected(start);
    unsigned successes = 0;
    for (int thread = 0; thread < threads; thread++) {
        unsigned random = (unsigned)thread * 747796405u + 2891336453u;
        for (int t = 0; t < TRANSFERS; t++) {
            random = random * 1664525u + 1013904223u;
            int from = (int)((random >> 8) % (unsigned)accounts);
            random = random * 1664525u + 1013904223u;
            int to = (int)((random >> 8) % (unsigned)accounts);
            if (moved[thread * TRANSFERS + t]) {
                expected[from] -= (int)(random % 200u);
                expected[to] += (int)(random % 200u);
                successes++;
            }
        }
    }
    long total = 0;
    for (int i = 0; i < accounts; i++) {
        expect_equal("balance", i, expected[i], got[i]);
        expect_true("no account is overdrawn", i, got[i] >= 0);
        total += got[i];
    }
    expect_equal("total", 0, 1000L * accounts, total);
    expect_equal("successful transfers", 0, successes, counted[0]);
    expect_equal("refused transfers", 0, (unsigned)threads * TRANSFERS - successes, counted[1]);
    expect_true("most transfers succeed", 0, successes > (unsigned)threads * TRANSFERS / 2);
    return pass();
}
