/* Cycles of relations and the tests that they make. */
#include "regress/litmus/generate.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, EVENTS = 2 * THREADS, NAME = 200, TEXT = 8000, LINES = 8 };

enum communication { RFE, FRE, WSE };
enum internal { NONE, POD, FENCE, FENCE_ACQ_REL, ADDR, DATA, CTRL };

static const char *const communication_names[] = { "Rfe", "Fre", "Wse" };
static const char *const internal_names[] = { "", "Pod", "Fenced", "AcqReld", "DpAddrd", "DpDatad", "DpCtrld" };

/* What the tests of one kind are made of. */
struct kind {
    const char *suffix;
    enum { X86, RISCV, PTX } dialect;
    int threads;                     /* at most */
    unsigned internal;               /* bit per enum internal */
    const char *load, *store;        /* of PTX: with order and scope */
    const char *scope;               /* of PTX's fences */
    bool one_block;
    bool weak;                       /* scopes do not include the other threads: nothing is ordered */
    bool known;                      /* the rules below for the model ptx hold */
};

static const struct kind kinds[] = {
    { "", RISCV, 3, 1u << POD | 1u << FENCE | 1u << ADDR | 1u << DATA | 1u << CTRL, .known = true },
    { "", X86, 4, 1u << POD | 1u << FENCE, .known = true },
    { "", PTX, 3, 1u << POD | 1u << FENCE | 1u << FENCE_ACQ_REL, "ld.relaxed.gpu", "st.relaxed.gpu", "gpu",
      .known = true },
    { "+cta", PTX, 3, 1u << POD | 1u << FENCE | 1u << FENCE_ACQ_REL, "ld.relaxed.cta", "st.relaxed.cta", "cta", true,
      .known = true },
    { "+far", PTX, 2, 1u << POD | 1u << FENCE | 1u << FENCE_ACQ_REL, "ld.relaxed.cta", "st.relaxed.cta", "cta",
      .weak = true, .known = true },
    { "+ra", PTX, 3, 1u << POD | 1u << FENCE, "ld.acquire.gpu", "st.release.gpu", "gpu", .known = false },
    { "+weak", PTX, 2, 1u << POD | 1u << FENCE, "ld.weak", "st.weak", "gpu", .known = false },
};

struct cycle {
    const struct kind *kind;
    int threads;
    enum internal internal[THREADS];
    enum communication to_next[THREADS];
};

struct event { bool write; int location, value; };

struct program {
    struct event first[THREADS], last[THREADS];      /* of a thread with one event both are the same */
    int locations, writes[EVENTS];
};

/* ---- cycles ---- */

static bool source_writes(enum communication c)
{
    return c != FRE;
}

static bool target_writes(enum communication c)
{
    return c != RFE;
}

static enum communication from_last(const struct cycle *c, int thread)
{
    return c->to_next[(thread + c->threads - 1) % c->threads];
}

/* A single event is a write that is read next, since other pairs of communications are one communication. A dependency
 * starts at a read; that of data ends at a write. */
static bool thread_fits(const struct cycle *c, int i)
{
    bool first = target_writes(from_last(c, i)), last = source_writes(c->to_next[i]);
    switch (c->internal[i]) {
    case NONE: return first && c->to_next[i] == RFE;
    case ADDR:
    case CTRL: return !first;
    case DATA: return !first && last;
    default: return true;
    }
}

static int compare_rotated(const struct cycle *c, int by)
{
    for (int i = 0; i < c->threads; i++) {
        int k = (i + by) % c->threads;
        int a = c->internal[i] * 3 + c->to_next[i], b = c->internal[k] * 3 + c->to_next[k];
        if (a != b)
            return a - b;
    }
    return 0;
}

/* Of the cycles that differ by the thread with which they start only one is taken. */
static bool is_canonical(const struct cycle *c)
{
    for (int by = 1; by < c->threads; by++)
        if (compare_rotated(c, by) > 0)
            return false;
    return true;
}

static int count_internal(const struct cycle *c)
{
    int n = 0;
    for (int i = 0; i < c->threads; i++)
        n += c->internal[i] != NONE;
    return n;
}

static bool is_wanted(const struct cycle *c)
{
    for (int i = 0; i < c->threads; i++)
        if (!thread_fits(c, i))
            return false;
    return count_internal(c) >= 2 && is_canonical(c);
}

/* ---- programs ---- */

/* Values: along the communications of a location each write has the next number, each read the last one. */
static void make_program(const struct cycle *c, struct program *p)
{
    memset(p, 0, sizeof *p);
    p->locations = count_internal(c);
    int location = 0, start = 0;
    while (c->internal[start] == NONE)
        start++;
    for (int k = 0; k < c->threads; k++) {
        int i = (start + k) % c->threads;
        p->first[i] = (struct event){ target_writes(from_last(c, i)), location, 0 };
        location = (location + (c->internal[i] != NONE)) % p->locations;
        p->last[i] = (struct event){ source_writes(c->to_next[i]), location, 0 };
    }
    for (int k = 0; k < c->threads; k++) {       /* a location begins at the last event of a thread with two */
        int i = (start + k) % c->threads;
        if (c->internal[i] == NONE)
            continue;
        int value = p->last[i].value = p->last[i].write;
        for (int next = (i + 1) % c->threads;; next = (next + 1) % c->threads) {
            value += p->first[next].write;
            p->first[next].value = value;
            if (c->internal[next] != NONE)
                break;
            p->last[next] = p->first[next];
        }
        p->writes[p->last[i].location] = value;
    }
}

/* ---- texts ---- */

struct column { char line[LINES][48]; int n; };

struct writer {
    const struct cycle *c;
    struct program p;
    struct column column[THREADS];
    char name[NAME], init[TEXT], condition[TEXT];
};

static const char *location_name(int l)
{
    static const char *const names[] = { "x", "y", "z", "a", "b", "c", "d", "e" };
    return names[l];
}

__attribute__((format(printf, 2, 3))) static void put(struct column *c, const char *fmt, ...)
{
    __builtin_va_list ap;
    __builtin_va_start(ap, fmt);
    vsnprintf(c->line[c->n++], sizeof c->line[0], fmt, ap);
    __builtin_va_end(ap);
}

__attribute__((format(printf, 2, 3))) static void append(char *text, const char *fmt, ...)
{
    __builtin_va_list ap;
    size_t n = strlen(text);
    __builtin_va_start(ap, fmt);
    vsnprintf(text + n, TEXT - n, fmt, ap);
    __builtin_va_end(ap);
}

static void require(struct writer *w, int thread, const char *reg, int value)
{
    append(w->condition, "%s%s%d:%s=%d", *w->condition ? " /\\ " : "", w->c->kind->dialect == PTX ? "P" : "", thread,
           reg, value);
}

/* Registers of event k (0, 1) of a RISC-V thread: value x5 or x8, address x6 or x9. */
static void riscv_event(struct writer *w, int thread, const struct event *e, int k, enum internal dep)
{
    struct column *c = &w->column[thread];
    const char *value = k ? "x8" : "x5", *address = k ? "x9" : "x6";
    append(w->init, "%d:%s=%s; ", thread, address, location_name(e->location));
    if (dep == ADDR || dep == DATA)
        put(c, "xor x7,x5,x5");
    if (dep == ADDR)
        put(c, "add %s,%s,x7", address, address);
    if (dep == DATA)
        put(c, "ori %s,x7,%d", value, e->value);
    if (dep == CTRL) {
        put(c, "bne x5,x0,LC%02d", thread);
        put(c, "LC%02d:", thread);
    }
    if (e->write && dep != DATA)
        append(w->init, "%d:%s=%d; ", thread, value, e->value);
    put(c, "%s %s,0(%s)", e->write ? "sw" : "lw", value, address);
    if (!e->write)
        require(w, thread, value, e->value);
}

static void x86_event(struct writer *w, int thread, const struct event *e, int k)
{
    const char *reg = k ? "EBX" : "EAX", *l = location_name(e->location);
    if (e->write)
        put(&w->column[thread], "MOV [%s],$%d", l, e->value);
    else {
        put(&w->column[thread], "MOV %s,[%s]", reg, l);
        require(w, thread, reg, e->value);
    }
}

static void ptx_event(struct writer *w, int thread, const struct event *e, int k)
{
    const struct kind *kind = w->c->kind;
    const char *reg = k ? "r1" : "r0", *l = location_name(e->location);
    if (e->write)
        put(&w->column[thread], "%s %s, %d", kind->store, l, e->value);
    else {
        put(&w->column[thread], "%s %s, %s", kind->load, reg, l);
        require(w, thread, reg, e->value);
    }
}

static void put_event(struct writer *w, int thread, const struct event *e, int k, enum internal dep)
{
    switch (w->c->kind->dialect) {
    case X86: x86_event(w, thread, e, k); break;
    case RISCV: riscv_event(w, thread, e, k, dep); break;
    default: ptx_event(w, thread, e, k);
    }
}

static void put_fence(struct writer *w, int thread, enum internal i)
{
    const struct kind *kind = w->c->kind;
    if (i != FENCE && i != FENCE_ACQ_REL)
        return;
    if (kind->dialect == PTX)
        put(&w->column[thread], "fence.%s.%s", i == FENCE ? "sc" : "acq_rel", kind->scope);
    else
        put(&w->column[thread], "%s", kind->dialect == X86 ? "MFENCE" : "fence rw,rw");
}

static void put_thread(struct writer *w, int i)
{
    put_event(w, i, &w->p.first[i], 0, NONE);
    put_fence(w, i, w->c->internal[i]);
    if (w->c->internal[i] != NONE)
        put_event(w, i, &w->p.last[i], 1, w->c->internal[i]);
}

static void make_name(struct writer *w)
{
    static const char *const dialects[] = { "x86", "riscv", "ptx" };
    const struct cycle *c = w->c;
    snprintf(w->name, NAME, "%s", dialects[c->kind->dialect]);
    for (int i = 0; i < c->threads; i++) {
        size_t n = strlen(w->name);
        bool read = !w->p.first[i].write, to_read = !w->p.last[i].write;
        const char *from = c->internal[i] >= ADDR ? "" : read ? "R" : "W";
        if (c->internal[i] != NONE)
            n += (size_t)snprintf(w->name + n, NAME - n, "-%s%s%s", internal_names[c->internal[i]], from,
                                  to_read ? "R" : "W");
        snprintf(w->name + n, NAME - n, "-%s", communication_names[c->to_next[i]]);
    }
    strncat(w->name, c->kind->suffix, NAME - strlen(w->name) - 1);
}

static void require_final_values(struct writer *w)
{
    for (int l = 0; l < w->p.locations; l++)
        if (w->p.writes[l] > 1)
            append(w->condition, "%s%s=%d", *w->condition ? " /\\ " : "", location_name(l), w->p.writes[l]);
}

static void compose(const struct writer *w, char text[TEXT])
{
    static const char *const headers[] = { "X86", "RISCV", "PTX" };
    const struct cycle *c = w->c;
    int rows = 0;
    *text = 0;
    append(text, "%s %s\n{\n", headers[c->kind->dialect], w->name);
    for (int l = 0; l < w->p.locations; l++)
        append(text, "%s=0; ", location_name(l));
    append(text, "\n%s\n}\n", w->init);
    for (int i = 0; i < c->threads; i++) {
        append(text, "%s P%d", i ? " |" : "", i);
        if (c->kind->dialect == PTX)
            append(text, "@cta %d,gpu 0", c->kind->one_block ? 0 : i);
        rows = w->column[i].n > rows ? w->column[i].n : rows;
    }
    append(text, " ;\n");
    for (int r = 0; r < rows; r++) {
        for (int i = 0; i < c->threads; i++)
            append(text, "%s %s", i ? " |" : "", r < w->column[i].n ? w->column[i].line[r] : "");
        append(text, " ;\n");
    }
    append(text, "exists (%s)\n", w->condition);
}

/* ---- what the models must say ---- */

static bool all_internal(const struct cycle *c, unsigned which)
{
    for (int i = 0; i < c->threads; i++)
        if (!(which >> c->internal[i] & 1))
            return false;
    return true;
}

/* TSO relaxes only the order of a write and a later read: the cycle is possible if one such pair has no full fence. */
static const char *tso_verdict(const struct cycle *c, const struct program *p)
{
    for (int i = 0; i < c->threads; i++)
        if (p->first[i].write && !p->last[i].write && c->internal[i] != FENCE)
            return "Sometimes";
    return "Never";
}

static bool all_rfe(const struct cycle *c)
{
    for (int i = 0; i < c->threads; i++)
        if (c->to_next[i] != RFE)
            return false;
    return true;
}

/* Full fences everywhere make morally strong accesses sequentially consistent; without fences and dependencies nothing
 * is ordered; a cycle of reads-from and dependencies is thin air. */
static const char *ptx_verdict(const struct cycle *c)
{
    if (c->kind->known && (c->kind->weak || all_internal(c, 1u << NONE | 1u << POD)))
        return "Sometimes";
    if (c->kind->known && all_internal(c, 1u << NONE | 1u << FENCE))
        return "Never";
    if (all_rfe(c) && all_internal(c, 1u << ADDR | 1u << DATA | 1u << CTRL))
        return "Never";
    return "?";
}

/* ---- all of them ---- */

struct all { void (*take)(void *ctx, const struct generated *g); void *ctx; int n; };

static void emit(struct all *all, const struct cycle *c)
{
    char text[TEXT];
    struct writer w = { .c = c };
    make_program(c, &w.p);
    make_name(&w);
    for (int i = 0; i < c->threads; i++)
        put_thread(&w, i);
    require_final_values(&w);
    compose(&w, text);
    all->take(all->ctx, &(struct generated){ w.name, text, "Never", tso_verdict(c, &w.p), ptx_verdict(c) });
    all->n++;
}

static void extend(struct all *all, struct cycle *c, int thread)
{
    if (thread == c->threads) {
        if (is_wanted(c))
            emit(all, c);
        return;
    }
    for (int i = NONE; i <= CTRL; i++)
        for (int k = RFE; k <= WSE; k++) {
            if (i != NONE && !(c->kind->internal >> i & 1))
                continue;
            c->internal[thread] = (enum internal)i;
            c->to_next[thread] = (enum communication)k;
            extend(all, c, thread + 1);
        }
}

int generate_tests(void (*take)(void *ctx, const struct generated *g), void *ctx)
{
    struct all all = { take, ctx, 0 };
    for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int threads = 2; threads <= kinds[k].threads; threads++) {
            struct cycle c = { .kind = &kinds[k], .threads = threads };
            extend(&all, &c, 0);
        }
    return all.n;
}
