/*
 * A port: a one-way connection between two components, with packets in one direction and credits in the other. Every
 * packet and credit carries the cycle (of the receiving side's clock) at which it arrives. That cycle is at least the
 * latency of the connection ahead, so two host threads can simulate the two sides that long without synchronising. The
 * receiver has a buffer of `size` flits per virtual network; the sender spends credits, which return as the receiver
 * frees the buffer (Dally and Towles, Principles and Practices of Interconnection Networks, 13.3.1). Each ring has one
 * writer and one reader.
 */
#ifndef MEMSYS_PORT_H
#define MEMSYS_PORT_H

#include <stdatomic.h>

#include "memsys/clock.h"
#include "memsys/xbar/packet.h"

enum { VNS_MAX = 5, HOST_CACHE_LINE = 64 };

struct port_msg { uint64_t at; struct packet *p; };
struct port_credit { uint64_t at; uint32_t vn, flits; };

/* The fields that each side writes have host cache lines of their own, to avoid false sharing. */
struct port {
    struct port_msg *msg;            /* ring, power of two, never overflows: each entry holds at least one credit */
    struct port_credit *credit;
    uint32_t mask;                   /* entries of a ring - 1 */
    uint32_t size;                   /* flits of buffer per virtual network */
    uint32_t vns;
    uint8_t *doorbell;               /* set to 1 by every message, for a receiver of many ports; NULL = none */
    uint8_t *credit_doorbell;        /* set to 1 by every returned credit, for the sender */
    char pad_sender[HOST_CACHE_LINE];
    _Atomic uint32_t msg_tail, credit_head;
    uint32_t have[VNS_MAX];          /* credits that the sender has, in flits */
    char pad_receiver[HOST_CACHE_LINE];
    _Atomic uint32_t msg_head, credit_tail;
    char pad_end[HOST_CACHE_LINE];
};

/* flits: of buffer per virtual network, at least 1. Aborts when the host is out of memory. */
void port_init(struct port *t, uint32_t vns, uint32_t flits);
void port_end(struct port *t);

/* ---- sender ---- */

/* Are credits for `flits` available in cycle `now`, with those that port_can_send has not collected? */
bool port_would_send(const struct port *t, uint64_t now, unsigned vn, uint32_t flits);

/* Collects the credits that have returned by cycle `now` of the sender. Are credits for `flits` available? */
static inline bool port_can_send(struct port *t, uint64_t now, unsigned vn, uint32_t flits)
{
    uint32_t h = atomic_load_explicit(&t->credit_head, memory_order_relaxed), first = h;
    uint32_t tail = atomic_load_explicit(&t->credit_tail, memory_order_acquire);
    for (; h != tail && t->credit[h & t->mask].at <= now; h++)
        t->have[t->credit[h & t->mask].vn] += t->credit[h & t->mask].flits;
    if (h != first)
        atomic_store_explicit(&t->credit_head, h, memory_order_release);
    return t->have[vn] >= flits;
}

/* The same; collects no credits while half of them, and enough for `flits`, are here. */
static inline bool port_may_send(struct port *t, uint64_t now, unsigned vn, uint32_t flits)
{
    return (t->have[vn] >= t->size / 2 && t->have[vn] >= flits) || port_can_send(t, now, vn, flits);
}

/* Are credits for `flits` available in cycle `now` on every virtual network? Collects none. */
static inline bool port_has_credits(const struct port *t, uint64_t now, uint32_t flits)
{
    bool has = true;
    for (uint32_t v = 0; has && v < t->vns; v++)
        has = t->have[v] >= flits || port_would_send(t, now, v, flits);
    return has;
}

/* at: cycle of the receiver, not before that of the port's previous message. Only after port_can_send has returned true
 * for the same vn and flits (at least 1). */
static inline void port_send(struct port *t, uint64_t at, unsigned vn, uint32_t flits, struct packet *p)
{
    uint32_t tail = atomic_load_explicit(&t->msg_tail, memory_order_relaxed);
    t->have[vn] -= flits;
    t->msg[tail & t->mask] = (struct port_msg){ at, p };
    atomic_store_explicit(&t->msg_tail, tail + 1, memory_order_release);
    if (t->doorbell)
        __atomic_store_n(t->doorbell, 1, __ATOMIC_RELEASE);
}

/* The sender's cycle at which the next credit returns, after that of the last port_can_send; NEVER: none in flight. */
static inline uint64_t port_credit_next(struct port *t)
{
    uint32_t h = atomic_load_explicit(&t->credit_head, memory_order_relaxed);
    return h == atomic_load_explicit(&t->credit_tail, memory_order_acquire) ? NEVER : t->credit[h & t->mask].at;
}

/* ---- receiver ---- */

/* When the oldest message arrives; NEVER when there is none. */
static inline uint64_t port_next(struct port *t)
{
    uint32_t h = atomic_load_explicit(&t->msg_head, memory_order_relaxed);
    return h == atomic_load_explicit(&t->msg_tail, memory_order_acquire) ? NEVER : t->msg[h & t->mask].at;
}

/* The oldest message if it has arrived by `now`, else NULL. */
static inline struct packet *port_receive(struct port *t, uint64_t now)
{
    uint32_t h = atomic_load_explicit(&t->msg_head, memory_order_relaxed);
    if (h == atomic_load_explicit(&t->msg_tail, memory_order_acquire) || t->msg[h & t->mask].at > now)
        return NULL;
    struct packet *p = t->msg[h & t->mask].p;
    atomic_store_explicit(&t->msg_head, h + 1, memory_order_release);
    return p;
}

/* Returns credits. at: cycle of the sender from which it may use them, never decreasing. flits: of one message. */
static inline void port_return(struct port *t, uint64_t at, unsigned vn, uint32_t flits)
{
    uint32_t tail = atomic_load_explicit(&t->credit_tail, memory_order_relaxed);
    t->credit[tail & t->mask] = (struct port_credit){ at, vn, flits };
    atomic_store_explicit(&t->credit_tail, tail + 1, memory_order_release);
    if (t->credit_doorbell)
        __atomic_store_n(t->credit_doorbell, 1, __ATOMIC_RELEASE);
}

/* No message in flight, and every credit returned or in flight: holds at the end of a kernel. Not while a side runs. */
bool port_idle(struct port *t);

#endif
