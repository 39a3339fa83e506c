/* ptxas, called by clang's CUDA driver.  simtx has no machine code, so this program checks the PTX with `simtx
 * ptx check`, which reports unsupported instructions at compile time, and copies the text to the output as the
 * "object". */
#include "tool.h"

#include <fcntl.h>
#include <sys/wait.h>

const char tool_name[] = "ptxas (simtx)";

static const char help[] =
    "ptxas (simtx): checks PTX with `simtx ptx check` and copies it; clang calls this while it compiles "
    "CUDA\n"
    "usage: ptxas [options] FILE.ptx\n"
    "  -o, --output-file FILE   file for the checked PTX (none: check only)\n"
    "  --gpu-name, -arch NAME   ignored: the .target line of the PTX decides\n"
    "  -c, --compile-only       the code may refer to functions and variables of other files\n"
    "  -v, --verbose            print the output of `simtx ptx check` also for valid PTX\n"
    "Options for optimisation and debug information are accepted and have no effect.\n";

/* The simtx command of this tree: build/cuda/bin -> build/bin, PREFIX/share/simtx/cuda/bin -> PREFIX/bin. */
static bool find_simtx(char path[PATH_MAX])
{
    static const char *const places[] = {"../../bin/simtx", "../../../../bin/simtx"};
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        return false;
    self[n] = 0;
    char *slash = strrchr(self, '/');
    if (!slash)
        return false;
    slash[1] = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (snprintf(path, PATH_MAX, "%s%s", self, places[i]) < PATH_MAX && access(path, X_OK) == 0)
            return true;
    }
    return false;
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

int main(int argc, char **argv)
{
    const char *input = NULL, *output = NULL;
    bool verbose = false, part = false;
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];
        if (!strcmp(a, "--help") || !strcmp(a, "-h")) {
            fputs(help, stdout);
            return 0;
        }
        if (!strcmp(a, "--version") || !strcmp(a, "-V")) {
            puts("ptxas (simtx), release 11.5, V11.5.0");
            return 0;
        }
        if (tool_option(argv, argc, &i, "--output-file", &output) ||
            tool_option(argv, argc, &i, "-o", &output))
            continue;
        if (!strcmp(a, "-v") || !strcmp(a, "--verbose"))
            verbose = true;
        else if (!strcmp(a, "-c") || !strcmp(a, "--compile-only"))
            part = true;
        else if (!strcmp(a, "-m32"))
            tool_fail("32-bit device code is not supported; compile with -m64");
        else if (takes_value(a))
            i++;
        else if (a[0] == '-' && a[1])
            continue;
        else if (input)
            tool_fail("one input file at a time, got '%s' and '%s'", input, a);
        else
            input = a;
    }
    if (!input)
        tool_fail("no input file; try --help");

    size_t size;
    char *text = tool_read(input, &size);
    char simtx[PATH_MAX];
    if (!find_simtx(simtx))
        tool_fail("the simtx command is not next to this CUDA directory (looked for ../../bin/simtx and "
                  "../../../../bin/simtx from the folder of ptxas); run `make` or reinstall");
    int rc = check(simtx, input, verbose, part);
    if (rc) {
        fprintf(
            stderr,
            "%s: the device code was rejected; add -save-temps to the compiler's options to keep its PTX\n",
            tool_name);
    } else if (output) {
        FILE *f = tool_create(output);
        fwrite(text, 1, size, f);
        tool_close(f, output);
    }
    free(text);
    return rc;
}
