/* The generator (gen.h): transactions of a kernel one after another, each of a few operations. */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "regress/tm/random/emit.h"

enum { MOST_TRANSACTIONS = 4, MOST_OPERATIONS = 5, MOST_ROUNDS = 3, MOST_START = 50,
       GLOBAL_BLOCKS = 2, GLOBAL_THREADS = PURSES / GLOBAL_BLOCKS };

void put(struct gen *g, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(g->k->text + g->k->length, TEXT - g->k->length, fmt, ap);
    va_end(ap);
    if (n < 0 || g->k->length + (uint32_t)n >= TEXT)
        abort();
    g->k->length += (uint32_t)n;
}

uint32_t below(struct gen *g, uint32_t n)
{
    return random_below(&g->r, n);
}

/* ---- places ---- */

void gen_place(struct gen *g, unsigned reg, bool even)
{
    switch (below(g, 3)) {
    case 0: put(g, "    mov.u32 %%r9, %u;\n", below(g, TABLE)); break;
    case 1: put(g, "    mad.lo.u32 %%r9, %%r1, %u, %u;\n", 1 + below(g, 5), below(g, TABLE)); break;
    default: put(g, "    ld.global.u32 %%r9, [%%rd1+%u];\n", 4 * below(g, TABLE)); break;
    }
    put(g, "    and.b32 %%r9, %%r9, %u;\n", even ? TABLE - 2 : TABLE - 1);
    put(g, "    mul.wide.u32 %%rd9, %%r9, 4;\n    add.u64 %%rd%u, %%rd1, %%rd9;\n", reg);
}

/* ---- operations ---- */

static void swap(struct gen *g)
{
    bool guarded = below(g, 2);
    const char *guard = guarded ? "@%p1 " : "";
    gen_place(g, 2, false);
    gen_place(g, 3, false);
    put(g, "    ld.global.u32 %%r2, [%%rd2];\n    ld.global.u32 %%r3, [%%rd3];\n");
    if (guarded)
        put(g, "    setp.lt.u32 %%p1, %%r2, %%r3;\n");
    put(g, "    %sst.global.u32 [%%rd2], %%r3;\n    %sst.global.u32 [%%rd3], %%r2;\n", guard, guard);
}

/* The second place is read behind the first one's store: they may be one. */
static void move(struct gen *g)
{
    uint32_t amount = 1 + below(g, 9), label = g->labels++;
    gen_place(g, 2, false);
    gen_place(g, 3, false);
    put(g, "    ld.global.u32 %%r2, [%%rd2];\n    setp.lt.u32 %%p1, %%r2, %u;\n    @%%p1 bra L%u;\n", amount, label);
    put(g, "    sub.u32 %%r2, %%r2, %u;\n    st.global.u32 [%%rd2], %%r2;\n", amount);
    put(g, "    ld.global.u32 %%r3, [%%rd3];\n    add.u32 %%r3, %%r3, %u;\n    st.global.u32 [%%rd3], %%r3;\n", amount);
    put(g, "L%u:\n", label);
}

static void turn_pair(struct gen *g)
{
    gen_place(g, 2, true);
    put(g, "    ld.global.v2.u32 {%%r2, %%r3}, [%%rd2];\n    st.global.v2.u32 [%%rd2], {%%r3, %%r2};\n");
}

/* A byte or half of a word is written again as it was. */
static void rewrite_part(struct gen *g)
{
    bool half = below(g, 2);
    uint32_t part = half ? 2 * below(g, 2) : below(g, 4);
    const char *type = half ? "u16" : "u8";
    gen_place(g, 2, false);
    put(g, "    ld.global.%s %%r2, [%%rd2+%u];\n    st.global.%s [%%rd2+%u], %%r2;\n", type, part, type, part);
}

static void add_to(struct gen *g, const char *type, const char *value, size_t offset, uint32_t amount)
{
    const char *arithmetic = value[1] == 'r' && value[2] == 'd' ? "u64" : "u32";
    put(g, "    ld.global.%s %s, [%%rd1+%zu];\n    add.%s %s, %s, %u;\n", type, value, offset, arithmetic, value, value,
        amount);
    put(g, "    st.global.%s [%%rd1+%zu], %s;\n", type, offset, value);
}

static void count(struct gen *g)
{
    uint32_t amount = 1 + below(g, 1000), i = below(g, COUNTERS + BYTES + WIDE);
    struct words *end = &g->k->end;
    if (i < COUNTERS) {
        end->counter[i] += (uint32_t)(amount * g->times);
        add_to(g, "u32", "%r2", offsetof(struct words, counter) + 4 * i, amount);
    } else if (i < COUNTERS + BYTES) {
        i -= COUNTERS;
        end->byte[i] = (uint8_t)(end->byte[i] + amount * g->times);
        add_to(g, "u8", "%r2", offsetof(struct words, byte) + i, amount);
    } else {
        i -= COUNTERS + BYTES;
        end->wide[i] += amount * g->times;
        add_to(g, "u64", "%rd2", offsetof(struct words, wide) + 8 * i, amount);
    }
}

void gen_operation(struct gen *g)
{
    switch (below(g, 6)) {
    case 0: swap(g); break;
    case 1: turn_pair(g); break;
    case 2: rewrite_part(g); break;
    case 3: count(g); break;
    default: move(g); break;
    }
}

/* ---- transactions ---- */

uint32_t gen_sum(const uint32_t *table)
{
    uint32_t sum = 0;
    for (int i = 0; i < TABLE; i++)
        sum += table[i];
    return sum;
}

static void audit(struct gen *g)
{
    uint32_t label = g->labels++;
    put(g, "    tx_begin;\n    mov.u32 %%r2, 0;\n    mov.u32 %%r4, 0;\n    mov.u64 %%rd2, %%rd1;\nL%u:\n", label);
    put(g, "    ld.global.u32 %%r3, [%%rd2];\n    add.u32 %%r2, %%r2, %%r3;\n    add.u64 %%rd2, %%rd2, 4;\n");
    put(g, "    add.u32 %%r4, %%r4, 1;\n    setp.lt.u32 %%p1, %%r4, %d;\n    @%%p1 bra L%u;\n    tx_commit;\n", TABLE,
        label);
    put(g, "    setp.ne.u32 %%p1, %%r2, %u;\n    @%%p1 atom.global.add.u32 %%r3, [%%rd1+%zu], 1;\n",
        gen_sum(g->k->start.table), offsetof(struct words, wrong));
}

/* The thread adds to its purse. %rd10 + offset is its address. */
static void fill_purse(struct gen *g, uint32_t amount)
{
    size_t purse = offsetof(struct words, purse);
    put(g, "    ld.global.u32 %%r2, [%%rd10+%zu];\n    add.u32 %%r2, %%r2, %u;\n", purse, amount);
    put(g, "    st.global.u32 [%%rd10+%zu], %%r2;\n", purse);
}

static void empty_purse(struct gen *g, uint32_t amount)
{
    uint32_t i = below(g, COUNTERS);
    size_t purse = offsetof(struct words, purse), counter = offsetof(struct words, counter) + 4 * i;
    g->k->end.counter[i] += (uint32_t)(amount * g->times);
    put(g, "    ld.global.u32 %%r2, [%%rd10+%zu];\n    ld.global.u32 %%r3, [%%rd1+%zu];\n", purse, counter);
    put(g, "    add.u32 %%r3, %%r3, %%r2;\n    st.global.u32 [%%rd1+%zu], %%r3;\n    mov.u32 %%r2, 0;\n", counter);
    put(g, "    st.global.u32 [%%rd10+%zu], %%r2;\n", purse);
}

/* Some are opened again inside. */
static void transaction(struct gen *g)
{
    uint32_t operations = below(g, MOST_OPERATIONS + 1), nested = below(g, 6) ? UINT32_MAX : 0;
    uint32_t amount = below(g, 4) ? 0 : 1 + below(g, 100);
    if (amount)
        fill_purse(g, amount);
    put(g, "    tx_begin;\n");
    if (amount)
        empty_purse(g, amount);
    for (uint32_t i = 0; i < operations; i++) {
        put(g, "%s", i == nested ? "    tx_begin;\n" : "");
        gen_operation(g);
        put(g, "%s", i == nested ? "    tx_commit;\n" : "");
    }
    put(g, "    tx_commit;\n");
}

static void transaction_or_audit(struct gen *g)
{
    if (below(g, 5))
        transaction(g);
    else
        audit(g);
}

static uint32_t choose_threads(struct gen *g, uint32_t mask, uint32_t value)
{
    uint32_t n = 0;
    for (uint32_t t = 0; t < g->k->block; t++)
        n += g->in[t] = (t & mask) == value;
    return n * g->k->grid;
}

void gen_step(struct gen *g, void (*once)(struct gen *g))
{
    uint32_t mask = below(g, 3) ? 0 : 1 + below(g, 7), value = mask & below(g, 8);
    uint32_t loop = g->labels++, out = g->labels++;
    g->rounds = 1 + below(g, MOST_ROUNDS);
    g->times = (uint64_t)choose_threads(g, mask, value) * g->rounds;
    g->k->transactions += g->times;
    put(g, "    and.b32 %%r5, %%r1, %u;\n    setp.ne.u32 %%p2, %%r5, %u;\n    @%%p2 bra L%u;\n", mask, value, out);
    put(g, "    mov.u32 %%r6, 0;\nL%u:\n", loop);
    once(g);
    put(g, "    add.u32 %%r6, %%r6, 1;\n    setp.lt.u32 %%p2, %%r6, %u;\n    @%%p2 bra L%u;\nL%u:\n", g->rounds, loop,
        out);
}

/* ---- kernels ---- */

void gen_begin(struct gen *g, uint32_t most_blocks, uint32_t most_threads)
{
    g->k->grid = 1 + below(g, most_blocks);
    g->k->block = 1 + below(g, most_threads);
    for (int i = 0; i < TABLE; i++)
        g->k->start.table[i] = below(g, MOST_START);
    for (int i = 0; g->k->memory != GLOBAL && i < TABLE; i++)
        g->k->start.first.table[i] = below(g, MOST_START);
    g->k->end = g->k->start;
}

static void gen_global(struct gen *g)
{
    gen_begin(g, GLOBAL_BLOCKS, GLOBAL_THREADS);
    put(g, ".version 7.5\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 words)\n{\n");
    put(g, "    .reg .pred %%p<4>; .reg .b32 %%r<12>; .reg .b64 %%rd<12>;\n");
    put(g, "    ld.param.u64 %%rd1, [words];\n    mov.u32 %%r1, %%tid.x;\n    mov.u32 %%r10, %%ctaid.x;\n");
    put(g, "    mad.lo.u32 %%r10, %%r10, %u, %%r1;\n    mul.wide.u32 %%rd10, %%r10, 4;\n", g->k->block);
    put(g, "    add.u64 %%rd10, %%rd10, %%rd1;\n");
    for (uint32_t n = 1 + below(g, MOST_TRANSACTIONS); n > 0; n--)
        gen_step(g, transaction_or_audit);
    put(g, "    ret;\n}\n");
}

void gen_kernel(struct kernel *k, enum memory memory, uint64_t seed)
{
    struct gen g = { .k = k, .r = random_from(seed) };
    k->memory = memory;
    k->length = 0;
    k->grid = k->block = 0;
    k->transactions = 0;
    k->start = (struct words){ 0 };
    if (memory == GLOBAL)
        gen_global(&g);
    else
        gen_near(&g);
}
