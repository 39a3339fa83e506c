// Warp-level primitives: any, all, ballot, match, activemask, shuffles of all four modes in every width and
// for 4- and 8-byte types, partial member masks, divergent calls, a warp that is not full, syncwarp with
// shared memory, and the lane mask registers. The host computes each lane's answer from the definition, over
// groups of 32 lanes whatever the simulated wavefront's width.
// also: --set gpu.warp_size=64
#define PROGRAM "warp_intrinsics"
#include "../check.h"

static const unsigned FULL = 0xffffffffu;
static const int THREADS = 168; // five full warps and one of eight lanes

struct Answers {
    unsigned any, all, ballot, match, match_all, match_all_differs, odd_ballot, branch_ballot, active,
        lane_id;
    unsigned below, up_to, own, from, above, exchanged, neighbour;
};

__host__ __device__ unsigned value_of(int thread) {
    unsigned x = (unsigned)thread * 2654435769u;
    return x ^ (x >> 15);
}

__global__ void vote_and_match(Answers *answers) {
    int thread = threadIdx.x, lane = thread % 32;
    unsigned members = thread < THREADS / 32 * 32 ? FULL : (1u << THREADS % 32) - 1, value = value_of(thread);
    Answers own = {};
    own.any = __any_sync(members, value % 64 == 0);
    own.all = __all_sync(members, value % 64 != 0);
    own.ballot = __ballot_sync(members, value & 1);
    own.match = __match_any_sync(members, value % 5);
    int same = 0;
    own.match_all = __match_all_sync(members, thread / 64, &same);
    own.match_all += same ? 0 : 0x80000000u;
    own.match_all_differs = __match_all_sync(members, (unsigned long long)value, &same) + (same ? 7 : 0);
    if (lane % 2) {
        own.odd_ballot = __ballot_sync(members & 0xaaaaaaaau, value & 2);
    }
    if (value & 4) {
        own.active = __activemask();
        own.branch_ballot = __ballot_sync(own.active, value & 8);
    }
    asm("mov.u32 %0, %%laneid;" : "=r"(own.lane_id));
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(own.below));
    asm("mov.u32 %0, %%lanemask_le;" : "=r"(own.up_to));
    asm("mov.u32 %0, %%lanemask_eq;" : "=r"(own.own));
    asm("mov.u32 %0, %%lanemask_ge;" : "=r"(own.from));
    asm("mov.u32 %0, %%lanemask_gt;" : "=r"(own.above));

    __shared__ unsigned box[THREADS];
    box[thread] = value;
    __syncwarp(members);
    own.exchanged = box[thread / 32 * 32 + (lane ^ 5)];
    __syncwarp(members);
    if (lane < 4) {
        box[thread] = value + 1;
        __syncwarp(0xf);
        own.neighbour = box[thread / 32 * 32 + (lane + 1) % 4];
    }
    answers[thread] = own;
}

static void check_votes() {
    Answers *device = device_zeros<Answers>(THREADS);
    vote_and_match<<<1, THREADS>>>(device);
    CHECK_KERNEL();
    std::vector<Answers> got = to_host(device, THREADS);
    for (int thread = 0; thread < THREADS; thread++) {
        Answers want = {};
        int lane = thread % 32, first = thread - lane, lanes = std::min(32, THREADS - first);
        unsigned value = value_of(thread), members = 0, equal_group = 1;
        want.all = 1;
        for (int i = 0; i < lanes; i++) {
            unsigned other = value_of(first + i), bit = 1u << i;
            members |= bit;
            want.any |= other % 64 == 0;
            want.all &= other % 64 != 0;
            want.ballot |= other & 1 ? bit : 0;
            want.match |= other % 5 == value % 5 ? bit : 0;
            want.odd_ballot |= i % 2 && (other & 2) ? bit : 0;
            want.branch_ballot |= (other & 4) && (other & 8) ? bit : 0;
            equal_group &= other == value;
        }
        want.match_all = members;
        want.match_all_differs = equal_group ? members + 7 : 0;
        expect_equal("any", thread, want.any, got[thread].any != 0);
        expect_equal("all", thread, want.all, got[thread].all != 0);
        expect_equal("ballot", thread, want.ballot, got[thread].ballot);
        expect_equal("match any", thread, want.match, got[thread].match);
        expect_equal("match all", thread, want.match_all, got[thread].match_all);
        expect_equal("match all of different values", thread, want.match_all_differs,
                     got[thread].match_all_differs);
        expect_equal("ballot of odd lanes", thread, lane % 2 ? want.odd_ballot : 0, got[thread].odd_ballot);
        if (value & 4) {
            // Which lanes of the branch run together is not defined, only that it is some set with this lane.
            unsigned active = got[thread].active;
            expect_true("the active mask has its own lane", thread, active >> lane & 1);
            for (int i = 0; i < 32; i++) {
                bool in_branch = i < lanes && (value_of(first + i) & 4);
                expect_true("active lanes are in the branch", thread, !(active >> i & 1) || in_branch);
            }
            expect_equal("ballot inside a branch", thread, want.branch_ballot & active,
                         got[thread].branch_ballot);
        }
        expect_equal("lane number", thread, (unsigned)lane, got[thread].lane_id);
        expect_equal("lanes below", thread, (1u << lane) - 1, got[thread].below);
        expect_equal("lanes up to own", thread, (unsigned)((2ull << lane) - 1), got[thread].up_to);
        expect_equal("own lane", thread, 1u << lane, got[thread].own);
        expect_equal("lanes from own", thread, ~((1u << lane) - 1), got[thread].from);
        expect_equal("lanes above", thread, ~(unsigned)((2ull << lane) - 1), got[thread].above);
        expect_equal("exchange over shared memory", thread, value_of(first + (lane ^ 5)),
                     got[thread].exchanged);
        unsigned neighbour = lane < 4 ? value_of(first + (lane + 1) % 4) + 1 : 0;
        expect_equal("exchange among four lanes", thread, neighbour, got[thread].neighbour);
    }
}

enum Mode { INDEX, UP, DOWN, XOR };

template <typename T>
__host__ __device__ T typed_value(int thread) {
    return (T)((long long)value_of(thread) * (sizeof(T) == 8 ? 4294967311ll : 1) >> 3);
}

template <typename T>
__global__ void shuffle(T *out, int mode, int amount, int width) {
    int thread = threadIdx.x;
    T value = typed_value<T>(thread), got;
    switch (mode) {
    case INDEX:
        got = __shfl_sync(FULL, value, amount, width);
        break;
    case UP:
        got = __shfl_up_sync(FULL, value, amount, width);
        break;
    case DOWN:
        got = __shfl_down_sync(FULL, value, amount, width);
        break;
    default:
        got = __shfl_xor_sync(FULL, value, amount, width);
    }
    out[thread] = got;
}

// The lane that a shuffle reads, by the CUDA programming guide's words.
static int source_lane(int mode, int lane, int amount, int width) {
    int base = lane / width * width, in = lane % width;
    switch (mode) {
    case INDEX:
        return base + ((amount % width) + width) % width;
    case UP:
        return in - amount >= 0 ? lane - amount : lane;
    case DOWN:
        return in + amount < width ? lane + amount : lane;
    default:
        // A lane of an earlier group may be read, one of a later group may not.
        return (lane ^ amount) < base + width ? lane ^ amount : lane;
    }
}

template <typename T>
static void check_shuffles(const char *what) {
    const int threads = 64;
    T *device = device_zeros<T>(threads);
    for (int mode = INDEX; mode <= XOR; mode++) {
        for (int width = 2; width <= 32; width *= 2) {
            for (int amount = 0; amount < 32; amount += mode == XOR ? 1 : 3) {
                shuffle<T><<<1, threads>>>(device, mode, amount, width);
                CHECK_KERNEL();
                std::vector<T> got = to_host(device, threads);
                for (int thread = 0; thread < threads; thread++) {
                    int lane = thread % 32, from = thread - lane + source_lane(mode, lane, amount, width);
                    expect_equal(what, ((mode * 100 + width) * 100 + amount) * 100 + thread,
                                 typed_value<T>(from), got[thread]);
                }
            }
        }
    }
}

// A shuffle inside a branch, among the lanes that take it; and a rotation whose source differs by lane.
__global__ void shuffle_in_branch(int *out) {
    int thread = threadIdx.x, lane = thread % 32;
    out[thread] = -1;
    if (lane >= 8 && lane < 24) {
        out[thread] = __shfl_sync(0x00ffff00u, thread, 8 + (lane - 8 + 5) % 16);
    }
    out[THREADS + thread] = __shfl_sync(thread < 160 ? FULL : 0xffu, thread, thread < 160 ? lane * 7 + 3 : 0);
}

static void check_branch_shuffle() {
    int *device = device_zeros<int>(2 * THREADS);
    shuffle_in_branch<<<1, THREADS>>>(device);
    CHECK_KERNEL();
    std::vector<int> got = to_host(device, 2 * THREADS);
    for (int thread = 0; thread < 160; thread++) {
        int lane = thread % 32, first = thread - lane;
        int expected = lane >= 8 && lane < 24 ? first + 8 + (lane - 3) % 16 : -1;
        expect_equal("shuffle in a branch", thread, expected, got[thread]);
        expect_equal("per-lane source", thread, first + (lane * 7 + 3) % 32, got[THREADS + thread]);
    }
    for (int thread = 160; thread < THREADS; thread++) {
        expect_equal("source in the last, partial warp", thread, 160, got[THREADS + thread]);
    }
}

int main() {
    check_votes();
    check_shuffles<int>("shuffle of int");
    check_shuffles<unsigned>("shuffle of unsigned");
    check_shuffles<float>("shuffle of float");
    check_shuffles<long long>("shuffle of long long");
    check_shuffles<unsigned long long>("shuffle of unsigned long long");
    check_shuffles<double>("shuffle of double");
    check_branch_shuffle();
    return pass();
}
