/*
 * The crossbar's cycles. A packet can start only after one of three events: its arrival, the end of a transfer through
 * a port that it needs, the return of a credit. Each is a timer of one wheel; cycles without a timer are not visited.
 * Waiting packets are recorded in bit masks (eligible outputs, destinations of an output, inputs with a packet for a
 * destination), so the cost of a visit is proportional to the packets that start. Invariant: after a visit no packet
 * can start without a further event. Results therefore depend neither on which cycles are visited nor on the windows.
 *
 * Most machines have at most 64 ports on a side and one virtual network, and many an output port for each destination.
 * The functions of a visit take the shape of the masks as an argument, and are compiled for masks of one word, with and
 * without ports of their own, and for the general case.
 */
#include "memsys/xbar/xbar_state.h"

#define SPECIALISED static inline __attribute__((always_inline))

enum { NONE = XBAR_ENDS_MAX };

/* The first set bit from `first` on, cyclically, in a mask of n words; NONE when there is none. */
SPECIALISED uint32_t next_bit(const uint64_t *mask, uint32_t n, uint32_t first)
{
    uint32_t f = first % 64, w = first / 64 < n ? first / 64 : 0;
    if (n == 1) {
        uint64_t turned = mask[0] >> f | mask[0] << (-f % 64);
        return turned ? ((uint32_t)__builtin_ctzll(turned) + f) % 64 : NONE;
    }
    uint64_t m = mask[w] & UINT64_MAX << f;
    for (uint32_t k = 0; !m && k < n; k++) {
        w = w + 1 < n ? w + 1 : 0;
        m = mask[w];
    }
    return m ? w * 64 + (uint32_t)__builtin_ctzll(m) : NONE;
}

static inline uint64_t assign_bit(uint64_t word, uint32_t i, bool set)
{
    return (word & ~(UINT64_C(1) << i % 64)) | (uint64_t)set << i % 64;
}

static inline uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* ---- packets that may start ---- */

static inline void update_eligible(struct xbar *x, const struct xbar_destination *t)
{
    struct xbar_output *o = &x->output[t->output];
    uint64_t *word = &x->eligible[t->output / 64];
    o->eligible = assign_bit(o->eligible, t->index, t->pending & t->unblocked);
    *word = assign_bit(*word, t->output, o->eligible);
}

/* Sets the timer that unblocks a destination when its next credit returns. */
static void await_credit(struct xbar *x, uint32_t d)
{
    uint64_t at = port_credit_next(&x->out[d]);
    if (at != NEVER) {
        wheel_set(&x->wheel, x->credit_timer + d, later(at, x->wheel.now));
    } else {
        xbar_set_bit(x->starved, x->shape.destinations, d);
        x->nstarved++;
    }
}

static void block_destination(struct xbar *x, uint32_t d, uint32_t vn, uint64_t now)
{
    struct xbar_destination *t = &x->destination[d];
    bool awaited = t->unblocked != x->all_vns;
    t->unblocked &= ~(1u << vn);
    t->blocked_since[vn] = now;
    update_eligible(x, t);
    if (!awaited)
        await_credit(x, d);
}

static void unblock_destination(struct xbar *x, uint32_t d, uint64_t now)
{
    struct xbar_destination *t = &x->destination[d];
    for (uint32_t blocked = x->all_vns & ~t->unblocked; blocked; blocked &= blocked - 1)
        *x->no_credit += now - t->blocked_since[__builtin_ctz(blocked)];
    t->unblocked = x->all_vns;
    update_eligible(x, t);
}

/* ---- arrivals and departures ---- */

SPECIALISED void enqueue(struct xbar *x, struct packet *p, uint32_t input, uint64_t now, struct xbar_shape n)
{
    uint32_t d = x->c.to_slices ? p->slice : p->sm, vn = n.vns == 1 ? 0 : p->vn;
    struct xbar_destination *t = &x->destination[d];
    struct xbar_voq *q = xbar_queue(x, input, d, vn, n.vns);
    p->next = NULL;
    if (q->head) {
        q->tail->next = p;
    } else {
        q->head = p;
        q->since = now;
        xbar_set_bit(&t->requests[vn * n.inputs], n.inputs, input);
        xbar_set_bit(&x->reach[input * n.outputs], n.outputs, n.own_ports ? d : t->output);
    }
    q->tail = p;
    if (!n.own_ports || n.vns > 1)
        x->queued[input * x->outputs + t->output]++;
    if (!t->queued[vn]++) {
        t->pending |= 1u << vn;
        update_eligible(x, t);
    }
}

/* A FIFO input: only its oldest packet requests its destination. */
SPECIALISED void enqueue_fifo(struct xbar *x, struct packet *p, uint32_t input, uint64_t now, struct xbar_shape n)
{
    struct xbar_fifo *b = &x->fifo[input * n.vns + (n.vns == 1 ? 0 : p->vn)];
    if (b->blocked) {
        packet_push(&b->wait, p);
        return;
    }
    b->blocked = true;
    enqueue(x, p, input, now, n);
}

SPECIALISED void admit(struct xbar *x, struct packet *p, uint32_t input, uint64_t now, struct xbar_shape n)
{
    if (x->fifo)
        enqueue_fifo(x, p, input, now, n);
    else
        enqueue(x, p, input, now, n);
}

/* The number of the packet's gate, which is that of its virtual output queue. */
static uint32_t gate_of(const struct xbar *x, const struct packet *p, uint32_t input)
{
    return (input * x->c.destinations + (x->c.to_slices ? p->slice : p->sm)) * x->c.vns + p->vn;
}

SPECIALISED void arrive(struct xbar *x, uint32_t source, uint64_t now, struct xbar_shape n)
{
    struct port *t = &x->in[source];
    uint32_t input = x->input_of[source];
    uint64_t next;
    do {
        struct packet *p = port_receive(t, now);
        if (!n.gates || !xbar_hold(x, p, gate_of(x, p, input), now))
            admit(x, p, input, now, n);
    } while ((next = port_next(t)) <= now);
    if (next != NEVER)
        wheel_set(&x->wheel, source, next);
}

/* A gate opens: the packets that it has held back enter their queue. */
static void open_gate(struct xbar *x, uint32_t gate, uint64_t now, struct xbar_shape n)
{
    for (struct packet *p; (p = packet_pop(&x->gate[gate].held));)
        admit(x, p, gate / (x->c.destinations * x->c.vns), now, n);
}

/* The transfer through the output has ended; the next packet of its queue waits from now on. */
SPECIALISED void finish(struct xbar *x, uint32_t output, uint64_t now, struct xbar_shape n)
{
    const struct xbar_choice *c = &x->output[output].choice;
    xbar_set_bit(x->free_out, n.outputs, output);
    xbar_set_bit(x->free_in, n.inputs, c->input);
    x->free_inputs++;
    c->queue->since = now;
    if (x->fifo) {
        struct xbar_fifo *b = &x->fifo[c->input * n.vns + (n.vns == 1 ? 0 : c->vn)];
        b->blocked = b->wait.n;
        if (b->blocked)
            enqueue(x, packet_pop(&b->wait), c->input, now, n);
    }
}

SPECIALISED struct packet *dequeue(struct xbar *x, const struct xbar_choice *c, uint32_t output, struct xbar_shape n)
{
    struct xbar_destination *t = &x->destination[c->destination];
    struct packet *p = c->queue->head;
    uint32_t vn = n.vns == 1 ? 0 : c->vn;
    bool left = p->next;
    c->queue->head = p->next;
    if (!left)
        xbar_clear_bit(&t->requests[vn * n.inputs], n.inputs, c->input);
    if (!n.own_ports || n.vns > 1)
        left = --x->queued[c->input * x->outputs + output];
    if (!left)
        xbar_clear_bit(&x->reach[c->input * n.outputs], n.outputs, output);
    if (!--t->queued[vn]) {
        t->pending &= ~(1u << vn);
        update_eligible(x, t);
    }
    return p;
}

/* The granted packet starts. */
SPECIALISED void start(struct xbar *x, uint32_t output, uint64_t now, struct xbar_shape n)
{
    const struct xbar_choice c = x->output[output].choice;
    uint64_t last = now + c.flits - 1;
    ++*x->packets;
    *x->flits += c.flits;
    *x->waits += now - c.queue->since;
    struct packet *p = dequeue(x, &c, output, n);
    xbar_clear_bit(x->free_in, n.inputs, c.input);
    xbar_clear_bit(x->free_out, n.outputs, output);
    x->free_inputs--;
    wheel_set(&x->wheel, x->output_timer + output, last + 1);
    port_return(&x->in[x->c.to_slices ? p->sm : p->slice], clock_cross(x->to_source, last + x->c.latency_in), c.vn,
                c.flits);
    port_send(&x->out[c.destination], clock_cross(x->to_destination, last + x->c.latency_out), c.vn, c.flits, p);
}

/* ---- matching ---- */

/* The next free input, round robin, with a packet for the destination in one of the networks vns. */
SPECIALISED uint32_t choose_input(const struct xbar *x, const struct xbar_destination *t, uint32_t vns,
                                  struct xbar_shape n)
{
    uint64_t able[XBAR_ENDS_MAX / 64];
    for (uint32_t w = 0; w < n.inputs; w++) {
        able[w] = n.vns == 1 ? t->requests[w] : 0;
        for (uint32_t v = n.vns == 1 ? 0 : vns; v; v &= v - 1)
            able[w] |= t->requests[(uint32_t)__builtin_ctz(v) * n.inputs + w];
        able[w] &= x->free_in[w];
    }
    return next_bit(able, n.inputs, t->next_input);
}

SPECIALISED uint32_t choose_vn(const struct xbar *x, uint32_t input, uint32_t d, uint32_t vns, struct xbar_shape n)
{
    uint32_t v = n.vns == 1 ? 0 : x->next_vn[input * x->c.destinations + d];
    while (n.vns > 1 && (!(vns >> v & 1) || !xbar_queue(x, input, d, v, n.vns)->head))
        v = v + 1 < n.vns ? v + 1 : 0;
    return v;
}

SPECIALISED bool choose_packet(struct xbar *x, struct xbar_choice *c, uint32_t d, uint64_t now, struct xbar_shape n)
{
    struct xbar_destination *t = &x->destination[d];
    for (uint32_t vns; (vns = t->pending & t->unblocked);) {
        uint32_t input = choose_input(x, t, vns, n);
        if (input == NONE)
            return false;
        uint32_t vn = choose_vn(x, input, d, vns, n);
        struct xbar_voq *q = xbar_queue(x, input, d, vn, n.vns);
        uint32_t flits = (uint32_t)((q->head->bytes + x->c.flit_bytes - 1) * x->flit_inverse >> 32);
        if (port_may_send(&x->out[d], now, vn, flits)) {
            *c = (struct xbar_choice){ q, input, d, vn, flits };
            return true;
        }
        block_destination(x, d, vn, now);
    }
    return false;
}

/* Chooses a packet for the output; false: none can start. */
SPECIALISED bool choose(struct xbar *x, uint32_t output, uint64_t now, struct xbar_shape n)
{
    struct xbar_output *o = &x->output[output];
    if (n.own_ports)
        return o->eligible && choose_packet(x, &o->choice, output, now, n);
    for (uint64_t left = o->eligible; left;) {
        uint32_t index = next_bit(&left, 1, o->next_destination);
        if (choose_packet(x, &o->choice, output * x->c.out_share + index, now, n))
            return true;
        left &= ~(UINT64_C(1) << index);
    }
    return false;
}

/* Moves every round-robin pointer that took part in the choice past what it chose. */
SPECIALISED void advance_pointers(struct xbar *x, uint32_t output, struct xbar_shape n)
{
    struct xbar_output *o = &x->output[output];
    const struct xbar_choice *c = &o->choice;
    struct xbar_destination *t = &x->destination[c->destination];
    x->next_output[c->input] = output + 1;
    o->next_destination = t->index + 1;
    t->next_input = c->input + 1;
    if (n.vns > 1)
        x->next_vn[c->input * x->c.destinations + c->destination] = c->vn + 1 < n.vns ? c->vn + 1 : 0;
}

/* Each unmatched output grants one input; an output without a packet that can start leaves the matching. */
SPECIALISED void grant_inputs(struct xbar *x, uint64_t now, struct xbar_shape n)
{
    for (uint32_t w = 0; w < n.outputs; w++)
        for (uint64_t m = x->unmatched[w]; m; m &= m - 1) {
            uint32_t output = w * 64 + (uint32_t)__builtin_ctzll(m);
            if (choose(x, output, now, n)) {
                uint32_t input = x->output[output].choice.input;
                xbar_set_bit(&x->grants[input * n.outputs], n.outputs, output);
                xbar_set_bit(x->granted, n.inputs, input);
            } else {
                xbar_clear_bit(x->unmatched, n.outputs, output);
            }
        }
}

/* Each input with grants accepts one. */
SPECIALISED void accept_grants(struct xbar *x, uint64_t now, bool first_round, struct xbar_shape n)
{
    for (uint32_t w = 0; w < n.inputs; w++) {
        for (uint64_t m = x->granted[w]; m; m &= m - 1) {
            uint32_t input = w * 64 + (uint32_t)__builtin_ctzll(m);
            uint64_t *grants = &x->grants[input * n.outputs];
            uint32_t output = next_bit(grants, n.outputs, x->next_output[input]);
            for (uint32_t k = 0; k < n.outputs; k++)
                grants[k] = 0;
            xbar_clear_bit(x->unmatched, n.outputs, output);
            if (first_round)
                advance_pointers(x, output, n);
            start(x, output, now, n);
        }
        x->granted[w] = 0;
    }
}

/* Free eligible outputs; with at most 64 inputs, only those for which a free input has packets. */
SPECIALISED uint64_t candidates(const struct xbar *x, uint32_t w, struct xbar_shape n)
{
    uint64_t able = x->eligible[w] & x->free_out[w], reach = 0;
    if (n.inputs > 1)
        return able;
    for (uint64_t m = x->free_in[0]; m && able; m &= m - 1)
        reach |= x->reach[(uint32_t)__builtin_ctzll(m) * n.outputs + w];
    return able & reach;
}

/* Rounds of iSLIP until no output can grant. Pointers move only for grants accepted in the first round, which makes
 * the arbitration free of starvation. */
SPECIALISED void match(struct xbar *x, uint64_t now, struct xbar_shape n)
{
    uint64_t any = 0;
    for (uint32_t w = 0; w < n.outputs; w++)
        any |= x->unmatched[w] = candidates(x, w, n);
    for (bool first_round = true; any && x->free_inputs; first_round = false) {
        grant_inputs(x, now, n);
        accept_grants(x, now, first_round, n);
        any = 0;
        for (uint32_t w = 0; w < n.outputs; w++)
            any |= x->unmatched[w];
    }
}

/* ---- cycles ---- */

SPECIALISED void run_timers(struct xbar *x, uint64_t now, struct xbar_shape n)
{
    for (uint32_t w = 0; w < n.sources; w++)
        for (uint64_t m = wheel_expired(&x->wheel, w); m; m &= m - 1)
            arrive(x, w * 64 + (uint32_t)__builtin_ctzll(m), now, n);
    for (uint32_t w = 0; w < n.outputs; w++)
        for (uint64_t m = wheel_expired(&x->wheel, n.sources + w); m; m &= m - 1)
            finish(x, w * 64 + (uint32_t)__builtin_ctzll(m), now, n);
    for (uint32_t w = 0; w < n.destinations; w++)
        for (uint64_t m = wheel_expired(&x->wheel, n.sources + n.outputs + w); m; m &= m - 1)
            unblock_destination(x, w * 64 + (uint32_t)__builtin_ctzll(m), now);
    for (uint32_t w = 0; w < n.gates; w++)
        for (uint64_t m = wheel_expired(&x->wheel, n.sources + n.outputs + n.destinations + w); m; m &= m - 1)
            open_gate(x, w * 64 + (uint32_t)__builtin_ctzll(m), now, n);
}

SPECIALISED void run_cycles(struct xbar *x, uint64_t until, struct xbar_shape n)
{
    for (;;) {
        uint64_t now = x->c.every_cycle ? x->wheel.now : wheel_next(&x->wheel);
        if (now >= until)
            break;
        if (wheel_advance(&x->wheel, now))
            run_timers(x, now, n);
        match(x, now, n);
        x->wheel.now = now + 1;
    }
    x->wheel.now = later(until, x->wheel.now);
}

/* Clears the lowest non-zero byte of a word of doorbells, and returns its number: the source. */
static inline uint32_t take_doorbell(uint64_t *rung)
{
    uint32_t byte = (uint32_t)__builtin_ctzll(*rung) / 8;
    *rung &= ~(UINT64_C(0xff) << byte * 8);
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? byte : 7 - byte;
}

/* Sets the timers of sources whose doorbell is set. A sender writes its message before the doorbell, so a set doorbell
 * implies that the message is visible; one that is set later is found by the next call, before its message arrives. */
static void check_doorbells(struct xbar *x)
{
    for (uint32_t w = 0; w * 8 < x->c.sources; w++) {
        if (!__atomic_load_n(&x->doorbells[w], __ATOMIC_RELAXED))
            continue;
        for (uint64_t rung = __atomic_exchange_n(&x->doorbells[w], 0, __ATOMIC_ACQ_REL); rung;) {
            uint32_t source = w * 8 + take_doorbell(&rung);
            uint64_t next = port_next(&x->in[source]);
            if (next != NEVER && !wheel_is_set(&x->wheel, source))
                wheel_set(&x->wheel, source, later(next, x->wheel.now));
        }
    }
}

static void await_credits(struct xbar *x)
{
    for (uint32_t w = 0; x->nstarved && w < x->shape.destinations; w++)
        for (uint64_t m = x->starved[w]; m; m &= m - 1) {
            uint32_t d = w * 64 + (uint32_t)__builtin_ctzll(m);
            xbar_clear_bit(x->starved, x->shape.destinations, d);
            x->nstarved--;
            await_credit(x, d);
        }
}

void xbar_run(struct xbar *x, uint64_t until)
{
    struct xbar_shape n = x->shape;
    check_doorbells(x);
    await_credits(x);
    bool small = n.inputs == 1 && n.outputs == 1 && n.vns == 1 && !n.gates;
    if (small && n.own_ports)
        run_cycles(x, until, (struct xbar_shape){ n.sources, 1, 1, 1, 1, true, 0 });
    else if (small)
        run_cycles(x, until, (struct xbar_shape){ n.sources, n.destinations, 1, 1, 1, false, 0 });
    else
        run_cycles(x, until, n);
}

bool xbar_has_credits(const struct xbar *x, uint64_t now, uint64_t until)
{
    uint32_t flits = x->c.largest_packet + (uint32_t)(until - now);
    bool has = true;
    for (uint32_t d = 0; has && d < x->c.destinations; d++)
        has = port_has_credits(&x->out[d], now, flits);
    return has;
}

static uint64_t next_arrival(const struct xbar *x)
{
    uint64_t next = NEVER;
    for (uint32_t w = 0; w * 8 < x->c.sources; w++)
        for (uint64_t rung = __atomic_load_n(&x->doorbells[w], __ATOMIC_ACQUIRE); rung;) {
            uint64_t at = port_next(&x->in[w * 8 + take_doorbell(&rung)]);
            next = at < next ? at : next;
        }
    return next;
}

static uint64_t next_credit(const struct xbar *x)
{
    uint64_t next = NEVER;
    for (uint32_t w = 0; x->nstarved && w < x->shape.destinations; w++)
        for (uint64_t m = x->starved[w]; m; m &= m - 1) {
            uint64_t at = port_credit_next(&x->out[w * 64 + (uint32_t)__builtin_ctzll(m)]);
            next = at < next ? at : next;
        }
    return next;
}

bool xbar_waits(const struct xbar *x)
{
    uint64_t rung = x->nstarved;
    for (uint32_t w = 0; w * 8 < x->c.sources; w++)
        rung |= __atomic_load_n(&x->doorbells[w], __ATOMIC_RELAXED);
    return !rung;
}

uint64_t xbar_next(const struct xbar *x)
{
    uint64_t next = wheel_next(&x->wheel), arrival = next_arrival(x), credit = next_credit(x);
    next = arrival < next ? arrival : next;
    next = credit < next ? credit : next;
    return later(next, x->wheel.now);
}
