// barnes_hut: astrophysics. Gravity by an octree that the device builds: bodies insert themselves
// concurrently, a cell under change is locked by compare-and-swap on its child slot; centres of mass are summed
// up the tree with a counter of finished children; then each thread walks the tree with its own stack.
// Exercises: fine-grained locks taken by lanes of one warp, threadfence, volatile access, a bump allocator,
// unions of body and cell numbers, local stacks, float atomicMin/Max through integer order, divergent
// traversal, rsqrtf.
// Checked by the total mass, a census of the bodies in the tree, momentum, and direct summation in double on
// the host.
#include "../app.h"

struct Bodies {
    float4 *at; // w is the mass
    float4 *pull;
    int count;
};

// Cells are numbered from `count`; a child slot holds -1, a body number, a cell number or LOCKED.
struct Tree {
    volatile int *child; // 8 a cell
    volatile float4 *mass;
    int *parent, *pending, *next; // pending: children not summed yet; next: allocator
    int limit;
};

struct Cube {
    float x, y, z, half;
};

static const int EMPTY = -1, LOCKED = -2, MAX_DEPTH = 48;

// Floats ordered as signed integers.
__device__ int to_ordered(float f)
{
    int i = __float_as_int(f);
    return i >= 0 ? i : i ^ 0x7fffffff;
}

__device__ float from_ordered(int i)
{
    return __int_as_float(i >= 0 ? i : i ^ 0x7fffffff);
}

__global__ void bounds_kernel(Bodies b, int *bounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= b.count)
        return;
    const float p[3] = {b.at[i].x, b.at[i].y, b.at[i].z};
    for (int k = 0; k < 3; k++) {
        atomicMin(&bounds[k], to_ordered(p[k]));
        atomicMax(&bounds[k + 3], to_ordered(p[k]));
    }
}

__global__ void root_kernel(const int *bounds, Cube *root)
{
    float centre[3], half = 0;
    for (int k = 0; k < 3; k++) {
        float low = from_ordered(bounds[k]), high = from_ordered(bounds[k + 3]);
        centre[k] = (low + high) / 2;
        half = fmaxf(half, (high - low) / 2);
    }
    Cube c = {centre[0], centre[1], centre[2], half * 1.01f + 1e-6f};
    *root = c;
}

__device__ int octant_of(const Cube &c, float4 p)
{
    return (p.x >= c.x) | (p.y >= c.y) << 1 | (p.z >= c.z) << 2;
}

__device__ void descend(Cube &c, int octant)
{
    c.half /= 2;
    c.x += octant & 1 ? c.half : -c.half;
    c.y += octant & 2 ? c.half : -c.half;
    c.z += octant & 4 ? c.half : -c.half;
}

__device__ int new_cell(Tree t)
{
    int cell = atomicAdd(t.next, 1);
    return cell < t.limit ? cell : -1;
}

// Splits the slot of `other` until the two bodies are in different slots, then publishes the chain by one store.
__device__ int split(Tree t, const Bodies &b, Cube cube, int body, int other)
{
    float4 p = b.at[body], q = b.at[other];
    int top = new_cell(t), cell = top;
    for (int depth = 0; cell >= 0 && depth < MAX_DEPTH; depth++) {
        int op = octant_of(cube, p), oq = octant_of(cube, q);
        if (op != oq) {
            t.child[cell * 8 + op] = body;
            t.child[cell * 8 + oq] = other;
            return top;
        }
        int below = new_cell(t);
        if (below < 0)
            return -1;
        t.child[cell * 8 + op] = below + b.count;
        t.parent[below] = cell;
        descend(cube, op);
        cell = below;
    }
    return -1;
}

__global__ void insert_kernel(Bodies b, Tree t, const Cube *root, int *failed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= b.count)
        return;
    float4 p = b.at[i];
    Cube cube = *root;
    int cell = 0, done = 0;
    while (!done) {
        int octant = octant_of(cube, p), slot = cell * 8 + octant, content = t.child[slot];
        if (content >= b.count) {
            cell = content - b.count;
            descend(cube, octant);
        } else if (content != LOCKED && atomicCAS((int *)&t.child[slot], content, LOCKED) == content) {
            int fill = i;
            if (content != EMPTY) {
                Cube inner = cube;
                descend(inner, octant);
                int top = split(t, b, inner, i, content);
                fill = top < 0 ? content : top + b.count;
                if (top < 0)
                    atomicAdd(failed, 1);
                else
                    t.parent[top] = cell;
            }
            __threadfence();
            t.child[slot] = fill; // releases the lock
            done = 1;
        }
        // keeps the release inside the loop body: lanes of one warp may wait for each other
        asm volatile("" : "+r"(done));
    }
}

// How many inner cells each cell waits for in the upward sum.
__global__ void count_cells(Tree t, int count)
{
    int cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= *t.next)
        return;
    int cells = 0;
    for (int k = 0; k < 8; k++)
        cells += t.child[cell * 8 + k] >= count;
    t.pending[cell] = cells;
}

// A thread starts at each cell without inner cells; the thread that finishes a cell's last child continues with
// the cell.
__global__ void sum_kernel(Bodies b, Tree t)
{
    int cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= *t.next)
        return;
    for (int k = 0; k < 8; k++)
        if (t.child[cell * 8 + k] >= b.count)
            return;
    while (cell >= 0) {
        float x = 0, y = 0, z = 0, m = 0;
        for (int k = 0; k < 8; k++) {
            int c = t.child[cell * 8 + k];
            if (c == EMPTY)
                continue;
            float cx, cy, cz, cm;
            if (c < b.count) {
                float4 v = b.at[c];
                cx = v.x, cy = v.y, cz = v.z, cm = v.w;
            } else {
                volatile float4 *v = &t.mass[c - b.count];
                cx = v->x, cy = v->y, cz = v->z, cm = v->w;
            }
            x += cx * cm;
            y += cy * cm;
            z += cz * cm;
            m += cm;
        }
        t.mass[cell].x = x / m;
        t.mass[cell].y = y / m;
        t.mass[cell].z = z / m;
        t.mass[cell].w = m;
        __threadfence();
        cell = t.parent[cell];
        if (cell >= 0 && atomicSub(&t.pending[cell], 1) != 1)
            return;
        __threadfence();
    }
}

__device__ void attract(float4 me, float x, float y, float z, float m, float softening, float4 &sum)
{
    float dx = x - me.x, dy = y - me.y, dz = z - me.z, d2 = dx * dx + dy * dy + dz * dz + softening;
    float inv = rsqrtf(d2), f = m * inv * inv * inv;
    sum.x += f * dx;
    sum.y += f * dy;
    sum.z += f * dz;
}

// theta 0 opens every cell: the exact sum in another order.
__global__ void force_kernel(Bodies b, Tree t, const Cube *root, float theta, float softening)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= b.count)
        return;
    int stack[64], level[64], depth = 0;
    float4 me = b.at[i], sum = make_float4(0, 0, 0, 0);
    stack[depth] = 0;
    level[depth++] = 0;
    while (depth > 0) {
        int cell = stack[--depth], l = level[depth];
        for (int k = 0; k < 8; k++) {
            int c = t.child[cell * 8 + k];
            if (c == EMPTY || c == i)
                continue;
            if (c < b.count) {
                attract(me, b.at[c].x, b.at[c].y, b.at[c].z, b.at[c].w, softening, sum);
                sum.w += 1;
                continue;
            }
            volatile float4 *v = &t.mass[c - b.count];
            float dx = v->x - me.x, dy = v->y - me.y, dz = v->z - me.z;
            float size = 2 * ldexpf(root->half, -(l + 1));
            if (size * size < theta * theta * (dx * dx + dy * dy + dz * dz)) {
                attract(me, v->x, v->y, v->z, v->w, softening, sum);
                sum.w += 1;
            } else {
                stack[depth] = c - b.count;
                level[depth++] = l + 1;
            }
        }
    }
    b.pull[i] = sum;
}

struct Sum {
    double x, y, z;
};

static std::vector<Sum> direct(const std::vector<float4> &b, double softening)
{
    std::vector<Sum> pull(b.size(), Sum{0, 0, 0});
    for (size_t i = 0; i < b.size(); i++)
        for (size_t j = i + 1; j < b.size(); j++) {
            double x = (double)b[j].x - b[i].x, y = (double)b[j].y - b[i].y, z = (double)b[j].z - b[i].z;
            double d2 = x * x + y * y + z * z + softening, f = 1 / (d2 * std::sqrt(d2)), fi = f * b[j].w,
                   fj = f * b[i].w;
            pull[i].x += fi * x;
            pull[i].y += fi * y;
            pull[i].z += fi * z;
            pull[j].x -= fj * x;
            pull[j].y -= fj * y;
            pull[j].z -= fj * z;
        }
    return pull;
}

static double error_of(const std::vector<Sum> &expected, const std::vector<float4> &got, double *worst)
{
    double sum = 0;
    *worst = 0;
    for (size_t i = 0; i < got.size(); i++) {
        double x = expected[i].x - got[i].x, y = expected[i].y - got[i].y, z = expected[i].z - got[i].z;
        double size = std::sqrt(expected[i].x * expected[i].x + expected[i].y * expected[i].y +
                                expected[i].z * expected[i].z);
        double e = std::sqrt(x * x + y * y + z * z) / size;
        sum += e / got.size();
        if (!(e <= *worst))
            *worst = e;
    }
    return sum;
}

int main(int argc, char **argv)
{
    int n = app::start(argc, argv, "barnes_hut", 350, 32, 20000), limit = 4 * n + 64,
        blocks = app::blocks_for(n, 64);
    app::Lcg rng(15);
    std::vector<float4> bodies;
    double total = 0;
    while ((int)bodies.size() < n) { // two clusters, the second small and dense
        double x = rng.between(-1, 1), y = rng.between(-1, 1), z = rng.between(-1, 1);
        if (x * x + y * y + z * z > 1)
            continue;
        double s = bodies.size() % 4 == 0 ? 0.05 : 1, away = bodies.size() % 4 == 0 ? 1.7 : 0;
        bodies.push_back(make_float4((float)(s * x + away), (float)(s * y - away), (float)(s * z),
                                     (float)rng.between(0.5, 1.5)));
        total += bodies.back().w;
    }
    app::Buffer<float4> d_at(bodies), d_pull(n), d_mass(limit);
    app::Buffer<int> d_child(8 * limit), d_parent(limit), d_pending(limit), d_next(std::vector<int>(1, 1)),
        d_failed(1);
    app::Buffer<int> d_bounds(
        std::vector<int>{INT32_MAX, INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN, INT32_MIN});
    app::Buffer<Cube> d_root(1);
    d_child.fill(0xff);
    d_parent.fill(0xff);
    d_failed.fill(0);
    Bodies b = {d_at.get(), d_pull.get(), n};
    Tree t = {d_child.get(), d_mass.get(), d_parent.get(), d_pending.get(), d_next.get(), limit};
    bounds_kernel<<<blocks, 64>>>(b, d_bounds.get());
    root_kernel<<<1, 1>>>(d_bounds.get(), d_root.get());
    insert_kernel<<<blocks, 64>>>(b, t, d_root.get(), d_failed.get());
    GPU_DONE();
    app::equal("bodies without a place", "insertion", 0, d_failed.read()[0]);
    int cells = d_next.read()[0];
    count_cells<<<app::blocks_for(cells, 64), 64>>>(t, n);
    sum_kernel<<<app::blocks_for(cells, 64), 64>>>(b, t);
    GPU_DONE();

    std::vector<int> child = d_child.read(), seen(n, 0);
    for (int c = 0; c < 8 * cells; c++)
        if (child[c] >= 0 && child[c] < n)
            seen[child[c]]++;
    for (int i = 0; i < n; i++)
        app::equal("times in the tree, body", i, 1, seen[i]);
    app::close_to("mass of the root", 0, total, d_mass.read()[0].w, total * 1e-5);

    const float softening = 1e-4f;
    std::vector<Sum> expected = direct(bodies, softening);
    double worst;
    force_kernel<<<blocks, 64>>>(b, t, d_root.get(), 0.0f, softening);
    GPU_DONE();
    std::vector<float4> pull = d_pull.read();
    app::close_to("mean error, all cells opened", "theta 0", 0, error_of(expected, pull, &worst), 2e-5);
    Sum momentum = {0, 0, 0};
    for (int i = 0; i < n; i++) {
        app::equal("interactions of body", i, (float)(n - 1), pull[i].w);
        momentum.x += (double)pull[i].x * bodies[i].w;
        momentum.y += (double)pull[i].y * bodies[i].w;
        momentum.z += (double)pull[i].z * bodies[i].w;
    }
    app::close_to("net force", "x", 0, momentum.x, 1e-4 * total * total);
    app::close_to("net force", "y", 0, momentum.y, 1e-4 * total * total);
    app::close_to("net force", "z", 0, momentum.z, 1e-4 * total * total);

    force_kernel<<<blocks, 64>>>(b, t, d_root.get(), 0.6f, softening);
    GPU_DONE();
    pull = d_pull.read();
    app::close_to("mean error", "theta 0.6", 0, error_of(expected, pull, &worst), 0.02);
    double interactions = 0;
    for (const float4 &p : pull)
        interactions += p.w;
    app::holds("cells save work", "theta 0.6", interactions < 0.7 * n * (n - 1.0));
    return app::pass();
}
