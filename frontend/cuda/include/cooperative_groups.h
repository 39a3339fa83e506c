/* Cooperative groups: the block, tiles, coalesced threads of a warp and their partitions, clusters of blocks, and
 * the grid of a cooperative launch, with their collective operations (CUDA C++ programming guide, "Cooperative
 * Groups").
 * Groups of several devices are not supported. */
#ifndef _COOPERATIVE_GROUPS_H_
#define _COOPERATIVE_GROUPS_H_

#include "cuda_runtime.h"

#if !defined(__CUDA__) || !defined(__clang__)
#error "cooperative_groups.h needs a CUDA compilation: give the file the suffix .cu, or -x cu"
#endif
#include "simtx/cluster_intrinsics.h"
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
/* The rank-th set bit of the mask. */
SIMTX_CG unsigned int nth_lane(unsigned int mask, unsigned int rank)
{
    if (mask == 0xffffffffu)
        return rank;
    for (unsigned int i = 0; i < rank; i++)
        mask &= mask - 1;
    return (unsigned int)__ffs((int)mask) - 1;
}
/* The bits of `lanes` at the set bits of `mask`, packed. */
SIMTX_CG unsigned int pack(unsigned int mask, unsigned int lanes)
{
    if (mask == 0xffffffffu)
        return lanes;
    unsigned int r = 0, bit = 0;
    for (unsigned int m = mask; m; m &= m - 1, bit++)
        r |= (lanes & m & (0u - m) ? 1u : 0u) << bit;
    return r;
}
/* A value of any trivially copyable type from another lane, word by word. */
template <class T_> SIMTX_CG T_ from_lane(unsigned int mask, const T_ &v, unsigned int lane)
{
    enum { WORDS = (sizeof(T_) + 3) / 4 };
    unsigned int word[WORDS];
    T_ result;
    word[WORDS - 1] = 0;
    __builtin_memcpy(word, &v, sizeof(T_));
    for (int i = 0; i < WORDS; i++)
        word[i] = __shfl_sync(mask, word[i], (int)lane);
    __builtin_memcpy(&result, word, sizeof(T_));
    return result;
}
/* The barrier of cooperative launches: blocks that have arrived, and the number of completed barriers. */
static __attribute__((device)) unsigned int grid_arrived, grid_generation;
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
    /* The barrier as a whole is in barrier_wait(), which all threads call after barrier_arrive(). */
    struct arrival_token {
    };
    static SIMTX_CG arrival_token barrier_arrive() { return arrival_token(); }
    static SIMTX_CG void barrier_wait(arrival_token &&) { __syncthreads(); }
};

SIMTX_CG thread_block this_thread_block() { return thread_block(); }

/* The grid of a cooperative launch, whose blocks are all resident. In another launch sync() waits for ever when a block
 * starts only after others have ended. */
class grid_group
{
  public:
    static SIMTX_CG unsigned long long num_blocks()
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    static SIMTX_CG unsigned long long num_threads() { return num_blocks() * simtx_cg::block_size(); }
    static SIMTX_CG unsigned long long size() { return num_threads(); }
    static SIMTX_CG unsigned long long block_rank()
    {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    static SIMTX_CG unsigned long long thread_rank()
    {
        return block_rank() * simtx_cg::block_size() + simtx_cg::block_rank();
    }
    static SIMTX_CG dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    static SIMTX_CG dim3 dim_blocks() { return group_dim(); }
    static SIMTX_CG dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    static SIMTX_CG dim3 dim_clusters() { return __clusterGridDimInClusters(); }
    static SIMTX_CG dim3 cluster_index() { return __clusterIdx(); }
    static SIMTX_CG unsigned long long num_clusters()
    {
        dim3 n = dim_clusters();
        return (unsigned long long)n.x * n.y * n.z;
    }
    static SIMTX_CG unsigned long long cluster_rank()
    {
        dim3 n = dim_clusters(), i = cluster_index();
        return ((unsigned long long)i.z * n.y + i.y) * n.x + i.x;
    }
    static SIMTX_CG bool is_valid() { return true; }
    struct arrival_token {
    };
    static SIMTX_CG arrival_token barrier_arrive() { return arrival_token(); }
    static SIMTX_CG void barrier_wait(arrival_token &&) { sync(); }
    static SIMTX_CG void sync()
    {
        __syncthreads();
        if (simtx_cg::block_rank() == 0)
            wait_for_blocks();
        __syncthreads();
    }

  private:
    static SIMTX_CG void wait_for_blocks()
    {
        volatile unsigned int *generation = &simtx_cg::grid_generation;
        unsigned int before = *generation;
        __threadfence();
        if (atomicAdd(&simtx_cg::grid_arrived, 1u) == (unsigned int)num_blocks() - 1) {
            simtx_cg::grid_arrived = 0;
            __threadfence();
            atomicAdd(&simtx_cg::grid_generation, 1u);
        } else {
            while (*generation == before)
                ;
        }
        __threadfence();
    }
};

SIMTX_CG grid_group this_grid() { return grid_group(); }

/* Some threads of a warp. A rank is the number of the group's lanes below a lane. */
class coalesced_group : public thread_group
{
  public:
    SIMTX_CG explicit coalesced_group(unsigned int mask, unsigned int parts = 1, unsigned int part = 0)
        : thread_group((unsigned int)__popc((int)mask),
                       (unsigned int)__popc((int)(mask & simtx_cg::lanes_below())), mask, false),
          parts_(parts), part_(part)
    {
    }
    SIMTX_CG void sync() const { __syncwarp(mask_); }
    template <class T_> SIMTX_CG T_ shfl(const T_ &v, unsigned int rank) const
    {
        return simtx_cg::from_lane(mask_, v, simtx_cg::nth_lane(mask_, size_ ? rank % size_ : 0));
    }
    template <class T_> SIMTX_CG T_ shfl_down(const T_ &v, unsigned int delta) const
    {
        unsigned int r = rank_ + delta;
        return simtx_cg::from_lane(mask_, v, simtx_cg::nth_lane(mask_, r < size_ ? r : rank_));
    }
    template <class T_> SIMTX_CG T_ shfl_up(const T_ &v, unsigned int delta) const
    {
        return simtx_cg::from_lane(mask_, v, simtx_cg::nth_lane(mask_, rank_ >= delta ? rank_ - delta : rank_));
    }
    SIMTX_CG int any(int p) const { return __any_sync(mask_, p); }
    SIMTX_CG int all(int p) const { return __all_sync(mask_, p); }
    SIMTX_CG unsigned int ballot(int p) const { return simtx_cg::pack(mask_, __ballot_sync(mask_, p)); }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
    template <class T_> SIMTX_CG unsigned int match_any(T_ v) const
    {
        return simtx_cg::pack(mask_, __match_any_sync(mask_, v));
    }
    template <class T_> SIMTX_CG unsigned int match_all(T_ v, int &p) const
    {
        return simtx_cg::pack(mask_, __match_all_sync(mask_, v, &p));
    }
#endif
    SIMTX_CG unsigned long long meta_group_size() const { return parts_; }
    SIMTX_CG unsigned long long meta_group_rank() const { return part_; }
    SIMTX_CG unsigned int simtx_mask() const { return mask_; }

  private:
    unsigned int parts_, part_;
};

SIMTX_CG coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

template <unsigned int N_, class Parent = void, bool Large = (N_ > 32)> class thread_block_tile;

namespace simtx_cg
{
/* Threads of a tile; 0 for other groups. */
template <class Group> struct tile_threads {
    enum { VALUE = 0 };
};
template <unsigned int N_, class Parent, bool Large> struct tile_threads<thread_block_tile<N_, Parent, Large>> {
    enum { VALUE = N_ };
};

/* What was divided into tiles: a tile of so many threads, or the block (0). A tile whose type does not name its parent
 * keeps the parent of the tile from which it is made. */
class divided
{
  public:
    SIMTX_CG explicit divided(unsigned int threads) : threads_(threads) {}
    SIMTX_CG unsigned int rank_of_tile(unsigned int n) const
    {
        return (threads_ ? block_rank() & (threads_ - 1) : block_rank()) / n;
    }
    SIMTX_CG unsigned int tiles(unsigned int n) const { return ((threads_ ? threads_ : block_size()) + n - 1) / n; }

  private:
    unsigned int threads_;
};
} // namespace simtx_cg

/* N neighbouring threads of a block, N a power of two: up to 32 here, several warps in simtx/large_tile.h. */
template <unsigned int N_, class Parent, bool Large> class thread_block_tile : public thread_group
{
    static_assert(N_ && (N_ & (N_ - 1)) == 0, "tiles have 1, 2, 4 ... 512 or 1024 threads");

  public:
    SIMTX_CG thread_block_tile()
        : thread_group(N_, simtx_cg::block_rank() & (N_ - 1),
                       simtx_cg::first_bits(N_) << (simtx_cg::lane() & ~(N_ - 1)), false),
          parent_(simtx_cg::tile_threads<Parent>::VALUE)
    {
    }
    /* `thread_block_tile<8> t = tiled_partition<8>(block)` drops the parent type */
    template <class P_> SIMTX_CG thread_block_tile(const thread_block_tile<N_, P_> &t) : thread_block_tile()
    {
        parent_ = t.simtx_parent();
    }
    static constexpr SIMTX_CG unsigned int size() { return N_; }
    static constexpr SIMTX_CG unsigned int num_threads() { return N_; }
    static SIMTX_CG unsigned int thread_rank() { return simtx_cg::block_rank() & (N_ - 1); }
    SIMTX_CG unsigned int meta_group_rank() const { return parent_.rank_of_tile(N_); }
    SIMTX_CG unsigned int meta_group_size() const { return parent_.tiles(N_); }
    SIMTX_CG simtx_cg::divided simtx_parent() const { return parent_; }
    SIMTX_CG void sync() const { __syncwarp(mask_); }
    template <class T_> SIMTX_CG T_ shfl(const T_ &v, int rank) const
    {
        return simtx_cg::from_lane(mask_, v, first_lane() + ((unsigned int)rank & (N_ - 1)));
    }
    template <class T_> SIMTX_CG T_ shfl_down(const T_ &v, unsigned int d) const
    {
        return simtx_cg::from_lane(mask_, v, first_lane() + (rank_ + d < N_ ? rank_ + d : rank_));
    }
    template <class T_> SIMTX_CG T_ shfl_up(const T_ &v, unsigned int d) const
    {
        return simtx_cg::from_lane(mask_, v, first_lane() + (rank_ >= d ? rank_ - d : rank_));
    }
    template <class T_> SIMTX_CG T_ shfl_xor(const T_ &v, unsigned int m) const
    {
        return simtx_cg::from_lane(mask_, v, first_lane() + ((rank_ ^ m) < N_ ? rank_ ^ m : rank_));
    }
    SIMTX_CG unsigned int simtx_mask() const { return mask_; }
    SIMTX_CG int any(int p) const { return __any_sync(mask_, p); }
    SIMTX_CG int all(int p) const { return __all_sync(mask_, p); }
    SIMTX_CG unsigned int ballot(int p) const { return shift(__ballot_sync(mask_, p)); }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
    template <class T_> SIMTX_CG unsigned int match_any(T_ v) const
    {
        return shift(__match_any_sync(mask_, v));
    }
    template <class T_> SIMTX_CG unsigned int match_all(T_ v, int &p) const
    {
        return shift(__match_all_sync(mask_, v, &p));
    }
#endif

  private:
    static SIMTX_CG unsigned int first_lane() { return simtx_cg::lane() & ~(N_ - 1); }
    SIMTX_CG unsigned int shift(unsigned int lanes) const { return (lanes & mask_) >> first_lane(); }
    simtx_cg::divided parent_;
};

} // namespace cooperative_groups

#include "simtx/large_tile.h"
#include "simtx/cluster.h"

namespace cooperative_groups
{

template <unsigned int N_, class Parent> SIMTX_CG thread_block_tile<N_, Parent> tiled_partition(const Parent &parent)
{
    return simtx_cg::make_tile<N_, Parent>::of(parent);
}

namespace experimental
{
using cooperative_groups::tiled_partition;
}

SIMTX_CG thread_group tiled_partition(const thread_group &parent, unsigned int size)
{
    unsigned int rank = parent.thread_rank();
    unsigned int first = simtx_cg::lane() & ~(size - 1);
    return thread_group(size, rank & (size - 1), simtx_cg::first_bits(size) << first, false);
}

/* Neighbouring ranks of a coalesced group, `size` at a time; the last part may be smaller. */
SIMTX_CG coalesced_group tiled_partition(const coalesced_group &parent, unsigned int size)
{
    unsigned int part = parent.thread_rank() / size, mask = parent.simtx_mask(), in_part = 0, rank = 0;
    for (unsigned int m = mask; m; m &= m - 1, rank++)
        in_part |= rank / size == part ? m & (0u - m) : 0;
    return coalesced_group(in_part, (parent.size() + size - 1) / size, part);
}

template <unsigned int N_> SIMTX_CG coalesced_group tiled_partition(const coalesced_group &parent)
{
    return tiled_partition(parent, N_);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
/* One group for each value of the label; groups are numbered by their lowest lane. */
template <class G_, class Label> SIMTX_CG coalesced_group labeled_partition(const G_ &parent, Label label)
{
    unsigned int all = parent.simtx_mask(), mine = __match_any_sync(all, label);
    bool first = simtx_cg::lane() == (unsigned int)__ffs((int)mine) - 1;
    unsigned int leaders = __ballot_sync(all, first), lowest = mine & (0u - mine);
    return coalesced_group(mine, (unsigned int)__popc((int)leaders),
                           (unsigned int)__popc((int)(leaders & (lowest - 1))));
}

#endif
/* The threads for which the predicate holds, and the others; the first group has rank 0 for false, 1 for true. */
template <class G_> SIMTX_CG coalesced_group binary_partition(const G_ &parent, bool predicate)
{
    unsigned int all = parent.simtx_mask(), yes = __ballot_sync(all, predicate), no = all & ~yes;
    return coalesced_group(predicate ? yes : no, yes && no ? 2 : 1, yes && no ? (unsigned int)predicate : 0);
}

/* One thread of the group calls the function. */
template <class G_, class F_, class... Args> SIMTX_CG void invoke_one(const G_ &g, F_ &&f, Args &&...args)
{
    if (g.thread_rank() == 0)
        f(static_cast<Args &&>(args)...);
}

/* The same, and all get its result. */
template <class G_, class F_, class... Args>
SIMTX_CG auto invoke_one_broadcast(const G_ &g, F_ &&f, Args &&...args) -> decltype(f(static_cast<Args &&>(args)...))
{
    decltype(f(static_cast<Args &&>(args)...)) result;
    if (g.thread_rank() == 0)
        result = f(static_cast<Args &&>(args)...);
    return g.shfl(result, 0);
}

template <class G_> SIMTX_CG void sync(const G_ &g) { g.sync(); }
template <class G_> SIMTX_CG unsigned int group_size(const G_ &g) { return g.size(); }
template <class G_> SIMTX_CG unsigned int thread_rank(const G_ &g) { return g.thread_rank(); }

/* Function objects for reduce() and the scans. */
template <class T_> struct plus {
    SIMTX_CG T_ operator()(T_ a, T_ b) const { return a + b; }
};
template <class T_> struct less {
    SIMTX_CG T_ operator()(T_ a, T_ b) const { return b < a ? b : a; }
};
template <class T_> struct greater {
    SIMTX_CG T_ operator()(T_ a, T_ b) const { return a < b ? b : a; }
};
template <class T_> struct bit_and {
    SIMTX_CG T_ operator()(T_ a, T_ b) const { return a & b; }
};
template <class T_> struct bit_or {
    SIMTX_CG T_ operator()(T_ a, T_ b) const { return a | b; }
};
template <class T_> struct bit_xor {
    SIMTX_CG T_ operator()(T_ a, T_ b) const { return a ^ b; }
};

} // namespace cooperative_groups

#endif
