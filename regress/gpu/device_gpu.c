/* The one GPU of the driver, in place of the GPUs that regress/conformance/device.c makes. */
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "regress/conformance/behave/behave.h"
#include "regress/conformance/device.h"

int device_open(struct device *at, int room, int first, const char *simt)
{
    char *message = NULL;
    if (first)                                   /* it has been opened */
        return 0;
    at[0] = (struct device){.isa = "gpu", .simt = "", .warp_size = 32, .hash = HASH_START, .real = true};
    at[0].gpu = simtx_gpu_new(NULL, 0, &message);
    if (at[0].gpu)
        return 1;
    fprintf(stderr, "no GPU: %s\n", message);
    exit(2);
}

int device_open_timed(struct device *at, int first, const char *simt)
{
    return 0;
}

void device_close(struct device *at, int n)
{
    for (int i = 0; i < n; i++)
        simtx_gpu_free(at[i].gpu);
}

/* Texture tests need arrays, which library.c does not have. */
void behave_texture(struct behave_ctx *x)
{
    (void)x;
}
