/*
 * From the SM to the crossbar: requests wait in the miss queue until credits for the crossbar's input buffer are
 * available; one a cycle is sent. With address translation they pass a TLB in the queue (memsys/tlb/tlb_l1.h): those
 * before its look-up count as queued, those that wait for their page do not. Requests of instruction lines, and of a
 * second level of the read-only caches, have a queue of their own with priority, so that fetch never waits for data;
 * its length is bounded by the MSHRs of these caches. A protocol's acknowledgements and notifications have priority
 * over both, on virtual networks of their own; their number is bounded by the transactions of the homes with this SM.
 */
#ifndef MEMSYS_SENDER_H
#define MEMSYS_SENDER_H

#include "memsys/lsu/lsu.h"

/* The receiver of a reply: the upper bits of a packet's token; the lower ones are a number for the receiver. */
enum reply_to { REPLY_L1, REPLY_STORE, REPLY_ATOM, REPLY_WRITEBACK, REPLY_CONST, REPLY_TEXTURE, REPLY_INST, REPLY_L15 };
enum { REPLY_SHIFT = 28 };

static inline uint32_t sender_token(enum reply_to to, uint32_t number)
{
    return (uint32_t)to << REPLY_SHIFT | number;
}

struct sender {
    struct packet_queue data, inst;
    struct tlb_l1 tlb;                      /* in front of `data` */
    struct packet_queue vn_queue[VNS_MAX];  /* a protocol's acknowledgements and notifications, by network */
    uint32_t vn_queued;
    struct port *out;
    const struct lsu_cfg *cfg;
    uint64_t *count;
    struct packet_pool pool;
    uint64_t last;                   /* crossbar cycle of the last packet's arrival */
};

/* Is the miss queue long enough for so many requests more? */
static inline bool sender_has_room_for(const struct sender *s, uint32_t requests)
{
    return s->data.n + s->tlb.asked.n + requests <= s->cfg->l1.miss_queue;
}

static inline bool sender_has_room(const struct sender *s)
{
    return sender_has_room_for(s, 1);
}

/* Size of a write: header and sectors. */
static inline uint16_t sender_write_bytes(uint8_t sectors)
{
    static const uint8_t ones[ALL_SECTORS + 1] = { 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4 };
    return (uint16_t)(PACKET_HEADER + SECTOR_BYTES * ones[sectors]);
}

/* A packet with address, endpoints and header. issued: core cycle of the instruction; now: of the look-up. */
struct packet *sender_packet(struct sender *s, enum msg_kind kind, enum access_type type, uint64_t line, uint32_t token,
                             uint64_t issued, uint64_t now);
/* Queues a read; only if sender_has_room. */
struct packet *sender_read(struct sender *s, enum access_type type, uint64_t line, uint8_t sectors, uint32_t token,
                           uint64_t issued, uint64_t now);
void sender_push(struct sender *s, struct packet *p);
void sender_push_first(struct sender *s, struct packet *p);   /* into the queue with priority */
void sender_push_vn(struct sender *s, struct packet *p);      /* queues it on virtual network p->vn, not 0 */

/* The same, when something is queued. */
bool sender_try(struct sender *s, uint64_t now);
uint64_t sender_retry(const struct sender *s, uint64_t after);

static inline bool sender_queued(const struct sender *s)
{
    return s->data.n | s->inst.n | s->vn_queued;
}

/* True: it sent a request. */
static inline bool sender_run(struct sender *s, uint64_t now)
{
    return sender_queued(s) && sender_try(s, now);
}

/* The next cycle > after with a packet to send. */
static inline uint64_t sender_next(const struct sender *s, uint64_t after)
{
    return sender_queued(s) ? sender_retry(s, after) : NEVER;
}

#endif
