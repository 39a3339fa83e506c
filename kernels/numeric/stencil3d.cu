// Seven-point Jacobi sweeps on a box in double precision, marching along z with the three planes of a column
// in registers and the current plane shared. The exact solution u = x + 2y - 3z is harmonic: started from it,
// every sweep must keep it; started from zero with the same rim, a host sweep in the same order must agree.
#define PROGRAM "stencil3d"
#include "../check.h"

static const int BX = 16, BY = 8;

__global__ void jacobi(const double *in, double *out, int nx, int ny, int nz) {
    __shared__ double plane[BY + 2][BX + 2];
    int x = blockIdx.x * BX + threadIdx.x + 1, y = blockIdx.y * BY + threadIdx.y + 1;
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1, area = nx * ny;
    bool inside = x < nx - 1 && y < ny - 1;
    int at = y * nx + x;
    double below = inside ? in[at] : 0.0, here = inside ? in[at + area] : 0.0;
    for (int z = 1; z < nz - 1; z++) {
        int i = at + z * area;
        double above = inside ? in[i + area] : 0.0;
        __syncthreads();
        if (inside) {
            plane[ty][tx] = here;
            if (tx == 1) {
                plane[ty][0] = in[i - 1];
            }
            if (tx == BX || x == nx - 2) {
                plane[ty][tx + 1] = in[i + 1];
            }
            if (ty == 1) {
                plane[0][tx] = in[i - nx];
            }
            if (ty == BY || y == ny - 2) {
                plane[ty + 1][tx] = in[i + nx];
            }
        }
        __syncthreads();
        if (inside) {
            double sum = plane[ty][tx - 1] + plane[ty][tx + 1];
            sum += plane[ty - 1][tx];
            sum += plane[ty + 1][tx];
            sum += below;
            sum += above;
            out[i] = sum / 6.0;
        }
        below = here;
        here = above;
    }
}

static double harmonic(int x, int y, int z) {
    return x + 2.0 * y - 3.0 * z;
}

static void host_jacobi(const std::vector<double> &in, std::vector<double> &out, int nx, int ny, int nz) {
    long area = (long)nx * ny;
    for (int z = 1; z < nz - 1; z++) {
        for (int y = 1; y < ny - 1; y++) {
            for (int x = 1; x < nx - 1; x++) {
                const double *at = &in[z * area + (long)y * nx + x];
                double sum = at[-1] + at[1];
                sum = sum + at[-nx] + at[nx] + at[-area] + at[area];
                out[z * area + (long)y * nx + x] = sum / 6.0;
            }
        }
    }
}

int main(int argc, char **argv) {
    int nx = size_argument(argc, argv, 27, 3, 512), ny = nx - nx / 4, nz = nx - nx / 3, sweeps = 6;
    size_t count = (size_t)nx * ny * nz;
    for (int from_zero = 0; from_zero < 2; from_zero++) {
        std::vector<double> box(count);
        for (size_t i = 0; i < count; i++) {
            int x = (int)(i % nx), y = (int)(i / nx % ny), z = (int)(i / nx / ny);
            bool rim = x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 || z == nz - 1;
            box[i] = rim || !from_zero ? harmonic(x, y, z) : 0.0;
        }
        double *in = to_device(box), *out = to_device(box);
        std::vector<double> next(box), start(box);
        dim3 block(BX, BY), grid(blocks_for(nx - 2, BX), blocks_for(ny - 2, BY));
        for (int i = 0; i < sweeps; i++) {
            jacobi<<<grid, block>>>(in, out, nx, ny, nz);
            std::swap(in, out);
            host_jacobi(box, next, nx, ny, nz);
            std::swap(box, next);
        }
        CHECK_KERNEL();
        std::vector<double> got = to_host(in, count);
        for (size_t i = 0; i < count; i++) {
            expect_equal("sweep", (long)i, box[i], got[i]);
            if (!from_zero) {
                expect_near("harmonic solution", (long)i, start[i], got[i], 0.0, 1e-10 * (1.0 + nx));
            }
        }
        CHECK(cudaFree(in));
        CHECK(cudaFree(out));
    }
    return pass();
}
