/* Runs: each is a `simtx run` or `simtx launch` in a process of its own, which leaves its output and its statistics in
 * a folder of their own. */
#include "regress/golden/golden.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ARGUMENTS_MAX = 128 };

struct words { const char *word[ARGUMENTS_MAX + 1]; int n; };

static char *scratch;                    /* a folder in the build's */

static void add(struct words *w, const char *word)
{
    if (w->n == ARGUMENTS_MAX)
        die("%s: more than %d words", w->word[0], ARGUMENTS_MAX);
    w->word[w->n++] = word;
}

static void add_words(struct words *w, const char *text)
{
    char *rest = keep_text(text, strlen(text));
    for (char *word; (word = strtok_r(rest, " ", &rest));)
        add(w, word);
}

static char *scratch_file(int number, const char *end)
{
    return format("%s/%d.%s", scratch, number, end);
}

/* ---- the child ---- */

static void build_command(const struct suite *s, const struct run *r, int number, struct words *w)
{
    const struct program *p = r->program;
    bool launch = p->ptx[0] && !strcmp(p->ptx, p->file), timing = has_word(r->table->kinds, "timing");
    add_words(w, "timeout 120");
    add(w, format("%s/bin/simtx", s->build));
    add_words(w, launch ? "launch" : "run");
    add_words(w, "--quiet --threads 1 --hash --stats");
    add(w, scratch_file(number, "json"));
    add_words(w, r->table->options);
    add_words(w, timing && p->deterministic ? "--set sim.shadow=true" : "");
    add_words(w, p->options);
    add_words(w, s->extra);
    if (!launch)
        add_words(w, "--ptx");
    add(w, p->ptx);
    if (!launch) {
        add_words(w, "--");
        add(w, format("%s/kernels/%s", s->build, p->file));
    }
    add_words(w, timing ? p->timing : p->functional);
    w->word[w->n] = NULL;
}

__attribute__((noreturn)) static void become(const struct words *w, int number)
{
    int in = open("/dev/null", O_RDONLY);
    int out = open(scratch_file(number, "out"), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    int err = open(scratch_file(number, "err"), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (in >= 0 && out >= 0 && err >= 0 && dup2(in, 0) >= 0 && dup2(out, 1) >= 0 && dup2(err, 2) >= 0)
        execvp(w->word[0], (char **)w->word);
    _exit(127);
}

static void start(const struct suite *s, struct run *r, int number)
{
    struct words w = { .n = 0 };
    build_command(s, r, number, &w);
    fflush(NULL);
    r->pid = fork();
    if (r->pid == 0)
        become(&w, number);
    if (r->pid < 0)
        die("fork: %s", strerror(errno));
}

/* ---- what it left ---- */

/* A member of a member: "l2.read.hits". */
static const json_t *member(const json_t *o, const char *name)
{
    char copy[128], *rest = copy;
    snprintf(copy, sizeof copy, "%s", name);
    for (char *part; (part = strtok_r(rest, ".", &rest));)
        o = json_object_get(o, part);
    return o;
}

static long long sum_of(struct run *r, const json_t *total, const char *sum)
{
    char *rest = keep_text(sum, strlen(sum));
    long long value = 0;
    for (char *name; (name = strtok_r(rest, "+ ", &rest));) {
        const json_t *o = member(total, name);
        if (!json_is_integer(o) && !r->error)
            r->error = format("there is no figure %s; exit code %s", name, r->cell[2]);
        value += json_integer_value(o);
    }
    return value;
}

static void take_figures(struct run *r, const json_t *stats)
{
    const json_t *total = json_object_get(stats, "total");
    const struct table *t = r->table;
    const char *hash = json_string_value(json_object_get(stats, "memory_hash"));
    r->cell[4] = hash ? keep_text(hash, strlen(hash)) : "none";
    for (int i = FIXED_COLUMNS; i < t->columns; i++)
        r->cell[i] = format("%lld", sum_of(r, total, t->figure[i - FIXED_COLUMNS]->sum));
}

/* The last line that a run has written to stderr. */
static const char *last_message(int number)
{
    const char *last = "";
    char *line = NULL;
    size_t cap = 0;
    FILE *f = fopen(scratch_file(number, "err"), "r");
    while (f && getline(&line, &cap, f) > 0)
        if (line[0] != '\n')
            last = keep_text(line, strcspn(line, "\n"));
    if (f)
        fclose(f);
    free(line);
    return last;
}

static void collect(struct run *r, int number, int status)
{
    json_t *stats = json_load_file(scratch_file(number, "json"), 0, NULL);
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    char *hash = keep(17);
    file_hash(scratch_file(number, "out"), hash);
    r->cell = keep((size_t)r->table->columns * sizeof *r->cell);
    r->cell[0] = r->program->name;
    r->cell[1] = r->program->hash;
    r->cell[2] = format("%d", code);
    r->cell[3] = hash;
    if (stats)
        take_figures(r, stats);
    else
        r->error = format("no statistics; exit code %d", code);
    if (code && !r->error)
        r->error = format("ends with exit code %d", code);
    if (r->error)
        r->error = format("%s: %s", r->error, last_message(number));
    json_decref(stats);
}

/* ---- all of them ---- */

static void remove_files(int number)
{
    static const char *const ends[] = { "out", "err", "json" };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        unlink(scratch_file(number, ends[i]));
}

static void wait_for_one(struct run *runs, int n)
{
    int status;
    pid_t pid = wait(&status);
    for (int i = 0; i < n; i++)
        if (runs[i].pid == pid) {
            collect(&runs[i], i, status);
            remove_files(i);
            runs[i].pid = 0;         /* the host may give the number to a later run */
        }
}

void run_all(const struct suite *s, struct run *runs, int n, int workers)
{
    scratch = format("%s/golden-XXXXXX", s->build);
    if (!mkdtemp(scratch))
        die("%s: %s", scratch, strerror(errno));
    int running = 0;
    for (int i = 0; i < n; i++) {
        if (running == workers) {
            wait_for_one(runs, i);
            running--;
        }
        start(s, &runs[i], i);
        running++;
    }
    while (running-- > 0)
        wait_for_one(runs, n);
    rmdir(scratch);
}
