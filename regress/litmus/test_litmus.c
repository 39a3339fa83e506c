/*
 * The models of litmus tests on every generated test: what theory says of the cycle, SC against all interleavings, and
 * outcomes of SC in those of TSO in those of PTX. Then texts with mistakes.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/strmap.h"
#include "frontend/litmus/litmus.h"
#include "regress/litmus/generate.h"

static struct litmus_test *parse(const char *text)
{
    struct diag d = { .file = "test" };
    struct litmus_test *t = litmus_parse(text, strlen(text), &d);
    if (!t)
        fail_msg("%s\n%s", d.text, text);
    return t;
}

static struct litmus_outcomes allowed(const struct litmus_test *t, enum litmus_model m)
{
    struct litmus_outcomes s;
    struct diag d = { 0 };
    if (!litmus_allowed(t, m, &s, &d))
        fail_msg("%s: %s", t->name, d.text);
    return s;
}

/* ---- all interleavings, without any set of states ---- */

struct interleaving {
    const struct litmus_test *t;
    struct litmus_outcomes seen;
    int64_t memory[LITMUS_LOCATIONS], regs[LITMUS_THREADS][LITMUS_REGISTERS];
    int pc[LITMUS_THREADS];
};

static void finish(struct interleaving *s)
{
    int64_t outcome[LITMUS_OBSERVED];
    for (int i = 0; i < s->t->nobserved; i++) {
        const struct litmus_observed *o = &s->t->observed[i];
        outcome[i] = o->thread < 0 ? s->memory[o->index] : s->regs[o->thread][o->index];
    }
    litmus_outcomes_add(&s->seen, outcome, 1);
}

static int64_t operand(const struct interleaving *s, int thread, const struct litmus_operand *o)
{
    return o->kind == LITMUS_REG ? s->regs[thread][o->index] : o->value;
}

/* Generated tests have only these operations; a branch goes to the next one. */
static void execute(struct interleaving *s, int thread)
{
    const struct litmus_op *o = &s->t->thread[thread].op[s->pc[thread]++];
    int64_t a = operand(s, thread, &o->a), b = operand(s, thread, &o->b), address = operand(s, thread, &o->address);
    int64_t *dst = o->dst < 0 ? NULL : &s->regs[thread][o->dst];
    if (o->kind == LITMUS_LOAD)
        *dst = s->memory[(address - LITMUS_ADDRESS(0)) / (LITMUS_ADDRESS(1) - LITMUS_ADDRESS(0))];
    else if (o->kind == LITMUS_STORE)
        s->memory[(address - LITMUS_ADDRESS(0)) / (LITMUS_ADDRESS(1) - LITMUS_ADDRESS(0))] = a;
    else if (o->kind == LITMUS_ALU)
        *dst = o->fn == LITMUS_XOR ? (a ^ b) : o->fn == LITMUS_OR ? (a | b) : a + b;
    else if (o->kind == LITMUS_BRANCH)
        assert_int_equal(o->target, s->pc[thread]);
    else
        assert_int_equal(o->kind, LITMUS_FENCE);
}

static void interleave(struct interleaving *s)
{
    bool ended = true;
    for (int i = 0; i < s->t->nthreads; i++) {
        if (s->pc[i] == s->t->thread[i].nops)
            continue;
        struct interleaving saved = *s;
        execute(s, i);
        interleave(s);
        saved.seen = s->seen;
        *s = saved;
        ended = false;
    }
    if (ended)
        finish(s);
}

static struct litmus_outcomes interleavings(const struct litmus_test *t)
{
    struct interleaving s = { .t = t };
    litmus_outcomes_init(&s.seen, t->nobserved);
    for (int i = 0; i < t->nthreads; i++)
        for (int r = 0; r < t->thread[i].nregs; r++)
            s.regs[i][r] = t->thread[i].reg[r].init;
    interleave(&s);
    return s.seen;
}

/* ---- generated tests ---- */

static void assert_subset(const struct litmus_test *t, const struct litmus_outcomes *a, const struct litmus_outcomes *b)
{
    for (uint32_t i = 0; i < a->n; i++) {
        const int64_t *outcome = a->value + (size_t)i * (size_t)a->width;
        char text[400];
        litmus_describe(t, outcome, text, sizeof text);
        if (litmus_outcomes_find(b, outcome) < 0)
            fail_msg("%s: only the stronger model allows %s", t->name, text);
    }
}

static void assert_verdict(const struct litmus_test *t, const struct litmus_outcomes *s, const char *expected)
{
    uint64_t positive, negative;
    const char *is = litmus_observation(t, s, &positive, &negative);
    if (*expected != '?' && strcmp(is, expected) != 0)
        fail_msg("%s: %s, expected %s", t->name, is, expected);
}

/* The verdict of a model on a test, which has as many outcomes; -1 = any number. */
static void judge(const char *text, enum litmus_model m, const char *verdict, int outcomes)
{
    struct litmus_test *t = parse(text);
    struct litmus_outcomes s = allowed(t, m);
    if (outcomes >= 0)
        assert_int_equal(s.n, outcomes);
    assert_verdict(t, &s, verdict);
    litmus_outcomes_free(&s);
    litmus_free(t);
}

struct totals { int tests, interleaved; struct strmap names; };

static void check_interleavings(const struct litmus_test *t, const struct litmus_outcomes *sc, struct totals *n)
{
    int ops = 0;
    for (int i = 0; i < t->nthreads; i++)
        ops += t->thread[i].nops;
    if (ops > 8)
        return;
    struct litmus_outcomes all = interleavings(t);
    assert_subset(t, &all, sc);
    assert_int_equal(all.n, sc->n);
    litmus_outcomes_free(&all);
    n->interleaved++;
}

static void check_generated(void *ctx, const struct generated *g)
{
    struct totals *n = ctx;
    struct litmus_test *t = parse(g->text);
    struct litmus_outcomes sc = allowed(t, LITMUS_MODEL_SC), tso = allowed(t, LITMUS_MODEL_TSO);
    struct litmus_outcomes ptx = allowed(t, LITMUS_MODEL_PTX);
    assert_verdict(t, &sc, g->sc);
    assert_verdict(t, &tso, g->tso);
    assert_verdict(t, &ptx, g->ptx);
    assert_subset(t, &sc, &tso);
    assert_subset(t, &tso, &ptx);
    check_interleavings(t, &sc, n);
    char *name = strdup(g->name);
    assert_null(strmap_get(&n->names, name, strlen(name)));
    strmap_put(&n->names, name, strlen(name), name);
    n->tests++;
    litmus_outcomes_free(&sc);
    litmus_outcomes_free(&tso);
    litmus_outcomes_free(&ptx);
    litmus_free(t);
}

static void generated_tests_have_known_verdicts(void **state)
{
    struct totals n = { 0 };
    int tests = generate_tests(check_generated, &n);
    assert_int_equal(tests, n.tests);
    assert_true(n.tests > 1000);
    assert_true(n.interleaved > 300);
    for (size_t i = 0; i < n.names.cap; i++)
        free(n.names.slots[i].value);
    strmap_free(&n.names);
}

/* ---- limits of the models ---- */

#define X86(init, code, condition) "X86 t\n{ " init " }\n" code "\n" condition "\n"
#define X86_64(init, code, condition) "X86_64 t\n{ " init " }\n" code "\n" condition "\n"
#define PTX(init, code, condition) "PTX t\n{ " init " }\n" code "\n" condition "\n"
#define RISCV(init, code, condition) "RISCV t\n{ " init " }\n" code "\n" condition "\n"

static void too_large_tests_are_refused(void **state)
{
    static const struct { enum litmus_model m; const char *text, *why; } cases[] = {
        { LITMUS_MODEL_PTX, X86("", " P0 ;\n L: LOCK INC [x] ;\n JMP L ;", "exists (x=1)"), "events" },
        { LITMUS_MODEL_PTX, X86("", " P0 ;\n L: ADD EAX,$1 ;\n CMP EAX,$0 ;\n JNE L ;", "exists (0:EAX=0)"), "steps" },
        { LITMUS_MODEL_SC, X86("", " P0 ;\n L: LOCK INC [x] ;\n JMP L ;", "exists (x=1)"), "states" },
        { LITMUS_MODEL_SC, RISCV("0:x6=1;", " P0 ;\n lw x5,0(x6) ;", "exists (0:x5=1)"), "t:4:2: error:" },
        { LITMUS_MODEL_PTX, RISCV("0:x6=1;", " P0 ;\n lw x5,0(x6) ;", "exists (0:x5=1)"), "t:4:2: error:" },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct litmus_test *t = parse(cases[i].text);
        struct litmus_outcomes s;
        struct diag d = { .file = "t" };
        assert_false(litmus_allowed(t, cases[i].m, &s, &d));
        if (!strstr(d.text, cases[i].why))
            fail_msg("%s", d.text);
        diag_free(&d);
        litmus_free(t);
    }
}

/* Executions in which a thread waits at a barrier for ever have no outcome. */
static void barriers_that_never_end_have_no_outcome(void **state)
{
    static const struct { const char *text, *verdict; uint32_t outcomes; } cases[] = {
        { PTX("x=0;", " P0@cta 0 | P1@cta 0 ;\n bar.sync 2 | st.weak x, 1 ;\n bar.sync 3 | bar.sync 3 ;\n"
              " st.weak x, 2 | bar.sync 2 ;", "exists (x=2)"), "Never", 0 },
        { PTX("x=0;", " P0@cta 0 | P1@cta 1 ;\n bar.sync 2 | st.weak x, 1 ;\n bar.sync 3 | bar.sync 3 ;\n"
              " st.weak x, 2 | bar.sync 2 ;", "exists (x=2)"), "Sometimes", 2 },
        { PTX("x=0; y=0;", " P0@cta 0 | P1@cta 0 | P2@cta 1 ;\n ld.relaxed.gpu r0, y | bar.sync 1 |"
              " st.relaxed.gpu y, 1 ;\n beq r0, 0, L | | ;\n bar.sync 1 | | ;\n L: | | ;", "exists (P0:r0=0)"),
          "Never", 1 },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        for (enum litmus_model m = LITMUS_MODEL_SC; m <= LITMUS_MODEL_PTX; m++)
            judge(cases[i].text, m, cases[i].verdict, cases[i].outcomes);
}

/* An sc ends the reservation of its lr, also if it stores the value that was there. */
static void an_lr_is_good_for_one_sc(void **state)
{
    static const char *const texts[] = {
        RISCV("0:x6=x; 0:x7=2; 0:x8=7;", " P0 ;\n lr.w x5,(x6) ;\n sc.w x9,x0,(x6) ;\n sc.w x8,x7,(x6) ;",
              "forall (x=0 /\\ 0:x9=0 /\\ 0:x8=1)"),
        RISCV("0:x6=x; 0:x7=2; 0:x8=7;", " P0 ;\n lr.w x5,(x6) ;\n sc.w x9,x0,(x6) ;\n lr.w x5,(x6) ;\n"
              " sc.w x8,x7,(x6) ;", "forall (x=2 /\\ 0:x9=0 /\\ 0:x8=0)"),
    };
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
        for (enum litmus_model m = LITMUS_MODEL_SC; m <= LITMUS_MODEL_PTX; m++)
            judge(texts[i], m, "Always", -1);
}

/* A red that acquires or releases orders like an atom: P1's red makes y 3 only if it reads what P0 has released. */
static void reductions_have_the_order_of_atomics(void **state)
{
#define RED(release, acquire) \
    PTX("x=0; y=0;", " P0@cta 0 | P1@cta 1 ;\n st.weak x, 1 | red." acquire ".gpu.add y, 2 ;\n" \
        " red." release ".gpu.sub y, -1 | ld.weak r1, x ;\n ld.relaxed.gpu r0, y | ;", \
        "exists (P0:r0=1 /\\ y=3 /\\ P1:r1=0)")
    static const struct { const char *text, *verdict; } cases[] = {
        { RED("release", "acquire"), "Never" }, { RED("acq_rel", "acq_rel"), "Never" },
        { RED("relaxed", "acquire"), "Sometimes" }, { RED("release", "relaxed"), "Sometimes" },
        { RED("acquire", "acq_rel"), "Sometimes" }, { RED("acq_rel", "release"), "Sometimes" },
    };
#undef RED
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        judge(cases[i].text, LITMUS_MODEL_PTX, cases[i].verdict, -1);
}

/* Instructions of 32 bits compute with 32, beside accesses of 64, too. */
static void sizes_of_registers_are_kept(void **state)
{
    static const char *const texts[] = {
        X86_64("", " P0 ;\n movl $2147483647,%eax ;\n addl $1,%eax ;\n cmpl $0,%eax ;\n jge L ;\n movq $1,(x) ;\n"
               " L: ;", "forall (x=1)"),
        X86_64("", " P0 ;\n movl $-1,%eax ;\n cmpl $4294967295,%eax ;\n jne L ;\n movq $1,(x) ;\n L: ;",
               "forall (x=1)"),
        X86_64("", " P0 ;\n movq $2147483647,%rax ;\n addq $1,%rax ;\n movl $1,(x) ;", "forall (0:rax=2147483648)"),
    };
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
        for (enum litmus_model m = LITMUS_MODEL_SC; m <= LITMUS_MODEL_PTX; m++)
            judge(texts[i], m, "Always", -1);
}

/* ---- loops under PTX ---- */

static void assert_same_outcomes(const char *loop, const char *unrolled)
{
    struct litmus_test *t = parse(loop), *u = parse(unrolled);
    struct litmus_outcomes a = allowed(t, LITMUS_MODEL_PTX), b = allowed(u, LITMUS_MODEL_PTX);
    assert_true(a.n > 0);
    assert_subset(t, &a, &b);
    assert_subset(u, &b, &a);
    litmus_outcomes_free(&a);
    litmus_outcomes_free(&b);
    litmus_free(t);
    litmus_free(u);
}

/* Two attempts without a loop, of which outcomes without success are left out, allow what any number of them does. */
#define WAIT(order, loop) \
    "PTX t\n{ x=0; y=0; P0:r0=0; P1:r0=0; P1:r1=0; }\n P0 | P1 ;\n st.relaxed.gpu x, 1 | M: ;\n st." order " y, 1 |" \
    " ld.relaxed.gpu r0, y ;\n st.relaxed.gpu y, 2 | beq r0, 1, L ;\n fence.acq_rel.gpu | " loop " ;\n" \
    " st.relaxed.gpu x, 2 | L: ld.relaxed.gpu r1, x ;\n"
#define LOCK(order, loop) \
    "PTX t\n{ x=0; y=1; P0:r0=0; P1:r0=0; P1:r1=0; }\n P0 | P1 ;\n st.relaxed.gpu x, 1 | M: ;\n st." order " y, 0 |" \
    " atom.relaxed.gpu.exch r0, y, 1 ;\n ld.relaxed.gpu r0, y | beq r0, 0, L ;\n fence.acq_rel.gpu | " loop " ;\n" \
    " | L: ld.relaxed.gpu r1, x ;\n"

static void waiting_needs_one_iteration(void **state)
{
    static const char condition[] = "locations [P1:r0; P1:r1; P0:r0; y;]\n", always[] = "exists true\n";
    static const char *const texts[][3] = {
        { WAIT("relaxed.gpu", "goto M"), WAIT("relaxed.gpu", "ld.relaxed.gpu r0, y"), "P1:r0=1" },
        { WAIT("release.gpu", "goto M"), WAIT("release.gpu", "ld.relaxed.gpu r0, y"), "P1:r0=1" },
        { LOCK("relaxed.gpu", "goto M"), LOCK("relaxed.gpu", "atom.relaxed.gpu.exch r0, y, 1"), "P1:r0=0" },
        { LOCK("release.gpu", "goto M"), LOCK("release.gpu", "atom.relaxed.gpu.exch r0, y, 1"), "P1:r0=0" },
    };
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *loop = mem_format("%s%s%s", texts[i][0], condition, always);
        char *unrolled = mem_format("%s%sfilter (%s)\n%s", texts[i][1], condition, texts[i][2], always);
        assert_same_outcomes(loop, unrolled);
        free(loop);
        free(unrolled);
    }
}

/* An iteration counts if it writes, or if a register that it changes is used afterwards. */
static void iterations_with_an_effect_are_kept(void **state)
{
    static const struct { const char *text, *verdict; } cases[] = {
        { X86("", " P0 ;\n L: LOCK INC [x] ;\n ADD EAX,$1 ;\n CMP EAX,$3 ;\n JNE L ;", "forall (x=3)"), "Always" },
        { X86("", " P0 | P1 ;\n L: ADD EBX,$1 | MOV [x],$1 ;\n MOV EAX,[x] | ;\n CMP EBX,$2 | ;\n JNE L | ;",
              "exists (0:EBX=2 /\\ 0:EAX=1)"), "Sometimes" },
        { X86("", " P0 | P1 ;\n L: MOV EAX,[x] | MOV [x],$1 ;\n CMP EAX,$1 | ;\n JNE L | ;", "forall (0:EAX=1)"),
          "Always" },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        judge(cases[i].text, LITMUS_MODEL_PTX, cases[i].verdict, -1);
}

/* What a thread writes before it waits for another value, its own or one of a thread that waits in turn, is known. */
static void waiting_threads_have_written(void **state)
{
    static const char *const texts[] = {
        PTX("z=0; P0:r1=0;", " P0 ;\n st.relaxed.gpu z, 3 ;\n W: ld.relaxed.gpu r1, z ;\n bne r1, 3, W ;",
            "forall (P0:r1=3)"),
        PTX("ball=0; back=0; P0:r1=0; P1:r1=0;",
            " P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.relaxed.gpu ball, 4 | W: ld.relaxed.gpu r1, ball ;\n"
            " W: ld.relaxed.gpu r1, back | bne r1, 4, W ;\n bne r1, 5, W | st.relaxed.gpu back, 5 ;",
            "forall (P0:r1=5 /\\ P1:r1=4)"),
        PTX("a=0; b=0; P0:r1=0; P1:r1=0;",
            " P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.relaxed.gpu a, 1 | W: ld.relaxed.gpu r1, a ;\n"
            " W: ld.relaxed.gpu r1, b | bne r1, 1, W ;\n bne r1, 2, W | st.relaxed.gpu b, 2 ;\n"
            " st.relaxed.gpu a, 3 | V: ld.relaxed.gpu r1, a ;\n V: ld.relaxed.gpu r1, b | bne r1, 3, V ;\n"
            " bne r1, 4, V | st.relaxed.gpu b, 4 ;", "forall (P0:r1=4 /\\ P1:r1=3)"),
        X86("", " P0 | P1 ;\n LOCK INC [x] | LOCK INC [x] ;\n W: MOV EAX,[x] | W: MOV EAX,[x] ;\n"
            " CMP EAX,$2 | CMP EAX,$2 ;\n JNE W | JNE W ;", "forall (0:EAX=2 /\\ 1:EAX=2)"),
    };
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
        for (enum litmus_model m = LITMUS_MODEL_SC; m <= LITMUS_MODEL_PTX; m++)
            judge(texts[i], m, "Always", 1);
}

/* ---- programs with loops drawn at random ---- */

static uint64_t random_state;

/* 0 to n - 1. */
static int draw(int n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (int)((random_state >> 33) % (uint64_t)n);
}

/* An instruction of a thread, most often one that accesses memory. */
static char *draw_instruction(void)
{
    char location = "xy"[draw(2)];
    switch (draw(7)) {
    case 0:
    case 1: return mem_format("st.relaxed.gpu %c, %d", location, draw(3));
    case 2: return mem_format("st.release.gpu %c, r%d", location, draw(2));
    case 3: return mem_format("ld.acquire.gpu r%d, %c", draw(2), location);
    case 4: return mem_format("red.relaxed.gpu.add %c, 1", location);
    case 5: return mem_string(draw(2) ? "fence.sc.gpu" : "fence.acq_rel.gpu");
    default: return mem_format("ld.relaxed.gpu r%d, %c", draw(2), location);
    }
}

/* What a loop repeats: it waits, tries to take a lock, or tries to swap. */
static char *draw_attempt(int thread)
{
    char location = "xy"[draw(2)];
    switch (draw(3)) {
    case 0: return mem_format("W%d: ld.relaxed.gpu r0, %c", thread, location);
    case 1: return mem_format("W%d: atom.acquire.gpu.exch r0, %c, %d", thread, location, draw(2));
    default: return mem_format("W%d: atom.relaxed.gpu.cas r0, %c, %d, %d", thread, location, draw(2), draw(3));
    }
}

enum { DRAWN_THREADS = 2, DRAWN_ROWS = 5 };

/* Each thread: an instruction, a loop, two instructions. */
static char *draw_program(void)
{
    char *cell[DRAWN_ROWS][DRAWN_THREADS], *text;
    size_t size;
    FILE *f = mem_file(&text, &size);
    for (int i = 0; i < DRAWN_THREADS; i++) {
        bool loop = draw(4) != 0;
        cell[0][i] = draw(3) ? draw_instruction() : mem_string("");
        cell[1][i] = loop ? draw_attempt(i) : mem_string("");
        cell[2][i] = loop ? mem_format("b%s r0, %d, W%d", draw(2) ? "ne" : "eq", draw(3), i) : mem_string("");
        cell[3][i] = draw_instruction();
        cell[4][i] = draw_instruction();
    }
    fputs("PTX drawn\n{ x=0; y=0; P0:r0=0; P0:r1=0; P1:r0=0; P1:r1=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n", f);
    for (int k = 0; k < DRAWN_ROWS; k++) {
        fprintf(f, " %s | %s ;\n", cell[k][0], cell[k][1]);
        for (int i = 0; i < DRAWN_THREADS; i++)
            free(cell[k][i]);
    }
    fputs("locations [x; y; P0:r0; P0:r1; P1:r0; P1:r1;]\nexists true\n", f);
    fclose(f);
    return text;
}

/* A model refuses loops that write without end. True: the outcomes are compared. */
static bool sc_is_allowed(const struct litmus_test *t)
{
    struct litmus_outcomes sc, ptx;
    struct diag d = { 0 };
    bool ends = litmus_allowed(t, LITMUS_MODEL_SC, &sc, &d);
    bool fits = ends && litmus_allowed(t, LITMUS_MODEL_PTX, &ptx, &d);
    bool any = fits && sc.n;
    if (fits) {
        assert_subset(t, &sc, &ptx);
        litmus_outcomes_free(&ptx);
    }
    if (ends)
        litmus_outcomes_free(&sc);
    diag_free(&d);
    return any;
}

static void loops_allow_what_sc_allows(void **state)
{
    enum { PROGRAMS = 1500 };
    int compared = 0;
    random_state = 1;
    for (int i = 0; i < PROGRAMS; i++) {
        char *text = draw_program();
        struct litmus_test *t = parse(text);
        if (t->loops)
            compared += sc_is_allowed(t);
        litmus_free(t);
        free(text);
    }
    print_message("%d of %d programs compared\n", compared, PROGRAMS);
    assert_true(compared > PROGRAMS / 4);
}

/* A value of 4 bytes can be written without a sign, and is the same wherever it stands. */
static void values_have_one_form(void **state)
{
    static const struct { const char *text, *verdict; } cases[] = {
        { X86("x=0;", " P0 ;\n MOV [x],$-1 ;", "forall (x=0xffffffff)"), "Always" },
        { X86("x=0xffffffff;", " P0 ;\n MOV EAX,[x] ;", "forall (0:EAX=-1 /\\ x=-1)"), "Always" },
        { X86("x=-1;", " P0 ;\n MOV EAX,[x] ;", "forall (0xffffffff=0:EAX)"), "Always" },
        { X86("0:EAX=4294967295;", " P0 ;\n MOV [x],EAX ;", "forall (x=-1)"), "Always" },
        { X86("x=-1; x=-1;", " P0 ;\n MOV EAX,[x] ;\n CMP EAX,$4294967295 ;\n JE L ;\n MOV [x],$1 ;\n L: ;",
              "forall (x=-1)"), "Always" },
        { RISCV("uint64_t x=4294967296; 0:x6=x;", " P0 ;\n ld x5,0(x6) ;", "forall (0:x5=4294967296)"), "Always" },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct litmus_test *t = parse(cases[i].text);
        for (enum litmus_model m = LITMUS_MODEL_SC; m <= LITMUS_MODEL_PTX; m++) {
            struct litmus_outcomes s = allowed(t, m);
            assert_verdict(t, &s, cases[i].verdict);
            litmus_outcomes_free(&s);
        }
        litmus_free(t);
    }
}

/* ---- mistakes ---- */

static void mistakes_have_messages(void **state)
{
    static const struct { const char *text, *message; } cases[] = {
        { "", "test:1:1: error: expected a dialect" },
        { "MIPS t\n", "test:1:1: error: expected a dialect" },
        { "X86\n", "has no name" },
        { "X86 t\nfoo\n", "test:2:1: error: expected a line KEY=VALUE" },
        { "X86 t\nVariant=self\n", "variants are not supported" },
        { "X86 t\n\"abc", "test:2:1: error: the string has no end" },
        { "X86 t\n(* abc", "the comment has no end" },
        { X86("x=y;", "", ""), "test:2:5: error: a location whose value is an address" },
        { X86("char x=1;", "", ""), "the type 'char' is not supported" },
        { X86("int x[2];", "", ""), "arrays are not supported" },
        { X86("x=", "", ""), "expected a number" },
        { X86("0:XYZ=1;", "", ""), "expected a register" },
        { X86("", " P1 ;", ""), "expected P0" },
        { X86("", " P0 | P1 ;\n FOO | ;", ""), "test:4:2: error: the instruction 'foo' is not supported" },
        { X86("", " P0 ;\n XADD [x],EAX ;", ""), "the instruction 'xadd' is not supported" },
        { X86("", " P0 ;\n movl (x),%eax ;", ""), "the instruction 'movl' is not supported" },
        { X86("", " P0 ;\n MOV EAX,[%EAX] ;", ""), "'%EAX' is not a register" },
        { X86_64("int8_t x=0;", "", ""), "the type 'int8_t' is not supported" },
        { X86_64("", " P0 ;\n movb $1,(x) ;", ""), "test:4:2: error: the instruction 'movb' is not supported" },
        { X86_64("", " P0 ;\n movl $1,4(%rax) ;", ""), "test:4:10: error: an offset other than 0" },
        { X86_64("", " P0 ;\n movl (%rax,%rbx,4),%ecx ;", ""), "test:4:12: error: an address with an index" },
        { X86_64("", " P0 ;\n movl %rax,(x) ;", ""), "the size of a register is not that of 'movl'" },
        { X86_64("", " P0 ;\n movq $-1,%rax ;\n movl %eax,%ebx ;", ""), "test:5:7: error: rax is used with 32 and" },
        { X86_64("", " P0 ;\n movl (%rax),%ebx ;\n cmpl $0,%eax ;", ""), "rax is used with 32 and with 64 bits" },
        { X86_64("0:rax=4294967296;", " P0 ;\n cmpl $0,%eax ;", ""), "rax is used with 32 and with 64 bits" },
        { X86_64("", " P0 ;\n movq $1,%rax ;\n lock cmpxchgl %ecx,(x) ;", ""), "rax is used with 32 and" },
        { X86_64("", " P0 ;\n mov %eax,%rbx ;", ""), "the size of a register is not that of 'mov'" },
        { X86_64("", " P0 ;\n movl (%eax),%ebx ;", ""), "an address needs a register of 64 bits" },
        { X86_64("", " P0 ;\n lock movl $1,(x) ;", ""), "test:4:2: error: 'movl' cannot have LOCK" },
        { X86_64("", " P0 ;\n lock mfence ;", ""), "'mfence' cannot have LOCK" },
        { X86_64("", " P0 ;\n lock addl $1,%eax ;", ""), "LOCK needs a destination in memory" },
        { X86("", " P0 ;\n LOCK CMP EAX,$1 ;", ""), "'cmp' cannot have LOCK" },
        { X86_64("", " P0 ;\n movl eax,(x) ;", ""), "'eax' is not a register" },
        { X86_64("", " P0 ;\n movl %r16d,(x) ;", ""), "'%r16d' is not a register" },
        { X86_64("", " P0 ;\n movl (x),(y) ;", ""), "both operands are in memory" },
        { X86_64("", " P0 ;\n incl (x) ;", ""), "without LOCK" },
        { X86_64("", " P0 ;\n cmpxchgl %ecx,(x) ;", ""), "the instruction 'cmpxchgl' is not supported" },
        { X86_64("", " P0 ;\n lock cmpxchgl (x),%ecx ;", ""), "one operand must be in memory" },
        { X86_64("", " P0 ;\n mov $1,(x ;", ""), "expected ')'" },
        { X86_64("", " P0 ;\n movq $1,(x) ;\n movl $1,(y) ;", "exists (x=1)"), "different sizes" },
        { PTX("x=0; y @ generic virtually aliases x;", "", ""), "aliases of locations are not supported" },
        { X86("", " P0 ;\n MOV [x],[y] ;", ""), "both operands are in memory" },
        { X86("", " P0 ;\n ADD [x],$1 ;", ""), "without LOCK" },
        { X86("", " P0 ;\n JE L ;", ""), "needs a CMP" },
        { X86("", " P0 ;\n JMP L ;\n ;", "exists (x=1)"), "test:4:6: error: P0 has no label 'L'" },
        { X86("", " P0 ;\n L: ;\n L: ;", "exists (x=1)"), "the label L exists already" },
        { X86("", " P0 ;\n | MFENCE ;", ""), "more columns" },
        { X86("", " P0 ;\n MFENCE", ""), "expected '|'" },
        { X86("", " P0 ;\n MFENCE ;", ""), "expected 'exists'" },
        { X86("", " P0 ;\n MFENCE ;", "exists (1:EAX=0)"), "there is no thread 1" },
        { X86("x=0;", " P0 ;\n MFENCE ;", "exists (x=1 /\\ )"), "expected the name of a location" },
        { X86("x=0;", " P0 ;\n MFENCE ;", "exists (x=1) x"), "expected the end of the file" },
        { X86("x=0;", " P0 ;\n MFENCE ;", "filter (x=1)"), "expected 'exists'" },
        { X86("x=0;", " P0 ;\n MFENCE ;", "locations [x]\nexists (x#1)"), "expected a comparison" },
        { RISCV("0:x6=x;", " P0 ;\n lw x5,4(x6) ;", ""), "an offset other than 0" },
        { RISCV("0:x6=x;", " P0 ;\n lh x5,0(x6) ;", ""), "the instruction 'lh' is not supported" },
        { RISCV("0:x6=x;", " P0 ;\n lw.xx x5,0(x6) ;", ""), "the suffix '.xx'" },
        { RISCV("0:x6=x;", " P0 ;\n sc.w x5,x7,0(x6) ;", ""), "sc without an lr" },
        { RISCV("0:x6=x;", " P0 ;\n fence.x ;", ""), "the instruction 'fence.x' is not supported" },
        { RISCV("0:x6=x;", " P0 ;\n lw x5,0(x6) ;\n ld x5,0(x6) ;", "exists (0:x5=1)"), "different sizes" },
        { PTX("x=0;", " P0@cta 0,gpu 0 ;\n ld.relaxed r0, x ;", ""), "has no scope" },
        { PTX("x=0;", " P0@cta 0,gpu 0 ;\n ld.weak.gpu r0, x ;", ""), "is weak and has a scope" },
        { PTX("x=0;", " P0@cta 0,gpu 0 ;\n ld.release.gpu r0, x ;", ""), "is no PTX instruction" },
        { PTX("x=0;", " P0@cta 0,gpu 0 ;\n ld.shared r0, x ;", ""), "the suffix '.shared'" },
        { PTX("x=0;", " P0@cta 0,gpu 0 ;\n fence.proxy.alias ;", ""), "the suffix '.proxy'" },
        { PTX("x=0;", " P0@cta 0,gpu 0 ;\n bar.sync 16 ;", ""), "from 0 to 15" },
        { PTX("x=0;", " P0@cta 0 ;\n bar.sync 1, 32 ;", ""),
          "test:4:12: error: a barrier of some threads only is not" },
        { PTX("x=0;", " P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n bar.sync 1 | ;", "exists (x=1)"), "never ends" },
        { PTX("x=0;", " P0@warp 0 ;", ""), "expected cta or gpu" },
        { PTX("x=0;", " P0 ;\n st.weak x, 1 ;", "scopeTree (device (cta P0) (cta P1))\nexists (x=1)"), "no thread 1" },
        { PTX("x=0;", " P0 ;\n st.weak x, 1 ;", "scopeTree (cta P0)\nx: shared\nexists (x=1)"), "only global" },
        { PTX("x=0;", " P0 ;\n @p0 st.weak x, 1 ;", ""), "only branches can have a predicate" },
        { PTX("x=0;", " P0 ;\n st.weak x, 99999999999999999999999999 ;", ""), "the number is too long" },
        { PTX("x=0;", " P0 ;\n st.weak x, 18446744073709551616 ;", ""), "the number is larger than 64 bits" },
        { PTX("x=0;", " P0 ;\n red.relaxed.gpu.sub x, -9223372036854775808 ;", ""), "expected 'exists'" },
        { "PTX t\n{ x=0; }\n", "test:3:1: error: expected a thread" },
        { "", "found the end of the file" },
        { PTX("x=0; y aliases x;", "", ""), "test:2:10: error: aliases of locations are not supported" },
        { X86("x=0; 2:EAX=1;", " P0 | P1 ;\n MFENCE | ;", "exists (x=0)"), "test:2:8: error: there is no thread 2" },
        { X86("x=0; x=1;", "", ""), "test:2:8: error: 'x' has another initial value already" },
        { X86("0:EAX=0; P0:EAX=1;", "", ""), "test:2:15: error: 'EAX' has another initial value already" },
        { X86("x=0;", " P0 ;\n MOV EAX,[x] ;", "exists (0:EAX=y)"), "names the location 'y'" },
        { X86("x=4294967296;", " P0 ;\n MOV EAX,[x] ;", "exists (x=1)"),
          "test:2:3: error: the value 4294967296 needs" },
        { X86("x=0; 0:EAX=4294967296;", " P0 ;\n MOV [x],EAX ;", "exists (x=1)"), "test:2:10: error: the value" },
        { X86("x=0;", " P0 ;\n MOV [x],$4294967296 ;", "exists (x=1)"), "test:4:2: error: the value 4294967296 needs" },
        { X86("x=0;", " P0 ;\n MOV EAX,$-2147483649 ;", "exists (x=1)"), "test:4:2: error: the value -2147483649" },
        { X86("x=0;", " P0 ;\n MOV EAX,[x] ;", "exists (0:EAX=4294967296)"), "test:5:9: error: the value 4294967296" },
        { X86("", " P0 ;\n a123456789b123456789c123456789d1: MFENCE ;", ""),
          "test:4:2: error: the label has more than" },
        { X86_64("int64_t x=0;", " P0 ;\n movl $1,(x) ;", "exists (x=1)"), "test:2:11: error: x has 8 bytes, and" },
        { PTX("x=0;", " P0@cta 4294967296 ;", ""), "test:3:9: error: scopes are numbered from 0 to 2147483647" },
        { PTX("x=0;", " P0@cta 0,gpu -1 ;", ""), "test:3:15: error: scopes are numbered from 0 to 2147483647" },
        { PTX("x=0;", " P0@sys 2147483648 ;", ""), "test:3:9: error: scopes are numbered from 0 to 2147483647" },
        { PTX("x=0;", " P0@cta 1 | P1 ;", ""), "test:3:2: error: P1 has no scopes, but other threads have" },
        { PTX("x=0;", " P0 | P1 ;\n st.weak x, 1 | ;", "scopeTree (device (cta P0))\nexists (x=1)"),
          "test:5:1: error: P1 is not in the scope tree" },
        { PTX("x=0;", " P0 | P1 ;\n st.weak x, 1 | ;", "scopeTree (device (cta P0) (cta P0 P1))\nexists (x=1)"),
          "test:5:33: error: P0 has scopes already" },
        { PTX("x=0;", " P0@cta 0 ;\n st.weak x, 1 ;", "scopeTree (device (cta P0))\nexists (x=1)"),
          "P0 has scopes already" },
        { PTX("x=0;", " P0 ;\n st.weak x, 1 ;", "scopeTree (device (warp P0))\nexists (x=1)"),
          "test:5:25: error: P0 is in no cta of the scope tree" },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct diag d = { .file = "test" };
        assert_null(litmus_parse(cases[i].text, strlen(cases[i].text), &d));
        if (!d.text || !strstr(d.text, cases[i].message) || d.errors != 1)
            fail_msg("case %u: expected '%s', found: %s", i, cases[i].message, d.text ? d.text : "");
        diag_free(&d);
    }
}

/* A register or location that only the outcome names is 0, as in herd; a warning says so. */
static void names_of_outcomes_alone_are_zero(void **state)
{
    static const struct { const char *text, *warning; } cases[] = {
        { X86("x=0;", " P0 ;\n MOV EAX,[x] ;", "forall (0:EBX=0)"), "test:5:11: warning: no instruction of P0 and no" },
        { X86_64("", " P0 ;\n movq $1,(x) ;", "forall (0:rax=0)"), "the register 'rax': it is 0 in every outcome" },
        { X86("x=0;", " P0 ;\n MOV EAX,[x] ;", "forall (y=0)"), "test:5:9: warning: no instruction and no initial" },
        { X86("x=0;", " P0 ;\n MOV EAX,[x] ;", "locations [y;]\nforall (y=0)"), "test:5:12: warning: no instruction" },
        { RISCV("", " P0 ;\n nop ;", "forall (0:x0=0)"), NULL },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct diag d = { .file = "test" };
        struct litmus_test *t = litmus_parse(cases[i].text, strlen(cases[i].text), &d);
        assert_non_null(t);
        assert_int_equal(d.warnings, cases[i].warning != NULL);
        if (cases[i].warning && !strstr(d.text, cases[i].warning))
            fail_msg("expected '%s', found: %s", cases[i].warning, d.text);
        for (enum litmus_model m = LITMUS_MODEL_SC; m <= LITMUS_MODEL_PTX; m++) {
            struct litmus_outcomes s = allowed(t, m);
            assert_verdict(t, &s, "Always");
            litmus_outcomes_free(&s);
        }
        litmus_free(t);
        diag_free(&d);
    }
}

/* Every beginning of a text is read or has a message. */
static void cut_texts_do_no_harm(void **state)
{
    static const char *const texts[] = {
        X86("x=0; int y=1; 0:EAX=3;", " P0 | P1 ;\n L: MOV [x],$1 | LOCK CMPXCHG [y],ECX ;\n CMP EAX,$1 |"
            " XCHG [x],EAX ;\n JNE L | ;", "locations [x;0:EAX;]\n~exists (0:EAX=1 /\\ not (y=2 \\/ x!=3))"),
        RISCV("0:x6=x;", " P0 ;\n lr.w.aq x5,(x6) ;\n sc.w.rl x7,x8,(x6) ;\n amoadd.w.aqrl x9,x5,(x6) ;\n"
              " fence rw,w ;\n bne x5,x0,L ;\n L: ;", "forall (0:x5=0)"),
        X86_64("uint64_t x; 0:rsi=y;", " P0 | P1 ;\n L: movq $1,(x) | lock cmpxchgq %rcx,(%rsi) ;\n cmpq $1,%rax |"
               " xchgq %rax,0(%rdi) ;\n jne L | ;", "filter (0:rax=1)\nfinal (0:rax=1 /\\ x=2);\nwith\ntso: exists;\n"),
        PTX("x=0; P0:r0=0;", " P0 ;\n atom.acq_rel.gpu.cas r0, x, 0, 1 ;\n @!p0 bra L ;\n L: bar.cta.sync 1 ;",
            "scopeTree (device (cta (warp P0)))\nx: global\nexists (P0:r0 == x)"),
    };
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t n = 0; n <= strlen(texts[i]); n++) {
            struct diag d = { .file = "test" };
            char *copy = malloc(n ? n : 1);
            memcpy(copy, texts[i], n);
            struct litmus_test *t = litmus_parse(copy, n, &d);
            assert_true(t ? !d.errors : d.errors == 1);
            assert_true(t || n < strlen(texts[i]));
            litmus_free(t);
            diag_free(&d);
            free(copy);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generated_tests_have_known_verdicts),
        cmocka_unit_test(too_large_tests_are_refused),
        cmocka_unit_test(barriers_that_never_end_have_no_outcome),
        cmocka_unit_test(an_lr_is_good_for_one_sc),
        cmocka_unit_test(reductions_have_the_order_of_atomics),
        cmocka_unit_test(waiting_needs_one_iteration),
        cmocka_unit_test(iterations_with_an_effect_are_kept),
        cmocka_unit_test(waiting_threads_have_written),
        cmocka_unit_test(loops_allow_what_sc_allows),
        cmocka_unit_test(sizes_of_registers_are_kept),
        cmocka_unit_test(values_have_one_form),
        cmocka_unit_test(mistakes_have_messages),
        cmocka_unit_test(names_of_outcomes_alone_are_zero),
        cmocka_unit_test(cut_texts_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
