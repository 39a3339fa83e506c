// A cycle of three transactions with one dependency through shared memory, which snapshot isolation alone allows:
//   late   reads a, waits, writes b                 precedes first, whose a it does not see
//   first  writes a and, in shared memory, w        precedes second, which sees w
//   second reads w and b, waits, writes c           precedes late, whose b it does not see
// Each is a warp of one block. Argument: `seen` or `never`, whether the cycle must have happened.
#define PROGRAM "crossing"
#include "../../kernels/si/si_bench.h"

static const int BEFORE_FIRST = 4000, BEFORE_SECOND = 16000, WAIT = 30000;

struct Words {
    volatile int *a, *b, *c; // far from each other
    int *seen;               // a of late, w and b of second
};

static __device__ __forceinline__ void late(const Words &words) {
    int a = 0;
    as_transaction([&] {
        a = *words.a;
        wait_for(WAIT);
        *words.b = 1;
    });
    words.seen[0] = a;
}

static __device__ __forceinline__ void first(const Words &words, volatile int *w) {
    wait_for(BEFORE_FIRST);
    as_transaction([&] {
        *words.a = 1;
        *w = 1;
    });
}

static __device__ __forceinline__ void second(const Words &words, volatile int *w) {
    int seen_w = 0, seen_b = 0;
    wait_for(BEFORE_SECOND);
    as_transaction([&] {
        seen_w = *w;
        seen_b = *words.b;
        wait_for(WAIT);
        *words.c = 1;
    });
    words.seen[1] = seen_w;
    words.seen[2] = seen_b;
}

__global__ void crossing(Words words) {
    __shared__ int w;
    if (threadIdx.x == 0) {
        w = 0;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        late(words);
    } else if (threadIdx.x == 32) {
        first(words, &w);
    } else if (threadIdx.x == 64) {
        second(words, &w);
    }
}

int main(int argc, char **argv) {
    static const int APART = 64;
    volatile int *words = region_of_zeros<int>(3 * APART);
    int *seen = device_zeros<int>(3);
    crossing<<<1, 96>>>({words, words + APART, words + 2 * APART, seen});
    CHECK_KERNEL();
    std::vector<int> saw = to_host(seen, 3);
    printf("late saw a = %d; second saw w = %d, b = %d\n", saw[0], saw[1], saw[2]);
    bool cycle = !saw[0] && saw[1] && !saw[2];
    expect_true("the cycle", -1, cycle == (argc > 1 && !strcmp(argv[1], "seen")));
    return pass();
}
