// What the transactional-memory benchmarks share. Each is one algorithm whose critical sections are written once, as
// a lambda, and executed in one of three ways, chosen on the command line:
//   tm    between tx_begin() and tx_commit(),
//   fgl   under fine-grained locks,
//   lock  under one lock for the whole GPU;
// a program may add versions of its own. The algorithms over global memory are those of Fung, Singh, Brownsword and
// Aamodt, Hardware Transactional Memory for GPU Architectures (MICRO 2011), section 5; `--size paper` is their Table 2,
// `--size quick` the same shape at a few thousand transactions. The inputs are computed on the host, so that the
// statistics of a run are those of the one kernel.
//
// The locks follow one form: the whole loop between simtx_lock_begin() and simtx_lock_end(), the critical section and
// the release inside the loop's body (see simtx_tm.h), fences on both sides of the critical section, and two locks
// always taken in one order over the whole program.
#ifndef KERNELS_TM_BENCH_H
#define KERNELS_TM_BENCH_H

#include "../check.h"
#include <simtx_tm.h>

#include <algorithm>

enum Version { VERSION_TM, VERSION_FGL, VERSION_LOCK, VERSION_SERIAL, VERSION_TURNS };

// The versions of every program; a program's own list begins with them.
static const char *const VERSION_NAMES[] = {"tm", "fgl", "lock", nullptr};

// An option of one program: the index of a word of the list `words` (ended by null) or, without a list, a number from
// `least` to `most`.
struct NamedOption {
    const char *name, *meaning;
    int *value;
    const char *const *words;
    int least, most;
};

// What `--size` stands for: a number of `unit`, from which a program derives everything else.
struct SizeRange {
    const char *unit;
    int quick, paper, least, most;
};

struct BenchOptions {
    Version version;
    int size;
    int seed;
};

static inline std::string option_values(const NamedOption &option) {
    if (!option.words) {
        return "N";
    }
    std::string values;
    for (const char *const *word = option.words; *word; word++) {
        values += (values.empty() ? "" : "|") + std::string(*word);
    }
    return values;
}

static inline void print_usage(FILE *to, const SizeRange &range, const std::vector<NamedOption> &options) {
    fprintf(to, "usage: %s [OPTION VALUE]...\n", PROGRAM);
    for (const NamedOption &option : options) {
        std::string left = std::string(option.name) + " " + option_values(option);
        fprintf(to, "  --%-24s %s\n", left.c_str(), option.meaning);
    }
    fprintf(to, "  --%-24s %d, %d or N %s, N from %d to %d (quick)\n", "size quick|paper|N", range.quick, range.paper,
            range.unit, range.least, range.most);
    fprintf(to, "  --%-24s print this\n", "help");
}

[[noreturn]] static inline void wrong_usage(const SizeRange &range, const std::vector<NamedOption> &options,
                                            const std::string &why) {
    fprintf(stderr, "%s: %s\n", PROGRAM, why.c_str());
    print_usage(stderr, range, options);
    exit(2);
}

static inline bool parse_number(const char *text, int least, int most, int *value) {
    char *end = nullptr;
    long number = strtol(text, &end, 10);
    if (end == text || *end != '\0' || number < least || number > most) {
        return false;
    }
    *value = (int)number;
    return true;
}

static inline bool parse_value(const NamedOption &option, const char *text) {
    if (!option.words) {
        return parse_number(text, option.least, option.most, option.value);
    }
    for (int i = 0; option.words[i]; i++) {
        if (!strcmp(option.words[i], text)) {
            *option.value = i;
            return true;
        }
    }
    return false;
}

static inline bool parse_size(const SizeRange &range, const char *text, int *size) {
    if (!strcmp(text, "quick")) {
        *size = range.quick;
    } else if (!strcmp(text, "paper")) {
        *size = range.paper;
    } else {
        return parse_number(text, range.least, range.most, size);
    }
    return true;
}

static inline void parse_pair(const SizeRange &range, const std::vector<NamedOption> &options, const char *name,
                              const char *value, int *size) {
    bool known = !strcmp(name, "--size"), good = known && value && parse_size(range, value, size);
    for (const NamedOption &option : options) {
        if (!strncmp(name, "--", 2) && !strcmp(name + 2, option.name)) {
            known = true;
            good = value && parse_value(option, value);
        }
    }
    if (!known) {
        wrong_usage(range, options, "there is no option " + shown(std::string(name)));
    }
    if (!good) {
        wrong_usage(range, options, std::string(name) + " does not take " + (value ? value : "an empty value"));
    }
}

// Reads the command line: --version, one of `versions`, --size, --seed and the program's own options. Ends the program
// with a message and status 2 on anything else.
static inline BenchOptions bench_options(int argc, char **argv, const SizeRange &range, int seed,
                                         std::vector<NamedOption> own = {},
                                         const char *const *versions = VERSION_NAMES) {
    int version = VERSION_TM, size = range.quick;
    std::vector<NamedOption> options = {{"version", "how critical sections are carried out (tm)", &version,
                                         versions, 0, 0}};
    options.insert(options.end(), own.begin(), own.end());
    options.push_back({"seed", "of the input's generator", &seed, nullptr, 0, INT32_MAX});
    for (int i = 1; i < argc; i += 2) {
        if (!strcmp(argv[i], "--help")) {
            print_usage(stdout, range, options);
            exit(0);
        }
        parse_pair(range, options, argv[i], i + 1 < argc ? argv[i + 1] : nullptr, &size);
    }
    return {(Version)version, size, seed};
}

// Runs `body` as one transaction.
template <typename Body>
static __device__ __forceinline__ void as_transaction(Body body) {
    tx_begin();
    body();
    tx_commit();
}

// The scope of the fences of a lock: the threads that share it.
struct GpuScope {
    static __device__ __forceinline__ void fence() { __threadfence(); }
};

struct BlockScope {
    static __device__ __forceinline__ void fence() { __threadfence_block(); }
};

// Runs `body` under the lock if it is free. Returns whether it was free.
template <typename Scope, typename Body>
static __device__ __forceinline__ int try_lock(int *lock, Body body) {
    if (atomicCAS(lock, 0, 1) != 0) {
        return 0;
    }
    Scope::fence();
    body();
    Scope::fence();
    atomicExch(lock, 0);
    return 1;
}

// Runs `body` under a lock: 0 is free, 1 taken.
template <typename Scope = GpuScope, typename Body>
static __device__ __forceinline__ void under_lock(int *lock, Body body) {
    int done = 0;
    simtx_lock_begin();
    while (!done) {
        done = try_lock<Scope>(lock, body);
        SIMTX_LOCK_DONE(done);
    }
    simtx_lock_end();
}

// Runs `body` under two different locks, given in the program's order of locks. A thread that gets only the first
// releases it, so that it never holds a lock while it waits for lanes of its own warp.
template <typename Scope = GpuScope, typename Body>
static __device__ __forceinline__ void under_two_locks(int *first, int *second, Body body) {
    int done = 0;
    simtx_lock_begin();
    while (!done) {
        if (atomicCAS(first, 0, 1) == 0) {
            done = try_lock<Scope>(second, body);
            atomicExch(first, 0);
        }
        SIMTX_LOCK_DONE(done);
    }
    simtx_lock_end();
}

#endif
