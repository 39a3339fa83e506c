/*
 * A message of the memory system: one struct from the access that made it to its reply. A request becomes its own reply
 * (same struct, kind changed), so a packet returns to the pool of the component that made it, data travels in it, and
 * the time stamps of the whole way are in one place.
 */
#ifndef MEMSYS_PACKET_H
#define MEMSYS_PACKET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LINE_BYTES = 128, SECTOR_BYTES = 32, LINE_SECTORS = 4, ALL_SECTORS = 15, PACKET_HEADER = 8 };

/* Message kinds of the baseline; a coherence protocol numbers its own from MSG_PROTOCOL, others from MSG_POLICY. */
enum msg_kind {
    MSG_READ,            /* sectors wanted */
    MSG_WRITE,           /* bytes of `mask` in `data`; acknowledged */
    MSG_ATOMIC,          /* `atom` holds the operands; answered with the old values (red: acknowledged) */
    MSG_READ_REPLY, MSG_WRITE_ACK, MSG_ATOMIC_REPLY,
    MSG_PROTOCOL,
    MSG_POLICY = 64,
    MSG_UNIT = 128       /* messages of the units beside the slices (unit.h) and of their partners in the SMs */
};

/* What an access is for: statistics by type, and who gets the reply inside the SM. */
enum access_type {
    ACCESS_GLOBAL_LOAD, ACCESS_GLOBAL_STORE, ACCESS_ATOMIC, ACCESS_LOCAL_LOAD, ACCESS_LOCAL_STORE,
    ACCESS_LOCAL_WRITEBACK, ACCESS_CONST, ACCESS_TEXTURE, ACCESS_INST, ACCESS_L2_FILL, ACCESS_L2_WRITEBACK, ACCESS_TYPES
};

/* Stages of a request's way, each with the core cycle at which it was reached (0 = not on this request's way). */
enum stage { STAGE_ISSUE, STAGE_L1, STAGE_SENT, STAGE_L2_QUEUE, STAGE_L2, STAGE_DRAM_QUEUE, STAGE_DRAM, STAGE_REPLY,
             STAGE_FILL, STAGES };

enum packet_found { FOUND_HIT, FOUND_PENDING, FOUND_MISS };

struct mem_op;
struct atom_payload;

struct packet {
    struct packet *next;             /* for whoever owns it now: a queue or a pool */
    uint64_t line;                   /* device address, a multiple of LINE_BYTES */
    uint64_t mapped;                 /* the same after the partition's mapping; tags and DRAM use it */
    uint8_t kind, type, vn;
    uint8_t sectors;                 /* bit per sector: wanted by a read, touched by a write, carried by a reply */
    uint16_t sm, slice;              /* the two ends */
    uint16_t bytes;                  /* header and payload on the crossbar; flits = ceil(bytes / flit size) */
    uint16_t warp;                   /* warp slot of the SM, for reports; UINT16_MAX none */
    uint16_t reply_bytes;            /* MSG_ATOMIC: `bytes` of its reply, old values included */
    uint8_t atomic_class;            /* MSG_ATOMIC: 0 integer add and the like, 1 exch, 2 cas, 3 floating point */
    bool own;                        /* a unit's access to its slice (unit.h) */
    uint16_t stages;                 /* of the slice's pipeline that it passes; 0 = all: l2.latency */
    uint8_t found;                   /* enum packet_found: how the look-up in L2 went */
    uint32_t token;                  /* sender's own: MSHR entry, cache, ... ; unchanged in the reply */
    uint64_t stamp[STAGES];
    struct atom_payload *atom;       /* MSG_ATOMIC and its reply; belongs to the packet */
    void *payload;                   /* protocol's own; of a pool with `extra`: that many bytes, not zeroed */
    uint64_t mask[2];                /* MSG_WRITE: bytes present, bit per byte of the line */
    uint8_t data[LINE_BYTES];
    struct packet_pool *home;        /* the pool that it comes from */
};

/* Packets are handed out from slabs and never returned to the host before the pool ends. One pool per SM and slice;
 * a packet goes back to the pool that it came from, so no two host threads use one pool in a window. Whoever ends the
 * way of a message that has no answer gives it back with packet_return, from any host thread. */
struct packet_pool {
    uint32_t extra;                  /* bytes at `payload` that each of its packets has; 0 = none */
    struct packet *free;
    struct packet_slab *slabs;
    uint64_t out;                    /* handed out and not freed */
    struct packet *_Atomic returned;
    _Atomic uint64_t back;           /* returned ones so far, which `out` still counts */
};
struct packet *packet_new(struct packet_pool *p);    /* zeroed except data; aborts when the host is out of memory */
void packet_free(struct packet_pool *p, struct packet *k);
void packet_return(struct packet *k);
void packet_pool_end(struct packet_pool *p);

/* Packets that are still on their way. Not while components run. */
static inline uint64_t packets_out(const struct packet_pool *p)
{
    return p->out - atomic_load_explicit(&p->back, memory_order_acquire);
}

/* A queue of packets in order, linked through `next`. */
struct packet_queue { struct packet *head, *tail; uint32_t n; };
static inline void packet_push(struct packet_queue *q, struct packet *k)
{
    k->next = NULL;
    if (q->head)
        q->tail->next = k;
    else
        q->head = k;
    q->tail = k;
    q->n++;
}
static inline struct packet *packet_pop(struct packet_queue *q)
{
    struct packet *k = q->head;
    if (k) {
        q->head = k->next;
        q->n--;
    }
    return k;
}

static inline void packet_put_back(struct packet_queue *q, struct packet *k)
{
    k->next = q->head;
    q->head = k;
    if (!k->next)
        q->tail = k;
    q->n++;
}

/* Copies the bytes that a mask names; from, to: whole lines. */
void line_merge(uint8_t *to, const uint8_t *from, const uint64_t mask[2]);
uint8_t line_sectors(const uint64_t mask[2]);        /* sectors that a byte mask touches */

#endif
