/* Requests from the miss queue to the crossbar. */
#include "memsys/lsu/sender.h"
#include "memsys/xbar/xbar.h"

struct packet *sender_packet(struct sender *s, enum msg_kind kind, enum access_type type, uint64_t line, uint32_t token,
                             uint64_t issued, uint64_t now)
{
    struct packet *p = packet_new(&s->pool);
    p->kind = (uint8_t)kind;
    p->type = (uint8_t)type;
    p->line = p->mapped = line / LINE_BYTES * LINE_BYTES;
    p->sm = s->cfg->sm;
    p->slice = (uint16_t)addrmap_slice(s->cfg->map, p->line);
    p->bytes = PACKET_HEADER;
    p->warp = UINT16_MAX;
    p->token = token;
    p->stamp[STAMP_ISSUE] = issued;
    p->stamp[STAMP_L1] = now;
    return p;
}

struct packet *sender_read(struct sender *s, enum access_type type, uint64_t line, uint8_t sectors, uint32_t token,
                           uint64_t issued, uint64_t now)
{
    struct packet *p = sender_packet(s, MSG_READ, type, line, token, issued, now);
    p->sectors = sectors;
    sender_push(s, p);
    return p;
}

/* Constants and instructions have few pages: their TLBs are assumed to hit. */
void sender_push(struct sender *s, struct packet *p)
{
    bool translated = s->tlb.cfg.entries && p->type != ACCESS_CONST;
    packet_push(p->type == ACCESS_INST ? &s->inst : translated ? &s->tlb.asked : &s->data, p);
}

void sender_push_first(struct sender *s, struct packet *p)
{
    packet_push(&s->inst, p);
}

void sender_push_vn(struct sender *s, struct packet *p)
{
    packet_push(&s->vn_queue[p->vn], p);
    s->vn_queued++;
}

/* Sends the head of a queue, if there are credits for it. */
static bool send_head(struct sender *s, struct packet_queue *q, uint64_t now)
{
    if (!q->n)
        return false;
    uint32_t flits = xbar_flits(q->head->bytes, s->cfg->flit_bytes);
    if (!port_may_send(s->out, now, q->head->vn, flits))
        return false;
    struct packet *p = packet_pop(q);
    p->stamp[STAMP_SENT] = now;
    uint64_t leaves = now + (p->type == ACCESS_INST ? 0 : s->cfg->l1.miss_cycles);
    uint64_t at = clock_convert(s->cfg->clocks, CLK_CORE, CLK_XBAR, leaves) + s->cfg->request_latency;
    s->last = at > s->last ? at : s->last;               /* `at` of a port must not decrease */
    port_send(s->out, s->last, p->vn, flits, p);
    s->count[STAT_REQUESTS]++;
    return true;
}

bool sender_try(struct sender *s, uint64_t now)
{
    for (uint32_t vn = 1; s->vn_queued && vn < s->out->vns; vn++)
        if (send_head(s, &s->vn_queue[vn], now)) {
            s->vn_queued--;
            return false;
        }
    return send_head(s, s->inst.n ? &s->inst : &s->data, now);
}

/* Are there credits for the head of the queue? */
static bool has_credits(const struct sender *s, const struct packet_queue *q)
{
    return q->n && s->out->have[q->head->vn] >= xbar_flits(q->head->bytes, s->cfg->flit_bytes);
}

uint64_t sender_retry(const struct sender *s, uint64_t after)
{
    const struct packet_queue *q = s->inst.n ? &s->inst : &s->data;
    bool now = has_credits(s, q);
    for (uint32_t vn = 1; s->vn_queued && vn < s->out->vns; vn++)
        now |= has_credits(s, &s->vn_queue[vn]);
    if (now)
        return after + 1;
    uint64_t at = port_credit_next(s->out);
    return at > after ? at : after + 1;
}
