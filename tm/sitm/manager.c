/*
 * The timing of the manager, beside slice 0. It takes one message a cycle in order of arrival; of messages that arrive
 * in the same cycle, mail before requests. A message with edges takes a cycle for each edge. Messages that the manager
 * sends leave in the cycle in which it acts.
 */
#include <stdlib.h>

#include "tm/sitm/sitm.h"

struct request { uint64_t at; struct packet *packet; };     /* at: L2 cycle of its arrival */

struct sitm_manager_unit {
    struct sitm_unit *unit;
    struct sitm_manager rules;
    struct fifo in;                  /* struct sitm_mail: from slices */
    struct fifo requests;            /* struct request: from SMs */
    struct fifo *mail;               /* struct sitm_mail by slice, until the serial step */
    struct packet_pool pool;         /* of messages to SMs */
    uint64_t free_at;                /* L2 cycle from which it takes the next message */
    struct sitm_manager_counts counted;
};

struct sitm_manager_unit *sitm_manager_unit_new(struct sitm_unit *u)
{
    struct sitm_manager_unit *x = mem_zero(1, sizeof *x, "the manager of versions");
    x->unit = u;
    sitm_manager_init(&x->rules, &u->gpu->rules);
    fifo_init(&x->in, sizeof(struct sitm_mail), "control links");
    fifo_init(&x->requests, sizeof(struct request), "requests to the manager");
    x->mail = mem_zero(u->gpu->slices, sizeof *x->mail, "control links");
    for (uint32_t s = 0; s < u->gpu->slices; s++)
        fifo_init(&x->mail[s], sizeof(struct sitm_mail), "control links");
    packet_pool_init(&x->pool, sizeof(union sitm_payload));
    u->gpu->manager = &x->rules;
    sitm_exact_start(u->gpu->exact);
    return x;
}

void sitm_manager_unit_free(struct sitm_manager_unit *x)
{
    if (!x)
        return;
    for (; x->requests.n; fifo_pop(&x->requests))
        packet_return(((struct request *)fifo_front(&x->requests))->packet);
    fifo_end(&x->requests);
    for (uint32_t s = 0; s < x->unit->gpu->slices; s++)
        sitm_mail_end(&x->mail[s]);
    free(x->mail);
    sitm_mail_end(&x->in);
    sitm_manager_end(&x->rules);
    packet_pool_end(&x->pool);
    free(x);
}

struct fifo *sitm_manager_in(struct sitm_manager_unit *x)
{
    return &x->in;
}

struct fifo *sitm_manager_mail(struct sitm_manager_unit *x, uint32_t slice)
{
    return &x->mail[slice];
}

void sitm_manager_restart(struct sitm_manager_unit *x)
{
    sitm_manager_settle(x);
    sitm_manager_end(&x->rules);
    sitm_manager_init(&x->rules, &x->unit->gpu->rules);
    x->counted = (struct sitm_manager_counts){ 0 };
    sitm_exact_start(x->unit->gpu->exact);
}

void sitm_manager_take(struct sitm_manager_unit *x, struct packet *k, uint64_t now)
{
    *(struct request *)fifo_push(&x->requests) = (struct request){ .at = now, .packet = k };
}

/* ---- sending ---- */

static void to_slices(struct sitm_manager_unit *x, const struct sitm_message *m, uint64_t now)
{
    struct sitm_gpu *g = x->unit->gpu;
    uint64_t at = clock_convert(x->unit->home.clocks, CLK_L2, CLK_CORE, now) + g->link;
    for (uint32_t s = 0; s < g->slices; s++)
        sitm_mail_add(&x->mail[s], m, at, 0, false);
    x->unit->home.count[STAT_MSG_SITM_CONTROL] += g->slices;
    x->unit->home.count[STAT_MSG_SITM_CONTROL_BYTES] += g->slices * sitm_message_bytes(m->kind, 0);
}

/* The floor of the attempt's snapshot bounds its place in the order of commits from below. */
void sitm_manager_label(struct sitm_manager_unit *x, struct sitm_message *m)
{
    const struct sitm_gpu *g = x->unit->gpu;
    if (m->kind == SITM_SNAPSHOT)
        g->floor[m->warp] = (uint64_t)m->epoch << 32 | x->rules.group[m->group].floor;
    if (m->kind == SITM_COMMIT_OK && g->exact)
        sitm_exact_label(g->exact, m);
}

static void to_sm(struct sitm_manager_unit *x, const struct sitm_message *m, uint64_t now)
{
    struct packet *k = packet_new(&x->pool);
    uint32_t lanes = (uint32_t)__builtin_popcount(m->lanes);
    k->kind = (uint8_t)(SITM_WIRE + m->kind);
    k->sm = (uint16_t)(m->warp / x->unit->gpu->slots);
    k->slice = 0;
    k->warp = UINT16_MAX;
    k->bytes = (uint16_t)sitm_message_bytes(m->kind, m->kind == SITM_EDGE_ACK ? lanes : 0);
    ((union sitm_payload *)k->payload)->message = *m;
    sitm_send(x->unit, k, now);
}

static void send_all(struct sitm_manager_unit *x, uint64_t now)
{
    struct sitm_message m;
    while (sitm_manager_send(&x->rules, &m)) {
        sitm_manager_label(x, &m);
        if (sitm_for_slices(m.kind))
            to_slices(x, &m, now);
        else
            to_sm(x, &m, now);
    }
}

/* ---- receiving ---- */

/* The L2 cycle in which the first mail arrives. */
static uint64_t mail_at(const struct sitm_manager_unit *x)
{
    const struct sitm_mail *m = x->in.n ? fifo_front(&x->in) : NULL;
    return m ? clock_convert(x->unit->home.clocks, CLK_CORE, CLK_L2, m->at) : NEVER;
}

static uint64_t request_at(const struct sitm_manager_unit *x)
{
    return x->requests.n ? ((const struct request *)fifo_front(&x->requests))->at : NEVER;
}

static void receive_mail(struct sitm_manager_unit *x, uint64_t now)
{
    struct sitm_mail m = *(const struct sitm_mail *)fifo_front(&x->in);
    fifo_pop(&x->in);
    x->free_at = now + (m.m.edges ? m.m.edges : 1);
    sitm_manager_receive(&x->rules, &m.m);
    free(m.edge);
}

static void receive_packet(struct sitm_manager_unit *x, uint64_t now)
{
    struct packet *k = ((struct request *)fifo_front(&x->requests))->packet;
    struct sitm_message m = ((union sitm_payload *)k->payload)->message;
    fifo_pop(&x->requests);
    packet_return(k);
    x->free_at = now + 1;
    sitm_manager_receive(&x->rules, &m);
}

/* The L2 cycle in which the first message arrives, or now if it has arrived. */
static uint64_t next_arrival(const struct sitm_manager_unit *x, uint64_t now)
{
    uint64_t mail = mail_at(x), request = request_at(x), first = mail < request ? mail : request;
    return first < now ? now : first;
}

uint64_t sitm_manager_run(struct sitm_manager_unit *x, uint64_t now)
{
    if (x->free_at <= now && next_arrival(x, now) == now) {
        if (mail_at(x) <= request_at(x))
            receive_mail(x, now);
        else
            receive_packet(x, now);
        send_all(x, now);
    }
    uint64_t next = next_arrival(x, now + 1);
    return next < x->free_at ? x->free_at : next;
}

bool sitm_manager_idle(const struct sitm_manager_unit *x)
{
    for (uint32_t s = 0; s < x->unit->gpu->slices; s++)
        if (x->mail[s].n)
            return false;
    return !x->in.n && !x->requests.n && !packet_pool_used(&x->pool);
}

void sitm_manager_settle(struct sitm_manager_unit *x)
{
    uint64_t *n = x->unit->home.count;
    struct sitm_manager_counts *old = &x->counted;
    const struct sitm_manager_counts *c = &x->rules.counts;
    n[STAT_SITM_BEGINS] += c->begins - old->begins;
    n[STAT_SITM_WAIT_GROUP] += c->group_waits - old->group_waits;
    n[STAT_SITM_WAIT_TABLE] += c->hold_waits[0] - old->hold_waits[0];
    n[STAT_SITM_WAIT_RESET] += c->hold_waits[1] - old->hold_waits[1];
    n[STAT_SITM_WAIT_EXCLUSIVE] += c->hold_waits[2] - old->hold_waits[2];
    n[STAT_SITM_WAIT_PRECEDENCE] += c->precedence_waits - old->precedence_waits;
    n[STAT_SITM_PRECEDENCES] += c->precedences - old->precedences;
    n[STAT_SITM_SERIALISED] += c->serialised - old->serialised;
    n[STAT_SITM_EDGES] += c->edges - old->edges;
    n[STAT_SITM_LOOPS] += c->loops - old->loops;
    n[STAT_SITM_VERSIONS] += c->versions - old->versions;
    n[STAT_SITM_JOINS] += c->joins - old->joins;
    n[STAT_SITM_SLOT_WAITS] += c->slot_waits - old->slot_waits;
    n[STAT_SITM_COPIES] += c->copies - old->copies;
    n[STAT_SITM_HOLDS] += c->table_holds - old->table_holds;
    n[STAT_SITM_RESETS] += c->resets - old->resets;
    n[STAT_SITM_ALONE] += c->exclusive - old->exclusive;
    n[STAT_SITM_READ_ONLY] += c->readers - old->readers;
    *old = *c;
}
