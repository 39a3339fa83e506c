/* The grid of a study: its points, and the runs of the batch with their keys. */
#include "frontend/sweep/study.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/strmap.h"
#include "frontend/lib/config_load.h"

enum { CAUSES_MAX = 5 };

/* Why points have no valid configuration: the message, the first point with it, and the number of points. */
struct cause { char *message, *point; int points; };

/* What making a grid needs besides the grid. */
struct making {
    struct study_grid *grid;
    uint64_t simulator;
    char **program;                  /* path and digest of each program, by the values of its axis */
    uint64_t *digest, *name;         /* name: of each run, the number that its name spells */
    struct strmap states;            /* digests of the saved states that points name */
    uint32_t name_cap, runs_cap;
    char *message;
    int invalid;                     /* points without a valid configuration */
    struct cause cause[CAUSES_MAX];
    int causes;
};

/* Takes over the message. */
static void add_invalid(struct making *m, const struct study_point *p, char *message)
{
    size_t size;
    m->invalid++;
    for (int i = 0; i < m->causes; i++)
        if (!strcmp(m->cause[i].message, message)) {
            m->cause[i].points++;
            free(message);
            return;
        }
    if (m->causes == CAUSES_MAX) {
        free(message);
        return;
    }
    struct cause *c = &m->cause[m->causes++];
    *c = (struct cause){ .message = message, .points = 1 };
    FILE *f = mem_file(&c->point, &size);
    study_point_print(m->grid->study, p, f);
    fclose(f);
}

static void report_invalid(struct making *m)
{
    for (int i = 0; i < m->causes; i++) {
        struct cause *c = &m->cause[i];
        if (c->points > 1)
            mem_append(&m->message, "%d combinations, the first %s: %s", c->points, c->point, c->message);
        else
            mem_append(&m->message, "%s: %s", c->point, c->message);
        free(c->point);
        free(c->message);
    }
    mem_append(&m->message, "error: %d combinations have no valid configuration; `exclude` leaves them out\n",
               m->invalid);
}

/* Takes over the file's name; reports a file that cannot be read. */
static uint64_t *add_state(struct making *m, char *file)
{
    uint64_t *digest = mem_alloc(1, sizeof *digest, "a saved state");
    *digest = batch_file_digest(file);
    if (!*digest)
        mem_append(&m->message, "error: restore: cannot read %s: %s\n", file, strerror(errno));
    strmap_put(&m->states, file, strlen(file), digest);
    return digest;
}

/* A state may have gigabytes: its digest is made once. */
static uint64_t state_digest(struct making *m, const struct study_point *p)
{
    char *file = study_point_state(m->grid->study, p);
    uint64_t *digest = strmap_get(&m->states, file, strlen(file));
    if (!digest)
        return *add_state(m, file);
    free(file);
    return *digest;
}

/* The key of a point's run; a saved state is part of it. */
static char *point_key(struct making *m, const struct study_point *p, char *const *arguments,
                       const simtx_config *c)
{
    const struct study *s = m->grid->study;
    char *key = batch_key(m->simulator, m->digest[p->at[0]], arguments, c);
    if (s->restore)
        mem_append(&key, "state %016" PRIx64 "\n", state_digest(m, p));
    return key;
}

/* The run with this key; a new one when there is none. */
static int run_of(struct making *m, char *key, char **argv)
{
    struct batch *b = &m->grid->batch;
    uint64_t name = batch_text_digest(key);
    int i = 0;
    while (i < b->nruns && m->name[i] != name)
        i++;
    struct batch_run run = { .argv = argv, .key = key, .wanted = true, .estimate = 1 };
    if (i < b->nruns) {
        batch_run_free(&run);
        return i;
    }
    run.name = mem_format("%016" PRIx64, name);
    m->name = mem_grow(m->name, (uint32_t)i, &m->name_cap, sizeof *m->name, "the runs of a study");
    b->runs = mem_grow(b->runs, (uint32_t)i, &m->runs_cap, sizeof *b->runs, "the runs of a study");
    m->name[i] = name;
    b->runs[i] = run;
    b->nruns++;
    return i;
}

static void add_point(struct making *m, const struct study_point *p)
{
    struct study_grid *g = m->grid;
    char *message = NULL;
    int program;
    simtx_config *c = study_point_config(g->study, p, &message);
    if (!c) {
        add_invalid(m, p, message ? message : mem_string("out of memory\n"));
        return;
    }
    free(message);
    struct study_point point = { mem_alloc(g->study->naxes, sizeof *p->at, "a point of a study"), 0 };
    memcpy(point.at, p->at, g->study->naxes * sizeof *p->at);
    char **argv = study_point_command(g->study, p, m->program[p->at[0]], &program);
    point.run = run_of(m, point_key(m, p, argv + program, c), argv);
    simtx_config_free(c);
    g->point = mem_grow(g->point, g->npoints, &g->cap, sizeof *g->point, "the points of a study");
    g->point[g->npoints++] = point;
}

/* ---- all of them ---- */

/* The full path of a program: with a '/', from the current folder; else in the folder of programs. */
static char *program_path(const struct study_grid *g, const char *text)
{
    char *word = mem_string_n(text, strcspn(text, " "));
    char *path = strchr(word, '/') ? mem_string(word) : mem_format("%s/%s", g->programs, word);
    char *full = realpath(path, NULL);
    free(word);
    if (full)
        free(path);
    return full ? full : path;
}

static void find_programs(struct making *m)
{
    const struct study_axis *programs = &m->grid->study->axis[0];
    m->program = mem_zero(programs->n, sizeof *m->program, "the programs of a study");
    m->digest = mem_zero(programs->n, sizeof *m->digest, "the programs of a study");
    for (uint32_t i = 0; i < programs->n; i++) {
        m->program[i] = program_path(m->grid, programs->value[i]);
        m->digest[i] = batch_file_digest(m->program[i]);
        if (access(m->program[i], X_OK) || !m->digest[i])
            mem_append(&m->message, "error: there is no program %s\n", m->program[i]);
    }
}

/* The next combination, the last axis first; false after the last one. */
static bool advance(const struct study *s, struct study_point *p)
{
    for (uint32_t a = s->naxes; a-- > 0;) {
        if (++p->at[a] < s->axis[a].n)
            return true;
        p->at[a] = 0;
    }
    return false;
}

static void make_points(struct making *m)
{
    struct study_grid *g = m->grid;
    struct study_point p = { mem_zero(g->study->naxes, sizeof *p.at, "a point of a study"), 0 };
    do
        if (study_point_is_excluded(g->study, &p))
            g->excluded++;
        else
            add_point(m, &p);
    while (advance(g->study, &p));
    free(p.at);
    if (m->invalid)
        report_invalid(m);
    else if (g->npoints == 0)
        mem_append(&m->message, "error: every combination is excluded\n");
}

static void making_free(struct making *m)
{
    for (uint32_t i = 0; m->program && i < m->grid->study->axis[0].n; i++)
        free(m->program[i]);
    for (size_t i = 0; i < m->states.cap; i++)
        if (m->states.slots[i].key) {
            free(m->states.slots[i].value);
            free((char *)m->states.slots[i].key);
        }
    strmap_free(&m->states);
    free(m->program);
    free(m->digest);
    free(m->name);
}

bool study_grid_new(struct study_grid *g, char **message)
{
    struct making m = { .grid = g, .simulator = batch_simulator() };
    g->batch.cpu_seconds = g->study->cpu_seconds;
    g->batch.memory = g->study->memory;
    if (!m.simulator)
        m.message = mem_string("error: there is no libcudart.so beside simtx: run `make`, or install simtx again\n");
    else
        find_programs(&m);
    if (!m.message)
        make_points(&m);
    making_free(&m);
    *message = m.message;
    for (int i = 0; i < g->batch.nruns; i++)
        batch_reuse(&g->batch, &g->batch.runs[i]);
    return !m.message;
}

void study_grid_free(struct study_grid *g)
{
    for (uint32_t i = 0; i < g->npoints; i++)
        free(g->point[i].at);
    for (int i = 0; i < g->batch.nruns; i++)
        batch_run_free(&g->batch.runs[i]);
    free(g->point);
    free(g->batch.runs);
}

/* ---- lists ---- */

void study_grid_list(const struct study_grid *g, FILE *f)
{
    static const char *const states[] = { "to run", "running", "done", "failed" };
    for (uint32_t i = 0; i < g->npoints; i++) {
        const struct batch_run *run = &g->batch.runs[g->point[i].run];
        fprintf(f, "%-8s %s  ", states[run->state], run->name);
        study_point_print(g->study, &g->point[i], f);
        fputc('\n', f);
    }
    fprintf(f, "%u points, %u combinations excluded; %d runs: %d to do, %d done, %d failed\n", g->npoints, g->excluded,
            g->batch.nruns, batch_count(&g->batch, BATCH_WAITING), batch_count(&g->batch, BATCH_DONE),
            batch_count(&g->batch, BATCH_FAILED));
}

void study_grid_commands(const struct study_grid *g, FILE *f)
{
    for (int i = 0; i < g->batch.nruns; i++)
        if (g->batch.runs[i].state != BATCH_DONE) {
            batch_command_print(&g->batch.runs[i], f);
            fputc('\n', f);
        }
}
