/* Parameters of nodes of graphs as operations of the layer below. */
#ifndef LIBCUDA_CU_GRAPH_H
#define LIBCUDA_CU_GRAPH_H

#include "frontend/libcuda/cu.h"
#include "frontend/rt/graph/graph.h"

cudaError_t cu_kernel_op(struct rt_op *op, const CUDA_KERNEL_NODE_PARAMS *p);
cudaError_t cu_copy_op(struct rt_op *op, const CUDA_MEMCPY3D *p);
cudaError_t cu_fill_op(struct rt_op *op, const CUDA_MEMSET_NODE_PARAMS *p);
cudaError_t cu_host_op(struct rt_op *op, const CUDA_HOST_NODE_PARAMS *p);

#endif
