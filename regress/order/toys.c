/* Order policies for tests. */
#include <stdlib.h>

#include "base/alloc.h"
#include "memsys/clock.h"
#include "memsys/l2/partition.h"
#include "ptx/memory/access.h"
#include "regress/order/toys.h"

struct toy_totals toy_totals;

enum { DEPTH = 6, ASK = MSG_POLICY, GRANT, THANKS, NETWORK = 1 };

struct fifo { struct stage_access *head, *tail; uint32_t n; };

static void push(struct fifo *f, struct stage_access *a)
{
    a->next = NULL;
    *(f->n ? &f->tail->next : &f->head) = a;
    f->tail = a;
    f->n++;
}

static void pop(struct fifo *f)
{
    f->head = f->head->next;
    f->n--;
}

/* Of an SM: a queue for each warp, and one for all that may leave. */
struct toy {
    struct lsu *lsu;
    uint32_t warps, turn, held;
    struct fifo *warp, ready;
    bool *waits;                     /* by warp: toy_ask has turned it down */
    uint64_t random;
    struct toy_totals did;
};

static void *new_toy(const struct order_site *site)
{
    struct toy *t = mem_zero(1, sizeof *t, "a toy");
    t->warp = mem_zero(site->warps, sizeof *t->warp, "a toy");
    t->waits = mem_zero(site->warps, 1, "a toy");
    t->warps = site->warps;
    t->random = 88172645463325252u;
    return t;
}

static void free_toy(void *state)
{
    struct toy *t = state;
    const uint64_t *from = (const uint64_t *)&t->did;
    for (unsigned i = 0; i < sizeof toy_totals / sizeof *from; i++)
        ((uint64_t *)&toy_totals)[i] += from[i];
    free(t->warp);
    free(t->waits);
    free(t);
}

static void attach(void *state, struct lsu *u)
{
    ((struct toy *)state)->lsu = u;
}

static void count_accepted(struct toy *t, const struct stage_access *a)
{
    t->held++;
    t->did.accepted++;
    t->did.expected_loads += a->kind != MOP_STORE;
    t->did.expected_stores += a->kind != MOP_LOAD;
}

static void performed(void *state, const struct stage_performed *p, uint64_t now)
{
    struct toy *t = state;
    (void)now;
    *(p->store ? &t->did.stores : &t->did.loads) += 1;
}

/* ---- relaxed ordering as far as issue goes: fences, barriers and exits wait for all ---- */

static bool wait_at_fences(void *state, uint32_t warp, const struct order_warp *w, const struct order_access *a)
{
    return order_rmo_ptx.may_issue(state, warp, w, a);
}

/* ---- toy_delay ---- */

static bool holds_line(const struct fifo *f, uint64_t line)
{
    for (const struct stage_access *a = f->n ? f->head : NULL; a; a = a->next)
        if (a->line == line)
            return true;
    return false;
}

static enum stage_answer delay_accept(void *state, struct stage_access *a, uint64_t now)
{
    struct toy *t = state;
    if (a->kind == MOP_LOAD && !holds_line(&t->warp[a->warp], a->line)) {
        a->user = 0;
        push(&t->ready, a);
        count_accepted(t, a);
        return STAGE_HELD;
    }
    if (t->warp[a->warp].n == DEPTH)
        return STAGE_REJECTED;
    t->random ^= t->random << 13;
    t->random ^= t->random >> 7;
    t->random ^= t->random << 17;
    a->user = now + 1 + (a->kind == MOP_LOAD ? 0 : t->random >> 20 & 127);
    push(&t->warp[a->warp], a);
    count_accepted(t, a);
    return STAGE_HELD;
}

static struct stage_access *delay_choose(void *state, uint64_t now)
{
    const struct toy *t = state;
    if (t->ready.n)
        return t->ready.head;
    for (uint32_t k = 0; t->held && k < t->warps; k++) {
        const struct fifo *f = &t->warp[(t->turn + k) % t->warps];
        if (f->n && f->head->user <= now)
            return f->head;
    }
    return NULL;
}

static void delay_sent(void *state, struct stage_access *a, uint64_t now)
{
    struct toy *t = state;
    (void)now;
    pop(a->user ? &t->warp[a->warp] : &t->ready);
    t->turn = (a->warp + 1) % t->warps;
    t->held--;
    t->did.sent++;
}

/* A warp's shared memory waits for its global accesses to have left. */
static bool delay_shared(void *state, const struct stage_access *a, uint64_t now)
{
    struct toy *t = state;
    (void)now;
    *(t->warp[a->warp].n ? &t->did.shared_refused : &t->did.shared) += 1;
    return !t->warp[a->warp].n;
}

static uint64_t delay_next(const void *state, uint64_t now)
{
    const struct toy *t = state;
    uint64_t next = t->ready.n ? now + 1 : NEVER;
    for (uint32_t w = 0; t->held && w < t->warps; w++) {
        const struct fifo *f = &t->warp[w];
        uint64_t at = !f->n ? NEVER : f->head->user > now ? f->head->user : now + 1;
        next = at < next ? at : next;
    }
    return next;
}

static const struct order_stage delay_stage = {
    .accept = delay_accept, .choose = delay_choose, .sent = delay_sent, .shared = delay_shared, .performed = performed,
    .next = delay_next
};
const struct order_policy toy_delay = {
    .name = "delay", .new_state = new_toy, .free_state = free_toy, .may_issue = wait_at_fences, .stage = &delay_stage
};

/* ---- toy_sc ---- */

static bool all_performed(void *state, uint32_t warp, const struct order_warp *w, const struct order_access *a)
{
    (void)state, (void)warp, (void)a;
    return !w->loads && !w->stores && !w->shared;
}

const struct order_policy toy_sc = { .name = "sc", .may_issue = all_performed };

/* ---- toy_ask ---- */

/* Accesses that follow a store of the warp issue when the partition has granted it. */
static bool ask_may_issue(void *state, uint32_t warp, const struct order_warp *w, const struct order_access *a)
{
    struct toy *t = state;
    bool may = !t->warp[warp].n && order_rmo_ptx.may_issue(state, warp, w, a);
    t->did.overlapped += may && t->waits[warp] && w->stores;
    t->waits[warp] = !may;
    return may;
}

/* Those that wait for no grant, and for nothing before them, may leave. user: granted. */
static void release(struct toy *t, struct fifo *f)
{
    while (f->n && f->head->user) {
        struct stage_access *a = f->head;
        pop(f);
        push(&t->ready, a);
    }
}

static enum stage_answer ask_accept(void *state, struct stage_access *a, uint64_t now)
{
    struct toy *t = state;
    count_accepted(t, a);
    a->user = a->kind == MOP_LOAD;
    push(&t->warp[a->warp], a);
    release(t, &t->warp[a->warp]);
    if (a->kind == MOP_LOAD)
        return STAGE_HELD;
    struct packet *p = stage_packet(t->lsu, ASK, NETWORK, a->line, true, now);
    p->warp = (uint16_t)a->warp;
    stage_send(t->lsu, p);
    t->did.asked++;
    return STAGE_HELD;
}

/* The warp's oldest access to the line that waits for a grant has it. */
static void grant(struct toy *t, uint32_t warp, uint64_t line)
{
    struct stage_access *a = t->warp[warp].head;
    while (a->line != line || a->user)
        a = a->next;
    a->user = true;
    release(t, &t->warp[warp]);
}

/* A grant, for which a word of thanks goes out; the partition sends that back. */
static bool ask_message(void *state, struct packet *p, uint64_t now)
{
    struct toy *t = state;
    if (p->kind == THANKS) {
        t->did.thanked++;
        return false;
    }
    grant(t, p->warp, p->line);
    t->did.granted++;
    stage_send(t->lsu, stage_packet(t->lsu, THANKS, NETWORK, p->line, false, now));
    stage_wake(t->lsu, p->warp);
    return false;
}

static struct stage_access *ask_choose(void *state, uint64_t now)
{
    (void)now;
    struct fifo *f = &((struct toy *)state)->ready;
    return f->n ? f->head : NULL;
}

static void ask_sent(void *state, struct stage_access *a, uint64_t now)
{
    struct toy *t = state;
    (void)a, (void)now;
    pop(&t->ready);
    t->did.sent++;
}

static uint64_t ask_next(const void *state, uint64_t now)
{
    return ((const struct toy *)state)->ready.n ? now + 1 : NEVER;
}

/* At the partition: a request in four is taken only when it has been offered for the second time. */
struct home { uint64_t offered, taken; };

static void *new_home(const struct order_site *site)
{
    struct home *h = mem_zero(1, sizeof *h, "a toy");
    (void)site;
    return h;
}

static void free_home(void *state)
{
    struct home *h = state;
    toy_totals.taken += h->taken;
    free(h);
}

static bool home_message(void *state, struct partition *part, uint32_t slice, struct packet *p, uint64_t now)
{
    struct home *h = state;
    if (p->kind == THANKS)
        return partition_send(part, slice, p, now);
    if (h->offered++ % 4 == 3)
        return false;
    struct packet *k = partition_packet(part, slice, GRANT, NETWORK, p->line, p->sm);
    k->warp = p->warp;
    if (!partition_send(part, slice, k, now)) {
        packet_return(k);
        h->offered--;                                    /* nothing has happened */
        return false;
    }
    h->taken++;
    packet_return(p);
    return true;
}

static const struct order_stage ask_stage = {
    .probe_vns = 1 << NETWORK, .attach = attach, .accept = ask_accept, .choose = ask_choose, .sent = ask_sent,
    .performed = performed, .message = ask_message, .next = ask_next
};
const struct order_policy toy_ask = {
    .name = "ask", .new_state = new_toy, .free_state = free_toy, .may_issue = ask_may_issue, .vns = NETWORK + 1,
    .stage = &ask_stage, .new_partition = new_home, .free_partition = free_home, .message = home_message
};
