/*
 * The choice of dispatch and register layout, measured before the executor was written and kept to be repeated:
 * a loop of eight instructions (four integer, two float, compare, branch) over one warp of 32 lanes, as
 *   switch    one switch statement in a loop
 *   call      a loop over functions of the decoded instructions (what simtx uses)
 *   tail      each function jumps to the next one's
 *   thread    one lane after another, as an interpreter of threads does
 * with registers of 32 lanes x 4 bytes (narrow, what simtx uses) or x 8 bytes whatever their type (wide).
 * Prints thousand million thread instructions a second. Build and run: make bench-dispatch.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { N = 32, INSTS = 8, LOOPS = 2000000 };
enum code { MAD, ADD, XOR, SHL, FMA, FADD, SETP, BRA };

struct state;
struct inst {
    int (*fn)(struct state *x, const struct inst *i);
    uint32_t d, a, b, c;
    uint8_t code;
};
struct state {
    char *reg;
    uint32_t pred;
    uint64_t left;
    const struct inst *start;
};

#define OPERANDS(T)                                                                \
    T *d = (T *)(void *)(x->reg + i->d);                                           \
    const T *a = (const T *)(const void *)(x->reg + i->a), *b = (const T *)(const void *)(x->reg + i->b); \
    const T *c = (const T *)(const void *)(x->reg + i->c);                         \
    (void)c

/* V names the layout, T the type of an element: U integer, F float, of 4 or 8 bytes */
#define SEMANTICS(X, V, U, F)                                                      \
    X(V, MAD, U, (uint32_t)a[l] * (uint32_t)b[l] + (uint32_t)c[l])                 \
    X(V, ADD, U, (uint32_t)a[l] + (uint32_t)b[l])                                  \
    X(V, XOR, U, a[l] ^ b[l])                                                      \
    X(V, SHL, U, (uint32_t)a[l] << (b[l] & 31))                                    \
    X(V, FMA, F, (float)a[l] * (float)b[l] + (float)c[l])                          \
    X(V, FADD, F, (float)a[l] + (float)b[l])

#define FUNCTIONS(V, NAME, T, EXPR)                                                \
    static int call_##V##_##NAME(struct state *x, const struct inst *i)            \
    {                                                                              \
        OPERANDS(T);                                                               \
        _Pragma("omp simd") for (int l = 0; l < N; l++) d[l] = (T)(EXPR);          \
        return 0;                                                                  \
    }                                                                              \
    static int tail_##V##_##NAME(struct state *x, const struct inst *i)            \
    {                                                                              \
        call_##V##_##NAME(x, i);                                                   \
        i++;                                                                       \
        return i->fn(x, i);                                                        \
    }

#define COMPARE(V, U)                                                              \
    static int call_##V##_SETP(struct state *x, const struct inst *i)              \
    {                                                                              \
        const U *a = (const U *)(const void *)(x->reg + i->a);                     \
        const U *b = (const U *)(const void *)(x->reg + i->b);                     \
        uint32_t m = 0;                                                            \
        for (int l = 0; l < N; l++)                                                \
            m |= (uint32_t)(a[l] != b[l]) << l;                                    \
        x->pred = m;                                                               \
        return 0;                                                                  \
    }                                                                              \
    static int tail_##V##_SETP(struct state *x, const struct inst *i)              \
    {                                                                              \
        call_##V##_SETP(x, i);                                                     \
        i++;                                                                       \
        return i->fn(x, i);                                                        \
    }

SEMANTICS(FUNCTIONS, narrow, uint32_t, float)
SEMANTICS(FUNCTIONS, wide, uint64_t, double)
COMPARE(narrow, uint32_t)
COMPARE(wide, uint64_t)

enum { AGAIN = 1, END = 2 };

static int call_BRA(struct state *x, const struct inst *i)
{
    (void)i;
    return x->left-- ? AGAIN : END;
}

static int tail_BRA(struct state *x, const struct inst *i)
{
    (void)i;
    return x->left-- ? x->start->fn(x, x->start) : END;
}

static void run_call(struct state *x)
{
    for (int r = AGAIN; r != END;) {
        const struct inst *i = x->start;
        while (!(r = i->fn(x, i)))
            i++;
    }
}

static void run_tail(struct state *x)
{
    x->start->fn(x, x->start);
}

#define CASE(V, NAME, T, EXPR)                                                     \
    case NAME: {                                                                   \
        OPERANDS(T);                                                               \
        _Pragma("omp simd") for (int l = 0; l < N; l++) d[l] = (T)(EXPR);          \
        i++;                                                                       \
        break;                                                                     \
    }
#define SWITCH(V, U, F)                                                            \
    static void run_switch_##V(struct state *x)                                    \
    {                                                                              \
        for (const struct inst *i = x->start;;) {                                  \
            switch (i->code) {                                                     \
                SEMANTICS(CASE, V, U, F)                                           \
            case SETP:                                                             \
                call_##V##_SETP(x, i);                                             \
                i++;                                                               \
                break;                                                             \
            default:                                                               \
                if (call_BRA(x, i) == END)                                         \
                    return;                                                        \
                i = x->start;                                                      \
            }                                                                      \
        }                                                                          \
    }
SWITCH(narrow, uint32_t, float)
SWITCH(wide, uint64_t, double)

#define ONE_LANE(V, NAME, T, EXPR)                                                 \
    case NAME: {                                                                   \
        OPERANDS(T);                                                               \
        d[l] = (T)(EXPR);                                                          \
        i++;                                                                       \
        break;                                                                     \
    }
static void run_lane(struct state *x, int l)
{
    for (const struct inst *i = x->start;;) {
        switch (i->code) {
            SEMANTICS(ONE_LANE, narrow, uint32_t, float)
        case SETP:
            x->pred = i->a != i->b;
            i++;
            break;
        default:
            if (call_BRA(x, i) == END)
                return;
            i = x->start;
        }
    }
}

static void run_thread(struct state *x)
{
    uint64_t left = x->left;
    for (int l = 0; l < N; l++) {
        x->left = left;
        run_lane(x, l);
    }
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#define ROW(V, NAME, T, EXPR) { call_##V##_##NAME, tail_##V##_##NAME },
static int (*const narrow_fn[INSTS][2])(struct state *, const struct inst *) = {
    SEMANTICS(ROW, narrow, , ) { call_narrow_SETP, tail_narrow_SETP }, { call_BRA, tail_BRA }
};
static int (*const wide_fn[INSTS][2])(struct state *, const struct inst *) = {
    SEMANTICS(ROW, wide, , ) { call_wide_SETP, tail_wide_SETP }, { call_BRA, tail_BRA }
};

/* Best of three runs. */
static double rate(void (*run)(struct state *), bool wide, bool tail)
{
    struct inst prog[INSTS];
    double best = 0;
    uint32_t w = wide ? 8 * N : 4 * N;
    for (uint32_t i = 0; i < INSTS; i++)
        prog[i] = (struct inst){ (wide ? wide_fn : narrow_fn)[i][tail], i % 4 * w, (i + 1) % 6 * w, (i + 2) % 6 * w,
                                 (i + 3) % 6 * w, (uint8_t)i };
    for (int k = 0; k < 3; k++) {
        struct state x = { aligned_alloc(64, 8 * 8 * N), 0, LOOPS, prog };
        for (int i = 0; i < 8 * 8 * N; i++)
            x.reg[i] = 0;
        double t = now();
        run(&x);
        t = now() - t;
        double r = (LOOPS + 1.0) * INSTS * N / t * 1e-9;
        best = r > best ? r : best;
        free(x.reg);
    }
    return best;
}

int main(void)
{
    printf("10^9 thread instructions a second   narrow    wide\n");
    printf("switch                            %8.2f%8.2f\n", rate(run_switch_narrow, false, false),
           rate(run_switch_wide, true, false));
    printf("call                              %8.2f%8.2f\n", rate(run_call, false, false), rate(run_call, true, false));
    printf("tail                              %8.2f%8.2f\n", rate(run_tail, false, true), rate(run_tail, true, true));
    printf("thread                            %8.2f\n", rate(run_thread, false, false));
    return 0;
}
