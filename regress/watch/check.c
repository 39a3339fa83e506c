/*
 * Checks what timing mode writes for people to look at. Prints the first thing that is wrong.
 *
 *     check trace FILE FROM TO SM      a timeline, perhaps compressed: it loads, slices of a warp slot nest, states and
 *                                      instructions of a block lie end to end, everything lies in the cycles FROM .. TO
 *                                      and on the SM (-1: any); requests end as often as they begin
 *     check format FILE [BYTES]        the timeline keeps to the trace-event format: members of each kind of event;
 *                                      every track has a name, of its own in its process; slices of a track nest;
 *                                      asynchronous events end in the order of time. BYTES: it has no more, and says
 *                                      that it is truncated
 *     check transactions FILE STATISTICS   every lane of an attempt commits or aborts, and they add up to the
 *                                          statistics
 *     check sorted FILE                its events in an order that does not depend on when they were written
 *     check series FILE STATISTICS     a time series: its columns add up to the statistics' total
 *     check stages STATISTICS          the stages of requests, and a cycle in which the register is written, add up to
 *                                      the latency of loads
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "regress/fail.h"

static char *read_file(const char *path)
{
    size_t n = 0, cap = 1 << 16;
    char *text = malloc(cap);
    gzFile f = gzopen(path, "rb");
    int got;
    if (!f || !text)
        fail("%s cannot be read", path);
    while ((got = gzread(f, text + n, (unsigned)(cap - n - 1))) > 0) {
        n += (size_t)got;
        if (cap - n < cap / 2 && !(text = realloc(text, cap *= 2)))
            abort();
    }
    if (got < 0)
        fail("%s cannot be read to its end", path);
    gzclose(f);
    text[n] = 0;
    return text;
}

/* The files that were loaded, until the end of the program. */
static json_t *document[2];
static size_t documents;

static json_t *load(const char *path)
{
    json_error_t e;
    char *text = read_file(path);
    json_t *root = json_loads(text, 0, &e);
    if (!root)
        fail("%s:%d: %s", path, e.line, e.text);
    free(text);
    return document[documents++] = root;
}

static void free_documents(void)
{
    while (documents)
        json_decref(document[--documents]);
}

static const char *word(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    if (!s)
        fail("an event has no %s", key);
    return s;
}

static long long number(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    if (!json_is_integer(v))
        fail("an event has no %s", key);
    return json_integer_value(v);
}

/* A time in thousandths of a core cycle: events of the memory system have fractions. */
static long long milli(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    if (!json_is_number(v) || json_number_value(v) < 0)
        fail("an event has no %s", key);
    return (long long)(json_number_value(v) * 1000 + 0.5);
}

/* ---- timeline ---- */

struct slice { long long pid, tid, from, to; int order; const char *what, *name; };

static bool is_block(const struct slice *s)
{
    return !strcmp(s->what, "block");
}

static bool is_memory(const struct slice *s)
{
    return !strcmp(s->what, "L2") || !strcmp(s->what, "DRAM");
}

static bool is_transaction(const struct slice *s)
{
    return !strcmp(s->what, "transaction");
}

/* By thread and time, longer ones first: one that contains others comes before them. */
static int by_time(const void *a, const void *b)
{
    const struct slice *x = a, *y = b;
    if (x->pid != y->pid || x->tid != y->tid)
        return x->pid != y->pid ? (x->pid < y->pid ? -1 : 1) : x->tid < y->tid ? -1 : 1;
    if (x->from != y->from || x->to != y->to)
        return x->from != y->from ? (x->from < y->from ? -1 : 1) : x->to > y->to ? -1 : 1;
    if (is_block(x) != is_block(y))
        return is_block(x) ? -1 : 1;
    return is_transaction(x) != is_transaction(y) ? (is_transaction(x) ? -1 : 1) : x->order < y->order ? -1 : 1;
}

static void check_range(long long from, long long to, const char *name, const char *const *limits)
{
    if (from < 1000 * atoll(limits[0]) || to > 1000 * (atoll(limits[1]) + 1) || from > to)
        fail("%s in the thousandths %lld .. %lld lies outside the range", name, from, to);
}

/* A slice that begins in another one of its thread ends in it, too. */
static void check_nesting(const struct slice *s, size_t n)
{
    enum { DEEPEST = 4 };
    const struct slice *in[DEEPEST];
    size_t deep = 0;
    for (size_t i = 0; i < n; i++) {
        while (deep &&
               (in[deep - 1]->pid != s[i].pid || in[deep - 1]->tid != s[i].tid || in[deep - 1]->to <= s[i].from))
            deep--;
        if (deep && s[i].to > in[deep - 1]->to)
            fail("%s at %lld ends behind %s at %lld, in which it began", s[i].name, s[i].from, in[deep - 1]->name,
                 in[deep - 1]->from);
        if (deep < DEEPEST)
            in[deep++] = &s[i];
    }
}

/* What a warp does in a block must begin where the thing before it ended. */
static void check_slices(struct slice *s, size_t n)
{
    qsort(s, n, sizeof *s, by_time);
    check_nesting(s, n);
    const struct slice *block = NULL;
    long long at = 0;
    for (size_t i = 0; i < n; i++) {
        bool inside = block && block->pid == s[i].pid && block->tid == s[i].tid && s[i].from < block->to;
        if (inside && s[i].to > block->to)
            fail("%s at %lld does not nest in its block", s[i].name, s[i].from);
        if (is_block(&s[i])) {
            if (inside)
                fail("a block at %lld lies in another one", s[i].from);
            block = &s[i];
            at = s[i].from;
        } else if (strcmp(s[i].what, "launch") && !is_transaction(&s[i]) && !is_memory(&s[i])) {
            bool second = i && !strcmp(s[i].what, "issue") && s[i - 1].from == s[i].from && s[i - 1].to == s[i].to;
            if (!inside || (s[i].from != at && !second))
                fail("%s at %lld: expected at %lld of a block", s[i].name, s[i].from, at);
            at = s[i].to;
        }
    }
}

/* Events of a request come in order: it begins, its stages begin and end, it ends. */
static void check_request(const json_t *e, const char *phase, const char *const *limits)
{
    static char id[40];
    static long long depth, from, last;
    long long at = milli(e, "ts");
    if (!depth) {
        snprintf(id, sizeof id, "%s", word(e, "id"));
        from = last = at;
    }
    if (strcmp(id, word(e, "id")))
        fail("request %s is not closed", id);
    if (at < last)
        fail("request %s goes back in time", id);
    last = at;
    depth += *phase == 'b' ? 1 : -1;
    if (depth < 0 || depth > 2)
        fail("request %s ends more often than it begins", id);
    if (!depth)
        check_range(from, at, "a request", limits);
}

static int check_trace(const char *path, const char *const *limits)
{
    json_t *root = load(path), *events = json_object_get(root, "traceEvents"), *e;
    size_t i, n = 0, requests = 0, count = json_array_size(events);
    struct slice *s = calloc(count + 1, sizeof *s);
    json_array_foreach(events, i, e) {
        const char *phase = word(e, "ph");
        long long pid = number(e, "pid"), sm = atoll(limits[2]);
        if (sm >= 0 && pid != 1 && pid != sm + 2)
            fail("an event of SM %lld", pid - 2);
        if (*phase == 'X') {
            long long from = milli(e, "ts"), to = from + milli(e, "dur");
            s[n] = (struct slice){ pid, number(e, "tid"), from, to, (int)n, word(e, "cat"), word(e, "name") };
            check_range(from, to, s[n].name, limits);
            n++;
        } else if (*phase == 'b' || *phase == 'e') {
            check_request(e, phase, limits);
            requests++;
        }
    }
    check_slices(s, n);
    free(s);
    printf("%zu slices, %zu ends of requests and stages\n", n, requests);
    return n + requests == 0;
}

/* ---- the trace-event format (Google, "Trace Event Format", 2016) ---- */

/* A track: a thread of a process, or (tid = -1) a process. */
struct track { long long pid, tid; const char *name; bool used; };

struct tracks { struct track *at; size_t n; };

static struct track *track_of(struct tracks *t, long long pid, long long tid)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->at[i].pid == pid && t->at[i].tid == tid)
            return &t->at[i];
    t->at[t->n] = (struct track){ pid, tid, NULL, false };
    return &t->at[t->n++];
}

static void check_metadata(struct tracks *t, const json_t *e)
{
    const char *name = word(e, "name");
    const json_t *args = json_object_get(e, "args");
    bool process = !strncmp(name, "process_", 8);
    struct track *track = track_of(t, number(e, "pid"), process ? -1 : number(e, "tid"));
    if (!strcmp(name, "process_name") || !strcmp(name, "thread_name")) {
        const char *given = word(args, "name");
        if (!*given || (track->name && strcmp(track->name, given)))
            fail("a track is called '%s' and '%s'", track->name, given);
        track->name = given;
    } else if (!strcmp(name, "process_sort_index") || !strcmp(name, "thread_sort_index")) {
        number(args, "sort_index");
    } else {
        fail("unknown metadata %s", name);
    }
}

static void check_event(struct tracks *t, const json_t *e)
{
    static const char *const scopes[] = { "g", "p", "t" };
    const char *phase = word(e, "ph");
    bool known = false;
    if (!strcmp(phase, "M")) {
        check_metadata(t, e);
        return;
    }
    word(e, "name");
    word(e, "cat");
    milli(e, "ts");
    long long pid = number(e, "pid"), tid = number(e, "tid");
    track_of(t, pid, -1)->used = true;
    if (!strcmp(phase, "X")) {
        milli(e, "dur");
        track_of(t, pid, tid)->used = true;
    } else if (!strcmp(phase, "i")) {
        for (int i = 0; i < 3; i++)
            known |= !strcmp(word(e, "s"), scopes[i]);
        track_of(t, pid, tid)->used = true;
        if (!known)
            fail("an instant has the scope %s", word(e, "s"));
    } else if (!strcmp(phase, "b") || !strcmp(phase, "e")) {
        word(e, "id");
    } else {
        fail("an event has the phase %s", phase);
    }
}

static void check_names(const struct tracks *t)
{
    for (size_t i = 0; i < t->n; i++) {
        const struct track *x = &t->at[i];
        if (x->used && !x->name)
            fail("thread %lld of process %lld has no name", x->tid, x->pid);
        for (size_t k = 0; k < i; k++)
            if (x->name && t->at[k].name && (t->at[k].tid < 0) == (x->tid < 0) &&
                (x->tid < 0 || t->at[k].pid == x->pid) && !strcmp(t->at[k].name, x->name))
                fail("two tracks are called %s", x->name);
    }
}

/* Slices of all tracks nest; requests are closed. */
static size_t check_order(const json_t *events, struct slice *s)
{
    static const char *const all[] = { "0", "1000000000000", "-1" };
    const json_t *e;
    size_t i, n = 0;
    long long open = 0;
    json_array_foreach(events, i, e) {
        const char *phase = word(e, "ph");
        if (*phase == 'b' || *phase == 'e') {
            check_request(e, phase, all);
            open += *phase == 'b' ? 1 : -1;
        } else if (*phase == 'X') {
            long long from = milli(e, "ts");
            s[n] = (struct slice){ number(e, "pid"), number(e, "tid"), from, from + milli(e, "dur"), (int)n,
                                   word(e, "cat"), word(e, "name") };
            n++;
        }
    }
    if (open)
        fail("%lld requests are not closed", open);
    qsort(s, n, sizeof *s, by_time);
    check_nesting(s, n);
    return n;
}

static void check_size(const char *path, const json_t *root, const char *bytes)
{
    const char *truncated = json_string_value(json_object_get(json_object_get(root, "otherData"), "truncated"));
    char *text = read_file(path);
    size_t n = strlen(text);
    free(text);
    if (bytes && n > (size_t)atoll(bytes))
        fail("%zu bytes, at most %s are allowed", n, bytes);
    if (bytes && n < (size_t)atoll(bytes) * 8 / 10)
        fail("%zu bytes of %s are used", n, bytes);
    if (!truncated != !bytes)
        fail("truncated: %s", truncated ? truncated : "no");
}

static int check_format(const char *path, const char *bytes)
{
    json_t *root = load(path), *events = json_object_get(root, "traceEvents"), *e;
    struct tracks t = { calloc(json_array_size(events) * 2 + 1, sizeof *t.at), 0 };
    struct slice *s = calloc(json_array_size(events) + 1, sizeof *s);
    size_t i;
    if (strcmp(word(root, "displayTimeUnit"), "ns") && strcmp(word(root, "displayTimeUnit"), "ms"))
        fail("displayTimeUnit is %s", word(root, "displayTimeUnit"));
    json_array_foreach(events, i, e)
        check_event(&t, e);
    check_names(&t);
    check_size(path, root, bytes);
    size_t n = check_order(events, s);
    printf("%zu events, %zu slices, %zu tracks\n", json_array_size(events), n, t.n);
    free(s);
    free(t.at);
    return n == 0;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int print_sorted(const char *path)
{
    json_t *events = json_object_get(load(path), "traceEvents"), *e;
    size_t i, n = json_array_size(events);
    char **text = calloc(n + 1, sizeof *text);
    json_array_foreach(events, i, e)
        text[i] = json_dumps(e, JSON_SORT_KEYS);
    qsort(text, n, sizeof *text, by_text);
    for (i = 0; i < n; i++) {
        puts(text[i]);
        free(text[i]);
    }
    free(text);
    return 0;
}

/* "a.b": "b" in the object "a". */
static const json_t *find(const json_t *o, const char *name)
{
    const char *dot = strchr(name, '.');
    char part[64];
    if (!dot)
        return json_object_get(o, name);
    snprintf(part, sizeof part, "%.*s", (int)(dot - name), name);
    return find(json_object_get(o, part), dot + 1);
}

static void same(const json_t *total, const char *name, long long sum)
{
    const json_t *v = find(total, name);
    if (json_integer_value(v) != sum)
        fail("%s: %lld in the timeline, %lld in the statistics", name, sum, (long long)json_integer_value(v));
}

static const char *const reasons[] = { "validation", "hazard", "watchdog", "zombie_fault", "conflict", "signature" };
enum { REASONS = sizeof reasons / sizeof *reasons };

static void add_abort(const json_t *e, long long *sum)
{
    char name[60];
    for (int i = 0; i < REASONS; i++) {
        snprintf(name, sizeof name, "abort: %s", reasons[i]);
        sum[i] += strcmp(word(e, "name"), name) ? 0 : number(json_object_get(e, "args"), "lanes");
    }
}

static void same_reasons(const json_t *total, const long long *sum)
{
    char name[60];
    for (int i = 0; i < REASONS; i++) {
        snprintf(name, sizeof name, "tm.abort.%s", reasons[i]);
        same(total, name, sum[i]);
    }
}

static int check_transactions(const char *path, const char *statistics)
{
    const json_t *total = json_object_get(load(statistics), "total");
    json_t *events = json_object_get(load(path), "traceEvents"), *e;
    long long committed = 0, aborted = 0, by_commits = 0, reads = 0, by_reason[REASONS] = { 0 };
    size_t i;
    json_array_foreach(events, i, e) {
        const json_t *args = json_object_get(e, "args");
        const char *what = json_string_value(json_object_get(e, "cat"));
        if (!what || strcmp(what, "transaction"))
            continue;
        if (*word(e, "ph") == 'i') {
            add_abort(e, by_reason);
        } else if (!strcmp(word(e, "name"), "commit")) {
            by_commits += number(args, "committed");
        } else {
            committed += number(args, "committed");
            aborted += number(args, "aborted");
            reads += number(args, "aborted") ? 0 : number(args, "reads");
            if (number(args, "lanes") != number(args, "committed") + number(args, "aborted"))
                fail("an attempt at %lld leaves lanes undecided", number(e, "ts"));
        }
    }
    same(total, "tm.commits", committed);
    same(total, "tm.commits", by_commits);
    same(total, "tm.aborts", aborted);
    same_reasons(total, by_reason);
    if (!aborted)
        same(total, "tm.read_words", reads);
    printf("%lld commits, %lld aborts\n", committed, aborted);
    return committed == 0;
}

/* ---- time series ---- */

static char *field(char **rest, char end)
{
    char *at = *rest;
    char *stop = strpbrk(at, ",\n");
    if (!stop || (*stop == '\n') != (end == '\n'))
        return NULL;
    *stop = 0;
    *rest = stop + 1;
    return at;
}

enum { COLUMNS = 2000, FIRST_COLUMN = 3 };

static int check_series(const char *path, const char *statistics)
{
    char *text = read_file(path), *name[COLUMNS], *rest = text;
    const json_t *total = json_object_get(load(statistics), "total");
    long long sum[COLUMNS] = { 0 }, rows = 0;
    int n = 0;
    while ((name[n] = field(&rest, ',')))
        if (++n == COLUMNS)
            fail("more than %d columns", COLUMNS);
    name[n++] = field(&rest, '\n');
    for (; *rest; rows++)
        for (int i = 0; i < n; i++) {
            const char *value = field(&rest, i + 1 < n ? ',' : '\n');
            if (!value)
                fail("row %lld has another number of columns", rows + 1);
            sum[i] += atoll(value);
        }
    for (int i = FIRST_COLUMN; i < n; i++) {
        const json_t *v = find(total, name[i]);
        if (!v)
            fail("%s is not in the statistics", name[i]);
        if (json_is_integer(v) && json_integer_value(v) != sum[i])
            fail("%s: %lld in the series, %lld in all", name[i], sum[i], (long long)json_integer_value(v));
    }
    free(text);
    printf("%lld rows, %d columns\n", rows, n);
    return rows == 0;
}

/* ---- histograms ---- */

static double sum_of(const json_t *histograms, const char *name)
{
    const json_t *h = find(histograms, name);
    if (!h)
        fail("no histogram %s", name);
    return (double)json_integer_value(json_object_get(h, "n")) * json_real_value(json_object_get(h, "mean"));
}

static int check_stages(const char *statistics)
{
    static const char *const stages[] = { "request.l1", "request.xbar", "request.l2", "request.dram", "request.reply" };
    const json_t *h = find(json_object_get(load(statistics), "total"), "histograms");
    double sum = (double)json_integer_value(find(h, "load_latency.n")), latency = sum_of(h, "load_latency");
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        sum += sum_of(h, stages[i]);
    printf("stages %.0f, loads %.0f\n", sum, latency);
    return sum != latency || sum <= 0;
}

static int check(int argc, char **argv)
{
    if (argc == 6 && !strcmp(argv[1], "trace"))
        return check_trace(argv[2], (const char *const *)argv + 3);
    if ((argc == 3 || argc == 4) && !strcmp(argv[1], "format"))
        return check_format(argv[2], argv[3]);
    if (argc == 3 && !strcmp(argv[1], "sorted"))
        return print_sorted(argv[2]);
    if (argc == 4 && !strcmp(argv[1], "transactions"))
        return check_transactions(argv[2], argv[3]);
    if (argc == 4 && !strcmp(argv[1], "series"))
        return check_series(argv[2], argv[3]);
    if (argc == 3 && !strcmp(argv[1], "stages"))
        return check_stages(argv[2]);
    fprintf(stderr, "usage: check trace|format|sorted|transactions|series|stages FILE ...\n");
    return 2;
}

int main(int argc, char **argv)
{
    int status = check(argc, argv);
    free_documents();
    return status;
}
