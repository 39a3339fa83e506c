/*
 * Kernels whose transactions reach shared memory, or both memories. A block copies what it finds into its shared memory
 * by plain stores, and out of it in the end. The quads of the table lie apart, so that in some kernels they are in one
 * bank, or have one bit of a filter.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "regress/tm/random/emit.h"

enum { MOST_STEPS = 4, MOST_OPERATIONS = 5, QUAD = 4, QUAD_BYTES = 16, WORD = 4 };
enum { FEW_THREADS = 12, SOME_THREADS = 40, MORE_THREADS = 100 };
enum { TABLE_BYTES = TABLE * WORD, BEHIND = sizeof(struct near) - TABLE_BYTES };

/* Is a place in global memory? By lane: in those with %p3. */
enum far { NEAR, FAR, BY_LANE };
struct spot { const char *space; char at[8]; enum far far; };

static bool both(const struct gen *g)
{
    return g->k->memory == BOTH;
}

/* ---- places ---- */

/* The offset in shared memory of something behind the table. */
static uint32_t at(const struct gen *g, size_t offset)
{
    return g->rest + (uint32_t)offset - TABLE_BYTES;
}

#define AT(g, field) at(g, offsetof(struct near, field))

/* The address of word %r9 of the table into %r<reg>. */
static void address_of(struct gen *g, unsigned reg)
{
    put(g, "    shr.u32 %%r8, %%r9, 2;\n    mul.lo.u32 %%r8, %%r8, %u;\n    and.b32 %%r9, %%r9, 3;\n", g->reach);
    put(g, "    mad.lo.u32 %%r8, %%r9, 4, %%r8;\n    add.u32 %%r%u, %%r8, %%r16;\n", reg);
}

/* Of `words` words that lie together: fixed, by thread, or by what a word of either memory holds. */
static void near_address(struct gen *g, unsigned reg, uint32_t words)
{
    uint32_t i = below(g, TABLE);
    switch (below(g, 4)) {
    case 0: put(g, "    mov.u32 %%r9, %u;\n", i); break;
    case 1: put(g, "    mad.lo.u32 %%r9, %%r1, %u, %u;\n", 1 + below(g, 5), i); break;
    case 2: put(g, "    ld.shared.u32 %%r9, [%%r16+%u];\n", i / QUAD * g->reach + i % QUAD * WORD); break;
    default: put(g, "    ld.global.u32 %%r9, [%%rd1+%zu];\n", offsetof(struct words, first) + i * WORD); break;
    }
    put(g, "    and.b32 %%r9, %%r9, %u;\n", TABLE - words);
    address_of(g, reg);
}

static void as_generic(struct gen *g, unsigned reg)
{
    put(g, "    cvt.u64.u32 %%rd%u, %%r%u;\n    cvta.shared.u64 %%rd%u, %%rd%u;\n", reg, reg, reg, reg);
}

static struct spot spot_of(const char *space, const char *kind, unsigned reg, enum far far)
{
    struct spot s = { .space = space, .far = far };
    snprintf(s.at, sizeof s.at, "%%%s%u", kind, reg);
    return s;
}

static struct spot near_spot(struct gen *g, unsigned reg, uint32_t words, bool generic)
{
    near_address(g, reg, words);
    if (!generic)
        return spot_of(".shared", "r", reg, NEAR);
    as_generic(g, reg);
    return spot_of("", "rd", reg, NEAR);
}

/* Of one word, in either memory. */
static struct spot any_spot(struct gen *g, unsigned reg, bool generic)
{
    uint32_t where = both(g) ? below(g, 4) : 0;
    if (where < 2)
        return near_spot(g, reg, 1, generic);
    if (where == 2) {
        gen_place(g, reg, false);
        return spot_of(generic ? "" : ".global", "rd", reg, FAR);
    }
    near_address(g, reg, 1);
    as_generic(g, reg);
    gen_place(g, 2, false);
    put(g, "    selp.b64 %%rd%u, %%rd2, %%rd%u, %%p3;\n", reg, reg);
    return spot_of("", "rd", reg, BY_LANE);
}

/* What the place has got, the block's table has lost, if the place is in global memory. */
static void leaves(struct gen *g, const struct spot *s, const char *what, const char *amount)
{
    const char *guard = s->far == BY_LANE ? "@%p3 " : "";
    if (s->far == NEAR)
        return;
    put(g, "    %sld.global.u32 %%r8, [%%rd8];\n    %s%s.u32 %%r8, %%r8, %s;\n", guard, guard, what, amount);
    put(g, "    %sst.global.u32 [%%rd8], %%r8;\n", guard);
}

/* ---- operations ---- */

static void load(struct gen *g, unsigned reg, const struct spot *s)
{
    put(g, "    ld%s.u32 %%r%u, [%s];\n", s->space, reg, s->at);
}

static void store(struct gen *g, const char *guard, const struct spot *s, unsigned reg)
{
    put(g, "    %sst%s.u32 [%s], %%r%u;\n", guard, s->space, s->at, reg);
}

static void swap(struct gen *g)
{
    struct spot a = any_spot(g, 20, below(g, 2)), b = any_spot(g, 21, below(g, 2));
    bool guarded = below(g, 2);
    const char *guard = guarded ? "@%p1 " : "";
    load(g, 2, &a);
    load(g, 3, &b);
    put(g, "    sub.u32 %%r7, %%r3, %%r2;\n");
    if (guarded)
        put(g, "    setp.lt.u32 %%p1, %%r2, %%r3;\n    selp.b32 %%r7, %%r7, 0, %%p1;\n");
    store(g, guard, &a, 3);
    store(g, guard, &b, 2);
    leaves(g, &a, "add", "%r7");
    leaves(g, &b, "sub", "%r7");
}

static void change(struct gen *g, const struct spot *s, const char *what, const char *amount)
{
    load(g, 2, s);
    put(g, "    %s.u32 %%r2, %%r2, %s;\n", what, amount);
    store(g, "", s, 2);
    leaves(g, s, what, amount);
}

/* The second place is read behind the first one's store: they may be one. */
static void move(struct gen *g)
{
    struct spot a = any_spot(g, 20, below(g, 2)), b = any_spot(g, 21, below(g, 2));
    uint32_t label = g->labels++;
    char amount[12];
    snprintf(amount, sizeof amount, "%u", 1 + below(g, 9));
    load(g, 2, &a);
    put(g, "    setp.lt.u32 %%p1, %%r2, %s;\n    @%%p1 bra L%u;\n", amount, label);
    change(g, &a, "sub", amount);
    change(g, &b, "add", amount);
    put(g, "L%u:\n", label);
}

/* A function has it done, by generic addresses. */
static void move_by_call(struct gen *g)
{
    struct spot a = any_spot(g, 20, true), b = any_spot(g, 21, true);
    char amount[12];
    snprintf(amount, sizeof amount, "%u", 1 + below(g, 9));
    put(g, "    {\n    .param .b64 from; .param .b64 to; .param .b32 n;\n    st.param.b64 [from], %s;\n", a.at);
    put(g, "    st.param.b64 [to], %s;\n    st.param.b32 [n], %s;\n    call.uni shift, (from, to, n);\n    }\n", b.at,
        amount);
    leaves(g, &a, "sub", amount);
    leaves(g, &b, "add", amount);
}

/* Every second one of some words loses what the one before it has got; how many, another word may tell. */
static void wander(struct gen *g)
{
    uint32_t loop = g->labels++, out = g->labels++;
    if (below(g, 2)) {
        struct spot s = near_spot(g, 20, 1, false);
        load(g, 13, &s);
        put(g, "    and.b32 %%r13, %%r13, 3;\n    shl.b32 %%r13, %%r13, 1;\n");
    } else
        put(g, "    mov.u32 %%r13, %u;\n", 2 * below(g, 5));
    put(g, "    mov.u32 %%r12, 0;\nL%u:\n    setp.ge.u32 %%p1, %%r12, %%r13;\n    @%%p1 bra L%u;\n", loop, out);
    put(g, "    mad.lo.u32 %%r9, %%r12, %u, %%r1;\n    and.b32 %%r9, %%r9, %d;\n", 1 + below(g, 6), TABLE - 1);
    address_of(g, 20);
    put(g, "    and.b32 %%r7, %%r12, 1;\n    shl.b32 %%r7, %%r7, 1;\n    sub.u32 %%r7, %%r7, 1;\n");
    put(g, "    ld.shared.u32 %%r2, [%%r20];\n    add.u32 %%r2, %%r2, %%r7;\n    st.shared.u32 [%%r20], %%r2;\n");
    put(g, "    add.u32 %%r12, %%r12, 1;\n    bra L%u;\nL%u:\n", loop, out);
}

/* Two or four words are turned, as words or as pairs of them. */
static void turn(struct gen *g)
{
    uint32_t how = below(g, 4);
    struct spot s = near_spot(g, 20, how ? QUAD : 2, below(g, 3) == 0);
    switch (how) {
    case 0:
        put(g, "    ld%s.v2.u32 {%%r2, %%r3}, [%s];\n    st%s.v2.u32 [%s], {%%r3, %%r2};\n", s.space, s.at, s.space,
            s.at);
        break;
    case 1:
        put(g, "    ld%s.v4.u32 {%%r2, %%r3, %%r4, %%r7}, [%s];\n    st%s.v4.u32 [%s], {%%r3, %%r4, %%r7, %%r2};\n",
            s.space, s.at, s.space, s.at);
        break;
    case 2:
        put(g, "    ld%s.v2.u64 {%%rd2, %%rd3}, [%s];\n    st%s.v2.u64 [%s], {%%rd3, %%rd2};\n", s.space, s.at, s.space,
            s.at);
        break;
    default:
        put(g, "    ld%s.u64 %%rd2, [%s];\n    shr.u64 %%rd3, %%rd2, 32;\n    shl.b64 %%rd2, %%rd2, 32;\n", s.space,
            s.at);
        put(g, "    or.b64 %%rd2, %%rd2, %%rd3;\n    st%s.u64 [%s], %%rd2;\n", s.space, s.at);
    }
}

/* A byte or half of a word is written again as it was. */
static void rewrite_part(struct gen *g)
{
    bool half = below(g, 2);
    uint32_t part = half ? 2 * below(g, 2) : below(g, 4);
    const char *type = half ? "u16" : "u8";
    struct spot s = near_spot(g, 20, 1, false);
    put(g, "    ld%s.%s %%r2, [%s+%u];\n    st%s.%s [%s+%u], %%r2;\n", s.space, type, s.at, part, s.space, type, s.at,
        part);
}

static void swap_by_atomic(struct gen *g)
{
    struct spot a = near_spot(g, 20, 1, false), b = near_spot(g, 21, 1, below(g, 2));
    load(g, 2, &a);
    put(g, "    atom%s.exch.b32 %%r3, [%s], %%r2;\n", b.space, b.at);
    store(g, "", &a, 3);
}

static void add_by_load(struct gen *g, const char *type, const char *value, uint32_t offset, uint32_t amount)
{
    put(g, "    ld.shared.%s %s, [near+%u];\n", type, value, offset);
    put(g, "    add.%s %s, %s, %u;\n", value[2] == 'd' ? "u64" : "u32", value, value, amount);
    put(g, "    st.shared.%s [near+%u], %s;\n", type, offset, value);
}

static void add_to_word(struct gen *g, uint32_t offset, uint32_t amount)
{
    switch (below(g, 4)) {
    case 0: put(g, "    atom.shared.add.u32 %%r2, [near+%u], %u;\n", offset, amount); break;
    case 1: put(g, "    red.shared.add.u32 [near+%u], %u;\n", offset, amount); break;
    case 2:
        put(g, "    ld.shared.u32 %%r2, [near+%u];\n    add.u32 %%r3, %%r2, %u;\n", offset, amount);
        put(g, "    atom.shared.cas.b32 %%r4, [near+%u], %%r2, %%r3;\n", offset);
        break;
    default: add_by_load(g, "u32", "%r2", offset, amount);
    }
}

static void add_to_wide(struct gen *g, uint32_t offset, uint32_t amount)
{
    if (below(g, 2))
        put(g, "    atom.shared.add.u64 %%rd2, [near+%u], %u;\n", offset, amount);
    else
        add_by_load(g, "u64", "%rd2", offset, amount);
}

static void count_own(struct gen *g)
{
    put(g, "    mad.lo.u32 %%r7, %%r1, 2, %%r17;\n    ld.shared.u16 %%r2, [%%r7+%u];\n", AT(g, own));
    put(g, "    add.u32 %%r2, %%r2, 1;\n    st.shared.u16 [%%r7+%u], %%r2;\n", AT(g, own));
    for (uint32_t t = 0; t < g->k->block; t++)
        g->k->end.first.own[t] = (uint16_t)(g->k->end.first.own[t] + (g->in[t] ? g->rounds : 0));
}

static void count(struct gen *g)
{
    struct near *end = &g->k->end.first;
    uint32_t amount = 1 + below(g, 1000), which = below(g, 5);
    uint64_t times = g->times / g->k->grid;
    if (which == 0) {
        uint32_t i = below(g, BYTES);
        end->byte[i] = (uint8_t)(end->byte[i] + amount * times);
        add_by_load(g, "u8", "%r2", AT(g, byte) + i, amount);
    } else if (which == 1) {
        uint32_t i = below(g, HALVES);
        end->half[i] = (uint16_t)(end->half[i] + amount * times);
        add_by_load(g, "u16", "%r2", AT(g, half) + 2 * i, amount);
    } else if (which == 2) {
        uint32_t i = below(g, WIDE);
        end->wide[i] += amount * times;
        add_to_wide(g, AT(g, wide) + 8 * i, amount);
    } else if (which == 3) {
        uint32_t i = below(g, COUNTERS);
        end->counter[i] += (uint32_t)(amount * times);
        add_to_word(g, AT(g, counter) + WORD * i, amount);
    } else
        count_own(g);
}

static void operation(struct gen *g)
{
    switch (below(g, both(g) ? 12 : 10)) {
    case 0: swap(g); break;
    case 1: turn(g); break;
    case 2: rewrite_part(g); break;
    case 3: case 4: count(g); break;
    case 5: swap_by_atomic(g); break;
    case 6: wander(g); break;
    case 7: move_by_call(g); break;
    case 8: case 9: move(g); break;
    default: gen_operation(g);
    }
}

/* ---- transactions ---- */

/* Of the threads that are in, those where the bit is as `set` says. */
static void some_do(struct gen *g, uint32_t bit, bool set)
{
    bool in[MOST_THREADS];
    uint64_t times = g->times;
    memcpy(in, g->in, sizeof in);
    g->times = 0;
    for (uint32_t t = 0; t < g->k->block; t++) {
        g->in[t] = in[t] && !(t & bit) == !set;
        g->times += (uint64_t)g->in[t] * g->rounds * g->k->grid;
    }
    operation(g);
    memcpy(g->in, in, sizeof in);
    g->times = times;
}

static void choice(struct gen *g)
{
    uint32_t bit = 1u << below(g, 6), other = g->labels++, out = g->labels++;
    put(g, "    and.b32 %%r2, %%r1, %u;\n    setp.ne.u32 %%p1, %%r2, 0;\n    @%%p1 bra L%u;\n", bit, other);
    some_do(g, bit, false);
    put(g, "    bra L%u;\nL%u:\n", out, other);
    some_do(g, bit, true);
    put(g, "L%u:\n", out);
}

/* Some are opened again inside. Registers count attempts, and outside transactions. */
static void transaction(struct gen *g)
{
    uint32_t operations = below(g, MOST_OPERATIONS + 1), nested = below(g, 6) ? UINT32_MAX : 0;
    put(g, "    tx_begin;\n    add.u32 %%r10, %%r10, 1;\n");
    for (uint32_t i = 0; i < operations; i++) {
        put(g, "%s", i == nested ? "    tx_begin;\n" : "");
        if (below(g, 5))
            operation(g);
        else
            choice(g);
        put(g, "%s", i == nested ? "    tx_commit;\n" : "");
    }
    put(g, "    tx_commit;\n    add.u32 %%r11, %%r11, 1;\n");
}

/* The table and what has left it, to global memory, are what they were. */
static void audit(struct gen *g)
{
    uint32_t loop = g->labels++;
    put(g, "    tx_begin;\n    mov.u32 %%r2, 0;\n    mov.u32 %%r4, 0;\n");
    if (both(g))
        put(g, "    ld.global.u32 %%r2, [%%rd8];\n");
    put(g, "L%u:\n    mad.lo.u32 %%r9, %%r4, %u, %%r1;\n    and.b32 %%r9, %%r9, %d;\n", loop, 1 + 2 * below(g, 8),
        TABLE - 1);
    address_of(g, 20);
    put(g, "    ld.shared.u32 %%r3, [%%r20];\n    add.u32 %%r2, %%r2, %%r3;\n    add.u32 %%r4, %%r4, 1;\n");
    put(g, "    setp.lt.u32 %%p1, %%r4, %d;\n    @%%p1 bra L%u;\n    tx_commit;\n", TABLE, loop);
    put(g, "    setp.ne.u32 %%p1, %%r2, %u;\n    @%%p1 atom.global.add.u32 %%r3, [%%rd1+%zu], 1;\n", g->near_sum,
        offsetof(struct words, wrong));
}

static void transaction_or_audit(struct gen *g)
{
    if (below(g, 8))
        transaction(g);
    else
        audit(g);
}

/* ---- outside transactions ---- */

/* An atomic on a word that no transaction accesses, and a look at one that they do. */
static void beside(struct gen *g)
{
    uint32_t i = below(g, 2), amount = 1 + below(g, 9);
    put(g, "    atom.shared.add.u32 %%r2, [near+%u], %u;\n", AT(g, plain) + WORD * i, amount);
    put(g, "    ld.shared.u32 %%r2, [%%r16+%u];\n", below(g, QUAD) * g->reach);
    g->k->end.first.plain[i] += amount * g->k->block;
}

/* Between two barriers one thread changes words of transactions. */
static void between(struct gen *g)
{
    uint32_t a = below(g, QUAD) * g->reach, b = below(g, QUAD) * g->reach + WORD * below(g, QUAD);
    uint32_t counter = below(g, COUNTERS), amount = below(g, 100);
    put(g, "    bar.sync 0;\n    setp.eq.u32 %%p1, %%r1, 0;\n");
    put(g, "    @%%p1 ld.shared.u32 %%r2, [%%r16+%u];\n    @%%p1 ld.shared.u32 %%r3, [%%r16+%u];\n", a, b);
    put(g, "    @%%p1 st.shared.u32 [%%r16+%u], %%r3;\n    @%%p1 st.shared.u32 [%%r16+%u], %%r2;\n", a, b);
    put(g, "    @%%p1 atom.shared.add.u32 %%r2, [near+%u], %u;\n    bar.sync 0;\n", AT(g, counter) + WORD * counter,
        amount);
    g->k->end.first.counter[counter] += amount;
}

static void plain(struct gen *g)
{
    switch (below(g, 5)) {
    case 0: put(g, "    bar.sync 0;\n"); break;
    case 1: between(g); break;
    case 2: beside(g); break;
    default: break;
    }
}

/* ---- kernels ---- */

/* The block's shared memory, word by word, from or to device memory at %rd7. */
static void copy(struct gen *g, bool in)
{
    uint32_t loop = g->labels++, out = g->labels++;
    put(g, "    mov.u32 %%r12, %%r1;\nL%u:\n    setp.ge.u32 %%p1, %%r12, %zu;\n    @%%p1 bra L%u;\n", loop,
        sizeof(struct near) / WORD, out);
    put(g, "    mov.u32 %%r9, %%r12;\n    mad.lo.u32 %%r13, %%r12, 4, %%r17;\n    add.u32 %%r13, %%r13, %u;\n",
        g->rest - TABLE_BYTES);
    address_of(g, 20);
    put(g, "    setp.lt.u32 %%p1, %%r12, %d;\n    selp.b32 %%r20, %%r20, %%r13, %%p1;\n", TABLE);
    put(g, "    mul.wide.u32 %%rd9, %%r12, 4;\n    add.u64 %%rd9, %%rd9, %%rd7;\n");
    put(g, in ? "    ld.global.u32 %%r2, [%%rd9];\n    st.shared.u32 [%%r20], %%r2;\n"
              : "    ld.shared.u32 %%r2, [%%r20];\n    st.global.u32 [%%rd9], %%r2;\n");
    put(g, "    mov.u32 %%r2, %%ntid.x;\n    add.u32 %%r12, %%r12, %%r2;\n    bra L%u;\nL%u:\n", loop, out);
}

static void function(struct gen *g)
{
    put(g, ".func shift(.param .b64 from, .param .b64 to, .param .b32 n)\n{\n");
    put(g, "    .reg .b32 %%r<4>; .reg .b64 %%rd<4>;\n");
    put(g, "    ld.param.u64 %%rd1, [from];\n    ld.param.u64 %%rd2, [to];\n    ld.param.u32 %%r1, [n];\n");
    put(g, "    ld.u32 %%r2, [%%rd1];\n    sub.u32 %%r2, %%r2, %%r1;\n    st.u32 [%%rd1], %%r2;\n");
    put(g, "    ld.u32 %%r2, [%%rd2];\n    add.u32 %%r2, %%r2, %%r1;\n    st.u32 [%%rd2], %%r2;\n    ret;\n}\n");
}

static void head(struct gen *g)
{
    put(g, ".version 7.5\n.target sm_70\n.address_size 64\n");
    function(g);
    put(g, ".visible .entry k(.param .u64 words)\n{\n");
    put(g, "    .reg .pred %%p<5>; .reg .b32 %%r<24>; .reg .b64 %%rd<24>;\n    .shared .align 16 .b8 near[%u];\n",
        g->rest + BEHIND + below(g, 8));
    put(g, "    ld.param.u64 %%rd1, [words];\n    mov.u32 %%r1, %%tid.x;\n    mov.u32 %%r14, %%ctaid.x;\n");
    put(g, "    mov.u32 %%r17, near;\n    add.u32 %%r16, %%r17, %u;\n    mov.u32 %%r10, 0;\n    mov.u32 %%r11, 0;\n",
        g->base);
    put(g, "    mul.wide.u32 %%rd8, %%r14, 4;\n    add.u64 %%rd8, %%rd8, %%rd1;\n    add.u64 %%rd8, %%rd8, %zu;\n",
        offsetof(struct words, left));
    put(g, "    and.b32 %%r2, %%r1, %u;\n    setp.ne.u32 %%p3, %%r2, 0;\n    add.u64 %%rd7, %%rd1, %zu;\n",
        1u << below(g, 6), offsetof(struct words, first));
    copy(g, true);
    put(g, "    bar.sync 0;\n");
}

static void tail(struct gen *g)
{
    put(g, "    setp.ne.u32 %%p1, %%r10, %%r11;\n    @%%p1 atom.global.add.u32 %%r2, [%%rd1+%zu], 1;\n",
        offsetof(struct words, wrong));
    put(g, "    bar.sync 0;\n    mad.wide.u32 %%rd7, %%r14, %zu, %%rd1;\n    add.u64 %%rd7, %%rd7, %zu;\n",
        sizeof(struct near), offsetof(struct words, near));
    copy(g, false);
    put(g, "    ret;\n}\n");
}

/* Quads lie together, in one bank of 16 or 32, or at one bit of filters of up to 16. */
static void choose_places(struct gen *g)
{
    static const uint32_t reaches[] = { QUAD_BYTES, 64, 128, 144, 256, 1024, 1024, 2048 };
    g->reach = reaches[below(g, sizeof reaches / sizeof *reaches)];
    g->base = QUAD_BYTES * below(g, 4);
    g->rest = g->base + (TABLE / QUAD - 1) * g->reach + QUAD_BYTES * (1 + below(g, 2));
    g->near_sum = gen_sum(g->k->start.first.table);
}

static uint32_t most_threads(struct gen *g)
{
    uint32_t i = below(g, 16);
    return i == 0 ? MOST_THREADS : i < 3 ? MORE_THREADS : i < 10 ? SOME_THREADS : FEW_THREADS;
}

void gen_near(struct gen *g)
{
    gen_begin(g, below(g, 2) ? 2 : MOST_BLOCKS, most_threads(g));
    choose_places(g);
    head(g);
    for (uint32_t n = 1 + below(g, MOST_STEPS); n > 0; n--) {
        gen_step(g, transaction_or_audit);
        plain(g);
    }
    tail(g);
}
