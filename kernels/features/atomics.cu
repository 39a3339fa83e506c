// Every atomic operation on every type that has it (int, unsigned, 64-bit signed and unsigned, float, double,
// half2), in global and shared memory, in block, device and system scope, with many threads on few cells.
// What an operation returns is checked too: the old values of adds of one are all different, exchanges form
// one chain, inc and dec cycle, and compare-and-swap loops lose no update. Reductions (result unused) are
// tested likewise.
#define PROGRAM "atomics"
#include <cuda_fp16.h>

#include "../check.h"

#include <algorithm>

static const int CELLS = 8;
static const int BLOCK = 96;

enum Operation { ADD, SUB, EXCHANGE, MIN, MAX, AND, OR, XOR, CAS_ADD, OPERATIONS };

static const char *const operation_names[OPERATIONS] = {"add", "sub", "exch", "min",     "max",
                                                        "and", "or",  "xor",  "cas loop"};

enum Scope { DEVICE, BLOCKWISE, SYSTEM };

#define SCOPED(FUNCTION, ...)                                                                                \
    (SCOPE == BLOCKWISE ? FUNCTION##_block(__VA_ARGS__)                                                      \
     : SCOPE == SYSTEM  ? FUNCTION##_system(__VA_ARGS__)                                                     \
                        : FUNCTION(__VA_ARGS__))

// The operations that a type has; the others are left out by these overloads.
template <int SCOPE>
__device__ unsigned long long subtract(unsigned long long *cell, unsigned long long value) {
    return SCOPED(atomicAdd, cell, 0 - value);
}

template <int SCOPE, typename T>
__device__ T subtract(T *cell, T value) {
    return SCOPED(atomicSub, cell, value);
}

template <int SCOPE, typename T>
__device__ T add_by_cas(T *cell, T value) {
    T seen = *(volatile T *)cell, expected;
    do {
        expected = seen;
        seen = SCOPED(atomicCAS, cell, expected, (T)(expected + value));
    } while (seen != expected);
    return seen;
}

template <int SCOPE, typename T>
__device__ T apply(int operation, T *cell, T value) {
    switch (operation) {
    case ADD:
        return SCOPED(atomicAdd, cell, value);
    case SUB:
        return subtract<SCOPE>(cell, value);
    case EXCHANGE:
        return SCOPED(atomicExch, cell, value);
    case MIN:
        return SCOPED(atomicMin, cell, value);
    case MAX:
        return SCOPED(atomicMax, cell, value);
    case AND:
        return SCOPED(atomicAnd, cell, value);
    case OR:
        return SCOPED(atomicOr, cell, value);
    case XOR:
        return SCOPED(atomicXor, cell, value);
    default:
        return add_by_cas<SCOPE>(cell, value);
    }
}

// Each thread applies its value to one cell; with block scope, each block has its own cells.
template <int SCOPE, typename T>
__global__ void on_global(int operation, const T *values, T *cells, T *old, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        T *cell = &cells[(SCOPE == BLOCKWISE ? blockIdx.x * CELLS : 0) + i % CELLS];
        old[i] = apply<SCOPE>(operation, cell, values[i]);
    }
}

template <typename T>
__global__ void on_shared(int operation, const T *values, const T *start, T *cells, T *old, int n) {
    __shared__ T own[CELLS];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < CELLS) {
        own[threadIdx.x] = start[threadIdx.x];
    }
    __syncthreads();
    if (i < n) {
        old[i] = apply<DEVICE>(operation, &own[i % CELLS], values[i]);
    }
    __syncthreads();
    if (threadIdx.x < CELLS) {
        cells[blockIdx.x * CELLS + threadIdx.x] = own[threadIdx.x];
    }
}

template <typename T>
static T host_apply(int operation, T cell, T value) {
    switch (operation) {
    case ADD:
    case CAS_ADD:
        return (T)((unsigned long long)cell + (unsigned long long)value);
    case SUB:
        return (T)((unsigned long long)cell - (unsigned long long)value);
    case MIN:
        return cell < value ? cell : value;
    case MAX:
        return cell > value ? cell : value;
    case AND:
        return cell & value;
    case OR:
        return cell | value;
    default:
        return cell ^ value;
    }
}

// Threads i with the same cell and, if cells are per block, the same block form one history: its final value
// and the values returned must be those of some order of its operations.
template <typename T>
static void check_history(const std::string &what, int operation, const std::vector<int> &members, T start,
                          T end, const std::vector<T> &values, const std::vector<T> &old) {
    const char *name = what.c_str();
    if (operation == EXCHANGE) {
        std::vector<T> put(1, start), seen(1, end);
        for (int i : members) {
            put.push_back(values[i]);
            seen.push_back(old[i]);
        }
        std::sort(put.begin(), put.end());
        std::sort(seen.begin(), seen.end());
        expect_same(name, put, seen);
        return;
    }
    T expected = start;
    for (int i : members) {
        expected = host_apply(operation, expected, values[i]);
    }
    expect_equal(name, members[0], expected, end);
    // Each old value must be the start or what some operation left behind: a graph walk from start to end.
    std::vector<T> before, after;
    for (int i : members) {
        before.push_back(old[i]);
        after.push_back(host_apply(operation, old[i], values[i]));
    }
    before.push_back(end);
    after.push_back(start);
    std::sort(before.begin(), before.end());
    std::sort(after.begin(), after.end());
    expect_same(name, after, before);
}

template <typename T>
static void check_type(const char *type, const std::vector<T> &values, T start) {
    int n = (int)values.size(), blocks = blocks_for(n, BLOCK);
    T *in = to_device(values), *old = device_zeros<T>(n);
    std::vector<T> starts((size_t)blocks * CELLS, start);
    T *cells = to_device(starts), *shared_start = to_device(starts);
    const char *const places[] = {"global", "global, block scope", "global, system scope", "shared"};
    for (int operation = 0; operation < OPERATIONS; operation++) {
        for (int place = 0; place < 4; place++) {
            CHECK(cudaMemcpy(cells, starts.data(), starts.size() * sizeof(T), cudaMemcpyHostToDevice));
            switch (place) {
            case 0:
                on_global<DEVICE><<<blocks, BLOCK>>>(operation, in, cells, old, n);
                break;
            case 1:
                on_global<BLOCKWISE><<<blocks, BLOCK>>>(operation, in, cells, old, n);
                break;
            case 2:
                on_global<SYSTEM><<<blocks, BLOCK>>>(operation, in, cells, old, n);
                break;
            default:
                on_shared<<<blocks, BLOCK>>>(operation, in, shared_start, cells, old, n);
            }
            CHECK_KERNEL();
            std::vector<T> end = to_host(cells, starts.size()), returned = to_host(old, n);
            bool per_block = place == 1 || place == 3;
            for (int cell = 0; cell < (per_block ? blocks * CELLS : CELLS); cell++) {
                std::vector<int> members;
                for (int i = 0; i < n; i++) {
                    if (i % CELLS == cell % CELLS && (!per_block || i / BLOCK == cell / CELLS)) {
                        members.push_back(i);
                    }
                }
                if (!members.empty()) {
                    check_history(std::string(type) + " " + operation_names[operation] + ", " + places[place],
                                  operation, members, start, end[cell], values, returned);
                }
            }
        }
    }
}

__global__ void wide_signed(const long long *values, long long *least, long long *most, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicMin(least, values[i]);
        atomicMax(most, values[i]);
    }
}

// The counter runs through 0 .. limit up and down; each value must be returned equally often.
__global__ void wrap_around(unsigned *up, unsigned *down, unsigned limit, unsigned *seen_up,
                            unsigned *seen_down) {
    atomicAdd(&seen_up[atomicInc(up, limit)], 1u);
    atomicAdd(&seen_down[atomicDec(down, limit)], 1u);
}

__global__ void sum_reals(const float *values, float *narrow, double *wide, __half2 *pairs, float *largest,
                          int n) {
    __shared__ float shared_narrow;
    __shared__ double shared_wide;
    if (threadIdx.x == 0) {
        shared_narrow = 0.0f;
        shared_wide = 0.0;
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&narrow[i % CELLS], values[i]);
        atomicAdd(&wide[i % CELLS], (double)values[i]);
        atomicAdd(&pairs[i % 4], __floats2half2_rn((float)(i % 3), -(float)(i % 2)));
        atomicAdd(&shared_narrow, values[i]);
        atomicAdd(&shared_wide, (double)values[i]);
        // The largest by compare-and-swap on the bits, as programs did before there was a float maximum.
        int *bits = (int *)largest, seen = *(volatile int *)bits;
        while (__int_as_float(seen) < values[i]) {
            int found = atomicCAS(bits, seen, __float_as_int(values[i]));
            if (found == seen) {
                break;
            }
            seen = found;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(&narrow[CELLS], shared_narrow);
        atomicAdd(&wide[CELLS], shared_wide);
        atomicExch(&narrow[CELLS + 1], shared_narrow);
    }
}

static void check_wide_signed(Lcg &random, int n) {
    std::vector<long long> values(n);
    for (long long &value : values) {
        value = (long long)((uint64_t)random.next() << 32 | random.next());
    }
    long long *least = to_device(std::vector<long long>(1, INT64_MAX));
    long long *most = to_device(std::vector<long long>(1, INT64_MIN));
    wide_signed<<<blocks_for(n, BLOCK), BLOCK>>>(to_device(values), least, most, n);
    CHECK_KERNEL();
    expect_equal("64-bit signed min", 0, *std::min_element(values.begin(), values.end()),
                 to_host(least, 1)[0]);
    expect_equal("64-bit signed max", 0, *std::max_element(values.begin(), values.end()),
                 to_host(most, 1)[0]);
}

static void check_wrap_around() {
    const unsigned limit = 9, rounds = 48;
    unsigned *counters = device_zeros<unsigned>(2), *seen = device_zeros<unsigned>(2 * (limit + 1));
    wrap_around<<<(limit + 1), rounds>>>(counters, counters + 1, limit, seen, seen + limit + 1);
    CHECK_KERNEL();
    expect_same("inc and dec", std::vector<unsigned>(2 * (limit + 1), rounds),
                to_host(seen, 2 * (limit + 1)));
    expect_same("counters after whole rounds", std::vector<unsigned>(2, 0), to_host(counters, 2));
}

static void check_reals(Lcg &random, int n) {
    std::vector<float> values(n);
    std::vector<double> sums(CELLS + 1, 0.0), first(4, 0.0), second(4, 0.0);
    float most = 0.0f;
    for (int i = 0; i < n; i++) {
        values[i] = (float)((int)random.below(201) - 100);
        sums[i % CELLS] += values[i];
        sums[CELLS] += values[i];
        first[i % 4] += i % 3;
        second[i % 4] -= i % 2;
        most = values[i] > most ? values[i] : most;
    }
    float *narrow = device_zeros<float>(CELLS + 2), *largest = device_zeros<float>(1);
    double *wide = device_zeros<double>(CELLS + 1);
    __half2 *pairs = device_zeros<__half2>(4);
    sum_reals<<<blocks_for(n, BLOCK), BLOCK>>>(to_device(values), narrow, wide, pairs, largest, n);
    CHECK_KERNEL();
    std::vector<float> narrow_got = to_host(narrow, CELLS + 2);
    std::vector<double> wide_got = to_host(wide, CELLS + 1);
    std::vector<__half2> pairs_got = to_host(pairs, 4);
    for (int cell = 0; cell <= CELLS; cell++) {
        expect_equal("float add", cell, sums[cell], (double)narrow_got[cell]);
        expect_equal("double add", cell, sums[cell], wide_got[cell]);
    }
    bool some_block = false;
    for (int block = 0; block < blocks_for(n, BLOCK); block++) {
        float sum = 0.0f;
        for (int i = block * BLOCK; i < std::min(n, (block + 1) * BLOCK); i++) {
            sum += values[i];
        }
        some_block = some_block || sum == narrow_got[CELLS + 1];
    }
    expect_true("float exchange leaves the sum of some block", 0, some_block);
    for (int cell = 0; cell < 4; cell++) {
        expect_equal("half2 add, low", cell, first[cell], (double)__low2float(pairs_got[cell]));
        expect_equal("half2 add, high", cell, second[cell], (double)__high2float(pairs_got[cell]));
    }
    expect_equal("float maximum by compare-and-swap", 0, most, to_host(largest, 1)[0]);
}

int main(int argc, char **argv) {
    int n = size_argument(argc, argv, 500, 1, 3000);
    Lcg random(39);
    std::vector<int> ints(n);
    std::vector<unsigned> naturals(n);
    std::vector<unsigned long long> wides(n);
    for (int i = 0; i < n; i++) {
        ints[i] = (int)random.next() >> random.below(20);
        naturals[i] = random.next() >> random.below(20);
        wides[i] = ((uint64_t)random.next() << 32 | random.next()) >> random.below(40);
    }
    check_type<int>("int", ints, -5);
    check_type<unsigned>("unsigned", naturals, 0x80000000u);
    check_type<unsigned long long>("unsigned long long", wides, 1ull << 62);
    check_wide_signed(random, n);
    check_wrap_around();
    check_reals(random, n);
    return pass();
}
