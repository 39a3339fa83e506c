/* The options of simtx-cc: one table row for each nvcc option that needs translation, with its translation.
 * Options that are not in the table are passed to clang unchanged. */
#include "cc.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

static const char help[] =
    "simtx-cc: compiles CUDA C++ for the simtx simulator with clang; the same program is installed as nvcc\n"
    "usage: simtx-cc [options] FILE.cu [FILE.cpp FILE.c FILE.o ...]\n"
    "\n"
    "  -o FILE            output; without -c, -ptx or -E a linked program (a.out)\n"
    "  -c                 compile to objects          -ptx    compile device code to PTX text\n"
    "  -E                 preprocess                  -M -MM -MD -MMD -MF -MP -MT   dependencies\n"
    "  -dc, -rdc=true     device code that refers to other files     -dlink  its link step alone     -lib  an archive\n"
    "  -arch=sm_NN, -gencode arch=compute_NN,code=...\n"
    "                     device architecture, sm_35 to sm_86 (default sm_70); of several, the highest\n"
    "  -O0 ... -O3        optimisation of host and device code (default -O2)\n"
    "  -g, -lineinfo      source lines in the device code; simtx then names CUDA lines in its reports\n"
    "  -G                 device code without optimisation, with debug information\n"
    "  -use_fast_math     approximate device functions, division and square root, denormals to zero\n"
    "  -ftz=, -prec-div=, -prec-sqrt=, -fmad=true|false\n"
    "  -std=c++NN  -D -U -I -L -l -isystem -include  -w  -W...\n"
    "  -Xcompiler LIST, -Xlinker LIST, -Xptxas LIST   comma-separated options for one step\n"
    "  -x cu              treat the following files as CUDA\n"
    "  --options-file F, @F   read options from a file        -run    run the program at the end\n"
    "  -v, --dryrun       show the commands; --dryrun runs nothing   --keep   keep intermediate files\n"
    "  --version, --help\n"
    "nvcc options without effect here (--expt-*, --extended-lambda, -ccbin, -maxrregcount ...) are "
    "accepted.\n"
    "clang's own options are passed on.  SIMTX_CLANG names the clang++ to use; without it simtx-cc uses the\n"
    "newest installed version from 19 to 14.\n";

/* In the form of nvcc's, which build systems read. */
static const char version[] =
    "nvcc: NVIDIA (R) Cuda compiler driver: simtx-cc of the simtx GPU simulator in its place, with clang\n"
    "Cuda compilation tools, release 11.5, V11.5.0\n"
    "Build simtx_11.5.r11.5\n";

enum action {
    A_IGNORE, /* without effect here */
    A_NOTE,   /* the same, with a note: text */
    A_REFUSE, /* error; text names the alternative */
    A_CLANG,  /* pass text and the value to clang */
    A_LINK,   /* the same, to the link step */
    A_DEPS,   /* the same, to compilations that produce objects */
    A_OUTPUT,
    A_MODE_OBJECT,
    A_MODE_PTX,
    A_MODE_FATBIN,
    A_MODE_HOST,
    A_MODE_DLINK,
    A_MODE_LIB,
    A_RUN,
    A_RUN_ARGS,
    A_OUTPUT_DIR,
    A_VERBOSE,
    A_MACRO, /* define text for CUDA sources */
    A_DEFAULT_STREAM,
    A_CODE,
    A_PREPROCESS,
    A_ARCH,    /* sm_NN, compute_NN, native, all */
    A_GENCODE, /* arch=compute_NN,code=... */
    A_STD,
    A_OPTIMIZE,
    A_LANGUAGE,
    A_XCOMPILER,
    A_XLINKER,
    A_XPTXAS,
    A_INCLUDE_DIR,
    A_LIB_DIR,
    A_LIB,
    A_FAST_MATH,
    A_FTZ,
    A_PREC_DIV,
    A_PREC_SQRT,
    A_FMAD,
    A_DEVICE_DEBUG,
    A_RDC,
    A_RDC_OBJECT,
    A_CUDART,
    A_MACHINE,
    A_DRYRUN,
    A_WERROR
};

enum value {
    V_NONE,
    V_NEEDED, /* -o X and -o=X */
    V_JOINED, /* -IX and -I X */
    V_EQUALS  /* only --name=X */
};

struct option {
    const char *name;
    enum value value;
    enum action action;
    const char *text;
};

static const char no_binary[] =
    "simtx has no machine code; use -ptx for the device code as text, or -c for an object";

static const struct option options[] = {
#include "frontend/cc/options.def"
};

/* "true", "false" */
static bool truth(const char *name, const char *v)
{
    if (!strcmp(v, "true"))
        return true;
    if (strcmp(v, "false"))
        cc_fail("%s takes true or false, not '%s'", name, v);
    return false;
}

/* The output that an option selects. */
static const enum cc_mode modes[] = {
    [A_MODE_OBJECT] = MODE_OBJECT, [A_MODE_PTX] = MODE_PTX,           [A_MODE_FATBIN] = MODE_FATBIN,
    [A_MODE_DLINK] = MODE_DLINK,   [A_MODE_LIB] = MODE_LIB,           [A_RDC_OBJECT] = MODE_OBJECT,
    [A_PREPROCESS] = MODE_PREPROCESS, [A_MODE_HOST] = MODE_HOST,
};

/* Device options for =true and =false, after the option `before`. */
struct float_options { const char *before, *yes, *no; };

static const struct float_options float_options[] = {
    [A_FTZ] = {NULL, "-fcuda-flush-denormals-to-zero", "-fno-cuda-flush-denormals-to-zero"},
    [A_PREC_DIV] = {"-mllvm", "-nvptx-prec-divf32=2", "-nvptx-prec-divf32=1"},
    [A_PREC_SQRT] = {"-mllvm", "-nvptx-prec-sqrtf32=1", "-nvptx-prec-sqrtf32=0"},
    [A_FMAD] = {NULL, "-ffp-contract=fast", "-ffp-contract=off"},
};

static void add_float_option(struct cc *cc, const struct float_options *f, bool yes)
{
    if (f->before)
        words_add(&cc->device_opts, f->before);
    words_add(&cc->device_opts, yes ? f->yes : f->no);
}

/* Records the highest architecture named; "native", "all" and "all-major" leave the choice to simtx. */
static void see_arch(struct cc *cc, const char *opt, const char *v)
{
    const char *num = !strncmp(v, "sm_", 3) ? v + 3 : !strncmp(v, "compute_", 8) ? v + 8 : NULL;
    if (!num) {
        if (!strncmp(v, "lto_", 4))
            num = v + 4;
        else if (strcmp(v, "native") && strcmp(v, "all") && strcmp(v, "all-major"))
            cc_fail("%s: '%s' is not an architecture; write sm_NN, compute_NN or native", opt, v);
        else
            return;
    }
    char *end;
    long n = strtol(num, &end, 10);
    if (end == num || (*end && strcmp(end, "a") && strcmp(end, "f")) || n < 10 || n > 999)
        cc_fail("%s: '%s' is not an architecture; write for example sm_70", opt, v);
    if (n > CC_HIGHEST_ARCH) {
        cc->above_arch = (int)n;
        cc->above_letter = *end == 'a' ? "a" : "";
    } else if (n < CC_LOWEST_ARCH) {
        cc->below_arch = (int)n;
    } else if (n > cc->asked_arch) {
        cc->asked_arch = (int)n;
    }
}

/* The architectures of code=: sm_70   [sm_70,compute_70]   \"sm_70,compute_70\".  simtx runs PTX, so they are only
 * checked: arch= decides. */
static void check_code(struct cc *cc, const char *opt, const char *v)
{
    struct cc seen = {.tree = cc->tree};
    static const char marks[] = "[]\"\\, ";
    while (*(v += strspn(v, marks))) {
        char word[32];
        size_t n = strcspn(v, marks);
        snprintf(word, sizeof word, "%.*s", n > 30 ? 30 : (int)n, v);
        see_arch(&seen, opt, word);
        v += n;
    }
}

/* arch=compute_70,code=sm_70   arch=compute_70,code=[sm_70,compute_70] */
static void see_gencode(struct cc *cc, const char *v)
{
    const char *a = strstr(v, "arch="), *code = strstr(v, "code=");
    if (!a || !code)
        cc_fail("-gencode takes arch=compute_NN,code=sm_NN, not '%s'", v);
    char word[32];
    size_t n = strcspn(a + 5, ",");
    snprintf(word, sizeof word, "%.*s", n > 30 ? 30 : (int)n, a + 5);
    see_arch(cc, "-gencode", word);
    check_code(cc, "-gencode", code + 5);
}

static void see_cudart(struct cc *cc, const char *v)
{
    if (!strcmp(v, "none"))
        cc->no_cudart = true;
    else if (!strcmp(v, "static"))
        cc_note("-cudart=static: the runtime library is always linked dynamically");
    else if (strcmp(v, "shared"))
        cc_fail("-cudart takes none, shared or static, not '%s'", v);
}

/* True for a folder that contains another CUDA: using it would mix two runtimes. */
static bool other_cuda(const struct cc *cc, const char *dir, const char *probe)
{
    char path[PATH_MAX], real[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", dir, probe) >= (int)sizeof path || access(path, F_OK) ||
        !realpath(path, real))
        return false;
    return !cc->tree || strncmp(real, cc->tree, strlen(cc->tree));
}

static void add_dir(const struct cc *cc, struct words *l, const char *opt, const char *dir, const char *probe)
{
    if (other_cuda(cc, dir, probe)) {
        cc_note("%s %s: ignored, since this folder contains another CUDA (%s)", opt, dir, probe);
        return;
    }
    words_add(l, opt);
    words_add(l, dir);
}

static void add_lib(struct cc *cc, const char *name)
{
    static const char *const own[] = {"cudart", "cudart_static", "cudadevrt"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!strcmp(name, own[i]))
            return;
    words_format(&cc->link_opts, "-l%s", name);
}

/* The pieces of "a,b,c" or "a b c", each after `before` (NULL: alone). */
static void add_pieces(struct words *l, const char *before, const char *v)
{
    while (*v) {
        size_t n = strcspn(v, ", ");
        if (n) {
            if (before)
                words_add(l, before);
            words_format(l, "%.*s", (int)n, v);
        }
        v += n + (v[n] != 0);
    }
}

/* Host machine options (-m...) must not reach the device compilation. */
static void add_host_option(struct cc *cc, const char *piece)
{
    if (!strcmp(piece, "-m32"))
        cc_fail("-Xcompiler -m32: 32-bit programs are not supported");
    if (!strcmp(piece, "-m64"))
        return;
    if (!strncmp(piece, "-m", 2)) {
        words_add(&cc->opts, "-Xarch_host");
        words_add(&cc->opts, piece);
    } else if (!strncmp(piece, "-O", 2)) {
        if (!cc->opt_level)
            cc->opt_level = piece[2] ? piece + 2 : "1";
    } else if (!strncmp(piece, "-std=", 5)) {
        if (!cc->std)
            cc->std = piece + 5;
    } else {
        words_add(&cc->opts, piece);
    }
}

static void add_host_options(struct cc *cc, const char *v)
{
    if (!strncmp(v, "-Wl,", 4)) {
        words_add(&cc->link_opts, v);
        return;
    }
    size_t first = cc->host_pieces.n;
    add_pieces(&cc->host_pieces, NULL, v);
    for (size_t i = first; i < cc->host_pieces.n; i++)
        add_host_option(cc, cc->host_pieces.at[i]);
}

static void set_mode(struct cc *cc, enum cc_mode mode, const char *opt)
{
    if (cc->mode != MODE_LINK && cc->mode != mode)
        cc_fail("%s and another option that selects the output contradict each other", opt);
    cc->mode = mode;
}

static enum input_kind language(const char *v)
{
    if (!strcmp(v, "cu") || !strcmp(v, "cuda"))
        return IN_CUDA;
    if (!strcmp(v, "c++"))
        return IN_CXX;
    if (!strcmp(v, "c"))
        return IN_C;
    cc_fail("-x takes cu, c++ or c, not '%s'", v);
}

static void default_stream(struct cc *cc, const char *v)
{
    if (!strcmp(v, "per-thread"))
        words_add(&cc->macros, "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
    else if (strcmp(v, "legacy") && strcmp(v, "null"))
        cc_fail("-default-stream takes legacy, null or per-thread, not '%s'", v);
}

static void fast_math(struct cc *cc)
{
    words_add(&cc->device_opts, "-fcuda-approx-transcendentals");
    words_add(&cc->device_opts, "-fcuda-flush-denormals-to-zero");
    words_add(&cc->device_opts, "-mllvm");
    words_add(&cc->device_opts, "-nvptx-prec-divf32=0");
    words_add(&cc->device_opts, "-mllvm");
    words_add(&cc->device_opts, "-nvptx-prec-sqrtf32=0");
}

static bool nvcc_werror_kind(const char *v)
{
    static const char *const kinds[] = {
        "all-warnings",           "cross-execution-space-call", "reorder",
        "default-stream-launch",  "missing-launch-bounds",      "ext-lambda-captures-this",
        "deprecated-declarations"};
    size_t n = strcspn(v, ",");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strlen(kinds[i]) == n && !strncmp(v, kinds[i], n))
            return true;
    return false;
}

/* A text that ends with = and its value are one word. */
static void pass_on(const struct option *o, struct words *to, const char *v)
{
    if (o->value != V_NONE && o->text[strlen(o->text) - 1] == '=') {
        words_format(to, "%s%s", o->text, v);
        return;
    }
    words_add(to, o->text);
    if (o->value != V_NONE)
        words_add(to, v);
}

static void set_optimisation(struct cc *cc, const char *v)
{
    cc->opt_level = *v ? v : "1";
    if (isdigit((unsigned char)*v) && atoi(v) > 3)
        cc->opt_level = "3";
}

static void check_machine(const char *name, const char *v)
{
    if (strcmp(v, "64"))
        cc_fail("only 64-bit programs are supported, not %s %s", name, v);
}

static void see_werror(struct cc *cc, const char *kinds)
{
    if (!strncmp(kinds, "all-warnings", 12) || !*kinds)
        words_add(&cc->opts, "-Werror");
}

/* Performs the row's action, after set_mode for rows that select the output. */
static void apply(struct cc *cc, const struct option *o, const char *v)
{
    switch (o->action) {
    case A_IGNORE:
    case A_LANGUAGE:
    case A_MODE_OBJECT:
    case A_MODE_PTX:
    case A_MODE_FATBIN:
    case A_MODE_HOST:
    case A_MODE_DLINK:
    case A_MODE_LIB: break;
    case A_NOTE: cc_note("%s %s %s", o->name, v, o->text); break;
    case A_REFUSE: cc_fail("%s: %s", o->name, o->text);
    case A_CLANG: pass_on(o, &cc->opts, v); break;
    case A_DEPS: pass_on(o, &cc->deps, v); break;
    case A_LINK: pass_on(o, &cc->link_opts, v); break;
    case A_OUTPUT: cc->output = v; break;
    case A_RUN: cc->run = true; break;
    case A_RUN_ARGS: add_pieces(&cc->run_args, NULL, v); break;
    case A_OUTPUT_DIR: cc->output_dir = v; break;
    case A_VERBOSE: cc->verbose = true; break;
    case A_MACRO: words_format(&cc->macros, "-D%s=1", o->text); break;
    case A_DEFAULT_STREAM: default_stream(cc, v); break;
    case A_CODE: check_code(cc, o->name, v); break;
    case A_PREPROCESS: cc->preprocess = o->text; break;
    case A_ARCH: see_arch(cc, o->name, v); break;
    case A_GENCODE: see_gencode(cc, v); break;
    case A_STD: cc->std = v; break;
    case A_OPTIMIZE: set_optimisation(cc, v); break;
    case A_XCOMPILER: add_host_options(cc, v); break;
    case A_XLINKER: add_pieces(&cc->link_opts, "-Xlinker", v); break;
    case A_XPTXAS: add_pieces(&cc->device_opts, "-Xcuda-ptxas", o->text ? o->text : v); break;
    case A_INCLUDE_DIR: add_dir(cc, &cc->opts, o->text, v, "cuda_runtime.h"); break;
    case A_LIB_DIR: add_dir(cc, &cc->link_opts, "-L", v, "libcudart.so"); break;
    case A_LIB: add_lib(cc, v); break;
    case A_FAST_MATH: fast_math(cc); break;
    case A_FTZ:
    case A_PREC_DIV:
    case A_PREC_SQRT:
    case A_FMAD: add_float_option(cc, &float_options[o->action], truth(o->name, v)); break;
    case A_DEVICE_DEBUG: cc->device_debug = true; break;
    case A_RDC: cc->rdc = truth(o->name, o->text ? o->text : v); break;
    case A_RDC_OBJECT: cc->rdc = true; break;
    case A_CUDART: see_cudart(cc, v); break;
    case A_MACHINE: check_machine(o->name, v); break;
    case A_DRYRUN: cc->dryrun = true; break;
    case A_WERROR: see_werror(cc, v); break;
    }
}

static void see_option(struct cc *cc, const struct option *o, const char *v)
{
    if (o->action < sizeof modes / sizeof *modes && modes[o->action] != MODE_LINK)
        set_mode(cc, modes[o->action], o->name);
    apply(cc, o, v);
}

/* The option's row and its value; *i advances when the value is the next argument. */
static const struct option *match(int argc, char **argv, int *i, const char **value)
{
    const char *a = argv[*i];
    *value = "";
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        const struct option *o = &options[k];
        size_t n = strlen(o->name);
        if (strncmp(a, o->name, n))
            continue;
        if (!a[n]) {
            if (o->value == V_NONE)
                return o;
            if (o->value == V_EQUALS)
                continue;
            if (o->action == A_OPTIMIZE && o->value == V_JOINED)
                return o;
            if (*i + 1 >= argc)
                cc_fail("option %s needs a value", a);
            *value = argv[++*i];
            return o;
        }
        if (a[n] == '=' && o->value != V_NONE && !(o->value == V_JOINED && o->action == A_CLANG)) {
            *value = a + n + 1;
            return o;
        }
        if (o->value == V_JOINED) {
            *value = a + n;
            return o;
        }
    }
    return NULL;
}

static enum input_kind kind_of(const char *file)
{
    static const char *const cxx[] = {".cpp", ".cc", ".cxx", ".c++", ".C", ".cp"};
    const char *dot = strrchr(file, '.');
    if (!dot)
        return IN_LINK;
    if (!strcmp(dot, ".cu"))
        return IN_CUDA;
    if (!strcmp(dot, ".c"))
        return IN_C;
    if (!strcmp(dot, ".ptx"))
        cc_fail("%s: PTX is not compiled; run it with `simtx launch` or check it with `simtx ptx check`",
                file);
    for (size_t i = 0; i < sizeof cxx / sizeof *cxx; i++)
        if (!strcmp(dot, cxx[i]))
            return IN_CXX;
    return IN_LINK;
}

static void add_file(struct cc *cc, enum input_kind kind, const char *file)
{
    cc->inputs = mem_grow(cc->inputs, cc->n_inputs, &cc->cap_inputs, sizeof *cc->inputs, "the input files");
    cc->inputs[cc->n_inputs++] = (struct input){kind, file};
}

void cc_check_inputs(const struct cc *cc)
{
    for (size_t i = 0; i < cc->n_inputs; i++) {
        struct stat st;
        if (access(cc->inputs[i].file, R_OK))
            cc_fail("%s: no such file, or not readable", cc->inputs[i].file);
        if (stat(cc->inputs[i].file, &st) == 0 && S_ISDIR(st.st_mode))
            cc_fail("%s is a folder", cc->inputs[i].file);
    }
}

bool cc_parse(struct cc *cc, int argc, char **argv)
{
    bool forced = false;
    enum input_kind forced_kind = IN_CUDA;
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i], *v;
        if (!strcmp(a, "--help") || !strcmp(a, "-help") || !strcmp(a, "-h")) {
            fputs(help, stdout);
            return true;
        }
        if (!strcmp(a, "--version") || !strcmp(a, "-V")) {
            fputs(version, stdout);
            return true;
        }
        if (a[0] != '-' || !a[1]) {
            add_file(cc, forced && kind_of(a) != IN_LINK ? forced_kind : kind_of(a), a);
            continue;
        }
        const struct option *o = match(argc, argv, &i, &v);
        if (!o) {
            words_add(&cc->opts, a);
        } else if (o->action == A_LANGUAGE) {
            forced = strcmp(v, "none") != 0;
            if (forced)
                forced_kind = language(v);
        } else if (o->action == A_WERROR && o->value == V_NONE && i + 1 < argc &&
                   nvcc_werror_kind(argv[i + 1])) {
            see_option(cc, o, argv[++i]);
        } else {
            see_option(cc, o, v);
        }
    }
    return false;
}

static void settle_arch(struct cc *cc)
{
    if (cc->asked_arch) {
        cc->arch = cc->asked_arch;
    } else if (cc->above_arch) {
        cc->arch = CC_HIGHEST_ARCH;
        cc->source_arch = cc->above_arch;
        if (cc->above_arch > CC_HIGHEST_SOURCE_ARCH) {
            cc->source_arch = CC_HIGHEST_SOURCE_ARCH;
            cc_note("sm_%d%s is newer than sm_%d, the newest supported; using sm_%d%s",
                    cc->above_arch, cc->above_letter, CC_HIGHEST_SOURCE_ARCH, CC_HIGHEST_SOURCE_ARCH, cc->above_letter);
        }
    } else if (cc->below_arch) {
        cc->arch = CC_LOWEST_ARCH;
        cc_note("sm_%d is older than sm_%d, the oldest supported; using sm_%d", cc->below_arch,
                CC_LOWEST_ARCH, CC_LOWEST_ARCH);
    }
}

void cc_finish(struct cc *cc)
{
    if (!cc->n_inputs)
        cc_fail("no input file; try --help");
    settle_arch(cc);
    if (!cc->source_arch)
        cc->source_arch = cc->arch;
    words_format(&cc->macros, "-D__CUDA_ARCH_LIST__=%d0", cc->source_arch);
    if (cc->rdc)
        words_add(&cc->macros, "-D__CUDACC_RDC__=1");
    if (cc->verbose && !cc->dryrun)
        words_add(&cc->opts, "-v");
    if (cc->device_debug) {
        words_add(&cc->macros, "-D__CUDACC_DEBUG__=1");
        words_add(&cc->opts, "-g");
        words_add(&cc->device_opts, "--cuda-noopt-device-debug");
        if (!cc->opt_level)
            cc->opt_level = "0";
    }
    if (!cc->opt_level)
        cc->opt_level = "2";
}

void cc_free(struct cc *cc)
{
    struct words *lists[] = {&cc->opts, &cc->device_opts, &cc->link_opts, &cc->deps,
                            &cc->host_pieces, &cc->macros, &cc->run_args, &cc->files_args};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        words_free(lists[i]);
    free(cc->inputs);
    free(cc->tree);
}
