/* Clusters of blocks as functions (the names of CUDA's sm_90_rt.h), by inline assembly: every architecture that
 * simtx-cc compiles for has them. */
#ifndef SIMTX_CLUSTER_INTRINSICS_H
#define SIMTX_CLUSTER_INTRINSICS_H

#include "simtx/keywords.h"

#define SIMTX_CLUSTER_SIZE3(function, sreg)                                                                    \
    SIMTX_DEV dim3 function()                                                                                  \
    {                                                                                                          \
        unsigned int x, y, z;                                                                                  \
        asm("mov.u32 %0, %%" sreg ".x;" : "=r"(x));                                                            \
        asm("mov.u32 %0, %%" sreg ".y;" : "=r"(y));                                                            \
        asm("mov.u32 %0, %%" sreg ".z;" : "=r"(z));                                                            \
        return dim3(x, y, z);                                                                                  \
    }
SIMTX_CLUSTER_SIZE3(__clusterDim, "cluster_nctaid")
SIMTX_CLUSTER_SIZE3(__clusterRelativeBlockIdx, "cluster_ctaid")
SIMTX_CLUSTER_SIZE3(__clusterGridDimInClusters, "nclusterid")
SIMTX_CLUSTER_SIZE3(__clusterIdx, "clusterid")
#undef SIMTX_CLUSTER_SIZE3

SIMTX_DEV unsigned int __clusterRelativeBlockRank()
{
    unsigned int rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

SIMTX_DEV unsigned int __clusterSizeInBlocks()
{
    unsigned int blocks;
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
    return blocks;
}

/* 1: the launch or the kernel gives the shape. */
SIMTX_DEV unsigned int __clusterDimIsSpecified()
{
    unsigned int is;
    asm("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }" : "=r"(is));
    return is;
}

SIMTX_DEV void __cluster_barrier_arrive() { asm volatile("barrier.cluster.arrive.aligned;" ::: "memory"); }
SIMTX_DEV void __cluster_barrier_arrive_relaxed() { asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::); }
SIMTX_DEV void __cluster_barrier_wait() { asm volatile("barrier.cluster.wait.aligned;" ::: "memory"); }
SIMTX_DEV void __threadfence_cluster() { asm volatile("fence.acq_rel.cluster;" ::: "memory"); }

SIMTX_DEV unsigned int __cluster_query_shared_rank(const void *address)
{
    unsigned int rank;
    asm("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(address));
    return rank;
}

SIMTX_DEV void *__cluster_map_shared_rank(const void *address, unsigned int rank)
{
    void *mapped;
    asm("mapa.u64 %0, %1, %2;" : "=l"(mapped) : "l"(address), "r"(rank));
    return mapped;
}

#endif
