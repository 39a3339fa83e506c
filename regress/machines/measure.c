/* The microbenchmarks: PTX made on the spot, two lengths of each, whose difference is what is measured. */
#include "regress/machines/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regress/micro/harness.h"

enum { WARP = 32, LINE = 128 };

/* The bodies that are measured stand for machine code, so their order is kept. */
#define KEEP_ORDER "gpu.instruction_order=text"
static const char *const one_sm[] = { "+" MACHINE, "gpu.sms=1", "core.perfect_fetch=true", KEEP_ORDER, NULL };
static const char *const all_sms[] = { "+" MACHINE, "core.perfect_fetch=true", KEEP_ORDER, NULL };

static unsigned sms(void)
{
    return (unsigned)config_value(all_sms, "gpu.sms");
}

static double mhz(void)
{
    return config_value(all_sms, "gpu.core_mhz");
}

static double launch(struct text *t, struct shape s, uint64_t bytes, void (*fill)(char *, uint64_t),
                     const char *const *settings)
{
    struct run r = run_kernel(t, s, bytes, fill, settings);
    if (r.message) {
        fprintf(stderr, MACHINE ": %s\n", r.message);
        exit(1);
    }
    double cycles = r.cycles;
    run_end(&r);
    return cycles;
}

/* ---- chains ---- */

static struct text *chain(const char *start, const char *instructions, unsigned n)
{
    struct text *t = text_new();
    text_add(t, "    mov.u32 %%r0, %%me;\n    mov.u32 %%r1, 3;\n"
                "    mov.f32 %%f0, 0f3f800000;\n    mov.f32 %%f1, 0f3f800001;\n"
                "    mov.f64 %%d0, 0d3ff0000000000000;\n    mov.f64 %%d1, 0d3ff0000000000001;\n%s", start);
    for (unsigned i = 0; i < n; i++)
        text_add(t, "    %s\n", instructions);
    text_add(t, "    cvt.rn.f32.f64 %%f2, %%d0;\n    add.f32 %%f0, %%f0, %%f2;\n    st.global.f32 [%%out], %%f0;\n"
                "    st.global.u32 [%%out+4], %%r0;\n    st.global.u64 [%%out+8], %%a0;\n");
    return t;
}

static double each_on(const char *const *settings, const char *start, const char *instructions, unsigned threads,
                      void (*fill)(char *, uint64_t), uint64_t bytes)
{
    enum { FEW = 64, MANY = 192 };
    double few = launch(chain(start, instructions, FEW), (struct shape){ 1, threads }, bytes, fill, settings);
    double many = launch(chain(start, instructions, MANY), (struct shape){ 1, threads }, bytes, fill, settings);
    return (many - few) / (MANY - FEW);
}

static double each(const char *start, const char *instructions, unsigned threads, void (*fill)(char *, uint64_t),
                   uint64_t bytes)
{
    return each_on(one_sm, start, instructions, threads, fill, bytes);
}

double measure_chain(const char *instructions)
{
    return each("", instructions, WARP, NULL, 4096);
}

double measure_barrier(const char *threads)
{
    return each("", "bar.sync 0;", (unsigned)strtoul(threads, NULL, 10), NULL, 4096);
}

double measure_shared(const char *unused)
{
    (void)unused;
    return each("    mov.u32 %r0, mem;\n    st.shared.u32 [%r0], %r0;\n", "ld.shared.u32 %r0, [%r0];", 1, NULL, 4096);
}

/* Each lane's word holds its own address; they are as many words apart as lanes share a bank. */
double measure_conflict(const char *lanes)
{
    char start[160];
    snprintf(start, sizeof start, "    mov.u32 %%r0, mem;\n    mad.lo.u32 %%r0, %%t2, %lu, %%r0;\n"
                                  "    st.shared.u32 [%%r0], %%r0;\n", 4 * strtoul(lanes, NULL, 10));
    return each(start, "ld.shared.u32 %r0, [%r0];", WARP, NULL, 4096);
}

/* The four words at the address hold it. */
double measure_shared_load(const char *instruction)
{
    return each("    mov.u32 %r0, mem;\n    st.shared.v4.u32 [%r0], {%r0, %r0, %r0, %r0};\n", instruction, WARP, NULL,
                4096);
}

/* The word at the start of the data holds its own address. */
static void fill_self(char *data, uint64_t bytes)
{
    (void)bytes;
    *(uint64_t *)(void *)data = (uint64_t)(uintptr_t)data;
}

double measure_l1(const char *unused)
{
    (void)unused;
    return each("    mov.u64 %a0, %data;\n", "ld.global.ca.u64 %a0, [%a0];", 1, fill_self, 4096);
}

double measure_l2(const char *unused)
{
    (void)unused;
    return each("    mov.u64 %a0, %data;\n", "ld.global.cg.u64 %a0, [%a0];", 1, fill_self, 4096);
}

enum { LINES = 256 };                    /* of a chain of loads that each access another line */

/* Each line holds the address of another one, far away: banks of DRAM are closed when they are read. */
static void fill_far(char *data, uint64_t bytes)
{
    uint64_t x = 12345, at = 0;
    for (int i = 0; i < LINES; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        uint64_t to = (x >> 33) % (bytes / LINE) * LINE;
        *(uint64_t *)(void *)(data + at) = (uint64_t)(uintptr_t)(data + to);
        at = to;
    }
    *(uint64_t *)(void *)(data + at) = (uint64_t)(uintptr_t)data;
}

double measure_dram(const char *unused)
{
    (void)unused;
    return each("    mov.u64 %a0, %data;\n", "ld.global.cg.u64 %a0, [%a0];", 1, fill_far, 256u << 20);
}

/* The same, where each line is in a part of its own of the data. */
static void fill_parts(char *data, uint64_t bytes)
{
    uint64_t x = 12345, at = 0, part = bytes / LINES;
    for (uint64_t i = 1; i < LINES; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        uint64_t to = i * part + (x >> 33) % (part / LINE) * LINE;
        *(uint64_t *)(void *)(data + at) = (uint64_t)(uintptr_t)(data + to);
        at = to;
    }
}

double measure_tlb_miss(const char *overlay)
{
    const char *const settings[] = { one_sm[0], overlay, "gpu.sms=1", "core.perfect_fetch=true", KEEP_ORDER, NULL };
    uint64_t page = (uint64_t)config_value(settings, "tlb.l2.page_kb") << 10;
    return each_on(settings, "    mov.u64 %a0, %data;\n", "ld.global.cg.u64 %a0, [%a0];", 1, fill_parts, LINES * page);
}

/* The value that is loaded, 0, is added to the address: the chain is the load and an addition. */
static double each_const(unsigned size, unsigned stride, const char *const *settings)
{
    unsigned steps = size / stride;
    double cycles[2];
    for (unsigned pass = 0; pass < 2; pass++) {
        struct text *t = text_new();
        text_add(t, "    mov.u64 %%a0, table;\n");
        for (unsigned p = 0; p < pass + 1; p++)
            for (unsigned i = 0; i < steps; i++)
                text_add(t, "    ld.const.u64 %%a1, [%%a0+%u];\n    add.u64 %%a0, %%a0, %%a1;\n", i * stride);
        text_add(t, "    st.global.u64 [%%out], %%a0;\n");
        cycles[pass] = launch(t, (struct shape){ 1, 1 }, 4096, NULL, settings);
    }
    return (cycles[1] - cycles[0]) / steps - measure_chain("add.u64 %a0, %a0, %a0;");
}

double measure_const(const char *bytes)
{
    return each_const((unsigned)strtoul(bytes, NULL, 10), 64, one_sm);
}

/* No constants of PTX fill L1.5: it is made smaller. */
double measure_const_l2(const char *unused)
{
    static const char *const small_l15[] = { "+" MACHINE, "gpu.sms=1", "core.perfect_fetch=true", KEEP_ORDER,
                                             "l15.kb=4", NULL };
    (void)unused;
    return each_const(8192, LINE, small_l15);
}

double measure_shared_atomic(const char *lanes)
{
    return each("    mov.u32 %r2, mem;\n", "atom.shared.add.u32 %r0, [%r2], %r0;", (unsigned)strtoul(lanes, NULL, 10),
                NULL, 4096);
}

double measure_global_atomic(const char *lanes)
{
    return each("", "atom.global.add.u32 %r0, [%data], %r0;", (unsigned)strtoul(lanes, NULL, 10), NULL, 4096);
}

double measure_global_cas(const char *lanes)
{
    return each("", "atom.global.cas.b32 %r0, [%data], %r0, %r0;", (unsigned)strtoul(lanes, NULL, 10), NULL, 4096);
}

/* ---- rates ---- */

static struct text *independent(const char *instruction, unsigned n)
{
    struct text *t = text_new();
    for (unsigned i = 0; i < n; i++) {
        text_add(t, "    ");
        /* D: registers 8 to 15; S: registers 0 to 7, so that nothing depends on anything. */
        for (const char *p = instruction; *p && *p != '*'; p++)
            if (*p == 'D')
                text_add(t, "%u", 8 + i % 8);
            else if (*p == 'S')
                text_add(t, "%u", i % 8);
            else
                text_add(t, "%c", *p);
        text_add(t, "\n");
    }
    return t;
}

/* Instructions of a warp a cycle of the GPU with so many SMs. */
static double warps_a_cycle(const char *instruction, unsigned blocks, unsigned n, const char *const *settings)
{
    enum { THREADS = 1024 };
    const struct shape s = { blocks, THREADS };
    double few = launch(independent(instruction, n), s, 4096, NULL, settings);
    double many = launch(independent(instruction, 4 * n), s, 4096, NULL, settings);
    return (double)(3 * n) * blocks * (THREADS / WARP) / (many - few);
}

static double results(const char *instruction)
{
    const char *each = strchr(instruction, '*');
    return each ? WARP * strtod(each + 1, NULL) : WARP;
}

double measure_rate(const char *instruction)
{
    return warps_a_cycle(instruction, 1, 100, one_sm) * results(instruction);
}

double measure_peak(const char *instruction)
{
    return warps_a_cycle(instruction, sms(), 100, all_sms) * results(instruction) * mhz() * 1e-6;
}

double measure_tensor(const char *instruction)
{
    return warps_a_cycle(instruction, 1, 16, one_sm) * sms() * results(instruction) * mhz() * 1e-6;
}

/* ---- capacities ---- */

/* Does a second pass over the array miss? */
static bool misses_again(const char *load, unsigned bytes, unsigned step, const char *stat)
{
    double misses[2];
    for (unsigned pass = 0; pass < 2; pass++) {
        struct text *t = text_new();
        text_add(t, "    mov.u64 %%a0, %s;\n", strstr(load, "const") ? "table" : "%data");
        for (unsigned p = 0; p < pass + 1; p++)
            for (unsigned i = 0; i < bytes; i += step)
                text_add(t, "    %s.u64 %%a1, [%%a0+%u];\n    add.u64 %%a2, %%a2, %%a1;\n", load, i);
        text_add(t, "    st.global.u64 [%%out], %%a2;\n");
        struct run r = run_kernel(t, (struct shape){ 1, 1 }, 1 << 20, NULL, one_sm);
        misses[pass] = run_stat(&r, stat);
        run_end(&r);
    }
    return misses[1] > misses[0];
}

/* KiB of the largest array that hits, to a sixteenth of the largest power of two. */
static double capacity(const char *load, unsigned step, unsigned most_kb, const char *stat)
{
    unsigned bytes = 1024;
    while (2 * bytes <= most_kb * 1024 && !misses_again(load, 2 * bytes, step, stat))
        bytes *= 2;
    for (unsigned more = bytes / 2, least = bytes / 16; more >= least; more /= 2)
        if (bytes + more <= most_kb * 1024 && !misses_again(load, bytes + more, step, stat))
            bytes += more;
    return bytes / 1024.0;
}

double measure_const_kb(const char *unused)
{
    (void)unused;
    return capacity("ld.const", 64, 8, "const.misses");
}

double measure_l1_kb(const char *unused)
{
    (void)unused;
    return capacity("ld.global.ca", LINE, 256, "l1.global_load.misses");
}

/* ---- bandwidths ---- */

/* Loads by every lane, 4 bytes each, of one line for each warp, over and over. */
static struct text *loads(const char *load, const char *address, unsigned n)
{
    struct text *t = text_new();
    text_add(t, "    shl.b32 %%r0, %%t2, 2;\n    and.b32 %%r0, %%r0, 4095;\n    mov.u32 %%r1, mem;\n"
                "    add.u32 %%r1, %%r1, %%r0;\n    cvt.u64.u32 %%a1, %%r0;\n    add.u64 %%a0, %%data, %%a1;\n");
    for (unsigned i = 0; i < n; i++)
        text_add(t, "    %s.u32 %%r%u, [%s];\n", load, 8 + i % 16, address);
    return t;
}

static double bytes_of_sm(const char *load, const char *address)
{
    enum { FEW = 64, MANY = 256, THREADS = 1024 };
    const struct shape s = { 1, THREADS };
    double few = launch(loads(load, address, FEW), s, 4096, NULL, one_sm);
    double many = launch(loads(load, address, MANY), s, 4096, NULL, one_sm);
    return (double)(MANY - FEW) * THREADS * 4 / (many - few);
}

double measure_l1_bytes(const char *unused)
{
    (void)unused;
    return bytes_of_sm("ld.global.ca", "%a0");
}

double measure_shared_bytes(const char *unused)
{
    (void)unused;
    return bytes_of_sm("ld.shared", "%r1");
}

/* 16 bytes a lane: the same megabytes (wrap), or on and on; bytes a cycle. */
static struct text *stream(unsigned n, uint64_t stride, bool wrap)
{
    struct text *t = text_new();
    text_add(t, "    shl.b64 %%wide, %%wide, 4;\n    add.u64 %%a0, %%data, %%wide;\n");
    for (unsigned i = 0; i < n; i++) {
        unsigned r = i % 4 * 4;
        text_add(t, "    ld.global.cg.v4.u32 {%%r%u, %%r%u, %%r%u, %%r%u}, [%%a0];\n", r, r + 1, r + 2, r + 3);
        if (!wrap)
            text_add(t, "    add.u64 %%a0, %%a0, %llu;\n", (unsigned long long)stride);
    }
    return t;
}

static double bytes_of_gpu(unsigned few, unsigned many, bool wrap)
{
    const struct shape s = { sms() * 4, 256 };
    uint64_t stride = (uint64_t)s.blocks * s.threads * 16, bytes = stride * (wrap ? 1 : many);
    double a = few ? launch(stream(few, stride, wrap), s, bytes, NULL, all_sms) : 0;
    double b = launch(stream(many, stride, wrap), s, bytes, NULL, all_sms);
    return (double)(many - few) * (double)stride / (b - a);
}

double measure_l2_bytes(const char *unused)
{
    (void)unused;
    return bytes_of_gpu(32, 96, true);
}

double measure_dram_gib(const char *unused)
{
    (void)unused;
    return bytes_of_gpu(0, 32, false) * mhz() * 1e6 / (1 << 30);
}
