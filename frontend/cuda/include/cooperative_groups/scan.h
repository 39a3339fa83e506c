/* cooperative_groups::inclusive_scan() and exclusive_scan(): prefixes in rank order. */
#ifndef SIMTX_COOPERATIVE_GROUPS_SCAN_H
#define SIMTX_COOPERATIVE_GROUPS_SCAN_H
#include "cooperative_groups.h"
#include "cooperative_groups/reduce.h"

namespace cooperative_groups
{
namespace simtx_cg
{
template <class G_, class T_, class Op> SIMTX_CG T_ scan(const G_ &g, const T_ &value, Op &&op)
{
    T_ v = value;
    for (unsigned int d = 1; d < g.size(); d *= 2) {
        T_ below = g.shfl_up(v, d);
        if (g.thread_rank() >= d)
            v = op(below, v);
    }
    return v;
}

/* Within warps, then with the results of the warps below. */
template <unsigned int N_, class P_, class T_, class Op>
SIMTX_CG T_ scan(const thread_block_tile<N_, P_, true> &g, const T_ &value, Op &&op)
{
    T_ v = scan(thread_block_tile<32>(), value, op), below = g.combine(v, 31, g.warp_rank(), op);
    return g.warp_rank() ? op(below, v) : v;
}

template <class G_, class T_, class Op> SIMTX_CG T_ scan_below(const G_ &g, const T_ &value, Op &&op)
{
    return g.shfl_up(scan(g, value, op), 1);
}

template <unsigned int N_, class P_, class T_, class Op>
SIMTX_CG T_ scan_below(const thread_block_tile<N_, P_, true> &g, const T_ &value, Op &&op)
{
    thread_block_tile<32> warp;
    T_ v = scan(warp, value, op), below = g.combine(v, 31, g.warp_rank(), op), lower = warp.shfl_up(v, 1);
    if (warp.thread_rank() == 0)
        return below;
    return g.warp_rank() ? op(below, lower) : lower;
}
} // namespace simtx_cg

template <class G_, class T_, class Op> SIMTX_CG T_ inclusive_scan(const G_ &g, const T_ &value, Op &&op)
{
    return simtx_cg::scan(g, value, op);
}
template <class G_, class T_> SIMTX_CG T_ inclusive_scan(const G_ &g, const T_ &v)
{
    return inclusive_scan(g, v, plus<T_>());
}

/* Rank 0 gets T(). */
template <class G_, class T_, class Op> SIMTX_CG T_ exclusive_scan(const G_ &g, const T_ &value, Op &&op)
{
    T_ below = simtx_cg::scan_below(g, value, op);
    return g.thread_rank() ? below : T_();
}
template <class G_, class T_> SIMTX_CG T_ exclusive_scan(const G_ &g, const T_ &v)
{
    return exclusive_scan(g, v, plus<T_>());
}

/* Scans from the value of a cuda::atomic on, which gets the combination of all. */
template <class G_, class Atomic, class T_, class Op>
SIMTX_CG T_ inclusive_scan_update(const G_ &g, Atomic &atomic, const T_ &value, Op &&op)
{
    T_ v = simtx_cg::scan(g, value, op), before = T_();
    if (g.thread_rank() == g.size() - 1)
        before = simtx_cg::update(atomic, v, op);
    return op(g.shfl(before, g.size() - 1), v);
}
template <class G_, class Atomic, class T_> SIMTX_CG T_ inclusive_scan_update(const G_ &g, Atomic &atomic, const T_ &v)
{
    return inclusive_scan_update(g, atomic, v, plus<T_>());
}

template <class G_, class Atomic, class T_, class Op>
SIMTX_CG T_ exclusive_scan_update(const G_ &g, Atomic &atomic, const T_ &value, Op &&op)
{
    T_ v = simtx_cg::scan(g, value, op), below = simtx_cg::scan_below(g, value, op), before = T_();
    if (g.thread_rank() == g.size() - 1)
        before = simtx_cg::update(atomic, v, op);
    before = g.shfl(before, g.size() - 1);
    return g.thread_rank() ? op(before, below) : before;
}
template <class G_, class Atomic, class T_> SIMTX_CG T_ exclusive_scan_update(const G_ &g, Atomic &atomic, const T_ &v)
{
    return exclusive_scan_update(g, atomic, v, plus<T_>());
}
} // namespace cooperative_groups
#endif
