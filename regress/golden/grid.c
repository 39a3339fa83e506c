/* Text files of rows and columns: lists, whose columns are separated by |, and tables, separated by blanks. Lines that
 * begin with # are comments. */
#include "base/hash.h"
#include "regress/golden/golden.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static struct arena *kept;

static struct arena *memory(void)
{
    if (!kept)
        kept = arena_new();
    return kept;
}

void *keep(size_t size)
{
    return arena_alloc(memory(), size);
}

char *keep_text(const char *text, size_t n)
{
    return arena_strndup(memory(), text, n);
}

char *format(const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    size_t size = (size_t)vsnprintf(NULL, 0, fmt, ap) + 1;
    char *text = keep(size);
    vsnprintf(text, size, fmt, again);
    va_end(again);
    va_end(ap);
    return text;
}

void free_kept(void)
{
    arena_free(kept);
    kept = NULL;
}

void die(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    puts("golden: 0 passed, 1 failed");
    free_kept();
    exit(2);
}

static char *trimmed(const char *text, size_t n)
{
    while (n && isspace((unsigned char)text[n - 1]))
        n--;
    while (n && isspace((unsigned char)*text))
        text++, n--;
    return keep_text(text, n);
}

static void add_cell(struct grid *g, int n, const char *cell)
{
    if ((size_t)n == g->cap) {
        const char **more = keep((g->cap = 2 * g->cap + 64) * sizeof *more);
        if (n)
            memcpy(more, g->cell, (size_t)n * sizeof *more);
        g->cell = more;
    }
    g->cell[n] = cell;
}

/* The cells of a line; how many. */
static int split(struct grid *g, const char *line, char separator)
{
    int n = 0;
    for (const char *p = line; *p;) {
        p += separator == ' ' ? strspn(p, " ") : 0;
        size_t len = strcspn(p, (char[]){ separator, '\n', 0 });
        if (len || separator != ' ')
            add_cell(g, g->rows * g->columns + n++, trimmed(p, len));
        p += len + (p[len] != 0);
    }
    return n;
}

bool grid_read(struct grid *g, const char *path, char separator)
{
    FILE *f = fopen(path, "r");
    char *line = NULL;
    size_t cap = 0;
    *g = (struct grid){ NULL, 0, 0, 0 };
    for (int number = 1; f && getline(&line, &cap, f) > 0; number++) {
        if (line[0] == '#' || line[strspn(line, " \n")] == 0)
            continue;
        int n = split(g, line, separator);
        if (g->rows && n != g->columns)
            die("%s:%d: %d columns, the first line has %d", path, number, n, g->columns);
        g->columns = n;
        g->rows++;
    }
    free(line);
    if (f)
        fclose(f);
    return f;
}

const char *grid_at(const struct grid *g, int row, int column)
{
    return g->cell[row * g->columns + column];
}

int grid_column(const struct grid *g, const char *name)
{
    for (int i = 0; i < g->columns; i++)
        if (!strcmp(grid_at(g, 0, i), name))
            return i;
    return -1;
}

int grid_row(const struct grid *g, const char *name)
{
    for (int i = 1; i < g->rows; i++)
        if (!strcmp(grid_at(g, i, 0), name))
            return i;
    return -1;
}

bool has_word(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = list; *p; p += strspn(p, ", ")) {
        size_t len = strcspn(p, ", ");
        if (len == n && !strncmp(p, word, n))
            return true;
        p += len;
    }
    return false;
}

void file_hash(const char *path, char hash[17])
{
    FILE *f = fopen(path, "rb");
    uint64_t h = HASH_START;
    char bytes[4096];
    strcpy(hash, "none");
    if (!f)
        return;
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, f)) > 0;)
        h = hash_bytes(h, bytes, n);
    fclose(f);
    snprintf(hash, 17, "%016llx", (unsigned long long)h);
}
