/* See harness.h. Launches are ended by a timer that interrupts the GPU, as Ctrl-C does for the command. */
#include "base/hash.h"
#include "regress/fuzz/harness.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static simtx_gpu *volatile running;

void harness_fail(const char *cond, const char *fmt, ...)
{
    va_list ap;
    fprintf(stderr, "must hold: %s\n", cond);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    abort();
}

static void silent(void *ctx, const char *text, size_t len)
{
    size_t *bytes = ctx;
    *bytes += len + (size_t)(text[len - 1] == 0);
}

simtx_gpu *harness_gpu(int index, const char *const *assignments)
{
    static const char *const small[] = { "gpu.memory_mb=64", "functional.quantum=500", "gpu.sms=2", NULL };
    static size_t printed;
    simtx_config *c = simtx_config_new();
    char *message = NULL;
    bool fine = true;
    for (int i = 0; small[i]; i++)
        fine &= simtx_config_set(c, small[i], &message) == SIMTX_OK;
    REQUIRE(fine, "%s", message);
    for (int i = 0; assignments && assignments[i] && fine; i++)
        fine = simtx_config_set(c, assignments[i], &message) == SIMTX_OK;
    simtx_gpu *g = fine ? simtx_gpu_new(c, index, &message) : NULL;
    REQUIRE(g || (message && *message), "refused without a message");
    if (g)
        simtx_set_printf(g, silent, &printed);
    free(message);
    simtx_config_free(c);
    return g;
}

/* ---- the timer ---- */

static void on_timer(int sig)
{
    if (running)
        simtx_interrupt(running);
}

static void set_timer(long milliseconds)
{
    static timer_t timer;
    static bool made;
    if (!made) {
        struct sigaction a = { .sa_handler = on_timer, .sa_flags = SA_RESTART };
        struct sigevent e = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 1 };
        made = !sigaction(SIGRTMIN + 1, &a, NULL) && !timer_create(CLOCK_MONOTONIC, &e, &timer);
        REQUIRE(made, "no timer");
    }
    struct itimerspec t = { .it_value = { milliseconds / 1000, milliseconds % 1000 * 1000000 } };
    timer_settime(timer, 0, &t, NULL);
}

/* ---- buffer and launch ---- */

void *harness_buffer(simtx_gpu *g)
{
    static const uint64_t special[] = {
        0,
        1,
        2,
        3,
        31,
        32,
        0xff,
        0x7fff,
        0x8000,
        0xffff,
        0x3c003c00,
        0x7f800000,
        0xff800000,
        0x7fc00001,
        0x00000001,
        0x80000000,
        0x7fffffff,
        0xffffffff,
        0x3f800000,
        0x0000000100000000,
        0x7ff0000000000000,
        0xfff8000000000001,
        0x3ff0000000000000,
        0x8000000000000000,
        0xffffffffffffffff,
        0x123456789abcdef0,
        0x4b000001,
        0x33000001,
    };
    enum { N = sizeof special / sizeof *special };
    void *p = NULL;
    REQUIRE(simtx_malloc(g, HARNESS_BUFFER, SIMTX_MEM_DEVICE, &p) == SIMTX_OK, "%s", simtx_last_message(g));
    uint64_t *word = p;
    for (size_t i = 0; i < 4096 / sizeof *word; i++)
        word[i] = special[(i * 5 + i / 3) % N];
    return p;
}

static void check_outcome(simtx_gpu *g, const struct outcome *o)
{
    REQUIRE(o->status == SIMTX_FAULT || o->fault.kind == SIMTX_FAULT_NONE, "a fault without the status");
    REQUIRE(o->status == SIMTX_OK || *simtx_last_message(g), "failed without a message");
    if (o->status != SIMTX_FAULT)
        return;
    REQUIRE(o->fault.kind > SIMTX_FAULT_NONE && o->fault.kind <= SIMTX_FAULT_UNINITIALISED, "kind %d",
            (int)o->fault.kind);
    REQUIRE(strstr(o->fault.report, "fault: ") && strstr(o->fault.report, "kernel "), "%s", o->fault.report);
}

struct outcome harness_launch_params(simtx_gpu *g, simtx_kernel *k, const simtx_launch_params *p)
{
    enum { PATIENCE = 80 };
    struct outcome o = { 0 };
    simtx_launch_stats stats = { 0 };
    running = g;
    set_timer(PATIENCE);
    o.status = simtx_launch(k, p, &stats, &o.fault);
    running = NULL;
    set_timer(0);
    check_outcome(g, &o);
    o.instructions = stats.thread_instructions;
    return o;
}

struct outcome harness_launch(simtx_gpu *g, simtx_kernel *k, simtx_dim3 grid, simtx_dim3 block, void *buffer)
{
    enum { PARAMETERS = 32768 };
    static uint64_t parameters[PARAMETERS / 8];
    for (size_t i = 0; i < PARAMETERS / 8; i++)
        parameters[i] = (uint64_t)(uintptr_t)buffer;
    simtx_launch_params p = {
        .grid = grid, .block = block, .arg_buffer = parameters, .arg_buffer_bytes = PARAMETERS
    };
    struct outcome o = harness_launch_params(g, k, &p);
    o.hash = hash_bytes(HASH_START, buffer, HARNESS_BUFFER);
    return o;
}
