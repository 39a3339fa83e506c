/*
 * A pool of host threads. A step processes the lists of items of a phase, which has one for each thread. Each thread
 * starts with its own list, which keeps the data of its items in its caches, and then takes remaining items of the
 * other lists (work stealing). A step ends when all items are done; it does not wait for threads that the host has not
 * scheduled.
 */
#ifndef TIMING_THREAD_POOL_H
#define TIMING_THREAD_POOL_H

#include <stdint.h>

struct thread_pool;

/* Processes item `item` of list `list` on thread `thread` in step `step` (step numbers increase from 1). */
typedef void thread_pool_work(void *ctx, uint64_t step, uint32_t thread, uint32_t list, uint32_t item);

/* Starts n >= 1 threads. List i, of phase i / n, has items[i] items. Thread 0 is the caller of thread_pool_step. */
struct thread_pool *thread_pool_new(uint32_t n, uint32_t phases, const uint32_t *items, thread_pool_work *work,
                                    void *ctx);
void thread_pool_free(struct thread_pool *p);
/* Processes every item of the phase's lists once. Writes of earlier steps and earlier writes of the caller are visible
 * to every item; writes of this step are visible to the caller afterwards. */
void thread_pool_step(struct thread_pool *p, uint32_t phase);
uint64_t thread_pool_steps(const struct thread_pool *p);   /* number of the last step */

#endif
