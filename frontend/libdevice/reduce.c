/*
 * Reduction of huge arguments modulo pi/2 (Payne and Hanek): x = m 2^e with integer m, and only the bits of
 * 2/pi that determine the quotient's last two bits and the fraction are multiplied, as integers.  Higher bits
 * contribute multiples of four; lower bits contribute less than the result's precision.
 */
#include "device.h"

/* 2/pi in binary, 64 bits a word, most significant first (mpmath: floor(2/pi * 2^1280)) */
DEV_CONST static const u64 two_over_pi[20] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
    0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4,
    0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d,
};

/* 64 bits of 2/pi from bit `at` after the binary point; bits before the point are zero */
HELP u64 two_over_pi_bits(int at)
{
    if (at < 0) {
        return at <= -64 ? 0 : two_over_pi[0] >> -at;
    }
    int word = at >> 6, shift = at & 63;
    u64 high = two_over_pi[word] << shift;
    return shift ? high | two_over_pi[word + 1] >> (64 - shift) : high;
}

/*
 * m 2^e * 2/pi modulo 4 for e > -60, m below 2^53: *quadrant gets the nearest integer, the return value and
 * *low the remainder as a signed number of 128 bits in units of 2^-128.
 *
 * Bits of 2/pi before number e - 2 give multiples of four.  The following 192 bits, times m, modulo
 * 2^192, have two integer bits at the top and 190 bits of fraction; truncation makes the last 53 invalid.
 */
HELP i64 reduce_huge(u64 m, int e, int *quadrant, u64 *low)
{
    int at = e - 2;
    u64 w0 = two_over_pi_bits(at), w1 = two_over_pi_bits(at + 64), w2 = two_over_pi_bits(at + 128);
    u64 p2_high = mulhi_u64(m, w2), p1 = m * w1, p1_high = mulhi_u64(m, w1);
    u64 low_word = p1 + p2_high;
    u64 high_word = m * w0 + p1_high + (low_word < p1);
    u64 p2 = m * w2;
    /* high_word : low_word : p2; its top two bits are the integer part modulo 4 */
    u64 frac_high = high_word << 2 | low_word >> 62;
    u64 frac_low = low_word << 2 | p2 >> 62;
    *quadrant = (int)(high_word >> 62) + (int)(frac_high >> 63);
    *low = frac_low;
    return (i64)frac_high;
}
