/* Runs: each is a `simtx run` or `simtx launch` in a process of its own, which leaves its output and its statistics in
 * a scratch folder. */
#include "regress/golden/golden.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ARGUMENTS_MAX = 128 };

struct words { char *word[ARGUMENTS_MAX + 1]; int n; };

static char scratch[] = "/tmp/simtx-golden-XXXXXX";

static void add(struct words *w, char *word)
{
    if (w->n == ARGUMENTS_MAX)
        die("%s: more than %d words", w->word[0], ARGUMENTS_MAX);
    w->word[w->n++] = word;
}

static void add_words(struct words *w, const char *text)
{
    char *rest = strdup(text);
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
        execvp(w->word[0], w->word);
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

/* A figure that is the sum of members of "total"; the name of one that is not there goes to *missing. */
static long long sum_of(const json_t *total, const char *sum, const char **missing)
{
    static char name[128];
    long long value = 0;
    for (const char *p = sum; *p; p += strspn(p, "+ ")) {
        size_t len = strcspn(p, "+ ");
        snprintf(name, sizeof name, "%.*s", (int)len, p);
        const json_t *o = total;
        char copy[sizeof name], *rest = strcpy(copy, name);
        for (char *part; (part = strtok_r(rest, ".", &rest));)
            o = json_object_get(o, part);
        if (!json_is_integer(o))
            *missing = name;
        value += json_integer_value(o);
        p += len;
    }
    return value;
}

static void take_figures(struct run *r, const json_t *stats)
{
    const json_t *total = json_object_get(stats, "total");
    const struct table *t = r->table;
    const char *hash = json_string_value(json_object_get(stats, "memory_hash")), *missing = NULL;
    r->cell[4] = strdup(hash ? hash : "none");
    for (int i = FIXED_COLUMNS; i < t->columns; i++)
        r->cell[i] = format("%lld", sum_of(total, t->figure[i - FIXED_COLUMNS]->sum, &missing));
    if (missing)
        r->error = format("there is no figure %s; exit code %s", missing, r->cell[2]);
}

/* The last line that a run has written to stderr. */
static char *last_message(int number)
{
    char *path = scratch_file(number, "err"), *line = NULL, *last = NULL;
    size_t cap = 0;
    FILE *f = fopen(path, "r");
    while (f && getline(&line, &cap, f) > 0)
        if (line[0] != '\n') {
            free(last);
            last = strndup(line, strcspn(line, "\n"));
        }
    if (f)
        fclose(f);
    free(line);
    free(path);
    return last ? last : strdup("");
}

static void add_message(struct run *r, int number)
{
    char *message = last_message(number), *error = format("%s: %s", r->error, message);
    free(message);
    free(r->error);
    r->error = error;
}

static void collect(struct run *r, int number, int status)
{
    char *output = scratch_file(number, "out"), *path = scratch_file(number, "json"), hash[17];
    json_t *stats = json_load_file(path, 0, NULL);
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    file_hash(output, hash);
    r->cell = calloc((size_t)r->table->columns, sizeof *r->cell);
    if (!r->cell)
        abort();
    r->cell[0] = strdup(r->program->name);
    r->cell[1] = strdup(r->program->hash);
    r->cell[2] = format("%d", code);
    r->cell[3] = strdup(hash);
    if (stats)
        take_figures(r, stats);
    else
        r->error = format("no statistics; exit code %d", code);
    if (r->error)
        add_message(r, number);
    json_decref(stats);
    free(output);
    free(path);
}

/* ---- all of them ---- */

static void wait_for_one(struct run *runs, int n)
{
    int status;
    pid_t pid = wait(&status);
    for (int i = 0; i < n; i++)
        if (runs[i].pid == pid)
            collect(&runs[i], i, status);
}

static void remove_scratch(void)
{
    DIR *d = opendir(scratch);
    for (struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] != '.')
            unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
    rmdir(scratch);
}

void run_all(const struct suite *s, struct run *runs, int n, int workers)
{
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
    remove_scratch();
}
