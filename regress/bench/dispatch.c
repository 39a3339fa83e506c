/*
 * The choice of dispatch and register layout, measured before the executor was written and kept to be repeated:
 * one loop of eight instructions (four integer, two float, compare, branch) over one warp of 32 lanes, as
 *   switch    one switch statement in a loop
 *   call      a loop over functions of the decoded instructions (what simtx uses)
 *   tail      each function jumps to the next one's
 * with registers of 32 lanes x 4 bytes (narrow, what simtx uses) or x 8 bytes whatever their type (wide), and
 *   thread    the same program lane by lane, as simulators that interpret threads do.
 * Prints thousand million thread instructions a second. Build: make bench-dispatch.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 32 };
enum code { MAD, ADD, XOR, SHL, FMA, FADD, SETP, BRA, CODES };

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

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#define BODY(T, F, EXPR)                                                               \
    do {                                                                               \
        T *d = (T *)(x->reg + i->d);                                                   \
        const T *a = (const T *)(x->reg + i->a), *b = (const T *)(x->reg + i->b);      \
        const T *c = (const T *)(x->reg + i->c);                                       \
        (void)c;                                                                       \
        _Pragma("omp simd") for (int l = 0; l < N; l++) d[l] = (T)(EXPR);              \
    } while (0)

#define SEMANTICS(X, U, F)                                                             \
    X(MAD, U, (uint32_t)a[l] * (uint32_t)b[l] + (uint32_t)c[l])                        \
    X(ADD, U, (uint32_t)a[l] + (uint32_t)b[l])                                         \
    X(XOR, U, a[l] ^ b[l])                                                             \
    X(SHL, U, (uint32_t)a[l] << (b[l] & 31))                                           \
    X(FMA, F, (float)a[l] * (float)b[l] + (float)c[l])                                 \
    X(FADD, F, (float)a[l] + (float)b[l])

/* narrow registers hold 4-byte elements; wide ones 8 bytes, of which a float uses the low half's value range */
#define DEFINE(V, U, F)                                                                \
    static inline int setp_##V(struct state *x, const struct inst *i)                  \
    {                                                                                  \
        const U *a = (const U *)(x->reg + i->a), *b = (const U *)(x->reg + i->b);      \
        uint32_t m = 0;                                                                \
        for (int l = 0; l < N; l++)                                                    \
            m |= (uint32_t)(a[l] != b[l]) << l;                                        \
        x->pred = m;                                                                   \
        return 0;                                                                      \
    }
DEFINE(narrow, uint32_t, float)
DEFINE(wide, uint64_t, double)

static int bra_op(struct state *x, const struct inst *i)
{
    (void)i;
    return x->left-- ? 1 : 2;
}

#define CALLEE(V, NAME, T, EXPR)                                                       \
    static int call_##V##_##NAME(struct state *x, const struct inst *i)                \
    {                                                                                  \
        BODY(T, , EXPR);                                                               \
        return 0;                                                                      \
    }
#define TAIL(V, NAME, T, EXPR)                                                         \
    static int tail_##V##_##NAME(struct state *x, const struct inst *i)                \
    {                                                                                  \
        BODY(T, , EXPR);                                                               \
        i++;                                                                           \
        return i->fn(x, i);                                                            \
    }
#define X_narrow(NAME, T, EXPR) CALLEE(narrow, NAME, T, EXPR) TAIL(narrow, NAME, T, EXPR)
#define X_wide(NAME, T, EXPR) CALLEE(wide, NAME, T, EXPR) TAIL(wide, NAME, T, EXPR)
SEMANTICS(X_narrow, uint32_t, float)
SEMANTICS(X_wide, uint64_t, double)

static int tail_setp_narrow(struct state *x, const struct inst *i)
{
    setp_narrow(x, i);
    i++;
    return i->fn(x, i);
}
static int tail_setp_wide(struct state *x, const struct inst *i)
{
    setp_wide(x, i);
    i++;
    return i->fn(x, i);
}
static int tail_bra(struct state *x, const struct inst *i)
{
    (void)i;
    if (!x->left--)
        return 0;
    i = x->start;
    return i->fn(x, i);
}

static void run_call(struct state *x)
{
    const struct inst *i = x->start;
    for (;;) {
        int r;
        while (!(r = i->fn(x, i)))
            i++;
        if (r == 2)
            return;
        i = x->start;
    }
}

#define CASE(NAME, T, EXPR)                                                            \
    case NAME:                                                                         \
        BODY(T, , EXPR);                                                               \
        i++;                                                                           \
        break;
#define SWITCH(V, U, F)                                                                \
    static void run_switch_##V(struct state *x)                                        \
    {                                                                                  \
        const struct inst *i = x->start;                                               \
        for (;;) {                                                                     \
            switch (i->code) {                                                         \
                SEMANTICS(CASE, U, F)                                                  \
            case SETP:                                                                 \
                setp_##V(x, i);                                                        \
                i++;                                                                   \
                break;                                                                 \
            default:                                                                   \
                if (bra_op(x, i) == 2)                                                 \
                    return;                                                            \
                i = x->start;                                                          \
            }                                                                          \
        }                                                                              \
    }
SWITCH(narrow, uint32_t, float)
SWITCH(wide, uint64_t, double)

/* one lane at a time: the layout of an interpreter of threads */
static void run_thread(struct state *x)
{
    uint64_t left = x->left;
    for (int l = 0; l < N; l++) {
        const struct inst *i = x->start;
        uint64_t n = left;
        for (;;) {
#define SCALAR(NAME, T, EXPR)                                                          \
    case NAME: {                                                                       \
        T *d = (T *)(x->reg + i->d);                                                   \
        const T *a = (const T *)(x->reg + i->a), *b = (const T *)(x->reg + i->b);      \
        const T *c = (const T *)(x->reg + i->c);                                       \
        (void)c;                                                                       \
        d[l] = (T)(EXPR);                                                              \
        i++;                                                                           \
        break;                                                                         \
    }
            switch (i->code) {
                SEMANTICS(SCALAR, uint32_t, float)
            case SETP:
                x->pred = ((uint32_t *)(x->reg + i->a))[l] != ((uint32_t *)(x->reg + i->b))[l];
                i++;
                break;
            default:
                if (!n--)
                    goto next;
                i = x->start;
            }
        }
    next:;
    }
}

static double rate(void (*run)(struct state *), struct inst *prog, uint64_t loops)
{
    double best = 0;
    for (int k = 0; k < 3; k++) {
        struct state x = { aligned_alloc(64, 8 * 8 * N), 0, loops, prog };
        memset(x.reg, 0, 8 * 8 * N);
        double t = now();
        run(&x);
        t = now() - t;
        double r = (double)(loops + 1) * 8 * N / t * 1e-9;
        if (r > best)
            best = r;
        free(x.reg);
    }
    return best;
}

int main(void)
{
    static const uint8_t order[8] = { MAD, ADD, XOR, SHL, FMA, FADD, SETP, BRA };
    static int (*const narrow[])(struct state *, const struct inst *) = {
        call_narrow_MAD, call_narrow_ADD, call_narrow_XOR, call_narrow_SHL, call_narrow_FMA, call_narrow_FADD,
        setp_narrow, bra_op, tail_narrow_MAD, tail_narrow_ADD, tail_narrow_XOR, tail_narrow_SHL,
        tail_narrow_FMA, tail_narrow_FADD, tail_setp_narrow, tail_bra };
    static int (*const wide[])(struct state *, const struct inst *) = {
        call_wide_MAD, call_wide_ADD, call_wide_XOR, call_wide_SHL, call_wide_FMA, call_wide_FADD,
        setp_wide, bra_op, tail_wide_MAD, tail_wide_ADD, tail_wide_XOR, tail_wide_SHL,
        tail_wide_FMA, tail_wide_FADD, tail_setp_wide, tail_bra };
    struct inst prog[4][8];
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 8; i++) {
            uint32_t w = (k & 2) ? 8 * N : 4 * N;
            prog[k][i] = (struct inst){ (k & 2 ? wide : narrow)[i + (k & 1 ? 8 : 0)], (uint32_t)(i % 4) * w,
                                        (uint32_t)((i + 1) % 6) * w, (uint32_t)((i + 2) % 6) * w,
                                        (uint32_t)((i + 3) % 6) * w, order[i] };
        }
    uint64_t loops = 2000000;
    printf("dispatch (10^9 thread instructions a second)   narrow registers   wide registers\n");
    printf("switch                                         %16.2f   %14.2f\n",
           rate(run_switch_narrow, prog[0], loops), rate(run_switch_wide, prog[2], loops));
    printf("call                                           %16.2f   %14.2f\n",
           rate(run_call, prog[0], loops), rate(run_call, prog[2], loops));
    printf("tail                                           %16.2f   %14.2f\n",
           rate((void (*)(struct state *))0 ? NULL : run_call, prog[0], 0) > 1e9 ? 0.0 : ({
               struct state x = { aligned_alloc(64, 8 * 8 * N), 0, loops, prog[1] };
               memset(x.reg, 0, 8 * 8 * N);
               double t = now();
               prog[1][0].fn(&x, prog[1]);
               t = now() - t;
               free(x.reg);
               (double)(loops + 1) * 8 * N / t * 1e-9;
           }), ({
               struct state x = { aligned_alloc(64, 8 * 8 * N), 0, loops, prog[3] };
               memset(x.reg, 0, 8 * 8 * N);
               double t = now();
               prog[3][0].fn(&x, prog[3]);
               t = now() - t;
               free(x.reg);
               (double)(loops + 1) * 8 * N / t * 1e-9;
           }));
    printf("thread (lane by lane)                          %16.2f\n", rate(run_thread, prog[0], loops / 8));
    return 0;
}
