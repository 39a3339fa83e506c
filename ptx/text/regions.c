/*
 * Regions of a function: the instructions on any path from a start to a stop, wherever the compiler has placed their
 * blocks. A transaction is the region between tx_begin and tx_commit. A lock loop is the region between two markers,
 * which are comments (`// simtx: lock begin`, `... end`); a marker applies to the next instruction of the text. Callees
 * are not part of a region.
 */
#include <string.h>

#include "ptx/text/parser.h"

enum place { START = 1, STOP = 2, REACHED = 4 };

struct walk {
    const struct ptx_func *f;
    uint8_t *place, *seen;           /* by instruction: enum place; in the region? */
    uint32_t *stack, n;
    bool leaves;                     /* a path leaves the function inside the region */
};

static void push(struct walk *w, uint32_t i)
{
    if (!w->seen[i]) {
        w->seen[i] = 1;
        w->stack[w->n++] = i;
    }
}

static void visit(struct walk *w, uint32_t i)
{
    if (i >= w->f->ninsts)
        return;
    if (w->place[i] & STOP)
        w->place[i] |= REACHED;
    else
        push(w, i);
}

static void visit_next(struct walk *w, uint32_t i)
{
    const struct ptx_inst *in = &w->f->insts[i];
    bool leaves = in->op == OP_RET || in->op == OP_EXIT;
    bool goes = leaves || in->op == OP_BRA || in->op == OP_BRX || in->op == OP_TRAP;
    w->leaves |= leaves;
    if (in->op == OP_BRA)
        visit(w, in->opd[0].label);
    if (in->op == OP_BRX && in->opd[1].table)
        for (int k = 0; k < in->opd[1].table->n && in->opd[1].table->kind == TABLE_BRANCH; k++)
            visit(w, in->opd[1].table->labels[k]);
    if (!goes || in->guard)
        visit(w, i + 1);
}

static struct walk walk_new(struct parser *p, const struct ptx_func *f)
{
    struct walk w = { .f = f, .place = arena_alloc(p->scratch, f->ninsts), .seen = arena_alloc(p->scratch, f->ninsts),
                      .stack = arena_alloc(p->scratch, f->ninsts * sizeof *w.stack) };
    memset(w.place, 0, f->ninsts);
    memset(w.seen, 0, f->ninsts);
    return w;
}

static void walk(struct walk *w)
{
    for (uint32_t i = 0; i < w->f->ninsts; i++)
        if (w->place[i] & START)
            push(w, i);
    while (w->n)
        visit_next(w, w->stack[--w->n]);
}

/* ---- transactions ---- */

/* A load through the read-only path may return a value from before the transaction. */
static void warn_nc(struct parser *p, const struct ptx_inst *in)
{
    enum { MAX_WARNINGS = 50 };
    if (in->op == OP_LD && in->mod[PG_NC] && p->warnings++ < MAX_WARNINGS)
        diag_warn(p->d, in->loc.line, in->loc.col,
                  "ld.global.nc inside a transaction is a transactional read; the compiler may have merged it with a "
                  "load before tx_begin");
}

static void find_transactions(struct parser *p, struct ptx_func *f)
{
    struct walk w = walk_new(p, f);
    for (uint32_t i = 0; i < f->ninsts; i++)
        w.place[i] = f->insts[i].op == OP_TX_COMMIT ? STOP : 0;
    for (uint32_t i = 0; i + 1 < f->ninsts; i++)
        if (f->insts[i].op == OP_TX_BEGIN && !w.place[i + 1])
            w.place[i + 1] = START;
    walk(&w);
    for (uint32_t i = 0; i < f->ninsts; i++) {
        f->insts[i].tx = w.seen[i];
        if (w.seen[i])
            warn_nc(p, &f->insts[i]);
    }
}

/* ---- lock loops ---- */

void region_mark(struct parser *p, bool begin, struct ptx_loc loc)
{
    if (p->nmarks == p->marks_cap) {
        uint32_t cap = p->marks_cap ? 2 * p->marks_cap : 16;
        struct lock_mark *marks = arena_alloc(p->scratch, cap * sizeof *marks);
        if (p->nmarks)
            memcpy(marks, p->marks, p->nmarks * sizeof *marks);
        p->marks = marks;
        p->marks_cap = cap;
    }
    p->marks[p->nmarks++] = (struct lock_mark){ loc, begin };
}

static bool is_after(struct ptx_loc a, struct ptx_loc b)
{
    return a.line > b.line || (a.line == b.line && a.col > b.col);
}

/* Several markers before one instruction: an end closes the region above it, a begin opens the one below; an end after
 * a begin makes that region empty. */
static void put_marks(const struct parser *p, struct walk *w)
{
    uint32_t at = 0;
    for (uint32_t k = 0; k < p->nmarks; k++) {
        const struct lock_mark *m = &p->marks[k];
        while (at < w->f->ninsts && !is_after(w->f->insts[at].loc, m->loc))
            at++;
        if (at == w->f->ninsts)
            return;
        if (m->begin)
            w->place[at] |= START;
        else if (w->place[at] & START)
            w->place[at] = (uint8_t)((w->place[at] & ~START) | STOP | REACHED);
        else
            w->place[at] |= STOP;
    }
}

static bool all_reached(const struct walk *w)
{
    for (uint32_t i = 0; i < w->f->ninsts; i++)
        if ((w->place[i] & (STOP | REACHED)) == STOP)
            return false;
    return true;
}

static void find_locks(struct parser *p, struct ptx_func *f)
{
    struct walk w = walk_new(p, f);
    put_marks(p, &w);
    walk(&w);
    if (w.leaves || !all_reached(&w)) {
        diag_warn(p->d, p->marks[0].loc.line, p->marks[0].loc.col, "'%s': %s; its lock markers are ignored", f->name,
                  w.leaves ? "a path from simtx_lock_begin leaves the function without simtx_lock_end"
                           : "a simtx_lock_end is on no path from a simtx_lock_begin");
        return;
    }
    for (uint32_t i = 0; i < f->ninsts; i++)
        f->insts[i].lock = w.seen[i];
}

void regions_find(struct parser *p, struct ptx_func *f)
{
    bool tx = false;
    for (uint32_t i = 0; i < f->ninsts; i++)
        tx |= f->insts[i].op == OP_TX_BEGIN;
    if (tx)
        find_transactions(p, f);
    if (p->nmarks)
        find_locks(p, f);
    p->nmarks = 0;
}
