/*
 * Deliberate faults of the commit unit, one step of the protocol each, for the test that shows that its oracle finds
 * them. They exist in builds with SIMTX_MUTATE only.
 */
#ifndef TM_KILOTM_MUTATE_H
#define TM_KILOTM_MUTATE_H

enum cu_fault_kind {
    NO_FAULT,
#define FAULT(id, what) FAULT_##id,
#include "tm/kilotm/faults.def"
    FAULTS
};

struct cu_fault { enum cu_fault_kind kind; };

#ifdef SIMTX_MUTATE
#define MUTANT(owner, which) ((owner)->fault && (owner)->fault->kind == (which))
#else
#define MUTANT(owner, which) 0
#endif

#endif
