/*
 * The memory access classifier of a partition: the states of the sectors whose home it is. A request that changes no
 * right of another SM is granted at once, also while earlier grants are in flight. Any other request makes the sector
 * unsafe: the classifier waits until all SMs have installed the rights that they were granted, drains the SMs that may
 * have a right, and then grants the request; further requests wait. Before an entry is evicted its sector is recalled:
 * from the owner of a private sector, otherwise from all SMs.
 *
 * A packet that finds the reply queue full stays at the head of its network and is offered again. `progress` then sends
 * the remaining messages.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/stats.h"
#include "consistency/types/types.h"
#include "memsys/l2/partition.h"

enum state { INVALID, PRIVATE_READ, PRIVATE_WRITE, SHARED_READ, SHARED_WRITE };

enum { EVERY_SM = UINT16_MAX };

struct entry {
    uint64_t sector, used;
    uint8_t state, right;            /* right: of the reply to `request` */
    bool recalled;
    uint16_t owner;
    uint32_t probe, probes;          /* probes remain for SMs from probe to probes - 1 */
    uint32_t acks;                   /* outstanding */
    uint32_t grants;                 /* granted rights without an unblock yet */
    struct packet *request;          /* being served, until its reply is sent */
    struct packet *cause;            /* packet that is offered again until the entry's messages are sent */
    struct packet_queue waiting;
};

struct mac {
    struct types_cfg cfg;
    uint64_t *count, clock;
    uint32_t sets;
    struct entry *entry;
};

void *types_mac_new(const struct order_site *site)
{
    struct mac *m = mem_zero(1, sizeof *m, "a memory access classifier");
    types_configure(&m->cfg, site->config);
    m->count = site->count;
    m->sets = m->cfg.mac / m->cfg.mac_ways;
    m->entry = mem_zero((size_t)m->sets * m->cfg.mac_ways, sizeof *m->entry, "a memory access classifier");
    return m;
}

void types_mac_free(void *state)
{
    free(((struct mac *)state)->entry);
    free(state);
}

/* ---- messages ---- */

/* Sends the probes and, when all are acknowledged, the reply; false: the reply queue is full. */
static bool send_messages(struct mac *m, struct entry *e, struct partition *p, uint32_t slice, uint64_t now)
{
    for (; e->probe < e->probes; e->probe++) {
        struct packet *k = partition_packet(p, slice, e->recalled ? TYPES_RECALL : TYPES_INVALIDATE, TYPES_VN_DOWN,
                                            e->sector << m->cfg.shift, (uint16_t)e->probe);
        if (!partition_send(p, slice, k, now)) {
            packet_return(k);
            return false;
        }
    }
    if (e->acks || !e->request || e->recalled)
        return true;
    struct packet *k = e->request;
    k->kind = TYPES_GRANT;
    k->vn = TYPES_VN_DOWN;
    k->token = (k->token & 3) | (uint32_t)e->right << 2;
    if (!partition_send(p, slice, k, now)) {
        k->kind = TYPES_REQUEST;
        k->token &= 3;
        return false;
    }
    e->grants++;
    e->request = NULL;
    return true;
}

static void probe(const struct mac *m, struct entry *e, uint16_t owner)
{
    e->probe = owner == EVERY_SM ? 0 : owner;
    e->probes = owner == EVERY_SM ? m->cfg.sms : owner + 1u;
    e->acks = e->probes - e->probe;
}

/* ---- rules ---- */

/* The next state when an SM requests the right: section 4.2, Figure 5. */
static enum state next_state(const struct entry *e, uint16_t sm, enum types_right need)
{
    bool own = e->owner == sm;
    switch ((enum state)e->state) {
    case INVALID: return need == TYPES_WRITE ? PRIVATE_WRITE : PRIVATE_READ;
    case PRIVATE_READ:
        if (need == TYPES_WRITE)
            return own ? PRIVATE_WRITE : SHARED_WRITE;
        return own ? PRIVATE_READ : SHARED_READ;
    case PRIVATE_WRITE: return own ? PRIVATE_WRITE : SHARED_WRITE;
    case SHARED_READ: return need == TYPES_WRITE ? SHARED_WRITE : SHARED_READ;
    case SHARED_WRITE: break;
    }
    return SHARED_WRITE;
}

static bool becomes_unsafe(const struct entry *e, const struct packet *k)
{
    return e->state != SHARED_WRITE && next_state(e, k->sm, (enum types_right)k->token) == SHARED_WRITE;
}

/* An invalidation could reach an SM before the right that it must remove. */
static bool must_wait(const struct entry *e, const struct packet *k)
{
    return e->grants && becomes_unsafe(e, k);
}

static void begin(struct mac *m, struct entry *e, struct packet *k)
{
    static const uint8_t rights[] = {
        [PRIVATE_READ] = TYPES_READ, [PRIVATE_WRITE] = TYPES_WRITE, [SHARED_READ] = TYPES_READ,
        [SHARED_WRITE] = TYPES_UNSAFE
    };
    enum state next = next_state(e, k->sm, (enum types_right)k->token);
    if (next == SHARED_WRITE && e->state != SHARED_WRITE) {
        probe(m, e, e->state == SHARED_READ ? EVERY_SM : e->owner);
        m->count[STAT_TYPES_TRANSITIONS]++;
    }
    if (e->state == INVALID)
        e->owner = k->sm;
    e->state = (uint8_t)next;
    e->right = rights[next];
    e->request = k;
    e->used = ++m->clock;
}

/* Serves waiting requests until one must wait for acknowledgements or unblocks; false: the reply queue is full. */
static bool progress(struct mac *m, struct entry *e, struct partition *p, uint32_t slice, uint64_t now)
{
    while (send_messages(m, e, p, slice, now)) {
        if (e->request || e->recalled || !e->waiting.n || must_wait(e, e->waiting.head))
            return true;
        begin(m, e, packet_pop(&e->waiting));
    }
    return false;
}

/* ---- entries ---- */

static bool is_busy(const struct entry *e)
{
    return e->recalled || e->request || e->grants || e->waiting.n;
}

static struct entry *set_of(const struct mac *m, uint64_t sector)
{
    return &m->entry[sector / m->cfg.slices % m->sets * m->cfg.mac_ways];
}

static struct entry *find(const struct mac *m, uint64_t sector)
{
    struct entry *e = set_of(m, sector);
    for (uint32_t i = 0; i < m->cfg.mac_ways; i++)
        if (e[i].state != INVALID && e[i].sector == sector)
            return &e[i];
    return NULL;
}

/* A free way; else the least recently used one that is not busy. NULL: all are. */
static struct entry *victim(const struct mac *m, uint64_t sector)
{
    struct entry *e = set_of(m, sector), *v = NULL;
    for (uint32_t i = 0; i < m->cfg.mac_ways; i++) {
        if (e[i].state == INVALID)
            return &e[i];
        if (!is_busy(&e[i]) && (!v || e[i].used < v->used))
            v = &e[i];
    }
    return v;
}

static void recall(struct mac *m, struct entry *e)
{
    bool owned = e->state == PRIVATE_READ || e->state == PRIVATE_WRITE;
    e->recalled = true;
    probe(m, e, owned ? e->owner : EVERY_SM);
    m->count[STAT_TYPES_MAC_EVICTIONS]++;
}

/* ---- events ---- */

/* A free entry of the set. False: a way is recalled, and the request waits at the head of its network. */
static bool allocate(struct mac *m, struct entry **e, uint64_t sector, struct partition *p, uint32_t slice,
                     uint64_t now)
{
    *e = victim(m, sector);
    if (*e && (*e)->state == INVALID) {
        **e = (struct entry){ .sector = sector };
        return true;
    }
    struct entry *set = set_of(m, sector);
    for (uint32_t i = 0; i < m->cfg.mac_ways; i++)
        if (set[i].recalled) {
            progress(m, &set[i], p, slice, now);
            return false;
        }
    if (*e) {
        recall(m, *e);
        progress(m, *e, p, slice, now);
    }
    return false;
}

static bool requested(struct mac *m, struct packet *k, struct partition *p, uint32_t slice, uint64_t now)
{
    uint64_t sector = k->line >> m->cfg.shift;
    struct entry *e = find(m, sector);
    if (e && e->cause == k) {
        if (!progress(m, e, p, slice, now))
            return false;
        e->cause = NULL;
        return true;
    }
    if (e && e->recalled) {
        progress(m, e, p, slice, now);
        return false;
    }
    if (!e && !allocate(m, &e, sector, p, slice, now))
        return false;
    if (e->request || e->waiting.n || must_wait(e, k)) {
        packet_push(&e->waiting, k);
        return true;
    }
    begin(m, e, k);
    e->cause = progress(m, e, p, slice, now) ? NULL : k;
    return !e->cause;
}

/* Continues the entry after an acknowledgement or unblock. If another packet is its cause, that one does so when it is
 * offered again. */
static bool go_on(struct mac *m, struct entry *e, struct packet *k, struct partition *p, uint32_t slice, uint64_t now)
{
    if (!e->cause || e->cause == k)
        e->cause = progress(m, e, p, slice, now) ? NULL : k;
    if (e->cause == k)
        return false;
    packet_return(k);
    return true;
}

static bool acknowledged(struct mac *m, struct packet *k, struct partition *p, uint32_t slice, uint64_t now)
{
    struct entry *e = find(m, k->line >> m->cfg.shift);
    e->acks -= e->cause != k;
    if (e->acks || !e->recalled)
        return go_on(m, e, k, p, slice, now);
    *e = (struct entry){ .state = INVALID };
    packet_return(k);
    return true;
}

static bool unblocked(struct mac *m, struct packet *k, struct partition *p, uint32_t slice, uint64_t now)
{
    struct entry *e = find(m, k->line >> m->cfg.shift);
    e->grants -= e->cause != k;
    return go_on(m, e, k, p, slice, now);
}

bool types_mac_message(void *state, struct partition *p, uint32_t slice, struct packet *k, uint64_t now)
{
    switch (k->kind) {
    case TYPES_REQUEST: return requested(state, k, p, slice, now);
    case TYPES_ACK: return acknowledged(state, k, p, slice, now);
    default: return unblocked(state, k, p, slice, now);
    }
}
