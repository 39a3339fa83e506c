/* this_cluster(): a cluster of one block, as blocks have on GPUs when a launch requests no clusters. Launches with
 * larger clusters are rejected (__cluster_dims__, cudaLaunchAttributeClusterDimension). Included by
 * cooperative_groups.h. */
#ifndef SIMTX_CLUSTER_H
#define SIMTX_CLUSTER_H

namespace cooperative_groups
{
class cluster_group
{
  public:
    struct arrival_token {
    };
    static SIMTX_CG void sync() { __syncthreads(); }
    static SIMTX_CG arrival_token barrier_arrive() { return arrival_token(); }
    static SIMTX_CG void barrier_wait() { __syncthreads(); }
    static SIMTX_CG void barrier_wait(arrival_token &&) { __syncthreads(); }
    static SIMTX_CG unsigned int num_blocks() { return 1; }
    static SIMTX_CG unsigned int num_threads() { return simtx_cg::block_size(); }
    static SIMTX_CG unsigned int size() { return num_threads(); }
    static SIMTX_CG unsigned int block_rank() { return 0; }
    static SIMTX_CG unsigned int thread_rank() { return simtx_cg::block_rank(); }
    static SIMTX_CG dim3 dim_blocks() { return dim3(1, 1, 1); }
    static SIMTX_CG dim3 dim_threads() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    static SIMTX_CG dim3 block_index() { return dim3(0, 0, 0); }
    static SIMTX_CG dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    static SIMTX_CG unsigned int query_shared_rank(const void *) { return 0; }
    template <class T_> static SIMTX_CG T_ *map_shared_rank(T_ *address, int) { return address; }
    static SIMTX_CG bool is_valid() { return true; }
};

SIMTX_CG cluster_group this_cluster() { return cluster_group(); }
} // namespace cooperative_groups

#endif
