// smith_waterman: bioinformatics. Local alignment with affine gaps (Gotoh), one warp a sequence pair: lane r
// holds row r of a 32-row strip and the anti-diagonal moves through the lanes by shuffles; the strip's last
// row goes through shared memory to the next strip. A second kernel walks the stored directions back, one
// thread a pair.
// Exercises: shuffles up and xor, lane-dependent predication, dynamic shared memory, a scoring functor as
// template parameter, byte matrices in global memory, 64-bit key reduction, a divergent state machine in a
// switch.
// Checked against a full-matrix row-by-row computation, and the alignments are rescored on the host.
#include "../app.h"

struct Pair {
    int a, a_len, b, b_len, dir;
};

struct Hit {
    int score, row, col, length;
};

enum Move : uint8_t { DIAGONAL = 1, UP = 2, LEFT = 3, OPEN_E = 4, OPEN_F = 8 };

struct NucleotideScore {
    int match, mismatch, gap_open, gap_extend;
    __host__ __device__ int operator()(char x, char y) const { return x == y ? match : mismatch; }
};

static const int STRIP = 32, NEGATIVE = -1000000;

template <class Score>
__global__ void align_kernel(const char *text, const Pair *pairs, uint8_t *dir, Hit *hits, Score score)
{
    extern __shared__ int boundary[]; // H and F of the row above the strip
    const unsigned all = 0xffffffffu;
    Pair p = pairs[blockIdx.x];
    int lane = threadIdx.x;
    int *h_row = boundary, *f_row = boundary + p.b_len + 1;
    for (int j = lane; j <= p.b_len; j += 32) {
        h_row[j] = 0;
        f_row[j] = NEGATIVE;
    }
    __syncwarp();

    long long best = 0;
    for (int base = 0; base < p.a_len; base += STRIP) {
        int i = base + lane; // row of this lane
        char mine = i < p.a_len ? text[p.a + i] : 0;
        int h_left = 0, e = NEGATIVE, h_diag = 0, h_mine = 0, f_mine = NEGATIVE;
        for (int step = 0; step < p.b_len + STRIP - 1; step++) {
            int j = step - lane; // column of this lane
            int h_up = __shfl_up_sync(all, h_mine, 1);
            int f_up = __shfl_up_sync(all, f_mine, 1);
            if (lane == 0 && j < p.b_len) {
                h_up = h_row[j + 1];
                f_up = f_row[j + 1];
            }
            if (j >= 0 && j < p.b_len && i < p.a_len) {
                uint8_t move = 0;
                int open = h_left - score.gap_open, extend = e - score.gap_extend;
                e = max(open, extend);
                if (open >= extend)
                    move |= OPEN_E;
                open = h_up - score.gap_open;
                extend = f_up - score.gap_extend;
                int f = max(open, extend);
                if (open >= extend)
                    move |= OPEN_F;
                int diagonal = h_diag + score(mine, text[p.b + j]);
                int h = max(max(0, diagonal), max(e, f));
                if (h > 0)
                    move |= h == diagonal ? DIAGONAL : h == f ? UP : LEFT;
                dir[p.dir + i * p.b_len + j] = move;
                // larger score first, then the smaller row, then the smaller column
                long long key = (long long)h << 32 | (long long)(0xffff - i) << 16 | (0xffff - j);
                best = key > best ? key : best;
                h_diag = h_up;
                h_left = h_mine = h;
                f_mine = f;
            }
            __syncwarp();
            if (lane == STRIP - 1 && j >= 0 && j < p.b_len) {
                h_row[j + 1] = h_mine;
                f_row[j + 1] = f_mine;
            }
            __syncwarp();
        }
    }
    for (int d = 16; d > 0; d >>= 1) {
        long long other = __shfl_xor_sync(all, best, d);
        best = other > best ? other : best;
    }
    if (lane == 0) {
        Hit h = {(int)(best >> 32), 0xffff - (int)(best >> 16 & 0xffff), 0xffff - (int)(best & 0xffff), 0};
        hits[blockIdx.x] = h;
    }
}

// The alignment is written backwards: M for a column of both, D for one of a alone, I for one of b alone.
__global__ void traceback_kernel(const Pair *pairs, const uint8_t *dir, Hit *hits, char *ops, int max_ops,
                                 int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n)
        return;
    Pair p = pairs[t];
    Hit h = hits[t];
    int i = h.row, j = h.col, length = 0, state = h.score > 0 ? 0 : 3;
    char *out = ops + (size_t)t * max_ops;
    while (state != 3 && i >= 0 && j >= 0) {
        uint8_t m = dir[p.dir + i * p.b_len + j];
        switch (state) {
        case 0:
            switch (m & 3) {
            case DIAGONAL:
                out[length++] = 'M';
                i--;
                j--;
                break;
            case UP: state = 1; break;
            case LEFT: state = 2; break;
            default: state = 3; break;
            }
            break;
        case 1:
            out[length++] = 'D';
            i--;
            if (m & OPEN_F)
                state = 0;
            break;
        default:
            out[length++] = 'I';
            j--;
            if (m & OPEN_E)
                state = 0;
            break;
        }
    }
    hits[t].length = length;
}

static Hit host_align(const std::string &a, const std::string &b, const NucleotideScore &s)
{
    Hit best = {0, 0, 0, 0};
    size_t w = b.size() + 1;
    std::vector<int> h((a.size() + 1) * w, 0), e(h.size(), NEGATIVE), f(h.size(), NEGATIVE);
    for (size_t i = 1; i <= a.size(); i++)
        for (size_t j = 1; j < w; j++) {
            size_t at = i * w + j;
            e[at] = std::max(h[at - 1] - s.gap_open, e[at - 1] - s.gap_extend);
            f[at] = std::max(h[at - w] - s.gap_open, f[at - w] - s.gap_extend);
            h[at] = std::max({0, h[at - w - 1] + s(a[i - 1], b[j - 1]), e[at], f[at]});
            if (h[at] > best.score)
                best = {h[at], (int)i - 1, (int)j - 1, 0};
        }
    return best;
}

static int rescore(const std::string &a, const std::string &b, const Hit &hit, const char *ops,
                   const NucleotideScore &s)
{
    int score = 0, i = hit.row, j = hit.col;
    char last = 'M';
    for (int k = 0; k < hit.length; k++) {
        char op = ops[k];
        if (op == 'M')
            score += s(a[i], b[j]);
        else
            score -= op == last ? s.gap_extend : s.gap_open;
        i -= op != 'I';
        j -= op != 'D';
        last = op;
    }
    return score;
}

static std::string random_bases(app::Lcg &rng, int n)
{
    std::string s;
    for (int i = 0; i < n; i++)
        s += "ACGT"[rng.below(4)];
    return s;
}

// A relative of the sequence: substitutions, insertions and deletions.
static std::string mutate(app::Lcg &rng, const std::string &s)
{
    std::string r;
    for (char c : s) {
        uint32_t u = rng.below(100);
        if (u < 8)
            c = "ACGT"[rng.below(4)];
        if (u >= 8 && u < 12)
            r += random_bases(rng, 1 + rng.below(4));
        if (u < 94)
            r += c;
    }
    return r;
}

int main(int argc, char **argv)
{
    int count = app::start(argc, argv, "smith_waterman", 24, 1, 4096);
    NucleotideScore score = {5, -4, 10, 1};
    app::Lcg rng(3);
    std::vector<std::string> a(count), b(count);
    std::vector<Pair> pairs(count);
    std::string text;
    int dir_size = 0, max_b = 0, max_ops = 1;
    for (int k = 0; k < count; k++) {
        a[k] = random_bases(rng, 20 + rng.below(80));
        std::string flank = random_bases(rng, rng.below(30));
        b[k] = k % 4 == 3 ? random_bases(rng, 20 + rng.below(60)) : flank + mutate(rng, a[k]);
        if (k == 1) // nothing in common: the score must be 0
            a[k] = std::string(37, 'A'), b[k] = std::string(41, 'C');
        pairs[k] = {(int)text.size(), (int)a[k].size(), (int)(text.size() + a[k].size()), (int)b[k].size(),
                    dir_size};
        text += a[k] + b[k];
        dir_size += (int)(a[k].size() * b[k].size());
        max_b = std::max(max_b, (int)b[k].size());
        max_ops = std::max(max_ops, (int)(a[k].size() + b[k].size()));
    }
    app::Buffer<char> d_text(std::vector<char>(text.begin(), text.end()));
    app::Buffer<Pair> d_pairs(pairs);
    app::Buffer<uint8_t> d_dir(dir_size);
    app::Buffer<Hit> d_hits(count);
    app::Buffer<char> d_ops((size_t)count * max_ops);
    align_kernel<<<count, 32, 2 * (max_b + 1) * sizeof(int)>>>(d_text.get(), d_pairs.get(), d_dir.get(),
                                                               d_hits.get(), score);
    traceback_kernel<<<app::blocks_for(count, 32), 32>>>(d_pairs.get(), d_dir.get(), d_hits.get(),
                                                         d_ops.get(), max_ops, count);
    GPU_DONE();
    std::vector<Hit> hits = d_hits.read();
    std::vector<char> ops = d_ops.read();
    for (int k = 0; k < count; k++) {
        Hit expected = host_align(a[k], b[k], score);
        app::equal("score of pair", k, expected.score, hits[k].score);
        if (expected.score > 0) {
            app::equal("end row of pair", k, expected.row, hits[k].row);
            app::equal("end column of pair", k, expected.col, hits[k].col);
        }
        app::equal("rescored alignment", k, expected.score,
                   rescore(a[k], b[k], hits[k], &ops[(size_t)k * max_ops], score));
    }
    return app::pass();
}
