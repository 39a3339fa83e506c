/* The rings of a port: allocation, and the check that it is idle. */
#include "base/huge.h"
#include "memsys/xbar/port.h"

void port_init(struct port *t, uint32_t vns, uint32_t flits)
{
    uint32_t cap = 1;
    while (cap < vns * flits)
        cap *= 2;
    *t = (struct port){ .mask = cap - 1, .size = flits, .vns = vns };
    t->msg = huge_zero(cap, sizeof *t->msg, "a port");
    t->credit = huge_zero(cap, sizeof *t->credit, "a port");
    for (uint32_t v = 0; v < vns; v++)
        t->have[v] = flits;
}

void port_end(struct port *t)
{
    huge_free(t->msg);
    huge_free(t->credit);
    t->msg = NULL;
    t->credit = NULL;
}

bool port_would_send(const struct port *t, uint64_t now, unsigned vn, uint32_t flits)
{
    uint32_t have = t->have[vn], tail = atomic_load_explicit(&t->credit_tail, memory_order_acquire);
    uint32_t h = atomic_load_explicit(&t->credit_head, memory_order_relaxed);
    for (; have < flits && h != tail && t->credit[h & t->mask].at <= now; h++)
        have += t->credit[h & t->mask].vn == vn ? t->credit[h & t->mask].flits : 0;
    return have >= flits;
}

bool port_idle(struct port *t)
{
    if (t->msg_head != t->msg_tail)
        return false;
    for (uint32_t v = 0; v < t->vns; v++) {
        uint32_t have = t->have[v];
        for (uint32_t h = t->credit_head; h != t->credit_tail; h++)
            have += t->credit[h & t->mask].vn == v ? t->credit[h & t->mask].flits : 0;
        if (have != t->size)
            return false;
    }
    return true;
}
