/* What a crossbar consists of: for its cycles (xbar.c) and for making and showing one (xbar_make.c). */
#ifndef MEMSYS_XBAR_STATE_H
#define MEMSYS_XBAR_STATE_H

#include "memsys/wheel.h"
#include "memsys/xbar/xbar.h"

/* Packets of one input port, destination and virtual network, linked in order. */
struct voq {
    struct packet *head, *tail;
    uint64_t since;                  /* the cycle from which the head waits */
};

struct destination {
    uint64_t *want;                  /* [vn][word] bit per input that has a packet for it */
    uint64_t bit;                    /* its place among the destinations of its output */
    uint32_t output, place;
    uint32_t turn;                   /* input that is first to be asked; turns may be one beyond the last */
    uint32_t has, open;              /* virtual networks with packets for it; not known to lack room */
    uint32_t queued[VNS_MAX];
    uint64_t closed_since[VNS_MAX];
};

/* The head of a queue, chosen by an output that is free, or on its way through the output. */
struct choice {
    struct voq *queue;
    uint32_t input, destination, vn, flits;
};

struct output {
    uint64_t work;                   /* bit per destination that has packets which may go */
    uint32_t turn;                   /* destination that is first to be asked */
    struct choice choice;
};

/* Words of the bit masks over each, and virtual networks. */
struct shape { uint32_t sources, destinations, inputs, outputs, vns; };

struct xbar {
    struct xbar_cfg c;
    struct port *in, *out;
    const struct clock_ratio *to_source, *to_destination;
    uint64_t *packets, *flits, *waits, *no_credit;
    uint32_t inputs, outputs;
    struct shape shape;
    uint64_t flit_inverse;           /* 2^32 / flit_bytes, rounded up */
    uint32_t all_open;               /* bit per virtual network */
    uint32_t free_inputs, nstarved;  /* how many */
    struct wheel wheel;              /* timers of sources (arrivals), outputs (free), destinations (credits), */
    uint32_t output_timer, credit_timer;    /* from these numbers on */
    uint64_t *free_in, *free_out;    /* bit per port: it moves no flit now */
    uint64_t *work;                  /* bit per output: it has some */
    uint64_t *want;
    uint32_t *queued;                /* [input][output] packets */
    uint64_t *reach;                 /* [input][word] bit per output that it has packets for */
    struct voq *voq;                 /* [input][destination][vn] */
    uint32_t *vn_turn;               /* [input][destination] virtual network that is first to be asked */
    uint32_t *output_turn;           /* [input] output whose offer is the first choice */
    uint64_t *asking;                /* bit per output: it looks for an input */
    uint64_t *offered;               /* bit per input: it has offers */
    uint64_t *offers;                /* [input][word] bit per output that made it one */
    struct destination *destination;
    struct output *output;
    uint32_t *input_of;              /* [source] */
    uint64_t *starved;               /* bit per destination: closed, and no credit under way */
    uint64_t *bells;                 /* byte per source: a message was sent since the last look */
};

static inline struct voq *xbar_queue(const struct xbar *x, uint32_t input, uint32_t destination, uint32_t vn,
                                     uint32_t vns)
{
    return &x->voq[(input * x->c.destinations + destination) * vns + vn];
}

/* Bits of a mask of n words. */
static inline void set_bit(uint64_t *mask, uint32_t n, uint32_t i)
{
    mask[n == 1 ? 0 : i / 64] |= UINT64_C(1) << i % 64;
}

static inline void clear_bit(uint64_t *mask, uint32_t n, uint32_t i)
{
    mask[n == 1 ? 0 : i / 64] &= ~(UINT64_C(1) << i % 64);
}

#endif
