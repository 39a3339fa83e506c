/*
 * Random valid kernels, run. The input makes the instructions (gen.c); lines that the checks refuse are taken
 * out. Each kernel runs with every vector width that the machine has, under one SIMT mode, warp size and
 * block size taken from the input: no crash, and the same memory, instruction count and fault report whatever
 * the width.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regress/fuzz/gen.h"
#include "regress/fuzz/harness.h"

/* Blanks the lines that messages "k:LINE:COL: error" point at; returns how many. */
static int blank_refused(char *text, const char *messages)
{
    int blanked = 0;
    for (const char *m = messages; (m = strstr(m, "k:")); m += 2) {
        char *end;
        long line = strtol(m + 2, &end, 10);
        if ((m > messages && m[-1] != '\n') || *end != ':' || !strstr(end, "error"))
            continue;
        char *at = text;
        for (long i = 1; at && i < line; i++)
            at = (at = strchr(at, '\n')) ? at + 1 : NULL;
        size_t n = at ? strcspn(at, "\n") : 0;
        bool ours = n && !memchr(at, '{', n) == !memchr(at, '}', n);
        for (size_t i = 0; ours && i < n; i++)
            at[i] = ' ';
        blanked += ours;
    }
    return blanked;
}

static simtx_gpu *shaped_gpu(const uint8_t *shape, const char *isa)
{
    const char *settings[] = { isa, shape[0] & 1 ? "gpu.simt=independent" : "gpu.simt=stack",
                               shape[0] & 2 ? "gpu.warp_size=64" : "gpu.warp_size=32", NULL };
    return harness_gpu(0, settings);
}

/* Leaves what loads of the text; false when that cannot be found. */
static bool keep_what_is_legal(char *text, const uint8_t *shape)
{
    enum { ROUNDS = 12 };
    simtx_gpu *g = shaped_gpu(shape, "host.isa=base");
    simtx_status s = SIMTX_INVALID_PTX;
    bool changed = true;
    for (int i = 0; i < ROUNDS && s && changed; i++) {
        simtx_module *m = NULL;
        s = simtx_module_load(g, text, strlen(text), "k", &m);
        REQUIRE(s == SIMTX_OK || (s == SIMTX_INVALID_PTX && *simtx_last_message(g)), "status %d", (int)s);
        changed = s && blank_refused(text, simtx_last_message(g));
    }
    simtx_gpu_free(g);
    return s == SIMTX_OK;
}

/* A fault of a block ends the blocks that other host threads run, wherever they are. */
static void compare(const struct outcome *a, const struct outcome *b, const char *isa, uint32_t blocks)
{
    if (a->status == SIMTX_INTERRUPTED || b->status == SIMTX_INTERRUPTED)
        return;
    REQUIRE(a->status == b->status, "base: %s%s; %s: %s%s", simtx_status_name(a->status), a->fault.report,
            isa, simtx_status_name(b->status), b->fault.report);
    REQUIRE(!strcmp(a->fault.report, b->fault.report), "base: %s\n%s: %s", a->fault.report, isa,
            b->fault.report);
    REQUIRE((a->status == SIMTX_FAULT && blocks > 1) || (a->hash == b->hash && a->instructions == b->instructions),
            "memory or count differs with %s", isa);
}

static uint32_t blocks_of(const uint8_t *shape)
{
    return 1 + (shape[0] >> 2) % 3u;
}

/* One run on a new GPU. False when this machine lacks the vector width. */
static bool run(const char *text, const uint8_t *shape, const char *isa, struct outcome *o)
{
    static const uint32_t threads[] = { 32, 1, 40, 64, 96, 100, 33, 7 };
    simtx_gpu *g = shaped_gpu(shape, isa);
    if (!g)
        return false;
    simtx_module *m = NULL;
    void *buffer = harness_buffer(g);
    simtx_status s = simtx_module_load(g, text, strlen(text), "k", &m);
    REQUIRE(s == SIMTX_OK, "%s", simtx_last_message(g));
    simtx_dim3 grid = { blocks_of(shape), 1, 1 }, block = { threads[shape[1] % 8], 1, 1 };
    *o = harness_launch(g, simtx_module_kernel(m, "k"), grid, block, buffer);
    if (getenv("FUZZ_PRINT"))
        fprintf(stderr, "%s: %s\n%s\n", isa, simtx_status_name(o->status), simtx_last_message(g));
    simtx_gpu_free(g);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MAX_INSTRUCTIONS = 120, RECORD = 6, HEAD = 2 };
    static const char *const isas[] = { "host.isa=avx2", "host.isa=avx512" };
    if (size < HEAD + RECORD)
        return -1;
    size_t n = (size - HEAD) / RECORD;
    char *text = gen_kernel(data + HEAD, n < MAX_INSTRUCTIONS ? n : MAX_INSTRUCTIONS);
    struct outcome base, other;
    if (keep_what_is_legal(text, data)) {
        if (getenv("FUZZ_PRINT"))
            fprintf(stderr, "%s\n", text);
        run(text, data, "host.isa=base", &base);
        for (size_t i = 0; base.status != SIMTX_INTERRUPTED && i < sizeof isas / sizeof *isas; i++)
            if (run(text, data, isas[i], &other))
                compare(&base, &other, isas[i], blocks_of(data));
    }
    free(text);
    return 0;
}
