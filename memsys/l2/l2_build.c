/* Allocation of an L2 slice, and the address bits of its set index. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "memsys/l2/l2.h"

/* The address bits that make the lowest `count` bits of a field. */
static uint64_t field_bits(const struct addrmap *m, enum addr_field f, unsigned count)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < m->nruns[f]; i++) {
        const struct addr_run *r = &m->run[f][i];
        for (unsigned b = 0; r->mask >> b; b++)
            if (r->to + b < count)
                bits |= UINT64_C(1) << (r->from + b);
    }
    return bits;
}

/* The address bits that select this channel and slice are equal in all its lines, and removed from the set index. */
static void index_tags(struct tags *t, const struct addrmap *m)
{
    uint32_t slices = m->slices_per_channel;
    uint64_t bits = field_bits(m, ADDR_CHANNEL, 32);
    if ((slices & (slices - 1)) == 0)
        bits |= field_bits(m, ADDR_BANK, (unsigned)__builtin_ctz(slices));
    tags_share(t, m->base, m->split < 0 ? 0 : (unsigned)m->split, m->split < 0 ? 1 : m->channels);
    for (int b = 63; b >= 0; b--)
        if (bits >> b & 1)
            tags_cut(t, (unsigned)b);
}

void l2_init(struct l2_slice *s, struct partition *part, uint32_t number, struct port *request, struct port *reply)
{
    const struct partition_cfg *c = &part->cfg;
    *s = (struct l2_slice){
        .part = part, .number = number, .id = c->channel * c->slices + number, .request = request, .reply = reply,
        .next = c->walk ? 0 : NEVER, .performable_head = MSHR_NONE, .performable_tail = MSHR_NONE,
        .transfer_capacity = c->l2.miss_queue + c->dram.latency
    };
    packet_pool_init(&s->pool, 0);
    s->inputs = request->vns + (c->engine || c->versions);
    for (uint32_t v = 0; v < s->inputs; v++)
        s->in[v].pipe = mem_zero(c->l2.latency, sizeof *s->in[v].pipe, "the pipeline of an L2 slice");
    if (c->l2.sets) {
        uint32_t lines = c->l2.sets * c->l2.ways;
        tags_init(&s->tags, c->l2.sets, c->l2.ways, LINE_BYTES, TAGS_LRU, c->l2.hash ? TAGS_XOR : TAGS_LINEAR);
        index_tags(&s->tags, c->map);
        s->dirty = mem_zero((lines + 63) / 64, sizeof *s->dirty, "dirty lines of an L2 slice");
    }
    mshr_init(&s->mshr, c->l2.mshrs, c->l2.merges);
    s->miss = mem_zero(c->l2.mshrs, sizeof *s->miss, "MSHR entries of an L2 slice");
    s->transfer = mem_zero(s->transfer_capacity, sizeof *s->transfer, "the miss queue of an L2 slice");
    if (c->coherence)
        l2_coherence_init(s);
    l2_engine_init(s);
    l2_copier_init(s);
}

void l2_end(struct l2_slice *s)
{
    l2_engine_end(s);
    l2_copier_end(s);
    for (uint32_t v = 0; v < s->inputs; v++)
        free(s->in[v].pipe);
    tags_end(&s->tags);
    if (s->transaction)
        l2_coherence_end(s);
    packet_pool_end(&s->pool);
    free(s->dirty);
    mshr_end(&s->mshr);
    free(s->miss);
    free(s->transfer);
}

void l2_clear(struct l2_slice *s)
{
    if (!s->tags.clock)
        return;
    uint32_t lines = s->tags.sets * s->tags.ways;
    tags_clear(&s->tags);
    if (s->directory)
        memset(s->directory, 0, (size_t)lines * s->directory_words * sizeof *s->directory);
    memset(s->dirty, 0, (lines + 63) / 64 * sizeof *s->dirty);
    s->dirty_lines = 0;
}
