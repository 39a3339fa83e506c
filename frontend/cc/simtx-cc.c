/* simtx-cc, also called nvcc: compiles CUDA C++ for the simulator with stock clang and the CUDA directory of
 * this installation.  It understands the options that Makefiles give nvcc (CUDA Compiler Driver NVCC,
 * "Command Option Description"), translates them to clang's, and passes clang's own options on.  options.c
 * contains the table. */
#include "cc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"

void cc_fail(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fprintf(stderr, "simtx-cc: error: ");
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    exit(1);
}

void cc_note(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fprintf(stderr, "simtx-cc: note: ");
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
}

/* The CUDA directory: build/bin -> build/cuda, PREFIX/bin -> PREFIX/share/simtx/cuda. */
static char *find_tree(void)
{
    static const char *const places[] = {"../cuda", "../share/simtx/cuda", NULL};
    char *own = file_own_folder(), *tree = file_find_folder(own, places, "include/cuda.h");
    free(own);
    return tree;
}

static bool has_cuda(const struct cc *cc)
{
    for (size_t i = 0; i < cc->n_inputs; i++)
        if (cc->inputs[i].kind == IN_CUDA)
            return true;
    return false;
}

/* True for -U__NVCC__: the sources are compiled as clang++ alone compiles them.  clang applies -U before -include. */
static bool without_nvcc(const struct cc *cc)
{
    bool without = false;
    for (size_t i = 1; i < cc->opts.n; i++)
        if (!strcmp(cc->opts.at[i], "__NVCC__"))
            without = !strcmp(cc->opts.at[i - 1], "-U");
    return without;
}

static void add_device(struct words *cmd, const char *option)
{
    words_add(cmd, "-Xarch_device");
    words_add(cmd, option);
}

/* Clang compiles for cc->arch; the program and the mark of its PTX have the named architecture. */
static void add_architecture(const struct cc *cc, struct words *cmd)
{
    char define[40];
    const char *letter = cc->source_arch == cc->arch ? "" : cc->above_letter;
    words_format(cmd, "--cuda-gpu-arch=sm_%d", cc->arch);
    words_add(cmd, "-Xcuda-ptxas");
    words_format(cmd, "--source-arch=sm_%d%s", cc->source_arch, letter);
    if (cc->source_arch == cc->arch)
        return;
    snprintf(define, sizeof define, "-D__CUDA_ARCH__=%d0", cc->source_arch);
    add_device(cmd, "-U__CUDA_ARCH__");
    add_device(cmd, define);
    if (*letter)
        add_device(cmd, "-D__CUDA_ARCH_FEAT_SM90_ALL=1");
}

/* Adds the options for device code, which every command needs.  Like nvcc, the device compilation does not reject a
 * host function whose operators have only device candidates, and keeps calls of malloc whose result is only compared
 * with NULL: the heap of a device is small. */
static void add_cuda(struct cc *cc, struct words *cmd)
{
    words_format(cmd, "--cuda-path=%s", cc->cuda_path);
    add_architecture(cc, cmd);
    words_add(cmd, "--no-cuda-version-check");
    words_add(cmd, "-include");
    words_format(cmd, "%s/include/simtx/nvcc.h", cc->tree);
    words_add(cmd, "-iquote"); /* clang's wrapper finds simtx's cuda.h although -I has another */
    words_format(cmd, "%s/include/simtx/wrapper", cc->tree);
    words_add(cmd, "-fgpu-defer-diag");
    add_device(cmd, "-fno-builtin-malloc");
    if (without_nvcc(cc))
        words_add(cmd, "-DSIMTX_WITHOUT_NVCC");
    if (cc->rdc)
        words_add(cmd, "-fgpu-rdc");
    words_append(cmd, &cc->macros);
    words_append(cmd, &cc->device_opts);
}

static void add_common(const struct cc *cc, struct words *cmd)
{
    static const char *const quiet[] = {"-Wno-unknown-cuda-version",
                                        "-Wno-unknown-warning-option",
                                        "-Wno-unused-command-line-argument",
                                        "-Wno-ignored-optimization-argument",
                                        "-Wno-register",
                                        "-Wno-pass-failed", /* nvcc is silent on loops that stay loops */
                                        "-Wno-reserved-user-defined-literal"};
    for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++)
        words_add(cmd, quiet[i]);
    words_append(cmd, &cc->opts);
    words_format(cmd, "-O%s", cc->opt_level);
    words_add(cmd, "-isystem");
    words_format(cmd, "%s/include", cc->tree);
}

static void add_input(struct cc *cc, struct words *cmd, const struct input *in)
{
    static const char *const lang[] = {
        [IN_CUDA] = "cuda", [IN_CXX] = "c++", [IN_C] = "c", [IN_LINK] = "none"};
    const char *overlay = in->kind == IN_CUDA ? cc_dialect(cc, in->file) : NULL;
    if (overlay) {
        words_add(cmd, "-ivfsoverlay");
        words_add(cmd, overlay);
    }
    words_add(cmd, "-x");
    words_add(cmd, lang[in->kind]);
    words_add(cmd, in->file);
}

/* "dir/name.cu" -> "name.ext", in the folder that -odir names */
static char *derived_name(const struct cc *cc, const char *file, const char *ext)
{
    const char *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
    const char *dot = strrchr(base, '.');
    return mem_format("%s%s%.*s.%s", cc->output_dir ? cc->output_dir : "", cc->output_dir ? "/" : "",
                      dot ? (int)(dot - base) : (int)strlen(base), base, ext);
}

/* One source to an object, PTX, preprocessed text or dependencies. */
static int compile_one(struct cc *cc, enum cc_mode mode, const struct input *in, const char *output)
{
    struct words cmd = {0};
    words_add(&cmd, cc->clang);
    if (in->kind == IN_CUDA)
        add_cuda(cc, &cmd);
    add_common(cc, &cmd);
    if (in->kind != IN_C && cc->std)
        words_format(&cmd, "-std=%s", cc->std);
    if (mode == MODE_PTX) {
        words_add(&cmd, "-DSIMTX_PTX_ONLY");               /* host_defines.h: there are no host functions */
        words_add(&cmd, "--cuda-device-only");
        words_add(&cmd, "-S");
    } else if (mode == MODE_PREPROCESS) {
        words_add(&cmd, cc->preprocess);
        if (in->kind == IN_CUDA)
            words_add(&cmd, "--cuda-host-only");
        words_append(&cmd, &cc->deps);
    } else {
        words_add(&cmd, "-c");
        words_append(&cmd, &cc->deps);
    }
    add_input(cc, &cmd, in);
    if (output) {
        words_add(&cmd, "-o");
        words_add(&cmd, output);
    }
    int rc = cc_compile(cc, &cmd);
    words_free(&cmd);
    return rc;
}

/* The PTX of one source in a container for cuModuleLoad. */
static int make_fatbin(struct cc *cc, const struct input *in, const char *output)
{
    struct words cmd = {0};
    const char *ptx = cc_temp(cc, "fatbin.ptx");
    int rc = compile_one(cc, MODE_PTX, in, ptx);
    words_format(&cmd, "%s/bin/fatbinary", cc->tree);
    words_add(&cmd, "--create");
    words_add(&cmd, output);
    words_format(&cmd, "--image=profile=compute_%d,file=%s", cc->arch, ptx);
    if (!rc)
        rc = cc_run(cc, &cmd);
    words_free(&cmd);
    return rc;
}

/* The host's part as a C++ file: clang's assembly, in a form that GNU as reads, with the device code in it. */
static int make_host(struct cc *cc, const struct input *in, const char *output)
{
    const char *fatbin = cc_temp(cc, "host.fatbin"), *assembly = cc_temp(cc, "host.s");
    const char *const more[] = {"--cuda-host-only", "-S", "-fPIC", "-fno-addrsig", "-fno-integrated-as",
                                "-Xclang", "-fcuda-include-gpubinary", "-Xclang", fatbin};
    struct words cmd = {0};
    if (cc->rdc)
        cc_fail("-cuda and -rdc=true: objects of separate compilation have no C++ form; use -dc");
    int rc = make_fatbin(cc, in, fatbin);
    words_add(&cmd, cc->clang);
    add_cuda(cc, &cmd);
    add_common(cc, &cmd);
    if (cc->std)
        words_format(&cmd, "-std=%s", cc->std);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        words_add(&cmd, more[i]);
    add_input(cc, &cmd, in);
    words_add(&cmd, "-o");
    words_add(&cmd, assembly);
    if (!rc)
        rc = cc_compile(cc, &cmd);
    words_free(&cmd);
    if (!rc && !cc->dryrun)
        cc_host_text(assembly, in->file, output);
    return rc;
}

/* One source to the output of this mode. */
static int make_output(struct cc *cc, const struct input *in, const char *output)
{
    switch (cc->mode) {
    case MODE_FATBIN: return make_fatbin(cc, in, output);
    case MODE_HOST: return make_host(cc, in, output);
    default: return compile_one(cc, cc->mode, in, output);
    }
}

static int compile_each(struct cc *cc)
{
    static const char *const ext[] = {
        [MODE_OBJECT] = "o", [MODE_PTX] = "ptx", [MODE_FATBIN] = "fatbin", [MODE_HOST] = "cu.cpp.ii"};
    int sources = 0;
    for (size_t i = 0; i < cc->n_inputs; i++)
        sources += cc->inputs[i].kind != IN_LINK;
    if (sources > 1 && cc->output)
        cc_fail("-o names one file, but %d sources are compiled; remove -o or compile them one by one",
                sources);
    for (size_t i = 0; i < cc->n_inputs; i++) {
        const struct input *in = &cc->inputs[i];
        if (in->kind == IN_LINK) {
            cc_note("%s: ignored, since this command does not link", in->file);
            continue;
        }
        if (cc->mode != MODE_OBJECT && cc->mode != MODE_PREPROCESS && in->kind != IN_CUDA)
            cc_fail("%s is not CUDA source, so there is no device code; give -x cu if it is", in->file);
        char *name = cc->mode == MODE_PREPROCESS || cc->output ? NULL : derived_name(cc, in->file, ext[cc->mode]);
        const char *output = cc->output ? cc->output : name;
        int rc = make_output(cc, in, output);
        free(name);
        if (rc)
            return rc;
    }
    return 0;
}

/* Compiles the inputs that cannot take part in the linking command to objects, which take their place: C sources,
 * whose -std and -x differ, CUDA sources with -rdc=true, and all for an archive. */
static int compile_to_objects(struct cc *cc)
{
    int rc = 0;
    for (size_t i = 0; i < cc->n_inputs && !rc; i++) {
        struct input *in = &cc->inputs[i];
        char name[32];
        bool apart = in->kind == IN_C || (in->kind == IN_CUDA && cc->rdc) || cc->mode != MODE_LINK;
        if (in->kind == IN_LINK || !apart)
            continue;
        snprintf(name, sizeof name, "%zu.o", i);
        const char *object = cc_temp(cc, name);
        rc = compile_one(cc, MODE_OBJECT, in, object);
        *in = (struct input){IN_LINK, object};
    }
    return rc;
}

static bool has_objects(const struct cc *cc)
{
    for (size_t i = 0; i < cc->n_inputs; i++)
        if (cc->inputs[i].kind == IN_LINK)
            return true;
    return false;
}

static void add_runtime(const struct cc *cc, struct words *cmd)
{
    words_format(cmd, "-L%s/lib64", cc->tree);
    words_format(cmd, "-Wl,-rpath,%s/lib64", cc->tree);
    words_add(cmd, "-lcudart");
}

static int run_program(struct cc *cc, const char *program)
{
    struct words cmd = {0};
    words_format(&cmd, "%s%s", strchr(program, '/') ? "" : "./", program);
    words_append(&cmd, &cc->run_args);
    int rc = cc_run(cc, &cmd);
    words_free(&cmd);
    return rc;
}

/* Compiles and links, in one clang command where the sources allow it. */
static int build(struct cc *cc)
{
    struct words cmd = {0}, registration = {0}, libraries = {0};
    const char *output = cc->output ? cc->output : "a.out";
    int rc = compile_to_objects(cc);
    if (!rc && has_objects(cc))
        rc = cc_device_link(cc, NULL, &registration);
    words_add(&cmd, cc->clang);
    if (has_cuda(cc))
        add_cuda(cc, &cmd);
    add_common(cc, &cmd);
    if (cc->std)
        words_format(&cmd, "-std=%s", cc->std);
    words_append(&cmd, &cc->deps);
    for (size_t i = 0; i < cc->n_inputs; i++)
        add_input(cc, &cmd, &cc->inputs[i]);
    words_add(&cmd, "-x");
    words_add(&cmd, "none");
    words_add(&cmd, "-o");
    words_add(&cmd, output);
    cc_add_libraries(cc, &libraries);
    words_append(&cmd, &libraries);
    words_append(&cmd, &registration);
    if (registration.n)
        words_append(&cmd, &libraries);
    if (!cc->no_cudart)
        add_runtime(cc, &cmd);
    if (!rc)
        rc = cc_compile(cc, &cmd);
    if (!rc && cc->run)
        rc = run_program(cc, output);
    words_free(&cmd);
    words_free(&registration);
    words_free(&libraries);
    return rc;
}

/* -lib: an archive of the objects. */
static int archive(struct cc *cc)
{
    struct words cmd = {0};
    int rc = compile_to_objects(cc);
    words_add(&cmd, "ar");
    words_add(&cmd, "rcs");
    words_add(&cmd, cc->output ? cc->output : "a.a");
    for (size_t i = 0; i < cc->n_inputs; i++)
        words_add(&cmd, cc->inputs[i].file);
    if (!rc)
        rc = cc_run(cc, &cmd);
    words_free(&cmd);
    return rc;
}

/* -dlink: the object that registers the device code of the other objects. */
static int device_link(struct cc *cc)
{
    int rc = compile_to_objects(cc);
    return rc ? rc : cc_device_link(cc, cc->output ? cc->output : "a_dlink.o", NULL);
}

static int run_mode(struct cc *cc)
{
    switch (cc->mode) {
    case MODE_LINK: return build(cc);
    case MODE_LIB: return archive(cc);
    case MODE_DLINK: return device_link(cc);
    default: return compile_each(cc);
    }
}

int main(int argc, char **argv)
{
    char *tree = find_tree();
    struct cc cc = {.arch = CC_DEFAULT_ARCH, .tree = tree};
    cc.files_args = cc_expand(argc, argv);
    if (cc_parse(&cc, (int)cc.files_args.n, cc.files_args.at)) {
        cc_free(&cc);
        return 0;
    }
    if (!cc.tree)
        cc_fail(
            "no CUDA directory beside simtx-cc (looked for ../cuda and ../share/simtx/cuda from its folder); "
            "run `make` or reinstall");
    cc_clang_find(&cc);
    cc_finish(&cc);
    if (cc.verbose || cc.dryrun)
        cc_print_settings(&cc);
    cc_check_inputs(&cc);
    if (has_cuda(&cc)) {
        cc_clang_cuda(&cc);
        cc_clang_warn(&cc);
    }
    int rc = run_mode(&cc);
    cc_free(&cc);
    cc_end_if_interrupted();
    return rc;
}
