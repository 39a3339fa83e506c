// A wave on a string: each step computes the heights of all points from the last two.
#include "waves.h"

__global__ void step(const int *before, const int *now, int *after, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        after[i] = i == 0 || i == n - 1 ? 0 : now[i - 1] + now[i + 1] - before[i];
}

void wave_steps(int *heights[3], int n, int steps)
{
    for (int s = 0; s < steps; s++)
        step<<<(n + 63) / 64, 64>>>(heights[s % 3], heights[(s + 1) % 3], heights[(s + 2) % 3], n);
}
