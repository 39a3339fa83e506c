/* KILO TM as a protocol: its parts at the core, its state of the machine, and the vendor of commit IDs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "tm/kilotm/log_unit.h"

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

struct core_batch *kilo_batch_new(struct kilo_core *k)
{
    struct core_batch *b = k->batches;
    while (b && (b->busy || b->last >= k->shared->oldest))
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

void kilo_ticket(struct kilo_core *k, struct core_batch *b, uint64_t now)
{
    k->ticket = mem_grow(k->ticket, k->ntickets, &k->ticket_cap, sizeof *k->ticket, "commit-ID requests");
    b->last = UINT64_MAX;
    k->ticket[k->ntickets++] = (struct ticket){ now, tm_sm(k->tm), b->b.slot, b };
}

static int compare_tickets(const void *a, const void *b)
{
    const struct ticket *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (x->sm != y->sm)
        return x->sm < y->sm ? -1 : 1;
    return x->slot < y->slot ? -1 : x->slot > y->slot;
}

static void take_tickets(struct kilo_shared *s, void *const *cores, uint32_t n)
{
    uint32_t from = s->tickets;
    for (uint32_t i = 0; i < n; i++) {
        struct kilo_core *k = cores[i];
        s->ticket = mem_grow(s->ticket, s->tickets + k->ntickets, &s->ticket_cap, sizeof *s->ticket,
                             "commit-ID requests");
        if (k->ntickets)
            memcpy(s->ticket + s->tickets, k->ticket, k->ntickets * sizeof *k->ticket);
        s->tickets += k->ntickets;
        k->ntickets = 0;
    }
    if (s->tickets > from + 1)
        qsort(s->ticket + from, s->tickets - from, sizeof *s->ticket, compare_tickets);
}

/* IDs of so many bits may not be given out beyond their range before the units are empty. */
static bool wraps(const struct kilo_shared *s, uint32_t lanes)
{
    return s->cfg.cid_bits && (s->next_cid + lanes - 1) >> s->cfg.cid_bits != s->last_epoch && s->oldest < s->next_cid;
}

/*
 * The vendor: IDs are given out in the order of (cycle, SM, warp slot). No message of a batch arrives in the window in
 * which its ID is asked for, so it is early enough to do so behind the window.
 */
static void give_ids(struct kilo_shared *s, void *const *cores, uint32_t n, uint64_t now)
{
    uint32_t given = 0;
    take_tickets(s, cores, n);
    for (; given < s->tickets; given++) {
        struct core_batch *b = s->ticket[given].batch;
        uint32_t lanes = (uint32_t)__builtin_popcountll(b->b.lanes);
        if (wraps(s, lanes))
            break;
        b->b.first_cid = s->next_cid;
        s->next_cid += lanes;
        b->last = s->next_cid - 1;
        s->last_epoch = s->cfg.cid_bits ? b->last >> s->cfg.cid_bits : 0;
        if (s->cfg.cid_bits)
            kilo_has_ids(cores[s->ticket[given].sm], s->ticket[given].slot, now);
    }
    s->tickets -= given;
    if (s->tickets && given)
        memmove(s->ticket, s->ticket + given, s->tickets * sizeof *s->ticket);
}

static void find_oldest(struct kilo_shared *s)
{
    s->oldest = UINT64_MAX;
    for (uint32_t i = 0; i < s->slices; i++) {
        uint64_t oldest = cu_oldest(s->unit[i]);
        s->oldest = oldest < s->oldest ? oldest : s->oldest;
    }
}

/* The published watchdog: reads are compared with memory at once. */
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

static void step(void *shared, void *const *cores, uint32_t n, uint64_t now)
{
    struct kilo_shared *s = shared;
    find_oldest(s);
    give_ids(s, cores, n, now);
    for (uint32_t i = 0; s->cfg.watchdog_ideal && i < n; i++)
        compare(cores[i], now);
}

static bool sound(void *shared, const uint64_t *count, char *error, size_t size)
{
    const struct kilo_shared *s = shared;
    uint64_t outcomes = count[STAT_MSG_PASS] + count[STAT_MSG_FAIL], passed = count[STAT_MSG_CU_PASS];
    for (uint32_t i = 0; i < s->slices; i++) {
        uint64_t astray = s->astray[i];
        s->astray[i] = 0;
        if (astray) {
            snprintf(error, size, "the commit unit of slice %u has got a log entry for 0x%llx, which is not in device "
                     "memory, or is another slice's", i, (unsigned long long)(s->base + astray - 1));
            return false;
        }
        if (!cu_sound(s->unit[i], error, size))
            return false;
    }
    if (outcomes != passed)
        snprintf(error, size, "  outcomes sent to commit units: %" PRIu64 ", validations passed there: %" PRIu64,
                 outcomes, passed);
    return outcomes == passed;
}

/* ---- life ---- */

enum { TRANSFERS_IN_CHUNK = 4, OPS_IN_CHUNK = 64 };

static void configure(struct kilo_cfg *c, const struct simtx_config *config)
{
#define CONFIG_ROWS "tm/kilotm/config.def"
#include "base/config_copy.h"
}

static void *new_core(struct tm_core *tm, void *shared)
{
    const struct simtx_config *c = tm_config(tm);
    struct cu_cfg unit;
    cu_configure(&unit, c);
    struct kilo_core *k = mem_zero(1, sizeof *k, "KILO TM at an SM");
    *k = (struct kilo_core){
        .tm = tm, .shared = shared, .lanes = tm_warp_lanes(tm), .slices = tm_slices(tm), .slots = tm_slots(tm),
        .base = tm_memory_base(tm), .ring = unit.ring,
        .last_use = !unit.read_buffer && !unit.write_buffer && !unit.buffers
    };
    configure(&k->cfg, c);
    k->filter_words = (k->cfg.own_filter_bits + 63) / 64;
    k->credits = k->ring / (uint32_t)config_int(c, KEY_GPU_SMS);
    k->arena = arena_new();
    pool_init(&k->transfers, sizeof(struct transfer), TRANSFERS_IN_CHUNK, "transfers of logs");
    pool_init(&k->ops, sizeof(struct log_op), OPS_IN_CHUNK, "accesses to logs");
    k->waiting = arena_alloc(k->arena, k->slots * sizeof *k->waiting);
    k->warp = arena_alloc(k->arena, k->slots * sizeof *k->warp);
    for (uint32_t i = 0; k->filter_words && i < k->slots; i++)
        k->warp[i].filter = arena_alloc(k->arena, (size_t)k->filter_words * KILO_LANES * sizeof(uint64_t));
    return k;
}

static void free_core(void *core)
{
    struct kilo_core *k = core;
    arena_free(k->arena);
    pool_end(&k->transfers);
    pool_end(&k->ops);
    free(k->ticket);
    free(k);
}

static void *new_gpu_state(struct tm_gpu *t, const struct simtx_config *c)
{
    struct kilo_shared *s = mem_zero(1, sizeof *s, "KILO TM");
    *s = (struct kilo_shared){
        .config = c, .next_cid = 1, .oldest = 1, .slices = tm_gpu_slices(t), .base = tm_gpu_base(t)
    };
    configure(&s->cfg, c);
    s->unit = mem_zero(s->slices, sizeof(struct commit_unit *), "commit units");
    s->astray = mem_zero(s->slices, sizeof *s->astray, "commit units");
    return s;
}

static void free_gpu_state(void *shared)
{
    struct kilo_shared *s = shared;
    free(s->unit);
    free(s->astray);
    free(s->ticket);
    free(s);
}

static bool check(const struct simtx_config *c, uint32_t slices, char *error, size_t size)
{
    enum { MEMORY_MB = 4096, SLICES = 64, MIN_BITS = 8 };
    struct kilo_cfg core;
    struct cu_cfg cu;
    configure(&core, c);
    cu_configure(&cu, c);
    if (config_int(c, KEY_GPU_MEMORY_MB) > MEMORY_MB)
        snprintf(error, size, "tm.global = kilotm: log entries hold addresses of 32 bits, so gpu.memory_mb must be "
                 "at most %d", MEMORY_MB);
    else if (slices > SLICES)
        snprintf(error, size, "tm.global = kilotm: %u L2 slices; at most %d are supported", slices, SLICES);
    else if (!config_int(c, KEY_L1_KB) || !config_bool(c, KEY_L1_LOCAL_WRITEBACK))
        snprintf(error, size, "tm.global = kilotm keeps logs in L1: l1.kb must be more than 0 and "
                 "l1.local_writeback true");
    else if (cu.ring && !core.allocate &&
             cu.ring / config_int(c, KEY_GPU_SMS) < config_int(c, KEY_GPU_WARP_SIZE))
        snprintf(error, size, "kilotm.ring = %u: %u entries for each of %d SMs, less than a warp's lanes", cu.ring,
                 cu.ring / (unsigned)config_int(c, KEY_GPU_SMS), (int)config_int(c, KEY_GPU_SMS));
    else if (cu.l2_latency > config_int(c, KEY_L2_LATENCY))
        snprintf(error, size, "kilotm.l2_latency = %u is more than l2.latency = %d", cu.l2_latency,
                 (int)config_int(c, KEY_L2_LATENCY));
    else if (core.cid_bits && core.cid_bits < MIN_BITS)
        snprintf(error, size, "kilotm.cid_bits = %u: at least %d are needed", core.cid_bits, MIN_BITS);
    else
        return cu_check(&cu, error, size);
    return false;
}

static bool global_step(const struct simtx_config *c)
{
    struct kilo_cfg core;
    configure(&core, c);
    return core.watchdog_ideal || core.cid_bits;
}

/* Logs of different warps begin in different sets of the L1: a power of two between them would bring all into one. */
static uint32_t private_words(const struct simtx_config *c)
{
    enum { SKEW = 11 };
    struct kilo_cfg core;
    configure(&core, c);
    return 2 * (core.read_log_words + core.write_log_words) + SKEW;
}

static uint64_t run(void *core, uint64_t now)
{
    uint64_t next = allocate_run(core, now), transfers = transfer_run(core, now);
    return transfers < next ? transfers : next;
}

static bool idle(const void *core)
{
    const struct kilo_core *k = core;
    return !k->first && !k->out.n && !k->ntickets && !k->nwaiting && !k->refused;
}

const struct tm_protocol tm_kilotm = {
    .name = "kilotm", .payload = sizeof(struct kilo_payload), .global_step = global_step, .check = check,
    .new_gpu_state = new_gpu_state, .free_gpu_state = free_gpu_state, .private_words = private_words,
    .engine = &kilo_unit,
    .new_core = new_core, .free_core = free_core, .may_issue = log_may_issue, .attempt = log_attempt,
    .load = log_load, .loaded = log_loaded, .store = log_store, .done = log_done, .commit = kilo_commit,
    .validate = kilo_validate, .message = kilo_reply, .run = run, .idle = idle, .describe = kilo_say, .dump = kilo_dump,
    .consistent = sound, .step = step
};
