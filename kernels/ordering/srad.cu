// Speckle-reducing anisotropic diffusion, after the second version of Rodinia's srad (Yu and Acton, IEEE Transactions
// on Image Processing 2002): a launch computes each pixel's four derivatives and its diffusion coefficient and stores
// them (streaming stores of five words), a second one loads them, with the coefficients of the pixels below and on the
// right, and updates the image. Both go through shared memory: every thread loads the words beyond its block's edges in
// its row and column, whether or not it needs them, at an edge of the image first those beyond the edge and then those
// that stand for them. The statistics of the image come from the host.
// Checked against the same steps on the host, in double precision.
// also: --timing --config gtx480-sc
#define PROGRAM "srad"
#include "../bench/options.h"

#include <algorithm>

static const int STEPS = 2, TILE = 16, ORIGINAL_COLUMNS = 2048;
static const float RATE = 0.5f;

typedef float Tile[TILE][TILE];

// Arrays of rows * columns pixels. On the device, the pixels and the coefficients have unused ones before and after,
// for the loads beyond the image.
struct Image {
    float *pixel, *coefficient, *north, *south, *west, *east;
    int columns;
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
    Real numerator = 0.5 * gradient - (1.0 / 16) * (laplacian * laplacian), divisor = 1 + 0.25 * laplacian;
    Real local = numerator / (divisor * divisor);
    return 1.0 / (1.0 + (local - variation) / (variation * (1 + variation)));
}

static __global__ void derive(Image image, float variation) {
    __shared__ Tile tile, result, above, below, before, behind;
    int tx = threadIdx.x, ty = threadIdx.y, bx = blockIdx.x, by = blockIdx.y, columns = image.columns;
    int corner = columns * TILE * by + TILE * bx, at = corner + columns * ty + tx;
    const float *pixel = image.pixel;
    above[ty][tx] = pixel[corner + tx - columns];
    below[ty][tx] = pixel[corner + tx + columns * TILE];
    if (by == 0) {
        above[ty][tx] = pixel[corner + tx];
    } else if (by == gridDim.y - 1) {
        below[ty][tx] = pixel[corner + tx + columns * (TILE - 1)];
    }
    __syncthreads();
    before[ty][tx] = pixel[corner + columns * ty - 1];
    behind[ty][tx] = pixel[corner + columns * ty + TILE];
    if (bx == 0) {
        before[ty][tx] = pixel[corner + columns * ty];
    } else if (bx == gridDim.x - 1) {
        behind[ty][tx] = pixel[corner + columns * ty + TILE - 1];
    }
    __syncthreads();
    tile[ty][tx] = pixel[at];
    __syncthreads();
    float here = tile[ty][tx];
    float north = (ty == 0 ? above[ty][tx] : tile[ty - 1][tx]) - here;
    float south = (ty == TILE - 1 ? below[ty][tx] : tile[ty + 1][tx]) - here;
    float west = (tx == 0 ? before[ty][tx] : tile[ty][tx - 1]) - here;
    float east = (tx == TILE - 1 ? behind[ty][tx] : tile[ty][tx + 1]) - here;
    float coefficient = coefficient_of(here, north, south, west, east, variation);
    if (coefficient < 0) {
        result[ty][tx] = 0;
    } else if (coefficient > 1) {
        result[ty][tx] = 1;
    } else {
        result[ty][tx] = coefficient;
    }
    __syncthreads();
    image.coefficient[at] = result[ty][tx];
    image.east[at] = east;
    image.west[at] = west;
    image.south[at] = south;
    image.north[at] = north;
}

static __global__ void update(Image image) {
    __shared__ Tile below, behind, tile, result, pixels;
    int tx = threadIdx.x, ty = threadIdx.y, bx = blockIdx.x, by = blockIdx.y, columns = image.columns;
    int corner = columns * TILE * by + TILE * bx, at = corner + columns * ty + tx;
    const float *coefficient = image.coefficient;
    pixels[ty][tx] = image.pixel[at];
    __syncthreads();
    below[ty][tx] = coefficient[corner + tx + columns * TILE];
    if (by == gridDim.y - 1) {
        below[ty][tx] = coefficient[corner + tx + columns * (TILE - 1)];
    }
    __syncthreads();
    behind[ty][tx] = coefficient[corner + columns * ty + TILE];
    if (bx == gridDim.x - 1) {
        behind[ty][tx] = coefficient[corner + columns * ty + TILE - 1];
    }
    __syncthreads();
    tile[ty][tx] = coefficient[at];
    __syncthreads();
    float here = tile[ty][tx];
    float south = ty == TILE - 1 ? below[ty][tx] : tile[ty + 1][tx];
    float east = tx == TILE - 1 ? behind[ty][tx] : tile[ty][tx + 1];
    float sum = here * image.north[at] + south * image.south[at] + here * image.west[at] + east * image.east[at];
    result[ty][tx] = pixels[ty][tx] + 0.25 * RATE * sum;
    __syncthreads();
    image.pixel[at] = result[ty][tx];
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

static void host_step(std::vector<double> &pixels, int columns, double variation) {
    int rows = (int)pixels.size() / columns;
    std::vector<double> old = pixels, coefficient(pixels.size());
    auto at = [&](int y, int x) { return edge(y, rows) * columns + edge(x, columns); };
    auto difference = [&](int y, int x, int dy, int dx) { return old[at(y + dy, x + dx)] - old[at(y, x)]; };
    for (int y = 0; y < rows; y++) {
        for (int x = 0; x < columns; x++) {
            double raw = coefficient_of(old[at(y, x)], difference(y, x, -1, 0), difference(y, x, 1, 0),
                                        difference(y, x, 0, -1), difference(y, x, 0, 1), variation);
            coefficient[at(y, x)] = std::fmin(1, std::fmax(0, raw));
        }
    }
    for (int y = 0; y < rows; y++) {
        for (int x = 0; x < columns; x++) {
            double here = difference(y, x, -1, 0) + difference(y, x, 0, -1),
                   sum = here * coefficient[at(y, x)] + difference(y, x, 1, 0) * coefficient[at(y + 1, x)] +
                         difference(y, x, 0, 1) * coefficient[at(y, x + 1)];
            pixels[at(y, x)] += 0.25 * RATE * sum;
        }
    }
}

// An array of the image, with `margin` words before and after.
static float *with_margins(const std::vector<float> &values, int margin) {
    float *array = device_zeros<float>(values.size() + 2 * margin) + margin;
    CHECK(cudaMemcpy(array, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice));
    return array;
}

int main(int argc, char **argv) {
    int tiles = read_options(argc, argv, {"rows of blocks; each has 16 rows of 2048 columns, or of 256 N if fewer", 2,
                                          8, 2, 256});
    int rows = TILE * tiles, columns = std::min(ORIGINAL_COLUMNS, 256 * tiles), cells = rows * columns;
    Lcg random(114);
    std::vector<float> start(cells);
    for (int i = 0; i < cells; i++) {
        start[i] = (i / 16 % 2 ? 2.0f : 1.2f) + random.between(0, 0.5f);
    }
    std::vector<double> expected(start.begin(), start.end());
    float *pixel = with_margins(start, columns), *coefficient = with_margins(std::vector<float>(cells), columns);
    float *east = device_zeros<float>(cells), *west = device_zeros<float>(cells), *south = device_zeros<float>(cells),
          *north = device_zeros<float>(cells);
    Image image = {pixel, coefficient, north, south, west, east, columns};
    dim3 block(TILE, TILE), grid(columns / TILE, tiles);
    for (int step = 0; step < STEPS; step++) {
        double variation = variation_of(expected);
        derive<<<grid, block>>>(image, (float)variation);
        update<<<grid, block>>>(image);
        CHECK_KERNEL();
        host_step(expected, columns, variation);
    }
    std::vector<float> got = to_host(image.pixel, cells);
    for (int i = 0; i < cells; i++) {
        expect_near("pixel", i, expected[i], got[i], 1e-4);
    }
    return pass();
}
