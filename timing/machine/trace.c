/* Writes the timeline: text buffers, and the file, plain or compressed (zlib writes both), up to its largest size. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/alloc.h"
#include "timing/machine/trace_impl.h"

enum { MAX_BYTES_LEAST = 4096 };

struct trace {
    gzFile file;
    char *path;
    struct trace_cfg cfg;
    uint64_t origin;
    struct trace_text launches;
    uint32_t rows_named;                 /* tracks of launches */
    struct trace_source *first, **last;
    uint64_t written;                    /* bytes before compression */
    bool failed, any_event, full;        /* any_event: the file has events; full: some are left out */
};

void trace_configure(struct trace_cfg *c, const struct simtx_config *config)
{
#define CONFIG_ROWS "timing/machine/trace.def"
#include "base/config/config_copy.h"
}

struct trace *trace_open(const struct trace_cfg *c, char *error, size_t size)
{
    static const char head[] = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
    enum { BUFFER = 1 << 17 };
    size_t n = strlen(c->file);
    gzFile f = gzopen(c->file, n > 3 && !strcmp(c->file + n - 3, ".gz") ? "wb3e" : "wbTe");
    if (!f) {
        snprintf(error, size, "cannot write the timeline '%s': %s", c->file, errno ? strerror(errno) : "no memory");
        return NULL;
    }
    struct trace *t = mem_zero(1, sizeof *t, "a timeline");
    t->path = mem_string(c->file);
    gzbuffer(f, BUFFER);
    t->file = f;
    t->cfg = *c;
    t->last = &t->first;
    t->failed = gzputs(f, head) < 0;
    t->written = sizeof head - 1;
    return t;
}

const struct trace_cfg *trace_config(const struct trace *t)
{
    return &t->cfg;
}

void trace_source_add(struct trace *t, struct trace_source *w, void (*end)(struct trace_source *w))
{
    w->cfg = t->cfg;
    w->origin = t->origin;
    w->end = end;
    *t->last = w;
    t->last = &w->next;
}

void trace_origin(struct trace *t, uint64_t cycle)
{
    t->origin = cycle;
    for (struct trace_source *w = t->first; w; w = w->next)
        w->origin = cycle;
}

/* The bytes of whole lines at the beginning of the text that still fit before the end of the file. */
static size_t room_for(const struct trace *t, const struct trace_text *x)
{
    enum { END = 500 };                  /* more than the end of the file has */
    uint64_t most = t->cfg.max_bytes < MAX_BYTES_LEAST ? MAX_BYTES_LEAST : t->cfg.max_bytes;
    uint64_t room = most > t->written + END ? most - t->written - END : 0;
    if (!t->cfg.max_bytes || x->len <= room)
        return x->len;
    while (room && !(x->at[room] == ',' && x->at[room + 1] == '\n'))
        room--;
    return room;
}

/* The file is full: nothing more is recorded. */
static void end_recording(struct trace *t)
{
    t->full = true;
    t->cfg.from = 1;
    t->cfg.to = 0;
    for (struct trace_source *w = t->first; w; w = w->next)
        w->cfg = t->cfg;
}

/* Every line begins with a comma; the first one of the file is written without it. */
static void write_out(struct trace *t, struct trace_text *x)
{
    size_t n = t->full ? 0 : room_for(t, x), skip = n && !t->any_event;
    if (n && gzwrite(t->file, x->at + skip, (unsigned)(n - skip)) <= 0)
        t->failed = true;
    t->written += n;
    t->any_event |= n > 0;
    if (n < x->len && !t->full)
        end_recording(t);
    x->len = 0;
}

void trace_drain(struct trace *t)
{
    write_out(t, &t->launches);
    for (struct trace_source *w = t->first; w; w = w->next)
        write_out(t, &w->text);
}

bool trace_is_full(const struct trace *t)
{
    return t->full;
}

static void write_end(struct trace *t)
{
    static const char unit[] = "\"unit\":\"a microsecond is a core cycle\"";
    if (t->full)
        t->failed |= gzprintf(t->file, "\n],\"otherData\":{%s,\"truncated\":\"the file has reached trace.max_bytes = %"
                              PRIu64 "; later events are left out\"}}\n", unit, (uint64_t)t->cfg.max_bytes) < 0;
    else
        t->failed |= gzprintf(t->file, "\n],\"otherData\":{%s}}\n", unit) < 0;
}

bool trace_close(struct trace *t, char *error, size_t size)
{
    trace_drain(t);
    write_end(t);
    t->failed |= gzclose(t->file) != Z_OK;
    bool ok = !t->failed;
    if (!ok)
        snprintf(error, size, "the timeline '%s' could not be written to its end", t->path);
    for (struct trace_source *w = t->first, *next; w; w = next) {
        next = w->next;
        free(w->text.at);
        w->end(w);
        free(w);
    }
    free(t->launches.at);
    free(t->path);
    free(t);
    return ok;
}

/* ---- events ---- */

void trace_add(struct trace_text *x, const char *format, ...)
{
    enum { LONGEST = 1024, LEAST = 1 << 14 };
    if (x->cap - x->len < LONGEST) {
        x->cap = x->cap ? x->cap * 2 : LEAST;
        x->at = mem_resize(x->at, x->cap, 1, "the text of a timeline");
    }
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(x->at + x->len, LONGEST, format, ap);
    va_end(ap);
    x->len += n < LONGEST ? (size_t)n : 0;
}

void trace_lanes(struct trace_text *x, uint64_t lanes)
{
    trace_add(x, "\"lanes\":%d,\"mask\":\"0x%" PRIx64 "\"", __builtin_popcountll(lanes), lanes);
}

bool trace_cut(const struct trace_cfg *c, uint64_t origin, uint64_t *from, uint64_t *to)
{
    *from += origin;
    *to += origin;
    *from = *from > c->from ? *from : c->from;
    *to = *to <= c->to ? *to : c->to + 1;
    return *from < *to;
}

void trace_name_process(struct trace_text *x, uint32_t pid, const char *name)
{
    trace_add(x, ",\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"args\":{\"name\":\"%s\"}}", pid, name);
    trace_add(x, ",\n{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":%u,\"args\":{\"sort_index\":%u}}", pid, pid);
}

void trace_name_thread(struct trace_text *x, uint32_t pid, uint32_t tid, uint32_t sort, const char *name)
{
    trace_add(x, ",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%u,\"tid\":%u,\"args\":{\"name\":\"%s\"}}", pid,
              tid, name);
    trace_add(x, ",\n{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":%u,\"tid\":%u,\"args\":{\"sort_index\":%u}}",
              pid, tid, sort);
}

/* The track of the row-th of concurrent launches. */
static void name_launches(struct trace *t, uint32_t row)
{
    char name[32];
    if (!t->rows_named)
        trace_name_process(&t->launches, TRACE_LAUNCHES_PID, "launches");
    for (; t->rows_named <= row; t->rows_named++) {
        snprintf(name, sizeof name, "launches, row %u", t->rows_named);
        trace_name_thread(&t->launches, TRACE_LAUNCHES_PID, TRACE_FIRST_TID + t->rows_named, t->rows_named, name);
    }
}

void trace_launch(struct trace *t, const char *kernel, uint64_t launch, uint32_t row, uint64_t from, uint64_t to)
{
    if (!trace_cut(&t->cfg, t->origin, &from, &to))
        return;
    name_launches(t, row);
    trace_add(&t->launches, ",\n{\"ph\":\"X\",\"cat\":\"launch\",\"name\":\"%.200s\",\"pid\":%u,\"tid\":%u,"
        "\"ts\":%" PRIu64 ",\"dur\":%" PRIu64 ",\"args\":{\"launch\":%" PRIu64 "}}",
        kernel, TRACE_LAUNCHES_PID, TRACE_FIRST_TID + row, from, to - from, launch);
}

