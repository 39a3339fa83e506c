/* Removing instructions from a function. Branches and their tables name instructions by index, so they move, too. */
#include "ptx/program/remove.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static void move_labels(const struct ptx_inst *in, const uint32_t *to)
{
    struct ptx_table *t = in->opd[1].table;
    for (int k = 0; k < t->n; k++)
        t->labels[k] = to[t->labels[k]];
}

/* The labels of a table that several branches use are changed once. */
static void move_tables(struct ptx_func *f, const uint32_t *to)
{
    const struct ptx_table **moved = mem_zero(f->ninsts + 1, sizeof *moved, "removing instructions");
    uint32_t nmoved = 0;
    for (uint32_t i = 0; i < f->ninsts; i++) {
        uint32_t k = 0;
        if (f->insts[i].op != OP_BRX)
            continue;
        while (k < nmoved && moved[k] != f->insts[i].opd[1].table)
            k++;
        if (k == nmoved) {
            moved[nmoved++] = f->insts[i].opd[1].table;
            move_labels(&f->insts[i], to);
        }
    }
    free(moved);
}

/* A label of a removed instruction moves to the next one that stays. */
static void remove_instructions(struct ptx_func *f, const bool *removed)
{
    uint32_t *to = mem_zero(f->ninsts + 1, sizeof *to, "removing instructions"), kept = 0;
    for (uint32_t i = 0; i < f->ninsts; i++) {
        to[i] = kept;
        if (!removed[i])
            f->insts[kept++] = f->insts[i];
    }
    to[f->ninsts] = kept;
    f->ninsts = kept;
    for (uint32_t i = 0; i < f->ninsts; i++)
        if (f->insts[i].op == OP_BRA)
            f->insts[i].opd[0].label = to[f->insts[i].opd[0].label];
    for (uint32_t i = 0; i < f->nlabels; i++)
        f->labels[i].inst = to[f->labels[i].inst];
    move_tables(f, to);
    free(to);
}

/* Registers that the function needs without the removed instructions, which from here on do nothing. */
static uint32_t registers_without(struct ptx_func *f, const bool *removed)
{
    struct arena *scratch = arena_new();
    for (uint32_t i = 0; i < f->ninsts; i++)
        if (removed[i])
            f->insts[i] = (struct ptx_inst){ .op = OP_MOV, .lock = f->insts[i].lock };
    uint32_t n = flow_analyse(f, scratch)->registers;
    arena_free(scratch);
    return n;
}

void remove_by_pass(struct ptx_func *f, const struct remove_pass *pass, uint32_t registers)
{
    uint32_t n = f->ninsts;
    struct ptx_inst *text = mem_alloc(n, sizeof *text, "removing instructions");
    bool *removed = mem_zero(n, sizeof *removed, "removing instructions");
    memcpy(text, f->insts, n * sizeof *text);
    for (const uint32_t *reach = pass->reach; *reach; reach++) {
        pass->change(pass->ctx, *reach, removed);
        if (!memchr(removed, true, n) || registers_without(f, removed) <= registers)
            break;
        memcpy(f->insts, text, n * sizeof *text);
        memset(removed, 0, n * sizeof *removed);
    }
    remove_instructions(f, removed);
    free(text);
    free(removed);
}
