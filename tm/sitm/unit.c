/*
 * Snapshot isolation at an L2 slice: the rules take TX_READ and TX_WRITE when they arrive, before the look-up of L2,
 * one word a cycle. The data of a TX_READ is then read from the slot of its snapshot; the request becomes the reply.
 * The slice removes entries of attempts that are over in the background, one a cycle.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tm/sitm/sitm.h"

/* ---- sending ---- */

void sitm_send(struct sitm_unit *u, struct packet *k, uint64_t now)
{
    if (!u->out.n && partition_send(u->home.part, u->home.slice, k, now))
        return;
    packet_push(&u->out, k);
    engine_runs(&u->home, now + 1);
}

static void send_waiting(struct sitm_unit *u, uint64_t now)
{
    while (u->out.n) {
        struct packet *k = packet_pop(&u->out);
        if (!partition_send(u->home.part, u->home.slice, k, now)) {
            packet_push_front(&u->out, k);
            return;
        }
    }
}

static uint64_t core_cycle(const struct sitm_unit *u, uint64_t now)
{
    return clock_convert(u->home.clocks, CLK_L2, CLK_CORE, now);
}

static void mail(struct sitm_unit *u, const struct sitm_message *m, bool end, uint64_t now)
{
    bool edge = m->kind == SITM_EDGE;
    sitm_mail_add(&u->mail, m, core_cycle(u, now) + u->gpu->link, u->home.slice, end);
    u->home.count[edge ? STAT_MSG_SITM_EDGE : STAT_MSG_SITM_CONTROL]++;
    u->home.count[edge ? STAT_MSG_SITM_EDGE_BYTES : STAT_MSG_SITM_CONTROL_BYTES] +=
        sitm_message_bytes(m->kind, m->edges);
}

/* ---- accesses ---- */

/* The access of the rules to the n-th words of the lanes. */
static struct sitm_access access_of(const struct sitm_unit *u, const struct packet *k, const struct sitm_lines *l,
                                    uint32_t n)
{
    struct sitm_access a = { .group = l->group, .snapshot = l->snapshot, .exclusive = l->exclusive };
    for (uint32_t lane = 0; lane < SITM_LANES; lane++)
        if (l->word[n][lane] != SITM_NO_WORD) {
            uint64_t at = k->line + 4u * l->word[n][lane] - u->gpu->kilo->base;
            a.lanes |= UINT32_C(1) << lane;
            a.word[lane] = (uint32_t)(at / u->gpu->cfg.granularity);
        }
    return a;
}

static void add_reply(struct sitm_reply *sum, const struct sitm_reply *r)
{
    sum->refused_write |= r->refused_write;
    sum->refused_table |= r->refused_table;
    for (uint32_t lane = 0; lane < SITM_LANES; lane++)
        sum->edges[lane] = (uint16_t)(sum->edges[lane] + r->edges[lane]);
}

/* The number of different words that lanes access, all in one line. One look-up of a word serves all its lanes: an
 * entry of the Reader List has a bit for each (Fig. 10 of the paper); of lanes that write a word one is accepted. */
static uint32_t lookups_of(const struct sitm_access *a)
{
    uint32_t words = 0;
    for (uint32_t lanes = a->lanes; lanes; lanes &= lanes - 1)
        words |= UINT32_C(1) << a->word[__builtin_ctz(lanes)] % 32;
    return (uint32_t)__builtin_popcount(words);
}

/* Registers the words of a packet. Lanes that have been refused register no further words. Returns the look-ups. */
static uint32_t register_words(struct sitm_unit *u, const struct packet *k, struct sitm_lines *l, uint64_t now)
{
    uint32_t lookups = 0;
    memset(&l->reply, 0, sizeof l->reply);
    for (uint32_t n = 0; n < l->words; n++) {
        struct sitm_access a = access_of(u, k, l, n);
        struct sitm_reply r;
        struct sitm_message edge;
        a.lanes &= ~(l->reply.refused_write | l->reply.refused_table);
        if (!a.lanes)
            continue;
        lookups += lookups_of(&a);
        bool write = k->kind == SITM_WIRE + SITM_TX_WRITE;
        if (write)
            sitm_slice_write(&u->rules, &a, &r, &edge);
        else
            sitm_slice_read(&u->rules, &a, &r, &edge);
        add_reply(&l->reply, &r);
        sitm_loops_register(u, k->sm * u->gpu->slots + k->token, &a, a.lanes & ~(r.refused_write | r.refused_table),
                            write, core_cycle(u, now));
        if (edge.edges)
            mail(u, &edge, false, now);
    }
    l->reply.lanes = l->lanes;
    return lookups;
}

static uint32_t new_read(struct sitm_unit *u, struct packet *k)
{
    uint32_t i = 0;
    while (i < u->reads && u->read[i])
        i++;
    if (i == u->reads) {
        u->read = mem_grow(u->read, u->reads, &u->reads_cap, sizeof *u->read, "snapshot reads");
        u->reads++;
    }
    u->read[i] = k;
    u->reads_left++;
    return i;
}

static void wrong_snapshot(struct sitm_unit *u, const struct sitm_lines *l)
{
    if (!u->error[0])
        snprintf(u->error, sizeof u->error, "slice %u: version %u, which group %u reads, is in no slot", u->home.slice,
                 l->snapshot, l->group);
}

static void reply_read(struct sitm_unit *u, struct packet *k, uint32_t sectors, uint64_t now)
{
    k->kind = SITM_WIRE + SITM_DATA;
    k->bytes = (uint16_t)(sitm_message_bytes(SITM_DATA, 0) + sectors * SECTOR_BYTES);
    sitm_send(u, k, now);
}

/* R2: the data comes from the slot that holds the snapshot. */
static void read_snapshot(struct sitm_unit *u, struct packet *k, const struct sitm_lines *l, uint64_t now)
{
    uint32_t slot = sitm_slice_slot(&u->rules, l->snapshot);
    if (slot == SITM_NO_SLOT)
        wrong_snapshot(u, l);
    if (slot == SITM_NO_SLOT || !(l->lanes & ~l->reply.refused_table)) {
        memset(k->data, 0, sizeof k->data);
        reply_read(u, k, 0, now);
        return;
    }
    struct packet *r = engine_packet(&u->home, false, k->line, k->sectors);
    r->slot = (uint8_t)(slot + 1);
    r->token = new_read(u, k);
    engine_access(&u->home, r, now);
}

/* The slot must still hold the snapshot when the data is bound. */
static void read_performed(struct sitm_unit *u, struct packet *r, uint64_t now)
{
    struct packet *k = u->read[r->token];
    const struct sitm_lines *l = &((union sitm_payload *)k->payload)->lines;
    if (sitm_slice_slot(&u->rules, l->snapshot) + 1 != r->slot)
        wrong_snapshot(u, l);
    memcpy(k->data, r->data, LINE_BYTES);
    u->read[r->token] = NULL;
    u->reads_left--;
    packet_return(r);
    reply_read(u, k, (uint32_t)__builtin_popcount(k->sectors), now);
}

static void take_access(struct sitm_unit *u, struct packet *k, uint64_t now)
{
    struct sitm_lines *l = &((union sitm_payload *)k->payload)->lines;
    u->free_at = now + register_words(u, k, l, now);
    if (k->kind == SITM_WIRE + SITM_TX_READ) {
        read_snapshot(u, k, l, now);
        return;
    }
    k->kind = SITM_WIRE + SITM_WRITE_ACK;
    k->bytes = (uint16_t)sitm_message_bytes(SITM_WRITE_ACK, 0);
    sitm_send(u, k, now);
}

/* ---- messages of SMs ---- */

static bool take(void *engine, struct packet *k, uint64_t now)
{
    struct sitm_unit *u = engine;
    switch (k->kind) {
    case KILO_WRITE_SET:
        sitm_write_set(u, &((const union sitm_payload *)k->payload)->log);
        packet_return(k);
        return true;
    case KILO_DONE_FILL:
        packet_return(k);
        return true;
    case SITM_WIRE + SITM_PASS:
    case SITM_WIRE + SITM_FAIL:
        sitm_take_pass(u, k, now);
        return true;
    case SITM_WIRE + SITM_TX_READ:
    case SITM_WIRE + SITM_TX_WRITE:
        if (u->free_at > now)
            return false;
        take_access(u, k, now);
        return true;
    default:
        sitm_manager_take(u->manager, k, now);
        return true;
    }
}

static void performed(void *engine, struct packet *k, uint64_t now)
{
    if (k->kind == MSG_READ)
        read_performed(engine, k, now);
    else
        sitm_written(engine, k, now);
}

/* Words of a write set, before they are performed: the oracle learns the old values. */
static void accessed(void *engine, const struct packet *k, uint64_t now)
{
    struct sitm_unit *u = engine;
    if (!k->own || k->kind != MSG_WRITE || !u->events)
        return;
    const uint8_t *line = engine_bytes(&u->home, k->mapped);
    for (uint32_t w = 0; w < LINE_BYTES / 4; w++)
        if (k->mask[w / 16] >> w % 16 * 4 & 15) {
            uint32_t before;
            memcpy(&before, line + 4 * w, sizeof before);
            oracle_tx_write(u->events, k->line + 4 * w, before, core_cycle(u, now));
        }
}

/* ---- messages of the manager ---- */

static void start_copy(struct sitm_unit *u, const struct sitm_mail *m, uint64_t now)
{
    u->copy = m->m;
    u->copying = true;
    u->copy_ends = m->end;
    engine_copy_slot(&u->home, m->m.from, m->m.slot, now);
}

/* At the end of a kernel slot 0 has the newest version; the tables are empty. */
static void end_kernel(struct sitm_unit *u)
{
    engine_publish_slot(&u->home, 0);
    sitm_slice_end(&u->rules);
    sitm_slice_init(&u->rules, &u->gpu->rules);
    u->counted = (struct sitm_slice_counts){ 0 };
    u->ended = false;
}

static void copied(void *engine, uint64_t now)
{
    struct sitm_unit *u = engine;
    struct sitm_message ack = u->copy;
    u->copying = false;
    if (u->copy_ends)
        u->ended = true;
    else {
        sitm_slice_copied(&u->rules, &u->copy, &ack);
        mail(u, &ack, false, now);
    }
}

static void control(struct sitm_unit *u, const struct sitm_mail *m, uint64_t now)
{
    struct sitm_message ack;
    if (m->end) {
        start_copy(u, m, now);
        return;
    }
    bool acknowledges = sitm_slice_control(&u->rules, &m->m, &ack);
    if (m->m.kind == SITM_COPY)
        start_copy(u, m, now);
    if (m->m.kind == SITM_PUBLISH)
        engine_publish_slot(&u->home, sitm_slice_slot(&u->rules, m->m.version));
    if (acknowledges)
        mail(u, &ack, false, now);
}

static uint64_t mail_at(const struct sitm_unit *u)
{
    const struct sitm_mail *m = u->in.n ? fifo_front(&u->in) : NULL;
    return m ? clock_convert(u->home.clocks, CLK_CORE, CLK_L2, m->at) : NEVER;
}

static void remove_entry(struct sitm_unit *u, uint64_t now)
{
    struct sitm_message released;
    if (sitm_slice_removing(&u->rules) && u->removed_at < now && sitm_slice_remove(&u->rules, &released))
        mail(u, &released, false, now);
    u->removed_at = now;
}

/* ---- cycles ---- */

static uint64_t run(void *engine, uint64_t now)
{
    struct sitm_unit *u = engine;
    uint64_t next = u->manager ? sitm_manager_run(u->manager, now) : NEVER;
    while (mail_at(u) <= now) {
        struct sitm_mail m = *(const struct sitm_mail *)fifo_front(&u->in);
        fifo_pop(&u->in);
        control(u, &m, now);
    }
    if (sitm_slice_removing(&u->rules))
        remove_entry(u, now);
    next = clock_earlier(next, sitm_write_back(u, now));
    send_waiting(u, now);
    if (u->out.n || sitm_slice_removing(&u->rules))
        return now + 1;
    return clock_earlier(next, mail_at(u));
}

static bool idle(const void *engine)
{
    const struct sitm_unit *u = engine;
    return !u->in.n && !u->mail.n && !u->out.n && !u->reads_left && !u->words.n && !u->writing && !u->copying &&
           !sitm_slice_removing(&u->rules) && (!u->manager || sitm_manager_idle(u->manager));
}

static void settle(void *engine, uint64_t until)
{
    struct sitm_unit *u = engine;
    const struct sitm_slice_counts *c = &u->rules.counts, *old = &u->counted;
    uint64_t *n = u->home.count;
    n[STAT_SITM_REGISTERED] += c->reads - old->reads;
    n[STAT_SITM_WRITERS] += c->writes - old->writes;
    n[STAT_SITM_FULL_WRITERS] += c->refused_full_writer - old->refused_full_writer;
    n[STAT_SITM_FULL_READERS] += c->refused_full_reader - old->refused_full_reader;
    n[STAT_SITM_REMOVED] += c->removed - old->removed;
    u->counted = *c;
    if (u->manager)
        sitm_manager_settle(u->manager);
}

/* ---- life ---- */

static void *new_engine(void *shared, const struct engine_home *home)
{
    struct tm_gpu *t = shared;
    struct sitm_unit *u = mem_zero(1, sizeof *u, "a slice's snapshot isolation");
    u->home = *home;
    u->gpu = ((struct kilo_gpu *)tm_gpu_state(t))->own;
    u->events = tm_slice_events(t, home->slice);
    sitm_slice_init(&u->rules, &u->gpu->rules);
    fifo_init(&u->in, sizeof(struct sitm_mail), "control links");
    fifo_init(&u->mail, sizeof(struct sitm_mail), "control links");
    fifo_init(&u->words, sizeof(struct sitm_word), "words of write sets");
    u->gpu->unit[home->slice] = u;
    if (!home->slice)
        u->manager = sitm_manager_unit_new(u);
    return u;
}

static void free_engine(void *engine)
{
    struct sitm_unit *u = engine;
    for (uint32_t i = 0; i < u->reads; i++)
        if (u->read[i])
            packet_return(u->read[i]);
    for (struct packet *k; (k = packet_pop(&u->out));)
        packet_return(k);
    sitm_manager_unit_free(u->manager);
    sitm_writeback_end(u);
    sitm_mail_end(&u->in);
    sitm_mail_end(&u->mail);
    sitm_slice_end(&u->rules);
    free(u->read);
    free(u->loops.event);
    free(u);
}

const struct engine_kind sitm_engine = {
    .new_engine = new_engine, .free_engine = free_engine, .take = take, .performed = performed, .run = run,
    .accessed = accessed, .copied = copied, .settle = settle, .idle = idle, .dump = sitm_unit_dump
};

void sitm_unit_end_kernel(struct sitm_unit *u)
{
    settle(u, 0);
    end_kernel(u);
}
