/*
 * The version graph of a history of transactions: the versions of each word, with their writer and readers. It yields
 * the dependencies between transactions (Adya, "Weak Consistency", 1999): a read depends on the write of its version
 * (wr), a write on the write that it replaces (ww), and a read precedes the write that replaces its version (rw). A
 * transaction with a wrong read is on a cycle of dependencies, which names the anomaly.
 */
#ifndef TM_VERSION_GRAPH_H
#define TM_VERSION_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#include "tm/oracle/shadow_words.h"

/* Not a transaction: a plain store or an atomic. */
#define VERSION_GRAPH_PLAIN UINT64_MAX

struct version_node {
    uint64_t address, writer;        /* writer: key; 0 = initial value; VERSION_GRAPH_PLAIN */
    uint32_t value, older, newer;    /* numbers of versions, 0 = none */
    uint32_t readers;                /* first of its list */
};

struct version_reader { uint64_t key; uint32_t next; };

struct version_graph {
    struct version_node *version;    /* from 1 */
    struct version_reader *reader;   /* from 1 */
    uint32_t (*current)[SHADOW_WORDS];           /* by number of the shadow's line: the version of each word */
    uint32_t *op, *start;            /* of a key: its versions, twice the number, + 1 for those that it wrote */
    uint64_t first;                  /* key of start[0] */
    uint32_t versions, versions_cap, readers, readers_cap, lines, lines_cap, ops, ops_cap, starts, starts_cap;
};

void version_graph_free(struct version_graph *g);
/* Empties the graph; the next key is `first`. */
void version_graph_clear(struct version_graph *g, uint64_t first);
/* A transaction is replayed: its reads and writes follow. Keys ascend. */
void version_graph_txn(struct version_graph *g, uint64_t key);
/* The transaction read this value; the replay has the value `current`. */
void version_graph_read(struct version_graph *g, uint64_t key, uint64_t address, uint32_t line, uint32_t value,
                        uint32_t current);
/* The transaction wrote this value over `before`. */
void version_graph_write(struct version_graph *g, uint64_t key, uint64_t address, uint32_t line, uint32_t value,
                         uint32_t before);
/*
 * Explains the wrong read of the transaction replayed last: it read `value` at address. later: a transaction with a
 * greater key that wrote this value, 0 = none. Writes the name of the anomaly and the cycle to text.
 */
void version_graph_explain(const struct version_graph *g, uint64_t key, uint64_t address, uint32_t line, uint32_t value,
                           uint64_t later, char *text, size_t size);
/* The same when memory has a wrong value at the end. */
void version_graph_explain_memory(const struct version_graph *g, uint64_t address, uint32_t line, uint32_t value,
                                  char *text, size_t size);

#endif
