// ode_ensemble: numerical analysis. Many initial value problems at once, each with its own adaptive step
// size: the embedded Runge-Kutta pair of Dormand and Prince (1980), coefficients in constant memory, and an
// event (a zero crossing) located by bisection on the interpolant.
// Exercises: loops whose length differs from lane to lane, local arrays, template systems with different
// dimensions and a virtual-free functor interface, double pow and fmin/fmax, lambdas inside device code,
// ballots that count the lanes still alive, int64 counters.
// Checked against closed solutions, invariants of motion, and a classical fixed-step fourth-order host
// integrator.
#include "../app.h"

static const int STAGES = 7;

struct Tableau {
    double a[STAGES][STAGES], b[STAGES], low[STAGES], c[STAGES];
};

__constant__ Tableau tableau;

struct Decay { // y' = -k y
    static const int N = 1;
    double k;
    __host__ __device__ void operator()(double, const double *y, double *d) const { d[0] = -k * y[0]; }
};

struct Logistic { // y' = r y (1 - y)
    static const int N = 1;
    double k;
    __host__ __device__ void operator()(double, const double *y, double *d) const
    {
        d[0] = k * y[0] * (1 - y[0]);
    }
};

struct Kepler { // planar two-body motion, unit attraction
    static const int N = 4;
    double k;
    __host__ __device__ void operator()(double, const double *y, double *d) const
    {
        double r2 = y[0] * y[0] + y[1] * y[1], f = -k / (r2 * sqrt(r2));
        d[0] = y[2];
        d[1] = y[3];
        d[2] = f * y[0];
        d[3] = f * y[1];
    }
};

struct VanDerPol {
    static const int N = 2;
    double k;
    __host__ __device__ void operator()(double, const double *y, double *d) const
    {
        d[0] = y[1];
        d[1] = k * (1 - y[0] * y[0]) * y[1] - y[0];
    }
};

struct Outcome {
    double y[4];
    double crossing; // first time that component 0 changes sign, or -1
    long long evaluations;
    int accepted, rejected;
};

template <class System> __device__ double try_step(const System &f, double t, double h, const double *y,
                                                   const double *slope, double *out, double *last_slope,
                                                   double tolerance)
{
    const int N = System::N;
    double k[STAGES][N];
    for (int i = 0; i < N; i++)
        k[0][i] = slope[i];
    for (int s = 1; s < STAGES; s++) {
        for (int i = 0; i < N; i++) {
            double sum = 0;
            for (int j = 0; j < s; j++)
                sum += tableau.a[s][j] * k[j][i];
            out[i] = y[i] + h * sum;
        }
        f(t + tableau.c[s] * h, out, k[s]);
    }
    double error = 0; // the last stage is evaluated at the new point: its argument is the result
    for (int i = 0; i < N; i++) {
        double e = 0;
        for (int s = 0; s < STAGES; s++)
            e += (tableau.b[s] - tableau.low[s]) * k[s][i];
        double scale = tolerance * (1 + fmax(fabs(y[i]), fabs(out[i])));
        error = fmax(error, fabs(h * e) / scale);
        last_slope[i] = k[STAGES - 1][i];
    }
    return error;
}

// Zero of component 0 between two points, on the cubic through values and slopes.
__device__ double locate(double t, double h, double y0, double d0, double y1, double d1)
{
    auto cubic = [&](double s) {
        double u = 1 - s;
        return u * u * (1 + 2 * s) * y0 + s * s * (3 - 2 * s) * y1 + h * s * u * (u * d0 - s * d1);
    };
    double low = 0, high = 1;
    for (int i = 0; i < 50; i++) {
        double mid = (low + high) / 2;
        if ((cubic(mid) > 0) == (y0 > 0))
            low = mid;
        else
            high = mid;
    }
    return t + h * (low + high) / 2;
}

template <class System> __global__ void integrate_kernel(const System *systems, const double *start,
                                                         double end, double tolerance, Outcome *outcomes,
                                                         int n, unsigned *longest)
{
    const int N = System::N;
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    System f = systems[min(id, n - 1)];
    double y[N], next[N], slope[N], next_slope[N], t = 0, h = 1e-3 * end;
    for (int i = 0; i < N; i++)
        y[i] = start[min(id, n - 1) * N + i];
    f(t, y, slope);
    Outcome o = {};
    o.evaluations = 1;
    o.crossing = -1;
    unsigned rounds = 0;
    bool running = id < n;
    while (__ballot_sync(0xffffffffu, running)) {
        rounds++;
        if (!running)
            continue;
        h = fmin(h, end - t);
        double error = try_step(f, t, h, y, slope, next, next_slope, tolerance);
        o.evaluations += STAGES - 1;
        if (error <= 1) {
            if (o.crossing < 0 && (y[0] > 0) != (next[0] > 0))
                o.crossing = locate(t, h, y[0], slope[0], next[0], next_slope[0]);
            for (int i = 0; i < N; i++) {
                y[i] = next[i];
                slope[i] = next_slope[i];
            }
            t += h;
            o.accepted++;
            running = end - t > 1e-12 * end;
        } else {
            o.rejected++;
        }
        h *= fmin(5.0, fmax(0.2, 0.9 * pow(fmax(error, 1e-10), -0.2)));
    }
    for (int i = 0; i < N; i++)
        o.y[i] = y[i];
    if (id < n)
        outcomes[id] = o;
    if (threadIdx.x % 32 == 0)
        atomicMax(longest, rounds);
}

static Tableau dormand_prince()
{
    Tableau t = {};
    const double a[STAGES][STAGES] = {
        {0},
        {1.0 / 5},
        {3.0 / 40, 9.0 / 40},
        {44.0 / 45, -56.0 / 15, 32.0 / 9},
        {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
        {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
        {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
    const double low[STAGES] = {5179.0 / 57600, 0,       7571.0 / 16695, 393.0 / 640, -92097.0 / 339200,
                                187.0 / 2100,   1.0 / 40};
    for (int s = 0; s < STAGES; s++) {
        for (int j = 0; j < STAGES; j++) {
            t.a[s][j] = a[s][j];
            t.c[s] += a[s][j];
        }
        t.b[s] = a[STAGES - 1][s];
        t.low[s] = low[s];
    }
    return t;
}

template <class System> static std::vector<Outcome>
integrate(const std::vector<System> &systems, const std::vector<double> &start, double end, double tolerance)
{
    int n = (int)systems.size();
    app::Buffer<System> d_systems(systems);
    app::Buffer<double> d_start(start);
    app::Buffer<Outcome> d_outcomes(n);
    app::Buffer<unsigned> d_longest(std::vector<unsigned>(1, 0));
    integrate_kernel<<<app::blocks_for(n, 64), 64>>>(d_systems.get(), d_start.get(), end, tolerance,
                                                     d_outcomes.get(), n, d_longest.get());
    GPU_DONE();
    std::vector<Outcome> outcomes = d_outcomes.read();
    int longest = 0;
    for (int i = 0; i < n; i++) {
        const Outcome &o = outcomes[i];
        longest = std::max(longest, o.accepted + o.rejected);
        app::equal("evaluations", i, 1ll + (STAGES - 1) * (long long)(o.accepted + o.rejected),
                   o.evaluations);
    }
    app::equal("rounds of the slowest warp", "ensemble", (unsigned)longest, d_longest.read()[0]);
    return outcomes;
}

template <class System>
static std::vector<double> host_rk4(const System &f, std::vector<double> y, double end, int steps)
{
    size_t n = y.size();
    double h = end / steps;
    std::vector<double> k[4], z(n);
    for (std::vector<double> &v : k)
        v.resize(n);
    for (int s = 0; s < steps; s++) {
        f(s * h, y.data(), k[0].data());
        for (int stage = 1; stage < 4; stage++) {
            for (size_t i = 0; i < n; i++)
                z[i] = y[i] + h * (stage == 3 ? 1 : 0.5) * k[stage - 1][i];
            f(s * h, z.data(), k[stage].data());
        }
        for (size_t i = 0; i < n; i++)
            y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
    return y;
}

int main(int argc, char **argv)
{
    int n = app::start(argc, argv, "ode_ensemble", 96, 64, 20000);
    Tableau t = dormand_prince();
    GPU(cudaMemcpyToSymbol(tableau, &t, sizeof t));
    app::Lcg rng(18);
    const double tolerance = 1e-8;

    std::vector<Decay> decay;
    std::vector<Logistic> logistic;
    std::vector<double> one, some;
    for (int i = 0; i < n; i++) {
        decay.push_back(Decay{rng.between(0.1, 20)}); // stiffer members need many more steps
        logistic.push_back(Logistic{rng.between(0.5, 8)});
        one.push_back(rng.between(0.5, 2));
        some.push_back(rng.between(0.01, 0.9));
    }
    std::vector<Outcome> d = integrate(decay, one, 2, tolerance), l = integrate(logistic, some, 2, tolerance);
    int fewest = d[0].accepted, most = fewest;
    for (int i = 0; i < n; i++) {
        app::close_to("exponential decay", i, one[i] * std::exp(-2 * decay[i].k), d[i].y[0], 1e-6);
        double grown = some[i] * std::exp(2 * logistic[i].k);
        app::close_to("logistic growth", i, grown / (1 - some[i] + grown), l[i].y[0], 1e-6);
        app::close_to("no crossing", i, -1, d[i].crossing, 0);
        fewest = std::min(fewest, d[i].accepted);
        most = std::max(most, d[i].accepted);
    }
    app::holds("step counts differ between lanes", "decay", most >= 2 * fewest);

    std::vector<Kepler> orbits;
    std::vector<double> state;
    for (int i = 0; i < n / 4; i++) { // perihelion at distance 1 - e, period 2 pi, half a turn
        double e = rng.between(0, 0.7);
        orbits.push_back(Kepler{1});
        state.insert(state.end(), {1 - e, 0, 0, std::sqrt((1 + e) / (1 - e))});
    }
    std::vector<Outcome> k = integrate(orbits, state, M_PI, tolerance);
    for (int i = 0; i < n / 4; i++) {
        const double *y = k[i].y, *s = &state[4 * i];
        double e = 1 - s[0];
        app::close_to("aphelion x", i, -(1 + e), y[0], 1e-5);
        app::close_to("aphelion y", i, 0, y[1], 1e-5);
        app::close_to("angular momentum", i, s[0] * s[3], y[0] * y[3] - y[1] * y[2], 1e-6);
        app::close_to("energy", i, -0.5, (y[2] * y[2] + y[3] * y[3]) / 2 - 1 / std::hypot(y[0], y[1]), 1e-6);
        // x = 0 at the eccentric anomaly with cos E = e; Kepler's equation gives the time
        double anomaly = std::acos(e);
        app::close_to("time of x = 0", i, anomaly - e * std::sin(anomaly), k[i].crossing, 1e-4);
    }

    std::vector<VanDerPol> vdp;
    state.clear();
    for (int i = 0; i < n / 8; i++) {
        vdp.push_back(VanDerPol{rng.between(0.2, 6)});
        state.insert(state.end(), {rng.between(0.5, 2), rng.between(-1, 1)});
    }
    std::vector<Outcome> v = integrate(vdp, state, 3, tolerance);
    for (int i = 0; i < n / 8; i++) {
        std::vector<double> y = host_rk4(vdp[i], {state[2 * i], state[2 * i + 1]}, 3, 3000);
        app::close_to("van der Pol position", i, y[0], v[i].y[0], 2e-5);
        app::close_to("van der Pol speed", i, y[1], v[i].y[1], 2e-4);
    }
    return app::pass();
}
