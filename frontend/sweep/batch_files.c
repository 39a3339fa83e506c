/*
 * The folder of a batch. A finished run leaves runs/NAME.json (its statistics), NAME.log (what it printed), for some
 * NAME.timeline, and NAME.key (its key, its seconds, and the size of the statistics), which is written last: a run
 * with a key is complete. A failed run leaves NAME.log and NAME.failed (its key, then the message). While a process
 * runs, its files have names of their own, with host and process number: Slurm may start a run a second time when it
 * has declared a node down that still runs; both processes then write the same results.
 */
#include "frontend/sweep/batch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "frontend/cli/cmd.h"
#include "frontend/session/atomic_file.h"

enum { ERROR_LINES = 12 };

char *batch_path(const struct batch *b, const struct batch_run *run, const char *end)
{
    return mem_format("%s/runs/%s.%s", b->folder, run->name, end);
}

static bool make_one(const char *path)
{
    struct stat st;
    if (mkdir(path, 0777) && errno != EEXIST)
        return false;
    if (!stat(path, &st) && S_ISDIR(st.st_mode))
        return true;
    errno = ENOTDIR;
    return false;
}

bool batch_make_folder(const char *folder, char **path)
{
    *path = mem_string(folder);
    if (!make_one(*path))
        return false;
    free(*path);
    *path = mem_format("%s/runs", folder);
    if (!make_one(*path))
        return false;
    free(*path);
    *path = NULL;
    return true;
}

bool batch_lock(const struct batch *b)
{
    char *path = mem_format("%s/runs", b->folder);
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(path);
    return fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB);
}

/* ---- finished and failed runs ---- */

static bool has_timeline(const struct batch *b, const struct batch_run *run)
{
    char *path = batch_path(b, run, "timeline");
    bool there = !access(path, R_OK);
    free(path);
    return there;
}

/* "seconds S\nbytes N\n" after the key: the statistics are those that belong to it. */
static bool take_results(const struct batch *b, struct batch_run *run, const char *rest)
{
    double seconds;
    long long bytes;
    struct stat st;
    char *json = batch_path(b, run, "json");
    bool found = sscanf(rest, "seconds %lf\nbytes %lld", &seconds, &bytes) == 2 && !stat(json, &st) &&
                 st.st_size == bytes && (!run->timeline || has_timeline(b, run));
    free(json);
    if (found) {
        run->state = BATCH_DONE;
        run->seconds = seconds;
    }
    return found;
}

/* What follows the run's key in its file with this ending; NULL: no file, or another key. *text: to be freed. */
static const char *after_key(const struct batch *b, const struct batch_run *run, const char *end, char **text)
{
    size_t size, n = strlen(run->key);
    char *path = batch_path(b, run, end);
    *text = file_read(path, &size);
    free(path);
    return *text && !strncmp(*text, run->key, n) ? *text + n : NULL;
}

void batch_reuse(const struct batch *b, struct batch_run *run)
{
    char *text;
    const char *rest = after_key(b, run, "key", &text);
    bool done = rest && take_results(b, run, rest);
    free(text);
    if (done)
        return;
    rest = after_key(b, run, "failed", &text);
    if (rest) {
        run->state = BATCH_FAILED;
        run->error = mem_string(rest);
    }
    free(text);
}

/* ---- the end of a process ---- */

/* Writes the key and what follows it to the file with this ending. */
static bool write_key(const struct batch *b, const struct batch_run *run, const char *end, const char *rest)
{
    char *path = batch_path(b, run, end);
    struct atomic_file r;
    bool ok = atomic_file_open(&r, path);
    if (ok)
        ok = atomic_file_close(&r, fputs(run->key, r.file) >= 0 && fputs(rest, r.file) >= 0);
    free(path);
    return ok;
}

static void remove_file(const struct batch *b, const struct batch_run *run, const char *end)
{
    char *path = batch_path(b, run, end);
    unlink(path);
    free(path);
}

void batch_discard(const struct batch *b)
{
    for (int i = 0; i < b->nruns; i++)
        if (b->runs[i].wanted && b->runs[i].state == BATCH_WAITING) {
            remove_file(b, &b->runs[i], "key");
            remove_file(b, &b->runs[i], "failed");
        }
}

static bool move(const struct batch *b, const struct batch_run *run, const char *from, const char *end)
{
    char *path = batch_path(b, run, end);
    bool ok = !rename(from, path);
    free(path);
    return ok;
}

bool batch_keep(const struct batch *b, struct batch_run *run)
{
    struct stat st;
    errno = 0;
    json_t *stats = json_load_file(run->part, 0, NULL);
    bool found = stats && !stat(run->part, &st), ok;
    json_decref(stats);
    if (!found)
        errno = 0;
    ok = found && (!run->trace || move(b, run, run->trace, "timeline")) && move(b, run, run->part, "json") &&
         move(b, run, run->output, "log");
    if (ok) {
        char *rest = mem_format("seconds %.3f\nbytes %lld\n", run->seconds, (long long)st.st_size);
        remove_file(b, run, "failed");
        ok = write_key(b, run, "key", rest);
        free(rest);
    }
    if (!ok)
        return false;
    run->state = BATCH_DONE;
    batch_drop(run);
    return true;
}

/* The last lines of a text, in place. */
static char *last_lines(char *text, size_t size)
{
    int lines = 0;
    while (size > 0 && text[size - 1] == '\n')
        size--;
    char *at = text + size;
    while (at > text && lines < ERROR_LINES)
        lines += *--at == '\n';
    return lines == ERROR_LINES ? at + 1 : at;
}

void batch_keep_failure(const struct batch *b, struct batch_run *run, const char *how)
{
    size_t size;
    char *text = run->output ? file_read(run->output, &size) : NULL;
    const char *end = text ? last_lines(text, size) : "";
    free(run->error);
    run->state = BATCH_FAILED;
    run->error = mem_format("%s\n%s%s", how, end, *end && end[strlen(end) - 1] != '\n' ? "\n" : "");
    if (text)
        move(b, run, run->output, "log");
    write_key(b, run, "failed", run->error);
    free(text);
    batch_drop(run);
}

void batch_drop(struct batch_run *run)
{
    if (run->part)
        unlink(run->part);
    if (run->output)
        unlink(run->output);
    if (run->trace)
        unlink(run->trace);
    free(run->part);
    free(run->output);
    free(run->trace);
    run->part = run->output = run->trace = NULL;
}

/* NAME.HOST-PID.part, NAME.HOST-PID.out, and the temporary files of atomic_file.h for these and NAME.key. */
static bool is_left_over(const char *name)
{
    static const char *const marks[] = { ".part", ".out", ".key.", ".failed." };
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strstr(name, marks[i]))
            return true;
    return false;
}

void batch_clean(const struct batch *b)
{
    char *path = mem_format("%s/runs", b->folder);
    DIR *dir = opendir(path);
    const struct dirent *e;
    while (dir && (e = readdir(dir)) != NULL)
        if (is_left_over(e->d_name))
            unlinkat(dirfd(dir), e->d_name, 0);
    if (dir)
        closedir(dir);
    free(path);
}

json_t *batch_stats(const struct batch *b, const struct batch_run *run)
{
    char *path = batch_path(b, run, "json");
    json_t *stats = json_load_file(path, 0, NULL);
    free(path);
    return stats;
}
