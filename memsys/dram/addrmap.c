/*
 * Address map. For each field the string is translated into runs of contiguous bits, so that a field costs a shift and
 * a mask per run in both directions. Division by a number of channels that is not a power of two uses its reciprocal.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "memsys/dram/addrmap.h"
#include "memsys/xbar/packet.h"

enum { MAX_BITS = 64, FIELD_BITS = 32, LINE_BITS = 7 };
_Static_assert(LINE_BYTES == 1 << LINE_BITS, "bits of a line");

static const char LETTERS[] = "RBCSD";            /* in the order of enum addr_field */
static const char PREFIX[] = "dramid@";

struct parser {
    const char *text;
    char *error;
    size_t size;
    size_t nletters;
    struct { char letter; size_t column; } at[MAX_BITS];   /* highest bit first */
};

__attribute__((format(printf, 3, 4)))
static bool fail(const struct parser *p, size_t column, const char *format, ...)
{
    char what[160];
    va_list ap;
    va_start(ap, format);
    vsnprintf(what, sizeof what, format, ap);
    va_end(ap);
    if (column)
        snprintf(p->error, p->size, "address map \"%s\", column %zu: %s", p->text, column, what);
    else
        snprintf(p->error, p->size, "address map \"%s\": %s", p->text, what);
    return false;
}

/* Parses "dramid@N;" and the letters without dots. */
static bool read_text(struct parser *p, struct addrmap *m)
{
    const char *s = p->text;
    if (!strncmp(s, PREFIX, sizeof PREFIX - 1)) {
        char *end;
        s += sizeof PREFIX - 1;
        long n = *s >= '0' && *s <= '9' ? strtol(s, &end, 10) : -1;
        if (n < 0 || n >= MAX_BITS || *end != ';')
            return fail(p, (size_t)(s - p->text) + 1, "expected a bit number below %d and ';'", MAX_BITS);
        m->split = (int)n;
        s = end + 1;
    }
    for (; *s; s++) {
        size_t column = (size_t)(s - p->text) + 1;
        if (*s == '.')
            continue;
        if (*s != '0' && !strchr(LETTERS, *s))
            return fail(p, column, "'%c' is none of R B C S D 0 and .", *s);
        if (*s == '0' && p->nletters)
            return fail(p, column, "0 may only stand before the first letter");
        if (p->nletters == MAX_BITS)
            return fail(p, column, "more than %d bits", MAX_BITS);
        if (*s != '0') {
            p->at[p->nletters].letter = *s;
            p->at[p->nletters++].column = column;
        }
    }
    return true;
}

/* A bit extends the previous run when it follows it both in the address and in the field. */
static void add_bit(struct addrmap *m, enum addr_field f, uint8_t bit)
{
    uint8_t n = m->nruns[f], to = m->nbits[f]++;
    struct addr_run *last = n ? &m->run[f][n - 1] : NULL;
    if (last && last->from + (to - last->to) == bit)
        last->mask = last->mask << 1 | 1;
    else
        m->run[f][m->nruns[f]++] = (struct addr_run){ bit, to, 1 };
}

/* Assigns letters to address bits, from the lowest. The bits of a line must be S and C: it lies in one row. */
static bool place_letters(struct parser *p, struct addrmap *m)
{
    for (size_t bit = 0; bit < p->nletters; bit++) {
        char letter = p->at[p->nletters - 1 - bit].letter;
        size_t column = p->at[p->nletters - 1 - bit].column;
        enum addr_field f = (enum addr_field)(strchr(LETTERS, letter) - LETTERS);
        if (m->nbits[f] == FIELD_BITS)
            return fail(p, column, "more than %d letters %c", FIELD_BITS, letter);
        if (f == ADDR_BYTE && m->nbits[f] != bit)
            return fail(p, column, "S must be the lowest bits, without gaps");
        if (f != ADDR_BYTE && f != ADDR_COLUMN && bit < LINE_BITS)
            return fail(p, column, "%c is bit %zu, which splits lines of %d bytes", letter, bit, LINE_BYTES);
        if (f == ADDR_CHANNEL && m->split >= 0)
            return fail(p, column, "D cannot be used with %s", PREFIX);
        add_bit(m, f, (uint8_t)bit);
    }
    m->top = (uint8_t)p->nletters;
    return true;
}

static bool check(struct parser *p, const struct addrmap *m)
{
    static const enum addr_field needed[] = { ADDR_ROW, ADDR_COLUMN, ADDR_BYTE };
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!m->nbits[needed[i]])
            return fail(p, 0, "no letter %c", LETTERS[needed[i]]);
    bool power = !(m->channels & (m->channels - 1));
    if (m->split >= 0 && (m->split < LINE_BITS || (size_t)m->split > p->nletters))
        return fail(p, sizeof PREFIX, "the channel must be taken out between bit %d and bit %zu", LINE_BITS,
                    p->nletters);
    if (m->split < 0 && !power)
        return fail(p, 1, "%u channels are no power of two: start with %sN;", m->channels, PREFIX);
    if (m->split < 0 && m->nbits[ADDR_CHANNEL] != m->channel_bits)
        return fail(p, p->at[0].column, "%u letters D, but %u channels need %u", m->nbits[ADDR_CHANNEL], m->channels,
                    m->channel_bits);
    if (m->hash && !power)
        return fail(p, 0, "a hashed channel needs a power of two of channels, not %u", m->channels);
    if (m->slices_per_channel > 1ull << m->nbits[ADDR_BANK])
        return fail(p, 0, "%u letters B make fewer banks than the %u slices of a channel", m->nbits[ADDR_BANK],
                    m->slices_per_channel);
    return true;
}

bool addrmap_parse(struct addrmap *m, const char *text, uint32_t channels, uint32_t slices_per_channel, bool hash,
                   uint64_t base, char *error, size_t size)
{
    struct parser p = { .text = text, .error = error, .size = size };
    *m = (struct addrmap){ .channels = channels, .slices_per_channel = slices_per_channel, .split = -1, .hash = hash,
                           .base = base, .channel_bits = (uint8_t)num_log2_up(channels) };
    if (!channels || !slices_per_channel)
        return fail(&p, 0, "no %s", channels ? "slices" : "channels");
    if (channels & (channels - 1))
        m->reciprocal = UINT64_MAX / channels + 1;
    if (!read_text(&p, m) || !place_letters(&p, m) || !check(&p, m))
        return false;
    uint32_t n = slices_per_channel;
    bool simple = !(n & (n - 1)) && n - 1 <= (m->nbits[ADDR_BANK] ? m->run[ADDR_BANK][0].mask : 0);
    m->slice_bit = simple ? m->run[ADDR_BANK][0].from : -1;
    return true;
}

static inline uint32_t field(const struct addrmap *m, enum addr_field f, uint64_t a)
{
    uint32_t v = 0;
    for (unsigned i = 0; i < m->nruns[f]; i++) {
        const struct addr_run *r = &m->run[f][i];
        v |= ((uint32_t)(a >> r->from) & r->mask) << r->to;
    }
    return v;
}

static uint64_t deposit(const struct addrmap *m, enum addr_field f, uint32_t v)
{
    uint64_t a = 0;
    for (unsigned i = 0; i < m->nruns[f]; i++)
        a |= (uint64_t)(v >> m->run[f][i].to & m->run[f][i].mask) << m->run[f][i].from;
    return a;
}

static uint32_t row_of(const struct addrmap *m, uint64_t rest)
{
    uint64_t upper = m->top < MAX_BITS ? rest >> m->top : 0;
    return field(m, ADDR_ROW, rest) | (uint32_t)(upper << m->nbits[ADDR_ROW]);
}

static uint32_t fold(const struct addrmap *m, uint32_t row, uint32_t bank)
{
    uint32_t x = 0;
    for (uint64_t v = (uint64_t)row << m->nbits[ADDR_BANK] | bank; v; v >>= m->channel_bits)
        x ^= (uint32_t)v;
    return x & (m->channels - 1);
}

/*
 * x / channels. With r = ceil(2^64 / d) the product x * r / 2^64 is exact while x < 2^64 / d, since r * d exceeds 2^64
 * by less than d (Granlund and Montgomery, Division by Invariant Integers using Multiplication, PLDI 1994).
 */
static inline uint64_t divide(const struct addrmap *m, uint64_t x)
{
    if (!m->reciprocal)
        return x >> m->channel_bits;
    if (x >= m->reciprocal - 1)
        return x / m->channels;
    __extension__ unsigned __int128 wide = (unsigned __int128)x * m->reciprocal;
    return (uint64_t)(wide >> 64);
}

/* Removes the channel from the address; *channel is not hashed. */
static inline uint64_t take_channel(const struct addrmap *m, uint64_t a, uint32_t *channel)
{
    if (m->split < 0) {
        *channel = field(m, ADDR_CHANNEL, a);
        return a;
    }
    uint64_t x = a >> m->split, q = divide(m, x);
    *channel = (uint32_t)(x - q * m->channels);
    return q << m->split | (a & ((1ull << m->split) - 1));
}

struct dram_address addrmap_decode(const struct addrmap *m, uint64_t address)
{
    struct dram_address d;
    uint64_t rest = take_channel(m, address - m->base, &d.channel);
    d.row = row_of(m, rest);
    d.bank = field(m, ADDR_BANK, rest);
    d.column = field(m, ADDR_COLUMN, rest);
    d.byte = field(m, ADDR_BYTE, rest);
    if (m->hash && m->channel_bits)
        d.channel ^= fold(m, d.row, d.bank);
    d.slice = d.channel * m->slices_per_channel + d.bank % m->slices_per_channel;
    return d;
}

uint64_t addrmap_encode(const struct addrmap *m, const struct dram_address *d)
{
    uint32_t channel = d->channel;
    if (m->hash && m->channel_bits)
        channel ^= fold(m, d->row, d->bank);
    uint64_t a = deposit(m, ADDR_ROW, d->row) | deposit(m, ADDR_BANK, d->bank) | deposit(m, ADDR_COLUMN, d->column) |
                 deposit(m, ADDR_BYTE, d->byte);
    if (m->top < MAX_BITS)
        a |= (uint64_t)d->row >> m->nbits[ADDR_ROW] << m->top;
    if (m->split < 0)
        return (a | deposit(m, ADDR_CHANNEL, channel)) + m->base;
    uint64_t low = a & ((1ull << m->split) - 1);
    return (((a >> m->split) * m->channels + channel) << m->split | low) + m->base;
}

uint32_t addrmap_slice(const struct addrmap *m, uint64_t address)
{
    uint32_t channel, n = m->slices_per_channel;
    uint64_t rest = take_channel(m, address - m->base, &channel);
    if (m->slice_bit >= 0 && !m->hash)
        return channel * n + ((uint32_t)(rest >> m->slice_bit) & (n - 1));
    uint32_t bank = field(m, ADDR_BANK, rest);
    if (m->hash && m->channel_bits)
        channel ^= fold(m, row_of(m, rest), bank);
    return channel * n + bank % n;
}
