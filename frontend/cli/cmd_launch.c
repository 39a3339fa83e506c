/*
 * `simtx launch`: runs one kernel of a PTX file with arguments from the command line, then prints, saves or compares
 * its buffers.
 */
#include "frontend/cli/cmd.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/file.h"
#include "frontend/session/atomic_file.h"
#include "frontend/session/session.h"
#include "frontend/cli/arg_value.h"

static const char COMMAND[] = "simtx launch";
static const char USAGE[] =
    "usage: simtx launch FILE.ptx [--kernel NAME] --grid X[,Y[,Z]] --block X[,Y[,Z]] [--arg ARGUMENT ...]\n\n"
    "Runs one kernel. The ARGUMENTs are in the order of the kernel's parameters:\n"
    "  u32:5  s64:-1  f32:1.5  b16:0xffff     a scalar\n"
    "  f32[1024]:0                            a buffer of 1024 elements, all 0\n"
    "  u32[]:1,2,3                            a buffer of these elements\n"
    "  f32[256]:iota  u32[256]:random(7)      0, 1, 2 ...; random numbers from seed 7 (floats in 0 .. 1)\n"
    "  f32[]:@FILE                            a buffer with the contents of the file\n"
    "  in:FILE                                the same with elements of type u8\n"
    "  out:FILE,BYTES                         a zeroed buffer that is saved to the file after the launch\n"
    "  NAME=...                               any of these with a name; NAME alone passes the same buffer again\n"
    "ARG below is the number of an argument, from 0, or its name.\n";

enum { OPT_KERNEL, OPT_GRID, OPT_BLOCK, OPT_CLUSTER, OPT_SHARED, OPT_ARG, OPT_PRINT, OPT_SAVE, OPT_EXPECT };
static const struct cmd_option OPTIONS[] = {
    [OPT_KERNEL] = { "--kernel", "NAME", "kernel to run; optional if the file has only one" },
    [OPT_GRID] = { "--grid", "X[,Y[,Z]]", "number of blocks" },
    [OPT_BLOCK] = { "--block", "X[,Y[,Z]]", "number of threads per block" },
    [OPT_CLUSTER] = { "--cluster", "X[,Y[,Z]]", "number of blocks per cluster" },
    [OPT_SHARED] = { "--shared", "BYTES", "dynamic shared memory per block" },
    [OPT_ARG] = { "--arg", "ARGUMENT", "the next argument" },
    [OPT_PRINT] = { "--print", "ARG[:COUNT]", "print a buffer, or its first COUNT elements, after the launch" },
    [OPT_SAVE] = { "--save", "ARG:FILE", "write a buffer to a file after the launch" },
    [OPT_EXPECT] = { "--expect", "ARG:FILE", "fail if the buffer differs from the file after the launch" },
    { NULL, NULL, NULL }
};

enum { ARGS_MAX = 256, ACTIONS_MAX = 256 };

struct argument {
    char *name;
    struct arg_value value;
    int same_as;             /* earlier argument with the same buffer, or -1 */
    void *device;
};

/* --print, --save or --expect */
struct action { int option; const char *text; };

struct launch_command {
    const char *file, *kernel;
    simtx_dim3 grid, block, cluster;
    size_t shared;
    struct argument arg[ARGS_MAX];
    int nargs;
    struct action action[ACTIONS_MAX];
    int nactions;
    simtx_gpu *gpu;
};

/* ---- the command line ---- */

static simtx_dim3 parse_dim3(const char *option, const char *text)
{
    uint32_t v[3] = { 1, 1, 1 };
    const char *p = text;
    for (int i = 0; i < 3; i++) {
        char *end;
        unsigned long long x = strtoull(p, &end, 10);
        if (end == p || !isdigit((unsigned char)*p) || !x || x > UINT32_MAX || (*end && *end != ','))
            cmd_usage_error(COMMAND, "%s %s: expected one to three positive numbers, X,Y,Z", option, text);
        v[i] = (uint32_t)x;
        if (!*end)
            return (simtx_dim3){ v[0], v[1], v[2] };
        p = end + 1;
    }
    cmd_usage_error(COMMAND, "%s %s: more than three numbers", option, text);
}

static size_t parse_size(const char *option, const char *text)
{
    char *end;
    unsigned long long x = strtoull(text, &end, 0);
    if (end == text || *end || !isdigit((unsigned char)*text) || x > UINT32_MAX)
        cmd_usage_error(COMMAND, "%s %s: expected a number of bytes", option, text);
    return x;
}

static int find_named(const struct launch_command *l, const char *name, size_t len)
{
    for (int i = 0; i < l->nargs; i++)
        if (l->arg[i].name && strlen(l->arg[i].name) == len && !memcmp(l->arg[i].name, name, len))
            return i;
    return -1;
}

static void add_argument(struct launch_command *l, const char *text)
{
    if (l->nargs == ARGS_MAX)
        cmd_usage_error(COMMAND, "more than %d arguments", ARGS_MAX);
    struct argument *a = &l->arg[l->nargs];
    size_t n = strcspn(text, "=:[");
    char *why;
    a->same_as = -1;
    if (!text[n]) {
        a->same_as = find_named(l, text, n);
        if (a->same_as < 0)
            cmd_usage_error(COMMAND, "--arg %s: no argument has this name (a value needs its type, as in u32:5)",
                            text);
    } else {
        const char *spec = text[n] == '=' ? text + n + 1 : text;
        if (spec != text) {
            if (!n || isdigit((unsigned char)text[0]) || find_named(l, text, n) >= 0)
                cmd_usage_error(COMMAND, "--arg %s: '%.*s' is not a new name", text, (int)n, text);
            a->name = mem_string_n(text, n);
        }
        if (!arg_value_parse(spec, &a->value, &why))
            cmd_usage_error(COMMAND, "--arg %s: %s", text, why ? why : "no memory");
    }
    l->nargs++;
}

static void add_action(struct launch_command *l, int option, const char *text)
{
    if (l->nactions == ACTIONS_MAX)
        cmd_usage_error(COMMAND, "more than %d of --print, --save and --expect", ACTIONS_MAX);
    l->action[l->nactions++] = (struct action){ option, text };
}

static void parse(struct launch_command *l, int argc, char **argv)
{
    struct cmd_args a = { COMMAND, USAGE, OPTIONS, true, false, argc, 1, argv, NULL };
    int which;
    while ((which = cmd_args_next(&a)) != CMD_ARG_END) {
        switch (which) {
        case OPT_KERNEL: l->kernel = a.value; break;
        case OPT_GRID: l->grid = parse_dim3("--grid", a.value); break;
        case OPT_BLOCK: l->block = parse_dim3("--block", a.value); break;
        case OPT_CLUSTER: l->cluster = parse_dim3("--cluster", a.value); break;
        case OPT_SHARED: l->shared = parse_size("--shared", a.value); break;
        case OPT_ARG: add_argument(l, a.value); break;
        case OPT_PRINT:
        case OPT_SAVE:
        case OPT_EXPECT: add_action(l, which, a.value); break;
        default:
            if (l->file)
                cmd_usage_error(COMMAND, "one PTX file at a time, got '%s' and '%s'", l->file, a.value);
            l->file = a.value;
        }
    }
    if (!l->file)
        cmd_usage_error(COMMAND, "no PTX file given");
    if (!l->grid.x)
        cmd_usage_error(COMMAND, "the number of blocks, --grid X[,Y[,Z]] is missing");
    if (!l->block.x)
        cmd_usage_error(COMMAND, "the number of threads per block, --block X[,Y[,Z]] is missing");
}

static bool is_count(const char *text)
{
    char *end;
    strtoull(text, &end, 0);
    return isdigit((unsigned char)*text) && !*end;
}

/* The argument that an action names; *rest: the part after the colon, NULL = none. */
static struct argument *find_buffer(struct launch_command *l, const struct action *act, const char **rest)
{
    size_t n = strcspn(act->text, ":");
    const char *option = OPTIONS[act->option].name;
    int i = find_named(l, act->text, n);
    char *end;
    *rest = act->text[n] ? act->text + n + 1 : NULL;
    if (i < 0 && isdigit((unsigned char)act->text[0])) {
        long number = strtol(act->text, &end, 10);
        if (end == act->text + n && number < l->nargs)
            i = (int)number;
    }
    if (i < 0)
        cmd_usage_error(COMMAND, "%s %s: there is no argument '%.*s'", option, act->text, (int)n, act->text);
    if (l->arg[i].same_as >= 0)
        i = l->arg[i].same_as;
    if (!l->arg[i].value.buffer)
        cmd_usage_error(COMMAND, "%s %s: the argument is a scalar, not a buffer", option, act->text);
    if (act->option != OPT_PRINT && !(*rest && **rest))
        cmd_usage_error(COMMAND, "%s %s: expected ARG:FILE", option, act->text);
    if (act->option == OPT_PRINT && *rest && !is_count(*rest))
        cmd_usage_error(COMMAND, "%s %s: expected ARG:COUNT", option, act->text);
    return &l->arg[i];
}

/* ---- kernel and parameters ---- */

static void list_kernels(simtx_module *m)
{
    simtx_kernel *k;
    for (int i = 0; (k = simtx_module_kernel_at(m, i)); i++) {
        simtx_kernel_info info;
        simtx_kernel_get_info(k, &info);
        fprintf(stderr, "    %s\n", info.name);
    }
}

/* The kernel that the user may mean: one whose name contains the text, as the mangled name of a C++ function does, or
 * the nearest. */
static const char *near_kernel(simtx_module *m, const char *wanted)
{
    enum { MAX = 1000 };
    const char *names[MAX];
    simtx_kernel *k;
    int n = 0;
    for (; n < MAX && (k = simtx_module_kernel_at(m, n)); n++) {
        simtx_kernel_info info;
        simtx_kernel_get_info(k, &info);
        names[n] = info.name;
        if (strstr(info.name, wanted))
            return info.name;
    }
    return diag_nearest(wanted, names, (size_t)n);
}

/* NULL after printing a message. */
static simtx_kernel *find_kernel(const struct launch_command *l, simtx_module *m)
{
    if (!simtx_module_kernel_at(m, 0)) {
        fprintf(stderr, "%s: %s has no kernels\n", COMMAND, l->file);
        return NULL;
    }
    if (!l->kernel && !simtx_module_kernel_at(m, 1))
        return simtx_module_kernel_at(m, 0);
    simtx_kernel *k = l->kernel ? simtx_module_kernel(m, l->kernel) : NULL;
    if (k)
        return k;
    const char *near = l->kernel ? near_kernel(m, l->kernel) : NULL;
    if (l->kernel)
        fprintf(stderr, "%s: %s has no kernel %s%s%s; it has\n", COMMAND, l->file, l->kernel,
                near ? ", did you mean " : "", near ? near : "");
    else
        fprintf(stderr, "%s: --kernel NAME is missing, one of\n", COMMAND);
    list_kernels(m);
    return NULL;
}

static const struct arg_value *value_of(const struct launch_command *l, int i)
{
    return &l->arg[l->arg[i].same_as >= 0 ? l->arg[i].same_as : i].value;
}

static bool is_float(const char *type)
{
    return type[0] == 'f';
}

static bool check_parameter(const struct launch_command *l, int i, const simtx_param_info *p)
{
    const struct arg_value *v = value_of(l, i);
    bool whole = v->buffer || ptx_type_class(v->type) == 'u' || ptx_type_class(v->type) == 's';
    size_t bytes = v->buffer ? sizeof(void *) : v->bytes;
    if (bytes != p->size)
        fprintf(stderr, "%s: argument %d is %s of %zu bytes; the parameter is %s of %u bytes\n", COMMAND, i,
                v->buffer ? "the address of a buffer," : ptx_type_name(v->type), bytes, p->type, p->size);
    else if ((is_float(p->type) && whole) || ((p->type[0] == 'u' || p->type[0] == 's') && !whole &&
                                               ptx_type_class(v->type) == 'f'))
        fprintf(stderr, "%s: argument %d is %s; the parameter is %s\n", COMMAND, i,
                v->buffer ? "the address of a buffer" : ptx_type_name(v->type), p->type);
    else
        return true;
    return false;
}

static bool check_parameters(const struct launch_command *l, const simtx_kernel_info *info)
{
    bool ok = true;
    if ((uint32_t)l->nargs != info->nparams) {
        fprintf(stderr, "%s: %s takes %u arguments, %d given; its parameters are\n", COMMAND, info->name,
                info->nparams,
                l->nargs);
        for (uint32_t i = 0; i < info->nparams; i++)
            fprintf(stderr, "    %u: %s, %u bytes\n", i, info->params[i].type, info->params[i].size);
        return false;
    }
    for (int i = 0; i < l->nargs; i++)
        ok &= check_parameter(l, i, &info->params[i]);
    return ok;
}

/* ---- the launch ---- */

/* False after printing a message. */
static bool make_buffer(struct launch_command *l, int i)
{
    struct argument *a = &l->arg[i];
    char *why = NULL;
    if (simtx_malloc(l->gpu, a->value.bytes, SIMTX_MEM_DEVICE, &a->device))
        fprintf(stderr, "%s: argument %d: %s\n", COMMAND, i, simtx_last_message(l->gpu));
    else if (!arg_value_fill(&a->value, a->device, &why))
        fprintf(stderr, "%s: argument %d: %s\n", COMMAND, i, why ? why : "no memory");
    else if (simtx_after_copy_to_device(l->gpu, a->device, a->value.bytes))
        fprintf(stderr, "%s: argument %d: %s\n", COMMAND, i, simtx_last_message(l->gpu));
    else
        return true;
    free(why);
    return false;
}

static bool make_buffers(struct launch_command *l)
{
    for (int i = 0; i < l->nargs; i++) {
        struct argument *a = &l->arg[i];
        if (a->same_as < 0 && a->value.buffer && !make_buffer(l, i))
            return false;
    }
    return true;
}

static void print_sample(const simtx_kernel_info *info, const simtx_launch_stats *s)
{
    if (s->sampled_blocks)
        fprintf(stderr, "simtx: %s: sampled: %llu blocks were simulated, core cycles +- %.1f %% (95 %% confidence)\n",
                info->name, (unsigned long long)s->sampled_blocks, 100 * s->cycles_error);
}

static void print_summary(const simtx_kernel_info *info, const simtx_launch_stats *s)
{
    const char *quiet = getenv("SIMTX_QUIET");
    if (quiet && !strcmp(quiet, "1"))
        return;
    fprintf(stderr, "simtx: %s: %llu blocks, %llu threads, %llu thread instructions, %.3f s, %.1f M inst/s\n",
            info->name,
            (unsigned long long)s->blocks, (unsigned long long)s->threads, (unsigned long long)s->thread_instructions,
            s->seconds, s->seconds > 0 ? (double)s->thread_instructions / s->seconds / 1e6 : 0);
    if (s->cycles)
        fprintf(stderr, "simtx: %s: %llu core cycles, IPC %.2f, %.1f k cycles/s\n", info->name,
                (unsigned long long)s->cycles, (double)s->thread_instructions / (double)s->cycles,
                s->seconds > 0 ? (double)s->cycles / s->seconds / 1e3 : 0);
    print_sample(info, s);
}

static int report_failure(simtx_gpu *g, simtx_status s, const simtx_fault *fault)
{
    const char *text = s == SIMTX_FAULT ? fault->report : simtx_last_message(g);
    bool report = s == SIMTX_FAULT || s == SIMTX_HANG || s == SIMTX_INTERNAL;
    fflush(stdout);
    fprintf(stderr, "%s%s%s", report ? "" : "simtx launch: ", text,
            *text && text[strlen(text) - 1] == '\n' ? "" : "\n");
    bool ran = s == SIMTX_FAULT || s == SIMTX_INTERRUPTED || s == SIMTX_HANG || s == SIMTX_INTERNAL;
    return ran ? CMD_FAILED : CMD_USAGE;
}

static int run(struct launch_command *l, simtx_kernel *k, const simtx_kernel_info *info)
{
    const void *pointers[ARGS_MAX];
    simtx_fault fault = { .kind = SIMTX_FAULT_NONE };
    simtx_launch_stats stats;
    if (!make_buffers(l))
        return CMD_FAILED;
    for (int i = 0; i < l->nargs; i++) {
        const struct argument *a = &l->arg[l->arg[i].same_as >= 0 ? l->arg[i].same_as : i];
        pointers[i] = a->value.buffer ? (const void *)&a->device : a->value.data;
    }
    simtx_launch_params p = { .grid = l->grid, .block = l->block, .cluster = l->cluster, .dynamic_shared = l->shared,
                             .args = pointers };
    if (l->shared)
        simtx_kernel_set_max_dynamic_shared(k, l->shared);
    session_launch_begin(l->gpu);
    simtx_status s = simtx_launch(k, &p, &stats, &fault);
    session_launch_end(l->gpu, s);
    if (s)
        return report_failure(l->gpu, s, &fault);
    print_summary(info, &stats);
    return CMD_OK;
}

/* ---- actions after the launch ---- */

static int print_buffer(const struct argument *a, const struct action *act, const char *rest)
{
    size_t n = rest ? strtoull(rest, NULL, 0) : a->value.count;
    if (n > a->value.count)
        n = a->value.count;
    printf("%.*s:", (int)strcspn(act->text, ":"), act->text);
    for (size_t i = 0; i < n; i++) {
        putchar(' ');
        arg_value_print(stdout, &a->value, a->device, i);
    }
    puts(n < a->value.count ? " ..." : "");
    return CMD_OK;
}

static int save_buffer(const struct argument *a, const char *path)
{
    struct atomic_file r;
    bool ok = atomic_file_open(&r, path);
    if (ok)
        ok = atomic_file_close(&r, fwrite(a->device, 1, a->value.bytes, r.file) == a->value.bytes);
    if (!ok)
        fprintf(stderr, "%s: cannot write %s: %s\n", COMMAND, path, strerror(errno));
    return ok ? CMD_OK : CMD_FAILED;
}

static int compare_buffer(const struct argument *a, const struct action *act, const char *path)
{
    size_t n = 0, at = 0, size = (size_t)ptx_type_size(a->value.type);
    char *want = file_read(path, &n);
    const char *got = a->device;
    int status = CMD_FAILED;
    if (!want) {
        fprintf(stderr, "%s: %s: %s\n", COMMAND, path, strerror(errno));
        return CMD_USAGE;
    }
    while (at < n && at < a->value.bytes && want[at] == got[at])
        at++;
    if (n != a->value.bytes) {
        fprintf(stderr, "%s: --expect %s: the buffer has %zu bytes, the file %zu\n", COMMAND, act->text,
                a->value.bytes, n);
    } else if (at < n) {
        fprintf(stderr, "%s: --expect %s: element %zu is ", COMMAND, act->text, at / size);
        arg_value_print(stderr, &a->value, got, at / size);
        fputs(", expected ", stderr);
        arg_value_print(stderr, &a->value, want, at / size);
        fputc('\n', stderr);
    } else {
        status = CMD_OK;
    }
    free(want);
    return status;
}

/* Files that cannot be read or written are errors before the launch. */
static void check_file(const char *option, const char *what, const char *file, bool usable)
{
    if (!usable)
        cmd_usage_error(COMMAND, "%s: cannot %s %s: %s", option, what, file, strerror(errno));
}

static void check_actions(struct launch_command *l)
{
    for (int i = 0; i < l->nactions; i++) {
        const struct action *act = &l->action[i];
        const char *file;
        find_buffer(l, act, &file);
        if (act->option == OPT_SAVE)
            check_file("--save", "write", file, atomic_file_writable(file));
        else if (act->option == OPT_EXPECT)
            check_file("--expect", "read", file, access(file, R_OK) == 0);
    }
    for (int i = 0; i < l->nargs; i++)
        if (l->arg[i].value.save)
            check_file("--arg", "write", l->arg[i].value.save, atomic_file_writable(l->arg[i].value.save));
}

static int run_actions(struct launch_command *l)
{
    int status = CMD_OK;
    for (int i = 0; i < l->nactions; i++) {
        const struct action *act = &l->action[i];
        const char *rest;
        const struct argument *a = find_buffer(l, act, &rest);
        int s = act->option == OPT_PRINT  ? print_buffer(a, act, rest)
                : act->option == OPT_SAVE ? save_buffer(a, rest)
                                          : compare_buffer(a, act, rest);
        status = s > status ? s : status;
    }
    for (int i = 0; i < l->nargs; i++) {
        int s = l->arg[i].value.save ? save_buffer(&l->arg[i], l->arg[i].value.save) : CMD_OK;
        status = s > status ? s : status;
    }
    return status;
}

static int launch_in(struct launch_command *l, const char *text, size_t size)
{
    simtx_module *m;
    if (simtx_module_load(l->gpu, text, size, l->file, &m)) {
        fputs(simtx_last_message(l->gpu), stderr);
        return CMD_PTX;
    }
    simtx_kernel_info info;
    simtx_kernel *k = find_kernel(l, m);
    if (!k)
        return CMD_USAGE;
    simtx_kernel_get_info(k, &info);
    if (!check_parameters(l, &info))
        return CMD_USAGE;
    int status = run(l, k, &info);
    return status == CMD_OK ? run_actions(l) : status;
}

static int open_gpu(struct launch_command *l)
{
    char *message = NULL;
    l->gpu = session_new_gpu(0, &message);
    if (!l->gpu)
        fprintf(stderr, "%s", message ? message : "simtx launch: no memory\n");
    free(message);
    return l->gpu ? CMD_OK : CMD_USAGE;
}

int cmd_launch(int argc, char **argv)
{
    static struct launch_command l;      /* large */
    size_t size = 0;
    parse(&l, argc, argv);
    cmd_export_common(COMMAND);
    check_actions(&l);
    char *text = cmd_read_ptx(COMMAND, l.file, &size);
    if (!text)
        return CMD_USAGE;
    int status = open_gpu(&l);
    if (status == CMD_OK) {
        status = launch_in(&l, text, size);
        bool written = session_remove_gpu(l.gpu);
        simtx_gpu_free(l.gpu);
        written &= session_end();
        if (!written && status == CMD_OK)
            status = CMD_FAILED;
    }
    for (int i = 0; i < l.nargs; i++) {
        arg_value_free(&l.arg[i].value);
        free(l.arg[i].name);
    }
    free(text);
    return status;
}
