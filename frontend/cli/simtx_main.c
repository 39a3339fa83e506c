/* The simtx command: selects the subcommand. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "frontend/cli/cmd.h"
#include "frontend/lib/simtx.h"
#include "frontend/session/session.h"

static int cmd_version(int argc, char **argv)
{
    printf("simtx %s\n", SIMTX_VERSION);
    return CMD_OK;
}

static int cmd_help(int argc, char **argv);
static int cmd_help_of(const char *name);

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
} commands[] = {
    { "run", cmd_run, "run a CUDA program on the simulated GPU" },
    { "launch", cmd_launch, "run one kernel of a .ptx file with arguments from the command line" },
    { "ptx", cmd_ptx, "check, describe and disassemble PTX; list the instructions" },
    { "config", cmd_config, "show presets and keys with their meaning" },
    { "stats", cmd_stats, "explain the statistics, or print a statistics file as a table" },
    { "compare", cmd_compare, "compare the figures of two statistics files, the largest difference first" },
    { "sweep", cmd_sweep, "run a study: programs x configurations x seeds, on this machine or on Slurm" },
    { "report", cmd_report, "a page about the statistics of runs: cycles, latency, roofline, transactions, energy" },
    { "profile", cmd_profile, "a profile by source line: stalls, divergence, coalescing, bank conflicts" },
    { "paper", cmd_paper, "repeat the evaluation of a paper and compare with its published results" },
    { "cost", cmd_cost, "hardware cost: bytes of the structures of protocols and policies" },
    { "litmus", cmd_litmus, "run litmus tests and compare the outcomes with a memory model" },
    { "version", cmd_version, "print the version" },
    { "help", cmd_help, "print this help, or that of a command" },
};

enum { COMMANDS = sizeof commands / sizeof *commands };

static int cmd_help(int argc, char **argv)
{
    if (argc > 1 && *argv[1] != '-')
        return cmd_help_of(argv[1]);
    puts("simtx simulates a GPU: it runs CUDA programs and PTX kernels on a machine without one.\n\n"
         "usage: simtx COMMAND [options]     `simtx COMMAND --help` explains each\n");
    for (int i = 0; i < COMMANDS; i++)
        printf("  %-9s %s\n", commands[i].name, commands[i].help);
    puts("\nExit codes: 0 success, 1 the program or kernel failed, 2 invalid usage or configuration, 3 errors in the\n"
         "PTX, 130 interrupted; `simtx run` ends with the exit code or the signal of the program.");
    return CMD_OK;
}

static const struct command *find(const char *name)
{
    if (!strcmp(name, "--help") || !strcmp(name, "-h"))
        name = "help";
    if (!strcmp(name, "--version"))
        name = "version";
    for (int i = 0; i < COMMANDS; i++)
        if (!strcmp(commands[i].name, name))
            return &commands[i];
    return NULL;
}

static const struct command *find_or_exit(const char *name)
{
    const struct command *c = find(name);
    const char *names[COMMANDS];
    if (c)
        return c;
    for (int i = 0; i < COMMANDS; i++)
        names[i] = commands[i].name;
    const char *near = diag_nearest(name, names, COMMANDS);
    if (near)
        cmd_usage_error("simtx", "unknown command '%s', did you mean '%s'?", name, near);
    cmd_usage_error("simtx", "unknown command '%s'", name);
}

static int cmd_help_of(const char *name)
{
    char command[] = "", option[] = "--help", *argv[] = {command, option, NULL};
    return find_or_exit(name)->run(2, argv);
}

/* If the caller closed a standard descriptor, an opened file would get its number, and the output would go to the
 * file. */
static void reserve_standard_files(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd > STDERR_FILENO)
        close(fd);
}

/* The reason why an earlier write has failed: that of another one. */
static int why_not_written(void)
{
    return write(STDOUT_FILENO, "\n", 1) < 0 ? errno : 0;
}

/* A command whose output cannot be written fails. */
static void check_output(int status, void *unused)
{
    (void)unused;
    errno = 0;
    if (!fflush(stdout) && !ferror(stdout))
        return;
    errno = errno ? errno : why_not_written();
    fprintf(stderr, "simtx: cannot write the standard output%s%s\n", errno ? ": " : "", errno ? strerror(errno) : "");
    _exit(status ? status : CMD_FAILED);
}

int main(int argc, char **argv)
{
    char *message;
    reserve_standard_files();
    on_exit(check_output, NULL);
    if (argc < 2) {
        cmd_help(argc, argv);
        return CMD_USAGE;
    }
    const struct command *c = find_or_exit(argv[1]);
    if (!session_environment(&message)) {
        fputs(message ? message : "simtx: out of memory\n", stderr);
        free(message);
        return CMD_USAGE;
    }
    return c->run(argc - 1, argv + 1);
}
