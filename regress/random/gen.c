/* Random kernels: see gen.h. Registers are untyped (%h 16 bits, %r 32, %d 64, %p predicates), any operation
 * takes any. */
#include "regress/random/gen.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "regress/conformance/combo.h"
#include "regress/conformance/values.h"

enum { NH = 6, NR = 10, ND = 8, NP = 6, FUNCS = 3, MAX_DEPTH = 3, SHARED_SLOT = 32, FRESH = 240 };

struct gen {
    struct gen_program *p;
    struct values_random r;
    const struct combo_list *combos;
    int op_first[OP_COUNT], op_count[OP_COUNT];
    int labels, loops, budget;       /* statements left */
    int fresh;                       /* registers %x that were used once, in this function */
    bool tail;                       /* past the last barrier: threads may end */
    bool in_function;
    bool transactions;               /* some programs have them */
    bool whole_warps;                /* the block has no partial warp: lanes may look at each other */
    int function;                    /* functions with a lower number may be called */
};

/* ---- lines ---- */

static void line(struct gen *g, enum gen_kind kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void add_line(struct gen_program *p, enum gen_kind kind, char *text)
{
    if (p->n == p->cap) {
        p->cap = p->cap ? 2 * p->cap : 256;
        p->line = realloc(p->line, (size_t)p->cap * sizeof *p->line);
    }
    p->line[p->n++] = (struct gen_line){ text, kind };
}

static void line(struct gen *g, enum gen_kind kind, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *text = mem_vformat(fmt, ap);
    va_end(ap);
    add_line(g->p, kind, text);
}

#define FIXED(...) line(g, LINE_FIXED, __VA_ARGS__)
#define DROP(...) line(g, LINE_DROP, __VA_ARGS__)

static void open_group(struct gen *g) { line(g, LINE_OPEN, "%s", ""); }
static void close_group(struct gen *g) { line(g, LINE_CLOSE, "%s", ""); }

static uint32_t pick(struct gen *g, uint32_t n) { return (uint32_t)(values_next(&g->r) >> 20) % n; }
static uint32_t h(struct gen *g) { return pick(g, NH); }
static uint32_t r(struct gen *g) { return pick(g, NR); }
static uint32_t d(struct gen *g) { return pick(g, ND); }
static uint32_t p(struct gen *g) { return pick(g, NP); }

/* ---- single instructions ---- */

static void operand_text(struct gen *g, uint8_t type, bool may_be_constant, char *buf)
{
    char class = combo_class(type), kind = ptx_type_class((enum ptx_type)type);
    bool integer = (kind == 'u' || kind == 's' || kind == 'b') && type != T_U16X2 && type != T_S16X2;
    if (may_be_constant && integer && pick(g, 6) == 0) {
        int bits = 8 * ptx_type_size((enum ptx_type)type);
        uint64_t v = values_pick(type, &g->r);
        if (kind == 's')
            sprintf(buf, "%lld", (long long)(v << (64 - bits)) >> (64 - bits));
        else
            sprintf(buf, "0x%llx", (unsigned long long)v);
        return;
    }
    sprintf(buf, "%%%c%u", class, class == 'p' ? p(g) : class == 'h' ? h(g) : class == 'r' ? r(g) : d(g));
}

static void guard_text(struct gen *g, char *buf)
{
    buf[0] = 0;
    if (pick(g, 4) == 0)
        sprintf(buf, "@%s%%p%u ", pick(g, 2) ? "!" : "", p(g));
}

static bool usable(const struct combo *c)
{
    return !c->in.mod[PG_APPROX] && c->in.op != OP_FNS && c->in.op != OP_TANH && c->in.op != OP_EX2;
}

static void instruction(struct gen *g)
{
    const struct combo *c;
    do {
        int op = (int)pick(g, OP_COUNT);
        if (!g->op_count[op])
            continue;
        c = &g->combos->at[g->op_first[op] + (int)pick(g, (uint32_t)g->op_count[op])];
        if (usable(c))
            break;
    } while (true);
    char src[4][32], dst[32], q[32], guard[16], *text = NULL;
    const char *s[4];
    size_t len;
    if (c->use_carry)
        DROP("add.cc.u32 %%t0, %%r%u, %%r%u;", r(g), r(g));
    bool constant = !combo_is_video(c->in.op) && c->in.op != OP_CVT && c->nsrc > 1;
    for (int i = 0; i < c->nsrc; i++) {
        operand_text(g, c->src_type[i], constant && i == c->nsrc - 1, src[i]);
        s[i] = src[i];
    }
    operand_text(g, c->dst_type, false, dst);
    operand_text(g, T_PRED, false, q);
    bool pair = c->pair && pick(g, 2) && strcmp(q, dst);
    guard_text(g, guard);
    FILE *f = open_memstream(&text, &len);
    combo_print_inst(c, f, dst, pair ? q : NULL, s);
    fclose(f);
    text[len - 1] = 0;
    DROP("%s%s", guard, text);
    free(text);
}

/* ---- memory ---- */

static void load_input(struct gen *g)
{
    static const char *const types[] = { "u8", "s8", "u16", "s16", "u32", "s32", "u64", "b32", "b64" };
    char guard[16];
    open_group(g);
    FIXED("and.b32 %%t0, %%r%u, %u;", r(g), (GEN_IN_BYTES - 16) & ~15u);
    FIXED("cvt.u64.u32 %%a1, %%t0;");
    FIXED("add.u64 %%a1, %%in, %%a1;");
    guard_text(g, guard);
    switch (pick(g, 4)) {
    case 0:
        FIXED("%sld.global.v4.b32 {%%r%u, %%r%u, %%r%u, %%r%u}, [%%a1];", guard, r(g) % 2, 2 + r(g) % 2,
              4 + r(g) % 2, 6 + r(g) % 2);
        break;
    case 1: FIXED("%sld.global.v2.b64 {%%d%u, %%d%u}, [%%a1];", guard, d(g) % 4, 4 + d(g) % 4); break;
    case 2: FIXED("%sld.global.%s %%d%u, [%%a1+%u];", guard, types[pick(g, 9)], d(g), 8 * pick(g, 2)); break;
    default: FIXED("%sld.%s %%d%u, [%%a1+%u];", guard, types[pick(g, 9)], d(g), 8 * pick(g, 2)); break;
    }
    close_group(g);
}

/* The thread's own part of shared memory, by space or generic address. */
static void own_shared(struct gen *g)
{
    uint32_t at = 8 * pick(g, SHARED_SLOT / 8);
    char guard[16];
    guard_text(g, guard);
    switch (pick(g, 4)) {
    case 0: DROP("%sst.shared.b64 [%%sm+%u], %%d%u;", guard, at, d(g)); break;
    case 1: DROP("%sst.shared.b16 [%%sm+%u], %%h%u;", guard, at, h(g)); break;
    case 2: DROP("%sld.shared.b32 %%r%u, [%%sm+%u];", guard, r(g), at); break;
    default:
        open_group(g);
        FIXED("cvt.u64.u32 %%a1, %%sm;");
        FIXED("cvta.shared.u64 %%a1, %%a1;");
        FIXED("%s%s", guard, pick(g, 2) ? "ld.s16 %d0, [%a1+2];" : "st.b8 [%a1+5], %r1;");
        close_group(g);
    }
}

static void local_array(struct gen *g)
{
    open_group(g);
    FIXED("and.b32 %%t0, %%r%u, 7;", r(g));
    FIXED("mul.wide.u32 %%a1, %%t0, 8;");
    FIXED("mov.u64 %%a2, larr;");
    FIXED("add.u64 %%a1, %%a1, %%a2;");
    char guard[16];
    guard_text(g, guard);
    switch (pick(g, 4)) {
    case 0: FIXED("%sst.local.b64 [%%a1], %%d%u;", guard, d(g)); break;
    case 1: FIXED("%sld.local.b64 %%d%u, [%%a1];", guard, d(g)); break;
    case 2: FIXED("%sst.local.v2.b32 [%%a1], {%%r%u, %%r%u};", guard, r(g), r(g)); break;
    default:
        FIXED("cvta.local.u64 %%a1, %%a1;");
        FIXED("%sld.u16 %%h%u, [%%a1+%u];", guard, h(g), 2 * pick(g, 4));
    }
    close_group(g);
}

static void own_output(struct gen *g)
{
    uint32_t at = 512 + 8 * pick(g, 48);
    char guard[16];
    guard_text(g, guard);
    switch (pick(g, 3)) {
    case 0: DROP("%sst.global.b64 [%%out+%u], %%d%u;", guard, at, d(g)); break;
    case 1: DROP("%sst.b32 [%%out+%u], %%r%u;", guard, at, r(g)); break;
    default: DROP("%sld.global.s32 %%d%u, [%%out+%u];", guard, d(g), at);
    }
}

static void constant_load(struct gen *g)
{
    open_group(g);
    FIXED("and.b32 %%t0, %%r%u, 15;", r(g));
    FIXED("mul.wide.u32 %%a1, %%t0, 4;");
    FIXED("mov.u64 %%a2, ctab;");
    FIXED("add.u64 %%a1, %%a1, %%a2;");
    FIXED("ld.const.%s %%r%u, [%%a1];", pick(g, 2) ? "u32" : "s16", r(g));
    close_group(g);
}

/* Each operation has cells of its own; what an atom returns depends on the order and is not looked at. */
static void atomic(struct gen *g)
{
    static const char *const ops[] = { "add.u32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32" };
    static const char *const wide[] = { "add.u64", "min.s64", "max.u64", "and.b64", "or.b64", "xor.b64" };
    uint32_t op = pick(g, 6);
    bool shared = pick(g, 2), is_wide = pick(g, 2);
    const char *space = shared ? "shared" : "global", *base = shared ? "scell" : "%sum",
               *word = is_wide ? wide[op] : ops[op];
    uint32_t at = op * 8 + (is_wide ? 64 : 0), value = is_wide ? d(g) : r(g);
    char guard[16], class = is_wide ? 'd' : 'r';
    guard_text(g, guard);
    if (pick(g, 2))
        DROP("%sred.%s.%s [%s+%u], %%%c%u;", guard, space, word, base, at, class, value);
    else
        DROP("%satom.%s.%s %%%s, [%s+%u], %%%c%u;", guard, space, word, is_wide ? "a3" : "t1", base, at,
             class, value);
}

/* Sums in cells of their own, each lane's read and write in one piece. */
static void transaction(struct gen *g)
{
    uint32_t at = 128 + 8 * pick(g, 4), n = 1 + pick(g, 2);
    open_group(g);
    FIXED("tx_begin;");
    for (uint32_t i = 0; i < n; i++) {
        FIXED("ld.global.u64 %%a1, [%%sum+%u];", at + 8 * i);
        FIXED("add.u64 %%a1, %%a1, %%d%u;", d(g));
        FIXED("st.global.u64 [%%sum+%u], %%a1;", at + 8 * i);
    }
    FIXED("tx_commit;");
    close_group(g);
}

/* ---- control ---- */

static void block(struct gen *g, int depth, bool uniform);

static void if_else(struct gen *g, int depth)
{
    int n = g->labels++;
    bool other = pick(g, 2);
    open_group(g);
    FIXED("@%s%%p%u bra %s%d;", pick(g, 2) ? "!" : "", p(g), other ? "ELSE" : "END", n);
    block(g, depth + 1, false);
    if (other) {
        FIXED("bra END%d;", n);
        FIXED("ELSE%d:", n);
        block(g, depth + 1, false);
    }
    FIXED("END%d:", n);
    close_group(g);
}

/* A loop whose trip count is in a register of the lane, or the same for all. */
static void loop(struct gen *g, int depth, bool uniform)
{
    int n = g->labels++, c = g->loops++;
    open_group(g);
    if (uniform)
        FIXED("mov.u32 %%n%d, %u;", c, 1 + pick(g, 3));
    else
        FIXED("and.b32 %%n%d, %%r%u, 3;", c, r(g));
    FIXED("mov.u32 %%c%d, 0;", c);
    FIXED("LOOP%d:", n);
    FIXED("setp.ge.u32 %%q%d, %%c%d, %%n%d;", c, c, c);
    FIXED("@%%q%d bra DONE%d;", c, n);
    FIXED("add.u32 %%c%d, %%c%d, 1;", c, c);
    block(g, depth + 1, uniform);
    if (!uniform && pick(g, 2)) {
        DROP("@%%p%u bra %s%d;", p(g), pick(g, 2) ? "DONE" : "LOOP", n);
        block(g, depth + 1, false);
    }
    FIXED("bra LOOP%d;", n);
    FIXED("DONE%d:", n);
    close_group(g);
}

/* The body first, then the question: lanes leave it in different rounds at the branch that closes it. */
static void do_while(struct gen *g, int depth)
{
    int n = g->labels++, c = g->loops++;
    open_group(g);
    FIXED("and.b32 %%n%d, %%r%u, 3;", c, r(g));
    FIXED("mov.u32 %%c%d, 0;", c);
    FIXED("LOOP%d:", n);
    block(g, depth + 1, false);
    FIXED("add.u32 %%c%d, %%c%d, 1;", c, c);
    FIXED("setp.lt.u32 %%q%d, %%c%d, %%n%d;", c, c, c);
    FIXED("@%%q%d bra LOOP%d;", c, n);
    FIXED("DONE%d:", n);
    close_group(g);
}

/* A value that lives around a loop of one block in a register that nothing else knows, set in the first round
 * only. */
static void carried(struct gen *g)
{
    int n = g->labels++, c = g->loops++, x = g->fresh;
    g->fresh += 3;
    open_group(g);
    FIXED("and.b32 %%n%d, %%r%u, 3;", c, r(g));
    FIXED("mov.u32 %%c%d, 0;", c);
    FIXED("LOOP%d:", n);
    FIXED("add.u32 %%x%d, %%r%u, 1;", x + 1, r(g));
    FIXED("xor.b32 %%r%u, %%r%u, %%x%d;", r(g), r(g), x + 1);
    FIXED("setp.eq.u32 %%q%d, %%c%d, 0;", c, c);
    FIXED("@%%q%d mov.u32 %%x%d, %%r%u;", c, x, r(g));
    FIXED("add.u32 %%r%u, %%r%u, %%x%d;", r(g), r(g), x);
    if (pick(g, 2))
        FIXED("mad.lo.u32 %%x%d, %%x%d, 5, %%r%u;", x, x, r(g));
    FIXED("add.u32 %%x%d, %%r%u, 2;", x + 2, r(g));
    FIXED("xor.b32 %%r%u, %%r%u, %%x%d;", r(g), r(g), x + 2);
    FIXED("add.u32 %%c%d, %%c%d, 1;", c, c);
    FIXED("setp.le.u32 %%q%d, %%c%d, %%n%d;", c, c, c);
    FIXED("@%%q%d bra LOOP%d;", c, n);
    close_group(g);
}

/* Values that live for a few instructions: their registers are given to others soon. */
static void short_lived(struct gen *g)
{
    int x = g->fresh;
    g->fresh += 4;
    open_group(g);
    FIXED("mov.u32 %%x%d, %%r%u;", x, r(g));
    FIXED("cvt.u64.u32 %%y%d, %%x%d;", x, x);
    DROP("xor.b32 %%r%u, %%r%u, %%x%d;", r(g), r(g), x);
    FIXED("mul.wide.u32 %%y%d, %%x%d, %%r%u;", x + 1, x, r(g));
    FIXED("add.u64 %%y%d, %%y%d, %%y%d;", x + 2, x, x + 1);
    FIXED("cvt.u32.u64 %%x%d, %%y%d;", x + 3, x + 2);
    FIXED("@%%p%u mov.u32 %%x%d, %%r%u;", p(g), x + 3, r(g));
    FIXED("sub.u64 %%d%u, %%y%d, %%y%d;", d(g), x + 2, x);
    FIXED("mov.u32 %%r%u, %%x%d;", r(g), x + 3);
    close_group(g);
}

/* A parameter of the kernel, in registers that nothing else names. */
static void parameter(struct gen *g)
{
    int x = g->fresh;
    g->fresh += 2;
    open_group(g);
    FIXED("ld.param.u32 %%x%d, [pnumber];", x);
    FIXED("add.u32 %%x%d, %%x%d, %d;", x + 1, x, x);
    FIXED("xor.b32 %%r%u, %%r%u, %%x%d;", r(g), r(g), x + 1);
    close_group(g);
}

/* Threads that end, or leave the function, in the middle of what the others do. */
static void leave(struct gen *g)
{
    if (g->in_function) {
        DROP("st.param.b32 [fr], %%r%u;", r(g));
        DROP("@%%p%u ret;", p(g));
    } else if (g->tail) {
        DROP("@%s%%p%u %s;", pick(g, 2) ? "!" : "", p(g), pick(g, 2) ? "exit" : "ret");
    }
}

static void switch_(struct gen *g, int depth)
{
    int n = g->labels++;
    open_group(g);
    FIXED("and.b32 %%t0, %%r%u, 3;", r(g));
    FIXED("TAB%d: .branchtargets C%d_0, C%d_1, C%d_2, C%d_3;", n, n, n, n, n);
    FIXED("brx.idx %%t0, TAB%d;", n);
    for (int i = 0; i < 4; i++) {
        FIXED("C%d_%d:", n, i);
        block(g, depth + 1, false);
        if (pick(g, 3))
            FIXED("bra END%d;", n);
    }
    FIXED("END%d:", n);
    close_group(g);
}

static void call(struct gen *g)
{
    if (g->function == 0)
        return;
    open_group(g);
    FIXED("{");
    FIXED(".param .b32 x%d, y%d; .param .b64 z%d;", g->labels, g->labels, g->labels);
    FIXED("st.param.b32 [x%d], %%r%u;", g->labels, r(g));
    FIXED("st.param.b64 [z%d], %%d%u;", g->labels, d(g));
    if (!g->in_function && pick(g, 3) == 0) {
        FIXED("rem.u32 %%t0, %%r%u, %d;", r(g), FUNCS);
        FIXED("mul.wide.u32 %%a1, %%t0, 8;");
        FIXED("mov.u64 %%a2, ftab;");
        FIXED("add.u64 %%a1, %%a1, %%a2;");
        FIXED("ld.global.u64 %%a1, [%%a1];");
        FIXED("PR%d: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _);", g->labels);
        FIXED("call (y%d), %%a1, (x%d, z%d), PR%d;", g->labels, g->labels, g->labels, g->labels);
    } else {
        FIXED("call (y%d), f%d, (x%d, z%d);", g->labels, (int)pick(g, (uint32_t)g->function), g->labels,
              g->labels);
    }
    FIXED("ld.param.b32 %%r%u, [y%d];", r(g), g->labels);
    FIXED("}");
    close_group(g);
    g->labels++;
}

/* ---- where all threads come by ---- */

static void exchange(struct gen *g)
{
    open_group(g);
    FIXED("bar.sync 0;");
    FIXED("st.shared.b32 [%%sm], %%r%u;", r(g));
    FIXED("bar.sync %u;", pick(g, 16));
    FIXED("mov.u32 %%t0, %%ntid.x;");
    FIXED("mad.lo.u32 %%t1, %%tx, %u, %u;", 1 + pick(g, 7), pick(g, 100));
    FIXED("rem.u32 %%t1, %%t1, %%t0;");
    FIXED("mov.u32 %%t0, slots;");
    FIXED("mad.lo.u32 %%t1, %%t1, %d, %%t0;", SHARED_SLOT);
    FIXED("ld.shared.b32 %%r%u, [%%t1];", r(g));
    FIXED("bar.sync 1;");
    close_group(g);
}

static void warp_wide(struct gen *g)
{
    static const char *const shfl[] = { "up", "down", "bfly", "idx" };
    static const char *const redux[] = { "add.u32", "min.s32", "max.u32", "and.b32",
                                         "xor.b32", "max.s32", "or.b32" };
    static const uint32_t clamps[] = { 0x1f, 0, 0x1c1f, 0x101f, 0x1800 };
    uint32_t mode = pick(g, 4);
    switch (pick(g, 6)) {
    case 0: case 1:
        if (pick(g, 2))
            DROP("shfl.sync.%s.b32 %%r%u|%%p%u, %%r%u, %u, 0x%x, 0xffffffff;", shfl[mode], r(g), p(g), r(g),
                 pick(g, 33), clamps[pick(g, 5)]);
        else
            DROP("shfl.sync.%s.b32 %%r%u, %%r%u, %%r%u, 0x%x, 0xffffffff;", shfl[mode], r(g), r(g), r(g),
                 clamps[pick(g, 5)]);
        break;
    case 2:
        DROP("vote.sync.ballot.b32 %%r%u, %s%%p%u, 0xffffffff;", r(g), pick(g, 2) ? "!" : "", p(g));
        break;
    case 3:
        DROP("vote.sync.%s.pred %%p%u, %%p%u, 0xffffffff;",
             pick(g, 2)   ? "all"
             : pick(g, 2) ? "any"
                          : "uni",
             p(g), p(g));
        break;
    case 4:
        if (pick(g, 2))
            DROP("match.any.sync.b32 %%r%u, %%r%u, 0xffffffff;", r(g), r(g));
        else
            DROP("match.all.sync.b64 %%r%u|%%p%u, %%d%u, 0xffffffff;", r(g), p(g), d(g));
        break;
    default: DROP("redux.sync.%s %%r%u, %%r%u, 0xffffffff;", redux[pick(g, 7)], r(g), r(g));
    }
}

/* ---- matrices and asynchronous copies ---- */

/* Into the thread's own part of shared memory; what stands before the wait does not look at it. */
static void copies(struct gen *g)
{
    uint32_t bytes = 4u << pick(g, 3);
    open_group(g);
    FIXED("and.b32 %%t0, %%r%u, %u;", r(g), (GEN_IN_BYTES - 16) & ~15u);
    FIXED("cvt.u64.u32 %%a1, %%t0;");
    FIXED("add.u64 %%a1, %%in, %%a1;");
    FIXED("cp.async.ca.shared.global [%%sm], [%%a1], %u;", bytes);
    if (pick(g, 2))
        FIXED("cp.async.commit_group;");
    if (pick(g, 2))
        FIXED("cp.async.cg.shared.global [%%sm+16], [%%a1], 16;");
    else
        FIXED("cp.async.ca.shared.global [%%sm+16], [%%a1], %u, %u;", bytes, pick(g, bytes + 1));
    FIXED("cp.async.commit_group;");
    for (uint32_t i = pick(g, 3); i > 0; i--)
        instruction(g);
    FIXED("cp.async.%s;", pick(g, 2) ? "wait_all" : "wait_group 0");
    FIXED("ld.shared.b32 %%r%u, [%%sm+%u];", r(g), 16 * pick(g, 2));
    close_group(g);
}

/* The rows of a warp's matrices are the parts of its threads. */
static void matrix_rows(struct gen *g)
{
    uint32_t n = 1u << pick(g, 3), first = pick(g, NR - 3);
    char list[64];
    int len = 0;
    for (uint32_t i = 0; i < n; i++)
        len += sprintf(list + len, "%s%%r%u", i ? ", " : "", first + i);
    open_group(g);
    FIXED("bar.sync 0;");
    FIXED("st.shared.v2.b64 [%%sm], {%%d%u, %%d%u};", d(g), d(g));
    FIXED("bar.sync 1;");
    FIXED("ldmatrix.sync.aligned.m8n8.x%u%s.shared.b16 {%s}, [%%sm];", n, pick(g, 2) ? ".trans" : "", list);
    if (pick(g, 2))
        FIXED("movmatrix.sync.aligned.m8n8.trans.b16 %%r%u, %%r%u;", r(g), r(g));
    if (pick(g, 2))
        FIXED("stmatrix.sync.aligned.m8n8.x%u%s.shared.b16 [%%sm+16], {%s};", n, pick(g, 2) ? ".trans" : "", list);
    FIXED("bar.sync 0;");
    close_group(g);
}

/* Registers of the program: results are different ones. */
static void registers_text(struct gen *g, char class, uint32_t n, bool different, char *buf)
{
    uint32_t all = class == 'd' ? ND : NR, first = pick(g, all - n + 1);
    buf += sprintf(buf, "{");
    for (uint32_t i = 0; i < n; i++)
        buf += sprintf(buf, "%s%%%c%u", i ? ", " : "", class, different ? first + i : pick(g, all));
    sprintf(buf, "}");
}

static void product(struct gen *g)
{
    static const struct { const char *text; char class; uint8_t d, a, b; } forms[] = {
        { "m16n8k16.row.col.f32.f16.f16.f32", 'r', 4, 4, 2 }, { "m16n8k8.row.col.f32.bf16.bf16.f32", 'r', 4, 2, 1 },
        { "m16n8k8.row.col.f32.tf32.tf32.f32", 'r', 4, 4, 2 }, { "m8n8k4.row.col.f64.f64.f64.f64", 'd', 2, 1, 1 },
        { "m16n8k4.row.col.f64.f64.f64.f64", 'd', 4, 2, 1 },
        { "m16n8k32.row.col.satfinite.s32.s8.u8.s32", 'r', 4, 4, 2 },
        { "m8n8k16.row.col.s32.u8.s8.s32", 'r', 2, 1, 1 }, { "m16n8k64.row.col.s32.s4.u4.s32", 'r', 4, 4, 2 },
        { "m8n8k128.row.col.s32.b1.b1.s32.xor.popc", 'r', 2, 1, 1 },
        { "m16n8k256.row.col.s32.b1.b1.s32.and.popc", 'r', 4, 4, 2 },
    };
    uint32_t k = pick(g, sizeof forms / sizeof *forms);
    char to[96], a[96], b[96], c[96];
    registers_text(g, forms[k].class, forms[k].d, true, to);
    registers_text(g, forms[k].class, forms[k].a, false, a);
    registers_text(g, forms[k].class, forms[k].b, false, b);
    registers_text(g, forms[k].class, forms[k].d, false, c);
    DROP("mma.sync.aligned.%s %s, %s, %s, %s;", forms[k].text, to, a, b, c);
}

static void fragment_text(char *buf, uint32_t first, uint32_t n)
{
    buf += sprintf(buf, "{");
    for (uint32_t i = 0; i < n; i++)
        buf += sprintf(buf, "%s%%w%u", i ? ", " : "", first + i);
    sprintf(buf, "}");
}

/* A stride of `unit` elements more than a line, in a register or not, or the default. */
static void stride_text(struct gen *g, uint32_t length, uint32_t unit, char *buf)
{
    uint32_t stride = length + unit * pick(g, 2);
    buf[0] = 0;
    if (pick(g, 3) == 0) {
        FIXED("mov.u32 %%t3, %u;", stride);
        sprintf(buf, ", %%t3");
    } else if (stride != length || pick(g, 2)) {
        sprintf(buf, ", %u", stride);
    }
}

/* Matrices of the input; D goes to the parts of the warp's threads. */
static void warp_matrices(struct gen *g)
{
    static const struct { const char *shape, *factor, *sum; uint8_t m, n, k, a, b, unit; bool fixed; } forms[] = {
        { "m16n16k16", "f16", "f32", 16, 16, 16, 8, 8, 8, false },
        { "m32n8k16", "f16", "f32", 32, 8, 16, 8, 8, 8, false },
        { "m8n32k16", "f16", "f32", 8, 32, 16, 8, 8, 8, false },
        { "m16n16k16", "bf16", "f32", 16, 16, 16, 4, 4, 8, false },
        { "m8n32k16", "bf16", "f32", 8, 32, 16, 2, 8, 8, false },
        { "m16n16k8", "tf32", "f32", 16, 16, 8, 4, 4, 4, false },
        { "m16n16k16", "s8", "s32", 16, 16, 16, 2, 2, 16, false },
        { "m32n8k16", "u8", "s32", 32, 8, 16, 4, 1, 16, false },
        { "m8n8k32", "s4", "s32", 8, 8, 32, 1, 1, 32, true },
    };
    uint32_t f = pick(g, sizeof forms / sizeof *forms), sums = forms[f].m * forms[f].n / 32u;
    bool row_a = forms[f].fixed || pick(g, 2), row_b = !forms[f].fixed && pick(g, 2);
    bool row_c = pick(g, 2), row_d = pick(g, 2);
    const char *shape = forms[f].shape;
    char a[96], b[96], c[96], stride[32];
    fragment_text(a, 0, forms[f].a);
    fragment_text(b, 8, forms[f].b);
    fragment_text(c, 16, sums);
    open_group(g);
    stride_text(g, row_a ? forms[f].k : forms[f].m, forms[f].unit, stride);
    FIXED("wmma.load.a.sync.aligned.%s.%s.global.%s %s, [%%in+%u]%s;", row_a ? "row" : "col", shape, forms[f].factor, a,
          32 * pick(g, 64), stride);
    stride_text(g, row_b ? forms[f].n : forms[f].k, forms[f].unit, stride);
    FIXED("wmma.load.b.sync.aligned.%s.%s.%s %s, [%%in+%u]%s;", row_b ? "row" : "col", shape, forms[f].factor, b,
          32 * pick(g, 64), stride);
    stride_text(g, row_c ? forms[f].n : forms[f].m, 4, stride);
    FIXED("wmma.load.c.sync.aligned.%s.%s.global.%s %s, [%%in+%u]%s;", row_c ? "row" : "col", shape, forms[f].sum, c,
          32 * pick(g, 64), stride);
    bool half = forms[f].factor[0] == 'f';
    FIXED("wmma.mma.sync.aligned.%s.%s.%s.%s%s%s%s%s.%s %s, %s, %s, %s;", row_a ? "row" : "col", row_b ? "row" : "col",
          shape,
          forms[f].sum, half ? "" : ".", half ? "" : forms[f].factor, half ? "" : ".", half ? "" : forms[f].factor,
          forms[f].sum, c, a, b, c);
    FIXED("and.b32 %%t0, %%tx, 0xffffffe0;");
    FIXED("mov.u32 %%t1, slots;");
    FIXED("mad.lo.u32 %%t1, %%t0, %d, %%t1;", SHARED_SLOT);
    FIXED("bar.sync 0;");
    FIXED("wmma.store.d.sync.aligned.%s.%s.shared.%s [%%t1], %s;", row_d ? "row" : "col", shape, forms[f].sum, c);
    FIXED("bar.sync 1;");
    FIXED("xor.b32 %%r%u, %%r%u, %%w%u;", r(g), r(g), 16 + pick(g, sums));
    close_group(g);
}

static void matrices(struct gen *g)
{
    switch (pick(g, 4)) {
    case 0: matrix_rows(g); break;
    case 1: warp_matrices(g); break;
    default: product(g);
    }
}

static void new_predicate(struct gen *g)
{
    static const char *const cmps[] = { "eq", "ne", "lt", "gt", "le", "ge" };
    if (pick(g, 2))
        DROP("setp.%s.s32 %%p%u, %%r%u, %%r%u;", cmps[pick(g, 6)], p(g), r(g), r(g));
    else {
        open_group(g);
        FIXED("and.b32 %%t0, %%r%u, %u;", r(g), 1u << pick(g, 6));
        FIXED("setp.ne.u32 %%p%u, %%t0, 0;", p(g));
        close_group(g);
    }
}

/* The threads of the block count, or agree on, a predicate. */
static void barrier_reduction(struct gen *g)
{
    switch (pick(g, 3)) {
    case 0:
        DROP("bar.red.popc.u32 %%r%u, %u, %s%%p%u;", r(g), pick(g, 16), pick(g, 2) ? "!" : "", p(g));
        break;
    case 1: DROP("bar.red.and.pred %%p%u, %u, %%p%u;", p(g), pick(g, 16), p(g)); break;
    default: DROP("barrier.red.or.pred %%p%u, %u, %%p%u;", p(g), pick(g, 16), p(g));
    }
}

/* A loop that is entered in its middle by some lanes: its graph cannot be reduced. */
static void two_entries(struct gen *g, int depth)
{
    int n = g->labels++, c = g->loops++;
    open_group(g);
    FIXED("mov.u32 %%c%d, 0;", c);
    FIXED("@%%p%u bra MIDDLE%d;", p(g), n);
    FIXED("TOP%d:", n);
    block(g, depth + 1, false);
    FIXED("MIDDLE%d:", n);
    block(g, depth + 1, false);
    FIXED("add.u32 %%c%d, %%c%d, 1;", c, c);
    FIXED("setp.lt.u32 %%q%d, %%c%d, %u;", c, c, 1 + pick(g, 3));
    FIXED("@%%q%d bra %s%d;", c, pick(g, 2) ? "TOP" : "MIDDLE", n);
    close_group(g);
}

static void statement(struct gen *g, int depth, bool uniform)
{
    uint32_t k = pick(g, 100);
    bool nest = depth < MAX_DEPTH;
    g->budget--;
    if (uniform && k < 6 && g->whole_warps && !g->in_function)
        matrices(g);
    else if (uniform && k < 14 && g->whole_warps)
        warp_wide(g);
    else if (uniform && k < 16)
        barrier_reduction(g);
    else if (uniform && k < 20 && !g->in_function)
        exchange(g);
    else if (nest && k < 26)
        if_else(g, depth);
    else if (nest && k < 33)
        k < 31 ? loop(g, depth, uniform && pick(g, 2)) : do_while(g, depth);
    else if (nest && k < 37)
        k < 36 ? switch_(g, depth) : two_entries(g, depth);
    else if (k < 41)
        call(g);
    else if (k < 48 && !g->in_function)
        k < 43 ? load_input(g) : k < 46 ? own_shared(g) : copies(g);
    else if (k < 56)
        k < 51 ? local_array(g) : k < 53 || g->in_function ? constant_load(g) : own_output(g);
    else if (k < 60 && !g->in_function)
        k < 59 || !g->transactions ? atomic(g) : transaction(g);
    else if (k < 66)
        new_predicate(g);
    else if (k < 71 && g->fresh < FRESH)
        k < 68 ? carried(g) : short_lived(g);
    else if (k < 73 && (g->in_function || g->tail))
        leave(g);
    else if (k < 76 && g->fresh < FRESH && !g->in_function)
        parameter(g);
    else
        instruction(g);
}

static void block(struct gen *g, int depth, bool uniform)
{
    int n = 1 + (int)pick(g, depth ? 4 : 8);
    for (int i = 0; i < n && g->budget > 0; i++)
        statement(g, depth, uniform);
}

/* ---- the module ---- */

static void registers(struct gen *g)
{
    FIXED(".reg .b16 %%h<%d>; .reg .b32 %%r<%d>, %%t<4>, %%tx, %%sm, %%c<200>, %%n<200>; .reg .b64 %%d<%d>, "
          "%%a<4>, %%in, %%out, %%sum;",
          NH, NR, ND);
    FIXED(".reg .b32 %%x<%d>; .reg .b64 %%y<%d>; .reg .b32 %%w<24>;", FRESH + 4, FRESH + 4);
    g->fresh = 0;
    FIXED(".reg .pred %%p<%d>, %%q<200>;", NP);
    FIXED(".local .align 8 .b8 larr[72];");
    FIXED("mov.u32 %%tx, %%tid.x;");
}

/* From %r0 and %d0: everything else, so that no register is read before it has a value. */
static void spread_values(struct gen *g)
{
    for (int i = 1; i < NR; i++)
        FIXED("mad.lo.u32 %%r%d, %%r%d, 0x9e3779b1, %d;", i, i - 1, i * 77);
    for (int i = 1; i < ND; i++)
        FIXED("mad.lo.u64 %%d%d, %%d%d, 0x9e3779b97f4a7c15, %d;", i, i - 1, i * 1777);
    for (int i = 0; i < NH; i++)
        FIXED("cvt.u16.u32 %%h%d, %%r%d;", i, i + 2);
    for (int i = 0; i < NP; i++) {
        FIXED("and.b32 %%t0, %%r%d, %u;", i + 1, 4u << i);
        FIXED("setp.ne.u32 %%p%d, %%t0, 0;", i);
    }
    FIXED("mov.u64 %%a1, 0;");
    for (int i = 0; i < 9; i++)
        FIXED("st.local.b64 [larr+%d], %%a1;", 8 * i);
}

/* f2 recurses to a depth that its argument says. */
static void function(struct gen *g, int number)
{
    g->in_function = true;
    g->function = number;
    g->budget = 12;
    g->loops = 0;
    FIXED(".func (.param .b32 fr) f%d(.param .b32 fx, .param .b64 fz)", number);
    FIXED("{");
    registers(g);
    FIXED("ld.param.b32 %%r0, [fx];");
    FIXED("ld.param.b64 %%d0, [fz];");
    spread_values(g);
    if (number == 2) {
        FIXED("st.param.b32 [fr], %%r3;");
        FIXED("and.b32 %%c199, %%r0, 3;");
        FIXED("setp.eq.u32 %%q199, %%c199, 0;");
        FIXED("@%%q199 ret;");
    }
    block(g, 1, false);
    leave(g);
    block(g, 1, false);
    if (number == 2) {
        FIXED("{ .param .b32 x, y; .param .b64 z;");
        FIXED("sub.u32 %%t2, %%c199, 1;");
        FIXED("st.param.b32 [x], %%t2;");
        FIXED("st.param.b64 [z], %%d%u;", d(g));
        FIXED("call (y), f2, (x, z);");
        FIXED("ld.param.b32 %%t3, [y]; }");
        FIXED("add.u32 %%r2, %%r2, %%t3;");
    }
    FIXED("xor.b32 %%t0, %%r2, %%r%u;", r(g));
    FIXED("st.param.b32 [fr], %%t0;");
    FIXED("ret;");
    FIXED("}");
    g->in_function = false;
}

static void prologue(struct gen *g)
{
    FIXED("mov.u32 %%t0, %%ctaid.x;");
    FIXED("mov.u32 %%t1, %%ntid.x;");
    FIXED("mad.lo.u32 %%t2, %%t0, %%t1, %%tx;");
    FIXED("ld.param.u64 %%in, [pin];");
    FIXED("ld.param.u64 %%out, [pout];");
    FIXED("ld.param.u64 %%sum, [psum];");
    FIXED("mul.wide.u32 %%a1, %%t2, %d;", GEN_OUT_BYTES);
    FIXED("add.u64 %%out, %%out, %%a1;");
    FIXED("mov.u32 %%sm, slots;");
    FIXED("mad.lo.u32 %%sm, %%tx, %d, %%sm;", SHARED_SLOT);
    FIXED("mov.u64 %%a1, 0;");
    for (int i = 0; i < SHARED_SLOT; i += 8)
        FIXED("st.shared.b64 [%%sm+%d], %%a1;", i);
    FIXED("setp.lt.u32 %%p0, %%tx, 16;");
    FIXED("mov.u32 %%t1, scell;");
    FIXED("mad.lo.u32 %%t1, %%tx, 8, %%t1;");
    FIXED("@%%p0 st.shared.b64 [%%t1], %%a1;");
    FIXED("and.b32 %%t3, %%t2, 255;");
    FIXED("mul.wide.u32 %%a1, %%t3, 8;");
    FIXED("add.u64 %%a1, %%in, %%a1;");
    FIXED("ld.global.u32 %%r0, [%%a1];");
    FIXED("ld.global.u64 %%d0, [%%a1];");
    spread_values(g);
    FIXED("bar.sync 0;");
}

static void epilogue(struct gen *g)
{
    int at = 0;
    FIXED("bar.sync 0;");
    FIXED("mov.u32 %%t1, scell;");
    FIXED("and.b32 %%t0, %%tx, 15;");
    FIXED("mad.lo.u32 %%t1, %%t0, 8, %%t1;");
    FIXED("ld.shared.b64 %%a1, [%%t1];");
    FIXED("st.global.b64 [%%out+%d], %%a1;", at);
    FIXED("bar.sync 0;");                        /* atomics may follow: after the cells have been read */
    for (int i = 0; i < ND; i++)
        FIXED("st.global.b64 [%%out+%d], %%d%d;", at += 8, i);
    for (int i = 0; i < NR; i++)
        FIXED("st.global.b32 [%%out+%d], %%r%d;", at += 8, i);
    for (int i = 0; i < NH; i++)
        FIXED("st.global.b16 [%%out+%d], %%h%d;", at += 8, i);
    for (int i = 0; i < NP; i++) {
        FIXED("selp.u32 %%t0, 1, 0, %%p%d;", i);
        FIXED("st.global.b32 [%%out+%d], %%t0;", at += 8);
    }
    /* after the last barrier threads may end where they like */
    g->budget = 12;
    g->tail = true;
    DROP("@%%p%u exit;", p(g));
    block(g, 1, false);
    DROP("@!%%p%u ret;", p(g));
    block(g, 1, false);
    FIXED("st.global.b32 [%%out+%d], %%r%u;", at + 8, r(g));
}

static const struct combo_list *all_combos(void)
{
    static struct combo_list list;               /* of this test program; the same in every run */
    if (!list.n)
        combo_list_build(&list);
    return &list;
}

static struct gen_program *make(uint64_t seed, bool transactions)
{
    struct gen gen = { .r = { seed * 0x5851f42d4c957f2du + 1 }, .combos = all_combos() }, *g = &gen;
    g->p = calloc(1, sizeof *g->p);
    for (int i = g->combos->n; i-- > 0;) {
        int op = g->combos->at[i].in.op;
        if (!usable(&g->combos->at[i]))
            continue;
        g->op_first[op] = i;
        g->op_count[op] = 0;
    }
    for (int i = 0; i < g->combos->n; i++) {     /* combinations of an opcode lie together */
        int op = g->combos->at[i].in.op;
        if (i >= g->op_first[op])
            g->op_count[op] += usable(&g->combos->at[i]) || g->op_count[op] > 0;
    }
    g->whole_warps = pick(g, 4) != 0;
    g->transactions = pick(g, 4) == 0 && transactions;
    g->p->block = g->whole_warps ? 32 * (1 + pick(g, 4)) : 16 + pick(g, 113);
    g->p->grid = 1 + pick(g, 3);
    FIXED(".version 8.3\n.target sm_90\n.address_size 64");
    FIXED(".shared .align 16 .b8 slots[%u];\n.shared .align 8 .b8 scell[128];", SHARED_SLOT * g->p->block);
    FIXED(".const .align 8 .b32 ctab[16] = { 1, 2, 3, 5, 0x80000000, 0x7fffffff, 0xffffffff, 77, 0x3f800000, "
          "0x7f800000, 99, 1024, "
          "65535, 65536, 0xdeadbeef, 12345 };");
    for (int i = 0; i < FUNCS; i++)
        function(g, i);
    FIXED(".global .align 8 .u64 ftab[%d] = { f0, f1, f2 };", FUNCS);
    FIXED(".visible .entry k(.param .u64 pin, .param .u64 pout, .param .u64 psum, .param .u32 pnumber)");
    FIXED("{");
    registers(g);
    g->function = FUNCS;
    g->loops = 0;
    prologue(g);
    g->budget = 20 + (int)pick(g, 60);
    while (g->budget > 0)
        block(g, 0, true);
    epilogue(g);
    FIXED("ret;");
    FIXED("}");
    return g->p;
}

struct gen_program *gen_make(uint64_t seed)
{
    return make(seed, true);
}

struct gen_program *gen_make_plain(uint64_t seed)
{
    return make(seed, false);
}

void gen_free(struct gen_program *g)
{
    for (int i = 0; i < g->n; i++)
        free(g->line[i].text);
    free(g->line);
    free(g);
}

char *gen_text(const struct gen_program *g, const bool *gone)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    for (int i = 0; i < g->n; i++)
        if (!(gone && gone[i]) && g->line[i].text[0])
            fprintf(f, "%s\n", g->line[i].text);
    fclose(f);
    return text;
}
