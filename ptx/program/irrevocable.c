/*
 * Irrevocable instructions in transactions. As in Fung et al. (MICRO 2011, section 3), atomics on global memory inside
 * a transaction and accesses to a memory that is not transactional are performed at once, without logs, and an abort
 * does not undo them. The memory of a generic address is not known here. A generic store counts as one to global
 * memory, as it nearly always is: compilers address variables of shared memory by name. A generic atomic is always
 * reported.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "ptx/program/program.h"

struct search {
    bool global, shared;             /* memory that transactions are for */
    uint8_t *seen;                   /* by function: bit 0 as it is called outside transactions, bit 1 inside */
    char *text;
    size_t size;
};

static bool is_atomic(const struct ptx_inst *in)
{
    enum mem_op_kind kind = ptx_mem_kind((enum ptx_op)in->op);
    return kind == MOP_ATOM || kind == MOP_RED;
}

static bool on_shared(const struct ptx_inst *in)
{
    return in->mod[PG_SPACE] == MOD(SPACE, SHARED) || in->mod[PG_SHAREDSUB];
}

static bool irrevocable(const struct search *s, const struct ptx_inst *in)
{
    bool atomic = is_atomic(in);
    if (!atomic && ptx_mem_kind((enum ptx_op)in->op) != MOP_STORE)
        return false;
    if (on_shared(in))
        return !s->shared;
    bool global = !in->mod[PG_SPACE] || in->mod[PG_SPACE] == MOD(SPACE, GLOBAL);
    return atomic || (global && !s->global);
}

/* What makes the access transactional. */
static const char *remedy(const struct search *s, const struct ptx_inst *in)
{
    return on_shared(in)                 ? "tm.shared selects a protocol for shared memory"
           : !s->global && is_atomic(in) ? "tm.global selects a protocol for global memory, for loads and stores"
           : !s->global                  ? "tm.global selects a protocol for global memory"
                                         : "use a load and a store instead";
}

static void describe(struct search *s, const struct ptx_func *f, const struct ptx_inst *in)
{
    char line[200];
    ptx_print_inst(f, in, line, sizeof line);
    bool generic = !in->mod[PG_SPACE] && s->shared;
    snprintf(s->text, s->size, "%s:%d:%d: %s   inside a transaction: %san abort does not undo it, and the next attempt "
             "does it again; %s", f->module->file, in->loc.line, in->loc.col, line,
             generic ? "where it leads to global memory, " : "", remedy(s, in));
}

static bool search(struct search *s, const struct ptx_func *f, bool inside)
{
    if (!f->has_body || s->seen[f->index] >> inside & 1)
        return false;
    s->seen[f->index] |= (uint8_t)(1u << inside);
    for (uint32_t i = 0; i < f->ninsts; i++) {
        const struct ptx_inst *in = &f->insts[i];
        bool tx = inside || in->tx;
        if (tx && irrevocable(s, in)) {
            describe(s, f, in);
            return true;
        }
        bool calls = in->op == OP_CALL && in->call->target.kind == OPD_FUNC;
        const struct ptx_func *t = calls ? in->call->target.func : NULL;
        if (t && search(s, t->def ? t->def : t, tx))
            return true;
    }
    return false;
}

bool program_irrevocable(const struct program *p, const struct ptx_func *kernel, bool global, bool shared, char *text,
                         size_t size)
{
    struct search s = { .global = global, .shared = shared, .text = text, .size = size };
    s.seen = mem_zero(p->nfuncs, 1, "the search for irrevocable instructions");
    bool found = search(&s, kernel, false);
    free(s.seen);
    return found;
}
