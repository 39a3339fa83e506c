/*
 * A port: the one-way connection between two components, for packets with credits flowing back. Everything that
 * enters carries the cycle (of the other side's domain) at which it is there, and that cycle lies at least one
 * window ahead, so the two sides can be simulated by different host threads for a window without looking at each
 * other. The receiver offers a buffer of `size` flits per virtual network; a sender spends credits and gets them
 * back as the receiver frees the buffer (Dally and Towles, Principles and Practices of Interconnection Networks,
 * 13.3.1). One side writes each ring, the other reads it.
 */
#ifndef MEMSYS_PORT_H
#define MEMSYS_PORT_H

#include <stdatomic.h>

#include "memsys/clock.h"
#include "memsys/xbar/packet.h"

enum { VNS_MAX = 5, HOST_CACHE_LINE = 64 };

struct port_msg { uint64_t at; struct packet *p; };
struct port_credit { uint64_t at; uint32_t vn, flits; };

/* What each side writes lies apart from the rest, so that two host threads do not pull one cache line to and fro. */
struct port {
    struct port_msg *msg;            /* ring, power of two, never overflows: each entry holds at least one credit */
    struct port_credit *credit;
    uint32_t mask;                   /* entries of a ring - 1 */
    uint32_t size;                   /* flits of buffer per virtual network */
    uint32_t vns;
    uint8_t *bell;                   /* becomes 1 with every message: a receiver of many ports looks here; or NULL */
    uint8_t *credit_bell;            /* the same for the sender, with every return of credits */
    char pad_sender[HOST_CACHE_LINE];
    _Atomic uint32_t msg_tail, credit_head;
    uint32_t have[VNS_MAX];          /* credits in the sender's hands, flits */
    char pad_receiver[HOST_CACHE_LINE];
    _Atomic uint32_t msg_head, credit_tail;
    char pad_end[HOST_CACHE_LINE];
};

/* flits: of buffer per virtual network, at least 1. Aborts when the host is out of memory. */
void port_init(struct port *t, uint32_t vns, uint32_t flits);
void port_end(struct port *t);

/* ---- sender ---- */

/* Takes in the credits that are back by cycle `now` of the sender, and says whether `flits` are to be had. */
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

/* `at`: cycle of the receiver. Messages of one port must be sent with rising or equal `at`. Only after port_can_send
 * has said that the flits, at least 1, are to be had. */
static inline void port_send(struct port *t, uint64_t at, unsigned vn, uint32_t flits, struct packet *p)
{
    uint32_t tail = atomic_load_explicit(&t->msg_tail, memory_order_relaxed);
    t->have[vn] -= flits;
    t->msg[tail & t->mask] = (struct port_msg){ at, p };
    atomic_store_explicit(&t->msg_tail, tail + 1, memory_order_release);
    if (t->bell)
        __atomic_store_n(t->bell, 1, __ATOMIC_RELEASE);
}

/* The sender's cycle at which the next credit is back, which lies after that of the last port_can_send; NEVER when
 * none is under way. */
static inline uint64_t port_credit_next(struct port *t)
{
    uint32_t h = atomic_load_explicit(&t->credit_head, memory_order_relaxed);
    return h == atomic_load_explicit(&t->credit_tail, memory_order_acquire) ? NEVER : t->credit[h & t->mask].at;
}

/* ---- receiver ---- */

/* When the oldest message is there; NEVER when there is none. */
static inline uint64_t port_next(struct port *t)
{
    uint32_t h = atomic_load_explicit(&t->msg_head, memory_order_relaxed);
    return h == atomic_load_explicit(&t->msg_tail, memory_order_acquire) ? NEVER : t->msg[h & t->mask].at;
}

/* The oldest message if it is there by `now`, else NULL. */
static inline struct packet *port_receive(struct port *t, uint64_t now)
{
    uint32_t h = atomic_load_explicit(&t->msg_head, memory_order_relaxed);
    if (h == atomic_load_explicit(&t->msg_tail, memory_order_acquire) || t->msg[h & t->mask].at > now)
        return NULL;
    struct packet *p = t->msg[h & t->mask].p;
    atomic_store_explicit(&t->msg_head, h + 1, memory_order_release);
    return p;
}

/* `at`: cycle of the sender at which it may use them. Rising or equal, too. Flits: at least 1, of what was received. */
static inline void port_return(struct port *t, uint64_t at, unsigned vn, uint32_t flits)
{
    uint32_t tail = atomic_load_explicit(&t->credit_tail, memory_order_relaxed);
    t->credit[tail & t->mask] = (struct port_credit){ at, vn, flits };
    atomic_store_explicit(&t->credit_tail, tail + 1, memory_order_release);
    if (t->credit_bell)
        __atomic_store_n(t->credit_bell, 1, __ATOMIC_RELEASE);
}

/* All credits home or on their way home, and no message under way: what a kernel's end must show. Not while one of the
 * two sides runs. */
bool port_idle(struct port *t);

#endif
