/* The state of a crossbar, shared by xbar.c (cycles), xbar_disturb.c and xbar_make.c (allocation, checks, dump). */
#ifndef MEMSYS_XBAR_STATE_H
#define MEMSYS_XBAR_STATE_H

#include "memsys/wheel.h"
#include "memsys/xbar/xbar.h"

/* Virtual output queue: the packets of one input port, destination and virtual network. */
struct xbar_voq {
    struct packet *head, *tail;
    uint64_t since;                  /* cycle from which the head waits */
};

/* FIFO input: the packets of an input port and virtual network after the one in a VOQ. blocked: there is one in a
 * VOQ. */
struct xbar_fifo { struct packet_queue wait; bool blocked; };

/* Packets of an input, destination and virtual network that are held back, until the gate's timer expires. */
struct xbar_gate { struct packet_queue held; uint64_t random; };

struct xbar_destination {
    uint64_t *requests;              /* [vn][word] bit per input that has a packet for it */
    uint32_t output, index;          /* its output port; its number among that port's destinations */
    uint32_t next_input;             /* round robin: first input to consider; such pointers may be one past the last */
    uint32_t pending, unblocked;     /* bit per virtual network: has packets for it; is not known to lack credits */
    uint32_t queued[VNS_MAX];
    uint64_t blocked_since[VNS_MAX];
};

/* The head of a queue: granted by a free output, or in transfer through the output. */
struct xbar_choice {
    struct xbar_voq *queue;
    uint32_t input, destination, vn, flits;
};

struct xbar_output {
    uint64_t eligible;               /* bit per destination with packets that are not blocked */
    uint32_t next_destination;       /* round robin: first destination to consider */
    struct xbar_choice choice;
};

/* Number of 64-bit words of the masks over each kind of port, and of virtual networks. own_ports: no destination shares
 * its output port. gates: number of words of the mask over gates; 0 = there are none. */
struct xbar_shape { uint32_t sources, destinations, inputs, outputs, vns; bool own_ports; uint32_t gates; };

struct xbar {
    struct xbar_cfg c;
    struct port *in, *out;
    const struct clock_ratio *to_source, *to_destination;
    uint64_t *packets, *flits, *waits, *no_credit;
    uint32_t inputs, outputs;
    struct xbar_shape shape;
    uint64_t flit_inverse;           /* 2^32 / flit_bytes, rounded up */
    uint32_t all_vns;                /* bit per virtual network */
    uint32_t free_inputs, nstarved;  /* numbers of free inputs and of starved destinations */
    struct wheel wheel;              /* timers of sources (arrival), outputs (free), destinations (credit), gates */
    uint32_t output_timer, credit_timer, gate_timer;     /* first timer of the outputs; destinations; gates */
    uint64_t *free_in, *free_out;    /* bit per port: it transfers no packet */
    uint64_t *eligible;              /* bit per output: it has an eligible destination */
    uint64_t *requests;              /* the masks of all destinations */
    uint32_t *queued;                /* [input][output] packets */
    uint64_t *reach;                 /* [input][word] bit per output for which the input has packets */
    struct xbar_voq *voq;            /* [input][destination][vn] */
    struct xbar_fifo *fifo;          /* [input][vn]; NULL = VOQs */
    struct xbar_gate *gate;          /* [input][destination][vn]; NULL = packets are not held back */
    uint32_t *next_vn;               /* [input][destination] round robin: first virtual network to consider */
    uint32_t *next_output;           /* [input] round robin: first output whose grant to consider */
    uint64_t *unmatched;             /* bit per output: takes part in the next round of the matching */
    uint64_t *granted;               /* bit per input: has grants */
    uint64_t *grants;                /* [input][word] bit per output that granted it */
    struct xbar_destination *destination;
    struct xbar_output *output;
    uint32_t *input_of;              /* [source] */
    uint64_t *starved;               /* bit per destination: blocked, and no credit in flight */
    uint64_t *doorbells;             /* byte per source: 1 = a message was sent since the last xbar_run */
};

static inline struct xbar_voq *xbar_queue(const struct xbar *x, uint32_t input, uint32_t destination, uint32_t vn,
                                          uint32_t vns)
{
    return &x->voq[(input * x->c.destinations + destination) * vns + vn];
}

/* ---- xbar_disturb.c ---- */

uint32_t xbar_gates(const struct xbar *x);
/* Called when a packet arrives: true if the gate of its path is closed, or closes now, and holds it back. */
bool xbar_hold(struct xbar *x, struct packet *p, uint32_t gate, uint64_t now);

/* Bits of a mask of n words. */
static inline void xbar_set_bit(uint64_t *mask, uint32_t n, uint32_t i)
{
    mask[n == 1 ? 0 : i / 64] |= UINT64_C(1) << i % 64;
}

static inline void xbar_clear_bit(uint64_t *mask, uint32_t n, uint32_t i)
{
    mask[n == 1 ? 0 : i / 64] &= ~(UINT64_C(1) << i % 64);
}

#endif
