/*
 * The coherence controller of an L2 slice: executes the rows of the protocol's home table (coherence.h) on the slice's
 * tags, MSHR entries and queues. A line with an MSHR entry is busy. Its later events (the fill has arrived, the last
 * acknowledgement has arrived, a waiting request is next) are processed from the queue `ready`, one a cycle; an event
 * that is blocked lets the others pass.
 *
 * The fetch of a line may have to wait until a victim has been evicted from the L1s. The request then waits in an MSHR
 * entry without a way, and does not block its network. Deadlock freedom: one MSHR entry is kept free for the victim, so
 * a way or an entry is available, or a transaction that holds one can complete. Accesses that are not the protocol's
 * take no way while a request waits for one.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "memsys/l2/l2.h"

/* A line with its way in the tags (or TAG_NONE) and its MSHR entry (or MSHR_NONE). */
struct line_at { uint64_t line; uint32_t i, e; };

void l2_coherence_init(struct l2_slice *s)
{
    static const char what[] = "directory entries of an L2 slice";
    const struct partition_cfg *c = &s->part->cfg;
    uint32_t entries = c->l2.mshrs, sharers = (c->sms + 63) / 64;
    s->directory_words = 1 + sharers;
    s->directory = mem_zero((size_t)c->l2.sets * c->l2.ways * s->directory_words, sizeof *s->directory, what);
    s->transaction = mem_zero(entries, sizeof *s->transaction, what);
    s->transaction[0].unprobed = mem_zero((size_t)entries * sharers, sizeof *s->transaction[0].unprobed, what);
    for (uint32_t e = 1; e < entries; e++)
        s->transaction[e].unprobed = s->transaction[e - 1].unprobed + sharers;
    s->ready = (struct l2_ring){ .e = mem_zero(entries, sizeof *s->ready.e, what), .capacity = entries };
    s->probing = (struct l2_ring){ .e = mem_zero(entries, sizeof *s->probing.e, what), .capacity = entries };
}

void l2_coherence_end(struct l2_slice *s)
{
    free(s->directory);
    free(s->transaction[0].unprobed);
    free(s->transaction);
    free(s->ready.e);
    free(s->probing.e);
}

static void ring_push(struct l2_ring *r, uint32_t e)
{
    uint32_t at = r->first + r->n++;
    r->e[at < r->capacity ? at : at - r->capacity] = e;
}

static uint32_t ring_pop(struct l2_ring *r)
{
    uint32_t e = r->e[r->first];
    r->first = r->first + 1 < r->capacity ? r->first + 1 : 0;
    r->n--;
    return e;
}

static void make_ready(struct l2_slice *s, uint32_t e)
{
    if (!s->transaction[e].listed)
        ring_push(&s->ready, e);
    s->transaction[e].listed = true;
}

/* ---- lines ---- */

static uint64_t *words_of(const struct l2_slice *s, uint32_t i)
{
    return &s->directory[(size_t)i * s->directory_words];
}

static unsigned state_of(const struct l2_slice *s, const struct line_at *x)
{
    return x->i == TAG_NONE ? 0 : (unsigned)words_of(s, x->i)[0];
}

static struct line_at find(const struct l2_slice *s, uint64_t line)
{
    return (struct line_at){ line, tags_find(&s->tags, line), mshr_find(&s->mshr, line) };
}

unsigned l2_coherence_state(const struct l2_slice *s, uint64_t line)
{
    struct line_at x = find(s, line);
    return state_of(s, &x);
}

static bool shares(const struct l2_slice *s, const struct line_at *x, uint16_t sm)
{
    return x->i != TAG_NONE && words_of(s, x->i)[1 + sm / 64] >> sm % 64 & 1;
}

static void clear_sharers(struct l2_slice *s, const struct line_at *x)
{
    memset(words_of(s, x->i) + 1, 0, (s->directory_words - 1) * sizeof(uint64_t));
}

/* Counts the entries with requests whose lines wait for a way. */
static void set_without_way(struct l2_slice *s, uint32_t e, bool waits)
{
    s->without_way += waits;
    s->without_way -= s->transaction[e].without_way;
    s->transaction[e].without_way = waits;
}

static uint32_t new_entry(struct l2_slice *s, uint64_t line)
{
    uint32_t e = mshr_new(&s->mshr, line);
    s->miss[e] = (struct l2_missing){ .next = MSHR_NONE };
    s->transaction[e] = (struct l2_transaction){ .unprobed = s->transaction[e].unprobed, .coherent = true };
    return e;
}

static void allocate_mshr(struct l2_slice *s, struct line_at *x, struct packet *request)
{
    if (x->e == MSHR_NONE)
        x->e = new_entry(s, x->line);
    s->transaction[x->e].request = request;
    s->mshr.entry[x->e].user = x->i;
    s->tags.tag[x->i].pinned = true;
}

/* Invalidates the line's way. */
static void evict_line(struct l2_slice *s, struct line_at *x, uint64_t now)
{
    struct tag *g = &s->tags.tag[x->i];
    if (g->dirty)
        l2_write_back(s, x->i, now);
    g->state = 0;
    g->pinned = false;
    s->mshr.entry[x->e].user = x->i = TAG_NONE;
    set_without_way(s, x->e, s->mshr.entry[x->e].n > 0);
    s->part->count[STAT_L2_EVICTIONS]++;
}

/* After an event: the entry waits for messages, the next request becomes ready, or the entry is freed. */
static void next_request(struct l2_slice *s, struct line_at *x)
{
    if (x->e == MSHR_NONE || state_of(s, x) >= s->part->cfg.coherence->home_stable)
        return;
    if (s->mshr.entry[x->e].n) {
        make_ready(s, x->e);
        return;
    }
    if (x->i != TAG_NONE)
        s->tags.tag[x->i].pinned = false;
    s->transaction[x->e].coherent = false;
    set_without_way(s, x->e, false);
    mshr_free(&s->mshr, x->e);
}

/* ---- actions ---- */

static const struct coherence_message *message_of(const struct l2_slice *s, unsigned number)
{
    return &s->part->cfg.coherence->message[number];
}

/* An access that is not the protocol's. */
static bool is_other(const struct packet *p)
{
    return p->kind < MSG_PROTOCOL;
}

static bool is_request(const struct l2_slice *s, const struct packet *p)
{
    return p && (is_other(p) || message_of(s, p->kind - (unsigned)MSG_PROTOCOL)->class == COHERENCE_REQUEST);
}

static uint8_t *memory_of(const struct line_at *x)
{
    return (uint8_t *)(uintptr_t)x->line;
}

static void use_data(struct l2_slice *s, uint8_t sectors, uint64_t now)
{
    s->data_free = now + s->part->data_cycles[l2_sectors(sectors)];
}

/* Turns the request into this message. */
static void turn_into(struct l2_slice *s, const struct line_at *x, struct packet *r, unsigned number,
                      const struct l2_now *t)
{
    const struct coherence_message *m = message_of(s, number);
    assert(r);
    if (x->e != MSHR_NONE && s->transaction[x->e].request == r)
        s->transaction[x->e].request = NULL;
    r->kind = (uint8_t)(MSG_PROTOCOL + number);
    r->vn = m->vn;
    r->stamp[STAMP_L2] = t->core;
    r->turn = ++s->turns;
    s->replies[r->vn]++;
}

static void reply(struct l2_slice *s, const struct line_at *x, struct packet *r, unsigned number,
                  const struct l2_now *t)
{
    turn_into(s, x, r, number, t);
    r->bytes = coherence_bytes(message_of(s, number));
    if (message_of(s, number)->payload == COHERENCE_LINE) {
        r->sectors = ALL_SECTORS;
        memcpy(r->data, memory_of(x), LINE_BYTES);
        use_data(s, ALL_SECTORS, t->l2);
        l2_count_sectors(s, LINE_SECTORS, 0);
    }
    packet_push(&s->out[r->vn], r);
}

static void fetch(struct l2_slice *s, struct line_at *x, struct packet *p, const struct l2_now *t)
{
    allocate_mshr(s, x, p);
    uint8_t lacking = ALL_SECTORS & (uint8_t)~s->tags.tag[x->i].valid;
    p->stamp[STAMP_DRAM_QUEUE] = t->core;
    if (lacking)
        l2_send_line(s, x->line, s->part->cfg.l2.sectored ? lacking : ALL_SECTORS, x->e, false, t->l2);
    else
        l2_coherence_filled(s, x->e);
}

/* Probes all sharers, except the sender of the packet `except`, if there is one. */
static void probe(struct l2_slice *s, const struct line_at *x, unsigned number, const struct packet *except)
{
    struct l2_transaction *b = &s->transaction[x->e];
    const uint64_t *sharers = words_of(s, x->i) + 1;
    for (uint32_t w = 0; w < s->directory_words - 1; w++) {
        b->unprobed[w] = sharers[w];
        if (except && except->sm / 64u == w)
            b->unprobed[w] &= ~(UINT64_C(1) << except->sm % 64);
        b->pending_acks += (uint32_t)__builtin_popcountll(b->unprobed[w]);
    }
    b->probe = (uint8_t)number;
    if (b->pending_acks) {
        ring_push(&s->probing, x->e);
        return;
    }
    b->event = 1 + HOME_ACKED;
    make_ready(s, x->e);
}

static void update_line(struct l2_slice *s, const struct line_at *x, const struct packet *p, uint64_t now)
{
    memcpy(memory_of(x), p->data, LINE_BYTES);
    l2_mark_dirty(s, x->i, ALL_SECTORS);
    use_data(s, ALL_SECTORS, now);
    l2_count_sectors(s, 0, LINE_SECTORS);
}

static void write(struct l2_slice *s, const struct line_at *x, const struct packet *r, const struct l2_now *t)
{
    if (s->engine)
        l2_engine_accessed(s, r, t);
    line_merge(memory_of(x), r->data, r->mask);
    l2_mark_dirty(s, x->i, r->sectors);
    use_data(s, r->sectors, t->l2);
    l2_count_sectors(s, 0, l2_sectors(r->sectors));
}

static void perform_atomic(struct l2_slice *s, const struct line_at *x, struct packet *r, unsigned number,
                           const struct l2_now *t)
{
    if (s->engine)
        l2_engine_accessed(s, r, t);
    turn_into(s, x, r, number, t);
    l2_mark_dirty(s, x->i, r->sectors);
    use_data(s, r->sectors, t->l2);
    l2_count_sectors(s, l2_sectors(r->sectors), l2_sectors(r->sectors));
    l2_start_atomic(s, r, t->l2);
}

static void perform_other(struct l2_slice *s, const struct line_at *x, struct packet *r, const struct l2_now *t)
{
    assert(r && is_other(r));
    if (x->e != MSHR_NONE && s->transaction[x->e].request == r)
        s->transaction[x->e].request = NULL;
    l2_perform(s, &s->data_free, x->i, r, t);
}

/* p: the message; NULL at other events. r: the request that has arrived, or that the line is busy with. */
static void act(struct l2_slice *s, struct line_at *x, const struct coherence_step *a, struct packet *p,
                struct packet *r, const struct l2_now *t)
{
    uint64_t *words = x->i == TAG_NONE ? NULL : words_of(s, x->i);
    switch ((enum home_action)a->action) {
    case HOME_NOP: break;
    case HOME_WAIT: mshr_add(&s->mshr, x->e, p); break;
    case HOME_MSHR: allocate_mshr(s, x, p); break;
    case HOME_FETCH: fetch(s, x, p, t); break;
    case HOME_REPLY: reply(s, x, r, a->operand, t); break;
    case HOME_PROBE: probe(s, x, a->operand, NULL); break;
    case HOME_PROBE_OTHERS: probe(s, x, a->operand, r); break;
    case HOME_UPDATE: update_line(s, x, p, t->l2); break;
    case HOME_WRITE: write(s, x, r, t); break;
    case HOME_ATOMIC: perform_atomic(s, x, r, a->operand, t); break;
    case HOME_PERFORM: perform_other(s, x, r, t); break;
    case HOME_CLEAR: clear_sharers(s, x); break;
    case HOME_COUNT: s->part->count[s->part->cfg.coherence->counter[a->operand]]++; break;
    case HOME_UNSHARE: words[1 + p->sm / 64] &= ~(UINT64_C(1) << p->sm % 64); break;
    case HOME_OWN:
        clear_sharers(s, x);             /* fall through */
    case HOME_SHARE: words[1 + r->sm / 64] |= UINT64_C(1) << r->sm % 64; break;
    }
}

/* ---- rows ---- */

/* The resource that the row lacks. r: as in act. */
static enum l2_result blocked_by(const struct l2_slice *s, const struct line_at *x, const struct coherence_row *row,
                                 const struct packet *r, uint64_t now)
{
    const struct l2_cfg *c = &s->part->cfg.l2;
    bool entry = false, data = false, dirty = x->i != TAG_NONE && s->tags.tag[x->i].dirty;
    for (int k = 0; k < COHERENCE_ACTIONS && row->step[k].action; k++) {
        unsigned a = row->step[k].action;
        const struct coherence_message *m = message_of(s, row->step[k].operand);
        bool sends_line = a == HOME_REPLY && m->payload == COHERENCE_LINE;
        if (a == HOME_WAIT && !mshr_mergeable(&s->mshr, x->e))
            return L2_BLOCKED_MERGES;
        if ((a == HOME_REPLY || a == HOME_ATOMIC) && s->replies[m->vn] >= c->reply_queue)
            return L2_BLOCKED_REPLY_QUEUE;
        if (a == HOME_ATOMIC && s->atomic)
            return L2_BLOCKED_ATOMIC_UNIT;
        if (a == HOME_PERFORM && l2_cannot_perform(s, r, s->data_free, now))
            return l2_cannot_perform(s, r, s->data_free, now);
        entry |= a == HOME_MSHR || a == HOME_FETCH;
        data |= sends_line || a == HOME_UPDATE || a == HOME_WRITE || a == HOME_ATOMIC;
    }
    if (data && s->data_free > now)
        return L2_BLOCKED_DATA_ARRAY;
    if (entry && x->e == MSHR_NONE && mshr_full(&s->mshr))
        return L2_BLOCKED_MSHR;
    return !row->next && dirty && s->transfers == s->transfer_capacity ? L2_BLOCKED_MISS_QUEUE : L2_SERVED;
}

/* Allocates a way for a line to be fetched; the miss queue must have a free entry, too. If it has none, because the
 * victim's write-back took the last one, the line keeps the way. */
static enum l2_result allocate_way(struct l2_slice *s, struct line_at *x, const struct l2_now *t)
{
    enum l2_result why = x->i == TAG_NONE ? l2_make_room(s, x->line, &x->i, t) : L2_SERVED;
    if (!why && x->e != MSHR_NONE) {
        s->mshr.entry[x->e].user = x->i;
        s->tags.tag[x->i].pinned = true;
        set_without_way(s, x->e, false);
    }
    return why ? why : s->transfers == s->transfer_capacity ? L2_BLOCKED_MISS_QUEUE : L2_SERVED;
}

static bool fetches(const struct coherence_row *row)
{
    return coherence_does(row, HOME_FETCH);
}

/* Executes the row for an event. The caller then calls next_request. */
static enum l2_result event(struct l2_slice *s, struct line_at *x, unsigned number, struct packet *p,
                            const struct l2_now *t)
{
    const struct coherence *c = s->part->cfg.coherence;
    unsigned state = state_of(s, x);
    const struct coherence_row *row = coherence_home(c, state, number);
    struct packet *r = is_request(s, p) ? p : x->e != MSHR_NONE ? s->transaction[x->e].request : NULL;
    if (!row->step[0].action)
        coherence_impossible_home(c, s->id, x->line, state, number);
    enum l2_result why = blocked_by(s, x, row, r, t->l2);
    if (!why && fetches(row))
        why = allocate_way(s, x, t);
    if (why)
        return why;
    if (s->part->cfg.coherence_seen)
        s->part->cfg.coherence_seen[row - c->home]++;
    for (int k = 0; k < COHERENCE_ACTIONS && row->step[k].action; k++)
        act(s, x, &row->step[k], p, r, t);
    if (x->i != TAG_NONE) {
        tags_touch(&s->tags, x->i);
        words_of(s, x->i)[0] = row->next;
    }
    if (!row->next && state && x->e != MSHR_NONE)
        evict_line(s, x, t->l2);
    return L2_SERVED;
}

/* A protocol's requests, whose kinds are its own, are counted by the access that they are for. */
static const struct cache_stats *stats_of(const struct packet *p)
{
    if (is_other(p))
        return l2_stats(p);
    return &cache_stats[p->type == ACCESS_GLOBAL_LOAD ? CACHE_STATS_L2_READ
                        : p->type == ACCESS_ATOMIC    ? CACHE_STATS_L2_ATOMIC
                                                      : CACHE_STATS_L2_WRITE];
}

static unsigned event_of(const struct l2_slice *s, const struct line_at *x, const struct packet *p)
{
    if (is_other(p))
        return p->kind == MSG_READ ? HOME_OTHER_READ : HOME_OTHER_WRITE;
    unsigned number = p->kind - (unsigned)MSG_PROTOCOL, stranger = message_of(s, number)->nonsharer;
    return HOME_EVENTS + (stranger && !shares(s, x, p->sm) ? stranger : number);
}

/* ---- messages ---- */

/* The request waits for a way in an MSHR entry, if that leaves one for the victim. */
static bool wait_for_way(struct l2_slice *s, struct line_at *x, struct packet *p)
{
    if (s->mshr.n + 2 > s->mshr.entries)
        return false;
    x->e = new_entry(s, x->line);
    s->mshr.entry[x->e].user = TAG_NONE;
    mshr_add(&s->mshr, x->e, p);
    set_without_way(s, x->e, true);
    return true;
}

/* A request for a line that is not busy. One that needs a way waits after the requests that need one already. */
static enum l2_result admit(struct l2_slice *s, struct line_at *x, struct packet *p, const struct l2_now *t)
{
    unsigned number = event_of(s, x, p);
    const struct coherence_row *row = coherence_home(s->part->cfg.coherence, state_of(s, x), number);
    bool allocates = fetches(row) && x->i == TAG_NONE;
    enum l2_result why = allocates && s->without_way ? L2_BLOCKED_OLDER : event(s, x, number, p, t);
    if (why && !(allocates && x->i == TAG_NONE && wait_for_way(s, x, p)))
        return why;
    const struct cache_stats *n = stats_of(p);
    s->part->count[fetches(row) ? n->misses : coherence_does(row, HOME_WAIT) ? n->merged : n->hits]++;
    return L2_SERVED;
}

static enum l2_result request(struct l2_slice *s, struct line_at *x, struct packet *p, const struct l2_now *t)
{
    bool others_first = x->e != MSHR_NONE && state_of(s, x) < s->part->cfg.coherence->home_stable;
    if (!others_first) {
        enum l2_result why = admit(s, x, p, t);
        if (!why)
            next_request(s, x);
        return why;
    }
    if (!mshr_add(&s->mshr, x->e, p))
        return L2_BLOCKED_MERGES;
    p->found = PACKET_FOUND_PENDING;
    s->part->count[stats_of(p)->merged]++;
    return L2_SERVED;
}

/* An acknowledgement or a notification: ends here. */
static enum l2_result finish(struct l2_slice *s, struct line_at *x, struct packet *p, const struct l2_now *t)
{
    unsigned number = p->kind - (unsigned)MSG_PROTOCOL;
    enum l2_result why = event(s, x, HOME_EVENTS + number, p, t);
    if (why)
        return why;
    if (message_of(s, number)->class == COHERENCE_NOTIFICATION) {
        packet_return(p);
        next_request(s, x);
        return L2_SERVED;
    }
    packet_free(&s->pool, p);
    assert(x->e != MSHR_NONE && s->transaction[x->e].pending_acks);
    if (!--s->transaction[x->e].pending_acks) {
        s->transaction[x->e].event = 1 + HOME_ACKED;
        make_ready(s, x->e);
    }
    return L2_SERVED;
}

enum l2_result l2_coherence_message(struct l2_slice *s, struct packet *p, const struct l2_now *t)
{
    struct line_at x = find(s, p->mapped);
    if (x.e != MSHR_NONE && !s->transaction[x.e].coherent)
        return L2_BLOCKED_OTHER_CACHE;
    return is_request(s, p) ? request(s, &x, p, t) : finish(s, &x, p, t);
}

bool l2_coherence_has(const struct l2_slice *s, const struct packet *p)
{
    struct line_at x = find(s, p->mapped);
    return x.e != MSHR_NONE ? s->transaction[x.e].coherent : state_of(s, &x) != 0;
}

enum l2_result l2_coherence_other(struct l2_slice *s, struct packet *p, const struct l2_now *t)
{
    struct line_at x = find(s, p->mapped);
    return request(s, &x, p, t);
}

/* ---- eviction ---- */

static bool is_evicting(const struct l2_slice *s, const struct tag *g)
{
    uint32_t e = g->state && g->pinned ? mshr_find(&s->mshr, g->line) : MSHR_NONE;
    return e != MSHR_NONE && s->transaction[e].coherent && s->transaction[e].evicting;
}

/* Is a line of this set being evicted already? */
static bool set_is_evicting(const struct l2_slice *s, uint64_t line)
{
    uint32_t first = tags_set(&s->tags, line) * s->tags.ways;
    for (uint32_t i = first; i < first + s->tags.ways; i++)
        if (is_evicting(s, &s->tags.tag[i]))
            return true;
    return false;
}

enum l2_result l2_coherence_evict(struct l2_slice *s, uint32_t i, const struct l2_now *t)
{
    struct line_at x = { s->tags.tag[i].line, i, MSHR_NONE };
    if (!state_of(s, &x))
        return L2_SERVED;
    if (set_is_evicting(s, x.line))
        return L2_BLOCKED_SET_EVICTION;
    enum l2_result why = event(s, &x, HOME_EVICT, NULL, t);
    if (why || x.e == MSHR_NONE)
        return why;
    s->transaction[x.e].evicting = true;
    return L2_BLOCKED_SET_EVICTION;
}

/* ---- later events ---- */

void l2_coherence_filled(struct l2_slice *s, uint32_t e)
{
    s->transaction[e].event = 1 + HOME_FILLED;
    make_ready(s, e);
}

/* Is the oldest request of a line that has arrived the same message as that which the line is busy with? */
static bool fills_again(const struct l2_slice *s, const struct line_at *x)
{
    const struct packet *next = mshr_first(&s->mshr, x->e);
    const struct coherence_row *row = coherence_home(s->part->cfg.coherence, state_of(s, x), HOME_FILLED_AGAIN);
    return row->step[0].action && next && next->kind == s->transaction[x->e].request->kind;
}

/* p: the oldest request that waits; NULL: the entry has an event. */
static unsigned next_event(const struct l2_slice *s, const struct line_at *x, const struct packet *p)
{
    unsigned number = p ? event_of(s, x, p) : s->transaction[x->e].event - 1u;
    return number == HOME_FILLED && fills_again(s, x) ? HOME_FILLED_AGAIN : number;
}

/* The entry's event, or the oldest request that waits in it; false: blocked. */
static bool run_entry(struct l2_slice *s, uint32_t e, const struct l2_now *t)
{
    struct line_at x = { s->mshr.entry[e].line, s->mshr.entry[e].user, e };
    uint8_t pending = s->transaction[e].event;
    struct packet *p = pending ? NULL : mshr_first(&s->mshr, e), *fetched = s->transaction[e].request;
    unsigned number = next_event(s, &x, p);
    bool replies = pending == 1 + HOME_FILLED && !fetched->own;
    s->transaction[e].event = 0;
    if (event(s, &x, number, p, t)) {
        s->transaction[e].event = pending;
        return false;
    }
    s->transaction[e].evicting = false;
    if (replies)
        l2_stamp_dram(fetched, &s->miss[e], ALL_SECTORS);
    if (p)
        mshr_take(&s->mshr, e);
    next_request(s, &x);
    return true;
}

bool l2_coherence_run(struct l2_slice *s, const struct l2_now *t)
{
    for (uint32_t k = s->ready.n; k; k--) {
        uint32_t e = ring_pop(&s->ready);
        s->transaction[e].listed = false;
        if (run_entry(s, e, t))
            return true;
        make_ready(s, e);
    }
    return false;
}

bool l2_coherence_probe(struct l2_slice *s, const struct l2_now *t)
{
    uint32_t e = s->probing.e[s->probing.first], w = 0;
    struct l2_transaction *b = &s->transaction[e];
    const struct coherence_message *m = message_of(s, b->probe);
    if (s->replies[m->vn] >= s->part->cfg.l2.reply_queue)
        return false;
    while (!b->unprobed[w])
        w++;
    unsigned sm = w * 64 + (unsigned)__builtin_ctzll(b->unprobed[w]);
    struct packet *p = partition_packet(s->part, s->id, (unsigned)MSG_PROTOCOL + b->probe, m->vn, s->mshr.entry[e].line,
                                        (uint16_t)sm);
    p->bytes = coherence_bytes(m);
    p->stamp[STAMP_ISSUE] = t->core;
    s->replies[m->vn]++;
    packet_push(&s->out[m->vn], p);
    b->unprobed[w] &= b->unprobed[w] - 1;
    while (w < s->directory_words - 1 && !b->unprobed[w])
        w++;
    if (w == s->directory_words - 1)
        ring_pop(&s->probing);
    return true;
}

/* ---- accesses in no time ---- */

bool l2_coherence_stable(const struct l2_slice *s, uint64_t line)
{
    struct line_at x = find(s, line);
    return state_of(s, &x) < s->part->cfg.coherence->home_stable;
}

/* The message that an access which is not the protocol's makes the home send to sharers; -1 = none. */
static int probe_of(const struct coherence_row *row)
{
    for (int k = 0; k < COHERENCE_ACTIONS && row->step[k].action; k++)
        if (row->step[k].action == HOME_PROBE)
            return row->step[k].operand;
    return -1;
}

int l2_coherence_holder(const struct l2_slice *s, uint64_t line)
{
    struct line_at x = find(s, line);
    const struct coherence_row *row = coherence_home(s->part->cfg.coherence, state_of(s, &x), HOME_OTHER_READ);
    if (x.i == TAG_NONE || probe_of(row) < 0)
        return -1;
    for (uint32_t w = 0; w < s->directory_words - 1; w++)
        if (words_of(s, x.i)[1 + w])
            return (int)(w * 64) + __builtin_ctzll(words_of(s, x.i)[1 + w]);
    return -1;
}

/* The actions of a row that concern the line and the sharers. p: the acknowledgement. */
static void act_at_once(struct l2_slice *s, const struct line_at *x, const struct coherence_row *row,
                        const struct packet *p)
{
    for (int k = 0; k < COHERENCE_ACTIONS && row->step[k].action; k++)
        switch ((enum home_action)row->step[k].action) {
        case HOME_UPDATE:
            memcpy(memory_of(x), p->data, LINE_BYTES);
            l2_mark_dirty(s, x->i, ALL_SECTORS);
            break;
        case HOME_UNSHARE: words_of(s, x->i)[1 + p->sm / 64] &= ~(UINT64_C(1) << p->sm % 64); break;
        case HOME_CLEAR: clear_sharers(s, x); break;
        case HOME_COUNT: s->part->count[s->part->cfg.coherence->counter[row->step[k].operand]]++; break;
        default: break;
        }
}

void l2_coherence_take(struct l2_slice *s, uint64_t line, const struct partition_probe *probe)
{
    const struct coherence *c = s->part->cfg.coherence;
    struct line_at x = find(s, line);
    const struct coherence_row *row = coherence_home(c, state_of(s, &x), HOME_OTHER_WRITE), *acked;
    int number = probe_of(row);
    if (x.i == TAG_NONE || number < 0)
        return;
    act_at_once(s, &x, row, NULL);
    for (uint32_t w = 0; w < s->directory_words - 1; w++)
        for (uint64_t m = words_of(s, x.i)[1 + w]; m; m &= m - 1) {
            struct packet p = { .kind = (uint8_t)(MSG_PROTOCOL + number), .line = line };
            p.sm = (uint16_t)(w * 64 + (unsigned)__builtin_ctzll(m));
            probe->probe(probe->ctx, p.sm, &p);
            act_at_once(s, &x, coherence_home(c, row->next, HOME_EVENTS + p.kind - (unsigned)MSG_PROTOCOL), &p);
        }
    acked = coherence_home(c, row->next, HOME_ACKED);
    act_at_once(s, &x, acked, NULL);
    words_of(s, x.i)[0] = acked->next;
}
