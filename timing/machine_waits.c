/*
 * Who waits for whom, for the report of a hang: loops that wait for lanes of their own warp, which the SIMT stack
 * lets go on only behind the loop (KILO TM paper, Example 1); barriers whose other warps do not come; loops on memory
 * that nobody writes; warps that never get their turn beside others that wait in loops.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "timing/machine_parts.h"

enum { EXPLAINED_MAX = 24, PLACE = 400 };

struct explanation { struct machine *m; uint32_t shown, more; };

/* A warp that is waited for or waits, and in words where it is. */
struct subject { struct warp *w; uint32_t sm, slot; };

static bool room_for_more(struct explanation *x)
{
    if (x->shown < EXPLAINED_MAX)
        x->shown++;
    else
        x->more++;
    return x->shown + x->more <= EXPLAINED_MAX;
}

static void name_of(const struct subject *s, char *text, size_t size)
{
    const struct block *b = s->w->block;
    snprintf(text, size, "warp %u of block (%u,%u,%u) on SM %u", s->w->index, b->id[0], b->id[1], b->id[2], s->sm);
}

/* The backward branch that closes the innermost loop around a place; NULL when it is in none. */
static const struct dinst *loop_end(const struct code *c, uint32_t pc)
{
    for (uint32_t i = pc; i < c->ninsts; i++) {
        const struct dinst *d = &c->insts[i];
        if (d->in && d->counts && d->in->op == OP_BRA && d->target <= pc)
            return d;
    }
    return NULL;
}

static bool reads_memory(const struct dinst *d)
{
    return d->in && d->counts && (d->in->op == OP_LD || d->in->op == OP_ATOM);
}

/* What the loop looks at: its first load or atomic, and the address of its first lane. */
static void explain_reads(struct explanation *x, struct warp *w, const struct code *c, const struct dinst *end)
{
    static _Thread_local struct mem_op op;
    for (const struct dinst *d = &c->insts[end->target]; d < end; d++) {
        char place[PLACE];
        uint64_t lanes = simt_top(w)->mask;
        if (!reads_memory(d))
            continue;
        fault_describe(c, d, place, sizeof place);
        if (mem_capture(w, d, lanes, &op) && op.lanes)
            report_add(x->m, "      it reads 0x%" PRIx64 " at %s", op.address[__builtin_ctzll(op.lanes)], place);
        else
            report_add(x->m, "      it reads memory at %s", place);
        return;
    }
}

static void explain_loop(struct explanation *x, const struct subject *s)
{
    char name[160], place[PLACE];
    const struct dinst *where, *end;
    const struct entry *e = simt_top(s->w);
    const struct code *c = s->w->frame[e->frame].code;
    if (!(end = loop_end(c, e->pc)) || !room_for_more(x))
        return;
    name_of(s, name, sizeof name);
    fault_describe(c, end, place, sizeof place);
    report_add(x->m, "  %s: %d lanes spin in the loop that ends at %s", name, __builtin_popcountll(e->mask), place);
    explain_reads(x, s->w, c, end);
    uint64_t others = simt_elsewhere(s->w, &where);
    if (!others || !where || s->w->block->launch->program->independent)
        return;
    fault_describe(c, where, place, sizeof place);
    report_add(x->m, "      the warp's other lanes, the first of them lane %d, go on behind the loop, at %s",
               __builtin_ctzll(others), place);
    report_add(x->m, "      If they are to end the wait, that is a cycle: run with --simt independent, or write the "
                     "loop so that lanes that succeed do their work inside it (SIMTX_LOCK_DONE, simtx_tm.h)");
}

/* Words on the warps of the block that are not at a barrier. */
static void list_missing(const struct block *b, char *text, size_t size)
{
    size_t n = 0;
    for (uint32_t i = 0; i < b->nwarps && n + 40 < size; i++) {
        const struct warp *w = &b->warps[i];
        if (w->state != WARP_BARRIER)
            n += (size_t)snprintf(text + n, size - n, "%s%u (%s)", n ? ", " : "for warps that are not there: ", i,
                                  w->state == WARP_DONE ? "ended" : "running");
    }
    if (!n)
        snprintf(text, size, "as all warps of its block do, at different barriers or for more threads than there are");
}

static void explain_barrier(struct explanation *x, const struct subject *s)
{
    char name[160], place[PLACE], missing[600];
    const struct entry *e = simt_top(s->w);
    const struct code *c = s->w->frame[e->frame].code;
    if (!room_for_more(x))
        return;
    name_of(s, name, sizeof name);
    fault_describe(c, e->pc ? &c->insts[e->pc - 1] : c->insts, place, sizeof place);
    list_missing(s->w->block, missing, sizeof missing);
    report_add(x->m, "  %s waits at %s %s", name, place, missing);
}

static void explain_standing(struct explanation *x, const struct subject *s, uint64_t still)
{
    char name[160], place[PLACE];
    const struct entry *e = simt_top(s->w);
    const struct code *c = s->w->frame[e->frame].code;
    if (!room_for_more(x))
        return;
    name_of(s, name, sizeof name);
    fault_describe(c, &c->insts[e->pc], place, sizeof place);
    report_add(x->m, "  %s has not got its turn for %" PRIu64 " cycles, at %s", name, still, place);
}

static void explain(struct explanation *x, const struct hang_watch *w, const struct subject *s, bool loops)
{
    enum { LONG = 10000 };               /* cycles that no memory access takes */
    uint64_t still = w ? hang_still(w, s->sm, s->slot) : 0;
    bool barrier = s->w->state == WARP_BARRIER, loop = s->w->state == WARP_READY && still < LONG;
    if (loops && loop && !x->m->dead)
        explain_loop(x, s);
    else if (!loops && barrier)
        explain_barrier(x, s);
    else if (!loops && !loop && s->w->state == WARP_READY)
        explain_standing(x, s, still);
}

void hang_explain(struct machine *m, const struct hang_watch *w)
{
    struct explanation x = { .m = m };
    for (int loops = 0; loops < 2; loops++)          /* who does not move at all comes first */
        for (uint32_t i = 0; i < m->cfg.sms; i++)
            for (uint32_t slot = 0; slot < m->cfg.sm.warps; slot++) {
                struct subject s = { sm_warp(m->sm[i], slot), i, slot };
                if (s.w && s.w->exist)
                    explain(&x, w, &s, loops);
            }
    if (x.more)
        report_add(m, "  and %u warps more", x.more);
}
