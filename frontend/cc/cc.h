/* One command line of simtx-cc: options.c fills it, simtx-cc.c runs it. */
#ifndef SIMTX_CC_H
#define SIMTX_CC_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/words.h"

/* Code is compiled for at most CC_HIGHEST_ARCH, which every supported clang knows; the macros that a program tests, and
 * the mark of its PTX, are those of the named architecture, at most CC_HIGHEST_SOURCE_ARCH. */
enum { CC_DEFAULT_ARCH = 70, CC_LOWEST_ARCH = 35, CC_HIGHEST_ARCH = 86, CC_HIGHEST_SOURCE_ARCH = 90 };

enum input_kind { IN_CUDA, IN_CXX, IN_C, IN_LINK };
enum cc_mode { MODE_LINK, MODE_OBJECT, MODE_PTX, MODE_PREPROCESS, MODE_FATBIN, MODE_HOST, MODE_DLINK, MODE_LIB };

struct input {
    enum input_kind kind;
    const char *file;
};

struct cc {
    char *tree;
    char clang[PATH_MAX];
    int clang_major;
    char cuda_path[PATH_MAX]; /* the tree, or its directory for an older clang */
    enum cc_mode mode;
    const char *preprocess; /* -E, -M or -MM */
    const char *output;
    const char *std;
    const char *opt_level;
    int arch;
    int source_arch; /* of __CUDA_ARCH__ */
    int asked_arch; /* highest usable one named; 0: none */
    int above_arch; /* one named beyond CC_HIGHEST_ARCH */
    const char *above_letter; /* of sm_90a, or empty */
    int below_arch; /* one named under CC_LOWEST_ARCH */
    bool dryrun, verbose, no_cudart, device_debug, rdc, run;
    struct words opts;        /* for every compilation */
    struct words device_opts; /* for CUDA sources only */
    struct words link_opts;
    struct words deps;
    struct words host_pieces; /* the arguments of -Xcompiler; opt_level and std may point into them */
    struct words macros;      /* of CUDA sources: what nvcc defines for these options */
    struct words run_args;    /* of --run-args */
    struct words files_args;  /* arguments read from option files */
    uint32_t overlays;       /* files that dialect.c has written */
    const char *output_dir;  /* -odir: the folder of derived output names */
    struct input *inputs;
    uint32_t n_inputs, cap_inputs;
};

__attribute__((noreturn, format(printf, 1, 2))) void cc_fail(const char *fmt, ...);
__attribute__((format(printf, 1, 2))) void cc_note(const char *fmt, ...);

/* Reads the command line; true if it contains --help or --version, whose text has been printed. */
bool cc_parse(struct cc *cc, int argc, char **argv);

/* The arguments with those of option files (@FILE, --options-file FILE) in their place; owned by the caller. */
struct words cc_expand(int argc, char **argv);

/* Prints the lines that describe this installation, in nvcc's form (`#$ NAME=value`), to stderr. */
void cc_print_settings(const struct cc *cc);

/* Fails when an input file cannot be read. */
void cc_check_inputs(const struct cc *cc);

/* dialect.c: when the source, or a file that it includes from its folder or those of -I, -iquote and -isystem, has a
 * spelling that clang rejects, a file for clang's -ivfsoverlay with the spelling that clang takes; otherwise NULL. */
const char *cc_dialect(struct cc *cc, const char *source);

/* absent.c: the library of CUDA that has this header or library file, if simtx does not have it; NULL otherwise. */
const char *cc_absent_library(const char *file);
/* Adds link_opts without the libraries that simtx does not have, with a note for each. */
void cc_add_libraries(const struct cc *cc, struct words *cmd);

/* explain.c: prints the messages in this file, which it closes; for a failed command also notes on the errors that have
 * their cause in the differences between nvcc and simtx-cc. */
void cc_explain(int messages, bool failed);

/* host_text.c: writes assembly text as a C++ file. */
void cc_host_text(const char *assembly, const char *source, const char *output);

/* commands.c: one command line */
int cc_run(const struct cc *cc, const struct words *cmd);
/* The same for clang, whose messages cc_explain prints. */
int cc_compile(const struct cc *cc, const struct words *cmd);

/* process.c: runs a program to its end; its status as waitpid gives it. messages: its standard error; -1: that of
 * simtx-cc. */
int cc_process(const struct words *cmd, int messages);
/* From here on SIGHUP, SIGINT and SIGTERM end simtx-cc only in cc_process and cc_end_if_interrupted, which remove the
 * temporary files. */
void cc_catch_signals(void);
void cc_end_if_interrupted(void);

/* device_link.c: adds to `link` an object that registers the relocatable device code among the inputs, if there is
 * any; with `output`, writes that object there. */
int cc_device_link(struct cc *cc, const char *output, struct words *link);

/* Derives what depends on the whole command line: architecture, optimisation level, rejected combinations. */
void cc_finish(struct cc *cc);

/* Finds clang and its version. */
void cc_clang_find(struct cc *cc);

/* Sets the CUDA directory that this clang can read. */
void cc_clang_cuda(struct cc *cc);

/* Prints a note when this version miscompiles device code or is not tested. */
void cc_clang_warn(const struct cc *cc);

/* tempdir.c: the folder for this command's temporary files: created at the first call, removed at exit; clang's
 * $TMPDIR. */
const char *cc_tempdir(void);
/* The path of a file in it, which is removed at exit. */
const char *cc_temp(const struct cc *cc, const char *name);
/* Removes the folder with all files. */
void cc_tempdir_clear(void);

/* Frees the memory of cc_parse and cc_finish. */
void cc_free(struct cc *cc);

#endif
