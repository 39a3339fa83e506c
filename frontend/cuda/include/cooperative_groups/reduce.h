/* cooperative_groups::reduce(): every member gets the combination of all members' values. */
#ifndef SIMTX_COOPERATIVE_GROUPS_REDUCE_H
#define SIMTX_COOPERATIVE_GROUPS_REDUCE_H
#include "cooperative_groups.h"

namespace cooperative_groups
{
template <unsigned int N, class P, class T, class Op>
SIMTX_CG T reduce(const thread_block_tile<N, P> &g, const T &v, Op &&op)
{
    T all = v;
    for (unsigned int m = 1; m < N; m *= 2) {
        T other = g.shfl_xor(all, m);
        all = g.thread_rank() & m ? op(other, all) : op(all, other);
    }
    return all;
}

/* In rank order: the sum of ranks from this one on grows to a power of two in each step. */
template <class T, class Op> SIMTX_CG T reduce(const coalesced_group &g, const T &v, Op &&op)
{
    T all = v;
    for (unsigned int d = 1; d < g.size(); d *= 2) {
        T above = g.shfl_down(all, d);
        if (g.thread_rank() + d < g.size() && g.thread_rank() % (2 * d) == 0)
            all = op(all, above);
    }
    return g.shfl(all, 0);
}
} // namespace cooperative_groups
#endif
