// Conway's Game of Life on a torus, twice: a byte to a cell, and 32 cells to a word with the neighbour count
// done by bitwise adders and funnel shifts. Both must match a host simulation in every generation tested, and
// a glider on an empty board must reappear shifted by one cell after four generations.
#define PROGRAM "life"
#include "../check.h"

__global__ void step_bytes(const unsigned char *in, unsigned char *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    int count = 0;
    for (int i = height - 1; i <= height + 1; i++) {
        for (int j = width - 1; j <= width + 1; j++) {
            count += in[(y + i) % height * width + (x + j) % width];
        }
    }
    unsigned char alive = in[y * width + x];
    out[y * width + x] = count == 3 || (count == 4 && alive);
}

// Adds one more bit column to the two-bit counters `ones` and `twos`; `more` marks four and above.
__device__ void count_in(unsigned bits, unsigned &ones, unsigned &twos, unsigned &more) {
    unsigned carry = ones & bits;
    ones ^= bits;
    more |= twos & carry;
    twos ^= carry;
}

__global__ void step_bits(const unsigned *in, unsigned *out, int words, int height) {
    int w = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (w >= words || y >= height) {
        return;
    }
    unsigned ones = 0, twos = 0, more = 0, alive = in[y * words + w];
    for (int i = -1; i <= 1; i++) {
        const unsigned *row = in + (y + i + height) % height * words;
        unsigned before = row[(w + words - 1) % words], here = row[w], after = row[(w + 1) % words];
        count_in(__funnelshift_l(before, here, 1), ones, twos, more);
        count_in(__funnelshift_r(here, after, 1), ones, twos, more);
        if (i != 0) {
            count_in(here, ones, twos, more);
        }
    }
    out[y * words + w] = twos & ~more & (ones | alive);
}

static std::vector<unsigned char> host_step(const std::vector<unsigned char> &in, int width, int height) {
    std::vector<unsigned char> out(in.size());
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            int count = 0;
            for (int i = -1; i <= 1; i++) {
                for (int j = -1; j <= 1; j++) {
                    bool self = i == 0 && j == 0;
                    count +=
                        !self && in[(size_t)((y + i + height) % height) * width + (x + j + width) % width];
                }
            }
            bool alive = in[(size_t)y * width + x];
            out[(size_t)y * width + x] = alive ? count == 2 || count == 3 : count == 3;
        }
    }
    return out;
}

static void run(const char *what, std::vector<unsigned char> board, int width, int height, int generations,
                std::vector<unsigned char> *last) {
    int words = width / 32;
    std::vector<unsigned> packed((size_t)words * height, 0);
    for (size_t i = 0; i < board.size(); i++) {
        packed[i / 32] |= (unsigned)board[i] << (i % 32);
    }
    unsigned char *bytes[2] = {to_device(board), device_zeros<unsigned char>(board.size())};
    unsigned *bits[2] = {to_device(packed), device_zeros<unsigned>(packed.size())};
    dim3 block(32, 4), byte_grid(blocks_for(width, 32), blocks_for(height, 4));
    dim3 bit_block(4, 32), bit_grid(blocks_for(words, 4), blocks_for(height, 32));
    for (int generation = 0; generation < generations; generation++) {
        int from = generation % 2;
        step_bytes<<<byte_grid, block>>>(bytes[from], bytes[!from], width, height);
        step_bits<<<bit_grid, bit_block>>>(bits[from], bits[!from], words, height);
        CHECK_KERNEL();
        board = host_step(board, width, height);
        std::vector<unsigned char> got = to_host(bytes[!from], board.size());
        std::vector<unsigned> got_bits = to_host(bits[!from], packed.size());
        for (size_t i = 0; i < board.size(); i++) {
            expect_equal(what, (long)i, (int)board[i], (int)got[i]);
            expect_equal(what, (long)i, (unsigned)board[i], (got_bits[i / 32] >> (i % 32)) & 1);
        }
    }
    for (int i = 0; i < 2; i++) {
        CHECK(cudaFree(bytes[i]));
        CHECK(cudaFree(bits[i]));
    }
    *last = board;
}

int main(int argc, char **argv) {
    int words = size_argument(argc, argv, 3, 1, 64), width = 32 * words, height = 41;
    Lcg random(20);
    std::vector<unsigned char> board((size_t)width * height), last;
    for (unsigned char &cell : board) {
        cell = random.below(3) == 0;
    }
    run("random board", board, width, height, 10, &last);

    std::vector<unsigned char> glider(board.size(), 0), moved(board.size(), 0);
    const int cells[5][2] = {{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}};
    for (const int *cell : cells) {
        glider[(size_t)(cell[1] + 39) % height * width + cell[0] + 30] = 1;
        moved[(size_t)(cell[1] + 40) % height * width + (cell[0] + 31) % width] = 1;
    }
    if (words > 1) {
        run("glider", glider, width, height, 4, &last);
        for (size_t i = 0; i < moved.size(); i++) {
            expect_equal("moved glider", (long)i, (int)moved[i], (int)last[i]);
        }
    }
    return pass();
}
