// Alignment of two sequences, after Rodinia's nw (Needleman and Wunsch, Journal of Molecular Biology 1970): the score
// matrix in tiles of 16 x 16, a launch for each anti-diagonal of tiles, with one kernel while they grow longer and one
// while they grow shorter. A block of 16 threads loads its tile's borders, which other SMs wrote in the launches
// before, walks through the tile's anti-diagonals in shared memory and stores the tile. Rows have the original's
// distance of 2049 words at every size: a smaller one has fewer tiles of the same matrix.
// Checked: all scores, in integers, against the host's recurrence.
// also: --timing --config gtx480-sc
#define PROGRAM "nw"
#include "../bench/options.h"

static const int TILE = 16, GAP = 10, LETTERS = 24, MOST_TILES = 128, WIDTH = MOST_TILES * TILE + 1;

static __host__ __device__ int best(int diagonal, int left, int above, int gap) {
    int most = diagonal <= left - gap ? left - gap : diagonal;
    return most <= above - gap ? above - gap : most;
}

struct Shared {
    int tile[TILE + 1][TILE + 1], match[TILE][TILE];
};

// Row `row` and column `column` of the tile, from 1.
static __device__ void score(Shared *s, int row, int column, int gap) {
    s->tile[row][column] = best(s->tile[row - 1][column - 1] + s->match[row - 1][column - 1], s->tile[row][column - 1],
                                s->tile[row - 1][column], gap);
}

// The left border, then the upper one.
static __device__ void load_borders(Shared *s, const int *corner, int width, int lane) {
    s->tile[lane + 1][0] = corner[width + width * lane];
    __syncthreads();
    s->tile[0][lane + 1] = corner[lane + 1];
    __syncthreads();
}

static __device__ void load_match(Shared *s, const int *pairs, int width, int lane) {
    for (int row = 0; row < TILE; row++) {
        s->match[row][lane] = pairs[width + 1 + lane + width * row];
    }
}

static __device__ void walk(Shared *s, int *corner, int width, int lane, int gap) {
    for (int last = 0; last < TILE; last++) {
        if (lane <= last) {
            score(s, last - lane + 1, lane + 1, gap);
        }
        __syncthreads();
    }
    for (int last = TILE - 2; last >= 0; last--) {
        if (lane <= last) {
            score(s, TILE - lane, lane + TILE - last, gap);
        }
        __syncthreads();
    }
    for (int row = 0; row < TILE; row++) {
        corner[width + 1 + lane + row * width] = s->tile[row + 1][lane + 1];
    }
}

// `scores` has a row and a column of borders: tile (tx, ty) begins after row ty * TILE and column tx * TILE.
static __global__ void align_growing(const int *similarity, int *scores, int width, int gap, int tiles) {
    __shared__ Shared s;
    int lane = threadIdx.x, tx = blockIdx.x, ty = tiles - 1 - tx, corner = width * TILE * ty + TILE * tx;
    if (lane == 0) {
        s.tile[0][0] = scores[corner];
    }
    load_match(&s, similarity + corner, width, lane);
    __syncthreads();
    load_borders(&s, scores + corner, width, lane);
    walk(&s, scores + corner, width, lane, gap);
}

static __global__ void align_shrinking(const int *similarity, int *scores, int width, int gap, int tiles, int side) {
    __shared__ Shared s;
    int lane = threadIdx.x, tx = blockIdx.x + side - tiles, ty = side - 1 - blockIdx.x,
        corner = width * TILE * ty + TILE * tx;
    load_match(&s, similarity + corner, width, lane);
    __syncthreads();
    if (lane == 0) {
        s.tile[0][0] = scores[corner];
    }
    load_borders(&s, scores + corner, width, lane);
    walk(&s, scores + corner, width, lane, gap);
}

static std::vector<int> random_letters(Lcg &random, int count) {
    std::vector<int> letters(count);
    for (int &letter : letters) {
        letter = (int)random.below(LETTERS);
    }
    return letters;
}

int main(int argc, char **argv) {
    int side = read_options(argc, argv, {"tiles in a row", 6, MOST_TILES, 1, MOST_TILES}), rows = side * TILE + 1;
    Lcg random(117);
    std::vector<int> across = random_letters(random, rows), down = random_letters(random, rows),
                     similarity(rows * WIDTH), scores(rows * WIDTH);
    for (int y = 0; y < rows; y++) {
        for (int x = 0; x < rows; x++) {
            int a = across[x], b = down[y];
            similarity[y * WIDTH + x] = a == b ? 5 : (a * b + a + b) % 7 - 4;
        }
        scores[y] = scores[y * WIDTH] = -y * GAP;
    }
    int *similarity_device = to_device(similarity), *scores_device = to_device(scores);
    for (int tiles = 1; tiles <= side; tiles++) {
        align_growing<<<tiles, TILE>>>(similarity_device, scores_device, WIDTH, GAP, tiles);
    }
    for (int tiles = side - 1; tiles >= 1; tiles--) {
        align_shrinking<<<tiles, TILE>>>(similarity_device, scores_device, WIDTH, GAP, tiles, side);
    }
    CHECK_KERNEL();
    for (int y = 1; y < rows; y++) {
        for (int x = 1; x < rows; x++) {
            int *at = &scores[y * WIDTH + x];
            *at = best(at[-WIDTH - 1] + similarity[y * WIDTH + x], at[-1], at[-WIDTH], GAP);
        }
    }
    expect_same("score", scores, to_host(scores_device, scores.size()));
    return pass();
}
