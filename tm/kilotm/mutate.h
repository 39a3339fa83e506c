/*
 * Deliberate faults of the commit unit, one step of the protocol each, for the test that shows that its oracle finds
 * them. They exist in builds with SIMTX_MUTATE only.
 */
#ifndef TM_KILOTM_MUTATE_H
#define TM_KILOTM_MUTATE_H

enum cu_fault_kind {
    FAULT_NONE,
    FAULT_NO_INSERT,                 /* writes do not enter the last writer history */
    FAULT_EVICTION_LOST,             /* what the table evicts does not reach the filter */
    FAULT_FILTER_OVERWRITES,         /* a bucket takes the last commit ID, not the youngest */
    FAULT_HIT_KEEPS_CID,             /* a hit in the table does not take the new writer */
    FAULT_HAZARD_ABOVE_RCID,         /* hazard if the writer is younger than RCID, not if it is RCID */
    FAULT_LATE_RCID,                 /* RCID is taken when the log is complete */
    FAULT_YCID_FIRST,                /* YCID stays at the first hazard's writer */
    FAULT_YCID_RETIRES,              /* revalidation does not wait for the retirement of YCID, only for its turn */
    FAULT_HAZARD_IGNORED,            /* a hazard does not revoke an early pass */
    FAULT_NO_REVALIDATION,           /* the wait for the writer ends without reading again */
    FAULT_STALE_CLEARED,             /* revalidation forgets the failure of the first validation */
    FAULT_READ_UNCHECKED,            /* the last read of a revalidation is not read */
    FAULT_VALUE_UNCHECKED,           /* the high half of a value is not compared */
    FAULT_REVALIDATION_ENDS_EARLY,   /* the outcome is told before the last read is back */
    FAULT_COMMIT_UNASKED,            /* writes go out before the final outcome */
    FAULT_WRITE_DROPPED,             /* the last write of an entry is lost */
    FAULT_WRITES_REVERSED,           /* the newest write is issued first */
    FAULT_DONE_EARLY,                /* DONE_COMMIT before the last write is performed */
    FAULT_RETIRE_EARLY,              /* the retire pointer passes entries whose writes are under way */
    FAULT_SKIP_ANSWERED,             /* a skip is answered like a validation that passed */
    FAULT_FINAL_FAIL_COMMITS,        /* a final failure is taken for a pass */
    FAULT_PARTIAL_WHOLE,             /* a write of a part of a word writes the whole */
    FAULT_RESENT_UNINSERTED,         /* resent writes do not enter the last writer history */
    FAULT_RESENT_UNREAD,             /* resent reads are not read again */
    FAULTS
};

struct cu_fault { enum cu_fault_kind kind; };

#ifdef SIMTX_MUTATE
#define MUTANT(owner, which) ((owner)->fault && (owner)->fault->kind == (which))
#else
#define MUTANT(owner, which) 0
#endif

#endif
