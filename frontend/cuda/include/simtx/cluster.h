/* this_cluster(): the blocks of the cluster. Without clusters the block is alone. Included by cooperative_groups.h. */
#ifndef SIMTX_CLUSTER_H
#define SIMTX_CLUSTER_H

#include "simtx/cluster_intrinsics.h"

namespace cooperative_groups
{
class cluster_group
{
  public:
    struct arrival_token {
    };
    static SIMTX_CG void sync()
    {
        __cluster_barrier_arrive();
        __cluster_barrier_wait();
    }
    static SIMTX_CG arrival_token barrier_arrive()
    {
        __cluster_barrier_arrive();
        return arrival_token();
    }
    static SIMTX_CG void barrier_wait() { __cluster_barrier_wait(); }
    static SIMTX_CG void barrier_wait(arrival_token &&) { __cluster_barrier_wait(); }
    static SIMTX_CG unsigned int num_blocks() { return __clusterSizeInBlocks(); }
    static SIMTX_CG unsigned int num_threads() { return num_blocks() * simtx_cg::block_size(); }
    static SIMTX_CG unsigned int size() { return num_threads(); }
    static SIMTX_CG unsigned int block_rank() { return __clusterRelativeBlockRank(); }
    static SIMTX_CG unsigned int thread_rank()
    {
        return block_rank() * simtx_cg::block_size() + simtx_cg::block_rank();
    }
    static SIMTX_CG dim3 dim_blocks() { return __clusterDim(); }
    static SIMTX_CG dim3 dim_threads()
    {
        dim3 n = dim_blocks();
        return dim3(n.x * blockDim.x, n.y * blockDim.y, n.z * blockDim.z);
    }
    static SIMTX_CG dim3 block_index() { return __clusterRelativeBlockIdx(); }
    static SIMTX_CG dim3 thread_index()
    {
        dim3 b = block_index();
        return dim3(b.x * blockDim.x + threadIdx.x, b.y * blockDim.y + threadIdx.y, b.z * blockDim.z + threadIdx.z);
    }
    static SIMTX_CG unsigned int query_shared_rank(const void *address) { return __cluster_query_shared_rank(address); }
    template <class T_> static SIMTX_CG T_ *map_shared_rank(T_ *address, int rank)
    {
        return static_cast<T_ *>(__cluster_map_shared_rank((const void *)address, (unsigned int)rank));
    }
    static SIMTX_CG bool is_valid() { return true; }
};

SIMTX_CG cluster_group this_cluster() { return cluster_group(); }
} // namespace cooperative_groups

#endif
