/*
 * Shared memory inside transactions, at an SM. It connects the load/store unit, whose banks perform an instruction,
 * with a protocol for shared memory (shared_protocol.h). It keeps the exact sets of each lane, the resident blocks, and
 * the cycles that the protocol costs a warp.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tm/oracle/bank_oracle.h"
#include "tm/core/tm_impl.h"

/* ---- blocks ---- */

static struct tm_block *block_at(struct tm_core *c, uint32_t number)
{
    while (c->blocks <= number) {
        c->block = mem_grow(c->block, c->blocks, &c->blocks_cap, sizeof *c->block, "an SM's list of blocks");
        struct tm_block *b = c->block[c->blocks] = mem_zero(1, sizeof *b, "a block's transactional state");
        b->number = c->blocks++;
        b->oracle = bank_oracle_new(c->tm->cfg.oracle);
    }
    return c->block[number];
}

/* A block starts: no commit has accessed its words. */
static void clear_versions(const struct tm_core *c, struct tm_block *b)
{
    uint32_t words = c->tm->protocol->snapshot ? (b->bytes + 3) / 4 : 0;
    while (b->versions_cap < words)
        b->version = mem_grow(b->version, b->versions_cap, &b->versions_cap, sizeof *b->version,
                              "versions of shared memory");
    if (words)
        memset(b->version, 0, words * sizeof *b->version);
}

void tm_core_block_starts(struct tm_core *c, uint32_t number, struct block *block, const uint16_t *slot)
{
    if (!c->shared_protocol)
        return;
    struct tm_block *b = block_at(c, number);
    b->block = block;
    b->warps = block->nwarps;
    b->bytes = block->shared_bytes;
    for (uint32_t i = 0; i < b->warps; i++) {
        b->slot[i] = slot[i];
        c->warp[slot[i]].block = b;
    }
    b->running = 0;
    clear_versions(c, b);
    if (b->oracle) {
        bank_oracle_start(b->oracle, b->bytes);
        bank_oracle_running(b->oracle, false, (const uint8_t *)block->shared);
    }
    c->tm->shared_protocol->block_starts(c->shared_protocol, b);
}

void tm_core_block_ends(struct tm_core *c, uint32_t number)
{
    if (!c->shared_protocol)
        return;
    struct tm_block *b = c->block[number];
    c->tm->shared_protocol->block_ends(c->shared_protocol, b);
    if (b->oracle)
        bank_oracle_end(b->oracle, (const uint8_t *)b->block->shared, c->count);
    b->block = NULL;
}

void tm_shared_free(struct tm_core *c)
{
    if (!c->shared_protocol)
        return;
    c->tm->shared_protocol->free_core(c->shared_protocol);
    for (uint32_t i = 0; i < c->blocks; i++) {
        bank_oracle_free(c->block[i]->oracle);
        free(c->block[i]->version);
        free(c->block[i]);
    }
    free(c->block);
}

void tm_shared_begin_run(struct tm_core *c)
{
    for (uint32_t i = 0; i < c->blocks; i++)
        if (c->block[i]->oracle)
            bank_oracle_clear_findings(c->block[i]->oracle);
}

bool tm_shared_finish(struct tm_core *c, char *text, size_t size)
{
    for (uint32_t i = 0; i < c->blocks; i++)
        if (c->block[i]->oracle && bank_oracle_violated(c->block[i]->oracle, text, size))
            return false;
    return true;
}

/* ---- accesses ---- */

/* A mask of the bytes of a word that are in [from, end). */
static uint8_t bytes_of(uint64_t from, uint64_t end, uint64_t word)
{
    uint8_t bytes = 0;
    for (unsigned b = 0; b < 4; b++)
        bytes |= (uint8_t)((word + b >= from && word + b < end) << b);
    return bytes;
}

static void record_reads(struct tm_lane *l, const uint8_t *memory, uint64_t from, uint64_t end)
{
    for (uint64_t a = from & ~UINT64_C(3); a < end; a += 4) {
        uint32_t value, own_value = 0;
        uint8_t wanted = bytes_of(from, end, a) & (uint8_t)~tm_set_find(&l->shared_writes, a, &own_value);
        memcpy(&value, memory + a, 4);
        if (wanted)
            tm_set_add(&l->shared_reads, a, value, wanted);
    }
}

/* Called after the access has been performed: memory has the new values. */
static void record_writes(struct tm_lane *l, const uint8_t *memory, uint64_t from, uint64_t end)
{
    for (uint64_t a = from & ~UINT64_C(3); a < end; a += 4) {
        uint32_t value;
        memcpy(&value, memory + a, 4);
        tm_set_add(&l->shared_writes, a, value, bytes_of(from, end, a));
    }
}

static void perform(struct mem_op *op, uint64_t lanes)
{
    uint64_t all = op->served_by[SERVE_SHARED];
    op->served_by[SERVE_SHARED] = lanes;
    if (lanes)
        mem_perform_shared(op);
    op->served_by[SERVE_SHARED] = all;
}

/* The lanes own their words, so recording all reads before and all writes after the access equals recording each lane
 * separately. */
static void perform_recorded(struct tm_warp *x, struct mem_op *op, uint64_t lanes)
{
    const uint8_t *memory = (const uint8_t *)x->block->block->shared;
    for (uint64_t m = op->kind == MOP_STORE ? 0 : lanes; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctzll(m);
        record_reads(&x->lane[l], memory, op->address[l], op->address[l] + op->width);
    }
    perform(op, lanes);
    for (uint64_t m = op->kind == MOP_LOAD ? 0 : lanes; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctzll(m);
        record_writes(&x->lane[l], memory, op->address[l], op->address[l] + op->width);
    }
}

/* ---- snapshots of global memory ---- */

/* Has a commit after the lane's snapshot of global memory written the word, or, for a store, accessed it? Then the lane
 * would have to be after that commit, and its snapshot is before it. */
static bool is_stale(const struct tm_block *b, const struct mem_op *op, unsigned lane, uint64_t snapshot)
{
    uint64_t from = op->address[lane], end = from + op->width;
    for (uint64_t a = from & ~UINT64_C(3); a < end && a < b->bytes; a += 4) {
        const struct tm_word_version *v = &b->version[a / 4];
        if ((op->kind == MOP_LOAD ? v->written : v->accessed) > snapshot)
            return true;
    }
    return false;
}

static uint64_t stale_lanes(const struct tm_core *c, const struct mem_op *op, uint64_t lanes)
{
    uint64_t stale = 0;
    if (!c->tm->protocol->snapshot)
        return 0;
    uint64_t snapshot = c->tm->protocol->snapshot(c->protocol, op->sm_slot);
    for (uint64_t m = lanes; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctzll(m);
        if (is_stale(c->warp[op->sm_slot].block, op, l, snapshot))
            stale |= UINT64_C(1) << l;
    }
    return stale;
}

static void newest(uint64_t *of, uint64_t commit)
{
    *of = commit > *of ? commit : *of;
}

static void set_versions(struct tm_block *b, const struct tm_lane *l, uint64_t commit)
{
    for (uint32_t i = 0; i < l->shared_reads.n; i++)
        newest(&b->version[l->shared_reads.w[i].address / 4].accessed, commit);
    for (uint32_t i = 0; i < l->shared_writes.n; i++) {
        struct tm_word_version *v = &b->version[l->shared_writes.w[i].address / 4];
        newest(&v->written, commit);
        newest(&v->accessed, commit);
    }
}

/* ---- accesses in general ---- */

static void access_plain(struct tm_core *c, struct mem_op *op, uint64_t now)
{
    struct tm_warp *x = &c->warp[op->sm_slot];
    uint64_t lanes = op->served_by[SERVE_SHARED];
    if (c->tm->shared_protocol->plain)
        c->tm->shared_protocol->plain(c->shared_protocol, op->sm_slot, op, lanes, now);
    perform(op, lanes);
    if (op->kind != MOP_LOAD && x->block->oracle)
        bank_oracle_plain(x->block->oracle, op, lanes, (const uint8_t *)x->block->block->shared);
}

uint32_t tm_core_shared_access(void *core, struct mem_op *op, uint64_t now)
{
    struct tm_core *c = core;
    struct tm_warp *x = &c->warp[op->sm_slot];
    c->now = now;
    if (!op->warp->block->launch->tm) {
        perform(op, op->served_by[SERVE_SHARED]);
        return 0;
    }
    if (!op->attempt) {
        access_plain(c, op, now);
        return 0;
    }
    uint64_t out = x->lost | x->aborting;
    uint64_t lanes = op->served_by[SERVE_SHARED] & txn_lanes(x->warp) & ~out;
    uint64_t stale = stale_lanes(c, op, lanes);
    lanes &= ~stale;
    struct tm_access_result r = lanes ? c->tm->shared_protocol->access(c->shared_protocol, op->sm_slot, op, lanes, now)
                                  : (struct tm_access_result){ 0 };
    perform_recorded(x, op, lanes & ~r.conflicts);
    x->memory += r.cycles;
    x->lost |= r.conflicts;
    if (r.conflicts | stale)
        tm_abort(c, op->sm_slot, r.conflicts | stale, x->attempt, TM_CONFLICT, now);
    return r.cycles;
}

/* ---- attempts and outcomes ---- */

/* The SM calls this in each cycle in which it runs. A warp that is being rolled back counts as stalled only from its
 * next attempt on. */
bool tm_core_may_run(struct tm_core *c, uint32_t slot, uint64_t now)
{
    struct tm_warp *x = &c->warp[slot];
    if (!c->shared_protocol || c->tm->shared_protocol->may_run(c->shared_protocol, slot)) {
        c->count[STAT_WARP_STALLED] += x->stalled ? now - x->stalled : 0;
        x->stalled = 0;
        return true;
    }
    if (!x->stalled && !x->aborting)
        x->stalled = now;
    return false;
}

/* The oracle treats plain accesses differently while an attempt of the block runs. */
static void set_running(struct tm_warp *x, bool running)
{
    struct tm_block *b = x->block;
    if (x->running == running)
        return;
    x->running = running;
    b->running += running ? 1 : -1u;
    if (b->oracle && b->running == running)
        bank_oracle_running(b->oracle, running, (const uint8_t *)b->block->shared);
}

uint64_t tm_shared_attempt(struct tm_core *c, uint32_t slot, uint64_t lanes, bool first, uint64_t now)
{
    struct tm_warp *x = &c->warp[slot];
    uint64_t cycles = x->release;
    x->release = 0;
    /* all lanes have aborted before tx_commit, whose cycles follow here */
    if (!first && !x->committing && x->lost)
        cycles += c->tm->shared_protocol->commit(c->shared_protocol, slot, 0, now);
    if (first)
        x->entered = now;
    set_running(x, true);
    x->lost = 0;
    for (uint64_t m = lanes; m; m &= m - 1) {
        struct tm_lane *l = &x->lane[__builtin_ctzll(m)];
        tm_set_clear(&l->shared_reads);
        tm_set_clear(&l->shared_writes);
    }
    cycles += c->tm->shared_protocol->attempt(c->shared_protocol, slot, lanes, first, now);
    x->held += cycles;
    return cycles;
}

uint32_t tm_shared_commit(struct tm_core *c, uint32_t slot, uint64_t lanes, uint64_t now)
{
    const struct tm_shared_protocol *p = c->tm->shared_protocol;
    uint32_t cycles = p->commit(c->shared_protocol, slot, lanes, now);
    if (p->release_first && p->release_first(c->shared_protocol)) {
        c->warp[slot].release = cycles - (cycles != 0);
        cycles = 1;
    }
    c->warp[slot].held += cycles;
    return cycles;
}

static void commit_lane(struct tm_core *c, uint32_t slot, unsigned lane, uint64_t key,
                        const struct oracle_place *place, uint64_t now)
{
    struct tm_warp *x = &c->warp[slot];
    const struct tm_lane *l = &x->lane[lane];
    c->count[STAT_TX_SHARED_READ] += l->shared_reads.n;
    c->count[STAT_TX_SHARED_WRITE] += l->shared_writes.n;
    if (x->block->oracle) {
        struct oracle_who w = tm_who(c, slot, lane, now);
        bank_oracle_commit(x->block->oracle, &l->shared_reads, &l->shared_writes, key, place, &w);
    }
    if (place)
        set_versions(x->block, l, place->commit);
}

/* Applies outcomes of lanes before the warp does. The last lanes end the attempt. */
static void outcome(struct tm_core *c, uint32_t slot, uint64_t lanes, bool commit, uint64_t now)
{
    struct tm_warp *x = &c->warp[slot];
    uint64_t again = txn_waiting(x->warp) | (commit ? 0 : lanes);
    if (commit)
        c->tm->shared_protocol->committed(c->shared_protocol, slot, lanes, now);
    else
        c->tm->shared_protocol->aborted(c->shared_protocol, slot, lanes, now);
    if (txn_lanes(x->warp) != lanes)
        return;
    set_running(x, false);
    if (!again)
        return;
    x->to_commit = x->committing ? 0 : c->calls.cycles_to_commit(c->calls.ctx, slot);
    if (c->tm->shared_protocol->serialise(c->shared_protocol, slot, again, x->lost & again, now))
        txn_serialise(x->warp);
}

void tm_shared_committed(struct tm_core *c, uint32_t slot, unsigned lane, uint64_t key,
                         const struct oracle_place *place, uint64_t now)
{
    commit_lane(c, slot, lane, key, place, now);
    outcome(c, slot, UINT64_C(1) << lane, true, now);
}

void tm_shared_aborted(struct tm_core *c, uint32_t slot, uint64_t lanes, uint64_t now)
{
    outcome(c, slot, lanes, false, now);
}

/* Every resident cycle of a warp is counted in exactly one class; the remaining cycles are outside transactions. */
uint64_t tm_shared_ended(struct tm_core *c, uint32_t slot, uint64_t now)
{
    struct tm_warp *x = &c->warp[slot];
    uint64_t release = x->release;
    c->count[STAT_WARP_TX] += now - x->entered - x->memory - x->held;
    c->count[STAT_WARP_MEMORY] += x->memory;
    c->count[STAT_WARP_BEGIN_COMMIT] += x->held + release;
    x->memory = x->held = 0;
    x->release = 0;
    c->tm->shared_protocol->ended(c->shared_protocol, slot, now);
    return release;
}

/* ---- for protocols ---- */

uint32_t tm_cycles_to_commit(const struct tm_core *c, uint32_t slot) { return c->warp[slot].to_commit; }
void tm_charge_begin(struct tm_core *c, uint32_t slot, uint32_t cycles)
{
    c->warp[slot].held += cycles;
    c->count[STAT_WARP_STALLED] -= cycles;       /* tm_core_may_run will add them */
}

void tm_charge_execution(struct tm_core *c, uint32_t slot, uint32_t cycles) { c->warp[slot].held -= cycles; }

uint64_t tm_lanes_in(const struct tm_core *c, uint32_t slot)
{
    const struct tm_warp *x = &c->warp[slot];
    return x->lanes_in && x->warp ? txn_lanes(x->warp) : 0;
}

bool tm_may_run(const struct tm_core *c, uint32_t slot)
{
    return !c->shared_protocol || c->tm->shared_protocol->may_run(c->shared_protocol, slot);
}

void tm_resume(struct tm_core *c, uint32_t slot, uint64_t now)
{
    tm_wake(c, slot);
    if (c->warp[slot].lanes_in && c->tm->protocol->may_run)
        c->tm->protocol->may_run(c->protocol, slot, now);
}

uint32_t tm_shared_word(const struct tm_core *c, uint32_t slot, uint64_t offset)
{
    enum { WORD_BITS = 16, BLOCK_BITS = 6 };
    uint32_t block = (uint32_t)c->sm << BLOCK_BITS | c->warp[slot].block->number;
    return UINT32_C(1) << 31 | block << WORD_BITS | (uint32_t)(offset / 4);
}

bool tm_committing(const struct tm_core *c, uint32_t slot)
{
    return tm_lanes_in(c, slot) && c->warp[slot].committing;
}
