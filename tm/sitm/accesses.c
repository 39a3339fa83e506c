/*
 * Loads and stores inside transactions. A load reads a snapshot: TX_READ goes to the slice of each line with the words
 * of all lanes, and DATA brings the bytes back. The slice registers the readers. A store goes to the write log; at the
 * first write of a word TX_WRITE registers the writer, and the warp does not wait for the reply. Lanes that must abort
 * send nothing.
 */
#include <string.h>

#include "tm/sitm/sitm.h"

enum { QUEUE = 32 };                 /* messages queued for the crossbar, above which no access issues */

bool sitm_may_issue(void *core, uint32_t slot, bool commit)
{
    struct kilo_core *k = core;
    const struct sitm_warp *w = &sitm_core(k)->warp[slot];
    return w->state == SITM_STATE_RUN && kilo_log_may_issue(core, slot, commit) && (commit || k->out.n < QUEUE);
}

/* ---- packets: the words of an instruction by line ---- */

struct access { uint64_t word[SITM_WORDS_MOST][SITM_LANES]; uint32_t words; };       /* addresses; 0 = none */

/* The line of the lowest lane with a word left; UINT64_MAX = none. */
static uint64_t next_line(const struct access *x)
{
    for (uint32_t lane = 0; lane < SITM_LANES; lane++)
        for (uint32_t n = 0; n < x->words; n++)
            if (x->word[n][lane])
                return x->word[n][lane] / LINE_BYTES * LINE_BYTES;
    return UINT64_MAX;
}

/* Moves the words of a line from the access to the packet. Returns how many. */
static uint32_t take_line(struct access *x, uint64_t line, struct sitm_lines *l)
{
    uint32_t n = 0;
    l->words = (uint8_t)x->words;
    l->lanes = 0;
    memset(l->word, SITM_NO_WORD, sizeof l->word);
    for (uint32_t i = 0; i < x->words; i++)
        for (uint32_t lane = 0; lane < SITM_LANES; lane++)
            if (x->word[i][lane] && x->word[i][lane] / LINE_BYTES * LINE_BYTES == line) {
                l->word[i][lane] = (uint8_t)(x->word[i][lane] % LINE_BYTES / 4);
                l->lanes |= UINT32_C(1) << lane;
                x->word[i][lane] = 0;
                n++;
            }
    return n;
}

static uint8_t sectors_of(const struct sitm_lines *l)
{
    uint8_t sectors = 0;
    for (uint32_t i = 0; i < l->words; i++)
        for (uint32_t lane = 0; lane < SITM_LANES; lane++)
            if (l->word[i][lane] != SITM_NO_WORD)
                sectors |= (uint8_t)(1u << l->word[i][lane] * 4 / SECTOR_BYTES);
    return sectors;
}

/* For the count of loops (loops.c). */
static void note_stores(struct sitm_core *x, uint32_t slot, const struct access *a)
{
    for (uint32_t n = 0; n < a->words; n++)
        for (uint32_t lane = 0; lane < SITM_LANES; lane++)
            if (a->word[n][lane])
                sitm_loops_store(x, slot, lane, a->word[n][lane]);
}

/* Sends the words; returns the number of packets. */
static uint32_t send_words(struct sitm_core *x, uint32_t slot, struct access *a, enum sitm_kind kind,
                           struct tm_load *load)
{
    struct sitm_warp *w = &x->warp[slot];
    uint32_t packets = 0;
    for (uint64_t line; (line = next_line(a)) != UINT64_MAX; packets++) {
        struct sitm_lines l = { .group = w->a.group, .snapshot = w->a.snapshot, .load = load,
                                .exclusive = w->a.exclusive || x->gpu->exact };
        uint32_t words = take_line(a, line, &l), bytes = sitm_message_bytes(kind, words) - SITM_HEADER_BYTES;
        struct packet *p = sitm_packet(x, kind, tm_slice(x->tm, line), bytes);
        p->line = p->mapped = line;
        p->sectors = sectors_of(&l);
        p->token = slot;
        ((union sitm_payload *)p->payload)->lines = l;
        sitm_attempt_send(&w->a, l.lanes);
        x->replies++;
    }
    return packets;
}

/* ---- the words that transactions may access ---- */

static bool versioned(struct sitm_core *x, uint64_t address)
{
    const struct sitm_unit *u = x->gpu->unit[tm_slice(x->tm, address)];
    return engine_versioned(&u->home, address);
}

/* Does a lane access memory without versions? d: the program's instruction; op has its words. */
static bool outside(struct sitm_core *x, uint32_t slot, const struct dinst *d, const struct mem_op *op, uint64_t lanes)
{
    for (uint64_t m = lanes; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        if (versioned(x, op->address[lane]) && versioned(x, op->address[lane] + op->width - 1))
            continue;
        tm_impossible(x->tm, slot, lane, d, "a transaction accesses 0x%llx, which has no versions: tm.global = sitm "
                      "isolates only memory that the program has declared by simtx_version_region",
                      (unsigned long long)op->address[lane]);
        return true;
    }
    return false;
}

/* ---- loads ---- */

/* Words of the fetch that the lane has not written itself. */
static void words_of_load(const struct tm_load *l, uint64_t lanes, struct access *a)
{
    const struct mem_op *f = l->fetch;
    a->words = f->width / 4u;
    for (uint64_t m = lanes; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        for (uint32_t n = 0; n < a->words; n++)
            if (!tm_word_is_own(l, lane, n))
                a->word[n][lane] = f->address[lane] + 4 * n;
    }
}

/* The load completes with the last DATA. A load whose lanes all abort has no DATA and no values. */
void sitm_load(void *core, struct tm_load *l, uint64_t now)
{
    struct kilo_core *k = core;
    struct sitm_core *x = sitm_core(k);
    struct access a = { .words = 0 };
    kilo_walk_begin(k, l, now);
    if (!l->fetch)
        return;
    l->held = true;
    memset(l->fetch->data, 0, sizeof l->fetch->data);
    l->protocol = 0;
    uint64_t lanes = l->fetch->lanes & ~(uint64_t)x->warp[l->slot].a.doomed & x->warp[l->slot].a.lanes;
    if (!outside(x, l->slot, l->op->d, l->fetch, lanes)) {
        words_of_load(l, lanes, &a);
        l->protocol = send_words(x, l->slot, &a, SITM_TX_READ, l);
    }
    if (l->protocol)
        return;
    x->empty_load = mem_grow(x->empty_load, x->empty_loads, &x->empty_cap, sizeof *x->empty_load,
                             "loads without lanes");
    x->empty_load[x->empty_loads++] = l;
    tm_run_at(x->tm, now);
}

void sitm_finish_empty_loads(struct sitm_core *x, uint64_t now)
{
    while (x->empty_loads)
        tm_fetched(x->tm, x->empty_load[--x->empty_loads], now);
}

static void copy_words(struct mem_op *f, const struct sitm_lines *l, const uint8_t *line, uint64_t base)
{
    for (uint32_t i = 0; i < l->words; i++)
        for (uint32_t lane = 0; lane < SITM_LANES; lane++)
            if (l->word[i][lane] != SITM_NO_WORD) {
                uint32_t at = 4u * l->word[i][lane];
                memcpy((uint8_t *)f->data + lane * f->stride + (base + at - f->address[lane]), line + at, 4);
            }
}

void sitm_reply(struct sitm_core *x, struct packet *p, uint64_t now)
{
    struct sitm_lines *l = &((union sitm_payload *)p->payload)->lines;
    uint32_t slot = p->token;
    struct tm_load *load = l->load;
    sitm_attempt_reply(&x->warp[slot].a, &l->reply);
    if (load)
        copy_words(load->fetch, l, p->data, p->line);
    packet_return(p);
    x->replies--;
    if (load && !--load->protocol)
        tm_fetched(x->tm, load, now);
    sitm_progress(x, slot, now);
}

/* ---- stores ---- */

/* Is the n-th write of the lane the first one in its granule? */
static bool first_write(const struct sitm_core *x, const struct tm_set *writes, uint32_t n)
{
    uint64_t granule = writes->w[n].address / x->gpu->cfg.granularity;
    for (uint32_t i = 0; i < n; i++)
        if (writes->w[i].address / x->gpu->cfg.granularity == granule)
            return false;
    return true;
}

/* The last words of the lane's write set are those of the store. */
static void words_of_store(struct sitm_core *x, uint32_t slot, uint32_t words, uint64_t lanes, struct access *a)
{
    a->words = words;
    for (uint64_t m = lanes; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(m);
        const struct tm_set *writes = &tm_lane(x->tm, slot, lane)->writes;
        for (uint32_t n = 0; n < words; n++)
            if (first_write(x, writes, writes->n - words + n))
                a->word[n][lane] = writes->w[writes->n - words + n].address;
    }
}

/* The log is last, because a log that overflows aborts the lanes, and they may begin their next attempt at once. */
void sitm_store(void *core, uint32_t slot, const struct mem_op *op, uint64_t lanes, uint64_t now)
{
    struct kilo_core *k = core;
    struct sitm_core *x = sitm_core(k);
    const struct sitm_warp *w = &x->warp[slot];
    struct access a = { .words = 0 };
    uint64_t live = lanes & ~(uint64_t)w->a.doomed & w->a.lanes;
    bool registers = !w->a.exclusive && !x->gpu->exact;
    if (outside(x, slot, op->d, op, live))
        return;
    if (registers || x->gpu->loops)
        words_of_store(x, slot, op->width < 4 ? 1 : op->width / 4u, live, &a);
    if (registers)
        send_words(x, slot, &a, SITM_TX_WRITE, NULL);
    else if (x->gpu->loops)
        note_stores(x, slot, &a);
    kilo_log_store(core, slot, op, lanes, now);
}
