/*
 * Bulk copies: the jobs of each channel in the order of addresses, then the channels' controllers until all are done. A
 * line's write enters its queue when its read is complete; reads run ahead by as many lines as a channel's queue holds.
 */
#include "memsys/dram/bulk.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/fifo.h"

struct transfer { struct dram_address from, to; uint32_t bytes; };       /* a line */
struct clone_job { uint32_t bank, row; };

struct channel {
    struct dram *dram;
    struct fifo reads, writes;       /* struct transfer, struct dram_request: not pushed yet */
    struct fifo *clones;             /* by bank: struct clone_job */
    bool *busy;                      /* by bank: a clone is in progress */
    uint64_t count[STAT_END];
};

struct bulk {
    const struct bulk_cfg *cfg;
    const struct addrmap *map;
    struct channel *channel;
    uint64_t to, from, end, left;    /* left: jobs that are not complete */
    struct transfer *reading;        /* by token */
    uint64_t nreading, capacity;
    struct bulk_result result;
};

/* ---- jobs ---- */

static bool copies(const struct bulk *b)
{
    return b->from != BULK_FILL && b->from != BULK_ZERO;
}

/* First and last line of the row of a line of the target. */
static void ends_of_row(const struct bulk *b, struct dram_address at, uint64_t *first, uint64_t *last)
{
    const struct addrmap *m = b->map;
    uint32_t bytes = UINT32_C(1) << (m->nbits[ADDR_COLUMN] + m->nbits[ADDR_BYTE]), end = bytes - LINE_BYTES;
    at.column = at.byte = 0;
    *first = addrmap_encode(m, &at);
    at.column = end >> m->nbits[ADDR_BYTE];
    at.byte = end & ((UINT32_C(1) << m->nbits[ADDR_BYTE]) - 1);
    *last = addrmap_encode(m, &at);
}

/* Do the row's lines come from the same columns of one other row of the subarray? */
static bool same_columns(const struct bulk *b, uint64_t line, const struct dram_address *at, uint32_t *row)
{
    struct dram_address s = addrmap_decode(b->map, line - b->to + b->from);
    *row = s.row;
    return s.channel == at->channel && s.bank == at->bank && s.column == at->column && s.byte == at->byte &&
           s.row != at->row && layout_same_subarray(&b->cfg->layout, s.row, at->row);
}

/* Is the row of this line cloned? *row: the row of DRAM that is its source. */
static bool cloned(const struct bulk *b, struct dram_address at, uint32_t *row)
{
    const struct layout *l = &b->cfg->layout;
    uint64_t first, last;
    uint32_t source, other;
    if (!b->cfg->clone || b->from == BULK_FILL)
        return false;
    ends_of_row(b, at, &first, &last);
    if (first < b->to || last + LINE_BYTES > b->end)
        return false;
    if (b->from == BULK_ZERO) {
        *row = layout_reserved_row(l, at.row);
        return true;
    }
    struct dram_address begin = addrmap_decode(b->map, first), end = addrmap_decode(b->map, last);
    if (!same_columns(b, first, &begin, &source) || !same_columns(b, last, &end, &other) || source != other)
        return false;
    *row = layout_dram_row(l, source);
    return true;
}

static void add_clone(struct bulk *b, const struct dram_address *at, uint32_t row, uint32_t bytes)
{
    b->result.bytes_cloned += bytes;
    if (at->column || at->byte)
        return;
    *(struct clone_job *)fifo_push(&b->channel[at->channel].clones[at->bank]) = (struct clone_job){ at->bank, row };
    b->result.rows_cloned++;
    b->left++;
}

static void add_write(struct bulk *b, const struct dram_address *at, uint32_t bytes)
{
    struct dram_request r = { .at = *at, .bytes = bytes, .write = true };
    *(struct dram_request *)fifo_push(&b->channel[at->channel].writes) = r;
}

static void add_line(struct bulk *b, uint64_t line, uint32_t bytes)
{
    struct dram_address to = addrmap_decode(b->map, line);
    uint32_t row;
    if (cloned(b, to, &row)) {
        add_clone(b, &to, row, bytes);
        return;
    }
    b->result.bytes_over_bus += bytes;
    b->left++;
    to.row = layout_dram_row(&b->cfg->layout, to.row);
    if (!copies(b)) {
        add_write(b, &to, bytes);
        return;
    }
    struct dram_address from = addrmap_decode(b->map, line - b->to + b->from);
    from.row = layout_dram_row(&b->cfg->layout, from.row);
    *(struct transfer *)fifo_push(&b->channel[from.channel].reads) = (struct transfer){ from, to, bytes };
}

static void add_lines(struct bulk *b)
{
    for (uint64_t at = b->to; at < b->end;) {
        uint64_t next = at / LINE_BYTES * LINE_BYTES + LINE_BYTES;
        next = next < b->end ? next : b->end;
        add_line(b, at, (uint32_t)(next - at));
        at = next;
    }
}

/* ---- channels ---- */

static void start_clones(struct bulk *b, struct channel *k, uint64_t now)
{
    for (uint32_t bank = 0; bank < b->cfg->dram.banks; bank++) {
        if (k->busy[bank] || !k->clones[bank].n)
            continue;
        const struct clone_job *j = fifo_front(&k->clones[bank]);
        dram_clone(k->dram, now, bank, j->row, bank);
        k->busy[bank] = true;
        fifo_pop(&k->clones[bank]);
    }
}

static void push_requests(struct bulk *b, struct channel *k, uint64_t now)
{
    for (; k->writes.n && !dram_full(k->dram); fifo_pop(&k->writes))
        dram_push(k->dram, now, fifo_front(&k->writes));
    for (; k->reads.n && !dram_full(k->dram); fifo_pop(&k->reads)) {
        const struct transfer *t = fifo_front(&k->reads);
        b->reading = mem_grow(b->reading, (uint32_t)b->nreading, (uint32_t *)&b->capacity, sizeof *b->reading,
                              "lines of a bulk copy");
        b->reading[b->nreading] = *t;
        struct dram_request r = { .at = t->from, .bytes = t->bytes, .token = b->nreading++ };
        dram_push(k->dram, now, &r);
    }
}

static void collect(struct bulk *b, struct channel *k, uint64_t now)
{
    uint64_t token;
    bool write;
    while (dram_done(k->dram, now, &token, &write)) {
        b->left -= write;
        if (!write)
            add_write(b, &b->reading[token].to, b->reading[token].bytes);
    }
    for (; dram_clone_done(k->dram, now, &token); b->left--)
        k->busy[token] = false;
}

/* Runs all channels in a memory cycle; returns the next one with an event. */
static uint64_t step(struct bulk *b, uint64_t now)
{
    uint64_t next = NEVER;
    for (uint32_t i = 0; i < b->map->channels; i++)
        collect(b, &b->channel[i], now);
    for (uint32_t i = 0; i < b->map->channels; i++) {
        struct channel *k = &b->channel[i];
        start_clones(b, k, now);
        push_requests(b, k, now);
        uint64_t at = dram_run(k->dram, now);
        if ((k->reads.n || k->writes.n) && !dram_full(k->dram))
            at = now + 1;
        next = at < next ? at : next;
    }
    return next > now ? next : now + 1;
}

static void new_channels(struct bulk *b)
{
    b->channel = mem_zero(b->map->channels, sizeof *b->channel, "the channels of a bulk copy");
    for (uint32_t i = 0; i < b->map->channels; i++) {
        struct channel *k = &b->channel[i];
        k->dram = dram_new(&b->cfg->dram, k->count);
        fifo_init(&k->reads, sizeof(struct transfer), "lines of a bulk copy");
        fifo_init(&k->writes, sizeof(struct dram_request), "lines of a bulk copy");
        k->clones = mem_zero(b->cfg->dram.banks, sizeof *k->clones, "rows of a bulk copy");
        k->busy = mem_zero(b->cfg->dram.banks, sizeof *k->busy, "rows of a bulk copy");
        for (uint32_t bank = 0; bank < b->cfg->dram.banks; bank++)
            fifo_init(&k->clones[bank], sizeof(struct clone_job), "rows of a bulk copy");
    }
}

static void free_channels(struct bulk *b)
{
    for (uint32_t i = 0; i < b->map->channels; i++) {
        struct channel *k = &b->channel[i];
        b->result.reads += k->count[STAT_DRAM_READS];
        b->result.writes += k->count[STAT_DRAM_WRITES];
        dram_free(k->dram);
        fifo_end(&k->reads);
        fifo_end(&k->writes);
        for (uint32_t bank = 0; bank < b->cfg->dram.banks; bank++)
            fifo_end(&k->clones[bank]);
        free(k->clones);
        free(k->busy);
    }
    free(b->channel);
    free(b->reading);
}

struct bulk_result bulk_copy(const struct bulk_cfg *c, uint64_t to, uint64_t from, uint64_t bytes)
{
    struct bulk b = { .cfg = c, .map = c->layout.map, .to = to, .from = from, .end = to + bytes };
    uint64_t now = 0;
    new_channels(&b);
    add_lines(&b);
    while (b.left) {
        b.result.cycles = now;
        now = step(&b, now);
    }
    free_channels(&b);
    return b.result;
}
