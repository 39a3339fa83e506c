/*
 * The outcomes under SC and TSO: a search of all states of an abstract machine. SC: a store writes memory at once. TSO:
 * each thread has a FIFO of stores; its head is written to memory in a step of its own; a load reads the youngest own
 * entry of its location, else memory; fence.sc and an RMW need an empty FIFO; an RMW is one step. Fences of acquire
 * and release order nothing more, since TSO has their order. All threads of a block pass a barrier in one step, with
 * empty FIFOs.
 *
 * A state is a row of numbers: memory, then for each thread program counter, registers, length and entries of the
 * FIFO. Visited states are in a hash set. A loop is no problem, as long as the number of states is finite.
 */
#include "frontend/litmus/litmus.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { FIFO = 16, STATES_MAX = 2000000 };

struct entry { int64_t location, value; };

struct machine {
    int64_t memory[LITMUS_LOCATIONS];
    struct core {
        int64_t pc, stores, regs[LITMUS_REGISTERS];
        struct entry fifo[FIFO];
    } core[LITMUS_THREADS];
};

struct search {
    const struct litmus_test *t;
    bool tso;
    struct litmus_outcomes *out, visited;
    uint32_t next;                   /* the visited states from here on are to be expanded */
    struct diag *d;                  /* once it has an error, the search ends */
};

/* ---- states as rows ---- */

static int row_width(const struct litmus_test *t, bool tso)
{
    int n = t->nlocations;
    for (int i = 0; i < t->nthreads; i++)
        n += 2 + t->thread[i].nregs + (tso ? 2 * FIFO : 0);
    return n;
}

static void copy(int64_t **row, int64_t *field, int n, bool pack)
{
    memcpy(pack ? *row : field, pack ? field : *row, (size_t)n * sizeof *field);
    *row += n;
}

static void transfer(const struct search *s, struct machine *m, int64_t *row, bool pack)
{
    copy(&row, m->memory, s->t->nlocations, pack);
    for (int i = 0; i < s->t->nthreads; i++) {
        struct core *c = &m->core[i];
        copy(&row, &c->pc, 1, pack);
        copy(&row, &c->stores, 1, pack);
        copy(&row, c->regs, s->t->thread[i].nregs, pack);
        if (s->tso)
            copy(&row, &c->fifo[0].location, 2 * FIFO, pack);
    }
}

static void visit(struct search *s, struct machine *m)
{
    int64_t row[LITMUS_LOCATIONS + LITMUS_THREADS * (2 + LITMUS_REGISTERS + 2 * FIFO)];
    transfer(s, m, row, true);
    if (litmus_outcomes_find(&s->visited, row) >= 0)
        return;
    litmus_outcomes_add(&s->visited, row, 1);
    if (s->visited.n > STATES_MAX && !s->d->errors)
        diag_error(s->d, 0, 0, "the model has more than %d states of this test", STATES_MAX);
}

/* ---- steps ---- */

static int location(struct search *s, const struct litmus_op *o, const int64_t *regs)
{
    int l = litmus_location_of(s->t, litmus_value(&o->address, regs));
    if (l < 0 && !s->d->errors)
        diag_error(s->d, o->line, o->col, "an access to an address that is no location");
    return l;
}

static void remove_head(struct core *c)
{
    memmove(c->fifo, c->fifo + 1, sizeof c->fifo - sizeof *c->fifo);
    c->fifo[FIFO - 1] = (struct entry){ 0, 0 };
    c->stores--;
}

static int64_t read_value(const struct machine *m, const struct core *c, int l)
{
    for (int64_t i = c->stores - 1; i >= 0; i--)
        if (c->fifo[i].location == l)
            return c->fifo[i].value;
    return m->memory[l];
}

static void write_value(struct search *s, struct machine *m, struct core *c, int l, int64_t v)
{
    if (!s->tso)
        m->memory[l] = v;
    else if (c->stores < FIFO)
        c->fifo[c->stores++] = (struct entry){ l, v };
    else if (!s->d->errors)
        diag_error(s->d, 0, 0, "more than %d stores wait in a FIFO", FIFO);
}

static void set_result(struct core *c, const struct litmus_op *o, int64_t v)
{
    if (o->dst >= 0)
        c->regs[o->dst] = v;
}

/* Executes the operation in m; false: the thread must wait. */
static bool step(struct search *s, struct machine *m, int thread)
{
    const struct litmus_thread *p = &s->t->thread[thread];
    struct core *c = &m->core[thread];
    const struct litmus_op *o = &p->op[c->pc];
    bool access = o->kind == LITMUS_LOAD || o->kind == LITMUS_STORE || o->kind == LITMUS_RMW;
    int l = access ? location(s, o, c->regs) : 0;
    int64_t v;
    if (l < 0)
        return false;
    c->pc++;
    switch (o->kind) {
    case LITMUS_MOV:
    case LITMUS_ALU: litmus_compute(p, o, c->regs); return true;
    case LITMUS_BRANCH: c->pc = litmus_branches(o, c->regs) ? o->target : c->pc; return true;
    case LITMUS_LOAD: set_result(c, o, litmus_truncate(read_value(m, c, l), o)); return true;
    case LITMUS_STORE: write_value(s, m, c, l, litmus_truncate(litmus_value(&o->a, c->regs), o)); return true;
    case LITMUS_FENCE: return o->sem != LITMUS_SC || !c->stores;
    case LITMUS_RMW:
        if (c->stores)
            return false;
        v = litmus_truncate(m->memory[l], o);
        if (litmus_rmw(o, c->regs, v, &m->memory[l]))
            m->memory[l] = litmus_truncate(m->memory[l], o);
        set_result(c, o, v);
        return true;
    case LITMUS_BARRIER: return false;           /* pass_barrier */
    default: return true;
    }
}

static bool at_barrier(const struct search *s, const struct machine *m, int thread, int id)
{
    const struct litmus_thread *p = &s->t->thread[thread];
    const struct core *c = &m->core[thread];
    const struct litmus_op *o = &p->op[c->pc];
    return c->pc < p->nops && o->kind == LITMUS_BARRIER && o->id == id && !c->stores;
}

static bool same_block(const struct search *s, int i, int k)
{
    const struct litmus_thread *a = &s->t->thread[i], *b = &s->t->thread[k];
    return a->cta == b->cta && a->gpu == b->gpu;
}

/* All threads of thread's block are at its barrier: they pass it. */
static void pass_barrier(struct search *s, const struct machine *m, int thread)
{
    const struct litmus_op *o = &s->t->thread[thread].op[m->core[thread].pc];
    if (o->kind != LITMUS_BARRIER)
        return;
    struct machine n = *m;
    for (int i = 0; i < s->t->nthreads; i++) {
        if (!same_block(s, thread, i))
            continue;
        if (!at_barrier(s, m, i, o->id))
            return;
        n.core[i].pc++;
    }
    visit(s, &n);
}

static bool ended(const struct search *s, const struct machine *m)
{
    for (int i = 0; i < s->t->nthreads; i++)
        if (m->core[i].pc < s->t->thread[i].nops || m->core[i].stores)
            return false;
    return true;
}

static void record(struct search *s, const struct machine *m)
{
    int64_t outcome[LITMUS_OBSERVED];
    for (int i = 0; i < s->t->nobserved; i++) {
        const struct litmus_observed *o = &s->t->observed[i];
        outcome[i] = o->thread < 0 ? m->memory[o->index] : m->core[o->thread].regs[o->index];
    }
    if (litmus_counts(s->t, outcome))
        litmus_outcomes_add(s->out, outcome, 1);
}

static void expand(struct search *s, const struct machine *m)
{
    if (ended(s, m)) {
        record(s, m);
        return;
    }
    for (int i = 0; i < s->t->nthreads && !s->d->errors; i++) {
        struct machine n = *m;
        if (n.core[i].stores) {
            n.memory[n.core[i].fifo[0].location] = n.core[i].fifo[0].value;
            remove_head(&n.core[i]);
            visit(s, &n);
            n = *m;
        }
        if (m->core[i].pc == s->t->thread[i].nops)
            continue;
        pass_barrier(s, m, i);
        if (step(s, &n, i))
            visit(s, &n);
    }
}

bool litmus_operational(const struct litmus_test *t, bool tso, struct litmus_outcomes *out, struct diag *d)
{
    struct search s = { .t = t, .tso = tso, .out = out, .d = d };
    struct machine m = { 0 };
    int width = row_width(t, tso);
    for (int l = 0; l < t->nlocations; l++)
        m.memory[l] = t->location[l].init;
    for (int i = 0; i < t->nthreads; i++)
        for (int r = 0; r < t->thread[i].nregs; r++)
            m.core[i].regs[r] = t->thread[i].reg[r].init;
    litmus_outcomes_init(&s.visited, width);
    visit(&s, &m);
    while (s.next < s.visited.n && !d->errors) {
        transfer(&s, &m, s.visited.value + (size_t)s.next++ * (size_t)width, false);
        expand(&s, &m);
    }
    litmus_outcomes_free(&s.visited);
    litmus_outcomes_sort(out);
    return !d->errors;
}
