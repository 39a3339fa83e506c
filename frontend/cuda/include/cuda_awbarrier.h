/* nvcuda::experimental::awbarrier, the first form of cuda::barrier in the CUDA toolkit. */
#ifndef _CUDA_AWBARRIER_H_
#define _CUDA_AWBARRIER_H_

#include "cuda_awbarrier_primitives.h"

namespace nvcuda
{
namespace experimental
{
class awbarrier
{
public:
    typedef __mbarrier_token_t arrival_token;

    SIMTX_DEV_MEMBER arrival_token arrive() { return __mbarrier_arrive(&word); }
    SIMTX_DEV_MEMBER arrival_token arrive_and_drop() { return __mbarrier_arrive_and_drop(&word); }
    SIMTX_DEV_MEMBER bool timed_wait(arrival_token token, unsigned) { return __mbarrier_test_wait(&word, token); }
    SIMTX_DEV_MEMBER void wait(arrival_token token)
    {
        while (!__mbarrier_test_wait(&word, token)) {
        }
    }
    SIMTX_DEV_MEMBER void arrive_and_wait() { wait(arrive()); }
    SIMTX_DEV_MEMBER void arrive_after_copies()
    {
        simtx_mbarrier::expect_one_more(&word);
        arrive();
    }
    static SIMTX_DEV_MEMBER unsigned int max() { return __mbarrier_maximum_count(); }

private:
    __mbarrier_t word;
    friend SIMTX_DEV_MEMBER void init(awbarrier *b, unsigned int expected) { __mbarrier_init(&b->word, expected); }
};
} // namespace experimental
} // namespace nvcuda

#endif
