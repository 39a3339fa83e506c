// option_pricing: finance. American and European options on a binomial lattice, one block an option with the
// level in dynamic shared memory; a Monte Carlo of an Asian option with Box-Muller numbers from a counter-
// based generator; implied volatility by a safeguarded Newton iteration, one thread a quote.
// Exercises: double exp, log, sqrt, pow, erfc and sincos; functors as template arguments; dynamic shared
// memory; 64-bit integer multiplication high parts; divergent iteration counts; reductions by shuffles and
// double atomicAdd.
// Checked against the closed formula, put-call parity, a recursion with memory on the host, the closed form
// of the geometric mean, and the volatilities that went in.
#include "../app.h"

struct Option {
    double spot, strike, rate, volatility, years;
    int put, american;
};

struct CallPayoff {
    __device__ double operator()(double s, double k) const { return fmax(s - k, 0.0); }
};

struct PutPayoff {
    __device__ double operator()(double s, double k) const { return fmax(k - s, 0.0); }
};

__device__ __host__ inline double normal_cdf(double x)
{
    return 0.5 * erfc(-x * 0.70710678118654752440);
}

__device__ __host__ inline double black_scholes(const Option &o, double *vega)
{
    double sd = o.volatility * sqrt(o.years),
           d1 = log(o.spot / o.strike) / sd + o.rate * o.years / sd + sd / 2;
    double sign = o.put ? -1 : 1, discount = exp(-o.rate * o.years);
    if (vega)
        *vega = o.spot * sqrt(o.years) * exp(-d1 * d1 / 2) * 0.39894228040143267794;
    return sign * (o.spot * normal_cdf(sign * d1) - o.strike * discount * normal_cdf(sign * (d1 - sd)));
}

// Cox-Ross-Rubinstein: levels are folded in place, from the leaves to the root.
template <class Payoff>
__device__ double fold_lattice(const Option &o, int steps, double *value, Payoff payoff)
{
    double dt = o.years / steps, up = exp(o.volatility * sqrt(dt)), growth = exp(o.rate * dt);
    double p = (growth - 1 / up) / (up - 1 / up), stay = 1 / growth;
    for (int i = threadIdx.x; i <= steps; i += blockDim.x)
        value[i] = payoff(o.spot * pow(up, 2.0 * i - steps), o.strike);
    for (int level = steps - 1; level >= 0; level--) {
        // all threads must have read the upper neighbour before anyone overwrites it
        for (int base = 0; base <= level; base += blockDim.x) {
            int i = base + threadIdx.x;
            double v = 0;
            __syncthreads();
            if (i <= level) {
                v = stay * (p * value[i + 1] + (1 - p) * value[i]);
                if (o.american)
                    v = fmax(v, payoff(o.spot * pow(up, 2.0 * i - level), o.strike));
            }
            __syncthreads();
            if (i <= level)
                value[i] = v;
        }
    }
    __syncthreads();
    return value[0];
}

__global__ void lattice_kernel(const Option *options, double *price, int steps)
{
    extern __shared__ double value[];
    Option o = options[blockIdx.x];
    double v =
        o.put ? fold_lattice(o, steps, value, PutPayoff()) : fold_lattice(o, steps, value, CallPayoff());
    if (threadIdx.x == 0)
        price[blockIdx.x] = v;
}

__device__ unsigned long long scramble(unsigned long long x)
{
    unsigned long long a = x * 0x9e3779b97f4a7c15ull,
                       b = __umul64hi(x + 0x632be59bd9b4e019ull, 0xd6e8feb86659fd93ull);
    a ^= b ^ (a >> 31);
    a *= 0xbf58476d1ce4e5b9ull;
    return a ^ (a >> 29);
}

// Discounted payoff on the arithmetic (sums[0]) and geometric (sums[1]) mean, and the number of paths
// (sums[2]).
__global__ void asian_kernel(Option o, int dates, int paths, double *sums)
{
    double arithmetic = 0, geometric = 0, used = 0, dt = o.years / dates;
    double drift = (o.rate - o.volatility * o.volatility / 2) * dt, scale = o.volatility * sqrt(dt);
    int stride = gridDim.x * blockDim.x;
    for (int path = blockIdx.x * blockDim.x + threadIdx.x; path < paths; path += stride) {
        double x = log(o.spot), sum = 0, log_sum = 0, spare = 0;
        for (int d = 0; d < dates; d++) {
            double z = spare;
            if (d % 2 == 0) {
                unsigned long long r = scramble(((unsigned long long)path << 20) + d);
                double u = ((r >> 32) + 0.5) * (1.0 / 4294967296.0), v = (unsigned)r * (1.0 / 4294967296.0),
                       s, c;
                double radius = sqrt(-2 * log(u));
                sincospi(2 * v, &s, &c);
                z = radius * c;
                spare = radius * s;
            }
            x += drift + scale * z;
            sum += exp(x);
            log_sum += x;
        }
        arithmetic += fmax(sum / dates - o.strike, 0.0);
        geometric += fmax(exp(log_sum / dates) - o.strike, 0.0);
        used += 1;
    }
    double discount = exp(-o.rate * o.years), part[3] = {arithmetic * discount, geometric * discount, used};
    for (int k = 0; k < 3; k++) {
        for (int d = 16; d > 0; d /= 2)
            part[k] += __shfl_down_sync(0xffffffffu, part[k], d);
        if (threadIdx.x % 32 == 0)
            atomicAdd(&sums[k], part[k]);
    }
}

__global__ void implied_kernel(const Option *quotes, const double *price, double *volatility, int *iterations,
                               int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Option o = quotes[i];
    double low = 1e-3, high = 4;
    o.volatility = 0.5;
    int k = 0;
    for (; k < 100; k++) {
        double vega, error = black_scholes(o, &vega) - price[i];
        if (fabs(error) < 1e-11 * o.strike)
            break;
        if (error > 0)
            high = o.volatility;
        else
            low = o.volatility;
        double next = o.volatility - error / vega;
        o.volatility = next > low && next < high ? next : (low + high) / 2;
    }
    volatility[i] = o.volatility;
    iterations[i] = k;
}

// The same lattice by recursion from the root with memory.
static double host_lattice(const Option &o, int steps, int level, int ups, std::vector<double> &memory)
{
    double &m = memory[level * (steps + 1) + ups];
    if (m >= 0)
        return m;
    double dt = o.years / steps, jump = o.volatility * std::sqrt(dt);
    double s = o.spot * std::exp(jump * (2 * ups - level)),
           exercise = std::max(0.0, o.put ? o.strike - s : s - o.strike);
    if (level == steps)
        return m = exercise;
    double p = (std::exp(o.rate * dt) - std::exp(-jump)) / (std::exp(jump) - std::exp(-jump));
    double hold = p * host_lattice(o, steps, level + 1, ups + 1, memory);
    hold += (1 - p) * host_lattice(o, steps, level + 1, ups, memory);
    hold *= std::exp(-o.rate * dt);
    return memory[level * (steps + 1) + ups] = o.american ? std::max(hold, exercise) : hold;
}

static void check_lattice(const std::vector<Option> &options, int steps)
{
    int n = (int)options.size();
    app::Buffer<Option> d_options(options);
    app::Buffer<double> d_price(n);
    lattice_kernel<<<n, 64, (steps + 1) * sizeof(double)>>>(d_options.get(), d_price.get(), steps);
    GPU_DONE();
    std::vector<double> price = d_price.read();
    for (int i = 0; i < n; i++) {
        const Option &o = options[i];
        std::vector<double> memory((steps + 1) * (steps + 1), -1);
        app::close_to("lattice price", i, host_lattice(o, steps, 0, 0, memory), price[i], 1e-9);
        if (!o.american)
            app::close_to("closed formula", i, black_scholes(o, nullptr), price[i], o.strike * 0.4 / steps);
    }
    for (int i = 0; i + 3 < n; i += 4) { // American put, European put, American call, European call
        const Option &o = options[i];
        app::close_to("put-call parity", i, o.spot - o.strike * std::exp(-o.rate * o.years),
                      price[i + 3] - price[i + 1], 1e-8);
        app::holds("early exercise of a put is worth something", i, price[i] > price[i + 1]);
        app::close_to("early exercise of a call is not", i, price[i + 3], price[i + 2], 1e-9);
    }
}

static void check_asian(const Option &o, int paths)
{
    const int dates = 12;
    app::Buffer<double> d_sums(std::vector<double>(3, 0.0));
    asian_kernel<<<4, 128>>>(o, dates, paths, d_sums.get());
    GPU_DONE();
    std::vector<double> sums = d_sums.read();
    app::equal("paths", "asian", (double)paths, sums[2]);
    // the geometric mean is lognormal: Black-Scholes with its own variance and forward
    double n = dates, dt = o.years / n, v = o.volatility * o.volatility;
    double mean = (o.rate - v / 2) * dt * (n + 1) / 2, var = v * dt * (n + 1) * (2 * n + 1) / (6 * n);
    double forward = o.spot * std::exp(mean + var / 2), sd = std::sqrt(var);
    double d1 = std::log(forward / o.strike) / sd + sd / 2;
    double expected =
        (forward * normal_cdf(d1) - o.strike * normal_cdf(d1 - sd)) * std::exp(-o.rate * o.years);
    double slack = 5 * o.spot * sd / std::sqrt((double)paths);
    app::close_to("geometric Asian call", "mean", expected, sums[1] / paths, slack);
    app::holds("arithmetic above geometric", "mean", sums[0] > sums[1] && sums[0] < sums[1] * 1.1);
}

int main(int argc, char **argv)
{
    int steps = app::start(argc, argv, "option_pricing", 60, 16, 1000);
    app::Lcg rng(13);
    std::vector<Option> options, quotes;
    std::vector<double> price, wanted;
    for (int i = 0; i < 5; i++) {
        double spot = rng.between(80, 120);
        Option o = {spot,
                    rng.between(85, 115),
                    rng.between(0.02, 0.08),
                    rng.between(0.15, 0.45),
                    rng.between(0.5, 2),
                    0,
                    0};
        for (int k = 0; k < 4; k++) {
            o.put = k < 2;
            o.american = k % 2 == 0;
            options.push_back(o);
        }
    }
    check_lattice(options, steps);
    check_asian(Option{100, 98, 0.05, 0.3, 1, 0, 0}, 3000);

    for (int i = 0; i < 200; i++) {
        Option o = {100,
                    rng.between(75, 130),
                    rng.between(0, 0.06),
                    rng.between(0.1, 0.9),
                    rng.between(0.3, 2),
                    i % 2,
                    0};
        quotes.push_back(o);
        wanted.push_back(o.volatility);
        price.push_back(black_scholes(o, nullptr));
        quotes.back().volatility = 0;
    }
    int n = (int)quotes.size();
    app::Buffer<Option> d_quotes(quotes);
    app::Buffer<double> d_price(price), d_vol(n);
    app::Buffer<int> d_iterations(n);
    implied_kernel<<<app::blocks_for(n, 64), 64>>>(d_quotes.get(), d_price.get(), d_vol.get(),
                                                   d_iterations.get(), n);
    GPU_DONE();
    std::vector<double> vol = d_vol.read();
    std::vector<int> iterations = d_iterations.read();
    for (int i = 0; i < n; i++) {
        app::holds("Newton converged", i, iterations[i] < 100);
        app::close_to("implied volatility", i, wanted[i], vol[i], 1e-6);
    }
    return app::pass();
}
