// The second unit (units_a.cu): the same names with other meanings.
static __constant__ int table[4] = {7, 7, 7, 7};
static __device__ int total;

static __global__ void combine(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[i] + table[i % 4];
        atomicAdd(&total, 2);
    }
}

int run_unit_b(const int *in, int *out, int n)
{
    int sum = -1;
    combine<<<(n + 255) / 256, 256>>>(in, out, n);
    if (cudaMemcpyFromSymbol(&sum, total, sizeof sum) != cudaSuccess)
        return -1;
    return sum;
}
