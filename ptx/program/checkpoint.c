/*
 * Registers that a transaction must save (Fung et al., MICRO 2011, section 4.3): those that a path from tx_begin writes
 * before the outermost tx_commit, and that are live after tx_begin. Of calls only arguments and results count. Computed
 * once for each tx_begin, at decoding.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ptx/program/flow.h"

enum { DEPTHS = 4 };                 /* nesting depths that are distinguished */

struct walk {
    const struct ptx_func *f;
    const struct flow *fl;
    uint8_t *seen;                   /* by place: instruction x DEPTHS + depth, or instruction */
    uint32_t *todo, ntodo;
    bool *written;                   /* by register */
    const struct ptx_reg *reg;       /* of which uses are searched */
    bool reads, writes;
};

static void go_to(struct walk *x, uint32_t place)
{
    if (x->seen[place])
        return;
    x->seen[place] = 1;
    x->todo[x->ntodo++] = place;
}

static void note_written(void *ctx, struct ptx_reg *r, bool write)
{
    struct walk *x = ctx;
    x->written[r->id] |= write;
}

/* Instruction i at a depth of nesting: records its writes and visits its successors inside the transaction. */
static void visit_inside(struct walk *x, uint32_t i, uint32_t depth)
{
    const struct ptx_inst *in = &x->f->insts[i];
    const struct flow_block *b = &x->fl->blocks[x->fl->block_of[i]];
    bool begin = in->op == OP_TX_BEGIN, commit = in->op == OP_TX_COMMIT;
    uint32_t to = begin ? depth + (depth + 1 < DEPTHS) : commit ? depth - 1 : depth;
    ptx_inst_visit_regs(in, note_written, x);
    for (int way = 0; way < 2; way++, to = depth) {
        if (way && !(in->guard && (begin || commit)))
            return;
        if (to >= DEPTHS)
            continue;                /* the outermost tx_commit */
        if (i + 1 < b->end)
            go_to(x, (i + 1) * DEPTHS + to);
        for (uint32_t k = 0; i + 1 == b->end && k < b->nsucc; k++)
            go_to(x, x->fl->blocks[b->succ[k]].first * DEPTHS + to);
    }
}

static void find_written(struct walk *x, uint32_t begin)
{
    if (begin + 1 < x->f->ninsts)
        go_to(x, (begin + 1) * DEPTHS);
    while (x->ntodo) {
        uint32_t place = x->todo[--x->ntodo];
        visit_inside(x, place / DEPTHS, place % DEPTHS);
    }
}

static void note_use(void *ctx, struct ptx_reg *r, bool write)
{
    struct walk *x = ctx;
    x->reads |= r == x->reg && !write;
    x->writes |= r == x->reg && write;
}

/* From instruction i to the end of its block; true when the register is read, false when written or at the end. */
static bool read_in_block(struct walk *x, uint32_t i)
{
    const struct flow_block *b = &x->fl->blocks[x->fl->block_of[i]];
    for (; i < b->end; i++) {
        const struct ptx_inst *in = &x->f->insts[i];
        x->reads = x->writes = false;
        ptx_inst_visit_regs(in, note_use, x);
        if (x->reads || (x->writes && !in->guard))
            return x->reads;
    }
    for (uint32_t k = 0; k < b->nsucc; k++)
        go_to(x, x->fl->blocks[b->succ[k]].first);
    return false;
}

static bool live_after(struct walk *x, const struct ptx_reg *r, uint32_t begin)
{
    x->reg = r;
    x->ntodo = 0;
    memset(x->seen, 0, x->f->ninsts);
    if (begin + 1 >= x->f->ninsts)
        return false;
    bool live = read_in_block(x, begin + 1);
    while (!live && x->ntodo)
        live = read_in_block(x, x->todo[--x->ntodo]);
    return live;
}

uint32_t flow_checkpoint_words(const struct ptx_func *f, const struct flow *fl, uint32_t begin)
{
    size_t places = (size_t)f->ninsts * DEPTHS;
    struct walk x = { .f = f, .fl = fl };
    x.seen = mem_zero(places, 1, "the analysis of registers");
    x.todo = mem_alloc(places, sizeof *x.todo, "the analysis of registers");
    x.written = mem_zero((size_t)f->nregs, sizeof *x.written, "the analysis of registers");
    uint32_t n = 0;
    find_written(&x, begin);
    for (int r = 0; r < f->nregs; r++)
        if (x.written[f->regs[r]->id] && ptx_reg_words(f->regs[r]) && live_after(&x, f->regs[r], begin))
            n += (uint32_t)ptx_reg_words(f->regs[r]);
    free(x.seen);
    free(x.todo);
    free(x.written);
    return n;
}
