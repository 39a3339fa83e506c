// MT19937 (M. Matsumoto, T. Nishimura, "Mersenne Twister", ACM TOMACS 8(1), 1998), with the initialisation of 2002.
#ifndef CURAND_MT19937_H
#define CURAND_MT19937_H

#include <cstdint>

class Mt19937 {
  public:
    explicit Mt19937(uint32_t seed) {
        word_[0] = seed;
        for (unsigned i = 1; i < N; i++)
            word_[i] = 1812433253u * (word_[i - 1] ^ word_[i - 1] >> 30) + i;
    }

    uint32_t next() {
        if (used_ == N)
            refill();
        uint32_t y = word_[used_++];
        y ^= y >> 11;
        y ^= y << 7 & 0x9d2c5680u;
        y ^= y << 15 & 0xefc60000u;
        return y ^ y >> 18;
    }

  private:
    enum { N = 624, M = 397 };

    void refill() {
        for (unsigned i = 0; i < N; i++) {
            uint32_t y = (word_[i] & 0x80000000u) | (word_[(i + 1) % N] & 0x7fffffffu);
            word_[i] = word_[(i + M) % N] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
        }
        used_ = 0;
    }

    uint32_t word_[N];
    unsigned used_ = N;
};

#endif
