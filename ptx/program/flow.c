/*
 * Control flow: basic blocks and post-dominators. Lanes that diverge at a branch reconverge at its immediate
 * post-dominator (the SIMT stack of Fung et al., MICRO 2011, section 2.2). Lanes that leave by a guarded ret or exit do
 * not change the flow of the others. A path that reaches no ret, only exit, trap or a call that does not return, never
 * reconverges, so it does not delay the reconvergence of other paths (clang ends paths that it assumes to be
 * unreachable with exit). The post-dominator algorithm is the iterative one of Cooper, Harvey and Kennedy, on the
 * reversed graph.
 */
#include "ptx/program/flow.h"

#include <string.h>

static bool never_returns(const struct ptx_inst *in)
{
    if (in->op == OP_TRAP && !in->guard)
        return true;
    return in->op == OP_CALL && !in->guard && in->call->target.kind == OPD_FUNC &&
           (in->call->target.func->noreturn || !strcmp(in->call->target.func->name, "__assertfail"));
}

static bool leaves(const struct ptx_inst *in)
{
    return (in->op == OP_RET || in->op == OP_EXIT) && !in->guard;
}

static bool ends_block(const struct ptx_inst *in)
{
    return in->op == OP_BRA || in->op == OP_BRX || in->op == OP_RET || in->op == OP_EXIT || in->op == OP_TRAP ||
           never_returns(in);
}

static void mark_leaders(const struct ptx_func *f, uint8_t *leader)
{
    leader[0] = 1;
    for (uint32_t i = 0; i < f->ninsts; i++) {
        const struct ptx_inst *in = &f->insts[i];
        if (in->op == OP_BRA && in->opd[0].label < f->ninsts)
            leader[in->opd[0].label] = 1;
        if (in->op == OP_BRX && in->opd[1].table)
            for (int k = 0; k < in->opd[1].table->n; k++)
                if (in->opd[1].table->labels[k] < f->ninsts)
                    leader[in->opd[1].table->labels[k]] = 1;
        if (ends_block(in) && i + 1 < f->ninsts)
            leader[i + 1] = 1;
    }
}

static void add_succ(struct flow *fl, struct flow_block *b, uint32_t to)
{
    for (uint32_t k = 0; k < b->nsucc; k++)
        if (b->succ[k] == to)
            return;
    b->succ[b->nsucc++] = to;
    fl->blocks[to].npred++;
}

/* A branch to a label at the very end of the body is a branch out of the function. */
static void add_target(const struct ptx_func *f, struct flow *fl, struct flow_block *b, uint32_t inst)
{
    if (inst < f->ninsts)
        add_succ(fl, b, fl->block_of[inst]);
}

static void link_blocks(const struct ptx_func *f, struct flow *fl, struct arena *arena)
{
    for (uint32_t n = 0; n < fl->nblocks; n++) {
        struct flow_block *b = &fl->blocks[n];
        const struct ptx_inst *in = &f->insts[b->end - 1];
        uint32_t max = 2;
        if (in->op == OP_BRX && in->opd[1].table)
            max += (uint32_t)in->opd[1].table->n;
        b->succ = arena_alloc(arena, max * sizeof *b->succ);
        if (in->op == OP_BRA)
            add_target(f, fl, b, in->opd[0].label);
        else if (in->op == OP_BRX && in->opd[1].table)
            for (int k = 0; k < in->opd[1].table->n; k++)
                add_target(f, fl, b, in->opd[1].table->labels[k]);
        bool falls = !((in->op == OP_BRA || in->op == OP_BRX) && !in->guard) && !leaves(in) && !never_returns(in);
        if (falls)
            add_target(f, fl, b, b->end);
    }
}

static void build_blocks(const struct ptx_func *f, struct flow *fl, struct arena *arena)
{
    uint8_t *leader = arena_alloc(arena, f->ninsts);
    mark_leaders(f, leader);
    for (uint32_t i = 0; i < f->ninsts; i++)
        fl->nblocks += leader[i];
    fl->blocks = arena_alloc(arena, fl->nblocks * sizeof *fl->blocks);
    fl->block_of = arena_alloc(arena, f->ninsts * sizeof *fl->block_of);
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->ninsts; i++) {
        if (leader[i])
            fl->blocks[n++].first = i;
        fl->block_of[i] = n - 1;
        fl->blocks[n - 1].end = i + 1;
    }
    link_blocks(f, fl, arena);
}

/* Depth-first order of the reversed graph from a virtual exit node (number nblocks). */
struct pdom {
    const struct ptx_func *f;
    struct flow *fl;
    uint32_t *pred, *pred_start;  /* predecessors in the forward graph = successors in the reversed one */
    uint32_t *order, *number;     /* postorder of the reversed graph; number[block] */
    uint32_t *idom;
    uint32_t count;
    bool *exits;                  /* block has an edge to the virtual exit */
    bool *lost;                   /* the block reaches exit, trap or a call that does not return, but no ret */
};

static void build_preds(struct pdom *p, struct arena *arena)
{
    struct flow *fl = p->fl;
    p->pred_start = arena_alloc(arena, (fl->nblocks + 1) * sizeof *p->pred_start);
    for (uint32_t b = 0; b < fl->nblocks; b++)
        p->pred_start[b + 1] = p->pred_start[b] + fl->blocks[b].npred;
    p->pred = arena_alloc(arena, (p->pred_start[fl->nblocks] + 1) * sizeof *p->pred);
    uint32_t *fill = arena_alloc(arena, (fl->nblocks + 1) * sizeof *fill);
    for (uint32_t b = 0; b < fl->nblocks; b++)
        for (uint32_t k = 0; k < fl->blocks[b].nsucc; k++) {
            uint32_t s = fl->blocks[b].succ[k];
            p->pred[p->pred_start[s] + fill[s]++] = b;
        }
}

/* Postorder from `root` over predecessor edges, without recursion. */
static void number_from(struct pdom *p, uint32_t root, uint32_t *stack, uint32_t *next)
{
    if (p->number[root] != FLOW_NONE)
        return;
    uint32_t depth = 0;
    stack[0] = root;
    next[0] = p->pred_start[root];
    p->number[root] = FLOW_NONE - 1;
    for (;;) {
        uint32_t b = stack[depth];
        if (next[depth] < p->pred_start[b + 1]) {
            uint32_t q = p->pred[next[depth]++];
            if (p->number[q] != FLOW_NONE)
                continue;
            p->number[q] = FLOW_NONE - 1;
            depth++;
            stack[depth] = q;
            next[depth] = p->pred_start[q];
            continue;
        }
        p->number[b] = p->count;
        p->order[p->count++] = b;
        if (depth-- == 0)
            return;
    }
}

static uint32_t intersect(const struct pdom *p, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (p->number[a] < p->number[b])
            a = p->idom[a];
        while (p->number[b] < p->number[a])
            b = p->idom[b];
    }
    return a;
}

static void number_blocks(struct pdom *p, struct arena *arena)
{
    uint32_t n = p->fl->nblocks;
    uint32_t *stack = arena_alloc(arena, (n + 1) * sizeof *stack);
    uint32_t *next = arena_alloc(arena, (n + 1) * sizeof *next);
    for (uint32_t b = 0; b <= n; b++)
        p->number[b] = FLOW_NONE;
    for (uint32_t b = 0; b < n; b++)
        if (p->exits[b])
            number_from(p, b, stack, next);
    /* Blocks from which no exit is reached (endless loops, paths into trap) have an edge to the virtual exit. */
    for (uint32_t b = n; b-- > 0;)
        if (p->number[b] == FLOW_NONE) {
            p->exits[b] = true;
            number_from(p, b, stack, next);
        }
    p->number[n] = p->count;
    p->idom[n] = n;
}

/* Marks every block from which a marked one can be reached. */
static void mark_reaching(const struct flow *fl, bool *mark)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = fl->nblocks; b-- > 0;)
            for (uint32_t k = 0; k < fl->blocks[b].nsucc && !mark[b]; k++)
                if (mark[fl->blocks[b].succ[k]])
                    mark[b] = changed = true;
    }
}

/* Lost blocks post-dominate nothing and are ignored by their predecessors. If a function has no ret, exit counts as
 * ret. */
static void find_lost(struct pdom *p, struct arena *arena)
{
    uint32_t n = p->fl->nblocks;
    bool *returns = arena_alloc(arena, n), any = false;
    p->lost = arena_alloc(arena, n);
    for (uint32_t b = 0; b < n; b++) {
        const struct ptx_inst *last = &p->f->insts[p->fl->blocks[b].end - 1];
        bool exit = last->op == OP_EXIT && !last->guard;
        bool ends = p->fl->blocks[b].nsucc == 0;
        p->lost[b] = ends && (exit || never_returns(last));
        returns[b] = ends && !p->lost[b];
        any |= returns[b];
    }
    for (uint32_t b = 0; b < n && !any; b++) {
        returns[b] = p->lost[b] && !never_returns(&p->f->insts[p->fl->blocks[b].end - 1]);
        p->lost[b] &= !returns[b];
    }
    mark_reaching(p->fl, p->lost);
    mark_reaching(p->fl, returns);
    for (uint32_t b = 0; b < n; b++)
        p->lost[b] &= !returns[b];
}

static uint32_t meet(const struct pdom *p, uint32_t b)
{
    uint32_t n = p->fl->nblocks, best = FLOW_NONE;
    const struct flow_block *blk = &p->fl->blocks[b];
    bool only_lost = true;
    for (uint32_t k = 0; k < blk->nsucc; k++)
        only_lost = only_lost && p->lost[blk->succ[k]];
    for (uint32_t k = 0; k < blk->nsucc; k++) {
        uint32_t s = blk->succ[k];
        if (p->idom[s] == FLOW_NONE || (!only_lost && p->lost[s]))
            continue;
        best = best == FLOW_NONE ? s : intersect(p, best, s);
    }
    if (p->exits[b])
        best = n;
    return best;
}

static void find_post_dominators(const struct ptx_func *f, struct flow *fl, struct arena *arena)
{
    uint32_t n = fl->nblocks;
    struct pdom p = { .f = f, .fl = fl };
    build_preds(&p, arena);
    p.order = arena_alloc(arena, (n + 1) * sizeof *p.order);
    p.number = arena_alloc(arena, (n + 1) * sizeof *p.number);
    p.idom = arena_alloc(arena, (n + 1) * sizeof *p.idom);
    p.exits = arena_alloc(arena, n + 1);
    for (uint32_t b = 0; b < n; b++) {
        p.idom[b] = FLOW_NONE;
        const struct ptx_inst *last = &f->insts[fl->blocks[b].end - 1];
        p.exits[b] = fl->blocks[b].nsucc == 0 && !never_returns(last);
    }
    find_lost(&p, arena);
    number_blocks(&p, arena);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = p.count; k-- > 0;) {
            uint32_t b = p.order[k], d = meet(&p, b);
            if (d != FLOW_NONE && d != p.idom[b]) {
                p.idom[b] = d;
                changed = true;
            }
        }
    }
    for (uint32_t b = 0; b < n; b++)
        fl->blocks[b].ipdom = p.idom[b] == n ? FLOW_NONE : p.idom[b];
}

static void mark_joins(const struct ptx_func *f, struct flow *fl)
{
    for (uint32_t b = 0; b < fl->nblocks; b++) {
        const struct ptx_inst *last = &f->insts[fl->blocks[b].end - 1];
        bool diverges = (last->op == OP_BRA && last->guard) || last->op == OP_BRX;
        if (diverges && fl->blocks[b].ipdom != FLOW_NONE)
            fl->blocks[fl->blocks[b].ipdom].joins = true;
    }
}

bool flow_post_dominates(const struct flow *fl, uint32_t b, uint32_t from)
{
    do
        from = fl->blocks[from].ipdom;
    while (from != b && from != FLOW_NONE);
    return from == b;
}

uint32_t flow_reconvergence(const struct flow *fl, uint32_t i)
{
    uint32_t d = fl->blocks[fl->block_of[i]].ipdom;
    return d == FLOW_NONE ? FLOW_NONE : fl->blocks[d].first;
}

struct flow *flow_analyse(const struct ptx_func *f, struct arena *arena)
{
    struct flow *fl = arena_alloc(arena, sizeof *fl);
    if (f->ninsts) {
        build_blocks(f, fl, arena);
        find_post_dominators(f, fl, arena);
        mark_joins(f, fl);
    }
    flow_allocate_registers(f, fl, arena);
    return fl;
}
