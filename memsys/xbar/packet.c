/* Packet pools. Lines with byte masks. */
#include <string.h>

#include "memsys/xbar/packet.h"

enum { PACKETS_IN_CHUNK = 64 };

_Static_assert(offsetof(struct packet, next) == 0, "a list of packets is a free list of struct pool");

void packet_pool_init(struct packet_pool *p, uint32_t extra)
{
    *p = (struct packet_pool){ .extra = extra };
    pool_init(&p->pool, (sizeof(struct packet) + extra + 7) / 8 * 8, PACKETS_IN_CHUNK, "packets");
}

struct packet *packet_new(struct packet_pool *p)
{
    if (!p->pool.free)
        p->pool.free = atomic_exchange_explicit(&p->returned, NULL, memory_order_acquire);
    struct packet *k = pool_take(&p->pool);
    p->out++;
    memset(k, 0, offsetof(struct packet, data));
    k->home = p;
    k->payload = p->extra ? k + 1 : NULL;
    return k;
}

void packet_free(struct packet_pool *p, struct packet *k)
{
    pool_give(&p->pool, k);
    p->out--;
}

void packet_return(struct packet *k)
{
    struct packet_pool *p = k->home;
    k->next = atomic_load_explicit(&p->returned, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&p->returned, &k->next, k, memory_order_release,
                                                  memory_order_relaxed))
        continue;
    atomic_fetch_add_explicit(&p->back, 1, memory_order_release);
}

void packet_pool_end(struct packet_pool *p)
{
    pool_end(&p->pool);
}

static void merge_8_bytes(uint8_t *to, const uint8_t *from, unsigned mask)
{
    if (mask == 0xff)
        memcpy(to, from, 8);
    else
        for (; mask; mask &= mask - 1)
            to[__builtin_ctz(mask)] = from[__builtin_ctz(mask)];
}

void line_merge(uint8_t *to, const uint8_t *from, const uint64_t mask[2])
{
    for (int half = 0; half < 2; half++, to += 64, from += 64) {
        if (mask[half] == UINT64_MAX)
            memcpy(to, from, 64);
        else
            for (int i = 0; i < 64; i += 8)
                merge_8_bytes(to + i, from + i, mask[half] >> i & 0xff);
    }
}

uint8_t line_sectors(const uint64_t mask[2])
{
    unsigned sectors = 0;
    for (int s = 0; s < LINE_SECTORS; s++)
        sectors |= (unsigned)((uint32_t)(mask[s / 2] >> 32 * (s % 2)) != 0) << s;
    return (uint8_t)sectors;
}
