/*
 * Instructions of one basic block that the run loop of functional mode executes as one step. Pairs (ptx/lanes/pair.c):
 * the second is a 64-bit addition, and only it reads the result of the first. A load, such a pair of which only the
 * load's result is the index, and a load from that address (ptx/memory/indexed.h). Timing mode executes all of them one
 * by one.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "ptx/program/decode.h"

/* Reads of each register in the function, up to 2; counted at the first candidate. */
struct reads { const struct ptx_func *f; uint8_t *of_reg; };

static void count_read(void *ctx, struct ptx_reg *r, bool write)
{
    uint8_t *n = &((struct reads *)ctx)->of_reg[r->id];
    if (!write && *n < 2)
        ++*n;
}

static bool read_once(struct reads *r, const struct ptx_operand *o)
{
    if (o->kind != OPD_REG || o->reg->shared)
        return false;
    if (!r->of_reg) {
        r->of_reg = mem_zero((size_t)r->f->nregs, 1, "the registers of a function");
        for (uint32_t i = 0; i < r->f->ninsts; i++)
            ptx_inst_visit_regs(&r->f->insts[i], count_read, r);
    }
    return r->of_reg[o->reg->id] == 1;
}

/* An unguarded step that executes an instruction in every block. */
static bool plain(const struct code *c, const struct dinst *d)
{
    return d->in && d->counts && !d->in->guard && !d->guarded && !c->flow->hoisted[d->seq];
}

static bool is_sum(const struct ptx_inst *in)
{
    return in->op == OP_ADD && (in->type[0] == T_S64 || in->type[0] == T_U64) && !in->mod[PG_CC];
}

/* No branch leads to the second one, which would read a result that the pair has not written. */
static bool same_block(const struct code *c, const struct dinst *d, const struct dinst *sum)
{
    return c->flow->block_of[d->seq] == c->flow->block_of[sum->seq];
}

/* Makes the result of d the second source of the sum after it. False: it is none of its sources, or both. */
static bool feeds(const struct dinst *d, struct dinst *sum)
{
    if ((sum->src[0] == d->dst) == (sum->src[1] == d->dst))
        return false;
    if (sum->src[0] == d->dst) {
        sum->src[0] = sum->src[1];
        sum->src[1] = d->dst;
    }
    return true;
}

static void join_steps(struct dinst *d, ptx_fn *run, uint8_t covers)
{
    d->run = run;
    d->covers = covers;
}

/* The pairs are known. */
static void decode_indexed(struct decoder *x, struct reads *reads)
{
    struct code *c = x->code;
    for (uint32_t i = 0; i + 3 < c->ninsts; i++) {
        struct dinst *d = &c->insts[i];
        bool load = plain(c, d) && d->in->op == OP_LD && d[1].covers == 2 && plain(c, &d[3]);
        ptx_fn *run = load ? mem_indexed(x->p->isa, d) : NULL;
        if (run && same_block(c, d, &d[3]) && read_once(reads, &d->in->opd[0]))
            join_steps(d, run, 4);
    }
}

void decode_pairs(struct decoder *x)
{
    struct code *c = x->code;
    struct reads reads = { .f = x->f };
    for (uint32_t i = 0; i < c->ninsts; i++) {
        struct dinst *d = &c->insts[i], *sum = d + 1;
        join_steps(d, d->fn, 1);
        ptx_fn *both = i + 1 < c->ninsts && plain(c, d) && plain(c, sum) ? lanes_pair(x->p->isa, d->in) : NULL;
        if (both && is_sum(sum->in) && same_block(c, d, sum) && read_once(&reads, &d->in->opd[0]) && feeds(d, sum))
            join_steps(d, both, 2);
    }
    if (!x->p->watched)
        decode_indexed(x, &reads);
    free(reads.of_reg);
}
