/*
 * The outcomes under the PTX memory consistency model (PTX ISA, chapter Memory Consistency Model): every execution of a
 * small program is built and checked against the axioms.
 *
 * 1. Traces of each thread, with every load returning any value that some store of the program can write. A value that
 *    needs k stores one after another is known after k rounds; an execution without thin-air values has no longer chain
 *    than it has stores, so as many rounds are enough. The stores of a thread count also where it then waits for a
 *    value that is not known yet.
 * 2. One trace of each thread, and for each read a write of its value: reads-from.
 * 3. An order of the fence.sc operations that are morally strong. Now synchronization and causality are known.
 * 4. The coherence order: what causality orders, and an orientation of every other pair of morally strong writes.
 *
 * A loop: an iteration without a write or barrier, none of whose results is live after it, can be left out of an
 * execution. Fewer reads and fences only remove constraints, so the outcome is also that of an execution without it,
 * and the walk ends there. The same holds for an atomic that writes what it has read, if all accesses are morally
 * strong: who reads its value reads that of the write before it. A loop that waits so needs only its last iteration.
 *
 * Relations are rows of bits. An atomic is one event that reads and, unless a failed compare-and-swap, writes. The
 * initial writes precede everything in causality order: the start of a kernel synchronizes with its threads.
 */
#include "frontend/litmus/litmus.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { EVENTS = 64, TRACE = 24, VALUES = 32, TRACES_MAX = 200000, STEPS_MAX = 1000, READS_MAX = 5000000 };

typedef uint64_t relation[EVENTS];

struct event {
    const struct litmus_op *op;      /* NULL: an initial write */
    int thread, location;            /* location -1: no memory operation */
    bool reads, writes, strong;
    int64_t read, written;
    uint64_t address_deps, data_deps;    /* on reads before: of the address and of branches; of the value */
    int barrier_turn;
};

struct trace {
    struct event event[TRACE];
    int n;
    int64_t regs[LITMUS_REGISTERS];
};

struct traces { struct trace *t; uint32_t n, cap; };

struct domain { int64_t value[VALUES]; int n; };

struct axioms {
    const struct litmus_test *t;
    struct litmus_outcomes *out;
    struct diag *d;                  /* once it has an error, the search ends */
    /* values that reads return; those that the threads write, if they read these */
    struct domain domain[LITMUS_LOCATIONS], written[LITMUS_LOCATIONS];
    int most_writes[LITMUS_THREADS];
    uint32_t reads;                  /* in the walks of a round */
    struct traces traces[LITMUS_THREADS];
    /* of programs with loops: registers live before an operation; all accesses are morally strong */
    uint64_t live[LITMUS_THREADS][LITMUS_OPS + 1];
    bool all_strong;
    const struct trace *chosen[LITMUS_THREADS];
    /* of the execution */
    struct event e[EVENTS];
    int n, first[LITMUS_THREADS];
    int rf[EVENTS];                  /* the write that a read reads from */
    relation po, strong, observed, sc, base, cause, co;
    bool skip;                       /* the outcome of these traces is known */
};

static uint64_t bit(int i)
{
    return (uint64_t)1 << i;
}

static bool has(const uint64_t *r, int a, int b)
{
    return r[a] >> b & 1;
}

static void transitive(uint64_t *r, int n)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            if (has(r, i, k))
                r[i] |= r[k];
}

/* ---- traces ---- */

struct walk {
    struct axioms *a;
    int thread, pc, steps, writes;
    struct trace trace;
    uint64_t taint[LITMUS_REGISTERS], control;
    int turn[16];                    /* by barrier: how often the thread has passed it */
    /* by operation, since the thread was last there: events before it, registers written */
    struct visit { int events; uint64_t written; } visit[LITMUS_OPS];
};

static void fail(struct axioms *a, const char *what)
{
    if (!a->d->errors)
        diag_error(a->d, 0, 0, "%s", what);
}

static bool add_value(struct axioms *a, struct domain *d, int64_t v)
{
    for (int i = 0; i < d->n; i++)
        if (d->value[i] == v)
            return false;
    if (d->n == VALUES)
        fail(a, "a location can have too many values for the model ptx");
    else
        d->value[d->n++] = v;
    return true;
}

static uint64_t taint_of(const struct walk *w, const struct litmus_operand *o)
{
    return o->kind == LITMUS_REG ? w->taint[o->index] : 0;
}

static void keep_trace(struct walk *w)
{
    struct traces *all = &w->a->traces[w->thread];
    if (all->n == TRACES_MAX) {
        fail(w->a, "a thread has too many executions for the model ptx");
        return;
    }
    all->t = mem_grow(all->t, all->n, &all->cap, sizeof *all->t, "traces");
    all->t[all->n++] = w->trace;
}

static struct event *add_event(struct walk *w, const struct litmus_op *o)
{
    if (w->trace.n == TRACE) {
        if (!w->a->d->errors)
            diag_error(w->a->d, 0, 0, "a thread has more than %d events, too many for the model ptx; --model sc and "
                       "--model tso have no such limit", TRACE);
        return NULL;
    }
    struct event *e = &w->trace.event[w->trace.n++];
    *e = (struct event){ .op = o, .thread = w->thread, .location = -1 };
    e->strong = o->kind == LITMUS_FENCE || (o->kind != LITMUS_BARRIER && o->sem >= LITMUS_RELAXED);
    return e;
}

/* The thread may write this, even if it goes no further. */
static void note_write(struct walk *w, const struct event *e)
{
    int *most = &w->a->most_writes[w->thread];
    add_value(w->a, &w->a->written[e->location], e->written);
    if (++w->writes > *most)
        *most = w->writes;
}

static void walk(struct walk *w);

/* The load or RMW has returned v. */
static void walk_read(struct walk w, const struct litmus_op *o, int location, int64_t v)
{
    struct event *e = add_event(&w, o);
    if (w.a->reads++ == READS_MAX)
        fail(w.a, "a thread has too many executions for the model ptx");
    if (!e || w.a->d->errors)
        return;
    uint64_t own = bit(w.trace.n - 1);
    int64_t regs_before[LITMUS_REGISTERS];
    memcpy(regs_before, w.trace.regs, sizeof regs_before);
    e->location = location;
    e->reads = true;
    e->read = litmus_truncate(v, o);
    e->address_deps = taint_of(&w, &o->address) | w.control;
    e->data_deps = taint_of(&w, &o->a) | taint_of(&w, &o->b);
    if (o->kind == LITMUS_RMW)
        e->writes = litmus_rmw(o, regs_before, e->read, &e->written);
    if (e->writes)
        note_write(&w, e);
    if (e->writes && o->fn != LITMUS_EXCH)
        e->data_deps |= own;
    if (o->dst >= 0) {
        w.trace.regs[o->dst] = e->read;
        w.taint[o->dst] = own;
    }
    w.pc++;
    walk(&w);
}

static bool walk_store(struct walk *w, const struct litmus_op *o, int location)
{
    struct event *e = add_event(w, o);
    if (!e)
        return false;
    e->location = location;
    e->writes = true;
    e->written = litmus_truncate(litmus_value(&o->a, w->trace.regs), o);
    e->address_deps = taint_of(w, &o->address) | w->control;
    e->data_deps = taint_of(w, &o->a);
    note_write(w, e);
    return true;
}

static bool has_effect(const struct axioms *a, const struct event *e)
{
    bool silent = a->all_strong && e->reads && e->read == e->written;
    return (e->writes && !silent) || e->op->kind == LITMUS_BARRIER;
}

/* Can what the thread has done since it was at the target be left out? */
static bool idle_since(const struct walk *w, int target)
{
    const struct visit *v = &w->visit[target];
    for (int i = v->events; i < w->trace.n; i++)
        if (has_effect(w->a, &w->trace.event[i]))
            return false;
    return !(v->written & w->a->live[w->thread][target]);
}

/* False: the walk ends. */
static bool walk_branch(struct walk *w, const struct litmus_op *o)
{
    bool taken = litmus_branches(o, w->trace.regs);
    if (taken && o->target <= w->pc && idle_since(w, o->target))
        return false;
    w->control |= taint_of(w, &o->a) | taint_of(w, &o->b);
    w->pc = taken ? o->target : w->pc + 1;
    return true;
}

/* Operations that do not read memory. False: the walk ends. */
static bool walk_other(struct walk *w, const struct litmus_op *o, int location)
{
    struct event *e;
    switch (o->kind) {
    case LITMUS_MOV:
    case LITMUS_ALU:
        litmus_compute(&w->a->t->thread[w->thread], o, w->trace.regs);
        w->taint[o->dst] = taint_of(w, &o->a) | taint_of(w, &o->b);
        break;
    case LITMUS_STORE:
        if (!walk_store(w, o, location))
            return false;
        break;
    case LITMUS_FENCE:
    case LITMUS_BARRIER:
        if (!(e = add_event(w, o)))
            return false;
        e->barrier_turn = o->kind == LITMUS_BARRIER ? w->turn[o->id]++ : 0;
        break;
    case LITMUS_BRANCH: return walk_branch(w, o);
    default: break;
    }
    w->pc++;
    return true;
}

/* For programs with loops: the thread is at an operation. */
static void note_visit(struct walk *w, const struct litmus_op *o)
{
    if (w->steps++ == STEPS_MAX)
        fail(w->a, "a loop has too many steps for the model ptx");
    w->visit[w->pc] = (struct visit){ .events = w->trace.n };
    for (int i = 0; o->dst >= 0 && i < LITMUS_OPS; i++)
        w->visit[i].written |= bit(o->dst);
}

static void walk(struct walk *w)
{
    const struct litmus_thread *p = &w->a->t->thread[w->thread];
    while (w->pc < p->nops && !w->a->d->errors) {
        const struct litmus_op *o = &p->op[w->pc];
        if (w->a->t->loops)
            note_visit(w, o);
        bool reads = o->kind == LITMUS_LOAD || o->kind == LITMUS_RMW;
        int l = reads || o->kind == LITMUS_STORE
                    ? litmus_location_of(w->a->t, litmus_value(&o->address, w->trace.regs)) : 0;
        if (l < 0) {
            diag_error(w->a->d, o->line, o->col, "an access to an address that is no location");
            return;
        }
        if (reads) {
            for (int i = 0; i < w->a->domain[l].n; i++)
                walk_read(*w, o, l, w->a->domain[l].value[i]);
            return;
        }
        if (!walk_other(w, o, l))
            return;
    }
    keep_trace(w);
}

static void make_traces(struct axioms *a)
{
    a->reads = 0;
    for (int i = 0; i < a->t->nthreads && !a->d->errors; i++) {
        struct walk w = { .a = a, .thread = i };
        for (int r = 0; r < a->t->thread[i].nregs; r++)
            w.trace.regs[r] = a->t->thread[i].reg[r].init;
        a->traces[i].n = 0;
        walk(&w);
    }
}

/* True if the threads write a value that was not known. */
static bool learn_values(struct axioms *a)
{
    bool new = false;
    for (int l = 0; l < a->t->nlocations; l++)
        for (int i = 0; i < a->written[l].n; i++)
            new |= add_value(a, &a->domain[l], a->written[l].value[i]);
    return new;
}

/* No execution has more. */
static int most_writes(const struct axioms *a)
{
    int sum = 0;
    for (int i = 0; i < a->t->nthreads; i++)
        sum += a->most_writes[i];
    return sum;
}

static void all_traces(struct axioms *a)
{
    for (int l = 0; l < a->t->nlocations; l++)
        add_value(a, &a->domain[l], a->t->location[l].init);
    make_traces(a);
    for (int round = 0; !a->d->errors && round < most_writes(a) && learn_values(a); round++)
        make_traces(a);
}

/* ---- live registers ---- */

static uint64_t used(const struct litmus_operand *o)
{
    return o->kind == LITMUS_REG ? bit(o->index) : 0;
}

static uint64_t live_before(const struct axioms *a, int thread, int at)
{
    const struct litmus_op *o = &a->t->thread[thread].op[at];
    const uint64_t *live = a->live[thread];
    uint64_t after = o->kind == LITMUS_BRANCH && o->fn == LITMUS_ALWAYS ? 0 : live[at + 1];
    if (o->kind == LITMUS_BRANCH)
        after |= live[o->target];
    if (o->dst >= 0)
        after &= ~bit(o->dst);
    return after | used(&o->a) | used(&o->b) | used(&o->address);
}

/* Does the operation's scope include all threads? */
static bool covers_all(const struct litmus_test *t, const struct litmus_op *o)
{
    bool one_gpu = true, one_block = true;
    for (int i = 1; i < t->nthreads; i++) {
        one_gpu &= t->thread[i].gpu == t->thread[0].gpu;
        one_block &= t->thread[i].gpu == t->thread[0].gpu && t->thread[i].cta == t->thread[0].cta;
    }
    return o->sem >= LITMUS_RELAXED && (o->scope == LITMUS_SYS || (o->scope == LITMUS_GPU && one_gpu) || one_block);
}

static bool all_strong(const struct litmus_test *t)
{
    for (int i = 0; i < t->nthreads; i++)
        for (const struct litmus_op *o = t->thread[i].op; o < t->thread[i].op + t->thread[i].nops; o++)
            if ((o->kind == LITMUS_LOAD || o->kind == LITMUS_STORE || o->kind == LITMUS_RMW) && !covers_all(t, o))
                return false;
    return true;
}

static void find_live(struct axioms *a)
{
    for (int i = 0; i < a->t->nobserved; i++)
        if (a->t->observed[i].thread >= 0)
            a->live[a->t->observed[i].thread][a->t->thread[a->t->observed[i].thread].nops] |=
                bit(a->t->observed[i].index);
    for (int i = 0; i < a->t->nthreads; i++)
        for (bool more = true; more;) {
            more = false;
            for (int k = a->t->thread[i].nops - 1; k >= 0; k--) {
                uint64_t live = live_before(a, i, k);
                more |= live != a->live[i][k];
                a->live[i][k] = live;
            }
        }
}

/* ---- relations that follow from the traces ---- */

static bool in_scope(const struct axioms *a, const struct event *x, const struct event *y)
{
    const struct litmus_thread *p = &a->t->thread[x->thread], *q = &a->t->thread[y->thread];
    return x->op->scope == LITMUS_SYS || (p->gpu == q->gpu && (x->op->scope == LITMUS_GPU || p->cta == q->cta));
}

static bool morally_strong(const struct axioms *a, int i, int k)
{
    const struct event *x = &a->e[i], *y = &a->e[k];
    if (i == k || !x->op || !y->op || (x->location >= 0 && y->location >= 0 && x->location != y->location))
        return false;
    return x->thread == y->thread || (x->strong && y->strong && in_scope(a, x, y) && in_scope(a, y, x));
}

static void assemble(struct axioms *a)
{
    a->n = 0;
    for (int l = 0; l < a->t->nlocations; l++)
        a->e[a->n++] = (struct event){ .thread = -1, .location = l, .writes = true,
                                       .written = a->t->location[l].init };
    for (int i = 0; i < a->t->nthreads; i++) {
        a->first[i] = a->n;
        memcpy(a->e + a->n, a->chosen[i]->event, (size_t)a->chosen[i]->n * sizeof *a->e);
        a->n += a->chosen[i]->n;
    }
    memset(a->po, 0, sizeof a->po);
    memset(a->strong, 0, sizeof a->strong);
    for (int i = 0; i < a->n; i++)
        for (int k = 0; k < a->n; k++) {
            if (a->e[i].thread == a->e[k].thread && a->e[i].thread >= 0 && i < k)
                a->po[i] |= bit(k);
            if (morally_strong(a, i, k))
                a->strong[i] |= bit(k);
        }
}

/* Observation order: reads-from of morally strong events, and through atomics. */
static void observe(struct axioms *a)
{
    memset(a->observed, 0, sizeof a->observed);
    for (int r = 0; r < a->n; r++)
        if (a->e[r].reads && has(a->strong, a->rf[r], r))
            a->observed[a->rf[r]] |= bit(r);
    for (int z = 0; z < a->n; z++)
        for (int w = 0; w < a->n; w++)
            if (a->e[z].reads && a->e[z].writes && has(a->observed, w, z))
                a->observed[w] |= a->observed[z];
}

static bool releases(const struct event *e)
{
    return e->op && e->op->sem >= LITMUS_RELEASE && e->strong;
}

static bool acquires(const struct event *e)
{
    return e->op && e->strong && (e->op->sem == LITMUS_ACQUIRE || e->op->sem >= LITMUS_ACQ_REL);
}

/* The first operations of the release patterns that end with the write w. */
static uint64_t release_patterns(const struct axioms *a, int w)
{
    uint64_t m = releases(&a->e[w]) ? bit(w) : 0;
    for (int x = 0; x < a->n && a->e[w].strong; x++)
        if (has(a->po, x, w) && releases(&a->e[x]) &&
            (a->e[x].location < 0 || (a->e[x].writes && a->e[x].location == a->e[w].location)))
            m |= bit(x);
    return m;
}

/* The last operations of the acquire patterns that begin with the read r. */
static uint64_t acquire_patterns(const struct axioms *a, int r)
{
    uint64_t m = acquires(&a->e[r]) ? bit(r) : 0;
    for (int y = 0; y < a->n && a->e[r].strong; y++)
        if (has(a->po, r, y) && acquires(&a->e[y]) &&
            (a->e[y].location < 0 || (a->e[y].reads && a->e[y].location == a->e[r].location)))
            m |= bit(y);
    return m;
}

static void synchronize(struct axioms *a)
{
    for (int w = 0; w < a->n; w++) {
        uint64_t from = a->observed[w] ? release_patterns(a, w) : 0;
        for (uint64_t reads = from ? a->observed[w] : 0; reads; reads &= reads - 1) {
            uint64_t to = acquire_patterns(a, __builtin_ctzll(reads));
            for (uint64_t x = from; x; x &= x - 1)
                a->base[__builtin_ctzll(x)] |= to & a->strong[__builtin_ctzll(x)];
        }
    }
}

static bool same_barrier(const struct axioms *a, const struct event *x, const struct event *y)
{
    const struct litmus_thread *p = &a->t->thread[x->thread], *q = &a->t->thread[y->thread];
    return y->op && y->op->kind == LITMUS_BARRIER && x->op->id == y->op->id && p->cta == q->cta && p->gpu == q->gpu &&
           x->thread != y->thread && x->barrier_turn == y->barrier_turn;
}

static void pass_barriers(struct axioms *a)
{
    for (int i = a->first[0]; i < a->n; i++)
        for (int k = a->first[0]; k < a->n && a->e[i].op->kind == LITMUS_BARRIER; k++)
            if (same_barrier(a, &a->e[i], &a->e[k]))
                a->base[i] |= bit(k);
}

/* Base causality order, then causality order between memory operations of one location. */
static void make_cause(struct axioms *a)
{
    uint64_t all = a->n == 64 ? ~(uint64_t)0 : bit(a->n) - 1, inits = bit(a->first[0]) - 1;
    for (int i = 0; i < a->n; i++)
        a->base[i] = a->po[i] | a->sc[i] | (i < a->first[0] ? all & ~inits : 0);
    synchronize(a);
    pass_barriers(a);
    transitive(a->base, a->n);
    for (int i = 0; i < a->n; i++) {
        a->cause[i] = a->base[i];
        for (uint64_t z = a->observed[i]; z; z &= z - 1)
            a->cause[i] |= a->base[__builtin_ctzll(z)];
    }
}

/* ---- axioms ---- */

/* Adds to the sets the events all of whose causes are in them; true if there were any. */
static bool add_grounded(const struct axioms *a, uint64_t *reads, uint64_t *writes)
{
    uint64_t r = *reads, w = *writes;
    for (int i = a->first[0]; i < a->n; i++) {
        const struct event *e = &a->e[i];
        uint64_t address = e->address_deps << a->first[e->thread], data = e->data_deps << a->first[e->thread];
        if (e->reads && !(address & ~r) && w >> a->rf[i] & 1)
            r |= bit(i);
        if (e->writes && !((address | data) & ~r))
            w |= bit(i);
    }
    bool more = r != *reads || w != *writes;
    *reads = r;
    *writes = w;
    return more;
}

/* No thin air: reads-from and dependencies have no cycle. */
static bool no_thin_air(const struct axioms *a)
{
    uint64_t reads = 0, writes = bit(a->first[0]) - 1;
    while (add_grounded(a, &reads, &writes))
        continue;
    for (int i = a->first[0]; i < a->n; i++)
        if ((a->e[i].reads && !(reads >> i & 1)) || (a->e[i].writes && !(writes >> i & 1)))
            return false;
    return true;
}

static bool fence_sc(const struct axioms *a)
{
    for (int i = 0; i < a->n; i++)
        for (uint64_t k = a->sc[i]; k; k &= k - 1)
            if (has(a->base, __builtin_ctzll(k), i))
                return false;
    return true;
}

static bool same_location(const struct axioms *a, int i, int k)
{
    return a->e[i].location >= 0 && a->e[i].location == a->e[k].location;
}

/* Causality: a read does not read from a write that follows it in causality order. */
static bool reads_from_no_effect(const struct axioms *a)
{
    for (int r = 0; r < a->n; r++)
        if (a->e[r].reads && has(a->cause, r, a->rf[r]))
            return false;
    return true;
}

/* Causality: no write between the one that a read reads and the read. */
static bool reads_are_recent(const struct axioms *a, int r)
{
    for (uint64_t w = a->co[a->rf[r]]; w; w &= w - 1) {
        int k = __builtin_ctzll(w);
        if (k != r && has(a->cause, k, r))
            return false;
    }
    return true;
}

/* An atomic follows the write that it reads, and no morally strong write is between them. */
static bool atomic(const struct axioms *a, int r)
{
    int from = a->rf[r];
    if (has(a->co, r, from))
        return false;
    for (uint64_t w = a->co[from] & a->strong[r]; w; w &= w - 1)
        if (has(a->co, __builtin_ctzll(w), r))
            return false;
    return true;
}

/* Sequential consistency of a location, where the write is morally strong with both: later reads do not read older
 * writes, and a write after a read is not older than what was read. */
static bool later_events_agree(const struct axioms *a, int r)
{
    int w = a->rf[r];
    for (uint64_t later = a->po[r]; later; later &= later - 1) {
        int k = __builtin_ctzll(later);
        if (!same_location(a, r, k) || !has(a->strong, w, r) || !has(a->strong, w, k))
            continue;
        if ((a->e[k].reads && has(a->co, a->rf[k], w)) || (a->e[k].writes && has(a->co, k, w)))
            return false;
    }
    return true;
}

static bool coherent(const struct axioms *a)
{
    for (int r = 0; r < a->n; r++)
        if (a->e[r].reads && (!reads_are_recent(a, r) || (a->e[r].writes && !atomic(a, r)) ||
                              !later_events_agree(a, r)))
            return false;
    return true;
}

/* ---- outcomes ---- */

/* The final value of a location is that of a write without successor in coherence order, in a race any of them. */
static void record(struct axioms *a, int i, int64_t *outcome)
{
    if (i == a->t->nobserved) {
        if (litmus_counts(a->t, outcome))
            litmus_outcomes_add(a->out, outcome, 1);
        return;
    }
    const struct litmus_observed *o = &a->t->observed[i];
    if (o->thread >= 0) {
        outcome[i] = a->chosen[o->thread]->regs[o->index];
        record(a, i + 1, outcome);
        return;
    }
    for (int w = 0; w < a->n; w++)
        if (a->e[w].writes && a->e[w].location == o->index && !a->co[w]) {
            outcome[i] = a->e[w].written;
            record(a, i + 1, outcome);
        }
}

static bool observes_memory(const struct litmus_test *t)
{
    for (int i = 0; i < t->nobserved; i++)
        if (t->observed[i].thread < 0)
            return true;
    return false;
}

/* ---- coherence orders ---- */

static bool irreflexive(const uint64_t *r, int n)
{
    for (int i = 0; i < n; i++)
        if (has(r, i, i))
            return false;
    return true;
}

/* Two morally strong writes without order; false: none. */
static bool unordered(const struct axioms *a, int *x, int *y)
{
    for (int i = a->first[0]; i < a->n; i++)
        for (int k = i + 1; k < a->n; k++)
            if (a->e[i].writes && a->e[k].writes && same_location(a, i, k) && has(a->strong, i, k) &&
                !has(a->co, i, k) && !has(a->co, k, i)) {
                *x = i;
                *y = k;
                return true;
            }
    return false;
}

static void order_writes(struct axioms *a)
{
    int x, y;
    int64_t outcome[LITMUS_OBSERVED];
    relation saved;
    transitive(a->co, a->n);
    if (a->skip || !irreflexive(a->co, a->n))
        return;
    if (!unordered(a, &x, &y)) {
        if (coherent(a)) {
            record(a, 0, outcome);
            a->skip = !observes_memory(a->t);
        }
        return;
    }
    memcpy(saved, a->co, sizeof saved);
    a->co[x] |= bit(y);
    order_writes(a);
    memcpy(a->co, saved, sizeof saved);
    a->co[y] |= bit(x);
    order_writes(a);
}

static void choose_coherence(struct axioms *a)
{
    make_cause(a);
    if (!fence_sc(a) || !reads_from_no_effect(a))
        return;
    for (int i = 0; i < a->n; i++) {
        a->co[i] = 0;
        for (int k = 0; k < a->n && a->e[i].writes; k++)
            if (i != k && a->e[k].writes && same_location(a, i, k) && has(a->cause, i, k))
                a->co[i] |= bit(k);
    }
    order_writes(a);
}

/* ---- orders of fence.sc, reads-from ---- */

static bool is_sc(const struct event *e)
{
    return e->op && e->op->kind == LITMUS_FENCE && e->op->sem == LITMUS_SC;
}

/* Orients the pairs of morally strong fence.sc of different threads from (i, k) on. */
static void order_fences(struct axioms *a, int i, int k)
{
    for (; i < a->n && !a->skip; i++, k = i + 1)
        for (; k < a->n; k++) {
            if (!is_sc(&a->e[i]) || !is_sc(&a->e[k]) || a->e[i].thread == a->e[k].thread || !has(a->strong, i, k))
                continue;
            a->sc[i] |= bit(k);
            order_fences(a, i, k + 1);
            a->sc[i] &= ~bit(k);
            a->sc[k] |= bit(i);
            order_fences(a, i, k + 1);
            a->sc[k] &= ~bit(i);
            return;
        }
    if (!a->skip)
        choose_coherence(a);
}

static void choose_reads_from(struct axioms *a, int r)
{
    while (r < a->n && !a->e[r].reads)
        r++;
    if (r == a->n) {
        if (!no_thin_air(a))
            return;
        observe(a);
        memset(a->sc, 0, sizeof a->sc);
        order_fences(a, 0, 1);
        return;
    }
    for (int w = 0; w < a->n && !a->skip; w++) {
        if (w == r || !a->e[w].writes || !same_location(a, w, r) || a->e[w].written != a->e[r].read ||
            has(a->po, r, w))
            continue;
        a->rf[r] = w;
        choose_reads_from(a, r + 1);
    }
}

/* The number of the next barrier of the trace from event *i on, -1 = none. */
static int next_barrier(const struct trace *t, int *i)
{
    while (*i < t->n && t->event[*i].op->kind != LITMUS_BARRIER)
        ++*i;
    return *i < t->n ? t->event[(*i)++].op->id : -1;
}

/* A barrier needs all threads of the block, so they end only if their traces have the same barriers in one order. */
static bool same_barriers(const struct trace *x, const struct trace *y)
{
    int i = 0, k = 0, id;
    while ((id = next_barrier(x, &i)) == next_barrier(y, &k))
        if (id < 0)
            return true;
    return false;
}

static bool barriers_end(const struct axioms *a, int thread)
{
    const struct litmus_thread *p = a->t->thread;
    for (int i = 0; i < thread; i++)
        if (p[i].cta == p[thread].cta && p[i].gpu == p[thread].gpu && !same_barriers(a->chosen[i], a->chosen[thread]))
            return false;
    return true;
}

static void choose_traces(struct axioms *a, int thread)
{
    if (thread == a->t->nthreads) {
        assemble(a);
        a->skip = false;
        choose_reads_from(a, 0);
        return;
    }
    for (uint32_t i = 0; i < a->traces[thread].n; i++) {
        a->chosen[thread] = &a->traces[thread].t[i];
        if (barriers_end(a, thread))
            choose_traces(a, thread + 1);
    }
}

static bool fits(struct axioms *a)
{
    int n = a->t->nlocations;
    double product = 1;
    for (int i = 0; i < a->t->nthreads; i++) {
        int most = 0;
        for (uint32_t k = 0; k < a->traces[i].n; k++)
            most = a->traces[i].t[k].n > most ? a->traces[i].t[k].n : most;
        n += most;
        product *= a->traces[i].n;
    }
    if (n > EVENTS || product > 1e8)
        fail(a, "the test has too many executions for the model ptx");
    return !a->d->errors;
}

static bool allowed_by_axioms(const struct litmus_test *t, struct litmus_outcomes *out, struct diag *d)
{
    struct axioms *a = mem_zero(1, sizeof *a, "executions of a litmus test");
    a->t = t;
    a->out = out;
    a->d = d;
    if (t->loops) {
        find_live(a);
        a->all_strong = all_strong(t);
    }
    all_traces(a);
    if (!d->errors && fits(a))
        choose_traces(a, 0);
    for (int i = 0; i < t->nthreads; i++)
        free(a->traces[i].t);
    litmus_outcomes_sort(out);
    free(a);
    return !d->errors;
}

/* ---- all models ---- */

const char *litmus_model_name(enum litmus_model m)
{
    static const char *const names[] = { "sc", "tso", "ptx" };
    return names[m];
}

bool litmus_allowed(const struct litmus_test *t, enum litmus_model m, struct litmus_outcomes *out,
                    struct diag *d)
{
    litmus_outcomes_init(out, t->nobserved);
    bool ok = m == LITMUS_MODEL_PTX ? allowed_by_axioms(t, out, d)
                                    : litmus_operational(t, m == LITMUS_MODEL_TSO, out, d);
    if (!ok)
        litmus_outcomes_free(out);
    return ok;
}
