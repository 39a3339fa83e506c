/*
 * A crossbar for one direction (SMs to L2 slices, or back), with virtual cut-through (Kermani and Kleinrock,
 * Computer Networks 3, 1979). Sources share input ports and destinations share output ports (core clusters). Packets
 * are cut into flits; an input port and an output port each move one flit a crossbar cycle, and a packet holds both
 * until its last flit is through. A packet starts only when the destination's buffer has room for all of it. Input
 * buffers are finite, per source and virtual network; behind them each input port sorts by destination (virtual
 * output queues: Tamir and Frazier, ISCA 1988), so nobody waits behind a packet for somebody else. Within a queue
 * the order is that of arrival, of those of one cycle the lower source's first.
 *
 * Ports are matched by iSLIP (McKeown, IEEE/ACM Transactions on Networking 7, 1999) until no further packet can
 * start: each free output chooses a free input and offers to serve it, each input accepts one offer, those refused try
 * again elsewhere. Inputs choose among outputs round robin; outputs choose round robin among their destinations, for
 * each of these among the inputs, and then among the virtual networks. When the packet chosen finds no room, its
 * destination is closed for that virtual network until the next credit is back from there, so that small packets do
 * not overtake it for ever; the others go on.
 *
 * Idle, a packet of F flits sent at cycle s is at the destination at s + latency_in + (F - 1) + latency_out. Its
 * credits are back at the source latency_in after its last flit has left the input.
 *
 * Counters: a packet waits from its arrival, or from when the last flit of its predecessor in its queue has left,
 * whichever is later, to the cycle in which its first flit leaves; WAITS is the sum, booked when it leaves. NO_CREDIT
 * is the part of it in which the packet's turn had come and its destination was closed; booked when that opens.
 */
#ifndef MEMSYS_XBAR_H
#define MEMSYS_XBAR_H

#include "base/stats.h"
#include "memsys/xbar/port.h"

enum { XBAR_ENDS_MAX = 4096, XBAR_SHARE_MAX = 64, XBAR_FLIT_MAX = 1 << 15 };

struct xbar_cfg {
    const struct clocks *clocks;
    uint32_t sources, destinations;  /* each 1 to XBAR_ENDS_MAX */
    uint32_t in_share, out_share;    /* sources of an input port, destinations of an output port, each 1 to
                                        XBAR_SHARE_MAX; source s is at port s / in_share */
    uint32_t flit_bytes, vns;        /* 1 to XBAR_FLIT_MAX, 1 to VNS_MAX */
    uint32_t latency_in, latency_out;    /* crossbar cycles, each at least 1 */
    uint32_t largest;                /* bytes of the largest message; 0 = header and a line */
    enum clock_domain source_clock, destination_clock;
    bool to_slices;                  /* a packet goes to p->slice (and comes from p->sm), else the other way round */
    bool every_cycle;                /* visit also the cycles in which nothing can happen: slow, same results */
};

/* Is this a crossbar that works, with buffers of so many flits at its inputs and its destinations? False with a message
 * in error (at most size bytes) when it is not: above all, a message must fit into the buffers. */
bool xbar_check(const struct xbar_cfg *c, uint32_t in_flits, uint32_t out_flits, char *error, size_t size);

struct xbar;
/* in: `sources` ports whose receiver is the crossbar, cycles of CLK_XBAR; out: `destinations` ports whose sender it is.
 * Both must be initialised, and stay where they are. count: the owner's counters, indexed by enum stat. The
 * configuration has passed xbar_check. Aborts when the host is out of memory. */
struct xbar *xbar_new(const struct xbar_cfg *c, struct port *in, struct port *out, uint64_t *count);
void xbar_free(struct xbar *x);
/* Runs all crossbar cycles < until. What others send for these cycles must be in the ports. */
void xbar_run(struct xbar *x, uint64_t until);
uint64_t xbar_next(const struct xbar *x);            /* the next cycle at which it can act, looking at its ports */
bool xbar_empty(const struct xbar *x);               /* no packet inside or on the way to it */
void xbar_dump(const struct xbar *x, void (*line)(void *ctx, const char *text), void *ctx);

static inline uint32_t flits_of(uint32_t bytes, uint32_t flit_bytes)
{
    return (bytes + flit_bytes - 1) / flit_bytes;
}

#endif
