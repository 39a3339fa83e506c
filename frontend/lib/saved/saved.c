/*
 * Records and repeats the events up to the point (saved.h). An event is a number that tells its kind and some words
 * that describe it; what the host gets from it follows. The same code writes an event and compares it with the
 * recorded one.
 */
#include "frontend/lib/saved/saved.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/alloc.h"
#include "base/host_clock.h"
#include "frontend/lib/config_load.h"
#include "frontend/lib/saved/saved_file.h"
#include "frontend/lib/saved/saved_state.h"

enum event_kind {
    EVENT_ALLOCATION, EVENT_RELEASE, EVENT_FILL, EVENT_MOVE, EVENT_COPY_IN, EVENT_COPY_OUT, EVENT_LOAD, EVENT_UNLOAD,
    EVENT_LAUNCH, EVENT_POINT, EVENT_END, EVENTS
};

enum { WORDS_MAX = 13 };

/* What messages call the kinds of events and their words. */
static const struct { const char *name, *word[WORDS_MAX]; } kinds[EVENTS] = {
    [EVENT_ALLOCATION] = { "an allocation", { "size", "kind", "address" } },
    [EVENT_RELEASE] = { "the release of an allocation", { "address" } },
    [EVENT_FILL] = { "a fill", { "address", "value", "size" } },
    [EVENT_MOVE] = { "a copy inside the device", { "target", "source", "size" } },
    [EVENT_COPY_IN] = { "a copy to the device", { "address", "size", "data" } },
    [EVENT_COPY_OUT] = { "a copy from the device", { "address", "size" } },
    [EVENT_LOAD] = { "the load of a module", { "device code" } },
    [EVENT_UNLOAD] = { "the release of a module", { NULL } },
    [EVENT_LAUNCH] = { "a launch", { "kernel", "grid", "grid", "grid", "block", "block", "block", "cluster", "cluster",
                                     "cluster", "shared memory", "arguments", "managed or pinned memory" } },
    [EVENT_POINT] = { "the launch at the saved point", { "number", "kernel", "managed or pinned memory" } },
    [EVENT_END] = { "the end", { NULL } },
};

struct heap_call { uint64_t address, bytes, alloc; };

struct saved {
    struct saved_file *file;
    char *path, *kernel;             /* kernel: pattern of the point, NULL = any */
    uint64_t launch;                 /* the point is this launch or a later one */
    uint64_t events;
    pid_t process;                   /* children of fork share the file's position */
    bool has_next;                   /* reading: the next event's kind has been read */
    uint64_t next;
    double seconds;                  /* of the host, for compression and files */
    /* the launch in progress */
    char *printed;
    uint64_t printed_bytes;
    struct heap_call *heap;
    uint32_t nheap, heap_cap;
    struct saved_pages *pages;       /* of host memory before the launch */
};

/* ---- failures: the run cannot go on ---- */

__attribute__((noreturn, format(printf, 2, 3))) static void fail(const simtx_gpu *g, const char *fmt, ...)
{
    va_list ap;
    fflush(stdout);
    fprintf(stderr, "simtx: %s: ", g->saved->path);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    saved_file_drop(g->saved->file);
    _exit(1);
}

static void check(const simtx_gpu *g, bool ok)
{
    if (!ok && saved_file_writes(g->saved->file))
        fail(g, "cannot write the saved state: %s", strerror(errno));
    if (!ok)
        fail(g, "the saved state ends before its point");
}

void saved_excludes(simtx_gpu *g, const char *what)
{
    if (g->saved)
        fail(g, "a state with %s cannot be saved or restored", what);
}

static bool is_own(const struct saved *s)
{
    return s->process == getpid();
}

/* The file stays as it is: it belongs to the parent. */
static void check_process(const simtx_gpu *g)
{
    if (is_own(g->saved))
        return;
    fprintf(stderr, "simtx: %s: a child of fork uses the device before the point of the saved state\n",
            g->saved->path);
    _exit(1);
}

/* ---- events ---- */

static bool writes(const struct saved *s)
{
    return saved_file_writes(s->file);
}

static uint64_t next_kind(simtx_gpu *g)
{
    struct saved *s = g->saved;
    check_process(g);
    if (!s->has_next)
        check(g, saved_number(s->file, &s->next) && s->next < EVENTS);
    s->has_next = true;
    return s->next;
}

static void compare(simtx_gpu *g, enum event_kind kind, uint64_t *word, int n)
{
    struct saved *s = g->saved;
    uint64_t recorded;
    if (next_kind(g) != kind)
        fail(g, "event %llu is %s; when the state was saved it was %s", (unsigned long long)s->events,
             kinds[kind].name, kinds[s->next].name);
    s->has_next = false;
    for (int i = 0; i < n; i++) {
        check(g, saved_number(s->file, &recorded));
        if (recorded != word[i])
            fail(g, "event %llu, %s: the %s differs from when the state was saved (%#llx, now %#llx)",
                 (unsigned long long)s->events, kinds[kind].name, kinds[kind].word[i], (unsigned long long)recorded,
                 (unsigned long long)word[i]);
    }
}

static void record(simtx_gpu *g, uint64_t kind, uint64_t *word, int n)
{
    bool ok = saved_number(g->saved->file, &kind);
    for (int i = 0; i < n && ok; i++)
        ok = saved_number(g->saved->file, &word[i]);
    check(g, ok);
}

static void event(simtx_gpu *g, enum event_kind kind, uint64_t *word, int n)
{
    check_process(g);
    g->saved->events++;
    if (writes(g->saved))
        record(g, kind, word, n);
    else
        compare(g, kind, word, n);
}

#define EVENT(g, kind, ...) \
    event(g, kind, (uint64_t[]){ __VA_ARGS__ }, (int)(sizeof((uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t)))

static uint64_t address(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

static uint64_t digest(const void *p, size_t bytes)
{
    return (uint64_t)crc32_z(0, p, bytes) << 32 | (uint32_t)adler32_z(1, p, bytes);
}

static uint64_t text_digest(const char *text)
{
    return digest(text, strlen(text));
}

void saved_allocated(simtx_gpu *g, const void *p, size_t bytes, int kind)
{
    if (g->saved)
        EVENT(g, EVENT_ALLOCATION, bytes, (uint64_t)kind, address(p));
}

/* Destructors in a child of fork release its own copy of the device: no event. */
void saved_freed(simtx_gpu *g, const void *p)
{
    if (g->saved && is_own(g->saved))
        EVENT(g, EVENT_RELEASE, address(p));
}

void saved_filled(simtx_gpu *g, const void *p, int value, size_t bytes)
{
    if (g->saved)
        EVENT(g, EVENT_FILL, address(p), (unsigned char)value, bytes);
}

void saved_moved(simtx_gpu *g, const void *to, const void *from, size_t bytes)
{
    if (g->saved)
        EVENT(g, EVENT_MOVE, address(to), address(from), bytes);
}

void saved_copied_in(simtx_gpu *g, const void *p, size_t bytes)
{
    if (g->saved)
        EVENT(g, EVENT_COPY_IN, address(p), bytes, digest(p, bytes));
}

void saved_copying_out(simtx_gpu *g, void *p, size_t bytes)
{
    if (!g->saved)
        return;
    EVENT(g, EVENT_COPY_OUT, address(p), bytes);
    check(g, saved_bytes(g->saved->file, p, bytes));
}

void saved_loaded(simtx_gpu *g, const char *const *ptx, const size_t *len, int n)
{
    uint64_t code = 0;
    if (!g->saved)
        return;
    for (int i = 0; i < n; i++)
        code = code * 31 + digest(ptx[i], len[i]);
    EVENT(g, EVENT_LOAD, code);
}

void saved_unloaded(simtx_gpu *g)
{
    if (g->saved && is_own(g->saved))
        event(g, EVENT_UNLOAD, NULL, 0);
}

/* ---- launches before the point ---- */

/* Without parameters that are structures: their padding is not defined. */
static uint64_t arguments_digest(const struct queued_launch *o)
{
    const struct simtx_kernel *k = o->kernel;
    uint64_t h = 0;
    for (uint32_t i = 0; i < k->nparams; i++)
        if (strcmp(k->params[i].type, "bytes"))
            h = h * 31 + digest(o->la.param + k->params[i].offset, k->params[i].size);
    return h;
}

/* cluster: 0, 0, 0 without the attribute, which differs from clusters of one block by %is_explicit_cluster. */
static void launch_event(simtx_gpu *g, const struct queued_launch *o)
{
    simtx_dim3 cluster = o->explicit_cluster ? o->cluster : (simtx_dim3){ 0, 0, 0 };
    EVENT(g, EVENT_LAUNCH, text_digest(o->kernel->func->name), o->grid.x, o->grid.y, o->grid.z, o->block.x, o->block.y,
          o->block.z, cluster.x, cluster.y, cluster.z, o->dynamic_shared, arguments_digest(o),
          saved_host_digest(g->mem));
}

/* Counters that are not zero: position, value. */
static void transfer_counters(simtx_gpu *g, struct queued_launch *o)
{
    struct saved_file *f = g->saved->file;
    uint64_t started = o->la.started, n = 0;
    for (uint64_t i = 0; i < STAT_END && writes(g->saved); i++)
        n += o->la.count[i] != 0;
    bool ok = saved_number(f, &started) && saved_number(f, &n);
    for (uint64_t i = 0, at = 0; i < n && ok; i++, at++) {
        while (writes(g->saved) && !o->la.count[at])
            at++;
        ok = saved_number(f, &at) && at < STAT_END && saved_number(f, &o->la.count[at]);
    }
    o->la.started = (uint32_t)started;
    check(g, ok);
}

static void transfer_print(simtx_gpu *g, struct queued_launch *o)
{
    struct saved *s = g->saved;
    check(g, saved_number(s->file, &s->printed_bytes) && s->printed_bytes < SIZE_MAX / 2);
    if (!writes(s))
        s->printed = mem_resize(s->printed, s->printed_bytes + 1, 1, "the output of a launch");
    check(g, saved_bytes(s->file, s->printed, s->printed_bytes));
    if (!writes(s) && s->printed_bytes)
        o->la.print(g, s->printed, s->printed_bytes);
}

static void repeat_heap_call(simtx_gpu *g, const struct launch *la, const struct heap_call *c)
{
    void *p = (void *)(uintptr_t)c->address;
    bool same = c->alloc ? la->heap_alloc(g, c->bytes) == p : la->heap_free(g, p);
    if (!same)
        fail(g, "device malloc does not give the address that it gave when the state was saved");
}

static void transfer_heap(simtx_gpu *g, struct queued_launch *o)
{
    struct saved *s = g->saved;
    uint64_t n = s->nheap;
    check(g, saved_number(s->file, &n));
    for (uint64_t i = 0; i < n; i++) {
        struct heap_call c = writes(s) ? s->heap[i] : (struct heap_call){ 0, 0, 0 };
        check(g, saved_bytes(s->file, &c, sizeof c));
        if (!writes(s))
            repeat_heap_call(g, &o->la, &c);
    }
}

bool saved_skips(simtx_gpu *g, struct queued_launch *o)
{
    const char *other = NULL;
    if (!g->saved || writes(g->saved))
        return false;
    launch_event(g, o);
    transfer_counters(g, o);
    transfer_print(g, o);
    transfer_heap(g, o);
    check(g, saved_pages_read(g->saved->file, g->mem, &other));
    if (other)
        fail(g, "%s", other);
    return true;
}

void saved_launching(simtx_gpu *g, const struct queued_launch *o)
{
    if (!g->saved)
        return;
    launch_event(g, o);
    g->saved->printed_bytes = g->saved->nheap = 0;
    g->saved->pages = saved_pages_new(g->mem);
}

void saved_launched(simtx_gpu *g, const struct queued_launch *o)
{
    struct queued_launch copy = *o;
    if (!g->saved)
        return;
    if (o->la.fault.kind || o->la.interrupted)
        fail(g, "launch %llu (%s) has failed: nothing is saved", (unsigned long long)o->la.grid_id,
             o->kernel->func->name);
    transfer_counters(g, &copy);
    transfer_print(g, &copy);
    transfer_heap(g, &copy);
    check(g, saved_pages_write(g->saved->file, g->saved->pages));
    g->saved->pages = NULL;
}

void saved_printed(simtx_gpu *g, const char *text, size_t len)
{
    struct saved *s = g->saved;
    if (!s || !writes(s))
        return;
    s->printed = mem_resize(s->printed, s->printed_bytes + len + 1, 1, "the output of a launch");
    memcpy(s->printed + s->printed_bytes, text, len);
    s->printed_bytes += len;
}

void saved_heap(simtx_gpu *g, void *p, uint64_t bytes, bool alloc)
{
    struct saved *s = g->saved;
    if (!s || !writes(s))
        return;
    s->heap = mem_grow(s->heap, s->nheap, &s->heap_cap, sizeof *s->heap, "the calls of device malloc");
    s->heap[s->nheap++] = (struct heap_call){ address(p), bytes, alloc };
}

/* ---- the point ---- */

static bool is_point(simtx_gpu *g, const struct simtx_kernel *k)
{
    const struct saved *s = g->saved;
    if (!writes(s))
        return next_kind(g) == EVENT_POINT;
    return g->launches >= s->launch && (!s->kernel || config_kernel_matches(s->kernel, k->func->name));
}

static void report(const simtx_gpu *g, const char *verb, const char *kernel)
{
    const struct saved_file *f = g->saved->file;
    char text[600];
    snprintf(text, sizeof text,
             "%s the state before launch %llu (%s): %llu events, %.1f MB, in the file %.1f MB; %.2f s", verb,
             (unsigned long long)g->launches, kernel, (unsigned long long)g->saved->events,
             (double)saved_file_content(f) / 1e6, (double)saved_file_size(f) / 1e6, g->saved->seconds);
    if (g->warning)
        g->warning(g->warning_ctx, text);
}

static void end(simtx_gpu *g)
{
    struct saved *s = g->saved;
    struct saved_file *f = s->file;
    s->file = NULL;
    if (!saved_file_close(f)) {
        fprintf(stderr, "simtx: %s: cannot write the saved state: %s\n", s->path, strerror(errno));
        _exit(1);
    }
    saved_free(g);
}

/* What the skipped launches have written is not known (check.uninitialised). */
static void all_written(simtx_gpu *g)
{
    const struct mem_range *r;
    for (size_t i = 0; (r = devmem_at(g->mem, i)); i++)
        devmem_mark(g->mem, r->lo, r->hi - r->lo, false);
}

static void pass_point(simtx_gpu *g, const struct simtx_kernel *k)
{
    double begin = host_seconds();
    const char *other = NULL;
    EVENT(g, EVENT_POINT, g->launches, text_digest(k->func->name), saved_host_digest(g->mem));
    check(g, saved_memory(g->saved->file, g->mem, &other));
    if (other)
        fail(g, "%s", other);
    event(g, EVENT_END, NULL, 0);
    if (!writes(g->saved))
        all_written(g);
    g->saved->seconds = host_seconds() - begin;
    report(g, writes(g->saved) ? "saved" : "restored", k->func->name);
    end(g);
}

void saved_at_launch(simtx_gpu *g, const struct simtx_kernel *k, bool timed)
{
    if (!g->saved)
        return;
    if (is_point(g, k))
        pass_point(g, k);
    else if (timed)
        fail(g, "launch %llu (%s), before the point, would run in timing mode; --detail selects the launches that do",
             (unsigned long long)g->launches, k->func->name);
}

/* ---- beginning and end ---- */

static struct saved *saved_new(struct saved_file *f, const char *path)
{
    struct saved *s = mem_zero(1, sizeof *s, "a saved state");
    s->file = f;
    s->process = getpid();
    s->path = mem_string(path);
    return s;
}

/* "kernel:NAME,launch:N", either part. */
static bool read_point(struct saved *s, const char *text)
{
    char *copy = mem_string(text), *next = copy, *end;
    bool ok = *text;
    while (next && ok) {
        const char *part = strsep(&next, ",");
        if (!strncmp(part, "kernel:", 7) && part[7] && !s->kernel)
            s->kernel = mem_string(part + 7);
        else if (!strncmp(part, "launch:", 7) && part[7] >= '0' && part[7] <= '9')
            ok = (s->launch = strtoull(part + 7, &end, 10)) < 1ull << 60 && !*end;
        else
            ok = false;
    }
    free(copy);
    return ok;
}

bool simtx_point_valid(const char *point)
{
    struct saved s = { .kernel = NULL };
    bool ok = read_point(&s, point);
    free(s.kernel);
    return ok;
}

simtx_status simtx_save_at(simtx_gpu *g, const char *point, const char *path, char **message)
{
    struct saved_file *f = simtx_point_valid(point) ? saved_file_create(path) : NULL;
    if (!f)
        gpu_message(message, "cannot save at %s in %s: %s\n", point, path,
                    simtx_point_valid(point) ? strerror(errno) : "expected kernel:NAME[,launch:N]");
    if (!f)
        return SIMTX_NOT_WRITTEN;
    g->saved = saved_new(f, path);
    read_point(g->saved, point);
    check(g, saved_header_write(f, g->config));
    return SIMTX_OK;
}

/* The file, after its header; NULL with a message when it does not fit the configuration. */
static struct saved_file *open_for(const simtx_config *c, const char *path, char **message)
{
    char *why = NULL;
    struct saved_file *f = saved_file_open(path, &why);
    if (f && !saved_header_read(f, c, path, &why)) {
        saved_file_drop(f);
        f = NULL;
    }
    if (why)
        gpu_message(message, "%s", why);
    free(why);
    return f;
}

simtx_status simtx_restore(simtx_gpu *g, const char *path, char **message)
{
    struct saved_file *f = open_for(g->config, path, message);
    if (!f)
        return SIMTX_INVALID_ARGUMENT;
    g->saved = saved_new(f, path);
    return SIMTX_OK;
}

simtx_status simtx_restore_check(const simtx_config *c, const char *path, char **message)
{
    struct saved_file *f = open_for(c, path, message);
    if (f)
        saved_file_drop(f);
    return f ? SIMTX_OK : SIMTX_INVALID_ARGUMENT;
}

void saved_free(simtx_gpu *g)
{
    struct saved *s = g->saved;
    if (!s)
        return;
    if (s->file && is_own(s))
        saved_file_drop(s->file);
    saved_pages_free(s->pages);
    free(s->heap);
    free(s->printed);
    free(s->kernel);
    free(s->path);
    free(s);
    g->saved = NULL;
}

bool simtx_saved_abandon(simtx_gpu *g)
{
    bool pending = g->saved;
    saved_free(g);
    return pending;
}
