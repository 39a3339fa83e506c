// molecular_dynamics: molecular dynamics. Lennard-Jones atoms in a periodic box, velocity Verlet in double;
// the neighbours come from a cell list that the device rebuilds each step by counting, scanning and filling.
// Exercises: double arithmetic with division and floor, integer atomics on global memory, a shared-memory
// scan, data-dependent loop bounds, structs by value, insertion sort in global memory, double reductions by
// shuffle.
// Checked by energy and momentum conservation, Newton's third law, and all-pairs forces on the host.
#include "../app.h"

struct Box {
    double edge, cutoff;
    int cells, atoms; // cells along an edge
};

struct Vec {
    double x, y, z;
};

__device__ __host__ inline Vec operator-(Vec a, Vec b)
{
    Vec r = {a.x - b.x, a.y - b.y, a.z - b.z};
    return r;
}

__device__ inline Vec nearest(Vec d, double edge)
{
    d.x -= edge * rint(d.x / edge);
    d.y -= edge * rint(d.y / edge);
    d.z -= edge * rint(d.z / edge);
    return d;
}

__device__ inline int cell_along(double x, Box b)
{
    int c = (int)floor(x / b.edge * b.cells);
    return min(max(c, 0), b.cells - 1);
}

__device__ inline int cell_of(Vec p, Box b)
{
    return (cell_along(p.z, b) * b.cells + cell_along(p.y, b)) * b.cells + cell_along(p.x, b);
}

__global__ void count_cells(const Vec *pos, int *count, Box b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < b.atoms)
        atomicAdd(&count[cell_of(pos[i], b)], 1);
}

// One block: exclusive scan of the counts into start[]; next[] is the filling position.
__global__ void scan_cells(const int *count, int *start, int *next, int n)
{
    extern __shared__ int sums[];
    int t = threadIdx.x, per = (n + blockDim.x - 1) / blockDim.x, total = 0;
    for (int i = t * per; i < min(n, (t + 1) * per); i++)
        total += count[i];
    sums[t] = total;
    for (unsigned d = 1; d < blockDim.x; d *= 2) {
        __syncthreads();
        int v = t >= (int)d ? sums[t - d] : 0;
        __syncthreads();
        sums[t] += v;
    }
    int at = sums[t] - total;
    for (int i = t * per; i < min(n, (t + 1) * per); i++) {
        start[i] = next[i] = at;
        at += count[i];
    }
    if (t == (int)blockDim.x - 1)
        start[n] = sums[t];
}

__global__ void fill_cells(const Vec *pos, int *next, int *members, Box b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < b.atoms)
        members[atomicAdd(&next[cell_of(pos[i], b)], 1)] = i;
}

// The order within a cell depends on the atomics; sorting makes the sums reproducible.
__global__ void sort_cells(const int *start, int *members, int n)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= n)
        return;
    for (int i = start[c] + 1; i < start[c + 1]; i++) {
        int v = members[i], k = i;
        for (; k > start[c] && members[k - 1] > v; k--)
            members[k] = members[k - 1];
        members[k] = v;
    }
}

// Cut and shifted potential; energy[i] gets half of each pair's energy.
__global__ void forces_kernel(const Vec *pos, const int *start, const int *members, Vec *force,
                              double *energy, Box b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= b.atoms)
        return;
    Vec me = pos[i], f = {0, 0, 0};
    double e = 0, rc2 = b.cutoff * b.cutoff, inv6 = 1 / (rc2 * rc2 * rc2), shift = 4 * inv6 * (inv6 - 1);
    int cx = cell_along(me.x, b), cy = cell_along(me.y, b), cz = cell_along(me.z, b);
    for (int k = 0; k < 27; k++) {
        int x = (cx + k % 3 - 1 + b.cells) % b.cells;
        int y = (cy + k / 3 % 3 - 1 + b.cells) % b.cells;
        int z = (cz + k / 9 - 1 + b.cells) % b.cells;
        int c = (z * b.cells + y) * b.cells + x;
        for (int m = start[c]; m < start[c + 1]; m++) {
            int j = members[m];
            Vec d = nearest(me - pos[j], b.edge);
            double r2 = d.x * d.x + d.y * d.y + d.z * d.z;
            if (j == i || r2 >= rc2)
                continue;
            double i2 = 1 / r2, i6 = i2 * i2 * i2, scale = 24 * i2 * i6 * (2 * i6 - 1);
            f.x += scale * d.x;
            f.y += scale * d.y;
            f.z += scale * d.z;
            e += 0.5 * (4 * i6 * (i6 - 1) - shift);
        }
    }
    force[i] = f;
    energy[i] = e;
}

__global__ void kick(Vec *vel, const Vec *force, double half_dt, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    vel[i].x += half_dt * force[i].x;
    vel[i].y += half_dt * force[i].y;
    vel[i].z += half_dt * force[i].z;
}

__global__ void drift(Vec *pos, const Vec *vel, double dt, Box b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= b.atoms)
        return;
    double *p = &pos[i].x;
    const double *v = &vel[i].x;
    for (int k = 0; k < 3; k++) {
        p[k] += dt * v[k];
        p[k] -= b.edge * floor(p[k] / b.edge);
    }
}

// totals: potential energy, kinetic energy, momentum (3), force (3)
__global__ void measure(const Vec *vel, const Vec *force, const double *energy, double *totals, int n)
{
    double v[8] = {0};
    for (int i = threadIdx.x; i < n; i += 32) {
        Vec u = vel[i];
        v[0] += energy[i];
        v[1] += 0.5 * (u.x * u.x + u.y * u.y + u.z * u.z);
        v[2] += u.x;
        v[3] += u.y;
        v[4] += u.z;
        v[5] += force[i].x;
        v[6] += force[i].y;
        v[7] += force[i].z;
    }
    for (int k = 0; k < 8; k++) {
        for (int d = 16; d > 0; d /= 2)
            v[k] += __shfl_down_sync(0xffffffffu, v[k], d);
        if (threadIdx.x == 0)
            totals[k] = v[k];
    }
}

struct Simulation {
    Box box;
    app::Buffer<Vec> pos, vel, force;
    app::Buffer<double> energy, totals;
    app::Buffer<int> count, start, next, members;

    Simulation(Box b, const std::vector<Vec> &p, const std::vector<Vec> &v)
        : box(b), pos(p), vel(v), force(p.size()), energy(p.size()), totals(8),
          count(b.cells * b.cells * b.cells), start(count.size() + 1), next(count.size()), members(p.size())
    {
    }
    void compute_forces()
    {
        int n = box.atoms, g = app::blocks_for(n, 64), cells = (int)count.size();
        count.fill(0);
        count_cells<<<g, 64>>>(pos.get(), count.get(), box);
        scan_cells<<<1, 64, 64 * sizeof(int)>>>(count.get(), start.get(), next.get(), cells);
        fill_cells<<<g, 64>>>(pos.get(), next.get(), members.get(), box);
        sort_cells<<<app::blocks_for(cells, 64), 64>>>(start.get(), members.get(), cells);
        forces_kernel<<<g, 64>>>(pos.get(), start.get(), members.get(), force.get(), energy.get(), box);
    }
    void step(double dt)
    {
        int g = app::blocks_for(box.atoms, 64);
        kick<<<g, 64>>>(vel.get(), force.get(), dt / 2, box.atoms);
        drift<<<g, 64>>>(pos.get(), vel.get(), dt, box);
        compute_forces();
        kick<<<g, 64>>>(vel.get(), force.get(), dt / 2, box.atoms);
    }
    std::vector<double> measurements()
    {
        measure<<<1, 32>>>(vel.get(), force.get(), energy.get(), totals.get(), box.atoms);
        GPU_DONE();
        return totals.read();
    }
};

static void check_forces(const char *when, Simulation &s)
{
    std::vector<Vec> p = s.pos.read(), f = s.force.read(), sum(p.size(), Vec{0, 0, 0});
    double energy = 0, rc = s.box.cutoff, ratio = std::pow(1 / rc, 6);
    for (size_t i = 0; i < p.size(); i++)
        for (size_t j = i + 1; j < p.size(); j++) {
            double d[3] = {p[i].x - p[j].x, p[i].y - p[j].y, p[i].z - p[j].z}, r = 0;
            for (double &c : d) {
                c = c > s.box.edge / 2 ? c - s.box.edge : c < -s.box.edge / 2 ? c + s.box.edge : c;
                r += c * c;
            }
            if (r >= rc * rc)
                continue;
            double q = 1 / (r * r * r), g = (48 * q * q - 24 * q) / r;
            energy += 4 * (q * q - q) - 4 * (ratio * ratio - ratio);
            double *a = &sum[i].x, *b = &sum[j].x;
            for (int k = 0; k < 3; k++) {
                a[k] += g * d[k];
                b[k] -= g * d[k];
            }
        }
    for (size_t i = 0; i < p.size(); i++) {
        app::close_to(when, (long)i, sum[i].x, f[i].x, 1e-9);
        app::close_to(when, (long)i, sum[i].y, f[i].y, 1e-9);
        app::close_to(when, (long)i, sum[i].z, f[i].z, 1e-9);
    }
    app::close_to("potential energy", when, energy, s.measurements()[0], 1e-8);
}

int main(int argc, char **argv)
{
    int side = app::start(argc, argv, "molecular_dynamics", 4, 4, 12); // face-centred cells along an edge
    Box box = {};
    box.atoms = 4 * side * side * side;
    box.edge = std::cbrt(box.atoms / 0.8);
    box.cutoff = 1.7;
    box.cells = (int)(box.edge / box.cutoff);
    app::Lcg rng(5);
    std::vector<Vec> pos, vel;
    Vec mean = {0, 0, 0};
    for (int c = 0; c < side * side * side; c++)
        for (int k = 0; k < 4; k++) {
            double a = box.edge / side,
                   at[3] = {(double)(c % side), (double)(c / side % side), (double)(c / side / side)};
            for (int d = 0; d < 3; d++)
                at[d] = (at[d] + 0.25 + (k > 0 && d != k - 1 ? 0.5 : 0)) * a + rng.between(-0.05, 0.05);
            pos.push_back(Vec{at[0], at[1], at[2]});
            vel.push_back(Vec{rng.between(-1, 1), rng.between(-1, 1), rng.between(-1, 1)});
            mean.x += vel.back().x / box.atoms;
            mean.y += vel.back().y / box.atoms;
            mean.z += vel.back().z / box.atoms;
        }
    for (Vec &v : vel)
        v = v - mean;

    Simulation sim(box, pos, vel);
    sim.compute_forces();
    check_forces("first forces", sim);
    std::vector<double> t0 = sim.measurements();
    for (int s = 0; s < 8; s++)
        sim.step(0.002);
    check_forces("last forces", sim);
    std::vector<double> t1 = sim.measurements();
    app::close_to("total energy", "end", t0[0] + t0[1], t1[0] + t1[1], 2e-4 * box.atoms);
    app::holds("atoms moved", "end", std::fabs(t1[1] - t0[1]) > 1e-3);
    for (int k = 2; k < 8; k++)
        app::close_to(k < 5 ? "momentum" : "net force", k, 0, t1[k], 1e-8);
    return app::pass();
}
