/*
 * Write-back of write sets at a slice. WRITE_SET brings words before the decision; PASS names the lanes that commit and
 * the version slot. Words are performed in the order of PASSes and log entries, sitm.cu_words a cycle; those of one
 * PASS to one block of sitm.access_bytes that follow each other are one access of L2. CU_DONE follows the last one.
 */
#include <stdlib.h>
#include <string.h>

#include "tm/sitm/sitm.h"

static uint32_t warp_of(const struct sitm_unit *u, const struct kilo_payload *p)
{
    return p->batch->sm * u->gpu->slots + p->batch->slot;
}

void sitm_write_set(struct sitm_unit *u, const struct kilo_payload *p)
{
    for (uint64_t m = p->lanes; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(m);
        u->entry = mem_grow(u->entry, u->entries, &u->entries_cap, sizeof *u->entry, "write sets at a slice");
        u->entry[u->entries++] = (struct sitm_entry){ warp_of(u, p), lane, p->entry[lane] };
    }
}

/* ---- PASS ---- */

static uint32_t new_pass(struct sitm_unit *u, struct packet *k)
{
    uint32_t i = 0;
    while (i < u->passes && u->pass[i].request)
        i++;
    if (i == u->passes) {
        u->pass = mem_grow(u->pass, u->passes, &u->passes_cap, sizeof *u->pass, "write sets at a slice");
        u->passes++;
    }
    u->pass[i] = (struct sitm_pass){ .request = k };
    return i;
}

static void done(struct sitm_unit *u, uint32_t pass, uint64_t now)
{
    struct packet *k = u->pass[pass].request;
    u->pass[pass].request = NULL;
    k->kind = SITM_WIRE + SITM_CU_DONE;
    k->bytes = (uint16_t)sitm_message_bytes(SITM_CU_DONE, 0);
    sitm_send(u, k, now);
}

static void push_word(struct sitm_unit *u, const struct sitm_entry *e, uint32_t pass, uint32_t slot)
{
    uint32_t value;
    unsigned bytes = kilo_bytes(e->e, &value);
    *(struct sitm_word *)fifo_push(&u->words) = (struct sitm_word){
        .address = u->gpu->kilo->base + (e->e.address & ~UINT32_C(3)), .value = value, .pass = pass,
        .bytes = (uint8_t)bytes, .slot = (uint8_t)slot
    };
    u->pass[pass].left++;
}

/* The warp's words of these lanes are to be performed, lane by lane; those of other lanes are dropped. */
static void take_entries(struct sitm_unit *u, const struct sitm_message *m, uint32_t pass)
{
    uint32_t kept = 0;
    for (uint32_t rest = m->lanes; rest;) {
        uint32_t lane = sitm_lane(&rest);
        for (uint32_t i = 0; i < u->entries; i++)
            if (u->entry[i].warp == m->warp && u->entry[i].lane == lane)
                push_word(u, &u->entry[i], pass, m->slot);
    }
    for (uint32_t i = 0; i < u->entries; i++)
        if (u->entry[i].warp != m->warp)
            u->entry[kept++] = u->entry[i];
    u->entries = kept;
}

void sitm_take_pass(struct sitm_unit *u, struct packet *k, uint64_t now)
{
    struct sitm_message m = ((union sitm_payload *)k->payload)->message;
    if (m.kind == SITM_FAIL) {
        m.lanes = 0;
        take_entries(u, &m, 0);
        packet_return(k);
        return;
    }
    uint32_t pass = new_pass(u, k);
    sitm_slice_pass(&u->rules, &m);
    take_entries(u, &m, pass);
    if (!u->pass[pass].left)
        done(u, pass, now);
}

/* ---- words ---- */

static void put_bytes(struct packet *k, const struct sitm_word *w)
{
    unsigned offset = (unsigned)(w->address % LINE_BYTES);
    for (unsigned b = 0; b < 4; b++)
        if (w->bytes >> b & 1) {
            k->mask[(offset + b) / 64] |= UINT64_C(1) << (offset + b) % 64;
            k->data[offset + b] = (uint8_t)(w->value >> 8 * b);
        }
}

static bool same_access(const struct sitm_unit *u, const struct sitm_word *a, const struct sitm_word *b)
{
    uint32_t block = u->gpu->cfg.access_bytes;
    return a->pass == b->pass && a->address / block == b->address / block;
}

/* An access with the words at the front for one block. Returns how many. */
static uint32_t write_words(struct sitm_unit *u, uint64_t now)
{
    const struct sitm_word first = *(const struct sitm_word *)fifo_front(&u->words);
    uint64_t line = first.address / LINE_BYTES * LINE_BYTES;
    struct packet *k = engine_packet(&u->home, true, line, (uint8_t)(1u << (first.address - line) / SECTOR_BYTES));
    uint32_t n = 0;
    k->slot = (uint8_t)(first.slot + 1);
    k->token = first.pass;
    for (; u->words.n && same_access(u, &first, fifo_front(&u->words)); n++) {
        put_bytes(k, fifo_front(&u->words));
        fifo_pop(&u->words);
    }
    u->pass[first.pass].left -= n - 1;
    u->writing++;
    u->home.count[STAT_SITM_WRITES]++;
    u->home.count[STAT_SITM_WORDS] += n;
    engine_access(&u->home, k, now);
    return n;
}

uint64_t sitm_write_back(struct sitm_unit *u, uint64_t now)
{
    uint32_t each = u->gpu->cfg.cu_words;
    if (u->words.n && u->write_at <= now)
        u->write_at = now + (write_words(u, now) + each - 1) / each;
    return u->words.n ? u->write_at : NEVER;
}

void sitm_written(struct sitm_unit *u, struct packet *k, uint64_t now)
{
    uint32_t pass = k->token;
    u->writing--;
    packet_return(k);
    if (!--u->pass[pass].left)
        done(u, pass, now);
}

void sitm_writeback_end(struct sitm_unit *u)
{
    for (uint32_t i = 0; i < u->passes; i++)
        if (u->pass[i].request)
            packet_return(u->pass[i].request);
    free(u->pass);
    free(u->entry);
    fifo_end(&u->words);
}
