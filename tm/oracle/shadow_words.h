/*
 * Shadow of device memory, word by word, for lines that were touched: what each word holds in a replay, who wrote it,
 * and what sort of accesses reached it. A flat table of lines in the order of their first touch; an index with open
 * addressing finds them. A word takes its value when it is first touched; nothing is allocated once the table has grown
 * to the kernel's footprint.
 */
#ifndef TM_SHADOW_H
#define TM_SHADOW_H

#include <stddef.h>
#include <stdint.h>

enum { SHADOW_LINE = 128, SHADOW_WORDS = SHADOW_LINE / 4 };

struct shadow_line {
    uint64_t address;
    uint32_t known;                  /* words with a value; a bit a word in all masks */
    uint32_t plain, tx;              /* touched by plain stores or atomics; by transactions */
    uint32_t writers;                /* number of its block of writers, 0 = no transaction wrote here */
    uint32_t waiting;                /* the oracle's: number of an atomic whose result is not known yet, 0 = none */
    uint64_t performed;              /* core cycle of the last transactional write that reached memory */
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
/* Forgets everything, keeps the space. */
void shadow_clear(struct shadow *s);
/* Number of the line of this address, made if it is new. Numbers stay, pointers move when lines are made. */
uint32_t shadow_find(struct shadow *s, uint64_t address);
/* Last writer of a word. */
uint64_t shadow_writer(const struct shadow *s, uint32_t line, unsigned word);
void shadow_set_writer(struct shadow *s, uint32_t line, unsigned word, uint64_t key);

static inline unsigned shadow_word(uint64_t address)
{
    return address / 4 % SHADOW_WORDS;
}

/* The bits of a word that bytes of it have; bytes: a bit for each. */
static inline uint32_t shadow_bits(unsigned bytes)
{
    return ((bytes & 15) * UINT32_C(0x204081) & UINT32_C(0x01010101)) * 0xff;
}

/* A word's value after these bytes of it have been written. */
static inline uint32_t shadow_merge(uint32_t old, uint32_t value, unsigned bytes)
{
    return old ^ ((old ^ value) & shadow_bits(bytes));
}

/* Gives a word its value from before anything happened to it, if it has none. */
static inline void shadow_learn(struct shadow *s, uint32_t line, unsigned word, uint32_t value)
{
    uint32_t bit = UINT32_C(1) << word;
    if (s->line[line].known & bit)
        return;
    s->line[line].known |= bit;
    s->value[line][word] = value;
}

#endif
