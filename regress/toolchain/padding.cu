// A struct with padding at its end, passed and returned by value, and compared: clang 14 and 15 turn the comparison
// into an undefined value from -O1 on. Each lane keeps the larger of its own struct and its neighbour's; the host knows
// which.
#include <cstdio>

struct entry {
    int key;
    bool flag;
    __device__ entry() {}
    __device__ entry(int k, bool f) : key(k), flag(f) {}
};

__device__ bool less_than(const entry a, const entry b) { return a.key < b.key || (a.key == b.key && a.flag < b.flag); }

__device__ entry neighbour(const entry &e)
{
    return entry(__shfl_xor_sync(~0u, e.key, 1), __shfl_xor_sync(~0u, e.flag, 1));
}

__global__ void keep_larger(const int *keys, int *larger)
{
    entry own(keys[threadIdx.x], threadIdx.x & 1), other = neighbour(own);
    entry kept = less_than(own, other) ? other : own;
    larger[threadIdx.x] = kept.key * 2 + kept.flag;
}

int main()
{
    int keys[32], larger[32], *device_keys, *device_larger, wrong = 0;
    for (int i = 0; i < 32; i++)
        keys[i] = i * 7 % 32;
    cudaMalloc(&device_keys, sizeof keys);
    cudaMalloc(&device_larger, sizeof larger);
    cudaMemcpy(device_keys, keys, sizeof keys, cudaMemcpyHostToDevice);
    keep_larger<<<1, 32>>>(device_keys, device_larger);
    cudaMemcpy(larger, device_larger, sizeof larger, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++) {
        int own = keys[i] * 2 + (i & 1), other = keys[i ^ 1] * 2 + ((i ^ 1) & 1);
        wrong += larger[i] != (own > other ? own : other);
    }
    printf("%d of 32 lanes are wrong\n", wrong);
    return wrong != 0;
}
