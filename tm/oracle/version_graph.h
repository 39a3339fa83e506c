/*
 * The version graph of a history of transactions: the versions of each word, with their writer and readers. It yields
 * the dependencies between transactions (Adya, "Weak Consistency", 1999): a read depends on the write of its version
 * (wr), a write on the write that it replaces (ww), and a read precedes the write that replaces its version (rw). A
 * transaction with a wrong read is on a cycle of dependencies, which names the anomaly.
 */
#ifndef TM_GRAPH_H
#define TM_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#include "tm/oracle/shadow_words.h"

/* Not a transaction: a plain store or an atomic. */
#define GRAPH_PLAIN UINT64_MAX

struct graph_version {
    uint64_t address, writer;        /* writer: key; 0 = initial value; GRAPH_PLAIN */
    uint32_t value, older, newer;    /* numbers of versions, 0 = none */
    uint32_t readers;                /* first of its list */
};

struct graph_reader { uint64_t key; uint32_t next; };

struct graph {
    struct graph_version *version;   /* from 1 */
    struct graph_reader *reader;     /* from 1 */
    uint32_t (*current)[SHADOW_WORDS];           /* by number of the shadow's line: the version of each word */
    uint32_t *op, *start;            /* of a key: its versions, twice the number, + 1 for those that it wrote */
    uint64_t first;                  /* key of start[0] */
    uint32_t versions, versions_cap, readers, readers_cap, lines, lines_cap, ops, ops_cap, starts, starts_cap;
};

void graph_free(struct graph *g);
/* Empties the graph; the next key is `first`. */
void graph_clear(struct graph *g, uint64_t first);
/* A transaction is replayed: its reads and writes follow. Keys ascend. */
void graph_txn(struct graph *g, uint64_t key);
/* The transaction read this value; the replay has the value `current`. */
void graph_read(struct graph *g, uint64_t key, uint64_t address, uint32_t line, uint32_t value, uint32_t current);
/* The transaction wrote this value over `before`. */
void graph_write(struct graph *g, uint64_t key, uint64_t address, uint32_t line, uint32_t value, uint32_t before);
/*
 * Explains the wrong read of the transaction replayed last: it read `value` at address. later: a transaction with a
 * greater key that wrote this value, 0 = none. Writes the name of the anomaly and the cycle to text.
 */
void graph_explain(const struct graph *g, uint64_t key, uint64_t address, uint32_t line, uint32_t value, uint64_t later,
                   char *text, size_t size);
/* The same when memory has a wrong value at the end. */
void graph_explain_memory(const struct graph *g, uint64_t address, uint32_t line, uint32_t value, char *text,
                          size_t size);

#endif
