// ray_tracer: computer graphics. Triangles under a bounding-volume hierarchy that each thread walks with its
// own stack, materials as objects with virtual functions built on the device, mirrors by recursion, shadow
// rays.
// Exercises: local arrays indexed at run time, virtual dispatch and divergent indirect calls, recursive
// device functions, placement new, managed memory, float division, square roots, early exits, structs of
// floats.
// Checked against a brute-force double-precision tracer without hierarchy; a pixel on an edge may differ.
#include "../app.h"

#include <new>

template <class Real> struct Vec3 {
    Real x, y, z;
};
typedef Vec3<float> Vec;

template <class R> __device__ __host__ inline Vec3<R> operator+(Vec3<R> a, Vec3<R> b)
{
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class R> __device__ __host__ inline Vec3<R> operator-(Vec3<R> a, Vec3<R> b)
{
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class R> __device__ __host__ inline Vec3<R> operator*(Vec3<R> a, R s)
{
    return {a.x * s, a.y * s, a.z * s};
}
template <class R> __device__ __host__ inline R dot(Vec3<R> a, Vec3<R> b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class R> __device__ __host__ inline Vec3<R> cross(Vec3<R> a, Vec3<R> b)
{
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class R> __device__ __host__ inline Vec3<R> normal(Vec3<R> a)
{
    return a * ((R)1 / (R)sqrt(dot(a, a)));
}

struct Triangle {
    Vec a, b, c;
    int material;
};

struct Node { // a leaf has count > 0 triangles from `first`; an inner node has its children at first, first +
              // 1
    Vec low, high;
    int first, count;
};

struct Ray {
    Vec from, dir;
};

struct Surface {
    Vec point, normal, towards;
};

struct Scene;
__device__ float trace(const Scene &s, const Ray &ray, int depth);

class Material {
public:
    __device__ virtual float shade(const Scene &s, const Surface &at, float light, int depth) const = 0;
};

class Matte : public Material {
    float albedo_;

public:
    __device__ explicit Matte(float albedo) : albedo_(albedo) {}
    __device__ float shade(const Scene &, const Surface &, float light, int) const override
    {
        return albedo_ * light;
    }
};

class Checker : public Material {
    float size_;

public:
    __device__ explicit Checker(float size) : size_(size) {}
    __device__ float shade(const Scene &, const Surface &at, float light, int) const override
    {
        int odd = ((int)floorf(at.point.x / size_) + (int)floorf(at.point.z / size_)) & 1;
        return light * (odd ? 0.9f : 0.2f);
    }
};

class Mirror : public Material {
    float share_;

public:
    __device__ explicit Mirror(float share) : share_(share) {}
    __device__ float shade(const Scene &s, const Surface &at, float light, int depth) const override
    {
        Vec d = at.towards - at.normal * (2 * dot(at.towards, at.normal));
        Ray ray = {at.point + at.normal * 1e-3f, d};
        return (1 - share_) * 0.5f * light + share_ * trace(s, ray, depth + 1);
    }
};

struct Scene {
    const Triangle *triangles;
    const Node *nodes;
    Material **materials;
    Vec light; // direction towards it
};

static const int MAX_DEPTH = 3;

__device__ bool box_hit(const Node &n, const Ray &ray, float limit)
{
    float near = 0, far = limit;
    const float *lo = &n.low.x, *hi = &n.high.x, *o = &ray.from.x, *d = &ray.dir.x;
    for (int k = 0; k < 3; k++) {
        float inv = 1 / d[k], t0 = (lo[k] - o[k]) * inv, t1 = (hi[k] - o[k]) * inv;
        near = fmaxf(near, fminf(t0, t1));
        far = fminf(far, fmaxf(t0, t1));
    }
    return near <= far * 1.00001f;
}

// Moeller-Trumbore; returns the distance or a negative number.
template <class R>
__device__ __host__ R triangle_hit(Vec3<R> a, Vec3<R> b, Vec3<R> c, Vec3<R> from, Vec3<R> dir)
{
    Vec3<R> e1 = b - a, e2 = c - a, p = cross(dir, e2);
    R det = dot(e1, p);
    if (det == 0)
        return -1;
    R inv = 1 / det;
    Vec3<R> s = from - a, q = cross(s, e1);
    R u = dot(s, p) * inv, v = dot(dir, q) * inv;
    return u < 0 || v < 0 || u + v > 1 ? -1 : dot(e2, q) * inv;
}

__device__ int nearest_hit(const Scene &s, const Ray &ray, float &t, bool any)
{
    int stack[24], depth = 0, best = -1;
    stack[depth++] = 0;
    while (depth > 0) {
        const Node n = s.nodes[stack[--depth]];
        if (!box_hit(n, ray, t))
            continue;
        if (n.count == 0) {
            stack[depth++] = n.first;
            stack[depth++] = n.first + 1;
            continue;
        }
        for (int i = n.first; i < n.first + n.count; i++) {
            const Triangle &k = s.triangles[i];
            float d = triangle_hit(k.a, k.b, k.c, ray.from, ray.dir);
            if (d > 0 && d < t) {
                t = d;
                best = i;
                if (any)
                    return best;
            }
        }
    }
    return best;
}

__device__ float trace(const Scene &s, const Ray &ray, int depth)
{
    float t = 1e9f;
    int hit = depth > MAX_DEPTH ? -1 : nearest_hit(s, ray, t, false);
    if (hit < 0)
        return 0.1f;
    const Triangle &k = s.triangles[hit];
    Vec n = normal(cross(k.b - k.a, k.c - k.a));
    if (dot(n, ray.dir) > 0)
        n = n * -1.0f;
    Surface at = {ray.from + ray.dir * t, n, ray.dir};
    Ray shadow = {at.point + n * 1e-3f, s.light};
    float far = 1e9f, light = fmaxf(0.0f, dot(n, s.light));
    if (light > 0 && nearest_hit(s, shadow, far, true) >= 0)
        light = 0;
    return s.materials[k.material]->shade(s, at, 0.15f + 0.85f * light, depth);
}

__device__ __host__ inline Vec camera_ray(int x, int y, int width, int height)
{
    Vec d = {(x + 0.5f) / width * 2 - 1, (height / 2 - y - 0.5f) / width * 2 - 0.25f, 1.6f};
    return normal(d);
}

__global__ void make_materials(Material **m, char *memory)
{
    m[0] = new (memory) Matte(0.8f);
    m[1] = new (memory + 32) Checker(0.7f);
    m[2] = new (memory + 64) Mirror(0.7f);
}

__global__ void render(Scene s, float *image, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    Ray ray = {{0, 1.5f, -4}, camera_ray(x, y, width, height)};
    image[y * width + x] = trace(s, ray, 0);
}

static void build(std::vector<Triangle> &t, std::vector<Node> &nodes, int at, int first, int count)
{
    Node n = {{1e30f, 1e30f, 1e30f}, {-1e30f, -1e30f, -1e30f}, first, count};
    for (int i = first; i < first + count; i++)
        for (const Vec *v : {&t[i].a, &t[i].b, &t[i].c})
            for (int k = 0; k < 3; k++) {
                (&n.low.x)[k] = std::min((&n.low.x)[k], (&v->x)[k]);
                (&n.high.x)[k] = std::max((&n.high.x)[k], (&v->x)[k]);
            }
    if (count > 3) {
        Vec e = n.high - n.low;
        int axis = e.x > e.y && e.x > e.z ? 0 : e.y > e.z ? 1 : 2, half = count / 2;
        auto key = [axis](const Triangle &q) { return (&q.a.x)[axis] + (&q.b.x)[axis] + (&q.c.x)[axis]; };
        std::stable_sort(t.begin() + first, t.begin() + first + count,
                         [&](const Triangle &p, const Triangle &q) { return key(p) < key(q); });
        int child = (int)nodes.size();
        nodes.resize(nodes.size() + 2);
        n.first = child;
        n.count = 0;
        build(t, nodes, child, first, half);
        build(t, nodes, child + 1, first + half, count - half);
    }
    nodes[at] = n;
}

// The ball is an octahedron refined twice onto the sphere.
static void add_ball(std::vector<Triangle> &t, Vec centre, float radius, int material, int level, Vec a,
                     Vec b, Vec c)
{
    if (level == 0) {
        t.push_back({centre + a * radius, centre + b * radius, centre + c * radius, material});
        return;
    }
    Vec ab = normal(a + b), bc = normal(b + c), ca = normal(c + a);
    add_ball(t, centre, radius, material, level - 1, a, ab, ca);
    add_ball(t, centre, radius, material, level - 1, ab, b, bc);
    add_ball(t, centre, radius, material, level - 1, ca, bc, c);
    add_ball(t, centre, radius, material, level - 1, ab, bc, ca);
}

static std::vector<Triangle> make_scene()
{
    std::vector<Triangle> t;
    const Vec floor[4] = {{-9, 0, -6}, {9, 0, -6}, {9, 0, 14}, {-9, 0, 14}};
    t.push_back({floor[0], floor[1], floor[2], 1});
    t.push_back({floor[0], floor[2], floor[3], 1});
    const Vec centres[3] = {{-1.5f, 0.9f, 2}, {0.9f, 1.1f, 3}, {0.1f, 0.45f, 0.6f}};
    const float radii[3] = {0.8f, 1.1f, 0.4f};
    for (int k = 0; k < 3; k++)
        for (int octant = 0; octant < 8; octant++) {
            Vec x = {octant & 1 ? 1.0f : -1.0f, 0, 0}, y = {0, octant & 2 ? 1.0f : -1.0f, 0};
            Vec z = {0, 0, octant & 4 ? 1.0f : -1.0f};
            add_ball(t, centres[k], radii[k], k == 1 ? 2 : 0, 2, x, y, z);
        }
    return t;
}

typedef Vec3<double> Wide;

static Wide widen(Vec v)
{
    return {v.x, v.y, v.z};
}

static int host_hit(const std::vector<Triangle> &t, Wide from, Wide dir, double &best)
{
    int hit = -1;
    for (int i = 0; i < (int)t.size(); i++) {
        double d = triangle_hit(widen(t[i].a), widen(t[i].b), widen(t[i].c), from, dir);
        if (d > 0 && d < best) {
            best = d;
            hit = i;
        }
    }
    return hit;
}

static double host_trace(const std::vector<Triangle> &t, Wide light_dir, Wide from, Wide dir)
{
    double share = 1, sum = 0;
    for (int depth = 0; depth <= MAX_DEPTH; depth++) {
        double far = 1e9, unused = 1e9;
        int hit = host_hit(t, from, dir, far);
        if (hit < 0)
            return sum + share * 0.1;
        Wide a = widen(t[hit].a), n = normal(cross(widen(t[hit].b) - a, widen(t[hit].c) - a));
        n = dot(n, dir) > 0 ? n * -1.0 : n;
        Wide point = from + dir * far;
        double light = std::max(0.0, dot(n, light_dir));
        if (light > 0 && host_hit(t, point + n * 1e-3, light_dir, unused) >= 0)
            light = 0;
        light = 0.15 + 0.85 * light;
        if (t[hit].material == 0)
            return sum + share * 0.8 * light;
        if (t[hit].material == 1) {
            int odd = ((int)std::floor(point.x / 0.7) + (int)std::floor(point.z / 0.7)) & 1;
            return sum + share * light * (odd ? 0.9 : 0.2);
        }
        sum += share * 0.15 * light;
        share *= 0.7;
        from = point + n * 1e-3;
        dir = dir - n * (2 * dot(dir, n));
    }
    return sum + share * 0.1;
}

int main(int argc, char **argv)
{
    int width = app::start(argc, argv, "ray_tracer", 64, 40, 1024), height = width * 3 / 4;
    std::vector<Triangle> triangles = make_scene();
    std::vector<Node> nodes(1);
    build(triangles, nodes, 0, 0, (int)triangles.size());
    app::Buffer<Triangle> d_triangles(triangles);
    app::Buffer<Node> d_nodes(nodes);
    app::Buffer<Material *> d_materials(3);
    app::Buffer<char> d_memory(96);
    float *image;
    GPU(cudaMallocManaged(&image, sizeof(float) * width * height));
    make_materials<<<1, 1>>>(d_materials.get(), d_memory.get());
    Scene scene = {d_triangles.get(), d_nodes.get(), d_materials.get(), normal(Vec{-0.5f, 1, -0.6f})};
    dim3 block(8, 8), grid((width + 7) / 8, (height + 7) / 8);
    render<<<grid, block>>>(scene, image, width, height);
    GPU_DONE();

    int differ = 0, checked = 0, step = width > 96 ? width / 48 : 1;
    double worst = 0, low = 1, high = 0;
    for (int y = 0; y < height; y += step)
        for (int x = 0; x < width; x += step, checked++) {
            double expected = host_trace(triangles, widen(scene.light), Wide{0, 1.5, -4},
                                         widen(camera_ray(x, y, width, height)));
            double error = std::fabs(expected - image[y * width + x]);
            if (!(error < 2e-3)) {
                differ++;
                worst = std::max(worst, error);
            }
            low = std::min(low, expected);
            high = std::max(high, expected);
        }
    GPU(cudaFree(image));
    app::holds("picture has contrast", "image", high - low > 0.5);
    if (differ * 50 > checked)
        app::fail("pixels that differ", "worst " + app::text(worst), checked / 50, differ);
    return app::pass();
}
