/*
 * Miss-status holding registers (Kroft, Lockup-free instruction fetch/prefetch cache organization, ISCA 1981): one
 * entry per missing line, with the accesses that wait for it (targets) in order of arrival. The numbers of entries and
 * of targets of an entry are limited. Entries are found by hashing. An entry keeps its number until it is freed, so the
 * number can serve as the token of the request for the line.
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
    uint8_t wanted;                  /* for the owner: sectors requested */
    uint32_t user;                   /* for the owner, e.g. the way that is being filled */
};

struct mshr_target { void *what; uint32_t next; };

struct mshr {
    struct mshr_entry *entry;
    struct mshr_target *target;      /* grows to the largest number of targets that have waited at once */
    uint32_t *bucket;
    uint32_t entries, merges;        /* limits */
    uint32_t n;                      /* entries in use */
    uint32_t touched;                /* entries with lower numbers have been used at least once */
    uint32_t free_entry, free_target, targets, shift;
};

void mshr_init(struct mshr *m, uint32_t entries, uint32_t merges);
void mshr_end(struct mshr *m);
uint32_t mshr_find(const struct mshr *m, uint64_t line);     /* MSHR_NONE: no such line is missing */
/* Allocates an entry for a line that has none; MSHR_NONE: all are in use. */
uint32_t mshr_new(struct mshr *m, uint64_t line);
/* Appends a target; false at the limit. */
bool mshr_add(struct mshr *m, uint32_t e, void *target);
void *mshr_first(const struct mshr *m, uint32_t e);          /* the oldest target; NULL: none */
void *mshr_take(struct mshr *m, uint32_t e);                 /* removes and returns it */
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
