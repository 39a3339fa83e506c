/*
 * The home of a coherence protocol: runs the rows of its table (coherence.h) on the tags, MSHR entries and queues of
 * an L2 slice. A line with an entry is busy. What is to be done about it later (its bytes are there, the last answer
 * has come, a request that waited has its turn) is worked from a list, one thing a cycle; what lacks room there lets
 * the others go first.
 *
 * A line that is fetched may have to wait until another one is called back from the L1s and gives its place up. The
 * request then waits in an entry without a place, not at the head of its network, and others behind it go on. That
 * leaves one entry free for the line that is called back; so either a place or an entry is to be had, or somebody
 * is about to finish.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "memsys/l2/l2.h"

/* A line at an event: its place in the tags, its entry. */
struct place { uint64_t line; uint32_t i, e; };

void l2_coherence_init(struct slice *s)
{
    static const char what[] = "directory entries of an L2 slice";
    const struct partition_cfg *c = &s->part->cfg;
    uint32_t entries = c->l2.mshrs, sharers = (c->sms + 63) / 64;
    s->words = 1 + sharers;
    s->protocol = mem_zero((size_t)c->l2.sets * c->l2.ways * s->words, sizeof *s->protocol, what);
    s->busy = mem_zero(entries, sizeof *s->busy, what);
    s->busy[0].uncalled = mem_zero((size_t)entries * sharers, sizeof *s->busy[0].uncalled, what);
    for (uint32_t e = 1; e < entries; e++)
        s->busy[e].uncalled = s->busy[e - 1].uncalled + sharers;
    s->work = (struct l2_ring){ .e = mem_zero(entries, sizeof *s->work.e, what), .places = entries };
    s->calling = (struct l2_ring){ .e = mem_zero(entries, sizeof *s->calling.e, what), .places = entries };
}

void l2_coherence_end(struct slice *s)
{
    free(s->protocol);
    free(s->busy[0].uncalled);
    free(s->busy);
    free(s->work.e);
    free(s->calling.e);
}

static void ring_push(struct l2_ring *r, uint32_t e)
{
    uint32_t at = r->first + r->n++;
    r->e[at < r->places ? at : at - r->places] = e;
}

static uint32_t ring_pop(struct l2_ring *r)
{
    uint32_t e = r->e[r->first];
    r->first = r->first + 1 < r->places ? r->first + 1 : 0;
    r->n--;
    return e;
}

static void list(struct slice *s, uint32_t e)
{
    if (!s->busy[e].listed)
        ring_push(&s->work, e);
    s->busy[e].listed = true;
}

/* ---- lines ---- */

static uint64_t *words_of(const struct slice *s, uint32_t i)
{
    return &s->protocol[(size_t)i * s->words];
}

static unsigned state_of(const struct slice *s, const struct place *x)
{
    return x->i == TAG_NONE ? 0 : (unsigned)words_of(s, x->i)[0];
}

static struct place find(const struct slice *s, uint64_t line)
{
    return (struct place){ line, tags_find(&s->tags, line), mshr_find(&s->mshr, line) };
}

unsigned l2_coherence_state(const struct slice *s, uint64_t line)
{
    struct place x = find(s, line);
    return state_of(s, &x);
}

static bool shares(const struct slice *s, const struct place *x, uint16_t sm)
{
    return x->i != TAG_NONE && words_of(s, x->i)[1 + sm / 64] >> sm % 64 & 1;
}

static void clear_sharers(struct slice *s, const struct place *x)
{
    memset(words_of(s, x->i) + 1, 0, (s->words - 1) * sizeof(uint64_t));
}

static uint32_t new_entry(struct slice *s, uint64_t line)
{
    uint32_t e = mshr_new(&s->mshr, line);
    s->miss[e] = (struct l2_missing){ .next = MSHR_NONE };
    s->busy[e] = (struct l2_transaction){ .uncalled = s->busy[e].uncalled, .coherent = true };
    return e;
}

static void enter(struct slice *s, struct place *x, struct packet *request)
{
    if (x->e == MSHR_NONE)
        x->e = new_entry(s, x->line);
    s->busy[x->e].request = request;
    s->mshr.entry[x->e].user = x->i;
    s->tags.tag[x->i].pinned = true;
}

/* The line goes from the tags. */
static void evict_line(struct slice *s, struct place *x, uint64_t now)
{
    struct tag *g = &s->tags.tag[x->i];
    if (g->dirty)
        l2_write_back(s, x->i, now);
    g->state = 0;
    g->pinned = false;
    s->mshr.entry[x->e].user = x->i = TAG_NONE;
    s->parked += s->mshr.entry[x->e].n > 0;
    s->part->count[STAT_L2_EVICTIONS]++;
}

/* What an entry does next, its event done: it waits for messages, has the next request's turn, or is free. */
static void settle(struct slice *s, struct place *x)
{
    if (x->e == MSHR_NONE || state_of(s, x) >= s->part->cfg.coherence->home_stable)
        return;
    if (s->mshr.entry[x->e].n) {
        list(s, x->e);
        return;
    }
    if (x->i != TAG_NONE)
        s->tags.tag[x->i].pinned = false;
    s->busy[x->e].coherent = false;
    mshr_free(&s->mshr, x->e);
}

/* ---- actions ---- */

static const struct coherence_message *message_of(const struct slice *s, unsigned number)
{
    return &s->part->cfg.coherence->message[number];
}

static bool is_request(const struct slice *s, const struct packet *p)
{
    return p && message_of(s, p->kind - (unsigned)MSG_PROTOCOL)->class == COHERENCE_REQUEST;
}

static uint8_t *memory_of(const struct place *x)
{
    return (uint8_t *)(uintptr_t)x->line;
}

static void use_data(struct slice *s, uint8_t sectors, uint64_t now)
{
    s->data_free = now + s->part->data_cycles[l2_sectors(sectors)];
}

/* The request becomes this message. */
static void turn_into(struct slice *s, const struct place *x, struct packet *r, unsigned number, const struct l2_now *t)
{
    const struct coherence_message *m = message_of(s, number);
    assert(r);
    if (x->e != MSHR_NONE && s->busy[x->e].request == r)
        s->busy[x->e].request = NULL;
    r->kind = (uint8_t)(MSG_PROTOCOL + number);
    r->vn = m->vn;
    r->stamp[STAMP_L2] = t->core;
    s->places[r->vn]++;
}

static void reply(struct slice *s, const struct place *x, struct packet *r, unsigned number, const struct l2_now *t)
{
    turn_into(s, x, r, number, t);
    r->bytes = coherence_bytes(message_of(s, number));
    if (message_of(s, number)->payload == COHERENCE_LINE) {
        r->sectors = ALL_SECTORS;
        memcpy(r->data, memory_of(x), LINE_BYTES);
        use_data(s, ALL_SECTORS, t->l2);
    }
    packet_push(&s->out[r->vn], r);
}

static void fetch(struct slice *s, struct place *x, struct packet *p, const struct l2_now *t)
{
    s->parked -= x->e != MSHR_NONE && s->mshr.entry[x->e].user == TAG_NONE;
    enter(s, x, p);
    uint8_t lacking = ALL_SECTORS & (uint8_t)~s->tags.tag[x->i].valid;
    p->stamp[STAMP_DRAM_QUEUE] = t->core;
    if (lacking)
        l2_send_line(s, x->line, s->part->cfg.l2.sectored ? lacking : ALL_SECTORS, x->e, false, t->l2);
    else
        l2_coherence_filled(s, x->e);
}

/* To all sharers but one; except: its packet, NULL = to all. */
static void call(struct slice *s, const struct place *x, unsigned number, const struct packet *except)
{
    struct l2_transaction *b = &s->busy[x->e];
    const uint64_t *sharers = words_of(s, x->i) + 1;
    for (uint32_t w = 0; w < s->words - 1; w++) {
        b->uncalled[w] = sharers[w];
        if (except && except->sm / 64u == w)
            b->uncalled[w] &= ~(UINT64_C(1) << except->sm % 64);
        b->awaited += (uint32_t)__builtin_popcountll(b->uncalled[w]);
    }
    b->call = (uint8_t)number;
    if (b->awaited) {
        ring_push(&s->calling, x->e);
        return;
    }
    b->event = 1 + HOME_ACKED;
    list(s, x->e);
}

static void take_line(struct slice *s, const struct place *x, const struct packet *p, uint64_t now)
{
    memcpy(memory_of(x), p->data, LINE_BYTES);
    l2_mark_dirty(s, x->i, ALL_SECTORS);
    use_data(s, ALL_SECTORS, now);
}

static void write(struct slice *s, const struct place *x, const struct packet *r, uint64_t now)
{
    line_merge(memory_of(x), r->data, r->mask);
    l2_mark_dirty(s, x->i, r->sectors);
    use_data(s, r->sectors, now);
}

static void operate(struct slice *s, const struct place *x, struct packet *r, unsigned number, const struct l2_now *t)
{
    turn_into(s, x, r, number, t);
    l2_mark_dirty(s, x->i, r->sectors);
    use_data(s, r->sectors, t->l2);
    l2_start_atomic(s, r, t->l2);
}

/* p: the message, NULL at other events; r: the request that the line is busy with, or that has come. */
static void act(struct slice *s, struct place *x, const struct coherence_step *a, struct packet *p, struct packet *r,
                const struct l2_now *t)
{
    uint64_t *words = x->i == TAG_NONE ? NULL : words_of(s, x->i);
    switch ((enum home_action)a->action) {
    case HOME_NOP: break;
    case HOME_WAIT: mshr_add(&s->mshr, x->e, p); break;
    case HOME_MSHR: enter(s, x, p); break;
    case HOME_FETCH: fetch(s, x, p, t); break;
    case HOME_REPLY: reply(s, x, r, a->operand, t); break;
    case HOME_PROBE: call(s, x, a->operand, NULL); break;
    case HOME_PROBE_OTHERS: call(s, x, a->operand, r); break;
    case HOME_UPDATE: take_line(s, x, p, t->l2); break;
    case HOME_WRITE: write(s, x, r, t->l2); break;
    case HOME_ATOMIC: operate(s, x, r, a->operand, t); break;
    case HOME_CLEAR: clear_sharers(s, x); break;
    case HOME_COUNT: s->part->count[s->part->cfg.coherence->counter[a->operand]]++; break;
    case HOME_UNSHARE: words[1 + p->sm / 64] &= ~(UINT64_C(1) << p->sm % 64); break;
    case HOME_OWN:
        clear_sharers(s, x);             /* fall through */
    case HOME_SHARE: words[1 + r->sm / 64] |= UINT64_C(1) << r->sm % 64; break;
    }
}

/* ---- rows ---- */

/* What the row lacks room for, or what its data wait for; L2_SERVED = nothing. */
static enum l2_blocked lacks(const struct slice *s, const struct place *x, const struct coherence_row *row,
                            uint64_t now)
{
    const struct l2_cfg *c = &s->part->cfg.l2;
    bool entry = false, data = false, dirty = x->i != TAG_NONE && s->tags.tag[x->i].dirty;
    for (int k = 0; k < COHERENCE_ACTIONS && row->step[k].action; k++) {
        unsigned a = row->step[k].action;
        const struct coherence_message *m = message_of(s, row->step[k].operand);
        bool sends_line = a == HOME_REPLY && m->payload == COHERENCE_LINE;
        if (a == HOME_WAIT && !mshr_mergeable(&s->mshr, x->e))
            return L2_BLOCKED_MERGES;
        if ((a == HOME_REPLY || a == HOME_ATOMIC) && s->places[m->vn] >= c->reply_queue)
            return L2_BLOCKED_REPLY_QUEUE;
        if (a == HOME_ATOMIC && s->atomic)
            return L2_BLOCKED_ATOMIC_UNIT;
        entry |= a == HOME_MSHR || a == HOME_FETCH;
        data |= sends_line || a == HOME_UPDATE || a == HOME_WRITE || a == HOME_ATOMIC;
    }
    if (data && s->data_free > now)
        return L2_BLOCKED_DATA_ARRAY;
    if (entry && x->e == MSHR_NONE && mshr_full(&s->mshr))
        return L2_BLOCKED_MSHR;
    return !row->next && dirty && s->transfers == s->transfer_places ? L2_BLOCKED_MISS_QUEUE : L2_SERVED;
}

/* A place for a line that is to be fetched, and in the miss queue. */
static enum l2_blocked place_for(struct slice *s, struct place *x, const struct l2_now *t)
{
    enum l2_blocked why = x->i == TAG_NONE ? l2_make_room(s, x->line, &x->i, t) : L2_SERVED;
    return why ? why : s->transfers == s->transfer_places ? L2_BLOCKED_MISS_QUEUE : L2_SERVED;
}

static bool fetches(const struct coherence_row *row)
{
    return coherence_does(row, HOME_FETCH);
}

/* Runs the row for an event. L2_SERVED: done, else why not yet. The entry is the caller's to settle. */
static enum l2_blocked event(struct slice *s, struct place *x, unsigned number, struct packet *p,
                             const struct l2_now *t)
{
    const struct coherence *c = s->part->cfg.coherence;
    unsigned state = state_of(s, x);
    const struct coherence_row *row = coherence_home(c, state, number);
    struct packet *r = is_request(s, p) ? p : x->e != MSHR_NONE ? s->busy[x->e].request : L2_SERVED;
    if (!row->step[0].action)
        coherence_impossible_home(c, s->id, x->line, state, number);
    enum l2_blocked why = lacks(s, x, row, t->l2);
    if (!why && fetches(row))
        why = place_for(s, x, t);
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
    return &cache_stats[p->type == ACCESS_GLOBAL_LOAD ? CACHE_STATS_L2_READ
                        : p->type == ACCESS_ATOMIC    ? CACHE_STATS_L2_ATOMIC
                                                      : CACHE_STATS_L2_WRITE];
}

static unsigned event_of(const struct slice *s, const struct place *x, const struct packet *p)
{
    unsigned number = p->kind - (unsigned)MSG_PROTOCOL, stranger = message_of(s, number)->nonsharer;
    return HOME_EVENTS + (stranger && !shares(s, x, p->sm) ? stranger : number);
}

/* ---- messages ---- */

/* The request waits for a place in an entry, if that leaves one for a line that makes room. */
static bool park(struct slice *s, struct place *x, struct packet *p)
{
    if (s->mshr.n + 2 > s->mshr.entries)
        return false;
    x->e = new_entry(s, x->line);
    s->mshr.entry[x->e].user = TAG_NONE;
    mshr_add(&s->mshr, x->e, p);
    s->parked++;
    return true;
}

/* A request for a line that is not busy. One that needs a place in the L2 waits for it behind others. */
static enum l2_blocked admit(struct slice *s, struct place *x, struct packet *p, const struct l2_now *t)
{
    unsigned number = event_of(s, x, p);
    const struct coherence_row *row = coherence_home(s->part->cfg.coherence, state_of(s, x), number);
    bool place = fetches(row) && x->i == TAG_NONE;
    enum l2_blocked why = place && s->parked ? L2_BLOCKED_EVICTIONS : event(s, x, number, p, t);
    if (why && !(place && park(s, x, p)))
        return why;
    const struct cache_stats *n = stats_of(p);
    s->part->count[fetches(row) ? n->misses : coherence_does(row, HOME_WAIT) ? n->merged : n->hits]++;
    return L2_SERVED;
}

static enum l2_blocked request(struct slice *s, struct place *x, struct packet *p, const struct l2_now *t)
{
    bool others_first = x->e != MSHR_NONE && state_of(s, x) < s->part->cfg.coherence->home_stable;
    if (!others_first) {
        enum l2_blocked why = admit(s, x, p, t);
        if (!why)
            settle(s, x);
        return why;
    }
    if (!mshr_add(&s->mshr, x->e, p))
        return L2_BLOCKED_MERGES;
    s->part->count[stats_of(p)->merged]++;
    return L2_SERVED;
}

/* An answer or a note: its way is over. */
static enum l2_blocked finish(struct slice *s, struct place *x, struct packet *p, const struct l2_now *t)
{
    unsigned number = p->kind - (unsigned)MSG_PROTOCOL;
    enum l2_blocked why = event(s, x, HOME_EVENTS + number, p, t);
    if (why)
        return why;
    if (message_of(s, number)->class == COHERENCE_NOTIFICATION) {
        packet_return(p);
        settle(s, x);
        return L2_SERVED;
    }
    packet_free(&s->pool, p);
    assert(x->e != MSHR_NONE && s->busy[x->e].awaited);
    if (!--s->busy[x->e].awaited) {
        s->busy[x->e].event = 1 + HOME_ACKED;
        list(s, x->e);
    }
    return L2_SERVED;
}

enum l2_blocked l2_coherence_message(struct slice *s, struct packet *p, const struct l2_now *t)
{
    struct place x = find(s, p->mapped);
    if (x.e != MSHR_NONE && !s->busy[x.e].coherent)
        return L2_BLOCKED_OTHER_CACHE;
    return is_request(s, p) ? request(s, &x, p, t) : finish(s, &x, p, t);
}

enum l2_blocked l2_coherence_beside(struct slice *s, uint32_t e, struct packet *p, const struct l2_now *t)
{
    uint32_t i = s->mshr.entry[e].user;
    enum l2_blocked why = l2_cannot_perform(s, p, t->l2);
    if (i == TAG_NONE || l2_needs(s, p) & ~s->tags.tag[i].valid)
        return L2_BLOCKED_LINE_BUSY;
    if (why)
        return why;
    s->part->count[l2_stats(p)->hits]++;
    l2_perform(s, i, p, t);
    return L2_SERVED;
}

/* ---- eviction ---- */

static bool leaves(const struct slice *s, const struct tag *g)
{
    uint32_t e = g->state && g->pinned ? mshr_find(&s->mshr, g->line) : MSHR_NONE;
    return e != MSHR_NONE && s->busy[e].coherent && s->busy[e].leaves;
}

/* Is a line of this set called back already? */
static bool set_leaves(const struct slice *s, uint64_t line)
{
    uint32_t first = tags_set(&s->tags, line) * s->tags.ways;
    for (uint32_t i = first; i < first + s->tags.ways; i++)
        if (leaves(s, &s->tags.tag[i]))
            return true;
    return false;
}

enum l2_blocked l2_coherence_evict(struct slice *s, uint32_t i, const struct l2_now *t)
{
    struct place x = { s->tags.tag[i].line, i, MSHR_NONE };
    if (!state_of(s, &x))
        return L2_SERVED;
    if (set_leaves(s, x.line))
        return L2_BLOCKED_EVICTION;
    enum l2_blocked why = event(s, &x, HOME_EVICT, NULL, t);
    if (why || x.e == MSHR_NONE)
        return why;
    s->busy[x.e].leaves = true;
    return L2_BLOCKED_EVICTION;
}

/* ---- what is worked later ---- */

void l2_coherence_filled(struct slice *s, uint32_t e)
{
    s->busy[e].event = 1 + HOME_FILLED;
    list(s, e);
}

/* The entry's event, or the oldest request that waits in it; false: not yet. */
static bool work_entry(struct slice *s, uint32_t e, const struct l2_now *t)
{
    struct place x = { s->mshr.entry[e].line, s->mshr.entry[e].user, e };
    unsigned number = s->busy[e].event;
    struct packet *p = number ? NULL : mshr_first(&s->mshr, e), *fetched = s->busy[e].request;
    s->busy[e].event = 0;
    if (event(s, &x, number ? number - 1 : event_of(s, &x, p), p, t)) {
        s->busy[e].event = (uint8_t)number;
        return false;
    }
    s->busy[e].leaves = false;
    if (number == 1 + HOME_FILLED)
        l2_stamp_dram(fetched, &s->miss[e]);
    if (p)
        mshr_take(&s->mshr, e);
    settle(s, &x);
    return true;
}

bool l2_coherence_work(struct slice *s, const struct l2_now *t)
{
    for (uint32_t k = s->work.n; k; k--) {
        uint32_t e = ring_pop(&s->work);
        s->busy[e].listed = false;
        if (work_entry(s, e, t))
            return true;
        list(s, e);
    }
    return false;
}

bool l2_coherence_call(struct slice *s, const struct l2_now *t)
{
    uint32_t e = s->calling.e[s->calling.first], w = 0;
    struct l2_transaction *b = &s->busy[e];
    const struct coherence_message *m = message_of(s, b->call);
    if (s->places[m->vn] >= s->part->cfg.l2.reply_queue)
        return false;
    while (!b->uncalled[w])
        w++;
    unsigned sm = w * 64 + (unsigned)__builtin_ctzll(b->uncalled[w]);
    struct packet *p = partition_packet(s->part, s->id, (unsigned)MSG_PROTOCOL + b->call, m->vn, s->mshr.entry[e].line,
                                        (uint16_t)sm);
    p->bytes = coherence_bytes(m);
    p->stamp[STAMP_ISSUE] = t->core;
    s->places[m->vn]++;
    packet_push(&s->out[m->vn], p);
    b->uncalled[w] &= b->uncalled[w] - 1;
    while (w < s->words - 1 && !b->uncalled[w])
        w++;
    if (w == s->words - 1)
        ring_pop(&s->calling);
    return true;
}
