/* GPUs for the tests: see device.h. */
#include "base/hash.h"
#include "regress/conformance/device.h"

#include <stdio.h>
#include <stdlib.h>

static void set(simtx_config *c, const char *assignment)
{
    char *message = NULL;
    if (simtx_config_set(c, assignment, &message)) {
        fprintf(stderr, "%s: %s\n", assignment, message);
        exit(2);
    }
}

static simtx_gpu *make(const char *isa, int warp_size, const char *simt, int index, char **message)
{
    char text[64];
    simtx_config *c = simtx_config_new();
    snprintf(text, sizeof text, "host.isa=%s", isa);
    set(c, text);
    snprintf(text, sizeof text, "gpu.warp_size=%d", warp_size);
    set(c, text);
    snprintf(text, sizeof text, "gpu.simt=%s", simt);
    set(c, text);
    simtx_gpu *g = simtx_gpu_new(c, index, message);
    simtx_config_free(c);
    return g;
}

int device_open(struct device *at, int room, int first, const char *simt)
{
    static const char *const isas[] = { "base", "avx2", "avx512" };
    int n = 0;
    char *message = NULL;
    for (int i = 0; i < 3 && n < room; i++) {
        simtx_gpu *g = make(isas[i], 32, simt, first + n, &message);
        if (!g && i)                             /* this machine has no such instructions */
            continue;
        if (!g)
            break;
        at[n] = (struct device){ .gpu = g, .simt = simt, .warp_size = 32, .hash = HASH_START };
        snprintf(at[n++].isa, sizeof at->isa, "%s", isas[i]);
    }
    if (n && n < room) {
        at[n] = at[n - 1];
        at[n].warp_size = 64;
        at[n].gpu = make(at[n].isa, 64, simt, first + n, &message);
        n += at[n].gpu != NULL;
    }
    if (!n || at[n - 1].warp_size == 32) {
        fprintf(stderr, "no GPU: %s\n", message ? message : "");
        exit(2);
    }
    free(message);
    return n;
}

int device_open_timed(struct device *at, int first, const char *simt)
{
    static const char *const machine[] = {
        "sim.mode=timing", "gpu.sms=8", "gpu.gpc_sms=5", "gpu.memory_mb=64", "dram.channels=2", "l1.global=true"
    };
    char text[64], *message = NULL;
    simtx_config *c = simtx_config_new();
    for (unsigned i = 0; i < sizeof machine / sizeof *machine; i++)
        set(c, machine[i]);
    snprintf(text, sizeof text, "gpu.simt=%s", simt);
    set(c, text);
    *at = (struct device){ .gpu = simtx_gpu_new(c, first, &message), .isa = "timing mode", .simt = simt,
                           .warp_size = 32, .hash = HASH_START, .timed = true };
    simtx_config_free(c);
    if (!at->gpu) {
        fprintf(stderr, "no GPU: %s\n", message ? message : "");
        exit(2);
    }
    return 1;
}

void device_close(struct device *at, int n)
{
    for (int i = 0; i < n; i++)
        simtx_gpu_free(at[i].gpu);
}

