// Transactions on shared memory whose outcome the GPU-LocalTM paper (Villegas et al.) gives:
//   masks   its Table 1: the program of its Fig. 2 with 4 threads. Threads 2 and 3 add to two words of different banks,
//           in opposite orders, so that both abort; pmevent instructions mark the figure's lines in the timeline,
//   bank    the same with both words in one bank, so that one thread loses the words that it owns in that bank,
//   filter  the mapping of section 3.3: a thread accesses word 35 and another one word w, for w = 0 to 1023,
//   alias   a thread reads four words for which its own filter has but one bit, section 3.3's second stage,
//   bytes   section 4.3: the largest shared memory that a kernel with transactions can have.
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
static const SizeRange ONE_BLOCK = {"blocks", 1, 1, 1, 1};
static const char *const ONE_VERSION[] = {"tm", nullptr};

extern __shared__ int shared_words[];

// Marks a line of the figure in the timeline.
template <int LINE> static __device__ __forceinline__ void mark() {
    asm volatile("pmevent %0;" ::"n"(LINE));
}

// Fig. 2, by its line numbers. `other`: the word that stands across from word 0.
extern "C" __global__ void lcases_masks(int *words, int other) {
    volatile int *shared = shared_words;
    int first = threadIdx.x == 3 ? other : 0, second = threadIdx.x == 3 ? 0 : other;
    shared_words[threadIdx.x == 0 ? 0 : other] = 0;
    __syncthreads();
    mark<1>();
    tx_begin();
    mark<2>();
    if ((int)threadIdx.x >= ELSE_SIDE) {
        mark<10>();
        int left = shared[first], right = shared[second];
        mark<13>();
        shared[first] = left + 1;
        shared[second] = right + 1;
    } else {
        mark<5>();
    }
    mark<15>();
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

static void run_masks(bool one_bank) {
    int *words = device_zeros<int>(THREADS), other = one_bank ? BANKS : 1;
    lcases_masks<<<1, THREADS, WORDS * sizeof(int)>>>(words, other);
    CHECK_KERNEL();
    for (int word : to_host(words, THREADS)) {
        expect_equal("additions to a word", 0, THREADS - ELSE_SIDE, word);
    }
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
