/*
 * Arbitrary launches and configurations: lines "key=value" from the end of the input are assigned, one file
 * of them is loaded, then kernels of a fixed module are launched with arbitrary grids, blocks, shared memory,
 * argument buffers and limits. Whatever is refused is refused with a message; afterwards the GPU still works.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "regress/fuzz/harness.h"

static const char module_text[] =
    ".version 7.5\n.target sm_70\n.address_size 64\n.extern .shared .align 16 .b8 dynamic[];\n"
    ".visible .entry nothing()\n{ ret; }\n"
    ".visible .entry store(.param .u64 p, .param .u32 v)\n{ .reg .b64 %rd<2>; .reg .b32 %r<2>;\n"
    "ld.param.u64 %rd0, [p]; ld.param.u32 %r0, [v]; st.global.u32 [%rd0], %r0; ret; }\n"
    ".visible .entry sums(.param .align 8 .b8 s[40], .param .u64 p) .maxntid 256\n{ .reg .b64 %rd<4>; .reg "
    ".b32 %r<4>;\n"
    ".shared .align 4 .b8 mine[1024];\n"
    "ld.param.u64 %rd0, [p]; ld.param.u64 %rd1, [s+32]; mov.u32 %r0, %tid.x; st.shared.u32 [dynamic], %r0;\n"
    "bar.sync 0; ld.shared.u32 %r1, [dynamic]; red.global.add.u32 [%rd0], %r1; ret; }\n"
    ".visible .entry required() .reqntid 8, 4\n{ .local .align 8 .b8 much[4096]; .reg .b32 %r<2>;\n"
    "ld.local.u32 %r0, [much+4092]; ret; }\n"
    ".func (.param .b32 r) deep(.param .b32 n)\n{ .reg .b32 %r<3>; .reg .pred %p;\n"
    "ld.param.b32 %r0, [n]; setp.eq.u32 %p, %r0, 0; @%p bra END;\n"
    "{ .param .b32 a; .param .b32 c; sub.u32 %r1, %r0, 1; st.param.b32 [a], %r1; call (c), deep, (a);\n"
    "ld.param.b32 %r0, [c]; }\nEND: st.param.b32 [r], %r0; ret; }\n"
    ".visible .entry calls(.param .u32 n)\n{ .reg .b32 %r<3>;\n"
    "{ .param .b32 a; .param .b32 c; ld.param.u32 %r0, [n]; st.param.b32 [a], %r0; call (c), deep, (a); } "
    "ret; }\n";

struct input { const uint8_t *p; size_t n; };

static uint64_t take(struct input *in, size_t bytes)
{
    uint64_t v = 0;
    for (; bytes && in->n; bytes--, in->n--)
        v = v << 8 | *in->p++;
    return v;
}

/* Small mostly, any now and then. */
static uint32_t take_size(struct input *in)
{
    uint8_t how = (uint8_t)take(in, 1);
    return how < 200 ? how % 40u : how < 240 ? (uint32_t)take(in, 2) : (uint32_t)take(in, 4);
}

static void load_as_file(simtx_config *c, const char *text, size_t n)
{
    char path[64], *message = NULL;
    int fd = memfd_create("fuzz.cfg", 0);
    REQUIRE(fd >= 0 && write(fd, text, n) == (ssize_t)n, "no file");
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    simtx_status s = simtx_config_load(c, path, &message);
    REQUIRE(s == SIMTX_OK || (message && *message), "refused without a message");
    free(message);
    close(fd);
}

static void assign_lines(simtx_config *c, char *text)
{
    for (char *save, *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *message = NULL;
        simtx_status s = simtx_config_set(c, line, &message);
        REQUIRE(s == SIMTX_OK || (message && *message), "refused without a message: %s", line);
        free(message);
    }
}

static simtx_gpu *configured(struct input in)
{
    static const char *const bounds[] = { "gpu.memory_mb=64", "functional.quantum=500",
                                          "gpu.max_threads_per_block=1024" };
    char *text = malloc(in.n + 1), *message = NULL;
    simtx_config *c = simtx_config_new();
    REQUIRE(text && c, "no memory");
    if (in.n)
        memcpy(text, in.p, in.n);
    text[in.n] = 0;
    if (in.n && text[0] == '#')
        load_as_file(c, text, in.n);
    else
        assign_lines(c, text);
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        REQUIRE(simtx_config_set(c, bounds[i], &message) == SIMTX_OK, "%s", message);
    simtx_gpu *g = simtx_gpu_new(c, 0, &message);
    REQUIRE(g || (message && *message), "refused without a message");
    free(message);
    free(text);
    simtx_config_free(c);
    return g;
}

static void try_launch(simtx_gpu *g, simtx_module *m, struct input *in, void *buffer)
{
    static const char *const names[] = { "nothing", "store", "sums", "required", "calls" };
    simtx_kernel *k = simtx_module_kernel(m, names[take(in, 1) % 5]);
    uint64_t first[8] = { (uintptr_t)buffer, 1, 2, 3, 4, (uintptr_t)buffer, 6, 7 };
    simtx_launch_params p = {
        .grid = { take_size(in), take_size(in), take_size(in) },
        .block = { take_size(in), take_size(in), take_size(in) },
        .dynamic_shared = take(in, 1) < 200 ? take(in, 2) : take(in, 8),
        .arg_buffer = first,
        .arg_buffer_bytes = take(in, 1) % (sizeof first + 1),
    };
    uint8_t limits = (uint8_t)take(in, 1);
    const char *limit = NULL;
    if (limits & 1)
        simtx_set_stack_limit(g, take(in, limits & 8 ? 8 : 2));
    if (limits & 2)
        simtx_kernel_set_max_dynamic_shared(k, take(in, 4));
    if (limits & 4)
        first[0] = take(in, 8);
    if (limits & 16)
        p.arg_buffer = NULL;
    simtx_occupancy(k, p.block.x * p.block.y * p.block.z, p.dynamic_shared, &limit);
    harness_launch_params(g, k, &p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { LAUNCHES = 3, LAUNCH_BYTES = 48 };
    struct input launches = { data, size < LAUNCHES * LAUNCH_BYTES ? size : LAUNCHES * LAUNCH_BYTES };
    simtx_gpu *g = configured((struct input){ data + launches.n, size - launches.n });
    simtx_module *m = NULL;
    if (!g)
        return 0;
    void *buffer = harness_buffer(g);
    simtx_status s = simtx_module_load(g, module_text, sizeof module_text - 1, "module", &m);
    REQUIRE(s == SIMTX_OK, "%s", simtx_last_message(g));
    for (int i = 0; i < LAUNCHES && launches.n; i++)
        try_launch(g, m, &launches, buffer);
    char *json = simtx_stats_json(g), *text = simtx_stats_text(g);
    REQUIRE(json && text && *json == '{', "no statistics");
    free(json);
    free(text);
    simtx_gpu_free(g);
    return 0;
}
