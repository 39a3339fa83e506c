/*
 * Kernels that go wrong, one a file, all run in one process through the library: the fault's kind, PTX line,
 * block, thread, address and words must be those that the file announces in its first comments, and the GPU
 * must run a good kernel right after.      faults FILE.ptx...
 *
 *   grid X,Y,Z  block X,Y,Z  shared BYTES     the launch
 *   argument buffer|odd|freed|host            what the first parameter points to (default buffer, 1024 bytes)
 *   fault KIND  block X,Y,Z  thread X,Y,Z|any  address NUMBER|buffer+N|odd+N|freed+N|host|any|none
 *   says TEXT         must stand in the report          names MARK   the line that ends in "// MARK" must be
 * named config key=value  for this file                     only stack|independent|warp 32 result independent
 * OFFSET = VALUE         with independent lanes it ends well, and leaves this word in the buffer The line
 * that faults ends in "// here".
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "frontend/lib/simtx.h"

enum { TEXT_MAX = 1 << 14, BUFFER = 1024, ODD = 1020, FREED = 512, SETTINGS = 8 };

/* What all programs share in one configuration. */
struct machine { const char *name, *settings[SETTINGS]; bool independent, wide; };

struct program {
    const char *path;
    char text[TEXT_MAX];
    size_t size;
    simtx_dim3 grid, block;
    size_t shared;
};

static int passed, failed;

static void verdict(const struct program *p, const struct machine *m, const char *wrong, const char *detail)
{
    if (!wrong) {
        passed++;
        return;
    }
    failed++;
    printf("%s (%s): %s\n%s\n", p->path, m->name, wrong, detail);
}

/* ---- the comments ---- */

/* The rest of the n-th comment line that starts with the word, or NULL; `out` holds it. */
static const char *comment(const struct program *p, const char *word, int n, char *out, size_t size)
{
    for (const char *at = p->text; !strncmp(at, "// ", 3); at = strchr(at, '\n') + 1) {
        size_t len = strlen(word);
        if (strncmp(at + 3, word, len) || at[3 + len] != ' ' || n-- > 0)
            continue;
        const char *rest = at + 4 + len;
        snprintf(out, size, "%.*s", (int)strcspn(rest, "\n"), rest);
        return out;
    }
    return NULL;
}

/* The words behind `word` in a line of "word value  word value". */
static const char *value_of(const char *line, const char *word, char *out, size_t size)
{
    const char *at = line;
    size_t len = strlen(word);
    while ((at = strstr(at, word)) && at[len] != ' ')
        at += len;
    out[0] = 0;
    if (at)
        snprintf(out, size, "%.*s", (int)strcspn(at + len + 1, " "), at + len + 1);
    return at ? out : NULL;
}

static simtx_dim3 dim3_of(const char *text)
{
    unsigned x = 1, y = 1, z = 1;
    sscanf(text, "%u,%u,%u", &x, &y, &z);
    return (simtx_dim3){ x, y, z };
}

/* The number of the line that ends in "// mark"; 0 when there is none. */
static unsigned marked_line(const struct program *p, const char *mark)
{
    char end[80];
    unsigned line = 1;
    int n = snprintf(end, sizeof end, "// %s\n", mark);
    const char *at = strstr(p->text, end);
    for (const char *c = p->text; at && c < at; c++)
        line += *c == '\n';
    return at && n > 4 ? line : 0;
}

static bool read_program(struct program *p, const char *path)
{
    char line[256], word[64];
    FILE *f = fopen(path, "rb");
    p->path = path;
    p->size = f ? fread(p->text, 1, sizeof p->text - 1, f) : 0;
    p->text[p->size] = 0;
    if (f)
        fclose(f);
    if (!comment(p, "grid", 0, line, sizeof line) || !value_of(line, "block", word, sizeof word))
        return false;
    p->grid = dim3_of(line);
    p->block = dim3_of(word);
    p->shared = value_of(line, "shared", word, sizeof word) ? strtoul(word, NULL, 10) : 0;
    return true;
}

/* ---- a GPU with memory ---- */

struct bench { simtx_gpu *gpu; simtx_kernel *good; char *buffer, *odd, *freed; };

static const char good_text[] =
    ".version 7.5\n.target sm_70\n.address_size 64\n.visible .entry good(.param .u64 p)\n{\n"
    ".reg .b64 %rd<2>;\n.reg .b32 %r<2>;\nld.param.u64 %rd1, [p];\n"
    "mov.u32 %r1, 0x600d;\nst.global.u32 [%rd1+512], %r1;\nret;\n}\n";

static void quiet(void *ctx, const char *text, size_t len)
{
    (void)ctx, (void)text, (void)len;
}

static bool bench_open(struct bench *b, int index, const char *const *settings)
{
    simtx_config *c = simtx_config_new();
    simtx_module *m = NULL;
    char *message = NULL;
    bool fine = true;
    for (int i = 0; settings[i]; i++)
        fine &= simtx_config_set(c, settings[i], &message) == SIMTX_OK;
    b->gpu = fine ? simtx_gpu_new(c, index, &message) : NULL;
    simtx_config_free(c);
    fine = b->gpu && !simtx_malloc(b->gpu, BUFFER, SIMTX_MEM_DEVICE, (void **)&b->buffer) &&
           !simtx_malloc(b->gpu, ODD, SIMTX_MEM_DEVICE, (void **)&b->odd) &&
           !simtx_malloc(b->gpu, FREED, SIMTX_MEM_DEVICE, (void **)&b->freed) &&
           !simtx_free(b->gpu, b->freed) &&
           !simtx_module_load(b->gpu, good_text, sizeof good_text - 1, "good", &m);
    b->good = fine ? simtx_module_kernel(m, "good") : NULL;
    if (fine)
        simtx_set_printf(b->gpu, quiet, NULL);
    else
        printf("cannot make a GPU: %s\n", message ? message : b->gpu ? simtx_last_message(b->gpu) : "");
    free(message);
    return fine;
}

static uint32_t host_word;

/* "buffer+4" as an address; "any" and "none" as they come out of strtoull. */
static uint64_t address_of(const struct bench *b, const char *text)
{
    const struct { const char *name; const void *p; } places[] = {
        { "buffer", b->buffer }, { "odd", b->odd }, { "freed", b->freed }, { "host", &host_word } };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (!strncmp(text, places[i].name, strlen(places[i].name)))
            return (uint64_t)(uintptr_t)places[i].p +
                   (uint64_t)strtoll(text + strlen(places[i].name), NULL, 0);
    return strtoull(text, NULL, 0);
}

static simtx_status launch(const struct bench *b, const struct program *p, simtx_kernel *k,
                           simtx_fault *fault)
{
    char word[64];
    uint64_t argument = address_of(b, comment(p, "argument", 0, word, sizeof word) ? word : "buffer");
    simtx_launch_params lp = { .grid = p->grid,
                               .block = p->block,
                               .dynamic_shared = p->shared,
                               .arg_buffer = &argument,
                               .arg_buffer_bytes = sizeof argument };
    return simtx_launch(k, &lp, NULL, fault);
}

static bool still_works(const struct bench *b)
{
    const void *args[] = { &b->buffer };
    simtx_launch_params lp = { .grid = { 1, 1, 1 }, .block = { 1, 1, 1 }, .args = args };
    uint32_t *word = (uint32_t *)(void *)(b->buffer + 512);
    *word = 0;
    return simtx_launch(b->good, &lp, NULL, NULL) == SIMTX_OK && *word == 0x600d;
}

/* ---- what the report must be ---- */

static const char *kind_name(simtx_fault_kind k)
{
    static const char *const names[] = { "NONE",           "OUT_OF_BOUNDS", "USE_AFTER_FREE", "MISALIGNED",
                                         "WRONG_SPACE",    "READ_ONLY",     "BARRIER",        "DEADLOCK",
                                         "STACK_OVERFLOW", "TRAP",          "ASSERT",         "BAD_CALL",
                                         "TRANSACTION",    "MALLOC",        "WARP",           "TEXTURE" };
    return (size_t)k < sizeof names / sizeof *names ? names[k] : "?";
}

static bool same3(simtx_dim3 a, simtx_dim3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* Coordinates count from 0, where a missing one is 0. */
static simtx_dim3 coordinates(const char *text)
{
    unsigned x = 0, y = 0, z = 0;
    sscanf(text, "%u,%u,%u", &x, &y, &z);
    return (simtx_dim3){ x, y, z };
}

static const char *wrong_place(const struct bench *b, const char *line, const simtx_fault *f)
{
    char word[64];
    if (!value_of(line, "block", word, sizeof word) || !same3(coordinates(word), f->block))
        return "another block";
    if (!value_of(line, "thread", word, sizeof word) ||
        (strcmp(word, "any") && !same3(coordinates(word), f->thread)))
        return "another thread";
    if (!value_of(line, "address", word, sizeof word) ||
        (strcmp(word, "any") && address_of(b, word) != f->address))
        return "another address";
    return NULL;
}

static const char *wrong_words(const struct program *p, const simtx_fault *f)
{
    static char what[300];
    char word[256], line[32];
    if (!strstr(f->report, "kernel k,"))
        return "the kernel is not named";
    for (int i = 0; comment(p, "says", i, word, sizeof word); i++)
        if (!strstr(f->report, word)) {
            snprintf(what, sizeof what, "the report lacks: %s", word);
            return what;
        }
    for (int i = 0; comment(p, "names", i, word, sizeof word); i++) {
        snprintf(line, sizeof line, ":%u:", marked_line(p, word));
        if (!strstr(f->report, line))
            return "the report does not name the second line";
    }
    return NULL;
}

static const char *wrong_fault(const struct bench *b, const struct program *p, const simtx_fault *f)
{
    char line[256];
    if (!comment(p, "fault", 0, line, sizeof line))
        return "no fault is announced";
    if (strncmp(line, kind_name(f->kind), strcspn(line, " ")) || kind_name(f->kind)[strcspn(line, " ")])
        return "another kind of fault";
    if (f->ptx_line != marked_line(p, "here"))
        return "another PTX line";
    const char *wrong = wrong_place(b, line, f);
    return wrong ? wrong : wrong_words(p, f);
}

/* ---- one program in one configuration ---- */

static bool applies(const struct program *p, const struct machine *m)
{
    char line[256];
    if (!comment(p, "only", 0, line, sizeof line))
        return true;
    return !strcmp(line, "stack")         ? !m->independent
           : !strcmp(line, "independent") ? m->independent
                                          : !m->wide;
}

static const char *wrong_result(const struct bench *b, const char *line, simtx_status s)
{
    unsigned offset = 0, want = 0;
    if (sscanf(line, "independent %u = %u", &offset, &want) != 2)
        return "the result is not announced properly";
    if (s)
        return "does not run with independent lanes";
    return *(uint32_t *)(void *)(b->buffer + offset) == want ? NULL : "another result";
}

static void run_on(struct bench *b, const struct program *p, const struct machine *m)
{
    char line[256];
    simtx_module *module = NULL;
    simtx_fault fault = { 0 };
    memset(b->buffer, 0, BUFFER);
    if (simtx_module_load(b->gpu, p->text, p->size, p->path, &module)) {
        verdict(p, m, "does not load", simtx_last_message(b->gpu));
        return;
    }
    simtx_status s = launch(b, p, simtx_module_kernel(module, "k"), &fault);
    const char *wrong;
    if (m->independent && comment(p, "result", 0, line, sizeof line))
        wrong = wrong_result(b, line, s);
    else
        wrong = s != SIMTX_FAULT ? simtx_status_name(s) : wrong_fault(b, p, &fault);
    verdict(p, m, wrong, fault.report);
    verdict(p, m, still_works(b) ? NULL : "the GPU does not work any more", simtx_last_message(b->gpu));
    simtx_module_unload(module);
}

/* On a GPU with the file's own settings, beside the one that the others share. */
static void run_apart(const struct program *p, const struct machine *m)
{
    struct machine with = *m;
    struct bench own = { 0 };
    char keep[SETTINGS][256];
    int k = 0;
    while (with.settings[k])
        k++;
    for (int c = 0; k + c < SETTINGS - 1 && comment(p, "config", c, keep[c], sizeof keep[c]); c++)
        with.settings[k + c] = keep[c];
    if (bench_open(&own, 1, with.settings))
        run_on(&own, p, m);
    else
        failed++;
    simtx_gpu_free(own.gpu);
}

static void run_all(const struct machine *m, int n, char **paths)
{
    static struct program p;
    struct bench shared = { 0 };
    char setting[256];
    bool open = bench_open(&shared, 0, m->settings);
    failed += !open;
    for (int i = 0; open && i < n; i++) {
        if (!read_program(&p, paths[i]))
            verdict(&p, m, "cannot be read or announces no launch", "");
        else if (!applies(&p, m))
            continue;
        else if (comment(&p, "config", 0, setting, sizeof setting))
            run_apart(&p, m);
        else
            run_on(&shared, &p, m);
    }
    simtx_gpu_free(shared.gpu);
}

/* ---- interruption: what no report can end ---- */

/* `endless` counts for ever; `endless_tx` does so inside a transaction, which nothing else may come between.
 */
static const char endless_text[] =
    ".version 7.5\n.target sm_70\n.address_size 64\n"
    ".visible .entry endless()\n{\n.reg .b32 %r<2>;\nL: add.u32 %r1, %r1, 1;\nbra L;\n}\n"
    ".visible .entry endless_tx()\n{\n.reg .b32 %r<2>;\ntx_begin;\nL: add.u32 %r1, %r1, 1;\nbra L;\n}\n";

static simtx_gpu *volatile to_interrupt;

static void on_alarm(int sig)
{
    (void)sig;
    simtx_interrupt(to_interrupt);
}

static void run_endless(const char *kernel, const char *setting)
{
    static const struct itimerval soon = { .it_value = { 0, 60000 } };
    const struct program p = { .path = kernel };
    const struct machine m = { setting, { setting }, false, false };
    struct bench b = { 0 };
    simtx_module *module = NULL;
    simtx_launch_params lp = { .grid = { 4, 1, 1 }, .block = { 64, 1, 1 } };
    if (!bench_open(&b, 0, m.settings) ||
        simtx_module_load(b.gpu, endless_text, sizeof endless_text - 1, "endless", &module)) {
        verdict(&p, &m, "does not load", "");
        return;
    }
    to_interrupt = b.gpu;
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &soon, NULL);
    simtx_status s = simtx_launch(simtx_module_kernel(module, kernel), &lp, NULL, NULL);
    verdict(&p, &m, s == SIMTX_INTERRUPTED ? NULL : "is not interrupted", simtx_status_name(s));
    verdict(&p, &m, still_works(&b) ? NULL : "the GPU does not work any more", simtx_last_message(b.gpu));
    simtx_gpu_free(b.gpu);
}

int main(int argc, char **argv)
{
    static const struct machine machines[] = {
        { "stack", { "gpu.simt=stack" }, false, false },
        { "wavefront 64", { "gpu.warp_size=64" }, false, true },
        { "independent", { "gpu.simt=independent" }, true, false },
    };
    run_endless("endless", "functional.threads=1");
    run_endless("endless", "functional.threads=2");
    run_endless("endless", "gpu.simt=independent");
    run_endless("endless_tx", "gpu.simt=stack");
    run_endless("endless_tx", "gpu.simt=independent");
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        run_all(&machines[i], argc - 1, argv + 1);
    printf("faults: %d passed, %d failed\n", passed, failed);
    return failed || !passed;
}
