// Bank accounts (ATM of the KILO TM paper, MICRO 2011, section 5): 122880 transfers between random pairs of a million
// accounts, by 23040 threads that stride over them. A transfer reads its amount and both balances, and writes both. A
// record of a transfer has three words, as in the authors' public program, so a warp's load of one touches three lines.
// Checked by the sequential result: sums do not depend on the order of transfers.
// args: --version fgl
// args: --version lock --size 1000
#define PROGRAM "atm"
#include "transfers.h"

static const int BLOCK = 192, PAPER_BLOCKS = 120, PAPER_ACCOUNTS = 1000000, PAPER_TRANSFERS = 122880;
static const int QUICK_TRANSFERS = 20 * BLOCK;

struct Account {
    int lock, balance;
};

struct Transfer {
    int amount, from, to;
};

struct Bank {
    Account *accounts;
    const Transfer *transfers;
    int count;
    int *lock;
};

static __device__ __forceinline__ void transfer(const int *amount, Account *from, Account *to) {
    int moved = *amount;
    from->balance -= moved;
    to->balance += moved;
}

static __device__ __forceinline__ void transfer_fresh(const int *amount, Account *from, Account *to) {
    int moved = *amount;
    from->balance = fresh(&from->balance) - moved;
    to->balance = fresh(&to->balance) + moved;
}

// Calls `step` with the amount of each transfer of this thread and its two accounts; threads stride over the transfers.
template <typename Step>
static __device__ __forceinline__ void for_each_transfer(const Bank &bank, Step step) {
    int threads = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < bank.count; i += threads) {
        const Transfer &transfer = bank.transfers[i];
        step(&transfer.amount, &bank.accounts[transfer.from], &bank.accounts[transfer.to]);
    }
}

extern "C" __global__ void atm_tm(Bank bank) {
    for_each_transfer(bank, [&](const int *amount, Account *from, Account *to) {
        computed_before(amount);
        computed_before(from);
        computed_before(to);
        as_transaction([&] { transfer(amount, from, to); });
    });
}

// The account at the higher address is locked first. Each balance lies beside its lock.
extern "C" __global__ void atm_fgl(Bank bank) {
    for_each_transfer(bank, [&](const int *amount, Account *from, Account *to) {
        Account *first = from > to ? from : to, *second = from > to ? to : from;
        under_two_locks<LineOrder>(&first->lock, &second->lock, [&] { transfer_fresh(amount, from, to); });
    });
}

extern "C" __global__ void atm_lock(Bank bank) {
    for_each_transfer(bank, [&](const int *amount, Account *from, Account *to) {
        under_lock(bank.lock, [&] { transfer(amount, from, to); });
    });
}

int main(int argc, char **argv) {
    BenchOptions options =
        bench_options(argc, argv, {"transfers", QUICK_TRANSFERS, PAPER_TRANSFERS, 1, 1 << 24}, 2009);
    int blocks = std::min(PAPER_BLOCKS, blocks_for(options.size, BLOCK));
    int count = (int)((long)PAPER_ACCOUNTS * blocks / PAPER_BLOCKS);
    Lcg random(options.seed);
    std::vector<int> balances = random_balances(random, count);
    std::vector<Account> accounts;
    for (int balance : balances) {
        accounts.push_back({0, balance});
    }
    Transfers transfers = random_transfers(random, options.size, count);
    std::vector<Transfer> records;
    for (int i = 0; i < options.size; i++) {
        records.push_back({transfers.amount[i], transfers.from[i], transfers.to[i]});
    }
    Bank bank = {region_of(accounts), region_of(records), options.size, device_zeros<int>(1)};

    void (*const kernels[])(Bank) = {atm_tm, atm_fgl, atm_lock};
    kernels[options.version]<<<blocks, BLOCK>>>(bank);
    CHECK_KERNEL();

    std::vector<int> expected = balances_after(balances, transfers);
    accounts = to_host(bank.accounts, count);
    for (size_t i = 0; i < accounts.size(); i++) {
        check_account(i, expected[i], accounts[i].balance, accounts[i].lock);
    }
    printf("ATM: %d transactions, %d x %d threads, %d accounts, version %s\n", options.size, blocks, BLOCK, count,
           VERSION_NAMES[options.version]);
    return pass();
}
