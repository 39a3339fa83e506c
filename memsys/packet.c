/* Packet pools, and lines with byte masks. */
#include <stdlib.h>
#include <string.h>

#include "memsys/packet.h"

enum { SLAB = 64 };

struct slab { struct slab *next; struct packet k[SLAB]; };

struct packet *packet_new(struct packet_pool *p)
{
    if (!p->free) {
        struct slab *s = malloc(sizeof *s);
        if (!s)
            abort();
        s->next = p->slabs;
        p->slabs = s;
        for (int i = 0; i < SLAB; i++) {
            s->k[i].next = p->free;
            p->free = &s->k[i];
        }
    }
    struct packet *k = p->free;
    p->free = k->next;
    p->out++;
    memset(k, 0, offsetof(struct packet, data));
    return k;
}

void packet_free(struct packet_pool *p, struct packet *k)
{
    k->next = p->free;
    p->free = k;
    p->out--;
}

void packet_pool_end(struct packet_pool *p)
{
    for (struct slab *s = p->slabs, *next; s; s = next) {
        next = s->next;
        free(s);
    }
    *p = (struct packet_pool){ 0 };
}

void line_merge(uint8_t *to, const uint8_t *from, const uint64_t mask[2])
{
    for (int half = 0; half < 2; half++) {
        if (mask[half] == UINT64_MAX)
            memcpy(to + 64 * half, from + 64 * half, 64);
        else
            for (uint64_t m = mask[half]; m; m &= m - 1) {
                int i = 64 * half + __builtin_ctzll(m);
                to[i] = from[i];
            }
    }
}

uint8_t line_sectors(const uint64_t mask[2])
{
    return (uint8_t)(!!(uint32_t)mask[0] | !!(mask[0] >> 32) << 1 | !!(uint32_t)mask[1] << 2 | !!(mask[1] >> 32) << 3);
}
