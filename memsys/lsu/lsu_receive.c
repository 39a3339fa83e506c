/*
 * What the load/store unit receives from the reply crossbar: replies, whose latencies are counted and which go to the
 * component that waits for them; probes of a coherence protocol; messages of order policies and of engines in L2.
 */
#include "memsys/lsu/lsu_impl.h"
#include "memsys/xbar/xbar.h"

static void add_interval(struct lsu *u, enum hist_id h, uint64_t from, uint64_t to)
{
    hist_add(u->hists, h, to > from ? to - from : 0);
}

/* The latency breakdown of a request. */
static void count_intervals(struct lsu *u, const struct packet *p)
{
    const uint64_t *t = p->stamp;
    uint64_t dram = t[STAMP_DRAM] > t[STAMP_DRAM_QUEUE] ? t[STAMP_DRAM] - t[STAMP_DRAM_QUEUE] : 0;
    add_interval(u, HIST_REQUEST_L1, t[STAMP_ISSUE], t[STAMP_SENT]);
    add_interval(u, HIST_REQUEST_XBAR, t[STAMP_SENT], t[STAMP_L2_QUEUE]);
    add_interval(u, HIST_REQUEST_L2, t[STAMP_L2_QUEUE] + dram, t[STAMP_REPLY]);
    if (t[STAMP_DRAM_QUEUE])
        hist_add(u->hists, HIST_REQUEST_DRAM, dram);
    add_interval(u, HIST_REQUEST_REPLY, t[STAMP_REPLY], t[STAMP_FILL]);
}

static void forward_reply(struct lsu *u, struct packet *p, uint64_t now)
{
    switch ((enum reply_to)(p->token >> REPLY_SHIFT)) {
    case REPLY_L1: l1_fill(&u->l1, p, now); break;
    case REPLY_STORE: remote_acknowledged(&u->remote, p, now); break;
    case REPLY_ATOM: remote_replied(&u->remote, p, now); break;
    case REPLY_WRITEBACK: l1_written_back(&u->l1, p); break;
    case REPLY_CONST: rocache_fill(&u->konst, p, now); break;
    case REPLY_TEXTURE: rocache_fill(&u->texture, p, now); break;
    case REPLY_INST: rocache_fill(&u->inst, p, now); break;
    case REPLY_L15: l15_fill(&u->l15, p, now); break;
    }
}

/* Does a warp wait for the reply's data? */
static bool is_awaited(const struct lsu *u, const struct packet *p)
{
    uint32_t to = p->token >> REPLY_SHIFT;
    if (p->kind >= MSG_PROTOCOL)
        return u->coherence.protocol->message[p->kind - MSG_PROTOCOL].payload != COHERENCE_NO_PAYLOAD;
    return to != REPLY_STORE && to != REPLY_WRITEBACK && p->type != ACCESS_INST;
}

static void handle_reply(struct lsu *u, struct packet *p, uint64_t now)
{
    p->stamp[STAMP_FILL] = now;
    if (is_awaited(u, p))
        count_intervals(u, p);
    if (u->retire.calls.replied)
        u->retire.calls.replied(u->retire.calls.ctx, p);
    if (p->kind >= MSG_PROTOCOL)
        l1_coherence_message(&u->coherence, p, now);
    else
        forward_reply(u, p, now);
    packet_free(&u->send.pool, p);
}

static void handle(struct lsu *u, struct packet *p, uint64_t now)
{
    uint32_t flits = xbar_flits(p->bytes, u->cfg.flit_bytes);
    port_return(u->in, clock_convert(u->cfg.clocks, CLK_CORE, CLK_XBAR, now) + u->cfg.credit_latency, p->vn, flits);
    u->count[STAT_REPLIES]++;
    if (p->kind == MSG_SECTOR) {
        u->count[STAT_L2_NOTIFICATIONS]++;
        packet_return(p);
        return;
    }
    u->changed = true;
    if (p->kind >= MSG_ENGINE) {
        u->count[STAT_L2_NOTIFICATIONS]++;
        u->retire.calls.message(u->retire.calls.ctx, p, now);
    } else if (p->kind >= MSG_POLICY)
        lsu_stage_message(u, p, now);
    else if (u->probe_vns >> p->vn & 1)
        l1_coherence_message(&u->coherence, p, now);
    else
        handle_reply(u, p, now);
}

/* The oldest reply of the next network, round robin. */
static struct packet *next_reply(struct lsu *u)
{
    for (uint32_t k = 0; u->narrived && k < u->in->vns; k++) {
        uint32_t vn = (u->reply_vn + k) % u->in->vns;
        if (u->arrived[vn].n) {
            u->reply_vn = vn + 1;
            u->narrived--;
            return packet_pop(&u->arrived[vn]);
        }
    }
    return NULL;
}

/* Handles all probes; of the other networks' packets one a cycle is handled, as with a single network. */
static struct packet *sort_networks(struct lsu *u, uint64_t now)
{
    for (struct packet *p; (p = port_receive(u->in, now));) {
        if (u->probe_vns >> p->vn & 1) {
            handle(u, p, now);
        } else {
            packet_push(&u->arrived[p->vn], p);
            u->narrived++;
        }
    }
    return next_reply(u);
}

void lsu_receive(struct lsu *u, uint64_t now)
{
    struct packet *p = u->in->vns > 1 ? sort_networks(u, now) : port_receive(u->in, now);
    if (p)
        handle(u, p, now);
}
