// Calls whose target is known only at run time: virtual functions through objects built on the device
// (vtables in device memory), pure virtual and overridden twice, calls through base references, tables of
// function pointers in __device__ memory, pointers passed between kernels, and member pointers. Lanes of one
// warp take different targets. The shapes' areas and the arithmetic have closed forms on the host.
#define PROGRAM "virtual_calls"
#include "../check.h"

struct Shape {
    int scale;
    __device__ explicit Shape(int s) : scale(s) {}
    __device__ virtual int area() const = 0;
    __device__ virtual int twice() const { return 2 * area(); }
    __device__ virtual ~Shape() {}
};

struct Square : Shape {
    int side;
    __device__ Square(int s, int a) : Shape(s), side(a) {}
    __device__ int area() const override { return scale * side * side; }
};

struct Box : Square {
    int other;
    __device__ Box(int s, int a, int b) : Square(s, a), other(b) {}
    __device__ int area() const override { return scale * side * other; }
    __device__ int twice() const override { return Square::area() + area(); }
};

struct Triangle : Shape {
    int base, height;
    __device__ Triangle(int s, int b, int h) : Shape(s), base(b), height(h) {}
    __device__ int area() const override { return scale * base * height / 2; }
};

__global__ void make_shapes(Shape **shapes, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        switch (i % 3) {
        case 0:
            shapes[i] = new Square(i % 5 + 1, i % 11);
            break;
        case 1:
            shapes[i] = new Box(i % 5 + 1, i % 11, i % 7);
            break;
        default:
            shapes[i] = new Triangle(i % 5 + 1, i % 13, i % 6);
        }
    }
}

__device__ __noinline__ int measure(const Shape &shape) {
    return 1000 * shape.area() + shape.twice();
}

__global__ void measure_shapes(Shape *const *shapes, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = measure(*shapes[i]);
    }
}

__global__ void delete_shapes(Shape **shapes, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        delete shapes[i];
        shapes[i] = nullptr;
    }
}

typedef int (*Operation)(int, int);

__device__ __noinline__ int add(int a, int b) {
    return a + b;
}

__device__ __noinline__ int subtract(int a, int b) {
    return a - b;
}

__device__ __noinline__ int multiply(int a, int b) {
    return a * b;
}

__device__ __noinline__ int weave(int a, int b) {
    return a % 2 ? add(a, b) : multiply(subtract(a, b), 3);
}

__device__ Operation operations[4] = {add, subtract, multiply, weave};

__global__ void apply_table(const int *choice, const int *a, const int *b, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = operations[choice[i]](a[i], b[i]);
    }
}

__global__ void choose(Operation *chosen, int which) {
    *chosen = operations[which];
}

__global__ void apply_chosen(const Operation *chosen, const int *a, const int *b, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = (*chosen)(a[i], b[i]);
    }
}

static int host_operation(int which, int a, int b) {
    switch (which) {
    case 0:
        return a + b;
    case 1:
        return a - b;
    case 2:
        return a * b;
    default:
        return a & 1 ? a + b : 3 * (a - b);
    }
}

static int host_measure(int i) {
    int scale = i % 5 + 1, area, twice;
    if (i % 3 == 0) {
        area = scale * (i % 11) * (i % 11);
        twice = 2 * area;
    } else if (i % 3 == 1) {
        area = scale * (i % 11) * (i % 7);
        twice = area + scale * (i % 11) * (i % 11);
    } else {
        area = scale * (i % 13) * (i % 6) / 2;
        twice = 2 * area;
    }
    return 1000 * area + twice;
}

int main(int argc, char **argv) {
    int n = size_argument(argc, argv, 700, 1, 1 << 16), blocks = blocks_for(n, 64);
    Shape **shapes = device_zeros<Shape *>(n);
    int *out = device_zeros<int>(n);
    make_shapes<<<blocks, 64>>>(shapes, n);
    measure_shapes<<<blocks, 64>>>(shapes, out, n);
    delete_shapes<<<blocks, 64>>>(shapes, n);
    CHECK_KERNEL();
    std::vector<int> got = to_host(out, n);
    for (int i = 0; i < n; i++) {
        expect_equal("shape", i, host_measure(i), got[i]);
    }

    Lcg random(26);
    std::vector<int> choice(n), a(n), b(n);
    for (int i = 0; i < n; i++) {
        choice[i] = (int)random.below(4);
        a[i] = (int)random.below(1000);
        b[i] = (int)random.below(1000) - 500;
    }
    int *a_device = to_device(a), *b_device = to_device(b);
    apply_table<<<blocks, 64>>>(to_device(choice), a_device, b_device, out, n);
    CHECK_KERNEL();
    got = to_host(out, n);
    for (int i = 0; i < n; i++) {
        expect_equal("function table", i, host_operation(choice[i], a[i], b[i]), got[i]);
    }
    Operation *chosen = device_zeros<Operation>(1);
    for (int which = 0; which < 4; which++) {
        choose<<<1, 1>>>(chosen, which);
        apply_chosen<<<blocks, 64>>>(chosen, a_device, b_device, out, n);
        CHECK_KERNEL();
        got = to_host(out, n);
        for (int i = 0; i < n; i++) {
            expect_equal("stored function pointer", i, host_operation(which, a[i], b[i]), got[i]);
        }
    }
    return pass();
}
