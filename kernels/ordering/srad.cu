// Speckle-reducing anisotropic diffusion (srad of Rodinia; Yu and Acton, IEEE Transactions on Image Processing 2002): a
// launch computes each pixel's four derivatives and its diffusion coefficient and stores them (streaming stores of five
// words), a second one loads them, with the coefficients of the pixels below and on the right, and updates the image.
// The statistics of the whole image come from the host, as in Rodinia's second version.
// Checked against the same steps on the host, in double precision.
// also: --timing --config gtx480-sc
#define PROGRAM "srad"
#include "../bench/options.h"

static const int STEPS = 2;
static const float RATE = 0.5f;

template <typename Real> struct Image {
    Real *pixel, *coefficient, *north, *south, *west, *east;
    int n;
};

static __host__ __device__ int edge(int at, int n) {
    return at < 0 ? 0 : at >= n ? n - 1 : at;
}

// The coefficient says how much of its differences a pixel takes part in: less at edges than in speckle.
template <typename Real>
static __host__ __device__ Real coefficient_of(Real here, Real north, Real south, Real west, Real east,
                                               Real variation) {
    Real gradient = (north * north + south * south + west * west + east * east) / (here * here);
    Real laplacian = (north + south + west + east) / here;
    Real numerator = Real(0.5) * gradient - laplacian * laplacian / 16, divisor = 1 + laplacian / 4;
    Real local = numerator / (divisor * divisor);
    Real result = 1 / (1 + (local - variation) / (variation * (1 + variation)));
    return result < 0 ? 0 : result > 1 ? 1 : result;
}

template <typename Real>
static __host__ __device__ void derive_pixel(const Image<Real> &image, int x, int y, Real variation) {
    int n = image.n, at = y * n + x;
    Real here = image.pixel[at], north = image.pixel[edge(y - 1, n) * n + x] - here,
         south = image.pixel[edge(y + 1, n) * n + x] - here, west = image.pixel[y * n + edge(x - 1, n)] - here,
         east = image.pixel[y * n + edge(x + 1, n)] - here;
    image.coefficient[at] = coefficient_of(here, north, south, west, east, variation);
    image.north[at] = north;
    image.south[at] = south;
    image.west[at] = west;
    image.east[at] = east;
}

template <typename Real> static __host__ __device__ void update_pixel(const Image<Real> &image, int x, int y) {
    int n = image.n, at = y * n + x;
    Real here = image.coefficient[at], south = image.coefficient[edge(y + 1, n) * n + x],
         east = image.coefficient[y * n + edge(x + 1, n)];
    image.pixel[at] += RATE / 4 * (here * image.north[at] + south * image.south[at] + here * image.west[at] +
                                   east * image.east[at]);
}

static __global__ void derive(Image<float> image, float variation) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < image.n && y < image.n) {
        derive_pixel(image, x, y, variation);
    }
}

static __global__ void update(Image<float> image) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < image.n && y < image.n) {
        update_pixel(image, x, y);
    }
}

// The square of the coefficient of variation.
static double variation_of(const std::vector<double> &pixels) {
    double sum = 0, squares = 0;
    for (double value : pixels) {
        sum += value;
        squares += value * value;
    }
    double mean = sum / pixels.size();
    return (squares / pixels.size() - mean * mean) / (mean * mean);
}

static void host_step(std::vector<double> &pixels, int n, double variation) {
    std::vector<double> derived[5];
    for (std::vector<double> &plane : derived) {
        plane.resize(pixels.size());
    }
    Image<double> image = {pixels.data(), derived[0].data(), derived[1].data(), derived[2].data(), derived[3].data(),
                           derived[4].data(), n};
    for (int i = 0; i < n * n; i++) {
        derive_pixel(image, i % n, i / n, variation);
    }
    for (int i = 0; i < n * n; i++) {
        update_pixel(image, i % n, i / n);
    }
}

int main(int argc, char **argv) {
    int n = read_options(argc, argv, {"rows and columns", 48, 448, 2, 4096});
    Lcg random(114);
    std::vector<float> start(n * n);
    for (int i = 0; i < n * n; i++) {
        start[i] = (i / 16 % 2 ? 2.0f : 1.2f) + random.between(0, 0.5f);
    }
    std::vector<double> expected(start.begin(), start.end());
    Image<float> image = {to_device(start), device_zeros<float>(n * n), device_zeros<float>(n * n),
                          device_zeros<float>(n * n), device_zeros<float>(n * n), device_zeros<float>(n * n), n};
    dim3 block(16, 16), grid(blocks_for(n, 16), blocks_for(n, 16));
    for (int step = 0; step < STEPS; step++) {
        double variation = variation_of(expected);
        derive<<<grid, block>>>(image, (float)variation);
        update<<<grid, block>>>(image);
        CHECK_KERNEL();
        host_step(expected, n, variation);
    }
    std::vector<float> got = to_host(image.pixel, n * n);
    for (int i = 0; i < n * n; i++) {
        expect_near("pixel", i, expected[i], got[i], 1e-4);
    }
    return pass();
}
