/*
 * The models of litmus tests on every generated test: what theory says of the cycle, SC against all interleavings, and
 * outcomes of SC in those of TSO in those of PTX. Then texts with mistakes.
 */
#include <stdarg.h>
#include <stddef.h>
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
    char *why;
    if (!litmus_allowed(t, m, &s, &why))
        fail_msg("%s: %s", t->name, why);
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
        { LITMUS_MODEL_SC, RISCV("0:x6=1;", " P0 ;\n lw x5,0(x6) ;", "exists (0:x5=1)"), "line 4" },
        { LITMUS_MODEL_PTX, RISCV("0:x6=1;", " P0 ;\n lw x5,0(x6) ;", "exists (0:x5=1)"), "line 4" },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct litmus_test *t = parse(cases[i].text);
        struct litmus_outcomes s;
        char *why = NULL;
        assert_false(litmus_allowed(t, cases[i].m, &s, &why));
        if (!strstr(why, cases[i].why))
            fail_msg("%s", why);
        free(why);
        litmus_free(t);
    }
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
    "PTX t\n{ x=0; y=0; P1:r0=0; P1:r1=0; }\n P0 | P1 ;\n st.relaxed.gpu x, 1 | M: ;\n st." order " y, 1 |" \
    " ld.relaxed.gpu r0, y ;\n st.relaxed.gpu y, 2 | beq r0, 1, L ;\n fence.acq_rel.gpu | " loop " ;\n" \
    " st.relaxed.gpu x, 2 | L: ld.relaxed.gpu r1, x ;\n"
#define LOCK(order, loop) \
    "PTX t\n{ x=0; y=1; P1:r0=0; P1:r1=0; }\n P0 | P1 ;\n st.relaxed.gpu x, 1 | M: ;\n st." order " y, 0 |" \
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
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct litmus_test *t = parse(cases[i].text);
        struct litmus_outcomes s = allowed(t, LITMUS_MODEL_PTX);
        assert_verdict(t, &s, cases[i].verdict);
        litmus_outcomes_free(&s);
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
        { X86("", " P0 ;\n MFENCE ;", "exists (x=1 /\\ )"), "expected the name of a location" },
        { X86("", " P0 ;\n MFENCE ;", "exists (x=1) x"), "expected the end of the file" },
        { X86("", " P0 ;\n MFENCE ;", "filter (x=1)"), "expected 'exists'" },
        { X86("", " P0 ;\n MFENCE ;", "locations [x]\nexists (x#1)"), "expected a comparison" },
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
        { PTX("x=0;", " P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n bar.sync 1 | ;", "exists (x=1)"), "never ends" },
        { PTX("x=0;", " P0@warp 0 ;", ""), "expected cta or gpu" },
        { PTX("x=0;", " P0 ;\n st.weak x, 1 ;", "scopeTree (device (cta P0) (cta P1))\nexists (x=1)"), "no thread 1" },
        { PTX("x=0;", " P0 ;\n st.weak x, 1 ;", "scopeTree (cta P0)\nx: shared\nexists (x=1)"), "only global" },
        { PTX("x=0;", " P0 ;\n @p0 st.weak x, 1 ;", ""), "only branches can have a predicate" },
        { PTX("x=0;", " P0 ;\n st.weak x, 99999999999999999999999999 ;", ""), "the number is too long" },
        { PTX("x=0;", " P0 ;\n st.weak x, 18446744073709551616 ;", ""), "the number is larger than 64 bits" },
        { PTX("x=0;", " P0 ;\n red.relaxed.gpu.sub x, -9223372036854775808 ;", ""), "expected 'exists'" },
        { "PTX t\n{ x=0; }\n", "test:3:1: error: expected a thread" },
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct diag d = { .file = "test" };
        assert_null(litmus_parse(cases[i].text, strlen(cases[i].text), &d));
        if (!d.text || !strstr(d.text, cases[i].message) || d.errors != 1)
            fail_msg("case %u: expected '%s', found: %s", i, cases[i].message, d.text ? d.text : "");
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
        cmocka_unit_test(waiting_needs_one_iteration),
        cmocka_unit_test(iterations_with_an_effect_are_kept),
        cmocka_unit_test(mistakes_have_messages),
        cmocka_unit_test(cut_texts_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
