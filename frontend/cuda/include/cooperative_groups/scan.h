/* cooperative_groups::inclusive_scan() and exclusive_scan(): prefixes in rank order. */
#ifndef SIMTX_COOPERATIVE_GROUPS_SCAN_H
#define SIMTX_COOPERATIVE_GROUPS_SCAN_H
#include "cooperative_groups.h"
#include "cooperative_groups/reduce.h"

namespace cooperative_groups
{
namespace simtx_cg
{
template <class G, class T, class Op> SIMTX_CG T scan(const G &g, const T &value, Op &&op)
{
    T v = value;
    for (unsigned int d = 1; d < g.size(); d *= 2) {
        T below = g.shfl_up(v, d);
        if (g.thread_rank() >= d)
            v = op(below, v);
    }
    return v;
}

/* Within warps, then with the results of the warps below. */
template <unsigned int N, class P, class T, class Op>
SIMTX_CG T scan(const thread_block_tile<N, P, true> &g, const T &value, Op &&op)
{
    T v = scan(thread_block_tile<32>(), value, op), below = g.combine(v, 31, g.warp_rank(), op);
    return g.warp_rank() ? op(below, v) : v;
}

template <class G, class T, class Op> SIMTX_CG T scan_below(const G &g, const T &value, Op &&op)
{
    return g.shfl_up(scan(g, value, op), 1);
}

template <unsigned int N, class P, class T, class Op>
SIMTX_CG T scan_below(const thread_block_tile<N, P, true> &g, const T &value, Op &&op)
{
    thread_block_tile<32> warp;
    T v = scan(warp, value, op), below = g.combine(v, 31, g.warp_rank(), op), lower = warp.shfl_up(v, 1);
    if (warp.thread_rank() == 0)
        return below;
    return g.warp_rank() ? op(below, lower) : lower;
}
} // namespace simtx_cg

template <class G, class T, class Op> SIMTX_CG T inclusive_scan(const G &g, const T &value, Op &&op)
{
    return simtx_cg::scan(g, value, op);
}
template <class G, class T> SIMTX_CG T inclusive_scan(const G &g, const T &v)
{
    return inclusive_scan(g, v, plus<T>());
}

/* Rank 0 gets T(). */
template <class G, class T, class Op> SIMTX_CG T exclusive_scan(const G &g, const T &value, Op &&op)
{
    T below = simtx_cg::scan_below(g, value, op);
    return g.thread_rank() ? below : T();
}
template <class G, class T> SIMTX_CG T exclusive_scan(const G &g, const T &v)
{
    return exclusive_scan(g, v, plus<T>());
}

/* Scans from the value of a cuda::atomic on, which gets the combination of all. */
template <class G, class Atomic, class T, class Op>
SIMTX_CG T inclusive_scan_update(const G &g, Atomic &atomic, const T &value, Op &&op)
{
    T v = simtx_cg::scan(g, value, op), before = T();
    if (g.thread_rank() == g.size() - 1)
        before = simtx_cg::update(atomic, v, op);
    return op(g.shfl(before, g.size() - 1), v);
}
template <class G, class Atomic, class T> SIMTX_CG T inclusive_scan_update(const G &g, Atomic &atomic, const T &v)
{
    return inclusive_scan_update(g, atomic, v, plus<T>());
}

template <class G, class Atomic, class T, class Op>
SIMTX_CG T exclusive_scan_update(const G &g, Atomic &atomic, const T &value, Op &&op)
{
    T v = simtx_cg::scan(g, value, op), below = simtx_cg::scan_below(g, value, op), before = T();
    if (g.thread_rank() == g.size() - 1)
        before = simtx_cg::update(atomic, v, op);
    before = g.shfl(before, g.size() - 1);
    return g.thread_rank() ? op(before, below) : before;
}
template <class G, class Atomic, class T> SIMTX_CG T exclusive_scan_update(const G &g, Atomic &atomic, const T &v)
{
    return exclusive_scan_update(g, atomic, v, plus<T>());
}
} // namespace cooperative_groups
#endif
