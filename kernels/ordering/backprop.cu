// One training step of a neural network with one hidden layer, after Rodinia's backprop: blocks of 16 x 16 threads
// multiply inputs by weights, add them up in shared memory in a tree over the rows, store what is left there over the
// weights, and a partial sum for each block and hidden unit; the host adds them and computes the errors; a second
// launch loads every weight and its last change, and stores both. Rows of weights have 17 words: unit 0 of both layers
// is a constant, so that a row begins at another place of its line than the row before. Inputs and weights are
// multiples of 1/16 and 1/256, so that sums are exact; the changed weights have a tolerance.
// also: --timing --config gtx480-sc
#define PROGRAM "backprop"
#include "../bench/options.h"

static const int HIDDEN = 16, TILE = 16, ROW = HIDDEN + 1;
static const float RATE = 0.3f, MOMENTUM = 0.3f;

typedef std::vector<float> Floats;

// Input 0 and unit 0 are the constants; a block's inputs begin at 1.
static __global__ void forward(const float *input, float *weights, float *partial, int hidden) {
    __shared__ float values[TILE];
    __shared__ float products[TILE][HIDDEN];
    int unit = threadIdx.x, lane = threadIdx.y, i = TILE * blockIdx.y + lane + 1;
    int at = (hidden + 1) * i + unit + 1;
    if (unit == 0) {
        values[lane] = input[i];
    }
    __syncthreads();
    products[lane][unit] = weights[at];
    __syncthreads();
    products[lane][unit] = products[lane][unit] * values[lane];
    __syncthreads();
    for (int span = 2; span <= TILE; span *= 2) {
        if (lane % span == 0) {
            products[lane][unit] = products[lane][unit] + products[lane + span / 2][unit];
        }
        __syncthreads();
    }
    weights[at] = products[lane][unit];
    __syncthreads();
    if (unit == 0) {
        partial[blockIdx.y * hidden + lane] = products[unit][lane];
    }
}

// Errors, inputs and changes are loaded twice, since the store to the weights could have changed them.
static __global__ void adjust(const float *error, int hidden, const float *input, float *weights, float *changes) {
    int unit = threadIdx.x + 1, i = TILE * blockIdx.y + threadIdx.y + 1, at = (hidden + 1) * i + unit;
    weights[at] += RATE * error[unit] * input[i] + MOMENTUM * changes[at];
    changes[at] = RATE * error[unit] * input[i] + MOMENTUM * changes[at];
    __syncthreads();
    if (threadIdx.y == 0 && blockIdx.y == 0) {
        weights[unit] += RATE * error[unit] + MOMENTUM * changes[unit];
        changes[unit] = RATE * error[unit] + MOMENTUM * changes[unit];
    }
}

static Floats fractions(Lcg &random, size_t count, int most, int parts) {
    Floats values(count);
    for (float &value : values) {
        value = (float)((int)random.below(2 * most + 1) - most) / (float)parts;
    }
    return values;
}

// The sums of the hidden units, checked against the device's partial sums; the constant's weights come on top.
static std::vector<double> hidden_sums(const Floats &input, const Floats &weights, const Floats &partial) {
    std::vector<double> sums(ROW), got(ROW);
    for (size_t at = ROW; at < weights.size(); at++) {
        sums[at % ROW] += at % ROW ? (double)weights[at] * input[at / ROW] : 0;
    }
    for (size_t at = 0; at < partial.size(); at++) {
        got[at % HIDDEN + 1] += partial[at];
    }
    expect_same("sum of a hidden unit", sums, got);
    return sums;
}

int main(int argc, char **argv) {
    int tiles = read_options(argc, argv, {"groups of 16 inputs", 32, 4096, 1, 65535});
    Lcg random(116);
    Floats input = fractions(random, (size_t)tiles * TILE + 1, 16, 16),
           weights = fractions(random, input.size() * ROW, 64, 256),
           changes = fractions(random, weights.size(), 4, 256), error(ROW);
    input[0] = 1;
    float *input_device = to_device(input), *weights_device = to_device(weights), *changes_device = to_device(changes),
          *partial = device_buffer<float>((size_t)tiles * HIDDEN);
    dim3 block(HIDDEN, TILE), grid(1, tiles);
    forward<<<grid, block>>>(input_device, weights_device, partial, HIDDEN);
    CHECK_KERNEL();
    std::vector<double> sums = hidden_sums(input, weights, to_host(partial, (size_t)tiles * HIDDEN));
    for (int unit = 1; unit < ROW; unit++) {
        double output = 1 / (1 + std::exp(-sums[unit] - weights[unit]));
        error[unit] = (float)(output * (1 - output) * (0.5 - output) + 0.01 * unit);
    }
    CHECK(cudaMemcpy(weights_device, weights.data(), weights.size() * sizeof(float), cudaMemcpyHostToDevice));
    adjust<<<grid, block>>>(to_device(error), HIDDEN, input_device, weights_device, changes_device);
    CHECK_KERNEL();
    Floats got = to_host(weights_device, weights.size()), got_changes = to_host(changes_device, changes.size());
    for (size_t at = 0; at < weights.size(); at++) {
        double change = (double)RATE * error[at % ROW] * input[at / ROW] + (double)MOMENTUM * changes[at],
               added = at % ROW ? change : 0; // those of unit 0 stay
        expect_near("weight", (long)at, weights[at] + added, got[at], 1e-5, 1e-6);
        expect_near("change", (long)at, at % ROW ? change : changes[at], got_changes[at], 1e-5, 1e-6);
    }
    return pass();
}
