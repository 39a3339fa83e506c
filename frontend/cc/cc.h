/* One command line of simtx-cc: options.c fills it, simtx-cc.c runs it. */
#ifndef SIMTX_CC_H
#define SIMTX_CC_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum { CC_DEFAULT_ARCH = 70, CC_LOWEST_ARCH = 35, CC_HIGHEST_ARCH = 86 };

struct list {
    char **v;
    size_t n, cap;
};

enum input_kind { IN_CUDA, IN_CXX, IN_C, IN_LINK };
enum cc_mode { MODE_LINK, MODE_OBJECT, MODE_PTX, MODE_PREPROCESS };

struct input {
    enum input_kind kind;
    const char *file;
};

struct cc {
    const char *tree;
    char clang[PATH_MAX];
    int clang_major;
    char cuda_path[PATH_MAX]; /* the tree, or its directory for an older clang */
    enum cc_mode mode;
    const char *preprocess; /* -E, -M or -MM */
    const char *output;
    const char *std;
    const char *opt_level;
    int arch;
    int asked_arch; /* highest usable one named; 0: none */
    int above_arch; /* one named beyond CC_HIGHEST_ARCH */
    int below_arch; /* one named under CC_LOWEST_ARCH */
    bool dryrun, no_cudart, device_debug, rdc;
    struct list opts;        /* for every compilation */
    struct list device_opts; /* for CUDA sources only */
    struct list link_opts;
    struct list deps;
    struct list host_pieces; /* the arguments of -Xcompiler; opt_level and std may point into them */
    struct input *inputs;
    size_t n_inputs, cap_inputs;
};

__attribute__((noreturn, format(printf, 1, 2))) void cc_fail(const char *fmt, ...);
__attribute__((format(printf, 1, 2))) void cc_note(const char *fmt, ...);
void list_add(struct list *l, const char *s);
void list_free(struct list *l);
__attribute__((format(printf, 2, 3))) void list_addf(struct list *l, const char *fmt, ...);

/* Reads the command line; true if it only asks for --help or --version, which has been printed. */
bool cc_parse(struct cc *cc, int argc, char **argv);

/* Derives what depends on the whole command line: architecture, optimisation level, rejected combinations. */
void cc_finish(struct cc *cc);

/* Finds clang and its version. */
void cc_clang_find(struct cc *cc);

/* Sets the CUDA directory that this clang can read. */
void cc_clang_cuda(struct cc *cc);

/* Prints a note when this version miscompiles device code or is not tested. */
void cc_clang_warn(const struct cc *cc);

/* The folder for this command's temporary files: created at the first call, removed at exit; clang's $TMPDIR. */
const char *cc_tempdir(void);

/* Frees the memory of cc_parse and cc_finish. */
void cc_free(struct cc *cc);

#endif
