/*
 * Random programs without data races, and the same with one synchronisation left out, against check.races. A block's
 * threads execute phases: each thread stores to one cell of shared memory and loads another, by permutations of the
 * threads; between two phases is a synchronisation. Whether a program races is computed here, access by access: of the
 * phases that no synchronisation separates any longer, do two threads access one cell, one of them with a store? With a
 * SIMT stack threads of one warp do not race, as their instructions follow each other.     random FIRST COUNT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/lib/simtx.h"
#include "regress/fail.h"

enum { PHASES_MAX = 6, ARRAYS = 2, THREADS_MAX = 256, WARP = 32, TEXT_MAX = 1 << 15 };

/* How threads wait for each other between two phases. */
enum sync { SYNC_BARRIER, SYNC_NAMED, SYNC_REDUCTION, SYNC_OBJECT, SYNC_ARRIVE, SYNC_KINDS };

/* Thread t accesses cell (a t + b) mod threads of an array; a is odd and the threads are a power of two. */
struct cells { unsigned array, a, b; };

struct phase { struct cells store, load; enum sync then; };

struct program {
    unsigned threads, bytes, phases, dropped;    /* bytes of a cell; dropped: the synchronisation after this phase */
    bool leaves_out;
    struct phase phase[PHASES_MAX];
};

static uint64_t state;

static unsigned below(unsigned n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}

static unsigned cell_of(const struct program *p, struct cells c, unsigned thread)
{
    return (c.a * thread + c.b) % p->threads;
}

static struct cells draw_cells(const struct program *p, unsigned array)
{
    return (struct cells){ array, 2 * below(p->threads / 2) + 1, below(p->threads) };
}

/* A phase alone has no race: its loads are of the other array, or each thread loads what it has stored. */
static struct program draw(void)
{
    struct program p = { .threads = 32u << below(4), .bytes = 1u << below(4), .phases = 2 + below(PHASES_MAX - 1) };
    for (unsigned i = 0; i < p.phases; i++) {
        struct phase *f = &p.phase[i];
        f->store = draw_cells(&p, below(ARRAYS));
        f->load = below(4) ? draw_cells(&p, 1 - f->store.array) : f->store;
        f->then = (enum sync)below(SYNC_KINDS);
    }
    p.dropped = below(p.phases - 1);
    return p;
}

/* ---- the independent answer ---- */

/* What a thread stores in a phase; the low bytes of it. */
static uint64_t value_of(const struct program *p, unsigned thread, unsigned phase)
{
    return (thread * PHASES_MAX + phase) & (p->bytes < 8 ? (UINT64_C(1) << 8 * p->bytes) - 1 : UINT64_MAX);
}

/* Do accesses of two different threads meet in a cell? No race: two stores of one value. */
static bool meet(const struct program *p, struct cells x, struct cells y, bool stores, bool lockstep)
{
    unsigned owner[THREADS_MAX];
    for (unsigned t = 0; t < p->threads; t++)
        owner[cell_of(p, x, t)] = t;
    for (unsigned t = 0; t < p->threads && x.array == y.array; t++) {
        unsigned other = owner[cell_of(p, y, t)];
        bool equal = stores && value_of(p, other, p->dropped) == value_of(p, t, p->dropped + 1);
        if (other != t && !equal && (!lockstep || other / WARP != t / WARP))
            return true;
    }
    return false;
}

static bool races(const struct program *p, bool lockstep)
{
    const struct phase *a = &p->phase[p->dropped], *b = a + 1;
    return p->leaves_out && (meet(p, a->store, b->store, true, lockstep) ||
                             meet(p, a->store, b->load, false, lockstep) ||
                             meet(p, a->load, b->store, false, lockstep));
}

/* ---- its text ---- */

static const char *const kinds[] = { "u8", "u16", "u32", "u64" };

static void add(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(char *text, const char *format, ...)
{
    size_t n = strlen(text);
    va_list ap;
    va_start(ap, format);
    vsnprintf(text + n, TEXT_MAX - n, format, ap);
    va_end(ap);
}

static void add_address(char *text, const struct program *p, struct cells c)
{
    add(text, "mad.lo.u32 %%r1, %%r0, %u, %u;\nand.b32 %%r1, %%r1, %u;\nmad.lo.u32 %%r1, %%r1, %u, %%r%u;\n", c.a, c.b,
        p->threads - 1, p->bytes, 4 + c.array);
}

static void add_phase(char *text, const struct program *p, unsigned i)
{
    const char *kind = kinds[__builtin_ctz(p->bytes)];
    add_address(text, p, p->phase[i].store);
    add(text, "mad.lo.u32 %%r2, %%r0, %u, %u;\ncvt.u64.u32 %%d0, %%r2;\n", PHASES_MAX, i);
    add(text, "st.shared.%s [%%r1], %%d0;\n", kind);
    add_address(text, p, p->phase[i].load);
    add(text, "ld.shared.%s %%d1, [%%r1];\n", kind);
}

/*
 * SYNC_ARRIVE: the first warp waits for the others, which do not wait; then all wait. SYNC_OBJECT: each phase has a
 * barrier object of its own, since a warp that finds a phase complete late follows all arrivals until then.
 */
static void add_sync(char *text, const struct program *p, unsigned i)
{
    switch (p->phase[i].then) {
    case SYNC_BARRIER: add(text, "bar.sync 0;\n"); break;
    case SYNC_NAMED: add(text, "bar.sync %u, %u;\n", 1 + i, p->threads); break;
    case SYNC_REDUCTION: add(text, "bar.red.popc.u32 %%r3, 0, %%p0;\n"); break;
    case SYNC_ARRIVE:
        add(text, "setp.lt.u32 %%p1, %%r0, 32;\n@!%%p1 bar.arrive %u, %u;\n", 7 + i, p->threads);
        add(text, "@%%p1 bar.sync %u, %u;\nbar.sync 0;\n", 7 + i, p->threads);
        break;
    default:
        add(text, "mbarrier.arrive.shared.b64 %%d2, [object+%u];\nwait%u:\n", 8 * i, i);
        add(text, "mbarrier.test_wait.shared.b64 %%p2, [object+%u], %%d2;\n@!%%p2 bra wait%u;\n", 8 * i, i);
    }
}

static void write_text(char *text, const struct program *p)
{
    *text = 0;
    add(text, ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %%r<8>;\n"
        ".reg .b64 %%d<4>;\n.reg .pred %%p<4>;\n.shared .align 8 .b8 cells[%u];\n"
        ".shared .align 8 .b64 object[%u];\nmov.u32 %%r0, %%tid.x;\n"
        "mov.u32 %%r4, cells;\nadd.u32 %%r5, %%r4, %u;\n"
        "setp.eq.u32 %%p0, %%r0, 0;\n", ARRAYS * p->threads * p->bytes, PHASES_MAX, p->threads * p->bytes);
    for (unsigned i = 0; i < PHASES_MAX; i++)
        add(text, "@%%p0 mbarrier.init.shared.b64 [object+%u], %u;\n", 8 * i, p->threads);
    add(text, "bar.sync 0;\n");
    for (unsigned i = 0; i < p->phases; i++) {
        add_phase(text, p, i);
        if (i + 1 < p->phases && !(p->leaves_out && i == p->dropped))
            add_sync(text, p, i);
    }
    add(text, "ret;\n}\n");
}

/* ---- runs ---- */

static void take_report(void *ctx, const char *text)
{
    (void)text;
    ++*(unsigned *)ctx;
}

/* The number of reports. */
static unsigned run(const struct program *p, const char *text, const char *mode, const char *simt)
{
    simtx_config *c = simtx_config_new();
    simtx_module *m;
    char *message = NULL;
    unsigned reports = 0;
    if (simtx_config_set(c, "check.races=warn", &message) || simtx_config_set(c, mode, &message) ||
        simtx_config_set(c, simt, &message))
        fail("%s", message);
    simtx_gpu *g = simtx_gpu_new(c, 0, &message);
    if (!g)
        fail("%s", message);
    simtx_set_warning(g, take_report, &reports);
    simtx_launch_params launch = { .grid = { 2, 1, 1 }, .block = { p->threads, 1, 1 } };
    if (simtx_module_load(g, text, strlen(text), "random.ptx", &m) ||
        simtx_launch(simtx_module_kernel(m, "k"), &launch, NULL, NULL))
        fail("%s\n%s", simtx_last_message(g), text);
    if (reports != simtx_check_places(g, "races"))
        fail("%u reports, %u places", reports, simtx_check_places(g, "races"));
    simtx_gpu_free(g);
    simtx_config_free(c);
    return reports;
}

static const char *const modes[] = { "sim.mode=functional", "sim.mode=timing" };
static const char *const simts[] = { "gpu.simt=stack", "gpu.simt=independent" };

int main(int argc, char **argv)
{
    static char text[TEXT_MAX];
    unsigned first = argc > 1 ? (unsigned)atoi(argv[1]) : 1, count = argc > 2 ? (unsigned)atoi(argv[2]) : 50;
    unsigned passed = 0, failed = 0, racy = 0;
    for (unsigned k = 0; k < 16 * count; k++) {
        unsigned seed = first + k / 16;
        bool timing = k & 1, independent = k & 2;
        state = seed;
        struct program p = draw();
        p.leaves_out = k & 4;
        if (k & 8 && !p.leaves_out)      /* all synchronisations are left out one after the other */
            continue;
        if (k & 8)
            p.dropped = (p.dropped + 1) % (p.phases - 1);
        write_text(text, &p);
        bool want = races(&p, !independent), found = run(&p, text, modes[timing], simts[independent]);
        racy += want;
        if (want == found) {
            passed++;
            continue;
        }
        failed++;
        printf("seed %u, %s, %s: %s\n%s", seed, modes[timing], simts[independent],
               want ? "the race is not found" : "a race is reported", text);
    }
    printf("races-random: %u passed, %u failed\n", passed, failed);
    if (!racy || racy == passed + failed)
        fail("all programs race, or none");
    return failed != 0;
}
