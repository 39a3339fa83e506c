/*
 * Loads and stores inside transactions (KILO TM, 4.4). Each appends entries to the logs of all lanes of the warp. The
 * address word of an entry is written when the instruction issues, the value word of a read when the value arrives.
 */
#include <string.h>

#include "tm/kilo/log_unit.h"

#define NOT_LOGGED UINT64_MAX        /* of a load: the log has overflowed */

enum { QUEUE = 32 };                 /* lines queued for a port of L1, above which no access issues */

/* ---- lines of the logs ---- */

/* An access to one word of all lanes. */
static struct mem_op *line_op(struct kilo_core *k, uint32_t slot, uint32_t word, struct kilo_log_op use)
{
    struct mem_op *op = tm_op_new(k->tm, slot);
    uint64_t base = tm_private(k->tm, slot) + (uint64_t)word * k->lanes * 4;
    struct kilo_log_op *o = pool_take(&k->ops);
    *o = use;
    op->owner = o;
    op->width = op->size = op->stride = 4;
    op->count = 1;
    op->pattern = MEM_PATTERN_CONSECUTIVE;
    op->lanes = op->served_by[SERVE_LOCAL] = mask_all(k->lanes);
    for (uint32_t i = 0; i < k->lanes; i++)
        op->address[i] = base + 4 * i;
    return op;
}

/* Word w of the warp's private words, for all lanes. */
static void write_line(struct kilo_core *k, uint32_t slot, uint32_t word, const uint32_t *values, uint64_t now)
{
    struct mem_op *op = line_op(k, slot, word, (struct kilo_log_op){ .use = KILO_LOG_WRITE });
    op->kind = MOP_STORE;
    memcpy(op->data, values, k->lanes * sizeof *values);
    tm_count(k->tm)[STAT_LOG_WRITES]++;
    tm_log(k->tm, op, now);
}

void kilo_log_read(struct kilo_core *k, uint32_t slot, uint32_t word, enum kilo_log_use use, void *of, uint32_t index,
                   bool last, uint64_t now)
{
    struct mem_op *op = line_op(k, slot, word, (struct kilo_log_op){ .use = use, .of = of, .index = index });
    op->kind = MOP_LOAD;
    op->to_data = true;
    op->last_use = last;
    tm_log(k->tm, op, now);
}

void kilo_log_done(void *core, struct mem_op *op, uint64_t now)
{
    struct kilo_core *k = core;
    struct kilo_log_op *o = op->owner;
    if (o->use == KILO_LOG_OWN)
        k->own_line(k, o, now);
    else if (o->use == KILO_LOG_WALK_ADDRESS || o->use == KILO_LOG_WALK_VALUE)
        kilo_walk_line(k, o, op, now);
    else if (o->use != KILO_LOG_WRITE)
        kilo_transfer_line(k, o, op, now);
    tm_op_free(k->tm, op);
    pool_give(&k->ops, o);
}

/* ---- accesses ---- */

void kilo_log_attempt(void *core, uint32_t slot, uint64_t lanes, uint64_t now)
{
    struct kilo_core *k = core;
    struct kilo_warp *w = &k->warp[slot];
    w->reads = w->writes = 0;
    w->walking = false;
    if (w->filter)
        memset(w->filter, 0, (size_t)k->filter_words * KILO_LANES * sizeof *w->filter);
}

bool kilo_log_may_issue(void *core, uint32_t slot, bool commit)
{
    struct kilo_core *k = core;
    return !k->warp[slot].walking && (commit || tm_logs_queued(k->tm) < QUEUE);
}

/*
 * The lanes' logs have no room for an entry, or an entry cannot hold their address. The lanes may be doomed, so they
 * abort. True: they have aborted for this reason several times in a row, and must be reported.
 */
static bool overflowed_often(struct kilo_core *k, uint32_t slot, uint64_t lanes, uint64_t now)
{
    enum { ATTEMPTS = 16 };
    struct kilo_warp *w = &k->warp[slot];
    bool again = false;
    for (uint64_t m = lanes; m; m &= m - 1)
        again |= ++w->overflows[__builtin_ctzll(m)] > ATTEMPTS;
    if (!again)
        tm_abort(k->tm, slot, lanes, tm_attempt(k->tm, slot), TM_OVERFLOW, now);
    return again;
}

static bool too_long(struct kilo_core *k, uint32_t slot, uint64_t lanes, uint32_t n, bool writes, uint64_t now)
{
    uint32_t most = writes ? k->cfg.write_log_words : k->cfg.read_log_words;
    if (n <= most)
        return false;
    if (overflowed_often(k, slot, lanes, now))
        tm_impossible(k->tm, slot, (unsigned)__builtin_ctzll(lanes), NULL,
                      "the transaction's %s log of %u words is full; --set kilotm.%s_log_words=%u makes it longer",
                      writes ? "write" : "read", most, writes ? "write" : "read", 2 * most);
    return true;
}

/* Log entries hold offsets of 32 bits in device memory. d: the program's instruction; op has its words. */
static bool too_far(struct kilo_core *k, uint32_t slot, const struct dinst *d, const struct mem_op *op, uint64_t lanes,
                    uint64_t now)
{
    enum { OFFSET_BITS = 32 };
    uint64_t far = 0;
    for (uint64_t m = lanes; m; m &= m - 1)
        far |= (op->address[__builtin_ctzll(m)] - k->base) >> OFFSET_BITS ? m & -m : 0;
    if (!far)
        return false;
    unsigned lane = (unsigned)__builtin_ctzll(far);
    if (overflowed_often(k, slot, lanes, now))
        tm_impossible(k->tm, slot, lane, d, "a transaction accesses 0x%llx, which is not in the first 4 GiB of "
                      "device memory: log entries hold offsets of 32 bits", (unsigned long long)op->address[lane]);
    return true;
}

/* The address words of the entries of a load, for lanes that have not written the word themselves. */
static void log_addresses(struct kilo_core *k, const struct tm_load *l, uint32_t first, uint64_t now)
{
    const struct mem_op *f = l->fetch;
    for (uint32_t n = 0; n < f->width / 4u; n++) {
        uint32_t line[KILO_LANES];
        for (uint32_t i = 0; i < k->lanes; i++)
            line[i] = f->lanes >> i & 1 && !tm_word_is_own(l, i, n)
                          ? (uint32_t)(f->address[i] + 4 * n - k->base) : UINT32_MAX;
        write_line(k, l->slot, 2 * (first + n), line, now);
    }
}

void kilo_log_load(void *core, struct tm_load *l, uint64_t now)
{
    struct kilo_core *k = core;
    struct kilo_warp *w = &k->warp[l->slot];
    kilo_walk_begin(k, l, now);
    if (!l->fetch)
        return;
    uint32_t words = l->fetch->width / 4u;
    l->protocol = NOT_LOGGED;
    if (too_long(k, l->slot, l->fetch->lanes, w->reads + words, false, now) ||
        too_far(k, l->slot, l->op->d, l->fetch, l->fetch->lanes, now))
        return;
    l->protocol = w->reads;
    w->reads += words;
    log_addresses(k, l, (uint32_t)l->protocol, now);
}

void kilo_log_loaded(void *core, struct tm_load *l, uint64_t now)
{
    struct kilo_core *k = core;
    const struct mem_op *f = l->fetch;
    for (uint32_t n = 0; l->protocol != NOT_LOGGED && n < f->width / 4u; n++) {
        uint32_t line[KILO_LANES] = { 0 };
        for (uint64_t m = f->lanes; m; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(m);
            memcpy(&line[lane], (const uint8_t *)f->data + lane * f->stride + 4 * n, 4);
        }
        write_line(k, l->slot, 2 * ((uint32_t)l->protocol + n) + 1, line, now);
    }
}

/* An entry of a store (kilo.h): part `n` of the lane's bytes. */
static struct kilo_entry entry_of(const struct kilo_core *k, const struct mem_op *op, unsigned lane, uint32_t n)
{
    const uint8_t *data = (const uint8_t *)op->data + lane * op->stride;
    uint64_t at = op->address[lane] - k->base;
    struct kilo_entry e = { (uint32_t)(at & ~UINT64_C(3)) + 4 * n, 0 };
    if (op->width >= 4) {
        memcpy(&e.value, data + 4 * n, 4);
    } else if (op->width == 2) {
        e.address |= KILO_HALF;
        e.value = data[0] | (uint32_t)data[1] << 8 | (uint32_t)(at >> 1 & 1) << 16;
    } else {
        e.address |= KILO_BYTE;
        e.value = data[0] | (uint32_t)(at & 3) << 8;
    }
    return e;
}

static void into_filter(struct kilo_core *k, struct kilo_warp *w, unsigned lane, uint32_t address)
{
    uint64_t *f = w->filter ? w->filter + (size_t)lane * k->filter_words : NULL;
    uint32_t bit = kilo_filter_bit(k, address);
    if (f)
        f[bit / 64] |= UINT64_C(1) << bit % 64;
}

void kilo_log_store(void *core, uint32_t slot, const struct mem_op *op, uint64_t lanes, uint64_t now)
{
    struct kilo_core *k = core;
    struct kilo_warp *w = &k->warp[slot];
    uint32_t words = op->width < 4 ? 1 : op->width / 4u, first = w->writes;
    if (too_long(k, slot, lanes, first + words, true, now) || too_far(k, slot, op->d, op, lanes, now))
        return;
    w->writes += words;
    for (uint32_t n = 0; n < words; n++) {
        uint32_t address[KILO_LANES], value[KILO_LANES] = { 0 };
        for (uint32_t i = 0; i < k->lanes; i++) {
            struct kilo_entry e = lanes >> i & 1 ? entry_of(k, op, i, n) : KILO_VOID_ENTRY;
            address[i] = e.address;
            value[i] = e.value;
            if (lanes >> i & 1 && w->filter)
                into_filter(k, w, i, e.address);
        }
        write_line(k, slot, 2 * (k->cfg.read_log_words + first + n), address, now);
        write_line(k, slot, 2 * (k->cfg.read_log_words + first + n) + 1, value, now);
    }
}
