/*
 * Behaviour of atom and red: every operation, type and space. Each thread first acts on a cell of its own
 * (old value and new contents are known), then all of them on one cell (the fold of all operands is known, as
 * the operands are small integers in every format and the operations commute).
 */
#include "regress/conformance/behave/behave.h"

#include <stdlib.h>
#include <string.h>

#include "ptx/isa/ops_check.h"
#include "regress/conformance/ref/ref_fp.h"

enum { THREADS = 64, SPACES = 4 };

static const char *const space_words[SPACES] = { ".global", ".shared", "", "" };
static const char *const space_names[SPACES] = { "global", "shared", "generic global", "generic shared" };

struct atomic { struct ptx_inst in; uint8_t type; int bytes; char class; int space; };

/* Operand number v in the format of the type: packed pairs hold v and v + 1. */
static uint64_t number(uint8_t t, int v)
{
    uint8_t half = ref_half_of(t);
    if (half)
        return fp_from_double(half, v) | fp_from_double(half, v + 1) << 16;
    if (ptx_type_class(t) == 'f')
        return fp_from_double(t, v);
    return (uint64_t)(int64_t)v & ref_mask(ref_bits_of(t));
}

static uint64_t start_value(const struct atomic *a, uint32_t i)
{
    return number(a->type, a->in.mod[PG_ATOM] == MOD(ATOM, CAS)
                               ? (int)(i % 3)
                               : (int)(i * 5 % 17) - (ptx_type_class(a->type) == 'u' ? 0 : 6));
}

static uint64_t operand(const struct atomic *a, uint32_t i)
{
    return number(a->type, a->in.mod[PG_ATOM] == MOD(ATOM, CAS)
                               ? 1
                               : (int)(i * 7 % 13) - (ptx_type_class(a->type) == 'u' ? 0 : 4));
}

static uint64_t arithmetic(uint16_t op, uint8_t t, uint64_t x, uint64_t y)
{
    struct ptx_inst in = { .op = op, .type = { t } };
    struct ref_lane l = { .src = { x, y } };
    struct ref_result r;
    if (!ref_eval(&in, &l, &r))
        abort();
    return r.d;
}

static uint64_t apply(const struct atomic *a, uint64_t old, uint64_t b, uint64_t c)
{
    uint8_t t = a->type;
    switch (a->in.mod[PG_ATOM]) {
    case MOD(ATOM, AND): return old & b;
    case MOD(ATOM, OR): return old | b;
    case MOD(ATOM, XOR): return old ^ b;
    case MOD(ATOM, CAS): return old == b ? c : old;
    case MOD(ATOM, EXCH): return b;
    case MOD(ATOM, ADD): return arithmetic(OP_ADD, t, old, b);
    case MOD(ATOM, INC): return old >= b ? 0 : old + 1;
    case MOD(ATOM, DEC): return old == 0 || old > b ? b : old - 1;
    case MOD(ATOM, MIN): return arithmetic(OP_MIN, t, old, b);
    default: return arithmetic(OP_MAX, t, old, b);
    }
}

static bool commutes(const struct atomic *a)
{
    uint8_t op = a->in.mod[PG_ATOM];
    return op != MOD(ATOM, CAS) && op != MOD(ATOM, EXCH) && op != MOD(ATOM, INC) && op != MOD(ATOM, DEC);
}

static const char *scope_words(const struct atomic *a, int n)
{
    static const char *const atom[] = {
        "", ".relaxed.gpu", ".acq_rel.sys", ".acquire.cta", ".release.gpu", ".gpu", ".sys", ".cta"
    };
    static const char *const red[] = { "", ".relaxed.gpu", ".release.sys", ".relaxed.cta", ".gpu", ".cta" };
    return a->in.op == OP_ATOM ? atom[n % 8] : red[n % 6];
}

static void print_operation(const struct atomic *a, FILE *f, const char *address, int n)
{
    const char *d = a->class == 'h' ? "%h10" : a->class == 'r' ? "%r10" : "%d10";
    fprintf(f, "  %s%s%s.%s%s.%s ", ptx_ops[a->in.op].text, scope_words(a, n), space_words[a->space],
            ptx_modifier_name(a->in.mod[PG_ATOM]), a->in.mod[PG_NOFTZ] ? ".noftz" : "",
            ptx_type_name((enum ptx_type)a->type));
    if (a->in.op == OP_ATOM)
        fprintf(f, "%s, ", d);
    fprintf(f, "[%s], %%%c11", address, a->class);
    if (a->in.mod[PG_ATOM] == MOD(ATOM, CAS))
        fprintf(f, ", %%%c12", a->class);
    fputs(";\n", f);
}

/* The start values and operands come from the table at the start of a module variable. */
static void print_test(const struct atomic *a, FILE *m, FILE *f, int n)
{
    int bits = 8 * a->bytes;
    fputs(".global .align 8 .b64 starts[64] = {", m);
    for (uint32_t i = 0; i < THREADS; i++)
        fprintf(m, "%s0x%llx", i ? "," : "", (unsigned long long)start_value(a, i));
    fputs("};\n.global .align 8 .b64 operands[64] = {", m);
    for (uint32_t i = 0; i < THREADS; i++)
        fprintf(m, "%s0x%llx", i ? "," : "", (unsigned long long)operand(a, i));
    fputs("};\n.shared .align 8 .b64 cells[72];\n.global .align 8 .b64 gcells[72];\n", m);
    bool shared = a->space & 1;
    fprintf(f, "  mov.u64 %%d1, %s;\n", shared ? "cells" : "gcells");
    if (shared && a->space >= 2)
        fputs("  cvta.shared.u64 %d1, %d1;\n", f);
    const char *sp = space_words[a->space];
    fprintf(f,
            "  mul.wide.u32 %%d3, %%t, 8;\n  add.u64 %%d2, %%d1, %%d3;\n  mov.u64 %%d4, starts;\n"
            "  add.u64 %%d4, %%d4, %%d3;\n  ld.global.b64 %%d5, [%%d4];\n  mov.u64 %%d4, operands;\n"
            "  add.u64 %%d4, %%d4, %%d3;\n  ld.global.b%d %%%c11, [%%d4];\n  st%s.b64 [%%d2], %%d5;\n"
            "  setp.eq.u32 %%p1, %%t, 0;\n  @%%p1 st%s.b64 [%%d1+512], %%d5;\n  bar.sync 0;\n",
            bits, a->class, sp, sp);
    if (a->in.mod[PG_ATOM] == MOD(ATOM, CAS))
        fprintf(f, "  mov.b%d %%%c12, 9;\n", bits, a->class);
    print_operation(a, f, "%d2", n);
    if (a->in.op == OP_ATOM)
        fprintf(f, "  st.global.b%d [%%o], %%%c10;\n", bits, a->class);
    fprintf(f, "  ld%s.b64 %%d6, [%%d2];\n  st.global.b64 [%%o+8], %%d6;\n", sp);
    if (commutes(a)) {
        print_operation(a, f, "%d1+512", n + 1);
        fprintf(f, "  bar.sync 0;\n  ld%s.b64 %%d6, [%%d1+512];\n  st.global.b64 [%%o+16], %%d6;\n", sp);
    }
}

static void run_one(struct behave_ctx *x, const struct atomic *a, int n)
{
    char *module = NULL, *body = NULL, name[96];
    size_t nm = 0, nb = 0;
    FILE *m = open_memstream(&module, &nm), *f = open_memstream(&body, &nb);
    print_test(a, m, f, n);
    fclose(m);
    fclose(f);
    uint64_t words[THREADS * BEHAVE_WORDS] = { 0 }, all = start_value(a, 0);
    for (uint32_t i = 0; i < THREADS; i++)
        all = apply(a, all, operand(a, i), 0);
    for (uint32_t i = 0; i < THREADS; i++) {
        uint64_t *w = &words[i * BEHAVE_WORDS], old = start_value(a, i);
        w[0] = a->in.op == OP_ATOM ? old : 0;
        w[1] = apply(a, old, operand(a, i), 9);
        w[2] = commutes(a) ? all : 0;
    }
    snprintf(name, sizeof name, "%s.%s.%s %s", ptx_ops[a->in.op].text, ptx_modifier_name(a->in.mod[PG_ATOM]),
             ptx_type_name((enum ptx_type)a->type), space_names[a->space]);
    behave_table(x, name, module, body, THREADS, words, 7);
    free(module);
    free(body);
}

void behave_atomics(struct behave_ctx *x)
{
    int n = 0;
    for (int op = OP_ATOM; op <= OP_RED; op++)
        for (uint8_t t = 1; t < T_COUNT; t++)
            for (uint8_t w = MOD(ATOM, AND); w <= MOD(ATOM, MAX); w++)
                for (int noftz = 0; noftz < 2; noftz++) {
                    struct atomic a = { .type = t, .bytes = ptx_type_size((enum ptx_type)t) };
                    const char *why;
                    a.in.op = (uint16_t)op;
                    a.in.type[0] = t;
                    a.in.mod[PG_ATOM] = w;
                    a.in.mod[PG_NOFTZ] = noftz ? MOD(NOFTZ, NOFTZ) : 0;
                    a.class = a.bytes <= 2 ? 'h' : a.bytes == 4 ? 'r' : 'd';
                    if (!ptx_form_ok(&a.in, &why) || t == T_B128)        /* behave_wide.c */
                        continue;
                    for (a.space = 0; a.space < SPACES; a.space++)
                        run_one(x, &a, n++);
                }
}
