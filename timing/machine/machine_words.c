/*
 * Words of global memory for transactional memory that accesses them in no time (tm/core/tm_core.h), in the serial step
 * between two windows, when L1s may have newer bytes than memory. A read uses the copy of the line's owner. Before a
 * write, all copies are invalidated by the coherence protocol's rows, as before a write by a commit unit. While the
 * line is busy at its home, neither is possible.
 */
#include <string.h>

#include "timing/machine/machine_impl.h"

struct place { struct partition *partition; uint32_t slice; uint64_t line; };

static struct place place_of(const struct machine *m, uint64_t address)
{
    uint32_t slice = addrmap_slice(&m->cfg.map, address), each = m->cfg.partition.slices;
    return (struct place){ m->partition[slice / each], slice % each, address / LINE_BYTES * LINE_BYTES };
}

static bool ready(void *ctx, uint64_t address)
{
    struct place p = place_of(ctx, address);
    return partition_stable(p.partition, p.slice, p.line);
}

static uint32_t read_word(void *ctx, uint64_t address)
{
    const struct machine *m = ctx;
    struct place p = place_of(m, address);
    int sm = partition_holder(p.partition, p.slice, p.line);
    const uint8_t *copy = sm < 0 ? NULL : lsu_coherent_copy(sm_lsu(m->sm[sm]), p.line);
    uint32_t value;
    memcpy(&value, copy ? copy + address % LINE_BYTES : (const uint8_t *)(uintptr_t)address, sizeof value);
    return value;
}

static void probe(void *ctx, uint32_t sm, struct packet *p)
{
    struct machine *m = ctx;
    lsu_probe(sm_lsu(m->sm[sm]), p, m->now);
    *m->sm_in[sm].doorbell = 1;
}

static void write_word(void *ctx, uint64_t address, unsigned bytes, uint32_t value)
{
    struct machine *m = ctx;
    struct place p = place_of(m, address);
    unsigned at = (unsigned)(address % LINE_BYTES);
    uint64_t mask[2] = { 0 };
    partition_take(p.partition, p.slice, p.line, &(struct partition_probe){ m, probe });
    *m->slice_in[addrmap_slice(&m->cfg.map, address)].doorbell = 1;
    for (unsigned b = 0; b < sizeof value; b++)
        if (bytes >> b & 1)
            ((uint8_t *)(uintptr_t)address)[b] = (uint8_t)(value >> 8 * b);
    mask[at / 64] = (uint64_t)bytes << at % 64;
    if (m->oracle)
        order_oracle_exclude(m->oracle, p.line, mask);
}

void machine_give_words(struct machine *m)
{
    if (m->tm && m->cfg.lsu.l1.coherence)
        tm_use_memory(m->tm, &(struct tm_memory){ m, ready, read_word, write_word });
}
