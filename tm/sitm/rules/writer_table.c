/* The Writer Table: entries in an array, linked by word (ascending IDs) and by ID. */
#include <stddef.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "tm/sitm/rules/messages.h"
#include "tm/sitm/rules/writer_table.h"

void sitm_writer_table_init(struct sitm_writer_table *t, uint32_t most)
{
    *t = (struct sitm_writer_table){ .most = most, .free = SITM_NONE };
    sitm_word_map_init(&t->first);
    for (uint32_t id = 0; id < SITM_MOST_IDS; id++)
        t->of_id[id] = SITM_NONE;
}

void sitm_writer_table_end(struct sitm_writer_table *t)
{
    sitm_word_map_end(&t->first);
    free(t->entry);
}

uint32_t sitm_writer_table_first(const struct sitm_writer_table *t, uint32_t word)
{
    return sitm_word_map_get(&t->first, word);
}

static uint32_t take(struct sitm_writer_table *t)
{
    if (t->free == SITM_NONE)
        t->entry = mem_grow_linked(t->entry, &t->cap, &t->free, sizeof *t->entry, offsetof(struct sitm_writer, next),
                                   "the Writer Table");
    uint32_t e = t->free;
    t->free = t->entry[e].next;
    t->n++;
    return e;
}

/* Puts entry e before the first one of a greater ID. */
static void link_word(struct sitm_writer_table *t, uint32_t e)
{
    uint32_t before = SITM_NONE, at = sitm_writer_table_first(t, t->entry[e].word);
    for (; at != SITM_NONE && t->entry[at].id < t->entry[e].id; at = t->entry[at].next)
        before = at;
    t->entry[e].next = at;
    if (before == SITM_NONE)
        sitm_word_map_set(&t->first, t->entry[e].word, e);
    else
        t->entry[before].next = e;
}

static void unlink_word(struct sitm_writer_table *t, uint32_t e)
{
    uint32_t before = SITM_NONE;
    for (uint32_t at = sitm_writer_table_first(t, t->entry[e].word); at != e; at = t->entry[at].next)
        before = at;
    if (before == SITM_NONE)
        sitm_word_map_set(&t->first, t->entry[e].word, t->entry[e].next);
    else
        t->entry[before].next = t->entry[e].next;
}

bool sitm_writer_table_add(struct sitm_writer_table *t, uint32_t word, uint32_t id)
{
    if (t->n == t->most)
        return false;
    uint32_t e = take(t);
    t->entry[e] = (struct sitm_writer){ .word = word, .version = SITM_NO_VERSION, .id = (uint16_t)id,
                                        .next_of_id = t->of_id[id] };
    t->of_id[id] = e;
    link_word(t, e);
    return true;
}

void sitm_writer_table_commit(struct sitm_writer_table *t, uint32_t id, uint32_t version)
{
    for (uint32_t e = t->of_id[id]; e != SITM_NONE; e = t->entry[e].next_of_id)
        t->entry[e].version = version;
}

bool sitm_writer_table_remove(struct sitm_writer_table *t, uint32_t id)
{
    uint32_t e = t->of_id[id];
    if (e == SITM_NONE)
        return false;
    unlink_word(t, e);
    t->of_id[id] = t->entry[e].next_of_id;
    t->entry[e].next = t->free;
    t->free = e;
    t->n--;
    return true;
}
