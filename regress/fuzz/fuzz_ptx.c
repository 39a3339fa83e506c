/*
 * Arbitrary text as PTX: parsed, linked, loaded, its tables printed, its kernels run. The mutator knows the
 * words of the language (tables of ptx/) and random instructions (gen.c). Texts in regressions/ once broke
 * something.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/isa/ops.h"
#include "regress/fuzz/gen.h"
#include "regress/fuzz/harness.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

/* ---- what must hold ---- */

static void run_tools(const char *text, size_t size)
{
    char *message = NULL;
    char *info = simtx_ptx_info(text, size, "fuzz", size >> 1 & 7, size & 1, &message);
    REQUIRE(info, "a module that loads has no table: %s", message);
    free(info);
    free(message);                           /* warnings */
    message = NULL;
    char *list = simtx_ptx_list(text, size, "fuzz", 7, &message);
    REQUIRE(list, "a module that loads has no listing: %s", message);
    free(list);
    free(message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { KERNELS = 4 };
    char *text = malloc(size + !size);       /* exact: a read past the end is seen */
    simtx_gpu *g = harness_gpu(0, NULL);
    simtx_module *m = NULL;
    REQUIRE(text && g, "no memory");
    if (size)
        memcpy(text, data, size);
    void *buffer = harness_buffer(g);
    simtx_status s = simtx_module_load(g, text, size, "fuzz", &m);
    REQUIRE(s == SIMTX_OK || (s == SIMTX_INVALID_PTX && strstr(simtx_last_message(g), "error")), "%d %s",
            (int)s, simtx_last_message(g));
    if (m) {
        run_tools(text, size);
        for (int i = 0; i < KERNELS && simtx_module_kernel_at(m, i); i++)
            harness_launch(g, simtx_module_kernel_at(m, i), (simtx_dim3){ 2, 1, 1 }, (simtx_dim3){ 40, 1, 1 },
                           buffer);
    }
    simtx_gpu_free(g);
    free(text);
    return 0;
}

/* ---- the mutator ---- */

static const char *const punctuation[] = {
    ".reg .b32 %x<4>;",
    ".param .b32 p",
    ".entry e(",
    ".func (.param .b32 r) f(",
    ".visible",
    ".extern",
    ".weak",
    ".common",
    ".version 7.5",
    ".target sm_70",
    ".address_size 64",
    ".align 16",
    ".maxntid 32, 1, 1",
    ".reqntid 40",
    ".minnctapersm 2",
    ".maxnreg 32",
    ".noreturn",
    ".pragma \"nounroll\";",
    ".loc 1 2 3",
    ".file 1 \"a.cu\"",
    ".section .debug_str { .b8 1 }",
    ".branchtargets L0, L1;",
    ".callprototype _ (.param .b64 _);",
    ".alias a, b;",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ";",
    ",",
    ":",
    "@",
    "!",
    "|",
    "=",
    "-",
    "+",
    "_",
    "%p0",
    "%r1",
    "%rd2",
    "%tid.x",
    "0x80000000",
    "4294967296",
    "0f7fc00000",
    "0d7ff0000000000001",
    "1<<31",
    "(1/0)",
    "generic(g)",
    "%%",
    "/*",
    "*/",
    "//",
    "\"",
    "\\",
    "L0:",
    "WARP_SZ",
};

static const char *choose_word(struct random *r, bool *modifier)
{
    *modifier = true;
    switch (random_below(r, 5)) {
    case 0: return ptx_type_name((enum ptx_type)(1 + random_below(r, T_COUNT - 1)));
    case 1: return ptx_modifier_name((uint8_t)(1 + random_below(r, PTX_MODIFIER_COUNT)));
    case 2: return ptx_space_name((enum ptx_space)(1 + random_below(r, SP_COUNT - 1)));
    case 3: *modifier = false; return ptx_ops[1 + random_below(r, OP_COUNT - 1)].text;
    default: *modifier = false; return punctuation[random_below(r, sizeof punctuation / sizeof *punctuation)];
    }
}

static size_t splice(uint8_t *data, size_t size, size_t max, size_t at, size_t cut, const char *with,
                     size_t n)
{
    if (size - cut + n > max)
        return size;
    memmove(data + at + n, data + at + cut, size - at - cut);
    memcpy(data + at, with, n);
    return size - cut + n;
}

static bool of_word(uint8_t c)
{
    return isalnum(c) || c == '_' || c == '%' || c == '$';
}

/* A whole word of the text gives way to another, or one is put in between. */
static size_t change_word(struct random *r, uint8_t *data, size_t size, size_t max)
{
    size_t from = random_below(r, (uint32_t)size + 1), to;
    bool modifier;
    const char *word = choose_word(r, &modifier);
    char text[64] = { modifier ? '.' : ' ' };
    while (from > 0 && of_word(data[from - 1]))
        from--;
    for (to = from; to < size && of_word(data[to]);)
        to++;
    strncat(text, word, sizeof text - 2);
    if (random_once(r, 2) && to > from && from > 0)
        return splice(data, size, max, from, to - from, text + 1, strlen(text + 1));
    return splice(data, size, max, to, 0, text, strlen(text));
}

static size_t line_start(const uint8_t *data, size_t size, size_t at)
{
    while (at > 0 && data[at - 1] != '\n')
        at--;
    return at < size ? at : size;
}

static size_t line_end(const uint8_t *data, size_t size, size_t at)
{
    while (at < size && data[at] != '\n')
        at++;
    return at < size ? at + 1 : size;
}

/* A line is taken out, repeated elsewhere, or a random instruction is put before it. */
static size_t change_line(struct random *r, uint8_t *data, size_t size, size_t max)
{
    char line[640];
    size_t from = line_start(data, size, random_below(r, (uint32_t)size + 1)),
           to = line_end(data, size, from);
    size_t other = line_start(data, size, random_below(r, (uint32_t)size + 1)), n = to - from;
    switch (random_below(r, 3)) {
    case 0: return splice(data, size, max, from, n, "", 0);
    case 1:
        n = n < sizeof line ? n : sizeof line;
        memcpy(line, data + from, n);
        return splice(data, size, max, other, 0, line, n);
    default:
        gen_instruction(r, random_below(r, 4), 4, line, sizeof line - 1);
        strcat(line, "\n");
        return splice(data, size, max, from, 0, line, strlen(line));
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    struct random r = random_from(seed);
    for (uint32_t changes = 1 + random_below(&r, 3); changes; changes--)
        switch (random_below(&r, 8)) {
        case 0:
        case 1: size = LLVMFuzzerMutate(data, size, max); break;
        case 2:
        case 3:
        case 4: size = change_word(&r, data, size, max); break;
        default: size = change_line(&r, data, size, max); break;
        }
    return size;
}
