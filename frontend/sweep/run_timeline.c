/*
 * The marks in the timeline of a program with one warp of at most four threads and one transaction: pmevent
 * instructions before and in the transaction, and the ends of its attempts. Each gives a row: first the marks before
 * the transaction, then for each attempt every mark that any attempt has, in the order of their numbers, and the end of
 * the attempt, numbered one above the highest mark. The columns; in a mask the leftmost of four decimal digits is
 * thread 0:
 *
 *   mark            number of the pmevent
 *   running         threads that execute it; at the end of an attempt those that execute what follows tx_commit
 *   waiting         threads that wait for a later attempt: held back by this one from its beginning, or aborted until
 *                   here
 *   waiting_before  threads that were waiting at the end of the attempt before; 0: there is none
 *   held            1: the attempt holds threads back from its beginning
 *   aborted         threads aborted since the row before
 *
 * A mark that no thread executes has the time of the next one that some thread executes, or of the end.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "frontend/sweep/batch.h"

enum { MARKS = 16, THREADS = 4 };

/* In the order in which those of one cycle take effect. */
enum kind { ABORT, MARK, ATTEMPT, END };
struct event { uint64_t at, lanes; enum kind kind; unsigned number; };

struct batch_timeline {
    struct event *event;             /* by time; the last is END */
    uint32_t n, cap;
    unsigned inside;                 /* marks of attempts, bit set */
};

struct row { unsigned mark; uint64_t running, waiting, waiting_before, aborted; bool held; };

/* ---- the file ---- */

static bool is_named(const json_t *j, const char *key, const char *name)
{
    const char *text = json_string_value(json_object_get(j, key));
    return text && !strcmp(text, name);
}

static void add(struct batch_timeline *t, struct event e)
{
    t->event = mem_grow(t->event, t->n, &t->cap, sizeof *t->event, "marks of a timeline");
    t->event[t->n++] = e;
}

static uint64_t time_of(const json_t *j, const char *key)
{
    return (uint64_t)json_number_value(json_object_get(j, key));
}

static void add_event(struct batch_timeline *t, const json_t *j)
{
    const json_t *args = json_object_get(j, "args"), *number = json_object_get(args, "event");
    const char *mask = json_string_value(json_object_get(args, "mask"));
    struct event e = { .at = time_of(j, "ts"), .lanes = mask ? strtoull(mask, NULL, 16) : 0, .kind = MARK };
    json_int_t mark = json_integer_value(number);
    if (!mask || mark < 0 || mark >= MARKS || (!number && !is_named(j, "cat", "transaction")))
        return;
    if (number)
        e.number = (unsigned)mark;
    else
        e.kind = is_named(j, "name", "attempt") ? ATTEMPT : ABORT;
    add(t, e);
    if (e.kind == ATTEMPT)
        add(t, (struct event){ .at = e.at + time_of(j, "dur"), .kind = END });
}

static int compare(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    return x->at != y->at ? (x->at > y->at) - (x->at < y->at) : (int)x->kind - (int)y->kind;
}

/* The attempts follow each other, so only the end of the last one stays. What follows it is outside the transaction. */
static void order(struct batch_timeline *t)
{
    uint32_t n = 0, end = t->n;
    bool inside = false;
    if (t->n)
        qsort(t->event, t->n, sizeof *t->event, compare);
    while (end && t->event[end - 1].kind != END)
        end--;
    for (uint32_t i = 0; i < end; i++) {
        const struct event *e = &t->event[i];
        if (e->kind == END && i + 1 < end)
            continue;
        inside |= e->kind == ATTEMPT;
        t->inside |= inside && e->kind == MARK ? 1u << e->number : 0;
        t->event[n++] = *e;
    }
    t->n = n;
}

struct batch_timeline *batch_timeline_load(const char *path)
{
    struct batch_timeline *t = mem_zero(1, sizeof *t, "marks of a timeline");
    json_t *all = json_load_file(path, 0, NULL), *events = json_object_get(all, "traceEvents");
    for (size_t i = 0; i < json_array_size(events); i++)
        add_event(t, json_array_get(events, i));
    json_decref(all);
    order(t);
    return t;
}

void batch_timeline_free(struct batch_timeline *t)
{
    if (t)
        free(t->event);
    free(t);
}

/* ---- the rows ---- */

/* The event of this attempt, from event `at` on, that gives a mark its time: the first mark with this number or a
 * higher one, or what ends the attempt. */
static const struct event *place(const struct batch_timeline *t, uint32_t at, unsigned mark)
{
    const struct event *found = NULL, *e;
    for (e = &t->event[at]; e->kind != ATTEMPT && e->kind != END; e++)
        if (e->kind == MARK && e->number >= mark && (!found || e->number < found->number))
            found = e;
    return found ? found : e;
}

static uint64_t aborted_until(const struct batch_timeline *t, uint32_t at, const struct event *until)
{
    uint64_t lanes = 0;
    for (const struct event *e = &t->event[at]; e < until; e++)
        lanes |= e->kind == ABORT ? e->lanes : 0;
    return lanes;
}

/* Row n of the attempt that begins with event `at`; `open`: threads that have not committed. If the attempt has fewer
 * than *n rows, *n is reduced by their number. Returns the threads that wait at its end. */
static uint64_t attempt_row(const struct batch_timeline *t, uint32_t at, uint64_t open, uint64_t waiting_before,
                            unsigned *n, struct row *row)
{
    uint64_t ran = t->event[at].lanes, held = open & ~ran, before = 0;
    const struct event *end = place(t, at + 1, MARKS);
    for (unsigned mark = 0; mark < MARKS && *n; mark++) {
        if (!(t->inside >> mark & 1))
            continue;
        const struct event *e = place(t, at + 1, mark);
        uint64_t aborted = aborted_until(t, at + 1, e);
        uint64_t running = e->kind == MARK && e->number == mark ? e->lanes : 0;
        *row = (struct row){ mark, running, held | aborted, waiting_before, aborted & ~before, held != 0 };
        before = aborted;
        --*n;
    }
    uint64_t aborted = aborted_until(t, at + 1, end), waiting = held | aborted;
    unsigned last = 32 - (unsigned)__builtin_clz(t->inside);
    if (*n && --*n == 0)
        *row = (struct row){ last, waiting ? 0 : ran, waiting, waiting_before, aborted & ~before, held != 0 };
    return waiting;
}

/* Row n, from 1; false: there are fewer. */
static bool find_row(const struct batch_timeline *t, unsigned n, struct row *row)
{
    uint64_t open = 0, waiting_before = 0;
    bool first = true;
    for (uint32_t i = 0; i < t->n && n; i++) {
        const struct event *e = &t->event[i];
        if (e->kind == MARK && first && --n == 0)
            *row = (struct row){ .mark = e->number, .running = e->lanes };
        if (e->kind != ATTEMPT)
            continue;
        open = first ? e->lanes : waiting_before;
        waiting_before = attempt_row(t, i, open, first ? 0 : waiting_before, &n, row);
        first = false;
    }
    return n == 0;
}

/* Binary digits as a decimal number. */
static double digits(uint64_t mask)
{
    double value = 0;
    for (unsigned i = 0; i < THREADS; i++)
        value = 10 * value + (double)(mask >> i & 1);
    return value;
}

static double column(const struct row *row, const char *name, size_t length)
{
    const struct { const char *name; double value; } columns[] = {
        { "mark", row->mark }, { "running", digits(row->running) }, { "waiting", digits(row->waiting) },
        { "waiting_before", digits(row->waiting_before) }, { "held", row->held }, { "aborted", digits(row->aborted) }
    };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (strlen(columns[i].name) == length && !strncmp(columns[i].name, name, length))
            return columns[i].value;
    return NAN;
}

double batch_timeline_value(const struct batch_timeline *t, const char *name)
{
    size_t length = strcspn(name, "0123456789");
    unsigned n = (unsigned)strtoul(name + length, NULL, 10);
    struct row row = { 0 };
    return t && n && t->inside && find_row(t, n, &row) ? column(&row, name, length) : NAN;
}
