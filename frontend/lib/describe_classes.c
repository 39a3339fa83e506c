/*
 * `simtx ptx classes`: the latency class and the pipeline of each arithmetic opcode, from the function that timing mode
 * uses (tinst_class), for every combination of types and modifiers of the opcode.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "frontend/lib/simtx.h"
#include "ptx/isa/ops_check.h"
#include "timing/core/tinst.h"

enum { ROWS_MAX = 64, MODIFIERS = 3 };

/* Opcodes that share class and pipeline; by modifier: none, .approx, .full. */
struct row { struct tinst_class k; bool has[OP_COUNT][MODIFIERS]; };

struct table { struct row row[ROWS_MAX]; int n; };

static int modifier_of(const struct ptx_inst *in)
{
    uint8_t m = in->mod[PG_APPROX];
    return !m ? 0 : m == MOD(APPROX, APPROX) ? 1 : 2;
}

static struct row *row_of(struct table *t, struct tinst_class k)
{
    int i = 0;
    while (i < t->n && (t->row[i].k.latency != k.latency || t->row[i].k.pipe != k.pipe))
        i++;
    if (i == ROWS_MAX)
        abort();
    if (i == t->n)
        t->row[t->n++].k = k;
    return &t->row[i];
}

static bool note(const struct ptx_inst *in, void *ctx)
{
    row_of(ctx, tinst_class(in))->has[in->op][modifier_of(in)] = true;
    return true;
}

static int by_class(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    return x->k.latency != y->k.latency ? (int)x->k.latency - (int)y->k.latency : (int)x->k.pipe - (int)y->k.pipe;
}

static void print_row(FILE *o, const struct row *r, bool markdown)
{
    static const char *const pipes[] = { "SP", "INT", "SFU", "DP", "tensor" };
    static const char *const modifiers[] = { "", ".approx", ".full" };
    const char *name = strchr(config_keys[r->k.latency].name, '.') + 1, *sep = "";
    fprintf(o, markdown ? "| `%s` | %s | " : "%-10s %-8s", name, pipes[r->k.pipe]);
    for (int op = 1; op < OP_COUNT; op++)
        for (int w = 0; w < MODIFIERS; w++)
            if (r->has[op][w]) {
                fprintf(o, markdown ? "%s`%s%s`" : "%s%s%s", sep, ptx_ops[op].text, modifiers[w]);
                sep = ", ";
            }
    fputs(markdown ? " |\n" : "\n", o);
}

char *simtx_ptx_classes(bool markdown)
{
    struct table *t = mem_zero(1, sizeof *t, "a table of instructions");
    char *text = NULL;
    size_t size = 0;
    FILE *o = mem_file(&text, &size);
    ptx_table_walk(note, t);
    qsort(t->row, (size_t)t->n, sizeof *t->row, by_class);
    fputs(markdown ? "| class | pipeline | opcodes |\n|---|---|---|\n" : "class      pipeline opcodes\n", o);
    for (int i = 0; i < t->n; i++)
        print_row(o, &t->row[i], markdown);
    fclose(o);
    free(t);
    return text;
}
