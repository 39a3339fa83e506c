/*
 * What committed transactions have read and written, and the checks of snapshot isolation on it: (a) every read is the
 * newest write of its snapshot; (b) of two writers of a word, one has the other in its snapshot; (c) the graph of
 * dependencies has no cycle; replay in the order (epoch, PrevTS, c) gives every read; (f) a thread's snapshot has its
 * own commits; and memory at the end is that of the last writes.
 */
#ifndef SITM_HISTORY_H
#define SITM_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

enum { SITM_MOST_TXNS = 64, SITM_MOST_WORDS = 8, SITM_MOST_ACCESSES = 8, SITM_ERROR = 200 };

struct sitm_access_done { uint32_t word, value; bool write; };

/* Snapshot and commit version as epoch x 2^32 + number; a reader's commit is its snapshot. */
struct sitm_txn {
    uint64_t snapshot, commit;
    uint32_t epoch, stamp, thread, n;
    bool writes;
    struct sitm_access_done access[SITM_MOST_ACCESSES];     /* in program order; reads of own writes, too */
};

struct sitm_history {
    uint32_t n, words;
    struct sitm_txn txn[SITM_MOST_TXNS];
};

/* How much is checked: (a), (b) and (f); (c), too; replay, too. */
enum sitm_check { SITM_CHECK_REPLAY, SITM_CHECK_GRAPH, SITM_CHECK_SNAPSHOTS };

/* What is wrong with the history, in error; or "". */
void sitm_history_check(const struct sitm_history *h, enum sitm_check check, char error[SITM_ERROR]);
/* The value of a word's last write, or 0. */
uint32_t sitm_history_last(const struct sitm_history *h, uint32_t word);

#endif
