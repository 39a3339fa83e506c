/*
 * Disturbances for tests of memory ordering: the latency of a location differs from SM to SM. Each path (input,
 * destination, virtual network) has a gate. In an epoch of 2^EPOCH cycles one path of SLOW is slow, drawn from the
 * seed: a packet that arrives at its open gate closes it for a random time, in which the packets after it wait too; all
 * then enter their queue in their order. A gate opens by time alone, so it adds no dependency that could cause a
 * deadlock. Few paths are slow, since accesses are reordered when one of them takes long and the others do not.
 */
#include "base/random.h"
#include "memsys/xbar/xbar_state.h"

enum { EPOCH = 13, SLOW = 8, SCALES = 4 };

/* The number of the path, whatever the number of networks is. */
static uint64_t path_of(const struct xbar *x, uint32_t gate)
{
    return ((uint64_t)(gate / x->c.vns * VNS_MAX + gate % x->c.vns) << 1) | x->c.to_slices;
}

uint32_t xbar_gates(const struct xbar *x)
{
    return x->c.disturb ? x->inputs * x->c.destinations * x->c.vns : 0;
}

/* The longest time for which a gate closes in this epoch: 0 for most, for others 1, 1/2, 1/4 ... of the key. */
static uint32_t bound(const struct xbar *x, uint32_t gate, uint64_t now)
{
    uint64_t random = x->c.seed ^ (now >> EPOCH) << 32 ^ path_of(x, gate) << 8;
    uint64_t drawn = random_next(&random);
    return drawn % SLOW ? 0 : x->c.disturb >> drawn / SLOW % SCALES;
}

static uint64_t draw_time(struct xbar *x, uint32_t gate, uint64_t now)
{
    struct xbar_gate *g = &x->gate[gate];
    uint32_t most = bound(x, gate, now);
    if (!g->random)
        g->random = x->c.seed + path_of(x, gate) + 1;
    return most ? 1 + random_next(&g->random) % most : 0;
}

bool xbar_hold(struct xbar *x, struct packet *p, uint32_t gate, uint64_t now)
{
    struct xbar_gate *g = &x->gate[gate];
    if (!g->held.n) {
        uint64_t time = draw_time(x, gate, now);
        if (!time)
            return false;
        wheel_set(&x->wheel, x->gate_timer + gate, now + time);
    }
    packet_push(&g->held, p);
    return true;
}
