/*
 * Liveness and register allocation. Liveness is computed backwards over the blocks, with bit sets of the registers used
 * in more than one block. A linear scan over live intervals then gives each virtual register a slot of its width class.
 * Classes have separate slots because a register is an array over lanes: registers of two widths in the same storage
 * would mix the columns of different lanes. A guarded write does not kill the old value,
 * unless no other lanes read it.
 */
#include "ptx/program/flow.h"
#include "ptx/isa/ops_check.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/num.h"

enum reg_class ptx_reg_class(const struct ptx_reg *r)
{
    if (r->type == T_PRED)
        return RC_PRED;
    switch (ptx_type_size((enum ptx_type)r->type)) {
    case 1:
    case 2: return RC_16;
    case 8: return RC_64;
    case 16: return RC_128;
    default: return RC_32;
    }
}

int32_t ptx_reg_words(const struct ptx_reg *r)
{
    static const int8_t words[RC_COUNT] = { 1, 1, 2, 4, 0 };
    return words[ptx_reg_class(r)];
}

int ptx_reg_class_bytes(enum reg_class c)
{
    static const int bytes[RC_COUNT] = { 2, 4, 8, 16, 4 };
    return bytes[c];
}

static void visit_operand(const struct ptx_operand *o, bool write,
                          void (*visit)(void *, struct ptx_reg *, bool), void *ctx)
{
    if (o->kind == OPD_REG)
        visit(ctx, o->reg, write);
    else if (o->kind == OPD_MEM && o->has_reg)
        visit(ctx, o->reg, false);
    else if (o->kind == OPD_VEC)
        for (int i = 0; i < o->n; i++)
            visit_operand(&o->elem[i], write, visit, ctx);
}

char ptx_sig_letter(const char *sig, int k)
{
    for (int n = 0; *sig; sig++) {
        if (*sig == ',' || *sig == '?' || *sig == '|')
            continue;
        if (n++ == k)
            return *sig;
    }
    return 0;
}

void ptx_inst_visit_regs(const struct ptx_inst *in, void (*visit)(void *, struct ptx_reg *, bool), void *ctx)
{
    if (in->guard)
        visit(ctx, in->guard, false);
    if (in->op == OP_CALL) {
        for (int i = 0; i < in->call->narg; i++)
            visit_operand(&in->call->arg[i], false, visit, ctx);
        visit_operand(&in->call->target, false, visit, ctx);
        for (int i = 0; i < in->call->nret; i++)
            visit_operand(&in->call->ret[i], true, visit, ctx);
        return;
    }
    const char *sig = ptx_sig((enum ptx_op)in->op, in->mod);
    for (int write = 0; write < 2; write++)
        for (int k = 0; k < in->nopd; k++) {
            char c = ptx_sig_letter(sig, k);
            bool dest = c && strchr("dDpeVFW", c);
            if (dest == (write == 1) || c == 'W')
                visit_operand(&in->opd[k], write == 1, visit, ctx);
        }
}

struct search { const struct ptx_reg *r; bool write, found; };

static void look_for(void *ctx, struct ptx_reg *r, bool write)
{
    struct search *s = ctx;
    s->found |= write == s->write && r == s->r;
}

bool ptx_inst_reads(const struct ptx_inst *in, const struct ptx_reg *r)
{
    struct search s = { r, false, false };
    ptx_inst_visit_regs(in, look_for, &s);
    return s.found;
}

bool ptx_inst_writes(const struct ptx_inst *in, const struct ptx_reg *r)
{
    struct search s = { r, true, false };
    ptx_inst_visit_regs(in, look_for, &s);
    return s.found;
}

struct live {
    const struct ptx_func *f;
    struct flow *fl;
    uint32_t *home;          /* by register: block of its only appearance so far; FLOW_NONE none, -2 several */
    uint32_t *global;        /* by register: bit number among the registers live across blocks, or FLOW_NONE */
    uint32_t nglobal, words;
    uint64_t *in, *out, *gen, *kill;
    uint32_t *start, *end;   /* live interval of each register, in instruction numbers */
    uint32_t block, inst;
    bool keeps;              /* the instruction `inst` keeps the old values of some lanes */
};

enum { SEVERAL = UINT32_MAX - 1 };

static void note_home(void *ctx, struct ptx_reg *r, bool write)
{
    struct live *v = ctx;
    (void)write;
    uint32_t *h = &v->home[r->id];
    if (*h == FLOW_NONE)
        *h = v->block;
    else if (*h != v->block)
        *h = SEVERAL;
}

static void note_gen_kill(void *ctx, struct ptx_reg *r, bool write)
{
    struct live *v = ctx;
    uint32_t g = v->global[r->id];
    if (g == FLOW_NONE)
        return;
    uint64_t bit = 1ull << (g & 63), *gen = v->gen + v->block * v->words + g / 64;
    uint64_t *kill = v->kill + v->block * v->words + g / 64;
    if (!write || v->keeps)
        *gen |= bit & ~*kill;
    if (write && !v->keeps)
        *kill |= bit;
}

static void note_interval(void *ctx, struct ptx_reg *r, bool write)
{
    struct live *v = ctx;
    (void)write;
    if (v->start[r->id] > v->inst)
        v->start[r->id] = v->inst;
    if (v->end[r->id] < v->inst || v->end[r->id] == FLOW_NONE)
        v->end[r->id] = v->inst;
}

/*
 * A register that appears in one block only is still live around a loop when the block reads it before writing it;
 * such registers take part in the data flow like those of several blocks.
 */
struct first_seen {
    struct live *v;
    uint8_t *seen;
};

static void note_first(void *ctx, struct ptx_reg *r, bool write)
{
    struct first_seen *s = ctx;
    if (!s->seen[r->id] && (!write || s->v->keeps))
        s->v->home[r->id] = SEVERAL;
    s->seen[r->id] = 1;
}

static void for_each_inst(struct live *v, void (*visit)(void *, struct ptx_reg *, bool), void *ctx)
{
    for (v->block = 0; v->block < v->fl->nblocks; v->block++)
        for (v->inst = v->fl->blocks[v->block].first; v->inst < v->fl->blocks[v->block].end; v->inst++) {
            v->keeps = !ptx_inst_overwrites(&v->f->insts[v->inst]);
            ptx_inst_visit_regs(&v->f->insts[v->inst], visit, ctx);
        }
}

static void solve(struct live *v)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = v->fl->nblocks; b-- > 0;) {
            const struct flow_block *blk = &v->fl->blocks[b];
            uint64_t *out = v->out + b * v->words, *in = v->in + b * v->words;
            for (uint32_t k = 0; k < blk->nsucc; k++)
                for (uint32_t w = 0; w < v->words; w++)
                    out[w] |= v->in[blk->succ[k] * v->words + w];
            for (uint32_t w = 0; w < v->words; w++) {
                uint64_t x = v->gen[b * v->words + w] | (out[w] & ~v->kill[b * v->words + w]);
                changed |= x != in[w];
                in[w] = x;
            }
        }
    }
}

static void extend(struct live *v, uint32_t reg, uint32_t inst)
{
    if (v->start[reg] > inst)
        v->start[reg] = inst;
    if (v->end[reg] == FLOW_NONE || v->end[reg] < inst)
        v->end[reg] = inst;
}

static void extend_over_blocks(struct live *v, const uint32_t *reg_of)
{
    for (uint32_t b = 0; b < v->fl->nblocks; b++)
        for (uint32_t w = 0; w < v->words; w++) {
            for (uint64_t m = v->in[b * v->words + w]; m; m &= m - 1)
                extend(v, reg_of[w * 64 + (uint32_t)__builtin_ctzll(m)], v->fl->blocks[b].first);
            for (uint64_t m = v->out[b * v->words + w]; m; m &= m - 1)
                extend(v, reg_of[w * 64 + (uint32_t)__builtin_ctzll(m)], v->fl->blocks[b].end - 1);
        }
}

static void find_intervals(struct live *v, struct arena *arena)
{
    uint32_t n = (uint32_t)v->f->nregs;
    v->home = arena_alloc(arena, n * sizeof *v->home);
    v->global = arena_alloc(arena, n * sizeof *v->global);
    v->start = arena_alloc(arena, n * sizeof *v->start);
    v->end = arena_alloc(arena, n * sizeof *v->end);
    v->fl->unset = arena_alloc(arena, (n + 1) * sizeof *v->fl->unset);
    memset(v->home, 0xff, n * sizeof *v->home);
    memset(v->global, 0xff, n * sizeof *v->global);
    memset(v->start, 0xff, n * sizeof *v->start);
    memset(v->end, 0xff, n * sizeof *v->end);
    v->fl->live_from = v->start;
    v->fl->live_to = v->end;
    struct first_seen first = { v, arena_alloc(arena, n + 1) };
    for_each_inst(v, note_home, v);
    for_each_inst(v, note_first, &first);
    uint32_t *reg_of = arena_alloc(arena, (n + 1) * sizeof *reg_of);
    for (uint32_t r = 0; r < n; r++)
        if (v->home[r] == SEVERAL) {
            reg_of[v->nglobal] = r;
            v->global[r] = v->nglobal++;
        }
    v->words = (v->nglobal + 63) / 64;
    size_t sets = (size_t)v->words * v->fl->nblocks;
    uint64_t *bits = mem_zero(sets * 4 + 1, sizeof *bits, "live registers");
    v->in = bits;
    v->out = bits + sets;
    v->gen = bits + sets * 2;
    v->kill = bits + sets * 3;
    for_each_inst(v, note_gen_kill, v);
    solve(v);
    for (uint32_t g = 0; g < v->nglobal; g++)        /* those that are live at the start of block 0 */
        v->fl->unset[reg_of[g]] = v->in[g / 64] >> (g & 63) & 1;
    for (uint32_t w = 0; w < v->words; w++)
        v->fl->reads_unset |= v->in[w] != 0;
    for_each_inst(v, note_interval, v);
    extend_over_blocks(v, reg_of);
    free(bits);
}

struct interval { uint32_t start, end, reg; };

static int by_start(const void *a, const void *b)
{
    const struct interval *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->reg < y->reg ? -1 : x->reg > y->reg;
}

/* A binary heap of (end, slot) of the live intervals, and a list of free slots (lowest first by construction). */
struct scan { struct { uint32_t end, slot; } *heap; uint32_t n; uint32_t *free_slots; uint32_t nfree, used; };

static void heap_push(struct scan *s, uint32_t end, uint32_t slot)
{
    uint32_t i = s->n++;
    while (i && s->heap[(i - 1) / 2].end > end) {
        s->heap[i] = s->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    s->heap[i].end = end;
    s->heap[i].slot = slot;
}

static uint32_t heap_pop(struct scan *s)
{
    uint32_t slot = s->heap[0].slot, end = s->heap[--s->n].end, last = s->heap[s->n].slot, i = 0;
    for (;;) {
        uint32_t c = 2 * i + 1;
        if (c >= s->n)
            break;
        if (c + 1 < s->n && s->heap[c + 1].end < s->heap[c].end)
            c++;
        if (s->heap[c].end >= end)
            break;
        s->heap[i] = s->heap[c];
        i = c;
    }
    s->heap[i].end = end;
    s->heap[i].slot = last;
    return slot;
}

/* Slots of one class. Intervals that touch in one instruction get different slots: a destination never overlaps a
 * source. */
static uint32_t scan_class(const struct interval *iv, uint32_t n, uint32_t *slot, struct scan *s)
{
    s->n = s->nfree = s->used = 0;
    for (uint32_t i = 0; i < n; i++) {
        while (s->n && s->heap[0].end < iv[i].start)
            s->free_slots[s->nfree++] = heap_pop(s);
        uint32_t t = s->nfree ? s->free_slots[--s->nfree] : s->used++;
        slot[iv[i].reg] = t;
        heap_push(s, iv[i].end, t);
    }
    return s->used;
}

/* Sets live and registers, in 32-bit registers; predicates have their own file. */
static void count_live(const struct ptx_func *f, const struct live *v, struct arena *arena)
{
    int32_t *delta = mem_zero(f->ninsts + 2, sizeof *delta, "live registers"), now = 0;
    for (int r = 0; r < f->nregs; r++)
        if (v->end[r] != FLOW_NONE) {
            delta[v->start[r]] += ptx_reg_words(f->regs[r]);
            delta[v->end[r] > v->start[r] ? v->end[r] : v->start[r] + 1] -= ptx_reg_words(f->regs[r]);
        }
    v->fl->live = arena_alloc(arena, (f->ninsts + 1) * sizeof *v->fl->live);
    for (uint32_t i = 0; i < f->ninsts; i++) {
        now += delta[i];
        v->fl->live[i] = (uint32_t)now;
        v->fl->registers = num_most(v->fl->registers, v->fl->live[i]);
    }
    free(delta);
}

void flow_allocate_registers(const struct ptx_func *f, struct flow *fl, struct arena *arena)
{
    uint32_t n = (uint32_t)f->nregs;
    fl->slot = arena_alloc(arena, (n + 1) * sizeof *fl->slot);
    fl->place = arena_alloc(arena, (n + 1) * sizeof *fl->place);
    memset(fl->slot, 0xff, (n + 1) * sizeof *fl->slot);
    struct live v = { .f = f, .fl = fl };
    if (n && f->ninsts)
        find_intervals(&v, arena);
    flow_find_invariants(f, fl, arena);
    if (!f->ninsts)
        return;
    if (!n) {
        count_live(f, &v, arena);
        return;
    }
    struct interval *iv = mem_alloc(n, sizeof *iv, "live intervals");
    struct scan s = { .heap = mem_alloc(n, sizeof *s.heap, "live intervals") };
    s.free_slots = mem_alloc(n, sizeof *s.free_slots, "live intervals");
    for (int c = 0; c < RC_COUNT; c++) {
        uint32_t k = 0;
        for (uint32_t r = 0; r < n; r++)
            if (v.end[r] != FLOW_NONE && (int)ptx_reg_class(f->regs[r]) == c)
                iv[k++] = (struct interval){ v.start[r], v.end[r], r };
        qsort(iv, k, sizeof *iv, by_start);
        fl->places[c] = fl->slots[c] = scan_class(iv, k, fl->slot, &s);
        for (uint32_t r = 0; r < n; r++)
            if ((int)ptx_reg_class(f->regs[r]) == c)
                fl->place[r] = fl->invariant[r] ? fl->places[c]++ : fl->slot[r];
    }
    free(iv);
    free(s.heap);
    free(s.free_slots);
    count_live(f, &v, arena);
}
