/* Writing the timeline: buffers of text per SM, one file behind them (zlib writes both forms). */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "timing/trace.h"

struct sm_watch {
    struct trace_range range;
    uint16_t sm;
    char *text;
    size_t len, cap;
    uint64_t requests;                   /* numbers of asynchronous events */
    bool *named;                         /* by warp slot: the viewer knows its name */
    uint32_t slots;
    struct sm_watch *next;
};

struct trace {
    gzFile file;
    char *path;
    struct trace_range range;
    struct sm_watch *first, **last;
    bool failed, any;
};

struct trace *trace_open(const char *path, const struct trace_range *range, char *error, size_t size)
{
    size_t n = strlen(path);
    bool compress = n > 3 && !strcmp(path + n - 3, ".gz");
    gzFile f = gzopen(path, compress ? "wb" : "wbT");
    if (!f) {
        snprintf(error, size, "cannot write the timeline '%s'", path);
        return NULL;
    }
    struct trace *t = calloc(1, sizeof *t);
    if (!t)
        abort();
    t->file = f;
    t->path = strdup(path);
    t->range = *range;
    t->last = &t->first;
    t->failed = gzputs(f, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"unit\":\"one microsecond is one core cycle\"},\n\"traceEvents\":[") < 0;
    return t;
}

struct sm_watch *trace_watch(struct trace *t, uint16_t sm, uint32_t slots)
{
    if (t->range.sm >= 0 && t->range.sm != sm)
        return NULL;
    struct sm_watch *w = calloc(1, sizeof *w);
    if (!w || !(w->named = calloc(slots + 1, sizeof *w->named)))
        abort();
    w->range = t->range;
    w->sm = sm;
    w->slots = slots;
    *t->last = w;
    t->last = &w->next;
    return w;
}

/* Every event begins with a comma; the first one of the file loses it. */
void trace_drain(struct trace *t)
{
    for (struct sm_watch *w = t->first; w; w = w->next) {
        size_t skip = w->len && !t->any;
        if (w->len && gzwrite(t->file, w->text + skip, (unsigned)(w->len - skip)) <= 0)
            t->failed = true;
        t->any |= w->len > 0;
        w->len = 0;
    }
}

bool trace_close(struct trace *t, char *error, size_t size)
{
    trace_drain(t);
    t->failed |= gzputs(t->file, "\n]}\n") < 0;
    t->failed |= gzclose(t->file) != Z_OK;
    bool ok = !t->failed;
    if (!ok)
        snprintf(error, size, "the timeline '%s' could not be written to its end", t->path);
    for (struct sm_watch *w = t->first, *next; w; w = next) {
        next = w->next;
        free(w->text);
        free(w->named);
        free(w);
    }
    free(t->path);
    free(t);
    return ok;
}

/* ---- events ---- */

static void add(struct sm_watch *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct sm_watch *w, const char *format, ...)
{
    enum { LONGEST = 1024 };
    if (w->cap - w->len < LONGEST) {
        w->cap = w->cap ? w->cap * 2 : 1 << 16;
        w->text = realloc(w->text, w->cap);
        if (!w->text)
            abort();
    }
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(w->text + w->len, LONGEST, format, ap);
    va_end(ap);
    w->len += n < LONGEST ? (size_t)n : 0;
}

static bool cut(const struct sm_watch *w, uint64_t *from, uint64_t *to)
{
    *from = *from > w->range.from ? *from : w->range.from;
    *to = *to <= w->range.to ? *to : w->range.to + 1;
    return *from < *to;
}

static void name_slot(struct sm_watch *w, uint32_t slot)
{
    if (!w->named[w->slots])
        add(w, ",\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"args\":{\"name\":\"SM %u\"}}", w->sm, w->sm);
    if (!w->named[slot])
        add(w, ",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%u,\"tid\":%u,\"args\":{\"name\":\"warp slot %u\"}}", w->sm, slot, slot);
    w->named[slot] = w->named[w->slots] = true;
}

void watch_block(struct sm_watch *w, uint32_t slot, const char *kernel, uint64_t block, uint64_t from, uint64_t to)
{
    if (!cut(w, &from, &to))
        return;
    name_slot(w, slot);
    add(w, ",\n{\"ph\":\"X\",\"cat\":\"block\",\"name\":\"%.200s block %llu\",\"pid\":%u,\"tid\":%u,\"ts\":%llu,\"dur\":%llu}", kernel,
        (unsigned long long)block, w->sm, slot, (unsigned long long)from, (unsigned long long)(to - from));
}

void watch_state(struct sm_watch *w, uint32_t slot, const char *state, uint64_t from, uint64_t to)
{
    if (!cut(w, &from, &to))
        return;
    name_slot(w, slot);
    add(w, ",\n{\"ph\":\"X\",\"cat\":\"wait\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u,\"ts\":%llu,\"dur\":%llu}", state, w->sm, slot,
        (unsigned long long)from, (unsigned long long)(to - from));
}

void watch_issue(struct sm_watch *w, uint32_t slot, const struct dinst *d, uint64_t lanes, uint64_t at)
{
    uint64_t to = at + 1;
    if (!cut(w, &at, &to))
        return;
    name_slot(w, slot);
    add(w, ",\n{\"ph\":\"X\",\"cat\":\"issue\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u,\"ts\":%llu,\"dur\":1,\"args\":{\"line\":%d,\"lanes\":%d}}",
        d->in ? ptx_ops[d->in->op].text : "ret", w->sm, slot, (unsigned long long)at, d->in ? d->in->loc.line : 0,
        __builtin_popcountll(lanes));
}

static void stage(struct sm_watch *w, const char *name, uint64_t id, uint64_t from, uint64_t to)
{
    static const char format[] = ",\n{\"ph\":\"%c\",\"cat\":\"memory\",\"name\":\"%s\",\"id\":\"%u.%llu\",\"pid\":%u,\"tid\":0,\"ts\":%llu}";
    add(w, format, 'b', name, w->sm, (unsigned long long)id, w->sm, (unsigned long long)from);
    add(w, format, 'e', name, w->sm, (unsigned long long)id, w->sm, (unsigned long long)to);
}

void watch_request(struct sm_watch *w, const struct packet *p)
{
    static const char *const names[ACCESS_TYPES] = { "global load", "global store", "atomic", "local load", "local store",
                                                     "local write-back", "constant", "texture", "instructions", "L2 fill",
                                                     "L2 write-back" };
    static const struct { const char *name; enum stage from, to; } parts[] = {
        { "L1", STAGE_ISSUE, STAGE_SENT },     { "crossbar", STAGE_SENT, STAGE_L2_QUEUE },
        { "L2", STAGE_L2_QUEUE, STAGE_L2 },    { "DRAM", STAGE_DRAM_QUEUE, STAGE_DRAM },
        { "reply", STAGE_REPLY, STAGE_FILL },
    };
    uint64_t from = p->stamp[STAGE_ISSUE], to = p->stamp[STAGE_FILL] + 1, id = w->requests++;
    if (from < w->range.from || to > w->range.to)
        return;
    add(w, ",\n{\"ph\":\"b\",\"cat\":\"memory\",\"name\":\"%s\",\"id\":\"%u.%llu\",\"pid\":%u,\"tid\":0,\"ts\":%llu,"
           "\"args\":{\"address\":\"0x%llx\",\"slice\":%u,\"warp\":%d}}",
        names[p->type], w->sm, (unsigned long long)id, w->sm, (unsigned long long)from, (unsigned long long)p->line, p->slice,
        p->warp == UINT16_MAX ? -1 : p->warp);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (p->stamp[parts[i].from] && p->stamp[parts[i].to] > p->stamp[parts[i].from])
            stage(w, parts[i].name, id, p->stamp[parts[i].from], p->stamp[parts[i].to]);
    add(w, ",\n{\"ph\":\"e\",\"cat\":\"memory\",\"name\":\"%s\",\"id\":\"%u.%llu\",\"pid\":%u,\"tid\":0,\"ts\":%llu}", names[p->type], w->sm,
        (unsigned long long)id, w->sm, (unsigned long long)to);
}
