/*
 * The stack of a lane (PTX ISA 9.7.15). alloca gives a function local memory whose size is known at run time. Frames of
 * functions begin at byte 0 of a lane's private memory and grow upwards; alloca allocates from the end downwards. The
 * top is the lowest byte that is allocated. For a function that uses the stack, the tops of its lanes are saved when it
 * is called and restored when it returns.
 */
#include "base/alloc.h"
#include "ptx/exec/control.h"
#include "ptx/exec/stack.h"

void stack_start(struct warp *w)
{
    for (uint32_t i = 0; i < warp_halves(w); i++)
        for (int lane = 0; lane < LANES; lane++)
            w->half[i].top[lane] = w->local_cap;
}

static uint32_t top_of(const struct warp *w, int lane)
{
    return w->half[lane / LANES].top[lane % LANES];
}

uint32_t stack_lowest(const struct warp *w, uint64_t lanes)
{
    uint32_t lowest = w->local_cap;
    for (uint64_t m = w->block->launch->code->stack ? lanes : 0; m; m &= m - 1) {
        uint32_t top = top_of(w, __builtin_ctzll(m));
        lowest = top < lowest ? top : lowest;
    }
    return lowest;
}

void stack_save_tops(struct warp *w, uint32_t frame)
{
    if (!w->frame[frame].code->uses_stack)
        return;
    w->saved_top = mem_grow(w->saved_top, frame, &w->saved_top_cap, sizeof *w->saved_top, "the stacks of a warp");
    for (uint64_t m = w->frame[frame].live; m; m &= m - 1)
        w->saved_top[frame][__builtin_ctzll(m)] = top_of(w, __builtin_ctzll(m));
}

void stack_restore_tops(struct warp *w, uint32_t frame, uint64_t lanes)
{
    for (uint64_t m = w->frame[frame].code->uses_stack ? lanes : 0; m; m &= m - 1) {
        int lane = __builtin_ctzll(m);
        w->half[lane / LANES].top[lane % LANES] = w->saved_top[frame][lane];
    }
}

/* The first byte above the frame that executes: the stack does not go below it. */
static uint32_t floor_of(const struct warp *w)
{
    const struct frame *f = &w->frame[w->entry[w->current].frame];
    return f->local_base + f->code->local_bytes;
}

/*
 * The bytes [from, to) become the lane's. Functional mode clears them, as it clears variables, so that a result does
 * not depend on the blocks that ran before. In timing mode .param variables of ended frames may have been there.
 */
static void give(struct half *h, int lane, uint32_t from, uint32_t to)
{
    for (uint32_t byte = from; byte < to; byte += 4)
        if (h->local_device)
            h->param_lanes[byte / 4] &= ~(1u << lane);
        else
            *local_word(h->local, byte, lane) = 0;
}

bool stack_allocate(struct half *h, const struct dinst *d, int lane, uint64_t bytes, uint64_t align)
{
    struct warp *w = h->warp;
    uint32_t floor = floor_of(w), top = h->top[lane], free = top > floor ? top - floor : 0;
    uint64_t to = bytes <= free ? (top - bytes) & ~(align - 1) : 0;
    if (bytes > free || to < floor) {
        fault_raise(w, d, FAULT_STACK, lane + h->index * LANES, 0,
                    "alloca of %llu bytes: %u bytes of local memory a thread are in use, %u bytes are allowed "
                    "(cudaLimitStackSize or gpu.stack_limit raises it)", (unsigned long long)bytes,
                    w->local_cap - free, w->local_cap);
        return false;
    }
    give(h, lane, (uint32_t)to, top);
    h->top[lane] = (uint32_t)to;
    return true;
}

bool stack_restore(struct half *h, const struct dinst *d, int lane, uint64_t top)
{
    struct warp *w = h->warp;
    if (top < h->top[lane] || top > w->local_cap || top % STACK_ALIGN) {
        fault_raise(w, d, FAULT_HEAP, lane + h->index * LANES, 0,
                    "stackrestore: 0x%llx is no saved state of the stack, or what was allocated before it is freed",
                    (unsigned long long)top);
        return false;
    }
    h->top[lane] = (uint32_t)top;
    return true;
}
