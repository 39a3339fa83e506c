/* The one GPU of the driver, in place of the GPUs that regress/conformance/device.c makes. */
#include <stdio.h>
#include <stdlib.h>

#include "regress/conformance/behave/behave.h"
#include "regress/conformance/device.h"

int device_open(struct device *at, int room, int first, const char *simt)
{
    char *message = NULL;
    at[0] = (struct device){.isa = "gpu", .simt = "", .warp_size = 32, .hash = 0xcbf29ce484222325u};
    at[0].gpu = simtx_gpu_new(NULL, 0, &message);
    if (at[0].gpu)
        return 1;
    fprintf(stderr, "no GPU: %s\n", message);
    exit(2);
}

void device_close(struct device *at, int n)
{
    for (int i = 0; i < n; i++)
        simtx_gpu_free(at[i].gpu);
}

uint64_t device_hash(uint64_t h, const void *p, size_t n)
{
    const unsigned char *b = p;
    for (size_t i = 0; i < n; i++)
        h = (h ^ b[i]) * 0x100000001b3u;
    return h;
}

/* Texture tests need arrays, which library.c does not have. */
void behave_texture(struct behave_ctx *x)
{
    (void)x;
}
