/* Shared by the subcommands of `simtx`: exit codes, option tables, and the common options of commands that run
 * kernels. */
#ifndef FRONTEND_CMD_H
#define FRONTEND_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CMD_OK = 0,
    CMD_FAILED = 1,          /* the program or kernel failed, or a comparison found a difference */
    CMD_USAGE = 2,           /* invalid command line, configuration or file */
    CMD_PTX = 3              /* the PTX has errors */
};

/* value: name of the option's value in the help ("FILE"), NULL for a switch; "[N]": a number that may be left out. A
 * row of NULLs ends a table. */
struct cmd_option { const char *name, *value, *help; };

struct cmd_args {
    const char *command;                 /* "simtx run", for messages */
    const char *usage;                   /* text of --help before the options */
    const struct cmd_option *options;
    bool common;                         /* the common options of cmd_options.c are accepted, too */
    bool words_end;                      /* the first word ends the options (the rest belongs to a program) */
    int argc, at;
    char **argv;
    const char *value;                   /* of the last option, or the last word */
};

enum { CMD_ARG_END = -1, CMD_ARG_WORD = -2 };

/*
 * Returns the next argument: the index of an option in `options`, CMD_ARG_WORD or CMD_ARG_END. --help prints the help
 * and ends the process; an unknown option ends it with a message that names the most similar option. Common options are
 * processed here and not returned.
 */
int cmd_args_next(struct cmd_args *a);
/* Prints "simtx COMMAND: message" and how to get help; ends the process with CMD_USAGE. */
void cmd_usage_error(const char *command, const char *fmt, ...) __attribute__((format(printf, 2, 3), noreturn));
/* The number of an option, in decimal; a text that is none, or more than `most`, is a usage error. */
uint64_t cmd_number(const char *command, const char *option, const char *text, uint64_t most);
/* Writes the common options into the environment variables (env.h) that the session reads. */
void cmd_export_common(const char *command);

/*
 * The text of a PTX file, with its size; malloc'ed. NULL: the file cannot be read, or it is a program, a container of
 * device code or a CUDA source, not PTX. A message says which, and how to get PTX.
 */
char *cmd_read_ptx(const char *command, const char *path, size_t *size);

/* The folder of simtx's libcudart; malloc'ed. NULL: it is not beside the command. */
char *cmd_library_folder(void);

int cmd_run(int argc, char **argv);
int cmd_launch(int argc, char **argv);
int cmd_ptx(int argc, char **argv);
int cmd_config(int argc, char **argv);
int cmd_stats(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_profile(int argc, char **argv);
int cmd_paper(int argc, char **argv);
int cmd_sweep(int argc, char **argv);
int cmd_cost(int argc, char **argv);
int cmd_litmus(int argc, char **argv);

#endif
