/* cooperative_groups::memcpy_async(): copies by the threads of a group. The copy completes inside the call; wait()
 * synchronises the group, which makes it visible to all members. */
#ifndef SIMTX_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define SIMTX_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#include "cooperative_groups.h"

namespace cooperative_groups
{
namespace simtx_cg
{
template <class W_, class G_> SIMTX_CG void copy_words(const G_ &g, void *to, const void *from, size_t bytes)
{
    for (size_t i = g.thread_rank(); i < bytes / sizeof(W_); i += g.size())
        ((W_ *)to)[i] = ((const W_ *)from)[i];
}
} // namespace simtx_cg

template <class G_> SIMTX_CG void memcpy_async(const G_ &g, void *to, const void *from, size_t bytes)
{
    size_t marks = (size_t)to | (size_t)from | bytes;
    if (marks % 16 == 0)
        simtx_cg::copy_words<uint4>(g, to, from, bytes);
    else if (marks % 4 == 0)
        simtx_cg::copy_words<unsigned int>(g, to, from, bytes);
    else
        simtx_cg::copy_words<unsigned char>(g, to, from, bytes);
}

/* Elements: as many as both sides have room for. */
template <class G_, class To, class From>
SIMTX_CG void memcpy_async(const G_ &g, To *to, size_t to_count, const From *from, size_t from_count)
{
    static_assert(sizeof(To) == sizeof(From), "elements of one size");
    memcpy_async(g, (void *)to, (const void *)from, (to_count < from_count ? to_count : from_count) * sizeof(To));
}

template <class G_> SIMTX_CG void wait(const G_ &g) { g.sync(); }
template <unsigned int Stages, class G_> SIMTX_CG void wait_prior(const G_ &g) { g.sync(); }
} // namespace cooperative_groups
#endif
