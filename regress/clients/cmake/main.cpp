// Runs the wave on the device and on the host; both use integers, so the results must be equal.
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>
#include <vector>

#include "waves.h"

int main()
{
    const int n = 500, steps = 97;
    std::vector<int> host[3];
    int *device[3], devices = 0, version = 0;
    for (int k = 0; k < 3; k++) {
        host[k].assign(n, 0);
        for (int i = n / 4; i < n / 2; i++)
            host[k][i] = i % 11;
        cudaMalloc((void **)&device[k], n * sizeof(int));
        cudaMemcpy(device[k], host[k].data(), n * sizeof(int), cudaMemcpyHostToDevice);
    }
    wave_steps(device, n, steps);
    for (int s = 0; s < steps; s++)
        for (int i = 0; i < n; i++)
            host[(s + 2) % 3][i] = i == 0 || i == n - 1 ? 0 : host[(s + 1) % 3][i - 1] + host[(s + 1) % 3][i + 1] -
                                                               host[s % 3][i];
    std::vector<int> out(n);
    cudaMemcpy(out.data(), device[(steps + 1) % 3], n * sizeof(int), cudaMemcpyDeviceToHost);
    bool ok = cudaGetLastError() == cudaSuccess && out == host[(steps + 1) % 3];
    ok = ok && cuDeviceGetCount(&devices) == CUDA_SUCCESS && devices >= 1;      // the driver API in the same process
    ok = ok && cuDriverGetVersion(&version) == CUDA_SUCCESS && version > 0;
    std::printf("waves: %s\n", ok ? "ok" : "FAIL");
    return !ok;
}
