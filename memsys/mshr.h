/*
 * Miss-status holding registers (Kroft, Lockup-free instruction fetch/prefetch cache organization, ISCA 1981): one
 * entry per line that is missing, with the requests that wait for it (targets) in the order of their coming. The
 * number of entries and of targets an entry are limited. An entry is found by hashing; its number stays the same
 * while it lives, so it can travel as a token with the request for the line.
 */
#ifndef MEMSYS_MSHR_H
#define MEMSYS_MSHR_H

#include <stdbool.h>
#include <stdint.h>

enum { MSHR_NONE = UINT32_MAX };

struct mshr_entry {
    uint64_t line;
    uint32_t first, last, n;         /* targets */
    uint32_t chain;                  /* next entry of the same bucket, or free entry */
    bool busy;
    uint8_t wanted;                  /* owner's: sectors asked for */
    uint32_t user;                   /* owner's: say, the index of the line that is being filled */
};

struct mshr_target { void *what; uint32_t next; };

struct mshr {
    struct mshr_entry *entry;
    struct mshr_target *target;      /* grows with the number of targets that ever waited at once */
    uint32_t *bucket;
    uint32_t entries, merges;        /* limits */
    uint32_t n;                      /* entries in use */
    uint32_t touched;                /* entries ever used: the others are after them */
    uint32_t free_entry, free_target, targets, shift;
};

void mshr_init(struct mshr *m, uint32_t entries, uint32_t merges);
void mshr_end(struct mshr *m);
uint32_t mshr_find(const struct mshr *m, uint64_t line);     /* MSHR_NONE: no such line is missing */
/* An entry for a line that has none. MSHR_NONE when all are in use. */
uint32_t mshr_new(struct mshr *m, uint64_t line);
/* One more target, behind the others; false at the limit. */
bool mshr_add(struct mshr *m, uint32_t e, void *target);
void *mshr_first(const struct mshr *m, uint32_t e);          /* the oldest target, NULL when there is none */
void *mshr_take(struct mshr *m, uint32_t e);                 /* the same, and removes it */
void mshr_free(struct mshr *m, uint32_t e);                  /* an entry without targets */

static inline bool mshr_full(const struct mshr *m)
{
    return m->n == m->entries;
}

static inline bool mshr_mergeable(const struct mshr *m, uint32_t e)
{
    return m->entry[e].n < m->merges;
}

#endif
