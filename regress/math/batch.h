/* Evaluation of a function of functions.def in the simulator (batch.cu). */
#ifndef SIMTX_MATH_BATCH_H
#define SIMTX_MATH_BATCH_H

#ifdef __cplusplus
extern "C" {
#endif

/* y[i] = name(x[i], x[n + i], ...) for i < n, in float or double; 0 after printing an error */
int device_evaluate(const char *name, int single, const void *x, int arity, void *y, int n);

#ifdef __cplusplus
}
#endif
#endif
