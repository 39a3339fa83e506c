/*
 * A commit unit at its L2 slice: its messages are packets, and the slice performs its accesses. Accesses of a cycle to
 * one block are one packet, if the unit merges accesses; it has the list of their tokens.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "memsys/dram/addrmap.h"
#include "tm/kilo/log_unit.h"
#include "tm/oracle/oracle.h"

struct pending_reply { enum kilo_kind kind; const struct kilo_batch *batch; uint64_t lanes; };

enum { NO_TOKEN = UINT32_MAX };

/* Of an access in flight, by its token: the next one in the same packet, and the place of its word in the line. */
struct part { uint32_t next; uint8_t offset; };

/* The last packet, to which accesses of the same cycle to the same block are added. */
struct open_packet { struct packet *k; uint64_t cycle, block; uint32_t last; };

struct kilo_slice {
    struct commit_unit *unit;
    const struct kilo_gpu *gpu_state;
    uint32_t access_bytes;           /* of a block; 0 = accesses are not merged */
    struct open_packet open[2];      /* of reads, of writes */
    struct part *part;
    uint32_t part_cap;
    struct engine_home home;
    struct oracle_events *events;
    uint64_t base;
    uint16_t stages;                 /* kilotm.l2_latency */
    const struct tm_gpu *gpu;
    uint64_t *wrong_address;         /* of kilo_gpu */
    uint32_t *invalid;               /* tokens of accesses to such addresses, which complete without the slice */
    uint32_t invalids, invalid_cap;
    struct pending_reply *pending;   /* replies that wait for room */
    uint32_t pendings, pending_cap;
    bool skip_left;                  /* the lanes of a DONE_FILL have been accepted, the skipped ones have not */
};

/* ---- calls of the unit ---- */

static bool reply(void *ctx, enum kilo_kind kind, const struct kilo_batch *b, uint64_t lanes, uint64_t now)
{
    struct kilo_slice *s = ctx;
    struct packet *k = partition_packet(s->home.part, s->home.slice, kind, 0, 0, b->sm);
    k->token = b->slot;
    k->mask[0] = lanes;
    k->payload = (void *)(uintptr_t)b;
    if (partition_send(s->home.part, s->home.slice, k, now))
        return true;
    packet_return(k);
    return false;
}

static uint8_t *word_at(const struct kilo_slice *s, uint32_t address)
{
    return (uint8_t *)(uintptr_t)(s->base + (address & ~UINT32_C(3)));
}

/* Does the word belong to this slice? If not, it is an error of the simulator, reported at the end of the run. */
static bool is_ours(struct kilo_slice *s, uint32_t address)
{
    uint64_t at = s->base + (address & ~UINT32_C(3));
    if (tm_gpu_has(s->gpu, at) && addrmap_slice(s->home.map, at) == s->home.slice)
        return true;
    *s->wrong_address = (uint64_t)address + 1;
    return false;
}

static void reject_access(struct kilo_slice *s, uint32_t token)
{
    s->invalid = mem_grow(s->invalid, s->invalids, &s->invalid_cap, sizeof *s->invalid, "a list of rejected accesses");
    s->invalid[s->invalids++] = token;
}

static void set_part(struct kilo_slice *s, uint32_t token, unsigned offset)
{
    while (token >= s->part_cap)
        s->part = mem_grow(s->part, s->part_cap, &s->part_cap, sizeof *s->part, "accesses of a commit unit");
    s->part[token] = (struct part){ NO_TOKEN, (uint8_t)offset };
}

static void put_bytes(struct packet *k, unsigned offset, unsigned bytes, uint32_t value)
{
    for (unsigned b = 0; b < 4; b++)
        if (bytes >> b & 1) {
            k->mask[(offset + b) / 64] |= UINT64_C(1) << (offset + b) % 64;
            k->data[offset + b] = (uint8_t)(value >> 8 * b);
        }
}

/* Adds the access to the last packet. False: that is of another cycle or block. */
static bool add_to_packet(struct kilo_slice *s, bool write, uint64_t at, uint32_t token, uint64_t now)
{
    struct open_packet *o = &s->open[write];
    if (!s->access_bytes || !o->k || o->cycle != now || o->block != at / s->access_bytes)
        return false;
    s->part[o->last].next = token;
    o->last = token;
    return true;
}

static struct packet *new_access(struct kilo_slice *s, bool write, uint64_t at, uint32_t token, uint64_t now)
{
    uint64_t line = at / LINE_BYTES * LINE_BYTES;
    struct packet *k = engine_packet(&s->home, write, line, (uint8_t)(1u << (at - line) / SECTOR_BYTES));
    k->token = token;
    k->stages = s->stages;
    if (s->access_bytes)
        s->open[write] = (struct open_packet){ k, now, at / s->access_bytes, token };
    return k;
}

static void access(void *ctx, bool write, uint32_t address, unsigned bytes, uint32_t value, uint32_t token,
                   uint64_t now)
{
    struct kilo_slice *s = ctx;
    uint64_t at = s->base + (address & ~UINT32_C(3));
    unsigned offset = (unsigned)(at % LINE_BYTES);
    if (!is_ours(s, address)) {
        reject_access(s, token);
        return;
    }
    set_part(s, token, offset);
    bool added = add_to_packet(s, write, at, token, now);
    struct packet *k = added ? s->open[write].k : new_access(s, write, at, token, now);
    if (write)
        put_bytes(k, offset, bytes, value);
    if (!added)
        engine_access(&s->home, k, now);
}

static uint32_t peek(void *ctx, uint32_t address)
{
    uint32_t value = 0;
    if (is_ours(ctx, address))
        memcpy(&value, word_at(ctx, address), 4);
    return value;
}

static uint64_t core_cycle(const struct kilo_slice *s, uint64_t now)
{
    return clock_convert(s->home.clocks, CLK_L2, CLK_CORE, now);
}

static void defer_reply(struct kilo_slice *s, enum kilo_kind kind, const struct kilo_batch *b, uint64_t lanes)
{
    s->pending = mem_grow(s->pending, s->pendings, &s->pending_cap, sizeof *s->pending,
                          "replies of a commit unit");
    s->pending[s->pendings++] = (struct pending_reply){ kind, b, lanes };
}

static void impossible(void *ctx, const struct kilo_batch *b, unsigned lane, const char *why)
{
    (void)why;
    defer_reply(ctx, KILO_CU_IMPOSSIBLE, b, UINT64_C(1) << lane);
}

static void retired(void *ctx, const struct kilo_batch *b, unsigned lane)
{
    if (!(b->lanes >> lane >> 1))
        defer_reply(ctx, KILO_RETIRED, b, 0);
}

static bool send_pending(struct kilo_slice *s, uint64_t now)
{
    uint32_t n = 0;
    while (n < s->pendings && reply(s, s->pending[n].kind, s->pending[n].batch, s->pending[n].lanes, now))
        n++;
    s->pendings -= n;
    if (s->pendings && n)
        memmove(s->pending, s->pending + n, s->pendings * sizeof *s->pending);
    return s->pendings;
}

static void poke(void *ctx, uint32_t address, unsigned bytes, uint32_t value, uint64_t now)
{
    struct kilo_slice *s = ctx;
    uint8_t *at = word_at(ctx, address);
    if (!is_ours(s, address))
        return;
    if (s->events)
        oracle_tx_write(s->events, (uint64_t)(uintptr_t)at, peek(s, address), core_cycle(s, now));
    for (unsigned b = 0; b < 4; b++)
        if (bytes >> b & 1)
            at[b] = (uint8_t)(value >> 8 * b);
}

/* ---- of a slice ---- */

static void *new_engine(void *shared, const struct engine_home *home)
{
    struct tm_gpu *t = shared;
    struct kilo_gpu *kilo = tm_gpu_state(t);
    struct kilo_slice *s = mem_zero(1, sizeof *s, "a slice's commit unit");
    struct cu_cfg c;
    *s = (struct kilo_slice){ .home = *home, .events = tm_slice_events(t, home->slice), .base = kilo->base,
                              .gpu = t, .gpu_state = kilo, .wrong_address = &kilo->wrong_address[home->slice],
                              .access_bytes = kilo->warps.access_bytes > 4 ? kilo->warps.access_bytes : 0 };
    cu_configure(&c, kilo->config);
    c.warps = kilo->warps;
    s->stages = (uint16_t)c.l2_latency;
    const struct cu_calls calls = { .ctx = s, .reply = reply, .access = access, .peek = peek, .poke = poke,
                                    .impossible = impossible, .retired = retired };
    s->unit = cu_new(&c, &calls, home->count, home->hists);
    kilo->unit[home->slice] = s->unit;
    return s;
}

static void free_engine(void *unit)
{
    struct kilo_slice *s = unit;
    cu_free(s->unit);
    free(s->pending);
    free(s->invalid);
    free(s->part);
    free(s);
}

/* A DONE_FILL implies SKIP for the lanes of the batch that it does not contain. */
static bool take_end(struct kilo_slice *s, const struct kilo_payload *p, uint64_t now)
{
    struct kilo_payload rest;
    if (!s->skip_left && !cu_take(s->unit, KILO_DONE_FILL, p, now))
        return false;
    rest.batch = p->batch;
    rest.lanes = p->batch->lanes & ~p->lanes;
    s->skip_left = rest.lanes && !cu_take(s->unit, KILO_SKIP, &rest, now);
    return !s->skip_left;
}

static bool take(void *unit, struct packet *k, uint64_t now)
{
    struct kilo_slice *s = unit;
    const struct kilo_payload *p = k->payload;
    if (k->kind == KILO_DONE_FILL ? !take_end(s, p, now) : !cu_take(s->unit, (enum kilo_kind)k->kind, p, now))
        return false;
    packet_return(k);
    return true;
}

/* Called before a write changes its words: reports the old values to the oracle, and the writers to the protocol. */
static void accessed(void *unit, const struct packet *k, uint64_t now)
{
    struct kilo_slice *s = unit;
    const struct kilo_watch *w = s->gpu_state->watch;
    if (!k->own || k->kind != MSG_WRITE)
        return;
    uint64_t cycle = s->events || w ? core_cycle(s, now) : 0;
    for (uint32_t token = k->token; token != NO_TOKEN; token = s->part[token].next) {
        uint64_t at = k->line + s->part[token].offset;
        if (w)
            w->written(s->gpu_state, s->home.slice, at - s->base, cu_access_cid(s->unit, token), cycle);
        if (s->events)
            oracle_tx_write(s->events, at, *(const uint32_t *)(uintptr_t)at, cycle);
    }
}

static void note(void *unit, struct packet *k, uint64_t now)
{
    struct kilo_slice *s = unit;
    const struct kilo_watch *w = s->gpu_state->watch;
    if (w)
        w->read(s->gpu_state, s->home.slice, k, cu_oldest(s->unit));
}

static void performed(void *unit, struct packet *k, uint64_t now)
{
    struct kilo_slice *s = unit;
    unsigned found = k->found;
    for (uint32_t token = k->token, next; token != NO_TOKEN; token = next) {
        uint32_t value = 0;
        next = s->part[token].next;
        if (k->kind == MSG_READ)
            memcpy(&value, k->data + s->part[token].offset, 4);
        cu_performed(s->unit, token, value, found, now);
    }
    packet_return(k);
}

static uint64_t run(void *unit, uint64_t now)
{
    struct kilo_slice *s = unit;
    while (s->invalids)
        cu_performed(s->unit, s->invalid[--s->invalids], 0, CU_FOUND_HIT, now);
    uint64_t next = cu_run(s->unit, now);
    if (s->invalids)
        return now + 1;
    return s->pendings && send_pending(s, now) ? now + 1 : next;
}

static bool idle(const void *unit)
{
    const struct kilo_slice *s = unit;
    return cu_idle(s->unit) && !s->pendings;
}

static void dump(const void *unit, void (*line)(void *ctx, const char *text), void *ctx)
{
    const struct kilo_slice *s = unit;
    cu_dump(s->unit, line, ctx);
}

static void settle(void *unit, uint64_t until)
{
    struct kilo_slice *s = unit;
    cu_settle(s->unit, until);
}

const struct engine_kind kilo_engine = {
    .new_engine = new_engine, .free_engine = free_engine, .take = take, .performed = performed, .run = run,
    .accessed = accessed, .note = note, .settle = settle, .idle = idle, .dump = dump
};
