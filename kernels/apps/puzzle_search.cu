// puzzle_search: combinatorial search. Sudoku by constraint propagation on bit masks with an explicit stack
// a thread, one warp a puzzle whose lanes take the branches of the first level; queens counted by recursion
// from prefixes made on the host; the sliding 8-puzzle by iterative-deepening A* with the path as stack.
// Exercises: recursion, large local arrays, structs copied to and from local memory, bit tricks (ffs, popc,
// lowest bit), atomicCAS to publish one winner, work distribution by atomic counter, strongly divergent
// control flow, 64-bit packed boards.
// Checked by uniqueness and rules of Sudoku, known queens counts, and a breadth-first search from the goal.
#include "../app.h"

#include <cstring>
#include <map>
#include <queue>

// --- Sudoku ---

struct Board {
    unsigned short options[81]; // bit d: digit d + 1 still possible
};

struct Peers {
    unsigned char cell[81][20];
};

__constant__ Peers peers;

// Fixes a cell and follows the consequences; false when some cell has no option left.
__device__ bool assign(Board &b, int cell, unsigned digit_bit)
{
    unsigned char queue[81];
    int head = 0, tail = 0;
    b.options[cell] = (unsigned short)digit_bit;
    queue[tail++] = (unsigned char)cell;
    while (head < tail) {
        int c = queue[head++];
        unsigned bit = b.options[c];
        for (int k = 0; k < 20; k++) {
            int p = peers.cell[c][k];
            unsigned before = b.options[p];
            if (!(before & bit))
                continue;
            unsigned after = before & ~bit;
            if (after == 0)
                return false;
            b.options[p] = (unsigned short)after;
            if ((after & (after - 1)) == 0)
                queue[tail++] = (unsigned char)p;
        }
    }
    return true;
}

// The open cell with the fewest options, or -1.
__device__ int choose(const Board &b)
{
    int best = -1, fewest = 10;
    for (int i = 0; i < 81; i++) {
        int n = __popc(b.options[i]);
        if (n > 1 && n < fewest) {
            fewest = n;
            best = i;
        }
    }
    return best;
}

struct SudokuResult {
    char digit[81];
    int solutions, nodes;
};

static const int MAX_DEPTH = 40;

// Branches of the first two choices are numbered; a lane takes every 32nd and searches it to the end.
__global__ void sudoku_kernel(const char *puzzles, SudokuResult *results)
{
    int lane = threadIdx.x, nodes = 0;
    SudokuResult *result = &results[blockIdx.x];
    Board stack[MAX_DEPTH], board;
    for (int i = 0; i < 81; i++)
        board.options[i] = 0x1ff;
    bool possible = true;
    for (int i = 0; i < 81 && possible; i++) {
        char given = puzzles[blockIdx.x * 81 + i];
        if (given != '.')
            possible = (board.options[i] & (1u << (given - '1'))) && assign(board, i, 1u << (given - '1'));
    }
    int depth = 0, branch = 0;
    unsigned tried[MAX_DEPTH];
    tried[0] = 0;
    while (possible && depth >= 0) {
        int cell = choose(board);
        unsigned left = cell < 0 ? 0 : board.options[cell] & ~tried[depth];
        if (cell < 0) {
            if (depth >= 1 || lane == 0) { // a puzzle without choices belongs to lane 0
                if (atomicCAS(&result->solutions, 0, 1) == 0)
                    for (int i = 0; i < 81; i++)
                        result->digit[i] = (char)('0' + __ffs(board.options[i]));
                else
                    atomicAdd(&result->solutions, 1);
            }
        }
        if (left == 0) {
            depth--;
            if (depth >= 0)
                board = stack[depth];
            continue;
        }
        unsigned bit = left & (0 - left);
        tried[depth] |= bit;
        if (depth == 0 && branch++ % 32 != lane)
            continue;
        if (depth + 1 == MAX_DEPTH)
            break;
        nodes++;
        stack[depth] = board;
        if (assign(board, cell, bit))
            tried[++depth] = 0;
        else
            board = stack[depth];
    }
    atomicAdd(&result->nodes, nodes);
}

// --- queens ---

__device__ unsigned queens(unsigned columns, unsigned left, unsigned right, unsigned full)
{
    if (columns == full)
        return 1;
    unsigned count = 0;
    for (unsigned free = full & ~(columns | left | right); free; free &= free - 1) {
        unsigned bit = free & (0 - free);
        count += queens(columns | bit, (left | bit) << 1, (right | bit) >> 1, full);
    }
    return count;
}

__global__ void queens_kernel(const uint3 *prefixes, int n, unsigned full, int *next, unsigned *total)
{
    unsigned sum = 0;
    for (int i = atomicAdd(next, 1); i < n; i = atomicAdd(next, 1))
        sum += queens(prefixes[i].x, prefixes[i].y, prefixes[i].z, full);
    atomicAdd(total, sum);
}

// --- sliding tiles: four bits a cell, cell 0 lowest; the goal has tile i in cell i and the gap is 0 ---

typedef unsigned long long u64;

__device__ __host__ inline int tile(u64 board, int cell)
{
    return (int)(board >> (4 * cell) & 15);
}

__device__ __host__ inline bool slide(u64 &board, int gap, int direction, int &to)
{
    const int dx[4] = {1, -1, 0, 0}, dy[4] = {0, 0, 1, -1};
    int x = gap % 3 + dx[direction], y = gap / 3 + dy[direction];
    if (x < 0 || x > 2 || y < 0 || y > 2)
        return false;
    to = y * 3 + x;
    u64 moved = tile(board, to);
    board ^= moved << (4 * to) | moved << (4 * gap);
    return true;
}

__device__ int distance(u64 board)
{
    int sum = 0;
    for (int c = 0; c < 9; c++) {
        int t = tile(board, c);
        if (t)
            sum += abs(c % 3 - t % 3) + abs(c / 3 - t / 3);
    }
    return sum;
}

// Iterative deepening: the path's moves are the stack, undone when the search backs up.
__global__ void tiles_kernel(const u64 *boards, int *moves, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    signed char path[40];
    for (int bound = distance(boards[i]);; bound++) {
        u64 board = boards[i];
        int gap = 0, depth = 0;
        while (tile(board, gap) != 0)
            gap++;
        path[0] = -1;
        while (depth >= 0) {
            if (board == 0x876543210ull) {
                moves[i] = depth;
                return;
            }
            int d = ++path[depth];
            if (d == 4) { // all moves tried: undo the one that led here (its opposite is d ^ 1)
                if (--depth >= 0)
                    slide(board, gap, path[depth] ^ 1, gap);
                continue;
            }
            if (depth > 0 && d == (path[depth - 1] ^ 1))
                continue;
            int to;
            if (!slide(board, gap, d, to))
                continue;
            if (depth + 1 + distance(board) > bound) {
                slide(board, to, d ^ 1, gap);
                continue;
            }
            gap = to;
            path[++depth] = -1;
        }
    }
}

static Peers make_peers()
{
    Peers p = {};
    for (int a = 0; a < 81; a++)
        for (int b = 0, n = 0; b < 81; b++)
            if (a != b && (a / 9 == b / 9 || a % 9 == b % 9 || (a / 27 == b / 27 && a % 9 / 3 == b % 9 / 3)))
                p.cell[a][n++] = (unsigned char)b;
    return p;
}

// Counts solutions cell by cell in plain order, without propagation, up to a limit.
static int host_sudoku(std::string &b, int at, int limit, std::string &solution)
{
    while (at < 81 && b[at] != '.')
        at++;
    if (at == 81) {
        solution = b;
        return 1;
    }
    int found = 0;
    for (char d = '1'; d <= '9' && found < limit; d++) {
        bool good = true;
        for (int k = 0; k < 9 && good; k++)
            good = b[at / 9 * 9 + k] != d && b[k * 9 + at % 9] != d &&
                   b[(at / 27 * 3 + k / 3) * 9 + at % 9 / 3 * 3 + k % 3] != d;
        if (!good)
            continue;
        b[at] = d;
        found += host_sudoku(b, at + 1, limit - found, solution);
        b[at] = '.';
    }
    return found;
}

// A full grid by shifting rows, shuffled by symmetries, with cells taken out.
static std::string make_puzzle(app::Lcg &rng, int holes)
{
    std::string grid(81, '.');
    int digit[9], row[9], column[9];
    for (int *p : {digit, row, column})
        for (int i = 0; i < 9; i++)
            p[i] = i;
    for (int k = 0; k < 40; k++) {
        std::swap(digit[rng.below(9)], digit[rng.below(9)]);
        int band = 3 * (int)rng.below(3);
        std::swap(row[band + rng.below(3)], row[band + rng.below(3)]);
        std::swap(column[band + rng.below(3)], column[band + rng.below(3)]);
    }
    for (int r = 0; r < 9; r++)
        for (int c = 0; c < 9; c++)
            grid[row[r] * 9 + column[c]] = (char)('1' + digit[(r * 3 + r / 3 + c) % 9]);
    for (int taken = 0; taken < holes;) {
        int at = (int)rng.below(81);
        taken += grid[at] != '.';
        grid[at] = '.';
    }
    return grid;
}

static void check_sudoku(int count, app::Lcg &rng)
{
    Peers p = make_peers();
    GPU(cudaMemcpyToSymbol(peers, &p, sizeof p));
    std::vector<std::string> puzzles;
    puzzles.push_back("53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79");
    puzzles.push_back("4.....8.5.3..........7......2.....6.....8.4......1.......6.3.7.5..2.....1.4......");
    puzzles.push_back("11" + std::string(79, '.')); // breaks the rules at once
    while ((int)puzzles.size() < count)
        puzzles.push_back(make_puzzle(rng, 40 + (int)rng.below(6)));
    std::vector<char> text;
    for (const std::string &s : puzzles)
        text.insert(text.end(), s.begin(), s.end());
    app::Buffer<char> d_text(text);
    app::Buffer<SudokuResult> d_results(count);
    d_results.fill(0);
    sudoku_kernel<<<count, 32>>>(d_text.get(), d_results.get());
    GPU_DONE();
    std::vector<SudokuResult> results = d_results.read();
    for (int k = 0; k < count; k++) {
        const SudokuResult &r = results[k];
        std::string grid(r.digit, 81), work = puzzles[k], solution;
        // the second puzzle takes the plain search too long; its solution is known to be unique
        int expected = k == 1 ? 1 : k == 2 ? 0 : host_sudoku(work, 0, 100000, solution);
        app::equal("number of solutions of puzzle", k, expected, r.solutions);
        if (expected == 0)
            continue;
        for (int i = 0; i < 81; i++) {
            app::holds("given digit kept", k * 81 + i, puzzles[k][i] == '.' || puzzles[k][i] == grid[i]);
            for (int j = 0; j < 20; j++)
                app::holds("digit differs from its peers", k * 81 + i, grid[i] != grid[p.cell[i][j]]);
            app::holds("digit in range", k * 81 + i, grid[i] >= '1' && grid[i] <= '9');
        }
        if (expected == 1 && k != 1)
            app::equal("solution of puzzle", k, solution, grid);
    }
    app::holds("the hard puzzle needs search", results[1].nodes, results[1].nodes > 10);
}

static void check_queens(int size)
{
    const unsigned known[13] = {1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200};
    unsigned full = (1u << size) - 1;
    std::vector<uint3> prefixes;
    for (unsigned a = 1; a <= full; a <<= 1)
        for (unsigned b = 1; b <= full; b <<= 1)
            if (b != a && b != a << 1 && b != a >> 1) {
                uint3 p = {a | b, ((a << 1) | b) << 1, ((a >> 1) | b) >> 1};
                prefixes.push_back(p);
            }
    app::Buffer<uint3> d_prefixes(prefixes);
    app::Buffer<int> d_next(std::vector<int>(1, 0));
    app::Buffer<unsigned> d_total(std::vector<unsigned>(1, 0));
    queens_kernel<<<2, 32>>>(d_prefixes.get(), (int)prefixes.size(), full, d_next.get(), d_total.get());
    GPU_DONE();
    app::equal("placements of queens", size, known[size], d_total.read()[0]);
}

static void check_tiles(int count, app::Lcg &rng)
{
    const u64 goal = 0x876543210ull;
    std::vector<u64> boards;
    for (int k = 0; k < count; k++) { // random walks of growing length from the goal
        u64 b = goal;
        for (int s = 0, gap = 0; s < 8 + k; s++)
            slide(b, gap, (int)rng.below(4), gap);
        boards.push_back(b);
    }
    app::Buffer<u64> d_boards(boards);
    app::Buffer<int> d_moves(count);
    tiles_kernel<<<app::blocks_for(count, 32), 32>>>(d_boards.get(), d_moves.get(), count);
    GPU_DONE();
    std::map<u64, int> depth;
    std::queue<std::pair<u64, int>> frontier; // board and gap
    depth[goal] = 0;
    frontier.push(std::make_pair(goal, 0));
    for (; !frontier.empty() && depth[frontier.front().first] < 18; frontier.pop())
        for (int d = 0; d < 4; d++) {
            u64 b = frontier.front().first;
            int to;
            if (slide(b, frontier.front().second, d, to) && !depth.count(b)) {
                depth[b] = depth[frontier.front().first] + 1;
                frontier.push(std::make_pair(b, to));
            }
        }
    std::vector<int> moves = d_moves.read();
    for (int k = 0; k < count; k++) {
        if (depth.count(boards[k]))
            app::equal("shortest solution of board", k, depth[boards[k]], moves[k]);
        else
            app::holds("board is further away", k, moves[k] > 18);
    }
}

int main(int argc, char **argv)
{
    int count = app::start(argc, argv, "puzzle_search", 8, 4, 200);
    app::Lcg rng(25);
    check_sudoku(count, rng);
    check_queens(8);
    check_tiles(40, rng);
    return app::pass();
}
