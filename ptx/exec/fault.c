/*
 * Fault reports: the kernel, block and thread, the PTX line (and the CUDA line from .loc), the address and the nearest
 * allocation. A worker stops at its first fault.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "ptx/exec/check.h"
#include "ptx/exec/cluster.h"

static const char *const titles[] = {
    [FAULT_NONE] = "no fault",
    [FAULT_BOUNDS] = "access outside every allocation",
    [FAULT_FREED] = "use of freed memory",
    [FAULT_MISALIGNED] = "misaligned access",
    [FAULT_SPACE] = "access in the wrong state space",
    [FAULT_READ_ONLY] = "write to read-only memory",
    [FAULT_BARRIER] = "barrier that cannot complete",
    [FAULT_DEADLOCK] = "deadlock",
    [FAULT_STACK] = "stack overflow",
    [FAULT_TRAPPED] = "trap",
    [FAULT_ASSERT] = "assertion failed",
    [FAULT_CALL] = "bad call or branch target",
    [FAULT_TX] = "transaction misused",
    [FAULT_HEAP] = "bad free",
    [FAULT_WARP] = "warp instruction misused",
    [FAULT_TEXTURE] = "texture or surface misused",
    [FAULT_RACE] = "data race in shared memory",
    [FAULT_UNINITIALISED] = "read of memory that nothing has written",
};

void fault_place(const struct dinst *d, char *buf, size_t size)
{
    const struct ptx_inst *in = d->in;
    if (!in) {
        snprintf(buf, size, "the end of the function");
        return;
    }
    snprintf(buf, size, "line %d", in->loc.line);
}

void fault_describe(const struct code *c, const struct dinst *d, char *buf, size_t size)
{
    const struct ptx_module *m = c->func->module;
    const struct ptx_inst *in = d->in;
    if (!in) {
        snprintf(buf, size, "%s: end of '%s'", m->file, c->func->name);
        return;
    }
    char text[200];
    ptx_print_inst(c->func, in, text, sizeof text);
    int n = snprintf(buf, size, "%s:%d:%d: %s", m->file, in->loc.line, in->loc.col, text);
    if (in->src_line && in->src_file < m->nsrc_files && m->src_files[in->src_file] && n > 0 && (size_t)n < size)
        snprintf(buf + n, size - (size_t)n, "   (%s:%u)", m->src_files[in->src_file], in->src_line);
}

void warp_thread(const struct warp *w, int lane, uint32_t id[3])
{
    const struct launch *la = w->block->launch;
    uint32_t t = w->index * la->warp_size + (uint32_t)lane;
    id[0] = t % la->block[0];
    id[1] = t / la->block[0] % la->block[1];
    id[2] = t / la->block[0] / la->block[1];
}

static const char *range_name(const struct mem_range *r, char *buf, size_t size)
{
    static const char *const kinds[] = { "device memory", "pinned host memory", "managed memory", "variable",
                                         "constant", "device heap block", "registered host memory", "buffer" };
    if (r->name)
        snprintf(buf, size, "%s '%s'", kinds[r->kind], r->name);
    else
        snprintf(buf, size, "%s", kinds[r->kind]);
    return buf;
}

void fault_describe_address(const struct launch *la, uint64_t address, char *buf, size_t size)
{
    const struct mem_range *below, *above;
    char name[160];
    devmem_around(la->mem, address, &below, &above);
    uint64_t past = below ? address - below->hi : UINT64_MAX, before = above ? above->lo - address : UINT64_MAX;
    if (below && below->freed && address < below->hi)
        snprintf(buf, size, "%llu bytes into %s of %llu bytes at 0x%llx that was freed",
                 (unsigned long long)(address - below->lo), range_name(below, name, sizeof name),
                 (unsigned long long)(below->hi - below->lo), (unsigned long long)below->lo);
    else if (below && address < below->hi)
        snprintf(buf, size, "inside %s of %llu bytes at 0x%llx", range_name(below, name, sizeof name),
                 (unsigned long long)(below->hi - below->lo), (unsigned long long)below->lo);
    else if (below && !past)
        snprintf(buf, size, "directly after the end of the nearest allocation: %s of %llu bytes at 0x%llx%s",
                 range_name(below, name, sizeof name), (unsigned long long)(below->hi - below->lo),
                 (unsigned long long)below->lo, below->freed ? ", freed" : "");
    else if (below && past <= before)
        snprintf(buf, size, "%llu bytes past the end of the nearest allocation: %s of %llu bytes at 0x%llx%s",
                 (unsigned long long)past, range_name(below, name, sizeof name),
                 (unsigned long long)(below->hi - below->lo), (unsigned long long)below->lo,
                 below->freed ? ", freed" : "");
    else if (above)
        snprintf(buf, size, "%llu bytes before the nearest allocation: %s of %llu bytes at 0x%llx",
                 (unsigned long long)before, range_name(above, name, sizeof name),
                 (unsigned long long)(above->hi - above->lo), (unsigned long long)above->lo);
    else
        snprintf(buf, size, "there are no allocations");
}

void fault_compose(struct fault *f, const struct warp *w, const struct dinst *d, enum fault_kind kind, int lane,
                   uint64_t address, const char *head, const char *words)
{
    const struct simt_entry *e = &w->entry[w->current];
    const struct code *c = w->frame[e->frame].code;
    char place[600];
    memset(f, 0, sizeof *f);
    f->kind = kind;
    f->func = w->frame[0].code->func;
    f->inst = d->in;
    f->address = address;
    f->order = w->block->order;
    memcpy(f->block, w->block->id, sizeof f->block);
    warp_thread(w, lane, f->thread);
    fault_describe(c, d, place, sizeof place);
    int n = snprintf(f->text, sizeof f->text,
                     "%s: %s\n"
                     "  %s\n"
                     "  kernel %s, block (%u,%u,%u), thread (%u,%u,%u)\n"
                     "  at %s\n",
                     head, titles[kind], words, f->func->name, f->block[0], f->block[1], f->block[2], f->thread[0],
                     f->thread[1], f->thread[2], place);
    for (uint32_t q = e->frame; q != 0 && n > 0 && (size_t)n < sizeof f->text - 200; q = w->frame[q].caller)
        n += snprintf(f->text + n, sizeof f->text - (size_t)n, "  in %.120s, called from %.120s\n",
                      w->frame[q].code->func->name, w->frame[w->frame[q].caller].code->func->name);
}

int fault_raise(struct warp *w, const struct dinst *d, enum fault_kind kind, int lane, uint64_t address,
                const char *what, ...)
{
    struct worker *k = w->half[0].worker;
    char words[1024];
    va_list ap;
    if (k->fault)
        return CONTROL_FAULT;
    va_start(ap, what);
    vsnprintf(words, sizeof words, what, ap);
    va_end(ap);
    fault_compose(&k->fault_store, w, d, kind, lane, address, "simtx: fault", words);
    k->fault = &k->fault_store;
    return CONTROL_FAULT;
}

static const char *space_word(uint8_t space)
{
    switch (space) {
    case SP_SHARED: return "shared memory";
    case SP_LOCAL:
    case SP_REG: return "local memory";
    case SP_PARAM: return "the kernel's parameters";
    case SP_CONST: return "constant memory";
    default: return "global memory";
    }
}

/* Accesses that hardware may tolerate; the others are faults whatever check.memory is. */
static bool is_outside(enum fault_kind kind)
{
    return kind == FAULT_BOUNDS || kind == FAULT_FREED;
}

static enum fault_kind global_kind(const struct launch *la, uint64_t address, bool write)
{
    const struct mem_range *m = devmem_find(la->mem, address), *below, *above;
    devmem_around(la->mem, address, &below, &above);
    return m && write && !launch_may_write(la, m)               ? FAULT_READ_ONLY
           : !m && below && below->freed && address < below->hi ? FAULT_FREED
                                                                : FAULT_BOUNDS;
}

/* A generic address that the caller has not resolved: that of an atomic. */
static uint8_t space_of(const struct dinst *d, uint64_t address)
{
    bool shared = d->space == SP_GENERIC && address >> WINDOW_BITS == WINDOW_SHARED >> WINDOW_BITS;
    return shared ? SP_SHARED : d->space;
}

static enum fault_kind kind_of_access(const struct launch *la, uint8_t space, uint64_t address, unsigned bytes,
                                      bool write)
{
    if (address & (bytes - 1))
        return FAULT_MISALIGNED;
    switch (space) {
    case SP_SHARED:
    case SP_LOCAL:
    case SP_REG: return FAULT_BOUNDS;
    case SP_PARAM: return write ? FAULT_READ_ONLY : FAULT_BOUNDS;
    default: return address >> WINDOW_BITS ? FAULT_SPACE : global_kind(la, address, write);
    }
}

/* An address of the host program. Allocations that are far away tell nothing about it. */
static void describe_host(const struct launch *la, uint64_t address, char *buf, size_t size)
{
    const uint64_t far_away = UINT64_C(1) << 30;
    const struct mem_range *below, *above;
    char where[400];
    devmem_around(la->mem, address, &below, &above);
    if ((!below || address - below->hi > far_away) && (!above || above->lo - address > far_away)) {
        snprintf(buf, size, "outside the GPU's range of addresses (a pointer of the host?)");
        return;
    }
    fault_describe_address(la, address, where, sizeof where);
    snprintf(buf, size, "%s (outside the GPU's range of addresses: a pointer of the host?)", where);
}

/* An access to the shared memory of another block of the cluster. False: it is none. */
static bool describe_remote(const struct block *b, bool reaches, uint64_t address, unsigned bytes, char *buf,
                            size_t size)
{
    uint32_t rank = cluster_rank(b, address), blocks = cluster_blocks(b->launch);
    uint32_t offset = (uint32_t)address & CLUSTER_OFFSET_MASK;
    if (!cluster_part(address) || address >> 32 || (!reaches && (blocks == 1 || rank >= blocks)))
        return false;
    if (!reaches)
        snprintf(buf, size, " at 0x%llx of shared memory; the address is of the block with rank %u; .shared::cta "
                 "reaches only the own block", (unsigned long long)address, rank);
    else if (rank >= blocks)
        snprintf(buf, size, " of the shared memory of the block with rank %u; its cluster has %u block%s", rank, blocks,
                 blocks == 1 ? "" : "s");
    else if (offset + bytes <= b->shared_bytes)
        snprintf(buf, size, " of the shared memory of the block with rank %u of the cluster, which has exited (end the "
                 "kernel with barrier.cluster, so that no block exits while others access its memory)", rank);
    else
        snprintf(buf, size, " at offset 0x%x of the shared memory of the block with rank %u, which has %u bytes",
                 offset, rank, b->shared_bytes);
    return true;
}

/* What the access does, in words. */
static void describe_access(const struct warp *w, bool reaches, enum fault_kind kind, uint8_t space, uint64_t address,
                            unsigned bytes, bool write, char *buf, size_t size)
{
    const struct launch *la = w->block->launch;
    unsigned long long at = address;
    char where[400];
    int n = snprintf(buf, size, "%s %u bytes", write ? "writes" : "reads", bytes);
    buf += n;
    size -= (size_t)n;
    if (kind == FAULT_MISALIGNED)
        snprintf(buf, size, " of %s at 0x%llx, which is not a multiple of %u%s", space_word(space), at, bytes,
                 space == SP_LOCAL ? " (if a variable is accessed as a larger type, declare it with alignas)" : "");
    else if (space == SP_SHARED && describe_remote(w->block, reaches, address, bytes, buf, size))
        return;
    else if (space == SP_SHARED)
        snprintf(buf, size, " at 0x%llx of shared memory; the block has %u bytes (%u static, %u dynamic)", at,
                 w->block->shared_bytes, la->code->shared_static, la->dynamic_shared);
    else if (space == SP_LOCAL || space == SP_REG)
        snprintf(buf, size, " at 0x%llx of local memory; the thread has %u bytes", at, w->local_cap);
    else if (space == SP_PARAM)
        snprintf(buf, size, " at 0x%llx of the kernel's parameters, which have %u bytes", at, la->param_bytes);
    else if (kind == FAULT_SPACE)
        snprintf(buf, size, " at 0x%llx, an address of %s, as global memory", at,
                 address >> WINDOW_BITS == WINDOW_SHARED >> WINDOW_BITS  ? "shared memory"
                 : address >> WINDOW_BITS == WINDOW_LOCAL >> WINDOW_BITS ? "local memory"
                                                                         : "no memory");
    else if (address < 4096)
        snprintf(buf, size, " at 0x%llx (a null pointer?)", at);
    else {
        bool known = devmem_find(la->mem, address) || devmem_in_range(la->mem, address);
        (known ? fault_describe_address : describe_host)(la, address, where, sizeof where);
        snprintf(buf, size, " at 0x%llx: %s", at, where);
    }
}

int fault_memory(struct half *h, const struct dinst *d, int lane, uint64_t address, unsigned bytes, bool write)
{
    struct warp *w = h->warp;
    int at = lane + h->index * LANES;
    uint8_t space = space_of(d, address);
    if (space == SP_SHARED || space == SP_LOCAL)
        address = mem_wraps(d) ? (uint32_t)address : address & ((UINT64_C(1) << WINDOW_BITS) - 1);
    enum fault_kind kind = kind_of_access(w->block->launch, space, address, bytes, write);
    if (is_outside(kind) && check_tolerated(w, d, CHECK_MEMORY, at))
        return CONTROL_NEXT;
    char words[600];
    describe_access(w, cluster_reaches(d), kind, space, address, bytes, write, words, sizeof words);
    return is_outside(kind) ? check_failed(w, d, CHECK_MEMORY, kind, at, address, "%s", words)
                            : fault_raise(w, d, kind, at, address, "%s", words);
}

/* ---- deadlock: every warp waits ---- */

const struct dinst *fault_waiting_at(const struct warp *w, const struct simt_entry *e)
{
    const struct dinst *d = &w->frame[e->frame].code->insts[e->pc];
    if (e->waits != WAIT_LANES)
        return e->pc ? d - 1 : d;
    while (d->in && !d->counts)
        d++;
    return d;
}

static void list_waiters(struct fault *f, const struct block *b)
{
    enum { SHOWN = 6 };
    int shown = 0, more = 0;
    for (uint32_t i = 0; i < b->nwarps; i++) {
        const struct warp *w = &b->warps[i];
        for (uint32_t k = 0; k < w->nentry && w->state != WARP_DONE; k++) {
            const struct simt_entry *e = &w->entry[k];
            char place[500];
            bool current = k == w->current;
            bool stack = !b->launch->program->independent;
            if (!(e->mask & w->exist) || (stack && !current))
                continue;
            if (shown++ >= SHOWN) {
                more++;
                continue;
            }
            const struct dinst *d = w->spinning && current ? w->spin_at : fault_waiting_at(w, e);
            fault_describe(w->frame[e->frame].code, d, place, sizeof place);
            text_append(f->text, sizeof f->text, "  warp %u, %d lanes %s %s\n", i,
                        __builtin_popcountll(e->mask & w->exist),
                        w->spinning && current       ? "loop without change at"
                        : e->waits == WAIT_BARRIER   ? "wait at barrier"
                        : e->waits == WAIT_CLUSTER   ? "wait for the cluster at"
                        : e->waits == WAIT_LANES     ? "wait for other lanes at"
                                                     : "are at",
                        place);
        }
    }
    if (more)
        text_append(f->text, sizeof f->text, "  and %d more\n", more);
}

/* May lanes that continue at d change memory before they end or reach a barrier? True if that is not known. */
static bool may_change_memory(const struct code *c, const struct dinst *d)
{
    for (; d < c->insts + c->ninsts && (d->in || !d->counts); d++) {
        if (!d->counts)
            continue;
        switch (ptx_mem_kind((enum ptx_op)d->in->op)) {
        case MOP_ATOM:
            if (ptx_is_mbarrier_test((enum ptx_op)d->in->op))
                break;
            return true;
        case MOP_STORE:
        case MOP_BULK:
        case MOP_RED: return true;
        default: break;
        }
        switch (d->in->op) {
        case OP_RET:
        case OP_EXIT: return d->in->guard || !c->func->is_entry;
        case OP_CLUSTER_WAIT: return false;
        case OP_BAR:
        case OP_BARRIER:
            if (d->in->mod[PG_BAROP] != MOD(BAROP, WARP))
                return false;
            break;
        case OP_BRA:
        case OP_BRX:
        case OP_CALL:
        case OP_TX_BEGIN: return true;
        default: break;
        }
    }
    return !c->func->is_entry;
}

static const struct code *code_of_step(const struct warp *w, const struct dinst *d)
{
    for (uint32_t i = 0; i < w->nentry; i++) {
        const struct code *c = w->frame[w->entry[i].frame].code;
        if (d >= c->insts && d < c->insts + c->ninsts)
            return c;
    }
    return w->frame[0].code;
}

bool fault_waits_for_own_lanes(const struct warp *w)
{
    const struct dinst *there;
    return simt_other_lanes(w, &there) && there && may_change_memory(code_of_step(w, there), there);
}

/* A warp that spins while other lanes of it wait for the loop's end: the stack cannot run those first. */
static const struct warp *own_lanes_wait(const struct block *b)
{
    for (uint32_t i = 0; i < b->nwarps && !b->launch->program->independent; i++) {
        const struct warp *w = &b->warps[i];
        if (w->state == WARP_READY && w->spinning && fault_waits_for_own_lanes(w))
            return w;
    }
    return NULL;
}

/* If the group of independent lanes that ran last has ended, a waiting one becomes the current group. */
static void select_waiter(struct warp *w)
{
    for (uint32_t i = 0; i < w->nentry && !(simt_top(w)->mask & w->exist); i++)
        w->current = i;
}

/* Host threads that find no block left have counted on. */
static uint64_t blocks_started(const struct launch *la)
{
    uint64_t next = la->next_block;
    return next < la->nblocks ? next : la->nblocks;
}

void fault_no_progress(struct block *b)
{
    struct worker *k = b->worker;
    struct warp *any = NULL;
    const struct warp *own = own_lanes_wait(b);
    for (uint32_t i = 0; i < b->nwarps; i++)
        if (b->warps[i].state != WARP_DONE && (!any || (any->state != WARP_READY && b->warps[i].state == WARP_READY)))
            any = &b->warps[i];
    if (!any)
        return;
    select_waiter(any);
    if (own) {
        const struct dinst *there;
        uint64_t others = simt_other_lanes(own, &there);
        char place[500];
        fault_describe(code_of_step(own, there), there, place, sizeof place);
        fault_raise((struct warp *)(uintptr_t)own, own->spin_at, FAULT_DEADLOCK,
                    __builtin_ctzll(own->entry[own->current].mask), 0,
                    "%d lanes of a warp loop waiting for something that the warp's other lanes would do, but those "
                    "come after the loop in the SIMT stack. The first of them is lane %d, which continues at\n"
                    "    %s\n"
                    "  " FAULT_LOCK_ADVICE,
                    __builtin_popcountll(own->entry[own->current].mask), others ? __builtin_ctzll(others) : 0, place);
    } else if (any->state == WARP_READY && any->spin_at)
        fault_raise(any, any->spin_at, FAULT_DEADLOCK, __builtin_ctzll(any->entry[any->current].mask), 0,
                    "every resident block waits: the loop repeats with the same registers and no memory "
                    "changes. %llu of %llu blocks were started, %u can be resident at once",
                    (unsigned long long)blocks_started(b->launch), (unsigned long long)b->launch->nblocks,
                    b->launch->resident);
    else if (cluster_waits(b))
        fault_raise(any, fault_waiting_at(any, &any->entry[any->current]), FAULT_BARRIER,
                    __builtin_ctzll(any->entry[any->current].mask), 0,
                    "%u of the block's %u threads have arrived at the barrier of the cluster, whose other threads "
                    "have not arrived", b->cluster_arrived, b->live_threads);
    else
        fault_raise(any, fault_waiting_at(any, &any->entry[any->current]), FAULT_BARRIER,
                    __builtin_ctzll(any->entry[any->current].mask), 0,
                    "%u of the block's %u threads ended, the others wait for threads that never come",
                    b->launch->threads_per_block - b->live_threads, b->launch->threads_per_block);
    list_waiters(k->fault, b);
}
