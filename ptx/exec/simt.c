/*
 * The SIMT stack: how the lanes of a warp share one program counter (Fung et al., MICRO 2011, section 2.2; PTX ISA 2.3
 * on divergence). An entry is a set of lanes with one pc, and the pc where they reconverge with the others. A divergent
 * branch sets the pc of the top entry to the reconvergence point and pushes an entry for each side.
 *
 * With independent lanes (simt = independent) the same entries are unordered groups: any group may run, groups with the
 * same pc merge, and a group that spins yields to the others. Of the groups that have yielded least the one deepest in
 * calls and then lowest in the code runs, so lanes that are ahead wait for the others.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/huge.h"
#include "base/num.h"
#include "ptx/exec/cluster.h"
#include "ptx/exec/stack.h"

static bool independent(const struct warp *w)
{
    return w->block->launch->program->independent;
}

static struct simt_entry *push(struct warp *w, uint64_t mask, uint32_t pc, uint32_t rpc, uint32_t frame)
{
    if (w->nentry == w->entry_cap)
        w->entry = mem_grow(w->entry, w->nentry, &w->entry_cap, sizeof *w->entry, "the divergence stack of a warp");
    struct simt_entry *e = &w->entry[w->nentry++];
    *e = (struct simt_entry){ .mask = mask, .pc = pc, .rpc = rpc, .frame = frame, .idle = UINT64_MAX };
    if (!independent(w))
        w->current = w->nentry - 1;
    return e;
}

struct simt_entry *simt_push(struct warp *w, uint64_t mask, uint32_t pc, uint32_t rpc, uint32_t frame)
{
    return push(w, mask, pc, rpc, frame);
}

/* ---- frames ---- */

void warp_set_frame(struct warp *w, uint32_t frame)
{
    const struct frame *f = &w->frame[frame];
    for (uint32_t i = 0; i < w->block->launch->warp_size / LANES; i++) {
        struct half *h = &w->half[i];
        h->l.base[0] = h->regs + f->reg_base;
        h->l.base[1] = f->code->konst;
        h->frame_local = h->local + (size_t)f->local_base * LANES;
    }
}

static void grow_registers(struct warp *w, uint32_t bytes)
{
    uint32_t cap = w->regs_cap ? 2 * w->regs_cap : bytes;        /* most kernels call nothing: their frame, no more */
    if (bytes <= w->regs_cap)
        return;
    while (cap < bytes)
        cap *= 2;
    for (uint32_t i = 0; i < w->block->launch->warp_size / LANES; i++) {
        char *p = huge_alloc(1, cap, "the registers of a warp");
        if (w->regs_cap)
            memcpy(p, w->half[i].regs, w->regs_cap);
        huge_free(w->half[i].regs);
        w->half[i].regs = p;
    }
    w->regs_cap = cap;
}

static struct frame *free_frame(struct warp *w)
{
    for (uint32_t i = 0; i < w->nframe; i++)
        if (!w->frame[i].used)
            return &w->frame[i];
    w->frame = mem_grow(w->frame, w->nframe, &w->frame_cap, sizeof *w->frame, "the call frames of a warp");
    return &w->frame[w->nframe++];
}

static void clear_local(struct half *h, uint32_t base, uint32_t bytes, uint32_t lanes)
{
    uint32_t *word = local_word(h->local, base, 0);
    if (lanes == UINT32_MAX)
        memset(word, 0, (size_t)bytes * LANES);
    else
        for (uint32_t m = lanes; m; m &= m - 1)
            for (uint32_t k = 0; k < bytes / 4; k++)
                word[(size_t)k * LANES + (uint32_t)__builtin_ctz(m)] = 0;
}

/* Timing mode: marks the words of the frame that are .param variables, which lie in `local`, and clears them. */
static void mark_frame(struct half *h, const struct code *code, uint32_t base, uint32_t lanes)
{
    uint32_t *on = h->param_lanes + base / 4;
    for (uint32_t k = 0; k < code->local_bytes / 4; k++) {
        bool param = code->param_words[k / 32] >> k % 32 & 1;
        on[k] = param ? on[k] | lanes : on[k] & ~lanes;
        if (param)
            clear_local(h, base + k * 4, 4, lanes);
    }
}

/* Where the registers of a new frame start: above those of all frames in use, of any lanes. */
static uint32_t free_registers(const struct warp *w)
{
    uint32_t end = 0;
    for (uint32_t i = 0; i < w->nframe; i++) {
        const struct frame *f = &w->frame[i];
        if (f->used && f->reg_base + f->code->frame_bytes > end)
            end = f->reg_base + f->code->frame_bytes;
    }
    return (end + 63) & ~63u;
}

/* Private memory is each lane's own, so a frame starts where its lanes' calling frame ends. */
static struct frame *place_frame(struct warp *w, const struct code *code, uint32_t local_base, uint64_t lanes)
{
    uint32_t regs = free_registers(w);
    struct frame *f = free_frame(w);
    *f = (struct frame){ .code = code, .live = lanes, .reg_base = regs, .local_base = local_base, .used = true };
    grow_registers(w, regs + code->frame_bytes);
    for (uint32_t i = 0; i < w->block->launch->warp_size / LANES; i++) {
        if (code->flow->reads_unset)
            memset(w->half[i].regs + regs, 0, code->frame_bytes - SCRATCH_AREA);
        if (w->half[i].local_device)
            mark_frame(&w->half[i], code, local_base, (uint32_t)(lanes >> LANES * i));
        else if (code->local_bytes)
            clear_local(&w->half[i], local_base, code->local_bytes, (uint32_t)(lanes >> LANES * i));
    }
    return f;
}

int warp_push_frame(struct warp *w, const struct dinst *d, const struct code *callee, uint32_t caller, uint64_t lanes)
{
    uint32_t depth = w->frame[caller].depth + 1;
    uint32_t base = w->frame[caller].local_base + w->frame[caller].code->local_bytes;
    if (base + callee->local_bytes > stack_lowest(w, lanes) || depth > CALL_DEPTH_MAX ||
        free_registers(w) > REGISTERS_MAX) {
        fault_raise(w, d, FAULT_STACK, __builtin_ctzll(lanes), 0,
                    "stack overflow: %u bytes of local memory a thread and %u nested calls are in use, %u bytes are "
                    "allowed (cudaLimitStackSize or gpu.stack_limit raises it)",
                    base + callee->local_bytes, depth, w->local_cap);
        return -1;
    }
    struct frame *f = place_frame(w, callee, base, lanes);
    f->caller = caller;
    f->depth = depth;
    stack_save_tops(w, (uint32_t)(f - w->frame));
    return (int)(f - w->frame);
}

static void release_frame(struct warp *w, uint32_t frame)
{
    w->frame[frame].used = false;
    while (w->nframe && !w->frame[w->nframe - 1].used)
        w->nframe--;
}

/* ---- the stack ---- */

void simt_start(struct warp *w, const struct code *code, uint64_t mask)
{
    w->nentry = w->nframe = 0;
    w->current = 0;
    w->exist = w->launched = mask;
    place_frame(w, code, 0, mask);
    if (code->stack)
        stack_start(w);
    push(w, mask, 0, UINT32_MAX, 0);
    w->current = 0;
    warp_set_frame(w, 0);
}

void simt_diverge(struct warp *w, uint32_t taken_pc, uint64_t taken, uint32_t next_pc, uint32_t rpc)
{
    struct simt_entry *e = simt_top(w);
    uint64_t rest = e->mask & ~taken;
    uint32_t frame = e->frame;
    if (rpc != UINT32_MAX && rpc == e->rpc) {
        /* the entry below already waits there: lanes that are there leave this one */
        if (taken_pc == rpc) {
            e->mask = rest;
            e->pc = next_pc;
            return;
        }
        e->mask = next_pc == rpc ? taken : rest;
        e->pc = next_pc == rpc ? taken_pc : next_pc;
        if (next_pc != rpc)
            push(w, taken, taken_pc, rpc, frame);
        return;
    }
    if (rpc == UINT32_MAX) {
        e->mask = rest;
        e->pc = next_pc;
        push(w, taken, taken_pc, e->rpc, frame);
        return;
    }
    e->pc = rpc;
    if (next_pc != rpc)
        push(w, rest, next_pc, rpc, frame);
    if (taken_pc != rpc)
        push(w, taken, taken_pc, rpc, frame);
}

void simt_branch(struct warp *w, uint32_t taken_pc, uint64_t taken, uint32_t next_pc, uint32_t rpc)
{
    struct simt_entry *e = simt_top(w);
    taken &= e->mask;
    if (!taken)
        e->pc = next_pc;
    else if (taken == e->mask)
        e->pc = taken_pc;
    else if (independent(w)) {
        e->mask &= ~taken;
        e->pc = next_pc;
        uint32_t frame = e->frame, yields = e->yields;
        push(w, taken, taken_pc, UINT32_MAX, frame)->yields = yields;
    } else
        simt_diverge(w, taken_pc, taken, next_pc, rpc);
}

void simt_split(struct warp *w, const struct path *path, uint32_t n, uint32_t rpc)
{
    struct simt_entry *e = simt_top(w);
    uint32_t frame = e->frame, yields = e->yields, end = e->rpc, first = 1;
    if (independent(w) || rpc == UINT32_MAX || rpc == end || n == 1) {
        e->mask = path[0].mask;
        e->pc = path[0].pc;
        rpc = end;
    } else {
        e->mask = 0;
        for (uint32_t k = 0; k < n; k++)
            e->mask |= path[k].mask;
        e->pc = rpc;
        first = 0;
    }
    for (uint32_t k = first; k < n; k++)
        push(w, path[k].mask, path[k].pc, rpc, frame)->yields = yields;
}

/* Static, because a call of a function exported by the library is indirect (PLT). */
static inline void pop(struct warp *w)
{
    uint32_t frame = simt_top(w)->frame;
    w->nentry--;
    if (!w->nentry)
        return;
    w->current = w->nentry - 1;
    if (simt_top(w)->frame != frame) {
        if (!(w->frame[frame].live & w->exist) && frame)
            release_frame(w, frame);
        warp_set_frame(w, simt_top(w)->frame);
    }
}

void simt_pop(struct warp *w)
{
    pop(w);
}

bool simt_settle(struct warp *w)
{
    while (w->nentry) {
        struct simt_entry *e = simt_top(w);
        uint64_t mask = e->mask & w->frame[e->frame].live & w->exist;
        if (mask && (e->pc != e->rpc || e->rpc == UINT32_MAX)) {
            e->mask = mask;
            return true;
        }
        pop(w);
    }
    return false;
}

void simt_exit(struct warp *w, uint64_t lanes)
{
    lanes &= w->exist;
    w->exist &= ~lanes;
    w->block->live_threads -= num_ones(lanes);
    for (uint32_t i = 0; i < w->nframe; i++)
        w->frame[i].live &= ~lanes;
    simt_top(w)->mask &= ~lanes;
    for (uint32_t i = 0; i < w->nentry && independent(w); i++)
        if (w->entry[i].waits == WAIT_LANES)
            w->entry[i].waits = WAIT_NONE;           /* it may have waited for those lanes */
    barrier_lanes_left(w->block);
    cluster_lanes_left(w, lanes);
}

void simt_call(struct warp *w, uint32_t frame, uint64_t lanes, uint32_t ret_pc)
{
    struct simt_entry *e = simt_top(w);
    w->frame[frame].ret_pc = ret_pc;
    if (independent(w)) {
        e->mask &= ~lanes;
        uint32_t yields = e->yields;
        push(w, lanes, 0, UINT32_MAX, frame)->yields = yields;
    } else {
        push(w, lanes, 0, UINT32_MAX, frame);
        warp_set_frame(w, frame);
    }
}

void simt_return(struct warp *w, uint64_t lanes)
{
    struct simt_entry *e = simt_top(w);
    struct frame *f = &w->frame[e->frame];
    stack_restore_tops(w, e->frame, lanes);
    f->live &= ~lanes;
    e->mask &= ~lanes;
    if (independent(w)) {
        uint32_t caller = f->caller, ret = f->ret_pc, yields = e->yields;
        if (!f->live)
            release_frame(w, e->frame);
        push(w, lanes, ret, UINT32_MAX, caller)->yields = yields;
    }
}

static void move_to_top(struct warp *w, uint32_t i)
{
    struct simt_entry e = w->entry[i];
    memmove(&w->entry[i], &w->entry[i + 1], (w->nentry - 1 - i) * sizeof e);
    w->entry[w->nentry - 1] = e;
    warp_set_frame(w, e.frame);
}

/*
 * Either side of a branch may run first, and lanes at a reconvergence point may continue without the others. An entry
 * whose lanes are in no entry above it is a side that has not run yet: it moves to the top, over the waiting entry. If
 * only some lanes of an entry are in no entry above it, they wait at its reconvergence point: they continue from there
 * in an entry of their own, up to the next reconvergence point.
 */
bool simt_defer(struct warp *w, enum wait how)
{
    uint64_t above = 0;
    simt_top(w)->waits = (uint8_t)how;
    for (uint32_t i = w->nentry; i-- > 0;) {
        struct simt_entry e = w->entry[i];
        uint64_t mask = e.mask & w->frame[e.frame].live & w->exist, ready = mask & ~above;
        above |= mask;
        if (!ready || e.waits != WAIT_NONE)
            continue;
        if (ready == mask)
            move_to_top(w, i);
        else {
            w->entry[i].mask &= ~ready;
            push(w, ready, e.pc, e.rpc, e.frame);
            warp_set_frame(w, e.frame);
        }
        return true;
    }
    simt_top(w)->waits = WAIT_NONE;
    return false;
}

bool simt_resume(struct warp *w, enum wait how)
{
    for (uint32_t i = 0; i + 1 < w->nentry; i++) {
        if (w->entry[i].waits != WAIT_LANES || !(w->entry[i].mask & w->exist))
            continue;
        simt_top(w)->waits = (uint8_t)how;
        move_to_top(w, i);
        simt_top(w)->waits = WAIT_NONE;
        simt_top(w)->alone = true;
        return true;
    }
    return false;
}

/* Lanes of an entry with another reconvergence point do not join: entries above it may reconverge in that entry. */
uint64_t simt_join(struct warp *w, uint32_t pc, enum wait how)
{
    struct simt_entry *top = simt_top(w);
    uint64_t joined = 0;
    for (struct simt_entry *e = w->entry; e < top; e++)
        if (e->waits == how && e->pc == pc && e->frame == top->frame && e->rpc == top->rpc) {
            joined |= e->mask & w->exist;
            e->mask = 0;                             /* simt_settle pops it */
            e->waits = WAIT_NONE;
        }
    top->mask |= joined;
    return joined;
}

/* ---- independent lanes ---- */

/* Does the group wait for other warps? */
static bool waits_for_others(const struct simt_entry *e)
{
    return e->waits == WAIT_BARRIER || e->waits == WAIT_CLUSTER;
}

static void merge_groups(struct warp *w)
{
    for (uint32_t i = 0; i < w->nentry; i++)
        w->entry[i].mask &= w->exist;
    for (uint32_t i = 0; i < w->nentry;) {
        struct simt_entry *a = &w->entry[i];
        bool gone = !a->mask;
        for (uint32_t k = 0; k < i && !gone; k++) {
            struct simt_entry *b = &w->entry[k];
            bool meet = b->pc == a->pc && b->frame == a->frame && !waits_for_others(a) && !waits_for_others(b);
            if (!meet)
                continue;
            b->mask |= a->mask;
            b->waits = WAIT_NONE;
            b->yields = a->yields > b->yields ? a->yields : b->yields;
            b->idle = UINT64_MAX;
            gone = true;
        }
        if (gone)
            w->entry[i] = w->entry[--w->nentry];
        else
            i++;
    }
}

static bool goes_before(const struct warp *w, const struct simt_entry *a, const struct simt_entry *b)
{
    if (a->yields != b->yields)
        return a->yields < b->yields;
    uint32_t da = w->frame[a->frame].depth, db = w->frame[b->frame].depth;
    if (da != db)
        return da > db;
    if (a->pc != b->pc)
        return a->pc < b->pc;
    return __builtin_ctzll(a->mask) < __builtin_ctzll(b->mask);
}

bool simt_pick(struct warp *w)
{
    merge_groups(w);
    int best = -1;
    for (uint32_t i = 0; i < w->nentry; i++)
        if (w->entry[i].waits == WAIT_NONE && (best < 0 || goes_before(w, &w->entry[i], &w->entry[best])))
            best = (int)i;
    if (best < 0)
        return false;
    w->current = (uint32_t)best;
    warp_set_frame(w, w->entry[best].frame);
    return true;
}

bool simt_pick_lane(struct warp *w, uint32_t lane)
{
    for (uint32_t i = 0; i < w->nentry; i++)
        if (w->entry[i].mask >> lane & 1) {
            w->current = i;
            warp_set_frame(w, w->entry[i].frame);
            return true;
        }
    return false;
}

bool simt_all_idle(struct warp *w, uint64_t changes)
{
    struct simt_entry *mine = simt_top(w);
    bool all = true;
    mine->idle = changes;
    for (uint32_t i = 0; i < w->nentry; i++) {
        const struct simt_entry *e = &w->entry[i];
        if (e == mine || !(e->mask & w->exist) || e->waits != WAIT_NONE)
            continue;
        all = all && e->idle == changes;
        mine->yields = e->yields >= mine->yields ? e->yields + 1 : mine->yields;
    }
    return all;
}

uint64_t simt_other_lanes(const struct warp *w, const struct dinst **where)
{
    uint64_t mine = w->entry[w->current].mask, others = w->exist & ~mine;
    *where = NULL;
    for (uint32_t i = w->nentry; i-- > 0;)
        if (i != w->current && w->entry[i].mask & others) {
            const struct code *c = w->frame[w->entry[i].frame].code;
            *where = &c->insts[w->entry[i].pc];
            break;
        }
    return others;
}
