// A vector that grows without moving: an address range, to which memory is added piece by piece. A kernel
// fills the vector over the borders of the pieces; a second address of one piece shows the same memory.
#define PROGRAM "virtual_vector"
#include <cuda.h>
#include "../check.h"

#define CHECK_CU(call) expect_equal(#call, __LINE__, CUDA_SUCCESS, call)

static const int PIECES = 4;

__global__ void fill(unsigned *p, size_t n) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        p[i] += (unsigned)i * 7 + 1;
    }
}

int main(int argc, char **argv) {
    CUmemAllocationProp prop = {};
    CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUmemGenericAllocationHandle piece[PIECES];
    CUdeviceptr vector, alias;
    size_t bytes;
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location = access.location;
    CHECK(cudaFree(0));
    CHECK_CU(cuMemGetAllocationGranularity(&bytes, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    CHECK_CU(cuMemAddressReserve(&vector, PIECES * bytes, 0, 0, 0));
    size_t each = bytes / sizeof(unsigned);
    for (int k = 0; k < PIECES; k++) {
        CHECK_CU(cuMemCreate(&piece[k], bytes, &prop, 0));
        CHECK_CU(cuMemMap(vector + k * bytes, bytes, 0, piece[k], 0));
        CHECK_CU(cuMemSetAccess(vector, (k + 1) * bytes, &access, 1));
        fill<<<32, 256>>>((unsigned *)vector, (k + 1) * each);
        CHECK(cudaDeviceSynchronize());
    }
    std::vector<unsigned> got = to_host((unsigned *)vector, PIECES * each);
    for (size_t i = 0; i < got.size(); i += 997) {
        expect_equal("element", i, ((unsigned)i * 7 + 1) * (PIECES - (unsigned)(i / each)), got[i]);
    }
    CHECK_CU(cuMemAddressReserve(&alias, bytes, 0, 0, 0));
    CHECK_CU(cuMemMap(alias, bytes, 0, piece[2], 0));
    CHECK_CU(cuMemSetAccess(alias, bytes, &access, 1));
    std::vector<unsigned> third = to_host((unsigned *)alias, each);
    expect_same("the second address", std::vector<unsigned>(got.begin() + 2 * each, got.begin() + 3 * each), third);
    CHECK_CU(cuMemUnmap(alias, bytes));
    CHECK_CU(cuMemUnmap(vector, PIECES * bytes));
    CHECK_CU(cuMemAddressFree(alias, bytes));
    CHECK_CU(cuMemAddressFree(vector, PIECES * bytes));
    for (int k = 0; k < PIECES; k++) {
        CHECK_CU(cuMemRelease(piece[k]));
    }
    return pass();
}
