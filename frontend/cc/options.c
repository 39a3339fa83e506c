/* The options of simtx-cc: one table row for each nvcc option that needs translation, with its translation.
 * Options that are not in the table are passed to clang unchanged. */
#include "cc.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
static const char no_host_text[] =
    "clang compiles host code without an intermediate C++ file; use -E for preprocessed text, or -c for an object";

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

static void device_mllvm(struct cc *cc, const char *opt)
{
    list_add(&cc->device_opts, "-mllvm");
    list_add(&cc->device_opts, opt);
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
    if (n > CC_HIGHEST_ARCH)
        cc->above_arch = (int)n;
    else if (n < CC_LOWEST_ARCH)
        cc->below_arch = (int)n;
    else if (n > cc->asked_arch)
        cc->asked_arch = (int)n;
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

static void add_dir(const struct cc *cc, struct list *l, const char *opt, const char *dir, const char *probe)
{
    if (other_cuda(cc, dir, probe)) {
        cc_note("%s %s: ignored, since this folder contains another CUDA (%s)", opt, dir, probe);
        return;
    }
    list_add(l, opt);
    list_add(l, dir);
}

static void add_lib(struct cc *cc, const char *name)
{
    static const char *const own[] = {"cudart", "cudart_static", "cudadevrt"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!strcmp(name, own[i]))
            return;
    list_addf(&cc->link_opts, "-l%s", name);
}

/* The pieces of "a,b,c" or "a b c", each after `before` (NULL: alone). */
static void add_pieces(struct list *l, const char *before, const char *v)
{
    while (*v) {
        size_t n = strcspn(v, ", ");
        if (n) {
            if (before)
                list_add(l, before);
            list_addf(l, "%.*s", (int)n, v);
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
        list_add(&cc->opts, "-Xarch_host");
        list_add(&cc->opts, piece);
    } else if (!strncmp(piece, "-O", 2)) {
        if (!cc->opt_level)
            cc->opt_level = piece[2] ? piece + 2 : "1";
    } else if (!strncmp(piece, "-std=", 5)) {
        if (!cc->std)
            cc->std = piece + 5;
    } else {
        list_add(&cc->opts, piece);
    }
}

static void add_host_options(struct cc *cc, const char *v)
{
    if (!strncmp(v, "-Wl,", 4)) {
        list_add(&cc->link_opts, v);
        return;
    }
    size_t first = cc->host_pieces.n;
    add_pieces(&cc->host_pieces, NULL, v);
    for (size_t i = first; i < cc->host_pieces.n; i++)
        add_host_option(cc, cc->host_pieces.v[i]);
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
        list_add(&cc->macros, "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
    else if (strcmp(v, "legacy") && strcmp(v, "null"))
        cc_fail("-default-stream takes legacy, null or per-thread, not '%s'", v);
}

static void fast_math(struct cc *cc)
{
    list_add(&cc->device_opts, "-fcuda-approx-transcendentals");
    list_add(&cc->device_opts, "-fcuda-flush-denormals-to-zero");
    device_mllvm(cc, "-nvptx-prec-divf32=0");
    device_mllvm(cc, "-nvptx-prec-sqrtf32=0");
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

/* Performs the row's action. */
static void apply(struct cc *cc, const struct option *o, const char *v)
{
    switch (o->action) {
    case A_IGNORE: break;
    case A_NOTE: cc_note("%s %s %s", o->name, v, o->text); break;
    case A_REFUSE: cc_fail("%s: %s", o->name, o->text);
    case A_CLANG:
    case A_DEPS:
    case A_LINK: {
        struct list *l = o->action == A_CLANG ? &cc->opts : o->action == A_DEPS ? &cc->deps : &cc->link_opts;
        list_add(l, o->text);
        if (o->value != V_NONE)
            list_add(l, v);
        break;
    }
    case A_OUTPUT: cc->output = v; break;
    case A_MODE_OBJECT: set_mode(cc, MODE_OBJECT, o->name); break;
    case A_MODE_PTX: set_mode(cc, MODE_PTX, o->name); break;
    case A_MODE_FATBIN: set_mode(cc, MODE_FATBIN, o->name); break;
    case A_MODE_DLINK: set_mode(cc, MODE_DLINK, o->name); break;
    case A_MODE_LIB: set_mode(cc, MODE_LIB, o->name); break;
    case A_RUN: cc->run = true; break;
    case A_RUN_ARGS: add_pieces(&cc->run_args, NULL, v); break;
    case A_OUTPUT_DIR: cc->output_dir = v; break;
    case A_VERBOSE: cc->verbose = true; break;
    case A_MACRO: list_addf(&cc->macros, "-D%s=1", o->text); break;
    case A_DEFAULT_STREAM: default_stream(cc, v); break;
    case A_CODE: check_code(cc, o->name, v); break;
    case A_PREPROCESS:
        set_mode(cc, MODE_PREPROCESS, o->name);
        cc->preprocess = o->text;
        break;
    case A_ARCH: see_arch(cc, o->name, v); break;
    case A_GENCODE: see_gencode(cc, v); break;
    case A_STD: cc->std = v; break;
    case A_OPTIMIZE:
        cc->opt_level = *v ? v : "1";
        if (isdigit((unsigned char)*v) && atoi(v) > 3)
            cc->opt_level = "3";
        break;
    case A_XCOMPILER: add_host_options(cc, v); break;
    case A_XLINKER: add_pieces(&cc->link_opts, "-Xlinker", v); break;
    case A_XPTXAS: add_pieces(&cc->device_opts, "-Xcuda-ptxas", o->text ? o->text : v); break;
    case A_INCLUDE_DIR: add_dir(cc, &cc->opts, o->text, v, "cuda_runtime.h"); break;
    case A_LIB_DIR: add_dir(cc, &cc->link_opts, "-L", v, "libcudart.so"); break;
    case A_LIB: add_lib(cc, v); break;
    case A_FAST_MATH: fast_math(cc); break;
    case A_FTZ:
        list_add(&cc->device_opts,
                 truth(o->name, v) ? "-fcuda-flush-denormals-to-zero" : "-fno-cuda-flush-denormals-to-zero");
        break;
    case A_PREC_DIV:
        device_mllvm(cc, truth(o->name, v) ? "-nvptx-prec-divf32=2" : "-nvptx-prec-divf32=1");
        break;
    case A_PREC_SQRT:
        device_mllvm(cc, truth(o->name, v) ? "-nvptx-prec-sqrtf32=1" : "-nvptx-prec-sqrtf32=0");
        break;
    case A_FMAD:
        list_add(&cc->device_opts, truth(o->name, v) ? "-ffp-contract=fast" : "-ffp-contract=off");
        break;
    case A_DEVICE_DEBUG: cc->device_debug = true; break;
    case A_RDC: cc->rdc = truth(o->name, o->text ? o->text : v); break;
    case A_RDC_OBJECT:
        set_mode(cc, MODE_OBJECT, o->name);
        cc->rdc = true;
        break;
    case A_CUDART: see_cudart(cc, v); break;
    case A_MACHINE:
        if (strcmp(v, "64"))
            cc_fail("only 64-bit programs are supported, not %s %s", o->name, v);
        break;
    case A_DRYRUN: cc->dryrun = true; break;
    case A_WERROR:
        if (!strncmp(v, "all-warnings", 12) || !*v)
            list_add(&cc->opts, "-Werror");
        break;
    case A_LANGUAGE: break;
    }
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
    if (cc->n_inputs == cc->cap_inputs) {
        cc->cap_inputs = cc->cap_inputs ? cc->cap_inputs * 2 : 16;
        cc->inputs = realloc(cc->inputs, cc->cap_inputs * sizeof *cc->inputs);
        if (!cc->inputs)
            cc_fail("out of memory");
    }
    cc->inputs[cc->n_inputs++] = (struct input){kind, file};
}

void cc_check_inputs(const struct cc *cc)
{
    for (size_t i = 0; i < cc->n_inputs; i++)
        if (access(cc->inputs[i].file, R_OK))
            cc_fail("%s: no such file, or not readable", cc->inputs[i].file);
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
            list_add(&cc->opts, a);
        } else if (o->action == A_LANGUAGE) {
            forced = strcmp(v, "none") != 0;
            if (forced)
                forced_kind = language(v);
        } else if (o->action == A_WERROR && o->value == V_NONE && i + 1 < argc &&
                   nvcc_werror_kind(argv[i + 1])) {
            apply(cc, o, argv[++i]);
        } else {
            apply(cc, o, v);
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
        cc_note("sm_%d is newer than sm_%d, the newest supported; using sm_%d",
                cc->above_arch, CC_HIGHEST_ARCH, CC_HIGHEST_ARCH);
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
    list_addf(&cc->macros, "-D__CUDA_ARCH_LIST__=%d0", cc->arch);
    if (cc->rdc)
        list_add(&cc->macros, "-D__CUDACC_RDC__=1");
    if (cc->verbose && !cc->dryrun)
        list_add(&cc->opts, "-v");
    if (cc->device_debug) {
        list_add(&cc->macros, "-D__CUDACC_DEBUG__=1");
        list_add(&cc->opts, "-g");
        list_add(&cc->device_opts, "--cuda-noopt-device-debug");
        if (!cc->opt_level)
            cc->opt_level = "0";
    }
    if (!cc->opt_level)
        cc->opt_level = "2";
}

void cc_free(struct cc *cc)
{
    struct list *lists[] = {&cc->opts, &cc->device_opts, &cc->link_opts, &cc->deps,
                            &cc->host_pieces, &cc->macros, &cc->run_args, &cc->temps, &cc->files_args};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        list_free(lists[i]);
    free(cc->inputs);
}
