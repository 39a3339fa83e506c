/* Failed checks of programs (check.h): levels, reports by place, reports of transactions. */
#include "ptx/exec/check.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ptx/txn/txn_state.h"

static const char *const names[] = { [CHECK_MEMORY] = "check.memory", [CHECK_BARRIER] = "check.barrier",
                                     [CHECK_WARP] = "check.warp", [CHECK_RACES] = "check.races",
                                     [CHECK_UNINITIALISED] = "check.uninitialised" };
static const enum stat counters[] = { [CHECK_MEMORY] = STAT_CHECKS_MEMORY, [CHECK_BARRIER] = STAT_CHECKS_BARRIER,
                                      [CHECK_WARP] = STAT_CHECKS_WARP, [CHECK_RACES] = STAT_CHECKS_RACES,
                                      [CHECK_UNINITIALISED] = STAT_CHECKS_UNINITIALISED };

/* ---- the log ---- */

struct place {
    const struct program *program;   /* NULL: it has been freed */
    const struct ptx_func *kernel;
    const struct ptx_inst *in, *other;   /* other: of a pair of accesses, or NULL; freed with the program */
    struct ptx_loc at, other_at;     /* of these in the text; 0: none */
    enum check check;
    uint64_t launch, block;          /* of the report */
    uint64_t count;                  /* failed checks until it is shown; not those of transactions */
    bool shown;
    char *name, *text;               /* of the kernel; the report */
};

struct check_log {
    pthread_mutex_t lock;
    struct place *place;
    uint32_t n, cap;
};

struct check_log *check_log_new(void)
{
    struct check_log *log = mem_zero(1, sizeof *log, "the reports of checks");
    pthread_mutex_init(&log->lock, NULL);
    return log;
}

void check_log_free(struct check_log *log)
{
    for (uint32_t i = 0; log && i < log->n; i++) {
        free(log->place[i].name);
        free(log->place[i].text);
    }
    if (log) {
        pthread_mutex_destroy(&log->lock);
        free(log->place);
    }
    free(log);
}

void check_log_remove(struct check_log *log, const struct program *p)
{
    for (uint32_t i = 0; i < log->n; i++)
        if (log->place[i].program == p)
            log->place[i].program = NULL;
}

static int by_line(struct ptx_loc a, struct ptx_loc b)
{
    return a.line != b.line ? (a.line > b.line) - (a.line < b.line) : (a.col > b.col) - (a.col < b.col);
}

static int by_kernel_and_line(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    int names_differ = strcmp(p->name, q->name), lines_differ = by_line(p->at, q->at);
    return names_differ       ? names_differ
           : lines_differ     ? lines_differ
           : p->check != q->check ? (int)p->check - (int)q->check
                                  : by_line(p->other_at, q->other_at);
}

/* Reports of races and of unwritten memory end with the number of accesses; those of other checks have none. */
static void show_place(const struct place *p, void (*show)(void *ctx, const char *text), void *ctx)
{
    bool counted = p->check == CHECK_RACES || p->check == CHECK_UNINITIALISED;
    const char *plural = p->count == 1 ? "" : "s";
    char *text = counted ? mem_format("%s\n  %" PRIu64 " time%s until this report", p->text, p->count, plural)
                         : mem_string(p->text);
    show(ctx, text);
    free(text);
}

void check_log_show(struct check_log *log, void (*show)(void *ctx, const char *text), void *ctx)
{
    bool any = false;
    for (uint32_t i = 0; i < log->n && !any; i++)
        any = !log->place[i].shown;
    if (!any)
        return;
    qsort(log->place, log->n, sizeof *log->place, by_kernel_and_line);
    for (uint32_t i = 0; i < log->n; i++) {
        struct place *p = &log->place[i];
        if (!p->shown && show)
            show_place(p, show, ctx);
        p->shown = true;
    }
}

uint32_t check_log_places(const struct check_log *log, enum check c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < log->n; i++)
        n += log->place[i].check == c;
    return n;
}

/* The two of a pair may be found in either order. */
static bool is_pair(const struct place *p, const struct ptx_inst *in, const struct ptx_inst *other)
{
    return (p->in == in && p->other == other) || (other && p->in == other && p->other == in);
}

static struct place *find(const struct check_log *log, const struct warp *w, const struct dinst *d,
                          const struct ptx_inst *other, enum check c)
{
    const struct launch *la = w->block->launch;
    for (uint32_t i = 0; i < log->n; i++) {
        struct place *p = &log->place[i];
        if (is_pair(p, d->in, other) && p->check == c && p->kernel == la->code->func && p->program == la->program)
            return p;
    }
    return NULL;
}

/* Does the place have the report that it will keep, if this block fails a check there? */
static bool is_settled(const struct place *p, const struct launch *la, uint64_t block)
{
    return p && (p->shown || p->launch != la->grid_id || p->block <= block);
}

static bool needs_no_report(const struct warp *w, const struct dinst *d, const struct ptx_inst *other, enum check c)
{
    const struct launch *la = w->block->launch;
    if (la->check[c] == CHECK_OFF || !la->checks)
        return true;
    pthread_mutex_lock(&la->checks->lock);
    struct place *p = find(la->checks, w, d, other, c);
    bool settled = is_settled(p, la, w->block->linear);
    if (settled)
        p->count += !p->shown;
    pthread_mutex_unlock(&la->checks->lock);
    return settled;
}

static struct ptx_loc place_of(const struct ptx_inst *in)
{
    return in ? in->loc : (struct ptx_loc){ 0 };
}

static struct place *add_place(struct check_log *log, const struct warp *w, enum check c)
{
    const struct launch *la = w->block->launch;
    log->place = mem_grow(log->place, log->n, &log->cap, sizeof *log->place, "the reports of checks");
    struct place *p = &log->place[log->n++];
    *p = (struct place){ .program = la->program, .kernel = la->code->func, .check = c,
                         .name = mem_string(la->code->func->name) };
    return p;
}

/* Takes the text. */
static void report(struct warp *w, const struct dinst *d, const struct ptx_inst *other, enum check c, uint64_t block,
                   char *text)
{
    const struct launch *la = w->block->launch;
    struct check_log *log = la->checks;
    pthread_mutex_lock(&log->lock);
    struct place *p = find(log, w, d, other, c);
    if (is_settled(p, la, block))
        free(text);
    else {
        p = p ? p : add_place(log, w, c);
        free(p->text);
        p->text = text;
        p->launch = la->grid_id;
        p->block = block;
        p->in = d->in;
        p->at = place_of(d->in);
        p->other = other;
        p->other_at = place_of(other);
    }
    p->count += !p->shown;
    pthread_mutex_unlock(&log->lock);
}

/* ---- transactions ---- */

/* May an abort undo what the warp does now? */
static bool may_abort(const struct warp *w)
{
    return w->tx.open && w->block->launch->tm;
}

static void hold(struct warp *w, const struct dinst *d, enum check c, int lane, char *text)
{
    struct held_checks *held = &w->txn->checks;
    held->check = mem_grow(held->check, held->n, &held->cap, sizeof *held->check, "the reports of a transaction");
    held->check[held->n++] = (struct held_check){ .d = d, .linear_block = w->block->linear, .count = 1,
                                                  .check = (uint8_t)c, .lane = (uint8_t)lane, .text = text };
}

static struct held_check *find_held(const struct warp *w, const struct dinst *d, enum check c, int lane)
{
    struct held_checks *held = &w->txn->checks;
    for (uint32_t i = 0; i < held->n; i++)
        if (held->check[i].d->in == d->in && held->check[i].check == c && held->check[i].lane == lane)
            return &held->check[i];
    return NULL;
}

/* Counts a failed check of the lane's attempt if it needs no further report. */
static bool is_held(struct warp *w, const struct dinst *d, enum check c, int lane)
{
    struct held_check *h = find_held(w, d, c, lane);
    if (h)
        h->count++;
    else if (needs_no_report(w, d, NULL, c))
        hold(w, d, c, lane, NULL);
    else
        return false;
    return true;
}

/* Removes the reports of these lanes from the list and calls `each` for them. */
static void take(struct warp *w, struct held_checks *held, uint64_t lanes,
                 void (*each)(struct warp *w, struct held_check *h))
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < held->n; i++)
        if (lanes >> held->check[i].lane & 1)
            each(w, &held->check[i]);
        else
            held->check[n++] = held->check[i];
    held->n = n;
}

static void publish(struct warp *w, struct held_check *h)
{
    w->half[0].worker->count[counters[h->check]] += h->count;
    if (h->text)
        report(w, h->d, NULL, (enum check)h->check, h->linear_block, h->text);
}

static void discard(struct warp *w, struct held_check *h)
{
    (void)w;
    free(h->text);
}

void check_publish(struct warp *w, struct held_checks *held, uint64_t lanes)
{
    take(w, held, lanes, publish);
}

void check_discard(struct held_checks *held, uint64_t lanes)
{
    take(NULL, held, lanes, discard);
}

/* ---- a failed check ---- */

bool check_pair_tolerated(struct warp *w, const struct dinst *d, const struct ptx_inst *other, enum check c, int lane)
{
    if (w->block->launch->check[c] == CHECK_FAULT)
        return false;
    if (may_abort(w))
        return is_held(w, d, c, lane);
    if (!needs_no_report(w, d, other, c))
        return false;
    w->half[0].worker->count[counters[c]]++;
    return true;
}

bool check_tolerated(struct warp *w, const struct dinst *d, enum check c, int lane)
{
    return check_pair_tolerated(w, d, NULL, c, lane);
}

static int failed(struct warp *w, const struct dinst *d, const struct ptx_inst *other, enum check c,
                  enum fault_kind kind, int lane, uint64_t address, const char *what, va_list ap)
{
    char words[1024];
    vsnprintf(words, sizeof words, what, ap);
    if (w->block->launch->check[c] == CHECK_FAULT)
        return fault_raise(w, d, kind, lane, address, "%s", words);
    struct fault f;
    fault_compose(&f, w, d, kind, lane, address, names[c], words);
    char *text = mem_string(f.text);
    text[strlen(text) - 1] = 0;              /* its last character is a newline */
    if (may_abort(w))
        hold(w, d, c, lane, text);
    else {
        w->half[0].worker->count[counters[c]]++;
        report(w, d, other, c, w->block->linear, text);
    }
    return CONTROL_NEXT;
}

int check_failed(struct warp *w, const struct dinst *d, enum check c, enum fault_kind kind, int lane, uint64_t address,
                 const char *what, ...)
{
    va_list ap;
    va_start(ap, what);
    int r = failed(w, d, NULL, c, kind, lane, address, what, ap);
    va_end(ap);
    return r;
}

int check_pair_failed(struct warp *w, const struct dinst *d, const struct ptx_inst *other, enum check c,
                      enum fault_kind kind, int lane, uint64_t address, const char *what, ...)
{
    va_list ap;
    va_start(ap, what);
    int r = failed(w, d, other, c, kind, lane, address, what, ap);
    va_end(ap);
    return r;
}
