// A lock loop as correct SIMT source has it.  MARKED: with SIMTX_LOCK_DONE, as simtx_tm.h prescribes.
#include <simtx_tm.h>

__global__ void locked(int *lock, volatile int *value)
{
    int done = 0;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            value[0] = value[0] + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = 1;
        }
#ifdef MARKED
        SIMTX_LOCK_DONE(done);
#endif
    }
}
