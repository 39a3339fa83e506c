/*
 * Loading: allocates the variables of a linked module, writes their initialisers, decodes all functions, and sums over
 * the call graph what a kernel needs: registers, private memory, shared memory, order of blocks.
 *
 * A shared variable has one address, at which no other variable of any kernel that uses it lies; variables of different
 * kernels may overlap. Those of several kernels (through functions that they share) are placed first. Dynamic shared
 * memory starts at one address in all kernels of the module. So one decoded form of a function serves every kernel. A
 * kernel's variables may have gaps between them; a block of a real GPU has none, so its need is their sum.
 */
#include "ptx/program/program.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ptx/program/combine_accesses.h"
#include "ptx/program/decode.h"
#include "ptx/program/if_convert.h"
#include "ptx/program/schedule.h"

enum { SHARED_MAX = 1 << 30, LOCAL_MAX = 512 * 1024 };

struct loader {
    struct program *p;
    const struct program_options *options;
    struct diag *d;
    struct ptx_var **shared;         /* shared variables of the module and of its functions */
    uint32_t nshared, shared_cap;
    uint32_t *first_call, *calls;    /* calls[first_call[f]] on: the functions that f calls directly */
    uint32_t ncalls, calls_cap;
    bool *indirect;                  /* by function: it calls through a register */
    uint64_t *uses;                  /* by function: shared variables that it or a callee names */
    uint32_t shared_words;
    struct ptx_func **funcs;
    uint32_t n;
    bool *taken;                     /* address of the function is taken somewhere */
};

static struct ptx_func *body_of(struct ptx_func *f)
{
    struct ptx_func *t = f->def ? f->def : f;
    return t->has_body ? t : NULL;
}

/* ---- variables in device memory ---- */

/* The host program's memory for a variable of both, if the options name some. */
static void *place_external(struct loader *x, struct ptx_var *v, struct devmem *mem)
{
    bool written = false;
    void *at = x->options->place && mem ? x->options->place(x->options->place_ctx, v->name, v->size, &written) : NULL;
    if (!at || !devmem_register(mem, at, v->size))
        return NULL;
    v->external = true;
    v->written = written;
    return at;
}

static void place_variable(struct loader *x, struct ptx_var *v, struct devmem *mem)
{
    if (v->def && v->def != v)
        return;
    if (v->space != SP_GLOBAL && v->space != SP_CONST)
        return;
    if (v->unsized && !v->used)
        return;
    if (v->unsized) {
        diag_error(x->d, v->loc.line, v->loc.col, "variable '%s' has no size and no definition", v->name);
        return;
    }
    enum mem_kind kind = v->space == SP_CONST ? MEM_CONSTANT : v->managed ? MEM_MANAGED : MEM_VARIABLE;
    void *at = place_external(x, v, mem);
    if (mem && !at)
        at = devmem_alloc(mem, v->size, v->align, kind, v->name);
    if (mem && !at) {
        diag_error(x->d, v->loc.line, v->loc.col, "device memory is used up: no room for '%s' (%llu bytes)", v->name,
                   (unsigned long long)v->size);
        return;
    }
    v->address = (uint64_t)at;
}

static uint64_t reloc_value(const struct ptx_reloc *r)
{
    if (r->func) {
        /* a function that the simulator provides has no address that a call through it could use */
        const struct ptx_func *f = body_of(r->func);
        return FUNCTION_BASE + (f ? f->index + 1 : 0) + (uint64_t)r->addend;
    }
    const struct ptx_var *v = r->var->def ? r->var->def : r->var;
    uint64_t a = v->address + (uint64_t)r->addend;
    return r->generic && v->space == SP_SHARED ? a + WINDOW_SHARED : a;
}

static void write_initialiser(const struct ptx_var *v)
{
    if (!v->address || !v->init || v->written || (v->space != SP_GLOBAL && v->space != SP_CONST) ||
        (v->def && v->def != v))
        return;
    memcpy((void *)v->address, v->init, v->size);
    for (const struct ptx_reloc *r = v->relocs; r; r = r->next) {
        uint64_t value = reloc_value(r) >> r->shift;
        memcpy((char *)v->address + r->offset, &value, (size_t)r->size);
    }
}

static void for_each_var(struct loader *x, void (*fn)(struct loader *, struct ptx_var *))
{
    for (struct ptx_module *m = x->p->module; m; m = m->next)
        for (struct ptx_var *v = m->vars; v; v = v->next)
            fn(x, v);
    for (uint32_t i = 0; i < x->n; i++)
        for (struct ptx_var *v = x->funcs[i]->vars; v; v = v->next)
            fn(x, v);
}

static void place(struct loader *x, struct ptx_var *v)
{
    place_variable(x, v, x->p->mem);
}

static void write(struct loader *x, struct ptx_var *v)
{
    (void)x;
    write_initialiser(v);
}

static struct ptx_var *definition_of(struct ptx_var *v)
{
    return v->def ? v->def : v;
}

static void note_initialiser(struct loader *x, struct ptx_var *v)
{
    for (const struct ptx_reloc *r = v->relocs; r; r = r->next) {
        if (r->func && body_of(r->func))
            x->taken[body_of(r->func)->index] = true;
        if (r->var)
            definition_of(r->var)->used = true;
    }
}

static void collect_shared(struct loader *x, struct ptx_var *v)
{
    if (v->space != SP_SHARED || (v->def && v->def != v))
        return;
    x->shared = mem_grow(x->shared, x->nshared, &x->shared_cap, sizeof *x->shared, "shared variables");
    v->address = x->nshared;             /* its number until it has an address */
    x->shared[x->nshared++] = v;
}

/* ---- call graph, uses of shared variables ---- */

static void note_operand(struct loader *x, uint32_t f, const struct ptx_operand *o)
{
    if (o->kind == OPD_VEC)
        for (int i = 0; i < o->n; i++)
            note_operand(x, f, &o->elem[i]);
    if (o->kind == OPD_FUNC && body_of(o->func))
        x->taken[body_of(o->func)->index] = true;
    bool names_var = o->kind == OPD_VAR || (o->kind == OPD_MEM && o->has_var);
    if (!names_var)
        return;
    struct ptx_var *v = definition_of(o->var);
    v->used = true;
    if (v->space == SP_SHARED)
        x->uses[f * x->shared_words + v->address / 64] |= 1ull << v->address % 64;
}

static void note_call(struct loader *x, uint32_t callee)
{
    x->calls = mem_grow(x->calls, x->ncalls, &x->calls_cap, sizeof *x->calls, "the call graph");
    x->calls[x->ncalls++] = callee;
}

static void note_function(struct loader *x, uint32_t f)
{
    const struct ptx_func *fn = x->funcs[f];
    x->first_call[f] = x->ncalls;
    for (uint32_t i = 0; i < fn->ninsts; i++) {
        const struct ptx_inst *in = &fn->insts[i];
        for (int k = 0; k < in->nopd; k++)
            note_operand(x, f, &in->opd[k]);
        if (in->op != OP_CALL)
            continue;
        bool direct = in->call->target.kind == OPD_FUNC;
        x->indirect[f] |= !direct;
        if (direct && body_of(in->call->target.func))
            note_call(x, body_of(in->call->target.func)->index);
        for (int k = 0; k < in->call->narg; k++)
            note_operand(x, f, &in->call->arg[k]);
    }
}

static bool join_sets(uint64_t *into, const uint64_t *from, uint32_t words)
{
    bool changed = false;
    for (uint32_t w = 0; w < words; w++) {
        changed |= (from[w] & ~into[w]) != 0;
        into[w] |= from[w];
    }
    return changed;
}

/*
 * Adds to the set of each function, a row of `words`, those of the functions that it may call, directly or not. An
 * indirect call may reach every function whose address is taken: the last row, that of no function, joins these.
 * Chains of calls follow the order of the text, or the reverse, so that a pass in each direction does nearly all.
 */
static void join_callees(const struct loader *x, uint64_t *rows, uint32_t words)
{
    uint64_t *taken = rows + (size_t)x->n * words;
    bool changed = true;
    for (uint32_t pass = 0; changed; pass++) {
        changed = false;
        for (uint32_t i = 0; i < x->n; i++) {
            uint32_t f = pass % 2 ? x->n - 1 - i : i;
            uint64_t *row = rows + (size_t)f * words;
            for (uint32_t k = x->first_call[f]; k < x->first_call[f + 1]; k++)
                changed |= join_sets(row, rows + (size_t)x->calls[k] * words, words);
            if (x->indirect[f])
                changed |= join_sets(row, taken, words);
            if (x->taken[f])
                changed |= join_sets(taken, row, words);
        }
    }
}

static bool kernel_uses(const struct loader *x, uint32_t kernel, uint32_t var)
{
    return x->uses[kernel * x->shared_words + var / 64] >> var % 64 & 1;
}

/* ---- shared memory ---- */

static uint32_t align_up(uint64_t at, uint32_t align)
{
    return (uint32_t)((at + align - 1) / align * align);
}

/* Of a kernel: the bytes of its shared variables, one after the other; the end of the last one's address; does it use
 * dynamic shared memory? */
struct shared_need { uint32_t bytes, end; bool dynamic; };

static uint32_t count_kernels(const struct loader *x, uint32_t v)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < x->n; k++)
        n += x->funcs[k]->is_entry && kernel_uses(x, k, v);
    return n;
}

/* Places a variable after those of its kernels that have been placed. */
static void place_shared(struct loader *x, uint32_t v, struct shared_need *need)
{
    struct ptx_var *s = x->shared[v];
    uint32_t at = 0;
    for (uint32_t k = 0; k < x->n; k++)
        if (x->funcs[k]->is_entry && kernel_uses(x, k, v) && need[k].end > at)
            at = need[k].end;
    s->address = align_up(at, s->align);
    for (uint32_t k = 0; k < x->n; k++)
        if (x->funcs[k]->is_entry && kernel_uses(x, k, v)) {
            need[k].end = (uint32_t)(s->address + s->size);
            need[k].bytes = (uint32_t)(align_up(need[k].bytes, s->align) + s->size);
        }
}

static void layout_dynamic(struct loader *x, struct shared_need *need)
{
    uint32_t largest = 0, align = 16;
    for (uint32_t v = 0; v < x->nshared; v++) {
        if (!x->shared[v]->unsized)
            continue;
        align = x->shared[v]->align > align ? x->shared[v]->align : align;
        for (uint32_t k = 0; k < x->n; k++)
            need[k].dynamic |= x->funcs[k]->is_entry && kernel_uses(x, k, v);
    }
    for (uint32_t k = 0; k < x->n; k++)
        if (need[k].dynamic && need[k].end > largest)
            largest = need[k].end;
    x->p->dynamic_offset = align_up(largest, align);
    for (uint32_t v = 0; v < x->nshared; v++)
        if (x->shared[v]->unsized)
            x->shared[v]->address = x->p->dynamic_offset;
}

static void layout_shared(struct loader *x, struct shared_need *need)
{
    uint64_t total = 0;
    for (uint32_t v = 0; v < x->nshared; v++)
        total += x->shared[v]->size + x->shared[v]->align;
    if (total > SHARED_MAX)
        diag_error(x->d, 0, 0, "the module declares %llu bytes of .shared variables; the limit is %d",
                   (unsigned long long)total, SHARED_MAX);
    uint32_t *kernels = mem_zero(x->nshared + 1, sizeof *kernels, "shared variables of kernels");
    for (uint32_t v = 0; v < x->nshared; v++) {
        kernels[v] = count_kernels(x, v);
        if (kernels[v] > 1 && !x->shared[v]->unsized)
            place_shared(x, v, need);
    }
    for (uint32_t v = 0; v < x->nshared; v++)
        if (kernels[v] <= 1 && !x->shared[v]->unsized)
            place_shared(x, v, need);
    layout_dynamic(x, need);
    free(kernels);
}

/* ---- needs of a kernel and its callees ---- */

/* Is the result of this atomic unused? Then it is equivalent to red. */
static bool result_unused(const struct code *c, const struct ptx_inst *in)
{
    if (in->op == OP_RED || in->opd[0].kind == OPD_SINK)
        return true;
    const struct ptx_func *f = c->func;
    const struct ptx_reg *r = in->opd[0].kind == OPD_REG ? in->opd[0].reg : NULL;
    if (!r)
        return false;
    for (uint32_t i = 0; i < f->ninsts; i++)
        if (ptx_inst_reads(&f->insts[i], r))
            return false;
    return true;
}

static bool commutes(const struct ptx_inst *in)
{
    char class = ptx_type_class((enum ptx_type)in->type[0]);
    uint8_t op = in->mod[PG_ATOM];
    return class != 'f' && op != MOD(ATOM, EXCH) && op != MOD(ATOM, CAS) && op != MOD(ATOM, INC) &&
           op != MOD(ATOM, DEC);
}

static bool order_free_atomic(const struct code *c, const struct ptx_inst *in)
{
    return commutes(in) && result_unused(c, in);
}

/*
 * What an instruction requires of the order of blocks (manual, Order): the one-thread order, which --threads-relaxed
 * lifts; or one thread in any case, because transactions are atomic only there and host functions are not thread-safe.
 */
enum order { ORDER_FREE, ORDER_SERIAL = 1, ORDER_HOST = 2, ORDER_TRANSACTIONS = 4 };   /* bits of a set */

/* Other bits of the set: uses the barrier of the grid, whose atomics have made the order serial; constant memory; the
 * stacks of lanes. */
enum { GRID_BARRIER = 8, CONSTANTS = 16, STACK = 32 };

/* Does the instruction name the counter of the barrier of the grid (cooperative_groups.h, device_runtime.c)? */
static bool names_grid_barrier(const struct ptx_inst *in)
{
    for (int i = 0; i < in->nopd; i++) {
        const struct ptx_operand *o = &in->opd[i];
        bool names = o->kind == OPD_VAR || (o->kind == OPD_MEM && o->has_var);
        if (names && strstr(o->var->name, "cooperative_groups8simtx_cgL12grid_arrived"))
            return true;
    }
    return false;
}

static bool names_constant(const struct ptx_operand *o)
{
    bool names = o->kind == OPD_VAR || (o->kind == OPD_MEM && o->has_var);
    for (int i = 0; o->kind == OPD_VEC && i < o->n; i++)
        if (names_constant(&o->elem[i]))
            return true;
    return names && o->var->space == SP_CONST;
}

static bool uses_constants(const struct ptx_inst *in)
{
    bool uses = in->mod[PG_SPACE] == MOD(SPACE, CONST);
    for (int i = 0; i < in->nopd; i++)
        uses |= names_constant(&in->opd[i]);
    for (int i = 0; in->op == OP_CALL && i < in->call->narg; i++)
        uses |= names_constant(&in->call->arg[i]);
    return uses;
}

static enum order order_of(const struct code *c, const struct ptx_inst *in)
{
    uint8_t space = in->mod[PG_SPACE], sem = in->mod[PG_SEM], scope = in->mod[PG_SCOPE];
    bool private = space == MOD(SPACE, SHARED) || space == MOD(SPACE, LOCAL) || in->mod[PG_SHAREDSUB] ||
                   ptx_is_mbarrier((enum ptx_op)in->op) || ptx_is_async_store((enum ptx_op)in->op);
    switch (ptx_mem_kind((enum ptx_op)in->op)) {
    case MOP_ATOM:
    case MOP_RED: return !private && !order_free_atomic(c, in) ? ORDER_SERIAL : ORDER_FREE;
    case MOP_LOAD:
    case MOP_STORE: return !private && sem && sem != MOD(SEM, WEAK) ? ORDER_SERIAL : ORDER_FREE;
    case MOP_BULK:                       /* the types of a tensor are known only to its map */
        return in->op == OP_TENSOR_REDUCE || (in->op == OP_BULK_REDUCE && !commutes(in)) ? ORDER_SERIAL : ORDER_FREE;
    default: break;
    }
    switch (in->op) {
    case OP_TX_BEGIN: return ORDER_TRANSACTIONS;
    case OP_MEMBAR: return in->mod[PG_MEMBAR] != MOD(MEMBAR, CTA) ? ORDER_SERIAL : ORDER_FREE;
    case OP_FENCE: return scope == MOD(SCOPE, GPU) || scope == MOD(SCOPE, SYS) ? ORDER_SERIAL : ORDER_FREE;
    case OP_CALL: {
        struct ptx_func *t = in->call->target.kind == OPD_FUNC ? in->call->target.func : NULL;
        return t && !body_of(t) ? ORDER_HOST : ORDER_FREE;   /* printf, malloc */
    }
    default: return ORDER_FREE;
    }
}

static uint64_t needs_of(const struct code *c, const struct ptx_inst *in)
{
    return order_of(c, in) | (names_grid_barrier(in) ? GRID_BARRIER : 0u) | (uses_constants(in) ? CONSTANTS : 0u) |
           (ptx_uses_stack((enum ptx_op)in->op) ? STACK : 0u);
}

/* Depth-first over direct calls: the most registers, the most private memory, and whether there is a cycle. */
static void measure(struct loader *x, uint32_t f, uint8_t *state, uint32_t *regs, uint64_t *local)
{
    struct code *c = x->funcs[f]->code;
    state[f] = 1;
    uint32_t most_regs = 0;
    uint64_t most_local = 0;
    for (uint32_t i = 0; i < c->func->ninsts; i++) {
        const struct ptx_inst *in = &c->func->insts[i];
        if (in->op != OP_CALL)
            continue;
        struct ptx_func *t = in->call->target.kind == OPD_FUNC ? body_of(in->call->target.func) : NULL;
        if (!t) {
            c->indirect |= in->call->target.kind != OPD_FUNC;
            continue;
        }
        if (state[t->index] == 0)
            measure(x, t->index, state, regs, local);
        if (state[t->index] == 1) {
            c->recursive = true;
            continue;
        }
        const struct code *tc = t->code;
        c->recursive |= tc->recursive;
        c->indirect |= tc->indirect;
        most_regs = regs[t->index] > most_regs ? regs[t->index] : most_regs;
        most_local = local[t->index] > most_local ? local[t->index] : most_local;
    }
    /* few registers of a caller are live across a call: the wider of caller and callee counts */
    regs[f] = c->flow->registers > most_regs ? c->flow->registers : most_regs;
    local[f] = c->local_bytes + most_local;
    state[f] = 2;
}

static bool check_local(struct loader *x, const struct ptx_func *f, uint64_t bytes)
{
    if (bytes > LOCAL_MAX)
        diag_error(x->d, f->loc.line, f->loc.col, "'%s' needs %llu bytes of local memory a thread; the limit is %d",
                   f->name, (unsigned long long)bytes, LOCAL_MAX);
    return bytes <= LOCAL_MAX;
}

static void summarise(struct loader *x, const struct shared_need *need)
{
    uint8_t *state = mem_zero(x->n + 1, 1, "the needs of functions");
    uint32_t *regs = mem_zero(x->n + 1, sizeof *regs, "the needs of functions");
    uint64_t *local = mem_zero(x->n + 1, sizeof *local, "the needs of functions");
    enum { SREGS = sizeof ((struct code *)0)->sregs / sizeof(uint64_t), NEEDS = SREGS + 1 };
    uint64_t *needs = mem_zero((x->n + 1) * (size_t)NEEDS, sizeof *needs, "the needs of functions");
    for (uint32_t f = 0; f < x->n; f++) {
        if (!state[f])
            measure(x, f, state, regs, local);
        const struct code *c = x->funcs[f]->code;
        for (uint32_t i = 0; i < c->func->ninsts; i++)
            needs[f * (size_t)NEEDS + SREGS] |= needs_of(c, &c->func->insts[i]);
        memcpy(needs + f * (size_t)NEEDS, c->sregs, sizeof c->sregs);
    }
    join_callees(x, needs, NEEDS);
    for (uint32_t f = 0; f < x->n; f++) {
        struct code *c = x->funcs[f]->code;
        c->registers = regs[f];
        c->local_total = (uint32_t)local[f];
        c->shared_static = need[f].bytes;
        c->shared_end = need[f].end;
        c->uses_dynamic = need[f].dynamic;
        uint64_t order = needs[f * (size_t)NEEDS + SREGS];
        c->serial = (order & ~(uint64_t)(CONSTANTS | STACK)) != ORDER_FREE;
        c->transactions = (order & ORDER_TRANSACTIONS) != 0;
        c->host_functions = (order & ORDER_HOST) != 0;
        c->grid_barrier = (order & GRID_BARRIER) != 0;
        c->constants = (order & CONSTANTS) != 0;
        c->stack = (order & STACK) != 0;
        c->exclusive = c->transactions || c->host_functions;
        memcpy(c->sregs, needs + f * (size_t)NEEDS, sizeof c->sregs);
        check_local(x, c->func, local[f]);
    }
    free(state);
    free(regs);
    free(local);
    free(needs);
}

/* ---- loading ---- */

static void number_functions(struct loader *x)
{
    uint32_t n = 0;
    for (struct ptx_module *m = x->p->module; m; m = m->next)
        for (struct ptx_func *f = m->funcs; f; f = f->next)
            n += f->has_body;
    x->funcs = arena_alloc(x->p->arena, (n + 1) * sizeof *x->funcs);
    for (struct ptx_module *m = x->p->module; m; m = m->next)
        for (struct ptx_func *f = m->funcs; f; f = f->next)
            if (f->has_body) {
                f->index = x->n;
                x->funcs[x->n++] = f;
            }
    x->p->func_at = x->funcs;
    x->p->nfuncs = x->n;
}

/* clang puts an array that a program only declares (extern const) into constant memory, whatever its size. */
static void check_const_size(struct loader *x, uint32_t most)
{
    uint64_t total = 0;
    for (struct ptx_module *m = x->p->module; m; m = m->next)
        for (const struct ptx_var *v = m->vars; v; v = v->next)
            if (v->space == SP_CONST && v->used && !(v->def && v->def != v))
                total += v->size;
    if (total > most)
        diag_error(x->d, 0, 0, "the module uses %llu bytes of .const variables; constant memory has %u",
                   (unsigned long long)total, most);
}

/* All frames are placed first: calls name variables of other functions. */
static void decode_functions(struct loader *x)
{
    uint64_t *frame = mem_zero(x->n + 1, sizeof *frame, "the needs of functions"), module = 0;
    for (struct ptx_module *m = x->p->module; m; m = m->next)
        module = frame_place_module(m->vars, module);
    for (uint32_t f = 0; f < x->n; f++)
        frame[f] = code_place_private(x->funcs[f], module);
    for (uint32_t f = 0; f < x->n; f++) {
        if (!check_local(x, x->funcs[f], frame[f]))
            continue;
        code_decode(x->p, x->funcs[f], x->d);
        ((struct code *)x->funcs[f]->code)->local_bytes = (uint32_t)frame[f];
        code_mark_params(x->p, x->funcs[f]->code);
    }
    free(frame);
}

/* As an assembler does. The shared variables have their addresses, on which it depends what may be combined. */
static void optimise(struct loader *x, const struct program_options *o)
{
    for (uint32_t f = 0; f < x->n; f++) {
        if (o->combined)
            combine_accesses(x->funcs[f], o->free_registers, x->p->arena);
        if (o->if_converted)
            if_convert(x->funcs[f], o->resident_registers);
        if (o->scheduled)
            schedule_function(x->funcs[f], o->resident_registers);
    }
}

static void load(struct loader *x, const struct program_options *o)
{
    struct program *p = x->p;
    number_functions(x);
    x->taken = arena_alloc(p->arena, x->n + 1);
    for_each_var(x, collect_shared);
    x->shared_words = (x->nshared + 63) / 64;
    x->first_call = mem_zero(x->n + 1, sizeof *x->first_call, "the call graph");
    x->indirect = mem_zero(x->n + 1, sizeof *x->indirect, "the call graph");
    x->uses = mem_zero(((size_t)x->n + 1) * x->shared_words + 1, sizeof *x->uses, "the call graph");
    struct shared_need *need = mem_zero(x->n + 1, sizeof *need, "the needs of functions");
    for (uint32_t f = 0; f < x->n; f++)
        note_function(x, f);
    x->first_call[x->n] = x->ncalls;
    for_each_var(x, note_initialiser);
    check_const_size(x, o->const_max);
    join_callees(x, x->uses, x->shared_words);
    layout_shared(x, need);
    optimise(x, o);
    for_each_var(x, place);
    decode_functions(x);
    if (!x->d->errors)
        summarise(x, need);
    if (!x->d->errors)
        for_each_var(x, write);
    free(need);
    free(x->first_call);
    free(x->calls);
    free(x->indirect);
    free(x->uses);
    free(x->shared);
}

struct program *program_load(struct ptx_module *m, struct devmem *mem, const struct program_options *o,
                             struct diag *d)
{
    struct program *p = mem_zero(1, sizeof *p, "a program");
    p->module = m;
    p->arena = arena_new();
    p->isa = o->isa;
    p->independent = o->independent;
    p->inverted_carry = o->inverted_carry;
    p->watched = o->watched;
    p->warp_size = o->warp_size;
    p->param_address = o->param_address;
    p->mem = mem;
    struct loader x = { .p = p, .options = o, .d = d };
    load(&x, o);
    if (d->errors) {
        program_free(p, mem);
        return NULL;
    }
    return p;
}

static void release(struct loader *x, struct ptx_var *v)
{
    if (!v->address || (v->space != SP_GLOBAL && v->space != SP_CONST) || (v->def && v->def != v))
        return;
    if (v->external)
        devmem_unregister(x->p->mem, (void *)v->address);
    else
        devmem_release(x->p->mem, (void *)v->address);
}

void program_free(struct program *p, struct devmem *mem)
{
    if (!p)
        return;
    struct loader x = { .p = p, .funcs = p->func_at, .n = p->nfuncs };
    if (mem)
        for_each_var(&x, release);
    arena_free(p->arena);
    ptx_module_free(p->module);
    free(p);
}
