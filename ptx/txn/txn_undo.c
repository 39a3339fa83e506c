/*
 * Rollback of an aborted lane to the state after tx_begin (txn.h). tx_begin copies the registers and call parameters of
 * the function that begins the transaction. A word of .local memory is saved when a lane first stores to it. Functions
 * called inside have registers of their own.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ptx/memory/access.h"
#include "ptx/exec/control.h"
#include "ptx/txn/txn_state.h"

static const struct frame *begin_frame(const struct warp *w)
{
    return &w->frame[w->tx.begin_frame];
}

static uint32_t register_bytes(const struct frame *f)
{
    return f->code->frame_bytes - SCRATCH_AREA;
}

/* ---- registers ---- */

static void save_registers(struct warp *w)
{
    struct txn_undo *u = &w->txn->undo;
    const struct frame *f = begin_frame(w);
    uint32_t n = register_bytes(f);
    for (uint32_t i = 0; i < warp_halves(w); i++) {
        if (n > u->regs_cap || !u->regs[i]) {
            free(u->regs[i]);
            u->regs[i] = mem_aligned(64, n + 64, "registers to be restored");
        }
        memcpy(u->regs[i], w->half[i].regs + f->reg_base, n);
        u->cc[i] = w->half[i].l.cc;
    }
    u->regs_cap = n > u->regs_cap ? n : u->regs_cap;
}

static uint32_t mixed(uint32_t now, uint32_t old, uint32_t lanes)
{
    return (now & ~lanes) | (old & lanes);
}

/* The lanes' columns of `rows` registers. */
#define RESTORE_COLUMNS(BITS)                                                                               \
    static void restore_##BITS(void *to, const void *from, uint32_t rows, uint32_t lanes)                  \
    {                                                                                                       \
        uint##BITS##_t *now = to, take[LANES];                                                              \
        const uint##BITS##_t *old = from;                                                                   \
        for (uint32_t i = 0; i < LANES; i++)                                                                \
            take[i] = (uint##BITS##_t)(0 - (uint64_t)(lanes >> i & 1));                                     \
        for (uint32_t k = 0; k < rows; k++, now += LANES, old += LANES)                                     \
            _Pragma("omp simd") for (uint32_t i = 0; i < LANES; i++)                                        \
                now[i] = (uint##BITS##_t)((now[i] & ~take[i]) | (old[i] & take[i]));                        \
    }

RESTORE_COLUMNS(16)
RESTORE_COLUMNS(32)
RESTORE_COLUMNS(64)

static void restore_predicates(uint32_t *to, const uint32_t *from, uint32_t n, uint32_t lanes)
{
    for (uint32_t k = 0; k < n; k++)
        to[k] = mixed(to[k], from[k], lanes);
}

static void restore_registers(struct warp *w, uint32_t i, uint32_t lanes)
{
    const struct txn_undo *u = &w->txn->undo;
    const struct code *c = begin_frame(w)->code;
    const uint32_t *slots = c->flow->slots, *at = c->class_base;
    char *to = w->half[i].regs + begin_frame(w)->reg_base;
    const char *from = u->regs[i];
    restore_64(to + at[RC_128], from + at[RC_128], slots[RC_128] * 2, lanes);
    restore_64(to + at[RC_64], from + at[RC_64], slots[RC_64], lanes);
    restore_32(to + at[RC_32], from + at[RC_32], slots[RC_32], lanes);
    restore_16(to + at[RC_16], from + at[RC_16], slots[RC_16], lanes);
    restore_predicates((uint32_t *)(void *)(to + at[RC_PRED]), (const uint32_t *)(const void *)(from + at[RC_PRED]),
                       slots[RC_PRED], lanes);
    w->half[i].l.cc = mixed(w->half[i].l.cc, u->cc[i], lanes);
}

/* ---- parameters ---- */

typedef void word_fn(uint32_t *memory, uint32_t *saved, uint32_t lanes);

static void save_word(uint32_t *memory, uint32_t *saved, uint32_t lanes)
{
    (void)lanes;
    memcpy(saved, memory, LANES * sizeof *saved);
}

static void restore_word(uint32_t *memory, uint32_t *saved, uint32_t lanes)
{
    restore_32(memory, saved, 1, lanes);
}

/* Calls fn for every .param word of the frame and its saved copy; returns the number of words. */
static uint32_t each_param(struct warp *w, uint32_t i, uint32_t lanes, word_fn *fn)
{
    const struct frame *f = begin_frame(w);
    uint32_t n = 0;
    for (uint32_t k = 0; k < (f->code->local_bytes + 127) / 128; k++)
        for (uint32_t m = f->code->param_words[k]; m; m &= m - 1, n++) {
            uint32_t byte = f->local_base + (k * 32 + (uint32_t)__builtin_ctz(m)) * 4;
            if (fn)
                fn(local_word(w->half[i].local, byte, 0), w->txn->undo.params[i] + n * LANES, lanes);
        }
    return n;
}

static void save_params(struct warp *w)
{
    struct txn_undo *u = &w->txn->undo;
    uint32_t n = each_param(w, 0, 0, NULL);
    for (uint32_t i = 0; n && i < warp_halves(w); i++) {
        if (n > u->params_cap || !u->params[i]) {
            free(u->params[i]);
            u->params[i] = mem_alloc((size_t)n * LANES, sizeof *u->params[i], "parameters to be restored");
        }
        each_param(w, i, UINT32_MAX, save_word);
    }
    u->params_cap = n > u->params_cap ? n : u->params_cap;
}

/* ---- .local memory ---- */

static uint64_t line_of(const struct half *h, uint32_t word)
{
    return h->local_device + (uint64_t)word * LANES * 4;
}

static struct txn_undo_row *row_of(struct warp *w, uint32_t i, uint32_t word)
{
    struct txn_undo *u = &w->txn->undo;
    if (!u->row_of[i])
        u->row_of[i] = mem_zero(w->local_cap / 4 + 1, sizeof *u->row_of[i], "local memory to be restored");
    uint32_t *at = &u->row_of[i][word];
    if (*at)
        return &u->row[*at - 1];
    u->row = mem_grow(u->row, u->rows, &u->row_cap, sizeof *u->row, "local memory to be restored");
    u->row[u->rows] = (struct txn_undo_row){ .word = word, .half = i };
    *at = ++u->rows;
    return &u->row[*at - 1];
}

static void save_local_word(struct warp *w, uint32_t i, uint32_t word, uint32_t lanes)
{
    struct txn_undo_row *r = row_of(w, i, word);
    const struct worker *k = w->half[i].worker;
    uint64_t line = line_of(&w->half[i], word);
    lanes &= ~r->lanes;
    if (!lanes)
        return;
    const uint8_t *there = k->private_line ? k->private_line(k->private_ctx, line) : NULL;
    restore_32(r->old, there ? (const void *)there : (const void *)(uintptr_t)line, 1, lanes);
    r->lanes |= lanes;
}

/* One piece of a store: for each word that it writes, the lanes that write it. */
static void save_piece(struct warp *w, const struct mem_op *op, uint32_t i, uint32_t lanes, uint32_t piece)
{
    const uint64_t *address = op->address + LANES * i;
    uint64_t base = w->half[i].local_device;
    while (lanes) {
        uint64_t word = (address[__builtin_ctz(lanes)] - base) / (LANES * 4);
        uint32_t same = 0;
        for (uint32_t m = lanes; m; m &= m - 1)
            if ((address[__builtin_ctz(m)] - base) / (LANES * 4) == word)
                same |= m & -m;
        save_local_word(w, i, (uint32_t)word + piece, same);
        lanes &= ~same;
    }
}

void txn_save_stored(struct warp *w, const struct mem_op *op)
{
    for (uint32_t i = 0; i < warp_halves(w); i++)
        for (uint32_t piece = 0; piece < mem_pieces(op, SERVE_LOCAL); piece++)
            save_piece(w, op, i, (uint32_t)(op->served_by[SERVE_LOCAL] >> LANES * i), piece);
}

static void write_private(const struct worker *k, uint64_t address, const void *bytes, unsigned n)
{
    if (k->private_write)
        k->private_write(k->private_ctx, address, bytes, n);
    else
        memcpy((void *)(uintptr_t)address, bytes, n);
}

/* Adjacent lanes are written together. */
static void restore_row(const struct warp *w, struct txn_undo_row *r, uint32_t lanes)
{
    const struct half *h = &w->half[r->half];
    r->lanes &= ~lanes;
    while (lanes) {
        unsigned first = (unsigned)__builtin_ctz(lanes), n = 1;
        while (first + n < LANES && lanes >> (first + n) & 1)
            n++;
        write_private(h->worker, line_of(h, r->word) + first * 4, r->old + first, n * 4);
        lanes &= ~(uint32_t)(mask_all(n) << first);
    }
}

/* ---- begin and rollback ---- */

static void clear_rows(struct txn_undo *u)
{
    for (uint32_t i = 0; i < u->rows; i++)
        u->row_of[u->row[i].half][u->row[i].word] = 0;
    u->rows = 0;
}

void txn_undo_begin(struct warp *w)
{
    clear_rows(&w->txn->undo);
    save_registers(w);
    save_params(w);
    for (uint32_t i = 0; i < warp_halves(w); i++)
        memcpy(w->txn->undo.top[i], w->half[i].top, sizeof w->half[i].top);
}

void txn_undo_lanes(struct warp *w, uint64_t lanes)
{
    struct txn_undo *u = &w->txn->undo;
    for (uint32_t i = 0; i < warp_halves(w); i++) {
        uint32_t part = (uint32_t)(lanes >> LANES * i);
        if (!part)
            continue;
        restore_registers(w, i, part);
        each_param(w, i, part, restore_word);
        restore_32(w->half[i].top, u->top[i], 1, part);
    }
    for (uint32_t k = 0; k < u->rows; k++)
        restore_row(w, &u->row[k], u->row[k].lanes & (uint32_t)(lanes >> LANES * u->row[k].half));
}

void txn_undo_free(struct txn_undo *u)
{
    for (int i = 0; i < MAX_HALVES; i++) {
        free(u->regs[i]);
        free(u->params[i]);
        free(u->row_of[i]);
    }
    free(u->row);
}
