/* The benchmark's kernels as plain C, compiled with gcc -O2: what the same work costs without a simulator. */
#include "regress/bench/reference.h"

void c_alu(unsigned *out, float *fout, int threads, int rounds)
{
    for (int k = 0; k < threads; k++) {
        unsigned t = (unsigned)k, a = t * 2654435761u, b = t ^ 0x9e3779b9u;
        float x = (float)t, y = 1.0f;
        for (int i = 0; i < rounds; i++) {
            a = a * 1664525u + 1013904223u;
            b ^= a >> 7;
            x = x * 0.999f + 1.0f;
            y = y * 0.5f + x;
            b += a << 3;
            a ^= b;
        }
        out[k] = a + b;
        fout[k] = x + y;
    }
}

void c_gemm(const float *a, const float *b, float *c, float alpha, float beta, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            c[i * n + j] *= beta;
            for (int k = 0; k < n; k++)
                c[i * n + j] += alpha * a[i * n + k] * b[k * n + j];
        }
}

int c_bfs(const int *row, const int *col, int *cost, int n)
{
    int level = 0;
    for (int more = 1; more; level++) {
        more = 0;
        for (int v = 0; v < n; v++) {
            if (cost[v] != level)
                continue;
            for (int e = row[v]; e < row[v + 1]; e++)
                if (cost[col[e]] < 0) {
                    cost[col[e]] = level + 1;
                    more = 1;
                }
        }
    }
    return level;
}

void c_histogram(const unsigned *in, unsigned *bins, int n)
{
    for (int i = 0; i < n; i++)
        bins[in[i] & 255]++;
}
