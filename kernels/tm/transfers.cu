// Transfers between random accounts without a lock in each account, to compare with the simulator that the authors of
// KILO TM published: unlike ATM's, an account is one word and the amount is read before the transaction, which reads
// and writes two words. 122880 transfers by 120 blocks between a million accounts, or 4096 by 20 between 100000.
// Checked by the sequential result: sums do not depend on the order of transfers.
// args: --version fgl
// args: --version lock --size 1000
#define PROGRAM "transfers"
#include "transfers.h"

static const int BLOCK = 192, PAPER_BLOCKS = 120, QUICK_BLOCKS = 20;
static const int PAPER_ACCOUNTS = 1000000, QUICK_ACCOUNTS = 100000, PAPER_TRANSFERS = 122880, QUICK_TRANSFERS = 4096;

struct Bank {
    int *balances, *locks;
    const int *from, *to, *amount;
    int count;
    int *lock;
};

// Calls `step` with the accounts and the amount of each transfer of this thread; threads stride over the transfers.
template <typename Step>
static __device__ __forceinline__ void for_each_transfer(const Bank &bank, Step step) {
    int threads = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < bank.count; i += threads) {
        step(bank.from[i], bank.to[i], bank.amount[i]);
    }
}

static __device__ __forceinline__ void transfer(const Bank &bank, int from, int to, int amount) {
    bank.balances[from] -= amount;
    bank.balances[to] += amount;
}

extern "C" __global__ void transfers_tm(Bank bank) {
    for_each_transfer(bank, [&](int from, int to, int amount) {
        as_transaction([&] { transfer(bank, from, to, amount); });
    });
}

// The account with the higher number is locked first.
extern "C" __global__ void transfers_fgl(Bank bank) {
    for_each_transfer(bank, [&](int from, int to, int amount) {
        int first = from > to ? from : to, second = from > to ? to : from;
        under_two_locks(&bank.locks[first], &bank.locks[second], [&] { transfer(bank, from, to, amount); });
    });
}

extern "C" __global__ void transfers_lock(Bank bank) {
    for_each_transfer(bank, [&](int from, int to, int amount) {
        under_lock(bank.lock, [&] { transfer(bank, from, to, amount); });
    });
}

int main(int argc, char **argv) {
    BenchOptions options =
        bench_options(argc, argv, {"transfers", QUICK_TRANSFERS, PAPER_TRANSFERS, 1, 1 << 24}, 2009);
    bool small = options.size <= QUICK_TRANSFERS;
    int blocks = small ? QUICK_BLOCKS : PAPER_BLOCKS, count = small ? QUICK_ACCOUNTS : PAPER_ACCOUNTS;
    Lcg random(options.seed);
    std::vector<int> balances = random_balances(random, count);
    Transfers transfers = random_transfers(random, options.size, count);
    Bank bank = {region_of(balances), device_zeros<int>(count), to_device(transfers.from), to_device(transfers.to),
                 to_device(transfers.amount), options.size, device_zeros<int>(1)};

    void (*const kernels[])(Bank) = {transfers_tm, transfers_fgl, transfers_lock};
    kernels[options.version]<<<blocks, BLOCK>>>(bank);
    CHECK_KERNEL();

    std::vector<int> expected = balances_after(balances, transfers);
    std::vector<int> got = to_host(bank.balances, count), locks = to_host(bank.locks, count);
    for (size_t i = 0; i < got.size(); i++) {
        check_account(i, expected[i], got[i], locks[i]);
    }
    printf("TRANSFERS: %d transactions, %d x %d threads, %d accounts, version %s\n", options.size, blocks, BLOCK,
           count, VERSION_NAMES[options.version]);
    return pass();
}
