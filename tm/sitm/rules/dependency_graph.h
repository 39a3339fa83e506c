/*
 * The exact graph of dependencies between attempts, for the whole GPU: what post-dating approximates. A read depends
 * on the writer of its version (wr), a write on the writer before it (ww), and a reader precedes those who write the
 * word in a later version (rw).
 *
 *   sitm-oracle: the graph has committed attempts only; an attempt enters it at its decision (sitm_graph_decide).
 *   Shadow of sitm-ts or sitm-noloop: all attempts enter with each access; an edge that closes a path is a dependency
 *   loop. It is counted and is on no path. Aborted attempts leave.
 *
 * At a reset (R18) and at the end all attempts leave (SITM_GRAPH_ALL), since version numbers start again.
 */
#ifndef TM_SITM_DEPENDENCY_GRAPH_H
#define TM_SITM_DEPENDENCY_GRAPH_H

#include "tm/sitm/rules/messages.h"
#include "tm/sitm/rules/word_map.h"

/* An attempt. Its number is used again after it has left. */
struct sitm_graph_node {
    uint64_t serial;                 /* 0 = free */
    uint64_t reached;                /* by the search of this number */
    uint32_t snapshot, version;      /* version: SITM_NO_VERSION = not committed */
    uint32_t in;                     /* edges to it */
    uint32_t out, access;            /* first edge from it; its last access */
    uint32_t next;                   /* free node */
    bool writes;
};

/* serial: of `to`; another one: it has left. loop: it closed a path. */
struct sitm_graph_edge { uint64_t serial; uint32_t to, next; bool loop; };
struct sitm_graph_access { uint32_t word, node, next_of_word, next_of_node; bool write; };

#define SITM_GRAPH_ALL (SITM_NO_VERSION - 1)

struct sitm_graph {
    struct sitm_word_map first;      /* word -> its accesses */
    struct sitm_graph_node *node;
    struct sitm_graph_edge *edge;
    struct sitm_graph_access *access;
    uint32_t nodes, nodes_free, edges, edges_free, accesses, accesses_free;     /* sizes of the arrays, free lists */
    uint32_t *stack, stack_cap;
    uint64_t serial, search;
    uint64_t loops;                  /* edges that closed a path */
    void (*leaves)(void *ctx, uint32_t node);          /* NULL, or called by sitm_graph_prune before a node leaves */
    void *ctx;
};

void sitm_graph_init(struct sitm_graph *g);
void sitm_graph_end(struct sitm_graph *g);
/* A new attempt; returns its number. */
uint32_t sitm_graph_begin(struct sitm_graph *g, uint32_t snapshot);
/* True: an edge of the access closed a path. A repeated access of a word has no effect. */
bool sitm_graph_read(struct sitm_graph *g, uint32_t node, uint32_t word);
bool sitm_graph_write(struct sitm_graph *g, uint32_t node, uint32_t word);
/* version: c, of an attempt without writes its snapshot. */
void sitm_graph_commit(struct sitm_graph *g, uint32_t node, uint32_t version);
void sitm_graph_abort(struct sitm_graph *g, uint32_t node);
/* Removes committed attempts that can be on no loop any more, each after all that precede it: they leave in a serial
 * order. oldest: the least snapshot of the attempts that are not decided (sitm_manager_undecided_oldest);
 * SITM_GRAPH_ALL, if there are none and will be none with these version numbers. */
void sitm_graph_prune(struct sitm_graph *g, uint32_t oldest);
/* The word has a committed version after the snapshot. */
bool sitm_graph_overwritten(const struct sitm_graph *g, uint32_t word, uint32_t snapshot);

/* The words that an attempt has read from memory and written, each once. */
struct sitm_sets { const uint32_t *read, *write; uint32_t reads, writes; };
enum sitm_verdict { SITM_VERDICT_COMMIT, SITM_VERDICT_WRITE, SITM_VERDICT_LOOP };
/* The exact decision: SITM_VERDICT_LOOP if the attempt would close a loop among committed ones, else SITM_VERDICT_WRITE
 * if a word of its write set has a version after the snapshot, else it is entered as committed in `version`: *node. */
enum sitm_verdict sitm_graph_decide(struct sitm_graph *g, uint32_t snapshot, uint32_t version,
                                    const struct sitm_sets *sets, uint32_t *node);

#endif
