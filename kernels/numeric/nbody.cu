// All-pairs gravitation with leapfrog integration: bodies staged through shared memory as float4, rsqrtf, and
// a multiply-add chain. Forces are compared with a double-precision host sum; over the run, momentum must be
// conserved (forces come in opposite pairs) and the energy must drift only a little.
#define PROGRAM "nbody"
#include "../check.h"

static const int BLOCK = 64;
static const float SOFTENING = 0.01f;

__global__ void accelerate(const float4 *bodies, float3 *acceleration, int n) {
    __shared__ float4 tile[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float4 own = i < n ? bodies[i] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    float3 sum = make_float3(0.0f, 0.0f, 0.0f);
    for (int start = 0; start < n; start += BLOCK) {
        int j = start + threadIdx.x;
        tile[threadIdx.x] = j < n ? bodies[j] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < BLOCK; k++) {
            float4 other = tile[k];
            float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + SOFTENING);
            float scale = other.w * inverse * inverse * inverse;
            sum.x += dx * scale;
            sum.y += dy * scale;
            sum.z += dz * scale;
        }
        __syncthreads();
    }
    if (i < n) {
        acceleration[i] = sum;
    }
}

__global__ void kick_and_drift(float4 *bodies, float3 *velocity, const float3 *acceleration, int n,
                               float kick, float drift) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        velocity[i].x += kick * acceleration[i].x;
        velocity[i].y += kick * acceleration[i].y;
        velocity[i].z += kick * acceleration[i].z;
        bodies[i].x += drift * velocity[i].x;
        bodies[i].y += drift * velocity[i].y;
        bodies[i].z += drift * velocity[i].z;
    }
}

static void host_acceleration(const std::vector<float4> &bodies, size_t i, double *sum, double *size) {
    sum[0] = sum[1] = sum[2] = *size = 0.0;
    for (const float4 &other : bodies) {
        double dx = (double)other.x - bodies[i].x, dy = (double)other.y - bodies[i].y;
        double dz = (double)other.z - bodies[i].z;
        double scale = other.w / std::pow(dx * dx + dy * dy + dz * dz + SOFTENING, 1.5);
        sum[0] += dx * scale;
        sum[1] += dy * scale;
        sum[2] += dz * scale;
        *size += scale * (std::fabs(dx) + std::fabs(dy) + std::fabs(dz));
    }
}

static double energy(const std::vector<float4> &bodies, const std::vector<float3> &velocity) {
    double sum = 0.0;
    for (size_t i = 0; i < bodies.size(); i++) {
        double speed2 = (double)velocity[i].x * velocity[i].x + (double)velocity[i].y * velocity[i].y +
                        (double)velocity[i].z * velocity[i].z;
        sum += 0.5 * bodies[i].w * speed2;
        for (size_t j = 0; j < i; j++) {
            double dx = (double)bodies[i].x - bodies[j].x, dy = (double)bodies[i].y - bodies[j].y;
            double dz = (double)bodies[i].z - bodies[j].z;
            sum -= (double)bodies[i].w * bodies[j].w / std::sqrt(dx * dx + dy * dy + dz * dz + SOFTENING);
        }
    }
    return sum;
}

int main(int argc, char **argv) {
    int n = size_argument(argc, argv, 150, 2, 1 << 14), steps = 8;
    Lcg random(19);
    std::vector<float4> bodies(n);
    std::vector<float3> velocity(n);
    for (int i = 0; i < n; i++) {
        bodies[i] = make_float4(random.between(-1.0f, 1.0f), random.between(-1.0f, 1.0f),
                                random.between(-1.0f, 1.0f), random.between(0.5f, 1.0f) / n);
        velocity[i] = make_float3(random.between(-0.3f, 0.3f), random.between(-0.3f, 0.3f), 0.0f);
    }
    float4 *bodies_device = to_device(bodies);
    float3 *velocity_device = to_device(velocity), *acceleration = device_zeros<float3>(n);
    double energy_before = energy(bodies, velocity), before[3] = {0, 0, 0}, after[3] = {0, 0, 0};
    for (int i = 0; i < n; i++) {
        before[0] += (double)bodies[i].w * velocity[i].x;
        before[1] += (double)bodies[i].w * velocity[i].y;
        before[2] += (double)bodies[i].w * velocity[i].z;
    }
    const float dt = 0.01f;
    int blocks = blocks_for(n, BLOCK);
    accelerate<<<blocks, BLOCK>>>(bodies_device, acceleration, n);
    CHECK_KERNEL();
    std::vector<float3> force = to_host(acceleration, n);
    for (int i = 0; i < n; i++) {
        double expected[3], size;
        host_acceleration(bodies, i, expected, &size);
        expect_near("acceleration x", i, expected[0], force[i].x, 0.0, 4e-6 * size);
        expect_near("acceleration y", i, expected[1], force[i].y, 0.0, 4e-6 * size);
        expect_near("acceleration z", i, expected[2], force[i].z, 0.0, 4e-6 * size);
    }
    for (int step = 0; step < steps; step++) {
        kick_and_drift<<<blocks, BLOCK>>>(bodies_device, velocity_device, acceleration, n, dt / 2, dt);
        accelerate<<<blocks, BLOCK>>>(bodies_device, acceleration, n);
        kick_and_drift<<<blocks, BLOCK>>>(bodies_device, velocity_device, acceleration, n, dt / 2, 0.0f);
    }
    CHECK_KERNEL();
    bodies = to_host(bodies_device, n);
    velocity = to_host(velocity_device, n);
    for (int i = 0; i < n; i++) {
        after[0] += (double)bodies[i].w * velocity[i].x;
        after[1] += (double)bodies[i].w * velocity[i].y;
        after[2] += (double)bodies[i].w * velocity[i].z;
    }
    for (int axis = 0; axis < 3; axis++) {
        expect_near("momentum", axis, before[axis], after[axis], 0.0, 1e-5);
    }
    expect_near("energy", 0, energy_before, energy(bodies, velocity), 1e-2);
    return pass();
}
