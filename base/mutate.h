/*
 * Deliberate faults of transactional memory, one step each, for the test that shows that the checks find them: builds
 * with SIMTX_MUTATE have them, one at a time, chosen by the test.
 */
#ifndef BASE_MUTATE_H
#define BASE_MUTATE_H

enum core_fault {
    CORE_FAULT_NONE,
#define CORE_FAULT(id, what) CORE_FAULT_##id,
#include "base/mutants.def"
#define BANKS_FAULT(id, what) CORE_FAULT_BANKS_##id,
#include "base/bank_mutants.def"
#define LOCAL_FAULT(id, what) CORE_FAULT_LOCAL_##id,
#include "tm/localtm/faults.def"
    CORE_FAULTS
};

#ifdef SIMTX_MUTATE
extern enum core_fault core_fault;
extern const void *unit_fault;       /* a struct cu_fault, of commit units; NULL = none */
#define CORE_MUTANT(which) (core_fault == CORE_FAULT_##which)
#define UNIT_FAULT unit_fault
#else
#define CORE_MUTANT(which) 0
#define UNIT_FAULT NULL
#endif

#endif
