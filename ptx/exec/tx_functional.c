/*
 * Transactions of functional mode (manual, Transactions): the lanes of a warp execute one after another from tx_begin
 * to tx_commit, and nothing else executes in between. Timing mode uses tx_record_commit and tx_reconvergence, too.
 */
#include "ptx/exec/control.h"

static void tx_next_lane(struct warp *w)
{
    struct tx *t = &w->tx;
    struct simt_entry *e = simt_top(w);
    t->lane = (uint32_t)__builtin_ctzll(t->remaining);
    t->remaining &= t->remaining - 1;
    e->mask = 1ull << t->lane;
    e->pc = t->begin_pc;
}

enum control_result tx_do_begin(struct warp *w, const struct code *c, const struct dinst *d)
{
    struct tx *t = &w->tx;
    struct simt_entry *e = simt_top(w);
    uint64_t lanes = guard_mask(w, d, e->mask);
    uint32_t next = (uint32_t)(d - c->insts) + 1;
    count_guarded_off(w, e->mask & ~lanes);
    if (t->open || !lanes) {
        t->depth += t->open && lanes;
        e->pc = next;
        return CONTROL_CONTINUE;
    }
    /* lanes whose guard is false skip the transaction, as on the other side of a branch */
    if (lanes != e->mask) {
        simt_branch(w, (uint32_t)(d - c->insts), lanes, next, UINT32_MAX);
        return CONTROL_CONTINUE;
    }
    *t = (struct tx){ .open = true, .remaining = lanes, .begin_pc = next, .begin_frame = e->frame };
    w->half[0].worker->count[STAT_TRANSACTIONS] += (uint64_t)__builtin_popcountll(lanes);
    tx_next_lane(w);
    return CONTROL_CONTINUE;
}

/* The next join that post-dominates all places where lanes committed. */
uint32_t tx_reconvergence(const struct code *c, const struct tx *t)
{
    const struct flow *fl = c->flow;
    uint32_t b = t->done[0].block, all = 0;
    while (b != FLOW_NONE && all < t->ndone) {
        b = fl->blocks[b].ipdom;
        for (all = 0; all < t->ndone && b != FLOW_NONE && fl->blocks[b].joins; all++)
            if (!flow_post_dominates(fl, b, t->done[all].block))
                break;
    }
    return b == FLOW_NONE ? UINT32_MAX : c->of_inst[fl->blocks[b].first];
}

bool tx_record_commit(struct warp *w, const struct code *c, const struct dinst *d, uint64_t lanes)
{
    struct tx *t = &w->tx;
    uint32_t next = (uint32_t)(d - c->insts) + 1, k = 0;
    if (!t->open || t->begin_frame != simt_top(w)->frame) {
        fault_raise(w, d, FAULT_TX, __builtin_ctzll(lanes), 0, "%s",
                    t->open ? "tx_commit in another function than its tx_begin" : "tx_commit without tx_begin");
        return false;
    }
    while (k < t->ndone && t->done[k].pc != next)
        k++;
    if (k == sizeof t->done / sizeof *t->done) {
        fault_raise(w, d, FAULT_TX, __builtin_ctzll(lanes), 0, "a transaction with more than 4 places of tx_commit");
        return false;
    }
    if (k == t->ndone)
        t->done[t->ndone++] = (struct path){ .pc = next, .block = c->flow->block_of[d->seq] };
    t->done[k].mask |= lanes;
    return true;
}

enum control_result tx_do_commit(struct warp *w, const struct code *c, const struct dinst *d)
{
    struct tx *t = &w->tx;
    struct simt_entry *e = simt_top(w);
    uint64_t lanes = guard_mask(w, d, e->mask);
    uint32_t next = (uint32_t)(d - c->insts) + 1;
    count_guarded_off(w, e->mask & ~lanes);
    e->pc = next;
    if (!lanes)
        return CONTROL_CONTINUE;
    if (t->open && t->depth) {
        t->depth--;
        return CONTROL_CONTINUE;
    }
    if (!tx_record_commit(w, c, d, lanes))
        return CONTROL_STOP;
    if (t->remaining) {
        tx_next_lane(w);
        return CONTROL_CONTINUE;
    }
    t->open = false;
    simt_split(w, t->done, t->ndone, tx_reconvergence(c, t));
    return CONTROL_CONTINUE;
}

void tx_ran_past(struct warp *w, int lane)
{
    const struct simt_entry *e = simt_top(w);
    fault_raise(w, &w->frame[e->frame].code->insts[e->pc], FAULT_TX, lane, 0,
                "a transaction begun by some lanes of a branch continues after it; put tx_commit on the same side as "
                "tx_begin");
}
