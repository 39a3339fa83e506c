/* Packet pools: slabs, and a list of free packets. Lines with byte masks. */
#include <stdlib.h>
#include <string.h>

#include "memsys/xbar/packet.h"

enum { SLAB = 64 };

struct packet_slab { struct packet_slab *next; char *extra; struct packet k[SLAB]; };

struct packet *packet_new(struct packet_pool *p)
{
    if (!p->free)
        p->free = atomic_exchange_explicit(&p->returned, NULL, memory_order_acquire);
    if (!p->free) {
        struct packet_slab *s = malloc(sizeof *s);
        if (!s)
            abort();
        s->next = p->slabs;
        p->slabs = s;
        s->extra = p->extra ? malloc((size_t)SLAB * p->extra) : NULL;
        if (p->extra && !s->extra)
            abort();
        for (int i = 0; i < SLAB; i++) {
            s->k[i].payload = p->extra ? s->extra + (size_t)i * p->extra : NULL;
            s->k[i].home = p;
            s->k[i].next = p->free;
            p->free = &s->k[i];
        }
    }
    struct packet *k = p->free;
    p->free = k->next;
    p->out++;
    void *payload = p->extra ? k->payload : NULL;
    memset(k, 0, offsetof(struct packet, data));
    k->payload = payload;
    return k;
}

void packet_free(struct packet_pool *p, struct packet *k)
{
    k->next = p->free;
    p->free = k;
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
    for (struct packet_slab *s = p->slabs, *next; s; s = next) {
        next = s->next;
        free(s->extra);
        free(s);
    }
    *p = (struct packet_pool){ 0 };
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
