/* Chains of versions by word, and the check that marks the states which have all values read. */
#include "tm/oracle/versions.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void versions_clear(struct versions *v, uint64_t first)
{
    v->first = first;
    v->keys = v->lines = 0;
    v->n = 1;
}

void versions_free(struct versions *v)
{
    free(v->replayed);
    free(v->version);
    free(v->newest);
    free(v->state);
}

void versions_replayed(struct versions *v, uint64_t cycle)
{
    v->replayed = mem_grow(v->replayed, v->keys, &v->keys_cap, sizeof *v->replayed, "the oracle's history");
    v->replayed[v->keys++] = cycle;
}

static uint32_t add(struct versions *v, struct version x)
{
    v->version = mem_grow(v->version, v->n, &v->cap, sizeof *v->version, "the oracle's history");
    v->version[v->n] = x;
    return v->n++;
}

void versions_first(struct versions *v, uint32_t line, unsigned word, uint32_t value)
{
    for (; v->lines <= line; v->lines++) {
        v->newest = mem_grow(v->newest, v->lines, &v->lines_cap, sizeof *v->newest, "the oracle's history");
        memset(v->newest[v->lines], 0, sizeof *v->newest);
    }
    uint32_t *newest = &v->newest[line][word];
    if (!*newest)
        *newest = add(v, (struct version){ .value = value });
}

void versions_write(struct versions *v, uint32_t line, unsigned word, uint64_t key, uint32_t before, uint32_t value)
{
    versions_first(v, line, word, before);
    uint32_t *newest = &v->newest[line][word];
    *newest = add(v, (struct version){ key, value, *newest });
}

const struct version *versions_at(const struct versions *v, uint32_t line, unsigned word, uint64_t key)
{
    uint32_t i = line < v->lines ? v->newest[line][word] : 0;
    while (i && v->version[i].key > key)
        i = v->version[i].before;
    return i ? &v->version[i] : NULL;
}

/* The last key whose outcome, and those of all before, were known before this cycle. */
static uint64_t known_before(const struct versions *v, uint64_t cycle)
{
    uint32_t low = 0, high = v->keys;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (v->replayed[middle] < cycle)
            low = middle + 1;
        else
            high = middle;
    }
    return v->first + low - 1;
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t states(uint64_t oldest, uint64_t newest)
{
    return most(oldest, newest) - oldest + 1;
}

void versions_check_begin(struct versions *v, uint64_t start, uint64_t newest)
{
    uint64_t words = states(known_before(v, start), newest) / 64 + 1;
    while (v->states_cap < words)
        v->state = mem_grow(v->state, v->states_cap, &v->states_cap, sizeof *v->state, "the oracle's history");
    memset(v->state, 0xff, words * sizeof *v->state);
}

/* Marks the states from key `from` on, before key `end`, as different from what was read. */
static void exclude(struct versions *v, uint64_t oldest, uint64_t from, uint64_t end)
{
    for (uint64_t i = from - oldest; i < end - oldest; i++)
        v->state[i / 64] &= ~(UINT64_C(1) << i % 64);
}

static bool some_left(const struct versions *v, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        if (v->state[i / 64] >> i % 64 & 1)
            return true;
    return false;
}

bool versions_check_read(struct versions *v, uint64_t start, uint64_t newest, uint32_t line, unsigned word,
                         uint32_t value, uint32_t current)
{
    uint64_t oldest = known_before(v, start), n = states(oldest, newest), end = oldest + n;
    uint32_t i = line < v->lines ? v->newest[line][word] : 0;
    if (!i && value != current)
        exclude(v, oldest, oldest, end);
    for (; i && end > oldest; i = v->version[i].before) {
        const struct version *x = &v->version[i];
        if (x->key >= end)
            continue;
        if (x->value != value)
            exclude(v, oldest, most(x->key, oldest), end);
        end = most(x->key, oldest);
    }
    return some_left(v, n);
}
