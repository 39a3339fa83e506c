// Bank accounts (ATM of the KILO TM paper, MICRO 2011, section 5): 122880 transfers between random pairs of a million
// accounts, by 23040 threads that stride over them. A transfer reads its amount and both balances, and writes both.
// Checked by the sequential result: sums do not depend on the order of transfers.
// args: --version fgl
// args: --version lock --size 1000
#define PROGRAM "atm"
#include "tm_bench.h"

static const int BLOCK = 192, PAPER_BLOCKS = 120, PAPER_ACCOUNTS = 1000000, PAPER_TRANSFERS = 122880;
static const int QUICK_TRANSFERS = 20 * BLOCK;

struct Account {
    int lock, balance;
};

struct Bank {
    Account *accounts;
    const int *from, *to, *amount;
    int transfers;
    int *lock;
};

static __device__ __forceinline__ void transfer(const Bank &bank, int i, Account *from, Account *to) {
    int amount = bank.amount[i];
    from->balance -= amount;
    to->balance += amount;
}

// Calls `step` with each transfer of this thread and its two accounts.
template <typename Step>
static __device__ __forceinline__ void for_each_transfer(const Bank &bank, Step step) {
    int threads = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < bank.transfers; i += threads) {
        step(i, &bank.accounts[bank.from[i]], &bank.accounts[bank.to[i]]);
    }
}

extern "C" __global__ void atm_tm(Bank bank) {
    for_each_transfer(bank, [&](int i, Account *from, Account *to) {
        as_transaction([&] { transfer(bank, i, from, to); });
    });
}

// The account at the higher address is locked first.
extern "C" __global__ void atm_fgl(Bank bank) {
    for_each_transfer(bank, [&](int i, Account *from, Account *to) {
        Account *first = from > to ? from : to, *second = from > to ? to : from;
        under_two_locks(&first->lock, &second->lock, [&] { transfer(bank, i, from, to); });
    });
}

extern "C" __global__ void atm_lock(Bank bank) {
    for_each_transfer(bank, [&](int i, Account *from, Account *to) {
        under_lock(bank.lock, [&] { transfer(bank, i, from, to); });
    });
}

struct Transfers {
    std::vector<int> from, to, amount;
};

static Transfers random_transfers(Lcg &random, int count, int accounts) {
    Transfers transfers;
    for (int i = 0; i < count; i++) {
        int from = (int)random.below(accounts), to = (int)random.below(accounts - 1);
        transfers.from.push_back(from);
        transfers.to.push_back(to + (to >= from));
        transfers.amount.push_back((int)random.below(100));
    }
    return transfers;
}

static void check_bank(std::vector<Account> expected, const Transfers &transfers, const std::vector<Account> &got) {
    for (size_t i = 0; i < transfers.amount.size(); i++) {
        expected[transfers.from[i]].balance -= transfers.amount[i];
        expected[transfers.to[i]].balance += transfers.amount[i];
    }
    for (size_t i = 0; i < got.size(); i++) {
        expect_equal("balance", (long)i, expected[i].balance, got[i].balance);
        expect_equal("lock", (long)i, 0, got[i].lock);
    }
}

int main(int argc, char **argv) {
    BenchOptions options =
        bench_options(argc, argv, {"transfers", QUICK_TRANSFERS, PAPER_TRANSFERS, 1, 1 << 24}, 2009);
    int blocks = std::min(PAPER_BLOCKS, blocks_for(options.size, BLOCK));
    int count = (int)((long)PAPER_ACCOUNTS * blocks / PAPER_BLOCKS);
    Lcg random(options.seed);
    std::vector<Account> accounts(count);
    for (Account &account : accounts) {
        account = {0, (int)random.below(100)};
    }
    Transfers transfers = random_transfers(random, options.size, count);
    Bank bank = {to_device(accounts), to_device(transfers.from), to_device(transfers.to),
                 to_device(transfers.amount), options.size, device_zeros<int>(1)};

    void (*const kernels[])(Bank) = {atm_tm, atm_fgl, atm_lock};
    kernels[options.version]<<<blocks, BLOCK>>>(bank);
    CHECK_KERNEL();

    check_bank(accounts, transfers, to_host(bank.accounts, count));
    printf("ATM: %d transactions, %d x %d threads, %d accounts, version %s\n", options.size, blocks, BLOCK, count,
           VERSION_NAMES[options.version]);
    return pass();
}
