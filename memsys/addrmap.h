/*
 * Where a device address lives: channel, bank, row, column of the DRAM, from a string of bit letters, and back. The
 * string names the bits from the highest to the lowest: R row, B bank, C column, S byte of a burst, D channel,
 * 0 unused; dots are for the eye. "dramid@8;0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS" takes the channel out first, at bit 8: channel =
 * (address >> 8) mod channels, and the letters name the bits of the address with the quotient in place of it, so
 * the number of channels need not be a power of two. Without "dramid@" there must be log2(channels) letters D.
 */
#ifndef MEMSYS_ADDRMAP_H
#define MEMSYS_ADDRMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dram_address { uint32_t channel, slice, bank, row, column, byte; };   /* slice: L2 slice over all channels */

struct addrmap {
    uint32_t channels, slices_per_channel;
    int split;                       /* bit of dramid@, -1 = D letters */
    bool hash;                       /* channel permuted by an xor of upper bits (power of two only) */
    uint64_t base;                   /* subtracted first: start of the GPU's address range */
    uint8_t bits[6][40], nbits[6];   /* by field R B C S D: positions, lowest first */
};

/* False with a message in error (at most size bytes) when the string is not usable. */
bool addrmap_parse(struct addrmap *m, const char *text, uint32_t channels, uint32_t slices_per_channel, bool hash,
                   uint64_t base, char *error, size_t size);
/* A slice of a channel owns the banks with bank mod slices_per_channel = its number. */
struct dram_address addrmap_decode(const struct addrmap *m, uint64_t address);
uint64_t addrmap_encode(const struct addrmap *m, const struct dram_address *a);   /* the inverse */
uint32_t addrmap_slice(const struct addrmap *m, uint64_t address);                /* the hot path of an SM */

#endif
