/* Tensor maps of the driver API (CUDA driver API, Tensor Map Object Management): checks of the description of a tensor
 * and its box, and their encoding (ptx/memory/tensor_map.h). No context is needed. */
#include "frontend/libcuda/cu.h"

#include <string.h>

#include "ptx/memory/tensor_map.h"

_Static_assert(sizeof(CUtensorMap) == sizeof(struct tensor_map), "128 bytes");

enum { ADDRESS_ALIGN = 16, ROW_ALIGN = 16 };
static const uint64_t most_elements = UINT64_C(1) << 32, stride_end = UINT64_C(1) << 40;

static const uint8_t element_bytes[TENSOR_TYPE_COUNT] = {
    [TENSOR_U8] = 1, [TENSOR_U16] = 2, [TENSOR_U32] = 4, [TENSOR_S32] = 4, [TENSOR_U64] = 8, [TENSOR_S64] = 8,
    [TENSOR_F16] = 2, [TENSOR_F32] = 4, [TENSOR_F64] = 8, [TENSOR_BF16] = 2, [TENSOR_F32_FTZ] = 4, [TENSOR_TF32] = 4,
    [TENSOR_TF32_FTZ] = 4,
};

static bool is_integer(CUtensorMapDataType t)
{
    return t <= CU_TENSOR_MAP_DATA_TYPE_INT64;
}

/* ---- checks ---- */

static bool is_aligned(const void *p, uintptr_t bytes)
{
    return p && (uintptr_t)p % bytes == 0;
}

static bool enums_exist(CUtensorMapDataType t, CUtensorMapInterleave i, CUtensorMapSwizzle s, CUtensorMapL2promotion l,
                        CUtensorMapFloatOOBfill f)
{
    return t <= CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B && i <= CU_TENSOR_MAP_INTERLEAVE_32B &&
           s <= CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B && l <= CU_TENSOR_MAP_L2_PROMOTION_L2_256B &&
           f <= CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
}

static bool dimensions_fit(uint32_t rank, const cuuint64_t *elements, const cuuint64_t *strides,
                           const cuuint32_t *steps)
{
    if (!elements || !steps || (rank > 1 && !strides))
        return false;
    for (uint32_t i = 0; i < rank; i++) {
        bool stride = !i || (strides[i - 1] % ADDRESS_ALIGN == 0 && strides[i - 1] < stride_end);
        if (!stride || !elements[i] || elements[i] > most_elements || !steps[i] || steps[i] > TENSOR_STEP_MAX)
            return false;
    }
    return true;
}

static bool box_fits(uint32_t rank, const cuuint32_t *box)
{
    for (uint32_t i = 0; box && i < rank; i++)
        if (!box[i] || box[i] > TENSOR_BOX_MAX)
            return false;
    return box;
}

/* The corners of the window of im2col have 16, 8 or 5 bits, and the window has pixels. */
static bool window_fits(uint32_t rank, const cuuint64_t *elements, const int *lower, const int *upper)
{
    int end = rank == 3 ? 1 << 15 : rank == 4 ? 1 << 7 : 1 << 4;
    for (uint32_t i = 0; lower && upper && i < rank - 2; i++)
        if (lower[i] < -end || lower[i] >= end || upper[i] < -end || upper[i] >= end ||
            (int64_t)elements[i + 1] + upper[i] <= lower[i])
            return false;
    return lower && upper;
}

static uint32_t span_of(CUtensorMapSwizzle s)
{
    return s == CU_TENSOR_MAP_SWIZZLE_NONE ? 0 : 16u << s;
}

/* What exists on hardware and not here: interleaved layouts, packed elements, swizzles with larger atoms, and a row
 * shorter than the span of the swizzle, whose layout is not documented. */
static bool is_supported(CUtensorMapDataType t, CUtensorMapInterleave i, CUtensorMapSwizzle s, uint32_t row)
{
    return t <= CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ && i == CU_TENSOR_MAP_INTERLEAVE_NONE &&
           s <= CU_TENSOR_MAP_SWIZZLE_128B && row >= span_of(s);
}

/* ---- functions ---- */

/* Checks and sets the fields of both modes. m: a map in which box and the fields of its mode are set. */
static CUresult encode(CUtensorMap *map, struct tensor_map m, CUtensorMapDataType type, cuuint32_t rank, void *address,
                       const cuuint64_t *elements, const cuuint64_t *strides, const cuuint32_t *steps,
                       CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle, CUtensorMapFloatOOBfill outside)
{
    uint32_t row = type <= CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ ? m.box[0] * element_bytes[type] : 0;
    if ((interleave != CU_TENSOR_MAP_INTERLEAVE_NONE && rank < 3) ||
        (outside != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE && is_integer(type)) || row % ROW_ALIGN ||
        (span_of(swizzle) && swizzle <= CU_TENSOR_MAP_SWIZZLE_128B && row > span_of(swizzle)))
        return CUDA_ERROR_INVALID_VALUE;
    if (!is_supported(type, interleave, swizzle, row))
        return CUDA_ERROR_NOT_SUPPORTED;
    m.magic = TENSOR_MAP_MAGIC;
    m.address = cu_address(address);
    m.rank = (uint8_t)rank;
    m.type = (uint8_t)type;
    m.span = (uint8_t)span_of(swizzle);
    m.step[0] = 1;
    m.nan = outside != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
    for (uint32_t i = 0; i < rank; i++) {
        m.last[i] = (uint32_t)(elements[i] - 1);
        if (i) {
            m.stride[i - 1] = strides[i - 1];
            m.step[i] = (uint8_t)steps[i];
        }
    }
    memcpy(map, &m, sizeof m);
    return CUDA_SUCCESS;
}

CU_API CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                       const cuuint64_t *elements, const cuuint64_t *strides, const cuuint32_t *box,
                                       const cuuint32_t *steps, CUtensorMapInterleave interleave,
                                       CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                       CUtensorMapFloatOOBfill outside)
{
    struct tensor_map m = { .im2col = 0 };
    if (!is_aligned(map, TENSOR_MAP_ALIGN) || !is_aligned(address, ADDRESS_ALIGN) || rank < 1 || rank > TENSOR_DIMS ||
        !enums_exist(type, interleave, swizzle, promotion, outside) ||
        !dimensions_fit(rank, elements, strides, steps) || !box_fits(rank, box))
        return CUDA_ERROR_INVALID_VALUE;
    for (uint32_t i = 0; i < rank; i++)
        m.box[i] = (uint16_t)box[i];
    return encode(map, m, type, rank, address, elements, strides, steps, interleave, swizzle, outside);
}

CU_API CUresult cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                        const cuuint64_t *elements, const cuuint64_t *strides, const int *lower,
                                        const int *upper, cuuint32_t channels, cuuint32_t pixels,
                                        const cuuint32_t *steps, CUtensorMapInterleave interleave,
                                        CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                        CUtensorMapFloatOOBfill outside)
{
    struct tensor_map m = { .im2col = 1, .box = { (uint16_t)channels, (uint16_t)pixels } };
    if (!is_aligned(map, TENSOR_MAP_ALIGN) || !is_aligned(address, ADDRESS_ALIGN) || rank < 3 || rank > TENSOR_DIMS ||
        !enums_exist(type, interleave, swizzle, promotion, outside) ||
        !dimensions_fit(rank, elements, strides, steps) || !window_fits(rank, elements, lower, upper) || !channels ||
        channels > TENSOR_BOX_MAX || !pixels || pixels > TENSOR_PIXELS_MAX)
        return CUDA_ERROR_INVALID_VALUE;
    for (uint32_t i = 0; i < rank - 2; i++) {
        m.lower[i] = (int16_t)lower[i];
        m.upper[i] = (int16_t)upper[i];
    }
    return encode(map, m, type, rank, address, elements, strides, steps, interleave, swizzle, outside);
}

CU_API CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *address)
{
    struct tensor_map m;
    if (!is_aligned(map, TENSOR_MAP_ALIGN) || !is_aligned(address, ADDRESS_ALIGN))
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(&m, map, sizeof m);
    if (m.magic != TENSOR_MAP_MAGIC)
        return CUDA_ERROR_INVALID_VALUE;
    m.address = cu_address(address);
    memcpy(map, &m, sizeof m);
    return CUDA_SUCCESS;
}
