/*
 * Special registers (PTX ISA section 10). They are the third operand bank: every register is an array over the lanes,
 * a vector register four of them. Clocks are not in the bank; a step computes them when they are read.
 */
#include <stddef.h>

#include "base/num.h"
#include "ptx/program/decode.h"

struct sreg_bank {
#define X(e, s, t, v) char e[(v) ? 4 : 1][(T_##t == T_U64 ? 8 : 4) * LANES];
    PTX_SREGS(X)
#undef X
};

uint32_t ptx_sreg_offset(enum ptx_sreg s, int comp)
{
    static const struct { uint32_t at, stride; } places[SR_COUNT] = {
#define X(e, s, t, v) [SR_##e] = { offsetof(struct sreg_bank, e), (v) ? sizeof ((struct sreg_bank *)0)->e[0] : 0 },
        PTX_SREGS(X)
#undef X
    };
    return places[s].at + (uint32_t)comp * places[s].stride;
}

uint32_t ptx_sreg_bank_bytes(void)
{
    return sizeof(struct sreg_bank);
}

uint32_t ptx_sreg_used_bytes(const uint64_t *read)
{
    int w = SR_COUNT / 64;
    while (w > 0 && !read[w])
        w--;
    enum ptx_sreg after = (enum ptx_sreg)(w * 64 + (int)num_bits(read[w]));
    return after < SR_COUNT ? ptx_sreg_offset(after, 0) : ptx_sreg_bank_bytes();
}

/*
 * In functional mode the clock advances by one with every warp instruction, and the timer takes one as a nanosecond. In
 * timing mode the clock is the core cycle.
 */
static uint64_t clock_now(const struct half *h, const struct dinst *d, bool timer)
{
    const struct launch *la = h->worker->launch;
    uint64_t v = h->worker->clock ? *h->worker->clock : h->warp->executed + d->seq - h->warp->run_from;
    if (!timer)
        return v;
    if (h->worker->clock) {
        v -= la->clock_start;
        v = v / la->clock_khz * 1000000 + v % la->clock_khz * 1000000 / la->clock_khz;
    }
    return v + la->clock_base;
}

static int run_clock(struct lanes *l, const struct dinst *d)
{
    struct half *h = half_of(l);
    enum ptx_sreg s = (enum ptx_sreg)d->imm;
    uint64_t v = clock_now(h, d, s == SR_GLOBALTIMER || s == SR_GLOBALTIMER_LO || s == SR_GLOBALTIMER_HI);
    if (s == SR_CLOCK_HI || s == SR_GLOBALTIMER_HI)
        v >>= 32;
    for (int i = 0; i < LANES; i++) {
        if (!(l->mask >> i & 1))
            continue;
        if (d->size == 8)
            ((uint64_t *)lanes_at(l, d->dst))[i] = v;
        else
            ((uint32_t *)lanes_at(l, d->dst))[i] = (uint32_t)v;
    }
    h->worker->changes++;                /* a loop that waits for the clock makes progress */
    return CONTROL_NEXT;
}

static bool is_clock(enum ptx_sreg s)
{
    return s == SR_CLOCK || s == SR_CLOCK_HI || s == SR_CLOCK64 || s == SR_GLOBALTIMER ||
           s == SR_GLOBALTIMER_LO || s == SR_GLOBALTIMER_HI;
}

operand decoder_special(struct decoder *x, const struct ptx_operand *o, int *bytes)
{
    enum ptx_sreg s = (enum ptx_sreg)o->sreg;
    *bytes = ptx_type_size(ptx_sreg_type(s)) == 8 ? 8 : ptx_sreg_type(s) == T_PRED ? 0 : 4;
    if (is_clock(s)) {
        operand t = decoder_temporary(x);
        struct dinst *d = decoder_add_step(x);
        d->dst = t;
        d->imm = s;
        d->size = (uint8_t)*bytes;
        d->fn = run_clock;
        return t;
    }
    x->code->sregs[s / 64] |= 1ull << s % 64;
    return OPERAND_SPECIAL | ptx_sreg_offset(s, o->comp ? o->comp - 1 : 0);
}
