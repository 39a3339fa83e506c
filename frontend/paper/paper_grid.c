/* The grid of a paper's runs: which there are, their commands, which results of an earlier time still hold. */
#include "frontend/paper/paper.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend/cli/cmd.h"
#include "frontend/lib/config_load.h"

enum { ARGS_MAX = 40 };

__attribute__((format(printf, 1, 2))) static char *text_of(const char *fmt, ...)
{
    char *text = NULL;
    va_list ap;
    va_start(ap, fmt);
    if (vasprintf(&text, fmt, ap) < 0)
        abort();
    va_end(ap);
    return text;
}

/* ---- configurations ---- */

static void resolve(struct paper_grid *g)
{
    const struct paper *p = g->paper;
    g->resolved = calloc((size_t)p->nconfigs, sizeof *g->resolved);
    g->config_errors = calloc((size_t)p->nconfigs, sizeof *g->config_errors);
    if (!g->resolved || !g->config_errors)
        abort();
    for (int i = 0; i < p->nconfigs; i++) {
        simtx_config *c = simtx_config_new();
        if (simtx_config_build(c, p->configs[i].presets, p->configs[i].sets, "paper", &g->config_errors[i])) {
            simtx_config_free(c);
            c = NULL;
        }
        g->resolved[i] = c;
    }
}

/* Fowler, Noll and Vo's hash, 1a of 64 bits. */
#define FNV_START UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

static uint64_t digest(uint64_t h, const char *text)
{
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * FNV_PRIME;
    return h;
}

/* Of everything that the model depends on. */
static uint64_t config_digest(const simtx_config *c)
{
    uint64_t h = FNV_START;
    const char *kernel, *text, *origin;
    enum kernel_key key;
    for (int i = 0; i < KEY_COUNT; i++)
        if (config_keys[i].scope == CONFIG_MODEL)
            h = digest(digest(h, config_keys[i].name), config_text(c, (enum config_key)i));
    for (size_t i = 0; config_kernel_at(c, i, &kernel, &key, &text, &origin); i++)
        h = digest(digest(digest(h, kernel), config_kernel_keys[key].name), text);
    return h;
}

/* ---- commands ---- */

struct words { char *at[ARGS_MAX]; int n; };

static void add(struct words *w, const char *word)
{
    if (w->n + 1 == ARGS_MAX || !(w->at[w->n++] = strdup(word)))
        abort();
}

/* Words between separators; `before` is put in front of each, NULL = nothing. */
static void add_split(struct words *w, const char *before, const char *text, const char *separator)
{
    char *copy = strdup(text ? text : ""), *next = copy;
    if (!copy)
        abort();
    while (next) {
        char *word = strsep(&next, separator);
        if (*word && before)
            add(w, before);
        if (*word)
            add(w, word);
    }
    free(copy);
}

static char **command(const struct paper_grid *g, const struct paper_run *run)
{
    const struct paper_bench *b = &g->paper->benches[run->bench];
    const struct paper_config *c = &g->paper->configs[run->config];
    struct words w = { .n = 0 };
    add(&w, "run");
    if (c->timing)
        add(&w, "--timing");
    add_split(&w, NULL, "--quiet --no-progress --config", " ");
    add(&w, c->presets);
    add_split(&w, "--set", c->timing ? g->paper->sets : NULL, ";");
    add_split(&w, "--set", c->sets, ";");
    char *stats = text_of("%s/runs/%s.part", g->out, run->key), *program = text_of("%s/%s", g->programs, b->program);
    add(&w, "--stats");
    add(&w, stats);
    add(&w, "--");
    add(&w, program);
    add_split(&w, NULL, b->options, " ");
    add(&w, "--version");
    add(&w, c->version);
    add(&w, "--size");
    add(&w, g->size == PAPER_SIZE_QUICK ? b->quick : "paper");
    free(stats);
    free(program);
    char **argv = calloc((size_t)w.n + 1, sizeof *argv);
    if (!argv)
        abort();
    memcpy(argv, w.at, (size_t)w.n * sizeof *argv);
    return argv;
}

static void print_command(const struct paper_run *run, FILE *f)
{
    fputs("simtx", f);
    for (char **a = run->argv; *a; a++)
        fprintf(f, " %s", *a);
    fputc('\n', f);
}

/* ---- results of an earlier time ---- */

/* Of a file's bytes; 0 when it cannot be read. */
static uint64_t file_digest(const char *path)
{
    size_t size;
    char *bytes = read_whole_file(path, &size);
    uint64_t h = bytes ? FNV_START : 0;
    for (size_t i = 0; bytes && i < size; i++)
        h = (h ^ (unsigned char)bytes[i]) * FNV_PRIME;
    free(bytes);
    return h;
}

/* What simulates is the libcudart that programs load: beside the command, built or installed. */
static uint64_t simulator_digest(void)
{
    static const char *const places[] = { "../cuda/lib64/libcudart.so", "../share/simtx/cuda/lib64/libcudart.so" };
    char own[PATH_MAX];
    uint64_t h = 0;
    ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
    own[n > 0 ? n : 0] = 0;
    char *slash = strrchr(own, '/');
    for (size_t i = 0; slash && h == 0 && i < sizeof places / sizeof *places; i++) {
        char *path = text_of("%.*s/%s", (int)(slash - own), own, places[i]);
        h = file_digest(path);
        free(path);
    }
    return h;
}

static void take_digests(struct paper_grid *g)
{
    g->simulator = simulator_digest();
    g->program = calloc((size_t)g->paper->nbenches, sizeof *g->program);
    if (!g->program)
        abort();
    for (int i = 0; i < g->paper->nbenches; i++) {
        char *path = text_of("%s/%s", g->programs, g->paper->benches[i].program);
        g->program[i] = file_digest(path);
        free(path);
    }
}

static char *fingerprint(const struct paper_grid *g, const struct paper_run *run)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        abort();
    print_command(run, f);
    if (g->resolved[run->config])
        fprintf(f, "configuration %016" PRIx64 "\n", config_digest(g->resolved[run->config]));
    fprintf(f, "program %016" PRIx64 "\nsimulator %016" PRIx64 "\n", g->program[run->bench], g->simulator);
    fclose(f);
    return text;
}

/* Takes over what an earlier time left, if it would be the same now. */
static void reuse(const struct paper_grid *g, struct paper_run *run)
{
    char *key = text_of("%s/runs/%s.key", g->out, run->key), *json = text_of("%s/runs/%s.json", g->out, run->key);
    size_t size, n = strlen(run->fingerprint);
    char *old = read_whole_file(key, &size);
    if (old && !strncmp(old, run->fingerprint, n) && (run->stats = json_load_file(json, 0, NULL)) != NULL) {
        run->state = PAPER_RUN_DONE;
        run->reused = true;
        run->seconds = strtod(old + n, NULL);
    }
    free(old);
    free(key);
    free(json);
}

/* ---- grid ---- */

static void add_run(struct paper_grid *g, int bench, int config)
{
    const struct paper *p = g->paper;
    struct paper_run *run = &g->runs[g->nruns++];
    *run = (struct paper_run){ .bench = bench, .config = config, .wanted = true };
    run->key = text_of("%s.%s%s", p->benches[bench].name, p->configs[config].id,
                       g->size == PAPER_SIZE_QUICK ? ".quick" : "");
    run->argv = command(g, run);
    run->fingerprint = fingerprint(g, run);
    run->estimate = p->benches[bench].seconds[g->size == PAPER_SIZE_QUICK] * p->configs[config].factor;
    if (!g->fresh)
        reuse(g, run);
    if (!g->resolved[config]) {
        run->state = PAPER_RUN_FAILED;
        run->error = strdup(g->config_errors[config] ? g->config_errors[config] : "out of memory\n");
    }
}

void paper_grid_new(struct paper_grid *g)
{
    const struct paper *p = g->paper;
    resolve(g);
    take_digests(g);
    g->runs = calloc((size_t)(p->nbenches * p->nconfigs), sizeof *g->runs);
    if (!g->runs)
        abort();
    for (int c = 0; c < p->nconfigs; c++) {
        const char *benches = p->configs[c].benches ? p->configs[c].benches : "all";
        for (int b = 0; b < p->nbenches; b++)
            if (p->configs[c].sizes & g->size && paper_in_list(p, benches, b, -1))
                add_run(g, b, c);
    }
}

void paper_grid_free(struct paper_grid *g)
{
    for (int i = 0; i < g->nruns; i++) {
        struct paper_run *run = &g->runs[i];
        for (char **a = run->argv; *a; a++)
            free(*a);
        free(run->argv);
        free(run->key);
        free(run->fingerprint);
        free(run->error);
        json_decref(run->stats);
    }
    for (int i = 0; i < g->paper->nconfigs; i++) {
        simtx_config_free(g->resolved[i]);
        free(g->config_errors[i]);
    }
    free(g->runs);
    free(g->resolved);
    free(g->config_errors);
    free(g->program);
}

struct paper_run *paper_grid_find(const struct paper_grid *g, int bench, int config)
{
    for (int i = 0; i < g->nruns; i++)
        if (g->runs[i].bench == bench && g->runs[i].config == config)
            return &g->runs[i];
    return NULL;
}

/* Marks what a figure is made of. */
static void want_figure(struct paper_grid *g, const struct paper_figure *f)
{
    struct paper_values v = { .grid = g, .want = true };
    char label[80], expr[300], name[320];
    const char *error;
    int bench = -1, config = -1;
    for (int i = 0; paper_member(g->paper, f->benches, i, &bench, &config) > 0; i++)
        for (int part = 0; paper_part(g->paper, f->parts, part, label, expr); part++) {
            int c = -1;
            for (int bar = 0; f->bars && paper_member(g->paper, f->bars, bar, &bench, &c) > 0; bar++) {
                snprintf(name, sizeof name, f->chart == PAPER_CHART_CDF ? "%s.n" : "%s", expr);
                paper_value(&v, name, bench, c, &error);
            }
            if (!f->bars)
                paper_value(&v, expr, bench, -1, &error);
        }
}

static const struct paper_figure *find_figure(const struct paper *p, const char *name)
{
    for (int i = 0; i < p->nfigures; i++)
        if (!strcasecmp(p->figures[i].id, name))
            return &p->figures[i];
    return NULL;
}

/* Figures and configurations say together what is run, benchmarks on what. */
bool paper_grid_only(struct paper_grid *g, char **words, int n)
{
    bool benches[64] = { false }, any_bench = false, any_other = false;
    for (int i = 0; i < g->nruns; i++)
        g->runs[i].wanted = false;
    for (int i = 0; i < n; i++) {
        int b = paper_bench_find(g->paper, words[i]), c = paper_config_find(g->paper, words[i]);
        const struct paper_figure *f = find_figure(g->paper, words[i]);
        if (b < 0 && c < 0 && !f)
            return false;
        if (b >= 0)
            benches[b] = any_bench = true;
        any_other |= b < 0;
        for (int r = 0; c >= 0 && r < g->nruns; r++)
            g->runs[r].wanted |= g->runs[r].config == c;
        if (f)
            want_figure(g, f);
    }
    for (int i = 0; i < g->nruns; i++)
        g->runs[i].wanted = (g->runs[i].wanted || !any_other) && (benches[g->runs[i].bench] || !any_bench);
    return true;
}

static bool is_open(const struct paper_run *run)
{
    return run->wanted && (run->state == PAPER_RUN_WAITING || run->state == PAPER_RUN_RUNNING);
}

/* The guesses by how wrong they were for the runs that are done. */
double paper_grid_estimate(const struct paper_grid *g)
{
    double done = 0, guessed = 0, open = 0;
    for (int i = 0; i < g->nruns; i++) {
        const struct paper_run *run = &g->runs[i];
        if (run->state == PAPER_RUN_DONE && run->seconds > 0) {
            done += run->seconds;
            guessed += run->estimate;
        }
        open += is_open(run) ? run->estimate : 0;
    }
    return open * (done > 0 && guessed > 0 ? done / guessed : 1) / g->jobs;
}

void paper_grid_plan(const struct paper_grid *g, FILE *f)
{
    static const char *const states[] = { "to run", "runs", "done", "wrong" };
    int open = 0, done = 0;
    for (int i = 0; i < g->nruns; i++) {
        const struct paper_run *run = &g->runs[i];
        if (!run->wanted)
            continue;
        open += is_open(run);
        done += run->state == PAPER_RUN_DONE;
        fprintf(f, "%-8s about %4.0f s  ", states[run->state],
                run->state == PAPER_RUN_DONE ? run->seconds : run->estimate);
        print_command(run, f);
    }
    fprintf(f, "%d runs to do, %d done, about %.0f minutes with %d at a time\n", open, done,
            ceil(paper_grid_estimate(g) / 60), g->jobs);
}
