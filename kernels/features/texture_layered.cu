// Layered textures: one 1D table for each class and one 2D map for each layer, read and written (as layered surfaces)
// by kernels whose layer differs from lane to lane. Layers beyond the last one are clamped to it. Copies of single
// layers by cudaMemcpy3D. The host does the same with indices.
// also: --timing --config gtx480
#define PROGRAM "texture_layered"
#include "../texture.h"

__global__ void look_up(cudaTextureObject_t tables, cudaTextureObject_t maps, int *out, int count, int width,
                        int layers) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        int layer = i % (layers + 2), x = i * 7 % width, y = i * 3 % width;
        out[i] = tex1DLayered<int>(tables, x + 0.5f, layer) + 3 * tex2DLayered<int>(maps, x + 0.5f, y + 0.5f, layer);
    }
}

__global__ void add_to_layers(cudaSurfaceObject_t maps, int width, int layers) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % width, y = i / width % width, layer = i / width / width;
    if (layer < layers) {
        int v = surf2DLayeredread<int>(maps, x * 4, y, layer);
        surf2DLayeredwrite(v + 1000 * layer, maps, x * 4, y, layer);
    }
}

int main(int argc, char **argv) {
    const int width = 12, layers = 5;
    int count = size_argument(argc, argv, 1000, 1, 1 << 20);
    std::vector<int> tables(width * layers), maps(width * width * layers);
    for (size_t i = 0; i < tables.size(); i++) {
        tables[i] = (int)(i * 31 % 101);
    }
    for (size_t i = 0; i < maps.size(); i++) {
        maps[i] = (int)(i * 17 % 257) - 100;
    }
    cudaArray_t table_array = make_array(tables, width, 0, layers, cudaArrayLayered);
    cudaArray_t map_array = make_array(maps, width, width, layers, cudaArrayLayered | cudaArraySurfaceLoadStore);
    cudaTextureDesc desc = texture_desc(cudaAddressModeClamp, cudaFilterModePoint, false);
    cudaTextureObject_t table = make_texture(table_array, desc), map = make_texture(map_array, desc);
    int *out = device_zeros<int>(count);
    for (int round = 0; round < 2; round++) {
        look_up<<<blocks_for(count, 64), 64>>>(table, map, out, count, width, layers);
        CHECK_KERNEL();
        std::vector<int> expected(count);
        for (int i = 0; i < count; i++) {
            int layer = clamped(i % (layers + 2), layers), x = i * 7 % width, y = i * 3 % width;
            expected[i] = tables[layer * width + x] + 3 * maps[(layer * width + y) * width + x];
        }
        expect_same("values of layers", expected, to_host(out, count));
        cudaSurfaceObject_t surface = make_surface(map_array);
        add_to_layers<<<blocks_for(width * width * layers, 64), 64>>>(surface, width, layers);
        CHECK_KERNEL();
        CHECK(cudaDestroySurfaceObject(surface));
        for (int i = 0; i < width * width * layers; i++) {
            maps[i] += 1000 * (i / (width * width));
        }
    }
    std::vector<int> layer3(width * width);
    cudaMemcpy3DParms copy = {};
    copy.srcArray = map_array;
    copy.srcPos = make_cudaPos(0, 0, 3);
    copy.dstPtr = make_cudaPitchedPtr(layer3.data(), width * sizeof(int), width, width);
    copy.extent = make_cudaExtent(width, width, 1);
    copy.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&copy));
    std::vector<int> expected(maps.begin() + 3 * width * width, maps.begin() + 4 * width * width);
    expect_same("layer 3 copied to the host", expected, layer3);
    return pass();
}
