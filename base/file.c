/* Files as whole texts, whole folders, and files that are found relative to the running program. */
#include "base/file.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

struct content { char *text; size_t n, cap; };

static bool grow(struct content *c)
{
    size_t cap = c->cap ? c->cap * 2 : 1 << 16;
    char *text = realloc(c->text, cap);
    if (!text)
        return false;
    c->text = text;
    c->cap = cap;
    return true;
}

/* Leaves room for the NUL. */
static bool read_stream(FILE *f, struct content *c)
{
    size_t got;
    do {
        if (c->cap - c->n < 2 && !grow(c))
            return false;
        got = fread(c->text + c->n, 1, c->cap - c->n - 1, f);
        c->n += got;
    } while (got);
    return !ferror(f);
}

static bool is_folder(FILE *f)
{
    struct stat st;
    return fstat(fileno(f), &st) == 0 && S_ISDIR(st.st_mode);
}

char *file_read(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    struct content c = { NULL, 0, 0 };
    if (!f)
        return NULL;
    errno = EISDIR;
    bool ok = !is_folder(f) && read_stream(f, &c);
    int error = errno;
    fclose(f);
    if (!ok) {
        free(c.text);
        errno = error;
        return NULL;
    }
    c.text[c.n] = 0;
    if (size)
        *size = c.n;
    return c.text;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *f)
{
    return remove(path);
}

void file_remove_folder(const char *path)
{
    nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

char *file_own_path(void)
{
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    return mem_string_n(path, n > 0 ? (size_t)n : 0);
}

char *file_own_folder(void)
{
    char *path = file_own_path(), *slash = strrchr(path, '/');
    if (!slash) {
        free(path);
        return mem_string(".");
    }
    *slash = 0;
    return path;
}

static bool is_readable(const char *folder, const char *file)
{
    char *path = mem_format("%s/%s", folder, file);
    bool ok = access(path, R_OK) == 0;
    free(path);
    return ok;
}

char *file_find_folder(const char *from, const char *const *folders, const char *file)
{
    char *found = NULL;
    for (; *folders && !found; folders++) {
        char *folder = mem_format("%s/%s", from, *folders);
        if (is_readable(folder, file))
            found = realpath(folder, NULL);
        free(folder);
    }
    return found;
}
