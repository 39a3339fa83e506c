/*
 * Transactional memory of a whole GPU: its configuration, the tokens of tm.global_warps, the maximum of lanes in
 * transactions, and the serial step between two windows. In the step the protocol and the oracle process the events of
 * all SMs and partitions, in the order of cycles, SMs, warps and lanes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tm/core/tm_impl.h"

void tm_configure(struct tm_cfg *c, const struct simtx_config *config)
{
#define CONFIG_ROWS "tm/config.def"
#include "base/config/config_copy.h"
}

static const struct tm_protocol *protocol_of(const struct tm_cfg *c, const struct tm_protocol *given)
{
    const struct tm_protocol *p = given ? given : tm_protocols[c->global];
    return p || !c->shared ? p : &tm_plain;
}

bool tm_check(const struct simtx_config *c, const struct tm_protocol *protocol, uint32_t slices, char *error,
              size_t size)
{
    struct tm_cfg cfg;
    tm_configure(&cfg, c);
    const struct tm_protocol *p = protocol_of(&cfg, protocol);
    const struct tm_shared_protocol *b = tm_shared_protocols[cfg.shared];
    if (p && config_choice(c, KEY_GPU_SIMT) == SIMT_INDEPENDENT) {
        snprintf(error, size, "%s: tm.%s = %s needs gpu.simt = stack: lanes that progress independently have no "
                 "stack entries for retries", config_setting(c, KEY_GPU_SIMT).text, p->plain ? "shared" : "global",
                 p->plain ? b->name : p->name);
        return false;
    }
    return (!p || !p->check || p->check(c, slices, error, size)) && (!b || !b->check || b->check(c, error, size));
}

struct tm_gpu *tm_new(const struct simtx_config *c, const struct tm_protocol *protocol, const struct devmem *mem,
                      uint32_t sms, uint32_t slices, uint32_t warps)
{
    struct tm_cfg cfg;
    tm_configure(&cfg, c);
    const struct tm_protocol *p = protocol_of(&cfg, protocol);
    if (!p)
        return NULL;
    struct tm_gpu *t = mem_zero(1, sizeof *t, "the GPU's transactional memory");
    *t = (struct tm_gpu){
        .config = c, .cfg = cfg, .mem = mem, .protocol = p, .shared_protocol = tm_shared_protocols[cfg.shared],
        .sms = sms, .slices = slices, .warps = warps, .lanes = (uint32_t)config_int(c, KEY_GPU_WARP_SIZE),
        .base = devmem_base(mem), .core = mem_zero(sms, sizeof *t->core, "a list of cores"),
        .cores = mem_zero(sms, sizeof *t->cores, "a list of cores")
    };
    if (p->plain)
        t->cfg.watchdog = 0;
    else
        t->oracle = oracle_new(cfg.oracle, sms, slices);
    if (t->oracle && p->snapshots && p->snapshots(c))
        oracle_keep_versions(t->oracle);
    t->pairs = cfg.pairs ? pairs_new(sms) : NULL;
    if (t->oracle && p->isolation && p->isolation(c) != TM_SERIAL_KEYS)
        oracle_use_snapshots(t->oracle, p->isolation(c) == TM_SERIALISABLE_SNAPSHOT);
    t->touched = mem_zero(slices, sizeof *t->touched, "a list of slices");
    t->notes = p->notes && p->notes(c);
    t->state = p->new_gpu_state ? p->new_gpu_state(t, c) : NULL;
    return t;
}

void tm_free(struct tm_gpu *t)
{
    if (!t)
        return;
    if (t->protocol->free_gpu_state)
        t->protocol->free_gpu_state(t->state);
    oracle_free(t->oracle);
    pairs_free(t->pairs);
    free(t->core);
    free(t->cores);
    free(t->queue);
    free(t->delta);
    free(t->touched);
    free(t);
}

bool tm_global_step(const struct tm_gpu *t)
{
    return t->cfg.global_warps || (t->protocol->global_step && t->protocol->global_step(t->config));
}

uint64_t tm_private_bytes(const struct tm_gpu *t)
{
    uint64_t words = t->protocol->private_words ? t->protocol->private_words(t->config) : 0;
    return words * t->lanes * 4;
}

/* ---- tokens of tm.global_warps ---- */

static int compare_requests(const void *a, const void *b)
{
    const struct tm_request *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (x->sm != y->sm)
        return x->sm < y->sm ? -1 : 1;
    return x->slot < y->slot ? -1 : x->slot > y->slot;
}

static void take_requests(struct tm_gpu *t)
{
    uint32_t from = t->nqueue;
    for (uint32_t i = 0; i < t->sms; i++) {
        struct tm_core *c = t->core[i];
        t->tokens -= c->released;
        c->released = 0;
        for (uint32_t k = 0; k < c->nrequest; k++) {
            t->queue = mem_grow(t->queue, t->nqueue, &t->queue_cap, sizeof *t->queue,
                                "the queue for tokens of transactions");
            t->queue[t->nqueue++] = c->request[k];
        }
        c->nrequest = 0;
    }
    if (t->nqueue > from)
        qsort(t->queue + from, t->nqueue - from, sizeof *t->queue, compare_requests);
}

static void grant_tokens(struct tm_gpu *t)
{
    uint32_t n = 0;
    take_requests(t);
    for (; n < t->nqueue && t->tokens < t->cfg.global_warps; n++, t->tokens++) {
        struct tm_core *c = t->core[t->queue[n].sm];
        c->warp[t->queue[n].slot].granted = true;
        tm_wake(c, t->queue[n].slot);
    }
    t->nqueue -= n;
    if (t->nqueue && n)
        memmove(t->queue, t->queue + n, t->nqueue * sizeof *t->queue);
}

/* ---- the maximum of lanes in transactions ---- */

static int compare_deltas(const void *a, const void *b)
{
    const struct tm_delta *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->lanes > y->lanes) - (x->lanes < y->lanes);
}

/* In the same cycle lanes that leave are counted before lanes that enter. */
static void count_lanes(struct tm_gpu *t)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->sms; i++) {
        struct tm_core *c = t->core[i];
        for (uint32_t k = 0; k < c->ndelta; k++) {
            t->delta = mem_grow(t->delta, n, &t->delta_cap, sizeof *t->delta, "changes of transaction counts");
            t->delta[n++] = c->delta[k];
        }
        c->ndelta = 0;
    }
    if (n > 1)
        qsort(t->delta, n, sizeof *t->delta, compare_deltas);
    for (uint32_t k = 0; k < n; k++) {
        t->lanes_in += t->delta[k].lanes;
        t->most_lanes = t->lanes_in > t->most_lanes ? t->lanes_in : t->most_lanes;
    }
}

/* ---- a run ---- */

void tm_begin_run(struct tm_gpu *t, bool transactions)
{
    t->active = transactions;
    t->lanes_in = t->most_lanes = 0;
    t->nqueue = t->tokens = 0;
    for (uint32_t i = 0; i < t->sms; i++) {
        t->core[i]->miscounted = 0;
        tm_shared_begin_run(t->core[i]);
    }
}

bool tm_step(struct tm_gpu *t, uint64_t now)
{
    for (uint32_t i = 0; i < t->sms; i++) {
        t->core[i]->now = now;
        t->core[i]->touched = false;
    }
    if (t->touched_some)
        memset(t->touched, 0, t->slices * sizeof *t->touched);
    t->touched_some = false;
    if (t->cfg.global_warps)
        grant_tokens(t);
    count_lanes(t);
    if (t->protocol->step)
        t->protocol->step(t->state, t->cores, t->sms, now);
    if (t->oracle)
        oracle_step(t->oracle, now);
    return t->cfg.global_warps || t->protocol->step;
}

void tm_touch_slice(struct tm_gpu *t, uint32_t slice)
{
    t->touched[slice] = t->touched_some = true;
}

uint32_t tm_touched_slice(const struct tm_gpu *t, uint32_t from)
{
    for (; t->touched_some && from < t->slices; from++)
        if (t->touched[from])
            return from;
    return UINT32_MAX;
}

void tm_order_settled(struct tm_gpu *t, uint64_t order)
{
    if (t->oracle)
        oracle_settled(t->oracle, order);
}

void tm_order_turn(struct tm_gpu *t, uint32_t ticket)
{
    if (t->oracle)
        oracle_turn(t->oracle, ticket);
}

bool tm_core_touched(struct tm_core *c)
{
    return c->touched;
}

bool tm_idle(const struct tm_gpu *t)
{
    for (uint32_t i = 0; i < t->sms; i++)
        if (!tm_core_idle(t->core[i]))
            return false;
    return true;
}

/* ---- conservation ---- */

static bool equal(const char *what, uint64_t a, const char *like, uint64_t b, char *text, size_t size)
{
    if (a != b)
        snprintf(text, size, "  %s: %" PRIu64 ", %s: %" PRIu64, what, a, like, b);
    return a == b;
}

/* Every aborted attempt has exactly one reason, and every resident thread is in exactly one state. */
static bool conserved(const uint64_t *n, char *text, size_t size)
{
    static const enum stat state[] = {
#define STATE(id, name, meaning) STAT_STATE_##id,
#include "base/stats.def"
    };
    uint64_t aborts = 0, states = 0;
    for (int i = 0; i < TM_REASONS; i++)
        aborts += n[tm_reasons[i].count];
    for (size_t i = 0; i < sizeof state / sizeof *state; i++)
        states += n[state[i]];
    return equal("aborts", n[STAT_TX_ABORTS], "reasons", aborts, text, size) &&
           equal("states of threads", states, "resident thread cycles", n[STAT_STATE_THREADS], text, size);
}

/* Every lane that begins a transaction commits exactly once. */
static bool commits_match(const struct tm_gpu *t, char *text, size_t size)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < t->sms; i++)
        n += t->core[i]->miscounted;
    if (n)
        snprintf(text, size, "  %" PRIu64 " transactions of warps ended with another number of commits than of lanes",
                 n);
    return !n;
}

bool tm_end(struct tm_gpu *t, uint64_t now)
{
    return !t->protocol->end || t->protocol->end(t->state, now);
}

bool tm_finish(struct tm_gpu *t, uint64_t *count, char *text, size_t size)
{
    count[STAT_TX_MOST] = (uint64_t)t->most_lanes;
    if (t->pairs)
        pairs_finish(t->pairs, count);
    if (t->protocol->totals)
        t->protocol->totals(t->state, count);
    if (!commits_match(t, text, size))
        return false;
    if (t->protocol->consistent && !t->protocol->consistent(t->state, count, text, size))
        return false;
    for (uint32_t i = 0; i < t->sms; i++)
        if (!tm_shared_finish(t->core[i], text, size))
            return false;
    return (!t->oracle || oracle_finish(t->oracle, count, text, size)) && conserved(count, text, size);
}

struct oracle_events *tm_slice_events(struct tm_gpu *t, uint32_t slice)
{
    return t->oracle ? oracle_slice(t->oracle, slice) : NULL;
}

uint32_t tm_gpu_slices(const struct tm_gpu *t)
{
    return t->slices;
}

uint32_t tm_gpu_warps(const struct tm_gpu *t)
{
    return t->warps;
}

bool tm_gpu_has(const struct tm_gpu *t, uint64_t address)
{
    return devmem_has(t->mem, address);
}

uint64_t tm_gpu_base(const struct tm_gpu *t)
{
    return t->base;
}

void *tm_gpu_state(struct tm_gpu *t)
{
    return t->state;
}

/* ---- words in no time ---- */

void tm_use_memory(struct tm_gpu *t, const struct tm_memory *m)
{
    t->memory = *m;
}

bool tm_word_ready(const struct tm_gpu *t, uint64_t address)
{
    return !t->memory.ready || t->memory.ready(t->memory.ctx, address);
}

uint32_t tm_word_read(const struct tm_gpu *t, uint64_t address)
{
    return t->memory.ready ? t->memory.read(t->memory.ctx, address) : *(const uint32_t *)(uintptr_t)address;
}

void tm_word_write(struct tm_gpu *t, uint64_t address, unsigned bytes, uint32_t value)
{
    if (t->memory.ready) {
        t->memory.write(t->memory.ctx, address, bytes, value);
        return;
    }
    for (unsigned b = 0; b < 4; b++)
        if (bytes >> b & 1)
            ((uint8_t *)(uintptr_t)address)[b] = (uint8_t)(value >> 8 * b);
}
