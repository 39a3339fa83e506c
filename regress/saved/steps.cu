// A host that does several things before the last launch; an argument changes one of them.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

__global__ void step(int *data, int n, int add) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = data[i] * 3 + add;
}

__global__ void last(int *data, int n, int *sum) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(sum, data[i]);
}

int main(int argc, char **argv) {
    const int n = 10000, blocks = (n + 255) / 256;
    const char *change = argc > 1 ? argv[1] : "nothing";
    auto is = [&](const char *name) { return !strcmp(change, name); };
    int *data, *more = nullptr, *managed, *sum, host[100], result;
    cudaMalloc(&data, n * sizeof *data * (is("size") ? 2 : 1));
    if (is("unchecked"))
        return 0;
    if (is("devices"))
        return cudaSetDevice(1) || cudaFree(nullptr);
    cudaMallocManaged(&managed, 100 * sizeof *managed);
    cudaMalloc(&sum, sizeof *sum);
    if (is("more"))
        cudaMalloc(&more, 1);
    static int registered[1000];
    if (is("registered"))
        cudaHostRegister(registered, sizeof registered, cudaHostRegisterDefault);
    cudaMemset(data, is("value") ? 2 : 1, n * sizeof *data);
    cudaMemset(sum, 0, sizeof *sum);
    for (int i = 0; i < 100; i++)
        host[i] = i + is("data");
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
    if (is("managed"))
        managed[50] = 1;
    cudaLaunchAttribute shape{};
    shape.id = cudaLaunchAttributeClusterDimension;
    shape.val.clusterDim.x = 2;
    shape.val.clusterDim.y = shape.val.clusterDim.z = 1;
    cudaLaunchConfig_t first{};
    first.gridDim = blocks;
    first.blockDim = is("block") ? 128 : 256;
    first.attrs = &shape;
    first.numAttrs = is("cluster");
    cudaLaunchKernelEx(&first, step, data, n, is("argument") ? 6 : 5);
    step<<<1, 100>>>(managed, 100, 7);
    cudaDeviceSynchronize();
    cudaMemcpy(host, data, sizeof *host * (is("read") ? 99 : 100), cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", host[0], host[99], managed[3]);
    for (int i = 0; i < host[9] % 4 + (is("launches") ? 1 : 2); i++)
        step<<<blocks, 256>>>(data, n, i);
    if (is("fork") || is("child")) { // a child that only ends, or uses the device
        fflush(stdout);
        int status = 0;
        if (!fork())
            exit(is("child") && cudaMemset(data, 0, 4) ? 3 : 0);
        wait(&status);
        fprintf(stderr, "child: %d\n", WEXITSTATUS(status));
    }
    if (!is("none"))
        last<<<blocks, 256>>>(data, n, sum);
    cudaMemcpy(&result, sum, sizeof result, cudaMemcpyDeviceToHost);
    printf("%d %s\n", result, cudaGetErrorString(cudaGetLastError()));
    return 0;
}
