// What the transactional-memory benchmarks share. Each is one algorithm whose critical sections are written once, as
// a lambda, and executed in one of three ways, chosen on the command line:
//   tm    between tx_begin() and tx_commit(),
//   fgl   under fine-grained locks,
//   lock  under one lock for the whole GPU;
// a program may add versions of its own. The algorithms over global memory are those of Fung, Singh, Brownsword and
// Aamodt, Hardware Transactional Memory for GPU Architectures (MICRO 2011), section 5; `--size paper` is their Table 2,
// `--size quick` the same shape at a few thousand transactions. The inputs are computed on the host, so that the
// statistics of a run are those of the one kernel. The locks are those of bench/locks.h; the words that transactions
// access lie in regions (bench/region.h).
#ifndef KERNELS_BENCH_TM_BENCH_H
#define KERNELS_BENCH_TM_BENCH_H

#include "locks.h"
#include "options.h"
#include "region.h"

#include <algorithm>

enum Version { VERSION_TM, VERSION_FGL, VERSION_LOCK, VERSION_SERIAL, VERSION_TURNS };

// The versions of every program; a program's own list begins with them.
static const char *const VERSION_NAMES[] = {"tm", "fgl", "lock", nullptr};

struct BenchOptions {
    Version version;
    int size;
    int seed;
};

// Reads the command line: --version, one of `versions`, --size, --seed and the program's own options. Ends the program
// with a message and status 2 on anything else.
static inline BenchOptions bench_options(int argc, char **argv, const SizeRange &range, int seed,
                                         std::vector<NamedOption> own = {},
                                         const char *const *versions = VERSION_NAMES) {
    int version = VERSION_TM;
    std::vector<NamedOption> options = {{"version", "how critical sections are carried out (tm)", &version,
                                         versions, 0, 0}};
    options.insert(options.end(), own.begin(), own.end());
    options.push_back({"seed", "of the input's generator", &seed, nullptr, 0, INT32_MAX});
    int size = read_options(argc, argv, range, options);
    return {(Version)version, size, seed};
}

// Fixes the point where an address is computed: clang may otherwise sink it into the critical section. The paper's
// transaction of ATM has 8 instructions (Table 2), too few to compute addresses; that they are computed before it is
// our inference.
template <typename T>
static __device__ __forceinline__ void computed_before(T *&address) {
    asm volatile("" : "+l"(address));
}

// Runs `body` as one transaction.
template <typename Body>
static __device__ __forceinline__ void as_transaction(Body body) {
    tx_begin();
    body();
    tx_commit();
}

#endif
