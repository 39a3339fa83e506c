/*
 * The way out of an SM: requests wait in the miss queue until the crossbar's input buffer has room for them, and leave
 * one a cycle. Instruction lines have a queue of their own that goes first, so that fetch never waits behind data; it
 * is as short as the instruction cache has MSHRs. What a protocol answers or notes goes before both, on virtual
 * networks of its own; there are never more such packets than the home has transactions with this SM.
 */
#ifndef MEMSYS_SENDER_H
#define MEMSYS_SENDER_H

#include "memsys/lsu/lsu.h"

/* Who gets a reply: the upper bits of a packet's token; the lower ones are a number of that one's own. */
enum reply_to { REPLY_L1, REPLY_STORE, REPLY_ATOM, REPLY_WRITEBACK, REPLY_CONST, REPLY_TEXTURE, REPLY_INST };
enum { REPLY_SHIFT = 28 };

static inline uint32_t token_of(enum reply_to to, uint32_t number)
{
    return (uint32_t)to << REPLY_SHIFT | number;
}

struct sender {
    struct packet_queue data, inst;
    struct packet_queue apart[VNS_MAX];  /* a protocol's answers and notes, by network: they wait for nothing else */
    uint32_t napart;
    struct port *out;
    const struct lsu_cfg *cfg;
    uint64_t *count;
    struct packet_pool pool;
    uint64_t last;                   /* crossbar cycle of the last packet's arrival */
};

static inline bool sender_has_room(const struct sender *s)
{
    return s->data.n < s->cfg->miss_queue;
}

/* Header and the sectors' bytes. */
static inline uint16_t write_bytes(uint8_t sectors)
{
    static const uint8_t ones[ALL_SECTORS + 1] = { 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4 };
    return (uint16_t)(PACKET_HEADER + SECTOR_BYTES * ones[sectors]);
}

/* A packet with address, ends and header set. issued: core cycle of the instruction; now: of the look-up. */
struct packet *sender_packet(struct sender *s, enum msg_kind kind, enum access_type type, uint64_t line, uint32_t token,
                             uint64_t issued, uint64_t now);
void sender_read(struct sender *s, enum access_type type, uint64_t line, uint8_t sectors, uint32_t token,
                 uint64_t issued, uint64_t now);         /* makes and queues a read; check sender_has_room first */
void sender_push(struct sender *s, struct packet *p);
void sender_push_apart(struct sender *s, struct packet *p);      /* on its own network, which has room for all */
bool sender_run(struct sender *s, uint64_t now);         /* true: a request has left */
uint64_t sender_next(const struct sender *s, uint64_t after);    /* next cycle > after at which one may; NEVER */

#endif
