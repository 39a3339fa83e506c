/*
 * The history of a kernel for transactions that commit without a place of their own in the order of keys: the values
 * that each word has had, with the keys of their writers, and the cycle by which each key was replayed. Such a
 * transaction is serialisable if all its reads are of the state after one key.
 */
#ifndef TM_ORACLE_VERSIONS_H
#define TM_ORACLE_VERSIONS_H

#include <stdbool.h>
#include <stdint.h>

/* A value of a word from its key on, until the next version; key 0: the initial value. */
struct version { uint64_t key; uint32_t value, before; };   /* before: the version before it, 0 = none */

struct versions {
    uint64_t first;                  /* key of the kernel */
    uint64_t *replayed;              /* by key from `first` on: core cycle, not descending */
    uint32_t keys, keys_cap;
    struct version *version;         /* the first one is not used */
    uint32_t n, cap;
    uint32_t (*newest)[32];          /* by line of the shadow and word; 0 = none */
    uint32_t lines, lines_cap;
    uint64_t *state;                 /* of a check: a bit for each key */
    uint32_t states_cap;
};

void versions_clear(struct versions *v, uint64_t first);
void versions_free(struct versions *v);
/* The next key has been replayed; cycle: of the latest outcome so far. */
void versions_replayed(struct versions *v, uint64_t cycle);
/* The value of a word before its first version, if it has none yet. */
void versions_first(struct versions *v, uint32_t line, unsigned word, uint32_t value);
/* A transaction has changed a word of a line of the shadow. */
void versions_write(struct versions *v, uint32_t line, unsigned word, uint64_t key, uint32_t before, uint32_t value);
/* The newest version of a word whose key is not more than this one; NULL = the word has no version. */
const struct version *versions_at(const struct versions *v, uint32_t line, unsigned word, uint64_t key);

/*
 * A check: versions_check_begin for the states after the keys whose outcomes were known when an attempt began in cycle
 * `start`, up to `newest`; then versions_check_read for each word read. `current`: the word's value if it has no
 * version. False: no state has all the values.
 */
void versions_check_begin(struct versions *v, uint64_t start, uint64_t newest);
bool versions_check_read(struct versions *v, uint64_t start, uint64_t newest, uint32_t line, unsigned word,
                         uint32_t value, uint32_t current);

#endif
