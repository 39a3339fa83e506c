/* Writes the timeline: text buffers, and the file, plain or compressed (zlib writes both). */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/alloc.h"
#include "timing/machine/trace_impl.h"

struct trace {
    gzFile file;
    char *path;
    struct trace_cfg cfg;
    uint64_t origin;
    struct trace_text launches;
    struct trace_sm *first, **last;
    bool failed, any_event;              /* any_event: the file has events */
};

void trace_configure(struct trace_cfg *c, const struct simtx_config *config)
{
#define CONFIG_ROWS "timing/machine/trace.def"
#include "base/config/config_copy.h"
}

struct trace *trace_open(const struct trace_cfg *c, char *error, size_t size)
{
    static const char head[] =
        "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"unit\":\"a microsecond is a core cycle\"},\n\"traceEvents\":[";
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
    return t;
}

struct trace_sm *trace_sm_new(struct trace *t, uint16_t sm, uint32_t slots)
{
    if (t->cfg.sm >= 0 && t->cfg.sm != sm)
        return NULL;
    struct trace_sm *w = mem_zero(1, sizeof *w, "the timeline of an SM");
    w->named = mem_zero(slots + 1, sizeof *w->named, "the timeline of an SM");
    w->tx = mem_zero(slots, sizeof *w->tx, "the timeline of an SM");
    w->cfg = t->cfg;
    w->origin = t->origin;
    w->sm = sm;
    w->slots = slots;
    *t->last = w;
    t->last = &w->next;
    return w;
}

void trace_origin(struct trace *t, uint64_t cycle)
{
    t->origin = cycle;
    for (struct trace_sm *w = t->first; w; w = w->next)
        w->origin = cycle;
}

/* Every event begins with a comma; the first one of the file is written without it. */
static void write_out(struct trace *t, struct trace_text *x)
{
    size_t skip = x->len && !t->any_event;
    if (x->len && gzwrite(t->file, x->at + skip, (unsigned)(x->len - skip)) <= 0)
        t->failed = true;
    t->any_event |= x->len > 0;
    x->len = 0;
}

void trace_drain(struct trace *t)
{
    write_out(t, &t->launches);
    for (struct trace_sm *w = t->first; w; w = w->next)
        write_out(t, &w->text);
}

bool trace_close(struct trace *t, char *error, size_t size)
{
    trace_drain(t);
    t->failed |= gzputs(t->file, "\n]}\n") < 0;
    t->failed |= gzclose(t->file) != Z_OK;
    bool ok = !t->failed;
    if (!ok)
        snprintf(error, size, "the timeline '%s' could not be written to its end", t->path);
    for (struct trace_sm *w = t->first, *next; w; w = next) {
        next = w->next;
        free(w->text.at);
        free(w->tx);
        free(w->named);
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

static void name_process(struct trace_text *x, uint32_t pid, const char *name)
{
    trace_add(x, ",\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"args\":{\"name\":\"%s\"}}", pid, name);
    trace_add(x, ",\n{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":%u,\"args\":{\"sort_index\":%u}}", pid, pid);
}

void trace_launch(struct trace *t, const char *kernel, uint64_t launch, uint32_t row, uint64_t from, uint64_t to)
{
    if (!trace_cut(&t->cfg, t->origin, &from, &to))
        return;
    if (!t->launches.cap)
        name_process(&t->launches, TRACE_LAUNCHES_PID, "launches");
    trace_add(&t->launches, ",\n{\"ph\":\"X\",\"cat\":\"launch\",\"name\":\"%.200s\",\"pid\":%u,\"tid\":%u,"
        "\"ts\":%" PRIu64 ",\"dur\":%" PRIu64 ",\"args\":{\"launch\":%" PRIu64 "}}",
        kernel, TRACE_LAUNCHES_PID, TRACE_FIRST_TID + row, from, to - from, launch);
}

static void name_sm(struct trace_sm *w)
{
    char name[16];
    if (w->named[w->slots])
        return;
    snprintf(name, sizeof name, "SM %u", w->sm);
    name_process(&w->text, TRACE_FIRST_SM_PID + w->sm, name);
    w->named[w->slots] = true;
}

static void name_slot(struct trace_sm *w, uint32_t slot)
{
    name_sm(w);
    if (!w->named[slot])
        trace_add(&w->text, ",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%u,\"tid\":%u,"
            "\"args\":{\"name\":\"warp slot %u\"}}", TRACE_FIRST_SM_PID + w->sm, TRACE_FIRST_TID + slot, slot);
    w->named[slot] = true;
}

bool trace_slice(struct trace_sm *w, uint32_t slot, const char *category, const char *name, uint64_t from,
                 uint64_t to)
{
    if (!trace_cut(&w->cfg, w->origin, &from, &to))
        return false;
    name_slot(w, slot);
    trace_add(&w->text, ",\n{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%.200s\",\"pid\":%u,\"tid\":%u,"
        "\"ts\":%" PRIu64 ",\"dur\":%" PRIu64, category, name, TRACE_FIRST_SM_PID + w->sm, TRACE_FIRST_TID + slot, from,
        to - from);
    return true;
}

void trace_block(struct trace_sm *w, uint32_t slot, const char *kernel, uint64_t block, uint64_t from, uint64_t to)
{
    if (trace_slice(w, slot, "block", kernel, from, to))
        trace_add(&w->text, ",\"args\":{\"block\":%" PRIu64 "}}", block);
}

void trace_state(struct trace_sm *w, uint32_t slot, const char *state, uint64_t from, uint64_t to)
{
    if (trace_slice(w, slot, "wait", state, from, to))
        trace_add(&w->text, "}");
}

void trace_issue(struct trace_sm *w, uint32_t slot, const struct dinst *d, uint64_t lanes, uint64_t at)
{
    if (trace_slice(w, slot, "issue", d->in ? ptx_ops[d->in->op].text : "ret", at, at + 1)) {
        trace_add(&w->text, ",\"args\":{\"line\":%d,", d->in ? d->in->loc.line : 0);
        trace_lanes(&w->text, lanes);
        trace_add(&w->text, "}}");
    }
}

/* The beginning ('b') or end ('e') of a request or of a segment of its path; the caller closes it. */
static void add_async(struct trace_sm *w, char phase, const char *name, uint64_t id, uint64_t at)
{
    trace_add(&w->text, ",\n{\"ph\":\"%c\",\"cat\":\"memory\",\"name\":\"%s\",\"id\":\"%u.%" PRIu64 "\",\"pid\":%u,"
        "\"tid\":%u,\"ts\":%" PRIu64, phase, name, w->sm, id, TRACE_FIRST_SM_PID + w->sm, TRACE_FIRST_TID, at);
}

static void add_segment(struct trace_sm *w, const char *name, uint64_t id, uint64_t from, uint64_t to)
{
    if (from >= to || !trace_cut(&w->cfg, w->origin, &from, &to))
        return;
    add_async(w, 'b', name, id, from);
    trace_add(&w->text, "}");
    add_async(w, 'e', name, id, to);
    trace_add(&w->text, "}");
}

/* The segments follow each other from issue to reply, as in the request histograms. */
static void add_segments(struct trace_sm *w, const struct packet *p, uint64_t id)
{
    const uint64_t *t = p->stamp;
    bool dram = t[STAMP_DRAM_QUEUE] && t[STAMP_DRAM] > t[STAMP_DRAM_QUEUE];
    add_segment(w, "L1", id, t[STAMP_ISSUE], t[STAMP_SENT]);
    add_segment(w, "crossbar", id, t[STAMP_SENT], t[STAMP_L2_QUEUE]);
    add_segment(w, "L2", id, t[STAMP_L2_QUEUE], dram ? t[STAMP_DRAM_QUEUE] : t[STAMP_REPLY]);
    if (dram) {
        add_segment(w, "DRAM", id, t[STAMP_DRAM_QUEUE], t[STAMP_DRAM]);
        add_segment(w, "L2", id, t[STAMP_DRAM], t[STAMP_REPLY]);
    }
    add_segment(w, "reply", id, t[STAMP_REPLY], t[STAMP_FILL]);
}

void trace_request(struct trace_sm *w, const struct packet *p)
{
    static const char *const names[ACCESS_TYPES] = {
        "global load", "global store", "atomic", "local load", "local store", "local write-back", "constant", "texture",
        "instructions"
    };
    uint64_t from = p->stamp[STAMP_ISSUE], to = p->stamp[STAMP_FILL], id = w->requests++;
    if (!trace_cut(&w->cfg, w->origin, &from, &to))
        return;
    name_sm(w);
    add_async(w, 'b', names[p->type], id, from);
    trace_add(&w->text, ",\"args\":{\"address\":\"0x%" PRIx64 "\",\"sectors\":%d,\"slice\":%u}}", p->line,
        __builtin_popcount(p->sectors), p->slice);
    add_segments(w, p, id);
    add_async(w, 'e', names[p->type], id, to);
    trace_add(&w->text, "}");
}
