/* The rings behind a port. */
#include <stdlib.h>

#include "memsys/port.h"

void port_init(struct port *t, uint32_t vns, uint32_t flits)
{
    uint32_t cap = 1;
    while (cap < vns * flits)
        cap *= 2;
    *t = (struct port){ .cap = cap, .size = flits, .vns = vns };
    t->msg = calloc(cap, sizeof *t->msg);
    t->credit = calloc(cap, sizeof *t->credit);
    if (!t->msg || !t->credit)
        abort();
    for (uint32_t v = 0; v < vns; v++)
        t->have[v] = flits;
}

void port_end(struct port *t)
{
    free(t->msg);
    free(t->credit);
    t->msg = NULL;
    t->credit = NULL;
}

bool port_can_send(struct port *t, uint64_t now, unsigned vn, uint32_t flits)
{
    uint32_t h = atomic_load_explicit(&t->credit_head, memory_order_relaxed);
    uint32_t tail = atomic_load_explicit(&t->credit_tail, memory_order_acquire);
    while (h != tail && t->credit[h & (t->cap - 1)].at <= now) {
        const struct port_credit *c = &t->credit[h++ & (t->cap - 1)];
        t->have[c->vn] += c->flits;
    }
    atomic_store_explicit(&t->credit_head, h, memory_order_release);
    return t->have[vn] >= flits;
}

void port_send(struct port *t, uint64_t at, unsigned vn, uint32_t flits, struct packet *p)
{
    uint32_t tail = atomic_load_explicit(&t->msg_tail, memory_order_relaxed);
    t->have[vn] -= flits;
    t->msg[tail & (t->cap - 1)] = (struct port_msg){ at, p };
    atomic_store_explicit(&t->msg_tail, tail + 1, memory_order_release);
    if (t->bell)
        __atomic_store_n(t->bell, 1, __ATOMIC_RELEASE);
}

uint64_t port_credit_next(struct port *t)
{
    uint32_t h = atomic_load_explicit(&t->credit_head, memory_order_relaxed);
    return h == atomic_load_explicit(&t->credit_tail, memory_order_acquire) ? NEVER : t->credit[h & (t->cap - 1)].at;
}

uint64_t port_next(struct port *t)
{
    uint32_t h = atomic_load_explicit(&t->msg_head, memory_order_relaxed);
    return h == atomic_load_explicit(&t->msg_tail, memory_order_acquire) ? NEVER : t->msg[h & (t->cap - 1)].at;
}

struct packet *port_receive(struct port *t, uint64_t now)
{
    uint32_t h = atomic_load_explicit(&t->msg_head, memory_order_relaxed);
    if (h == atomic_load_explicit(&t->msg_tail, memory_order_acquire) || t->msg[h & (t->cap - 1)].at > now)
        return NULL;
    struct packet *p = t->msg[h & (t->cap - 1)].p;
    atomic_store_explicit(&t->msg_head, h + 1, memory_order_release);
    return p;
}

void port_return(struct port *t, uint64_t at, unsigned vn, uint32_t flits)
{
    uint32_t tail = atomic_load_explicit(&t->credit_tail, memory_order_relaxed);
    t->credit[tail & (t->cap - 1)] = (struct port_credit){ at, vn, flits };
    atomic_store_explicit(&t->credit_tail, tail + 1, memory_order_release);
}

bool port_idle(struct port *t)
{
    if (t->msg_head != t->msg_tail)
        return false;
    for (uint32_t v = 0; v < t->vns; v++) {
        uint32_t have = t->have[v];
        for (uint32_t h = t->credit_head; h != t->credit_tail; h++)
            have += t->credit[h & (t->cap - 1)].vn == v ? t->credit[h & (t->cap - 1)].flits : 0;
        if (have != t->size)
            return false;
    }
    return true;
}
