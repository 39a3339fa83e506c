/* Parses options from tables, prints --help and suggests similar names; the common options of commands that run
 * kernels. */
#include "frontend/cli/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "frontend/lib/config_load.h"
#include "frontend/session/env.h"

static const struct cmd_option common_options[] = {
    { "--config", "NAME|FILE", "configuration: a preset, a file, or several joined by +; may be repeated" },
    { "--set", "KEY=VALUE", "set one configuration key; may be repeated" },
    { "--timing", NULL, "simulate cycle by cycle (sim.mode=timing)" },
    { "--detail", "CHOICE", "timing mode only for kernel:NAME, launch:A-B; comma-separated (sim.detail)" },
    { "--window", "CYCLES[,FILE]", "timing mode: a time series with a row every CYCLES (stats.window; windows.csv)" },
    { "--trace", "FILE", "timing mode: a timeline for trace viewers (trace.file)" },
    { "--profile", "FILE", "timing mode: figures by source line, for `simtx profile` (profile.file)" },
    { "--threads", "N", "simulate on N host threads (functional.threads, sim.threads)" },
    { "--threads-relaxed", NULL, "also for kernels whose blocks communicate (functional.threads_relaxed)" },
    { "--check", "off|on|full", "timing mode: replay committed transactions; full also explains errors (tm.oracle)" },
    { "--simt", "stack|independent", "execution of diverged lanes (gpu.simt)" },
    { "--isa", "auto|base|avx2|avx512", "host vector instructions (host.isa)" },
    { "--stats", "FILE", "write statistics as JSON; %p in FILE is the process number" },
    { "--hash", NULL, "add memory_hash to the statistics, to compare the device memory of two runs (stats.hash)" },
    { "--verbose", NULL, "print the statistics as a table at the end" },
    { "--quiet", NULL, "no progress line and no start message" },
    { "--progress", NULL, "progress line even if stderr is not a terminal" },
    { "--no-progress", NULL, "no progress line" },
    { NULL, NULL, NULL }
};

/* ---- messages ---- */

void cmd_usage_error(const char *command, const char *fmt, ...)
{
    va_list ap;
    fprintf(stderr, "%s: ", command);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fprintf(stderr, "\n`%s --help` explains the options\n", command);
    exit(CMD_USAGE);
}

uint64_t cmd_number(const char *command, const char *option, const char *text, uint64_t most)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    if (end == text || *end || *text == '-' || errno || n > most)
        cmd_usage_error(command, "%s %s: expected a number", option, text);
    return n;
}

/* ---- the common options, collected as text ---- */

static char *configs, *assignments;      /* lines */
static simtx_config *trial;              /* receives each assignment at once, so that a message can name the option */

static void add_line(char **list, const char *prefix, const char *line)
{
    mem_append(list, "%s%s%s", *list ? "\n" : "", prefix, line);
}

/* Checks and collects the assignment that an option makes. */
static void add_assignment(const char *option, const char *key, const char *value)
{
    char *text = mem_format("%s%s", key, value), *message = NULL;
    if (!trial)
        trial = simtx_config_new();
    if (simtx_config_assign(trial, text, option, &message)) {
        fputs(message, stderr);
        exit(CMD_USAGE);
    }
    add_line(&assignments, "", text);
    free(text);
}

/* Files get full paths, since the program may change its folder before it reads them. */
static void add_config(const char *command, const char *name)
{
    char path[PATH_MAX];
    if (!*name)
        cmd_usage_error(command, "--config: expected the name of a preset or file");
    if (access(name, F_OK) == 0 && (strchr(name, '/') || strstr(name, ".cfg")) && realpath(name, path))
        add_line(&configs, "", path);
    else
        add_line(&configs, "", name);
}

static const char TRACE_FILE[] = "trace.file=", WINDOW_FILE[] = "stats.window_file=",
                  PROFILE_FILE[] = "profile.file=";

/* Two outputs to one file are an error; to a device they are allowed. */
static void check_output_once(const char *command, const char *path)
{
    enum { OUTPUTS_MAX = 16 };
    static char *outputs[OUTPUTS_MAX];
    static int n;
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return;
    for (int i = 0; i < n; i++)
        if (!strcmp(outputs[i], path))
            cmd_usage_error(command, "%s is the file of two outputs", path);
    if (n < OUTPUTS_MAX)
        outputs[n++] = mem_string(path);
}

/* The full path of an output file, since the program may change its folder. Checks that the file is writable, unless
 * its name depends on the process number. flags: O_TRUNC = an old file is emptied at once. */
static char *output_path(const char *command, const char *name, int flags)
{
    char folder[PATH_MAX];
    bool full = name[0] == '/' || !getcwd(folder, sizeof folder);
    char *path = full ? mem_string(name) : mem_format("%s/%s", folder, name);
    if (!strstr(path, "%p")) {
        int fd = open(path, O_WRONLY | O_CREAT | flags, 0666);
        if (fd < 0)
            cmd_usage_error(command, "cannot write %s: %s", path, strerror(errno));
        close(fd);
    }
    check_output_once(command, path);
    return path;
}

static void set_stats(const char *command, const char *name)
{
    char *path = output_path(command, name, 0);
    setenv(SIMTX_ENV_STATS, path, 1);
    free(path);
}

static void set_output(const char *command, const char *option, const char *key, const char *name)
{
    char *path = output_path(command, name, O_TRUNC);
    if (strpbrk(path, ";\n"))
        cmd_usage_error(command, "%s: the file's path must not contain ';'", option);
    add_assignment(option, key, path);
    free(path);
}

/* CYCLES[,FILE] */
static void set_window(const char *command, const char *option, const char *value)
{
    size_t n = strcspn(value, ",");
    char *cycles = mem_string_n(value, n), *end;
    if (n && !strtoull(cycles, &end, 10) && !*end)
        cmd_usage_error(command, "%s %s: expected a number of core cycles, at least 1", option, value);
    add_assignment(option, "stats.window=", cycles);
    set_output(command, option, WINDOW_FILE, value[n] && value[n + 1] ? value + n + 1 : "windows.csv");
    free(cycles);
}

/* --set; keys of output files get full paths. */
static void set_key(const char *command, const char *option, const char *assignment)
{
    static const char *const files[] = { TRACE_FILE, WINDOW_FILE, PROFILE_FILE };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        size_t n = strlen(files[i]);
        if (!strncmp(assignment, files[i], n) && assignment[n]) {
            set_output(command, option, files[i], assignment + n);
            return;
        }
    }
    add_assignment(option, "", assignment);
}

static void take_common(const char *command, const char *name, const char *value)
{
    if (!strcmp(name, "--config"))
        add_config(command, value);
    else if (!strcmp(name, "--set") && !strchr(value, '='))
        cmd_usage_error(command, "--set %s: expected KEY=VALUE", value);
    else if (!strcmp(name, "--set"))
        set_key(command, name, value);
    else if (!strcmp(name, "--threads")) {
        add_assignment(name, "functional.threads=", value);
        add_assignment(name, "sim.threads=", value);
    } else if (!strcmp(name, "--timing"))
        add_assignment(name, "sim.mode=", "timing");
    else if (!strcmp(name, "--detail")) {
        add_assignment(name, "sim.mode=", "timing");
        add_assignment(name, "sim.detail=", value);
    } else if (!strcmp(name, "--window"))
        set_window(command, name, value);
    else if (!strcmp(name, "--trace"))
        set_output(command, name, TRACE_FILE, value);
    else if (!strcmp(name, "--profile"))
        set_output(command, name, PROFILE_FILE, value);
    else if (!strcmp(name, "--threads-relaxed"))
        add_assignment(name, "functional.threads_relaxed=", "true");
    else if (!strcmp(name, "--check"))
        add_assignment(name, "tm.oracle=", value);
    else if (!strcmp(name, "--simt"))
        add_assignment(name, "gpu.simt=", value);
    else if (!strcmp(name, "--hash"))
        add_assignment(name, "stats.hash=", "true");
    else if (!strcmp(name, "--isa"))
        add_assignment(name, "host.isa=", value);
    else if (!strcmp(name, "--stats"))
        set_stats(command, value);
    else if (!strcmp(name, "--verbose"))
        setenv(SIMTX_ENV_VERBOSE, "1", 1);
    else if (!strcmp(name, "--quiet"))
        setenv(SIMTX_ENV_QUIET, "1", 1);
    else
        setenv(SIMTX_ENV_PROGRESS, strcmp(name, "--progress") ? "0" : "1", 1);
}

static void extend_env(const char *name, const char *more)
{
    const char *old = getenv(name);
    if (!more)
        return;
    char *all = old && *old ? mem_format("%s\n%s", old, more) : mem_string(more);
    setenv(name, all, 1);
    free(all);
}

void cmd_export_common(const char *command)
{
    extend_env(SIMTX_ENV_CONFIG, configs);
    extend_env(SIMTX_ENV_SET, assignments);
    simtx_config_free(trial);
    free(configs);
    free(assignments);
    trial = NULL;
    configs = assignments = NULL;
}

/* ---- options from tables ---- */

static void print_rows(const struct cmd_option *rows)
{
    for (; rows->name; rows++) {
        char head[64];
        snprintf(head, sizeof head, "%s%s%s", rows->name, rows->value ? " " : "",
                 rows->value ? rows->value : "");
        printf("  %-30s %s\n", head, rows->help);
    }
}

static void print_help(const struct cmd_args *a)
{
    fputs(a->usage, stdout);
    if (a->options[0].name || a->common)
        puts("\nOptions:");
    print_rows(a->options);
    if (a->common)
        print_rows(common_options);
    print_rows((const struct cmd_option[]){ { "--help", NULL, "print this help" }, { NULL, NULL, NULL } });
}

/* The row whose name is the first `len` characters of text; -1 = none. */
static int find_row(const struct cmd_option *rows, const char *text, size_t len)
{
    for (int i = 0; rows[i].name; i++)
        if (strlen(rows[i].name) == len && !memcmp(rows[i].name, text, len))
            return i;
    return -1;
}

static size_t collect_names(const struct cmd_option *rows, const char **names, size_t n, size_t max)
{
    for (; rows->name && n < max; rows++)
        names[n++] = rows->name;
    return n;
}

__attribute__((noreturn)) static void unknown_option(const struct cmd_args *a, const char *text)
{
    const char *names[64] = { "--help" };
    size_t n = collect_names(a->options, names, 1, 64);
    if (a->common)
        n = collect_names(common_options, names, n, 64);
    const char *near = diag_nearest(text, names, n);
    if (near)
        cmd_usage_error(a->command, "unknown option %s, did you mean %s?", text, near);
    cmd_usage_error(a->command, "unknown option %s", text);
}

/* The value of an option is after '=' or is the next argument; a value in brackets, "[N]", may be left out, and as the
 * next argument it is a number. */
static void take_value(struct cmd_args *a, const struct cmd_option *row, const char *text, size_t len)
{
    a->value = text[len] == '=' ? text + len + 1 : NULL;
    if (!row->value && a->value)
        cmd_usage_error(a->command, "%s takes no value", row->name);
    bool optional = row->value && row->value[0] == '[';
    if (optional && !a->value && (a->at == a->argc || strspn(a->argv[a->at], "0123456789") == 0))
        return;
    if (row->value && !a->value) {
        if (a->at == a->argc || !strcmp(a->argv[a->at], "--"))
            cmd_usage_error(a->command, "%s needs a value: %s %s", row->name, row->name, row->value);
        a->value = a->argv[a->at++];
    }
}

int cmd_args_next(struct cmd_args *a)
{
    while (a->at < a->argc) {
        const char *text = a->argv[a->at++];
        size_t len = strcspn(text, "=");
        int i;
        if (!strcmp(text, "--help") || !strcmp(text, "-h")) {
            print_help(a);
            exit(CMD_OK);
        }
        if (a->words_end && !strcmp(text, "--")) {
            a->value = a->at < a->argc ? a->argv[a->at++] : NULL;
            return a->value ? CMD_ARG_WORD : CMD_ARG_END;
        }
        if (text[0] != '-' || !text[1]) {
            a->value = text;
            return CMD_ARG_WORD;
        }
        if ((i = find_row(a->options, text, len)) >= 0) {
            take_value(a, &a->options[i], text, len);
            return i;
        }
        if (!a->common || (i = find_row(common_options, text, len)) < 0)
            unknown_option(a, text);
        take_value(a, &common_options[i], text, len);
        take_common(a->command, common_options[i].name, a->value);
    }
    return CMD_ARG_END;
}
