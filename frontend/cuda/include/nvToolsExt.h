/* NVTX, marks for profilers (NVIDIA Tools Extension Library, "NVTX C API"): without a profiler the functions do
 * nothing. */
#ifndef NVTOOLSEXT_H_
#define NVTOOLSEXT_H_

#include <stdint.h>
#include <wchar.h>

#define NVTX_VERSION 3
#define NVTX_SUCCESS 0
#define NVTX_NO_PUSH_POP_TRACKING (-2)
#define NVTX_INLINE static __inline__ __attribute__((unused))

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st *nvtxStringHandle_t;
typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN, NVTX_COLOR_ARGB } nvtxColorType_t;
typedef enum nvtxMessageType_t {
    NVTX_MESSAGE_UNKNOWN, NVTX_MESSAGE_TYPE_ASCII, NVTX_MESSAGE_TYPE_UNICODE, NVTX_MESSAGE_TYPE_REGISTERED
} nvtxMessageType_t;
typedef enum nvtxPayloadType_t {
    NVTX_PAYLOAD_UNKNOWN, NVTX_PAYLOAD_TYPE_UNSIGNED_INT64, NVTX_PAYLOAD_TYPE_INT64, NVTX_PAYLOAD_TYPE_DOUBLE,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT32, NVTX_PAYLOAD_TYPE_INT32, NVTX_PAYLOAD_TYPE_FLOAT
} nvtxPayloadType_t;
typedef union nvtxMessageValue_t {
    const char *ascii;
    const wchar_t *unicode;
    nvtxStringHandle_t registered;
} nvtxMessageValue_t;
typedef struct nvtxEventAttributes_v2 {
    uint16_t version, size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType, reserved0;
    union payload_t {
        uint64_t ullValue;
        int64_t llValue;
        double dValue;
        uint32_t uiValue;
        int32_t iValue;
        float fValue;
    } payload;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxEventAttributes_t;
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))

NVTX_INLINE void nvtxInitialize(const void *reserved) { (void)reserved; }
NVTX_INLINE nvtxDomainHandle_t nvtxDomainCreateA(const char *name) { return (void)name, (nvtxDomainHandle_t)0; }
NVTX_INLINE void nvtxDomainDestroy(nvtxDomainHandle_t d) { (void)d; }
NVTX_INLINE nvtxStringHandle_t nvtxDomainRegisterStringA(nvtxDomainHandle_t d, const char *text)
{
    return (void)d, (void)text, (nvtxStringHandle_t)0;
}

NVTX_INLINE void nvtxMarkA(const char *text) { (void)text; }
NVTX_INLINE void nvtxMarkEx(const nvtxEventAttributes_t *a) { (void)a; }
NVTX_INLINE void nvtxDomainMarkEx(nvtxDomainHandle_t d, const nvtxEventAttributes_t *a) { (void)d, (void)a; }
NVTX_INLINE nvtxRangeId_t nvtxRangeStartA(const char *text) { return (void)text, (nvtxRangeId_t)0; }
NVTX_INLINE nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t *a) { return (void)a, (nvtxRangeId_t)0; }
NVTX_INLINE void nvtxRangeEnd(nvtxRangeId_t id) { (void)id; }
NVTX_INLINE int nvtxRangePushA(const char *text) { return (void)text, NVTX_NO_PUSH_POP_TRACKING; }
NVTX_INLINE int nvtxRangePushEx(const nvtxEventAttributes_t *a) { return (void)a, NVTX_NO_PUSH_POP_TRACKING; }
NVTX_INLINE int nvtxRangePop(void) { return NVTX_NO_PUSH_POP_TRACKING; }
NVTX_INLINE int nvtxDomainRangePushEx(nvtxDomainHandle_t d, const nvtxEventAttributes_t *a)
{
    return (void)d, (void)a, NVTX_NO_PUSH_POP_TRACKING;
}
NVTX_INLINE int nvtxDomainRangePop(nvtxDomainHandle_t d) { return (void)d, NVTX_NO_PUSH_POP_TRACKING; }
NVTX_INLINE void nvtxNameCategoryA(uint32_t category, const char *name) { (void)category, (void)name; }
NVTX_INLINE void nvtxNameOsThreadA(uint32_t thread, const char *name) { (void)thread, (void)name; }

#define nvtxDomainCreate nvtxDomainCreateA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA
#define nvtxMark nvtxMarkA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxRangePush nvtxRangePushA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxNameOsThread nvtxNameOsThreadA

#endif
