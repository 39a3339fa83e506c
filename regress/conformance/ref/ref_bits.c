/* Reference of logic, shifts, permutes and plain moves (PTX ISA 9.7.8, 9.7.9). */
#include "regress/conformance/ref/ref.h"

static uint64_t shift_right(uint8_t t, uint64_t a, uint32_t n)
{
    int bits = ref_bits_of(t);
    uint64_t d = 0, fill = ptx_type_class(t) == 's' ? a >> (bits - 1) & 1 : 0;
    for (int i = 0; i < bits; i++)
        d |= ((uint64_t)i + n < (uint64_t)bits ? a >> (i + (int)n) & 1 : fill) << i;
    return d;
}

/* Funnel: the 64-bit b:a shifted; the high word of a left shift, the low word of a right shift. */
static uint32_t funnel(const struct ptx_inst *in, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t n = REF_HAS(in, SHIFT, WRAP) ? c & 31 : c > 32 ? 32 : c;
    u128 v = (u128)((uint64_t)b << 32 | a);
    return (uint32_t)(REF_HAS(in, DIR, L) ? v << n >> 32 : v >> n);
}

/* prmt: rows of the ISA's tables, digits of the result bytes 3, 2, 1, 0 for selector values 0 to 3. */
static const uint16_t prmt_modes[][4] = {
    { 0x3210, 0x4321, 0x5432, 0x6543 },          /* f4e */
    { 0x5670, 0x6701, 0x7012, 0x0123 },          /* b4e */
    { 0x0000, 0x1111, 0x2222, 0x3333 },          /* rc8 */
    { 0x3210, 0x3211, 0x3222, 0x3333 },          /* ecl */
    { 0x0000, 0x1110, 0x2210, 0x3210 },          /* ecr */
    { 0x1010, 0x3232, 0x1010, 0x3232 },          /* rc16 */
};

static uint32_t permute(const struct ptx_inst *in, uint32_t a, uint32_t b, uint32_t c)
{
    uint8_t bytes[8];
    for (int i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)(a >> 8 * i);
        bytes[4 + i] = (uint8_t)(b >> 8 * i);
    }
    uint32_t sel = in->mod[PG_PRMT] ? prmt_modes[in->mod[PG_PRMT] - MOD(PRMT, F4E)][c & 3] : c, d = 0;
    for (int i = 0; i < 4; i++) {
        uint32_t nibble = sel >> 4 * i & 15;
        uint8_t v = bytes[nibble & 7];
        if (nibble & 8)
            v = v & 0x80 ? 0xff : 0;
        d |= (uint32_t)v << 8 * i;
    }
    return d;
}

/* lop3: bit i of the result is the table's bit at the number that bits a, b, c form. */
static uint32_t lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
    uint32_t d = 0;
    for (int i = 0; i < 32; i++)
        d |= (table >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i;
    return d;
}

bool ref_bits(const struct ptx_inst *in, const struct ref_lane *l, struct ref_result *r)
{
    uint8_t t = in->type[0];
    int bits = ref_bits_of(t);
    uint64_t a = l->src[0], b = l->src[1], c = l->src[2];
    bool q;
    switch (in->op) {
    case OP_AND: r->d = a & b; break;
    case OP_OR: r->d = a | b; break;
    case OP_XOR: r->d = a ^ b; break;
    case OP_NOT: r->d = ~a; break;
    case OP_CNOT: r->d = (a & ref_mask(bits)) == 0; break;
    case OP_LOP3:
        r->d = lop3((uint32_t)a, (uint32_t)b, (uint32_t)c, (uint32_t)in->opd[in->mod[PG_BOOL] ? 5 : 4].imm);
        q = (l->src[3] & 1) != (unsigned)in->opd[6].negated;
        r->q = REF_HAS(in, BOOL, OR) ? r->d || q : r->d && q;
        break;
    case OP_SHF: r->d = funnel(in, (uint32_t)a, (uint32_t)b, (uint32_t)c); break;
    case OP_SHL: r->d = (uint32_t)b < (uint32_t)bits ? a << (uint32_t)b : 0; break;
    case OP_SHR: r->d = shift_right(t, a, (uint32_t)b); break;
    case OP_MOV: r->d = a; break;
    case OP_PRMT: r->d = permute(in, (uint32_t)a, (uint32_t)b, (uint32_t)c); break;
    default: return false;
    }
    r->d &= ref_mask(bits);
    return true;
}
