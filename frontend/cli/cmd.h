/* What the subcommands of `simtx` share: exit codes, options from tables, and the options of everything that
 * runs. */
#ifndef FRONTEND_CMD_H
#define FRONTEND_CMD_H

#include <stdbool.h>
#include <stddef.h>

enum {
    CMD_OK = 0,
    CMD_FAILED = 1,          /* the program or kernel failed, a comparison did not hold */
    CMD_USAGE = 2,           /* wrong command line, configuration or file */
    CMD_PTX = 3              /* the PTX has errors */
};

/* value: what follows the option ("FILE"), NULL for a switch. A row of NULLs ends a table. */
struct option_row { const char *name, *value, *help; };

struct args {
    const char *command;                 /* "simtx run", for messages */
    const char *usage;                   /* text of --help up to the options */
    const struct option_row *options;
    bool common;                         /* also takes the options of cmd_options.c */
    bool words_end;                      /* the first word ends the options (what follows belongs to a program) */
    int argc, at;
    char **argv;
    const char *value;                   /* of the option found, or the word */
};

enum { ARG_END = -1, ARG_WORD = -2 };

/*
 * The next argument: position of an option in `options`, ARG_WORD or ARG_END. --help prints and ends the
 * process; an unknown option ends it with a message that names the nearest one. Common options are taken care
 * of inside.
 */
int args_next(struct args *a);
/* "simtx COMMAND: message" and the way to the help; ends the process with CMD_USAGE. */
void usage_error(const char *command, const char *fmt, ...) __attribute__((format(printf, 2, 3), noreturn));
/* Writes what the common options said into the environment (env.h), where the session reads it. */
void common_apply(const char *command);

/* A whole file, NUL added; NULL with errno. */
char *read_whole_file(const char *path, size_t *size);

int cmd_run(int argc, char **argv);
int cmd_launch(int argc, char **argv);
int cmd_ptx(int argc, char **argv);
int cmd_config(int argc, char **argv);
int cmd_stats(int argc, char **argv);
int cmd_paper(int argc, char **argv);
int cmd_cost(int argc, char **argv);

#endif
