/* Execution under a partial mask: executes all lanes, then restores the old values of the inactive ones. */
#include "ptx/lanes/kernel.h"

#define PARTIAL_RUN                                                                           \
    uint32_t m = x->mask, cc = x->cc;                                                         \
    x->mask = ALL_LANES;                                                                      \
    fn(x, d);                                                                                 \
    x->mask = m;                                                                              \
    x->cc = (x->cc & m) | (cc & ~m)

int NAME(partial2)(struct lanes *x, const struct dinst *d, ptx_fn *fn)
{
    uint16_t *D = dst_of(x, d), old[LANES] __attribute__((aligned(64)));
    copy_lanes(old, D, sizeof old);
    PARTIAL_RUN;
    select16(D, D, old, m);
    return 0;
}

int NAME(partial4)(struct lanes *x, const struct dinst *d, ptx_fn *fn)
{
    uint32_t *D = dst_of(x, d), old[LANES] __attribute__((aligned(64)));
    copy_lanes(old, D, sizeof old);
    PARTIAL_RUN;
    select32(D, D, old, m);
    return 0;
}

int NAME(partial8)(struct lanes *x, const struct dinst *d, ptx_fn *fn)
{
    uint64_t *D = dst_of(x, d), old[LANES] __attribute__((aligned(64)));
    copy_lanes(old, D, sizeof old);
    PARTIAL_RUN;
    select64(D, D, old, m);
    return 0;
}

int NAME(partial16)(struct lanes *x, const struct dinst *d, ptx_fn *fn)
{
    uint64_t *D = dst_of(x, d), old[2 * LANES] __attribute__((aligned(64)));
    copy_lanes(old, D, sizeof old);
    PARTIAL_RUN;
    select64(D, D, old, m);
    select64(D + LANES, D + LANES, old + LANES, m);
    return 0;
}
