// Fine-grained locks of search trees, one for each node, with versions. A thread descends without locks and notes the
// version of each node that it visits; then it locks the lowest of these nodes, as many as its operation may change, if
// their versions are what they were. The lock of a node is even while it is free; whoever has changed something under
// it leaves the next version. A thread that finds a lock taken, or a node changed, releases all and starts again at the
// root: it never waits for a lane of its warp. Locks are acquired downwards, so the lowest holder completes.
// The lock of a node guards its links to children and the links of its children back to it. Every node below which
// fewer keys may lie after an operation is locked by it: so a node with an old version is still on the path to the key.
#ifndef KERNELS_SI_HELD_LOCKS_H
#define KERNELS_SI_HELD_LOCKS_H

#include "../bench/locks.h"
#include "../check.h"

struct HeldLocks {
    static const int MOST = 96; // more than twice the height of a red-black tree

    int *locks;
    int count, held; // nodes noted, of which the first are locked
    int nodes[MOST], versions[MOST];

    __device__ __forceinline__ explicit HeldLocks(int *of_nodes) : locks(of_nodes), count(0), held(0) {}

    __device__ __forceinline__ int version(int node) const { return *(volatile int *)&locks[node]; }

    __device__ __forceinline__ void note(int node, int version_of_node) {
        nodes[count] = node;
        versions[count++] = version_of_node;
    }

    // The walk has come to `node`. Returns false if that is locked, or if the node before has changed since.
    __device__ __forceinline__ bool visit(int node) {
        int seen = version(node);
        if (seen % 2 != 0 || (count > 0 && !unchanged())) {
            return false;
        }
        __threadfence();
        note(node, seen);
        return true;
    }

    // Whether nothing has changed that is guarded by the last node noted.
    __device__ __forceinline__ bool unchanged() const {
        __threadfence();
        return version(nodes[count - 1]) == versions[count - 1];
    }

    // Removes all nodes but the last `kept`.
    __device__ __forceinline__ void keep_last(int kept) {
        int gone = count > kept ? count - kept : 0;
        for (int i = gone; i < count; i++) {
            nodes[i - gone] = nodes[i];
            versions[i - gone] = versions[i];
        }
        count -= gone;
    }

    __device__ __forceinline__ bool lock_noted() {
        while (held < count && versions[held] % 2 == 0 &&
               atomicCAS(&locks[nodes[held]], versions[held], versions[held] + 1) == versions[held]) {
            held++;
        }
        __threadfence();
        return held == count;
    }

    __device__ __forceinline__ bool lock(int node) {
        note(node, version(node));
        return lock_noted();
    }

    __device__ __forceinline__ void release(bool changed) {
        __threadfence();
        for (int i = 0; i < held; i++) {
            atomicExch(&locks[nodes[i]], versions[i] + (changed ? 2 : 0));
        }
    }
};

// Calls `attempt` with no locks held until it returns true: then it has changed what it has locked.
template <typename Attempt>
static __device__ __forceinline__ void with_held_locks(int *locks, Attempt attempt) {
    int done = 0;
    simtx_lock_begin();
    while (!done) {
        HeldLocks held(locks);
        done = attempt(held);
        held.release(done);
        SIMTX_LOCK_DONE(done);
    }
    simtx_lock_end();
}

static inline void expect_all_free(const std::vector<int> &locks) {
    for (size_t i = 0; i < locks.size(); i++) {
        expect_equal("lock is taken", (long)i, 0, locks[i] % 2);
    }
}

#endif
