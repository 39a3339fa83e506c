// Transactions on shared memory whose outcome the GPU-LocalTM paper (Villegas et al.) gives:
//   masks   its Table 1: the program of its Fig. 2 with 4 threads. Threads 2 and 3 add to two words of different banks,
//           in opposite orders, so that both abort; the masks of every step are printed,
//   bank    the same with both words in one bank, so that one thread loses the words that it owns in that bank,
//   filter  the mapping of section 3.3: a thread accesses word 35 and another one word w, for w = 0 to 1023,
//   alias   a thread reads four words for which its own filter has but one bit, section 3.3's second stage,
//   bytes   section 4.3: the largest shared memory that a kernel with transactions can have.
// Threads record steps in global memory, which an abort does not roll back when only shared memory has a protocol.
// A thread cannot read a mask, only that it runs: the conflict mask has the threads that pass only in a later attempt,
// and the execution mask those that take this side of the branch, whether they run or not.
// Checked: the words hold what was added, whatever the order.
// args: --case bank
// args: --case filter
// args: --case alias
// args: --case bytes
// also: --timing --config localtm -- --case masks
// also: --timing --config localtm -- --case bank
// also: --timing --config localtm -- --case bytes
#define PROGRAM "lcases"
#include "../bench/tm_bench.h"

enum Case { MASKS, BANK, FILTER, ALIAS, BYTES };

static const int THREADS = 4, ELSE_SIDE = 2; // threads 2 and 3 take the "else"
static const int BANKS = 32, BITS = 8, WORDS = 1024, WORD = 35;
static const int ATTEMPTS_MOST = 8, LINES = 17;
static const SizeRange ONE_BLOCK = {"blocks", 1, 1, 1, 1};
static const char *const ONE_VERSION[] = {"tm", nullptr};

// The threads that were at each line of Fig. 2, by attempt of the transaction; thread 0 is the lowest bit.
struct Steps {
    int attempts;
    unsigned at[ATTEMPTS_MOST][LINES];
};

extern __shared__ int shared_words[];

// The first active thread counts the attempt. Returns its number.
static __device__ __forceinline__ int note_attempt(Steps *steps) {
    if ((int)threadIdx.x == __ffs(__activemask()) - 1) {
        atomicAdd(&steps->attempts, 1);
    }
    return (atomicAdd(&steps->attempts, 0) - 1) % ATTEMPTS_MOST;
}

static __device__ __forceinline__ void note(Steps *steps, int attempt, int line) {
    atomicOr(&steps->at[attempt][line], 1u << threadIdx.x);
}

// Fig. 2, by its line numbers. `other`: the word that stands across from word 0.
extern "C" __global__ void lcases_masks(Steps *steps, int *words, int other) {
    volatile int *shared = shared_words;
    int first = threadIdx.x == 3 ? other : 0, second = threadIdx.x == 3 ? 0 : other;
    shared_words[threadIdx.x == 0 ? 0 : other] = 0;
    __syncthreads();
    tx_begin();
    int attempt = note_attempt(steps);
    note(steps, attempt, 2);
    if ((int)threadIdx.x < ELSE_SIDE) {
        note(steps, attempt, 5);
    } else {
        note(steps, attempt, 10);
        int left = shared[first], right = shared[second];
        note(steps, attempt, 13);
        shared[first] = left + 1;
        shared[second] = right + 1;
    }
    note(steps, attempt, 15);
    tx_commit();
    __syncthreads();
    words[threadIdx.x] = shared_words[threadIdx.x == 0 ? 0 : other];
}

extern "C" __global__ void lcases_filter(int *words) {
    volatile int *shared = shared_words;
    for (int w = threadIdx.x; w < WORDS; w += blockDim.x) {
        shared_words[w] = 0;
    }
    __syncthreads();
    for (int w = 0; w < WORDS; w++) {
        int word = threadIdx.x == 0 ? WORD : w;
        tx_begin();
        shared[word] = shared[word] + 1;
        tx_commit();
    }
    __syncthreads();
    for (int w = threadIdx.x; w < WORDS; w += blockDim.x) {
        words[w] = shared_words[w];
    }
}

extern "C" __global__ void lcases_alias(int *word) {
    volatile int *shared = shared_words;
    for (int w = WORD; w < WORDS; w += BANKS * BITS) {
        shared_words[w] = w;
    }
    tx_begin();
    int sum = 0;
    for (int w = WORD; w < WORDS; w += BANKS * BITS) {
        sum += shared[w];
    }
    tx_commit();
    *word = sum;
}

extern "C" __global__ void lcases_bytes(int *word) {
    tx_begin();
    atomicAdd(&shared_words[0], 1);
    tx_commit();
    *word = 1;
}

// Threads 0 to 3 from left to right, as in the paper.
static std::string mask(unsigned threads) {
    std::string text;
    for (int i = 0; i < THREADS; i++) {
        text += threads >> i & 1 ? '1' : '0';
    }
    return text;
}

// The columns of Table 1; `old`: threads that came from the attempt before; `lost`: those with a conflict here.
static void print_step(int *number, int line, unsigned exec, unsigned tcm, unsigned old, bool alone, unsigned lost) {
    int n = (*number)++;
    printf("%d line%d, %s exec%d, %s tcm%d, %s old%d, %d alone%d, %s lost%d\n", line, n, mask(exec).c_str(), n,
           mask(tcm).c_str(), n, mask(old).c_str(), n, alone, n, mask(lost).c_str(), n);
}

// An attempt, from the threads at its lines. `open`: threads that have not committed before. Returns those that go on
// to the next attempt.
static unsigned print_attempt(const unsigned *at, unsigned open, bool first, int *number) {
    const unsigned if_side = open & ((1 << ELSE_SIDE) - 1), else_side = open & ~if_side;
    unsigned held = open & ~at[2], lost = at[10] & ~at[13], next = open & ~at[15], old = first ? 0 : open;
    bool alone = held != 0;
    print_step(number, 2, open, held, old, alone, 0);
    print_step(number, 5, if_side, held, old, alone, 0);
    print_step(number, 10, else_side, held, old, alone, 0);
    print_step(number, 13, else_side, held | lost, old, alone, lost);
    print_step(number, 15, open, next, old, alone, 0);
    print_step(number, 16, next ? next : open, next, old, alone, 0);
    return next;
}

static void print_steps(const Steps &steps) {
    int number = 1, attempts = std::min(steps.attempts, ATTEMPTS_MOST);
    unsigned open = (1 << THREADS) - 1;
    print_step(&number, 1, open, 0, 0, false, 0);
    for (int i = 0; i < attempts; i++) {
        open = print_attempt(steps.at[i], open, i == 0, &number);
    }
    printf("%d attempts\n", steps.attempts);
}

static void run_masks(bool one_bank) {
    Steps *steps = device_zeros<Steps>(1);
    int *words = device_zeros<int>(THREADS), other = one_bank ? BANKS : 1;
    lcases_masks<<<1, THREADS, WORDS * sizeof(int)>>>(steps, words, other);
    CHECK_KERNEL();
    for (int word : to_host(words, THREADS)) {
        expect_equal("additions to a word", 0, THREADS - ELSE_SIDE, word);
    }
    print_steps(to_host(steps, 1)[0]);
}

static void run_filter() {
    int *words = device_zeros<int>(WORDS);
    lcases_filter<<<1, 2, WORDS * sizeof(int)>>>(words);
    CHECK_KERNEL();
    std::vector<int> got = to_host(words, WORDS);
    for (int w = 0; w < WORDS; w++) {
        expect_equal("additions to a word", w, w == WORD ? WORDS + 1 : 1, got[w]);
    }
    printf("word %d: bank %d, place %d, bit %d by the paper\n", WORD, WORD % BANKS, WORD / BANKS, WORD / BANKS % BITS);
}

static void run_alias() {
    int *word = device_zeros<int>(1), sum = 0;
    lcases_alias<<<1, 1, WORDS * sizeof(int)>>>(word);
    CHECK_KERNEL();
    for (int w = WORD; w < WORDS; w += BANKS * BITS) {
        sum += w;
    }
    expect_equal("sum of the words", 0, sum, to_host(word, 1)[0]);
}

static bool fits(int bytes, int *word) {
    if (cudaFuncSetAttribute(lcases_bytes, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) != cudaSuccess) {
        cudaGetLastError();
        return false;
    }
    lcases_bytes<<<1, 1, bytes>>>(word);
    return cudaGetLastError() == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess;
}

static void run_bytes() {
    int *word = device_zeros<int>(1), least = 1, most = 1 << 15; // words: the least fits, one above the most does not
    while (least < most) {
        int middle = (least + most + 1) / 2;
        (fits(middle * (int)sizeof(int), word) ? least : most) = middle;
        most -= most == middle;
    }
    expect_true("a word fits", 0, fits(least * (int)sizeof(int), word));
    printf("%d accepted, bytes of shared memory at most\n", least * (int)sizeof(int));
}

int main(int argc, char **argv) {
    static const char *const CASES[] = {"masks", "bank", "filter", "alias", "bytes", nullptr};
    int choice = MASKS;
    bench_options(argc, argv, ONE_BLOCK, 0, {{"case", "what is run (masks)", &choice, CASES, 0, 0}}, ONE_VERSION);
    if (choice == FILTER) {
        run_filter();
    } else if (choice == ALIAS) {
        run_alias();
    } else if (choice == BYTES) {
        run_bytes();
    } else {
        run_masks(choice == BANK);
    }
    return pass();
}
