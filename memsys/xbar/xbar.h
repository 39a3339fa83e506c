/*
 * A crossbar for one direction (SMs to L2 slices, or back), with virtual cut-through (Kermani and Kleinrock, Computer
 * Networks 3, 1979). Sources share input ports and destinations share output ports (core clusters). Packets are cut
 * into flits. An input port and an output port each transfer one flit a crossbar cycle, and a packet occupies both
 * until its last flit has left. A packet starts only when the destination's buffer has space for all its flits. Input
 * buffers are finite, per source and virtual network. Each input port queues packets by destination (virtual output
 * queues: Tamir and Frazier, ISCA 1988), so no packet waits for one to another destination; or, with `fifo`, it has one
 * queue a virtual network, whose head blocks the packets after it (Karol, Hluchyj and Morgan, IEEE Transactions on
 * Communications 35, 1987). Queues are FIFO; packets that arrive in the same cycle are queued in order of their
 * sources.
 *
 * Ports are matched by iSLIP (McKeown, IEEE/ACM Transactions on Networking 7, 1999) until no further packet can start:
 * each free output grants one free input, each input accepts one grant, and outputs whose grant was not accepted try
 * another input. Inputs choose among grants round robin. Outputs choose round robin among their destinations, then
 * among the inputs, then among the virtual networks. When the chosen packet lacks credits, its destination is blocked
 * for that virtual network until the next credit returns from there, so that smaller packets cannot starve it; other
 * destinations are not blocked.
 *
 * Idle, a packet of F flits sent at cycle s arrives at s + latency_in + (F - 1) + latency_out. Its credits return to
 * the source latency_in after its last flit has left the input.
 *
 * With `disturb`, packets are held back at random before they enter their queue (xbar_disturb.c).
 *
 * Counters: a packet waits from its arrival, or from the cycle after its predecessor in the queue has left, whichever
 * is later, until its first flit leaves; WAITS is the sum, counted when it leaves. NO_CREDIT is the part in which it
 * had been chosen and its destination was blocked, counted when the destination is unblocked.
 */
#ifndef MEMSYS_XBAR_H
#define MEMSYS_XBAR_H

#include "base/config/config.h"
#include "base/num.h"
#include "base/stats.h"
#include "memsys/xbar/port.h"

enum { XBAR_ENDS_MAX = 4096, XBAR_SHARE_MAX = 64, XBAR_FLIT_MAX = 1 << 15 };

/* The keys: of both crossbars. */
struct xbars_cfg {
#define CONFIG_ROWS "memsys/xbar/config.def"
#include "base/config/config_fields.h"
};

void xbars_configure(struct xbars_cfg *c, const struct simtx_config *config);

/* One of them. */
struct xbar_cfg {
    const struct clocks *clocks;
    uint32_t sources, destinations;  /* each 1 to XBAR_ENDS_MAX */
    uint32_t in_share, out_share;    /* sources of an input port, destinations of an output port, each 1 to
                                        XBAR_SHARE_MAX; source s is at port s / in_share */
    uint32_t flit_bytes, vns;        /* 1 to XBAR_FLIT_MAX, 1 to VNS_MAX */
    uint32_t largest_packet;         /* flits */
    uint32_t latency_in, latency_out;    /* crossbar cycles, each at least 1 */
    enum clock_domain source_clock, destination_clock;
    bool to_slices;                  /* packets go from p->sm to p->slice; false: from p->slice to p->sm */
    bool fifo;                       /* an input transfers its packets in order, whatever their destinations */
    bool every_cycle;                /* also visit idle cycles: slow, same results */
    uint32_t disturb;                /* cycles for which a packet is held back, at most */
    uint64_t seed;                   /* of these times */
};

struct xbar;
/* in: `sources` ports whose receiver is the crossbar, in cycles of CLK_XBAR; out: `destinations` ports whose sender it
 * is. Both are initialised, with buffers that hold the largest message, and keep their addresses. count: the owner's
 * counters, indexed by enum stat. */
struct xbar *xbar_new(const struct xbar_cfg *c, struct port *in, struct port *out, uint64_t *count);
void xbar_free(struct xbar *x);
/* Runs all crossbar cycles < until. All messages and credits that arrive in them are in the ports. */
void xbar_run(struct xbar *x, uint64_t until);
/* Has it in cycle `now` credits for all that it can send before `until`, whatever the destination? */
bool xbar_has_credits(const struct xbar *x, uint64_t now, uint64_t until);
uint32_t xbar_largest_packet(const struct simtx_config *config);     /* in flits */
uint64_t xbar_next(const struct xbar *x);            /* the next cycle with an event, ports included */
/* No message has been sent to it since the last xbar_run, and no returned credit can give it an event: xbar_next is the
 * same as then. */
bool xbar_waits(const struct xbar *x);
bool xbar_empty(const struct xbar *x);               /* no packet inside or in flight to it */
void xbar_dump(const struct xbar *x, void (*line)(void *ctx, const char *text), void *ctx);

/* Without a division where it can be: the functions that ask whether credits suffice are called in every cycle. */
static inline uint32_t xbar_flits(uint32_t bytes, uint32_t flit_bytes)
{
    uint32_t up = bytes + flit_bytes - 1;
    return num_power_of_two(flit_bytes) ? up >> __builtin_ctz(flit_bytes) : up / flit_bytes;
}

#endif
