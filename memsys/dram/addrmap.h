/*
 * The address mapping of the DRAM: device address to channel, bank, row and column, and back. A string has a letter per
 * address bit, from the highest to the lowest: R row, B bank, C column, S byte of a burst, D channel. Dots are ignored,
 * and zeros may precede the first letter. "dramid@8;0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS" removes the channel first, at
 * bit 8: channel = (address >> 8) mod channels, and the letters stand for the bits of the address in which the quotient
 * replaces address >> 8; so the number of channels need not be a power of two. Without "dramid@" there must be
 * log2(channels) letters D. Bits above the first letter are upper bits of the row, so the mapping is one to one while
 * row numbers fit in 32 bits.
 */
#ifndef MEMSYS_ADDRMAP_H
#define MEMSYS_ADDRMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum addr_field { ADDR_ROW, ADDR_BANK, ADDR_COLUMN, ADDR_BYTE, ADDR_CHANNEL, ADDR_FIELDS };

struct dram_address { uint32_t channel, slice, bank, row, column, byte; };   /* slice: L2 slice over all channels */

struct addr_run { uint8_t from, to; uint32_t mask; };   /* neighbouring bits: field |= (address >> from & mask) << to */

struct addrmap {
    uint32_t channels, slices_per_channel;
    int split;                       /* bit of dramid@, -1 = D letters */
    bool hash;                       /* channel permuted by an xor of upper bits (power of two only) */
    uint64_t base;                   /* subtracted first: start of the GPU's address range */
    uint64_t reciprocal;             /* of channels: ceil(2^64 / channels); 0 = channels is a power of two */
    uint8_t channel_bits;            /* log2(channels) when that is a power of two */
    uint8_t nbits[ADDR_FIELDS];      /* letters of each field */
    uint8_t top;                     /* bits from this one on belong to the row */
    int slice_bit;                   /* lowest of the bits that are the slice of a channel; -1 = not contiguous */
    uint8_t nruns[ADDR_FIELDS];
    struct addr_run run[ADDR_FIELDS][32];
};

/*
 * False with a message in error (at most size bytes), which names the column, when the string is invalid: unknown or
 * missing letters, a wrong number of letters D, a line of 128 bytes split over rows or banks, fewer banks than slices.
 * hash: the channel is xored with the folded bits of row and bank; needs a power of two of channels.
 */
bool addrmap_parse(struct addrmap *m, const char *text, uint32_t channels, uint32_t slices_per_channel, bool hash,
                   uint64_t base, char *error, size_t size);
/* A slice of a channel owns the banks with bank mod slices_per_channel = its number. */
struct dram_address addrmap_decode(const struct addrmap *m, uint64_t address);
/* The inverse. `slice` is ignored: channel and bank determine it. */
uint64_t addrmap_encode(const struct addrmap *m, const struct dram_address *a);
uint32_t addrmap_slice(const struct addrmap *m, uint64_t address);    /* the slice alone, for every packet of an SM */

#endif
