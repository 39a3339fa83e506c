/*
 * Checks of programs: what happens when a program does what hardware tolerates or leaves undefined (check.memory,
 * check.barrier, check.warp, check.races, check.uninitialised). A failed check raises a fault, or it is counted and the
 * program continues. With CHECK_WARN there is one report for each place, which is an instruction of a kernel: that of
 * the lowest block, so that it does not depend on the number of host threads.
 *
 * Inside a transaction of timing mode a failed check may be caused by reads that are inconsistent. It is held until
 * its lane commits; an abort discards it.
 */
#ifndef PTX_CHECK_H
#define PTX_CHECK_H

#include "ptx/exec/exec.h"

/* The reports of a GPU, over all its launches. */
struct check_log;
struct check_log *check_log_new(void);
void check_log_free(struct check_log *log);
/* The program will be freed: its places are no longer known. */
void check_log_remove(struct check_log *log, const struct program *p);
/* Calls `show` for each report that it has not been called for, in the order of kernels and lines. */
void check_log_show(struct check_log *log, void (*show)(void *ctx, const char *text), void *ctx);
/* Places that were reported. */
uint32_t check_log_places(const struct check_log *log, enum check c);

/* Counts a failed check of a lane that is tolerated and needs no report. False, without effect: check_failed
 * follows. */
bool check_tolerated(struct warp *w, const struct dinst *d, enum check c, int lane);
/* The same for a check that fails because of another access, of instruction `other`: each pair is a place. */
bool check_pair_tolerated(struct warp *w, const struct dinst *d, const struct ptx_inst *other, enum check c, int lane);
/* A failed check: raises a fault and returns CONTROL_FAULT, or counts and reports it and returns CONTROL_NEXT. */
int check_failed(struct warp *w, const struct dinst *d, enum check c, enum fault_kind kind, int lane, uint64_t address,
                 const char *what, ...) __attribute__((format(printf, 7, 8)));

int check_pair_failed(struct warp *w, const struct dinst *d, const struct ptx_inst *other, enum check c,
                      enum fault_kind kind, int lane, uint64_t address, const char *what, ...)
    __attribute__((format(printf, 8, 9)));

/* Held reports of a transaction. */
struct held_check {
    const struct dinst *d;
    uint64_t linear_block, count;
    uint8_t check, lane;
    char *text;                      /* NULL: the place needs no report */
};
struct held_checks { struct held_check *check; uint32_t n, cap; };
void check_publish(struct warp *w, struct held_checks *held, uint64_t lanes);    /* they have committed */
void check_discard(struct held_checks *held, uint64_t lanes);                    /* they have aborted */

#endif
