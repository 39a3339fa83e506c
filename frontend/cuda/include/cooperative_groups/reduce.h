/* cooperative_groups::reduce(): every member gets the combination of all members' values, in the order of ranks. */
#ifndef SIMTX_COOPERATIVE_GROUPS_REDUCE_H
#define SIMTX_COOPERATIVE_GROUPS_REDUCE_H
#include "cooperative_groups.h"

namespace cooperative_groups
{
template <unsigned int N_, class P_, class T_, class Op>
SIMTX_CG T_ reduce(const thread_block_tile<N_, P_, false> &g, const T_ &v, Op &&op)
{
    T_ all = v;
    for (unsigned int m = 1; m < N_; m *= 2) {
        T_ other = g.shfl_xor(all, m);
        all = g.thread_rank() & m ? op(other, all) : op(all, other);
    }
    return all;
}

/* First within warps. */
template <unsigned int N_, class P_, class T_, class Op>
SIMTX_CG T_ reduce(const thread_block_tile<N_, P_, true> &g, const T_ &v, Op &&op)
{
    return g.combine(reduce(thread_block_tile<32>(), v, op), 0, g.warps(), op);
}

/* In rank order: the sum of ranks from this one on grows to a power of two in each step. */
template <class T_, class Op> SIMTX_CG T_ reduce(const coalesced_group &g, const T_ &v, Op &&op)
{
    T_ all = v;
    for (unsigned int d = 1; d < g.size(); d *= 2) {
        T_ above = g.shfl_down(all, d);
        if (g.thread_rank() + d < g.size() && g.thread_rank() % (2 * d) == 0)
            all = op(all, above);
    }
    return g.shfl(all, 0);
}

namespace simtx_cg
{
/* Replaces the value of a cuda::atomic by op(value, v); the result is what it had. */
template <class Atomic, class T_, class Op> SIMTX_CG T_ update(Atomic &atomic, const T_ &v, Op &&op)
{
    T_ before = atomic.load();
    while (!atomic.compare_exchange_weak(before, op(before, v)))
        ;
    return before;
}
} // namespace simtx_cg

/* The result goes to memory, written by one member; it is complete when the call returns. */
template <class G_, class T_, class V_, class Op> SIMTX_CG void reduce_store_async(const G_ &g, T_ *to, V_ &&v, Op &&op)
{
    T_ all = reduce(g, static_cast<T_>(v), op);
    if (g.thread_rank() == 0)
        *to = all;
}

template <class G_, class Atomic, class V_, class Op>
SIMTX_CG void reduce_update_async(const G_ &g, Atomic &atomic, V_ &&v, Op &&op)
{
    auto all = reduce(g, v, op);
    if (g.thread_rank() == 0)
        simtx_cg::update(atomic, all, op);
}
} // namespace cooperative_groups
#endif
