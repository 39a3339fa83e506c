// Host threads by OpenMP: each adds to its part of a vector on a stream of its own.
#include <omp.h>

#include <cstdio>
#include <vector>

enum { PART = 100, ROUNDS = 7, MOST = 4 };

__global__ void add(int *part, int amount)
{
    part[threadIdx.x] += amount;
}

int main()
{
    int *data, sum = 0, threads = 0;
    cudaMalloc(&data, MOST * PART * sizeof *data);
    cudaMemset(data, 0, MOST * PART * sizeof *data);
#pragma omp parallel num_threads(MOST) reduction(+ : sum)
    {
        int me = omp_get_thread_num();
        std::vector<int> got(PART);
        cudaStream_t stream;
        cudaStreamCreate(&stream);
        for (int i = 0; i < ROUNDS; i++)
            add<<<1, PART, 0, stream>>>(data + me * PART, me + 1);
        cudaMemcpyAsync(got.data(), data + me * PART, PART * sizeof(int), cudaMemcpyDeviceToHost, stream);
        cudaStreamSynchronize(stream);
        for (int v : got)
            sum += v;
        cudaStreamDestroy(stream);
#pragma omp atomic
        threads++;
    }
    bool right = threads > 0 && sum == PART * ROUNDS * threads * (threads + 1) / 2;
    printf("%s\n", right ? "right" : "wrong");
    return !right;
}
