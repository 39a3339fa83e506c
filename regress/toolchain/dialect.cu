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

// alignas after a memory space.
__constant__ alignas(8) float scale[3] = {1, 2, 3};
__device__ alignas(point) int offset = 0;

template <class T> __global__ void aligned(unsigned *out)
{
    extern __shared__ alignas(16) unsigned char dynamic[];
    __shared__ alignas(
        alignof(double2)) T fixed[3][4];
    fixed[0][0] = (T)scale[threadIdx.x] + offset;
    out[0] = (unsigned)(size_t)dynamic % 16 + (unsigned)(size_t)&fixed[0][1] % 16;
    out[1] = (unsigned)fixed[0][0];
}

// Registers with one % beside operands, with two, and without operands.
__global__ void registers(unsigned *out)
{
    asm volatile("mov.u32 %0, %ctaid.x;"   // a comment: "%tid"
                 " add.u32 %0, %0, %1;" : "=r"(out[0]) : "r"(40u));
    asm("{ .reg .u32 %once; mov.u32 %once, %%ntid.x; mov.u32 %0, %once; }" : "=r"(out[1]));
    asm volatile("bar.sync 0;");
}

// Copies of the built-in variables.
static __device__ unsigned sum_of(uint3 index, dim3 size) { return index.x + 10 * index.y + 100 * size.y; }

template <class Index> static __device__ unsigned x_of(Index index) { return index.x; }

__global__ void indices(unsigned *out)
{
    const auto thread = threadIdx;
    auto block = blockIdx;
    auto blocks = gridDim;
    auto size = blockDim;
    unsigned i = thread.x + size.x * (thread.y + size.y * (block.x + blocks.x * block.y));
    out[i] = sum_of(threadIdx, blockDim) + 1000 * x_of(blockIdx) + 10000 * [size] { return size.x; }();
}

static bool check_indices()
{
    unsigned *out;
    bool right = true;
    cudaMallocManaged(&out, 36 * sizeof *out);
    indices<<<dim3(3, 2), dim3(2, 3)>>>(out);
    cudaDeviceSynchronize();
    for (unsigned i = 0; i < 36; i++)
        right &= out[i] == i % 2 + 10 * (i / 2 % 3) + 300 + 1000 * (i / 6 % 3) + 20000;
    return right;
}

// Shapes of clusters that depend on template parameters and constants; the ':' and the line end are part of the shape.
constexpr int TWO = 2;

template <int ROWS, class Shape> __global__ void
__cluster_dims__(ROWS > 64 ? 2 : 1,    // a comment, with }
                 Shape::columns)
__launch_bounds__(32) clusters(unsigned *out, unsigned (*nothing)[2] = nullptr)
{
    asm volatile("mov.u32 %0, %cluster_nctarank;" : "=r"(*out));
}

__cluster_dims__(4 / TWO, 1, 1) static __global__ void halves(unsigned *out) {
    asm volatile("mov.u32 %0, %cluster_nctarank;" : "=r"(*out));
}

__global__ void __cluster_dims__(2) declared(unsigned *out);
__global__ void declared(unsigned *out) { asm volatile("mov.u32 %0, %cluster_nctarank;" : "=r"(*out)); }

#ifdef __CUDACC__
__cluster_dims__(4)
#endif
__global__ void conditional(unsigned *out) { asm volatile("mov.u32 %0, %cluster_nctarank;" : "=r"(*out)); }

// Commas in a shape, a line that goes on, digit separators; no code in raw strings.
template <int ROWS, int COLUMNS> struct Product {
    static constexpr int value = ROWS * COLUMNS;
};
struct Pair {
    int first, second;
};

static const char raw[] = R"x(
__shared__ alignas(16) __cluster_dims__(3) k() { << < " )x";
static const int thousand = 1'000; __global__ void __cluster_dims__(Product<2, 1>::value, \
    Pair{1'0, 2}.second /* ) */, 1) commas(unsigned *out) { asm volatile("mov.u32 %0, %cluster_nctarank;" : "=r"(*out)); }

// A body in a macro of the program: the shape must not become that of the next kernel.
#define BODY(...) { __VA_ARGS__ }
__global__ void __cluster_dims__(2) in_macro(unsigned *out)
    BODY(asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(*out));)
static int next_function() { return 1; }
__global__ void next_kernel(unsigned *out) { asm volatile("mov.u32 %0, %cluster_nctarank;" : "=r"(*out)); }

struct Columns {
    static constexpr int columns = 2;
};

static unsigned cluster_of(void (*kernel)(unsigned *), dim3 grid)
{
    unsigned *out, got;
    cudaMallocManaged(&out, sizeof *out);
    *out = 0;
    kernel<<<grid, 32>>>(out);
    cudaDeviceSynchronize();
    got = *out;
    cudaFree(out);
    return got;
}

static bool check_clusters()
{
    unsigned *out;
    cudaMallocManaged(&out, 2 * sizeof *out);
    clusters<128, Columns><<<dim3(4, 4), 32>>>(&out[0]);
    clusters<64, Columns><<<dim3(4, 4), 32>>>(&out[1]);
    cudaDeviceSynchronize();
    return out[0] == 4 && out[1] == 2 && cluster_of(halves, 4) == 2 && cluster_of(declared, 4) == 2 &&
        cluster_of(conditional, 4) == 4 && cluster_of(commas, dim3(2, 2)) == 4 && cluster_of(in_macro, 4) == 2 &&
        cluster_of(next_kernel, 4) == 1 && next_function() == 1 &&
        !strcmp(raw, "\n__shared__ alignas(16) __cluster_dims__(3) k() { << < \" ") && thousand == 1000 &&
        cluster_of(halves, 3) == 0 && cudaGetLastError() == cudaErrorInvalidClusterSize;
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
    unsigned *places;
    cudaMallocManaged(&places, 2 * sizeof *places);
    aligned<float><<<1, 1, 64>>>(places);
    cudaDeviceSynchronize();
    unsigned *read;
    cudaMallocManaged(&read, 2 * sizeof *read);
    registers<<<3, 7>>>(read);
    cudaDeviceSynchronize();
    if (read[0] < 40 || read[0] > 42 || read[1] != 7 || !check_clusters() || !check_indices())
        return 1;
#ifdef __x86_64__
    unsigned bytes = 0x1234;                   // the host's assembly has modifiers of operands
    asm("xchgb %b0, %h0" : "+Q"(bytes));
    if (bytes != 0x3412)
        return 1;
#endif
    return places[0] != 4 || places[1] != 1 || out[0] != 5 || text[2] != '<' || text[4] != ' ';
}
