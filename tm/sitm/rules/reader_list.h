/*
 * The Scalable Reader List of a slice (Figure 10 of the paper): word -> IDs of its readers. A word takes one entry
 * for up to three IDs (type 1); with the fourth, a root (type 2) and a leaf for each group that has readers (type 3).
 * A leaf that empties is freed, and a root without leaves. The list counts its entries exactly.
 */
#ifndef TM_SITM_READER_LIST_H
#define TM_SITM_READER_LIST_H

#include "tm/sitm/rules/rules.h"
#include "tm/sitm/rules/word_map.h"

enum { SITM_PLAIN_READERS = 3 };

enum sitm_reader_type { SITM_READERS_UNUSED, SITM_READERS_PLAIN, SITM_READERS_ROOT, SITM_READERS_LEAF };

struct sitm_readers {
    uint8_t type, n;                                   /* n: IDs of type 1, leaves of type 2 */
    union {
        uint16_t id[SITM_PLAIN_READERS];               /* type 1: ascending */
        struct { uint32_t lanes; uint8_t group; };     /* type 3 */
    };
    uint32_t next;                                     /* of type 2 and 3: leaf of the next greater group */
};

/* A word that an ID has read; found again when its entries are removed. */
struct sitm_read { uint32_t word, next; };

struct sitm_reader_list {
    struct sitm_word_map first;                        /* word -> its entry of type 1 or 2 */
    struct sitm_readers *entry;
    struct sitm_read *read;
    uint32_t n, most, cap, free;                       /* entries in use; capacity; size of the array */
    uint32_t reads_cap, reads_free, of_id[SITM_MOST_IDS];
};

void sitm_reader_list_init(struct sitm_reader_list *t, uint32_t most);
void sitm_reader_list_end(struct sitm_reader_list *t);
/* False: the list is full, nothing has changed. An ID that is in the list stays. */
bool sitm_reader_list_add(struct sitm_reader_list *t, uint32_t word, uint32_t id);
/* The next reader of the word from ID `from` on; SITM_NONE: there is none. */
uint32_t sitm_reader_list_next(const struct sitm_reader_list *t, uint32_t word, uint32_t from);
/* Removes these lanes from one entry; false: they are in none. */
bool sitm_reader_list_remove(struct sitm_reader_list *t, uint32_t group, uint32_t lanes);

#endif
