/*
 * Microbenchmarks of a GPU, real or simulated, from the same PTX (probes.def): a kernel reads the clock of its SM
 * before and after a text and keeps the least of some passes, the first of which fetch the code. Two lengths of the
 * text are run, and the difference is what counts: what surrounds the text is not measured.
 *
 * Usage: probe [--only TEXT] [CONFIGURATION...]; "+preset" or "key=value". Prints a row for each probe: name, unit,
 * figure, separated by tabulators. A probe that the GPU cannot run has the reason in place of the figure. Linked with
 * library.o in place of libsimtx, it runs on the GPU of the driver (gpu.mk).
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/lib/simtx.h"

enum { WARP = 32, PASSES = 4, OUT_BYTES = 64 << 10, SMALL = 1 << 20, TEXT_MAX = 1 << 19, MESSAGE = 400 };

static const char *const *settings;                /* of the GPU, NULL at the end */
static char message[MESSAGE];                      /* why the last launch failed; empty: it did not */

/* ---- text ---- */

struct text { char at[TEXT_MAX]; size_t len; };

static void add(struct text *t, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    t->len += (size_t)vsnprintf(t->at + t->len, TEXT_MAX - t->len, format, ap);
    va_end(ap);
    if (t->len >= TEXT_MAX) {
        fprintf(stderr, "probe: kernel too long\n");
        exit(1);
    }
}

static void begin(struct text *t)
{
    t->len = 0;
    add(t, ".version 8.0\n.target sm_90\n.address_size 64\n.const .align 8 .b64 table[4];\n"
           ".visible .entry k(.param .u64 data_param, .param .u64 out_param, .param .u32 more_param)\n{\n"
           "    .reg .b64 %%a<10>, %%data, %%out, %%c<4>, %%best;\n    .reg .b32 %%r<40>, %%t<8>, %%more, %%pass;\n"
           "    .reg .f32 %%f<40>;\n    .reg .f64 %%d<40>;\n    .reg .pred %%p<4>;\n"
           "    .shared .align 16 .b8 mem[16384];\n");
    add(t, "    ld.param.u64 %%data, [data_param];\n    ld.param.u64 %%out, [out_param];\n"
           "    ld.param.u32 %%more, [more_param];\n    mov.u32 %%t0, %%tid.x;\n    mov.u32 %%t1, %%ctaid.x;\n"
           "    mov.u32 %%t2, %%ntid.x;\n    mov.u32 %%t3, %%laneid;\n    setp.eq.u32 %%p2, %%t3, 0;\n");
}

/* Registers with values that only the launch knows: data[0..5] are integers, from byte 64 on floats, 128 doubles. */
static void unknown(struct text *t)
{
    for (int i = 0; i < 6; i++)
        add(t, "    ld.volatile.global.u32 %%r%d, [%%data+%d];\n", i, 4 * i);
    for (int i = 0; i < 4; i++)
        add(t, "    ld.volatile.global.f32 %%f%d, [%%data+%d];\n    ld.volatile.global.f64 %%d%d, [%%data+%d];\n", i,
            64 + 4 * i, i, 128 + 8 * i);
    for (int i = 8; i < 24; i++)
        add(t, "    add.u32 %%r%d, %%r%d, %%t0;\n    mov.f32 %%f%d, %%f%d;\n    mov.f64 %%d%d, %%d%d;\n", i, i % 6, i,
            i % 3, i, i % 3);
    add(t, "    add.u64 %%a0, %%data, 256;\n    mov.u64 %%a2, table;\n    cvt.u64.u32 %%a3, %%r1;\n"
           "    cvt.u64.u32 %%a4, %%r2;\n    cvt.u64.u32 %%a1, %%r0;\n    mov.u32 %%r7, mem;\n"
           "    shl.b32 %%r16, %%t0, 2;\n    and.b32 %%r16, %%r16, 16383;\n    add.u32 %%r16, %%r7, %%r16;\n");
}

/* Every word of shared memory at `each` bytes of the lanes holds its own address, in %r7. */
static void own_addresses(struct text *t, unsigned each)
{
    add(t, "    mul.lo.u32 %%t4, %%t3, %u;\n    add.u32 %%r7, %%r7, %%t4;\n    st.volatile.shared.u32 [%%r7], %%r7;\n",
        each);
}

/* The clock, and a value that is 0 as far as only the launch knows, so that nothing begins before the clock is read. */
static void start_clock(struct text *t)
{
    add(t, "    bar.sync 0;\n    mov.u64 %%c0, %%clock64;\n    cvt.u32.u64 %%t5, %%c0;\n    and.b32 %%t5, %%t5, %%r5;\n"
           "    xor.b32 %%r0, %%r0, %%t5;\n    add.u32 %%r7, %%r7, %%t5;\n    cvt.rn.f32.u32 %%f4, %%t5;\n"
           "    add.rn.f32 %%f0, %%f0, %%f4;\n    cvt.f64.f32 %%d4, %%f4;\n    add.rn.f64 %%d0, %%d0, %%d4;\n"
           "    cvt.u64.u32 %%a5, %%t5;\n    add.u64 %%a0, %%a0, %%a5;\n    add.u64 %%a1, %%a1, %%a5;\n"
           "    add.u64 %%a2, %%a2, %%a5;\n");
}

/* All that the text may have written goes into %t6, on whose value the way to the second clock depends. */
static void fold(struct text *t)
{
    add(t, "    xor.b32 %%t6, %%r0, %%r7;\n");
    for (int i = 8; i < 24; i++)
        add(t, "    xor.b32 %%t6, %%t6, %%r%d;\n", i);
    for (int i = 0; i < 20; i = i ? i + 1 : 8)
        add(t, "    mov.b32 %%t7, %%f%d;\n    xor.b32 %%t6, %%t6, %%t7;\n    mov.b64 %%a6, %%d%d;\n"
               "    cvt.u32.u64 %%t7, %%a6;\n    xor.b32 %%t6, %%t6, %%t7;\n", i, i);
    add(t, "    xor.b64 %%a6, %%a0, %%a1;\n    xor.b64 %%a6, %%a6, %%a2;\n    cvt.u32.u64 %%t7, %%a6;\n"
           "    xor.b32 %%t6, %%t6, %%t7;\n    setp.eq.u32 %%p3, %%t6, 0x5a5a1234;\n    @%%p3 bra OUT;\n");
}

static void stop_clock(struct text *t)
{
    fold(t);
    add(t, "    mov.u64 %%c1, %%clock64;\n    sub.u64 %%c1, %%c1, %%c0;\n    min.u64 %%best, %%best, %%c1;\n");
}

static void finish(struct text *t)
{
    add(t, "OUT:\n    setp.ne.u32 %%p3, %%t0, 0;\n    @%%p3 bra END;\n    st.global.u64 [%%out], %%best;\n"
           "    st.global.u32 [%%out+8], %%t6;\nEND:\n    ret;\n}\n");
}

static void repeat(struct text *t, const char *text, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        add(t, "    %s\n", text);
}

/* A kernel that times n times the text; each: bytes between the words of the lanes in shared memory. */
static void timed(struct text *t, const char *text, unsigned n, unsigned each)
{
    begin(t);
    unknown(t);
    own_addresses(t, each);
    add(t, "    mov.u64 %%best, -1;\n    mov.u32 %%pass, 0;\nAGAIN:\n");
    start_clock(t);
    repeat(t, text, n);
    stop_clock(t);
    add(t, "    add.u32 %%pass, %%pass, 1;\n    setp.lt.u32 %%p3, %%pass, %d;\n    @%%p3 bra AGAIN;\n", PASSES);
    finish(t);
}

/* ---- launches ---- */

static simtx_config *configure(void)
{
    simtx_config *c = simtx_config_new();
    char *why = NULL;
    simtx_status s = simtx_config_set(c, "sim.mode=timing", &why);
    for (const char *const *p = settings; *p && !s; p++)
        s = **p == '+' ? simtx_config_load(c, *p + 1, &why) : simtx_config_set(c, *p, &why);
    if (s) {
        fprintf(stderr, "probe: %s\n", why);
        exit(2);
    }
    return c;
}

struct shape { unsigned blocks, threads; };
struct result { uint64_t clock; double seconds; };

static void failed(const char *text)
{
    snprintf(message, sizeof message, "%.*s", (int)strcspn(text, "\n"), text);
}

/* Core cycles a second of a simulated GPU. 0: it is a real one, whose library knows no such key. */
static double core_hz(const simtx_config *c)
{
    const char *mhz = simtx_config_get(c, "gpu.core_mhz");
    return mhz ? strtod(mhz, NULL) * 1e6 : 0;
}

static struct result launch_on(simtx_gpu *g, double hz, const struct text *t, struct shape s, size_t bytes,
                               void (*fill)(char *, size_t), uint32_t more)
{
    simtx_module *m = NULL;
    simtx_kernel *k = NULL;
    void *data = NULL, *out = NULL;
    if (!simtx_module_load(g, t->at, t->len, "probe.ptx", &m))
        k = simtx_module_kernel(m, "k");
    if (!k || simtx_malloc(g, bytes, SIMTX_MEM_DEVICE, &data) || simtx_malloc(g, OUT_BYTES, SIMTX_MEM_DEVICE, &out)) {
        failed(simtx_last_message(g));
        return (struct result){ 0 };
    }
    if (fill)
        fill(data, bytes);
    const void *args[] = { &data, &out, &more };
    simtx_launch_params p = { .grid = { s.blocks, 1, 1 }, .block = { s.threads, 1, 1 }, .args = args };
    simtx_launch_stats stats = { 0 };
    if (simtx_launch(k, &p, &stats, NULL)) {
        failed(simtx_last_message(g));
        return (struct result){ 0 };
    }
    return (struct result){ *(uint64_t *)out, hz ? (double)stats.cycles / hz : stats.seconds };
}

static struct result launch(const struct text *t, struct shape s, size_t bytes, void (*fill)(char *, size_t),
                            uint32_t more)
{
    simtx_config *c = configure();
    char *why = NULL;
    simtx_gpu *g = simtx_gpu_new(c, 0, &why);
    struct result r = { 0 };
    if (g)
        r = launch_on(g, core_hz(c), t, s, bytes, fill, more);
    else
        failed(why);
    simtx_gpu_free(g);
    simtx_config_free(c);
    return r;
}

static struct text the_text;

/* ---- chains ---- */

static void fill_start(char *data, size_t bytes)
{
    const uint32_t ints[] = { 12345, 3, 5, 7, 1, 0 };
    const double small = 0x1p-20, reals[] = { 1.5, 1 + small, small, 0.75 };
    memcpy(data, ints, sizeof ints);
    for (int i = 0; i < 4; i++) {
        ((float *)(data + 64))[i] = (float)reals[i];
        ((double *)(data + 128))[i] = reals[i];
    }
}

/* Cycles of one more text, in a block of `threads`. */
static double each_of(const char *text, unsigned threads, unsigned apart)
{
    enum { FEW = 48, MANY = 3 * FEW };
    timed(&the_text, text, FEW, apart);
    uint64_t a = launch(&the_text, (struct shape){ 1, threads }, SMALL, fill_start, 0).clock;
    timed(&the_text, text, MANY, apart);
    uint64_t b = *message ? 0 : launch(&the_text, (struct shape){ 1, threads }, SMALL, fill_start, 0).clock;
    return ((double)b - (double)a) / (MANY - FEW);
}

static double chain(const char *text, unsigned n)
{
    return each_of(text, WARP, 0) / n;
}

static double conflict(unsigned degree)
{
    return each_of("ld.shared.u32 %r7, [%r7];", WARP, 4 * degree);
}

static double barrier(unsigned threads)
{
    return each_of("bar.sync 0;", threads, 0);
}

/* ---- chases ---- */

static unsigned chase_stride;

/* Lines in one cycle of random order (Sattolo); each begins with the address of the next. */
static void fill_cycle(char *data, size_t bytes)
{
    uint32_t n = (uint32_t)(bytes / chase_stride), *order = malloc(n * sizeof *order);
    uint64_t x = 12345;
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    for (uint32_t i = n; i-- > 1;) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        uint32_t j = (uint32_t)((x >> 33) % i), at = order[i];
        order[i] = order[j];
        order[j] = at;
    }
    for (uint32_t i = 0; i < n; i++)
        *(uint64_t *)(void *)(data + (size_t)order[i] * chase_stride) =
            (uint64_t)(uintptr_t)(data + (size_t)order[(i + 1) % n] * chase_stride);
    free(order);
}

/* more: loads before the clock starts, in units of 16. */
static double chase(const char *load, size_t bytes, unsigned stride, bool warm)
{
    enum { UNROLL = 16, LOADS = 64 };
    char text[100];
    struct text *t = &the_text;
    snprintf(text, sizeof text, "%s.u64 %%a0, [%%a0];", load);
    begin(t);
    add(t, "    mov.u64 %%a0, %%data;\n    mov.u32 %%pass, 0;\nWARM:\n    setp.ge.u32 %%p1, %%pass, %%more;\n"
           "    @%%p1 bra WARMED;\n");
    repeat(t, text, UNROLL);
    add(t, "    add.u32 %%pass, %%pass, 1;\n    bra WARM;\nWARMED:\n    setp.eq.u64 %%p1, %%a0, 1;\n"
           "    @%%p1 bra OUT;\n    mov.u64 %%c0, %%clock64;\n    mov.u32 %%pass, 0;\nAGAIN:\n");
    repeat(t, text, UNROLL);
    add(t, "    add.u32 %%pass, %%pass, 1;\n    setp.lt.u32 %%p1, %%pass, %d;\n    @%%p1 bra AGAIN;\n"
           "    setp.eq.u64 %%p1, %%a0, 1;\n    @%%p1 bra OUT;\n    mov.u64 %%c1, %%clock64;\n"
           "    sub.u64 %%best, %%c1, %%c0;\n    mov.u32 %%t6, 0;\n", LOADS);
    finish(t);
    chase_stride = stride;
    uint32_t lines = (uint32_t)(bytes / stride);
    struct result r = launch(t, (struct shape){ 1, 1 }, bytes, fill_cycle,
                             warm ? (lines + UNROLL - 1) / UNROLL + 1 : 0);
    return (double)r.clock / (UNROLL * LOADS);
}

/* ---- the whole GPU ---- */

/* Seconds of a grid whose threads repeat `text` `more` times. %a0: the thread's 16 bytes; %a1: bytes of the grid. */
static double seconds(const char *text, struct shape s, size_t bytes, uint32_t more, bool wrap)
{
    struct text *t = &the_text;
    begin(t);
    add(t, "    mad.lo.u32 %%t4, %%t1, %%t2, %%t0;\n    mul.wide.u32 %%a0, %%t4, 16;\n    add.u64 %%a0, %%a0, %%data;\n"
           "    mov.u64 %%a1, %llu;\n    mov.u32 %%r1, 1;\n    mov.u32 %%t6, 0;\n    mov.u64 %%best, 0;\n"
           "    mov.u32 %%pass, 0;\nAGAIN:\n    setp.ge.u32 %%p1, %%pass, %%more;\n    @%%p1 bra OUT;\n",
        wrap ? 0ull : 16ull * s.blocks * s.threads);
    for (int i = 0; i < 4; i++)
        add(t, "    %s\n    add.u64 %%a0, %%a0, %%a1;\n    xor.b32 %%t6, %%t6, %%r8;\n", text);
    add(t, "    add.u32 %%pass, %%pass, 4;\n    bra AGAIN;\n");
    finish(t);
    return launch(t, s, bytes, NULL, more).seconds;
}

/* Of `work` a pass and thread, what a second does: the difference of two numbers of passes. */
static double a_second(const char *text, double work, uint32_t few, uint32_t many, bool wrap)
{
    const struct shape s = { 264, 1024 };         /* two blocks for each of 132 SMs */
    size_t bytes = 16ull * s.blocks * s.threads * (wrap ? 1 : many) + SMALL;
    double a = seconds(text, s, bytes, few, wrap), b = *message ? 0 : seconds(text, s, bytes, many, wrap);
    return work * s.blocks * s.threads * (many - few) / (b - a);
}

static double l2_read(void)
{
    return a_second("ld.relaxed.gpu.global.v4.u32 {%r8, %r9, %r10, %r11}, [%a0];", 16, 16, 144, true) * 1e-9;
}

static double dram_read(void)
{
    return a_second("ld.global.cg.v4.u32 {%r8, %r9, %r10, %r11}, [%a0];", 16, 40, 136, false) * 1e-9;
}

static double dram_write(void)
{
    return a_second("st.global.v4.u32 [%a0], {%r1, %r1, %r1, %r1};\n    mov.u32 %r8, 0;", 16, 40, 136, false) * 1e-9;
}

static double red_one(void)
{
    return a_second("red.global.add.u32 [%data], %r1;\n    mov.u32 %r8, 0;", 1, 4, 20, true) * 1e-9;
}

static double red_each(void)
{
    return a_second("red.global.add.u32 [%a0], %r1;\n    mov.u32 %r8, 0;", 1, 4, 20, true) * 1e-9;
}

static double empty_kernel(void)
{
    double least = 1;
    for (int i = 0; i < 5; i++) {
        double s = seconds("mov.u32 %r8, 0;", (struct shape){ 1, WARP }, SMALL, 0, true);
        least = s < least ? s : least;
    }
    return least * 1e9;
}

static double block_rate(void)
{
    double a = seconds("mov.u32 %r8, 0;", (struct shape){ 20000, WARP }, SMALL, 0, true);
    double b = seconds("mov.u32 %r8, 0;", (struct shape){ 120000, WARP }, SMALL, 0, true);
    return 100000 / (b - a) * 1e-6;
}

static double clock_mhz(void)
{
    struct text *t = &the_text;
    begin(t);
    add(t, "    mov.u64 %%c0, %%clock64;\n    mov.u64 %%c2, %%globaltimer;\n    mov.u32 %%t6, 0;\nAGAIN:\n"
           "    mov.u64 %%c3, %%globaltimer;\n    sub.u64 %%c3, %%c3, %%c2;\n    setp.lt.u64 %%p1, %%c3, 1000000;\n"
           "    @%%p1 bra AGAIN;\n    mov.u64 %%c1, %%clock64;\n    sub.u64 %%best, %%c1, %%c0;\n"
           "    mul.lo.u64 %%best, %%best, 1000000;\n    div.u64 %%best, %%best, %%c3;\n");
    finish(t);
    return (double)launch(t, (struct shape){ 1, 1 }, SMALL, NULL, 0).clock * 1e-3;
}

/* ---- the table ---- */

static const char *only = "";

static void row(const char *name, const char *unit, double figure)
{
    if (*message)
        printf("%s\t%s\t%s\n", name, unit, message);
    else
        printf("%s\t%s\t%.4g\n", name, unit, figure);
    fflush(stdout);
    *message = 0;
}

#define ROW(name, unit, figure) \
    if (strstr(name, only))     \
        row(name, unit, figure);

static void all(void)
{
#define CHAIN(name, n, text) ROW(name, "cycles", chain(text, n))
#define CHASE(name, load, bytes, stride, warm) ROW(name, "cycles", chase(load, bytes, stride, warm))
#define CONFLICT(name, degree) ROW(name, "cycles", conflict(degree))
#define BARRIER(name, threads) ROW(name, "cycles", barrier(threads))
#define WHOLE(name, unit, function) ROW(name, unit, function())
#include "regress/gpu/probes.def"
}

int main(int argc, char **argv)
{
    int first = 1;
    if (argc > 2 && !strcmp(argv[1], "--only")) {
        only = argv[2];
        first = 3;
    }
    settings = (const char *const *)argv + first;
    all();
    return 0;
}
