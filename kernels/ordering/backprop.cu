// One training step of a neural network with one hidden layer (backprop of Rodinia): blocks of 16 x 16 threads multiply
// inputs by weights, add them up in shared memory and store a partial sum for each block and hidden unit; the host adds
// them and computes the errors; a second launch loads every weight and its last change, and stores both.
// Inputs and weights are multiples of 1/16 and 1/256, so that sums are exact; the changed weights have a tolerance.
// also: --timing --config gtx480-sc
#define PROGRAM "backprop"
#include "../bench/options.h"

static const int HIDDEN = 16, TILE = 16;
static const float RATE = 0.3f, MOMENTUM = 0.3f;

typedef std::vector<float> Floats;

static __global__ void forward(const float *input, const float *weights, float *partial) {
    __shared__ float products[TILE][HIDDEN];
    int unit = threadIdx.x, lane = threadIdx.y, i = blockIdx.x * TILE + lane;
    products[lane][unit] = weights[i * HIDDEN + unit] * input[i];
    __syncthreads();
    for (int half = TILE / 2; half > 0; half /= 2) {
        if (lane < half) {
            products[lane][unit] += products[lane + half][unit];
        }
        __syncthreads();
    }
    if (lane == 0) {
        partial[blockIdx.x * HIDDEN + unit] = products[0][unit];
    }
}

static __global__ void adjust(const float *input, const float *error, float *weights, float *changes) {
    int unit = threadIdx.x, i = blockIdx.x * TILE + threadIdx.y, at = i * HIDDEN + unit;
    float change = RATE * error[unit] * input[i] + MOMENTUM * changes[at];
    weights[at] += change;
    changes[at] = change;
}

static Floats fractions(Lcg &random, size_t count, int most, int parts) {
    Floats values(count);
    for (float &value : values) {
        value = (float)((int)random.below(2 * most + 1) - most) / (float)parts;
    }
    return values;
}

// The sums of the hidden units, checked against the device's partial sums.
static std::vector<double> hidden_sums(const Floats &input, const Floats &weights, const Floats &partial) {
    std::vector<double> sums(HIDDEN), got(HIDDEN);
    for (size_t at = 0; at < weights.size(); at++) {
        sums[at % HIDDEN] += (double)weights[at] * input[at / HIDDEN];
    }
    for (size_t at = 0; at < partial.size(); at++) {
        got[at % HIDDEN] += partial[at];
    }
    expect_same("sum of a hidden unit", sums, got);
    return sums;
}

int main(int argc, char **argv) {
    int tiles = read_options(argc, argv, {"groups of 16 inputs", 32, 4096, 1, 65535});
    Lcg random(116);
    Floats input = fractions(random, (size_t)tiles * TILE, 16, 16),
           weights = fractions(random, input.size() * HIDDEN, 64, 256),
           changes = fractions(random, weights.size(), 4, 256), error(HIDDEN);
    float *input_device = to_device(input), *weights_device = to_device(weights), *changes_device = to_device(changes),
          *partial = device_buffer<float>((size_t)tiles * HIDDEN);
    dim3 block(HIDDEN, TILE);
    forward<<<tiles, block>>>(input_device, weights_device, partial);
    CHECK_KERNEL();
    std::vector<double> sums = hidden_sums(input, weights, to_host(partial, (size_t)tiles * HIDDEN));
    for (int unit = 0; unit < HIDDEN; unit++) {
        double output = 1 / (1 + std::exp(-sums[unit]));
        error[unit] = (float)(output * (1 - output) * (0.5 - output) + 0.01 * unit);
    }
    adjust<<<tiles, block>>>(input_device, to_device(error), weights_device, changes_device);
    CHECK_KERNEL();
    Floats got = to_host(weights_device, weights.size()), got_changes = to_host(changes_device, changes.size());
    for (size_t at = 0; at < weights.size(); at++) {
        double change = (double)RATE * error[at % HIDDEN] * input[at / HIDDEN] + (double)MOMENTUM * changes[at];
        expect_near("change", (long)at, change, got_changes[at], 1e-5, 1e-7);
        expect_near("weight", (long)at, weights[at] + change, got[at], 1e-5, 1e-7);
    }
    return pass();
}
