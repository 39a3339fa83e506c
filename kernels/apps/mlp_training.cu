// mlp_training: machine learning. A two-layer perceptron trained by gradient descent with momentum: tiled
// matrix products for the forward and both backward directions, softmax with cross entropy by warps, bias
// sums by atomics.
// Exercises: shared-memory tiles, templates over transposition and an epilogue functor, a device function
// pointer for the activation, warp shuffles, expf and logf, float atomicAdd, half-precision storage of the
// weights at the end.
// Checked against a double-precision training run on the host, a finite-difference gradient and a falling
// loss.
#include "../app.h"

#include <cuda_fp16.h>

static const int TILE = 8;

typedef float (*Activation)(float);

__device__ float leaky(float x)
{
    return x > 0 ? x : 0.1f * x;
}

__device__ float smooth(float x)
{
    return tanhf(x);
}

__device__ Activation activation_table[2] = {leaky, smooth};

struct Plain {
    __device__ float operator()(float v, int, int) const { return v; }
};

// Adds the bias of the column and applies an activation that is chosen at run time.
struct BiasActivate {
    const float *bias;
    Activation f;
    __device__ float operator()(float v, int, int col) const { return f(v + bias[col]); }
};

struct BiasOnly {
    const float *bias;
    __device__ float operator()(float v, int, int col) const { return v + bias[col]; }
};

// Multiplies by the activation's slope, recovered from its value.
struct Slope {
    const float *value;
    int width, kind;
    __device__ float operator()(float v, int row, int col) const
    {
        float y = value[row * width + col];
        return kind == 0 ? (y > 0 ? v : 0.1f * v) : v * (1 - y * y);
    }
};

// C(m x n) = op(A) op(B), inner length k; a transposed operand is stored as its transpose.
template <bool TA, bool TB, class Epilogue>
__global__ void gemm_kernel(const float *a, const float *b, float *c, int m, int n, int k, Epilogue finish)
{
    __shared__ float ta[TILE][TILE + 1], tb[TILE][TILE + 1];
    int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int base = 0; base < k; base += TILE) {
        int ka = base + threadIdx.x, kb = base + threadIdx.y;
        ta[threadIdx.y][threadIdx.x] = row < m && ka < k ? (TA ? a[ka * m + row] : a[row * k + ka]) : 0;
        tb[threadIdx.y][threadIdx.x] = kb < k && col < n ? (TB ? b[col * k + kb] : b[kb * n + col]) : 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++)
            sum += ta[threadIdx.y][i] * tb[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n)
        c[row * n + col] = finish(sum, row, col);
}

__device__ float warp_max(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, d));
    return v;
}

__device__ float warp_sum(float v)
{
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_xor_sync(0xffffffffu, v, d);
    return v;
}

// One warp a sample, at most 32 classes: logits become gradients, the loss is accumulated.
__global__ void softmax_kernel(float *logits, const int *label, float *loss, int batch, int classes)
{
    int sample = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (sample >= batch)
        return;
    bool in = lane < classes;
    float z = in ? logits[sample * classes + lane] : -INFINITY;
    z -= warp_max(z);
    float e = in ? expf(z) : 0, total = warp_sum(e);
    bool mine = lane == label[sample];
    if (in)
        logits[sample * classes + lane] = (e / total - mine) / batch;
    if (mine)
        atomicAdd(loss, (logf(total) - z) / batch);
}

__global__ void column_sums(const float *g, float *sums, int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    for (int row = blockIdx.y; col < cols && row < rows; row += gridDim.y)
        atomicAdd(&sums[col], g[row * cols + col]);
}

__global__ void descend(float *w, float *velocity, const float *grad, float rate, float momentum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        velocity[i] = momentum * velocity[i] - rate * grad[i];
        w[i] += velocity[i];
    }
}

__global__ void quantise(const float *w, __half *h, float *back, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        h[i] = __float2half(w[i]);
        back[i] = __half2float(h[i]);
    }
}

__global__ void fetch_activation(Activation *f, int kind)
{
    *f = activation_table[kind];
}

struct Shape {
    int batch, in, hidden, out;
};

static dim3 tiles(int m, int n)
{
    return dim3((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
}

struct Parameter {
    app::Buffer<float> value, grad, velocity;
    explicit Parameter(const std::vector<float> &v) : value(v), grad(v.size()), velocity(v.size())
    {
        velocity.fill(0);
    }
    void update(float rate)
    {
        int n = (int)value.size();
        descend<<<app::blocks_for(n, 64), 64>>>(value.get(), velocity.get(), grad.get(), rate, 0.5f, n);
    }
};

struct Network {
    Shape s;
    int kind;
    Activation f;
    Parameter w1, b1, w2, b2;
    app::Buffer<float> x, hidden, logits, hidden_grad, loss;
    app::Buffer<int> label;

    float pass(bool backward)
    {
        dim3 block(TILE, TILE);
        BiasActivate first = {b1.value.get(), f};
        BiasOnly second = {b2.value.get()};
        Slope slope = {hidden.get(), s.hidden, kind};
        loss.fill(0);
        gemm_kernel<false, false><<<tiles(s.batch, s.hidden), block>>>(x.get(), w1.value.get(), hidden.get(),
                                                                       s.batch, s.hidden, s.in, first);
        gemm_kernel<false, false><<<tiles(s.batch, s.out), block>>>(
            hidden.get(), w2.value.get(), logits.get(), s.batch, s.out, s.hidden, second);
        softmax_kernel<<<app::blocks_for(s.batch, 4), 128>>>(logits.get(), label.get(), loss.get(), s.batch,
                                                             s.out);
        if (backward) {
            gemm_kernel<true, false><<<tiles(s.hidden, s.out), block>>>(
                hidden.get(), logits.get(), w2.grad.get(), s.hidden, s.out, s.batch, Plain());
            gemm_kernel<false, true><<<tiles(s.batch, s.hidden), block>>>(
                logits.get(), w2.value.get(), hidden_grad.get(), s.batch, s.hidden, s.out, slope);
            gemm_kernel<true, false><<<tiles(s.in, s.hidden), block>>>(
                x.get(), hidden_grad.get(), w1.grad.get(), s.in, s.hidden, s.batch, Plain());
            b1.grad.fill(0);
            b2.grad.fill(0);
            column_sums<<<dim3(1, 4), 64>>>(hidden_grad.get(), b1.grad.get(), s.batch, s.hidden);
            column_sums<<<dim3(1, 4), 64>>>(logits.get(), b2.grad.get(), s.batch, s.out);
        }
        GPU_DONE();
        return loss.read()[0];
    }
};

// The same network in double, one sample at a time.
struct HostNetwork {
    Shape s;
    int kind;
    std::vector<double> p[4], g[4], v[4]; // w1, b1, w2, b2

    double pass(const std::vector<float> &x, const std::vector<int> &label)
    {
        double loss = 0;
        for (int k = 0; k < 4; k++)
            g[k].assign(p[k].size(), 0);
        for (int b = 0; b < s.batch; b++) {
            std::vector<double> h(s.hidden), z(p[3]);
            for (int j = 0; j < s.hidden; j++) {
                h[j] = p[1][j];
                for (int i = 0; i < s.in; i++)
                    h[j] += x[b * s.in + i] * p[0][i * s.hidden + j];
                h[j] = kind ? std::tanh(h[j]) : h[j] > 0 ? h[j] : 0.1 * h[j];
                for (int o = 0; o < s.out; o++)
                    z[o] += h[j] * p[2][j * s.out + o];
            }
            double total = 0;
            for (double q : z)
                total += std::exp(q);
            loss += (std::log(total) - z[label[b]]) / s.batch;
            for (int o = 0; o < s.out; o++) {
                z[o] = (std::exp(z[o]) / total - (o == label[b])) / s.batch;
                g[3][o] += z[o];
            }
            for (int j = 0; j < s.hidden; j++) {
                double back = 0;
                for (int o = 0; o < s.out; o++) {
                    g[2][j * s.out + o] += h[j] * z[o];
                    back += p[2][j * s.out + o] * z[o];
                }
                back *= kind ? 1 - h[j] * h[j] : h[j] > 0 ? 1 : 0.1;
                g[1][j] += back;
                for (int i = 0; i < s.in; i++)
                    g[0][i * s.hidden + j] += x[b * s.in + i] * back;
            }
        }
        return loss;
    }
    void update(double rate)
    {
        for (int k = 0; k < 4; k++) {
            v[k].resize(p[k].size(), 0);
            for (size_t i = 0; i < p[k].size(); i++) {
                v[k][i] = 0.5 * v[k][i] - rate * g[k][i];
                p[k][i] += v[k][i];
            }
        }
    }
};

static std::vector<float> random_values(app::Lcg &rng, int n, double scale)
{
    std::vector<float> v(n);
    for (float &e : v)
        e = (float)rng.between(-scale, scale);
    return v;
}

static void check_half(Parameter &p)
{
    int n = (int)p.value.size();
    app::Buffer<__half> h(n);
    app::Buffer<float> back(n);
    quantise<<<app::blocks_for(n, 64), 64>>>(p.value.get(), h.get(), back.get(), n);
    GPU_DONE();
    std::vector<float> w = p.value.read(), b = back.read();
    for (int i = 0; i < n; i++) {
        // to nearest even at 11 bits, by scaling; below 2^-14 the spacing stays at 2^-24
        int e = std::max(std::ilogb(w[i]), -14);
        double unit = std::ldexp(1.0, e - 10);
        app::equal("weight as half", i, (float)(std::nearbyint(w[i] / unit) * unit), b[i]);
    }
}

static void train(Shape s, int kind, uint64_t seed)
{
    app::Lcg rng(seed);
    std::vector<float> x = random_values(rng, s.batch * s.in, 1);
    std::vector<int> label;
    for (int b = 0; b < s.batch; b++) // the class is where the largest of the first inputs is
        label.push_back((int)(std::max_element(&x[b * s.in], &x[b * s.in] + s.out) - &x[b * s.in]));
    std::vector<float> init[4] = {random_values(rng, s.in * s.hidden, 0.4), random_values(rng, s.hidden, 0.1),
                                  random_values(rng, s.hidden * s.out, 0.4), random_values(rng, s.out, 0.1)};
    app::Buffer<Activation> f(1);
    fetch_activation<<<1, 1>>>(f.get(), kind);
    GPU_DONE();
    Network net = {s,
                   kind,
                   f.read()[0],
                   Parameter(init[0]),
                   Parameter(init[1]),
                   Parameter(init[2]),
                   Parameter(init[3]),
                   app::Buffer<float>(x),
                   app::Buffer<float>(s.batch * s.hidden),
                   app::Buffer<float>(s.batch * s.out),
                   app::Buffer<float>(s.batch * s.hidden),
                   app::Buffer<float>(1),
                   app::Buffer<int>(label)};
    HostNetwork host = {};
    host.s = s;
    host.kind = kind;
    for (int k = 0; k < 4; k++)
        host.p[k].assign(init[k].begin(), init[k].end());
    Parameter *parameters[4] = {&net.w1, &net.b1, &net.w2, &net.b2};
    double first = 0, last = 0;
    for (int step = 0; step < 4; step++) {
        double expected = host.pass(x, label);
        last = net.pass(true);
        app::close_to("loss at step", step, expected, last, 1e-5);
        for (int k = 0; k < 4; k++) {
            std::vector<float> got = parameters[k]->grad.read();
            for (size_t i = 0; i < got.size(); i++)
                app::close_to("gradient", (long)i, host.g[k][i], got[i], 1e-6);
            parameters[k]->update(0.5f);
        }
        if (step == 0) { // one weight moved by hand: the loss must follow the gradient
            first = last;
            HostNetwork moved = host;
            moved.p[0][3] += 1e-5;
            app::close_to("finite difference", 3, (moved.pass(x, label) - expected) / 1e-5,
                          net.w1.grad.read()[3], 1e-5);
        }
        host.update(0.5);
    }
    app::holds("loss falls", "training", last < 0.97 * first);
    check_half(net.w2);
}

int main(int argc, char **argv)
{
    int batch = app::start(argc, argv, "mlp_training", 48, 8, 1024);
    train(Shape{batch, 12, 28, 5}, 0, 8);
    train(Shape{batch / 2 + 3, 9, 17, 4}, 1, 9);
    return app::pass();
}
