/*
 * Shadow of device memory by word, for lines that have been accessed: the value of each word in a replay, its last
 * writer, and the kinds of accesses to it. A flat table of lines in the order of their first access; an index with open
 * addressing finds them. A word gets its initial value at its first access. Once the table has the size of the kernel's
 * footprint, nothing is allocated.
 */
#ifndef TM_SHADOW_H
#define TM_SHADOW_H

#include <stddef.h>
#include <stdint.h>

enum { SHADOW_LINE = 128, SHADOW_WORDS = SHADOW_LINE / 4 };

struct shadow_line {
    uint64_t address;
    uint32_t known;                  /* words with a value; all masks have a bit for each word */
    uint32_t plain, tx;              /* words accessed by plain stores or atomics; by transactions */
    uint32_t writers;                /* number of its row of writers, 0 = no transaction has written here */
    uint32_t held;                   /* for the oracle: transactions with words of the line that await their replay */
    uint32_t waiting;                /* for the oracle: number of an atomic whose result is not known yet, 0 = none */
    uint64_t performed;              /* core cycle of the last transactional write performed */
};

struct shadow {
    uint32_t *index, mask;           /* number of the line + 1, 0 = free */
    struct shadow_line *line;
    uint32_t (*value)[SHADOW_WORDS];
    uint32_t n, cap;
    uint64_t (*writer)[SHADOW_WORDS];            /* keys; 0 = initial value */
    uint32_t writers, writers_cap;
};

void shadow_init(struct shadow *s);
void shadow_free(struct shadow *s);
/* Empties the table without freeing it. */
void shadow_clear(struct shadow *s);
/* Number of the line of this address, which is added if it is new. Adding keeps numbers and moves pointers. */
uint32_t shadow_find(struct shadow *s, uint64_t address);
/* Last writer of a word. */
uint64_t shadow_writer(const struct shadow *s, uint32_t line, unsigned word);
void shadow_set_writer(struct shadow *s, uint32_t line, unsigned word, uint64_t key);

static inline unsigned shadow_word(uint64_t address)
{
    return address / 4 % SHADOW_WORDS;
}

/* A mask of the bits of these bytes of a word; bytes: a bit for each. */
static inline uint32_t shadow_bits(unsigned bytes)
{
    return ((bytes & 15) * UINT32_C(0x204081) & UINT32_C(0x01010101)) * 0xff;
}

/* A word's value after these bytes of it have been written. */
static inline uint32_t shadow_merge(uint32_t old, uint32_t value, unsigned bytes)
{
    return old ^ ((old ^ value) & shadow_bits(bytes));
}

/* Sets the initial value of a word that has no value yet. */
static inline void shadow_initialise(struct shadow *s, uint32_t line, unsigned word, uint32_t value)
{
    uint32_t bit = UINT32_C(1) << word;
    if (s->line[line].known & bit)
        return;
    s->line[line].known |= bit;
    s->value[line][word] = value;
}

#endif
