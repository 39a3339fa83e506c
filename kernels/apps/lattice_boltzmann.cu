// lattice_boltzmann: fluid dynamics. D2Q9 BGK flow past an obstacle between two walls, driven by a body
// force: the device pulls (stream, then collide) with one array for each direction.
// Exercises: float arithmetic with division, template over the real type, structs of pointers by value, 2D
// blocks, constant memory of mixed types, divergence at solid cells, double-precision block reductions with
// atomicAdd.
// Checked by mass conservation, the momentum balance of a free box, and a push-order array-of-structs host
// code.
#include "../app.h"

static const int Q = 9;

struct Grid {
    int width, height;
};

template <class Real> struct Fields {
    Real *f[Q];
};

struct Lattice {
    int cx[Q], cy[Q], opposite[Q];
    double weight[Q];
};

__constant__ Lattice lattice;

__device__ __host__ inline int wrap(int v, int n)
{
    return v < 0 ? v + n : v >= n ? v - n : v;
}

template <class Real> __device__ Real equilibrium(int q, Real rho, Real ux, Real uy)
{
    Real cu = 3 * (lattice.cx[q] * ux + lattice.cy[q] * uy);
    return (Real)lattice.weight[q] * rho * (1 + cu + cu * cu / 2 - (Real)1.5 * (ux * ux + uy * uy));
}

template <class Real> __global__ void initialise(Fields<Real> out, Grid g, const float *rho)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= g.width || y >= g.height)
        return;
    int at = y * g.width + x;
    for (int q = 0; q < Q; q++)
        out.f[q][at] = equilibrium<Real>(q, rho[at], 0, 0);
}

template <class Real>
__global__ void step(Fields<Real> in, Fields<Real> out, Grid g, const uint8_t *solid, Real omega, Real force)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= g.width || y >= g.height)
        return;
    int at = y * g.width + x;
    if (solid[at])
        return;
    Real f[Q], rho = 0, mx = 0, my = 0;
#pragma unroll
    for (int q = 0; q < Q; q++) {
        int sx = wrap(x - lattice.cx[q], g.width), sy = wrap(y - lattice.cy[q], g.height);
        int from = sy * g.width + sx;
        // a wall sends back what was leaving towards it
        f[q] = solid[from] ? in.f[lattice.opposite[q]][at] : in.f[q][from];
        rho += f[q];
        mx += f[q] * lattice.cx[q];
        my += f[q] * lattice.cy[q];
    }
    Real ux = mx / rho, uy = my / rho;
#pragma unroll
    for (int q = 0; q < Q; q++) {
        Real push = 3 * (Real)lattice.weight[q] * force * lattice.cx[q];
        out.f[q][at] = f[q] + omega * (equilibrium(q, rho, ux, uy) - f[q]) + push;
    }
}

// totals: mass, x momentum, y momentum over the fluid cells
template <class Real>
__global__ void totals_kernel(Fields<Real> in, int cells, const uint8_t *solid, double *totals)
{
    __shared__ double part[3][128];
    double sum[3] = {0, 0, 0};
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < cells; i += gridDim.x * blockDim.x) {
        if (solid[i])
            continue;
        for (int q = 0; q < Q; q++) {
            sum[0] += in.f[q][i];
            sum[1] += (double)in.f[q][i] * lattice.cx[q];
            sum[2] += (double)in.f[q][i] * lattice.cy[q];
        }
    }
    for (int k = 0; k < 3; k++)
        part[k][threadIdx.x] = sum[k];
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            for (int k = 0; k < 3; k++)
                part[k][threadIdx.x] += part[k][threadIdx.x + half];
    }
    __syncthreads();
    if (threadIdx.x < 3)
        atomicAdd(&totals[threadIdx.x], part[threadIdx.x][0]);
}

static Lattice make_lattice()
{
    Lattice l = {};
    int q = 0;
    for (int speed = 0; speed <= 2; speed++)
        for (int y = -1; y <= 1; y++)
            for (int x = -1; x <= 1; x++)
                if (x * x + y * y == speed) {
                    l.cx[q] = x;
                    l.cy[q] = y;
                    l.weight[q++] = speed == 0 ? 4.0 / 9 : speed == 1 ? 1.0 / 9 : 1.0 / 36;
                }
    for (int a = 0; a < Q; a++)
        for (int b = 0; b < Q; b++)
            if (l.cx[a] == -l.cx[b] && l.cy[a] == -l.cy[b])
                l.opposite[a] = b;
    return l;
}

template <class Real> class Fluid {
    Grid g_;
    Lattice l_;
    app::Buffer<Real> memory_;
    app::Buffer<uint8_t> solid_;
    Fields<Real> now_, next_;

public:
    Fluid(Grid g, const Lattice &l, const std::vector<uint8_t> &solid, const std::vector<float> &rho)
        : g_(g), l_(l), memory_(2 * Q * (size_t)g.width * g.height), solid_(solid)
    {
        int n = g.width * g.height;
        for (int q = 0; q < Q; q++) {
            now_.f[q] = memory_.get() + q * n;
            next_.f[q] = memory_.get() + (Q + q) * n;
        }
        app::Buffer<float> d_rho(rho);
        initialise<Real><<<grid(), block()>>>(now_, g_, d_rho.get());
        initialise<Real><<<grid(), block()>>>(next_, g_, d_rho.get());
        GPU_DONE();
    }
    dim3 block() const { return dim3(16, 4); }
    dim3 grid() const { return dim3((g_.width + 15) / 16, (g_.height + 3) / 4); }

    void run(int steps, Real omega, Real force)
    {
        for (int s = 0; s < steps; s++) {
            step<Real><<<grid(), block()>>>(now_, next_, g_, solid_.get(), omega, force);
            std::swap(now_, next_);
        }
        GPU_DONE();
    }
    std::vector<double> totals()
    {
        app::Buffer<double> t(std::vector<double>(3, 0.0));
        totals_kernel<Real><<<2, 128>>>(now_, g_.width * g_.height, solid_.get(), t.get());
        GPU_DONE();
        return t.read();
    }
    std::vector<Real> distribution(int q)
    {
        std::vector<Real> v((size_t)g_.width * g_.height);
        GPU(cudaMemcpy(v.data(), now_.f[q], v.size() * sizeof(Real), cudaMemcpyDeviceToHost));
        return v;
    }
};

// Collide, then push; f[cell][q]. Equal to the device's order when the state is read before streaming.
static void host_run(std::vector<std::vector<double>> &f, Grid g, const Lattice &l,
                     const std::vector<uint8_t> &solid, int steps, double omega, double force)
{
    for (int s = 0; s < steps; s++) {
        std::vector<std::vector<double>> arrived = f;
        for (int c = 0; c < g.width * g.height; c++) {
            if (solid[c])
                continue;
            for (int q = 0; q < Q; q++) {
                int x = wrap(c % g.width + l.cx[q], g.width), y = wrap(c / g.width + l.cy[q], g.height);
                int to = y * g.width + x;
                if (solid[to])
                    arrived[c][l.opposite[q]] = f[c][q];
                else
                    arrived[to][q] = f[c][q];
            }
        }
        for (int c = 0; c < g.width * g.height; c++) {
            if (solid[c])
                continue;
            double rho = 0, u[2] = {0, 0};
            for (int q = 0; q < Q; q++) {
                rho += arrived[c][q];
                u[0] += l.cx[q] * arrived[c][q];
                u[1] += l.cy[q] * arrived[c][q];
            }
            u[0] /= rho;
            u[1] /= rho;
            for (int q = 0; q < Q; q++) {
                double cu = l.cx[q] * u[0] + l.cy[q] * u[1];
                double eq =
                    l.weight[q] * rho * (1 + 3 * cu + 4.5 * cu * cu - 1.5 * (u[0] * u[0] + u[1] * u[1]));
                f[c][q] = (1 - omega) * arrived[c][q] + omega * eq + 3 * l.weight[q] * force * l.cx[q];
            }
        }
    }
}

template <class Real> static void simulate(const char *what, Grid g, const Lattice &l,
                                           const std::vector<uint8_t> &solid, const std::vector<float> &rho,
                                           int steps, double tolerance)
{
    const double omega = 1.25, force = 1e-4;
    Fluid<Real> fluid(g, l, solid, rho);
    std::vector<double> before = fluid.totals();
    fluid.run(steps, (Real)omega, (Real)force);
    std::vector<double> after = fluid.totals();
    app::close_to((std::string(what) + " mass").c_str(), steps, before[0], after[0], before[0] * tolerance);

    int cells = g.width * g.height;
    std::vector<std::vector<double>> f(cells, std::vector<double>(Q));
    for (int c = 0; c < cells; c++)
        for (int q = 0; q < Q; q++)
            f[c][q] = l.weight[q] * rho[c];
    host_run(f, g, l, solid, steps, omega, force);
    double momentum = 0;
    for (int q = 0; q < Q; q++) {
        std::vector<Real> got = fluid.distribution(q);
        for (int c = 0; c < cells; c++)
            if (!solid[c]) {
                app::close_to(what, q * cells + c, f[c][q], got[c], tolerance);
                momentum += l.cx[q] * f[c][q];
            }
    }
    app::close_to((std::string(what) + " momentum").c_str(), steps, momentum, after[1], cells * tolerance);
    if (std::count(solid.begin(), solid.end(), 1) == 0) // without walls only the force changes the momentum
        app::close_to((std::string(what) + " impulse").c_str(), steps, force * cells * steps,
                      after[1] - before[1], cells * tolerance);
}

int main(int argc, char **argv)
{
    int width = app::start(argc, argv, "lattice_boltzmann", 40, 16, 512);
    Grid g = {width, width / 2 + 4};
    Lattice l = make_lattice();
    GPU(cudaMemcpyToSymbol(lattice, &l, sizeof l));
    app::Lcg rng(4);
    std::vector<uint8_t> walls((size_t)g.width * g.height, 0), none(walls);
    std::vector<float> rho(walls.size());
    for (int y = 0; y < g.height; y++)
        for (int x = 0; x < g.width; x++) {
            int dx = x - g.width / 4, dy = y - g.height / 2, r = g.height / 6;
            walls[y * g.width + x] = y == 0 || y == g.height - 1 || dx * dx + dy * dy <= r * r;
            rho[y * g.width + x] = (float)rng.between(0.98, 1.02);
        }
    simulate<float>("channel in float", g, l, walls, rho, 16, 2e-5);
    simulate<double>("channel in double", g, l, walls, rho, 8, 1e-11);
    simulate<double>("periodic box", g, l, none, rho, 4, 1e-11);
    return app::pass();
}
