// Barrier objects in shared memory (mbarrier of PTX): random sequences of all their operations against a model on the
// host, phases that warps pass at different times, and copies that arrive at a barrier object when they are complete.
#define PROGRAM "barrier_objects"
#include "../check.h"

typedef unsigned long long word;

enum Op { INIT, ARRIVE, ARRIVE_N, ARRIVE_NO_COMPLETE, DROP, EXPECT_TX, COMPLETE_TX, ARRIVE_EXPECT_TX, TEST, TEST_PARITY,
          TRY, TRY_PARITY, PENDING, OPS };

__device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ void init(word *bar, unsigned count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(bar)), "r"(count) : "memory");
}

__device__ word arrive(word *bar) {
    word state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(shared_address(bar)) : "memory");
    return state;
}

__device__ bool test(word *bar, word state) {
    int yes;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared::cta.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }"
                 : "=r"(yes) : "r"(shared_address(bar)), "l"(state) : "memory");
    return yes;
}

__device__ bool test_parity(word *bar, unsigned parity) {
    int yes;
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cta.shared.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }"
                 : "=r"(yes) : "r"(shared_address(bar)), "r"(parity) : "memory");
    return yes;
}

// One thread's operation on its object; `state` is that of its last arrival.
__device__ unsigned run(word *bar, int op, unsigned n, word &state) {
    unsigned at = shared_address(bar), r = 0;
    switch (op) {
    case INIT: init(bar, n); break;
    case ARRIVE: state = arrive(bar); break;
    case ARRIVE_N:
        asm volatile("mbarrier.arrive.release.cta.b64 %0, [%1], %2;" : "=l"(state) : "l"(bar), "r"(n));
        break;
    case ARRIVE_NO_COMPLETE:
        asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], %2;" : "=l"(state) : "r"(at), "r"(n));
        break;
    case DROP: asm volatile("mbarrier.arrive_drop.shared.b64 _, [%0], %1;" ::"r"(at), "r"(n)); break;
    case EXPECT_TX: asm volatile("mbarrier.expect_tx.relaxed.cta.shared.b64 [%0], %1;" ::"r"(at), "r"(n)); break;
    case COMPLETE_TX: asm volatile("mbarrier.complete_tx.shared.b64 [%0], %1;" ::"r"(at), "r"(n)); break;
    case ARRIVE_EXPECT_TX:
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 %0, [%1], %2;" : "=l"(state) : "r"(at), "r"(n));
        break;
    case TEST: r = test(bar, state); break;
    case TEST_PARITY:
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(r) : "r"(at), "r"(n));
        break;
    case TRY:
        asm volatile("{ .reg .pred p; mbarrier.try_wait.b64 p, [%1], %2, 100; selp.u32 %0, 1, 0, p; }"
                     : "=r"(r) : "l"(bar), "l"(state));
        break;
    case TRY_PARITY: r = test_parity(bar, n); break;
    default: asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(r) : "l"(state)); break;
    }
    return r;
}

static void check(const char *what, const unsigned *device, const std::vector<unsigned> &expected) {
    CHECK_KERNEL();
    auto got = to_host(device, expected.size());
    for (size_t i = 0; i < expected.size(); i++) {
        expect_equal(what, (int)i, expected[i], got[i]);
    }
}

struct Step { int op; unsigned n; };

// Every thread runs its own sequence on its own object, diverging at every step.
__global__ void sequences(const Step *steps, unsigned *results, int count) {
    __shared__ word bar[64];
    int t = threadIdx.x, first = (blockIdx.x * blockDim.x + t) * count;
    word state = 0;
    for (int i = 0; i < count; i++) {
        results[first + i] = run(&bar[t], steps[first + i].op, steps[first + i].n, state);
    }
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(shared_address(&bar[t])) : "memory");
}

// What the ISA says of an object: arrivals and bytes that the phase waits for, and which phase it is.
struct Model {
    long pending = 0, expected = 0, bytes = 0, phase = 0;
    long state_phase = 0, state_pending = 0;
    void arrive(long n) {
        state_phase = phase;
        state_pending = pending;
        pending -= n;
    }
    void settle() {
        if (pending == 0 && bytes == 0) {
            pending = expected;
            phase++;
        }
    }
};

// The next step of a sequence that the ISA allows, and its result.
static Step next(Model &m, Lcg &random, unsigned *result) {
    Step s;
    do {
        s.op = (int)(random.next() % OPS);
        s.n = 1 + random.next() % 5;
        *result = 0;
        bool recent = m.state_phase == m.phase || m.state_phase + 1 == m.phase;
        switch (s.op) {
        case ARRIVE: s.n = 1; // as ARRIVE_N
        case ARRIVE_N:
        case DROP:
            if (s.n > m.pending || (s.op == DROP && s.n >= m.expected)) {
                continue;
            }
            if (s.op == DROP) {
                m.expected -= s.n;
                m.pending -= s.n;
            } else {
                m.arrive(s.n);
            }
            m.settle();
            return s;
        case ARRIVE_NO_COMPLETE:
            if (s.n >= m.pending) {
                continue;
            }
            m.arrive(s.n);
            return s;
        case EXPECT_TX:
            if (m.pending == 0 || m.bytes > 1000) {
                continue;
            }
            m.bytes += s.n *= 16;
            return s;
        case COMPLETE_TX:
            if (m.bytes == 0) {
                continue;
            }
            s.n = m.bytes < 48 ? (unsigned)m.bytes : 16;
            m.bytes -= s.n;
            m.settle();
            return s;
        case ARRIVE_EXPECT_TX:
            if (m.pending == 0) {
                continue;
            }
            m.arrive(1);
            m.bytes += s.n *= 16;
            return s;
        case TEST:
        case TRY:
            if (!recent) {
                continue;
            }
            *result = m.state_phase != m.phase;
            return s;
        case TEST_PARITY:
        case TRY_PARITY:
            s.n &= 1;
            *result = (m.phase & 1) != s.n;
            return s;
        case PENDING: *result = (unsigned)m.state_pending; return s;
        default: continue;
        }
    } while (true);
}

static void check_sequences(int blocks, int threads, int count) {
    Lcg random(7);
    size_t n = (size_t)blocks * threads * count;
    std::vector<Step> steps(n);
    std::vector<unsigned> expected(n);
    for (size_t i = 0; i < n;) {
        Model m;
        m.pending = m.expected = 1 + random.next() % 12;
        steps[i] = {INIT, (unsigned)m.pending};
        expected[i++] = 0;
        steps[i] = {ARRIVE, 1};
        m.arrive(1);
        m.settle();
        expected[i++] = 0;
        for (int k = 2; k < count; k++, i++) {
            steps[i] = next(m, random, &expected[i]);
        }
    }
    unsigned *results = device_zeros<unsigned>(n);
    sequences<<<blocks, threads>>>(to_device(steps), results, count);
    check("result of operation", results, expected);
}

// Warps arrive and go on at different times; the last values that a phase published are those that all read.
__global__ void phases(unsigned *out, int rounds) {
    __shared__ word full, empty;
    __shared__ unsigned value[128];
    int t = threadIdx.x;
    if (t == 0) {
        init(&full, blockDim.x);
        init(&empty, blockDim.x);
    }
    __syncthreads();
    unsigned sum = 0;
    for (int i = 0; i < rounds; i++) {
        value[t] = i * 1000 + t;
        arrive(&full);
        for (int k = 0; k < (t / 32 * 7 + i) % 5; k++) {
            sum += k;
        }
        while (!test_parity(&full, i & 1)) {
        }
        sum = sum * 3 + value[(t + 33 * (i + 1)) % blockDim.x];
        word state = arrive(&empty);
        while (!test(&empty, state)) {
        }
    }
    out[blockIdx.x * blockDim.x + t] = sum;
}

static void check_phases(int threads, int rounds) {
    unsigned *out = device_zeros<unsigned>(2 * threads);
    phases<<<2, threads>>>(out, rounds);
    std::vector<unsigned> expected(2 * threads);
    for (int b = 0; b < 2; b++) {
        for (int t = 0; t < threads; t++) {
            unsigned sum = 0;
            for (int i = 0; i < rounds; i++) {
                for (int k = 0; k < (t / 32 * 7 + i) % 5; k++) {
                    sum += k;
                }
                sum = sum * 3 + i * 1000 + (t + 33 * (i + 1)) % threads;
            }
            expected[b * threads + t] = sum;
        }
    }
    check("sum of phases, thread", out, expected);
}

// Two buffers that copies fill while the other one is read. With NOINC the object expects the arrivals of the copies;
// without, each copy brings its own, and the threads arrive as well.
template <bool NOINC>
__global__ void copies(const unsigned *in, unsigned *out, int rounds) {
    __shared__ alignas(16) unsigned buffer[2][4 * 128];
    __shared__ word full[2];
    int t = threadIdx.x, n = blockDim.x;
    if (t < 2) {
        init(&full[t], n);
    }
    __syncthreads();
    auto fetch = [&](int i) {
        unsigned object = shared_address(&full[i & 1]);
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(&buffer[i & 1][4 * t])),
                     "l"(__cvta_generic_to_global(in + (blockIdx.x * rounds + i) * 4 * n + 4 * t)) : "memory");
        if (NOINC) {
            asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(object) : "memory");
        } else {
            asm volatile("cp.async.mbarrier.arrive.b64 [%0];" ::"l"(&full[i & 1]) : "memory");
            arrive(&full[i & 1]);
        }
    };
    fetch(0);
    unsigned sum = 0;
    for (int i = 0; i < rounds; i++) {
        if (i + 1 < rounds) {
            fetch(i + 1);
        }
        while (!test_parity(&full[i & 1], i / 2 & 1)) {
        }
        for (int k = 0; k < 4; k++) {
            sum = sum * 5 + buffer[i & 1][(4 * t + 4 * 33 + k) % (4 * n)];
        }
        __syncthreads();
    }
    out[blockIdx.x * n + t] = sum;
}

template <bool NOINC>
static void check_copies(const char *name, int blocks, int threads, int rounds) {
    Lcg random(rounds);
    std::vector<unsigned> in((size_t)blocks * rounds * threads * 4), expected((size_t)blocks * threads);
    for (auto &v : in) {
        v = random.next();
    }
    for (int b = 0; b < blocks; b++) {
        for (int t = 0; t < threads; t++) {
            unsigned sum = 0;
            for (int i = 0; i < rounds; i++) {
                for (int k = 0; k < 4; k++) {
                    sum = sum * 5 + in[(size_t)(b * rounds + i) * 4 * threads + (4 * t + 4 * 33 + k) % (4 * threads)];
                }
            }
            expected[b * threads + t] = sum;
        }
    }
    unsigned *out = device_zeros<unsigned>(expected.size());
    copies<NOINC><<<blocks, threads>>>(to_device(in), out, rounds);
    check(name, out, expected);
}

int main() {
    check_sequences(3, 64, 60);
    check_phases(128, 40);
    check_phases(96, 9);
    check_copies<true>("sum of copies that are expected, thread", 3, 128, 11);
    check_copies<false>("sum of copies, thread", 3, 128, 11);
    return pass();
}
