/* The interface between the kernel of a litmus test (litmus_emit.c) and the host that launches it (litmus_run.c). */
#ifndef FRONTEND_LITMUS_KERNEL_H
#define FRONTEND_LITMUS_KERNEL_H

#include "frontend/litmus/litmus.h"

enum {
    LITMUS_LANES = 32, LITMUS_TEMPS = 8,
    LITMUS_START_SHIFT = 13,         /* threads start at multiples of 2^13 cycles */
    LITMUS_NOISE_LINES = 4096,
    LITMUS_NOISE_STORES = 16         /* of a thread of noise, at most: less than a line */
};

/* A thread of a launch. role: of the test; number of threads: noise, to line `instance`; larger: it ends at once. */
struct litmus_lane { uint32_t role, instance, delay, warm; };

#endif
