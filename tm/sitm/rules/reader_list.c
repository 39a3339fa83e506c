/* The Scalable Reader List: entries in an array, by word; and for each ID the words that it has read. */
#include <stddef.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "tm/sitm/rules/reader_list.h"

void sitm_reader_list_init(struct sitm_reader_list *t, uint32_t most)
{
    *t = (struct sitm_reader_list){ .most = most, .free = SITM_NONE, .reads_free = SITM_NONE };
    sitm_word_map_init(&t->first);
    for (uint32_t id = 0; id < SITM_MOST_IDS; id++)
        t->of_id[id] = SITM_NONE;
}

void sitm_reader_list_end(struct sitm_reader_list *t)
{
    sitm_word_map_end(&t->first);
    free(t->entry);
    free(t->read);
}

/* ---- entries ---- */

static uint32_t take(struct sitm_reader_list *t)
{
    if (t->free == SITM_NONE)
        t->entry = mem_grow_linked(t->entry, &t->cap, &t->free, sizeof *t->entry, offsetof(struct sitm_readers, next),
                                   "the Reader List");
    uint32_t e = t->free;
    t->free = t->entry[e].next;
    t->n++;
    return e;
}

static void give(struct sitm_reader_list *t, uint32_t e)
{
    t->entry[e].type = SITM_READERS_UNUSED;
    t->entry[e].next = t->free;
    t->free = e;
    t->n--;
}

static void remember(struct sitm_reader_list *t, uint32_t word, uint32_t id)
{
    if (t->reads_free == SITM_NONE)
        t->read = mem_grow_linked(t->read, &t->reads_cap, &t->reads_free, sizeof *t->read,
                                  offsetof(struct sitm_read, next), "the Reader List");
    uint32_t r = t->reads_free;
    t->reads_free = t->read[r].next;
    t->read[r] = (struct sitm_read){ word, t->of_id[id] };
    t->of_id[id] = r;
}

/* ---- type 1 ---- */

static void plain_add(struct sitm_readers *p, uint32_t id)
{
    uint32_t i = p->n++;
    for (; i && p->id[i - 1] > id; i--)
        p->id[i] = p->id[i - 1];
    p->id[i] = (uint16_t)id;
}

static bool plain_has(const struct sitm_readers *p, uint32_t id)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (p->id[i] == id)
            return true;
    return false;
}

static uint32_t new_plain(struct sitm_reader_list *t, uint32_t word)
{
    uint32_t e = take(t);
    t->entry[e] = (struct sitm_readers){ .type = SITM_READERS_PLAIN, .next = SITM_NONE };
    sitm_word_map_set(&t->first, word, e);
    return e;
}

/* ---- types 2 and 3 ---- */

/* The root's last entry (the root itself, or a leaf) before the leaf of this group or of a greater one. */
static uint32_t leaf_before(const struct sitm_reader_list *t, uint32_t root, uint32_t group)
{
    uint32_t at = root;
    while (t->entry[at].next != SITM_NONE && t->entry[t->entry[at].next].group < group)
        at = t->entry[at].next;
    return at;
}

static uint32_t leaf_of(const struct sitm_reader_list *t, uint32_t root, uint32_t group)
{
    uint32_t leaf = t->entry[leaf_before(t, root, group)].next;
    return leaf != SITM_NONE && t->entry[leaf].group == group ? leaf : SITM_NONE;
}

/* The leaf exists, or there is an entry for it. */
static void leaf_add(struct sitm_reader_list *t, uint32_t root, uint32_t id)
{
    uint32_t group = id / SITM_LANES, leaf = leaf_of(t, root, group);
    if (leaf == SITM_NONE) {
        leaf = take(t);
        uint32_t before = leaf_before(t, root, group);
        t->entry[leaf] = (struct sitm_readers){ .type = SITM_READERS_LEAF, .lanes = 0, .group = (uint8_t)group,
                                                .next = t->entry[before].next };
        t->entry[before].next = leaf;
        t->entry[root].n++;
    }
    t->entry[leaf].lanes |= (uint32_t)1 << id % SITM_LANES;
}

/* Groups of the three IDs of a type 1 entry and of a fourth. */
static uint32_t groups_of(const struct sitm_readers *p, uint32_t id)
{
    uint32_t groups = (uint32_t)1 << id / SITM_LANES;
    for (uint32_t i = 0; i < p->n; i++)
        groups |= (uint32_t)1 << p->id[i] / SITM_LANES;
    return (uint32_t)__builtin_popcount(groups);
}

static void become_root(struct sitm_reader_list *t, uint32_t e)
{
    struct sitm_readers plain = t->entry[e];
    t->entry[e] = (struct sitm_readers){ .type = SITM_READERS_ROOT, .next = SITM_NONE };
    for (uint32_t i = 0; i < plain.n; i++)
        leaf_add(t, e, plain.id[i]);
}

/* ---- the list ---- */

static bool has(const struct sitm_reader_list *t, uint32_t e, uint32_t id)
{
    if (t->entry[e].type == SITM_READERS_PLAIN)
        return plain_has(&t->entry[e], id);
    uint32_t leaf = leaf_of(t, e, id / SITM_LANES);
    return leaf != SITM_NONE && t->entry[leaf].lanes >> id % SITM_LANES & 1;
}

/* Entries that the ID takes in addition. */
static uint32_t needed(const struct sitm_reader_list *t, uint32_t e, uint32_t id)
{
    const struct sitm_readers *p = &t->entry[e];
    if (p->type == SITM_READERS_PLAIN)
        return p->n < SITM_PLAIN_READERS ? 0 : groups_of(p, id);
    return leaf_of(t, e, id / SITM_LANES) == SITM_NONE;
}

bool sitm_reader_list_add(struct sitm_reader_list *t, uint32_t word, uint32_t id)
{
    uint32_t e = sitm_word_map_get(&t->first, word);
    if (e != SITM_NONE && has(t, e, id))
        return true;
    if (t->n + (e == SITM_NONE ? 1 : needed(t, e, id)) > t->most)
        return false;
    if (e == SITM_NONE)
        e = new_plain(t, word);
    else if (t->entry[e].type == SITM_READERS_PLAIN && t->entry[e].n == SITM_PLAIN_READERS)
        become_root(t, e);
    if (t->entry[e].type == SITM_READERS_PLAIN)
        plain_add(&t->entry[e], id);
    else
        leaf_add(t, e, id);
    remember(t, word, id);
    return true;
}

static uint32_t plain_next(const struct sitm_readers *p, uint32_t from)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (p->id[i] >= from)
            return p->id[i];
    return SITM_NONE;
}

static uint32_t leaf_next(const struct sitm_reader_list *t, uint32_t root, uint32_t from)
{
    uint32_t group = from / SITM_LANES;
    for (uint32_t e = t->entry[leaf_before(t, root, group)].next; e != SITM_NONE; e = t->entry[e].next) {
        uint32_t low = t->entry[e].group == group ? from % SITM_LANES : 0;
        uint32_t lanes = t->entry[e].lanes & UINT32_MAX << low;
        if (lanes)
            return sitm_id(t->entry[e].group, (uint32_t)__builtin_ctz(lanes));
    }
    return SITM_NONE;
}

uint32_t sitm_reader_list_next(const struct sitm_reader_list *t, uint32_t word, uint32_t from)
{
    uint32_t e = sitm_word_map_get(&t->first, word);
    if (e == SITM_NONE)
        return SITM_NONE;
    return t->entry[e].type == SITM_READERS_PLAIN ? plain_next(&t->entry[e], from) : leaf_next(t, e, from);
}

/* ---- removal ---- */

static bool plain_remove(struct sitm_reader_list *t, uint32_t word, uint32_t e, uint32_t group, uint32_t lanes)
{
    struct sitm_readers *p = &t->entry[e];
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n; i++)
        if (p->id[i] / SITM_LANES != group || !(lanes >> p->id[i] % SITM_LANES & 1))
            p->id[n++] = p->id[i];
    bool removed = n < p->n;
    p->n = (uint8_t)n;
    if (!n) {
        sitm_word_map_set(&t->first, word, SITM_NONE);
        give(t, e);
    }
    return removed;
}

static bool leaf_remove(struct sitm_reader_list *t, uint32_t word, uint32_t root, uint32_t group, uint32_t lanes)
{
    uint32_t before = leaf_before(t, root, group), leaf = leaf_of(t, root, group);
    if (leaf == SITM_NONE || !(t->entry[leaf].lanes & lanes))
        return false;
    t->entry[leaf].lanes &= ~lanes;
    if (!t->entry[leaf].lanes) {
        t->entry[before].next = t->entry[leaf].next;
        give(t, leaf);
        if (!--t->entry[root].n) {
            sitm_word_map_set(&t->first, word, SITM_NONE);
            give(t, root);
        }
    }
    return true;
}

/* The word that the ID has read last, which is removed from its list. */
static uint32_t last_read(struct sitm_reader_list *t, uint32_t id)
{
    uint32_t r = t->of_id[id];
    t->of_id[id] = t->read[r].next;
    t->read[r].next = t->reads_free;
    t->reads_free = r;
    return t->read[r].word;
}

static bool remove_word(struct sitm_reader_list *t, uint32_t word, uint32_t group, uint32_t lanes)
{
    uint32_t e = sitm_word_map_get(&t->first, word);
    if (e == SITM_NONE)
        return false;
    return t->entry[e].type == SITM_READERS_PLAIN ? plain_remove(t, word, e, group, lanes)
                                                  : leaf_remove(t, word, e, group, lanes);
}

bool sitm_reader_list_remove(struct sitm_reader_list *t, uint32_t group, uint32_t lanes)
{
    for (uint32_t rest = lanes; rest;) {
        uint32_t id = sitm_id(group, sitm_lane(&rest));
        while (t->of_id[id] != SITM_NONE)
            if (remove_word(t, last_read(t, id), group, lanes))
                return true;
    }
    return false;
}
