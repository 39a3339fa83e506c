/* The generator (gen.h): transactions of a kernel one after another, each of a few operations. */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "regress/fuzz/random.h"
#include "regress/tm/random/gen.h"

enum { MOST_TRANSACTIONS = 4, MOST_OPERATIONS = 5, MOST_ROUNDS = 3 };

struct gen {
    struct kernel *k;
    struct random r;
    uint32_t labels;
    const char *table, *counters;    /* their spaces; addresses: of the table %rd1, of counters %rd10, of words %rd11 */
    uint64_t times;                  /* how often what is generated now is executed by all threads together */
};

static void put(struct gen *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(struct gen *g, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(g->k->text + g->k->length, TEXT - g->k->length, fmt, ap);
    va_end(ap);
    if (n < 0 || g->k->length + (uint32_t)n >= TEXT)
        abort();
    g->k->length += (uint32_t)n;
}

static uint32_t below(struct gen *g, uint32_t n)
{
    return random_below(&g->r, n);
}

/* ---- places ---- */

/* The address of a word of the table into %rd<reg>: fixed, by thread, or by what another word holds. */
static void place(struct gen *g, unsigned reg, bool even)
{
    switch (below(g, 3)) {
    case 0: put(g, "    mov.u32 %%r9, %u;\n", below(g, TABLE)); break;
    case 1: put(g, "    mad.lo.u32 %%r9, %%r1, %u, %u;\n", 1 + below(g, 5), below(g, TABLE)); break;
    default: put(g, "    ld.%s.u32 %%r9, [%%rd1+%u];\n", g->table, 4 * below(g, TABLE)); break;
    }
    put(g, "    and.b32 %%r9, %%r9, %u;\n", even ? TABLE - 2 : TABLE - 1);
    put(g, "    mul.wide.u32 %%rd9, %%r9, 4;\n    add.u64 %%rd%u, %%rd1, %%rd9;\n", reg);
}

/* ---- operations ---- */

static void swap(struct gen *g)
{
    bool guarded = below(g, 2);
    const char *guard = guarded ? "@%p1 " : "";
    place(g, 2, false);
    place(g, 3, false);
    put(g, "    ld.%s.u32 %%r2, [%%rd2];\n    ld.%s.u32 %%r3, [%%rd3];\n", g->table, g->table);
    if (guarded)
        put(g, "    setp.lt.u32 %%p1, %%r2, %%r3;\n");
    put(g, "    %sst.%s.u32 [%%rd2], %%r3;\n    %sst.%s.u32 [%%rd3], %%r2;\n", guard, g->table, guard, g->table);
}

/* The second place is read behind the first one's store: they may be one. */
static void move(struct gen *g)
{
    uint32_t amount = 1 + below(g, 9), label = g->labels++;
    place(g, 2, false);
    place(g, 3, false);
    put(g, "    ld.%s.u32 %%r2, [%%rd2];\n    setp.lt.u32 %%p1, %%r2, %u;\n", g->table, amount);
    put(g, "    @%%p1 bra L%u;\n", label);
    put(g, "    sub.u32 %%r2, %%r2, %u;\n    st.%s.u32 [%%rd2], %%r2;\n", amount, g->table);
    put(g, "    ld.%s.u32 %%r3, [%%rd3];\n    add.u32 %%r3, %%r3, %u;\n", g->table, amount);
    put(g, "    st.%s.u32 [%%rd3], %%r3;\n", g->table);
    put(g, "L%u:\n", label);
}

static void turn_pair(struct gen *g)
{
    place(g, 2, true);
    put(g, "    ld.%s.v2.u32 {%%r2, %%r3}, [%%rd2];\n", g->table);
    put(g, "    st.%s.v2.u32 [%%rd2], {%%r3, %%r2};\n", g->table);
}

/* A byte or half of a word is written again as it was. */
static void rewrite_part(struct gen *g)
{
    bool half = below(g, 2);
    uint32_t part = half ? 2 * below(g, 2) : below(g, 4);
    const char *type = half ? "u16" : "u8";
    place(g, 2, false);
    put(g, "    ld.%s.%s %%r2, [%%rd2+%u];\n", g->table, type, part);
    put(g, "    st.%s.%s [%%rd2+%u], %%r2;\n", g->table, type, part);
}

static void add_to(struct gen *g, const char *type, const char *value, size_t offset, uint32_t amount)
{
    const char *arithmetic = value[1] == 'r' && value[2] == 'd' ? "u64" : "u32";
    put(g, "    ld.%s.%s %s, [%%rd10+%zu];\n", g->counters, type, value, offset);
    put(g, "    add.%s %s, %s, %u;\n", arithmetic, value, value, amount);
    put(g, "    st.%s.%s [%%rd10+%zu], %s;\n", g->counters, type, offset, value);
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

static void operation(struct gen *g)
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

static uint32_t sum_of(const uint32_t *table)
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
    put(g, "    ld.%s.u32 %%r3, [%%rd2];\n    add.u32 %%r2, %%r2, %%r3;\n    add.u64 %%rd2, %%rd2, 4;\n", g->table);
    put(g, "    add.u32 %%r4, %%r4, 1;\n    setp.lt.u32 %%p1, %%r4, %d;\n    @%%p1 bra L%u;\n    tx_commit;\n", TABLE,
        label);
    put(g, "    setp.ne.u32 %%p1, %%r2, %u;\n    @%%p1 atom.global.add.u32 %%r3, [%%rd11+%zu], 1;\n",
        sum_of(g->k->start.table), offsetof(struct words, wrong));
}

/* Some are opened again inside. */
static void transaction(struct gen *g)
{
    uint32_t operations = below(g, MOST_OPERATIONS + 1), nested = below(g, 6) ? UINT32_MAX : 0;
    put(g, "    tx_begin;\n");
    for (uint32_t i = 0; i < operations; i++) {
        put(g, "%s", i == nested ? "    tx_begin;\n" : "");
        operation(g);
        put(g, "%s", i == nested ? "    tx_commit;\n" : "");
    }
    put(g, "    tx_commit;\n");
}

static uint32_t threads_where(const struct kernel *k, uint32_t mask, uint32_t value)
{
    uint32_t n = 0;
    for (uint32_t t = 0; t < k->block; t++)
        n += (t & mask) == value;
    return n * k->grid;
}

/* A transaction, or an audit, in a loop of one or more rounds, of the threads whose number has these bits. */
static void step(struct gen *g)
{
    uint32_t rounds = 1 + below(g, MOST_ROUNDS), mask = below(g, 3) ? 0 : 1 + below(g, 7), value = mask & below(g, 8);
    uint32_t loop = g->labels++, out = g->labels++;
    g->times = (uint64_t)threads_where(g->k, mask, value) * rounds;
    put(g, "    and.b32 %%r5, %%r1, %u;\n    setp.ne.u32 %%p2, %%r5, %u;\n    @%%p2 bra L%u;\n", mask, value, out);
    put(g, "    mov.u32 %%r6, 0;\nL%u:\n", loop);
    if (below(g, 5))
        transaction(g);
    else
        audit(g);
    put(g, "    add.u32 %%r6, %%r6, 1;\n    setp.lt.u32 %%p2, %%r6, %u;\n    @%%p2 bra L%u;\nL%u:\n", rounds, loop,
        out);
}

/* ---- kernels ---- */

/* The words of table or counters from one space to the other. */
static void copy(struct gen *g, size_t offset, size_t bytes, const char *from, const char *to)
{
    uint32_t label = g->labels++;
    const char *source = *from == 'g' ? "%rd3" : "%rd4", *target = *to == 'g' ? "%rd3" : "%rd4";
    put(g, "    mov.u32 %%r6, %%r1;\nL%u:\n    mul.wide.u32 %%rd2, %%r6, 4;\n", label);
    put(g, "    setp.lt.u32 %%p1, %%r6, %zu;\n    add.u64 %%rd3, %%rd2, %%rd11;\n", bytes / 4);
    put(g, "    add.u64 %%rd4, %%rd2, %%rd8;\n    @%%p1 ld.%s.u32 %%r2, [%s+%zu];\n", from, source, offset);
    put(g, "    @%%p1 st.%s.u32 [%s+%zu], %%r2;\n    mov.u32 %%r7, %%ntid.x;\n", to, target, offset);
    put(g, "    add.u32 %%r6, %%r6, %%r7;\n    setp.lt.u32 %%p1, %%r6, %zu;\n    @%%p1 bra L%u;\n", bytes / 4, label);
}

static void copy_all(struct gen *g, unsigned shared, const char *from, const char *to)
{
    if (shared & TABLE_SHARED)
        copy(g, 0, sizeof g->k->start.table, from, to);
    if (shared & COUNTERS_SHARED) {
        copy(g, offsetof(struct words, counter), offsetof(struct words, wrong) - offsetof(struct words, counter), from,
             to);
        copy(g, offsetof(struct words, wide), sizeof g->k->start.wide, from, to);
    }
}

static void addresses(struct gen *g, unsigned shared)
{
    put(g, "    .shared .align 16 .b8 s[%zu];\n", sizeof(struct words));
    put(g, "    ld.param.u64 %%rd11, [words];\n    mov.u64 %%rd8, s;\n    mov.u32 %%r1, %%tid.x;\n");
    put(g, "    mov.u64 %%rd1, %%rd%d;\n    mov.u64 %%rd10, %%rd%d;\n", shared & TABLE_SHARED ? 8 : 11,
        shared & COUNTERS_SHARED ? 8 : 11);
    g->table = shared & TABLE_SHARED ? "shared" : "global";
    g->counters = shared & COUNTERS_SHARED ? "shared" : "global";
}

void gen_kernel(struct kernel *k, uint64_t seed, unsigned shared)
{
    enum { GLOBAL_THREADS = 48, SHARED_THREADS = 200 };
    struct gen g = { .k = k, .r = random_from(seed) };
    *k = (struct kernel){ .grid = 1 + below(&g, 2), .block = 1 + below(&g, shared ? SHARED_THREADS : GLOBAL_THREADS) };
    k->grid = shared ? 1 : k->grid;
    for (int i = 0; i < TABLE; i++)
        k->start.table[i] = below(&g, 50);
    k->end = k->start;
    put(&g, ".version 7.5\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 words)\n{\n");
    put(&g, "    .reg .pred %%p<4>; .reg .b32 %%r<12>; .reg .b64 %%rd<12>;\n");
    addresses(&g, shared);
    copy_all(&g, shared, "global", "shared");
    put(&g, "    bar.sync 0;\n");
    for (uint32_t n = 1 + below(&g, MOST_TRANSACTIONS); n > 0; n--)
        step(&g);
    put(&g, "    bar.sync 0;\n");
    copy_all(&g, shared, "shared", "global");
    put(&g, "    ret;\n}\n");
}
