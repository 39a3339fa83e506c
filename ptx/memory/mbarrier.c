/*
 * The operations of barrier objects. The layout of the word is simtx's own; the ISA leaves it open. A phase is complete
 * when no arrival is pending and no byte is expected; then the expected arrivals are pending again, and the number of
 * the phase is one higher. It has three bits: a test is about the current phase or the one before.
 */
#include <string.h>

#include "ptx/exec/cluster.h"
#include "ptx/memory/mbarrier.h"
#include "ptx/program/decode.h"

/* tx: bytes, of transactions, that are expected minus those that have arrived. */
struct object { uint32_t pending, expected, phase; int32_t tx; };

enum { COUNT_BITS = 20, TX_BITS = 21, PHASE_BITS = 3, TX_AT = 2 * COUNT_BITS, PHASE_AT = TX_AT + TX_BITS };

static uint32_t field(uint64_t word, unsigned at, unsigned bits)
{
    return (uint32_t)(word >> at) & ((1u << bits) - 1);
}

static struct object unpack(uint64_t word)
{
    uint32_t tx = field(word, TX_AT, TX_BITS), sign = 1u << (TX_BITS - 1);
    return (struct object){ .pending = field(word, 0, COUNT_BITS), .expected = field(word, COUNT_BITS, COUNT_BITS),
                            .phase = field(word, PHASE_AT, PHASE_BITS), .tx = (int32_t)((tx ^ sign) - sign) };
}

static uint64_t pack(struct object o)
{
    return field(o.pending, 0, COUNT_BITS) | (uint64_t)field(o.expected, 0, COUNT_BITS) << COUNT_BITS |
           (uint64_t)field((uint32_t)o.tx, 0, TX_BITS) << TX_AT |
           (uint64_t)field(o.phase, 0, PHASE_BITS) << PHASE_AT;
}

/* A sum past the limits of the ISA stays at the limit, so the phase does not complete. */
static int32_t tx_sum(int32_t tx, int64_t bytes)
{
    const int64_t most = (1 << (TX_BITS - 1)) - 1, sum = tx + bytes;
    return (int32_t)(sum > most ? most : sum < -most ? -most : sum);
}

/* The word after an operation with operand b, a count of arrivals or bytes. */
static uint64_t after(enum ptx_op op, uint64_t word, uint64_t b)
{
    struct object o = unpack(word);
    switch (op) {
    case OP_MBARRIER_INIT: return pack((struct object){ .pending = (uint32_t)b, .expected = (uint32_t)b });
    case OP_MBARRIER_INVAL: return 0;
    case OP_CP_ARRIVE:
        o.pending++;
        return pack(o);
    case OP_MBARRIER_EXPECT_TX: o.tx = tx_sum(o.tx, (uint32_t)b); break;
    case OP_MBARRIER_COMPLETE_TX: o.tx = tx_sum(o.tx, -(int64_t)(uint32_t)b); break;
    case OP_MBARRIER_ARRIVE:
    case OP_MBARRIER_ARRIVE_NO_COMPLETE: o.pending -= (uint32_t)b; break;
    case OP_MBARRIER_ARRIVE_EXPECT_TX:
        o.tx = tx_sum(o.tx, (uint32_t)b);
        o.pending--;
        break;
    case OP_MBARRIER_DROP:
    case OP_MBARRIER_DROP_NO_COMPLETE:
        o.pending -= (uint32_t)b;
        o.expected -= (uint32_t)b;
        break;
    case OP_MBARRIER_DROP_EXPECT_TX:
        o.tx = tx_sum(o.tx, (uint32_t)b);
        o.pending--;
        o.expected--;
        break;
    default: return word;
    }
    if (!o.pending && !o.tx) {
        o.pending = o.expected;
        o.phase++;
    }
    return pack(o);
}

/* The result: the word before the operation; of a test 1 if the phase of a state, or of a parity, is complete. */
static uint64_t result_of(enum ptx_op op, uint64_t word, uint64_t b)
{
    switch (op) {
    case OP_MBARRIER_TEST:
    case OP_MBARRIER_TRY: return unpack(word).phase != unpack(b).phase;
    case OP_MBARRIER_TEST_PARITY:
    case OP_MBARRIER_TRY_PARITY: return (unpack(word).phase & 1) != (b & 1);
    default: return word;
    }
}

/* NULL: not a word of shared memory. */
static uint64_t *word_at(struct half *h, const struct dinst *d, int lane, uint64_t address)
{
    bool far = address >> 32 && !mem_wraps(d);
    return far || address & 7 ? NULL : (uint64_t *)(void *)mem_resolve_shared(h, d, address, lane, 8);
}

/* result: NULL = is not needed. *outside: the lanes whose illegal access is tolerated. */
static int run_lanes(struct lanes *x, const struct dinst *d, enum ptx_op op, uint64_t *result, uint32_t *outside)
{
    struct half *h = half_of(x);
    const uint64_t *bs = lanes_at(x, d->src[1]);
    for (uint32_t m = x->mask; m; m &= m - 1) {
        int i = __builtin_ctz(m);
        uint64_t a = mem_address(x, d, i), *p = word_at(h, d, i, a), was;
        if (!p && fault_memory(h, d, i, a, 8, true))
            return CONTROL_FAULT;
        if (!p) {
            *outside |= 1u << i;
            continue;
        }
        was = *p;
        *p = after(op, was, bs[i]);
        if (result)
            result[i] = result_of(op, was, bs[i]);
        h->worker->changes += *p != was;
    }
    return CONTROL_NEXT;
}

/* Operations without a result, and those whose result is a word. access_atom.c also calls it for tests, and converts
 * the word to a predicate. */
static int run_word(struct lanes *x, const struct dinst *d)
{
    uint64_t *out = lanes_at(x, d->dst);
    uint32_t outside = 0;
    int r = run_lanes(x, d, (enum ptx_op)d->in->op, out, &outside);
    for (uint32_t m = outside; m; m &= m - 1)
        out[__builtin_ctz(m)] = 0;
    return r;
}

static int run_test(struct lanes *x, const struct dinst *d)
{
    uint64_t result[LANES];
    uint32_t outside = 0, complete = 0, *out = lanes_at(x, d->dst);
    if (run_lanes(x, d, (enum ptx_op)d->in->op, result, &outside))
        return CONTROL_FAULT;
    for (uint32_t m = x->mask & ~outside; m; m &= m - 1)
        complete |= (uint32_t)result[__builtin_ctz(m)] << __builtin_ctz(m);
    *out = (*out & ~x->mask) | complete;
    return CONTROL_NEXT;
}

/* ---- cp.async.mbarrier.arrive ---- */

/* In functional mode the copies are complete. The arrival that it adds without .noinc, and the arrival of the copies,
 * change nothing together. */
static int run_copies_arrive(struct lanes *x, const struct dinst *d)
{
    uint32_t outside = 0;
    return run_lanes(x, d, d->in->op == OP_CP_ARRIVE_NOINC ? OP_MBARRIER_ARRIVE : OP_MBARRIER_TEST, NULL, &outside);
}

void mbarrier_copies_complete(const struct mem_op *op)
{
    for (uint64_t m = op->served_by[SERVE_SHARED]; m; m &= m - 1) {
        uint64_t *p = (uint64_t *)(void *)(op->warp->block->shared + op->address[__builtin_ctzll(m)]);
        *p = after(OP_MBARRIER_ARRIVE, *p, 1);
    }
}

/* ---- asynchronous writes ---- */

void mbarrier_complete(struct block *b, uint32_t object, uint32_t bytes)
{
    uint64_t *p = (uint64_t *)(void *)(b->shared + (object & CLUSTER_OFFSET_MASK));
    *p = after(OP_MBARRIER_COMPLETE_TX, *p, bytes);
    b->worker->changes += bytes != 0;
}

void mbarrier_complete_lanes(struct mem_op *op, uint64_t lanes, struct block *b)
{
    for (uint64_t m = lanes; m; m &= m - 1) {
        struct mbarrier_completion c;
        memcpy(&c, mem_data(op, (unsigned)__builtin_ctzll(m)) + MBARRIER_COMPLETION, sizeof c);
        mbarrier_complete(b, c.object, c.bytes);
    }
}

/* ---- decoding ---- */

/* A generic address becomes one in shared memory by subtraction; any other is then too large for shared memory. */
static struct dinst *add_access(struct decoder *x, const struct ptx_operand *address)
{
    if (x->in->tx)
        decoder_error(x, "mbarrier inside a transaction is not supported");
    bool generic = ptx_inst_space(x->in) == SP_GENERIC;
    struct dinst *d = generic ? decoder_add_wide_access(x, address, 8, 1) : decoder_add_access(x, address, 8, 1);
    if (d->space == SP_GENERIC) {
        d->imm -= (int64_t)WINDOW_SHARED;
        d->space = SP_SHARED;
    }
    return d;
}

void decode_mbarrier(struct decoder *x)
{
    const struct ptx_inst *in = x->in;
    bool result = ptx_mem_kind((enum ptx_op)in->op) == MOP_ATOM, test = ptx_is_mbarrier_test((enum ptx_op)in->op);
    const struct ptx_operand *o = in->opd + result;
    operand b = o[1].kind == OPD_NONE ? decoder_constant(x, 1, 8) : decoder_source(x, &o[1], T_U64);
    struct dinst *d = add_access(x, &o[0]);
    d->src[1] = b;
    if (result && in->opd[0].kind == OPD_REG)
        d->dst = decoder_reg(x, in->opd[0].reg);
    d->rounded = run_word;
    d->fn = ptx_is_copies_arrive((enum ptx_op)in->op) ? run_copies_arrive : test ? run_test : run_word;
    decoder_guard(x, d);
}
