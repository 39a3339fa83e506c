/* The deliberate fault of a mutated library: SIMTX_FAULT=core:N or unit:N, rows of base/mutants.def or faults.def. */
#include <stdio.h>
#include <stdlib.h>

#include "base/mutate.h"
#include "tm/kilotm/mutate.h"

enum core_fault core_fault;
const void *unit_fault;

__attribute__((constructor)) static void choose(void)
{
    static struct cu_fault fault;
    const char *which = getenv("SIMTX_FAULT");
    int n = 0;
    if (which && sscanf(which, "core:%d", &n) == 1)
        core_fault = (enum core_fault)n;
    else if (which && sscanf(which, "unit:%d", &n) == 1) {
        fault.kind = (enum cu_fault_kind)n;
        unit_fault = &fault;
    }
}
