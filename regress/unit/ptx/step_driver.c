/* See step_driver.h. */
#include "regress/unit/ptx/step_driver.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ptx/memory/async_copy.h"

/* ---- performing ---- */

static void store_masked(uint8_t *to, const uint8_t *line, const uint64_t mask[2])
{
    for (unsigned i = 0; i < 128; i++)
        if (mask[i / 64] >> i % 64 & 1)
            to[i] = line[i];
}

static void perform_line(struct worker *k, struct mem_op *op, uint64_t lanes, unsigned piece, uint64_t line)
{
    uint8_t *at = (uint8_t *)(uintptr_t)line, image[128] = { 0 };
    uint64_t mask[2] = { 0 };
    struct atom_payload a;
    switch (op->kind) {
    case MOP_LOAD: mem_load_line(op, lanes, piece, at); break;
    case MOP_STORE:
        mem_store_line(op, lanes, piece, image, mask);
        store_masked(at, image, mask);
        break;
    case MOP_ATOM:
    case MOP_RED:
        mem_atomic_request(op, lanes, &a);
        mem_atomic_perform(k, line, &a);
        if (op->kind == MOP_ATOM)
            mem_atomic_reply(op, lanes, &a);
        break;
    default: break;
    }
}

static void perform_lines(struct worker *k, struct mem_op *op, enum mem_server s)
{
    for (unsigned piece = 0; piece < mem_pieces(op, s); piece++)
        for (uint64_t left = op->served_by[s]; left;) {
            uint64_t line = (op->address[__builtin_ctzll(left)] & ~127ull) + 128 * piece, same = 0;
            for (uint64_t m = left; m; m &= m - 1)
                if ((op->address[__builtin_ctzll(m)] & ~127ull) + 128 * piece == line)
                    same |= m & -m;
            perform_line(k, op, same, piece, line);
            left &= ~same;
        }
}

void step_perform(struct worker *k, struct mem_op *op)
{
    for (int s = 0; s < SERVERS; s++)
        if (s != SERVE_SHARED)
            perform_lines(k, op, (enum mem_server)s);
    mem_perform_shared(op);
    if (op->to_shared)
        async_copy_arrived(op);
}

/* ---- running ---- */

/* One instruction of a warp, if it is ready. False: a fault. */
static bool step_warp(struct step_gpu *g, struct warp *w, struct worker *atomics)
{
    struct mem_op op;
    struct step s;
    const struct code *code;
    const struct dinst *d = warp_peek(w, &code);
    if (!d || d != warp_peek(w, &code))
        return w->state != WARP_FAULT && !d;
    g->clock++;
    op.lanes = 0;
    if (warp_step(w, &s, &op) == STEP_FAULT || s.d != d)
        return false;
    if (op.lanes)
        step_perform(atomics, &op);
    return true;
}

/* All warps of a block, one instruction each in turn, until they end. */
static bool run_block(struct step_gpu *g, struct block *b, uint64_t linear, struct worker *atomics)
{
    block_start(b, linear, (uint32_t)(linear % g->launch.sms));
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t i = 0; i < b->nwarps; i++) {
            struct warp *w = &b->warps[i];
            moved |= w->state == WARP_READY;
            if (w->state == WARP_READY && !step_warp(g, w, atomics))
                return false;
        }
    }
    for (uint32_t i = 0; i < b->nwarps; i++)
        if (b->warps[i].state != WARP_DONE) {
            fault_no_progress(b);
            return false;
        }
    b->worker->count[STAT_BLOCKS]++;
    return true;
}

/* A block context with its private memory in device memory. */
static struct block *context(struct step_gpu *g, struct worker *k, void **local)
{
    struct block *b = block_new(k);
    uint64_t bytes = (uint64_t)b->warps[0].local_cap * LANES;
    *local = devmem_alloc(g->mem, (bytes + 128) * b->nwarps * MAX_HALVES, 256, MEM_DEVICE, NULL);
    if (!*local)
        abort();
    bytes = (bytes + 127) & ~127ull;
    for (uint32_t i = 0; i < b->nwarps * MAX_HALVES; i++)
        b->warps[i / MAX_HALVES].half[i % MAX_HALVES].local_device = (uint64_t)(uintptr_t)*local + i * bytes;
    return b;
}

bool step_run(struct step_gpu *g)
{
    struct launch *la = &g->launch;
    struct worker *k = mem_zero(2, sizeof *k, "workers");
    void *local;
    la->timed = true;
    la->clock_khz = 1000000;
    k->launch = la;
    k->clock = &g->clock;
    k[1].launch = la;
    struct block *b = context(g, k, &local);
    for (uint64_t i = 0; i < la->nblocks && !k->fault; i++)
        run_block(g, b, i, &k[1]);
    if (k->fault)
        la->fault = *k->fault;
    stats_add(la->count, k->count);
    block_free(b);
    devmem_release(g->mem, local);
    bool ok = !k->fault && k->count[STAT_BLOCKS] == la->nblocks;
    free(k);
    return ok;
}

/* ---- a device ---- */

static void print(void *owner, const char *text, size_t len)
{
    struct step_gpu *g = owner;
    g->printed = mem_resize(g->printed, g->printed_len + len + 1, 1, "printed text");
    memcpy(g->printed + g->printed_len, text, len);
    g->printed_len += len;
    g->printed[g->printed_len] = 0;
}

static void *heap_alloc(void *owner, uint64_t bytes)
{
    struct step_gpu *g = owner;
    return devmem_alloc(g->mem, bytes, 256, MEM_HEAP, NULL);
}

static bool heap_free(void *owner, void *p)
{
    struct step_gpu *g = owner;
    return devmem_release(g->mem, p);
}

static struct program *load(struct step_gpu *g, const char *ptx, const struct step_shape *s, struct diag *d)
{
    struct ptx_module *m = ptx_parse(ptx, strlen(ptx), "test", d);
    struct ptx_module *linked = m ? ptx_link(&m, 1, d) : NULL;
    uint64_t param = (uint64_t)(uintptr_t)g->param;
    struct program_options o = {
        .isa = lanes_best_isa(), .independent = s->independent, .warp_size = s->warp_size, .param_address = param,
        .const_max = 65536
    };
    return linked ? program_load(linked, g->mem, &o, d) : NULL;
}

static void fill_launch(struct step_gpu *g, const struct ptx_func *f, const struct step_shape *s)
{
    const struct code *c = func_code(f);
    g->launch = (struct launch){
        .program = g->program, .code = c, .mem = g->mem, .grid = { s->grid, 1, 1 }, .block = { s->block, 1, 1 },
        .nblocks = s->grid, .threads_per_block = s->block, .warp_size = s->warp_size,
        .nwarps = (s->block + s->warp_size - 1) / s->warp_size, .dynamic_shared = s->dynamic_shared,
        .shared_bytes = (c->uses_dynamic ? g->program->dynamic_offset : c->shared_end) + s->dynamic_shared,
        .param = g->param, .resident = 64, .sms = s->sms ? s->sms : 1, .stack_bytes = 4096,
        .quantum = s->quantum ? s->quantum : 1 << 14, .block_quantum = 1 << 18, .host_threads = 1, .serial = true,
        .owner = g, .print = print, .heap_alloc = heap_alloc, .heap_free = heap_free,
        .count = g->count,
    };
    for (const struct ptx_var *v = f->params; v; v = v->next)
        g->launch.param_bytes = (uint32_t)(v->address + v->size);
}

bool step_gpu_open(struct step_gpu *g, const char *ptx, const char *name, const struct step_shape *s, char **why)
{
    struct diag d = { .file = "test", .source = ptx, .source_len = strlen(ptx) };
    memset(g, 0, sizeof *g);
    g->mem = devmem_new(0, 64 << 20);
    g->param = g->mem ? devmem_alloc(g->mem, PARAM_MAX, 256, MEM_PARAMETERS, "kernel parameters") : NULL;
    if (!g->param)
        abort();
    g->program = load(g, ptx, s, &d);
    struct ptx_func *f = g->program ? ptx_find_func(g->program->module, name) : NULL;
    *why = d.text;
    if (!f) {
        step_gpu_close(g);
        return false;
    }
    fill_launch(g, f, s);
    return true;
}

void step_gpu_close(struct step_gpu *g)
{
    program_free(g->program, g->mem);
    devmem_free(g->mem);
    free(g->printed);
}

void *step_gpu_alloc(struct step_gpu *g, size_t bytes)
{
    return devmem_alloc(g->mem, bytes, 256, MEM_DEVICE, NULL);
}
