// Maxwell's equations in a plane by finite differences in time (fdtd-2d of PolyBench-GPU): in each step, three launches
// update the electric field's two components and the magnetic field. All loads of a thread are independent, and a
// thread loads from its neighbours' rows and columns what other SMs wrote one launch before.
// Checked against the same steps on the host, in double precision.
// also: --timing --config gtx480-sc
#define PROGRAM "fdtd_2d"
#include "../bench/options.h"

// In the original 500 steps. Where the fields are larger than L2, one has the behaviour of all.
static int steps_for(int n) {
    return n < 1024 ? 4 : 1;
}

// As in the original, a row of ex has one cell more than there are columns, and ey one row more than there are rows.
struct Fields {
    float *ex, *ey, *hz; // electric in x, electric in y, magnetic
    const float *source; // ey of the first row, by step
    int rows, n;         // n columns
};

static __device__ __forceinline__ bool cell_of_thread(const Fields &f, int *row, int *column) {
    *column = blockIdx.x * blockDim.x + threadIdx.x;
    *row = blockIdx.y * blockDim.y + threadIdx.y;
    return *row < f.rows && *column < f.n;
}

static __global__ void update_ey(Fields f, int step) {
    int row, column;
    if (cell_of_thread(f, &row, &column)) {
        int at = row * f.n + column;
        if (row == 0) {
            f.ey[at] = f.source[step];
        } else {
            f.ey[at] = f.ey[at] - 0.5f * (f.hz[at] - f.hz[at - f.n]);
        }
    }
}

static __global__ void update_ex(Fields f) {
    int row, column;
    if (cell_of_thread(f, &row, &column) && column > 0) {
        int at = row * f.n + column, wide = row * (f.n + 1) + column;
        f.ex[wide] = f.ex[wide] - 0.5f * (f.hz[at] - f.hz[at - 1]);
    }
}

static __global__ void update_hz(Fields f) {
    int row, column;
    if (cell_of_thread(f, &row, &column)) {
        int at = row * f.n + column, wide = row * (f.n + 1) + column;
        f.hz[at] = f.hz[at] - 0.7f * (f.ex[wide + 1] - f.ex[wide] + f.ey[at + f.n] - f.ey[at]);
    }
}

typedef std::vector<double> Doubles;

static void host_step(Doubles &ex, Doubles &ey, Doubles &hz, int n, double source) {
    int cells = (int)hz.size();
    for (int at = 0; at < cells; at++) {
        ey[at] = at < n ? source : ey[at] - 0.5 * (hz[at] - hz[at - n]);
        ex[at + at / n] -= at % n ? 0.5 * (hz[at] - hz[at - 1]) : 0;
    }
    for (int at = 0; at < cells; at++) {
        int wide = at + at / n;
        hz[at] -= 0.7 * (ex[wide + 1] - ex[wide] + ey[at + n] - ey[at]);
    }
}

static void expect_field(const char *what, const Doubles &expected, const float *device) {
    std::vector<float> got = to_host(device, expected.size());
    for (size_t i = 0; i < got.size(); i++) {
        expect_near(what, (long)i, expected[i], got[i], 1e-5, 1e-5);
    }
}

int main(int argc, char **argv) {
    int n = read_options(argc, argv, {"columns, and a quarter as many rows", 64, 2048, 32, 4096});
    int rows = n / 4;
    Lcg random(108);
    Doubles fields[3];
    float *device[3];
    for (int k = 0; k < 3; k++) {
        std::vector<float> values(rows * n + (k == 0 ? rows : k == 1 ? n : 0));
        for (float &value : values) {
            value = random.between(-1, 1);
        }
        fields[k].assign(values.begin(), values.end());
        device[k] = to_device(values);
    }
    std::vector<float> source;
    for (int step = 0; step < steps_for(n); step++) {
        source.push_back((float)step);
    }
    Fields f = {device[0], device[1], device[2], to_device(source), rows, n};
    dim3 block(32, 8), grid(blocks_for(n, 32), blocks_for(rows, 8));
    for (int step = 0; step < steps_for(n); step++) {
        update_ey<<<grid, block>>>(f, step);
        update_ex<<<grid, block>>>(f);
        update_hz<<<grid, block>>>(f);
        CHECK_KERNEL();
        host_step(fields[0], fields[1], fields[2], n, step);
    }
    expect_field("ex", fields[0], f.ex);
    expect_field("ey", fields[1], f.ey);
    expect_field("hz", fields[2], f.hz);
    return pass();
}
