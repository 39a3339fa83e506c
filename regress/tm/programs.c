/* Programs with transactions (programs.h), and what they must leave. */
#include <string.h>

#include "regress/tm/programs.h"

enum { ACCOUNTS = 48, HEADS = 16, NODES = 1024, COUNTERS = 24, BYTES = 4096, PAIRS = 40 };   /* words, BYTES in bytes */

const char *const tx_names[TX_PROGRAMS] = { "bank", "hash", "count", "pairs", "mixed", "alone" };

/* Thread numbers count over all blocks; p0 tells how often a thread repeats its transaction. */
#define TX_ENTRY(name) \
    ".visible .entry " name "(.param .u64 words, .param .u64 seen, .param .u32 p0, .param .u32 p1, .param .u32 p2,\n" \
    "    .param .u32 p3, .param .u32 p4, .param .u32 p5, .param .u32 p6, .param .u32 p7)\n{\n" \
    ".reg .pred %p, %p<4>; .reg .b16 %h; .reg .b32 %r<32>; .reg .b64 %d<12>; .local .align 8 .b8 l[64];\n" \
    "ld.param.u64 %d1, [words]; ld.param.u64 %d2, [seen]; ld.param.u32 %r9, [p0];\n" \
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r1, %r1, 32, %r2; mov.u32 %r8, 0;\n" \
    "AGAIN:\n"
#define TX_END "add.u32 %r8, %r8, 1; setp.lt.u32 %p, %r8, %r9; @%p bra AGAIN;\nret;\n}\n"
/* %address: of word %index of words. */
#define AT(address, index) "mul.wide.u32 " address ", " index ", 4; add.u64 " address ", " address ", %d1;\n"
/* %r3: a number that depends on thread and repetition. */
#define DRAW "mad.lo.u32 %r3, %r1, 747796405, %r8; mad.lo.u32 %r3, %r3, 277803737, 2891336453; shr.u32 %r3, %r3, 8;\n"

const char tx_programs[] =
    ".version 8.3\n.target sm_90\n.address_size 64\n"
    /* adds %value to the word at %at, and to the byte counter of the thread's number mod 4 */
    ".func add(.param .b64 at, .param .b32 value)\n{\n"
    ".reg .b32 %r<4>; .reg .b64 %d;\n"
    "ld.param.b64 %d, [at]; ld.param.b32 %r1, [value]; ld.global.u32 %r2, [%d]; add.u32 %r2, %r2, %r1;\n"
    "st.global.u32 [%d], %r2; ret;\n}\n"
    /* moves 1 + number mod 100 from one account to another, and counts */
    TX_ENTRY("bank") DRAW
    "rem.u32 %r4, %r3, 48; mul.hi.u32 %r5, %r3, 805306368; rem.u32 %r5, %r5, 48; rem.u32 %r6, %r3, 100;\n"
    "add.u32 %r6, %r6, 1;\n" AT("%d3", "%r4") AT("%d4", "%r5")
    "tx_begin;\n"
    "ld.global.u32 %r10, [%d3]; sub.u32 %r10, %r10, %r6; st.global.u32 [%d3], %r10;\n"
    "ld.global.u32 %r11, [%d4]; add.u32 %r11, %r11, %r6; st.global.u32 [%d4], %r11;\n"
    "tx_commit;\n" TX_END
    /* node `thread` goes to the head of a list; word 2 t + NODES is its next, the one behind its list's length then */
    TX_ENTRY("hash") DRAW
    "and.b32 %r4, %r1, 15; mad.lo.u32 %r5, %r8, 512, %r1; shl.b32 %r5, %r5, 1; add.u32 %r5, %r5, 1024;\n"
    AT("%d3", "%r4") AT("%d4", "%r5") "add.u32 %r6, %r5, 1;\n"
    "tx_begin;\n"
    "ld.global.u32 %r10, [%d3]; st.global.u32 [%d4], %r10; mov.u32 %r12, 0; setp.eq.u32 %p1, %r10, 0; @%p1 bra FIRST;\n"
    AT("%d5", "%r10") "ld.global.u32 %r12, [%d5+4];\n"
    "FIRST: add.u32 %r12, %r12, 1; st.global.u32 [%d4+4], %r12; st.global.u32 [%d3], %r5;\n"
    "tx_commit;\n" TX_END
    /* odd threads add 3 through a function; even ones 1, word by word of a pair read and written at once, and 1 to a
     * byte, counting in a register and in private memory too */
    TX_ENTRY("count") DRAW
    "rem.u32 %r4, %r3, 24; and.b32 %r5, %r1, 1; setp.eq.u32 %p1, %r5, 0; mov.u64 %d6, l;\n" AT("%d3", "%r4")
    "and.b32 %r6, %r4, 30;\n" AT("%d4", "%r6") "and.b32 %r7, %r1, 3; cvt.u64.u32 %d5, %r7; add.u64 %d5, %d5, %d1;\n"
    "st.local.u32 [%d6], 0; mov.u32 %r14, 0;\n"
    "tx_begin;\n"
    "add.u32 %r14, %r14, 1;\n"
    "@%p1 bra EVEN;\n"
    "{ .param .b64 a; .param .b32 v; st.param.b64 [a], %d3; st.param.b32 [v], 3; call add, (a, v); }\n"
    "bra JOIN;\n"
    "EVEN: ld.global.v2.u32 {%r10, %r11}, [%d4]; add.u32 %r10, %r10, 1; add.u32 %r11, %r11, 1;\n"
    "st.global.v2.u32 [%d4], {%r10, %r11};\n"
    "ld.global.u8 %h, [%d5+4096]; add.u16 %h, %h, 1; st.global.u8 [%d5+4096], %h;\n"
    "ld.local.u32 %r12, [%d6]; add.u32 %r12, %r12, 1; st.local.u32 [%d6], %r12;\n"
    "JOIN: tx_commit;\n"
    "ld.local.u32 %r12, [%d6]; @!%p1 mov.u32 %r12, 1; shl.b32 %r14, %r14, 8; add.u32 %r12, %r12, %r14;\n"
    "setp.eq.u32 %p2, %r12, 257; @!%p2 st.global.u32 [%d2], %r12;\n" TX_END
    /* pairs of equal words: who commits has seen them equal; every transaction adds 1 to both. Who sees them differ is
     * doomed: an odd thread loops then, an even one reads far outside of memory. */
    TX_ENTRY("pairs") DRAW
    "rem.u32 %r4, %r3, 40; mul.lo.u32 %r5, %r4, 65; add.u32 %r5, %r5, 64;\n" AT("%d3", "%r4") AT("%d4", "%r5")
    "tx_begin;\n"
    "ld.global.u32 %r10, [%d3]; ld.global.u32 %r11, [%d4]; sub.u32 %r12, %r10, %r11;\n"
    "setp.eq.u32 %p1, %r12, 0; @%p1 bra GOOD; and.b32 %r13, %r1, 1; setp.eq.u32 %p1, %r13, 1;\n"
    "LOOP: @%p1 bra LOOP;\n"
    "mul.wide.u32 %d5, %r12, 1073741824; shl.b64 %d5, %d5, 16; add.u64 %d5, %d5, %d3; ld.global.u32 %r10, [%d5];\n"
    "GOOD:\n"
    "add.u32 %r10, %r10, 1; st.global.u32 [%d3], %r10; ld.global.u32 %r10, [%d3]; st.global.u32 [%d4], %r10;\n"
    "tx_commit;\n"
    "setp.ne.u32 %p1, %r12, 0; @%p1 st.global.u32 [%d2], %r12;\n" TX_END
    /* every other thread adds with transactions, the others with atomics */
    TX_ENTRY("mixed") DRAW
    "rem.u32 %r4, %r3, 24; and.b32 %r5, %r1, 1; setp.eq.u32 %p1, %r5, 0;\n" AT("%d3", "%r4") "@%p1 bra ATOMIC;\n"
    "tx_begin;\n"
    "ld.global.u32 %r10, [%d3]; add.u32 %r10, %r10, 1; st.global.u32 [%d3], %r10;\n"
    "tx_commit;\n"
    "bra NEXT;\n"
    "ATOMIC: red.global.add.u32 [%d3], 1;\n"
    "NEXT:\n" TX_END
    /* a pair of words of its own: its number + 1 is added to the first, the sum is read again, and is the second */
    TX_ENTRY("alone")
    "shl.b32 %r4, %r1, 1; add.u32 %r5, %r1, 1;\n" AT("%d3", "%r4")
    "tx_begin;\n"
    "ld.global.u32 %r10, [%d3]; add.u32 %r10, %r10, %r5; st.global.u32 [%d3], %r10; ld.global.u32 %r11, [%d3];\n"
    "st.global.u32 [%d3+4], %r11;\n"
    "tx_commit;\n" TX_END;

const char *tx_run(struct lab *l, enum tx_program p, uint32_t blocks, uint32_t times)
{
    uint32_t params[LAB_PARAMS] = { times };
    const void *args[LAB_PARAMS + 2] = { &l->words, &l->seen };
    for (int i = 0; i < LAB_PARAMS; i++)
        args[i + 2] = &params[i];
    simtx_launch_params shape = { .grid = { blocks, 1, 1 }, .block = { 32, 1, 1 }, .args = args };
    memset(l->words, 0, LAB_WORDS * 4);
    memset(l->seen, 0, LAB_SEEN * 4);
    simtx_status s = simtx_launch(simtx_module_kernel(l->module, tx_names[p]), &shape, NULL, NULL);
    return s ? simtx_last_message(l->gpu) : NULL;
}

/* ---- what programs leave ---- */

static uint32_t draw(uint32_t thread, uint32_t time)
{
    return ((thread * 747796405u + time) * 277803737u + 2891336453u) >> 8;
}

static bool bank_is_right(const struct lab *l, uint32_t threads, uint32_t times)
{
    uint32_t account[ACCOUNTS] = { 0 };
    for (uint32_t t = 0; t < threads; t++)
        for (uint32_t i = 0; i < times; i++) {
            uint32_t r = draw(t, i);
            account[r % 48] -= r % 100 + 1;
            account[(uint32_t)((uint64_t)r * 805306368 >> 32) % 48] += r % 100 + 1;
        }
    return !memcmp(account, l->words, sizeof account);
}

/* Lists have every node once, and lengths that count. */
static bool hash_is_right(const struct lab *l, uint32_t threads, uint32_t times)
{
    uint32_t nodes = 0;
    for (uint32_t h = 0; h < HEADS; h++)
        for (uint32_t n = l->words[h], left = 0; n; n = l->words[n], nodes++) {
            left = left ? left - 1 : l->words[n + 1];
            if (l->words[n + 1] != left || (n - NODES) / 2 % HEADS != h)
                return false;
        }
    return nodes == threads * times;
}

static bool count_is_right(const struct lab *l, uint32_t threads, uint32_t times)
{
    uint32_t counter[COUNTERS + 8] = { 0 };
    const uint8_t *bytes = (const uint8_t *)l->words + BYTES;
    for (uint32_t t = 0; t < threads; t++)
        for (uint32_t i = 0; i < times; i++) {
            uint32_t c = draw(t, i) % 24;
            counter[t & 1 ? c : c & 30] += t & 1 ? 3 : 1;
            counter[(c & 30) + 1] += t & 1 ? 0 : 1;
        }
    return !memcmp(counter, l->words, sizeof counter) && bytes[0] == (uint8_t)(threads / 4 * times) &&
           bytes[2] == bytes[0] && !bytes[1] && !l->seen[0];
}

static bool pairs_are_right(const struct lab *l, uint32_t threads, uint32_t times)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < PAIRS; i++) {
        if (l->words[i] != l->words[65 * i + 64])
            return false;
        sum += l->words[i];
    }
    return sum == threads * times && !l->seen[0];
}

static bool mixed_is_right(const struct lab *l, uint32_t threads, uint32_t times)
{
    uint32_t counter[COUNTERS] = { 0 };
    for (uint32_t t = 0; t < threads; t++)
        for (uint32_t i = 0; i < times; i++)
            counter[draw(t, i) % 24]++;
    return !memcmp(counter, l->words, sizeof counter);
}

static bool alone_is_right(const struct lab *l, uint32_t threads, uint32_t times)
{
    for (uint32_t t = 0; t < threads; t++)
        if (l->words[2 * t] != (t + 1) * times || l->words[2 * t + 1] != (t + 1) * times)
            return false;
    return true;
}

bool tx_is_right(const struct lab *l, enum tx_program p, uint32_t blocks, uint32_t times)
{
    static bool (*const check[TX_PROGRAMS])(const struct lab *, uint32_t, uint32_t) = {
        [TX_BANK] = bank_is_right, [TX_HASH] = hash_is_right, [TX_COUNT] = count_is_right, [TX_PAIRS] = pairs_are_right,
        [TX_MIXED] = mixed_is_right, [TX_ALONE] = alone_is_right
    };
    return check[p](l, blocks * 32, times);
}
