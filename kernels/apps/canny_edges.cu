// canny_edges: image processing. Edge detection in integers: separable binomial blur, gradient, thinning
// along the gradient direction, two thresholds, and hysteresis as connected components (union-find with
// atomicMin).
// Exercises: shared tiles with halos, 2D blocks, switch on a direction, pointer chasing with atomics,
// ballots that pack 32 pixels to a word, popc and warp-aggregated counting, 8- and 16-bit loads and stores.
// Exact: checked against a direct two-dimensional convolution and a flood fill on the host.
#include "../app.h"

static const int TILE = 16, RADIUS = 2;
static const int BLUR[2 * RADIUS + 1] = {1, 4, 6, 4, 1};

__constant__ int blur_weight[2 * RADIUS + 1];

enum Class : uint8_t { NONE, WEAK, STRONG };

struct Image {
    int width, height;
    __device__ __host__ int clamp_at(int x, int y) const
    {
        x = x < 0 ? 0 : x >= width ? width - 1 : x;
        y = y < 0 ? 0 : y >= height ? height - 1 : y;
        return y * width + x;
    }
};

// Rows then columns of one tile, both passes in shared memory; the result is scaled by 256.
__global__ void blur_kernel(const uint8_t *in, uint16_t *out, Image im)
{
    __shared__ uint8_t source[TILE + 2 * RADIUS][TILE + 2 * RADIUS];
    __shared__ uint16_t rows[TILE + 2 * RADIUS][TILE];
    int x0 = blockIdx.x * TILE, y0 = blockIdx.y * TILE;
    const int side = TILE + 2 * RADIUS;
    for (int i = threadIdx.y * TILE + threadIdx.x; i < side * side; i += TILE * TILE)
        source[i / side][i % side] = in[im.clamp_at(x0 + i % side - RADIUS, y0 + i / side - RADIUS)];
    __syncthreads();
    for (int y = threadIdx.y; y < side; y += TILE) {
        int sum = 0;
#pragma unroll
        for (int k = 0; k <= 2 * RADIUS; k++)
            sum += blur_weight[k] * source[y][threadIdx.x + k];
        rows[y][threadIdx.x] = (uint16_t)sum;
    }
    __syncthreads();
    int x = x0 + threadIdx.x, y = y0 + threadIdx.y, sum = 0;
    for (int k = 0; k <= 2 * RADIUS; k++)
        sum += blur_weight[k] * rows[threadIdx.y + k][threadIdx.x];
    if (x < im.width && y < im.height)
        out[y * im.width + x] = (uint16_t)sum;
}

// Squared magnitude, and the direction as one of four axes (compare |gy| / |gx| with tan 22.5 and tan 67.5).
__global__ void gradient_kernel(const uint16_t *in, long long *mag, uint8_t *axis, Image im)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x >= im.width || y >= im.height)
        return;
    auto p = [&](int dx, int dy) { return (int)in[im.clamp_at(x + dx, y + dy)]; };
    int gx = p(1, -1) + 2 * p(1, 0) + p(1, 1) - p(-1, -1) - 2 * p(-1, 0) - p(-1, 1);
    int gy = p(-1, 1) + 2 * p(0, 1) + p(1, 1) - p(-1, -1) - 2 * p(0, -1) - p(1, -1);
    long long ax = abs(gx), ay = abs(gy);
    mag[y * im.width + x] = ax * ax + ay * ay;
    axis[y * im.width + x] = ay * 1000 < ax * 414    ? 0
                             : ay * 1000 > ax * 2414 ? 2
                             : (gx > 0) == (gy > 0)  ? 1
                                                     : 3;
}

__global__ void thin_kernel(const long long *mag, const uint8_t *axis, uint8_t *cls, Image im, long long low,
                            long long high)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x >= im.width || y >= im.height)
        return;
    int dx, dy, at = y * im.width + x;
    switch (axis[at]) {
    case 0: dx = 1, dy = 0; break;
    case 1: dx = 1, dy = 1; break;
    case 2: dx = 0, dy = 1; break;
    default: dx = -1, dy = 1; break;
    }
    long long m = mag[at];
    bool peak = m >= mag[im.clamp_at(x + dx, y + dy)] && m > mag[im.clamp_at(x - dx, y - dy)];
    cls[at] = !peak || m < low ? NONE : m < high ? WEAK : STRONG;
}

__device__ int find_root(const volatile int *parent, int i)
{
    while (parent[i] != i)
        i = parent[i];
    return i;
}

__device__ void unite(int *parent, int a, int b)
{
    for (;;) {
        a = find_root(parent, a);
        b = find_root(parent, b);
        if (a == b)
            return;
        int lo = min(a, b), hi = max(a, b);
        int old = atomicMin(&parent[hi], lo);
        if (old == hi)
            return;
        a = lo; // another thread was faster: join with the parent that hi has now
        b = old;
    }
}

__global__ void link_kernel(const uint8_t *cls, int *parent, Image im)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x >= im.width || y >= im.height || cls[y * im.width + x] == NONE)
        return;
    const int dx[4] = {-1, -1, 0, 1}, dy[4] = {0, -1, -1, -1};
    for (int k = 0; k < 4; k++) {
        int nx = x + dx[k], ny = y + dy[k];
        if (nx >= 0 && nx < im.width && ny >= 0 && cls[ny * im.width + nx] != NONE)
            unite(parent, y * im.width + x, ny * im.width + nx);
    }
}

__global__ void index_kernel(int *parent, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        parent[i] = i;
}

__global__ void mark_kernel(const uint8_t *cls, int *parent, int *strong, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int root = find_root(parent, i);
    if (cls[i] == STRONG)
        atomicOr(&strong[root], 1);
}

// A warp writes 32 pixels as one word; the number of edge pixels and of components is counted once a warp.
__global__ void pack_kernel(const uint8_t *cls, const int *parent, const int *strong, unsigned *bits,
                            int *counts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool edge = i < n && cls[i] != NONE && strong[find_root(parent, i)];
    bool root = edge && parent[i] == i;
    unsigned word = __ballot_sync(0xffffffffu, edge), roots = __ballot_sync(0xffffffffu, root);
    if (threadIdx.x % 32 == 0) {
        bits[i / 32] = word;
        if (word)
            atomicAdd(&counts[0], __popc(word));
        if (roots)
            atomicAdd(&counts[1], __popc(roots));
    }
}

static std::vector<uint8_t> host_classes(const std::vector<uint8_t> &img, Image im, long long low,
                                         long long high)
{
    size_t n = img.size();
    std::vector<int> smooth(n), gx(n), gy(n);
    std::vector<long long> mag(n);
    for (int i = 0; i < (int)n; i++)
        for (int a = -RADIUS; a <= RADIUS; a++)
            for (int b = -RADIUS; b <= RADIUS; b++)
                smooth[i] += BLUR[a + 2] * BLUR[b + 2] * img[im.clamp_at(i % im.width + a, i / im.width + b)];
    for (int i = 0; i < (int)n; i++) {
        for (int a = -1; a <= 1; a++)
            for (int b = -1; b <= 1; b++) {
                int v = smooth[im.clamp_at(i % im.width + a, i / im.width + b)];
                gx[i] += a * (2 - std::abs(b)) * v;
                gy[i] += b * (2 - std::abs(a)) * v;
            }
        mag[i] = (long long)gx[i] * gx[i] + (long long)gy[i] * gy[i];
    }
    std::vector<uint8_t> cls(n, NONE);
    for (int i = 0; i < (int)n; i++) {
        long long ax = std::abs(gx[i]), ay = std::abs(gy[i]);
        int dx = 1, dy = 1;
        if (1000 * ay < 414 * ax)
            dy = 0;
        else if (1000 * ay > 2414 * ax)
            dx = 0;
        else if ((gx[i] > 0) != (gy[i] > 0))
            dx = -1;
        long long ahead = mag[im.clamp_at(i % im.width + dx, i / im.width + dy)];
        long long behind = mag[im.clamp_at(i % im.width - dx, i / im.width - dy)];
        if (mag[i] >= low && mag[i] >= ahead && mag[i] > behind)
            cls[i] = mag[i] >= high ? STRONG : WEAK;
    }
    return cls;
}

// Flood from the strong pixels through weak ones; returns the number of components.
static int host_hysteresis(const std::vector<uint8_t> &cls, Image im, std::vector<uint8_t> &edge)
{
    int components = 0;
    std::vector<int> stack;
    for (int s = 0; s < (int)cls.size(); s++) {
        if (cls[s] != STRONG || edge[s])
            continue;
        components++;
        stack.push_back(s);
        edge[s] = 1;
        while (!stack.empty()) {
            int c = stack.back();
            stack.pop_back();
            for (int k = 0; k < 9; k++) {
                int x = c % im.width + k % 3 - 1, y = c / im.width + k / 3 - 1;
                if (x < 0 || y < 0 || x >= im.width || y >= im.height)
                    continue;
                int to = y * im.width + x;
                if (cls[to] != NONE && !edge[to]) {
                    edge[to] = 1;
                    stack.push_back(to);
                }
            }
        }
    }
    return components;
}

int main(int argc, char **argv)
{
    int width = app::start(argc, argv, "canny_edges", 150, 100, 2048);
    Image im = {width, width * 2 / 3 + 1};
    int n = im.width * im.height;
    app::Lcg rng(6);
    std::vector<uint8_t> img(n);
    for (int i = 0; i < n; i++) { // discs and bars over a ramp, with noise
        int x = i % im.width, y = i / im.width, v = 60 + 40 * x / im.width;
        int dx = x % 60 - 30, dy = y % 50 - 20;
        if (dx * dx + dy * dy < 200)
            v += 30 + 60 * y / im.height;
        if ((x + 2 * y) % 97 < 6)
            v += 50;
        img[i] = (uint8_t)(v + rng.below(12));
    }
    const long long low = 9000ll * 9000, high = 40000ll * 40000;
    GPU(cudaMemcpyToSymbol(blur_weight, BLUR, sizeof BLUR));
    app::Buffer<uint8_t> d_img(img), d_axis(n), d_cls(n);
    app::Buffer<uint16_t> d_smooth(n);
    app::Buffer<long long> d_mag(n);
    app::Buffer<int> d_parent(n), d_strong(n), d_counts(2);
    app::Buffer<unsigned> d_bits(app::blocks_for(n, 128) * 4);
    d_strong.fill(0);
    d_counts.fill(0);
    dim3 block(TILE, TILE), grid((im.width + TILE - 1) / TILE, (im.height + TILE - 1) / TILE);
    int lines = app::blocks_for(n, 128);
    blur_kernel<<<grid, block>>>(d_img.get(), d_smooth.get(), im);
    gradient_kernel<<<grid, block>>>(d_smooth.get(), d_mag.get(), d_axis.get(), im);
    thin_kernel<<<grid, block>>>(d_mag.get(), d_axis.get(), d_cls.get(), im, low, high);
    index_kernel<<<lines, 128>>>(d_parent.get(), n);
    link_kernel<<<grid, block>>>(d_cls.get(), d_parent.get(), im);
    mark_kernel<<<lines, 128>>>(d_cls.get(), d_parent.get(), d_strong.get(), n);
    pack_kernel<<<lines, 128>>>(d_cls.get(), d_parent.get(), d_strong.get(), d_bits.get(), d_counts.get(), n);
    GPU_DONE();

    std::vector<uint8_t> cls = host_classes(img, im, low, high), got = d_cls.read(), edge(n, 0);
    for (int i = 0; i < n; i++)
        app::equal("pixel class", i, (int)cls[i], (int)got[i]);
    int components = host_hysteresis(cls, im, edge);
    std::vector<unsigned> bits = d_bits.read();
    for (int i = 0; i < n; i++)
        app::equal("edge bit", i, (unsigned)edge[i], bits[i / 32] >> (i % 32) & 1);
    std::vector<int> counts = d_counts.read();
    app::equal("edge pixels", "image", (int)std::count(edge.begin(), edge.end(), 1), counts[0]);
    app::equal("edge components", "image", components, counts[1]);
    app::holds("weak pixels dropped and kept", "image",
               components >= 3 && counts[0] < n - std::count(cls.begin(), cls.end(), (uint8_t)NONE) &&
                   counts[0] > std::count(cls.begin(), cls.end(), (uint8_t)STRONG));
    return app::pass();
}
