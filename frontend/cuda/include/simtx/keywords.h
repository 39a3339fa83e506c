/* Attribute shorthands for these headers.  clang's wrapper redefines __host__ and __forceinline__ around some
 * of its includes, so the attributes are spelled out here. Headers that programs include after their own macros write
 * parameters of one letter as T_, because programs define macros of one letter. Device functions have no line numbers
 * (nodebug): the instructions of a call get the line of the call, which reports of faults name. */
#ifndef SIMTX_KEYWORDS_H
#define SIMTX_KEYWORDS_H
#if defined(__CUDA__) && defined(__clang__)
#define SIMTX_CUDA
#define SIMTX_DEV static __inline__ __attribute__((always_inline, nodebug, device, unused))
#define SIMTX_HOST static __inline__ __attribute__((host, unused))
#define SIMTX_BOTH static __inline__ __attribute__((always_inline, nodebug, host, device, unused))
#define SIMTX_DEV_MEMBER __inline__ __attribute__((always_inline, nodebug, device))
#define SIMTX_MEMBER __inline__ __attribute__((always_inline, nodebug, host, device))
#else /* C++ for the host alone: without the functions for devices */
#define SIMTX_HOST static __inline__ __attribute__((unused))
#define SIMTX_BOTH static __inline__ __attribute__((unused))
#define SIMTX_MEMBER __inline__
#endif
#endif
