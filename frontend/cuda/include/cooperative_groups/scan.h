/* cooperative_groups::inclusive_scan() and exclusive_scan(): prefixes in rank order. */
#ifndef SIMTX_COOPERATIVE_GROUPS_SCAN_H
#define SIMTX_COOPERATIVE_GROUPS_SCAN_H
#include "cooperative_groups.h"

namespace cooperative_groups
{
template <class G, class T, class Op> SIMTX_CG T inclusive_scan(const G &g, const T &value, Op &&op)
{
    T v = value;
    for (unsigned int d = 1; d < g.size(); d *= 2) {
        T below = g.shfl_up(v, d);
        if (g.thread_rank() >= d)
            v = op(below, v);
    }
    return v;
}
template <class G, class T> SIMTX_CG T inclusive_scan(const G &g, const T &v)
{
    return inclusive_scan(g, v, plus<T>());
}

template <class G, class T, class Op> SIMTX_CG T exclusive_scan(const G &g, const T &value, Op &&op)
{
    T below = g.shfl_up(inclusive_scan(g, value, op), 1);
    return g.thread_rank() ? below : T();
}
template <class G, class T> SIMTX_CG T exclusive_scan(const G &g, const T &v)
{
    return exclusive_scan(g, v, plus<T>());
}
} // namespace cooperative_groups
#endif
