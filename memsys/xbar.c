/*
 * The crossbar's cycles. Only three things can make a packet start: it arrives, a port that it needs gets free, a
 * credit comes back. Each is a timer of one wheel; the cycles between are not visited. What waits is kept in bit
 * masks (outputs with work, destinations of an output, inputs with a packet for a destination), so that a visit
 * costs what starts in it. A visit leaves nothing that could still start: a further one in the same state has no
 * effect, whatever cycle it is in. That is why results do not depend on which cycles are visited, nor on the
 * windows.
 */
#include <stdio.h>
#include <stdlib.h>

#include "memsys/wheel.h"
#include "memsys/xbar.h"

enum { NO_INPUT = XBAR_ENDS_MAX };

/* Packets of one input port, destination and virtual network, linked in order. */
struct voq {
    struct packet *head, *tail;
    uint64_t since;                  /* the cycle from which the head waits */
    uint64_t closed;                 /* closed cycles of destination and network up to then */
};

struct destination {
    uint64_t bit;                    /* its place among the destinations of its output */
    uint32_t output;
    uint32_t turn;                   /* input that is first to be asked */
    uint8_t has, open;               /* virtual networks with packets for it; not known to lack room */
    uint32_t queued[VNS_MAX];
    uint64_t closed_since[VNS_MAX], closed_cycles[VNS_MAX];
};

struct output {
    uint64_t work;                   /* destinations with packets that may go, a bit each */
    uint32_t turn;                   /* destination that is first to be asked */
    uint32_t input, queue;           /* while it is busy: where from */
};

struct xbar {
    struct xbar_cfg c;
    struct port *in, *out;
    uint64_t *packets, *flits, *waits, *no_credit;
    uint32_t inputs, outputs;
    uint32_t input_words, output_words;
    uint32_t nfree, nqueued, nstarved;
    struct wheel wheel;
    uint32_t output_timer, credit_timer;    /* the first of each kind; before them a timer per source */
    uint64_t *free_in, *free_out;    /* bit per port: it moves no flit now */
    uint64_t *work;                  /* bit per output: it has some */
    uint64_t *want;                  /* [destination][vn][word]: bit per input that has a packet */
    struct voq *voq;                 /* [input][destination][vn] */
    uint8_t *vn_turn;                /* [input][destination] virtual network that is first to be asked */
    struct destination *destination;
    struct output *output;
    uint16_t *input_of;              /* [source] */
    uint64_t *starved;               /* bit per destination: closed, and no credit under way */
    uint64_t *bells;                 /* byte per source: a message was sent since the last look */
};

static uint32_t words(uint32_t bits)
{
    return (bits + 63) / 64;
}

static void set_bit(uint64_t *m, uint32_t i)
{
    m[i / 64] |= UINT64_C(1) << i % 64;
}

static void clear_bit(uint64_t *m, uint32_t i)
{
    m[i / 64] &= ~(UINT64_C(1) << i % 64);
}

/* ---- what may go ---- */

static void update_work(struct xbar *x, struct destination *t)
{
    struct output *o = &x->output[t->output];
    if (t->has & t->open)
        o->work |= t->bit;
    else
        o->work &= ~t->bit;
    if (o->work)
        set_bit(x->work, t->output);
    else
        clear_bit(x->work, t->output);
}

static uint64_t closed_until(const struct destination *t, unsigned vn, uint64_t now)
{
    return t->closed_cycles[vn] + (t->open >> vn & 1 ? 0 : now - t->closed_since[vn]);
}

/* A destination that is closed opens with its next credit. */
static void await_credit(struct xbar *x, uint32_t d)
{
    uint64_t at = port_credit_next(&x->out[d]);
    if (at != NEVER) {
        wheel_set(&x->wheel, x->credit_timer + d, at > x->wheel.now ? at : x->wheel.now);
    } else {
        set_bit(x->starved, d);
        x->nstarved++;
    }
}

static void close_destination(struct xbar *x, uint32_t d, unsigned vn, uint64_t now)
{
    struct destination *t = &x->destination[d];
    bool awaited = t->open != (1u << x->c.vns) - 1;
    t->open &= (uint8_t)~(1u << vn);
    t->closed_since[vn] = now;
    update_work(x, t);
    if (!awaited)
        await_credit(x, d);
}

static void open_destination(struct xbar *x, uint32_t d, uint64_t now)
{
    struct destination *t = &x->destination[d];
    for (unsigned v = 0; v < x->c.vns; v++)
        t->closed_cycles[v] = closed_until(t, v, now);
    t->open = (uint8_t)((1u << x->c.vns) - 1);
    update_work(x, t);
}

/* ---- arrivals ---- */

static uint32_t voq_index(const struct xbar *x, uint32_t input, uint32_t d, unsigned vn)
{
    return (input * x->c.destinations + d) * x->c.vns + vn;
}

static uint64_t *wanted(const struct xbar *x, uint32_t d, unsigned vn)
{
    return &x->want[(d * x->c.vns + vn) * x->input_words];
}

static void enqueue(struct xbar *x, struct packet *p, uint32_t input, uint64_t now)
{
    uint32_t d = x->c.to_slices ? p->slice : p->sm;
    struct destination *t = &x->destination[d];
    struct voq *q = &x->voq[voq_index(x, input, d, p->vn)];
    p->next = NULL;
    if (q->head) {
        q->tail->next = p;
    } else {
        *q = (struct voq){ .head = p, .since = now, .closed = closed_until(t, p->vn, now) };
        set_bit(wanted(x, d, p->vn), input);
    }
    q->tail = p;
    x->nqueued++;
    if (!t->queued[p->vn]++) {
        t->has |= (uint8_t)(1u << p->vn);
        update_work(x, t);
    }
}

static void arrive(struct xbar *x, uint32_t source, uint64_t now)
{
    struct port *t = &x->in[source];
    for (struct packet *p; (p = port_receive(t, now));)
        enqueue(x, p, x->input_of[source], now);
    uint64_t next = port_next(t);
    if (next != NEVER)
        wheel_set(&x->wheel, source, next);
}

static uint64_t no_earlier(uint64_t at, uint64_t now)
{
    return at > now ? at : now;
}

/* Looks at the ports whose bell has rung since the last time. A sender writes its message, then the bell; so a bell that
 * is taken here shows the message, and one that rings later is seen the next time, which is early enough. */
static void answer_bells(struct xbar *x)
{
    for (uint32_t w = 0; w * 8 < x->c.sources; w++) {
        if (!__atomic_load_n(&x->bells[w], __ATOMIC_RELAXED))
            continue;
        uint64_t rung = __atomic_exchange_n(&x->bells[w], 0, __ATOMIC_ACQ_REL);
        for (uint32_t i = 0; i < 8; i++) {
            uint32_t source = w * 8 + i;
            if (!((const uint8_t *)&rung)[i] || wheel_is_set(&x->wheel, source))
                continue;
            uint64_t next = port_next(&x->in[source]);
            if (next != NEVER)
                wheel_set(&x->wheel, source, no_earlier(next, x->wheel.now));
        }
    }
}

static void await_credits(struct xbar *x)
{
    for (uint32_t w = 0; x->nstarved && w < words(x->c.destinations); w++)
        for (uint64_t m = x->starved[w]; m; m &= m - 1) {
            uint32_t d = w * 64 + (unsigned)__builtin_ctzll(m);
            clear_bit(x->starved, d);
            x->nstarved--;
            await_credit(x, d);
        }
}

/* ---- departures ---- */

static void finish(struct xbar *x, uint32_t output, uint64_t now)
{
    const struct output *o = &x->output[output];
    struct voq *q = &x->voq[o->queue];
    set_bit(x->free_out, output);
    set_bit(x->free_in, o->input);
    x->nfree++;
    if (q->head) {
        uint32_t d = o->queue / x->c.vns % x->c.destinations;
        q->since = now;
        q->closed = closed_until(&x->destination[d], o->queue % x->c.vns, now);
    }
}

static struct packet *dequeue(struct xbar *x, uint32_t input, uint32_t d, unsigned vn, uint32_t queue)
{
    struct destination *t = &x->destination[d];
    struct voq *q = &x->voq[queue];
    struct packet *p = q->head;
    q->head = p->next;
    if (!q->head)
        clear_bit(wanted(x, d, vn), input);
    x->nqueued--;
    if (!--t->queued[vn]) {
        t->has &= (uint8_t)~(1u << vn);
        update_work(x, t);
    }
    return p;
}

static void start(struct xbar *x, uint32_t input, uint32_t d, unsigned vn, uint32_t flits, uint64_t now)
{
    struct destination *t = &x->destination[d];
    uint32_t queue = voq_index(x, input, d, vn), output = t->output;
    const struct voq *q = &x->voq[queue];
    ++*x->packets;
    *x->flits += flits;
    *x->waits += now - q->since;
    *x->no_credit += closed_until(t, vn, now) - q->closed;
    struct packet *p = dequeue(x, input, d, vn, queue);

    clear_bit(x->free_in, input);
    clear_bit(x->free_out, output);
    x->nfree--;
    x->output[output].input = input;
    x->output[output].queue = queue;
    wheel_set(&x->wheel, x->output_timer + output, now + flits);

    uint64_t last = now + flits - 1;
    struct port *from = &x->in[x->c.to_slices ? p->sm : p->slice];
    port_return(from, clock_convert(x->c.clocks, CLK_XBAR, x->c.source_clock, last + x->c.latency_in), vn, flits);
    port_send(&x->out[d], clock_convert(x->c.clocks, CLK_XBAR, x->c.destination_clock, last + x->c.latency_out), vn,
              flits, p);
}

/* ---- matching ---- */

/* The bits of word w from `first` on in the k-th of words + 1 looks that go once around a mask, beginning there. */
static uint64_t around(uint64_t word, uint32_t k, uint32_t nwords, uint32_t first)
{
    uint64_t from = UINT64_MAX << first % 64;
    return k == 0 ? word & from : k == nwords ? word & ~from : word;
}

/* The free input whose turn it is of those with a packet for d in one of the networks. */
static uint32_t choose_input(const struct xbar *x, uint32_t d, unsigned vns)
{
    uint32_t n = x->input_words, turn = x->destination[d].turn;
    for (uint32_t k = 0; k <= n; k++) {
        uint32_t w = (turn / 64 + k) % n;
        uint64_t m = 0;
        for (unsigned v = vns; v; v &= v - 1)
            m |= wanted(x, d, (unsigned)__builtin_ctz(v))[w];
        m = around(m & x->free_in[w], k, n, turn);
        if (m)
            return w * 64 + (unsigned)__builtin_ctzll(m);
    }
    return NO_INPUT;
}

static unsigned choose_vn(const struct xbar *x, uint32_t input, uint32_t d, unsigned vns)
{
    unsigned v = x->vn_turn[input * x->c.destinations + d];
    while (!(vns >> v & 1) || !x->voq[voq_index(x, input, d, v)].head)
        v = v + 1 < x->c.vns ? v + 1 : 0;
    return v;
}

static bool serve_destination(struct xbar *x, uint32_t d, uint64_t now)
{
    struct destination *t = &x->destination[d];
    for (unsigned vns; (vns = t->has & t->open);) {
        uint32_t input = choose_input(x, d, vns);
        if (input == NO_INPUT)
            return false;
        unsigned vn = choose_vn(x, input, d, vns);
        uint32_t flits = flits_of(x->voq[voq_index(x, input, d, vn)].head->bytes, x->c.flit_bytes);
        if (port_can_send(&x->out[d], now, vn, flits)) {
            t->turn = input + 1 < x->inputs ? input + 1 : 0;
            x->vn_turn[input * x->c.destinations + d] = (uint8_t)(vn + 1 < x->c.vns ? vn + 1 : 0);
            start(x, input, d, vn, flits, now);
            return true;
        }
        close_destination(x, d, vn, now);
    }
    return false;
}

static void serve_output(struct xbar *x, uint32_t output, uint64_t now)
{
    struct output *o = &x->output[output];
    uint64_t work = o->work;
    for (uint32_t k = 0; k <= 1; k++)
        for (uint64_t m = around(work, k, 1, o->turn); m; m &= m - 1) {
            uint32_t place = (unsigned)__builtin_ctzll(m);
            if (serve_destination(x, output * x->c.out_share + place, now)) {
                o->turn = place + 1 < x->c.out_share ? place + 1 : 0;
                return;
            }
        }
}

/* The output that chooses first: each equally often, and without a period that packets of equal length could keep step
 * with, by Fibonacci hashing of the cycle (Knuth, The Art of Computer Programming 3, 6.4). */
static uint32_t first_output(const struct xbar *x, uint64_t now)
{
    return (uint32_t)((now * UINT64_C(0x9e3779b97f4a7c15) >> 32) * x->outputs >> 32);
}

static void match(struct xbar *x, uint64_t now)
{
    uint32_t n = x->output_words, first = first_output(x, now);
    for (uint32_t k = 0; k <= n; k++) {
        uint32_t w = (first / 64 + k) % n;
        for (uint64_t m = around(x->work[w] & x->free_out[w], k, n, first); m; m &= m - 1) {
            if (!x->nfree)
                return;
            serve_output(x, w * 64 + (unsigned)__builtin_ctzll(m), now);
        }
    }
}

/* ---- cycles ---- */

static void timer_due(struct xbar *x, uint32_t timer, uint64_t now)
{
    if (timer < x->output_timer)
        arrive(x, timer, now);
    else if (timer < x->credit_timer)
        finish(x, timer - x->output_timer, now);
    else
        open_destination(x, timer - x->credit_timer, now);
}

static void visit(struct xbar *x, uint64_t now)
{
    if (wheel_advance(&x->wheel, now))
        for (uint32_t w = 0; w < x->wheel.words; w++)
            for (uint64_t m = wheel_take(&x->wheel, w); m; m &= m - 1)
                timer_due(x, w * 64 + (unsigned)__builtin_ctzll(m), now);
    match(x, now);
}

void xbar_run(struct xbar *x, uint64_t until)
{
    answer_bells(x);
    await_credits(x);
    for (;;) {
        uint64_t now = x->c.every_cycle ? x->wheel.now : wheel_next(&x->wheel);
        if (now >= until)
            break;
        visit(x, now);
        x->wheel.now = now + 1;
    }
    x->wheel.now = no_earlier(until, x->wheel.now);
}

uint64_t xbar_next(const struct xbar *x)
{
    uint64_t next = wheel_next(&x->wheel);
    for (uint32_t s = 0; s < x->c.sources; s++)
        if (__atomic_load_n((const uint8_t *)x->bells + s, __ATOMIC_ACQUIRE)) {
            uint64_t at = port_next(&x->in[s]);
            next = at < next ? at : next;
        }
    for (uint32_t w = 0; x->nstarved && w < words(x->c.destinations); w++)
        for (uint64_t m = x->starved[w]; m; m &= m - 1) {
            uint64_t at = port_credit_next(&x->out[w * 64 + (unsigned)__builtin_ctzll(m)]);
            next = at < next ? at : next;
        }
    return no_earlier(next, x->wheel.now);
}

bool xbar_empty(const struct xbar *x)
{
    for (uint32_t s = 0; s < x->c.sources; s++)
        if (port_next(&x->in[s]) != NEVER)
            return false;
    return !x->nqueued;
}

/* ---- making one ---- */

static bool in_range(uint32_t n, uint32_t most)
{
    return n >= 1 && n <= most;
}

bool xbar_check(const struct xbar_cfg *c, uint32_t in_flits, uint32_t out_flits, char *error, size_t size)
{
    uint32_t largest = c->largest ? c->largest : PACKET_HEADER + LINE_BYTES;
    uint32_t least = in_flits < out_flits ? in_flits : out_flits;
    if (!in_range(c->sources, XBAR_ENDS_MAX) || !in_range(c->destinations, XBAR_ENDS_MAX))
        snprintf(error, size, "crossbar: %u sources and %u destinations, but it has 1 to %d of each", c->sources,
                 c->destinations, XBAR_ENDS_MAX);
    else if (!in_range(c->in_share, XBAR_SHARE_MAX) || !in_range(c->out_share, XBAR_SHARE_MAX))
        snprintf(error, size, "crossbar: %u sources share an input and %u destinations an output, but at most %d can",
                 c->in_share, c->out_share, XBAR_SHARE_MAX);
    else if (!in_range(c->vns, VNS_MAX))
        snprintf(error, size, "crossbar: %u virtual networks, but it has 1 to %d", c->vns, VNS_MAX);
    else if (!c->latency_in || !c->latency_out)
        snprintf(error, size, "crossbar: %u cycles to the input and %u from the output, but each takes at least 1",
                 c->latency_in, c->latency_out);
    else if (!c->flit_bytes || largest > UINT16_MAX || flits_of(largest, c->flit_bytes) > least)
        snprintf(error, size, "crossbar: a message of %u bytes does not fit into a buffer of %u flits of %u bytes",
                 largest, least, c->flit_bytes);
    else
        return true;
    return false;
}

static void *table(size_t n, size_t size)
{
    void *t = calloc(n, size);
    if (!t)
        abort();
    return t;
}

static void make_tables(struct xbar *x)
{
    uint32_t d = x->c.destinations;
    size_t pairs = (size_t)x->inputs * d;
    x->free_in = table(x->input_words, sizeof *x->free_in);
    x->free_out = table(x->output_words, sizeof *x->free_out);
    x->work = table(x->output_words, sizeof *x->work);
    x->want = table((size_t)d * x->c.vns * x->input_words, sizeof *x->want);
    x->voq = table(pairs * x->c.vns, sizeof *x->voq);
    x->vn_turn = table(pairs, sizeof *x->vn_turn);
    x->destination = table(d, sizeof *x->destination);
    x->output = table(x->outputs, sizeof *x->output);
    x->input_of = table(x->c.sources, sizeof *x->input_of);
    x->starved = table(words(d), sizeof *x->starved);
    x->bells = table((x->c.sources + 7) / 8, sizeof *x->bells);
}

static void connect_ends(struct xbar *x)
{
    for (uint32_t s = 0; s < x->c.sources; s++) {
        x->input_of[s] = (uint16_t)(s / x->c.in_share);
        x->in[s].bell = (uint8_t *)x->bells + s;
    }
    for (uint32_t d = 0; d < x->c.destinations; d++) {
        struct destination *t = &x->destination[d];
        t->bit = UINT64_C(1) << d % x->c.out_share;
        t->output = d / x->c.out_share;
        t->open = (uint8_t)((1u << x->c.vns) - 1);
    }
    for (uint32_t i = 0; i < x->inputs; i++)
        set_bit(x->free_in, i);
    for (uint32_t o = 0; o < x->outputs; o++)
        set_bit(x->free_out, o);
    x->nfree = x->inputs;
}

struct xbar *xbar_new(const struct xbar_cfg *c, struct port *in, struct port *out, uint64_t *count)
{
    struct xbar *x = table(1, sizeof *x);
    bool requests = c->to_slices;
    x->c = *c;
    x->in = in;
    x->out = out;
    x->packets = &count[requests ? STAT_XBAR_REQUEST_PACKETS : STAT_XBAR_REPLY_PACKETS];
    x->flits = &count[requests ? STAT_XBAR_REQUEST_FLITS : STAT_XBAR_REPLY_FLITS];
    x->waits = &count[requests ? STAT_XBAR_REQUEST_WAITS : STAT_XBAR_REPLY_WAITS];
    x->no_credit = &count[requests ? STAT_XBAR_REQUEST_NO_CREDIT : STAT_XBAR_REPLY_NO_CREDIT];
    x->inputs = (c->sources + c->in_share - 1) / c->in_share;
    x->outputs = (c->destinations + c->out_share - 1) / c->out_share;
    x->input_words = words(x->inputs);
    x->output_words = words(x->outputs);
    x->output_timer = words(c->sources) * 64;
    x->credit_timer = x->output_timer + x->output_words * 64;
    wheel_init(&x->wheel, x->credit_timer / 64 + words(c->destinations));
    make_tables(x);
    connect_ends(x);
    return x;
}

void xbar_free(struct xbar *x)
{
    if (!x)
        return;
    void *tables[] = { x->free_in, x->free_out, x->work, x->want, x->voq, x->vn_turn, x->destination, x->output,
                       x->input_of, x->starved, x->bells };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        free(tables[i]);
    wheel_end(&x->wheel);
    free(x);
}

/* ---- reports ---- */

static void dump_queue(const struct xbar *x, uint32_t input, uint32_t d, unsigned vn, char *text, size_t size)
{
    const struct voq *q = &x->voq[voq_index(x, input, d, vn)];
    uint32_t n = 0, flits = flits_of(q->head->bytes, x->c.flit_bytes);
    for (const struct packet *p = q->head; p; p = p->next)
        n++;
    int used = snprintf(text, size, "  input %u to %s %u, network %u: %u packets, the first from %s %u, line %#llx, "
                        "waits since %llu", input, x->c.to_slices ? "slice" : "SM", d, vn, n, x->c.to_slices ? "SM" : "slice",
                        x->c.to_slices ? q->head->sm : q->head->slice, (unsigned long long)q->head->line,
                        (unsigned long long)q->since);
    if (used > 0 && (size_t)used < size && x->out[d].have[vn] < flits)
        snprintf(text + used, size - (size_t)used, ", needs room for %u flits, has %u", flits, x->out[d].have[vn]);
}

void xbar_dump(const struct xbar *x, void (*line)(void *ctx, const char *text), void *ctx)
{
    char text[256];
    snprintf(text, sizeof text, "crossbar %s: cycle %llu, %u packets", x->c.to_slices ? "SMs to L2" : "L2 to SMs",
             (unsigned long long)x->wheel.now, x->nqueued);
    line(ctx, text);
    for (uint32_t i = 0; i < x->inputs; i++)
        for (uint32_t d = 0; d < x->c.destinations; d++)
            for (unsigned v = 0; v < x->c.vns; v++)
                if (x->voq[voq_index(x, i, d, v)].head) {
                    dump_queue(x, i, d, v, text, sizeof text);
                    line(ctx, text);
                }
}
