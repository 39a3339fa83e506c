/*
 * Write-back of dirty private lines: a packet with the dirty bytes. A copy is kept until it is acknowledged, so that
 * l1_private_line can return at any time what a thread would read.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "memsys/l1/l1.h"

static uint32_t writeback_new(struct l1 *l)
{
    if (l->free_writeback == UINT32_MAX)
        l->writeback = mem_grow_linked(l->writeback, &l->writebacks, &l->free_writeback, sizeof *l->writeback,
                                       offsetof(struct l1_writeback, next), "write-backs of an L1");
    uint32_t i = l->free_writeback;
    l->free_writeback = l->writeback[i].next;
    return i;
}

void l1_write_back(struct l1 *l, uint32_t index, uint64_t now)
{
    struct tag *t = &l->tags.tag[index];
    uint32_t w = writeback_new(l);
    struct l1_writeback *b = &l->writeback[w];
    struct packet *p = sender_packet(l->send, MSG_WRITE, ACCESS_LOCAL_WRITEBACK, t->line,
                                     sender_token(REPLY_WRITEBACK, w), now, now);
    *b = (struct l1_writeback){ .line = t->line, .age = l->age++, .busy = true };
    memcpy(b->mask, l->dirty[index], sizeof b->mask);
    memcpy(b->data, l->data[index], LINE_BYTES);
    memcpy(p->mask, b->mask, sizeof p->mask);
    memcpy(p->data, b->data, LINE_BYTES);
    p->sectors = line_sectors(p->mask);
    p->bytes = sender_write_bytes(p->sectors);
    sender_push(l->send, p);
    l->dirty[index][0] = l->dirty[index][1] = 0;
    t->dirty = 0;
    l->dirty_lines--;
    l->count[STAT_L1_WRITEBACKS]++;
}

void l1_written_back(struct l1 *l, const struct packet *p)
{
    uint32_t w = p->token & ((UINT32_C(1) << REPLY_SHIFT) - 1);
    l->writeback[w].busy = false;
    l->writeback[w].next = l->free_writeback;
    l->free_writeback = w;
}

void l1_drop_dirty(struct l1 *l)
{
    for (uint32_t i = 0; l->dirty_lines && i < l->tags.sets * l->tags.ways; i++) {
        l->dirty_lines -= l->tags.tag[i].dirty != 0;
        l->tags.tag[i].dirty = 0;
        l->dirty[i][0] = l->dirty[i][1] = 0;
    }
}

bool l1_flush_line(struct l1 *l, uint64_t now)
{
    if (!l->dirty_lines || !sender_has_room(l->send))
        return l->dirty_lines > 0;
    uint32_t lines = l->tags.sets * l->tags.ways;
    while (!l->tags.tag[l->cursor].dirty)
        l->cursor = l->cursor + 1 == lines ? 0 : l->cursor + 1;
    l1_write_back(l, l->cursor, now);
    return l->dirty_lines > 0;
}

static const struct l1_writeback *next_writeback(const struct l1 *l, uint64_t line, uint64_t from_age)
{
    const struct l1_writeback *first = NULL;
    for (uint32_t i = 0; i < l->writebacks; i++) {
        const struct l1_writeback *b = &l->writeback[i];
        if (b->busy && b->line == line && b->age >= from_age && (!first || b->age < first->age))
            first = b;
    }
    return first;
}

const uint8_t *l1_private_line(struct l1 *l, uint64_t line)
{
    uint32_t i = l->cfg->sets ? tags_find(&l->tags, line) : TAG_NONE;
    const struct l1_writeback *b = next_writeback(l, line, 0);
    if (i == TAG_NONE && !b)
        return NULL;
    memcpy(l->view, (const void *)(uintptr_t)line, LINE_BYTES);      /* a device address is a host address */
    for (; b; b = next_writeback(l, line, b->age + 1))
        line_merge(l->view, b->data, b->mask);
    if (i != TAG_NONE)
        l1_copy_sectors(l->view, l->data[i], l->tags.tag[i].valid);
    return l->view;
}
