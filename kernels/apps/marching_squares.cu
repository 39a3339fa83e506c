// marching_squares: computational geometry. Contours of a scalar field: cells are classified and counted, an
// exclusive scan gives each its place, segments are written compactly and joined into closed loops by list
// ranking; then the convex hull of the vertices by a parallel quickhull with exact integer orientation
// tests.
// Exercises: a 16-way switch, two-level scans over a grid, compaction, pointer doubling, int64 cross
// products, packed atomicMax for farthest points, double-precision area and length sums, half-precision
// field samples.
// Checked by each loop's closure, area and length of circles, the topology of the field's sign regions on
// the host, and a monotone-chain hull.
#include "../app.h"

#include <cuda_fp16.h>
#include <map>
#include <set>

typedef unsigned long long u64;

struct Grid {
    int width, height; // samples
    __host__ __device__ int cells() const { return (width - 1) * (height - 1); }
};

struct Segment { // runs with the inside on its left; ends are numbered grid edges
    int from, to;
};

static const int BLOCK = 128;

__global__ void sample_kernel(__half *field, Grid g, const double3 *circles, int count)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= g.width)
        return;
    double best = -1;
    for (int k = 0; k < count; k++) {
        double dx = x - circles[k].x, dy = y - circles[k].y;
        best = fmax(best, 1 - sqrt(dx * dx + dy * dy) / circles[k].z);
    }
    // a half that is exactly zero would make a corner case of a contour through a sample
    float v = (float)best;
    field[y * g.width + x] = __float2half(fabsf(v) < 1e-3f ? (v < 0 ? -1e-3f : 1e-3f) : v);
}

__device__ inline int corner_mask(const __half *field, Grid g, int cell)
{
    int x = cell % (g.width - 1), y = cell / (g.width - 1), at = y * g.width + x;
    int m = __half2float(field[at]) > 0;
    m |= (__half2float(field[at + 1]) > 0) << 1;
    m |= (__half2float(field[at + g.width + 1]) > 0) << 2;
    return m | (__half2float(field[at + g.width]) > 0) << 3;
}

// Two segments at a saddle, none where all corners agree, one otherwise.
__device__ inline int segments_of(int mask)
{
    return mask == 0 || mask == 15 ? 0 : mask == 5 || mask == 10 ? 2 : 1;
}

__device__ int block_exclusive(int v, int *total)
{
    __shared__ int data[BLOCK];
    int t = threadIdx.x, sum = v;
    data[t] = v;
    for (int d = 1; d < BLOCK; d *= 2) {
        __syncthreads();
        int other = t >= d ? data[t - d] : 0;
        __syncthreads();
        data[t] = sum += other;
    }
    __syncthreads();
    *total = data[BLOCK - 1];
    __syncthreads();
    return sum - v;
}

__global__ void count_kernel(const __half *field, Grid g, int *block_total)
{
    int cell = blockIdx.x * BLOCK + threadIdx.x, total;
    block_exclusive(cell < g.cells() ? segments_of(corner_mask(field, g, cell)) : 0, &total);
    if (threadIdx.x == 0)
        block_total[blockIdx.x] = total;
}

__global__ void scan_kernel(int *totals, int n)
{
    int carry = 0;
    for (int base = 0; base < n; base += BLOCK) {
        int i = base + threadIdx.x, total, place = block_exclusive(i < n ? totals[i] : 0, &total);
        if (i < n)
            totals[i] = carry + place;
        carry += total;
    }
    if (threadIdx.x == 0)
        totals[n] = carry;
}

// Edge numbers: horizontal edges first (at their left sample), then vertical ones (at their upper sample).
__global__ void emit_kernel(const __half *field, Grid g, const int *block_first, Segment *out, int *starts_at)
{
    int cell = blockIdx.x * BLOCK + threadIdx.x, total;
    int mask = cell < g.cells() ? corner_mask(field, g, cell) : 0, n = segments_of(mask);
    int place = block_first[blockIdx.x] + block_exclusive(n, &total);
    int x = cell % (g.width - 1), y = cell / (g.width - 1), samples = g.width * g.height;
    int top = y * g.width + x, bottom = top + g.width, left = samples + top, right = left + 1;
    Segment s[2];
    switch (mask) {
    case 1: s[0] = {top, left}; break;
    case 2: s[0] = {right, top}; break;
    case 3: s[0] = {right, left}; break;
    case 4: s[0] = {bottom, right}; break;
    case 5: s[0] = {top, left}, s[1] = {bottom, right}; break;
    case 6: s[0] = {bottom, top}; break;
    case 7: s[0] = {bottom, left}; break;
    case 8: s[0] = {left, bottom}; break;
    case 9: s[0] = {top, bottom}; break;
    case 10: s[0] = {right, top}, s[1] = {left, bottom}; break;
    case 11: s[0] = {right, bottom}; break;
    case 12: s[0] = {left, right}; break;
    case 13: s[0] = {top, right}; break;
    case 14: s[0] = {left, top}; break;
    default: break;
    }
    for (int k = 0; k < n; k++) {
        out[place + k] = s[k];
        starts_at[s[k].from] = place + k;
    }
}

__device__ double2 vertex(const __half *field, Grid g, int edge)
{
    int samples = g.width * g.height, at = edge % samples, other = edge < samples ? at + 1 : at + g.width;
    double a = __half2float(field[at]), b = __half2float(field[other]), t = a / (a - b);
    double x = at % g.width, y = at / g.width;
    return edge < samples ? make_double2(x + t, y) : make_double2(x, y + t);
}

// next[] is the following segment; label[] ends as the smallest segment number of the loop, by doubling.
__global__ void link_kernel(const Segment *s, const int *starts_at, int *next, int *label, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        next[i] = starts_at[s[i].to];
        label[i] = i;
    }
}

__global__ void double_kernel(const int *next, const int *label, int *next2, int *label2, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        label2[i] = min(label[i], label[next[i]]);
        next2[i] = next[next[i]];
    }
}

__global__ void measure_kernel(const __half *field, Grid g, const Segment *s, const int *label, double *area,
                               double *length, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double2 a = vertex(field, g, s[i].from), b = vertex(field, g, s[i].to);
    atomicAdd(&area[label[i]], (a.x * b.y - a.y * b.x) / 2);
    atomicAdd(&length[label[i]], sqrt((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y)));
}

// --- quickhull on integer points: a point carries the hull edge it is outside of ---

struct HullEdge {
    int a, b; // hull vertices; the outside is on the right when going from a to b
};

__device__ __host__ inline long long orient(int2 a, int2 b, int2 c)
{
    return (long long)(b.x - a.x) * (c.y - a.y) - (long long)(b.y - a.y) * (c.x - a.x);
}

__global__ void farthest_kernel(const int2 *p, const int *edge_of, const HullEdge *edges, u64 *far, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || edge_of[i] < 0)
        return;
    HullEdge e = edges[edge_of[i]];
    u64 distance = (u64)(-orient(p[e.a], p[e.b], p[i]));
    atomicMax(&far[edge_of[i]], distance << 20 | (unsigned)i);
}

// Edge e with farthest point f becomes a-f (number first[e]) and f-b (the next number).
__global__ void reassign_kernel(const int2 *p, int *edge_of, const HullEdge *edges, const u64 *far,
                                const int *first, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || edge_of[i] < 0)
        return;
    int e = edge_of[i], f = (int)(far[e] & 0xfffff);
    if (orient(p[edges[e].a], p[f], p[i]) < 0)
        edge_of[i] = first[e];
    else if (orient(p[f], p[edges[e].b], p[i]) < 0)
        edge_of[i] = first[e] + 1;
    else
        edge_of[i] = -1;
}

__global__ void side_kernel(const int2 *p, int *edge_of, HullEdge line, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        long long o = orient(p[line.a], p[line.b], p[i]);
        edge_of[i] = o < 0 ? 0 : o > 0 ? 1 : -1;
    }
}

static std::vector<int> device_hull(const std::vector<int2> &p)
{
    int n = (int)p.size(), low = 0, high = 0;
    for (int i = 0; i < n; i++) {
        if (p[i].x < p[low].x || (p[i].x == p[low].x && p[i].y < p[low].y))
            low = i;
        if (p[i].x > p[high].x || (p[i].x == p[high].x && p[i].y > p[high].y))
            high = i;
    }
    app::Buffer<int2> d_p(p);
    app::Buffer<int> d_edge_of(n);
    int blocks = app::blocks_for(n, BLOCK);
    std::vector<HullEdge> edges = {{low, high}, {high, low}};
    side_kernel<<<blocks, BLOCK>>>(d_p.get(), d_edge_of.get(), edges[0], n);
    for (bool grew = true; grew;) {
        app::Buffer<HullEdge> d_edges(edges);
        app::Buffer<u64> d_far(edges.size());
        d_far.fill(0);
        farthest_kernel<<<blocks, BLOCK>>>(d_p.get(), d_edge_of.get(), d_edges.get(), d_far.get(), n);
        GPU_DONE();
        std::vector<u64> far = d_far.read();
        std::vector<HullEdge> next;
        std::vector<int> first;
        for (size_t e = 0; e < edges.size(); e++) {
            first.push_back((int)next.size());
            int f = (int)(far[e] & 0xfffff);
            if (far[e])
                next.push_back(HullEdge{edges[e].a, f});
            next.push_back(HullEdge{far[e] ? f : edges[e].a, edges[e].b});
        }
        app::Buffer<int> d_first(first);
        reassign_kernel<<<blocks, BLOCK>>>(d_p.get(), d_edge_of.get(), d_edges.get(), d_far.get(),
                                           d_first.get(), n);
        GPU_DONE();
        grew = next.size() > edges.size();
        edges = next;
    }
    std::vector<int> hull;
    for (const HullEdge &e : edges)
        hull.push_back(e.a);
    return hull;
}

static std::set<std::pair<int, int>> host_hull(std::vector<int2> p)
{
    std::sort(p.begin(), p.end(), [](int2 a, int2 b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
    std::vector<int2> h;
    for (int pass = 0; pass < 2; pass++) {
        size_t base = h.size();
        for (int2 q : p) {
            while (h.size() >= base + 2 && orient(h[h.size() - 2], h.back(), q) <= 0)
                h.pop_back();
            h.push_back(q);
        }
        h.pop_back();
        std::reverse(p.begin(), p.end());
    }
    std::set<std::pair<int, int>> r;
    for (int2 q : h)
        r.insert(std::make_pair(q.x, q.y));
    return r;
}

// Regions of one sign: the inside joined through corners never, the outside through corners always, as the
// saddles do.
static int host_regions(const std::vector<bool> &inside, Grid g, bool sign)
{
    std::vector<bool> seen(inside.size(), false);
    int regions = 0;
    for (int s = 0; s < (int)inside.size(); s++) {
        if (inside[s] != sign || seen[s])
            continue;
        regions++;
        std::vector<int> stack(1, s);
        seen[s] = true;
        while (!stack.empty()) {
            int c = stack.back(), x = c % g.width, y = c / g.width;
            stack.pop_back();
            for (int k = 0; k < 9; k++) {
                int nx = x + k % 3 - 1, ny = y + k / 3 - 1, to = ny * g.width + nx;
                if (nx < 0 || ny < 0 || nx >= g.width || ny >= g.height || (sign && k % 2 == 0))
                    continue;
                if (inside[to] == sign && !seen[to]) {
                    seen[to] = true;
                    stack.push_back(to);
                }
            }
        }
    }
    return regions;
}

struct Loop {
    double area, length;
};

static std::vector<Loop> contours(Grid g, const std::vector<double3> &circles, std::vector<bool> &inside)
{
    int samples = g.width * g.height, blocks = app::blocks_for(g.cells(), BLOCK), segments;
    app::Buffer<__half> d_field(samples);
    app::Buffer<double3> d_circles(circles);
    app::Buffer<int> d_first(blocks + 1), d_starts(2 * samples);
    d_starts.fill(0xff);
    sample_kernel<<<dim3(app::blocks_for(g.width, 64), g.height), 64>>>(d_field.get(), g, d_circles.get(),
                                                                        (int)circles.size());
    count_kernel<<<blocks, BLOCK>>>(d_field.get(), g, d_first.get());
    scan_kernel<<<1, BLOCK>>>(d_first.get(), blocks);
    GPU(cudaMemcpy(&segments, d_first.get() + blocks, sizeof(int), cudaMemcpyDeviceToHost));
    app::Buffer<Segment> d_segments(segments);
    app::Buffer<int> next_a(segments), next_b(segments), label_a(segments), label_b(segments);
    app::Buffer<double> d_area(segments), d_length(segments);
    d_area.fill(0);
    d_length.fill(0);
    int n_blocks = app::blocks_for(segments, BLOCK);
    emit_kernel<<<blocks, BLOCK>>>(d_field.get(), g, d_first.get(), d_segments.get(), d_starts.get());
    link_kernel<<<n_blocks, BLOCK>>>(d_segments.get(), d_starts.get(), next_a.get(), label_a.get(), segments);
    GPU_DONE();
    std::vector<Segment> s = d_segments.read();
    std::map<int, int> ends;
    for (const Segment &e : s) {
        ends[e.from]++;
        ends[e.to] += 100;
    }
    for (const std::pair<const int, int> &e : ends)
        app::equal("one segment ends and one begins at edge", e.first, 101, e.second);
    int *next = next_a.get(), *next2 = next_b.get(), *label = label_a.get(), *label2 = label_b.get();
    for (int reach = 1; reach < segments; reach *= 2) {
        double_kernel<<<n_blocks, BLOCK>>>(next, label, next2, label2, segments);
        std::swap(next, next2);
        std::swap(label, label2);
    }
    measure_kernel<<<n_blocks, BLOCK>>>(d_field.get(), g, d_segments.get(), label, d_area.get(),
                                        d_length.get(), segments);
    GPU_DONE();
    std::vector<double> area = d_area.read(), length = d_length.read();
    std::vector<Loop> loops;
    for (int i = 0; i < segments; i++)
        if (length[i] > 0)
            loops.push_back(Loop{area[i], length[i]});
    inside.clear();
    for (int i = 0; i < samples; i++) {
        double best = -1;
        for (const double3 &c : circles)
            best = std::max(best, 1 - std::hypot(i % g.width - c.x, i / g.width - c.y) / c.z);
        inside.push_back(best >= 0);
    }
    return loops;
}

int main(int argc, char **argv)
{
    int width = app::start(argc, argv, "marching_squares", 72, 48, 1024);
    Grid g = {width, width * 3 / 4};
    std::vector<bool> inside;
    double r = width / 5.3;
    std::vector<Loop> loops = contours(g, {{width * 0.43, width * 0.39, r}}, inside);
    app::equal("contours of a circle", width, (size_t)1, loops.size());
    app::close_to("area of a circle", width, M_PI * r * r, std::fabs(loops[0].area), 0.02 * M_PI * r * r);
    app::close_to("length of a circle", width, 2 * M_PI * r, loops[0].length, 0.04 * M_PI * r);

    app::Lcg rng(26);
    std::vector<double3> circles;
    for (int k = 0; k < 24; k++) { // a ring of overlapping discs has a hole; others are scattered within
        double t = k * 2 * M_PI / 16, x = rng.between(0.3, 0.7), y = rng.between(0.2, 0.55);
        double3 c = {width * (k < 16 ? 0.5 + 0.33 * std::cos(t) : x),
                     width * (k < 16 ? 0.37 + 0.27 * std::sin(t) : y), width * (k < 16 ? 0.075 : 0.02)};
        circles.push_back(c);
    }
    loops = contours(g, circles, inside);
    int regions = host_regions(inside, g, true), outside = host_regions(inside, g, false);
    int outer = 0, holes = 0;
    double total = 0, sign = 0;
    for (const Loop &l : loops)
        sign = std::fabs(l.area) > std::fabs(sign) ? l.area : sign;
    for (const Loop &l : loops) {
        (l.area * sign > 0 ? outer : holes)++;
        total += sign > 0 ? l.area : -l.area;
    }
    app::equal("outer contours", "picture", regions, outer);
    app::equal("holes", "picture", outside - 1, holes);
    long samples_inside = std::count(inside.begin(), inside.end(), true);
    app::close_to("area inside", "picture", (double)samples_inside, total, 0.06 * samples_inside);

    std::vector<int2> points;
    for (int i = 0; i < 12 * width; i++) {
        int x = (int)rng.below(20000) - 10000, y = (int)rng.below(20000) - 10000;
        if ((long long)x * x + (long long)y * y <= 100000000)
            points.push_back(make_int2(x, y));
    }
    std::vector<int> hull = device_hull(points);
    std::set<std::pair<int, int>> expected = host_hull(points), got;
    for (int v : hull)
        got.insert(std::make_pair(points[v].x, points[v].y));
    app::equal("hull vertices", "points", expected.size(), hull.size());
    app::holds("hull vertices are the host's", "points", expected == got);
    for (size_t i = 0; i < hull.size(); i++)
        app::holds("hull turns one way", (long)i,
                   orient(points[hull[i]], points[hull[(i + 1) % hull.size()]],
                          points[hull[(i + 2) % hull.size()]]) > 0);
    return app::pass();
}
