// conjugate_gradient: sparse linear algebra. Conjugate gradients preconditioned by an incomplete Cholesky
// factorisation: sparse products by a tile of lanes a row, triangular solves without levels, where each
// warp spins until the unknowns it needs are published, and a level-scheduled solve for comparison.
// Exercises: spinning across warps and blocks, __threadfence, volatile double loads and flags,
// cooperative tiles of 8 lanes, double arithmetic, two-stage dot products, template row visitors, launch after launch
// from the host.
// Checked by the residual computed on the host, a dense Cholesky solution, and exact triangular solutions.
#include "../app.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

struct Csr { // columns are sorted within a row
    int rows;
    const int *first, *column;
    const double *value;
};

struct HostCsr {
    std::vector<int> first, column;
    std::vector<double> value;
    int rows() const { return (int)first.size() - 1; }
};

class DeviceCsr {
    app::Buffer<int> first_, column_;
    app::Buffer<double> value_;
    int rows_;

public:
    explicit DeviceCsr(const HostCsr &h)
        : first_(h.first), column_(h.column), value_(h.value), rows_(h.rows())
    {
    }
    Csr view() const { return Csr{rows_, first_.get(), column_.get(), value_.get()}; }
};

// y = A x, a cooperative tile of eight lanes a row.
__global__ void multiply_kernel(Csr a, const double *x, double *y)
{
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / tile.size();
    double sum = 0;
    if (row < a.rows)
        for (int i = a.first[row] + tile.thread_rank(); i < a.first[row + 1]; i += tile.size())
            sum += a.value[i] * x[a.column[i]];
    for (int d = tile.size() / 2; d > 0; d /= 2)
        sum += tile.shfl_down(sum, d);
    if (row < a.rows && tile.thread_rank() == 0)
        y[row] = sum;
}

__global__ void dot_kernel(const double *x, const double *y, double *partial, int n)
{
    __shared__ double warp_sum[4];
    double sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += x[i] * y[i];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (threadIdx.x % 32 == 0)
        warp_sum[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0)
        partial[blockIdx.x] = warp_sum[0] + warp_sum[1] + warp_sum[2] + warp_sum[3];
}

template <class F> __global__ void each_kernel(int n, F f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        f(i);
}

struct Axpy { // y = x * scale + y * keep
    const double *x;
    double *y, scale, keep;
    __device__ void operator()(int i) const { y[i] = x[i] * scale + y[i] * keep; }
};

// One warp a row, rows handed out in the order of the solve, so that a warp waits only for rows already
// taken. LOWER walks up from row 0 with L; otherwise down from the last row with the transpose of L.
template <bool LOWER> __global__ void free_solve_kernel(Csr t, const double *b, volatile double *x,
                                                        volatile int *ready, int *ticket)
{
    int lane = threadIdx.x % 32, turn = 0;
    if (lane == 0)
        turn = atomicAdd(ticket, 1);
    turn = __shfl_sync(0xffffffffu, turn, 0);
    if (turn >= t.rows)
        return;
    int row = LOWER ? turn : t.rows - 1 - turn;
    double sum = 0, diagonal = 0;
    for (int i = t.first[row] + lane; i < t.first[row + 1]; i += 32) {
        int c = t.column[i];
        if (c == row) {
            diagonal = t.value[i];
            continue;
        }
        while (ready[c] == 0)
            __threadfence();
        sum += t.value[i] * x[c];
    }
    __syncwarp();
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
        diagonal += __shfl_xor_sync(0xffffffffu, diagonal, d);
    }
    if (lane == 0) {
        x[row] = (b[row] - sum) / diagonal;
        __threadfence();
        ready[row] = 1;
    }
}

// The same by levels: all rows of one level are independent.
__global__ void level_solve_kernel(Csr t, const int *rows, int count, const double *b, double *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    int row = rows[i];
    double sum = 0, diagonal = 1;
    for (int k = t.first[row]; k < t.first[row + 1]; k++)
        if (t.column[k] == row)
            diagonal = t.value[k];
        else
            sum += t.value[k] * x[t.column[k]];
    x[row] = (b[row] - sum) / diagonal;
}

class Solver {
    int n_;
    DeviceCsr a_, l_, lt_;
    app::Buffer<double> r_, z_, p_, q_, half_, partial_;
    app::Buffer<int> ready_, ticket_;

    double dot(const double *x, const double *y)
    {
        dot_kernel<<<(int)partial_.size(), 128>>>(x, y, partial_.get(), n_);
        GPU_DONE();
        double sum = 0;
        for (double v : partial_.read())
            sum += v;
        return sum;
    }
    void axpy(const double *x, double *y, double scale, double keep)
    {
        each_kernel<<<app::blocks_for(n_, 128), 128>>>(n_, Axpy{x, y, scale, keep});
    }
    void precondition()
    {
        triangular<true>(l_, r_.get(), half_.get());
        triangular<false>(lt_, half_.get(), z_.get());
    }

public:
    Solver(const HostCsr &a, const HostCsr &l, const HostCsr &lt)
        : n_(a.rows()), a_(a), l_(l), lt_(lt), r_(n_), z_(n_), p_(n_), q_(n_), half_(n_), partial_(3),
          ready_(n_), ticket_(1)
    {
    }
    template <bool LOWER> void triangular(const DeviceCsr &t, const double *b, double *x)
    {
        ready_.fill(0);
        ticket_.fill(0);
        free_solve_kernel<LOWER>
            <<<app::blocks_for(n_, 4), 128>>>(t.view(), b, x, ready_.get(), ticket_.get());
    }
    int run(const std::vector<double> &b, std::vector<double> &solution, bool preconditioned,
            double tolerance)
    {
        app::Buffer<double> x(n_);
        x.fill(0);
        r_.write(b);
        double goal = tolerance * std::sqrt(dot(r_.get(), r_.get())), rz = 0;
        int step = 0;
        for (; step < 4 * n_ && std::sqrt(dot(r_.get(), r_.get())) > goal; step++) {
            if (preconditioned)
                precondition();
            else
                GPU(cudaMemcpy(z_.get(), r_.get(), n_ * sizeof(double), cudaMemcpyDeviceToDevice));
            double before = rz;
            rz = dot(r_.get(), z_.get());
            if (step == 0)
                p_.fill(0);
            axpy(z_.get(), p_.get(), 1, step ? rz / before : 0);
            multiply_kernel<<<app::blocks_for(n_, 16), 128>>>(a_.view(), p_.get(), q_.get());
            double alpha = rz / dot(p_.get(), q_.get());
            axpy(p_.get(), x.get(), alpha, 1);
            axpy(q_.get(), r_.get(), -alpha, 1);
        }
        GPU_DONE();
        solution = x.read();
        return step;
    }
};

// Five-point operator with varying coefficients on a square, plus a few long links; symmetric, diagonally
// dominant.
static HostCsr make_matrix(int side, app::Lcg &rng)
{
    int n = side * side;
    std::vector<std::vector<std::pair<int, double>>> rows(n);
    std::vector<double> diagonal(n, 0.02);
    auto link = [&](int i, int j) {
        double w = rng.between(0.1, 2);
        for (const std::pair<int, double> &p : rows[i])
            if (p.first == j)
                return;
        rows[i].push_back(std::make_pair(j, -w));
        rows[j].push_back(std::make_pair(i, -w));
        diagonal[i] += w;
        diagonal[j] += w;
    };
    for (int i = 0; i < n; i++) {
        if (i % side + 1 < side)
            link(i, i + 1);
        if (i + side < n)
            link(i, i + side);
        if (i % 11 == 0 && i > 0)
            link((int)rng.below(i), i);
    }
    HostCsr a;
    a.first.push_back(0);
    for (int i = 0; i < n; i++) {
        rows[i].push_back(std::make_pair(i, diagonal[i]));
        std::sort(rows[i].begin(), rows[i].end());
        for (const std::pair<int, double> &p : rows[i]) {
            a.column.push_back(p.first);
            a.value.push_back(p.second);
        }
        a.first.push_back((int)a.column.size());
    }
    return a;
}

// Incomplete Cholesky without fill: the lower half of A's pattern.
static HostCsr incomplete_cholesky(const HostCsr &a)
{
    HostCsr l;
    l.first.push_back(0);
    std::vector<double> row(a.rows(), 0);
    for (int i = 0; i < a.rows(); i++) {
        int begin = (int)l.column.size();
        for (int k = a.first[i]; k < a.first[i + 1] && a.column[k] <= i; k++) {
            int j = a.column[k];
            double v = a.value[k];
            for (int m = l.first[j]; j < i && m < l.first[j + 1] - 1; m++)
                v -= l.value[m] * row[l.column[m]];
            for (int m = begin; j == i && m < (int)l.column.size(); m++)
                v -= l.value[m] * l.value[m];
            v = j < i ? v / l.value[l.first[j + 1] - 1] : std::sqrt(v);
            l.column.push_back(j);
            l.value.push_back(v);
            row[j] = v;
        }
        l.first.push_back((int)l.column.size());
        for (int m = begin; m < (int)l.column.size(); m++)
            row[l.column[m]] = 0;
    }
    return l;
}

static HostCsr transpose(const HostCsr &a)
{
    HostCsr t;
    int n = a.rows();
    t.first.assign(n + 1, 0);
    for (int c : a.column)
        t.first[c + 1]++;
    for (int i = 0; i < n; i++)
        t.first[i + 1] += t.first[i];
    std::vector<int> at(t.first.begin(), t.first.end() - 1);
    t.column.resize(a.column.size());
    t.value.resize(a.value.size());
    for (int i = 0; i < n; i++)
        for (int k = a.first[i]; k < a.first[i + 1]; k++) {
            t.column[at[a.column[k]]] = i;
            t.value[at[a.column[k]]++] = a.value[k];
        }
    return t;
}

static std::vector<double> times(const HostCsr &a, const std::vector<double> &x)
{
    std::vector<double> y(a.rows(), 0);
    for (int i = 0; i < a.rows(); i++)
        for (int k = a.first[i]; k < a.first[i + 1]; k++)
            y[i] += a.value[k] * x[a.column[k]];
    return y;
}

static std::vector<double> dense_solve(const HostCsr &a, std::vector<double> b)
{
    int n = a.rows();
    std::vector<std::vector<double>> m(n, std::vector<double>(n, 0));
    for (int i = 0; i < n; i++)
        for (int k = a.first[i]; k < a.first[i + 1]; k++)
            m[i][a.column[k]] = a.value[k];
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            if (m[i][k] == 0)
                continue;
            double f = m[i][k] / m[k][k];
            for (int j = k; j < n; j++)
                m[i][j] -= f * m[k][j];
            b[i] -= f * b[k];
        }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            b[i] -= m[i][j] * b[j];
        b[i] /= m[i][i];
    }
    return b;
}

static void check_triangles(Solver &s, const HostCsr &l, const HostCsr &lt, const std::vector<double> &wanted)
{
    int n = l.rows();
    std::vector<double> b = times(l, wanted);
    app::Buffer<double> d_b(b), d_x(n);
    DeviceCsr lower(l), upper(lt);
    s.triangular<true>(lower, d_b.get(), d_x.get());
    GPU_DONE();
    std::vector<double> x = d_x.read();
    for (int i = 0; i < n; i++)
        app::close_to("lower solve", i, wanted[i], x[i], 1e-9);
    d_b.write(times(lt, wanted));
    s.triangular<false>(upper, d_b.get(), d_x.get());
    GPU_DONE();
    x = d_x.read();
    for (int i = 0; i < n; i++)
        app::close_to("upper solve", i, wanted[i], x[i], 1e-9);

    std::vector<std::vector<int>> levels;
    std::vector<int> level(n, 0);
    for (int i = 0; i < n; i++) {
        for (int k = l.first[i]; k < l.first[i + 1] - 1; k++)
            level[i] = std::max(level[i], level[l.column[k]] + 1);
        levels.resize(std::max(levels.size(), (size_t)level[i] + 1));
        levels[level[i]].push_back(i);
    }
    d_b.write(b);
    for (const std::vector<int> &rows : levels) {
        app::Buffer<int> d_rows(rows);
        int count = (int)rows.size();
        level_solve_kernel<<<app::blocks_for(count, 32), 32>>>(lower.view(), d_rows.get(), count, d_b.get(),
                                                               d_x.get());
        GPU_DONE();
    }
    x = d_x.read();
    for (int i = 0; i < n; i++)
        app::close_to("solve by levels", i, wanted[i], x[i], 1e-9);
}

int main(int argc, char **argv)
{
    int side = app::start(argc, argv, "conjugate_gradient", 10, 10, 40), n = side * side;
    app::Lcg rng(17);
    HostCsr a = make_matrix(side, rng), l = incomplete_cholesky(a), lt = transpose(l);
    std::vector<double> b(n), x, y;
    for (double &v : b)
        v = rng.between(-1, 1);
    Solver solver(a, l, lt);
    check_triangles(solver, l, lt, b);

    const double tolerance = 1e-7;
    int plain = solver.run(b, y, false, tolerance), fast = solver.run(b, x, true, tolerance);
    app::holds("the preconditioner saves steps", std::to_string(fast) + " of " + std::to_string(plain),
               fast * 2 < plain + 2);
    std::vector<double> expected = dense_solve(a, b), ax = times(a, x);
    double residual = 0, size = 0;
    for (int i = 0; i < n; i++) {
        residual += (ax[i] - b[i]) * (ax[i] - b[i]);
        size += b[i] * b[i];
        app::close_to("solution", i, expected[i], x[i], 1e-5);
        app::close_to("solution without preconditioner", i, expected[i], y[i], 1e-5);
    }
    app::close_to("residual", "end", 0, std::sqrt(residual / size), 2 * tolerance);
    return app::pass();
}
