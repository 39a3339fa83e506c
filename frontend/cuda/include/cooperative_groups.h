/* Cooperative groups of threads inside a block: thread_block, tiles of up to 32 threads, and the coalesced
 * threads of a warp, with their collective operations (CUDA C++ programming guide, "Cooperative Groups").
 * Synchronisation of a whole grid is a compile-time error. */
#ifndef _COOPERATIVE_GROUPS_H_
#define _COOPERATIVE_GROUPS_H_

#include "cuda_runtime.h"

#if !defined(__CUDA__) || !defined(__clang__)
#error "cooperative_groups.h needs a CUDA compilation: give the file the suffix .cu, or -x cu"
#endif
#include "simtx/keywords.h"

namespace cooperative_groups
{

#define SIMTX_CG __inline__ __attribute__((always_inline, device))

namespace simtx_cg
{
SIMTX_CG unsigned int block_size() { return blockDim.x * blockDim.y * blockDim.z; }
SIMTX_CG unsigned int block_rank()
{
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
SIMTX_CG unsigned int lane()
{
    unsigned int r;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(r));
    return r;
}
SIMTX_CG unsigned int lanes_below()
{
    unsigned int r;
    asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(r));
    return r;
}
SIMTX_CG unsigned int first_bits(unsigned int n) { return n >= 32 ? 0xffffffffu : (1u << n) - 1; }
template <class T> struct never {
    static const bool value = false;
};
} // namespace simtx_cg

/* The operations of every kind of group. */
class thread_group
{
  public:
    SIMTX_CG unsigned int size() const { return size_; }
    SIMTX_CG unsigned int num_threads() const { return size_; }
    SIMTX_CG unsigned int thread_rank() const { return rank_; }
    SIMTX_CG void sync() const
    {
        if (block_)
            __syncthreads();
        else
            __syncwarp(mask_);
    }
    SIMTX_CG bool is_valid() const { return true; }

  protected:
    SIMTX_CG thread_group(unsigned int size, unsigned int rank, unsigned int mask, bool block)
        : size_(size), rank_(rank), mask_(mask), block_(block)
    {
    }
    unsigned int size_, rank_, mask_;
    bool block_;
    friend SIMTX_CG thread_group tiled_partition(const thread_group &parent, unsigned int size);
};

class thread_block : public thread_group
{
  public:
    SIMTX_CG thread_block() : thread_group(simtx_cg::block_size(), simtx_cg::block_rank(), 0, true) {}
    static SIMTX_CG void sync() { __syncthreads(); }
    static SIMTX_CG unsigned int size() { return simtx_cg::block_size(); }
    static SIMTX_CG unsigned int num_threads() { return simtx_cg::block_size(); }
    static SIMTX_CG unsigned int thread_rank() { return simtx_cg::block_rank(); }
    static SIMTX_CG dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    static SIMTX_CG dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    static SIMTX_CG dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    static SIMTX_CG dim3 dim_threads() { return group_dim(); }
};

SIMTX_CG thread_block this_thread_block() { return thread_block(); }

/* The grid's geometry is available; a barrier over the grid would need a cooperative launch. */
class grid_group
{
  public:
    static SIMTX_CG unsigned long long num_threads()
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z * simtx_cg::block_size();
    }
    static SIMTX_CG unsigned long long size() { return num_threads(); }
    static SIMTX_CG unsigned long long thread_rank()
    {
        unsigned long long block =
            ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
        return block * simtx_cg::block_size() + simtx_cg::block_rank();
    }
    static SIMTX_CG dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    template <class T = void> static SIMTX_CG void sync()
    {
        static_assert(
            simtx_cg::never<T>::value,
            "grid_group::sync() is not supported by simtx: split the kernel where the grid synchronises");
    }
    static SIMTX_CG bool is_valid() { return false; }
};

SIMTX_CG grid_group this_grid() { return grid_group(); }

/* The active threads of a warp.  A rank is the number of the group's lanes below a lane. */
class coalesced_group : public thread_group
{
  public:
    SIMTX_CG explicit coalesced_group(unsigned int mask)
        : thread_group((unsigned int)__popc((int)mask),
                       (unsigned int)__popc((int)(mask & simtx_cg::lanes_below())), mask, false)
    {
    }
    SIMTX_CG void sync() const { __syncwarp(mask_); }
    template <class T> SIMTX_CG T shfl(T v, unsigned int rank) const
    {
        return __shfl_sync(mask_, v, lane_of(rank));
    }
    template <class T> SIMTX_CG T shfl_down(T v, unsigned int delta) const
    {
        unsigned int r = rank_ + delta;
        return __shfl_sync(mask_, v, lane_of(r < size_ ? r : rank_));
    }
    template <class T> SIMTX_CG T shfl_up(T v, unsigned int delta) const
    {
        return __shfl_sync(mask_, v, lane_of(rank_ >= delta ? rank_ - delta : rank_));
    }
    SIMTX_CG int any(int p) const { return __any_sync(mask_, p); }
    SIMTX_CG int all(int p) const { return __all_sync(mask_, p); }
    SIMTX_CG unsigned int ballot(int p) const { return pack(__ballot_sync(mask_, p)); }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
    template <class T> SIMTX_CG unsigned int match_any(T v) const { return pack(__match_any_sync(mask_, v)); }
    template <class T> SIMTX_CG unsigned int match_all(T v, int &p) const
    {
        return pack(__match_all_sync(mask_, v, &p));
    }
#endif
    SIMTX_CG unsigned long long meta_group_size() const { return 1; }
    SIMTX_CG unsigned long long meta_group_rank() const { return 0; }

  private:
    /* The lane of the group's member `rank`: its rank-th set bit. */
    SIMTX_CG int lane_of(unsigned int rank) const
    {
        if (mask_ == 0xffffffffu)
            return (int)rank;
        unsigned int m = mask_;
        for (unsigned int i = 0; i < rank; i++)
            m &= m - 1;
        return __ffs((int)m) - 1;
    }
    /* Maps a mask of lanes to a mask of ranks. */
    SIMTX_CG unsigned int pack(unsigned int lanes) const
    {
        if (mask_ == 0xffffffffu)
            return lanes;
        unsigned int r = 0, bit = 0;
        for (unsigned int m = mask_; m; m &= m - 1, bit++)
            r |= (lanes & m & (0u - m) ? 1u : 0u) << bit;
        return r;
    }
};

SIMTX_CG coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

/* N neighbouring threads of a block, N a power of two up to 32. */
template <unsigned int N, class Parent = void> class thread_block_tile : public thread_group
{
    static_assert(N && N <= 32 && (N & (N - 1)) == 0, "simtx supports tiles of 1, 2, 4, 8, 16 or 32 threads");

  public:
    SIMTX_CG thread_block_tile()
        : thread_group(N, simtx_cg::block_rank() & (N - 1),
                       simtx_cg::first_bits(N) << (simtx_cg::lane() & ~(N - 1)), false)
    {
    }
    /* `thread_block_tile<8> t = tiled_partition<8>(block)` drops the parent type */
    template <class P> SIMTX_CG thread_block_tile(const thread_block_tile<N, P> &) : thread_block_tile() {}
    static constexpr SIMTX_CG unsigned int size() { return N; }
    static constexpr SIMTX_CG unsigned int num_threads() { return N; }
    static SIMTX_CG unsigned int thread_rank() { return simtx_cg::block_rank() & (N - 1); }
    static SIMTX_CG unsigned int meta_group_rank() { return simtx_cg::block_rank() / N; }
    static SIMTX_CG unsigned int meta_group_size() { return (simtx_cg::block_size() + N - 1) / N; }
    SIMTX_CG void sync() const { __syncwarp(mask_); }
    template <class T> SIMTX_CG T shfl(T v, int rank) const { return __shfl_sync(mask_, v, rank, N); }
    template <class T> SIMTX_CG T shfl_down(T v, unsigned int d) const
    {
        return __shfl_down_sync(mask_, v, d, N);
    }
    template <class T> SIMTX_CG T shfl_up(T v, unsigned int d) const
    {
        return __shfl_up_sync(mask_, v, d, N);
    }
    template <class T> SIMTX_CG T shfl_xor(T v, unsigned int m) const
    {
        return __shfl_xor_sync(mask_, v, (int)m, N);
    }
    SIMTX_CG int any(int p) const { return __any_sync(mask_, p); }
    SIMTX_CG int all(int p) const { return __all_sync(mask_, p); }
    SIMTX_CG unsigned int ballot(int p) const { return shift(__ballot_sync(mask_, p)); }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
    template <class T> SIMTX_CG unsigned int match_any(T v) const
    {
        return shift(__match_any_sync(mask_, v));
    }
    template <class T> SIMTX_CG unsigned int match_all(T v, int &p) const
    {
        return shift(__match_all_sync(mask_, v, &p));
    }
#endif

  private:
    SIMTX_CG unsigned int shift(unsigned int lanes) const
    {
        return (lanes & mask_) >> (simtx_cg::lane() & ~(N - 1));
    }
};

template <unsigned int N, class Parent> SIMTX_CG thread_block_tile<N, Parent> tiled_partition(const Parent &)
{
    return thread_block_tile<N, Parent>();
}

SIMTX_CG thread_group tiled_partition(const thread_group &parent, unsigned int size)
{
    unsigned int rank = parent.thread_rank();
    unsigned int first = simtx_cg::lane() & ~(size - 1);
    return thread_group(size, rank & (size - 1), simtx_cg::first_bits(size) << first, false);
}

template <class G> SIMTX_CG void sync(const G &g) { g.sync(); }
template <class G> SIMTX_CG unsigned int group_size(const G &g) { return g.size(); }
template <class G> SIMTX_CG unsigned int thread_rank(const G &g) { return g.thread_rank(); }

/* Function objects for reduce() and the scans. */
template <class T> struct plus {
    SIMTX_CG T operator()(T a, T b) const { return a + b; }
};
template <class T> struct less {
    SIMTX_CG T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T> struct greater {
    SIMTX_CG T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T> struct bit_and {
    SIMTX_CG T operator()(T a, T b) const { return a & b; }
};
template <class T> struct bit_or {
    SIMTX_CG T operator()(T a, T b) const { return a | b; }
};
template <class T> struct bit_xor {
    SIMTX_CG T operator()(T a, T b) const { return a ^ b; }
};

} // namespace cooperative_groups

#endif
