__device__ int scaled(int x);
__global__ void second(int *out);
int counter_of_other();
