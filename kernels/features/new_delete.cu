/*
 * Device new and delete without <new>, virtual destructors: each thread builds an object behind a base pointer, uses it
 * through virtual calls and deletes it. The host knows the sums; after every thread has deleted its objects the heap
 * must be empty again, which a second launch that needs all of it shows.
 */
#define PROGRAM "new_delete"
#include "../check.h"

struct Shape {
    __device__ virtual ~Shape() {}
    __device__ virtual int area() const = 0;
};

struct Square : Shape {
    int side;
    __device__ explicit Square(int s) : side(s) {}
    __device__ int area() const override { return side * side; }
};

struct Steps : Shape {
    int n, *height;
    __device__ explicit Steps(int count) : n(count), height(new int[count])
    {
        for (int i = 0; i < n; i++)
            height[i] = i + 1;
    }
    __device__ ~Steps() override { delete[] height; }
    __device__ int area() const override
    {
        int sum = 0;
        for (int i = 0; i < n; i++)
            sum += height[i];
        return sum;
    }
};

__global__ void build(int *out, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n)
        return;
    Shape *s = t % 3 ? static_cast<Shape *>(new Square(t)) : new Steps(t);
    out[t] = s->area();
    delete s;
}

__global__ void fill_heap(size_t bytes, int *got)
{
    void *p = malloc(bytes);
    *got = p != nullptr;
    free(p);
}

int main()
{
    const int n = 500;
    int *out = device_zeros<int>(n), *got = device_zeros<int>(1);
    build<<<blocks_for(n, 128), 128>>>(out, n);
    CHECK_KERNEL();
    std::vector<int> areas = to_host(out, n);
    for (int t = 0; t < n; t++)
        expect_equal("area", (long)t, t % 3 ? t * t : t * (t + 1) / 2, areas[t]);
    size_t heap = 0;
    CHECK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
    fill_heap<<<1, 1>>>(heap - 1024, got);
    CHECK_KERNEL();
    expect_equal("heap is free again", 0L, 1, to_host(got, 1)[0]);
    return pass();
}
