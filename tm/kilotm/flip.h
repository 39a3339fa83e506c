/*
 * For tests of the simulator (kilotm.test_flip): one bit of one log line, packet or validation reply is turned over, to
 * show that the bytes that travel and lie in memory are those that decide.
 */
#ifndef TM_KILOTM_FLIP_H
#define TM_KILOTM_FLIP_H

#include "base/config.h"

enum kilo_flip_where {
    FLIP_NOTHING, FLIP_LOG_ADDRESS, FLIP_LOG_VALUE, FLIP_PACKET_ADDRESS, FLIP_PACKET_VALUE, FLIP_REPLY
};

struct kilo_flip { enum kilo_flip_where where; uint32_t bit; uint64_t at, seen; };

static inline struct kilo_flip kilo_flip_of(const struct simtx_config *c)
{
    return (struct kilo_flip){ .where = (enum kilo_flip_where)config_choice(c, KEY_KILO_TEST_FLIP),
                               .bit = (uint32_t)config_int(c, KEY_KILO_TEST_FLIP_BIT),
                               .at = (uint64_t)config_int(c, KEY_KILO_TEST_FLIP_AT) };
}

/* What is to be XORed to the word of this kind that comes by now. */
static inline uint32_t kilo_flip(struct kilo_flip *f, enum kilo_flip_where where)
{
    return f->where == where && ++f->seen == f->at ? UINT32_C(1) << f->bit : 0;
}

#endif
