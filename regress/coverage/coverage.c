/*
 * How much of the PTX that public programs use does simtx take? opcodes.txt lists the spellings (opcodes with
 * their modifiers and types, special registers, directives, external functions) and in how many programs each
 * occurs. For every line this makes a module that uses it, with operands by the rules of the PTX ISA chapter
 * of the instruction (kept apart from simtx's own table), loads it and runs it on one warp. A line marked
 * "refused:" must be refused when it is loaded; every other must run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/lib/simtx_texture.h"

enum { MAX_WORDS = 16, TEXT = 8192 };

struct spelling {
    char kind[16], text[96], refused[128];
    int nvcc, nvcc_alone, clang;
};

struct opcode {
    char copy[96];
    const char *word[MAX_WORDS], *type[4];
    int words, types, lanes;         /* lanes: 0 when there is no vector word */
    const char *space;
};

/*
 * Operands of an instruction, a letter each: d destination and a source of the first type, D one of twice its
 * width, b source of the last type, e 32-bit destination, u 32-bit source, x 64-bit source, p predicate
 * destination, q predicate source, m memory, v data of a load or store, i a number, 0 barrier zero, k a mask
 * of all lanes. `with`: only where this word is among the modifiers.
 */
static const struct { const char *mnemonic, *with, *operands; } operand_rules[] = {
    { "mul", "wide", "Daa" }, { "mad", "wide", "DaaD" }, { "shfl", "", "dauuk" },
    { "vote", "ballot", "eqk" }, { "vote", "", "pqk" }, { "match", "", "eak" },
    { "bar", "warp", "k" }, { "bar", "red", "p0q" },
    { "bar", "", "0" }, { "barrier", "", "0" }, { "atom", "cas", "dmaa" }, { "atom", "", "dma" },
    { "ld", "", "vm" }, { "st", "", "mv" }, { "prefetch", "", "m" },
    { "cvt", "", "db" }, { "set", "", "dbb" },
    { "cvta", "", "dx" }, { "setp", "", "paa" }, { "testp", "", "pa" }, { "selp", "", "daaq" },
    { "popc", "", "ea" }, { "clz", "", "ea" }, { "bfind", "", "ea" }, { "bfe", "", "dauu" },
    { "bfi", "", "daauu" }, { "bmsk", "", "dau" }, { "prmt", "", "daau" }, { "shf", "", "daau" },
    { "shl", "", "dau" }, { "shr", "", "dau" }, { "lop3", "", "daaai" }, { "activemask", "", "e" },
    { "nanosleep", "", "a" }, { "dp4a", "", "eaau" }, { "vabsdiff2", "", "eaau" },
    { "vabsdiff4", "", "eaau" }, { "vmax4", "", "eaau" }, { "mad", "", "daaa" },
    { "madc", "", "daaa" }, { "fma", "", "daaa" },
    { "membar", "", "" }, { "ret", "", "" }, { "exit", "", "" }, { "trap", "", "" },
};
static const char *const two_operands[] = {
    "mov", "neg", "abs", "not", "rcp", "sqrt", "rsqrt", "sin", "cos", "ex2", "lg2", "tanh", "brev",
};

static int type_bits(const char *t)
{
    if (!strcmp(t, "pred"))
        return 1;
    if (!strcmp(t, "f16x2"))
        return 32;
    int bits = strchr("busf", t[0]) && t[0] ? atoi(t + 1) : 0;
    return bits == 8 || bits == 16 || bits == 32 || bits == 64 ? bits : 0;
}

static void split(const char *text, struct opcode *o)
{
    *o = (struct opcode){ .space = "" };
    snprintf(o->copy, sizeof o->copy, "%s", text);
    for (char *w = strtok(o->copy, "."); w && o->words < MAX_WORDS; w = strtok(NULL, ".")) {
        o->word[o->words++] = w;
        if (o->words > 1 && type_bits(w) && o->types < 4)
            o->type[o->types++] = w;
        if (!strcmp(w, "v2") || !strcmp(w, "v4"))
            o->lanes = w[1] - '0';
        for (const char *s = "global\0shared\0local\0const\0param\0"; *s; s += strlen(s) + 1)
            if (!strcmp(w, s))
                o->space = s;
    }
}

static bool has_word(const struct opcode *o, const char *w)
{
    for (int i = 1; i < o->words; i++)
        if (!strcmp(o->word[i], w))
            return true;
    return false;
}

static const char *operands_of(const struct opcode *o)
{
    for (size_t i = 0; i < sizeof operand_rules / sizeof *operand_rules; i++)
        if (!strcmp(operand_rules[i].mnemonic, o->word[0]) &&
            (!*operand_rules[i].with || has_word(o, operand_rules[i].with)))
            return operand_rules[i].operands;
    for (size_t i = 0; i < sizeof two_operands / sizeof *two_operands; i++)
        if (!strcmp(two_operands[i], o->word[0]))
            return "da";
    return "daa";
}

/* Register n of the file that holds values of a type. */
static void put_register(char *out, const char *type, int bits, int n)
{
    const char *file = bits == 1 ? "p" : bits <= 16 ? "h" : bits == 64 ? "rd" : "r";
    if (type[0] == 'f' && strcmp(type, "f16x2") && bits >= 32)
        file = bits == 64 ? "fd" : "f";
    sprintf(out, "%%%s%d", file, n);
}

static void put_memory(char *out, const struct opcode *o)
{
    if (!*o->space || !strcmp(o->space, "param"))
        strcpy(out, *o->space ? "[p0]" : "[%rd9]");
    else
        sprintf(out, "[in_%s]", o->space);
}

static void put_data(char *out, const struct opcode *o)
{
    int bits = type_bits(o->type[0]);
    if (!o->lanes) {
        put_register(out, o->type[0], bits, 2);
        return;
    }
    out += sprintf(out, "{");
    for (int i = 0; i < o->lanes; i++) {
        put_register(out, o->type[0], bits, 2 + i);
        out += strlen(out);
        out += sprintf(out, i + 1 < o->lanes ? ", " : "}");
    }
}

static void put_operand(char *out, const struct opcode *o, char letter, int position)
{
    const char *first = o->types ? o->type[0] : "b32", *last = o->types ? o->type[o->types - 1] : "b32";
    switch (letter) {
    case 'd': put_register(out, first, type_bits(first), 1); break;
    case 'D': put_register(out, "b64", 2 * type_bits(first), position ? 8 : 1); break;
    case 'a': put_register(out, first, type_bits(first), 1 + position); break;
    case 'b': put_register(out, last, type_bits(last), 1 + position); break;
    case 'e': strcpy(out, "%r1"); break;
    case 'u': sprintf(out, "%%r%d", 1 + position); break;
    case 'x': strcpy(out, !has_word(o, "to") || !strcmp(o->space, "global") ? "%rd9" : "%rd8"); break;
    case 'p': strcpy(out, "%p1"); break;
    case 'q': strcpy(out, "%p2"); break;
    case 'm': put_memory(out, o); break;
    case 'v': put_data(out, o); break;
    case 'i': strcpy(out, "150"); break;
    case '0': strcpy(out, "0"); break;
    default: strcpy(out, "-1"); break;
    }
}

static const char call[] = "{ .param .b32 a0; .param .b32 r0; st.param.b32 [a0], %r2;\n"
                           "call.uni (r0), f, (a0); ld.param.b32 %r1, [r0]; }";

/* Instructions whose operands follow no pattern. */
static bool unusual_instruction(const char *text, char *out)
{
    static const char r8[] = "{%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}";
    static const char f8[] = "{%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}";
    if (!strcmp(text, "@predicated"))
        strcpy(out, "@%p2 add.s32 %r1, %r2, %r3; @!%p2 bra DONE;");
    else if (!strncmp(text, "bra", 3))
        sprintf(out, "%s DONE;", text);
    else if (!strcmp(text, "call.uni"))
        strcpy(out, call);
    else if (!strncmp(text, "st.param", 8)) {
        struct opcode o;
        char data[128];
        split(text, &o);
        put_data(data, &o);
        sprintf(out, "{ .param .align 16 .b8 a0[16]; %s [a0], %s;\ncall.uni g, (a0); }", text, data);
    } else if (!strncmp(text, "tex.1d", 6))
        sprintf(out, "%s {%%f1, %%f2, %%f3, %%f4}, [image, {%%r2}];", text);
    else if (!strncmp(text, "tex.2d", 6))
        sprintf(out, "%s {%%f1, %%f2, %%f3, %%f4}, [image, {%%f2, %%f3}];", text);
    else if (!strncmp(text, "wmma.load", 9))
        sprintf(out, "%s %s, [%%rd9], 16;", text, strstr(text, ".c.") ? f8 : r8);
    else if (!strncmp(text, "wmma.store", 10))
        sprintf(out, "%s [%%rd9], %s, 16;", text, f8);
    else if (!strncmp(text, "wmma.mma", 8))
        sprintf(out, "%s %s, %s, %s, %s;", text, f8, r8, r8, f8);
    else
        return false;
    return true;
}

static void make_instruction(const char *text, char *out)
{
    struct opcode o;
    if (unusual_instruction(text, out))
        return;
    split(text, &o);
    const char *operands = operands_of(&o);
    out += sprintf(out, "%s", text);
    for (int i = 0; operands[i]; i++) {
        out += sprintf(out, i ? ", " : " ");
        put_operand(out, &o, operands[i], i);
        out += strlen(out);
    }
    strcpy(out, ";");
}

/* A kernel around some text: module scope, directives of the kernel, body. */
static void make_module(char *out, const char *outside, const char *header, const char *body)
{
    snprintf(out, TEXT,
             ".version 7.5\n.target sm_75\n.address_size 64\n%s\n"
             ".global .align 16 .b8 in_global[1024];\n.const .align 16 .b8 in_const[64] = {1, 2, 3};\n"
             ".global .texref image;\n"
             ".visible .func (.param .b32 r) f(.param .b32 a)\n"
             "{ .reg .b32 %%x<3>; ld.param.b32 %%x1, [a]; add.s32 %%x2, %%x1, 1;\n"
             "st.param.b32 [r], %%x2; ret; }\n"
             ".visible .func g(.param .align 16 .b8 a[16]) { ret; }\n"
             ".visible .entry k(.param .u64 out, .param .align 16 .b8 p0[32])\n%s\n{\n"
             ".shared .align 16 .b8 in_shared[64];\n.local .align 16 .b8 in_local[64];\n"
             ".reg .pred %%p<9>; .reg .b16 %%h<9>; .reg .b32 %%r<10>; .reg .b64 %%rd<12>;\n"
             ".reg .f32 %%f<9>; .reg .f64 %%fd<9>;\n"
             "mov.u32 %%r2, 5; mov.u32 %%r3, 3; mov.u32 %%r4, 2; mov.u32 %%r5, 1;\n"
             "mov.u16 %%h2, 5; mov.u16 %%h3, 3; mov.u16 %%h4, 2; mov.u16 %%h5, 1;\n"
             "mov.u64 %%rd2, 5; mov.u64 %%rd3, 3; mov.u64 %%rd4, 2; mov.u64 %%rd5, 1;\n"
             "mov.f32 %%f2, 0f40A00000; mov.f32 %%f3, 0f40400000; mov.f32 %%f4, 0f40000000;\n"
             "mov.f64 %%fd2, 0d4014000000000000; mov.f64 %%fd3, 0d4008000000000000;\n"
             "setp.lt.s32 %%p2, %%r2, %%r3; setp.lt.s32 %%p3, %%r3, %%r2; mov.u64 %%rd9, in_global;\n"
             "cvta.global.u64 %%rd9, %%rd9; mov.u64 %%rd8, in_local; cvta.local.u64 %%rd8, %%rd8;\n"
             "ld.param.u64 %%rd10, [out];\n"
             "%s\nDONE:\n ret;\n}\n",
             outside, header, body);
}

/* Where a directive stands. (A type declares registers, a variable and a parameter: make_directive.) */
static const struct { const char *name, *outside, *header, *body; } directive_rules[] = {
    { ".address_size", "", "", "" },
    { ".entry", ".entry other() { ret; }", "", "" },
    { ".target", "", "", "" },
    { ".version", "", "", "" },
    { ".reg", "", "", ".reg .b32 %more<4>; mov.b32 %more3, 1;" },
    { ".param", ".visible .entry other(.param .f32 a, .param .align 4 .b8 b[12]) { ret; }", "", "" },
    { ".visible", ".visible .global .u32 seen;", "", "" },
    { ".align", ".global .align 128 .b8 far[256];", "", "" },
    { ".shared", ".shared .align 8 .b8 pad[80];", "", "" },
    { ".pragma", "", "", ".pragma \"nounroll\";" },
    { ".global", ".global .f32 table[4] = {0f3F800000, 2.0};", "", "" },
    { ".local", "", "", ".local .align 8 .b8 __local_depot0[24];" },
    { ".extern", ".extern .shared .align 16 .b8 dynamic[];", "", "mov.u64 %rd1, dynamic;" },
    { ".func", ".func (.param .b64 r) pass(.param .b64 a) { st.param.b64 [r], 1; ret; }", "", "" },
    { ".maxntid", "", ".maxntid 256, 1, 1", "" },
    { ".minnctapersm", "", ".maxntid 256, 1, 1 .minnctapersm 2", "" },
    { ".const", ".const .align 4 .b8 small[12] = {1, 2, 3};", "", "" },
    { ".attribute", ".visible .global .attribute(.managed) .align 4 .u32 both;", "", "" },
    { ".managed", ".visible .global .attribute(.managed) .align 4 .u32 both;", "", "" },
    { ".weak", ".weak .func maybe() { ret; }", "", "" },
    { ".texref", ".global .texref picture;", "", "" },
};

static bool make_directive(const char *name, char *out)
{
    char outside[256] = "", body[256];
    for (size_t i = 0; i < sizeof directive_rules / sizeof *directive_rules; i++)
        if (!strcmp(directive_rules[i].name, name)) {
            make_module(out, directive_rules[i].outside, directive_rules[i].header, directive_rules[i].body);
            return true;
        }
    if (!type_bits(name + 1))
        return false;
    if (strcmp(name, ".pred"))
        snprintf(outside, sizeof outside, ".global .align 8 %s typed[4];\n.func h(.param %s a) { ret; }",
                 name, name);
    /* Registers of one byte exist, but only loads, stores and conversions take them. */
    snprintf(body, sizeof body, ".reg %s %%typed<3>;", name);
    make_module(out, outside, "", body);
    return true;
}

static void make_register(const char *name, char *out)
{
    char body[128];
    bool wide = strstr(name, "64") != NULL;
    snprintf(body, sizeof body, "mov.u%d %%r%s1, %s;", wide ? 64 : 32, wide ? "d" : "", name);
    make_module(out, "", "", body);
}

/* The device runtime's functions have their own signatures. Any other is a call into another module. */
static const struct { const char *name, *declaration, *body; } runtime_rules[] = {
    { "vprintf", ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
      ".const .b8 text[4] = {72, 10, 0};",
      "{ .param .b64 a; .param .b64 b; .param .b32 r; mov.u64 %rd1, text; cvta.const.u64 %rd1, %rd1;"
      "st.param.b64 [a], %rd1; st.param.b64 [b], %rd8; call.uni (r), vprintf, (a, b);"
      "ld.param.b32 %r1, [r]; }" },
    { "__assertfail", ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c,\n"
      ".param .b64 d, .param .b64 e);\n.const .b8 text[4] = {97, 0};",
      "{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e; mov.u64 %rd1, text;"
      "cvta.const.u64 %rd1, %rd1; st.param.b64 [a], %rd1; st.param.b64 [b], %rd1; st.param.b32 [c], 7;"
      "st.param.b64 [d], %rd1; st.param.b64 [e], 1; call.uni __assertfail, (a, b, c, d, e); }" },
    { "malloc", ".extern .func (.param .b64 r) malloc(.param .b64 a);",
      "{ .param .b64 a; .param .b64 r; st.param.b64 [a], 64; call.uni (r), malloc, (a);"
      "ld.param.b64 %rd1, [r];"
      "st.u32 [%rd1], %r2; }" },
    { "free", ".extern .func free(.param .b64 a);",
      "{ .param .b64 a; st.param.b64 [a], 0; call.uni free, (a); }" },
};

static bool make_extern(const char *name, char *out, char *second)
{
    char outside[512], body[512];
    for (size_t i = 0; i < sizeof runtime_rules / sizeof *runtime_rules; i++)
        if (!strcmp(runtime_rules[i].name, name)) {
            make_module(out, runtime_rules[i].declaration, "", runtime_rules[i].body);
            return false;
        }
    snprintf(outside, sizeof outside, ".extern .func (.param .b32 r) %s(.param .b32 a);", name);
    snprintf(body, sizeof body,
             "{ .param .b32 a; .param .b32 r; st.param.b32 [a], %%r2; call.uni (r), %s, (a);\n"
             "ld.param.b32 %%r1, [r]; st.global.u32 [%%rd10], %%r1; }", name);
    make_module(out, outside, "", body);
    snprintf(second, TEXT,
             ".version 7.5\n.target sm_75\n.address_size 64\n"
             ".visible .func (.param .b32 r) %s(.param .b32 a)\n"
             "{ .reg .b32 %%x<3>; ld.param.b32 %%x1, [a]; mul.lo.s32 %%x2, %%x1, 7;\n"
             "st.param.b32 [r], %%x2; ret; }\n",
             name);
    return true;
}

static void no_output(void *ctx, const char *text, size_t len)
{
}

/* Binds the texture reference of the text to 16 floats of this memory. */
static void bind_image(simtx_gpu *gpu, simtx_module *module, const char *text, void *memory)
{
    simtx_resource r = { .kind = strstr(text, "tex.2d") ? SIMTX_RESOURCE_PITCH2D : SIMTX_RESOURCE_LINEAR,
                         .pointer = memory, .texel = { SIMTX_CHANNEL_FLOAT, 32, 1 }, .width = 8, .height = 2,
                         .pitch = 32 };
    simtx_sampler s = { .linear = false };
    uint64_t handle;
    void *image = simtx_module_texref(module, "image", false);
    if (image && simtx_texture_new(gpu, &r, &s, &handle) == SIMTX_OK)
        simtx_texref_bind(gpu, image, handle);
}

/* Loads the texts as one module and runs its kernel: NULL when all is well, otherwise what went wrong. */
static const char *load_and_run(simtx_gpu *gpu, const char *const *texts, int n, void *out,
                                simtx_fault_kind wanted)
{
    const char *const names[] = { "coverage.ptx", "second.ptx" };
    const size_t lengths[] = { strlen(texts[0]), n > 1 ? strlen(texts[1]) : 0 };
    unsigned char params[48] = { 0 };
    simtx_module *module = NULL;
    simtx_fault fault = { .kind = SIMTX_FAULT_NONE };
    const char *why = NULL;
    if (simtx_module_load_many(gpu, texts, lengths, names, n, &module) != SIMTX_OK)
        return simtx_last_message(gpu);
    memcpy(params, &out, sizeof out);
    bind_image(gpu, module, texts[0], out);
    simtx_kernel *kernel = simtx_module_kernel(module, "k");
    simtx_launch_params launch = { .grid = { 1, 1, 1 }, .block = { 32, 1, 1 }, .arg_buffer = params,
                                   .arg_buffer_bytes = sizeof params };
    simtx_status status = simtx_launch(kernel, &launch, NULL, &fault);
    if (fault.kind != wanted || (status != SIMTX_OK) != (wanted != SIMTX_FAULT_NONE))
        why = status == SIMTX_OK ? "no fault" : simtx_last_message(gpu);
    simtx_module_unload(module);
    return why;
}

static const char *try_spelling(simtx_gpu *gpu, const struct spelling *s, unsigned *out)
{
    static char text[TEXT], second[TEXT];
    const char *const texts[] = { text, second };
    char instruction[512];
    simtx_fault_kind wanted = SIMTX_FAULT_NONE;
    bool linked = false;
    if (!strcmp(s->kind, "op")) {
        make_instruction(s->text, instruction);
        make_module(text, "", "", instruction);
        wanted = strcmp(s->text, "trap") ? SIMTX_FAULT_NONE : SIMTX_FAULT_TRAP;
    } else if (!strcmp(s->kind, "sreg")) {
        make_register(s->text, text);
    } else if (!strcmp(s->kind, "directive")) {
        if (!make_directive(s->text, text))
            return "no rule for this directive";
    } else if (!strcmp(s->kind, "extern")) {
        linked = make_extern(s->text, text, second);
        wanted = strcmp(s->text, "__assertfail") ? SIMTX_FAULT_NONE : SIMTX_FAULT_ASSERT;
    } else {
        return "no such kind";
    }
    *out = 0;
    const char *why = load_and_run(gpu, texts, linked ? 2 : 1, out, wanted);
    return why ? why : linked && *out != 35 ? "the function of the other module was not called" : NULL;
}

struct figures {
    const char *kind, *title;
    int total, covered;
    long uses, covered_uses;             /* the same, each spelling as often as programs have it */
    int nvcc, clang;                     /* programs behind the most used uncovered spelling */
};

static void print_figures(const struct figures *f, int n)
{
    printf("%-20s %9s %9s %9s %9s   %s\n", "", "covered", "of", "percent", "weighted",
           "programs behind the most used uncovered one: nvcc, clang");
    for (int i = 0; i < n; i++)
        printf("%-20s %9d %9d %9.1f %9.2f   %d, %d\n", f[i].title, f[i].covered, f[i].total,
               f[i].total ? 100.0 * f[i].covered / f[i].total : 0.0,
               f[i].uses ? 100.0 * (double)f[i].covered_uses / (double)f[i].uses : 0.0,
               f[i].nvcc, f[i].clang);
}

/* Counts one line of the list; true when it does what the list says. */
static bool count_spelling(simtx_gpu *gpu, const struct spelling *s, struct figures *f, unsigned *out)
{
    const char *why = try_spelling(gpu, s, out);
    bool listed = *s->refused;
    bool refused = why && strstr(why, "coverage.ptx:") && strstr(why, ": error: ");
    f->total++;
    f->covered += !why;
    f->uses += s->nvcc + s->clang;
    f->covered_uses += why ? 0 : s->nvcc + s->clang;
    if (!why && listed)
        printf("FAILED: accepted, though listed as refused: %s\n", s->text);
    if (why) {
        f->nvcc = s->nvcc > f->nvcc ? s->nvcc : f->nvcc;
        f->clang = s->clang > f->clang ? s->clang : f->clang;
        if (listed && refused)
            printf("refused as listed: %-52s %d nvcc, %d clang programs (%s)\n", s->text, s->nvcc, s->clang,
                   s->refused);
        else
            printf("FAILED: %s (%d nvcc, %d clang programs)\n%s\n", s->text, s->nvcc, s->clang, why);
    }
    return listed ? refused : !why;
}

int main(int argc, char **argv)
{
    struct figures figures[] = {
        { .kind = "op", .title = "opcode spellings" },
        { .kind = "sreg", .title = "special registers" },
        { .kind = "directive", .title = "directives" },
        { .kind = "extern", .title = "external functions" },
    };
    enum { KINDS = sizeof figures / sizeof *figures };
    FILE *list = argc == 2 ? fopen(argv[1], "r") : NULL;
    char line[512], *message = NULL;
    int passed = 0, failed = 0;
    void *out = NULL;
    simtx_config *config = simtx_config_new();
    simtx_gpu *gpu = config ? simtx_gpu_new(config, 0, &message) : NULL;
    if (!list || !gpu || simtx_malloc(gpu, 256, SIMTX_MEM_DEVICE, &out) != SIMTX_OK) {
        fprintf(stderr, "coverage: usage: coverage opcodes.txt (%s)\n",
                message ? message : "the list cannot be read");
        return 2;
    }
    simtx_set_printf(gpu, no_output, NULL);
    while (fgets(line, sizeof line, list)) {
        struct spelling s = { .refused = "" };
        if (line[0] == '#')
            continue;
        if (sscanf(line, "%15s %95s %d %d %d refused: %127[^\n]", s.kind, s.text, &s.nvcc, &s.nvcc_alone,
                   &s.clang, s.refused) < 5) {
            printf("FAILED: not a line of the list: %s", line);
            failed++;
            continue;
        }
        int kind = 0;
        while (kind < KINDS - 1 && strcmp(figures[kind].kind, s.kind))
            kind++;
        if (count_spelling(gpu, &s, &figures[kind], out))
            passed++;
        else
            failed++;
    }
    fclose(list);
    print_figures(figures, KINDS);
    simtx_gpu_free(gpu);
    simtx_config_free(config);
    printf("coverage: %d passed, %d failed\n", passed, failed);
    return failed || !passed;
}
