/*
 * The stack of a lane (PTX ISA 9.7.15). alloca gives a function local memory whose size is known at run time. Frames of
 * functions begin at byte 0 of a lane's private memory and grow upwards; what alloca gives begins at the end and grows
 * downwards. Where it begins now is the lane's top. A function that uses the stack keeps the top that its lanes had
 * when it was called, and they have it again when it returns.
 */
#include "ptx/exec/control.h"
#include "ptx/exec/stack.h"

static uint32_t *kept_top(struct half *h, const struct frame *f)
{
    return local_word(h->local, f->local_base + f->code->local_bytes - STACK_KEEP, 0);
}

void stack_start(struct warp *w)
{
    for (uint32_t i = 0; i < warp_halves(w); i++)
        for (int lane = 0; lane < LANES; lane++)
            w->half[i].top[lane] = w->local_cap;
}

uint32_t stack_lowest(const struct warp *w, uint64_t lanes)
{
    uint32_t lowest = w->local_cap;
    for (uint64_t m = w->block->launch->code->stack ? lanes : 0; m; m &= m - 1) {
        int lane = __builtin_ctzll(m);
        uint32_t top = w->half[lane / LANES].top[lane % LANES];
        lowest = top < lowest ? top : lowest;
    }
    return lowest;
}

void stack_keep(struct warp *w, const struct frame *f)
{
    for (uint32_t i = 0; f->code->keeps_top && i < warp_halves(w); i++) {
        uint32_t *kept = kept_top(&w->half[i], f);
        for (uint32_t m = (uint32_t)(f->live >> LANES * i); m; m &= m - 1)
            kept[__builtin_ctz(m)] = w->half[i].top[__builtin_ctz(m)];
    }
}

void stack_return(struct warp *w, const struct frame *f, uint64_t lanes)
{
    for (uint32_t i = 0; f->code->keeps_top && i < warp_halves(w); i++) {
        const uint32_t *kept = kept_top(&w->half[i], f);
        for (uint32_t m = (uint32_t)(lanes >> LANES * i); m; m &= m - 1)
            w->half[i].top[__builtin_ctz(m)] = kept[__builtin_ctz(m)];
    }
}

/* The first byte above the frame that executes: the stack does not go below it. */
static uint32_t floor_of(const struct warp *w)
{
    const struct frame *f = &w->frame[w->entry[w->current].frame];
    return f->local_base + f->code->local_bytes;
}

/* Functional mode clears variables, so that a result does not depend on the blocks that ran before. */
static void clear(struct half *h, int lane, uint32_t from, uint32_t to)
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
    clear(h, lane, (uint32_t)to, top);
    h->top[lane] = (uint32_t)to;
    return true;
}

bool stack_restore(struct half *h, const struct dinst *d, int lane, uint64_t top)
{
    struct warp *w = h->warp;
    if (top < h->top[lane] || top > w->local_cap || top % STACK_ALIGN) {
        fault_raise(w, d, FAULT_STACK, lane + h->index * LANES, 0,
                    "stackrestore: 0x%llx is not a state that stacksave gave and that is still above the stack's top",
                    (unsigned long long)top);
        return false;
    }
    h->top[lane] = (uint32_t)top;
    return true;
}
