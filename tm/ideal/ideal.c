/*
 * Ideal TM. A load is ordinary traffic past the L1. A store sends a packet without data; its values stay in the write
 * set until the commit. Commits are decided one after another, in the serial step after the cycle of their request, in
 * the order (cycle, SM, warp slot, lane). A lane commits if memory still has the value of each word read; its writes
 * are performed at once. Its key for the oracle is the number of the commit. With a coherence protocol a lane waits
 * while a line of its sets is in transition; a write invalidates the copies of its line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tm/ideal/ideal_impl.h"
#include "tm/oracle/oracle.h"
#include "tm/oracle/shadow_words.h"

/* ---- of the machine ---- */

static bool always(const struct simtx_config *c)
{
    (void)c;
    return true;
}

static void configure(struct ideal_cfg *c, const struct simtx_config *config)
{
#define CONFIG_ROWS "tm/ideal/config.def"
#include "base/config/config_copy.h"
}

static bool check(const struct simtx_config *c, uint32_t slices, char *error, size_t size)
{
    enum { MEMORY_MB = 16384 };      /* words with an index of 32 bits */
    struct ideal_cfg cfg;
    configure(&cfg, c);
    (void)slices;
    if (cfg.detection == IDEAL_BY_VALUE)
        return true;
    if (!num_power_of_two(cfg.signature_bits))
        snprintf(error, size, "%s: signatures need a power of two", config_setting(c, KEY_TM_SIGNATURE_BITS).text);
    else if (config_int(c, KEY_GPU_MEMORY_MB) > MEMORY_MB)
        snprintf(error, size, "%s: signatures are for at most %d MiB of device memory, not %s",
                 config_setting(c, KEY_TM_DETECTION).text, MEMORY_MB, config_setting(c, KEY_GPU_MEMORY_MB).text);
    else
        return true;
    return false;
}

static bool coherent(const struct simtx_config *c, char *why, size_t size)
{
    (void)why;
    (void)size;
    return always(c);
}

static void *new_gpu_state(struct tm_gpu *gpu, const struct simtx_config *c)
{
    struct ideal *s = mem_zero(1, sizeof *s, "ideal TM");
    s->gpu = gpu;
    configure(&s->cfg, c);
    if (s->cfg.detection != IDEAL_BY_VALUE)
        signature_init(&s->signature, s->cfg.signature_bits);
    signature_ring_init(&s->ring, &s->signature);
    return s;
}

static void free_gpu_state(void *shared)
{
    struct ideal *s = shared;
    signature_ring_free(&s->ring);
    free(s->queue);
    free(s);
}

static bool detects(const struct ideal_core *k)
{
    return k->shared->cfg.detection != IDEAL_BY_VALUE;
}

/* ---- at an SM ---- */

static void *new_core(struct tm_core *c, void *shared)
{
    struct ideal_core *k = mem_zero(1, sizeof *k, "ideal TM at an SM");
    k->c = c;
    k->shared = shared;
    if (detects(k))
        ideal_detect_new_core(k);
    return k;
}

static void free_core(void *core)
{
    struct ideal_core *k = core;
    if (detects(k))
        ideal_detect_free_core(k);
    free(k->request);
    free(k);
}

static void attempt(void *core, uint32_t slot, uint64_t lanes, uint64_t now)
{
    (void)now;
    if (detects(core))
        ideal_detect_attempt(core, slot, lanes);
}

static void load(void *core, struct tm_load *l, uint64_t now)
{
    if (detects(core) && l->fetch)
        ideal_detect_access(core, l->slot, l->fetch, l->fetch->lanes, false, now);
}

static void store(void *core, uint32_t slot, const struct mem_op *op, uint64_t lanes, uint64_t now)
{
    struct ideal_core *k = core;
    struct mem_op *f = tm_op_new(k->c, slot);
    uint8_t role = f->role;
    if (detects(k))
        ideal_detect_access(k, slot, op, lanes, true, now);
    memcpy(f, op, offsetof(struct mem_op, address));
    memcpy(f->address, op->address, sizeof f->address);
    memset(f->served_by, 0, sizeof f->served_by);
    f->next = NULL;
    f->role = role;
    f->lanes = f->served_by[SERVE_GLOBAL] = lanes;
    f->on_host = 0;
    f->path = PATH_L2;
    f->order_release = false;
    f->no_data = true;
    k->stores++;
    tm_issue(k->c, f, now);
}

static void done(void *core, struct mem_op *op, uint64_t now)
{
    struct ideal_core *k = core;
    (void)now;
    k->stores--;
    tm_op_free(k->c, op);
}

static void request_step(struct ideal_core *k, uint32_t slot, uint64_t lanes, bool validate, uint64_t now)
{
    k->request = mem_grow(k->request, k->requests, &k->requests_cap, sizeof *k->request, "commit requests");
    k->request[k->requests++] = (struct ideal_request){ now, k, slot, lanes, validate, false };
}

/* The words of these lanes are not ready: they are decided in a later step. */
static void request_again(const struct ideal_request *r, uint64_t lanes)
{
    struct ideal_core *k = r->core;
    request_step(k, r->slot, lanes, r->validate, r->at);
    k->request[k->requests - 1].waited = true;
}

static void commit(void *core, uint32_t slot, uint64_t lanes, uint64_t now)
{
    struct ideal_core *k = core;
    if (detects(k))
        k->committing[slot] |= lanes;
    request_step(k, slot, lanes, false, now);
}

static void validate(void *core, uint32_t slot, uint64_t lanes, uint64_t now)
{
    request_step(core, slot, lanes, true, now);
}

static void aborted(void *core, uint32_t slot, uint64_t lanes, uint64_t now)
{
    (void)now;
    if (detects(core))
        ideal_detect_clear(core, slot, lanes);
}

/* There are no messages. */
static void message(void *core, struct packet *p, uint64_t now)
{
    (void)core;
    (void)now;
    packet_return(p);
}

static uint64_t run(void *core, uint64_t now)
{
    (void)core;
    (void)now;
    return UINT64_MAX;
}

static bool idle(const void *core)
{
    const struct ideal_core *k = core;
    return !k->stores && !k->requests;
}

static void dump(const void *core, void (*line)(void *ctx, const char *text), void *ctx)
{
    const struct ideal_core *k = core;
    char text[80];
    snprintf(text, sizeof text, "ideal TM: %u stores in flight, %u requests for the serial step", k->stores,
             k->requests);
    line(ctx, text);
}

/* ---- the serial step ---- */

static bool ready(const struct tm_gpu *t, const struct tm_set *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (!tm_word_ready(t, s->w[i].address))
            return false;
    return true;
}

/* The lanes of these whose words are all ready. */
static uint64_t ready_lanes(const struct ideal_request *r)
{
    const struct tm_gpu *t = r->core->shared->gpu;
    uint64_t lanes = 0;
    for (uint64_t m = r->lanes; m; m &= m - 1) {
        const struct tm_lane *l = tm_lane(r->core->c, r->slot, (unsigned)__builtin_ctzll(m));
        lanes |= ready(t, &l->reads) && ready(t, &l->writes) ? m & -m : 0;
    }
    return lanes;
}

static bool current(const struct tm_gpu *t, const struct tm_lane *l)
{
    for (uint32_t i = 0; i < l->reads.n; i++)
        if (tm_word_read(t, l->reads.w[i].address) != l->reads.w[i].value)
            return false;
    return true;
}

static void write_word(struct ideal_core *k, const struct tm_word *w, uint64_t cycle)
{
    struct tm_gpu *t = k->shared->gpu;
    struct oracle_events *n = tm_slice_events(t, tm_slice(k->c, w->address));
    if (n)
        oracle_tx_write(n, w->address, tm_word_read(t, w->address), cycle);
    tm_word_write(t, w->address, w->bytes, w->value);
}

static void decide(struct ideal_core *k, uint32_t slot, unsigned lane, void *const *cores, uint32_t n, uint64_t at)
{
    const struct tm_lane *l = tm_lane(k->c, slot, lane);
    bool clean = !detects(k) || ideal_detect_may_commit(k, slot, lane), commits = clean && current(k->shared->gpu, l);
    uint64_t key = commits ? ++k->shared->commits : 0;
    for (uint32_t i = 0; commits && i < l->writes.n; i++)
        write_word(k, &l->writes.w[i], at);
    if (commits && detects(k))
        ideal_detect_committed(k, slot, lane, cores, n, at + 1);
    if (detects(k))
        ideal_detect_clear(k, slot, UINT64_C(1) << lane);
    tm_decide(k->c, slot, lane, commits, key, clean ? TM_VALIDATION : TM_SIGNATURE, at + 1);
}

static void report_validation(const struct ideal_request *r, uint64_t lanes, uint64_t at)
{
    const struct tm_gpu *t = r->core->shared->gpu;
    uint64_t good = 0;
    for (uint64_t m = lanes; m; m &= m - 1)
        good |= current(t, tm_lane(r->core->c, r->slot, (unsigned)__builtin_ctzll(m))) ? m & -m : 0;
    tm_validated(r->core->c, r->slot, good, lanes & ~good, at + 1);
}

static int in_order(const void *a, const void *b)
{
    const struct ideal_request *x = a, *y = b;
    uint16_t p = tm_sm(x->core->c), q = tm_sm(y->core->c);
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (p != q)
        return p < q ? -1 : 1;
    return x->slot < y->slot ? -1 : x->slot > y->slot;
}

static uint32_t gather(struct ideal *s, void *const *cores, uint32_t n)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct ideal_core *k = cores[i];
        for (uint32_t j = 0; j < k->requests; j++) {
            s->queue = mem_grow(s->queue, count, &s->queue_cap, sizeof *s->queue, "the queue of commits");
            s->queue[count++] = k->request[j];
        }
        k->requests = 0;
    }
    if (count > 1)
        qsort(s->queue, count, sizeof *s->queue, in_order);
    return count;
}

static void step(void *shared, void *const *cores, uint32_t n, uint64_t now)
{
    struct ideal *s = shared;
    uint32_t count = gather(s, cores, n);
    for (uint32_t i = 0; i < count; i++) {
        struct ideal_request r = s->queue[i];
        uint64_t lanes = ready_lanes(&r), at = r.waited ? now - 1 : r.at;
        if (lanes != r.lanes)
            request_again(&r, r.lanes & ~lanes);
        if (r.validate && lanes)
            report_validation(&r, lanes, at);
        for (uint64_t m = r.validate ? 0 : lanes; m; m &= m - 1)
            decide(r.core, r.slot, (unsigned)__builtin_ctzll(m), cores, n, at);
    }
}

const struct tm_protocol tm_ideal = {
    .name = "ideal", .global_step = always, .check = check, .coherent = coherent, .new_gpu_state = new_gpu_state,
    .free_gpu_state = free_gpu_state, .new_core = new_core, .free_core = free_core, .attempt = attempt, .load = load,
    .store = store, .done = done,
    .commit = commit, .aborted = aborted, .validate = validate, .message = message, .run = run, .idle = idle,
    .dump = dump, .step = step
};
