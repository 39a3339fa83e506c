/*
 * Occupancy of the ring at the end of each cycle (KILO TM, section 6.4.2). It is constant between two events, so the
 * cycles between them are added together.
 */
#include "tm/kilo/unit/cu_state.h"

static void add_stalls(struct commit_unit *u, uint64_t n)
{
    static const enum stat by_stall[] = { STAT_CU_STALL_FILL, STAT_CU_STALL_PASS, STAT_CU_STALL_COMMIT,
                                          STAT_CU_STALL_RETIRE };
    for (unsigned m = u->stall; m; m &= m - 1)
        cu_add(u, by_stall[__builtin_ctz(m)], n);
}

static void add_cycles(struct commit_unit *u, uint64_t n)
{
    cu_add(u, STAT_CU_CYCLES, n);
    cu_add(u, STAT_CU_OCCUPANCY_ALL, n * u->n_all);
    cu_add(u, STAT_CU_OCCUPANCY_ACCESSED, n * u->n_accessed);
    cu_add(u, STAT_CU_OCCUPANCY_USED_READ, n * u->n_used[CU_READS]);
    cu_add(u, STAT_CU_OCCUPANCY_USED_WRITE, n * u->n_used[CU_WRITES]);
    cu_add(u, STAT_CU_OCCUPANCY_NEEDED_READ, n * u->n_needed[CU_READS]);
    cu_add(u, STAT_CU_OCCUPANCY_NEEDED_WRITE, n * u->n_needed[CU_WRITES]);
    if (u->cfg.limit && u->n_all > u->cfg.limit)
        cu_add(u, STAT_CU_ABOVE_LIMIT, n);
    hist_add_often(u->hists, HIST_CU_ENTRIES, u->n_all, n);
    hist_add_often(u->hists, HIST_CU_NEEDED_READ, u->n_needed[CU_READS], n);
    hist_add_often(u->hists, HIST_CU_NEEDED_WRITE, u->n_needed[CU_WRITES], n);
}

void cu_settle(struct commit_unit *u, uint64_t until)
{
    if (until <= u->settled)
        return;
    if (u->n_all) {
        add_cycles(u, until - u->settled);
        add_stalls(u, until - u->settled);
    }
    u->settled = until;
}
