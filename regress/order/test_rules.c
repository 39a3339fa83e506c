/*
 * A model of the rules of type-aware sequential consistency (docs/ordering.md), without time: small random programs on
 * random SMs, every step a random choice among those that the rules allow, with evictions and recalls. The outcome must
 * be one of sequential consistency, which a search over interleavings decides (Lamport, IEEE Transactions on Computers
 * C-28, 1979). Each rule is dropped in turn, and an outcome that is not sequentially consistent, or a hang, must show
 * it. The model shares no code with the product.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 4, OPS = 4, SMS = 3, PLACES = 3, DEPTH = THREADS * OPS, MESSAGES = 64, DRAINS = 8 };

enum rule {
    NO_FAULT, UNSAFE_AT_ONCE, NO_RECORDS, NO_DRAIN, RECORDS_UNDRAINED, FIFO_PASSED, RECALL_KEEPS_UNSAFE,
    RECALL_SKIPS_UNSAFE, NOT_BUSY, REQUESTER_UNDRAINED, OUT_OF_ORDER, ATOMICS_UNCHECKED, ATOMICS_UNRECORDED,
    UNSAFE_UNORDERED, RULES
};

enum kind { LOAD, STORE, SWAP };
enum where { PROGRAM, WAITING, SAFE_QUEUE, UNSAFE_QUEUE, IN_L1, PERFORMED };
struct op { uint8_t kind, place, where, unsafe, written, read, thread, index; };

struct list { uint8_t n; struct op *op[DEPTH]; };
struct record { struct op *op; uint8_t seq; };

struct thread { uint8_t n, next, sm; struct op op[OPS]; struct list waiting, unsafe; };

enum right { NONE, R, W, U };
struct sm {
    uint8_t right[PLACES], asked[PLACES][U];
    struct list safe, line[PLACES];
    uint8_t records, drains;
    struct record record[DEPTH];
    struct { uint8_t place; bool recall; } drain[DRAINS];
};

enum state { INVALID, PRIVATE_R, PRIVATE_W, SHARED_R, SHARED_W };
struct request { uint8_t sm, need; };
struct home {
    uint8_t state, owner, acks, right, queued, grants;
    bool busy, recalling;            /* busy: acknowledgements are outstanding */
    struct request now, queue[2 * SMS + 2];
};

enum type { REQUEST, GRANT, INVALIDATE, RECALL, ACK, UNBLOCK, TYPES };
struct message { uint8_t type, sm, place, value; };

struct run {
    enum rule fault;
    uint64_t random;
    uint8_t threads, sms, recalls, evictions, messages, memory[PLACES];
    struct thread thread[THREADS];
    struct sm sm[SMS];
    struct home home[PLACES];
    struct message message[MESSAGES];
    uint8_t slow[SMS][PLACES], delay[TYPES];         /* weights of this run */
};

static uint32_t draw(struct run *r, uint32_t n)
{
    r->random ^= r->random << 13;
    r->random ^= r->random >> 7;
    r->random ^= r->random << 17;
    return (uint32_t)(r->random >> 24) % n;
}

/* ---- lists, messages ---- */

static void push(struct list *l, struct op *o, enum where where)
{
    l->op[l->n++] = o;
    o->where = (uint8_t)where;
}

static struct op *pull(struct list *l, unsigned i)
{
    struct op *o = l->op[i];
    memmove(&l->op[i], &l->op[i + 1], (--l->n - i) * sizeof *l->op);
    return o;
}

static bool has_place(const struct list *l, unsigned n, unsigned place)
{
    for (unsigned i = 0; i < n; i++)
        if (l->op[i]->place == place)
            return true;
    return false;
}

static void send(struct run *r, enum type type, unsigned sm, unsigned place, unsigned value)
{
    assert_true(r->messages < MESSAGES);
    r->message[r->messages++] = (struct message){ (uint8_t)type, (uint8_t)sm, (uint8_t)place, (uint8_t)value };
}

/* ---- an SM ---- */

static enum right needed(const struct op *o)
{
    return o->kind == LOAD ? R : W;
}

/* The thread's oldest unsafe access that has not performed; UINT8_MAX = none. */
static unsigned oldest_unsafe(const struct thread *t)
{
    for (unsigned i = 0; i < t->n; i++)
        if (t->op[i].unsafe && t->op[i].where != PERFORMED)
            return i;
    return UINT8_MAX;
}

static unsigned youngest_unsafe(const struct thread *t)
{
    unsigned y = UINT8_MAX;
    for (unsigned i = 0; i < t->n; i++)
        if (t->op[i].unsafe && t->op[i].where != PERFORMED)
            y = i;
    return y;
}

static bool conflicts(const struct run *r, const struct op *o)
{
    const struct sm *s = &r->sm[r->thread[o->thread].sm];
    for (unsigned i = 0; i < s->records && r->fault != NO_RECORDS; i++) {
        const struct op *k = s->record[i].op;
        if (k->place == o->place && k->thread != o->thread && (k->kind != LOAD || o->kind != LOAD))
            return true;
    }
    return false;
}

static bool classifiable(const struct run *r, const struct op *o)
{
    const struct thread *t = &r->thread[o->thread];
    enum right right = r->sm[t->sm].right[o->place];
    if (right < needed(o) || right == U)
        return right == U;
    if (conflicts(r, o) && !(o->kind == SWAP && r->fault == ATOMICS_UNCHECKED))
        return false;
    return o->kind == SWAP || !has_place(&t->unsafe, t->unsafe.n, o->place);
}

static void classify(struct run *r, struct thread *t, unsigned i)
{
    struct op *o = pull(&t->waiting, i);
    struct sm *s = &r->sm[t->sm];
    if (s->right[o->place] == U || o->kind == SWAP) {
        o->unsafe = true;
        if (s->right[o->place] != U && r->fault != ATOMICS_UNRECORDED)
            s->record[s->records++] = (struct record){ o, o->index };
        push(&t->unsafe, o, UNSAFE_QUEUE);
        return;
    }
    if (oldest_unsafe(t) != UINT8_MAX)
        s->record[s->records++] = (struct record){ o, (uint8_t)youngest_unsafe(t) };
    push(&s->safe, o, SAFE_QUEUE);
}

static void release(struct run *r, const struct thread *t)
{
    struct sm *s = &r->sm[t->sm];
    unsigned kept = 0;
    for (unsigned i = 0; i < s->records; i++)
        if (&r->thread[s->record[i].op->thread] != t || oldest_unsafe(t) <= s->record[i].seq)
            s->record[kept++] = s->record[i];
    s->records = (uint8_t)kept;
}

static void perform(struct run *r, struct sm *s, unsigned place)
{
    struct op *o = pull(&s->line[place], 0);
    o->read = r->memory[place];
    if (o->kind != LOAD)
        r->memory[place] = o->written;
    o->where = PERFORMED;
    release(r, &r->thread[o->thread]);
}

static bool may_send_unsafe(const struct run *r, const struct thread *t)
{
    if (!t->unsafe.n || has_place(&r->sm[t->sm].safe, r->sm[t->sm].safe.n, t->unsafe.op[0]->place))
        return false;
    return oldest_unsafe(t) == t->unsafe.op[0]->index || r->fault == UNSAFE_UNORDERED;
}

/* ---- draining ---- */

static bool is_drained(const struct run *r, unsigned sm, unsigned place, bool recall)
{
    const struct sm *s = &r->sm[sm];
    for (unsigned t = 0; t < r->threads; t++)
        for (unsigned i = 0; i < r->thread[t].n && r->thread[t].sm == sm; i++) {
            const struct op *o = &r->thread[t].op[i];
            bool queued = o->where >= SAFE_QUEUE && o->where <= IN_L1 && o->place == place;
            if (queued && (!o->unsafe || (recall && r->fault != RECALL_KEEPS_UNSAFE)))
                return false;
        }
    for (unsigned i = 0; i < s->records; i++)
        if (s->record[i].op->place == place && r->fault != RECORDS_UNDRAINED)
            return false;
    return true;
}

static void acknowledge(struct run *r, unsigned sm)
{
    struct sm *s = &r->sm[sm];
    unsigned kept = 0;
    for (unsigned i = 0; i < s->drains; i++)
        if (r->fault == NO_DRAIN || is_drained(r, sm, s->drain[i].place, s->drain[i].recall))
            send(r, ACK, sm, s->drain[i].place, 0);
        else
            s->drain[kept++] = s->drain[i];
    s->drains = (uint8_t)kept;
}

/* ---- a home ---- */

static void grant(struct run *r, unsigned place)
{
    struct home *h = &r->home[place];
    send(r, GRANT, h->now.sm, place, (unsigned)(h->right | h->now.need << 2));
    h->grants++;
    h->busy = false;
}

static void probe(struct run *r, unsigned place, enum type type, unsigned sms)
{
    r->home[place].acks = (uint8_t)__builtin_popcount(sms);
    for (unsigned i = 0; i < r->sms; i++)
        if (sms >> i & 1)
            send(r, type, i, place, 0);
}

static enum state next_state(const struct home *h, struct request q)
{
    enum state from = (enum state)h->state;
    bool own = h->owner == q.sm, read = q.need == R;
    if (from == INVALID || (from == PRIVATE_R && own))
        return read ? PRIVATE_R : PRIVATE_W;
    if (from == PRIVATE_W && own)
        return PRIVATE_W;
    return (from == PRIVATE_R || from == SHARED_R) && read ? SHARED_R : SHARED_W;
}

/* A sector becomes unsafe when no grant is in flight. */
static bool must_wait(const struct run *r, const struct home *h, struct request q)
{
    return h->grants && h->state != SHARED_W && next_state(h, q) == SHARED_W && r->fault != NOT_BUSY;
}

static void begin(struct run *r, unsigned place, struct request q)
{
    struct home *h = &r->home[place];
    unsigned all = (1u << r->sms) - 1;
    enum state from = (enum state)h->state, to = next_state(h, q);
    h->busy = true;
    h->now = q;
    h->state = (uint8_t)to;
    h->right = to == PRIVATE_W ? W : to == SHARED_W ? U : R;
    if (r->fault == REQUESTER_UNDRAINED)
        all &= ~(1u << q.sm);
    unsigned sms = to != SHARED_W || from == SHARED_W ? 0 : from == SHARED_R ? all : 1u << h->owner;
    if (from == INVALID)
        h->owner = q.sm;
    if (sms)
        probe(r, place, INVALIDATE, sms);
    else
        grant(r, place);
}

static void next_request(struct run *r, unsigned place)
{
    struct home *h = &r->home[place];
    while (h->queued && !h->busy && !must_wait(r, h, h->queue[0])) {
        struct request q = h->queue[0];
        memmove(h->queue, h->queue + 1, --h->queued * sizeof q);
        begin(r, place, q);
    }
}

static void recall(struct run *r, unsigned place)
{
    struct home *h = &r->home[place];
    bool owned = h->state == PRIVATE_R || h->state == PRIVATE_W;
    h->busy = h->recalling = true;
    r->recalls--;
    if (h->state == SHARED_W && r->fault == RECALL_SKIPS_UNSAFE) {
        h->state = INVALID;
        h->busy = h->recalling = false;
        next_request(r, place);
        return;
    }
    probe(r, place, RECALL, owned ? 1u << h->owner : (1u << r->sms) - 1);
}

static void acknowledged(struct run *r, unsigned place)
{
    struct home *h = &r->home[place];
    if (--h->acks)
        return;
    if (!h->recalling) {
        grant(r, place);
        next_request(r, place);
        return;
    }
    h->busy = h->recalling = false;
    h->state = INVALID;
    next_request(r, place);
}

/* ---- messages ---- */

static void drain(struct run *r, const struct message *m)
{
    struct sm *s = &r->sm[m->sm];
    s->right[m->place] = r->fault == UNSAFE_AT_ONCE && m->type == INVALIDATE ? U : NONE;
    s->drain[s->drains].place = m->place;
    s->drain[s->drains++].recall = m->type == RECALL;
}

static void deliver(struct run *r, unsigned i)
{
    struct message m = r->message[i];
    struct home *h = &r->home[m.place];
    r->message[i] = r->message[--r->messages];
    switch ((enum type)m.type) {
    case REQUEST:
        h->queue[h->queued++] = (struct request){ m.sm, m.value };
        next_request(r, m.place);
        break;
    case GRANT:
        r->sm[m.sm].right[m.place] = m.value & 3;
        r->sm[m.sm].asked[m.place][m.value >> 2] = false;
        send(r, UNBLOCK, m.sm, m.place, 0);
        break;
    case ACK: acknowledged(r, m.place); break;
    case UNBLOCK:
        h->grants--;
        next_request(r, m.place);
        break;
    default: drain(r, &m);
    }
}

/* ---- steps ---- */

enum step { ISSUE, CLASSIFY, ASK, SEND_SAFE, SEND_UNSAFE, PERFORM, DELIVER, EVICT, TAKE_BACK };
struct choice { uint8_t step, a, b; };
struct choices { uint32_t n, total; struct choice choice[256]; uint32_t upto[256]; };

static void offer(struct choices *c, enum step step, unsigned a, unsigned b, uint32_t weight)
{
    c->choice[c->n] = (struct choice){ (uint8_t)step, (uint8_t)a, (uint8_t)b };
    c->upto[c->n++] = c->total += weight;
}

static void offer_thread(const struct run *r, struct choices *c, unsigned k)
{
    const struct thread *t = &r->thread[k];
    const struct op *head = t->waiting.n ? t->waiting.op[0] : NULL;
    const struct sm *s = &r->sm[t->sm];
    if (t->next < t->n && !(head && s->right[head->place] != U && conflicts(r, head)))
        offer(c, ISSUE, k, 0, 16);
    for (unsigned i = 0; i < t->waiting.n && (!i || r->fault == OUT_OF_ORDER); i++)
        if (classifiable(r, t->waiting.op[i]))
            offer(c, CLASSIFY, k, i, 16);
    for (unsigned i = 0; i < t->waiting.n; i++)
        if (s->right[t->waiting.op[i]->place] < needed(t->waiting.op[i]) &&
            !s->asked[t->waiting.op[i]->place][needed(t->waiting.op[i])])
            offer(c, ASK, k, i, 16);
    if (may_send_unsafe(r, t))
        offer(c, SEND_UNSAFE, k, 0, 16);
}

static void offer_sm(const struct run *r, struct choices *c, unsigned k)
{
    const struct sm *s = &r->sm[k];
    for (unsigned i = 0; i < s->safe.n && (!i || r->fault == FIFO_PASSED); i++)
        offer(c, SEND_SAFE, k, i, 8);
    for (unsigned p = 0; p < PLACES; p++) {
        if (s->line[p].n)
            offer(c, PERFORM, k, p, r->slow[k][p]);
        if (s->right[p] && !s->asked[p][R] && !s->asked[p][W] && r->evictions)
            offer(c, EVICT, k, p, 1);
    }
}

static void take(struct run *r, struct choice c)
{
    struct thread *t = &r->thread[c.a < THREADS ? c.a : 0];
    struct sm *s = &r->sm[c.a < SMS ? c.a : 0];
    struct op *o;
    switch ((enum step)c.step) {
    case ISSUE: push(&t->waiting, &t->op[t->next++], WAITING); break;
    case CLASSIFY: classify(r, t, c.b); break;
    case ASK:
        o = t->waiting.op[c.b];
        r->sm[t->sm].asked[o->place][needed(o)] = true;
        send(r, REQUEST, t->sm, o->place, needed(o));
        break;
    case SEND_SAFE: o = pull(&s->safe, c.b); push(&s->line[o->place], o, IN_L1); break;
    case SEND_UNSAFE: o = pull(&t->unsafe, 0); push(&r->sm[t->sm].line[o->place], o, IN_L1); break;
    case PERFORM: perform(r, s, c.b); break;
    case DELIVER: deliver(r, c.a); break;
    case EVICT: s->right[c.b] = NONE; r->evictions--; break;
    case TAKE_BACK: recall(r, c.a); break;
    }
    for (unsigned i = 0; i < r->sms; i++)
        acknowledge(r, i);
}

/* False: nothing can be done. */
static bool step(struct run *r)
{
    struct choices c = { .n = 0 };
    for (unsigned i = 0; i < r->threads; i++)
        offer_thread(r, &c, i);
    for (unsigned i = 0; i < r->sms; i++)
        offer_sm(r, &c, i);
    for (unsigned i = 0; i < r->messages; i++)
        offer(&c, DELIVER, i, 0, r->delay[r->message[i].type]);
    for (unsigned p = 0; p < PLACES && r->recalls; p++)
        if (r->home[p].state != INVALID && !r->home[p].busy && (!r->home[p].grants || r->fault == NOT_BUSY))
            offer(&c, TAKE_BACK, p, 0, 2);
    if (!c.n)
        return false;
    uint32_t x = draw(r, c.total), i = 0;
    while (c.upto[i] <= x)
        i++;
    take(r, c.choice[i]);
    return true;
}

/* ---- programs ---- */

static void make(struct run *r, enum rule fault, uint64_t seed)
{
    uint8_t value = 0;
    *r = (struct run){ .fault = fault, .recalls = 2, .evictions = 3 };
    r->random = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
    for (int i = 0; i < 8; i++)
        draw(r, 2);
    r->threads = (uint8_t)(2 + draw(r, THREADS - 1));
    r->sms = (uint8_t)(1 + draw(r, SMS));
    for (unsigned t = 0; t < r->threads; t++) {
        struct thread *k = &r->thread[t];
        k->sm = (uint8_t)draw(r, r->sms);
        k->n = (uint8_t)(2 + draw(r, r->threads < 4 ? OPS - 1 : 2));
        for (unsigned i = 0; i < k->n; i++) {
            uint32_t kind = draw(r, 9);
            k->op[i] = (struct op){ .kind = (uint8_t)(kind < 4 ? LOAD : kind < 8 ? STORE : SWAP), .written = ++value,
                                    .place = (uint8_t)draw(r, PLACES), .thread = (uint8_t)t, .index = (uint8_t)i };
        }
    }
    bool by_sm = draw(r, 2);
    for (unsigned p = 0; p < PLACES; p++)
        for (unsigned s = 0; s < SMS; s++)
            r->slow[s][p] = s && !by_sm ? r->slow[0][p] : draw(r, 2) ? 1 : 32;
    for (unsigned k = 0; k < TYPES; k++)
        r->delay[k] = draw(r, 2) ? 2 : 32;
}

static bool all_performed(const struct run *r)
{
    for (unsigned t = 0; t < r->threads; t++)
        for (unsigned i = 0; i < r->thread[t].n; i++)
            if (r->thread[t].op[i].where != PERFORMED)
                return false;
    return true;
}

/* ---- sequential consistency: is there an interleaving with these values? ---- */

struct search { const struct run *run; uint8_t at[THREADS], memory[PLACES]; uint32_t seen, visited[1 << 12]; };

/* At one point of the program with the same memory the search goes on in the same way: its key is exact. */
static bool is_new(struct search *s)
{
    uint32_t key = 1;
    for (unsigned t = 0; t < THREADS; t++)
        key = key * (OPS + 1) + s->at[t];
    for (unsigned p = 0; p < PLACES; p++)
        key = key * (DEPTH + 1) + s->memory[p];
    uint32_t i = key * UINT32_C(2654435761) >> 20;
    for (; s->visited[i]; i = (i + 1) & 0xfff)
        if (s->visited[i] == key)
            return false;
    s->visited[i] = key;
    assert_true(++s->seen < 4000);
    return true;
}

static bool explains(struct search *s)
{
    bool over = true;
    if (!is_new(s))
        return false;
    for (unsigned t = 0; t < s->run->threads; t++) {
        const struct thread *k = &s->run->thread[t];
        const struct op *o = &k->op[s->at[t]];
        if (s->at[t] == k->n)
            continue;
        over = false;
        uint8_t old = s->memory[o->place];
        if (o->kind != STORE && o->read != old)
            continue;
        s->at[t]++;
        s->memory[o->place] = o->kind == LOAD ? old : o->written;
        if (explains(s))
            return true;
        s->at[t]--;
        s->memory[o->place] = old;
    }
    return over && !memcmp(s->memory, s->run->memory, PLACES);
}

static bool is_consistent(const struct run *r)
{
    struct search s = { .run = r };
    return explains(&s);
}

/* ---- tests ---- */

static bool goes_right(enum rule fault, uint64_t seed)
{
    struct run r;
    make(&r, fault, seed);
    for (unsigned n = 0; !all_performed(&r); n++)
        if (n == 100000 || r.messages > MESSAGES - SMS - 1 || !step(&r))
            return false;
    return is_consistent(&r);
}

/* The first run that goes wrong; 0: none of n. */
static uint64_t first_wrong(enum rule fault, uint64_t n)
{
    for (uint64_t seed = 1; seed <= n; seed++)
        if (!goes_right(fault, seed))
            return seed;
    return 0;
}

static void the_search_knows_store_buffering(void **state)
{
    struct run r = { .threads = 2 };
    r.thread[0] = (struct thread){ .n = 2, .op = { { .kind = STORE, .written = 1 }, { .kind = LOAD, .place = 1 } } };
    r.thread[1] = (struct thread){ .n = 2, .op = { { .kind = STORE, .place = 1, .written = 2 }, { .kind = LOAD } } };
    r.memory[0] = 1;
    r.memory[1] = 2;
    assert_false(is_consistent(&r));
    r.thread[1].op[1].read = 1;
    assert_true(is_consistent(&r));
    r.memory[1] = 0;
    assert_false(is_consistent(&r));
}

static void the_rules_are_sequentially_consistent(void **state)
{
    assert_int_equal(first_wrong(NO_FAULT, 200000), 0);
}

static void each_dropped_rule_is_found(void **state)
{
    static const char *const names[RULES] = {
        [UNSAFE_AT_ONCE] = "an invalidation marks the sector unsafe at once", [NO_RECORDS] = "no synchronization table",
        [NO_DRAIN] = "acknowledgement without draining", [RECORDS_UNDRAINED] = "records are not drained",
        [FIFO_PASSED] = "safe accesses pass others in the safe queue",
        [RECALL_KEEPS_UNSAFE] = "a recall does not drain unsafe accesses",
        [RECALL_SKIPS_UNSAFE] = "a recall skips unsafe sectors", [NOT_BUSY] = "rights in flight are ignored",
        [REQUESTER_UNDRAINED] = "the requester is not drained", [OUT_OF_ORDER] = "classification out of order",
        [ATOMICS_UNCHECKED] = "atomics do not look for conflicts",
        [ATOMICS_UNRECORDED] = "atomics make no records", [UNSAFE_UNORDERED] = "unsafe accesses are not ordered"
    };
    for (enum rule k = NO_FAULT + 1; k < RULES; k++) {
        uint64_t run = first_wrong(k, 400000);
        printf("%s: run %llu\n", names[k], (unsigned long long)run);
        if (!run)
            fail_msg("%s: not found", names[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_search_knows_store_buffering),
        cmocka_unit_test(the_rules_are_sequentially_consistent),
        cmocka_unit_test(each_dropped_rule_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
