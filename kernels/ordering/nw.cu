// Alignment of two sequences (nw of Rodinia; Needleman and Wunsch, Journal of Molecular Biology 1970): the score matrix
// in tiles of 16 x 16, a launch for each anti-diagonal of tiles. A block of 16 threads loads its tile's borders, which
// other SMs wrote in the launches before, walks through the tile's anti-diagonals in shared memory and stores the tile.
// Checked: all scores, in integers, against the host's recurrence.
// also: --timing --config gtx480-sc
#define PROGRAM "nw"
#include "../bench/options.h"

#include <algorithm>

static const int TILE = 16, GAP = 10, LETTERS = 24;

static __host__ __device__ int best(int diagonal, int above, int left, int similarity) {
    int gap = (above > left ? above : left) - GAP;
    return diagonal + similarity > gap ? diagonal + similarity : gap;
}

// `scores` has a row and a column of borders: tile (tx, ty) begins after row ty * TILE and column tx * TILE.
static __global__ void align(int *scores, const int *similarity, int width, int diagonal, int first) {
    __shared__ int tile[TILE + 1][TILE + 1];
    __shared__ int match[TILE][TILE];
    int lane = threadIdx.x, tx = first + blockIdx.x, ty = diagonal - tx;
    int *corner = &scores[ty * TILE * width + tx * TILE];
    const int *pairs = &similarity[ty * TILE * width + tx * TILE];
    for (int row = 0; row < TILE; row++) {
        match[row][lane] = pairs[(row + 1) * width + lane + 1];
    }
    tile[0][lane + 1] = corner[lane + 1];
    tile[lane + 1][0] = corner[(lane + 1) * width];
    if (lane == 0) {
        tile[0][0] = corner[0];
    }
    __syncthreads();
    for (int step = 0; step < 2 * TILE - 1; step++) {
        int row = step - lane;
        if (row >= 0 && row < TILE) {
            tile[row + 1][lane + 1] = best(tile[row][lane], tile[row][lane + 1], tile[row + 1][lane], match[row][lane]);
        }
        __syncthreads();
    }
    for (int row = 0; row < TILE; row++) {
        corner[(row + 1) * width + lane + 1] = tile[row + 1][lane + 1];
    }
}

static std::vector<int> random_letters(Lcg &random, int count) {
    std::vector<int> letters(count);
    for (int &letter : letters) {
        letter = (int)random.below(LETTERS);
    }
    return letters;
}

int main(int argc, char **argv) {
    int tiles = read_options(argc, argv, {"tiles in a row", 6, 32, 1, 512}), width = tiles * TILE + 1;
    Lcg random(117);
    std::vector<int> across = random_letters(random, width), down = random_letters(random, width),
                     similarity(width * width), scores(width * width);
    for (int i = 0; i < width * width; i++) {
        int a = across[i % width], b = down[i / width];
        similarity[i] = a == b ? 5 : (a * b + a + b) % 7 - 4;
    }
    for (int i = 0; i < width; i++) {
        scores[i] = scores[i * width] = -i * GAP;
    }
    int *scores_device = to_device(scores), *similarity_device = to_device(similarity);
    for (int diagonal = 0; diagonal < 2 * tiles - 1; diagonal++) {
        int first = std::max(0, diagonal - tiles + 1), count = std::min(diagonal, tiles - 1) - first + 1;
        align<<<count, TILE>>>(scores_device, similarity_device, width, diagonal, first);
        CHECK_KERNEL();
    }
    for (int y = 1; y < width; y++) {
        for (int x = 1; x < width; x++) {
            int *at = &scores[y * width + x];
            *at = best(at[-width - 1], at[-width], at[-1], similarity[y * width + x]);
        }
    }
    expect_same("score", scores, to_host(scores_device, scores.size()));
    return pass();
}
