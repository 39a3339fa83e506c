/*
 * Read-set and write-set buffers (KILO TM, sections 4.5.3 and 6.4.2): the host stores words in chunks; the
 * capacity of the modelled unit is counted separately. A set overflows if its buffer is full, or if the unit's pool has
 * no free buffer. Then the core resends it when it is needed, or the transaction cannot commit.
 */
#include "base/alloc.h"
#include "tm/kilo/unit/cu_state.h"

static uint32_t new_chunk(struct commit_unit *u)
{
    if (u->free_chunk == CU_NO_CHUNK)
        u->chunk = mem_grow_linked(u->chunk, &u->chunks, &u->free_chunk, sizeof *u->chunk,
                                   offsetof(struct cu_chunk, next), "buffers of a commit unit");
    uint32_t c = u->free_chunk;
    u->free_chunk = u->chunk[c].next;
    u->chunk[c].next = CU_NO_CHUNK;
    return c;
}

static void free_chunks(struct commit_unit *u, struct cu_word_set *s)
{
    if (s->first != CU_NO_CHUNK) {
        u->chunk[s->last].next = u->free_chunk;
        u->free_chunk = s->first;
    }
    s->first = s->last = CU_NO_CHUNK;
}

static void take_buffer(struct commit_unit *u, struct cu_entry *e, enum cu_set_kind k)
{
    if (!u->cfg.buffers || u->buffers < u->cfg.buffers) {
        e->set[k].buffer = true;
        u->buffers++;
    }
}

static void give_buffer(struct commit_unit *u, struct cu_entry *e, enum cu_set_kind k)
{
    u->buffers -= e->set[k].buffer;
    e->set[k].buffer = false;
}

void cu_buffers_at_first(struct commit_unit *u, struct cu_entry *e)
{
    if (u->cfg.accounting == CU_BUFFERS_ALL) {
        take_buffer(u, e, CU_READS);
        take_buffer(u, e, CU_WRITES);
    }
}

void cu_buffers_accessed(struct commit_unit *u, struct cu_entry *e)
{
    e->accessed = true;
    u->n_accessed++;
    if (u->cfg.accounting == CU_BUFFERS_ACCESSED) {
        take_buffer(u, e, CU_READS);
        take_buffer(u, e, CU_WRITES);
    }
}

static void first_word(struct commit_unit *u, struct cu_entry *e, enum cu_set_kind k)
{
    u->n_used[k]++;
    if (!e->stale) {
        e->set[k].needed = true;
        u->n_needed[k]++;
    }
    if (u->cfg.accounting >= CU_BUFFERS_USED)
        take_buffer(u, e, k);
}

/* Drops an overflowing set; without resending, the entry fails. */
static void overflow(struct commit_unit *u, struct cu_entry *e, enum cu_set_kind k)
{
    static const char *const too_large[] = {
        "its read set is larger than kilotm.read_buffer, and kilotm.resend is off",
        "its write set is larger than kilotm.write_buffer, and kilotm.resend is off"
    };
    struct cu_word_set *s = &e->set[k];
    s->overflow = true;
    free_chunks(u, s);
    cu_add(u, k == CU_READS ? STAT_CU_READ_OVERFLOWS : STAT_CU_WRITE_OVERFLOWS, 1);
    if (u->cfg.resend)
        return;
    e->stale = true;
    if (s->buffer && u->calls.impossible)
        u->calls.impossible(u->calls.ctx, e->batch, e->lane, too_large[k]);
}

static void store(struct commit_unit *u, struct cu_word_set *s, struct kilo_entry word)
{
    uint32_t i = s->n % CU_CHUNK_ENTRIES;
    if (!i) {
        uint32_t c = new_chunk(u);
        if (s->first == CU_NO_CHUNK)
            s->first = c;
        else
            u->chunk[s->last].next = c;
        s->last = c;
    }
    u->chunk[s->last].entry[i] = word;
}

void cu_append(struct commit_unit *u, struct cu_entry *e, enum cu_set_kind k, struct kilo_entry word)
{
    struct cu_word_set *s = &e->set[k];
    uint32_t room = k == CU_READS ? u->cfg.read_buffer : u->cfg.write_buffer;
    if (!s->n)
        first_word(u, e, k);
    if (!s->overflow && (!s->buffer || (room && s->n == room)))
        overflow(u, e, k);
    if (!s->overflow)
        store(u, s, word);
    s->n++;
}

void cu_unneeded(struct commit_unit *u, struct cu_entry *e, enum cu_set_kind k)
{
    struct cu_word_set *s = &e->set[k];
    u->n_needed[k] -= s->needed;
    s->needed = false;
    free_chunks(u, s);
    if (u->cfg.accounting == CU_BUFFERS_NEEDED)
        give_buffer(u, e, k);
}

void cu_buffers_end(struct commit_unit *u, struct cu_entry *e)
{
    for (enum cu_set_kind k = CU_READS; k <= CU_WRITES; k++) {
        cu_unneeded(u, e, k);
        give_buffer(u, e, k);
        u->n_used[k] -= e->set[k].n > 0;
    }
    u->n_accessed -= e->accessed;
}
