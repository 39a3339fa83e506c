/* Crossbars: allocation, dump. */
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "memsys/xbar/xbar_state.h"

static void *table(size_t n, size_t size)
{
    return mem_zero(n, size, "a crossbar");
}

static uint32_t words(uint32_t bits)
{
    return (bits + 63) / 64;
}

static void size_up(struct xbar *x)
{
    const struct xbar_cfg *c = &x->c;
    x->inputs = (c->sources + c->in_share - 1) / c->in_share;
    x->outputs = (c->destinations + c->out_share - 1) / c->out_share;
    x->shape = (struct xbar_shape){
        words(c->sources), words(c->destinations), words(x->inputs), words(x->outputs), c->vns, c->out_share == 1,
        words(xbar_gates(x))
    };
    x->output_timer = x->shape.sources * 64;
    x->credit_timer = x->output_timer + x->shape.outputs * 64;
    x->gate_timer = x->credit_timer + x->shape.destinations * 64;
    x->flit_inverse = ((UINT64_C(1) << 32) + c->flit_bytes - 1) / c->flit_bytes;
    x->all_vns = (1u << c->vns) - 1;
}

static void make_tables(struct xbar *x)
{
    const struct xbar_cfg *c = &x->c;
    size_t pairs = (size_t)x->inputs * c->destinations;
    wheel_init(&x->wheel, x->shape.sources + x->shape.outputs + x->shape.destinations + x->shape.gates);
    x->free_in = table(x->shape.inputs, sizeof *x->free_in);
    x->free_out = table(x->shape.outputs, sizeof *x->free_out);
    x->eligible = table(x->shape.outputs, sizeof *x->eligible);
    x->requests = table((size_t)c->destinations * c->vns * x->shape.inputs, sizeof *x->requests);
    x->queued = table((size_t)x->inputs * x->outputs, sizeof *x->queued);
    x->reach = table((size_t)x->inputs * x->shape.outputs, sizeof *x->reach);
    x->voq = table(pairs * c->vns, sizeof *x->voq);
    x->fifo = c->fifo ? table((size_t)x->inputs * c->vns, sizeof *x->fifo) : NULL;
    x->gate = x->shape.gates ? table(xbar_gates(x), sizeof *x->gate) : NULL;
    x->next_vn = table(pairs, sizeof *x->next_vn);
    x->next_output = table(x->inputs, sizeof *x->next_output);
    x->unmatched = table(x->shape.outputs, sizeof *x->unmatched);
    x->granted = table(x->shape.inputs, sizeof *x->granted);
    x->grants = table((size_t)x->inputs * x->shape.outputs, sizeof *x->grants);
    x->destination = table(c->destinations, sizeof *x->destination);
    x->output = table(x->outputs, sizeof *x->output);
    x->input_of = table(c->sources, sizeof *x->input_of);
    x->starved = table(x->shape.destinations, sizeof *x->starved);
    x->doorbells = table((c->sources + 7) / 8, sizeof *x->doorbells);
}

static void connect_ends(struct xbar *x)
{
    for (uint32_t s = 0; s < x->c.sources; s++) {
        x->input_of[s] = s / x->c.in_share;
        x->in[s].doorbell = (uint8_t *)x->doorbells + s;
    }
    for (uint32_t d = 0; d < x->c.destinations; d++) {
        struct xbar_destination *t = &x->destination[d];
        t->requests = &x->requests[(size_t)d * x->c.vns * x->shape.inputs];
        t->output = d / x->c.out_share;
        t->index = d % x->c.out_share;
        t->unblocked = x->all_vns;
    }
    for (uint32_t i = 0; i < x->inputs; i++)
        xbar_set_bit(x->free_in, x->shape.inputs, i);
    for (uint32_t o = 0; o < x->outputs; o++)
        xbar_set_bit(x->free_out, x->shape.outputs, o);
    x->free_inputs = x->inputs;
}

enum {
#define XBAR(ID, name, what) XBAR_STATS_##ID,
#include "base/stats.def"
};

/* Its counters, by direction. */
static const struct xbar_stats { enum stat packets, flits, waits, no_credit; } xbar_stats[] = {
#define XBAR(ID, name, what) \
    [XBAR_STATS_##ID] = { STAT_XBAR_##ID##_PACKETS, STAT_XBAR_##ID##_FLITS, STAT_XBAR_##ID##_WAITS, \
                          STAT_XBAR_##ID##_NO_CREDIT },
#include "base/stats.def"
};

struct xbar *xbar_new(const struct xbar_cfg *c, struct port *in, struct port *out, uint64_t *count)
{
    struct xbar *x = table(1, sizeof *x);
    const struct xbar_stats *stats = &xbar_stats[c->to_slices ? XBAR_STATS_REQUEST : XBAR_STATS_REPLY];
    x->c = *c;
    x->in = in;
    x->out = out;
    x->to_source = &c->clocks->ratio[CLK_XBAR][c->source_clock];
    x->to_destination = &c->clocks->ratio[CLK_XBAR][c->destination_clock];
    x->packets = &count[stats->packets];
    x->flits = &count[stats->flits];
    x->waits = &count[stats->waits];
    x->no_credit = &count[stats->no_credit];
    size_up(x);
    make_tables(x);
    connect_ends(x);
    return x;
}

void xbar_free(struct xbar *x)
{
    if (!x)
        return;
    void *tables[] = { x->free_in, x->free_out, x->eligible, x->requests, x->queued, x->reach, x->voq, x->next_vn,
                       x->next_output, x->unmatched, x->granted, x->grants, x->destination, x->output, x->input_of,
                       x->starved, x->doorbells, x->fifo, x->gate };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        free(tables[i]);
    wheel_end(&x->wheel);
    free(x);
}

static uint32_t packets_inside(const struct xbar *x)
{
    uint32_t n = 0;
    for (uint32_t d = 0; d < x->c.destinations; d++)
        for (unsigned v = 0; v < x->c.vns; v++)
            n += x->destination[d].queued[v];
    for (uint32_t i = 0; x->fifo && i < x->inputs * x->c.vns; i++)
        n += x->fifo[i].wait.n;
    for (uint32_t i = 0; x->gate && i < xbar_gates(x); i++)
        n += x->gate[i].held.n;
    return n;
}

bool xbar_empty(const struct xbar *x)
{
    for (uint32_t s = 0; s < x->c.sources; s++)
        if (port_next(&x->in[s]) != NEVER)
            return false;
    return !packets_inside(x);
}

static void dump_queue(const struct xbar *x, uint32_t input, uint32_t d, unsigned vn, char *text, size_t size)
{
    const struct xbar_voq *q = xbar_queue(x, input, d, vn, x->c.vns);
    bool requests = x->c.to_slices;
    uint32_t n = 0, flits = xbar_flits(q->head->bytes, x->c.flit_bytes), room = x->out[d].have[vn];
    for (const struct packet *p = q->head; p; p = p->next)
        n++;
    int used = snprintf(text, size, "  input %u to %s %u, network %u: %u packets, the first from %s %u, line %#llx, "
                        "waits since %llu", input, requests ? "slice" : "SM", d, vn, n, requests ? "SM" : "slice",
                        requests ? q->head->sm : q->head->slice, (unsigned long long)q->head->line,
                        (unsigned long long)q->since);
    if (used > 0 && (size_t)used < size && !(x->destination[d].unblocked >> vn & 1))
        snprintf(text + used, size - (size_t)used, ", needs room for %u flits, has %u", flits, room);
}

void xbar_dump(const struct xbar *x, void (*line)(void *ctx, const char *text), void *ctx)
{
    char text[256];
    snprintf(text, sizeof text, "crossbar %s: cycle %llu, %u packets", x->c.to_slices ? "SMs to L2" : "L2 to SMs",
             (unsigned long long)x->wheel.now, packets_inside(x));
    line(ctx, text);
    for (uint32_t i = 0; i < x->inputs; i++)
        for (uint32_t d = 0; d < x->c.destinations; d++)
            for (unsigned v = 0; v < x->c.vns; v++)
                if (xbar_queue(x, i, d, v, x->c.vns)->head) {
                    dump_queue(x, i, d, v, text, sizeof text);
                    line(ctx, text);
                }
}
