/* Parameters of nodes of graphs as operations of the layer below. */
#ifndef LIBCUDA_CU_GRAPH_H
#define LIBCUDA_CU_GRAPH_H

#include "frontend/libcuda/cu.h"
#include "frontend/rt/graph/graph.h"

cudaError_t cu_kernel_op(struct rt_op *op, const CUDA_KERNEL_NODE_PARAMS *p);
cudaError_t cu_copy_op(struct rt_op *op, const CUDA_MEMCPY3D *p);
cudaError_t cu_fill_op(struct rt_op *op, const CUDA_MEMSET_NODE_PARAMS *p);
enum { CU_MEMORY_OPS = 256 };                /* most operations of a batch */
/* ops: room for that many. */
cudaError_t cu_memory_op(struct rt_op *op, struct rt_memory_op *ops, const CUDA_BATCH_MEM_OP_NODE_PARAMS *p);
cudaError_t cu_host_op(struct rt_op *op, const CUDA_HOST_NODE_PARAMS *p);

#endif
