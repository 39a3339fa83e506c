// Every family of device functions that the headers offer, used once: it must compile to PTX on every
// architecture and leave nothing undefined.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <math_constants.h>
#include <simtx_atomic.h>
#include <simtx_tm.h>

namespace cg = cooperative_groups;

#define ALL_OPS(T, p, v) atomicAdd(p, v), atomicExch(p, v), atomicCAS(p, v, (T)(v + 1))

__global__ void atomics(int *i, unsigned *u, unsigned long long *ull, long long *ll, float *f, double *d)
{
    i[0] = ALL_OPS(int, i, 3) + atomicSub(i, 1) + atomicMin(i, 2) + atomicMax(i, 9) + atomicAnd(i, 7) +
           atomicOr(i, 8) + atomicXor(i, 1);
    u[0] = ALL_OPS(unsigned, u, 3u) + atomicSub(u, 1u) + atomicMin(u, 2u) + atomicMax(u, 9u) +
           atomicInc(u, 5u) + atomicDec(u, 5u) + atomicAnd(u, 7u) + atomicOr(u, 8u) + atomicXor(u, 1u);
    ull[0] = ALL_OPS(unsigned long long, ull, 3ull) + atomicMin(ull, 2ull) + atomicMax(ull, 9ull) +
             atomicAnd(ull, 7ull) + atomicOr(ull, 8ull) + atomicXor(ull, 1ull);
    ll[0] = atomicMin(ll, 2ll) + atomicMax(ll, 9ll);
    f[0] = atomicAdd(f, 1.0f) + atomicExch(f, 2.0f);
    d[0] = atomicAdd(d, 1.0);
    i[1] = atomicAdd_block(i, 1) + atomicAdd_system(i, 1) + atomicCAS_block(i, 1, 2) + atomicSub_system(i, 4);
    f[1] = atomicAdd_block(f, 1.0f) + atomicAdd_system(f, 1.0f);
    d[1] = atomicAdd_block(d, 1.0) + atomicAdd_system(d, 1.0);
}

__global__ void warp(int *i, unsigned *u, long long *ll, unsigned long long *ull, float *f, double *d)
{
    const unsigned full = 0xffffffffu;
    int t = threadIdx.x;
    i[t] = __shfl_sync(full, i[t], 3) + __shfl_up_sync(full, i[t], 1) + __shfl_down_sync(full, i[t], 1, 16) +
           __shfl_xor_sync(full, i[t], 2) + __shfl(i[t], 0) + __shfl_up(i[t], 1) + __shfl_down(i[t], 1) +
           __shfl_xor(i[t], 1);
    u[t] = __shfl_sync(full, u[t], 3) + __shfl_xor(u[t], 1);
    ll[t] = __shfl_sync(full, ll[t], 3) + __shfl(ll[t], 1);
    ull[t] = __shfl_sync(full, ull[t], 3) + __shfl_down(ull[t], 1u);
    f[t] = __shfl_sync(full, f[t], 3) + __shfl_up(f[t], 1u);
    d[t] = __shfl_sync(full, d[t], 3) + __shfl(d[t], 1);
    u[t] += __ballot_sync(full, t & 1) + __ballot(t > 3) + __activemask();
    i[t] += __all_sync(full, t) + __any_sync(full, t) + __uni_sync(full, t) + __all(t) + __any(t);
    __syncwarp();
    __syncwarp(full);
    i[t] += __syncthreads_count(t) + __syncthreads_and(t) + __syncthreads_or(t);
    __syncthreads();
    __barrier_sync(1);
    __barrier_sync_count(2, 64);
    __threadfence_block();
    __threadfence();
    __threadfence_system();
}

__global__ void bits(unsigned *u, int *i, unsigned long long *ull, long long *ll, float *f, double *d)
{
    unsigned a = u[0], b = u[1], c = u[2];
    u[3] = __popc(a) + __popcll(ull[0]) + __clz(a) + __clzll(ll[0]) + __ffs(a) + __ffsll(ll[0]) + __brev(a);
    ull[1] = __brevll(ull[0]);
    u[4] = __byte_perm(a, b, c) + __funnelshift_l(a, b, c) + __funnelshift_lc(a, b, c) +
           __funnelshift_r(a, b, c) + __funnelshift_rc(a, b, c);
    i[0] = __mul24(i[1], i[2]) + __umul24(a, b) + __mulhi(i[1], i[2]) + __umulhi(a, b) + __hadd(i[1], i[2]) +
           __rhadd(i[1], i[2]) + __sad(i[1], i[2], a) + __usad(a, b, c);
    ll[1] = __mul64hi(ll[0], ll[2]) + __umul64hi(ull[0], ull[2]);
    u[5] = __vadd2(a, b) + __vadd4(a, b) + __vsub4(a, b) + __vabsdiffu4(a, b) + __vmaxu4(a, b) +
           __vmins2(a, b) + __vaddus4(a, b) + __vavgu4(a, b) + __vcmpeq4(a, b) + __vseteq2(a, b) +
           __vsadu4(a, b) + __vneg4(a) + __vabs4(a) + __vhaddu4(a, b) + __vsubss2(a, b);
    i[3] = __float_as_int(f[0]) + __double2hiint(d[0]) + __double2loint(d[0]) + __float2int_rn(f[0]) +
           __float2int_rz(f[0]) + __double2int_rd(d[0]) + (int)__float2ll_ru(f[0]) +
           (int)__float2uint_rz(f[0]);
    f[1] = __int_as_float(i[0]) + __int2float_rz(i[1]) + __uint2float_rn(a) + __double2float_ru(d[0]) +
           __ll2float_rn(ll[0]);
    d[1] = __longlong_as_double(ll[0]) + __hiloint2double(i[0], i[1]) + __int2double_rn(i[0]) +
           __ull2double_rd(ull[0]);
    u[6] = (unsigned)clock() + (unsigned)clock64() + (unsigned)simtx_globaltimer();
    __shared__ int s[4];
    s[threadIdx.x & 3] = i[4];
    u[7] = __isShared(s) + __isGlobal(u) + __isLocal(&a) + __isConstant(u);
    u[8] = (unsigned)__cvta_generic_to_shared(s) + (unsigned)__cvta_generic_to_global(u);
    i[5] = *(int *)__cvta_shared_to_generic(__cvta_generic_to_shared(s));
}

__global__ void memory(int *i, float4 *f4, const float4 *__restrict__ cf4, char *c, uchar4 *uc4, double2 *d2)
{
    i[0] = __ldg(i + 1) + __ldca(i + 2) + __ldcg(i + 3) + __ldcs(i + 4) + __ldlu(i + 5) + __ldcv(i + 6);
    f4[0] = __ldg(cf4 + 1);
    f4[1] = __ldcg(cf4 + 2);
    c[0] = __ldg(c + 1) + __ldcs(c + 2);
    uc4[0] = __ldg(uc4 + 1);
    uc4[2] = __ldcg(uc4 + 3);
    d2[0] = __ldg(d2 + 1);
    __stcg(i + 7, 1);
    __stcs(f4 + 3, f4[1]);
    __stwb(c + 4, (char)3);
    __stwt(d2 + 4, d2[0]);
}

__global__ void rounding(float *f, double *d)
{
    float a = f[0], b = f[1];
    f[2] = __fadd_rn(a, b) + __fsub_rz(a, b) + __fmul_rd(a, b) + __fdiv_ru(a, b) + __frcp_rn(a) +
           __fsqrt_rn(a) + __frsqrt_rn(a) + __fmaf_rz(a, b, a) + __saturatef(a) + __fdividef(a, b) +
           fdividef(a, b);
    d[2] = __dadd_rn(d[0], d[1]) + __dsub_rn(d[0], d[1]) + __dmul_rz(d[0], d[1]) + __ddiv_rn(d[0], d[1]) +
           __drcp_rn(d[0]) + __dsqrt_rd(d[0]) + __fma_rn(d[0], d[1], d[0]);
    f[3] = __sinf(a) + __cosf(a) + __tanf(a) + __expf(a) + __exp10f(a) + __logf(a) + __log2f(a) +
           __log10f(a) + __powf(a, b);
    __sincosf(a, f + 4, f + 5);
}

template <class T> __device__ T everything(T x, T y, T *o, int *q)
{
    T r = acos(x) + acosh(x) + asin(x) + asinh(x) + atan(x) + atan2(x, y) + atanh(x) + cbrt(x) + ceil(x) +
          copysign(x, y) + cos(x) + cosh(x) + erf(x) + erfc(x) + exp(x) + exp2(x) + exp10(x) + expm1(x) +
          fabs(x) + fdim(x, y) + floor(x) + fma(x, y, x) + fmax(x, y) + fmin(x, y) + fmod(x, y) +
          frexp(x, q) + hypot(x, y) + ilogb(x) + ldexp(x, 3) + lgamma(x) + llrint(x) + llround(x) + log(x) +
          log10(x) + log1p(x) + log2(x) + logb(x) + lrint(x) + lround(x) + modf(x, o) + nearbyint(x) +
          nextafter(x, y) + pow(x, y) + pow(x, 3) + remainder(x, y) + remquo(x, y, q) + rint(x) + round(x) +
          scalbn(x, 3) + scalbln(x, 3L) + sin(x) + sinh(x) + sqrt(x) + tan(x) + tanh(x) + tgamma(x) +
          trunc(x) + rsqrt(x) + rcbrt(x) + sinpi(x) + cospi(x) + erfinv(x) + erfcinv(x) + erfcx(x) +
          normcdf(x) + normcdfinv(x) + j0(x) + j1(x) + y0(x) + y1(x) + cyl_bessel_i0(x) + rhypot(x, y) +
          norm3d(x, y, x) + norm4d(x, y, x, y) + min(x, y) + max(x, y) + abs(x);
    sincos(x, o, o + 1);
    sincospi(x, o + 2, o + 3);
    return r + (isnan(x) ? 1 : 0) + (isinf(x) ? 1 : 0) + (isfinite(x) ? 1 : 0) + (signbit(x) ? 1 : 0);
}

__global__ void mathematics(float *f, double *d, int *q)
{
    f[0] = everything(f[1], f[2], f + 8, q);
    d[0] = everything(d[1], d[2], d + 8, q);
    f[3] = std::sqrt(f[1]) + std::fma(f[1], f[2], f[3]) + std::fmax(f[1], f[2]) + std::abs(f[1]) +
           std::round(f[2]);
    d[3] = sin(q[1]) + pow(2, q[2]) + max(1.0f, d[1]) + nan("");
    q[0] = min(q[1], q[2]) + max(3u, (unsigned)q[1]) + (int)min(3LL, (long long)q[3]) + abs(q[4]);
    f[4] = CUDART_PI_F + CUDART_INF_F + CUDART_NAN_F;
    d[4] = CUDART_PI + CUDART_INF;
}

template <class H, class H2> __device__ void halves(H *h, H2 *h2, bool *b)
{
    H x = h[0], y = h[1];
    h[2] = x + y * x - y / x;
    h[3] = __hfma(x, y, x);
    h[4] = hexp(x) + hsqrt(y) + hlog2(x) + hsin(y) + hrcp(x);
    h[5] = __hmax(x, y);
    h[6] = -__habs(__hmin(x, y));
    h[6] += h[5];
    h[7] = (H)3.5f;
    h[8] = (H)7;
    float f = x;
    h[9] = f;
    b[0] = x < y || x == y || __hisnan(x) || __hne(x, y);
    h2[1] = __hfma2(h2[0], h2[2], h2[3]) + h2[0] * h2[1] - h2[2] / h2[3];
    h2[4] = __hmax2(h2sqrt(h2[0]), __hgt2(h2[0], h2[1]));
    b[1] = __hbeq2(h2[0], h2[1]);
    h[10] = __shfl_xor_sync(0xffffffffu, x, 1);
    h2[5] = __shfl_down_sync(0xffffffffu, h2[0], 1);
    h[11] = __ldg(h + 12);
    h2[6] = __ldcg(h2 + 7);
    h[12] = __hadd_sat(x, y);
}

__global__ void half_precision(__half *h, __half2 *h2, __nv_bfloat16 *c, __nv_bfloat162 *c2, bool *b, int *i)
{
    halves(h, h2, b);
    halves(c, c2, b);
    h[0] = __float2half_rz(1.0f) + __int2half_rn(i[0]) + __ushort_as_half(3);
    i[0] = __half2int_rz(h[1]) + __half2int_rn(h[2]) + __half_as_short(h[3]) + (int)__half2ull_rd(h[4]);
    float2 f = __half22float2(h2[0]);
    h2[1] = __floats2half2_rn(f.y, f.x);
    h2[2] = __lowhigh2highlow(h2[1]);
    h2[3] = __hcmadd(h2[0], h2[1], h2[2]);
    atomicAdd(c, c[1]);
    atomicAdd(c2, c2[1]);
#if __CUDA_ARCH__ >= 600
    atomicAdd(h2, h2[1]);
#endif
#if __CUDA_ARCH__ >= 700
    atomicAdd(h, h[1]);
#endif
}

__global__ void newer(int *i, unsigned *u, float *f, unsigned short *s)
{
#if __CUDA_ARCH__ >= 610
    i[0] = __dp4a(i[1], i[2], i[3]) + __dp2a_lo(i[1], i[2], i[3]) + __dp2a_hi(i[1], i[2], i[3]);
    u[0] = __dp4a(u[1], u[2], u[3]);
#endif
#if __CUDA_ARCH__ >= 700
    int p;
    u[1] = __match_any_sync(~0u, i[0]) + __match_all_sync(~0u, (long long)i[0], &p) +
           __match_any_sync(~0u, f[0]);
    i[4] = p;
    __nanosleep(100);
    s[0] = atomicCAS(s, (unsigned short)1, (unsigned short)2);
    i[5] = simtx_load_acquire_gpu(i) + simtx_load_relaxed_cta(i + 1) + simtx_add_acq_rel_gpu(i, 1) +
           simtx_cas_acquire_sys(i, 1, 2) + simtx_exch_release_cta(i, 3);
    simtx_store_release_gpu(i, 4);
    f[1] = simtx_load_acquire_sys(f) + simtx_add_relaxed_gpu(f, 1.0f);
    simtx_fence_sc_gpu();
    simtx_fence_acq_rel_cta();
#endif
#if __CUDA_ARCH__ >= 800
    u[2] = __reduce_add_sync(~0u, u[0]) + __reduce_xor_sync(~0u, u[1]);
    i[6] = __reduce_min_sync(~0u, i[0]) + __reduce_max_sync(~0u, i[1]);
#endif
}

__global__ void groups(int *i, float *f)
{
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    cg::thread_group dyn = cg::tiled_partition(block, 16);
    block.sync();
    dyn.sync();
    i[block.thread_rank()] = tile.shfl(i[0], 3) + tile.shfl_down(i[1], 1) + tile.shfl_xor(i[2], 1) +
                             (int)tile.ballot(i[3]) + tile.any(i[4]) + (int)tile.meta_group_rank() +
                             dyn.size();
    f[0] = cg::reduce(tile, f[1], cg::plus<float>()) + cg::inclusive_scan(tile, f[2]);
    if (i[5] > 3) {
        cg::coalesced_group active = cg::coalesced_threads();
        i[6] = active.shfl(i[7], 0) + (int)active.thread_rank() + (int)active.size() +
               cg::exclusive_scan(active, i[8]);
        active.sync();
    }
    i[9] = (int)cg::this_grid().thread_rank();
}

__global__ void transactions(int *x)
{
    tx_begin();
    x[0]++;
    tx_commit();
    simtx_lock_begin();
    x[1]++;
    simtx_lock_end();
}

__global__ void complexes(cuFloatComplex *a, cuDoubleComplex *b)
{
    a[0] = cuCaddf(cuCmulf(a[1], a[2]), cuCdivf(a[3], cuConjf(a[4])));
    b[0] = cuCfma(b[1], b[2], make_cuDoubleComplex(cuCabs(b[3]), cuCimag(b[4])));
}
