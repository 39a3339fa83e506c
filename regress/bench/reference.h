/* Plain C counterparts of kernels.cu (reference.c). c_bfs returns the number of levels. */
#ifndef BENCH_REFERENCE_H
#define BENCH_REFERENCE_H

void c_alu(unsigned *out, float *fout, int threads, int rounds);
void c_gemm(const float *a, const float *b, float *c, float alpha, float beta, int n);
int c_bfs(const int *row, const int *col, int *cost, int n);
void c_histogram(const unsigned *in, unsigned *bins, int n);

#endif
