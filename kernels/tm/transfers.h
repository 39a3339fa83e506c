// Transfers between random accounts, for the programs that differ in what an account is: how they are made, and what
// the accounts hold afterwards.
#ifndef KERNELS_TM_TRANSFERS_H
#define KERNELS_TM_TRANSFERS_H

#include "../bench/tm_bench.h"

struct Transfers {
    std::vector<int> from, to, amount;
};

static inline std::vector<int> random_balances(Lcg &random, int accounts) {
    std::vector<int> balances(accounts);
    for (int &balance : balances) {
        balance = (int)random.below(100);
    }
    return balances;
}

static inline Transfers random_transfers(Lcg &random, int count, int accounts) {
    Transfers transfers;
    for (int i = 0; i < count; i++) {
        int from = (int)random.below(accounts), to = (int)random.below(accounts - 1);
        transfers.from.push_back(from);
        transfers.to.push_back(to + (to >= from));
        transfers.amount.push_back((int)random.below(100));
    }
    return transfers;
}

// The sequential result: sums do not depend on the order of transfers.
static inline std::vector<int> balances_after(std::vector<int> balances, const Transfers &transfers) {
    for (size_t i = 0; i < transfers.amount.size(); i++) {
        balances[transfers.from[i]] -= transfers.amount[i];
        balances[transfers.to[i]] += transfers.amount[i];
    }
    return balances;
}

// All locks are free in the end.
static inline void check_account(size_t account, int expected, int balance, int lock) {
    expect_equal("balance", (long)account, expected, balance);
    expect_equal("lock", (long)account, 0, lock);
}

#endif
