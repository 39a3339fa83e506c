/*
 * Calls: arguments are copied into the callee's frame of private memory, and results into the caller's, for the lanes
 * that call. Lanes that call different functions through a register form one group a function, and the groups call one
 * after another. Functions without a body that the simulator provides execute on the host (builtin.c).
 */
#include <string.h>

#include "ptx/exec/exec.h"
#include "ptx/program/program.h"

/* The n-th 32-bit part of one lane's register. The two parts of 64 bits are adjacent; 128 bits are two arrays of 64. */
static uint32_t *register_word(char *reg, int size, int lane, int n)
{
    uint32_t *w = (uint32_t *)(void *)reg;
    return size == 4 ? w + lane : w + n / 2 * 2 * LANES + lane * 2 + n % 2;
}

/* Copies a value between a register or constant and private memory at `byte` of a frame, for the given lanes. */
static void copy_register(struct half *h, const struct frame *regs_of, const struct frame *memory_of,
                          const struct call_value *v, uint32_t byte, uint32_t lanes, bool to_memory)
{
    char *reg = v->value & OPERAND_CONST ? (char *)(uintptr_t)regs_of->code->konst + (v->value & ~OPERAND_CONST)
                : v->value & OPERAND_SPECIAL ? h->special + (v->value & ~OPERAND_SPECIAL)
                                             : h->regs + regs_of->reg_base + v->value;
    char *memory = h->local + (size_t)memory_of->local_base * LANES;
    uint32_t *word = local_word(memory, byte, 0);
    for (uint32_t m = lanes; m; m &= m - 1) {
        int i = __builtin_ctz(m);
        if (v->reg_size == 2 && to_memory)
            word[i] = ((uint16_t *)(void *)reg)[i];
        else if (v->reg_size == 2)
            ((uint16_t *)(void *)reg)[i] = (uint16_t)word[i];
        for (int part = 0; part < v->reg_size / 4; part++) {
            uint32_t *at = register_word(reg, v->reg_size, i, part);
            if (to_memory)
                word[part * LANES + i] = *at;
            else
                *at = word[part * LANES + i];
        }
    }
}

static void copy_memory(struct half *h, const struct frame *from, uint32_t from_byte, const struct frame *to,
                        uint32_t to_byte, uint32_t bytes, uint32_t lanes)
{
    const char *src = h->local + (size_t)from->local_base * LANES;
    char *dst = h->local + (size_t)to->local_base * LANES;
    for (uint32_t b = 0; b < bytes; b += 4) {
        const uint32_t *s = local_word((char *)(uintptr_t)src, from_byte + b, 0);
        uint32_t *t = local_word(dst, to_byte + b, 0);
        if (lanes == UINT32_MAX)
            memcpy(t, s, LANES * sizeof *t);
        else
            for (uint32_t m = lanes; m; m &= m - 1)
                t[__builtin_ctz(m)] = s[__builtin_ctz(m)];
    }
}

static void pass_arguments(struct warp *w, const struct call_site *s, uint32_t caller, uint32_t callee, uint64_t lanes)
{
    for (uint32_t k = 0; k < w->block->launch->warp_size / LANES; k++) {
        uint32_t part = (uint32_t)(lanes >> LANES * k);
        for (int i = 0; part && i < s->narg; i++) {
            const struct call_value *v = &s->arg[i];
            if (v->reg_size)
                copy_register(&w->half[k], &w->frame[caller], &w->frame[callee], v, v->to, part, true);
            else
                copy_memory(&w->half[k], &w->frame[caller], v->from, &w->frame[callee], v->to, v->bytes, part);
        }
    }
}

void call_leave(struct warp *w, uint32_t frame, uint64_t lanes)
{
    const struct frame *f = &w->frame[frame];
    const struct call_site *s = f->site;
    for (uint32_t k = 0; k < w->block->launch->warp_size / LANES; k++) {
        uint32_t part = (uint32_t)(lanes >> LANES * k);
        for (int i = 0; part && i < s->nret; i++) {
            const struct call_value *v = &s->ret[i];
            if (v->reg_size)
                copy_register(&w->half[k], &w->frame[f->caller], f, v, v->from, part, false);
            else
                copy_memory(&w->half[k], f, v->from, &w->frame[f->caller], v->to, v->bytes, part);
        }
    }
}

static bool enter(struct warp *w, const struct dinst *d, const struct call_site *s, const struct code *callee,
                  uint32_t caller, uint32_t ret_pc, uint64_t lanes)
{
    int frame = warp_push_frame(w, d, callee, caller, lanes);
    if (frame < 0)
        return false;
    w->frame[frame].site = s;
    pass_arguments(w, s, caller, (uint32_t)frame, lanes);
    simt_call(w, (uint32_t)frame, lanes, ret_pc);
    return true;
}

/* Equal offsets and sizes: then what the caller writes lies inside the callee's frame. */
static bool same_layout(const struct ptx_var *a, const struct ptx_var *b)
{
    for (; a && b && a->address == b->address && a->size == b->size; a = a->next)
        b = b->next;
    return !a && !b;
}

static bool same_shape(const struct ptx_func *f, const struct call_site *s)
{
    return !f->is_entry && same_layout(f->params, s->params) && same_layout(f->rets, s->rets);
}

static bool enter_indirect(struct warp *w, const struct dinst *d, const struct call_site *s, uint64_t lanes)
{
    const struct program *p = w->block->launch->program;
    uint32_t caller = simt_top(w)->frame, ret_pc = simt_top(w)->pc;
    uint64_t address[2 * LANES];
    for (uint64_t m = lanes; m; m &= m - 1) {
        int lane = __builtin_ctzll(m);
        address[lane] = ((const uint64_t *)lanes_at(&w->half[lane / LANES].l, s->pointer))[lane % LANES];
        uint64_t index = address[lane] - FUNCTION_BASE - 1;
        if (index >= p->nfuncs || !same_shape(p->func_at[index], s)) {
            fault_raise(w, d, FAULT_CALL, lane, address[lane], "indirect call: 0x%llx is not the address of a function "
                        "with this prototype", (unsigned long long)address[lane]);
            return false;
        }
    }
    while (lanes) {
        uint64_t to = address[__builtin_ctzll(lanes)], same = 0;
        for (uint64_t m = lanes; m; m &= m - 1)
            if (address[__builtin_ctzll(m)] == to)
                same |= m & -m;
        if (!enter(w, d, s, p->func_at[to - FUNCTION_BASE - 1]->code, caller, ret_pc, same))
            return false;
        lanes &= ~same;
    }
    return true;
}

/*
 * The effect of a host function cannot be undone. If it faults for one lane inside a transaction, the call executes
 * again for the lanes that remain: host_done has those for which it completed.
 */
static bool run_in_transaction(struct warp *w, const struct dinst *d, const struct builtin *b, uint64_t lanes)
{
    for (uint64_t m = lanes & ~w->tx.host_done; m; m &= m - 1) {
        b->run(w, d, m & -m);
        if (w->half[0].worker->fault)
            return false;
        w->tx.host_done |= m & -m;
    }
    w->tx.host_done = 0;
    return true;
}

static bool run_builtin(struct warp *w, const struct dinst *d, const struct builtin *b, uint64_t lanes)
{
    if (w->tx.open)
        return run_in_transaction(w, d, b, lanes);
    b->run(w, d, lanes);
    return !w->half[0].worker->fault;
}

bool call_enter(struct warp *w, const struct dinst *d, uint64_t lanes)
{
    const struct call_site *s = d->extra;
    if (s->builtin)
        return run_builtin(w, d, s->builtin, lanes);
    if (!s->target)
        return enter_indirect(w, d, s, lanes);
    return enter(w, d, s, s->target->code, simt_top(w)->frame, simt_top(w)->pc, lanes);
}
