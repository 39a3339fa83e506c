/* ptxas, called by clang's CUDA driver.  simtx has no machine code, so this program checks the PTX with `simtx
 * ptx check`, which reports unsupported instructions at compile time, and copies the text to the output as the
 * "object". Text that uses clusters of blocks is marked as text for sm_90, whatever clang compiled it for. simtx-cc
 * names the architecture of the program: inline assembly may use what clang's version of PTX and target do not have. */
#include "tool.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "ptx/isa/types.h"

const char tool_name[] = "ptxas (simtx)";

static const char help[] =
    "ptxas (simtx): checks PTX with `simtx ptx check` and copies it; clang calls this while it compiles "
    "CUDA\n"
    "usage: ptxas [options] FILE.ptx\n"
    "  -o, --output-file FILE   file for the checked PTX (none: check only)\n"
    "  --gpu-name, -arch NAME   ignored: the .target line of the PTX decides\n"
    "  --source-arch NAME       mark the PTX as text of version " PTX_NEWEST_VERSION " for this architecture,\n"
    "                           at most sm_90a\n"
    "  -c, --compile-only       the code may refer to functions and variables of other files\n"
    "  -v, --verbose            print the output of `simtx ptx check` also for valid PTX\n"
    "Options for optimisation and debug information are accepted and have no effect.\n";

/* The simtx command of this tree: build/cuda/bin -> build/bin, PREFIX/share/simtx/cuda/bin -> PREFIX/bin. */
static char *find_simtx(void)
{
    static const char *const places[] = {"../../bin", "../../../../bin", NULL};
    char *own = file_own_folder(), *folder = file_find_folder(own, places, "simtx");
    free(own);
    if (!folder)
        tool_fail("the simtx command is not next to this CUDA directory (looked for ../../bin/simtx and "
                  "../../../../bin/simtx from the folder of ptxas); run `make` or reinstall");
    char *simtx = mem_format("%s/simtx", folder);
    free(folder);
    return simtx;
}

/* Exit status of `simtx ptx check FILE`; code of one file among several (-c) may refer to the others. */
static int check(const char *simtx, const char *file, bool verbose, bool part)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0)
        tool_fail("cannot start %s: %s", simtx, strerror(errno));
    if (pid == 0) {
        int out = verbose ? dup(2) : open("/dev/null", O_WRONLY);
        if (out >= 0)
            dup2(out, 1);
        execl(simtx, "simtx", "ptx", "check", part ? "--part" : file, part ? file : (char *)NULL, (char *)NULL);
        fprintf(stderr, "%s: error: cannot start %s: %s\n", tool_name, simtx, strerror(errno));
        _exit(127);
    }
    int status = 0;
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR)
            tool_fail("cannot wait for %s: %s", simtx, strerror(errno));
    }
    if (WIFSIGNALED(status))
        tool_fail("%s ended by signal %d while checking %s", simtx, WTERMSIG(status), file);
    return WEXITSTATUS(status);
}

/* Options of the real tool that take a value in the next argument. */
static bool takes_value(const char *arg)
{
    static const char *const names[] = {"--gpu-name",       "-arch", "--maxrregcount",    "-maxrregcount",
                                        "--entry",          "-e",    "--machine",         "--opt-level",
                                        "--def-load-cache", "-dlcm", "--def-store-cache", "-dscm",
                                        "--options-file",   "-optf"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(arg, names[i]))
            return true;
    return false;
}

struct request {
    const char *input, *output, *arch;   /* arch: --source-arch */
    bool verbose, part;                  /* part: -c */
};

static void read_argument(struct request *r, const char *a)
{
    if (!strcmp(a, "-v") || !strcmp(a, "--verbose"))
        r->verbose = true;
    else if (!strcmp(a, "-c") || !strcmp(a, "--compile-only"))
        r->part = true;
    else if (!strcmp(a, "-m32"))
        tool_fail("32-bit device code is not supported; compile with -m64");
    else if (a[0] == '-' && a[1])
        return;
    else if (r->input)
        tool_fail("one input file at a time, got '%s' and '%s'", r->input, a);
    else
        r->input = a;
}

static struct request read_arguments(int argc, char **argv)
{
    struct request r = {0};
    for (int i = 1; i < argc; i++) {
        tool_information(argv[i], help);
        if (tool_option(argv, argc, &i, "--output-file", &r.output) || tool_option(argv, argc, &i, "-o", &r.output) ||
            tool_option(argv, argc, &i, "--source-arch", &r.arch))
            continue;
        if (takes_value(argv[i]))
            i++;
        else
            read_argument(&r, argv[i]);
    }
    if (!r.input)
        tool_fail("no input file; try --help");
    return r;
}

/* ---- inline assembly for a later target and version of PTX than those of clang ---- */

/* The modifier .cluster (a scope, barrier.cluster) or ::cluster (shared memory), and not a longer word. */
static bool is_modifier(const char *at)
{
    static const char word[] = "cluster";
    if ((*at != '.' && *at != ':') || strncmp(at + 1, word, sizeof word - 1))
        return false;
    return !isalnum((unsigned char)at[sizeof word]) && at[sizeof word] != '_';
}

static bool is_of_clusters(const char *at)
{
    static const char *const words[] = {"mapa.",       "getctarank.", "%cluster_", "%clusterid",
                                        "%nclusterid", "%is_explicit_cluster"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strncmp(at, words[i], strlen(words[i])))
            return true;
    return is_modifier(at);
}

/* Texts in quotes are names of files. */
static bool uses_clusters(const char *text)
{
    bool quoted = false;
    for (; *text; text++) {
        quoted ^= *text == '"';
        if (!quoted && is_of_clusters(text))
            return true;
    }
    return false;
}

/* Replaces the number, of two digits or of one and one after a point, if it is lower. */
static bool raise_number(char *text, const char *after, const char *least)
{
    char *at = strstr(text, after);
    if (!at || strtod(at += strlen(after), NULL) >= strtod(least, NULL))
        return false;
    memcpy(at, least, strlen(least));
    return true;
}

static bool mark(char *text, const char *version, const char *target)
{
    bool later = raise_number(text, "\n.version ", version);
    return raise_number(text, "\n.target sm_", target) || later;
}

/* sm_90a has instructions that sm_90 and later architectures do not have. */
static void add_letter(char **text, size_t *size)
{
    static const char plain[] = "\n.target sm_90";
    char *at = strstr(*text, plain), *old = *text;
    if (!at || isalnum((unsigned char)at[sizeof plain - 1]))
        return;
    *text = mem_format("%.*sa%s", (int)(at - old + (long)sizeof plain - 1), old, at + sizeof plain - 1);
    ++*size;
    free(old);
}

static bool mark_target(char **text, size_t *size, const char *source_arch)
{
    bool marked = uses_clusters(*text) && mark(*text, "8.0", "90");
    const char *number = source_arch && !strncmp(source_arch, "sm_", 3) ? source_arch + 3 : NULL;
    if (number && strlen(number) >= 2)
        marked |= mark(*text, PTX_NEWEST_VERSION, strlen(number) > 2 ? "90" : number);
    if (marked && number && !strcmp(number, "90a"))
        add_letter(text, size);
    return marked;
}

static void write_output(const char *path, const char *text, size_t size)
{
    FILE *f = tool_create(path);
    fwrite(text, 1, size, f);
    tool_close(f, path);
}

int main(int argc, char **argv)
{
    struct request r = read_arguments(argc, argv);
    size_t size;
    char *text = tool_read(r.input, &size), *simtx = find_simtx();
    bool marked = r.output && mark_target(&text, &size, r.arch);
    if (marked)
        write_output(r.output, text, size);
    int rc = check(simtx, marked ? r.output : r.input, r.verbose, r.part);
    if (rc)
        fprintf(stderr, "%s: the device code was rejected; add -save-temps to the compiler's options to keep its PTX\n",
                tool_name);
    else if (r.output && !marked)
        write_output(r.output, text, size);
    if (rc && marked)
        remove(r.output);
    free(simtx);
    free(text);
    return rc;
}
