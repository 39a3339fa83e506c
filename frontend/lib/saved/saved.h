/*
 * Saved states: a launch of a program, the point, at which device state is written to a file or read from it. Up to
 * the point every call of the host that concerns the device is an event. A run that saves records the events with
 * what the host gets from them: counters and output of launches, bytes that it copies from the device, pages of
 * managed and pinned memory that a launch has changed. A run that restores does the same calls; launches are skipped
 * and take what the file has for them; an event that differs from the recorded one ends the process. At the point the
 * file has the contents of all device memory. Before it every launch runs in functional mode, so the machine of
 * timing mode has no state but that of the host's copies, which the restoring run does itself.
 *
 * The functions below are called by the library where an event happens; all do nothing without a saved state.
 */
#ifndef FRONTEND_SAVED_H
#define FRONTEND_SAVED_H

#include "frontend/lib/gpu.h"

void saved_allocated(simtx_gpu *g, const void *p, size_t bytes, int kind);
void saved_freed(simtx_gpu *g, const void *p);
void saved_filled(simtx_gpu *g, const void *p, int value, size_t bytes);
void saved_moved(simtx_gpu *g, const void *to, const void *from, size_t bytes);   /* between device addresses */
void saved_copied_in(simtx_gpu *g, const void *p, size_t bytes);               /* from the host; the bytes are there */
void saved_copying_out(simtx_gpu *g, void *p, size_t bytes);                   /* to the host; they may be set here */
void saved_loaded(simtx_gpu *g, const char *const *ptx, const size_t *len, int n);
void saved_unloaded(simtx_gpu *g);
/* Ends the process: states with this cannot be saved. */
void saved_excludes(simtx_gpu *g, const char *what);

/* Before a launch: at the point, saves or restores. timed: the launch will run in timing mode. */
void saved_at_launch(simtx_gpu *g, const struct simtx_kernel *k, bool timed);
/* Does this run skip the launch, which is not at the point? Then its counters are set, and its effects on the host. */
bool saved_skips(simtx_gpu *g, struct queued_launch *o);
/* A launch that was not skipped begins, and has ended. */
void saved_launching(simtx_gpu *g, const struct queued_launch *o);
void saved_launched(simtx_gpu *g, const struct queued_launch *o);
void saved_printed(simtx_gpu *g, const char *text, size_t len);
void saved_heap(simtx_gpu *g, void *p, uint64_t bytes, bool alloc);

void saved_free(simtx_gpu *g);

#endif
