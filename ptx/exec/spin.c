/*
 * Detection of waiting loops. A loop that returns to the same branch in the same state, while its worker changed no
 * memory, waits for another warp, so its warp yields. When every resident block waits in this way, that is a deadlock
 * (grid.c). Comparing states is expensive: a loop that makes progress is checked at growing intervals.
 */
#include "ptx/exec/control.h"

enum { SPIN_MAX = 4096, SPIN_TRIES = 8 };

/* Four independent chains; the bytes of registers and private memory are a multiple of 32. */
static uint64_t hash_words(uint64_t h, const void *at, size_t bytes)
{
    static const uint64_t odd = 0xff51afd7ed558ccdull;
    const uint64_t *p = at;
    uint64_t a = h, b = ~h, c = h * odd, d = h ^ odd;
    for (size_t k = 0; k < bytes / 8; k += 4) {
        a = (a ^ p[k]) * odd ^ a >> 29;
        b = (b ^ p[k + 1]) * odd ^ b >> 29;
        c = (c ^ p[k + 2]) * odd ^ c >> 29;
        d = (d ^ p[k + 3]) * odd ^ d >> 29;
    }
    return a ^ (b << 17 | b >> 47) ^ (c << 31 | c >> 33) ^ (d << 47 | d >> 17);
}

uint64_t warp_state(const struct warp *w)
{
    uint64_t h = w->exist ^ (uint64_t)w->attempt << 32;     /* two attempts of a transaction are two states */
    uint32_t local = 0;
    for (uint32_t i = 0; i < w->nentry; i++)
        h = ((h ^ w->entry[i].mask) * 0x9e3779b97f4a7c15ull ^ w->entry[i].pc) * 31 + w->entry[i].frame;
    for (uint32_t f = 0; f < w->nframe; f++) {
        const struct frame *fr = &w->frame[f];
        if (!fr->used)
            continue;
        h = (h ^ fr->live) * 31 + fr->ret_pc;    /* the same call from another place is progress */
        for (uint32_t i = 0; i < warp_halves(w); i++)
            h = hash_words(h, w->half[i].regs + fr->reg_base, fr->code->frame_bytes - SCRATCH_AREA);
        uint32_t end = fr->local_base + fr->code->local_bytes;
        local = end > local ? end : local;
    }
    bool stack = w->block->launch->code->stack;
    local = stack ? w->local_cap : local;
    for (uint32_t i = 0; i < warp_halves(w) && stack; i++)
        h = hash_words(h, w->half[i].top, sizeof w->half[i].top);
    for (uint32_t i = 0; i < warp_halves(w) && local; i++)
        h = hash_words(h, w->half[i].local, (size_t)local * LANES);
    return h;
}

bool spin_waits(struct warp *w, const struct dinst *d)
{
    if (!w->spin.tries) {
        w->spin.pc = d->seq;
        w->spin.hash = warp_state(w);
        w->spin.changes = w->half[0].worker->changes;
        w->spin.tries = 1;
        w->spin.seen = w->executed;
        return false;
    }
    if (d->seq != w->spin.pc && w->spin.tries++ < SPIN_TRIES)
        return false;                    /* it may be another branch of the same loop */
    bool same = d->seq == w->spin.pc && w->spin.changes == w->half[0].worker->changes && w->spin.hash == warp_state(w);
    w->spin.tries = same;
    w->spin.seen = w->executed;
    if (same) {
        w->spin.period = WARP_SPIN_FIRST;
        w->spinning = true;
        w->spin_at = d;
    } else {
        w->spin.wait = w->spin.period;
        w->spin.period = w->spin.period < SPIN_MAX ? w->spin.period * 4 : SPIN_MAX;
    }
    return same;
}

enum control_result spin_yield(struct warp *w, const struct dinst *d)
{
    if (w->tx.open) {
        fault_raise(w, d, FAULT_DEADLOCK, (int)w->tx.lane, 0,
                    "a transaction waits for something that only others can do");
        return CONTROL_STOP;
    }
    if (!warp_independent(w) || simt_all_idle(w, w->half[0].worker->changes))
        return CONTROL_STOP;
    w->spinning = false;
    return CONTROL_CONTINUE;
}

/*
 * Timing mode detects hangs by itself, so a warp with a SIMT stack repeats its loop. A group of independent lanes that
 * repeats its state yields to the warp's other groups.
 */
static void yield_to_groups(struct warp *w, const struct dinst *d)
{
    w->spin.changes = w->half[0].worker->changes;
    if (!warp_independent(w)) {
        w->spin.wait = UINT32_MAX;
        return;
    }
    if (spin_waits(w, d))
        simt_all_idle(w, w->spin.changes);
    w->spinning = false;
    w->spin.wait = 0;
}

enum control_result spin_check(struct warp *w, const struct dinst *d)
{
    if (w->block->launch->timed) {
        yield_to_groups(w, d);
        return CONTROL_CONTINUE;
    }
    return spin_waits(w, d) ? spin_yield(w, d) : CONTROL_CONTINUE;
}
