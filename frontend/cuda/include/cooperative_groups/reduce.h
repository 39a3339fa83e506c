/* cooperative_groups::reduce(): every member gets the combination of all members' values. */
#ifndef SIMTX_COOPERATIVE_GROUPS_REDUCE_H
#define SIMTX_COOPERATIVE_GROUPS_REDUCE_H
#include "cooperative_groups.h"

namespace cooperative_groups
{
template <unsigned int N, class P, class T, class Op>
SIMTX_CG T reduce(const thread_block_tile<N, P> &g, T v, Op op)
{
    for (unsigned int m = N / 2; m; m /= 2)
        v = op(v, g.shfl_xor(v, m));
    return v;
}

template <class T, class Op> SIMTX_CG T reduce(const coalesced_group &g, T v, Op op)
{
    T all = g.shfl(v, 0);
    for (unsigned int i = 1; i < g.size(); i++)
        all = op(all, g.shfl(v, i));
    return all;
}
} // namespace cooperative_groups
#endif
