/*
 * The Writer Table of a slice: word -> writers, associative. A word has at most one entry of an attempt that is not
 * committed, and any number of committed ones, which stay until their release. The table counts its entries exactly.
 */
#ifndef TM_SITM_WRITER_TABLE_H
#define TM_SITM_WRITER_TABLE_H

#include "tm/sitm/rules/rules.h"
#include "tm/sitm/rules/word_map.h"

/* version: in which the attempt committed, or SITM_NO_VERSION. */
struct sitm_writer { uint32_t word, version, next, next_of_id; uint16_t id; };

struct sitm_writer_table {
    struct sitm_word_map first;                        /* word -> its first entry; ascending IDs */
    struct sitm_writer *entry;
    uint32_t n, most, cap, free;                       /* entries in use; capacity; size of the array */
    uint32_t of_id[SITM_MOST_IDS];                     /* the ID's entry added last */
};

void sitm_writer_table_init(struct sitm_writer_table *t, uint32_t most);
void sitm_writer_table_end(struct sitm_writer_table *t);
/* The word's entries: first number, then entry[number].next; SITM_NONE ends the list. */
uint32_t sitm_writer_table_first(const struct sitm_writer_table *t, uint32_t word);
/* False: the table is full. The ID has no entry of the word. */
bool sitm_writer_table_add(struct sitm_writer_table *t, uint32_t word, uint32_t id);
void sitm_writer_table_commit(struct sitm_writer_table *t, uint32_t id, uint32_t version);
/* Removes one entry of the ID; false: it has none. */
bool sitm_writer_table_remove(struct sitm_writer_table *t, uint32_t id);

#endif
