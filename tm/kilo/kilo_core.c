/* KILO TM's functions of a protocol, which those that build on it share: its state at an SM and of the machine, and the
 * commit-ID allocator. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "tm/kilo/log_unit.h"

/* ---- messages, batches, commit IDs ---- */

void kilo_count(struct kilo_core *k, const struct packet *p)
{
    static const struct { enum stat packets, bytes; } counter[] = {
#define MESSAGE(name, counter) [KILO_##name - KILO_READ_SET] = { STAT_MSG_##counter, STAT_MSG_##counter##_BYTES },
        KILO_MESSAGES(MESSAGE)
#undef MESSAGE
    };
    tm_count(k->tm)[counter[p->kind - KILO_READ_SET].packets]++;
    tm_count(k->tm)[counter[p->kind - KILO_READ_SET].bytes] += p->bytes;
}

struct packet *kilo_message(struct kilo_core *k, enum kilo_kind kind, uint32_t slice, uint64_t lanes, bool entries,
                            const struct kilo_batch *b)
{
    uint32_t n = entries ? (uint32_t)__builtin_popcountll(lanes) : 0;
    struct packet *p = tm_packet(k->tm, kind, slice, n * (uint32_t)sizeof(struct kilo_entry));
    struct kilo_payload *x = p->payload;
    x->batch = b;
    x->lanes = lanes;
    kilo_count(k, p);
    packet_push(&k->out, p);
    return p;
}

struct kilo_core_batch *kilo_batch_new(struct kilo_core *k)
{
    struct kilo_core_batch *b = k->batches;
    while (b && (b->busy || b->last >= k->gpu->oldest))
        b = b->next;
    if (!b) {
        b = arena_alloc(k->arena, sizeof *b);
        b->next = k->batches;
        k->batches = b;
    }
    b->b = (struct kilo_batch){ .sm = tm_sm(k->tm) };
    b->last = 0;
    b->busy = true;
    return b;
}

void kilo_request_cids(struct kilo_core *k, struct kilo_core_batch *b, uint64_t now)
{
    k->cid_request = mem_grow(k->cid_request, k->cid_requests, &k->cid_request_cap, sizeof *k->cid_request,
                              "commit-ID requests");
    b->last = UINT64_MAX;
    k->cid_request[k->cid_requests++] = (struct kilo_cid_request){ now, tm_sm(k->tm), b->b.slot, b };
}

static int compare_requests(const void *a, const void *b)
{
    const struct kilo_cid_request *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (x->sm != y->sm)
        return x->sm < y->sm ? -1 : 1;
    return x->slot < y->slot ? -1 : x->slot > y->slot;
}

static void collect_requests(struct kilo_gpu *s, void *const *cores, uint32_t n)
{
    uint32_t from = s->cid_requests;
    for (uint32_t i = 0; i < n; i++) {
        struct kilo_core *k = cores[i];
        s->cid_request = mem_grow(s->cid_request, s->cid_requests + k->cid_requests, &s->cid_request_cap,
                                  sizeof *s->cid_request, "commit-ID requests");
        if (k->cid_requests)
            memcpy(s->cid_request + s->cid_requests, k->cid_request, k->cid_requests * sizeof *k->cid_request);
        s->cid_requests += k->cid_requests;
        k->cid_requests = 0;
    }
    if (s->cid_requests > from + 1)
        qsort(s->cid_request + from, s->cid_requests - from, sizeof *s->cid_request, compare_requests);
}

/* Would the next IDs wrap around (kilotm.cid_bits) while older ones are in flight? */
static bool wraps(const struct kilo_gpu *s, uint32_t lanes)
{
    return s->cfg.cid_bits && (s->next_cid + lanes - 1) >> s->cfg.cid_bits != s->last_epoch && s->oldest < s->next_cid;
}

/*
 * The commit-ID allocator: requests are served in the order of (cycle, SM, warp slot). No message of a batch arrives in
 * the window in which its IDs are requested, so allocating them at the end of the window is early enough.
 */
static void allocate_cids(struct kilo_gpu *s, void *const *cores, uint32_t n, uint64_t now)
{
    uint32_t given = 0;
    collect_requests(s, cores, n);
    for (; given < s->cid_requests; given++) {
        struct kilo_core_batch *b = s->cid_request[given].batch;
        uint32_t lanes = (uint32_t)__builtin_popcountll(b->b.lanes);
        if (wraps(s, lanes))
            break;
        b->b.first_cid = s->next_cid;
        s->next_cid += lanes;
        b->last = s->next_cid - 1;
        s->last_epoch = s->cfg.cid_bits ? b->last >> s->cfg.cid_bits : 0;
        if (s->cfg.cid_bits)
            kilo_cids_allocated(cores[s->cid_request[given].sm], s->cid_request[given].slot, now);
    }
    s->cid_requests -= given;
    if (s->cid_requests && given)
        memmove(s->cid_request, s->cid_request + given, s->cid_requests * sizeof *s->cid_request);
}

static void find_oldest(struct kilo_gpu *s)
{
    s->oldest = UINT64_MAX;
    for (uint32_t i = 0; i < s->slices; i++) {
        uint64_t oldest = cu_oldest(s->unit[i]);
        s->oldest = oldest < s->oldest ? oldest : s->oldest;
    }
}

/* The published watchdog: compares read sets with memory at once. */
static void compare(struct kilo_core *k, uint64_t now)
{
    for (uint32_t slot = 0; slot < k->slots; slot++) {
        uint64_t lanes = k->warp[slot].to_compare, stale = 0;
        for (uint64_t m = lanes; m; m &= m - 1) {
            const struct tm_set *r = &tm_lane(k->tm, slot, (unsigned)__builtin_ctzll(m))->reads;
            for (uint32_t i = 0; i < r->n; i++)
                if (memcmp((const void *)(uintptr_t)r->w[i].address, &r->w[i].value, 4))
                    stale |= m & -m;
        }
        k->warp[slot].to_compare = 0;
        if (lanes)
            tm_validated(k->tm, slot, lanes & ~stale, stale, now);
    }
}

void kilo_step(void *gpu_state, void *const *cores, uint32_t n, uint64_t now)
{
    struct kilo_gpu *s = gpu_state;
    find_oldest(s);
    allocate_cids(s, cores, n, now);
    for (uint32_t i = 0; s->cfg.watchdog_ideal && i < n; i++)
        compare(cores[i], now);
}

bool kilo_consistent(void *gpu_state, const uint64_t *count, char *error, size_t size)
{
    const struct kilo_gpu *s = gpu_state;
    uint64_t outcomes = count[STAT_MSG_PASS] + count[STAT_MSG_FAIL], passed = count[STAT_MSG_CU_PASS];
    for (uint32_t i = 0; i < s->slices; i++) {
        uint64_t wrong = s->wrong_address[i];
        s->wrong_address[i] = 0;
        if (wrong) {
            snprintf(error, size, "the commit unit of slice %u has received a log entry for 0x%llx, which is not in "
                     "device memory, or belongs to another slice", i, (unsigned long long)(s->base + wrong - 1));
            return false;
        }
        if (!cu_consistent(s->unit[i], error, size))
            return false;
    }
    if (s->group_outcomes || s->warps.group_replies || outcomes == passed)
        return true;
    snprintf(error, size, "  outcomes sent to commit units: %" PRIu64 ", validations passed there: %" PRIu64, outcomes,
             passed);
    return false;
}

/* ---- start and end ---- */

enum { TRANSFERS_IN_CHUNK = 4, OPS_IN_CHUNK = 64 };

static void configure(struct kilo_cfg *c, const struct simtx_config *config)
{
#define CONFIG_ROWS "tm/kilo/config.def"
#include "base/config/config_copy.h"
}

void *kilo_new_core(struct tm_core *tm, void *gpu_state)
{
    const struct simtx_config *c = tm_config(tm);
    struct cu_cfg unit;
    cu_configure(&unit, c);
    struct kilo_core *k = mem_zero(1, sizeof *k, "KILO TM at an SM");
    *k = (struct kilo_core){
        .tm = tm, .gpu = gpu_state, .lanes = tm_warp_lanes(tm), .slices = tm_slices(tm), .slots = tm_slots(tm),
        .base = tm_memory_base(tm), .ring = unit.ring,
        .last_use = !unit.read_buffer && !unit.write_buffer && !unit.buffers
    };
    configure(&k->cfg, c);
    k->filter_words = (k->cfg.own_filter_bits + 63) / 64;
    k->credits = k->ring / (uint32_t)config_int(c, KEY_GPU_SMS);
    k->arena = arena_new();
    pool_init(&k->transfers, sizeof(struct kilo_transfer), TRANSFERS_IN_CHUNK, "transfers of logs");
    pool_init(&k->ops, sizeof(struct kilo_log_op), OPS_IN_CHUNK, "accesses to logs");
    k->credit_queue = arena_alloc(k->arena, k->slots * sizeof *k->credit_queue);
    k->warp = arena_alloc(k->arena, k->slots * sizeof *k->warp);
    for (uint32_t i = 0; k->filter_words && i < k->slots; i++)
        k->warp[i].filter = arena_alloc(k->arena, (size_t)k->filter_words * KILO_LANES * sizeof(uint64_t));
    return k;
}

void kilo_free_core(void *core)
{
    struct kilo_core *k = core;
    arena_free(k->arena);
    pool_end(&k->transfers);
    pool_end(&k->ops);
    free(k->cid_request);
    free(k);
}

void *kilo_new_gpu_state(struct tm_gpu *t, const struct simtx_config *c)
{
    struct kilo_gpu *s = mem_zero(1, sizeof *s, "KILO TM");
    *s = (struct kilo_gpu){
        .config = c, .next_cid = 1, .oldest = 1, .slices = tm_gpu_slices(t), .base = tm_gpu_base(t)
    };
    configure(&s->cfg, c);
    s->unit = mem_zero(s->slices, sizeof(struct commit_unit *), "commit units");
    s->wrong_address = mem_zero(s->slices, sizeof *s->wrong_address, "commit units");
    return s;
}

void kilo_free_gpu_state(void *gpu_state)
{
    struct kilo_gpu *s = gpu_state;
    free(s->unit);
    free(s->wrong_address);
    free(s->cid_request);
    free(s);
}

bool kilo_check(const struct simtx_config *c, uint32_t slices, const char *name, char *error, size_t size)
{
    enum { MEMORY_MB = 4096, SLICES = 64, MIN_BITS = 8 };
    struct kilo_cfg core;
    struct cu_cfg cu;
    configure(&core, c);
    cu_configure(&cu, c);
    if (config_int(c, KEY_GPU_MEMORY_MB) > MEMORY_MB)
        snprintf(error, size, "%s: log entries of tm.global = %s hold addresses of 32 bits, so gpu.memory_mb must be "
                 "at most %d (--set gpu.memory_mb=%d)", config_setting(c, KEY_GPU_MEMORY_MB).text, name, MEMORY_MB,
                 MEMORY_MB);
    else if (slices > SLICES)
        snprintf(error, size, "%s, %s: tm.global = %s supports at most %d L2 slices, not %u",
                 config_setting(c, KEY_DRAM_CHANNELS).text, config_setting(c, KEY_L2_SLICES).text, name, SLICES,
                 slices);
    else if (!config_int(c, KEY_L1_KB) || !config_bool(c, KEY_L1_LOCAL_WRITEBACK))
        snprintf(error, size, "%s, %s: tm.global = %s keeps logs in L1, so l1.kb must be more than 0 and "
                 "l1.local_writeback true", config_setting(c, KEY_L1_KB).text,
                 config_setting(c, KEY_L1_LOCAL_WRITEBACK).text, name);
    else if (cu.ring && !core.allocate &&
             cu.ring / config_int(c, KEY_GPU_SMS) < config_int(c, KEY_GPU_WARP_SIZE))
        snprintf(error, size, "%s, %s: %u entries for each SM, less than a warp's lanes",
                 config_setting(c, KEY_KILO_RING).text, config_setting(c, KEY_GPU_SMS).text,
                 cu.ring / (unsigned)config_int(c, KEY_GPU_SMS));
    else if (cu.l2_latency > config_int(c, KEY_L2_LATENCY))
        snprintf(error, size, "%s is more than %s", config_setting(c, KEY_KILO_L2_LATENCY).text,
                 config_setting(c, KEY_L2_LATENCY).text);
    else if (core.cid_bits && core.cid_bits < MIN_BITS)
        snprintf(error, size, "%s: at least %d are needed", config_setting(c, KEY_KILO_CID_BITS).text, MIN_BITS);
    else
        return true;
    return false;
}

bool kilo_without_messages(const struct simtx_config *c)
{
    struct kilo_cfg core;
    struct cu_cfg cu;
    configure(&core, c);
    cu_configure(&cu, c);
    return core.watchdog_ideal || cu.ideal_validation || cu.ideal_commit;
}

bool kilo_global_step(const struct simtx_config *c)
{
    struct kilo_cfg core;
    configure(&core, c);
    return core.watchdog_ideal || core.cid_bits;
}

/* The skew makes logs of different warps start in different sets of L1; a distance of a power of two would map all to
 * the same sets. */
uint32_t kilo_private_words(const struct simtx_config *c)
{
    enum { SKEW = 11 };
    struct kilo_cfg core;
    configure(&core, c);
    return 2 * (core.read_log_words + core.write_log_words) + SKEW;
}

uint64_t kilo_run(void *core, uint64_t now)
{
    uint64_t next = kilo_allocate_run(core, now), transfers = kilo_transfer_run(core, now);
    return transfers < next ? transfers : next;
}

bool kilo_idle(const void *core)
{
    const struct kilo_core *k = core;
    return !k->first && !k->out.n && !k->cid_requests && !k->credit_waits && !k->rejected_warps;
}
