/* nvcuda::experimental::pipeline, the first form of cuda::pipeline in the CUDA toolkit. */
#ifndef _CUDA_PIPELINE_H_
#define _CUDA_PIPELINE_H_

#include "cuda_awbarrier.h"
#include "cuda_pipeline_primitives.h"

namespace nvcuda
{
namespace experimental
{
class pipeline
{
public:
    SIMTX_DEV_MEMBER size_t commit() { return committed++; }
    SIMTX_DEV_MEMBER void commit_and_wait() { commit(); }
    SIMTX_DEV_MEMBER void wait(size_t) {}
    template <unsigned Stages> SIMTX_DEV_MEMBER void wait_prior() {}
    SIMTX_DEV_MEMBER void arrive_on(awbarrier &b) { b.arrive_after_copies(); }

private:
    size_t committed = 0;
};

template <class T_> SIMTX_DEV_MEMBER void memcpy_async(T_ &to, const T_ &from, pipeline &) { to = from; }
template <class To, class From> SIMTX_DEV_MEMBER void memcpy_async(To *to, const From *from, size_t bytes, pipeline &)
{
    for (size_t i = 0; i < bytes; i++)
        ((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
}
} // namespace experimental
} // namespace nvcuda

#endif
