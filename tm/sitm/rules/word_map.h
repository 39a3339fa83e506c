/* A hash map from words to numbers of table entries: open addressing, linear probing. The order of iteration is never
 * used, so results do not depend on it. */
#ifndef TM_SITM_WORD_MAP_H
#define TM_SITM_WORD_MAP_H

#include <stdint.h>

#define SITM_NONE UINT32_MAX

struct sitm_word_map {
    struct sitm_word_slot { uint32_t word, value; } *slot;   /* value: SITM_NONE = free */
    uint32_t bits, n;                                         /* 2^bits slots, at most half of them in use */
};

void sitm_word_map_init(struct sitm_word_map *m);
void sitm_word_map_end(struct sitm_word_map *m);
uint32_t sitm_word_map_get(const struct sitm_word_map *m, uint32_t word);   /* SITM_NONE: absent */
/* value: SITM_NONE removes the word. */
void sitm_word_map_set(struct sitm_word_map *m, uint32_t word, uint32_t value);

#endif
