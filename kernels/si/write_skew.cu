// Witnesses of write skew: pairs of transactions that serial execution excludes and snapshot isolation alone allows.
// In each, a transaction reads a word that the other writes, and the words that they write are distinct.
//   doctors     each of two doctors goes off call if the other is on call; skew: nobody is.
//   neighbours  two neighbouring nodes of a doubly linked list are deleted; skew: one stays linked.
//   read-only   an account with a fee for overdrafts is debited while another is credited, and a third transaction
//               reads both (Fekete, O'Neil and O'Neil, 2004); skew: it sees the credit without the debit, but the debit
//               has not seen the credit.
// A transaction reads, waits, and writes, so that both have begun before one commits. In the third shape the debit
// waits longer, until the others have committed. In the other shapes both may be lanes of one warp (`--placement
// warps`). The program prints in how many instances the skew has happened; `--expect seen` or `never` (the default)
// requires it.
// args: --shape neighbours
// args: --shape read-only
// also: --timing --config localtm -- --expect seen
// also: --timing --config localtm -- --shape neighbours --expect seen
// also: --timing --config localtm -- --shape read-only --expect seen
#define PROGRAM "write_skew"
#include "si_bench.h"

static const int WORDS = 8; // of an instance

struct Instances {
    volatile int *words;
    int count, delay;
    int2 *seen; // by the reader of each
};

// Calls `step` with the words of this thread's instance and the part that the thread has, 0 or 1.
template <typename Step>
static __device__ __forceinline__ void with_part(const Instances &instances, Step step) {
    int instance = thread_number() / 2;
    if (instance < instances.count) {
        step(instances.words + instance * WORDS, thread_number() % 2, instance);
    }
}

// Words 0 and 1: whether the doctors are on call.
extern "C" __global__ void skew_doctors(Instances instances) {
    with_part(instances, [&](volatile int *on_call, int doctor, int) {
        as_transaction([&] {
            int others = on_call[!doctor];
            wait_for(instances.delay);
            if (others > 0) {
                on_call[doctor] = 0;
            }
        });
    });
}

// Words 0 to 3: the links forth of the nodes, 4 to 7: those back. Nodes 1 and 2 are deleted.
extern "C" __global__ void skew_neighbours(Instances instances) {
    with_part(instances, [&](volatile int *links, int part, int) {
        int node = 1 + part;
        as_transaction([&] {
            int next = links[node], prev = links[4 + node];
            wait_for(instances.delay);
            links[prev] = next;
            links[4 + next] = prev;
        });
    });
}

static __device__ __forceinline__ void debit(volatile int *accounts, int delay) {
    as_transaction([&] {
        int from = accounts[0], other = accounts[1];
        wait_for(delay);
        accounts[0] = from + other < 10 ? from - 11 : from - 10;
    });
}

static __device__ __forceinline__ int2 credit_and_read(volatile int *accounts, int delay) {
    int2 seen;
    as_transaction([&] {
        int balance = accounts[1];
        wait_for(delay);
        accounts[1] = balance + 20;
    });
    as_transaction([&] { seen = make_int2(accounts[0], accounts[1]); });
    return seen;
}

// Words 0 and 1: the accounts.
extern "C" __global__ void skew_read_only(Instances instances) {
    with_part(instances, [&](volatile int *accounts, int part, int instance) {
        if (part == 0) {
            debit(accounts, instances.delay);
        } else {
            instances.seen[instance] = credit_and_read(accounts, instances.delay / 8);
        }
    });
}

// What is left is what a serial order leaves, or the skew.
static bool skew_of_doctors(const int *on_call, int2) {
    expect_true("a doctor is on call or off", on_call[0], (on_call[0] | on_call[1]) <= 1);
    return on_call[0] + on_call[1] == 0;
}

static bool skew_of_neighbours(const int *links, int2) {
    return links[0] != 3 || links[4 + 3] != 0;
}

static bool skew_of_accounts(const int *accounts, int2 seen) {
    expect_equal("balance of the credited account", 1, 20, accounts[1]);
    expect_true("balance of the debited account", accounts[0], accounts[0] == -10 || accounts[0] == -11);
    return accounts[0] == -11 && seen.x == 0 && seen.y == 20;
}

struct Shape {
    const char *name;
    int words[WORDS]; // at the start
    int transactions; // of an instance
    void (*kernel)(Instances);
    bool (*skew)(const int *words, int2 seen);
};

static const Shape SHAPES[] = {
    {"doctors", {1, 1}, 2, skew_doctors, skew_of_doctors},
    {"neighbours", {1, 2, 3, 0, 3, 0, 1, 2}, 2, skew_neighbours, skew_of_neighbours},
    {"read-only", {0, 0}, 3, skew_read_only, skew_of_accounts},
};

static int count_skews(const Shape &shape, const std::vector<int> &words, const std::vector<int2> &seen) {
    int skews = 0;
    for (size_t i = 0; i < seen.size(); i++) {
        skews += shape.skew(&words[i * WORDS], seen[i]);
    }
    return skews;
}

int main(int argc, char **argv) {
    static const char *const NAMES[] = {"doctors", "neighbours", "read-only", nullptr};
    static const char *const EXPECTED[] = {"never", "seen", "any", nullptr};
    int which = 0, expected = 0, placement = PLACEMENT_THREADS;
    Instances instances = {nullptr, 8, 2000, nullptr};
    std::vector<NamedOption> options = {
        {"shape", "of the witness (doctors)", &which, NAMES, 0, 0},
        {"expect", "whether the skew is to happen (never)", &expected, EXPECTED, 0, 0},
        {"instances", "beside each other (8)", &instances.count, nullptr, 1, 1024},
        {"delay", "turns of a loop for which a transaction waits (2000)", &instances.delay, nullptr, 0, 1 << 24},
        {"placement", "of the threads, as in the benchmarks (threads)", &placement, PLACEMENT_NAMES, 0, 0}};
    read_options(argc, argv, {}, options);
    const Shape &shape = SHAPES[which];
    std::vector<int> words;
    for (int i = 0; i < instances.count; i++) {
        words.insert(words.end(), shape.words, shape.words + WORDS);
    }
    instances.words = region_of(words);
    instances.seen = device_zeros<int2>(instances.count);

    Geometry launch = geometry(2 * instances.count, placement);
    shape.kernel<<<launch.blocks, launch.block>>>(instances);
    CHECK_KERNEL();

    int skews = count_skews(shape, region_to_host(instances.words, words.size()),
                            to_host(instances.seen, instances.count));
    printf("Write skew, %s: %d transactions, seen in %d of %d instances\n", shape.name,
           shape.transactions * instances.count, skews, instances.count);
    expect_true("write skew is seen", skews, expected != 1 || skews > 0);
    expect_true("write skew is never seen", skews, expected != 0 || skews == 0);
    return pass();
}
