/* The bench for the SM core, and its load/store unit: lsu.h with another inside. */
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <cmocka.h>

#include "regress/unit/timing/sm_rig.h"

/* ---- the load/store unit ---- */

enum { PENDING_MAX = 4096, LINES_MAX = 256 };

struct lsu {
    struct rig_lsu cfg;
    struct lsu_calls calls;
    struct worker atomics;
    struct { struct mem_op *op; uint64_t at; } pending[PENDING_MAX];
    uint32_t head, tail;
    struct { uint64_t line, at; bool told; } line[LINES_MAX];
    uint32_t nlines;
    uint32_t busy[512];
};

static struct rig_lsu next_lsu;

struct lsu *lsu_new(const struct lsu_cfg *c, const struct lsu_calls *calls, struct port *out, struct port *in,
                    uint64_t *count, struct hists *hists)
{
    struct lsu *u = calloc(1, sizeof *u);
    (void)c, (void)out, (void)in, (void)count, (void)hists;
    assert_non_null(u);
    u->cfg = next_lsu;
    u->calls = *calls;
    return u;
}

void lsu_free(struct lsu *u)
{
    free(u);
}

bool lsu_has_room(const struct lsu *u)
{
    return u->tail - u->head < u->cfg.room;
}

static bool counts_load(const struct mem_op *op)
{
    return op->served_by[SERVE_GLOBAL] && op->kind != MOP_STORE && op->kind != MOP_PREFETCH;
}

static bool counts_store(const struct mem_op *op)
{
    return op->served_by[SERVE_GLOBAL] && op->kind != MOP_LOAD && op->kind != MOP_PREFETCH;
}

void lsu_issue(struct lsu *u, struct mem_op *op, uint64_t now, uint32_t *loads, uint32_t *stores)
{
    assert_true(lsu_has_room(u) && op->lanes);
    *loads = counts_load(op);
    *stores = counts_store(op);
    u->busy[op->sm_slot]++;
    u->pending[u->tail % PENDING_MAX].op = op;
    u->pending[u->tail++ % PENDING_MAX].at = now + u->cfg.latency;
}

bool lsu_warp_busy(const struct lsu *u, uint32_t slot)
{
    return u->busy[slot];
}

bool lsu_all_sent(const struct lsu *u, uint32_t slot, uint32_t loads, uint32_t stores)
{
    return !u->busy[slot] && !loads && !stores;
}

void lsu_warp_ended(struct lsu *u, uint32_t slot)
{
    (void)u, (void)slot;
}

void lsu_stage(struct lsu *u, const struct order_stage *stage, void *state)
{
    (void)u, (void)stage, (void)state;
}

void lsu_acquire(struct lsu *u)
{
    (void)u;
}

bool lsu_fetch(struct lsu *u, uint64_t address, uint64_t now)
{
    uint64_t line = address / LINE_BYTES * LINE_BYTES;
    uint32_t i = 0;
    while (i < u->nlines && u->line[i].line != line)
        i++;
    if (i == u->nlines && u->cfg.line_miss) {
        assert_true(i < LINES_MAX);
        u->line[u->nlines].line = line;
        u->line[u->nlines].told = false;
        u->line[u->nlines++].at = now + u->cfg.line_miss;
    }
    return !u->cfg.line_miss || u->line[i].told;
}

static void perform(struct lsu *u, struct mem_op *op, uint64_t now)
{
    bool load = counts_load(op), store = counts_store(op);
    uint32_t slot = op->sm_slot;
    u->atomics.launch = op->warp->block->launch;
    step_perform(&u->atomics, op);
    u->busy[slot]--;
    u->calls.done(u->calls.ctx, op, now);
    if (load)
        u->calls.performed(u->calls.ctx, slot, false, now);
    if (store)
        u->calls.performed(u->calls.ctx, slot, true, now);
}

uint64_t lsu_run(struct lsu *u, uint64_t now)
{
    while (u->head != u->tail && u->pending[u->head % PENDING_MAX].at <= now)
        perform(u, u->pending[u->head++ % PENDING_MAX].op, now);
    for (uint32_t i = 0; i < u->nlines; i++)
        if (!u->line[i].told && u->line[i].at <= now) {
            u->line[i].told = true;
            u->calls.fetched(u->calls.ctx, u->line[i].line, now);
        }
    return lsu_next(u);
}

uint64_t lsu_next(const struct lsu *u)
{
    uint64_t next = u->head == u->tail ? NEVER : u->pending[u->head % PENDING_MAX].at;
    for (uint32_t i = 0; i < u->nlines; i++)
        if (!u->line[i].told && u->line[i].at < next)
            next = u->line[i].at;
    return next;
}

void lsu_settle(struct lsu *u, uint64_t until)
{
    (void)u, (void)until;
}

/* What only transactional memory, bulk copies and the oracle of program order call, which these SMs do not have. */
void lsu_check_order(struct lsu *u, struct order_check *c) { fail(); }
void lsu_background(struct lsu *u, struct mem_op *op, uint64_t now) { fail(); }
uint32_t lsu_background_queued(const struct lsu *u) { return 0; }
void lsu_banks(struct lsu *u, const struct lsu_banks *b) { fail(); }
bool lsu_can_send(const struct lsu *u) { return false; }
bool lsu_stores_wait(const struct lsu *u) { return false; }
bool lsu_has_credits(const struct lsu *u, uint64_t now) { return true; }
void lsu_send(struct lsu *u, struct packet *p) { fail(); }
uint32_t lsu_slice(const struct lsu *u, uint64_t address) { return 0; }
void lsu_invalidate_line(struct lsu *u, uint64_t address) { fail(); }
void lsu_cluster_reply(struct lsu *u, struct mem_op *op, uint64_t lanes, uint64_t now) { fail(); }
struct packet *lsu_packet(struct lsu *u, struct packet_pool *pool, unsigned kind, uint32_t slice, uint32_t bytes,
                          uint64_t now)
{
    fail();
    return NULL;
}

/* What stages of order policies call, of which these SMs have none. */
struct packet *stage_packet(struct lsu *u, unsigned kind, unsigned vn, uint64_t line, bool notification, uint64_t now)
{
    fail();
    return NULL;
}

void stage_send(struct lsu *u, struct packet *p) { fail(); }
void stage_wake(struct lsu *u, uint32_t warp) { fail(); }
enum stage_line stage_line(const struct lsu *u, uint64_t line) { return STAGE_LINE_ABSENT; }
bool stage_prefetch(struct lsu *u, const struct stage_access *a, uint32_t spare, uint64_t now) { return false; }
uint32_t lsu_count_lines(const struct lsu *u, const struct warp *w, const struct dinst *d, uint64_t lanes) { return 0; }
bool stage_has_port(const struct lsu *u) { return true; }
enum stage_overlap stage_forward(struct lsu *u, struct stage_access *load, struct stage_access *const *stores,
                                 uint32_t n, uint64_t now)
{
    return STAGE_APART;
}

const uint8_t *lsu_private_line(struct lsu *u, uint64_t line)
{
    (void)u, (void)line;
    return NULL;
}

/* For the oracle of memory ordering, which the rig does not have. */
void lsu_fence(struct lsu *u, const struct order_fence *f)
{
    (void)u, (void)f;
}

/* A coherent L1's own writes, of which there are none. */
void lsu_report_writes(struct lsu *u, const struct retire_observer *o)
{
    (void)u, (void)o;
}

/* ---- the SM ---- */

void sm_rig_open(struct sm_rig *r, const char *ptx, const struct step_shape *s)
{
    char *why = NULL;
    memset(r, 0, sizeof *r);
    if (!step_gpu_open(&r->gpu, ptx, "k", s, &why))
        fail_msg("%s", why);
    free(why);
    r->config = config_new();
    r->window = RIG_WINDOW;
    r->gpu.launch.timed = true;
    if (s->warp_size == 64)
        sm_rig_set(r, "gpu.warp_size", "64");
}

void sm_rig_set(struct sm_rig *r, const char *key, const char *value)
{
    struct diag d = { 0 };
    if (!config_set(r->config, key, value, "test", NULL, &d, 0))
        fail_msg("%s", d.text);
}

void sm_rig_build(struct sm_rig *r, const struct rig_lsu *lsu)
{
    struct diag d = { 0 };
    next_lsu = *lsu;
    sm_check(r->config, &d);
    if (d.errors)
        fail_msg("%s", d.text);
    sm_configure(&r->cfg, r->config, 0);
    r->code = tprogram_new(r->gpu.program, &r->cfg, 1 << 20);
    r->sm = sm_new(&r->cfg, NULL, NULL, NULL, NULL, r->count, &r->hists);
    uint64_t bytes = ((uint64_t)r->gpu.launch.code->local_total + r->gpu.launch.stack_bytes + 16) * r->cfg.warp_size;
    bytes = (bytes + 255) / 256 * 256;
    r->local = devmem_alloc(r->gpu.mem, bytes * r->cfg.warps, 256, MEM_DEVICE, NULL);
    assert_non_null(r->local);
    r->gpu.launch.clock_khz = (uint64_t)r->cfg.core_mhz * 1000;
    r->grid = (struct grid){ .launch = r->gpu.launch, .code = r->code, .local_base = (uint64_t)(uintptr_t)r->local,
                             .local_bytes = bytes, .resident = r->cfg.blocks };
}

static uint64_t resident_limit(const struct sm_rig *r)
{
    uint64_t n = r->cfg.warps / r->grid.launch.nwarps;
    return n < r->cfg.blocks ? n : r->cfg.blocks;
}

static void start_block(struct sm_rig *r, uint64_t at)
{
    struct block_start b = { .at = at, .linear = r->grid.next_block, .grid = &r->grid };
    if (r->grid.next_block < r->grid.launch.nblocks) {
        r->grid.next_block++;
        sm_start(r->sm, &b);
    }
}

static void take_ends(struct sm_rig *r)
{
    uint32_t n;
    const struct block_end *e = sm_ended(r->sm, &n);
    for (uint32_t i = 0; i < n; i++) {
        assert_true(e[i].grid == &r->grid && e[i].at < r->now);
        r->grid.done++;
        r->end = e[i].at;
        start_block(r, r->end + 2 * RIG_WINDOW);
    }
}

uint64_t sm_rig_run(struct sm_rig *r, uint64_t limit)
{
    r->start = r->now;
    r->grid.next_block = r->grid.done = 0;
    memset(r->count, 0, sizeof r->count);
    for (uint64_t i = 0; i < resident_limit(r); i++)
        start_block(r, r->now);
    while (r->grid.done < r->grid.launch.nblocks && !sm_fault(r->sm) && r->now - r->start < limit) {
        uint64_t next = sm_next(r->sm), until = r->now + r->window;
        if (next == NEVER)
            break;                               /* it waits for ever */
        if (!r->walk && next >= until) {
            r->now = next / r->window * r->window;
            continue;
        }
        sm_run(r->sm, until, r->walk, &(bool){ false });
        r->now = until;
        take_ends(r);
    }
    if (!sm_fault(r->sm))
        r->now = (r->now + RIG_WINDOW - 1) / RIG_WINDOW * RIG_WINDOW;
    sm_run(r->sm, r->now, r->walk, &(bool){ false });
    sm_catch_up(r->sm, r->now);
    memset(r->gpu.count, 0, sizeof r->gpu.count);
    sm_grid_count(r->sm, &r->grid);
    return r->end - r->start;
}

void sm_rig_close(struct sm_rig *r)
{
    sm_free(r->sm);
    tprogram_free(r->code);
    config_free(r->config);
    step_gpu_close(&r->gpu);
}
