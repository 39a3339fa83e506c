/* Reference of integer arithmetic, carries, counts and bit fields (PTX ISA 9.7.1, 9.7.2): numbers, not
 * tricks. */
#include "regress/conformance/ref/ref.h"

static bool carries(const struct ptx_inst *in)
{
    return in->mod[PG_CC] || in->op == OP_ADDC || in->op == OP_SUBC || in->op == OP_MADC;
}

/* The product as 128 bits; unsigned 64-bit ones need all of them. */
static u128 product(uint8_t type, uint64_t a, uint64_t b)
{
    return (u128)ref_value(type, a) * (u128)ref_value(type, b);
}

static s128 product_part(const struct ptx_inst *in, uint64_t a, uint64_t b)
{
    uint8_t t = in->type[0];
    int bits = ref_bits_of(t);
    u128 p = product(t, a, b);
    if (REF_HAS(in, MULW, WIDE))
        return (s128)p;
    if (REF_HAS(in, MULW, LO))
        return (s128)(uint64_t)(p & ref_mask(bits));
    uint64_t high = (uint64_t)(p >> bits);
    return ref_value(t, high);
}

/* Sum with carry in and out, as the ISA defines CC.CF: the carry out of the unsigned addition. */
static void add_carry(const struct ptx_inst *in, uint64_t a, uint64_t b, bool in_carry, int bits,
                      struct ref_result *r)
{
    u128 sum = (u128)(a & ref_mask(bits)) + (b & ref_mask(bits)) + in_carry;
    r->d = (uint64_t)sum & ref_mask(bits);
    if (in->mod[PG_CC])
        r->carry = (sum >> bits) != 0;
}

static void sub_borrow(const struct ptx_inst *in, uint64_t a, uint64_t b, bool borrow, int bits,
                       struct ref_result *r)
{
    s128 diff = (s128)(a & ref_mask(bits)) - (s128)(b & ref_mask(bits)) - borrow;
    r->d = (uint64_t)diff & ref_mask(bits);
    if (in->mod[PG_CC])
        r->carry = diff < 0;
}

static bool add_like(const struct ptx_inst *in, const struct ref_lane *l, struct ref_result *r)
{
    uint8_t t = in->type[0];
    int bits = ref_bits_of(t);
    bool use = in->op == OP_ADDC || in->op == OP_SUBC || in->op == OP_MADC;
    if (in->op == OP_ADD || in->op == OP_ADDC) {
        if (in->mod[PG_SAT])
            r->d = (uint64_t)ref_clamp(ref_value(t, l->src[0]) + ref_value(t, l->src[1]), INT32_MIN,
                                       INT32_MAX);
        else
            add_carry(in, l->src[0], l->src[1], use && l->carry, bits, r);
        return true;
    }
    if (in->op == OP_SUB || in->op == OP_SUBC) {
        if (in->mod[PG_SAT])
            r->d = (uint64_t)ref_clamp(ref_value(t, l->src[0]) - ref_value(t, l->src[1]), INT32_MIN,
                                       INT32_MAX);
        else
            sub_borrow(in, l->src[0], l->src[1], use && l->carry, bits, r);
        return true;
    }
    s128 p = product_part(in, l->src[0], l->src[1]);
    if (in->mod[PG_SAT])
        r->d = (uint64_t)ref_clamp(p + ref_value(t, l->src[2]), INT32_MIN, INT32_MAX);
    else if (carries(in))
        add_carry(in, (uint64_t)p, l->src[2], use && l->carry, bits, r);
    else
        r->d = (uint64_t)((u128)p + l->src[2]) & ref_mask(REF_HAS(in, MULW, WIDE) ? 2 * bits : bits);
    return true;
}

static s128 product24(const struct ptx_inst *in, const struct ref_lane *l)
{
    s128 v[2];
    for (int i = 0; i < 2; i++) {
        v[i] = (s128)(l->src[i] & 0xffffff);
        if (in->type[0] == T_S32 && v[i] & 0x800000)
            v[i] -= 0x1000000;
    }
    s128 p = v[0] * v[1];
    uint32_t part = (uint32_t)(REF_HAS(in, MULW, HI) ? p >> 16 : p);
    return ref_value(in->type[0], part);
}

/* Division by zero gives all ones, as quotient and as remainder (docs/hardware.md); the least number by -1 wraps. */
static uint64_t divide(uint8_t t, uint64_t x, uint64_t y, bool rest)
{
    s128 a = ref_value(t, x), b = ref_value(t, y);
    if (b == 0)
        return ~0ull;
    return (uint64_t)(rest ? a % b : a / b);
}

static uint32_t count_leading(uint64_t v, int bits)
{
    uint32_t n = 0;
    while (n < (uint32_t)bits && !(v >> (bits - 1 - (int)n) & 1))
        n++;
    return n;
}

/*
 * The highest bit that differs from the sign (from 0 for unsigned), by position or by distance from the top.
 */
static uint32_t bfind(const struct ptx_inst *in, uint64_t a)
{
    int bits = ref_bits_of(in->type[0]);
    uint64_t sign = ptx_type_class(in->type[0]) == 's' ? a >> (bits - 1) & 1 : 0;
    for (int i = bits - 1; i >= 0; i--)
        if ((a >> i & 1) != sign)
            return (uint32_t)(in->mod[PG_SHIFTAMT] ? bits - 1 - i : i);
    return ~0u;
}

static uint32_t fns(uint32_t mask, uint32_t base, int32_t offset)
{
    if (offset == 0)
        return base < 32 && mask >> base & 1 ? base : ~0u;
    int64_t pos = (int64_t)base, count = (offset < 0 ? -(int64_t)offset : offset) - 1;
    for (; pos >= 0 && pos < 32; pos += offset > 0 ? 1 : -1)
        if (mask >> pos & 1 && count-- == 0)
            return (uint32_t)pos;
    return ~0u;
}

static uint64_t extract(uint8_t t, uint64_t a, uint64_t b, uint64_t c)
{
    int bits = ref_bits_of(t), pos = (int)(b & 255), len = (int)(c & 255), top = pos + len - 1;
    uint64_t sign = 0, d = 0;
    if (ptx_type_class(t) == 's' && len)
        sign = a >> (top < bits - 1 ? top : bits - 1) & 1;
    for (int i = 0; i < bits; i++)
        d |= (i < len && pos + i < bits ? a >> (pos + i) & 1 : sign) << i;
    return d;
}

static uint64_t insert(uint8_t t, uint64_t a, uint64_t b, uint64_t c, uint64_t n)
{
    int bits = ref_bits_of(t), pos = (int)(c & 255), len = (int)(n & 255);
    for (int i = 0; i < len && pos + i < bits; i++)
        b = (b & ~(1ull << (pos + i))) | (a >> i & 1) << (pos + i);
    return b;
}

static uint32_t extend(const struct ptx_inst *in, uint32_t a, uint32_t n)
{
    bool wrap = REF_HAS(in, BFIMODE, BMSK_WRAP);
    if (wrap)
        n %= 32;
    if (n >= 32)
        return a;
    uint32_t d = 0;
    for (uint32_t i = 0; i < 32; i++)
        d |= (i < n ? a >> i & 1 : n && in->type[0] == T_S32 ? a >> (n - 1) & 1 : 0) << i;
    return d;
}

static uint32_t bit_mask(const struct ptx_inst *in, uint32_t from, uint32_t width)
{
    uint64_t a = from, n = width;
    if (REF_HAS(in, BFIMODE, BMSK_WRAP)) {
        a %= 32;
        n %= 32;
    }
    uint32_t d = 0;
    for (uint64_t i = 0; i < 32; i++)
        d |= (uint32_t)(i >= a && i < a + n) << i;
    return d;
}

/* Part i of a word, `bits` wide. */
static s128 part(uint32_t v, int i, int bits, bool is_signed)
{
    s128 p = (s128)(v >> (bits * i)) & (((s128)1 << bits) - 1);
    return is_signed && p >> (bits - 1) & 1 ? p - ((s128)1 << bits) : p;
}

static uint32_t dot(const struct ptx_inst *in, const struct ref_lane *l)
{
    bool sa = in->type[0] == T_S32, sb = in->type[1] == T_S32;
    s128 sum = (s128)l->src[2];
    for (int i = 0; i < 4 && in->op == OP_DP4A; i++)
        sum += part((uint32_t)l->src[0], i, 8, sa) * part((uint32_t)l->src[1], i, 8, sb);
    for (int i = 0; i < 2 && in->op == OP_DP2A; i++)
        sum += part((uint32_t)l->src[0], i, 16, sa) *
               part((uint32_t)l->src[1], i + (REF_HAS(in, DPMODE, DP_HI) ? 2 : 0), 8, sb);
    return (uint32_t)sum;
}

static uint64_t least_or_most(const struct ptx_inst *in, uint64_t a, uint64_t b)
{
    s128 x = ref_value(in->type[0], a), y = ref_value(in->type[0], b);
    s128 v = in->op == OP_MIN ? (x < y ? x : y) : (x > y ? x : y);
    return (uint64_t)(in->mod[PG_RELU] && v < 0 ? 0 : v);
}

bool ref_int(const struct ptx_inst *in, const struct ref_lane *l, struct ref_result *r)
{
    uint8_t t = in->type[0];
    int bits = ref_bits_of(t), out = bits;
    uint64_t a = l->src[0], b = l->src[1], c = l->src[2];
    switch (in->op) {
    case OP_ADD: case OP_ADDC: case OP_SUB: case OP_SUBC: case OP_MAD: case OP_MADC:
        add_like(in, l, r);
        out = REF_HAS(in, MULW, WIDE) ? 2 * bits : bits;
        break;
    case OP_MUL:
        r->d = (uint64_t)product_part(in, a, b);
        out = REF_HAS(in, MULW, WIDE) ? 2 * bits : bits;
        break;
    case OP_MUL24: r->d = (uint64_t)product24(in, l); break;
    case OP_MAD24: {
        s128 v = product24(in, l) + ref_value(t, c);
        r->d = (uint64_t)(in->mod[PG_SAT] ? ref_clamp(v, INT32_MIN, INT32_MAX) : v);
        break;
    }
    case OP_SAD: {
        s128 diff = ref_value(t, a) - ref_value(t, b);
        r->d = (uint64_t)((diff < 0 ? -diff : diff) + (s128)c);
        break;
    }
    case OP_DIV: r->d = divide(t, a, b, false); break;
    case OP_REM: r->d = divide(t, a, b, true); break;
    case OP_ABS: r->d = (uint64_t)(ref_value(t, a) < 0 ? -ref_value(t, a) : ref_value(t, a)); break;
    case OP_NEG: r->d = (uint64_t)-ref_value(t, a); break;
    case OP_MIN: case OP_MAX: r->d = least_or_most(in, a, b); break;
    case OP_POPC:
        for (int i = 0; i < bits; i++)
            r->d += a >> i & 1;
        out = 32;
        break;
    case OP_MBARRIER_PENDING:            /* the low 20 bits of simtx's own layout */
        r->d = a % (1 << 20);
        out = 32;
        break;
    case OP_CLZ: r->d = count_leading(a, bits); out = 32; break;
    case OP_BFIND: r->d = bfind(in, a); out = 32; break;
    case OP_FNS: r->d = fns((uint32_t)a, (uint32_t)b, (int32_t)c); break;
    case OP_BREV:
        for (int i = 0; i < bits; i++)
            r->d |= (a >> i & 1) << (bits - 1 - i);
        break;
    case OP_BFE: r->d = extract(t, a, b, c); break;
    case OP_BFI: r->d = insert(t, a, b, c, l->src[3]); break;
    case OP_SZEXT: r->d = extend(in, (uint32_t)a, (uint32_t)b); break;
    case OP_BMSK: r->d = bit_mask(in, (uint32_t)a, (uint32_t)b); break;
    case OP_DP4A: case OP_DP2A: r->d = dot(in, l); break;
    default: return false;
    }
    r->d &= ref_mask(out);
    return true;
}
