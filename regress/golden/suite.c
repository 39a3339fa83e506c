/* The lists: which programs run in which tables, and what each table records of them. */
#include "regress/golden/golden.h"

#include <ctype.h>
#include <dirent.h>
#include <jansson.h>
#include <string.h>

static void read_list(const struct suite *s, struct grid *g, const char *name, int columns)
{
    char *path = format("%s/%s.txt", s->dir, name);
    if (!grid_read(g, path, '|'))
        die("%s: no such file", path);
    if (g->columns != columns)
        die("%s: %d columns, expected %d", path, g->columns, columns);
}

static void *array_of(int n, size_t size)
{
    return keep(((size_t)n + 1) * size);
}

static bool is_ptx(const char *file)
{
    size_t n = strlen(file);
    return n > 4 && !strcmp(file + n - 4, ".ptx");
}

static void read_programs(struct suite *s)
{
    struct grid g;
    read_list(s, &g, "programs", 7);
    s->nprograms = g.rows - 1;
    s->programs = array_of(s->nprograms, sizeof *s->programs);
    for (int i = 0; i < s->nprograms; i++) {
        struct program *p = &s->programs[i];
        const char *const *cell = g.cell + (i + 1) * g.columns;
        *p = (struct program){ .name = cell[0], .file = cell[1], .groups = cell[2], .options = cell[4],
                               .functional = cell[5], .timing = cell[6], .deterministic = !strcmp(cell[3], "yes") };
        p->ptx = is_ptx(p->file) ? p->file : format("%s/ptx/%s.ptx", s->dir, p->file);
        file_hash(p->ptx, p->hash);
    }
}

static void read_figures(struct suite *s)
{
    struct grid g;
    read_list(s, &g, "figures", 3);
    s->nfigures = g.rows - 1;
    s->figures = array_of(s->nfigures, sizeof *s->figures);
    for (int i = 0; i < s->nfigures; i++)
        s->figures[i] = (struct figure){ grid_at(&g, i + 1, 0), grid_at(&g, i + 1, 1), grid_at(&g, i + 1, 2) };
}

/* Do two lists of words share one? */
static bool share(const char *a, const char *b)
{
    char *rest = keep_text(a, strlen(a));
    for (char *word; (word = strtok_r(rest, ", ", &rest));)
        if (has_word(b, word))
            return true;
    return false;
}

static void choose_columns(const struct suite *s, struct table *t)
{
    static const char *const fixed[FIXED_COLUMNS] = { "program", "ptx", "exit", "output", "memory" };
    t->column = array_of(s->nfigures + FIXED_COLUMNS, sizeof *t->column);
    t->figure = array_of(s->nfigures, sizeof *t->figure);
    memcpy(t->column, fixed, sizeof fixed);
    t->columns = FIXED_COLUMNS;
    for (int i = 0; i < s->nfigures; i++) {
        if (!share(t->kinds, s->figures[i].kinds))
            continue;
        t->figure[t->columns - FIXED_COLUMNS] = &s->figures[i];
        t->column[t->columns++] = s->figures[i].name;
    }
}

static void read_tables(struct suite *s)
{
    struct grid g;
    read_list(s, &g, "tables", 4);
    s->ntables = g.rows - 1;
    s->tables = array_of(s->ntables, sizeof *s->tables);
    for (int i = 0; i < s->ntables; i++) {
        struct table *t = &s->tables[i];
        *t = (struct table){ .name = grid_at(&g, i + 1, 0), .options = grid_at(&g, i + 1, 1),
                             .kinds = grid_at(&g, i + 1, 2), .groups = grid_at(&g, i + 1, 3) };
        choose_columns(s, t);
    }
}

void suite_read(struct suite *s)
{
    read_programs(s);
    read_figures(s);
    read_tables(s);
    read_list(s, &s->left_out, "left-out", 3);
}

static bool left_out(const struct suite *s, const struct table *t, const struct program *p)
{
    for (int i = 1; i < s->left_out.rows; i++)
        if (has_word(grid_at(&s->left_out, i, 0), p->name) && has_word(grid_at(&s->left_out, i, 1), t->name))
            return true;
    return false;
}

bool suite_wants(const struct suite *s, const struct table *t, const struct program *p)
{
    return share(t->groups, p->groups) && !left_out(s, t, p);
}

/* ---- mistakes ---- */

static int wrong(const char *fmt, const char *what)
{
    printf(fmt, what);
    putchar('\n');
    return 1;
}

static bool is_table(const struct suite *s, const char *name)
{
    bool found = false;
    for (int i = 0; i < s->ntables; i++)
        found |= !strcmp(s->tables[i].name, name);
    return found;
}

static bool is_program(const struct suite *s, const char *name)
{
    bool found = false;
    for (int i = 0; i < s->nprograms; i++)
        found |= !strcmp(s->programs[i].name, name);
    return found;
}

/* Words of a list that name nothing; returns their number. */
static int unknown(const struct suite *s, const char *list, bool (*known)(const struct suite *, const char *))
{
    int mistakes = 0;
    char *rest = keep_text(list, strlen(list));
    for (char *word; (word = strtok_r(rest, ", ", &rest));)
        if (!known(s, word))
            mistakes += wrong("left-out.txt: there is no %s", word);
    return mistakes;
}

static int wrong_omissions(const struct suite *s)
{
    int mistakes = 0;
    for (int i = 1; i < s->left_out.rows; i++) {
        mistakes += unknown(s, grid_at(&s->left_out, i, 0), is_program);
        mistakes += unknown(s, grid_at(&s->left_out, i, 1), is_table);
    }
    return mistakes;
}

static int repeated_programs(const struct suite *s)
{
    int mistakes = 0;
    for (int i = 0; i < s->nprograms; i++)
        for (int k = 0; k < i; k++)
            if (!strcmp(s->programs[k].name, s->programs[i].name))
                mistakes += wrong("programs.txt: two programs are called %s", s->programs[i].name);
    return mistakes;
}

/* PTX that no program uses, and programs without PTX. */
static int wrong_ptx(const struct suite *s)
{
    int mistakes = 0;
    char *path = format("%s/ptx", s->dir);
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));) {
        char *file = format("%s/%s", path, e->d_name);
        bool used = e->d_name[0] == '.';
        for (int i = 0; i < s->nprograms; i++)
            used |= !strcmp(s->programs[i].ptx, file);
        mistakes += used ? 0 : wrong("%s: no program of programs.txt has this PTX", file);
    }
    if (d)
        closedir(d);
    for (int i = 0; i < s->nprograms; i++)
        if (!strcmp(s->programs[i].hash, "none"))
            mistakes += wrong("%s: no such file; `make golden-ptx` compiles it", s->programs[i].ptx);
    return mistakes;
}

/* Nsm stands for 1sm, 30sm, ... */
static bool has_number_of_sms(const char *parts)
{
    for (const char *p = strstr(parts, "sm"); p; p = strstr(p + 1, "sm"))
        if (p > parts && isdigit((unsigned char)p[-1]) && (p[2] == 0 || p[2] == ' '))
            return true;
    return false;
}

/* Is the preset part of a table's configuration, "--config A+B"? */
static bool has_preset(const struct table *t, const char *preset)
{
    const char *config = strstr(t->options, "--config ");
    if (!config)
        return false;
    config += strlen("--config ");
    char *parts = keep_text(config, strcspn(config, " "));
    for (char *plus; (plus = strchr(parts, '+'));)
        *plus = ' ';
    return has_word(parts, preset) || (!strcmp(preset, "Nsm") && has_number_of_sms(parts));
}

static bool covered(const struct suite *s, const char *preset)
{
    bool found = false;
    for (int i = 0; i < s->ntables; i++)
        found |= has_preset(&s->tables[i], preset);
    return found;
}

static json_t *list_presets(const struct suite *s)
{
    char *command = format("%s/bin/simtx config list --presets --json", s->build);
    FILE *f = popen(command, "r");
    json_t *o = f ? json_loadf(f, 0, NULL) : NULL;
    if (f)
        pclose(f);
    return o;
}

static int wrong_presets(const struct suite *s)
{
    int mistakes = 0;
    size_t i;
    json_t *o = list_presets(s), *presets = json_object_get(o, "presets"), *preset;
    if (!json_array_size(presets))
        return wrong("%s/bin/simtx config list names no presets", s->build);
    json_array_foreach(presets, i, preset) {
        const char *name = json_string_value(json_object_get(preset, "name"));
        if (!covered(s, name))
            mistakes += wrong("preset %s is in no table: add one to tables.txt, then make golden-accept", name);
    }
    json_decref(o);
    return mistakes;
}

int suite_mistakes(const struct suite *s)
{
    return repeated_programs(s) + wrong_omissions(s) + wrong_ptx(s) + wrong_presets(s);
}
