// K-means clustering, after Rodinia's kmeans: a launch turns the points' features from rows into columns, then each
// iteration finds every point's nearest centre, one thread for each point; the host moves the centres. As in the
// original, points are read through a texture, once for each centre, and centres from constant memory, and blocks are a
// square, of which the last ones may have nothing to do.
// kernels/tm/km.cu clusters on shared memory, with transactions. Features are small integers, so that distances are
// exact. Checked: each point's centre after each iteration.
// also: --timing --config gtx480-sc
#define PROGRAM "kmeans"
#include "../bench/options.h"

static const int BLOCK = 256, FEATURES = 34, CENTRES = 5, MOST_CENTRES = 32, ITERATIONS = 2;

static __global__ void turn(const float *rows, float *columns, int points, int features) {
    int point = blockIdx.x * blockDim.x + threadIdx.x;
    if (point < points) {
        for (int f = 0; f < features; f++) {
            columns[f * points + point] = rows[point * features + f];
        }
    }
}

static __constant__ float device_centres[MOST_CENTRES * FEATURES];

// The sizes are arguments, so that no compiler keeps a point's features from one centre to the next.
static __global__ void assign(cudaTextureObject_t columns, int *membership, int points, int features, int centres) {
    int point = (gridDim.x * blockIdx.y + blockIdx.x) * blockDim.x + threadIdx.x, nearest = -1;
    if (point < points) {
        float least = INFINITY;
        for (int c = 0; c < centres; c++) {
            float distance = 0;
            for (int f = 0; f < features; f++) {
                float difference = tex1Dfetch<float>(columns, f * points + point) - device_centres[c * features + f];
                distance += difference * difference;
            }
            if (distance < least) {
                least = distance;
                nearest = c;
            }
        }
        membership[point] = nearest;
    }
}

typedef std::vector<float> Floats;

static int host_nearest(const Floats &rows, const Floats &centres, int point) {
    int nearest = 0;
    long least = INT64_MAX;
    for (int c = 0; c < CENTRES; c++) {
        long distance = 0;
        for (int f = 0; f < FEATURES; f++) {
            long difference = (long)rows[point * FEATURES + f] - (long)centres[c * FEATURES + f];
            distance += difference * difference;
        }
        if (distance < least) {
            least = distance;
            nearest = c;
        }
    }
    return nearest;
}

// The means, rounded to integers; a centre without points stays.
static void move_centres(const Floats &rows, const std::vector<int> &membership, Floats &centres) {
    std::vector<long> sums(centres.size());
    std::vector<long> counts(CENTRES);
    for (size_t point = 0; point < membership.size(); point++) {
        counts[membership[point]]++;
        for (int f = 0; f < FEATURES; f++) {
            sums[membership[point] * FEATURES + f] += (long)rows[point * FEATURES + f];
        }
    }
    for (size_t i = 0; i < centres.size(); i++) {
        long count = counts[i / FEATURES];
        centres[i] = count ? (float)(sums[i] / count) : centres[i];
    }
}

static cudaTextureObject_t texture_of(float *cells, size_t count) {
    cudaResourceDesc resource = {};
    cudaTextureDesc desc = {};
    cudaTextureObject_t texture;
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = cells;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = count * sizeof(float);
    desc.readMode = cudaReadModeElementType;
    CHECK(cudaCreateTextureObject(&texture, &resource, &desc, nullptr));
    return texture;
}

int main(int argc, char **argv) {
    int points = read_options(argc, argv, {"points", 512, 49604, CENTRES, 1 << 20}), side = 1;
    while (side * side < blocks_for(points, BLOCK)) {
        side++;
    }
    Lcg random(115);
    Floats rows((size_t)points * FEATURES);
    for (size_t i = 0; i < rows.size(); i++) {
        rows[i] = (float)(random.below(100) + 20 * (i / FEATURES * 7 % CENTRES) * (i % 3));
    }
    Floats centres(rows.begin(), rows.begin() + CENTRES * FEATURES);
    float *columns = device_buffer<float>(rows.size());
    int *membership = device_buffer<int>(points);
    turn<<<side * side, BLOCK>>>(to_device(rows), columns, points, FEATURES);
    CHECK_KERNEL();
    cudaTextureObject_t texture = texture_of(columns, rows.size());
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        CHECK(cudaMemcpyToSymbol(device_centres, centres.data(), centres.size() * sizeof(float)));
        assign<<<dim3(side, side), BLOCK>>>(texture, membership, points, FEATURES, CENTRES);
        CHECK_KERNEL();
        std::vector<int> got = to_host(membership, points);
        for (int point = 0; point < points; point++) {
            expect_equal("centre", point, host_nearest(rows, centres, point), got[point]);
        }
        move_centres(rows, got, centres);
    }
    return pass();
}
