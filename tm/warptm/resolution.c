/* The ownership table, and the passes over the sets of a warp's lanes. */
#include "tm/warptm/resolution.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { FIRST_FACTOR = 17, SECOND_FACTOR = 27 };

uint32_t ownership_hash(uint64_t offset, uint32_t entries, uint32_t factor)
{
    return (uint32_t)((offset % entries + factor * (offset / entries)) % entries);
}

void ownership_init(struct ownership *t, uint32_t entries)
{
    *t = (struct ownership){ .entries = entries, .cap = entries };
    t->owner = entries ? mem_zero(entries, 1, "an ownership table") : NULL;
}

void ownership_end(struct ownership *t)
{
    free(t->owner);
    free(t->word);
}

/* ---- entries ---- */

static void clear(struct ownership *t)
{
    if (t->entries)
        memset(t->owner, RESOLUTION_NO_OWNER, t->entries);
    t->words = 0;
}

/* Exact table: the number of the word's entry, which is added if it is new. */
static uint32_t exact_entry(struct ownership *t, uint64_t offset)
{
    for (uint32_t i = 0; i < t->words; i++)
        if (t->word[i] == offset)
            return i;
    uint32_t cap = t->cap;
    t->word = mem_grow(t->word, t->words, &cap, sizeof *t->word, "an ownership table");
    t->owner = mem_grow(t->owner, t->words, &t->cap, 1, "an ownership table");
    t->word[t->words] = offset;
    t->owner[t->words] = RESOLUTION_NO_OWNER;
    return t->words++;
}

/* The entries of a word: one, or one in each half. */
static unsigned entries_of(struct ownership *t, bool bloom, uint64_t offset, uint32_t entry[2])
{
    uint32_t half = t->entries / 2;
    if (!t->entries)
        entry[0] = exact_entry(t, offset);
    else if (bloom)
        entry[0] = ownership_hash(offset, half, FIRST_FACTOR);
    else
        entry[0] = ownership_hash(offset, t->entries, FIRST_FACTOR);
    if (!t->entries || !bloom)
        return 1;
    entry[1] = half + ownership_hash(offset, half, SECOND_FACTOR);
    return 2;
}

/* ---- two phases ---- */

static void mark(struct ownership *t, bool priority, bool bloom, uint64_t offset, unsigned lane)
{
    uint32_t entry[2];
    for (unsigned i = entries_of(t, bloom, offset, entry); i-- > 0;)
        if (!priority || lane < t->owner[entry[i]])
            t->owner[entry[i]] = (uint8_t)lane;
}

/*
 * May another lane own the word: for a read under priority, a lower one? With two entries both must be another's.
 * Without priority a mark can hide the one that another lane has made for the word; so a writer must own both entries.
 */
static bool taken(struct ownership *t, bool priority, bool bloom, uint64_t offset, unsigned lane, bool write)
{
    uint32_t entry[2], others = 0;
    unsigned n = entries_of(t, bloom, offset, entry);
    for (unsigned i = 0; i < n; i++) {
        uint8_t owner = t->owner[entry[i]];
        others += owner != RESOLUTION_NO_OWNER && (write || !priority ? owner != lane : owner < lane);
    }
    return write && !priority ? others : others == n;
}

static bool any_taken(struct ownership *t, bool priority, bool bloom, const struct tm_set *s, unsigned lane, bool write,
                      uint64_t base)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (taken(t, priority, bloom, s->w[i].address - base, lane, write))
            return true;
    return false;
}

uint64_t resolution_by_table(struct ownership *t, bool priority, bool bloom, struct tm_lane *const lane[],
                             uint64_t lanes, uint64_t base)
{
    uint64_t aborts = 0;
    clear(t);
    for (uint64_t m = lanes; m; m &= m - 1) {
        const struct tm_set *s = &lane[__builtin_ctzll(m)]->writes;
        for (uint32_t i = 0; i < s->n; i++)
            mark(t, priority, bloom, s->w[i].address - base, (unsigned)__builtin_ctzll(m));
    }
    for (uint64_t m = lanes; m; m &= m - 1) {
        unsigned l = (unsigned)__builtin_ctzll(m);
        if (any_taken(t, priority, bloom, &lane[l]->reads, l, false, base) ||
            any_taken(t, priority, bloom, &lane[l]->writes, l, true, base))
            aborts |= m & -m;
    }
    return aborts == lanes ? lanes & (lanes - 1) : aborts;
}

/* ---- pairs of lanes ---- */

static bool overlap(const struct tm_set *a, const struct tm_set *b)
{
    for (uint32_t i = 0; i < a->n; i++)
        for (uint32_t k = 0; k < b->n; k++)
            if (a->w[i].address == b->w[k].address)
                return true;
    return false;
}

static bool read_and_written(const struct tm_lane *a, const struct tm_lane *b)
{
    return overlap(&a->reads, &b->writes) || overlap(&a->writes, &b->reads);
}

uint64_t resolution_perfect(struct tm_lane *const lane[], uint64_t lanes)
{
    uint64_t stay = 0;
    for (uint64_t m = lanes; m; m &= m - 1) {
        bool conflict = false;
        for (uint64_t s = stay; s && !conflict; s &= s - 1)
            conflict = read_and_written(lane[__builtin_ctzll(s)], lane[__builtin_ctzll(m)]);
        stay |= conflict ? 0 : m & -m;
    }
    return lanes & ~stay;
}

uint64_t resolution_true(struct tm_lane *const lane[], uint64_t lanes)
{
    uint64_t found = 0;
    for (uint64_t m = lanes; m; m &= m - 1) {
        const struct tm_lane *b = lane[__builtin_ctzll(m)];
        for (uint64_t s = lanes & ((m & -m) - 1); s; s &= s - 1) {
            const struct tm_lane *a = lane[__builtin_ctzll(s)];
            if (read_and_written(a, b) || overlap(&a->writes, &b->writes)) {
                found |= m & -m;
                break;
            }
        }
    }
    return found;
}
