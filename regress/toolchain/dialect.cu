// Spellings that nvcc accepts and clang alone does not.
#include <cinttypes>
#include <cstdio>
#include <iostream>
#include <vector>

#if !defined(__NVCC__) || __CUDACC_VER_MAJOR__ < 11 || !defined(__CUDACC__)
#error "no nvcc"
#endif

struct point {
    int x;
};

static std::ostream &operator<< (std::ostream &o, const point &p)
{
    return o << p.x;
}

template <class T> struct box {
    T value;
};

template <class T> __global__ void fill(T *out, T value)
{
    out[threadIdx.x] = value;
}

int main()
{
    register int blocks = 1;
    std::vector<std::vector<box<int> > > nested;
    int *out;
    const char *text = "k << < 1, 2 >> > (3)"; // << < in a comment
    cudaMallocManaged(&out, 4 * sizeof *out);
    fill<int> << < blocks, 4 >> > (out, 5);
    cudaDeviceSynchronize();
    std::cout << point{out[3]} << std::endl;
    printf("%"PRId64" %s\n", (int64_t)(nested.size() << 1), text);
    return out[0] != 5 || text[2] != '<' || text[4] != ' ';
}
