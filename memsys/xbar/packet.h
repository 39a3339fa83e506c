/*
 * A message of the memory system. A request becomes its own reply (same struct, kind changed), so the packet returns to
 * the pool of its sender, carries the data of both, and collects the time stamps of the whole path in one place.
 */
#ifndef MEMSYS_PACKET_H
#define MEMSYS_PACKET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"

enum { LINE_BYTES = 128, SECTOR_BYTES = 32, LINE_SECTORS = 4, ALL_SECTORS = 15, PACKET_HEADER = 8 };

/* Message kinds of the baseline; a coherence protocol numbers its own from MSG_PROTOCOL, others from MSG_POLICY. */
enum msg_kind {
    MSG_READ,            /* of `sectors` */
    MSG_WRITE,           /* bytes of `mask` in `data`; acknowledged */
    MSG_ATOMIC,          /* operands in `atom`; the reply has the old values (red: an acknowledgement) */
    MSG_READ_REPLY, MSG_WRITE_ACK, MSG_ATOMIC_REPLY,
    MSG_SECTOR,          /* of an answer that L2 gives sector by sector, ahead of one of the above, which has it all */
    MSG_PROTOCOL,
    MSG_POLICY = 64,
    MSG_ENGINE = 128     /* messages between engines beside L2 slices (memsys/l2/engine.h) and SMs */
};

/* Purpose of an access, for statistics. */
enum access_type {
    ACCESS_GLOBAL_LOAD, ACCESS_GLOBAL_STORE, ACCESS_ATOMIC, ACCESS_LOCAL_LOAD, ACCESS_LOCAL_STORE,
    ACCESS_LOCAL_WRITEBACK, ACCESS_CONST, ACCESS_TEXTURE, ACCESS_INST, ACCESS_TYPES
};

/* Points of a request's path; the packet has the core cycle at which it passed each (0 = it did not). */
enum packet_stamp { STAMP_ISSUE, STAMP_L1, STAMP_SENT, STAMP_L2_QUEUE, STAMP_L2, STAMP_DRAM_QUEUE, STAMP_DRAM,
                    STAMP_REPLY, STAMP_FILL, STAMPS };

enum packet_found { PACKET_FOUND_HIT, PACKET_FOUND_PENDING, PACKET_FOUND_MISS };

struct mem_op;
struct atom_payload;

struct packet {
    struct packet *next;             /* link of the queue or pool that it is in */
    uint64_t line;                   /* device address, a multiple of LINE_BYTES */
    uint64_t mapped;                 /* the same after partition_calls.map; tags and DRAM use it */
    uint8_t kind, type, vn;
    uint8_t sectors;                 /* bit per sector: requested by a read, written by a write, carried by a reply */
    uint16_t sm, slice;              /* both endpoints */
    uint16_t bytes;                  /* header and payload on the crossbar; flits = ceil(bytes / flit size) */
    uint16_t warp;                   /* warp slot of the SM, for reports; UINT16_MAX none */
    uint16_t reply_bytes;            /* MSG_ATOMIC: `bytes` of its reply, old values included */
    uint8_t atomic_class;            /* MSG_ATOMIC: enum atomic_class */
    bool own;                        /* an engine's access to its slice (memsys/l2/engine.h) */
    uint16_t stages;                 /* of the slice's pipeline that it passes; 0 = all: l2.latency */
    uint8_t found;                   /* enum packet_found: result of the look-up in L2 */
    bool noted;                      /* a read whose reply has a note of the slice's engine (memsys/l2/engine.h) */
    uint8_t note_bytes;              /* size of the note */
    bool patch;                      /* the second access of a plain store to versioned memory; its bytes are written */
    uint8_t slot;                    /* of versioned memory: 1 + the slot that it accesses; 0 = the newest version */
    uint32_t token;                  /* for the sender: MSHR entry, cache, ... ; unchanged in the reply */
    uint32_t turn;                   /* of a coherence reply: its number at the slice */
    uint64_t stamp[STAMPS];
    struct atom_payload *atom;       /* MSG_ATOMIC and its reply; belongs to the packet */
    void *payload;                   /* for a protocol; in a pool with `extra`: that many bytes, not zeroed */
    struct packet_pool *home;        /* the pool that it was allocated from */
    uint64_t mask[2];                /* MSG_WRITE: bytes present, bit per byte of the line; noted: the note */
    uint8_t data[LINE_BYTES];
};

/* There is one pool per SM and slice; a packet is freed into the pool that it was allocated from, so no two host
 * threads use one pool in a window. The receiver of a message without a reply frees it with packet_return, from any
 * host thread. */
struct packet_pool {
    struct pool pool;
    uint32_t extra;                  /* bytes at `payload` of each packet; 0 = none */
    uint64_t out;                    /* allocated and not freed */
    struct packet *_Atomic returned;
    _Atomic uint64_t back;           /* packets freed by packet_return so far, which `out` still counts */
};
void packet_pool_init(struct packet_pool *p, uint32_t extra);
struct packet *packet_new(struct packet_pool *p);    /* zeroed except data */
void packet_free(struct packet_pool *p, struct packet *k);
void packet_return(struct packet *k);
void packet_pool_end(struct packet_pool *p);

/* Packets in flight. Not while components run. */
static inline uint64_t packet_pool_used(const struct packet_pool *p)
{
    return p->out - atomic_load_explicit(&p->back, memory_order_acquire);
}

/* A FIFO queue of packets, linked through `next`. */
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

static inline void packet_push_front(struct packet_queue *q, struct packet *k)
{
    k->next = q->head;
    q->head = k;
    if (!k->next)
        q->tail = k;
    q->n++;
}

/* Copies the bytes whose mask bits are set; from, to: whole lines. */
void line_merge(uint8_t *to, const uint8_t *from, const uint64_t mask[2]);
uint8_t line_sectors(const uint64_t mask[2]);        /* sectors with a set bit in a byte mask */

#endif
