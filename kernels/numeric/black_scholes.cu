// European option prices by Black and Scholes: logf, expf, sqrtf and a polynomial for the normal distribution
// in float, a double version with erfc, and the fast intrinsics. Checked against the host's libm in double,
// and by put-call parity, which holds whatever the distribution function is.
#define PROGRAM "black_scholes"
#include "../check.h"

static const float RATE = 0.03f, VOLATILITY = 0.25f;

// Abramowitz and Stegun, Handbook of Mathematical Functions, 26.2.17: absolute error below 7.5e-8.
__device__ float normal_float(float d) {
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float poly = k * (0.319381530f +
                      k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228040143267794f * expf(-0.5f * d * d) * poly;
    return d > 0.0f ? 1.0f - tail : tail;
}

__global__ void price_float(const float *spot, const float *strike, const float *years, float *call,
                            float *put, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    float root = sqrtf(years[i]);
    float d1 = (logf(spot[i] / strike[i]) + (RATE + 0.5f * VOLATILITY * VOLATILITY) * years[i]) /
               (VOLATILITY * root);
    float d2 = d1 - VOLATILITY * root, discounted = strike[i] * expf(-RATE * years[i]);
    float cdf1 = normal_float(d1), cdf2 = normal_float(d2);
    call[i] = spot[i] * cdf1 - discounted * cdf2;
    put[i] = discounted * (1.0f - cdf2) - spot[i] * (1.0f - cdf1);
}

__global__ void price_double(const float *spot, const float *strike, const float *years, double *call,
                             int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    double rate = RATE, volatility = VOLATILITY, root = sqrt((double)years[i]);
    double d1 = (log((double)spot[i] / strike[i]) + (rate + 0.5 * volatility * volatility) * years[i]) /
                (volatility * root);
    double d2 = d1 - volatility * root;
    call[i] = 0.5 * spot[i] * erfc(-d1 * 0.70710678118654752440) -
              0.5 * strike[i] * exp(-rate * years[i]) * erfc(-d2 * 0.70710678118654752440);
}

__global__ void discount_fast(const float *years, float *factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        factor[i] = __fdividef(__expf(-RATE * years[i]), __powf(2.0f, __log2f(years[i])));
    }
}

static double host_call(double spot, double strike, double years) {
    double rate = RATE, volatility = VOLATILITY, root = std::sqrt(years);
    double d1 =
        (std::log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / (volatility * root);
    double d2 = d1 - volatility * root;
    return 0.5 * spot * std::erfc(-d1 / std::sqrt(2.0)) -
           0.5 * strike * std::exp(-rate * years) * std::erfc(-d2 / std::sqrt(2.0));
}

int main(int argc, char **argv) {
    int n = size_argument(argc, argv, 5000, 1, 1 << 24);
    Lcg random(21);
    std::vector<float> spot(n), strike(n), years(n);
    for (int i = 0; i < n; i++) {
        spot[i] = random.between(5.0f, 30.0f);
        strike[i] = random.between(1.0f, 100.0f);
        years[i] = random.between(0.25f, 10.0f);
    }
    float *spot_device = to_device(spot), *strike_device = to_device(strike),
          *years_device = to_device(years);
    float *call = device_zeros<float>(n), *put = device_zeros<float>(n), *factor = device_zeros<float>(n);
    double *call_wide = device_zeros<double>(n);
    int blocks = blocks_for(n, 128);
    price_float<<<blocks, 128>>>(spot_device, strike_device, years_device, call, put, n);
    price_double<<<blocks, 128>>>(spot_device, strike_device, years_device, call_wide, n);
    discount_fast<<<blocks, 128>>>(years_device, factor, n);
    CHECK_KERNEL();
    std::vector<float> calls = to_host(call, n), puts = to_host(put, n), factors = to_host(factor, n);
    std::vector<double> calls_wide = to_host(call_wide, n);
    for (int i = 0; i < n; i++) {
        double expected = host_call(spot[i], strike[i], years[i]);
        double discount = std::exp(-(double)RATE * years[i]), scale = spot[i] + strike[i];
        expect_near("float call", i, expected, calls[i], 0.0, 2e-6 * scale);
        expect_near("put-call parity", i, spot[i] - strike[i] * discount, (double)calls[i] - puts[i], 0.0,
                    1e-6 * scale);
        expect_near("double call", i, expected, calls_wide[i], 0.0, 1e-14 * scale);
        expect_near("fast discount", i, discount / years[i], factors[i], 1e-5);
    }
    return pass();
}
